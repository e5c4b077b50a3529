/*
 * Sliding without memory: a force in proportion to the velocity of slip, limited to mu N.
 *
 *   T = min(D v, mu N) along the slip,    D = `damper` [N s/m], or D = gamma m_eff with gamma = `rate` [1/s]
 *
 * Without memory it has no statics: whatever rests on a slope creeps down at the speed m g sin(slope)/D. The
 * linear_nohistory of decks for LAMMPS; Silbert et al. 2001 have the same damper beside a spring.
 */
#include <math.h>

#include "base/status.h"
#include "base/vec.h"
#include <repose/law_kernel.h>

enum { P_FRICTION, P_DAMPER, P_RATE };
enum { FRICTION, DAMPER, RATE };
enum { FORCE }; /* memory, for the ledger alone */

RPS_KERNEL(slide_viscous_coulomb) {
    const double friction = constant[FRICTION], damper = constant[DAMPER], per_mass = constant[RATE], rate = b->rate;
    RPS_IN(cap_load);
    RPS_IN(mass_eff);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(last, b->memory[FORCE]);
    RPS_VECTOR(force, b->slide_force);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    RPS_EACH_CONTACT(c) {
        const double x = slip_x[c], y = slip_y[c], z = slip_z[c], length = sqrt((x * x + y * y) + z * z);
        const double most = friction * cap_load[c], per_slip = (damper + per_mass * mass_eff[c]) * rate;
        const double slides = per_slip * length > most ? 1.0 : 0.0;
        const double d = slides > 0.5 ? most / length : most > 0.0 ? per_slip : 0.0;
        const double fx = d * x, fy = d * y, fz = d * z;
        /* work of the step: mean of the forces at its ends times the slip */
        dissipated[c] = 0.5 * (((last_x[c] + fx) * x + (last_y[c] + fy) * y) + (last_z[c] + fz) * z);
        last_x[c] = fx;
        last_y[c] = fy;
        last_z[c] = fz;
        force_x[c] = fx;
        force_y[c] = fy;
        force_z[c] = fz;
        mode[c] = slides;
        elastic[c] = energy[c] = 0.0;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_viscous_coulomb_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[P_FRICTION])) {
        return rps_fail(err, RPS_BAD_INPUT, "slide law `viscous_coulomb` needs `friction`");
    }
    if (isnan(v[P_DAMPER]) == isnan(v[P_RATE])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `viscous_coulomb` %s: give `damper`, D of D v, or `rate`, gamma of gamma m_eff v",
                        isnan(v[P_RATE]) ? "has no damper" : "is given both `damper` and `rate`");
    }
    constant[FRICTION] = v[P_FRICTION];
    constant[DAMPER] = isnan(v[P_DAMPER]) ? 0.0 : v[P_DAMPER];
    constant[RATE] = isnan(v[P_RATE]) ? 0.0 : v[P_RATE];
    return RPS_OK;
}

static rps_law_spring slide_viscous_coulomb_spring(const double *constant, const rps_law_contact *contact) {
    return (rps_law_spring){0.0, constant[DAMPER] + constant[RATE] * contact->mass_eff};
}

/* A dashpot alone: a stiffness of 0. Without a dashpot there is no force either. */
static void slide_viscous_coulomb_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    if (!(slide_viscous_coulomb_spring(constant, contact).damper > 0.0)) return;
    cone->threshold[0] = cone->threshold[1] = constant[FRICTION];
    cone->stiffness = 0.0;
}

const rps_law rps_law_slide_viscous_coulomb = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "viscous_coulomb",
    .summary = "in proportion to the velocity of slip, capped at mu N, without memory: creeps on a slope",
    .citation = "Silbert et al. 2001",
    .parameter = {{"friction", "", "friction coefficient mu", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_FRICTION},
                  {"damper", "N s/m", "D of the force D v", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"rate", "1/s", "gamma of the force gamma m_eff v", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = {{"slide_force", "N", "force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = {{"whole load within the static cap", "it has no static branch; all of its load is within mu N", ""}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(mass_eff) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_viscous_coulomb_prepare,
    .spring = slide_viscous_coulomb_spring,
    .cone = slide_viscous_coulomb_cone_of,
    .kernel = RPS_LAW_KERNELS(slide_viscous_coulomb),
};
#endif
