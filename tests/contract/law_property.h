/*
 * Properties of laws and how they are held. A property is a function that returns how badly a law violates it, in
 * units of its tolerance: at most 1 is kept. A law that declares an exception, and a choice of the paper's form that
 * is known to break a property, must indeed break it with some parameters, so that no declaration goes stale.
 */
#ifndef TESTS_CONTRACT_LAW_PROPERTY_H
#define TESTS_CONTRACT_LAW_PROPERTY_H

#include "law_bench.h"

enum { DRAWS = 3, LANES_USED = 8 };

typedef struct property {
    const char *name;
    double (*violation)(const subject *s);
    drawing drawn;
    /* a form in which laws of a role are known to break it */
    bool (*excepted)(rps_role role, int form);
} property;

static inline bool declares(const rps_law *law, const char *name) {
    for (int k = 0; k < RPS_LAW_EXCEPTIONS && law->exception[k].property; k++) {
        if (strcmp(law->exception[k].property, name) == 0) return true;
    }
    return false;
}

/* Over some draws: the worst. Where it should be broken, until it is: not all parameters do it. */
static inline double worst_of(const property *p, const rps_law *law, int form, bool sought, uint64_t *draw) {
    double worst = 0.0;
    for (uint64_t d = 0; d < (sought ? 10 * DRAWS : DRAWS) && (!sought || worst <= 1.0); d++) {
        subject s = subject_of(law, form, d + 10 * (uint64_t)form, p->drawn);
        const double v = p->violation(&s);
        if (!(v <= worst)) {
            worst = v;
            *draw = d;
        }
        subject_release(&s);
    }
    return worst;
}

static inline void hold(const property *p) {
    double most = 0.0;
    for (int form = 0; form < FORMS; form++) {
        double broken[RPS_ROLE_COUNT] = {0.0};
        const char *form_name;
        form_of(form, &form_name);
        for (size_t n = 0; rps_law_at(n); n++) {
            const rps_law *law = rps_law_at(n);
            uint64_t draw = 0;
            const bool declared = declares(law, p->name), excepted = p->excepted && p->excepted(law->role, form);
            if (excepted && !declared && broken[law->role] > 1.0) continue;
            const double v = worst_of(p, law, form, declared || excepted, &draw);
            if (!declared && !excepted && !(v <= 1.0)) {
                fail_msg("%s law \"%s\", form %s, draw %d violates `%s` by %.3g times its tolerance",
                         rps_role_name(law->role), law->name, form_name, (int)draw, p->name, v);
            }
            if (declared && v <= 1.0) {
                fail_msg("%s law \"%s\" declares the exception `%s`, but keeps that property", rps_role_name(law->role),
                         law->name, p->name);
            }
            broken[law->role] = fmax(broken[law->role], v);
            if (!declared && !excepted) most = fmax(most, v);
        }
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            if (p->excepted && p->excepted((rps_role)role, form) && broken[role] <= 1.0) {
                fail_msg("form %s is said to violate `%s` in role %s, but no law does", form_name, p->name,
                         rps_role_name((rps_role)role));
            }
        }
    }
    SAY("%s: at most %.2g of the tolerance\n", p->name, most);
}

#define PROPERTY_TEST(test, name, violation, drawn, excepted)         \
    static void test_##test(void **state) {                           \
        static const property p = {name, violation, drawn, excepted}; \
        (void)state;                                                  \
        hold(&p);                                                     \
    }

#endif
