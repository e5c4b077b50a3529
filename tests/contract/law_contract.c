/*
 * The contract of every law, driven by the table of laws: descriptor, silence, finite numbers, caps. Energy and
 * symmetry are in law_energy.c and law_symmetry.c.
 */
#include "law_property.h"

/* --- the descriptor ----------------------------------------------------------------------------------------------- */

static bool is_word(const char *text) {
    if (!text || !*text) return false;
    for (; *text; text++) {
        if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') ||
              *text == '_')) {
            return false;
        }
    }
    return true;
}

/* Products and quotients of SI unit symbols, with powers: "N m s/rad", "kg m^2". */
static bool is_unit(const char *unit) {
    static const char *const symbol[] = {"m", "s", "kg", "N", "Pa", "J", "W", "Hz", "rad", "1", "K", "V", "C", NULL};
    if (!unit) return false;
    while (*unit) {
        size_t n = strcspn(unit, " /^"), k = 0;
        while (symbol[k] && !(strlen(symbol[k]) == n && strncmp(symbol[k], unit, n) == 0)) k++;
        if (!symbol[k]) return false;
        unit += n;
        if (*unit == '^') unit += 1 + strspn(unit + 1, "-0123456789/");
        if (*unit == ' ' || *unit == '/') unit++;
    }
    return true;
}

static void check_descriptor(const rps_law *law) {
    assert_int_equal(law->size, sizeof(rps_law));
    assert_true((int)law->role >= 0 && law->role < RPS_ROLE_COUNT);
    assert_true(is_word(law->name));
    assert_non_null(law->summary);
    assert_true(strlen(law->summary) > 4);
    assert_non_null(law->citation);
    assert_non_null(law->prepare);
    for (int isa = 0; isa < 3; isa++) assert_true(law->kernel[isa] != NULL);
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        const rps_law_parameter *p = &law->parameter[k];
        assert_true(is_word(p->name));
        assert_true(p->meaning && *p->meaning);
        if (!is_unit(p->unit)) fail_msg("%s: unit \"%s\" of %s does not parse", law->name, p->unit, p->name);
        for (int m = 0; m < k; m++) assert_string_not_equal(p->name, law->parameter[m].name);
        assert_true(p->low <= p->high);
        assert_true(isnan(p->default_value) || (p->default_value >= p->low && p->default_value <= p->high));
        if (p->choices) {
            assert_true(strlen(p->choices) > 2 && strchr(p->choices, '|') && p->choices[0] != '|');
            assert_string_equal(p->unit, "");
        }
    }
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        const rps_law_memory *e = &law->memory[m];
        assert_true(is_word(e->name));
        assert_true(e->meaning && *e->meaning && e->unit);
        for (int k = 0; k < m; k++) assert_string_not_equal(e->name, law->memory[k].name);
        assert_true((e->kind & ~(RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK | RPS_MEMORY_STIFFNESS | RPS_MEMORY_LINEAR |
                                 RPS_MEMORY_FROM_ZERO | RPS_MEMORY_RANGE | RPS_MEMORY_LIQUID)) == 0);
        assert_true(!(e->kind & RPS_MEMORY_RANGE) || (law->role == RPS_ROLE_BRIDGE && law->range));
        /* only the largest overlap of plastic laws may begin at any time */
        assert_true(!(e->kind & RPS_MEMORY_FROM_ZERO) || law->role == RPS_ROLE_NORMAL);
    }
    assert_true(law->modes >= 0 && law->modes <= 2);
    assert_true(law->range || !law->begins_apart);
    assert_true(law->role == RPS_ROLE_NORMAL || (law->exponent == 0.0 && !law->rigid_geometry));
    for (int k = 0; k < RPS_LAW_EXCEPTIONS && law->exception[k].property; k++) {
        assert_true(law->exception[k].why && *law->exception[k].why && law->exception[k].citation);
    }
}

static void test_descriptors(void **state) {
    (void)state;
    int roles[RPS_ROLE_COUNT] = {0}, n = 0;
    for (; rps_law_at((size_t)n); n++) {
        const rps_law *law = rps_law_at((size_t)n);
        check_descriptor(law);
        roles[law->role]++;
        assert_ptr_equal(rps_law_find(law->role, law->name), law); /* names are unique within a role */
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        assert_true(roles[role] > 0);
        if (role != RPS_ROLE_NORMAL) assert_non_null(rps_law_find((rps_role)role, "none"));
    }
    SAY("%d laws\n", n);
}

/* --- silence and finite numbers ----------------------------------------------------------------------------------- */

static bool is_output(const rps_law *law, int lane) {
    return law_writes(law, lane) && !law_owns_memory(law, lane) && !is_mode_of((int)law->role, lane) &&
           !is_books_of((int)law->role, lane) && lane != LANE_stiffness && lane != LANE_contact_radius;
}

static double not_finite(const bench *t, const rps_law *law) {
    for (int lane = 0; lane < LANES; lane++) {
        for (int c = 0; c < t->b.count && law_writes(law, lane); c++) {
            if (!isfinite(t->lane[lane].x[c])) return INFINITY;
        }
    }
    return 0.0;
}

/* Some steps of motion under load, then the contact is lost: no load, what is left is finite. A contact that opens
 * within reach has no normal load, and then no friction. */
static double violation_silent(const subject *s) {
    static bench t;
    bench_rest(&t, LANES_USED, 1e-5, 5.0);
    for (int n = 0; n < 30; n++) {
        bench_fill(&t, LANE_new_contact, n == 0);
        for (int c = 0; c < LANES_USED; c++) {
            const rps_vec3 a = random_vec(31 + s->draw, (uint64_t)(n * 8 + c)),
                           b = random_vec(32 + s->draw, (uint64_t)(n * 8 + c));
            bench_move(&t, s->law->role, c, rps_vec3_scale(a, n ? 1e-6 : 0.0), rps_vec3_scale(b, n ? 1e-6 : 0.0));
        }
        evaluate(&t, s, 0);
    }
    const double reach = rps_pair_range(s->setup, false, 0.02, 0.01);
    for (int beyond = 0; beyond < 2; beyond++) {
        bench_fill(&t, LANE_touch, beyond ? 0.0 : 1.0);
        bench_fill(&t, LANE_overlap, beyond ? -1.01 * reach - 1e-9 : -0.5 * reach);
        bench_fill(&t, LANE_overlap_increment, -1e-7);
        const int silent[] = {LANE_cap_load, LANE_damping_load, LANE_weight};
        for (size_t k = 0; k < sizeof silent / sizeof *silent; k++) bench_fill(&t, silent[k], 0.0);
        if (s->law->role != RPS_ROLE_NORMAL) {
            bench_fill(&t, LANE_elastic_load, 0.0);
            bench_fill(&t, LANE_contact_radius, 0.0);
            /* an opening Hertz contact has no stiffness left */
            if (s->setup->law[RPS_ROLE_NORMAL]->exponent > 1.0) bench_fill(&t, LANE_stiffness, 0.0);
        }
        evaluate(&t, s, 0);
        if (!(not_finite(&t, s->law) <= 0.0)) return INFINITY;
        /* within reach a dashpot and a bridge may still pull, and an imposed value press */
        if (!beyond && s->law->role < RPS_ROLE_SLIDE) continue;
        for (int lane = 0; lane < LANES; lane++) {
            for (int c = 0; c < LANES_USED && is_output(s->law, lane); c++) {
                if (t.lane[lane].x[c] != 0.0) return INFINITY;
            }
        }
    }
    return 0.0;
}

/* Numbers from nothing to far beyond any grain, at rest and in motion. An overlap is the difference of two lengths in
 * double precision: 0, or not below 1e-30. */
static double violation_finite(const subject *s) {
    static const double motion[] = {0.0, 1e-300, 1e-160, 1e-30, 1e-9, 1.0, 1e3};
    static const double load[] = {0.0, 1e-300, 1e-30, 1.0, 1e30}, mass[] = {1e-30, 1e-6, 1.0, 1e30};
    static const double depth[] = {0.0, 1e-30, 1e-18, 1e-4, 1.0}, length[] = {1e-9, 1e-2, 1e6};
#define PICK(list, n) list[(size_t)uniform(40 + s->draw, (n), 0.0, (double)(sizeof list / sizeof *list))]
    static bench t;
    for (uint64_t n = 0; n < 120; n++) {
        const uint64_t r = n * 100;
        bench_rest(&t, LANES_USED, PICK(mass, r) < 1.0 ? 1e-9 : 1.0, PICK(load, r + 1));
        for (int step = 0; step < 4; step++) {
            for (int c = 0; c < LANES_USED; c++) {
                const uint64_t m = r + 2 + (uint64_t)c * 8 + (uint64_t)step * 1000003;
                const rps_vec3 a = random_direction(41, m), b = random_direction(42, m);
                bench_move(&t, s->law->role, c, rps_vec3_scale(a, PICK(motion, m)),
                           rps_vec3_scale(b, PICK(motion, m + 1)));
                t.lane[LANE_overlap].x[c] = PICK(depth, m + 2);
                t.lane[LANE_overlap_increment].x[c] = PICK(motion, m + 3) * (c % 2 ? 1.0 : -1.0);
                t.lane[LANE_mass_eff].x[c] = PICK(mass, m + 4);
                t.lane[LANE_damper_mass_sqrt].x[c] = sqrt(PICK(mass, m + 4));
                t.lane[LANE_damper_inertia_sqrt].x[c] = sqrt(PICK(mass, m + 5));
                const double size = PICK(length, m + 6);
                t.lane[LANE_radius_eff].x[c] = t.lane[LANE_twist_radius].x[c] = t.lane[LANE_twist_radius_mean].x[c] =
                    size;
                t.lane[LANE_radius].x[c] = size;
                t.lane[LANE_radius_1].x[c] = c % 3 ? PICK(length, m + 5) : 0.0; /* a plane */
                t.lane[LANE_rolling_radius].x[c] = t.lane[LANE_rolling_radius_2].x[c] = 2.0 * size;
                t.lane[LANE_rolling_radius_mean].x[c] = t.lane[LANE_rolling_radius_mean_2].x[c] = 2.0 * size;
                if (s->law->role > RPS_ROLE_NORMAL) t.lane[LANE_contact_radius].x[c] = sqrt(size * PICK(depth, m + 2));
                if (s->law->role >= RPS_ROLE_SLIDE) t.lane[LANE_cap_load].x[c] = PICK(load, m + 7);
            }
            evaluate(&t, s, 0);
            if (!(not_finite(&t, s->law) <= 0.0)) return INFINITY;
        }
    }
#undef PICK
    return 0.0;
}

/* --- caps --------------------------------------------------------------------------------------------------------- */

/* At random motions and loads the elastic load stays within the static cap of the present load; with `limited` all
 * of it. */
static double over_cap(const subject *s, bool total) {
    if (s->law->role < RPS_ROLE_SLIDE) return 0.0;
    static bench t, rest;
    double worst = 0.0, motion;
    const double loads[] = {5.0, 1.0, 20.0, 0.0};
    double cap[4];
    for (int k = 0; k < 4; k++) {
        bench_rest(&rest, LANES_USED, 1e-5, loads[k]);
        cap[k] = static_cap(s, &rest, &motion);
    }
    bench_rest(&rest, LANES_USED, 1e-5, 5.0);
    static_cap(s, &rest, &motion);
    motion = motion < 1.0 ? motion : 1e-4;
    bench_rest(&t, LANES_USED, 1e-5, 5.0);
    for (int n = 0; n < 200; n++) {
        bench_fill(&t, LANE_new_contact, n == 0);
        const int k = n / 7 % 4;
        bench_fill(&t, LANE_cap_load, loads[k]);
        for (int c = 0; c < LANES_USED; c++) {
            const double size = n ? motion * uniform(51, (uint64_t)n, 0.0, 1.5) : 0.0;
            const rps_vec3 a = random_vec(52 + s->draw, (uint64_t)(n * 8 + c)),
                           b = random_vec(53, (uint64_t)(n * 8 + c));
            bench_move(&t, s->law->role, c, rps_vec3_scale(a, size), rps_vec3_scale(b, size));
        }
        evaluate(&t, s, 0);
        for (int c = 0; c < LANES_USED; c++) {
            rps_vec3 a, b;
            bench_load(&t, s->law->role, c, &a, &b);
            double load = t.lane[LANE_elastic + (int)s->law->role].x[c];
            if (total) load = fmax(rps_vec3_norm(a), rps_vec3_norm(b));
            /* products and a square root, some ulps, and that of a cap found by bisection */
            const double excess = (load - cap[k]) / (1e-12 * cap[k] + 1e-300);
            worst = fmax(worst, excess);
        }
    }
    return worst;
}

static double violation_capped(const subject *s) {
    return over_cap(s, false);
}

static double violation_limited(const subject *s) {
    return over_cap(s, true);
}

static bool free_dampers(rps_role role, int form) {
    return role >= RPS_ROLE_SLIDE && (form == FORM_FREE || form == FORM_PAPER);
}

/* The two bodies feel equal and opposite loads: of roll, the only load that has two lanes. */
static double violation_balanced(const subject *s) {
    if (s->law->role != RPS_ROLE_ROLL) return 0.0;
    static bench t;
    double worst = 0.0;
    bench_rest(&t, LANES_USED, 1e-5, 5.0);
    for (int n = 0; n < 100; n++) {
        bench_fill(&t, LANE_new_contact, n == 0);
        for (int c = 0; c < LANES_USED; c++) {
            const rps_vec3 a = random_vec(61 + s->draw, (uint64_t)(n * 8 + c)),
                           b = random_vec(62, (uint64_t)(n * 8 + c));
            bench_move(&t, s->law->role, c, rps_vec3_scale(a, n ? 1e-5 : 0.0), rps_vec3_scale(b, n ? 1e-5 : 0.0));
        }
        evaluate(&t, s, 0);
        for (int c = 0; c < LANES_USED; c++) {
            rps_vec3 a, b;
            bench_load(&t, s->law->role, c, &a, &b);
            worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(a, b)) > 0.0 ? 2.0 : 0.0); /* the same number, to the bit */
        }
    }
    return worst;
}

static bool two_histories(rps_role role, int form) {
    return role == RPS_ROLE_ROLL && (form == FORM_PER_BODY || form == FORM_PAPER);
}

/* --- the suite ---------------------------------------------------------------------------------------------------- */

PROPERTY_TEST(silent, "silent beyond reach", violation_silent, ANY, NULL)
PROPERTY_TEST(finite, "finite", violation_finite, ANY, NULL)
PROPERTY_TEST(capped, "elastic part within its cap", violation_capped, ANY, NULL)
PROPERTY_TEST(limited, "whole load within the static cap", violation_limited, ANY, free_dampers)
PROPERTY_TEST(balanced, "action equals reaction", violation_balanced, ANY, two_histories)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors), cmocka_unit_test(test_silent),  cmocka_unit_test(test_finite),
        cmocka_unit_test(test_capped),      cmocka_unit_test(test_limited), cmocka_unit_test(test_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
