/*
 * NULL for each argument of each public function that returns a status, with and without an rps_error: RPS_BAD_INPUT
 * with a message that names the function and the argument, or the documented effect for an optional one, but never a
 * crash. The test reads the headers, so a new function needs its line here. Structures with default values, and
 * look-ups without a name, do not crash either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/repose.h>

static const char scene[] = "repose: 1\n"
                            "gravity: [0, 0, -9.81]\n"
                            "materials: {m: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"
                            "pairs:\n"
                            "  - {between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
                            "bodies: [{name: ball, shape: {sphere: {radius: 1 mm}}, material: m}]\n"
                            "probes: {height: {body: ball, quantity: position.z}}\n"
                            "run: {step: 1e-5, until: 1e-4}\n";
static char file[] = "/tmp/repose-null-XXXXXX";

/* The arguments of the calls; new for every call. */
typedef struct stage {
    rps_world *world;
    rps_run_options run;
    rps_material material;
    rps_guards guards;
    rps_pair pair;
    rps_body_def ball;
    rps_mesh_def mesh;
    rps_motion_def motion;
    rps_joint_def joint;
    rps_bond_def bond;
    rps_liquid_sums sums;
    rps_bond_state bond_state;
    rps_law law;
    uint64_t id, hash[2];
    size_t count;
    int index;
    bool found;
    double vector[3], other[3], stress[6];
    rps_contact contact[4];
    rps_joint_state joint_state;
    rps_motor_command motor_command;
    rps_drive_command drive_command;
    rps_ledger ledger;
    rps_shear_state shear;
    rps_step_limit limit;
    rps_extremes extremes;
    rps_view view;
    rps_fluid fluid;
    rps_heat heat;
    rps_force_def force;
    rps_bodies_def bodies;
    rps_hit hit;
    rps_contact_events events;
    const rps_contact *contacts;
    void *user;
    uint64_t ids[1];
    double high[3], quaternion[4];
    rps_scene_options options;
    rps_scene *opened;
    rps_simulation *simulation;
    rps_simulation_state state;
    rps_probe_row probe[2];
    rps_check_row check;
    rps_stage_info stage;
    rps_insertion_info insertion;
    double value;
} stage;

static void write_nothing(void *context, const char *text) {
    (void)context;
    (void)text;
}

static rps_status make_world(const rps_world_options *options, rps_world **world, rps_error *err) {
    const rps_status status = rps_world_create(options, world, err);
    if (world) rps_world_destroy(*world);
    return status;
}

static rps_status open_scene(const rps_scene_options *options, rps_scene **scene_out, rps_error *err) {
    const rps_status status = rps_scene_open(options, scene_out, err);
    if (scene_out) rps_scene_close(*scene_out);
    return status;
}

static rps_status create_simulation(const rps_scene *from, rps_simulation **simulation, rps_error *err) {
    const rps_status status = rps_simulation_create(from, simulation, err);
    if (simulation) rps_simulation_destroy(*simulation);
    return status;
}

/* CALL(function, its pointers in order with ? for optional ones, the call); N(k, p) is NULL if the k-th of them is tried. */
#define N(k, p) (tried == (k) ? NULL : (p))
#define CALLS                                                                                                          \
    CALL(rps_world_create, "options world", make_world(N(0, &options), N(1, &made), err))                              \
    CALL(rps_world_add_material, "world material index?",                                                              \
         rps_world_add_material(N(0, s->world), N(1, &s->material), N(2, &s->index), err))                             \
    CALL(rps_world_set_pair, "world pair", rps_world_set_pair(N(0, s->world), 0, 0, N(1, &s->pair), err))              \
    CALL(rps_world_set_material, "world material", rps_world_set_material(N(0, s->world), 0, N(1, &s->material), err)) \
    CALL(rps_world_set_guards, "world guards", rps_world_set_guards(N(0, s->world), N(1, &s->guards), err))            \
    CALL(rps_world_set_kind, "world id", rps_world_set_kind(N(0, s->world), N(1, &s->id), 1, RPS_BODY_FREE, err))      \
    CALL(rps_world_register_law, "world law", rps_world_register_law(N(0, s->world), N(1, &s->law), err))              \
    CALL(rps_world_add_body, "world def id?", rps_world_add_body(N(0, s->world), N(1, &s->ball), N(2, &s->id), err))   \
    CALL(rps_world_add_mesh, "world def number?",                                                                      \
         rps_world_add_mesh(N(0, s->world), N(1, &s->mesh), N(2, &s->index), err))                                     \
    CALL(rps_world_add_motion, "world def number?",                                                                    \
         rps_world_add_motion(N(0, s->world), N(1, &s->motion), N(2, &s->index), err))                                 \
    CALL(rps_world_set_drive, "world drive", rps_world_set_drive(N(0, s->world), 1, N(1, &s->ball.drive), err))        \
    CALL(rps_world_set_position, "world position", rps_world_set_position(N(0, s->world), 1, N(1, s->vector), err))    \
    CALL(rps_world_set_gravity, "world gravity", rps_world_set_gravity(N(0, s->world), N(1, s->vector), err))          \
    CALL(rps_world_set_thermal, "world", rps_world_set_thermal(N(0, s->world), 0, 1.0, 1.0, err))                      \
    CALL(rps_world_set_heat, "world heat", rps_world_set_heat(N(0, s->world), N(1, &s->heat), err))                    \
    CALL(rps_world_temperature, "world kelvin heat",                                                                   \
         rps_world_temperature(N(0, s->world), 0, N(1, s->vector), N(2, s->vector), err))                              \
    CALL(rps_world_set_temperature, "world", rps_world_set_temperature(N(0, s->world), 0, 300.0, err))                 \
    CALL(rps_world_heat_sum, "world heat", rps_world_heat_sum(N(0, s->world), N(1, s->vector), err))                   \
    CALL(rps_world_add_force, "world def", rps_world_add_force(N(0, s->world), N(1, &s->force), err))                  \
    CALL(rps_world_set_fluid, "world fluid", rps_world_set_fluid(N(0, s->world), N(1, &s->fluid), err))                \
    CALL(rps_world_set_shear_rate, "world", rps_world_set_shear_rate(N(0, s->world), 1.0, err))                        \
    CALL(rps_world_shear_state, "world out", rps_world_shear_state(N(0, s->world), N(1, &s->shear), err))              \
    CALL(rps_world_group, "world name index", rps_world_group(N(0, s->world), N(1, "new"), N(2, &s->index), err))      \
    CALL(rps_world_exclude, "world", rps_world_exclude(N(0, s->world), 0, 0, err))                                     \
    CALL(rps_world_include, "world", rps_world_include(N(0, s->world), 0, 0, err))                                     \
    CALL(rps_world_view, "world field view", rps_world_view(N(0, s->world), N(1, "velocity"), N(2, &s->view), err))    \
    CALL(rps_world_read, "world field id? out",                                                                        \
         rps_world_read(N(0, s->world), N(1, "velocity"), N(2, s->ids), 1, N(3, s->vector), err))                      \
    CALL(rps_world_add_joint, "world def index?",                                                                      \
         rps_world_add_joint(N(0, s->world), N(1, &s->joint), N(2, &s->count), err))                                   \
    CALL(rps_world_joint, "world out", rps_world_joint(N(0, s->world), 0, N(1, &s->joint_state), err))                 \
    CALL(rps_world_command_drive, "world command",                                                                     \
         rps_world_command_drive(N(0, s->world), 0, N(1, &s->drive_command), err))                                     \
    CALL(rps_world_command_motor, "world command",                                                                     \
         rps_world_command_motor(N(0, s->world), 0, N(1, &s->motor_command), err))                                     \
    CALL(rps_world_step, "world", rps_world_step(N(0, s->world), 1, err))                                              \
    CALL(rps_world_start, "world", rps_world_start(N(0, s->world), err))                                               \
    CALL(rps_world_ledger, "world ledger", rps_world_ledger(N(0, s->world), N(1, &s->ledger), err))                    \
    CALL(rps_world_contacts, "world out count",                                                                        \
         rps_world_contacts(N(0, s->world), N(1, s->contact), 4, N(2, &s->count), err))                                \
    CALL(rps_world_pair_contacts, "world out count",                                                                   \
         rps_world_pair_contacts(N(0, s->world), 0, 1, N(1, s->contact), 4, N(2, &s->count), err))                     \
    CALL(rps_world_contact, "world out found",                                                                         \
         rps_world_contact(N(0, s->world), 0, 1, N(1, s->contact), N(2, &s->found), err))                              \
    CALL(rps_world_body_load, "world force torque",                                                                    \
         rps_world_body_load(N(0, s->world), 0, N(1, s->vector), N(2, s->other), err))                                 \
    CALL(rps_world_body_stress, "world stress", rps_world_body_stress(N(0, s->world), 0, N(1, s->stress), err))        \
    CALL(rps_world_step_limit, "world limit", rps_world_step_limit(N(0, s->world), N(1, &s->limit), err))              \
    CALL(rps_world_set_step, "world", rps_world_set_step(N(0, s->world), 1e-5, err))                                   \
    CALL(rps_world_hash, "world hash", rps_world_hash(N(0, s->world), N(1, s->hash), err))                             \
    CALL(rps_pair_law, "pair law", rps_pair_law(N(0, &s->pair), RPS_ROLE_SLIDE, N(1, "tracked"), err))                 \
    CALL(rps_pair_own_law, "pair law", rps_pair_own_law(N(0, &s->pair), N(1, &s->law), err))                           \
    CALL(rps_bond_set, "def name", rps_bond_set(N(0, &s->bond), N(1, "young"), 1.0, err))                              \
    CALL(rps_world_register_bond_law, "world law",                                                                     \
         rps_world_register_bond_law(N(0, s->world), N(1, rps_bond_law_at(0)), err))                                   \
    CALL(rps_world_add_bond, "world def", rps_world_add_bond(N(0, s->world), N(1, &s->bond), err))                     \
    CALL(rps_world_remove_bond, "world", rps_world_remove_bond(N(0, s->world), 0, 1, err))                             \
    CALL(rps_world_bond_at, "world out", rps_world_bond_at(N(0, s->world), 0, N(1, &s->bond_state), err))              \
    CALL(rps_world_bond, "world out", rps_world_bond(N(0, s->world), 0, 1, N(1, &s->bond_state), err))                 \
    CALL(rps_pair_set, "pair parameter", rps_pair_set(N(0, &s->pair), RPS_ROLE_SLIDE, N(1, "static"), 0.5, err))       \
    CALL(rps_pair_set_word, "pair parameter word",                                                                     \
         rps_pair_set_word(N(0, &s->pair), RPS_ROLE_SLIDE, N(1, "static"), N(2, "a"), err))                            \
    CALL(rps_world_body_position, "world position", rps_world_body_position(N(0, s->world), 0, N(1, s->vector), err))  \
    CALL(rps_world_body_orientation, "world orientation",                                                              \
         rps_world_body_orientation(N(0, s->world), 0, N(1, s->quaternion), err))                                      \
    CALL(rps_world_body_velocity, "world velocity", rps_world_body_velocity(N(0, s->world), 0, N(1, s->vector), err))  \
    CALL(rps_world_body_angular_velocity, "world angular_velocity",                                                    \
         rps_world_body_angular_velocity(N(0, s->world), 0, N(1, s->vector), err))                                     \
    CALL(rps_world_set_velocity, "world velocity", rps_world_set_velocity(N(0, s->world), 0, N(1, s->vector), err))    \
    CALL(rps_world_set_angular_velocity, "world angular_velocity",                                                     \
         rps_world_set_angular_velocity(N(0, s->world), 0, N(1, s->vector), err))                                      \
    CALL(rps_world_set_orientation, "world orientation",                                                               \
         rps_world_set_orientation(N(0, s->world), 0, N(1, s->quaternion), err))                                       \
    CALL(rps_world_liquid, "world film", rps_world_liquid(N(0, s->world), 0, N(1, s->vector), err))                    \
    CALL(rps_world_add_liquid, "world", rps_world_add_liquid(N(0, s->world), 0, 0.0, err))                             \
    CALL(rps_world_liquid_sums, "world out", rps_world_liquid_sums(N(0, s->world), N(1, &s->sums), err))               \
    CALL(rps_world_body_user, "world user", rps_world_body_user(N(0, s->world), 0, N(1, &s->user), err))               \
    CALL(rps_world_set_user, "world user?", rps_world_set_user(N(0, s->world), 0, N(1, s), err))                       \
    CALL(rps_world_apply_load, "world force? torque?",                                                                 \
         rps_world_apply_load(N(0, s->world), 0, N(1, s->vector), N(2, s->other), err))                                \
    CALL(rps_world_apply_force_at, "world force point",                                                                \
         rps_world_apply_force_at(N(0, s->world), 0, N(1, s->vector), N(2, s->other), err))                            \
    CALL(rps_world_hold_load, "world force? torque?",                                                                  \
         rps_world_hold_load(N(0, s->world), 0, N(1, s->vector), N(2, s->other), err))                                 \
    CALL(rps_world_apply_loads, "world id?",                                                                           \
         rps_world_apply_loads(N(0, s->world), N(1, s->ids), 1, (rps_array){s->vector, 0}, (rps_array){NULL, 0}, err)) \
    CALL(rps_world_hold_loads, "world id?",                                                                            \
         rps_world_hold_loads(N(0, s->world), N(1, s->ids), 1, (rps_array){s->vector, 0}, (rps_array){NULL, 0}, err))  \
    CALL(rps_world_add_bodies, "world bodies first?",                                                                  \
         rps_world_add_bodies(N(0, s->world), N(1, &s->bodies), N(2, &s->id), err))                                    \
    CALL(rps_world_remove_bodies, "world id", rps_world_remove_bodies(N(0, s->world), N(1, s->ids), 1, err))           \
    CALL(rps_world_bodies_in_box, "world low high id count",                                                           \
         rps_world_bodies_in_box(N(0, s->world), N(1, s->vector), N(2, s->high), N(3, s->ids), 1, N(4, &s->count),     \
                                 err))                                                                                 \
    CALL(rps_world_bodies_in_sphere, "world center id count",                                                          \
         rps_world_bodies_in_sphere(N(0, s->world), N(1, s->vector), 1.0, N(2, s->ids), 1, N(3, &s->count), err))      \
    CALL(rps_world_nearest_body, "world point hit found",                                                              \
         rps_world_nearest_body(N(0, s->world), N(1, s->vector), N(2, &s->hit), N(3, &s->found), err))                 \
    CALL(rps_world_cast_ray, "world origin direction hit found",                                                       \
         rps_world_cast_ray(N(0, s->world), N(1, s->vector), N(2, s->high), 1.0, N(3, &s->hit), N(4, &s->found), err)) \
    CALL(rps_world_contact_view, "world contact count",                                                                \
         rps_world_contact_view(N(0, s->world), N(1, &s->contacts), N(2, &s->count), err))                             \
    CALL(rps_world_contact_events, "world events", rps_world_contact_events(N(0, s->world), N(1, &s->events), err))    \
    CALL(rps_world_save, "world path", rps_world_save(N(0, s->world), N(1, file), err))                                \
    CALL(rps_world_restore, "world path", rps_world_restore(N(0, s->world), N(1, file), err))                          \
    CALL(rps_world_extremes, "world out", rps_world_extremes(N(0, s->world), N(1, &s->extremes), err))                 \
    CALL(rps_scene_open, "options scene", open_scene(N(0, &s->options), N(1, &opened), err))                           \
    CALL(rps_simulation_create, "scene simulation", create_simulation(N(0, s->opened), N(1, &simulated), err))         \
    CALL(rps_simulation_body, "simulation name id",                                                                    \
         rps_simulation_body(N(0, s->simulation), N(1, "ball"), N(2, &s->id), err))                                    \
    CALL(rps_simulation_step, "simulation", rps_simulation_step(N(0, s->simulation), 1, err))                          \
    CALL(rps_simulation_step_until, "simulation", rps_simulation_step_until(N(0, s->simulation), 5e-5, err))           \
    CALL(rps_simulation_finish, "simulation", rps_simulation_finish(N(0, s->simulation), err))                         \
    CALL(rps_simulation_get_state, "simulation state",                                                                 \
         rps_simulation_get_state(N(0, s->simulation), N(1, &s->state), err))                                          \
    CALL(rps_simulation_probe, "simulation name value",                                                                \
         rps_simulation_probe(N(0, s->simulation), N(1, "height"), N(2, &s->value), err))                              \
    CALL(rps_simulation_probes, "simulation rows count",                                                               \
         rps_simulation_probes(N(0, s->simulation), N(1, s->probe), 2, N(2, &s->count), err))                          \
    CALL(rps_simulation_check, "simulation row", rps_simulation_check(N(0, s->simulation), 0, N(1, &s->check), err))   \
    CALL(rps_simulation_stage, "simulation stage", rps_simulation_stage(N(0, s->simulation), 0, N(1, &s->stage), err)) \
    CALL(rps_simulation_insertion, "simulation insertion",                                                             \
         rps_simulation_insertion(N(0, s->simulation), 0, N(1, &s->insertion), err))                                   \
    CALL(rps_simulation_save, "simulation path", rps_simulation_save(N(0, s->simulation), N(1, file), err))            \
    CALL(rps_run, "options summary?", rps_run(N(0, &s->run), N(1, &ran), err))                                         \
    CALL(rps_explain, "options write context?", rps_explain(N(0, &s->run), N(1, write_nothing), N(2, s), err))         \
    CALL(rps_verify, "options summary?", rps_verify(N(0, &verify), N(1, &verified), err))                              \
    CALL(rps_sweep, "options summary?", rps_sweep(N(0, &sweep), N(1, &swept), err))                                    \
    CALL(rps_law_file_load, "path law laws", rps_law_file_load(N(0, file), N(1, &own), N(2, &owns), err))              \
    CALL(rps_audit, "options summary?", rps_audit(N(0, &audit), N(1, &audited), err))                                  \
    CALL(rps_plot, "options", rps_plot(N(0, &plot), err))

#define CALL(name, pointers, expression)                                            \
    static rps_status call_##name(stage *s, int tried, rps_error *err) {            \
        rps_world *made = NULL;                                                     \
        rps_scene *opened = NULL;                                                   \
        rps_simulation *simulated = NULL;                                           \
        rps_run_summary ran;                                                        \
        rps_verify_summary verified;                                                \
        rps_sweep_summary swept;                                                    \
        rps_audit_summary audited;                                                  \
        const rps_law *const *own = NULL;                                           \
        size_t owns = 0;                                                            \
        const rps_world_options options = rps_world_options_default();              \
        const rps_verify_options verify = rps_verify_options_default();             \
        const rps_sweep_options sweep = rps_sweep_options_default();                \
        const rps_plot_options plot = rps_plot_options_default();                   \
        rps_audit_options audit = rps_audit_options_default();                      \
        static const char *const one[] = {"slide.walton"};                          \
        audit.law = one;                                                            \
        audit.laws = 1;                                                             \
        (void)opened, (void)simulated;                                              \
        (void)made, (void)ran, (void)verified, (void)swept, (void)audited, (void)s; \
        (void)options, (void)verify, (void)sweep, (void)plot, (void)audit;          \
        (void)own, (void)owns;                                                      \
        return expression;                                                          \
    }
CALLS
#undef CALL

typedef struct entry {
    const char *name, *pointers;
    rps_status (*call)(stage *s, int tried, rps_error *err);
} entry;

#define CALL(name, pointers, expression) {#name, pointers, call_##name},
static const entry entries[] = {CALLS};
#undef CALL
enum { ENTRIES = sizeof entries / sizeof *entries };

#define MUST(call)                                       \
    do {                                                 \
        rps_error must = {0};                            \
        if ((call) != RPS_OK) fail_msg("%s", must.text); \
    } while (0)

static void no_load(void *context, const rps_force_at *at, double force[3], double torque[3]) {
    (void)context;
    (void)at;
    (void)force;
    (void)torque;
}

static void set_up(stage *s) {
    *s = (stage){.run = rps_run_options_default(), .material = rps_material_default(), .pair = rps_pair_default()};
    s->run.text = scene;
    s->run.text_bytes = sizeof scene - 1;
    s->run.threads = 1;
    rps_world_options options = rps_world_options_default();
    options.threads = 1;
    options.stepper = RPS_NONSMOOTH;
    options.step = 1e-5;
    MUST(rps_world_create(&options, &s->world, &must));
    s->guards = rps_world_options_default().guards;
    s->fluid = rps_fluid_default();
    s->heat = rps_heat_default();
    s->force = rps_force_def_default();
    s->force.name = "push";
    s->force.load = no_load;
    s->material.name = "first";
    s->material.density = 2500.0;
    MUST(rps_world_add_material(s->world, &s->material, NULL, &must));
    s->material.name = "second";
    s->pair.law[RPS_ROLE_NORMAL] = rps_law_find(RPS_ROLE_NORMAL, "hooke");
    s->pair.value[RPS_ROLE_NORMAL][0] = 1e4;
    MUST(rps_world_set_pair(s->world, 0, 0, &s->pair, &must));
    s->ball = rps_body_def_default();
    s->ball.radius = 1e-3;
    for (int k = 0; k < 2; k++) { /* one free, one driven, which touch */
        s->ball.position[0] = k * 1.9e-3;
        s->ball.kind = k ? RPS_BODY_DRIVEN : RPS_BODY_FREE;
        MUST(rps_world_add_body(s->world, &s->ball, NULL, &must));
    }
    static const double corner[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    static const double row_time[2] = {0.0, 1.0}, row_place[2][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    s->motion = rps_motion_def_default();
    s->motion.time = row_time;
    s->motion.rows = 2;
    s->motion.position = row_place;
    s->mesh = rps_mesh_def_default();
    s->mesh.point = corner;
    s->mesh.points = 3;
    s->mesh.triangle = triangle;
    s->mesh.triangles = 1;
    s->bond = rps_bond_def_default();
    s->joint = rps_joint_def_default();
    s->joint.kind = RPS_JOINT_MOTOR;
    s->joint.body[0] = 0;
    s->joint.axis[2] = 1.0;
    s->motor_command = rps_motor_command_default();
    s->drive_command = rps_drive_command_default();
    MUST(rps_world_add_joint(s->world, &s->joint, NULL, &must));
    s->law = *rps_law_find(RPS_ROLE_NORMAL, "hooke");
    s->law.name = "mine";
    rps_world_keep_contacts(s->world, true);
    s->options = rps_scene_options_default();
    s->options.text = scene;
    s->options.text_bytes = sizeof scene - 1;
    s->options.threads = 1;
    MUST(rps_scene_open(&s->options, &s->opened, &must));
    MUST(rps_simulation_create(s->opened, &s->simulation, &must));
    MUST(rps_simulation_step(s->simulation, 1, &must));
}

static void tear_down(stage *s) {
    rps_simulation_destroy(s->simulation);
    rps_scene_close(s->opened);
    rps_world_destroy(s->world);
}

/* Tries one pointer of a function, -1: none; with an error to fill or without. */
static void try(const entry *e, int tried, const char *pointer, bool optional, bool with_error) {
    stage s;
    rps_error err = {.status = RPS_OK};
    char quoted[64];
    set_up(&s);
    const rps_status status = e->call(&s, tried, with_error ? &err : NULL);
    snprintf(quoted, sizeof quoted, "`%s`", pointer);
    const bool refused =
        status == RPS_BAD_INPUT && (!with_error || (strstr(err.text, quoted) && strstr(err.text, e->name)));
    if (tried >= 0 && !optional && !refused) {
        fail_msg("%s with %s NULL: status %s, \"%s\"", e->name, pointer, rps_status_name(status), err.text);
    }
    if ((tried < 0 || optional) && with_error && strstr(err.text, "is NULL")) {
        fail_msg("%s refuses what it need not have: %s", e->name, err.text);
    }
    tear_down(&s);
}

static void each_pointer(void **state) {
    (void)state;
    for (int k = 0; k < ENTRIES; k++) {
        char list[128];
        int tried = 0;
        snprintf(list, sizeof list, "%s", entries[k].pointers);
        try(&entries[k], -1, "", true, true);
        for (char *rest = list, *pointer; (pointer = strtok_r(rest, " ", &rest)); tried++) {
            const size_t length = strlen(pointer);
            const bool optional = pointer[length - 1] == '?';
            if (optional) pointer[length - 1] = '\0';
            try(&entries[k], tried, pointer, optional, true);
            try(&entries[k], tried, pointer, optional, false);
        }
    }
}

static bool is_listed(const char *name) {
    for (int k = 0; k < ENTRIES; k++) {
        if (strcmp(entries[k].name, name) == 0) return true;
    }
    return strcmp(name, "rps_fail") == 0; /* makes the error; its `err` may be NULL */
}

/* Arguments of the declaration after `(` that are pointers, but the last, which is the error. */
static int pointers_of(const char *declaration) {
    int count = 0;
    for (const char *c = declaration; *c && *c != ';'; c++) {
        const bool again = c[-1] == '*' || strncmp(c - 7, "*const ", 7) == 0; /* a pointer to a pointer is one */
        count += (*c == '*' && !again) || *c == '[';
    }
    return count - 1;
}

static void every_function(void **state) {
    int seen = 0;
    (void)state;
    glob_t headers;
    assert_int_equal(glob("include/repose/*.h", 0, NULL, &headers), 0);
    for (size_t h = 0; h < headers.gl_pathc; h++) {
        static char text[100000];
        FILE *in = fopen(headers.gl_pathv[h], "r");
        assert_non_null(in);
        text[fread(text, 1, sizeof text - 1, in)] = '\0';
        fclose(in);
        static const char before[] = "\nRPS_API rps_status ";
        for (char *at = text; (at = strstr(at, before));) {
            char name[64];
            at += sizeof before - 1;
            const size_t length = strcspn(at, "(");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            if (!is_listed(name)) fail_msg("%s of %s has no line in this test", name, headers.gl_pathv[h]);
            for (int k = 0; k < ENTRIES; k++) {
                if (strcmp(entries[k].name, name) != 0) continue;
                int count = 1;
                for (const char *c = entries[k].pointers; *c; c++) count += *c == ' ';
                const int declared = pointers_of(at + length);
                const int functions = strcmp(name, "rps_explain") == 0; /* a callback is declared without a star */
                if (count != declared + functions) fail_msg("%s has %d pointers, tried are %d", name, declared, count);
            }
            seen++;
        }
    }
    globfree(&headers);
    assert_int_equal(seen, ENTRIES + 1);
}

/* A structure that was not filled in is refused with a message. */
static void defaults(void **state) {
    stage s;
    rps_error err;
    (void)state;
    const rps_run_options run = rps_run_options_default();
    const rps_verify_options verify = rps_verify_options_default();
    const rps_sweep_options sweep = rps_sweep_options_default();
    const rps_plot_options plot = rps_plot_options_default();
    const rps_material material = rps_material_default();
    rps_body_def def = rps_body_def_default();
    rps_piece_def piece = rps_piece_def_default();
    set_up(&s);
    assert_int_equal(rps_run(&run, NULL, &err), RPS_BAD_INPUT);
    const rps_scene_options nothing = rps_scene_options_default();
    rps_scene *opened;
    assert_int_equal(rps_scene_open(&nothing, &opened, &err), RPS_BAD_INPUT);
    assert_null(opened);
    assert_int_equal(rps_explain(&run, write_nothing, NULL, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_sweep(&sweep, NULL, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_plot(&plot, &err), RPS_BAD_INPUT);
    rps_verify(&verify, NULL, &err);
    assert_int_equal(rps_world_add_material(s.world, &material, NULL, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_add_body(s.world, &def, NULL, &err), RPS_BAD_INPUT);
    def.shape = NULL;
    assert_int_equal(rps_world_add_body(s.world, &def, NULL, &err), RPS_BAD_INPUT);
    piece.shape = NULL;
    def.piece = &piece;
    def.pieces = 1;
    assert_int_equal(rps_world_add_body(s.world, &def, NULL, &err), RPS_BAD_INPUT);
    s.law.name = NULL;
    assert_int_equal(rps_world_register_law(s.world, &s.law, &err), RPS_BAD_INPUT);
    assert_true(strlen(err.text) > 20);
    tear_down(&s);
}

static void look_ups(void **state) {
    stage s;
    (void)state;
    set_up(&s);
    assert_null(rps_law_find(RPS_ROLE_SLIDE, NULL));
    assert_null(rps_world_find_law(s.world, RPS_ROLE_SLIDE, NULL));
    assert_int_equal(rps_world_find_material(s.world, NULL), -1);
    assert_int_equal(rps_world_find_joint(s.world, NULL), -1);
    assert_null(rps_bond_law_find(NULL));
    assert_string_equal(rps_bond_law_find("beam")->name, rps_bond_law_at(0)->name);
    assert_int_equal(rps_world_pair_values(s.world, 0, 0, NULL, 0) > 0, 1);
    tear_down(&s);
    rps_world_destroy(NULL);
    rps_scene_close(NULL);
    rps_simulation_destroy(NULL);
    assert_null(rps_simulation_world(NULL));
    assert_null(rps_simulation_probe_info(NULL, 0));
    assert_null(rps_scene_variant_name(NULL, 0));
    assert_string_equal(rps_scene_title(NULL), "");
    assert_true(rps_scene_variant_count(NULL) == 0 && rps_simulation_probe_count(NULL) == 0);
    assert_true(rps_simulation_check_count(NULL) == 0 && rps_simulation_stage_count(NULL) == 0);
    assert_true(rps_simulation_insertion_count(NULL) == 0);
}

static int make_file(void **state) {
    (void)state;
    const int fd = mkstemp(file);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_pointer), cmocka_unit_test(every_function),
                                       cmocka_unit_test(defaults), cmocka_unit_test(look_ups)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
