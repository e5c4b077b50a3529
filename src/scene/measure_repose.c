/* The angle of repose. The surface of a heap is what its highest spheres touch: in every ring of a sector the sphere
 * with the highest top is taken where it is, not at the middle of the ring, so that the width of the rings does not
 * bend the line. Only maxima and exact sums over spheres, so that their order does not matter. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/exact_sum.h"
#include "scene/quantity.h"

enum { SECTORS = 24, RINGS_MAX = 4096, LEAST_RINGS = 3 };

typedef struct ring {
    double top;      /* m, along up; -infinity: empty */
    double distance; /* m, of that sphere from the axis */
} ring;

typedef struct frame {
    rps_vec3 up, u, w;
    double cu, cw;       /* the axis */
    double width;        /* of a ring */
    double base, height; /* of the heap, along up */
} frame;

static rps_vec3 center_of(const double *x) {
    return rps_vec3_make(x[0], x[1], x[2]);
}

static void make_frame(const double (*x)[4], size_t count, const double up[3], frame *f) {
    rps_exact_sum mass, mu, mw, radii;
    rps_exact_sum_clear(&mass);
    rps_exact_sum_clear(&mu);
    rps_exact_sum_clear(&mw);
    rps_exact_sum_clear(&radii);
    f->up = rps_vec3_make(up[0], up[1], up[2]);
    f->u = rps_vec3_any_across(f->up);
    f->w = rps_vec3_cross(f->up, f->u);
    double top = -INFINITY;
    f->base = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double r = x[i][3], volume = r * r * r, z = rps_vec3_dot(center_of(x[i]), f->up);
        rps_exact_sum_add(&mass, volume);
        rps_exact_sum_add(&mu, volume * rps_vec3_dot(center_of(x[i]), f->u));
        rps_exact_sum_add(&mw, volume * rps_vec3_dot(center_of(x[i]), f->w));
        rps_exact_sum_add(&radii, r);
        f->base = fmin(f->base, z - r);
        top = fmax(top, z + r);
    }
    f->height = top - f->base;
    f->cu = rps_exact_sum_value(&mu) / rps_exact_sum_value(&mass);
    f->cw = rps_exact_sum_value(&mw) / rps_exact_sum_value(&mass);
    f->width = 2.0 * rps_exact_sum_value(&radii) / (double)count;
}

static void sort_into_rings(const double (*x)[4], size_t count, const frame *f, ring *rings, size_t per_sector) {
    for (size_t k = 0; k < SECTORS * per_sector; k++) rings[k] = (ring){-INFINITY, 0.0};
    for (size_t i = 0; i < count; i++) {
        double u = rps_vec3_dot(center_of(x[i]), f->u) - f->cu, w = rps_vec3_dot(center_of(x[i]), f->w) - f->cw;
        double distance = sqrt(u * u + w * w), turn = rps_atan2(w, u) / (2.0 * RPS_PI) + 0.5;
        size_t sector = (size_t)(turn * SECTORS) % SECTORS, n = (size_t)fmin(distance / f->width, 1e9);
        if (n >= per_sector) continue;
        ring *r = &rings[sector * per_sector + n];
        double top = rps_vec3_dot(center_of(x[i]), f->up) + x[i][3];
        if (top > r->top || (top == r->top && distance < r->distance)) *r = (ring){top, distance};
    }
}

/* Slope of the line through the rings of one sector that lie on the flank; false if there are too few. */
static bool fit_sector(const ring *rings, size_t per_sector, const frame *f, double *slope) {
    double n = 0.0, sr = 0.0, sz = 0.0, srr = 0.0, srz = 0.0;
    size_t first = 0;
    double high = f->base + 0.8 * f->height, low = f->base + 0.2 * f->height;
    for (size_t k = 0; k < per_sector; k++) {
        if (rings[k].top > high) first = k + 1; /* the flank begins outside of the last ring of the crown */
    }
    for (size_t k = first; k < per_sector; k++) {
        if (rings[k].distance == 0.0 && rings[k].top < f->base) continue; /* empty: near the axis sectors are narrow */
        if (rings[k].top < low) break;
        double r = rings[k].distance, z = rings[k].top - f->base;
        n += 1.0;
        sr += r;
        sz += z;
        srr += r * r;
        srz += r * z;
    }
    double det = n * srr - sr * sr;
    if (n < LEAST_RINGS || !(det > 0.0)) return false;
    *slope = (n * srz - sr * sz) / det;
    return true;
}

rps_status rps_measure_repose(const double (*x)[4], size_t count, const double up[3], const rps_allocator *allocator,
                              double *angle, rps_error *err) {
    *angle = NAN;
    if (count < 2) return RPS_OK;
    frame f;
    make_frame(x, count, up, &f);
    double farthest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double u = rps_vec3_dot(center_of(x[i]), f.u) - f.cu, w = rps_vec3_dot(center_of(x[i]), f.w) - f.cw;
        farthest = fmax(farthest, sqrt(u * u + w * w));
    }
    size_t per_sector = (size_t)fmin(farthest / f.width + 1.0, RINGS_MAX);
    void *memory;
    RPS_TRY(rps_memory_alloc(allocator, SECTORS * per_sector * sizeof(ring), &memory, err));
    sort_into_rings(x, count, &f, memory, per_sector);
    double sum = 0.0, fitted = 0.0;
    for (size_t s = 0; s < SECTORS; s++) {
        double slope;
        if (!fit_sector((const ring *)memory + s * per_sector, per_sector, &f, &slope)) continue;
        sum += rps_atan(-slope);
        fitted += 1.0;
    }
    rps_memory_release(allocator, memory, SECTORS * per_sector * sizeof(ring));
    if (fitted >= SECTORS / 2) *angle = sum / fitted;
    return RPS_OK;
}
