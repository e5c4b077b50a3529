/*
 * Roll friction of Luding 2008: the test-force scheme on the rolling velocity R_eff w_r, whose force f produces only
 * the torque R_eff f and accelerates no body. The path is the integral of Wm^-1/2 dTheta, for spheres R_eff w_r dt.
 */
#include "law/test_force.h"

RPS_KERNEL(roll_luding) {
    const double k = constant[RPS_LUDING_STIFFNESS], mu_s = constant[RPS_LUDING_STATIC];
    const double mu_k = constant[RPS_LUDING_KINETIC], given = constant[RPS_LUDING_DAMPER], rate = b->rate;
    const double critical = 2.0 * constant[RPS_LUDING_DAMPING] * sqrt(k);
    RPS_IN(cap_load);
    RPS_IN(radius_eff);
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
    RPS_VECTOR(xi, b->memory[RPS_LUDING_XI]);
    RPS_VECTOR(last, b->memory[RPS_LUDING_BOOK]);
    RPS_VECTOR(ti, b->roll_torque_i);
    RPS_VECTOR(tj, b->roll_torque_j);
    RPS_AS(mode, b->mode[RPS_ROLE_ROLL][0]);
    RPS_BOOKS(RPS_ROLE_ROLL);
    RPS_EACH_CONTACT(c) {
        double x = ix[c] + jx[c], y = iy[c] + jy[c], z = iz[c] + jz[c];
        rps_vec3 x0 = {xi_x[c], xi_y[c], xi_z[c]}, dx;
        dx.x = 0.5 * (muu[c] * x + muw[c] * y);
        dx.y = 0.5 * (muw[c] * x + mww[c] * y);
        dx.z = 0.5 * muu[c] * z;
        double n = cap_load[c], d = given + critical * damper_inertia_sqrt[c] / radius_eff[c];
        rps_test_force s = rps_test_force_step(x0, dx, mode[c], k, mu_s * n, mu_k * n, d, rate);
        double tx = 0.5 * (uu[c] * s.load.x + uw[c] * s.load.y);
        double ty = 0.5 * (uw[c] * s.load.x + ww[c] * s.load.y);
        double tz = 0.5 * uu[c] * s.load.z;
        double work = 0.5 * (((last_x[c] + tx) * x + (last_y[c] + ty) * y) + (last_z[c] + tz) * z);
        xi_x[c] = s.x.x;
        xi_y[c] = s.x.y;
        xi_z[c] = s.x.z;
        last_x[c] = tx;
        last_y[c] = ty;
        last_z[c] = tz;
        ti_x[c] = tx;
        ti_y[c] = ty;
        ti_z[c] = tz;
        tj_x[c] = tx;
        tj_y[c] = ty;
        tj_z[c] = tz;
        mode[c] = s.mode;
        elastic[c] = s.elastic * radius_eff[c];
        energy[c] = s.energy;
        dissipated[c] = work + s.released;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status roll_luding_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    return rps_luding_prepare(setup, "roll", constant, err);
}

static rps_law_spring roll_luding_spring(const double *constant, const rps_law_contact *contact) {
    return rps_luding_turning(constant, contact, 0.5 * contact->rolling_radius);
}

static void roll_luding_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    rps_luding_cone(constant, 0.5 * contact->rolling_radius, cone);
}

const rps_law rps_law_roll_luding = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "luding",
    .summary = "pseudo-force by test force over R_eff w_r, as a torque: the cap is on spring and dashpot together",
    .citation = "Luding 2008, Granul. Matter 10",
    .parameter = {{"static", "", "mu_r: static torque over R_eff N", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
                  {"kinetic", "", "dynamic torque over R_eff N; default: static", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_KINETIC},
                  {"stiffness", "N/m", "k_r of the pseudo-force; default: the slide law's", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_STIFFNESS},
                  RPS_LUDING_DASHPOT},
    .memory = {{"xi_roll", "m", "spring of the pseudo-force", RPS_MEMORY_TANGENT},
               {"roll_torque", "N m", "torque of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = RPS_LUDING_EXCEPTION,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(radius_eff) | RPS_ARRAY(damper_inertia_sqrt) | RPS_ARRAY(rolling_radius) |
             RPS_ARRAY(rolling_radius_mean) | RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j),
    .writes = RPS_ARRAY(roll_torque_i) | RPS_ARRAY(roll_torque_j) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) |
              RPS_ARRAY(dissipated),
    .prepare = roll_luding_prepare,
    .effective = rps_luding_effective,
    .spring = roll_luding_spring,
    .cone = roll_luding_cone_of,
    .nonsmooth = "in slip its spring holds the whole torque",
    .kernel = RPS_LAW_KERNELS(roll_luding),
};
#endif
