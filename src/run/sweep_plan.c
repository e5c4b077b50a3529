/* The axes and measures of a sweep, from the scene block and the command line, and the execution of one run. */
#include "run/sweep_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/units.h"

enum { POINTS = 10000000 };

const char *rps_sweep_number(rps_pool *pool, double value, rps_error *err) {
    rps_text text;
    rps_text_init(&text, NULL, 64);
    rps_status status = rps_text_addf(&text, err, "%.12g", value);
    const char *copy = status == RPS_OK ? rps_pool_copy(pool, rps_text_string(&text), text.length, err) : NULL;
    rps_text_release(&text);
    return copy;
}

/* --- values -------------------------------------------------------------------------------------------------------- */

/* Splits "1deg" into 1 and "deg"; false if it does not begin with a number. */
static bool sweep_plan_split(sweep_state *sweep, const char *text, double *number, const char **unit) {
    if (!text) return false;
    while (*text == ' ') text++;
    size_t length = rps_number_length(text);
    char digits[64];
    if (length == 0 || length >= sizeof digits) return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    if (rps_parse_double(digits, number, NULL) != RPS_OK) return false;
    text += length;
    while (*text == ' ') text++;
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == ' ') end--;
    *unit = rps_pool_copy(&sweep->pool, text, end, NULL);
    return *unit != NULL;
}

/* Both numbers must have the same unit; a bare number takes the unit of the other. */
static rps_status split_both(sweep_state *sweep, const char *what, const char *path, const char *from, const char *to,
                             double number[2], const char **unit, rps_error *err) {
    const char *second;
    for (int k = 0; k < 2; k++) {
        const char *text = k ? to : from;
        if (!sweep_plan_split(sweep, text, &number[k], k ? &second : unit)) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s %s: `%.60s` is no number; write a number with its unit, such as 1 deg", what, path,
                            text);
        }
    }
    if (!**unit) *unit = second;
    if (*second && strcmp(*unit, second) != 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s %s: %.40s and %.40s have different units; write both in the same unit",
                        what, path, from, to);
    }
    return RPS_OK;
}

static rps_status range_values(sweep_state *sweep, sweep_axis *axis, const char *from, const char *to, rps_error *err) {
    double end[2] = {0.0, 0.0};
    RPS_TRY(split_both(sweep, "--vary", axis->path, from, to, end, &axis->unit, err));
    if (end[0] == end[1]) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "--vary %s: it begins and ends at %.40s; give two different ends, or set one value by --set",
                        axis->path, from);
    }
    double *number = rps_pool_take(&sweep->pool, axis->count * sizeof *number, err);
    axis->text = rps_pool_take(&sweep->pool, axis->count * sizeof *axis->text, err);
    if (!number || !axis->text) return RPS_NO_MEMORY;
    for (size_t k = 0; k < axis->count; k++) {
        double value = end[0] + (end[1] - end[0]) * ((double)k / (double)(axis->count - 1));
        axis->text[k] = rps_sweep_number(&sweep->pool, k + 1 == axis->count ? end[1] : value, err);
        if (!axis->text[k]) return RPS_NO_MEMORY;
        RPS_TRY(rps_parse_double(axis->text[k], &number[k], err)); /* run the value as printed in the table */
    }
    axis->number = number;
    return RPS_OK;
}

/* Numbers in one unit, or words. */
static rps_status list_values(sweep_state *sweep, sweep_axis *axis, const char *const *value, rps_error *err) {
    double *number = rps_pool_take(&sweep->pool, axis->count * sizeof *number, err), first = 0.0;
    axis->text = rps_pool_take(&sweep->pool, axis->count * sizeof *axis->text, err);
    if (!number || !axis->text) return RPS_NO_MEMORY;
    axis->number = number;
    axis->unit = "";
    axis->words = !sweep_plan_split(sweep, value[0], &first, &axis->unit);
    for (size_t k = 0; k < axis->count; k++) {
        const char *unit = "";
        if (axis->words) {
            axis->unit = "";
            axis->text[k] = value[k];
            number[k] = (double)k;
            continue;
        }
        if (!sweep_plan_split(sweep, value[k], &number[k], &unit)) {
            return rps_fail(err, RPS_BAD_INPUT, "--vary %s: `%.60s` is no number, but the first value is one",
                            axis->path, value[k]);
        }
        if (!*axis->unit) axis->unit = unit;
        if (*unit && strcmp(unit, axis->unit) != 0) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "--vary %s: `%.60s` has another unit than `%.60s`; write all in the same unit", axis->path,
                            value[k], value[0]);
        }
        axis->text[k] = rps_sweep_number(&sweep->pool, number[k], err);
        if (!axis->text[k]) return RPS_NO_MEMORY;
        RPS_TRY(rps_parse_double(axis->text[k], &number[k], err));
    }
    return RPS_OK;
}

/* --- the command line ---------------------------------------------------------------------------------------------- */

/* Splits a copy of `text` at each `sign`. Returns the number of parts, or capacity + 1 if they are too many. */
static size_t sweep_plan_cut(sweep_state *sweep, const char *text, char sign, const char **part, size_t capacity) {
    char *rest = rps_pool_copy(&sweep->pool, text, strlen(text), NULL);
    size_t n = 0;
    while (rest && n < capacity) {
        part[n++] = rest;
        rest = strchr(rest, sign);
        if (rest) *rest++ = 0;
    }
    return rest ? capacity + 1 : n;
}

static rps_status path_of(sweep_state *sweep, const char *option, const char *text, const char *form, const char **path,
                          const char **rest, rps_error *err) {
    const char *equals = strchr(text, '=');
    *rest = NULL;
    if (!equals || equals == text || !equals[1]) {
        return rps_fail(err, RPS_BAD_INPUT, "%s %.100s: write %s", option, text, form);
    }
    *path = rps_pool_copy(&sweep->pool, text, (size_t)(equals - text), err);
    *rest = equals + 1;
    return *path ? RPS_OK : RPS_NO_MEMORY;
}

static rps_status given_axis(sweep_state *sweep, const char *text, sweep_axis *axis, rps_error *err) {
    static const char form[] = "path=from:to:n, such as gravity.tilt=1deg:30deg:30, or a list path=a,b,c";
    const char *rest, *part[1024] = {NULL};
    RPS_TRY(path_of(sweep, "--vary", text, form, &axis->path, &rest, err));
    for (size_t i = 0; i < sweep->block->varies; i++) { /* keep the label from the scene */
        const rps_sweep_vary *vary = &sweep->block->vary[i];
        if (strcmp(vary->path, axis->path) != 0) continue;
        axis->label = vary->label;
        axis->also = vary->also;
        axis->alsos = vary->alsos;
    }
    if (!strchr(rest, ':')) {
        axis->count = sweep_plan_cut(sweep, rest, ',', part, 1024);
        if (axis->count > 1024) return rps_fail(err, RPS_BAD_INPUT, "--vary %s: more than 1024 values", axis->path);
        return list_values(sweep, axis, part, err);
    }
    double count;
    if (sweep_plan_cut(sweep, rest, ':', part, 3) != 3) {
        return rps_fail(err, RPS_BAD_INPUT, "--vary %.100s: write %s", text, form);
    }
    if (rps_parse_double(part[2], &count, NULL) != RPS_OK || count != floor(count) || count > POINTS) {
        return rps_fail(err, RPS_BAD_INPUT, "--vary %s: the number of values `%.40s` is no whole number up to %d",
                        axis->path, part[2], POINTS);
    }
    if (!(count >= 2.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "--vary %s: the number of values must be 2 or more, not %s; set a single value by --set",
                        axis->path, part[2]);
    }
    axis->count = (size_t)count;
    return range_values(sweep, axis, part[0], part[1], err);
}

static rps_status block_axis(sweep_state *sweep, const rps_sweep_vary *vary, sweep_axis *axis, rps_error *err) {
    axis->path = vary->path;
    axis->label = vary->label;
    axis->also = vary->also;
    axis->alsos = vary->alsos;
    axis->count = vary->count;
    return vary->from ? range_values(sweep, axis, vary->from, vary->to, err)
                      : list_values(sweep, axis, vary->value, err);
}

/* Refuses an axis that varies already. */
static rps_status sweep_plan_check_axis(const sweep_state *sweep, const sweep_axis *axis, rps_error *err) {
    for (size_t i = 0; i < sweep->axes; i++) {
        if (strcmp(sweep->axis[i].path, axis->path) == 0) {
            return rps_fail(err, RPS_BAD_INPUT, "--vary %s: it varies twice", axis->path);
        }
    }
    if (sweep->finds && strcmp(sweep->find.path, axis->path) == 0) {
        return rps_fail(err, RPS_BAD_INPUT, "--find %s: it varies already; leave it out of what varies", axis->path);
    }
    return RPS_OK;
}

static rps_status read_axes(sweep_state *sweep, rps_error *err) {
    const rps_sweep_options *options = sweep->options;
    const rps_scene_sweep *block = sweep->block;
    size_t count = options->varies ? options->varies : block->varies;
    sweep->points = 1;
    for (size_t i = 0; i < count; i++) {
        if (sweep->axes == RPS_SWEEP_AXES) {
            return rps_fail(err, RPS_BAD_INPUT, "%zu parameters vary, the most is %d", count, RPS_SWEEP_AXES);
        }
        if (!options->varies && options->find && sweep->finds && strcmp(block->vary[i].path, sweep->find.path) == 0) {
            continue; /* the command line bisects it instead */
        }
        sweep_axis *axis = &sweep->axis[sweep->axes];
        RPS_TRY(options->varies ? given_axis(sweep, options->vary[i], axis, err)
                                : block_axis(sweep, &block->vary[i], axis, err));
        RPS_TRY(sweep_plan_check_axis(sweep, axis, err));
        if (axis->count > POINTS / sweep->points) {
            return rps_fail(err, RPS_BAD_INPUT, "the sweep would take more than %d runs; take fewer values", POINTS);
        }
        sweep->points *= axis->count;
        sweep->axes++;
    }
    return RPS_OK;
}

static rps_status read_find(sweep_state *sweep, rps_error *err) {
    const rps_sweep_options *options = sweep->options;
    const rps_scene_sweep *block = sweep->block;
    sweep_find *find = &sweep->find;
    const char *part[3] = {block->low, block->high, block->within}, *rest, *unit;
    if (options->find ? strcmp(options->find, "none") == 0 : !block->find) return RPS_OK;
    *find = (sweep_find){.path = block->find, .label = block->find_label};
    if (options->find) {
        static const char form[] = "path=low:high:tolerance, such as bodies.ball.mass=0.5kg:3kg:0.01kg";
        RPS_TRY(path_of(sweep, "--find", options->find, form, &find->path, &rest, err));
        if (!block->find || strcmp(block->find, find->path) != 0) find->label = NULL;
        if (sweep_plan_cut(sweep, rest, ':', part, 3) != 3) {
            return rps_fail(err, RPS_BAD_INPUT, "--find %.100s: write %s", options->find, form);
        }
    }
    double end[2], tolerance[2];
    RPS_TRY(split_both(sweep, "--find", find->path, part[0], part[1], end, &find->unit, err));
    RPS_TRY(split_both(sweep, "--find", find->path, part[0], part[2], tolerance, &unit, err));
    if (!*find->unit) find->unit = unit;
    if (!(end[0] < end[1]) || !(tolerance[1] > 0.0)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "--find %s: the low end (%.40s) must be below the high one (%.40s), and the tolerance (%.40s) above 0",
            find->path, part[0], part[1], part[2]);
    }
    find->low = end[0];
    find->high = end[1];
    find->within = tolerance[1];
    sweep->finds = true;
    return RPS_OK;
}

/* --- one run ------------------------------------------------------------------------------------------------------- */

size_t rps_sweep_index(const sweep_state *sweep, size_t point, size_t axis) {
    for (size_t i = sweep->axes; i-- > axis + 1;) point /= sweep->axis[i].count;
    return point % sweep->axis[axis].count;
}

/* Converts the values of a point to settings. */
static rps_status settings(const sweep_state *sweep, size_t point, double tried, char out[][RPS_SWEEP_SET],
                           const char **set, size_t *count, rps_error *err) {
    rps_text number;
    rps_text_init(&number, NULL, 64);
    *count = 0;
    for (size_t i = 0; i < sweep->axes + sweep->finds; i++) {
        const sweep_axis *axis = &sweep->axis[i];
        bool last = i == sweep->axes;
        if (last) rps_text_addf(&number, NULL, "%.12g", tried);
        const char *path = last ? sweep->find.path : axis->path, *unit = last ? sweep->find.unit : axis->unit;
        const char *value = last ? rps_text_string(&number) : axis->text[rps_sweep_index(sweep, point, i)];
        for (size_t k = 0; k <= (last ? 0 : axis->alsos); k++) {
            const char *key = k == 0 ? path : axis->also[k - 1];
            int n = *count < RPS_SWEEP_SETS
                        ? snprintf(out[*count], RPS_SWEEP_SET, "%s=%s%s%s", key, value, *unit ? " " : "", unit)
                        : RPS_SWEEP_SET;
            if (n < 0 || n >= RPS_SWEEP_SET) {
                rps_text_release(&number);
                return rps_fail(err, RPS_BAD_INPUT,
                                "the setting of %.100s is longer than %d bytes, or more than %d keys vary", key,
                                RPS_SWEEP_SET, RPS_SWEEP_SETS);
            }
            set[*count] = out[*count];
            ++*count;
        }
    }
    rps_text_release(&number);
    return RPS_OK;
}

static rps_scene_load_options scene_options(const sweep_state *sweep, const char *const *vary, size_t varies) {
    const rps_sweep_options *options = sweep->options;
    const rps_scene_run *plan = sweep->scene ? rps_scene_get_run(sweep->scene) : NULL;
    return (rps_scene_load_options){.path = options->path,
                                    .text = plan ? plan->source : NULL, /* read once */
                                    .text_bytes = plan ? plan->source_bytes : 0,
                                    .included = plan ? plan->included : NULL,
                                    .includes = plan ? plan->includes : 0,
                                    .variant = options->variant,
                                    .set = options->set,
                                    .sets = options->sets,
                                    .law = options->law,
                                    .laws = options->laws,
                                    .threads = 1,
                                    .isa = options->isa,
                                    .sweep = true,
                                    .measure = options->measure,
                                    .measures = options->measures,
                                    .vary = vary,
                                    .varies = varies};
}

/* A bisection needs only the outcome of a run. */
typedef struct watch {
    const sweep_state *sweep;
    rps_run_state *run;
    bool decided;
} watch;

static bool undecided(void *context, const rps_world *world) {
    watch *w = context;
    (void)world;
    rps_scene_measure_value(w->run->scene, 0, &w->decided);
    return !w->decided;
}

static bool sweep_plan_proceed(void *context) {
    const rps_sweep_options *options = ((watch *)context)->sweep->options;
    return options->proceed(options->context);
}

/* Collects the measures of a finished run. */
static rps_status take_measures(const sweep_state *sweep, rps_run_state *run, double *value, rps_text *note,
                                rps_error *err) {
    rps_text_clear(note);
    for (size_t i = 0; i < sweep->measures; i++) {
        bool decided;
        value[i] = rps_scene_measure_value(run->scene, i, &decided);
        /* a bisection ends a run once its own measure is certain; others may still be open */
        const bool open = run->sim.end == RPS_END_STOPPED && !decided;
        const char *why = open              ? "open when the first measure was certain"
                          : isnan(value[i]) ? rps_scene_measure_absence(run->scene, i)
                                            : NULL;
        if (open) value[i] = NAN;
        if (!why) continue;
        if (sweep->finds && i == 0) {
            return rps_fail(err, RPS_BAD_INPUT, "`%s` is undefined: %s", sweep->measure[i].name, why);
        }
        rps_text_addf(note, NULL, "%s%s: %s", note->length ? "; " : "", sweep->measure[i].name, why);
    }
    for (size_t i = 0; i < rps_scene_insertions(run->scene); i++) {
        const char *why = rps_scene_insertion_behind(run->scene, i);
        if (why) rps_text_addf(note, NULL, "%s%s", note->length ? "; " : "", why);
    }
    return note->status == RPS_OK ? RPS_OK : rps_fail(err, RPS_NO_MEMORY, "no memory for a row of the table");
}

rps_status rps_sweep_run(const sweep_state *sweep, size_t point, double tried, double *value, rps_text *note,
                         rps_error *err) {
    char text[RPS_SWEEP_SETS][RPS_SWEEP_SET];
    const char *set[RPS_SWEEP_SETS];
    size_t sets;
    for (size_t i = 0; i < sweep->measures; i++) value[i] = NAN;
    RPS_TRY(settings(sweep, point, tried, text, set, &sets, err));
    rps_run_state run;
    watch w = {.sweep = sweep, .run = &run};
    rps_run_options options = rps_run_options_default();
    options.proceed = sweep->options->proceed ? sweep_plan_proceed : NULL;
    options.each = sweep->finds ? undecided : NULL;
    options.each_steps = 50;
    options.context = &w;
    rps_scene_load_options scene = scene_options(sweep, set, sets);
    rps_status status = rps_run_begin_scene(&run, &options, &scene, err);
    if (status == RPS_OK) status = rps_run_loop(&run, err);
    if (status == RPS_OK && run.sim.end == RPS_END_STOPPED && !w.decided) {
        status = rps_fail(err, RPS_STOPPED, "the sweep was stopped");
    }
    if (status == RPS_OK) status = take_measures(sweep, &run, value, note, err);
    rps_run_release(&run);
    return status;
}

/* --- the plan ------------------------------------------------------------------------------------------------------ */

/* Builds the world of a point without running it: its errors are errors of the sweep. */
static rps_status try_point(sweep_state *sweep, size_t point, double tried, bool keep, rps_error *err) {
    char text[RPS_SWEEP_SETS][RPS_SWEEP_SET];
    const char *set[RPS_SWEEP_SETS];
    size_t sets;
    RPS_TRY(settings(sweep, point, tried, text, set, &sets, err));
    rps_scene_load_options options = scene_options(sweep, set, sets);
    options.log = keep ? sweep->options->log : NULL;
    options.log_context = sweep->options->log_context;
    rps_scene *scene;
    rps_world *world;
    RPS_TRY(rps_scene_load(&options, &scene, err));
    rps_status status = rps_scene_build(scene, &world, err);
    if (status == RPS_OK) rps_world_destroy(world);
    sweep->measures = status == RPS_OK ? rps_scene_measure_count(scene) : 0;
    rps_measure_info *info =
        rps_pool_take(&sweep->pool, (sweep->measures + 1) * sizeof *info, status == RPS_OK ? err : NULL);
    if (status == RPS_OK && !info) status = RPS_NO_MEMORY;
    for (size_t i = 0; i < sweep->measures && status == RPS_OK; i++) {
        info[i] = *rps_scene_measure(scene, i);
        info[i].name = rps_pool_printf(&sweep->pool, err, "%s", info[i].name);
        info[i].unit = info[i].name ? rps_pool_printf(&sweep->pool, err, "%s", info[i].unit) : NULL;
        if (!info[i].unit) status = RPS_NO_MEMORY;
    }
    sweep->measure = info;
    rps_scene_free(scene);
    return status;
}

rps_status rps_sweep_plan(sweep_state *sweep, rps_error *err) {
    rps_scene_load_options options = scene_options(sweep, NULL, 0);
    RPS_TRY(rps_scene_load(&options, &sweep->scene, err));
    sweep->block = rps_scene_get_sweep(sweep->scene);
    RPS_TRY(read_find(sweep, err)); /* first: it removes its parameter from those of the block */
    RPS_TRY(read_axes(sweep, err));
    if (sweep->axes == 0 && !sweep->finds) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "nothing varies in this sweep: give --vary path=from:to:n (such as gravity.tilt=1deg:30deg:30), "
            "--find path=low:high:tolerance, or a block `sweep` in the scene");
    }
    RPS_TRY(try_point(sweep, sweep->points - 1, sweep->find.high, false, err));
    RPS_TRY(try_point(sweep, 0, sweep->find.low, true, err));
    if (sweep->measures == 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the sweep measures nothing: give --measure NAME (a measure of the block `sweep`, a probe, a "
                        "quantity of the world, a check), or --measure 'NAME={probe: p, max: true}'");
    }
    if (sweep->measures > RPS_SWEEP_MEASURES) {
        return rps_fail(err, RPS_BAD_INPUT, "the sweep has %zu measures, the most is %d", sweep->measures,
                        RPS_SWEEP_MEASURES);
    }
    if (sweep->finds && sweep->measure[0].kind != RPS_MEASURE_VERDICT) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "a bisection needs a measure that is yes or no, and `%s` is not: give it `above` or `below`, as in "
            "--measure 'falls={probe: height, min: true, below: 0.3 m}', or take a check by its name",
            sweep->measure[0].name);
    }
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, sweep->points * sizeof(sweep_point), &memory, err));
    sweep->point = memory;
    for (size_t i = 0; i < rps_scene_sweep_checks(sweep->scene);
         i++) { /* reports checks that cannot be judged before the runs */
        rps_check_row row;
        RPS_TRY(rps_sweep_judge(sweep, i, &row, err));
    }
    return RPS_OK;
}
