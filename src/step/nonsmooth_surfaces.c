/* Surfaces that run, in the nonsmooth stepper: their velocity at the contacts of a step, and the work of their drives. */
#include "base/flush.h"
#include "step/nonsmooth.h"
#include "world/surface_velocity.h"

void rps_nonsmooth_run(const rps_world *world, rps_step_contact *c) {
    for (int k = 0; k < 6; k++) c->run[k] = 0.0;
    for (int k = 0; k < 2 && world->surfaces; k++) {
        const size_t slot = c->slot[k];
        if (!rps_body_runs(world, slot)) continue;
        const rps_drive_state *driven = &world->driven[world->bodies.drive[slot][0]];
        const double end = rps_world_time(world) + world->step;
        const double acts = rps_surface_time(&driven->now, end, world->step);
        const rps_surface_rates rates = rps_surface_mean(driven, end, world->step);
        const double part = (k == 0 ? acts : -acts) / world->step;
        const rps_vec3 v = rps_surface_velocity(driven, &rates, c->branch[k], c->n);
        const rps_vec3 w = rates.turning;
        c->run[1] += part * rps_vec3_dot(v, c->t1);
        c->run[2] += part * rps_vec3_dot(v, c->t2);
        c->run[3] += part * rps_vec3_dot(w, c->n);
        c->run[4] += part * rps_vec3_dot(w, c->t1);
        c->run[5] += part * rps_vec3_dot(w, c->t2);
    }
}

void rps_nonsmooth_book_surfaces(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies) {
    for (size_t k = 0; k < ns->contacts && world->surfaces; k++) {
        const rps_step_contact *c = (const rps_step_contact *)ns->now.contact.p + k;
        const double *r = (const double *)ns->now.impulse.p + 6 * k;
        double work = 0.0;
        for (int q = 1; q < 6; q++) work -= r[q] * c->run[q];
        if (work == 0.0) continue;
        const size_t slot = rps_body_runs(world, c->slot[0]) ? c->slot[0] : c->slot[1];
        bodies->load[slot].work[0] = rps_flush(bodies->load[slot].work[0] + work);
    }
}
