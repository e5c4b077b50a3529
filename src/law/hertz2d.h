/*
 * Moduli of contacts of parallel cylinders. Two disks: E_eff of both materials; a disk on a plane: E/(1 - nu^2) of
 * the disk alone, because a plane acts as a rigid mirror; if the disk is rigid, that of the plane. A modulus given
 * for the pair is that of two equal disks; on a plane it counts twice.
 */
#ifndef RPS_LAW_HERTZ2D_H
#define RPS_LAW_HERTZ2D_H

#include "base/elementary.h"
#include "law/hertz.h"

/* In Pa: of two disks; of a disk of the first or second material on a plane. */
typedef struct rps_hertz2d_moduli {
    double pair, first, second;
    double share; /* share of the first material in the compliance minus that of the second */
} rps_hertz2d_moduli;

static inline int rps_hertz2d_known(double modulus) {
    return modulus > 0.0 && !isinf(modulus);
}

/* `given`: modulus of the pair, NAN if not given. `pair` is not positive if nothing is known. */
static inline rps_hertz2d_moduli rps_hertz2d_moduli_of(const rps_law_setup *setup, double given) {
    const double pair = rps_hertz_modulus(setup, given);
    double alone[2];
    for (int k = 0; k < 2; k++) {
        const double nu = setup->poisson[k],
                     own = isinf(setup->young[k]) ? INFINITY : setup->young[k] / (1.0 - nu * nu);
        alone[k] = isnan(given) ? own : 2.0 * given;
    }
    return (rps_hertz2d_moduli){.pair = pair,
                                .first = rps_hertz2d_known(alone[0]) ? alone[0] : pair,
                                .second = rps_hertz2d_known(alone[1]) ? alone[1] : pair,
                                .share = pair / alone[0] - pair / alone[1]};
}

/* Selects from three values the one for these radii (0: a plane). */
static inline double rps_hertz2d_choice(double r0, double r1, double pair, double first, double second) {
    double on_plane = r0 > 0.0 ? first : second;
    return r0 * r1 > 0.0 ? pair : on_plane;
}

#endif
