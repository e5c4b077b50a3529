/* Systems of bodies in contact: checking and packing them, products with W by way of the nodes, sweeps, assembly. */
#include <math.h>
#include <string.h>

#include "block.h"
#include "packed.h"

static const rps_cone_shape *six_rows(void) {
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

static rps_status check_contact(const rps_cone_contact *c, size_t k, size_t nodes, rps_error *err) {
    RPS_TRY(check_nodes(c->node, nodes, "contact", k, err));
    if (!all_finite(c->n, 3) || !all_finite(c->t, 3) || !all_finite(c->arm[0], 3) || !all_finite(c->arm[1], 3) ||
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
    if (!all_finite(row->jacobian[0], 12) || !all_finite(&row->bias, 1) || !all_finite(&row->compliance, 1) ||
        row->compliance < 0) {
        return rps_fail(err, RPS_BAD_INPUT, "joint row %zu has a number that is not finite or a negative compliance",
                        k);
    }
    if (!(row->low <= 0 && row->high >= 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "joint row %zu has bounds %g to %g; zero must lie between", k, row->low,
                        row->high);
    }
    return RPS_OK;
}

static rps_status take(rps_cone_system *s, size_t count, size_t size, void *out, rps_error *err) {
    void *block;
    RPS_TRY(rps_arena_take_items(&s->arena, count, size, &block, err));
    memset(block, 0, count * size);
    memcpy(out, &block, sizeof block);
    return RPS_OK;
}

/* What touches each node, by a counting sort that keeps the order. */
static void list_items(rps_cone_system *s) {
    for (int filling = 0; filling < 2; filling++) {
        for (size_t k = 0; k < s->contacts + s->rows; k++) {
            const uint32_t *node = k < s->contacts ? s->contact[k].node : s->row[k - s->contacts].node;
            for (uint32_t side = 0; side < 2; side++) {
                if (node[side] == RPS_CONE_NO_NODE) {
                    continue;
                }
                if (filling) {
                    s->item[s->start[node[side]]++] = (uint32_t)(2 * k) + side;
                } else {
                    s->start[node[side] + 1]++;
                }
            }
        }
        for (size_t n = 0; n < s->nodes && !filling; n++) {
            s->start[n + 1] += s->start[n];
        }
    }
    for (size_t n = s->nodes; n > 0; n--) { /* filling moved each start to its end */
        s->start[n] = s->start[n - 1];
    }
    s->start[0] = 0;
}

static rps_status make_blocks(rps_cone_system *s, rps_error *err) {
    const rps_cone_shape *shape = six_rows();
    for (size_t i = 0; i < s->contacts; i++) {
        const rps_cone_contact *contact = &s->contact[i];
        double *w = s->block + 36 * i, *eta = s->eta + i * RPS_CONE_GROUPS;
        for (int side = 0; side < 2; side++) {
            if (contact->node[side] != RPS_CONE_NO_NODE) {
                rps_cone_contact_couple(s->node + contact->node[side], contact, side, contact, side, w);
            }
        }
        for (int k = 0; k < 6; k++) {
            w[7 * k] += contact->compliance[shape->group[k]];
        }
        if (!(w[0] > 0) || !rps_cone_block_metric(shape, w, eta)) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "contact %zu cannot be pushed apart: neither of its nodes has a mobility along n", i);
        }
        s->lambda[i] = rps_cone_block_bound(shape, w, eta);
        rps_cone_block_invert(shape, w, eta, s->inverse + 36 * i);
        memcpy(s->c + 3 * i, contact->c, sizeof contact->c);
    }
    return RPS_OK;
}

static rps_status fill(rps_cone_system *s, const rps_cone_node *node, const rps_cone_contact *contact,
                       const rps_cone_joint_row *row, rps_error *err) {
    size_t n = s->contacts;
    if (n + s->rows > INT32_MAX / 2) {
        return rps_fail(err, RPS_BAD_INPUT, "%zu contacts and rows of joints; at most %d can be solved", n + s->rows,
                        INT32_MAX / 2);
    }
    for (size_t k = 0; k < s->nodes; k++) {
        if (!all_finite(&node[k].inverse_mass, 1) || !all_finite(node[k].inverse_inertia, 6)) {
            return rps_fail(err, RPS_BAD_INPUT, "the mobility of node %zu is not finite", k);
        }
    }
    for (size_t k = 0; k < n; k++) {
        RPS_TRY(check_contact(&contact[k], k, s->nodes, err));
    }
    for (size_t k = 0; k < s->rows; k++) {
        RPS_TRY(check_row(&row[k], k, s->nodes, err));
    }
    RPS_TRY(take(s, s->nodes, sizeof *s->node, &s->node, err));
    RPS_TRY(take(s, n, sizeof *s->contact, &s->contact, err));
    RPS_TRY(take(s, n, 36 * sizeof(double), &s->block, err));
    RPS_TRY(take(s, n, 36 * sizeof(double), &s->inverse, err));
    RPS_TRY(take(s, n, 3 * sizeof(double), &s->c, err));
    RPS_TRY(take(s, n, RPS_CONE_GROUPS * sizeof(double), &s->eta, err));
    RPS_TRY(take(s, n, sizeof(double), &s->lambda, err));
    RPS_TRY(take(s, s->rows, sizeof *s->row, &s->row, err));
    RPS_TRY(take(s, s->rows, sizeof *s->order, &s->order, err));
    RPS_TRY(take(s, s->rows, sizeof *s->joint, &s->joint, err));
    RPS_TRY(take(s, s->rows, sizeof(double), &s->joint_eta, err));
    RPS_TRY(take(s, s->rows, sizeof(double), &s->low, err));
    RPS_TRY(take(s, s->rows, sizeof(double), &s->high, err));
    RPS_TRY(take(s, s->nodes + 1, sizeof *s->start, &s->start, err));
    RPS_TRY(take(s, 2 * (n + s->rows), sizeof *s->item, &s->item, err));
    RPS_TRY(take(s, s->nodes, sizeof *s->v, &s->v, err));
    RPS_TRY(take(s, s->nodes, sizeof *s->free, &s->free, err));
    RPS_TRY(take(s, 6 * n + s->rows, sizeof(double), &s->q, err));
    memcpy(s->node, node, s->nodes * sizeof *node);
    if (n) {
        memcpy(s->contact, contact, n * sizeof *contact);
    }
    if (s->rows) {
        memcpy(s->row, row, s->rows * sizeof *row);
    }
    list_items(s);
    RPS_TRY(make_blocks(s, err));
    return rps_cone_joints_make(s, err);
}

rps_status rps_cone_system_make(rps_cone_system **system, rps_cone_system *old, const rps_allocator *allocator,
                                const rps_cone_node *node, size_t nodes, const rps_cone_contact *contact,
                                size_t contacts, const rps_cone_joint_row *row, size_t rows, int threads,
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
                           .threads = threads > 1 ? threads : 1,
                           .nodes = nodes,
                           .contacts = contacts,
                           .rows = rows};
    rps_status status = fill(s, node, contact, row, err);
    if (status != RPS_OK) {
        rps_cone_system_release(s);
        return status;
    }
    *system = s;
    return RPS_OK;
}

void rps_cone_system_release(rps_cone_system *s) {
    if (s) {
        rps_arena_release(&s->arena);
        rps_memory_release(s->allocator, s, sizeof *s);
    }
}

/* s->v = base (NULL: 0) + M^-1 D r, each node in the order of what touches it. */
static void gather(rps_cone_system *s, double (*base)[6], const double *r) {
    for (size_t n = 0; n < s->nodes; n++) {
        double load[6] = {0};
        for (size_t k = s->start[n]; k < s->start[n + 1]; k++) {
            size_t i = s->item[k] / 2;
            int side = (int)(s->item[k] % 2);
            if (i < s->contacts) {
                rps_cone_contact_load(&s->contact[i], side, r + 6 * i, load);
            } else {
                const double *jacobian = s->row[i - s->contacts].jacobian[side];
                for (int a = 0; a < 6; a++) {
                    load[a] += jacobian[a] * r[5 * s->contacts + i];
                }
            }
        }
        for (int a = 0; a < 6; a++) {
            s->v[n][a] = base ? base[n][a] : 0;
        }
        rps_cone_node_push(&s->node[n], load, s->v[n]);
    }
}

/* u = D' v + C r */
static void scatter(rps_cone_system *s, const double *r, double *u) {
    for (size_t i = 0; i < s->contacts; i++) {
        const rps_cone_contact *c = &s->contact[i];
        rps_cone_contact_velocity(c, s->v, u + 6 * i);
        for (int k = 0; k < 6; k++) {
            u[6 * i + (size_t)k] += c->compliance[six_rows()->group[k]] * r[6 * i + (size_t)k];
        }
    }
    for (size_t k = 0; k < s->rows; k++) {
        size_t at = 6 * s->contacts + k;
        u[at] = rps_cone_joint_velocity(&s->row[k], s->v) + s->row[k].compliance * r[at];
    }
}

static void product(void *context, const double *x, double *wx) {
    gather(context, NULL, x);
    scatter(context, x, wx);
}

static void begin(void *context, const double *r) {
    rps_cone_system *s = context;
    gather(s, s->free, r);
}

static rps_cone_view view_of(rps_cone_system *s);

static double sweep(void *context, rps_cone_law law, double *r) {
    rps_cone_system *s = context;
    const rps_cone_shape *shape = six_rows();
    const rps_cone_view view = view_of(s);
    rps_cone_squares sum = {0};
    for (size_t i = 0; i < s->contacts; i++) {
        const rps_cone_contact *contact = &s->contact[i];
        const double *w = s->block + 36 * i, *eta = s->eta + i * RPS_CONE_GROUPS;
        double *at = r + 6 * i, u[6], b[6], moved[6];
        rps_cone_contact_velocity(contact, s->v, u);
        for (int k = 0; k < 6; k++) {
            u[k] += contact->bias[k] + contact->compliance[shape->group[k]] * at[k];
            b[k] = u[k];
            for (int j = 0; j < 6; j++) {
                b[k] -= w[6 * k + j] * at[j];
            }
            moved[k] = -at[k];
        }
        double slip = law == RPS_CONE_COULOMB ? rps_cone_slip(shape, contact->c, u) : 0;
        rps_cone_add_squares(&view, i, eta, at, u, slip, &sum);
        rps_cone_block_solve(shape, law, w, s->inverse + 36 * i, contact->c, eta, s->lambda[i], b, at);
        for (int k = 0; k < 6; k++) {
            moved[k] += at[k];
        }
        rps_cone_contact_push(s->node, contact, moved, s->v);
    }
    for (size_t j = 0; j < s->joints; j++) {
        rps_cone_joint_solve(s, j, r + 6 * s->contacts, &view, &sum);
    }
    return rps_cone_ratio(&sum);
}

static rps_cone_view view_of(rps_cone_system *s) {
    return (rps_cone_view){.shape = six_rows(),
                           .contacts = s->contacts,
                           .joint_rows = s->rows,
                           .rows = 6 * s->contacts + s->rows,
                           .c = s->c,
                           .eta = s->eta,
                           .lambda = s->lambda,
                           .joint_eta = s->joint_eta,
                           .low = s->low,
                           .high = s->high,
                           .q = s->q,
                           .threads = 1,
                           .context = s,
                           .product = product,
                           .begin = begin,
                           .sweep = sweep};
}

/* q = D' v* + b */
static void set_free(rps_cone_system *s, const double *v) {
    memcpy(s->free, v, s->nodes * sizeof *s->free);
    for (size_t i = 0; i < s->contacts; i++) {
        rps_cone_contact_velocity(&s->contact[i], s->free, s->q + 6 * i);
        for (int k = 0; k < 6; k++) {
            s->q[6 * i + (size_t)k] += s->contact[i].bias[k];
        }
    }
    for (size_t k = 0; k < s->rows; k++) {
        s->q[6 * s->contacts + k] = rps_cone_joint_velocity(&s->row[k], s->free) + s->row[k].bias;
    }
}

rps_status rps_cone_system_solve(rps_cone_system *s, const rps_cone_options *options, double *v, double *r,
                                 double *slip, double *g, rps_cone_result *result, rps_error *err) {
    if (!(options->tolerance > 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "the tolerance is %g; it must be above zero", options->tolerance);
    }
    *result = (rps_cone_result){0};
    if (s->contacts + s->rows == 0) {
        result->solved = true;
        return RPS_OK;
    }
    rps_cone_view view = view_of(s);
    rps_arena_mark mark = rps_arena_get_mark(&s->arena);
    size_t count, contact_rows = 6 * s->contacts;
    double *x, *u, *memory;
    if (!rps_cone_iterate_size(&view, &count)) {
        return rps_fail(err, RPS_NO_MEMORY, "a system of %zu rows does not fit into memory", view.rows);
    }
    rps_status status = take(s, view.rows, sizeof *x, &x, err);
    status = status == RPS_OK ? take(s, view.rows, sizeof *u, &u, err) : status;
    status = status == RPS_OK ? take(s, count, sizeof *memory, &memory, err) : status;
    if (status != RPS_OK) {
        rps_arena_rewind(&s->arena, mark);
        return status;
    }
    set_free(s, v);
    if (s->contacts) {
        memcpy(x, r, contact_rows * sizeof *x);
    }
    if (s->rows) {
        memcpy(x + contact_rows, g, s->rows * sizeof *x);
    }
    rps_cone_iterate_run(&view, options, memory, x, u, slip, result);
    gather(s, s->free, x);
    memcpy(v, s->v, s->nodes * sizeof *s->v);
    if (s->contacts) {
        memcpy(r, x, contact_rows * sizeof *x);
    }
    if (s->rows) {
        memcpy(g, x + contact_rows, s->rows * sizeof *x);
    }
    rps_arena_rewind(&s->arena, mark);
    return RPS_OK;
}

static rps_status couple_all(const rps_cone_system *s, rps_cone_entry *entry, size_t *entries) {
    size_t n = 0;
    for (size_t i = 0; i < s->contacts; i++) {
        for (int side = 0; side < 2; side++) {
            uint32_t node = s->contact[i].node[side];
            if (node == RPS_CONE_NO_NODE) {
                continue;
            }
            for (size_t k = s->start[node]; k < s->start[node + 1]; k++) {
                size_t j = s->item[k] / 2;
                int other = (int)(s->item[k] % 2);
                double w[36] = {0};
                /* a pair that shares both nodes is met at both; the first takes all */
                bool twice = s->contact[j].node[!other] == s->contact[i].node[!side] &&
                             s->contact[i].node[!side] != RPS_CONE_NO_NODE;
                if (twice && side == 1) {
                    continue;
                }
                rps_cone_contact_couple(s->node + node, &s->contact[i], side, &s->contact[j], other, w);
                if (twice) {
                    rps_cone_contact_couple(s->node + s->contact[i].node[1], &s->contact[i], 1, &s->contact[j], !other,
                                            w);
                }
                for (uint32_t a = 0; a < 36; a++) {
                    double value = w[a];
                    if (i == j && a % 7 == 0) {
                        value += s->contact[i].compliance[six_rows()->group[a / 6]];
                    }
                    if (value != 0) {
                        if (entry) {
                            entry[n] = (rps_cone_entry){(uint32_t)(6 * i) + a / 6, (uint32_t)(6 * j) + a % 6, value};
                        }
                        n++;
                    }
                }
            }
        }
    }
    *entries = n;
    return RPS_OK;
}

rps_status rps_cone_system_assemble(const rps_cone_system *system, const double *v, rps_cone_problem *problem,
                                    rps_error *err) {
    *problem = (rps_cone_problem){0};
    if (system->rows) {
        return rps_fail(err, RPS_UNSUPPORTED, "a system with joints has no form as a problem of contacts alone");
    }
    rps_cone_system s = *system; /* its arena is not touched */
    size_t entries, bytes, n = s.contacts;
    void *entry = NULL, *numbers = NULL, *nodes = NULL;
    couple_all(&s, NULL, &entries);
    RPS_TRY(rps_size_of_items(entries, sizeof(rps_cone_entry), &bytes, err));
    rps_status status = rps_memory_alloc(s.allocator, bytes, &entry, err);
    status = status == RPS_OK ? rps_memory_alloc(s.allocator, n * 9 * sizeof(double), &numbers, err) : status;
    status = status == RPS_OK ? rps_memory_alloc(s.allocator, s.nodes * sizeof *s.free, &nodes, err) : status;
    if (status == RPS_OK) {
        double *c = numbers;
        for (size_t i = 0; i < n; i++) {
            c[i] = s.contact[i].c[0];
            c[n + i] = s.contact[i].c[2];
            c[2 * n + i] = s.contact[i].c[1];
        }
        s.q = c + 3 * n;
        s.free = nodes;
        set_free(&s, v);
        couple_all(&s, entry, &entries);
        status = rps_cone_problem_make(problem, s.allocator, 6, n, c, c + n, c + 2 * n, s.q, entry, entries, err);
    }
    rps_memory_release(s.allocator, entry, bytes);
    rps_memory_release(s.allocator, numbers, n * 9 * sizeof(double));
    rps_memory_release(s.allocator, nodes, s.nodes * sizeof *s.free);
    return status;
}
