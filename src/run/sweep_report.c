/* The files of a sweep beside its table: sweep.json, the values found by a bisection, and the figure. All are derived
 * from the records, so they do not depend on how or in which order the runs were done. */
#include "run/sweep_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "io/file_names.h"
#include "io/json.h"
#include "run/picture.h"

/* --- identity ------------------------------------------------------------------------------------------------------ */

static void list_strings(rps_json *json, const char *key, const char *const *text, size_t count) {
    rps_json_open(json, key, '[', true);
    for (size_t i = 0; i < count; i++) rps_json_string(json, NULL, text[i]);
    rps_json_close(json, ']');
}

static void sweep_report_describe(const sweep_state *sweep, rps_json *json) {
    static const char *const kind[] = {"number", "verdict", "class"};
    const rps_sweep_options *options = sweep->options;
    const rps_scene_run *run = rps_scene_get_run(sweep->scene);
    rps_json_string(json, "version", rps_version());
    rps_json_string(json, "title", run->title ? run->title : "");
    rps_json_string(json, "variant", options->variant ? options->variant : "");
    list_strings(json, "set", options->set, options->sets);
    rps_json_open(json, "vary", '[', false);
    for (size_t i = 0; i < sweep->axes; i++) {
        const sweep_axis *axis = &sweep->axis[i];
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "path", axis->path);
        rps_json_string(json, "unit", axis->unit);
        rps_json_open(json, "values", '[', true);
        for (size_t k = 0; k < axis->count; k++) {
            if (axis->words) {
                rps_json_string(json, NULL, axis->text[k]);
            } else {
                rps_json_number(json, NULL, axis->number[k]);
            }
        }
        rps_json_close(json, ']');
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    if (sweep->finds) {
        rps_json_open(json, "find", '{', true);
        rps_json_string(json, "path", sweep->find.path);
        rps_json_string(json, "unit", sweep->find.unit);
        rps_json_number(json, "low", sweep->find.low);
        rps_json_number(json, "high", sweep->find.high);
        rps_json_number(json, "within", sweep->find.within);
        rps_json_close(json, '}');
    }
    rps_json_open(json, "measures", '[', false);
    for (size_t i = 0; i < sweep->measures; i++) {
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "name", sweep->measure[i].name);
        rps_json_string(json, "kind", kind[sweep->measure[i].kind]);
        rps_json_string(json, "unit", sweep->measure[i].unit);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

rps_status rps_sweep_identity(const sweep_state *sweep, rps_text *text, rps_error *err) {
    rps_json json;
    rps_hash hash;
    char hex[40];
    const rps_scene_run *run = rps_scene_get_run(sweep->scene);
    rps_hash128_begin(&hash);
    rps_hash128_add(&hash, run->source, run->source_bytes);
    if (run->included_bytes) rps_hash128_add(&hash, run->included_text, run->included_bytes);
    rps_hash128_value value = rps_hash128_result(&hash);
    snprintf(hex, sizeof hex, "%016llx%016llx", (unsigned long long)value.high, (unsigned long long)value.low);
    rps_json_init(&json, NULL);
    rps_json_open(&json, NULL, '{', false);
    rps_json_string(&json, "scene", hex);
    sweep_report_describe(sweep, &json);
    list_strings(&json, "measured", sweep->options->measure, sweep->options->measures);
    if (rps_sweep_is_part(sweep)) { /* last: see sweep_parts.c */
        rps_json_open(&json, "points", '[', true);
        rps_json_integer(&json, NULL, sweep->from);
        rps_json_integer(&json, NULL, sweep->to);
        rps_json_close(&json, ']');
    }
    rps_json_close(&json, '}');
    rps_status status = json.text.status == RPS_OK
                            ? rps_text_add(text, rps_text_string(&json.text), err)
                            : rps_fail(err, RPS_NO_MEMORY, "no memory for the plan of the sweep");
    rps_json_release(&json);
    return status;
}

/* --- sweep.json ---------------------------------------------------------------------------------------------------- */

static void tell_numbers(const sweep_state *sweep, size_t measure, rps_json *json) {
    double low = INFINITY, high = -INFINITY, mean = 0.0, squares = 0.0;
    size_t count = 0;
    for (size_t p = 0; p < sweep->points; p++) {
        for (size_t k = 0; k < sweep->point[p].records; k++) {
            double value = sweep->point[p].record[k].value[measure];
            if (isnan(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
            count++;
            const double before = value - mean;
            mean += before / (double)count;
            squares += before * (value - mean);
        }
    }
    rps_json_integer(json, "runs", count);
    rps_json_number(json, "min", low);
    rps_json_number(json, "max", high);
    rps_json_number(json, "mean", count ? mean : NAN);
    rps_json_number(json, "sd", count > 1 ? sqrt(squares / (double)(count - 1)) : NAN);
}

static void tell_words(const sweep_state *sweep, size_t measure, rps_json *json) {
    const char *word;
    for (int w = 0; (word = rps_measure_word(sweep->measure[measure].kind, w)); w++) {
        size_t count = 0;
        for (size_t p = 0; p < sweep->points; p++) {
            for (size_t k = 0; k < sweep->point[p].records; k++) {
                count += sweep->point[p].record[k].value[measure] == w;
            }
        }
        rps_json_integer(json, word, count);
    }
}

static rps_status sweep_report_write_checks(sweep_state *sweep, rps_json *json, rps_error *err) {
    const size_t count = rps_scene_sweep_checks(sweep->scene);
    if (count == 0) return RPS_OK;
    rps_json_open(json, "checks", '[', false);
    for (size_t i = 0; i < count; i++) {
        rps_check_row row;
        RPS_TRY(rps_sweep_judge(sweep, i, &row, err));
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "check", row.check);
        rps_json_number(json, "expected", row.expected);
        rps_json_number(json, "measured", row.measured);
        rps_json_number(json, "tolerance", row.tolerance);
        rps_json_string(json, "unit", row.unit);
        rps_json_string(json, "source", row.source);
        if (row.note[0]) rps_json_string(json, "note", row.note);
        if (row.known) rps_json_string(json, "known", row.known);
        const char *passed = row.known ? "stale" : "pass", *failed = row.known ? "known" : "fail";
        rps_json_string(json, "verdict", row.passed ? passed : failed);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    return RPS_OK;
}

static rps_status sweep_report_write_json(sweep_state *sweep, rps_error *err) {
    char path[RPS_PATH];
    rps_json json;
    RPS_TRY(rps_path_join(path, sweep->options->directory, RPS_SWEEP_FILE, err));
    rps_json_init(&json, NULL);
    rps_json_open(&json, NULL, '{', false);
    rps_json_string(&json, "scene", rps_scene_get_run(sweep->scene)->path);
    sweep_report_describe(sweep, &json);
    rps_json_integer(&json, "points", sweep->points);
    rps_json_integer(&json, "runs", sweep->runs);
    rps_json_integer(&json, "failed", sweep->failed);
    rps_json_open(&json, "results", '{', false);
    for (size_t i = 0; i < sweep->measures; i++) {
        rps_json_open(&json, sweep->measure[i].name, '{', true);
        if (sweep->measure[i].kind == RPS_MEASURE_NUMBER) {
            tell_numbers(sweep, i, &json);
        } else {
            tell_words(sweep, i, &json);
        }
        rps_json_close(&json, '}');
    }
    rps_json_close(&json, '}');
    rps_status status = sweep_report_write_checks(sweep, &json, err);
    rps_json_close(&json, '}');
    if (status == RPS_OK) status = rps_json_save(&json, path, err);
    rps_json_release(&json);
    return status;
}

/* --- the found values ---------------------------------------------------------------------------------------------- */

static rps_status write_found(sweep_state *sweep, double *value, rps_error *err) {
    char path[RPS_PATH];
    rps_text all, line;
    rps_text_init(&all, NULL, (size_t)1 << 30);
    rps_text_init(&line, NULL, (size_t)1 << 20);
    rps_status status = rps_path_join(path, sweep->options->directory, RPS_SWEEP_TABLE, err);
    if (status == RPS_OK) status = rps_sweep_header(sweep, false, &all, err);
    for (size_t p = 0; p < sweep->points && status == RPS_OK; p++) {
        sweep_found found;
        double tried;
        rps_find_next(sweep, &sweep->point[p], &tried, &found);
        value[p] = found.value;
        status = rps_sweep_found_row(sweep, p, &found, &line, err);
        if (status == RPS_OK) status = rps_text_add(&all, rps_text_string(&line), err);
    }
    if (status == RPS_OK) status = rps_file_replace(path, rps_text_string(&all), all.length, err);
    rps_text_release(&line);
    rps_text_release(&all);
    return status;
}

/* --- the figure ---------------------------------------------------------------------------------------------------- */

static rps_status sweep_report_draw(sweep_state *sweep, double *found, bool *drawn, rps_error *err) {
    const rps_scene_run *run = rps_scene_get_run(sweep->scene);
    const rps_sweep_options *options = sweep->options;
    const char *variant = options->variant ? options->variant : "";
    picture p = {.axes = sweep->axes, .curve = sweep->block->curve, .curves = sweep->block->curves};
    char path[RPS_PATH];
    *drawn = sweep->axes == 1 || sweep->axes == 2;
    if (!*drawn) return RPS_OK;
    p.title = rps_pool_printf(&sweep->pool, err, *variant ? "%s (%s)" : "%s",
                              run->title && *run->title ? run->title : run->path, variant);
    for (size_t i = 0; i < sweep->axes; i++) {
        const sweep_axis *axis = &sweep->axis[i];
        p.axis[i] = (picture_axis){
            .label = rps_picture_label(&sweep->pool, axis->label ? axis->label : axis->path, axis->unit, err),
            .count = axis->count,
            .value = axis->number,
            .word = axis->words ? axis->text : NULL};
        if (!p.axis[i].label) return RPS_NO_MEMORY;
    }
    p.map = sweep->axes == 2 &&
            (sweep->block->picture == RPS_PICTURE_CHOSEN ? !sweep->finds : sweep->block->picture == RPS_PICTURE_MAP);
    p.panels = sweep->finds ? 1 : sweep->measures;
    p.panel = rps_pool_take(&sweep->pool, p.panels * sizeof *p.panel, err);
    if (!p.panel || !p.title) return RPS_NO_MEMORY;
    for (size_t i = 0; i < p.panels; i++) {
        picture_panel *panel = &p.panel[i];
        const char *name =
            sweep->finds ? (sweep->find.label ? sweep->find.label : sweep->find.path) : sweep->measure[i].name;
        panel->title =
            rps_picture_label(&sweep->pool, name, sweep->finds ? sweep->find.unit : sweep->measure[i].unit, err);
        panel->kind = sweep->finds ? RPS_MEASURE_NUMBER : sweep->measure[i].kind;
        double *value = sweep->finds ? found : rps_pool_take(&sweep->pool, sweep->points * sizeof *value, err);
        if (!panel->title || !value) return RPS_NO_MEMORY;
        for (size_t k = 0; k < sweep->points && !sweep->finds; k++) {
            const sweep_record *record = &sweep->point[k].record[0];
            value[k] = record->failure ? NAN : record->value[i];
        }
        panel->value = value;
    }
    RPS_TRY(rps_path_join(path, options->directory, RPS_SWEEP_PICTURE, err));
    rps_error why;
    const rps_status status = rps_picture_write(&p, path, &why);
    if (status == RPS_UNSUPPORTED) { /* the results are complete without a figure */
        *drawn = false;
        rps_log_write(options->log, options->log_context, RPS_LOG_WARNING,
                      "%s is not drawn: %s; --resume draws it once that is mended", path, why.text);
        return RPS_OK;
    }
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s", why.text);
}

rps_status rps_sweep_report(sweep_state *sweep, bool *drawn, rps_error *err) {
    double *found = NULL;
    if (sweep->finds) {
        found = rps_pool_take(&sweep->pool, sweep->points * sizeof *found, err);
        if (!found) return RPS_NO_MEMORY;
        RPS_TRY(write_found(sweep, found, err));
    }
    RPS_TRY(sweep_report_draw(sweep, found, drawn, err));
    return sweep_report_write_json(sweep, err); /* last: its presence means that all is complete */
}
