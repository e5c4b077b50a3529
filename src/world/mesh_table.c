/* The table of meshes, and the pieces that have the shape of one. */
#include "world/mesh_table.h"

#include <math.h>
#include <string.h>

#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

rps_status rps_world_take_mesh(rps_world *world, rps_mesh *mesh, const char *name, int *number, rps_error *err) {
    void *grown;
    char *copy = NULL;
    const size_t n = world->meshes;
    rps_status status = rps_string_copy(world->allocator, name != NULL ? name : "", &copy, err);
    if (status == RPS_OK) status = rps_list_grown(world->allocator, world->mesh, n, sizeof *world->mesh, &grown, err);
    if (status != RPS_OK) {
        if (copy != NULL) rps_string_release(world->allocator, copy);
        rps_mesh_release(mesh);
        return status;
    }
    rps_list_keep(world->allocator, world->mesh, n, sizeof *world->mesh, grown);
    world->mesh = grown;
    world->mesh[n] = (rps_world_mesh){*mesh, copy};
    *mesh = (rps_mesh){0};
    world->meshes++;
    if (world->mesh_slots == 0) world->mesh_slots = RPS_MESH_SLOTS;
    *number = (int)n;
    return RPS_OK;
}

void rps_world_meshes_release(rps_world *world) {
    for (size_t k = 0; k < world->meshes; k++) {
        rps_mesh_release(&world->mesh[k].mesh);
        rps_string_release(world->allocator, world->mesh[k].name);
    }
    rps_list_release(world->allocator, world->mesh, world->meshes, sizeof *world->mesh);
    world->mesh = NULL;
    world->meshes = 0;
}

const rps_mesh *rps_piece_mesh(const rps_world *world, const rps_piece *piece) {
    if ((int)piece->shape != RPS_SHAPE_INDEX(mesh)) return NULL;
    return &world->mesh[(size_t)piece->parameter[0]].mesh;
}

bool rps_body_has_mesh(const rps_world *world, size_t slot) {
    const rps_piece *piece = world->meshes > 0 ? rps_body_pieces(world, slot) : NULL;
    const int32_t count = piece != NULL ? rps_body_piece_count(&world->bodies, slot) : 0;
    for (int32_t k = 0; k < count; k++) {
        if (rps_piece_mesh(world, &piece[k]) != NULL) return true;
    }
    return false;
}

rps_status rps_mesh_take(const rps_world *world, const rps_body_def *def, const char *who, rps_piece *piece,
                         rps_error *err) {
    const double number = def->parameter[0];
    if (!(number >= 0.0 && number < (double)world->meshes)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no mesh number %g; the world has %zu (rps_world_add_mesh)",
                        who, number, world->meshes);
    }
    if (def->kind == RPS_BODY_FREE) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: a mesh can be a fixed or a driven body, not a free one: give a free body as a clump of "
                        "convex shapes",
                        who);
    }
    const rps_mesh *mesh = &world->mesh[(size_t)number].mesh;
    memset(piece, 0, sizeof *piece);
    piece->parameter[0] = number;
    for (int k = 0; k < 3; k++) {
        piece->parameter[1 + k] = mesh->box.low[k];
        piece->parameter[4 + k] = mesh->box.high[k];
    }
    double most = 0.0;
    for (size_t k = 0; k < mesh->points; k++) {
        const double far = rps_vec3_norm2(rps_vec3_of(mesh->point[k]));
        most = far > most ? far : most;
    }
    piece->parameter[7] = sqrt(most);
    piece->orientation[0] = 1.0;
    piece->radius = piece->parameter[7];
    piece->half_width = piece->equal_radius = INFINITY;
    piece->shape = RPS_SHAPE_INDEX(mesh);
    piece->material = (double)def->material;
    return RPS_OK;
}
