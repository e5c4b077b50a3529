/* Free places: planes are asked one by one, all else by a grid that spans the whole period of periodic axes. */
#include "scene/free_place.h"

#include "base/array.h"
#include "scene/solid.h"
#include "world/body_shape.h"

typedef struct hit {
    const rps_world *world;
    const double *position;
    double radius;
    bool any;
} hit;

/* Tag of the spheres placed since. */
#define NEW_SPHERE UINT64_MAX

/* The bounding sphere of a body of pieces can extend far beyond it: that of a long wall fills the region. */
static bool found_any(void *context, const rps_near_item *item, double overlap) {
    hit *h = context;
    (void)overlap;
    if (item->tag != NEW_SPHERE && rps_body_has_pieces(&h->world->bodies, item->tag)) {
        const rps_vec3 x = rps_vec3_make(h->position[0], h->position[1], h->position[2]);
        if (rps_ball_gap(h->world, (size_t)item->tag, x, h->radius) > 0.0) return true;
    }
    h->any = true;
    return false;
}

/* True if a sphere at the edge of the box could touch this one, including periodic images. */
static bool reaches_box(const rps_cell *cell, const double box_low[3], const double box_high[3], const double x[3],
                        double reach) {
    for (int k = 0; k < 3; k++) {
        const double low = box_low[k] - reach, high = box_high[k] + reach;
        if (cell->sheared && k == cell->flow) continue; /* its images have any offset along this axis */
        if (cell->period[k] > 0.0) {
            if (rps_cell_next_along(cell, k, x[k], low) > high) return false;
        } else if (x[k] < low || x[k] > high) {
            return false;
        }
    }
    return true;
}

static rps_status note_plane(rps_free_places *o, size_t slot, rps_error *err) {
    const size_t used = o->planes * sizeof slot;
    RPS_TRY(rps_buffer_reserve(o->world->allocator, &o->plane, &o->plane_bytes, used, used + sizeof slot, err));
    ((size_t *)o->plane)[o->planes++] = slot;
    return RPS_OK;
}

void rps_free_places_release(rps_free_places *places) {
    rps_near_release(&places->grid);
    rps_buffer_release(places->world->allocator, &places->plane, &places->plane_bytes);
}

rps_status rps_free_places_find(const rps_world *world, const double low[3], const double high[3], double radius,
                                uint64_t expected, rps_free_places *out, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const double *period = world->cell.period;
    double from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = period[k] > 0.0 ? 0.0 : low[k];
        to[k] = period[k] > 0.0 ? period[k] : high[k];
    }
    *out = (rps_free_places){.world = world};
    RPS_TRY(rps_near_init(&out->grid, from, to, 2.0 * radius, &world->cell, bodies->count + (size_t)expected + 64,
                          world->allocator, err));
    for (size_t s = 0; s < bodies->count; s++) {
        const rps_pose *pose = &bodies->pose[s];
        if (rps_body_is_plane(bodies, s)) {
            RPS_TRY(note_plane(out, s, err));
        } else if (reaches_box(&world->cell, low, high, pose->position, pose->radius[0] + radius)) {
            RPS_TRY(rps_near_add(&out->grid, pose->position, pose->radius[0], s, err));
        }
    }
    return RPS_OK;
}

static bool hits_plane(const rps_free_places *o, const double x[3], double radius) {
    const rps_bodies *bodies = &o->world->bodies;
    const size_t *plane = o->plane;
    for (size_t k = 0; k < o->planes; k++) {
        const double *n = bodies->normal[plane[k]], *p = bodies->pose[plane[k]].position;
        if (((x[0] - p[0]) * n[0] + (x[1] - p[1]) * n[1]) + (x[2] - p[2]) * n[2] < radius) return true;
    }
    return false;
}

bool rps_free_place(const rps_free_places *places, const double x[3], double radius) {
    hit h = {places->world, x, radius, false};
    if (hits_plane(places, x, radius)) return false;
    rps_near_each(&places->grid, x, radius, found_any, &h);
    return !h.any;
}

rps_status rps_free_place_take(rps_free_places *places, const double x[3], double radius, rps_error *err) {
    return rps_near_add(&places->grid, x, radius, NEW_SPHERE, err);
}
