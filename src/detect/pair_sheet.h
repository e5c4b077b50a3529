/*
 * A convex body against a sheet (shape.h): the walls without thickness.
 *
 * A ball touches at its nearest point of each part of the sheet, on either side, over rims as over edges: exact. The
 * overlap is its radius less the distance, so its gradient is the normal. Rims have no curvature in contacts. Where a
 * ball passes from a curved sheet to its rim R_eff jumps, by a part R/(2 R_w) at most.
 *
 * Other bodies touch a sheet that is flat or hollow towards them at their farthest points. That is exact where the sheet
 * bounds a convex region, which holds them, and no rim is within their reach (rps_sheet_refuses): a core at its vertices,
 * which are balls, and a polyhedron at its tips; any other body on a flat part as on a plane. The region lies on the side of the
 * body's centre, so a vertex that has passed the sheet overlaps by more. An ellipsoid touches a curved part where both have one
 * normal: at one point of a part that bulges, and of a hollow that is flatter than the ellipsoid all over. All else is refused.
 */
#ifndef RPS_DETECT_PAIR_SHEET_H
#define RPS_DETECT_PAIR_SHEET_H

#include "detect/touch.h"

/* Products of the radius of a ball and the concave curvature of the wall. From the first on the contact is an area too large for
 * a law of point contacts: the radius of curvature of the gap is 20 times that of the ball. RPS_SHEET_NEAR warns of it. */
#define RPS_SHEET_CONFORMAL 0.95
#define RPS_SHEET_NEAR 0.8

/* Features with one part of a sheet, and with all parts. */
unsigned rps_sheet_part_features(const rps_side *i);
unsigned rps_sheet_features(const rps_side *i, const rps_side *sheet);
/* As rps_touch_find (touch.h), the sheet as body j. DEEP: the centre of a ball has nearly reached the sheet, the contact
 * is conformal, or the overlap of another body is above RPS_CORE_DEEP of its width. */
rps_touch_result rps_sheet_touch(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature, double cutoff,
                                 rps_touch *out);
/* A lower bound of the gap, m; of a ball the gap itself. */
double rps_sheet_gap(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature);
/* NULL if the contacts of the two are right wherever body i moves by less than `margin` (m); else why they may not be:
 * a part of a sentence. */
const char *rps_sheet_refuses(const rps_side *i, const rps_side *sheet, rps_vec3 d, double margin);

/* Gradient of the mean curvature of a sheet at a foot (m, world axes, from its origin) on the side of the unit vector n,
 * along the sheet, 1/m^2; 0 at rims. */
rps_vec3 rps_sheet_curvature_gradient(const rps_side *sheet, rps_vec3 branch, rps_vec3 n);

#endif
