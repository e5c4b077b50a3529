/*
 * Contacts of boxes and capsules with each other, with spheres and with planes: RPS_WIDE of a batch at a time.
 *
 * A contact is one feature of its pair (detect/pair_core.h). The entries of a batch are sorted into groups of one kind, and
 * detect/touch_core_kernel.c finds a group at once. Bodies of several pieces and images of held bodies are left to
 * general_geometry.c, which has the same formulas.
 */
#include "step/general_geometry.h"

#include <math.h>
#include <stdint.h>

#include "base/simd.h"
#include "detect/core_features.h"
#include "detect/image.h"
#include "detect/pair_core.h"
#include "detect/touch_core.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

enum { BALLS, EDGES, CORNERS, GROUPS };

static rps_core_touch_fn *const balls_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_core_balls);
static rps_core_touch_fn *const edges_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_core_edges);
static rps_core_touch_fn *const corners_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_core_corners);

/* Contacts of one kind. */
typedef struct core_group {
    rps_core_group lanes;
    int n;
    int entry[RPS_CORE_GROUP];   /* of the batch */
    bool turned[RPS_CORE_GROUP]; /* the first body is j */
    double deep[RPS_CORE_GROUP]; /* m, overlaps above are deep */
    unsigned endless[RPS_CORE_GROUP];
} core_group;

/* A pair of bodies with what all its features share. The features of a pair follow each other, and bodies of the same pieces
 * share their cores with the pair before. Of i and j: */
typedef struct core_pair {
    size_t slot[2];
    bool plane[2];
    const rps_piece *piece[2]; /* NULL: a sphere or a plane */
    rps_shape_core core[2];    /* for this contact; not read of a plane */
    unsigned vertices[2], edges_of_j;
    double bend[2], half_width[2]; /* 1/m; m, 0 of a plane */
    bool mine;                     /* a pair of this file */
    double width, cut;             /* m */
    double curve_floor;            /* 1/m */
    double cutoff;                 /* m, of a new contact */
    unsigned endless;              /* of rps_touch */
} core_pair;

typedef struct core_batch {
    const rps_batch_task *task;
    rps_lanes *lanes;
    core_pair pair;
    core_group group[GROUPS];
} core_batch;

/* False unless the body is one core in the axes of the body, or a plane. */
static bool set_core(const rps_world *world, size_t slot, core_pair *pair, int side) {
    const rps_bodies *bodies = &world->bodies;
    const rps_piece *piece = rps_body_pieces(world, slot);
    pair->piece[side] = piece;
    pair->plane[side] = piece == NULL && rps_body_is_plane(bodies, slot);
    pair->vertices[side] = 0;
    if (pair->plane[side]) return true;
    pair->core[side] = (rps_shape_core){.radius = bodies->pose[slot].radius[0]};
    if (piece != NULL) {
        const rps_shape *shape = rps_shape_at((int)piece->shape);
        if (shape->core == NULL || rps_shape_is_sheet(shape)) return false;
        pair->core[side] = shape->core(piece->parameter);
    }
    pair->vertices[side] = rps_core_vertices(&pair->core[side]);
    return true;
}

/* Sets all that depends on the shapes of both bodies alone; false unless the pair is for this file. */
static bool set_cores(const rps_world *world, core_pair *pair) {
    const size_t i = pair->slot[0], j = pair->slot[1];
    if (!set_core(world, i, pair, 0) || !set_core(world, j, pair, 1)) return false;
    if (pair->vertices[0] <= 1 && pair->vertices[1] <= 1) return false;
    const bool edges = pair->vertices[0] > 1 && pair->vertices[1] > 1, wall = pair->plane[0] || pair->plane[1];
    for (int side = 0; side < 2; side++) {
        rps_shape_core *core = &pair->core[side];
        const double half = rps_body_half_width(world, pair->slot[side]);
        pair->half_width[side] = half < INFINITY ? half : 0.0;
        if (edges) *core = rps_core_for_contact(core);
        if (!pair->plane[side]) pair->bend[side] = rps_core_bend(core);
    }
    pair->width = wall ? rps_core_width(&pair->core[pair->plane[0] ? 1 : 0])
                       : rps_core_smaller_width(&pair->core[0], &pair->core[1]);
    pair->cut = edges ? rps_core_cut(&pair->core[0], &pair->core[1]) : 0.0;
    pair->edges_of_j = edges ? rps_core_edges(&pair->core[1]) : 0;
    pair->curve_floor = rps_pair_curvature_floor(world, i, j);
    pair->endless = rps_image_of_plane(world, pair->plane[0], pair->plane[1]);
    return true;
}

/* Bodies of several pieces, and images of held bodies (image.h), are not for this file. */
static bool is_core_body(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    if (!rps_body_has_pieces(bodies, slot) && rps_body_is_plane(bodies, slot)) return true;
    if (world->cell.periodic && bodies->kind[slot][0] != RPS_BODY_FREE) return false;
    return rps_body_piece_count(bodies, slot) <= 1;
}

static void set_core_pair(const rps_batch_task *task, core_pair *pair, size_t i, size_t j) {
    const rps_world *world = task->all->shapes->world;
    const rps_pose *pose = task->all->bodies.pose;
    const rps_piece *a = rps_body_pieces(world, i), *b = rps_body_pieces(world, j);
    const bool same = pair->mine && a != NULL && b != NULL && a == pair->piece[0] && b == pair->piece[1];
    pair->slot[0] = i;
    pair->slot[1] = j;
    pair->mine = is_core_body(world, i) && is_core_body(world, j) && (same || set_cores(world, pair));
    pair->cutoff = task->pair->cutoff * rps_pair_smaller_radius(pose[i].radius[0], pose[j].radius[0]);
}

/* --- into a group ---------------------------------------------------------------------------------------------------- */

static void set_three(rps_core_lane *lane, int m, rps_vec3 v) {
    lane[0][m] = v.x;
    lane[1][m] = v.y;
    lane[2][m] = v.z;
}

static void set_core_body(const core_batch *b, rps_core_body *to, int m, int side) {
    const double *q = b->task->all->bodies.orientation[b->pair.slot[side]];
    for (int k = 0; k < 4; k++) to->turn[k][m] = q[k];
    to->radius[m] = b->pair.core[side].radius;
    to->bend[m] = b->pair.bend[side];
}

static void set_edge(rps_core_body *to, int m, const rps_core_edge *edge) {
    set_three(to->point, m, edge->middle);
    set_three(to->along, m, rps_vec3_make(edge->axis == 0, edge->axis == 1, edge->axis == 2));
    to->half[0][m] = edge->half;
    to->taper[m] = edge->taper;
}

/* Lanes of an entry that do not depend on where it touches. */
static void set_core_scales(const core_batch *b, int c) {
    rps_lanes *l = b->lanes;
    l->general[c] = 1.0;
    l->radius_i[c] = b->pair.half_width[0];
    l->radius_j[c] = b->pair.half_width[1];
    l->curve_floor[c] = b->pair.curve_floor;
    for (int k = 0; k < 3; k++) l->gradient_i[k][c] = l->gradient_j[k][c] = 0.0;
}

/* Puts an entry into the group of its kind; returns the group. */
static core_group *set_feature(core_batch *b, int c, unsigned feature, bool existed) {
    const core_pair *pair = &b->pair;
    const rps_shape_core *core = pair->core;
    const bool wall = pair->plane[0] || pair->plane[1];
    const rps_core_kind kind = wall ? pair->plane[0] ? RPS_CORE_VERTEX_OF_J : RPS_CORE_VERTEX_OF_I
                                    : rps_core_kind_of(pair->vertices[0], pair->vertices[1], &feature);
    core_group *g = &b->group[wall ? CORNERS : kind == RPS_CORE_EDGES ? EDGES : BALLS];
    const bool turned = kind == RPS_CORE_VERTEX_OF_J;
    const int m = g->n++, first = turned ? 1 : 0, second = 1 - first;
    const double sign = turned ? -1.0 : 1.0;
    rps_core_body *body = g->lanes.body;
    g->entry[m] = c;
    g->turned[m] = turned;
    g->endless[m] = pair->endless;
    for (int k = 0; k < 3; k++) g->lanes.d[k][m] = sign * b->lanes->d[k][c];
    g->lanes.cutoff[m] = existed ? INFINITY : pair->cutoff;
    set_core_body(b, &body[0], m, first);
    if (kind == RPS_CORE_EDGES) {
        const rps_core_edge a = rps_core_edge_in(&core[0], feature / pair->edges_of_j, pair->cut),
                            e = rps_core_edge_in(&core[1], feature % pair->edges_of_j, pair->cut);
        g->deep[m] = rps_core_deep_edges(pair->width, core[0].radius + core[1].radius);
        set_core_body(b, &body[1], m, 1);
        set_edge(&body[0], m, &a);
        set_edge(&body[1], m, &e);
        return g;
    }
    g->deep[m] = rps_core_deep(pair->width);
    set_three(body[0].point, m, rps_core_vertex_in(&core[first], feature));
    if (wall) {
        set_three(body[1].along, m, rps_vec3_of(b->task->all->bodies.normal[pair->slot[second]]));
        return g;
    }
    set_core_body(b, &body[1], m, second);
    for (int k = 0; k < 3; k++) body[1].half[k][m] = core[second].half[k];
    return g;
}

/* Repeats the last full lane in the empty ones. */
static void fill_core_lanes(rps_core_group *group, int n) {
    double *lane = group->d[0];
    for (size_t k = 0; k < sizeof *group / sizeof(rps_core_lane); k++, lane += RPS_CORE_GROUP) {
        for (int m = n; m < RPS_CORE_GROUP; m++) lane[m] = lane[n - 1];
    }
}
_Static_assert(sizeof(rps_core_group) % sizeof(rps_core_lane) == 0, "a group is lanes alone");

/* --- out of a group -------------------------------------------------------------------------------------------------- */

/* Half the trace of the shape operator in lane m: the mean curvature. */
static double core_mean(rps_core_lane *curve, int m) {
    return 0.5 * ((curve[0][m] + curve[1][m]) + curve[2][m]);
}

static void take_core(core_batch *b, core_group *g, int m, bool edges) {
    rps_lanes *l = b->lanes;
    rps_core_group *found = &g->lanes;
    const int c = g->entry[m];
    const double overlap = found->overlap[m], sign = g->turned[m] ? -1.0 : 1.0;
    if (overlap < -found->cutoff[m]) {
        const double most = -found->cutoff[m] * (1.0 + 1e-9); /* beyond every reach */
        rps_geometry_apart(b->task, l, c, overlap < most ? overlap : most);
        return;
    }
    rps_core_body *i = &found->body[g->turned[m] ? 1 : 0], *j = &found->body[g->turned[m] ? 0 : 1];
    l->gap_overlap[c] = overlap;
    for (int k = 0; k < 3; k++) {
        l->normal[k][c] = sign * found->normal[k][m];
        l->branch_i[k][c] = i->branch[k][m];
        l->branch_j[k][c] = j->branch[k][m];
    }
    for (int k = 0; k < 6; k++) {
        l->curve_i[k][c] = i->curve[k][m];
        l->curve_j[k][c] = j->curve[k][m];
    }
    const double mean = core_mean(found->body[0].curve, m) + (edges ? core_mean(found->body[1].curve, m) : 0.0);
    l->radius_eff[c] = 1.0 / (mean > l->curve_floor[c] ? mean : l->curve_floor[c]); /* a vertex is a ball */
    if (overlap > g->deep[m] && !b->task->all->energy_only) l->beyond_guard = 1;
    if (g->endless[m] == 0) return;
    rps_geometry_follow_images(b->task, c, g->endless[m],
                               rps_vec3_make(i->branch[0][m], i->branch[1][m], i->branch[2][m]),
                               rps_vec3_make(j->branch[0][m], j->branch[1][m], j->branch[2][m]));
}

static void find_core_group(core_batch *b, core_group *g) {
    const int kind = (int)(g - b->group);
    if (g->n == 0) return;
    rps_core_touch_fn *const *of = kind == BALLS ? balls_of : kind == EDGES ? edges_of : corners_of;
    fill_core_lanes(&g->lanes, g->n);
    of[b->task->all->isa](&g->lanes, g->n);
    for (int m = 0; m < g->n; m++) take_core(b, g, m, kind == EDGES);
    g->n = 0;
}

uint64_t rps_core_geometry(const rps_batch_task *task, rps_lanes *lanes, uint64_t done) {
    if (task->all->dimension == 2 || task->pair->lines) return 0;
    uint64_t left = rps_low_bits(task->n) & ~done, mine = 0;
    const double *modes = rps_batch_lane(task, rps_batch_layout(task)->modes);
    core_batch b;
    b.task = task;
    b.lanes = lanes;
    b.pair.slot[0] = b.pair.slot[1] = SIZE_MAX;
    b.pair.mine = false;
    for (int k = 0; k < GROUPS; k++) b.group[k].n = 0;
    while (left != 0) {
        const int c = rps_next_bit(&left);
        const size_t i = task->slot_i[c], j = task->slot_j[c];
        if (b.pair.slot[0] != i || b.pair.slot[1] != j) set_core_pair(task, &b.pair, i, j);
        if (!b.pair.mine) continue;
        mine |= UINT64_C(1) << c;
        set_core_scales(&b, c);
        core_group *g =
            set_feature(&b, c, task->subkey != NULL ? rps_subkey_touch(task->subkey[c]) : 0, modes[c] > 0.5);
        if (g->n == RPS_CORE_GROUP) find_core_group(&b, g);
    }
    for (int k = 0; k < GROUPS; k++) find_core_group(&b, &b.group[k]);
    return mine;
}
