/* Sorting entries of W into blocks, the group metric, and the product with W. */
#include "problem.h"

#include <math.h>
#include <string.h>

#include "block.h"

/* With d known, compilers keep the sums in registers. */
static inline void add_blocks(const rps_cone_problem *p, size_t i, const double *r, double *u, const size_t d) {
    double sum[RPS_CONE_ROWS] = {0};
    for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
        const double *w = p->block + k * d * d, *from = r + (size_t)p->column[k] * d;
        for (size_t a = 0; a < d; a++) {
            for (size_t b = 0; b < d; b++) {
                sum[a] += w[a * d + b] * from[b];
            }
        }
    }
    for (size_t a = 0; a < d; a++) {
        u[a] = sum[a];
    }
}

void rps_cone_row_product(const rps_cone_problem *p, size_t i, const double *r, double *u) {
    switch (p->shape->rows) {
    case 2:
        add_blocks(p, i, r, u, 2);
        break;
    case 3:
        add_blocks(p, i, r, u, 3);
        break;
    case 5:
        add_blocks(p, i, r, u, 5);
        break;
    default:
        add_blocks(p, i, r, u, 6);
    }
}

typedef struct product_task {
    const rps_cone_problem *p;
    const double *r;
    double *u;
} product_task;

static void product_part(void *context, rps_part part) {
    const product_task *task = context;
    const size_t rows = (size_t)task->p->shape->rows;
    for (size_t i = part.begin; i < part.end; i++) rps_cone_row_product(task->p, i, task->r, task->u + i * rows);
}

void rps_cone_product(const rps_cone_problem *p, const double *r, double *u) {
    product_task task = {p, r, u};
    rps_parallel_for(rps_cone_problem_workers(p), p->contacts, product_part, &task);
}

/* Below this many blocks a parallel region costs more than it gains. */
#define PARALLEL_FROM 20000

rps_workers rps_cone_problem_workers(const rps_cone_problem *p) {
    return p->start[p->contacts] >= PARALLEL_FROM ? p->workers : (rps_workers){.count = 1};
}

void rps_cone_problem_release(rps_cone_problem *p) {
    if (!p->shape) {
        return;
    }
    size_t d = (size_t)p->shape->rows, blocks = p->start ? p->start[p->contacts] : 0;
    rps_memory_release(p->allocator, p->c, p->contacts * (size_t)p->shape->cones * sizeof *p->c);
    rps_memory_release(p->allocator, p->q, p->rows * sizeof *p->q);
    rps_memory_release(p->allocator, p->column, blocks * sizeof *p->column);
    rps_memory_release(p->allocator, p->block, blocks * d * d * sizeof *p->block);
    rps_memory_release(p->allocator, p->start, (p->contacts + 1) * sizeof *p->start);
    rps_memory_release(p->allocator, p->diagonal, p->contacts * sizeof *p->diagonal);
    rps_memory_release(p->allocator, p->eta, p->contacts * (size_t)RPS_CONE_GROUPS * sizeof *p->eta);
    rps_memory_release(p->allocator, p->lambda, p->contacts * sizeof *p->lambda);
    *p = (rps_cone_problem){0};
}

static rps_status problem_take(const rps_cone_problem *p, size_t count, size_t size, void *out, rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, size, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(p->allocator, bytes, &block, err));
    memcpy(out, &block, sizeof block);
    return RPS_OK;
}

static rps_status check_numbers(const double *x, size_t n, int low_is_zero, const char *what, rps_error *err) {
    for (size_t k = 0; k < n; k++) {
        if (!(isfinite(x[k]) || (low_is_zero && x[k] == INFINITY)) || (low_is_zero && x[k] < 0)) {
            return rps_fail(err, RPS_BAD_INPUT, "%s %zu is %g; expected a finite number%s", what, k, x[k],
                            low_is_zero ? ", zero or above" : "");
        }
    }
    return RPS_OK;
}

/* The entries of one row of blocks stand together after a counting sort; `mark` says which block a column has. */
static rps_status fill_blocks(rps_cone_problem *p, const rps_cone_entry *entry, size_t entries, size_t *order,
                              size_t *at, uint32_t *seen, rps_error *err) {
    size_t d = (size_t)p->shape->rows, n = p->contacts;
    for (size_t k = 0; k < entries; k++) {
        at[entry[k].i / d + 1]++;
    }
    for (size_t i = 0; i < n; i++) {
        at[i + 1] += at[i];
    }
    for (size_t k = 0; k < entries; k++) {
        order[at[entry[k].i / d]++] = k;
    } /* now at[i] is the end of row i */
    for (int filling = 0; filling < 2; filling++) {
        size_t blocks = 0;
        memset(seen, 0, n * sizeof *seen);
        for (size_t i = 0; i < n; i++) {
            size_t first = blocks, from = i ? at[i - 1] : 0;
            p->start[i] = first;
            for (size_t k = from; k <= at[i]; k++) { /* the diagonal block comes last, if no entry created it */
                size_t j = k < at[i] ? entry[order[k]].j / d : i;
                if (seen[j] == i + 1) {
                    continue;
                }
                seen[j] = (uint32_t)(i + 1);
                if (filling) {
                    size_t to = blocks;
                    for (; to > first && p->column[to - 1] > j; to--) {
                        p->column[to] = p->column[to - 1];
                    }
                    p->column[to] = (uint32_t)j;
                }
                blocks++;
            }
        }
        p->start[n] = filling ? blocks : 0; /* release must see no arrays before they exist */
        if (!filling) {
            rps_status status = problem_take(p, blocks, sizeof *p->column, &p->column, err);
            if (status == RPS_OK &&
                (status = problem_take(p, blocks, d * d * sizeof *p->block, &p->block, err)) != RPS_OK) {
                rps_memory_release(p->allocator, p->column, blocks * sizeof *p->column);
                p->column = NULL;
            }
            RPS_TRY(status);
            p->start[n] = blocks;
        }
    }
    for (size_t k = 0; k < p->start[n] * d * d; k++) {
        p->block[k] = NAN; /* not given */
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t b = p->start[i]; b < p->start[i + 1]; b++) {
            seen[p->column[b]] = (uint32_t)(b - p->start[i]);
            if (p->column[b] == i) {
                p->diagonal[i] = b;
            }
        }
        for (size_t k = i ? at[i - 1] : 0; k < at[i]; k++) {
            const rps_cone_entry *e = &entry[order[k]];
            double *w = p->block + (p->start[i] + seen[e->j / d]) * d * d + (e->i % d) * d + e->j % d;
            if (!isnan(*w)) {
                return rps_fail(err, RPS_BAD_INPUT, "the entry %u %u of W is given twice; give each once", e->i, e->j);
            }
            *w = e->value;
        }
    }
    for (size_t k = 0; k < p->start[n] * d * d; k++) {
        p->block[k] = isnan(p->block[k]) ? 0 : p->block[k];
    }
    return RPS_OK;
}

static double entry_of(const rps_cone_problem *p, size_t i, size_t j) {
    size_t d = (size_t)p->shape->rows, low = p->start[i / d], high = p->start[i / d + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->column[middle] < j / d) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool there = low < p->start[i / d + 1] && p->column[low] == j / d;
    return there ? p->block[low * d * d + (i % d) * d + j % d] : 0;
}

static rps_status check_symmetry(rps_cone_problem *p, const rps_cone_entry *entry, size_t entries, rps_error *err) {
    double largest = 0, worst = 0;
    for (size_t k = 0; k < entries; k++) {
        double difference = fabs(entry[k].value - entry_of(p, entry[k].j, entry[k].i));
        largest = fabs(entry[k].value) > largest ? fabs(entry[k].value) : largest;
        if (difference > worst) {
            worst = difference;
            p->asymmetry_i = entry[k].i;
            p->asymmetry_j = entry[k].j;
        }
    }
    p->asymmetry = largest > 0 ? worst / largest : 0;
    if (p->asymmetry > RPS_CONE_ASYMMETRY_MAX) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "W is not symmetric: entries %zu %zu and %zu %zu differ by %.3g of its largest entry, more than "
            "%g; give both triangles of the same matrix",
            p->asymmetry_i, p->asymmetry_j, p->asymmetry_j, p->asymmetry_i, p->asymmetry, RPS_CONE_ASYMMETRY_MAX);
    }
    return RPS_OK;
}

static rps_status problem_set_metric(rps_cone_problem *p, rps_error *err) {
    const rps_cone_shape *s = p->shape;
    for (size_t i = 0; i < p->contacts; i++) {
        const double *w = p->block + p->diagonal[i] * (size_t)(s->rows * s->rows);
        double *eta = p->eta + i * RPS_CONE_GROUPS;
        for (int k = 0; k < s->rows; k++) {
            double value = w[k * s->rows + k];
            if (value < 0 || (k == 0 && value == 0)) {
                return rps_fail(err, RPS_BAD_INPUT,
                                "row %zu of W has %g on its diagonal; it must be positive (a normal row) or zero and "
                                "above (any other)",
                                i * (size_t)s->rows + (size_t)k, value);
            }
        }
        if (!rps_cone_block_metric(s, w, eta)) {
            return rps_fail(err, RPS_BAD_INPUT, "the diagonal block %zu of W is too small to be inverted", i);
        }
        p->lambda[i] = rps_cone_block_bound(s, w, eta);
    }
    return RPS_OK;
}

static rps_status problem_build(rps_cone_problem *p, const double *mu, const double *rho, const double *sigma,
                                const double *q, const rps_cone_entry *entry, size_t entries, rps_error *err) {
    size_t n = p->contacts, cones = (size_t)p->shape->cones;
    RPS_TRY(check_numbers(mu, n, 1, "mu", err));
    RPS_TRY(check_numbers(q, p->rows, 0, "q", err));
    if (cones > 1) {
        RPS_TRY(check_numbers(rho, n, 1, "rho", err));
    }
    if (cones > 2) {
        RPS_TRY(check_numbers(sigma, n, 1, "sigma", err));
    }
    for (size_t k = 0; k < entries; k++) {
        if (entry[k].i >= p->rows || entry[k].j >= p->rows) {
            return rps_fail(err, RPS_BAD_INPUT, "entry %u %u of W is outside: rows are 0 to %zu", entry[k].i,
                            entry[k].j, p->rows - 1);
        }
        if (!isfinite(entry[k].value)) {
            return rps_fail(err, RPS_BAD_INPUT, "entry %u %u of W is not finite", entry[k].i, entry[k].j);
        }
    }
    RPS_TRY(problem_take(p, n + 1, sizeof *p->start, &p->start, err));
    RPS_TRY(problem_take(p, n * cones, sizeof *p->c, &p->c, err));
    RPS_TRY(problem_take(p, p->rows, sizeof *p->q, &p->q, err));
    RPS_TRY(problem_take(p, n, sizeof *p->diagonal, &p->diagonal, err));
    RPS_TRY(problem_take(p, n * RPS_CONE_GROUPS, sizeof *p->eta, &p->eta, err));
    RPS_TRY(problem_take(p, n, sizeof *p->lambda, &p->lambda, err));
    for (size_t i = 0; i < n; i++) {
        double *c = p->c + i * cones;
        c[0] = mu[i];
        if (cones > 1) {
            c[cones - 1] = rho[i];
        }
        if (cones > 2) {
            c[1] = sigma[i];
        }
    }
    memcpy(p->q, q, p->rows * sizeof *q);

    size_t *order = NULL, *at = NULL;
    uint32_t *seen = NULL;
    rps_status status = problem_take(p, entries, sizeof *order, &order, err);
    status = status == RPS_OK ? problem_take(p, n + 1, sizeof *at, &at, err) : status;
    status = status == RPS_OK ? problem_take(p, n, sizeof *seen, &seen, err) : status;
    status = status == RPS_OK ? fill_blocks(p, entry, entries, order, at, seen, err) : status;
    rps_memory_release(p->allocator, order, entries * sizeof *order);
    rps_memory_release(p->allocator, at, (n + 1) * sizeof *at);
    rps_memory_release(p->allocator, seen, n * sizeof *seen);
    RPS_TRY(status);
    RPS_TRY(check_symmetry(p, entry, entries, err));
    return problem_set_metric(p, err);
}

rps_status rps_cone_problem_make(rps_cone_problem *p, const rps_allocator *allocator, int d, size_t contacts,
                                 const double *mu, const double *rho, const double *sigma, const double *q,
                                 const rps_cone_entry *entry, size_t entries, rps_error *err) {
    *p = (rps_cone_problem){.allocator = allocator, .shape = rps_cone_shape_of(d), .contacts = contacts};
    if (!p->shape) {
        return rps_fail(err, RPS_BAD_INPUT, "%d rows a contact; expected 2, 3, 5 or 6", d);
    }
    if (contacts == 0 || contacts > INT32_MAX / RPS_CONE_ROWS) {
        p->shape = NULL;
        return rps_fail(err, RPS_BAD_INPUT, "%zu contacts; expected 1 to %d", contacts, INT32_MAX / RPS_CONE_ROWS);
    }
    p->rows = contacts * (size_t)d;
    rps_status status = problem_build(p, mu, rho, sigma, q, entry, entries, err);
    if (status != RPS_OK) {
        rps_cone_problem_release(p);
    }
    return status;
}
