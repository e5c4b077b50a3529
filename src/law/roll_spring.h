/*
 * A capped rolling spring with a dashpot that is off at the cap: the common part of the spring-dashpot laws of the
 * literature, for one shared history. Their K_R = k R_eff^2 is treated as a spring k over the length R_eff theta,
 * here the integral of Wm^-1/2 dTheta (for spheres R_eff w_r dt). This is the same law for spheres, and it conserves
 * energy where the curvature changes. A stiffness K_R given directly acts on the angle.
 */
#ifndef RPS_LAW_ROLL_SPRING_H
#define RPS_LAW_ROLL_SPRING_H

#include <math.h>

#include "base/status.h"
#include "law/spring.h"
#include <repose/law_kernel.h>

/* Constants of the kernel. */
enum {
    RPS_ROLL_K,        /* N/m, k of k R_eff^2; 0 if K_R is given */
    RPS_ROLL_K_R,      /* N m/rad, K_R given, else 0 */
    RPS_ROLL_MU,       /* cap of the torque over R_eff N */
    RPS_ROLL_WIDTH,    /* cap of the torque over 2 a N, a the contact radius */
    RPS_ROLL_DAMPER,   /* N m s/rad, given */
    RPS_ROLL_CRITICAL, /* fraction of 2 sqrt(I K_R) */
    RPS_ROLL_UNLIMITED,
    RPS_ROLL_AT_CAP, /* fraction of the dashpot that acts at the cap */
    RPS_ROLL_CONSTANTS
};
enum { RPS_ROLL_S, RPS_ROLL_BOOK }; /* memory */

#define RPS_ROLL_SPRING_READS                                                                                   \
    (RPS_ARRAY(cap_load) | RPS_ARRAY(radius_eff) | RPS_ARRAY(contact_radius) | RPS_ARRAY(damper_inertia_sqrt) | \
     RPS_ARRAY(rolling_radius) | RPS_ARRAY(rolling_radius_mean) | RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j))
#define RPS_ROLL_SPRING_WRITES                                                                      \
    (RPS_ARRAY(roll_torque_i) | RPS_ARRAY(roll_torque_j) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | \
     RPS_ARRAY(dissipated))

#define RPS_ROLL_SPRING_MEMORY                                                                                    \
    {                                                                                                             \
        {"s_roll", "m or rad", "R_eff theta, or theta where K_R is given", RPS_MEMORY_TANGENT}, {                 \
            "roll_damper", "N or N m", "damper load of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK \
        }                                                                                                         \
    }

/* retains: at the cap the dashpot keeps the fraction RPS_ROLL_AT_CAP. */
static inline __attribute__((always_inline)) void rps_roll_spring(const rps_batch *b, const double *constant,
                                                                  const bool retains) {
    const double at_cap = retains ? constant[RPS_ROLL_AT_CAP] : 0.0;
    const double k_given = constant[RPS_ROLL_K_R], k = constant[RPS_ROLL_K] + k_given;
    const double angle = k_given > 0.0 ? 1.0 : 0.0, mu = constant[RPS_ROLL_MU], width = 2.0 * constant[RPS_ROLL_WIDTH];
    const double damper_given = constant[RPS_ROLL_DAMPER], critical = 2.0 * constant[RPS_ROLL_CRITICAL] * sqrt(k);
    const double unlimited = constant[RPS_ROLL_UNLIMITED], rate = b->rate;
    RPS_IN(cap_load);
    RPS_IN(radius_eff);
    RPS_IN(contact_radius);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN_AS(uu, b->rolling_radius[0]);
    RPS_IN_AS(uw, b->rolling_radius[1]);
    RPS_IN_AS(ww, b->rolling_radius[2]);
    RPS_IN_AS(muu, b->rolling_radius_mean[0]);
    RPS_IN_AS(muw, b->rolling_radius_mean[1]);
    RPS_IN_AS(mww, b->rolling_radius_mean[2]);
    RPS_IN_AS(ix, b->roll_i[0]);
    RPS_IN_AS(iy, b->roll_i[1]);
    RPS_IN_AS(iz, b->roll_i[2]);
    RPS_IN_AS(jx, b->roll_j[0]);
    RPS_IN_AS(jy, b->roll_j[1]);
    RPS_IN_AS(jz, b->roll_j[2]);
    RPS_VECTOR(s, b->memory[RPS_ROLL_S]);
    RPS_VECTOR(book, b->memory[RPS_ROLL_BOOK]);
    RPS_VECTOR(ti, b->roll_torque_i);
    RPS_VECTOR(tj, b->roll_torque_j);
    RPS_AS(mode, b->mode[RPS_ROLE_ROLL][0]);
    RPS_BOOKS(RPS_ROLE_ROLL);
    RPS_EACH_CONTACT(c) {
        double x = ix[c] + jx[c], y = iy[c] + jy[c], z = iz[c] + jz[c];
        double r = radius_eff[c], n = cap_load[c];
        double arm = angle > 0.5 ? 1.0 : r;
        rps_vec3 dx;
        dx.x = angle > 0.5 ? x : 0.5 * (muu[c] * x + muw[c] * y);
        dx.y = angle > 0.5 ? y : 0.5 * (muw[c] * x + mww[c] * y);
        dx.z = angle > 0.5 ? z : 0.5 * muu[c] * z;
        double top = (mu * r + width * contact_radius[c]) * n / (arm * k);
        top = n > 0.0 ? top : 0.0;
        double d = (damper_given / arm + critical * damper_inertia_sqrt[c]) / arm;
        rps_vec3 x0 = {s_x[c], s_y[c], s_z[c]}, damper0 = {book_x[c], book_y[c], book_z[c]};
        rps_spring s = rps_spring_step(x0, dx, mode[c], damper0, k, k, top, top, d, rate, unlimited);
        if (retains) {
            double more = s.mode > 0.5 && n > 0.0 ? at_cap * d * rate : 0.0;
            s.damper = rps_vec3_add_scaled(s.damper, more, dx);
            s.load = rps_vec3_add_scaled(s.load, more, dx);
            s.dissipated += 0.5 * more * rps_vec3_norm2(dx);
        }
        s_x[c] = s.x.x;
        s_y[c] = s.x.y;
        s_z[c] = s.x.z;
        book_x[c] = s.damper.x;
        book_y[c] = s.damper.y;
        book_z[c] = s.damper.z;
        mode[c] = s.mode;
        double tx = angle > 0.5 ? s.load.x : 0.5 * (uu[c] * s.load.x + uw[c] * s.load.y);
        double ty = angle > 0.5 ? s.load.y : 0.5 * (uw[c] * s.load.x + ww[c] * s.load.y);
        double tz = angle > 0.5 ? s.load.z : 0.5 * uu[c] * s.load.z;
        ti_x[c] = tx;
        ti_y[c] = ty;
        ti_z[c] = tz;
        tj_x[c] = tx;
        tj_y[c] = ty;
        tj_z[c] = tz;
        elastic[c] = s.elastic * arm;
        energy[c] = s.energy;
        dissipated[c] = s.dissipated;
    }
}

/* Damper given directly, or `damping` (default: otherwise) times critical. */
static inline rps_status rps_roll_damper(const rps_law_setup *setup, double damper, double damping,
                                         double default_value, const char *law, double *constant, rps_error *err) {
    if (!isnan(damper) && !isnan(damping)) {
        return rps_fail(err, RPS_BAD_INPUT, "roll law `%s` is given both `damper` and `damping`: leave one out", law);
    }
    constant[RPS_ROLL_DAMPER] = isnan(damper) ? 0.0 : damper;
    constant[RPS_ROLL_CRITICAL] = isnan(damper) ? (isnan(damping) ? default_value : damping) : 0.0;
    constant[RPS_ROLL_UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? RPS_UNLIMITED : 0.0;
    return RPS_OK;
}

/* In the nonsmooth stepper. Torques on the spring over R_eff theta act by half the rolling radius. */
static inline void rps_roll_cone(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    const double half = 0.5 * contact->rolling_radius, a = contact->contact_radius, r = contact->radius_eff;
    const double arm = constant[RPS_ROLL_K_R] > 0.0 ? 1.0 : half / r;
    cone->threshold[0] = cone->threshold[1] = arm * (constant[RPS_ROLL_MU] * r + 2.0 * constant[RPS_ROLL_WIDTH] * a);
    cone->stiffness = constant[RPS_ROLL_K_R] + constant[RPS_ROLL_K] * half * half;
}

/* For the critical step. */
static inline rps_law_spring rps_roll_spring_of(const double *constant, const rps_law_contact *contact) {
    const double r = 0.5 * contact->rolling_radius;
    double stiffness = constant[RPS_ROLL_K_R] + constant[RPS_ROLL_K] * r * r;
    double damper =
        constant[RPS_ROLL_DAMPER] + 2.0 * constant[RPS_ROLL_CRITICAL] * sqrt(contact->damper_inertia * stiffness);
    return (rps_law_spring){stiffness, damper};
}

#endif
