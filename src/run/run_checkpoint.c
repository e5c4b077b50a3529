/* Checkpoints of a run: when they are written, which are kept, and how a run resumes from one. They contain a
 * simulation (scene/resume.c) and the lengths of the result files.
 *
 * A checkpoint records the lengths of the result files. A resumed run truncates them to these lengths and appends, so
 * that they end up as an uninterrupted run writes them. Checkpoints newer than the one resumed from refer to rows
 * that are truncated, so they are removed first. */
#include "run/run_state.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "io/file_names.h"
#include "io/output.h"

#define FIRST_AFTER 0.1 /* s of wall time */
#define SPARSE 150.0    /* pause over the time of the last one: < 1 % of the run */
#define NOT_BEFORE 1.0  /* s */
enum { KEPT = 2 };

/* --- the directory ------------------------------------------------------------------------------------------------- */

/* Step of a file checkpoint-STEP.ckpt; false for any other name. `part`: of an unfinished one. */
static bool run_checkpoint_step_of(const char *name, bool part, uint64_t *step) {
    static const char front[] = "checkpoint-";
    char *end;
    if (strncmp(name, front, sizeof front - 1) != 0) {
        return false;
    }
    const char *digits = name + sizeof front - 1;
    if (digits[0] < '0' || digits[0] > '9') {
        return false;
    }
    *step = strtoull(digits, &end, 10);
    return strcmp(end, part ? ".ckpt.part" : ".ckpt") == 0;
}

bool rps_is_checkpoint_file(const char *name) {
    return (strncmp(name, "checkpoint-", 11) == 0 || strncmp(name, "stage-", 6) == 0) && strstr(name, ".ckpt") != NULL;
}

/* The newest checkpoint in a directory before a step; *found is false if there is none. */
static rps_status newest_below(const char *directory, uint64_t below, bool *found, uint64_t *step, rps_error *err) {
    *found = false;
    DIR *list = opendir(directory);
    if (!list) {
        return rps_file_fail(err, "read the directory", directory, errno);
    }
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        uint64_t n;
        if (run_checkpoint_step_of(entry->d_name, false, &n) && n < below && (!*found || n > *step)) {
            *step = n;
            *found = true;
        }
    }
    closedir(list);
    return RPS_OK;
}

/* Removes checkpoints in a range of steps, including unfinished ones left by a kill. */
static rps_status remove_checkpoints(const char *directory, uint64_t low, uint64_t high, rps_error *err) {
    DIR *list = opendir(directory);
    if (!list) {
        return rps_file_fail(err, "read the directory", directory, errno);
    }
    rps_status status = RPS_OK;
    for (struct dirent *entry; status == RPS_OK && (entry = readdir(list)) != NULL;) {
        uint64_t n;
        char path[RPS_PATH];
        bool whole = run_checkpoint_step_of(entry->d_name, false, &n);
        if (!(whole && n >= low && n <= high) && (whole || !run_checkpoint_step_of(entry->d_name, true, &n))) {
            continue;
        }
        status = rps_path_join(path, directory, entry->d_name, err);
        if (status == RPS_OK) status = rps_output_remove(path, err);
    }
    closedir(list);
    return status;
}

static rps_status checkpoint_path(char path[RPS_PATH], const char *directory, uint64_t step, rps_error *err) {
    char name[64];
    snprintf(name, sizeof name, "checkpoint-%" PRIu64 ".ckpt", step);
    return rps_path_join(path, directory, name, err);
}

static void run_checkpoint_tell(const rps_run_state *run, const char *format, const char *text) {
    char all[2 * RPS_PATH];
    if (!run->options->log) return;
    snprintf(all, sizeof all, format, text);
    run->options->log(run->options->log_context, RPS_LOG_WARNING, all);
}

/* A run may resume into another folder with incomplete results; in the same folder that is an error. */
static rps_status accept_missing(const rps_run_state *run, const char *why, rps_error *err) {
    char folder[RPS_PATH];
    RPS_TRY(rps_checkpoint_folder(rps_checkpoint_path(run->from), folder, err));
    if (!run->options->directory || rps_same_directory(folder, run->options->directory)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s; to go on from its state with the results that are left, resume %s into another folder, "
                        "or start the run again",
                        why, rps_checkpoint_path(run->from));
    }
    run_checkpoint_tell(run, "%s; the run goes on from its state with the results that are left", why);
    return RPS_OK;
}

static rps_status open_one(rps_run_state *run, const char *path, bool results, rps_error *err) {
    rps_error why;
    RPS_TRY(rps_checkpoint_open(path, run->allocator, &run->from, err));
    if (!results) return RPS_OK;
    const rps_status status = rps_old_results_look(run, &why);
    return status == RPS_BAD_INPUT ? accept_missing(run, why.text, err)
           : status == RPS_OK      ? RPS_OK
                                   : rps_fail(err, status, "%s", why.text);
}

rps_status rps_checkpoint_choose(rps_run_state *run, bool results, rps_error *err) {
    const char *path = run->options->resume;
    if (!rps_is_directory(path)) return open_one(run, path, results, err);
    bool found;
    uint64_t step = UINT64_MAX, whole = UINT64_MAX;
    char file[RPS_PATH];
    rps_error first = {.status = RPS_OK}, why;
    for (;;) {
        RPS_TRY(newest_below(path, step, &found, &step, err));
        if (!found) break;
        RPS_TRY(checkpoint_path(file, path, step, err));
        rps_status status = rps_checkpoint_open(file, run->allocator, &run->from, &why);
        if (status == RPS_OK) {
            status = results ? rps_old_results_look(run, &why) : RPS_OK;
            if (status == RPS_OK) return RPS_OK;
            if (whole == UINT64_MAX) whole = step;
            rps_checkpoint_close(run->from);
            run->from = NULL;
        }
        if (status != RPS_BAD_INPUT) return rps_fail(err, status, "%s", why.text); /* the file may be intact */
        run_checkpoint_tell(run, "%s; an older checkpoint is looked for", why.text);
        first = first.status != RPS_OK ? first : why;
    }
    if (whole != UINT64_MAX) {
        RPS_TRY(checkpoint_path(file, path, whole, err));
        return open_one(run, file, results, err);
    }
    return first.status != RPS_OK
               ? rps_fail(err, first.status, "%s", first.text)
               : rps_fail(err, RPS_BAD_INPUT, "%s holds no checkpoint (checkpoint-STEP.ckpt); start the run again",
                          path);
}

/* --- saving -------------------------------------------------------------------------------------------------------- */

static rps_status run_checkpoint_save(rps_run_state *run, const rps_writer_mark *mark, const char *path,
                                      rps_serializer *serializer, rps_error *err) {
    const rps_result_counts count = {.frames = mark[RPS_WRITER_frames].items,
                                     .rows = mark[RPS_WRITER_series].items,
                                     .bytes = mark[RPS_WRITER_series].bytes};
    RPS_TRY(rps_simulation_pack(&run->sim, &count, serializer, err));
    RPS_TRY(rps_marks_save(run, mark, serializer, err));
    /* results must be on disk before the checkpoint that counts on them */
    RPS_TRY(rps_writers_sync(run, err));
    return rps_serializer_write(serializer, path, err);
}

static rps_status write_to(rps_run_state *run, const rps_writer_mark *mark, const char *path, rps_error *err) {
    rps_serializer serializer;
    rps_serializer_init(&serializer, run->world->allocator);
    rps_status status = run_checkpoint_save(run, mark, path, &serializer, err);
    rps_serializer_release(&serializer);
    return status;
}

static rps_status write_with(rps_run_state *run, const rps_writer_mark *mark, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(checkpoint_path(path, run->options->directory, rps_world_steps(run->world), err));
    return write_to(run, mark, path, err);
}

rps_status rps_checkpoint_write_stage(rps_run_state *run, rps_error *err) {
    rps_writer_mark mark[RPS_WRITERS];
    rps_stage_info stage;
    char path[RPS_PATH];
    size_t at = 0;
    rps_scene_stage(run->scene, at, &stage);
    while (at + 1 < rps_scene_stage_count(run->scene)) { /* the last that has begun */
        rps_stage_info next;
        rps_scene_stage(run->scene, at + 1, &next);
        if (!next.begun) break;
        stage = next;
        at++;
    }
    RPS_TRY(rps_stage_file(path, run->options->directory, stage.name, err));
    rps_writers_marks(run, mark);
    return write_to(run, mark, path, err);
}

rps_status rps_checkpoint_write(rps_run_state *run, rps_error *err) {
    double began = rps_clock_seconds();
    const char *directory = run->options->directory;
    rps_writer_mark mark[RPS_WRITERS];
    rps_writers_marks(run, mark);
    RPS_TRY(write_with(run, mark, err));
    uint64_t oldest = UINT64_MAX;
    bool found = true;
    for (int k = 0; k < KEPT && found; k++) {
        RPS_TRY(newest_below(directory, oldest, &found, &oldest, err));
    }
    if (found && oldest > 0) {
        RPS_TRY(remove_checkpoints(directory, 0, oldest - 1, err));
    }
    double now = rps_clock_seconds(), wait = SPARSE * (now - began);
    run->checkpoint_next = now + (run->plan->checkpoint > 0.0 ? run->plan->checkpoint : fmax(wait, NOT_BEFORE));
    return RPS_OK;
}

void rps_checkpoint_begin(rps_run_state *run) {
    double given = run->plan->checkpoint;
    bool never = !run->options->directory || given == 0.0;
    run->checkpoint_next = never ? INFINITY : run->started + (given > 0.0 ? given : FIRST_AFTER);
}

/* --- resuming ------------------------------------------------------------------------------------------------------ */

/* Adopts the options of the original run; machine, directory, callbacks and, if given, the end are the caller's. */
rps_status rps_checkpoint_adopt(rps_run_state *run, rps_error *err) {
    const rps_run_options *given = run->options;
    const rps_resume_given said = {.scene = given->path || given->text,
                                   .variant = given->variant,
                                   .until = given->until,
                                   .set = given->set,
                                   .sets = given->sets,
                                   .log = given->log,
                                   .log_context = given->log_context};
    rps_resume *resume = &run->resume;
    RPS_TRY(rps_resume_read(run->from, &said, run->allocator, resume, err));
    run->own = *given;
    run->own.path = resume->path;
    run->own.text = resume->text;
    run->own.text_bytes = resume->text_bytes;
    run->own.variant = resume->variant;
    run->own.until = resume->until;
    run->own.set = resume->set;
    run->own.sets = resume->sets;
    run->options = &run->own;
    return RPS_OK;
}

/* Output that was written only because the run ended must be removed on resume. */
static void cut_after_end(rps_run_state *run) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        run->cut[w] = !rps_schedule_due(run->plan->every[w], run->plan->clock, run->first_step);
    }
}

rps_status rps_checkpoint_restore(rps_run_state *run, rps_error *err) {
    uint64_t count[RPS_RUN_COUNTS];
    RPS_TRY(rps_checkpoint_words(run->from, rps_run_counts, count, RPS_RUN_COUNTS, err));
    RPS_TRY(rps_simulation_unpack(&run->sim, run->from, run->resume.extended, err));
    run->first_step = rps_world_steps(run->world);
    if (count[RPS_RUN_END] == RPS_END_UNTIL && rps_simulation_goes_on(&run->sim)) cut_after_end(run);
    return RPS_OK;
}

bool rps_same_directory(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

rps_status rps_checkpoint_folder(const char *checkpoint, char out[RPS_PATH], rps_error *err) {
    RPS_TRY(rps_path_join(out, NULL, checkpoint, err));
    char *slash = strrchr(out, '/');
    if (slash) {
        slash[slash == out] = '\0';
    } else {
        strcpy(out, ".");
    }
    return RPS_OK;
}

/* In its own folder a run removes the checkpoints and summary of the discarded later steps. */
static rps_status clear_later(rps_run_state *run, const char *directory, rps_error *err) {
    char path[RPS_PATH];
    if (run->first_step < UINT64_MAX) {
        RPS_TRY(remove_checkpoints(directory, run->first_step + 1, UINT64_MAX, err));
    }
    RPS_TRY(rps_path_join(path, directory, RPS_SUMMARY_FILE, err));
    RPS_TRY(rps_output_remove(path, err));
    if (!run->resume.extended) return RPS_OK;
    /* before the files are truncated: makes the new end of the run permanent */
    return write_with(run, run->old, err);
}

rps_status rps_checkpoint_files(rps_run_state *run, rps_error *err) {
    const char *directory = run->options->directory;
    char from[RPS_PATH];
    RPS_TRY(rps_checkpoint_folder(rps_checkpoint_path(run->from), from, err));
    RPS_TRY(rps_writers_cut(run, from, err));
    if (rps_same_directory(from, directory)) {
        RPS_TRY(clear_later(run, directory, err));
    } else {
        RPS_TRY(rps_directory_begin(run, err));
        RPS_TRY(rps_writers_bring(run, from, directory, err));
    }
    return rps_writers_resume(run, err);
}
