/*
 * Balls on meshes in a nonsmooth step: their feet on the surface, found for each pair before rows are chosen.
 *
 * Contacts of this stepper hardly overlap, so the joints of pieces (mesh/reach.h) are out of reach: every foot is a gap of
 * its own. Feet that almost coincide would be two rows for one support; of these the nearest alone is a gap. A foot keeps its
 * slot, and with it its impulses, while its direction in the axes of the mesh changes by no more than the ball moves in a
 * step, seen from the foot; the directions that differ least come first. All that may come near within a step is found at its
 * beginning: feet within the margin and twice the way of the step, and a little more, as impulses change the way.
 */
#include <math.h>

#include "detect/pair_mesh.h"
#include "mesh/corner.h"
#include "step/mesh_pairs.h"
#include "step/nonsmooth.h"

enum { FEET_TRIANGLES = 64, FEET_MOST = 160 };

static const double BEYOND = 0.1;       /* of the body's width, beyond margin and way */
static const double SAME_ANGLE = 0.035; /* rad: two degrees, within which feet are merged */

typedef struct feet_search {
    const rps_world *world;
    rps_contacts *contacts;
    const rps_twist *twist;
    size_t capacity, stride;
    char *work;
} feet_search;

/* The memory of a worker begins with this; triangles and scratch follow. */
typedef struct feet_worker {
    size_t most, crowded;
} feet_worker;

/* A foot of the last step that carries an impulse. */
typedef struct feet_old {
    size_t slot;
    rps_vec3 normal; /* in the axes of the mesh, towards the ball */
    bool goes_on;
} feet_old;

static bool carries(const feet_search *s, const rps_mesh_pair *p, size_t slot) {
    const rps_mesh_entry *entry = &p->entry[slot];
    return rps_segment_get(rps_mesh_segment(s->contacts, entry), RPS_IMPULSE_MODES, entry->place) > 0.5;
}

static void put_foot(const feet_search *s, const rps_mesh_pair *p, size_t slot, const rps_mesh_contact *foot,
                     const rps_mesh_wrench *wrench) {
    const rps_vec3 n = rps_quat_rotate(p->wall->orientation, foot->normal);
    rps_mesh_geometry *out = rps_mesh_geometry_of(s->contacts, &p->entry[slot]);
    *out = (rps_mesh_geometry){.is = RPS_MESH_MEETS, .overlap = foot->overlap, .before = foot->overlap, .gain = 1.0};
    rps_vec3_put(out->normal, p->mesh_is_i ? rps_vec3_neg(n) : n);
    if (p->is_smooth) rps_mesh_wrench_put(s->contacts, p, slot, wrench, foot->point);
}

/* m: how far the ball moves in a step relative to the surface beside it. */
static double way_of(const feet_search *s, const rps_mesh_pair *p) {
    const rps_segment *segment = rps_mesh_segment(s->contacts, p->entry);
    const size_t i = segment->slot_i[p->entry->place], j = segment->slot_j[p->entry->place];
    const rps_twist *body = &s->twist[p->mesh_is_i ? j : i], *wall = &s->twist[p->mesh_is_i ? i : j];
    const rps_vec3 offset = p->mesh_is_i ? p->at.offset_i : p->at.offset_j;
    const rps_vec3 arm = rps_vec3_add(offset, rps_quat_rotate(p->wall->orientation, p->centre));
    const rps_vec3 at_wall = rps_vec3_add(rps_vec3_of(wall->v), rps_vec3_cross(rps_vec3_of(wall->w), arm));
    const rps_vec3 v = rps_vec3_sub(rps_vec3_of(body->v), at_wall);
    const double size = p->body->shape->bounding_radius(p->body->parameter);
    return s->world->step * (rps_vec3_norm(v) + size * rps_vec3_norm(rps_vec3_of(body->w)));
}

static feet_old old_foot(const feet_search *s, const rps_mesh_pair *p, size_t slot) {
    const rps_mesh_entry *entry = &p->entry[slot];
    const rps_segment *segment = rps_mesh_segment(s->contacts, entry);
    const size_t wall = p->mesh_is_i ? segment->slot_i[entry->place] : segment->slot_j[entry->place];
    /* the mesh has turned since then */
    const rps_vec3 turn = rps_vec3_scale(rps_vec3_of(s->twist[wall].w), s->world->step);
    rps_vec3 n = rps_segment_vector(segment, RPS_IMPULSE_NORMAL, entry->place);
    n = rps_quat_rotate(rps_quat_from_rotation_vector(turn), n);
    n = rps_quat_rotate_inverse(p->wall->orientation, p->mesh_is_i ? rps_vec3_neg(n) : n);
    return (feet_old){.slot = slot, .normal = n};
}

/* slot_of[m]: of the old foot that foot m continues, SIZE_MAX: none. `most`: rad. */
static void match_feet(feet_old *old, size_t olds, const rps_mesh_contact *now, size_t feet, double most,
                       size_t *slot_of) {
    for (size_t m = 0; m < feet; m++) slot_of[m] = SIZE_MAX;
    for (;;) {
        double least = most;
        size_t best_old = olds, best = 0;
        for (size_t k = 0; k < olds; k++) {
            for (size_t m = 0; m < feet && !old[k].goes_on; m++) {
                const double by = rps_vec3_norm(rps_vec3_sub(now[m].normal, old[k].normal));
                if (slot_of[m] != SIZE_MAX || !(by < least)) continue;
                least = by;
                best_old = k;
                best = m;
            }
        }
        if (best_old == olds) return;
        old[best_old].goes_on = true;
        slot_of[best] = old[best_old].slot;
    }
}

/* Gives the lowest free slots to new feet; false if there are too few. */
static bool place_feet(const rps_mesh_pair *p, size_t feet, size_t *slot_of) {
    bool taken[FEET_MOST] = {false};
    size_t next = 0;
    for (size_t m = 0; m < feet; m++) {
        if (slot_of[m] != SIZE_MAX) taken[slot_of[m]] = true;
    }
    for (size_t m = 0; m < feet; m++) {
        if (slot_of[m] != SIZE_MAX) continue;
        while (next < p->slots && taken[next]) next++;
        if (next == p->slots) return false;
        slot_of[m] = next++;
    }
    return true;
}

/* The feet within reach of a ball. False: there is not enough memory for all triangles, as the worker notes. */
static bool feet_of(const feet_search *s, const rps_mesh_pair *p, double reach, feet_worker *worker,
                    rps_mesh_contact *now, rps_mesh_wrench *wrench, size_t *feet) {
    char *scratch = (char *)(worker + 1);
    if (p->inner > 0.0) { /* a sharp corner */
        const rps_mesh_from from = {
            .body = rps_quat_rotate_inverse(p->wall->orientation, p->mesh_is_i ? rps_vec3_neg(p->at.d) : p->at.d)};
        rps_mesh_moved moved;
        if (!rps_mesh_move_back(p->wall->mesh, p->centre, reach + p->inner, p->inner, &from, s->capacity, scratch,
                                &moved)) {
            worker->most = 2 * s->capacity;
            return false;
        }
        *feet = rps_mesh_feet(&moved.mesh, p->centre, p->radius + p->inner, reach + p->inner, moved.found, moved.count,
                              scratch + rps_mesh_moved_scratch(s->capacity), now, FEET_MOST);
        return true;
    }
    rps_reached *reached = (rps_reached *)(void *)scratch;
    const double around = p->is_smooth ? reach - p->radius + p->bound : reach;
    const size_t count = rps_mesh_reach(p->wall->mesh, p->centre, around, reached, s->capacity);
    if (count > worker->most) worker->most = count;
    if (count > s->capacity) return false;
    if (p->is_smooth) {
        const size_t near = rps_mesh_smooth_keep(&p->smooth, p->wall->mesh, reach, reached, count, NULL);
        *feet = rps_mesh_smooth_feet(&p->smooth, p->wall->mesh, reach, reached, near, reached + s->capacity, now,
                                     wrench, FEET_MOST);
        return true;
    }
    *feet = rps_mesh_feet(p->wall->mesh, p->centre, p->radius, reach, reached, count, reached + s->capacity, now,
                          FEET_MOST);
    return true;
}

static void find_feet(const feet_search *s, size_t number, feet_worker *worker) {
    rps_mesh_pair p = rps_mesh_pair_at(s->world, s->contacts, number);
    rps_mesh_pair_place(s->world, s->contacts, &p);
    for (size_t k = 0; k < p.slots; k++)
        *rps_mesh_geometry_of(s->contacts, &p.entry[k]) = (rps_mesh_geometry){.is = RPS_MESH_APART};
    const double way = way_of(s, &p), margin = s->world->options.nonsmooth.margin;
    const double size = rps_mesh_body_width(p.body);
    const double reach = p.radius + margin * size + 2.0 * way + BEYOND * size;
    rps_mesh_contact now[FEET_MOST];
    rps_mesh_wrench wrench[FEET_MOST];
    feet_old old[FEET_MOST];
    size_t slot_of[FEET_MOST], olds = 0, feet;
    if (!feet_of(s, &p, reach, worker, now, wrench, &feet)) return;
    if (feet > FEET_MOST) {
        worker->crowded++;
        return;
    }
    for (size_t k = 0; k < p.slots; k++) {
        if (carries(s, &p, k)) old[olds++] = old_foot(s, &p, k);
    }
    match_feet(old, olds, now, feet, SAME_ANGLE + 2.0 * way / (p.radius + p.inner), slot_of);
    if (!place_feet(&p, feet, slot_of)) {
        worker->crowded++;
        return;
    }
    for (size_t m = 0; m < feet; m++) put_foot(s, &p, slot_of[m], &now[m], &wrench[m]);
}

static void find_feet_part(void *context, rps_part part) {
    const feet_search *s = context;
    for (size_t k = part.begin; k < part.end; k++) {
        find_feet(s, k, (feet_worker *)(void *)(s->work + (size_t)part.worker * s->stride));
    }
}

rps_status rps_nonsmooth_meshes(const rps_world *world, const rps_nonsmooth *ns, rps_contacts *contacts, bool *crowded,
                                rps_error *err) {
    *crowded = false;
    if (world->meshes == 0) return RPS_OK;
    RPS_TRY(rps_mesh_pairs_list(world, contacts, err));
    const rps_workers workers = rps_step_workers(world, contacts->mesh.pairs);
    feet_search s = {.world = world, .contacts = contacts, .twist = ns->after.p};
    for (s.capacity = contacts->mesh.triangles > 0 ? contacts->mesh.triangles : FEET_TRIANGLES;;) {
        size_t most = 0;
        s.stride = sizeof(feet_worker) + s.capacity * sizeof(rps_reached) + rps_mesh_contacts_scratch(s.capacity) +
                   rps_mesh_moved_scratch(s.capacity);
        RPS_TRY(rps_scratch_fit(world, &contacts->memory.mesh_work, (size_t)workers.count, s.stride, err));
        s.work = contacts->memory.mesh_work.p;
        for (int k = 0; k < workers.count; k++)
            *(feet_worker *)(void *)(s.work + (size_t)k * s.stride) = (feet_worker){0};
        rps_parallel_for(workers, contacts->mesh.pairs, find_feet_part, &s);
        for (int k = 0; k < workers.count; k++) {
            const feet_worker *result = (const feet_worker *)(void *)(s.work + (size_t)k * s.stride);
            most = result->most > most ? result->most : most;
            *crowded = *crowded || result->crowded > 0;
        }
        if (most <= s.capacity) return RPS_OK;
        contacts->mesh.triangles = s.capacity = most + most / 2;
        *crowded = false;
    }
}
