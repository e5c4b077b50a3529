/* An oblique impact of a sphere that cannot turn, with the exact tangential force of its contact (run/mindlin_exact.h). */
#ifndef TESTS_PHYSICS_EXACT_IMPACT_H
#define TESTS_PHYSICS_EXACT_IMPACT_H

#include <math.h>

#include "run/mindlin_exact.h"

/* psi2 of the exact contact: E* = R* = m = 1, v_n = v. */
static inline double exact_impact(double kappa, double psi1) {
    static exact_contact c;
    const double speed = 1e-3, mu = 0.1, mass = 2.0 / 7.0;
    const double deepest = pow(15.0 / 16.0 * speed * speed, 0.4), duration = 2.9432 * deepest / speed;
    const double step = duration / 4000.0;
    c = (exact_contact){.modulus = 1.0, .shear = 0.25 * kappa, .radius = 1.0, .mu = mu, .width = 1.001 * sqrt(deepest)};
    double delta = 0.0, v = speed, sliding = psi1 * mu * speed / kappa;
    do { /* verlet */
        v -= 0.5 * step * c.normal;
        sliding -= 0.5 * step * c.tangential / mass;
        delta += step * v;
        exact_move(&c, step * sliding, delta);
        v -= 0.5 * step * c.normal;
        sliding -= 0.5 * step * c.tangential / mass;
    } while (delta > 0.0);
    return kappa * sliding / (mu * speed);
}

#endif
