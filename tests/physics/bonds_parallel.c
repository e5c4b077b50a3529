/*
 * The parallel bond: stiffnesses, frequencies and a cantilever against closed forms, loads and increments that are
 * conjugate, what a closed motion leaves, conservation. Spheres and section as in bonds.c.
 */
#include "bonded.h"

#include "step/step_stages.h"

static const double AREA = RPS_PI * 1e-6, BENDING = RPS_PI * 1e-12 / 4.0, TWISTING = RPS_PI * 1e-12 / 2.0;
static const double NORMAL = 1e9 / LENGTH, SHEAR = 1e9 / LENGTH / 2.6; /* Pa/m */

static rps_world *parallels(uint64_t bodies, double mass, bool fixed, const char *parameter, double value, double dt,
                            rps_integrator integrator) {
    rps_world_options options = options_of(dt);
    options.integrator = integrator;
    return chain_by(parallel, &options, bodies, mass, fixed, parameter, value);
}

static rps_world *parallel_pair(double dt) {
    return parallels(2, 0.0, false, NULL, 0.0, dt, RPS_VERLET);
}

/* A moved pair is evaluated as after a step. */
static void evaluate(rps_world *world) {
    MUST(rps_bonds_evaluate(world, &world->bonds, world->step, ERR));
}

static void test_stresses(void **state) {
    (void)state;
    rps_world *world = parallel_pair(1e-6);
    start(world);
    const struct {
        rps_vec3 shift, turn;
        int first, count; /* loads of this strain */
        double load;
    } one[] = {
        {{0, 0, 1e-7}, {0, 0, 0}, 2, 1, NORMAL * AREA * 1e-7},
        {{1e-7, 0, 0}, {0, 0, 0}, 0, 2, SHEAR * AREA * 1e-7},
        {{0, 0, 0}, {0, 0, 1e-4}, 5, 1, SHEAR * TWISTING * 1e-4},
        {{0, 0, 0}, {1e-4, 0, 0}, 3, 2, NORMAL * BENDING * 1e-4},
    };
    for (size_t n = 0; n < sizeof one / sizeof *one; n++) {
        const rps_vec3 home = rps_vec3_make(0, 0, LENGTH);
        put_body(world, 1, rps_vec3_add(home, one[n].shift), one[n].turn);
        evaluate(world);
        const rps_bond_state s = bond_of(world, 0, 1);
        double load2 = 0.0;
        for (int k = 0; k < one[n].count; k++) load2 += s.load[one[n].first + k] * s.load[one[n].first + k];
        ASSERT_NEAR(sqrt(load2), one[n].load, 1e-7 * one[n].load); /* second order in an angle of 1e-4 */
        put_body(world, 1, home, rps_vec3_zero());
        evaluate(world);
        const rps_bond_state back = bond_of(world, 0, 1);
        /* there and back along one line leaves nothing but round-off of 1e-3 m and 1 rad */
        for (int k = 0; k < 3; k++) {
            ASSERT_BELOW(fabs(back.stretch[k]), 1e-17);
            ASSERT_BELOW(fabs(back.rotation[k]), 1e-14);
        }
    }
    rps_world_destroy(world);
}

static void test_frequencies(void **state) {
    (void)state;
    const rps_vec3 none = rps_vec3_zero();
    const double mass = 2500.0 * 4.0 / 3.0 * RPS_PI * 1e-9, inertia = 0.4 * mass * 1e-6, round = 2.0 * RPS_PI;
    const double dt = FREQUENCY_STEP, arm = 0.5 * LENGTH, k_s = SHEAR * AREA;
    check_frequency(parallel_pair(dt), "stretch", rps_vec3_make(0, 0, 1e-4), none, none, 2,
                    sqrt(2.0 * NORMAL * AREA / mass) / round);
    const rps_vec3 spin = rps_vec3_make(0, -1e-4 * mass * arm / inertia, 0);
    check_frequency(parallel_pair(dt), "shear", rps_vec3_make(1e-4, 0, 0), spin, spin, 1,
                    sqrt(k_s * (2.0 / mass + 2.0 * arm * arm / inertia)) / round);
    check_frequency(parallel_pair(dt), "bending", none, rps_vec3_make(0, -0.1, 0), rps_vec3_make(0, 0.1, 0), 3,
                    sqrt(2.0 * NORMAL * BENDING / inertia) / round);
    check_frequency(parallel_pair(dt), "twist", none, rps_vec3_make(0, 0, -0.1), rps_vec3_make(0, 0, 0.1), 5,
                    sqrt(2.0 * SHEAR * TWISTING / inertia) / round);
}

/* Ten bonds: each is sheared by F and bent by the moment of F about its middle. */
static void test_cantilever(void **state) {
    (void)state;
    rps_world *world = parallels(11, 0.0, true, NULL, 0.0, 2.5e-6, RPS_VERLET);
    const double force = 1e-4;
    double bending = 0.0;
    for (int k = 0; k < 10; k++) bending += (k + 0.5) * (k + 0.5);
    const double expected = 10.0 / (SHEAR * AREA) + LENGTH * LENGTH / (NORMAL * BENDING) * bending;
    MUST(rps_world_hold_load(world, 10, (double[3]){force, 0, 0}, NULL, ERR));
    relax(world, 30000);
    const double tip = position_of(world, 10).x / force;
    SAY("cantilever: %.9g m/N, expected %.9g\n", tip, expected);
    /* as of the beam: 1e-8 is the rest of the oscillation */
    ASSERT_NEAR(tip, expected, 3e-8 * expected);
    rps_world_destroy(world);
}

/* --- closed motions ------------------------------------------------------------------------------------------------- */

typedef struct closed_loop {
    double twist, peak, left; /* rad, J, J */
} closed_loop;

/* The second body as the line of the bond is at (angle, phase) of a cone, which it follows. */
static void put_on_cone(rps_world *world, double angle, double phase, double *peak) {
    const rps_vec3 turn = rps_vec3_make(angle * cos(phase), angle * sin(phase), 0);
    const rps_quat q = rps_quat_from_rotation_vector(turn);
    put_body_at(world, 1, rps_quat_rotate(q, rps_vec3_make(0, 0, LENGTH)), q);
    evaluate(world);
    const double stored = bond_of(world, 0, 1).stored;
    if (stored > *peak) *peak = stored;
}

/* Out to the cone, once round it, and back. */
static closed_loop round_cone(rps_bond_def (*def_of)(uint64_t, uint64_t), double angle, int steps) {
    const rps_world_options options = options_of(1e-6);
    rps_world *world = chain_by(def_of, &options, 2, 0.0, false, NULL, 0.0);
    closed_loop loop = {0.0, 0.0, 0.0};
    start(world);
    for (int n = 1; n <= steps / 4; n++) put_on_cone(world, angle * n / (steps / 4), 0.0, &loop.peak);
    for (int n = 1; n <= steps; n++) put_on_cone(world, angle, 2.0 * RPS_PI * n / steps, &loop.peak);
    for (int n = steps / 4; n-- > 0;) put_on_cone(world, angle * n / (steps / 4), 0.0, &loop.peak);
    const rps_bond_state s = bond_of(world, 0, 1);
    loop.twist = s.rotation[2];
    loop.left = s.stored;
    rps_world_destroy(world);
    return loop;
}

/* The line encircles the solid angle 2 pi (1 - cos a), counted against the sense of the loop, and none in the second
 * body. */
static void test_closed_loop(void **state) {
    (void)state;
    static const double angle[2] = {0.05, 0.2};
    for (int k = 0; k < 2; k++) {
        const double solid = -2.0 * RPS_PI * (1.0 - cos(angle[k]));
        const closed_loop coarse = round_cone(parallel, angle[k], 200), fine = round_cone(parallel, angle[k], 400);
        const closed_loop of_beam = round_cone(beam, angle[k], 400);
        SAY("cone of %g rad: twist %.9g, %.9g; solid angle %.9g; energy left over peak %.4g, beam %.2g\n", angle[k],
            coarse.twist, fine.twist, solid, fine.left / fine.peak, of_beam.left / of_beam.peak);
        /* second order in a step of 2 pi/400 of the loop: (2 pi/400)^2/12 = 2e-5 of it */
        ASSERT_NEAR(fine.twist, solid, -1e-4 * solid);
        ASSERT_NEAR((coarse.twist - solid) / (fine.twist - solid), 4.0, 0.1);
        const double of_twist = 0.5 * SHEAR * TWISTING * (fine.twist * fine.twist);
        SAY("energy left over that of the twist: %.6f\n", fine.left / of_twist);
        ASSERT_NEAR(fine.left, of_twist, 1e-3 * of_twist);
        ASSERT_BELOW(of_beam.left, 1e-24 * of_beam.peak); /* round-off of strains, squared */
    }
}

/* A pair turns about its common centre as one body: stretched by m w^2 L/(2 k), for ever; breaking takes 157 N. */
static void test_rigid_rotation(void **state) {
    (void)state;
    const double rate = 200.0, dt = 1.5e-6;
    rps_world *world = parallels(2, 1e-5, false, "damping", 0.3, dt, RPS_VERLET);
    spin_pair(world, rps_vec3_make(rate, 0, 0));
    double worst = 0.0, bend = 0.0, stretch = 0.0;
    for (uint64_t n = 0; n < 1000000; n += 997) {
        advance(world, 997);
        const rps_bond_state s = bond_of(world, 0, 1);
        stretch = s.stretch[2];
        worst = fmax(worst, fmax(fabs(s.stretch[0]), fabs(s.stretch[1])));
        for (int k = 0; k < 3; k++) bend = fmax(bend, fabs(s.rotation[k]));
    }
    SAY("after 48 turns: stretch %.9g m, shear below %.2g m, rotation below %.2g rad\n", stretch, worst, bend);
    ASSERT_NEAR(stretch, 2.546479e-10, 2e-15);
    /* round-off of 1e-19 m and 1e-16 rad a step, 1e6 steps as a random walk; 1e-10 of the breaking load is 2e-14 m */
    ASSERT_BELOW(worst, 2e-15);
    ASSERT_BELOW(bend, 2e-12);
    rps_world_destroy(world);
}

/* --- conservation --------------------------------------------------------------------------------------------------- */

static void test_momenta(void **state) {
    (void)state;
    check_momenta(parallel);
}

static void test_ledger_order(void **state) {
    (void)state;
    check_ledger_order(parallel);
}

/* A fast tumbling chain, strained far: what its large rotations book is of second order too. */
static void test_large_strains(void **state) {
    (void)state;
    double residual[2];
    for (int n = 0; n < 2; n++) {
        rps_world *world = parallels(6, 0.0, false, NULL, 0.0, n ? 5e-8 : 1e-7, RPS_VERLET);
        tumble(world, 6, 300.0);
        double worst = 0.0, turned = 0.0;
        for (int k = 0; k < 60; k++) {
            advance(world, n ? 20 : 10);
            worst = fmax(worst, fabs(ledger_of(world).residual));
            for (uint64_t b = 1; b < 6; b++) {
                const rps_bond_state s = bond_of(world, b - 1, b);
                turned = fmax(turned, rps_vec3_norm(as_vec(s.rotation)));
            }
        }
        residual[n] = worst;
        SAY("turned by %.2f rad: residual %.3g J\n", turned, worst);
        ASSERT_ABOVE(turned, 0.2);
        rps_world_destroy(world);
    }
    ASSERT_NEAR(residual[0] / residual[1], 4.0, 0.4);
}

/* The same pair with its bodies in the other order. */
static void test_order_of_bodies(void **state) {
    (void)state;
    rps_bond_state s[2];
    for (int n = 0; n < 2; n++) {
        const rps_world_options options = options_of(2e-7);
        rps_world *world = untouching(&options);
        for (int k = 0; k < 2; k++) {
            const uint64_t b = (uint64_t)(k ^ n);
            add_ball(world, rps_vec3_make(0, 0, (double)b * LENGTH), 1e-3, 1e-5 * (1.0 + (double)b),
                     rps_vec3_scale(random_vec(5, b), 3.0), rps_vec3_scale(random_vec(6, b), 3000.0));
        }
        const rps_bond_def def = parallel(0, 1);
        MUST(rps_world_add_bond(world, &def, ERR));
        advance(world, 500);
        s[n] = bond_of(world, 0, 1);
        rps_world_destroy(world);
    }
    const double force = rps_vec3_norm(as_vec(s[0].force));
    SAY("both orders: force %.9g N, stored %.9g J, off by %.2g\n", force, s[0].stored, s[1].stored / s[0].stored - 1.0);
    /* round-off in 500 steps of a stiff pair */
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_add(as_vec(s[0].force), as_vec(s[1].force))), 1e-10 * force);
    ASSERT_NEAR(s[1].stored, s[0].stored, 1e-10 * s[0].stored);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double value;
        const char *says;
    } bad[] = {{"young", NAN, "no normal stiffness"},
               {"normal_stiffness", 1e9, "both `young`"},
               {"stiffness_ratio", NAN, "no shear stiffness"},
               {"shear_stiffness", 1e9, "both `stiffness_ratio`"},
               {"stiffness_ratio", -1.0, "stiffness_ratio is -1"},
               {"radius", NAN, "no cross-section"}};
    const rps_world_options options = options_of(1e-6);
    rps_world *world = untouching(&options);
    for (int k = 0; k < 2; k++) {
        add_ball(world, rps_vec3_make(0, 0, k * LENGTH), 1e-3, 1e-5, rps_vec3_zero(), rps_vec3_zero());
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        rps_error err = {0};
        rps_bond_def def = parallel(0, 1);
        MUST(rps_bond_set(&def, bad[k].name, bad[k].value, ERR));
        assert_int_equal(rps_world_add_bond(world, &def, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, bad[k].says)) fail_msg("\"%s\" does not say \"%s\"", err.text, bad[k].says);
    }
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stresses),        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_cantilever),      cmocka_unit_test(test_closed_loop),
        cmocka_unit_test(test_rigid_rotation),  cmocka_unit_test(test_momenta),
        cmocka_unit_test(test_ledger_order),    cmocka_unit_test(test_large_strains),
        cmocka_unit_test(test_order_of_bodies), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
