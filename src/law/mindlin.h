/*
 * Shared by the slide laws of Hertz contacts: a tangential spring whose stiffness follows the contact radius, K = 8
 * G* a, 1/G* = (2 - nu_i)/G_i + (2 - nu_j)/G_j, capped at mu N, with a damper in stick.
 *
 *   T0' = s T0                          s = 1: the force is carried; K1/K0: the displacement; min(1, K1/K0): Walton
 *   T1  = T0' + K1 ds ;  |T1| > mu N:  T1 *= mu N/|T1|, mode = slip
 *   load = T1 + [stick] D ds/dt
 *
 * mu is kinetic where the last evaluation slipped, else static; the dashpot in stick reaches the static cap at most.
 *
 * The laws differ only in s, which says how T changes with the contact radius. The stored energy is T^2/(2 K); the
 * rest of the work of the step, (load0 + load1)/2 . ds - (E1 - E0), is recorded as dissipated. So the ledger closes
 * to round-off and shows energy that a law creates: with s = 1 a falling K, and with s = K1/K0 a rising K, records
 * negative dissipation (Elata & Berryman 1996).
 */
#ifndef RPS_LAW_MINDLIN_H
#define RPS_LAW_MINDLIN_H

#include <math.h>

#include "base/status.h"
#include "base/vec.h"
#include <repose/law_kernel.h>

/* Constants of the laws. */
enum {
    RPS_MINDLIN_FRICTION, /* static */
    RPS_MINDLIN_SHEAR,    /* Pa, G* */
    RPS_MINDLIN_DAMPING,  /* D/(2 sqrt(m K)) */
    RPS_MINDLIN_DASHPOT,  /* D/sqrt(m_eff S), S the normal stiffness */
    RPS_MINDLIN_DECREASE, /* 1: T falls with K */
    RPS_MINDLIN_INCREASE, /* 1: T rises with K */
    RPS_MINDLIN_UNLIMITED,
    RPS_MINDLIN_KINETIC, /* the last: hertz2d, of one coefficient, does without */
    RPS_MINDLIN_CONSTANTS
};
/* Memory. */
enum { RPS_MINDLIN_FORCE, RPS_MINDLIN_RADIUS, RPS_MINDLIN_BOOK };
/* The first parameters. */
enum { RPS_MINDLIN_P_FRICTION, RPS_MINDLIN_P_SHEAR, RPS_MINDLIN_P_OWN, RPS_MINDLIN_P_KINETIC, RPS_MINDLIN_P_NEXT };

/* mu_k: kinetic coefficient. */
static inline __attribute__((always_inline)) void rps_mindlin(const rps_batch *b, const double *constant, double mu_k) {
    const double mu_s = constant[RPS_MINDLIN_FRICTION], per_radius = 8.0 * constant[RPS_MINDLIN_SHEAR];
    const double damping = 2.0 * constant[RPS_MINDLIN_DAMPING], dashpot = constant[RPS_MINDLIN_DASHPOT];
    const double decrease = constant[RPS_MINDLIN_DECREASE], increase = constant[RPS_MINDLIN_INCREASE];
    const double unlimited = constant[RPS_MINDLIN_UNLIMITED], rate = b->rate;
    RPS_IN(cap_load);
    RPS_IN(contact_radius);
    RPS_IN(stiffness);
    RPS_IN(mass_eff);
    RPS_IN(damper_mass_sqrt);
    RPS_IN_AS(dx, b->slip[0]);
    RPS_IN_AS(dy, b->slip[1]);
    RPS_IN_AS(dz, b->slip[2]);
    RPS_VECTOR(t, b->memory[RPS_MINDLIN_FORCE]);
    RPS_AS(radius, b->memory[RPS_MINDLIN_RADIUS][0]);
    RPS_VECTOR(damper, b->memory[RPS_MINDLIN_BOOK]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    RPS_EACH_CONTACT(c) {
        const double k0 = per_radius * radius[c], k1 = per_radius * contact_radius[c];
        const double cap = (mode[c] > 0.5 ? mu_k : mu_s) * cap_load[c];
        const double ratio = k0 > 0.0 ? k1 / k0 : 1.0;
        const double follows = ratio < 1.0 ? decrease : increase;
        const double s = follows > 0.5 ? ratio : 1.0;
        const double x0 = t_x[c], y0 = t_y[c], z0 = t_z[c];
        double x = s * x0 + k1 * dx[c], y = s * y0 + k1 * dy[c], z = s * z0 + k1 * dz[c];
        const double raw = sqrt((x * x + y * y) + z * z);
        const double slip = raw > cap ? 1.0 : 0.0;
        const double cut = slip > 0.5 ? cap / raw : 1.0;
        x *= cut;
        y *= cut;
        z *= cut;
        const double viscous = damping * damper_mass_sqrt[c] * sqrt(k1) + dashpot * sqrt(stiffness[c] * mass_eff[c]);
        /* a zero cap disables the damper too */
        const double sticks = cap > 0.0 ? 1.0 - slip : 0.0;
        const double d = sticks > 0.5 ? viscous : 0.0;
        double lx = x + d * (rate * dx[c]), ly = y + d * (rate * dy[c]), lz = z + d * (rate * dz[c]);
        const double top = mu_s * cap_load[c] + unlimited;
        const double total = sqrt((lx * lx + ly * ly) + lz * lz);
        const double over = total > top ? 1.0 - slip : 0.0;
        const double shrink = over > 0.5 ? top / total : 1.0;
        lx *= shrink;
        ly *= shrink;
        lz *= shrink;
        const double square0 = (x0 * x0 + y0 * y0) + z0 * z0, square1 = (x * x + y * y) + z * z;
        const double stored0 = k0 > 0.0 ? 0.5 * square0 / k0 : 0.0;
        const double stored1 = k1 > 0.0 ? 0.5 * square1 / k1 : 0.0;
        const double work = 0.5 * (((x0 + damper_x[c] + lx) * dx[c] + (y0 + damper_y[c] + ly) * dy[c]) +
                                   (z0 + damper_z[c] + lz) * dz[c]);
        t_x[c] = x;
        t_y[c] = y;
        t_z[c] = z;
        radius[c] = contact_radius[c];
        damper_x[c] = lx - x;
        damper_y[c] = ly - y;
        damper_z[c] = lz - z;
        mode[c] = slip;
        force_x[c] = lx;
        force_y[c] = ly;
        force_z[c] = lz;
        elastic[c] = sqrt(square1);
        energy[c] = stored1;
        dissipated[c] = work - (stored1 - stored0);
    }
}

#if RPS_LAW_DESCRIPTOR
/* G* in Pa: as given, or from the materials; NAN if neither is known. An infinite modulus means a rigid body. */
static inline double rps_mindlin_shear(const rps_law_setup *setup, double given) {
    double compliance = 0.0;
    for (int k = 0; k < 2; k++) {
        if (isinf(setup->young[k])) continue;
        const double nu = setup->poisson[k];
        compliance += (2.0 - nu) * 2.0 * (1.0 + nu) / setup->young[k];
    }
    return isnan(given) ? 1.0 / compliance : given;
}

/* Friction, G*, the limit of the damper. `law` is the name in error messages. */
static inline rps_status rps_mindlin_prepare(const rps_law_setup *setup, const char *law, double *constant,
                                             rps_error *err) {
    const double mu = setup->value[RPS_MINDLIN_P_FRICTION];
    if (isnan(mu)) {
        return rps_fail(err, RPS_BAD_INPUT, "slide law `%s` needs `friction`, the coefficient mu", law);
    }
    const double kinetic = setup->value[RPS_MINDLIN_P_KINETIC];
    if (kinetic > mu) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `%s`: kinetic (%g) is above friction (%g), the static coefficient; friction at rest is "
            "at least that in motion: raise friction or lower kinetic",
            law, kinetic, mu);
    }
    if (!(setup->normal_exponent > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `%s` takes its stiffness from the contact radius, which an imposed normal load does "
                        "not have: use normal law hertz, or slide law tracked or cundall_strack",
                        law);
    }
    if (!isnan(setup->length)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `%s` is stated for contacts at a point; in a planar world disks touch along a line: use "
            "slide law tracked or cundall_strack",
            law);
    }
    const double shear = rps_mindlin_shear(setup, setup->value[RPS_MINDLIN_P_SHEAR]);
    if (!(shear > 0.0) || isinf(shear)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `%s` needs `young` and `poisson` of both materials, or its own "
                        "`effective_shear`",
                        law);
    }
    constant[RPS_MINDLIN_FRICTION] = mu;
    constant[RPS_MINDLIN_KINETIC] = isnan(kinetic) ? mu : kinetic;
    constant[RPS_MINDLIN_SHEAR] = shear;
    constant[RPS_MINDLIN_DAMPING] = constant[RPS_MINDLIN_DASHPOT] = 0.0;
    constant[RPS_MINDLIN_DECREASE] = constant[RPS_MINDLIN_INCREASE] = 0.0;
    constant[RPS_MINDLIN_UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? 1e200 : 0.0;
    return RPS_OK;
}

static inline rps_law_spring spring(const double *constant, const rps_law_contact *contact) {
    const double k = 8.0 * constant[RPS_MINDLIN_SHEAR] * contact->contact_radius;
    const double critical = 2.0 * constant[RPS_MINDLIN_DAMPING] * sqrt(contact->damper_mass * k);
    const double dashpot = constant[RPS_MINDLIN_DASHPOT] * sqrt(contact->mass_eff * contact->normal_stiffness);
    return (rps_law_spring){k, critical + dashpot};
}

/* In the nonsmooth stepper. */
static inline void rps_mindlin_cone(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    cone->threshold[0] = cone->threshold[1] = constant[RPS_MINDLIN_FRICTION];
    cone->stiffness = spring(constant, contact).stiffness;
    cone->falls = constant[RPS_MINDLIN_DECREASE];
    cone->rises = constant[RPS_MINDLIN_INCREASE];
}

static inline void effective(const double *constant, double *value) {
    value[RPS_MINDLIN_P_SHEAR] = constant[RPS_MINDLIN_SHEAR];
    value[RPS_MINDLIN_P_KINETIC] = constant[RPS_MINDLIN_KINETIC];
}

/* clang-format off */
#define RPS_MINDLIN_PARAMETERS                                                                                   \
    {"friction", "", "friction coefficient mu; with `kinetic` that of rest", 0.0, 1e6, NAN, NULL,                \
     RPS_PARAMETER_FRICTION},                                                                                    \
    {"effective_shear", "Pa",                                                                                    \
     "G*, 1/G* = sum of (2 - nu)/G; default: from young and poisson of the materials", 1e-300, 1e300, NAN, NULL, \
     RPS_PARAMETER_OTHER}
#define RPS_MINDLIN_KINETIC_PARAMETER                                                                            \
    {"kinetic", "", "friction coefficient while the contact slides, at most `friction`; default: the same",      \
     0.0, 1e6, NAN, NULL, RPS_PARAMETER_KINETIC}
#define RPS_MINDLIN_DAMPING_PARAMETER                                                                            \
    {"damping", "", "damper in stick as a fraction of critical, 2 sqrt(m K); m by the form's damper_mass",       \
     0.0, 100.0, 0.0, NULL, RPS_PARAMETER_DAMPING}
#define RPS_MINDLIN_READS                                                                                        \
    (RPS_ARRAY(cap_load) | RPS_ARRAY(contact_radius) | RPS_ARRAY(stiffness) | RPS_ARRAY(mass_eff) |              \
     RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip))
#define RPS_MINDLIN_WRITES                                                                                       \
    (RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated))
#define RPS_MINDLIN_MEMORY                                                                                       \
    {{"T", "N", "elastic tangential force", RPS_MEMORY_TANGENT},                                                 \
     {"slide_radius", "m", "contact radius of the last evaluation", RPS_MEMORY_SCALAR},                          \
     {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}}
/* clang-format on */
#endif

#endif
