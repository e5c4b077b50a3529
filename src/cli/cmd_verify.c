/* repose verify: evaluates the checks in scenes, as a table and as JSON. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "base/threads.h"

typedef struct request {
    const cli_command *command;
    rps_verify_options options;
} request;

static int cmd_verify_take(void *context, int option, const char *argument) {
    request *r = context;
    const char *name = r->command->option[option].name;
    if (strcmp(name, "json") == 0) {
        r->options.json = argument;
        return CLI_OK;
    }
    if (strcmp(name, "isa") == 0) {
        return cli_isa(r->command, argument, &r->options.isa) ? CLI_OK : CLI_USAGE;
    }
    return cli_integer(r->command, name, argument, 1, RPS_THREADS_MOST, &r->options.jobs) ? CLI_OK : CLI_USAGE;
}

static void show(void *context, const rps_check_row *row) {
    (void)context;
    cli_print_check(row, true);
    fflush(stdout);
}

static int cmd_verify_run(const cli_command *command, int argc, char **argv) {
    request r = {command, rps_verify_options_default()};
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_verify_take, &r);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (first == argc) {
        return cli_usage_error(command, "which scenes?");
    }
    r.options.path = (const char *const *)argv + first;
    r.options.paths = (size_t)(argc - first);
    r.options.row = show;
    rps_verify_summary summary;
    rps_error err;
    cli_input input = {.read = false};
    rps_status verified = RPS_OK;
    for (int k = first; k < argc && verified == RPS_OK; k++) {
        if (cli_is_input(argv[k])) verified = cli_read_input(&input, &err);
    }
    r.options.text = input.text;
    r.options.text_bytes = input.bytes;
    if (verified == RPS_OK) {
        cli_print_check_head();
        verified = rps_verify(&r.options, &summary, &err);
    }
    cli_release_input(&input);
    if (verified != RPS_OK) return cli_failed(&err);
    printf("%zu scenes, %zu runs: %zu checks passed, %zu failed\n", summary.scenes, summary.runs, summary.passed,
           summary.failed);
    return summary.failed ? CLI_CHECKS : CLI_OK;
}

const cli_command cli_verify = {
    .name = "verify",
    .usage = "verify SCENE|DIR... [--json FILE] [--jobs N]",
    .summary = "run scenes with all their variants and compare with the checks they carry",
    .more = "Directories are searched for *.yaml but *.part.yaml, which scenes include.\n"
            "A scene that does not load or run counts as a failed check. - is a scene from the standard input.",
    .example = "  repose verify scenes --jobs 2",
    .status = "  0        every check holds\n" CLI_STATUS_ERROR CLI_STATUS_USAGE "  3        a check fails\n",
    .option = {{"json", 0, "FILE", "write {\"checks\": [...]} as well"},
               {"jobs", 'j', "N", "scenes at a time (as many as the machine has processors)"},
               {"isa", 0, "NAME", "instruction set sse2, avx2 or avx512 (the best that the machine has)"}},
    .run = cmd_verify_run,
};
