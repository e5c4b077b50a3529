/*
 * Cylinders of finite length that touch along a line: the numbers of one metre times the length, across and along the axis,
 * one cap for both, a mirror for a wall, the moment of a strip that leans, an impact that is that of a disk, and what is
 * refused. R = .5 m, E = 10 GPa, nu = .25, mu = .3.
 */
#include "worlds.h"

#include "world/world.h"

static const double MU = 0.3, R = 0.5, LOAD = 7.172727329e7, ENERGY = 8.198264824e5, TANGENT = 3.461892411e9;
static const double ACROSS = 1.615279876e9, A = 0.0654286351, DEPTH = 0.025;

static rps_material rock(void) {
    rps_material m = rps_material_default();
    m.name = "rock";
    m.young = 1e10;
    m.poisson = 0.25;
    m.density = 2700.0;
    return m;
}

static rps_pair pair_of_lines(void) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz2d", NULL);
    use(&pair, RPS_ROLE_SLIDE, "hertz2d", "friction", MU, NULL);
    return pair;
}

static rps_world *world_of_lines(double step, int dimension, double depth) {
    rps_world_options options = options_of(step);
    const rps_pair pair = pair_of_lines();
    options.dimension = dimension;
    options.depth = depth;
    return world_of_material(&options, &pair, rock());
}

static const rps_vec3 zero = {0.0, 0.0, 0.0};

/* A cylinder along y, or as `turn` takes it from there. */
static uint64_t add_cylinder(rps_world *world, rps_vec3 x, double radius, double length, bool fixed, rps_vec3 turn) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    const rps_quat lie = rps_quat_from_rotation_vector(rps_vec3_make(-0.5 * RPS_PI, 0.0, 0.0));
    const rps_quat q = rps_quat_mul(rps_quat_from_rotation_vector(turn), lie);
    def.shape = "cylinder";
    def.parameter[0] = radius;
    def.parameter[1] = length;
    def.kind = fixed ? RPS_BODY_FIXED : RPS_BODY_FREE;
    def.orientation[0] = q.w;
    def.orientation[1] = q.x;
    def.orientation[2] = q.y;
    def.orientation[3] = q.z;
    to_array(def.position, x);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* No load moves it; the test does, by its velocity. */
static void hold(rps_world *world, uint64_t id) {
    rps_motion *motion = &world->bodies.motion[world->bodies.slot_of[id]];
    motion->inverse_mass[0] = motion->inverse_inertia[0] = 0.0;
    to_array(motion->velocity, zero);
    to_array(motion->angular_velocity, zero);
}

static void shift(rps_world *world, uint64_t id, rps_vec3 by, int steps) {
    rps_motion *motion = &world->bodies.motion[world->bodies.slot_of[id]];
    to_array(motion->velocity, rps_vec3_scale(by, 1.0 / (steps * world->step)));
    advance(world, (uint64_t)steps);
    to_array(motion->velocity, zero);
}

/* Along the axis, of a metre: pi over (1/G) (log(4 R/a) + 1/2) of both. */
static double along_of(int cylinders) {
    return RPS_PI / (cylinders * (2.0 * 1.25 / 1e10) * (log(4.0 * R / A) + 0.5));
}

/* Two cylinders of 3 and 2.5 m, of which 2 m lie side by side; or one of 2 m on a wall, at half the approach. */
static void test_numbers(void **state) {
    (void)state;
    for (int wall = 0; wall < 2; wall++) {
        const double length = 2.0, both = wall ? 2.0 : 1.0, digits = 1e-8;
        rps_world *world = world_of_lines(1e-6, 3, 1.0);
        uint64_t base =
            wall ? add_ground(world, rps_vec3_make(0.0, 0.0, 1.0)) : add_cylinder(world, zero, R, 3.0, true, zero);
        const uint64_t top = wall
                                 ? add_cylinder(world, rps_vec3_make(0.0, 0.0, R - 0.5 * DEPTH), R, length, false, zero)
                                 : add_cylinder(world, rps_vec3_make(0.0, 0.75, 2.0 * R - DEPTH), R, 2.5, false,
                                                rps_vec3_make(0, 0, RPS_PI));
        start(world);
        hold(world, top);
        advance(world, 1);
        rps_contact c = contact_of(world, base, top, NULL);
        ASSERT_NEAR(c.elastic_load[0], length * LOAD, digits * length * LOAD);
        ASSERT_NEAR(c.contact_radius[0], A, digits * A);
        /* the wall bears half of the energy: nothing on its side of the mirror */
        ASSERT_NEAR(c.energy_normal[0], length * ENERGY / both, digits * length * ENERGY);
        /* across, along, both; slips so small that the turn of the normal is too */
        const double ds = 1e-7;
        const int steps = 10;
        shift(world, top, rps_vec3_make(ds, 0.0, 0.0), steps);
        c = contact_of(world, base, top, NULL);
        const rps_vec3 across = as_vec(c.slide_force);
        SAY("%s: across %.8g N/m a metre, along %.8g\n", wall ? "on a wall" : "two cylinders",
            rps_vec3_norm(across) / ds / length, both * along_of(2));
        ASSERT_NEAR(fabs(across.x) / ds, both * length * ACROSS, 1e-6 * both * length * ACROSS);
        ASSERT_NEAR(across.y, 0.0, 1e-6 * fabs(across.x));
        shift(world, top, rps_vec3_make(0.0, ds, 0.0), steps);
        c = contact_of(world, base, top, NULL);
        ASSERT_NEAR(fabs(c.slide_force[1]) / ds, length * along_of(wall ? 1 : 2), 1e-6 * length * along_of(1));
        ASSERT_NEAR(c.slide_force[0], across.x, 1e-6 * fabs(across.x));
        /* one cap: along (1, 1) far beyond it. The stiffnesses differ, and so does the direction of T */
        shift(world, top, rps_vec3_make(0.02, 0.02, 0.0), 2000);
        c = contact_of(world, base, top, NULL);
        const double t = rps_vec3_norm(as_vec(c.slide_force));
        ASSERT_NEAR(t / (MU * c.elastic_load[0]), 1.0, 1e-9);
        ASSERT_ABOVE(fabs(c.slide_force[1]), 0.5 * t);
        ASSERT_ABOVE(fabs(c.slide_force[0]), 0.5 * t);
        rps_world_destroy(world);
    }
}

/* A strip that leans by a small angle about its middle: the moment of its load is dN/ddelta l^3/12 times the angle. */
static void test_leaning_strip(void **state) {
    (void)state;
    const double length = 2.0, angle = 1e-6;
    rps_world *world = world_of_lines(1e-6, 3, 1.0);
    add_cylinder(world, zero, R, 4.0, true, zero);
    const uint64_t top =
        add_cylinder(world, rps_vec3_make(0.0, 0.0, 2.0 * R - DEPTH), R, length, false, rps_vec3_make(angle, 0.0, 0.0));
    start(world);
    const rps_load *load = &world->bodies.load[world->bodies.slot_of[top]];
    const double moment = -TANGENT * length * length * length / 12.0 * angle;
    SAY("a strip that leans by 1e-6: %.6g N m, expected %.6g\n", load->torque[0], moment);
    ASSERT_NEAR(load->force[2], length * LOAD, 1e-8 * length * LOAD);
    /* friction has not begun; ten digits of the load, a tilt of 1e-6 */
    ASSERT_NEAR(load->torque[0], moment, 1e-5 * fabs(moment));
    rps_world_destroy(world);
}

/* A cylinder that meets a wall aslant is a disk of a planar world as deep as it is long. */
static void test_impact_is_that_of_a_disk(void **state) {
    (void)state;
    const double radius = 0.035, length = 0.1, step = 1.7e-7;
    rps_vec3 v[2], w[2];
    for (int k = 0; k < 2; k++) {
        rps_world *world = world_of_lines(step, k ? 2 : 3, length);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        uint64_t ball;
        if (k) {
            rps_body_def def = rps_body_def_default();
            def.shape = "disk";
            def.radius = radius;
            def.position[2] = radius;
            MUST(rps_world_add_body(world, &def, &ball, ERR));
        } else {
            ball = add_cylinder(world, rps_vec3_make(0.0, 0.0, radius), radius, length, false, zero);
        }
        const size_t s = world->bodies.slot_of[ball];
        to_array(world->bodies.motion[s].velocity, rps_vec3_make(0.9, 0.0, -1.0));
        start(world);
        advance(world, 1100);
        v[k] = velocity_of(world, ball);
        w[k] = turning_of(world, ball);
        rps_world_destroy(world);
    }
    SAY("cylinder: v_x %.9g, v_z %.9g, w %.9g; disk: %.9g, %.9g, %.9g\n", v[0].x, v[0].z, w[0].y, v[1].x, v[1].z,
        w[1].y);
    ASSERT_ABOVE(v[0].z, 0.99);
    /* the way along the surface is an arc made from the curvature and not from the angle of the ball: 1e-6 */
    ASSERT_NEAR(v[0].x, v[1].x, 1e-6);
    ASSERT_NEAR(v[0].z, v[1].z, 1e-9);
    ASSERT_NEAR(w[0].y, w[1].y, 1e-6 / radius);
    ASSERT_NEAR(v[0].y, 0.0, 1e-8); /* its axis lies along y to 1e-16, and friction pulls */
}

static void refused(rps_world *world, const char *part, const char *also) {
    rps_error err = {0};
    rps_status status = rps_world_start(world, &err);
    if (status == RPS_OK) status = rps_world_step(world, 3, &err);
    if (status != RPS_BAD_INPUT) fail_msg("%s is not refused", part);
    if (!strstr(err.text, part) || !strstr(err.text, also)) fail_msg("%s", err.text);
    rps_world_destroy(world);
}

static void test_refused(void **state) {
    (void)state;
    rps_world *world = world_of_lines(1e-6, 3, 1.0); /* crossed */
    add_cylinder(world, zero, R, 3.0, true, zero);
    add_cylinder(world, rps_vec3_make(0.0, 0.0, 2.0 * R - 1e-3), R, 3.0, false, rps_vec3_make(0.0, 0.0, 0.02));
    refused(world, "lean by a sine of 0.02", "keep the cylinders parallel");
    world = world_of_lines(1e-6, 3, 1.0); /* on its end */
    add_ground(world, rps_vec3_make(0.0, 1.0, 0.0));
    add_cylinder(world, rps_vec3_make(0.0, 1.5 - 1e-3, 0.0), R, 3.0, false, zero);
    refused(world, "lean by a sine of 1,", "plane 0 and body 1");
    world = world_of_lines(1e-6, 3, 1.0); /* a ball */
    add_cylinder(world, zero, R, 3.0, true, zero);
    add_ball(world, rps_vec3_make(0.0, 0.0, 0.6), 0.1, 2700.0 * 4.0 / 3.0 * RPS_PI * 1e-3, zero, zero);
    refused(world, "(sphere)", "hertz or hooke");
    /* laws of points beside it, and the law of lines beside one of points */
    const char *const wrong[2] = {"stated for contacts at a point", "parallel cylinders"};
    for (int k = 0; k < 2; k++) {
        rps_pair pair = pair_of_lines();
        rps_error err = {0};
        world = world_of_lines(1e-6, 3, 1.0);
        if (k == 0) use(&pair, RPS_ROLE_SLIDE, "mindlin", "friction", MU, NULL);
        if (k == 1) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
        assert_int_equal(rps_world_set_pair(world, 0, 0, &pair, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, wrong[k])) fail_msg("%s", err.text);
        rps_world_destroy(world);
    }
    /* apart they may lean as they like */
    world = world_of_lines(1e-6, 3, 1.0);
    add_cylinder(world, zero, R, 3.0, true, zero);
    add_cylinder(world, rps_vec3_make(0.0, 0.0, 2.0 * R + 1e-3), R, 3.0, false, rps_vec3_make(0.0, 0.0, 0.7));
    start(world);
    advance(world, 3);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_leaning_strip),
        cmocka_unit_test(test_impact_is_that_of_a_disk),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
