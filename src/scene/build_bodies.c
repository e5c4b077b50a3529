/* Single bodies, and the names by which they are called. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/internal.h"

/* --- names --------------------------------------------------------------------------------------------------------- */

const rps_named *rps_scene_named(const rps_scene *scene, const char *name) {
    for (size_t i = 0; i < scene->named_count; i++) {
        if (strcmp(scene->named[i].name, name) == 0) return &scene->named[i];
    }
    return NULL;
}

rps_status rps_scene_name(rps_scene *scene, const rps_named *named, rps_error *err) {
    const rps_named *other = rps_scene_named(scene, named->name);
    if (other) {
        return rps_place_fail(err, rps_node_get(named->node, "name")->place,
                              "the name `%s` is taken; the first stands in line %d", named->name,
                              rps_node_get(other->node, "name")->place.line);
    }
    if (scene->named_count == scene->named_room) {
        size_t room = scene->named_room ? 2 * scene->named_room : 16;
        rps_named *grown = rps_pool_take(&scene->pool, room * sizeof *grown, err);
        if (!grown) return RPS_NO_MEMORY;
        if (scene->named_count) memcpy(grown, scene->named, scene->named_count * sizeof *grown);
        scene->named = grown;
        scene->named_room = room;
    }
    scene->named[scene->named_count++] = *named;
    return RPS_OK;
}

rps_status rps_scene_reference(const rps_scene *scene, const rps_node *node, int kind, const rps_named **named,
                               rps_error *err) {
    static const char *const what[3] = {"body or set", "body", "set"};
    *named = rps_scene_named(scene, node->text);
    if (*named && (kind == 0 || (*named)->is_set == (kind == 2))) return RPS_OK;
    const char *names[256];
    char hint[512];
    size_t n = 0;
    for (size_t i = 0; i < scene->named_count && n < 256; i++) {
        if (kind == 0 || scene->named[i].is_set == (kind == 2)) names[n++] = scene->named[i].name;
    }
    return rps_place_fail(err, node->place, "there is no %s `%.60s`%s%s", what[kind], node->text,
                          *named ? (kind == 1 ? "; that is a set" : "; that is a body") : "",
                          rps_suggest(node->text, names, n, hint, sizeof hint));
}

/* --- what bodies and sets have in common --------------------------------------------------------------------------- */

static void read_drive(const rps_node *node, rps_drive *drive) {
    rps_node_vector(node, "velocity", drive->velocity, 3);
    rps_node_vector(node, "angular_velocity", drive->angular_velocity, 3);
    rps_node_vector(node, "amplitude", drive->amplitude, 3);
    drive->frequency = rps_node_number(node, "frequency", 0.0);
    drive->phase = rps_node_number(node, "phase", 0.0);
    drive->from = rps_node_number(node, "from", 0.0);
    drive->until = rps_node_number(node, "until", -1.0);
}

rps_status rps_build_motion(const rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                            rps_error *err) {
    (void)scene;
    const rps_node *drive = rps_node_get(node, "drive"), *fixed = rps_node_get(node, "fixed");
    RPS_TRY(rps_build_material(world, rps_node_get(node, "material"), &def->material, err));
    if (fixed->number[0] != 0.0 && drive) {
        return rps_place_fail(err, drive->place, "a body is fixed or driven, not both");
    }
    def->kind = fixed->number[0] != 0.0 ? RPS_BODY_FIXED : drive ? RPS_BODY_DRIVEN : RPS_BODY_FREE;
    def->locked = rps_node_number(node, "locked", 0.0) != 0.0;
    rps_node_vector(node, "lock_axis", def->lock_axis, 3);
    rps_node_vector(node, "velocity", def->velocity, 3);
    rps_node_vector(node, "angular_velocity", def->angular_velocity, 3);
    if (drive) {
        read_drive(drive, &def->drive);
        const rps_node *until = rps_node_get(drive, "until");
        if (until && until->number[0] < def->drive.from) {
            return rps_place_fail(err, until->place, "the drive ends before it begins at %g s", def->drive.from);
        }
    }
    def->mass = rps_node_number(node, "mass", NAN);
    def->inertia[0] = rps_node_number(node, "inertia", NAN);
    return RPS_OK;
}

/* --- bodies -------------------------------------------------------------------------------------------------------- */

static rps_status read_shape(const rps_node *node, rps_body_def *def, rps_error *err) {
    const rps_node *shape = rps_node_get(node, "shape");
    const rps_node *sphere = rps_node_get(shape, "sphere"), *plane = rps_node_get(shape, "plane");
    const rps_node *position = rps_node_get(node, "position"), *place = rps_node_get(node, "place");
    if (position && place) {
        return rps_place_fail(err, place->place, "a body has `position` or `place`, not both");
    }
    rps_node_vector(node, "position", def->position, 3);
    rps_node_vector(node, "orientation", def->orientation, 4);
    if (sphere) {
        def->shape = "sphere";
        def->radius = rps_node_number(sphere, "radius", NAN);
        return RPS_OK;
    }
    def->shape = "plane";
    rps_node_vector(plane, "normal", def->normal, 3);
    const rps_node *point = rps_node_get(plane, "point");
    if (point && (position || place)) {
        return rps_place_fail(err, point->place, "a plane has `point`, `position` or `place`, only one of them");
    }
    rps_node_vector(plane, "point", def->position, 3);
    return RPS_OK;
}

/* Mass of a sphere, NAN if nothing tells it. */
static double mass_of(const rps_world *world, const rps_body_def *def) {
    double density = rps_world_material(world, def->material).density;
    if (!isnan(def->mass)) return def->mass;
    return 4.0 / 3.0 * RPS_PI * def->radius * def->radius * def->radius * density;
}

static rps_status build_body(rps_scene *scene, rps_world *world, const rps_node *node, rps_error *err) {
    rps_body_def def = rps_body_def_default();
    RPS_TRY(rps_build_motion(scene, world, node, &def, err));
    RPS_TRY(read_shape(node, &def, err));
    bool plane = strcmp(def.shape, "plane") == 0;
    double mass = plane ? NAN : mass_of(world, &def);
    if (rps_node_get(node, "place")) RPS_TRY(rps_build_place(scene, world, node, &def, mass, err));
    const char *name = rps_node_text(node, "name");
    if (name) RPS_TRY(rps_world_group(world, name, &def.group, err));
    uint64_t id;
    RPS_TRY(rps_place_wrap(err, node->place, rps_world_add_body(world, &def, &id, err)));
    scene->bodies_total++;
    if (!name) return RPS_OK;
    rps_vec3 normal = rps_vec3_normalize(rps_vec3_make(def.normal[0], def.normal[1], def.normal[2]));
    rps_named named = {.name = name,
                       .node = node,
                       .id = id,
                       .group = def.group,
                       .radius = plane ? 0.0 : def.radius,
                       .material = def.material,
                       .mass = mass,
                       .normal = normal,
                       .center = rps_vec3_make(def.position[0], def.position[1], def.position[2])};
    return rps_scene_name(scene, &named, err);
}

rps_status rps_build_bodies(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *bodies = rps_node_get(scene->root, "bodies");
    for (size_t i = 0; i < bodies->count; i++) RPS_TRY(build_body(scene, world, bodies->entry[i].value, err));
    return RPS_OK;
}
