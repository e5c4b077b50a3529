/*
 * Wet pairs: what the bridges of the smallest bodies hold. Adhesive pairs: the pull-off force and the reach of the smallest bodies, which of the theories holds for them (the Tabor number),
 * and whether the step resolves the tear-off.
 */
#include <math.h>
#include <string.h>

#include "law/law_batch.h"
#include "run/explain.h"
#include "run/run_state.h"

static const double EQUILIBRIUM_GAP = 0.3e-9; /* m, z_0 of the Tabor number: that of most solids */
static const double SNAP_STEPS = 20.0;        /* steps over the reach that resolve the tear-off */

/* R_eff of the smallest bodies of two materials; a plane has no curvature. 0: none. */
static double smallest_radius_eff(const rps_world *world, const int material[2]) {
    const rps_bodies *bodies = &world->bodies;
    double least[2] = {INFINITY, INFINITY};
    for (size_t s = 0; s < bodies->count; s++) {
        const double radius = bodies->pose[s].radius[0];
        for (int k = 0; k < 2; k++) {
            if (bodies->material[s][0] == material[k] && radius > 0.0) least[k] = fmin(least[k], radius);
        }
    }
    const double curvature = 1.0 / least[0] + 1.0 / least[1];
    return curvature > 0.0 ? 1.0 / curvature : 0.0;
}

/* A parameter of the normal law by name; NAN: it has none. */
static double parameter_by_name(const rps_pair_setup *pair, const char *name) {
    const rps_law *law = pair->law[RPS_ROLE_NORMAL];
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        if (strcmp(law->parameter[k].name, name) == 0) return pair->effective.value[RPS_ROLE_NORMAL][k];
    }
    return NAN;
}

/* The largest pull as a contact begins. */
static double pull_of(const rps_world *world, const rps_pair_setup *pair, double radius_eff) {
    rps_batch_alone alone;
    rps_batch_alone_open(&alone, 8, 0.0);
    rps_batch_alone_fill_radius(&alone, radius_eff);
    rps_batch_alone_fill(&alone, alone.b.touch, 1.0);
    rps_batch_alone_fill(&alone, alone.b.new_contact, 1.0);
    pair->law[RPS_ROLE_NORMAL]->kernel[world->isa](&alone.b, pair->constant[RPS_ROLE_NORMAL]);
    return alone.b.pull[0];
}

static void tell_tabor(rps_explain_sink *to, const rps_pair_setup *pair, double radius_eff) {
    const double work = parameter_by_name(pair, "work_of_adhesion"),
                 modulus = parameter_by_name(pair, "effective_modulus");
    if (!(work > 0.0 && modulus > 0.0)) return;
    const double ratio = work / (modulus * EQUILIBRIUM_GAP),
                 number = cbrt(radius_eff * ratio * ratio / EQUILIBRIUM_GAP);
    rps_explain_print(to, "      Tabor number           %.3g   %s\n", number,
                      number > 5.0   ? "above 5: `jkr` holds"
                      : number < 0.1 ? "below 0.1: `dmt` holds"
                                     : "between 0.1 and 5: the pull-off lies between `jkr` and `dmt`");
}

void rps_explain_adhesion(rps_explain_sink *to, const rps_run_state *run, const rps_pair_setup *pair) {
    const rps_world *world = run->world;
    if (!(pair->law[RPS_ROLE_NORMAL]->writes & RPS_ARRAY(pull))) return;
    const double radius_eff = smallest_radius_eff(world, pair->material);
    if (!(radius_eff > 0.0)) return;
    const double range = rps_pair_range(pair, false, radius_eff, radius_eff), pull = pull_of(world, pair, radius_eff);
    rps_explain_print(to, "    adhesion of the smallest bodies, R_eff " NUMBER " m\n", radius_eff);
    if (pull > 0.0) rps_explain_print(to, "      pull-off force         " NUMBER " N\n", pull);
    tell_tabor(to, pair, radius_eff);
    if (!(range > 0.0)) return;
    rps_explain_print(to, "      ends at a gap of       " NUMBER " m\n", range);
    const double speed = run->plan->impact.speed, step = range / (SNAP_STEPS * speed);
    if (speed > 0.0 && world->step > step) {
        rps_explain_print(to,
                          "      tear-off               at " NUMBER
                          " m/s a step moves %.3g of that gap; a step of " NUMBER
                          " s resolves it, a longer one errs in the energy lost there\n",
                          speed, speed * world->step / range, step);
    }
}

/* The pull as the surfaces touch: of a bridge that begins to pull there. */
static double bridge_pull_of(const rps_world *world, const rps_pair_setup *pair, double radius_eff, double volume) {
    rps_batch_alone alone;
    rps_batch_alone_open(&alone, 8, 1.0);
    rps_batch_alone_fill_radius(&alone, radius_eff);
    rps_batch_alone_fill(&alone, alone.b.touch, 1.0);
    for (int k = 0; k < 2; k++) rps_batch_alone_fill(&alone, alone.b.radius[k], 2.0 * radius_eff);
    for (int m = 0; m < RPS_LAW_MEMORY && pair->law[RPS_ROLE_BRIDGE]->memory[m].name; m++) {
        if (pair->law[RPS_ROLE_BRIDGE]->memory[m].kind & RPS_MEMORY_LIQUID) {
            rps_batch_alone_fill(&alone, alone.b.memory[m][0], volume);
        }
    }
    pair->law[RPS_ROLE_BRIDGE]->kernel[world->isa](&alone.b, pair->constant[RPS_ROLE_BRIDGE]);
    return -alone.b.bridge_load[0];
}

void rps_explain_bridges(rps_explain_sink *to, const rps_run_state *run, const rps_pair_setup *pair) {
    rps_law_liquid share;
    if (!pair->wet) return;
    const double radius_eff = smallest_radius_eff(run->world, pair->material);
    if (!(radius_eff > 0.0)) return;
    pair->law[RPS_ROLE_BRIDGE]->liquid(pair->constant[RPS_ROLE_BRIDGE], &share);
    const bool fixed = share.share == RPS_LIQUID_FIXED;
    const double volume = fixed ? share.volume : share.largest, wide = 2.0 * radius_eff;
    const double ratio = volume / (wide * wide * wide);
    rps_explain_print(to, "    bridges of the smallest bodies, R_eff " NUMBER " m\n", radius_eff);
    rps_explain_print(to, "      pull at touch          " NUMBER " N, of %s volume, %.3g of (2 R_eff)^3%s\n",
                      bridge_pull_of(run->world, pair, radius_eff, volume), fixed ? "their" : "the largest", ratio,
                      ratio > 0.05 ? ": above .05 these laws do not hold" : "");
    rps_explain_print(to, "      rupture at a gap of    " NUMBER " m%s\n", share.reach * cbrt(volume),
                      fixed ? "; the volume comes from nowhere and is not conserved" : " at most");
}
