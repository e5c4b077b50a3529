/*
 * Geometry of a joint: the poses of its two bodies, its coordinates, and by how much its points are apart.
 */
#ifndef RPS_STEP_JOINT_POSE_H
#define RPS_STEP_JOINT_POSE_H

#include "base/vec.h"
#include "world/joint.h"

typedef struct rps_joint_pose {
    rps_vec3 x[2], branch[2]; /* m, unwrapped centres; from these to the anchors */
    rps_quat q[2];            /* from the joint's axes to the world's */
    rps_vec3 separation;      /* m, from the anchor of the second to that of the first */
    rps_vec3 axis[3];         /* of the second body */
    rps_vec3 first[3];        /* of the first body */
} rps_joint_pose;

/* Of the present poses; not of a coupling, which has no bodies of its own. */
void rps_joint_look(const rps_world *world, const rps_joint *joint, rps_joint_pose *pose);

/* Direction of coordinate k: of the velocity of the point, or of turning. */
rps_vec3 rps_joint_coordinate_axis(const rps_joint *joint, const rps_joint_pose *pose, int k);
/* m or rad; whole turns are counted from the last position. */
double rps_joint_coordinate_now(const rps_joint *joint, const rps_joint_pose *pose, int k);

/* m a radian, of a screw; and m, by which it is behind its angle. */
double rps_joint_lead(const rps_joint *joint);
double rps_joint_screw_error(const rps_joint *joint, const rps_joint_pose *pose);
/* m, by which the points are off what the joint says. */
double rps_joint_point_error(const rps_joint *joint, const rps_joint_pose *pose);
/* From the point of the second body to that of the first, of length 1; the axis of the joint where they coincide. */
rps_vec3 rps_joint_line(const rps_joint_pose *pose);

#endif
