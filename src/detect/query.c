/* Finds the bodies in a box or a sphere, and the body nearest to a point: one pass over all bodies. */
#include <repose/query.h>

#include <math.h>

#include "detect/query_body.h"
#include "world/body_shape.h"

/* --- centers in a region -------------------------------------------------------------------------------------------- */

typedef struct region {
    double low[3], high[3]; /* of a box */
    double center[3], radius;
    bool is_sphere;
} region;

/* True if some image of a coordinate lies in low <= x < high. */
static bool image_between(double x, double period, double low, double high) {
    if (!(period > 0.0)) return low <= x && x < high;
    if (high - low >= period) return true;
    /* x is in [0, period); low may be anywhere */
    const double up = rps_query_images_up(low - x, period);
    return x + up * period < high;
}

static bool is_inside(const rps_world *world, size_t slot, const region *r) {
    const double *x = world->bodies.pose[slot].position;
    double distance2 = 0.0;
    if (!r->is_sphere) {
        for (int k = 0; k < 3; k++) {
            if (!image_between(x[k], world->cell.period[k], r->low[k], r->high[k])) return false;
        }
        return true;
    }
    for (int k = 0; k < 3; k++) {
        const double d = rps_query_difference(world, k, x[k], r->center[k]);
        distance2 += d * d;
    }
    return distance2 <= r->radius * r->radius;
}

static rps_status find_bodies(const rps_world *world, const region *r, uint64_t *id, size_t capacity, size_t *count) {
    const rps_bodies *bodies = &world->bodies;
    size_t found = 0;
    for (uint64_t one = 0, s; rps_bodies_next(bodies, &one, &s); one++) {
        if (rps_body_is_plane(bodies, s) || !is_inside(world, s, r)) continue;
        if (found < capacity) id[found] = one;
        found++;
    }
    *count = found;
    return RPS_OK;
}

rps_status rps_world_bodies_in_box(const rps_world *world, const double low[3], const double high[3], uint64_t *id,
                                   size_t capacity, size_t *count, rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(rps_query_check_cell(world, err));
    RPS_GIVEN(low);
    RPS_GIVEN(high);
    RPS_GIVEN(count);
    if (capacity > 0) RPS_GIVEN(id);
    region r = {.is_sphere = false};
    for (int k = 0; k < 3; k++) {
        if (!(low[k] < high[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "the box goes from %g m to %g m along %c; expected low < high", low[k],
                            high[k], "xyz"[k]);
        }
        r.low[k] = low[k];
        r.high[k] = high[k];
    }
    return find_bodies(world, &r, id, capacity, count);
}

rps_status rps_world_bodies_in_sphere(const rps_world *world, const double center[3], double radius, uint64_t *id,
                                      size_t capacity, size_t *count, rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(rps_query_check_cell(world, err));
    RPS_GIVEN(center);
    RPS_GIVEN(count);
    if (capacity > 0) RPS_GIVEN(id);
    RPS_TRY(rps_query_check("the center", center, err));
    if (!(radius >= 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "the radius is %g m; expected a number of at least 0", radius);
    }
    const region r = {.is_sphere = true, .center = {center[0], center[1], center[2]}, .radius = radius};
    return find_bodies(world, &r, id, capacity, count);
}

/* --- the nearest body ----------------------------------------------------------------------------------------------- */

static void keep_nearer(const rps_hit *one, rps_hit *best, bool *found) {
    if (*found && !(one->distance < best->distance || (one->distance == best->distance && one->id < best->id))) return;
    *best = *one;
    *found = true;
}

static void put_hit(rps_hit *hit, rps_vec3 point, rps_vec3 normal) {
    rps_vec3_put(hit->point, point);
    rps_vec3_put(hit->normal, normal);
}

/* x: the point relative to the body's center, in the image examined. */
static rps_hit distance_to_round(const rps_world *world, size_t slot, rps_vec3 point, rps_vec3 x) {
    const double radius = world->bodies.pose[slot].radius[0], length = rps_vec3_norm(x);
    rps_hit hit = {.id = world->bodies.id[slot][0], .distance = length - radius};
    const rps_vec3 normal = length > 0.0 ? rps_vec3_scale(x, 1.0 / length) : rps_vec3_make(0.0, 0.0, 1.0);
    put_hit(&hit, rps_vec3_add_scaled(point, -hit.distance, normal), normal);
    return hit;
}

static rps_hit distance_to_plane(const rps_world *world, size_t slot, rps_vec3 point) {
    const rps_vec3 normal = rps_vec3_of(world->bodies.normal[slot]);
    const rps_vec3 x = rps_vec3_sub(point, rps_vec3_of(world->bodies.pose[slot].position));
    rps_hit hit = {.id = world->bodies.id[slot][0], .distance = rps_vec3_dot(normal, x)};
    put_hit(&hit, rps_vec3_add_scaled(point, -hit.distance, normal), normal);
    return hit;
}

/* The point counts as a small ball: the common normal does not depend on its radius. */
static rps_hit distance_to_piece(const rps_world *world, size_t slot, int32_t piece, rps_vec3 point, rps_vec3 x) {
    rps_side side;
    rps_vec3 offset;
    rps_touch touch;
    rps_pair_side(world, slot, (uint32_t)piece, &side, &offset);
    if (rps_side_is_surface(&side)) {
        const rps_vec3 local = rps_quat_rotate_inverse(side.orientation, rps_vec3_sub(x, offset));
        const rps_shape_foot foot = rps_touch_nearest(&side, local);
        const rps_vec3 n = rps_quat_rotate(side.orientation, foot.normal);
        rps_hit hit = {.id = world->bodies.id[slot][0], .piece = piece, .distance = foot.distance};
        put_hit(&hit, rps_vec3_add_scaled(point, -foot.distance, n), n);
        return hit;
    }
    const double radius = 1e-3 * side.shape->bounding_radius(side.parameter);
    const rps_side ball = {.shape = &rps_shape_sphere, .parameter = &radius, .orientation = {1.0, 0.0, 0.0, 0.0}};
    rps_convex_touch(&ball, &side, rps_vec3_sub(x, offset), INFINITY, NULL, &touch);
    rps_hit hit = {.id = world->bodies.id[slot][0], .piece = piece, .distance = radius - touch.overlap};
    put_hit(&hit, rps_vec3_add_scaled(point, -hit.distance, touch.normal), touch.normal);
    return hit;
}

static void look_at_pieces(const rps_world *world, size_t slot, rps_vec3 point, rps_vec3 x, rps_hit *best,
                           bool *found) {
    const int32_t pieces = rps_body_piece_count(&world->bodies, slot);
    const double least = rps_vec3_norm(x) - world->bodies.pose[slot].radius[0];
    if (*found && least > best->distance) return;
    for (int32_t k = 0; k < pieces; k++) {
        const rps_hit hit = distance_to_piece(world, slot, k, point, x);
        keep_nearer(&hit, best, found);
    }
}

/* For bodies with pieces, also tests the images next to the nearest one, since they reach far. */
static void look_at_images(const rps_world *world, size_t slot, rps_vec3 point, rps_vec3 x, rps_hit *best,
                           bool *found) {
    const double *period = world->cell.period;
    for (int n = 0; n < 27; n++) {
        const int shift[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        double d[3] = {x.x, x.y, x.z};
        bool is_image = true;
        for (int k = 0; k < 3; k++) {
            is_image = is_image && (shift[k] == 0 || period[k] > 0.0);
            d[k] += shift[k] * period[k];
        }
        if (is_image) look_at_pieces(world, slot, point, rps_vec3_of(d), best, found);
    }
}

rps_status rps_world_nearest_body(const rps_world *world, const double point[3], rps_hit *hit, bool *found,
                                  rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(rps_query_check_cell(world, err));
    RPS_GIVEN(point);
    RPS_GIVEN(hit);
    RPS_GIVEN(found);
    RPS_TRY(rps_query_check("the point", point, err));
    const rps_bodies *bodies = &world->bodies;
    rps_vec3 at = rps_vec3_of(point);
    if (world->options.dimension == 2) at.y = 0.0;
    *found = false;
    for (size_t s = 0; s < bodies->count; s++) {
        double d[3];
        rps_hit one;
        for (int k = 0; k < 3; k++) d[k] = rps_query_difference(world, k, point[k], bodies->pose[s].position[k]);
        if (world->options.dimension == 2) d[1] = 0.0;
        if (rps_body_has_pieces(bodies, s)) {
            look_at_images(world, s, at, rps_vec3_of(d), hit, found);
            continue;
        }
        one = rps_body_is_plane(bodies, s) ? distance_to_plane(world, s, at)
                                           : distance_to_round(world, s, at, rps_vec3_of(d));
        keep_nearer(&one, hit, found);
    }
    return RPS_OK;
}
