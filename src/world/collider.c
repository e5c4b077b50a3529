/*
 * Trees over the pieces of bodies that have many, in the axes of the body.
 *
 * Bodies that share their pieces share the tree. It is made when the body is added and never changes: pieces do not move
 * against their body.
 */
#include <math.h>
#include <string.h>

#include "shape/shape.h"
#include "world/world_internal.h"

static int compare(const rps_collider *c, size_t first, size_t count) {
    if (c->first != first) return c->first < first ? -1 : 1;
    return (c->count > count) - (c->count < count);
}

/* Where a collider of these pieces is in the sorted list, or would be. */
static size_t collider_place_of(const rps_world *world, size_t first, size_t count) {
    size_t low = 0, high = world->colliders;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&world->collider[middle], first, count) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const rps_collider *find(const rps_world *world, size_t first, size_t count) {
    const size_t place = collider_place_of(world, first, count);
    if (place == world->colliders || compare(&world->collider[place], first, count) != 0) return NULL;
    return &world->collider[place];
}

static rps_box box_of(const rps_piece *piece) {
    const double *q = piece->orientation;
    const rps_mat3 turn = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_shape_bounds bounds = rps_shape_at((int)piece->shape)->bounds(piece->parameter, &turn);
    rps_box box;
    rps_vec3_put(box.low, rps_vec3_add(rps_vec3_of(piece->offset), bounds.low));
    rps_vec3_put(box.high, rps_vec3_add(rps_vec3_of(piece->offset), bounds.high));
    return box;
}

static rps_status make(const rps_world *world, size_t first, size_t count, rps_collider *out, rps_error *err) {
    size_t bytes;
    void *block;
    *out = (rps_collider){.first = first, .count = count, .half_width = INFINITY};
    RPS_TRY(rps_size_of_items(count, sizeof(rps_box), &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &block, err));
    rps_box *box = block;
    for (size_t k = 0; k < count; k++) {
        const rps_piece *piece = &world->piece[first + k];
        box[k] = box_of(piece);
        out->half_width = piece->half_width < out->half_width ? piece->half_width : out->half_width;
    }
    const rps_status status = rps_box_tree_build(world->allocator, box, count, &out->tree, err);
    rps_memory_release(world->allocator, block, bytes);
    return status;
}

rps_status rps_world_add_collider(rps_world *world, size_t first, size_t count, rps_error *err) {
    if (count < RPS_COLLIDER_FROM || find(world, first, count) != NULL) return RPS_OK;
    const size_t item = sizeof *world->collider, place = collider_place_of(world, first, count);
    size_t bytes;
    void *list = world->collider;
    RPS_TRY(rps_size_of_items(world->colliders + 1, item, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &list, &world->collider_bytes, world->colliders * item, bytes, err));
    world->collider = list;
    rps_collider collider;
    RPS_TRY(make(world, first, count, &collider, err));
    memmove(world->collider + place + 1, world->collider + place, (world->colliders - place) * item);
    world->collider[place] = collider;
    world->colliders++;
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
    world->colliders = 0;
}

const rps_collider *rps_body_collider(const rps_world *world, size_t slot) {
    const int32_t first = world->bodies.piece[slot][0], count = world->bodies.pieces[slot][0];
    return count < RPS_COLLIDER_FROM ? NULL : find(world, (size_t)first, (size_t)count);
}
