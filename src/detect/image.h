/*
 * Periodic images of fixed and driven bodies, which may be large compared to a period.
 *
 * Free bodies are small compared to a period: two of them meet in the nearest image of their centres. A piece of a
 * fixed or driven body may have any size. Then, for each axis:
 *
 *   endless  Boxes, capsules and cylinders with an axis along the period, at least as long: their images form one
 *            endless prism. The piece is shifted along it so that the other one never sees an end. Planes are endless
 *            along every period.
 *   wide     If the extents of both pieces and the reach of their laws exceed half a period, two neighboring images of
 *            the piece may touch the other one at the same time. Each is a contact of its own, identified by the
 *            parity of the image number.
 *   else     The nearest image of the pieces, not of the centres of their bodies.
 */
#ifndef RPS_DETECT_IMAGE_H
#define RPS_DETECT_IMAGE_H

#include "detect/touch.h"
#include "world/world.h"

/* Two pieces, with the difference of their origins, x_i - x_j in the nearest image of the bodies plus both offsets,
 * m. */
typedef struct rps_image_pair {
    const rps_side *i, *j;
    size_t slot_i,
        slot_j; /* SIZE_MAX: piece of a free object that is no body of the world, for rps_image_near with code 0 */
    rps_vec3 d;
} rps_image_pair;

/* True if images of these two must be examined: the world is periodic, one of them is not free, neither is a plane. */
bool rps_image_matters(const rps_world *world, const rps_image_pair *pair);

/* The image of a contact: an offset into rps_subkey_make's feature, 0: the nearest on all axes. In base 3 one digit
 * for each axis: 0 nearest or endless, 1 even, 2 odd; not all three are 1 or 2. */
enum { RPS_IMAGE_CODES = 25, RPS_IMAGES_MOST = 8 };

/* x_i - x_j of the image `code`, m. shift: displacement of an endless piece relative to it, m: the true difference is
 * the sum of both; endless: bit k for piece i and bit 3 + k for piece j that are endless along axis k. */
rps_vec3 rps_image_choose(const rps_world *world, const rps_image_pair *pair, unsigned code, rps_vec3 *shift,
                          unsigned *endless);
/* The bits of `endless` if one of both is a plane: along all periods of the cell. Else 0. */
unsigned rps_image_of_plane(const rps_world *world, bool plane_is_i, bool plane_is_j);
/* All images that may come within P/4 of each other while `code` holds, for bounds of gaps; the first is that of
 * rps_image_choose. Returns how many. */
int rps_image_near(const rps_world *world, const rps_image_pair *pair, unsigned code, rps_vec3 d[RPS_IMAGES_MOST]);
/* All codes that contacts of this pair can have. radius_i, radius_j: m, of the spheres around both pieces; reach: m, of
 * their laws. Returns how many. */
int rps_image_codes(const rps_world *world, const rps_image_pair *pair, double radius_i, double radius_j, double cutoff,
                    unsigned code[RPS_IMAGES_MOST]);

/* True if the images of two fixed or driven pieces are distinguishable. False, with the axis, if both are wide. */
bool rps_image_fits(const rps_world *world, const rps_image_pair *pair, double radius_i, double radius_j, double cutoff,
                    int *axis);

/* Checks that these rules hold for the fixed and driven bodies next to free bodies of that radius (with the reach of
 * laws). The error names body, axis and remedy. */
rps_status rps_image_check(const rps_world *world, double free_radius, rps_error *err);
/* Checks a rotation of the body: an endless one may rotate only about the axis of its period. */
rps_status rps_image_check_turn(const rps_world *world, size_t slot, const rps_drive *drive, rps_error *err);

#endif
