/* Where ellipsoids and superquadrics touch triangles: the depth below a plane for any triangles, the distances of balls, and
 * least ones. */
#include "mesh_common.h"

#include "detect/mesh_oval.h"
#include "mesh/reach.h"
#include "shape/shape.h"

enum { TRIALS = 450, SAMPLES = 40 };

/* Semi-axes, and exponents: 0 of ellipsoids. */
static const double BODY[][5] = {{0.3, 0.4, 0.5},           {0.5, 0.5, 0.2},           {0.4, 0.4, 0.4},
                                 {0.2, 0.7, 0.21},          {0.3, 0.4, 0.5, 3.0, 3.0}, {0.4, 0.4, 0.4, 8.0, 8.0},
                                 {0.3, 0.5, 0.4, 4.0, 2.5}, {0.3, 0.4, 0.3, 2.0, 5.0}, {0.3, 0.4, 0.5, 2.0, 2.0}};
enum { BODIES = sizeof BODY / sizeof BODY[0] };

static const rps_shape *shape_of(const double *axis) {
    return axis[3] > 0.0 ? &rps_shape_superquadric : &rps_shape_ellipsoid;
}

static void near_to(double value, double expected, double tolerance) {
    if (fabs(value - expected) <= tolerance) return;
    fail_msg("%.17g, expected %.17g within %g", value, expected, tolerance);
}

static rps_mesh_oval body_at(const double *axis, rps_vec3 centre, uint64_t n) {
    const rps_quat turn = rps_quat_from_rotation_vector(rps_vec3_scale(random_vec(21, n), 3.0));
    return rps_mesh_oval_of(shape_of(axis), axis, centre, turn);
}

static double smallest_radius(const double *axis) {
    return rps_mesh_oval_least(shape_of(axis), axis);
}

/* The height of the lowest point over z = 0 by the shape's own support. */
static double lowest_of(const rps_mesh_oval *body, const double *axis) {
    const rps_vec3 down = rps_quat_rotate_inverse(body->turn, rps_vec3_make(0, 0, -1));
    return body->centre.z + rps_quat_rotate(body->turn, shape_of(axis)->support(axis, down)).z;
}

/* A plane of any triangles has the height of the plane, at one place. */
static void test_plane(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    mesh_add_sheet(&raw, 9, 0.0, 5);
    rps_mesh_options options = rps_mesh_options_default();
    rps_mesh_report report;
    rps_mesh mesh;
    mesh_make(&raw, &options, &mesh, &report);
    for (size_t p = 0; p < mesh.points; p++) assert_true(mesh.point[p][2] == 0.0);
    for (uint64_t n = 0; n < TRIALS; n++) {
        double axis[5];
        for (int k = 0; k < 5; k++) axis[k] = (k < 3 ? 0.2 : 1.0) * BODY[n % BODIES][k];
        rps_mesh_oval body = body_at(axis, rps_vec3_make(uniform(31, n, 0.4, 0.6), uniform(32, n, 0.4, 0.6), 0.0), n);
        body.centre.z = -lowest_of(&body, axis) - uniform(33, n, -0.5, 0.9) * smallest_radius(axis);
        double least = INFINITY;
        rps_vec3 normal = rps_vec3_zero();
        for (size_t t = 0; t < mesh.triangles; t++) {
            const rps_oval_foot foot = rps_mesh_oval_triangle(&body, &mesh.face[t]);
            if (foot.distance < least) normal = foot.normal;
            least = foot.distance < least ? foot.distance : least;
        }
        near_to(least, lowest_of(&body, axis), 1e-15); /* rounding of numbers below 1 */
        near_to(normal.z, 1.0, 1e-15);
    }
    mesh_free_raw(&raw);
    rps_mesh_release(&mesh);
}

/* One triangle at random, of two with a common edge. */
static rps_mesh two_triangles(uint64_t n) {
    rps_raw_mesh raw = {0};
    for (uint64_t k = 0; k < 4; k++) {
        const rps_vec3 x = random_vec(40 + k, n);
        (void)mesh_add_point(&raw, x.x, x.y, x.z);
    }
    mesh_add_triangle(&raw, 0, 1, 2);
    mesh_add_triangle(&raw, 1, 0, 3);
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    rps_mesh_report report;
    rps_mesh mesh;
    mesh_make(&raw, &options, &mesh, &report);
    mesh_free_raw(&raw);
    return mesh;
}

/* Point and normal belong to the distance: the surface point lies on the ellipsoid, and its normal is the foot's. */
static void check_foot(const rps_mesh_oval *body, const double *axis, rps_oval_foot foot) {
    const rps_vec3 on = rps_vec3_add_scaled(foot.point, foot.distance, foot.normal);
    const rps_vec3 local = rps_quat_rotate_inverse(body->turn, rps_vec3_sub(on, body->centre));
    const rps_vec3 out = rps_vec3_normalize(shape_of(axis)->gradient(axis, local));
    near_to(shape_of(axis)->value(axis, local), 0.0, 1e-12);
    /* a normal turns by the curvature, at most 1/0.06, times the rounding of the point */
    near_to(rps_vec3_norm(rps_vec3_add(rps_quat_rotate(body->turn, out), foot.normal)), 0.0, 1e-11);
}

/* No point of a triangle is nearer; equal axes give what balls have; a common edge has the same bits from both sides. */
static void test_least(void **state) {
    (void)state;
    size_t inside = 0, outside = 0, compared = 0;
    for (uint64_t n = 0; n < TRIALS; n++) {
        const double *axis = BODY[n % BODIES];
        rps_mesh mesh = two_triangles(n);
        const rps_mesh_oval body = body_at(axis, rps_vec3_scale(random_vec(50, n), 0.8), n);
        rps_oval_foot shared[2];
        size_t found = 0;
        for (uint32_t t = 0; t < 2; t++) {
            const rps_mesh_face *face = &mesh.face[t];
            const rps_oval_foot foot = rps_mesh_oval_triangle(&body, face);
            double least = INFINITY;
            for (uint64_t k = 0; k < SAMPLES; k++) {
                double u = uniform(60, n * SAMPLES + k, 0, 1), v = uniform(61, n * SAMPLES + k, 0, 1);
                if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
                rps_vec3 x = rps_vec3_scale(rps_vec3_of(face->point[0]), 1.0 - u - v);
                x = rps_vec3_add_scaled(x, u, rps_vec3_of(face->point[1]));
                x = rps_vec3_add_scaled(x, v, rps_vec3_of(face->point[2]));
                const rps_oval_foot at = rps_mesh_oval_point(&body, x);
                check_foot(&body, axis, at);
                least = at.distance < least ? at.distance : least;
            }
            /* deeper than the smallest radius of curvature a face has no unique nearest point */
            const bool shallow = least > -smallest_radius(axis) && foot.distance > -smallest_radius(axis);
            if (shallow) assert_true(foot.distance <= least + 1e-13);
            compared += shallow && foot.distance < 0.0;
            for (int k = 0; k < 3; k++) {
                if (face->across[k] == 1 - t) shared[found++] = rps_mesh_oval_edge(&body, face, k);
            }
            inside += foot.distance < 0.0;
            outside += foot.distance > 0.0;
            if (shallow) {
                const rps_oval_foot at = rps_mesh_oval_point(&body, foot.point);
                check_foot(&body, axis, foot);
                near_to(foot.distance, at.distance, 1e-13);
            }
            rps_reached nearest = {.distance = INFINITY};
            if (axis[0] == axis[1] && axis[1] == axis[2] && axis[3] == 0.0) {
                rps_reached two[2];
                const size_t count = rps_mesh_reach(&mesh, body.centre, 1e3, two, 2);
                for (size_t k = 0; k < count; k++) nearest = two[k].triangle == t ? two[k] : nearest;
                near_to(foot.distance, nearest.distance - axis[0], 1e-13);
            }
        }
        assert_int_equal(found, 2);
        assert_memory_equal(&shared[0], &shared[1], sizeof shared[0]);
        rps_mesh_release(&mesh);
    }
    assert_true(inside > 50 && outside > 50 && compared > 20);
}

/* The change of the mean curvature at a foot, against differences of small motions of the body. */
static void test_bend(void **state) {
    (void)state;
    size_t kinds[3] = {0};
    double worst[2] = {0.0};
    for (uint64_t n = 0; n < TRIALS; n++) {
        const double *axis = BODY[n % BODIES];
        rps_mesh mesh = two_triangles(n);
        const rps_mesh_oval body = body_at(axis, rps_vec3_scale(random_vec(70, n), 1.2), n);
        const rps_oval_foot foot = rps_mesh_oval_triangle(&body, &mesh.face[0]);
        const rps_oval_bend bend = rps_mesh_oval_bend(&body, &foot);
        const double h = 1e-5;
        bool whole = foot.distance > -0.5 * smallest_radius(axis);
        for (int k = 0; k < 6 && whole; k++) {
            double mean[2];
            const rps_vec3 way = rps_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
            for (int s = 0; s < 2; s++) {
                rps_mesh_oval moved = body;
                const rps_vec3 by = rps_vec3_scale(way, s == 0 ? h : -h);
                if (k < 3) {
                    moved.centre = rps_vec3_add(body.centre, by);
                } else { /* about the foot */
                    const rps_quat q = rps_quat_from_rotation_vector(by);
                    moved.turn = rps_quat_mul(q, body.turn);
                    moved.centre = rps_vec3_add(foot.point, rps_quat_rotate(q, rps_vec3_sub(body.centre, foot.point)));
                }
                const rps_oval_foot at = rps_mesh_oval_triangle(&moved, &mesh.face[0]);
                whole = whole && at.is == foot.is;
                mean[s] = rps_mesh_oval_bend(&moved, &at).mean;
            }
            const double got = rps_vec3_dot(k < 3 ? bend.force : bend.torque, way);
            const double expected = (mean[0] - mean[1]) / (2.0 * h);
            /* the next derivative, h^2 times 1/R^4 of the smallest radius, 0.06 m, and rounding of H over h */
            /* of superquadrics a difference too, over 1e-4 of the width, where H may have a kink */
            const double most = axis[4] > 2.0 ? 1e-4 : 1e-6, off = fabs(got - expected) / (1.0 + fabs(expected));
            if (whole) near_to(off, 0.0, most);
            if (whole) worst[axis[4] > 2.0] = fmax(worst[axis[4] > 2.0], off);
        }
        const rps_vec3 out = rps_quat_rotate_inverse(body.turn, rps_vec3_neg(foot.normal));
        near_to(bend.mean, shape_of(axis)->mean_curvature(axis, shape_of(axis)->support(axis, out)), 1e-12 * bend.mean);
        kinds[foot.is] += whole;
        rps_mesh_release(&mesh);
    }
    SAY("%zu faces, %zu edges, %zu corners; differences within %.1e, of superquadrics %.1e\n", kinds[0], kinds[1],
        kinds[2], worst[0], worst[1]);
    for (int k = 0; k < 3; k++) assert_true(kinds[k] > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_least),
                                       cmocka_unit_test(test_bend)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
