/* A run that begins from the state of another: the newest checkpoint of a folder, that at the end of a stage, or a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "run/run_state.h"
#include "scene/fork.h"

/* The checkpoint at the end of a stage: its name, with `/` written as %2F. */
rps_status rps_stage_file(char path[RPS_PATH], const char *directory, const char *stage, rps_error *err) {
    char name[RPS_PATH] = "stage-";
    size_t used = strlen(name);
    for (const char *c = stage; *c && used + 16 < sizeof name; c++) {
        if (*c == '/') {
            memcpy(name + used, "%2F", 3);
            used += 3;
        } else {
            name[used++] = *c;
        }
    }
    memcpy(name + used, ".ckpt", sizeof ".ckpt");
    return rps_path_join(path, directory, name, err);
}

/* The name of the source without the path of the machine. */
static const char *name_of(const char *path) {
    const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path;
}

/* DIR, DIR@STAGE or a file: the checkpoint to be read, and the name of the source. */
static rps_status find_source(const char *from, char path[RPS_PATH], char name[RPS_PATH], rps_error *err) {
    const char *at = strrchr(from, '@');
    bool there;
    RPS_TRY(rps_path_join(path, NULL, from, err));
    snprintf(name, RPS_PATH, "%s", name_of(from));
    RPS_TRY(rps_file_find(from, &there, err));
    if (there) return RPS_OK;
    if (!at || at == from || !at[1]) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "--from %.200s: there is no such file or directory; give a directory of results, DIR@STAGE, or a "
            "checkpoint",
            from);
    }
    char directory[RPS_PATH];
    snprintf(directory, sizeof directory, "%.*s", (int)(at - from), from);
    RPS_TRY(rps_stage_file(path, directory, at + 1, err));
    snprintf(name, RPS_PATH, "%s", name_of(directory));
    RPS_TRY(rps_file_find(path, &there, err));
    if (there) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "--from %.200s: %.200s holds no state of the end of a stage `%.80s`; `summary.json` there names its "
        "stages, and `output: {stages: false}` keeps no states",
        from, directory, at + 1);
}

rps_status rps_fork_begin(rps_run_state *run, rps_error *err) {
    char path[RPS_PATH], name[RPS_PATH];
    rps_run_options options = rps_run_options_default();
    RPS_TRY(find_source(run->options->from, path, name, err));
    options.resume = path;
    options.law = run->options->law;
    options.laws = run->options->laws;
    options.allocator = run->options->allocator;
    options.threads = run->options->threads;
    options.scheduler = run->options->scheduler;
    options.isa = run->options->isa;
    options.log = run->options->log;
    options.log_context = run->options->log_context;
    rps_run_state *source = calloc(1, sizeof *source);
    if (!source) return rps_fail(err, RPS_NO_MEMORY, "no memory for the run of %.200s", name);
    rps_status status = rps_run_begin(source, &options, err);
    if (status == RPS_OK) status = rps_simulation_fork(&run->sim, &source->sim, name, err);
    run->world = run->sim.world;
    rps_run_release(source);
    free(source);
    return status;
}
