/* A box, its edges and corners rounded if a radius is given. Its inside/outside function is the signed distance. */
#include "shape/parts.h"

enum { SIZE, ROUNDING = SIZE + 3 };

static rps_shape_core core(const double *parameter) {
    const double r = parameter[ROUNDING];
    rps_shape_core c = {.radius = r};
    for (int k = 0; k < 3; k++) c.half[k] = rps_core_half(0.5 * parameter[SIZE + k] - r, r);
    return c;
}

static rps_status box_check(const double *parameter, rps_error *err) {
    double smallest = rps_smaller(rps_smaller(parameter[SIZE], parameter[SIZE + 1]), parameter[SIZE + 2]);
    if (!(parameter[ROUNDING] <= 0.5 * smallest)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the rounding of the box is %g m, but its shortest edge is only %g m; expected at most half of "
                        "that edge",
                        parameter[ROUNDING], smallest);
    }
    const rps_shape_core c = core(parameter);
    RPS_TRY(rps_core_check("box", &c, err));
    return rps_shape_check_aspect("box", &parameter[SIZE], err);
}

#include "shape/core_shape.inc"

const rps_shape rps_shape_box = {
    .name = "box",
    .summary = "a box, with sharp or rounded edges",
    .parameter = {{"size", "m", "lengths of the edges along x, y, z", 0.0, INFINITY, .components = 3},
                  {"rounding", "m", "radius of edges and corners, at most half the shortest edge", 0.0, INFINITY,
                   .flags = RPS_SHAPE_MAY_BE_LOW}},
    .check = box_check,
    RPS_CORE_SHAPE,
};
