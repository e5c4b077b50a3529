/*
 * Viscous roll friction: a torque proportional to the speed of rolling, without memory and without a cap. Brilliantov
 * & Poeschel 1998: a viscous sphere that rolls with the speed v feels the torque k N v, with k a time of its
 * material; model B of Ai et al. 2011 is the same form.
 *
 *   torque = (D + k R_eff N) w_r,    k = `time` [s], so that k w_r is the coefficient of rolling of that speed,
 * or D = `damper` [N m s/rad], independent of the load
 *
 * A body at rest on a slope creeps: its speed is proportional to the slope.
 */
#include <math.h>

#include "base/status.h"
#include "base/vec.h"
#include <repose/law_kernel.h>

enum { P_TIME, P_DAMPER };
enum { TIME, DAMPER };
enum { TORQUE }; /* memory, for the ledger alone */

RPS_KERNEL(roll_viscous) {
    const double time = constant[TIME], damper = constant[DAMPER], rate = b->rate;
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
        double x = ix[c] + jx[c], y = iy[c] + jy[c], z = iz[c] + jz[c];
        /* no load, no friction */
        double d = (damper + time * radius_eff[c] * cap_load[c]) * rate * (cap_load[c] > 0.0 ? 1.0 : 0.0);
        double tx = d * x, ty = d * y, tz = d * z;
        /* work of the step: mean of the torques at its ends times the rolling */
        dissipated[c] = 0.5 * (((last_x[c] + tx) * x + (last_y[c] + ty) * y) + (last_z[c] + tz) * z);
        last_x[c] = tx;
        last_y[c] = ty;
        last_z[c] = tz;
        ti_x[c] = tx;
        ti_y[c] = ty;
        ti_z[c] = tz;
        tj_x[c] = tx;
        tj_y[c] = ty;
        tj_z[c] = tz;
        mode[c] = elastic[c] = energy[c] = 0.0;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status roll_viscous_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[P_TIME]) == isnan(v[P_DAMPER])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "roll law `viscous` %s: give `time`, k of the torque k R_eff N w, or `damper`, D of D w",
                        isnan(v[P_TIME]) ? "has no coefficient" : "is given both `time` and `damper`");
    }
    constant[TIME] = isnan(v[P_TIME]) ? 0.0 : v[P_TIME];
    constant[DAMPER] = isnan(v[P_DAMPER]) ? 0.0 : v[P_DAMPER];
    return RPS_OK;
}

static rps_law_spring roll_viscous_spring(const double *constant, const rps_law_contact *contact) {
    return (rps_law_spring){0.0, constant[DAMPER] + constant[TIME] * contact->radius_eff * fabs(contact->normal_load)};
}

const rps_law rps_law_roll_viscous = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "viscous",
    .summary = "torque k R_eff N w or D w against the rolling, without memory or cap: creeps on a slope",
    .citation = "Brilliantov & Poeschel 1998, Europhys. Lett. 42; model B of Ai et al. 2011",
    .parameter = {{"time", "s", "k: the torque is k R_eff N w", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damper", "N m s/rad", "D: the torque is D w, whatever the load", 0.0, 1e300, NAN, NULL,
                   RPS_PARAMETER_OTHER}},
    .memory = {{"roll_torque", "N m", "torque of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = {{"whole load within the static cap", "it has neither a static branch nor a cap",
                   "Brilliantov & Poeschel 1998"}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(radius_eff) | RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j),
    .writes = RPS_ARRAY(roll_torque_i) | RPS_ARRAY(roll_torque_j) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) |
              RPS_ARRAY(dissipated),
    .prepare = roll_viscous_prepare,
    .spring = roll_viscous_spring,
    .nonsmooth = "its torque has no cap, and a cone is nothing else; take tracked, iwashita_oda or constant_torque",
    .kernel = RPS_LAW_KERNELS(roll_viscous),
};
#endif
