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
 * solvable: they get the nearest impulses, and what the shift leaves vanishes over the next sweeps. */
#include <suitesparse/klu.h>

#include <math.h>
#include <string.h>

#include "packed.h"

#define SHIFT 1e-14           /* of the scaled diagonal, which is 1: well above rounding in a factor */
#define SHIFT_REDUNDANT 1e-10 /* where rows are known to follow from others */

struct rps_cone_joint_block {
    size_t nodes, rows, size; /* those that take part; size = 6 nodes + rows */
    uint32_t *node, *free;    /* [nodes] of the system; [rows] free rows of the system */
    uint32_t *number;         /* [nodes of the system] place among `node` */
    int *start, *row;
    double *value, *x;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

void rps_cone_joint_block_release(rps_cone_joint_block *block) {
    if (!block) return;
    if (block->numeric) klu_free_numeric(&block->numeric, &block->common);
    if (block->symbolic) klu_free_symbolic(&block->symbolic, &block->common);
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

/* L of M^-1 = L L' of a node, rows of J times it: out = j L. A node that does not turn about some axis has a row of zeros. */
static void times_inertia_root(const rps_cone_node *node, const double *j, double *out) {
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

/* Scaled row `k` of side `side`, as times_inertia_root gives it. */
static void scaled(const rps_cone_system *s, size_t k, int side, double *out) {
    const double root = sqrt(s->joint_eta[k]);
    times_inertia_root(&s->node[s->row[k].node[side]], s->row[k].jacobian[side], out);
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

rps_status rps_cone_joint_block_make(rps_cone_system *s, bool redundant, rps_error *err) {
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
    list_members(s, block, place);
    const size_t entries = 6 * block->nodes + (12 * RPS_CONE_SIDES + 1) * block->rows;
    if (entries > INT32_MAX / 4) return RPS_OK; /* too large to factorise: pairs are swept */
    RPS_TRY(rps_cone_take(s, block->size + 1, sizeof *block->start, &block->start, err));
    RPS_TRY(rps_cone_take(s, entries, sizeof *block->row, &block->row, err));
    RPS_TRY(rps_cone_take(s, entries, sizeof *block->value, &block->value, err));
    RPS_TRY(rps_cone_take(s, block->size, sizeof *block->x, &block->x, err));
    fill_matrix(s, block, place, redundant ? SHIFT_REDUNDANT : SHIFT);
    klu_defaults(&block->common);
    block->symbolic = klu_analyze((int)block->size, block->start, block->row, &block->common);
    if (block->symbolic)
        block->numeric = klu_factor(block->start, block->row, block->value, block->symbolic, &block->common);
    if (block->numeric) {
        s->joint_block = block;
    } else {
        rps_cone_joint_block_release(block); /* pairs are swept */
    }
    return RPS_OK;
}

void rps_cone_joint_block_solve(rps_cone_system *s, double *g) {
    rps_cone_joint_block *block = s->joint_block;
    double *y = block->x + 6 * block->nodes;
    memset(block->x, 0, 6 * block->nodes * sizeof *block->x);
    for (size_t k = 0; k < block->rows; k++) {
        const size_t row = block->free[k];
        const double u = rps_cone_joint_velocity(&s->row[row], s->v) + s->row[row].bias;
        y[k] = (u + s->row[row].compliance * g[row]) * sqrt(s->joint_eta[row]);
    }
    klu_solve(block->symbolic, block->numeric, (int)block->size, 1, block->x, &block->common);
    for (size_t k = 0; k < block->rows; k++) {
        const size_t row = block->free[k];
        const double moved = y[k] * sqrt(s->joint_eta[row]);
        g[row] += moved;
        for (int side = 0; side < rps_cone_row_sides(&s->row[row]); side++) {
            const uint32_t node = s->row[row].node[side];
            if (node == RPS_CONE_NO_NODE) continue;
            double load[6];
            for (int a = 0; a < 6; a++) load[a] = s->row[row].jacobian[side][a] * moved;
            rps_cone_node_push(&s->node[node], load, s->v[node]);
        }
    }
}
