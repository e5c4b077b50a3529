/* The command `repose`: finds the sub-command and calls it. */
#include "cli.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_run,  &cli_explain, &cli_verify,  &cli_solve, &cli_sweep,  &cli_plot, &cli_audit,   &cli_list,
    &cli_info, &cli_mesh,    &cli_convert, &cli_new,   &cli_report, &cli_view, &cli_picture, &cli_movie};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void main_print_help(FILE *out) {
    fprintf(out, "usage: repose COMMAND [ARGUMENTS]\n\n"
                 "Granular dynamics with slide, roll and spin friction.\n\nCommands\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n  repose COMMAND --help    what a command takes\n"
                 "  repose --version         the version\n"
                 "\nExample\n"
                 "  repose new heap\n"
                 "  repose explain heap.yaml\n"
                 "  repose run heap.yaml -o results/heap\n"
                 "\nExit status\n"
                 "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE
                 "  3        everything ran, but a check fails, or two files differ\n"
                 "  10 + N   a sweep of which N rows (at most 100 are counted) have no result\n"
                 "  128 + N  signal N ended the run\n"
                 "\nErrors, warnings and verdicts have colour on a terminal; NO_COLOR=1 turns it off.\n");
}

int main(int argc, char **argv) {
    H5dont_atexit(); /* it would report unclosable objects of damaged files; all files are closed by then */
    cli_wait_politely(argv);
    if (argc < 2) {
        main_print_help(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        main_print_help(stdout);
        return CLI_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("repose %s\n", rps_version());
        return CLI_OK;
    }
    const char *names[COMMANDS + 2] = {[COMMANDS] = "--help", "--version"};
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (strcmp(word, names[i]) == 0) {
            int status = commands[i]->run(commands[i], argc - 1, argv + 1);
            if (fflush(stdout) != 0 || ferror(stdout)) {
                cli_label(stderr, CLI_RED, "repose:");
                fprintf(stderr, " cannot write to the standard output\n");
                return CLI_FAILED;
            }
            return status;
        }
    }
    char hint[64];
    cli_label(stderr, CLI_RED, "repose:");
    fprintf(stderr, " there is no %s %s%s\nMore: repose --help\n", word[0] == '-' ? "option" : "command", word,
            cli_hint(word, names, COMMANDS + 2, hint, sizeof hint));
    return CLI_USAGE;
}
