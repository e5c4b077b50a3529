/*
 * The normal dashpot of both damping laws: load c ddelta/dt with c = factor sqrt(S m_eff), S the tangent stiffness of
 * the normal law. tension: cut keeps the total load from pulling: the dashpot part is at least -N_e. The dissipation
 * recorded is (D0 + D1)/2 ddelta, after the cut.
 */
#ifndef RPS_LAW_DASHPOT_H
#define RPS_LAW_DASHPOT_H

#include <math.h>

#include "base/elementary.h"
#include <repose/law_kernel.h>

enum { RPS_DASHPOT_FACTOR, RPS_DASHPOT_CUT, RPS_DASHPOT_RESTITUTION /* where the law knows it */ };
enum { RPS_DASHPOT_BOOK };

static inline __attribute__((always_inline)) void rps_dashpot(const rps_batch *b, const double *constant) {
    const double factor = constant[RPS_DASHPOT_FACTOR], cut = constant[RPS_DASHPOT_CUT], rate = b->rate;
    RPS_IN(touch);
    RPS_IN(overlap_increment);
    RPS_IN(mass_eff);
    RPS_IN(stiffness);
    RPS_IN(elastic_load);
    RPS_LANE(damping_load);
    RPS_AS(book, b->memory[RPS_DASHPOT_BOOK][0]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_DAMPING]);
    RPS_EACH_CONTACT(c) {
        double increment = overlap_increment[c];
        double square = stiffness[c] * mass_eff[c];
        double load = factor * sqrt(square) * (increment * rate);
        double least = -elastic_load[c];
        double held = load < least ? least : load;
        load = cut > 0.5 ? held : load;
        load = touch[c] > 0.5 ? load : 0.0;
        dissipated[c] = 0.5 * (book[c] + load) * increment;
        book[c] = load;
        damping_load[c] = load;
    }
}

#define RPS_DASHPOT_READS                                                                           \
    (RPS_ARRAY(touch) | RPS_ARRAY(overlap_increment) | RPS_ARRAY(mass_eff) | RPS_ARRAY(stiffness) | \
     RPS_ARRAY(elastic_load))
#define RPS_DASHPOT_WRITES (RPS_ARRAY(damping_load) | RPS_ARRAY(dissipated))

#define RPS_DASHPOT_MEMORY                                                                             \
    {                                                                                                  \
        { "dashpot", "N", "dashpot load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK } \
    }

#if RPS_LAW_DESCRIPTOR
static rps_law_spring spring(const double *constant, const rps_law_contact *contact) {
    return (rps_law_spring){0.0, constant[RPS_DASHPOT_FACTOR] * sqrt(contact->normal_stiffness * contact->mass_eff)};
}
#endif

#endif
