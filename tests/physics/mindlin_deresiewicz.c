/*
 * Partial slip of spheres: the closed form of Mindlin & Deresiewicz 1953 at constant load, Masing's rule, loops that close,
 * the numbers of an independent implementation for slip that turns, a row of springs for any load and slip along a line
 * (mindlin_exact.h), what cycles leave and take, and oblique impacts in the engine.
 * Units of the contact: E* = R* = 1, 4 G* = 1, mu = .3; at d = 1 N = 4/3, s_f = .3.
 */
#include "../contract/law_bench.h"
#include "exact_impact.h"

static const double MU = 0.3, LOAD = 4.0 / 3.0, FULL = 0.3;

typedef struct single {
    bench t;
    rps_world *world;
    const rps_pair_setup *pair;
    rps_vec3 force;            /* N */
    double work, lost, energy; /* J */
    bool slides;
} single;

static single one;

static rps_material stuff(double young, double poisson) {
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = young;
    material.poisson = poisson;
    return material;
}

static rps_pair pair_of(double mu, double kinetic, double nodes, double shear) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "mindlin_deresiewicz", "friction", mu, "kinetic", kinetic, "nodes", nodes,
        "effective_shear", shear, NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    return pair;
}

static single *new_contact(double kinetic, double nodes) {
    if (one.world) rps_world_destroy(one.world);
    memset(&one, 0, sizeof one);
    rps_world_options options = options_of(1e-5);
    const rps_pair pair = pair_of(MU, kinetic, nodes, 0.25);
    one.world = world_of_material(&options, &pair, stuff(1.0, 0.0));
    one.pair = rps_world_pair_of(one.world, 0, 0);
    bench_rest(&one.t, 8, 1e-5, 0.0);
    return &one;
}

static single *contact_of_eight(void) {
    return new_contact(MU, 8.0);
}

/* One evaluation: slip by ds to the overlap d. */
static void move(single *p, double dx, double dy, double d) {
    const rps_vec3 before = p->force;
    d = fmax(d, 0.0); /* the end of a ramp */
    const double load = LOAD * d * sqrt(d);
    bench_fill(&p->t, LANE_elastic_load, load);
    bench_fill(&p->t, LANE_cap_load, load);
    bench_fill(&p->t, LANE_contact_radius, sqrt(d));
    for (int c = 0; c < 8; c++) bench_move(&p->t, RPS_ROLE_SLIDE, c, rps_vec3_make(dx, dy, 0.0), rps_vec3_zero());
    p->pair->law[RPS_ROLE_SLIDE]->kernel[0](&p->t.b, p->pair->constant[RPS_ROLE_SLIDE]);
    rps_vec3 none;
    bench_load(&p->t, RPS_ROLE_SLIDE, 0, &p->force, &none);
    p->energy = p->t.lane[LANE_energy + RPS_ROLE_SLIDE].x[0];
    p->lost += p->t.lane[LANE_dissipated + RPS_ROLE_SLIDE].x[0];
    p->slides = p->t.lane[LANE_mode + 2 * RPS_ROLE_SLIDE].x[0] > 0.5;
    p->work += 0.5 * ((before.x + p->force.x) * dx + (before.y + p->force.y) * dy);
    ASSERT_BELOW(rps_vec3_norm(p->force), MU * load * (1.0 + 1e-13));
    ASSERT_ABOVE(p->energy, 0.0);
}

static void ramp(single *p, double dx, double dy, double d0, double d1, int steps) {
    for (int k = 1; k <= steps; k++) move(p, dx / steps, dy / steps, d0 + (d1 - d0) * k / steps);
}

/* Mindlin & Deresiewicz, in mu N. */
static double virgin(double s) {
    const double left = s < FULL ? 1.0 - s / FULL : 0.0;
    return 1.0 - left * sqrt(left);
}

/* --- constant load ------------------------------------------------------------------------------------------------ */

static void test_virgin_curve(void **state) {
    (void)state;
    for (int nodes = 4; nodes <= 8; nodes += 4) {
        for (int steps = 1; steps <= 1000; steps *= 10) { /* in one step or in many: one curve, any direction */
            for (int k = 1; k <= 11; k++) {
                single *p = new_contact(MU, nodes);
                const double s = 0.1 * k * FULL;
                move(p, 0.0, 0.0, 1.0);
                ramp(p, 0.6 * s, 0.8 * s, 1.0, 1.0, steps);
                ASSERT_NEAR(rps_vec3_norm(p->force) / (MU * LOAD), virgin(s), 1e-11); /* 1000 nodes of 1e-13 removed */
                ASSERT_NEAR(0.8 * p->force.x - 0.6 * p->force.y, 0.0, 1e-13);
                assert_true(p->slides == (k > 10) || k == 10);
            }
        }
    }
    single *p = contact_of_eight();
    move(p, 0.0, 0.0, 1.0);
    move(p, 1e-9, 0.0, 1.0);
    const rps_law_contact contact = {.contact_radius = 1.0};
    const double stiffness =
        p->pair->law[RPS_ROLE_SLIDE]->spring(p->pair->constant[RPS_ROLE_SLIDE], &contact).stiffness;
    ASSERT_NEAR(stiffness, 2.0, 1e-15); /* 8 G* a */
    ASSERT_NEAR(p->force.x / 1e-9, stiffness, 1e-8);
}

/* Loops +-x s_f: T at the end, and what a loop takes, in mu N and (mu N)^2/K, to the digits of the closed form. */
static void test_loops(void **state) {
    (void)state;
    static const double reach[] = {0.25, 0.5, 2.0 / 3.0, 0.8, 1.0, 1.5, 2.0};
    static const double top[] = {0.35048, 0.64645, 0.80755, 0.91056, 1.0, 1.0, 1.0};
    static const double loop[] = {0.012547, 0.109188, 0.277721, 0.515190, 1.2, 4.2, 7.2};
    for (int k = 0; k < 7; k++) {
        single *p = contact_of_eight();
        const double s = reach[k] * FULL, unit = MU * LOAD * MU * LOAD / 2.0;
        const int steps = 4000;
        move(p, 0.0, 0.0, 1.0);
        ramp(p, s, 0.0, 1.0, 1.0, steps);
        ASSERT_NEAR(p->force.x / (MU * LOAD), top[k], 6e-6); /* the digits given */
        const double work = p->work, lost = p->lost, energy = p->energy;
        ramp(p, -2.0 * s, 0.0, 1.0, 1.0, steps);
        ASSERT_NEAR(p->force.x / (MU * LOAD), -top[k], 6e-6);
        ramp(p, 2.0 * s, 0.0, 1.0, 1.0, steps);
        ASSERT_NEAR((p->work - work) / unit, loop[k], 2e-6); /* trapezoids of 4000 steps: 1/4000^2 of 8; six digits */
        ASSERT_NEAR(p->lost - lost, p->work - work, 1e-10 * unit);
        ASSERT_NEAR(p->energy, energy, 1e-10 * unit);
    }
}

/* T = T_r - 2 f((s_r - s)/2) after a reversal; loops within loops leave no trace. */
static void test_reversals(void **state) {
    (void)state;
    single *p = contact_of_eight();
    const double scale = MU * LOAD, few = 1e-11 * scale;
    move(p, 0.0, 0.0, 1.0);
    ramp(p, 0.24, 0.0, 1.0, 1.0, 7);
    const double top = p->force.x;
    move(p, -0.1, 0.0, 1.0);
    ASSERT_NEAR(p->force.x, top - 2.0 * scale * virgin(0.05), few);
    move(p, -0.2, 0.0, 1.0);
    const double bottom = p->force.x;
    ASSERT_NEAR(bottom, top - 2.0 * scale * virgin(0.15), few);
    move(p, 0.1, 0.0, 1.0);
    ASSERT_NEAR(p->force.x, bottom + 2.0 * scale * virgin(0.05), few);
    const double here = p->force.x;
    for (int n = 0; n < 10; n++) {
        move(p, -0.06, 0.0, 1.0);
        const double inner = p->force.x;
        move(p, 0.03, 0.0, 1.0);
        move(p, -0.03, 0.0, 1.0);
        ASSERT_NEAR(p->force.x, inner, few);
        move(p, 0.06, 0.0, 1.0);
        ASSERT_NEAR(p->force.x, here, few);
    }
    move(p, 0.2, 0.0, 1.0);
    ASSERT_NEAR(p->force.x, top, few);
    move(p, 0.01, 0.0, 1.0); /* on along the first curve, as if nothing had been */
    ASSERT_NEAR(p->force.x, scale * virgin(0.25), few);
}

/* Slip that turns: the force, stored and dissipated of the springs, exact, by an independent program; 8 nodes come within
 * 2e-3 mu N. */
static void test_turning_slip(void **state) {
    (void)state;
    const double unit = MU * LOAD, room = 2e-3;
    single *p = contact_of_eight();
    move(p, 0.0, 0.0, 1.0);
    ramp(p, 0.8 * FULL, 0.0, 1.0, 1.0, 30);
    ramp(p, -1.6 * FULL, 0.0, 1.0, 1.0, 60);
    ramp(p, 1.6 * FULL, 0.0, 1.0, 1.0, 60);
    ASSERT_NEAR(p->force.x / unit, 0.91056, room);
    ASSERT_NEAR(p->energy / unit, 0.09639, room);
    ASSERT_NEAR(p->lost / unit, 0.12875, room);
    p = contact_of_eight();
    move(p, 0.0, 0.0, 1.0);
    ramp(p, 0.6 * FULL, 0.0, 1.0, 1.0, 30);
    ramp(p, 0.0, FULL, 1.0, 1.0, 30);
    SAY("L: T %.4f %.4f, stored %.4f, dissipated %.4f\n", p->force.x / unit, p->force.y / unit, p->energy / unit,
        p->lost / unit);
    ASSERT_NEAR(p->force.x / unit, 0.4359, room);
    ASSERT_NEAR(p->force.y / unit, 0.8907, room);
    ASSERT_NEAR(p->energy / unit, 0.1200, room);
    ASSERT_NEAR(p->lost / unit, 0.1187, room);
    ramp(p, -0.6 * FULL, -FULL, 1.0, 1.0, 30);
    SAY("L and back: T %.4f %.4f, stored %.4f, dissipated %.4f\n", p->force.x / unit, p->force.y / unit,
        p->energy / unit, p->lost / unit);
    ASSERT_NEAR(p->force.x / unit, -0.2790, room);
    ASSERT_NEAR(p->force.y / unit, -0.3703, room);
    ASSERT_NEAR(p->energy / unit, 0.0262, room);
    ASSERT_NEAR(p->lost / unit, 0.1383, room);
}

/* --- load and slip ------------------------------------------------------------------------------------------------ */

/* Random walks of load and slip along a line against the row of springs. */
static void test_any_history(void **state) {
    (void)state;
    static exact_contact exact;
    double worst = 0.0, worst_four = 0.0;
    for (uint64_t walk = 0; walk < 20; walk++) {
        for (int nodes = 4; nodes <= 8; nodes += 4) {
            single *p = new_contact(MU, nodes);
            exact = (exact_contact){.modulus = 1.0, .shear = 0.25, .radius = 1.0, .mu = MU, .width = 1.1};
            double s = 0.0, d = 0.8;
            move(p, 0.0, 0.0, d);
            exact_move(&exact, 0.0, d);
            for (uint64_t k = 0; k < 20; k++) {
                const double to = uniform(walk, 2 * k, -FULL, FULL), depth = uniform(walk, 2 * k + 1, 0.2, 1.2);
                const int steps = 400;
                for (int n = 1; n <= steps; n++) {
                    const double next = d + (depth - d) * n / steps;
                    move(p, (to - s) / steps, 0.0, next);
                    exact_move(&exact, (to - s) / steps, next);
                    const double miss = fabs(p->force.x - exact.tangential) / (MU * exact.normal);
                    if (nodes == 4) worst_four = fmax(worst_four, miss);
                    if (nodes == 8) worst = fmax(worst, miss);
                }
                s = to;
                d = depth;
            }
            ASSERT_NEAR(p->work, p->lost + p->energy, 1e-12 * p->work);
            ASSERT_ABOVE(p->lost, 0.0);
        }
    }
    SAY("any load and slip on a line: 8 nodes miss %.4f mu N, 4 nodes %.4f\n", worst, worst_four);
    ASSERT_BELOW(worst, 5e-3); /* springs that come into contact in a step move by its half: 1/400 */
}

/* Out under one load and back under another: T returns to 0 where no springs are lost, and ten cycles leave what one does. */
static void test_closed_cycles(void **state) {
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        const double low = 0.25, high = 1.0; /* of the overlap: loads 1 to 8 */
        const double first = reversed ? high : low, second = reversed ? low : high;
        const double x = 0.05 * MU * LOAD * low * sqrt(low) / (2.0 * sqrt(low));
        single *p = contact_of_eight();
        double after_one = 0.0;
        move(p, 0.0, 0.0, first);
        for (int n = 0; n < 10; n++) {
            ramp(p, x, 0.0, first, first, 20);
            ramp(p, 0.0, 0.0, first, second, 20);
            ramp(p, -x, 0.0, second, second, 20);
            ramp(p, 0.0, 0.0, second, first, 20);
            if (n == 0) after_one = fabs(p->force.x);
        }
        const double left = fabs(p->force.x) / (MU * LOAD * first * sqrt(first));
        SAY("out at %g, back at %g, ten times: leaves %.2e of the cap\n", first, second, left);
        ASSERT_BELOW(left, 1e-3); /* micro-slip, the square of x: 5e-4 */
        ASSERT_BELOW(fabs(p->force.x), 1.01 * after_one + 1e-12);
        ASSERT_ABOVE(p->lost, 0.0);
    }
}

/* Slip in proportion to the overlap: T = kappa lambda N both ways and all comes back. */
static void test_radial(void **state) {
    (void)state;
    const double lambda = 0.2; /* of 4 G* = E*: kappa = 1 */
    const int steps = 2000;
    single *p = contact_of_eight();
    double put = 0.0;
    for (int k = 1; k <= 2 * steps; k++) {
        const double d = (double)(k <= steps ? k : 2 * steps - k) / steps;
        move(p, (k <= steps ? 1.0 : -1.0) * lambda / steps, 0.0, d);
        ASSERT_NEAR(p->force.x, lambda * LOAD * d * sqrt(d), 1e-12);
        if (k == steps) put = p->work;
    }
    ASSERT_NEAR(p->work / put, 0.0, 2e-3); /* the springs of the last step part with their energy: 1/steps */
}

/* At a slip that is held, a growing load changes nothing, and one that falls below lets the edge go once. */
static void test_vibrating_load(void **state) {
    (void)state;
    single *p = contact_of_eight();
    move(p, 0.0, 0.0, 1.0);
    move(p, 0.06, 0.0, 1.0);
    const double force = p->force.x;
    ramp(p, 0.0, 0.0, 1.0, 1.5, 10);
    ramp(p, 0.0, 0.0, 1.5, 1.0, 10);
    ASSERT_NEAR(p->force.x, force, 1e-12);
    ramp(p, 0.0, 0.0, 1.0, 0.8, 10);
    const double shaken = p->force.x;
    ASSERT_BELOW(shaken, force * (1.0 - 1e-3));
    for (int n = 0; n < 100; n++) {
        ramp(p, 0.0, 0.0, 0.8, 1.0, 10);
        ramp(p, 0.0, 0.0, 1.0, 0.8, 10);
        ASSERT_NEAR(p->force.x, shaken, 1e-11);
    }
}

/* Random walks in the plane, with loads: the books close, nothing is created in sum, the cap holds (move). */
static void test_walks_in_the_plane(void **state) {
    (void)state;
    enum { STEPS = 200 };
    for (int nodes = 4; nodes <= 8; nodes += 2) {
        double least = 0.0;
        for (uint64_t walk = 0; walk < 20; walk++) {
            single *p = new_contact(0.8 * MU, nodes);
            rps_vec3 at = rps_vec3_zero();
            double d = 1.0;
            move(p, 0.0, 0.0, d);
            for (uint64_t k = 0; k < 50; k++) {
                const rps_vec3 to = rps_vec3_scale(random_vec(60 + walk, k), 0.5 * FULL);
                const double depth = uniform(80 + walk, k, 0.0, 1.2), before = p->lost;
                ramp(p, to.x - at.x, to.y - at.y, d, depth, STEPS);
                least = fmin(least, (p->lost - before) / (MU * LOAD * FULL));
                at = to;
                d = depth;
            }
            ramp(p, 0.0, 0.0, d, 0.0, STEPS);
            move(p, 0.0, 0.0, 0.0);
            ASSERT_NEAR(p->energy, 0.0, 0.0);
            ASSERT_ABOVE(p->lost, 0.0);
            ASSERT_NEAR(p->work, p->lost, 1e-12 * p->work);
        }
        SAY("walks in the plane, %d nodes: least dissipation of a leg %.1e mu N s_f\n", nodes, least);
        ASSERT_ABOVE(least, -1e-4); /* trapezoids where a leg begins: K ds^2, mu N s_f/200^2 */
    }
}

/* --- static and kinetic, memory, refusals ------------------------------------------------------------------------- */

static void test_kinetic(void **state) {
    (void)state;
    single *p = new_contact(0.5 * MU, 8.0);
    double peak = 0.0;
    move(p, 0.0, 0.0, 1.0);
    for (int k = 0; k < 300; k++) {
        move(p, 0.005 * FULL, 0.0, 1.0);
        peak = fmax(peak, p->force.x);
    }
    ASSERT_NEAR(peak, MU * LOAD, 1e-12);
    ASSERT_NEAR(p->force.x, 0.5 * MU * LOAD, 1e-12);
    assert_true(p->slides);
    move(p, -0.05 * FULL, 0.0, 1.0);
    assert_false(p->slides); /* and up to the static coefficient once more, the other direction */
    double least = 0.0;
    for (int k = 0; k < 500; k++) {
        move(p, -0.005 * FULL, 0.0, 1.0);
        least = fmin(least, p->force.x);
    }
    ASSERT_NEAR(least, -MU * LOAD, 1e-12);
    ASSERT_NEAR(p->force.x, -0.5 * MU * LOAD, 1e-12);
}

/* A contact that knows only T, as a mesh hands it over, carries it on. */
static void test_force_alone(void **state) {
    (void)state;
    single *p = contact_of_eight();
    move(p, 0.0, 0.0, 1.0);
    for (int c = 0; c < 8; c++) p->t.lane[LANE_memory].x[c] = 0.5 * MU * LOAD;
    move(p, 0.0, 0.0, 1.0);
    ASSERT_NEAR(p->force.x, 0.5 * MU * LOAD, 1e-15);
    ASSERT_NEAR(p->t.lane[LANE_dissipated + RPS_ROLE_SLIDE].x[0], 0.0, 1e-15);
}

static void test_refusals(void **state) {
    (void)state;
    contact_of_eight();
    rps_pair pair = pair_of(MU, MU, 8.0, 0.25);
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1.0, NULL);
    assert_pair_refused(one.world, &pair, "use normal law hertz");
    use(&pair, RPS_ROLE_NORMAL, "jkr", "work_of_adhesion", 0.1, "effective_modulus", 1.0, NULL);
    assert_pair_refused(one.world, &pair, "use normal law hertz");
    pair = pair_of(MU, 2.0 * MU, 8.0, 0.25);
    assert_pair_refused(one.world, &pair, "raise friction or lower kinetic");
    pair = pair_of(MU, MU, 3.0, 0.25);
    assert_pair_refused(one.world, &pair, "nodes");
    pair = pair_of(NAN, NAN, 8.0, 0.25);
    assert_pair_refused(one.world, &pair, "friction");
}

/* --- impacts ------------------------------------------------------------------------------------------------------ */

/* psi2 of a solid sphere that meets a plane, in 2000 steps a contact, along a direction in the plane. */
static double impact(double nu, double psi1, double angle) {
    const double radius = 5e-3, speed = 0.01, young = 70e9, density = 2500.0, mu = 0.1;
    const double mass = 4.0 / 3.0 * RPS_PI * radius * radius * radius * density;
    const double modulus = 0.5 * young / (1.0 - nu * nu), kappa = 2.0 * (1.0 - nu) / (2.0 - nu);
    const double step = 2.8683 * pow(mass * mass / (radius * modulus * modulus * speed), 0.2) / 2000.0;
    const double along = psi1 * mu * speed / kappa;
    const rps_vec3 v = {along * cos(angle), along * sin(angle), -speed}, zero = {0.0, 0.0, 0.0};
    rps_world_options options = options_of(step);
    const rps_pair pair = pair_of(mu, NAN, 8.0, NAN);
    rps_world *world = world_of_material(&options, &pair, stuff(young, nu));
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, radius + 0.5 * step * speed), radius, mass, v, zero);
    start(world);
    advance(world, 2010);
    const rps_vec3 u = velocity_of(world, ball), w = turning_of(world, ball);
    const double sliding = (u.x - radius * w.y) * cos(angle) + (u.y + radius * w.x) * sin(angle);
    rps_world_destroy(world);
    return kappa * sliding / (mu * speed);
}

static void test_oblique_impacts(void **state) {
    (void)state;
    static const double nus[] = {0.0, 0.25, 0.3, 0.49}, psi[] = {0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0};
    for (size_t k = 0; k < sizeof nus / sizeof *nus; k++) {
        double worst = 0.0;
        for (size_t n = 0; n < sizeof psi / sizeof *psi; n++) {
            const double nu = nus[k], exact = exact_impact(2.0 * (1.0 - nu) / (2.0 - nu), psi[n]);
            worst = fmax(worst, fabs(impact(nu, psi[n], 0.3 * (double)n) - exact));
        }
        SAY("nu %.2f: psi2 misses the exact contact by at most %.4f\n", nus[k], worst);
        ASSERT_BELOW(worst, 5e-3); /* 2000 steps here, 4000 there */
    }
    /* and the published column */
    static const double psi1[] = {0.5, 1.0, 2.0, 4.0}, psi2[] = {0.0479, -0.0597, -0.8372, -1.4365};
    for (int k = 0; k < 4; k++) ASSERT_NEAR(impact(0.3, psi1[k], 0.0), psi2[k], 5e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virgin_curve),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_reversals),
        cmocka_unit_test(test_turning_slip),
        cmocka_unit_test(test_any_history),
        cmocka_unit_test(test_closed_cycles),
        cmocka_unit_test(test_radial),
        cmocka_unit_test(test_vibrating_load),
        cmocka_unit_test(test_walks_in_the_plane),
        cmocka_unit_test(test_kinetic),
        cmocka_unit_test(test_force_alone),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_oblique_impacts),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (one.world) rps_world_destroy(one.world);
    return failed;
}
