/* The run loop: insert due particles, decide what the next step records, step, watch and record, until the end. Steps
 * whose end state is not observed are batched and skip all of this. */
#include "run/run_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "io/particles.h"

#define UNOBSERVED_SECONDS 0.5
#define UNSEEN_STEPS 20.0
#define UNSEEN_STEPS_REMOTE 1e5 /* an observed step of other processes costs as much as several */

rps_run_options rps_run_options_default(void) {
    return (rps_run_options){.size = sizeof(rps_run_options), .isa = -1, .each_steps = 1, .progress_seconds = 0.5};
}

/* The scene with the caller's settings. */
static rps_status run_load(rps_run_state *run, rps_scene **scene, rps_error *err) {
    const rps_run_options *options = run->options;
    const rps_scene_load_options load = {.path = options->path,
                                         .text = options->text,
                                         .text_bytes = options->text_bytes,
                                         .folder = run->resume.folder,
                                         .included = run->resume.included,
                                         .includes = run->resume.includes,
                                         .variant = options->variant,
                                         .set = options->set,
                                         .sets = options->sets,
                                         .until = options->until,
                                         .law = options->law,
                                         .laws = options->laws,
                                         .allocator = run->allocator,
                                         .kept = run->from ? &run->resume.kept : NULL,
                                         .threads = options->threads,
                                         .scheduler = options->scheduler,
                                         .isa = options->isa,
                                         .log = options->log,
                                         .log_context = options->log_context,
                                         .proceed = options->proceed_set_up,
                                         .proceed_context = options->context};
    return rps_scene_load(&load, scene, err);
}

static void clear(rps_run_state *run, const rps_run_options *options) {
    memset(run, 0, sizeof *run);
    run->options = options;
    run->unobserved = 1.0;
    run->sim.end = RPS_END_FAILED;
    rps_folder_init(&run->target);
    rps_folder_init(&run->source);
}

/* Builds the world of the scene and the state of the loop. */
static rps_status run_build(rps_run_state *run, rps_scene *scene, rps_error *err) {
    RPS_TRY(rps_simulation_build(&run->sim, scene, run->allocator, err));
    run->scene = run->sim.scene;
    run->world = run->sim.world;
    run->plan = run->sim.plan;
    return RPS_OK;
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
    if (claim) RPS_TRY(rps_directory_claim(run, err));
    if (options->resume) {
        RPS_TRY(rps_checkpoint_choose(run, claim, err));
        RPS_TRY(rps_checkpoint_adopt(run, err));
    }
    rps_scene *scene;
    RPS_TRY(run_load(run, &scene, err));
    RPS_TRY(run_build(run, scene, err));
    if (options->from) return rps_fork_begin(run, err);
    return run->from ? rps_checkpoint_restore(run, err) : RPS_OK;
}

rps_status rps_run_begin(rps_run_state *run, const rps_run_options *options, rps_error *err) {
    return run_begin(run, options, false, err);
}

rps_status rps_run_begin_scene(rps_run_state *run, const rps_run_options *options, const rps_scene_load_options *scene,
                               rps_error *err) {
    clear(run, options);
    rps_scene *loaded;
    RPS_TRY(rps_scene_load(scene, &loaded, err));
    return run_build(run, loaded, err);
}

void rps_run_release(rps_run_state *run) {
    rps_writers_close(run, NULL);
    rps_simulation_release(&run->sim);
    rps_resume_release(&run->resume);
    rps_checkpoint_close(run->from);
    rps_folder_release(&run->source);
    rps_folder_release(&run->target);
    clear(run, NULL);
}

static void tell_frame(const rps_run_state *run) {
    rps_writer_mark mark[RPS_WRITERS];
    if (!run->options->frame || !run->due[RPS_WRITER_frames]) return;
    rps_writers_marks(run, mark);
    run->options->frame(run->options->context, mark[RPS_WRITER_frames].items);
}

/* Whether the caller wants the run to go on. It may wait before it says so. */
static bool may_proceed(rps_run_state *run) {
    const rps_run_options *options = run->options;
    if (!options->proceed) return true;
    const double asked = rps_clock_seconds();
    const bool goes_on = options->proceed(options->context);
    const double waited = rps_clock_seconds() - asked;
    run->started += waited;
    run->progress_last += waited;
    return goes_on;
}

/* One recorded step of the simulation; `start` records the initial state instead. */
static rps_status run_advance(rps_run_state *run, bool start, bool *more, rps_error *err) {
    const rps_run_options *options = run->options;
    const uint64_t number = rps_world_steps(run->world) + (start ? 0 : 1);
    rps_step_request request = {.start = start};
    rps_writers_prepare(run, number, &request);
    RPS_TRY(rps_simulation_advance(&run->sim, &request, err));
    *more = rps_simulation_goes_on(&run->sim);
    RPS_TRY(rps_writers_write(run, !*more, err));
    if (!start) RPS_TRY(rps_dump_write(run, number, err));
    tell_frame(run);
    if (run->sim.stage_is_over && options->directory && run->plan->stage_states) {
        RPS_TRY(rps_checkpoint_write_stage(run, err));
    }
    RPS_TRY(rps_simulation_settle(&run->sim, err));
    if (options->each && number % (options->each_steps ? options->each_steps : 1) == 0) {
        RPS_TRY(rps_simulation_bring(&run->sim, true, err)); /* the caller may change the world */
        if (!options->each(options->context, run->world)) *more = false;
    }
    return RPS_OK;
}

/* Sets up the loop without output: all input errors are found here. */
rps_status rps_run_rehearse(rps_run_state *run, rps_error *err) {
    const rps_step_request request = {.start = true};
    RPS_TRY(rps_simulation_advance(&run->sim, &request, err));
    return rps_simulation_check_ledger(&run->sim, err);
}

/* True if anything is written, or shown to the caller, at the end of the step with this number. */
static bool is_observed(const rps_run_state *run, uint64_t step) {
    const rps_run_options *options = run->options;
    const uint64_t each = options->each_steps ? options->each_steps : 1;
    return rps_writers_due(run, step) || rps_dump_due(run, step) || (options->each && step % each == 0);
}

/* Unobserved steps are batched, which costs less. Wall-clock events and stop requests are delayed by at most about
 * UNOBSERVED_SECONDS, or by two steps where those are longer. *cut: only that ended the batch. */
static rps_status advance_unobserved(rps_run_state *run, bool *cut, rps_error *err) {
    const uint64_t first = rps_world_steps(run->world), asked = (uint64_t)ceil(run->unobserved);
    const uint64_t most_steps = rps_simulation_unobserved(&run->sim, asked);
    uint64_t n = 0;
    while (n < most_steps && !is_observed(run, first + n + 1)) n++;
    *cut = n == asked;
    if (n == 0) return RPS_OK;
    const double began = rps_clock_seconds();
    RPS_TRY(rps_simulation_skip(&run->sim, n, err));
    const uint64_t taken = rps_world_steps(run->world) - first;
    *cut = *cut || taken < n;
    const double most = UNOBSERVED_SECONDS * (double)taken / (rps_clock_seconds() - began);
    const double batch = run->sim.remote != NULL ? UNSEEN_STEPS_REMOTE : UNSEEN_STEPS;
    run->unobserved = most >= 1.0 ? fmin(most, batch) : 1.0;
    return RPS_OK;
}

static rps_status loop(rps_run_state *run, rps_error *err) {
    bool more = rps_simulation_goes_on(&run->sim);
    if (more) RPS_TRY(rps_simulation_settle(&run->sim, err)); /* after the end of a stage the next one begins */
    if (!run->sim.started) {
        RPS_TRY(run_advance(run, true, &more, err));
        RPS_TRY(rps_simulation_check_ledger(&run->sim, err));
    }
    while (more) {
        bool cut;
        if (!may_proceed(run)) return RPS_OK;
        RPS_TRY(advance_unobserved(run, &cut, err));
        if (!cut || run->sim.remote == NULL) RPS_TRY(run_advance(run, false, &more, err));
        const double now = rps_clock_seconds();
        const bool writes = more && now >= run->checkpoint_next;
        if (writes || rps_progress_due(run, now)) RPS_TRY(rps_simulation_bring(&run->sim, false, err));
        rps_progress_step(run, false);
        if (writes) RPS_TRY(rps_checkpoint_write(run, err));
    }
    return RPS_OK;
}

rps_status rps_run_loop(rps_run_state *run, rps_error *err) {
    const rps_run_options *options = run->options;
    if (run->sim.last_step == UINT64_MAX && !(run->plan->rest > 0.0) && !options->proceed && !options->each) {
        return rps_fail(err, RPS_BAD_INPUT, "the scene does not say when the run ends; give run.until or run.rest");
    }
    rps_progress_begin(run);
    rps_checkpoint_begin(run);
    rps_error why;
    rps_status status = loop(run, &why);
    rps_error lost; /* after a failure the state is that of its step, as far as it can be had */
    const rps_status brought = rps_simulation_bring(&run->sim, false, status == RPS_OK ? &why : &lost);
    if (status == RPS_OK) status = brought;
    if (status == RPS_OK) status = rps_simulation_check_ledger(&run->sim, &why);
    if (status != RPS_OK) {
        rps_simulation_failed(&run->sim, status, why.text);
        rps_fail(err, status, "%s", why.text);
    }
    run->stepped = rps_clock_seconds() - run->started;
    rps_progress_step(run, true);
    return status;
}

static void tell_checks(rps_run_state *run) {
    const rps_run_options *options = run->options;
    for (size_t i = 0; options->check && i < rps_scene_check_count(run->scene); i++) {
        rps_check_row row;
        rps_error why;
        if (rps_simulation_check_row(&run->sim, i, &row, &why)) options->check(options->context, &row);
    }
}

static void tell_probes(rps_run_state *run) {
    const rps_run_options *options = run->options;
    for (size_t i = 0; options->probe && i < run->sim.probes; i++) {
        const rps_probe_info *info = rps_scene_probe(run->scene, i);
        rps_probe_row row = {.name = info->name,
                             .quantity = info->quantity,
                             .unit = info->unit,
                             .value = run->sim.value[i],
                             .undefined = isnan(run->sim.value[i]) ? rps_scene_probe_absence(run->scene, i) : ""};
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

/* Runs and closes. summary.json is written last, so its presence means that all other files are complete. */
static rps_status run_to_end(rps_run_state *run, rps_run_summary *summary, rps_error *err) {
    const char *directory = run->options->directory;
    if (directory && run->from) {
        RPS_TRY(rps_checkpoint_files(run, err));
        rps_folder_release(&run->source);
    } else if (directory) {
        RPS_TRY(rps_directory_begin(run, err));
        RPS_TRY(rps_writers_open(run, err));
    }
    rps_error failure = {.status = RPS_OK};
    rps_status status = rps_run_loop(run, &failure);
    rps_simulation_cut(&run->sim, "stopped");
    if (directory && status == RPS_OK) {
        status = rps_checkpoint_write(run, &failure);
    }
    rps_status closed = rps_writers_close(run, status == RPS_OK ? &failure : NULL);
    summary->frames = run->written[RPS_WRITER_frames].items;
    status = status != RPS_OK ? status : closed;
    run->sim.end = status != RPS_OK ? RPS_END_FAILED : run->sim.end;
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
    return rps_run_by(options, NULL, summary, err);
}

rps_status rps_run_by(const rps_run_options *options, const rps_remote *remote, rps_run_summary *summary,
                      rps_error *err) {
    rps_run_summary unused;
    rps_run_state run;
    summary = summary ? summary : &unused;
    memset(summary, 0, sizeof *summary);
    summary->end = RPS_END_FAILED;
    char folder[RPS_PATH];
    rps_status status = run_begin(&run, options, true, err);
    if (status == RPS_OK && remote != NULL) {
        run.sim.remote = remote;
        status = remote->begin(remote->context, run.scene, run.world, err);
    }
    if (status == RPS_OK && run.from && !run.own.directory) { /* continue in the folder of the checkpoint */
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
