/* Reads the files of a run, or of a sweep, and writes them as blocks of the page. */
#include "report_run.h"

#include "report_frames.h"

#include "base/c_locale.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REPORT_TEXT_MOST = 32 << 20 }; /* bytes of a table that a browser reads without a wait */

/* The numbers take more bytes than when they are deflated and in base64; of grains that move a third more or half more. */
static const double report_packing = 1.4;

typedef struct report {
    report_page *page;
    const char *directory;
    char prefix[16];
    report_frames frames;
    rps_json json;
    bool has_frames, has_sweep, has_plan; /* has_plan: of a sweep that has not ended */
    void *text;
    size_t text_bytes;
} report;

/* *there: the folder holds the file. */
static rps_status report_has_file(const char *directory, const char *name, bool *there, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, directory, name, err));
    return rps_file_find(path, there, err);
}

rps_status report_run_find(const char *directory, rps_error *err) {
    static const char *const name[] = {RPS_FRAMES_FILE, RPS_SUMMARY_FILE, RPS_SERIES_FILE, RPS_SWEEP_FILE,
                                       RPS_SWEEP_PLAN};
    bool there = false;
    RPS_TRY(rps_file_find(directory, &there, err));
    if (!there)
        return rps_fail(err, RPS_IO_ERROR, "there is no folder %s; name one that `repose run -o` wrote", directory);
    if (!rps_is_directory(directory)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is a file; name the folder of the results", directory);
    }
    there = false;
    for (size_t k = 0; k < sizeof name / sizeof *name && !there; k++) {
        RPS_TRY(report_has_file(directory, name[k], &there, err));
    }
    if (there) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s holds no results: none of " RPS_FRAMES_FILE ", " RPS_SUMMARY_FILE ", " RPS_SERIES_FILE
                    " and " RPS_SWEEP_FILE " is there; name the folder that `repose run` or `repose sweep` got by -o",
                    directory);
}

/* A file of the results into r->text; *there is false, and no error, if it was not written. Zero bytes, which a disk may leave where
 * a file is damaged, become question marks: a text would end there. */
static rps_status report_read(report *r, const char *name, bool *there, rps_error *err) {
    char path[RPS_PATH];
    size_t count;
    RPS_TRY(report_has_file(r->directory, name, there, err));
    RPS_TRY(rps_path_join(path, r->directory, name, err));
    if (!*there) return RPS_OK;
    RPS_TRY(rps_file_read_bytes(path, &r->text, &r->text_bytes, &count, err));
    char *text = r->text;
    for (size_t k = 0; k < count; k++) text[k] = text[k] ? text[k] : '?';
    return RPS_OK;
}

/* A file of JSON as a block; *there is false if it was not written, or is damaged, which is noted. */
static rps_status report_put_file(report *r, const char *name, const char *id, bool *there, rps_error *err) {
    char block[32];
    RPS_TRY(report_read(r, name, there, err));
    if (!*there) return RPS_OK;
    const char *text = r->text;
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r\n", text[end - 1])) end--;
    if (text[0] != '{' || end == 0 || text[end - 1] != '}') {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s in %s is damaged: it is no JSON object that begins with { and ends with }; "
                        "remove it to show the rest",
                        name, r->directory);
    }
    snprintf(block, sizeof block, "%s%s", r->prefix, id);
    report_page_put_json(r->page, block, text);
    return RPS_OK;
}

/* --- frames -------------------------------------------------------------------------------------------------------- */

static rps_status report_write_frames(report *r, rps_error *err) {
    rps_json *json = &r->json;
    report_frames *frames = &r->frames;
    size_t number = 0;
    rps_json_open(json, "frames", '[', false);
    for (size_t f = report_frames_first(frames); f < frames->count; f += frames->stride, number++) {
        RPS_TRY(report_frames_write(frames, f, number, &r->page->out, err));
        rps_json_open(json, NULL, '{', true);
        rps_json_number(json, "time", frames->frame[f].time);
        rps_json_integer(json, "bodies", frames->frame[f].bodies);
        rps_json_integer(json, "contacts", frames->contacts);
        rps_json_integer(json, "bonds", frames->frame[f].bonds);
        rps_json_integer(json, "points", frames->points);
        rps_json_integer(json, "triangles", frames->triangles);
        RPS_TRY(report_frames_planes(frames, f, json, err));
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    return number > 0 ? report_frames_write_corners(frames, &r->page->out, err) : RPS_OK;
}

/* The size of the frames, which the page says at its end. */
static void report_tell_size(report *r) {
    const report_frames *frames = &r->frames;
    char told[160];
    const size_t shown = frames->count ? (frames->count - 1) / frames->stride + 1 : 0;
    const unsigned long long bodies = frames->count ? frames->frame[frames->count - 1].bodies : 0;
    rps_snprintf(told, sizeof told, "%zu %s of %llu bodies, %.1f MB in this page.", shown,
                 shown == 1 ? "frame" : "frames", bodies, 1e-6 * frames->written);
    rps_json_string(&r->json, "told", told);
}

static rps_status report_read_frames(report *r, rps_error *err) {
    rps_json *json = &r->json;
    r->frames.prefix = r->prefix;
    if (report_frames_drawable(&r->frames)) RPS_TRY(report_write_frames(r, err));
    report_frames_describe(&r->frames, json);
    report_tell_size(r);
    RPS_TRY(report_frames_text(&r->frames, "scene", &r->text, &r->text_bytes, err));
    rps_json_string(json, "scene", r->text);
    rps_json_string(json, "title", rps_results_reader_text(r->frames.reader, "title"));
    return RPS_OK;
}

/* --- notes --------------------------------------------------------------------------------------------------------- */

/* A sentence for the page alone. */
static void report_note(report *r, const char *sentence) {
    rps_json_string(&r->json, NULL, sentence);
}

/* A sentence for the page and for the one who gave the command. */
static void report_say(report *r, const char *sentence) {
    report_note(r, sentence);
    printf("%s: %s\n", r->directory, sentence);
}

/* Bodies and values that cannot be drawn as they are. */
static void report_note_lost(report *r) {
    const report_frames *frames = &r->frames;
    const rps_column *column;
    char note[256];
    if (frames->lost_most > 0) {
        snprintf(
            note, sizeof note,
            "In a frame up to %zu of the bodies are not shown: they flew off, more than three times the size of the "
            "rest away from it, or their places are no numbers.",
            frames->lost_most);
        report_say(r, note);
    }
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, RPS_RESULTS_BODIES, c)) != NULL; c++) {
        if (!frames->range[RPS_RESULTS_BODIES][c].odd || strcmp(column->name, "position") == 0) continue;
        snprintf(note, sizeof note, "The field `%s` holds values that are not finite; they are grey.", column->name);
        report_say(r, note);
    }
}

static void report_note_frames(report *r) {
    const report_frames *frames = &r->frames;
    char note[256];
    if (!report_frames_drawable(frames)) {
        report_say(r, "The scene left out the positions of bodies, so there are no grains to draw.");
    }
    if (rps_results_reader_indexed(frames->reader) > frames->count) {
        report_say(r, RPS_FRAMES_FILE " is damaged at its end; the frames before are shown.");
    }
    if (frames->stride > 1) {
        snprintf(note, sizeof note,
                 "Of the %zu frames one in %zu is shown, so that the page opens fast; --size allows more.",
                 frames->count, frames->stride);
        report_say(r, note);
    }
    if (frames->contacts_left_out) {
        snprintf(note, sizeof note,
                 "Of each frame the %llu contacts with the largest loads are shown; --size allows more.",
                 (unsigned long long)frames->contacts_most);
        report_say(r, note);
    }
    report_note_lost(r);
    if (frames->fields_left_out) report_say(r, "Some fields of bodies are left out; --size allows more.");
    if (frames->surfaces_left_out) {
        report_say(r,
                   "Surfaces of bodies are left out, and grains are drawn as spheres around them; --size allows more.");
    }
}

static void report_notes(report *r, bool has_summary, bool has_points, bool long_series, bool long_points) {
    const bool sweep = r->has_sweep || r->has_plan;
    rps_json_open(&r->json, "notes", '[', false);
    if (r->has_frames) report_note_frames(r);
    if (!r->has_frames && !sweep) {
        report_say(r, "There is no " RPS_FRAMES_FILE ", so there are no grains to draw.");
    }
    if (!has_summary && !sweep) {
        report_say(r,
                   "There is no " RPS_SUMMARY_FILE ": the run goes on, or it was killed; `repose run --resume` goes on "
                   "with it.");
    }
    if (r->has_plan) {
        report_say(r, "There is no " RPS_SWEEP_FILE
                      ": the sweep goes on, was stopped or is a part. What is there is shown; "
                      "`repose sweep --resume` goes on with it, --join puts parts together.");
    }
    if (sweep && !has_points) report_say(r, "There is no " RPS_SWEEP_TABLE ", so there are no points to show.");
    if (long_points) report_say(r, "The table of the sweep is longer than 32 MiB and left out.");
    if (long_series)
        report_say(r, RPS_SERIES_FILE " is longer than 32 MiB and left out; `repose plot` draws its curves.");
    rps_json_close(&r->json, ']');
}

/* --- all ----------------------------------------------------------------------------------------------------------- */

/* The last part of the folder's path; of "." the folder where the command runs. */
static void report_name(report *r) {
    char here[RPS_PATH];
    const char *path = r->directory;
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    if (end == 1 && path[0] == '.' && getcwd(here, sizeof here)) {
        path = here;
        end = strlen(here);
    }
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    char *name = here;
    const size_t length = end - begin < sizeof here - 1 ? end - begin : sizeof here - 1;
    memmove(name, path + begin, length);
    name[length] = '\0';
    rps_json_string(&r->json, "name", length ? name : "run");
}

/* A table of the results as a member of the head; *left_out if it is too long for a browser. */
static rps_status report_put_table(report *r, const char *name, const char *key, bool *left_out, rps_error *err) {
    bool there;
    RPS_TRY(report_read(r, name, &there, err));
    *left_out = there && strlen(r->text) > REPORT_TEXT_MOST;
    if (there && !*left_out) rps_json_string(&r->json, key, r->text);
    return RPS_OK;
}

/* The table of a sweep; of a bisection that has not ended that of its runs. */
static rps_status report_put_points(report *r, bool *there, bool *left_out, rps_error *err) {
    bool runs = false;
    if (r->has_plan) RPS_TRY(report_has_file(r->directory, RPS_SWEEP_RUNS, &runs, err));
    const char *name = runs ? RPS_SWEEP_RUNS : RPS_SWEEP_TABLE;
    RPS_TRY(report_has_file(r->directory, name, there, err));
    return report_put_table(r, name, "table", left_out, err);
}

static rps_status report_write_data(report *r, double bytes, rps_error *err) {
    bool has_summary, has_points, long_series, long_points;
    rps_json *json = &r->json;
    char id[32];
    RPS_TRY(report_put_file(r, RPS_SUMMARY_FILE, "summary", &has_summary, err));
    RPS_TRY(report_put_file(r, RPS_SWEEP_FILE, "sweep", &r->has_sweep, err));
    if (!r->has_sweep) RPS_TRY(report_put_file(r, RPS_SWEEP_PLAN, "sweep", &r->has_plan, err));
    rps_json_open(json, NULL, '{', false);
    report_name(r);
    RPS_TRY(report_has_file(r->directory, RPS_FRAMES_FILE, &r->has_frames, err));
    if (r->has_frames) {
        RPS_TRY(report_frames_open(&r->frames, r->directory, report_packing * bytes, err));
        RPS_TRY(report_read_frames(r, err));
    }
    RPS_TRY(report_put_table(r, RPS_SERIES_FILE, "series", &long_series, err));
    RPS_TRY(report_put_points(r, &has_points, &long_points, err));
    report_notes(r, has_summary, has_points, long_series, long_points);
    rps_json_close(json, '}');
    if (json->text.status != RPS_OK) return rps_fail(err, json->text.status, "no memory for the report");
    snprintf(id, sizeof id, "%shead", r->prefix);
    report_page_put_json(r->page, id, rps_text_string(&json->text));
    return RPS_OK;
}

rps_status report_run_write(report_page *page, const char *directory, int number, double bytes, rps_error *err) {
    report r = {.page = page, .directory = directory};
    if (number > 0) snprintf(r.prefix, sizeof r.prefix, "run-%d-", number);
    rps_json_init(&r.json, NULL);
    const rps_status status = report_write_data(&r, bytes, err);
    report_frames_release(&r.frames);
    rps_json_release(&r.json);
    rps_buffer_release(NULL, &r.text, &r.text_bytes);
    return status;
}
