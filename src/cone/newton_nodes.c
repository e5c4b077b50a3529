/* Newton's equations in the velocities of nodes, v = v* + M^-1 D r(D' v + b): 1 + M^-1 D (-dr/du) D', with a block
 * for each pair of nodes in contact. Redundant contacts add no unknowns. */
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "newton.h"
#include "packed.h"

enum { D = 6 };

/* A block of D H D' while it is summed up, by columns of eight numbers, two unused, so that loops over them are vectors. */
typedef double nodes_block[D][8];

typedef struct nodes_form {
    rps_cone_form form;
    rps_cone_system *s;
    size_t *start; /* [nodes + 1] */
    uint32_t *column;
    double *compliance;
    double *joint_compliance;
    double *scale;
    nodes_block *sum; /* [blocks] */
} nodes_form;

static size_t newton_nodes_lane(size_t k) {
    return k < 3 ? k : k + 1;
}

static void newton_nodes_start(void *context, const double *r, double *y) {
    const nodes_form *f = context;
    rps_cone_gather(f->s, f->s->free, r);
    for (size_t k = 0; k < D * f->s->nodes; k++) {
        y[k] = f->s->v[k / D][newton_nodes_lane(k % D)];
    }
}

static double newton_nodes_map(void *context, rps_cone_proximal *a, const double *y, double *g, bool derive) {
    const nodes_form *f = context;
    rps_cone_system *s = f->s;
    double sum = 0;
    for (size_t k = 0; k < D * s->nodes; k++) {
        s->v[k / D][newton_nodes_lane(k % D)] = y[k];
    }
    for (size_t i = 0; i < s->contacts; i++) {
        rps_cone_contact_velocity(&s->contact[i], s->v, a->u + D * i);
        for (size_t k = 0; k < D; k++) {
            a->u[D * i + k] += s->contact[i].bias[k];
        }
    }
    for (size_t k = 0; k < s->rows; k++) {
        a->u[D * s->contacts + k] = rps_cone_joint_velocity(&s->row[k], s->v) + s->row[k].bias;
    }
    rps_cone_proximal_rows(a, derive);
    rps_cone_gather(s, s->free, a->r);
    for (size_t n = 0; n < s->nodes; n++) { /* twice the kinetic energy, about */
        const double *i = s->node[n].inverse_inertia;
        double weight[2] = {s->node[n].inverse_mass, (i[0] + i[1] + i[2]) / 3};
        for (size_t k = 0; k < D; k++) {
            double left = g[D * n + k] = y[D * n + k] - s->v[n][newton_nodes_lane(k)];
            sum += weight[k / 3] > 0 ? left * left / weight[k / 3] : 0;
        }
    }
    return sum;
}

static nodes_block *pair_block(const nodes_form *f, uint32_t to, uint32_t from) {
    size_t b = f->start[to];
    while (f->column[b] != from) {
        b++;
    }
    return &f->sum[b];
}

/* sum += a b', by columns; a [8]. */
static void add_outer(nodes_block *sum, const double *a, const double *b) {
    const rps_simd4 low = {a[0], a[1], a[2], a[3]}, high = {a[4], a[5], a[6], a[7]};
    for (size_t k = 0; k < D; k++) {
        rps_simd4 *to = (rps_simd4 *)(*sum)[k];
        to[0] += b[k] * low;
        to[1] += b[k] * high;
    }
}

/* Adds T' H F, where T and F are the six rows of velocities of a contact; rows of H that are 0 are passed over. */
static void derive_pair(nodes_block *sum, double t[D][8], const double *h, double r[D][8]) {
    for (size_t i = 0; i < D; i++) {
        double hf[8] = {0};
        bool any = false;
        for (size_t j = 0; j < D; j++) {
            const double x = h[i * D + j];
            if (x == 0) continue;
            any = true;
            for (size_t k = 0; k < D; k++) hf[k] += x * r[j][k];
        }
        if (any) add_outer(sum, t[i], hf);
    }
}

static void derive_contact(const nodes_form *f, size_t i, const double *h) {
    const rps_cone_contact *c = &f->s->contact[i];
    double rows[2][D][8];
    bool any = false; /* none: open */
    for (size_t k = 0; k < D * D; k++) any = any || h[k] != 0;
    for (int side = 0; side < 2 && any; side++) {
        if (c->node[side] != RPS_CONE_NO_NODE) rps_cone_contact_rows(c, side, rows[side]);
    }
    for (int pair = 0; pair < 4 && any; pair++) {
        const int to = pair / 2, from = pair % 2;
        if (c->node[to] == RPS_CONE_NO_NODE || c->node[from] == RPS_CONE_NO_NODE) continue;
        derive_pair(pair_block(f, c->node[to], c->node[from]), rows[to], h, rows[from]);
    }
}

/* The same for a row of a joint. */
static void derive_row(const nodes_form *f, const rps_cone_joint_row *row, double h) {
    const int sides = rps_cone_row_sides(row);
    for (int to = 0; to < sides && h != 0; to++) {
        if (row->node[to] == RPS_CONE_NO_NODE) continue;
        double load[8] = {0};
        for (size_t m = 0; m < D; m++) load[m] = h * row->jacobian[to][m];
        for (int from = 0; from < sides; from++) {
            if (row->node[from] == RPS_CONE_NO_NODE) continue;
            add_outer(pair_block(f, row->node[to], row->node[from]), load, row->jacobian[from]);
        }
    }
}

/* 1 + M^-1 times what was summed up. */
static void put_block(const nodes_form *f, size_t n, size_t b) {
    size_t stride;
    double *out = rps_cone_sparse_block(f->form.matrix, b, &stride);
    for (size_t k = 0; k < D; k++) {
        rps_cone_motion moved = {0};
        rps_cone_node_push(&f->s->node[n], f->sum[b][k], moved);
        if (f->column[b] == n) moved[newton_nodes_lane(k)] += 1;
        for (size_t m = 0; m < D; m++) out[k * stride + m] = moved[newton_nodes_lane(m)];
    }
}

static void newton_nodes_derivative(void *context, const rps_cone_proximal *a) {
    const nodes_form *f = context;
    const rps_cone_system *s = f->s;
    memset(f->sum, 0, f->start[s->nodes] * sizeof *f->sum);
    for (size_t i = 0; i < s->contacts; i++) derive_contact(f, i, a->left + D * D * i);
    for (size_t k = 0; k < s->rows; k++) derive_row(f, &s->row[k], a->left[D * D * s->contacts + k]);
    for (size_t n = 0; n < s->nodes; n++) {
        for (size_t b = f->start[n]; b < f->start[n + 1]; b++) put_block(f, n, b);
    }
}

/* All else is in the memory of the system. */
static void newton_nodes_release(rps_cone_form *form) {
    rps_cone_sparse_release(form->matrix);
    form->matrix = NULL;
}

/* Each node with itself and those that share a contact or a row with it, in the order of these. */
static void pair_nodes(nodes_form *f) {
    const rps_cone_system *s = f->s;
    for (size_t n = 0; n < s->nodes; n++) {
        size_t first = f->start[n], end = first;
        f->column[end++] = (uint32_t)n;
        for (size_t k = s->start[n]; k < s->start[n + 1]; k++) {
            size_t i = s->item[k] / RPS_CONE_SIDES;
            const rps_cone_joint_row *row = i < s->contacts ? NULL : &s->row[i - s->contacts];
            const uint32_t *node = row ? row->node : s->contact[i].node;
            for (int side = 0; side < (row ? rps_cone_row_sides(row) : 2); side++) {
                size_t b = first;
                while (b < end && f->column[b] != node[side]) {
                    b++;
                }
                if (b == end && node[side] != RPS_CONE_NO_NODE) {
                    f->column[end++] = node[side];
                }
            }
        }
        f->start[n + 1] = end;
    }
}

/* Angular velocities are measured by a length. */
static void fill_scale(nodes_form *f) {
    for (size_t k = 0; k < D * f->s->nodes; k++) {
        const rps_cone_node *node = &f->s->node[k / D];
        const double turn = (node->inverse_inertia[0] + node->inverse_inertia[1] + node->inverse_inertia[2]) / 3;
        const bool moves = node->inverse_mass > 0 && turn > 0;
        f->scale[k] = k % D >= 3 && moves ? sqrt(turn / node->inverse_mass) : 1;
    }
}

rps_status rps_cone_form_of_nodes(rps_cone_system *s, rps_cone_form **form, rps_error *err) {
    nodes_form *f;
    RPS_TRY(rps_cone_take(s, 1, sizeof *f, &f, err));
    f->s = s;
    f->form = (rps_cone_form){.context = f,
                              .allocator = s->allocator,
                              .unknowns = D * s->nodes,
                              .start = newton_nodes_start,
                              .map = newton_nodes_map,
                              .derivative = newton_nodes_derivative,
                              .release = newton_nodes_release};
    size_t blocks = s->nodes + s->start[s->nodes];
    for (size_t k = 0; k < s->rows; k++) { /* each side of a row meets one other, or more */
        blocks += (size_t)(rps_cone_row_sides(&s->row[k]) * s->row[k].more);
    }
    RPS_TRY(rps_cone_take(s, s->nodes + 1, sizeof *f->start, &f->start, err));
    RPS_TRY(rps_cone_take(s, blocks, sizeof *f->column, &f->column, err));
    RPS_TRY(rps_cone_take(s, s->contacts * RPS_CONE_GROUPS, sizeof *f->compliance, &f->compliance, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *f->joint_compliance, &f->joint_compliance, err));
    RPS_TRY(rps_cone_take(s, D * s->nodes, sizeof *f->scale, &f->scale, err));
    pair_nodes(f);
    RPS_TRY(rps_cone_take(s, f->start[s->nodes], sizeof *f->sum, &f->sum, err));
    fill_scale(f);
    for (size_t i = 0; i < s->contacts; i++) {
        memcpy(f->compliance + i * RPS_CONE_GROUPS, s->contact[i].compliance, sizeof s->contact[i].compliance);
    }
    for (size_t k = 0; k < s->rows; k++) {
        f->joint_compliance[k] = s->row[k].compliance;
    }
    f->form.compliance = f->compliance;
    f->form.joint_compliance = f->joint_compliance;
    RPS_TRY(rps_cone_sparse_make(&f->form.matrix, &s->nodes_order, s->allocator, s->nodes, D, f->start, f->column,
                                 f->scale, err));
    *form = &f->form;
    return RPS_OK;
}
