/* Sets of particles: centres on a lattice, or a packing. Every random number is a function of the seed, the set and the particle, so
 * the order of generation does not matter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "scene/packing.h"
#include "scene/scene_internal.h"

/* --- lattice ------------------------------------------------------------------------------------------------------- */

typedef struct lattice {
    double low[3], step[3], jitter;
    uint64_t n[3];
    bool hexagonal, planar;
} lattice;

static rps_status read_lattice(const rps_scene *scene, const rps_node *node, lattice *l, rps_error *err) {
    const rps_node *box = rps_node_get(node, "box");
    double spacing = rps_node_number(node, "spacing", 0.0), total = 1.0;
    l->hexagonal = rps_node_is(rps_node_get(node, "kind"), "hexagonal");
    l->jitter = rps_node_number(node, "jitter", 0.0);
    l->planar = scene->planar;
    for (int k = 0; k < 3; k++) {
        double low = box->entry[0].value->number[k], high = box->entry[1].value->number[k];
        if (!(low <= high)) {
            return rps_place_fail(err, box->place, "the first corner of the box must be the lower one (axis %c)",
                                  "xyz"[k]);
        }
        l->low[k] = low;
        const bool row = scene->planar ? k == 2 : k == 1;
        l->step[k] = !l->hexagonal || k == 0 ? spacing : row ? spacing * sqrt(0.75) : spacing * sqrt(2.0 / 3.0);
        double places = floor((high - low) / l->step[k] * (1.0 + 1e-12) + 1e-9) + 1.0;
        /* on a periodic axis the last position of a full period coincides with the first */
        bool period = scene->period[k] > 0.0 && fabs(high - low - scene->period[k]) <= 1e-9 * scene->period[k];
        if (period && places > 1.0 && low + (places - 1.0) * l->step[k] > high - 0.5 * l->step[k]) places -= 1.0;
        total *= places;
        if (!(total < 1e8)) return rps_place_fail(err, node->place, "the lattice has more than 1e8 places");
        l->n[k] = (uint64_t)places;
    }
    return RPS_OK;
}

/* Position i, counted along x, then y, then z. Close packing: rows are shifted by half a spacing, layers into the
 * gaps; planar: rows stack along z. */
static void lattice_place(const lattice *l, uint64_t i, uint64_t seed, uint64_t key, double out[3]) {
    uint64_t at[3] = {i % l->n[0], i / l->n[0] % l->n[1], i / l->n[0] / l->n[1]}, word[4];
    for (int k = 0; k < 3; k++) out[k] = l->low[k] + (double)at[k] * l->step[k];
    if (l->hexagonal) {
        double half = 0.5 * l->step[0];
        out[0] += ((at[1] + at[2]) & 1) ? half : 0.0;
        out[1] += (at[2] & 1) && !l->planar ? l->step[1] / 3.0 : 0.0;
    }
    if (l->jitter > 0.0) {
        rps_random_block(seed, RPS_RANDOM_JITTER, key, 0, word);
        for (int k = 0; k < 3; k++) {
            if (!l->planar || k != 1) out[k] += l->jitter * (2.0 * rps_random_to_unit(word[k]) - 1.0);
        }
    }
}

static rps_status build_lattice(rps_scene *scene, rps_world *world, const rps_node *set,
                                const rps_particle_template *particle_template, uint32_t number, uint64_t *made,
                                rps_error *err) {
    const rps_node *node = rps_node_get(rps_node_get(set, "generator"), "lattice"), *count = rps_node_get(set, "count");
    lattice l;
    RPS_TRY(read_lattice(scene, node, &l, err));
    uint64_t places = l.n[0] * l.n[1] * l.n[2], wanted = count ? (uint64_t)count->number[0] : places;
    if (wanted > places) {
        return rps_place_fail(err, count->place,
                              "the lattice has %llu places, not %llu\nenlarge its box or lower the spacing",
                              (unsigned long long)places, (unsigned long long)wanted);
    }
    RPS_TRY(rps_sizes_prepare(&particle_template->sizes, wanted, err));
    for (uint64_t i = 0; i < wanted; i++) {
        if (i % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(scene, err));
        uint64_t id, key = rps_set_key(number, i);
        rps_body_def def;
        rps_particle_template_draw(particle_template, scene->seed, key, &def);
        lattice_place(&l, i, scene->seed, key, def.position);
        rps_scene_add_flow(world, &def);
        RPS_TRY(rps_place_wrap(err, set->place, rps_world_add_body(world, &def, &id, err)));
    }
    *made = wanted;
    return RPS_OK;
}

/* --- packings ------------------------------------------------------------------------------------------------------ */

static rps_status put_packed(rps_scene *scene, rps_world *world, const rps_packing_task *task,
                             const rps_packing *packed, rps_error *err) {
    for (size_t i = 0; i < packed->count; i++) {
        if (i % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(scene, err));
        rps_body_def def;
        const double size = rps_sizes_draw(&task->particle_template->sizes, scene->seed, rps_set_key(task->number, i));
        rps_particle_template_of_size(task->particle_template, size * packed->factor, &def);
        memcpy(def.position, packed->position[i], sizeof def.position);
        memcpy(def.orientation, packed->orientation[i], sizeof def.orientation);
        rps_scene_add_flow(world, &def);
        RPS_TRY(rps_place_wrap(err, task->set->place, rps_world_add_body(world, &def, NULL, err)));
    }
    return RPS_OK;
}

/* Grains that meet each other touch if their meshes are convex. Under pressure their edges sink in farther than they know each
 * other. */
static rps_status check_packed_meshes(const rps_world *world, const rps_node *node, const rps_particle_template *of,
                                      rps_error *err) {
    const rps_node *pressure = rps_node_get(node, "pressure");
    if (pressure && rps_def_has_mesh(&of->def)) {
        return rps_place_fail(
            err, pressure->place,
            "a packing of meshes does not grow until it bears a pressure\npack it to a `fraction`, and "
            "load it by a lid in a stage, or take clumps, `spheres: 40`");
    }
    if (of->mesh == NULL) return RPS_OK; /* pieces are convex */
    const rps_mesh *mesh = &world->mesh[(size_t)of->mesh[0]].mesh;
    if (mesh->core != NULL) return RPS_OK;
    return rps_place_fail(
        err, node->place,
        "the grains of a packing touch each other, which meshes do that are convex, and this one is "
        "not\ntake its convex hull, `hull: true`, convex pieces, `parts: true`, or a clump, `spheres: "
        "40`");
}

static rps_status build_packing(rps_scene *scene, rps_world *world, const rps_node *set,
                                const rps_particle_template *particle_template, uint32_t number, uint64_t *made,
                                rps_error *err) {
    const rps_node *node = rps_node_get(rps_node_get(set, "generator"), "packing"), *count = rps_node_get(set, "count");
    const rps_node *fraction = rps_node_get(node, "fraction"), *region = rps_node_get(node, "region");
    rps_packing_task task = {
        .scene = scene, .world = world, .particle_template = particle_template, .set = set, .number = number};
    RPS_TRY(check_packed_meshes(world, node, particle_template, err));
    task.pressure = rps_node_number(node, "pressure", 0.0);
    if ((fraction != NULL) == (count != NULL)) {
        return rps_place_fail(err, node->place,
                              "a packing takes the part of the region that its particles fill, `fraction`, or their "
                              "number, `count`, one of the two");
    }
    RPS_TRY(rps_region_read(scene, region, RPS_REGION_PACKED, &task.region, err));
    RPS_TRY(rps_region_check_space(&task.region, region->place, rps_particle_template_bound(particle_template), err));
    size_t wanted = count ? (size_t)count->number[0] : 0;
    if (fraction)
        RPS_TRY(rps_place_wrap(err, node->place, rps_packing_count(&task, fraction->number[0], &wanted, err)));
    if (wanted == 0) return rps_place_fail(err, fraction->place, "not even one particle is that small");
    rps_packing packed = {0};
    rps_status status = rps_place_wrap(err, node->place, rps_packing_make(&task, wanted, &packed, err));
    if (status == RPS_OK) status = put_packed(scene, world, &task, &packed, err);
    rps_packing_release(&packed);
    *made = wanted;
    return status;
}

/* --- sets ---------------------------------------------------------------------------------------------------------- */

static rps_status build_set(rps_scene *scene, rps_world *world, const rps_node *set, uint32_t number, rps_error *err) {
    const rps_node *generator = rps_node_get(set, "generator"), *file = rps_node_get(set, "file");
    const rps_node *insertion = rps_node_get(set, "pour");
    rps_body_def def = rps_body_def_default();
    rps_particle_template particle_template;
    if ((generator != NULL) + (file != NULL) + (insertion != NULL) != 1) {
        return rps_place_fail(err, set->place, "a set of particles takes exactly one of: generator, file, pour");
    }
    if (!file && !rps_node_get(set, "radius") && !rps_node_get(set, "sieve") && !rps_node_get(set, "shape") &&
        !rps_node_get(set, "pieces")) {
        return rps_place_fail(err, set->place, "the key `radius` is missing in this set, or `shape` or `sieve`");
    }
    const rps_node *count = rps_node_get(set, "count");
    if (file && count)
        return rps_place_fail(err, count->place, "a file tells the number of its particles; leave `count` out");
    RPS_TRY(rps_build_motion(scene, world, set, &def, err));
    const rps_node *seeks = rps_drive_servo_node(rps_node_get(set, "drive"));
    if (seeks) return rps_place_fail(err, seeks->place, "only single bodies seek a load; make it one of `bodies`");
    RPS_TRY(rps_particle_template_read(scene, world, set, &def, &particle_template, err));
    const char *name = rps_node_text(set, "name");
    RPS_TRY(rps_world_group(world, name, &particle_template.def.group, err));
    rps_named named = {
        .name = name, .node = set, .is_set = true, .group = particle_template.def.group, .material = def.material};
    RPS_TRY(rps_scene_name(scene, &named, err));
    uint64_t made = 0;
    if (generator) {
        RPS_TRY((rps_node_get(generator, "packing") ? build_packing : build_lattice)(
            scene, world, set, &particle_template, number, &made, err));
    }
    if (file) RPS_TRY(rps_build_particle_file(scene, world, set, &particle_template, number, &made, err));
    scene->bodies_total += made;
    return insertion ? rps_build_insertion(scene, world, set, &particle_template, number, err) : RPS_OK;
}

rps_status rps_build_particles(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *particles = rps_node_get(scene->text->root, "particles");
    scene->insertions.item = rps_pool_take(&scene->pool, (particles->count + 1) * sizeof *scene->insertions.item, err);
    if (!scene->insertions.item) return RPS_NO_MEMORY;
    for (size_t i = 0; i < particles->count; i++) {
        RPS_TRY(build_set(scene, world, particles->entry[i].value, (uint32_t)i + 1, err));
    }
    return RPS_OK;
}
