/*
 * Ellipsoids at curved walls, inside and outside: least distances by samples, equal axes as the ball, a potential, and the walls
 * as fine meshes.
 */
#include "meshes.h"

#include "detect/touch.h"

#define WALL 0.1
#define SIZE 0.01
#define MASS 0.01
#define G 9.81

/* The distance of a point from the wall, on the side of the centre of the body; negative beyond it. */
static double distance_of(const rps_side *wall, rps_vec3 center, rps_vec3 x) {
    const rps_shape_foot foot = wall->shape->nearest(wall->parameter, 0, x);
    return rps_vec3_dot(foot.normal, rps_vec3_sub(center, foot.point)) < 0.0 ? -foot.distance : foot.distance;
}

/* No point of the surface is nearer to the wall or deeper in it, and both points lie along the normal. */
static void test_least(void **state) {
    (void)state;
    static const double tube[8] = {WALL, 0.4, 0.0}, cone[8] = {WALL, 0.5 * WALL, 0.4, 0.0}, shell[8] = {WALL, 0.0};
    const rps_side walls[] = {
        {.shape = &rps_shape_cylinder_wall, .parameter = tube, .orientation = {1, 0, 0, 0}},
        {.shape = &rps_shape_cone_wall, .parameter = cone, .orientation = {1, 0, 0, 0}},
        {.shape = &rps_shape_sphere_wall, .parameter = shell, .orientation = {1, 0, 0, 0}},
    };
    double worst = 0.0;
    for (uint64_t n = 0; n < 240; n++) {
        const rps_side *wall = &walls[n % 3];
        const bool outside = n / 3 % 2 == 1;
        double axis[3];
        for (uint64_t k = 0; k < 3; k++) axis[k] = SIZE * uniform(1 + k, n, 0.8, 2.0);
        const rps_side body = {.shape = &rps_shape_ellipsoid,
                               .parameter = axis,
                               .orientation = rps_quat_from_rotation_vector(rps_vec3_scale(random_vec(5, n), 3.0))};
        /* from a foot on the wall to where the body is about to touch */
        const double angle = uniform(6, n, 0.0, 6.28), z = uniform(7, n, -0.05, 0.05);
        const rps_vec3 x =
            rps_vec3_make((outside ? 1.5 : 0.5) * WALL * cos(angle), (outside ? 1.5 : 0.5) * WALL * sin(angle), z);
        const rps_shape_foot at = wall->shape->nearest(wall->parameter, 0, x);
        const rps_vec3 d = rps_vec3_add_scaled(at.point, SIZE * uniform(8, n, outside ? 1.0 : 1.3, 1.9), at.normal);
        if (rps_touch_refuses(&body, wall, d, 0.0) != NULL) fail_msg("%s", rps_touch_refuses(&body, wall, d, 0.0));
        rps_touch t;
        (void)rps_touch_find(&body, wall, d, 0, INFINITY, NULL, &t);
        double least = INFINITY;
        for (uint64_t k = 0; k < 400; k++) {
            const rps_vec3 n_out = rps_vec3_normalize(
                k < 200 ? random_vec(9, n * 400 + k)
                        : rps_vec3_add_scaled(rps_vec3_neg(t.normal), 0.01, random_vec(9, n * 400 + k)));
            const rps_vec3 p = rps_quat_rotate(
                body.orientation, body.shape->support(axis, rps_quat_rotate_inverse(body.orientation, n_out)));
            least = fmin(least, distance_of(wall, d, rps_vec3_add(d, p)));
        }
        assert_true(-t.overlap <= least + 1e-15);
        /* the nearest of these is off by 0.001 rad or so, times 0.04 m of curvature */
        ASSERT_BELOW(least + t.overlap, 1e-5);
        const rps_vec3 between = rps_vec3_sub(rps_vec3_add(d, t.branch_i), t.branch_j);
        worst = fmax(worst, rps_vec3_norm(rps_vec3_add_scaled(between, t.overlap, t.normal)));
        const rps_vec3 out = body.shape->gradient(axis, rps_quat_rotate_inverse(body.orientation, t.branch_i));
        const rps_vec3 sum = rps_vec3_add(rps_vec3_normalize(rps_quat_rotate(body.orientation, out)), t.normal);
        ASSERT_BELOW(rps_vec3_norm(sum), 1e-13); /* rounding over the ratio of the axes, squared */
    }
    ASSERT_BELOW(worst, 1e-16); /* rounding of 0.1 m */
}

static rps_world *world_with(double step, bool friction, rps_stepper stepper) {
    rps_world_options options = options_of(step);
    options.stepper = stepper;
    options.nonsmooth.tolerance = 1e-13;
    options.gravity[2] = -G;
    options.guards.motion = options.guards.rotation = 2.0;
    rps_pair pair = friction ? tracked_pair() : rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    if (friction) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    for (int role = RPS_ROLE_SLIDE; role <= RPS_ROLE_SPIN && !friction; role++) use(&pair, role, "none", NULL);
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 1e8;
    material.poisson = 0.3;
    return world_of_material(&options, &pair, material);
}

/* A drum along y. */
static void add_drum(rps_world *world) {
    rps_body_def wall = rps_body_cylinder_wall(WALL, 0.4, 0);
    wall.kind = RPS_BODY_FIXED;
    wall.orientation[0] = wall.orientation[1] = sqrt(0.5);
    MUST(rps_world_add_body(world, &wall, NULL, ERR));
}

static void add_oval(rps_world *world, bool ball, const double axis[3]) {
    rps_body_def def = ball ? rps_body_sphere(axis[0]) : rps_body_ellipsoid(axis[0], axis[1], axis[2]);
    def.mass = MASS;
    to_array(def.position, rps_vec3_make(0.05, 0.01, -0.06));
    to_array(def.velocity, rps_vec3_make(0.1, 0.05, -0.2));
    to_array(def.angular_velocity, rps_vec3_make(3.0, -4.0, 2.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

/* Equal axes are a ball, with all memories. */
static void check_round(bool rigid) {
    static const double axis[3] = {SIZE, SIZE, SIZE};
    rps_world *world[2];
    for (int n = 0; n < 2; n++) {
        world[n] = world_with(rigid ? 5e-4 : 1e-5, true, rigid ? RPS_NONSMOOTH : RPS_PENALTY);
        add_drum(world[n]);
        add_oval(world[n], n == 1, axis);
        start(world[n]);
        advance(world[n], rigid ? 800 : 40000);
    }
    const rps_ledger a = ledger_of(world[0]), b = ledger_of(world[1]);
    assert_true(dissipated_of(&a) > 1e-4);
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(position_of(world[0], 1), position_of(world[1], 1))), 1e-12);
    ASSERT_NEAR(dissipated_of(&a), dissipated_of(&b), 1e-12);
    for (int n = 0; n < 2; n++) rps_world_destroy(world[n]);
}

static void test_round(void **state) {
    (void)state;
    check_round(false);
    check_round(true);
}

/* Without friction and damping the energy is kept, to second order of the step. */
static void test_energy(void **state) {
    (void)state;
    static const double axis[3] = {0.8 * SIZE, SIZE, 1.5 * SIZE};
    double most[2] = {0.0};
    for (int n = 0; n < 2; n++) {
        const double step = n == 0 ? 2e-5 : 5e-6;
        rps_world *world = world_with(step, false, RPS_PENALTY);
        add_drum(world);
        add_oval(world, false, axis);
        start(world);
        for (int k = 0; k < 200; k++) {
            advance(world, (uint64_t)(2e-3 / step + 0.5));
            most[n] = fmax(most[n], fabs(ledger_of(world).residual));
        }
        rps_world_destroy(world);
    }
    SAY("ellipsoid in a drum: residual %.1e J, at a quarter of the step %.1e J\n", most[0], most[1]);
    ASSERT_BELOW(most[0], 2e-3 * MASS * G * WALL);
    ASSERT_BELOW(most[1], 0.25 * most[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least), cmocka_unit_test(test_round),
                                       cmocka_unit_test(test_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
