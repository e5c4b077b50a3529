/*
 * Repairs, notes and refusals when a mesh is made. A mesh that was broken without change of its surface must have the same
 * bits as the sound one.
 */
#include "mesh_common.h"

static size_t count_edges(const rps_mesh *m, rps_mesh_fold fold) {
    size_t count = 0;
    for (size_t e = 0; e < m->edges; e++) count += m->fold[e] == (uint8_t)fold ? 1 : 0;
    return count;
}

/* Builds, checks that the listed numbers (finding, count, ... -1) were found and nothing else. */
static void make_with(rps_raw_mesh *raw, const rps_mesh_options *options, rps_mesh *m, const int *expected) {
    rps_mesh_report report;
    mesh_make(raw, options, m, &report);
    for (int k = 0; k < RPS_FINDINGS; k++) {
        size_t count = 0;
        for (const int *e = expected; *e >= 0; e += 2) count = *e == k ? (size_t)e[1] : count;
        if (report.found[k].count == count || k == RPS_FOUND_SLIVER) continue; /* mesh_survey.c tests these */
        rps_text text;
        rps_text_init(&text, NULL, 10000);
        rps_mesh_describe(&report, (rps_finding)k, &text, NULL);
        fail_msg("finding %d: %zu expected, told: %s", k, count, rps_text_string(&text));
    }
}
#define FOUND(...) ((const int[]){__VA_ARGS__, -1})

static void reverse_triangle(rps_raw_mesh *raw, size_t t) {
    const uint32_t last = raw->triangle[t][2];
    raw->triangle[t][2] = raw->triangle[t][1];
    raw->triangle[t][1] = last;
}

/* --- edges -------------------------------------------------------------------------------------------------------- */

/* Two squares side by side, the border on one side of one edge and on the other of `fine`, slightly off the line. */
static void add_uneven(rps_raw_mesh *raw, uint32_t fine, double off) {
    const uint32_t a = mesh_add_point(raw, -1, 0, 0), b = mesh_add_point(raw, -1, 1, 0);
    const uint32_t c = mesh_add_point(raw, 0, 0, 0), d = mesh_add_point(raw, 0, 1, 0);
    const uint32_t e = mesh_add_point(raw, 1, 0, 0), f = mesh_add_point(raw, 1, 1, 0);
    mesh_add_triangle(raw, a, c, d);
    mesh_add_triangle(raw, a, d, b);
    mesh_add_triangle(raw, e, f, d);
    uint32_t from = c;
    for (uint32_t k = 1; k <= fine; k++) {
        const uint32_t to = k == fine ? d : mesh_add_point(raw, off * uniform(3, k, -1, 1), (double)k / fine, 0);
        mesh_add_triangle(raw, from, e, to);
        from = to;
    }
}

static void test_uneven_border(void **state) {
    (void)state;
    static const uint32_t fine[] = {2, 3, 17, 1000};
    for (size_t n = 0; n < sizeof fine / sizeof *fine; n++) {
        rps_raw_mesh raw = {0};
        rps_mesh m, again;
        add_uneven(&raw, fine[n], n == 3 ? 1e-6 : 0.0); /* the weld length is 2e-6 */
        make_with(&raw, NULL, &m, FOUND(RPS_FOUND_SPLIT, (int)fine[n] - 1, RPS_FOUND_BOUNDARY, 6));
        assert_int_equal(m.triangles, 3 + 2 * fine[n] - 1);
        assert_int_equal(m.patches, 1);
        ASSERT_NEAR(m.area, 2.0, 2e-15 + 2e-18 * fine[n]);
        mesh_shuffle(&raw, n);
        mesh_make(&raw, NULL, &again, NULL);
        mesh_compare(&m, &again);
        rps_mesh_release(&m);
        rps_mesh_release(&again);
        mesh_free_raw(&raw);
    }
}

/* Plates in rows like bricks: they have no corner in common, and no row has one of another. */
static void test_bricks(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    enum { ROWS = 5, BRICKS = 7 };
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < BRICKS; k++) {
            const double x = k + 0.37 * row, y = row;
            const uint32_t a = mesh_add_point(&raw, x, y, 0), b = mesh_add_point(&raw, x + 1, y, 0);
            const uint32_t c = mesh_add_point(&raw, x + 1, y + 1, 0), d = mesh_add_point(&raw, x, y + 1, 0);
            mesh_add_triangle(&raw, a, b, c);
            mesh_add_triangle(&raw, a, c, d);
        }
    }
    rps_mesh_report report;
    mesh_make(&raw, NULL, &m, &report);
    assert_int_equal(m.patches, 1);
    ASSERT_NEAR(m.area, ROWS * BRICKS, 1e-13);
    /* bottom and top, the ends of the rows, and the steps between these */
    ASSERT_NEAR(report.found[RPS_FOUND_BOUNDARY].amount, 2 * BRICKS + 2 * ROWS + 2 * 0.37 * (ROWS - 1), 1e-13);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* A cube with a triangle without area along an edge, as CAD programs fill the gap of a T-junction. */
static void test_cap(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    mesh_add_cube(&raw, rps_vec3_zero(), 2.0);
    const uint32_t a = raw.triangle[0][0], b = raw.triangle[0][1], c = raw.triangle[0][2];
    const double *x = raw.point[a], *y = raw.point[b];
    const uint32_t middle = mesh_add_point(&raw, 0.5 * (x[0] + y[0]), 0.5 * (x[1] + y[1]), 0.5 * (x[2] + y[2]));
    raw.triangle[0][1] = middle;
    mesh_add_triangle(&raw, middle, b, c);
    mesh_add_triangle(&raw, a, b, middle);
    make_with(&raw, NULL, &m, FOUND(RPS_FOUND_NO_AREA, 1, RPS_FOUND_SPLIT, 1));
    assert_true(m.closed);
    assert_int_equal(m.triangles, 14);
    assert_int_equal(m.patches, 6);
    ASSERT_NEAR(m.volume, 8.0, 1e-14);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* Corners open by less than the weld length are joined, those open by more are a boundary of that length. */
static void test_gap(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        rps_raw_mesh raw = {0};
        rps_mesh m;
        mesh_add_cube(&raw, rps_vec3_zero(), 1.0);
        mesh_separate(&raw);
        for (int k = 0; k < 3; k++) raw.point[k][2] += wide ? 1e-4 : 3e-7;
        rps_mesh_report report;
        mesh_make(&raw, NULL, &m, &report);
        assert_int_equal(m.closed, wide == 0);
        assert_int_equal(report.found[RPS_FOUND_WELDED].count, wide ? 0 : 3);
        if (wide) ASSERT_NEAR(report.found[RPS_FOUND_BOUNDARY].amount, 2 * (2 + sqrt(2.0)), 1e-3);
        rps_mesh_release(&m);
        mesh_free_raw(&raw);
    }
}

/* --- sides -------------------------------------------------------------------------------------------------------- */

/* Reversed triangles, at random or all: the mesh is that of the sound file, bit by bit. */
static void test_reversed(void **state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        rps_raw_mesh raw = {0};
        rps_mesh sound, m;
        if (open)
            mesh_add_sheet(&raw, 20, 0.4, 5);
        else
            mesh_add_icosphere(&raw, rps_vec3_make(1, 2, 3), 1.5, 3);
        mesh_make(&raw, NULL, &sound, NULL);
        int reversed = 0;
        for (size_t t = 0; t < raw.triangles; t++) {
            if (uniform(6, t, 0, 1) > 0.3) continue;
            reverse_triangle(&raw, t);
            reversed++;
        }
        make_with(&raw, NULL, &m, FOUND(RPS_FOUND_TURNED, reversed, RPS_FOUND_BOUNDARY, open ? 80 : 0));
        mesh_compare(&sound, &m);
        rps_mesh_release(&m);
        if (!open) {
            for (size_t t = 0; t < raw.triangles; t++) reverse_triangle(&raw, t);
            make_with(&raw, NULL, &m, FOUND(RPS_FOUND_TURNED, reversed, RPS_FOUND_INSIDE_OUT, 1));
            mesh_compare(&sound, &m);
            rps_mesh_release(&m);
        }
        rps_mesh_release(&sound);
        mesh_free_raw(&raw);
    }
}

static void test_flip(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m, flipped;
    rps_mesh_options options = rps_mesh_options_default();
    options.flip = true;
    mesh_add_sheet(&raw, 9, 0.4, 5);
    mesh_make(&raw, NULL, &m, NULL);
    mesh_make(&raw, &options, &flipped, NULL);
    assert_true(m.normal[0][2] > 0.0);
    assert_true(flipped.normal[0][2] < 0.0);
    assert_int_equal(count_edges(&m, RPS_FOLD_CONVEX), count_edges(&flipped, RPS_FOLD_CONCAVE));
    rps_mesh_release(&m);
    rps_mesh_release(&flipped);
    mesh_free_raw(&raw);
    mesh_add_cube(&raw, rps_vec3_zero(), 1.0);
    mesh_refused(&raw, &options, "`side: inner`");
    mesh_free_raw(&raw);
}

/* A strip turned by 180 degrees has one side, one turned by 360 has two. */
static void test_moebius(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_options both = rps_mesh_options_default();
    both.side = RPS_MESH_BOTH;
    mesh_add_ring(&raw, 60, 2);
    make_with(&raw, NULL, &m, FOUND(RPS_FOUND_BOUNDARY, 120));
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
    mesh_add_ring(&raw, 60, 1);
    mesh_refused(&raw, NULL, "1 edges whose triangles do not turn alike");
    mesh_refused(&raw, NULL, "`side: both`");
    make_with(&raw, &both, &m, FOUND(RPS_FOUND_BOUNDARY, 120, RPS_FOUND_TWISTED, 1));
    assert_false(m.closed);
    assert_int_equal(count_edges(&m, RPS_FOLD_MANY), 1);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* A plate on the edge of two others. */
static void test_branch(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_options both = rps_mesh_options_default();
    both.side = RPS_MESH_BOTH;
    const uint32_t a = mesh_add_point(&raw, 0, 0, 0), b = mesh_add_point(&raw, 0, 1, 0);
    mesh_add_triangle(&raw, a, b, mesh_add_point(&raw, -1, 0, 0));
    mesh_add_triangle(&raw, a, b, mesh_add_point(&raw, 1, 0, 0));
    mesh_add_triangle(&raw, a, b, mesh_add_point(&raw, 0, 0, 1));
    mesh_refused(&raw, NULL, "1 edges of three or more triangles; triangle 1 at (0, 0, 0) m");
    make_with(&raw, &both, &m, FOUND(RPS_FOUND_BRANCHED, 1, RPS_FOUND_BOUNDARY, 6));
    assert_int_equal(count_edges(&m, RPS_FOLD_MANY), 1);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* A box without lid: the boundary is as long as its rim, and a warning unless both sides are touched. */
static void test_open_box(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    mesh_add_cube(&raw, rps_vec3_zero(), 3.0);
    raw.triangles -= 2;
    mesh_make(&raw, NULL, &m, &report);
    assert_false(m.closed);
    assert_true(m.volume == 0.0);
    assert_int_equal(report.shells, 1);
    assert_int_equal(report.closed_shells, 0);
    ASSERT_NEAR(report.found[RPS_FOUND_BOUNDARY].amount, 12.0, 1e-14);
    assert_int_equal(rps_mesh_kind_of(&report, RPS_FOUND_BOUNDARY), RPS_FINDING_WARNING);
    rps_mesh_release(&m);
    options.side = RPS_MESH_BOTH;
    mesh_make(&raw, &options, &m, &report);
    assert_int_equal(rps_mesh_kind_of(&report, RPS_FOUND_BOUNDARY), RPS_FINDING_NOTE);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* --- shells ------------------------------------------------------------------------------------------------------- */

static void expect_nest(const double *size, int count, double volume, const int *expected) {
    rps_raw_mesh raw = {0};
    rps_mesh m;
    for (int k = 0; k < count; k++) mesh_add_cube(&raw, rps_vec3_make(0.1 * k, 0.03, 0), size[k]);
    make_with(&raw, NULL, &m, expected);
    assert_true(m.closed);
    ASSERT_NEAR(m.volume, volume, 1e-13);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* Cubes in each other; a negative size is inside out. */
static void test_nests(void **state) {
    (void)state;
    expect_nest((double[]){4, -2}, 2, 56, FOUND(RPS_FOUND_CAVITY, 1));
    expect_nest((double[]){-2, 4}, 2, 56, FOUND(RPS_FOUND_CAVITY, 1));
    expect_nest((double[]){2, -4}, 2, 56, FOUND(RPS_FOUND_CAVITY, 1, RPS_FOUND_INSIDE_OUT, 2));
    expect_nest((double[]){2, 4}, 2, 72, FOUND(RPS_FOUND_DOUBLE_WALL, 1));
    expect_nest((double[]){6, -4, 2}, 3, 216 - 64 + 8, FOUND(RPS_FOUND_CAVITY, 2));
    expect_nest((double[]){-2, -6, 4, 1}, 4, 216 - 64 + 8 - 1, FOUND(RPS_FOUND_CAVITY, 3, RPS_FOUND_INSIDE_OUT, 4));
    expect_nest((double[]){6, -4, -2}, 3, 216 - 64 - 8, FOUND(RPS_FOUND_CAVITY, 1, RPS_FOUND_DOUBLE_WALL, 1));
}

/* Bodies beside each other, some of which touch on a face, are in none; each is turned by itself. */
static void test_neighbors(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    mesh_add_cube(&raw, rps_vec3_make(0, 0, 0), 2.0);
    mesh_add_cube(&raw, rps_vec3_make(1.5, 0.2, 0.1), -1.0); /* both touch the first, from left and right */
    mesh_add_cube(&raw, rps_vec3_make(-1.5, 0.2, 0.1), 1.0);
    mesh_add_icosphere(&raw, rps_vec3_make(0, 0, 5), 1.0, 2);
    rps_mesh_report report;
    mesh_make(&raw, NULL, &m, &report);
    assert_int_equal(report.closed_shells, 4);
    assert_int_equal(report.found[RPS_FOUND_INSIDE_OUT].count, 1);
    assert_int_equal(report.found[RPS_FOUND_CAVITY].count, 0);
    assert_int_equal(report.found[RPS_FOUND_DOUBLE_WALL].count, 0);
    assert_int_equal(report.found[RPS_FOUND_CROSSING].count, 0);
    assert_true(report.found[RPS_FOUND_OVERLAPPING].count > 0);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* Many balls in balls: the nesting is that of the centers and radii. */
static void test_many_shells(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_report report;
    for (int k = 0; k < 64; k++) {
        const rps_vec3 at = rps_vec3_make(3 * (k % 4), 3 * (k / 4 % 4), 3 * (k / 16));
        mesh_add_icosphere(&raw, at, 1.0, 1);
        if (k % 2 == 0) {
            const size_t before = raw.triangles;
            mesh_add_icosphere(&raw, at, 0.5, 1);
            for (size_t t = before; t < raw.triangles && k % 4 == 0; t++) reverse_triangle(&raw, t);
        }
    }
    mesh_make(&raw, NULL, &m, &report);
    assert_int_equal(report.closed_shells, 96);
    assert_int_equal(report.found[RPS_FOUND_CAVITY].count, 16);
    assert_int_equal(report.found[RPS_FOUND_DOUBLE_WALL].count, 16);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* --- crossings ---------------------------------------------------------------------------------------------------- */

/* By determinants: a segment from p to q passes through the triangle. */
static bool segment_meets(rps_vec3 p, rps_vec3 q, const rps_vec3 t[3]) {
    const rps_vec3 u = rps_vec3_sub(t[1], t[0]), v = rps_vec3_sub(t[2], t[0]), w = rps_vec3_sub(q, p);
    const rps_vec3 h = rps_vec3_cross(w, v), s = rps_vec3_sub(p, t[0]), g = rps_vec3_cross(s, u);
    const double det = rps_vec3_dot(u, h), a = rps_vec3_dot(s, h) / det, b = rps_vec3_dot(w, g) / det;
    const double at = rps_vec3_dot(v, g) / det;
    return a > 0 && b > 0 && a + b < 1 && at > 0 && at < 1;
}

/* Triangles at random: the tree finds the pairs that a loop over all pairs finds. */
static void test_crossings(void **state) {
    (void)state;
    enum { COUNT = 300 };
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_report report;
    static rps_vec3 t[COUNT][3];
    for (size_t k = 0; k < COUNT; k++) {
        const rps_vec3 at = random_vec(11, 4 * k);
        uint32_t n[3];
        for (size_t c = 0; c < 3; c++) {
            t[k][c] = rps_vec3_add_scaled(at, 0.4, random_vec(11, 4 * k + 1 + c));
            n[c] = mesh_add_point(&raw, t[k][c].x, t[k][c].y, t[k][c].z);
        }
        mesh_add_triangle(&raw, n[0], n[1], n[2]);
    }
    size_t pairs = 0;
    for (size_t a = 0; a < COUNT; a++) {
        for (size_t b = a + 1; b < COUNT; b++) {
            bool meet = false;
            for (int k = 0; k < 3; k++) {
                meet = meet || segment_meets(t[a][k], t[a][(k + 1) % 3], t[b]);
                meet = meet || segment_meets(t[b][k], t[b][(k + 1) % 3], t[a]);
            }
            pairs += meet ? 1 : 0;
        }
    }
    mesh_make(&raw, NULL, &m, &report);
    assert_int_equal(report.found[RPS_FOUND_CROSSING].count, pairs);
    assert_true(pairs > 100);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* A plate that stands on a wall crosses nothing; one that goes through does, also beside a common corner. */
static void test_touching(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_options both = rps_mesh_options_default();
    both.side = RPS_MESH_BOTH;
    for (int deep = 0; deep < 2; deep++) {
        mesh_add_sheet(&raw, 4, 0.0, 1);
        const double low = deep ? -0.1 : 0.0;
        const uint32_t a = mesh_add_point(&raw, 0.11, 0.13, low), b = mesh_add_point(&raw, 0.83, 0.71, low);
        mesh_add_triangle(&raw, a, b, mesh_add_point(&raw, 0.4, 0.4, 0.7));
        rps_mesh_report report;
        mesh_make(&raw, &both, &m, &report);
        assert_int_equal(report.found[RPS_FOUND_CROSSING].count > 0, deep);
        rps_mesh_release(&m);
        mesh_free_raw(&raw);
    }
    const uint32_t o = mesh_add_point(&raw, 0, 0, 0);
    mesh_add_triangle(&raw, o, mesh_add_point(&raw, 1, -1, 0), mesh_add_point(&raw, 1, 1, 0));
    mesh_add_triangle(&raw, o, mesh_add_point(&raw, 0.5, 0, -1), mesh_add_point(&raw, 0.5, 0.1, 1));
    make_with(&raw, NULL, &m, FOUND(RPS_FOUND_BOUNDARY, 6, RPS_FOUND_CROSSING, 1));
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static void test_words(void **state) {
    (void)state;
    rps_mesh_report report = {0};
    rps_text text;
    rps_text_init(&text, NULL, 10000);
    MUST(rps_mesh_describe(&report, RPS_FOUND_BOUNDARY, &text, ERR));
    assert_string_equal(rps_text_string(&text), "");
    for (uint32_t k = 0; k < 4; k++) rps_mesh_note(&report, RPS_FOUND_BOUNDARY, k, (double[]){0.25 * k, -1, 1e-3});
    report.found[RPS_FOUND_BOUNDARY].amount = 2.5;
    MUST(rps_mesh_describe(&report, RPS_FOUND_BOUNDARY, &text, ERR));
    assert_string_equal(
        rps_text_string(&text),
        "4 edges of one triangle alone: the surface ends there, and bodies may come behind it, 2.5 m in "
        "all; triangle 1 at (0, -1, 0.001) m, triangle 2 at (0.25, -1, 0.001) m, triangle 3 at (0.5, "
        "-1, 0.001) m, ...");
    rps_text_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uneven_border), cmocka_unit_test(test_bricks),    cmocka_unit_test(test_cap),
        cmocka_unit_test(test_gap),           cmocka_unit_test(test_reversed),  cmocka_unit_test(test_flip),
        cmocka_unit_test(test_moebius),       cmocka_unit_test(test_branch),    cmocka_unit_test(test_open_box),
        cmocka_unit_test(test_nests),         cmocka_unit_test(test_neighbors), cmocka_unit_test(test_many_shells),
        cmocka_unit_test(test_crossings),     cmocka_unit_test(test_touching),  cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
