/* repose run: runs one scene and writes its results, with a progress line. */
#include "cli.h"
#include "view_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/file.h"
#include "io/file_names.h"
#include "run/writer.h"

typedef struct screen {
    bool terminal, quiet;
    double started, said; /* s, start of the set-up; last write of its line */
    bool probes, checks;  /* the headers of these tables are printed */
    double next;          /* s of the run: a line of progress into a file */
    view_run view;
} screen;

/* The set-up of many bodies, or of bodies with overlapping pieces, may take long: shows that it is alive. */
static bool set_up(void *context) {
    screen *to = context;
    const double now = rps_clock_seconds(), every = to->terminal ? 1.0 : 10.0;
    if (to->started == 0.0) to->started = to->said = now;
    if (!to->quiet && now - to->said >= every) {
        printf("%ssetting up the scene, %.0f s%s", to->terminal ? "\r\033[K" : "", now - to->started,
               to->terminal ? "" : "\n");
        fflush(stdout);
        to->said = now;
    }
    view_run_listen(&to->view);
    return cli_proceed(NULL);
}

static bool cmd_run_proceed(void *context) {
    screen *to = context;
    view_run_between_steps(&to->view);
    return cli_proceed(NULL);
}

static void cmd_run_frame(void *context, uint64_t frames) {
    screen *to = context;
    (void)frames;
    view_run_frame(&to->view);
}

static const char *span(double seconds, char out[32]) {
    if (!(seconds >= 0.0) || isinf(seconds)) {
        return "--";
    }
    if (seconds < 9.95) {
        snprintf(out, 32, "%.1f s", seconds);
        return out;
    }
    unsigned long s = (unsigned long)(seconds + 0.5);
    if (s >= 3600) {
        snprintf(out, 32, "%lu h %02lu min", s / 3600, s / 60 % 60);
    } else if (s >= 60) {
        snprintf(out, 32, "%lu min %02lu s", s / 60, s % 60);
    } else {
        snprintf(out, 32, "%lu s", s);
    }
    return out;
}

static void cmd_run_show_progress(void *context, const rps_run_progress *p) {
    screen *to = context;
    char left[32], line[256];
    view_run_progress(&to->view, p);
    if (to->quiet || (!to->terminal && !p->last && p->wall_seconds < to->next)) return;
    to->next = p->wall_seconds + 5.0;
    int n = snprintf(line, sizeof line, "t %.4g s", p->time);
    if (p->until > 0.0) {
        n += snprintf(line + n, sizeof line - (size_t)n, " of %.4g s  %3.0f %%  ETA %s", p->until,
                      100.0 * p->time / p->until, span(p->remaining, left));
    }
    n += snprintf(line + n, sizeof line - (size_t)n, "  %.0f steps/s  %llu bodies  %zu contacts",
                  isnan(p->steps_per_second) ? 0.0 : p->steps_per_second, (unsigned long long)p->bodies, p->contacts);
    if (!isnan(p->residual)) {
        snprintf(line + n, sizeof line - (size_t)n, "  residual %.2g %%", 100.0 * p->residual);
    }
    if (to->terminal) {
        printf("\r\033[K%s%s", line, p->last ? "\n" : "");
    } else {
        printf("%s\n", line);
    }
    fflush(stdout);
}

static void cmd_run_show_check(void *context, const rps_check_row *row) {
    screen *to = context;
    if (!to->checks) {
        cli_print_check_head();
        to->checks = true;
    }
    cli_print_check(row, false);
}

static void show_probe(void *context, const rps_probe_row *row) {
    screen *to = context;
    if (!to->probes) {
        printf("%-15s %s\n", "value", cli_caught_signal() ? "probe as last read" : "probe at the end");
        to->probes = true;
    }
    const char *unit = row->unit && strcmp(row->unit, "1") != 0 ? row->unit : "";
    if (*row->undefined) {
        printf("%-15s %s: %s\n", "undefined", row->name, row->undefined);
    } else {
        printf("%-15.8g %s%s%s%s\n", row->value, row->name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
    }
}

static int cmd_run_take(void *context, int option, const char *argument) {
    cli_scene *scene = context;
    const char *name = scene->command->option[option].name;
    if (strcmp(name, "view") == 0) scene->view = true;
    if (strcmp(name, "open") == 0) scene->open = true;
    if (strcmp(name, "paused") == 0) scene->paused = true;
    if (strcmp(name, "port") == 0) {
        return cli_integer(scene->command, name, argument, 1, 65535, &scene->port) ? CLI_OK : CLI_USAGE;
    }
    return cli_take_scene(scene, name, argument);
}

/* Lists the files for viewers, which a scene may disable. */
static void show_frames(const char *directory, unsigned long long frames) {
    static const char *const name[] = {RPS_BODIES_XDMF, RPS_CONTACTS_XDMF, RPS_SURFACES_XDMF, RPS_LOADS_XDMF};
    char path[RPS_PATH];
    bool any = false;
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        if (rps_path_join(path, directory, name[k], NULL) != RPS_OK || !rps_file_exists(path)) continue;
        printf(", %s", name[k]);
        any = true;
    }
    if (any) {
        printf(" (%llu frames; paraview --script=%s/" RPS_VIEW_SCRIPT " shows them)", frames, directory);
    } else {
        printf(", " RPS_FRAMES_FILE " (%llu frames)", frames);
    }
}

/* Files of other writers than those of frames and series. */
static void show_others(const char *directory) {
    const rps_writer *writer;
    for (int w = 0; (writer = rps_writer_at(w)) != NULL; w++) {
        char path[RPS_PATH];
        if (writer == &rps_writer_frames || writer == &rps_writer_series) continue;
        if (rps_path_join(path, directory, writer->file[0], NULL) == RPS_OK && rps_file_exists(path)) {
            printf(", %s", writer->file[0]);
        }
    }
}

static void show_end(const rps_run_summary *s, const rps_run_options *options) {
    static const char *const why[] = {"reached its end", "came to rest", "ended with its last stage", "was stopped",
                                      "failed"};
    char wall[32];
    printf("The run %s at %.6g s after %llu steps: %llu bodies, %zu contacts; %s, %.0f steps/s on %d thread%s (%s)\n",
           why[s->end], s->time, (unsigned long long)s->steps, (unsigned long long)s->bodies, s->contacts,
           span(s->wall_seconds, wall), s->steps_per_second, s->threads, s->threads == 1 ? "" : "s", s->isa);
    if (s->has_ledger) {
        double lost = 0.0;
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            lost += s->ledger.dissipated[role];
        }
        lost += s->ledger.bonds_dissipated + s->ledger.drag;
        printf("Energy: dissipated %.4g J, residual %.2e J", lost, s->ledger.residual);
        if (lost > 0.0) printf(" (%.2g %%)", 100.0 * s->ledger.residual / lost); /* as progress shows it */
        printf("\n");
    }
    if (s->impact_steps > 0.0) {
        printf("Step: %.3g s, %.3g steps an impact at %.3g m/s: errors up to %.2g %% of restitution, %.2g %% of energy "
               "balance\n",
               s->step, s->impact_steps, s->impact_speed, 100.0 * s->restitution_error, 100.0 * s->balance_error);
    }
    if (s->solver.steps > 0) {
        printf("Solver: %.1f iterations a step; %llu of %llu steps missed the tolerance, worst residual %.2e\n",
               (double)s->solver.iterations / (double)s->solver.steps, (unsigned long long)s->solver.missed,
               (unsigned long long)s->solver.steps, s->solver.worst_residual);
        if (s->solver.refined > 0) {
            printf("Solver: steps and parts of steps repeated in halves: %llu\n",
                   (unsigned long long)s->solver.refined);
        }
    }
    const uint64_t loaded = s->solver.followed + s->solver.implicit + s->solver.rebounds;
    if (loaded > 0) {
        const double percent = 100.0 / (double)loaded;
        printf("Contacts: %.3g %% followed by their springs, %.3g %% implicit or rigid, %.3g %% rebounding (%llu "
               "impacts, %llu "
               "restrained)\n",
               percent * (double)s->solver.followed, percent * (double)s->solver.implicit,
               percent * (double)s->solver.rebounds, (unsigned long long)s->solver.rebounds,
               (unsigned long long)s->solver.restrained);
    }
    if (s->solver.redundant_rows > 0) {
        printf("Joints: %llu of %llu rows are implied by others; what each of those bears is of least norm\n",
               (unsigned long long)s->solver.redundant_rows, (unsigned long long)s->solver.joint_rows);
    }
    if (options->directory) {
        printf("Results in %s: " RPS_SUMMARY_FILE, options->directory);
        if (s->frames) show_frames(options->directory, (unsigned long long)s->frames);
        show_others(options->directory);
        printf("\n");
    }
}

int cli_run_by(const cli_command *command, int argc, char **argv, bool speaks, cli_runner *run) {
    cli_scene scene = {.command = command, .options = rps_run_options_default()};
    screen to = {.terminal = isatty(STDOUT_FILENO) == 1, .view = {.link = -1}};
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_run_take, &scene);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (scene.options.resume && argc > first) {
        return cli_usage_error(command, "--resume takes the scene from the checkpoint; leave %s out", argv[first]);
    }
    if (scene.options.resume && scene.options.from) {
        return cli_usage_error(command, "--resume goes on with a run and --from begins another; leave one of them out");
    }
    if (argc - first != 1 && !scene.options.resume) {
        return cli_usage_error(command, argc == first ? "which scene?" : "one scene at a time; %s is one too many",
                               argc == first ? "" : argv[first + 1]);
    }
    rps_run_options *options = &scene.options;
    if (options->resume && !options->directory && rps_is_directory(options->resume)) {
        options->directory = options->resume;
    }
    if (scene.view && !options->directory) {
        return cli_usage_error(command, "--view shows the files of the run: give their directory by -o DIR");
    }
    if ((scene.open || scene.port || scene.paused) && !scene.view) {
        return cli_usage_error(command, "--%s belongs to --view", scene.open ? "open" : scene.port ? "port" : "paused");
    }
    options->log = cli_warn;
    options->proceed = cmd_run_proceed;
    options->frame = cmd_run_frame;
    options->proceed_set_up = set_up;
    to.quiet = scene.quiet = scene.quiet || !speaks;
    options->context = &to;
    options->progress = cmd_run_show_progress;
    options->progress_seconds = 0.3;
    if (!scene.quiet) {
        options->probe = show_probe;
        options->check = cmd_run_show_check;
    }
    if (speaks)
        cli_catch_signals();
    else
        options->proceed_set_up = NULL;
    rps_run_summary summary;
    rps_error err;
    rps_status ran = options->resume ? RPS_OK : cli_choose_scene(&scene, argv[first], &err);
    if (ran == RPS_OK && scene.view) ran = view_run_begin(&to.view, options->directory, scene.port, scene.open, &err);
    if (scene.paused) view_run_pause(&to.view);
    if (ran == RPS_OK) ran = run(options, &summary, &err);
    cli_release_input(&scene.input);
    if (ran != RPS_OK) {
        view_run_end(&to.view, true);
        const int failed = cli_failed(&err);
        return err.status == RPS_STOPPED && cli_caught_signal() ? 128 + cli_caught_signal() : failed;
    }
    if (!scene.quiet) {
        show_end(&summary, options);
    }
    if (summary.checks_failed > 0) {
        fflush(stdout);
        cli_label(stderr, CLI_RED, "repose:");
        fprintf(stderr, " %zu of %zu checks failed\n", summary.checks_failed, summary.checks);
    }
    const int caught = cli_caught_signal();
    view_run_end(&to.view, scene.quiet);
    if (caught) return 128 + caught;
    return summary.checks_failed > 0 && !scene.allow_failed ? CLI_CHECKS : CLI_OK;
}

static int cmd_run_run(const cli_command *command, int argc, char **argv) {
    return cli_run_by(command, argc, argv, true, rps_run);
}

const cli_command cli_run = {
    .name = "run",
    .usage = "run SCENE|--resume FILE [-o DIR] [options]",
    .summary = "run a scene and write its results",
    .more =
        "Without -o no file is written. DIR gets " RPS_FRAMES_FILE " with " RPS_BODIES_XDMF ", " RPS_CONTACTS_XDMF
        " and\n" RPS_SURFACES_XDMF
        " (frames, for ParaView: bodies as points, contacts as lines, bodies that are not spheres as\n"
        "surfaces; " RPS_VIEW_SCRIPT " shows them) and the same as VTKHDF, with `output.loads` " RPS_LOADS_XDMF
        " too, " RPS_SERIES_FILE " (probes and energy ledger over time), where the\n"
        "scene asks for it " RPS_XYZ_FILE " (frames for OVITO), " RPS_SUMMARY_FILE " and checkpoints. Ctrl-C ends "
        "the run within a second or a few steps with its results "
        "closed\n"
        "and a checkpoint; --resume DIR goes on from there and leaves what an undisturbed run leaves. With --until T "
        "it goes\n"
        "on to another end, after the first one too; the step stays as it is, and so does all else.\n"
        "Of a run that was stopped, checks that its rest could change are not judged.\n"
        "SCENE may be - for the standard input; its relative files are then those of the current folder.",
    .example = "  repose run pile.yaml -o results/pile\n"
               "  repose run --resume results/pile",
    .status = "  0        the run ended and every check holds, or --allow-failed-checks was given\n" CLI_STATUS_ERROR
        CLI_STATUS_USAGE "  3        a check fails\n"
              "  128 + N  signal N ended the run\n",
    .option = {{"output", 'o', "DIR", "directory of the results, made if need be"},
               {"threads", 0, "N", "threads (as many as the machine has)"},
               {"isa", 0, "NAME", "instruction set sse2, avx2 or avx512 (the best that the machine has)"},
               {"set", 's', "PATH=VALUE", "override a key of the scene; may be repeated"},
               {"variant", 0, "NAME", "run this variant of the scene"},
               {"until", 0, "T", "end of the run, like \"0.5 s\""},
               {"resume", 0, "FILE", "go on from a checkpoint, or from the newest of a directory of results"},
               {"from", 0, "DIR[@STAGE]",
                "begin from the state of another run: its last, or at the end of a stage; or FILE"},
               {"quiet", 'q', NULL, "print errors and warnings only"},
               {"overwrite", 0, NULL, "replace results that lie in DIR"},
               {"view", 0, NULL, "show the run in a browser, which can pause, step and stop it (repose view --help)"},
               {"port", 0, "N", "port of the view on 127.0.0.1 (any free one)"},
               {"open", 0, NULL, "open the view in the browser of the desktop"},
               {"paused", 0, NULL, "with --view: wait before the first step until the page says go on"},
               {"allow-failed-checks", 0, NULL, "end with status 0 although a check fails; the table still says so"}},
    .run = cmd_run_run,
};
