/*
 * Convex meshes against each other: the core of a mesh against closed forms and the definition of a nearest point; tips and edges
 * against the cores of boxes; the overlaps of hulls of points at random as potentials.
 */
#include "mesh_common.h"

#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core_common.h"
#include "detect/pair_convex.h"
#include "detect/pair_polyhedra.h"
#include "detect/separation.h"
#include "mesh/hull.h"
#include "mesh/mesh_core.h"

static rps_mesh closed_mesh(rps_raw_mesh *raw) {
    rps_mesh mesh;
    rps_mesh_report report;
    rps_error err;
    const rps_mesh_options options = rps_mesh_options_default();
    mesh_make(raw, &options, &mesh, &report);
    mesh_free_raw(raw);
    if (rps_mesh_find_core(&mesh, RPS_CORE_SHARP, &err) != RPS_OK) fail_msg("%s", err.text);
    return mesh;
}

static rps_mesh brick_mesh(double x, double y, double z) {
    rps_raw_mesh raw = {0};
    mesh_add_cube(&raw, rps_vec3_zero(), 1.0);
    for (size_t k = 0; k < raw.points; k++) {
        raw.point[k][0] *= x;
        raw.point[k][1] *= y;
        raw.point[k][2] *= z;
    }
    return closed_mesh(&raw);
}

/* A rock: the hull of points near an ellipsoid, its axes 2, 1.6 and 1.2. */
static rps_mesh rock_mesh(uint64_t stream, int points) {
    static const double axis[3] = {1.0, 0.8, 0.6};
    rps_raw_mesh raw = {0}, around;
    rps_mesh surface;
    rps_mesh_report report;
    rps_error err;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    for (int n = 0; n < points; n++) {
        const rps_vec3 u = random_direction(stream, (uint64_t)n);
        const double size = uniform(stream + 1000, (uint64_t)n, 0.85, 1.0);
        mesh_add_point(&raw, size * axis[0] * u.x, size * axis[1] * u.y, size * axis[2] * u.z);
        if (n >= 2) mesh_add_triangle(&raw, (uint32_t)n - 2, (uint32_t)n - 1, (uint32_t)n);
    }
    mesh_make(&raw, &options, &surface, &report);
    mesh_free_raw(&raw);
    if (rps_mesh_hull(&surface, RPS_MESH_WELD, &around, &err) != RPS_OK) fail_msg("%s", err.text);
    rps_mesh_release(&surface);
    rps_mesh mesh;
    options.side = RPS_MESH_OUTER;
    mesh_make(&around, &options, &mesh, &report);
    rps_raw_mesh_release(NULL, &around);
    if (rps_mesh_find_core(&mesh, RPS_CORE_SHARP, &err) != RPS_OK) fail_msg("%s", err.text);
    return mesh;
}

/* --- the core ---------------------------------------------------------------------------------------------------------- */

static void core_of_a_brick(void **state) {
    (void)state;
    rps_mesh brick = brick_mesh(2.0, 1.0, 0.4);
    const struct rps_mesh_core *core = brick.core;
    assert_non_null(core);
    ASSERT_NEAR(core->half, 0.2, round_off);
    ASSERT_NEAR(core->radius, 0.01, round_off);
    assert_int_equal(core->mesh.points, 8);
    assert_int_equal(core->edges, 12);
    const double half[3] = {0.99, 0.49, 0.19};
    for (size_t p = 0; p < 8; p++) {
        for (int k = 0; k < 3; k++) ASSERT_NEAR(fabs(core->mesh.point[p][k]), half[k], round_off);
    }
    rps_core_foot foot = rps_mesh_core_nearest(core, rps_vec3_make(0.3, 0.2, 0.5));
    assert_int_equal(foot.on, RPS_FOOT_ON_FACE);
    ASSERT_NEAR(foot.distance, 0.31, round_off);
    foot = rps_mesh_core_nearest(core, rps_vec3_make(0.3, -0.49 - 0.03, 0.19 + 0.04));
    assert_int_equal(foot.on, RPS_FOOT_ON_EDGE);
    ASSERT_NEAR(foot.distance, 0.05, round_off);
    ASSERT_NEAR(fabs(foot.along.x), 1.0, round_off);
    ASSERT_NEAR(foot.out.y, -0.6, 1e-12); /* round-off over the distance */
    foot = rps_mesh_core_nearest(core, rps_vec3_make(0.99 + 0.02, 0.49 + 0.02, -0.19 - 0.01));
    assert_int_equal(foot.on, RPS_FOOT_ON_CORNER);
    ASSERT_NEAR(foot.distance, 0.03, round_off);
    foot = rps_mesh_core_nearest(core, rps_vec3_make(0.3, 0.2, 0.1));
    assert_int_equal(foot.on, RPS_FOOT_ON_FACE);
    ASSERT_NEAR(foot.distance, -0.09, round_off);
    ASSERT_NEAR(foot.out.z, 1.0, round_off);
    rps_mesh_release(&brick);
}

/* m, how far a point rises over the planes of a mesh that are moved inwards by `depth`; negative inside of all. */
static double rise_over(const rps_mesh *mesh, rps_vec3 x, double depth) {
    double most = -INFINITY;
    for (size_t t = 0; t < mesh->triangles; t++) {
        const rps_vec3 from = rps_vec3_sub(x, rps_vec3_of(mesh->point[mesh->triangle[t][0]]));
        most = fmax(most, rps_vec3_dot(rps_vec3_of(mesh->normal[t]), from) + depth);
    }
    return most;
}

/* The core is what lies behind all planes: its points do, and each lies on three of them. A foot is nearest if and only if no point of
 * the core lies beyond the plane through it across the direction to it. */
static void core_of_rocks(void **state) {
    (void)state;
    size_t kept = 0, born = 0, outside = 0;
    for (uint64_t stream = 0; stream < 12; stream++) {
        rps_mesh rock = rock_mesh(stream, 8 + 12 * (int)stream);
        const struct rps_mesh_core *core = rock.core;
        assert_non_null(core);
        assert_true(core->mesh.closed && core->mesh.points + core->mesh.triangles == core->mesh.edges + 2);
        assert_true(core->radius > 0.0 && core->edges >= 6 && core->edges <= rock.ridges);
        kept += core->edges;
        born += core->mesh.ridges - core->edges;
        /* weld length of the core, relative to its size of about 2 */
        for (size_t p = 0; p < core->mesh.points; p++) {
            ASSERT_BELOW(fabs(rise_over(&rock, rps_vec3_of(core->mesh.point[p]), core->radius)), 4e-9);
        }
        for (uint64_t n = 0; n < 200; n++) {
            const rps_vec3 x = rps_vec3_scale(random_vec(stream + 50, n), n % 2 == 0 ? 1.2 : 0.4);
            const rps_core_foot foot = rps_mesh_core_nearest(core, x);
            const double rise = rise_over(&rock, x, core->radius);
            ASSERT_BELOW(fabs(rise_over(&rock, foot.point, core->radius)), 4e-9);
            if (fabs(rise) > 1e-8) assert_true((foot.distance > 0.0) == (rise > 0.0));
            if (foot.distance < 0.0) ASSERT_NEAR(foot.distance, rise, 4e-9); /* the nearest plane */
            ASSERT_NEAR(rps_vec3_norm(rps_vec3_sub(x, foot.point)), fabs(foot.distance), 1e-14);
            for (size_t p = 0; p < core->mesh.points; p++) {
                const rps_vec3 from = rps_vec3_sub(rps_vec3_of(core->mesh.point[p]), foot.point);
                /* of a face: its corners differ in height by the weld length over its width */
                ASSERT_BELOW(rps_vec3_dot(from, foot.out), 1e-7);
            }
            outside += foot.distance > 0.0;
        }
        rps_mesh_release(&rock);
    }
    SAY("%d edges of cores are edges of rocks, %d are not; %d of 2400 points outside\n", (int)kept, (int)born,
        (int)outside);
    assert_true(outside > 1000 && outside < 1800 && kept > 1000 && born > 1000);
}

static void no_core(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    mesh_add_cube(&raw, rps_vec3_zero(), 1.0);
    mesh_add_cube(&raw, rps_vec3_make(3.0, 0.0, 0.0), 1.0); /* two shells */
    rps_mesh mesh = closed_mesh(&raw);
    assert_null(mesh.core);
    rps_mesh_release(&mesh);
    raw = (rps_raw_mesh){0};
    mesh_add_sheet(&raw, 4, 0.1, 1); /* open */
    mesh = closed_mesh(&raw);
    assert_null(mesh.core);
    rps_mesh_release(&mesh);
    raw = (rps_raw_mesh){0};
    mesh_add_icosphere(&raw, rps_vec3_zero(), 1.0, 4); /* 5120 planes */
    mesh = closed_mesh(&raw);
    assert_null(mesh.core);
    rps_mesh_release(&mesh);
}

/* --- pairs ------------------------------------------------------------------------------------------------------------- */

static rps_side side_of(const rps_mesh *mesh, rps_quat turn) {
    return (rps_side){.shape = &rps_shape_mesh, .orientation = turn, .mesh = mesh, .slots = 2};
}

static unsigned places_of(const rps_mesh *i, const rps_mesh *j) {
    return (unsigned)(i->tips + j->tips + i->core->edges * j->core->edges);
}

/* m, the sum of what a spring of unit stiffness at each place stores, times 2. */
static double energy_of(const rps_side *i, const rps_side *j, rps_vec3 d) {
    double sum = 0.0;
    for (unsigned p = 0; p < places_of(i->mesh, j->mesh); p++) {
        rps_touch t;
        if (rps_polyhedra_touch(i, j, d, RPS_SUBKEY_PLACES + p, 0.0, &t) == RPS_TOUCH_APART) continue;
        sum += t.overlap > 0.0 ? t.overlap * t.overlap : 0.0;
    }
    return sum;
}

/* Two rocks that overlap by a tenth of the rounding and more; false: not that near. */
static bool press(const rps_side *i, const rps_side *j, rps_vec3 way, rps_vec3 *d) {
    double low = 0.0, high = 4.0;
    const double wanted = 0.01 * i->mesh->core->half;
    for (int n = 0; n < 40; n++) { /* halves the distance at which they overlap by that much */
        const double middle = 0.5 * (low + high);
        double most = -INFINITY;
        for (unsigned p = 0; p < places_of(i->mesh, j->mesh); p++) {
            most = fmax(most, -rps_polyhedra_gap(i, j, rps_vec3_scale(way, middle), RPS_SUBKEY_PLACES + p));
        }
        if (most > wanted)
            low = middle;
        else
            high = middle;
    }
    *d = rps_vec3_scale(way, 0.5 * (low + high));
    return low > 0.0;
}

/* The force at every place is minus the gradient of its energy, on motion and on rotation of body i about its origin; and the same seen
 * from the other body. */
static void contacts_are_a_potential(void **state) {
    (void)state;
    const double h = 1e-6;
    unsigned touched[3] = {0, 0, 0};
    double worst = 0.0;
    for (uint64_t n = 0; n < 120; n++) {
        rps_mesh a = n % 3 == 0 ? brick_mesh(1.2, 1.0, 0.8) : rock_mesh(n, 20),
                 b = rock_mesh(n + 100, 14 + (int)(n % 20));
        const rps_side i = side_of(&a, core_any_turn(n, 0)), j = side_of(&b, core_any_turn(n, 4));
        rps_vec3 d, force = rps_vec3_zero(), torque = rps_vec3_zero();
        if (!press(&i, &j, random_direction(3, n), &d)) fail_msg("they do not meet");
        for (unsigned p = 0; p < places_of(&a, &b); p++) {
            rps_touch t, back;
            const unsigned place = RPS_SUBKEY_PLACES + p;
            if (rps_polyhedra_touch(&i, &j, d, place, 0.0, &t) == RPS_TOUCH_APART || !(t.overlap > 0.0)) continue;
            assert_sound(&t, d);
            /* the gap of a place bounds its overlap: that of an edge without the barrel */
            assert_true(t.overlap <= -rps_polyhedra_gap(&i, &j, d, place) + 1e-14);
            touched[p < a.tips ? 0 : p < a.tips + b.tips ? 1 : 2]++;
            force = rps_vec3_add_scaled(force, t.overlap, t.normal);
            torque = rps_vec3_add_scaled(torque, t.overlap, rps_vec3_cross(t.branch_i, t.normal));
            const unsigned other = p < a.tips            ? p + (unsigned)b.tips
                                   : p < a.tips + b.tips ? p - (unsigned)a.tips
                                                         : UINT32_MAX;
            if (other == UINT32_MAX) continue;
            rps_polyhedra_touch(&j, &i, rps_vec3_neg(d), RPS_SUBKEY_PLACES + other, 0.0, &back);
            assert_true(back.overlap == t.overlap && rps_vec3_norm(rps_vec3_add(back.normal, t.normal)) == 0.0);
        }
        double scale = rps_vec3_norm(force);
        for (int k = 0; k < 6; k++) {
            const rps_vec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
            double at[2];
            for (int s = 0; s < 2; s++) {
                const double by = s == 0 ? h : -h;
                rps_side moved = i;
                if (k >= 3) {
                    moved.orientation =
                        rps_quat_mul(rps_quat_from_rotation_vector(rps_vec3_scale(e, by)), i.orientation);
                }
                at[s] = energy_of(&moved, &j, k < 3 ? rps_vec3_add_scaled(d, by, e) : d);
            }
            const double slope = 0.5 * (at[0] - at[1]) / (2.0 * h);
            worst = fmax(worst, fabs(slope + rps_vec3_dot(k < 3 ? force : torque, e)) / scale);
        }
        rps_mesh_release(&a);
        rps_mesh_release(&b);
    }
    SAY("%u and %u tips, %u pairs of edges; slopes differ by %.1e of the force\n", touched[0], touched[1], touched[2],
        worst);
    assert_true(touched[0] > 20 && touched[1] > 20 && touched[2] > 20);
    /* central differences: h^2 over the squared rounding of .03, and round-off over h */
    ASSERT_BELOW(worst, 1e-8);
}

/* Edges of bricks are those of boxes with the same rounding: the overlaps of all pairs of edges, in some order. */
static void edges_of_bricks(void **state) {
    (void)state;
    rps_mesh a = brick_mesh(2.0, 1.0, 0.4), b = brick_mesh(0.6, 1.0, 1.4);
    rps_shape_core box[2] = {{.half = {1.0, 0.5, 0.2}}, {.half = {0.3, 0.5, 0.7}}};
    const core_scene cores = {.i = rps_core_for_contact(&box[0]), .j = rps_core_for_contact(&box[1])};
    unsigned met = 0;
    for (uint64_t n = 0; n < 400; n++) {
        core_scene s = cores;
        s.qi = core_any_turn(n, 0);
        s.qj = core_any_turn(n, 4);
        s.d = rps_vec3_scale(core_any_vec(n, 8), 1.2);
        const rps_side i = side_of(&a, s.qi), j = side_of(&b, s.qj);
        double sum[2] = {0.0, 0.0}, squares[2] = {0.0, 0.0};
        for (unsigned e = 0; e < 144; e++) {
            rps_touch t = {.overlap = 0.0};
            if (core_touch(&s, 16 + e, 0.0, &t) != RPS_TOUCH_APART && t.overlap > 0.0) {
                sum[0] += t.overlap;
                squares[0] += t.overlap * t.overlap;
                met++;
            }
            t.overlap = 0.0;
            if (rps_polyhedra_touch(&i, &j, s.d, RPS_SUBKEY_PLACES + 16 + e, 0.0, &t) != RPS_TOUCH_APART &&
                t.overlap > 0.0) {
                sum[1] += t.overlap;
                squares[1] += t.overlap * t.overlap;
            }
        }
        ASSERT_NEAR(sum[1], sum[0], 1e-13);
        ASSERT_NEAR(squares[1], squares[0], 1e-13);
    }
    assert_true(met > 100);
    rps_mesh_release(&a);
    rps_mesh_release(&b);
}

/* All places near are visited, each once. */
typedef struct seen {
    unsigned char *count;
} seen;

static void note_place(void *context, unsigned place) {
    ((seen *)context)->count[place - RPS_SUBKEY_PLACES]++;
}

static void places_near_are_found(void **state) {
    (void)state;
    size_t found = 0;
    for (uint64_t n = 0; n < 40; n++) {
        rps_mesh a = rock_mesh(n, 24), b = rock_mesh(n + 60, 16);
        const rps_side i = side_of(&a, core_any_turn(n, 0)), j = side_of(&b, core_any_turn(n, 4));
        rps_vec3 d;
        if (!press(&i, &j, random_direction(5, n), &d)) fail_msg("they do not meet");
        const double capacity = 0.01 * (double)(n % 20);
        const unsigned all = places_of(&a, &b);
        seen s = {calloc(all, 1)};
        assert_non_null(s.count);
        rps_polyhedra_places(&i, &j, d, capacity, note_place, &s);
        for (unsigned p = 0; p < all; p++) {
            assert_int_equal(s.count[p], rps_polyhedra_gap(&i, &j, d, RPS_SUBKEY_PLACES + p) < capacity);
            found += s.count[p];
        }
        free(s.count);
        rps_mesh_release(&a);
        rps_mesh_release(&b);
    }
    assert_true(found > 200);
}

/* --- separation --------------------------------------------------------------------------------------------------------- */

/* The depth of two bricks is that of two boxes; a bar that crosses another one has no corner near it. */
static void depths_of_bricks(void **state) {
    (void)state;
    static const double box[2][RPS_SHAPE_PARAMETERS] = {{2.0, 1.0, 0.6}, {3.0, 0.5, 0.4}};
    rps_mesh brick[2] = {brick_mesh(2.0, 1.0, 0.6), brick_mesh(3.0, 0.5, 0.4)};
    int apart = 0, deep = 0;
    for (uint64_t n = 0; n < 2000; n++) {
        rps_side mesh[2], shape[2];
        double number[RPS_SHAPE_PARAMETERS][2] = {{0.0}};
        for (uint64_t k = 0; k < 2; k++) {
            const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_scale(random_direction(20 + k, n), 3.0));
            mesh[k] =
                (rps_side){.shape = &rps_shape_mesh, .parameter = &number[0][0], .orientation = q, .mesh = &brick[k]};
            shape[k] = (rps_side){.shape = &rps_shape_box, .parameter = box[k], .orientation = q};
        }
        const rps_vec3 d = rps_vec3_scale(random_direction(22, n), uniform(23, n, 0.3, 2.0));
        rps_touch touch;
        const rps_touch_result result = rps_convex_touch(&shape[0], &shape[1], d, 10.0, NULL, &touch);
        const double found = rps_polyhedron_separation(&mesh[0], &mesh[1], d, 0.0);
        /* the box and the triangles of the other brick meet where the bricks do */
        const double of_surface = rps_convex_separation(&shape[0], &mesh[1], d, 0.0);
        if (fabs(touch.overlap) > 1e-9) assert_true((of_surface < 0.0) == (touch.overlap > 0.0));
        if (touch.overlap < 0.0) {
            assert_true(result == RPS_TOUCH_FOUND);
            assert_true(found <= -touch.overlap + round_off); /* a lower bound of the gap */
            assert_true(found > -round_off);
            apart++;
        } else {
            /* the tolerance of the other method */
            ASSERT_NEAR(found, -touch.overlap, 1e-9);
            deep++;
        }
    }
    assert_true(apart > 300 && deep > 300);
    const rps_side bar = {.shape = &rps_shape_mesh, .orientation = {1, 0, 0, 0}, .mesh = &brick[1]};
    rps_side across = bar;
    across.orientation = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.5 * RPS_PI);
    /* along the axis of the thin edges both shadows are 0.4 high */
    ASSERT_NEAR(rps_polyhedron_separation(&bar, &across, rps_vec3_make(0, 0, 0.1), 0.0), -0.3, round_off);
    for (int k = 0; k < 2; k++) rps_mesh_release(&brick[k]);
}

/* A brick over two triangles, far from their rims: the plane they lie in; and through the rim. */
static void depths_at_a_sheet(void **state) {
    (void)state;
    rps_raw_mesh raw = {0};
    rps_mesh sheet, brick = brick_mesh(2.0, 1.0, 0.6);
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    for (int k = 0; k < 4; k++) mesh_add_point(&raw, k % 2 == 0 ? -9.0 : 9.0, k < 2 ? -9.0 : 9.0, 0.0);
    mesh_add_triangle(&raw, 0, 1, 2);
    mesh_add_triangle(&raw, 1, 3, 2);
    mesh_make(&raw, &options, &sheet, &report);
    mesh_free_raw(&raw);
    const rps_side floor = {.shape = &rps_shape_mesh, .orientation = {1, 0, 0, 0}, .mesh = &sheet};
    static const double size[RPS_SHAPE_PARAMETERS] = {2.0, 1.0, 0.6}, ball[RPS_SHAPE_PARAMETERS] = {0.7, 0.7, 0.7};
    for (uint64_t n = 0; n < 200; n++) {
        const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_scale(random_direction(30, n), 3.0));
        const rps_side body = {.shape = &rps_shape_mesh, .orientation = q, .mesh = &brick};
        const rps_side box = {.shape = &rps_shape_box, .orientation = q, .parameter = size};
        const rps_side round = {.shape = &rps_shape_ellipsoid, .orientation = q, .parameter = ball};
        double low = INFINITY;
        for (size_t k = 0; k < 8; k++) {
            const double z = rps_quat_rotate(q, rps_vec3_of(brick.point[k])).z;
            low = z < low ? z : low;
        }
        const double height = uniform(31, n, -0.1, 0.1);
        const double found = rps_polyhedron_separation(&body, &floor, rps_vec3_make(0.3, 0.2, height - low), 1.0);
        const double of_box = rps_convex_separation(&box, &floor, rps_vec3_make(0.3, 0.2, height - low), 1.0);
        const double of_ball = rps_convex_separation(&round, &floor, rps_vec3_make(0.3, 0.2, 0.7 + height), 1.0);
        ASSERT_NEAR(of_ball, height, round_off);
        if (height < 0.0) {
            ASSERT_NEAR(found, height, round_off);
            ASSERT_NEAR(of_box, height, round_off);
        } else { /* lower bounds */
            assert_true(found > 0.0 && found <= height + round_off);
            assert_true(of_box > 0.0 && of_box <= height + round_off);
        }
    }
    /* half beyond the rim: still through the sheet; then clear of it */
    const rps_side body = {.shape = &rps_shape_mesh, .orientation = {1, 0, 0, 0}, .mesh = &brick};
    ASSERT_NEAR(rps_polyhedron_separation(&body, &floor, rps_vec3_make(9.9, 0, 0), 0.0), -0.1, round_off);
    assert_true(rps_polyhedron_separation(&body, &floor, rps_vec3_make(10.1, 0, 0), 0.0) > 0.0);
    rps_mesh_release(&sheet);
    rps_mesh_release(&brick);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_of_a_brick),  cmocka_unit_test(core_of_rocks),
        cmocka_unit_test(no_core),          cmocka_unit_test(contacts_are_a_potential),
        cmocka_unit_test(edges_of_bricks),  cmocka_unit_test(places_near_are_found),
        cmocka_unit_test(depths_of_bricks), cmocka_unit_test(depths_at_a_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
