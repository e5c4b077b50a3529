/* The cone problem: the projection against its optimality conditions and a search, and the reader and writer of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "cone/problem.h"
#include "cone/project.h"
#include "io/problem_file.h"

static double chance(uint64_t id, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(7, RPS_RANDOM_TEST, id, n);
}

/* A random point, cones and metric; some coefficients are zero, the metric spans six decades. */
static void make_case(uint64_t id, const rps_cone_shape *s, double *c, double *eta, double *x) {
    for (int g = 0; g <= s->cones; g++) {
        double t = chance(id, (uint64_t)g, -1.5, 1.5);
        eta[g] = pow(10, 2 * t);
        c[g > 0 ? g - 1 : 0] = chance(id, (uint64_t)(10 + g), 0, 1) < 0.1 ? 0 : chance(id, (uint64_t)(20 + g), 0, 2);
    }
    for (int k = 0; k < s->rows; k++) {
        x[k] = chance(id, (uint64_t)(30 + k), -1, 1) * (k == 0 ? 1 : 2);
    }
}

static double dot(const rps_cone_shape *s, const double *eta, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < s->rows; k++) {
        sum += a[k] * b[k] / eta[s->group[k]];
    }
    return sum;
}

/* y solves min |y - x|^2 over K if and only if y is in K, (x - y).y = 0 and (x - y).z <= 0 for every z in K. The
 * extreme rays of K, (1, c_i times unit vectors), make the last a closed form: the residual's normal part plus
 * sum c_i |its part i|, in the metric. Rounding: sums of six products of size |x|^2. */
static void test_projection_is_optimal(void **state) {
    (void)state;
    const int rows[] = {2, 3, 5, 6};
    for (uint64_t id = 0; id < 20000; id++) {
        const rps_cone_shape *s = rps_cone_shape_of(rows[id % 4]);
        double c[RPS_CONE_GROUPS], eta[RPS_CONE_GROUPS], x[6], y[6], z[6], again[6];
        make_case(id, s, c, eta, x);
        rps_cone_project(s, c, eta, x, y);
        double size = dot(s, eta, x, x), polar, along;
        assert_true(y[0] >= 0);
        for (int i = 0; i < s->cones; i++) {
            double n = s->size[i] == 1 ? fabs(y[s->first[i]]) : hypot(y[s->first[i]], y[s->first[i] + 1]);
            assert_true(n <= c[i] * y[0] * (1 + 8 * DBL_EPSILON));
        }
        for (int k = 0; k < s->rows; k++) {
            z[k] = (x[k] - y[k]) / eta[s->group[k]];
        }
        polar = z[0] + rps_cone_slip(s, c, z);
        along = dot(s, eta, x, y) - dot(s, eta, y, y);
        double unit = sqrt(size) * (1 / sqrt(eta[0]));
        for (int i = 0; i < s->cones; i++) {
            unit += sqrt(size) * c[i] / sqrt(eta[1 + i]);
        }
        assert_true(polar <= 32 * DBL_EPSILON * unit);
        assert_true(fabs(along) <= 32 * DBL_EPSILON * size);
        rps_cone_project(s, c, eta, y, again);
        for (int k = 0; k < s->rows; k++) {
            assert_true(fabs(again[k] - y[k]) <=
                        8 * DBL_EPSILON * (fabs(y[k]) + fabs(y[0]) * (k ? c[s->group[k] - 1] : 1)));
        }
    }
}

/* A golden search over the one unknown, y_n, knows nothing of the order of the cones. A search by values finds the place
 * of a minimum to the square root of rounding, so the values are compared. */
static double distance_at(const rps_cone_shape *s, const double *c, const double *eta, const double *x, double normal) {
    double sum = (normal - x[0]) * (normal - x[0]) / eta[0];
    for (int i = 0; i < s->cones; i++) {
        double n = s->size[i] == 1 ? fabs(x[s->first[i]]) : hypot(x[s->first[i]], x[s->first[i] + 1]);
        double over = fmax(0, n - c[i] * normal);
        sum += over * over / eta[1 + i];
    }
    return sum;
}

static void test_projection_against_search(void **state) {
    (void)state;
    const double golden = (sqrt(5) - 1) / 2;
    for (uint64_t id = 0; id < 400; id++) {
        const rps_cone_shape *s = rps_cone_shape_of(id % 2 ? 6 : 5);
        double c[RPS_CONE_GROUPS], eta[RPS_CONE_GROUPS], x[6], y[6], d[6], low = 0, high = 1e4;
        make_case(id + 100000, s, c, eta, x);
        for (int k = 0; k < 120; k++) {
            double a = high - golden * (high - low), b = low + golden * (high - low);
            if (distance_at(s, c, eta, x, a) <= distance_at(s, c, eta, x, b)) {
                high = b;
            } else {
                low = a;
            }
        }
        rps_cone_project(s, c, eta, x, y);
        for (int k = 0; k < s->rows; k++) {
            d[k] = x[k] - y[k];
        }
        double found = dot(s, eta, d, d), best = distance_at(s, c, eta, x, low);
        assert_true(fabs(found - best) <= 1e-12 * dot(s, eta, x, x));
    }
}

static void test_rows(void **state) {
    (void)state;
    assert_null(rps_cone_shape_of(4));
    assert_null(rps_cone_shape_of(0));
    assert_null(rps_cone_shape_of(-2));
}

static const char one_sphere[] = "# sphere of 2 kg\nncp 1\n3 1 3\n0.3\n-1 0.2 0\n0 0 .5\n1 1 1.75\n2 2 1.75\n";

static void test_reader(void **state) {
    (void)state;
    rps_cone_problem p;
    rps_error err;
    assert_int_equal(rps_cone_problem_parse(&p, NULL, "one", one_sphere, sizeof one_sphere - 1, &err), RPS_OK);
    assert_int_equal(p.contacts, 1);
    assert_true(p.eta[0] == 2 && p.eta[1] == 1 / 1.75);
    /* the scaled block is the unit matrix: the largest eigenvalue is 1, and the bound is 3^(1/32) */
    assert_true(p.lambda[0] >= 1 && fabs(p.lambda[0] - pow(3, 1. / 32)) < 1e-14);
    rps_cone_problem_release(&p);
    for (size_t cut = 0; cut + 5 < sizeof one_sphere; cut++) { /* the last number may be cut to a shorter one */
        assert_int_equal(rps_cone_problem_parse(&p, NULL, "one", one_sphere, cut, &err), RPS_BAD_INPUT);
        rps_cone_problem_release(&p);
    }
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"scene: 1\n", "starts with"},
        {"ncp 2\n2 1 1\n0.1\n0 0\n0 0 1\n", "version 2"},
        {"ncp 1\n4 1 1\n0.1\n0 0 0 0\n0 0 1\n", "4 rows"},
        {"ncp 1\n2 0 0\n", "0 contacts"},
        {"ncp 1\n2 -1 0\n", "whole number"},
        {"ncp 1\n2 1000000 1000000\n", "cannot be in"},
        {"ncp 1\n2 99999999999999999999 1\n", "whole number"},
        {"ncp 1\n2 1 2\n-0.1\n0 0\n0 0 1\n1 1 1\n", "mu 0 is -0.1"},
        {"ncp 1\n2 1 2\nnan\n0 0\n0 0 1\n1 1 1\n", "x:3"},
        {"ncp 1\n2 1 2\n0.1\n0 inf\n0 0 1\n1 1 1\n", "x:4"},
        {"ncp 1\n2 1 2\n0.1\n0 0\n0 0 1\n2 1 1\n", "0 to 1"},
        {"ncp 1\n2 1 2\n0.1\n0 0\n0 0 1\n0 0 1\n", "twice"},
        {"ncp 1\n2 1 2\n0.1\n0 0\n0 0 0\n1 1 1\n", "diagonal"},
        {"ncp 1\n2 1 2\n0.1\n0 0\n0 0 1\n1 1 -1\n", "diagonal"},
        {"ncp 1\n2 1 3\n0.1\n0 0\n0 0 1\n1 1 1\n0 1 0.02\n", "not symmetric"},
        {"ncp 1\n2 1 2\n0.1\n0 0\n0 0 1\n1 1 1\n7\n", "after the last"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(rps_cone_problem_parse(&p, NULL, "x", bad[k].text, strlen(bad[k].text), &err), RPS_BAD_INPUT);
        if (!strstr(err.text, bad[k].says)) {
            fail_msg("expected \"%s\" in: %s", bad[k].says, err.text);
        }
        rps_cone_problem_release(&p);
    }
    static const char slight[] = "ncp 1\n2 1 3\n0.1\n0 0\n0 0 1\n1 1 1\n0 1 0.009\n";
    assert_int_equal(rps_cone_problem_parse(&p, NULL, "x", slight, sizeof slight - 1, &err), RPS_OK);
    assert_true(p.asymmetry == 0.009);
    rps_cone_problem_release(&p);
    assert_int_equal(rps_cone_problem_read(&p, NULL, "/nowhere/at/all.ncp", &err), RPS_IO_ERROR);
}

/* Noise in a good file: any verdict, no crash (the sanitizers watch). */
static void test_reader_survives_noise(void **state) {
    (void)state;
    char text[sizeof one_sphere];
    for (uint64_t id = 0; id < 5000; id++) {
        rps_cone_problem p;
        memcpy(text, one_sphere, sizeof text);
        for (uint64_t n = 0; n < 1 + id % 3; n++) {
            size_t at = rps_random_index(8, RPS_RANDOM_TEST, id, n, sizeof text - 1);
            text[at] = "0123456789 -.e\n#\0n"[rps_random_index(9, RPS_RANDOM_TEST, id, n, 18)];
        }
        rps_cone_problem_parse(&p, NULL, "noise", text, sizeof text - 1, NULL);
        rps_cone_problem_release(&p);
    }
}

/* Problems of all kinds of rows read back to the bit as they were written; refusals. */
static void test_writer(void **state) {
    (void)state;
    enum { CONTACTS = 40 };
    static const int kind[] = {2, 3, 5, 6};
    static double c[3][CONTACTS], q[RPS_CONE_ROWS * CONTACTS];
    static rps_cone_entry entry[3 * RPS_CONE_ROWS * CONTACTS];
    char path[] = "/tmp/writer-XXXXXX";
    rps_error err;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int k = 0; k < 4; k++) {
        const uint32_t d = (uint32_t)kind[k], rows = d * CONTACTS;
        size_t entries = 0;
        for (size_t n = 0; n < 3 * CONTACTS; n++) c[n / CONTACTS][n % CONTACTS] = chance(n, (uint64_t)k, 0, 1);
        for (uint32_t row = 0; row < rows; row++) {
            q[row] = 1e-3 * chance(row, 10, -1, 1);
            entry[entries++] = (rps_cone_entry){row, row, chance(row, 11, 1, 2)};
            if (row + d >= rows) continue;
            const double beside = chance(row, 12, -.1, .1);
            entry[entries++] = (rps_cone_entry){row, row + d, beside};
            entry[entries++] = (rps_cone_entry){row + d, row, beside};
        }
        rps_cone_problem p, back;
        assert_int_equal(rps_cone_problem_make(&p, NULL, (int)d, CONTACTS, c[0], c[1], c[2], q, entry, entries, &err),
                         RPS_OK);
        assert_int_equal(rps_cone_problem_write(path, &p, "# a remark: ncp 2\n# 7 7 7\n", &err), RPS_OK);
        assert_int_equal(rps_cone_problem_read(&back, NULL, path, &err), RPS_OK);
        const size_t blocks = p.start[CONTACTS], cones = (size_t)p.shape->cones;
        assert_true(back.shape == p.shape && back.contacts == p.contacts && back.start[CONTACTS] == blocks);
        assert_memory_equal(back.c, p.c, CONTACTS * cones * sizeof *p.c);
        assert_memory_equal(back.q, p.q, p.rows * sizeof *p.q);
        assert_memory_equal(back.start, p.start, (CONTACTS + 1) * sizeof *p.start);
        assert_memory_equal(back.column, p.column, blocks * sizeof *p.column);
        assert_memory_equal(back.block, p.block, blocks * d * d * sizeof *p.block);
        rps_cone_problem_release(&back);
        assert_int_equal(rps_cone_problem_write("/dev/full", &p, "", &err), RPS_IO_ERROR);
        assert_non_null(strstr(err.text, "No space left"));
        assert_int_equal(rps_cone_problem_write("/nowhere/at/all.ncp", &p, "", &err), RPS_IO_ERROR);
        p.c[CONTACTS * cones - 1] = INFINITY;
        assert_int_equal(rps_cone_problem_write(path, &p, "", &err), RPS_UNSUPPORTED);
        assert_non_null(strstr(err.text, "contact 39 is held"));
        rps_cone_problem_release(&p);
    }
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection_is_optimal),
        cmocka_unit_test(test_projection_against_search),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_reader_survives_noise),
        cmocka_unit_test(test_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
