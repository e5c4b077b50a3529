/*
 * Trees of boxes: every query gives the same answer as a loop over all leaves, and misses nothing within the margin.
 * Random points inside the boxes check this independently of the tree's own tests.
 */
#include "../physics/worlds.h"

#include <float.h>
#include <stdlib.h>

#include "base/box_tree.h"

enum { MOST = 5000 };

static rps_box box[MOST], other[MOST];

/* Boxes with a hundredfold range of sizes; every tenth is flat, every eleventh repeats its predecessor. */
static void draw_boxes(rps_box *to, size_t count, uint64_t stream, double largest) {
    for (size_t k = 0; k < count; k++) {
        if (k % 11 == 10) {
            to[k] = to[k - 1];
            continue;
        }
        const double size = largest * pow(10.0, uniform(stream, 8 * k, -2.0, 0.0));
        for (int axis = 0; axis < 3; axis++) {
            const uint64_t n = 8 * k + 1 + (uint64_t)axis;
            to[k].low[axis] = uniform(stream, n, -1.0, 1.0);
            const double edge = k % 10 == 9 && axis == 1 ? 0.0 : size * uniform(stream, n + 3, 0.1, 1.0);
            to[k].high[axis] = to[k].low[axis] + edge;
        }
    }
}

static rps_box_tree tree_of(const rps_box *from, size_t count) {
    rps_box_tree tree;
    MUST(rps_box_tree_build(NULL, from, count, &tree, ERR));
    assert_int_equal(tree.items, count);
    return tree;
}

/* Leaves by the number of their box. */
static void leaves_of(const rps_box_tree *tree, const rps_box_node **leaf) {
    for (size_t k = 0; k < tree->items; k++) leaf[k] = NULL;
    for (size_t n = 0; n < 2 * tree->items - 1; n++) {
        const rps_box_node *node = &tree->node[n];
        if (node->second != 0) continue;
        assert_true(node->item < tree->items && leaf[node->item] == NULL);
        leaf[node->item] = node;
    }
    for (size_t k = 0; k < tree->items; k++) assert_non_null(leaf[k]);
}

static bool holds(const rps_box_node *outer, const rps_box_node *inner) {
    bool all = true;
    for (int k = 0; k < 3; k++) all = all && outer->low[k] <= inner->low[k] && outer->high[k] >= inner->high[k];
    return all;
}

static void test_structure(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 10, 97, 1024, MOST};
    static const rps_box_node *leaf[MOST];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const size_t count = counts[c];
        draw_boxes(box, count, 100 + c, 0.3);
        rps_box_tree tree = tree_of(box, count), again = tree_of(box, count);
        assert_memory_equal(tree.node, again.node, rps_box_tree_bytes(&tree));
        leaves_of(&tree, leaf);
        for (size_t k = 0; k < count; k++) {
            for (int axis = 0; axis < 3; axis++) { /* outward, by less than one in 2^23 */
                const double low = box[k].low[axis], high = box[k].high[axis];
                assert_true((double)leaf[k]->low[axis] <= low && (double)leaf[k]->high[axis] >= high);
                ASSERT_BELOW(low - (double)leaf[k]->low[axis], 0x1p-23 * fabs(low) + 1e-40);
                ASSERT_BELOW((double)leaf[k]->high[axis] - high, 0x1p-23 * fabs(high) + 1e-40);
            }
        }
        size_t deepest = 0;
        static size_t depth[2 * MOST];
        depth[0] = 1;
        for (size_t n = 0; n < 2 * count - 1; n++) {
            const rps_box_node *node = &tree.node[n];
            deepest = depth[n] > deepest ? depth[n] : deepest;
            if (node->second == 0) continue;
            assert_true(node->second > n + 1 && node->second < 2 * count - 1);
            assert_true(holds(node, node + 1) && holds(node, &tree.node[node->second]));
            depth[n + 1] = depth[node->second] = depth[n] + 1;
        }
        ASSERT_BELOW(deepest, 1.0 + ceil(log2((double)count)));
        rps_box_tree_release(NULL, &tree);
        rps_box_tree_release(NULL, &again);
        assert_null(tree.node);
        rps_box_tree_release(NULL, &tree);
    }
}

static void test_refused(void **state) {
    (void)state;
    rps_box_tree tree;
    rps_error err = {0};
    assert_int_equal(rps_box_tree_build(NULL, box, 0, &tree, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_box_tree_build(NULL, box, (size_t)RPS_BOX_TREE_MOST + 1, &tree, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "a tree holds 1 to 2147483647 boxes"));
    assert_int_equal(rps_box_tree_bytes(&tree), 0);
}

/* Boxes that no order along an axis can separate, and boxes in a row, which a bad pivot would make slow. */
static void test_same_boxes(void **state) {
    (void)state;
    for (size_t k = 0; k < MOST; k++) box[k] = (rps_box){{0, 0, 0}, {1, 1, 1}};
    rps_box_tree tree = tree_of(box, MOST);
    rps_box_tree_release(NULL, &tree);
    for (size_t k = 0; k < MOST; k++) box[k] = (rps_box){{(double)k, 0, 0}, {(double)k + 1, 1, 1}};
    tree = tree_of(box, MOST);
    rps_box_tree_release(NULL, &tree);
}

static size_t hits[MOST];

static bool count_hit(void *context, const rps_box_node *leaf) {
    size_t *found = context;
    hits[leaf->item]++;
    ++*found;
    return true;
}

static rps_mat3 random_turn(uint64_t stream, uint64_t n) {
    const rps_vec3 v = random_vec(stream, 2 * n), w = random_vec(stream, 2 * n + 1);
    return rps_quat_to_mat3(rps_quat_normalize((rps_quat){w.x, v.x, v.y, v.z}));
}

static rps_vec3 point_in(const rps_box *b, uint64_t stream, uint64_t n) {
    return rps_vec3_make(uniform(stream, 3 * n, b->low[0], b->high[0]),
                         uniform(stream, 3 * n + 1, b->low[1], b->high[1]),
                         uniform(stream, 3 * n + 2, b->low[2], b->high[2]));
}

static double distance_to(const rps_box *b, rps_vec3 x) {
    const double at[3] = {x.x, x.y, x.z};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double off = fmax(fmax(b->low[k] - at[k], at[k] - b->high[k]), 0.0);
        sum += off * off;
    }
    return sqrt(sum);
}

/* m, from a point to a turned box. */
static double distance_to_turned(const rps_box_question *q, rps_vec3 x) {
    const rps_vec3 local = rps_mat3_transpose_mul_vec(&q->turn, rps_vec3_sub(x, q->center));
    const rps_box around = {{-q->half[0], -q->half[1], -q->half[2]}, {q->half[0], q->half[1], q->half[2]}};
    return distance_to(&around, local);
}

static rps_box_question draw_question(uint64_t n) {
    rps_box_question q = {.kind = n % 3 == 0 ? RPS_BOX_BALL : n % 3 == 1 ? RPS_BOX_TURNED : RPS_BOX_BELOW};
    q.center = q.kind == RPS_BOX_BELOW ? random_direction(31, n) : rps_vec3_scale(random_vec(31, n), 0.7);
    q.radius = uniform(32, n, q.kind == RPS_BOX_BELOW ? -2.0 : 0.0, 0.4);
    for (int k = 0; k < 3; k++) q.half[k] = uniform(33, 3 * n + (uint64_t)k, 0.0, 0.3);
    q.turn = random_turn(34, n);
    q.margin = n % 5 == 0 ? 0.0 : uniform(35, n, 0.0, 0.1);
    return q;
}

/* Whether the box is within the margin, judged by its corners or a point in it. 0: no, 1: yes, -1: unknown. */
static int truth(const rps_box_question *q, const rps_box *b, uint64_t n) {
    if (q->kind == RPS_BOX_BALL) return distance_to(b, q->center) <= q->radius + q->margin;
    if (q->kind == RPS_BOX_BELOW) {
        double least = INFINITY;
        for (int c = 0; c < 8; c++) {
            const rps_vec3 corner = {c & 1 ? b->low[0] : b->high[0], c & 2 ? b->low[1] : b->high[1],
                                     c & 4 ? b->low[2] : b->high[2]};
            least = fmin(least, rps_vec3_dot(q->center, corner));
        }
        return least <= q->radius + q->margin;
    }
    return distance_to_turned(q, point_in(b, 41, n)) <= q->margin ? 1 : -1;
}

/* Boxes this little outside the margin may be found, since they are rounded outward to single precision. */
#define ROUNDED 1e-6

static void test_questions(void **state) {
    (void)state;
    static const rps_box_node *leaf[MOST];
    static const size_t counts[] = {1, 7, 300, MOST};
    size_t found_all = 0, asked = 0, true_all = 0;
    for (size_t c = 0; c < 4; c++) {
        const size_t count = counts[c];
        draw_boxes(box, count, 200 + c, 0.3);
        rps_box_tree tree = tree_of(box, count);
        leaves_of(&tree, leaf);
        for (uint64_t n = 0; n < 300; n++) {
            const rps_box_question q = draw_question(1000 * c + n);
            size_t found = 0;
            memset(hits, 0, sizeof hits);
            assert_true(rps_box_tree_find(&tree, &q, count_hit, &found));
            for (size_t k = 0; k < count; k++) {
                assert_int_equal(hits[k], rps_box_node_meets(leaf[k], &q));
                const int is = truth(&q, &box[k], n * MOST + k);
                if (is == 1) assert_true(hits[k] == 1);
                rps_box_question wider = q;
                wider.margin += ROUNDED;
                if (is == 0 && hits[k] == 1) assert_true(truth(&wider, &box[k], 0) == 1);
                true_all += is == 1;
            }
            found_all += found;
            asked += count;
        }
        rps_box_tree_release(NULL, &tree);
    }
    SAY("%zu of %zu boxes found, %zu sure\n", found_all, asked, true_all);
    assert_true(true_all > asked / 50 && found_all < asked / 2);
}

typedef struct pair_hits {
    size_t count[400][400], all;
} pair_hits;

static pair_hits paired;

static bool count_pair(void *context, const rps_box_node *a, const rps_box_node *b) {
    (void)context;
    paired.count[a->item][b->item]++;
    paired.all++;
    return true;
}

static void test_pairs(void **state) {
    (void)state;
    static const size_t counts[][2] = {{1, 1}, {1, 400}, {60, 3}, {400, 400}, {250, 333}};
    static const rps_box_node *leaf_a[400], *leaf_b[400];
    size_t all = 0, found = 0, sure = 0;
    for (uint64_t c = 0; c < 5; c++) {
        const size_t m = counts[c][0], count = counts[c][1];
        draw_boxes(box, m, 300 + c, 1.0);
        draw_boxes(other, count, 400 + c, 1.0);
        rps_box_tree a = tree_of(box, m), b = tree_of(other, count);
        leaves_of(&a, leaf_a);
        leaves_of(&b, leaf_b);
        for (uint64_t n = 0; n < 20; n++) {
            const rps_tree_pose pose = {random_turn(51, 100 * c + n), rps_vec3_scale(random_vec(52, 100 * c + n), 0.5)};
            const double margin = n % 4 == 0 ? 0.0 : uniform(53, n, 0.0, 0.05);
            memset(&paired, 0, sizeof paired);
            assert_true(rps_box_tree_find_pairs(&a, &b, &pose, margin, count_pair, NULL));
            for (size_t p = 0; p < m; p++) {
                for (size_t q = 0; q < count; q++) {
                    assert_int_equal(paired.count[p][q], rps_box_nodes_near(leaf_a[p], leaf_b[q], &pose, margin));
                    const rps_vec3 x = point_in(&other[q], 54, n * MOST + q);
                    const rps_vec3 seen = rps_vec3_add(rps_mat3_mul_vec(&pose.turn, x), pose.shift);
                    if (!(distance_to(&box[p], seen) <= margin)) continue;
                    assert_int_equal(paired.count[p][q], 1);
                    sure++;
                }
            }
            found += paired.all;
            all += m * count;
        }
        rps_box_tree_release(NULL, &a);
        rps_box_tree_release(NULL, &b);
    }
    SAY("%zu of %zu pairs found, %zu sure\n", found, all, sure);
    assert_true(sure > 1000 && found < all / 2);
}

/* A search that visits boxes by their number, and stops to look farther than the nearest one. */
typedef struct near_boxes {
    rps_vec3 point;
    double least; /* INFINITY: looks for all */
    bool narrows;
    size_t visits;
} near_boxes;

static void visit_box(void *context, uint32_t item, double *radius) {
    near_boxes *s = context;
    const double distance = distance_to(&box[item], s->point);
    hits[item]++;
    s->visits++;
    s->least = fmin(s->least, distance);
    if (s->narrows && distance < *radius) *radius = distance;
}

static void test_near(void **state) {
    (void)state;
    static const size_t counts[] = {1, 7, 300, MOST};
    size_t visits = 0, asked = 0;
    for (size_t c = 0; c < 4; c++) {
        const size_t count = counts[c];
        draw_boxes(box, count, 600 + c, 0.3);
        rps_box_tree tree = tree_of(box, count);
        for (uint64_t n = 0; n < 200; n++) {
            near_boxes all = {.point = rps_vec3_scale(random_vec(61, 1000 * c + n), 0.7), .least = INFINITY};
            const double radius = uniform(62, n, 0.0, 0.4);
            double least = INFINITY;
            memset(hits, 0, sizeof hits);
            rps_box_tree_find_near(&tree, all.point, radius, visit_box, &all);
            for (size_t k = 0; k < count; k++) {
                const double distance = distance_to(&box[k], all.point);
                least = fmin(least, distance);
                assert_true(hits[k] <= 1);
                if (distance <= radius) assert_int_equal(hits[k], 1);
                if (hits[k] == 1) ASSERT_BELOW(distance, radius + ROUNDED);
            }
            near_boxes one = {.point = all.point, .least = INFINITY, .narrows = true};
            rps_box_tree_find_near(&tree, one.point, INFINITY, visit_box, &one);
            assert_true(one.least == least);
            visits += one.visits;
            asked += count;
        }
        rps_box_tree_release(NULL, &tree);
    }
    SAY("%zu of %zu boxes visited for the nearest\n", visits, asked);
    ASSERT_BELOW((double)visits, 0.05 * (double)asked); /* the nearer branch is first */
}

static bool stop(void *context, const rps_box_node *leaf) {
    (void)leaf;
    return --*(int *)context > 0;
}

static bool stop_pair(void *context, const rps_box_node *a, const rps_box_node *b) {
    (void)b;
    return stop(context, a);
}

static void test_stops(void **state) {
    (void)state;
    draw_boxes(box, 100, 500, 0.3);
    rps_box_tree tree = tree_of(box, 100);
    const rps_box_question all = {.kind = RPS_BOX_BALL, .radius = 10.0};
    const rps_tree_pose here = {rps_mat3_identity(), rps_vec3_zero()};
    int left = 3;
    assert_false(rps_box_tree_find(&tree, &all, stop, &left));
    assert_int_equal(left, 0);
    left = 5;
    assert_false(rps_box_tree_find_pairs(&tree, &tree, &here, 10.0, stop_pair, &left));
    assert_int_equal(left, 0);
    rps_box_tree_release(NULL, &tree);
}

/* Numbers beyond single precision give infinite boxes, which are always found. */
static void test_huge(void **state) {
    (void)state;
    for (size_t k = 0; k < 10; k++) {
        box[k] = (rps_box){{-1e300, 0, -INFINITY}, {1e300 * (double)(k + 1) / 11, 1, INFINITY}};
    }
    rps_box_tree tree = tree_of(box, 10);
    size_t found = 0;
    const rps_box_question q = {.kind = RPS_BOX_TURNED, .half = {1, 1, 1}, .turn = rps_mat3_identity()};
    memset(hits, 0, sizeof hits);
    assert_true(rps_box_tree_find(&tree, &q, count_hit, &found));
    assert_int_equal(found, 10);
    rps_box_tree_release(NULL, &tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure), cmocka_unit_test(test_refused), cmocka_unit_test(test_same_boxes),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_near),    cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_stops),     cmocka_unit_test(test_huge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
