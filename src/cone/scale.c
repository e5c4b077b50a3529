/* Scales a problem to its own units, so that the solvers are independent of the units of its file.
 *
 * The group metric makes the mathematics independent of units, but not the rounding, and where convergence depends on
 * chance (sheared packings) one rounding can decide thousands of iterations. Scaled by roots of products in which
 * powers of two cancel, numbers are the same to the bit in units that differ by such powers; in other units they
 * differ by rounding, which rounding to fewer bits removes, except for about one number in 1e6. */
#include "scale.h"

#include <math.h>
#include <string.h>

#include "block.h"

/* To the nearest number of `bits` significant bits. */
static double rounded(double x, int bits) {
    uint64_t n;
    if (!isfinite(x)) {
        return x;
    }
    memcpy(&n, &x, sizeof n);
    const uint64_t step = UINT64_C(1) << (53 - bits); /* bits = 53: 1 */
    n = (n + step / 2) & ~(step - 1);                 /* a carry into the exponent is correct */
    memcpy(&x, &n, sizeof x);
    return x;
}

/* x sqrt(square), by the root of one product; square is positive. */
static double times_root(double x, double square, int bits) {
    const double root = sqrt(x * x * square);
    return rounded(x < 0 ? -root : root, bits);
}

static double scale_eta_of(const rps_cone_problem *p, size_t row) {
    const size_t d = (size_t)p->shape->rows;
    return p->eta[row / d * RPS_CONE_GROUPS + (size_t)p->shape->group[row % d]];
}

static void scale_blocks(const rps_cone_problem *p, int bits, rps_cone_problem *s) {
    const size_t d = (size_t)p->shape->rows;
    for (size_t i = 0; i < p->contacts; i++) {
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            const size_t j = p->column[k];
            for (size_t a = 0; a < d; a++) {
                for (size_t b = 0; b < d; b++) {
                    const size_t at = (k * d + a) * d + b;
                    s->block[at] =
                        times_root(p->block[at], scale_eta_of(p, i * d + a) * scale_eta_of(p, j * d + b), bits);
                }
            }
        }
    }
}

rps_status rps_cone_problem_scaled(const rps_cone_problem *p, int bits, rps_cone_problem *s, double *unit,
                                   rps_error *err) {
    const size_t d = (size_t)p->shape->rows, n = p->contacts, cones = (size_t)p->shape->cones;
    const size_t blocks = p->start[n];
    const size_t count[] = {n * cones, p->rows, n * RPS_CONE_GROUPS, n, blocks * d * d};
    size_t numbers = 0, bytes;
    *s = *p;
    s->c = NULL;                                                                   /* until there is memory */
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) numbers += count[k]; /* fewer than p has already */
    RPS_TRY(rps_size_of_items(numbers, sizeof(double), &bytes, err));
    void *memory;
    RPS_TRY(rps_memory_alloc(p->allocator, bytes, &memory, err));
    s->c = memory;
    s->q = s->c + count[0];
    s->eta = s->q + count[1];
    s->lambda = s->eta + count[2];
    s->block = s->lambda + count[3];
    double size2 = 0;
    for (size_t k = 0; k < p->rows; k++) size2 += p->q[k] * p->q[k] * scale_eta_of(p, k);
    if (!(size2 > 0)) size2 = 1;
    for (size_t k = 0; k < p->rows; k++) {
        unit[k] = sqrt(scale_eta_of(p, k) * size2);
        s->q[k] = times_root(p->q[k], scale_eta_of(p, k) / size2, bits);
    }
    scale_blocks(p, bits, s);
    for (size_t i = 0; i < n; i++) {
        const double *eta = p->eta + i * RPS_CONE_GROUPS;
        for (size_t k = 0; k < cones; k++) {
            const double c = p->c[i * cones + k];
            s->c[i * cones + k] = c < INFINITY ? times_root(c, eta[0] / eta[1 + k], bits) : c;
        }
        const double *w = s->block + p->diagonal[i] * d * d;
        if (!rps_cone_block_metric(p->shape, w, s->eta + i * RPS_CONE_GROUPS)) {
            return rps_fail(err, RPS_BAD_INPUT, "contact %zu has no finite diagonal block", i);
        }
        s->lambda[i] = rps_cone_block_bound(p->shape, w, s->eta + i * RPS_CONE_GROUPS);
    }
    return RPS_OK;
}

void rps_cone_scaled_release(rps_cone_problem *s) {
    if (!s->c) {
        return;
    }
    const size_t d = (size_t)s->shape->rows, n = s->contacts;
    const size_t numbers = n * (size_t)s->shape->cones + s->rows + n * RPS_CONE_GROUPS + n + s->start[n] * d * d;
    rps_memory_release(s->allocator, s->c, numbers * sizeof(double));
    *s = (rps_cone_problem){0};
}
