/*
 * The step of a scene and its impacts: steps per impact, errors, overlaps, how to allow a longer step, and the
 * estimated cost of the run.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run/explain.h"
#include "world/body_shape.h"

/* Core seconds per body and step, measured in dense packings of 1,000 (docs/performance.md); of spheres, in a bed of 30,000;
 * of clumps, with eight spheres. Good to a factor of two. A step costs at least LEAST. */
static const double OF_ROUND = 0.08e-6, OF_CLUMPS = 0.2e-6, OF_ELLIPSOID = 0.25e-6, OF_SUPERQUADRIC = 0.9e-6,
                    OF_FLAT = 1.4e-6, OF_CYLINDER = 4e-6, LEAST = 0.5e-6;
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

static double cost_of_shape(int shape) {
    if (rps_shape_is_round(shape)) return OF_ROUND;
    if (shape == RPS_SHAPE_INDEX(ellipsoid)) return OF_ELLIPSOID;
    if (shape == RPS_SHAPE_INDEX(superquadric)) return OF_SUPERQUADRIC;
    return shape == RPS_SHAPE_INDEX(cylinder) ? OF_CYLINDER : OF_FLAT;
}

/* Of a body of several pieces: clumps of spheres cost less than the shape of their most expensive piece. */
static double cost_of_pieces(bool spheres) {
    return spheres ? OF_CLUMPS : OF_FLAT;
}

static bool all_spheres(const rps_world *world, size_t slot) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    const int32_t n = rps_body_piece_count(&world->bodies, slot);
    for (int32_t k = 0; k < n; k++) {
        if (!rps_shape_is_round((int)piece[k].shape)) return false;
    }
    return true;
}

static double cost_of_def(const rps_body_def *def) {
    if (!def->piece) return cost_of_shape(rps_shape_find(def->shape));
    bool spheres = true;
    for (int k = 0; k < def->pieces; k++) spheres &= rps_shape_is_round(rps_shape_find(def->piece[k].shape));
    return cost_of_pieces(spheres);
}

/* Core seconds per step with all bodies, those to be inserted too; fixed and driven bodies cost through the others. */
static double cost_of_step(const rps_run_state *run) {
    const rps_world *world = run->world;
    double cost = LEAST;
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (*world->bodies.kind[s] != RPS_BODY_FREE) continue;
        cost += rps_body_piece_count(&world->bodies, s) > 1 ? cost_of_pieces(all_spheres(world, s))
                                                            : cost_of_shape(rps_body_shape_index(&world->bodies, s));
    }
    for (size_t k = 0; k < rps_scene_insertions(run->scene); k++) {
        rps_insertion_info due;
        rps_scene_insertion_at(run->scene, k, &due);
        cost += (double)(due.count - due.done) * cost_of_def(rps_scene_insertion_body(run->scene, k));
    }
    return cost;
}

static void tell_cost(rps_explain_sink *to, const rps_run_state *run) {
    const rps_world *world = run->world;
    const double bodies = (double)rps_scene_body_total(run->scene);
    if (run->sim.last_step == UINT64_MAX || world->options.stepper != RPS_PENALTY) return;
    const double time = cost_of_step(run) * (double)run->sim.last_step;
    const double threads = bodies < PARALLEL ? 1.0 : (double)world->threads;
    rps_explain_print(
        to, "  cost            about %.2g s on %g core%s, an estimate: %" PRIu64 " steps, all bodies in contact\n",
        time / threads, threads, threads > 1.0 ? "s" : "", run->sim.last_step);
}

void rps_explain_impact(rps_explain_sink *to, const rps_run_state *run) {
    if (run->world->options.stepper == RPS_PENALTY) {
        tell_impact(to, run);
        tell_longer(to, run);
    }
    tell_cost(to, run);
}
