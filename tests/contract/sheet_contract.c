/*
 * The contract of sheets, the shapes without thickness: the foot of a point is the nearest point, the normal leads from it
 * to the point, curvatures are those by which the normal turns, on either side and over rims; support points, bounds and
 * meshes agree with the feet. Driven by the table of shapes, with chosen parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "shape/shape.h"

enum { POINTS = 400 };

static const struct {
    const char *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
} chosen[] = {
    {"cylinder_wall", {0.1, 0.3, 0.0}},
    {"cylinder_wall", {0.1, 0.05, 2.0}},
    {"cylinder_wall", {2.0, 0.01, 1.0}},
    {"cone_wall", {0.1, 0.3, 0.2, 0.0}},
    {"cone_wall", {0.3, 0.0, 0.2, 1.0}},
    {"cone_wall", {0.05, 0.3, 0.2, 2.0}},
    {"cone_wall", {0.3, 0.299, 5.0, 0.0}},
    {"sphere_wall", {0.2, 0.0}},
    {"sphere_wall", {0.2, 1.5707963267948966}},
    {"sphere_wall", {0.2, 0.3}},
    {"sphere_wall", {0.2, 2.5}},
    {"torus_wall", {0.2, 0.05, 0.0, 6.283185307179586}},
    {"torus_wall", {0.2, 0.15, 0.0, 1.5707963267948966}},
    {"torus_wall", {0.2, 0.02, 3.0, 7.5}},
    {"torus_wall", {1.0, 0.01, 5.0, 6.1}},
    {"disk_wall", {0.2, 0.0}},
    {"disk_wall", {0.2, 0.15}},
    {"rectangle", {0.2, 0.7}},
    {"triangle", {0.2, 0.1, 0.0, -0.1, 0.3, 0.2}},
    {"triangle", {0.5, 0.0, 0.0, 0.4, 0.0, 0.01}},
};

typedef struct case_ {
    const rps_shape *shape;
    double parameter[RPS_SHAPE_PARAMETERS], size;
    uint64_t number;
} case_;

static void each_case(void (*test)(const case_ *)) {
    int tested[RPS_SHAPE_COUNT] = {0};
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++) {
        const int index = rps_shape_find(chosen[k].shape);
        case_ c = {.shape = rps_shape_at(index), .number = k};
        memcpy(c.parameter, chosen[k].parameter, sizeof c.parameter);
        assert_int_equal(rps_shape_check(c.shape, c.parameter, "case", NULL), RPS_OK);
        c.size = c.shape->bounding_radius(c.parameter);
        tested[index]++;
        test(&c);
    }
    for (int s = 0; s < RPS_SHAPE_COUNT; s++) assert_int_equal(tested[s] > 0, rps_shape_is_sheet(rps_shape_at(s)));
}

static rps_vec3 random_point(const case_ *c, uint64_t n) {
    const double scale = n % 2 ? 0.5 : 1.5; /* half of them near the sheet's inside */
    return rps_vec3_scale(rps_vec3_make(rps_random_normal(31, RPS_RANDOM_TEST, c->number, 3 * n),
                                        rps_random_normal(31, RPS_RANDOM_TEST, c->number, 3 * n + 1),
                                        rps_random_normal(31, RPS_RANDOM_TEST, c->number, 3 * n + 2)),
                          scale * c->size);
}

static rps_shape_foot foot_of(const case_ *c, rps_vec3 point) {
    return rps_shape_nearest(c->shape, c->parameter, point);
}

/* The distance is that of the foot, the foot is on the sheet, and no other point of the sheet is nearer. */
static void check_nearest(const case_ *c) {
    const double rounding = 1e-14 * c->size; /* a few roundings of coordinates up to some sizes */
    for (uint64_t n = 0; n < POINTS; n++) {
        const rps_vec3 x = random_point(c, n);
        const rps_shape_foot f = foot_of(c, x);
        const rps_vec3 from = rps_vec3_add_scaled(f.point, f.distance, f.normal);
        assert_true(rps_vec3_norm(rps_vec3_sub(from, x)) <= 10.0 * rounding);
        assert_true(fabs(rps_vec3_norm(f.normal) - 1.0) < 1e-14 && f.distance >= 0.0);
        assert_true(foot_of(c, f.point).distance <= rounding);
        for (uint64_t m = 0; m < 40; m++) {
            const rps_vec3 other = foot_of(c, random_point(c, 1000 + m)).point;
            assert_true(rps_vec3_norm(rps_vec3_sub(x, other)) >= f.distance - 10.0 * rounding);
        }
    }
}

/* The same foot is that of every point between. */
static void check_normal(const case_ *c) {
    for (uint64_t n = 0; n < POINTS; n++) {
        const rps_shape_foot f = foot_of(c, random_point(c, n));
        const rps_shape_foot g = foot_of(c, rps_vec3_add_scaled(f.point, 0.3 * f.distance, f.normal));
        /* 1e-12: roundings by the distance, which few points have below a hundredth of the size */
        assert_true(rps_vec3_norm(rps_vec3_sub(f.point, g.point)) < 1e-12 * c->size);
        assert_true(rps_vec3_norm(rps_vec3_sub(f.normal, g.normal)) * f.distance < 1e-12 * c->size);
        for (int k = 0; k < 2; k++) {
            assert_true(fabs(f.curvature[k] - g.curvature[k]) * f.distance <= 1e-10);
        }
    }
}

/* From a point at the height t the normal turns by k/(1 + k t) a length along a direction of curvature k: away from rims. */
static void check_curvature(const case_ *c) {
    double hollow[2];
    int compared = 0;
    c->shape->hollow(c->parameter, hollow);
    for (uint64_t n = 0; n < 20 * POINTS; n++) {
        const rps_shape_foot at = foot_of(c, random_point(c, n));
        const double h = 1e-5 * c->size, t = 1e-4 * c->size;
        const double larger = fmax(-at.curvature[0], -at.curvature[1]), most = fmax(hollow[0], hollow[1]);
        assert_true(larger <= most * (1.0 + 1e-12));
        if (at.inland < 3.0 * t) continue; /* near a rim another part may be nearer */
        const rps_vec3 x = rps_vec3_add_scaled(at.point, t, at.normal);
        const rps_shape_foot f = foot_of(c, x);
        if (fabs(f.distance - t) > 1e-9 * c->size) continue;
        const rps_vec3 way[2] = {f.along, rps_vec3_cross(f.normal, f.along)};
        assert_true(fabs(rps_vec3_dot(f.along, f.normal)) < 1e-14 && fabs(rps_vec3_norm(f.along) - 1.0) < 1e-14);
        for (int k = 0; k < 2; k++) {
            const rps_vec3 ahead = foot_of(c, rps_vec3_add_scaled(x, h, way[k])).normal;
            const rps_vec3 behind = foot_of(c, rps_vec3_add_scaled(x, -h, way[k])).normal;
            const rps_vec3 turn = rps_vec3_scale(rps_vec3_sub(ahead, behind), 0.5 / h);
            const double expected = f.curvature[k] / (1.0 + f.curvature[k] * t);
            /* the third derivative, of the order of the largest curvature, and some 1e-14 over h */
            const double bend = fmax(fabs(f.curvature[0]), fabs(f.curvature[1])), rest = fabs(expected) + 1.0 / c->size;
            const double allowed = 10.0 * bend * bend * rest * h * h + 5e-9 / c->size;
            if (!(fabs(rps_vec3_dot(turn, way[k]) - expected) <= allowed)) {
                fail_msg("%s %llu: the normal turns by %.12g, expected %.12g within %.3g", c->shape->name,
                         (unsigned long long)c->number, rps_vec3_dot(turn, way[k]), expected, allowed);
            }
            assert_true(fabs(rps_vec3_dot(turn, way[1 - k])) <= allowed);
        }
        compared++;
    }
    assert_true(compared > POINTS / 50); /* of thin and short sheets most feet lie on rims */
}

/* Support points lie on the sheet, no foot lies farther, bounds agree with them, and all lies in the sphere. */
static void check_extent(const case_ *c) {
    for (uint64_t n = 0; n < 40; n++) {
        const rps_vec3 d = rps_vec3_normalize(random_point(c, 5000 + n));
        const rps_vec3 end = c->shape->support(c->parameter, d);
        assert_true(foot_of(c, end).distance <= 1e-14 * c->size);
        for (uint64_t m = 0; m < POINTS; m++) {
            const rps_vec3 x = foot_of(c, random_point(c, m)).point;
            assert_true(rps_vec3_dot(x, d) <= rps_vec3_dot(end, d) + 1e-14 * c->size);
            assert_true(rps_vec3_norm(x) <= c->size * (1.0 + 1e-14));
        }
    }
    const rps_quat q = rps_quat_normalize((rps_quat){0.3, -0.5, 0.7, 0.2});
    const rps_mat3 turn = rps_quat_to_mat3(q);
    const rps_shape_bounds box = c->shape->bounds(c->parameter, &turn);
    for (uint64_t m = 0; m < POINTS; m++) {
        const rps_vec3 x = rps_mat3_mul_vec(&turn, foot_of(c, random_point(c, m)).point);
        const double e = 1e-14 * c->size;
        assert_true(x.x >= box.low.x - e && x.y >= box.low.y - e && x.z >= box.low.z - e);
        assert_true(x.x <= box.high.x + e && x.y <= box.high.y + e && x.z <= box.high.z + e);
    }
    const rps_vec3 up = {turn.m[2][0], turn.m[2][1], turn.m[2][2]};
    assert_true(fabs(box.high.z - rps_vec3_dot(up, c->shape->support(c->parameter, up))) <= 1e-14 * c->size);
}

/* Corners on the sheet; of a flat one nothing is missing, of a curved one less with each finer mesh. */
static void check_mesh(const case_ *c) {
    rps_shape_triangles mesh;
    assert_int_equal(c->shape->mesh(c->parameter, 600, NULL, &mesh, NULL), RPS_OK);
    assert_true(mesh.triangles >= 2 && mesh.triangles < 2000);
    for (size_t n = 0; n < mesh.points; n++) {
        assert_true(foot_of(c, rps_vec3_of(mesh.point[n])).distance <= 1e-14 * c->size);
    }
    for (size_t n = 0; n < mesh.triangles; n++) {
        rps_vec3 middle = rps_vec3_zero();
        for (int k = 0; k < 3; k++) {
            assert_true(mesh.triangle[n][k] < mesh.points);
            middle = rps_vec3_add(middle, rps_vec3_of(mesh.point[mesh.triangle[n][k]]));
        }
        /* 600 triangles leave a sagitta below 2 % of the size */
        assert_true(foot_of(c, rps_vec3_scale(middle, 1.0 / 3.0)).distance <= 0.02 * c->size);
    }
    rps_memory_release(NULL, mesh.point, mesh.points * sizeof *mesh.point);
    rps_memory_release(NULL, mesh.triangle, mesh.triangles * sizeof *mesh.triangle);
}

static void check_nothing(const case_ *c) {
    assert_true(c->shape->mass(c->parameter).volume == 0.0 && c->shape->smallest_width(c->parameter) == 0.0);
    assert_true(!c->shape->value && !c->shape->core && !c->shape->unbounded);
    assert_true(c->shape->parts(c->parameter) >= 1);
}

static void test_nearest(void **state) {
    (void)state;
    each_case(check_nearest);
}

static void test_normal(void **state) {
    (void)state;
    each_case(check_normal);
}

static void test_curvature(void **state) {
    (void)state;
    each_case(check_curvature);
}

static void test_extent(void **state) {
    (void)state;
    each_case(check_extent);
}

static void test_mesh(void **state) {
    (void)state;
    each_case(check_mesh);
}

static void test_nothing(void **state) {
    (void)state;
    each_case(check_nothing);
}

static void refused(const char *shape, const double *given, const char *sentence) {
    double parameter[RPS_SHAPE_PARAMETERS];
    rps_error err = {0};
    memcpy(parameter, given, sizeof parameter);
    assert_int_equal(rps_shape_check(rps_shape_at(rps_shape_find(shape)), parameter, "it", &err), RPS_BAD_INPUT);
    if (!strstr(err.text, sentence)) fail_msg("%s", err.text);
}

static void test_refused(void **state) {
    (void)state;
    refused("cylinder_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 1, 0.5}, "expected 0, 1 or 2");
    refused("cone_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 0, 1, 2}, "it has one end");
    refused("cone_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 1, 5000, 0}, "at most 1000");
    refused("sphere_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 3.141592653589793}, "leaves nothing");
    refused("torus_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 1, 0, 1}, "as wide as the bend");
    refused("torus_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 0.5, 2, 1}, "from < to");
    refused("torus_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 0.5, 0, 7}, "a whole turn");
    refused("disk_wall", (const double[RPS_SHAPE_PARAMETERS]){1, 1}, "as wide as the disk");
    refused("triangle", (const double[RPS_SHAPE_PARAMETERS]){1, 1, 1, 2, 2, 2.0001}, "on a line");
    refused("triangle", (const double[RPS_SHAPE_PARAMETERS]){0, 0, 0, 0, 0, 0}, "on a line");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_normal), cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_extent),  cmocka_unit_test(test_mesh),   cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
