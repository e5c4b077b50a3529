/* Building and querying a tree of boxes; box_tree.h explains the idea. */
#include "base/box_tree.h"

#include <float.h>
#include <string.h>

enum { DEPTH = 64 }; /* stack depth: median splits of 2^31 boxes are 32 levels deep, of two trees twice that */

/* --- build -------------------------------------------------------------------------------------------------------- */

static float rounded_down(double x) {
    if (x > (double)FLT_MAX) return FLT_MAX;
    if (x < -(double)FLT_MAX) return -INFINITY;
    const float near = (float)x;
    if (!((double)near > x)) return near;
    uint32_t bits; /* the next number below: magnitudes of floats rise with their bits */
    memcpy(&bits, &near, sizeof bits);
    bits = near > 0.0f ? bits - 1 : near < 0.0f ? bits + 1 : 0x80000001u;
    float next;
    memcpy(&next, &bits, sizeof next);
    return next;
}

static float rounded_up(double x) {
    return -rounded_down(-x);
}

typedef struct builder {
    const rps_box *box;
    uint32_t *item; /* numbers of boxes in the order of leaves */
    rps_box_node *node;
    uint64_t random;
} builder;

static double center_of(const rps_box *box, int axis) {
    const double center = 0.5 * box->low[axis] + 0.5 * box->high[axis];
    return center == center ? center : 0.0; /* of a box without end */
}

/* The order along an axis; numbers decide ties, so that no two boxes are the same. */
static bool precedes(const builder *b, uint32_t p, uint32_t q, int axis) {
    const double x = center_of(&b->box[p], axis), y = center_of(&b->box[q], axis);
    return x < y || (x == y && p < q);
}

static void swap(uint32_t *p, uint32_t *q) {
    const uint32_t other = *p;
    *p = *q;
    *q = other;
}

/* Moves the boxes first..end-1 so that those before `middle` precede it and the rest do not. Pivots are random with a
 * fixed seed, so that no natural order of boxes is a worst case. */
static void split(builder *b, size_t first, size_t middle, size_t end, int axis) {
    uint32_t *item = b->item;
    while (end - first > 1) {
        b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        swap(&item[first + (size_t)(b->random >> 33) % (end - first)], &item[end - 1]);
        size_t place = first;
        for (size_t k = first; k + 1 < end; k++) {
            if (precedes(b, item[k], item[end - 1], axis)) swap(&item[k], &item[place++]);
        }
        swap(&item[place], &item[end - 1]);
        if (place == middle) return;
        if (place < middle)
            first = place + 1;
        else
            end = place;
    }
}

/* Fills the box of a node; returns the axis along which the centers of its boxes spread most. */
static int surround(const builder *b, size_t first, size_t end, rps_box_node *node) {
    int longest = 0;
    double most = -1.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY, from = INFINITY, to = -INFINITY;
        for (size_t k = first; k < end; k++) {
            const rps_box *box = &b->box[b->item[k]];
            const double center = center_of(box, axis);
            low = box->low[axis] < low ? box->low[axis] : low;
            high = box->high[axis] > high ? box->high[axis] : high;
            from = center < from ? center : from;
            to = center > to ? center : to;
        }
        node->low[axis] = rounded_down(low);
        node->high[axis] = rounded_up(high);
        if (!(to - from > most)) continue;
        most = to - from;
        longest = axis;
    }
    return longest;
}

typedef struct range {
    size_t first, end, node;
} range;

static void box_tree_make_nodes(builder *b, size_t count) {
    range waiting[DEPTH] = {{0, count, 0}};
    for (int n = 1; n > 0;) {
        const range r = waiting[--n];
        rps_box_node *node = &b->node[r.node];
        const int axis = surround(b, r.first, r.end, node);
        const size_t boxes = r.end - r.first, middle = r.first + boxes / 2;
        node->item = b->item[r.first];
        node->second = 0;
        if (boxes == 1) continue;
        split(b, r.first, middle, r.end, axis);
        const size_t second = r.node + 2 * (middle - r.first); /* a subtree has 2 boxes - 1 nodes */
        node->second = (uint32_t)second;
        waiting[n++] = (range){middle, r.end, second};
        waiting[n++] = (range){r.first, middle, r.node + 1};
    }
}

rps_status rps_box_tree_build(const rps_allocator *allocator, const rps_box *box, size_t count, rps_box_tree *out,
                              rps_error *err) {
    *out = (rps_box_tree){0};
    if (count == 0 || count > RPS_BOX_TREE_MOST) {
        return rps_fail(err, RPS_BAD_INPUT, "a tree holds 1 to %d boxes, not %zu", RPS_BOX_TREE_MOST, count);
    }
    size_t bytes, item_bytes;
    void *node, *item;
    RPS_TRY(rps_size_of_items(2 * count - 1, sizeof(rps_box_node), &bytes, err));
    RPS_TRY(rps_size_of_items(count, sizeof(uint32_t), &item_bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, item_bytes, &item, err));
    const rps_status status = rps_memory_alloc(allocator, bytes, &node, err);
    if (status == RPS_OK) {
        builder b = {.box = box, .item = item, .node = node, .random = count};
        for (size_t k = 0; k < count; k++) b.item[k] = (uint32_t)k;
        box_tree_make_nodes(&b, count);
        *out = (rps_box_tree){node, count};
    }
    rps_memory_release(allocator, item, item_bytes);
    return status;
}

size_t rps_box_tree_bytes(const rps_box_tree *tree) {
    return tree->items > 0 ? (2 * tree->items - 1) * sizeof *tree->node : 0;
}

void rps_box_tree_release(const rps_allocator *allocator, rps_box_tree *tree) {
    if (tree->node != NULL) rps_memory_release(allocator, tree->node, rps_box_tree_bytes(tree));
    *tree = (rps_box_tree){0};
}

/* --- tests of boxes ----------------------------------------------------------------------------------------------- */

/* Margin for the rounding of the tests, relative to their coordinates. */
#define SLACK 1e-12

static rps_vec3 center_of_node(const rps_box_node *n) {
    return rps_vec3_make(0.5 * ((double)n->low[0] + (double)n->high[0]), 0.5 * ((double)n->low[1] + (double)n->high[1]),
                         0.5 * ((double)n->low[2] + (double)n->high[2]));
}

static void half_of_node(const rps_box_node *n, double half[3]) {
    for (int k = 0; k < 3; k++) half[k] = 0.5 * ((double)n->high[k] - (double)n->low[k]);
}

static double box_tree_size_of(rps_vec3 d) {
    return (fabs(d.x) + fabs(d.y)) + fabs(d.z);
}

/* Two boxes, the second turned, with d from the first center to the second in the axes of the first: none of the six
 * axes of both separates them by more than margin. Non-finite numbers separate nothing. */
static bool boxes_near(const double half[3], rps_vec3 d, const rps_mat3 *turn, const double other[3], double margin) {
    const double x[3] = {d.x, d.y, d.z};
    margin += SLACK * (((half[0] + half[1]) + half[2]) + ((other[0] + other[1]) + other[2]));
    for (int k = 0; k < 3; k++) {
        const double *row = turn->m[k];
        const double reach = (fabs(row[0]) * other[0] + fabs(row[1]) * other[1]) + fabs(row[2]) * other[2];
        if (fabs(x[k]) > (half[k] + reach) + margin) return false;
    }
    const rps_vec3 back = rps_mat3_transpose_mul_vec(turn, d);
    const double y[3] = {back.x, back.y, back.z};
    for (int k = 0; k < 3; k++) {
        const double reach =
            (fabs(turn->m[0][k]) * half[0] + fabs(turn->m[1][k]) * half[1]) + fabs(turn->m[2][k]) * half[2];
        if (fabs(y[k]) > (other[k] + reach) + margin) return false;
    }
    return true;
}

bool rps_box_nodes_near(const rps_box_node *a, const rps_box_node *b, const rps_tree_pose *pose, double margin) {
    double half_a[3], half_b[3];
    half_of_node(a, half_a);
    half_of_node(b, half_b);
    const rps_vec3 from = center_of_node(a), local = center_of_node(b);
    const rps_vec3 to = rps_vec3_add(rps_mat3_mul_vec(&pose->turn, local), pose->shift);
    const double all = (box_tree_size_of(from) + box_tree_size_of(local)) + box_tree_size_of(pose->shift);
    return boxes_near(half_a, rps_vec3_sub(to, from), &pose->turn, half_b, margin + SLACK * (all + margin));
}

static bool ball_meets(const rps_box_node *node, const rps_box_question *q, double margin) {
    const double center[3] = {q->center.x, q->center.y, q->center.z};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double under = (double)node->low[k] - center[k], over = center[k] - (double)node->high[k];
        const double apart = under > over ? under : over;
        sum += apart > 0.0 ? apart * apart : 0.0;
    }
    return !(sqrt(sum) > q->radius + margin);
}

static bool half_space_meets(const rps_box_node *node, const rps_box_question *q, double margin) {
    const double normal[3] = {q->center.x, q->center.y, q->center.z};
    double least = 0.0;
    for (int k = 0; k < 3; k++) least += normal[k] * (double)(normal[k] > 0.0 ? node->low[k] : node->high[k]);
    return !(least > q->radius + margin);
}

bool rps_box_node_meets(const rps_box_node *node, const rps_box_question *q) {
    const rps_vec3 at = center_of_node(node);
    const double all = (box_tree_size_of(at) + box_tree_size_of(q->center)) + fabs(q->radius);
    const double margin = q->margin + SLACK * (all + q->margin);
    if (q->kind == RPS_BOX_BALL) return ball_meets(node, q, margin);
    if (q->kind == RPS_BOX_BELOW) return half_space_meets(node, q, margin);
    double half[3];
    half_of_node(node, half);
    return boxes_near(half, rps_vec3_sub(q->center, at), &q->turn, q->half, margin);
}

/* --- searches ----------------------------------------------------------------------------------------------------- */

bool rps_box_tree_find(const rps_box_tree *tree, const rps_box_question *question, rps_box_visit visit, void *context) {
    uint32_t waiting[DEPTH] = {0};
    for (int n = 1; n > 0;) {
        const uint32_t number = waiting[--n];
        const rps_box_node *node = &tree->node[number];
        if (!rps_box_node_meets(node, question)) continue;
        if (node->second == 0) {
            if (!visit(context, node)) return false;
            continue;
        }
        waiting[n++] = node->second;
        waiting[n++] = number + 1;
    }
    return true;
}

static double distance2_of(const rps_box_node *node, const double point[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double under = (double)node->low[k] - point[k], over = point[k] - (double)node->high[k];
        const double apart = under > over ? under : over;
        sum += apart > 0.0 ? apart * apart : 0.0;
    }
    return sum;
}

void rps_box_tree_find_near(const rps_box_tree *tree, rps_vec3 point, double radius, rps_box_near_visit visit,
                            void *context) {
    struct {
        uint32_t node;
        double distance2;
    } waiting[DEPTH];
    const double at[3] = {point.x, point.y, point.z};
    double all = box_tree_size_of(point), half[3];
    half_of_node(&tree->node[0], half);
    all += (box_tree_size_of(center_of_node(&tree->node[0])) + half[0]) + (half[1] + half[2]);
    double most = radius + SLACK * (all + radius), most2 = most * most;
    waiting[0].node = 0;
    waiting[0].distance2 = distance2_of(&tree->node[0], at);
    for (int n = 1; n > 0;) {
        n--;
        if (waiting[n].distance2 > most2) continue;
        const uint32_t number = waiting[n].node;
        const rps_box_node *node = &tree->node[number];
        if (node->second == 0) {
            visit(context, node->item, &radius);
            most = radius + SLACK * (all + radius);
            most2 = most * most;
            continue;
        }
        const uint32_t child[2] = {number + 1, node->second};
        const double distance2[2] = {distance2_of(&tree->node[child[0]], at), distance2_of(&tree->node[child[1]], at)};
        const int far = distance2[1] >= distance2[0];
        for (int k = 0; k < 2; k++) { /* the nearer one on top */
            const int which = k == 0 ? far : !far;
            if (distance2[which] > most2) continue;
            waiting[n].node = child[which];
            waiting[n++].distance2 = distance2[which];
        }
    }
}

static double width_of(const rps_box_node *n) {
    return (((double)n->high[0] - (double)n->low[0]) + ((double)n->high[1] - (double)n->low[1])) +
           ((double)n->high[2] - (double)n->low[2]);
}

bool rps_box_tree_find_pairs(const rps_box_tree *a, const rps_box_tree *b, const rps_tree_pose *pose, double margin,
                             rps_box_pair_visit visit, void *context) {
    uint32_t waiting[2 * DEPTH][2] = {{0, 0}};
    for (int n = 1; n > 0;) {
        n--;
        const uint32_t p = waiting[n][0], q = waiting[n][1];
        const rps_box_node *one = &a->node[p], *two = &b->node[q];
        if (!rps_box_nodes_near(one, two, pose, margin)) continue;
        if (one->second == 0 && two->second == 0) {
            if (!visit(context, one, two)) return false;
            continue;
        }
        /* descend into the wider one, so that both descend together */
        const bool open_a = two->second == 0 || (one->second != 0 && width_of(one) >= width_of(two));
        waiting[n][0] = open_a ? one->second : p;
        waiting[n++][1] = open_a ? q : two->second;
        waiting[n][0] = open_a ? p + 1 : p;
        waiting[n++][1] = open_a ? q : q + 1;
    }
    return true;
}
