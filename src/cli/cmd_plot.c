/* repose plot: series of several runs in one figure. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file_names.h"

enum { PANELS = 16 };

typedef struct request {
    const cli_command *command;
    rps_plot_options options;
    const char *y[PANELS];
    char *words; /* the list of -y, split at its commas */
} request;

static int take_panels(request *r, const char *argument) {
    free(r->words);
    r->words = malloc(strlen(argument) + 1);
    if (!r->words) return cli_usage_error(r->command, "no memory for --y");
    strcpy(r->words, argument);
    r->options.panels = 0;
    for (char *word = r->words, *comma; word; word = comma ? comma + 1 : NULL) {
        comma = strchr(word, ',');
        if (comma) *comma = 0;
        if (r->options.panels == PANELS) return cli_usage_error(r->command, "more than %d panels", PANELS);
        r->y[r->options.panels++] = word;
    }
    return CLI_OK;
}

static int take_time(const request *r, const char *name, const char *argument, double *value) {
    char *end;
    const double number = strtod(argument, &end);
    if (end == argument || *end || !(number - number == 0.0)) {
        return cli_usage_error(r->command, "--%s takes a time in seconds, not \"%s\"", name, argument);
    }
    *value = number;
    return CLI_OK;
}

static int cmd_plot_take(void *context, int option, const char *argument) {
    request *r = context;
    rps_plot_options *options = &r->options;
    const char *name = r->command->option[option].name;
    if (strcmp(name, "y") == 0) return take_panels(r, argument);
    if (strcmp(name, "from") == 0) return take_time(r, name, argument, &options->from);
    if (strcmp(name, "until") == 0) return take_time(r, name, argument, &options->until);
    if (strcmp(name, "x") == 0) options->x = argument;
    if (strcmp(name, "title") == 0) options->title = argument;
    if (strcmp(name, "output") == 0) options->picture = argument;
    if (strcmp(name, "mean") == 0) {
        return cli_integer(r->command, name, argument, 1, 1000000000, &options->mean) ? CLI_OK : CLI_USAGE;
    }
    return CLI_OK;
}

static int cmd_plot_draw(request *r, int argc, char **argv) {
    int first;
    const int status = cli_parse(r->command, argc, argv, &first, cmd_plot_take, r);
    if (status != CLI_OK) return status < 0 ? CLI_OK : status;
    if (first == argc)
        return cli_usage_error(r->command, "which runs? name their directories or their " RPS_SERIES_FILE);
    if (r->options.panels == 0) return cli_usage_error(r->command, "what is to be drawn? name columns by -y");
    if (!r->options.picture) return cli_usage_error(r->command, "where to? name the picture by -o FILE.svg");
    r->options.series = (const char *const *)argv + first;
    r->options.count = (size_t)(argc - first);
    r->options.y = r->y;
    rps_error err;
    return rps_plot(&r->options, &err) == RPS_OK ? CLI_OK : cli_failed(&err);
}

static int cmd_plot_run(const cli_command *command, int argc, char **argv) {
    request r = {.command = command, .options = rps_plot_options_default()};
    const int status = cmd_plot_draw(&r, argc, argv);
    free(r.words);
    return status;
}

const cli_command cli_plot = {
    .name = "plot",
    .usage = "plot [NAME=]DIR|SERIES.csv... [-x COLUMN] -y COLUMN[,COLUMN]... -o FILE.svg",
    .summary = "draw series of runs against each other",
    .more =
        "A comma between columns begins another panel, a + draws both into one: -y top+side,volume. In the place of a\n"
        "column may stand a/b, strain(length), which is 1 - length over its first value that is drawn, and log10(a).\n"
        "Columns are `time` and the probes of the scene; the header of " RPS_SERIES_FILE
        " names them all. gnuplot draws.",
    .example = "  repose plot results/pile -y slope -o slope.svg\n"
               "  repose plot pile=results/pile --from 0.1 -y slope -o slope.pdf",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"x", 'x', "COLUMN", "what goes to the right (time)"},
               {"y", 'y', "COLUMNS", "what goes up"},
               {"from", 0, "SECONDS", "leave out what is before"},
               {"until", 0, "SECONDS", "leave out what is after"},
               {"mean", 0, "ROWS", "draw the mean of so many rows as one point (1)"},
               {"title", 0, "TEXT", "written above"},
               {"output", 'o', "FILE", "the figure, replaced if it is there; .svg, .png or .pdf says its format"}},
    .run = cmd_plot_run,
};
