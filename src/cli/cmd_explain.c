/* repose explain: how the program interprets a scene. */
#include "cli.h"

#include <stdio.h>

static int cmd_explain_take(void *context, int option, const char *argument) {
    cli_scene *scene = context;
    return cli_take_scene(scene, scene->command->option[option].name, argument);
}

static void cmd_explain_print(void *context, const char *text) {
    (void)context;
    fputs(text, stdout);
}

static int cmd_explain_run(const cli_command *command, int argc, char **argv) {
    cli_scene scene = {.command = command, .options = rps_run_options_default()};
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_explain_take, &scene);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (argc - first != 1) {
        return cli_usage_error(command, argc == first ? "which scene?" : "one scene at a time; %s is one too many",
                               argc == first ? "" : argv[first + 1]);
    }
    scene.options.log = cli_warn;
    rps_error err;
    rps_status status_of_scene = cli_choose_scene(&scene, argv[first], &err);
    if (status_of_scene == RPS_OK) status_of_scene = rps_explain(&scene.options, cmd_explain_print, NULL, &err);
    cli_release_input(&scene.input);
    return status_of_scene == RPS_OK ? CLI_OK : cli_failed(&err);
}

const cli_command cli_explain = {
    .name = "explain",
    .usage = "explain SCENE [options]",
    .summary = "say what a scene means: bodies, effective pair values, the step and what limits it",
    .more = "SCENE may be - for the standard input.",
    .example = "  repose explain pile.yaml -s pairs.0.slide.static=0.6",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"set", 's', "PATH=VALUE", "override a key of the scene; may be repeated"},
               {"variant", 0, "NAME", "explain this variant of the scene"},
               {"until", 0, "T", "end of the run, like \"0.5 s\""},
               {"threads", 0, "N", "threads (as many as the machine has)"},
               {"isa", 0, "NAME", "instruction set sse2, avx2 or avx512 (the best that the machine has)"}},
    .run = cmd_explain_run,
};
