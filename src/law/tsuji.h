/*
 * The damping of Tsuji, Tanaka & Ishida 1992: D = alpha sqrt(m_eff k_H) delta^(1/4), k_H = 4/3 E* sqrt(R_eff), with
 * alpha(e) in closed form. With the Hertz stiffness S = 3/2 k_H delta^(1/2) that is alpha sqrt(2/3) sqrt(m_eff S).
 */
#ifndef RPS_LAW_TSUJI_H
#define RPS_LAW_TSUJI_H

#include <math.h>

#include "base/elementary.h"

/* D/sqrt(m_eff S) for a coefficient of restitution e in (0, 1]. */
static inline double rps_tsuji_factor(double e) {
    const double l = rps_log(e);
    const double alpha = -sqrt(5.0) * l / sqrt(RPS_PI * RPS_PI + l * l);
    return e < 1.0 ? alpha * sqrt(2.0 / 3.0) : 0.0;
}

#endif
