/* Regions: what each kind reads, which points it holds, and how a source draws points in it. */
#include "scene/region.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/random.h"
#include "mesh/enclose.h"
#include "mesh/reach.h"
#include "scene/region_face.h"
#include "scene/scene_internal.h"

/* --- reading ------------------------------------------------------------------------------------------------------- */

static rps_status region_read_box(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    (void)scene;
    for (int k = 0; k < 3; k++) {
        r->low[k] = node->entry[0].value->number[k];
        r->high[k] = node->entry[1].value->number[k];
        if (!(r->low[k] <= r->high[k])) {
            return rps_place_fail(err, node->place, "the first corner of the box must be the lower one (axis %c)",
                                  "xyz"[k]);
        }
    }
    return RPS_OK;
}

/* A direction of any length above 0. */
static rps_status read_unit(const rps_node *node, const char *key, rps_vec3 *unit, rps_error *err) {
    double v[3] = {0.0, 0.0, 0.0};
    rps_node_vector(node, key, v, 3);
    *unit = rps_vec3_normalize(rps_vec3_of(v));
    if (rps_vec3_norm2(*unit) > 0.5) return RPS_OK;
    return rps_place_fail(err, rps_node_get(node, key)->place, "`%s` has no direction: its length is 0", key);
}

/* The box around a cylinder or disk: its ends reach sqrt(1 - axis^2) radii along each coordinate. */
static void bound_cylinder(rps_region *r) {
    const double point[3] = {r->point.x, r->point.y, r->point.z}, axis[3] = {r->axis.x, r->axis.y, r->axis.z};
    for (int k = 0; k < 3; k++) {
        const double end = point[k] + r->length * axis[k], reach = r->radius * sqrt(fmax(0.0, 1.0 - axis[k] * axis[k]));
        r->low[k] = fmin(point[k], end) - reach;
        r->high[k] = fmax(point[k], end) + reach;
    }
}

static rps_status region_read_cylinder(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    (void)scene;
    double from[3] = {0.0, 0.0, 0.0}, to[3] = {0.0, 0.0, 0.0};
    rps_node_vector(node, "from", from, 3);
    rps_node_vector(node, "to", to, 3);
    const rps_vec3 way = rps_vec3_sub(rps_vec3_of(to), rps_vec3_of(from));
    r->point = rps_vec3_of(from);
    r->length = rps_vec3_norm(way);
    r->axis = rps_vec3_normalize(way);
    r->radius = rps_node_number(node, "radius", 0.0);
    if (!(r->length > 0.0)) return rps_place_fail(err, node->place, "the cylinder ends where it begins");
    bound_cylinder(r);
    return RPS_OK;
}

static rps_status region_read_disk(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    (void)scene;
    double center[3] = {0.0, 0.0, 0.0};
    rps_node_vector(node, "center", center, 3);
    r->point = rps_vec3_of(center);
    r->radius = rps_node_number(node, "radius", 0.0);
    RPS_TRY(read_unit(node, "normal", &r->axis, err));
    bound_cylinder(r);
    return RPS_OK;
}

static rps_status region_read_sphere(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    double center[3] = {0.0, 0.0, 0.0};
    (void)scene, (void)err;
    rps_node_vector(node, "center", center, 3);
    r->point = rps_vec3_of(center);
    r->radius = rps_node_number(node, "radius", 0.0);
    for (int k = 0; k < 3; k++) {
        r->low[k] = center[k] - r->radius;
        r->high[k] = center[k] + r->radius;
    }
    return RPS_OK;
}

static rps_status region_read_mesh(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    RPS_TRY(rps_build_interior(scene, node, &r->mesh, err));
    memcpy(r->low, r->mesh->box.low, sizeof r->low);
    memcpy(r->high, r->mesh->box.high, sizeof r->high);
    return RPS_OK;
}

static rps_status region_read_behind(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err) {
    (void)scene;
    double point[3] = {0.0, 0.0, 0.0};
    rps_node_vector(node, "point", point, 3);
    r->point = rps_vec3_of(point);
    for (int k = 0; k < 3; k++) r->low[k] = -INFINITY, r->high[k] = INFINITY;
    return read_unit(node, "normal", &r->axis, err);
}

/* --- which points it holds: half-open, so that two regions with a common face part the space ----------------------- */

static bool box_holds(const rps_region *r, const double x[3]) {
    bool holds = true;
    for (int k = 0; k < 3; k++) holds = holds && ((r->planar && k == 1) || (x[k] >= r->low[k] && x[k] < r->high[k]));
    return holds;
}

static bool cylinder_holds(const rps_region *r, const double x[3]) {
    const rps_vec3 d = rps_vec3_sub(rps_vec3_of(x), r->point);
    const double along = rps_vec3_dot(d, r->axis);
    return along >= 0.0 && along < r->length && rps_vec3_norm2(rps_vec3_reject(d, r->axis)) < r->radius * r->radius;
}

/* A face has no inside. */
static bool face_holds(const rps_region *r, const double x[3]) {
    (void)r, (void)x;
    return false;
}

static bool sphere_holds(const rps_region *r, const double x[3]) {
    return rps_vec3_norm2(rps_vec3_sub(rps_vec3_of(x), r->point)) < r->radius * r->radius;
}

static bool mesh_holds(const rps_region *r, const double x[3]) {
    return rps_mesh_encloses(r->mesh, rps_vec3_of(x));
}

static bool behind_holds(const rps_region *r, const double x[3]) {
    return rps_vec3_dot(rps_vec3_sub(rps_vec3_of(x), r->point), r->axis) < 0.0;
}

/* --- size, and points at random: `u` are four numbers in [0, 1) ---------------------------------------------------- */

static double box_volume(const rps_region *r) {
    double volume = 1.0;
    for (int k = 0; k < 3; k++) volume *= r->planar && k == 1 ? 1.0 : r->high[k] - r->low[k];
    return volume;
}

static double cylinder_volume(const rps_region *r) {
    return r->length * (r->planar ? 2.0 * r->radius : RPS_PI * (r->radius * r->radius));
}

static double sphere_volume(const rps_region *r) {
    const double square = RPS_PI * (r->radius * r->radius);
    return r->planar ? square : 4.0 / 3.0 * r->radius * square;
}

static double mesh_volume(const rps_region *r) {
    return r->mesh->volume;
}

static double face_volume(const rps_region *r) {
    (void)r;
    return 0.0;
}

static double no_volume(const rps_region *r) {
    (void)r;
    return INFINITY;
}

static void box_draw(const rps_region *r, double margin, const double u[4], double x[3]) {
    for (int k = 0; k < 3; k++) {
        const double edge = r->wide[k] || r->low[k] == r->high[k] ? 0.0 : margin;
        const double low = r->low[k] + edge, high = r->high[k] - edge;
        x[k] = r->planar && k == 1 ? 0.0 : low + u[k] * (high - low);
    }
}

static void cylinder_draw(const rps_region *r, double margin, const double u[4], double x[3]) {
    const double edge = r->length > 0.0 ? margin : 0.0, along = edge + u[2] * (r->length - 2.0 * edge);
    const double most = r->radius - margin;
    rps_vec3 at = rps_vec3_add_scaled(r->point, along, r->axis);
    if (r->planar) {
        const rps_vec3 across = rps_vec3_make(r->axis.z, 0.0, -r->axis.x);
        at = rps_vec3_add_scaled(at, most * (2.0 * u[0] - 1.0), across);
    } else {
        const rps_vec3 first = rps_vec3_any_across(r->axis), second = rps_vec3_cross(r->axis, first);
        double sine, cosine;
        rps_sincos(2.0 * RPS_PI * u[1], &sine, &cosine);
        const double way = most * sqrt(u[0]);
        at = rps_vec3_add_scaled(rps_vec3_add_scaled(at, way * cosine, first), way * sine, second);
    }
    rps_vec3_put(x, at);
}

static void sphere_draw(const rps_region *r, double margin, const double u[4], double x[3]) {
    const double most = r->radius - margin;
    double sine, cosine;
    rps_sincos(2.0 * RPS_PI * u[1], &sine, &cosine);
    const double way = most * (r->planar ? sqrt(u[0]) : rps_cbrt(u[0])), up = r->planar ? sine : 2.0 * u[2] - 1.0;
    const double level = r->planar ? 0.0 : sqrt(fmax(0.0, 1.0 - up * up));
    const rps_vec3 turn = r->planar ? rps_vec3_make(cosine, 0.0, up) : rps_vec3_make(level * cosine, level * sine, up);
    rps_vec3_put(x, rps_vec3_add_scaled(r->point, way, turn));
}

static void mesh_draw(const rps_region *r, double margin, const double u[4], double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = r->low[k] + margin + u[k] * (r->high[k] - r->low[k] - 2.0 * margin);
}

static void no_draw(const rps_region *r, double margin, const double u[4], double x[3]) {
    (void)margin, (void)u;
    rps_vec3_put(x, r->point);
}

/* --- the table ----------------------------------------------------------------------------------------------------- */

typedef struct region_kind {
    const char *name;
    rps_status (*read)(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err);
    bool (*holds)(const rps_region *r, const double x[3]); /* of one image */
    double (*volume)(const rps_region *r);
    void (*draw)(const rps_region *r, double margin, const double u[4], double x[3]);
} region_kind;

static const region_kind region_table[RPS_REGION_KINDS] = {
    [RPS_REGION_BOX] = {"box", region_read_box, box_holds, box_volume, box_draw},
    [RPS_REGION_CYLINDER] = {"cylinder", region_read_cylinder, cylinder_holds, cylinder_volume, cylinder_draw},
    [RPS_REGION_DISK] = {"disk", region_read_disk, face_holds, cylinder_volume, cylinder_draw},
    [RPS_REGION_SPHERE] = {"sphere", region_read_sphere, sphere_holds, sphere_volume, sphere_draw},
    [RPS_REGION_MESH] = {"mesh", region_read_mesh, mesh_holds, mesh_volume, mesh_draw},
    [RPS_REGION_BEHIND] = {"behind", region_read_behind, behind_holds, no_volume, no_draw},
    [RPS_REGION_RECTANGLE] = {"rectangle", rps_region_read_rectangle, face_holds, face_volume,
                              rps_region_draw_rectangle},
    [RPS_REGION_SURFACE] = {"surface", rps_region_read_surface, face_holds, face_volume, rps_region_draw_surface}};

/* A packing has walls around it, or images of itself. */
static rps_status check_packed(const rps_scene *scene, const rps_region *r, rps_place place, rps_error *err) {
    const double *period = scene->period;
    const bool periodic = period[0] > 0.0 || period[1] > 0.0 || period[2] > 0.0;
    if (rps_region_is_face(r) || r->kind == RPS_REGION_BEHIND)
        return rps_place_fail(err, place, "only a box, a cylinder, a sphere or the inside of a mesh can be packed");
    if (r->kind != RPS_REGION_BOX && (periodic || scene->planar)) {
        return rps_place_fail(err, place, "in a %s scene the region of a packing is a box",
                              periodic ? "periodic" : "planar");
    }
    for (int k = 0; k < 3 && r->kind == RPS_REGION_BOX; k++) {
        const double width = r->high[k] - r->low[k];
        if (r->planar && k == 1) continue;
        if (!(width > 0.0)) return rps_place_fail(err, place, "the box has no width along %c", "xyz"[k]);
        if (!(period[k] > 0.0) || fabs(width - period[k]) <= 1e-9 * period[k]) continue;
        return rps_place_fail(err, place,
                              "the box is %.6g m wide along the periodic axis %c, which has no walls\n"
                              "make it as long as the period, %.6g m",
                              width, "xyz"[k], period[k]);
    }
    return RPS_OK;
}

/* Checks what a use of the region needs. */
static rps_status check_use(const rps_scene *scene, const rps_region *r, rps_region_use use, rps_place place,
                            rps_error *err) {
    const bool sheared = scene->shear.flow != scene->shear.gradient;
    const double axis[3] = {r->axis.x, r->axis.y, r->axis.z};
    if (use == RPS_REGION_PACKED) return check_packed(scene, r, place, err);
    if (use == RPS_REGION_SOURCE) {
        if (r->kind == RPS_REGION_BEHIND)
            return rps_place_fail(err, place, "all that is behind a plane has no end, so that no source fills it");
        if (sheared && r->kind != RPS_REGION_BOX)
            return rps_place_fail(err, place, "in a sheared cell the region of a source is a box");
        if (r->planar && (r->kind == RPS_REGION_MESH || r->kind == RPS_REGION_SURFACE))
            return rps_place_fail(err, place, "a planar scene has no meshes\ngive a box");
        if (r->planar && r->kind == RPS_REGION_RECTANGLE)
            return rps_place_fail(err, place, "in a planar scene a face is a segment: give a disk");
        return RPS_OK;
    }
    if (r->kind == RPS_REGION_DISK) {
        return rps_place_fail(err, place,
                              "a disk has no inside: it is a region of sources alone\ngive a cylinder, or a sphere");
    }
    if (r->kind == RPS_REGION_MESH && r->planar)
        return rps_place_fail(err, place, "a planar scene has no meshes\ngive a box or a cylinder");
    if (sheared) return rps_place_fail(err, place, "there are no regions in a sheared cell: its images move");
    for (int k = 0; k < 3; k++) {
        if (r->kind == RPS_REGION_BOX && !(r->low[k] < r->high[k]) && !(r->planar && k == 1)) {
            return rps_place_fail(err, place, "the box has no width along %c, so that nothing is in it", "xyz"[k]);
        }
        if (r->kind == RPS_REGION_BEHIND && axis[k] != 0.0 && scene->period[k] > 0.0) {
            return rps_place_fail(err, place,
                                  "the plane lies across the periodic axis %c, so that nothing is before or behind it\n"
                                  "give a box",
                                  "xyz"[k]);
        }
    }
    return RPS_OK;
}

rps_status rps_region_read(rps_scene *scene, const rps_node *node, rps_region_use use, rps_region *r, rps_error *err) {
    *r = (rps_region){.kind = RPS_REGION_BOX, .planar = scene->planar};
    for (int k = 0; k < 3; k++) r->wide[k] = scene->period[k] > 0.0 || (scene->planar && k == 1);
    const rps_node *of = node;
    for (int kind = 0; node->kind == RPS_NODE_MAP && kind < RPS_REGION_KINDS; kind++) {
        const rps_node *one = rps_node_get(node, region_table[kind].name);
        if (one) r->kind = kind, of = one;
    }
    RPS_TRY(region_table[r->kind].read(scene, of, r, err));
    return check_use(scene, r, use, of->place, err);
}

/* --- the region ---------------------------------------------------------------------------------------------------- */

/* Looks at all images along the axes from `axis` on that lie in the box around the region. */
static bool holds_image(const rps_region *r, const rps_cell *cell, int axis, const double x[3]) {
    if (axis == 3) return region_table[r->kind].holds(r, x);
    if (!(cell->period[axis] > 0.0) || !(r->high[axis] < INFINITY)) return holds_image(r, cell, axis + 1, x);
    double first, last, image[3];
    memcpy(image, x, sizeof image);
    rps_cell_images_along(cell, axis, x[axis], r->low[axis], r->high[axis], &first, &last);
    for (double n = first; n <= last; n++) {
        image[axis] = x[axis] + n * cell->period[axis];
        if (holds_image(r, cell, axis + 1, image)) return true;
    }
    return false;
}

bool rps_region_holds(const rps_region *region, const rps_cell *cell, const double x[3]) {
    return holds_image(region, cell, 0, x);
}

rps_status rps_region_check_space(const rps_region *r, rps_place place, double radius, rps_error *err) {
    const double need = 2.0 * radius;
    for (int k = 0; k < 3 && r->kind == RPS_REGION_BOX; k++) {
        const double width = r->high[k] - r->low[k];
        if (r->wide[k] || width == 0.0 || width >= need) continue;
        return rps_place_fail(err, place, "the region is %.6g m wide along %c; a particle needs %.6g m", width,
                              "xyz"[k], need);
    }
    if (r->kind == RPS_REGION_RECTANGLE) return rps_region_check_rectangle(r, place, radius, err);
    if (r->kind == RPS_REGION_BOX || r->kind == RPS_REGION_MESH || r->kind == RPS_REGION_SURFACE) return RPS_OK;
    if (!(r->radius >= radius)) {
        return rps_place_fail(err, place, "the region has a radius of %.6g m; a particle needs %.6g m", r->radius,
                              radius);
    }
    if (r->kind == RPS_REGION_CYLINDER && !(r->length >= need))
        return rps_place_fail(err, place, "the region is %.6g m long; a particle needs %.6g m", r->length, need);
    return RPS_OK;
}

double rps_region_volume(const rps_region *region) {
    return region_table[region->kind].volume(region);
}

/* A ball there lies wholly inside the mesh. */
static bool mesh_fits(const rps_region *r, const double x[3], double radius) {
    rps_reached nearest;
    const rps_vec3 at = rps_vec3_of(x);
    return rps_mesh_encloses(r->mesh, at) && !rps_mesh_nearest(r->mesh, at, radius, &nearest);
}

bool rps_region_draw(const rps_region *r, const rps_cell *cell, double radius, uint64_t seed, uint64_t key,
                     uint64_t attempt, double x[3], rps_vec3 *front) {
    uint64_t word[4];
    double u[4];
    rps_random_block(seed, RPS_RANDOM_POSITION, key, attempt, word);
    for (int k = 0; k < 4; k++) u[k] = rps_random_to_unit(word[k]);
    region_table[r->kind].draw(r, radius, u, x);
    if (front) *front = rps_region_front(r, u);
    if (r->kind == RPS_REGION_MESH && !mesh_fits(r, x, radius)) return false;
    for (int k = 0; k < 3; k++) {
        if (cell->period[k] > 0.0) x[k] = rps_cell_next_along(cell, k, x[k], 0.0);
    }
    return true;
}
