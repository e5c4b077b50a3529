/* Meshes of a scene: files of triangles, each read once, for bodies and for regions. */
#include <stdio.h>
#include <string.h>

#include <repose/mesh.h>

#include "io/file.h"
#include "mesh/build_mesh.h"
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
           a->use.scale == b->use.scale && a->hull == b->hull;
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

static rps_status add_file(rps_scene *scene, rps_world *world, const rps_node *file, rps_scene_mesh *mesh,
                           rps_error *err) {
    rps_raw_mesh raw;
    const rps_allocator *allocator = world->allocator;
    rps_status status = rps_scene_read_triangles(allocator, mesh->path, mesh->factor * mesh->use.scale, &raw, err);
    if (status == RPS_OK && mesh->hull) {
        status = rps_scene_hull(allocator, mesh->path, mesh->weld, &raw, &mesh->sizes, err);
    }
    if (status == RPS_OK && mesh->use.centered) status = move_to_center(allocator, mesh->weld, &raw, &mesh->moved, err);
    if (status == RPS_OK) {
        rps_mesh_def def = rps_mesh_def_default();
        def.name = mesh->path;
        def.point = (const double(*)[3])raw.point;
        def.points = raw.points;
        def.triangle = (const uint32_t(*)[3])raw.triangle;
        def.triangles = raw.triangles;
        def.side = mesh->side;
        def.weld = mesh->weld;
        def.flip = mesh->flip;
        def.solid = mesh->use.solid;
        status = rps_world_add_mesh(world, &def, &mesh->number, err);
    }
    rps_raw_mesh_release(allocator, &raw);
    RPS_TRY(rps_place_wrap(err, file->place, status));
    return rps_scene_note_file(scene, mesh->path, err);
}

rps_status rps_build_mesh(rps_scene *scene, rps_world *world, const rps_node *node, const rps_mesh_use *use,
                          double parameter[RPS_SHAPE_PARAMETERS], rps_error *err) {
    const rps_node *file = rps_node_get(node, "file");
    rps_scene_mesh *mesh = rps_pool_take(&scene->pool, sizeof *mesh, err);
    if (mesh == NULL) return RPS_NO_MEMORY;
    const rps_node *least = rps_node_get(node, "least_radius"), *mass = rps_node_get(node, "mass_of");
    if (least || mass) {
        return rps_place_fail(err, least ? least->place : mass->place,
                              "`%s` is that of a clump that stands for the mesh\nadd `spheres: 50`, or leave it out",
                              least ? "least_radius" : "mass_of");
    }
    mesh->hull = rps_node_number(node, "hull", 0.0) != 0.0;
    const rps_node *side = rps_node_get(node, "side"), *flip = rps_node_get(node, "flip");
    if (mesh->hull && (side || flip)) {
        return rps_place_fail(err, side ? side->place : flip->place,
                              "a convex hull is touched from outside, whichever side its triangles have\nleave out "
                              "`%s`, or leave out `hull`",
                              side ? "side" : "flip");
    }
    mesh->path = rps_scene_file_path(scene, file, err);
    if (mesh->path == NULL) return RPS_NO_MEMORY;
    RPS_TRY(rps_scene_mesh_unit(rps_node_get(node, "unit"), &mesh->factor, err));
    mesh->weld = rps_node_number(node, "weld", 1e-6);
    mesh->side = (rps_mesh_sides)rps_node_number(node, "side", 0.0);
    mesh->flip = (int)rps_node_number(node, "flip", 0.0);
    mesh->use = *use;
    for (const rps_scene_mesh *other = scene->meshes; other != NULL; other = other->next) {
        if (!same_mesh_file(other, mesh)) continue;
        parameter[0] = other->number;
        return RPS_OK;
    }
    RPS_TRY(add_file(scene, world, file, mesh, err));
    mesh->next = scene->meshes;
    scene->meshes = mesh;
    parameter[0] = mesh->number;
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
