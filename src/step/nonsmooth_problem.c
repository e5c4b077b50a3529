/*
 * The contact problem of the last nonsmooth step as W and q, with its solution: u = W r + q.
 *
 * The velocities before the impulses are gone by then, so q follows from those after them: q = D' v + b + C r - W r. It
 * has the rounding of W r, and what the velocities of the solver miss of those that its impulses give (`solver_momentum`).
 * W is what joints and locked axes leave of the bodies' mobility, and q has what they do without contacts.
 */
#include "step/nonsmooth.h"
#include "step/step_problem.h"

static const int group_of[RPS_CONE_ROWS] = {
    0, RPS_SLIDE_GROUP, RPS_SLIDE_GROUP, RPS_SPIN_GROUP, RPS_ROLL_GROUP, RPS_ROLL_GROUP};

static void find_free_velocities(const rps_nonsmooth *ns, rps_step_problem *p) {
    const rps_cone_contact *cone = ns->now.cone.p;
    rps_cone_product(&p->cone, p->impulse, p->velocity);
    for (size_t k = 0; k < p->cone.rows; k++) {
        const double by = p->velocity[k], compliance = cone[k / RPS_CONE_ROWS].compliance[group_of[k % RPS_CONE_ROWS]];
        p->velocity[k] = p->cone.q[k] + compliance * p->impulse[k];
        p->cone.q[k] = p->velocity[k] - by;
    }
}

rps_status rps_step_problem_make(const rps_world *world, rps_step_problem *p, rps_error *err) {
    const rps_nonsmooth *ns = world->nonsmooth;
    const rps_step_contact *contact = ns->now.contact.p;
    void *memory;
    *p = (rps_step_problem){.impulse = ns->now.impulse.p,
                            .length = ns->kick,
                            .convex = world->options.nonsmooth.cone == RPS_FRICTION_CONVEX};
    if (ns->contacts == 0) return RPS_OK;
    RPS_TRY(rps_cone_system_assemble(ns->system, ns->velocity.p, ns->row_impulse.p, &p->cone, err));
    RPS_TRY(rps_memory_alloc(world->allocator, p->cone.rows * sizeof *p->velocity, &memory, err));
    p->velocity = memory;
    RPS_TRY(rps_memory_alloc(world->allocator, p->cone.contacts * sizeof *p->bodies, &memory, err));
    p->bodies = memory;
    for (size_t k = 0; k < p->cone.contacts; k++) {
        for (int side = 0; side < 2; side++) p->bodies[k][side] = world->bodies.id[contact[k].slot[side]][0];
    }
    find_free_velocities(ns, p);
    return RPS_OK;
}

void rps_step_problem_release(const rps_world *world, rps_step_problem *p) {
    rps_memory_release(world->allocator, p->bodies, p->cone.contacts * sizeof *p->bodies);
    rps_memory_release(world->allocator, p->velocity, p->cone.rows * sizeof *p->velocity);
    rps_cone_problem_release(&p->cone);
    *p = (rps_step_problem){.length = 0.0};
}
