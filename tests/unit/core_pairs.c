/*
 * Cores against each other and against planes: closed forms, brute force, and what makes the sum over features a model:
 * no jumps, forces that are the gradient of the energy, patches that carry where they lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/random.h"
#include "detect/pair_core.h"
#include "detect/pair_cylinder_plane.h"

/* All bodies here have sizes about 1; positions go through two rotations and a sum. */
static const double round_off = 1e-14;

static double any(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(7, RPS_RANDOM_TEST, id, n) - 1;
}

static rps_vec3 any_vec(uint64_t id, uint64_t n) {
    return rps_vec3_make(any(id, n), any(id, n + 1), any(id, n + 2));
}

static rps_quat any_turn(uint64_t id, uint64_t n) {
    return rps_quat_normalize((rps_quat){any(id, n), any(id, n + 1), any(id, n + 2), any(id, n + 3)});
}

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

/* Two cores and their poses; the origin of j is at 0. */
typedef struct scene {
    rps_shape_core i, j;
    rps_quat qi, qj;
    rps_vec3 d;
} scene;

static rps_touch_result touch(const scene *s, unsigned f, double reach, rps_touch *t) {
    return rps_core_touch(&s->i, s->qi, &s->j, s->qj, s->d, f, reach, t);
}

static double overlap_of(const scene *s, unsigned f) {
    rps_touch t;
    return touch(s, f, 0.0, &t) == RPS_TOUCH_APART || t.overlap < 0 ? 0.0 : t.overlap;
}

/* What holds of every touch: the points' difference, the unit normal, symmetric curvatures with it in their kernel. */
static void assert_sound(const rps_touch *t, rps_vec3 d) {
    assert_true(fabs(rps_vec3_norm(t->normal) - 1) < round_off);
    rps_vec3 difference = rps_vec3_sub(rps_vec3_add(d, t->arm_i), t->arm_j);
    assert_true(rps_vec3_norm(line(difference, t->overlap, t->normal)) < round_off * (1 + rps_vec3_norm(t->arm_j)));
    const rps_sym3 *curve[2] = {&t->curve_i, &t->curve_j};
    for (int k = 0; k < 2; k++) {
        const double *s = curve[k]->s;
        rps_vec3 n = t->normal;
        rps_vec3 w = {s[0] * n.x + s[3] * n.y + s[4] * n.z, s[3] * n.x + s[1] * n.y + s[5] * n.z,
                      s[4] * n.x + s[5] * n.y + s[2] * n.z};
        double trace = s[0] + s[1] + s[2];
        assert_true(trace >= 0);
        /* the normal is across an edge by the error of a cross product of directions up to 1e-3 from parallel */
        assert_true(rps_vec3_norm(w) <= 1e-12 * trace);
    }
}

static void test_balls(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        scene s = {ball(0.7), ball(0.4), any_turn(k, 0), any_turn(k, 4), any_vec(k, 8)};
        rps_touch t;
        assert_int_equal(rps_core_features(&s.i, &s.j), 1);
        rps_touch_result r = touch(&s, 0, 10.0, &t);
        double distance = rps_vec3_norm(s.d);
        assert_true(fabs(t.overlap - (1.1 - distance)) < round_off);
        assert_int_equal(r, 1.1 - distance > 0.08 ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND);
        assert_true(rps_vec3_norm(line(t.normal, -1 / distance, s.d)) < round_off);
        assert_true(rps_vec3_norm(line(t.arm_i, 0.7, t.normal)) < round_off);
        assert_true(rps_vec3_norm(line(t.arm_j, -0.4, t.normal)) < round_off);
        assert_true(fabs(t.curve_i.s[0] + t.curve_i.s[1] + t.curve_i.s[2] - 2 / 0.7) < 10 * round_off);
        assert_sound(&t, s.d);
        assert_true(fabs(rps_core_gap(&s.i, s.qi, &s.j, s.qj, s.d, 0) + t.overlap) < round_off);
        /* a ball 0.01 above a tilted plane */
        rps_vec3 n = rps_quat_rotate(s.qj, rps_vec3_make(0, 0, 1));
        rps_vec3 aside = rps_vec3_reject(any_vec(k, 11), n);
        rps_vec3 d = line(aside, 0.71, n);
        assert_int_equal(rps_core_plane_touch(&s.i, s.qi, s.qj, d, 0, 0.0, &t), RPS_TOUCH_APART);
        assert_int_equal(rps_core_plane_touch(&s.i, s.qi, s.qj, d, 0, 0.02, &t), RPS_TOUCH_FOUND);
        assert_true(fabs(t.overlap + 0.01) < round_off);
        assert_true(rps_vec3_norm(rps_vec3_sub(t.normal, n)) < round_off);
        assert_true(rps_vec3_norm(rps_vec3_sub(t.arm_j, aside)) < round_off);
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
        scene s = {ball(0.05), box(0.5, 0.3, 0.2, r), any_turn(k, 0), any_turn(k, 4), any_vec(k, 8)};
        s.d = rps_vec3_scale(s.d, 0.8);
        rps_vec3 p = rps_quat_rotate_inverse(s.qj, s.d);
        bool inside = fabs(p.x) < 0.5 && fabs(p.y) < 0.3 && fabs(p.z) < 0.2;
        double distance = brute_surface_distance(s.j.half, p) * (inside ? -1 : 1);
        rps_touch t;
        touch(&s, 0, 10.0, &t);
        /* the grid ends at 0.4^12 of the face; the distance is flat there, but for points near the surface */
        assert_true(fabs(t.overlap - (0.05 + r - distance)) < 2e-5);
        assert_sound(&t, s.d);
        /* C_j lies on the rounded box: at distance r from the core where the ball is outside */
        if (!inside) {
            rps_vec3 c = rps_quat_rotate_inverse(s.qj, t.arm_j);
            double ax = fmax(fabs(c.x) - 0.5, 0), ay = fmax(fabs(c.y) - 0.3, 0), az = fmax(fabs(c.z) - 0.2, 0);
            assert_true(fabs(sqrt(ax * ax + ay * ay + az * az) - r) < round_off);
        }
    }
    /* over a face, over an edge, over a corner: curvatures and normals */
    rps_quat q = rps_quat_identity();
    scene s = {ball(0.1), box(0.5, 0.5, 0.5, 0.02), q, q, {0.1, 0.2, 0.615}};
    rps_touch t;
    assert_int_equal(touch(&s, 0, 0.0, &t), RPS_TOUCH_FOUND);
    assert_true(t.normal.z == 1 && t.curve_j.s[0] == 0 && t.curve_j.s[1] == 0);
    s.d = rps_vec3_make(0.58, 0.2, 0.58);
    assert_int_equal(touch(&s, 0, 0.0, &t), RPS_TOUCH_FOUND);
    assert_true(t.normal.y == 0 && t.curve_j.s[1] == 0 && fabs(t.curve_j.s[0] - 25) < 1e-10);
    s.d = rps_vec3_make(0.565, 0.565, 0.565);
    assert_int_equal(touch(&s, 0, 0.0, &t), RPS_TOUCH_FOUND);
    assert_true(fabs(t.curve_j.s[0] - 50 * (1 - 1 / 3.0)) < 1e-10);
    assert_true(fabs(t.curve_i.s[3] + 10 / 3.0) < 1e-10);
    /* a box face is a plane, bit for bit, where it is not turned */
    rps_touch plane;
    s = (scene){ball(0.1), box(0.5, 0.5, 0.5, 0), any_turn(1, 0), q, {0.1, 0.2, 0.595}};
    touch(&s, 0, 0.0, &t);
    rps_core_plane_touch(&s.i, s.qi, q, rps_vec3_sub(s.d, rps_vec3_make(0, 0, 0.5)), 0, 0.0, &plane);
    assert_true(t.overlap == plane.overlap && t.normal.z == plane.normal.z && t.arm_i.z == plane.arm_i.z);
}

static void test_capsules(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        scene s = {capsule(0.8, 0.1), capsule(0.5, 0.2), any_turn(k, 0), any_turn(k, 4), any_vec(k, 8)};
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
            if (touch(&s, f, 10.0, &t) != RPS_TOUCH_APART) {
                assert_sound(&t, s.d);
                most = fmax(most, t.overlap);
            }
        }
        /* the closest feature is the distance of the capsules, unless the edges' crossing is within |g| of an end */
        double gap = rps_core_gap(&s.i, s.qi, &s.j, s.qj, s.d, 4);
        assert_true(fabs(gap - (least - 0.3)) < 1e-12);
        assert_true(most <= 0.3 - least + 1e-12);
        rps_touch t;
        touch(&s, 4, 0.0, &t);
        double slack = fabs(0.3 - least);
        assert_true(0.3 - least - most <= 2 * slack + 1e-12);
    }
    /* crossed at 60 degrees, 0.29 apart: one contact at the crossing, and nothing else */
    rps_quat lie = rps_quat_from_axis_angle(rps_vec3_make(1, 0, 0), RPS_PI / 2);
    rps_quat turn = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 3);
    scene s = {capsule(0.8, 0.1), capsule(0.5, 0.2), rps_quat_mul(turn, lie), lie, {0.02, -0.03, 0.29}};
    for (unsigned f = 0; f < 5; f++) {
        rps_touch t;
        rps_touch_result r = touch(&s, f, 0.0, &t);
        assert_int_equal(r, f < 4 ? RPS_TOUCH_APART : RPS_TOUCH_FOUND);
        if (f == 4) {
            assert_true(fabs(t.overlap - 0.01) < round_off && fabs(t.normal.z - 1) < round_off);
            assert_true(fabs(t.arm_j.z - 0.2) < round_off && fabs(t.arm_i.z + 0.1) < round_off);
            assert_true(fabs(t.curve_j.s[0] - 5) < 1e-12 && fabs(t.curve_j.s[1]) < 1e-12);
        }
    }
}

/* The pairs that the tests of the model go through. */
static const struct {
    rps_shape_core i, j;
} pairs[] = {
    {{{0.5, 0.4, 0.3}, 0.05}, {{0.6, 0.3, 0.2}, 0.03}}, {{{0.5, 0.5, 0.5}, 0.025}, {{0.5, 0.5, 0.5}, 0.025}},
    {{{0.8, 0.2, 0.1}, 0.01}, {{0.8, 0.2, 0.1}, 0.01}}, {{{0.0, 0.0, 0.8}, 0.2}, {{0.0, 0.0, 0.5}, 0.1}},
    {{{0.0, 0.0, 0.7}, 0.1}, {{0.4, 0.3, 0.2}, 0.0}},   {{{0.0, 0.0, 0.0}, 0.2}, {{0.4, 0.3, 0.2}, 0.01}},
    {{{0.5, 0.4, 0.0}, 0.1}, {{0.3, 0.5, 0.0}, 0.1}},   {{{0.5, 0.4, 0.0}, 0.1}, {{0.3, 0.3, 0.3}, 0.02}},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static double largest_overlap(const scene *s) {
    double most = 0;
    for (unsigned f = 0; f < rps_core_features(&s->i, &s->j); f++) {
        most = fmax(most, overlap_of(s, f));
    }
    return most;
}

/* Starts of a path: a pose in touch. Every other one has faces and edges in line or crossed at right angles, which are
 * the special poses of the model. */
static scene in_touch(uint64_t k, double depth) {
    scene s = {pairs[k % PAIRS].i, pairs[k % PAIRS].j, any_turn(k, 0), any_turn(k, 4), any_vec(k, 8)};
    if ((k / PAIRS) % 2) {
        rps_quat quarter = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 2 * (double)((k / PAIRS / 2) % 2));
        s.qj = rps_quat_identity();
        s.qi = quarter;
        s.d = rps_vec3_make(0.2 * s.d.x, 0.3 * s.d.y, 1);
        if ((k / PAIRS / 4) % 2) {
            s.d.x = s.d.y = 0; /* aligned */
        }
    }
    /* in along d to where the largest overlap is `depth`: at first in steps, because one body may pass the other */
    rps_vec3 way = rps_vec3_normalize(s.d);
    double step = 0.01;
    s.d = rps_vec3_scale(way, 2);
    for (int pass = 0; pass < 250; pass++) {
        scene next = s;
        next.d = line(s.d, -step, way);
        if (largest_overlap(&next) > depth) {
            step *= 0.5;
        } else {
            s = next;
        }
    }
    return s;
}

/* Moves i by `shift` and turns it by `turn` about its origin. */
static scene moved(const scene *s, rps_vec3 shift, rps_vec3 turn) {
    scene m = *s;
    m.d = rps_vec3_add(s->d, shift);
    m.qi = rps_quat_normalize(rps_quat_mul(rps_quat_from_rotation_vector(turn), s->qi));
    return m;
}

static void test_mirror(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 20 * PAIRS; k++) {
        scene s = in_touch(k, 0.005);
        scene m = {s.j, s.i, s.qj, s.qi, rps_vec3_neg(s.d)};
        unsigned all = rps_core_features(&s.i, &s.j), vi = rps_core_vertices(&s.i), vj = rps_core_vertices(&s.j);
        assert_int_equal(all, rps_core_features(&s.j, &s.i));
        unsigned edges_of[9] = {0, 0, 1, 0, 4, 0, 0, 0, 12};
        for (unsigned f = 0; f < all; f++) {
            unsigned pair = f - vi - vj, ej = edges_of[vj], ei = edges_of[vi];
            unsigned g = all == 1 ? 0 : f < vi ? vj + f : f < vi + vj ? f - vi : vi + vj + pair % ej * ei + pair / ej;
            rps_touch a, b;
            rps_touch_result r = touch(&s, f, 0.1, &a);
            assert_int_equal(r, touch(&m, g, 0.1, &b));
            /* the place of a crossing is worth 1/sin as much as the poses */
            double close = f < vi + vj || all == 1 ? round_off : 1e3 * round_off;
            assert_true(fabs(a.overlap - b.overlap) < close);
            if (r != RPS_TOUCH_APART) {
                assert_sound(&a, s.d);
                assert_true(rps_vec3_norm(rps_vec3_add(a.normal, b.normal)) < close);
                assert_true(rps_vec3_norm(rps_vec3_sub(a.arm_i, b.arm_j)) < close);
                assert_true(rps_vec3_norm(rps_vec3_sub(a.arm_j, b.arm_i)) < close);
                assert_true(memcmp(&a.curve_i, &b.curve_j, sizeof a.curve_i) == 0 ||
                            fabs(a.curve_i.s[0] - b.curve_j.s[0]) < 100 * close / 0.01);
            }
        }
    }
}

/* The largest change of any overlap between two near poses must go to 0 with their distance: a step in which it changes
 * by more than `change` is halved, until it does not or the poses are the same to round-off. */
static bool jumps(const scene *from, rps_vec3 shift, rps_vec3 turn, unsigned f, double change) {
    double low = 0, high = 1;
    scene a = *from, b = moved(from, shift, turn);
    double at_low = overlap_of(&a, f), at_high = overlap_of(&b, f);
    while (fabs(at_high - at_low) > change && high - low > 1e-9) {
        double middle = 0.5 * (low + high);
        scene m = moved(from, rps_vec3_scale(shift, middle), rps_vec3_scale(turn, middle));
        double at = overlap_of(&m, f);
        if (fabs(at - at_low) > fabs(at_high - at)) {
            high = middle;
            at_high = at;
        } else {
            low = middle;
            at_low = at;
        }
    }
    return fabs(at_high - at_low) > change;
}

static void test_no_jumps(void **state) {
    (void)state;
    unsigned long changes = 0;
    for (uint64_t k = 0; k < 16 * PAIRS; k++) {
        scene s = in_touch(k, 0.01);
        unsigned all = rps_core_features(&s.i, &s.j);
        rps_vec3 shift = rps_vec3_scale(any_vec(k, 20), 0.004), turn = rps_vec3_scale(any_vec(k, 23), 0.008);
        if (k % 3 == 0) {
            turn = rps_vec3_zero(); /* a pure slide keeps aligned things aligned */
        }
        double before[160], after[160];
        for (unsigned f = 0; f < all; f++) {
            before[f] = overlap_of(&s, f);
        }
        for (int step = 0; step < 100; step++) {
            scene next = moved(&s, shift, turn);
            double most = 0;
            for (unsigned f = 0; f < all; f++) {
                after[f] = overlap_of(&next, f);
                most = fmax(most, after[f]);
                /* halves 30 times at most: a continuous overlap changes by 2e-10 * 1e3 at the end */
                if (fabs(after[f] - before[f]) > 1e-5) {
                    changes++;
                    assert_false(jumps(&s, shift, turn, f, 1e-5));
                }
            }
            memcpy(before, after, sizeof before);
            s = next;
            if (most > 0.02 || most == 0) {
                /* out of the range of validity or of touch: back, on another way */
                shift = line(rps_vec3_scale(any_vec(k, 100 + (uint64_t)step), 0.003), most > 0.02 ? 0.004 : -0.004,
                             rps_vec3_normalize(s.d));
                turn = rps_vec3_scale(turn, -1);
            }
        }
    }
    assert_true(changes > 1000);
}

/* Force and torque about the origin of i for linear springs of stiffness 1. */
static void resultant(const scene *s, rps_vec3 *force, rps_vec3 *torque) {
    *force = *torque = rps_vec3_zero();
    for (unsigned f = 0; f < rps_core_features(&s->i, &s->j); f++) {
        rps_touch t;
        if (touch(s, f, 0.0, &t) != RPS_TOUCH_APART && t.overlap > 0) {
            rps_vec3 push = rps_vec3_scale(t.normal, t.overlap);
            *force = rps_vec3_add(*force, push);
            *torque = rps_vec3_add(*torque, rps_vec3_cross(t.arm_i, push));
        }
    }
}

/* Features whose overlap is the gap of the lines are told apart by the fact that |n.(difference of the edges)| does not
 * change with sliding along n's tangents; here the zones are seen as those features whose force is not the gradient. */
static void test_force_is_gradient(void **state) {
    (void)state;
    const double h = 1e-7;
    unsigned long active = 0, edges_active = 0, in_zone = 0;
    for (uint64_t k = 0; k < 40 * PAIRS; k++) {
        scene s = in_touch(k, 0.005);
        /* off the exactly aligned poses, where the gradient has kinks */
        s = moved(&s, rps_vec3_scale(any_vec(k, 30), 1e-3), rps_vec3_scale(any_vec(k, 33), 1e-2));
        unsigned all = rps_core_features(&s.i, &s.j);
        unsigned vertices = all == 1 ? 1 : rps_core_vertices(&s.i) + rps_core_vertices(&s.j);
        for (unsigned f = 0; f < all; f++) {
            rps_touch t;
            if (touch(&s, f, 0.0, &t) == RPS_TOUCH_APART || t.overlap < 1e-4) {
                continue;
            }
            rps_vec3 torque = rps_vec3_cross(t.arm_i, t.normal);
            double want[6] = {t.normal.x, t.normal.y, t.normal.z, torque.x, torque.y, torque.z}, worst = 0;
            for (int c = 0; c < 6; c++) {
                double step[6] = {0};
                step[c] = h;
                rps_vec3 shift = {step[0], step[1], step[2]}, turn = {step[3], step[4], step[5]};
                scene up = moved(&s, shift, turn), down = moved(&s, rps_vec3_neg(shift), rps_vec3_neg(turn));
                /* overlap falls as i moves along n */
                double slope = (overlap_of(&up, f) - overlap_of(&down, f)) / (2 * h);
                worst = fmax(worst, fabs(slope + want[c]));
            }
            active++;
            edges_active += f >= vertices;
            /* differences of 1e-16 over 2e-7, and curvature up to 1/r = 100 (at 1e-3 from parallel more) times h */
            bool gradient = worst < 1e-4;
            assert_true(gradient || f >= vertices);
            in_zone += !gradient;
        }
    }
    print_message("force = gradient: %lu features, %lu of edges, %lu in the zones\n", active, edges_active, in_zone);
    assert_true(edges_active > 100);
    assert_true(in_zone * 5 < edges_active);
}

/* The work along a closed path that leaves and enters zones, over the energy of one feature at the largest overlap:
 * what a passage can cost at most is 1. */
static void test_closed_loops(void **state) {
    (void)state;
    double worst = 0, total = 0;
    int loops = 0, beyond = 0;
    for (uint64_t k = 0; k < 4 * PAIRS; k++) {
        if (pairs[k % PAIRS].i.half[2] == 0 && pairs[k % PAIRS].i.half[0] == 0) {
            continue;
        }
        scene start = in_touch(k, 0.005), s = start;
        rps_vec3 a = rps_vec3_scale(any_vec(k, 40), 0.02), b = rps_vec3_scale(any_vec(k, 43), 0.02);
        rps_vec3 g = rps_vec3_scale(any_vec(k, 46), 0.02);
        double work = 0, most = 0;
        const int steps = 4000;
        for (int m = 0; m < steps; m++) {
            double x0 = 2 * RPS_PI * m / steps, x1 = 2 * RPS_PI * (m + 1) / steps, xm = 0.5 * (x0 + x1);
            scene from = moved(&start, line(rps_vec3_scale(a, sin(x0)), 1 - cos(x0), b), rps_vec3_scale(g, sin(x0)));
            scene to = moved(&start, line(rps_vec3_scale(a, sin(x1)), 1 - cos(x1), b), rps_vec3_scale(g, sin(x1)));
            s = moved(&start, line(rps_vec3_scale(a, sin(xm)), 1 - cos(xm), b), rps_vec3_scale(g, sin(xm)));
            rps_vec3 force, torque;
            resultant(&s, &force, &torque);
            /* turns about one axis all along */
            work += rps_vec3_dot(force, rps_vec3_sub(to.d, from.d)) + rps_vec3_dot(torque, g) * (sin(x1) - sin(x0));
            most = fmax(most, largest_overlap(&s));
        }
        double relative = fabs(work) / (0.5 * most * most);
        worst = fmax(worst, relative);
        total += relative;
        loops++;
        beyond += relative > 1e-3;
    }
    print_message("closed loops: %d, work over the energy of one feature: mean %.3g, worst %.3g, %d above 1e-3\n",
                  loops, total / loops, worst, beyond);
    assert_true(worst < 4.0); /* as if every crossing of a patch were paid for in one way only */
}

/* The resultant of a patch: along the face normal, its centre on the common area. */
static void assert_patch(const scene *s, double half_x, double half_y, rps_vec3 middle, double slack) {
    rps_vec3 force, torque;
    resultant(s, &force, &torque);
    assert_true(force.z > 0);
    assert_true(fabs(force.x) < 1e-12 * force.z && fabs(force.y) < 1e-12 * force.z);
    /* about the origin of i: torque = c x F */
    double cx = -torque.y / force.z + s->d.x - middle.x, cy = torque.x / force.z + s->d.y - middle.y;
    assert_true(fabs(cx) <= half_x && fabs(cy) <= half_y);
    assert_true(hypot(cx, cy) < slack);
    assert_true(fabs(torque.z) < 1e-12 * force.z);
}

static unsigned count(const scene *s, double depth) {
    unsigned touching = 0;
    for (unsigned f = 0; f < rps_core_features(&s->i, &s->j); f++) {
        rps_touch t;
        rps_touch_result r = touch(s, f, 0.0, &t);
        assert_int_not_equal(r, RPS_TOUCH_DEEP);
        if (r == RPS_TOUCH_FOUND && t.overlap > 1e-6) {
            touching++;
            assert_true(fabs(t.overlap - depth) < 1e-12);
            assert_true(fabs(t.normal.z - 1) < 1e-12);
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
    const double all = 1e-12; /* of symmetric poses the centre is the middle */
    scene s = {round, round, q, q, {0, 0, 1 - depth}};
    assert_int_equal(count(&s, depth), 8); /* each corner is seen from both sides; edges are parallel */
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
    s = (scene){board, board, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 2), q, {0.3, 0.4, 0.2 - depth}};
    assert_int_equal(count(&s, depth), 4); /* crossed boards: four crossings, no corner */
    assert_patch(&s, 0.2, 0.2, rps_vec3_make(0.3, 0, 0), all);
    /* a strip of one, two, five overlaps at the rim of the other box: no sideways contact from the upright edges */
    for (double strip = 2; strip < 60; strip *= 2) {
        s = (scene){board, round, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.1), q, {0, 0, 0}};
        s.d = rps_vec3_make(1.5 - 0.05 - strip * depth, 0, 0.6 - depth);
        for (unsigned f = 0; f < rps_core_features(&s.i, &s.j); f++) {
            rps_touch t;
            if (touch(&s, f, 0.0, &t) != RPS_TOUCH_APART && t.overlap > 0) {
                assert_true(t.overlap <= depth + 1e-12);
            }
        }
    }
}

static void test_planes(void **state) {
    (void)state;
    const double depth = 1e-3;
    for (uint64_t k = 0; k < 50; k++) {
        /* a box face down on a tilted plane: its four lower corners, as deep as the face */
        rps_quat plane = any_turn(k, 0),
                 turn = rps_quat_mul(plane, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.3));
        rps_vec3 n = rps_quat_rotate(plane, rps_vec3_make(0, 0, 1));
        rps_shape_core b = box(0.4, 0.3, 0.2, 0.01);
        rps_vec3 d = line(rps_vec3_reject(any_vec(k, 4), n), 0.21 - depth, n), middle = rps_vec3_zero();
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
                assert_true(fabs(rps_vec3_dot(t.arm_j, n)) < round_off);
                middle = line(middle, 0.25, t.arm_i);
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
            *torque = rps_vec3_add(*torque, rps_vec3_cross(t.arm_i, push));
        }
    }
    return e;
}

static void test_cylinder(void **state) {
    (void)state;
    const double depth = 1e-3, h = 1e-7;
    rps_vec3 z = {0, 0, 1}, force, torque;
    for (uint64_t k = 0; k < 200; k++) {
        rps_quat plane = any_turn(k, 0);
        rps_vec3 n = rps_quat_rotate(plane, z);
        /* from upright (all four points), over tilts of about the overlap, to lying, which is the case k % 4 == 3 */
        static const double tilts[4] = {1e-3, 4e-3, 0.5, 0.5 * RPS_PI};
        double tilt = tilts[k % 4] * (k % 4 == 3 ? 1 : 0.5 + 0.5 * fabs(any(k, 4)));
        rps_quat lean = rps_quat_from_rotation_vector(
            rps_vec3_scale(rps_vec3_normalize(rps_vec3_make(any(k, 5), any(k, 6), 0)), tilt));
        rps_quat turn = rps_quat_mul(plane, rps_quat_mul(lean, rps_quat_from_axis_angle(z, any(k, 7))));
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
        cmocka_unit_test(test_balls),        cmocka_unit_test(test_ball_and_box),
        cmocka_unit_test(test_capsules),     cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_no_jumps),     cmocka_unit_test(test_force_is_gradient),
        cmocka_unit_test(test_closed_loops), cmocka_unit_test(test_patches),
        cmocka_unit_test(test_planes),       cmocka_unit_test(test_cylinder),
    };
    return cmocka_run_group_tests_name("core_pairs", tests, NULL, NULL);
}
