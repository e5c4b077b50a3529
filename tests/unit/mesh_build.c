/*
 * Meshes of raw triangles: volumes and moments in closed form, folds and patches of known bodies, and the same bits whatever the
 * order in the file.
 */
#include "mesh_common.h"

static size_t count_folds(const rps_mesh *m, rps_mesh_fold fold) {
    size_t count = 0;
    for (size_t e = 0; e < m->edges; e++) count += m->fold[e] == (uint8_t)fold ? 1 : 0;
    return count;
}

/* Row 29 of the statement: V = 1/6, of unit density I_xx = 1/80 and I_xy = +1/480 about the center. */
static void test_tetrahedron(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    mesh_add_tetrahedron(&raw);
    mesh_make(&raw, NULL, &m, NULL);
    assert_true(m.closed);
    assert_int_equal(m.points, 4);
    assert_int_equal(m.triangles, 4);
    assert_int_equal(m.edges, 6);
    assert_int_equal(m.patches, 4);
    assert_int_equal(count_folds(&m, RPS_FOLD_CONVEX), 6);
    const double round = 4e-16; /* a few roundings of terms of the size of the result */
    ASSERT_NEAR(m.volume, 1.0 / 6.0, round);
    ASSERT_NEAR(m.area, 1.5 + 0.5 * sqrt(3.0), 4 * round);
    ASSERT_NEAR(m.center.x, 0.25, round);
    ASSERT_NEAR(m.center.y, 0.25, round);
    ASSERT_NEAR(m.center.z, 0.25, round);
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(m.volume * m.inertia[k], 1.0 / 80.0, round);
        ASSERT_NEAR(m.volume * m.inertia[3 + k], 1.0 / 480.0, round);
    }
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

static void test_cube(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    mesh_add_cube(&raw, rps_vec3_make(3, -2, 1), 2.0);
    rps_mesh_options options = rps_mesh_options_default();
    options.factor = 1e-3;
    options.shift = rps_vec3_make(-3e-3, 2e-3, -1e-3);
    mesh_make(&raw, &options, &m, NULL);
    assert_int_equal(m.patches, 6);
    assert_int_equal(count_folds(&m, RPS_FOLD_CONVEX), 12);
    assert_int_equal(count_folds(&m, RPS_FOLD_FLAT), 6);
    /* relative: roundings of the shifted coordinates, three of them in a volume */
    ASSERT_NEAR(m.volume, 8e-9, 8e-9 * 4e-15);
    ASSERT_NEAR(m.area, 24e-6, 24e-6 * 4e-15);
    ASSERT_NEAR(rps_vec3_norm(m.center), 0.0, 1e-18);
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(m.inertia[k], 2.0 / 3.0 * 1e-6, 1e-20);
        ASSERT_NEAR(m.inertia[3 + k], 0.0, 1e-20);
        ASSERT_NEAR(m.box.low[k], -1e-3, 1e-18);
        ASSERT_NEAR(m.box.high[k], 1e-3, 1e-18);
    }
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* Row 30 of the statement, with the digits it gives. */
static void test_icosphere(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    mesh_add_icosphere(&raw, rps_vec3_zero(), 1.0, 4);
    mesh_make(&raw, NULL, &m, NULL);
    assert_int_equal(m.triangles, 20 * 256);
    assert_int_equal(m.points, 2 + 10 * 256);
    assert_true(m.closed);
    assert_int_equal(count_folds(&m, RPS_FOLD_CONVEX), m.edges);
    ASSERT_NEAR(m.volume, 4.17974, 5e-6);
    for (int k = 0; k < 3; k++) ASSERT_NEAR(m.volume * m.inertia[k], 1.66949, 5e-6);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* A turned and moved body: the same volume, the center and the moments moved with it. */
static void test_moved(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    mesh_add_tetrahedron(&raw);
    rps_mesh_options options = rps_mesh_options_default();
    options.turn = rps_quat_from_axis_angle(rps_vec3_normalize(rps_vec3_make(1, 2, 3)), 0.7);
    options.shift = rps_vec3_make(0.4, -0.3, 0.2);
    mesh_make(&raw, &options, &m, NULL);
    const rps_vec3 center = rps_vec3_add(rps_quat_rotate(options.turn, rps_vec3_make(0.25, 0.25, 0.25)), options.shift);
    ASSERT_NEAR(m.volume, 1.0 / 6.0, 1e-15);
    ASSERT_NEAR(rps_vec3_norm(rps_vec3_sub(m.center, center)), 0.0, 1e-15);
    rps_mat3 inertia = {{{3.0 / 40.0, 1.0 / 80.0, 1.0 / 80.0},
                         {1.0 / 80.0, 3.0 / 40.0, 1.0 / 80.0},
                         {1.0 / 80.0, 1.0 / 80.0, 3.0 / 40.0}}};
    const rps_mat3 turn = rps_quat_to_mat3(options.turn), back = rps_mat3_transpose(&turn);
    inertia = rps_mat3_mul(&inertia, &back);
    inertia = rps_mat3_mul(&turn, &inertia);
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) ASSERT_NEAR(m.inertia[k], inertia.m[row[k]][column[k]], 1e-15);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

/* An L of two plates, seen from both sides. */
static void test_folds(void **state) {
    (void)state;
    for (int side = 0; side < 2; side++) {
        rps_raw_mesh raw = {0};
        rps_mesh m;
        const uint32_t a = mesh_add_point(&raw, 0, 0, 0), b = mesh_add_point(&raw, 0, 1, 0);
        const uint32_t c = mesh_add_point(&raw, 1, 0.5, 0), d = mesh_add_point(&raw, 0, 0.5, side == 0 ? 1 : -1);
        mesh_add_triangle(&raw, a, c, b); /* upward */
        mesh_add_triangle(&raw, a, b, d);
        mesh_make(&raw, NULL, &m, NULL);
        assert_int_equal(count_folds(&m, RPS_FOLD_BOUNDARY), 4);
        assert_int_equal(count_folds(&m, side == 0 ? RPS_FOLD_CONCAVE : RPS_FOLD_CONVEX), 1);
        assert_false(m.closed);
        assert_true(m.volume == 0.0);
        rps_mesh_release(&m);
        mesh_free_raw(&raw);
    }
}

/* Points as in STL, in any order, with any first corner: every array has the same bits. So it is if points differ by less than
 * the weld length, with chains of them. */
static void test_any_order(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    mesh_add_sheet(&raw, 40, 0.5, 1);
    mesh_add_icosphere(&raw, rps_vec3_make(0.5, 0.5, 2.0), 0.4, 3);
    mesh_add_cube(&raw, rps_vec3_make(0.3, 0.2, -2.0), 0.7);
    mesh_separate(&raw);
    for (size_t p = 0; p < raw.points; p++) {
        for (int k = 0; k < 3; k++) raw.point[p][k] += uniform(7, 3 * p + (uint64_t)k, -1.0, 1.0) * 3e-6;
    }
    rps_mesh first;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH; /* what is torn and welded in part has branches */
    mesh_make(&raw, &options, &first, &report);
    /* weld length 4.6e-6: some corners are welded, some are not */
    assert_true(report.found[RPS_FOUND_WELDED].count > 1000);
    assert_true(first.points < raw.points - 1000);
    for (uint64_t stream = 1; stream <= 8; stream++) {
        rps_mesh again;
        mesh_shuffle(&raw, 100 * stream);
        mesh_make(&raw, &options, &again, NULL);
        mesh_compare(&first, &again);
        rps_mesh_release(&again);
    }
    rps_mesh_release(&first);
    mesh_free_raw(&raw);
}

/* Welded points are farther apart than the weld length, and none has moved by more: a row of points closer than this keeps its
 * length. */
static void test_weld(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = 1e-2;
    enum { ROW = 350 }; /* four steps are more than the weld length, three are less */
    const uint32_t top = mesh_add_point(&raw, 0.5, 1.0, 0.0);
    for (uint32_t k = 0; k <= ROW; k++) mesh_add_point(&raw, (double)k / ROW, 0.0, 0.0);
    for (uint32_t k = 1; k <= ROW; k++) mesh_add_triangle(&raw, k, k + 1, top);
    mesh_make(&raw, &options, &m, &report);
    for (size_t p = 0; p < m.points; p++) {
        for (size_t q = p + 1; q < m.points; q++) {
            const rps_vec3 apart = rps_vec3_sub(rps_vec3_of(m.point[p]), rps_vec3_of(m.point[q]));
            assert_true(rps_vec3_norm(apart) > 1e-2);
        }
    }
    assert_int_equal(m.points, ROW / 4 + 2);
    assert_int_equal(report.found[RPS_FOUND_WELDED].count, ROW + 2 - m.points);
    ASSERT_NEAR(m.area, 0.5, 0.5 * 1e-2);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

static void test_removed(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh m;
    rps_mesh_report report;
    mesh_add_tetrahedron(&raw);
    mesh_add_point(&raw, 7, 7, 7);
    mesh_add_triangle(&raw, 0, 1, 1);
    mesh_add_triangle(&raw, 1, 2, 3);
    mesh_add_triangle(&raw, 3, 1, 2);
    mesh_add_triangle(&raw, 0, 1, 2); /* the other turn of the second */
    mesh_make(&raw, NULL, &m, &report);
    assert_int_equal(m.triangles, 4);
    assert_int_equal(report.found[RPS_FOUND_UNUSED].count, 1);
    assert_int_equal(report.found[RPS_FOUND_NO_AREA].count, 1);
    assert_int_equal(report.found[RPS_FOUND_NO_AREA].place[0].triangle, 4);
    assert_int_equal(report.found[RPS_FOUND_DUPLICATE].count, 2);
    assert_int_equal(report.found[RPS_FOUND_OPPOSED].count, 1);
    assert_int_equal(report.found[RPS_FOUND_OPPOSED].place[0].triangle, 7);
    ASSERT_NEAR(fabs(m.volume), 1.0 / 6.0, 1e-15);
    rps_mesh_release(&m);
    mesh_free_raw(&raw);
}

static void test_refused(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    mesh_refused(&raw, NULL, "no triangles");
    mesh_add_tetrahedron(&raw);
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = 0.0;
    mesh_refused(&raw, &options, "`weld`");
    options = rps_mesh_options_default();
    options.factor = -1.0;
    mesh_refused(&raw, &options, "unit");
    options.factor = 1e300;
    mesh_refused(&raw, &options, "farther than 1e30 m or not finite");
    options.factor = 1.0;
    options.shift.x = 1e12;
    mesh_refused(&raw, &options, "from the origin");
    raw.triangle[2][1] = 4;
    mesh_refused(&raw, NULL, "triangle 3 names point 5, and there are 4");
    raw.triangle[2][1] = 2;
    raw.point[3][2] = NAN;
    mesh_refused(&raw, NULL, "(0, 0, nan)");
    raw.point[3][2] = INFINITY;
    mesh_refused(&raw, NULL, "(0, 0, inf)");
    for (int k = 0; k < 4; k++) raw.point[k][0] = raw.point[k][1] = raw.point[k][2] = 1.0;
    mesh_refused(&raw, NULL, "extent of 0 m");
    for (int k = 0; k < 4; k++) raw.point[k][0] = k;
    mesh_refused(&raw, NULL, "none of the 4 triangles");
    mesh_free_raw(&raw);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tetrahedron), cmocka_unit_test(test_cube),    cmocka_unit_test(test_icosphere),
        cmocka_unit_test(test_moved),       cmocka_unit_test(test_folds),   cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_weld),        cmocka_unit_test(test_removed), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
