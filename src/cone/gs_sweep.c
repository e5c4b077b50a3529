/* Operations of the solvers on a system of bodies: products with W through the nodes, and Gauss-Seidel sweeps over
 * contacts and joints. Loops over threads run over nodes, over rows, or over contacts of one colour, so that the bits
 * do not depend on the number of threads. */
#include <string.h>

#include "block.h"
#include "sphere_pack.h"

static const rps_cone_shape *gs_sweep_six_rows(void) {
    return rps_cone_shape_of(RPS_CONE_ROWS);
}

static rps_workers workers_of(const rps_cone_system *s) {
    const rps_workers alone = {.count = 1};
    return s->given < RPS_CONE_PARALLEL ? alone : s->workers;
}

static void gather_node(rps_cone_system *s, size_t n, rps_cone_motion *base, const double *r) {
    double load[6] = {0};
    for (size_t k = s->start[n]; k < s->start[n + 1]; k++) {
        size_t i = s->item[k] / RPS_CONE_SIDES;
        int side = (int)(s->item[k] % RPS_CONE_SIDES);
        if (i < s->contacts) {
            rps_cone_contact_load(&s->contact[i], side, r + 6 * i, load);
        } else {
            const double *jacobian = s->row[i - s->contacts].jacobian[side];
            for (int a = 0; a < 6; a++) {
                load[a] += jacobian[a] * r[5 * s->contacts + i];
            }
        }
    }
    for (int a = 0; a < 8; a++) {
        s->v[n][a] = base ? base[n][a] : 0;
    }
    rps_cone_node_push(&s->node[n], load, s->v[n]);
}

typedef struct gather_task {
    rps_cone_system *s;
    rps_cone_motion *base;
    const double *r;
} gather_task;

static void gather_part(void *context, rps_part part) {
    const gather_task *task = context;
    for (size_t n = part.begin; n < part.end; n++) gather_node(task->s, n, task->base, task->r);
}

void rps_cone_gather(rps_cone_system *s, rps_cone_motion *base, const double *r) {
    gather_task task = {s, base, r};
    rps_parallel_for(workers_of(s), s->nodes, gather_part, &task);
}

typedef struct scatter_task {
    rps_cone_system *s;
    const double *r;
    double *u;
} scatter_task;

static void scatter_part(void *context, rps_part part) {
    const scatter_task *task = context;
    const rps_cone_shape *shape = gs_sweep_six_rows();
    const double *r = task->r;
    double *u = task->u;
    for (size_t i = part.begin; i < part.end; i++) {
        const rps_cone_contact *c = &task->s->contact[i];
        rps_cone_contact_velocity(c, task->s->v, u + 6 * i);
        for (int k = 0; k < 6; k++) {
            u[6 * i + (size_t)k] += c->compliance[shape->group[k]] * r[6 * i + (size_t)k];
        }
    }
}

/* u = D' v + C r */
static void scatter(rps_cone_system *s, const double *r, double *u) {
    scatter_task task = {s, r, u};
    rps_parallel_for(workers_of(s), s->contacts, scatter_part, &task);
    for (size_t k = 0; k < s->rows; k++) {
        size_t at = 6 * s->contacts + k;
        u[at] = rps_cone_joint_velocity(&s->row[k], s->v) + s->row[k].compliance * r[at];
    }
}

static void gs_sweep_product(void *context, const double *x, double *wx) {
    rps_cone_gather(context, NULL, x);
    scatter(context, x, wx);
}

static void gs_sweep_begin(void *context, const double *r, const double *old) {
    rps_cone_system *s = context;
    rps_cone_gather(s, s->free, old);
    memcpy(s->last, s->v, s->nodes * sizeof *s->v);
    rps_cone_gather(s, s->free, r);
}

void rps_cone_set_free(rps_cone_system *s, const double *v) {
    for (size_t n = 0; n < s->nodes; n++) {
        memset(s->free[n], 0, sizeof s->free[n]);
        memcpy(s->free[n], v + 6 * n, 3 * sizeof *v);
        memcpy(s->free[n] + RPS_CONE_ANGULAR, v + 6 * n + 3, 3 * sizeof *v);
        s->free[n][3] = s->node[n].inverse_mass;
        s->free[n][7] = s->node[n].inverse_inertia[0];
    }
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

/* --- sweeps ------------------------------------------------------------------------------------------------------- */

typedef struct sweep_task {
    rps_cone_system *s;
    const rps_cone_view *view;
    rps_cone_law law;
    double beta, *r, *old;
    int workers;
} sweep_task;

/* Solves contact i; its impulses' change in moved. */
static void solve_contact(const sweep_task *task, size_t i, double *moved, rps_cone_swept *sum) {
    rps_cone_system *s = task->s;
    const rps_cone_shape *shape = task->view->shape;
    const rps_cone_contact *contact = &s->contact[i];
    const double *w = s->block + 36 * i, *eta = s->eta + i * RPS_CONE_GROUPS;
    double *r = task->r + 6 * i, *old = task->old + 6 * i, u[6], b[6];
    for (int k = 0; k < 6; k++) {
        double last = r[k];
        r[k] += task->beta * (last - old[k]);
        old[k] = last;
    }
    rps_cone_contact_velocity(contact, s->v, u);
    for (int k = 0; k < 6; k++) {
        u[k] += contact->bias[k] + contact->compliance[shape->group[k]] * r[k];
        b[k] = u[k];
        for (int j = 0; j < 6; j++) {
            b[k] -= w[6 * k + j] * r[j];
        }
        moved[k] = -r[k];
    }
    double slip = task->law == RPS_CONE_COULOMB ? rps_cone_slip(shape, contact->c, u) : 0;
    rps_cone_add_squares(task->view, i, eta, r, u, slip, &sum->squares);
    rps_cone_block_solve(shape, task->law, w, s->inverse + 36 * i, contact->c, eta, s->lambda[i], b, r);
    for (int k = 0; k < 6; k++) {
        moved[k] += r[k];
        sum->uphill -= moved[k] * (r[k] - old[k]) / eta[shape->group[k]];
    }
}

static rps_cone_pack_sweep *const sweep_packs[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_cone_sweep);

static void sweep_chunk(const sweep_task *task, size_t chunk) {
    rps_cone_system *s = task->s;
    rps_cone_swept sum = {{0}, 0};
    for (size_t i = s->chunk[chunk].first; i < s->chunk[chunk].end;) {
        if (rps_cone_is_packed(s, i)) {
            const rps_cone_pack *first = &s->pack[i / RPS_CONE_LANES];
            const rps_cone_pack_task packs = {first,
                                              &s->pack[s->chunk[chunk].end / RPS_CONE_LANES],
                                              s->v,
                                              task->r + 6 * i,
                                              task->old + 6 * i,
                                              task->beta,
                                              (uint32_t)s->nodes,
                                              task->law == RPS_CONE_COULOMB};
            i += (size_t)(sweep_packs[s->isa](&packs, &sum) - first) * RPS_CONE_LANES;
            continue;
        }
        if (s->place[i] != RPS_CONE_NO_NODE) {
            double moved[6];
            solve_contact(task, i, moved, &sum);
            rps_cone_contact_push(s->node, &s->contact[i], moved, s->v);
        }
        i++;
    }
    s->part[chunk] = sum;
}

/* The part of a worker in the chunks of a colour. */
static void sweep_colour(void *context, size_t c, int worker) {
    const sweep_task *task = context;
    const rps_cone_colour *colour = &task->s->colour[c];
    const size_t chunks = colour->chunk_end - colour->chunk, end = rps_part_begin(chunks, worker + 1, task->workers);
    for (size_t k = rps_part_begin(chunks, worker, task->workers); k < end; k++) sweep_chunk(task, colour->chunk + k);
}

static void sweep_colours(sweep_task *task) {
    const rps_workers workers = workers_of(task->s);
    task->workers = workers.count;
    rps_parallel_stages(workers, task->s->colours, sweep_colour, task);
}

typedef struct extrapolate_task {
    rps_cone_system *s;
    double beta;
} extrapolate_task;

static void extrapolate_part(void *context, rps_part part) {
    const extrapolate_task *task = context;
    rps_cone_system *s = task->s;
    for (size_t n = part.begin; n < part.end; n++) {
        for (int k = 0; k < 8; k++) {
            double last = s->v[n][k];
            s->v[n][k] += task->beta * (last - s->last[n][k]);
            s->last[n][k] = last;
        }
    }
}

/* Updates the velocities, which are linear in the impulses. */
static void extrapolate(rps_cone_system *s, double beta) {
    extrapolate_task task = {s, beta};
    rps_parallel_for(workers_of(s), s->nodes, extrapolate_part, &task);
}

/* All rows at once; or pairs with bounded rows first, then all free rows; or pair by pair. */
static void sweep_joints(rps_cone_system *s, double *g, const rps_cone_view *view, rps_cone_squares *sum) {
    for (size_t j = 0; j < s->joints; j++) {
        const rps_cone_joint *joint = &s->joint[j];
        if (!s->joint_block || (joint->boxes > 0 && !rps_cone_joint_block_has_boxes(s->joint_block))) {
            rps_cone_joint_solve(s, j, g, view, sum);
            continue;
        }
        for (int i = 0; i < joint->rows; i++) {
            const size_t k = s->order[joint->first + (size_t)i];
            const double u = rps_cone_joint_velocity(&s->row[k], s->v) + s->row[k].bias + s->row[k].compliance * g[k];
            rps_cone_add_joint_squares(view, k, s->joint_eta[k], g[k], u, sum);
        }
    }
    if (s->joint_block) rps_cone_joint_block_solve(s, g);
}

static double gs_sweep_sweep(void *context, rps_cone_law law, double beta, double *r, double *old, double *uphill) {
    rps_cone_system *s = context;
    const rps_cone_view view = rps_cone_system_view(s);
    sweep_task task = {s, &view, law, beta, r, old, 1};
    rps_cone_squares sum = {0};
    double *g = r + 6 * s->contacts, *g_old = old + 6 * s->contacts;
    extrapolate(s, beta);
    sweep_colours(&task);
    *uphill = 0;
    for (size_t k = 0; k < s->chunks; k++) {
        sum.f += s->part[k].squares.f;
        sum.r += s->part[k].squares.r;
        sum.u += s->part[k].squares.u;
        sum.q += s->part[k].squares.q;
        *uphill += s->part[k].uphill;
    }
    for (size_t k = 0; k < s->rows; k++) {
        s->row_from[k] = g[k] + beta * (g[k] - g_old[k]);
        g_old[k] = g[k];
        g[k] = s->row_from[k];
    }
    sweep_joints(s, g, &view, &sum);
    for (size_t k = 0; k < s->rows; k++) {
        *uphill += (s->row_from[k] - g[k]) * (g[k] - g_old[k]) / s->joint_eta[k];
    }
    return rps_cone_ratio(&sum);
}

static rps_status gs_sweep_prepare(void *context, rps_error *err) {
    return rps_cone_system_prepare(context, err);
}

static rps_status gs_sweep_form_of(void *context, const rps_cone_view *view, struct rps_cone_form **form,
                                   rps_error *err) {
    (void)view;
    return rps_cone_form_of_nodes(context, form, err);
}

rps_cone_view rps_cone_system_view(rps_cone_system *s) {
    return (rps_cone_view){.shape = gs_sweep_six_rows(),
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
                           .workers = workers_of(s),
                           .context = s,
                           .product = gs_sweep_product,
                           .prepare = gs_sweep_prepare,
                           .begin = gs_sweep_begin,
                           .sweep = gs_sweep_sweep,
                           .form = gs_sweep_form_of,
                           .form_unknowns = 6 * s->nodes,
                           .sweeps_first = s->pack != NULL || s->rows > 0};
}
