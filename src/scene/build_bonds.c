/*
 * Bonds of a scene: one between two named bodies, or all pairs of bodies of two sets whose surfaces are within a gap at
 * the start. Adding a bond checks it against its bodies.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/random.h"
#include "detect/detect.h"
#include "scene/overlap_grid.h"
#include "scene/scene_internal.h"
#include "world/body_shape.h"

static const rps_law_parameter *bond_parameter_of(const rps_bond_law *law, const char *name) {
    for (int k = 0; k < RPS_BOND_PARAMETERS && law->parameter[k].name; k++) {
        if (strcmp(law->parameter[k].name, name) == 0) return &law->parameter[k];
    }
    return NULL;
}

/* Refuses a parameter of another law. */
static rps_status check_other_laws(const rps_node *node, const rps_bond_law *law, rps_error *err) {
    const rps_bond_law *other;
    for (size_t n = 0; (other = rps_bond_law_at(n)) != NULL; n++) {
        for (int k = 0; k < RPS_BOND_PARAMETERS && other->parameter[k].name; k++) {
            const char *name = other->parameter[k].name;
            const rps_node *given = rps_node_get(node, name);
            if (!given || bond_parameter_of(law, name)) continue;
            return rps_place_fail(err, given->place, "bond law `%s` has no `%s`, which is of `%s`", law->name, name,
                                  other->name);
        }
    }
    return RPS_OK;
}

static rps_status read_parameters(const rps_node *node, rps_bond_def *def, rps_error *err) {
    def->law = rps_bond_law_find(rps_node_text(node, "law"));
    RPS_TRY(check_other_laws(node, def->law, err));
    for (int k = 0; k < RPS_BOND_PARAMETERS && def->law->parameter[k].name; k++) {
        const rps_node *given = rps_node_get(node, def->law->parameter[k].name);
        if (given)
            RPS_TRY(rps_place_wrap(err, given->place,
                                   rps_bond_set(def, def->law->parameter[k].name, given->number[0], err)));
    }
    def->contact = (rps_bond_contact)rps_node_get(node, "contact")->number[0];
    return RPS_OK;
}

/* The Weibull modulus, or 0. */
static rps_status read_weibull(const rps_node *node, double *modulus, rps_error *err) {
    static const char *const strength[] = {"tensile_strength", "cohesion", "fracture_energy"};
    const rps_node *given = rps_node_get(node, "weibull");
    bool breaks = false;
    *modulus = given ? given->number[0] : 0.0;
    for (int k = 0; k < 3; k++) breaks = breaks || rps_node_get(node, strength[k]);
    if (!given || breaks) return RPS_OK;
    return rps_place_fail(err, given->place,
                          "these bonds never break, so no strength scatters\ngive `tensile_strength`, `cohesion` or "
                          "`fracture_energy`, or leave out `weibull`");
}

double rps_bond_strength(uint64_t seed, uint64_t a, uint64_t b, double modulus) {
    const double u = rps_random_uniform(seed, RPS_RANDOM_STRENGTH, a < b ? a : b, a < b ? b : a);
    return rps_pow(-rps_log(1.0 - u), 1.0 / modulus); /* u below 1; P(x) = 1 - exp(-x^m) */
}

static rps_status add_scattered(rps_world *world, rps_bond_def *def, double modulus, rps_error *err) {
    if (modulus > 0.0) {
        const double drawn = rps_bond_strength(world->options.seed, def->body[0], def->body[1], modulus);
        def->strength = drawn > 0.0 ? drawn : DBL_MIN;
    }
    return rps_world_add_bond(world, def, err);
}

/* A pair within the gap, once although a periodic image finds it again. */
typedef struct near_pairs {
    rps_world *world;
    const rps_bond_def *def;
    const rps_named *between[2];
    double gap;     /* m */
    double weibull; /* modulus; 0: no scatter */
    size_t slot, made;
    rps_status status;
    rps_error *err;
} near_pairs;

static bool is_of(const rps_world *world, size_t slot, const rps_named *named) {
    if (named->is_set) return world->bodies.group[slot][0] == named->group;
    return world->bodies.id[slot][0] == named->id;
}

static bool wanted(const near_pairs *p, size_t a, size_t b) {
    return (is_of(p->world, a, p->between[0]) && is_of(p->world, b, p->between[1])) ||
           (is_of(p->world, a, p->between[1]) && is_of(p->world, b, p->between[0]));
}

static bool found_near(void *context, const rps_near_item *item, double overlap) {
    near_pairs *p = context;
    rps_world *world = p->world;
    const rps_bodies *bodies = &world->bodies;
    const size_t other = (size_t)item->tag;
    const uint64_t id = bodies->id[p->slot][0], other_id = bodies->id[other][0];
    (void)overlap; /* of the bounding spheres, each larger by half the gap */
    if (id >= other_id || !wanted(p, p->slot, other)) return true;
    if (bodies->kind[p->slot][0] != RPS_BODY_FREE && bodies->kind[other][0] != RPS_BODY_FREE) return true;
    if (!(rps_detect_gap(world, p->slot, other) <= p->gap) || rps_bond_of(&world->bonds, id, other_id)) return true;
    rps_bond_def def = *p->def;
    def.body[0] = id;
    def.body[1] = other_id;
    p->status = add_scattered(world, &def, p->weibull, p->err);
    p->made++;
    return p->status == RPS_OK;
}

static rps_status add_near(near_pairs *p, rps_overlap_grid *grid) {
    const rps_bodies *bodies = &p->world->bodies;
    for (size_t s = 0; s < bodies->count; s++) {
        const rps_pose *pose = &bodies->pose[s];
        if (rps_body_is_plane(bodies, s)) continue;
        RPS_TRY(rps_near_add(grid, pose->position, pose->radius[0] + 0.5 * p->gap, s, p->err));
    }
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s) && p->status == RPS_OK; id++) {
        const rps_pose *pose = &bodies->pose[s];
        p->slot = s;
        if (!rps_body_is_plane(bodies, s)) {
            rps_near_each(grid, pose->position, pose->radius[0] + 0.5 * p->gap, found_near, p);
        }
    }
    return p->status;
}

static rps_status bond_near(near_pairs *p) {
    const rps_bodies *bodies = &p->world->bodies;
    double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    size_t count = 0;
    rps_overlap_grid grid;
    for (size_t s = 0; s < bodies->count; s++) {
        const rps_pose *pose = &bodies->pose[s];
        if (rps_body_is_plane(bodies, s)) continue;
        for (int k = 0; k < 3; k++) {
            low[k] = count ? fmin(low[k], pose->position[k]) : pose->position[k];
            high[k] = count ? fmax(high[k], pose->position[k]) : pose->position[k];
        }
        sum += pose->radius[0] + 0.5 * p->gap;
        count++;
    }
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_near_init(&grid, low, high, 2.0 * sum / (double)count, &p->world->cell, count, p->world->allocator,
                          p->err));
    const rps_status status = add_near(p, &grid);
    rps_near_release(&grid);
    return status;
}

static rps_status build_bond(const rps_scene *scene, rps_world *world, const rps_node *node, rps_error *err) {
    const rps_node *between = rps_node_get(node, "between"), *gap = rps_node_get(node, "gap");
    const rps_node *points = rps_node_get(node, "points");
    rps_bond_def def = rps_bond_def_default();
    near_pairs near = {.world = world, .def = &def, .status = RPS_OK, .err = err};
    for (size_t k = 0; k < 2; k++) {
        RPS_TRY(rps_scene_reference(scene, between->entry[k].value, 0, &near.between[k], err));
        def.body[k] = near.between[k]->id;
        if (points) memcpy(def.point[k], points->entry[k].value->number, sizeof def.point[k]);
    }
    RPS_TRY(read_parameters(node, &def, err));
    RPS_TRY(read_weibull(node, &near.weibull, err));
    const bool sets = near.between[0]->is_set || near.between[1]->is_set;
    if (!sets) {
        if (gap) {
            return rps_place_fail(err, gap->place, "a bond of two bodies takes no `gap`; it is made at any distance");
        }
        return rps_place_wrap(err, node->place, add_scattered(world, &def, near.weibull, err));
    }
    if (points) {
        return rps_place_fail(err, points->place,
                              "bonds of sets hold bodies by their centres; `points` are of two bodies");
    }
    if (!gap) {
        return rps_place_fail(err, node->place,
                              "bonds of a set need `gap`, the largest distance of the surfaces that are bonded at the "
                              "start\nsuch as gap: 0 m");
    }
    near.gap = gap->number[0];
    RPS_TRY(rps_place_wrap(err, node->place, bond_near(&near)));
    if (near.made > 0) return RPS_OK;
    return rps_place_fail(err, gap->place,
                          "no two bodies of these are within the gap of %g m, and not bonded already, at the start",
                          near.gap);
}

rps_status rps_build_bonds(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *bonds = rps_node_get(scene->text->root, "bonds");
    if (bonds->count > 0 && world->options.stepper == RPS_NONSMOOTH) {
        return rps_place_fail(err, bonds->place,
                              "bonds are springs of the penalty stepper, the nonsmooth stepper has none\nwrite "
                              "`stepper: penalty` in `run`, or leave the bonds out");
    }
    for (size_t i = 0; i < bonds->count; i++) RPS_TRY(build_bond(scene, world, bonds->entry[i].value, err));
    return RPS_OK;
}
