/* Reads the block `sweep` of a scene as text: the sweep formats values and applies them like settings of the command
 * line. */
#include <math.h>
#include <string.h>

#include "scene/scene_internal.h"

/* --- which measures ------------------------------------------------------------------------------------------------ */

/* NAME={...} becomes a measure of the block, so the selection is a list of names. */
rps_status rps_sweep_want(rps_scene *scene, const rps_scene_load_options *options, rps_error *err) {
    const char **wanted = rps_pool_take(&scene->text->pool, (options->measures + 1) * sizeof *wanted, err);
    if (!wanted) return RPS_NO_MEMORY;
    for (size_t i = 0; i < options->measures; i++) {
        const char *text = options->measure[i], *equals = strchr(text, '=');
        char *name = rps_pool_copy(&scene->text->pool, text, equals ? (size_t)(equals - text) : strlen(text), err);
        if (!name) return RPS_NO_MEMORY;
        wanted[i] = name;
        if (!equals) continue;
        if (!*name || strchr(name, '.')) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "--measure %s: a measure is written NAME={...}, with a name without dots, such as "
                            "v={probe: speed, final: true}",
                            text);
        }
        char *set = rps_pool_printf(&scene->text->pool, err, "sweep.measures.%s", text);
        if (!set) return RPS_NO_MEMORY;
        RPS_TRY(rps_scene_set(scene, "--measure", set, err));
    }
    scene->observer.wanted = wanted;
    scene->observer.wanted_count = options->measures;
    return RPS_OK;
}

/* By default all measures of the block are selected. */
static rps_status want_all(rps_scene *scene, const rps_node *measures, rps_error *err) {
    if (scene->observer.wanted_count || !measures) return RPS_OK;
    const char **wanted = rps_pool_take(&scene->text->pool, (measures->count + 1) * sizeof *wanted, err);
    if (!wanted) return RPS_NO_MEMORY;
    for (size_t i = 0; i < measures->count; i++) wanted[i] = measures->entry[i].key;
    scene->observer.wanted = wanted;
    scene->observer.wanted_count = measures->count;
    return RPS_OK;
}

/* --- the block ----------------------------------------------------------------------------------------------------- */

static rps_status scalar(const rps_node *node, const char *key, const char **text, rps_error *err) {
    const rps_node *child = rps_node_get(node, key);
    *text = NULL;
    if (!child) return RPS_OK;
    if (child->kind != RPS_NODE_SCALAR) return rps_place_fail(err, child->place, "`%s` must be one value", key);
    *text = child->text;
    return RPS_OK;
}

static rps_status read_vary(rps_scene *scene, const rps_node *node, rps_sweep_vary *vary, rps_error *err) {
    const rps_node *values = rps_node_get(node, "values"), *count = rps_node_get(node, "count");
    vary->path = rps_node_text(node, "path");
    vary->label = rps_node_text(node, "label");
    const rps_node *also = rps_node_get(node, "also");
    if (also) {
        vary->also = rps_pool_take(&scene->text->pool, also->count * sizeof *vary->also, err);
        if (!vary->also) return RPS_NO_MEMORY;
        for (size_t i = 0; i < also->count; i++) vary->also[vary->alsos++] = also->entry[i].value->text;
    }
    RPS_TRY(scalar(node, "from", &vary->from, err));
    RPS_TRY(scalar(node, "to", &vary->to, err));
    bool range = vary->from && vary->to && count;
    if (range == (values != NULL) || (values && (vary->from || vary->to || count))) {
        return rps_place_fail(err, node->place,
                              "what varies takes `from`, `to` and `count`, or a list of `values`\nas in {path: "
                              "gravity.tilt, from: 1 deg, to: 30 deg, count: 30}");
    }
    if (range) {
        vary->count = (size_t)count->number[0];
        return RPS_OK;
    }
    vary->value = rps_pool_take(&scene->text->pool, (values->count + 1) * sizeof *vary->value, err);
    if (!vary->value) return RPS_NO_MEMORY;
    for (size_t i = 0; i < values->count; i++) {
        const rps_node *value = values->entry[i].value;
        if (value->kind != RPS_NODE_SCALAR) return rps_place_fail(err, value->place, "a value must be a scalar");
        vary->value[vary->count++] = value->text;
    }
    return RPS_OK;
}

static rps_status read_curve(rps_scene *scene, const rps_node *node, rps_sweep_curve *curve, rps_error *err) {
    const rps_node *points = rps_node_get(node, "points");
    curve->label = rps_node_text(node, "label");
    curve->marks = rps_node_number(node, "marks", 0.0) != 0.0;
    curve->points = points->count;
    double(*point)[2] = rps_pool_take(&scene->text->pool, points->count * sizeof *point, err);
    if (!point) return RPS_NO_MEMORY;
    for (size_t i = 0; i < points->count; i++) memcpy(point[i], points->entry[i].value->number, sizeof *point);
    curve->point = (const double(*)[2])point;
    return RPS_OK;
}

rps_status rps_sweep_read(rps_scene *scene, rps_error *err) {
    const rps_node *node = rps_node_get(scene->text->root, "sweep"), *vary = rps_node_get(node, "vary");
    const rps_node *find = rps_node_get(node, "find"), *curves = rps_node_get(node, "curves");
    rps_scene_sweep *sweep = &scene->observer.sweep;
    scene->observer.sweeping = true;
    sweep->picture = (rps_sweep_picture)rps_node_number(node, "picture", RPS_PICTURE_CHOSEN);
    RPS_TRY(want_all(scene, rps_node_get(node, "measures"), err));
    size_t varies = vary ? vary->count : 0, lines = curves ? curves->count : 0;
    sweep->vary = rps_pool_take(&scene->text->pool, (varies + 1) * sizeof *sweep->vary, err);
    sweep->curve = rps_pool_take(&scene->text->pool, (lines + 1) * sizeof *sweep->curve, err);
    if (!sweep->vary || !sweep->curve) return RPS_NO_MEMORY;
    for (; sweep->varies < varies; sweep->varies++) {
        RPS_TRY(read_vary(scene, vary->entry[sweep->varies].value, &sweep->vary[sweep->varies], err));
    }
    for (; sweep->curves < lines; sweep->curves++) {
        RPS_TRY(read_curve(scene, curves->entry[sweep->curves].value, &sweep->curve[sweep->curves], err));
    }
    if (find) {
        sweep->find = rps_node_text(find, "path");
        sweep->find_label = rps_node_text(find, "label");
        RPS_TRY(scalar(find, "low", &sweep->low, err));
        RPS_TRY(scalar(find, "high", &sweep->high, err));
        RPS_TRY(scalar(find, "within", &sweep->within, err));
    }
    return RPS_OK;
}

const rps_scene_sweep *rps_scene_get_sweep(const rps_scene *scene) {
    return &scene->observer.sweep;
}

/* --- checks over the runs -------------------------------------------------------------------------------------------- */

static const rps_node *checks_of(const rps_scene *scene) {
    return rps_node_get(rps_node_get(scene->text->root, "sweep"), "checks");
}

size_t rps_scene_sweep_checks(const rps_scene *scene) {
    const rps_node *checks = checks_of(scene);
    return checks ? checks->count : 0;
}

const char *rps_scene_sweep_measure(const rps_scene *scene, size_t index) {
    return rps_node_text(checks_of(scene)->entry[index].value, "measure");
}

const char *rps_scene_sweep_over(const rps_scene *scene, size_t index) {
    return rps_node_text(checks_of(scene)->entry[index].value, "over");
}

rps_place rps_scene_sweep_place(const rps_scene *scene, size_t index) {
    return checks_of(scene)->entry[index].value->place;
}

static rps_status read_setting(const rps_entry *entry, rps_sweep_setting *out, rps_error *err) {
    if (entry->value->kind != RPS_NODE_SCALAR) {
        return rps_place_fail(err, entry->value->place, "a value that `%.60s` takes in the sweep", entry->key);
    }
    *out = (rps_sweep_setting){entry->key, entry->value->text};
    return RPS_OK;
}

static rps_status read_expected(const rps_node *node, const char *unit, rps_sweep_check *out, rps_error *err) {
    rps_node *expect = rps_node_get(node, "expect"), *above = rps_node_get(node, "above"),
             *below = rps_node_get(node, "below");
    const rps_node *within = rps_node_get(node, "within");
    out->expected = out->tolerance = out->above = out->below = NAN;
    if (!expect == !(above || below) || (within && !expect)) {
        return rps_place_fail(err, node->place, "a check takes `expect` (with `within`), or `above` and `below`");
    }
    if (above) RPS_TRY(rps_schema_quantity(above, unit, &out->above, err));
    if (below) RPS_TRY(rps_schema_quantity(below, unit, &out->below, err));
    if (!expect) return RPS_OK;
    RPS_TRY(rps_schema_quantity(expect, unit, &out->expected, err));
    out->tolerance = 0.0;
    if (!within) return RPS_OK;
    bool percent;
    RPS_TRY(rps_schema_tolerance(within, unit, &out->tolerance, &percent, err));
    if (percent) out->tolerance *= fabs(out->expected);
    return RPS_OK;
}

rps_status rps_scene_sweep_check(const rps_scene *scene, size_t index, const char *unit, rps_sweep_check *out,
                                 rps_error *err) {
    const rps_node *node = checks_of(scene)->entry[index].value;
    const rps_node *where = rps_node_get(node, "where"), *minus = rps_node_get(node, "minus");
    *out = (rps_sweep_check){.name = rps_node_text(node, "name"),
                             .source = rps_node_text(node, "source"),
                             .known = rps_node_text(node, "known"),
                             .take = (rps_sweep_take)rps_node_number(node, "take", RPS_SWEEP_MEAN),
                             .place = node->place};
    if (!out->name) out->name = rps_node_text(node, "measure");
    if (where && where->count > RPS_SWEEP_WHERE) {
        return rps_place_fail(err, where->place, "`where` names %zu parameters, the most is %d", where->count,
                              RPS_SWEEP_WHERE);
    }
    for (size_t k = 0; where && k < where->count; k++) RPS_TRY(read_setting(&where->entry[k], &out->where[k], err));
    out->wheres = where ? where->count : 0;
    if (minus && minus->count != 1) {
        return rps_place_fail(err, minus->place, "`minus` names one parameter with its other value");
    }
    if (minus) RPS_TRY(read_setting(&minus->entry[0], &out->minus, err));
    return read_expected(node, unit, out, err);
}
