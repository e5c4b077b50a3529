/*
 * A static tree of axis-aligned boxes that finds the boxes near a given object in logarithmic time.
 *
 * A binary tree of bounding boxes with one box a leaf, built once by median splits along the longest axis of the
 * centers. Nodes lie in preorder: the first child follows its parent, and subtrees are contiguous. Numbers are single
 * precision, rounded outward, so that a node takes 32 bytes and a query never misses a box. The boxes do not move: a
 * query is stated in the axes of the tree, which may be those of a body. The tree depends only on the boxes and their
 * order.
 */
#ifndef RPS_BASE_BOX_TREE_H
#define RPS_BASE_BOX_TREE_H

#include <stdint.h>

#include "base/array.h"
#include "base/vec.h"

typedef struct rps_box {
    double low[3], high[3]; /* m */
} rps_box;

typedef struct rps_box_node {
    float low[3], high[3]; /* m */
    uint32_t second;       /* number of the second child; 0: a leaf */
    uint32_t item;         /* of a leaf: number of its box as given */
} rps_box_node;

typedef struct rps_box_tree {
    rps_box_node *node; /* 2 items - 1 */
    size_t items;
} rps_box_tree;

enum { RPS_BOX_TREE_MOST = INT32_MAX /* boxes */ };

/* A query object, in the axes of the tree. */
typedef struct rps_box_question {
    enum { RPS_BOX_BALL, RPS_BOX_TURNED, RPS_BOX_BELOW } kind;
    rps_vec3 center; /* m, of a ball, of a turned box; of a half-space, center . x <= radius, its unit normal */
    double radius;   /* m, of a ball; how far a half-space reaches along its normal */
    double half[3];  /* m, of a turned box, along its own axes */
    rps_mat3 turn;   /* from these to the axes of the tree */
    double margin;   /* m, how far off a box may be; of a turned box compared along its axes and those of the tree */
} rps_box_question;

/* Where a tree is, seen from another: x_seen = turn x + shift. */
typedef struct rps_tree_pose {
    rps_mat3 turn;
    rps_vec3 shift; /* m */
} rps_tree_pose;

/* Builds a tree over 1 to RPS_BOX_TREE_MOST boxes, which need not be kept; low <= high, no NaN. RPS_NO_MEMORY, RPS_BAD_INPUT
 * for their number. Give it back with rps_box_tree_release. */
rps_status rps_box_tree_build(const rps_allocator *allocator, const rps_box *box, size_t count, rps_box_tree *out,
                              rps_error *err);
/* Harmless for an empty tree. */
void rps_box_tree_release(const rps_allocator *allocator, rps_box_tree *tree);
size_t rps_box_tree_bytes(const rps_box_tree *tree);

/* Receives the leaf of a box that was found; false ends the search, which then returns false. */
typedef bool (*rps_box_visit)(void *context, const rps_box_node *leaf);
typedef bool (*rps_box_pair_visit)(void *context, const rps_box_node *leaf_a, const rps_box_node *leaf_b);

/* Finds the boxes that a question is about, and the pairs of boxes of two trees within `margin` m, compared along the axes of both
 * trees. pose: of b, seen from a. */
bool rps_box_tree_find(const rps_box_tree *tree, const rps_box_question *question, rps_box_visit visit, void *context);
bool rps_box_tree_find_pairs(const rps_box_tree *a, const rps_box_tree *b, const rps_tree_pose *pose, double margin,
                             rps_box_pair_visit visit, void *context);

/* Receives a box that is not farther than *radius from the point of a search, and may lower *radius. */
typedef void (*rps_box_near_visit)(void *context, uint32_t item, double *radius);

/* Visits the boxes that are not farther than `radius` m (may be INFINITY) from a point, and perhaps some that are by rounding
 * alone. Of two branches the nearer one comes first, so a search for the nearest box soon has a small radius. */
void rps_box_tree_find_near(const rps_box_tree *tree, rps_vec3 point, double radius, rps_box_near_visit visit,
                            void *context);

/* The tests that these make of one node and of two. A node passes if one below it does. */
bool rps_box_node_meets(const rps_box_node *node, const rps_box_question *question);
bool rps_box_nodes_near(const rps_box_node *a, const rps_box_node *b, const rps_tree_pose *pose, double margin);

#endif
