/* The slope of a surface of grains, as in a rotating drum. As of a heap, the ground is divided into square columns of one mean
 * diameter, and each column is represented by its sphere with the highest top, at the position of the sphere; a plane is
 * fitted to these. Only spheres that contacts connect to a wall count, since one in the air is no part of the surface. Columns
 * lie at multiples of their width from the origin and are added in their order, so that the order of spheres does not
 * matter. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/exact_sum.h"
#include "scene/quantity.h"
#include "world/body_shape.h"

enum { LEAST_COLUMNS = 12 }; /* four times the unknowns of a plane */

/* A sphere, and after sorting the highest one of a column. */
typedef struct surface_sphere {
    double a, b;         /* numbers of its column */
    double u, w, top, r; /* m, across and along up; radius */
} surface_sphere;

/* By column; in a column the highest first, of equal ones by position. */
static int compare_spheres(const void *one, const void *two) {
    const surface_sphere *p = one, *q = two;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    if (p->top != q->top) return p->top > q->top ? -1 : 1;
    if (p->u != q->u) return p->u < q->u ? -1 : 1;
    return p->w < q->w ? -1 : p->w > q->w;
}

/* Leaves the highest sphere of every column, in the order of columns, and returns their number. */
static size_t keep_highest(surface_sphere *sphere, size_t count) {
    rps_exact_sum radii;
    size_t columns = 0;
    rps_exact_sum_clear(&radii);
    for (size_t i = 0; i < count; i++) rps_exact_sum_add(&radii, sphere[i].r);
    const double width = 2.0 * rps_exact_sum_value(&radii) / (double)count;
    for (size_t i = 0; i < count; i++) {
        sphere[i].a = floor(sphere[i].u / width);
        sphere[i].b = floor(sphere[i].w / width);
    }
    qsort(sphere, count, sizeof *sphere, compare_spheres);
    for (size_t i = 0; i < count; i++) {
        const surface_sphere *last = columns > 0 ? &sphere[columns - 1] : NULL;
        if (last == NULL || last->a != sphere[i].a || last->b != sphere[i].b) sphere[columns++] = sphere[i];
    }
    return columns;
}

/* Steepness of the plane that fits the tops best, as a tangent; NAN if they lie in a row. In a planar scene of a line. */
static double fit_plane(const surface_sphere *top, size_t n, bool planar) {
    double u = 0.0, w = 0.0, t = 0.0, uu = 0.0, uw = 0.0, ww = 0.0, ut = 0.0, wt = 0.0;
    for (size_t i = 0; i < n; i++) {
        u += top[i].u / (double)n;
        w += top[i].w / (double)n;
        t += top[i].top / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const double x = top[i].u - u, y = top[i].w - w, z = top[i].top - t;
        uu += x * x, uw += x * y, ww += y * y, ut += x * z, wt += y * z;
    }
    if (planar) return uu > 0.0 ? fabs(ut / uu) : NAN;
    const double det = uu * ww - uw * uw;
    if (!(det > 1e-6 * uu * ww)) return NAN;
    const double along = (ut * ww - wt * uw) / det, across = (wt * uu - ut * uw) / det;
    return sqrt(along * along + across * across);
}

rps_status rps_measure_surface(const rps_world *world, int group, const rps_region *region, const double gravity[3],
                               double *angle, rps_absence *absence, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const double size = sqrt((gravity[0] * gravity[0] + gravity[1] * gravity[1]) + gravity[2] * gravity[2]);
    const size_t bytes = (bodies->count + 1) * (sizeof(surface_sphere) + sizeof(uint32_t));
    const bool planar = world->options.dimension == 2;
    rps_vec3 up = rps_vec3_make(0.0, 0.0, 1.0);
    size_t count = 0;
    void *memory;
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    surface_sphere *sphere = memory;
    uint32_t *parent = (uint32_t *)(void *)(sphere + bodies->count + 1);
    if (size > 0.0) up = rps_vec3_scale(rps_vec3_of(gravity), -1.0 / size);
    const rps_vec3 along = planar ? rps_vec3_make(up.z, 0.0, -up.x) : rps_vec3_any_across(up);
    const rps_vec3 across = rps_vec3_cross(up, along);
    rps_join_touching(world, parent, (uint32_t)bodies->count);
    for (uint32_t s = 0; s < bodies->count; s++) {
        const double *x = bodies->pose[s].position, r = bodies->pose[s].radius[0];
        if (bodies->kind[s][0] != RPS_BODY_FREE || (group >= 0 && bodies->group[s][0] != group)) continue;
        if (!rps_region_holds(region, &world->cell, x) || rps_root_of(parent, s) != bodies->count) continue;
        const rps_vec3 at = rps_vec3_of(x);
        sphere[count++] = (surface_sphere){
            .u = rps_vec3_dot(at, along), .w = rps_vec3_dot(at, across), .top = rps_vec3_dot(at, up) + r, .r = r};
    }
    const size_t columns = count > 0 ? keep_highest(sphere, count) : 0;
    const double slope = columns >= LEAST_COLUMNS ? fit_plane(sphere, columns, planar) : NAN;
    *angle = rps_atan(slope);
    *absence = isnan(slope) ? RPS_NO_SURFACE : RPS_PRESENT;
    rps_memory_release(world->allocator, memory, bytes);
    return RPS_OK;
}
