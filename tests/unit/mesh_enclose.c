/* The inside of closed meshes: shapes of which it is known, also where the ray runs through corners and along edges and faces. */
#include "mesh_common.h"

#include <math.h>

#include <cmocka.h>

#include "base/random.h"
#include "mesh/enclose.h"

static rps_vec3 at_random(uint64_t k, double size) {
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = size * (rps_random_uniform(11, RPS_RANDOM_TEST, k, (uint64_t)c) - 0.5);
    return rps_vec3_of(x);
}

static double distance_max(rps_vec3 x, rps_vec3 from) {
    return fmax(fabs(x.x - from.x), fmax(fabs(x.y - from.y), fabs(x.z - from.z)));
}

static void make_of(rps_raw_mesh *raw, rps_mesh *mesh) {
    rps_mesh_report report;
    mesh_make(raw, &(rps_mesh_options){.factor = 1.0, .turn = rps_quat_identity(), .weld = RPS_MESH_WELD}, mesh,
              &report);
    assert_true(mesh->closed);
    mesh_free_raw(raw);
}

/* A grid whose points share their y and z with corners and edges: they are inside exactly if they are inside the cube; those
 * on its surface may be either, and are left out. */
static void cube_and_its_corners(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    (void)state;
    mesh_add_cube(&raw, rps_vec3_make(0.5, 0.5, 0.5), 1.0);
    make_of(&raw, &mesh);
    for (int k = 0; k < 9 * 9 * 9; k++) {
        const rps_vec3 x = rps_vec3_make(0.25 * (k % 9 - 2), 0.25 * (k / 9 % 9 - 2), 0.25 * (k / 81 - 2));
        const double out = distance_max(x, rps_vec3_make(0.5, 0.5, 0.5));
        if (out != 0.5) assert_int_equal(rps_mesh_encloses(&mesh, x), out < 0.5);
    }
    rps_mesh_release(&mesh);
}

/* A cavity is outside, at random points. */
static void cube_with_a_cavity(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    (void)state;
    mesh_add_cube(&raw, rps_vec3_zero(), 2.0);
    mesh_add_cube(&raw, rps_vec3_zero(), -1.0);
    make_of(&raw, &mesh);
    for (uint64_t k = 0; k < 10000; k++) {
        const rps_vec3 x = at_random(k, 3.0);
        const double out = distance_max(x, rps_vec3_zero());
        assert_int_equal(rps_mesh_encloses(&mesh, x), out < 1.0 && out > 0.5);
    }
    rps_mesh_release(&mesh);
}

/* Facets lie between the sphere and one that touches them from inside: 4 divisions leave edges of .075 R, sagitta 9e-4 R. */
static void sphere_of_facets(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    uint64_t inside = 0;
    const uint64_t count = 20000;
    (void)state;
    mesh_add_icosphere(&raw, rps_vec3_zero(), 1.0, 4);
    make_of(&raw, &mesh);
    for (uint64_t k = 0; k < count; k++) {
        const rps_vec3 x = at_random(k, 2.2);
        const double r = rps_vec3_norm(x);
        const bool is = rps_mesh_encloses(&mesh, x);
        if (r > 1.0) assert_false(is);
        if (r < 0.998) assert_true(is);
        inside += is;
    }
    /* the part of the cube, to four standard deviations of a binomial count */
    const double part = mesh.volume / (2.2 * 2.2 * 2.2), deviation = sqrt(part * (1.0 - part) / (double)count);
    assert_true(fabs((double)inside / (double)count - part) < 4.0 * deviation);
    rps_mesh_release(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_and_its_corners),
        cmocka_unit_test(cube_with_a_cavity),
        cmocka_unit_test(sphere_of_facets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
