/*
 * Spin friction of Luding 2008: the test-force scheme on R_eff w_n, a torque R_eff f about the normal. R_eff is
 * computed from the mean curvatures, 1/(H_i + H_j), which for spheres is R_i R_j/(R_i + R_j).
 */
#include "law/test_force.h"

RPS_KERNEL(spin_luding) {
    const double k = constant[RPS_LUDING_STIFFNESS], mu_s = constant[RPS_LUDING_STATIC];
    const double mu_k = constant[RPS_LUDING_KINETIC], given = constant[RPS_LUDING_DAMPER], rate = b->rate;
    const double critical = 2.0 * constant[RPS_LUDING_DAMPING] * sqrt(k);
    RPS_IN(cap_load);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN(twist_radius);
    RPS_IN(twist_radius_mean);
    RPS_IN(spin);
    RPS_AS(xi, b->memory[RPS_LUDING_XI][0]);
    RPS_AS(last, b->memory[RPS_LUDING_BOOK][0]);
    RPS_AS(mode, b->mode[RPS_ROLE_SPIN][0]);
    RPS_LANE(spin_torque);
    RPS_BOOKS(RPS_ROLE_SPIN);
    RPS_EACH_CONTACT(c) {
        double psi = spin[c], n = cap_load[c], r = twist_radius[c];
        rps_vec3 x0 = {xi[c], 0.0, 0.0}, dx = {twist_radius_mean[c] * psi, 0.0, 0.0};
        double d = given + critical * damper_inertia_sqrt[c] / r;
        rps_test_force s = rps_test_force_step(x0, dx, mode[c], k, mu_s * n, mu_k * n, d, rate);
        double torque = r * s.load.x;
        dissipated[c] = 0.5 * (last[c] + torque) * psi + s.released;
        xi[c] = s.x.x;
        last[c] = torque;
        spin_torque[c] = torque;
        mode[c] = s.mode;
        elastic[c] = s.elastic * r;
        energy[c] = s.energy;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status spin_luding_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    return rps_luding_prepare(setup, "spin", constant, err);
}

static rps_law_spring spin_luding_spring(const double *constant, const rps_law_contact *contact) {
    return rps_luding_turning(constant, contact, contact->twist_radius);
}

static void spin_luding_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    rps_luding_cone(constant, contact->twist_radius, cone);
}

const rps_law rps_law_spin_luding = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SPIN,
    .name = "luding",
    .summary = "pseudo-force by test force over R_eff w_n, as a torque: the cap is on spring and dashpot together",
    .citation = "Luding 2008, Granul. Matter 10",
    .parameter = {{"static", "", "mu_o: static torque over R_eff N", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
                  {"kinetic", "", "dynamic torque over R_eff N; default: static", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_KINETIC},
                  {"stiffness", "N/m", "k_o of the pseudo-force; default: the slide law's", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_STIFFNESS},
                  RPS_LUDING_DASHPOT},
    .memory = {{"xi_spin", "m", "spring of the pseudo-force", RPS_MEMORY_SCALAR | RPS_MEMORY_LINEAR},
               {"spin_torque", "N m", "torque of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = RPS_LUDING_EXCEPTION,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_inertia_sqrt) | RPS_ARRAY(twist_radius) |
             RPS_ARRAY(twist_radius_mean) | RPS_ARRAY(spin),
    .writes = RPS_ARRAY(spin_torque) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = spin_luding_prepare,
    .effective = rps_luding_effective,
    .spring = spin_luding_spring,
    .cone = spin_luding_cone_of,
    .nonsmooth = "in slip its spring holds the whole torque",
    .kernel = RPS_LAW_KERNELS(spin_luding),
};
#endif
