/* Single bodies, and the look-up of bodies and sets by name. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/events.h"
#include "scene/scene_internal.h"

/* --- names --------------------------------------------------------------------------------------------------------- */

const rps_named *rps_scene_named(const rps_scene *scene, const char *name) {
    for (size_t i = 0; i < scene->names.count; i++) {
        if (strcmp(scene->names.item[i].name, name) == 0) return &scene->names.item[i];
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
    if (scene->names.count == scene->names.capacity) {
        size_t capacity = scene->names.capacity ? 2 * scene->names.capacity : 16;
        rps_named *grown = rps_pool_take(&scene->pool, capacity * sizeof *grown, err);
        if (!grown) return RPS_NO_MEMORY;
        if (scene->names.count) memcpy(grown, scene->names.item, scene->names.count * sizeof *grown);
        scene->names.item = grown;
        scene->names.capacity = capacity;
    }
    scene->names.item[scene->names.count++] = *named;
    return RPS_OK;
}

rps_status rps_scene_reference(const rps_scene *scene, const rps_node *node, int kind, const rps_named **named,
                               rps_error *err) {
    static const char *const what[] = {"body or set", "body", "set", "body"};
    *named = rps_scene_named(scene, node->text);
    if (*named && kind == 1 && !(*named)->is_set && (*named)->id == UINT64_MAX) {
        return rps_place_fail(err, node->place,
                              "`%.60s` enters later (line %d), so that nothing can refer to it here\nonly probes and "
                              "stages may",
                              node->text, (*named)->node->place.line);
    }
    if (*named && (kind == 0 || (*named)->is_set == (kind == 2))) return RPS_OK;
    const char *names[256];
    char hint[512];
    size_t n = 0;
    for (size_t i = 0; i < scene->names.count && n < 256; i++) {
        if (kind == 0 || scene->names.item[i].is_set == (kind == 2)) names[n++] = scene->names.item[i].name;
    }
    return rps_place_fail(err, node->place, "there is no %s `%.60s`%s%s", what[kind], node->text,
                          *named ? (kind != 2 ? "; that is a set" : "; that is a body") : "",
                          rps_suggest(node->text, names, n, hint, sizeof hint));
}

/* --- common to bodies and sets
 * -------------------------------------------------------------------------------------- */

/* A volume, or a part of the volume of the body. */
static rps_status read_liquid(const rps_node *node, rps_body_def *def, rps_error *err) {
    rps_error unused;
    rps_node *liquid = rps_node_get(node, "liquid");
    if (!liquid) return RPS_OK;
    const bool part = rps_schema_quantity(liquid, "1", &def->liquid_part, &unused) == RPS_OK;
    if (!part) {
        def->liquid_part = 0.0;
        RPS_TRY(rps_schema_quantity(liquid, "m^3", &def->liquid, err));
    }
    if (def->liquid >= 0.0 && def->liquid_part >= 0.0) return RPS_OK;
    return rps_place_fail(err, liquid->place, "the liquid on a body is a volume of 0 or more, not %g%s",
                          part ? def->liquid_part : def->liquid, part ? " of that of the body" : " m^3");
}

static rps_status read_temperature(const rps_scene *scene, const rps_node *node, rps_body_def *def, rps_error *err) {
    const rps_node *temperature = rps_node_get(node, "temperature"), *heat = rps_node_get(scene->text->root, "heat");
    if (!temperature) return RPS_OK;
    def->temperature = temperature->number[0];
    if (heat && heat->kind == RPS_NODE_MAP) return RPS_OK;
    return rps_place_fail(err, temperature->place,
                          "a temperature has no effect without `heat`\nadd `heat: {}`, or leave the temperature out");
}

rps_status rps_build_motion(const rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                            rps_error *err) {
    const rps_node *drive = rps_node_get(node, "drive"), *fixed = rps_node_get(node, "fixed");
    RPS_TRY(rps_build_material(world, rps_node_get(node, "material"), &def->material, err));
    if (fixed->number[0] != 0.0 && drive) {
        return rps_place_fail(err, drive->place, "a body is fixed or driven, not both");
    }
    def->kind = fixed->number[0] != 0.0 ? RPS_BODY_FIXED : drive ? RPS_BODY_DRIVEN : RPS_BODY_FREE;
    if (def->kind == RPS_BODY_FIXED && rps_stages_drive(scene, rps_node_text(node, "name"))) {
        def->kind = RPS_BODY_DRIVEN; /* it stands still until then */
        def->drive.until = -1.0;
    }
    def->locked = rps_node_number(node, "locked", 0.0) != 0.0;
    rps_node_vector(node, "lock_axis", def->lock_axis, 3);
    rps_node_vector(node, "velocity", def->velocity, 3);
    rps_node_vector(node, "angular_velocity", def->angular_velocity, 3);
    if (drive) {
        RPS_TRY(rps_read_motion(scene, drive, &def->drive, err));
        const rps_node *until = rps_node_get(drive, "until");
        if (until && until->number[0] < def->drive.from) {
            return rps_place_fail(err, until->place, "the drive ends before it begins at %g s", def->drive.from);
        }
    }
    const rps_node *surface = rps_node_get(node, "surface_velocity");
    if (surface && def->kind == RPS_BODY_FREE) {
        return rps_place_fail(err, surface->place,
                              "only the surface of a fixed or driven body can run\nadd `fixed: true`, or a `drive`");
    }
    if (surface && drive && rps_node_get(drive, "surface_velocity")) {
        return rps_place_fail(err, surface->place,
                              "`surface_velocity` is given for the body and in its drive\nleave one out");
    }
    if (surface && def->kind == RPS_BODY_FIXED) {
        def->kind = RPS_BODY_DRIVEN; /* its motion is that of the material */
        def->drive.until = -1.0;
    }
    RPS_TRY(rps_read_surface(scene, node, &def->drive, err));
    RPS_TRY(read_liquid(node, def, err));
    RPS_TRY(read_temperature(scene, node, def, err));
    def->mass = rps_node_number(node, "mass", NAN);
    const rps_node *inertia = rps_node_get(node, "inertia");
    if (inertia && inertia->kind == RPS_NODE_LIST) {
        rps_node_vector(node, "inertia", def->inertia, 3);
    } else {
        def->inertia[0] = rps_node_number(node, "inertia", NAN);
    }
    return RPS_OK;
}

/* --- bodies -------------------------------------------------------------------------------------------------------- */

static rps_status one_turn(const rps_node *node, rps_quat *turn, rps_error *err) {
    double v[3];
    rps_node_vector(node, "axis", v, 3);
    rps_vec3 axis = rps_vec3_normalize(rps_vec3_make(v[0], v[1], v[2]));
    if (!(rps_vec3_norm2(axis) > 0.5)) {
        return rps_place_fail(err, rps_node_get(node, "axis")->place,
                              "the axis has no length, so it tells no direction");
    }
    *turn = rps_quat_from_axis_angle(axis, rps_node_number(node, "angle", 0.0));
    return RPS_OK;
}

rps_status rps_build_orientation(const rps_node *node, double out[4], rps_error *err) {
    if (!node) return RPS_OK;
    rps_quat turn, all = rps_quat_identity();
    const bool turns = node->kind == RPS_NODE_LIST && node->count && node->entry[0].value->kind == RPS_NODE_MAP;
    if (node->kind == RPS_NODE_MAP) {
        RPS_TRY(one_turn(node, &all, err));
    } else if (!turns) {
        memcpy(out, node->number, 4 * sizeof *out);
        return RPS_OK;
    }
    for (size_t i = 0; turns && i < node->count; i++) {
        RPS_TRY(one_turn(node->entry[i].value, &turn, err));
        all = rps_quat_normalize(rps_quat_mul(turn, all));
    }
    out[0] = all.w, out[1] = all.x, out[2] = all.y, out[3] = all.z;
    return RPS_OK;
}

bool rps_def_has_mesh(const rps_body_def *def) {
    bool has = !def->piece && strcmp(def->shape, rps_shape_mesh.name) == 0;
    for (int k = 0; def->piece && k < def->pieces && !has; k++) {
        has = strcmp(def->piece[k].shape, rps_shape_mesh.name) == 0;
    }
    return has;
}

/* Pieces in the pool of the scene. */
typedef struct piece_list {
    rps_scene *scene;
    rps_piece_def *piece;
    size_t count, capacity;
} piece_list;

static rps_status list_pieces(piece_list *list, const rps_piece_def *piece, size_t count, rps_error *err) {
    if (list->count + count > INT32_MAX) return rps_fail(err, RPS_BAD_INPUT, "a body has too many pieces");
    if (list->count + count > list->capacity) {
        const size_t capacity = 2 * list->capacity > list->count + count ? 2 * list->capacity : list->count + count;
        rps_piece_def *grown = rps_pool_take(&list->scene->pool, capacity * sizeof *grown, err);
        if (grown == NULL) return RPS_NO_MEMORY;
        if (list->count > 0) memcpy(grown, list->piece, list->count * sizeof *grown);
        list->piece = grown;
        list->capacity = capacity;
    }
    memcpy(list->piece + list->count, piece, count * sizeof *piece);
    list->count += count;
    return RPS_OK;
}

/* Pose and material of a piece. */
static rps_status read_piece(const rps_world *world, const rps_node *node, int material, rps_piece_def *piece,
                             rps_error *err) {
    const rps_node *shape = rps_node_get(node, "shape"), *own = rps_node_get(node, "material");
    *piece = rps_piece_def_default();
    piece->shape = rps_schema_shape(shape)->name;
    rps_schema_shape_numbers(shape, piece->parameter);
    rps_node_vector(node, "position", piece->position, 3);
    piece->material = material;
    if (own) RPS_TRY(rps_build_material(world, own, &piece->material, err));
    return rps_build_orientation(rps_node_get(node, "orientation"), piece->orientation, err);
}

/* All pieces of a list, or the parts of a mesh that is the whole shape. */
static rps_status build_pieces(rps_scene *scene, rps_world *world, const rps_node *node, double scale,
                               rps_body_def *def, rps_error *err) {
    const rps_node *pieces = rps_node_get(node, "pieces");
    piece_list list = {.scene = scene};
    for (size_t i = 0; i < (pieces ? pieces->count : 1); i++) {
        const rps_node *one = pieces ? pieces->entry[i].value : node;
        const rps_node *mesh = rps_node_get(rps_node_get(one, "shape"), rps_shape_mesh.name);
        rps_piece_def own = rps_piece_def_default(), *piece = &own;
        size_t count = 1;
        own.material = def->material;
        if (pieces) RPS_TRY(read_piece(world, one, def->material, &own, err));
        if (mesh) RPS_TRY(rps_build_mesh_pieces(scene, world, mesh, scale, &own, &piece, &count, err));
        RPS_TRY(rps_place_wrap(err, one->place, list_pieces(&list, piece, count, err)));
    }
    def->piece = list.piece;
    def->pieces = (int)list.count;
    return RPS_OK;
}

rps_status rps_build_shape(rps_scene *scene, rps_world *world, const rps_node *node, double scale, rps_body_def *def,
                           rps_error *err) {
    const rps_node *shape = rps_node_get(node, "shape"), *pieces = rps_node_get(node, "pieces");
    if (shape && pieces) return rps_place_fail(err, pieces->place, "a body has `shape` or `pieces`, not both");
    if (!shape && !pieces) {
        return rps_place_fail(err, node->place,
                              "the key `shape` is missing: its geometry, such as shape: {sphere: {radius: 1 cm}}\n"
                              "a body of several shapes has `pieces`");
    }
    const bool of_parts = rps_node_number(rps_node_get(shape, rps_shape_mesh.name), "parts", 0.0) != 0.0;
    if (pieces || of_parts) return build_pieces(scene, world, node, scale, def, err);
    if (rps_is_fit(shape)) return rps_build_fit(scene, world, rps_node_get(shape, rps_shape_mesh.name), def, err);
    def->shape = rps_schema_shape(shape)->name;
    rps_schema_shape_numbers(shape, def->parameter);
    if (rps_shape_is_round(rps_shape_find(def->shape))) def->radius = def->parameter[0];
    return RPS_OK;
}

/* Shape and pose of a single body. */
static rps_status read_shape(rps_scene *scene, rps_world *world, const rps_node *node, rps_body_def *def,
                             rps_error *err) {
    const rps_node *plane = rps_node_get(rps_node_get(node, "shape"), "plane");
    const rps_node *position = rps_node_get(node, "position"), *place = rps_node_get(node, "place");
    if (position && place) {
        return rps_place_fail(err, place->place, "a body has `position` or `place`, not both");
    }
    rps_node_vector(node, "position", def->position, 3);
    RPS_TRY(rps_build_orientation(rps_node_get(node, "orientation"), def->orientation, err));
    RPS_TRY(rps_build_shape(scene, world, node, 1.0, def, err));
    if (!plane) return RPS_OK;
    rps_node_vector(plane, "normal", def->normal, 3);
    const rps_node *point = rps_node_get(plane, "point");
    if (point && (position || place)) {
        return rps_place_fail(err, point->place, "a plane has `point`, `position` or `place`, only one of them");
    }
    rps_node_vector(plane, "point", def->position, 3);
    return RPS_OK;
}

/* Mass of a body of several pieces, computed by adding it to a scratch world. */
static rps_status mass_of_pieces(const rps_world *world, const rps_body_def *def, double *mass, rps_error *err) {
    rps_world *scratch;
    rps_body_def alone = *def;
    uint64_t id;
    alone.kind = RPS_BODY_FIXED; /* so that it may have none */
    alone.group = 0;
    memset(alone.velocity, 0, sizeof alone.velocity);
    memset(alone.angular_velocity, 0, sizeof alone.angular_velocity);
    RPS_TRY(rps_scratch_world(world, &scratch, err));
    rps_status status = rps_world_add_body(scratch, &alone, &id, err);
    if (status == RPS_OK && scratch->bodies.mass[0][0] > 0.0) *mass = scratch->bodies.mass[0][0];
    rps_world_destroy(scratch);
    return status;
}

rps_status rps_mass_of_def(const rps_world *world, const rps_body_def *def, double *mass, rps_error *err) {
    const rps_shape *shape = rps_shape_at(rps_shape_find(def->shape));
    double parameter[RPS_SHAPE_PARAMETERS];
    *mass = def->mass;
    if (isnan(def->mass) && !def->piece && shape == &rps_shape_mesh) {
        const double density = rps_world_material(world, def->material).density;
        *mass = rps_world_mesh_mass(world, def->parameter[0], density);
    }
    if (!isnan(def->mass) || (!def->piece && shape->mass == NULL)) return RPS_OK;
    if (def->piece) return mass_of_pieces(world, def, mass, err);
    memcpy(parameter, def->parameter, sizeof parameter);
    RPS_TRY(rps_shape_check(shape, parameter, "shape", err));
    *mass = rps_world_material(world, def->material).density * shape->mass(parameter).volume;
    if (shape == &rps_shape_disk) *mass *= world->options.depth;
    return RPS_OK;
}

static rps_status build_body(rps_scene *scene, rps_world *world, const rps_node *node, rps_error *err) {
    rps_body_def def = rps_body_def_default();
    RPS_TRY(rps_build_motion(scene, world, node, &def, err));
    RPS_TRY(read_shape(scene, world, node, &def, err));
    const rps_node *mesh = rps_node_get(rps_node_get(node, "shape"), rps_shape_mesh.name);
    const bool solid = def.kind == RPS_BODY_FREE || rps_node_get(node, "released");
    if (mesh && !def.piece)
        RPS_TRY(rps_build_mesh(scene, world, mesh, &(rps_mesh_use){.scale = 1.0, .solid = solid}, def.parameter, err));
    double mass = NAN;
    const bool placed = rps_node_get(node, "place") != NULL;
    if (placed || !def.piece) RPS_TRY(rps_place_wrap(err, node->place, rps_mass_of_def(world, &def, &mass, err)));
    if (placed) RPS_TRY(rps_build_place(scene, world, node, &def, mass, err));
    const char *name = rps_node_text(node, "name");
    if (name) RPS_TRY(rps_world_group(world, name, &def.group, err));
    uint64_t id = UINT64_MAX;
    rps_scene_add_flow(world, &def);
    if (rps_node_get(node, "enters")) {
        RPS_TRY(rps_event_of_entering(scene, world, node, &def, err));
    } else {
        RPS_TRY(rps_place_wrap(err, node->place, rps_world_add_body(world, &def, &id, err)));
    }
    scene->bodies_total++;
    if (!name) return RPS_OK;
    rps_vec3 normal = rps_vec3_normalize(rps_vec3_make(def.normal[0], def.normal[1], def.normal[2]));
    rps_named named = {.name = name,
                       .node = node,
                       .id = id,
                       .group = def.group,
                       .radius = def.piece || isnan(def.radius) ? 0.0 : def.radius,
                       .def = def,
                       .material = def.material,
                       .mass = mass,
                       .normal = normal,
                       .center = rps_vec3_make(def.position[0], def.position[1], def.position[2])};
    return rps_scene_name(scene, &named, err);
}

void rps_scene_add_flow(const rps_world *world, rps_body_def *def) {
    const rps_cell *cell = &world->cell;
    if (!cell->sheared || def->kind != RPS_BODY_FREE) return;
    def->velocity[cell->flow] += rps_cell_flow_at(cell, def->position[cell->gradient]);
}

rps_status rps_build_bodies(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *bodies = rps_node_get(scene->text->root, "bodies");
    for (size_t i = 0; i < bodies->count; i++) {
        RPS_TRY(rps_scene_may_proceed(scene, err));
        RPS_TRY(build_body(scene, world, bodies->entry[i].value, err));
    }
    return RPS_OK;
}
