/*
 * Parallel cylinders, and a cylinder that lies on a plane: contact along a line, for laws that are stated for lines.
 *
 * The strip is as long as both lie beside each other. It has two features, the points of Gauss's rule at l/(2 sqrt 3)
 * from the middle of the strip, each of which stands for half of it: so a load that varies linearly along the strip,
 * as when one axis leans a little, has the right sum and the right moment. Each point sees its own overlap and
 * normal, between the points of both axes in the plane across the mean axis. The effect of the ends of a strip on the
 * load is neglected.
 *
 * This holds for axes that lean by less than RPS_LINE_LEAN; cross-sections are then circles to 1e-5.
 */
#ifndef RPS_DETECT_PAIR_LINE_H
#define RPS_DETECT_PAIR_LINE_H

#include "detect/touch.h"

#define RPS_LINE_LEAN 0.01 /* sine of the angle between the axes, or of an axis and the plane */

/* Whether two pieces can touch along a line at all: two cylinders, or a cylinder and a plane. */
bool rps_line_shapes(const rps_side *i, const rps_side *j);
/* Sine of the angle between both axes, or between the axis and the plane. */
double rps_line_lean(const rps_side *i, const rps_side *j);
/* As rps_touch_find, of feature 0 or 1; sets length and radii too. Leaning is not looked at. */
rps_touch_result rps_line_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double cutoff,
                                rps_touch *out);
/* A lower bound of the gap of the two pieces, m, whatever they lean. */
double rps_line_gap(const rps_side *i, const rps_side *j, rps_vec3 d);

#endif
