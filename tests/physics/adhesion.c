/*
 * A law with a range of its own: a spring that pulls with a constant load P and lets go at a gap g that follows from its
 * parameters and the effective radius, as the pull-off of adhesive spheres does, g = (R_eff (P/k)^2)^(1/3).
 *
 *   N = k delta - P,   E = k delta^2/2 - P delta,   lost where it lets go: E(-g) = k g^2/2 + P g
 *
 * Contacts begin where the surfaces meet, or with the other variant of the law at the gap g already.
 */
#include "meshes.h"

#include <repose/law_kernel.h>

#include "scene/quantity.h"

enum { K, PULL };
enum { LOAD, STORED };

RPS_KERNEL(sticky) {
    const double k = constant[K], pull = constant[PULL];
    RPS_IN(touch);
    RPS_IN(overlap);
    RPS_IN(overlap_increment);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_NORMAL]);
    RPS_AS(load, b->memory[LOAD][0]);
    RPS_AS(stored, b->memory[STORED][0]);
    RPS_EACH_CONTACT(c) {
        double on = touch[c] > 0.5 ? 1.0 : 0.0;
        double n = on * (k * overlap[c] - pull), e = on * (0.5 * k * overlap[c] - pull) * overlap[c];
        dissipated[c] = 0.5 * (load[c] + n) * overlap_increment[c] - (e - stored[c]);
        elastic_load[c] = n;
        stiffness[c] = k;
        contact_radius[c] = 0.0;
        energy[c] = e;
        load[c] = n;
        stored[c] = e;
    }
}

static rps_status sticky_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)err;
    constant[K] = setup->value[K];
    constant[PULL] = setup->value[PULL];
    return RPS_OK;
}

static double sticky_range(const double *constant, double smaller_radius, double radius_eff) {
    const double ratio = constant[PULL] / constant[K];
    (void)smaller_radius;
    return cbrt(radius_eff * ratio * ratio);
}

static rps_law_spring sticky_spring(const double *constant, const rps_law_contact *contact) {
    (void)contact;
    return (rps_law_spring){constant[K], 0.0};
}

#define STICKY(name_, apart)                                                                                       \
    {                                                                                                              \
        .size = sizeof(rps_law), .role = RPS_ROLE_NORMAL, .name = name_, .summary = "spring with a constant pull", \
        .citation = "none",                                                                                        \
        .parameter = {{"stiffness", "N/m", "k", 1.0, 1e9, NAN, NULL, RPS_PARAMETER_STIFFNESS},                     \
                      {"pull", "N", "P", 0.0, 1e3, NAN, NULL, RPS_PARAMETER_OTHER}},                               \
        .memory = {{"load", "N", "of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK},                   \
                   {"stored", "J", "at the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}},                \
        .exponent = 1.0, .begins_apart = apart, .range = sticky_range,                                             \
        .reads = RPS_ARRAY(touch) | RPS_ARRAY(overlap) | RPS_ARRAY(overlap_increment),                             \
        .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy) | \
                  RPS_ARRAY(dissipated),                                                                           \
        .prepare = sticky_prepare, .spring = sticky_spring, .kernel = RPS_LAW_KERNELS(sticky),                     \
    }

static const rps_law sticky_law[2] = {STICKY("sticky", 0), STICKY("sticky_apart", 1)};

#define STIFFNESS 1e4
#define RADIUS 5e-3
#define MASS 1e-3

static rps_pair sticky_pair(int apart, double pull) {
    rps_pair pair = rps_pair_default();
    pair.law[RPS_ROLE_NORMAL] = &sticky_law[apart];
    pair.value[RPS_ROLE_NORMAL][K] = STIFFNESS;
    pair.value[RPS_ROLE_NORMAL][PULL] = pull;
    return pair;
}

static double gap_of(double pull, double radius_eff) {
    const double constant[] = {STIFFNESS, pull};
    return sticky_range(constant, 0.0, radius_eff);
}

/* Of two balls along x. */
static double separation(const rps_world *world, double radius_a, double radius_b) {
    return position_of(world, 1).x - position_of(world, 0).x - radius_a - radius_b;
}

typedef struct outcome {
    double begins, ends;   /* m, gap at the first and after the last evaluation with a contact */
    double residual, lost; /* J */
    uint64_t steps;        /* with a contact */
} outcome;

/* Head-on at the relative speed v. `frames`: with the other record of contacts. */
static outcome impact(int apart, double pull, double radius_b, double v, double dt, bool frames) {
    const rps_pair pair = sticky_pair(apart, pull);
    rps_world_options options = options_of(dt);
    options.frames = frames;
    options.check_laws = true;
    rps_world *world = world_of(&options, &pair);
    const double reduced = gap_of(pull, RADIUS * radius_b / (RADIUS + radius_b));
    add_ball(world, rps_vec3_zero(), RADIUS, MASS, rps_vec3_make(0.5 * v, 0.0, 0.0), rps_vec3_zero());
    add_ball(world, rps_vec3_make(RADIUS + radius_b + 1.5 * reduced, 0.0, 0.0), radius_b, MASS,
             rps_vec3_make(-0.5 * v, 0.0, 0.0), rps_vec3_zero());
    start(world);
    outcome out = {.begins = NAN, .ends = NAN};
    for (int n = 0; n < 200000 && isnan(out.ends); n++) {
        advance(world, 1);
        const bool is = rps_world_contact_count(world) > 0;
        out.steps += is;
        if (is && isnan(out.begins)) out.begins = separation(world, RADIUS, radius_b);
        if (!is && out.steps > 0) out.ends = separation(world, RADIUS, radius_b);
    }
    advance(world, 5);
    const rps_ledger ledger = ledger_of(world);
    out.residual = ledger.residual;
    out.lost = dissipated_of(&ledger);
    rps_world_destroy(world);
    return out;
}

/* A contact ends at the gap that the parameters and radii say, a step's way late at most, and there it loses what it stored. */
static void test_contacts_end_at_the_range_of_their_law(void **state) {
    (void)state;
    const double v = 1.0; /* enough to get away again */
    for (int k = 0; k < 8; k++) {
        const double pull = k & 1 ? 0.05 : 0.2, radius_b = k & 2 ? RADIUS : 2.0 * RADIUS, dt = 1e-6;
        const double g = gap_of(pull, RADIUS * radius_b / (RADIUS + radius_b));
        const outcome out = impact(0, pull, radius_b, v, dt, k & 4);
        const double energy = 0.5 * STIFFNESS * g * g + pull * g, way = v * dt;
        SAY("pull %g N, g %.4g m: ends at %.6g m; lost %.4g J of %.4g, residual %.3g\n", pull, g, out.ends, out.lost,
            energy, out.residual);
        assert_true(out.begins <= 0.0 && out.begins > -way);
        assert_true(out.ends > g && out.ends < g + way);
        ASSERT_NEAR(out.lost, energy, (STIFFNESS * g + pull) * way); /* the load there, over a step */
        /* the same: the trapezoid is exact for a linear law, but not for its jumps */
        ASSERT_BELOW(fabs(out.residual), (STIFFNESS * g + pull) * way);
    }
}

/* A ball falls on a floor, sticks or bounces, and leaves: on a mesh as on the plane, also where contacts begin apart and the
 * results of contacts are kept, so that pairs known to be apart are looked at. */
static void test_mesh_is_a_plane(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        const rps_pair pair = sticky_pair(apart, 0.1);
        rps_world *world[2];
        for (int k = 0; k < 2; k++) {
            rps_world_options options = options_of(2e-6);
            options.gravity[2] = -9.81;
            world[k] = world_of(&options, &pair);
            if (k == 0) {
                add_ground(world[k], rps_vec3_make(0.0, 0.0, 1.0));
            } else {
                sheet s = sheet_new();
                sheet_quad(&s, sheet_point(&s, -0.1, -0.1, 0.0), sheet_point(&s, 0.1, -0.1, 0.0),
                           sheet_point(&s, 0.1, 0.1, 0.0), sheet_point(&s, -0.1, 0.1, 0.0));
                add_sheet(world[k], &s, RPS_SIDE_OUTER);
                sheet_free(&s);
            }
            for (int n = 0; n < 3; n++) {
                add_ball(world[k], rps_vec3_make(0.011 * n, 0.003, RADIUS * (1.06 + 0.05 * n)), RADIUS, MASS,
                         rps_vec3_make(0.0, 0.0, -0.15 * n), rps_vec3_zero());
            }
            start(world[k]);
        }
        uint64_t touching = 0;
        for (int n = 0; n < 6000; n++) {
            advance(world[0], 1);
            advance(world[1], 1);
            const uint64_t contacts = rps_world_contact_count(world[0]);
            assert_true(rps_world_contact_count(world[1]) == contacts);
            touching += contacts;
        }
        assert_true(touching > 1000);
        for (uint64_t id = 1; id <= 3; id++) { /* rounding of positions, 1e-17 m, over 6000 steps */
            ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(position_of(world[0], id), position_of(world[1], id))), 1e-13);
        }
        for (int k = 0; k < 2; k++) rps_world_destroy(world[k]);
    }
}

/* The residual falls with the step, so the ledger closes. */
static void test_ledger_closes(void **state) {
    (void)state;
    double residual[3];
    for (int k = 0; k < 3; k++)
        residual[k] = fabs(impact(0, 0.2, RADIUS, 1.0, 4e-6 / (double)(1 << (2 * k)), false).residual);
    SAY("residual %.3g, %.3g, %.3g J at dt, dt/4, dt/16\n", residual[0], residual[1], residual[2]);
    /* first order or better: where in a step the contact begins and ends is chance, of a factor of two */
    ASSERT_BELOW(residual[2], 0.125 * residual[0]);
}

/* Contacts that begin at the range, and those of other parameters in the same world. */
static void test_contacts_may_begin_at_the_range(void **state) {
    (void)state;
    const double g = gap_of(0.2, 0.5 * RADIUS), way = 0.5e-6;
    const outcome out = impact(1, 0.2, RADIUS, 0.5, 1e-6, false);
    assert_true(out.begins <= g && out.begins > g - 1.1 * way); /* the pull adds to the speed */
    assert_true(out.ends > g && out.ends < g + way);
}

/* Is a gap counted as touching? */
static void test_gaps_are_not_reported_as_touching(void **state) {
    (void)state;
    const double g = gap_of(0.2, 0.5 * RADIUS);
    for (int apart = 0; apart < 2; apart++) {
        const rps_pair pair = sticky_pair(apart, 0.2);
        const rps_world_options options = options_of(1e-9);
        rps_world *world = world_of(&options, &pair);
        for (int k = 0; k < 3; k++) { /* the first two overlap, the third is a gap away */
            add_ball(world, rps_vec3_make(k * 2.0 * RADIUS + (k < 2 ? -k * 1e-6 : 0.5 * g), 0.0, 0.0), RADIUS, MASS,
                     rps_vec3_zero(), rps_vec3_zero());
        }
        start(world);
        advance(world, 1);
        assert_int_equal(rps_world_contact_count(world), apart ? 2 : 1);
        ASSERT_NEAR(rps_measure_coordination(world, -1), 2.0 / 3.0, 1e-15); /* two sides of three balls */
        rps_world_destroy(world);
    }
}

/* Candidates and skins: in a dilute gas of balls of many sizes, of two materials, the contacts are those of all pairs within
 * the range of their own laws, after every step. */
static void test_lists_hold_all_pairs_in_range(void **state) {
    (void)state;
    enum { BALLS = 60, EVERY = 20, LOOKS = 100 };
    const double box = 0.072, pull[3] = {0.02, 0.5, 0.1};
    double radius[BALLS];
    rps_pair pair = sticky_pair(1, pull[0]);
    rps_world_options options = options_of(2e-5);
    options.period[0] = options.period[1] = options.period[2] = box;
    rps_world *world = world_of(&options, &pair);
    rps_material second = rps_material_default();
    second.name = "more";
    MUST(rps_world_add_material(world, &second, NULL, ERR));
    pair = sticky_pair(1, pull[1]);
    MUST(rps_world_set_pair(world, 0, 1, &pair, ERR));
    pair = sticky_pair(1, pull[2]);
    MUST(rps_world_set_pair(world, 1, 1, &pair, ERR));
    for (uint64_t k = 0; k < BALLS; k++) {
        rps_body_def def = rps_body_def_default();
        radius[k] = def.radius = 2e-3 * pow(4.0, uniform(1, k, 0.0, 1.0));
        def.mass = 1e-3;
        def.material = (int)(k % 2);
        to_array(def.position,
                 rps_vec3_make(0.018 * (double)(k % 4), 0.018 * (double)(k / 4 % 4), 0.018 * (double)(k / 16)));
        to_array(def.velocity, rps_vec3_scale(random_vec(2, k), 0.5));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    start(world);
    size_t seen = 0;
    for (int n = 0; n < LOOKS; n++) {
        advance(world, EVERY);
        size_t expected = 0;
        for (uint64_t a = 0; a < BALLS; a++) {
            for (uint64_t b = a + 1; b < BALLS; b++) {
                rps_vec3 d = rps_vec3_sub(vec_of(world, "position", a), vec_of(world, "position", b));
                d = rps_vec3_make(d.x - box * rint(d.x / box), d.y - box * rint(d.y / box),
                                  d.z - box * rint(d.z / box));
                const double p = a % 2 == b % 2 ? pull[a % 2 ? 2 : 0] : pull[1];
                const double range = gap_of(p, radius[a] * radius[b] / (radius[a] + radius[b]));
                bool is;
                contact_of(world, a, b, &is);
                const bool within = rps_vec3_norm(d) - radius[a] - radius[b] < range;
                if (is != within) fail_msg("look %d: bodies %d and %d", n, (int)a, (int)b);
                expected += within;
            }
        }
        assert_int_equal(rps_world_contact_count(world), expected);
        seen += expected;
    }
    SAY("%zu contacts in %d looks\n", seen, LOOKS);
    assert_true(seen > 30);
    rps_world_destroy(world);
}

static double falling_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)constant;
    (void)radius_eff;
    return 1e-6 / smaller_radius;
}

static double steep_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)constant;
    (void)smaller_radius;
    return radius_eff * radius_eff;
}

static double negative_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)constant;
    (void)radius_eff;
    return -smaller_radius;
}

static void test_refusals(void **state) {
    (void)state;
    double (*const wrong[])(const double *, double, double) = {falling_range, steep_range, negative_range,
                                                               sticky_range};
    static const char *const words[] = {"must not fall", "must not grow faster", "expected 0 or a positive number",
                                        "acts across gaps"};
    for (int k = 0; k < 4; k++) {
        rps_law law = sticky_law[0];
        law.range = wrong[k];
        law.cone = rps_law_find(RPS_ROLE_NORMAL, "hooke")->cone;
        rps_pair pair = sticky_pair(0, 0.1);
        pair.law[RPS_ROLE_NORMAL] = &law;
        rps_world_options options = options_of(1e-5);
        if (k == 3) options.stepper = RPS_NONSMOOTH;
        rps_material material = rps_material_default();
        rps_world *world = NULL;
        rps_error err = {0};
        material.name = "stuff";
        MUST(rps_world_create(&options, &world, ERR));
        MUST(rps_world_add_material(world, &material, NULL, ERR));
        MUST(rps_world_register_law(world, &law, ERR));
        assert_int_equal(rps_world_set_pair(world, 0, 0, &pair, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, words[k])) fail_msg("expected \"%s\" in: %s", words[k], err.text);
        rps_world_destroy(world);
    }
    rps_law law = sticky_law[1];
    law.range = NULL;
    rps_world_options options = options_of(1e-5);
    rps_world *world = NULL;
    rps_error err = {0};
    MUST(rps_world_create(&options, &world, ERR));
    assert_int_equal(rps_world_register_law(world, &law, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "begins_apart"));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_is_a_plane),
        cmocka_unit_test(test_contacts_end_at_the_range_of_their_law),
        cmocka_unit_test(test_ledger_closes),
        cmocka_unit_test(test_contacts_may_begin_at_the_range),
        cmocka_unit_test(test_gaps_are_not_reported_as_touching),
        cmocka_unit_test(test_lists_hold_all_pairs_in_range),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
