/*
 * Vertices of the core: each plane of the mesh, moved inwards, is a polygon cut by all the others. Their convex hull is the core.
 */
#include "mesh/mesh_core.h"

#include <math.h>

#include "mesh/build_mesh.h"
#include "mesh/hull.h"
#include "mesh/reach.h"

/* In sizes of the mesh: how far a point may lie outside of a plane of a convex one; points of the core that are one. */
static const double BULGE = RPS_MESH_WELD, CORE_WELD = 1e-9;
/* Sine between the directions of one ridge of the mesh and of the core: files in single precision are no better. */
static const double SAME_RIDGE = 1e-6;
/* Sine between the direction to a foot and the normal of its face; a foot at a corner, in lengths of the edge. */
static const double UPRIGHT = 1e-9, AT_END = 1e-9;
/* Of a point inside: sine between the direction from its foot, which lies in a face, and the normal there. */
static const double INWARD = 1e-6;
/* Of positions, in half widths of the core. */
static const double ROUNDING = 1e-14;

typedef struct half_space {
    rps_vec3 normal;
    double height; /* m: normal . x <= height */
} half_space;

typedef struct core_work {
    rps_arena arena;
    const rps_mesh *mesh;
    half_space *plane;
    rps_vec3 *corner[2]; /* of the polygon before and after a cut */
    double (*point)[3];
    size_t points, point_bytes;
} core_work;

/* --- convex meshes ------------------------------------------------------------------------------------------------- */

static double size_of_mesh(const rps_mesh *m) {
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        const double extent = m->box.high[k] - m->box.low[k];
        most = extent > most ? extent : most;
    }
    return most;
}

static void core_planes(core_work *w) {
    const rps_mesh *m = w->mesh;
    for (size_t t = m->triangles; t-- > 0;) { /* the first triangle of a patch determines its plane */
        const rps_vec3 n = rps_vec3_of(m->normal[t]);
        w->plane[m->patch[t]] = (half_space){n, rps_vec3_dot(n, rps_vec3_of(m->point[m->triangle[t][0]]))};
    }
}

static bool is_convex(const core_work *w) {
    const rps_mesh *m = w->mesh;
    const double most = BULGE * size_of_mesh(m);
    for (size_t k = 0; k < m->patches; k++) {
        for (size_t p = 0; p < m->points; p++) {
            if (rps_vec3_dot(w->plane[k].normal, rps_vec3_of(m->point[p])) > w->plane[k].height + most) return false;
        }
    }
    return true;
}

/* --- corners of the core -------------------------------------------------------------------------------------------- */

/* Keeps the part of the polygon in corner[0] that is below the plane; returns how many corners it has. */
static size_t cut_polygon(core_work *w, size_t corners, const half_space *by) {
    size_t kept = 0;
    for (size_t k = 0; k < corners; k++) {
        const rps_vec3 a = w->corner[0][k], b = w->corner[0][(k + 1) % corners];
        const double over_a = rps_vec3_dot(by->normal, a) - by->height,
                     over_b = rps_vec3_dot(by->normal, b) - by->height;
        if (over_a <= 0.0) w->corner[1][kept++] = a;
        if ((over_a <= 0.0) == (over_b <= 0.0)) continue;
        w->corner[1][kept++] = rps_vec3_add_scaled(a, over_a / (over_a - over_b), rps_vec3_sub(b, a));
    }
    rps_vec3 *const swap = w->corner[0];
    w->corner[0] = w->corner[1];
    w->corner[1] = swap;
    return kept;
}

/* Appends the corners of one plane. reach: m, more than the extent of the mesh. */
static rps_status add_corners(core_work *w, size_t plane, double reach, rps_error *err) {
    const half_space *p = &w->plane[plane];
    const rps_vec3 u = rps_vec3_any_across(p->normal), v = rps_vec3_cross(p->normal, u);
    const rps_vec3 middle =
        rps_vec3_add_scaled(w->mesh->center, p->height - rps_vec3_dot(p->normal, w->mesh->center), p->normal);
    static const double side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    size_t corners = 4;
    for (size_t k = 0; k < corners; k++) {
        const rps_vec3 along = rps_vec3_add_scaled(middle, reach * side[k][0], u);
        w->corner[0][k] = rps_vec3_add_scaled(along, reach * side[k][1], v);
    }
    for (size_t k = 0; k < w->mesh->patches && corners > 0; k++) {
        if (k != plane) corners = cut_polygon(w, corners, &w->plane[k]);
    }
    void *point = w->point;
    RPS_TRY(rps_buffer_reserve(w->mesh->allocator, &point, &w->point_bytes, w->points * sizeof *w->point,
                               (w->points + corners) * sizeof *w->point, err));
    w->point = point;
    for (size_t k = 0; k < corners; k++) rps_vec3_put(w->point[w->points++], w->corner[0][k]);
    return RPS_OK;
}

/* --- the core ------------------------------------------------------------------------------------------------------- */

static rps_status build_core_mesh(const core_work *w, rps_mesh *out, rps_error *err) {
    rps_mesh points = {.allocator = w->mesh->allocator, .points = w->points, .point = w->point};
    rps_raw_mesh raw;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = CORE_WELD;
    points.box = (rps_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t p = 0; p < w->points; p++) {
        for (int k = 0; k < 3; k++) {
            if (w->point[p][k] < points.box.low[k]) points.box.low[k] = w->point[p][k];
            if (w->point[p][k] > points.box.high[k]) points.box.high[k] = w->point[p][k];
        }
    }
    RPS_TRY(rps_mesh_hull(&points, CORE_WELD, &raw, err));
    const rps_status status = rps_mesh_build(w->mesh->allocator, &raw, &options, out, &report, err);
    rps_raw_mesh_release(w->mesh->allocator, &raw);
    return status;
}

static rps_vec3 ridge_along(const rps_mesh_ridge *r) {
    return rps_vec3_normalize(rps_vec3_sub(rps_vec3_of(r->end[1]), rps_vec3_of(r->end[0])));
}

/* Whether a ridge of the core lies between the same planes as one of the mesh. */
static bool is_ridge_of(const rps_mesh *m, const rps_mesh_ridge *ridge) {
    const rps_vec3 along = ridge_along(ridge), out = rps_vec3_of(ridge->out);
    for (size_t k = 0; k < m->ridges; k++) {
        if (rps_vec3_norm(rps_vec3_cross(out, rps_vec3_of(m->ridge[k].out))) > SAME_RIDGE) continue;
        if (rps_vec3_norm(rps_vec3_cross(along, ridge_along(&m->ridge[k]))) < SAME_RIDGE) return true;
    }
    return false;
}

static rps_status keep_edges(const rps_mesh *m, struct rps_mesh_core *core, rps_error *err) {
    void *block;
    size_t bytes;
    for (size_t k = 0; k < core->mesh.ridges; k++) core->edges += is_ridge_of(m, &core->mesh.ridge[k]);
    if (core->edges == 0) return RPS_OK;
    RPS_TRY(rps_size_of_items(core->edges, sizeof *core->edge, &bytes, err));
    RPS_TRY(rps_memory_alloc(m->allocator, bytes, &block, err));
    core->edge = block;
    size_t kept = 0;
    for (size_t k = 0; k < core->mesh.ridges; k++) {
        if (is_ridge_of(m, &core->mesh.ridge[k])) core->edge[kept++] = core->mesh.ridge[k];
    }
    return rps_ridge_tree(m->allocator, core->edge, core->edges, &core->edge_tree, err);
}

static rps_status core_begin(core_work *w, rps_error *err) {
    void *block;
    const size_t planes = w->mesh->patches;
    RPS_TRY(rps_arena_take_items(&w->arena, planes, sizeof *w->plane, &block, err));
    w->plane = block;
    for (int k = 0; k < 2; k++) { /* each cut adds a corner at most */
        RPS_TRY(rps_arena_take_items(&w->arena, planes + 4, sizeof *w->corner[k], &block, err));
        w->corner[k] = block;
    }
    core_planes(w);
    return RPS_OK;
}

/* The distance of the center of mass from the nearest plane, m. */
static double core_half_width(const core_work *w) {
    double least = INFINITY;
    for (size_t k = 0; k < w->mesh->patches; k++) {
        const double depth = w->plane[k].height - rps_vec3_dot(w->plane[k].normal, w->mesh->center);
        least = depth < least ? depth : least;
    }
    return least;
}

static rps_status fill_core(core_work *w, struct rps_mesh_core *core, rps_error *err) {
    const double reach = 4.0 * size_of_mesh(w->mesh);
    for (size_t k = 0; k < w->mesh->patches; k++) w->plane[k].height -= core->radius;
    for (size_t k = 0; k < w->mesh->patches; k++) RPS_TRY(add_corners(w, k, reach, err));
    RPS_TRY(build_core_mesh(w, &core->mesh, err));
    return keep_edges(w->mesh, core, err);
}

static rps_status find_core(core_work *w, double fraction, struct rps_mesh_core **out, rps_error *err) {
    void *block;
    RPS_TRY(core_begin(w, err));
    const double half = core_half_width(w);
    if (!(half > 0.0) || !is_convex(w)) return RPS_OK;
    RPS_TRY(rps_memory_alloc_zeroed(w->mesh->allocator, sizeof **out, &block, err));
    struct rps_mesh_core *core = block;
    core->half = half;
    core->radius = fraction * half;
    const rps_status status = fill_core(w, core, err);
    if (status == RPS_OK) {
        *out = core;
    } else {
        rps_mesh_core_release(w->mesh->allocator, core);
    }
    return status;
}

rps_status rps_mesh_find_core(rps_mesh *mesh, double fraction, rps_error *err) {
    if (!mesh->closed || mesh->side != RPS_MESH_OUTER || mesh->patches > RPS_MESH_CORE_PLANES) return RPS_OK;
    core_work w = {.mesh = mesh};
    rps_arena_init(&w.arena, mesh->allocator);
    const rps_status status = find_core(&w, fraction, &mesh->core, err);
    void *point = w.point;
    rps_buffer_release(mesh->allocator, &point, &w.point_bytes);
    rps_arena_release(&w.arena);
    return status;
}

void rps_mesh_core_release(const rps_allocator *allocator, struct rps_mesh_core *core) {
    if (core == NULL) return;
    rps_mesh_release(&core->mesh);
    rps_memory_release(allocator, core->edge, core->edges * sizeof *core->edge);
    rps_box_tree_release(allocator, &core->edge_tree);
    rps_memory_release(allocator, core, sizeof *core);
}

size_t rps_mesh_core_bytes(const struct rps_mesh_core *core) {
    if (core == NULL) return 0;
    return sizeof *core + rps_mesh_bytes(&core->mesh) + core->edges * sizeof *core->edge +
           rps_box_tree_bytes(&core->edge_tree);
}

/* --- feet ----------------------------------------------------------------------------------------------------------- */

static bool core_encloses(const rps_mesh *m, rps_vec3 point) {
    for (size_t t = 0; t < m->triangles; t++) {
        const rps_vec3 from = rps_vec3_sub(point, rps_vec3_of(m->point[m->triangle[t][0]]));
        if (rps_vec3_dot(rps_vec3_of(m->normal[t]), from) > 0.0) return false;
    }
    return true;
}

/* Sets what the foot lies on: where the direction leans from the normal of its triangle it lies on an edge, or at an end of one. */
static void place_foot(const rps_mesh *m, uint32_t triangle, rps_core_foot *foot) {
    const rps_mesh_face *face = &m->face[triangle];
    foot->on = RPS_FOOT_ON_FACE;
    if (rps_vec3_norm(rps_vec3_cross(foot->out, rps_vec3_of(face->normal))) < UPRIGHT) return;
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        const rps_vec3 a = rps_vec3_of(face->point[k]), b = rps_vec3_of(face->point[(k + 1) % 3]);
        const rps_vec3 edge = rps_vec3_sub(b, a), from = rps_vec3_sub(foot->point, a);
        const double length = rps_vec3_norm(edge), t = rps_vec3_dot(from, edge) / (length * length);
        const double off = rps_vec3_norm(rps_vec3_add_scaled(from, -t, edge));
        if (!(off < nearest)) continue;
        nearest = off;
        foot->on = t > AT_END && t < 1.0 - AT_END ? RPS_FOOT_ON_EDGE : RPS_FOOT_ON_CORNER;
        foot->along = rps_vec3_scale(edge, 1.0 / length);
    }
}

rps_core_foot rps_mesh_core_nearest(const struct rps_mesh_core *core, rps_vec3 point) {
    rps_reached nearest;
    rps_core_foot foot = {.on = RPS_FOOT_ON_FACE};
    (void)rps_mesh_nearest(&core->mesh, point, INFINITY, &nearest);
    const rps_vec3 normal = rps_vec3_of(core->mesh.normal[nearest.triangle]);
    const rps_vec3 away = rps_vec3_sub(point, nearest.point);
    foot.point = nearest.point;
    foot.distance = nearest.distance;
    foot.out = normal;
    if (!(nearest.distance > ROUNDING * core->half)) return foot;
    if (!(rps_vec3_dot(away, normal) > 0.0)) {
        const double lean = rps_vec3_norm(rps_vec3_cross(away, normal));
        if (lean < INWARD * nearest.distance || core_encloses(&core->mesh, point)) {
            foot.distance = -nearest.distance;
            return foot;
        }
    }
    foot.out = rps_vec3_scale(away, 1.0 / nearest.distance);
    place_foot(&core->mesh, nearest.triangle, &foot);
    return foot;
}
