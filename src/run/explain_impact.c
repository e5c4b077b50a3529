/*
 * The step of a scene and its impacts: steps per impact, errors, overlaps, how to allow a longer step, and the
 * estimated cost of the run.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run/explain.h"

/* Core seconds per contact and step, measured in dense packings (docs/performance.md; other shapes with 1000 grains,
 * within a factor of two). A step costs at least LEAST. */
static const double OF_SPHERES = 40e-9, OF_PIECES = 1.5e-6, OF_ELLIPSOIDS = 4e-6, OF_SUPERQUADRICS = 75e-6,
                    LEAST = 0.5e-6;
static const double SHALLOW = 0.01; /* overlap/radius of the suggested stiffness */
enum { PARALLEL = 1000 };           /* bodies from which a step is threaded */

static double percent(double part) {
    return 100.0 * part;
}

/* Name of the normal law's parameter that its load is proportional to; NULL if none is known. */
static const char *stiffness_of(const rps_pair_setup *pair, double *value, const char **unit) {
    const rps_law *law = pair->law[RPS_ROLE_NORMAL];
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        const rps_parameter_kind kind = law->parameter[k].kind;
        if (kind != RPS_PARAMETER_STIFFNESS && kind != RPS_PARAMETER_MODULUS) continue;
        *value = pair->effective.value[RPS_ROLE_NORMAL][k];
        *unit = law->parameter[k].unit;
        return law->parameter[k].name;
    }
    return NULL;
}

/* For a load ~ K delta^p the overlap in an impact scales as K^(-1/(p + 1)), under a static load as K^(-1/p). */
static void tell_overlap(rps_explain_sink *to, const rps_run_state *run, const rps_impact *impact) {
    const rps_pair_setup *pair = rps_world_pair_of(run->world, impact->material[0], impact->material[1]);
    const bool loaded = impact->load_depth > impact->depth;
    const double depth = loaded ? impact->load_depth : impact->depth, part = depth / impact->radius;
    const double p = pair->law[RPS_ROLE_NORMAL]->exponent, times = pow(part / SHALLOW, loaded ? p : p + 1.0);
    double value = NAN;
    const char *unit = "";
    rps_explain_print(to, "  largest overlap " NUMBER " m, %.3g %% of the smaller radius, of ", depth, percent(part));
    if (loaded) {
        rps_explain_print(to, "a load of " NUMBER " N on one contact\n", impact->load);
    } else {
        rps_explain_print(to, "an impact\n");
    }
    const char *name = stiffness_of(pair, &value, &unit);
    if (part > SHALLOW && name && value > 0.0) {
        rps_explain_print(to, "                  `%s: %.3g %s`, %.3g times as large, would keep it at %.3g %%\n", name,
                          times * value, unit, times, percent(SHALLOW));
    }
}

static void tell_longer(rps_explain_sink *to, const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    char errors[160];
    if (!plan->step_chosen) {
        if (plan->impact.step > 0.0)
            rps_explain_print(to, "  accuracy        %.3g %% would take a step of " NUMBER " s\n",
                              percent(plan->accuracy), plan->impact.step);
        return;
    }
    const bool accurate = plan->impact.step > 0.0 && plan->impact.step < plan->stable_step;
    if (accurate) {
        rps_impact_words(&plan->stable_impact, errors, sizeof errors);
        rps_explain_print(to, "  accuracy        %.3g %%, which sets the step\n", percent(plan->accuracy));
        if (plan->relaxed_step > 0.0) {
            rps_explain_print(to, "  longer          with `accuracy: %.3g %%` " NUMBER " s\n", percent(plan->relaxed),
                              plan->relaxed_step);
        }
        rps_explain_print(to, "                  with `accuracy: off` " NUMBER " s, %.3g times as long: %s\n",
                          plan->stable_step, plan->stable_step / run->world->step, errors);
    } else if (plan->accuracy > 0.0 && plan->impact.step > 0.0) {
        rps_explain_print(to, "  accuracy        %.3g %%, which the stable step keeps\n", percent(plan->accuracy));
    } else if (!(plan->accuracy > 0.0)) {
        rps_explain_print(to, "  accuracy        off: stability alone sets the step\n");
    }
    if (plan->softer_step > plan->stable_step) {
        rps_explain_print(
            to,
            "  longer          the damper of %s of %s on %s sets the stable step: with `damping: %g` there that would "
            "be " NUMBER " s instead of " NUMBER " s\n",
            rps_role_name(plan->limit.role), rps_world_material(run->world, plan->limit.material[0]).name,
            rps_world_material(run->world, plan->limit.material[1]).name, plan->softer, plan->softer_step,
            plan->stable_step);
    }
}

static void tell_impact(rps_explain_sink *to, const rps_run_state *run) {
    const rps_impact *impact = &run->plan->impact;
    char errors[160];
    rps_explain_print(to, "\nImpacts\n");
    if (!(impact->speed > 0.0)) {
        rps_explain_print(
            to,
            "  expected        none of known speed: nothing is said to fall or to move, so the step is not judged by "
            "its accuracy\n");
        return;
    }
    rps_explain_print(to, "  expected        %s on %s, ", rps_world_material(run->world, impact->material[0]).name,
                      rps_world_material(run->world, impact->material[1]).name);
    if (impact->id[0] == UINT64_MAX) {
        rps_explain_print(to, "the smallest grains to be poured, ");
    } else {
        rps_explain_print(to, "bodies %" PRIu64 " and %" PRIu64 ", ", impact->id[0], impact->id[1]);
    }
    rps_explain_print(to, "at " NUMBER " m/s, the highest speed that velocities, drives and falls let expect\n",
                      impact->speed);
    rps_explain_print(to, "  duration        " NUMBER " s, %.3g steps\n", impact->duration,
                      impact->duration / run->world->step);
    rps_impact_words(impact, errors, sizeof errors);
    rps_explain_print(to, "  with this step  %s\n", errors);
    tell_overlap(to, run, impact);
}

/* Estimated number of contacts: three per body in space, two in a plane, at most the number of pairs. */
static double explain_impact_contacts_of(const rps_world *world, double bodies) {
    const double each = world->options.dimension == 2 ? 2.0 : 3.0;
    return fmin(each * bodies, 0.5 * bodies * (bodies - 1.0));
}

static double cost_of_shape(int shape) {
    if (rps_shape_is_round(shape)) return OF_SPHERES;
    if (shape == RPS_SHAPE_INDEX(superquadric)) return OF_SUPERQUADRICS;
    return shape == RPS_SHAPE_INDEX(ellipsoid) ? OF_ELLIPSOIDS : OF_PIECES;
}

/* Cost in s, averaged over the existing bodies. */
static double cost_of_contact(const rps_size_summary *sizes_found) {
    double bodies = (double)sizes_found->several.count, cost = OF_PIECES * bodies;
    for (int k = 0; k < RPS_SHAPE_COUNT; k++) {
        bodies += (double)sizes_found->of_shape[k].count;
        cost += cost_of_shape(k) * (double)sizes_found->of_shape[k].count;
    }
    return bodies > 0.0 ? cost / bodies : OF_SPHERES;
}

static void tell_cost(rps_explain_sink *to, const rps_run_state *run) {
    const rps_world *world = run->world;
    rps_size_summary sizes_found;
    rps_size_summary_make(world, &sizes_found);
    const double bodies = (double)rps_scene_body_total(run->scene),
                 contacts = explain_impact_contacts_of(world, bodies);
    const double each = cost_of_contact(&sizes_found);
    if (run->sim.last_step == UINT64_MAX || world->options.stepper != RPS_PENALTY) return;
    const double step = LEAST + contacts * each, time = step * (double)run->sim.last_step;
    const double threads = bodies < PARALLEL ? 1.0 : (double)world->threads;
    rps_explain_print(
        to, "  cost            about %.2g s on %g core%s, an estimate: %" PRIu64 " steps, at most %.3g contacts\n",
        time / threads, threads, threads > 1.0 ? "s" : "", run->sim.last_step, contacts);
}

void rps_explain_impact(rps_explain_sink *to, const rps_run_state *run) {
    if (run->world->options.stepper == RPS_PENALTY) {
        tell_impact(to, run);
        tell_longer(to, run);
    }
    tell_cost(to, run);
}
