/* repose report: one HTML file with runs in it, which any browser opens without a network. */
#include "report_run.h"

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { REPORT_RUNS_MOST = 12 };

/* MB */
static const double report_size_least = 0.001, report_size_most = 1000.0, report_size = 150.0;

typedef struct report_request {
    const cli_command *command;
    const char *output;
    double megabytes;
} report_request;

static rps_status report_write(const report_request *r, char **directory, int count, const char *output,
                               rps_error *err) {
    report_page page;
    rps_status status = RPS_OK;
    for (int k = 0; k < count; k++) RPS_TRY(report_run_find(directory[k], err));
    RPS_TRY(report_page_begin(&page, output, err));
    for (int k = 0; k < count && status == RPS_OK; k++) {
        status = report_run_write(&page, directory[k], k, 1e6 * r->megabytes / count, err);
    }
    const rps_status ended = report_page_end(&page, status == RPS_OK, err);
    return status == RPS_OK ? ended : status;
}

static int cmd_report_take(void *context, int option, const char *argument) {
    report_request *r = context;
    const char *name = r->command->option[option].name;
    if (strcmp(name, "output") == 0) r->output = argument;
    if (strcmp(name, "size") == 0) {
        char *end;
        r->megabytes = strtod(argument, &end);
        if (end == argument || *end || !(r->megabytes >= report_size_least && r->megabytes <= report_size_most)) {
            return cli_usage_error(r->command, "--size takes a number from %g to %g, not \"%s\"", report_size_least,
                                   report_size_most, argument);
        }
    }
    return CLI_OK;
}

static int cmd_report_run(const cli_command *command, int argc, char **argv) {
    report_request r = {.command = command, .megabytes = report_size};
    char path[RPS_PATH];
    int first;
    rps_error err;
    struct stat file;
    const int parsed = cli_parse(command, argc, argv, &first, cmd_report_take, &r);
    if (parsed != CLI_OK) return parsed < 0 ? CLI_OK : parsed;
    const int count = argc - first;
    if (count < 1) return cli_usage_error(command, "name a directory of results");
    if (count > REPORT_RUNS_MOST) {
        return cli_usage_error(command, "%d directories are more than the %d that a page shows", count,
                               REPORT_RUNS_MOST);
    }
    if (count > 1 && !r.output) return cli_usage_error(command, "name the page of several runs by -o FILE.html");
    rps_status status = r.output ? RPS_OK : rps_path_join(path, argv[first], "report.html", &err);
    if (!r.output) r.output = path;
    if (status == RPS_OK) status = report_write(&r, argv + first, count, r.output, &err);
    if (status != RPS_OK) return cli_failed(&err);
    printf("wrote %s", r.output);
    if (stat(r.output, &file) == 0 && S_ISREG(file.st_mode)) printf(", %.1f MB", 1e-6 * (double)file.st_size);
    printf("\n");
    return CLI_OK;
}

const cli_command cli_report = {
    .name = "report",
    .usage = "report DIR... [-o FILE.html] [--size MB]",
    .summary = "write runs as a page that a browser opens: grains, curves, checks",
    .more =
        "The page needs no network and holds all that it shows. Several runs, as variants of a scene, stand side by\n"
        "side; a DIR of `repose sweep` is shown as a map. Where a run has more than the page may hold, fields, weak\n"
        "contacts and then frames are left out, and the command and the page say so.",
    .example = "  repose report results/pile                # writes results/pile/report.html\n"
               "  repose report results/a results/b -o both.html",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"output", 'o', "FILE", "the page, replaced if it is there (DIR/report.html)"},
               {"size", 0, "MB", "about how large the data of the page may be (150)"}},
    .run = cmd_report_run,
};
