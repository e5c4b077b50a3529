/* A sphere against a cylinder: one feature, the point of the cylinder's surface nearest to the sphere's centre. */
#ifndef RPS_DETECT_PAIR_SPHERE_CYLINDER_H
#define RPS_DETECT_PAIR_SPHERE_CYLINDER_H

#include "detect/touch.h"

/* i: the sphere, j: the cylinder. As rps_touch_find. DEEP: overlap above a tenth of the smaller of both widths. A centre
 * inside the cylinder goes out by the nearest of side and ends; on the axis, by some direction across it. */
rps_touch_result rps_sphere_cylinder_touch(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff,
                                           rps_touch *out);
/* The gap itself, m. */
double rps_sphere_cylinder_gap(const rps_side *i, const rps_side *j, rps_vec3 d);

#endif
