/* Checks: what a probe did, reduced to one number and compared with what is expected. All that a check remembers is in
 * its rps_check_memory, plain numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/quantity.h"

typedef enum reducer { AT, FINAL, MIN, MAX, MEAN, RATE, BECOMES, CROSSES, ALWAYS, NEVER, REDUCERS, STOPS } reducer;
static const char *const reducer_key[REDUCERS] = {"at",   "final",   "min",     "max",    "mean",
                                                  "rate", "becomes", "crosses", "always", "never"};

typedef struct rps_check_memory {
    int32_t has_last, has_result, seen; /* seen: a value was there, at any time */
    int32_t violated;
    double last_time, last, result, integral, span;
} rps_check_memory;

struct rps_check {
    const rps_node *node;
    const char *name, *variant, *unit, *source;
    size_t probe;
    reducer reduce;
    bool applies, is_time, is_mode;
    bool of_measure;     /* need not expect anything */
    bool watched;        /* of this variant, though it may ask for a time after the end: the run may be made longer */
    double from, to;     /* s, window; of AT both are its time */
    double after;        /* s; below 0: from the first step on */
    double value;        /* of becomes and crosses */
    int direction;       /* 0 any, 1 up, 2 down */
    double above, below; /* bounds of the result, or of always and never; NAN: none */
    double expected, tolerance; /* NAN: no expectation */
    int guard;                  /* of STOPS, which has no probe */
    rps_check_memory memory;
};

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* Unit of what is compared. */
static const char *result_unit(const rps_scene *scene, const rps_check *check) {
    return check->unit ? check->unit : scene->probe[check->probe].info.unit;
}

static rps_status read_value(const rps_scene *scene, rps_node *node, const rps_check *check, bool as_time,
                             double *value, rps_error *err) {
    if (check->is_mode && !as_time && node->kind == RPS_NODE_SCALAR) {
        int mode = rps_choice("stick|slip", node->text);
        if (mode >= 0) {
            *value = mode;
            return RPS_OK;
        }
    }
    return rps_schema_quantity(scene->units, node, as_time ? "s" : result_unit(scene, check), value, err);
}

static rps_status read_bounds(const rps_scene *scene, const rps_node *node, rps_check *check, bool as_time,
                              rps_error *err) {
    rps_node *above = rps_node_get(node, "above"), *below = rps_node_get(node, "below");
    check->above = check->below = NAN;
    if (above) RPS_TRY(read_value(scene, above, check, as_time, &check->above, err));
    if (below) RPS_TRY(read_value(scene, below, check, as_time, &check->below, err));
    if (above && below && !(check->above < check->below)) {
        return rps_place_fail(err, below->place, "`below` must be larger than `above`");
    }
    return RPS_OK;
}

/* The largest of one tolerance or a list of them. */
static rps_status read_tolerance(const rps_scene *scene, const rps_node *within, rps_check *check, rps_error *err) {
    const char *unit = check->is_time ? "s" : result_unit(scene, check);
    size_t n = within->kind == RPS_NODE_LIST ? within->count : 1;
    check->tolerance = 0.0;
    for (size_t i = 0; i < n; i++) {
        const rps_node *node = within->kind == RPS_NODE_LIST ? within->entry[i].value : within;
        rps_error inner;
        double value;
        bool percent;
        if (rps_units_read_tolerance(scene->units, node->text, unit, &value, &percent, &inner) != RPS_OK) {
            return rps_place_fail(err, node->place, "%s", inner.text);
        }
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

/* The check asks for a time after the end: a mistake of the scene, unless the end was moved by hand or the check is of
 * another variant; then it does not apply. */
static rps_status past_end(const rps_scene *scene, const rps_node *node, rps_check *check, rps_error *err) {
    const rps_node *until = rps_node_get(rps_node_get(scene->root, "run"), "until");
    bool by_hand = until && until->place.source != &scene->source;
    if (check->applies && !by_hand) {
        return rps_place_fail(err, node->place, "this time is after the end of the run at %g s", scene->run.until);
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
    if (check->from >= scene->run.until) RPS_TRY(past_end(scene, node, check, err));
    if (check->reduce == RATE && check->to > scene->run.until * (1.0 + 1e-12)) {
        RPS_TRY(past_end(scene, node, check, err));
    }
    return RPS_OK;
}

static rps_status read_reducer(const rps_scene *scene, rps_check *check, rps_error *err) {
    int found = 0;
    for (int k = 0; k < REDUCERS; k++) {
        if (!rps_node_get(check->node, reducer_key[k])) continue;
        check->reduce = (reducer)k;
        if (found++) {
            return rps_place_fail(err, rps_node_get(check->node, reducer_key[k])->place,
                                  "a check takes one of: at, final, min, max, mean, rate, becomes, crosses, always, "
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
        return check->to > scene->run.until * (1.0 + 1e-12) ? past_end(scene, node, check, err) : RPS_OK;
    case FINAL:
    case MIN:
    case MAX:
    case MEAN:
    case RATE:
        if (node->kind == RPS_NODE_SCALAR && node->number[0] == 0.0) {
            return rps_place_fail(err, node->place, "`%s: false` checks nothing", reducer_key[check->reduce]);
        }
        return read_window(scene, node, check, err);
    case BECOMES:
        return read_value(scene, node, check, false, &check->value, err);
    case CROSSES:
        check->direction = (int)rps_node_number(node, "direction", 0.0);
        return read_value(scene, node->kind == RPS_NODE_MAP ? rps_node_get(node, "value") : node, check, false,
                          &check->value, err);
    default:
        if (node->kind == RPS_NODE_MAP) return read_bounds(scene, node, check, false, err);
        RPS_TRY(read_value(scene, node, check, false, &check->value, err));
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
    RPS_TRY(read_value(scene, expect, check, check->is_time, &check->expected, err));
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
        for (size_t v = 0; v < scene->variants; v++) known = known || strcmp(scene->variant_name[v], name->text) == 0;
        if (!known) {
            char hint[512];
            return rps_place_fail(err, name->place, "there is no variant `%.60s`%s", name->text,
                                  rps_suggest(name->text, scene->variant_name, scene->variants, hint, sizeof hint));
        }
        if (i == 0 || strcmp(scene->variant, name->text) == 0) check->variant = name->text;
        check->applies = check->applies || strcmp(scene->variant, name->text) == 0;
    }
    return RPS_OK;
}

/* "slip_friction at 0.02 s", "mode becomes stick after 0.001 s", "speed always below 3". */
static rps_status make_name(rps_scene *scene, rps_check *check, rps_error *err) {
    const char *given = rps_node_text(check->node, "name"), *probe = scene->probe[check->probe].info.name;
    const rps_node *node = rps_node_get(check->node, reducer_key[check->reduce]),
                   *after = rps_node_get(check->node, "after");
    const rps_node *above = rps_node_get(node, "above"), *below = rps_node_get(node, "below");
    const rps_node *value = check->reduce == CROSSES && node->kind == RPS_NODE_MAP ? rps_node_get(node, "value") : node;
    char text[256];
    int used = snprintf(text, sizeof text, "%.80s %s", probe, reducer_key[check->reduce]);
    if (node->kind == RPS_NODE_LIST) {
        used += snprintf(text + used, sizeof text - (size_t)used, " from %g to %g s", node->number[0], node->number[1]);
    } else if (check->reduce == AT) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %g s", node->number[0]);
    } else if (check->reduce >= BECOMES && value->kind == RPS_NODE_SCALAR) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %.40s", value->text);
    }
    if (above) used += snprintf(text + used, sizeof text - (size_t)used, " above %.40s", above->text);
    if (below) used += snprintf(text + used, sizeof text - (size_t)used, " below %.40s", below->text);
    if (after) snprintf(text + used, sizeof text - (size_t)used, " after %g s", after->number[0]);
    check->name = given ? given : rps_pool_printf(&scene->pool, err, "%s", text);
    return check->name ? RPS_OK : RPS_NO_MEMORY;
}

static rps_status find_probe(const rps_scene *scene, rps_check *check, rps_error *err) {
    const rps_node *node = rps_node_get(check->node, "probe");
    if (!node) {
        return rps_place_fail(err, check->node->place,
                              "the key `probe` is missing in `checks[]`\nthe probe that is judged: a name; or `stops` "
                              "with the guard that must stop the run");
    }
    const char *names[256];
    char hint[512];
    size_t n = 0;
    for (size_t i = 0; i < scene->probes; i++) {
        if (strcmp(scene->probe[i].info.name, node->text) == 0) {
            check->probe = i;
            return RPS_OK;
        }
        if (n < 256) names[n++] = scene->probe[i].info.name;
    }
    return rps_place_fail(err, node->place, "there is no probe `%.60s`%s", node->text,
                          rps_suggest(node->text, names, n, hint, sizeof hint));
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

/* A check that a guard stops the run; when is optional. */
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
    if (probe == SIZE_MAX) RPS_TRY(find_probe(scene, check, err));
    check->is_mode = rps_quantity_is_mode(scene->probe[check->probe].index);
    check->after = rps_node_number(node, "after", -1.0);
    RPS_TRY(read_variant(scene, check, err)); /* first: another variant may end at another time */
    check->watched = check->applies;
    RPS_TRY(read_reducer(scene, check, err));
    const rps_node *after = rps_node_get(node, "after");
    if (after && check->reduce < BECOMES) {
        return rps_place_fail(err, after->place,
                              "`after` belongs to becomes, crosses, always and never; `%s` takes a window",
                              reducer_key[check->reduce]);
    }
    if (check->reduce == RATE) {
        check->unit = rps_pool_printf(&scene->pool, err, "%s/s", scene->probe[check->probe].info.unit);
        if (!check->unit) return RPS_NO_MEMORY;
    }
    RPS_TRY(read_expectation(scene, check, err));
    check->unit = check->is_time ? "s" : result_unit(scene, check);
    bool all_steps = check->reduce >= BECOMES || ((check->reduce == MIN || check->reduce == MAX) && isinf(check->to));
    if (check->watched && all_steps) scene->probe[check->probe].info.every_step = true;
    return make_name(scene, check, err);
}

rps_status rps_build_checks(rps_scene *scene, rps_error *err) {
    const rps_node *checks = rps_node_get(scene->root, "checks");
    scene->check = rps_pool_take(&scene->pool, (checks->count + 1) * sizeof *scene->check, err);
    if (!scene->check) return RPS_NO_MEMORY;
    for (size_t i = 0; i < checks->count; i++) {
        RPS_TRY(build_check(scene, checks->entry[i].value, SIZE_MAX, &scene->check[i], err));
        scene->checks++;
    }
    return RPS_OK;
}

rps_status rps_checks_room(rps_scene *scene, size_t count, rps_error *err) {
    scene->check = rps_pool_take(&scene->pool, (count + 1) * sizeof *scene->check, err);
    return scene->check ? RPS_OK : RPS_NO_MEMORY;
}

rps_status rps_build_measure(rps_scene *scene, const rps_node *node, size_t probe, bool *verdict, rps_error *err) {
    rps_check *check = &scene->check[scene->checks];
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
    scene->checks++;
    return RPS_OK;
}

bool rps_checks_need(const rps_scene *scene, size_t probe, uint64_t step) {
    double dt = scene->run.step, time = (double)step * dt;
    for (size_t i = 0; i < scene->checks; i++) {
        const rps_check *check = &scene->check[i];
        if (check->probe != probe || !check->watched || check->reduce > RATE || check->reduce == FINAL) continue;
        /* the steps on both sides of each end, for interpolation; a little more for rounding */
        if (time > check->from - 1.001 * dt && time < check->to + 1.001 * dt) return true;
    }
    return false;
}

/* --- watching ------------------------------------------------------------------------------------------------------ */

static void watch_at(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    double target = check->to, last = m->last_time, near = 1e-9 * (time - last);
    if (m->has_result) return;
    if (!m->has_last || fabs(time - target) <= near) {
        if (time < target && fabs(time - target) > near) return;
        m->has_result = !isnan(value) && (m->has_last || time == target);
        m->result = value;
    } else if (last < target && target < time) {
        /* a mode has no values in between: the last step tells */
        double v = check->is_mode ? m->last : m->last + (value - m->last) * ((target - last) / (time - last));
        m->has_result = !isnan(v);
        m->result = v;
    }
}

/* Value at the two ends of the window, interpolated; their difference over its length. */
static void watch_rate(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    double end[2] = {check->from, check->to}, near = 1e-9 * (time - m->last_time);
    for (int k = 0; k < 2; k++) {
        bool now = m->has_last ? m->last_time < end[k] - near && time >= end[k] - near : time == end[k];
        if (!now) continue;
        double part = m->has_last ? fmin((end[k] - m->last_time) / (time - m->last_time), 1.0) : 1.0;
        double v = part < 1.0 ? m->last + (value - m->last) * part : value;
        if (k == 0) {
            m->integral = v;
            m->span = end[1] - end[0];
        } else if (m->span > 0.0) {
            m->result = (v - m->integral) / m->span;
            m->has_result = !isnan(m->result);
        }
    }
}

/* Adds the trapezoid between the last sample and this one, as far as it lies in the window. */
static void watch_mean(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    if (!m->has_last || isnan(m->last) || isnan(value)) return;
    double a = fmax(m->last_time, check->from), b = fmin(time, check->to),
           slope = (value - m->last) / (time - m->last_time);
    if (!(b > a)) return;
    double va = m->last + slope * (a - m->last_time), vb = m->last + slope * (b - m->last_time);
    m->integral += 0.5 * (va + vb) * (b - a);
    m->span += b - a;
    m->result = m->integral / m->span;
    m->has_result = 1;
}

static void watch_crossing(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    double v = check->value, last = m->last;
    if (m->has_result || !m->has_last || isnan(last) || isnan(value)) return;
    bool up = last < v && value >= v && check->direction != 2, down = last > v && value <= v && check->direction != 1;
    if (!up && !down) return;
    double crossing = m->last_time + (v - last) / (value - last) * (time - m->last_time);
    if (!(crossing > check->after)) return;
    m->result = crossing;
    m->has_result = 1;
}

/* Distance of a value from the nearer of the bounds, positive between them. */
static double inner_margin(const rps_check *check, double value) {
    double low = isnan(check->above) ? INFINITY : value - check->above;
    double high = isnan(check->below) ? INFINITY : check->below - value;
    return fmin(low, high);
}

/* Keeps the value that comes nearest to a violation, or the first that is one. */
static void watch_bounds(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    if (isnan(value) || !(time > check->after) || m->violated) return;
    bool holds = isnan(check->above) && isnan(check->below) ? value == check->value
                                                            : !(value <= check->above) && !(value >= check->below);
    m->violated = check->reduce == ALWAYS ? !holds : holds;
    double margin = inner_margin(check, value), kept = inner_margin(check, m->result);
    bool worse = check->reduce == ALWAYS ? margin < kept : margin > kept;
    worse = worse || !m->has_result || m->violated;
    if (worse) m->result = value;
    m->has_result = 1;
}

static void watch(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    if (m->has_last && !(time > m->last_time)) return;
    m->seen = m->seen || !isnan(value);
    bool inside = time >= check->from && time <= check->to;
    switch (check->reduce) {
    case AT:
        watch_at(check, time, value);
        break;
    case FINAL:
        m->has_result = !isnan(value);
        m->result = value;
        break;
    case MIN:
    case MAX:
        if (!inside || isnan(value)) break;
        if (!m->has_result || (check->reduce == MIN ? value < m->result : value > m->result)) m->result = value;
        m->has_result = 1;
        break;
    case MEAN:
        watch_mean(check, time, value);
        break;
    case RATE:
        watch_rate(check, time, value);
        break;
    case BECOMES:
        if (!m->has_result && m->has_last && m->last != check->value && value == check->value && time > check->after) {
            m->result = time;
            m->has_result = 1;
        }
        break;
    case CROSSES:
        watch_crossing(check, time, value);
        break;
    default:
        watch_bounds(check, time, value);
        break;
    }
    m->last_time = time;
    m->last = value;
    m->has_last = 1;
}

rps_status rps_scene_watch(rps_scene *scene, double time, const double *value, const bool *read, rps_error *err) {
    (void)err;
    for (size_t i = 0; i < scene->checks; i++) {
        rps_check *check = &scene->check[i];
        if (check->watched && read[check->probe]) watch(check, time, value[check->probe]);
    }
    rps_measures_watch(scene, time, value, read);
    return RPS_OK;
}

/* --- across a restart ---------------------------------------------------------------------------------------------- */

void rps_check_memory_get(const rps_scene *scene, size_t index, double out[RPS_CHECK_MEMORY]) {
    const rps_check_memory *m = &scene->check[index].memory;
    const double all[RPS_CHECK_MEMORY] = {m->has_last, m->has_result, m->seen,     m->violated, m->last_time,
                                          m->last,     m->result,     m->integral, m->span};
    memcpy(out, all, sizeof all);
}

void rps_check_memory_set(rps_scene *scene, size_t index, const double from[RPS_CHECK_MEMORY]) {
    scene->check[index].memory = (rps_check_memory){.has_last = from[0] != 0.0,
                                                    .has_result = from[1] != 0.0,
                                                    .seen = from[2] != 0.0,
                                                    .violated = from[3] != 0.0,
                                                    .last_time = from[4],
                                                    .last = from[5],
                                                    .result = from[6],
                                                    .integral = from[7],
                                                    .span = from[8]};
}

/* --- verdict ------------------------------------------------------------------------------------------------------- */

bool rps_scene_stopped(rps_scene *scene, const rps_world *world, const char *text) {
    bool expected = false;
    for (size_t i = 0; i < scene->checks; i++) {
        expected = expected || (scene->check[i].reduce == STOPS && scene->check[i].applies);
    }
    scene->stop.guard = world->guard.stopped;
    scene->stop.time = rps_world_time(world);
    scene->stop.text = rps_pool_printf(&scene->pool, NULL, "%.*s", (int)strcspn(text, "\n"), text);
    for (int k = 0; k < 2; k++) {
        const uint64_t id = scene->stop.id[k] = world->guard.culprit[k];
        const size_t slot = id == UINT64_MAX ? SIZE_MAX : rps_world_slot(world, id);
        scene->stop.group[k] = slot == SIZE_MAX ? -1 : world->bodies.group[slot][0];
    }
    return expected && scene->stop.guard != RPS_GUARD_NONE;
}

/* Does the guard point at every body that the check names? */
static bool points_at_all(const rps_scene *scene, const rps_check *check) {
    const rps_node *bodies = rps_node_get(check->node, "bodies");
    for (size_t i = 0; bodies && i < bodies->count; i++) {
        const rps_named *named = rps_scene_named(scene, bodies->entry[i].value->text);
        bool found = false;
        for (int k = 0; k < 2 && named; k++) {
            found = found || (named->is_set ? scene->stop.group[k] == named->group : scene->stop.id[k] == named->id);
        }
        if (!found) return false;
    }
    return true;
}

static void judge_stop(const rps_scene *scene, const rps_check *check, rps_check_result *out) {
    const bool stopped = scene->stop.guard != RPS_GUARD_NONE, right = scene->stop.guard == check->guard;
    const double time = stopped ? scene->stop.time : NAN;
    const bool in_time = isnan(check->expected) ? !(time <= check->above) && !(time >= check->below)
                                                : fabs(time - check->expected) <= check->tolerance;
    out->measured = time;
    out->passed = stopped && right && in_time && points_at_all(scene, check);
    if (!stopped) {
        out->note = "no guard stopped the run";
    } else if (!out->passed) {
        out->note = scene->stop.text ? scene->stop.text : "another guard, time or body";
    }
}

size_t rps_scene_check_count(const rps_scene *scene) {
    return scene->checks;
}

static const char *missing_note(const rps_check *check) {
    if (!check->memory.has_last) return "the probe was never read";
    if (!check->memory.seen) return "the probe never had a value";
    if (check->reduce == BECOMES) return "it never changed into this value";
    if (check->reduce == CROSSES) return "it never crossed this value";
    return "the probe had no value then";
}

rps_status rps_scene_check(rps_scene *scene, size_t index, rps_check_result *out, rps_error *err) {
    if (index >= scene->checks) return rps_fail(err, RPS_BAD_INPUT, "there is no check number %zu", index);
    const rps_check *check = &scene->check[index];
    const rps_check_memory *m = &check->memory;
    double low = check->above, high = check->below;
    *out = (rps_check_result){.name = check->name,
                              .variant = check->variant,
                              .unit = check->unit,
                              .source = check->source,
                              .note = "",
                              .applies = check->applies,
                              .expected = check->expected,
                              .tolerance = check->tolerance,
                              .measured = m->has_result ? m->result : NAN};
    if (isnan(check->expected) && !(check->reduce == STOPS && isnan(low) && isnan(high))) {
        bool one = isnan(low) || isnan(high);
        out->expected = isnan(low) && isnan(high) ? check->value
                        : isnan(low)              ? high
                        : isnan(high)             ? low
                                                  : 0.5 * (low + high);
        out->tolerance = one ? NAN : 0.5 * (high - low);
    }
    if (!check->applies) return RPS_OK;
    if (check->reduce == STOPS) {
        judge_stop(scene, check, out);
        return RPS_OK;
    }
    if (!m->has_result) {
        out->note = missing_note(check);
        return RPS_OK;
    }
    if (check->reduce == ALWAYS || check->reduce == NEVER)
        out->passed = !m->violated;
    else if (!isnan(check->expected))
        out->passed = fabs(m->result - check->expected) <= check->tolerance;
    else
        out->passed = !(m->result <= low) && !(m->result >= high);
    return RPS_OK;
}

/* --- measures ------------------------------------------------------------------------------------------------------ */

/* Can no later step change what this check says? */
static bool is_decided(const rps_check *check) {
    const rps_check_memory *m = &check->memory;
    bool ended = m->has_last && m->last_time > check->to;
    switch (check->reduce) {
    case AT:
    case BECOMES:
    case CROSSES:
        return m->has_result;
    case ALWAYS:
    case NEVER:
        return m->violated;
    case MIN: /* what is below a bound stays there */
        return ended || (m->has_result && isnan(check->above) && m->result < check->below);
    case MAX:
        return ended || (m->has_result && isnan(check->below) && m->result > check->above);
    case MEAN:
    case RATE:
        return ended;
    default:
        return false;
    }
}

double rps_check_value(const rps_scene *scene, size_t index, bool verdict, bool *decided) {
    rps_check_result result;
    const rps_check *check = &scene->check[index];
    *decided = is_decided(check);
    if (!verdict) return check->memory.has_result ? check->memory.result : NAN;
    return rps_scene_check((rps_scene *)scene, index, &result, NULL) == RPS_OK && result.passed;
}
