/*
 * Questions about places against brute force: every body asked one by one, shapes by their inside function on a fine
 * walk along the ray, distances by the support function over many directions.
 */
#include "worlds.h"

#include "shape/shape.h"
#include "world/world.h"

enum { BODIES = 60 };

static void any_orientation(uint64_t n, double q[4]) {
    for (int k = 0; k < 4; k++) q[k] = uniform(20 + (uint64_t)k, n, -1.0, 1.0);
}

/* Bodies of every shape and of several pieces, all over a box of 1 m. */
static rps_world *mixed_world(double period) {
    rps_world_options options = options_of(1e-5);
    options.period[0] = options.period[1] = period;
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    for (uint64_t n = 0; n < BODIES; n++) {
        const double s = uniform(1, n, 0.03, 0.06);
        rps_piece_def piece[2] = {rps_piece_of(rps_body_box(s, s, s, 0.0)), rps_piece_of(rps_body_sphere(0.6 * s))};
        piece[1].position[0] = s;
        rps_body_def def = n % 7 == 0   ? rps_body_sphere(s)
                           : n % 7 == 1 ? rps_body_ellipsoid(s, 0.7 * s, 1.2 * s)
                           : n % 7 == 2 ? rps_body_superquadric(s, s, 0.6 * s, 4.0, 3.0)
                           : n % 7 == 3 ? rps_body_cylinder(0.7 * s, 1.5 * s)
                           : n % 7 == 4 ? rps_body_capsule(0.6 * s, s)
                           : n % 7 == 5 ? rps_body_box(s, 1.5 * s, 2.0 * s, n % 2 ? 0.0 : 0.1 * s)
                                        : rps_body_def_default();
        if (n % 7 == 6) {
            def.piece = piece;
            def.pieces = 2;
        }
        def.mass = 1.0;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
        for (int k = 0; k < 3; k++) def.position[k] = uniform(2 + (uint64_t)k, n, 0.0, 1.0);
        any_orientation(n, def.orientation);
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

/* Value of the inside function of a piece at a point from the body's center. */
static const rps_shape *piece_of(const rps_world *world, size_t slot, int32_t k, rps_vec3 x, const double **parameter,
                                 rps_vec3 *in_shape) {
    const double *o = world->bodies.orientation[slot];
    rps_vec3 at = rps_quat_rotate_inverse((rps_quat){o[0], o[1], o[2], o[3]}, x);
    if (world->bodies.piece[slot][0] < 0) {
        *parameter = world->bodies.pose[slot].radius;
        *in_shape = at;
        return rps_shape_at(world->bodies.shape[slot][0]);
    }
    const rps_piece *piece = &world->piece[world->bodies.piece[slot][0] + k];
    const double *q = piece->orientation;
    at = rps_quat_rotate_inverse((rps_quat){q[0], q[1], q[2], q[3]}, rps_vec3_sub(at, rps_vec3_of(piece->offset)));
    *parameter = piece->parameter;
    *in_shape = at;
    return rps_shape_at((int)piece->shape);
}

static double value_at(const rps_world *world, size_t slot, rps_vec3 x) {
    const int32_t pieces = world->bodies.pieces[slot][0];
    double least = INFINITY;
    for (int32_t k = 0; k < (pieces ? pieces : 1); k++) {
        const double *parameter;
        rps_vec3 at;
        const rps_shape *shape = piece_of(world, slot, k, x, &parameter, &at);
        least = fmin(least, shape->value(parameter, at));
    }
    return least;
}

/* x less the center of the image of a body with these numbers of periods. */
static rps_vec3 from_image(const rps_world *world, size_t slot, rps_vec3 x, int a, int b) {
    const double *c = world->bodies.pose[slot].position, *period = world->options.period;
    return rps_vec3_make(x.x - c[0] - a * period[0], x.y - c[1] - b * period[1], x.z - c[2]);
}

static int images(double period) {
    return period > 0.0 ? 2 : 0;
}

static void test_rays(void **state) {
    (void)state;
    enum { RAYS = 100, STEPS = 1500 };
    for (int p = 0; p < 2; p++) {
        const double period = p ? 1.0 : 0.0, length = 1.2;
        rps_world *world = mixed_world(period);
        int hits = 0;
        for (uint64_t n = 0; n < RAYS; n++) {
            const rps_vec3 d = random_direction(7, n);
            double origin[3], direction[3] = {3.0 * d.x, 3.0 * d.y, 3.0 * d.z};
            for (int k = 0; k < 3; k++) origin[k] = uniform(8 + (uint64_t)k, n, 0.0, 1.0);
            rps_hit hit;
            bool found;
            MUST(rps_world_cast_ray(world, origin, direction, length, &hit, &found, ERR));
            hits += found;
            double first = INFINITY; /* where some body begins, of those that do not hold the origin */
            for (size_t s = 0; s < world->bodies.count; s++) {
                const int32_t pieces = world->bodies.pieces[s][0];
                for (int a = -images(period); a <= images(period); a++) {
                    for (int b = -images(period); b <= images(period); b++) {
                        for (int32_t k = 0; k < (pieces ? pieces : 1); k++) {
                            const rps_vec3 from = from_image(world, s, rps_vec3_of(origin), a, b);
                            if (rps_vec3_norm(from) > length + 0.2) continue;
                            const double *parameter;
                            rps_vec3 at;
                            const rps_shape *shape = piece_of(world, s, k, from, &parameter, &at);
                            if (shape->value(parameter, at) < 0.0) continue;
                            for (int i = 1; i <= STEPS; i++) {
                                const double t = length * i / STEPS;
                                if (t >= first) break;
                                piece_of(world, s, k, rps_vec3_add_scaled(from, t, d), &parameter, &at);
                                if (shape->value(parameter, at) < 0.0) first = t;
                            }
                        }
                    }
                }
            }
            if (!found) { /* a corner thinner than a step of the walk may be missed by it, not by the ray */
                assert_true(first == INFINITY);
                continue;
            }
            ASSERT_BELOW(hit.distance, first);
            const size_t s = rps_world_slot(world, hit.id);
            const double x[3] = {hit.point[0], hit.point[1], hit.point[2]};
            double on = INFINITY;
            for (int a = -images(period); a <= images(period); a++) {
                for (int b = -images(period); b <= images(period); b++) {
                    const double v = value_at(world, s, from_image(world, s, rps_vec3_of(x), a, b));
                    if (fabs(v) < fabs(on)) on = v;
                }
            }
            /* 1e-9 of the size; the value of an ellipsoid is a pure number, and steep as 1/size. A piece may lie in another. */
            if (world->bodies.pieces[s][0] < 2) ASSERT_BELOW(fabs(on), 1e-7);
            ASSERT_NEAR(rps_vec3_norm(rps_vec3_of(hit.normal)), 1.0, 1e-12);
            ASSERT_BELOW(rps_vec3_dot(rps_vec3_of(hit.normal), d), 1e-6);
        }
        ASSERT_ABOVE(hits, RAYS / 10);
        rps_world_destroy(world);
    }
}

/* Distance from below: no support plane of the piece is farther from the point than the nearest surface. */
static double separation(const rps_world *world, size_t slot, int32_t piece, rps_vec3 x) {
    const double *parameter;
    rps_vec3 at;
    const rps_shape *shape = piece_of(world, slot, piece, x, &parameter, &at);
    double most = -INFINITY;
    rps_vec3 best = rps_vec3_make(0, 0, 1);
    for (uint64_t n = 0; n < 3000; n++) { /* random directions, then ever nearer to the best */
        const double width = n < 600 ? 0.0 : 1.0 / (1.0 + 0.02 * (double)(n - 600) * (double)(n - 600) / 100.0);
        const rps_vec3 r = random_direction(31, n);
        const rps_vec3 d = n < 600 ? r : rps_vec3_normalize(rps_vec3_add_scaled(best, width, r));
        const double one = rps_vec3_dot(d, rps_vec3_sub(at, shape->support(parameter, d)));
        if (one > most) {
            most = one;
            best = d;
        }
    }
    return most;
}

static void test_nearest(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const double period = p ? 1.0 : 0.0;
        rps_world *world = mixed_world(period);
        int inside = 0;
        for (uint64_t n = 0; n < 60; n++) {
            double x[3];
            for (int k = 0; k < 3; k++) x[k] = uniform(40 + (uint64_t)k, n, 0.0, 1.0);
            rps_hit hit;
            bool found;
            MUST(rps_world_nearest_body(world, x, &hit, &found, ERR));
            assert_true(found);
            double least = INFINITY;
            for (size_t s = 0; s < world->bodies.count; s++) {
                const int32_t pieces = world->bodies.pieces[s][0];
                for (int a = -(p > 0); a <= (p > 0); a++) {
                    for (int b = -(p > 0); b <= (p > 0); b++) {
                        const rps_vec3 from = from_image(world, s, rps_vec3_of(x), a, b);
                        if (rps_vec3_norm(from) - world->bodies.pose[s].radius[0] > hit.distance) continue;
                        for (int32_t k = 0; k < (pieces ? pieces : 1); k++) {
                            least = fmin(least, separation(world, s, k, from));
                        }
                    }
                }
            }
            /* the search by chance comes near from below: 1e-3 of a size of 0.05 */
            ASSERT_NEAR(hit.distance, least, 2e-4);
            ASSERT_ABOVE(hit.distance, least - 1e-9);
            inside += hit.distance < 0.0;
            for (int k = 0; k < 3; k++) ASSERT_NEAR(hit.point[k] + hit.distance * hit.normal[k], x[k], 1e-12);
        }
        ASSERT_ABOVE(inside, 0);
        rps_world_destroy(world);
    }
}

static void test_regions(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const double period = p ? 1.0 : 0.0;
        rps_world *world = mixed_world(period);
        add_ground(world, rps_vec3_make(0, 0, 1));
        const uint64_t gone[1] = {5};
        MUST(rps_world_remove_bodies(world, gone, 1, ERR));
        for (uint64_t n = 0; n < 200; n++) {
            double low[3], high[3], center[3];
            const double radius = uniform(59, n, 0.0, 0.45);
            for (int k = 0; k < 3; k++) {
                low[k] = uniform(50 + (uint64_t)k, n, -1.5, 0.9);
                high[k] = low[k] + uniform(53 + (uint64_t)k, n, 0.1, 1.2);
                center[k] = uniform(56 + (uint64_t)k, n, -0.5, 1.5);
            }
            uint64_t id[2][BODIES];
            size_t count[2], expected[2] = {0, 0};
            MUST(rps_world_bodies_in_box(world, low, high, id[0], BODIES, &count[0], ERR));
            MUST(rps_world_bodies_in_sphere(world, center, radius, id[1], BODIES, &count[1], ERR));
            for (uint64_t one = 0; one < BODIES; one++) {
                if (!rps_world_has_body(world, one)) continue;
                const double *x = world->bodies.pose[rps_world_slot(world, one)].position;
                bool in_box = false, in_sphere = false;
                for (int a = -4; a <= 4; a++) {
                    for (int b = -4; b <= 4; b++) {
                        const double y[3] = {x[0] + a * period, x[1] + b * period, x[2]};
                        bool all = true;
                        double d2 = 0.0;
                        for (int k = 0; k < 3; k++) {
                            all = all && low[k] <= y[k] && y[k] < high[k];
                            d2 += (y[k] - center[k]) * (y[k] - center[k]);
                        }
                        in_box = in_box || all;
                        in_sphere = in_sphere || d2 <= radius * radius;
                    }
                }
                if (in_box) assert_int_equal(id[0][expected[0]], one);
                if (in_sphere) assert_int_equal(id[1][expected[1]], one);
                expected[0] += in_box;
                expected[1] += in_sphere;
            }
            assert_int_equal(count[0], expected[0]);
            assert_int_equal(count[1], expected[1]);
        }
        rps_world_destroy(world);
    }
}

/* Closed forms: a ball, a plane, a disk. */
static void test_simple_bodies(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-5);
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    const double down[3] = {0, 0, -2}, up[3] = {0, 0, 1}, above[3] = {0.3, 0.0, 2.0}, center[3] = {0, 0, 1};
    rps_hit hit;
    bool found = true;
    MUST(rps_world_nearest_body(world, above, &hit, &found, ERR));
    assert_false(found);
    const uint64_t ground = add_ground(world, rps_vec3_make(0, 0, 1));
    const uint64_t ball = add_ball(world, rps_vec3_make(0, 0, 1), 0.5, 1.0, rps_vec3_zero(), rps_vec3_zero());
    MUST(rps_world_cast_ray(world, above, down, 10.0, &hit, &found, ERR));
    assert_true(found && hit.id == ball);
    ASSERT_NEAR(hit.distance, 2.0 - 1.4, 1e-15);
    ASSERT_NEAR(hit.normal[0], 0.6, 1e-15);
    MUST(rps_world_cast_ray(world, center, down, 10.0, &hit, &found, ERR)); /* begins inside the ball */
    assert_true(found && hit.id == ground);
    ASSERT_NEAR(hit.distance, 1.0, 0.0);
    MUST(rps_world_cast_ray(world, center, down, 0.9, &hit, &found, ERR));
    assert_false(found);
    MUST(rps_world_cast_ray(world, above, up, 10.0, &hit, &found, ERR));
    assert_false(found);
    MUST(rps_world_nearest_body(world, center, &hit, &found, ERR));
    assert_true(found && hit.id == ball && hit.distance == -0.5);
    const double low[3] = {0.9, 0.9, 0.2};
    MUST(rps_world_nearest_body(world, low, &hit, &found, ERR));
    assert_true(found && hit.id == ground);
    ASSERT_NEAR(hit.distance, 0.2, 0.0);
    rps_error err;
    const double zero[3] = {0}, bad[3] = {0, NAN, 0};
    size_t count;
    assert_int_equal(rps_world_cast_ray(world, center, zero, 1.0, &hit, &found, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_cast_ray(world, center, down, INFINITY, &hit, &found, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_nearest_body(world, bad, &hit, &found, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_bodies_in_box(world, center, center, NULL, 0, &count, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_bodies_in_sphere(world, center, -1.0, NULL, 0, &count, &err), RPS_BAD_INPUT);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_simple_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
