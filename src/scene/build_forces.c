/*
 * Forces from outside of a scene: formulas in the place, velocity, mass, radius and id of a body and the time. They are read
 * once into programs (language/program.h), which the world then owns.
 */
#include <string.h>

#include "base/array.h"
#include "language/expand.h"
#include "language/program.h"
#include "scene/scene_internal.h"
#include "world/world.h"

/* In the order of the numbers that fill_variables writes. */
static const rps_program_variable force_variable[] = {
    {"x", "m"},    {"y", "m"}, {"z", "m"},  {"vx", "m/s"}, {"vy", "m/s"},
    {"vz", "m/s"}, {"t", "s"}, {"m", "kg"}, {"r", "m"},    {"id", ""},
};
enum { FORCE_VARIABLES = sizeof force_variable / sizeof *force_variable, FIRST_VELOCITY = 3 };

typedef struct scene_force {
    rps_program load[6]; /* N or m/s^2, and N m; without steps: 0 */
    bool accelerates;
} scene_force;

static void fill_variables(const rps_force_at *at, double variable[FORCE_VARIABLES]) {
    memcpy(variable, at->position, sizeof at->position);
    memcpy(variable + FIRST_VELOCITY, at->velocity, sizeof at->velocity);
    variable[6] = at->time;
    variable[7] = at->mass;
    variable[8] = at->radius;
    variable[9] = (double)at->id;
}

static void load_of_formulas(void *context, const rps_force_at *at, double force[3], double torque[3]) {
    const scene_force *f = context;
    double variable[FORCE_VARIABLES];
    fill_variables(at, variable);
    for (int k = 0; k < 3; k++) {
        const double value = rps_program_value(&f->load[k], variable);
        force[k] = f->accelerates ? at->mass * value : value;
        torque[k] = rps_program_value(&f->load[3 + k], variable);
    }
}

static void release_formulas(void *context) {
    rps_memory_release(NULL, context, sizeof(scene_force));
}

static rps_status read_force_formula(rps_scene *scene, const rps_node *node, const char *unit, rps_program *program,
                                     rps_error *err) {
    rps_error inner = {.text = ""};
    size_t at = 0;
    const rps_status status =
        rps_program_read(&scene->text->pool, node->text, force_variable, FORCE_VARIABLES, unit, program, &at, &inner);
    if (status == RPS_OK) return RPS_OK;
    if (status != RPS_BAD_INPUT) return rps_fail(err, status, "%s", inner.text);
    const rps_source *source = node->place.source;
    if (source && strstr(source->text, node->text))
        return rps_place_fail(err, rps_place_inside(node, at), "%s", inner.text);
    return rps_place_fail(err, node->place, "%s\nin %.200s", inner.text, node->text); /* braces were replaced */
}

static rps_status read_loads(rps_scene *scene, const rps_node *node, const char *key, const char *unit,
                             rps_program program[3], rps_error *err) {
    const rps_node *list = rps_node_get(node, key);
    for (size_t k = 0; list && k < 3; k++) {
        RPS_TRY(read_force_formula(scene, list->entry[k].value, unit, &program[k], err));
    }
    return RPS_OK;
}

static rps_status read_force(rps_scene *scene, const rps_node *node, scene_force *force, rps_error *err) {
    const rps_node *both = rps_node_get(node, "acceleration");
    if (both && rps_node_get(node, "force")) {
        return rps_place_fail(err, both->place,
                              "give `force` or `acceleration`, which is a force over the mass, not both");
    }
    if (!both && !rps_node_get(node, "force") && !rps_node_get(node, "torque")) {
        return rps_place_fail(err, node->place, "it has no load\ngive `force`, `acceleration` or `torque`");
    }
    force->accelerates = both != NULL;
    RPS_TRY(read_loads(scene, node, "force", "N", force->load, err));
    RPS_TRY(read_loads(scene, node, "acceleration", "m/s^2", force->load, err));
    return read_loads(scene, node, "torque", "N m", force->load + 3, err);
}

static bool sees_velocity(const scene_force *force) {
    bool sees = false;
    for (int k = 0; k < 6; k++) {
        for (int v = 0; v < 3; v++) sees = sees || rps_program_uses(&force->load[k], FIRST_VELOCITY + v);
    }
    return sees;
}

static rps_status add_scene_force(rps_scene *scene, rps_world *world, const rps_node *node, scene_force *force,
                                  rps_error *err) {
    rps_force_def def = rps_force_def_default();
    const rps_node *set = rps_node_get(node, "set");
    def.name = rps_node_text(node, "name");
    def.load = load_of_formulas;
    def.of_velocity = sees_velocity(force);
    def.context = force;
    def.release = release_formulas;
    rps_status status = RPS_OK;
    if (set) {
        const rps_named *named;
        status = rps_scene_reference(scene, set, 2, &named, err);
        if (status == RPS_OK) def.group = named->group;
    }
    if (status == RPS_OK) return rps_place_wrap(err, node->place, rps_world_add_force(world, &def, err));
    release_formulas(force);
    return status;
}

rps_status rps_build_forces(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *list = rps_node_get(scene->text->root, "forces");
    for (size_t k = 0; list && k < list->count; k++) {
        void *made;
        RPS_TRY(rps_memory_alloc_zeroed(NULL, sizeof(scene_force), &made, err));
        const rps_status status = read_force(scene, list->entry[k].value, made, err);
        if (status != RPS_OK) release_formulas(made);
        RPS_TRY(status);
        RPS_TRY(add_scene_force(scene, world, list->entry[k].value, made, err));
    }
    return RPS_OK;
}
