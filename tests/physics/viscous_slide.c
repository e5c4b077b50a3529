/*
 * Sliding without memory against closed forms: a ball that cannot turn slides under mu N, then slows down exponentially; on a
 * slope it creeps at the speed at which the damper balances its weight.
 */
#include "worlds.h"

static const double R = 0.01, M = 0.02, G = 9.81, H = 1e-5;

/* A ball at rest on a plane that is inclined by `slope`, sliding at v along it. Its inertia is so large that it does not turn. */
static rps_world *sliding(const char *damper, double value, double friction, double slope, double v) {
    rps_world_options options = options_of(H);
    const double stiffness = 1e5;
    options.gravity[0] = G * sin(slope);
    options.gravity[2] = -G * cos(slope);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", stiffness, NULL);
    use(&pair, RPS_ROLE_SLIDE, "viscous_coulomb", "friction", friction, damper, value, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.radius = R;
    def.mass = M;
    def.inertia[0] = 1e12;
    def.position[2] = R - M * G * cos(slope) / stiffness;
    def.velocity[0] = v;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    start(world);
    return world;
}

/* Forces lag by half a step, so speeds err by a relative gamma h/2. */
static void test_slows_down(void **state) {
    (void)state;
    const double gamma = 20.0, mu = 0.3, v0 = 0.5;
    for (int k = 0; k < 2; k++) {
        rps_world *world = sliding(k ? "rate" : "damper", k ? gamma : gamma * M, mu, 0.0, v0);
        const double below = mu * G / gamma, until = (v0 - below) / (mu * G); /* m/s, s: there the damper takes over */
        const int steps = 20000;
        for (int n = 1; n <= steps; n++) {
            advance(world, 1);
            const double t = n * H, v = t < until ? v0 - mu * G * t : below * exp(-gamma * (t - until));
            ASSERT_NEAR(velocity_of(world, 1).x, v, gamma * H * v0);
        }
        assert_true(steps * H > 1.5 * until);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(ledger.dissipated[RPS_ROLE_SLIDE], 0.5 * M * (v0 * v0 - pow(velocity_of(world, 1).x, 2.0)),
                    1e-9 * M);
        ASSERT_BELOW(fabs(ledger.residual), 1e-9 * M); /* of second order: (gamma h)^2 of the energy */
        rps_world_destroy(world);
    }
}

static void test_creeps(void **state) {
    (void)state;
    const double gamma = 50.0, slope = 0.1, speed = G * sin(slope) / gamma;
    rps_world *world = sliding("rate", gamma, 0.5, slope, 0.0);
    advance(world, 60000);                              /* 30 times 1/gamma */
    ASSERT_NEAR(velocity_of(world, 1).x, speed, 1e-12); /* at rest with respect to the law: no lag */
    rps_world_destroy(world);
}

static void test_needs_one_damper(void **state) {
    (void)state;
    rps_error err;
    for (int k = 0; k < 2; k++) {
        rps_world_options options = options_of(H);
        rps_world *world = NULL;
        rps_material material = rps_material_default();
        rps_pair pair = rps_pair_default();
        int index;
        material.name = "stuff";
        MUST(rps_world_create(&options, &world, ERR));
        MUST(rps_world_add_material(world, &material, &index, ERR));
        use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
        use(&pair, RPS_ROLE_SLIDE, "viscous_coulomb", "friction", 0.5, NULL);
        if (k) use(&pair, RPS_ROLE_SLIDE, "viscous_coulomb", "friction", 0.5, "damper", 1.0, "rate", 1.0, NULL);
        assert_int_equal(rps_world_set_pair(world, index, index, &pair, &err), RPS_BAD_INPUT);
        assert_non_null(strstr(err.text, k ? "both `damper` and `rate`" : "has no damper"));
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slows_down),
        cmocka_unit_test(test_creeps),
        cmocka_unit_test(test_needs_one_damper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
