/*
 * Effective modulus of a pair of materials: 1/E_eff = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j.
 */
#ifndef RPS_LAW_HERTZ_H
#define RPS_LAW_HERTZ_H

#include <math.h>

#include "base/elementary.h"
#include "base/status.h"
#include <repose/law_kernel.h>

/* E_eff in Pa: as given, or from the materials; NAN if neither is known. An infinite modulus means a rigid body. */
static inline double rps_hertz_modulus(const rps_law_setup *setup, double given) {
    if (!isnan(given)) {
        return given;
    }
    double compliance = 0.0;
    for (int k = 0; k < 2; k++) {
        if (isinf(setup->young[k])) {
            continue;
        }
        compliance += (1.0 - setup->poisson[k] * setup->poisson[k]) / setup->young[k];
    }
    return 1.0 / compliance;
}

#if RPS_LAW_DESCRIPTOR
/* The secant N/delta of Hertz at the deeper of two overlaps: the one under the load, and the present one. */
static inline double rps_hertz_secant(double modulus, const rps_law_contact *contact) {
    const double full = 4.0 / 3.0 * modulus * sqrt(contact->radius_eff);
    const double root = rps_cbrt(contact->normal_load / full), depth = root * root;
    return full * sqrt(depth > contact->overlap ? depth : contact->overlap);
}
#endif

#endif
