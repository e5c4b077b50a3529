/* Principal axes of a tensor of inertia. */
#ifndef RPS_BASE_PRINCIPAL_H
#define RPS_BASE_PRINCIPAL_H

#include "base/vec.h"

/* Of the trace: moments and products of inertia that are equal to round-off. */
#define RPS_PRINCIPAL_EXACT 1e-12

/* The axes in which the symmetric tensor `inertia` (of any unit) is diagonal, in the given axes; moment[3] gets the
 * principal moments. If the given axes are already principal, or moments are equal, there is no unnecessary rotation.
 * `tolerance`, relative to the trace, is what counts as equal. */
rps_quat rps_principal_axes(rps_mat3 inertia, double tolerance, double moment[3]);

#endif
