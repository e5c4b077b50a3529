/* Ridges and tips of meshes: none on planes, those of the solid on solids, whatever the triangles; and how planes move back. */
#include "mesh_common.h"

static void count_of(const rps_raw_mesh *raw, rps_mesh_side side, size_t ridges, size_t tips) {
    rps_mesh_options options = rps_mesh_options_default();
    rps_mesh mesh;
    rps_mesh_report report;
    options.side = side;
    mesh_make(raw, &options, &mesh, &report);
    assert_int_equal(mesh.ridges, ridges);
    assert_int_equal(mesh.tips, tips);
    rps_mesh_release(&mesh);
}

/* A flat square of n x n squares has its outline alone. */
static void test_square(void **state) {
    (void)state;
    for (uint32_t n = 1; n < 12; n += 5) {
        rps_raw_mesh raw = {0};
        for (uint32_t k = 0; k < (n + 1) * (n + 1); k++) {
            const uint32_t i = k / (n + 1), j = k % (n + 1);
            const bool in = i > 0 && i < n && j > 0 && j < n;
            mesh_add_point(&raw, (double)i / n + (in ? 0.2 / n * sin(k) : 0.0),
                           (double)j / n + (in ? 0.3 / n * cos(k) : 0.0), 0.0);
        }
        for (uint32_t k = 0; k < n * n; k++) {
            const uint32_t a = k / n * (n + 1) + k % n, b = a + n + 1;
            mesh_add_triangle(&raw, a, b, b + 1);
            mesh_add_triangle(&raw, a, b + 1, a + 1);
        }
        count_of(&raw, RPS_MESH_OUTER, 4, 4);
        count_of(&raw, RPS_MESH_BOTH, 4, 4);
        mesh_free_raw(&raw);
    }
}

/* A cube has 12 and 8 outside, and none inside, where all its edges are folds. */
static void test_solids(void **state) {
    (void)state;
    rps_raw_mesh cube = {0}, corner = {0}, ball = {0};
    mesh_add_cube(&cube, rps_vec3_zero(), 1.0);
    count_of(&cube, RPS_MESH_OUTER, 12, 8);
    count_of(&cube, RPS_MESH_INNER, 0, 0);
    count_of(&cube, RPS_MESH_BOTH, 12, 8);
    mesh_add_tetrahedron(&corner);
    count_of(&corner, RPS_MESH_OUTER, 6, 4);
    mesh_add_icosphere(&ball, rps_vec3_zero(), 1.0, 2);
    count_of(&ball, RPS_MESH_OUTER, 480, 162);
    count_of(&ball, RPS_MESH_INNER, 0, 0);
    mesh_free_raw(&cube);
    mesh_free_raw(&corner);
    mesh_free_raw(&ball);
}

/* A step: two treads and a riser, 2 long. Its upper edge is a ridge from outline to outline, its fold none. */
static void test_step(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    static const double path[4][2] = {{-1.0, 1.0}, {0.0, 1.0}, {0.0, 0.0}, {1.0, 0.0}};
    for (int k = 0; k < 4; k++) {
        for (int y = 0; y < 3; y++) mesh_add_point(&raw, path[k][0], y - 1.0, path[k][1]);
    }
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t y = 0; y < 2; y++) {
            const uint32_t a = 3 * k + y;
            mesh_add_triangle(&raw, a, a + 3, a + 4);
            mesh_add_triangle(&raw, a, a + 4, a + 1);
        }
    }
    /* the outline: two ends and three straight lines on either side; one ridge in the middle */
    count_of(&raw, RPS_MESH_OUTER, 9, 8);
    rps_mesh_options options = rps_mesh_options_default();
    rps_mesh mesh;
    rps_mesh_report report;
    mesh_make(&raw, &options, &mesh, &report);
    size_t middle = 0;
    for (size_t n = 0; n < mesh.ridges; n++) {
        const rps_mesh_ridge *r = &mesh.ridge[n];
        if (!(rps_vec3_norm(rps_vec3_of(r->out)) > 0.0)) continue;
        middle++;
        assert_true(r->end[0][0] == 0.0 && r->end[1][0] == 0.0 && r->end[0][2] == 1.0 && r->end[1][2] == 1.0);
        ASSERT_NEAR(fabs(r->end[0][1] - r->end[1][1]), 2.0, 0.0);
        ASSERT_NEAR(r->out[0], sqrt(0.5), 1e-15);
        ASSERT_NEAR(r->out[2], sqrt(0.5), 1e-15);
    }
    assert_int_equal(middle, 1);
    rps_mesh_release(&mesh);
    mesh_free_raw(&raw);
}

/* Points moved against their shift move all planes by one length, where three or fewer meet. */
static void test_shift(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    mesh_add_cube(&raw, rps_vec3_make(0.3, -0.2, 0.1), 1.0);
    rps_mesh_options options = rps_mesh_options_default();
    rps_mesh mesh;
    rps_mesh_report report;
    options.turn = rps_quat_from_rotation_vector(rps_vec3_make(0.4, -0.7, 1.1));
    mesh_make(&raw, &options, &mesh, &report);
    for (size_t t = 0; t < mesh.triangles; t++) {
        for (int k = 0; k < 3; k++) {
            const rps_vec3 shift = rps_vec3_of(mesh.shift[mesh.triangle[t][k]]);
            ASSERT_NEAR(rps_vec3_dot(shift, rps_vec3_of(mesh.normal[t])), 1.0, 1e-11); /* 1e-12 of the unit matrix */
            ASSERT_NEAR(rps_vec3_norm(shift), sqrt(3.0), 1e-11);
        }
    }
    rps_mesh_release(&mesh);
    mesh_free_raw(&raw);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_square), cmocka_unit_test(test_solids),
                                       cmocka_unit_test(test_step), cmocka_unit_test(test_shift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
