/*
 * The rank of all joints of a world together, computed once, at the start. Rows implied by others are counted and
 * reported. If such a row demands a velocity that differs from what the others imply, the joints contradict each
 * other.
 *
 * For each set of coupled rows, W = J M^-1 J', scaled to a unit diagonal, is factorised with the largest pivot first.
 * A remainder below ROUNDING is implied by the rows before it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "step/nonsmooth.h"

enum { MOST = 1500 /* limit of rows factorised together: the factor takes 18 MB, and seconds */ };
static const double ROUNDING = 1e-10; /* of the scaled diagonal; the solver uses the same value */
static const double AGREES = 1e-6;    /* of the largest velocity to be changed in a row */
static const double PLACE = 1e-12;    /* of lengths: rounding of what bodies hold */

typedef struct rank {
    const rps_world *world;
    const rps_nonsmooth *ns;
    size_t count;
    size_t *row;            /* of the system, in the order of pivots */
    double *w, *q, *x, *at; /* [count][count]; scaled velocities to be changed; impulses; rounding of each */
} rank;

static double joint_rank_product(const rps_nonsmooth *ns, const rps_cone_joint_row *a, const rps_cone_joint_row *b) {
    static const int index[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    double sum = 0.0;
    for (int i = 0; i < rps_cone_row_sides(a); i++) {
        for (int j = 0; j < rps_cone_row_sides(b); j++) {
            if (a->node[i] == RPS_CONE_NO_NODE || a->node[i] != b->node[j]) continue;
            const rps_cone_node *node = (const rps_cone_node *)ns->node.p + a->node[i];
            for (int k = 0; k < 3; k++) {
                sum += node->inverse_mass * a->jacobian[i][k] * b->jacobian[j][k];
                for (int l = 0; l < 3; l++) {
                    sum += a->jacobian[i][3 + k] * node->inverse_inertia[index[k][l]] * b->jacobian[j][3 + l];
                }
            }
        }
    }
    return sum;
}

static const rps_cone_joint_row *row_of(const rank *r, size_t k) {
    return (const rps_cone_joint_row *)r->ns->row.p + r->row[k];
}

static uint32_t group_of(const rps_nonsmooth *ns, const rps_cone_joint_row *row) {
    return ((const uint32_t *)ns->group.p)[row->node[0] != RPS_CONE_NO_NODE ? row->node[0] : row->node[1]];
}

/* Magnitude of the numbers from which the error of a row is computed (m); 1 for angles. */
static double size_of(const rank *r, const rps_cone_joint_row *row) {
    double size = 1.0;
    const bool turns =
        rps_vec3_norm2(rps_vec3_make(row->jacobian[0][0], row->jacobian[0][1], row->jacobian[0][2])) == 0.0;
    if (row->joint < r->ns->locks || turns) return size;
    const rps_step_joint *step = (const rps_step_joint *)r->ns->joint.p + (row->joint - r->ns->locks);
    for (int k = 0; k < RPS_CONE_SIDES; k++) {
        double x[3] = {0.0, 0.0, 0.0};
        if (step->slot[k] != UINT32_MAX) rps_world_unwrapped(r->world, step->slot[k], x);
        size += rps_vec3_norm(step->branch[k]) + rps_vec3_norm(rps_vec3_make(x[0], x[1], x[2]));
    }
    return size;
}

static void joint_rank_fill(const rank *r) {
    const rps_twist *after = r->ns->after.p;
    const uint32_t *slot = r->ns->slot_of_node.p;
    const size_t n = r->count;
    for (size_t i = 0; i < n; i++) {
        const rps_cone_joint_row *a = row_of(r, i);
        const double scale = 1.0 / sqrt(joint_rank_product(r->ns, a, a));
        double u = a->bias;
        for (int side = 0; side < rps_cone_row_sides(a); side++) {
            if (a->node[side] == RPS_CONE_NO_NODE) continue;
            const rps_twist *t = &after[slot[a->node[side]]];
            for (int k = 0; k < 3; k++) u += a->jacobian[side][k] * t->v[k] + a->jacobian[side][3 + k] * t->w[k];
        }
        r->q[i] = scale * u;
        r->at[i] = scale * PLACE * size_of(r, a) / r->world->step;
        r->x[i] = scale;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double w = r->x[i] * r->x[j] * joint_rank_product(r->ns, row_of(r, i), row_of(r, j));
            r->w[i * n + j] = r->w[j * n + i] = w;
        }
    }
}

static void swap_numbers(double *v, size_t a, size_t b) {
    const double keep = v[a];
    v[a] = v[b];
    v[b] = keep;
}

/* Cholesky's factor in the lower half, rows in the order of pivots; returns the rank. */
static size_t factorise(rank *r) {
    const size_t n = r->count;
    double *w = r->w;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++) best = w[i * n + i] > w[best * n + best] ? i : best;
        if (!(w[best * n + best] > ROUNDING)) return k;
        if (best != k) {
            const size_t keep = r->row[k];
            r->row[k] = r->row[best];
            r->row[best] = keep;
            swap_numbers(r->q, k, best);
            swap_numbers(r->at, k, best);
            for (size_t j = 0; j < n; j++) swap_numbers(w, k * n + j, best * n + j);
            for (size_t i = 0; i < n; i++) swap_numbers(w, i * n + k, i * n + best);
        }
        const double pivot = sqrt(w[k * n + k]);
        w[k * n + k] = pivot;
        for (size_t i = k + 1; i < n; i++) w[i * n + k] /= pivot;
        for (size_t i = k + 1; i < n; i++) {
            for (size_t j = k + 1; j <= i; j++) w[j * n + i] = w[i * n + j] -= w[i * n + k] * w[j * n + k];
        }
    }
    return n;
}

/* The implied row that deviates most from the others; its velocity, scaled, and the scale of differences. */
static double find_worst(const rank *r, size_t rows, size_t *worst) {
    const size_t n = r->count;
    double largest = 0.0, most = 0.0;
    for (size_t i = 0; i < n; i++) largest = fabs(r->q[i]) > largest ? fabs(r->q[i]) : largest;
    for (size_t i = 0; i < rows; i++) { /* L y = q */
        double sum = r->q[i];
        for (size_t j = 0; j < i; j++) sum -= r->w[i * n + j] * r->x[j];
        r->x[i] = sum / r->w[i * n + i];
    }
    for (size_t i = rows; i < n; i++) {
        double left = r->q[i];
        for (size_t j = 0; j < rows; j++) left -= r->w[i * n + j] * r->x[j];
        const double allowed = AGREES * largest + r->at[i];
        if (fabs(left) > most * allowed) {
            most = fabs(left) / allowed;
            *worst = i;
        }
    }
    return most;
}

static const char *joint_rank_name_of(const rps_world *world, size_t joint, char *out, size_t bytes) {
    const char *name = world->joint[joint].name;
    snprintf(out, bytes, name ? "`%.60s`" : "number %.0s%zu", name ? name : "", joint);
    return out;
}

static rps_status contradiction(const rank *r, size_t worst, rps_error *err) {
    const rps_world *world = r->world;
    const size_t locks = r->ns->locks, mine = row_of(r, worst)->joint;
    char text[256] = "", one[80];
    size_t used = 0, told = 0;
    for (size_t j = locks; j < locks + world->joints && told < 3; j++) {
        bool member = false;
        for (size_t k = 0; k < r->count; k++) member = member || row_of(r, k)->joint == j;
        if (!member || j == mine || used + 70 > sizeof text) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", told ? ", " : "",
                                 joint_rank_name_of(world, j - locks, one, sizeof one));
        told++;
    }
    if (mine < locks) return rps_fail(err, RPS_BAD_INPUT, "joints (%s) contradict the locked axis of a body", text);
    return rps_fail(err, RPS_BAD_INPUT,
                    "joint %s contradicts what holds its bodies otherwise (%s): no motion of the bodies fits all of "
                    "them at the start; leave one out, or let lengths and drives agree",
                    joint_rank_name_of(world, mine - locks, one, sizeof one), told ? text : "a locked axis");
}

/* Friction, bounded drives, stops and springs contradict nothing. */
static bool rank_is_held(const rps_cone_joint_row *row) {
    return row->low == -INFINITY && row->high == INFINITY && row->compliance == 0.0;
}

static rps_status look_at(const rps_world *world, const rps_nonsmooth *ns, uint32_t group, size_t count,
                          size_t *redundant, rps_error *err) {
    size_t squares, items, bytes;
    void *block;
    if (!rps_size_mul(count, count, &squares) || !rps_size_add(squares, 4 * count, &items)) items = SIZE_MAX;
    RPS_TRY(rps_size_of_items(items, sizeof(double), &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &block, err));
    double *number = block;
    rank r = {.world = world,
              .ns = ns,
              .w = number,
              .q = number + squares,
              .x = number + squares + count,
              .at = number + squares + 2 * count,
              .row = (size_t *)(void *)(number + squares + 3 * count)};
    _Static_assert(sizeof(size_t) <= sizeof(double), "numbers of rows lie behind the numbers");
    for (size_t k = 0; k < ns->rows; k++) {
        const rps_cone_joint_row *row = (const rps_cone_joint_row *)ns->row.p + k;
        if (rank_is_held(row) && group_of(ns, row) == group) r.row[r.count++] = k;
    }
    joint_rank_fill(&r);
    const size_t rows = factorise(&r);
    size_t worst = 0;
    *redundant += r.count - rows;
    const bool agrees = find_worst(&r, rows, &worst) <= 1.0;
    const rps_status status = agrees ? RPS_OK : contradiction(&r, worst, err);
    rps_memory_release(world->allocator, block, bytes);
    return status;
}

rps_status rps_nonsmooth_rank(const rps_world *world, const rps_nonsmooth *ns, uint64_t *redundant_rows,
                              rps_error *err) {
    size_t redundant = 0, skipped = 0;
    if (world->joints == 0) return RPS_OK;
    for (uint32_t group = 0; group < ns->nodes; group++) {
        size_t count = 0;
        if (((const uint32_t *)ns->group.p)[group] != group) continue;
        for (size_t k = 0; k < ns->rows; k++) {
            const rps_cone_joint_row *row = (const rps_cone_joint_row *)ns->row.p + k;
            count += rank_is_held(row) && group_of(ns, row) == group;
        }
        if (count > MOST) {
            skipped += count;
        } else if (count > 1) {
            RPS_TRY(look_at(world, ns, group, count, &redundant, err));
        }
    }
    *redundant_rows = redundant;
    if (redundant > 0) {
        rps_log_write(world->options.log, world->options.log_context, RPS_LOG_INFO,
                      "%zu of the %zu rows of joints are implied by the others: what each bears is not determined, "
                      "and the loads of least norm are taken",
                      redundant, ns->rows - ns->locks);
    }
    if (skipped > 0) {
        rps_log_write(world->options.log, world->options.log_context, RPS_LOG_INFO,
                      "%zu rows of joints hang together, too many to look for redundant ones", skipped);
    }
    return RPS_OK;
}
