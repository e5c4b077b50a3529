/*
 * Balls on triangle meshes in the nonsmooth stepper, against planes in the same stepper: a floor of any triangles, a groove
 * of two faces, a drum of facets.
 */
#include "meshes.h"

#define R 0.01
#define MASS (2500.0 * 4.0 / 3.0 * RPS_PI * R * R * R)
#define G 9.81

static rps_world *large_steps(bool rigid, double mu, double step) {
    rps_world_options options = options_of(step);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = 1e-13;
    options.nonsmooth.rigid = rigid;
    options.gravity[0] = 2.0;
    options.gravity[2] = -G;
    options.guards.motion = 2.0;
    options.guards.rotation = 1.0;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu, "kinetic", mu, "stiffness", 5e4, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.4, NULL);
    return world_of(&options, &pair);
}

/* A square of the plane z = 0 in quads whose inner points are moved at random. */
static sheet floor_of(void) {
    enum { SIDE = 40 };
    const double h = 0.4, shift = 0.35 * 2.0 * h / SIDE;
    sheet s = sheet_new();
    for (int i = 0; i <= SIDE; i++) {
        for (int j = 0; j <= SIDE; j++) {
            const bool in = i > 0 && i < SIDE && j > 0 && j < SIDE;
            const uint64_t n = (uint64_t)(i * 100 + j);
            sheet_point(&s, -h + 2.0 * h * i / SIDE + (in ? uniform(1, n, -shift, shift) : 0.0),
                        -h + 2.0 * h * j / SIDE + (in ? uniform(2, n, -shift, shift) : 0.0), 0.0);
        }
    }
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            const uint32_t a = (uint32_t)(i * (SIDE + 1) + j), b = a + SIDE + 1;
            sheet_quad(&s, a, b, b + 1, a + 1);
        }
    }
    return s;
}

static void add_sliders(rps_world *world) {
    for (uint64_t n = 0; n < 9; n++) {
        add_ball(
            world,
            rps_vec3_make(0.045 * (double)(n % 3) - 0.1, 0.045 * (double)(n / 3) - 0.05, R * uniform(5, n, 1.0, 1.3)),
            R, MASS, rps_vec3_make(uniform(6, n, -0.3, 0.3), uniform(7, n, -0.3, 0.3), uniform(8, n, -0.4, 0.0)),
            rps_vec3_scale(random_vec(9, n), 30.0));
    }
}

/* Bounces, slides and rolls as on the plane. */
static void test_floor(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const double mu = kind / 2 == 0 ? 0.5 : 0.1;
        rps_world *flat = large_steps(kind % 2 == 0, mu, 1e-3), *world = large_steps(kind % 2 == 0, mu, 1e-3);
        add_ground(flat, rps_vec3_make(0, 0, 1));
        sheet s = floor_of();
        add_sheet(world, &s, RPS_SIDE_OUTER);
        add_sliders(flat);
        add_sliders(world);
        start(flat);
        start(world);
        double worst = 0.0, worst_spin = 0.0, memory = 0.0;
        for (int n = 0; n < 30; n++) {
            advance(flat, 10);
            advance(world, 10);
            for (uint64_t id = 1; id <= 9; id++) {
                worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(position_of(world, id), position_of(flat, id))));
                worst_spin = fmax(worst_spin, rps_vec3_norm(rps_vec3_sub(turning_of(world, id), turning_of(flat, id))));
                bool a, b;
                const rps_contact c = contact_of(world, 0, id, &a), on_plane = contact_of(flat, 0, id, &b);
                assert_int_equal(a, b);
                if (a) memory = fmax(memory, fabs(c.energy_slide[0] - on_plane.energy_slide[0]));
            }
        }
        SAY("%s, mu %g: positions within %.1e m, turning within %.1e rad/s, energy of springs within %.1e J\n",
            kind % 2 == 0 ? "rigid" : "springs", mu, worst, worst_spin, memory);
        /* the solver's 1e-13 of velocities, 1 m/s, over 300 steps */
        ASSERT_BELOW(worst, 1e-11);
        ASSERT_BELOW(worst_spin, 1e-8);
        ASSERT_BELOW(memory, 1e-14);
        const rps_ledger p = ledger_of(world), q = ledger_of(flat);
        ASSERT_NEAR(dissipated_of(&p), dissipated_of(&q), 1e-12);
        sheet_free(&s);
        rps_world_destroy(flat);
        rps_world_destroy(world);
    }
}

/* At rest in a groove of 30 and 50 degrees, on both faces, and on one face of it when it is far from the other. */
static void test_groove(void **state) {
    (void)state;
    const double left = 30.0 * RPS_PI / 180.0, right = 50.0 * RPS_PI / 180.0;
    rps_world_options options = options_of(1e-3);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = 1e-13;
    options.nonsmooth.rigid = true;
    options.gravity[2] = -G;
    options.guards.motion = 2.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_world *world = world_of(&options, &pair);
    sheet s = sheet_new();
    const double path[][2] = {{-0.1 * cos(left), 0.1 * sin(left)},
                              {-0.03 * cos(left), 0.03 * sin(left)},
                              {0.0, 0.0},
                              {0.02 * cos(right), 0.02 * sin(right)},
                              {0.1 * cos(right), 0.1 * sin(right)}};
    sheet_extrude(&s, path, 5, 0.3);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    const double half = 0.5 * (RPS_PI - left - right), along = R / sin(half), direction = right + half;
    add_ball(world, rps_vec3_make(along * cos(direction), 0.0, along * sin(direction) + 0.002), R, MASS,
             rps_vec3_zero(), rps_vec3_zero());
    start(world);
    advance(world, 300);
    rps_contact c[4];
    size_t count = 0;
    MUST(rps_world_contacts(world, c, 4, &count, ERR));
    assert_int_equal(count, 2);
    double load[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) load[fabs(c[k].normal[0]) < 0.6 ? 0 : 1] = c[k].normal_load[0];
    ASSERT_NEAR(load[0], MASS * G * sin(right) / sin(left + right), 1e-9 * MASS * G);
    ASSERT_NEAR(load[1], MASS * G * sin(left) / sin(left + right), 1e-9 * MASS * G);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, 1)), 1e-9);
    sheet_free(&s);
    rps_world_destroy(world);
}

/* A ball rolls down a groove of 90 degrees along y, inclined by gravity of 20 degrees: g sin 20/(1 + .4/sin^2 45). */
static void test_rolls_in_groove(void **state) {
    (void)state;
    const double tilt = 20.0 * RPS_PI / 180.0, h = 0.1 * sqrt(0.5);
    rps_world_options options = options_of(1e-3);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = 1e-13;
    options.nonsmooth.rigid = true;
    options.gravity[1] = G * sin(tilt);
    options.gravity[2] = -G * cos(tilt);
    options.guards.motion = 2.0;
    options.guards.rotation = 1.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 2.0, "kinetic", 2.0, "stiffness", 1e6, NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_world *world = world_of(&options, &pair);
    sheet s = sheet_new();
    const double path[][2] = {{-h, h}, {-0.1 * h, 0.1 * h}, {0.0, 0.0}, {0.1 * h, 0.1 * h}, {h, h}};
    sheet_extrude(&s, path, 5, 0.3);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    add_ball(world, rps_vec3_make(0.0, -0.2, R * sqrt(2.0)), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    advance(world, 300);
    /* velocities are exact at any step */
    ASSERT_NEAR(velocity_of(world, 1).y, 0.3 * G * sin(tilt) / 1.8, 1e-8);
    sheet_free(&s);
    rps_world_destroy(world);
}

/* A ball slides to and fro in a drum of 360 facets; steps that pass whole facets lose a part of the drop, but it stays
 * inside and its energy never grows. */
static void test_drum(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-3);
    options.stepper = RPS_NONSMOOTH;
    options.gravity[2] = -G;
    options.guards.motion = 2.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", MASS * G / (1e-3 * R), NULL);
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_world *world = world_of(&options, &pair);
    enum { SIDES = 360 };
    double path[SIDES / 2 + 1][2];
    for (int k = 0; k <= SIDES / 2; k++) {
        const double angle = 2.0 * RPS_PI * k / SIDES - RPS_PI;
        path[k][0] = 10.0 * R * cos(angle);
        path[k][1] = 10.0 * R * sin(angle);
    }
    sheet s = sheet_new();
    sheet_extrude(&s, (const double(*)[2])path, SIDES / 2 + 1, 0.05);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    const double angle = 40.0 * RPS_PI / 180.0, out = 9.0 * R;
    add_ball(world, rps_vec3_make(out * sin(angle), 0.0, -out * cos(angle)), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    double highest = 0.0, farthest = 0.0, left = 0.0;
    for (int n = 0; n < 700; n++) {
        advance(world, 1);
        const rps_vec3 x = position_of(world, 1), v = velocity_of(world, 1);
        highest = fmax(highest, 0.5 * rps_vec3_norm2(v) + G * (x.z + out * cos(angle)));
        farthest = fmax(farthest, rps_vec3_norm(x));
        left = fmin(left, x.x);
    }
    const double drop = G * out * (1.0 - cos(angle));
    SAY("energy rises by %.1e of the drop at most, distance from the axis at most %.5f R, reaches %.3f of the width\n",
        highest / drop, farthest / R, left / (-out * sin(angle)));
    ASSERT_BELOW(highest / drop, 0.02); /* of first order in the step: g h against sqrt(2 drop) is .02 */
    ASSERT_BELOW(farthest, 9.03 * R);
    assert_true(left < -0.7 * out * sin(angle));
    sheet_free(&s);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floor), cmocka_unit_test(test_groove),
                                       cmocka_unit_test(test_rolls_in_groove), cmocka_unit_test(test_drum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
