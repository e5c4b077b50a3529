/*
 * The tracked law: one spring over a length (or angle), capped, with a damper in stick. Slide, roll and spin share
 * it; here it is written once, for one contact.
 *
 *   raw = x0 + dx                       the increment that tracking measured
 *   |raw| > cap of the mode:  x1 = raw cap/|raw|, mode = slip;   else  x1 = raw, mode = stick
 *   load = K x1 + [stick] D dx/dt       the damper sees the raw increment and the updated mode
 *   limited: in stick a sum above the static cap is scaled back to it
 *
 * Recorded as dissipated, second order with Verlet: cap (K0 x0 + K1 x1)/2 . (raw - x1), damper (d0 + d1)/2 . dx with
 * d the damper load after limiting. At loss of contact the cap is 0, so that the cap term records the remaining
 * stored energy as dissipated.
 *
 * Fang & Negrut 2020, eqs. 1a-1b and their analogues for roll and spin. The mode that gates the damper, the limit and
 * the dissipation record are choices of this project (docs/symbols.md, docs/step.md).
 */
#ifndef RPS_LAW_SPRING_H
#define RPS_LAW_SPRING_H

#include <math.h>

#include "base/elementary.h"
#include "base/vec.h"

typedef struct rps_spring {
    rps_vec3 x;      /* memory after the step */
    rps_vec3 load;   /* elastic + damper */
    rps_vec3 damper; /* damper part of the load */
    double kept;     /* fraction of the raw memory that the cap leaves */
    double mode;     /* 0 stick, 1 slip */
    double elastic;  /* K |x| */
    double energy;   /* K x^2/2 */
    double dissipated;
} rps_spring;

/* k0, k1: stiffness at the last and at this evaluation; cap_s, cap_k: static and kinetic cap of x; damper: load of
 * the damper in stick; unlimited: 0 if the sum is limited, RPS_UNLIMITED if it is free. */
#define RPS_UNLIMITED 1e200
static inline __attribute__((always_inline)) rps_spring rps_spring_step_damped(rps_vec3 x0, rps_vec3 dx, double mode,
                                                                               rps_vec3 damper0, double k0, double k1,
                                                                               double cap_s, double cap_k,
                                                                               rps_vec3 damper, double unlimited) {
    rps_spring s;
    const double rx = x0.x + dx.x, ry = x0.y + dx.y, rz = x0.z + dx.z;
    const double r2 = rx * rx + ry * ry + rz * rz;
    const double before = k0 * (x0.x * rx + x0.y * ry + x0.z * rz);
    const double cap = mode > 0.5 ? cap_k : cap_s;
    const double slip = r2 > cap * cap ? 1.0 : 0.0;
    /* the load in stick, where x1 = raw; of the two that may be scaled back, one is asked for its length */
    const double tx = k1 * rx + damper.x, ty = k1 * ry + damper.y, tz = k1 * rz + damper.z;
    const double top = k1 * cap_s + unlimited;
    const double t2 = tx * tx + ty * ty + tz * tz;
    const double over = t2 > top * top ? 1.0 : 0.0;
    const double back = (slip > 0.5 ? cap : top) / sqrt(slip > 0.5 ? r2 : t2);
    const double scale = slip > 0.5 ? back : 1.0;
    const double shrink = over > 0.5 ? back : 1.0;
    s.mode = slip;
    s.kept = scale;
    s.x.x = rx * scale;
    s.x.y = ry * scale;
    s.x.z = rz * scale;
    const double ex = k1 * s.x.x, ey = k1 * s.x.y, ez = k1 * s.x.z;
    s.load.x = slip > 0.5 ? ex : tx * shrink;
    s.load.y = slip > 0.5 ? ey : ty * shrink;
    s.load.z = slip > 0.5 ? ez : tz * shrink;
    s.damper.x = s.load.x - ex;
    s.damper.y = s.load.y - ey;
    s.damper.z = s.load.z - ez;
    s.elastic = k1 * (slip > 0.5 ? cap : sqrt(r2));
    const double here = k1 * (scale * scale) * r2;
    s.energy = 0.5 * here;
    const double cut = (1.0 - scale) * (before + k1 * scale * r2);
    const double damped =
        (damper0.x + s.damper.x) * dx.x + (damper0.y + s.damper.y) * dx.y + (damper0.z + s.damper.z) * dx.z;
    s.dissipated = 0.5 * (cut + damped);
    return s;
}

/* The same with a damper of constant d. */
static inline __attribute__((always_inline)) rps_spring rps_spring_step(rps_vec3 x0, rps_vec3 dx, double mode,
                                                                        rps_vec3 damper0, double k0, double k1,
                                                                        double cap_s, double cap_k, double d,
                                                                        double rate, double unlimited) {
    const double c = d * rate;
    const rps_vec3 damper = {c * dx.x, c * dx.y, c * dx.z};
    return rps_spring_step_damped(x0, dx, mode, damper0, k0, k1, cap_s, cap_k, damper, unlimited);
}

/* The same in one dimension: only the x component is used, and lengths need no root. */
static inline __attribute__((always_inline)) rps_spring rps_spring_step_line(double x0, double dx, double mode,
                                                                             double damper0, double k0, double k1,
                                                                             double cap_s, double cap_k, double d,
                                                                             double rate, double unlimited) {
    rps_spring s;
    double raw = x0 + dx, length = fabs(raw);
    double cap = mode > 0.5 ? cap_k : cap_s;
    double slip = length > cap ? 1.0 : 0.0;
    double x = slip > 0.5 ? copysign(cap, raw) : raw;
    double t = k1 * raw + (d * rate) * dx, top = k1 * cap_s + unlimited;
    double elastic = k1 * x, limited = fabs(t) > top ? copysign(top, t) : t;
    s.x = (rps_vec3){x, 0.0, 0.0};
    s.mode = slip;
    s.kept = slip > 0.5 ? cap / length : 1.0;
    s.load = (rps_vec3){slip > 0.5 ? elastic : limited, 0.0, 0.0};
    s.damper = (rps_vec3){s.load.x - elastic, 0.0, 0.0};
    s.elastic = k1 * (slip > 0.5 ? cap : length);
    s.energy = 0.5 * k1 * (x * x);
    s.dissipated = 0.5 * ((k0 * x0 + elastic) * (raw - x) + (damper0 + s.damper.x) * dx);
    return s;
}

#endif
