/* The particles of a set: spheres with a distribution of radii, or any shape or bodies of several pieces with a
 * distribution of sizes and random orientations. Particle k depends only on the seed, the set and k. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/random.h"
#include "scene/scene_internal.h"

enum { MESH_SIZES_MOST = 100 }; /* of a set: each takes the memory of the mesh */

/* Bounding radius of the body about the origin of the axes in which it is given, m. */
static double bound_of(const rps_body_def *def) {
    double bound = 0.0, parameter[RPS_SHAPE_PARAMETERS];
    if (!def->piece) {
        const rps_shape *shape = rps_shape_at(rps_shape_find(def->shape));
        if (shape == &rps_shape_disk) return def->radius;
        memcpy(parameter, def->parameter, sizeof parameter);
        return rps_shape_check(shape, parameter, "shape", NULL) == RPS_OK ? shape->bounding_radius(parameter) : NAN;
    }
    for (int k = 0; k < def->pieces; k++) {
        const rps_piece_def *piece = &def->piece[k];
        const rps_shape *shape = rps_shape_at(rps_shape_find(piece->shape));
        const double *x = piece->position;
        memcpy(parameter, piece->parameter, sizeof parameter);
        if (rps_shape_check(shape, parameter, "shape", NULL) != RPS_OK) return NAN;
        bound = fmax(bound, rps_vec3_norm(rps_vec3_make(x[0], x[1], x[2])) + shape->bounding_radius(parameter));
    }
    return bound;
}

static bool is_mesh(const rps_body_def *def) {
    return !def->piece && strcmp(def->shape, rps_shape_mesh.name) == 0;
}

/* Size number k of a list, drawn at random or followed exactly; NAN: there is none, or the sizes are continuous. */
static double listed_size(const rps_sizes *sizes, size_t k) {
    switch (sizes->kind) {
    case RPS_SIZE_FIXED:
        return k == 0 ? sizes->a : NAN;
    case RPS_SIZE_LIST:
        return k < sizes->count ? sizes->radius[k] : NAN;
    case RPS_SIZE_CLASSES:
        return k < sizes->count && sizes->from[k] == sizes->to[k] ? sizes->from[k] : NAN;
    default:
        return NAN;
    }
}

/* A mesh for every size: all particles of a size share it. */
static rps_status read_meshes(rps_scene *scene, rps_world *world, const rps_node *set, rps_particle_template *t,
                              rps_error *err) {
    const rps_node *mesh = rps_node_get(rps_node_get(set, "shape"), rps_shape_mesh.name);
    const rps_sizes *sizes = &t->sizes;
    const size_t count = sizes->kind == RPS_SIZE_LIST || sizes->kind == RPS_SIZE_CLASSES ? sizes->count : 1;
    for (size_t k = 0; k < count; k++) {
        if (!isnan(listed_size(sizes, k))) continue;
        return rps_place_fail(err, rps_node_get(set, "scale")->place,
                              "every size of a mesh is a mesh of its own, so they cannot be a continuous "
                              "distribution\ngive a list of sizes with their parts, or a clump: `spheres: 40`");
    }
    if (count > MESH_SIZES_MOST) {
        return rps_place_fail(err, rps_node_get(set, "scale")->place, "a mesh has at most %d sizes, not %zu",
                              MESH_SIZES_MOST, count);
    }
    double *number = rps_pool_take(&scene->pool, count * sizeof *number, err);
    if (!number) return RPS_NO_MEMORY;
    for (size_t k = 0; k < count; k++) {
        const double size = listed_size(sizes, k);
        const rps_mesh_use use = {.scale = size, .solid = true, .centered = true};
        double parameter[RPS_SHAPE_PARAMETERS] = {0.0};
        RPS_TRY(rps_build_mesh(scene, world, mesh, &use, parameter, err));
        number[k] = parameter[0];
        if (k == 0) t->bound = rps_mesh_farthest(&world->mesh[(size_t)parameter[0]].mesh) / size;
    }
    t->mesh = number;
    t->def.parameter[0] = number[0];
    return RPS_OK;
}

rps_status rps_particle_template_read(rps_scene *scene, rps_world *world, const rps_node *set, const rps_body_def *def,
                                      rps_particle_template *particle_template, rps_error *err) {
    const rps_node *radius = rps_node_get(set, "radius"), *scale = rps_node_get(set, "scale");
    const rps_node *shape = rps_node_get(set, "shape"), *pieces = rps_node_get(set, "pieces");
    const rps_node *turn = rps_node_get(set, "orientation"), *general = shape ? shape : pieces;
    *particle_template = (rps_particle_template){.def = *def, .bound = 1.0};
    if (general && radius) {
        return rps_place_fail(err, radius->place,
                              "a set has `radius` (spheres) or `shape`, not both\n"
                              "sizes of a shape vary by `scale`, a factor on all its lengths");
    }
    if (!general) {
        const rps_node *sieve = rps_node_get(set, "sieve");
        if (radius && sieve) {
            return rps_place_fail(err, sieve->place, "a set has `radius` or `sieve`, not both");
        }
        if (scale)
            return rps_place_fail(err, scale->place,
                                  "`scale` belongs to `shape`; spheres have a distribution of `radius`");
        particle_template->by_file = !radius && !sieve;
        particle_template->def.shape = rps_scene_grain(scene);
        return particle_template->by_file ? RPS_OK
                                          : rps_sizes_read(scene, set, radius, "m", &particle_template->sizes, err);
    }
    particle_template->sizes = (rps_sizes){.kind = RPS_SIZE_FIXED, .a = 1.0, .low = 1.0, .high = 1.0};
    if (rps_node_get(set, "sieve")) {
        return rps_place_fail(err, rps_node_get(set, "sieve")->place,
                              "a sieve gives diameters of spheres\nsizes of a shape vary by `scale`");
    }
    if (scale) RPS_TRY(rps_sizes_read(scene, set, scale, "1", &particle_template->sizes, err));
    if (turn && turn->kind != RPS_NODE_SCALAR)
        RPS_TRY(rps_build_orientation(turn, particle_template->def.orientation, err));
    const rps_sizes *sizes = &particle_template->sizes;
    const double size = sizes->kind == RPS_SIZE_FIXED ? sizes->a : 1.0; /* pieces have one */
    RPS_TRY(rps_build_shape(scene, world, set, size, &particle_template->def, err));
    const bool of_pieces = particle_template->def.piece != NULL;
    if (is_mesh(&particle_template->def)) {
        RPS_TRY(read_meshes(scene, world, set, particle_template, err));
    } else {
        particle_template->bound = bound_of(&particle_template->def);
    }
    const bool round = !of_pieces && rps_shape_is_round(rps_shape_find(particle_template->def.shape));
    particle_template->turned = !round && (!turn || rps_node_is(turn, "random"));
    if (!of_pieces) return RPS_OK;
    if (scale && isnan(particle_template->def.volume) &&
        particle_template->sizes.kind !=
            RPS_SIZE_FIXED) { /* mass and moments of a union are recomputed for every size */
        return rps_place_fail(err, scale->place,
                              "particles of several pieces have one size\nmake a set for each size; a clump that is "
                              "fitted to a mesh has sizes with `mass_of: mesh`");
    }
    particle_template->scaled =
        rps_pool_take(&scene->pool, (size_t)particle_template->def.pieces * sizeof *particle_template->scaled, err);
    return particle_template->scaled ? RPS_OK : RPS_NO_MEMORY;
}

/* Multiplies all lengths of a shape by a factor. */
static void scale_shape(const char *name, double factor, double parameter[RPS_SHAPE_PARAMETERS]) {
    const rps_shape *shape = rps_shape_at(rps_shape_find(name));
    for (int k = 0, at = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++) {
        const int components = rps_schema_components(&shape->parameter[k]);
        const bool length = strcmp(shape->parameter[k].unit, "m") == 0;
        for (int c = 0; c < components; c++, at++) parameter[at] *= length ? factor : 1.0;
    }
}

void rps_particle_template_of_size(const rps_particle_template *particle_template, double size, rps_body_def *def) {
    *def = particle_template->def;
    if (def->piece) {
        for (int k = 0; k < def->pieces; k++) {
            rps_piece_def *piece = &particle_template->scaled[k];
            *piece = particle_template->def.piece[k];
            for (int c = 0; c < 3; c++) piece->position[c] *= size;
            scale_shape(piece->shape, size, piece->parameter);
        }
        def->piece = particle_template->scaled;
        const double of_mass = isnan(def->mass) ? size * size * size : 1.0;
        def->volume *= size * size * size;
        for (int c = 0; c < 3; c++) def->inertia[c] *= of_mass * (size * size);
    } else if (particle_template->mesh) {
        for (size_t k = 0; !isnan(listed_size(&particle_template->sizes, k)); k++) {
            if (listed_size(&particle_template->sizes, k) == size) def->parameter[0] = particle_template->mesh[k];
        }
    } else if (rps_shape_is_round(rps_shape_find(def->shape))) {
        def->radius = size * particle_template->bound;
    } else {
        scale_shape(def->shape, size, def->parameter);
    }
}

/* Uniform among all rotations, by Shoemake. */
static void random_rotation(uint64_t seed, uint64_t key, double out[4]) {
    uint64_t word[4];
    double s[2], c[2];
    rps_random_block(seed, RPS_RANDOM_ORIENTATION, key, 0, word);
    const double u = rps_random_to_unit(word[0]), a = sqrt(1.0 - u), b = sqrt(u);
    for (int k = 0; k < 2; k++) rps_sincos(2.0 * RPS_PI * rps_random_to_unit(word[1 + k]), &s[k], &c[k]);
    out[0] = b * c[1];
    out[1] = a * s[0];
    out[2] = a * c[0];
    out[3] = b * s[1];
}

double rps_particle_template_draw(const rps_particle_template *particle_template, uint64_t seed, uint64_t key,
                                  rps_body_def *def) {
    const double size = rps_sizes_draw(&particle_template->sizes, seed, key);
    rps_particle_template_of_size(particle_template, size, def);
    if (particle_template->turned) random_rotation(seed, key, def->orientation);
    return size * particle_template->bound;
}
