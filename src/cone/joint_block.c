/* The free rows of all joints as one block. Gauss-Seidel from joint to joint takes a number of sweeps that grows with the
 * square of the length of a chain, and with the ratio of its masses; here one sparse factorisation per step solves
 * chains, trees and loops exactly, and sweeps are left to contacts and to rows with bounds.
 *
 * With the rows scaled by E^1/2 and M^-1 = L L', J^ = E^1/2 J L, the impulses' change y = E^-1/2 dg for velocities b
 * solves (J^ J^' + C^ + shift) y = -b. It is found from
 *
 *     | 1   J^'           | |z|   |0|
 *     | J^  -(C^ + shift) | |y| = |b|
 *
 * whose size and number of entries grow linearly even where many joints share one body. The shift keeps redundant rows
 * solvable: they get the nearest impulses, and what the shift leaves vanishes over the next sweeps.
 *
 * Rows with bounds (stops, friction, bounded drives) are swept on what the free rows leave of them: the Schur complement
 *
 *     S = W_bb - W_bf W_ff^-1 W_fb
 *
 * has one column by one solution each, so a stop at the end of a chain meets the whole chain. By its own pair alone, which moves more
 * easily, it would take hundreds of sweeps. */
#include <math.h>
#include <string.h>

#include "elimination.h"
#include "packed.h"

enum { MOST_BOXES = 64, BOX_ROUNDS = 200 }; /* S takes a solution each, and a round its square */
#define MOVABLE 1e-7 /* of the scaled diagonal of S: what the free rows hold, or nearly, is solved pair by pair */

struct rps_cone_joint_block {
    size_t nodes, rows, size; /* those that take part; size = 6 nodes + rows */
    uint32_t *node, *free;    /* [nodes] of the system; [rows] free rows of the system */
    uint32_t *number;         /* [nodes of the system] place among `node` */
    int *start, *row;
    double *value, *x;
    uint32_t *place; /* [rows of the system] of a free row among `free` */
    size_t boxes;    /* rows with bounds; 0: solved pair by pair */
    uint32_t *box;
    double *schur, *u;     /* [boxes][boxes], [boxes], scaled as the rows */
    rps_cone_order *order; /* the system's */
    klu_numeric *numeric;
};

void rps_cone_joint_block_release(rps_cone_joint_block *block) {
    if (!block) return;
    if (block->numeric) klu_free_numeric(&block->numeric, &block->order->common);
}

double rps_cone_joint_shift(const rps_cone_system *s) {
    return s->redundant ? 1e-10 : 1e-14;
}

/* Whether some node takes part in two pairs of joints: without one, pairs are solved exactly one by one. */
static bool is_connected(const rps_cone_system *s, uint32_t *pairs) {
    for (size_t j = 0; j < s->joints; j++) {
        const rps_cone_joint *joint = &s->joint[j];
        if (joint->rows == joint->boxes) continue;
        const rps_cone_joint_row *row = &s->row[s->order[joint->first]];
        for (int side = 0; side < rps_cone_row_sides(row); side++) {
            const uint32_t node = row->node[side];
            if (node != RPS_CONE_NO_NODE && pairs[node]++ > 0) return true;
        }
    }
    return false;
}

void rps_cone_times_inertia_root(const rps_cone_node *node, const double *j, double *out) {
    const double *i = node->inverse_inertia, m = sqrt(node->inverse_mass);
    const double a = sqrt(i[0]), b = a > 0 ? i[5] / a : 0, c = a > 0 ? i[4] / a : 0;
    const double dd = i[1] - b * b, d = dd > 0 ? sqrt(dd) : 0, e = d > 0 ? (i[3] - b * c) / d : 0;
    const double ff = i[2] - c * c - e * e, f = ff > 0 ? sqrt(ff) : 0;
    for (int k = 0; k < 3; k++) out[k] = m * j[k];
    out[3] = a * j[3] + b * j[4] + c * j[5];
    out[4] = d * j[4] + e * j[5];
    out[5] = f * j[5];
}

static void joint_block_put(rps_cone_joint_block *block, int *at, size_t row, double value) {
    block->row[*at] = (int)row;
    block->value[(*at)++] = value;
}

/* Scaled row `k` of side `side`, as rps_cone_times_inertia_root gives it. */
static void scaled(const rps_cone_system *s, size_t k, int side, double *out) {
    const double root = sqrt(s->joint_eta[k]);
    rps_cone_times_inertia_root(&s->node[s->row[k].node[side]], s->row[k].jacobian[side], out);
    for (int a = 0; a < 6; a++) out[a] *= root;
}

static void fill_matrix(const rps_cone_system *s, rps_cone_joint_block *block, const uint32_t *place, double shift) {
    int at = 0;
    for (size_t n = 0; n < block->nodes; n++) {
        const size_t node = block->node[n];
        for (size_t a = 0; a < 6; a++) {
            block->start[6 * n + a] = at;
            joint_block_put(block, &at, 6 * n + a, 1);
            for (size_t i = s->start[node]; i < s->start[node + 1]; i++) {
                const size_t item = s->item[i] / RPS_CONE_SIDES;
                if (item < s->contacts || rps_cone_row_is_box(&s->row[item - s->contacts])) continue;
                double j[6];
                scaled(s, item - s->contacts, (int)(s->item[i] % RPS_CONE_SIDES), j);
                joint_block_put(block, &at, 6 * block->nodes + place[item - s->contacts], j[a]);
            }
        }
    }
    for (size_t k = 0; k < block->rows; k++) {
        const size_t row = block->free[k];
        block->start[6 * block->nodes + k] = at;
        for (int side = 0; side < rps_cone_row_sides(&s->row[row]); side++) {
            const uint32_t node = s->row[row].node[side];
            if (node == RPS_CONE_NO_NODE) continue;
            double j[6];
            scaled(s, row, side, j);
            for (size_t a = 0; a < 6; a++) joint_block_put(block, &at, 6 * (size_t)block->number[node] + a, j[a]);
        }
        joint_block_put(block, &at, 6 * block->nodes + k, -(s->row[row].compliance * s->joint_eta[row] + shift));
    }
    block->start[block->size] = at;
}

static void list_members(const rps_cone_system *s, rps_cone_joint_block *block, uint32_t *place) {
    memset(block->number, 0xff, s->nodes * sizeof *block->number);
    for (size_t k = 0; k < s->rows; k++) {
        if (rps_cone_row_is_box(&s->row[k])) continue;
        place[k] = (uint32_t)block->rows;
        block->free[block->rows++] = (uint32_t)k;
        for (int side = 0; side < rps_cone_row_sides(&s->row[k]); side++) {
            const uint32_t node = s->row[k].node[side];
            if (node == RPS_CONE_NO_NODE || block->number[node] != UINT32_MAX) continue;
            block->number[node] = (uint32_t)block->nodes;
            block->node[block->nodes++] = node;
        }
    }
    block->size = 6 * block->nodes + block->rows;
}

/* Velocity of all free rows by a unit impulse of a box, into y. */
static void box_pushes(const rps_cone_system *s, const rps_cone_joint_block *block, size_t box, double *y) {
    const rps_cone_joint_row *from = &s->row[box];
    memset(y, 0, block->rows * sizeof *y);
    for (int side = 0; side < rps_cone_row_sides(from); side++) {
        const uint32_t node = from->node[side];
        if (node == RPS_CONE_NO_NODE) continue;
        for (size_t i = s->start[node]; i < s->start[node + 1]; i++) {
            const size_t item = s->item[i] / RPS_CONE_SIDES;
            if (item < s->contacts || rps_cone_row_is_box(&s->row[item - s->contacts])) continue;
            const size_t k = item - s->contacts;
            y[block->place[k]] =
                sqrt(s->joint_eta[k] * s->joint_eta[box]) * rps_cone_joint_product(s, &s->row[k], from);
        }
    }
}

/* Velocity of a box that the free rows take back, from the solution z of the nodes. */
static double answer_of(const rps_cone_system *s, const rps_cone_joint_block *block, size_t box) {
    double sum = 0;
    for (int side = 0; side < rps_cone_row_sides(&s->row[box]); side++) {
        const uint32_t node = s->row[box].node[side];
        if (node == RPS_CONE_NO_NODE || block->number[node] == UINT32_MAX) continue;
        double j[6];
        scaled(s, box, side, j);
        for (size_t a = 0; a < 6; a++) sum += j[a] * block->x[6 * (size_t)block->number[node] + a];
    }
    return sum;
}

/* x of the right side in it. */
static void joint_block_factors(rps_cone_joint_block *block) {
    klu_solve(block->order->symbolic, block->numeric, (int)block->size, 1, block->x, &block->order->common);
}

/* Fills S; false if a row with bounds is held by free rows, so that S says nothing of it. */
static bool fill_schur(const rps_cone_system *s, rps_cone_joint_block *block) {
    const size_t n = block->boxes;
    double *y = block->x + 6 * block->nodes;
    for (size_t j = 0; j < n; j++) {
        memset(block->x, 0, 6 * block->nodes * sizeof *block->x);
        box_pushes(s, block, block->box[j], y);
        joint_block_factors(block);
        for (size_t i = 0; i < n; i++) {
            const double scale = sqrt(s->joint_eta[block->box[i]] * s->joint_eta[block->box[j]]);
            const double alone = scale * rps_cone_joint_product(s, &s->row[block->box[i]], &s->row[block->box[j]]);
            block->schur[i * n + j] = alone - answer_of(s, block, block->box[i]);
        }
        if (!(block->schur[j * n + j] > MOVABLE)) return false;
    }
    return true;
}

static rps_status add_boxes(rps_cone_system *s, rps_cone_joint_block *block, rps_error *err) {
    const size_t boxes = s->rows - block->rows;
    if (boxes == 0 || boxes > MOST_BOXES) return RPS_OK;
    RPS_TRY(rps_cone_take(s, boxes, sizeof *block->box, &block->box, err));
    RPS_TRY(rps_cone_take(s, boxes * boxes, sizeof *block->schur, &block->schur, err));
    RPS_TRY(rps_cone_take(s, boxes, sizeof *block->u, &block->u, err));
    for (size_t k = 0; k < s->rows; k++) {
        if (rps_cone_row_is_box(&s->row[k])) block->box[block->boxes++] = (uint32_t)k;
    }
    if (!fill_schur(s, block)) block->boxes = 0;
    return RPS_OK;
}

bool rps_cone_joint_block_has_boxes(const rps_cone_joint_block *block) {
    return block->boxes > 0;
}

rps_status rps_cone_joint_block_make(rps_cone_system *s, rps_error *err) {
    uint32_t *place, *pairs;
    rps_cone_joint_block *block;
    s->joint_block = NULL;
    if (s->joints < 2) return RPS_OK;
    RPS_TRY(rps_cone_take(s, s->nodes, sizeof *pairs, &pairs, err));
    if (!is_connected(s, pairs)) return RPS_OK;
    RPS_TRY(rps_cone_take(s, 1, sizeof *block, &block, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *place, &place, err));
    RPS_TRY(rps_cone_take(s, s->nodes, sizeof *block->node, &block->node, err));
    RPS_TRY(rps_cone_take(s, s->nodes, sizeof *block->number, &block->number, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *block->free, &block->free, err));
    block->place = place;
    list_members(s, block, place);
    const size_t entries = 6 * block->nodes + (12 * RPS_CONE_SIDES + 1) * block->rows;
    if (entries > INT32_MAX / 4) return RPS_OK; /* too large to factorise: pairs are swept */
    RPS_TRY(rps_cone_take(s, block->size + 1, sizeof *block->start, &block->start, err));
    RPS_TRY(rps_cone_take(s, entries, sizeof *block->row, &block->row, err));
    RPS_TRY(rps_cone_take(s, entries, sizeof *block->value, &block->value, err));
    RPS_TRY(rps_cone_take(s, block->size, sizeof *block->x, &block->x, err));
    fill_matrix(s, block, place, rps_cone_joint_shift(s));
    RPS_TRY(rps_cone_order_make(&s->joint_order, s->allocator, block->size, block->start, block->row, err));
    block->order = s->joint_order;
    block->numeric = klu_factor(block->start, block->row, block->value, block->order->symbolic, &block->order->common);
    if (!block->numeric) return RPS_OK; /* pairs are swept */
    s->joint_block = block;
    return add_boxes(s, block, err);
}

/* Changes the impulse of a row, and the velocities of its nodes. */
static void move_impulse(rps_cone_system *s, size_t row, double moved, double *g) {
    g[row] += moved;
    for (int side = 0; side < rps_cone_row_sides(&s->row[row]); side++) {
        const uint32_t node = s->row[row].node[side];
        if (node == RPS_CONE_NO_NODE) continue;
        double load[6];
        for (int a = 0; a < 6; a++) load[a] = s->row[row].jacobian[side][a] * moved;
        rps_cone_node_push(&s->node[node], load, s->v[node]);
    }
}

static void solve_free_rows(rps_cone_system *s, double *g) {
    rps_cone_joint_block *block = s->joint_block;
    double *y = block->x + 6 * block->nodes;
    memset(block->x, 0, 6 * block->nodes * sizeof *block->x);
    for (size_t k = 0; k < block->rows; k++) {
        const size_t row = block->free[k];
        const double u = rps_cone_joint_velocity(&s->row[row], s->v) + s->row[row].bias;
        y[k] = (u + s->row[row].compliance * g[row]) * sqrt(s->joint_eta[row]);
    }
    joint_block_factors(block);
    for (size_t k = 0; k < block->rows; k++) {
        const size_t row = block->free[k];
        move_impulse(s, row, y[k] * sqrt(s->joint_eta[row]), g);
    }
}

/* Sweeps over S, once the free rows are solved: their velocities stay. */
static void solve_boxes(rps_cone_system *s, double *g) {
    rps_cone_joint_block *block = s->joint_block;
    const size_t n = block->boxes;
    double *u = block->u;
    for (size_t i = 0; i < n; i++) {
        const rps_cone_joint_row *row = &s->row[block->box[i]];
        u[i] = rps_cone_joint_velocity(row, s->v) + row->bias + row->compliance * g[block->box[i]];
        u[i] *= sqrt(s->joint_eta[block->box[i]]);
    }
    for (int round = 0; round < BOX_ROUNDS; round++) {
        double change = 0, size = 0;
        for (size_t i = 0; i < n; i++) {
            const size_t k = block->box[i];
            const double root = sqrt(s->joint_eta[k]), last = g[k];
            double next = last - root * u[i] / block->schur[i * n + i];
            next = next < s->low[k] ? s->low[k] : next;
            next = next > s->high[k] ? s->high[k] : next;
            const double moved = (next - last) / root;
            for (size_t l = 0; l < n && moved != 0; l++) u[l] += block->schur[l * n + i] * moved;
            if (moved != 0) move_impulse(s, k, next - last, g);
            change = fabs(moved) > change ? fabs(moved) : change;
            size = fabs(next / root) > size ? fabs(next / root) : size;
        }
        if (n < 2 || change <= 1e-14 * size) break;
    }
}

void rps_cone_joint_block_solve(rps_cone_system *s, double *g) {
    solve_free_rows(s, g);
    if (s->joint_block->boxes == 0) return;
    solve_boxes(s, g);
    solve_free_rows(s, g);
}
