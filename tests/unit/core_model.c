/*
 * The sum over the features of two cores as a model: mirrored under a swap, no jumps, forces that are the gradient of
 * the energy, no overlap where the bodies have none.
 */
#include "core_common.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

static rps_vec3 line(rps_vec3 a, double s, rps_vec3 b) {
    return rps_vec3_add_scaled(a, s, b);
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

/* Moves i back by 2 along `way` and in again until the largest overlap is `depth`, first in steps because one body
 * can miss the other. */
static core_scene approach(const core_scene *from, rps_vec3 way, double depth) {
    core_scene s = *from;
    double step = 0.01;
    way = rps_vec3_normalize(way);
    s.d = line(rps_vec3_reject(s.d, way), 2, way);
    for (int pass = 0; pass < 250; pass++) {
        core_scene next = s;
        next.d = line(s.d, -step, way);
        if (core_largest_overlap(&next) > depth) {
            step *= 0.5;
        } else {
            s = next;
        }
    }
    return s;
}

/* The start of a path: a touching pose. Every other one has faces and edges aligned or at right angles, the special
 * poses of the model. */
static core_scene in_touch(uint64_t k, double depth) {
    core_scene s = {pairs[k % PAIRS].i, pairs[k % PAIRS].j, core_any_turn(k, 0), core_any_turn(k, 4),
                    core_any_vec(k, 8)};
    if ((k / PAIRS) % 2) {
        rps_quat quarter = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 2 * (double)((k / PAIRS / 2) % 2));
        s.qj = rps_quat_identity();
        s.qi = quarter;
        s.d = rps_vec3_make(0.2 * s.d.x, 0.3 * s.d.y, 1);
        if ((k / PAIRS / 4) % 2) {
            s.d.x = s.d.y = 0; /* aligned */
        }
    }
    return approach(&s, s.d, depth);
}

static void test_mirror(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 20 * PAIRS; k++) {
        core_scene s = in_touch(k, 0.005);
        core_scene m = {s.j, s.i, s.qj, s.qi, rps_vec3_neg(s.d)};
        unsigned all = rps_core_features(&s.i, &s.j), vi = rps_core_vertices(&s.i), vj = rps_core_vertices(&s.j);
        assert_int_equal(all, rps_core_features(&s.j, &s.i));
        unsigned edges_of[9] = {0, 0, 1, 0, 4, 0, 0, 0, 12};
        for (unsigned f = 0; f < all; f++) {
            unsigned pair = f - vi - vj, ej = edges_of[vj], ei = edges_of[vi];
            unsigned g = all == 1 ? 0 : f < vi ? vj + f : f < vi + vj ? f - vi : vi + vj + pair % ej * ei + pair / ej;
            rps_touch a, b;
            rps_touch_result r = core_touch(&s, f, 0.1, &a);
            assert_int_equal(r, core_touch(&m, g, 0.1, &b));
            /* the place of a crossing is worth 1/sin as much as the poses */
            double close = f < vi + vj || all == 1 ? round_off : 1e3 * round_off;
            assert_true(fabs(a.overlap - b.overlap) < close);
            if (r != RPS_TOUCH_APART) {
                assert_sound(&a, s.d);
                assert_true(rps_vec3_norm(rps_vec3_add(a.normal, b.normal)) < close);
                assert_true(rps_vec3_norm(rps_vec3_sub(a.branch_i, b.branch_j)) < close);
                assert_true(rps_vec3_norm(rps_vec3_sub(a.branch_j, b.branch_i)) < close);
                assert_true(memcmp(&a.curve_i, &b.curve_j, sizeof a.curve_i) == 0 ||
                            fabs(a.curve_i.s[0] - b.curve_j.s[0]) < 100 * close / 0.01);
            }
        }
    }
}

/* The largest change of any overlap between two near poses must go to 0 with their distance: a step in which it changes
 * by more than `change` is halved, until it does not or the poses are the same to round-off. */
static bool jumps(const core_scene *from, rps_vec3 shift, rps_vec3 turn, unsigned f, double change) {
    double low = 0, high = 1;
    core_scene a = *from, b = core_moved(from, shift, turn);
    double at_low = core_overlap(&a, f), at_high = core_overlap(&b, f);
    while (fabs(at_high - at_low) > change && high - low > 1e-9) {
        double middle = 0.5 * (low + high);
        core_scene m = core_moved(from, rps_vec3_scale(shift, middle), rps_vec3_scale(turn, middle));
        double at = core_overlap(&m, f);
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
        core_scene s = in_touch(k, 0.01);
        unsigned all = rps_core_features(&s.i, &s.j);
        rps_vec3 shift = rps_vec3_scale(core_any_vec(k, 20), 0.004), turn = rps_vec3_scale(core_any_vec(k, 23), 0.008);
        if (k % 3 == 0) {
            turn = rps_vec3_zero(); /* a pure slide keeps aligned things aligned */
        } else if (k % 3 == 1) {
            turn = rps_vec3_make(0, 0, turn.z); /* aligned things turn on each other, parallel edges come to cross */
        }
        double before[160], after[160];
        for (unsigned f = 0; f < all; f++) {
            before[f] = core_overlap(&s, f);
        }
        for (int step = 0; step < 100; step++) {
            core_scene next = core_moved(&s, shift, turn);
            double most = 0;
            for (unsigned f = 0; f < all; f++) {
                after[f] = core_overlap(&next, f);
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
                shift = line(rps_vec3_scale(core_any_vec(k, 100 + (uint64_t)step), 0.003), most > 0.02 ? 0.004 : -0.004,
                             rps_vec3_normalize(s.d));
                turn = rps_vec3_scale(turn, -1);
            }
        }
    }
    assert_true(changes > 1000);
}

static void test_force_is_gradient(void **state) {
    (void)state;
    const double h = 1e-7;
    unsigned long active = 0, edges_active = 0, kinks = 0;
    for (uint64_t k = 0; k < 40 * PAIRS; k++) {
        core_scene s = in_touch(k, 0.005);
        /* off the exactly aligned poses, where the gradient has kinks */
        s = core_moved(&s, rps_vec3_scale(core_any_vec(k, 30), 1e-3), rps_vec3_scale(core_any_vec(k, 33), 1e-2));
        unsigned all = rps_core_features(&s.i, &s.j);
        unsigned vertices = all == 1 ? 1 : rps_core_vertices(&s.i) + rps_core_vertices(&s.j);
        for (unsigned f = 0; f < all; f++) {
            rps_touch t;
            if (core_touch(&s, f, 0.0, &t) == RPS_TOUCH_APART || t.overlap < 1e-4) {
                continue;
            }
            rps_vec3 torque = rps_vec3_cross(t.branch_i, t.normal);
            double want[6] = {t.normal.x, t.normal.y, t.normal.z, torque.x, torque.y, torque.z}, worst = 0;
            for (int c = 0; c < 6; c++) {
                double step[6] = {0};
                step[c] = h;
                rps_vec3 shift = {step[0], step[1], step[2]}, turn = {step[3], step[4], step[5]};
                core_scene up = core_moved(&s, shift, turn),
                           down = core_moved(&s, rps_vec3_neg(shift), rps_vec3_neg(turn));
                /* overlap falls as i moves along n */
                double slope = (core_overlap(&up, f) - core_overlap(&down, f)) / (2 * h);
                worst = fmax(worst, fabs(slope + want[c]));
            }
            active++;
            edges_active += f >= vertices;
            /* differences of a few 1e-16 over 2e-7; where the gradient has a kink within h, half of its step: the
             * curvature, up to 1/r = 100, times h */
            assert_true(worst < 1e-5);
            kinks += worst > 1e-6;
            assert_true(t.overlap < 1e-12 - rps_core_gap(&s.i, s.qi, &s.j, s.qj, s.d, f));
        }
    }
    print_message("force = gradient: %lu features, %lu of edges, %lu at kinks\n", active, edges_active, kinks);
    assert_true(edges_active > 100);
    assert_true(kinks * 100 < active);
}

/* The work along closed paths that slide over rims and ends, relative to the energy of one feature at its largest
 * overlap. It is the error of the sum over steps, which is worst where forces rise within few steps. */
static void test_closed_loops(void **state) {
    (void)state;
    double worst = 0, total = 0;
    int loops = 0;
    for (uint64_t k = 0; k < 6 * PAIRS; k++) {
        core_scene start = in_touch(k, 0.004);
        rps_vec3 n = rps_vec3_normalize(start.d);
        rps_vec3 a = rps_vec3_scale(rps_vec3_reject(core_any_vec(k, 40), n), 0.2);
        rps_vec3 b = line(rps_vec3_scale(rps_vec3_reject(core_any_vec(k, 43), n), 0.1), 0.001, n);
        rps_vec3 turn = rps_vec3_scale(core_any_vec(k, 46), 0.02);
        double work = 0, most = 0;
        const int steps = 4000;
        for (int m = 0; m < steps; m++) {
            double x[3] = {2 * RPS_PI * m / steps, 2 * RPS_PI * (m + 0.5) / steps, 2 * RPS_PI * (m + 1) / steps};
            core_scene at[3];
            for (int c = 0; c < 3; c++) {
                rps_vec3 shift = line(rps_vec3_scale(a, sin(x[c])), 1 - cos(x[c]), b);
                at[c] = core_moved(&start, shift, rps_vec3_scale(turn, sin(x[c])));
            }
            rps_vec3 force, torque;
            core_resultant(&at[1], &force, &torque);
            /* turns about one axis all along */
            work += rps_vec3_dot(force, rps_vec3_sub(at[2].d, at[0].d)) +
                    rps_vec3_dot(torque, turn) * (sin(x[2]) - sin(x[0]));
            most = fmax(most, core_largest_overlap(&at[1]));
        }
        double relative = fabs(work) / (0.5 * most * most);
        worst = fmax(worst, relative);
        total += relative;
        loops++;
    }
    print_message("closed loops: %d, work over the energy of one feature: mean %.3g, worst %.3g\n", loops,
                  total / loops, worst);
    assert_true(worst < 0.01 && total < 1e-3 * loops);
}

static rps_vec3 into(const rps_shape_core *core, rps_quat turn, rps_vec3 x) {
    const double *h = core->half;
    rps_vec3 p = rps_quat_rotate_inverse(turn, x);
    p = rps_vec3_make(fmax(-h[0], fmin(h[0], p.x)), fmax(-h[1], fmin(h[1], p.y)), fmax(-h[2], fmin(h[2], p.z)));
    return rps_quat_rotate(turn, p);
}

/* Overlap of the bodies: radii less the distance of the cores, by projected descent with momentum, which is dropped when
 * the distance grows. It converges like 1/passes^2 where plain projections stall between nearly parallel edges. */
static double true_overlap(const core_scene *s) {
    rps_vec3 x = s->d, y = rps_vec3_zero(), p = x, q = y;
    double last = INFINITY, t = 1;
    for (int pass = 0; pass < 4000; pass++) {
        rps_vec3 half = rps_vec3_scale(rps_vec3_sub(p, q), 0.5);
        rps_vec3 a = rps_vec3_add(s->d, into(&s->i, s->qi, rps_vec3_sub(rps_vec3_sub(p, half), s->d)));
        rps_vec3 b = into(&s->j, s->qj, rps_vec3_add(q, half));
        double now = rps_vec3_norm(rps_vec3_sub(a, b)), next = now > last ? 1 : 0.5 * (1 + sqrt(1 + 4 * t * t));
        double momentum = now > last ? 0 : (t - 1) / next;
        p = line(a, momentum, rps_vec3_sub(a, x));
        q = line(b, momentum, rps_vec3_sub(b, y));
        x = a;
        y = b;
        t = next;
        last = now;
    }
    return s->i.radius + s->j.radius - last;
}

/* Boxes that overlap in a strip 0 to 20 overlaps wide at their rims, nearly aligned. */
static core_scene at_the_rim(uint64_t k, double depth) {
    core_scene s = {pairs[k % 3].i, pairs[k % 3].j, rps_quat_identity(), rps_quat_identity(), {0, 0, 0}};
    rps_vec3 turn = core_any_vec(k, 60);
    /* tilts that lift the strip by about an overlap and tilts towards the limit of the cones */
    double tilt = k % 2 ? 0.01 : 0.4;
    s.qi = rps_quat_from_rotation_vector(rps_vec3_make(0.02 * turn.x, tilt * turn.y, 0.2 * turn.z));
    s.d.x = s.i.half[0] + s.j.half[0] + s.i.radius + s.j.radius - 20 * depth * fabs(core_any(k, 63));
    s.d.y = 0.3 * core_any(k, 64);
    return approach(&s, rps_vec3_make(0, 0, 1), depth);
}

/* The largest overlap of a feature is that of the bodies, and none is larger: where edges cross, where a corner slides
 * off, where a narrow strip is held. Only in a zone, where a crossing is within its overlap g of an end, it may be less: the
 * corner that has passed the rim by g is lower by g^2 / 2 (r_i + r_j), which is g / 0.04 of g for the sharpest pair. */
static void test_depth(void **state) {
    (void)state;
    const double depth = 0.002;
    double most = 0, least = INFINITY, lost = 0;
    int touching = 0;
    for (uint64_t k = 0; k < 150 * PAIRS; k++) {
        core_scene s = k % 2 ? at_the_rim(k / 2, depth) : in_touch(k / 2, depth);
        double largest = core_largest_overlap(&s);
        if (largest > 0) { /* at the rim a tilted box can pass the other */
            double real = true_overlap(&s), ratio = real / largest;
            most = fmax(most, ratio);
            least = fmin(least, ratio);
            double bound = core_barrel(&s.i) + core_barrel(&s.j) + core_width(&s) / 2000;
            lost = fmax(lost, (real - largest) / bound);
            touching++;
            for (unsigned f = 0; f < rps_core_features(&s.i, &s.j); f++) {
                rps_touch t;
                assert_int_not_equal(core_touch(&s, f, 0.0, &t), RPS_TOUCH_DEEP);
            }
        }
    }
    print_message("true overlap over the largest of a feature: %.6f to %.6f; %d touch; %.2f of what "
                  "barrels and ends may cost\n",
                  least, most, touching, lost);
    assert_true(touching > 1000);
    assert_true(least > 0.99 && lost < 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirror),       cmocka_unit_test(test_no_jumps), cmocka_unit_test(test_force_is_gradient),
        cmocka_unit_test(test_closed_loops), cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests_name("core_model", tests, NULL, NULL);
}
