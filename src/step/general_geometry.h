/*
 * Writes the geometry of a contact of bodies with pieces to the lanes of its batch (general_geometry.c).
 */
#ifndef RPS_STEP_GENERAL_GEOMETRY_H
#define RPS_STEP_GENERAL_GEOMETRY_H

#include "detect/touch.h"
#include "step/batch.h"

/* Of entry c, a pair that is apart. overlap: m, the negative of a lower bound of the gap. */
void rps_geometry_apart(const rps_batch_task *task, rps_lanes *lanes, int c, double overlap);
/* Of entry c, a pair that touches or existed. deep: deeper than the geometry is valid for; gradient: of the mean
 * curvatures of i and j, 1/m^2, which do not count where the bodies are apart or flat. */
void rps_geometry_put(const rps_batch_task *task, rps_lanes *lanes, int c, const rps_touch *touch, bool deep,
                      const rps_vec3 gradient[2]);
/* Where the contact point on a piece or plane jumps by a period as the other body passes to the next image: shifts the old
 * point by the same period, so that the path between both is that of the surfaces. endless: as in rps_touch; branch_i,
 * branch_j: m, present points. */
void rps_geometry_follow_images(const rps_batch_task *task, int c, unsigned endless, rps_vec3 branch_i,
                                rps_vec3 branch_j);

#endif
