/*
 * Roll friction of constant torque: mu_r R_eff N against the rolling of this step, the oldest rolling law. It has no
 * memory and no state of rest: where a body should stop, the torque keeps changing sign from step to step, and a body
 * at rest on a slope creeps. It is here for comparison. Zhou, Wright, Yang, Xu & Yu 1999, model A of Ai et al. 2011.
 */
#include <math.h>

#include "base/status.h"
#include "base/vec.h"
#include <repose/law_kernel.h>

enum { MU };
enum { TORQUE }; /* memory, for the ledger alone */

RPS_KERNEL(roll_constant) {
    const double mu = constant[MU];
    RPS_IN(cap_load);
    RPS_IN(radius_eff);
    RPS_IN_AS(ix, b->roll_i[0]);
    RPS_IN_AS(iy, b->roll_i[1]);
    RPS_IN_AS(iz, b->roll_i[2]);
    RPS_IN_AS(jx, b->roll_j[0]);
    RPS_IN_AS(jy, b->roll_j[1]);
    RPS_IN_AS(jz, b->roll_j[2]);
    RPS_VECTOR(last, b->memory[TORQUE]);
    RPS_VECTOR(ti, b->roll_torque_i);
    RPS_VECTOR(tj, b->roll_torque_j);
    RPS_AS(mode, b->mode[RPS_ROLE_ROLL][0]);
    RPS_BOOKS(RPS_ROLE_ROLL);
    RPS_EACH_CONTACT(c) {
        rps_vec3 d = {ix[c] + jx[c], iy[c] + jy[c], iz[c] + jz[c]};
        double ax = fabs(d.x), ay = fabs(d.y), az = fabs(d.z);
        double most = ax > ay ? ax : ay;
        most = az > most ? az : most;
        /* scaled by the largest component first: squares of slow creep would underflow */
        double unit = most > 0.0 ? most : 1.0;
        double x = d.x / unit, y = d.y / unit, z = d.z / unit;
        double norm = sqrt((x * x + y * y) + z * z);
        double t = mu * radius_eff[c] * cap_load[c] / (most > 0.0 ? norm : 1.0);
        double tx = t * x, ty = t * y, tz = t * z;
        /* work of the step: mean of the torques at its ends times the rolling */
        dissipated[c] = 0.5 * (((last_x[c] + tx) * d.x + (last_y[c] + ty) * d.y) + (last_z[c] + tz) * d.z);
        last_x[c] = tx;
        last_y[c] = ty;
        last_z[c] = tz;
        ti_x[c] = tx;
        ti_y[c] = ty;
        ti_z[c] = tz;
        tj_x[c] = tx;
        tj_y[c] = ty;
        tj_z[c] = tz;
        mode[c] = most > 0.0 ? 1.0 : 0.0;
        elastic[c] = energy[c] = 0.0;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status roll_constant_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (isnan(setup->value[MU])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "roll law `constant_torque` needs `coefficient`, mu_r: the torque is "
                        "mu_r R_eff N");
    }
    constant[MU] = setup->value[MU];
    return RPS_OK;
}

/* Rigid below its threshold, so that what stands still stays. */
static void roll_constant_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    cone->threshold[0] = cone->threshold[1] = constant[MU] * contact->radius_eff;
}

const rps_law rps_law_roll_constant = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "constant_torque",
    .summary = "torque mu_r R_eff N against the rolling, without memory: never at rest",
    .citation = "Zhou et al. 1999, Physica A 269; model A of Ai et al. 2011",
    .parameter = {{"coefficient", "", "mu_r, the torque over R_eff N", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_FRICTION}},
    .memory = {{"roll_torque", "N m", "torque of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = {{"whole load within the static cap",
                   "it has no static branch: the torque is full from the first roll", "Ai et al. 2011"}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(radius_eff) | RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j),
    .writes = RPS_ARRAY(roll_torque_i) | RPS_ARRAY(roll_torque_j) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) |
              RPS_ARRAY(dissipated),
    .prepare = roll_constant_prepare,
    .cone = roll_constant_cone_of,
    .nonsmooth = "there it holds at rest",
    .kernel = RPS_LAW_KERNELS(roll_constant),
};
#endif
