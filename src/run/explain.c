/* Explains a scene in words and numbers, with every choice about friction and the step. */
#include "run/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/h5.h"
#include "law/arrays.h"
#include "shape/shape.h"

void rps_explain_print(rps_explain_sink *to, const char *fmt, ...) {
    char line[1024];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    to->write(to->context, line);
}

static void tell_size(rps_explain_sink *to, const char *name, const rps_size_range *size, bool round) {
    if (size->count > 0) {
        rps_explain_print(to, "  %-15s %" PRIu64 ", %s " NUMBER " to " NUMBER " m\n", name, size->count,
                          round ? "radii" : "within spheres of", size->smallest, size->largest);
    }
}

static void tell_parameters(rps_explain_sink *to, const rps_scene *scene) {
    const char *name, *value;
    for (size_t k = 0; rps_scene_parameter(scene, k, &name, &value); k++) {
        rps_explain_print(to, "%s  %-15s %s\n", k == 0 ? "Parameters\n" : "", name, value);
    }
    if (rps_scene_parameter(scene, 0, &name, &value)) rps_explain_print(to, "\n");
}

static void tell_fluid(rps_explain_sink *to, const rps_world *world) {
    const rps_fluid *f = &world->fluid;
    double least = INFINITY;
    if (!world->in_fluid) return;
    for (size_t s = 0; s < world->bodies.count; s++) least = fmin(least, rps_world_drag_time(world, s));
    rps_explain_print(to, "  fluid           " NUMBER " kg/m^3, " NUMBER " Pa s, drag %s", f->density, f->viscosity,
                      rps_drag_name(f->drag));
    if (f->drag == RPS_DRAG_DI_FELICE) rps_explain_print(to, " at porosity " NUMBER, f->porosity);
    if (f->level < INFINITY) rps_explain_print(to, ", up to " NUMBER " m", f->level);
    if (rps_vec3_norm2(rps_vec3_of(f->velocity)) > 0.0) {
        rps_explain_print(to, ", at (" NUMBER ", " NUMBER ", " NUMBER ") m/s", f->velocity[0], f->velocity[1],
                          f->velocity[2]);
    }
    if (least < INFINITY) rps_explain_print(to, "; slows a body down in " NUMBER " s or more", least);
    rps_explain_print(to, "\n");
}

static void tell_heat(rps_explain_sink *to, const rps_world *world) {
    const rps_heat *heat = &world->heat.options;
    double least = INFINITY, most = 0.0;
    if (!world->heat.on) return;
    for (size_t s = 0; s < world->bodies.count; s++) {
        least = fmin(least, rps_heat_kelvin(world, s));
        most = fmax(most, rps_heat_kelvin(world, s));
    }
    rps_explain_print(to, "  heat            of friction%s, %s", heat->from_damping ? " and dashpots" : " alone",
                      heat->conduction ? "conducted through contacts" : "without conduction");
    if (most > 0.0) rps_explain_print(to, "; bodies of " NUMBER " to " NUMBER " K", least, most);
    rps_explain_print(to, "\n");
}

static void tell_bodies(rps_explain_sink *to, const rps_run_state *run) {
    const rps_world *world = run->world;
    rps_size_summary c;
    rps_size_summary_make(world, &c);
    uint64_t total = rps_scene_body_total(run->scene), now = rps_world_body_count(world);
    rps_explain_print(to, "Bodies\n");
    rps_explain_print(to,
                      "  at the start    %" PRIu64 ": %" PRIu64 " free, %" PRIu64 " fixed, %" PRIu64 " driven; %" PRIu64
                      " of them planes\n",
                      now, c.kind[RPS_BODY_FREE], c.kind[RPS_BODY_FIXED], c.kind[RPS_BODY_DRIVEN], c.planes);
    if (total > now) {
        rps_explain_print(to, "  added later     %" PRIu64 "\n", total - now);
    }
    for (int shape = 0; shape < RPS_SHAPE_COUNT; shape++) {
        tell_size(to, rps_shape_at(shape)->name, &c.of_shape[shape], rps_shape_is_round(shape));
    }
    tell_size(to, "several pieces", &c.several, false);
    if (now > c.planes) {
        rps_explain_print(to, "  free mass       " NUMBER " kg\n", c.mass);
    }
    for (int g = 1; rps_world_group_name(world, g); g++) {
        uint64_t members = 0;
        for (size_t s = 0; s < world->bodies.count; s++) {
            members += *world->bodies.group[s] == g;
        }
        rps_explain_print(to, "  named %-9s %" PRIu64 " now\n", rps_world_group_name(world, g), members);
    }
    if (world->options.dimension == 2) {
        rps_explain_print(to, "  planar          x-z, depth " NUMBER " m: masses and loads are of that length\n",
                          world->options.depth);
    }
    const double *gravity = world->options.gravity, *period = world->cell.period;
    rps_explain_print(to, "  gravity         (" NUMBER ", " NUMBER ", " NUMBER ") m/s^2\n", gravity[0], gravity[1],
                      gravity[2]);
    tell_fluid(to, world);
    tell_heat(to, world);
    if (world->cell.periodic) {
        rps_explain_print(to, "  periods         (" NUMBER ", " NUMBER ", " NUMBER ") m, 0: open\n", period[0],
                          period[1], period[2]);
    }
    if (world->cell.sheared) {
        rps_explain_print(to,
                          "  shear           rate " NUMBER
                          " /s, flow along %c, gradient along %c; faces part at " NUMBER " m/s\n",
                          world->shear.rate, "xyz"[world->cell.flow], "xyz"[world->cell.gradient], world -> cell.speed);
    }
}

/* The label of a group in a list; bodies without a name have no group. */
static const char *group_word(const rps_world *world, int group, char *out, size_t bytes) {
    const char *name = rps_world_group_name(world, group);
    snprintf(out, bytes, name && *name ? "`%.60s`" : "bodies without a name", name);
    return out;
}

/* Contacts between fixed or driven bodies. */
static void tell_held(rps_explain_sink *to, const rps_world *world) {
    const rps_bodies *bodies = &world->bodies;
    char a[80], b[80];
    size_t held = 0;
    for (size_t s = 0; s < bodies->count; s++) held += bodies->kind[s][0] != RPS_BODY_FREE;
    if (held < 2) return;
    const char *head = "  fixed, driven ";
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        if (bodies->kind[s][0] == RPS_BODY_FREE || !rps_body_feels_forces(world, s)) continue;
        rps_explain_print(to, "%-16s  %s seeks a load: it touches fixed and driven bodies but what `exclude` names\n",
                          head, rps_body_name(world, s, a, sizeof a));
        head = "";
    }
    for (int i = 0; world->rule && (size_t)i < world->groups; i++) {
        for (int j = i; (size_t)j < world->groups; j++) {
            if (rps_world_rule(world, i, j) != RPS_RULE_INCLUDED) continue;
            rps_explain_print(to, "%-16s  %s touches %s by `contacts`\n", head, group_word(world, i, a, sizeof a),
                              group_word(world, j, b, sizeof b));
            head = "";
        }
    }
    rps_explain_print(to, "%-16s  no %scontacts of each other\n", head, *head ? "" : "other ");
}

static void tell_materials(rps_explain_sink *to, const rps_world *world) {
    rps_explain_print(to, "\nMaterials\n");
    for (int i = 0; i < rps_world_material_count(world); i++) {
        rps_material m = rps_world_material(world, i);
        rps_explain_print(to, "  %-15s", m.name);
        const struct {
            const char *name, *unit;
            double value;
        } part[] = {{"young", " Pa", m.young}, {"poisson", "", m.poisson}, {"density", " kg/m^3", m.density}};
        for (int k = 0; k < 3; k++) {
            if (isnan(part[k].value)) {
                rps_explain_print(to, " %s not given", part[k].name);
            } else if (isinf(part[k].value)) {
                rps_explain_print(to, " rigid");
            } else {
                rps_explain_print(to, " %s " NUMBER "%s", part[k].name, part[k].value, part[k].unit);
            }
            rps_explain_print(to, k < 2 ? "," : "\n");
        }
    }
}

static void tell_form(rps_explain_sink *to, const rps_form *form, rps_tension tension) {
    rps_form symmetric = rps_form_symmetric(), paper = rps_form_paper();
    const char *name = memcmp(form, &symmetric, sizeof *form) == 0 ? "symmetric"
                       : memcmp(form, &paper, sizeof *form) == 0   ? "paper"
                                                                   : "mixed";
    rps_explain_print(
        to, "    form     %s: frame %s, path %s, history %s, carry %s, damper %s with %s mass, caps from the %s load\n",
        name, form->frame == RPS_FRAME_MID ? "mid" : "lower", form->path == RPS_PATH_COMMON ? "common" : "surface",
        form->history == RPS_HISTORY_SHARED ? "shared" : "per body",
        form->carry == RPS_CARRY_LENGTH ? "length" : "angle", form->damper == RPS_DAMPER_LIMITED ? "limited" : "free",
        form->damper_mass == RPS_DAMPER_MASS_EFFECTIVE ? "effective" : "average",
        form->cap_load == RPS_CAP_TOTAL ? "total" : "elastic");
    rps_explain_print(to, "    tension  %s\n", tension == RPS_TENSION_CUT ? "cut" : "allowed");
}

static const rps_law_parameter *parameter_of(const rps_world *world, const rps_pair_value *value) {
    const rps_law *law = rps_world_find_law(world, value->role, value->law);
    for (int k = 0; law && k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        if (strcmp(law->parameter[k].name, value->parameter) == 0) {
            return &law->parameter[k];
        }
    }
    return NULL;
}

/* Word number `index` of "a|b|c". */
static bool choice_of(const char *choices, int index, char *word, size_t capacity) {
    for (; choices && index > 0; index--) {
        choices = strchr(choices, '|');
        choices = choices ? choices + 1 : NULL;
    }
    if (!choices) {
        return false;
    }
    snprintf(word, capacity, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

/* Which laws of the pair the nonsmooth stepper takes, and under which conditions. */
static void tell_stepper(rps_explain_sink *to, const rps_pair_setup *setup) {
    bool any = false;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = setup->law[role];
        if (law->cone && !law->nonsmooth) continue;
        rps_explain_print(to, "    %s %s law %s%s%s\n", any ? "         " : "nonsmooth", rps_role_name((rps_role)role),
                          law->name, law->cone ? ": " : " has no form: ", law->nonsmooth ? law->nonsmooth : "");
        any = true;
    }
    if (!any) rps_explain_print(to, "    nonsmooth that stepper takes all of these laws\n");
}

static void tell_pair(rps_explain_sink *to, const rps_run_state *run, int a, int b) {
    const rps_world *world = run->world;
    const char *name[2] = {rps_world_material(world, a).name, rps_world_material(world, b).name};
    char between[160];
    rps_pair_value value[RPS_PAIR_VALUES];
    size_t count = rps_world_pair_values(world, a, b, value, RPS_PAIR_VALUES);
    const rps_pair_setup *setup = rps_world_pair_of(world, a, b);
    const bool by_default = rps_scene_pair_by_default(run->scene, name[0], name[1], between, sizeof between);
    rps_explain_print(to, "  %s on %s%s%s\n", name[0], name[1], by_default ? ", of between: " : "", between);
    int before = -1;
    for (size_t i = 0; i < count && i < RPS_PAIR_VALUES; i++) {
        const rps_pair_value *v = &value[i];
        if ((int)v->role != before) {
            bool off = rps_law_is_idle(setup->law[v->role]);
            rps_explain_print(to, "    %-8s %s\n", rps_role_name(v->role), off ? "OFF (none)" : v->law);
            before = (int)v->role;
        }
        if (!v->parameter) {
            continue;
        }
        if (isnan(v->value)) {
            continue; /* unused: another parameter replaces it */
        }
        const rps_law_parameter *parameter = parameter_of(world, v);
        const char *rule = rps_scene_pair_mix(run->scene, name[0], name[1], v->role, v->parameter);
        char word[32];
        if (parameter && choice_of(parameter->choices, (int)v->value, word, sizeof word)) {
            rps_explain_print(to, "      %-22s %s   %s\n", v->parameter, word, v->given ? "given" : "default");
        } else {
            rps_explain_print(to, "      %-22s " NUMBER "%s%s   %s%s\n", v->parameter, v->value, v->unit[0] ? " " : "",
                              v->unit,
                              rule       ? "mixed: "
                              : v->given ? "given"
                                         : "default",
                              rule ? rule : "");
        }
    }
    rps_explain_adhesion(to, run, setup);
    rps_explain_bridges(to, run, setup);
    tell_form(to, &setup->effective.form, setup->effective.tension);
    tell_stepper(to, setup);
    if (setup->effective.wear > 0.0) {
        rps_explain_print(to, "    wear     Archard, " NUMBER " 1/Pa\n", setup->effective.wear);
    }
}

static void tell_pairs(rps_explain_sink *to, const rps_run_state *run) {
    const rps_world *world = run->world;
    int materials = rps_world_material_count(world);
    rps_explain_print(to, "\nPairs of materials (effective values)\n");
    for (int a = 0; a < materials; a++) {
        for (int b = a; b < materials; b++) {
            if (rps_world_has_pair(world, a, b)) {
                tell_pair(to, run, a, b);
            }
        }
    }
}

/* The contacts that the limit assumes. */
static void tell_expected(rps_explain_sink *to, const rps_step_limit *limit) {
    rps_explain_print(to, "  expected        %d contact%s of a body with such others, overlap " NUMBER " m, ",
                      limit->contacts, limit->contacts == 1 ? "" : "s", limit->overlap);
    if (limit->speed > 0.0) {
        rps_explain_print(to, "of an impact at " NUMBER " m/s\n", limit->speed);
    } else if (limit->load > 0.0) {
        rps_explain_print(to, "under a load of " NUMBER " N\n", limit->load);
    } else {
        rps_explain_print(to, "of the start or 1 %% of R_eff\n");
    }
    if (limit->rolling_radius > 0.0) {
        rps_explain_print(to,
                          "  faces           between which levers are at most " NUMBER
                          " m; contacts may have far less: a longer step can be given, the guard watches\n",
                          limit->rolling_radius);
    }
}

static void tell_step(rps_explain_sink *to, const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    const rps_step_limit *limit = &plan->limit;
    double step = run->world->step;
    rps_explain_print(to, "\nTime step\n");
    rps_explain_print(to, "  step            " NUMBER " s, %s\n", step,
                      plan->step_chosen ? "chosen by the program" : "given");
    if (!plan->step_chosen && plan->step_wanted > 0.0 && plan->step_wanted != step) {
        rps_explain_print(to, "  asked for       " NUMBER " s; lowered so that the end is a whole number of steps\n",
                          plan->step_wanted);
    }
    rps_explain_print(to, "  integrator      %s\n",
                      run->world->options.integrator == RPS_VERLET ? "verlet" : "half-implicit");
    if (!(limit->step > 0.0) || !isfinite(limit->step)) {
        rps_explain_print(to, "  limit           none: no contact with a stiffness can occur\n");
        return;
    }
    rps_explain_print(to, "  largest stable  " NUMBER " s; the step is %.3g of it\n", limit->step, step / limit->step);
    rps_explain_print(to, "  limited by      the %s of the %s mode, %s on %s, ", limit->damping ? "damper" : "spring",
                      rps_step_limit_mode(limit), rps_world_material(run->world, limit->material[0]).name,
                      rps_world_material(run->world, limit->material[1]).name);
    if (limit->id[0] == UINT64_MAX) {
        rps_explain_print(to, "the smallest grains to be poured\n");
    } else {
        char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
        rps_explain_print(to, "%s and %s\n",
                          rps_body_name(run->world, rps_world_slot(run->world, limit->id[0]), a, sizeof a),
                          rps_body_name(run->world, rps_world_slot(run->world, limit->id[1]), b, sizeof b));
    }
    bool turn = limit->role == RPS_ROLE_ROLL || limit->role == RPS_ROLE_SPIN;
    rps_explain_print(to, "                  stiffness " NUMBER " %s, damper " NUMBER " %s, %s " NUMBER " %s\n",
                      limit->stiffness, turn ? "N m/rad" : "N/m", limit->damper, turn ? "N m s/rad" : "N s/m",
                      turn ? "inertia" : "mass", limit->mass, turn ? "kg m^2" : "kg");
    if (!limit->bond) tell_expected(to, limit);
}

static void tell_changes(rps_explain_sink *to, const rps_scene *scene, int stage) {
    char text[320];
    for (size_t k = 0; rps_scene_change_words(scene, stage, k, text, sizeof text); k++) {
        rps_explain_print(to, "                    %s\n", text);
    }
}

static void tell_stages(rps_explain_sink *to, const rps_scene *scene) {
    const size_t stages = rps_scene_stage_count(scene);
    if (stages > 0) rps_explain_print(to, "\nStages\n");
    for (size_t k = 0; k < stages; k++) {
        rps_stage_info stage;
        char until[160];
        rps_scene_stage(scene, k, &stage);
        rps_scene_stage_until(scene, k, until, sizeof until);
        rps_explain_print(to, "  %-15s until %s\n", stage.name, until);
        tell_changes(to, scene, (int)k);
    }
    char text[320];
    if (rps_scene_change_words(scene, -1, 0, text, sizeof text)) {
        rps_explain_print(to, "\nAt times\n");
        tell_changes(to, scene, -1);
    }
}

static void tell_guards(rps_explain_sink *to, const rps_world *world) {
    static const char *const action[] = {"stop", "warn", "off"};
    const rps_guards *g = &world->options.guards;
    rps_explain_print(to, "\nGuards\n");
    rps_explain_print(to, "  overlap         %s above %g of the smaller radius\n", action[g->action[RPS_GUARD_OVERLAP]],
                      g->overlap);
    rps_explain_print(to, "  motion          %s above %g of the smallest radius, or %g rad, in a step\n",
                      action[g->action[RPS_GUARD_MOTION]], g->motion, g->rotation);
    rps_explain_print(to, "  lost            %s outside (%g, %g, %g) to (%g, %g, %g) m, or behind a plane\n",
                      action[g->action[RPS_GUARD_LOST]], g->low[0], g->low[1], g->low[2], g->high[0], g->high[1],
                      g->high[2]);
    rps_explain_print(to, "  step            %s above %g of the stability limit\n", action[g->action[RPS_GUARD_STABLE]],
                      g->step);
}

/* Bytes per body from the field table, and per contact from the widest layout. */
static double memory_bytes(const rps_world *world, double bodies) {
    double body = sizeof(size_t), lanes = 0.0;
    for (size_t i = 0; i < rps_body_field_count(); i++) {
        const rps_field *field = rps_body_field(i);
        body += (double)(rps_type_bytes(field->type) * (size_t)field->components);
    }
    for (size_t i = 0; i < world->pairs; i++) {
        const rps_layout *layout =
            &world->pair_setup[i].layout[world->options.frames ? RPS_RECORD_FRAME : RPS_RECORD_COMPACT];
        lanes = layout->lanes > lanes ? layout->lanes : lanes;
    }
    double entry =
        8.0 * (lanes + RPS_CONSTANT_LANES) + 4 * sizeof(uint32_t) + 2 * (sizeof(rps_contact_load) + sizeof(uint64_t));
    return bodies * (body + 8.0 * entry + 24.0 * sizeof(uint32_t)); /* 8 listed pairs and 24 candidates per body */
}

static void tell_names(rps_explain_sink *to, const char *head, const char *const *name, size_t count) {
    rps_explain_print(to, "%s", head);
    for (size_t k = 0; k < count; k++) rps_explain_print(to, "%s%s", k ? ", " : "", name[k]);
    rps_explain_print(to, "%s\n", count ? "" : "all fields");
}

static void tell_fields(rps_explain_sink *to, const rps_scene_run *plan) {
    tell_names(to, "    of bodies     ", plan->fields, plan->field_count);
    if (plan->no_contacts) {
        rps_explain_print(to, "    of contacts   none\n");
    } else {
        tell_names(to, "    of contacts   ", plan->contact_fields, plan->contact_field_count);
    }
    if (plan->single) rps_explain_print(to, "    precision     single\n");
}

static void tell_run(rps_explain_sink *to, const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    rps_explain_print(to, "\nRun\n");
    if (plan->until > 0.0) {
        rps_explain_print(to, "  until           " NUMBER " s, %" PRIu64 " steps\n", plan->until, run->sim.last_step);
    } else {
        rps_explain_print(to, "  until           no end in time\n");
    }
    if (plan->rest > 0.0) {
        rps_explain_print(to,
                          "  rest            ends when every free body has less kinetic energy than " NUMBER " m g d\n",
                          plan->rest);
    }
    for (int w = 0; w < RPS_WRITERS; w++) {
        if (!(plan->every[w] > 0.0)) continue;
        rps_explain_print(to, "  %-15s every " NUMBER " s\n", rps_writer_name(w), plan->every[w]);
        if (w == RPS_WRITER_frames) tell_fields(to, plan);
    }
    rps_explain_print(to, "  probes, checks  %zu, %zu\n", rps_scene_probe_count(run->scene),
                      rps_scene_check_count(run->scene));
    rps_explain_print(to, "  threads, isa    %d, %s\n", run->world->threads, rps_isa_name(run->world->isa));
    rps_explain_print(to, "  memory          about %.3g MB\n",
                      1e-6 * memory_bytes(run->world, (double)rps_scene_body_total(run->scene)));
}

rps_status rps_explain(const rps_run_options *options, rps_write_fn write, void *context, rps_error *err) {
    RPS_GIVEN(options);
    RPS_GIVEN(write);
    rps_run_state run;
    rps_status status = rps_run_begin(&run, options, err);
    if (status == RPS_OK) {
        rps_explain_sink to = {write, context};
        if (run.plan->title && run.plan->title[0]) {
            rps_explain_print(&to, "%s\n\n", run.plan->title);
        }
        tell_parameters(&to, run.scene);
        tell_bodies(&to, &run);
        tell_held(&to, run.world);
        rps_explain_running(&to, run.world);
        rps_explain_motions(&to, run.world);
        tell_materials(&to, run.world);
        tell_pairs(&to, &run);
        rps_explain_joints(&to, &run);
        tell_step(&to, &run);
        rps_explain_impact(&to, &run);
        status = rps_explain_meshes(&to, &run, err);
        if (status == RPS_OK) status = rps_explain_fits(&to, &run, err);
        tell_stages(&to, run.scene);
        tell_guards(&to, run.world);
        tell_run(&to, &run);
        if (status == RPS_OK) status = rps_run_rehearse(&run, err);
    }
    rps_run_release(&run);
    return status;
}
