/*
 * The shape of a body in a slot, as all code asks for it.
 *
 * A body is a sphere (in a planar world a disk), a plane, or it has pieces: primitives of any bounded shape (world.piece).
 * A body of one shape that is neither sphere nor plane has one piece. Two fields tell which of the three it is: `piece`,
 * the number of its first piece, -1 without pieces, and the radius, which is 0 of planes alone. Kernels read the same
 * two fields; nothing else reads them to learn the shape (tools/check_shape).
 *
 * The radius in the pose is that of the sphere or disk, or of the smallest sphere about the centre that holds the
 * pieces.
 */
#ifndef RPS_WORLD_BODY_SHAPE_H
#define RPS_WORLD_BODY_SHAPE_H

#include "world/world.h"

typedef enum rps_body_shape { RPS_BODY_SPHERE, RPS_BODY_PLANE, RPS_BODY_PIECES, RPS_BODY_SHAPES } rps_body_shape;

static inline bool rps_body_has_pieces(const rps_bodies *bodies, size_t slot) {
    return bodies->piece[slot][0] >= 0;
}
static inline bool rps_body_is_plane(const rps_bodies *bodies, size_t slot) {
    return !(bodies->pose[slot].radius[0] > 0.0);
}
static inline rps_body_shape rps_body_shape_of(const rps_bodies *bodies, size_t slot) {
    if (rps_body_has_pieces(bodies, slot)) return RPS_BODY_PIECES;
    return rps_body_is_plane(bodies, slot) ? RPS_BODY_PLANE : RPS_BODY_SPHERE;
}

/* How many pieces it has; 0: a sphere or a plane. */
static inline int32_t rps_body_piece_count(const rps_bodies *bodies, size_t slot) {
    return bodies->pieces[slot][0];
}
/* How many shapes make it up: itself, or its pieces. */
static inline int32_t rps_body_shape_count(const rps_bodies *bodies, size_t slot) {
    return rps_body_has_pieces(bodies, slot) ? rps_body_piece_count(bodies, slot) : 1;
}
/* Its pieces, side by side; NULL: a sphere or a plane. */
static inline const rps_piece *rps_body_pieces(const rps_world *world, size_t slot) {
    return rps_body_has_pieces(&world->bodies, slot) ? world->piece + world->bodies.piece[slot][0] : NULL;
}
/* Index of its shape in the list of shapes; of several pieces that of the first. */
static inline int rps_body_shape_index(const rps_bodies *bodies, size_t slot) {
    return bodies->shape[slot][0];
}

/* Whether some piece of it is a mesh. */
bool rps_body_has_mesh(const rps_world *world, size_t slot);
/* Whether some of its pieces are sheets. */
bool rps_body_has_sheets(const rps_world *world, size_t slot);
/* The curvatures that a ball of that radius may meet on the hollow side of its sheets, at most, 1/m, at least 0; contacts
 * that are more conformal than RPS_SHEET_CONFORMAL are not counted, since they are refused. */
void rps_body_hollow(const rps_world *world, size_t slot, double radius, double out[2]);
/* Whether all its pieces are sheets (shape/shape.h) or meshes that are not solid: it has no volume and no mass. */
bool rps_body_is_sheets(const rps_world *world, size_t slot);
/* The radius of a body in a contact: its own for a sphere, 0 for a plane, else half of the smallest width, which is 0 with a sheet. */
double rps_body_half_width(const rps_world *world, size_t slot);
/* m, of the sphere of the same volume; infinite for a plane; of sheets alone that of the sphere that holds them. */
double rps_body_equal_radius(const rps_world *world, size_t slot);
/* The tree of its pieces; NULL: the body has few pieces or none. */
const rps_collider *rps_body_collider(const rps_world *world, size_t slot);

#endif
