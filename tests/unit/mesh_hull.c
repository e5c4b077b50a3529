/*
 * Convex hulls of meshes: those in closed form, and what holds of every hull of points at random, nearly in one plane, and on grids.
 */
#include "mesh_common.h"

#include <math.h>

#include <cmocka.h>

#include "base/random.h"
#include "mesh/hull.h"

/* The hull of what raw holds, as a closed mesh; frees raw. */
static void make_hull(rps_raw_mesh *raw, rps_mesh *surface, rps_mesh *hull) {
    rps_raw_mesh around;
    rps_mesh_report report;
    rps_error err;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    mesh_make(raw, &options, surface, &report);
    mesh_free_raw(raw);
    if (rps_mesh_hull(surface, RPS_MESH_WELD, &around, &err) != RPS_OK) fail_msg("%s", err.text);
    options.side = RPS_MESH_OUTER;
    mesh_make(&around, &options, hull, &report);
    rps_raw_mesh_release(NULL, &around);
    mesh_check(hull);
}

static void release_both(rps_mesh *surface, rps_mesh *hull) {
    rps_mesh_release(surface);
    rps_mesh_release(hull);
}

/* Closed, of one piece (Euler), no edge hollow, every point inside of every plane to twice the weld length: one that the hull may
 * leave, and one by which welding may move a corner. */
static void check_hull(const rps_mesh *surface, const rps_mesh *hull) {
    double extent = 0.0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, surface->box.high[k] - surface->box.low[k]);
    assert_true(hull->closed && hull->volume > 0.0);
    assert_int_equal(hull->points + hull->triangles, hull->edges + 2);
    for (size_t t = 0; t < hull->triangles; t++) {
        const rps_vec3 n = rps_vec3_of(hull->normal[t]), a = rps_vec3_of(hull->point[hull->triangle[t][0]]);
        for (size_t p = 0; p < surface->points; p++) {
            const double rise = rps_vec3_dot(n, rps_vec3_sub(rps_vec3_of(surface->point[p]), a));
            assert_true(rise <= 2.0 * RPS_MESH_WELD * extent);
        }
    }
}

/* Two cubes of edge 1, corner to corner apart along x by 3: the brick around both, whose volume, centre and moments are known. */
static void brick_around_cubes(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh surface, hull;
    (void)state;
    mesh_add_cube(&raw, rps_vec3_make(0.0, 0.0, 0.0), 1.0);
    mesh_add_cube(&raw, rps_vec3_make(3.0, 0.0, 0.0), -1.0);
    make_hull(&raw, &surface, &hull);
    check_hull(&surface, &hull);
    assert_int_equal(hull.patches, 6);
    assert_true(fabs(hull.volume - 4.0) < 1e-13 && fabs(hull.area - 18.0) < 1e-13);
    assert_true(rps_vec3_norm(rps_vec3_sub(hull.center, rps_vec3_make(1.5, 0.0, 0.0))) < 1e-13);
    assert_true(fabs(hull.inertia[0] - 2.0 / 12.0) < 1e-13 && fabs(hull.inertia[1] - 17.0 / 12.0) < 1e-13);
    release_both(&surface, &hull);
}

/* A convex mesh is its own hull: the same points, and volume and area to rounding. */
static void ball_stays(void **state) {
    rps_raw_mesh raw = {0};
    rps_mesh surface, hull;
    (void)state;
    mesh_add_icosphere(&raw, rps_vec3_make(0.3, -0.2, 5.0), 0.7, 3);
    make_hull(&raw, &surface, &hull);
    check_hull(&surface, &hull);
    assert_int_equal(hull.points, surface.points);
    assert_int_equal(hull.triangles, surface.triangles);
    assert_true(fabs(hull.volume / surface.volume - 1.0) < 1e-12);
    assert_true(fabs(hull.area / surface.area - 1.0) < 1e-12);
    release_both(&surface, &hull);
}

/* Points of one kind, joined by triangles that lie anyhow; turned by an angle, so that planes are planes to rounding alone. */
static void add_points(rps_raw_mesh *raw, int kind, uint64_t stream, size_t count) {
    const double angle = 0.1 * (double)stream, c = cos(angle), s = sin(angle);
    for (size_t n = 0; n < count; n++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            const double u = rps_random_uniform(stream, RPS_RANDOM_TEST, n, (uint64_t)k);
            x[k] = kind == 0 ? u : kind == 1 ? floor(6.0 * u) : u - 0.5;
        }
        if (kind == 2) { /* on the faces of a cube, off them by less than the weld length */
            const int face = (int)(n % 3);
            x[face] = (n % 2 ? 0.5 : -0.5) + 1e-7 * x[face];
        }
        if (kind == 3) { /* on a cylinder */
            const double r = sqrt(x[0] * x[0] + x[1] * x[1]);
            x[0] /= r;
            x[1] /= r;
            x[2] = n % 2 ? 1.0 : -1.0;
        }
        mesh_add_point(raw, c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]);
        if (n >= 2) mesh_add_triangle(raw, (uint32_t)n - 2, (uint32_t)n - 1, (uint32_t)n);
    }
}

static void any_points(void **state) {
    (void)state;
    for (uint64_t stream = 0; stream < 24; stream++) {
        for (int kind = 0; kind < 4; kind++) {
            rps_raw_mesh raw = {0};
            rps_mesh surface, hull;
            add_points(&raw, kind, stream, 12 + 16 * (size_t)stream);
            make_hull(&raw, &surface, &hull);
            check_hull(&surface, &hull);
            if (kind == 2 && stream > 4) assert_true(hull.volume > 0.7 && hull.volume < 1.0 + 1e-6);
            release_both(&surface, &hull);
        }
    }
}

/* Other orders of the triangles of the file give the same bits. */
static void order_does_not_matter(void **state) {
    rps_mesh surface[2], hull[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        rps_raw_mesh raw = {0};
        mesh_add_sheet(&raw, 12, 0.3, 7);
        if (k == 1) mesh_shuffle(&raw, 3);
        make_hull(&raw, &surface[k], &hull[k]);
    }
    mesh_compare(&hull[0], &hull[1]);
    for (int k = 0; k < 2; k++) release_both(&surface[k], &hull[k]);
}

static void flat_is_refused(void **state) {
    rps_raw_mesh raw = {0}, around;
    rps_mesh surface;
    rps_mesh_report report;
    rps_error err;
    (void)state;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    mesh_add_sheet(&raw, 5, 0.0, 1);
    mesh_make(&raw, &options, &surface, &report);
    mesh_free_raw(&raw);
    assert_int_equal(rps_mesh_hull(&surface, RPS_MESH_WELD, &around, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "in one plane"));
    assert_true(around.point == NULL && around.triangle == NULL && around.points == 0);
    rps_mesh_release(&surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brick_around_cubes),    cmocka_unit_test(ball_stays),      cmocka_unit_test(any_points),
        cmocka_unit_test(order_does_not_matter), cmocka_unit_test(flat_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
