/* Checks over the runs of a sweep. A measure of all or some points, or its difference between two values of one
 * parameter with all others equal, is reduced to a mean, deviation or extreme and compared. */
#include "run/sweep_state.h"

#include <math.h>
#include <string.h>

/* The axis with that path. */
static size_t find_axis(const sweep_state *sweep, const char *path) {
    size_t k = 0;
    while (k < sweep->axes && strcmp(sweep->axis[k].path, path) != 0) k++;
    return k;
}

static rps_status find_value(const sweep_state *sweep, const rps_sweep_check *check, const rps_sweep_setting *setting,
                             size_t *axis, size_t *value, rps_error *err) {
    *axis = find_axis(sweep, setting->path);
    if (*axis == sweep->axes) {
        return rps_place_fail(err, check->place, "`%.60s` does not vary in this sweep", setting->path);
    }
    const sweep_axis *a = &sweep->axis[*axis];
    double number;
    const bool is_number = !a->words && rps_parse_double(setting->value, &number, NULL) == RPS_OK;
    for (*value = 0; *value < a->count; ++*value) {
        if (strcmp(a->text[*value], setting->value) == 0 || (is_number && a->number[*value] == number)) return RPS_OK;
    }
    return rps_place_fail(err, check->place, "`%.60s` does not take the value `%.60s` in this sweep", setting->path,
                          setting->value);
}

/* The point that differs from this one in the value on one axis. */
static size_t sweep_check_beside(const sweep_state *sweep, size_t point, size_t axis, size_t value) {
    size_t stride = 1;
    for (size_t k = axis + 1; k < sweep->axes; k++) stride *= sweep->axis[k].count;
    return point + value * stride - rps_sweep_index(sweep, point, axis) * stride;
}

/* A measure of a run, or its ratio to another measure; over SIZE_MAX: no ratio. */
typedef struct quantity {
    size_t measure, over;
} quantity;

static double sweep_check_value_at(const sweep_state *sweep, size_t point, quantity of) {
    const sweep_point *p = &sweep->point[point];
    if (p->records != 1 || p->record[0].failure) return NAN;
    const double *value = p->record[0].value;
    return of.over == SIZE_MAX ? value[of.measure] : value[of.measure] / value[of.over];
}

typedef struct sample {
    size_t count;
    double mean, squares, low, high; /* sum of squared deviations from the mean */
} sample;

static void sweep_check_add(sample *s, double x) {
    const double before = x - s->mean;
    s->count++;
    s->mean += before / (double)s->count;
    s->squares += before * (x - s->mean);
    s->low = s->count == 1 || x < s->low ? x : s->low;
    s->high = s->count == 1 || x > s->high ? x : s->high;
}

static double sweep_check_take(const sample *s, rps_sweep_take how) {
    switch (how) {
    case RPS_SWEEP_MEAN:
        return s->mean;
    case RPS_SWEEP_SD:
        return s->count > 1 ? sqrt(s->squares / (double)(s->count - 1)) : NAN;
    case RPS_SWEEP_MIN:
        return s->low;
    default:
        return s->high;
    }
}

static rps_status sweep_check_reduce(const sweep_state *sweep, const rps_sweep_check *check, quantity of,
                                     double *result, rps_error *err) {
    size_t axis[RPS_SWEEP_WHERE + 1] = {0}, value[RPS_SWEEP_WHERE + 1] = {0}, other = SIZE_MAX, partner = 0;
    for (size_t k = 0; k < check->wheres; k++) {
        RPS_TRY(find_value(sweep, check, &check->where[k], &axis[k], &value[k], err));
    }
    if (check->minus.path) {
        RPS_TRY(find_value(sweep, check, &check->minus, &other, &partner, err));
        bool fixed = false;
        for (size_t k = 0; k < check->wheres; k++) fixed = fixed || axis[k] == other;
        if (!fixed) {
            return rps_place_fail(err, check->place,
                                  "`minus` says what is taken off, and `where` must say of what: the value of `%s`",
                                  check->minus.path);
        }
    }
    sample all = {0};
    bool complete = true;
    for (size_t p = 0; p < sweep->points; p++) {
        bool in = true;
        for (size_t k = 0; k < check->wheres; k++) in = in && rps_sweep_index(sweep, p, axis[k]) == value[k];
        if (!in) continue;
        double x = sweep_check_value_at(sweep, p, of);
        if (other != SIZE_MAX) x -= sweep_check_value_at(sweep, sweep_check_beside(sweep, p, other, partner), of);
        complete = complete && !isnan(x);
        sweep_check_add(&all, x);
    }
    *result = complete && all.count ? sweep_check_take(&all, check->take) : NAN;
    return RPS_OK;
}

/* The first reason among all runs: a failure, or why the measure had no value. */
static rps_status sweep_check_missing_note(sweep_state *sweep, quantity of, const char **note, rps_error *err) {
    const char *why = NULL;
    for (size_t p = 0; p < sweep->points && !why; p++) {
        if (sweep->point[p].records != 1 || !isnan(sweep_check_value_at(sweep, p, of))) continue;
        why = sweep->point[p].record[0].failure;
        why = why ? why : sweep->point[p].record[0].note;
    }
    *note = why ? rps_pool_printf(&sweep->pool, err, "a run that it needs has no value: %s", why)
                : "a run that it needs failed or measured nothing";
    return *note ? RPS_OK : RPS_NO_MEMORY;
}

static rps_status find_measure(const sweep_state *sweep, size_t index, const char *name, size_t *measure,
                               rps_error *err) {
    for (*measure = 0; *measure < sweep->measures; ++*measure) {
        const bool number = sweep->measure[*measure].kind == RPS_MEASURE_NUMBER;
        if (number && strcmp(sweep->measure[*measure].name, name) == 0) return RPS_OK;
    }
    return rps_place_fail(err, rps_scene_sweep_place(sweep->scene, index),
                          "`%.60s` is no measure of this sweep that is a number", name);
}

static const char *unit_of(const sweep_state *sweep, size_t measure) {
    return *sweep->measure[measure].unit ? sweep->measure[measure].unit : "1";
}

rps_status rps_sweep_judge(sweep_state *sweep, size_t index, rps_check_row *row, rps_error *err) {
    rps_sweep_check check;
    quantity of = {0, SIZE_MAX};
    const char *name = rps_scene_sweep_measure(sweep->scene, index), *over = rps_scene_sweep_over(sweep->scene, index);
    RPS_TRY(find_measure(sweep, index, name, &of.measure, err));
    if (over) RPS_TRY(find_measure(sweep, index, over, &of.over, err));
    const char *unit = unit_of(sweep, of.measure);
    if (over && strcmp(unit, unit_of(sweep, of.over)) != 0) {
        return rps_place_fail(err, rps_scene_sweep_place(sweep->scene, index),
                              "`over` takes a measure of the same unit: `%.60s` is in %s, `%.60s` in %s", name, unit,
                              over, unit_of(sweep, of.over));
    }
    if (over) unit = "1";
    RPS_TRY(rps_scene_sweep_check(sweep->scene, index, unit, &check, err));
    *row = (rps_check_row){.scene = rps_scene_get_run(sweep->scene)->path,
                           .variant = sweep->options->variant ? sweep->options->variant : "",
                           .check = check.name,
                           .unit = unit,
                           .source = check.source,
                           .known = check.known,
                           .judged = true,
                           .expected = check.expected,
                           .tolerance = check.tolerance,
                           .note = ""};
    RPS_TRY(sweep_check_reduce(sweep, &check, of, &row->measured, err));
    const double x = row->measured;
    if (isnan(check.expected)) {
        const bool one = isnan(check.above) || isnan(check.below);
        row->expected = isnan(check.above)   ? check.below
                        : isnan(check.below) ? check.above
                                             : 0.5 * (check.above + check.below);
        row->tolerance = one ? NAN : 0.5 * (check.below - check.above);
        row->passed = !isnan(x) && !(x <= check.above) && !(x >= check.below);
    } else {
        row->passed = fabs(x - check.expected) <= check.tolerance;
    }
    if (isnan(x)) RPS_TRY(sweep_check_missing_note(sweep, of, &row->note, err));
    return RPS_OK;
}
