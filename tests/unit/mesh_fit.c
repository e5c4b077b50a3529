/*
 * Spheres fitted into closed meshes: one for a ball, those of a cube in closed form, and what holds of every fit.
 */
#include "mesh_common.h"

#include <math.h>

#include <cmocka.h>

#include "mesh/fit_spheres.h"
#include "mesh/reach.h"

static void fit(rps_raw_mesh *raw, size_t wanted, double least, rps_mesh *mesh, rps_sphere_fit *out) {
    rps_mesh_report report;
    rps_error err;
    mesh_make(raw, &(rps_mesh_options){.factor = 1.0, .turn = rps_quat_identity(), .weld = RPS_MESH_WELD}, mesh,
              &report);
    mesh_free_raw(raw);
    if (rps_sphere_fit_make(NULL, mesh, wanted, least, out, &err) != RPS_OK) fail_msg("%s", err.text);
}

static void done(rps_mesh *mesh, rps_sphere_fit *out) {
    rps_sphere_fit_release(out);
    rps_mesh_release(mesh);
}

/* Facets of an icosphere of 4 divisions lie up to the sagitta of 9e-4 R inside the ball, so an inscribed sphere is smaller by this,
 * its center within it, and no point of the surface farther from it than twice this. */
static void ball_is_one_sphere(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    rps_sphere_fit f;
    (void)state;
    const rps_vec3 at = rps_vec3_make(0.3, -0.2, 5.0);
    const double sagitta = 1e-3;
    mesh_add_icosphere(&raw, at, 1.0, 4);
    fit(&raw, 1, 0.0, &mesh, &f);
    assert_int_equal(f.count, 1);
    assert_true(f.sphere[0].radius < 1.0 && f.sphere[0].radius > 1.0 - 2.0 * sagitta);
    assert_true(rps_vec3_norm(rps_vec3_sub(f.sphere[0].center, at)) < sagitta);
    assert_true(f.largest < 2.0 * sagitta && f.mean < f.largest && f.mean > 0.0);
    done(&mesh, &f);
}

/* The first sphere touches all faces, and the corner is the farthest point, (sqrt 3 - 1) R from it. Each of the next eight goes into a
 * corner of its own; it reaches into the first one, so it is larger than the sphere that touches it and three faces, of the
 * radius R (sqrt 3 - 1)/(sqrt 3 + 1). */
static void cube(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    rps_sphere_fit f;
    (void)state;
    const double touching = (sqrt(3.0) - 1.0) / (sqrt(3.0) + 1.0);
    mesh_add_cube(&raw, rps_vec3_zero(), 2.0);
    fit(&raw, 1, 0.0, &mesh, &f);
    /* the search for the center ends at steps of 1/512 of the spacing of 1/16 */
    assert_true(fabs(f.sphere[0].radius - 1.0) < 1e-3);
    assert_true(fabs(f.largest - (sqrt(3.0) - 1.0)) < 1e-3);
    done(&mesh, &f);
    mesh_add_cube(&raw, rps_vec3_zero(), 2.0);
    fit(&raw, 9, 0.0, &mesh, &f);
    assert_int_equal(f.count, 9);
    for (size_t k = 1; k < 9; k++) {
        const rps_vec3 c = f.sphere[k].center;
        assert_true(f.sphere[k].radius > touching && f.sphere[k].radius < 1.0);
        /* a corner each: the octants differ */
        for (size_t m = 1; m < k; m++) {
            const rps_vec3 o = f.sphere[m].center;
            assert_true(c.x * o.x < 0.0 || c.y * o.y < 0.0 || c.z * o.z < 0.0);
        }
    }
    done(&mesh, &f);
}

/* Inscribed; a fit of fewer is the beginning of one of more, bit by bit; distances fall; radii obey the limit. */
static void every_fit(void **state) {
    enum { SIZES = 4 };
    static const size_t size[SIZES] = {1, 5, 20, 60};
    double mean = INFINITY, largest = INFINITY;
    rps_fitted_sphere before[60];
    size_t kept = 0;
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        rps_raw_mesh raw = {0};
        rps_mesh mesh;
        rps_sphere_fit f;
        rps_reached nearest;
        mesh_add_tetrahedron(&raw);
        fit(&raw, size[k], 0.0, &mesh, &f);
        assert_int_equal(f.count, size[k]);
        assert_memory_equal(before, f.sphere, kept * sizeof *before);
        kept = f.count;
        memcpy(before, f.sphere, kept * sizeof *before);
        for (size_t s = 0; s < f.count; s++) {
            assert_true(rps_mesh_nearest(&mesh, f.sphere[s].center, INFINITY, &nearest));
            assert_true(f.sphere[s].radius <= nearest.distance);
        }
        assert_true(f.mean < mean && f.largest < largest);
        mean = f.mean;
        largest = f.largest;
        done(&mesh, &f);
    }
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    rps_sphere_fit f;
    mesh_add_tetrahedron(&raw);
    fit(&raw, 60, 0.15, &mesh, &f);
    assert_in_range(f.count, 2, 60);
    for (size_t s = 0; s < f.count; s++) assert_true(f.sphere[s].radius >= 0.15);
    done(&mesh, &f);
}

static void refusals(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh mesh;
    rps_mesh_report report;
    rps_sphere_fit f;
    rps_error err;
    const rps_mesh_options options = {.factor = 1.0, .turn = rps_quat_identity(), .weld = RPS_MESH_WELD};
    (void)state;
    mesh_add_sheet(&raw, 3, 0.1, 1);
    mesh_make(&raw, &options, &mesh, &report);
    assert_int_equal(rps_sphere_fit_make(NULL, &mesh, 5, 0.0, &f, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "is open"));
    rps_mesh_release(&mesh);
    mesh_free_raw(&raw);
    mesh_add_cube(&raw, rps_vec3_zero(), 1.0);
    mesh_make(&raw, &options, &mesh, &report);
    mesh_free_raw(&raw);
    assert_int_equal(rps_sphere_fit_make(NULL, &mesh, 0, 0.0, &f, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_sphere_fit_make(NULL, &mesh, RPS_FIT_MOST + 1, 0.0, &f, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_sphere_fit_make(NULL, &mesh, 5, 0.6, &f, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "no sphere of a radius"));
    rps_sphere_fit_release(&f);
    rps_mesh_release(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball_is_one_sphere), cmocka_unit_test(cube),
                                       cmocka_unit_test(every_fit), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
