/* Runs scenes with all their variants and evaluates their checks. Scenes run in parallel, each on one thread; rows
 * are still reported in the order of the files. */
#include "run/run_state.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/threads.h"
#include "io/json.h"

typedef struct verify_job {
    const char *path, *variant; /* variant NULL: the scene itself */
    const char *text;           /* NULL: the scene is the file `path` */
    size_t bytes;
    rps_arena arena; /* rows and their text */
    rps_check_row *row;
    size_t rows;
    rps_status status; /* internal errors, not those of the scene */
    bool done;
} verify_job;

typedef struct verify_plan {
    rps_arena arena; /* paths and names of variants */
    verify_job *job;
    size_t jobs, job_bytes, scenes;
} verify_plan;

static rps_status copy_text(rps_arena *arena, const char *text, const char **out, rps_error *err) {
    void *memory;
    size_t bytes = strlen(text ? text : "") + 1;
    RPS_TRY(rps_arena_take(arena, bytes, &memory, err));
    *out = memcpy(memory, text ? text : "", bytes);
    return RPS_OK;
}

static rps_status add_job(verify_plan *plan, const rps_scene_load_options *scene, const char *variant, rps_error *err) {
    void *memory = plan->job;
    size_t used = plan->jobs * sizeof(verify_job);
    rps_status status =
        rps_buffer_reserve(plan->arena.allocator, &memory, &plan->job_bytes, used, used + sizeof(verify_job), err);
    plan->job = memory;
    RPS_TRY(status);
    plan->job[plan->jobs++] =
        (verify_job){.path = scene->path, .variant = variant, .text = scene->text, .bytes = scene->text_bytes};
    return RPS_OK;
}

/* Creates one job per variant. A scene that does not load becomes a job too, which reports why. */
static rps_status add_scene(verify_plan *plan, const rps_verify_options *options, const char *path, rps_error *err) {
    const char *kept, *variant;
    const bool given = options->text && strcmp(path, "-") == 0;
    RPS_TRY(copy_text(&plan->arena, given ? "the standard input" : path, &kept, err));
    plan->scenes++;
    rps_scene *scene = NULL;
    rps_scene_load_options load = {.path = kept,
                                   .text = given ? options->text : NULL,
                                   .text_bytes = options->text_bytes,
                                   .law = options->law,
                                   .laws = options->laws,
                                   .allocator = options->allocator,
                                   .threads = 1,
                                   .isa = -1};
    size_t variants = rps_scene_load(&load, &scene, NULL) == RPS_OK ? rps_scene_variant_count(scene) : 0;
    rps_status status = variants == 0 ? add_job(plan, &load, NULL, err) : RPS_OK;
    for (size_t i = 0; i < variants && status == RPS_OK; i++) {
        status = copy_text(&plan->arena, rps_scene_variant_name(scene, i), &variant, err);
        if (status == RPS_OK) {
            status = add_job(plan, &load, variant, err);
        }
    }
    rps_scene_free(scene);
    return status;
}

static bool is_scene(const char *name) {
    size_t n = strlen(name);
    static const char part[] = ".part.yaml"; /* of other scenes, which include it */
    if (n >= sizeof part - 1 && strcmp(name + n - (sizeof part - 1), part) == 0) return false;
    return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) || (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static rps_status add_directory(verify_plan *plan, const rps_verify_options *options, const char *directory, int depth,
                                rps_error *err) {
    struct dirent **entry;
    if (depth > 32) {
        return rps_fail(err, RPS_BAD_INPUT, "%s lies more than 32 directories deep; name the scenes more closely",
                        directory);
    }
    int count = scandir(directory, &entry, visible, by_name);
    if (count < 0) {
        return rps_file_fail(err, "read the directory", directory, errno);
    }
    rps_status status = RPS_OK;
    for (int i = 0; i < count; i++) {
        char path[RPS_PATH];
        if (status == RPS_OK) {
            status = rps_path_join(path, directory, entry[i]->d_name, err);
        }
        if (status == RPS_OK && rps_is_directory(path)) {
            status = add_directory(plan, options, path, depth + 1, err);
        } else if (status == RPS_OK && is_scene(path)) {
            status = add_scene(plan, options, path, err);
        }
        free(entry[i]);
    }
    free(entry);
    return status;
}

/* --- one job ------------------------------------------------------------------------------------------------------- */

static rps_status verify_add_row(verify_job *job, size_t capacity, rps_check_row row, rps_error *err) {
    if (job->rows == capacity) {
        return rps_fail(err, RPS_INTERNAL, "%s has more checks than it said", job->path);
    }
    row.scene = job->path;
    RPS_TRY(copy_text(&job->arena, job->variant, &row.variant, err));
    RPS_TRY(copy_text(&job->arena, row.check, &row.check, err));
    RPS_TRY(copy_text(&job->arena, row.unit, &row.unit, err));
    RPS_TRY(copy_text(&job->arena, row.source, &row.source, err));
    RPS_TRY(copy_text(&job->arena, row.note, &row.note, err));
    if (row.error) {
        RPS_TRY(copy_text(&job->arena, row.error, &row.error, err));
    }
    job->row[job->rows++] = row;
    return RPS_OK;
}

/* A row that reports an error instead of a measurement. */
static rps_check_row failed_row(const char *check, const char *error) {
    return (rps_check_row){
        .check = check, .expected = NAN, .measured = NAN, .tolerance = NAN, .judged = true, .error = error};
}

static rps_status verify_collect(verify_job *job, rps_scene *scene, size_t capacity, rps_error *err) {
    for (size_t i = 0; i < rps_scene_check_count(scene); i++) {
        rps_check_result check = {.applies = true};
        rps_error why;
        if (rps_scene_check(scene, i, &check, &why) != RPS_OK) {
            RPS_TRY(verify_add_row(job, capacity, failed_row(check.name, why.text), err));
        } else if (check.applies) {
            rps_check_row row = {.check = check.name,
                                 .unit = check.unit,
                                 .source = check.source,
                                 .expected = check.expected,
                                 .measured = check.measured,
                                 .tolerance = check.tolerance,
                                 .judged = check.judged,
                                 .passed = check.passed,
                                 .note = check.note};
            RPS_TRY(verify_add_row(job, capacity, row, err));
        }
    }
    return RPS_OK;
}

static rps_status run_job(verify_job *job, const rps_verify_options *options, rps_error *err) {
    rps_run_state run;
    rps_run_options run_options = rps_run_options_default();
    run_options.path = job->path;
    run_options.text = job->text;
    run_options.text_bytes = job->bytes;
    run_options.variant = job->variant;
    run_options.law = options->law;
    run_options.laws = options->laws;
    run_options.threads = 1;
    run_options.isa = options->isa;
    run_options.allocator = options->allocator;
    run_options.proceed = run_options.proceed_set_up = options->proceed;
    run_options.context = options->context;
    rps_error why;
    rps_arena_init(&job->arena, options->allocator);
    rps_status ran = rps_run_begin(&run, &run_options, &why);
    size_t capacity =
        1 + (ran == RPS_OK ? rps_scene_check_count(run.scene) : 0); /* without a run, one row reports why */
    if (ran == RPS_OK) {
        ran = rps_run_loop(&run, &why);
    }
    if (ran == RPS_OK && run.sim.end == RPS_END_STOPPED) {
        ran = rps_fail(&why, RPS_STOPPED, "the run was stopped before its end");
    }
    void *memory;
    rps_status status = rps_arena_take_items(&job->arena, capacity, sizeof(rps_check_row), &memory, err);
    if (status == RPS_OK) {
        job->row = memory;
        status = ran == RPS_OK || run.sim.stop_expected
                     ? verify_collect(job, run.scene, capacity, err)
                     : verify_add_row(job, capacity, failed_row("runs", why.text), err);
    }
    rps_run_release(&run);
    return status;
}

/* --- all jobs ------------------------------------------------------------------------------------------------------ */

static void report(const verify_plan *plan, size_t *next, const rps_verify_options *options,
                   rps_verify_summary *summary) {
    for (; *next < plan->jobs && plan->job[*next].done; ++*next) {
        const verify_job *job = &plan->job[*next];
        summary->runs++;
        for (size_t i = 0; i < job->rows; i++) {
            summary->passed += job->row[i].passed;
            summary->failed += !job->row[i].passed;
            if (options->row) {
                options->row(options->context, &job->row[i]);
            }
        }
    }
}

/* All jobs; what follows the lock is written behind it. */
typedef struct verify_all {
    verify_plan *plan;
    const rps_verify_options *options;
    rps_lock lock;
    rps_verify_summary *summary;
    rps_error *err;
    rps_status status;
    size_t next;
} verify_all;

static void run_and_report(void *context, size_t i) {
    verify_all *all = context;
    verify_job *job = &all->plan->job[i];
    rps_error why = {.status = RPS_OK};
    job->status = run_job(job, all->options, &why);
    rps_lock_take(&all->lock);
    job->done = true;
    if (job->status != RPS_OK && all->status == RPS_OK) all->status = rps_fail(all->err, job->status, "%s", why.text);
    report(all->plan, &all->next, all->options, all->summary);
    rps_lock_give(&all->lock);
}

static rps_status verify_run_all(verify_plan *plan, const rps_verify_options *options, rps_verify_summary *summary,
                                 rps_error *err) {
    int granted;
    RPS_TRY(rps_threads_take("jobs", options->jobs, &options->scheduler, &granted, err));
    const rps_workers workers = {(size_t)granted < plan->jobs ? granted : (int)plan->jobs, options->scheduler};
    verify_all all = {
        .plan = plan, .options = options, .summary = summary, .err = err, .status = RPS_OK, .lock = RPS_LOCK_OPEN};
    rps_parallel_each(workers, plan->jobs, run_and_report, &all);
    return all.status;
}

static rps_status verify_write_json(const verify_plan *plan, const char *path, rps_error *err) {
    rps_json json;
    rps_json_init(&json, plan->arena.allocator);
    rps_json_open(&json, NULL, '{', false);
    rps_json_open(&json, "checks", '[', false);
    for (size_t i = 0; i < plan->jobs; i++) {
        for (size_t k = 0; k < plan->job[i].rows; k++) {
            const rps_check_row *row = &plan->job[i].row[k];
            rps_json_open(&json, NULL, '{', true);
            rps_json_string(&json, "scene", row->scene);
            rps_json_string(&json, "variant", row->variant);
            char name[sizeof((rps_error *)0)->text + 128];
            snprintf(name, sizeof name, row->error ? "%s: %s" : "%s%s", row->check, row->error ? row->error : "");
            rps_json_string(&json, "check", name);
            rps_json_number(&json, "expected", row->expected);
            rps_json_number(&json, "measured", row->measured);
            rps_json_number(&json, "tolerance", row->tolerance);
            rps_json_string(&json, "verdict", row->passed ? "pass" : "fail");
            rps_json_close(&json, '}');
        }
    }
    rps_json_close(&json, ']');
    rps_json_close(&json, '}');
    rps_status status = rps_json_save(&json, path, err);
    rps_json_release(&json);
    return status;
}

rps_verify_options rps_verify_options_default(void) {
    return (rps_verify_options){.size = sizeof(rps_verify_options), .isa = -1};
}

rps_status rps_verify(const rps_verify_options *options, rps_verify_summary *summary, rps_error *err) {
    RPS_GIVEN(options);
    rps_verify_summary unused;
    summary = summary ? summary : &unused;
    memset(summary, 0, sizeof *summary);
    verify_plan plan = {.jobs = 0};
    rps_arena_init(&plan.arena, options->allocator);
    rps_status status = RPS_OK;
    for (size_t i = 0; i < options->paths && status == RPS_OK; i++) {
        status = rps_is_directory(options->path[i]) ? add_directory(&plan, options, options->path[i], 0, err)
                                                    : add_scene(&plan, options, options->path[i], err);
    }
    if (status == RPS_OK && plan.jobs == 0) {
        status = rps_fail(err, RPS_BAD_INPUT, "there is no scene (*.yaml) to verify; name scene files or directories");
    }
    summary->scenes = plan.scenes;
    if (status == RPS_OK) {
        status = verify_run_all(&plan, options, summary, err);
    }
    if (status == RPS_OK && options->json) {
        status = verify_write_json(&plan, options->json, err);
    }
    for (size_t i = 0; i < plan.jobs; i++) {
        rps_arena_release(&plan.job[i].arena);
    }
    void *memory = plan.job;
    rps_buffer_release(options->allocator, &memory, &plan.job_bytes);
    rps_arena_release(&plan.arena);
    return status;
}
