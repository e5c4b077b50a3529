/*
 * The general convex pair, in random poses of every shape against every shape.
 *
 * Poses are constructed from the answer: a direction n, the support points of both bodies along it, and a gap between
 * them. For separated bodies this n is the common normal; for shallow overlap the smallest translation can have
 * another direction, but cannot be larger. Tolerances are relative to the larger body; pair_convex.h promises 1e-12.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/random.h"
#include "detect/pair_convex.h"
#include "detect/pair_plane_smooth.h"
#include "detect/pair_sphere_cylinder.h"

#define EXACT 1e-12

static double uniform(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(17, RPS_RANDOM_TEST, stream, n);
}

static double spread(uint64_t stream, uint64_t n, double low, double high) {
    return low * pow(high / low, uniform(stream, n, 0.0, 1.0));
}

static double normal(uint64_t stream, uint64_t n) {
    return rps_random_normal(17, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 direction(uint64_t stream, uint64_t n) {
    return rps_vec3_normalize(
        rps_vec3_make(normal(stream, 3 * n), normal(stream, 3 * n + 1), normal(stream, 3 * n + 2)));
}

/* --- bodies ---------------------------------------------------------------------------------------------------------- */

enum { ELLIPSOID, SUPERQUADRIC, CYLINDER, CAPSULE, BOX, ROUNDED_BOX, SPHERE, KINDS };

static const char *const kind_name[KINDS] = {"ellipsoid", "superquadric", "cylinder", "capsule",
                                             "box",       "rounded box",  "sphere"};

typedef struct body {
    rps_side side;
    double parameter[RPS_SHAPE_PARAMETERS];
    double size, width;
} body;

/* Longest extent about 1 m, aspect ratios up to `aspect`. */
static void make_body(body *b, int kind, double aspect, uint64_t s) {
    double *p = b->parameter;
    double thin = spread(s, 0, 1.0 / aspect, 1.0), middle = spread(s, 1, thin, 1.0);
    int turn = (int)uniform(s, 2, 0.0, 3.0);
    p[turn] = 0.5;
    p[(turn + 1) % 3] = 0.5 * middle;
    p[(turn + 2) % 3] = 0.5 * thin;
    p[3] = p[4] = 0.0;
    switch (kind) {
    case ELLIPSOID:
        b->side.shape = &rps_shape_ellipsoid;
        break;
    case SUPERQUADRIC:
        b->side.shape = &rps_shape_superquadric;
        p[3] = uniform(s, 3, 1.5, 8.0);
        p[4] = uniform(s, 4, 1.5, 8.0);
        break;
    case CYLINDER:
        b->side.shape = &rps_shape_cylinder;
        p[0] = turn == 0 ? 0.5 : 0.5 * thin;
        p[1] = turn == 0 ? thin : 1.0;
        break;
    case CAPSULE:
        b->side.shape = &rps_shape_capsule;
        p[0] = 0.5 * thin;
        p[1] = 1.0;
        break;
    case SPHERE:
        b->side.shape = &rps_shape_sphere;
        p[0] = 0.5 * thin;
        break;
    default:
        b->side.shape = &rps_shape_box;
        for (int k = 0; k < 3; k++) p[k] *= 2.0;
        p[3] = kind == ROUNDED_BOX ? uniform(s, 5, 0.05, 0.45) * thin : 0.0;
    }
    b->side.parameter = p;
    b->side.orientation = rps_quat_normalize((rps_quat){normal(s, 10), normal(s, 11), normal(s, 12), normal(s, 13)});
    b->size = b->side.shape->bounding_radius(p);
    b->width = b->side.shape->smallest_width(p);
}

static rps_vec3 into_body(const rps_side *s, rps_vec3 v) {
    return rps_quat_rotate_inverse(s->orientation, v);
}

static rps_vec3 support(const rps_side *s, rps_vec3 n) {
    return rps_quat_rotate(s->orientation, s->shape->support(s->parameter, into_body(s, n)));
}

typedef struct pose {
    body i, j;
    rps_vec3 d, n;
    double gap;
    double size, width; /* the larger, the smaller */
} pose;

typedef enum pose_kind { SEPARATED, TOUCHING, OVERLAPPING, FLAT, POSE_KINDS } pose_kind;

static const char *const pose_name[POSE_KINDS] = {"separated", "touching", "overlapping", "face on"};

/* FLAT: n is an axis of j, normal to a flat if j has one. i is moved sideways, and in half of the cases aligned with
 * j up to 1e-6 rad: nearly parallel faces. */
static void make_pose(pose *p, int kind_i, int kind_j, pose_kind how, double aspect, uint64_t s) {
    s = s * 1000 + (uint64_t)(how * 100 + kind_i * 10 + kind_j);
    make_body(&p->i, kind_i, aspect, 10 * s + 1);
    make_body(&p->j, kind_j, aspect, 10 * s + 2);
    p->size = fmax(p->i.size, p->j.size);
    p->width = fmin(p->i.width, p->j.width);
    p->n = direction(10 * s + 3, 0);
    p->gap = how == SEPARATED  ? spread(10 * s + 4, 0, 1e-9, 1.0) * p->width
             : how == TOUCHING ? 0.0
                               : -spread(10 * s + 4, 0, 1e-6, 0.1) * p->width;
    rps_vec3 aside = rps_vec3_zero();
    if (how == FLAT) {
        int axis = (int)uniform(10 * s + 4, 1, 0.0, 3.0);
        p->n = rps_quat_rotate(p->j.side.orientation, rps_vec3_make(axis == 0, axis == 1, axis == 2));
        aside = rps_vec3_scale(rps_vec3_any_across(p->n), uniform(10 * s + 4, 2, -0.4, 0.4) * p->width);
        if (uniform(10 * s + 4, 3, 0.0, 1.0) < 0.5) {
            rps_quat tilt = rps_quat_from_rotation_vector(rps_vec3_scale(direction(10 * s + 4, 4), 1e-6));
            p->i.side.orientation = rps_quat_mul(tilt, p->j.side.orientation);
        }
    }
    p->d = rps_vec3_sub(support(&p->j.side, p->n), support(&p->i.side, rps_vec3_neg(p->n)));
    p->d = rps_vec3_add(rps_vec3_add_scaled(p->d, p->gap, p->n), aside);
}

static double separation(const pose *p, rps_vec3 n) {
    rps_vec3 between = rps_vec3_sub(support(&p->i.side, rps_vec3_neg(n)), support(&p->j.side, n));
    return rps_vec3_dot(n, p->d) + rps_vec3_dot(n, between);
}

typedef struct tally {
    long calls, steps, most;
    double ns;
} tally;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static rps_touch_result touch(const pose *p, const rps_touch_start *warm, rps_touch *out, tally *count) {
    int steps;
    double start = now_ns();
    rps_touch_result r = rps_convex_touch_steps(&p->i.side, &p->j.side, p->d, 2.0 * p->width, warm, out, &steps);
    if (count) {
        count->ns += now_ns() - start;
        count->calls++;
        count->steps += steps;
        count->most = steps > count->most ? steps : count->most;
    }
    return r;
}

static void near_by(const char *what, int kind_i, int kind_j, pose_kind how, double difference, double tolerance) {
    if (!(fabs(difference) <= tolerance)) {
        fail_msg("%s against %s, %s: %s is off by %g, allowed %g", kind_name[kind_i], kind_name[kind_j], pose_name[how],
                 what, difference, tolerance);
    }
}

/* The body's point lies on its surface, farthest along `out`; where curvature is finite the gradient confirms it. */
static void check_point(const body *b, rps_vec3 arm, rps_vec3 out, const rps_sym3 *curve, int ki, int kj, pose_kind how,
                        double size) {
    const rps_shape *shape = b->side.shape;
    rps_vec3 local = into_body(&b->side, arm), slope = shape->gradient(b->side.parameter, local);
    double steep = rps_vec3_norm(slope);
    near_by("value", ki, kj, how, shape->value(b->side.parameter, local) / steep, EXACT * size);
    near_by("support", ki, kj, how, rps_vec3_dot(out, rps_vec3_sub(support(&b->side, out), arm)), EXACT * size);
    double bend = 0.0;
    for (int k = 0; k < 6; k++) {
        assert_true(isfinite(curve->s[k]));
        bend += fabs(curve->s[k]);
    }
    if (shape == &rps_shape_ellipsoid || shape == &rps_shape_superquadric) {
        rps_vec3 turned = rps_quat_rotate(b->side.orientation, rps_vec3_scale(slope, 1.0 / steep));
        near_by("normal", ki, kj, how, rps_vec3_norm(rps_vec3_sub(turned, out)), EXACT * (1.0 + bend * size));
    }
    assert_true(curve->s[0] + curve->s[1] + curve->s[2] >= 0.0);
    const double *s = curve->s;
    rps_vec3 none = {s[0] * out.x + s[3] * out.y + s[4] * out.z, s[3] * out.x + s[1] * out.y + s[5] * out.z,
                     s[4] * out.x + s[5] * out.y + s[2] * out.z};
    near_by("curve along the normal", ki, kj, how, rps_vec3_norm(none), 1e-13 * (1.0 + bend));
}

static void check_pose(const pose *p, int ki, int kj, pose_kind how, tally *cold, tally *warm) {
    rps_touch t, again;
    assert_int_equal(touch(p, NULL, &t, cold), RPS_TOUCH_FOUND);
    near_by("unit normal", ki, kj, how, rps_vec3_norm(t.normal) - 1.0, 1e-15 * 4);
    rps_vec3 c = rps_vec3_add(p->d, rps_vec3_sub(t.branch_i, t.branch_j));
    near_by("common normal", ki, kj, how, rps_vec3_norm(rps_vec3_add_scaled(c, t.overlap, t.normal)), EXACT * p->size);
    near_by("sep(n)", ki, kj, how, separation(p, t.normal) + t.overlap, EXACT * p->size);
    if (how == SEPARATED || how == TOUCHING) {
        near_by("gap", ki, kj, how, t.overlap + p->gap, EXACT * p->size);
    } else if (how == OVERLAPPING) {
        assert_true(t.overlap <= -p->gap + EXACT * p->size);
    }
    check_point(&p->i, t.branch_i, rps_vec3_neg(t.normal), &t.curve_i, ki, kj, how, p->size);
    check_point(&p->j, t.branch_j, t.normal, &t.curve_j, ki, kj, how, p->size);
    /* A start near, as in a run, and one from anywhere. */
    rps_touch_start close = {.normal = rps_vec3_add_scaled(t.normal, 1e-4, direction(99, 0))};
    const rps_touch_start any = {.normal = direction(98, (uint64_t)cold->calls)};
    assert_int_equal(touch(p, &close, &again, warm), RPS_TOUCH_FOUND);
    near_by("overlap from a close start", ki, kj, how, again.overlap - t.overlap, EXACT * p->size);
    /* The points of the last step, and points from anywhere, which must only cost time. */
    close = (rps_touch_start){close.normal, t.branch_i, t.branch_j, true};
    assert_int_equal(touch(p, &close, &again, NULL), RPS_TOUCH_FOUND);
    near_by("overlap from the last points", ki, kj, how, again.overlap - t.overlap, EXACT * p->size);
    const rps_touch_start stray = {any.normal, rps_vec3_scale(any.normal, p->size), rps_vec3_zero(), true};
    assert_int_equal(touch(p, &stray, &again, NULL), RPS_TOUCH_FOUND);
    near_by("overlap from stray points", ki, kj, how, again.overlap - t.overlap, EXACT * p->size);
    assert_int_equal(touch(p, &any, &again, NULL), RPS_TOUCH_FOUND);
    near_by("overlap from any start", ki, kj, how, again.overlap - t.overlap, EXACT * p->size);
    if ((ki == ELLIPSOID || ki == SPHERE) && (kj == ELLIPSOID || kj == SPHERE)) {
        double flat = fmin(p->i.width, p->j.width) / p->size;
        near_by("normal from any start", ki, kj, how, rps_vec3_norm(rps_vec3_sub(again.normal, t.normal)),
                EXACT / flat);
    }
    assert_int_equal(rps_convex_touch(&p->j.side, &p->i.side, rps_vec3_neg(p->d), 2.0 * p->width, NULL, &again),
                     RPS_TOUCH_FOUND);
    near_by("overlap, bodies swapped", ki, kj, how, again.overlap - t.overlap, EXACT * p->size);
}

static void test_random_poses(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double aspect = k == 0 ? 10.0 : 100.0;
        for (int ki = 0; ki < KINDS; ki++) {
            for (int kj = ki; kj < KINDS; kj++) {
                tally cold = {0}, warm = {0};
                for (int how = 0; how < POSE_KINDS; how++) {
                    for (uint64_t s = 0; s < 40; s++) {
                        pose p;
                        make_pose(&p, ki, kj, (pose_kind)how, aspect, s);
                        check_pose(&p, ki, kj, (pose_kind)how, &cold, &warm);
                    }
                }
                print_message("aspect to %g, %s with %s: cold %.1f steps (most %ld) %.0f ns, warm %.1f steps %.0f ns\n",
                              aspect, kind_name[ki], kind_name[kj], (double)cold.steps / (double)cold.calls, cold.most,
                              cold.ns / (double)cold.calls, (double)warm.steps / (double)warm.calls,
                              warm.ns / (double)warm.calls);
            }
        }
    }
}

/* --- the least translation ------------------------------------------------------------------------------------------- */

/* Maximises the separation near n with shrinking steps: an upper bound for every start. */
static double climb(const pose *p, rps_vec3 n, double step) {
    double best = separation(p, n);
    while (step > 1e-7) {
        rps_vec3 t = rps_vec3_any_across(n), w = rps_vec3_cross(n, t), to = n;
        for (int k = 0; k < 8; k++) {
            static const double turn[8][2] = {{1, 0},   {-1, 0},   {0, 1},    {0, -1},
                                              {.7, .7}, {.7, -.7}, {-.7, .7}, {-.7, -.7}};
            rps_vec3 by = rps_vec3_add(rps_vec3_scale(t, step * turn[k][0]), rps_vec3_scale(w, step * turn[k][1]));
            rps_vec3 tried = rps_vec3_normalize(rps_vec3_add(n, by));
            double sep = separation(p, tried);
            if (sep > best) {
                best = sep;
                to = tried;
            }
        }
        if (to.x == n.x && to.y == n.y && to.z == n.z) step *= 0.5;
        n = to;
    }
    return best;
}

/* No other direction gives a smaller separating translation: 500 are tried, and the best few are optimised. */
static void test_least_translation(void **state) {
    (void)state;
    for (int ki = 0; ki < KINDS; ki++) {
        for (int kj = ki; kj < KINDS; kj++) {
            for (uint64_t s = 100; s < 104; s++) {
                pose p;
                rps_touch t;
                make_pose(&p, ki, kj, OVERLAPPING, s % 2 ? 4.0 : 30.0, s);
                assert_int_equal(touch(&p, NULL, &t, NULL), RPS_TOUCH_FOUND);
                double best = -t.overlap, top[500];
                for (uint64_t k = 0; k < 500; k++) top[k] = separation(&p, direction(97, k));
                for (int follow = 0; follow < 12; follow++) {
                    uint64_t at = 0;
                    for (uint64_t k = 1; k < 500; k++) at = top[k] > top[at] ? k : at;
                    near_by("a random direction", ki, kj, OVERLAPPING, fmax(top[at] - best, 0.0), EXACT * p.size);
                    near_by("a local maximum", ki, kj, OVERLAPPING, fmax(climb(&p, direction(97, at), 0.1) - best, 0.0),
                            EXACT * p.size);
                    top[at] = -INFINITY;
                }
            }
        }
    }
}

/* --- libccd ---------------------------------------------------------------------------------------------------------- */

typedef struct ccd_body {
    const rps_side *side;
    rps_vec3 at;
} ccd_body;

static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out) {
    const ccd_body *b = object;
    rps_vec3 x = rps_vec3_add(b->at, support(b->side, rps_vec3_make(dir->v[0], dir->v[1], dir->v[2])));
    ccdVec3Set(out, x.x, x.y, x.z);
}

static void ccd_center(const void *object, ccd_vec3_t *out) {
    const ccd_body *b = object;
    ccdVec3Set(out, b->at.x, b->at.y, b->at.z);
}

/* Moved along the normal by a little less or more than the gap, the bodies do not or do intersect; and the depth that
 * libccd finds along some direction of its own is no smaller than ours. Its own tolerances are set to 1e-6; 1e-5 of the
 * size leaves room for them. */
static void test_libccd(void **state) {
    (void)state;
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_center;
    ccd.max_iterations = 1000;
    ccd.epa_tolerance = ccd.mpr_tolerance = 1e-6;
    for (int ki = 0; ki < KINDS; ki++) {
        for (int kj = ki; kj < KINDS; kj++) {
            for (uint64_t s = 0; s < 24; s++) {
                pose p;
                rps_touch t;
                pose_kind how = s % 2 ? SEPARATED : OVERLAPPING;
                make_pose(&p, ki, kj, how, 10.0, s + 200);
                assert_int_equal(touch(&p, NULL, &t, NULL), RPS_TOUCH_FOUND);
                double little = 1e-5 * p.size;
                ccd_body i = {&p.i.side, rps_vec3_add_scaled(p.d, t.overlap + little, t.normal)};
                ccd_body j = {&p.j.side, rps_vec3_zero()};
                assert_false(ccdGJKIntersect(&i, &j, &ccd));
                i.at = rps_vec3_add_scaled(p.d, t.overlap - little, t.normal);
                assert_true(ccdMPRIntersect(&i, &j, &ccd));
                i.at = p.d;
                ccd_real_t depth;
                ccd_vec3_t dir, pos;
                if (how == OVERLAPPING && t.overlap > 2.0 * little) {
                    assert_int_equal(ccdMPRPenetration(&i, &j, &ccd, &depth, &dir, &pos), 0);
                    assert_true(depth >= t.overlap - little);
                }
            }
        }
    }
}

/* --- closed forms ---------------------------------------------------------------------------------------------------- */

static rps_side side_of(const rps_shape *shape, const double *parameter) {
    return (rps_side){.shape = shape, .parameter = parameter, .orientation = rps_quat_identity()};
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static void test_closed_forms(void **state) {
    (void)state;
    const double small[] = {0.3}, large[] = {0.5}, egg[] = {0.2, 0.3, 0.7}, plate[] = {0.6, 0.5, 0.1};
    rps_side a = side_of(&rps_shape_sphere, small), b = side_of(&rps_shape_sphere, large);
    rps_side e = side_of(&rps_shape_ellipsoid, egg), f = side_of(&rps_shape_ellipsoid, plate);
    rps_touch t;
    /* Two spheres on a 1-2-2 direction. */
    assert_int_equal(rps_convex_touch(&a, &b, rps_vec3_make(0.26, 0.52, 0.52), 0.0, NULL, &t), RPS_TOUCH_FOUND);
    assert_near(t.overlap, 0.02, 1e-16 * 4);
    assert_near(t.normal.x, 1.0 / 3.0, 1e-15);
    assert_near(t.branch_i.y, -0.2, 1e-15);
    assert_near(t.curve_i.s[0], (1.0 - 1.0 / 9.0) / 0.3, 1e-14);
    /* A sphere over the tip of an ellipsoid: curvatures c/a^2 and c/b^2. */
    assert_int_equal(rps_convex_touch(&a, &e, rps_vec3_make(0.0, 0.0, 0.99), 0.0, NULL, &t), RPS_TOUCH_FOUND);
    assert_near(t.overlap, 0.01, 1e-15);
    assert_near(t.normal.z, 1.0, 1e-15);
    assert_near(t.curve_j.s[0], 0.7 / 0.04, 1e-12);
    assert_near(t.curve_j.s[1], 0.7 / 0.09, 1e-12);
    assert_near(t.curve_j.s[2], 0.0, 1e-12);
    /* Two ellipsoids along a common axis, apart and in touch, also with a start from elsewhere. */
    const rps_touch_start warm = {.normal = {0.6, 0.0, 0.8}};
    assert_int_equal(rps_convex_touch(&e, &f, rps_vec3_make(0.0, 0.81, 0.0), 0.1, &warm, &t), RPS_TOUCH_FOUND);
    assert_near(t.overlap, -0.01, 1e-15);
    assert_near(t.normal.y, 1.0, 1e-15);
    assert_int_equal(rps_convex_touch(&e, &f, rps_vec3_make(0.0, 0.0, -0.795), 0.1, NULL, &t), RPS_TOUCH_FOUND);
    assert_near(t.overlap, 0.005, 1e-15);
    assert_near(t.branch_i.z, 0.7, 1e-15);
    assert_near(t.branch_j.z, -0.1, 1e-15);
}

/* Concentric bodies are left to the guard; all results must be finite numbers. */
static void test_degenerate(void **state) {
    (void)state;
    for (int ki = 0; ki < KINDS; ki++) {
        for (int kj = 0; kj < KINDS; kj++) {
            for (int k = 0; k < 4; k++) {
                pose p;
                rps_touch t = {0};
                const rps_vec3 zero = {0.0, 0.0, 0.0};
                const rps_touch_start still = {.normal = zero}, warm = {.normal = {0.0, 0.0, 1.0}};
                make_pose(&p, ki, kj, OVERLAPPING, 10.0, 300 + (uint64_t)k);
                if (k >= 2) p.i.side.orientation = p.j.side.orientation = rps_quat_identity();
                const rps_touch_start *start = k == 1 ? &still : k == 2 ? &warm : NULL;
                assert_int_equal(rps_convex_touch(&p.i.side, &p.j.side, zero, 0.0, start, &t), RPS_TOUCH_DEEP);
                assert_true(isfinite(t.overlap) && t.overlap > 0.1 * p.width);
                assert_near(rps_vec3_norm(t.normal), 1.0, 1e-14);
                assert_true(rps_vec3_is_finite(t.branch_i) && rps_vec3_is_finite(t.branch_j));
            }
        }
    }
}

/* Far pairs: the bound is valid; neither it nor the cheap gap ever exceeds the true gap. Near pairs: the gap itself. */
static void test_apart_and_gap(void **state) {
    (void)state;
    for (int ki = 0; ki < KINDS; ki++) {
        for (int kj = ki; kj < KINDS; kj++) {
            for (uint64_t s = 400; s < 430; s++) {
                pose p;
                rps_touch t;
                make_pose(&p, ki, kj, s % 3 ? SEPARATED : OVERLAPPING, 30.0, s);
                double gap = rps_convex_gap(&p.i.side, &p.j.side, p.d), smaller = fmin(p.i.size, p.j.size);
                if (s % 3) {
                    rps_touch_result r = rps_convex_touch(&p.i.side, &p.j.side, p.d, 0.4 * p.gap, NULL, &t);
                    assert_int_equal(r, RPS_TOUCH_APART);
                    assert_true(-t.overlap > 0.4 * p.gap && -t.overlap <= p.gap + EXACT * p.size);
                    assert_true(gap <= p.gap + EXACT * p.size);
                    assert_true(p.gap > 0.01 * smaller ? gap > 0.01 * smaller : fabs(gap - p.gap) <= EXACT * p.size);
                } else {
                    assert_int_equal(touch(&p, NULL, &t, NULL), RPS_TOUCH_FOUND);
                    assert_near(-gap, t.overlap, EXACT * p.size);
                }
            }
        }
    }
}

/* --- closed forms of pairs, against the general one ------------------------------------------------------------------ */

static void assert_same_touch(const rps_touch *a, const rps_touch *b, double tolerance, double curve_tolerance) {
    assert_near(a->overlap, b->overlap, tolerance);
    assert_near(rps_vec3_norm(rps_vec3_sub(a->normal, b->normal)), 0.0, 100.0 * tolerance);
    assert_near(rps_vec3_norm(rps_vec3_sub(a->branch_i, b->branch_i)), 0.0, 100.0 * tolerance);
    for (int k = 0; k < 6; k++) {
        assert_near(a->curve_i.s[k], b->curve_i.s[k], curve_tolerance);
        assert_near(a->curve_j.s[k], b->curve_j.s[k], curve_tolerance);
    }
}

static void test_sphere_cylinder(void **state) {
    (void)state;
    for (uint64_t s = 500; s < 700; s++) {
        pose p;
        rps_touch general, closed;
        make_pose(&p, SPHERE, CYLINDER, (pose_kind)(s % POSE_KINDS), 20.0, s);
        assert_int_equal(touch(&p, NULL, &general, NULL), RPS_TOUCH_FOUND);
        assert_int_equal(rps_sphere_cylinder_touch(&p.i.side, &p.j.side, p.d, 2.0 * p.width, &closed), RPS_TOUCH_FOUND);
        /* The normal is known to 1e-16 over the radius of the sphere, the curvature of a rim is 1/(5 % of its size). */
        assert_same_touch(&general, &closed, EXACT * p.size, 1e-9 / p.width);
        assert_near(rps_sphere_cylinder_gap(&p.i.side, &p.j.side, p.d), -general.overlap, EXACT * p.size);
    }
}

/* A plane is the face of a box that is large and far from its edges. */
static void test_plane(void **state) {
    (void)state;
    const double large[] = {100.0, 100.0, 100.0, 0.0};
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint64_t s = 800; s < 830; s++) {
            pose p;
            rps_touch general, closed;
            make_pose(&p, kind, SPHERE, OVERLAPPING, 20.0, s);
            rps_side box = {.shape = &rps_shape_box, .parameter = large, .orientation = p.j.side.orientation};
            rps_side plane = {.shape = &rps_shape_plane, .orientation = p.j.side.orientation};
            rps_vec3 up = rps_quat_rotate(plane.orientation, rps_vec3_make(0.0, 0.0, 1.0));
            double height = spread(s, 0, 1e-6, 0.1) * p.i.width * (s % 2 ? 1.0 : -1.0);
            rps_vec3 aside = rps_vec3_scale(rps_vec3_any_across(up), uniform(s, 1, -3.0, 3.0));
            rps_vec3 d = rps_vec3_add_scaled(rps_vec3_neg(support(&p.i.side, rps_vec3_neg(up))), height, up);
            d = rps_vec3_add(d, aside);
            assert_int_equal(rps_plane_smooth_touch(&p.i.side, &plane, d, 1.0, &closed), RPS_TOUCH_FOUND);
            rps_vec3 from_box = rps_vec3_add_scaled(d, 50.0, up);
            assert_int_equal(rps_convex_touch(&p.i.side, &box, from_box, 1.0, NULL, &general), RPS_TOUCH_FOUND);
            assert_near(closed.overlap, -height, EXACT * p.i.size);
            assert_near(closed.overlap, general.overlap, EXACT * 87.0);
            assert_near(rps_vec3_norm(rps_vec3_sub(closed.normal, general.normal)), 0.0, EXACT);
            rps_vec3 c = rps_vec3_add(d, rps_vec3_sub(closed.branch_i, closed.branch_j));
            assert_near(rps_vec3_norm(rps_vec3_add_scaled(c, closed.overlap, closed.normal)), 0.0, EXACT * p.size);
            assert_near(rps_vec3_dot(closed.branch_j, up), 0.0, EXACT * 4.0);
            assert_near(rps_plane_smooth_gap(&p.i.side, &plane, d), -closed.overlap, 0.0);
            assert_int_equal(rps_plane_smooth_touch(&p.i.side, &plane, rps_vec3_add_scaled(d, 1.0, up), 0.1, &closed),
                             RPS_TOUCH_APART);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_poses),    cmocka_unit_test(test_least_translation),
        cmocka_unit_test(test_libccd),          cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_degenerate),      cmocka_unit_test(test_apart_and_gap),
        cmocka_unit_test(test_sphere_cylinder), cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
