#include "definite.h"

#include <math.h>

#include "base/array.h"
#include "base/random.h"

enum { PRODUCTS = 200 /* the time of as many sweeps, at most */ };

typedef struct curvature_search {
    size_t rows;
    double *scale; /* [rows] roots of eta */
    double *left;  /* [rows] what is left of the right side, */
    double *along; /* the direction, */
    double *real;  /* it in the rows of the problem, */
    double *image; /* and W times it */
} curvature_search;

static double inner(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* The right side: numbers of chance, so that every direction has a part in it. */
static void search_begin(const rps_cone_problem *p, curvature_search *s) {
    const size_t d = (size_t)p->shape->rows;
    for (size_t k = 0; k < s->rows; k++) {
        double sum = 0.0;
        const double *block = p->block + p->diagonal[k / d] * d * d;
        for (size_t c = 0; c < d; c++) sum += block[c * d + c];
        s->scale[k] = 1.0 / sqrt(sum / (double)d);
        s->left[k] = s->along[k] = 2.0 * rps_random_uniform(1, RPS_RANDOM_DIRECTION, k, 0) - 1.0;
    }
}

static double search_go(const rps_cone_problem *p, curvature_search *s) {
    double least = HUGE_VAL, before = inner(s->rows, s->left, s->left);
    for (size_t n = 0; n < PRODUCTS && n < s->rows && before > 0.0; n++) {
        for (size_t k = 0; k < s->rows; k++) s->real[k] = s->scale[k] * s->along[k];
        rps_cone_product(p, s->real, s->image);
        for (size_t k = 0; k < s->rows; k++) s->image[k] *= s->scale[k];
        const double bend = inner(s->rows, s->along, s->image), size = inner(s->rows, s->along, s->along);
        if (bend / size < least) least = bend / size;
        if (!(bend > 0.0)) break;
        for (size_t k = 0; k < s->rows; k++) s->left[k] -= before / bend * s->image[k];
        const double after = inner(s->rows, s->left, s->left);
        for (size_t k = 0; k < s->rows; k++) s->along[k] = s->left[k] + after / before * s->along[k];
        before = after;
    }
    return least;
}

rps_status rps_cone_find_negative(const rps_cone_problem *p, double *curvature, rps_error *err) {
    curvature_search s = {.rows = p->rows};
    size_t bytes;
    void *memory = NULL;
    *curvature = 0.0;
    RPS_TRY(rps_size_of_items(p->rows, 5 * sizeof(double), &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(p->allocator, bytes, &memory, err));
    double *at = memory;
    s.scale = at;
    s.left = at + s.rows;
    s.along = at + 2 * s.rows;
    s.real = at + 3 * s.rows;
    s.image = at + 4 * s.rows;
    search_begin(p, &s);
    *curvature = search_go(p, &s);
    rps_memory_release(p->allocator, memory, bytes);
    return RPS_OK;
}
