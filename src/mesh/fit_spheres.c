/*
 * The greedy choice of inscribed spheres; fit_spheres.h has the method.
 *
 * A cell of the grid holds the part of it that chosen spheres cover, which falls from 1 to 0 over one spacing at the surface of a
 * sphere, so that sums over cells are volumes to second order. The volume that a candidate adds can only fall as others are chosen: the
 * candidates stand in a heap by the last value known, and only the one on top is computed again.
 */
#include "mesh/fit_spheres.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "mesh/draft.h"
#include "mesh/enclose.h"
#include "mesh/reach.h"

enum {
    CELLS_INSIDE = 32768,  /* wanted */
    CELLS_MOST = 1 << 19,  /* of the box */
    CELLS_ACROSS = 8,      /* at least, along each axis of the box */
    CELLS_LEAST = 64,      /* inside; with fewer the grid says nothing about the form */
    CLIMB_HALVINGS = 8,    /* of the step of a center */
    SURFACE_POINTS = 20000 /* at which distances are measured, and at least one on every triangle */
};

static const double LEAST_GAIN = 1.0; /* cells that a further sphere must add */

typedef struct candidate {
    rps_fitted_sphere sphere;
    double gain;   /* cells that it adds, an upper bound */
    size_t chosen; /* spheres that were chosen when the gain was computed; SIZE_MAX: never */
    size_t cell;   /* that it came from: the lower one goes first among equals */
} candidate;

typedef struct fitting {
    const rps_mesh *mesh;
    size_t cells[3];
    double low[3], step[3]; /* m, centre of the first cell, spacing along each axis */
    double spacing;         /* m, mean */
    float *covered;         /* by cell: covered part; below 0: outside */
    candidate *heap;
    size_t candidates;
} fitting;

/* --- grid ------------------------------------------------------------------------------------------------------------ */

static size_t cells_of(const fitting *f) {
    return f->cells[0] * f->cells[1] * f->cells[2];
}

static void choose_grid(fitting *f) {
    const rps_box *box = &f->mesh->box;
    for (double h = rps_cbrt(f->mesh->volume / CELLS_INSIDE);; h *= 1.1) {
        double all = 1.0;
        for (int k = 0; k < 3; k++) {
            const double extent = box->high[k] - box->low[k], n = rps_larger(CELLS_ACROSS, ceil(extent / h));
            f->cells[k] = n < CELLS_MOST ? (size_t)n : CELLS_MOST;
            f->step[k] = extent / n;
            f->low[k] = box->low[k] + 0.5 * f->step[k];
            all *= n;
        }
        if (all <= CELLS_MOST) break;
    }
    f->spacing = rps_cbrt(f->step[0] * f->step[1] * f->step[2]);
}

static rps_vec3 center_of_cell(const fitting *f, size_t cell) {
    const size_t i = cell % f->cells[0], j = cell / f->cells[0] % f->cells[1], k = cell / f->cells[0] / f->cells[1];
    return rps_vec3_make(f->low[0] + f->step[0] * (double)i, f->low[1] + f->step[1] * (double)j,
                         f->low[2] + f->step[2] * (double)k);
}

/* The sum over cells of the part that a sphere adds; with `cover` it covers them. */
static double add_sphere(fitting *f, const rps_fitted_sphere *s, bool cover) {
    const double center[3] = {s->center.x, s->center.y, s->center.z}, reach = s->radius + 0.5 * f->spacing;
    size_t first[3], end[3];
    for (int k = 0; k < 3; k++) {
        const double low = ceil((center[k] - reach - f->low[k]) / f->step[k]);
        const double high = floor((center[k] + reach - f->low[k]) / f->step[k]) + 1.0;
        first[k] = low > 0.0 ? (size_t)low : 0;
        end[k] = high > 0.0 ? (size_t)high : 0;
        if (end[k] > f->cells[k]) end[k] = f->cells[k];
    }
    double sum = 0.0;
    for (size_t z = first[2]; z < end[2]; z++) {
        const double dz = f->low[2] + f->step[2] * (double)z - center[2];
        for (size_t y = first[1]; y < end[1]; y++) {
            const double dy = f->low[1] + f->step[1] * (double)y - center[1], across2 = dy * dy + dz * dz;
            float *row = &f->covered[(z * f->cells[1] + y) * f->cells[0]];
            for (size_t x = first[0]; x < end[0]; x++) {
                if (row[x] < 0.0f || row[x] >= 1.0f) continue;
                const double dx = f->low[0] + f->step[0] * (double)x - center[0];
                const double part = (reach - sqrt(dx * dx + across2)) / f->spacing;
                const float now = part >= 1.0 ? 1.0f : (float)part;
                if (!(now > row[x])) continue;
                sum += (double)(now - row[x]);
                if (cover) row[x] = now;
            }
        }
    }
    return sum;
}

/* --- inscribed spheres ----------------------------------------------------------------------------------------------- */

static rps_fitted_sphere inscribed_at(const rps_mesh *mesh, rps_vec3 center) {
    rps_reached nearest;
    rps_mesh_nearest(mesh, center, INFINITY, &nearest);
    return (rps_fitted_sphere){center, nearest.distance};
}

/* Moves the center, inside the sphere, to where the sphere adds most. Along ridges of the distance only few directions lead
 * uphill: all 26 to neighbors in a cube are tried. */
static rps_fitted_sphere climb(fitting *f, rps_fitted_sphere best) {
    double most = add_sphere(f, &best, false), step = f->spacing;
    for (int halvings = 0; halvings < CLIMB_HALVINGS;) {
        rps_fitted_sphere next = best;
        double gain = most;
        for (int way = 0; way < 27 && 2.0 * step < best.radius; way++) {
            if (way == 13) continue; /* the middle */
            const rps_vec3 move = rps_vec3_make(way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1);
            const rps_fitted_sphere trial = inscribed_at(f->mesh, rps_vec3_add_scaled(best.center, step, move));
            const double of_trial = add_sphere(f, &trial, false);
            if (!(of_trial > gain)) continue;
            gain = of_trial;
            next = trial;
        }
        if (gain > most) {
            most = gain;
            best = next;
        } else {
            step *= 0.5;
            halvings++;
        }
    }
    return best;
}

/* --- the heap of candidates ------------------------------------------------------------------------------------------ */

static bool adds_more(const candidate *a, const candidate *b) {
    return a->gain > b->gain || (a->gain == b->gain && a->cell < b->cell);
}

static void sink_candidate(fitting *f, size_t at) {
    const candidate moved = f->heap[at];
    for (size_t child = 2 * at + 1; child < f->candidates; child = 2 * at + 1) {
        if (child + 1 < f->candidates && adds_more(&f->heap[child + 1], &f->heap[child])) child++;
        if (!adds_more(&f->heap[child], &moved)) break;
        f->heap[at] = f->heap[child];
        at = child;
    }
    f->heap[at] = moved;
}

static void drop_top(fitting *f) {
    f->heap[0] = f->heap[--f->candidates];
    if (f->candidates > 0) sink_candidate(f, 0);
}

/* More than a sphere can add: all cells with a centre in reach, each of which lies in a ball one diagonal larger. */
static double bound_of_gain(const fitting *f, double radius) {
    const double r = radius + f->spacing + f->step[0] + f->step[1] + f->step[2];
    return 4.0 / 3.0 * RPS_PI * (r * r * r) / (f->spacing * f->spacing * f->spacing);
}

static void fill_heap(fitting *f, double least_radius) {
    size_t cell = 0;
    for (const size_t end = cells_of(f); cell < end; cell++) {
        if (f->covered[cell] < 0.0f) continue;
        const rps_fitted_sphere sphere = inscribed_at(f->mesh, center_of_cell(f, cell));
        if (!(sphere.radius > 0.0 && sphere.radius >= least_radius)) continue;
        f->heap[f->candidates++] = (candidate){sphere, bound_of_gain(f, sphere.radius), SIZE_MAX, cell};
    }
    for (size_t k = f->candidates / 2; k-- > 0;) sink_candidate(f, k);
}

static void choose_spheres(fitting *f, size_t wanted, double least_radius, rps_sphere_fit *out) {
    while (out->count < wanted && f->candidates > 0) {
        candidate *top = &f->heap[0];
        if (top->chosen != out->count) {
            top->gain = add_sphere(f, &top->sphere, false);
            top->chosen = out->count;
            if (top->gain < LEAST_GAIN) {
                drop_top(f);
            } else {
                sink_candidate(f, 0);
            }
            continue;
        }
        rps_fitted_sphere best = climb(f, top->sphere);
        if (best.radius < least_radius) best = top->sphere;
        drop_top(f);
        add_sphere(f, &best, true);
        out->sphere[out->count++] = best;
    }
}

/* --- distances ------------------------------------------------------------------------------------------------------- */

typedef struct gap_search {
    const rps_fitted_sphere *sphere;
    rps_vec3 point;
    double gap;
} gap_search;

static double gap_to(const rps_fitted_sphere *s, rps_vec3 point) {
    return rps_larger(0.0, rps_vec3_norm(rps_vec3_sub(point, s->center)) - s->radius);
}

static void visit_sphere(void *context, uint32_t item, double *radius) {
    gap_search *s = context;
    const double gap = gap_to(&s->sphere[item], s->point);
    if (gap < s->gap) *radius = s->gap = gap;
}

static double gap_at(const rps_sphere_fit *fit, const rps_box_tree *tree, rps_vec3 point) {
    gap_search s = {fit->sphere, point, gap_to(&fit->sphere[0], point)};
    rps_box_tree_find_near(tree, point, s.gap, visit_sphere, &s);
    return s.gap;
}

/* Cuts the edges of a triangle into n parts, which makes n^2 equal triangles, and takes their centers; and its corners. */
static void measure_triangle(const rps_mesh *mesh, uint32_t triangle, const rps_box_tree *tree, double point_area,
                             rps_sphere_fit *fit, double *sum) {
    const rps_mesh_face *face = &mesh->face[triangle];
    const rps_vec3 a = rps_vec3_of(face->point[0]), ab = rps_vec3_sub(rps_vec3_of(face->point[1]), a),
                   ac = rps_vec3_sub(rps_vec3_of(face->point[2]), a);
    const double area = 0.5 * rps_vec3_norm(rps_vec3_cross(ab, ac)),
                 parts = rps_larger(1.0, ceil(sqrt(area / point_area)));
    const int n = (int)parts;
    for (int k = 0; k < 3; k++) fit->largest = rps_larger(fit->largest, gap_at(fit, tree, rps_vec3_of(face->point[k])));
    double of_triangle = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 2 * (n - i) - 1; j++) {
            const int turned = j % 2; /* every second one stands on its corner */
            const double u = ((double)i + (turned ? 2.0 : 1.0) / 3.0) / parts;
            const double v = ((double)(j / 2) + (turned ? 2.0 : 1.0) / 3.0) / parts;
            const double gap = gap_at(fit, tree, rps_vec3_add_scaled(rps_vec3_add_scaled(a, u, ab), v, ac));
            fit->largest = rps_larger(fit->largest, gap);
            of_triangle += gap;
        }
    }
    *sum += of_triangle * (area / (parts * parts));
}

static rps_status measure_distances(const rps_mesh *mesh, rps_sphere_fit *fit, rps_error *err) {
    rps_box_tree tree;
    size_t bytes;
    void *boxes;
    RPS_TRY(rps_size_of_items(fit->count, sizeof(rps_box), &bytes, err));
    RPS_TRY(rps_memory_alloc(fit->allocator, bytes, &boxes, err));
    rps_box *box = boxes;
    for (size_t k = 0; k < fit->count; k++) {
        const rps_fitted_sphere *s = &fit->sphere[k];
        const double x[3] = {s->center.x, s->center.y, s->center.z};
        for (int c = 0; c < 3; c++) {
            box[k].low[c] = x[c] - s->radius;
            box[k].high[c] = x[c] + s->radius;
        }
    }
    const rps_status status = rps_box_tree_build(fit->allocator, box, fit->count, &tree, err);
    rps_memory_release(fit->allocator, boxes, bytes);
    RPS_TRY(status);
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangles; t++) {
        measure_triangle(mesh, (uint32_t)t, &tree, mesh->area / SURFACE_POINTS, fit, &sum);
    }
    fit->mean = sum / mesh->area;
    rps_box_tree_release(fit->allocator, &tree);
    return RPS_OK;
}

/* --- all ------------------------------------------------------------------------------------------------------------- */

static rps_status fit_on_grid(fitting *f, size_t wanted, double least_radius, rps_sphere_fit *out, rps_error *err) {
    size_t inside = 0;
    for (size_t cell = 0, end = cells_of(f); cell < end; cell++) {
        const bool is = rps_mesh_encloses(f->mesh, center_of_cell(f, cell));
        f->covered[cell] = is ? 0.0f : -1.0f;
        inside += is;
    }
    if (inside < CELLS_LEAST) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the mesh is too thin for spheres: a grid of %.3g m has %zu points inside it, and %d are "
                        "needed; give the body as pieces of boxes",
                        f->spacing, inside, CELLS_LEAST);
    }
    size_t bytes;
    void *heap;
    RPS_TRY(rps_size_of_items(inside, sizeof(candidate), &bytes, err));
    RPS_TRY(rps_memory_alloc(out->allocator, bytes, &heap, err));
    f->heap = heap;
    fill_heap(f, least_radius);
    choose_spheres(f, wanted, least_radius, out);
    rps_memory_release(out->allocator, heap, bytes);
    if (out->count > 0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "no sphere of a radius of %g m and more fits into the mesh", least_radius);
}

rps_status rps_sphere_fit_make(const rps_allocator *allocator, const rps_mesh *mesh, size_t wanted, double least_radius,
                               rps_sphere_fit *out, rps_error *err) {
    *out = (rps_sphere_fit){.allocator = allocator};
    if (!(mesh->closed && mesh->volume > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spheres fill a closed mesh with a volume, and this one %s; `repose mesh` lists its edges",
                        mesh->closed ? "has none" : "is open");
    }
    if (!(wanted > 0 && wanted <= RPS_FIT_MOST)) {
        return rps_fail(err, RPS_BAD_INPUT, "the number of spheres is 1 to %d, not %zu", RPS_FIT_MOST, wanted);
    }
    size_t bytes;
    void *spheres, *covered;
    RPS_TRY(rps_size_of_items(wanted, sizeof *out->sphere, &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &spheres, err));
    out->sphere = spheres;
    out->bytes = bytes;
    fitting f = {.mesh = mesh};
    choose_grid(&f);
    out->spacing = f.spacing;
    bytes = cells_of(&f) * sizeof *f.covered;
    rps_status status = rps_memory_alloc(allocator, bytes, &covered, err);
    if (status == RPS_OK) {
        f.covered = covered;
        status = fit_on_grid(&f, wanted, least_radius, out, err);
        rps_memory_release(allocator, covered, bytes);
    }
    if (status == RPS_OK) status = measure_distances(mesh, out, err);
    if (status != RPS_OK) rps_sphere_fit_release(out);
    return status;
}

void rps_sphere_fit_release(rps_sphere_fit *fit) {
    if (fit->sphere != NULL) rps_memory_release(fit->allocator, fit->sphere, fit->bytes);
    *fit = (rps_sphere_fit){0};
}
