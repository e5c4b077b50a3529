/*
 * The parts of a mesh, against closed forms of drums and boxes, and files that are written and read back.
 */
#include "mesh_common.h"

#include <stdlib.h>

#include "mesh/read.h"
#include "mesh/survey.h"
#include "mesh/write.h"

static const double pi = 3.14159265358979323846;

/* A prism of n sides inscribed in a circle, without its ends; corners count backwards if `inward`. */
static void add_drum(rps_raw_mesh *raw, uint32_t n, double radius, double length, bool inward) {
    const uint32_t first = (uint32_t)raw->points;
    for (uint32_t k = 0; k < n; k++) {
        const double q = 2.0 * pi * k / n;
        mesh_add_point(raw, radius * cos(q), radius * sin(q), 0.0);
        mesh_add_point(raw, radius * cos(q), radius * sin(q), length);
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t a = first + 2 * k, c = first + 2 * ((k + 1) % n);
        if (inward) {
            mesh_add_triangle(raw, a, a + 1, c);
            mesh_add_triangle(raw, c, a + 1, c + 1);
        } else {
            mesh_add_triangle(raw, a, c, a + 1);
            mesh_add_triangle(raw, c, c + 1, a + 1);
        }
    }
}

/* N facets of the angle a = 2 pi/N and the width 2 R sin(a/2); sagitta of R a^2/8 but for the fourth order, R a^4/384. */
static void test_drum(void **state) {
    (void)state;
    enum { N = 90 };
    for (int inward = 0; inward < 2; inward++) {
        rps_raw_mesh raw = {0};
        rps_mesh m;
        rps_mesh_survey s;
        rps_error err;
        rps_mesh_options options = rps_mesh_options_default();
        add_drum(&raw, N, 0.1, 0.06, inward != 0);
        mesh_make(&raw, &options, &m, NULL);
        assert_int_equal(rps_mesh_survey_make(&m, &s, &err), RPS_OK);
        assert_int_equal(s.shells, 1);
        assert_false(s.shell[0].closed);
        assert_int_equal(s.rims, 2);
        assert_int_equal(s.rim[0].edges, N);
        const double a = 2.0 * pi / N, width = 2.0 * 0.1 * sin(0.5 * a), round = 1e-14; /* roundings of corners */
        ASSERT_NEAR(s.rim[0].length, N * width, round);
        ASSERT_NEAR(s.shell[0].area, N * width * 0.06, round);
        assert_int_equal(s.curves, 1);
        assert_int_equal(s.curved[0].facets, N);
        assert_int_equal(s.curved[0].folds, N);
        assert_int_equal(s.curved[0].concave, inward ? N : 0);
        ASSERT_NEAR(s.curved[0].angle, a, 1e-12);
        ASSERT_NEAR(s.curved[0].radius, width / a, 1e-11);
        ASSERT_NEAR(s.curved[0].sagitta, 0.1 * a * a / 8.0, 0.1 * a * a * a * a / 100.0);
        ASSERT_NEAR(s.longest_edge, sqrt(width * width + 0.06 * 0.06), round);
        rps_mesh_survey_release(&s);
        rps_mesh_release(&m);
        mesh_free_raw(&raw);
    }
}

/* A fan of 12 triangles, tilted, its middle raised, of coordinates as STL holds them: how many parts of it are curved. */
static size_t curves_of_fan(double raised) {
    enum { N = 12 };
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_survey s;
    rps_error err;
    rps_mesh_options options = rps_mesh_options_default();
    for (int k = 0; k <= N; k++) {
        const double x = k < N ? cos(2.0 * pi * k / N) : 0.0, y = k < N ? sin(2.0 * pi * k / N) : 0.0,
                     z = k < N ? 0.0 : raised;
        mesh_add_point(&raw, (float)x, (float)(0.8 * y - 0.6 * z), (float)(0.6 * y + 0.8 * z));
    }
    for (uint32_t k = 0; k < N; k++) mesh_add_triangle(&raw, N, k, (k + 1) % N);
    mesh_make(&raw, &options, &m, NULL);
    assert_int_equal(rps_mesh_survey_make(&m, &s, &err), RPS_OK);
    const size_t curves = s.curves;
    rps_mesh_survey_release(&s);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
    return curves;
}

/* A bend by the rounding of single precision, 6e-8 of the size, is flat; a hundred times as much is meant. */
static void test_rounded(void **state) {
    (void)state;
    assert_int_equal(curves_of_fan(0.0), 0);
    assert_int_equal(curves_of_fan(1e-5), 1);
}

/* Two cubes and a part of a third: right angles are meant, so nothing is curved. */
static void test_shells(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_survey s;
    rps_error err;
    rps_mesh_options options = rps_mesh_options_default();
    mesh_add_cube(&raw, rps_vec3_make(0, 0, 0), 1.0);
    mesh_add_cube(&raw, rps_vec3_make(5, 0, 0), 3.0);
    mesh_add_cube(&raw, rps_vec3_make(-5, 0, 0), 2.0);
    raw.triangles--;
    options.side = RPS_MESH_BOTH;
    mesh_make(&raw, &options, &m, NULL);
    assert_int_equal(rps_mesh_survey_make(&m, &s, &err), RPS_OK);
    assert_int_equal(s.shells, 3);
    const double area[] = {54, 22, 6}, volume[] = {27, 0, 1};
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(s.shell[k].area, area[k], 1e-13); /* exact numbers but for a few roundings */
        ASSERT_NEAR(s.shell[k].volume, volume[k], 1e-13);
        assert_int_equal(s.shell[k].closed, k != 1);
    }
    assert_int_equal(s.rims, 1);
    ASSERT_NEAR(s.rim[0].length, 4.0 + sqrt(8.0), 1e-14);
    assert_int_equal(s.curves, 0);
    ASSERT_NEAR(s.least_height, 1.0 / sqrt(2.0), 1e-15);
    rps_mesh_survey_release(&s);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

typedef struct bytes {
    char *p;
    size_t count, capacity;
} bytes;

static void keep_bytes(void *context, const char *from, size_t count) {
    bytes *b = context;
    while (b->count + count > b->capacity) {
        b->capacity = 2 * b->capacity + 1024;
        b->p = realloc(b->p, b->capacity);
        assert_non_null(b->p);
    }
    memcpy(b->p + b->count, from, count);
    b->count += count;
}

/* In OBJ and PLY every bit comes back, in any unit; in STL seven digits. A rough sheet of points at random. */
static void test_round_trip(void **state) {
    (void)state;
    static const char *const name[] = {"a.stl", "b.OBJ", "c.ply"};
    static const double factor[] = {1.0, 1e-3, 0.0254, 1.0 / 3.0};
    for (int f = 0; f < 4; f++) {
        rps_raw_mesh raw = {0};
        rps_mesh m;
        rps_mesh_options options = rps_mesh_options_default();
        options.factor = factor[f];
        options.side = RPS_MESH_BOTH;
        mesh_add_sheet(&raw, 20, 0.3, 7);
        mesh_make(&raw, &options, &m, NULL);
        for (int k = 0; k < 3; k++) {
            rps_mesh_format format;
            bytes file = {0};
            rps_raw_mesh again = {0};
            rps_mesh back;
            rps_error err;
            assert_true(rps_mesh_format_of(name[k], &format));
            assert_int_equal(rps_mesh_write(&m, format, factor[f], keep_bytes, &file, &err), RPS_OK);
            if (rps_mesh_read(NULL, name[k], file.p, file.count, &again, &err) != RPS_OK) fail_msg("%s", err.text);
            mesh_make(&again, &options, &back, NULL);
            assert_int_equal(back.triangles, m.triangles);
            if (k > 0) mesh_compare(&m, &back);
            ASSERT_NEAR(back.area, m.area, 1e-6 * m.area); /* of a float: 6e-8 */
            rps_mesh_release(&back);
            rps_raw_mesh_release(NULL, &again);
            free(file.p);
        }
        rps_mesh_release(&m);
        mesh_free_raw(&raw);
    }
    rps_mesh_format format;
    assert_false(rps_mesh_format_of("a.step", &format));
    assert_false(rps_mesh_format_of("stl", &format));
}

static void test_too_large_for_stl(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    bytes file = {0};
    rps_error err;
    mesh_add_cube(&raw, rps_vec3_zero(), 1e30);
    mesh_make(&raw, NULL, &m, NULL);
    assert_int_equal(rps_mesh_write(&m, RPS_MESH_STL, 1e-9, keep_bytes, &file, &err), RPS_UNSUPPORTED);
    assert_non_null(strstr(err.text, ".ply"));
    assert_int_equal(file.count, 0);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* One finding with the number of the triangle in the file. */
static void test_sliver(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    const uint32_t a = mesh_add_point(&raw, 0, 0, 0), b = mesh_add_point(&raw, 1, 0, 0);
    const uint32_t c = mesh_add_point(&raw, 0.5, 1, 0), d = mesh_add_point(&raw, 0.5, -1e-4, 0);
    mesh_add_triangle(&raw, a, b, c);
    mesh_add_triangle(&raw, b, a, d);
    mesh_make(&raw, &options, &m, &report);
    assert_int_equal(report.found[RPS_FOUND_SLIVER].count, 1);
    assert_int_equal(report.found[RPS_FOUND_SLIVER].place[0].triangle, 1);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drum),       cmocka_unit_test(test_shells),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_too_large_for_stl),
        cmocka_unit_test(test_sliver),     cmocka_unit_test(test_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
