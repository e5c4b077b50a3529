/* Slide friction of Luding 2008: static and dynamic friction by test force; the mode is the sliding flag. */
#include "law/test_force.h"

RPS_KERNEL(slide_luding) {
    const double k = constant[RPS_LUDING_STIFFNESS], mu_s = constant[RPS_LUDING_STATIC];
    const double mu_k = constant[RPS_LUDING_KINETIC], given = constant[RPS_LUDING_DAMPER], rate = b->rate;
    const double critical = 2.0 * constant[RPS_LUDING_DAMPING] * sqrt(k);
    RPS_IN(cap_load);
    RPS_IN(damper_mass_sqrt);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(xi, b->memory[RPS_LUDING_XI]);
    RPS_VECTOR(last, b->memory[RPS_LUDING_BOOK]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    RPS_EACH_CONTACT(c) {
        rps_vec3 x0 = {xi_x[c], xi_y[c], xi_z[c]}, dx = {slip_x[c], slip_y[c], slip_z[c]};
        double n = cap_load[c];
        rps_test_force s =
            rps_test_force_step(x0, dx, mode[c], k, mu_s * n, mu_k * n, given + critical * damper_mass_sqrt[c], rate);
        double work =
            0.5 * (((last_x[c] + s.load.x) * dx.x + (last_y[c] + s.load.y) * dx.y) + (last_z[c] + s.load.z) * dx.z);
        xi_x[c] = s.x.x;
        xi_y[c] = s.x.y;
        xi_z[c] = s.x.z;
        last_x[c] = s.load.x;
        last_y[c] = s.load.y;
        last_z[c] = s.load.z;
        force_x[c] = s.load.x;
        force_y[c] = s.load.y;
        force_z[c] = s.load.z;
        mode[c] = s.mode;
        elastic[c] = s.elastic;
        energy[c] = s.energy;
        dissipated[c] = work + s.released;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_luding_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    return rps_luding_prepare(setup, "slide", constant, err);
}

static rps_law_spring slide_luding_spring(const double *constant, const rps_law_contact *contact) {
    const double k = constant[RPS_LUDING_STIFFNESS];
    const double critical = 2.0 * sqrt(contact->damper_mass * k);
    return (rps_law_spring){k, constant[RPS_LUDING_DAMPER] + constant[RPS_LUDING_DAMPING] * critical};
}

static void slide_luding_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    rps_luding_cone(constant, 1.0, cone);
}

const rps_law rps_law_slide_luding = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "luding",
    .summary = "static and dynamic friction by test force: the cap is on spring and dashpot together",
    .citation = "Luding 2008, Granul. Matter 10",
    .parameter = {{"static", "", "static friction coefficient mu_s", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
                  {"kinetic", "", "dynamic friction coefficient mu_d; default: static", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_KINETIC},
                  {"stiffness", "N/m", "k_t", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS},
                  RPS_LUDING_DASHPOT},
    .memory = {{"xi", "m", "spring of the tangential force", RPS_MEMORY_TANGENT},
               {"slide_force", "N", "force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = RPS_LUDING_EXCEPTION,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_luding_prepare,
    .effective = rps_luding_effective,
    .spring = slide_luding_spring,
    .cone = slide_luding_cone_of,
    .nonsmooth = "in slip its spring holds the whole force",
    .kernel = RPS_LAW_KERNELS(slide_luding),
};
#endif
