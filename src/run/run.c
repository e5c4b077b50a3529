/* The run loop: insert what is due, decide what the coming step records, step, watch and record, until the end; and without
 * all that the steps before, at whose end nobody looks. */
#include "run/run_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "io/particles.h"
#include "version.h"

#define UNOBSERVED_SECONDS 0.5
#define UNSEEN_STEPS 20.0

const char *rps_version(void) {
    return RPS_VERSION;
}

rps_run_options rps_run_options_default(void) {
    return (rps_run_options){.size = sizeof(rps_run_options), .isa = -1, .each_steps = 1, .progress_seconds = 0.5};
}

/* The scene with the caller's settings; `until` is one more of them. */
static rps_status run_load(rps_run_state *run, rps_error *err) {
    const rps_run_options *options = run->options;
    char until[256];
    if (options->until) {
        int length = snprintf(until, sizeof until, "run.until=%s", options->until);
        if (length < 0 || (size_t)length >= sizeof until) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "the end of the run (until) is too long a text; write a time like 0.5 s");
        }
    }
    void *memory;
    size_t bytes = (options->sets + 1) * sizeof(char *);
    RPS_TRY(rps_memory_alloc(run->allocator, bytes, &memory, err));
    const char **set = memory;
    size_t sets = options->sets;
    for (size_t i = 0; i < sets; i++) {
        set[i] = options->set[i];
    }
    if (options->until) {
        set[sets++] = until;
    }
    rps_scene_options scene = {.path = options->path,
                               .text = options->text,
                               .text_bytes = options->text_bytes,
                               .folder = run->folder,
                               .variant = options->variant,
                               .set = set,
                               .sets = sets,
                               .law = options->law,
                               .laws = options->laws,
                               .allocator = run->allocator,
                               .kept = run->from ? &run->kept : NULL,
                               .threads = options->threads,
                               .isa = options->isa,
                               .log = options->log,
                               .log_context = options->log_context,
                               .proceed = options->proceed_set_up,
                               .proceed_context = options->context};
    rps_status status = rps_scene_load(&scene, &run->scene, err);
    rps_memory_release(run->allocator, memory, bytes);
    return status;
}

static void clear(rps_run_state *run, const rps_run_options *options) {
    memset(run, 0, sizeof *run);
    run->options = options;
    run->rest_from = UINT64_MAX;
    run->unobserved = 1.0;
    run->end = RPS_END_FAILED;
    run->series.file = -1;
    rps_folder_init(&run->target);
    rps_folder_init(&run->source);
}

/* The world of the scene, and what the loop needs. */
static rps_status run_build(rps_run_state *run, rps_error *err) {
    RPS_TRY(rps_scene_build(run->scene, &run->world, err));
    run->plan = rps_scene_get_run(run->scene);
    double steps = floor(run->plan->until / run->world->step + 0.5);
    run->last_step = run->plan->until > 0.0 ? (uint64_t)steps : UINT64_MAX;
    return rps_record_begin(run, err);
}

static rps_status run_begin(rps_run_state *run, const rps_run_options *options, bool claim, rps_error *err) {
    clear(run, options);
    if (options->size != sizeof *options) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the options of the run say size %u, expected %zu: make them by "
                        "rps_run_options_default",
                        options->size, sizeof *options);
    }
    run->allocator = options->allocator;
    rps_csv_init(&run->series, run->allocator);
    if (claim) RPS_TRY(rps_directory_claim(run, err));
    if (options->resume) {
        RPS_TRY(rps_checkpoint_choose(run, claim, err));
        RPS_TRY(rps_checkpoint_adopt(run, err));
    }
    RPS_TRY(run_load(run, err));
    RPS_TRY(run_build(run, err));
    return run->from ? rps_checkpoint_restore(run, err) : RPS_OK;
}

rps_status rps_run_begin(rps_run_state *run, const rps_run_options *options, rps_error *err) {
    return run_begin(run, options, false, err);
}

rps_status rps_run_begin_scene(rps_run_state *run, const rps_run_options *options, const rps_scene_options *scene,
                               rps_error *err) {
    clear(run, options);
    rps_csv_init(&run->series, NULL);
    RPS_TRY(rps_scene_load(scene, &run->scene, err));
    return run_build(run, err);
}

void rps_run_release(rps_run_state *run) {
    rps_record_close(run, NULL);
    if (run->world) {
        const rps_allocator *allocator = run->world->allocator;
        rps_memory_release(allocator, run->read, run->probes * sizeof(bool));
        rps_memory_release(allocator, run->value, run->probes * sizeof(double));
        rps_memory_release(allocator, run->row, run->row_bytes);
    }
    rps_world_destroy(run->world);
    rps_scene_free(run->scene);
    rps_memory_release(run->allocator, run->own_set, run->own_sets * sizeof(char *));
    rps_checkpoint_close(run->from);
    rps_folder_release(&run->source);
    rps_folder_release(&run->target);
    clear(run, NULL);
}

/* Values read at the end of a stage are also those at the beginning of the next one. */
static rps_status next_stage(rps_run_state *run, rps_error *err) {
    bool more;
    RPS_TRY(rps_scene_stage_next(run->scene, run->world, &more, err));
    return rps_scene_watch(run->scene, rps_world_time(run->world), run->value, run->read, err);
}

/* One step of the world with all that belongs to it; at first the start instead of a step. */
static rps_status run_advance(rps_run_state *run, bool start, bool *more, rps_error *err) {
    const rps_run_options *options = run->options;
    uint64_t number = rps_world_steps(run->world) + (start ? 0 : 1);
    size_t added;
    RPS_TRY(rps_scene_insert(run->scene, run->world, &added, err));
    rps_record_prepare(run, number);
    RPS_TRY(start ? rps_world_start(run->world, err) : rps_world_step(run->world, 1, err));
    bool rest = rps_rest_reached(run), until = number >= run->last_step;
    bool stage_over, over = false;
    RPS_TRY(rps_record_read(run, false, err));
    RPS_TRY(rps_scene_stage_over(run->scene, run->world, run->value, &stage_over, err));
    over = stage_over && rps_scene_stage_may_end_run(run->scene, number);
    if (over && !rest && !until) {
        RPS_TRY(rps_record_read(run, true, err));
    }
    RPS_TRY(rps_record_write(run, rest || until || over, err));
    if (stage_over) {
        RPS_TRY(next_stage(run, err));
    }
    *more = !rest && !until && !over;
    run->end = until ? RPS_END_UNTIL : rest ? RPS_END_REST : over ? RPS_END_STAGES : RPS_END_STOPPED;
    if (options->each && number % (options->each_steps ? options->each_steps : 1) == 0 &&
        !options->each(options->context, run->world)) {
        *more = false;
    }
    return RPS_OK;
}

/* The set-up of the loop, without output: all refusals happen here. */
rps_status rps_run_rehearse(rps_run_state *run, rps_error *err) {
    RPS_TRY(rps_scene_insert(run->scene, run->world, NULL, err));
    rps_record_prepare(run, rps_world_steps(run->world));
    RPS_TRY(rps_world_start(run->world, err));
    RPS_TRY(rps_record_read(run, false, err));
    return rps_ledger_check(run, err);
}

/* Does anything look at the world at the end of the step with this number? */
static bool is_observed(const rps_run_state *run, uint64_t step) {
    const rps_run_options *options = run->options;
    const uint64_t each = options->each_steps ? options->each_steps : 1;
    return step >= run->last_step || rps_record_due(run, step) || rps_rest_looks(run, step) ||
           rps_scene_stage_looks(run->scene, step) || (options->each && step % each == 0);
}

/* Unobserved steps are batched, which costs less. Wall-clock events and stop requests are delayed by at most about
 * UNOBSERVED_SECONDS, or by two steps where those are longer. */
static rps_status advance_unobserved(rps_run_state *run, rps_error *err) {
    const uint64_t first = rps_world_steps(run->world);
    uint64_t n = 0;
    while ((double)n < run->unobserved && !is_observed(run, first + n + 1) &&
           (n == 0 || !rps_scene_insert_due(run->scene, (double)(first + n) * run->world->step))) {
        n++;
    }
    if (n == 0) return RPS_OK;
    RPS_TRY(rps_scene_insert(run->scene, run->world, NULL, err));
    rps_world_keep_contacts(run->world, false);
    const double began = rps_clock_seconds();
    RPS_TRY(rps_world_step(run->world, n, err));
    const double most = UNOBSERVED_SECONDS * (double)n / (rps_clock_seconds() - began);
    run->unobserved = most >= 1.0 ? fmin(most, UNSEEN_STEPS) : 1.0;
    return RPS_OK;
}

static rps_status loop(rps_run_state *run, rps_error *err) {
    const rps_run_options *options = run->options;
    bool more = run->end == RPS_END_STOPPED;
    if (!run->from) {
        RPS_TRY(run_advance(run, true, &more, err));
        RPS_TRY(rps_ledger_check(run, err));
    }
    while (more) {
        if (options->proceed && !options->proceed(options->context)) {
            run->end = RPS_END_STOPPED;
            return RPS_OK;
        }
        RPS_TRY(advance_unobserved(run, err));
        RPS_TRY(run_advance(run, false, &more, err));
        rps_progress_step(run, false);
        if (more && rps_clock_seconds() >= run->checkpoint_next) {
            RPS_TRY(rps_checkpoint_write(run, err));
        }
    }
    return RPS_OK;
}

rps_status rps_run_loop(rps_run_state *run, rps_error *err) {
    const rps_run_options *options = run->options;
    if (run->last_step == UINT64_MAX && !(run->plan->rest > 0.0) && !options->proceed && !options->each) {
        return rps_fail(err, RPS_BAD_INPUT, "the scene does not say when the run ends; give run.until or run.rest");
    }
    rps_progress_begin(run);
    rps_checkpoint_begin(run);
    rps_error why;
    rps_status status = loop(run, &why);
    if (status == RPS_OK) status = rps_ledger_check(run, &why);
    if (status != RPS_OK) {
        run->stop_expected = status == RPS_GUARD && rps_scene_stopped(run->scene, run->world, why.text);
        rps_fail(err, status, "%s", why.text);
    }
    run->stepped = rps_clock_seconds() - run->started;
    if (status != RPS_OK) {
        run->end = RPS_END_FAILED;
    }
    rps_progress_step(run, true);
    return status;
}

static void tell_checks(rps_run_state *run) {
    const rps_run_options *options = run->options;
    for (size_t i = 0; options->check && i < rps_scene_check_count(run->scene); i++) {
        rps_check_result check = {.name = "check", .applies = true};
        rps_error why;
        bool known = rps_scene_check(run->scene, i, &check, &why) == RPS_OK;
        rps_check_row row = {.scene = run->plan->path,
                             .variant = options->variant ? options->variant : "",
                             .check = check.name,
                             .unit = check.unit,
                             .source = check.source,
                             .expected = check.expected,
                             .measured = check.measured,
                             .tolerance = check.tolerance,
                             .judged = !known || check.judged,
                             .passed = known && check.passed,
                             .error = known ? NULL : why.text,
                             .note = check.note};
        if (check.applies) {
            options->check(options->context, &row);
        }
    }
}

static void tell_probes(rps_run_state *run) {
    const rps_run_options *options = run->options;
    for (size_t i = 0; options->probe && i < run->probes; i++) {
        const rps_probe_info *info = rps_scene_probe(run->scene, i);
        rps_probe_row row = {.name = info->name,
                             .quantity = info->quantity,
                             .unit = info->unit,
                             .value = run->value[i],
                             .undefined = isnan(run->value[i]) ? rps_scene_probe_absence(run->scene, i) : ""};
        options->probe(options->context, &row);
    }
}

static rps_status write_particles(rps_run_state *run, rps_error *err) {
    char path[RPS_PATH];
    if (!run->plan->particles) {
        return RPS_OK;
    }
    RPS_TRY(rps_path_join(path, run->options->directory, run->plan->particles, err));
    return rps_particles_write(run->world, path, err);
}

/* Runs and closes; summary.json is the last file, so that its presence says that the rest is whole. */
static rps_status run_to_end(rps_run_state *run, rps_run_summary *summary, rps_error *err) {
    const char *directory = run->options->directory;
    if (directory && run->from) {
        RPS_TRY(rps_checkpoint_files(run, err));
        rps_folder_release(&run->source);
    } else if (directory) {
        RPS_TRY(rps_directory_begin(run, err));
        RPS_TRY(rps_record_open(run, err));
    }
    rps_error failure = {.status = RPS_OK};
    rps_status status = rps_run_loop(run, &failure);
    if (run->end == RPS_END_STOPPED || (status != RPS_OK && !run->stop_expected)) {
        rps_scene_cut(run->scene, rps_world_time(run->world), status != RPS_OK);
    }
    if (directory && status == RPS_OK) {
        status = rps_checkpoint_write(run, &failure);
    }
    summary->frames = run->results ? rps_results_frames(run->results) : 0;
    rps_status closed = rps_record_close(run, status == RPS_OK ? &failure : NULL);
    status = status != RPS_OK ? status : closed;
    run->end = status != RPS_OK ? RPS_END_FAILED : run->end;
    rps_summary_fill(run, summary);
    if (status == RPS_OK) {
        rps_warnings_find(run, summary);
        tell_probes(run);
        tell_checks(run);
    }
    if (directory && status == RPS_OK) {
        status = write_particles(run, &failure);
    }
    rps_error second;
    if (directory) {
        rps_status written = rps_summary_write(run, summary, status != RPS_OK ? failure.text : NULL,
                                               status == RPS_OK ? &failure : &second);
        status = status != RPS_OK ? status : written;
    }
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s", failure.text);
}

rps_status rps_run(const rps_run_options *options, rps_run_summary *summary, rps_error *err) {
    RPS_GIVEN(options);
    rps_run_summary unused;
    rps_run_state run;
    summary = summary ? summary : &unused;
    memset(summary, 0, sizeof *summary);
    summary->end = RPS_END_FAILED;
    char folder[RPS_PATH];
    rps_status status = run_begin(&run, options, true, err);
    if (status == RPS_OK && run.from && !run.own.directory) { /* where it was */
        status = rps_checkpoint_folder(rps_checkpoint_path(run.from), folder, err);
        run.own.directory = folder;
    }
    if (status == RPS_OK) {
        status = run_to_end(&run, summary, err);
    } else if (status == RPS_STOPPED) {
        summary->end = RPS_END_STOPPED;
    }
    rps_run_release(&run);
    return status;
}
