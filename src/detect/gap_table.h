/*
 * Narrow phase: the gap between the pieces of two bodies, one file per pair of shapes.
 *
 * A pair of shapes is implemented once, in its primary order; the table in gap_table.c gives the order of a pair of
 * bodies. This geometry is for lists and queries; the contact loop has its own, vectorised.
 */
#ifndef RPS_DETECT_GAP_TABLE_H
#define RPS_DETECT_GAP_TABLE_H

#include "detect/prediction.h"
#include "detect/touch.h"
#include "shape/shape.h"
#include "world/body_shape.h"

/* gap[k], m, between the bodies in slots a[k] and b[k]: the negative overlap. */
typedef void (*rps_gap_function)(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count,
                                 double *gap);

void rps_gap_sphere_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap);
/* Contacts of records with offsets (segment.h). subkey: of the pieces, by pair. */
void rps_gap_sphere_pieces(const rps_world *world, const uint32_t *a, const uint32_t *b, const rps_subkey *subkey,
                           size_t count, double *gap);
/* Primary order: a are planes, b are spheres. */
void rps_gap_plane_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap);

/* The same for pairs of one class; pairs that have no gap function (two planes) are infinitely apart. sub: pieces and
 * features, a being i and b being j of the key; NULL: all 0. For general shapes the gap is a lower bound, which is
 * tight when small. */
typedef struct rps_pair_class {
    rps_record record;
    rps_body_shape a, b;
} rps_pair_class;
void rps_pair_gaps(const rps_world *world, rps_pair_class of, const uint32_t *a, const uint32_t *b,
                   const rps_subkey *subkey, size_t count, double *gap);

/* The smallest gaps within the next `time` s if all bodies keep their predicted velocities and planes their
 * orientation; a lower bound for bodies with pieces. pass2: m^2/s^2, squared speed at which the two pass each other,
 * along the normal for a plane. */
void rps_pair_swept_gaps(const rps_world *world, const rps_prediction *prediction, rps_pair_class of, const uint32_t *a,
                         const uint32_t *b, const rps_subkey *subkey, size_t count, double time, double *gap,
                         float *pass2);

/* A piece of a body for a contact. offset: from the body's centre to the origin of the shape, m, world axes. */
void rps_pair_side(const rps_world *world, size_t slot, uint32_t piece, rps_side *side, rps_vec3 *offset);
/* Both pieces of a contact, and how they lie in the periodic image of the contact. */
typedef struct rps_pair_sides {
    rps_side i, j;
    rps_quat body_i, body_j;     /* from the axes of the bodies to the world's */
    rps_vec3 offset_i, offset_j; /* m, from the centres of the bodies to the origins of the pieces, world axes */
    rps_vec3 d;                  /* m, origin of piece i less that of piece j */
    rps_vec3 shift;              /* of endless pieces: as rps_image_choose gives them */
    unsigned endless;
} rps_pair_sides;
rps_pair_sides rps_pair_sides_of(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey);
/* Gradients of the mean curvatures of both pieces at a contact that was found (rps_touch_curvature_gradient). */
void rps_pair_curvature_gradients(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey,
                                  const rps_touch *touch, rps_vec3 *gradient_i, rps_vec3 *gradient_j);
/* x_i - x_j, m, nearest image; a plane's is never wrapped. */
rps_vec3 rps_pair_difference(const rps_world *world, size_t slot_i, size_t slot_j);
/* A lower bound of the gap of a contact of bodies with pieces, m, in any image of its pieces that may come near. */
double rps_pair_gap(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey);
/* Geometry of a contact of two bodies (see touch.h); all arms begin at the centres of the bodies. */
rps_touch_result rps_pair_touch(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey, double cutoff,
                                const rps_touch_start *warm, rps_touch *out);

/* The same for a ball and a mesh whose contact is known: unit normal from j into i, and overlap (m). wrench: of a smooth body. FOUND or
 * DEEP. */
rps_touch_result rps_pair_put_mesh(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey,
                                   rps_vec3 normal, double overlap, const rps_mesh_wrench *wrench, rps_touch *out);

/* Whether a contact with this overlap (m) is deeper than its geometry is valid for. The overlap of a ball and a mesh must be known, as
 * their contacts are found for all pieces of the surface at once; of others it is found again. */
bool rps_pair_is_deep(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey, double overlap);

/* False for pairs of shapes that never touch. */
bool rps_pair_exists(rps_body_shape a, rps_body_shape b);

#endif
