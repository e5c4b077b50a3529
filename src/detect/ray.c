/*
 * The first body that a ray meets. Spheres and planes have closed forms. Along a line the value of a convex shape
 * falls and rises again, so its least value is found by the golden section and the first surface before it by
 * bisection. Along a ray to a sheet the distance from it is a safe step.
 */
#include <math.h>

#include "detect/query_body.h"
#include "world/body_shape.h"

enum { NARROWINGS = 90, HALVINGS = 60, MARCH_STEPS = 100000 };
#define PERIODS_MOST 1e5 /* that a ray may cross */

typedef struct ray {
    rps_vec3 origin, along; /* m; unit vector */
    double length;          /* m, to the nearest hit so far */
} ray;

rps_status rps_query_check(const char *what, const double place[3], rps_error *err) {
    const double most = 1e150; /* whose square is a number */
    for (int k = 0; k < 3; k++) {
        if (place[k] > -most && place[k] < most) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s is (%g, %g, %g); expected finite numbers", what, place[0], place[1],
                        place[2]);
    }
    return RPS_OK;
}

/* Where a ray from x enters and leaves a ball about 0; false if it misses. */
static bool cross_ball(rps_vec3 x, rps_vec3 along, double radius, double *in, double *out) {
    const double middle = -rps_vec3_dot(x, along);
    const double across2 = rps_vec3_norm2(rps_vec3_add_scaled(x, middle, along));
    const double half2 = radius * radius - across2;
    if (!(half2 > 0.0)) return false;
    const double half = sqrt(half2);
    *in = middle - half;
    *out = middle + half;
    return true;
}

static void meet(ray *r, rps_hit *hit, bool *found, uint64_t id, int piece, double distance, rps_vec3 normal) {
    if (distance < 0.0 || distance > r->length) return;
    if (*found && distance == r->length && id > hit->id) return;
    *found = true;
    *hit = (rps_hit){.id = id, .piece = piece, .distance = distance};
    rps_vec3_put(hit->point, rps_vec3_add_scaled(r->origin, distance, r->along));
    rps_vec3_put(hit->normal, normal);
    r->length = distance;
}

static void meet_plane(const rps_world *world, size_t slot, ray *r, rps_hit *hit, bool *found) {
    const rps_vec3 normal = rps_vec3_of(world->bodies.normal[slot]);
    const double height = rps_vec3_dot(normal, rps_vec3_sub(r->origin, rps_vec3_of(world->bodies.pose[slot].position)));
    const double fall = -rps_vec3_dot(normal, r->along);
    if (!(height >= 0.0) || !(fall > 0.0)) return;
    meet(r, hit, found, world->bodies.id[slot][0], 0, height / fall, normal);
}

/* Value of a shape at a point of the ray; x, along in the axes of the shape. */
static double value_at(const rps_side *side, rps_vec3 x, rps_vec3 along, double t) {
    return side->shape->value(side->parameter, rps_vec3_add_scaled(x, t, along));
}

/* Finds a point inside the shape between two points of the ray, in *inside; false if there is none. */
static bool find_inside(const rps_side *side, rps_vec3 x, rps_vec3 along, double from, double to, double *inside) {
    const double golden = 0.6180339887498949;
    double a = from, b = to, left = b - golden * (b - a), right = a + golden * (b - a);
    double value_left = value_at(side, x, along, left), value_right = value_at(side, x, along, right);
    for (int n = 0; n < NARROWINGS; n++) {
        if (value_left < 0.0 || value_right < 0.0) {
            *inside = value_left < 0.0 ? left : right;
            return true;
        }
        if (value_left < value_right) {
            b = right;
            right = left;
            value_right = value_left;
            left = b - golden * (b - a);
            value_left = value_at(side, x, along, left);
        } else {
            a = left;
            left = right;
            value_left = value_right;
            right = a + golden * (b - a);
            value_right = value_at(side, x, along, right);
        }
    }
    return false;
}

/* The first point of a sheet along the ray within the distances, which its distance from the sheet cannot step over; it
 * comes nearer by at least a constant factor, but where the ray runs along the sheet. */
static bool march(const rps_side *side, rps_vec3 x, rps_vec3 along, double from, double to, double *at,
                  rps_shape_foot *foot) {
    const double near = 1e-13 * side->shape->bounding_radius(side->parameter);
    double t = from;
    for (int n = 0; n < MARCH_STEPS && t <= to; n++) {
        *foot = rps_touch_nearest(side, rps_vec3_add_scaled(x, t, along));
        *at = t;
        if (foot->distance <= near) return true;
        t += foot->distance;
    }
    return false;
}

/* from: the ray's origin, from the center of the body. */
static void meet_piece(const rps_world *world, size_t slot, int32_t piece, rps_vec3 from, ray *r, rps_hit *hit,
                       bool *found) {
    rps_side side;
    rps_vec3 offset;
    rps_pair_side(world, slot, (uint32_t)piece, &side, &offset);
    const rps_vec3 x = rps_quat_rotate_inverse(side.orientation, rps_vec3_sub(from, offset));
    const rps_vec3 along = rps_quat_rotate_inverse(side.orientation, r->along);
    double in, out, inside;
    /* a little more, so that the ends lie outside despite rounding */
    if (!cross_ball(x, along, 1.000001 * side.shape->bounding_radius(side.parameter), &in, &out)) return;
    if (out < 0.0 || in > r->length) return;
    if (in < 0.0) in = 0.0;
    if (rps_side_is_surface(&side)) {
        rps_shape_foot foot;
        if (!march(&side, x, along, in, out < r->length ? out : r->length, &in, &foot)) return;
        rps_vec3 n = rps_quat_rotate(side.orientation, foot.normal);
        if (rps_vec3_dot(n, r->along) > 0.0) n = rps_vec3_neg(n); /* rounding has passed the sheet */
        meet(r, hit, found, world->bodies.id[slot][0], piece, in, n);
        return;
    }
    if (!(value_at(&side, x, along, in) >= 0.0)) return; /* it begins inside */
    if (!find_inside(&side, x, along, in, out, &inside)) return;
    for (int n = 0; n < HALVINGS; n++) {
        const double middle = 0.5 * (in + inside);
        if (value_at(&side, x, along, middle) < 0.0) {
            inside = middle;
        } else {
            in = middle;
        }
    }
    const rps_vec3 gradient = side.shape->gradient(side.parameter, rps_vec3_add_scaled(x, in, along));
    const rps_vec3 normal = rps_quat_rotate(side.orientation, rps_vec3_normalize(gradient));
    meet(r, hit, found, world->bodies.id[slot][0], piece, in, normal);
}

/* One image of a body. center: m, of that image. */
static void meet_image(const rps_world *world, size_t slot, rps_vec3 center, ray *r, rps_hit *hit, bool *found) {
    const rps_vec3 from = rps_vec3_sub(r->origin, center);
    const double radius = world->bodies.pose[slot].radius[0];
    double in, out;
    if (!cross_ball(from, r->along, radius, &in, &out) || out < 0.0 || in > r->length) return;
    if (!rps_body_has_pieces(&world->bodies, slot)) {
        if (!(in >= 0.0)) return;
        const rps_vec3 at = rps_vec3_add_scaled(from, in, r->along);
        meet(r, hit, found, world->bodies.id[slot][0], 0, in, rps_vec3_scale(at, 1.0 / radius));
        return;
    }
    const int32_t pieces = rps_body_piece_count(&world->bodies, slot);
    for (int32_t k = 0; k < pieces; k++) meet_piece(world, slot, k, from, r, hit, found);
}

/* Images along axis k whose ball may reach the ray: *first to *last. */
static void images_of(const rps_world *world, size_t slot, int k, const ray *r, double *first, double *last) {
    const double period = world->cell.period[k], x = world->bodies.pose[slot].position[k];
    double a, b, origin[3], along[3];
    *first = *last = 0.0;
    if (!(period > 0.0)) return;
    rps_vec3_put(origin, r->origin);
    rps_vec3_put(along, r->along);
    a = origin[k];
    b = origin[k] + r->length * along[k];
    const double low = a < b ? a : b, high = a < b ? b : a, radius = world->bodies.pose[slot].radius[0];
    *first = rps_query_images_up(low - radius - x, period);
    *last = -rps_query_images_up(x - radius - high, period);
}

static void meet_body(const rps_world *world, size_t slot, ray *r, rps_hit *hit, bool *found) {
    const double *x = world->bodies.pose[slot].position, *period = world->cell.period;
    double first[3], last[3];
    for (int k = 0; k < 3; k++) images_of(world, slot, k, r, &first[k], &last[k]);
    for (double a = first[0]; a <= last[0]; a += 1.0) {
        for (double b = first[1]; b <= last[1]; b += 1.0) {
            for (double c = first[2]; c <= last[2]; c += 1.0) {
                const rps_vec3 center = {x[0] + a * period[0], x[1] + b * period[1], x[2] + c * period[2]};
                meet_image(world, slot, center, r, hit, found);
            }
        }
    }
}

static rps_status check_ray(const rps_world *world, const double direction[3], double length, rps_error *err) {
    RPS_TRY(rps_query_check("the direction of the ray", direction, err));
    if (!(rps_vec3_norm2(rps_vec3_of(direction)) > 1e-200)) {
        return rps_fail(err, RPS_BAD_INPUT, "the direction of the ray is zero");
    }
    if (world->options.dimension == 2 && direction[1] != 0.0) {
        return rps_fail(err, RPS_BAD_INPUT, "the direction of the ray has a part along y, and the world is planar");
    }
    if (!(length >= 0.0 && length < 1e150)) {
        return rps_fail(err, RPS_BAD_INPUT, "the length of the ray is %g m; expected a finite number of at least 0",
                        length);
    }
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        if (!(period > 0.0) || length < PERIODS_MOST * period) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "the length of the ray is %g m, more than %g periods along %c; expected a shorter ray", length,
                        PERIODS_MOST, "xyz"[k]);
    }
    return RPS_OK;
}

rps_status rps_world_cast_ray(const rps_world *world, const double origin[3], const double direction[3], double length,
                              rps_hit *hit, bool *found, rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(rps_query_check_cell(world, err));
    RPS_GIVEN(origin);
    RPS_GIVEN(direction);
    RPS_GIVEN(hit);
    RPS_GIVEN(found);
    RPS_TRY(rps_query_check("the origin of the ray", origin, err));
    RPS_TRY(check_ray(world, direction, length, err));
    ray r = {rps_vec3_of(origin), rps_vec3_normalize(rps_vec3_of(direction)), length};
    const rps_bodies *bodies = &world->bodies;
    if (world->options.dimension == 2) r.origin.y = 0.0;
    *found = false;
    for (size_t s = 0; s < bodies->count; s++) {
        if (rps_body_is_plane(bodies, s)) {
            meet_plane(world, s, &r, hit, found);
        } else {
            meet_body(world, s, &r, hit, found);
        }
    }
    return RPS_OK;
}
