/*
 * Effective modulus of a pair of materials: 1/E_eff = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j.
 */
#ifndef RPS_LAW_HERTZ_H
#define RPS_LAW_HERTZ_H

#include <math.h>

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

#endif
