/*
 * Static friction at a large size ratio: a small sphere resting on the shoulder of a large one, held from rolling,
 * stays while the slope is below mu and slides above it, whatever the ratio. Rates of a contact that do not belong
 * to one time level fail here from a ratio of 3 on.
 */
#include "worlds.h"

static const double MU = 0.5, SMALL = 1e-3;

typedef struct held {
    double slid;  /* m, along the slope */
    double speed; /* m/s, at the end */
    double mode;
} held;

/* The small sphere cannot turn, so that only slide friction holds it; gravity makes the slope; the large one is
 * fixed. */
static held rest_on_slope(double ratio, double angle, rps_integrator integrator, bool large_first) {
    const double mass = 2500.0 * 4.0 / 3.0 * RPS_PI * SMALL * SMALL * SMALL, stiffness = 1e3, large = ratio * SMALL;
    const double weight = mass * 9.81;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", stiffness, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", MU, "kinetic", MU, "stiffness", stiffness, NULL);
    rps_world_options options = options_of(0.05 * sqrt(mass / stiffness));
    options.integrator = integrator;
    options.gravity[0] = 9.81 * sin(angle);
    options.gravity[2] = -9.81 * cos(angle);
    rps_world *world = world_of(&options, &pair);
    const double overlap = weight * cos(angle) / stiffness;
    rps_body_def def = rps_body_def_default();
    def.radius = SMALL;
    def.mass = mass;
    def.locked = true;
    def.position[2] = large + SMALL - overlap;
    uint64_t ball = 0, base = 0;
    if (!large_first) MUST(rps_world_add_body(world, &def, &ball, ERR));
    base = add_ball(world, rps_vec3_zero(), large, 0.0, rps_vec3_zero(), rps_vec3_zero());
    if (large_first) MUST(rps_world_add_body(world, &def, &ball, ERR));
    start(world);
    advance(world, 4000);
    bool found;
    const rps_contact c = contact_of(world, ball, base, &found);
    held h = {.slid = position_of(world, ball).x,
              .speed = rps_vec3_norm(velocity_of(world, ball)),
              .mode = found ? c.slide_mode[0] : 2.0};
    rps_world_destroy(world);
    return h;
}

static void test_small_on_large(void **state) {
    (void)state;
    static const double ratios[] = {1.0, 3.0, 10.0, 30.0, 100.0};
    const double limit = atan(MU);
    for (int k = 0; k < 4; k++) {
        const rps_integrator integrator = k & 1 ? RPS_HALF_IMPLICIT : RPS_VERLET;
        for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
            /* The load comes on at once: spring and critical damper together overshoot it by exp(-2) = 13.5 %. At .8
             * of the limit the ball only moves by the deflection m g sin(a)/K_E; close to the limit it may slip a
             * little first. */
            const double deflection = 2500.0 * 4.0 / 3.0 * RPS_PI * SMALL * SMALL * SMALL * 9.81 / 1e3;
            const held easy = rest_on_slope(ratios[r], 0.8 * limit, integrator, k & 2);
            const held below = rest_on_slope(ratios[r], 0.97 * limit, integrator, k & 2);
            const held above = rest_on_slope(ratios[r], 1.03 * limit, integrator, k & 2);
            SAY("ratio %g, %s: slid %.4f deflections at .8, %.3g at .97, %.3g at 1.03 of the limit\n", ratios[r],
                k & 1 ? "half-implicit" : "verlet", easy.slid / deflection / sin(0.8 * limit), below.slid / deflection,
                above.slid / deflection);
            assert_true(easy.mode == 0.0 && below.mode == 0.0 && above.mode == 1.0);
            ASSERT_BELOW(easy.speed, 1e-9); /* at rest: 200 times the time of a critically damped mode */
            ASSERT_BELOW(below.speed, 1e-9);
            /* the large sphere turns the slope by slid/(R + r), 1e-4 at most */
            ASSERT_NEAR(easy.slid / (deflection * sin(0.8 * limit)), 1.0, 1e-3);
            ASSERT_BELOW(below.slid, 4.0 * deflection);
            ASSERT_ABOVE(above.slid, 100.0 * deflection);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_on_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
