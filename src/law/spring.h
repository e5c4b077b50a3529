/*
 * The tracked law: one spring over a length (or angle), capped, with a damper in stick. Slide, roll and spin are this,
 * three times; here it is once, for one contact.
 *
 *   raw = x0 + dx                       the increment that tracking measured
 *   |raw| > cap of the mode:  x1 = raw cap/|raw|, mode = slip;   else  x1 = raw, mode = stick
 *   load = K x1 + [stick] D dx/dt       the damper sees the raw increment and the updated mode
 *   limited: in stick a sum above the static cap is scaled back to it
 *
 * Booked as dissipated, second order with Verlet: cap (K0 x0 + K1 x1)/2 . (raw - x1), damper (d0 + d1)/2 . dx with
 * d the damper load after limiting. At loss of contact the cap is 0, so that the cap term books the stored rest.
 *
 * Fang & Negrut 2020, eqs. 1a-1b and their likes for roll and spin; which mode gates the damper, the limit and the
 * booking are this project's (docs/symbols.md, docs/step.md).
 */
#ifndef RPS_LAW_SPRING_H
#define RPS_LAW_SPRING_H

#include <math.h>

#include "base/vec.h"

typedef struct rps_spring {
    rps_vec3 x;      /* memory after the step */
    rps_vec3 load;   /* elastic + damper */
    rps_vec3 damper; /* damper part of the load */
    double mode;     /* 0 stick, 1 slip */
    double elastic;  /* K |x| */
    double energy;   /* K x^2/2 */
    double dissipated;
} rps_spring;

/* k0, k1: stiffness at the last and at this evaluation; cap_s, cap_k: static and kinetic cap of x; d: damper constant;
 * unlimited: 0 where the sum is limited, RPS_UNLIMITED where it is free. */
#define RPS_UNLIMITED 1e200
static inline __attribute__((always_inline)) rps_spring rps_spring_step(rps_vec3 x0, rps_vec3 dx, double mode,
                                                                        rps_vec3 damper0, double k0, double k1,
                                                                        double cap_s, double cap_k, double d,
                                                                        double rate, double unlimited) {
    rps_spring s;
    double rx = x0.x + dx.x, ry = x0.y + dx.y, rz = x0.z + dx.z;
    double r2 = rx * rx + ry * ry + rz * rz;
    double cap = mode > 0.5 ? cap_k : cap_s;
    double slip = r2 > cap * cap ? 1.0 : 0.0;
    double length = sqrt(r2);
    double scale = slip > 0.5 ? cap / length : 1.0;
    s.x.x = rx * scale;
    s.x.y = ry * scale;
    s.x.z = rz * scale;
    s.mode = slip;
    double c = slip > 0.5 ? 0.0 : d * rate;
    double ex = k1 * s.x.x, ey = k1 * s.x.y, ez = k1 * s.x.z;
    double tx = ex + c * dx.x, ty = ey + c * dx.y, tz = ez + c * dx.z;
    double top = k1 * cap_s + unlimited;
    double t2 = tx * tx + ty * ty + tz * tz;
    double total = sqrt(t2);
    double over = ((t2 > top * top) & (slip < 0.5)) ? 1.0 : 0.0;
    double shrink = over > 0.5 ? top / total : 1.0;
    tx *= shrink;
    ty *= shrink;
    tz *= shrink;
    s.load.x = tx;
    s.load.y = ty;
    s.load.z = tz;
    s.damper.x = tx - ex;
    s.damper.y = ty - ey;
    s.damper.z = tz - ez;
    double x2 = s.x.x * s.x.x + s.x.y * s.x.y + s.x.z * s.x.z;
    s.elastic = k1 * sqrt(x2);
    s.energy = 0.5 * k1 * x2;
    double cut = (k0 * x0.x + ex) * (rx - s.x.x) + (k0 * x0.y + ey) * (ry - s.x.y) + (k0 * x0.z + ez) * (rz - s.x.z);
    double damped = (damper0.x + s.damper.x) * dx.x + (damper0.y + s.damper.y) * dx.y + (damper0.z + s.damper.z) * dx.z;
    s.dissipated = 0.5 * (cut + damped);
    return s;
}

#endif
