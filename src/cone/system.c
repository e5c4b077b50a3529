/* Systems of bodies in contact: checking and packing them, and the call that solves. */
#include <math.h>
#include <string.h>

#include "block.h"
#include "elimination.h"
#include "packed.h"

static const rps_cone_shape *system_six_rows(void) {
    return rps_cone_shape_of(RPS_CONE_ROWS);
}

static bool all_finite(const double *x, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += x[k] - x[k]; /* 0 for finite numbers only */
    }
    return sum == 0;
}

static rps_status check_nodes(const uint32_t node[2], size_t nodes, const char *what, size_t k, rps_error *err) {
    for (int side = 0; side < 2; side++) {
        if (node[side] != RPS_CONE_NO_NODE && node[side] >= nodes) {
            return rps_fail(err, RPS_BAD_INPUT, "%s %zu names node %u, but there are %zu", what, k, node[side], nodes);
        }
    }
    if (node[0] == node[1]) {
        return rps_fail(err, RPS_BAD_INPUT, "%s %zu is between %s; it needs two sides", what, k,
                        node[0] == RPS_CONE_NO_NODE ? "nothing that moves" : "a node and itself");
    }
    return RPS_OK;
}

rps_status rps_cone_check_contact(const rps_cone_contact *c, size_t k, size_t nodes, rps_error *err) {
    RPS_TRY(check_nodes(c->node, nodes, "contact", k, err));
    if (!all_finite(c->n, 3) || !all_finite(c->t, 3) || !all_finite(c->branch[0], 3) || !all_finite(c->branch[1], 3) ||
        !all_finite(c->bias, 6) || !all_finite(c->compliance, 4)) {
        return rps_fail(err, RPS_BAD_INPUT, "contact %zu has a number that is not finite", k);
    }
    for (int g = 0; g < 4; g++) {
        if (c->compliance[g] < 0 || (g < 3 && !(c->c[g] >= 0))) {
            return rps_fail(err, RPS_BAD_INPUT, "contact %zu has a negative %s, %g", k,
                            c->compliance[g] < 0 ? "compliance" : "coefficient",
                            c->compliance[g] < 0 ? c->compliance[g] : c->c[g]);
        }
    }
    return RPS_OK;
}

static rps_status check_row(const rps_cone_joint_row *row, size_t k, size_t nodes, rps_error *err) {
    RPS_TRY(check_nodes(row->node, nodes, "joint row", k, err));
    if (row->more < 0 || row->more > RPS_CONE_SIDES - 2) {
        return rps_fail(err, RPS_BAD_INPUT, "joint row %zu has %d sides beyond two; at most %d", k, row->more,
                        RPS_CONE_SIDES - 2);
    }
    for (int side = 2; side < rps_cone_row_sides(row); side++) {
        bool sound = row->node[side] < nodes;
        for (int other = 0; other < side; other++) sound = sound && row->node[side] != row->node[other];
        if (!sound) {
            return rps_fail(err, RPS_BAD_INPUT, "joint row %zu needs a node of its own on side %d, not %u", k, side,
                            row->node[side]);
        }
    }
    if (!all_finite(row->jacobian[0], (size_t)(6 * rps_cone_row_sides(row))) || !all_finite(&row->bias, 1) ||
        !all_finite(&row->compliance, 1) || row->compliance < 0) {
        return rps_fail(err, RPS_BAD_INPUT, "joint row %zu has a number that is not finite or a negative compliance",
                        k);
    }
    if (!(row->low <= 0 && row->high >= 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "joint row %zu has bounds %g to %g; zero must lie between", k, row->low,
                        row->high);
    }
    return RPS_OK;
}

rps_status rps_cone_take(rps_cone_system *s, size_t count, size_t size, void *out, rps_error *err) {
    void *block;
    RPS_TRY(rps_arena_take_items(&s->arena, count, size, &block, err));
    memset(block, 0, count * size);
    memcpy(out, &block, sizeof block);
    return RPS_OK;
}

/* Contacts and joints of each node, by a stable counting sort. */
static void list_items(rps_cone_system *s) {
    for (int filling = 0; filling < 2; filling++) {
        for (size_t k = 0; k < s->contacts + s->rows; k++) {
            const rps_cone_joint_row *row = k < s->contacts ? NULL : &s->row[k - s->contacts];
            const uint32_t *node = row ? row->node : s->contact[k].node;
            const uint32_t sides = row ? (uint32_t)rps_cone_row_sides(row) : 2;
            for (uint32_t side = 0; side < sides; side++) {
                if (node[side] == RPS_CONE_NO_NODE) {
                    continue;
                }
                if (filling) {
                    s->item[s->start[node[side]]++] = (uint32_t)(RPS_CONE_SIDES * k) + side;
                } else {
                    s->start[node[side] + 1]++;
                }
            }
        }
        for (size_t n = 0; n < s->nodes && !filling; n++) {
            s->start[n + 1] += s->start[n];
        }
    }
    for (size_t n = s->nodes; n > 0; n--) { /* the fill moved each start to its end */
        s->start[n] = s->start[n - 1];
    }
    s->start[0] = 0;
}

/* The metric, from the diagonal of W. */
static rps_status make_metric(rps_cone_system *s, rps_error *err) {
    const rps_cone_shape *shape = system_six_rows();
    RPS_TRY(rps_cone_make_packs(s, &s->packed, err));
    for (size_t i = 0; i < s->contacts; i++) {
        const rps_cone_contact *contact = &s->contact[i];
        memcpy(s->c + 3 * i, contact->c, sizeof contact->c);
        if (rps_cone_is_packed(s, i)) {
            continue;
        }
        double diagonal[6] = {0}, w[36] = {0};
        for (int side = 0; side < 2; side++) {
            if (contact->node[side] != RPS_CONE_NO_NODE) {
                rps_cone_contact_diagonal(s->node + contact->node[side], contact, side, diagonal);
            }
        }
        for (int k = 0; k < 6; k++) { /* padding of colours gets ones, so that nothing divides by zero */
            w[7 * k] = diagonal[k] + (s->place[i] == RPS_CONE_NO_NODE ? 1 : contact->compliance[shape->group[k]]);
        }
        if (!(w[0] > 0) || !rps_cone_block_metric(shape, w, s->eta + i * RPS_CONE_GROUPS)) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "contact %u cannot be pushed apart: neither of its nodes has a mobility along n",
                            s->place[i]);
        }
    }
    return RPS_OK;
}

/* The blocks of W, for methods that solve contact by contact. */
static rps_status make_blocks(rps_cone_system *s, rps_error *err) {
    const rps_cone_shape *shape = system_six_rows();
    if (s->packed) return RPS_OK;
    RPS_TRY(rps_cone_take(s, s->contacts, 36 * sizeof(double), &s->block, err));
    RPS_TRY(rps_cone_take(s, s->contacts, 36 * sizeof(double), &s->inverse, err));
    for (size_t i = 0; i < s->contacts; i++) {
        if (rps_cone_is_packed(s, i)) continue;
        const rps_cone_contact *contact = &s->contact[i];
        const double *eta = s->eta + i * RPS_CONE_GROUPS;
        double *w = s->block + 36 * i;
        for (int side = 0; side < 2; side++) {
            if (contact->node[side] != RPS_CONE_NO_NODE) {
                rps_cone_contact_couple(s->node + contact->node[side], contact, side, contact, side, w);
            }
        }
        for (int k = 0; k < 6; k++) {
            w[7 * k] += s->place[i] == RPS_CONE_NO_NODE ? 1 : contact->compliance[shape->group[k]];
        }
        s->lambda[i] = rps_cone_block_bound(shape, w, eta);
        rps_cone_block_invert(shape, w, eta, contact->c, s->inverse + 36 * i);
    }
    return RPS_OK;
}

rps_status rps_cone_system_prepare(rps_cone_system *s, rps_error *err) {
    if (s->ready) return RPS_OK;
    RPS_TRY(make_blocks(s, err));
    RPS_TRY(rps_cone_joints_invert(s, err));
    RPS_TRY(rps_cone_joint_block_make(s, err));
    s->ready = true;
    return RPS_OK;
}

static rps_status system_fill(rps_cone_system *s, const rps_cone_node *node, const rps_cone_contact *contact,
                              const rps_cone_joint_row *row, rps_error *err) {
    size_t n = s->given;
    if (n + s->rows > INT32_MAX / 4) {
        return rps_fail(err, RPS_BAD_INPUT, "%zu contacts and rows of joints; at most %d can be solved", n + s->rows,
                        INT32_MAX / 4);
    }
    for (size_t k = 0; k < s->nodes; k++) {
        if (!all_finite(&node[k].inverse_mass, 1) || !all_finite(node[k].inverse_inertia, 6)) {
            return rps_fail(err, RPS_BAD_INPUT, "the mobility of node %zu is not finite", k);
        }
    }
    for (size_t k = 0; k < n; k++) {
        RPS_TRY(rps_cone_check_contact(&contact[k], k, s->nodes, err));
    }
    for (size_t k = 0; k < s->rows; k++) {
        RPS_TRY(check_row(&row[k], k, s->nodes, err));
    }
    RPS_TRY(rps_cone_take(s, s->nodes, sizeof *s->node, &s->node, err));
    memcpy(s->node, node, s->nodes * sizeof *node);
    RPS_TRY(rps_cone_colour_contacts(s, contact, err));
    n = s->contacts;
    RPS_TRY(rps_cone_take(s, n, 3 * sizeof(double), &s->c, err));
    RPS_TRY(rps_cone_take(s, n, RPS_CONE_GROUPS * sizeof(double), &s->eta, err));
    RPS_TRY(rps_cone_take(s, n, sizeof(double), &s->lambda, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *s->row, &s->row, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *s->order, &s->order, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *s->joint, &s->joint, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof(double), &s->joint_eta, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof(double), &s->low, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof(double), &s->high, err));
    RPS_TRY(rps_cone_take(s, s->nodes + 1, sizeof *s->start, &s->start, err));
    RPS_TRY(rps_cone_take(s, 2 * n + RPS_CONE_SIDES * s->rows, sizeof *s->item, &s->item, err));
    RPS_TRY(rps_cone_take(s, s->nodes + 1, sizeof *s->v, &s->v, err));
    RPS_TRY(rps_cone_take(s, s->nodes + 1, sizeof *s->free, &s->free, err));
    RPS_TRY(rps_cone_take(s, s->nodes + 1, sizeof *s->last, &s->last, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *s->row_from, &s->row_from, err));
    RPS_TRY(rps_cone_take(s, 6 * n + s->rows, sizeof(double), &s->q, err));
    RPS_TRY(rps_cone_take(s, s->chunks, sizeof *s->part, &s->part, err));
    if (s->rows) {
        memcpy(s->row, row, s->rows * sizeof *row);
    }
    list_items(s);
    RPS_TRY(make_metric(s, err));
    return rps_cone_joints_make(s, err);
}

rps_status rps_cone_system_make(rps_cone_system **system, rps_cone_system *old, const rps_allocator *allocator,
                                const rps_cone_node *node, size_t nodes, const rps_cone_contact *contact,
                                size_t contacts, const rps_cone_joint_row *row, size_t rows, rps_workers workers,
                                rps_error *err) {
    rps_cone_system *s = old;
    rps_arena arena;
    *system = NULL;
    if (s) {
        rps_arena_rewind(&s->arena, (rps_arena_mark){0});
        arena = s->arena;
    } else {
        void *block;
        RPS_TRY(rps_memory_alloc(allocator, sizeof *s, &block, err));
        s = block;
        rps_arena_init(&arena, allocator);
    }
    *s = (rps_cone_system){.allocator = allocator,
                           .arena = arena,
                           .workers = workers,
                           .nodes = nodes,
                           .given = contacts,
                           .rows = rows,
                           .nodes_order = old ? old->nodes_order : NULL,
                           .joint_order = old ? old->joint_order : NULL};
    rps_status status = system_fill(s, node, contact, row, err);
    if (status != RPS_OK) {
        rps_cone_system_release(s);
        return status;
    }
    *system = s;
    return RPS_OK;
}

void rps_cone_system_release(rps_cone_system *s) {
    if (s) {
        rps_cone_order_release(&s->nodes_order);
        rps_cone_order_release(&s->joint_order);
        rps_arena_release(&s->arena);
        rps_memory_release(s->allocator, s, sizeof *s);
    }
}

rps_status rps_cone_system_solve(rps_cone_system *s, const rps_cone_options *options, double *v, double *r,
                                 double *slip, double *g, rps_cone_result *result, rps_error *err) {
    if (!(options->tolerance > 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "the tolerance is %g; it must be above zero", options->tolerance);
    }
    *result = (rps_cone_result){0};
    if (s->given + s->rows == 0) {
        result->solved = true;
        return RPS_OK;
    }
    rps_cone_view view = rps_cone_system_view(s);
    rps_arena_mark mark = rps_arena_get_mark(&s->arena);
    size_t count, contact_rows = 6 * s->contacts;
    double *x, *u, *guess, *memory;
    if (!rps_cone_iterate_size(&view, &count)) {
        return rps_fail(err, RPS_NO_MEMORY, "a system of %zu rows does not fit into memory", view.rows);
    }
    rps_status status = rps_cone_take(s, view.rows, sizeof *x, &x, err);
    status = status == RPS_OK ? rps_cone_take(s, view.rows, sizeof *u, &u, err) : status;
    status = status == RPS_OK ? rps_cone_take(s, s->contacts, sizeof *guess, &guess, err) : status;
    status = status == RPS_OK ? rps_cone_take(s, count, sizeof *memory, &memory, err) : status;
    if (status != RPS_OK) {
        rps_arena_rewind(&s->arena, mark);
        return status;
    }
    rps_cone_set_free(s, v);
    for (size_t i = 0; i < s->contacts; i++) {
        if (s->place[i] != RPS_CONE_NO_NODE) {
            memcpy(x + 6 * i, r + 6 * (size_t)s->place[i], 6 * sizeof *x);
            guess[i] = slip[s->place[i]];
        }
    }
    if (s->rows) {
        memcpy(x + contact_rows, g, s->rows * sizeof *x);
    }
    s->ready = false;
    s->redundant = options->least_norm;
    status = rps_cone_iterate_run(&view, options, memory, x, u, guess, result, err);
    rps_cone_joint_block_release(s->joint_block);
    s->joint_block = NULL;
    if (status != RPS_OK) {
        rps_arena_rewind(&s->arena, mark);
        return status;
    }
    if (options->least_norm && s->joints > 1) {
        status = rps_cone_joints_least_norm(s, options->tolerance, x + contact_rows, err);
        if (status != RPS_OK) {
            rps_arena_rewind(&s->arena, mark);
            return status;
        }
    }
    rps_cone_gather(s, s->free, x);
    for (size_t n = 0; n < s->nodes; n++) {
        memcpy(v + 6 * n, s->v[n], 3 * sizeof *v);
        memcpy(v + 6 * n + 3, s->v[n] + RPS_CONE_ANGULAR, 3 * sizeof *v);
    }
    for (size_t i = 0; i < s->contacts; i++) {
        if (s->place[i] != RPS_CONE_NO_NODE) {
            memcpy(r + 6 * (size_t)s->place[i], x + 6 * i, 6 * sizeof *x);
            slip[s->place[i]] = guess[i];
        }
    }
    if (s->rows) {
        memcpy(g, x + contact_rows, s->rows * sizeof *x);
    }
    rps_arena_rewind(&s->arena, mark);
    return RPS_OK;
}
