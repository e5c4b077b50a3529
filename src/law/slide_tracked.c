/*
 * Slide friction by tracking the contact point: a spring over the slip S = sum of (p_i - p_j), capped at mu N/K_E,
 * static or kinetic by its mode, with a damper in stick. Fang & Negrut 2020, eqs. 1a-1c.
 */
#include "law/friction.h"
#include "law/spring.h"

enum { P_DAMPER = RPS_FRICTION_BASIC, P_DAMPING };
enum { K, CAP_S, CAP_K, DAMPER, DAMPER_PER_SQRT_MASS, UNLIMITED };
enum { S, BOOK_DAMPER };

/* report: a constant where this is inlined. */
static inline __attribute__((always_inline)) void slide(const rps_batch *b, const double *constant, const int report) {
    const double k = constant[K], cap_s = constant[CAP_S], cap_k = constant[CAP_K], rate = b->rate;
    const double unlimited = constant[UNLIMITED];
    const double d0 = constant[DAMPER], d1 = constant[DAMPER_PER_SQRT_MASS];
    RPS_IN(cap_load);
    RPS_IN(damper_mass_sqrt);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(s, b->memory[S]);
    RPS_VECTOR(damper, b->memory[BOOK_DAMPER]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    RPS_EACH_CONTACT(c) {
        rps_vec3 x0 = {s_x[c], s_y[c], s_z[c]}, dx = {slip_x[c], slip_y[c], slip_z[c]};
        rps_vec3 damper0 = {damper_x[c], damper_y[c], damper_z[c]};
        rps_spring s = rps_spring_step(x0, dx, mode[c], damper0, k, k, cap_s * cap_load[c], cap_k * cap_load[c],
                                       d0 + d1 * damper_mass_sqrt[c], rate, unlimited);
        s_x[c] = s.x.x;
        s_y[c] = s.x.y;
        s_z[c] = s.x.z;
        damper_x[c] = s.damper.x;
        damper_y[c] = s.damper.y;
        damper_z[c] = s.damper.z;
        mode[c] = s.mode;
        force_x[c] = s.load.x;
        force_y[c] = s.load.y;
        force_z[c] = s.load.z;
        dissipated[c] = s.dissipated;
        if (report) {
            elastic[c] = s.elastic;
            energy[c] = s.energy;
        }
    }
}

RPS_KERNEL(slide_tracked) {
    if (b->skip_diagnostics) {
        slide(b, constant, 0);
    } else {
        slide(b, constant, 1);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_tracked_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    double basic[3];
    RPS_TRY(rps_friction_basic(setup, "slide", basic, err));
    constant[K] = basic[2];
    constant[CAP_S] = basic[0] / basic[2];
    constant[CAP_K] = basic[1] / basic[2];
    RPS_TRY(rps_friction_damper(setup->value[P_DAMPER], setup->value[P_DAMPING], 2.0 * sqrt(basic[2]), "slide",
                                &constant[DAMPER], &constant[DAMPER_PER_SQRT_MASS], err));
    constant[UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? RPS_UNLIMITED : 0.0;
    return RPS_OK;
}

static rps_law_spring slide_tracked_spring(const double *constant, const rps_law_contact *contact) {
    double damper = constant[DAMPER] + constant[DAMPER_PER_SQRT_MASS] * sqrt(contact->damper_mass);
    return (rps_law_spring){constant[K], damper};
}

static void slide_tracked_effective(const double *constant, double *value) {
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[DAMPER_PER_SQRT_MASS] / (2.0 * sqrt(constant[K]));
}

static void slide_tracked_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->threshold[0] = constant[CAP_S] * constant[K];
    cone->threshold[1] = constant[CAP_K] * constant[K];
    cone->stiffness = constant[K];
}

const rps_law rps_law_slide_tracked = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "tracked",
    .summary = "spring over the tracked slip S, capped at mu N/K_E, with a damper in stick",
    .citation = "Fang & Negrut 2020, eqs. 1a-1c",
    .parameter = {{"static", "", "static friction coefficient mu_s", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
                  {"kinetic", "", "kinetic friction coefficient mu_k, at most static", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_KINETIC},
                  {"stiffness", "N/m", "K_E, stiffness of the micro-deflection", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_STIFFNESS},
                  {"damper", "N s/m", "K_D; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damping", "",
                   "K_D as a fraction of critical, 2 sqrt(m K_E); m by the form's damper_mass; default 1", 0.0, 100.0,
                   NAN, NULL, RPS_PARAMETER_DAMPING}},
    .memory = {{"S", "m", "slip micro-deflection", RPS_MEMORY_TANGENT},
               {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_tracked_prepare,
    .effective = slide_tracked_effective,
    .spring = slide_tracked_spring,
    .cone = slide_tracked_cone_of,
    .kernel = RPS_LAW_KERNELS(slide_tracked),
};
#endif
