/* Paths of bodies, and the notes of pairs that are apart; apart.h has the argument. */
#include "step/apart.h"

#include <math.h>
#include <string.h>

#include "step/step_stages.h"
#include "world/body_shape.h"

/* Rounding of a gap over the radii of both bodies, and of a sum of paths over itself: far above what either has. */
static const double GAP_ROUNDED = 1e-9, PATH_ROUNDED = 1e-12;

/* Contacts along lines reach past the pieces, and images of a sheared cell move on their own. */
static bool has_notes(const rps_world *world) {
    bool any = false;
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        any = any || (segment->record == RPS_RECORD_FRAME && !world->pair_setup[segment->pair].lines);
    }
    return any && !world->cell.sheared;
}

/* What a body moved since its path was there (m). A plane has points at any distance. */
static double moved(const rps_pose *pose, const double orientation[4], const rps_body_path *path) {
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
    return pose->radius[0] > 0.0 ? sqrt(along2) + 2.0 * sqrt(turn2) * pose->radius[0] : INFINITY;
}

static void add_to_paths(void *context, rps_part part) {
    rps_world *world = context;
    const rps_bodies *bodies = &world->bodies;
    for (size_t s = part.begin; s < part.end; s++) {
        rps_body_path *path = &world->contacts.path[s];
        path->length += moved(&bodies->pose[s], bodies->orientation[s], path);
        memcpy(path->position, bodies->pose[s].position, sizeof path->position);
        memcpy(path->orientation, bodies->orientation[s], sizeof path->orientation);
    }
}

rps_status rps_apart_begin(rps_world *world, rps_error *err) {
    rps_contacts *contacts = &world->contacts;
    const size_t count = world->bodies.count;
    if (!has_notes(world)) {
        contacts->paths = 0;
        return RPS_OK;
    }
    const bool fresh = contacts->paths != count;
    if (fresh) {
        contacts->paths = 0;
        RPS_TRY(rps_scratch_fit(world, &contacts->memory.path, count, sizeof *contacts->path, err));
        RPS_TRY(rps_scratch_fit(world, &contacts->memory.apart, contacts->entries, sizeof *contacts->apart, err));
        contacts->path = contacts->memory.path.p;
        contacts->apart = contacts->memory.apart.p;
        contacts->paths = count;
        memset(contacts->apart, 0, contacts->entries * sizeof *contacts->apart);
    }
    rps_parallel_for(rps_step_workers(world, count), count, add_to_paths, world);
    for (size_t s = 0; fresh && s < count; s++) contacts->path[s].length = 0.0;
    return RPS_OK;
}

/* m, a gap that every image of the two bodies has; the nearest may change as they move. Bodies that may be large
 * compared to the period have none. */
static double gap_of_images(const rps_evaluation *all, uint32_t i, uint32_t j, double gap) {
    const rps_cell *cell = &all->cell;
    if (!cell->periodic) return gap;
    const double r_i = all->bodies.pose[i].radius[0], r_j = all->bodies.pose[j].radius[0];
    const bool plane = !(r_i > 0.0) || !(r_j > 0.0);
    if (plane) return gap;
    if (all->bodies.kind[i][0] != RPS_BODY_FREE || all->bodies.kind[j][0] != RPS_BODY_FREE) return -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double next = cell->half[k] - (r_i + r_j);
        if (cell->period[k] > 0.0 && next < gap) gap = next;
    }
    return gap;
}

void rps_apart_note(rps_contacts *contacts, const rps_batch_task *task, const rps_lanes *lanes, size_t first,
                    const uint32_t *index) {
    const rps_evaluation *all = task->all;
    for (int c = 0; c < task->n; c++) {
        if (lanes->touch[c] > 0.5) continue;
        const uint32_t i = task->slot_i[c], j = task->slot_j[c];
        const double r_i = all->bodies.pose[i].radius[0], r_j = all->bodies.pose[j].radius[0];
        const double sum = contacts->path[i].length + contacts->path[j].length;
        const double gap = gap_of_images(all, i, j, -lanes->gap_overlap[c]);
        const double margin = GAP_ROUNDED * (r_i + r_j) + PATH_ROUNDED * sum;
        contacts->apart[first + (index != NULL ? index[c] : (size_t)c)] =
            sum + (gap - task->pair->cutoff * rps_pair_smaller_radius(r_i, r_j)) - margin;
    }
}
