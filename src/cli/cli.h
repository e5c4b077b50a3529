/* Shared by the commands: their table, their options, errors with a hint. Exit status: 0 success, 1 failure, 2
 * invalid command line, 3 everything ran but a check fails, 128 + signal after a stop by a signal. */
#ifndef RPS_CLI_CLI_H
#define RPS_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <repose/run.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_CHECKS = 3, CLI_OPTIONS = 16, CLI_SETS = 256 };

/* Exit statuses of every command, as its help says them. */
#define CLI_STATUS_ERROR "  1        an error; the sentence on the standard error says what, where and what to do\n"
#define CLI_STATUS_USAGE "  2        a command line that makes no sense\n"

typedef struct cli_option {
    const char *name;     /* "threads" */
    char letter;          /* 'o', or 0 */
    const char *argument; /* "N"; NULL: a switch */
    const char *help;
} cli_option;

typedef struct cli_command {
    const char *name, *usage, *summary;
    const char *more;               /* further text of the help, may be NULL */
    const char *example;            /* command lines, one a line, indented by two blanks */
    const char *status;             /* all exit statuses, a line each */
    cli_option option[CLI_OPTIONS]; /* ends at name == NULL; --help always works */
    int (*run)(const struct cli_command *command, int argc, char **argv);
} cli_command;

extern const cli_command cli_run, cli_explain, cli_verify, cli_solve, cli_sweep, cli_plot, cli_audit, cli_list,
    cli_info, cli_mesh, cli_convert, cli_new, cli_report, cli_view, cli_picture, cli_movie;

/* Parses the options of a command in any order: calls take(context, index of the option, its argument) for each and
 * leaves the remaining arguments in argv from *first on. Returns CLI_OK; CLI_USAGE after an error that was printed;
 * -1 if help was printed. take returns CLI_OK or CLI_USAGE after printing. */
int cli_parse(const cli_command *command, int argc, char **argv, int *first,
              int (*take)(void *context, int option, const char *argument), void *context);

/* Prints "repose NAME: ..." and how to get help on stderr; returns CLI_USAGE. */
int cli_usage_error(const cli_command *command, const char *fmt, ...) RPS_PRINTF(2, 3);
/* Prints the error on stderr; returns CLI_FAILED. */
int cli_failed(const rps_error *err);
/* From here on SIGINT and SIGTERM ask for a stop (stop_signal.c): cli_proceed, a `proceed` callback, is then false, and
 * cli_caught_signal the number of the signal, else 0. */
void cli_catch_signals(void);
int cli_caught_signal(void);
bool cli_proceed(void *context);

/* Prints the label, in colour if `out` is a terminal and the user did not turn colour off (ink.c). */
typedef enum cli_ink { CLI_RED, CLI_YELLOW, CLI_GREEN } cli_ink;
void cli_label(FILE *out, cli_ink ink, const char *label);
void cli_warn(void *context, int level, const char *text); /* a rps_log_fn */

/* Parses an integer from low to high; false after printing an error. */
bool cli_integer(const cli_command *command, const char *option, const char *text, int low, int high, int *value);
bool cli_isa(const cli_command *command, const char *text, int *isa);

/* "; did you mean x?" or "" */
const char *cli_hint(const char *word, const char *const *names, size_t n, char *out, size_t capacity);

void cli_print_check_head(void);
void cli_print_check(const rps_check_row *row, bool with_scene);

/* A scene from the standard input, which the command line names "-" (scene_input.c). It begins as zeros. */
#define CLI_INPUT_NAME "the standard input"
typedef struct cli_input {
    void *text;
    size_t bytes, capacity;
    bool read;
} cli_input;
bool cli_is_input(const char *path);
/* Reads it to its end; RPS_BAD_INPUT if it was read before, RPS_IO_ERROR. Release it also after a failure. */
rps_status cli_read_input(cli_input *input, rps_error *err);
void cli_release_input(cli_input *input);

/* The command `run` with another function in place of rps_run. speaks: false for a process beside the one that the user
 * hears; it prints nothing, and signals do not stop it. */
typedef rps_status cli_runner(const rps_run_options *options, rps_run_summary *summary, rps_error *err);
int cli_run_by(const cli_command *command, int argc, char **argv, bool speaks, cli_runner *run);

/* By default a waiting OpenMP thread spins for a long time. On a busy machine it then takes the core from the thread
 * it waits for (measured: five times slower). libgomp reads its settings at load time, before main, so this sets them
 * and executes the program again. Values set by the user are kept. If it fails the program runs with the defaults. */
void cli_wait_politely(char **argv);

/* Options that run and explain share. */
typedef struct cli_scene {
    const cli_command *command;
    rps_run_options options;
    const char *set[CLI_SETS];
    bool quiet, allow_failed;
    bool view, open, paused; /* run alone */
    int port;
    cli_input input;
} cli_scene;
/* Handles one option by name; CLI_OK, or CLI_USAGE after printing. */
int cli_take_scene(cli_scene *scene, const char *name, const char *argument);
/* Makes the argument the scene of the options: a file, or - for the standard input, which it reads. */
rps_status cli_choose_scene(cli_scene *scene, const char *argument, rps_error *err);

#endif
