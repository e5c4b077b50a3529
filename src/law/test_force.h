/*
 * Friction by test force, for one contact: the common part of the laws of Luding 2008 for slide, roll and spin.
 *
 *   f0 = k (xi + dx) + d dx/dt                      the test force
 *   |f0| <= top:  stick, f = f0, xi += dx           top = static cap, or kinetic if the last evaluation slipped
 *   else:         slip, f = (kinetic cap) f0/|f0|,  xi = (f - d dx/dt)/k
 *
 * The source tests with the spring of the previous step and stretches it afterwards; here the increment belongs to
 * the step just taken, so that force and spring refer to the same time. The cap applies to spring and dashpot
 * together. In slip the spring is the cap minus the dashpot: if d v exceeds the cap, it points against the force.
 *
 * The dissipation recorded is the work of the load less the change of k xi^2/2.
 */
#ifndef RPS_LAW_TEST_FORCE_H
#define RPS_LAW_TEST_FORCE_H

#include <math.h>

#include "base/status.h"
#include "base/vec.h"
#include <repose/law_kernel.h>

typedef struct rps_test_force {
    rps_vec3 x;    /* xi after the step */
    rps_vec3 load; /* f */
    double mode;   /* 0 stick, 1 slip */
    double elastic;
    double energy, released; /* k xi^2/2 now; its decrease in the step */
} rps_test_force;

static inline __attribute__((always_inline)) rps_test_force rps_test_force_step(rps_vec3 x0, rps_vec3 dx, double mode,
                                                                                double k, double cap_s, double cap_k,
                                                                                double d, double rate) {
    rps_test_force s;
    double c = d * rate;
    double dash_x = c * dx.x, dash_y = c * dx.y, dash_z = c * dx.z;
    double rx = x0.x + dx.x, ry = x0.y + dx.y, rz = x0.z + dx.z;
    double fx = k * rx + dash_x, fy = k * ry + dash_y, fz = k * rz + dash_z;
    double f2 = fx * fx + fy * fy + fz * fz;
    double top = mode > 0.5 ? cap_k : cap_s;
    double slip = f2 > top * top ? 1.0 : 0.0;
    double scale = slip > 0.5 ? cap_k / sqrt(f2) : 1.0;
    s.load.x = fx * scale;
    s.load.y = fy * scale;
    s.load.z = fz * scale;
    /* without a load the spring is cleared */
    double kept = top > 0.0 ? 1.0 : 0.0;
    s.x.x = (slip > 0.5 ? (s.load.x - dash_x) / k : rx) * kept;
    s.x.y = (slip > 0.5 ? (s.load.y - dash_y) / k : ry) * kept;
    s.x.z = (slip > 0.5 ? (s.load.z - dash_z) / k : rz) * kept;
    s.mode = slip;
    double x2 = s.x.x * s.x.x + s.x.y * s.x.y + s.x.z * s.x.z;
    s.elastic = k * sqrt(x2);
    s.energy = 0.5 * k * x2;
    s.released = 0.5 * k * (x0.x * x0.x + x0.y * x0.y + x0.z * x0.z) - s.energy;
    return s;
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

/* Parameters and constants, the same for the three. */
enum {
    RPS_LUDING_STATIC,
    RPS_LUDING_KINETIC,
    RPS_LUDING_STIFFNESS,
    RPS_LUDING_DAMPER,
    RPS_LUDING_DAMPING /* as a constant: fraction of 2 sqrt(m k), or 2 sqrt(I k)/R */
};
enum { RPS_LUDING_XI, RPS_LUDING_BOOK }; /* memory */

#define RPS_LUDING_DASHPOT                                                                                          \
    {"damper", "N s/m", "dashpot; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER}, {            \
        "damping", "", "dashpot as a fraction of critical; default 0", 0.0, 100.0, NAN, NULL, RPS_PARAMETER_DAMPING \
    }

/* The exceptions of all three. */
#define RPS_LUDING_EXCEPTION                                                                                        \
    {                                                                                                               \
        {"elastic part within its cap",                                                                             \
         "in slip xi = (f - d v)/k: with d v above the cap the spring points against the force; cure: damping "     \
         "0, or the law `tracked`, whose dashpot is off in slip",                                                   \
         "Luding 2008, Granul. Matter 10, section 2.4"},                                                            \
        {                                                                                                           \
            "passive",                                                                                              \
                "a dashpot that exceeds the cap loads the spring by (d v - cap)^2/2k, which no work has paid for, " \
                "and "                                                                                              \
                "the spring gives it back where the motion ends; cure: damping 0, or the law `tracked`",            \
                "Luding 2008, Granul. Matter 10, section 2.4"                                                       \
        }                                                                                                           \
    }

static inline rps_status rps_luding_prepare(const rps_law_setup *setup, const char *role, double *constant,
                                            rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[RPS_LUDING_STATIC])) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law `luding` has no `static`: give the static coefficient", role);
    }
    const double kinetic = isnan(v[RPS_LUDING_KINETIC]) ? v[RPS_LUDING_STATIC] : v[RPS_LUDING_KINETIC];
    if (v[RPS_LUDING_STATIC] < kinetic) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law `luding`: static (%g) is below kinetic (%g); friction at rest is at least that in "
                        "motion: raise static or lower kinetic",
                        role, v[RPS_LUDING_STATIC], kinetic);
    }
    const double k = isnan(v[RPS_LUDING_STIFFNESS]) ? setup->slide_value[2] : v[RPS_LUDING_STIFFNESS];
    if (isnan(k)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law `luding` has no `stiffness`: give it; roll and spin can take it from a slide law",
                        role);
    }
    if (!isnan(v[RPS_LUDING_DAMPER]) && !isnan(v[RPS_LUDING_DAMPING])) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law `luding` is given both `damper` and `damping`: leave one out",
                        role);
    }
    constant[RPS_LUDING_STATIC] = v[RPS_LUDING_STATIC];
    constant[RPS_LUDING_KINETIC] = kinetic;
    constant[RPS_LUDING_STIFFNESS] = k;
    constant[RPS_LUDING_DAMPER] = isnan(v[RPS_LUDING_DAMPER]) ? 0.0 : v[RPS_LUDING_DAMPER];
    constant[RPS_LUDING_DAMPING] = isnan(v[RPS_LUDING_DAMPING]) ? 0.0 : v[RPS_LUDING_DAMPING];
    return RPS_OK;
}

static inline void rps_luding_effective(const double *constant, double *value) {
    value[RPS_LUDING_KINETIC] = constant[RPS_LUDING_KINETIC];
    value[RPS_LUDING_STIFFNESS] = constant[RPS_LUDING_STIFFNESS];
    if (isnan(value[RPS_LUDING_DAMPER])) value[RPS_LUDING_DAMPING] = constant[RPS_LUDING_DAMPING];
}

/* In the nonsmooth stepper, with the moment arm r; 1 for slide. */
static inline void rps_luding_cone(const double *constant, double r, rps_law_cone *cone) {
    cone->threshold[0] = r * constant[RPS_LUDING_STATIC];
    cone->threshold[1] = r * constant[RPS_LUDING_KINETIC];
    cone->stiffness = r * r * constant[RPS_LUDING_STIFFNESS];
}

/* For roll and spin, with the moment arm r. */
static inline rps_law_spring rps_luding_turning(const double *constant, const rps_law_contact *contact, double r) {
    const double r2 = r * r, stiffness = constant[RPS_LUDING_STIFFNESS] * r2;
    const double critical = 2.0 * sqrt(contact->damper_inertia * stiffness);
    return (rps_law_spring){stiffness, constant[RPS_LUDING_DAMPER] * r2 + constant[RPS_LUDING_DAMPING] * critical};
}

#endif
