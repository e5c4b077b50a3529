/*
 * The six modes of a bond as springs on one of its bodies, for the step limit. Shear moves a body by translation and
 * by rotation about its centre; the arm goes from the centre to the middle of the bond, where the force acts.
 */
#include <math.h>

#include "step/bond_motion.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* 1 over the smallest moment of inertia, 0 for a body that no torque turns. */
static double most_mobile(const rps_world *world, size_t s) {
    const rps_bodies *bodies = &world->bodies;
    const double mean = bodies->motion[s].inverse_inertia[0];
    if (!rps_body_has_pieces(bodies, s) || !(mean > 0.0)) return mean;
    const double *moment = bodies->inertia[s];
    const double smallest = rps_smaller(rps_smaller(moment[0], moment[1]), moment[2]);
    return smallest > 0.0 ? rps_larger(1.0 / smallest, mean) : mean;
}

void rps_bond_modes_of(const rps_world *world, const rps_bond *bond, int side, rps_bond_mode mode[6]) {
    static const rps_role role[6] = {RPS_ROLE_SLIDE, RPS_ROLE_SLIDE, RPS_ROLE_NORMAL,
                                     RPS_ROLE_ROLL,  RPS_ROLE_ROLL,  RPS_ROLE_SPIN};
    rps_bond_motion motion;
    rps_bond_spring spring = {0}, damper = {0};
    rps_bond_motion_of(world, bond, &motion);
    world->bonds.setting[(size_t)bond->record.setting].law->spring(bond->constant, &spring, &damper);
    const double k[6] = {spring.shear, spring.shear, spring.stretch, spring.bend, spring.bend, spring.twist};
    const double c[6] = {damper.shear, damper.shear, damper.stretch, damper.bend, damper.bend, damper.twist};
    double mass[2], inertia[2];
    rps_vec3 arm[2];
    for (int n = 0; n < 2; n++) {
        const size_t s = world->bodies.slot_of[bond->body[n]];
        mass[n] = world->bodies.motion[s].inverse_mass[0];
        inertia[n] = most_mobile(world, s);
        arm[n] = rps_vec3_add_scaled(motion.arm[n], n == 0 ? 0.5 : -0.5, motion.between);
    }
    const int o = 1 - side;
    const double root_mass = sqrt(mass[side]), root_inertia = sqrt(inertia[side]);
    for (int n = 0; n < 6; n++) {
        const rps_vec3 e = rps_quat_rotate(motion.axes, rps_vec3_make(n % 3 == 0, n % 3 == 1, n % 3 == 2));
        const rps_vec3 way = n < 3 ? rps_vec3_scale(e, root_mass) : rps_vec3_zero();
        const rps_vec3 about = rps_vec3_scale(n < 3 ? rps_vec3_cross(arm[side], e) : e, root_inertia);
        const double other = n < 3 ? mass[o] + inertia[o] * rps_vec3_norm2(rps_vec3_cross(arm[o], e)) : inertia[o];
        mode[n] = (rps_bond_mode){.direction = {way.x, way.y, way.z, about.x, about.y, about.z},
                                  .other2 = other,
                                  .stiffness = k[n],
                                  .damper = c[n],
                                  .role = role[n]};
    }
}

const char *rps_step_limit_mode(const rps_step_limit *limit) {
    static const char *const of_bond[RPS_ROLE_COUNT] = {[RPS_ROLE_NORMAL] = "bond stretch",
                                                        [RPS_ROLE_SLIDE] = "bond shear",
                                                        [RPS_ROLE_ROLL] = "bond bending",
                                                        [RPS_ROLE_SPIN] = "bond twist"};
    return limit->bond ? of_bond[limit->role] : rps_role_name(limit->role);
}
