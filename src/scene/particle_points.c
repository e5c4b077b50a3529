/* Reads dumps, data, VTU and PLY into bodies: positions, radii, masses, velocities, orientations. Types are not
 * materials: `repose convert --types` names them. */
#include "scene/particle_points.h"

#include <string.h>

bool rps_is_points_file(const char *path, const rps_node *format, rps_points_format *out) {
    *out = rps_points_format_of(path);
    for (int f = 0; format && f < RPS_POINTS_FORMATS; f++) {
        if (rps_node_is(format, rps_points_format_name(f))) *out = (rps_points_format)f;
    }
    return *out == RPS_POINTS_DUMP || *out == RPS_POINTS_DATA || *out == RPS_POINTS_VTU || *out == RPS_POINTS_PLY;
}

static rps_status check_set(const rps_particle_points *from, const rps_points *points, rps_error *err) {
    const rps_point_field *radius = rps_points_find(points, "radius"), *turn = rps_points_find(points, "orientation");
    const rps_node *columns = rps_node_get(from->node, "columns"), *own = rps_node_get(from->set, "radius");
    if (columns) return rps_place_fail(err, columns->place, "the columns of this format have names of their own");
    if (!radius && from->particle_template->by_file) {
        return rps_place_fail(err, from->set->place, "the file %s has no radii, and the set gives none either",
                              from->path);
    }
    if (radius && !from->particle_template->by_file) {
        return rps_place_fail(err, own ? own->place : from->set->place,
                              "the file %s has radii of its own; leave %s out, or convert it by `repose convert` to a "
                              "CSV without them",
                              from->path, own ? "`radius`" : "the shape");
    }
    if (turn && rps_node_get(from->set, "orientation")) {
        return rps_place_fail(err, rps_node_get(from->set, "orientation")->place,
                              "the file %s has orientations of its own; leave `orientation` out", from->path);
    }
    return points->count > 0 ? RPS_OK : rps_fail(err, RPS_BAD_INPUT, "%s: the file holds no particles", from->path);
}

/* Values of a field with this many components; NULL: none. */
static const double *values_of(const rps_points *points, const char *name, int components) {
    const rps_point_field *field = rps_points_find(points, name);
    return field && field->components == components ? field->value : NULL;
}

static rps_status add_all_points(rps_scene *scene, rps_world *world, const rps_particle_points *from,
                                 const rps_points *points, rps_error *err) {
    const double *x = values_of(points, "position", 3), *radius = values_of(points, "radius", 1);
    const double *mass = values_of(points, "mass", 1), *v = values_of(points, "velocity", 3);
    const double *w = values_of(points, "angular_velocity", 3), *q = values_of(points, "orientation", 4);
    const double scale = rps_node_number(from->node, "scale", 1.0);
    double shift[3] = {0.0, 0.0, 0.0};
    rps_node_vector(from->node, "shift", shift, 3);
    RPS_TRY(rps_sizes_prepare(&from->particle_template->sizes, points->count, err));
    for (size_t n = 0; n < points->count; n++) {
        rps_body_def def;
        uint64_t id;
        if (n % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(scene, err));
        rps_particle_template_draw(from->particle_template, scene->seed, rps_set_key(from->number, n), &def);
        for (int k = 0; k < 3; k++) {
            def.position[k] = x[3 * n + (size_t)k] * scale + shift[k];
            if (v) def.velocity[k] = v[3 * n + (size_t)k];
            if (w) def.angular_velocity[k] = w[3 * n + (size_t)k];
        }
        for (size_t k = 0; q && k < 4; k++) def.orientation[k] = q[4 * n + k];
        if (radius) def.radius = radius[n] * scale;
        if (mass) def.mass = mass[n];
        if ((radius && !(radius[n] > 0.0)) || (mass && !(mass[n] > 0.0))) {
            return rps_fail(err, RPS_BAD_INPUT, "%s: the %s of particle %zu must be above 0", from->path,
                            radius && !(radius[n] > 0.0) ? "radius" : "mass", n);
        }
        rps_scene_add_flow(world, &def);
        const rps_status status = rps_world_add_body(world, &def, &id, err);
        if (status != RPS_OK) {
            rps_error_prefix(err, "%s: particle %zu: ", from->path, n);
            return status;
        }
    }
    return RPS_OK;
}

/* Counts the frames, or stops at frame `last` and adds it. */
static rps_status read_last_frame(rps_scene *scene, rps_world *world, const rps_particle_points *from, size_t *frames,
                                  size_t last, uint64_t *count, rps_error *err) {
    rps_points_source *source;
    rps_points *points;
    RPS_TRY(rps_points_open(from->path, from->format, scene->allocator, &source, err));
    rps_status status;
    for (*frames = 0; (status = rps_points_next(source, true, &points, err)) == RPS_OK && points; ++*frames) {
        if (*frames != last) continue;
        status = check_set(from, points, err);
        if (status == RPS_OK) status = add_all_points(scene, world, from, points, err);
        *count = points->count;
        break;
    }
    rps_points_close(source);
    return status;
}

rps_status rps_build_particle_points(rps_scene *scene, rps_world *world, const rps_particle_points *from,
                                     uint64_t *count, rps_error *err) {
    size_t frames = 1, unused;
    if (rps_points_many(from->format)) RPS_TRY(read_last_frame(scene, world, from, &frames, SIZE_MAX, count, err));
    if (frames > 0) RPS_TRY(read_last_frame(scene, world, from, &unused, frames - 1, count, err));
    return rps_scene_note_file(scene, from->path, err);
}
