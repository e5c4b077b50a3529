/* Bodies are summed in the order of ids, so that profiles have the same bits on any number of threads. */
#include "scene/profile.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/scene_internal.h"
#include "world/body_shape.h"

/* --- reading -------------------------------------------------------------------------------------------------------- */

/* The coordinate along which a unit vector points, -1: none. */
static int coordinate_of(rps_vec3 unit) {
    const double v[3] = {unit.x, unit.y, unit.z};
    for (int k = 0; k < 3; k++) {
        if (v[k] == 1.0) return k;
    }
    return -1;
}

/* How wide a profile is along a coordinate: by its box, its period, or the depth of a planar scene; 0: not known. */
static double width_along(const rps_scene *scene, const rps_profile *p, bool box, int k) {
    if (scene->planar && k == 1) return scene->depth;
    if (box) return p->region.high[k] - p->region.low[k];
    return scene->period[k];
}

static void find_extent_of(const rps_scene *scene, const rps_node *node, rps_profile *p) {
    const rps_node *region = rps_node_get(node, "region");
    const bool box = region && (region->kind == RPS_NODE_LIST || rps_node_get(region, "box"));
    p->extent = rps_node_number(node, p->radial ? "length" : "area", 0.0);
    if (p->extent > 0.0) return;
    const bool same_axis = p->bounded && !box && fabs(rps_vec3_dot(p->region.axis, p->direction)) > 1.0 - 1e-12;
    if (p->radial && same_axis && p->region.length > 0.0) {
        p->extent = p->region.length;
        return;
    }
    if (p->axis < 0 || (p->bounded && !box)) return;
    const int a = (p->axis + 1) % 3, b = (p->axis + 2) % 3;
    p->extent =
        p->radial ? width_along(scene, p, box, p->axis) : width_along(scene, p, box, a) * width_along(scene, p, box, b);
}

static rps_status read_profile(rps_scene *scene, const rps_entry *entry, rps_profile *p, rps_error *err) {
    const rps_node *node = entry->value, *along = rps_node_get(node, "along"), *around = rps_node_get(node, "around");
    const rps_node *region = rps_node_get(node, "region"), *set = rps_node_get(node, "set");
    double v[3] = {0.0, 0.0, 0.0}, point[3] = {0.0, 0.0, 0.0};
    *p = (rps_profile){.name = entry->key, .radial = around != NULL, .group = -1, .bounded = region != NULL};
    if (!along == !around) {
        return rps_place_fail(err, node->place, "a profile goes `along` a line or `around` an axis; give one of them");
    }
    if (scene->shear.flow != scene->shear.gradient && around) {
        return rps_place_fail(err, around->place, "no profile goes around an axis in a sheared cell: its images move");
    }
    rps_node_vector(node, around ? "around" : "along", v, 3);
    rps_node_vector(node, "point", point, 3);
    p->point = rps_vec3_of(point);
    p->direction = rps_vec3_normalize(rps_vec3_of(v));
    if (!(rps_vec3_norm2(p->direction) > 0.5)) {
        return rps_place_fail(err, (along ? along : around)->place, "the direction has the length 0");
    }
    p->axis = coordinate_of(p->direction);
    p->from = rps_node_number(node, "from", 0.0);
    p->to = rps_node_number(node, "to", 0.0);
    p->bins = (size_t)rps_node_number(node, "bins", 1.0);
    if (!(p->from < p->to) || (p->radial && p->from < 0.0)) {
        return rps_place_fail(err, node->place, "the profile goes from %g m to %g m; its end must be %s", p->from,
                              p->to, p->radial ? "above its beginning, and neither below 0" : "above its beginning");
    }
    const double period = p->axis >= 0 && !p->radial ? scene->period[p->axis] : 0.0;
    if (period > 0.0 && p->to - p->from > period * (1.0 + 1e-12)) {
        return rps_place_fail(err, node->place, "the profile is longer than the period of %g m", period);
    }
    if (region) RPS_TRY(rps_region_read(scene, region, RPS_REGION_HOLDS, &p->region, err));
    if (set) {
        const rps_named *named;
        RPS_TRY(rps_scene_reference(scene, set, 2, &named, err));
        p->group = named->group;
    }
    find_extent_of(scene, node, p);
    return RPS_OK;
}

rps_status rps_build_profiles(rps_scene *scene, rps_error *err) {
    const rps_node *profiles = rps_node_get(scene->text->root, "profiles");
    const rps_node *every = rps_node_get(rps_node_get(scene->text->root, "output"), "profiles");
    scene->profile = rps_pool_take(&scene->pool, (profiles->count + 1) * sizeof *scene->profile, err);
    if (!scene->profile) return RPS_NO_MEMORY;
    if (profiles->count > 0 && !every) {
        return rps_place_fail(err, profiles->place, "how often are profiles written?\nsay `output: {profiles: 10 ms}`");
    }
    if (profiles->count == 0 && every && every->number[0] > 0.0) {
        return rps_place_fail(err, every->place, "the scene has no `profiles` to write");
    }
    for (; scene->profiles < profiles->count; scene->profiles++) {
        RPS_TRY(read_profile(scene, &profiles->entry[scene->profiles], &scene->profile[scene->profiles], err));
    }
    return RPS_OK;
}

const rps_profile *rps_scene_profiles(const rps_scene *scene, size_t *count) {
    *count = scene->profiles;
    return scene->profile;
}

/* --- measuring ------------------------------------------------------------------------------------------------------ */

/* The axes in which vectors are told at a place: those of the world, or radial, about the axis and along it. */
static rps_mat3 axes_at(const rps_profile *p, rps_vec3 from_point) {
    rps_mat3 m = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    if (!p->radial) return m;
    const rps_vec3 out = rps_vec3_reject(from_point, p->direction);
    const rps_vec3 radial = rps_vec3_norm2(out) > 0.0 ? rps_vec3_normalize(out) : rps_vec3_any_across(p->direction);
    const rps_vec3 about = rps_vec3_cross(p->direction, radial);
    const rps_vec3 row[3] = {radial, about, p->direction};
    for (int k = 0; k < 3; k++) rps_vec3_put(m.m[k], row[k]);
    return m;
}

/* The bin of a body, SIZE_MAX: none. */
static size_t bin_of(const rps_profile *p, const rps_world *world, size_t s, rps_vec3 *from_point) {
    const rps_bodies *bodies = &world->bodies;
    const double *x = bodies->pose[s].position;
    const bool counts = p->group < 0 ? bodies->kind[s][0] == RPS_BODY_FREE : bodies->group[s][0] == p->group;
    if (!counts || rps_body_is_plane(bodies, s)) return SIZE_MAX;
    if (p->bounded && !rps_region_holds(&p->region, &world->cell, x)) return SIZE_MAX;
    *from_point = rps_vec3_sub(rps_vec3_of(x), p->point);
    double at = rps_vec3_dot(*from_point, p->direction);
    if (p->radial) {
        at = rps_vec3_norm(rps_vec3_reject(*from_point, p->direction));
    } else if (p->axis >= 0 && world->cell.period[p->axis] > 0.0) {
        at = rps_cell_next_along(&world->cell, p->axis, at, p->from);
    }
    if (!(at >= p->from && at < p->to)) return SIZE_MAX;
    const size_t bin = (size_t)floor((at - p->from) / (p->to - p->from) * (double)p->bins);
    return bin < p->bins ? bin : p->bins - 1;
}

static double bin_edge(const rps_profile *p, size_t k) {
    return p->from + (p->to - p->from) * ((double)k / (double)p->bins);
}

static double bin_volume(const rps_profile *p, const rps_profile_bin *b) {
    if (!(p->extent > 0.0)) return NAN;
    return p->extent * (p->radial ? RPS_PI * (b->high * b->high - b->low * b->low) : b->high - b->low);
}

static void turn_vector(const rps_mat3 *axes, const double v[3], double out[3]) {
    rps_vec3_put(out, rps_mat3_mul_vec(axes, rps_vec3_of(v)));
}

/* Adds R s R^T of a symmetric tensor, xx xy xz yy yz zz. */
static void add_turned(const rps_mat3 *axes, const double s[6], double sum[6]) {
    const double full[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
    static const int place[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (int c = 0; c < 6; c++) {
        const double *a = axes->m[place[c][0]], *b = axes->m[place[c][1]];
        double value = 0.0;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) value += a[i] * full[i][j] * b[j];
        }
        sum[c] += value;
    }
}

static void add_body_to(const rps_world *world, size_t s, double thick, const rps_mat3 *axes, const double moment[6],
                        rps_profile_bin *b) {
    static const double low[3] = {-INFINITY, -INFINITY, -INFINITY}, high[3] = {INFINITY, INFINITY, INFINITY};
    const rps_bodies *bodies = &world->bodies;
    const double mass = isfinite(bodies->mass[s][0]) ? bodies->mass[s][0] : 0.0;
    double v[3], w[3];
    turn_vector(axes, bodies->motion[s].velocity, v);
    turn_vector(axes, bodies->motion[s].angular_velocity, w);
    b->number += 1.0;
    b->mass += mass;
    b->fraction += thick * rps_body_inside(world, s, low, high);
    for (int k = 0; k < 3; k++) {
        b->velocity[k] += mass * v[k];
        b->angular_velocity[k] += mass * w[k];
    }
    if (moment) add_turned(axes, moment, b->stress);
}

static void add_scatter(const rps_world *world, size_t s, const rps_mat3 *axes, rps_profile_bin *b) {
    const double mass = isfinite(world->bodies.mass[s][0]) ? world->bodies.mass[s][0] : 0.0;
    double v[3];
    turn_vector(axes, world->bodies.motion[s].velocity, v);
    for (int k = 0; k < 3; k++) {
        const double off = v[k] - b->velocity[k];
        b->temperature += mass * (off * off) / 3.0;
    }
}

/* From sums to means. */
static void finish_bin(const rps_profile *p, rps_profile_bin *b) {
    const double volume = bin_volume(p, b);
    for (int k = 0; k < 3; k++) {
        b->velocity[k] = b->mass > 0.0 ? b->velocity[k] / b->mass : NAN;
        b->angular_velocity[k] = b->mass > 0.0 ? b->angular_velocity[k] / b->mass : NAN;
    }
    b->fraction /= volume;
    for (int k = 0; k < 6; k++) b->stress[k] = b->number > 0.0 ? b->stress[k] / volume : NAN;
}

/* Fills all bins of a profile. depth: m, of a planar scene. */
static void measure_profile(const rps_profile *p, const rps_world *world, double depth, const double (*moment)[6],
                            rps_profile_bin *bin) {
    const double thick = world->options.dimension == 2 ? depth : 1.0;
    rps_vec3 at;
    size_t n = 0;
    memset(bin, 0, p->bins * sizeof *bin);
    for (size_t k = 0; k < p->bins; k++) bin[k].low = bin_edge(p, k), bin[k].high = bin_edge(p, k + 1);
    for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++, n++) {
        const size_t k = bin_of(p, world, s, &at);
        if (k == SIZE_MAX) continue;
        const rps_mat3 axes = axes_at(p, at);
        add_body_to(world, s, thick, &axes, moment ? moment[n] : NULL, &bin[k]);
    }
    for (size_t k = 0; k < p->bins; k++) finish_bin(p, &bin[k]);
    for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++) {
        const size_t k = bin_of(p, world, s, &at);
        if (k == SIZE_MAX || !(bin[k].mass > 0.0)) continue;
        const rps_mat3 axes = axes_at(p, at);
        add_scatter(world, s, &axes, &bin[k]);
    }
    for (size_t k = 0; k < p->bins; k++) {
        bin[k].temperature = bin[k].mass > 0.0 ? bin[k].temperature / bin[k].mass : NAN;
    }
}

/* --- for results ---------------------------------------------------------------------------------------------------- */

static size_t bins_of_profile(const void *context, size_t profile, const char **name) {
    const rps_scene *scene = context;
    if (profile >= scene->profiles) return 0;
    *name = scene->profile[profile].name;
    return scene->profile[profile].bins;
}

static void measure_profiles(const void *context, const rps_world *world, const double (*moment)[6],
                             rps_profile_bin *bin) {
    const rps_scene *scene = context;
    for (size_t p = 0; p < scene->profiles; bin += scene->profile[p++].bins) {
        measure_profile(&scene->profile[p], world, scene->depth, moment, bin);
    }
}

rps_profile_source rps_scene_profile_source(const rps_scene *scene) {
    return (rps_profile_source){scene, bins_of_profile, measure_profiles};
}
