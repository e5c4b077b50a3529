/*
 * Places any shape on any other. The body moves along a line until the gap has the required value; to carry a load,
 * it continues until the contacts push back with that force. The contact force is computed in a scratch world that
 * holds both bodies at rest, so the position agrees with any contacts and laws of the step.
 */
#include <math.h>
#include <string.h>

#include "scene/place.h"
#include "scene/solid.h"

/* The line: position = start + t up. */
typedef struct line {
    rps_vec3 start, up;
} line;

/* Distance along the line at which two convex pieces have the gap. The gap is a convex function of this distance, so
 * Newton's method from far outside converges to the last root without passing it. False: they miss each other. */
static bool place_shape_meet(const rps_solid *a, const rps_solid *b, rps_vec3 d, rps_vec3 up, double gap, double *way) {
    const double size = a->shape->bounding_radius(a->parameter) + b->shape->bounding_radius(b->parameter);
    double t = rps_vec3_norm(d) + size + fmax(gap, 0.0);
    for (int round = 0; round < 200; round++) {
        rps_vec3 normal;
        const double more = rps_solid_touch(a, b, rps_vec3_add_scaled(d, t, up), &normal) - gap;
        const double slope = rps_vec3_dot(normal, up), before = t;
        if (more > 1e-9 * size && !(slope > 1e-9)) return false;
        if (!(slope > 1e-9)) break;
        t -= more / slope;
        if (fabs(more) <= 1e-15 * size || t == before) break;
    }
    *way = t;
    return true;
}

/* Distance along the line at which the first pair of pieces has the gap. */
static rps_status place_shape_find_touch(const rps_placing *p, const line *l, double *way) {
    const rps_body_def *base = &p->base[0]->def;
    const rps_vec3 origin = rps_vec3_of(p->def->position);
    *way = -INFINITY;
    for (int k = 0; k < rps_solids_of_def(p->def); k++) {
        const rps_solid a = rps_solid_of_def(p->def, k);
        const rps_vec3 at = rps_vec3_add(l->start, rps_vec3_sub(a.center, origin));
        for (int m = 0; m < rps_solids_of_def(base); m++) {
            const rps_solid b = rps_solid_of_def(base, m);
            const rps_vec3 d = rps_vec3_sub(at, b.center);
            double t;
            if (rps_shape_is_sheet(a.shape) || rps_shape_is_sheet(b.shape)) {
                return rps_place_fail(p->err, p->place->place,
                                      "a %s has two sides, so that the place on it is not known\ngive `position`",
                                      rps_shape_is_sheet(a.shape) ? a.shape->name : b.shape->name);
            }
            if (b.shape->unbounded) {
                t = (p->gap - rps_solid_gap(&a, &b, d, INFINITY)) / rps_vec3_dot(b.normal, l->up);
            } else if (!place_shape_meet(&a, &b, d, l->up, p->gap, &t)) {
                continue;
            }
            *way = fmax(*way, t);
        }
    }
    if (*way > -INFINITY) return RPS_OK;
    return rps_place_fail(p->err, p->place->place,
                          "on its way the body passes `%s` without touching it\nchange `at` or `above`",
                          p->base[0]->name);
}

/* --- equilibrium --------------------------------------------------------------------------------------------------- */

/* Force of the contacts on the body along the line, N. */
static rps_status push_back(const rps_placing *p, const line *l, double way, double *push, rps_error *err) {
    rps_world *scratch;
    rps_body_def body = *p->def, base = p->base[0]->def;
    const rps_vec3 x = rps_vec3_add_scaled(l->start, way, l->up);
    uint64_t id[2];
    double force[3], torque[3];
    body.kind = RPS_BODY_FREE;
    base.kind = RPS_BODY_FIXED;
    body.group = base.group = 0;
    body.locked = false;
    for (int k = 0; k < 3; k++) {
        body.velocity[k] = body.angular_velocity[k] = body.lock_axis[k] = 0.0;
        base.velocity[k] = base.angular_velocity[k] = base.lock_axis[k] = 0.0;
    }
    body.position[0] = x.x;
    body.position[1] = x.y;
    body.position[2] = x.z;
    /* any mass serves for a body without one */
    if (isnan(body.mass) && isnan(rps_world_material(p->world, body.material).density)) body.mass = 1.0;
    RPS_TRY(rps_scratch_world(p->world, &scratch, err));
    rps_status status = rps_world_add_body(scratch, &base, &id[0], err);
    if (status == RPS_OK) status = rps_world_add_body(scratch, &body, &id[1], err);
    if (status == RPS_OK) status = rps_world_start(scratch, err);
    if (status == RPS_OK) status = rps_world_body_load(scratch, id[1], force, torque, err);
    rps_world_destroy(scratch);
    if (status == RPS_OK) *push = rps_vec3_dot(rps_vec3_of(force), l->up);
    return status;
}

/* Moves from touching down to the position that carries the load: a growing bracket, then regula falsi (Illinois) on
 * the force until it agrees to 1e-13 or the position cannot be refined. */
static rps_status sink(const rps_placing *p, const line *l, double load, double half_width, double *way) {
    double high = *way, f_high = -load, low = high, f_low = f_high, push;
    for (double depth = 1e-6 * half_width; f_low < 0.0; depth *= 2.0) {
        rps_error inner = {0};
        low = *way - depth;
        rps_status status = depth <= half_width ? push_back(p, l, low, &push, &inner) : RPS_GUARD;
        if (status == RPS_NO_MEMORY) return rps_fail(p->err, status, "%s", inner.text);
        if (status != RPS_OK) {
            return rps_place_fail(p->err, p->place->place,
                                  "`%s` cannot carry %.4g N: the overlap would be larger than %.4g m\nmake the normal "
                                  "law stiffer%s%s",
                                  p->base[0]->name, load, 0.5 * depth, *inner.text ? "\n" : "", inner.text);
        }
        f_low = push - load;
        if (f_low < 0.0) high = low, f_high = f_low;
    }
    for (int round = 0, side = 0; round < 300 && f_low > 1e-13 * load; round++) {
        double t = low + (high - low) * (f_low / (f_low - f_high));
        if (!(t > low && t < high) || round % 8 == 7) t = 0.5 * (low + high);
        if (!(t > low && t < high)) break;
        RPS_TRY(rps_place_wrap(p->err, p->place->place, push_back(p, l, t, &push, p->err)));
        if (fabs(push - load) <= 1e-13 * load) {
            low = t;
            break;
        }
        if (push > load) {
            low = t, f_low = push - load;
            if (side == 1) f_high *= 0.5;
            side = 1;
        } else {
            high = t, f_high = push - load;
            if (side == -1) f_low *= 0.5;
            side = -1;
        }
    }
    *way = low;
    return RPS_OK;
}

static double half_width_of(const rps_body_def *def) {
    double least = INFINITY;
    for (int k = 0; k < rps_solids_of_def(def); k++) {
        const rps_solid s = rps_solid_of_def(def, k);
        if (!s.shape->unbounded) least = fmin(least, 0.5 * s.shape->smallest_width(s.parameter));
    }
    return least;
}

static rps_status place_shape_equilibrium(const rps_placing *p, const line *l, double *way) {
    const rps_named *base = p->base[0];
    const double load = -rps_vec3_dot(p->load, l->up);
    if (!(load >= 0.0)) {
        return rps_place_fail(p->err, p->place->place, "the load pulls the body off `%s`\nturn it, or use `touch`",
                              base->name);
    }
    if (load == 0.0) return RPS_OK;
    for (int k = 0; k < rps_solids_of_def(p->def); k++) {
        for (int m = 0; m < rps_solids_of_def(&base->def); m++) {
            const int own = p->def->piece ? p->def->piece[k].material : p->def->material;
            const int other = base->def.piece ? base->def.piece[m].material : base->def.material;
            const rps_pair_setup *pair = rps_world_pair_of(p->world, own, other);
            if (!pair) {
                return rps_place_fail(p->err, p->place->place,
                                      "the pair of materials %s, %s is not given, so the overlap under "
                                      "load is unknown\nadd the pair to `pairs`",
                                      rps_world_material(p->world, own).name, rps_world_material(p->world, other).name);
            }
            if (pair->law[RPS_ROLE_NORMAL]->rigid_geometry) return RPS_OK;
        }
    }
    return sink(p, l, load, fmin(half_width_of(p->def), half_width_of(&base->def)), way);
}

rps_status rps_place_shape(const rps_placing *p, bool on_plane, const rps_vec3 *at, double position[3]) {
    const rps_named *base = p->base[0];
    const bool on_sphere = base->radius > 0.0;
    line l = {base->center, on_plane ? base->normal : rps_place_up(p)};
    if (at && on_sphere) l.up = rps_vec3_normalize(rps_vec3_sub(*at, base->center));
    if (!(rps_vec3_norm2(l.up) > 0.5)) {
        return rps_place_fail(p->err, p->place->place, "`at` is the centre of `%s`, so it tells no side", base->name);
    }
    if (at && !on_sphere) { /* start beside the base, so that the distance is short and precise */
        l.start = rps_vec3_add_scaled(*at, -rps_vec3_dot(rps_vec3_sub(*at, base->center), l.up), l.up);
    }
    double way;
    RPS_TRY(place_shape_find_touch(p, &l, &way));
    if (p->rest) RPS_TRY(place_shape_equilibrium(p, &l, &way));
    const rps_vec3 x = rps_vec3_add_scaled(l.start, way, l.up);
    position[0] = x.x;
    position[1] = x.y;
    position[2] = x.z;
    return RPS_OK;
}
