/* Any bounded convex shape against a plane: one feature, the point of the shape farthest into the plane. */
#ifndef RPS_DETECT_PAIR_PLANE_SMOOTH_H
#define RPS_DETECT_PAIR_PLANE_SMOOTH_H

#include "detect/touch.h"

/* i: the shape; plane: orientation turns +z to the outward normal, which is the contact's. d: the origin of i less any
 * point of the plane, from which arm_j goes to the foot of C_i. As rps_touch_find. DEEP: overlap above a tenth of the
 * smallest width. */
rps_touch_result rps_plane_smooth_touch(const rps_side *i, const rps_side *plane, rps_vec3 d, double cutoff,
                                        rps_touch *out);
/* The gap itself, m. */
double rps_plane_smooth_gap(const rps_side *i, const rps_side *plane, rps_vec3 d);

#endif
