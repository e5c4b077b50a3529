/*
 * Parallel cylinders, and a cylinder that lies on a plane: contact along a line, for line laws.
 *
 * The strip covers the common length of both. It has two features, the points of Gauss's rule at l/(2 sqrt 3) from
 * the middle of the strip; each represents half of it. So a load that varies linearly along the strip, as when one
 * axis leans slightly, has the correct sum and moment. Each point has its own overlap and normal, between the points
 * of both axes in the plane across the mean axis. The effect of the ends of a strip on the load is neglected.
 *
 * This holds for axes that lean by less than RPS_LINE_LEAN; cross-sections are then circles to 1e-5.
 */
#ifndef RPS_DETECT_PAIR_LINE_H
#define RPS_DETECT_PAIR_LINE_H

#include "detect/touch.h"

#define RPS_LINE_LEAN 0.01 /* sine of the angle between the axes, or of an axis and the plane */

/* True if two pieces can touch along a line: two cylinders, or a cylinder and a plane. */
bool rps_line_shapes(const rps_side *i, const rps_side *j);
/* Sine of the angle between both axes, or between the axis and the plane. */
double rps_line_lean(const rps_side *i, const rps_side *j);
/* As rps_touch_find, for feature 0 or 1; sets length and radii too. Does not check the angle of the axes. */
rps_touch_result rps_line_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double cutoff,
                                rps_touch *out);
/* A lower bound of the gap of the two pieces, m, at any angle of the axes. */
double rps_line_gap(const rps_side *i, const rps_side *j, rps_vec3 d);

#endif
