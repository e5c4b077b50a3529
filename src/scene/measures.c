/*
 * Measures: the quantities that a sweep records of a run. A measure is a check without a required expectation, or the
 * class of a contact.
 *
 * The class follows from the modes of slide and roll friction after every step in a time window. A mode counts as
 * slip if it is slip in more than half of the steps in which the contact exists:
 *
 *     slide   roll    class
 * stick   stick   static               only the springs of friction deform
 *     stick   slip    rolling              the roll resistance is at its cap, the surfaces do not slide
 *     slip    slip    rolling with slip
 *     slip    stick   slipping             pure slip: friction cannot turn the body
 *
 * and `apart` if the contact is absent in more than half of the steps. Both friction laws are required: without them
 * the modes mean nothing.
 */
#include <math.h>
#include <string.h>

#include "scene/quantity.h"

enum { STATIC, ROLLING, ROLLING_WITH_SLIP, SLIPPING, APART };
static const char *const class_word[] = {"static", "rolling", "rolling with slip", "slipping", "apart"};
static const char *const verdict_word[] = {"no", "yes"};

struct rps_measure {
    rps_measure_info info;
    size_t check;                          /* number, verdict */
    size_t slide, roll;                    /* probes of a class */
    double from, to;                       /* s, of a class */
    double last;                           /* s, time of the last look */
    uint64_t looks, absent, slides, rolls; /* steps */
};

/* --- building ------------------------------------------------------------------------------------------------------ */

/* A probe of this measure alone. */
static size_t add_probe(rps_scene *scene, const char *of, const char *quantity, const rps_named *const named[2]) {
    rps_probe *probe = &scene->observer.probe[scene->observer.probes];
    *probe = (rps_probe){.group = -1, .index = rps_quantity_find(of, quantity), .absence = RPS_NEVER_READ};
    for (int k = 0; named && k < 2; k++) probe->id[k] = named[k]->id;
    probe->quantity = rps_quantity_at((size_t)probe->index);
    probe->info = (rps_probe_info){.name = probe->quantity->name,
                                   .unit = probe->quantity->unit,
                                   .quantity = probe->quantity->name,
                                   .needs_contacts = rps_quantity_needs_contacts(probe->index)};
    return scene->observer.probes++;
}

static rps_status build_class(rps_scene *scene, const rps_world *world, const rps_node *node, rps_measure *measure,
                              rps_error *err) {
    const rps_node *class = rps_node_get(node, "class"), *during = rps_node_get(node, "during");
    const rps_named *named[2];
    for (int k = 0; k < 2; k++) RPS_TRY(rps_scene_reference(scene, class->entry[k].value, 1, &named[k], err));
    if (named[0] == named[1]) return rps_place_fail(err, class->place, "a contact needs two different bodies");
    for (size_t i = 0; i < node->count; i++) {
        if (node->entry[i].value->given && strcmp(node->entry[i].key, "class") != 0 && node->entry[i].value != during) {
            return rps_place_fail(err, node->entry[i].key_place, "a `class` takes `during` alone, no `%s`",
                                  node->entry[i].key);
        }
    }
    const rps_pair_setup *pair = rps_world_pair_of(world, named[0]->material, named[1]->material);
    if (pair && (!pair->given.law[RPS_ROLE_SLIDE] || !pair->given.law[RPS_ROLE_ROLL])) {
        return rps_place_fail(err, class->place,
                              "the class of this contact follows from the modes of slide and roll friction, of which "
                              "its pair of materials lacks one\ngive both a law, or measure something else");
    }
    measure->from = 0.9 * scene->run.until;
    measure->to = scene->run.until;
    if (during) {
        measure->from = during->number[0];
        measure->to = during->number[1];
    } else if (!(scene->run.until > 0.0)) {
        return rps_place_fail(err, class->place,
                              "the run has no end in time (run.until), so that the class has no last "
                              "tenth to be judged in\nadd `during: [t0, t1]`");
    }
    if (!(measure->from < measure->to) || (scene->run.until > 0.0 && measure->from >= scene->run.until)) {
        return rps_place_fail(err, (during ? during : class)->place,
                              "the window of a class must begin before it ends, and before the run ends at %g s",
                              scene->run.until);
    }
    measure->slide = add_probe(scene, "contact", "slide_mode", named);
    measure->roll = add_probe(scene, "contact", "roll_mode", named);
    measure->last = -1.0;
    measure->info.kind = RPS_MEASURE_CLASS;
    measure->info.unit = "";
    return RPS_OK;
}

static rps_status build_reduced(rps_scene *scene, const rps_node *node, size_t probe, rps_measure *measure,
                                rps_error *err) {
    bool verdict;
    measure->check = scene->observer.checks;
    RPS_TRY(rps_build_measure(scene, node, probe, &verdict, err));
    rps_check_result result;
    RPS_TRY(rps_scene_check(scene, measure->check, &result, err));
    measure->info.kind = verdict ? RPS_MEASURE_VERDICT : RPS_MEASURE_NUMBER;
    measure->info.unit = verdict || strcmp(result.unit, "1") == 0 ? "" : result.unit;
    return RPS_OK;
}

static rps_status unknown(const rps_scene *scene, const char *name, rps_error *err) {
    const char *names[256];
    char hint[512];
    size_t n = 0;
    const rps_node *measures = rps_node_get(rps_node_get(scene->text->root, "sweep"), "measures");
    const rps_node *checks = rps_node_get(scene->text->root, "checks");
    for (size_t i = 0; measures && i < measures->count && n < 256; i++) names[n++] = measures->entry[i].key;
    for (size_t i = 0; i < scene->observer.probes && n < 256; i++) names[n++] = scene->observer.probe[i].info.name;
    for (size_t i = 0; i < checks->count && n < 256; i++) {
        const char *own = rps_node_text(checks->entry[i].value, "name");
        if (own) names[n++] = own;
    }
    return rps_fail(
        err, RPS_BAD_INPUT,
        "there is nothing called `%.60s` to measure: a measure of the block `sweep`, a probe, a quantity of "
        "the world, or the name of a check%s",
        name, rps_suggest(name, names, n, hint, sizeof hint));
}

static size_t measures_find_probe(const rps_scene *scene, const char *name) {
    for (size_t i = 0; i < scene->observer.probes; i++) {
        if (scene->observer.probe[i].node && strcmp(scene->observer.probe[i].info.name, name) == 0) return i;
    }
    return SIZE_MAX;
}

static bool needs_more(const rps_scene *scene, int index) {
    return rps_quantity_needs_box(index) || rps_quantity_of_region(index) ||
           rps_quantity_spans(index, scene->planar) > 0;
}

static rps_status measured_probe(rps_scene *scene, const rps_node *node, size_t *probe, rps_error *err) {
    const rps_node *named = rps_node_get(node, "probe"), *quantity = rps_node_get(node, "quantity");
    const rps_node *misplaced = rps_node_get(node, "during");
    if (misplaced) return rps_place_fail(err, misplaced->place, "`during` belongs to a `class`");
    if (!named == !quantity) {
        return rps_place_fail(err, node->place, "a measure takes `probe`, `quantity` (of the world) or `class`");
    }
    if (named) {
        *probe = measures_find_probe(scene, named->text);
        return *probe != SIZE_MAX ? RPS_OK : unknown(scene, named->text, err);
    }
    int index = rps_quantity_find("world", quantity->text);
    if (index < 0 || needs_more(scene, index)) {
        return rps_place_fail(err, quantity->place,
                              "`%.60s` is no quantity of the world that needs nothing more\nmake it a probe",
                              quantity->text);
    }
    *probe = add_probe(scene, "world", quantity->text, NULL);
    return RPS_OK;
}

/* The check {final: true} for a probe or quantity given only by its name. */
static rps_status final_node(rps_scene *scene, rps_node **node, rps_error *err) {
    rps_place place = scene->text->root->place;
    *node = rps_node_new(&scene->pool, RPS_NODE_MAP, place, err);
    rps_node *yes = rps_node_new(&scene->pool, RPS_NODE_SCALAR, place, err);
    if (!*node || !yes) return RPS_NO_MEMORY;
    yes->text = "true";
    yes->number[0] = 1.0;
    return rps_node_add(&scene->pool, *node, "final", place, yes, err);
}

static rps_status measures_build(rps_scene *scene, const rps_world *world, const char *name, rps_measure *measure,
                                 rps_error *err) {
    rps_node *node = rps_node_get(rps_node_get(rps_node_get(scene->text->root, "sweep"), "measures"), name);
    const rps_node *checks = rps_node_get(scene->text->root, "checks");
    size_t probe;
    *measure = (rps_measure){.info = {.name = name}};
    if (node && rps_node_get(node, "class")) return build_class(scene, world, node, measure, err);
    if (node) {
        RPS_TRY(measured_probe(scene, node, &probe, err));
        return build_reduced(scene, node, probe, measure, err);
    }
    for (size_t i = 0; i < checks->count; i++) {
        const char *own = rps_node_text(checks->entry[i].value, "name");
        if (own && strcmp(own, name) == 0) return build_reduced(scene, checks->entry[i].value, SIZE_MAX, measure, err);
    }
    probe = measures_find_probe(scene, name);
    if (probe == SIZE_MAX) {
        int index = rps_quantity_find("world", name);
        if (index < 0 || needs_more(scene, index)) return unknown(scene, name, err);
        probe = add_probe(scene, "world", name, NULL);
    }
    RPS_TRY(final_node(scene, &node, err));
    return build_reduced(scene, node, probe, measure, err);
}

rps_status rps_build_measures(rps_scene *scene, const rps_world *world, rps_error *err) {
    scene->observer.measure =
        rps_pool_take(&scene->pool, (scene->observer.wanted_count + 1) * sizeof *scene->observer.measure, err);
    if (!scene->observer.measure) return RPS_NO_MEMORY;
    RPS_TRY(rps_checks_capacity(scene, scene->observer.wanted_count, err));
    for (size_t i = 0; i < scene->observer.wanted_count; i++) {
        RPS_TRY(measures_build(scene, world, scene->observer.wanted[i], &scene->observer.measure[i], err));
        scene->observer.measures++;
    }
    return RPS_OK;
}

/* --- watching ------------------------------------------------------------------------------------------------------ */

static bool measures_inside(const rps_scene *scene, const rps_measure *measure, double time) {
    double half = 0.5 * scene->run.step;
    return time > measure->from - half && time < measure->to + half;
}

bool rps_measures_need(const rps_scene *scene, size_t probe, uint64_t step) {
    for (size_t i = 0; i < scene->observer.measures; i++) {
        const rps_measure *m = &scene->observer.measure[i];
        if (m->info.kind == RPS_MEASURE_CLASS && (m->slide == probe || m->roll == probe) &&
            measures_inside(scene, m, rps_step_time(scene->run.clock, step))) {
            return true;
        }
    }
    return false;
}

void rps_measures_watch(rps_scene *scene, double time, const double *value, const bool *read) {
    for (size_t i = 0; i < scene->observer.measures; i++) {
        rps_measure *m = &scene->observer.measure[i];
        if (m->info.kind != RPS_MEASURE_CLASS || !read[m->slide] || !read[m->roll] ||
            !measures_inside(scene, m, time) || !(time > m->last)) {
            continue;
        }
        double slide = value[m->slide], roll = value[m->roll];
        m->last = time;
        m->looks++;
        m->absent += isnan(slide) || isnan(roll);
        m->slides += slide == 1.0;
        m->rolls += roll == 1.0;
    }
}

/* --- values -------------------------------------------------------------------------------------------------------- */

size_t rps_scene_measure_count(const rps_scene *scene) {
    return scene->observer.measures;
}

const rps_measure_info *rps_scene_measure(const rps_scene *scene, size_t index) {
    return index < scene->observer.measures ? &scene->observer.measure[index].info : NULL;
}

double rps_scene_measure_value(rps_scene *scene, size_t index, bool *decided) {
    const rps_measure *m = &scene->observer.measure[index];
    if (m->info.kind != RPS_MEASURE_CLASS) {
        return rps_check_value(scene, m->check, m->info.kind == RPS_MEASURE_VERDICT, decided);
    }
    *decided = false;
    uint64_t present = m->looks - m->absent;
    bool slides = 2 * m->slides > present, rolls = 2 * m->rolls > present;
    if (m->looks == 0) return NAN;
    if (2 * m->absent > m->looks) return APART;
    return slides ? (rolls ? ROLLING_WITH_SLIP : SLIPPING) : rolls ? ROLLING : STATIC;
}

const char *rps_scene_measure_absence(rps_scene *scene, size_t index) {
    const rps_measure *m = &scene->observer.measure[index];
    if (m->info.kind == RPS_MEASURE_CLASS) return m->looks == 0 ? "its modes were never read" : NULL;
    return rps_check_missing(scene, m->check);
}

const char *rps_measure_word(rps_measure_kind kind, int value) {
    if (kind == RPS_MEASURE_VERDICT && value >= 0 && value <= 1) return verdict_word[value];
    if (kind == RPS_MEASURE_CLASS && value >= STATIC && value <= APART) return class_word[value];
    return NULL;
}
