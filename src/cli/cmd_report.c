/* repose report: one HTML file with the run in it, which any browser opens without a network. The results stand in it as
 * blocks of data. */
#include "report_frames.h"
#include "report_page.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { REPORT_SERIES_MOST = 32 << 20 }; /* bytes of series.csv that a browser reads without a wait */

typedef struct report {
    const cli_command *command;
    const char *output, *directory;
    report_frames frames;
    report_page page;
    rps_json json;
    bool has_frames;
    void *text;
    size_t text_bytes;
} report;

/* A file of the results into r->text; *there is false, and no error, if it was not written. */
static rps_status report_read(report *r, const char *name, bool *there, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, r->directory, name, err));
    RPS_TRY(rps_file_find(path, there, err));
    return *there ? rps_file_read(path, &r->text, &r->text_bytes, err) : RPS_OK;
}

static rps_status report_write_frames(report *r, rps_error *err) {
    rps_json *json = &r->json;
    size_t number = 0;
    rps_json_open(json, "frames", '[', false);
    for (size_t f = report_frames_first(&r->frames); f < r->frames.count; f += r->frames.stride, number++) {
        const rps_frame *frame = &r->frames.frame[f];
        const bool contacts = rps_results_reader_column(r->frames.reader, RPS_RESULTS_CONTACTS, 0) != NULL;
        RPS_TRY(report_frames_write(&r->frames, f, number, &r->page.out, err));
        rps_json_open(json, NULL, '{', true);
        rps_json_number(json, "time", frame->time);
        rps_json_integer(json, "bodies", frame->bodies);
        rps_json_integer(json, "contacts", contacts ? frame->contacts : 0);
        rps_json_integer(json, "points", r->frames.points);
        rps_json_integer(json, "triangles", r->frames.triangles);
        RPS_TRY(report_frames_planes(&r->frames, f, json, err));
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    return report_frames_write_corners(&r->frames, &r->page.out, err);
}

static rps_status report_write_notes(report *r, bool has_summary, bool long_series) {
    rps_json *json = &r->json;
    char note[160];
    rps_json_open(json, "notes", '[', false);
    if (!r->has_frames) rps_json_string(json, NULL, "There is no " RPS_FRAMES_FILE ", so there are no grains to draw.");
    if (r->has_frames && !report_frames_drawable(&r->frames)) {
        rps_json_string(json, NULL, "The scene left out the positions of bodies, so there are no grains to draw.");
    }
    if (!has_summary) {
        rps_json_string(json, NULL,
                        "There is no " RPS_SUMMARY_FILE ": the run goes on, or it was killed; "
                        "`repose run --resume` goes on with it.");
    }
    if (long_series) {
        rps_json_string(json, NULL,
                        RPS_SERIES_FILE " is longer than 32 MiB and left out; `repose plot` draws its curves.");
    }
    if (r->has_frames && rps_results_reader_indexed(r->frames.reader) > r->frames.count) {
        rps_json_string(json, NULL, RPS_FRAMES_FILE " is damaged at its end; the frames before are shown.");
    }
    if (r->has_frames && r->frames.stride > 1) {
        snprintf(note, sizeof note,
                 "The run has %zu frames; every %zuth of them is shown, so that the page opens fast.", r->frames.count,
                 r->frames.stride);
        rps_json_string(json, NULL, note);
        printf("%s\n", note);
    }
    rps_json_close(json, ']');
    return json->text.status;
}

static rps_status report_write_data(report *r, rps_error *err) {
    bool has_summary, has_series;
    rps_json *json = &r->json;
    RPS_TRY(report_read(r, RPS_SUMMARY_FILE, &has_summary, err));
    if (has_summary) report_page_put_json(&r->page, "summary", r->text);
    rps_json_open(json, NULL, '{', false);
    if (r->has_frames) {
        if (report_frames_drawable(&r->frames)) RPS_TRY(report_write_frames(r, err));
        report_frames_describe(&r->frames, json);
        RPS_TRY(report_frames_text(&r->frames, "scene", &r->text, &r->text_bytes, err));
        rps_json_string(json, "scene", r->text);
        rps_json_string(json, "title", rps_results_reader_text(r->frames.reader, "title"));
    }
    RPS_TRY(report_read(r, RPS_SERIES_FILE, &has_series, err));
    const bool long_series = has_series && strlen(r->text) > REPORT_SERIES_MOST;
    if (has_series && !long_series) rps_json_string(json, "series", r->text);
    report_write_notes(r, has_summary, long_series);
    rps_json_close(json, '}');
    if (json->text.status != RPS_OK) return rps_fail(err, json->text.status, "no memory for the report");
    report_page_put_json(&r->page, "head", rps_text_string(&json->text));
    return RPS_OK;
}

static rps_status report_write(report *r, rps_error *err) {
    bool has_summary;
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, r->directory, RPS_FRAMES_FILE, err));
    RPS_TRY(rps_file_find(path, &r->has_frames, err));
    RPS_TRY(rps_path_join(path, r->directory, RPS_SUMMARY_FILE, err));
    RPS_TRY(rps_file_find(path, &has_summary, err));
    if (!r->has_frames && !has_summary) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s holds no results: neither " RPS_FRAMES_FILE " nor " RPS_SUMMARY_FILE " is there",
                        r->directory);
    }
    if (r->has_frames) RPS_TRY(report_frames_open(&r->frames, r->directory, err));
    RPS_TRY(report_page_begin(&r->page, r->output, err));
    const rps_status status = report_write_data(r, err);
    const rps_status ended = report_page_end(&r->page, status == RPS_OK, err);
    return status == RPS_OK ? ended : status;
}

static int cmd_report_take(void *context, int option, const char *argument) {
    report *r = context;
    (void)option;
    r->output = argument;
    return CLI_OK;
}

static int cmd_report_run(const cli_command *command, int argc, char **argv) {
    report r = {.command = command};
    char path[RPS_PATH];
    int first;
    rps_error err;
    const int parsed = cli_parse(command, argc, argv, &first, cmd_report_take, &r);
    if (parsed != CLI_OK) return parsed < 0 ? CLI_OK : parsed;
    if (argc - first != 1) return cli_usage_error(command, "name one directory of results");
    r.directory = argv[first];
    rps_status status = r.output ? RPS_OK : rps_path_join(path, r.directory, "report.html", &err);
    if (!r.output) r.output = path;
    rps_json_init(&r.json, NULL);
    if (status == RPS_OK) status = report_write(&r, &err);
    report_frames_release(&r.frames);
    rps_json_release(&r.json);
    rps_buffer_release(NULL, &r.text, &r.text_bytes);
    if (status != RPS_OK) return cli_failed(&err);
    printf("wrote %s\n", r.output);
    return CLI_OK;
}

const cli_command cli_report = {
    .name = "report",
    .usage = "report DIR [-o FILE.html]",
    .summary = "write a run as a page that a browser opens: grains, curves, checks",
    .more = "The page needs no network and holds all that it shows. Runs with many bodies are shown with fewer frames.",
    .example = "  repose report results/pile                # writes results/pile/report.html\n",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"output", 'o', "FILE", "the page, replaced if it is there (DIR/report.html)"}},
    .run = cmd_report_run,
};
