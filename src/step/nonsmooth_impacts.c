/*
 * Impacts that share bodies with other contacts. Newton's rule u = -e u_old in each of them, with friction along the velocities
 * after it, can create energy: with different e, or where one impact presses bodies together that were parting. So the work of
 * all contacts that springs do not account for is summed by islands of bodies. Where it is positive the impacts of the island
 * are solved again with half their restitution, and then with none, which takes energy out.
 */
#include <math.h>

#include "step/nonsmooth.h"

/* Tolerances of the solver, of the work that contacts do either way: less may be its error. */
static const double UNSOLVED = 10.0;

static uint32_t impacts_root(uint32_t *island, uint32_t node) {
    while (island[node] != node) {
        island[node] = island[island[node]];
        node = island[node];
    }
    return node;
}

/* Joins by contacts with a load; the lowest node names an island. */
static void find_islands(const rps_nonsmooth *ns, uint32_t *island) {
    const rps_cone_contact *cone = ns->now.cone.p;
    const double *impulse = ns->now.impulse.p;
    for (size_t k = 0; k <= ns->nodes; k++) island[k] = (uint32_t)k;
    for (size_t k = 0; k < ns->contacts; k++) {
        if (!(impulse[6 * k] > 0.0) || cone[k].node[0] >= ns->nodes || cone[k].node[1] >= ns->nodes) continue;
        const uint32_t a = impacts_root(island, cone[k].node[0]), b = impacts_root(island, cone[k].node[1]);
        island[a > b ? a : b] = a > b ? b : a;
    }
}

static uint32_t island_of(uint32_t *island, const rps_cone_contact *cone, uint32_t nodes) {
    return impacts_root(island, cone->node[0] < nodes ? cone->node[0] : cone->node[1] < nodes ? cone->node[1] : nodes);
}

/* Adds the work of the rows of a contact that have no springs to a sum, and its size (J). */
static void add_loose_work(const rps_nonsmooth *ns, const rps_step_contact *c, const double *r, double sum[2]) {
    static const int group_of[6] = {
        0, RPS_SLIDE_GROUP, RPS_SLIDE_GROUP, RPS_SPIN_GROUP, RPS_ROLL_GROUP, RPS_ROLL_GROUP};
    double u[6];
    rps_contact_velocity(c, ns->trial.p, u);
    for (int k = 0; k < 6; k++) {
        if (!c->impact && c->stiffness[group_of[k]] < INFINITY) continue;
        sum[0] += 0.5 * r[k] * (u[k] + c->was[k]);
        sum[1] += 0.5 * fabs(r[k]) * (fabs(u[k]) + fabs(c->was[k]));
    }
}

rps_status rps_nonsmooth_restrain(const rps_world *world, rps_nonsmooth *ns, size_t *restrained, rps_error *err) {
    rps_step_contact *contact = ns->now.contact.p;
    const rps_cone_contact *cone = ns->now.cone.p;
    const double *impulse = ns->now.impulse.p;
    bool impacts = false;
    *restrained = 0;
    for (size_t k = 0; k < ns->contacts && !impacts; k++) impacts = contact[k].impact;
    if (!impacts) return RPS_OK;
    RPS_TRY(rps_scratch_fit(world, &ns->island, ns->nodes + 1, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->island_work, 2 * (ns->nodes + 1), sizeof(double), err));
    uint32_t *island = ns->island.p;
    double(*work)[2] = ns->island_work.p; /* sum, and of its size */
    find_islands(ns, island);
    for (size_t k = 0; k <= ns->nodes; k++) work[k][0] = work[k][1] = 0.0;
    for (size_t k = 0; k < ns->contacts; k++) {
        if (!(impulse[6 * k] > 0.0)) continue;
        add_loose_work(ns, &contact[k], impulse + 6 * k, work[island_of(island, &cone[k], (uint32_t)ns->nodes)]);
    }
    const double limit = UNSOLVED * world->options.nonsmooth.tolerance;
    for (size_t k = 0; k < ns->contacts; k++) {
        const double *of = work[island_of(island, &cone[k], (uint32_t)ns->nodes)];
        if (!contact[k].impact || !(contact[k].gives_back > 0.0) || !(of[0] > limit * of[1])) continue;
        contact[k].gives_back = contact[k].gives_back > 0.75 ? 0.5 : 0.0;
        rps_nonsmooth_set_bias(world, ns, k);
        (*restrained)++;
    }
    return RPS_OK;
}
