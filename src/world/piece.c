/* The table of pieces, and the size of a body for contacts. */
#include <math.h>
#include <string.h>

#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

_Static_assert((int)RPS_SHAPE_NUMBERS_MOST == (int)RPS_SHAPE_PARAMETERS, "a shape has as many numbers for programs");

rps_piece_def rps_piece_def_default(void) {
    rps_piece_def def = {.shape = "sphere", .orientation = {1.0, 0.0, 0.0, 0.0}};
    for (int k = 0; k < RPS_SHAPE_NUMBERS_MOST; k++) def.parameter[k] = NAN;
    return def;
}

/* Equal bodies are usually added in sequence: they share their pieces. */
static bool same_as_last(const rps_world *world, const rps_piece *piece, size_t count) {
    return world->pieces - world->last_pieces == count && count > 0 &&
           memcmp(world->piece + world->last_pieces, piece, count * sizeof *piece) == 0;
}

rps_status rps_world_add_pieces(rps_world *world, const rps_piece *piece, size_t count, size_t *first, rps_error *err) {
    if (same_as_last(world, piece, count)) {
        *first = world->last_pieces;
        return RPS_OK;
    }
    if (world->pieces + count > INT32_MAX) {
        return rps_fail(err, RPS_BAD_INPUT, "a world holds at most %d pieces of bodies", INT32_MAX);
    }
    size_t bytes;
    void *capacity = world->piece;
    RPS_TRY(rps_size_of_items(world->pieces + count, sizeof *piece, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &capacity, &world->piece_bytes, world->pieces * sizeof *piece, bytes,
                               err));
    world->piece = capacity;
    memcpy(world->piece + world->pieces, piece, count * sizeof *piece);
    *first = world->last_pieces = world->pieces;
    world->pieces += count;
    return RPS_OK;
}

bool rps_body_has_sheets(const rps_world *world, size_t slot) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece == NULL || rps_body_half_width(world, slot) > 0.0) return false; /* a solid has a width */
    for (int32_t k = 0; k < rps_body_piece_count(&world->bodies, slot); k++) {
        if (rps_shape_is_sheet(rps_shape_at((int)piece[k].shape))) return true;
    }
    return false;
}

void rps_body_hollow(const rps_world *world, size_t slot, double radius, double out[2]) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    const double most = 0.95 / radius; /* RPS_SHEET_CONFORMAL */
    out[0] = out[1] = 0.0;
    for (int32_t k = 0; piece != NULL && k < rps_body_piece_count(&world->bodies, slot); k++) {
        const rps_shape *shape = rps_shape_at((int)piece[k].shape);
        double own[2];
        if (!rps_shape_is_sheet(shape)) continue;
        shape->hollow(piece[k].parameter, own);
        for (int d = 0; d < 2; d++) {
            const double bounded = own[d] < most ? own[d] : most;
            out[d] = bounded > out[d] ? bounded : out[d];
        }
    }
}

bool rps_body_is_sheets(const rps_world *world, size_t slot) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece == NULL) return false;
    for (int32_t k = 0; k < rps_body_piece_count(&world->bodies, slot); k++) {
        const rps_shape *shape = rps_shape_at((int)piece[k].shape);
        if (!rps_shape_is_sheet(shape) && !(shape->by_world && piece[k].equal_radius == INFINITY)) return false;
    }
    return true;
}

double rps_body_half_width(const rps_world *world, size_t slot) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece == NULL) return world->bodies.pose[slot].radius[0];
    const rps_collider *collider = rps_body_collider(world, slot);
    if (collider != NULL) return collider->half_width;
    double least = INFINITY;
    for (int32_t k = 0; k < rps_body_piece_count(&world->bodies, slot); k++) {
        const double half = piece[k].half_width;
        least = half < least ? half : least;
    }
    return least;
}

double rps_body_equal_radius(const rps_world *world, size_t slot) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece != NULL) return piece->equal_radius;
    return rps_body_is_plane(&world->bodies, slot) ? INFINITY : world->bodies.pose[slot].radius[0];
}

double rps_pair_curvature_floor(const rps_world *world, size_t slot_a, size_t slot_b) {
    const double a = rps_body_equal_radius(world, slot_a), b = rps_body_equal_radius(world, slot_b);
    return RPS_CURVATURE_FLOOR / (a < b ? a : b);
}
