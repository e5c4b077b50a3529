/*
 * Cundall & Strack 1979: a linear spring over the accumulated slip, limited to mu N/k in sliding, with a dashpot that
 * is off while sliding. One friction coefficient; the default damper is sqrt(m k), half of critical. The form decides
 * whether spring and dashpot together may exceed mu N (damper: limited or free; free in the source).
 */
#include "law/spring.h"

#include "base/status.h"
#include <repose/law_kernel.h>

enum { P_FRICTION, P_STIFFNESS, P_DAMPER, P_DAMPING };
enum { CAP, K, DAMPER, DAMPER_PER_SQRT_MASS, UNLIMITED };
enum { XI, BOOK_DAMPER };

RPS_KERNEL(slide_cundall_strack) {
    const double cap = constant[CAP], k = constant[K], rate = b->rate, unlimited = constant[UNLIMITED];
    const double d0 = constant[DAMPER], d1 = constant[DAMPER_PER_SQRT_MASS];
    RPS_IN(cap_load);
    RPS_IN(damper_mass_sqrt);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(xi, b->memory[XI]);
    RPS_VECTOR(damper, b->memory[BOOK_DAMPER]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    RPS_EACH_CONTACT(c) {
        const double n = cap_load[c], most = cap * n;
        const double d = n > 0.0 ? d0 + d1 * damper_mass_sqrt[c] : 0.0;
        rps_vec3 x0 = {xi_x[c], xi_y[c], xi_z[c]}, dx = {slip_x[c], slip_y[c], slip_z[c]};
        rps_vec3 damper0 = {damper_x[c], damper_y[c], damper_z[c]};
        rps_spring s = rps_spring_step(x0, dx, mode[c], damper0, k, k, most, most, d, rate, unlimited);
        xi_x[c] = s.x.x;
        xi_y[c] = s.x.y;
        xi_z[c] = s.x.z;
        damper_x[c] = s.damper.x;
        damper_y[c] = s.damper.y;
        damper_z[c] = s.damper.z;
        mode[c] = s.mode;
        force_x[c] = s.load.x;
        force_y[c] = s.load.y;
        force_z[c] = s.load.z;
        elastic[c] = s.elastic;
        energy[c] = s.energy;
        dissipated[c] = s.dissipated;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_cundall_strack_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[P_FRICTION]) || isnan(v[P_STIFFNESS])) {
        return rps_fail(err, RPS_BAD_INPUT, "slide law `cundall_strack` needs `%s`",
                        isnan(v[P_FRICTION]) ? "friction" : "stiffness");
    }
    if (!isnan(v[P_DAMPER]) && !isnan(v[P_DAMPING])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `cundall_strack` is given both `damper` and `damping`: leave one out");
    }
    const double damping = isnan(v[P_DAMPING]) ? 0.5 : v[P_DAMPING];
    constant[K] = v[P_STIFFNESS];
    constant[CAP] = v[P_FRICTION] / v[P_STIFFNESS];
    constant[DAMPER] = isnan(v[P_DAMPER]) ? 0.0 : v[P_DAMPER];
    constant[DAMPER_PER_SQRT_MASS] = isnan(v[P_DAMPER]) ? damping * 2.0 * sqrt(v[P_STIFFNESS]) : 0.0;
    constant[UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? RPS_UNLIMITED : 0.0;
    return RPS_OK;
}

static rps_law_spring slide_cundall_strack_spring(const double *constant, const rps_law_contact *contact) {
    const double damper = constant[DAMPER] + constant[DAMPER_PER_SQRT_MASS] * sqrt(contact->damper_mass);
    return (rps_law_spring){constant[K], damper};
}

static void slide_cundall_strack_effective(const double *constant, double *value) {
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[DAMPER_PER_SQRT_MASS] / (2.0 * sqrt(constant[K]));
}

static void slide_cundall_strack_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->threshold[0] = cone->threshold[1] = constant[CAP] * constant[K];
    cone->stiffness = constant[K];
}

const rps_law rps_law_slide_cundall_strack = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "cundall_strack",
    .summary = "linear spring over the slip, capped at mu N, with a dashpot in stick; one friction coefficient",
    .citation = "Cundall & Strack 1979",
    .parameter = {{"friction", "", "friction coefficient mu", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_FRICTION},
                  {"stiffness", "N/m", "tangential stiffness k_t", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS},
                  {"damper", "N s/m", "dashpot; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damping", "",
                   "dashpot as a fraction of critical, 2 sqrt(m k_t); m by the form's damper_mass; default 1/2", 0.0,
                   100.0, NAN, NULL, RPS_PARAMETER_DAMPING}},
    .memory = {{"xi", "m", "accumulated slip", RPS_MEMORY_TANGENT},
               {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_cundall_strack_prepare,
    .effective = slide_cundall_strack_effective,
    .spring = slide_cundall_strack_spring,
    .cone = slide_cundall_strack_cone_of,
    .kernel = RPS_LAW_KERNELS(slide_cundall_strack),
};
#endif
