/*
 * Cores against each other and against planes, and a cylinder against a plane: closed forms, brute force, and patches
 * whose resultant acts at their centre.
 */
#include "core_common.h"

#include <math.h>

#include "base/elementary.h"
#include "detect/pair_cylinder_plane.h"

static rps_vec3 line(rps_vec3 a, double s, rps_vec3 b) {
    return rps_vec3_add_scaled(a, s, b);
}

static rps_shape_core ball(double r) {
    return (rps_shape_core){{0, 0, 0}, r};
}

static rps_shape_core box(double x, double y, double z, double r) {
    return (rps_shape_core){{x, y, z}, r};
}

static rps_shape_core capsule(double half, double r) {
    return (rps_shape_core){{0, 0, half}, r};
}

static void test_balls(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        core_scene s = {ball(0.7), ball(0.4), core_any_turn(k, 0), core_any_turn(k, 4), core_any_vec(k, 8)};
        rps_touch t;
        assert_int_equal(rps_core_features(&s.i, &s.j), 1);
        rps_touch_result r = core_touch(&s, 0, 10.0, &t);
        double distance = rps_vec3_norm(s.d);
        assert_true(fabs(t.overlap - (1.1 - distance)) < round_off);
        assert_int_equal(r, 1.1 - distance > 0.08 ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND);
        assert_true(rps_vec3_norm(line(t.normal, -1 / distance, s.d)) < round_off);
        assert_true(rps_vec3_norm(line(t.branch_i, 0.7, t.normal)) < round_off);
        assert_true(rps_vec3_norm(line(t.branch_j, -0.4, t.normal)) < round_off);
        assert_true(fabs(t.curve_i.s[0] + t.curve_i.s[1] + t.curve_i.s[2] - 2 / 0.7) < 10 * round_off);
        assert_sound(&t, s.d);
        assert_true(fabs(rps_core_gap(&s.i, s.qi, &s.j, s.qj, s.d, 0) + t.overlap) < round_off);
        /* a ball 0.01 above a tilted plane */
        rps_vec3 n = rps_quat_rotate(s.qj, rps_vec3_make(0, 0, 1));
        rps_vec3 aside = rps_vec3_reject(core_any_vec(k, 11), n);
        rps_vec3 d = line(aside, 0.71, n);
        assert_int_equal(rps_core_plane_touch(&s.i, s.qi, s.qj, d, 0, 0.0, &t), RPS_TOUCH_APART);
        assert_int_equal(rps_core_plane_touch(&s.i, s.qi, s.qj, d, 0, 0.02, &t), RPS_TOUCH_FOUND);
        assert_true(fabs(t.overlap + 0.01) < round_off);
        assert_true(rps_vec3_norm(rps_vec3_sub(t.normal, n)) < round_off);
        assert_true(rps_vec3_norm(rps_vec3_sub(t.branch_j, aside)) < round_off);
        assert_sound(&t, d);
    }
}

/* Distance of a point from the surface of a box, by a grid over each face, refined ten times about its best point. */
static double brute_surface_distance(const double half[3], rps_vec3 point) {
    double p[3] = {point.x, point.y, point.z}, best = INFINITY;
    for (int face = 0; face < 6; face++) {
        int k = face / 2, a = (k + 1) % 3, b = (k + 2) % 3;
        double low[2] = {-half[a], -half[b]}, high[2] = {half[a], half[b]};
        for (int pass = 0; pass < 12; pass++) {
            double least = INFINITY, at[2] = {0, 0};
            for (int m = 0; m <= 10; m++) {
                for (int n = 0; n <= 10; n++) {
                    double q[3];
                    q[k] = face % 2 ? half[k] : -half[k];
                    q[a] = low[0] + (high[0] - low[0]) * m / 10;
                    q[b] = low[1] + (high[1] - low[1]) * n / 10;
                    double dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
                    double distance = sqrt(dx * dx + dy * dy + dz * dz);
                    if (distance < least) {
                        least = distance;
                        at[0] = q[a];
                        at[1] = q[b];
                    }
                }
            }
            for (int c = 0; c < 2; c++) {
                double h = c == 0 ? half[a] : half[b], reach = (high[c] - low[c]) / 5;
                low[c] = fmax(-h, at[c] - reach);
                high[c] = fmin(h, at[c] + reach);
            }
            best = fmin(best, least);
        }
    }
    return best;
}

static void test_ball_and_box(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        double r = k % 2 ? 0.1 : 0.0;
        core_scene s = {ball(0.05), box(0.5, 0.3, 0.2, r), core_any_turn(k, 0), core_any_turn(k, 4),
                        core_any_vec(k, 8)};
        s.d = rps_vec3_scale(s.d, 0.8);
        rps_vec3 p = rps_quat_rotate_inverse(s.qj, s.d);
        bool inside = fabs(p.x) < 0.5 && fabs(p.y) < 0.3 && fabs(p.z) < 0.2;
        double distance = brute_surface_distance(s.j.half, p) * (inside ? -1 : 1);
        rps_touch t;
        core_touch(&s, 0, 10.0, &t);
        /* the grid ends at 0.4^12 of the face; the distance is flat there, but for points near the surface */
        assert_true(fabs(t.overlap - (0.05 + r - distance)) < 2e-5);
        assert_sound(&t, s.d);
        /* C_j lies on the rounded box: at distance r from the core where the ball is outside */
        if (!inside) {
            rps_vec3 c = rps_quat_rotate_inverse(s.qj, t.branch_j);
            double ax = fmax(fabs(c.x) - 0.5, 0), ay = fmax(fabs(c.y) - 0.3, 0), az = fmax(fabs(c.z) - 0.2, 0);
            assert_true(fabs(sqrt(ax * ax + ay * ay + az * az) - r) < round_off);
        }
    }
    /* over a face, over an edge, over a corner: curvatures and normals */
    rps_quat q = rps_quat_identity();
    core_scene s = {ball(0.1), box(0.5, 0.5, 0.5, 0.02), q, q, {0.1, 0.2, 0.615}};
    rps_touch t;
    assert_int_equal(core_touch(&s, 0, 0.0, &t), RPS_TOUCH_FOUND);
    assert_true(t.normal.z == 1 && t.curve_j.s[0] == 0 && t.curve_j.s[1] == 0);
    s.d = rps_vec3_make(0.58, 0.2, 0.58);
    assert_int_equal(core_touch(&s, 0, 0.0, &t), RPS_TOUCH_FOUND);
    assert_true(t.normal.y == 0 && t.curve_j.s[1] == 0 && fabs(t.curve_j.s[0] - 25) < 1e-10);
    s.d = rps_vec3_make(0.565, 0.565, 0.565);
    assert_int_equal(core_touch(&s, 0, 0.0, &t), RPS_TOUCH_FOUND);
    assert_true(fabs(t.curve_j.s[0] - 50 * (1 - 1 / 3.0)) < 1e-10);
    assert_true(fabs(t.curve_i.s[3] + 10 / 3.0) < 1e-10);
    /* a box face is a plane, bit for bit, where it is not turned */
    rps_touch plane;
    s = (core_scene){ball(0.1), box(0.5, 0.5, 0.5, 0), core_any_turn(1, 0), q, {0.1, 0.2, 0.595}};
    core_touch(&s, 0, 0.0, &t);
    rps_core_plane_touch(&s.i, s.qi, q, rps_vec3_sub(s.d, rps_vec3_make(0, 0, 0.5)), 0, 0.0, &plane);
    assert_true(t.overlap == plane.overlap && t.normal.z == plane.normal.z && t.branch_i.z == plane.branch_i.z);
}

static void test_capsules(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        core_scene s = {capsule(0.8, 0.1), capsule(0.5, 0.2), core_any_turn(k, 0), core_any_turn(k, 4),
                        core_any_vec(k, 8)};
        rps_vec3 a = rps_quat_rotate(s.qi, rps_vec3_make(0, 0, 1)), b = rps_quat_rotate(s.qj, rps_vec3_make(0, 0, 1));
        double low = -0.8, high = 0.8, least = INFINITY;
        /* the distance from a point of one segment to the other one is closed and, along the segment, convex */
        for (int pass = 0; pass < 100; pass++) {
            double at[2] = {low + (high - low) / 3, high - (high - low) / 3}, distance[2];
            for (int m = 0; m < 2; m++) {
                rps_vec3 p = line(s.d, at[m], a);
                double u = fmax(-0.5, fmin(0.5, rps_vec3_dot(p, b)));
                distance[m] = rps_vec3_norm(line(p, -u, b));
            }
            low = distance[0] < distance[1] ? low : at[0];
            high = distance[0] < distance[1] ? at[1] : high;
            least = fmin(least, fmin(distance[0], distance[1]));
        }
        assert_int_equal(rps_core_features(&s.i, &s.j), 5);
        double most = -INFINITY;
        for (unsigned f = 0; f < 5; f++) {
            rps_touch t;
            if (core_touch(&s, f, 10.0, &t) != RPS_TOUCH_APART) {
                assert_sound(&t, s.d);
                most = fmax(most, t.overlap);
            }
        }
        /* the closest feature is the distance of the capsules, but for the barrel, and where edges that end c before
         * their vertices meet with their ends */
        double gap = rps_core_gap(&s.i, s.qi, &s.j, s.qj, s.d, 4), c2 = 0.3 * 0.2 / 500;
        assert_true(gap > (least - 0.3) - 1e-12 && gap < (least - 0.3) + 2 * sqrt(c2));
        assert_true(most <= 0.3 - least + 1e-12);
        double lost = core_barrel(&s.i) + core_barrel(&s.j) + c2 / (4 * least);
        assert_true(0.3 - least - most <= lost);
    }
    /* crossed at 60 degrees, 0.29 apart: one contact at the crossing, and nothing else */
    rps_quat lie = rps_quat_from_axis_angle(rps_vec3_make(1, 0, 0), RPS_PI / 2);
    rps_quat turn = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 3);
    core_scene s = {capsule(0.8, 0.1), capsule(0.5, 0.2), rps_quat_mul(turn, lie), lie, {0.02, -0.03, 0.29}};
    for (unsigned f = 0; f < 5; f++) {
        rps_touch t;
        rps_touch_result r = core_touch(&s, f, 0.0, &t);
        assert_int_equal(r, f < 4 ? RPS_TOUCH_APART : RPS_TOUCH_FOUND);
        if (f == 4) {
            /* so near the middle, at 0.1 of the half length, edges are thinner by a hundredth of their barrel */
            double thinner = 0.01 * core_barrel(&s.j);
            assert_true(t.overlap < 0.01 && t.overlap > 0.01 - thinner && fabs(t.normal.z - 1) < 1e-8);
            assert_true(fabs(t.branch_j.z - 0.2) < thinner && fabs(t.branch_i.z + 0.1) < thinner);
            assert_true(fabs(t.curve_j.s[0] - 5) < 1e-6 && fabs(t.curve_j.s[1]) < 1e-6);
        }
    }
}

/* Normals of edges tilt because edges are barrelled, by up to 1/1000 of either edge. */
static const double lean_of_edges = 2e-3;

/* The resultant of a patch: along the face normal, its centre on the common area. */
static void assert_patch(const core_scene *s, double half_x, double half_y, rps_vec3 middle, double slack) {
    rps_vec3 force, torque;
    core_resultant(s, &force, &torque);
    assert_true(force.z > 0);
    assert_true(fabs(force.x) < lean_of_edges * force.z && fabs(force.y) < lean_of_edges * force.z);
    /* about the origin of i: torque = c x F */
    double cz = -(s->i.half[2] + s->i.radius);
    double cx = (cz * force.x - torque.y) / force.z + s->d.x - middle.x;
    double cy = (cz * force.y + torque.x) / force.z + s->d.y - middle.y;
    assert_true(fabs(cx) <= half_x && fabs(cy) <= half_y);
    assert_true(hypot(cx, cy) < slack);
    assert_true(fabs(torque.z) < lean_of_edges * force.z);
}

static unsigned count(const core_scene *s, double depth) {
    unsigned touching = 0;
    for (unsigned f = 0; f < rps_core_features(&s->i, &s->j); f++) {
        rps_touch t;
        rps_touch_result r = core_touch(s, f, 0.0, &t);
        assert_int_not_equal(r, RPS_TOUCH_DEEP);
        if (r == RPS_TOUCH_FOUND && t.overlap > 1e-6) {
            touching++;
            assert_true(t.overlap < depth + 1e-12 && t.overlap > depth - core_barrel(&s->i) - core_barrel(&s->j));
            assert_true(fabs(t.normal.z - 1) < 0.5 * lean_of_edges * lean_of_edges);
        }
    }
    return touching;
}

static void test_patches(void **state) {
    (void)state;
    const double depth = 1e-3;
    rps_shape_core cube = box(0.5, 0.5, 0.5, 0), round = rps_core_for_contact(&cube);
    assert_true(round.radius == 0.025 && fabs(round.half[0] + round.radius - 0.5) < 1e-16);
    rps_quat q = rps_quat_identity(), eighth = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 4);
    /* of symmetric poses the centre is the middle, to the lean times the barrel */
    const double all = lean_of_edges * core_barrel(&round);
    core_scene s = {round, round, q, q, {0, 0, 1 - depth}};
    assert_int_equal(count(&s, depth), 12); /* each corner is seen from both sides; edges along each other */
    assert_patch(&s, 0.5, 0.5, rps_vec3_zero(), all);
    s.d.x = 0.5; /* shifted by half: two corners of each on the other's face */
    s.d.y = 0;
    assert_true(count(&s, depth) >= 4);
    assert_patch(&s, 0.25, 0.5, rps_vec3_make(0.25, 0, 0), all);
    s.d.y = 0.4; /* shifted both ways: a corner of each and two crossings */
    assert_int_equal(count(&s, depth), 4);
    assert_patch(&s, 0.25, 0.3, rps_vec3_make(0.25, 0.2, 0), all);
    s.qi = eighth; /* turned by 45 degrees: eight crossings */
    s.d = rps_vec3_make(0, 0, 1 - depth);
    assert_int_equal(count(&s, depth), 8);
    assert_patch(&s, 0.5, 0.5, rps_vec3_zero(), all);
    s.d.x = 0.3;
    s.d.y = 0.1;
    assert_true(count(&s, depth) >= 4);
    assert_patch(&s, 0.5, 0.5, rps_vec3_make(0.1, 0.05, 0), 0.15);
    rps_shape_core board = box(1, 0.2, 0.1, 0);
    board = rps_core_for_contact(&board);
    s = (core_scene){
        board, board, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 2), q, {0.3, 0.4, 0.2 - depth}};
    assert_int_equal(count(&s, depth), 4); /* crossed boards: four crossings, no corner */
    /* the crossings are not symmetric about the middles of the edges: to the barrel over the overlap */
    assert_patch(&s, 0.2, 0.2, rps_vec3_make(0.3, 0, 0), 0.2 * 2 * core_barrel(&board) / depth);
    /* the far edges of the boards cross as well, a thickness and more the wrong way: no contact, however long the reach */
    for (unsigned f = 0; f < rps_core_features(&s.i, &s.j); f++) {
        rps_touch t;
        assert_int_not_equal(core_touch(&s, f, 0.5, &t), RPS_TOUCH_DEEP);
        assert_true(t.overlap <= depth + 1e-12);
    }
    /* strips of 2 to 32 overlaps at the rim of the other box: no sideways contact from the upright edges */
    for (double strip = 2; strip < 60; strip *= 2) {
        s = (core_scene){board, round, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.1), q, {0, 0, 0}};
        s.d = rps_vec3_make(1.5 - 0.05 - strip * depth, 0, 0.6 - depth);
        for (unsigned f = 0; f < rps_core_features(&s.i, &s.j); f++) {
            rps_touch t;
            if (core_touch(&s, f, 0.0, &t) != RPS_TOUCH_APART && t.overlap > 0) {
                assert_true(t.overlap <= depth + 1e-12);
            }
        }
    }
}

/* All gaps computed at once equal those computed one by one, or both are beyond the cutoff. */
static void test_gaps(void **state) {
    (void)state;
    const rps_shape_core cores[] = {box(0.5, 0.4, 0.3, 0.05), box(0.5, 0.4, 0, 0.1), capsule(0.8, 0.1), ball(0.3)};
    unsigned long near = 0, away = 0;
    for (uint64_t k = 0; k < 1600; k++) {
        core_scene s = {cores[k % 4], cores[k / 4 % 4], core_any_turn(k, 0), core_any_turn(k, 4), core_any_vec(k, 8)};
        double gaps[160], capacity = 0.1 * (1 + core_any(k, 11));
        bool some = rps_core_gaps(&s.i, s.qi, &s.j, s.qj, s.d, capacity, gaps);
        for (unsigned f = 0; f < rps_core_features(&s.i, &s.j); f++) {
            double gap = rps_core_gap(&s.i, s.qi, &s.j, s.qj, s.d, f);
            assert_true(gap < capacity ? some && fabs(gaps[f] - gap) < 1e-14
                                       : !some || (gaps[f] >= capacity && gaps[f] < gap + 1e-14));
            near += gap < capacity;
        }
        away += !some;
    }
    print_message("gaps: %lu within the room, %lu pairs of 1600 away as a whole\n", near, away);
    assert_true(near > 1000 && away > 100);
}

static void test_planes(void **state) {
    (void)state;
    const double depth = 1e-3;
    for (uint64_t k = 0; k < 50; k++) {
        /* a box face down on a tilted plane: its four lower corners, as deep as the face */
        rps_quat plane = core_any_turn(k, 0),
                 turn = rps_quat_mul(plane, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.3));
        rps_vec3 n = rps_quat_rotate(plane, rps_vec3_make(0, 0, 1));
        rps_shape_core b = box(0.4, 0.3, 0.2, 0.01);
        rps_vec3 d = line(rps_vec3_reject(core_any_vec(k, 4), n), 0.21 - depth, n), middle = rps_vec3_zero();
        unsigned touching = 0;
        assert_int_equal(rps_core_vertices(&b), 8);
        for (unsigned f = 0; f < 8; f++) {
            rps_touch t;
            rps_touch_result r = rps_core_plane_touch(&b, turn, plane, d, f, 0.0, &t);
            assert_true(fabs(rps_core_plane_gap(&b, turn, plane, d, f) + (f < 4 ? depth : depth - 0.4)) < round_off);
            assert_int_equal(r, f < 4 ? RPS_TOUCH_FOUND : RPS_TOUCH_APART);
            if (r == RPS_TOUCH_FOUND) {
                touching++;
                assert_true(fabs(t.overlap - depth) < round_off);
                assert_sound(&t, d);
                assert_true(fabs(rps_vec3_dot(t.branch_j, n)) < round_off);
                middle = line(middle, 0.25, t.branch_i);
            }
        }
        assert_int_equal(touching, 4);
        assert_true(rps_vec3_norm(line(middle, 0.21, n)) < round_off);
    }
}

/* Energy, force and torque about the origin of a cylinder with springs of stiffness 1. */
static double cylinder_energy(rps_quat turn, rps_quat plane, rps_vec3 d, rps_vec3 *force, rps_vec3 *torque) {
    double e = 0;
    *force = *torque = rps_vec3_zero();
    for (unsigned f = 0; f < RPS_CYLINDER_PLANE_FEATURES; f++) {
        rps_touch t;
        if (rps_cylinder_plane_touch(0.3, 0.5, turn, plane, d, f, 0.0, &t) != RPS_TOUCH_APART) {
            assert_sound(&t, d);
            rps_vec3 push = rps_vec3_scale(t.normal, t.overlap);
            e += 0.5 * t.overlap * t.overlap;
            *force = rps_vec3_add(*force, push);
            *torque = rps_vec3_add(*torque, rps_vec3_cross(t.branch_i, push));
        }
    }
    return e;
}

static void test_cylinder(void **state) {
    (void)state;
    const double depth = 1e-3, h = 1e-7;
    rps_vec3 z = {0, 0, 1}, force, torque;
    for (uint64_t k = 0; k < 200; k++) {
        rps_quat plane = core_any_turn(k, 0);
        rps_vec3 n = rps_quat_rotate(plane, z);
        /* from upright (all four points), over tilts of about the overlap, to lying, which is the case k % 4 == 3 */
        static const double tilts[4] = {1e-3, 4e-3, 0.5, 0.5 * RPS_PI};
        double tilt = tilts[k % 4] * (k % 4 == 3 ? 1 : 0.5 + 0.5 * fabs(core_any(k, 4)));
        rps_quat lean = rps_quat_from_rotation_vector(
            rps_vec3_scale(rps_vec3_normalize(rps_vec3_make(core_any(k, 5), core_any(k, 6), 0)), tilt));
        rps_quat turn = rps_quat_mul(plane, rps_quat_mul(lean, rps_quat_from_axis_angle(z, core_any(k, 7))));
        double height = 0.5 * cos(tilt) + 0.3 * sin(tilt) - depth;
        rps_vec3 d = rps_vec3_scale(n, height);
        double e = cylinder_energy(turn, plane, d, &force, &torque);
        if (k % 4 == 3) {
            assert_true(fabs(e - depth * depth) < 1e-15); /* two points, one of each rim */
            assert_true(rps_vec3_norm(torque) < 1e-15);
        }
        assert_true(e >= 0.5 * depth * depth * (1 - 1e-9));
        rps_vec3 f, t;
        double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int c = 0; c < 3; c++) {
            rps_vec3 a = rps_vec3_make(axis[c][0], axis[c][1], axis[c][2]);
            double slope = (cylinder_energy(turn, plane, line(d, h, a), &f, &t) -
                            cylinder_energy(turn, plane, line(d, -h, a), &f, &t)) /
                           (2 * h);
            rps_quat up = rps_quat_from_rotation_vector(rps_vec3_scale(a, h));
            rps_quat down = rps_quat_conjugate(up);
            double slope_turn = (cylinder_energy(rps_quat_mul(up, turn), plane, d, &f, &t) -
                                 cylinder_energy(rps_quat_mul(down, turn), plane, d, &f, &t)) /
                                (2 * h);
            /* round-off of heights 1e-16 times overlaps over h; where a point just touches, h * 1 */
            assert_true(fabs(slope + rps_vec3_dot(force, a)) < 1e-9 + h);
            assert_true(fabs(slope_turn + rps_vec3_dot(torque, a)) < 1e-9 + h);
        }
    }
    /* upright, whatever the first point is: the same energy and no torque */
    rps_quat q = rps_quat_identity();
    rps_vec3 d = {0, 0, 0.5 - depth};
    double e = cylinder_energy(q, q, d, &force, &torque);
    assert_true(fabs(e - 2 * depth * depth) < 1e-18 && rps_vec3_norm(torque) < 1e-18);
    rps_quat lean = rps_quat_from_rotation_vector(rps_vec3_make(2e-8, 1e-8, 0));
    assert_true(fabs(cylinder_energy(lean, q, d, &force, &torque) - e) < 1e-15);
    assert_true(fabs(rps_cylinder_plane_gap(0.3, 0.5, q, q, d, 4) + depth) < 1e-15);
    assert_true(fabs(rps_cylinder_plane_gap(0.3, 0.5, q, q, d, 0) + depth - 1) < 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls),    cmocka_unit_test(test_ball_and_box), cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_patches),  cmocka_unit_test(test_gaps),         cmocka_unit_test(test_planes),
        cmocka_unit_test(test_cylinder),
    };
    return cmocka_run_group_tests_name("core_pairs", tests, NULL, NULL);
}
