/* Probes: named quantities of named things. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/events.h"
#include "scene/quantity.h"

static rps_status unknown_quantity(const rps_node *node, const char *of, rps_error *err) {
    const char *names[160];
    char hint[512], other[64] = "";
    size_t n = 0;
    for (size_t i = 0; i < rps_quantity_count() && n < 160; i++) {
        if (strcmp(rps_quantity_at(i)->of, of) == 0) names[n++] = rps_quantity_at(i)->name;
    }
    static const char *const kinds[] = {"contact", "body", "joint", "flow", "sink", "zone", "source", "force", "world"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (rps_quantity_find(kinds[k], node->text) >= 0) {
            snprintf(other, sizeof other, "; it is a quantity of a %s", kinds[k]);
            return rps_place_fail(err, node->place, "`%.60s` is no quantity of a %s%s\nadd `%s:` to the probe",
                                  node->text, of, other, kinds[k]);
        }
    }
    const char *near = rps_closest_name(node->text, names, n);
    if (near)
        snprintf(hint, sizeof hint, "\ndid you mean `%s`?", near);
    else
        snprintf(hint, sizeof hint, "\n`repose list quantities` shows all");
    return rps_place_fail(err, node->place, "`%.60s` is no quantity of a %s%s", node->text, of, hint);
}

static rps_status read_box(const rps_scene *scene, const rps_node *box, rps_probe *probe, rps_error *err) {
    for (int k = 0; k < 3; k++) {
        probe->low[k] = box->entry[0].value->number[k];
        probe->high[k] = box->entry[1].value->number[k];
        if (!(probe->low[k] < probe->high[k]) && !(scene->planar && k == 1)) {
            return rps_place_fail(err, box->place, "the first corner of the box must be the lower one (axis %c)",
                                  "xyz"[k]);
        }
    }
    /* images of a sheared cell are examined one by one */
    const int g = scene->shear.gradient;
    const double most = 1000.0 * scene->period[g];
    if (scene->shear.flow != g && !(probe->low[g] >= -most && probe->high[g] <= most)) {
        return rps_place_fail(
            err, box->place,
            "the box goes from %g m to %g m along %c, the gradient of the shear, where it may reach over "
            "1000 periods either way",
            probe->low[g], probe->high[g], "xyz"[g]);
    }
    return RPS_OK;
}

/* Reads the planes that a quantity needs, and checks its requirements on the body. */
static rps_status read_over(const rps_scene *scene, const rps_node *node, const rps_named *body, rps_probe *probe,
                            rps_error *err) {
    const rps_node *over = rps_node_get(node, "over"), *quantity = rps_node_get(node, "quantity");
    const int spans = rps_quantity_spans(probe->index, scene->planar);
    if (!over != !spans) {
        return rps_place_fail(err, (over ? over : node)->place, "`%s` %s", quantity->text,
                              over         ? "takes no `over`"
                              : spans == 1 ? "needs two planes: `over: [a, b]`"
                              : spans == 2 ? "needs two pairs of planes: `over: [a, b, c, d]`"
                                           : "needs three pairs of planes: `over: [a, b, c, d, e, f]`");
    }
    if (rps_quantity_of_plane(probe->index) && (!body || strcmp(body->def.shape, "plane") != 0)) {
        return rps_place_fail(err, quantity->place, "`%s` is a quantity of planes", quantity->text);
    }
    if (rps_quantity_of_servo(probe->index) && (!body || body->def.kind != RPS_BODY_DRIVEN)) {
        return rps_place_fail(err, quantity->place, "`%s` is a quantity of bodies whose drive seeks a load",
                              quantity->text);
    }
    if (!over) return RPS_OK;
    RPS_TRY(rps_read_planes(scene, over, probe->span, spans, &probe->spans, err));
    if (probe->spans == spans) return RPS_OK;
    return rps_place_fail(err, over->place, "`%s` needs %d pairs of planes, here is %d", quantity->text, spans,
                          probe->spans);
}

/* Checks that the joint has the motion of the quantity. */
static rps_status read_joint(const rps_scene *scene, const rps_world *world, const rps_node *node, rps_probe *probe,
                             rps_error *err) {
    const rps_node *quantity = rps_node_get(node, "quantity");
    RPS_TRY(rps_scene_joint(scene, world, rps_node_get(node, "joint"), &probe->joint, err));
    const rps_joint *joint = &world->joint[probe->joint];
    int nth;
    const rps_joint_free needs = rps_quantity_of_motion(probe->index, &nth), has = rps_joint_freedom(joint, 0);
    if (needs == RPS_JOINT_HELD || rps_joint_coordinate_of(joint, needs, nth) >= 0) return RPS_OK;
    if (nth > 0) {
        return rps_place_fail(err, quantity->place,
                              "the joint has no `%s`\nask for it of a %s joint, or ask this one for `%s`",
                              quantity->text, needs == RPS_JOINT_TURNS ? "universal" : "planar",
                              has == RPS_JOINT_HELD    ? "force"
                              : has == RPS_JOINT_TURNS ? "angle"
                                                       : "displacement");
    }
    return rps_place_fail(err, quantity->place, "the joint %s, so that it has no `%s`%s",
                          has == RPS_JOINT_HELD    ? "has no one free direction"
                          : has == RPS_JOINT_TURNS ? "turns"
                                                   : "moves along a line",
                          quantity->text,
                          has == RPS_JOINT_HELD    ? ""
                          : has == RPS_JOINT_TURNS ? "\nask for `angle` or `angular_speed`"
                                                   : "\nask for `displacement` or `speed`");
}

static rps_status read_force_of(const rps_node *node, const rps_world *world, size_t *force, rps_error *err) {
    const char *known[64];
    size_t count = 0;
    for (size_t k = 0; rps_world_force_name(world, k); k++) {
        if (strcmp(rps_world_force_name(world, k), node->text) == 0) {
            *force = k;
            return RPS_OK;
        }
        if (count < 64) known[count++] = rps_world_force_name(world, k);
    }
    const char *near = rps_closest_name(node->text, known, count);
    return rps_place_fail(err, node->place, "there is no force `%.60s`%s%s%s", node->text,
                          near ? "\ndid you mean `" : "", near ? near : "", near ? "`?" : "");
}

/* Finds the plane, sink or source of a probe, and its window. */
static rps_status read_tally(rps_scene *scene, const rps_node *node, rps_probe *probe, rps_error *err) {
    const rps_node *flow = rps_node_get(node, "flow"), *sink = rps_node_get(node, "sink");
    const rps_node *source = rps_node_get(node, "source"), *zone = rps_node_get(node, "zone");
    const rps_node *window = rps_node_get(node, "window"), *quantity = rps_node_get(node, "quantity");
    if (window ? !rps_quantity_takes_window(probe->index) : rps_quantity_needs_window(probe->index)) {
        return rps_place_fail(err, (window ? window : node)->place, "`%s` %s", quantity->text,
                              window ? "takes no `window`" : "needs a `window`, the time over which it is a mean");
    }
    probe->window = rps_node_number(node, "window", 0.0);
    probe->tally_of = flow     ? RPS_TALLY_FLOW
                      : sink   ? RPS_TALLY_SINK
                      : zone   ? RPS_TALLY_ZONE
                      : source ? RPS_TALLY_SOURCE
                               : RPS_TALLY_NONE;
    scene->traffic.sources = scene->traffic.sources || source;
    if (flow) return rps_traffic_find_flow(scene, flow, &probe->tally, err);
    if (zone) return rps_zone_find(scene, zone, &probe->tally, err);
    if (source) return rps_traffic_find_source(scene, source, &probe->tally, err);
    return sink ? rps_traffic_find_sink(scene, sink, &probe->tally, err) : RPS_OK;
}

rps_tally *rps_probe_tally(rps_scene *scene, const rps_probe *probe) {
    switch (probe->tally_of) {
    case RPS_TALLY_FLOW:
        return &scene->traffic.flow[probe->tally].tally;
    case RPS_TALLY_SINK:
        return &scene->traffic.sink[probe->tally].tally;
    case RPS_TALLY_ZONE:
        return &scene->traffic.zone[probe->tally].tally;
    case RPS_TALLY_SOURCE:
        return &scene->insertions.item[probe->tally].tally;
    case RPS_TALLY_NONE:
        break;
    }
    return NULL;
}

/* The kind of thing that a probe is of; fails if it names two. */
static rps_status probe_of(const rps_node *node, const char **of, rps_error *err) {
    static const char *const kinds[] = {"contact", "body", "joint", "flow", "sink", "zone", "source", "force"};
    *of = "world";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const rps_node *one = rps_node_get(node, kinds[k]);
        if (one && strcmp(*of, "world") != 0) {
            return rps_place_fail(
                err, one->place,
                "a probe is of one contact, body, joint, flow, sink, zone, source or force, not of two of them");
        }
        if (one) *of = kinds[k];
    }
    return RPS_OK;
}

static rps_status build_probe(rps_scene *scene, rps_world *world, const rps_entry *entry, rps_probe *probe,
                              rps_error *err) {
    const rps_node *node = entry->value, *contact = rps_node_get(node, "contact"), *body = rps_node_get(node, "body");
    const rps_node *quantity = rps_node_get(node, "quantity"), *set = rps_node_get(node, "set");
    const rps_node *box = rps_node_get(node, "box"), *joint = rps_node_get(node, "joint");
    const rps_node *region = rps_node_get(node, "region"), *force = rps_node_get(node, "force");
    const char *of;
    const rps_named *named[2] = {NULL, NULL};
    RPS_TRY(probe_of(node, &of, err));
    *probe = (rps_probe){.node = node, .group = -1, .absence = RPS_NEVER_READ};
    for (int k = 0; contact && k < 2; k++) {
        RPS_TRY(rps_scene_reference(scene, contact->entry[k].value, 3, &named[k], err));
        probe->id[k] = named[k]->id;
        probe->named[k] = (size_t)(named[k] - scene->names.item) + 1;
    }
    if (contact && named[0] == named[1]) {
        return rps_place_fail(err, contact->place, "a contact needs two different bodies");
    }
    if (body) {
        RPS_TRY(rps_scene_reference(scene, body, 3, &named[0], err));
        probe->id[0] = named[0]->id;
        probe->named[0] = (size_t)(named[0] - scene->names.item) + 1;
    }
    probe->index = rps_quantity_find(of, quantity->text);
    if (probe->index < 0) return unknown_quantity(quantity, of, err);
    if (!world->options.ledger && rps_quantity_needs_ledger(probe->index)) {
        return rps_place_fail(err, quantity->place, "`%s` is read from the energy ledger\nset `ledger: true` in `run`",
                              quantity->text);
    }
    if (!world->heat.on && rps_quantity_of_heat(probe->index)) {
        return rps_place_fail(err, quantity->place, "`%s` is for scenes that count heat\nadd `heat: {}`",
                              quantity->text);
    }
    if (rps_quantity_of_loads(probe->index)) {
        RPS_TRY(rps_world_want_loads(world, body ? probe->id[0] : RPS_LOADED_WORLD, false, err));
    }
    if (joint) RPS_TRY(read_joint(scene, world, node, probe, err));
    if (set) {
        if (!rps_quantity_of_grains(probe->index) &&
            (!rps_quantity_of_tally(probe->index) || rps_node_get(node, "source"))) {
            return rps_place_fail(err, set->place, "`%s` is not a quantity of a set", quantity->text);
        }
        RPS_TRY(rps_scene_reference(scene, set, 2, &named[0], err));
        probe->group = named[0]->group;
    }
    RPS_TRY(read_tally(scene, node, probe, err));
    if (force) RPS_TRY(read_force_of(force, world, &probe->force, err));
    RPS_TRY(read_over(scene, node, named[0], probe, err));
    const bool box_wrong = box ? !rps_quantity_takes_box(probe->index) : rps_quantity_needs_box(probe->index);
    if (box_wrong) {
        return rps_place_fail(err, (box ? box : node)->place, "`%s` %s", quantity->text,
                              box ? "takes no `box`" : "needs a `box`: [[x0, y0, z0], [x1, y1, z1]]");
    }
    if (box) RPS_TRY(read_box(scene, box, probe, err));
    if ((region != NULL) != rps_quantity_of_region(probe->index)) {
        return rps_place_fail(err, (region ? region : node)->place, "`%s` %s", quantity->text,
                              region ? "takes no `region`" : "needs a `region`, such as {sphere: {center, radius}}");
    }
    if (region) RPS_TRY(rps_region_read(scene, region, RPS_REGION_HOLDS, &probe->region, err));
    probe->has_box = box != NULL;
    probe->quantity = rps_quantity_at((size_t)probe->index);
    probe->info = (rps_probe_info){
        .name = entry->key,
        .unit = probe->quantity->unit,
        .quantity = probe->quantity->name,
        .needs_contacts = rps_quantity_needs_contacts(probe->index),
        .may_lack = rps_quantity_may_lack(probe->index) ||
                    ((rps_scene_removes(scene) || rps_events_have(scene, RPS_EVENT_ENTERS)) && (contact || body))};
    return RPS_OK;
}

rps_status rps_build_probes(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *probes = rps_node_get(scene->text->root, "probes");
    size_t capacity = probes->count + 2 * scene->observer.wanted_count + 1; /* a measure may add two */
    scene->observer.probe = rps_pool_take(&scene->pool, capacity * sizeof *scene->observer.probe, err);
    if (!scene->observer.probe) return RPS_NO_MEMORY;
    for (size_t i = 0; i < probes->count; i++) {
        RPS_TRY(build_probe(scene, world, &probes->entry[i], &scene->observer.probe[i], err));
        scene->observer.probes++;
    }
    return RPS_OK;
}

rps_status rps_scene_find_probe(const rps_scene *scene, const rps_node *node, size_t *probe, rps_error *err) {
    const char *names[256];
    char hint[512];
    size_t n = 0;
    for (size_t i = 0; i < scene->observer.probes; i++) {
        if (strcmp(scene->observer.probe[i].info.name, node->text) == 0) {
            *probe = i;
            return RPS_OK;
        }
        if (n < 256) names[n++] = scene->observer.probe[i].info.name;
    }
    return rps_place_fail(err, node->place, "there is no probe `%.60s`%s", node->text,
                          rps_suggest(node->text, names, n, hint, sizeof hint));
}

size_t rps_scene_probe_count(const rps_scene *scene) {
    return scene->observer.probes;
}

const rps_probe_info *rps_scene_probe(const rps_scene *scene, size_t index) {
    return index < scene->observer.probes ? &scene->observer.probe[index].info : NULL;
}

rps_status rps_scene_probe_value(rps_scene *scene, rps_world *world, size_t index, double *value, rps_error *err) {
    if (index >= scene->observer.probes) return rps_fail(err, RPS_BAD_INPUT, "there is no probe number %zu", index);
    rps_absence absence;
    RPS_TRY(rps_quantity_value(scene, world, &scene->observer.probe[index], value, &absence, err));
    scene->observer.probe[index].absence = (int)absence;
    return RPS_OK;
}

const char *rps_scene_probe_absence(const rps_scene *scene, size_t index) {
    return index < scene->observer.probes ? rps_absence_text(scene->observer.probe[index].absence) : "";
}

bool rps_scene_probe_due(const rps_scene *scene, size_t index, uint64_t step) {
    if (index >= scene->observer.probes) return false;
    return step == 0 || scene->observer.probe[index].info.every_step ||
           rps_schedule_due(scene->run.every[RPS_WRITER_series], scene->run.clock, step) ||
           (double)step == rps_step_nearest(scene->run.clock, scene->run.until) ||
           rps_checks_need(scene, index, step) || rps_measures_need(scene, index, step) ||
           rps_stage_asks(scene, index, step);
}
