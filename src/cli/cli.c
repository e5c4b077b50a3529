/* Option parsing, hints and tables for the commands. */
#include "cli.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/text.h"
#include "base/threads.h"

const char *cli_hint(const char *word, const char *const *names, size_t n, char *out, size_t capacity) {
    const char *near = rps_closest_name(word, names, n);
    out[0] = '\0';
    if (near) {
        snprintf(out, capacity, "; did you mean %s?", near);
    }
    return out;
}

int cli_usage_error(const cli_command *command, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    cli_label(stderr, CLI_RED, "repose");
    fprintf(stderr, " %s: ", command->name);
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\nusage: repose %s\nMore: repose %s --help\n", command->usage, command->name);
    va_end(args);
    return CLI_USAGE;
}

int cli_failed(const rps_error *err) {
    fflush(stdout);
    cli_label(stderr, CLI_RED, "repose:");
    fprintf(stderr, " %s\n", err->text);
    return CLI_FAILED;
}

void cli_warn(void *context, int level, const char *text) {
    (void)context;
    if (level != RPS_LOG_WARNING && level != RPS_LOG_INFO) return;
    fflush(stdout);
    if (level == RPS_LOG_WARNING) {
        cli_label(stderr, CLI_YELLOW, "warning:");
    } else {
        fprintf(stderr, "note:");
    }
    fprintf(stderr, " %s\n", text);
}

static void cli_print_help(const cli_command *command) {
    printf("usage: repose %s\n\n%s\n", command->usage, command->summary);
    printf("\nOptions\n");
    for (const cli_option *o = command->option; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->letter ? "-" : "", o->letter ? o->letter : ' ',
                 o->letter ? ", " : "   ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "-h, --help", "this text");
    if (command->more) {
        printf("\n%s\n", command->more);
    }
    printf("\nExample\n%s\n\nExit status\n%s", command->example, command->status);
}

static int unknown_option(const cli_command *command, const char *word) {
    const char *names[CLI_OPTIONS + 1];
    char bare[64], hint[128];
    size_t n = 0;
    for (const cli_option *o = command->option; o->name; o++) {
        names[n++] = o->name;
    }
    names[n++] = "help";
    snprintf(bare, sizeof bare, "%s", word + strspn(word, "-"));
    bare[strcspn(bare, "=")] = '\0';
    const char *near = rps_closest_name(bare, names, n);
    snprintf(hint, sizeof hint, near ? "; did you mean --%s?" : "%s", near ? near : "");
    return cli_usage_error(command, "there is no option %s%s", word, hint);
}

int cli_parse(const cli_command *command, int argc, char **argv, int *first,
              int (*take)(void *context, int option, const char *argument), void *context) {
    struct option table[CLI_OPTIONS + 2];
    char letters[2 * CLI_OPTIONS + 4] = ":h";
    int n = 0;
    memset(table, 0, sizeof table);
    for (; command->option[n].name; n++) {
        const cli_option *o = &command->option[n];
        table[n] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, 256 + n};
        if (o->letter) {
            snprintf(letters + strlen(letters), 3, "%c%s", o->letter, o->argument ? ":" : "");
        }
    }
    table[n] = (struct option){"help", no_argument, NULL, 'h'};
    opterr = 0;
    optind = 1;
    for (;;) {
        int at = optind;
        int c = getopt_long(argc, argv, letters, table, NULL);
        if (c < 0) {
            *first = optind;
            return CLI_OK;
        }
        if (c == 'h') {
            cli_print_help(command);
            return -1;
        }
        if (c == '?') {
            return unknown_option(command, argv[optind > at ? optind - 1 : at]);
        }
        if (c == ':') {
            return cli_usage_error(command, "%s needs a value", argv[optind - 1]);
        }
        int option = c - 256;
        for (int k = 0; c < 256 && k < n; k++) {
            option = command->option[k].letter == c ? k : option;
        }
        int status = take(context, option, optarg);
        if (status != CLI_OK) {
            return status;
        }
    }
}

bool cli_integer(const cli_command *command, const char *option, const char *text, int low, int high, int *value) {
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < low || number > high) {
        cli_usage_error(command, "--%s takes a whole number from %d to %d, not \"%s\"", option, low, high, text);
        return false;
    }
    *value = (int)number;
    return true;
}

bool cli_isa(const cli_command *command, const char *text, int *isa) {
    rps_isa found;
    rps_error err;
    if (rps_isa_from_name(text, &found, &err) != RPS_OK) {
        cli_usage_error(command, "--isa: %s", err.text);
        return false;
    }
    *isa = (int)found;
    return true;
}

int cli_take_scene(cli_scene *scene, const char *name, const char *argument) {
    rps_run_options *options = &scene->options;
    if (strcmp(name, "output") == 0) {
        options->directory = argument;
    } else if (strcmp(name, "threads") == 0) {
        return cli_integer(scene->command, name, argument, 1, RPS_THREADS_MOST, &options->threads) ? CLI_OK : CLI_USAGE;
    } else if (strcmp(name, "isa") == 0) {
        return cli_isa(scene->command, argument, &options->isa) ? CLI_OK : CLI_USAGE;
    } else if (strcmp(name, "set") == 0) {
        if (!strchr(argument, '=') || argument[0] == '=') {
            return cli_usage_error(scene->command, "--set takes path=value, not \"%s\"", argument);
        }
        if (options->sets == CLI_SETS) {
            return cli_usage_error(scene->command, "more than %d --set; write the values into the scene", CLI_SETS);
        }
        scene->set[options->sets++] = argument;
        options->set = scene->set;
    } else if (strcmp(name, "variant") == 0) {
        options->variant = argument;
    } else if (strcmp(name, "until") == 0) {
        options->until = argument;
    } else if (strcmp(name, "quiet") == 0) {
        scene->quiet = true;
    } else if (strcmp(name, "allow-failed-checks") == 0) {
        scene->allow_failed = true;
    } else if (strcmp(name, "from") == 0) {
        options->from = argument;
    } else if (strcmp(name, "resume") == 0) {
        options->resume = argument;
    } else if (strcmp(name, "overwrite") == 0) {
        options->overwrite = true;
    }
    return CLI_OK;
}

static const char *cli_number(double value, char out[32]) {
    if (isnan(value)) {
        return "-";
    }
    snprintf(out, 32, "%.6g", value);
    return out;
}

void cli_print_check_head(void) {
    printf("%-7s %13s %13s %11s  %s\n", "verdict", "expected", "measured", "tolerance", "check");
}

void cli_print_check(const rps_check_row *row, bool with_scene) {
    char e[32], m[32], t[32];
    if (row->judged && !row->passed) {
        cli_label(stdout, CLI_RED, "FAIL   ");
    } else if (row->passed) {
        cli_label(stdout, CLI_GREEN, "pass   ");
    } else {
        printf("%-7s", "open");
    }
    printf(" %13s %13s %11s  ", cli_number(row->expected, e), cli_number(row->measured, m),
           cli_number(row->tolerance, t));
    if (with_scene) {
        printf("%s%s%s%s: ", row->scene, row->variant[0] ? " (" : "", row->variant, row->variant[0] ? ")" : "");
    }
    printf("%s%s%s%s\n", row->check, row->unit && row->unit[0] ? " [" : "", row->unit ? row->unit : "",
           row->unit && row->unit[0] ? "]" : "");
    if (row->error) {
        printf("        %s\n", row->error);
    }
    if (row->note && row->note[0]) {
        printf("        %s\n", row->note);
    }
}

void cli_wait_politely(char **argv) {
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY")) {
        return;
    }
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0 && setenv("GOMP_SPINCOUNT", "1000", 1) == 0) {
        self[length] = 0;
        execv(self, argv);
    }
}
