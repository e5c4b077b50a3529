/* A capsule: all points within a radius of a segment on the z axis, a cylinder with a hemisphere at each end. Its
 * inside/outside function is the signed distance. */
#include "shape/parts.h"

enum { RADIUS, LENGTH };

static rps_shape_core core(const double *parameter) {
    return (rps_shape_core){{0.0, 0.0, rps_core_half(0.5 * parameter[LENGTH], parameter[RADIUS])}, parameter[RADIUS]};
}

static rps_status capsule_check(const double *parameter, rps_error *err) {
    const rps_shape_core c = core(parameter);
    const double width = 2.0 * parameter[RADIUS];
    RPS_TRY(rps_core_check("capsule", &c, err));
    return rps_shape_check_aspect("capsule", (const double[]){width, width, parameter[LENGTH] + width}, err);
}

#include "shape/core_shape.inc"

const rps_shape rps_shape_capsule = {
    .name = "capsule",
    .summary = "a cylinder along z with a half ball on each end",
    .parameter = {{"radius", "m", "radius of the cylinder and of its ends", 0.0, INFINITY, 1, 0.0, 0},
                  {"length", "m", "length of the straight part", 0.0, INFINITY, 1, 0.0, 0}},
    .check = capsule_check,
    RPS_CORE_SHAPE,
};
