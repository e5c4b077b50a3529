/* Faces: what a rectangle and a surface of triangles read, and points at random on them. */
#include "scene/region_face.h"

#include <math.h>
#include <string.h>

#include "scene/scene_internal.h"

bool rps_region_is_face(const rps_region *r) {
    return r->kind == RPS_REGION_DISK || r->kind == RPS_REGION_RECTANGLE || r->kind == RPS_REGION_SURFACE;
}

/* --- a rectangle: `point` is a corner, `side` its edges ------------------------------------------------------------- */

/* Cosine of the angle between the sides below which it is right: given in degrees, directions have few digits. */
static const double RIGHT = 1e-6;

rps_status rps_region_read_rectangle(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    const rps_node *sides = rps_node_get(node, "sides");
    double corner[3] = {0.0, 0.0, 0.0}, length[2];
    (void)scene;
    rps_node_vector(node, "corner", corner, 3);
    r->point = rps_vec3_of(corner);
    for (int k = 0; k < 2; k++) {
        r->side[k] = rps_vec3_of(sides->entry[k].value->number);
        length[k] = rps_vec3_norm(r->side[k]);
        if (!(length[k] > 0.0)) return rps_place_fail(err, sides->entry[k].value->place, "the side has no length");
    }
    if (!(fabs(rps_vec3_dot(r->side[0], r->side[1])) <= RIGHT * length[0] * length[1]))
        return rps_place_fail(err, sides->place, "the sides of a rectangle are at right angles to each other");
    r->axis = rps_vec3_normalize(rps_vec3_cross(r->side[0], r->side[1]));
    for (int k = 0; k < 3; k++) r->low[k] = r->high[k] = corner[k];
    for (int n = 1; n < 4; n++) {
        double x[3];
        rps_vec3_put(x, rps_vec3_add_scaled(rps_vec3_add_scaled(r->point, n & 1, r->side[0]), n >> 1, r->side[1]));
        for (int k = 0; k < 3; k++) r->low[k] = fmin(r->low[k], x[k]), r->high[k] = fmax(r->high[k], x[k]);
    }
    return RPS_OK;
}

rps_status rps_region_check_rectangle(const rps_region *r, rps_place place, double radius, rps_error *err) {
    for (int k = 0; k < 2; k++) {
        const double length = rps_vec3_norm(r->side[k]);
        if (length >= 2.0 * radius) continue;
        return rps_place_fail(err, place, "a side of the rectangle is %.6g m long; a particle needs %.6g m", length,
                              2.0 * radius);
    }
    return RPS_OK;
}

void rps_region_draw_rectangle(const rps_region *r, double margin, const double u[4], double x[3]) {
    rps_vec3 at = r->point;
    for (int k = 0; k < 2; k++) {
        const double edge = margin / rps_vec3_norm(r->side[k]);
        at = rps_vec3_add_scaled(at, edge + u[k] * (1.0 - 2.0 * edge), r->side[k]);
    }
    rps_vec3_put(x, at);
}

/* --- a surface ------------------------------------------------------------------------------------------------------ */

/* How far before a triangle a sphere is put, in radii: rounding must not make it overlap a wall that lies there. */
static const double CLEAR = 1.0 + 1e-9;

rps_status rps_region_read_surface(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    RPS_TRY(rps_build_surface(scene, node, &r->mesh, err));
    memcpy(r->low, r->mesh->box.low, sizeof r->low);
    memcpy(r->high, r->mesh->box.high, sizeof r->high);
    r->inner = rps_node_is(rps_node_get(node, "side"), "inner");
    double *upto = rps_pool_take(&scene->pool, r->mesh->triangles * sizeof *upto, err);
    if (!upto) return RPS_NO_MEMORY;
    double sum = 0.0;
    for (size_t t = 0; t < r->mesh->triangles; t++) {
        const uint32_t *corner = r->mesh->triangle[t];
        const rps_vec3 a = rps_vec3_of(r->mesh->point[corner[0]]);
        const rps_vec3 b = rps_vec3_sub(rps_vec3_of(r->mesh->point[corner[1]]), a);
        const rps_vec3 c = rps_vec3_sub(rps_vec3_of(r->mesh->point[corner[2]]), a);
        sum += 0.5 * rps_vec3_norm(rps_vec3_cross(b, c));
        upto[t] = sum;
    }
    r->upto = upto;
    return RPS_OK;
}

/* The triangle at this part of the area. */
static size_t triangle_at(const rps_region *r, double part) {
    size_t low = 0, high = r->mesh->triangles - 1;
    const double area = part * r->upto[high];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->upto[middle] > area)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

rps_vec3 rps_region_front(const rps_region *r, const double u[4]) {
    if (!rps_region_is_face(r)) return rps_vec3_make(0.0, 0.0, 0.0);
    if (r->kind != RPS_REGION_SURFACE) return r->axis;
    return rps_vec3_scale(rps_vec3_of(r->mesh->normal[triangle_at(r, u[0])]), r->inner ? -1.0 : 1.0);
}

void rps_region_draw_surface(const rps_region *r, double margin, const double u[4], double x[3]) {
    const uint32_t *corner = r->mesh->triangle[triangle_at(r, u[0])];
    const double root = sqrt(u[1]); /* even over the area */
    const double part[3] = {1.0 - root, root * (1.0 - u[2]), root * u[2]};
    rps_vec3 at = rps_vec3_scale(rps_region_front(r, u), CLEAR * margin);
    for (int k = 0; k < 3; k++) at = rps_vec3_add_scaled(at, part[k], rps_vec3_of(r->mesh->point[corner[k]]));
    rps_vec3_put(x, at);
}
