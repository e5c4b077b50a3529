/* A sparse block matrix in the format of KLU: by columns, with one pattern and one order of elimination for all its
 * values. */
#include <string.h>

#include "base/array.h"
#include "elimination.h"
#include "newton.h"

struct rps_cone_sparse {
    const rps_allocator *allocator;
    size_t n, d, blocks, entries;
    const uint32_t *column;
    size_t *at;     /* [blocks] position of the first number of each block in `value` */
    size_t *stride; /* [n] numbers from one column of a block column to the next */
    int *start, *row;
    const double *scale;
    double *value;
    rps_cone_order *order; /* the caller's */
    klu_numeric *numeric;  /* NULL: those of the order, with pivots on the diagonal */
};

static rps_status sparse_take(const rps_allocator *allocator, size_t count, size_t size, void *out, rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, size, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(allocator, bytes, &block, err));
    memcpy(out, &block, sizeof block);
    return RPS_OK;
}

void rps_cone_sparse_release(rps_cone_sparse *m) {
    if (!m) {
        return;
    }
    if (m->numeric) {
        klu_free_numeric(&m->numeric, &m->order->common);
    }
    rps_memory_release(m->allocator, m->at, m->blocks * sizeof *m->at);
    rps_memory_release(m->allocator, m->stride, m->n * sizeof *m->stride);
    rps_memory_release(m->allocator, m->start, (m->n * m->d + 1) * sizeof *m->start);
    rps_memory_release(m->allocator, m->row, m->entries * sizeof *m->row);
    rps_memory_release(m->allocator, m->value, m->entries * sizeof *m->value);
    rps_memory_release(m->allocator, m, sizeof *m);
}

/* Columns of blocks from rows of blocks. */
static void fill_pattern(rps_cone_sparse *m, const size_t *start) {
    size_t d = m->d, at = 0;
    for (size_t b = 0; b < m->blocks; b++) {
        m->stride[m->column[b]] += d;
    }
    for (size_t c = 0; c < m->n; c++) {
        for (size_t k = 0; k < d; k++) {
            m->start[c * d + k] = (int)at;
            at += m->stride[c];
        }
    }
    m->start[m->n * d] = (int)at;
    for (size_t i = 0; i < m->n; i++) { /* the start of a column moves on as blocks are put into it */
        for (size_t b = start[i]; b < start[i + 1]; b++) {
            size_t c = m->column[b];
            m->at[b] = (size_t)m->start[c * d];
            m->start[c * d] += (int)d;
            for (size_t k = 0; k < d * d; k++) {
                m->row[m->at[b] + k / d * m->stride[c] + k % d] = (int)(i * d + k % d);
            }
        }
    }
    for (size_t c = 0; c < m->n; c++) {
        m->start[c * d] -= (int)m->stride[c];
    }
}

rps_status rps_cone_sparse_make(rps_cone_sparse **sparse, rps_cone_order **order, const rps_allocator *allocator,
                                size_t n, size_t d, const size_t *start, const uint32_t *column, const double *scale,
                                rps_error *err) {
    rps_cone_sparse *m;
    *sparse = NULL;
    if (start[n] > INT32_MAX / (d * d)) {
        return rps_fail(err, RPS_NO_MEMORY, "%zu blocks are too many to be factorised", start[n]);
    }
    RPS_TRY(sparse_take(allocator, 1, sizeof *m, &m, err));
    m->allocator = allocator;
    m->n = n;
    m->d = d;
    m->blocks = start[n];
    m->column = column;
    m->scale = scale;
    m->entries = m->blocks * d * d;
    rps_status status = sparse_take(allocator, m->blocks, sizeof *m->at, &m->at, err);
    status = status == RPS_OK ? sparse_take(allocator, n, sizeof *m->stride, &m->stride, err) : status;
    status = status == RPS_OK ? sparse_take(allocator, n * d + 1, sizeof *m->start, &m->start, err) : status;
    status = status == RPS_OK ? sparse_take(allocator, m->entries, sizeof *m->row, &m->row, err) : status;
    status = status == RPS_OK ? sparse_take(allocator, m->entries, sizeof *m->value, &m->value, err) : status;
    if (status == RPS_OK) {
        fill_pattern(m, start);
        status = rps_cone_order_make(order, allocator, n * d, m->start, m->row, err);
        m->order = *order;
    }
    if (status != RPS_OK) {
        rps_cone_sparse_release(m);
        return status;
    }
    *sparse = m;
    return RPS_OK;
}

double *rps_cone_sparse_block(rps_cone_sparse *m, size_t b, size_t *stride) {
    *stride = m->stride[m->column[b]];
    return m->value + m->at[b];
}

bool rps_cone_sparse_factor(rps_cone_sparse *m, bool diagonal) {
    klu_common *common = &m->order->common;
    for (size_t c = 0; c < m->n * m->d; c++) {
        for (int k = m->start[c]; k < m->start[c + 1]; k++) {
            m->value[k] *= m->scale[c] / m->scale[m->row[k]];
        }
    }
    if (m->numeric) klu_free_numeric(&m->numeric, common);
    if (diagonal && rps_cone_order_factor(m->order, m->value)) return true;
    m->numeric = klu_factor(m->start, m->row, m->value, m->order->symbolic, common);
    return m->numeric != NULL;
}

bool rps_cone_sparse_solve(rps_cone_sparse *m, double *x) {
    klu_numeric *numeric = m->numeric ? m->numeric : m->order->diagonal;
    for (size_t k = 0; k < m->n * m->d; k++) {
        x[k] /= m->scale[k];
    }
    if (!klu_solve(m->order->symbolic, numeric, (int)(m->n * m->d), 1, x, &m->order->common)) {
        return false;
    }
    for (size_t k = 0; k < m->n * m->d; k++) {
        x[k] *= m->scale[k];
    }
    return true;
}
