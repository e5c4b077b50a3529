/* repose info: what a file or directory of results holds. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/read_results.h"
#include "io/state.h"

static void print_part(const rps_results_reader *reader, rps_results_part part, const char *title) {
    static const char *const type[] = {"double", "int32", "uint64"};
    printf("%s\n", title);
    for (size_t i = 0; rps_results_reader_column(reader, part, i); i++) {
        const rps_column *c = rps_results_reader_column(reader, part, i);
        char kind[32];
        snprintf(kind, sizeof kind, c->components > 1 ? "%s x %d" : "%s", type[c->type], c->components);
        printf("  %-22s %-10s %-10s %s\n", c->name, kind, strcmp(c->unit, "1") == 0 ? "-" : c->unit, c->meaning);
    }
}

static int show_results(const char *path) {
    rps_results_reader *reader;
    rps_error err;
    if (rps_results_open(path, NULL, &reader, &err) != RPS_OK) {
        return cli_failed(&err);
    }
    size_t frames;
    const rps_frame *frame = rps_results_reader_frames(reader, &frames);
    printf("title     %s\nversion   %s\n", rps_results_reader_text(reader, "title"),
           rps_results_reader_text(reader, "version"));
    if (rps_results_reader_text(reader, "variant")[0]) {
        printf("variant   %s\n", rps_results_reader_text(reader, "variant"));
    }
    printf("frames    %zu\n", frames);
    if (frames > 0) {
        const rps_frame *last = &frame[frames - 1];
        printf("times     %.9g to %.9g s, steps %llu to %llu\n", frame[0].time, last->time,
               (unsigned long long)frame[0].step, (unsigned long long)last->step);
        printf("bodies    %llu at first, %llu at last\ncontacts  %llu at first, %llu at last\n",
               (unsigned long long)frame[0].bodies, (unsigned long long)last->bodies,
               (unsigned long long)frame[0].contacts, (unsigned long long)last->contacts);
    }
    print_part(reader, RPS_RESULTS_BODIES, "fields of bodies");
    print_part(reader, RPS_RESULTS_CONTACTS, "fields of contacts");
    if (rps_results_reader_column(reader, RPS_RESULTS_JOINTS, 0)) {
        print_part(reader, RPS_RESULTS_JOINTS, "fields of joints");
    }
    rps_results_reader_close(reader);
    return CLI_OK;
}

static int show_checkpoint(const char *path) {
    rps_checkpoint *c;
    rps_error err;
    rps_state_info state;
    if (rps_checkpoint_open(path, NULL, &c, &err) != RPS_OK) {
        return cli_failed(&err);
    }
    rps_status status = rps_state_look(c, &state, &err);
    static const char *const line[][2] = {
        {"run/title", "title"}, {"scene/path", "scene"}, {"run/variant", "variant"}, {"run/version", "version"}};
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        const char *text;
        if (rps_checkpoint_text(c, line[k][0], &text, NULL, NULL) == RPS_OK && text[0]) {
            printf("%-10s %s\n", line[k][1], text);
        }
    }
    if (status == RPS_OK) {
        printf("format     %d\nstep       %llu\ntime       %.9g s\nbodies     %llu\ncontacts   %llu\n",
               (int)RPS_CHECKPOINT_FORMAT, (unsigned long long)state.steps, state.time,
               (unsigned long long)state.bodies, (unsigned long long)state.contacts);
        printf("state_hash %016llx%016llx\n", (unsigned long long)state.hash[0], (unsigned long long)state.hash[1]);
    }
    rps_checkpoint_close(c);
    return status == RPS_OK ? CLI_OK : cli_failed(&err);
}

static int show_text(const char *path) {
    FILE *file = fopen(path, "r");
    rps_error err;
    if (!file) {
        rps_file_fail(&err, "read", path, errno);
        return cli_failed(&err);
    }
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) {
        fwrite(part, 1, n, stdout);
    }
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error == 0) return CLI_OK;
    rps_file_fail(&err, "read", path, error);
    return cli_failed(&err);
}

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static int take(void *context, int option, const char *argument) {
    (void)context, (void)option, (void)argument;
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    int first;
    int status = cli_parse(command, argc, argv, &first, take, NULL);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (argc - first != 1) {
        return cli_usage_error(command, "name one file or directory of results");
    }
    const char *path = argv[first];
    if (ends_with(path, ".json")) {
        return show_text(path);
    }
    if (ends_with(path, ".ckpt")) {
        return show_checkpoint(path);
    }
    char summary[RPS_PATH], results[RPS_PATH];
    bool has_summary, has_results;
    rps_error err;
    if (!rps_is_directory(path)) {
        return show_results(path);
    }
    if (rps_path_join(summary, path, "summary.json", &err) != RPS_OK ||
        rps_path_join(results, path, "run.h5", &err) != RPS_OK ||
        rps_file_find(summary, &has_summary, &err) != RPS_OK || rps_file_find(results, &has_results, &err) != RPS_OK) {
        return cli_failed(&err);
    }
    if (!has_summary && !has_results) {
        rps_fail(&err, RPS_BAD_INPUT, "%s holds no results: neither run.h5 nor summary.json is there", path);
        return cli_failed(&err);
    }
    status = has_results ? show_results(path) : CLI_OK;
    return status == CLI_OK && has_summary ? show_text(summary) : status;
}

const cli_command cli_info = {
    .name = "info",
    .usage = "info FILE|DIR",
    .summary = "say what a run.h5, a summary.json, a checkpoint or a directory of results holds",
    .option = {{NULL, 0, NULL, NULL}},
    .run = run,
};
