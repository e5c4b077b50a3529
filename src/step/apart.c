/* Paths of bodies, and the notes of pairs that are apart; apart.h has the argument. */
#include "step/apart.h"

#include <math.h>
#include <string.h>

#include "step/step_stages.h"
#include "world/body_shape.h"

/* By how much a gap may fall below what paths allow, over the radii of both bodies: the rim points of a cylinder that
 * stands on a plane jump by 2e-8 of its radius (pair_cylinder_plane.c), all others by rounding. And the rounding of a sum
 * of paths over itself, which has fewer than 1e4 terms of 1e-16 between two of the margins that this adds. */
static const double GAP_JUMP = 1e-7, PATH_ROUNDED = 1e-12;

/* Contacts along lines reach past the pieces, and images of a sheared cell move on their own. A path of every body costs
 * more than the geometry of few pairs: a crowd of spheres that holds one turning box has none. */
static bool keeps_paths(const rps_world *world) {
    size_t pairs = 0;
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        if (segment->record == RPS_RECORD_FRAME && !world->pair_setup[segment->pair].lines) pairs += segment->count;
    }
    return 4 * pairs >= world->bodies.count && !world->cell.sheared;
}

/* Movement of a body since its path was there (m). A plane has points at any distance. */
static double moved(const rps_bodies *bodies, size_t slot, const rps_body_path *path) {
    const rps_pose *pose = &bodies->pose[slot];
    const double *orientation = bodies->orientation[slot];
    double along2 = 0.0, turn2 = 0.0;
    for (int k = 0; k < 3; k++) {
        const double d = pose->position[k] - path->position[k];
        along2 += d * d;
    }
    for (int k = 0; k < 4; k++) {
        const double d = orientation[k] - path->orientation[k];
        turn2 += d * d;
    }
    if (turn2 == 0.0) return along2 == 0.0 ? 0.0 : sqrt(along2);
    return rps_body_is_plane(bodies, slot) ? INFINITY : sqrt(along2) + 2.0 * sqrt(turn2) * pose->radius[0];
}

typedef struct path_task {
    const rps_bodies *bodies;
    rps_body_path *path;
} path_task;

static void add_to_paths(void *context, rps_part part) {
    const path_task *task = context;
    for (size_t s = part.begin; s < part.end; s++) {
        rps_body_path *path = &task->path[s];
        path->length += moved(task->bodies, s, path);
        memcpy(path->position, task->bodies->pose[s].position, sizeof path->position);
        memcpy(path->orientation, task->bodies->orientation[s], sizeof path->orientation);
    }
}

static rps_status start_paths(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    const size_t count = world->bodies.count;
    contacts->paths = 0;
    RPS_TRY(rps_scratch_fit(world, &contacts->memory.path, count, sizeof *contacts->path, err));
    RPS_TRY(rps_scratch_fit(world, &contacts->memory.apart, contacts->entries, sizeof *contacts->apart, err));
    contacts->path = contacts->memory.path.p;
    contacts->apart = contacts->memory.apart.p;
    contacts->paths = count;
    for (size_t s = 0; s < count; s++) {
        rps_body_path *path = &contacts->path[s];
        path->length = 0.0;
        memcpy(path->position, world->bodies.pose[s].position, sizeof path->position);
        memcpy(path->orientation, world->bodies.orientation[s], sizeof path->orientation);
    }
    memset(contacts->apart, 0, contacts->entries * sizeof *contacts->apart);
    return RPS_OK;
}

rps_status rps_apart_begin(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    const size_t count = world->bodies.count;
    if (!keeps_paths(world)) {
        contacts->paths = 0;
        return RPS_OK;
    }
    if (contacts->paths != count) return start_paths(world, contacts, err);
    path_task task = {&world->bodies, contacts->path};
    rps_parallel_for(rps_step_workers(world, count), count, add_to_paths, &task);
    return RPS_OK;
}

/* m, a gap that every image of the two bodies has; the nearest may change as they move. Bodies that may be large
 * compared to the period have none. */
static double least_gap_of_images(const rps_cell *cell, const rps_bodies_view *bodies, uint32_t i, uint32_t j,
                                  double gap) {
    if (!cell->periodic) return gap;
    const double r_i = bodies->pose[i].radius[0], r_j = bodies->pose[j].radius[0];
    if (!(r_i > 0.0 && r_j > 0.0)) return gap; /* a plane */
    if (bodies->kind[i][0] != RPS_BODY_FREE || bodies->kind[j][0] != RPS_BODY_FREE) return -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double next = cell->half[k] - (r_i + r_j);
        if (cell->period[k] > 0.0 && next < gap) gap = next;
    }
    return gap;
}

void rps_apart_note_entry(rps_contacts *contacts, const rps_cell *cell, const rps_bodies_view *bodies, size_t entry,
                          uint32_t slot_i, uint32_t slot_j, double gap, double range) {
    const double sum = contacts->path[slot_i].length + contacts->path[slot_j].length;
    const double radii = bodies->pose[slot_i].radius[0] + bodies->pose[slot_j].radius[0];
    contacts->apart[entry] = sum + (least_gap_of_images(cell, bodies, slot_i, slot_j, gap) - range) -
                             (GAP_JUMP * radii + PATH_ROUNDED * sum);
}

void rps_apart_note(rps_contacts *contacts, const rps_batch_task *task, const rps_lanes *lanes, size_t first,
                    const uint32_t *index) {
    const rps_evaluation *all = task->all;
    for (int c = 0; c < task->n; c++) {
        if (lanes->touch[c] > 0.5 || lanes->was_contact[c] > 0.5) continue;
        const uint32_t i = task->slot_i[c], j = task->slot_j[c];
        const double smaller = rps_pair_smaller_radius(all->bodies.pose[i].radius[0], all->bodies.pose[j].radius[0]);
        rps_apart_note_entry(contacts, &all->cell, &all->bodies, first + (index != NULL ? index[c] : (size_t)c), i, j,
                             -lanes->gap_overlap[c], task->pair->cutoff * smaller);
    }
}
