/* Pages of few frames, so that a browser opens any of them fast and no frame is left out. */
#include "shots.h"

#include "report_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double shots_page_bytes = 64e6; /* of the frames in a page, before they are deflated */
static const double shots_high = 25.0;       /* deg, of the view from bottom to top, at most */
static const double shots_wide = 40.0;       /* deg, from side to side at most: beyond, spheres look like eggs */
static const double shots_margin = 1.08;     /* of the view over what it must hold */
static const double shots_bar = 6.0;         /* width of the bar of colours with its numbers, in heights of letters */

/* Height of letters in pixels: readable where a picture is as wide as a page. */
static double shots_letter(const shots *s) {
    return fmax(9.0, sqrt((double)s->size[0] * s->size[1]) / 40.0);
}

/* Pixels across that the grains have. */
static int shots_width(const shots *s) {
    const bool bar = !s->no_bar && !s->no_text;
    const int width = s->size[0] - (bar ? (int)(shots_bar * shots_letter(s)) : 0);
    return width > s->size[0] / 2 ? width : s->size[0] / 2;
}

/* The tangent of half the angle of the view from bottom to top. */
static double shots_tangent(const shots *s) {
    const double radian = 3.14159265358979323846 / 180.0;
    return fmin(tan(0.5 * shots_high * radian), tan(0.5 * shots_wide * radian) * s->size[1] / shots_width(s));
}

/* --- fields -------------------------------------------------------------------------------------------------------- */

static const rps_column *shots_find(const shots *s, rps_results_part part, const char *name) {
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(s->frames.reader, part, c)) != NULL; c++) {
        if (strcmp(column->name, name) == 0) return column;
    }
    return NULL;
}

/* The component that the name after a dot is; -1 if it is none. */
static int shots_component(const rps_column *column, const char *name) {
    static const char *const of_vector[] = {"x", "y", "z"}, *const of_tensor[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    for (int k = 0; k < column->components && column->components == 3; k++) {
        if (strcmp(name, of_vector[k]) == 0) return k;
    }
    for (int k = 0; k < column->components && column->components == 6; k++) {
        if (strcmp(name, of_tensor[k]) == 0) return k;
    }
    return -1;
}

static rps_status shots_no_field(const shots *s, rps_error *err) {
    const char *name[RPS_COLUMNS];
    const rps_column *column;
    size_t names = 0;
    for (size_t c = 0; (column = rps_results_reader_column(s->frames.reader, RPS_RESULTS_BODIES, c)) != NULL; c++) {
        if (column->rows == 1) name[names++] = column->name;
    }
    const char *near = rps_closest_name(s->column, name, names);
    return rps_fail(err, RPS_BAD_INPUT,
                    "the results hold no field `%s` of bodies%s%s%s; `repose info` lists the fields that they hold",
                    s->column, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

/* The field that colours bodies: velocities if they are there, else radii, else any. */
static rps_status shots_choose_color(shots *s, rps_error *err) {
    static const char *const usual[] = {"velocity", "radius", "sphere_radius", "position"};
    for (size_t k = 0; !s->color && k < sizeof usual / sizeof *usual; k++) {
        if (shots_find(s, RPS_RESULTS_BODIES, usual[k])) s->color = usual[k];
    }
    const char *dot = strchr(s->color, '.');
    snprintf(s->column, sizeof s->column, "%.*s", dot ? (int)(dot - s->color) : SHOTS_NAME, s->color);
    const rps_column *column = shots_find(s, RPS_RESULTS_BODIES, s->column);
    if (!column || column->rows != 1) return shots_no_field(s, err);
    s->fit.column = s->column;
    s->fit.component = dot ? shots_component(column, dot + 1) : -1;
    if (!dot || s->fit.component >= 0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "the field `%s` has no component %.20s; %s", s->column, dot + 1,
                    column->components == 3   ? "it has x, y and z"
                    : column->components == 6 ? "it has xx, xy, xz, yy, yz and zz"
                                              : "name it without one");
}

static const char *shots_load_column(const shots *s) {
    return shots_find(s, RPS_RESULTS_CONTACTS, "normal_load") ? "normal_load" : "force";
}

rps_status shots_open(shots *s, rps_error *err) {
    RPS_TRY(report_frames_open(&s->frames, s->directory, 1e15, err)); /* room for all */
    if (s->frames.count == 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s holds no frame yet, so there is nothing to draw; a run writes one at its start and then as "
                        "`output: {frames: INTERVAL}` of its scene says",
                        s->directory);
    }
    if (!report_frames_drawable(&s->frames)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s holds no positions of bodies, so there is nothing to draw; let `output: {bodies: ...}` of "
                        "the scene write `position`",
                        s->directory);
    }
    const bool bare = !s->color;
    shots_fit_init(&s->fit, s->from, s->up);
    RPS_TRY(shots_choose_color(s, err));
    if (bare && s->contacts) s->color = NULL; /* the colours are those of the contacts */
    report_frames_choose(&s->frames, s->column, s->contacts, s->bonds);
    if (s->bonds && !shots_find(s, RPS_RESULTS_BONDS, "line")) {
        return rps_fail(err, RPS_BAD_INPUT, "%s holds no bonds for --bonds to draw; its scene has none", s->directory);
    }
    if (!s->contacts ||
        (shots_find(s, RPS_RESULTS_CONTACTS, "line") && shots_find(s, RPS_RESULTS_CONTACTS, shots_load_column(s)))) {
        return RPS_OK;
    }
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s holds no lines and loads of contacts for --contacts to draw; let `output: {contacts: ...}` of "
                    "the scene write `line` and `normal_load`",
                    s->directory);
}

/* --- camera and ranges --------------------------------------------------------------------------------------------- */

static int shots_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The load that a hundredth of the contacts exceeds has the last colour and width. */
static rps_status shots_add_loads(shots *s, size_t frame, rps_error *err) {
    const size_t count = (size_t)s->frames.frame[frame].contacts;
    const rps_column *column = shots_find(s, RPS_RESULTS_CONTACTS, shots_load_column(s));
    const size_t width = (size_t)column->components;
    size_t bytes;
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_size_of_items(count * width, sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &s->fit.memory, &s->fit.bytes, 0, bytes, err));
    double *load = s->fit.memory;
    RPS_TRY(rps_results_read(s->frames.reader, RPS_RESULTS_CONTACTS, column->name, frame, load, bytes, err));
    for (size_t n = 0; n < count; n++) {
        const double *x = load + n * width;
        const double size = width == 3 ? sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) : x[0];
        load[n] = isfinite(size) ? size : 0.0;
    }
    qsort(load, count, sizeof *load, shots_order);
    s->load = fmax(s->load, load[count - 1 - count / 100]);
    return RPS_OK;
}

static rps_status shots_measure_frames(shots *s, rps_error *err) {
    for (size_t f = s->first; f < s->end; f += s->stride) {
        if (!cli_proceed(NULL)) return rps_fail(err, RPS_STOPPED, "stopped by a signal");
        RPS_TRY(shots_fit_add(&s->fit, &s->frames, f, err));
        if (s->contacts) RPS_TRY(shots_add_loads(s, f, err));
    }
    return RPS_OK;
}

/* All frames that are drawn have one camera and one range of colours. */
static rps_status shots_measure(shots *s, rps_error *err) {
    const double tall = shots_tangent(s) / shots_margin;
    s->fit.tangent[0] = tall * shots_width(s) / s->size[1];
    s->fit.tangent[1] = tall;
    RPS_TRY(shots_measure_frames(s, err));
    if (s->cut >= 0) { /* the side that the camera is on is left out */
        const double side = s->fit.from[s->cut] < 0.0 ? -1.0 : 1.0;
        const double middle = s->fit.any ? 0.5 * (s->fit.low[s->cut] + s->fit.high[s->cut]) : 0.0;
        s->fit.cut[s->cut] = side;
        s->fit.cut[3] = side * (isfinite(s->place) ? s->place : middle);
        shots_fit_restart(&s->fit);
        RPS_TRY(shots_measure_frames(s, err));
    }
    if (!s->placed) shots_fit_aim(&s->fit, s->eye, s->target);
    if (isfinite(s->range[0])) return RPS_OK;
    const bool known = s->fit.range[0] <= s->fit.range[1];
    s->range[0] = known ? s->fit.range[0] : 0.0;
    s->range[1] = known ? s->fit.range[1] : 1.0;
    /* All values are one. */
    if (!(s->range[1] > s->range[0])) s->range[1] = s->range[0] + fmax(fabs(s->range[0]), 1e-9);
    /* A scale of lengths of vectors that nearly begins at 0 does. */
    if (s->range[0] > 0.0 && s->range[0] < 0.2 * s->range[1]) s->range[0] = 0.0;
    return RPS_OK;
}

rps_status shots_begin(shots *s, size_t first, size_t stride, size_t end, rps_error *err) {
    s->first = first;
    s->stride = stride;
    s->end = end;
    RPS_TRY(work_folder_make(s->folder, err));
    RPS_TRY(browser_start(&s->browser, s->folder, s->size[0], s->size[1], s->wait, err));
    return shots_measure(s, err); /* while the browser starts */
}

/* --- pages --------------------------------------------------------------------------------------------------------- */

/* Frames from s->opened on until the page is large enough; s->closed is behind them. */
static rps_status shots_add_frames(shots *s, report_page *page, rps_json *json, rps_error *err) {
    double bytes = 0.0;
    size_t number = 0, f = s->opened;
    rps_json_open(json, NULL, '{', false);
    rps_json_open(json, "frames", '[', false);
    for (; f < s->end && (number == 0 || bytes < shots_page_bytes); f += s->stride, number++) {
        const rps_frame *frame = &s->frames.frame[f];
        RPS_TRY(report_frames_write(&s->frames, f, number, &page->out, err));
        bytes += (double)s->frames.block.length;
        rps_json_open(json, NULL, '{', true);
        rps_json_number(json, "time", frame->time);
        rps_json_integer(json, "bodies", frame->bodies);
        rps_json_integer(json, "contacts", s->contacts ? s->frames.contacts : 0);
        rps_json_integer(json, "bonds", s->bonds ? frame->bonds : 0);
        rps_json_integer(json, "points", s->frames.points);
        rps_json_integer(json, "triangles", s->frames.triangles);
        RPS_TRY(report_frames_planes(&s->frames, f, json, err));
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    RPS_TRY(report_frames_write_corners(&s->frames, &page->out, err));
    if (s->fit.any) {
        memcpy(s->frames.low, s->fit.low, sizeof s->fit.low);
        memcpy(s->frames.high, s->fit.high, sizeof s->fit.high);
    }
    report_frames_describe(&s->frames, json);
    rps_json_close(json, '}');
    s->closed = f;
    return json->text.status == RPS_OK ? RPS_OK : rps_fail(err, json->text.status, "no memory for the page");
}

static rps_status shots_turn(shots *s, size_t frame, rps_error *err) {
    char path[RPS_PATH];
    report_page page;
    rps_json json;
    RPS_TRY(rps_path_join(path, s->folder, "page.html", err));
    RPS_TRY(report_page_begin(&page, path, err));
    rps_json_init(&json, NULL);
    s->opened = frame;
    const rps_status status = shots_add_frames(s, &page, &json, err);
    if (status == RPS_OK) report_page_put_json(&page, "head", rps_text_string(&json.text));
    rps_json_release(&json);
    const rps_status ended = report_page_end(&page, status == RPS_OK, err);
    RPS_TRY(status);
    RPS_TRY(ended);
    return browser_open(&s->browser, path, err);
}

static void shots_add_place(rps_text *text, const char *name, const double place[3]) {
    rps_text_addf(text, NULL, "%s: [%.9g, %.9g, %.9g], ", name, place[0], place[1], place[2]);
}

/* The part of the call that viewer/figure.js reads. */
static void shots_add_figure(const shots *s, rps_text *text) {
    const bool bar = !s->no_bar && !s->no_text, loads = s->contacts && !s->color;
    const rps_column *column = shots_find(s, RPS_RESULTS_BODIES, s->column);
    rps_text_addf(text, NULL, "figure: {size: [%d, %d], width: %d, letter: %g, bar: %s, text: %s, held: %s, ",
                  s->size[0], s->size[1], shots_width(s), shots_letter(s), bar ? "true" : "false",
                  s->no_text ? "false" : "true", s->fit.grains && strcmp(s->column, "kind") != 0 ? "true" : "false");
    rps_text_addf(text, NULL, "component: %d, load: %.9g, loads: %s, ", s->fit.component, s->load,
                  loads ? "true" : "false");
    const bool tensor = strcmp(s->color ? s->color : "", "stress") == 0; /* of which the page shows the pressure */
    rps_text_addf(text, NULL, "label: '%s', unit: '%s', tips: [%s, %s], ",
                  loads    ? "load"
                  : tensor ? "pressure"
                           : s->color,
                  loads ? "N" : column->unit, !loads && s->fit.ends[0] < s->range[0] ? "true" : "false",
                  !loads && s->fit.ends[1] > s->range[1] ? "true" : "false");
    rps_text_addf(text, NULL, "cut: [%g, %g, %g, %.9g], depth: [%.9g, %.9g]}", s->fit.cut[0], s->fit.cut[1],
                  s->fit.cut[2], s->fit.cut[3], s->fit.any ? s->fit.depth[0] : 0.0, s->fit.any ? s->fit.depth[1] : 0.0);
}

rps_status shots_draw(shots *s, size_t frame, rps_error *err) {
    rps_text call;
    if (frame < s->opened || frame >= s->closed) RPS_TRY(shots_turn(s, frame, err));
    rps_text_init(&call, NULL, 4096);
    rps_text_addf(&call, NULL, "window.repose.show({chrome: false, frame: %zu, colour: '%s', range: [%.9g, %.9g], ",
                  (frame - s->opened) / s->stride, s->column, s->range[0], s->range[1]);
    if (s->bonds) rps_text_add(&call, "bonds: true, grains: 'small', ", NULL);
    rps_text_addf(&call, NULL, "contacts: %s, walls: '%s', size: [%d, %d], camera: {", s->contacts ? "true" : "false",
                  s->walls, s->size[0], s->size[1]);
    shots_add_place(&call, "position", s->eye);
    shots_add_place(&call, "target", s->target);
    shots_add_place(&call, "up", s->fit.up);
    rps_text_addf(&call, NULL, "angle: %.9g}, ", 2.0 * atan(shots_tangent(s)) * 180.0 / 3.14159265358979323846);
    shots_add_figure(s, &call);
    rps_text_add(&call, "}).then(() => true)", NULL);
    rps_status status = call.status;
    if (status != RPS_OK) rps_fail(err, status, "no memory for the picture");
    if (status == RPS_OK) status = browser_evaluate(&s->browser, rps_text_string(&call), err);
    if (status == RPS_OK) status = browser_capture(&s->browser, &s->png, &s->png_capacity, &s->png_bytes, err);
    rps_text_release(&call);
    return status;
}

/* Tells of bodies and values that were not drawn as they are. */
static void shots_warn(const shots *s) {
    char text[256];
    const rps_column *column;
    if (s->frames.lost_most > 0) {
        snprintf(
            text, sizeof text,
            "in a frame up to %zu of the bodies are not drawn: they flew off, more than three times the size of the "
            "rest away from it, or their places are no numbers",
            s->frames.lost_most);
        cli_warn(NULL, RPS_LOG_WARNING, text);
    }
    for (size_t c = 0; (column = rps_results_reader_column(s->frames.reader, RPS_RESULTS_BODIES, c)) != NULL; c++) {
        if (!s->frames.range[RPS_RESULTS_BODIES][c].odd || strcmp(column->name, s->column) != 0) continue;
        if (strcmp(column->name, "position") == 0) continue;
        snprintf(text, sizeof text, "the field `%s` holds values that are not finite; they are grey", column->name);
        cli_warn(NULL, RPS_LOG_WARNING, text);
    }
}

int shots_end(shots *s, rps_status status, const rps_error *err) {
    if (status == RPS_OK) shots_warn(s);
    if (*s->folder) browser_end(&s->browser);
    work_folder_remove(s->folder);
    report_frames_release(&s->frames);
    shots_fit_release(&s->fit);
    rps_buffer_release(NULL, &s->png, &s->png_capacity);
    if (cli_caught_signal()) return 128 + cli_caught_signal();
    return status == RPS_OK ? CLI_OK : cli_failed(err);
}
