/*
 * Loads on the triangles of meshes, and the work and wear of any body: closed forms, and the sum over the triangles as the force on
 * the body.
 */
#include "meshes.h"

#include <unistd.h>

#include "world/world.h"

#define R 0.01
#define MASS 0.1

static double area_of(const sheet *s, size_t t) {
    rps_vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = as_vec(s->point[s->triangle[t][k]]);
    return 0.5 * rps_vec3_norm(rps_vec3_cross(rps_vec3_sub(p[1], p[0]), rps_vec3_sub(p[2], p[0])));
}

/* The values of a triangle of the only mesh. */
static rps_triangle_values values_at(const rps_world *world, size_t triangle) {
    const rps_mesh *m = &world->mesh[0].mesh;
    rps_vec3 p[3];
    rps_triangle_values out;
    for (int k = 0; k < 3; k++) p[k] = as_vec(m->point[m->triangle[triangle][k]]);
    const double area = 0.5 * rps_vec3_norm(rps_vec3_cross(rps_vec3_sub(p[1], p[0]), rps_vec3_sub(p[2], p[0])));
    rps_triangle_values_of(&world->loads, triangle, area, &out);
    return out;
}

/* The triangle of the mesh with this area, as there may be only one. */
static size_t triangle_with(const rps_world *world, double area) {
    const rps_mesh *m = &world->mesh[0].mesh;
    for (size_t t = 0; t < m->triangles; t++) {
        const rps_vec3 a = as_vec(m->point[m->triangle[t][0]]);
        const rps_vec3 cross = rps_vec3_cross(rps_vec3_sub(as_vec(m->point[m->triangle[t][1]]), a),
                                              rps_vec3_sub(as_vec(m->point[m->triangle[t][2]]), a));
        if (fabs(0.5 * rps_vec3_norm(cross) - area) < 1e-9 * area) return t;
    }
    fail_msg("no triangle has %g m^2", area);
    return 0;
}

static rps_pair worn_pair(double mu) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu, "kinetic", mu, "stiffness", 5e4, NULL);
    pair.wear = 1e-13;
    return pair;
}

static void add_grain(rps_world *world, bool blunt, rps_vec3 x, rps_vec3 v, rps_vec3 w) {
    rps_body_def def = rps_body_def_default();
    def.shape = blunt ? "superquadric" : "ellipsoid";
    for (int k = 0; k < 3; k++) def.parameter[k] = R * (1.3 - 0.3 * k);
    for (int k = 3; k < 5 && blunt; k++) def.parameter[k] = k;
    def.mass = MASS;
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static rps_world *world_under(double gravity, double step, const rps_pair *pair) {
    rps_world_options options = options_of(step);
    options.gravity[2] = -gravity;
    return world_of(&options, pair);
}

/* Of all triangles: the sum of the mean forces. */
static rps_vec3 sum_of(const rps_world *world, double *size) {
    rps_vec3 sum = rps_vec3_zero();
    *size = 0.0;
    for (size_t t = 0; t < world->loads.triangles; t++) {
        const rps_triangle_values v = values_at(world, t);
        sum = rps_vec3_add(sum, rps_vec3_add(as_vec(v.normal_force), as_vec(v.tangential_force)));
        *size += rps_vec3_norm(as_vec(v.normal_force)) + rps_vec3_norm(as_vec(v.tangential_force));
    }
    return sum;
}

/* Row 24 of the statement: 1 N inside the first of two coplanar triangles of 1 and 3 cm2, in both steppers. */
static void check_two_triangles(rps_stepper stepper) {
    const rps_pair pair = worn_pair(0.5);
    const double step = stepper == RPS_PENALTY ? 1e-5 : 1e-3;
    rps_world_options options = options_of(step);
    options.gravity[2] = -10.0;
    options.stepper = stepper;
    rps_world *world = world_of(&options, &pair);
    sheet s = sheet_new();
    const uint32_t a = sheet_point(&s, 0, 0, 0), b = sheet_point(&s, 0.02, 0, 0), c = sheet_point(&s, 0, 0.01, 0);
    const uint32_t d = sheet_point(&s, -0.06, 0, 0);
    sheet_triangle(&s, a, b, c);
    sheet_triangle(&s, a, c, d);
    ASSERT_NEAR(area_of(&s, 0), 1e-4, 1e-18);
    const uint64_t floor = add_sheet(world, &s, RPS_SIDE_BOTH);
    MUST(rps_world_want_loads(world, floor, true, ERR));
    add_ball(world, rps_vec3_make(0.005, 0.003, R), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    advance(world, (uint64_t)(0.6 / step));
    rps_surface_loads_restart(&world->loads);
    advance(world, (uint64_t)(0.05 / step + 0.5));
    const rps_triangle_values on = values_at(world, triangle_with(world, 1e-4)),
                              off = values_at(world, triangle_with(world, 3e-4));
    ASSERT_NEAR(world->loads.time.high, 0.05, 1e-15);
    /* what is left of the fall after 0.6 s; the solver stops at 1e-7 */
    const double left = stepper == RPS_PENALTY ? 1e-10 : 1e-6;
    ASSERT_NEAR(on.pressure, 1e4, 1e4 * left);
    ASSERT_NEAR(on.largest_pressure, 1e4, 1e5 * left);
    ASSERT_NEAR(on.normal_force[2], -1.0, left);
    assert_true(off.pressure == 0.0 && off.largest_pressure == 0.0 && off.normal_force[2] == 0.0);
    assert_true(on.sliding_work == 0.0 && on.wear_depth == 0.0);
    rps_world_destroy(world);
    sheet_free(&s);
}

static void test_two_triangles(void **state) {
    (void)state;
    check_two_triangles(RPS_PENALTY);
    check_two_triangles(RPS_NONSMOOTH);
}

/* In a shallow fold both faces carry the same, and together the weight (P7). The joint takes its part from both. Without friction,
 * whose memory of the fall may lean to one side. */
static void check_fold(bool ellipsoid) {
    rps_pair pair = worn_pair(0.5);
    MUST(rps_pair_law(&pair, RPS_ROLE_SLIDE, "none", ERR));
    rps_world *world = world_under(9.81, 1e-5, &pair);
    sheet s = sheet_new();
    const double slope = tan(2.0 * RPS_PI / 180.0); /* of 2 degrees on either side */
    const double path[3][2] = {{-0.1, 0.1 * slope}, {0.0, 0.0}, {0.1, 0.1 * slope}};
    sheet_extrude(&s, path, 3, 0.1);
    const uint64_t floor = add_sheet(world, &s, RPS_SIDE_BOTH);
    MUST(rps_world_want_loads(world, floor, true, ERR));
    const rps_vec3 x = rps_vec3_make(0.0, 0.013, ellipsoid ? 0.7 * R : R);
    if (ellipsoid) add_grain(world, false, x, rps_vec3_zero(), rps_vec3_zero());
    if (!ellipsoid) add_ball(world, x, R, MASS, rps_vec3_zero(), rps_vec3_zero());
    advance(world, 60000);
    rps_surface_loads_restart(&world->loads);
    advance(world, 1000);
    double left = 0.0, right = 0.0, size;
    for (size_t t = 0; t < world->loads.triangles; t++) {
        const rps_triangle_values v = values_at(world, t);
        *(v.normal_force[0] > 0.0 ? &right : &left) += v.normal_force[2];
    }
    ASSERT_NEAR(left, right, 1e-12);
    ASSERT_NEAR(left, -0.5 * MASS * 9.81, 1e-6); /* what is left of the fall */
    const rps_vec3 sum = sum_of(world, &size);
    ASSERT_NEAR(sum.z, left + right, 1e-14);
    ASSERT_NEAR(sum.x, 0.0, 1e-12);
    rps_world_destroy(world);
    sheet_free(&s);
}

static void test_fold(void **state) {
    (void)state;
    check_fold(false);
    check_fold(true);
}

/* Balls, ellipsoids and superquadrics slide and roll over a rough surface: after every step the sum over the triangles is the force on the body, and the work of
 * sliding is that of the ledger. */
static void test_sums(void **state) {
    (void)state;
    enum { SIDE = 24 };
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    pair.wear = 2e-13;
    rps_world *world = world_under(9.81, 2e-5, &pair);
    sheet s = sheet_new();
    for (uint64_t k = 0; k < (SIDE + 1) * (SIDE + 1); k++) {
        const double x = 0.016 * ((double)(k % (SIDE + 1)) - SIDE / 2),
                     y = 0.016 * ((double)(k / (SIDE + 1)) - SIDE / 2);
        sheet_point(&s, x, y, uniform(1, k, -0.002, 0.002));
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        const uint32_t a = k / SIDE * (SIDE + 1) + k % SIDE;
        sheet_quad(&s, a, a + 1, a + SIDE + 2, a + SIDE + 1);
    }
    const uint64_t floor = add_sheet(world, &s, RPS_SIDE_BOTH);
    MUST(rps_world_want_loads(world, floor, true, ERR));
    MUST(rps_world_want_loads(world, RPS_LOADED_WORLD, false, ERR));
    for (uint64_t n = 0; n < 16; n++) { /* apart, so that all contacts are with the floor */
        const rps_vec3 x = rps_vec3_make(0.08 * (double)(n % 4) - 0.12, 0.08 * (double)(n / 4) - 0.12, 1.3 * R);
        const rps_vec3 v = rps_vec3_make(uniform(6, n, -0.3, 0.3), uniform(7, n, -0.3, 0.3), -0.3);
        if (n % 2 == 0) add_ball(world, x, R, MASS, v, rps_vec3_scale(random_vec(9, n), 30.0));
        if (n % 2 == 1) add_grain(world, n % 4 == 3, x, v, rps_vec3_scale(random_vec(9, n), 30.0));
    }
    size_t loaded = 0;
    for (int n = 0; n < 3000; n++) {
        double force[3], torque[3], size;
        rps_surface_loads_restart(&world->loads);
        advance(world, 1);
        MUST(rps_world_body_load(world, floor, force, torque, ERR));
        const rps_vec3 sum = sum_of(world, &size);
        /* a few roundings of each part */
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(sum, as_vec(force))), 1e-14 * size);
        loaded += size > 0.0;
    }
    SAY("%d of 3000 steps with loads\n", (int)loaded);
    assert_true(loaded > 300);
    const rps_loaded_body *body = rps_world_loaded_body(world, floor);
    const rps_ledger ledger = ledger_of(world);
    double work = 0.0, wear = 0.0;
    for (size_t t = 0; t < world->loads.triangles; t++) {
        work += world->loads.triangle[t].work.high;
        wear += world->loads.triangle[t].wear.high;
    }
    assert_true(work > 0.0);
    /* where contacts join or part the ledger books the last half step apart (step/mesh_handover.h) */
    const double apart = rps_exact_sum_value(&world->change[RPS_CHANGE_DISSIPATED + rps_role_account(RPS_ROLE_SLIDE)]);
    ASSERT_BELOW(fabs(apart), 2e-4 * work);
    ASSERT_NEAR(body->work.high, ledger.dissipated[RPS_ROLE_SLIDE] - apart, 1e-13 * work);
    ASSERT_NEAR(work, body->work.high, 1e-13 * work);
    ASSERT_NEAR(wear, body->wear.high, 1e-13 * wear);
    const rps_loaded_body *all = rps_world_loaded_body(world, RPS_LOADED_WORLD);
    ASSERT_NEAR(all->wear.high, wear, 1e-13 * wear);
    ASSERT_NEAR(all->work.high, work, 1e-13 * work);
    /* all of it is from slip but the dampers of stick, and the springs that are lost as grains bounce: k W/mu is more */
    ASSERT_BELOW(wear, 2e-13 * work / 0.4);
    ASSERT_ABOVE(wear, 0.3 * 2e-13 * work / 0.5);
    rps_world_destroy(world);
    sheet_free(&s);
}

/* Grains among each other: the world counts each contact once, each of its bodies too; the same with other slots and threads,
 * and after a restart. */
static void test_world(void **state) {
    (void)state;
    enum { GRAINS = 27 };
    double wear[3];
    char path[64];
    snprintf(path, sizeof path, "/tmp/repose_wear_%ld.checkpoint", (long)getpid());
    for (int n = 0; n < 3; n++) {
        rps_world_options options = options_of(2e-5);
        options.threads = n == 1 ? 2 : 1;
        options.shuffle = n == 1 ? 5 : 0;
        rps_pair pair = tracked_pair();
        pair.wear = 2e-13;
        rps_world *world = world_of(&options, &pair);
        for (uint64_t k = 0; k < GRAINS; k++) {
            const rps_vec3 x =
                rps_vec3_scale(rps_vec3_make((double)(k % 3), (double)(k / 3 % 3), (double)(k / 9)), 2.1 * R);
            const rps_vec3 v = rps_vec3_scale(rps_vec3_sub(rps_vec3_make(2.1 * R, 2.1 * R, 2.1 * R), x), 20.0);
            add_ball(world, x, R, MASS, v, rps_vec3_scale(random_vec(9, k), 100.0));
        }
        MUST(rps_world_want_loads(world, RPS_LOADED_WORLD, false, ERR));
        for (uint64_t k = 0; k < GRAINS; k++) MUST(rps_world_want_loads(world, k, false, ERR));
        if (n == 2) {
            MUST(rps_world_restore(world, path, ERR));
            advance(world, 500);
        } else {
            advance(world, 500);
            if (n == 0) MUST(rps_world_save(world, path, ERR));
            advance(world, 500);
        }
        double sum = 0.0;
        for (uint64_t k = 0; k < GRAINS; k++) sum += rps_world_loaded_body(world, k)->wear.high;
        wear[n] = rps_world_loaded_body(world, RPS_LOADED_WORLD)->wear.high;
        assert_true(wear[n] > 0.0);
        ASSERT_NEAR(sum, 2.0 * wear[n], 1e-14 * sum);
        assert_true(wear[n] == wear[0]);
        rps_world_destroy(world);
    }
    unlink(path);
}

/* Row 23: 2 N over 0.5 m on 4 cm2 with K 1e-4 and H 1 GPa wear 1e-13 m^3, 2.5e-10 m. A ball that may not turn is thrown so that
 * friction stops it there; on a mesh, on a plane, and on a rectangle without thickness. */
static void test_archard(void **state) {
    (void)state;
    const double mu = 0.05, weight = 2.0, way = 0.5, length = 0.8, width = 4e-4 / length;
    for (int kind = 0; kind < 3; kind++) {
        const rps_pair pair = worn_pair(mu);
        rps_world *world = world_under(10.0, 1e-5, &pair);
        sheet s = sheet_new();
        uint64_t floor;
        sheet_quad(&s, sheet_point(&s, -0.1, -0.5 * width, 0), sheet_point(&s, length - 0.1, -0.5 * width, 0),
                   sheet_point(&s, length - 0.1, 0.5 * width, 0), sheet_point(&s, -0.1, 0.5 * width, 0));
        if (kind == 0) floor = add_sheet(world, &s, RPS_SIDE_BOTH);
        if (kind == 1) floor = add_ground(world, rps_vec3_make(0, 0, 1));
        if (kind == 2) {
            rps_body_def def = rps_body_def_default();
            def.shape = "rectangle";
            def.kind = RPS_BODY_FIXED;
            def.parameter[0] = 2.0;
            def.parameter[1] = 1.0;
            MUST(rps_world_add_body(world, &def, &floor, ERR));
        }
        MUST(rps_world_want_loads(world, floor, kind == 0, ERR));
        rps_body_def def = rps_body_def_default();
        def.radius = R;
        def.mass = 0.1 * weight;
        def.locked = 1;
        def.position[2] = R - 1e-9;
        def.velocity[0] = sqrt(2.0 * mu * 10.0 * way);
        uint64_t ball;
        MUST(rps_world_add_body(world, &def, &ball, ERR));
        MUST(rps_world_want_loads(world, ball, false, ERR));
        advance(world, 150000); /* it stops after sqrt(2) s */
        const rps_loaded_body *body = rps_world_loaded_body(world, floor), *other = rps_world_loaded_body(world, ball);
        /* the elastic slip mu N/K_E of 2e-6 m, twice, and the first contacts of the fall */
        ASSERT_NEAR(body->wear.high, 1e-13, 1e-13 * 2e-5);
        assert_true(other->wear.high == body->wear.high && other->work.high == body->work.high);
        ASSERT_NEAR(body->work.high, mu * weight * way, mu * weight * way * 2e-5);
        if (kind == 0) {
            double depth = 0.0;
            for (size_t t = 0; t < 2; t++) depth += 0.5 * values_at(world, t).wear_depth;
            ASSERT_NEAR(depth, 2.5e-10, 2.5e-10 * 2e-5);
        }
        rps_world_destroy(world);
        sheet_free(&s);
    }
}

/* A plate is pressed upon a layer of equal balls, one below every other triangle: the pressure is the same on all of these. */
static void test_uniform(void **state) {
    (void)state;
    enum { SIDE = 6 };
    const double cell = 3.0 * R, down = 1e-5, area = 0.5 * cell * cell;
    const rps_pair pair = worn_pair(0.3);
    rps_world *world = world_under(0.0, 1e-5, &pair);
    sheet s = sheet_new();
    add_ground(world, rps_vec3_make(0, 0, 1));
    for (int k = 0; k < (SIDE + 1) * (SIDE + 1); k++) {
        sheet_point(&s, cell * (k % (SIDE + 1)), cell * (k / (SIDE + 1)), 2.0 * R - down);
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        const uint32_t a = k / SIDE * (SIDE + 1) + k % SIDE;
        sheet_quad(&s, a, a + 1, a + SIDE + 2, a + SIDE + 1);
        add_ball(world, rps_vec3_make(cell * (k % SIDE + 0.7), cell * (k / SIDE + 0.3), R - 0.5 * down), R, MASS,
                 rps_vec3_zero(), rps_vec3_zero());
    }
    const uint64_t plate = add_sheet(world, &s, RPS_SIDE_BOTH);
    MUST(rps_world_want_loads(world, plate, true, ERR));
    advance(world, 100);
    double force[3], torque[3];
    size_t pressed = 0;
    MUST(rps_world_body_load(world, plate, force, torque, ERR));
    for (size_t t = 0; t < world->loads.triangles; t++) {
        const rps_triangle_values v = values_at(world, t);
        pressed += v.pressure > 0.0;
        if (v.pressure > 0.0) {
            ASSERT_NEAR(v.pressure * area * SIDE * SIDE, force[2], 1e-9 * force[2]); /* roundings of the overlap */
            ASSERT_NEAR(v.largest_pressure, v.pressure, 1e-9 * v.pressure);
        }
    }
    assert_int_equal(pressed, SIDE * SIDE);
    rps_world_destroy(world);
    sheet_free(&s);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-5);
    const rps_pair pair = worn_pair(0.3);
    rps_error err;
    rps_world *world = world_of(&options, &pair);
    const uint64_t ground = add_ground(world, rps_vec3_make(0, 0, 1));
    assert_int_equal(rps_world_want_loads(world, ground, true, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "no triangles"));
    assert_int_equal(world->loads.bodies, 0);
    assert_int_equal(rps_world_want_loads(world, 17, false, &err), RPS_BAD_INPUT);
    MUST(rps_world_want_loads(world, ground, false, ERR));
    MUST(rps_world_want_loads(world, ground, false, ERR));
    assert_int_equal(world->loads.bodies, 1);
    rps_pair bad = pair;
    bad.wear = -1.0;
    assert_int_equal(rps_world_set_pair(world, 0, 0, &bad, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "wear"));
    rps_world_destroy(world);
    options.ledger = 0;
    world = world_of(&options, &pair);
    const uint64_t other = add_ground(world, rps_vec3_make(0, 0, 1));
    assert_int_equal(rps_world_want_loads(world, other, false, &err), RPS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "ledger: true"));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_triangles), cmocka_unit_test(test_fold),    cmocka_unit_test(test_sums),
        cmocka_unit_test(test_world),         cmocka_unit_test(test_archard), cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
