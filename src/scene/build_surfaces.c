/* Meshes of a scene: files of triangles, each read once, for bodies and for regions. */
#include <stdio.h>
#include <string.h>

#include <repose/mesh.h>

#include "base/c_locale.h"
#include "io/file.h"
#include "mesh/build_mesh.h"
#include "mesh/mesh_parts.h"
#include "mesh/read.h"
#include "scene/scene_internal.h"

rps_status rps_scene_mesh_unit(const rps_node *node, double *factor, rps_error *err) {
    char one[80];
    if (strlen(node->text) + 3 > sizeof one) return rps_place_fail(err, node->place, "`unit` is too long for a unit");
    snprintf(one, sizeof one, "1 %s", node->text);
    rps_error cause;
    if (rps_units_read(one, "m", factor, &cause) == RPS_OK && *factor > 0.0) return RPS_OK;
    return rps_place_fail(err, node->place,
                          "`%s` is not a unit of length\nexpected the length of 1 in the file, as mm or m", node->text);
}

static bool same_mesh_file(const rps_scene_mesh *a, const rps_scene_mesh *b) {
    return strcmp(a->path, b->path) == 0 && a->factor == b->factor && a->weld == b->weld && a->side == b->side &&
           a->flip == b->flip && a->use.solid == b->use.solid && a->use.centered == b->use.centered &&
           a->use.scale == b->use.scale && a->hull == b->hull && a->part == b->part;
}

rps_status rps_scene_read_triangles(const rps_allocator *allocator, const char *path, double factor, rps_raw_mesh *raw,
                                    rps_error *err) {
    void *bytes = NULL;
    size_t capacity = 0, count = 0;
    *raw = (rps_raw_mesh){0};
    rps_status status = rps_file_read_bytes(path, &bytes, &capacity, &count, err);
    if (status == RPS_OK) status = rps_mesh_read(allocator, path, bytes, count, raw, err);
    rps_buffer_release(NULL, &bytes, &capacity);
    for (size_t k = 0; k < raw->points && status == RPS_OK; k++) {
        for (int m = 0; m < 3; m++) raw->point[k][m] *= factor;
    }
    return status;
}

rps_status rps_scene_hull(const rps_allocator *allocator, const char *path, double weld, rps_raw_mesh *raw,
                          rps_hull_sizes *sizes, rps_error *err) {
    rps_error cause;
    const rps_status status = rps_raw_mesh_hull(allocator, weld, raw, sizes, &cause);
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s: %s", path, cause.text);
}

/* Moves the center of mass to the origin of the file. */
static rps_status move_to_center(const rps_allocator *allocator, double weld, rps_raw_mesh *raw, rps_vec3 *center,
                                 rps_error *err) {
    rps_mesh mesh;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = weld;
    RPS_TRY(rps_mesh_build(allocator, raw, &options, &mesh, &report, err));
    for (size_t k = 0; k < raw->points; k++)
        rps_vec3_put(raw->point[k], rps_vec3_sub(rps_vec3_of(raw->point[k]), mesh.center));
    *center = mesh.center;
    rps_mesh_release(&mesh);
    return RPS_OK;
}

/* Adds triangles, in m, to the world, and the mesh to those of the scene. `raw` may become that of its hull. */
static rps_status add_raw_mesh(rps_scene *scene, rps_world *world, rps_raw_mesh *raw, rps_scene_mesh *mesh,
                               rps_error *err) {
    const rps_allocator *allocator = world->allocator;
    char name[1200];
    rps_snprintf(name, sizeof name, mesh->part < 0 ? "%.1000s" : "%.1000s, part %d", mesh->path, mesh->part);
    if (mesh->hull) RPS_TRY(rps_scene_hull(allocator, name, mesh->weld, raw, &mesh->sizes, err));
    if (mesh->use.centered) RPS_TRY(move_to_center(allocator, mesh->weld, raw, &mesh->moved, err));
    rps_mesh_def def = rps_mesh_def_default();
    def.name = name;
    def.point = (const double(*)[3])raw->point;
    def.points = raw->points;
    def.triangle = (const uint32_t(*)[3])raw->triangle;
    def.triangles = raw->triangles;
    def.side = mesh->side;
    def.weld = mesh->weld;
    def.flip = mesh->flip;
    def.solid = mesh->use.solid;
    rps_error cause;
    const rps_status status = rps_world_add_mesh(world, &def, &mesh->number, &cause);
    if (status != RPS_OK && mesh->part >= 0) return rps_fail(err, status, "%s: %s", name, cause.text);
    if (status != RPS_OK) return rps_fail(err, status, "%s", cause.text);
    mesh->next = scene->meshes;
    scene->meshes = mesh;
    return RPS_OK;
}

static rps_status add_file(rps_scene *scene, rps_world *world, const rps_node *file, rps_scene_mesh *mesh,
                           rps_error *err) {
    rps_raw_mesh raw;
    const rps_allocator *allocator = world->allocator;
    rps_status status = rps_scene_read_triangles(allocator, mesh->path, mesh->factor * mesh->use.scale, &raw, err);
    if (status == RPS_OK) status = add_raw_mesh(scene, world, &raw, mesh, err);
    rps_raw_mesh_release(allocator, &raw);
    RPS_TRY(rps_place_wrap(err, file->place, status));
    return rps_scene_note_file(scene, mesh->path, err);
}

/* The mesh that its keys ask for; part: which of the file, -1: all of it. */
static rps_status read_mesh_keys(rps_scene *scene, const rps_node *node, const rps_mesh_use *use, int part,
                                 rps_scene_mesh **out, rps_error *err) {
    const rps_node *file = rps_node_get(node, "file");
    rps_scene_mesh *mesh = rps_pool_take(&scene->pool, sizeof *mesh, err);
    if (mesh == NULL) return RPS_NO_MEMORY;
    mesh->part = part;
    const rps_node *least = rps_node_get(node, "least_radius"), *mass = rps_node_get(node, "mass_of");
    if (least || mass) {
        return rps_place_fail(err, least ? least->place : mass->place,
                              "`%s` is that of a clump that stands for the mesh\nadd `spheres: 50`, or leave it out",
                              least ? "least_radius" : "mass_of");
    }
    mesh->hull = rps_node_number(node, "hull", 0.0) != 0.0;
    const rps_node *side = rps_node_get(node, "side"), *flip = rps_node_get(node, "flip");
    if ((mesh->hull || part >= 0) && (side || flip)) {
        return rps_place_fail(err, side ? side->place : flip->place,
                              "a convex %s is touched from outside, whichever side its triangles have\nleave out "
                              "`%s`, or leave out `%s`",
                              mesh->hull ? "hull" : "piece", side ? "side" : "flip", mesh->hull ? "hull" : "parts");
    }
    mesh->path = rps_scene_file_path(scene, file, err);
    if (mesh->path == NULL) return RPS_NO_MEMORY;
    RPS_TRY(rps_scene_mesh_unit(rps_node_get(node, "unit"), &mesh->factor, err));
    mesh->weld = rps_node_number(node, "weld", 1e-6);
    mesh->side = (rps_mesh_sides)rps_node_number(node, "side", 0.0);
    mesh->flip = (int)rps_node_number(node, "flip", 0.0);
    mesh->use = *use;
    *out = mesh;
    return RPS_OK;
}

static const rps_scene_mesh *find_same_mesh(const rps_scene *scene, const rps_scene_mesh *mesh) {
    const rps_scene_mesh *other = scene->meshes;
    while (other != NULL && !same_mesh_file(other, mesh)) other = other->next;
    return other;
}

/* The mesh of a whole file. */
static rps_status find_whole_file(rps_scene *scene, rps_world *world, const rps_node *node, const rps_mesh_use *use,
                                  const rps_scene_mesh **out, rps_error *err) {
    rps_scene_mesh *mesh;
    RPS_TRY(read_mesh_keys(scene, node, use, -1, &mesh, err));
    *out = find_same_mesh(scene, mesh);
    if (*out != NULL) return RPS_OK;
    *out = mesh;
    return add_file(scene, world, rps_node_get(node, "file"), mesh, err);
}

rps_status rps_build_mesh(rps_scene *scene, rps_world *world, const rps_node *node, const rps_mesh_use *use,
                          double parameter[RPS_SHAPE_PARAMETERS], rps_error *err) {
    const rps_scene_mesh *mesh;
    RPS_TRY(find_whole_file(scene, world, node, use, &mesh, err));
    parameter[0] = mesh->number;
    return RPS_OK;
}

/* --- pieces of a body ------------------------------------------------------------------------------------------------ */

/* A piece about its center of mass, placed by the axes of the file in those that `at` has. */
static void put_piece(const rps_world *world, const rps_scene_mesh *mesh, const rps_piece_def *at, rps_piece_def *out) {
    const rps_mesh *surface = &world->mesh[mesh->number].mesh;
    const double *q = at->orientation, smaller = 1.0 / mesh->use.scale;
    const rps_quat turn = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_vec3 moved = rps_quat_rotate(turn, rps_vec3_scale(mesh->moved, smaller));
    *out = *at;
    out->shape = rps_shape_mesh.name;
    rps_vec3_put(out->position, rps_vec3_add(rps_vec3_of(at->position), moved));
    out->parameter[0] = mesh->number;
    for (int k = 0; k < 3; k++) {
        out->parameter[1 + k] = surface->box.low[k] * smaller;
        out->parameter[4 + k] = surface->box.high[k] * smaller;
    }
    out->parameter[7] = rps_mesh_farthest(surface) * smaller;
}

/* Adds the parts of a file; *first is part 0. */
static rps_status add_parts(rps_scene *scene, rps_world *world, const rps_node *node, rps_scene_mesh *first,
                            rps_raw_mesh *raw, uint32_t *part, rps_error *err) {
    size_t parts;
    rps_error cause;
    const rps_status status = rps_raw_mesh_parts(world->allocator, raw, part, &parts, &cause);
    if (status != RPS_OK) return rps_fail(err, status, "%s: %s", first->path, cause.text);
    for (size_t k = 0; k < parts; k++) {
        rps_scene_mesh *mesh = first;
        rps_raw_mesh one;
        if (k > 0) RPS_TRY(read_mesh_keys(scene, node, &first->use, (int)k, &mesh, err));
        mesh->parts = (int)parts;
        RPS_TRY(rps_raw_mesh_part(world->allocator, raw, part, (uint32_t)k, &one, err));
        const rps_status added = add_raw_mesh(scene, world, &one, mesh, err);
        rps_raw_mesh_release(world->allocator, &one);
        RPS_TRY(added);
    }
    return RPS_OK;
}

static rps_status read_parts(rps_scene *scene, rps_world *world, const rps_node *node, rps_scene_mesh *first,
                             rps_error *err) {
    rps_raw_mesh raw;
    size_t bytes = 0;
    void *part = NULL;
    const rps_allocator *allocator = world->allocator;
    rps_status status = rps_scene_read_triangles(allocator, first->path, first->factor * first->use.scale, &raw, err);
    if (status == RPS_OK) status = rps_size_of_items(raw.triangles, sizeof(uint32_t), &bytes, err);
    if (status == RPS_OK) status = rps_memory_alloc(allocator, bytes, &part, err);
    if (status == RPS_OK) status = add_parts(scene, world, node, first, &raw, part, err);
    rps_memory_release(allocator, part, part != NULL ? bytes : 0);
    rps_raw_mesh_release(allocator, &raw);
    RPS_TRY(rps_place_wrap(err, rps_node_get(node, "file")->place, status));
    return rps_scene_note_file(scene, first->path, err);
}

rps_status rps_build_mesh_pieces(rps_scene *scene, rps_world *world, const rps_node *node, double scale,
                                 const rps_piece_def *at, rps_piece_def **out, size_t *count, rps_error *err) {
    const rps_mesh_use use = {.scale = scale, .solid = true, .centered = true};
    const bool of_parts = rps_node_number(node, "parts", 0.0) != 0.0;
    const rps_scene_mesh *one = NULL;
    if (rps_node_get(node, "spheres")) {
        return rps_place_fail(
            err, rps_node_get(node, "spheres")->place,
            "a mesh that is a piece of a body is convex, and touches as it is\nleave out `spheres`, or "
            "give the whole body as `shape`, without `parts`");
    }
    *count = 1;
    if (of_parts) {
        rps_scene_mesh *first;
        RPS_TRY(read_mesh_keys(scene, node, &use, 0, &first, err));
        one = find_same_mesh(scene, first);
        if (one == NULL) RPS_TRY(read_parts(scene, world, node, first, err));
        if (one == NULL) one = first;
        *count = (size_t)one->parts;
    } else {
        RPS_TRY(find_whole_file(scene, world, node, &use, &one, err));
    }
    *out = rps_pool_take(&scene->pool, *count * sizeof **out, err);
    if (*out == NULL) return RPS_NO_MEMORY;
    for (size_t k = 0; k < *count; k++) { /* the parts of a file have numbers in sequence */
        const int number = one->number + (int)k;
        const rps_scene_mesh *mesh = scene->meshes;
        while (mesh != NULL && mesh->number != number) mesh = mesh->next;
        put_piece(world, mesh, at, &(*out)[k]);
    }
    return RPS_OK;
}

/* --- regions ------------------------------------------------------------------------------------------------------- */

static rps_status read_surface_file(rps_scene *scene, const rps_node *file, const rps_vec3 shift,
                                    rps_scene_interior *in, rps_error *err) {
    rps_raw_mesh raw;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.shift = shift;
    rps_status status = rps_scene_read_triangles(scene->allocator, in->path, in->factor, &raw, err);
    if (status == RPS_OK) status = rps_mesh_build(scene->allocator, &raw, &options, &in->mesh, &report, err);
    rps_raw_mesh_release(scene->allocator, &raw);
    RPS_TRY(rps_place_wrap(err, file->place, status));
    in->next = scene->interiors;
    scene->interiors = in;
    return rps_scene_note_file(scene, in->path, err);
}

rps_status rps_build_surface(rps_scene *scene, const rps_node *node, const rps_mesh **out, rps_error *err) {
    const rps_node *file = rps_node_get(node, "file");
    double shift[3] = {0.0, 0.0, 0.0};
    rps_scene_interior *in = rps_pool_take(&scene->pool, sizeof *in, err);
    if (in == NULL) return RPS_NO_MEMORY;
    *in = (rps_scene_interior){.path = rps_scene_file_path(scene, file, err)};
    if (in->path == NULL) return RPS_NO_MEMORY;
    RPS_TRY(rps_scene_mesh_unit(rps_node_get(node, "unit"), &in->factor, err));
    rps_node_vector(node, "position", shift, 3);
    memcpy(in->shift, shift, sizeof in->shift);
    for (const rps_scene_interior *other = scene->interiors; other != NULL; other = other->next) {
        if (strcmp(other->path, in->path) != 0 || other->factor != in->factor ||
            memcmp(other->shift, in->shift, sizeof in->shift) != 0)
            continue;
        *out = &other->mesh;
        return RPS_OK;
    }
    *out = &in->mesh;
    return read_surface_file(scene, file, rps_vec3_of(shift), in, err);
}

rps_status rps_build_interior(rps_scene *scene, const rps_node *node, const rps_mesh **out, rps_error *err) {
    const rps_node *file = rps_node_get(node, "file");
    RPS_TRY(rps_build_surface(scene, node, out, err));
    if ((*out)->closed) return RPS_OK;
    return rps_place_fail(err, file->place,
                          "the surface of %s is not closed, so that nothing is inside\n`repose mesh` lists its edges",
                          file->text);
}

void rps_interiors_release(rps_scene *scene) {
    for (rps_scene_interior *in = scene->interiors; in != NULL; in = in->next) rps_mesh_release(&in->mesh);
    scene->interiors = NULL;
}
