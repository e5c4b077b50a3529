/*
 * Contacts of smooth bodies in lanes, on every instruction set that this machine has.
 *
 * Poses are constructed from the answer: a normal, the support points of both bodies along it and a gap. The conditions
 * of a common normal are then checked in long double from the definition of the shape, which shares no code with the
 * kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/elementary.h"
#include "base/random.h"
#include "detect/pair_convex.h"
#include "detect/smooth_pair.h"

enum { PAIRS = 400, CASES = 8 };

static const double exponents[CASES][2] = {{2, 2}, {4, 4}, {8, 8}, {16, 2}, {6, 4}, {3.3, 2.7}, {2, 5}, {3.3, 3.3}};

static rps_smooth_touch_fn *const touch_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_smooth_touch);
static rps_smooth_start_fn *const start_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_smooth_start);

typedef struct pair {
    rps_side i, j;
    double parameter[2][RPS_SHAPE_PARAMETERS];
    rps_vec3 d, normal, x_i, x_j; /* the points in the axes of their bodies */
    double gap, size;
} pair;

static double normal(uint64_t stream, uint64_t n) {
    return rps_random_normal(23, RPS_RANDOM_TEST, stream, n);
}

static double uniform(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(23, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 any_direction(uint64_t stream, uint64_t n) {
    return rps_vec3_normalize(rps_vec3_make(normal(stream, n), normal(stream, n + 1), normal(stream, n + 2)));
}

static rps_vec3 support(const rps_side *s, rps_vec3 n) {
    return s->shape->support(s->parameter, rps_quat_rotate_inverse(s->orientation, n));
}

/* Semi-axes from a third to 1 m. The gap is between -1e-3 and 1e-2 m. */
static void make_pair(pair *p, int at, uint64_t s) {
    const bool ellipsoid = exponents[at][0] == 2.0 && exponents[at][1] == 2.0;
    rps_side *side[2] = {&p->i, &p->j};
    for (int k = 0; k < 2; k++) {
        const uint64_t stream = 10 * s + (uint64_t)k;
        for (int m = 0; m < 3; m++) p->parameter[k][m] = uniform(stream, (uint64_t)m, 0.34, 1.0);
        p->parameter[k][3] = exponents[at][0];
        p->parameter[k][4] = exponents[at][1];
        *side[k] = (rps_side){.shape = ellipsoid ? &rps_shape_ellipsoid : &rps_shape_superquadric,
                              .parameter = p->parameter[k],
                              .orientation = rps_quat_normalize((rps_quat){normal(stream, 3), normal(stream, 4),
                                                                           normal(stream, 5), normal(stream, 6)})};
    }
    p->size = fmax(p->i.shape->bounding_radius(p->i.parameter), p->j.shape->bounding_radius(p->j.parameter));
    p->normal = any_direction(10 * s + 2, 0);
    p->gap = uniform(10 * s + 3, 0, -1e-3, 1e-2);
    p->x_i = support(&p->i, rps_vec3_neg(p->normal));
    p->x_j = support(&p->j, p->normal);
    p->d = rps_vec3_sub(rps_quat_rotate(p->j.orientation, p->x_j), rps_quat_rotate(p->i.orientation, p->x_i));
    p->d = rps_vec3_add_scaled(p->d, p->gap, p->normal);
}

/* Lane m; the start points are the answer off by `off` of the size. */
static void set_lane(rps_smooth_group *g, int m, const pair *p, double off) {
    const rps_side *side[2] = {&p->i, &p->j};
    const double d[3] = {p->d.x, p->d.y, p->d.z};
    g->size[m] = p->size;
    for (int k = 0; k < 3; k++) g->d[k][m] = d[k];
    for (int s = 0; s < 2; s++) {
        rps_smooth_body *b = &g->body[s];
        const rps_quat q = side[s]->orientation;
        const rps_vec3 x =
            rps_vec3_add_scaled(s == 0 ? p->x_i : p->x_j, off * p->size, any_direction(7, 3 * (uint64_t)m));
        const double turn[4] = {q.w, q.x, q.y, q.z}, point[3] = {x.x, x.y, x.z};
        for (int k = 0; k < 4; k++) b->turn[k][m] = turn[k];
        for (int k = 0; k < 2; k++)
            b->exponent[k][m] = side[s]->shape == &rps_shape_ellipsoid ? 2.0 : p->parameter[s][3 + k];
        for (int k = 0; k < 3; k++) {
            b->axis[k][m] = p->parameter[s][k];
            b->point[k][m] = point[k];
        }
    }
}

static rps_vec3 lane(const rps_smooth_lane *from, int m) {
    return rps_vec3_make(from[0][m], from[1][m], from[2][m]);
}

/* F and its gradient at x by the definition. */
static long double value_of(const double *parameter, bool ellipsoid, const long double x[3], long double slope[3]) {
    const long double n1 = ellipsoid ? 2 : parameter[3], n2 = ellipsoid ? 2 : parameter[4];
    long double u[3];
    for (int k = 0; k < 3; k++) u[k] = fabsl(x[k]) / parameter[k];
    const long double sum = powl(u[0], n2) + powl(u[1], n2), outer = n1 * powl(sum, n1 / n2 - 1);
    slope[0] = copysignl(outer * powl(u[0], n2 - 1) / parameter[0], x[0]);
    slope[1] = copysignl(outer * powl(u[1], n2 - 1) / parameter[1], x[1]);
    slope[2] = copysignl(n1 * powl(u[2], n1 - 1) / parameter[2], x[2]);
    return powl(sum, n1 / n2) + powl(u[2], n1) - 1;
}

/* v in the axes of the body; the quaternion need not be exactly of length 1. */
static void into_body(rps_quat q, rps_vec3 v, long double out[3]) {
    const long double w = q.w, x = -q.x, y = -q.y, z = -q.z, a = v.x, b = v.y, c = v.z;
    const long double tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
    out[0] = a + w * tx + (y * tz - z * ty);
    out[1] = b + w * ty + (z * tx - x * tz);
    out[2] = c + w * tz + (x * ty - y * tx);
}

/* The point is on the surface to 1e-14 of the size, and its normal is `out` to rounding times the curvature. */
static void check_point(const pair *p, const rps_side *side, rps_vec3 branch, rps_vec3 out, double mean) {
    long double x[3], n[3], slope[3], length = 0, miss = 0;
    into_body(side->orientation, branch, x);
    into_body(side->orientation, out, n);
    const long double f = value_of(side->parameter, side->shape == &rps_shape_ellipsoid, x, slope);
    for (int k = 0; k < 3; k++) length += slope[k] * slope[k];
    length = sqrtl(length);
    for (int k = 0; k < 3; k++) miss += powl(slope[k] / length - n[k], 2);
    assert_true(fabsl(f / length) <= 1e-14 * p->size);
    /* 3e-14 is the residual that the kernel accepts; both bodies' curvatures count in its scale */
    assert_true(sqrtl(miss) <= 4e-14 * (1.0 + 2.0 * mean * p->size));
}

static void check_lane(const pair *p, const rps_smooth_group *g, int m) {
    const rps_vec3 n = lane(g->normal, m), x_i = lane(g->body[0].branch, m), x_j = lane(g->body[1].branch, m);
    const double mean = g->body[0].mean[m] + g->body[1].mean[m];
    assert_true(g->found[m] == 1.0);
    assert_true(fabs(rps_vec3_norm(n) - 1.0) <= 1e-15);
    check_point(p, &p->i, x_i, rps_vec3_neg(n), mean);
    check_point(p, &p->j, x_j, n, mean);
    const rps_vec3 q = rps_vec3_add(p->d, rps_vec3_sub(x_i, x_j));
    assert_true(rps_vec3_norm(rps_vec3_add_scaled(q, g->overlap[m], n)) <= 4e-14 * p->size);
    /* the only common normal of two bodies that are apart, and the deepest point of ones that overlap little */
    if (p->gap > 0.0) assert_true(fabs(g->overlap[m] + p->gap) <= 2e-14 * p->size);
}

/* As pair_convex.c finds it: that is good to 1e-12 of the size and this times the curvature. Gradients, which pairs
 * that overlap have, are central differences there, over lengths of the order of 1e-4 of the body. */
static void check_against_convex(const pair *p, const rps_smooth_group *g, int m) {
    rps_touch t;
    const rps_touch_start start = {.normal = p->normal};
    assert_int_equal(rps_convex_touch(&p->i, &p->j, p->d, 1.0, &start, &t), RPS_TOUCH_FOUND);
    double bend = 0.0;
    for (int k = 0; k < 6; k++) bend += fabs(t.curve_i.s[k]) + fabs(t.curve_j.s[k]);
    const double scale = 1.0 + bend * p->size;
    assert_true(fabs(t.overlap - g->overlap[m]) <= 1e-12 * p->size);
    assert_true(rps_vec3_norm(rps_vec3_sub(t.normal, lane(g->normal, m))) <= 1e-12 * scale);
    for (int k = 0; k < 6; k++) {
        assert_true(fabs(t.curve_i.s[k] - g->body[0].curve[k][m]) <= 1e-11 * scale * bend);
        assert_true(fabs(t.curve_j.s[k] - g->body[1].curve[k][m]) <= 1e-11 * scale * bend);
    }
    if (!(t.overlap > 0.0)) return;
    const rps_vec3 gradient = rps_touch_curvature_gradient(&p->j, t.branch_j, t.normal);
    const double away = rps_vec3_norm(rps_vec3_sub(gradient, lane(g->body[1].gradient, m)));
    assert_true(away <= 1e-4 * (rps_vec3_norm(gradient) + bend / p->size));
}

static void for_each_isa(void (*run)(rps_isa isa)) {
    for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
        if (rps_isa_supported((rps_isa)isa)) run((rps_isa)isa);
    }
}

static void accurate_on(rps_isa isa) {
    for (int at = 0; at < CASES; at++) {
        for (int first = 0; first < PAIRS; first += RPS_SMOOTH_GROUP) {
            static pair p[RPS_SMOOTH_GROUP];
            rps_smooth_group g = {.ellipsoids = at == 0, .gradients = true};
            for (int m = 0; m < RPS_SMOOTH_GROUP; m++) {
                make_pair(&p[m], at, (uint64_t)(first + m));
                set_lane(&g, m, &p[m], 1e-4);
            }
            touch_of[isa](&g);
            for (int m = 0; m < RPS_SMOOTH_GROUP; m++) {
                check_lane(&p[m], &g, m);
                if (isa == RPS_ISA_SSE2) check_against_convex(&p[m], &g, m);
            }
        }
    }
}

static void test_accuracy(void **state) {
    (void)state;
    for_each_isa(accurate_on);
}

/* A lane has the same bits on every instruction set, alone in its group or among others. */
static void test_bits(void **state) {
    (void)state;
    for (int at = 0; at < CASES; at++) {
        pair p;
        rps_smooth_group all = {.ellipsoids = at == 0, .gradients = true};
        for (int m = 0; m < RPS_SMOOTH_GROUP; m++) {
            make_pair(&p, at, (uint64_t)m);
            set_lane(&all, m, &p, 1e-3);
        }
        rps_smooth_group first = all;
        start_of[0](&first);
        touch_of[0](&first);
        for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
            if (!rps_isa_supported((rps_isa)isa)) continue;
            rps_smooth_group other = all;
            start_of[isa](&other);
            touch_of[isa](&other);
            assert_memory_equal(&other, &first, sizeof other);
            for (int m = 0; m < RPS_SMOOTH_GROUP; m++) {
                rps_smooth_group alone = {.ellipsoids = at == 0, .gradients = true};
                make_pair(&p, at, (uint64_t)m);
                set_lane(&alone, 0, &p, 1e-3);
                rps_smooth_fill(&alone, 1);
                start_of[isa](&alone);
                touch_of[isa](&alone);
                assert_true(alone.overlap[0] == first.overlap[m] && alone.found[0] == first.found[m]);
                for (int k = 0; k < 3; k++) {
                    assert_true(alone.normal[k][0] == first.normal[k][m]);
                    assert_true(alone.body[0].branch[k][0] == first.body[0].branch[k][m]);
                    assert_true(alone.body[1].gradient[k][0] == first.body[1].gradient[k][m]);
                }
            }
        }
    }
}

/* The start is a lower bound of the gap and nearly always a start from which the contact is found. */
static void test_start(void **state) {
    (void)state;
    for (int at = 0; at < CASES; at++) {
        int found = 0;
        for (uint64_t s = 0; s < PAIRS; s++) {
            pair p;
            rps_smooth_group g = {.ellipsoids = at == 0};
            make_pair(&p, at, s);
            set_lane(&g, 0, &p, 0.0);
            rps_smooth_fill(&g, 1);
            start_of[rps_isa_best()](&g);
            assert_true(-g.overlap[0] <= p.gap + 1e-14);
            touch_of[rps_isa_best()](&g);
            if (!(g.found[0] > 0.5)) continue;
            found++;
            if (p.gap > 0.0) assert_true(fabs(g.overlap[0] + p.gap) <= 2e-14 * p.size);
        }
        print_message("exponents %g %g: %d of %d found from the line of centers\n", exponents[at][0], exponents[at][1],
                      found, PAIRS);
        assert_true(found >= PAIRS * 9 / 10); /* the others cost time, no accuracy */
    }
}

/* Exponents that are even numbers take squarings, those next to them a logarithm: the contact does not jump. */
static void test_exponents(void **state) {
    (void)state;
    for (uint64_t s = 0; s < PAIRS; s++) {
        pair p;
        rps_smooth_group even, next;
        make_pair(&p, 1 + (int)(s % 2), s);
        even = (rps_smooth_group){.gradients = true};
        set_lane(&even, 0, &p, 1e-4);
        rps_smooth_fill(&even, 1);
        next = even;
        for (int m = 0; m < RPS_SMOOTH_GROUP; m++) {
            for (int k = 0; k < 4; k++) next.body[k / 2].exponent[k % 2][m] *= 1.0 + 1e-13;
        }
        touch_of[rps_isa_best()](&even);
        touch_of[rps_isa_best()](&next);
        assert_true(even.found[0] > 0.5 && next.found[0] > 0.5);
        assert_true(fabs(even.overlap[0] - next.overlap[0]) <= 1e-12);
        const double bend = 1.0 + 2.0 * (even.body[0].mean[0] + even.body[1].mean[0]);
        for (int k = 0; k < 6; k++) {
            assert_true(fabs(even.body[0].curve[k][0] - next.body[0].curve[k][0]) <= 1e-10 * bend * bend);
        }
    }
}

/* Poses without one answer are not called found, and nothing is out of bounds: the same center, no numbers, flat on
 * flat. */
static void test_no_answer(void **state) {
    (void)state;
    pair p;
    rps_smooth_group g = {.ellipsoids = true};
    make_pair(&p, 0, 1);
    p.d = rps_vec3_make(NAN, 0.0, 0.0);
    set_lane(&g, 0, &p, 0.0);
    make_pair(&p, 0, 2);
    p.d = rps_vec3_make(0.0, INFINITY, 0.0);
    set_lane(&g, 1, &p, 0.0);
    make_pair(&p, 0, 3);
    set_lane(&g, 2, &p, 1e-4);
    rps_smooth_fill(&g, 3);
    touch_of[rps_isa_best()](&g);
    assert_true(g.found[0] == 0.0 && g.found[1] == 0.0);
    assert_true(g.found[2] == 1.0); /* its neighbors do not disturb it */
    check_lane(&p, &g, 2);
    rps_smooth_group flat = {.ellipsoids = false};
    make_pair(&p, 1, 4);
    p.i.orientation = p.j.orientation = (rps_quat){1.0, 0.0, 0.0, 0.0};
    p.d = rps_vec3_make(0.0, 0.0, p.parameter[0][2] + p.parameter[1][2] - 1e-3);
    p.x_i = rps_vec3_make(0.0, 0.0, -p.parameter[0][2]);
    p.x_j = rps_vec3_make(0.0, 0.0, p.parameter[1][2]);
    set_lane(&flat, 0, &p, 0.0);
    rps_smooth_fill(&flat, 1);
    touch_of[rps_isa_best()](&flat);
    assert_true(flat.found[0] == 1.0); /* the start is the answer */
    assert_true(fabs(flat.overlap[0] - 1e-3) <= 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),  cmocka_unit_test(test_bits),      cmocka_unit_test(test_start),
        cmocka_unit_test(test_exponents), cmocka_unit_test(test_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
