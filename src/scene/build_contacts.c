/*
 * Decides which bodies can touch (`exclude` and `contacts`), and checks that all materials that can meet have a pair.
 *
 * The result does not change with the stages: a driven body that seeks a load in one stage counts as moved by forces
 * in all of them. So these checks hold for the whole run.
 */
#include <string.h>

#include "scene/events.h"
#include "scene/scene_internal.h"
#include "shape/shape.h"
#include "world/body_shape.h"

/* --- exclude and contacts ------------------------------------------------------------------------------------------- */

/* The groups named in a list of two names. */
static rps_status read_two(const rps_scene *scene, const rps_node *item, int group[2], rps_error *err) {
    for (int k = 0; k < 2; k++) {
        const rps_named *named;
        RPS_TRY(rps_scene_reference(scene, item->entry[k].value, 0, &named, err));
        group[k] = named->group;
    }
    return RPS_OK;
}

/* Counts the fixed and driven bodies of a group, and the planes among them. */
static void count_held(const rps_world *world, int group, uint64_t *held, uint64_t *planes) {
    const rps_bodies *bodies = &world->bodies;
    *held = *planes = 0;
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->group[s][0] != group || bodies->kind[s][0] == RPS_BODY_FREE) continue;
        ++*held;
        *planes += rps_body_is_plane(bodies, s);
    }
}

/* A pair of `contacts` without effect is an error: the user expects a contact. */
static rps_status check_include(const rps_scene *scene, const rps_world *world, const rps_node *item,
                                const int group[2], rps_error *err) {
    const rps_node *run = rps_node_get(scene->text->root, "run");
    uint64_t held[2], planes[2];
    if (rps_world_rule(world, group[0], group[1]) == RPS_RULE_EXCLUDED) {
        return rps_place_fail(err, item->place, "these two are in `exclude` too\nleave one of them out");
    }
    for (int k = 0; k < 2; k++) {
        count_held(world, group[k], &held[k], &planes[k]);
        if (held[k] > (group[0] == group[1])) continue;
        return rps_place_fail(
            err, item->entry[k].value->place,
            "`%s` has no %sfixed or driven body, so that `contacts` changes nothing\nfree bodies touch "
            "all others without it",
            item->entry[k].value->text, held[k] > 0 ? "second " : "");
    }
    if (held[0] == planes[0] && held[1] == planes[1]) {
        return rps_place_fail(err, item->place, "two planes never touch\ngive one of them another shape");
    }
    if (world->options.stepper == RPS_NONSMOOTH && world->options.nonsmooth.rigid) {
        return rps_place_fail(err, item->place,
                              "no force moves these two, so that the impulse between them follows from their stiffness "
                              "alone, and rigid contacts have none\nleave out `compliance: rigid` of line %d",
                              run->place.line);
    }
    return RPS_OK;
}

static rps_status build_rules(const rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *exclude = rps_node_get(scene->text->root, "exclude"),
                   *include = rps_node_get(scene->text->root, "contacts");
    int group[2];
    for (size_t i = 0; i < exclude->count; i++) {
        const rps_node *item = exclude->entry[i].value;
        RPS_TRY(read_two(scene, item, group, err));
        RPS_TRY(rps_place_wrap(err, item->place, rps_world_exclude(world, group[0], group[1], err)));
    }
    for (size_t i = 0; i < include->count; i++) {
        const rps_node *item = include->entry[i].value;
        RPS_TRY(read_two(scene, item, group, err));
        RPS_TRY(check_include(scene, world, item, group, err));
        RPS_TRY(rps_place_wrap(err, item->place, rps_world_include(world, group[0], group[1], err)));
    }
    return RPS_OK;
}

/* --- materials that meet must have a pair
 * --------------------------------------------------------------------------- */

#define SEVERAL UINT64_MAX

/* Pieces of one material and group, divided by whether forces move their bodies. Planes are separate: they do not
 * meet each other. */
typedef struct kind {
    int material, group;
    bool feels, plane;
    uint64_t body; /* slot of the only body with such a piece, or SEVERAL: a body does not meet itself */
} kind;

typedef struct kinds {
    kind *kind;
    size_t count, capacity;
} kinds;

static rps_status count_kind(rps_scene *scene, kinds *k, kind add, rps_error *err) {
    for (size_t i = k->count; i-- > 0;) { /* bodies of a set are consecutive, so the last kind is the likely one */
        kind *have = &k->kind[i];
        if (have->material == add.material && have->group == add.group && have->feels == add.feels &&
            have->plane == add.plane) {
            if (have->body != add.body) have->body = SEVERAL;
            return RPS_OK;
        }
    }
    if (k->count == k->capacity) {
        size_t capacity = k->capacity ? 2 * k->capacity : 16;
        kind *grown = rps_pool_take(&scene->pool, capacity * sizeof *grown, err);
        if (!grown) return RPS_NO_MEMORY;
        if (k->count) memcpy(grown, k->kind, k->count * sizeof *grown);
        k->kind = grown;
        k->capacity = capacity;
    }
    k->kind[k->count++] = add;
    return RPS_OK;
}

/* As rps_world_may_touch, of two kinds. */
static bool may_meet(const rps_world *world, const kind *a, const kind *b) {
    const rps_contact_rule rule = rps_world_rule(world, a->group, b->group);
    const bool same = a->body == b->body && a->body != SEVERAL;
    if ((a->plane && b->plane) || same || rule == RPS_RULE_EXCLUDED) return false;
    return a->feels || b->feels || rule == RPS_RULE_INCLUDED;
}

/* A fixed body that some event makes free. */
static bool is_released(const rps_scene *scene, int group) {
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        if (event->kind == RPS_EVENT_RELEASED && event->group == group) return true;
    }
    return false;
}

static rps_status check_pairs(rps_scene *scene, const rps_world *world, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    kinds all = {0};
    for (size_t s = 0; s < bodies->count; s++) {
        /* groups matter only if they have rules */
        kind add = {.material = bodies->material[s][0],
                    .group = world->rule ? bodies->group[s][0] : 0,
                    .feels = rps_body_feels_forces(world, s) || is_released(scene, bodies->group[s][0]),
                    .plane = rps_body_is_plane(bodies, s),
                    .body = s};
        const rps_piece *piece = rps_body_pieces(world, s);
        for (int32_t k = 0; k < rps_body_shape_count(bodies, s); k++) {
            if (piece != NULL) add.material = (int)piece[k].material;
            RPS_TRY(count_kind(scene, &all, add, err));
        }
    }
    for (size_t i = 0; i < scene->insertions.count; i++) {
        const rps_body_def *def = &scene->insertions.item[i].particle_template.def;
        for (int k = 0; k < (def->piece ? def->pieces : 1); k++) {
            const kind add = {.material = def->piece ? def->piece[k].material : def->material,
                              .group = world->rule ? def->group : 0,
                              .feels = def->kind == RPS_BODY_FREE,
                              .body = scene->insertions.item[i].count > 1 ? SEVERAL : bodies->count + i};
            RPS_TRY(count_kind(scene, &all, add, err));
        }
    }
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        const rps_body_def *def = &event->def;
        for (int k = 0; event->kind == RPS_EVENT_ENTERS && k < (def->piece ? def->pieces : 1); k++) {
            const kind add = {.material = def->piece ? def->piece[k].material : def->material,
                              .group = world->rule ? def->group : 0,
                              .feels =
                                  def->kind == RPS_BODY_FREE ||
                                  rps_drive_servo_node(rps_node_get(scene->names.item[event->named].node, "drive")),
                              .plane = strcmp(def->shape, "plane") == 0,
                              .body = bodies->count + scene->insertions.count + i};
            RPS_TRY(count_kind(scene, &all, add, err));
        }
    }
    for (size_t i = 0; i < all.count; i++) {
        for (size_t k = 0; k <= i; k++) {
            const kind *a = &all.kind[k], *b = &all.kind[i];
            if (!may_meet(world, a, b) || rps_world_has_pair(world, a->material, b->material)) continue;
            return rps_place_fail(
                err, rps_node_get(scene->text->root, "pairs")->place,
                rps_build_both_rigid(world, a->material, b->material)
                    ? "the materials %s, %s are rigid, and bodies of them can meet: the laws for all pairs "
                      "find no stiffness there\ngive one of them a modulus, give this pair laws with a "
                      "stiffness of their own, or keep the bodies apart by `exclude`"
                    : "the pair of materials %s, %s is not given, but bodies of them can meet\nadd it to "
                      "`pairs`, or keep the bodies apart by `exclude`",
                rps_world_material(world, a->material).name, rps_world_material(world, b->material).name);
        }
    }
    return RPS_OK;
}

rps_status rps_build_contacts(rps_scene *scene, rps_world *world, rps_error *err) {
    RPS_TRY(build_rules(scene, world, err));
    return check_pairs(scene, world, err);
}
