/* Newton's equations in the velocities of nodes, v = v* + M^-1 D r(D' v + b): 1 + M^-1 D (-dr/du) D', with a block
 * for each pair of nodes in contact. Redundant contacts add no unknowns. */
#include <math.h>
#include <string.h>

#include "newton.h"
#include "packed.h"

enum { D = 6 };

typedef struct nodes_form {
    rps_cone_form form;
    rps_cone_system *s;
    size_t *start; /* [nodes + 1] */
    uint32_t *column;
    double *compliance;
    double *joint_compliance;
    double *scale;
    size_t blocks;
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

/* Block row `to`, block column `from` += M_to^-1 T' H F, where T and F are rows of velocities, `rows` of them. */
static void newton_nodes_add(const nodes_form *f, uint32_t to, uint32_t from, const double *t, const double *h,
                             const double *from_rows, size_t rows) {
    size_t b = f->start[to], stride;
    while (f->column[b] != from) {
        b++;
    }
    double *out = rps_cone_sparse_block(f->form.matrix, b, &stride);
    for (size_t k = 0; k < D; k++) {
        double load[D] = {0};
        rps_cone_motion moved = {0};
        for (size_t i = 0; i < rows; i++) {
            double hf = 0;
            for (size_t j = 0; j < rows; j++) {
                hf += h[i * rows + j] * from_rows[j * D + k];
            }
            for (size_t m = 0; m < D; m++) {
                load[m] += t[i * D + m] * hf;
            }
        }
        rps_cone_node_push(&f->s->node[to], load, moved);
        for (size_t m = 0; m < D; m++) {
            out[k * stride + m] += moved[newton_nodes_lane(m)];
        }
    }
}

static void newton_nodes_derivative(void *context, const rps_cone_proximal *a) {
    const nodes_form *f = context;
    const rps_cone_system *s = f->s;
    for (size_t n = 0; n < s->nodes; n++) {
        for (size_t b = f->start[n]; b < f->start[n + 1]; b++) {
            size_t stride;
            double *out = rps_cone_sparse_block(f->form.matrix, b, &stride);
            for (size_t k = 0; k < D * D; k++) {
                out[k / D * stride + k % D] = f->column[b] == n && k % (D + 1) == 0 ? 1 : 0;
            }
        }
    }
    for (size_t i = 0; i < s->contacts; i++) {
        double rows[2][D * D] = {{0}};
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < D; k++) {
                double unit[D] = {0};
                unit[k] = 1;
                rps_cone_contact_load(&s->contact[i], side, unit, rows[side] + D * k);
            }
        }
        for (int pair = 0; pair < 4; pair++) {
            uint32_t to = s->contact[i].node[pair / 2], from = s->contact[i].node[pair % 2];
            if (to != RPS_CONE_NO_NODE && from != RPS_CONE_NO_NODE) {
                newton_nodes_add(f, to, from, rows[pair / 2], a->left + D * D * i, rows[pair % 2], D);
            }
        }
    }
    for (size_t k = 0; k < s->rows; k++) {
        int sides = rps_cone_row_sides(&s->row[k]);
        for (int pair = 0; pair < sides * sides; pair++) {
            uint32_t to = s->row[k].node[pair / sides], from = s->row[k].node[pair % sides];
            if (to != RPS_CONE_NO_NODE && from != RPS_CONE_NO_NODE) {
                newton_nodes_add(f, to, from, s->row[k].jacobian[pair / sides], a->left + D * D * s->contacts + k,
                                 s->row[k].jacobian[pair % sides], 1);
            }
        }
    }
}

static void newton_nodes_release(rps_cone_form *form) {
    nodes_form *f = form->context;
    const rps_cone_system *s = f->s;
    rps_cone_sparse_release(form->matrix);
    rps_memory_release(form->allocator, f->start, (s->nodes + 1) * sizeof *f->start);
    rps_memory_release(form->allocator, f->column, f->blocks * sizeof *f->column);
    rps_memory_release(form->allocator, f->compliance, s->contacts * RPS_CONE_GROUPS * sizeof *f->compliance);
    rps_memory_release(form->allocator, f->joint_compliance, s->rows * sizeof *f->joint_compliance);
    rps_memory_release(form->allocator, f->scale, D * s->nodes * sizeof *f->scale);
    rps_memory_release(form->allocator, f, sizeof *f);
}

static rps_status newton_nodes_take(const rps_cone_system *s, size_t count, size_t size, void *out, rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, size, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(s->allocator, bytes, &block, err));
    memcpy(out, &block, sizeof block);
    return RPS_OK;
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

rps_status rps_cone_form_of_nodes(rps_cone_system *s, rps_cone_form **form, rps_error *err) {
    nodes_form *f;
    RPS_TRY(newton_nodes_take(s, 1, sizeof *f, &f, err));
    f->s = s;
    f->form = (rps_cone_form){.context = f,
                              .allocator = s->allocator,
                              .unknowns = D * s->nodes,
                              .start = newton_nodes_start,
                              .map = newton_nodes_map,
                              .derivative = newton_nodes_derivative,
                              .release = newton_nodes_release};
    f->blocks = s->nodes + s->start[s->nodes];
    for (size_t k = 0; k < s->rows; k++) { /* each side of a row meets one other, or more */
        f->blocks += (size_t)(rps_cone_row_sides(&s->row[k]) * s->row[k].more);
    }
    rps_status status = newton_nodes_take(s, s->nodes + 1, sizeof *f->start, &f->start, err);
    status = status == RPS_OK ? newton_nodes_take(s, f->blocks, sizeof *f->column, &f->column, err) : status;
    status = status == RPS_OK
                 ? newton_nodes_take(s, s->contacts * RPS_CONE_GROUPS, sizeof *f->compliance, &f->compliance, err)
                 : status;
    status = status == RPS_OK ? newton_nodes_take(s, s->rows, sizeof *f->joint_compliance, &f->joint_compliance, err)
                              : status;
    status = status == RPS_OK ? newton_nodes_take(s, D * s->nodes, sizeof *f->scale, &f->scale, err) : status;
    if (status == RPS_OK) {
        pair_nodes(f);
        for (size_t k = 0; k < D * s->nodes; k++) { /* angular velocities times a length */
            const rps_cone_node *node = &s->node[k / D];
            double turn = (node->inverse_inertia[0] + node->inverse_inertia[1] + node->inverse_inertia[2]) / 3;
            bool moves = node->inverse_mass > 0 && turn > 0;
            f->scale[k] = k % D >= 3 && moves ? sqrt(turn / node->inverse_mass) : 1;
        }
        for (size_t i = 0; i < s->contacts; i++) {
            memcpy(f->compliance + i * RPS_CONE_GROUPS, s->contact[i].compliance, sizeof s->contact[i].compliance);
        }
        for (size_t k = 0; k < s->rows; k++) {
            f->joint_compliance[k] = s->row[k].compliance;
        }
        f->form.compliance = f->compliance;
        f->form.joint_compliance = f->joint_compliance;
        status = rps_cone_sparse_make(&f->form.matrix, s->allocator, s->nodes, D, f->start, f->column, f->scale, err);
    }
    if (status != RPS_OK) {
        newton_nodes_release(&f->form);
        return status;
    }
    *form = &f->form;
    return RPS_OK;
}
