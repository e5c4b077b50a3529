/*
 * The closed form that Willett et al. 2000 fit to solutions of the Young-Laplace equation, as Herminghaus 2005 writes it:
 *
 *   F = 4 pi R gamma cos theta/(1 + 1.05 S + 2.5 S^2),   S = s sqrt(2 R/V)
 *
 * with R = R_eff and the whole gap s; Willett's own variable is half of it. Right to about 10 % of the exact solution.
 */
#include "law/bridge.h"

/* atan t for 0 <= t < 3. Three times the half angle: then t < .16, and the first left-out term is t^22/23 = 1e-19. */
static inline double willett_atan(double t) {
    for (int k = 0; k < 3; k++) t = t / (1.0 + sqrt(1.0 + t * t));
    double z = t * t, p = 1.0 / 21.0;
    p = 1.0 / 19.0 - z * p;
    p = 1.0 / 17.0 - z * p;
    p = 1.0 / 15.0 - z * p;
    p = 1.0 / 13.0 - z * p;
    p = 1.0 / 11.0 - z * p;
    p = 1.0 / 9.0 - z * p;
    p = 1.0 / 7.0 - z * p;
    p = 1.0 / 5.0 - z * p;
    p = 1.0 / 3.0 - z * p;
    return 8.0 * (t - t * (z * p));
}

/* The integral of 1/(1 + 1.05 S + 2.5 S^2) is 2/q (atan((5 S + 1.05)/q) - atan(1.05/q)), q^2 = 10 - 1.05^2, written as
 * one arc of q 5 S/(10 + 5.25 S). */
static const double WILLETT_Q = 0x1.7dce9c403c4d5p+1; /* sqrt(8.8975) */

static inline __attribute__((always_inline)) rps_bridge_pull willett(const double *constant, double gap, double volume,
                                                                     rps_bridge_radii radii) {
    double most = 4.0 * RPS_PI * radii.eff * constant[RPS_BRIDGE_PULL], length = sqrt(volume / (2.0 * radii.eff));
    double s = gap / length, arc = willett_atan(WILLETT_Q * 5.0 * s / (10.0 + 5.25 * s));
    return (rps_bridge_pull){most / (1.0 + s * (1.05 + 2.5 * s)), most * length * (2.0 / WILLETT_Q) * arc};
}

RPS_KERNEL(bridge_willett) {
    rps_bridge(b, constant, willett);
}

#if RPS_LAW_DESCRIPTOR
/* The slope is largest at S = .149: 1.222 F(0) sqrt(2 R/V). */
static rps_law_spring bridge_willett_spring(const double *constant, const rps_law_contact *contact) {
    const double r = contact->radius_eff, most = 4.0 * RPS_PI * r * constant[RPS_BRIDGE_PULL];
    return rps_bridge_spring_of(constant, contact, 1.223 * most * sqrt(2.0 * r / constant[RPS_BRIDGE_LEAST]));
}

RPS_BRIDGE_LAW(willett, "liquid bridge: 4 pi R_eff gamma cos theta/(1 + 1.05 S + 2.5 S^2), S = s sqrt(2 R_eff/V)",
               "Willett et al. 2000");
#endif
