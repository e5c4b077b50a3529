/*
 * The normal dashpot of all damping laws: load c ddelta/dt with c a constant factor times a measure of the contact, as
 * sqrt(S m_eff), S the tangent stiffness of the normal law. tension: cut keeps the dashpot from pulling: the total load is at
 * least -P, P the largest pull of an adhesive normal law, else 0. The dissipation recorded is (D0 + D1)/2 ddelta, after the cut.
 */
#ifndef RPS_LAW_DASHPOT_H
#define RPS_LAW_DASHPOT_H

#include <math.h>

#include "base/elementary.h"
#include <repose/law_kernel.h>

enum { RPS_DASHPOT_FACTOR, RPS_DASHPOT_CUT, RPS_DASHPOT_RESTITUTION /* where the law knows it */ };
/* RPS_DASHPOT_CUT: 1 cut, 0 allow; allow in the nonsmooth stepper, whose contacts do not pull: a dashpot that only pushes and
 * gives the same restitution stands in. */
#define RPS_DASHPOT_STANDS_IN -1.0
enum { RPS_DASHPOT_BOOK };

/* The measures, by which laws differ. */
typedef enum rps_dashpot_measure {
    RPS_DASHPOT_CRITICAL,    /* sqrt(S m_eff) */
    RPS_DASHPOT_GIVEN,       /* 1 */
    RPS_DASHPOT_MASS,        /* m_eff */
    RPS_DASHPOT_MASS_RADIUS, /* m_eff a */
    RPS_DASHPOT_STIFFNESS    /* S */
} rps_dashpot_measure;

static inline __attribute__((always_inline)) double rps_dashpot_of(const rps_dashpot_measure measure, double stiffness,
                                                                   double mass, double contact_radius) {
    if (measure == RPS_DASHPOT_GIVEN) return 1.0;
    if (measure == RPS_DASHPOT_MASS) return mass;
    if (measure == RPS_DASHPOT_MASS_RADIUS) return mass * contact_radius;
    if (measure == RPS_DASHPOT_STIFFNESS) return stiffness;
    return sqrt(stiffness * mass);
}

/* measure: a constant where this is inlined; a law declares the arrays that its own measure reads. */
static inline __attribute__((always_inline)) void rps_dashpot(const rps_batch *b, const double *constant,
                                                              const rps_dashpot_measure measure) {
    const double factor = constant[RPS_DASHPOT_FACTOR], cut = constant[RPS_DASHPOT_CUT], rate = b->rate;
    RPS_IN(touch);
    RPS_IN(overlap_increment);
    RPS_IN(mass_eff);
    RPS_IN(stiffness);
    RPS_IN(contact_radius);
    RPS_IN(elastic_load);
    RPS_IN(pull);
    RPS_LANE(damping_load);
    RPS_AS(book, b->memory[RPS_DASHPOT_BOOK][0]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_DAMPING]);
    RPS_EACH_CONTACT(c) {
        double increment = overlap_increment[c];
        double of = rps_dashpot_of(measure, stiffness[c], mass_eff[c], contact_radius[c]);
        double load = factor * of * (increment * rate);
        double left = elastic_load[c] + pull[c], least = left > 0.0 ? -left : -0.0;
        double held = load < least ? least : load;
        load = cut > 0.5 ? held : load;
        load = touch[c] > 0.5 ? load : 0.0;
        dissipated[c] = 0.5 * (book[c] + load) * increment;
        book[c] = load;
        damping_load[c] = load;
    }
}

/* Beside those of the measure. */
#define RPS_DASHPOT_READS (RPS_ARRAY(touch) | RPS_ARRAY(overlap_increment) | RPS_ARRAY(elastic_load) | RPS_ARRAY(pull))
#define RPS_DASHPOT_READS_CRITICAL (RPS_DASHPOT_READS | RPS_ARRAY(mass_eff) | RPS_ARRAY(stiffness))
#define RPS_DASHPOT_WRITES (RPS_ARRAY(damping_load) | RPS_ARRAY(dissipated))

#define RPS_DASHPOT_MEMORY                                                                             \
    {                                                                                                  \
        { "dashpot", "N", "dashpot load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK } \
    }

#if RPS_LAW_DESCRIPTOR
/* Restitution of an impact on a linear spring at the damping ratio z that ends when the load reaches 0. */
static inline double rps_dashpot_cut_restitution(double z) {
    if (z < 1.0) {
        double s = sqrt(1.0 - z * z);
        return s > 1e-6 ? rps_exp(-z / s * (RPS_PI - rps_atan2(2.0 * z * s, 1.0 - 2.0 * z * z))) : rps_exp(-2.0);
    }
    double s = sqrt(z * z - 1.0);
    return s > 1e-6 ? rps_exp(-z / s * rps_log((z + s) / (z - s))) : rps_exp(-2.0);
}

/* The damping ratio of that restitution, between 0 and 1. */
static inline double rps_dashpot_cut_ratio(double e) {
    double low = 0.0, high = 1e3;
    for (int k = 0; k < 200 && low < high; k++) {
        const double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) break;
        if (rps_dashpot_cut_restitution(mid) > e) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

#define RPS_DASHPOT_DULL 1e-9 /* above 0, which would be no impact but a spring and a dashpot that only push */

/* Without the cut an impact ends when the overlap does, and above critical damping never. */
static inline double rps_dashpot_free_restitution(double z) {
    return z < 1.0 ? rps_exp(-RPS_PI * z / sqrt(1.0 - z * z)) : RPS_DASHPOT_DULL;
}

static inline double rps_dashpot_rebound(const double *constant, double z) {
    return constant[RPS_DASHPOT_CUT] > 0.5 ? rps_dashpot_cut_restitution(z) : rps_dashpot_free_restitution(z);
}

#define RPS_DASHPOT_STILL \
    0.01 /* the least restitution of one that stands in: less would need a dashpot that no step resolves */

/* The ratio of the dashpot that stands in. */
static inline double rps_dashpot_stand_in(double z) {
    const double e = rps_dashpot_free_restitution(z);
    return rps_dashpot_cut_ratio(e > RPS_DASHPOT_STILL ? e : RPS_DASHPOT_STILL);
}

static inline double rps_dashpot_tension(const rps_law_setup *setup) {
    return setup->tension == RPS_TENSION_CUT ? 1.0 : setup->nonsmooth ? RPS_DASHPOT_STANDS_IN : 0.0;
}

/* Sets the tension of a dashpot in proportion to sqrt(S), whose stand-in depends on the law alone. by: damping ratio of the linear
 * spring over half the factor. */
static inline void rps_dashpot_set_critical(const rps_law_setup *setup, double by, double *constant) {
    constant[RPS_DASHPOT_CUT] = rps_dashpot_tension(setup);
    const double z = 0.5 * by * constant[RPS_DASHPOT_FACTOR];
    if (constant[RPS_DASHPOT_CUT] > -0.5 || !(z > 0.0)) return;
    constant[RPS_DASHPOT_FACTOR] *= rps_dashpot_stand_in(z) / z;
    constant[RPS_DASHPOT_CUT] = 1.0;
}

/* On a linear spring, of any measure. */
static inline void rps_dashpot_cone(const rps_dashpot_measure measure, const double *constant,
                                    const rps_law_contact *contact, rps_law_cone *cone) {
    const double of = rps_dashpot_of(measure, contact->normal_stiffness, contact->mass_eff, contact->contact_radius);
    const double critical = 2.0 * sqrt(contact->normal_stiffness * contact->mass_eff);
    cone->restitution = rps_dashpot_rebound(constant, constant[RPS_DASHPOT_FACTOR] * of / critical);
}

/* The nonsmooth stepper asks for a coefficient of restitution, which dashpots in proportion to anything but sqrt(S) have with
 * linear springs alone. */
static inline rps_status rps_dashpot_linear(const rps_law_setup *setup, const char *law, rps_error *err) {
    if (!setup->nonsmooth || setup->normal_exponent == 1.0) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "damping law `%s`: the nonsmooth stepper rebounds by a coefficient of restitution, which this dashpot "
        "has with normal law hooke alone; else it depends on the speed: take damping law restitution or ratio",
        law);
}

static inline rps_law_spring rps_dashpot_spring(const rps_dashpot_measure measure, const double *constant,
                                                const rps_law_contact *contact) {
    const double of = rps_dashpot_of(measure, contact->normal_stiffness, contact->mass_eff, contact->contact_radius);
    const double critical = 2.0 * sqrt(contact->normal_stiffness * contact->mass_eff);
    double damper = constant[RPS_DASHPOT_FACTOR] * of;
    if (constant[RPS_DASHPOT_CUT] < -0.5 && damper > 0.0) damper = critical * rps_dashpot_stand_in(damper / critical);
    return (rps_law_spring){0.0, damper};
}

static inline rps_law_spring rps_dashpot_critical(const double *constant, const rps_law_contact *contact) {
    return rps_dashpot_spring(RPS_DASHPOT_CRITICAL, constant, contact);
}

/* Of a law whose only parameter, `value`, is the factor. */
static inline rps_status rps_dashpot_prepare(const rps_law_setup *setup, const char *law, const char *meaning,
                                             double *constant, rps_error *err) {
    if (isnan(setup->value[0])) {
        return rps_fail(err, RPS_BAD_INPUT, "damping law `%s` needs `value`, %s", law, meaning);
    }
    constant[RPS_DASHPOT_FACTOR] = setup->value[0];
    constant[RPS_DASHPOT_CUT] = rps_dashpot_tension(setup);
    return RPS_OK;
}
#endif

#endif
