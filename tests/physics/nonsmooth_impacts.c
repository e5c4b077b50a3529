/*
 * Impacts in the nonsmooth stepper. Where a step resolves them, springs and dashpots are followed to second order, and both
 * steppers agree: velocity, spin and each kind of dissipated energy of a ball that meets the floor, Newton's cradle. Where not, bodies
 * rebound by e. Closed forms where everything slips, and no energy from many impacts at once.
 */
#include "worlds.h"

static const double R = 0.02, MASS = 2000.0 * 4.0 / 3.0 * RPS_PI * 0.02 * 0.02 * 0.02;

static rps_world_options impact_options(double step, bool nonsmooth) {
    rps_world_options options = options_of(step);
    options.stepper = nonsmooth ? RPS_NONSMOOTH : RPS_PENALTY;
    options.nonsmooth.tolerance = 1e-7; /* rows of bodies that part are far softer than others, and end at 6e-8 */
    options.gravity[2] = 0.0;
    options.guards.motion = 5.0;
    options.guards.rotation = 5.0;
    return options;
}

/* The material of scenes/tasora-anitescu-2013/both_pile.yaml; an impact at 1 m/s takes 4.3 ms. */
static rps_pair grain_pair(double e) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    if (e < 1.0) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", e, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.5, "stiffness", 1e4, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.4, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.4, NULL);
    return pair;
}

/* --- one ball ------------------------------------------------------------------------------------------------------- */

enum { MOTION = 6, OUT = MOTION + RPS_ROLE_COUNT };

/* A ball that meets the floor, at this part of a step before the second one: its velocity, R times its spin, and energies. */
static void one_impact(const rps_pair *pair, bool nonsmooth, double step, double part, rps_vec3 v, rps_vec3 w,
                       double out[OUT], rps_solver_report *report) {
    rps_world_options options = impact_options(step, nonsmooth);
    rps_world *world = world_of(&options, pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, R - (1.0 + part) * step * v.z), R, MASS, v, w);
    start(world);
    advance(world, (uint64_t)(0.03 / step + 0.5));
    rps_vec3_put(out, velocity_of(world, ball));
    rps_vec3_put(out + 3, rps_vec3_scale(turning_of(world, ball), R));
    const rps_ledger ledger = ledger_of(world);
    if (nonsmooth)
        ASSERT_BELOW(fabs(ledger.residual), 1e-12); /* nothing but contacts does work, and impulses book exactly */
    for (int role = 0; role < RPS_ROLE_COUNT; role++) out[MOTION + role] = ledger.dissipated[role];
    if (report) rps_world_solver(world, report);
    rps_world_destroy(world);
}

enum { PARTS = 8 };

/* Distance from the exact impact: of velocities the worst, of energies that of the means, over where the floor lies in a step. */
static void distance(const rps_pair *pair, double step, rps_vec3 v, rps_vec3 w, const double exact[OUT], double *motion,
                     double energy[RPS_ROLE_COUNT]) {
    double mean[OUT] = {0.0};
    *motion = 0.0;
    for (int part = 0; part < PARTS; part++) {
        double found[OUT];
        rps_solver_report report;
        one_impact(pair, true, step, part / (double)PARTS, v, w, found, &report);
        for (int k = 0; k < MOTION; k++) *motion = fmax(*motion, fabs(found[k] - exact[k]));
        for (int k = 0; k < OUT; k++) mean[k] += found[k] / PARTS;
        assert_int_equal(report.missed + report.rebounds + report.implicit, 0);
        ASSERT_ABOVE((double)report.followed, 3.0);
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) energy[role] = fabs(mean[MOTION + role] - exact[MOTION + role]);
}

/* The exact impact is that of the penalty stepper in 1e-6 s, which is of second order: a ten-thousandth of that at 1e-4 s. Tolerances
 * at 0.5 ms, nine steps an impact and less: (2 pi/2 9)^2/12 = 1 % of a half-period of each spring, some of which end at
 * a moment when they swing back at 1 m/s; and 2 % of 1 m/s for velocities, 1.5 % of the initial energy for energies. At a quarter of
 * the step the error is a sixteenth, or a sixth where it is mixed with the moment at which a spring begins to slip. */
static void test_steppers_agree_in_impacts(void **state) {
    (void)state;
    static const double e[] = {0.01, 0.3, 0.6, 0.9, 1.0};
    for (size_t n = 0; n < 10; n++) {
        const bool grazing = n % 2;
        const rps_vec3 v = grazing ? rps_vec3_make(1.0, 0.2, -1.0) : rps_vec3_make(0.1, 0.0, -1.0);
        const rps_vec3 w = grazing ? rps_vec3_make(10.0, -5.0, 30.0) : rps_vec3_make(0.0, 20.0, 30.0);
        const rps_pair pair = grain_pair(e[n / 2]);
        const double start = 0.5 * MASS * (rps_vec3_norm2(v) + 0.4 * R * R * rps_vec3_norm2(w));
        double exact[OUT], far[2], energy[2][RPS_ROLE_COUNT], most[2] = {0.0, 0.0};
        one_impact(&pair, false, 1e-6, 0.0, v, w, exact, NULL);
        for (int k = 0; k < 2; k++) {
            distance(&pair, k ? 1.25e-4 : 5e-4, v, w, exact, &far[k], energy[k]);
            for (int role = 0; role < RPS_ROLE_COUNT; role++) most[k] = fmax(most[k], energy[k][role] / start);
        }
        SAY("e %.2f %s: velocities within %.4f and %.4f m/s, energies within %.2f and %.2f %% of the initial one\n",
            e[n / 2], grazing ? "grazing" : "steep", far[0], far[1], 100.0 * most[0], 100.0 * most[1]);
        ASSERT_BELOW(far[0], e[n / 2] < 0.1 ? 0.04 : 0.02);
        ASSERT_BELOW(far[1], fmax(far[0] / 4.0, 2e-3));
        ASSERT_BELOW(most[0], 0.015);
        ASSERT_BELOW(most[1], fmax(most[0] / 4.0, 1e-3));
    }
}

/* Where all friction slips throughout, the impulses are those of the load: J = (1 + e) m v_n, slide mu J, roll rho J, spin sigma J. The
 * thresholds of `length` have no springs, so this holds at any step; slide has a stiff one, K = 1e9 N/m, which takes mu N/K of the
 * displacement. J is exact where bodies rebound, and of second order where the step follows the dashpot. */
static void test_all_slips(void **state) {
    (void)state;
    static const double e[] = {0.0, 0.3, 0.6, 0.9, 1.0}, step[] = {2e-5, 2e-4, 5e-3};
    const double mu = 0.1, rho = 1e-3, sigma = 5e-4, down = 1.0, inertia = 0.4 * MASS * R * R;
    for (size_t n = 0; n < 15; n++) {
        rps_pair pair = grain_pair(e[n / 3]);
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu, "kinetic", mu, "stiffness", 1e9, NULL);
        use(&pair, RPS_ROLE_ROLL, "tracked", "length", rho, NULL);
        use(&pair, RPS_ROLE_SPIN, "tracked", "length", sigma, NULL);
        const double h = step[n % 3];
        double out[OUT];
        rps_solver_report report;
        one_impact(&pair, true, h, 0.3, rps_vec3_make(3.0, 0.0, -down), rps_vec3_make(0.0, 40.0, 50.0), out, &report);
        const bool followed = report.followed > 0;
        const double up = out[2], impulse = MASS * (down + up);
        SAY("e %.1f, step %g s, %s: rebounds at %.5f m/s, %.5f m/s along the floor\n", e[n / 3], h,
            followed ? "followed" : "rebound", up, out[0]);
        assert_int_equal(report.missed, 0);
        assert_true(followed == (h < 1e-3 && !(e[n / 3] < 0.01 && h > 1e-4)) || e[n / 3] < 0.01);
        const double turns =
            4.3e-3 / h; /* steps an impact: of the second order, and of its size (2 pi/2)^2/12 times a few */
        /* the solver's tolerance; nothing rebounds by e = 0: a spring and a dashpot taken implicitly remain */
        const double implicit = e[n / 3] < 0.01 && !followed ? 0.02 : 1e-6;
        ASSERT_NEAR(up, e[n / 3] * down, followed ? 4.0 / (turns * turns) + (e[n / 3] < 0.01 ? 0.01 : 0.0) : implicit);
        const double stretched = mu * MASS * down / 4.3e-3 * 3.0 / 1e9 / h; /* m/s: mu N/K within a step */
        ASSERT_NEAR(out[0], 3.0 - mu * impulse / MASS, stretched + 1e-6);
        /* bodies meet in the middle of their gap or overlap, at most half the displacement of a step from the surface, or half of 1.6 mm */
        ASSERT_NEAR(out[4], R * (40.0 + (mu * R - rho) * impulse / inertia),
                    1e-6 + R * mu * 0.5 * fmax(h * down, 1.6e-3) * impulse / inertia);
        ASSERT_NEAR(out[5], R * (50.0 - sigma * impulse / inertia), 1e-6);
    }
}

/* Without dashpots a spring gives all back at any step that follows it: the work between two overlaps is the difference of their
 * energies, but for the tangent of Hertz, which is solved again when it is off by a hundredth. */
static void test_springs_keep_energy(void **state) {
    (void)state;
    for (int k = 0; k < 24; k++) {
        rps_pair pair = rps_pair_default();
        const bool hertz = k % 2;
        if (hertz) {
            use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
        } else {
            use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", MASS * 1e6, NULL); /* 1000 rad/s */
        }
        double out[OUT];
        one_impact(&pair, true, 1e-3, k / 24.0, rps_vec3_make(0.0, 0.0, -1.0), rps_vec3_zero(), out, NULL);
        ASSERT_NEAR(out[2], 1.0, 5e-3);
    }
}

/* A spring that is pressed in faster than `recovery_speed` takes its load: the ball does not come back faster than it came. Nothing
 * rebounds by e, and the step does not resolve the spring, which then loses energy. */
static void test_pressed_springs(void **state) {
    (void)state;
    for (int k = 0; k < 10; k++) {
        rps_world_options options = impact_options(5e-3, true);
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, k % 2 ? "hertz" : "hooke", k % 2 ? NULL : "stiffness", 1e4, NULL);
        options.nonsmooth.impact_speed = 1e9;
        options.nonsmooth.recovery_speed = 0.01;
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, R + 5e-4 * k), R, MASS,
                                       rps_vec3_make(0.0, 0.0, -1.0), rps_vec3_zero());
        start(world);
        advance(world, 20);
        ASSERT_BELOW(velocity_of(world, ball).z, 1.0 + 1e-9);
        ASSERT_ABOVE(ledger_of(world).dissipated[RPS_ROLE_DAMPING], -1e-12);
        rps_world_destroy(world);
    }
}

/* --- many ----------------------------------------------------------------------------------------------------------- */

/* A ball at 1 m/s meets a row of resting ones that touch: velocities of all. */
static void cradle(int balls, const rps_pair *pair, bool nonsmooth, bool rigid, double step, double *v,
                   rps_ledger *ledger) {
    rps_world_options options = impact_options(step, nonsmooth);
    options.nonsmooth.rigid = rigid;
    rps_world *world = world_of(&options, pair);
    for (int k = 0; k < balls; k++) {
        const double x = 2.0 * R * k - (k ? 0.0 : 1.5e-3), speed = k ? 0.0 : 1.0;
        add_ball(world, rps_vec3_make(x, 0.0, 0.0), R, MASS, rps_vec3_make(speed, 0.0, 0.0), rps_vec3_zero());
    }
    start(world);
    advance(world, (uint64_t)(0.03 / step + 0.5));
    for (int k = 0; k < balls; k++) v[k] = velocity_of(world, (uint64_t)k).x;
    *ledger = ledger_of(world);
    rps_world_destroy(world);
}

/* Both steppers have the same velocities, which are those of a chain of springs and not (0, .., 0, 1). Momentum is exact. Two
 * balls exchange all; of more the last has 0.98 and the first flies back. Errors are of second order: 7 steps an impact. */
static void test_newtons_cradle(void **state) {
    (void)state;
    for (int balls = 2; balls <= 5; balls++) {
        for (int dull = 0; dull < 2; dull++) {
            rps_pair pair = rps_pair_default();
            use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
            if (dull) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
            double exact[5], v[2][5], far[2] = {0.0, 0.0};
            rps_ledger ledger;
            cradle(balls, &pair, false, false, 1e-6, exact, &ledger);
            for (int k = 0; k < 2; k++) {
                double sum = 0.0;
                cradle(balls, &pair, true, false, k ? 1.25e-4 : 5e-4, v[k], &ledger);
                for (int n = 0; n < balls; n++) far[k] = fmax(far[k], fabs(v[k][n] - exact[n]));
                for (int n = 0; n < balls; n++) sum += v[k][n];
                ASSERT_NEAR(sum, 1.0, 1e-12);
                ASSERT_BELOW(fabs(ledger.residual), 1e-12);
            }
            SAY("%d balls, e %.1f: %.4f first, %.4f last; within %.4f and %.4f m/s\n", balls, dull ? 0.6 : 1.0,
                exact[0], exact[balls - 1], far[0], far[1]);
            ASSERT_BELOW(far[0], 0.03);
            ASSERT_BELOW(far[1], fmax(far[0] / 4.0, 2e-3));
        }
    }
}

/* Rigid, all contacts of a step are impacts at once: momentum is kept, and with e = 1 the energy. */
static void test_rigid_cradle(void **state) {
    (void)state;
    for (int balls = 2; balls <= 5; balls++) {
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
        double v[5], momentum = 0.0, energy = 0.0;
        rps_ledger ledger;
        cradle(balls, &pair, true, true, 1e-3, v, &ledger);
        for (int n = 0; n < balls; n++) {
            momentum += v[n];
            energy += v[n] * v[n];
            if (n > 0) ASSERT_ABOVE(v[n], v[n - 1] - 1e-6); /* none flies into the next */
        }
        ASSERT_NEAR(momentum, 1.0, 1e-12);
        ASSERT_NEAR(energy, 1.0, 1e-6); /* the tolerance of steps, some times */
    }
}

/* Balls that fly into each other, with much friction, spin and perfect rebound. In no step the contacts create energy. */
static void test_no_energy_from_impacts(void **state) {
    (void)state;
    uint64_t rebounds = 0, restrained = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        rps_world_options options = impact_options(2e-3, true);
        options.nonsmooth.rigid = true;
        options.guards.action[RPS_GUARD_OVERLAP] = RPS_GUARD_OFF;
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", seed % 2 ? 1.0 : 0.7, NULL);
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 1.0, "kinetic", 1.0, "stiffness", 1e6, NULL);
        rps_world *world = world_of(&options, &pair);
        for (uint64_t n = 0; n < 27; n++) {
            const rps_vec3 x = rps_vec3_make(0.032 * ((double)(n % 3) - 1.0), 0.032 * ((double)(n / 3 % 3) - 1.0),
                                             0.032 * ((double)(n / 9) - 1.0));
            add_ball(world, x, 0.01 + 0.006 * uniform(seed, n, 0.0, 1.0), 0.01 + uniform(seed + 100, n, 0.0, 1.0),
                     rps_vec3_add_scaled(rps_vec3_scale(random_vec(seed + 200, n), 0.2), -10.0, x),
                     rps_vec3_scale(random_vec(seed + 300, n), 30.0));
        }
        start(world);
        const double first = ledger_of(world).start;
        double before = 0.0;
        for (int k = 0; k < 60; k++) {
            advance(world, 1);
            const rps_ledger ledger = ledger_of(world);
            double now = 0.0;
            for (int role = 0; role < RPS_ROLE_COUNT; role++) now += ledger.dissipated[role];
            ASSERT_ABOVE(now - before,
                         -2e-6 * first); /* ten tolerances of what contacts do, which is below twice the energy */
            before = now;
        }
        rps_solver_report report;
        rps_world_solver(world, &report);
        rebounds += report.rebounds;
        restrained += report.restrained;
        rps_world_destroy(world);
    }
    SAY("%llu rebounds, of which %llu were restrained\n", (unsigned long long)rebounds, (unsigned long long)restrained);
    ASSERT_ABOVE((double)rebounds, 500.0);
    ASSERT_ABOVE((double)restrained, 10.0); /* the rule is needed here */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steppers_agree_in_impacts),
        cmocka_unit_test(test_all_slips),
        cmocka_unit_test(test_springs_keep_energy),
        cmocka_unit_test(test_pressed_springs),
        cmocka_unit_test(test_newtons_cradle),
        cmocka_unit_test(test_rigid_cradle),
        cmocka_unit_test(test_no_energy_from_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
