/* summary.json: what was run, with which values, how it ended, and the results of the checks. Everything except the
 * block `machine` is identical for the same scene on any machine. */
#include "run/run_state.h"
#include "scene/fork.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/body.h>

#include "io/file_names.h"
#include "io/json.h"
#include "law/arrays.h"

const char *rps_run_end_name(rps_run_end end) {
    switch (end) {
    case RPS_END_UNTIL:
        return "until";
    case RPS_END_REST:
        return "rest";
    case RPS_END_STAGES:
        return "stages";
    case RPS_END_STOPPED:
        return "stopped";
    case RPS_END_FAILED:
        break;
    }
    return "failed";
}

void rps_summary_fill(rps_run_state *run, rps_run_summary *summary) {
    rps_world *world = run->world;
    summary->end = run->sim.end;
    summary->steps = rps_world_steps(world);
    summary->time = rps_world_time(world);
    summary->step = world->step;
    summary->bodies = rps_world_body_count(world);
    summary->contacts = rps_world_contact_count(world);
    rps_world_hash(world, summary->hash, NULL);
    rps_world_solver(world, &summary->solver);
    summary->has_ledger = world->options.ledger && rps_world_ledger(world, &summary->ledger, NULL) == RPS_OK;
    for (size_t i = 0; i < rps_scene_check_count(run->scene); i++) {
        rps_check_result check;
        bool known = rps_scene_check(run->scene, i, &check, NULL) == RPS_OK;
        summary->checks += !known || check.applies;
        summary->checks_failed += !known || (check.applies && check.judged && !check.passed);
        summary->checks_open += known && check.applies && !check.judged;
    }
    const rps_impact *impact = &run->plan->impact;
    if (impact->speed > 0.0) {
        summary->impact_steps = impact->duration / world->step;
        summary->impact_speed = impact->speed;
        summary->restitution_error = impact->restitution_error;
        summary->balance_error = impact->balance_error;
    }
    summary->wall_seconds = run->stepped;
    summary->steps_per_second = run->stepped > 0.0 ? (double)(summary->steps - run->first_step) / run->stepped : 0.0;
    summary->threads = world->threads;
    summary->isa = rps_isa_name(world->isa);
}

static void write_pairs(rps_json *json, const rps_world *world) {
    int materials = rps_world_material_count(world);
    rps_json_open(json, "pairs", '[', false);
    for (int a = 0; a < materials; a++) {
        for (int b = a; b < materials; b++) {
            if (!rps_world_has_pair(world, a, b)) {
                continue;
            }
            rps_pair_value value[RPS_PAIR_VALUES];
            size_t count = rps_world_pair_values(world, a, b, value, RPS_PAIR_VALUES);
            rps_json_open(json, NULL, '{', false);
            rps_json_open(json, "between", '[', true);
            rps_json_string(json, NULL, rps_world_material(world, a).name);
            rps_json_string(json, NULL, rps_world_material(world, b).name);
            rps_json_close(json, ']');
            rps_json_open(json, "values", '[', false);
            for (size_t i = 0; i < count && i < RPS_PAIR_VALUES; i++) {
                rps_json_open(json, NULL, '{', true);
                rps_json_string(json, "role", rps_role_name(value[i].role));
                rps_json_string(json, "law", value[i].law);
                if (value[i].parameter) {
                    rps_json_string(json, "parameter", value[i].parameter);
                    rps_json_number(json, "value", value[i].value);
                    rps_json_string(json, "unit", value[i].unit);
                    rps_json_boolean(json, "given", value[i].given);
                }
                rps_json_close(json, '}');
            }
            rps_json_close(json, ']');
            rps_json_close(json, '}');
        }
    }
    rps_json_close(json, ']');
}

static void write_impact(rps_json *json, const rps_run_state *run) {
    const rps_impact *impact = &run->plan->impact;
    if (!(impact->speed > 0.0)) return;
    rps_json_open(json, "impact", '{', false);
    rps_json_open(json, "materials", '[', true);
    for (int k = 0; k < 2; k++) rps_json_string(json, NULL, rps_world_material(run->world, impact->material[k]).name);
    rps_json_close(json, ']');
    rps_json_number(json, "speed", impact->speed);
    rps_json_number(json, "duration", impact->duration);
    rps_json_number(json, "steps", impact->duration / run->world->step);
    rps_json_number(json, "restitution", impact->restitution);
    rps_json_number(json, "restitution_error", impact->restitution_error);
    rps_json_number(json, "balance_error", impact->balance_error);
    rps_json_number(json, "overlap", fmax(impact->depth, impact->load_depth) / impact->radius);
    rps_json_close(json, '}');
}

static void write_step(rps_json *json, const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    const rps_step_limit *limit = &plan->limit;
    rps_json_open(json, "step", '{', false);
    rps_json_number(json, "value", run->world->step);
    rps_json_string(json, "unit", "s");
    rps_json_boolean(json, "chosen", plan->step_chosen);
    rps_json_number(json, "wanted", plan->step_wanted > 0.0 ? plan->step_wanted : NAN);
    if (limit->step > 0.0 && isfinite(limit->step)) {
        rps_json_open(json, "limit", '{', false);
        rps_json_number(json, "value", limit->step);
        rps_json_string(json, "mode", rps_step_limit_mode(limit));
        rps_json_string(json, "by", limit->damping ? "damper" : "spring");
        rps_json_open(json, "materials", '[', true);
        for (int k = 0; k < 2; k++) {
            rps_json_string(json, NULL, rps_world_material(run->world, limit->material[k]).name);
        }
        rps_json_close(json, ']');
        if (limit->id[0] != UINT64_MAX) { /* else grains not yet inserted */
            rps_json_open(json, "bodies", '[', true);
            rps_json_integer(json, NULL, limit->id[0]);
            rps_json_integer(json, NULL, limit->id[1]);
            rps_json_close(json, ']');
        }
        rps_json_close(json, '}');
    }
    write_impact(json, run);
    rps_json_close(json, '}');
}

static void write_size(rps_json *json, const char *name, const rps_size_range *size) {
    if (size->count > 0) {
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "shape", name);
        rps_json_integer(json, "count", size->count);
        rps_json_number(json, "smallest_radius", size->smallest);
        rps_json_number(json, "largest_radius", size->largest);
        rps_json_string(json, "unit", "m");
        rps_json_close(json, '}');
    }
}

/* The radius of a body that is not a sphere is that of its bounding sphere about the centre. */
static void write_shapes(rps_json *json, const rps_world *world) {
    rps_size_summary c;
    rps_size_summary_make(world, &c);
    rps_json_open(json, "shapes", '[', false);
    if (c.planes > 0) {
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "shape", "plane");
        rps_json_integer(json, "count", c.planes);
        rps_json_close(json, '}');
    }
    for (int shape = 0; shape < RPS_SHAPE_COUNT; shape++) {
        write_size(json, rps_shape_at(shape)->name, &c.of_shape[shape]);
    }
    write_size(json, "several pieces", &c.several);
    rps_json_close(json, ']');
}

/* Which counts go on with those of the other run, and which begin with this one. */
static void write_counts(rps_json *json, const rps_run_state *run, uint64_t step) {
    if (rps_scene_counts(run->scene) == 0) return;
    for (int anew = 0; anew < 2; anew++) {
        rps_json_open(json, anew ? "counts_begun" : "counts_kept", '[', true);
        for (size_t k = 0; k < rps_scene_counts(run->scene); k++) {
            const char *what, *name;
            char text[128];
            uint64_t begun;
            rps_scene_count_at(run->scene, k, &what, &name, &begun);
            snprintf(text, sizeof text, "%s %.100s", what, name);
            if ((begun == step) == (anew == 1)) rps_json_string(json, NULL, text);
        }
        rps_json_close(json, ']');
    }
}

/* The state from which the run began, if it is that of another. */
static void write_origin(rps_json *json, const rps_run_state *run) {
    const rps_origin *origin = rps_scene_origin(run->scene);
    char hash[40];
    if (!origin) return;
    snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)origin->hash[0],
             (unsigned long long)origin->hash[1]);
    rps_json_open(json, "from", '{', false);
    rps_json_string(json, "run", origin->run);
    if (origin->stage[0]) {
        rps_json_string(json, "stage", origin->stage);
        rps_json_boolean(json, "stage_ended", origin->ended);
    }
    rps_json_number(json, "time", origin->time);
    rps_json_integer(json, "step", origin->step);
    rps_json_string(json, "state_hash", hash);
    write_counts(json, run, origin->step);
    rps_json_close(json, '}');
}

static void write_stages(rps_json *json, const rps_run_state *run) {
    if (rps_scene_stage_count(run->scene) == 0) {
        return;
    }
    rps_json_open(json, "stages", '[', false);
    for (size_t i = 0; i < rps_scene_stage_count(run->scene); i++) {
        rps_stage_info stage;
        rps_scene_stage(run->scene, i, &stage);
        if (!stage.begun) {
            break;
        }
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "name", stage.name);
        rps_json_number(json, "from", stage.from_time);
        if (stage.ended) {
            rps_json_number(json, "to", stage.to_time);
            rps_json_integer(json, "step", stage.to);
            rps_json_string(json, "end", stage.why);
        }
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

static void write_roles(rps_json *json, const char *key, const double value[RPS_ROLE_COUNT],
                        bool (*has)(rps_role role)) {
    rps_json_open(json, key, '{', true);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (has((rps_role)role)) {
            rps_json_number(json, rps_role_name((rps_role)role), value[role]);
        }
    }
    rps_json_close(json, '}');
}

/* Of wet worlds. */
static void write_liquid(rps_json *json, const rps_world *world) {
    rps_liquid_sums sums;
    const bool wet = rps_world_is_wet(world) || world->liquid.films > 0;
    if (!wet || rps_world_liquid_sums(world, &sums, NULL) != RPS_OK) return;
    rps_json_open(json, "liquid", '{', false);
    rps_json_string(json, "unit", "m^3");
    rps_json_number(json, "films", sums.films);
    rps_json_number(json, "bridges", sums.in_bridges);
    rps_json_number(json, "added", sums.added);
    rps_json_number(json, "removed", sums.removed);
    rps_json_integer(json, "bridges_now", sums.bridges);
    rps_json_integer(json, "bridges_formed", sums.formed);
    rps_json_integer(json, "bridges_ruptured", sums.ruptured);
    rps_json_boolean(json, "conserved", rps_world_conserves_liquid(world));
    rps_json_close(json, '}');
}

/* Of worlds that count heat. Friction and free bodies gave the heat that baths took. */
static void write_heat(rps_json *json, const rps_world *world) {
    double sum, least = INFINITY, most = 0.0, taken = 0.0;
    if (!world->heat.on || rps_world_heat_sum(world, &sum, NULL) != RPS_OK) return;
    for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++) {
        double kelvin, heat;
        if (rps_world_temperature(world, id, &kelvin, &heat, NULL) != RPS_OK) return;
        if (world->bodies.kind[s][0] != RPS_BODY_FREE) {
            taken += heat;
        } else {
            least = fmin(least, kelvin);
            most = fmax(most, kelvin);
        }
    }
    rps_json_open(json, "heat", '{', false);
    rps_json_number(json, "dissipated_J", sum);
    rps_json_number(json, "taken_by_baths_J", taken);
    if (most > 0.0) {
        rps_json_number(json, "coldest_free_body_K", least);
        rps_json_number(json, "warmest_free_body_K", most);
    }
    rps_json_close(json, '}');
}

static bool summary_stores(rps_role role) {
    return rps_role_stores(role) && rps_role_stores_as(role) == role;
}

static void write_ledger(rps_json *json, const rps_ledger *ledger, const rps_world *world, rps_ledger_scene scene) {
    rps_json_open(json, "ledger", '{', false);
    rps_json_string(json, "unit", "J");
    rps_json_number(json, "kinetic_translation", ledger->kinetic_translation);
    rps_json_number(json, "kinetic_rotation", ledger->kinetic_rotation);
    rps_json_number(json, "gravity", ledger->gravity);
    write_roles(json, "elastic", ledger->elastic, summary_stores);
    write_roles(json, "dissipated", ledger->dissipated, rps_role_dissipates);
    if (world->meshes > 0) rps_json_number(json, "handover", ledger->handover);
    if (world->bonds.used) {
        rps_json_number(json, "bonds_stored", ledger->bonds_stored);
        rps_json_number(json, "bonds_dissipated", ledger->bonds_dissipated);
    }
    if (scene.immersed) {
        rps_json_number(json, "buoyancy", ledger->buoyancy);
        rps_json_number(json, "drag", ledger->drag);
        rps_json_number(json, "flow", ledger->flow);
    }
    rps_json_number(json, "drives", ledger->drives);
    if (world->cell.sheared) rps_json_number(json, "shear", ledger->shear);
    rps_json_number(json, "start", ledger->start);
    if (scene.removes) rps_json_number(json, "removed", ledger->removed);
    if (scene.changes) rps_json_number(json, "changed", ledger->changed);
    rps_json_number(json, "residual", ledger->residual);
    rps_json_number(json, "residual_relative", rps_ledger_relative(ledger));
    rps_json_close(json, '}');
}

static void write_solver(rps_json *json, const rps_world *world) {
    rps_solver_report report;
    rps_world_solver(world, &report);
    rps_json_open(json, "solver", '{', false);
    rps_json_string(json, "cone", world->options.nonsmooth.cone == RPS_FRICTION_CONVEX ? "convex" : "coulomb");
    rps_json_number(json, "tolerance", world->options.nonsmooth.tolerance);
    rps_json_integer(json, "steps", report.steps);
    rps_json_integer(json, "missed", report.missed);
    rps_json_integer(json, "iterations", report.iterations);
    rps_json_number(json, "worst_residual", report.worst_residual);
    rps_json_integer(json, "refined", report.refined);
    rps_json_integer(json, "gaining", report.gaining);
    rps_json_number(json, "gained", report.gained);
    rps_json_integer(json, "followed", report.followed);
    rps_json_integer(json, "implicit", report.implicit);
    rps_json_integer(json, "rebounds", report.rebounds);
    rps_json_integer(json, "restrained", report.restrained);
    if (world->joints > 0) {
        rps_json_integer(json, "joint_rows", report.joint_rows);
        rps_json_integer(json, "redundant_rows", report.redundant_rows);
    }
    rps_json_close(json, '}');
}

static void summary_write_checks(rps_json *json, rps_scene *scene) {
    rps_json_open(json, "checks", '[', false);
    for (size_t i = 0; i < rps_scene_check_count(scene); i++) {
        rps_check_result check;
        rps_error err;
        bool known = rps_scene_check(scene, i, &check, &err) == RPS_OK;
        if (known && !check.applies) {
            continue;
        }
        rps_json_open(json, NULL, '{', true);
        if (known) {
            rps_json_string(json, "check", check.name);
            rps_json_number(json, "expected", check.expected);
            rps_json_number(json, "measured", check.measured);
            rps_json_number(json, "tolerance", check.tolerance);
            rps_json_string(json, "unit", check.unit);
            rps_json_string(json, "source", check.source);
            if (check.note && check.note[0]) {
                rps_json_string(json, "note", check.note);
            }
        } else {
            rps_json_string(json, "error", err.text);
        }
        const bool open = known && !check.judged;
        rps_json_string(json, "verdict", open ? "not judged" : known && check.passed ? "pass" : "fail");
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

/* The mass that came, and each class of sizes with its part as asked and as it came. */
static void write_supply(rps_json *json, const rps_run_state *run, size_t index) {
    const double mass = rps_scene_insertion_mass(run->scene, index);
    rps_size_part part;
    if (!isnan(mass)) rps_json_number(json, "mass", mass);
    if (!rps_scene_insertion_part(run->scene, index, 0, &part)) return;
    rps_json_string(json, "parts", part.by_mass ? "of mass" : "of number");
    rps_json_open(json, "sizes", '[', false);
    for (size_t c = 0; rps_scene_insertion_part(run->scene, index, c, &part); c++) {
        rps_json_open(json, NULL, '{', true);
        rps_json_number(json, "from", part.from);
        rps_json_number(json, "to", part.to);
        rps_json_integer(json, "number", part.number);
        rps_json_number(json, "asked", part.asked);
        rps_json_number(json, "came", part.came);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

static void write_insertions(rps_json *json, const rps_run_state *run) {
    const size_t count = rps_scene_insertions(run->scene);
    if (count > 0) {
        rps_json_open(json, "pours", '[', false);
    }
    for (size_t i = 0; i < count; i++) {
        rps_insertion_info insertion;
        rps_scene_insertion_at(run->scene, i, &insertion);
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "set", insertion.set);
        rps_json_integer(json, "poured", insertion.done);
        rps_json_integer(json, "of", insertion.count);
        rps_json_number(json, "late", insertion.late);
        rps_json_string(json, "unit", "s");
        write_supply(json, run, i);
        rps_json_close(json, '}');
    }
    if (count > 0) {
        rps_json_close(json, ']');
    }
}

static void write_sinks(rps_json *json, const rps_run_state *run) {
    const size_t count = rps_scene_sinks(run->scene);
    if (count == 0) return;
    rps_json_open(json, "sinks", '[', false);
    for (size_t i = 0; i < count; i++) {
        const char *name;
        double number, mass;
        rps_scene_sink_at(run->scene, i, &name, &number, &mass);
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "name", name);
        rps_json_number(json, "number", number);
        rps_json_number(json, "mass", mass);
        rps_json_string(json, "unit", "kg");
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

/* A run that is stopped or fails takes no final reading: its probes keep their last value. */
static void write_probes(rps_json *json, const rps_run_state *run) {
    const bool whole = run->sim.end != RPS_END_STOPPED && run->sim.end != RPS_END_FAILED;
    rps_json_open(json, "probes", '[', false);
    for (size_t i = 0; i < run->sim.probes; i++) {
        const rps_probe_info *info = rps_scene_probe(run->scene, i);
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "name", info->name);
        rps_json_string(json, "quantity", info->quantity);
        rps_json_number(json, whole ? "final" : "last", run->sim.value[i]);
        if (isnan(run->sim.value[i])) {
            rps_json_string(json, "undefined", rps_scene_probe_absence(run->scene, i));
        }
        rps_json_string(json, "unit", info->unit);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

/* Parameters as they are after settings, and files that the scene includes. */
static void write_parts(rps_json *json, const rps_run_state *run) {
    const char *name, *value;
    if (rps_scene_parameter(run->scene, 0, &name, &value)) {
        rps_json_open(json, "parameters", '{', true);
        for (size_t k = 0; rps_scene_parameter(run->scene, k, &name, &value); k++) rps_json_string(json, name, value);
        rps_json_close(json, '}');
    }
    if (run->plan->includes > 0) {
        rps_json_open(json, "included", '[', true);
        for (size_t k = 0; k < run->plan->includes; k++) rps_json_string(json, NULL, run->plan->included[k].path);
        rps_json_close(json, ']');
    }
}

rps_status rps_summary_write(rps_run_state *run, const rps_run_summary *summary, const char *failure, rps_error *err) {
    const rps_scene_run *plan = run->plan;
    char path[RPS_PATH], hash[40];
    RPS_TRY(rps_path_join(path, run->options->directory, RPS_SUMMARY_FILE, err));
    snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)summary->hash[0],
             (unsigned long long)summary->hash[1]);
    rps_json json;
    rps_json_init(&json, run->allocator);
    rps_json_open(&json, NULL, '{', false);
    rps_json_string(&json, "version", rps_version());
    rps_json_open(&json, "scene", '{', false);
    rps_json_string(&json, "title", plan->title ? plan->title : "");
    rps_json_string(&json, "path", plan->path ? plan->path : "");
    rps_json_string(&json, "variant", run->options->variant ? run->options->variant : "");
    rps_json_open(&json, "set", '[', false);
    for (size_t i = 0; i < run->options->sets; i++) {
        rps_json_string(&json, NULL, run->options->set[i]);
    }
    rps_json_close(&json, ']');
    write_parts(&json, run);
    rps_json_close(&json, '}');
    rps_json_string(&json, "end", rps_run_end_name(run->sim.end));
    if (failure) {
        rps_json_string(&json, "error", failure);
    }
    rps_json_number(&json, "time", summary->time);
    rps_json_integer(&json, "steps", summary->steps);
    write_step(&json, run);
    write_stages(&json, run);
    write_origin(&json, run);
    rps_json_open(&json, "counts", '{', true);
    rps_json_integer(&json, "bodies", summary->bodies);
    rps_json_integer(&json, "contacts", summary->contacts);
    rps_json_integer(&json, "frames", summary->frames);
    rps_json_integer(&json, "rows", run->written[RPS_WRITER_series].items);
    rps_json_close(&json, '}');
    write_shapes(&json, run->world);
    rps_json_string(&json, "state_hash", hash);
    write_pairs(&json, run->world);
    if (summary->has_ledger) {
        write_ledger(&json, &summary->ledger, run->world, rps_run_ledger_scene(run->scene));
    }
    write_liquid(&json, run->world);
    write_heat(&json, run->world);
    if (run->world->options.stepper == RPS_NONSMOOTH) {
        write_solver(&json, run->world);
    }
    rps_json_open(&json, "warnings", '[', false);
    for (int k = 0; k < run->warnings; k++) rps_json_string(&json, NULL, run->warn[k]);
    rps_json_close(&json, ']');
    write_insertions(&json, run);
    write_sinks(&json, run);
    write_probes(&json, run);
    summary_write_checks(&json, run->scene);
    rps_json_open(&json, "machine", '{', false);
    rps_json_number(&json, "wall_seconds", summary->wall_seconds);
    rps_json_number(&json, "steps_per_second", summary->steps_per_second);
    rps_json_integer(&json, "threads", (uint64_t)summary->threads);
    rps_json_string(&json, "isa", summary->isa);
    rps_json_close(&json, '}');
    rps_json_close(&json, '}');
    rps_status status = rps_json_save(&json, path, err);
    rps_json_release(&json);
    return status;
}
