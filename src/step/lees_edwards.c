/*
 * The step of a sheared world (Lees & Edwards 1972).
 *
 * Geometry and tracking see images at their positions at the end of the step. Their relative motion enters dampers
 * through the overlaps and friction through the rotation of the normals, so no law knows of the shear. This file
 * handles the rest: bodies that cross a face, and the work of the moving images.
 *
 *   contacts   The force F on a body from an image n cells up the gradient axis does work on the body below and on the
 *              image, which is faster by n V than the original: the energies of bodies and contacts grow by n F V dt in
 *              a step. The ledger uses the mean of F at both ends of the step, as for the work of drives: the error is
 *              of order dt^2, like that of the kick.
 *   crossings  A body that re-enters with a different velocity has a different kinetic energy. This term is exact.
 *
 * Both sums are exact, so they do not depend on the order of bodies or contacts.
 */
#include "base/flush.h"
#include "detect/detect.h"
#include "step/step_stages.h"

/* Bodies on their way back into the cell. */
typedef struct returning {
    const rps_cell *cell;
    rps_bodies *bodies;        /* written */
    rps_prediction *predicted; /* written; NULL: none */
    rps_lock lock;             /* of the sum */
    rps_exact_sum brought;
} returning;

/* Brings a body back into the cell; returns the kinetic energy that it gains (J). */
static double bring_back(const returning *r, size_t s) {
    const rps_cell *cell = r->cell;
    rps_bodies *bodies = r->bodies;
    double *v = bodies->motion[s].velocity;
    const double before = v[cell->flow];
    (void)rps_cell_wrap(cell, bodies->pose[s].position, v, bodies->image[s]);
    const double now = v[cell->flow];
    if (now == before) return 0.0;
    if (r->predicted != NULL) r->predicted[s].v[cell->flow] += (float)(now - before);
    return 0.5 * bodies->mass[s][0] * ((now - before) * (now + before));
}

static void bring_back_part(void *context, rps_part part) {
    returning *r = context;
    rps_exact_sum mine;
    rps_exact_sum_clear(&mine);
    for (size_t s = part.begin; s < part.end; s++) {
        const double energy = bring_back(r, s);
        if (energy != 0.0) rps_exact_sum_add(&mine, energy);
    }
    rps_lock_take(&r->lock);
    rps_exact_sum_merge(&r->brought, &mine);
    rps_lock_give(&r->lock);
}

rps_status rps_shear_advance(rps_world *world, rps_error *err) {
    if (!world->cell.sheared) return RPS_OK;
    RPS_TRY(rps_shear_set_travel(world, err));
    returning r = {.cell = &world->cell,
                   .bodies = &world->bodies,
                   .predicted = rps_detect_predictions_to_write(world),
                   .lock = RPS_LOCK_OPEN};
    rps_exact_sum_clear(&r.brought);
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, bring_back_part, &r);
    if (world->options.ledger) world->shear.work = rps_flush(world->shear.work + rps_exact_sum_value(&r.brought));
    return RPS_OK;
}

typedef struct image_forces {
    const rps_world *world;
    int workers;
    rps_lock lock;
    rps_exact_sum sum;
} image_forces;

/* Adds the forces along the flow axis across the faces of entries first .. end - 1 of a segment. */
static void add_image_forces(const rps_world *world, const rps_segment *segment, size_t first, size_t end,
                             rps_exact_sum *sum) {
    const rps_cell *cell = &world->cell;
    const rps_contacts *contacts = &world->contacts;
    const rps_pose *pose = world->bodies.pose;
    for (size_t c = first; c < end; c++) {
        if (!contacts->was_active[segment->begin + c]) continue;
        const double up = rps_cell_images_up(cell, pose[segment->slot_i[c]].position[cell->gradient] -
                                                       pose[segment->slot_j[c]].position[cell->gradient]);
        const uint32_t line = contacts->place[segment->begin + c][0];
        if (up != 0.0 && contacts->has_load[line]) rps_exact_sum_add(sum, up * contacts->load[line].force[cell->flow]);
    }
}

/* A part of every segment. */
static void image_forces_part(void *context, int worker) {
    image_forces *f = context;
    const rps_contacts *contacts = &f->world->contacts;
    rps_exact_sum mine;
    rps_exact_sum_clear(&mine);
    for (size_t n = 0; n < contacts->segments; n++) {
        const rps_segment *segment = &contacts->segment[n];
        add_image_forces(f->world, segment, rps_part_begin(segment->count, worker, f->workers),
                         rps_part_begin(segment->count, worker + 1, f->workers), &mine);
    }
    rps_lock_take(&f->lock);
    rps_exact_sum_merge(&f->sum, &mine);
    rps_lock_give(&f->lock);
}

static double image_force(const rps_world *world) {
    const rps_workers workers = rps_step_workers(world, world->bodies.count);
    image_forces f = {.world = world, .workers = workers.count, .lock = RPS_LOCK_OPEN};
    rps_exact_sum_clear(&f.sum);
    rps_parallel_run(workers, image_forces_part, &f);
    return rps_exact_sum_value(&f.sum);
}

void rps_shear_account(rps_world *world, bool first) {
    if (!world->cell.sheared || !world->options.ledger) return;
    rps_shear_memory *shear = &world->shear;
    const double before = shear->image_force;
    shear->image_force = rps_flush(image_force(world));
    if (first) return;
    const double done = 0.5 * world->cell.speed * world->step * (before + shear->image_force);
    shear->work = rps_flush(shear->work + done);
}
