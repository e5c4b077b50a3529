/* repose info: the contents of a result file or directory, or the differences between two. */
#include "compare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/file_names.h"
#include "io/read_results.h"
#include "io/state.h"
#include "io/sums.h"
#include "run/writer.h"

static void print_part(const rps_results_reader *reader, rps_results_part part, const char *title) {
    static const char *const type[] = {"double", "int32", "uint64"};
    printf("%s\n", title);
    for (size_t i = 0; rps_results_reader_column(reader, part, i); i++) {
        const rps_column *c = rps_results_reader_column(reader, part, i);
        char kind[32];
        const bool single = c->type == RPS_TYPE_double && rps_results_reader_single(reader, part);
        snprintf(kind, sizeof kind, c->components > 1 ? "%s x %d" : "%s", single ? "float" : type[c->type],
                 c->components);
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
    const bool contacts = rps_results_reader_column(reader, RPS_RESULTS_CONTACTS, 0) != NULL;
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
        printf("bodies    %llu at first, %llu at last\n", (unsigned long long)frame[0].bodies,
               (unsigned long long)last->bodies);
        if (contacts) {
            printf("contacts  %llu at first, %llu at last\n", (unsigned long long)frame[0].contacts,
                   (unsigned long long)last->contacts);
        }
    }
    if (frames > 0 && rps_results_reader_column(reader, RPS_RESULTS_BONDS, 0)) {
        printf("bonds     %llu at first, %llu at last, broken ones included\n", (unsigned long long)frame[0].bonds,
               (unsigned long long)frame[frames - 1].bonds);
    }
    if (!contacts) printf("contacts  not written (output.contacts: no)\n");
    print_part(reader, RPS_RESULTS_BODIES, "fields of bodies");
    if (contacts) print_part(reader, RPS_RESULTS_CONTACTS, "fields of contacts");
    if (rps_results_reader_column(reader, RPS_RESULTS_BONDS, 0)) {
        print_part(reader, RPS_RESULTS_BONDS, "fields of bonds");
    }
    if (rps_results_reader_column(reader, RPS_RESULTS_JOINTS, 0)) {
        print_part(reader, RPS_RESULTS_JOINTS, "fields of joints");
    }
    if (rps_results_reader_column(reader, RPS_RESULTS_LOADS, 0)) {
        char title[96];
        snprintf(title, sizeof title, "fields of loads, on %llu triangles (" RPS_LOADS_XDMF ")",
                 (unsigned long long)rps_results_reader_rows(reader, RPS_RESULTS_LOADS));
        print_part(reader, RPS_RESULTS_LOADS, title);
    }
    if (rps_results_reader_column(reader, RPS_RESULTS_PROFILES, 0)) {
        char title[96];
        snprintf(title, sizeof title, "fields of profiles, in %llu bins",
                 (unsigned long long)rps_results_reader_rows(reader, RPS_RESULTS_PROFILES));
        print_part(reader, RPS_RESULTS_PROFILES, title);
    }
    rps_results_reader_close(reader);
    return CLI_OK;
}

/* Compares every frame with its checksums. */
static int check_results(const char *path) {
    char file[RPS_PATH];
    rps_error err;
    size_t whole;
    bool any;
    rps_status status = rps_path_join(file, rps_is_directory(path) ? path : NULL,
                                      rps_is_directory(path) ? RPS_FRAMES_FILE : path, &err);
    if (status == RPS_OK) status = rps_sums_check(file, NULL, SIZE_MAX, &whole, &any, &err);
    if (status != RPS_OK) return cli_failed(&err);
    if (any) {
        printf("checked   all of the %zu frames are as they were written\n", whole);
    } else {
        printf("checked   nothing: the file is of an earlier version and has no checksums\n");
    }
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

static bool cmd_info_ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static int cmd_info_take(void *context, int option, const char *argument) {
    bool *check = context;
    (void)option, (void)argument;
    *check = true;
    return CLI_OK;
}

/* Files of writers that are in the directory, beside run.h5, which is shown. */
static void show_files(const char *directory) {
    const rps_writer *writer;
    for (int w = 0; (writer = rps_writer_at(w)) != NULL; w++) {
        char path[RPS_PATH];
        if (writer == &rps_writer_frames) continue;
        if (rps_path_join(path, directory, writer->file[0], NULL) == RPS_OK && rps_file_exists(path)) {
            printf("%-9s %s: %s\n", rps_writer_name(w), writer->file[0], writer->what);
        }
    }
}

enum { INFO_FRAMES, INFO_SUMMARY, INFO_SWEEP, INFO_PLAN, INFO_SERIES, INFO_FILES };

static int show_directory(const char *path) {
    static const char *const name[INFO_FILES] = {RPS_FRAMES_FILE, RPS_SUMMARY_FILE, RPS_SWEEP_FILE, RPS_SWEEP_PLAN,
                                                 RPS_SERIES_FILE};
    char file[INFO_FILES][RPS_PATH];
    bool there[INFO_FILES];
    rps_error err;
    for (int k = 0; k < INFO_FILES; k++) {
        if (rps_path_join(file[k], path, name[k], &err) != RPS_OK || rps_file_find(file[k], &there[k], &err) != RPS_OK)
            return cli_failed(&err);
    }
    if (there[INFO_FRAMES] || there[INFO_SUMMARY]) {
        const int status = there[INFO_FRAMES] ? show_results(path) : CLI_OK;
        if (status == CLI_OK && there[INFO_FRAMES]) show_files(path);
        return status == CLI_OK && there[INFO_SUMMARY] ? show_text(file[INFO_SUMMARY]) : status;
    }
    if (there[INFO_SWEEP]) return show_text(file[INFO_SWEEP]);
    if (there[INFO_PLAN]) {
        printf("the plan of a sweep that goes on, was stopped or is a part: there is no " RPS_SWEEP_FILE "\n");
        const int status = show_text(file[INFO_PLAN]);
        printf("\n");
        return status;
    }
    if (there[INFO_SERIES]) {
        printf("a run that goes on or was killed, without frames: there is a " RPS_SERIES_FILE " alone; "
               "`repose plot` draws it\n");
        return CLI_OK;
    }
    rps_fail(&err, RPS_BAD_INPUT,
             "%s holds no results: none of " RPS_FRAMES_FILE ", " RPS_SUMMARY_FILE ", " RPS_SERIES_FILE
             " and " RPS_SWEEP_FILE " is there; name the folder that `repose run` or `repose sweep` got by -o",
             path);
    return cli_failed(&err);
}

static int cmd_info_run(const cli_command *command, int argc, char **argv) {
    int first;
    bool check = false;
    int status = cli_parse(command, argc, argv, &first, cmd_info_take, &check);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (argc - first == 2 && !check) {
        return cli_compare(argv[first], argv[first + 1]);
    }
    if (argc - first != 1) {
        return cli_usage_error(command, check ? "--check takes one file or directory of results"
                                              : "name one file or directory of results, or two to compare");
    }
    const char *path = argv[first];
    if (check) {
        return check_results(path);
    }
    if (cmd_info_ends_with(path, ".json")) {
        return show_text(path);
    }
    if (cmd_info_ends_with(path, ".ckpt")) {
        return show_checkpoint(path);
    }
    return rps_is_directory(path) ? show_directory(path) : show_results(path);
}

const cli_command cli_info = {
    .name = "info",
    .usage = "info [--check] FILE|DIR [FILE|DIR]",
    .summary = "say what a " RPS_FRAMES_FILE ", a " RPS_SUMMARY_FILE
               ", a checkpoint or a directory of results holds, or how two differ",
    .more = "Two checkpoints, two " RPS_FRAMES_FILE
            " or two directories are compared bit by bit: the blocks of 4096 ids whose "
            "hashes differ,\n"
            "the first frame that differs, and which fields of which bodies and contacts, with their values. Of "
            "directories the\n" RPS_FRAMES_FILE " and the latest checkpoints of one step are compared.",
    .example = "  repose info results/pile\n"
               "  repose info results/pile results/other",
    .status =
        "  0        success; of two: they are equal\n" CLI_STATUS_ERROR CLI_STATUS_USAGE "  3        they differ\n",
    .option = {{"check", 0, NULL, "read all frames of a " RPS_FRAMES_FILE " and compare them with their checksums"},
               {NULL, 0, NULL, NULL}},
    .run = cmd_info_run,
};
