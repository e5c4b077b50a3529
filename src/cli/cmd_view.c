/* repose view: shows the results of a run or a sweep in a browser, while it goes on and afterwards. */
#include "cli.h"
#include "view_run.h"

#include <stdio.h>

#include "base/clock.h"

typedef struct view_arguments {
    const cli_command *command;
    int port, lingers;
    bool open;
} view_arguments;

static int cmd_view_take(void *context, int option, const char *argument) {
    view_arguments *given = context;
    const char *name = given->command->option[option].name;
    bool good = true;
    if (option == 0) good = cli_integer(given->command, name, argument, 1, 65535, &given->port);
    if (option == 1) given->open = true;
    if (option == 2) good = cli_integer(given->command, name, argument, 0, 1000000, &given->lingers);
    return good ? CLI_OK : CLI_USAGE;
}

static rps_status show_folder(view_server *server, const view_arguments *given, rps_error *err) {
    RPS_TRY(view_folder_check(&server->folder, err));
    cli_catch_signals(); /* who reads the address may end the view at once */
    printf("The results in a browser: %s\nCtrl-C ends the view.\n", server->url);
    fflush(stdout);
    if (given->open) view_open_browser(server);
    server->lingers = given->lingers;
    server->asked = rps_clock_seconds();
    return view_server_run(server, err);
}

static int cmd_view_run(const cli_command *command, int argc, char **argv) {
    view_arguments given = {.command = command, .lingers = 120};
    view_server server;
    rps_error err;
    int first;
    const int parsed = cli_parse(command, argc, argv, &first, cmd_view_take, &given);
    if (parsed != CLI_OK) return parsed < 0 ? CLI_OK : parsed;
    if (argc - first != 1) return cli_usage_error(command, "name one directory of results");
    rps_status status = view_server_open(&server, argv[first], given.port, &err);
    if (status == RPS_OK) status = show_folder(&server, &given, &err);
    view_server_close(&server);
    return status == RPS_OK ? CLI_OK : cli_failed(&err);
}

const cli_command cli_view = {
    .name = "view",
    .usage = "view DIR [--port N] [--open]",
    .summary = "show a run or a sweep in a browser, while it goes on and afterwards",
    .more = "Prints an address with a random word, which only browsers of this machine reach, and serves the page of "
            "`repose "
            "report` there;\nnew frames and rows appear as the run writes them; a DIR of `repose sweep` is shown "
            "as a map that fills. `repose run SCENE -o DIR --view` besides "
            "lets the page pause, step and\nstop the run. On another machine, take the port along: "
            "ssh -L 8000:127.0.0.1:8000 HOST, and --port 8000 there.\n"
            "The view ends by Ctrl-C, and by itself when the run is over and no page has asked for a while.",
    .example = "  repose view results/pile\n"
               "  repose run pile.yaml -o results/pile --view",
    .status = "  0        the view has ended, by Ctrl-C too\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"port", 0, "N", "port on 127.0.0.1 (any free one)"},
               {"open", 0, NULL, "open the page in the browser of the desktop, by xdg-open"},
               {"linger", 0, "N", "seconds without a page after which the view of a run that is over ends (120)"}},
    .run = cmd_view_run,
};
