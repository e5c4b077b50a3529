/*
 * Trees over the pieces of bodies that have many, in the axes of the body.
 *
 * Bodies that share their pieces share the tree. It is built when the body is added and never changes, because pieces
 * do not move relative to their body.
 */
#include <math.h>

#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

rps_box rps_piece_box(const rps_piece *piece) {
    const double *q = piece->orientation;
    const rps_mat3 turn = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_shape_bounds bounds = rps_shape_at((int)piece->shape)->bounds(piece->parameter, &turn);
    rps_box box = {{0.0}, {0.0}};
    rps_vec3_put(box.low, rps_vec3_add(rps_vec3_of(piece->offset), bounds.low));
    rps_vec3_put(box.high, rps_vec3_add(rps_vec3_of(piece->offset), bounds.high));
    return box;
}

rps_status rps_pieces_tree(const rps_allocator *allocator, const rps_piece *piece, size_t count, rps_box_tree *out,
                           rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, sizeof(rps_box), &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    rps_box *box = block;
    for (size_t k = 0; k < count; k++) box[k] = rps_piece_box(&piece[k]);
    const rps_status status = rps_box_tree_build(allocator, box, count, out, err);
    rps_memory_release(allocator, block, bytes);
    return status;
}

/* Reserves memory for one more collider, and for the collider numbers of all pieces. */
static rps_status reserve(rps_world *world, rps_error *err) {
    size_t bytes;
    void *list = world->collider, *by_piece = world->collider_of;
    RPS_TRY(rps_size_of_items(world->colliders + 1, sizeof *world->collider, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &list, &world->collider_bytes,
                               world->colliders * sizeof *world->collider, bytes, err));
    world->collider = list;
    RPS_TRY(rps_size_of_items(world->pieces, sizeof(uint32_t), &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &by_piece, &world->collider_of_bytes,
                               world->collider_pieces * sizeof(uint32_t), bytes, err));
    world->collider_of = by_piece;
    for (; world->collider_pieces < world->pieces; world->collider_pieces++) {
        world->collider_of[world->collider_pieces] = 0;
    }
    return RPS_OK;
}

rps_status rps_world_add_collider(rps_world *world, size_t first, size_t count, rps_error *err) {
    if (count < RPS_COLLIDER_FROM) return RPS_OK;
    RPS_TRY(reserve(world, err));
    if (world->collider_of[first] != 0) return RPS_OK;
    rps_collider *collider = &world->collider[world->colliders];
    *collider = (rps_collider){.first = first, .count = count, .half_width = INFINITY};
    RPS_TRY(rps_pieces_tree(world->allocator, world->piece + first, count, &collider->tree, err));
    for (size_t k = first; k < first + count; k++) {
        const double half = world->piece[k].half_width;
        collider->half_width = half < collider->half_width ? half : collider->half_width;
    }
    world->collider_of[first] = (uint32_t)++world->colliders;
    return RPS_OK;
}

void rps_colliders_truncate(rps_world *world, size_t pieces) {
    while (world->colliders > 0 && world->collider[world->colliders - 1].first >= pieces) {
        rps_box_tree_release(world->allocator, &world->collider[--world->colliders].tree);
    }
}

void rps_colliders_release(rps_world *world) {
    for (size_t k = 0; k < world->colliders; k++) rps_box_tree_release(world->allocator, &world->collider[k].tree);
    rps_buffer_release(world->allocator, (void **)&world->collider, &world->collider_bytes);
    rps_buffer_release(world->allocator, (void **)&world->collider_of, &world->collider_of_bytes);
    world->colliders = world->collider_pieces = 0;
}

const rps_collider *rps_body_collider(const rps_world *world, size_t slot) {
    const int32_t count = rps_body_piece_count(&world->bodies, slot);
    if (count < RPS_COLLIDER_FROM) return NULL;
    const size_t first = (size_t)(rps_body_pieces(world, slot) - world->piece);
    if (first >= world->collider_pieces) return NULL;
    const uint32_t number = world->collider_of[first];
    if (number == 0 || world->collider[number - 1].count != (size_t)count) return NULL;
    return &world->collider[number - 1];
}
