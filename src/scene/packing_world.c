/* The world of a packing: the walls of its region, all bodies that are near it, held, and one soft law for all materials, or the
 * normal laws of the scene.
 * Every grain has the mass 1, so that the small ones among large ones need no shorter step. */
#include <math.h>
#include <string.h>

#include <repose/mesh.h>

#include "scene/packing.h"
#include "scene/solid.h"
#include "world/body_shape.h"

static const double STIFFNESS = 1.0, DAMPING = 0.5; /* N/m; of the critical dashpot */

/* The pair of the scene without friction, with the dashpot that brings a packing to rest; without a pressure the soft pair. */
static rps_status packing_pair(const rps_packing_task *task, const rps_pair *given, rps_pair *pair, rps_error *err) {
    *pair = rps_pair_default();
    if (task->pressure > 0.0) {
        pair->law[RPS_ROLE_NORMAL] = given->law[RPS_ROLE_NORMAL];
        memcpy(pair->value[RPS_ROLE_NORMAL], given->value[RPS_ROLE_NORMAL], sizeof pair->value[RPS_ROLE_NORMAL]);
    } else {
        RPS_TRY(rps_pair_law(pair, RPS_ROLE_NORMAL, "hooke", err));
        RPS_TRY(rps_pair_set(pair, RPS_ROLE_NORMAL, "stiffness", STIFFNESS, err));
    }
    RPS_TRY(rps_pair_law(pair, RPS_ROLE_DAMPING, "ratio", err));
    return rps_pair_set(pair, RPS_ROLE_DAMPING, "value", DAMPING, err);
}

/* Materials without density, since masses are given. With a pressure pairs that the scene lacks stay so. */
static rps_status copy_materials(const rps_packing_task *task, rps_world *out, rps_error *err) {
    const rps_world *world = task->world;
    const int count = rps_world_material_count(world);
    for (int m = 0; m < count; m++) {
        rps_material material = rps_world_material(world, m);
        material.density = NAN;
        RPS_TRY(rps_world_add_material(out, &material, NULL, err));
    }
    for (size_t i = 0; i < world->own_laws; i++) RPS_TRY(rps_world_register_law(out, world->own_law[i], err));
    for (int a = 0; a < count; a++) {
        for (int b = a; b < count; b++) {
            rps_pair pair;
            const bool known = rps_world_has_pair(world, a, b);
            if (task->pressure > 0.0 && !known) continue;
            RPS_TRY(packing_pair(task, known ? &rps_world_pair_of(world, a, b)->given : NULL, &pair, err));
            RPS_TRY(rps_world_set_pair(out, a, b, &pair, err));
        }
    }
    return RPS_OK;
}

static rps_status give_mesh(const rps_mesh *mesh, const char *name, rps_mesh_sides side, rps_world *out, int *number,
                            rps_error *err) {
    rps_mesh_def def = rps_mesh_def_default();
    def.name = name;
    def.point = (const double(*)[3])mesh->point;
    def.points = mesh->points;
    def.triangle = (const uint32_t(*)[3])mesh->triangle;
    def.triangles = mesh->triangles;
    def.side = side;
    return rps_world_add_mesh(out, &def, number, err);
}

/* `exclude` keeps the two named things from touching each other. */
static bool is_excluded(const rps_scene *scene, const char *a, const char *b) {
    const rps_node *list = rps_node_get(scene->text->root, "exclude");
    for (size_t i = 0; i < list->count; i++) {
        const rps_node *one = list->entry[i].value;
        const char *first = one->entry[0].value->text, *second = one->entry[1].value->text;
        if ((strcmp(first, a) == 0 && strcmp(second, b) == 0) || (strcmp(first, b) == 0 && strcmp(second, a) == 0))
            return true;
    }
    return false;
}

/* A shape of a body, held where it is. */
static rps_status hold_solid(const rps_solid *solid, bool disk, int material, rps_world *out, rps_error *err) {
    rps_body_def def = rps_body_def_default();
    const rps_quat q = solid->orientation;
    def.shape = disk ? rps_shape_disk.name : solid->shape->name;
    def.kind = RPS_BODY_FIXED;
    def.material = material;
    def.radius = solid->parameter[0];
    memcpy(def.parameter, solid->parameter, sizeof def.parameter);
    rps_vec3_put(def.normal, solid->normal);
    rps_vec3_put(def.position, solid->center);
    memcpy(def.orientation, (double[4]){q.w, q.x, q.y, q.z}, sizeof def.orientation);
    return rps_world_add_body(out, &def, NULL, err);
}

static rps_status hold_bodies(const rps_packing_task *task, rps_world *out, rps_error *err) {
    const rps_world *world = task->world;
    const rps_bodies *bodies = &world->bodies;
    const char *name = rps_node_text(task->set, "name");
    for (size_t s = 0; s < bodies->count; s++) {
        if (s % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(task->scene, err));
        const char *other = rps_world_group_name(world, bodies->group[s][0]);
        if (other && is_excluded(task->scene, name, other)) continue;
        const bool disk = task->scene->planar && rps_body_shape_of(bodies, s) == RPS_BODY_SPHERE;
        for (int k = 0; k < rps_solids_of_body(world, s); k++) {
            const rps_solid solid = rps_solid_of_body(world, s, k);
            const int material =
                rps_body_has_pieces(bodies, s) ? (int)rps_body_pieces(world, s)[k].material : bodies->material[s][0];
            RPS_TRY(hold_solid(&solid, disk, material, out, err));
        }
    }
    return RPS_OK;
}

static rps_status fill(const rps_packing_task *task, rps_world *out, rps_error *err) {
    rps_body_def wall[RPS_REGION_WALLS];
    RPS_TRY(copy_materials(task, out, err));
    RPS_TRY(rps_world_lend_meshes(task->world, out, true, err));
    int walls = rps_region_walls(&task->region, wall);
    if (task->region.mesh != NULL) {
        int number;
        RPS_TRY(give_mesh(task->region.mesh, "region", RPS_SIDE_INNER, out, &number, err));
        wall[walls++] = rps_body_mesh(number);
    }
    for (int k = 0; k < walls; k++) {
        wall[k].material = task->particle_template->def.material;
        RPS_TRY(rps_world_add_body(out, &wall[k], NULL, err));
    }
    return hold_bodies(task, out, err);
}

rps_status rps_packing_world(const rps_packing_task *task, rps_world **out, rps_error *err) {
    rps_world_options options = task->world->options;
    options.stepper = RPS_PENALTY;
    options.integrator = RPS_VERLET;
    options.ledger = false;
    options.frames = false;
    options.shear = (rps_shear){0};
    memset(options.gravity, 0, sizeof options.gravity);
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    options.log = NULL;
    RPS_TRY(rps_world_create(&options, out, err));
    const rps_status status = fill(task, *out, err);
    if (status == RPS_OK) return RPS_OK;
    rps_world_destroy(*out);
    *out = NULL;
    return status;
}
