/*
 * A bridge as the cylinder of liquid between two spheres that its volume fills (Rabinovich, Esayanur & Moudgil 2005):
 *
 *   F = 4 pi R gamma cos theta (1 - s/sqrt(s^2 + k)),   k = V/(pi R),   U = 4 pi R gamma cos theta (s - sqrt(s^2 + k) + sqrt k)
 *
 * It is the first term of the source. The second, the surface tension on the wetted rim, is left out: the integral that the
 * stored energy is has no closed form with it. It adds 7 % at a gap of a quarter of the reach.
 */
#include "law/bridge.h"

/* s - sqrt(s^2 + k) + sqrt k = s (1 - s/(sqrt(s^2 + k) + sqrt k)), without cancellation; likewise the force. */
static inline __attribute__((always_inline)) rps_bridge_pull rabinovich(const double *constant, double gap,
                                                                        double volume, rps_bridge_radii radii) {
    double most = 4.0 * RPS_PI * radii.eff * constant[RPS_BRIDGE_PULL], k = volume / (RPS_PI * radii.eff);
    double root = sqrt(gap * gap + k), thick = sqrt(k);
    return (rps_bridge_pull){most * (k / (root * (root + gap))), most * gap * (1.0 - gap / (root + thick))};
}

RPS_KERNEL(bridge_rabinovich) {
    rps_bridge(b, constant, rabinovich);
}

#if RPS_LAW_DESCRIPTOR
/* The slope is largest at touch: F(0)/sqrt k. */
static rps_law_spring bridge_rabinovich_spring(const double *constant, const rps_law_contact *contact) {
    const double r = contact->radius_eff, most = 4.0 * RPS_PI * r * constant[RPS_BRIDGE_PULL];
    return rps_bridge_spring_of(constant, contact, most * sqrt(RPS_PI * r / constant[RPS_BRIDGE_LEAST]));
}

RPS_BRIDGE_LAW(rabinovich, "liquid bridge: 4 pi R_eff gamma cos theta (1 - s/sqrt(s^2 + V/(pi R_eff)))",
               "Rabinovich, Esayanur & Moudgil 2005");
#endif
