/* Reads checks: how they reduce a probe and what they expect, and refuses those that make no sense. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "scene/check.h"

static const char *const reducer_key[REDUCERS] = {"at",   "final",   "min",     "max",    "mean", "rms",
                                                  "rate", "becomes", "crosses", "always", "never"};

/* Unit of what is compared. */
static const char *result_unit(const rps_scene *scene, const rps_check *check) {
    return check->unit ? check->unit : scene->observer.probe[check->probe].info.unit;
}

static rps_status check_read_read_value(const rps_scene *scene, rps_node *node, const rps_check *check, bool as_time,
                                        double *value, rps_error *err) {
    if (check->is_mode && !as_time && node->kind == RPS_NODE_SCALAR) {
        int mode = rps_choice("stick|slip", node->text);
        if (mode >= 0) {
            *value = mode;
            return RPS_OK;
        }
    }
    return rps_schema_quantity(node, as_time ? "s" : result_unit(scene, check), value, err);
}

static rps_status read_bounds(const rps_scene *scene, const rps_node *node, rps_check *check, bool as_time,
                              rps_error *err) {
    rps_node *above = rps_node_get(node, "above"), *below = rps_node_get(node, "below");
    check->above = check->below = NAN;
    if (above) RPS_TRY(check_read_read_value(scene, above, check, as_time, &check->above, err));
    if (below) RPS_TRY(check_read_read_value(scene, below, check, as_time, &check->below, err));
    if (above && below && !(check->above < check->below)) {
        return rps_place_fail(err, below->place, "`below` must be larger than `above`");
    }
    return RPS_OK;
}

/* Reads one tolerance or a list of them; the largest counts. */
static rps_status read_tolerance(const rps_scene *scene, const rps_node *within, rps_check *check, rps_error *err) {
    const char *unit = check->is_time ? "s" : result_unit(scene, check);
    size_t n = within->kind == RPS_NODE_LIST ? within->count : 1;
    check->tolerance = 0.0;
    for (size_t i = 0; i < n; i++) {
        const rps_node *node = within->kind == RPS_NODE_LIST ? within->entry[i].value : within;
        double value;
        bool percent;
        RPS_TRY(rps_schema_tolerance(node, unit, &value, &percent, err));
        if (percent) value *= fabs(check->expected);
        if (!(value >= 0.0)) return rps_place_fail(err, node->place, "a tolerance must not be negative");
        if (percent && check->expected == 0.0) {
            return rps_place_fail(err, node->place,
                                  "a part of an expected value of 0 is 0\ngive a tolerance with a unit");
        }
        check->tolerance = fmax(check->tolerance, value);
    }
    return RPS_OK;
}

/* s, the end of the time span of the check. */
static double end_of(const rps_scene *scene, const rps_check *check) {
    return check->stage < 0 ? scene->run.until : rps_stage_longest(scene, check->stage);
}

/* The check needs a time after the end. This is an error in the scene, unless the user moved the end or the check
 * belongs to another variant; then it does not apply. */
static rps_status past_end(const rps_scene *scene, const rps_node *node, rps_check *check, rps_error *err) {
    const rps_node *until = rps_node_get(rps_node_get(scene->text->root, "run"), "until");
    bool by_hand = until && until->place.source != &scene->text->source;
    if (check->applies && !by_hand) {
        return rps_place_fail(err, node->place, "this time is after the end of the %s at %g s",
                              check->stage < 0 ? "run" : "stage", end_of(scene, check));
    }
    check->applies = false;
    return RPS_OK;
}

static rps_status read_window(const rps_scene *scene, const rps_node *node, rps_check *check, rps_error *err) {
    check->from = 0.0;
    check->to = INFINITY;
    if (node->kind != RPS_NODE_LIST) return RPS_OK;
    check->from = node->number[0];
    check->to = node->number[1];
    if (!(check->from < check->to)) return rps_place_fail(err, node->place, "the window ends before it begins");
    if (check->from >= end_of(scene, check)) RPS_TRY(past_end(scene, node, check, err));
    if (check->reduce == RATE && check->to > end_of(scene, check) * (1.0 + 1e-12)) {
        RPS_TRY(past_end(scene, node, check, err));
    }
    return RPS_OK;
}

static rps_status read_reducer(const rps_scene *scene, rps_check *check, rps_error *err) {
    int found = 0;
    for (int k = 0; k < REDUCERS; k++) {
        if (!rps_node_get(check->node, reducer_key[k])) continue;
        check->reduce = (rps_reducer)k;
        if (found++) {
            return rps_place_fail(
                err, rps_node_get(check->node, reducer_key[k])->place,
                "a check takes one of: at, final, min, max, mean, rms, rate, becomes, crosses, always, "
                "never");
        }
    }
    if (!found) {
        return rps_place_fail(err, check->node->place,
                              "the check does not say when\nadd one of: at, final, min, max, mean, rate, becomes, "
                              "crosses, always, never");
    }
    rps_node *node = rps_node_get(check->node, reducer_key[check->reduce]);
    check->is_time = check->reduce == BECOMES || check->reduce == CROSSES;
    switch (check->reduce) {
    case AT:
        check->from = check->to = node->number[0];
        return check->to > end_of(scene, check) * (1.0 + 1e-12) ? past_end(scene, node, check, err) : RPS_OK;
    case FINAL:
    case MIN:
    case MAX:
    case MEAN:
    case RMS:
    case RATE:
        if (node->kind == RPS_NODE_SCALAR && node->number[0] == 0.0) {
            return rps_place_fail(err, node->place, "`%s: false` checks nothing", reducer_key[check->reduce]);
        }
        return read_window(scene, node, check, err);
    case BECOMES:
        return check_read_read_value(scene, node, check, false, &check->value, err);
    case CROSSES:
        check->direction = (int)rps_node_number(node, "direction", 0.0);
        return check_read_read_value(scene, node->kind == RPS_NODE_MAP ? rps_node_get(node, "value") : node, check,
                                     false, &check->value, err);
    default:
        if (node->kind == RPS_NODE_MAP) return read_bounds(scene, node, check, false, err);
        RPS_TRY(check_read_read_value(scene, node, check, false, &check->value, err));
        check->above = check->below = NAN;
        return RPS_OK;
    }
}

static rps_status read_expectation(const rps_scene *scene, rps_check *check, rps_error *err) {
    const rps_node *node = check->node, *within = rps_node_get(node, "within");
    rps_node *expect = rps_node_get(node, "expect");
    bool bounds = rps_node_get(node, "above") || rps_node_get(node, "below");
    check->expected = check->tolerance = NAN;
    if (check->reduce == ALWAYS || check->reduce == NEVER) {
        if (expect || within || bounds) {
            return rps_place_fail(err, (expect ? expect : node)->place,
                                  "`%s` says itself what must hold; leave expect, within, above and "
                                  "below out, or put them inside of it",
                                  reducer_key[check->reduce]);
        }
        return RPS_OK;
    }
    if (!expect && !bounds && !within && check->of_measure) { /* a number */
        check->above = check->below = NAN;
        return RPS_OK;
    }
    if (!expect == !bounds) {
        return rps_place_fail(err, node->place, "a check takes `expect` (with `within`), or `above` and `below`");
    }
    if (!expect) {
        if (within) return rps_place_fail(err, within->place, "`within` needs `expect`");
        return read_bounds(scene, node, check, check->is_time, err);
    }
    check->above = check->below = NAN;
    RPS_TRY(check_read_read_value(scene, expect, check, check->is_time, &check->expected, err));
    check->tolerance = 0.0;
    return within ? read_tolerance(scene, within, check, err) : RPS_OK;
}

static rps_status read_variant(const rps_scene *scene, rps_check *check, rps_error *err) {
    const rps_node *node = rps_node_get(check->node, "variant");
    check->applies = true;
    check->variant = "";
    if (!node) return RPS_OK;
    check->applies = false;
    size_t n = node->kind == RPS_NODE_LIST ? node->count : 1;
    for (size_t i = 0; i < n; i++) {
        const rps_node *name = node->kind == RPS_NODE_LIST ? node->entry[i].value : node;
        bool known = false;
        for (size_t v = 0; v < scene->text->variants; v++)
            known = known || strcmp(scene->text->variant_name[v], name->text) == 0;
        if (!known) {
            char hint[512];
            return rps_place_fail(
                err, name->place, "there is no variant `%.60s`%s", name->text,
                rps_suggest(name->text, scene->text->variant_name, scene->text->variants, hint, sizeof hint));
        }
        if (i == 0 || strcmp(scene->text->variant, name->text) == 0) check->variant = name->text;
        check->applies = check->applies || strcmp(scene->text->variant, name->text) == 0;
    }
    return RPS_OK;
}

/* "slip_friction at 0.02 s", "mode becomes stick after 0.001 s", "speed always below 3". */
static rps_status make_name(rps_scene *scene, rps_check *check, rps_error *err) {
    const char *given = rps_node_text(check->node, "name"), *probe = scene->observer.probe[check->probe].info.name;
    const rps_node *node = rps_node_get(check->node, reducer_key[check->reduce]),
                   *after = rps_node_get(check->node, "after");
    const rps_node *above = rps_node_get(node, "above"), *below = rps_node_get(node, "below");
    const rps_node *value = check->reduce == CROSSES && node->kind == RPS_NODE_MAP ? rps_node_get(node, "value") : node;
    char text[256];
    int used = snprintf(text, sizeof text, "%.80s %s", probe, reducer_key[check->reduce]);
    if (node->kind == RPS_NODE_LIST) {
        used +=
            rps_snprintf(text + used, sizeof text - (size_t)used, " from %g to %g s", node->number[0], node->number[1]);
    } else if (check->reduce == AT) {
        used += rps_snprintf(text + used, sizeof text - (size_t)used, " %g s", node->number[0]);
    } else if (check->reduce >= BECOMES && value->kind == RPS_NODE_SCALAR) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %.40s", value->text);
    }
    if (above) used += snprintf(text + used, sizeof text - (size_t)used, " above %.40s", above->text);
    if (below) used += snprintf(text + used, sizeof text - (size_t)used, " below %.40s", below->text);
    if (check->when) used += snprintf(text + used, sizeof text - (size_t)used, " when");
    if (after) used += rps_snprintf(text + used, sizeof text - (size_t)used, " after %g s", after->number[0]);
    if (check->stage >= 0) {
        snprintf(text + used, sizeof text - (size_t)used, " in %.40s", rps_node_text(check->node, "stage"));
    }
    check->name = given ? given : rps_pool_printf(&scene->pool, err, "%s", text);
    return check->name ? RPS_OK : RPS_NO_MEMORY;
}

static rps_status check_read_find_probe(const rps_scene *scene, rps_check *check, rps_error *err) {
    const rps_node *node = rps_node_get(check->node, "probe");
    if (!node) {
        return rps_place_fail(err, check->node->place,
                              "the key `probe` is missing in `checks[]`\nthe probe that is judged: a name; or `stops` "
                              "with the guard that must stop the run");
    }
    return rps_scene_find_probe(scene, node, &check->probe, err);
}

static rps_status name_stop(rps_scene *scene, rps_check *check, rps_error *err) {
    const rps_node *bodies = rps_node_get(check->node, "bodies");
    const char *given = rps_node_text(check->node, "name"), *guard = rps_node_text(check->node, "stops");
    char who[160] = "";
    for (size_t i = 0, used = 0; bodies && i < bodies->count && used < sizeof who; i++) {
        used +=
            (size_t)snprintf(who + used, sizeof who - used, "%s %.60s", i ? "," : " at", bodies->entry[i].value->text);
    }
    check->name = given ? given : rps_pool_printf(&scene->pool, err, "guard %s stops the run%s", guard, who);
    return check->name ? RPS_OK : RPS_NO_MEMORY;
}

/* Reads a check that expects a guard to stop the run; the time is optional. */
static rps_status build_stop(rps_scene *scene, rps_check *check, rps_error *err) {
    const rps_node *node = check->node, *bodies = rps_node_get(node, "bodies");
    check->reduce = STOPS;
    check->guard = (int)rps_node_number(node, "stops", 0.0);
    check->probe = SIZE_MAX;
    check->is_time = true;
    check->unit = "s";
    for (int k = -2; k < REDUCERS; k++) {
        const char *key = k == -2 ? "probe" : k == -1 ? "after" : reducer_key[k];
        const rps_node *other = rps_node_get(node, key);
        if (other) return rps_place_fail(err, other->place, "`stops` asks no probe; leave `%s` out", key);
    }
    for (size_t i = 0; bodies && i < bodies->count; i++) {
        const rps_named *named;
        RPS_TRY(rps_scene_reference(scene, bodies->entry[i].value, 0, &named, err));
    }
    check->expected = check->tolerance = check->above = check->below = NAN;
    if (rps_node_get(node, "expect") || rps_node_get(node, "within") || rps_node_get(node, "above") ||
        rps_node_get(node, "below")) {
        RPS_TRY(read_expectation(scene, check, err));
    }
    return name_stop(scene, check, err);
}

static rps_status build_check(rps_scene *scene, const rps_node *node, size_t probe, rps_check *check, rps_error *err) {
    *check = (rps_check){.node = node, .source = rps_node_text(node, "source"), .probe = probe};
    check->of_measure = probe != SIZE_MAX;
    if (rps_node_get(node, "stops")) {
        RPS_TRY(read_variant(scene, check, err));
        return build_stop(scene, check, err);
    }
    if (rps_node_get(node, "bodies")) {
        return rps_place_fail(err, rps_node_get(node, "bodies")->place, "`bodies` belongs to `stops`; give `probe`");
    }
    if (probe == SIZE_MAX) RPS_TRY(check_read_find_probe(scene, check, err));
    check->is_mode = rps_quantity_is_mode(scene->observer.probe[check->probe].index);
    check->after = rps_node_number(node, "after", -1.0);
    check->stage = -1;
    const rps_node *stage = rps_node_get(node, "stage");
    if (stage) RPS_TRY(rps_stage_find(scene, stage, &check->stage, err));
    RPS_TRY(read_variant(scene, check, err)); /* first: variants can end at different times */
    check->watched = check->applies;
    RPS_TRY(read_reducer(scene, check, err));
    const rps_node *after = rps_node_get(node, "after");
    if (after && check->reduce < BECOMES) {
        return rps_place_fail(err, after->place,
                              "`after` belongs to becomes, crosses, always and never; `%s` takes a window",
                              reducer_key[check->reduce]);
    }
    const rps_node *block = rps_node_get(node, "block");
    check->block = rps_node_number(node, "block", 0.0);
    if (block && check->reduce != MIN && check->reduce != MAX) {
        return rps_place_fail(err, block->place, "`block` belongs to min and max; `%s` has none",
                              reducer_key[check->reduce]);
    }
    const rps_node *when = rps_node_get(node, "when");
    check->when = rps_node_number(node, "when", 0.0) != 0.0;
    if (when && check->reduce != MIN && check->reduce != MAX) {
        return rps_place_fail(err, when->place, "`when` belongs to min and max; `%s` has none",
                              reducer_key[check->reduce]);
    }
    check->is_time = check->is_time || check->when;
    if (check->reduce == RATE) {
        check->unit = rps_pool_printf(&scene->pool, err, "%s/s", scene->observer.probe[check->probe].info.unit);
        if (!check->unit) return RPS_NO_MEMORY;
    }
    RPS_TRY(read_expectation(scene, check, err));
    check->unit = check->is_time ? "s" : result_unit(scene, check);
    bool all_steps = check->reduce >= BECOMES || ((check->reduce == MIN || check->reduce == MAX) && isinf(check->to));
    check->all_steps = all_steps;
    if (check->watched && all_steps && check->stage < 0) scene->observer.probe[check->probe].info.every_step = true;
    return make_name(scene, check, err);
}

rps_status rps_build_checks(rps_scene *scene, rps_error *err) {
    const rps_node *checks = rps_node_get(scene->text->root, "checks");
    scene->observer.check = rps_pool_take(&scene->pool, (checks->count + 1) * sizeof *scene->observer.check, err);
    if (!scene->observer.check) return RPS_NO_MEMORY;
    for (size_t i = 0; i < checks->count; i++) {
        RPS_TRY(build_check(scene, checks->entry[i].value, SIZE_MAX, &scene->observer.check[i], err));
        scene->observer.checks++;
    }
    return RPS_OK;
}

rps_status rps_checks_capacity(rps_scene *scene, size_t count, rps_error *err) {
    scene->observer.check = rps_pool_take(&scene->pool, (count + 1) * sizeof *scene->observer.check, err);
    return scene->observer.check ? RPS_OK : RPS_NO_MEMORY;
}

rps_status rps_build_measure(rps_scene *scene, const rps_node *node, size_t probe, bool *verdict, rps_error *err) {
    rps_check *check = &scene->observer.check[scene->observer.checks];
    const rps_node *stops = rps_node_get(node, "stops");
    if (stops)
        return rps_place_fail(err, stops->place, "a stop by a guard can not be measured: its run is a failed row");
    RPS_TRY(build_check(scene, node, probe, check, err));
    if (!check->applies) {
        return rps_place_fail(err, node->place,
                              "this can not be measured here: it belongs to another variant, or to a "
                              "time after the end of the run at %g s",
                              scene->run.until);
    }
    *verdict = check->reduce == ALWAYS || check->reduce == NEVER || !isnan(check->expected) || !isnan(check->above) ||
               !isnan(check->below);
    scene->observer.checks++;
    return RPS_OK;
}

/* Does the check need the value at this time (s) since the run or its stage began? */
static bool needs_at(const rps_scene *scene, const rps_check *check, double time) {
    const double dt = scene->run.step;
    if (check->reduce > RATE || check->reduce == FINAL) return false;
    /* the steps on both sides of each end, for interpolation, with a margin for rounding */
    return time > check->from - 1.001 * dt && time < check->to + 1.001 * dt;
}

bool rps_checks_need(const rps_scene *scene, size_t probe, uint64_t step) {
    for (size_t i = 0; i < scene->observer.checks; i++) {
        const rps_check *check = &scene->observer.check[i];
        double time = rps_step_time(scene->run.clock, step);
        if (check->probe != probe || !check->watched) continue;
        if (check->stage >= 0) {
            if ((size_t)check->stage != scene->stages.now || step < scene->stages.from) continue;
            if (check->all_steps || (check->reduce == FINAL && rps_scene_stage_looks(scene, step))) return true;
            time = (double)(step - scene->stages.from) * scene->run.step;
        }
        if (needs_at(scene, check, time)) return true;
    }
    return false;
}

bool rps_checks_need_before(const rps_scene *scene, size_t probe) {
    for (size_t i = 0; i < scene->observer.checks; i++) {
        const rps_check *check = &scene->observer.check[i];
        if (check->probe != probe || !check->watched || check->stage < 1) continue;
        if ((size_t)check->stage == scene->stages.now + 1 && (check->all_steps || needs_at(scene, check, 0.0))) {
            return true;
        }
    }
    return false;
}
