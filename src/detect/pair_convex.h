/*
 * The common normal of any two convex bodies, at one point: the general pair, the reference for every closed form.
 *
 * n maximises sep(n) = n.d - h_i(-n) - h_j(n), h the support functions: the distance of separated bodies and the
 * negative of the smallest translation that separates overlapping ones. Normal and overlap are found to 1e-12 of the
 * bodies' size, points to that times the local condition number (they are undetermined between parallel flat places).
 */
#ifndef RPS_DETECT_PAIR_CONVEX_H
#define RPS_DETECT_PAIR_CONVEX_H

#include "detect/touch.h"

/* As rps_touch_find (touch.h), for bounded shapes. RPS_TOUCH_DEEP above a tenth of the smaller of both widths, and if
 * the bounds of the fall-back did not meet within its memory. */
rps_touch_result rps_convex_touch(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff,
                                  const rps_touch_start *warm, rps_touch *out);
/* The same; *steps (may be NULL) counts the steps of Newton's method and of the polytopes. */
rps_touch_result rps_convex_touch_steps(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff,
                                        const rps_touch_start *warm, rps_touch *out, int *steps);

/* A lower bound of the gap, m, equal to it (negative: the overlap) where that is below a hundredth of the smaller
 * body's bounding radius. */
double rps_convex_gap(const rps_side *i, const rps_side *j, rps_vec3 d);

#endif
