/* Newton's method: the derivative of the projection, a hyperstatic tower, and failed allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cone/system.h"

static double chance(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(31, RPS_RANDOM_TEST, id, n) - 1;
}

/* Away from its kinks the projection is smooth: central differences of step h agree to h^2, and a step of 1e-6 leaves
 * a rounding of 1e-10. Points too close to a kink, where the two sides differ, are rare and skipped. */
static void test_derivative(void **state) {
    (void)state;
    const int rows[] = {2, 3, 5, 6};
    int near_kink = 0;
    for (uint64_t id = 0; id < 4000; id++) {
        const rps_cone_shape *s = rps_cone_shape_of(rows[id % 4]);
        double c[RPS_CONE_GROUPS], eta[RPS_CONE_GROUPS], x[6], derivative[36], worst = 0;
        for (int g = 0; g <= s->cones; g++) {
            eta[g] = exp(chance(id, (uint64_t)g));
            c[g ? g - 1 : 0] = id % 9 == 0 && g == 1 ? INFINITY : id % 7 == 0 ? 0 : 1 + chance(id, 10 + (uint64_t)g);
        }
        for (int k = 0; k < s->rows; k++) {
            x[k] = chance(id, 20 + (uint64_t)k) + (k == 0 ? 0.3 : 0);
        }
        rps_cone_project_derivative(s, c, eta, x, derivative);
        for (int m = 0; m < s->rows; m++) {
            double moved[6], up[6], down[6], h = 1e-6;
            memcpy(moved, x, sizeof moved);
            moved[m] = x[m] + h;
            rps_cone_project(s, c, eta, moved, up);
            moved[m] = x[m] - h;
            rps_cone_project(s, c, eta, moved, down);
            for (int k = 0; k < s->rows; k++) {
                worst = fmax(worst, fabs((up[k] - down[k]) / (2 * h) - derivative[k * s->rows + m]));
            }
        }
        near_kink += worst > 1e-6;
    }
    assert_true(near_kink < 20);
}

/* A wall of WIDE bricks and TALL courses in running bond on the ground, eight corners per brick: several times more
 * contacts than forces that the motion determines. */
enum { WIDE = 2, TALL = 40, BRICKS = WIDE * TALL, CORNERS = 8 * BRICKS };
#define LENGTH 0.2
#define DEPTH 0.1
#define HEIGHT 0.1
#define MASS 4.0
#define GRAVITY_STEP (9.81 * 0.005)

typedef struct wall {
    rps_cone_node node[BRICKS];
    rps_cone_contact contact[CORNERS];
    double v[BRICKS][6], r[CORNERS][6], slip[CORNERS];
    size_t contacts;
} wall;

static void touch(wall *w, uint32_t a, uint32_t b, double x, const double *above, const double *below) {
    for (int corner = 0; corner < 2; corner++) {
        rps_cone_contact *c = &w->contact[w->contacts++];
        double y = corner ? DEPTH / 2 : -DEPTH / 2;
        *c = (rps_cone_contact){.node = {a, b}, .n = {0, 0, 1}, .t = {1, 0, 0}, .c = {0.5, 0, 0}};
        memcpy(c->branch[0], (double[3]){x - above[0], y, -HEIGHT / 2}, sizeof c->branch[0]);
        if (below) {
            memcpy(c->branch[1], (double[3]){x - below[0], y, HEIGHT / 2}, sizeof c->branch[1]);
        }
    }
}

/* The ground leans by `tilt`: gravity has a part along x. */
static void make_wall(wall *w, double tilt) {
    static double at[BRICKS][2];
    const double i[3] = {DEPTH * DEPTH + HEIGHT * HEIGHT, LENGTH * LENGTH + HEIGHT * HEIGHT,
                         LENGTH * LENGTH + DEPTH * DEPTH};
    memset(w, 0, sizeof *w);
    for (uint32_t k = 0; k < BRICKS; k++) {
        uint32_t prediction = k / WIDE, column = k % WIDE;
        at[k][0] = LENGTH * column + (prediction % 2 ? LENGTH / 2 : 0);
        w->node[k].inverse_mass = 1 / MASS;
        for (int a = 0; a < 3; a++) {
            w->node[k].inverse_inertia[a] = 12 / (MASS * i[a]);
        }
        w->v[k][0] = GRAVITY_STEP * sin(tilt);
        w->v[k][2] = -GRAVITY_STEP * cos(tilt);
        for (int below = 0; below < (prediction ? 2 : 1); below++) {
            int64_t under = (int64_t)column + below - (prediction % 2 ? 0 : 1);
            uint32_t b = prediction ? (prediction - 1) * WIDE + (uint32_t)under : RPS_CONE_NO_NODE;
            if (prediction && (under < 0 || under >= WIDE)) {
                continue;
            }
            double low = prediction ? fmax(at[k][0], at[b][0]) : at[k][0],
                   high = prediction ? fmin(at[k][0], at[b][0]) : at[k][0];
            touch(w, k, b, low - LENGTH / 2, at[k], prediction ? at[b] : NULL);
            touch(w, k, b, high + LENGTH / 2, at[k], prediction ? at[b] : NULL);
        }
    }
}

static rps_cone_result solve_wall(wall *w, const rps_cone_options *options, rps_status expected,
                                  const rps_allocator *allocator) {
    rps_cone_system *system;
    rps_cone_result result = {0};
    rps_status status = rps_cone_system_make(&system, NULL, allocator, w->node, BRICKS, w->contact, w->contacts, NULL,
                                             0, (rps_workers){.count = 1}, NULL);
    if (status == RPS_OK) {
        status = rps_cone_system_solve(system, options, w->v[0], w->r[0], w->slip, NULL, &result, NULL);
        rps_cone_system_release(system);
    }
    assert_int_equal(status, expected);
    return result;
}

/* The impulses are not unique, but their sum on the ground is the momentum missing from the motion of the bricks. */
static void test_wall(void **state) {
    (void)state;
    static wall w;
    rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_NSGS, 1e-8, 2000, 0, false};
    make_wall(&w, 0.02);
    assert_false(solve_wall(&w, &options, RPS_OK, NULL).solved); /* it is as hard as it is meant to be */
    options.method = RPS_CONE_APGD;
    make_wall(&w, 0.02);
    assert_false(solve_wall(&w, &options, RPS_OK, NULL).solved);
    options.max_iterations = 6000;
    for (int k = 0; k < 2; k++) {
        options.method = k ? RPS_CONE_AUTO : RPS_CONE_NEWTON;
        make_wall(&w, 0.02);
        rps_cone_result result = solve_wall(&w, &options, RPS_OK, NULL);
        assert_true(result.solved && result.newton_steps > 0);
        double lift = 0, hold = 0;
        for (size_t i = 0; i < w.contacts; i++) {
            if (w.contact[i].node[1] == RPS_CONE_NO_NODE) {
                lift += w.r[i][0];
                hold += w.r[i][1];
            }
        }
        for (int b = 0; b < BRICKS; b++) { /* what still moves has its share */
            lift -= MASS * w.v[b][2];
            hold -= MASS * w.v[b][0];
        }
        double weight = BRICKS * MASS * GRAVITY_STEP;
        assert_true(fabs(lift - weight * cos(0.02)) < 1e-10 * weight &&
                    fabs(hold + weight * sin(0.02)) < 1e-10 * weight);
        assert_true(result.approach < 1e-6 * GRAVITY_STEP); /* nothing falls into anything */
    }
}

typedef struct meter {
    long left; /* allocations until one fails */
} meter;

static void *metered_alloc(void *ctx, size_t size, size_t align) {
    meter *m = ctx;
    return m->left-- > 0 ? aligned_alloc(align, (size + align - 1) / align * align) : NULL;
}

static void metered_release(void *ctx, void *p, size_t size) {
    (void)ctx;
    (void)size;
    free(p);
}

/* Each allocation of the library fails in turn: an error and no leak (checked by the sanitizers), until all succeed. */
static void test_memory(void **state) {
    (void)state;
    static wall w;
    rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_NEWTON, 1e-3, 50, 0, false};
    meter m;
    rps_allocator allocator = {metered_alloc, metered_release, &m};
    make_wall(&w, 0);
    m.left = LONG_MAX;
    solve_wall(&w, &options, RPS_OK, &allocator);
    long needed = LONG_MAX - m.left;
    assert_true(needed > 5 && needed < 200);
    for (long k = 0; k < needed; k++) {
        make_wall(&w, 0);
        m.left = k;
        solve_wall(&w, &options, RPS_NO_MEMORY, &allocator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
