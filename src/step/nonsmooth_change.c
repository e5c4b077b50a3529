/*
 * Contacts of the nonsmooth stepper under other laws or another step. Their memory is the impulse of their springs in a
 * step. A spring that becomes stiffer keeps its extension, as in the penalty stepper, so that its load changes; with
 * another step the load stays and the impulse changes.
 */
#include <math.h>

#include "step/change.h"
#include "step/nonsmooth.h"

static const rps_role role_of[RPS_GROUPS] = {RPS_ROLE_NORMAL, RPS_ROLE_SLIDE, RPS_ROLE_SPIN, RPS_ROLE_ROLL};
static const int stored_as[RPS_GROUPS] = {RPS_STORED_NORMAL, RPS_STORED_SLIDE, RPS_STORED_SPIN, RPS_STORED_ROLL};
static const int lane_of[RPS_GROUPS] = {RPS_IMPULSE_N, RPS_IMPULSE_T, RPS_IMPULSE_SPIN, RPS_IMPULSE_ROLL};
static const int lane_count[RPS_GROUPS] = {1, 3, 1, 3};

enum { ROUNDS = 40 }; /* the load of Hertz at an overlap: each round divides the error by three */

static double change_spring(const rps_pair_setup *pair, int group, const rps_law_contact *contact) {
    rps_law_cone answer = {.stiffness = INFINITY, .restitution = 1.0};
    const rps_role role = role_of[group];
    pair->law[role]->cone(pair->constant[role], contact, &answer);
    return answer.stiffness;
}

/* Stiffnesses of all groups at a load; *overlap: of the normal spring (m). */
static void springs_at(const rps_world *world, const rps_pair_setup *pair, const size_t slot[2], double load,
                       double *overlap, double stiffness[RPS_GROUPS]) {
    rps_law_contact contact;
    rps_contact_measures(world, pair, slot[0], slot[1], NULL, &contact);
    contact.normal_load = load;
    contact.overlap = *overlap;
    stiffness[0] = change_spring(pair, 0, &contact);
    for (int k = 0; *overlap > 0.0 && k < ROUNDS; k++) {
        contact.normal_load = stiffness[0] * *overlap;
        stiffness[0] = change_spring(pair, 0, &contact);
    }
    if (!(*overlap > 0.0)) *overlap = load / stiffness[0];
    contact.normal_stiffness = pair->law[RPS_ROLE_NORMAL]->exponent * stiffness[0];
    contact.contact_radius = sqrt(contact.radius_eff * *overlap);
    for (int group = 1; group < RPS_GROUPS; group++) stiffness[group] = change_spring(pair, group, &contact);
}

static void scale_group(double *state, int group, double load, double energy) {
    for (int k = 0; k < lane_count[group]; k++) state[lane_of[group] + k] *= load;
    state[RPS_IMPULSE_ENERGY + stored_as[group]] *= energy;
}

void rps_nonsmooth_change(const rps_world *world, const rps_pair_setup *then, const rps_pair_setup *now,
                          const size_t slot[2], double *state) {
    const int modes = rps_change_modes(then, now);
    const bool rigid = world->options.nonsmooth.rigid;
    double before[RPS_GROUPS], after[RPS_GROUPS], overlap = 0.0;
    const double load = state[RPS_IMPULSE_N] / world->step;
    if (!rigid && load > 0.0) {
        springs_at(world, then, slot, load, &overlap, before);
        springs_at(world, now, slot, load, &overlap, after);
    }
    for (int group = 0; group < RPS_GROUPS; group++) {
        static const int bit[RPS_GROUPS] = {RPS_MODE_EXISTS, RPS_MODE_SLIDE, RPS_MODE_SPIN, RPS_MODE_ROLL};
        if (group > 0 && !(modes & 1 << bit[group])) {
            scale_group(state, group, 0.0, 0.0);
            continue;
        }
        if (rigid || !(load > 0.0) || !(before[group] < INFINITY) || !(after[group] < INFINITY)) continue;
        const double ratio = before[group] > 0.0 ? after[group] / before[group] : 0.0;
        double share = 1.0; /* of overlap and load that is energy: 1/(exponent + 1) */
        if (group == 0) {
            share = (1.0 + then->law[RPS_ROLE_NORMAL]->exponent) / (1.0 + now->law[RPS_ROLE_NORMAL]->exponent);
        }
        scale_group(state, group, ratio, ratio * share);
    }
}

void rps_nonsmooth_change_step(rps_contacts *contacts, double ratio) {
    for (size_t n = 0; n < contacts->segments; n++) {
        rps_segment *segment = &contacts->segment[n];
        for (int group = 0; group < RPS_GROUPS; group++) {
            for (int k = 0; k < lane_count[group]; k++) {
                double *lane = rps_segment_lane_to_write(segment, lane_of[group] + k);
                for (size_t place = 0; place < segment->count; place++) lane[place] *= ratio;
            }
        }
    }
}
