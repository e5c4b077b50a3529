/*
 * Cylinders in plane strain: the law against its implicit relation, against the numbers of an independent implementation and
 * against quadrature of an impact; unlike materials against the sum of both bodies' compressions; a plane as a rigid mirror;
 * beyond the branch smooth and with its energy; and who is refused where.
 */
#include "../contract/law_bench.h"

#include "world/world.h"

typedef struct outcome {
    double load, stiffness, radius, energy;
} outcome;

static rps_pair pair_of_cylinders(void) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz2d", NULL);
    return pair;
}

static rps_world_options planar(double step) {
    rps_world_options options = options_of(step);
    options.dimension = 2;
    options.guards.action[RPS_GUARD_OVERLAP] = RPS_GUARD_OFF;
    return options;
}

static rps_material material_of(const char *name, double young, double poisson) {
    rps_material m = rps_material_default();
    m.name = name;
    m.young = young;
    m.poisson = poisson;
    m.density = 2700.0;
    return m;
}

/* E = 10 GPa, nu = 1/4, 1 m deep. */
static rps_world *world_of_rock(double step) {
    rps_world_options options = planar(step);
    rps_pair pair = pair_of_cylinders();
    return world_of_material(&options, &pair, material_of("rock", 1e10, 0.25));
}

static const double MODULUS = 1e10 / (2.0 * (1.0 - 0.25 * 0.25));

/* The kernel alone at one overlap. */
static outcome outcome_at(const rps_world *world, double r0, double r1, double overlap) {
    static bench t;
    const rps_pair_setup *pair = rps_world_pair_of(world, 0, 0);
    bench_rest(&t, 8, 1e-5, 0.0);
    bench_fill(&t, LANE_radius, r0);
    bench_fill(&t, LANE_radius_1, r1);
    bench_fill(&t, LANE_radius_eff, r1 > 0.0 ? r0 * r1 / (r0 + r1) : r0);
    bench_fill(&t, LANE_overlap, overlap);
    pair->law[RPS_ROLE_NORMAL]->kernel[0](&t.b, pair->constant[RPS_ROLE_NORMAL]);
    return (outcome){t.lane[LANE_elastic_load].x[0], t.lane[LANE_stiffness].x[0], t.lane[LANE_contact_radius].x[0],
                     t.lane[LANE_energy + RPS_ROLE_NORMAL].x[0]};
}

/* --- the relation --------------------------------------------------------------------------------------------------- */

static void test_relation(void **state) {
    (void)state;
    rps_world *world = world_of_rock(1e-5);
    double worst = 0.0, slope = 0.0;
    for (int k = 0; k <= 4000; k++) {
        /* from an overlap of 1e-25 to that of L = 1.5, delta/(4 S) = 1.5 exp(-2.5) = .1231 */
        const double depth = 4.0 * 0.07 * 0.12312 * pow(10.0, -25.0 * k / 4000.0);
        const outcome o = outcome_at(world, 0.03, 0.04, depth);
        const double x = o.load / (RPS_PI * MODULUS), l = depth / x;
        worst = fmax(worst, fabs(x * (log(4.0 * 0.07 / x) - 1.0) / depth - 1.0));
        slope = fmax(slope, fabs(o.stiffness * (log(4.0 * 0.07 / x) - 2.0) / (RPS_PI * MODULUS) - 1.0));
        ASSERT_NEAR(o.radius, 2.0 * sqrt(x * 0.03 * 0.04 / 0.07), 1e-14 * o.radius);
        ASSERT_NEAR(o.energy, 0.5 * o.load * depth - o.load * o.load / (4.0 * RPS_PI * MODULUS), 1e-14 * o.energy);
        assert_true(l >= 1.5);
    }
    /* ulps of the logarithms, divided by 1 - 1/L and L - 1 >= .5 */
    SAY("relation to %.2g, slope to %.2g\n", worst, slope);
    ASSERT_BELOW(worst, 2e-15);
    ASSERT_BELOW(slope, 1e-14);
    rps_world_destroy(world);
}

/* Two cylinders of 1 m diameter pressed together by 25 mm in all. Ten digits are given. */
static void test_numbers(void **state) {
    (void)state;
    rps_world *world = world_of_rock(1e-5);
    const outcome o = outcome_at(world, 0.5, 0.5, 0.025);
    const double digits = 6e-10;
    ASSERT_NEAR(o.load, 7.172727329e7, digits * 7.2e7);
    ASSERT_NEAR(o.radius, 0.0654286351, digits * 0.1);
    ASSERT_NEAR(o.load / 0.025, 2.869090932e9, digits * 2.9e9);
    ASSERT_NEAR(o.stiffness, 3.461892411e9, digits * 3.5e9);
    ASSERT_NEAR(o.energy, 8.198264824e5, digits * 8.2e5);
    /* a rigid wall at half the approach is its mirror: same load and radius, twice the stiffness, half the energy */
    for (int plane_first = 0; plane_first < 2; plane_first++) {
        const outcome wall = outcome_at(world, plane_first ? 0.0 : 0.5, plane_first ? 0.5 : 0.0, 0.0125);
        ASSERT_NEAR(wall.load, o.load, 1e-14 * o.load);
        ASSERT_NEAR(wall.radius, o.radius, 1e-14);
        ASSERT_NEAR(wall.load / 0.0125, 5.738e9, 5e5);
        ASSERT_NEAR(wall.stiffness, 2.0 * o.stiffness, 1e-14 * 2.0 * o.stiffness);
        ASSERT_NEAR(wall.energy, 0.5 * o.energy, 1e-14 * o.energy);
    }
    /* overlap and load along the transverse translation (appendix C); 6 digits, of an overlap rounded to 5e-8 m */
    static const double row[][2] = {{0.0248594, 7.12409e7}, {0.0246547, 7.05340e7}, {0.0243859, 6.96080e7},
                                    {0.0240532, 6.84650e7}, {0.0236565, 6.71075e7}, {0.0231960, 6.55387e7},
                                    {0.0226718, 6.37622e7}, {0.0220840, 6.17821e7}, {0.0214329, 5.96031e7},
                                    {0.0207185, 5.72307e7}, {0.0199411, 5.46708e7}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ASSERT_NEAR(outcome_at(world, 0.5, 0.5, row[k][0]).load, row[k][1], 51.0 + 5e-8 * 3.5e9);
    }
    rps_world_destroy(world);
}

/* Deeper than L = 1.5: load, slope and energy go on without a jump, the energy is that of the load, all stays finite. */
static void test_beyond(void **state) {
    (void)state;
    rps_world *world = world_of_rock(1e-5);
    const double edge = 4.0 * 1.5 * exp(-2.5), k = RPS_PI * MODULUS; /* R = .5: S = 1 m */
    const outcome before = outcome_at(world, 0.5, 0.5, edge * (1.0 - 1e-9)),
                  after = outcome_at(world, 0.5, 0.5, edge * (1.0 + 1e-9));
    /* 2e-9 of the overlap: slopes times that; the curvature of the law is L/(L - 1)^3 / delta = 12 */
    ASSERT_NEAR(after.load - before.load, 2.0 * k * 2e-9 * edge, 1e-7 * k * edge * 2e-9 + 1e-14 * after.load);
    ASSERT_NEAR(after.stiffness, before.stiffness, 2e-8 * after.stiffness);
    ASSERT_NEAR(after.radius, before.radius, 1e-8 * after.radius);
    for (double depth = edge * 1.01; depth < 2.0; depth *= 1.1) {
        const double step = 1e-4 * depth;
        const outcome a = outcome_at(world, 0.5, 0.5, depth), b = outcome_at(world, 0.5, 0.5, depth + step);
        /* linear: the trapezoid is exact; differences of energies lose four digits */
        ASSERT_NEAR(b.energy - a.energy, 0.5 * (a.load + b.load) * step, 1e-10 * b.load * step);
        ASSERT_NEAR(b.load - a.load, a.stiffness * step, 1e-10 * b.load);
    }
    rps_world_destroy(world);
}

/* --- unlike materials ------------------------------------------------------------------------------------------------ */

/* The compression of one half cylinder, N (1 - nu^2)/(pi E) (2 log(4 R/a) - 1) (Johnson 1985, eq. 5.57), summed. */
static void test_unlike(void **state) {
    (void)state;
    const double young[2] = {1e10, 7e10}, poisson[2] = {0.25, 0.33}, radius[2] = {0.03, 0.04}, depth = 5e-4;
    double load[2];
    for (int order = 0; order < 4; order++) { /* materials and bodies named either way round */
        rps_world_options options = planar(1e-7);
        rps_pair pair = pair_of_cylinders();
        rps_world *world;
        MUST(rps_world_create(&options, &world, ERR));
        int material[2];
        uint64_t id[2];
        for (int n = 0; n < 2; n++) {
            const int k = order % 2 ? 1 - n : n;
            rps_material m = material_of(k ? "stiff" : "soft", young[k], poisson[k]);
            MUST(rps_world_add_material(world, &m, &material[k], ERR));
        }
        MUST(rps_world_set_pair(world, 0, 1, &pair, ERR));
        for (int n = 0; n < 2; n++) {
            const int k = order / 2 ? 1 - n : n;
            rps_body_def def = rps_body_def_default();
            def.shape = "disk";
            def.material = material[k];
            def.radius = radius[k];
            def.position[0] = k ? 0.07 - depth : 0.0;
            MUST(rps_world_add_body(world, &def, &id[k], ERR));
        }
        start(world);
        const rps_contact contact = contact_of(world, id[0], id[1], NULL);
        double sum = 0.0;
        for (int k = 0; k < 2; k++) {
            sum += contact.elastic_load[0] * (1.0 - poisson[k] * poisson[k]) / (RPS_PI * young[k]) *
                   (2.0 * log(4.0 * radius[k] / contact.contact_radius[0]) - 1.0);
        }
        /* the overlap is a difference of lengths of .07 m: 1e-17/5e-4 */
        ASSERT_NEAR(sum, depth, 1e-12 * depth);
        load[order % 2] = contact.elastic_load[0];
        /* as like materials it would be 2 to 4 % softer */
        const double modulus =
            1.0 / ((1.0 - poisson[0] * poisson[0]) / young[0] + (1.0 - poisson[1] * poisson[1]) / young[1]);
        use(&pair, RPS_ROLE_NORMAL, "hertz2d", "effective_modulus", modulus, NULL);
        rps_world *like = world_of_material(&options, &pair, material_of("like", NAN, NAN));
        const double softer = 1.0 - outcome_at(like, radius[0], radius[1], depth).load / contact.elastic_load[0];
        assert_true(softer > 0.02 && softer < 0.04);
        rps_world_destroy(like);
        rps_world_destroy(world);
    }
    ASSERT_NEAR(load[0], load[1], 1e-12 * load[0]);
}

/* --- impact ----------------------------------------------------------------------------------------------------------- */

enum { PER_CONTACT = 4000 };

typedef struct impact {
    double depth, load, time, speed; /* m, N: the largest; s; m/s, afterwards */
} impact;

/* A disk of radius .035 m and density 2700 against a line, or against its like, at relative speed v. */
static impact collide(double v, bool wall, bool frames, int steps) {
    const double radius = 0.035, step = 1.7e-4 / steps;
    rps_world_options options = planar(step);
    rps_pair pair = pair_of_cylinders();
    options.frames = frames;
    rps_world *world = world_of_material(&options, &pair, material_of("rock", 1e10, 0.25));
    uint64_t id[2];
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        const bool plane = wall && k == 0;
        def.shape = plane ? "plane" : "disk";
        if (plane) {
            def.kind = RPS_BODY_FIXED;
            def.normal[0] = 0.6;
            def.normal[1] = 0.0;
            def.normal[2] = 0.8;
        } else {
            const double to = wall ? 1.0 : k ? 0.5 : -0.5, gap = wall ? radius : 2.0 * radius;
            def.radius = radius;
            for (int a = 0; a < 3; a += 2) {
                const double n = a ? 0.8 : 0.6;
                def.position[a] = (wall || k ? gap : 0.0) * n;
                def.velocity[a] = -to * v * n;
            }
        }
        MUST(rps_world_add_body(world, &def, &id[k], ERR));
    }
    start(world);
    impact out = {0};
    bool touched = false, found = false;
    double depth0 = 0.0;
    for (int n = 1; n < 2 * steps; n++) {
        advance(world, 1);
        const rps_contact contact = contact_of(world, id[0], id[1], &found);
        if (touched && !found) break;
        if (found) {
            out.time = touched ? out.time + step : contact.overlap[0] / v; /* since it began, within this step */
            touched = true;
            out.depth = fmax(out.depth, contact.overlap[0]);
            out.load = fmax(out.load, contact.elastic_load[0]);
            depth0 = contact.overlap[0];
        }
    }
    out.time += depth0 / v; /* to the end, after the last sample in contact */
    const rps_vec3 after = velocity_of(world, id[1]);
    out.speed = (0.6 * after.x + 0.8 * after.z) * (wall ? 1.0 : 2.0);
    rps_world_destroy(world);
    return out;
}

/* Quadrature of the energy integral, six digits given. The largest sample misses the peak by (pi/2 N)^2/2 < 1e-7 of
 * it. The time is that of the samples in contact and of the free way at both ends: six digits and the error of verlet. */
static void test_impact(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        const impact wall = collide(1.0, true, frames, PER_CONTACT), pair = collide(1.0, false, frames, PER_CONTACT);
        ASSERT_NEAR(wall.depth, 5.45125e-5, 1e-6 * 5.45125e-5);
        ASSERT_NEAR(wall.load, 2.01755e5, 3e-6 * 2.01755e5);
        ASSERT_NEAR(wall.time, 1.68377e-4, 4e-6 * 1.68377e-4);
        ASSERT_NEAR(pair.depth, 5.65561e-5, 1e-6 * 5.65561e-5);
        ASSERT_NEAR(pair.load, 9.68079e4, 1e-6 * 9.68079e4);
        ASSERT_NEAR(pair.time, 1.74912e-4, 4e-6 * 1.74912e-4);
        /* nothing is lost: verlet keeps the speed to second order of the step, and the step in which contact begins */
        ASSERT_NEAR(wall.speed, 1.0, 1e-6);
        ASSERT_NEAR(pair.speed, 1.0, 1e-6);
    }
    /* the time falls slowly with the speed; four digits */
    ASSERT_NEAR(collide(0.1, true, false, PER_CONTACT).time, 1.891e-4, 6e-8);
    ASSERT_NEAR(collide(10.0, true, false, PER_CONTACT).time, 1.442e-4, 6e-8);
}

/* Through a contact that is there from the start to the end, so that no step has a kink: a sixteenth for a quarter of the
 * step. */
static double largest_residual(int steps) {
    const double radius = 0.035, step = 1.7e-4 / steps;
    rps_world *world = world_of_rock(step);
    uint64_t id[2];
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        def.shape = "disk";
        def.radius = radius;
        def.position[0] = k ? 2.0 * radius - 5e-6 : 0.0;
        def.velocity[0] = k ? -1.0 : 0.0;
        def.velocity[2] = k ? 0.4 : 0.0;
        MUST(rps_world_add_body(world, &def, &id[k], ERR));
    }
    start(world);
    double worst = 0.0;
    for (int n = 0; n < 20; n++) {
        advance(world, (uint64_t)(steps / 25));
        bool found;
        contact_of(world, id[0], id[1], &found);
        assert_true(found);
        worst = fmax(worst, fabs(ledger_of(world).residual) / ledger_of(world).start);
    }
    rps_world_destroy(world);
    return worst;
}

static void test_ledger(void **state) {
    (void)state;
    const double coarse = largest_residual(250), fine = largest_residual(1000);
    SAY("ledger: %.3g, %.3g, order %.3f\n", coarse, fine, log(coarse / fine) / log(4.0));
    ASSERT_NEAR(log(coarse / fine) / log(4.0), 2.0, 0.05);
}

/* --- step and refusals ------------------------------------------------------------------------------------------------ */

/* The critical step has the tangent stiffness at the deepest overlap, of two disks and on a line. */
static void test_step_limit(void **state) {
    (void)state;
    rps_world *world = world_of_rock(1e-7);
    uint64_t id;
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        def.shape = "disk";
        def.radius = 0.5;
        def.position[0] = k ? 0.975 : 0.0;
        MUST(rps_world_add_body(world, &def, &id, ERR));
    }
    start(world);
    rps_step_limit limit;
    MUST(rps_world_step_limit(world, &limit, ERR));
    const double mass = 0.5 * 2700.0 * RPS_PI * 0.25;
    ASSERT_NEAR(limit.stiffness, 3.461892411e9, 1e-9 * 3.5e9);
    ASSERT_NEAR(limit.step, 2.0 * sqrt(mass / 3.461892411e9), 1e-9 * limit.step);
    rps_world_destroy(world);
}

static void refuse(int dimension, rps_pair pair, double young, const char *said) {
    rps_world_options options = options_of(1e-5);
    rps_world *world;
    rps_error err = {0};
    options.dimension = dimension;
    MUST(rps_world_create(&options, &world, ERR));
    rps_material m = material_of("stuff", young, 0.25);
    MUST(rps_world_add_material(world, &m, NULL, ERR));
    assert_int_equal(rps_world_set_pair(world, 0, 0, &pair, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, said)) fail_msg("\"%s\" does not say \"%s\"", err.text, said);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_pair pair = pair_of_cylinders();
    use(&pair, RPS_ROLE_SLIDE, "hertz2d_partial_slip", "friction", 0.3, NULL);
    refuse(3, pair, 1e10, "parallel cylinders");
    pair = pair_of_cylinders();
    refuse(2, pair, NAN, "`young` and `poisson`");
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    refuse(2, pair, 1e10, "damping: ratio");
    pair = pair_of_cylinders();
    use(&pair, RPS_ROLE_SLIDE, "walton", "friction", 0.3, NULL);
    refuse(2, pair, 1e10, "touch along a line");
    pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    refuse(2, pair, 1e10, "hertz2d");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relation),   cmocka_unit_test(test_numbers),  cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_unlike),     cmocka_unit_test(test_impact),   cmocka_unit_test(test_ledger),
        cmocka_unit_test(test_step_limit), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
