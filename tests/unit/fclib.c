/* Files of FCLIB: all ways to store a matrix give one problem, W follows from M and H, and what does not fit is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cone/definite.h"
#include "io/fclib.h"
#include "io/problem_file.h"

static char path[] = "/tmp/repose-fclib-XXXXXX";

/* --- files -------------------------------------------------------------------------------------------------------------- */

static void put(hid_t group, const char *name, hid_t type, size_t count, const void *data) {
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

static void put_integer(hid_t group, const char *name, int value) {
    put(group, name, H5T_NATIVE_INT, 1, &value);
}

typedef struct stored {
    const char *name;
    int m, n, nz;
    size_t ps, entries;
    const int *p, *i;
    const double *x;
} stored;

static void put_matrix(hid_t problem, const stored *s) {
    const hid_t group = H5Gcreate2(problem, s->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_integer(group, "nzmax", (int)s->entries);
    put_integer(group, "m", s->m);
    put_integer(group, "n", s->n);
    put_integer(group, "nz", s->nz);
    put(group, "p", H5T_NATIVE_INT, s->ps, s->p);
    put(group, "i", H5T_NATIVE_INT, s->entries, s->i);
    put(group, "x", H5T_NATIVE_DOUBLE, s->entries, s->x);
    H5Gclose(group);
}

typedef struct vector {
    const char *name;
    size_t count;
    const double *x;
} vector;

static void write_file(const char *kind, int spacedim, const stored *matrix, size_t matrices, const vector *vectors,
                       size_t vector_count) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t problem = H5Gcreate2(file, kind, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(problem, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_integer(problem, "spacedim", spacedim);
    for (size_t k = 0; k < matrices; k++) put_matrix(problem, &matrix[k]);
    for (size_t k = 0; k < vector_count; k++)
        put(group, vectors[k].name, H5T_NATIVE_DOUBLE, vectors[k].count, vectors[k].x);
    H5Gclose(group);
    H5Gclose(problem);
    H5Fclose(file);
}

static void expect_refusal(const char *says) {
    rps_cone_problem p;
    rps_error err;
    const rps_status status = rps_cone_problem_read(&p, NULL, path, &err);
    rps_cone_problem_release(&p);
    assert_int_equal(status, RPS_BAD_INPUT);
    if (!strstr(err.text, says) || !strstr(err.text, path)) fail_msg("expected \"%s\" in: %s", says, err.text);
}

/* --- a problem of two contacts in the plane, as W ----------------------------------------------------------------------- */

static const int rows_p[] = {0, 2, 4, 6, 8}, rows_i[] = {0, 2, 1, 3, 0, 2, 1, 3};
static const double rows_x[] = {1, -1, 3.5, 1.5, -1, 2, 1.5, 7};
static const double mu[] = {0.3, 0.5}, q[] = {-1, 0.25, -0.5, 2};
static const stored by_rows = {"W", 4, 4, -2, 5, 8, rows_p, rows_i, rows_x};
static const vector local_vectors[] = {{"mu", 2, mu}, {"q", 4, q}};

static void expect_same(const stored *s) {
    static const rps_cone_entry entry[] = {{0, 0, 1},  {0, 2, -1}, {1, 1, 3.5}, {1, 3, 1.5},
                                           {2, 0, -1}, {2, 2, 2},  {3, 1, 1.5}, {3, 3, 7}};
    rps_cone_problem p, expected;
    rps_error err;
    write_file("fclib_local", 2, s, 1, local_vectors, 2);
    if (rps_cone_problem_read(&p, NULL, path, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(rps_cone_problem_make(&expected, NULL, 2, 2, mu, NULL, NULL, q, entry, 8, &err), RPS_OK);
    assert_int_equal(p.rows, 4);
    assert_memory_equal(p.start, expected.start, 3 * sizeof *p.start);
    assert_memory_equal(p.block, expected.block, expected.start[2] * 4 * sizeof *p.block);
    assert_memory_equal(p.c, expected.c, 2 * sizeof *p.c);
    assert_memory_equal(p.q, q, sizeof q);
    rps_cone_problem_release(&p);
    rps_cone_problem_release(&expected);
}

static void test_ways_to_store(void **state) {
    (void)state;
    /* triplets in any order; the last entry comes in two parts, which are added */
    static const int triplet_i[] = {3, 2, 1, 0, 3, 2, 1, 0, 3}, triplet_j[] = {1, 0, 1, 0, 3, 2, 3, 2, 3};
    static const double triplet_x[] = {1.5, -1, 3.5, 1, 3, 2, 1.5, -1, 4};
    const stored triplets = {"W", 4, 4, 9, 9, 9, triplet_i, triplet_j, triplet_x};
    stored by_columns = by_rows; /* W is symmetric */
    by_columns.nz = -1;
    expect_same(&by_rows);
    expect_same(&by_columns);
    expect_same(&triplets);
}

/* --- two balls of mass m and inertia .4 m r^2, one on the other and on a plane, as M and H -------------------------------- */

enum { MOST = 64 };

typedef struct columns {
    int p[MOST], i[MOST];
    double x[MOST];
    int n, entries;
} columns;

static void add_column(columns *c, const double *full, int rows) {
    c->p[c->n] = c->entries;
    for (int k = 0; k < rows; k++) {
        if (full[k] == 0.0) continue;
        c->i[c->entries] = k;
        c->x[c->entries++] = full[k];
    }
    c->p[++c->n] = c->entries;
}

static stored of_columns(const char *name, int rows, const columns *c) {
    return (stored){name, rows, c->n, -1, (size_t)c->n + 1, (size_t)c->entries, c->p, c->i, c->x};
}

/* Unknowns of a ball: velocity x y z, rotation x y z. Rows of a contact: n along z, t1 along x, t2 along y. */
static void balls(double m, double r, columns *M, columns *H) {
    *M = *H = (columns){.n = 0};
    for (int k = 0; k < 12; k++) {
        double full[12] = {0};
        full[k] = k % 6 < 3 ? m : 0.4 * m * r * r;
        add_column(M, full, 12);
    }
    const double row[6][12] = {
        {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},    {1, 0, 0, 0, -r, 0, 0, 0, 0, 0, 0, 0},
        {0, 1, 0, r, 0, 0, 0, 0, 0, 0, 0, 0},    {0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0},
        {-1, 0, 0, 0, -r, 0, 1, 0, 0, 0, -r, 0}, {0, -1, 0, r, 0, 0, 0, 1, 0, r, 0, 0},
    };
    for (int k = 0; k < 6; k++) add_column(H, row[k], 12);
}

static double entry_of(const rps_cone_problem *p, size_t i, size_t j) {
    const size_t d = (size_t)p->shape->rows;
    for (size_t b = p->start[i / d]; b < p->start[i / d + 1]; b++) {
        if (p->column[b] == j / d) return p->block[b * d * d + i % d * d + j % d];
    }
    return 0.0;
}

static void test_velocities(void **state) {
    (void)state;
    enum { N = 12 };
    const double m = 3.0, r = 0.25, g = 9.81, h = 1e-3;
    const double f[N] = {[2] = -m * g * h, [8] = -m * g * h}, w[6] = {0, 0.5, 0, 0.125, 0, 0};
    const vector vectors[] = {{"mu", 2, mu}, {"f", N, f}, {"w", 6, w}};
    columns M, H;
    balls(m, r, &M, &H);
    const stored matrix[] = {of_columns("M", N, &M), of_columns("H", N, &H)};
    rps_cone_problem p;
    rps_error err;
    write_file("fclib_global", 3, matrix, 2, vectors, 3);
    if (rps_cone_problem_read(&p, NULL, path, &err) != RPS_OK) fail_msg("%s", err.text);
    /* m W of a ball on a plane: 1, 7/2, 7/2; of the upper contact twice that; between them -1 and -1 + 5/2 */
    static const double expected[6][6] = {{1, 0, 0, -1, 0, 0}, {0, 3.5, 0, 0, 1.5, 0}, {0, 0, 3.5, 0, 0, 1.5},
                                          {-1, 0, 0, 2, 0, 0}, {0, 1.5, 0, 0, 7, 0},   {0, 0, 1.5, 0, 0, 7}};
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) { /* a few roundings */
            if (fabs(m * entry_of(&p, i, j) - expected[i][j]) > 1e-14) fail_msg("W %zu %zu", i, j);
        }
    }
    const double free[6] = {-g * h, 0.5, 0, 0.125, 0, 0};
    for (size_t i = 0; i < 6; i++) assert_true(fabs(p.q[i] - free[i]) <= 1e-16);
    assert_true(p.c[0] == mu[0] && p.c[1] == mu[1]);
    rps_cone_problem_release(&p);
}

/* M = (2 1; 1 2), H = 1: W = (2 -1; -1 2) / 3. */
static void test_full_mass(void **state) {
    (void)state;
    static const int mass_p[] = {0, 2, 4}, mass_i[] = {0, 1, 0, 1}, one_p[] = {0, 1, 2}, one_i[] = {0, 1};
    static const double mass_x[] = {2, 1, 1, 2}, one_x[] = {1, 1}, f[] = {3, 0}, w[] = {0, 0};
    const stored matrix[] = {{"M", 2, 2, -1, 3, 4, mass_p, mass_i, mass_x}, {"H", 2, 2, -1, 3, 2, one_p, one_i, one_x}};
    const vector vectors[] = {{"mu", 1, mu}, {"f", 2, f}, {"w", 2, w}};
    rps_cone_problem p;
    rps_error err;
    write_file("fclib_global", 2, matrix, 2, vectors, 3);
    if (rps_cone_problem_read(&p, NULL, path, &err) != RPS_OK) fail_msg("%s", err.text);
    const double expected[] = {2.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3};
    for (int k = 0; k < 4; k++) assert_true(fabs(p.block[k] - expected[k]) < 1e-15);
    assert_true(fabs(p.q[0] - 2) < 1e-15 && fabs(p.q[1] + 1) < 1e-15);
    rps_cone_problem_release(&p);
    static const double singular[] = {1, 1, 1, 1};
    stored twice[] = {matrix[0], matrix[1]};
    twice[0].x = singular;
    write_file("fclib_global", 2, twice, 2, vectors, 3);
    expect_refusal("singular");
}

/* --- refusals ----------------------------------------------------------------------------------------------------------- */

static void refuse(const stored *s, int spacedim, const vector *vectors, size_t count, const char *says) {
    write_file("fclib_local", spacedim, s, 1, vectors, count);
    expect_refusal(says);
}

static void test_refusals(void **state) {
    (void)state;
    static const int outside[] = {0, 2, 1, 3, 0, 2, 1, 4}, before[] = {0, 2, 1, 3, 0, 2, 1, -1},
                     back[] = {0, 2, 4, 3, 8}, far[] = {0, 2, 4, 6, 9};
    static const double wrong[] = {1, -1, NAN, 1.5, -1, 2, 1.5, 7}, short_q[] = {1, 2, 3},
                        infinite[] = {1, INFINITY, 0, 0};
    const vector few[] = {{"mu", 2, mu}, {"q", 3, short_q}}, endless[] = {{"mu", 2, mu}, {"q", 4, infinite}},
                 half[] = {{"mu", 1, mu}, {"q", 4, q}};
    stored s = by_rows;
    refuse(&s, 5, local_vectors, 2, "5 rows");
    refuse(&s, 3, local_vectors, 2, "not a multiple of 3");
    refuse(&s, 2, local_vectors, 1, "no dataset vectors/q");
    refuse(&s, 2, few, 2, "vectors/q has 3 numbers; expected 4");
    refuse(&s, 2, endless, 2, "number 1 of vectors/q is not finite");
    refuse(&s, 2, half, 2, "vectors/mu has 1 numbers; expected 2");
    s.i = outside;
    refuse(&s, 2, local_vectors, 2, "row 3, column 4");
    s.i = before;
    refuse(&s, 2, local_vectors, 2, "row 3, column -1");
    s = by_rows;
    s.p = back;
    refuse(&s, 2, local_vectors, 2, "W/p runs from 4 to 3");
    s.p = far;
    refuse(&s, 2, local_vectors, 2, "W/p runs from 6 to 9");
    s = by_rows;
    s.ps = 4;
    refuse(&s, 2, local_vectors, 2, "W/p has 4 numbers; expected 5");
    s = by_rows;
    s.x = wrong;
    refuse(&s, 2, local_vectors, 2, "not finite at row 1, column 1");
    s = by_rows;
    s.nz = 9;
    refuse(&s, 2, local_vectors, 2, "9 entries");
    s = by_rows;
    s.name = "V";
    refuse(&s, 2, local_vectors, 2, "equality constraints");
    write_file("fclib_other", 2, &by_rows, 1, local_vectors, 2);
    expect_refusal("neither fclib_local nor fclib_global");
}

static void test_cut_files(void **state) {
    (void)state;
    char copy[16384];
    write_file("fclib_local", 2, &by_rows, 1, local_vectors, 2);
    FILE *file = fopen(path, "rb");
    const size_t bytes = fread(copy, 1, sizeof copy, file);
    fclose(file);
    assert_in_range(bytes, 1000, sizeof copy - 1);
    for (size_t kept = 0; kept < bytes; kept += 97) {
        rps_cone_problem p;
        file = fopen(path, "wb");
        assert_int_equal(fwrite(copy, 1, kept, file), kept);
        fclose(file);
        assert_int_not_equal(rps_cone_problem_read(&p, NULL, path, NULL), RPS_OK);
        rps_cone_problem_release(&p);
    }
}

/* --- W that no masses have ---------------------------------------------------------------------------------------------- */

static double curvature_of(const rps_cone_entry *entry, size_t entries) {
    static const double coefficients[] = {0.3, 0.3}, velocities[] = {-1, 0, -1, 0};
    rps_cone_problem p;
    rps_error err;
    double curvature;
    assert_int_equal(rps_cone_problem_make(&p, NULL, 2, 2, coefficients, NULL, NULL, velocities, entry, entries, &err),
                     RPS_OK);
    assert_int_equal(rps_cone_find_negative(&p, &curvature, &err), RPS_OK);
    rps_cone_problem_release(&p);
    return curvature;
}

static void test_indefinite(void **state) {
    (void)state;
    /* eigenvalues 1 +- 1.0001 of the normals: one just below zero; tangents 1. The mean diagonal is 1. */
    const rps_cone_entry below[] = {{0, 0, 1}, {2, 2, 1}, {0, 2, 1.0001}, {2, 0, 1.0001}, {1, 1, 1}, {3, 3, 1}};
    const double found = curvature_of(below, 6);
    assert_true(found < RPS_CONE_NEGATIVE && found >= -1.0001e-4);
    /* two plates that share a ball: W is semidefinite */
    const rps_cone_entry plates[] = {{0, 0, 1}, {2, 2, 1}, {0, 2, -1}, {2, 0, -1}, {1, 1, 3.5}, {3, 3, 3.5}};
    assert_true(curvature_of(plates, 6) >= RPS_CONE_NEGATIVE);
}

static int make_path(void **state) {
    (void)state;
    const int file = mkstemp(path);
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_to_store), cmocka_unit_test(test_velocities), cmocka_unit_test(test_full_mass),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_cut_files),  cmocka_unit_test(test_indefinite),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
