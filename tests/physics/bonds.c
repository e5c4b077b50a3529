/*
 * One bond and chains of bonds against closed forms: loads in a finite motion, frequencies of a pair, beam theory,
 * conservation.
 *
 * Two spheres or a chain of them: radius 1 mm, 2500 kg/m^3, bonds of 1 GPa, Poisson's ratio .3 and radius 1 mm.
 */
#include "bonded.h"

static void test_finite_motion(void **state) {
    (void)state;
    rps_world *world = chain_of(2, NULL, 1e-6);
    put_body(world, 0, rps_vec3_zero(), rps_vec3_make(0.0, 0.1, 0.0));
    put_body(world, 1, rps_vec3_make(0.1 * LENGTH, 0.05 * LENGTH, 1.02 * LENGTH), rps_vec3_make(0.2, -0.1, 0.3));
    const rps_bond_state s = bond_of(world, 0, 1);
    /* derived independently of this program; all ten digits given */
    ASSERT_NEAR(s.stretch[2], 2.141102505e-5, 1e-14);
    ASSERT_NEAR(s.force[0], 68.1151050, 1e-7);
    ASSERT_NEAR(s.force[1], 107.5313066, 1e-7);
    ASSERT_NEAR(s.force[2], 44.0251175, 1e-7);
    rps_world_destroy(world);
}

/* The loads are the derivatives of the stored energy along each coordinate of the first body. */
static void test_loads_are_the_gradient(void **state) {
    (void)state;
    const double h = 1e-6;
    rps_world *world = chain_of(2, NULL, 1e-6);
    const rps_vec3 x = rps_vec3_make(0.3e-3, -0.2e-3, 0.4e-3), turn = rps_vec3_make(0.5, -0.8, 0.6);
    put_body(world, 1, rps_vec3_make(0.2e-3, 0.1e-3, 2.3e-3), rps_vec3_make(-0.4, 0.3, 0.9));
    put_body(world, 0, x, turn);
    const rps_bond_state s = bond_of(world, 0, 1);
    const rps_quat q = rps_quat_from_rotation_vector(turn);
    for (int k = 0; k < 6; k++) {
        double energy[2];
        for (int n = 0; n < 2; n++) {
            double d[3] = {0, 0, 0};
            d[k % 3] = n ? h : -h;
            if (k < 3) d[k % 3] *= 1e-3;
            const rps_quat by = rps_quat_from_rotation_vector(k < 3 ? rps_vec3_zero() : as_vec(d));
            put_body_at(world, 0, k < 3 ? rps_vec3_add(x, as_vec(d)) : x, rps_quat_mul(by, q));
            energy[n] = bond_of(world, 0, 1).stored;
        }
        const double slope = -(energy[1] - energy[0]) / (k < 3 ? 2e-3 * h : 2.0 * h);
        const double load = k < 3 ? s.force[k] : s.torque[0][k - 3];
        /* difference quotient: h^2 and round-off over h, both about 1e-9 of loads of 300 N and 0.3 N m */
        ASSERT_NEAR(load, slope, k < 3 ? 2e-5 : 2e-7);
    }
    rps_world_destroy(world);
}

static void test_frequencies(void **state) {
    (void)state;
    const rps_vec3 none = rps_vec3_zero();
    const double mass = 2500.0 * 4.0 / 3.0 * RPS_PI * 1e-9, inertia = 0.4 * mass * 1e-6;
    check_frequency(chain_of(2, NULL, FREQUENCY_STEP), "stretch", rps_vec3_make(0, 0, 1e-4), none, none, 2, 87172.7525);
    /* shear with the rotation that goes with it: velocities are those of the mode, L/2 over I against 1 over m */
    const double turn = 1e-4 * mass * 0.5 * LENGTH / inertia;
    const rps_vec3 spin = rps_vec3_make(0, -turn, 0);
    check_frequency(chain_of(2, NULL, FREQUENCY_STEP), "shear", rps_vec3_make(1e-4, 0, 0), spin, spin, 1, 78953.3249);
    const double bend = sqrt(0.3926990817 * 2.0 / inertia) / (2.0 * RPS_PI);
    check_frequency(chain_of(2, NULL, FREQUENCY_STEP), "bending", none, rps_vec3_make(0, -0.1, 0),
                    rps_vec3_make(0, 0.1, 0), 3, bend);
    const double twist = sqrt(0.3020762167 * 2.0 / inertia) / (2.0 * RPS_PI);
    check_frequency(chain_of(2, NULL, FREQUENCY_STEP), "twist", none, rps_vec3_make(0, 0, -0.1),
                    rps_vec3_make(0, 0, 0.1), 5, twist);
}

/* A pair turns about its common centre as one body: it is stretched by m w^2 L/(2 k) and nothing else, for ever. */
static void test_rigid_rotation(void **state) {
    (void)state;
    const double rate = 200.0, dt = 1.5e-6;
    rps_world *world = chain_of_mass(2, 1e-5, "damping", 0.3, dt);
    spin_pair(world, rps_vec3_make(rate, 0, 0));
    const uint64_t turns = 50, steps = (uint64_t)(turns * 2.0 * RPS_PI / (rate * dt));
    double worst = 0.0, bend = 0.0, stretch = 0.0;
    for (uint64_t n = 0; n < steps; n += 997) {
        advance(world, 997);
        const rps_bond_state s = bond_of(world, 0, 1);
        stretch = s.stretch[2];
        if (n < 20000) continue; /* the start, without stretch, has died away */
        worst = fmax(worst, fmax(fabs(s.stretch[0]), fabs(s.stretch[1])));
        for (int k = 0; k < 3; k++) bend = fmax(bend, fabs(s.rotation[k]));
    }
    SAY("after %d turns: stretch %.9g m, shear below %.2g m, rotation below %.2g rad\n", (int)turns, stretch, worst,
        bend);
    ASSERT_NEAR(stretch, 2.546479e-10, 2e-15); /* round-off of positions of 1 mm: 2e-19; w dt squared: 1.6e-7 */
    ASSERT_BELOW(worst, 1e-15);
    ASSERT_BELOW(bend, 1e-12);
    rps_world_destroy(world);
}

/* --- beams ---------------------------------------------------------------------------------------------------------- */

static const double EI = 1e9 * RPS_PI * 1e-12 / 4.0;

static void test_cantilever(void **state) {
    (void)state;
    static const char *const shear[3] = {"beam", "point", "euler"};
    static const double expected[3] = {3.413979633e-3, 3.405491369e-3, 0.0};
    for (int n = 0; n < 2; n++) {
        rps_world *world = chain_of(11, n ? "shear" : NULL, 2.5e-6);
        const double force = 1e-4;
        MUST(rps_world_hold_load(world, 10, (double[3]){force, 0, 0}, NULL, ERR));
        relax(world, 30000);
        const double tip = position_of(world, 10).x / force;
        SAY("cantilever, shear %s: %.9g m/N\n", shear[n], tip);
        /* the deflection is 3e-7 of a length of 20 mm: cubic terms are 1e-10 of it, the rest of the oscillation 1e-8 */
        ASSERT_NEAR(tip, expected[n], 3e-8 * expected[n]);
        rps_world_destroy(world);
    }
    rps_world *world = chain_of(11, NULL, 2.5e-6);
    MUST(rps_world_hold_load(world, 10, NULL, (double[3]){0, 0, 1e-6}, ERR));
    relax(world, 30000);
    double q[4];
    MUST(rps_world_body_orientation(world, 10, q, ERR));
    ASSERT_NEAR(2.0 * asin(q[3]) / 1e-6, 33.10422816, 1e-6); /* sum of ten twists, L/(G J) */
    rps_world_destroy(world);
}

/* The bound of the step for a pair, and for a chain with one end fixed, whose highest mode is stretch: 2 sqrt(k/m)
 * sin(19/21 pi/2) for ten masses. */
static void test_step_limit(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        rps_world *world = chain_of(n ? 11 : 2, NULL, 1e-6);
        const double pair = 2.0 * RPS_PI * 87172.7525;
        const double stable = 2.0 / (n ? sqrt(2.0) * pair * sin(19.0 / 42.0 * RPS_PI) : pair);
        rps_step_limit limit;
        MUST(rps_world_step_limit(world, &limit, ERR));
        SAY("%s: stable step %.4g s, bound %.4g s\n", n ? "chain" : "pair", stable, limit.step);
        assert_true(limit.bond);
        assert_true(limit.step <= stable && limit.step >= stable / 1.25); /* the guard allows 1.25 of the bound */
        rps_world_destroy(world);
    }
}

/* Pure bending to a quarter of a circle: constant curvature M/(E I), as of the elastica, for any number of pieces. */
static void test_quarter_circle(void **state) {
    (void)state;
    rps_world *world = chain_of(11, NULL, 2.5e-6);
    const double total = 10.0 * LENGTH, moment = 0.5 * RPS_PI * EI / total;
    MUST(rps_world_hold_load(world, 10, NULL, (double[3]){0, moment, 0}, ERR));
    relax(world, 300000);
    const rps_ledger ledger = ledger_of(world);
    const rps_vec3 tip = position_of(world, 10);
    SAY("quarter circle: tip (%.9g, %.9g), energy off by %.2g\n", tip.x, tip.z,
        ledger.bonds_stored / (0.5 * moment * moment * total / EI) - 1.0);
    /* statics to 1e-9 of the motion: the rest of the oscillation */
    ASSERT_NEAR(ledger.bonds_stored, 0.5 * moment * moment * total / EI, 1e-9 * ledger.bonds_stored);
    ASSERT_NEAR(tip.z, 1.27454948e-2, 2e-10);
    ASSERT_NEAR(tip.x, total - 7.2545052e-3, 2e-10);
    rps_world_destroy(world);
}

static void test_large_tip_force(void **state) {
    (void)state;
    rps_world *world = chain_of(11, NULL, 2.5e-6);
    MUST(rps_world_hold_load(world, 10, (double[3]){1.0, 0, 0}, NULL, ERR));
    relax(world, 60000);
    const rps_ledger ledger = ledger_of(world);
    const rps_vec3 tip = position_of(world, 10);
    SAY("tip force of 1 N: tip (%.9g, %.9g) m, U %.9g J\n", tip.x, tip.z - 10.0 * LENGTH, ledger.bonds_stored);
    ASSERT_NEAR(tip.x, 3.318047e-3, 1e-9); /* of an independent program, to the digits given */
    ASSERT_NEAR(tip.z - 10.0 * LENGTH, -3.310416e-4, 1e-10);
    ASSERT_NEAR(ledger.bonds_stored, 1.635465e-3, 1e-9);
    rps_world_destroy(world);
}

/* --- conservation --------------------------------------------------------------------------------------------------- */

static void test_momenta(void **state) {
    (void)state;
    check_momenta(beam);
}

static void test_ledger_order(void **state) {
    (void)state;
    check_ledger_order(beam);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite_motion),  cmocka_unit_test(test_loads_are_the_gradient),
        cmocka_unit_test(test_frequencies),    cmocka_unit_test(test_rigid_rotation),
        cmocka_unit_test(test_step_limit),     cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_quarter_circle), cmocka_unit_test(test_large_tip_force),
        cmocka_unit_test(test_momenta),        cmocka_unit_test(test_ledger_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
