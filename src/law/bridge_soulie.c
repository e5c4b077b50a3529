/*
 * The law that Soulie et al. 2006 fit to solutions of the Young-Laplace equation for spheres of different sizes:
 *
 *   F = pi gamma sqrt(R_i R_j) (c + exp(a s/R> + b)),   v = V/R>^3, R> the larger radius
 *   a = -1.1 v^-.53,   b = (-.148 ln v - .96) theta^2 - .0082 ln v + .48,   c = .0018 ln v + .078
 *   U = pi gamma sqrt(R_i R_j) (c s + (R>/a) e^b (e^(a s/R>) - 1))
 *
 * A sphere and a plane count as two spheres of twice the radius, as in the other laws of bridges: the fit has no limit there.
 */
#include "law/bridge.h"

static inline __attribute__((always_inline)) rps_bridge_pull soulie(const double *constant, double gap, double volume,
                                                                    rps_bridge_radii radii) {
    double wide = radii.larger, size = volume / (wide * wide * wide), log_v = rps_log_positive(size);
    double theta = constant[RPS_BRIDGE_ANGLE], unit = RPS_PI * constant[RPS_BRIDGE_TENSION] * radii.mean;
    double a = -1.1 * rps_exp_bounded(-0.53 * log_v), t2 = theta * theta;
    double e = rps_exp_bounded((-0.148 * log_v - 0.96) * t2 - 0.0082 * log_v + 0.48), c = 0.0018 * log_v + 0.078;
    double power = a * gap / wide, falls = rps_exp_bounded(power > -700.0 ? power : -700.0);
    return (rps_bridge_pull){unit * (c + e * falls), unit * (c * gap + (wide / a) * e * (falls - 1.0))};
}

RPS_KERNEL(bridge_soulie) {
    rps_bridge(b, constant, soulie);
}

#if RPS_LAW_DESCRIPTOR
/* The slope is largest at touch, -(a/R>) e^b of the unit. */
static rps_law_spring bridge_soulie_spring(const double *constant, const rps_law_contact *contact) {
    const rps_bridge_radii radii = rps_bridge_radii_of(contact->radius_eff, contact->radius[0], contact->radius[1]);
    const double volume = constant[RPS_BRIDGE_LEAST], step = 1e-6 * rps_cbrt(volume);
    const double fall = soulie(constant, 0.0, volume, radii).force - soulie(constant, step, volume, radii).force;
    return rps_bridge_spring_of(constant, contact, 1.01 * fall / step);
}

RPS_BRIDGE_LAW(
    soulie, "liquid bridge: pi gamma sqrt(R_i R_j) (c + exp(a s/R> + b)), a, b and c by V/R>^3 and the contact angle",
    "Soulie et al. 2006");
#endif
