/* Rows of joints. All rows between one pair of nodes are solved together: free rows by the pseudo-inverse of their
 * scaled matrix, which gives redundant rows the impulses of least norm; rows with bounds by projected Gauss-Seidel on
 * what the free rows leave of them. */
#include <math.h>
#include <string.h>

#include "packed.h"

enum { ROTATIONS = 30, BOX_SWEEPS = 50 };
#define SINGULAR 1e-10 /* of the scaled matrix, whose diagonal is 1: linearly dependent rows */
#define DRIVEN 1e-9    /* of the terms of a velocity that other rows determine: less is rounding */

double rps_cone_joint_velocity(const rps_cone_joint_row *row, rps_cone_motion *v) {
    double u = 0;
    for (int side = 0; side < rps_cone_row_sides(row); side++) {
        if (row->node[side] != RPS_CONE_NO_NODE) {
            for (int k = 0; k < 6; k++) {
                u += row->jacobian[side][k] * v[row->node[side]][k < 3 ? k : k + 1];
            }
        }
    }
    return u;
}

double rps_cone_joint_product(const rps_cone_system *s, const rps_cone_joint_row *a, const rps_cone_joint_row *b) {
    double sum = 0;
    for (int i = 0; i < rps_cone_row_sides(a); i++) {
        for (int j = 0; j < rps_cone_row_sides(b); j++) {
            rps_cone_motion v = {0};
            if (a->node[i] == RPS_CONE_NO_NODE || a->node[i] != b->node[j]) {
                continue;
            }
            rps_cone_node_push(s->node + a->node[i], b->jacobian[j], v);
            for (int k = 0; k < 6; k++) {
                sum += a->jacobian[i][k] * v[k < 3 ? k : k + 1];
            }
        }
    }
    return sum + (a == b ? a->compliance : 0);
}

/* The pseudo-inverse of a symmetric matrix m [n][n] by Jacobi's rotations, in place. */
static void pseudo_invert(int n, double *m) {
    double a[RPS_CONE_JOINT_ROWS][RPS_CONE_JOINT_ROWS] = {{0}}, e[RPS_CONE_JOINT_ROWS][RPS_CONE_JOINT_ROWS] = {{0}};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = m[i * n + j];
        }
        e[i][i] = 1;
    }
    for (int round = 0; round < ROTATIONS; round++) {
        double off = 0;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                off = fabs(a[p][q]) > off ? fabs(a[p][q]) : off;
                if (fabs(a[p][q]) < 1e-300) {
                    continue;
                }
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
                for (int k = 0; k < n; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = cosine * x - sine * y;
                    a[k][q] = sine * x + cosine * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = cosine * x - sine * y;
                    a[q][k] = sine * x + cosine * y;
                    x = e[k][p];
                    y = e[k][q];
                    e[k][p] = cosine * x - sine * y;
                    e[k][q] = sine * x + cosine * y;
                }
            }
        }
        if (off < 1e-17) {
            break;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += a[k][k] > SINGULAR ? e[i][k] * e[j][k] / a[k][k] : 0;
            }
            m[i * n + j] = sum;
        }
    }
}

/* A row of more than two nodes is alone. */
static bool same_nodes(const rps_cone_joint_row *a, const rps_cone_joint_row *b) {
    if (a->more > 0 || b->more > 0) return false;
    return (a->node[0] == b->node[0] && a->node[1] == b->node[1]) ||
           (a->node[0] == b->node[1] && a->node[1] == b->node[0]);
}

/* Joints are groups of rows with the same pair of nodes, in the order of their first row. */
static rps_status group_rows(rps_cone_system *s, uint32_t *joint_of, rps_error *err) {
    s->joints = 0;
    for (size_t k = 0; k < s->rows; k++) {
        size_t j = 0;
        if (k && same_nodes(&s->row[k], &s->row[k - 1])) {
            j = joint_of[k - 1];
        } else {
            while (j < s->joints && !same_nodes(&s->row[k], &s->row[s->joint[j].first])) {
                j++;
            }
        }
        if (j == s->joints) {
            s->joint[s->joints++] = (rps_cone_joint){.first = k};
        }
        joint_of[k] = (uint32_t)j;
        s->joint[j].rows++;
        s->joint[j].boxes += rps_cone_row_is_box(&s->row[k]);
        if (s->joint[j].rows > RPS_CONE_JOINT_ROWS) {
            return rps_fail(err, RPS_BAD_INPUT, "nodes %u and %u have more than %d rows of joints between them",
                            s->row[k].node[0], s->row[k].node[1], RPS_CONE_JOINT_ROWS);
        }
    }
    size_t first = 0, matrix = 0;
    for (size_t j = 0; j < s->joints; j++) {
        s->joint[j].first = first;
        s->joint[j].matrix = matrix;
        first += (size_t)s->joint[j].rows;
        matrix += 2 * (size_t)(s->joint[j].rows * s->joint[j].rows);
    }
    for (int boxes = 0; boxes < 2; boxes++) { /* free rows first; rows and boxes serve as counters */
        for (size_t k = 0; k < s->rows; k++) {
            rps_cone_joint *joint = &s->joint[joint_of[k]];
            if (rps_cone_row_is_box(&s->row[k]) == (boxes == 1)) {
                s->order[joint->first++] = (uint32_t)k;
            }
        }
    }
    for (size_t j = 0; j < s->joints; j++) {
        s->joint[j].first -= (size_t)s->joint[j].rows;
    }
    s->matrix_size = matrix;
    return RPS_OK;
}

rps_status rps_cone_joints_make(rps_cone_system *s, rps_error *err) {
    void *joint_of;
    RPS_TRY(rps_arena_take_items(&s->arena, s->rows, sizeof(uint32_t), &joint_of, err));
    RPS_TRY(group_rows(s, joint_of, err));
    for (size_t k = 0; k < s->rows; k++) {
        double w = rps_cone_joint_product(s, &s->row[k], &s->row[k]);
        s->joint_eta[k] = 1 / w;
        s->low[k] = s->row[k].low;
        s->high[k] = s->row[k].high;
        if (!(w > 0) || !isfinite(s->joint_eta[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "row %zu of the joints moves nothing: its impulse has no effect", k);
        }
    }
    return RPS_OK;
}

rps_status rps_cone_joints_invert(rps_cone_system *s, rps_error *err) {
    void *block;
    RPS_TRY(rps_arena_take_items(&s->arena, s->matrix_size, sizeof *s->matrix, &block, err));
    s->matrix = block;
    for (size_t j = 0; j < s->joints; j++) {
        const rps_cone_joint *joint = &s->joint[j];
        const uint32_t *order = s->order + joint->first;
        int n = joint->rows, free = n - joint->boxes;
        double *a = s->matrix + joint->matrix, *inverse = a + n * n;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                double scale = sqrt(s->joint_eta[order[i]]) * sqrt(s->joint_eta[order[k]]);
                a[i * n + k] = scale * rps_cone_joint_product(s, &s->row[order[i]], &s->row[order[k]]);
            }
        }
        for (int i = 0; i < free * free; i++) {
            inverse[i] = a[i / free * n + i % free];
        }
        pseudo_invert(free, inverse);
    }
    return RPS_OK;
}

/* x = the free rows' impulses, scaled, for b and the impulses of the boxes. */
static void solve_free(const double *a, const double *inverse, int n, int free, const double *b, double *x) {
    double load[RPS_CONE_JOINT_ROWS] = {0};
    for (int i = 0; i < free; i++) {
        load[i] = b[i];
        for (int k = free; k < n; k++) {
            load[i] += a[i * n + k] * x[k];
        }
    }
    for (int i = 0; i < free; i++) {
        x[i] = 0;
        for (int k = 0; k < free; k++) {
            x[i] -= inverse[i * free + k] * load[k];
        }
    }
}

void rps_cone_joint_solve(rps_cone_system *s, size_t j, double *g, const rps_cone_view *view, rps_cone_squares *sum) {
    const rps_cone_joint *joint = &s->joint[j];
    const uint32_t *order = s->order + joint->first;
    int n = joint->rows, free = n - joint->boxes;
    const double *a = s->matrix + joint->matrix, *inverse = a + n * n;
    double b[RPS_CONE_JOINT_ROWS] = {0}, x[RPS_CONE_JOINT_ROWS] = {0}, old[RPS_CONE_JOINT_ROWS] = {0};
    for (int i = 0; i < n; i++) {
        const rps_cone_joint_row *row = &s->row[order[i]];
        double u = rps_cone_joint_velocity(row, s->v) + row->bias + row->compliance * g[order[i]];
        rps_cone_add_joint_squares(view, order[i], s->joint_eta[order[i]], g[order[i]], u, sum);
        b[i] = u * sqrt(s->joint_eta[order[i]]);
        x[i] = old[i] = g[order[i]] / sqrt(s->joint_eta[order[i]]);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            b[i] -= a[i * n + k] * old[k];
        }
    }
    double response[RPS_CONE_JOINT_ROWS][RPS_CONE_JOINT_ROWS] = {{0}}; /* of the free rows to each box */
    for (int k = free; k < n; k++) {
        for (int i = 0; i < free; i++) {
            for (int m = 0; m < free; m++) {
                response[k][i] -= inverse[i * free + m] * a[m * n + k];
            }
        }
    }
    for (int round = 0; round < (joint->boxes ? BOX_SWEEPS : 1); round++) {
        double change = 0, size = 0;
        for (int k = free; k < n; k++) {
            solve_free(a, inverse, n, free, b, x);
            double u = b[k], stiff = a[k * n + k], bound = sqrt(s->joint_eta[order[k]]), next = 0, terms = fabs(b[k]);
            for (int i = 0; i < n; i++) {
                u += a[k * n + i] * x[i];
                terms += fabs(a[k * n + i] * x[i]);
                stiff += i < free ? a[k * n + i] * response[k][i] : 0;
            }
            if (stiff > SINGULAR) {
                next = x[k] - u / stiff;
                next = next < s->low[order[k]] / bound ? s->low[order[k]] / bound : next;
                next = next > s->high[order[k]] / bound ? s->high[order[k]] / bound : next;
            } else if (fabs(u) >
                       DRIVEN * terms) { /* the free rows determine its velocity: friction along a driven direction */
                next = (u > 0 ? s->low : s->high)[order[k]] / bound;
                next = isfinite(next) ? next : 0; /* a stop that the free rows drive through: the residual tells */
            }                                     /* or else its velocity is 0 without it, and it needs no impulse */
            change = fabs(next - x[k]) > change ? fabs(next - x[k]) : change;
            size = fabs(next) > size ? fabs(next) : size;
            x[k] = next;
        }
        if (joint->boxes < 2 || change <= 1e-14 * size) {
            break;
        }
    }
    solve_free(a, inverse, n, free, b, x);
    double load[RPS_CONE_SIDES][6] = {{0}};
    const rps_cone_joint_row *first = &s->row[order[0]];
    for (int i = 0; i < n; i++) {
        const rps_cone_joint_row *row = &s->row[order[i]];
        double impulse = x[i] * sqrt(s->joint_eta[order[i]]), moved = impulse - g[order[i]];
        for (int side = 0; side < rps_cone_row_sides(row); side++) {
            int to = row->more > 0 ? side : row->node[side] == first->node[0] ? 0 : 1;
            for (int k = 0; k < 6; k++) {
                load[to][k] += row->jacobian[side][k] * moved;
            }
        }
        g[order[i]] = impulse;
    }
    for (int side = 0; side < 2; side++) {
        if (first->node[side] != RPS_CONE_NO_NODE) {
            rps_cone_node_push(s->node + first->node[side], load[side], s->v[first->node[side]]);
        }
    }
}
