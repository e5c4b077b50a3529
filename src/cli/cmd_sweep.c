/* repose sweep: runs a scene over ranges of its parameters; writes a table and a figure. */
#include "cli.h"

#include <math.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/threads.h"

enum { FAILED_RUNS = 10, FAILED_MOST = 100 }; /* exit status: 10 + number of failed rows */

typedef struct request {
    const cli_command *command;
    rps_sweep_options options;
    const char *set[CLI_SETS], *vary[CLI_SETS], *measure[CLI_SETS];
    bool quiet, terminal, join;
} request;

/* Appends one argument of a repeatable option. */
static int cmd_sweep_add(request *r, const char *name, const char *argument, const char **list, size_t *count) {
    if (*count == CLI_SETS) return cli_usage_error(r->command, "more than %d --%s", CLI_SETS, name);
    list[(*count)++] = argument;
    return CLI_OK;
}

/* A:B, A:+N, or A: for all from A on. */
static int take_points(request *r, const char *argument) {
    rps_sweep_options *options = &r->options;
    char *end = NULL;
    const bool first = isdigit((unsigned char)argument[0]);
    const unsigned long long from = first ? strtoull(argument, &end, 10) : 0;
    const bool plus = first && *end == ':' && end[1] == '+';
    const char *rest = first && *end == ':' ? end + 1 + plus : NULL;
    unsigned long long to = 0;
    bool good = rest && (isdigit((unsigned char)*rest) || (!*rest && !plus));
    if (good && *rest) {
        to = strtoull(rest, &end, 10);
        good = !*end && to > 0;
    }
    if (good && plus) to = to > SIZE_MAX - from ? SIZE_MAX : from + to;
    if (!good || from == SIZE_MAX || (to && to <= from)) {
        return cli_usage_error(
            r->command, "--points takes A:B, the points from A to before B, or A:+N, N points from A; not \"%s\"",
            argument);
    }
    options->points_from = (size_t)from;
    options->points_to = (size_t)to;
    return CLI_OK;
}

static int cmd_sweep_take(void *context, int option, const char *argument) {
    request *r = context;
    rps_sweep_options *options = &r->options;
    const char *name = r->command->option[option].name;
    if (strcmp(name, "vary") == 0) return cmd_sweep_add(r, name, argument, r->vary, &options->varies);
    if (strcmp(name, "measure") == 0) return cmd_sweep_add(r, name, argument, r->measure, &options->measures);
    if (strcmp(name, "set") == 0) {
        if (!strchr(argument, '=') || argument[0] == '=') {
            return cli_usage_error(r->command, "--set takes path=value, not \"%s\"", argument);
        }
        return cmd_sweep_add(r, name, argument, r->set, &options->sets);
    }
    if (strcmp(name, "find") == 0) options->find = argument;
    if (strcmp(name, "output") == 0) options->directory = argument;
    if (strcmp(name, "variant") == 0) options->variant = argument;
    if (strcmp(name, "resume") == 0) options->resume = true;
    if (strcmp(name, "overwrite") == 0) options->overwrite = true;
    if (strcmp(name, "quiet") == 0) r->quiet = true;
    if (strcmp(name, "count") == 0) options->count = true;
    if (strcmp(name, "join") == 0) r->join = true;
    if (strcmp(name, "points") == 0) return take_points(r, argument);
    if (strcmp(name, "isa") == 0) return cli_isa(r->command, argument, &options->isa) ? CLI_OK : CLI_USAGE;
    if (strcmp(name, "jobs") == 0)
        return cli_integer(r->command, name, argument, 1, RPS_THREADS_MOST, &options->jobs) ? CLI_OK : CLI_USAGE;
    return CLI_OK;
}

static void cmd_sweep_show_progress(void *context, const rps_sweep_progress *p) {
    const request *r = context;
    printf("%s%zu of %zu points  %zu runs", r->terminal ? "\r\033[K" : "", p->points_done, p->points, p->runs);
    if (p->failed) printf(", %zu failed", p->failed);
    printf("  %.0f s", p->wall_seconds);
    if (!isnan(p->remaining) && !p->last) printf("  ETA %.0f s", p->remaining);
    printf(r->terminal && !p->last ? "" : "\n");
    fflush(stdout);
}

static void cmd_sweep_show_row(void *context, const char *line) {
    (void)context;
    fputs(line, stdout);
}

static const char *verdict_of(const rps_check_row *row) {
    if (row->known) return row->passed ? "stale" : "known";
    return row->passed ? "pass" : "FAIL";
}

static void cmd_sweep_show_check(void *context, const rps_check_row *row) {
    FILE *to = ((const request *)context)->options.directory ? stdout : stderr; /* beside the table */
    const cli_ink ink = row->known ? CLI_YELLOW : row->passed ? CLI_GREEN : CLI_RED;
    cli_label(to, ink, verdict_of(row));
    fprintf(to, "%*s %-12.8g  %-12.8g  %-10.4g  %s%s%s%s\n", (int)(5 - strlen(verdict_of(row))), "", row->expected,
            row->measured, row->tolerance, row->check, strcmp(row->unit, "1") ? " [" : "",
            strcmp(row->unit, "1") ? row->unit : "", strcmp(row->unit, "1") ? "]" : "");
    if (row->note[0]) fprintf(to, "      %s\n", row->note);
    if (row->known) fprintf(to, "      known: %s\n", row->known);
    if (row->known && row->passed) fprintf(to, "      but the check passes: remove its `known`\n");
}

static int cmd_sweep_run(const cli_command *command, int argc, char **argv) {
    request r = {.command = command, .options = rps_sweep_options_default(), .terminal = isatty(STDOUT_FILENO) == 1};
    rps_sweep_options *options = &r.options;
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_sweep_take, &r);
    if (status != CLI_OK) return status < 0 ? CLI_OK : status;
    if (r.join && argc - first < 2) {
        return cli_usage_error(
            command, "--join takes the scene and the directories of the parts, as in SCENE --join -o DIR PART...");
    }
    if (argc - first != 1 && !r.join) {
        return cli_usage_error(command, argc == first ? "which scene?" : "one scene at a time; %s is one too many",
                               argc == first ? "" : argv[first + 1]);
    }
    if (options->resume && !options->directory) {
        return cli_usage_error(command, "--resume goes on in a directory; name it by -o DIR");
    }
    if (r.join && (options->resume || options->points_from || options->points_to || options->count)) {
        return cli_usage_error(command, "--join makes no runs: leave out --resume, --points and --count");
    }
    options->path = argv[first];
    if (r.join) {
        options->join = (const char *const *)(argv + first + 1);
        options->joins = (size_t)(argc - first - 1);
    }
    options->set = r.set;
    options->vary = r.vary;
    options->measure = r.measure;
    options->log = cli_warn;
    options->proceed = cli_proceed;
    options->context = &r;
    if (!r.quiet) options->check = cmd_sweep_show_check;
    if (!options->directory) {
        options->row = cmd_sweep_show_row;
    } else if (!r.quiet) {
        options->progress = cmd_sweep_show_progress;
        options->progress_seconds = r.terminal ? 0.3 : 10.0;
    }
    cli_catch_signals();
    rps_sweep_summary s;
    rps_error err;
    if (rps_sweep(options, &s, &err) != RPS_OK) return cli_failed(&err);
    if (options->count) {
        printf("%zu\n", s.points);
        return CLI_OK;
    }
    const bool part = options->points_from > 0 || (options->points_to && options->points_to < s.points);
    if (options->directory && !r.quiet) {
        printf("%zu points, %zu runs (%zu of them there already), %zu failed; %.1f s\n", s.points, s.runs, s.resumed,
               s.failed, s.wall_seconds);
        if (s.noted) printf("%zu runs lack something: see the column `note`\n", s.noted);
        if (s.checks_stale) printf("checks that pass although declared as `known` to fail: %zu\n", s.checks_stale);
        if (!s.stopped && part) {
            printf("A part, in %s; with all others, --join makes the whole sweep\n", options->directory);
        } else if (!s.stopped) {
            printf("Results in %s: sweep.csv, sweep.json%s\n", options->directory, s.picture ? ", sweep.svg" : "");
        }
    }
    if (s.stopped && options->directory) printf("Stopped; --resume -o %s goes on\n", options->directory);
    if (cli_caught_signal()) return 128 + cli_caught_signal();
    if (s.failed == 0) return s.checks_failed ? CLI_CHECKS : CLI_OK;
    return FAILED_RUNS + (int)(s.failed < FAILED_MOST ? s.failed : FAILED_MOST);
}

const cli_command cli_sweep = {
    .name = "sweep",
    .usage = "sweep SCENE [--vary PATH=FROM:TO:N]... [--find PATH=LOW:HIGH:TOLERANCE] [--measure NAME]... [-o DIR]",
    .summary = "run a scene over ranges of its parameters, to a table and a picture",
    .more =
        "What is not said here comes from the block `sweep` of the scene. Values take units "
        "(gravity.tilt=1deg:30deg:30);\n"
        "PATH=A,B,C is a list. NAME is a measure of the block, a probe or a quantity of the world (its final value), "
        "the\n"
        "name of a check (yes or no), or 'NAME={probe: p, max: true}'. --find bisects PATH for the value at which the\n"
        "first measure, which must be yes or no, changes. DIR gets sweep.csv, sweep.json and, for one or two "
        "parameters,\n"
        "sweep.svg; without -o the table is printed. Checks over all runs, of the block, are printed too.\n"
        "Parts run on different machines: --count says how many points there are, --points 0:100 -o part-0 does some "
        "of "
        "them\n"
        "(from 0, in the order of the table), and --join -o DIR part-* makes the files of one sweep.",
    .example = "  repose sweep pile.yaml --vary pairs.0.slide.static=0.4:0.8:5 -m slope -o results/sweep",
    .status = "  0        every run has a result and every check of the block holds\n" CLI_STATUS_ERROR CLI_STATUS_USAGE
              "  3        a check of the block fails\n"
              "  10 + N   N runs failed (at most 100 are counted); their rows say why\n"
              "  128 + N  signal N ended the sweep\n",
    .option = {{"vary", 0, "PATH=...", "vary a key of the scene, as FROM:TO:N or as a list; may be repeated"},
               {"find", 0, "PATH=...", "bisect a key for each combination of the varied ones; `none`: not"},
               {"measure", 'm', "NAME", "what to record of each run; may be repeated (all of the block)"},
               {"output", 'o', "DIR", "directory of the results, made if need be"},
               {"jobs", 'j', "N", "runs at a time (as many as the machine has processors)"},
               {"variant", 0, "NAME", "take this variant of the scene"},
               {"set", 's', "PATH=VALUE", "override a key of the scene; may be repeated"},
               {"resume", 0, NULL, "go on with the sweep in DIR"},
               {"overwrite", 0, NULL, "replace the sweep in DIR"},
               {"points", 0, "A:B", "do the points from A to before B only, or A:+N"},
               {"count", 0, NULL, "print the number of points; run nothing"},
               {"join", 0, NULL, "join parts, given after the scene; run nothing"},
               {"isa", 0, "NAME", "instruction set sse2, avx2 or avx512 (the best that the machine has)"},
               {"quiet", 'q', NULL, "print errors and warnings only"}},
    .run = cmd_sweep_run,
};
