/* The part of a body inside a box: closed forms, additivity, and a count of points for shapes without a closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/elementary.h"
#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void assert_near(double value, double expected, double tolerance, const char *what) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s: %.17g, expected %.17g within %g", what, value, expected, tolerance);
    }
}

static double ball(double lx, double hx, double ly, double hy, double lz, double hz) {
    return rps_sphere_inside(1.0, (const double[]){lx, ly, lz}, (const double[]){hx, hy, hz});
}

static const double INF = INFINITY;
/* of the volume or area of the whole: up to eight corners, each with a dozen roundings of terms of at most 2 pi */
#define ROUND 2e-14

static void spheres_in_closed_form(void **state) {
    const double whole = 4.0 / 3.0 * RPS_PI;
    (void)state;
    assert_true(ball(-1, 1, -1, 1, -1, 1) == whole);
    assert_true(ball(-INF, INF, -INF, INF, -INF, INF) == whole);
    assert_near(ball(0, 9, -9, 9, -9, 9), whole / 2, ROUND, "half");
    assert_near(ball(0, 9, 0, 9, -9, 9), whole / 4, ROUND, "edge through the center");
    assert_near(ball(-9, 0, 0, 9, -9, 0), whole / 8, ROUND, "corner in the center");
    assert_near(ball(-9, 9, 0.5, 9, -9, 9), RPS_PI * 0.25 * 2.5 / 3, ROUND, "cap");
    assert_near(ball(-9, 9, -9, 9, -0.1, 0.2), RPS_PI * (0.3 - (0.008 + 0.001) / 3), ROUND, "slice");
    /* a box inside; one whose corners lie on the sphere */
    assert_near(ball(-0.5, 0.3, -0.2, 0.4, 0.1, 0.6), 0.8 * 0.6 * 0.5, ROUND, "box inside");
    const double h = sqrt(1.0 / 3.0);
    assert_near(ball(-h, h, -h, h, -h, h), 8 * h * h * h, ROUND, "cube inscribed");
    /* two caps of 45 degrees that touch along an edge on the sphere, and what is left of the ball: all caps are apart */
    const double e = sqrt(0.5), cap = RPS_PI / 3 * (1 - e) * (1 - e) * (2 + e);
    assert_near(ball(-e, e, -e, e, -e, e), whole - 6 * cap, ROUND, "cube whose edges touch");
    assert_near(ball(e, 9, e, 9, -9, 9), 0.0, ROUND, "edge that touches");
    assert_true(ball(h + 1e-15, 9, h, 9, h, 9) >= 0.0);
    assert_true(ball(1, 9, -9, 9, -9, 9) == 0.0 && ball(-9, 9, -9, 9, -9, -1.5) == 0.0);
    /* the radius scales all lengths */
    const double low[3] = {-2e-3, 1e-3, -9}, high[3] = {9, 4e-3, 2e-3};
    assert_near(rps_sphere_inside(5e-3, low, high) / 125e-9, ball(-0.4, 9, 0.2, 0.8, -9, 0.4), ROUND, "scaled");
}

static void disks_in_closed_form(void **state) {
    const double low[3] = {0.5, 7, -9}, high[3] = {9, 7, 9}, corner[3] = {0, 0, 0}, all[3] = {-1, 0, -1};
    const double cap = RPS_PI / 3 - sqrt(3.0) / 4; /* beyond half of the radius */
    (void)state;
    assert_true(rps_disk_inside(1.0, all, high) == RPS_PI);
    assert_near(rps_disk_inside(1.0, low, high), cap, ROUND, "segment");
    assert_near(rps_disk_inside(2.0, corner, high), RPS_PI, ROUND, "quarter of radius 2");
    /* the square whose sides cut off four such segments */
    const double a[3] = {-0.5 * sqrt(3.0), 0, -0.5 * sqrt(3.0)}, b[3] = {-a[0], 0, -a[0]};
    const double small = RPS_PI / 6 - sqrt(3.0) / 4; /* beyond sqrt(3)/2 */
    assert_near(rps_disk_inside(1.0, a, b), RPS_PI - 4 * small, ROUND, "four segments");
}

/* A random interval across [-1, 1], now and then beyond it. */
static void draw(uint64_t *seed, double *low, double *high) {
    const double a = 2.4 * uniform(seed) - 1.2, b = 2.4 * uniform(seed) - 1.2;
    *low = fmin(a, b);
    *high = fmax(a, b);
}

/* Against the integral over slices in x, each a disk in a rectangle; Simpson's rule in the angle, of which the slices are a
 * smooth function but for a few points, where its third derivative jumps: 4000 intervals leave less than 1e-8. Disks likewise
 * against their chords. */
static void integrals(void **state) {
    enum { N = 4000 };
    uint64_t seed = 5;
    (void)state;
    for (int n = 0; n < 300; n++) {
        double low[3], high[3], volume = 0.0, area = 0.0;
        for (int k = 0; k < 3; k++) draw(&seed, &low[k], &high[k]);
        const double from = asin(fmax(low[0], -1.0)), to = asin(fmin(high[0], 1.0)), step = (to - from) / N;
        for (int i = 0; i <= N && to > from; i++) {
            const double x = sin(from + i * step), r = sqrt(1.0 - x * x), weight = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;
            const double flat_low[3] = {low[1], 0, low[2]}, flat_high[3] = {high[1], 0, high[2]};
            const double slice = r > 0.0 ? rps_disk_inside(r, flat_low, flat_high) : 0.0;
            const double chord = fmax(fmin(high[2], r) - fmax(low[2], -r), 0.0);
            volume += weight * slice * r * step / 3;
            area += weight * chord * r * step / 3;
        }
        assert_near(rps_sphere_inside(1.0, low, high), volume, 1e-8, "sphere");
        /* chords have a kink where they leave the rectangle: an order less */
        assert_near(rps_disk_inside(1.0, low, high), area, 1e-6, "disk");
    }
}

/* 27 boxes that tile space hold the sphere. */
static void boxes_add_up(void **state) {
    uint64_t seed = 11;
    (void)state;
    for (int n = 0; n < 1000; n++) {
        double at[3][4], sum = 0.0;
        for (int k = 0; k < 3; k++) {
            at[k][0] = -INF;
            at[k][3] = INF;
            draw(&seed, &at[k][1], &at[k][2]);
        }
        for (int b = 0; b < 27; b++) {
            const int i = b % 3, j = b / 3 % 3, k = b / 9;
            const double part = ball(at[0][i], at[0][i + 1], at[1][j], at[1][j + 1], at[2][k], at[2][k + 1]);
            assert_true(part >= 0.0);
            sum += part;
        }
        assert_near(sum, 4.0 / 3.0 * RPS_PI, 27 * ROUND, "27 boxes");
    }
}

/* --- bodies of other shapes ------------------------------------------------------------------------------------------- */

static const rps_piece_def shapes[] = {
    {.shape = "sphere", .parameter = {1.0}},
    {.shape = "ellipsoid", .parameter = {1.0, 0.5, 0.3}},
    {.shape = "superquadric", .parameter = {1.0, 0.7, 0.5, 6.0, 4.0}},
    {.shape = "box", .parameter = {1.0, 1.4, 0.6}},
    {.shape = "cylinder", .parameter = {0.4, 1.6}},
    {.shape = "capsule", .parameter = {0.3, 1.2}},
    {.shape = "ellipsoid", .parameter = {1.0, 0.05, 0.05}},
    {.shape = "cylinder", .parameter = {0.8, 0.04}},
};

static rps_piece_def piece_of(const rps_piece_def *from, double x, double y, double z, uint64_t *seed) {
    rps_piece_def def = rps_piece_def_default();
    def.shape = from->shape;
    for (int k = 0; k < 5 && from->parameter[k] != 0.0; k++) def.parameter[k] = from->parameter[k];
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    for (int k = 0; k < 4 && seed; k++) def.orientation[k] = uniform(seed) - 0.5;
    return def;
}

static rps_world *world_of(const rps_piece_def *piece, int count, uint64_t *seed) {
    rps_world_options options = rps_world_options_default();
    options.step = 1.0;
    rps_world *world;
    rps_error err;
    rps_material material = rps_material_default();
    int index;
    uint64_t id;
    if (rps_world_create(&options, &world, &err) != RPS_OK) fail_msg("%s", err.text);
    material.name = "a";
    material.density = 1.0;
    if (rps_world_add_material(world, &material, &index, &err) != RPS_OK) fail_msg("%s", err.text);
    rps_body_def def = rps_body_def_default();
    def.piece = piece;
    def.pieces = count;
    def.material = index;
    for (int k = 0; k < 4 && seed; k++) def.orientation[k] = uniform(seed) - 0.5;
    if (rps_world_add_body(world, &def, &id, &err) != RPS_OK) fail_msg("%s", err.text);
    return world;
}

static double fraction(double x) {
    return x - (double)(int)x;
}

/* The part of the body's points of an additive recurrence of good distribution that the box holds. */
static double counted_part(const rps_world *world, const double low[3], const double high[3]) {
    enum { POINTS = 300000 };
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    const rps_bodies *bodies = &world->bodies;
    const double *q = bodies->orientation[0], reach = bodies->pose[0].radius[0];
    const rps_mat3 axes = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
    rps_mat3 own[3];
    double half[3] = {0.0, 0.0, 0.0};
    uint64_t all = 0, held = 0;
    for (int k = 0; k < bodies->pieces[0][0]; k++) { /* spread as long and flat as the body */
        const rps_piece *p = &world->piece[k];
        own[k] =
            rps_quat_to_mat3((rps_quat){p->orientation[0], p->orientation[1], p->orientation[2], p->orientation[3]});
        const rps_shape_bounds b = rps_shape_at((int)p->shape)->bounds(p->parameter, &own[k]);
        const double far[3] = {fmax(b.high.x, -b.low.x), fmax(b.high.y, -b.low.y), fmax(b.high.z, -b.low.z)};
        for (int n = 0; n < 3; n++) half[n] = fmin(reach, fmax(half[n], fabs(p->offset[n]) + far[n]));
    }
    for (int n = 0; n < POINTS; n++) {
        double x[3];
        bool in = false, in_box = true;
        for (int k = 0; k < 3; k++) x[k] = (2.0 * fraction(0.5 + n * step[k]) - 1.0) * half[k];
        for (int k = 0; k < bodies->pieces[0][0] && !in; k++) {
            const rps_piece *p = &world->piece[k];
            const rps_vec3 from = rps_vec3_sub(rps_vec3_of(x), rps_vec3_of(p->offset));
            in = rps_shape_at((int)p->shape)->value(p->parameter, rps_mat3_transpose_mul_vec(&own[k], from)) < 0.0;
        }
        if (!in) continue;
        double y[3];
        rps_vec3_put(y, rps_mat3_mul_vec(&axes, rps_vec3_of(x)));
        for (int k = 0; k < 3; k++) in_box = in_box && y[k] >= low[k] && y[k] < high[k];
        all++;
        held += in_box;
    }
    return (double)held / (double)all;
}

static void compare(const rps_world *world, uint64_t *seed, const char *what) {
    const double reach = world->bodies.pose[0].radius[0], r = rps_body_equal_radius(world, 0);
    const double whole = 4.0 / 3.0 * RPS_PI * r * r * r, none[3] = {-INF, -INF, -INF}, all[3] = {INF, INF, INF};
    double low[3], high[3];
    assert_near(rps_body_inside(world, 0, none, all), whole, 1e-14 * whole, what);
    for (int k = 0; k < 3; k++) {
        draw(seed, &low[k], &high[k]);
        low[k] *= reach;
        high[k] *= reach;
    }
    /* what is stated, 1e-3, and the error of the count: half of that of random points, 0.5/sqrt(1e5) */
    assert_near(rps_body_inside(world, 0, low, high) / whole, counted_part(world, low, high), 1.8e-3, what);
    /* two boxes side by side: chords are shared without a gap */
    const double middle = 0.4 * low[0] + 0.6 * high[0];
    const double left = rps_body_inside(world, 0, low, (const double[]){middle, high[1], high[2]});
    const double right = rps_body_inside(world, 0, (const double[]){middle, low[1], low[2]}, high);
    assert_near(left + right, rps_body_inside(world, 0, low, high), 1e-12 * whole, what);
}

static void shapes_against_points(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        for (int n = 0; n < 3; n++) {
            const rps_piece_def piece = piece_of(&shapes[k], 0, 0, 0, NULL);
            rps_world *world = world_of(&piece, 1, n == 0 ? NULL : &seed);
            compare(world, &seed, shapes[k].shape);
            rps_world_destroy(world);
        }
    }
}

/* An ellipsoid along the axes is a sphere with its lengths scaled, and so is the box: exact. */
static void ellipsoids_exactly(void **state) {
    uint64_t seed = 8;
    (void)state;
    for (int n = 0; n < 40; n++) {
        const rps_piece_def *from = &shapes[n % 2 ? 1 : 6];
        const rps_piece_def piece = piece_of(from, 0, 0, 0, NULL);
        rps_world *world = world_of(&piece, 1, NULL);
        double low[3], high[3], a[3], b[3];
        for (int k = 0; k < 3; k++) {
            draw(&seed, &low[k], &high[k]);
            a[k] = low[k] * from->parameter[k];
            b[k] = high[k] * from->parameter[k];
        }
        const double r = rps_body_equal_radius(world, 0);
        assert_near(rps_body_inside(world, 0, a, b) / (r * r * r), rps_sphere_inside(1.0, low, high),
                    1e-3 * 4.0 / 3.0 * RPS_PI, "ellipsoid");
        rps_world_destroy(world);
    }
}

/* Pieces that overlap count once. */
static void clumps_against_points(void **state) {
    uint64_t seed = 21;
    (void)state;
    for (int n = 0; n < 8; n++) {
        rps_piece_def piece[3];
        for (int k = 0; k < 3; k++) {
            piece[k] = piece_of(&shapes[(n + 2 * k) % 6], 0.6 * k, 0.3 * uniform(&seed), 0.2 * k, &seed);
        }
        rps_world *world = world_of(piece, 3, &seed);
        compare(world, &seed, "clump");
        rps_world_destroy(world);
    }
    const rps_piece_def same[2] = {piece_of(&shapes[0], 0, 0, 0, NULL), piece_of(&shapes[0], 0, 0, 0, NULL)};
    rps_world *world = world_of(same, 2, NULL);
    assert_near(rps_body_inside(world, 0, (const double[]){0, -INF, -INF}, (const double[]){INF, INF, INF}),
                2.0 / 3.0 * RPS_PI, 1e-3 * 4.0 / 3.0 * RPS_PI, "the same sphere twice");
    rps_world_destroy(world);
}

/* A chord is cut into more intervals than are kept at a time: shells of spheres one in the other, from inside, from outside and
 * mixed, with the largest of radius 1. */
static void many_intervals(void **state) {
    enum { SPHERES = 400 };
    static rps_piece piece[SPHERES];
    const rps_mat3 axes = rps_mat3_identity();
    const double whole = 4.0 / 3.0 * RPS_PI;
    (void)state;
    for (int order = 0; order < 3; order++) {
        for (int k = 0; k < SPHERES; k++) {
            const int rank = order == 0 ? k : order == 1 ? SPHERES - 1 - k : k * 211 % SPHERES;
            const double radius = 0.5 + 0.5 * rank / (SPHERES - 1.0);
            piece[k] = (rps_piece){.parameter = {radius}, .orientation = {1.0}, .radius = radius, .half_width = radius};
            piece[k].shape = RPS_SHAPE_INDEX(sphere);
        }
        assert_near(
            rps_union_part_inside(NULL, piece, SPHERES, &axes, (const double[]){0, -2, -2}, (const double[]){2, 2, 2}),
            0.5, 1e-3, "half of shells");
        assert_near(rps_union_part_inside(NULL, piece, SPHERES, &axes, (const double[]){-2, -2, 0.5},
                                          (const double[]){2, 2, 2}),
                    ball(-2, 2, -2, 2, 0.5, 2) / whole, 1e-3, "cap of shells");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(spheres_in_closed_form),
                                       cmocka_unit_test(disks_in_closed_form),
                                       cmocka_unit_test(integrals),
                                       cmocka_unit_test(boxes_add_up),
                                       cmocka_unit_test(shapes_against_points),
                                       cmocka_unit_test(ellipsoids_exactly),
                                       cmocka_unit_test(clumps_against_points),
                                       cmocka_unit_test(many_intervals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
