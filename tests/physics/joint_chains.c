/*
 * Chains, loops and light bodies between heavy ones: a step solves all joints at once, so that the work of a step grows with
 * their number and not with its square, and none misses the tolerance. The ways to treat a step that misses are here too.
 *
 * Of free bodies the stepper keeps E* = T + V + (h/2) sum m g . v to rounding (positions are x + h v with v at the end of the
 * step: of a free fall T + V is low by m g^2 h t/2, which E* takes back). Joints do no work on it along straight ways and
 * take out along curved ones, so that E* never rises.
 */
#include <math.h>
#include <string.h>

#include "joined.h"

enum { MOST_LINKS = 500 };
static const double EDGE[3] = {0.1, 0.04, 0.04};

typedef struct chain {
    rps_world *world;
    size_t links;
    double mass[MOST_LINKS];
    size_t joint[MOST_LINKS];
    double step, gravity;
} chain;

static void chain_begin(chain *c, size_t links, double step, double tolerance) {
    rps_world_options options = joint_options(step, G, 1);
    options.nonsmooth.tolerance = tolerance;
    options.nonsmooth.max_iterations = 200;
    options.guards.rotation = 30.0;
    *c = (chain){.world = world_by(&options), .links = links, .step = step, .gravity = G};
}

/* Hinges about y; link k lies from 0.1 k to 0.1 (k + 1) along `way`. Masses alternate between 1 and `ratio` kg. */
static void chain_make(chain *c, size_t links, double step, rps_vec3 way, double ratio, double tolerance) {
    chain_begin(c, links, step, tolerance);
    const double upright[3] = {EDGE[1], EDGE[2], EDGE[0]};
    uint64_t last = RPS_JOINT_WORLD;
    for (size_t k = 0; k < links; k++) {
        c->mass[k] = k % 2 == 0 ? 1.0 : ratio;
        const rps_vec3 at = rps_vec3_scale(way, 0.1 * ((double)k + 0.5));
        const uint64_t link = add_box(c->world, at, way.x != 0.0 ? EDGE : upright, c->mass[k], O, O);
        const rps_joint_def def = joint_def(RPS_JOINT_HINGE, link, last, rps_vec3_scale(way, 0.1 * (double)k), Y);
        c->joint[k] = join(c->world, &def);
        last = link;
    }
    start(c->world);
}

/* E*, and the sum of T and |V - V at height 0| as its scale. */
static double kept_energy(const chain *c) {
    const rps_ledger ledger = ledger_of(c->world);
    double sum = ledger.kinetic_translation + ledger.kinetic_rotation + ledger.gravity;
    for (size_t k = 0; k < c->links; k++) {
        sum -= 0.5 * c->step * c->mass[k] * c->gravity * velocity_of(c->world, (uint64_t)k).z;
    }
    return sum;
}

static void test_hanging(void **state) {
    (void)state;
    static const size_t links[] = {5, 50, MOST_LINKS};
    for (size_t n = 0; n < 3; n++) {
        chain c;
        chain_make(&c, links[n], 1e-3, rps_vec3_neg(Z), 3.0, TIGHT);
        advance(c.world, 20); /* the first finds the loads, the others begin with them */
        double weight = 0.0;
        for (size_t k = links[n]; k-- > 0;) {
            weight += c.mass[k] * G;
            /* rounding of the sum of all weights */
            ASSERT_NEAR(joint_of(c.world, c.joint[k]).force[2], weight, 1e-10 * (double)links[n] * G);
        }
        const rps_solver_report report = report_of(c.world);
        SAY("%zu links at rest: %.2f iterations a step, residual %.1e\n", links[n],
            (double)report.iterations / (double)report.steps, report.worst_residual);
        assert_int_equal(report.missed, 0);
        assert_true(report.iterations <= 4 * report.steps); /* whatever the length */
        rps_world_destroy(c.world);
    }
}

static double energy_lost(size_t links, double step, double ratio) {
    chain c;
    chain_make(&c, links, step, X, ratio, 1e-8);
    const double begun = kept_energy(&c);
    double mass = 0.0, highest = begun, scale = 0.0;
    for (size_t k = 0; k < links; k++) mass += c.mass[k];
    scale = mass * G * 0.1 * (double)links;
    double last = begun;
    for (double t = 0.0; t < 0.5 - 0.5 * step; t += step) {
        advance(c.world, 1);
        last = kept_energy(&c);
        highest = last > highest ? last : highest;
    }
    const rps_solver_report report = report_of(c.world);
    SAY("%zu links, ratio %g, step %g s: E* rose by %.1e and fell by %.1e of M g L; %.2f iterations a step, residual "
        "%.1e\n",
        links, ratio, step, (highest - begun) / scale, (begun - last) / scale,
        (double)report.iterations / (double)report.steps, report.worst_residual);
    assert_int_equal(report.missed, 0);
    assert_int_equal(report.gaining, 0);
    /* the tolerance, relative to the energy in exchange */
    ASSERT_BELOW((highest - begun) / scale, 1e-8);
    rps_world_destroy(c.world);
    return (begun - last) / scale;
}

static void test_falling(void **state) {
    (void)state;
    static const size_t links[] = {5, 20, 80};
    for (size_t n = 0; n < 3; n++) {
        const double fine = energy_lost(links[n], 1e-3, 1.0), coarse = energy_lost(links[n], 5e-3, 1.0);
        ASSERT_BELOW(fine, 1e-3);
        assert_true(coarse < 1e-2);
        assert_true(coarse > 4.0 * fine); /* of first order in the step, or better */
    }
}

/* A chain whose last hinge runs into its stops, or whose every hinge rubs, or with both: rows with bounds meet the whole chain,
 * and still the work of a step does not grow with its length. */
static void test_bounds(void **state) {
    (void)state;
    static const size_t links[] = {2, 12, 40};
    for (int kind = 0; kind < 3; kind++) {
        for (size_t n = 0; n < 3; n++) {
            chain c;
            chain_begin(&c, links[n], 1e-3, 1e-9);
            uint64_t last = RPS_JOINT_WORLD;
            for (size_t k = 0; k < c.links; k++) {
                c.mass[k] = 1.0;
                const uint64_t link = add_box(c.world, rps_vec3_make(0.1 * ((double)k + 0.5), 0.0, 0.0), EDGE, 1.0, O,
                                              rps_vec3_make(0.0, k + 1 == c.links ? 10.0 : 0.0, 0.0));
                rps_joint_def def = joint_def(RPS_JOINT_HINGE, link, last, rps_vec3_make(0.1 * (double)k, 0.0, 0.0), Y);
                if (kind > 0) def.friction = 0.05;
                if (kind != 1 && k + 1 == c.links) {
                    def.limits[0] = -0.05;
                    def.limits[1] = 0.05;
                    def.restitution = 0.5;
                }
                c.joint[k] = join(c.world, &def);
                last = link;
            }
            start(c.world);
            advance(c.world, 200);
            const rps_solver_report report = report_of(c.world);
            SAY("%zu links, %s: %.2f iterations a step, %llu of %llu missed, residual %.1e\n", links[n],
                kind == 0   ? "stops at the last hinge"
                : kind == 1 ? "friction in all"
                            : "both",
                (double)report.iterations / (double)report.steps, (unsigned long long)report.missed,
                (unsigned long long)report.steps, report.worst_residual);
            assert_int_equal(report.missed, 0);
            ASSERT_BELOW((double)report.iterations, 20.0 * (double)report.steps);
            ASSERT_BELOW(fabs(joint_of(c.world, c.joint[c.links - 1]).position), kind == 1 ? 10.0 : 0.05 + 1e-6);
            rps_world_destroy(c.world);
        }
    }
}

static void test_mass_ratio(void **state) {
    (void)state;
    energy_lost(20, 1e-3, 1e5);
    energy_lost(20, 5e-3, 1e-5);
    energy_lost(2, 1e-3, 1e4);
}

/* A track of 80 shoes, closed, that hangs from one of its pins; three rows of the loop follow from the others. */
static void test_track(void **state) {
    (void)state;
    enum { SHOES = 80 };
    static const double pi = 3.14159265358979323846;
    for (int coarse = 0; coarse < 2; coarse++) {
        const double step = coarse ? 5e-3 : 1e-3, radius = 0.05 / sin(pi / SHOES);
        chain c;
        chain_begin(&c, SHOES, step, 1e-8);
        rps_vec3 pin[SHOES];
        uint64_t shoe[SHOES];
        for (size_t k = 0; k < SHOES; k++) {
            const double angle = 2.0 * pi * (double)k / SHOES;
            pin[k] = rps_vec3_make(radius * sin(angle), 0.0, radius * cos(angle));
        }
        for (size_t k = 0; k < SHOES; k++) {
            const rps_vec3 middle = rps_vec3_scale(rps_vec3_add(pin[k], pin[(k + 1) % SHOES]), 0.5);
            shoe[k] = add_box(c.world, middle, EDGE, c.mass[k] = 1.0, O, O);
        }
        for (size_t k = 0; k < SHOES; k++) {
            const rps_joint_def def = joint_def(RPS_JOINT_HINGE, shoe[k], shoe[(k + SHOES - 1) % SHOES], pin[k], Y);
            c.joint[k] = join(c.world, &def);
        }
        const rps_joint_def held = joint_def(RPS_JOINT_BALL, shoe[0], RPS_JOINT_WORLD, pin[0], O);
        join(c.world, &held);
        start(c.world);
        assert_int_equal(report_of(c.world).redundant_rows, 3);
        const double begun = kept_energy(&c), scale = SHOES * G * 2.0 * radius;
        double highest = begun, open = 0.0;
        for (double t = 0.0; t < 0.5 - 0.5 * step; t += step) {
            advance(c.world, 1);
            const double now = kept_energy(&c);
            highest = now > highest ? now : highest;
        }
        for (size_t k = 0; k < SHOES; k++) {
            const double error = joint_of(c.world, c.joint[k]).error;
            open = error > open ? error : open;
        }
        const rps_solver_report report = report_of(c.world);
        SAY("track, step %g s: E* rose by %.1e and fell by %.1e of M g D; pins open by %.1e m; %.1f iterations a step, "
            "residual %.1e\n",
            step, (highest - begun) / scale, (begun - kept_energy(&c)) / scale, open,
            (double)report.iterations / (double)report.steps, report.worst_residual);
        assert_int_equal(report.missed, 0);
        ASSERT_BELOW((highest - begun) / scale, 1e-8); /* the tolerance */
        ASSERT_BELOW((begun - kept_energy(&c)) / scale, 1e-3);
        ASSERT_BELOW(open, coarse ? 2e-3 : 1e-4); /* h^2 (relative speed)^2/(2 L), of shoes of 0.1 m at 1 m/s */
        rps_world_destroy(c.world);
    }
}

/* --- steps that miss ------------------------------------------------------------------------------------------------ */

/* Balls on each other, thrown on the floor, with so few iterations that steps miss. */
static rps_world *crowd(rps_on_missed on_missed, uint64_t iterations, int threads) {
    rps_world_options options = options_of(2e-3);
    options.stepper = RPS_NONSMOOTH;
    options.gravity[2] = -G;
    options.threads = threads;
    options.nonsmooth.tolerance = 1e-8;
    options.nonsmooth.max_iterations = iterations;
    options.nonsmooth.on_missed = on_missed;
    options.guards.motion = 100.0;
    rps_world *world = world_by(&options);
    add_ground(world, Z);
    for (int k = 0; k < 12; k++)
        add_ball(world, rps_vec3_make(0.01 * (k % 3), 0.005 * (k % 2), 0.1 + 0.21 * k), 0.1, 1.0, O, O);
    start(world);
    return world;
}

static void test_missed_warn(void **state) {
    (void)state;
    rps_world *world = crowd(RPS_MISSED_WARN, 3, 1);
    advance(world, 100);
    const rps_solver_report report = report_of(world);
    SAY("used as they are: %llu of %llu steps missed, %llu gained %.2e J\n", (unsigned long long)report.missed,
        (unsigned long long)report.steps, (unsigned long long)report.gaining, report.gained);
    assert_int_equal(report.steps, 100);
    assert_true(report.missed > 10);
    assert_int_equal(report.refined, 0);
    rps_world_destroy(world);
}

static void test_missed_stop(void **state) {
    (void)state;
    rps_world *world = crowd(RPS_MISSED_STOP, 3, 1);
    rps_error err = {0};
    rps_status status = RPS_OK;
    uint64_t steps = 0;
    rps_vec3 before[12];
    while (status == RPS_OK && steps < 100) {
        for (uint64_t k = 0; k < 12; k++) before[k] = position_of(world, k + 1);
        steps = rps_world_steps(world);
        status = rps_world_step(world, 1, &err);
    }
    assert_int_equal(status, RPS_GUARD);
    assert_non_null(strstr(err.text, "max_iterations"));
    assert_non_null(strstr(err.text, "on_missed: refine"));
    assert_int_equal(rps_world_steps(world), steps);
    for (uint64_t k = 0; k < 12; k++) {
        assert_true(rps_vec3_norm(rps_vec3_sub(position_of(world, k + 1), before[k])) == 0.0); /* not moved */
    }
    rps_world_destroy(world);
}

/* Halves are easier: fewer parts miss than steps did, the clock is that of whole steps, and the bits do not depend on threads. */
static void test_missed_refine(void **state) {
    (void)state;
    rps_world *plain = crowd(RPS_MISSED_WARN, 12, 1), *world = crowd(RPS_MISSED_REFINE, 12, 1),
              *other = crowd(RPS_MISSED_REFINE, 12, 3);
    advance(plain, 100);
    advance(world, 100);
    advance(other, 100);
    const rps_solver_report report = report_of(world), used = report_of(plain);
    SAY("refined: %llu parts of %llu repeated, %llu missed; %llu without\n", (unsigned long long)report.refined,
        (unsigned long long)report.steps, (unsigned long long)report.missed, (unsigned long long)used.missed);
    assert_true(used.missed > 0);
    assert_true(report.refined >= 1);
    assert_true(report.missed * used.steps < used.missed * report.steps);
    assert_true(rps_world_time(world) == rps_world_time(plain));
    assert_int_equal(rps_world_steps(world), 100);
    uint64_t a[2], b[2];
    MUST(rps_world_hash(world, a, ERR));
    MUST(rps_world_hash(other, b, ERR));
    assert_memory_equal(a, b, sizeof a);
    rps_world_destroy(plain);
    rps_world_destroy(world);
    rps_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hanging),     cmocka_unit_test(test_falling),
                                       cmocka_unit_test(test_mass_ratio),  cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_track),       cmocka_unit_test(test_missed_warn),
                                       cmocka_unit_test(test_missed_stop), cmocka_unit_test(test_missed_refine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
