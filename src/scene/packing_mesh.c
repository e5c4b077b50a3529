/* Meshes of grains at other sizes than those of their files. A mesh of another size is another mesh of the world. */
#include <string.h>

#include <repose/mesh.h>

#include "base/array.h"
#include "scene/packing.h"
#include "world/world_internal.h"

/* Adds a mesh times a factor, about its center along its principal axes. */
static rps_status add_scaled(rps_scaled_meshes *all, int number, double factor, int *made, rps_error *err) {
    const rps_mesh *mesh = &all->from->mesh[number].mesh;
    const rps_allocator *allocator = all->to->allocator;
    const size_t point_bytes = mesh->points * sizeof *mesh->point, bytes = point_bytes + mesh->triangles * 12;
    void *block;
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    double(*point)[3] = block;
    void *triangle = (char *)block + point_bytes;
    for (size_t n = 0; n < mesh->points; n++) {
        for (int k = 0; k < 3; k++) point[n][k] = factor * mesh->point[n][k];
    }
    memcpy(triangle, mesh->triangle, mesh->triangles * 12);
    rps_mesh_def def = rps_mesh_def_default();
    def.name = all->from->mesh[number].name;
    def.point = (const double(*)[3])point;
    def.points = mesh->points;
    def.triangle = triangle;
    def.triangles = mesh->triangles;
    def.solid = 1;
    const rps_status status = rps_world_add_mesh(all->to, &def, made, err);
    rps_memory_release(allocator, block, bytes);
    return status;
}

static rps_status find_scaled(rps_scaled_meshes *all, int number, double factor, int *made, rps_error *err) {
    for (size_t k = all->count; k-- > 0;) { /* the last ones are asked for again */
        if (all->item[k].number != number || all->item[k].factor != factor) continue;
        *made = all->item[k].made;
        return RPS_OK;
    }
    void *item = all->item;
    const size_t used = all->count * sizeof *all->item;
    const rps_status status =
        rps_buffer_reserve(all->to->allocator, &item, &all->bytes, used, used + sizeof *all->item, err);
    all->item = item;
    RPS_TRY(status);
    RPS_TRY(add_scaled(all, number, factor, made, err));
    all->item[all->count++] = (rps_scaled_mesh){number, factor, *made};
    return RPS_OK;
}

/* Poses are those of the axes of the file; the mesh made has its origin and axes where that of `from` has its center of mass and
 * principal axes, but for rounding. */
static rps_status scale_one(rps_scaled_meshes *all, double factor, double parameter[RPS_SHAPE_NUMBERS_MOST],
                            double position[3], double orientation[4], rps_error *err) {
    int made;
    const int number = (int)parameter[0];
    RPS_TRY(find_scaled(all, number, factor, &made, err));
    const rps_world_mesh *entry = &all->from->mesh[number];
    const double *q = orientation;
    const rps_quat turn = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_quat own = rps_quat_normalize(rps_quat_mul(turn, entry->axes));
    const rps_vec3 center = rps_quat_rotate(turn, rps_vec3_scale(entry->center, factor));
    parameter[0] = made;
    rps_vec3_put(position, rps_vec3_add(rps_vec3_of(position), center));
    memcpy(orientation, (const double[]){own.w, own.x, own.y, own.z}, 4 * sizeof *orientation);
    return RPS_OK;
}

rps_status rps_scaled_meshes_use(rps_scaled_meshes *all, const rps_particle_template *of, double factor,
                                 rps_body_def *def, rps_error *err) {
    if (def->piece == NULL) return scale_one(all, factor, def->parameter, def->position, def->orientation, err);
    for (int k = 0; k < def->pieces; k++) {
        rps_piece_def *piece = &of->scaled[k]; /* to which the definition refers */
        if (strcmp(piece->shape, rps_shape_mesh.name) != 0) continue;
        RPS_TRY(scale_one(all, factor, piece->parameter, piece->position, piece->orientation, err));
    }
    return RPS_OK;
}

void rps_scaled_meshes_pose(const rps_scaled_meshes *all, const rps_body_def *def, double factor, double position[3],
                            double orientation[4]) {
    if (def->piece != NULL) return;
    const int number = (int)def->parameter[0];
    const rps_world_mesh *entry = &all->from->mesh[number];
    size_t k = all->count;
    while (k > 1 && !(all->item[k - 1].number == number && all->item[k - 1].factor == factor)) k--;
    const rps_world_mesh *made = &all->to->mesh[all->item[k - 1].made];
    const rps_quat axes = rps_quat_normalize(rps_quat_mul(entry->axes, made->axes));
    const double *q = orientation;
    const rps_quat turn =
        rps_quat_normalize(rps_quat_mul((rps_quat){q[0], q[1], q[2], q[3]}, rps_quat_conjugate(axes)));
    const rps_vec3 center = rps_quat_rotate(turn, rps_vec3_scale(entry->center, factor));
    rps_vec3_put(position, rps_vec3_sub(rps_vec3_of(position), center));
    memcpy(orientation, (const double[]){turn.w, turn.x, turn.y, turn.z}, 4 * sizeof *orientation);
}

void rps_scaled_meshes_release(rps_scaled_meshes *all) {
    rps_buffer_release(all->to->allocator, (void **)&all->item, &all->bytes);
    all->count = 0;
}
