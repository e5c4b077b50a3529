/*
 * Pairs of pieces by trees; piece_pairs.h states the query.
 *
 * Two trees are traversed together; a body of few pieces queries the tree of the other for each of its pieces. In a
 * periodic world a fixed or driven body may meet the other in several images (image.h). Then the search is repeated
 * for every shift by whole periods at which the bodies come near, and a pair counts at the first shift that finds it.
 */
#include "detect/piece_pairs.h"

#include "detect/gap_table.h"
#include "detect/image.h"
#include "world/body_shape.h"

enum { SHIFTS_MOST = 512 };

/* Shifts of body i along each axis, in periods. */
typedef struct shifts {
    int first[3], count[3], all;
} shifts;

typedef struct search {
    const rps_world *world;
    uint32_t i, j;
    const rps_box_tree *tree_i, *tree_j;
    rps_mat3 turn_i, turn_j; /* from the axes of the bodies to the world's */
    rps_vec3 between;        /* m, x_i - x_j in the nearest image */
    double margin;
    shifts shifts;
    int shift; /* the present one */
    bool flip; /* the tree is that of j, `piece` one of i; else the reverse */
    uint32_t piece;
    rps_box_question question; /* of the piece, without shift */
    rps_vec3 center;           /* m, of its box or ball in world axes, from the centre of the body that has the tree */
    rps_piece_pair_visit visit;
    void *context;
} search;

static rps_mat3 turn_of(const rps_world *world, uint32_t slot) {
    const double *q = world->bodies.orientation[slot];
    return rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
}

/* Displacement of body i (m). */
static rps_vec3 shift_by(const search *s, int number) {
    double x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = (double)(s->shifts.first[k] + number % s->shifts.count[k]) * s->world->cell.period[k];
        number /= s->shifts.count[k];
    }
    return rps_vec3_of(x);
}

/* All shifts at which the spheres about both bodies may come within the margin along each axis. False if they are too
 * many. */
static bool find_shifts(search *s) {
    const rps_world *world = s->world;
    const rps_bodies *bodies = &world->bodies;
    const bool held = bodies->kind[s->i][0] != RPS_BODY_FREE || bodies->kind[s->j][0] != RPS_BODY_FREE;
    const double range = (bodies->pose[s->i].radius[0] + bodies->pose[s->j].radius[0]) + s->margin;
    const double x[3] = {s->between.x, s->between.y, s->between.z};
    const bool plane = rps_body_shape_of(&world->bodies, s->i) == RPS_BODY_PLANE ||
                       rps_body_shape_of(&world->bodies, s->j) == RPS_BODY_PLANE;
    s->shifts = (shifts){{0, 0, 0}, {1, 1, 1}, 1};
    for (int k = 0; k < 3 && held && !plane; k++) {
        if (!(world->cell.period[k] > 0.0)) continue;
        double low, high;
        rps_cell_images_along(&world->cell, k, x[k], -range, range, &low, &high);
        if (!(high - low < SHIFTS_MOST)) return false;
        s->shifts.first[k] = (int)low;
        s->shifts.count[k] = high < low ? 0 : (int)(high - low) + 1;
        s->shifts.all *= s->shifts.count[k];
        if (s->shifts.all > SHIFTS_MOST) return false;
    }
    return true;
}

/* --- one piece against a tree ------------------------------------------------------------------------------------- */

/* The query for a piece at a shift, in the axes of the body that has the tree. */
static rps_box_question question_at(const search *s, int shift) {
    rps_box_question q = s->question;
    if (q.kind == RPS_BOX_BELOW) return q;
    const rps_vec3 by = shift_by(s, shift);
    const rps_vec3 center = s->flip ? rps_vec3_add(s->center, by) : rps_vec3_sub(s->center, by);
    q.center = rps_mat3_transpose_mul_vec(s->flip ? &s->turn_j : &s->turn_i, center);
    return q;
}

static bool visit_leaf(void *context, const rps_box_node *leaf) {
    const search *s = context;
    for (int n = 0; n < s->shift; n++) {
        const rps_box_question earlier = question_at(s, n);
        if (rps_box_node_meets(leaf, &earlier)) return true;
    }
    return s->flip ? s->visit(s->context, s->piece, leaf->item) : s->visit(s->context, leaf->item, s->piece);
}

/* Queries with a piece of the body without a tree. */
static void ask_about(search *s, uint32_t piece) {
    const rps_world *world = s->world;
    const uint32_t slot = s->flip ? s->i : s->j;
    const rps_mat3 *axes = s->flip ? &s->turn_j : &s->turn_i;
    const rps_vec3 to = s->flip ? s->between : rps_vec3_neg(s->between);
    rps_side side;
    rps_vec3 offset;
    rps_pair_side(world, slot, piece, &side, &offset);
    s->piece = piece;
    s->question = (rps_box_question){.kind = RPS_BOX_BALL, .margin = s->margin};
    s->center = rps_vec3_add(to, offset);
    if (side.shape->unbounded) {
        const rps_vec3 normal = rps_vec3_of(world->bodies.normal[slot]);
        s->question.kind = RPS_BOX_BELOW;
        s->question.center = rps_mat3_transpose_mul_vec(axes, normal);
        s->question.radius = rps_vec3_dot(normal, to);
    } else if (side.shape == &rps_shape_sphere) {
        s->question.radius = side.parameter[0];
    } else {
        const rps_mat3 none = rps_mat3_identity(), turn = rps_quat_to_mat3(side.orientation);
        const rps_mat3 back = rps_mat3_transpose(axes);
        const rps_shape_bounds box = side.shape->bounds(side.parameter, &none);
        const rps_vec3 middle = rps_vec3_scale(rps_vec3_add(box.low, box.high), 0.5);
        s->question.kind = RPS_BOX_TURNED;
        rps_vec3_put(s->question.half, rps_vec3_scale(rps_vec3_sub(box.high, box.low), 0.5));
        s->question.turn = rps_mat3_mul(&back, &turn);
        s->center = rps_vec3_add(s->center, rps_mat3_mul_vec(&turn, middle));
    }
}

static void visit_by_pieces(search *s) {
    const rps_box_tree *tree = s->flip ? s->tree_j : s->tree_i;
    const int32_t given = rps_body_piece_count(&s->world->bodies, s->flip ? s->i : s->j);
    for (uint32_t piece = 0; piece < (uint32_t)(given > 1 ? given : 1); piece++) {
        ask_about(s, piece);
        for (s->shift = 0; s->shift < s->shifts.all; s->shift++) {
            const rps_box_question q = question_at(s, s->shift);
            if (!rps_box_tree_find(tree, &q, visit_leaf, s)) return;
        }
    }
}

/* --- two trees ---------------------------------------------------------------------------------------------------- */

/* Body j relative to i, which is shifted. */
static rps_tree_pose pose_at(const search *s, int shift) {
    const rps_mat3 back = rps_mat3_transpose(&s->turn_i);
    const rps_vec3 d = rps_vec3_add(s->between, shift_by(s, shift));
    return (rps_tree_pose){rps_mat3_mul(&back, &s->turn_j), rps_vec3_neg(rps_mat3_mul_vec(&back, d))};
}

static bool visit_leaves(void *context, const rps_box_node *leaf_i, const rps_box_node *leaf_j) {
    const search *s = context;
    for (int n = 0; n < s->shift; n++) {
        const rps_tree_pose earlier = pose_at(s, n);
        if (rps_box_nodes_near(leaf_i, leaf_j, &earlier, s->margin)) return true;
    }
    return s->visit(s->context, leaf_i->item, leaf_j->item);
}

static void visit_by_trees(search *s) {
    for (s->shift = 0; s->shift < s->shifts.all; s->shift++) {
        const rps_tree_pose pose = pose_at(s, s->shift);
        if (!rps_box_tree_find_pairs(s->tree_i, s->tree_j, &pose, s->margin, visit_leaves, s)) return;
    }
}

static void visit_all(const search *s) {
    const int32_t given_i = rps_body_piece_count(&s->world->bodies, s->i),
                  given_j = rps_body_piece_count(&s->world->bodies, s->j);
    for (uint32_t a = 0; a < (uint32_t)(given_i > 1 ? given_i : 1); a++) {
        for (uint32_t b = 0; b < (uint32_t)(given_j > 1 ? given_j : 1); b++) {
            if (!s->visit(s->context, a, b)) return;
        }
    }
}

void rps_piece_pairs_visit(const rps_world *world, uint32_t i, uint32_t j, double margin, rps_piece_pair_visit visit,
                           void *context) {
    search s = {.world = world, .i = i, .j = j, .margin = margin, .visit = visit, .context = context};
    const rps_collider *collider_i = rps_body_collider(world, i), *collider_j = rps_body_collider(world, j);
    s.between = rps_pair_difference(world, i, j);
    if (world->all_pieces || (collider_i == NULL && collider_j == NULL) || !find_shifts(&s)) {
        visit_all(&s);
        return;
    }
    s.turn_i = turn_of(world, i);
    s.turn_j = turn_of(world, j);
    s.tree_i = collider_i != NULL ? &collider_i->tree : NULL;
    s.tree_j = collider_j != NULL ? &collider_j->tree : NULL;
    if (collider_i != NULL && collider_j != NULL) {
        visit_by_trees(&s);
    } else {
        s.flip = collider_i == NULL;
        visit_by_pieces(&s);
    }
}
