/*
 * A liquid bridge between two spheres, or a sphere and a plane: it forms as the surfaces touch, pulls with a force F(s) that
 * falls with the gap s, and ruptures at s_r = (1 + theta/2) V^(1/3) (Lian, Thornton & Adams 1993). Surfaces that overlap
 * have the force of s = 0. The laws differ in F; each gives U(s), the integral of F from 0, in closed form.
 *
 * Stored is U at a gap, and -F(0) delta in an overlap; the rupture loses it. A bridge pulls from the evaluation
 * after that in which the surfaces meet; what it then stores already counts as dissipated, so that the ledger closes.
 *
 * With a viscosity, the liquid squeezed and sheared between the surfaces resists (Pitois, Moucheront & Chateau 2000 along the
 * normal, Goldman, Cox & Brenner 1967 across it), no nearer than the roughness h of the surfaces:
 *
 *   6 pi eta R^2 X^2 (ds/dt)/z,   X = 1 - 1/sqrt(1 + V/(pi R z^2)),   z = max(s, h)
 *   6 pi eta R (8/15 ln(R/z) + .9588) dS/dt
 *
 * R is R_eff; two equal spheres of radius 2 R stand for unequal ones. Friction does not feel any of these forces.
 */
#ifndef RPS_LAW_BRIDGE_H
#define RPS_LAW_BRIDGE_H

#include <math.h>
#include <stdbool.h>

#include "base/elementary.h"
#include "base/status.h"
#include <repose/law_kernel.h>

enum {
    RPS_BRIDGE_VOLUME,    /* m^3, of every bridge; 0: from films */
    RPS_BRIDGE_PULL,      /* N/m, surface tension times cos theta */
    RPS_BRIDGE_TENSION,   /* N/m */
    RPS_BRIDGE_ANGLE,     /* rad */
    RPS_BRIDGE_REACH,     /* s_r / V^(1/3) */
    RPS_BRIDGE_VISCOSITY, /* Pa s */
    RPS_BRIDGE_ROUGHNESS, /* m */
    RPS_BRIDGE_SHARE,     /* rps_liquid_share; those below as rps_law_liquid has them */
    RPS_BRIDGE_SPLIT,
    RPS_BRIDGE_FRACTION,
    RPS_BRIDGE_LEAST,
    RPS_BRIDGE_LARGEST
};
enum {
    RPS_BRIDGE_P_VOLUME,
    RPS_BRIDGE_P_TENSION,
    RPS_BRIDGE_P_ANGLE,
    RPS_BRIDGE_P_VISCOSITY,
    RPS_BRIDGE_P_ROUGHNESS,
    RPS_BRIDGE_P_SHARE,
    RPS_BRIDGE_P_FRACTION,
    RPS_BRIDGE_P_SPLIT,
    RPS_BRIDGE_P_LEAST,
    RPS_BRIDGE_P_LARGEST
};
enum {
    RPS_BRIDGE_M_VOLUME, /* below 0: of a bridge that does not pull yet */
    RPS_BRIDGE_M_REACH,
    RPS_BRIDGE_M_PULL,
    RPS_BRIDGE_M_STORED,
    RPS_BRIDGE_M_SQUEEZE,
    RPS_BRIDGE_M_SHEAR
};

/* R_eff, and of both spheres the larger radius and the geometric mean; a plane and a sphere count as two of radius 2 R. */
typedef struct rps_bridge_radii {
    double eff, larger, mean;
} rps_bridge_radii;
static inline __attribute__((always_inline)) rps_bridge_radii rps_bridge_radii_of(double eff, double a, double b) {
    double least = a < b ? a : b, most = a < b ? b : a, twice = 2.0 * eff;
    return (rps_bridge_radii){eff, least > 0.0 ? most : twice, least > 0.0 ? sqrt(a * b) : twice};
}

/* Force (N) and stored energy (J) at a gap of 0 or more. */
typedef struct rps_bridge_pull {
    double force, stored;
} rps_bridge_pull;
typedef rps_bridge_pull rps_bridge_form(const double *constant, double gap, double volume, rps_bridge_radii radii);

/* form: a function that is inlined. */
static inline __attribute__((always_inline)) void rps_bridge(const rps_batch *b, const double *constant,
                                                             rps_bridge_form *form) {
    const double fixed = constant[RPS_BRIDGE_VOLUME], by_root = constant[RPS_BRIDGE_REACH], rate = b->rate;
    const double viscous = 6.0 * RPS_PI * constant[RPS_BRIDGE_VISCOSITY], rough = constant[RPS_BRIDGE_ROUGHNESS];
    const double moves = rate > 0.0 ? 1.0 : 0.0;
    RPS_IN(touch);
    RPS_IN(overlap);
    RPS_IN(overlap_increment);
    RPS_IN(radius_eff);
    RPS_IN_AS(radius_a, b->radius[0]);
    RPS_IN_AS(radius_b, b->radius[1]);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_LANE(bridge_load);
    RPS_VECTOR(force, b->bridge_force);
    RPS_AS(energy, b->energy[RPS_ROLE_BRIDGE]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_BRIDGE]);
    RPS_AS(kept, b->memory[RPS_BRIDGE_M_VOLUME][0]);
    RPS_AS(reach, b->memory[RPS_BRIDGE_M_REACH][0]);
    RPS_AS(pull_before, b->memory[RPS_BRIDGE_M_PULL][0]);
    RPS_AS(stored_before, b->memory[RPS_BRIDGE_M_STORED][0]);
    RPS_AS(squeeze_before, b->memory[RPS_BRIDGE_M_SQUEEZE][0]);
    RPS_VECTOR(shear_before, b->memory[RPS_BRIDGE_M_SHEAR]);
    RPS_EACH_CONTACT(c) {
        double r = radius_eff[c], d = overlap[c], increment = overlap_increment[c], gap = d < 0.0 ? -d : 0.0;
        double there = touch[c] > 0.5 ? 1.0 : 0.0, was = kept[c] > 0.0 ? 1.0 : 0.0;
        double comes = kept[c] < 0.0 ? moves : 0.0, live = there * (was + comes);
        double volume = kept[c] < 0.0 ? -kept[c] : kept[c];
        double filled = volume > 0.0 ? volume : r * r * r; /* a dry contact has no force */
        rps_bridge_pull at = form(constant, gap, filled, rps_bridge_radii_of(r, radius_a[c], radius_b[c]));
        double pull = -live * at.force, stored = live * (d > 0.0 ? -at.force * d : at.stored);

        double z = gap > rough ? gap : rough, film = filled / (RPS_PI * r * z * z);
        double open = 1.0 - 1.0 / sqrt(1.0 + film), thin = 8.0 / 15.0 * rps_log_positive(r / z) + 0.9588;
        double drag = live * (viscous * r) * rate;
        double squeeze = drag * (r * open * open / z) * increment, shear = drag * (thin > 0.0 ? thin : 0.0);
        double x = shear * slip_x[c], y = shear * slip_y[c], w = shear * slip_z[c];
        double spent = 0.5 * (squeeze_before[c] + squeeze) * increment +
                       0.5 * ((shear_before_x[c] + x) * slip_x[c] + (shear_before_y[c] + y) * slip_y[c] +
                              (shear_before_z[c] + w) * slip_z[c]);
        /* the bridge begins to pull, or ruptures */
        double changes = live != was ? 1.0 : 0.0;
        spent += changes * (0.5 * (pull_before[c] + pull) * increment - (stored - stored_before[c]));

        double meets = d > 0.0 ? there : 0.0, after = live > 0.5 ? volume : kept[c];
        double born = meets > 0.5 && fixed > 0.0 ? -fixed : 0.0;
        after = after == 0.0 ? born : after;
        double size = after < 0.0 ? -after : after, root = rps_cbrt_positive(size > 0.0 ? size : 1.0);
        kept[c] = after;
        reach[c] = size > 0.0 ? by_root * root : 0.0;
        pull_before[c] = pull;
        stored_before[c] = stored;
        squeeze_before[c] = squeeze;
        force_x[c] = shear_before_x[c] = x;
        force_y[c] = shear_before_y[c] = y;
        force_z[c] = shear_before_z[c] = w;
        bridge_load[c] = pull + squeeze;
        energy[c] = stored;
        dissipated[c] = spent;
    }
}

#if RPS_LAW_DESCRIPTOR
/* clang-format off */
#define RPS_BRIDGE_PARAMETERS                                                                                      \
    {"volume", "m^3", "of every bridge, with `share: fixed`", 1e-27, 1e-3, NAN, NULL,    \
     RPS_PARAMETER_OTHER},                                                                                         \
    {"surface_tension", "N/m", "gamma of the liquid", 1e-6, 10.0, NAN, NULL, RPS_PARAMETER_OTHER},                  \
    {"contact_angle", "rad", "theta of the liquid on the surfaces, which it wets: below 90 degrees", 0.0, 1.57, 0.0, \
     NULL, RPS_PARAMETER_OTHER},                                                                                   \
    {"viscosity", "Pa s", "eta of the liquid; 0: none", 0.0, 1e6, 0.0, NULL, RPS_PARAMETER_OTHER},                 \
    {"roughness", "m", "h, the gap below which the liquid flows no thinner; needed with a viscosity", 1e-12, 1.0,  \
     NAN, NULL, RPS_PARAMETER_OTHER},                                                                              \
    {"share", "",                                                                                                  \
     "what a bridge takes from both films: the cap that the other sphere covers, a part of the film, or `volume`, from nowhere; default: fixed with `volume`, else cap", \
     0.0, 0.0, NAN, "cap|fraction|fixed", RPS_PARAMETER_OTHER},                                                    \
    {"fraction", "", "of the film, with `share: fraction`", 0.0, 1.0, NAN, NULL, RPS_PARAMETER_OTHER},             \
    {"split", "", "what ruptures goes back in halves, or by the cube of the radius", 0.0, 0.0, 0.0, "half|radius", \
     RPS_PARAMETER_OTHER},                                                                                         \
    {"least", "m^3", "smaller bridges do not form; default 1e-3 of `largest`", 1e-27, 1e-3, NAN, NULL,             \
     RPS_PARAMETER_OTHER},                                                                                         \
    {"largest", "m^3", "the most that a bridge takes, whose reach contacts are kept for; needed with films", 1e-27, \
     1e-3, NAN, NULL, RPS_PARAMETER_OTHER}
#define RPS_BRIDGE_MEMORY                                                                                       \
    {"volume", "m^3", "of the bridge, below 0 until it pulls", RPS_MEMORY_SCALAR | RPS_MEMORY_LIQUID},                              \
    {"reach", "m", "gap at which the bridge ruptures", RPS_MEMORY_SCALAR | RPS_MEMORY_RANGE},                   \
    {"pull", "N", "capillary load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK},                \
    {"stored", "J", "energy stored at the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK},               \
    {"squeeze", "N", "viscous load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK},               \
    {"shear", "N", "viscous force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}
#define RPS_BRIDGE_READS                                                                                          \
    (RPS_ARRAY(touch) | RPS_ARRAY(overlap) | RPS_ARRAY(overlap_increment) | RPS_ARRAY(radius_eff) | RPS_ARRAY(radius) | \
     RPS_ARRAY(slip))
#define RPS_BRIDGE_WRITES (RPS_ARRAY(bridge_load) | RPS_ARRAY(bridge_force) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated))
/* clang-format on */
#define RPS_BRIDGE_NONSMOOTH \
    "that stepper resolves no gap within a step, in which a bridge forms and ruptures; use the penalty stepper"

/* Where the volume comes from. */
static inline rps_status rps_bridge_prepare_share(const rps_law_setup *setup, const char *law, double *constant,
                                                  rps_error *err) {
    const double *value = setup->value, volume = value[RPS_BRIDGE_P_VOLUME], largest = value[RPS_BRIDGE_P_LARGEST];
    const double given = value[RPS_BRIDGE_P_SHARE], fraction = value[RPS_BRIDGE_P_FRACTION];
    const int share = !isnan(given) ? (int)given : !isnan(volume) ? RPS_LIQUID_FIXED : RPS_LIQUID_CAP;
    const bool fixed = share == RPS_LIQUID_FIXED;
    const double least = isnan(value[RPS_BRIDGE_P_LEAST]) ? 1e-3 * largest : value[RPS_BRIDGE_P_LEAST];
    if (fixed == isnan(volume)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        fixed ? "bridge law `%s` needs `volume`, that of every bridge (m^3), with `share: fixed`"
                              : "bridge law `%s` has a `volume`, which is that of every bridge with `share: fixed`, "
                                "and takes it from "
                                "films: leave the volume out, or the share",
                        law);
    }
    if (fixed && (!isnan(largest) || !isnan(value[RPS_BRIDGE_P_LEAST]))) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "bridge law `%s` gives every bridge its `volume`: `least` and `largest` are for bridges that take from "
            "films; leave them out",
            law);
    }
    if (!fixed && isnan(largest)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "bridge law `%s` needs `largest` (m^3), the most that a bridge takes from the films, for whose reach "
            "contacts are kept: a bridge of more than .05 of the cube of the radius is none of these laws; or give "
            "every bridge a `volume`",
            law);
    }
    if (!fixed && !(least < largest)) {
        return rps_fail(err, RPS_BAD_INPUT, "bridge law `%s`: `least`, %g m^3, is not below `largest`, %g m^3", law,
                        least, largest);
    }
    if ((share == RPS_LIQUID_FRACTION) == isnan(fraction)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        isnan(fraction)
                            ? "bridge law `%s` needs `fraction`, the part of each film that a bridge takes"
                            : "bridge law `%s` has a `fraction`, which is for `share: fraction`: leave it out, or "
                              "give that share",
                        law);
    }
    constant[RPS_BRIDGE_VOLUME] = fixed ? volume : 0.0;
    constant[RPS_BRIDGE_SHARE] = (double)share;
    constant[RPS_BRIDGE_SPLIT] = value[RPS_BRIDGE_P_SPLIT];
    constant[RPS_BRIDGE_FRACTION] = isnan(fraction) ? 0.0 : fraction;
    constant[RPS_BRIDGE_LEAST] = fixed ? volume : least;
    constant[RPS_BRIDGE_LARGEST] = fixed ? volume : largest;
    return RPS_OK;
}

static inline void rps_bridge_effective(const double *constant, double *value) {
    value[RPS_BRIDGE_P_SHARE] = constant[RPS_BRIDGE_SHARE];
    if (constant[RPS_BRIDGE_SHARE] == (double)RPS_LIQUID_FIXED) return;
    value[RPS_BRIDGE_P_LEAST] = constant[RPS_BRIDGE_LEAST];
}

static inline void rps_bridge_liquid(const double *constant, rps_law_liquid *out) {
    *out = (rps_law_liquid){.share = (rps_liquid_share)constant[RPS_BRIDGE_SHARE],
                            .split = (rps_liquid_split)constant[RPS_BRIDGE_SPLIT],
                            .fraction = constant[RPS_BRIDGE_FRACTION],
                            .volume = constant[RPS_BRIDGE_VOLUME],
                            .least = constant[RPS_BRIDGE_LEAST],
                            .largest = constant[RPS_BRIDGE_LARGEST],
                            .reach = constant[RPS_BRIDGE_REACH]};
}

static inline rps_status rps_bridge_prepare(const rps_law_setup *setup, const char *law, double *constant,
                                            rps_error *err) {
    const double *value = setup->value;
    const double tension = value[RPS_BRIDGE_P_TENSION], angle = value[RPS_BRIDGE_P_ANGLE];
    if (isnan(tension)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bridge law `%s` needs `surface_tension`, that of the liquid (water .072 N/m)", law);
    }
    RPS_TRY(rps_bridge_prepare_share(setup, law, constant, err));
    if (value[RPS_BRIDGE_P_VISCOSITY] > 0.0 && isnan(value[RPS_BRIDGE_P_ROUGHNESS])) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "bridge law `%s` has a viscosity, and its resistance grows without bound as surfaces meet: give "
            "`roughness`, the gap below which the liquid flows no thinner, as that of the surfaces (1e-3 of "
            "the radius is common)",
            law);
    }
    if (!(value[RPS_BRIDGE_P_VISCOSITY] > 0.0) && !isnan(value[RPS_BRIDGE_P_ROUGHNESS])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bridge law `%s` has a roughness, which bounds the resistance of a viscous liquid, and no "
                        "`viscosity`: give it, or leave the roughness out",
                        law);
    }
    constant[RPS_BRIDGE_PULL] = tension * rps_cos(angle);
    constant[RPS_BRIDGE_TENSION] = tension;
    constant[RPS_BRIDGE_ANGLE] = angle;
    constant[RPS_BRIDGE_REACH] = 1.0 + 0.5 * angle;
    constant[RPS_BRIDGE_VISCOSITY] = value[RPS_BRIDGE_P_VISCOSITY];
    constant[RPS_BRIDGE_ROUGHNESS] = isnan(value[RPS_BRIDGE_P_ROUGHNESS]) ? 1e-9 : value[RPS_BRIDGE_P_ROUGHNESS];
    return RPS_OK;
}

static inline double rps_bridge_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)smaller_radius;
    (void)radius_eff;
    return constant[RPS_BRIDGE_REACH] * rps_cbrt(constant[RPS_BRIDGE_LARGEST]);
}

/* The damper at the roughness; `slope`: the largest of dF/ds. */
static inline rps_law_spring rps_bridge_spring_of(const double *constant, const rps_law_contact *contact,
                                                  double slope) {
    const double r = contact->radius_eff;
    return (rps_law_spring){slope,
                            6.0 * RPS_PI * constant[RPS_BRIDGE_VISCOSITY] * r * r / constant[RPS_BRIDGE_ROUGHNESS]};
}

/* The law bridge_NAME_: its kernel and bridge_NAME_spring stand in its file, all else is the same for all. */
/* clang-format off */
#define RPS_BRIDGE_LAW(name_, summary_, citation_)                                                        \
    static rps_status bridge_##name_##_prepare(const rps_law_setup *setup, double *constant, rps_error *err) { \
        return rps_bridge_prepare(setup, #name_, constant, err);                                          \
    }                                                                                                     \
    const rps_law rps_law_bridge_##name_ = {                                                              \
        .size = sizeof(rps_law),                                                                          \
        .role = RPS_ROLE_BRIDGE,                                                                          \
        .name = #name_,                                                                                   \
        .summary = summary_,                                                                              \
        .citation = citation_,                                                                            \
        .parameter = {RPS_BRIDGE_PARAMETERS},                                                             \
        .memory = {RPS_BRIDGE_MEMORY},                                                                    \
        .spheres = 1,                                                                                     \
        .dimension = 3,                                                                                   \
        .reads = RPS_BRIDGE_READS,                                                                        \
        .writes = RPS_BRIDGE_WRITES,                                                                      \
        .prepare = bridge_##name_##_prepare,                                                              \
        .effective = rps_bridge_effective,                                                                \
        .range = rps_bridge_range,                                                                        \
        .spring = bridge_##name_##_spring,                                                                \
        .liquid = rps_bridge_liquid,                                                                      \
        .nonsmooth = RPS_BRIDGE_NONSMOOTH,                                                                \
        .kernel = RPS_LAW_KERNELS(bridge_##name_),                                                        \
    }
/* clang-format on */
#endif

#endif
