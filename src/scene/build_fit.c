/*
 * Bodies and particles that stand for a closed mesh: spheres fitted into it, with mass, center and inertia of its volume or of
 * their own. Each file is read and fitted once for the same keys.
 *
 * With those of the mesh, the spheres are given about its center in its principal axes, as a body of pieces with a given inertia
 * asks; position and orientation of the definition, which are those of the file, move along.
 */
#include <math.h>
#include <string.h>

#include "base/principal.h"
#include "mesh/build_mesh.h"
#include "scene/scene_internal.h"

bool rps_is_fit(const rps_node *shape) {
    const rps_node *mesh = rps_node_get(shape, rps_shape_mesh.name);
    return rps_node_get(mesh, "spheres") != NULL && rps_node_number(mesh, "parts", 0.0) == 0.0;
}

static rps_status read_fit(rps_scene *scene, const rps_node *node, rps_scene_fit *in, rps_error *err) {
    const rps_node *spheres = rps_node_get(node, "spheres"), *side = rps_node_get(node, "side"),
                   *flip = rps_node_get(node, "flip");
    const double wanted = spheres->number[0];
    if (!(wanted >= 1.0 && wanted == floor(wanted))) {
        return rps_place_fail(err, spheres->place, "`spheres` is a whole number from 1 to %d, not %g", RPS_FIT_MOST,
                              wanted);
    }
    if (side || flip) {
        return rps_place_fail(err, side ? side->place : flip->place,
                              "spheres stand for the whole body, whichever side its triangles have\nleave out `%s`",
                              side ? "side" : "flip");
    }
    *in = (rps_scene_fit){.path = rps_scene_file_path(scene, rps_node_get(node, "file"), err),
                          .wanted = (size_t)wanted,
                          .hull = rps_node_number(node, "hull", 0.0) != 0.0,
                          .weld = rps_node_number(node, "weld", RPS_MESH_WELD),
                          .least_radius = rps_node_number(node, "least_radius", 0.0)};
    if (in->path == NULL) return RPS_NO_MEMORY;
    return rps_scene_mesh_unit(rps_node_get(node, "unit"), &in->factor, err);
}

static bool same_fit(const rps_scene_fit *a, const rps_scene_fit *b) {
    return strcmp(a->path, b->path) == 0 && a->factor == b->factor && a->weld == b->weld &&
           a->least_radius == b->least_radius && a->wanted == b->wanted && a->hull == b->hull;
}

static rps_status fit_file(rps_scene *scene, rps_scene_fit *in, rps_error *err) {
    rps_raw_mesh raw;
    rps_mesh mesh;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = in->weld;
    rps_status status = rps_scene_read_triangles(scene->allocator, in->path, in->factor, &raw, err);
    if (status == RPS_OK && in->hull) {
        rps_hull_sizes sizes;
        status = rps_scene_hull(scene->allocator, in->path, in->weld, &raw, &sizes, err);
    }
    if (status == RPS_OK) status = rps_mesh_build(scene->allocator, &raw, &options, &mesh, &report, err);
    rps_raw_mesh_release(scene->allocator, &raw);
    RPS_TRY(status);
    in->triangles = mesh.triangles;
    in->volume = mesh.volume;
    in->area = mesh.area;
    in->center = mesh.center;
    memcpy(in->inertia, mesh.inertia, sizeof in->inertia);
    rps_error cause;
    status = rps_sphere_fit_make(scene->allocator, &mesh, in->wanted, in->least_radius, &in->fit, &cause);
    rps_mesh_release(&mesh);
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s: %s", in->path, cause.text);
}

static rps_status find_fit(rps_scene *scene, const rps_node *node, const rps_scene_fit **out, rps_error *err) {
    rps_scene_fit *in = rps_pool_take(&scene->pool, sizeof *in, err);
    if (in == NULL) return RPS_NO_MEMORY;
    RPS_TRY(read_fit(scene, node, in, err));
    for (const rps_scene_fit *other = scene->fits; other != NULL; other = other->next) {
        if (!same_fit(other, in)) continue;
        *out = other;
        return RPS_OK;
    }
    const rps_node *file = rps_node_get(node, "file");
    RPS_TRY(rps_place_wrap(err, file->place, fit_file(scene, in, err)));
    in->next = scene->fits;
    scene->fits = in;
    *out = in;
    return rps_scene_note_file(scene, in->path, err);
}

/* Mass properties of the mesh: the axes of the pieces become its principal axes about its center. */
static void take_mass_of_mesh(const rps_world *world, const rps_scene_fit *in, rps_body_def *def, rps_vec3 *origin,
                              rps_quat *axes) {
    const double *i = in->inertia, density = rps_world_material(world, def->material).density;
    double moment[3];
    def->volume = in->volume;
    if (!isnan(def->inertia[0])) return;
    const rps_mat3 tensor = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    *axes = rps_principal_axes(tensor, RPS_PRINCIPAL_EXACT, moment);
    *origin = in->center;
    /* a body that never moves may have no mass: any moments do */
    const double mass = !isnan(def->mass) ? def->mass : !isnan(density) ? density * in->volume : 1.0;
    for (int k = 0; k < 3; k++) def->inertia[k] = mass * moment[k];
    const double *q = def->orientation;
    const rps_quat turn = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_vec3 shift = rps_quat_rotate(turn, *origin);
    rps_vec3_put(def->position, rps_vec3_add(rps_vec3_of(def->position), shift));
    const rps_quat all = rps_quat_normalize(rps_quat_mul(turn, *axes));
    memcpy(def->orientation, (double[4]){all.w, all.x, all.y, all.z}, sizeof def->orientation);
}

rps_status rps_build_fit(rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                         rps_error *err) {
    const rps_scene_fit *in;
    RPS_TRY(find_fit(scene, node, &in, err));
    const size_t count = in->fit.count;
    rps_piece_def *piece = rps_pool_take(&scene->pool, count * sizeof *piece, err);
    if (piece == NULL) return RPS_NO_MEMORY;
    rps_vec3 origin = rps_vec3_zero();
    rps_quat axes = rps_quat_identity();
    if (rps_node_number(node, "mass_of", 0.0) == 0.0) take_mass_of_mesh(world, in, def, &origin, &axes);
    for (size_t k = 0; k < count; k++) {
        piece[k] = rps_piece_def_default();
        piece[k].shape = rps_shape_sphere.name;
        piece[k].parameter[0] = in->fit.sphere[k].radius;
        piece[k].material = def->material;
        const rps_vec3 at = rps_vec3_sub(in->fit.sphere[k].center, origin);
        rps_vec3_put(piece[k].position, rps_quat_rotate(rps_quat_conjugate(axes), at));
    }
    def->piece = piece;
    def->pieces = (int)count;
    return RPS_OK;
}

void rps_fits_release(rps_scene *scene) {
    for (rps_scene_fit *in = scene->fits; in != NULL; in = in->next) rps_sphere_fit_release(&in->fit);
    scene->fits = NULL;
}
