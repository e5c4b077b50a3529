/* Systems of bodies: agreement with the same problem by blocks, closed forms with joints and compliance, units,
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/vec.h"
#include "cone/packed.h"
#include "schedulers.h"

enum { NODES = 30, CONTACTS = 70 };

static double chance(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(21, RPS_RANDOM_TEST, id, n) - 1;
}

static rps_vec3 direction(uint64_t id) {
    return rps_vec3_normalize(rps_vec3_make(chance(id, 0), chance(id, 1), chance(id, 2)));
}

static void put(double *to, rps_vec3 x) {
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
}

typedef struct heap {
    rps_cone_node node[NODES];
    rps_cone_contact contact[CONTACTS];
    double v[NODES][6];
} heap;

/* Balls, some with an anisotropic inertia tensor, with random contacts; every sixth contact is with the ground. A
 * motion that keeps all gaps open exists (v = 0), so both laws have solutions. In units of 2^length m, 2^mass kg,
 * 2^time s. */
static void make_heap(heap *h, int length, int mass, int time) {
    memset(h, 0, sizeof *h);
    for (size_t k = 0; k < NODES; k++) {
        double m = 1 + 0.5 * chance(k, 10), radius = 0.05 * (1 + 0.3 * chance(k, 11)),
               i = 1 / (0.4 * m * radius * radius);
        rps_cone_node *node = &h->node[k];
        node->inverse_mass = ldexp(1 / m, -mass);
        for (int a = 0; a < 3; a++) {
            double lumpy = k % 3 == 0 ? 1 + 0.3 * chance(k, 20 + (uint64_t)a) : 1;
            node->inverse_inertia[a] = ldexp(i * lumpy, -mass - 2 * length);
            node->inverse_inertia[3 + a] =
                k % 3 == 0 ? ldexp(0.1 * i * chance(k, 30 + (uint64_t)a), -mass - 2 * length) : 0;
            h->v[k][a] = ldexp(0.2 * chance(k, 40 + (uint64_t)a) - (a == 2 ? 0.3 : 0), length - time);
            h->v[k][3 + a] = ldexp(3 * chance(k, 50 + (uint64_t)a), -time);
        }
    }
    for (size_t c = 0; c < CONTACTS; c++) {
        rps_cone_contact *contact = &h->contact[c];
        uint32_t a = (uint32_t)(c % NODES), b = (uint32_t)rps_random_index(22, RPS_RANDOM_TEST, c, 0, NODES);
        contact->node[0] = a;
        contact->node[1] = c % 6 == 0 || a == b ? RPS_CONE_NO_NODE : b;
        if (c % 12 == 0) {
            contact->node[0] = RPS_CONE_NO_NODE;
            contact->node[1] = a;
        }
        rps_vec3 n = direction(1000 + c);
        put(contact->n, n);
        put(contact->t, rps_vec3_any_across(n));
        for (int side = 0; side < 2; side++) {
            double arm = (side ? 0.05 : -0.05) * (1 + 0.3 * chance(c, 60 + (uint64_t)side));
            rps_vec3 off = rps_vec3_scale(direction(2000 + 2 * c + (uint64_t)side), c % 4 == 0 ? 0.01 : 0);
            put(contact->branch[side], rps_vec3_scale(rps_vec3_add_scaled(off, arm, n), ldexp(1, length)));
        }
        contact->bias[0] = ldexp(0.05 * (1 + chance(c, 70)), length - time);
        contact->compliance[0] = c % 5 == 0 ? ldexp(0.1, -mass) : 0;
        contact->compliance[2] = c % 5 == 0 ? ldexp(20, -mass - 2 * length) : 0;
        contact->c[0] = c % 11 == 0 ? 0 : 0.3 + 0.2 * chance(c, 80);
        contact->c[1] = ldexp(c % 13 == 0 ? 0 : 0.002, length);
        contact->c[2] = ldexp(c % 7 == 0 ? 0 : 0.001 * (1 + chance(c, 81)), length);
    }
}

typedef struct answer {
    double v[NODES][6], r[CONTACTS][6], slip[CONTACTS];
    rps_cone_result result;
} answer;

static void solve_heap(const heap *h, const rps_cone_options *options, int threads, answer *a) {
    rps_cone_system *system;
    memset(a, 0, sizeof *a);
    memcpy(a->v, h->v, sizeof a->v);
    assert_int_equal(rps_cone_system_make(&system, NULL, NULL, h->node, NODES, h->contact, CONTACTS, NULL, 0,
                                          (rps_workers){.count = threads}, NULL),
                     RPS_OK);
    assert_int_equal(rps_cone_system_solve(system, options, a->v[0], a->r[0], a->slip, NULL, &a->result, NULL), RPS_OK);
    rps_cone_system_release(system);
}

static const rps_cone_method methods[] = {RPS_CONE_AUTO, RPS_CONE_NSGS, RPS_CONE_APGD, RPS_CONE_NEWTON};

/* The explicit problem judges the law; W r + q is the velocity of the nodes. Rounding: rows are sums of tens of terms
 * of order 1 to 400 (torques). */
static void test_against_blocks(void **state) {
    (void)state;
    static heap h;
    static answer a;
    static double u[6 * CONTACTS], r[6 * CONTACTS];
    rps_cone_system *system;
    rps_cone_problem p;
    make_heap(&h, 0, 0, 0);
    assert_int_equal(rps_cone_system_make(&system, NULL, NULL, h.node, NODES, h.contact, CONTACTS, NULL, 0,
                                          (rps_workers){.count = 1}, NULL),
                     RPS_OK);
    assert_int_equal(rps_cone_system_assemble(system, h.v[0], NULL, &p, NULL), RPS_OK);
    assert_true(p.asymmetry < 1e-14);
    for (int k = 0; k < 8; k++) {
        rps_cone_options options = {
            k % 2 ? RPS_CONE_CONVEX : RPS_CONE_COULOMB, methods[k / 2], 1e-11, 200000, 0, false};
        solve_heap(&h, &options, 1, &a);
        assert_true(a.result.solved);
        rps_cone_product(&p, a.r[0], u);
        for (size_t i = 0; i < 6 * CONTACTS; i++) {
            u[i] += p.q[i];
        }
        assert_true(rps_cone_residual_metric(&p, options.law, a.r[0], u) < 1e-10);
        for (size_t i = 0; i < CONTACTS; i++) {
            const rps_cone_contact *c = &h.contact[i];
            double normal = c->bias[0] + c->compliance[0] * a.r[i][0];
            for (int side = 0; side < 2; side++) {
                for (int x = 0; x < 3 && c->node[side] != RPS_CONE_NO_NODE; x++) {
                    const double *v = a.v[c->node[side]], *arm = c->branch[side];
                    double turn = v[3 + (x + 1) % 3] * arm[(x + 2) % 3] - v[3 + (x + 2) % 3] * arm[(x + 1) % 3];
                    normal += (side ? -1 : 1) * c->n[x] * (v[x] + turn);
                }
            }
            assert_true(fabs(u[6 * i] - normal) < 1e-12);
            if (options.law == RPS_CONE_COULOMB) {
                double slip = rps_cone_slip(rps_cone_shape_of(6), c->c, u + 6 * i);
                assert_true(fabs(a.slip[i] - slip) < 1e-12);
            }
        }
        if (options.law == RPS_CONE_CONVEX) { /* its velocities are unique; their error is the residual's over the
                                                 smallest stiffness, here compliance and mass of order 1 */
            static double other[6 * CONTACTS];
            rps_cone_result result;
            memset(r, 0, sizeof r);
            assert_int_equal(rps_cone_solve(&p, &options, r, other, &result, NULL), RPS_OK);
            for (size_t i = 0; i < 6 * CONTACTS; i++) {
                assert_true(fabs(u[i] - other[i]) < 1e-8);
            }
        }
    }
    rps_cone_problem_release(&p);
    rps_cone_system_release(system);
}

static void test_units(void **state) {
    (void)state;
    static const int unit[][3] = {{10, 0, 0}, {0, -7, 0}, {0, 0, 5}, {-9, 3, 4}};
    static heap h;
    static answer first, other;
    for (int k = 0; k < 8; k++) {
        rps_cone_options options = {k % 2 ? RPS_CONE_CONVEX : RPS_CONE_COULOMB, methods[k / 2], 1e-8, 20000, 0, false};
        make_heap(&h, 0, 0, 0);
        solve_heap(&h, &options, 1, &first);
        assert_true(first.result.solved);
        for (size_t c = 0; c < sizeof unit / sizeof *unit; c++) {
            make_heap(&h, unit[c][0], unit[c][1], unit[c][2]);
            solve_heap(&h, &options, 1, &other);
            assert_int_equal(other.result.iterations, first.result.iterations);
            assert_true(other.result.residual_metric == first.result.residual_metric);
            for (size_t n = 0; n < NODES; n++) {
                assert_true(other.v[n][0] == ldexp(first.v[n][0], unit[c][0] - unit[c][2]));
                assert_true(other.v[n][5] == ldexp(first.v[n][5], -unit[c][2]));
            }
        }
    }
}

/* A solution is its own warm start: nothing is left to do. */
static void test_warm_start(void **state) {
    (void)state;
    static heap h;
    static answer a;
    rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_AUTO, 1e-8, 20000, 0, false};
    rps_cone_system *system = NULL;
    make_heap(&h, 0, 0, 0);
    solve_heap(&h, &options, 1, &a);
    for (int again = 0; again < 2; again++) { /* the second time in the memory of the first */
        memcpy(a.v, h.v, sizeof a.v);
        assert_int_equal(rps_cone_system_make(&system, system, NULL, h.node, NODES, h.contact, CONTACTS, NULL, 0,
                                              (rps_workers){.count = 1}, NULL),
                         RPS_OK);
        assert_int_equal(rps_cone_system_solve(system, &options, a.v[0], a.r[0], a.slip, NULL, &a.result, NULL),
                         RPS_OK);
        assert_true(a.result.solved && a.result.iterations == 0);
    }
    rps_cone_system_release(system);
}

static rps_cone_node ball_node(double m, double i) {
    return (rps_cone_node){1 / m, {1 / i, 1 / i, 1 / i}};
}

/* A block of SIDE x SIDE x LAYERS balls falls on a plate that lies on the ground. The plate touches a whole layer,
 * which exceeds the number of colours. */
enum { SIDE = 10, LAYERS = 6, BALLS = SIDE * SIDE * LAYERS, BLOCK = 3 * BALLS + 4 };
typedef struct block_of_balls {
    rps_cone_node node[BALLS + 1];
    rps_cone_contact contact[BLOCK];
    double v[BALLS + 1][6], r[BLOCK][6], slip[BLOCK];
    size_t contacts;
} block_of_balls;

static void touch(block_of_balls *b, uint32_t i, uint32_t j, rps_vec3 n, rps_vec3 arm_j) {
    rps_cone_contact *c = &b->contact[b->contacts++];
    *c = (rps_cone_contact){.node = {i, j}, .c = {0.3, 1e-3, 2e-3}};
    put(c->n, n);
    put(c->t, rps_vec3_any_across(n));
    put(c->branch[0], rps_vec3_scale(n, -0.1));
    put(c->branch[1], arm_j);
}

static void make_block_of_balls(block_of_balls *b) {
    memset(b, 0, sizeof *b);
    for (uint32_t k = 0; k < BALLS; k++) {
        uint32_t x = k % SIDE, y = k / SIDE % SIDE, z = k / SIDE / SIDE;
        b->node[k] = ball_node(1, 0.004);
        for (int a = 0; a < 6; a++) {
            b->v[k][a] = (a < 3 ? 0.02 : 0.3) * chance(k, 100 + (uint64_t)a) - (a == 2 ? 0.05 : 0);
        }
        if (x) {
            touch(b, k, k - 1, rps_vec3_make(1, 0, 0), rps_vec3_make(0.1, 0, 0));
        }
        if (y) {
            touch(b, k, k - SIDE, rps_vec3_make(0, 1, 0), rps_vec3_make(0, 0.1, 0));
        }
        if (z) {
            touch(b, k, k - SIDE * SIDE, rps_vec3_make(0, 0, 1), rps_vec3_make(0, 0, 0.1));
        } else {
            touch(b, k, BALLS, rps_vec3_make(0, 0, 1), rps_vec3_make(0.2 * x - 0.9, 0.2 * y - 0.9, 0.05));
        }
    }
    b->node[BALLS] = ball_node(50, 20);
    b->v[BALLS][2] = -0.05;
    for (int corner = 0; corner < 4; corner++) {
        touch(b, BALLS, RPS_CONE_NO_NODE, rps_vec3_make(0, 0, 1), rps_vec3_zero());
        put(b->contact[b->contacts - 1].branch[0], rps_vec3_make(corner % 2 ? 1 : -1, corner / 2 ? 1 : -1, -0.05));
    }
}

static void test_threads(void **state) {
    (void)state;
    static block_of_balls b, first;
    static const int threads[] = {1, 2, 3, 8, 4, 4, 4, 2}; /* the last by schedulers of a host */
    static double u[6 * BLOCK];
    for (int k = 1; k < 3; k++) {
        for (int t = 0; t < 8; t++) {
            host h;
            const rps_workers workers = {threads[t], host_scheduler(&h, t < 4 ? HOST_OPENMP : t - 3)};
            rps_cone_options options = {RPS_CONE_COULOMB, methods[k], 1e-4, 5000, 0, false};
            rps_cone_system *system;
            rps_cone_problem p;
            rps_cone_result result;
            make_block_of_balls(&b);
            assert_true(b.contacts > 1000); /* below, all is done by one thread */
            assert_int_equal(rps_cone_system_make(&system, NULL, NULL, b.node, BALLS + 1, b.contact, b.contacts, NULL,
                                                  0, workers, NULL),
                             RPS_OK);
            if (rps_isa_supported((rps_isa)(t % RPS_ISA_COUNT))) { /* nor do instruction sets show */
                system->isa = (rps_isa)(t % RPS_ISA_COUNT);
            }
            assert_int_equal(rps_cone_system_assemble(system, b.v[0], NULL, &p, NULL), RPS_OK);
            assert_int_equal(rps_cone_system_solve(system, &options, b.v[0], b.r[0], b.slip, NULL, &result, NULL),
                             RPS_OK);
            rps_cone_system_release(system);
            assert_true(result.solved);
            if (t >= 4) assert_true(h.calls > result.iterations);
            if (t == 0) { /* the blocks, which know no colours, agree */
                first = b;
                rps_cone_product(&p, b.r[0], u);
                for (size_t i = 0; i < p.rows; i++) {
                    u[i] += p.q[i];
                }
                assert_true(rps_cone_residual_metric(&p, options.law, b.r[0], u) <= 1e-4 * (1 + 1e-6));
            }
            rps_cone_problem_release(&p);
            assert_memory_equal(b.v, first.v, sizeof b.v);
            assert_memory_equal(b.r, first.r, sizeof b.r);
            assert_memory_equal(b.slip, first.slip, sizeof b.slip);
        }
    }
}

/* Rows that keep the point of a node at `arm` at rest, in the world's axes. */
static void pin(rps_cone_joint_row *row, uint32_t joint, uint32_t a, rps_vec3 arm) {
    for (int k = 0; k < 3; k++) {
        rps_vec3 e = rps_vec3_make(k == 0, k == 1, k == 2), turn = rps_vec3_cross(arm, e);
        row[k] = (rps_cone_joint_row){joint, {a, RPS_CONE_NO_NODE}, {{0}}, 0, 0, -INFINITY, INFINITY, 0};
        put(row[k].jacobian[0], e);
        put(row[k].jacobian[0] + 3, turn);
    }
}

static rps_cone_result solve_rows(const rps_cone_node *node, size_t nodes, const rps_cone_joint_row *row, size_t rows,
                                  double *v, double *g) {
    rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_NSGS, 1e-13, 5000, 0, false};
    rps_cone_system *system;
    rps_cone_result result;
    memset(g, 0, rows * sizeof *g);
    assert_int_equal(
        rps_cone_system_make(&system, NULL, NULL, node, nodes, NULL, 0, row, rows, (rps_workers){.count = 1}, NULL),
        RPS_OK);
    assert_int_equal(rps_cone_system_solve(system, &options, v, NULL, NULL, g, &result, NULL), RPS_OK);
    rps_cone_system_release(system);
    return result;
}

/* A pendulum of length L: the tangential velocity turns at once into w = m v L / (m L^2 + I), and the pin takes the rest. */
static void test_pendulum(void **state) {
    (void)state;
    const double m = 2, i = 0.3, length = 0.7, fall = -0.4, along = 0.25;
    rps_cone_node node = ball_node(m, i);
    rps_cone_joint_row row[6];
    double v[6] = {along, 0, fall}, g[6], single[6];
    pin(row, 0, 0, rps_vec3_make(-length, 0, 0)); /* the ball hangs out along x */
    assert_true(solve_rows(&node, 1, row, 3, v, g).solved);
    double w = -m * fall * length / (m * length * length + i); /* about y: vz = -w L */
    assert_true(fabs(v[4] - w) < 1e-12 && fabs(v[2] + w * length) < 1e-12 && fabs(v[0]) < 1e-12);
    assert_true(fabs(g[0] + m * along) < 1e-12 && fabs(g[2] - m * (-w * length - fall)) < 1e-12);

    /* the same pin twice: the same motion, and each takes a half, which is the least norm */
    memcpy(single, v, sizeof v);
    pin(row + 3, 1, 0, rps_vec3_make(-length, 0, 0));
    memcpy(v, (double[6]){along, 0, fall}, sizeof v);
    double twice[6];
    assert_true(solve_rows(&node, 1, row, 6, v, twice).solved);
    for (int k = 0; k < 6; k++) {
        assert_true(fabs(v[k] - single[k]) < 1e-12 && fabs(twice[k] - 0.5 * g[k % 3]) < 1e-12);
    }

    /* two pins that contradict each other have no solution, and it is not called one */
    row[3].bias = 0.1;
    memcpy(v, (double[6]){along, 0, fall}, sizeof v);
    assert_false(solve_rows(&node, 1, row, 6, v, twice).solved);
}

/* Two bodies on a line, each held, and held together: a loop of three rows, of which one is implied. With the impulse t
 * between them the others are t - a and -b - t for velocities a and b, and (t - a)^2 + 2 t^2 + (b + t)^2, by the diagonals 1, 2,
 * 1 of W, is least at t = (a - b)/4, wherever the sweeps began. */
static void test_least_norm_round_a_loop(void **state) {
    (void)state;
    const double a = 1, b = 2, t = (a - b) / 4, exact[3] = {t - a, t, -b - t};
    const rps_cone_node node[2] = {ball_node(1, 1), ball_node(1, 1)};
    const uint32_t of[3][2] = {{0, RPS_CONE_NO_NODE}, {1, 0}, {1, RPS_CONE_NO_NODE}};
    rps_cone_joint_row row[3];
    for (uint32_t k = 0; k < 3; k++) {
        row[k] =
            (rps_cone_joint_row){k, {of[k][0], of[k][1]}, {{1}, {k == 1 ? -1.0 : 0.0}}, 0, 0, -INFINITY, INFINITY, 0};
    }
    double distance = 0;
    for (int began = 0; began < 3; began++) {
        for (int least = 0; least < 2; least++) {
            double v[12] = {a, 0, 0, 0, 0, 0, b}, g[3] = {0, 5 * began, 0};
            const rps_cone_options options = {
                .method = RPS_CONE_NSGS, .tolerance = 1e-12, .max_iterations = 5000, .least_norm = least};
            rps_cone_system *system;
            rps_cone_result result;
            assert_int_equal(
                rps_cone_system_make(&system, NULL, NULL, node, 2, NULL, 0, row, 3, (rps_workers){.count = 1}, NULL),
                RPS_OK);
            assert_int_equal(rps_cone_system_solve(system, &options, v, NULL, NULL, g, &result, NULL), RPS_OK);
            rps_cone_system_release(system);
            assert_true(result.solved && fabs(v[0]) < 1e-11 && fabs(v[6]) < 1e-11);
            for (int k = 0; k < 3; k++) {
                if (least) assert_true(fabs(g[k] - exact[k]) < 1e-11);
                distance = fmax(distance, fabs(g[k] - exact[k]));
            }
        }
    }
    assert_true(distance > 0.1); /* without it they do depend on where they began */
}

/* A slider along x with dry friction: the impulse is -m v within the box, S beyond it. Compliance C: u = -C g. */
static void test_box_and_compliance(void **state) {
    (void)state;
    const double m = 2, speed = 0.3, i = 0.1;
    rps_cone_node node = ball_node(m, i);
    for (int slides = 0; slides < 2; slides++) {
        rps_cone_joint_row row[6];
        double v[6] = {speed, 0.1, -0.4, 1, 2, 3}, g[6], bound = slides ? 0.25 : 10;
        for (int k = 0; k < 6; k++) { /* the box stands first, the free rows after it */
            row[k] = (rps_cone_joint_row){
                0, {RPS_CONE_NO_NODE, 0}, {{0}}, 0, 0, k ? -INFINITY : -bound, k ? INFINITY : bound, 0};
            row[k].jacobian[1][k] = -1;
        }
        assert_true(solve_rows(&node, 1, row, 6, v, g).solved);
        assert_true(fabs(v[0] - (slides ? speed - bound / m : 0)) < 1e-13);
        assert_true(fabs(g[0] - (slides ? bound : m * speed)) < 1e-13);
        for (int k = 1; k < 6; k++) {
            assert_true(fabs(v[k]) < 1e-13);
        }
        row[1].compliance = 0.7;
        row[1].bias = -0.02;
        memcpy(v, (double[6]){0, 0.1}, sizeof v);
        assert_true(solve_rows(&node, 1, row, 6, v, g).solved); /* -v + b + C g = 0, v = .1 - g / m */
        double expected = (0.1 + 0.02) / (1 / m + 0.7);
        assert_true(fabs(g[1] - expected) < 1e-13 && fabs(v[1] - (0.1 - expected / m)) < 1e-13);
    }
}

/* A ball pressed on a compliant plane, and one held by rows without a cone although it separates. */
static void test_contact_compliance_and_hold(void **state) {
    (void)state;
    const double m = 3, i = 0.02, press = -0.2, C = 0.4;
    rps_cone_node node = ball_node(m, i);
    rps_cone_contact contact = {{0, RPS_CONE_NO_NODE}, {0, 0, 1}, {1, 0, 0}, {{0, 0, -0.1}}, {0}, {C}, {0.5, 0, 0}};
    for (int k = 0; k < 4; k++) {
        rps_cone_options options = {RPS_CONE_COULOMB, methods[k], 1e-13, 10000, 0, false};
        rps_cone_system *system;
        rps_cone_result result;
        double v[6] = {0, 0, press}, r[6] = {0}, slip[1] = {0};
        assert_int_equal(
            rps_cone_system_make(&system, NULL, NULL, &node, 1, &contact, 1, NULL, 0, (rps_workers){.count = 1}, NULL),
            RPS_OK);
        assert_int_equal(rps_cone_system_solve(system, &options, v, r, slip, NULL, &result, NULL), RPS_OK);
        assert_true(result.solved && fabs(r[0] + press / (1 / m + C)) < 1e-12 && fabs(v[2] + C * r[0]) < 1e-12);
        rps_cone_system_release(system);

        rps_cone_contact held = contact;
        held.c[0] = INFINITY;
        double up[6] = {0.3, 0, 0.2}, hold[6] = {0};
        assert_int_equal(
            rps_cone_system_make(&system, NULL, NULL, &node, 1, &held, 1, NULL, 0, (rps_workers){.count = 1}, NULL),
            RPS_OK);
        assert_int_equal(rps_cone_system_solve(system, &options, up, hold, slip, NULL, &result, NULL), RPS_OK);
        assert_true(result.solved && hold[0] == 0 && fabs(hold[1] + 0.3 / (1 / m + 0.01 / i)) < 1e-11);
        rps_cone_system_release(system);
    }
}

/* Four bodies on a line. One row couples all of them, sum c u + b = 0 with the impulse g = -(sum c v + b)/(sum c^2/m); the others join
 * them in pairs by springs, so that the row is one of a block. By sweeps and by Newton's method. */
static void test_row_of_four(void **state) {
    (void)state;
    enum { BODIES = 4, ROWS = 3 };
    const double c[BODIES] = {1.0, -2.0, 0.5, 3.0}, bias = 0.2;
    const rps_cone_method method[] = {RPS_CONE_NSGS, RPS_CONE_NEWTON};
    for (int joined = 0; joined < 2; joined++) {
        for (int k = 0; k < 2; k++) {
            rps_cone_node node[BODIES];
            rps_cone_joint_row row[ROWS] = {
                {0, {0, 1, 2, 3}, {{0}}, bias, 0, -INFINITY, INFINITY, 2},
                {1, {0, 1}, {{1}, {-1}}, 0, 0.3, -INFINITY, INFINITY, 0},
                {2, {2, 3}, {{1}, {-1}}, 0, 0.7, -INFINITY, INFINITY, 0},
            };
            double v[BODIES][6] = {{0}}, g[ROWS] = {0}, sum = bias, share = 0;
            for (int n = 0; n < BODIES; n++) {
                node[n] = ball_node(1.0 + n, 1.0);
                v[n][0] = 0.1 * (n + 1) * (n - 1);
                row[0].jacobian[n][0] = c[n];
                sum += c[n] * v[n][0];
                share += c[n] * c[n] / (1.0 + n);
            }
            const rps_cone_options options = {RPS_CONE_COULOMB, method[k], 1e-13, 5000, 0, false};
            const size_t rows = joined ? ROWS : 1;
            rps_cone_system *system;
            rps_cone_result result;
            double before[BODIES];
            for (int n = 0; n < BODIES; n++) before[n] = v[n][0];
            assert_int_equal(rps_cone_system_make(&system, NULL, NULL, node, BODIES, NULL, 0, row, rows,
                                                  (rps_workers){.count = 1}, NULL),
                             RPS_OK);
            assert_int_equal(rps_cone_system_solve(system, &options, v[0], NULL, NULL, g, &result, NULL), RPS_OK);
            rps_cone_system_release(system);
            assert_true(result.solved);
            if (!joined) assert_true(fabs(g[0] + sum / share) < 1e-12);
            double u = bias;
            for (int n = 0; n < BODIES; n++) {
                const double pull = joined ? g[n < 2 ? 1 : 2] * (n % 2 == 0 ? 1 : -1) : 0;
                assert_true(fabs(v[n][0] - before[n] - (c[n] * g[0] + pull) / (1.0 + n)) < 1e-12);
                u += c[n] * v[n][0];
            }
            assert_true(fabs(u) < 1e-12);
            for (size_t r = 1; r < rows; r++) {
                const double apart = v[2 * r - 2][0] - v[2 * r - 1][0];
                assert_true(fabs(apart + row[r].compliance * g[r]) < 1e-12);
            }
        }
    }
}

static void test_refusals(void **state) {
    (void)state;
    static heap h;
    rps_cone_system *system;
    rps_cone_joint_row row[3];
    rps_error err;
    pin(row, 0, 0, rps_vec3_make(1, 0, 0));
    for (int k = 0; k < 12; k++) {
        make_heap(&h, 0, 0, 0);
        if (k == 0) {
            h.contact[3].c[1] = -1;
        } else if (k == 1) {
            h.contact[3].bias[2] = NAN;
        } else if (k == 2) {
            h.contact[3].node[0] = NODES;
        } else if (k == 3) {
            h.contact[3].node[0] = h.contact[3].node[1] = RPS_CONE_NO_NODE;
        } else if (k == 4) {
            h.contact[3].compliance[0] = -1;
        } else if (k == 5) {
            row[0].low = 1;
        } else if (k == 6) {
            row[0].low = -INFINITY;
            memset(row[0].jacobian, 0, sizeof row[0].jacobian);
        } else if (k == 7) {
            row[0].jacobian[0][0] = NAN;
        } else if (k < 11) { /* too many sides, one that is there already, one of nothing */
            pin(row, 0, 0, rps_vec3_make(1, 0, 0));
            row[0].more = k == 8 ? 3 : 1;
            row[0].node[2] = k == 9 ? 0 : NODES;
        } else {
            h.node[2].inverse_mass = INFINITY;
        }
        assert_int_equal(rps_cone_system_make(&system, NULL, NULL, h.node, NODES, h.contact, CONTACTS, row,
                                              k >= 5 && k <= 10 ? 3 : 0, (rps_workers){.count = 1}, &err),
                         RPS_BAD_INPUT);
        assert_null(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_blocks),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_warm_start),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_pendulum),           cmocka_unit_test(test_least_norm_round_a_loop),
        cmocka_unit_test(test_box_and_compliance), cmocka_unit_test(test_contact_compliance_and_hold),
        cmocka_unit_test(test_row_of_four),        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
