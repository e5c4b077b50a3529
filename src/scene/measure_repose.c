/* The angle of repose. The surface of a heap is given by its highest spheres: the ground is divided into square
 * columns of one mean diameter, and each column is represented by its sphere with the highest top, at the position of
 * the sphere. Columns have equal size because the highest of many spheres is on average higher than the highest of
 * few. In each of 24 sectors the columns give a mean height for every ring, and a line is fitted to the rings of the
 * flank. Only maxima and exact sums over spheres are used, so their order does not matter. A planar heap fills two of
 * the sectors, its flanks. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/exact_sum.h"
#include "scene/quantity.h"
#include "world/body_shape.h"

enum { SECTORS = 24, RINGS_MAX = 512, LEAST_RINGS = 3 }; /* spheres further out are not part of the heap */

typedef struct column {
    double top;  /* m, along up; -infinity: empty */
    double u, w; /* m, distance of that sphere from the axis */
} column;

/* The columns of one ring in one sector. */
typedef struct ring {
    double n, distance, top; /* number and sums */
} ring;

typedef struct frame {
    rps_vec3 up, u, w;
    double cu, cw;       /* the axis */
    double width;        /* of a ring */
    double base, height; /* of the heap, along up */
} frame;

static void make_frame(const double (*x)[4], size_t count, const double up[3], bool planar, frame *f) {
    rps_exact_sum mass, mu, mw, radii;
    rps_exact_sum_clear(&mass);
    rps_exact_sum_clear(&mu);
    rps_exact_sum_clear(&mw);
    rps_exact_sum_clear(&radii);
    f->up = rps_vec3_make(up[0], up[1], up[2]);
    f->u = planar ? rps_vec3_make(up[2], 0.0, -up[0]) : rps_vec3_any_across(f->up);
    f->w = rps_vec3_cross(f->up, f->u);
    double top = -INFINITY;
    f->base = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double r = x[i][3], volume = planar ? r * r : r * r * r, z = rps_vec3_dot(rps_vec3_of(x[i]), f->up);
        rps_exact_sum_add(&mass, volume);
        rps_exact_sum_add(&mu, volume * rps_vec3_dot(rps_vec3_of(x[i]), f->u));
        rps_exact_sum_add(&mw, volume * rps_vec3_dot(rps_vec3_of(x[i]), f->w));
        rps_exact_sum_add(&radii, r);
        f->base = fmin(f->base, z - r);
        top = fmax(top, z + r);
    }
    f->height = top - f->base;
    f->cu = rps_exact_sum_value(&mu) / rps_exact_sum_value(&mass);
    f->cw = rps_exact_sum_value(&mw) / rps_exact_sum_value(&mass);
    f->width = 2.0 * rps_exact_sum_value(&radii) / (double)count;
}

static void sort_into_columns(const double (*x)[4], size_t count, const frame *f, column *columns, size_t rings) {
    size_t side = 2 * rings;
    for (size_t k = 0; k < side * side; k++) columns[k] = (column){-INFINITY, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        double u = rps_vec3_dot(rps_vec3_of(x[i]), f->u) - f->cu, w = rps_vec3_dot(rps_vec3_of(x[i]), f->w) - f->cw;
        double a = floor(u / f->width) + (double)rings, b = floor(w / f->width) + (double)rings;
        if (!(a >= 0.0 && b >= 0.0 && a < (double)side && b < (double)side)) continue;
        column *c = &columns[(size_t)a * side + (size_t)b];
        double top = rps_vec3_dot(rps_vec3_of(x[i]), f->up) + x[i][3];
        bool tie = top == c->top && (u < c->u || (u == c->u && w < c->w));
        if (top > c->top || tie) *c = (column){top, u, w};
    }
}

static void sort_into_rings(const column *columns, size_t rings, const frame *f, ring *ring_of) {
    for (size_t k = 0; k < SECTORS * rings; k++) ring_of[k] = (ring){0.0, 0.0, 0.0};
    for (size_t k = 0; k < 4 * rings * rings; k++) {
        const column *c = &columns[k];
        if (isinf(c->top)) continue;
        double distance = sqrt(c->u * c->u + c->w * c->w), turn = rps_atan2(c->w, c->u) / (2.0 * RPS_PI) + 0.5;
        size_t sector = (size_t)(turn * SECTORS) % SECTORS, n = (size_t)(distance / f->width);
        if (n >= rings) continue;
        ring *r = &ring_of[sector * rings + n];
        r->n += 1.0;
        r->distance += distance;
        r->top += c->top;
    }
}

/* The rings of the flank, first to end - 1, chosen by their mean height over all sectors. If each sector chose its
 * own rings, it would drop those that are by chance too high at the top and too low at the bottom, and underestimate
 * the slope. A surface that nowhere falls to four fifths of its height has no flank: it is level. */
static void find_flank(const ring *ring_of, size_t rings, const frame *f, size_t *first, size_t *end) {
    double high = f->base + 0.8 * f->height, low = f->base + 0.2 * f->height;
    *first = 0;
    *end = rings;
    for (size_t k = 0; k < rings; k++) {
        double n = 0.0, top = 0.0;
        for (size_t s = 0; s < SECTORS; s++) {
            n += ring_of[s * rings + k].n;
            top += ring_of[s * rings + k].top;
        }
        if (n > 0.0 && top / n > high) *first = k + 1;
        if (n > 0.0 && top / n < low && *end == rings) *end = k;
    }
    if (*end == rings && *first + LEAST_RINGS > rings) *first = 0; /* a level surface in a container: use all of it */
}

/* Slope of the line fitted to the rings of one sector, weighted by their columns; false if there are too few. */
static bool fit_sector(const ring *ring_of, size_t first, size_t end, const frame *f, double *slope) {
    double n = 0.0, sr = 0.0, sz = 0.0, srr = 0.0, srz = 0.0;
    size_t count = 0;
    for (size_t k = first; k < end; k++) {
        const ring *g = &ring_of[k];
        if (!(g->n > 0.0)) continue;
        double r = g->distance / g->n, z = g->top / g->n - f->base;
        n += g->n;
        sr += g->n * r;
        sz += g->n * z;
        srr += g->n * r * r;
        srz += g->n * r * z;
        count++;
    }
    double det = n * srr - sr * sr;
    if (count < LEAST_RINGS || !(det > 0.0)) return false;
    *slope = (n * srz - sr * sz) / det;
    return true;
}

/* Normal equations of slope = -fall + tilt in a direction, over the sectors. The slope of a cone is the same in all
 * of them, that of a plane varies as the cosine. */
typedef struct slopes {
    double left[3][3], right[3];
} slopes;

static void add_slope(slopes *all, size_t sector, double slope) {
    double one[3] = {1.0, 0.0, 0.0};
    rps_sincos(2.0 * RPS_PI * ((double)sector + 0.5) / SECTORS, &one[2], &one[1]);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) all->left[i][k] += one[i] * one[k];
        all->right[i] += one[i] * slope;
    }
}

/* Slopes of the cone (positive: falling outwards) and of the plane. A planar heap has two opposite sectors. */
static void split_slopes(slopes *all, bool planar, double *fall, double *tilt) {
    const int n = planar ? 2 : 3;
    double x[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++) { /* symmetric positive definite: no pivoting */
        for (int k = i + 1; k < n; k++) {
            const double factor = all->left[k][i] / all->left[i][i];
            for (int j = i; j < n; j++) all->left[k][j] -= factor * all->left[i][j];
            all->right[k] -= factor * all->right[i];
        }
    }
    for (int i = n; i-- > 0;) {
        x[i] = all->right[i];
        for (int k = i + 1; k < n; k++) x[i] -= all->left[i][k] * x[k];
        x[i] /= all->left[i][i];
    }
    *fall = -x[0];
    *tilt = sqrt(x[1] * x[1] + x[2] * x[2]);
}

rps_status rps_measure_repose(const double (*x)[4], size_t count, const double up[3], bool planar,
                              const rps_allocator *allocator, double *angle, rps_absence *absence, rps_error *err) {
    *angle = NAN;
    *absence = count == 0 ? RPS_NO_GRAINS : RPS_HEAP_LOW;
    if (count < 2) return RPS_OK;
    frame f;
    make_frame(x, count, up, planar, &f);
    if (f.height < RPS_HEAP_DIAMETERS * f.width) return RPS_OK;
    double farthest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double u = rps_vec3_dot(rps_vec3_of(x[i]), f.u) - f.cu, w = rps_vec3_dot(rps_vec3_of(x[i]), f.w) - f.cw;
        farthest = fmax(farthest, sqrt(u * u + w * w));
    }
    size_t rings = (size_t)fmin(farthest / f.width + 1.0, RINGS_MAX);
    size_t column_bytes = 4 * rings * rings * sizeof(column), ring_bytes = SECTORS * rings * sizeof(ring);
    void *memory;
    RPS_TRY(rps_memory_alloc(allocator, column_bytes + ring_bytes, &memory, err));
    column *columns = memory;
    ring *ring_of = (ring *)(columns + 4 * rings * rings);
    sort_into_columns(x, count, &f, columns, rings);
    sort_into_rings(columns, rings, &f, ring_of);
    double sum = 0.0, fitted = 0.0;
    slopes all = {{{0}}, {0}};
    size_t first, end;
    find_flank(ring_of, rings, &f, &first, &end);
    for (size_t s = 0; s < SECTORS; s++) {
        double slope;
        if (!fit_sector(ring_of + s * rings, first, end, &f, &slope)) continue;
        add_slope(&all, s, slope);
        sum += rps_atan(-slope);
        fitted += 1.0;
    }
    rps_memory_release(allocator, memory, column_bytes + ring_bytes);
    *absence = RPS_HEAP_NO_FLANK;
    if (fitted < (planar ? 2.0 : 0.5 * SECTORS)) return RPS_OK;
    double fall, tilt;
    split_slopes(&all, planar, &fall, &tilt);
    *absence = tilt > RPS_HEAP_LEVEL && tilt > fall ? RPS_HEAP_ONE_SIDED
               : fall < -RPS_HEAP_LEVEL             ? RPS_HEAP_HOLLOW
                                                    : RPS_PRESENT;
    if (*absence == RPS_PRESENT) *angle = sum / fitted;
    return RPS_OK;
}

/* --- of a world ---------------------------------------------------------------------------------------------------- */

uint32_t rps_root_of(uint32_t *parent, uint32_t s) {
    while (parent[s] != s) s = parent[s] = parent[parent[s]];
    return s;
}

/* Airborne grains do not belong to a heap, and one high above it would be taken for its top. So a heap is the set of
 * bodies connected by contacts to a fixed or driven body. */
void rps_join_touching(const rps_world *world, uint32_t *parent, uint32_t count) {
    for (uint32_t s = 0; s <= count; s++) {
        parent[s] = s < count && world->bodies.kind[s][0] != RPS_BODY_FREE ? count : s;
    }
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        for (size_t c = 0; c < segment->count; c++) {
            if (!rps_entry_touches(world, segment, c)) continue; /* listed only */
            const uint32_t a = rps_root_of(parent, segment->slot_i[c]), b = rps_root_of(parent, segment->slot_j[c]);
            if (a < b) parent[a] = b; /* towards larger numbers, so that `count` stays a root */
            if (b < a) parent[b] = a;
        }
    }
}

rps_status rps_measure_heap(const rps_world *world, int group, const double gravity[3], double *angle,
                            rps_absence *absence, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const double size = sqrt((gravity[0] * gravity[0] + gravity[1] * gravity[1]) + gravity[2] * gravity[2]);
    const size_t bytes = (bodies->count + 1) * (4 * sizeof(double) + sizeof(uint32_t));
    double up[3] = {0.0, 0.0, 1.0};
    size_t count = 0, free_bodies = 0;
    void *memory;
    for (int k = 0; k < 3 && size > 0.0; k++) up[k] = -gravity[k] / size;
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    double(*x)[4] = memory;
    uint32_t *parent = (uint32_t *)(void *)(x + bodies->count + 1);
    rps_join_touching(world, parent, (uint32_t)bodies->count);
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) { /* by id: the order of slots is arbitrary */
        const bool grain = bodies->kind[s][0] == RPS_BODY_FREE && !rps_body_is_plane(bodies, s);
        if (!grain || (group >= 0 && bodies->group[s][0] != group)) continue;
        free_bodies++;
        if (rps_root_of(parent, (uint32_t)s) != bodies->count) continue;
        rps_world_unwrapped(world, s, x[count]);
        x[count++][3] = bodies->pose[s].radius[0];
    }
    rps_status status = rps_measure_repose((const double(*)[4])x, count, up, world->options.dimension == 2,
                                           world->allocator, angle, absence, err);
    if (count == 0 && free_bodies > 0) *absence = RPS_HEAP_IN_THE_AIR;
    rps_memory_release(world->allocator, memory, bytes);
    return status;
}
