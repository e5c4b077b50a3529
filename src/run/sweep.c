/* repose sweep: many small worlds, one per thread. Runs are independent, so a row does not depend on the number of
 * parallel runs or the order in which they end. */
#include "run/sweep_state.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"

/* --- under the lock ------------------------------------------------------------------------------------------------ */

/* Writes the rows whose predecessors are all written. */
static rps_status sweep_write_rows(sweep_state *sweep, rps_text *line, rps_error *err) {
    const rps_sweep_options *options = sweep->options;
    while (sweep->next < sweep->to) {
        sweep_point *point = &sweep->point[sweep->next];
        for (; point->written < point->records; point->written++) {
            RPS_TRY(rps_sweep_row(sweep, sweep->next, &point->record[point->written], line, err));
            RPS_TRY(rps_sweep_table_add(&sweep->table, line, err));
            if (options->row && !sweep->finds) options->row(options->context, rps_text_string(line));
        }
        if (!point->done) break;
        sweep->next++;
    }
    return RPS_OK;
}

static void sweep_tell(sweep_state *sweep, bool last) {
    const rps_sweep_options *options = sweep->options;
    double now = rps_clock_seconds();
    if (!options->progress || (now < sweep->progress_next && !last)) return;
    double passed = now - sweep->started;
    size_t fresh = sweep->runs - sweep->resumed;
    rps_sweep_progress p = {.points = sweep->to - sweep->from,
                            .points_done = sweep->points_done,
                            .runs = sweep->runs,
                            .failed = sweep->failed,
                            .wall_seconds = passed,
                            .remaining = NAN,
                            .last = last};
    if (fresh > 0 && sweep->points_done > 0) {
        double runs = (double)sweep->runs / (double)sweep->points_done * (double)(p.points - sweep->points_done);
        p.remaining = passed / (double)fresh * runs;
    }
    options->progress(options->context, &p);
    sweep->progress_next = now + options->progress_seconds;
}

/* --- a thread ------------------------------------------------------------------------------------------------------ */

/* Does the runs of one point. An error outside the run itself stops the sweep. */
static rps_status run_point(sweep_state *sweep, size_t index, rps_text *line, rps_text *note, rps_error *err) {
    sweep_point *point = &sweep->point[index];
    double value[RPS_SWEEP_MEASURES];
    rps_status status = RPS_OK;
    while (status == RPS_OK && !point->done) {
        sweep_record record = {.tried = NAN, .value = value};
        sweep_found found;
        rps_error why;
        if (sweep->finds && !rps_find_next(sweep, point, &record.tried, &found)) {
            point->done = true;
        } else {
            rps_status ran = rps_sweep_run(sweep, index, record.tried, value, note, &why);
            if (ran == RPS_STOPPED || ran == RPS_NO_MEMORY) return rps_fail(err, ran, "%s", why.text);
            record.failure = ran == RPS_OK ? NULL : why.text;
            record.note = ran == RPS_OK && note->length ? rps_text_string(note) : NULL;
        }
        rps_lock_take(&sweep->lock);
        if (point->done) {
            sweep->failed += found.failure != NULL;
        } else {
            status = rps_sweep_add_record(sweep, point, &record, err);
            point->done = !sweep->finds;
        }
        if (status == RPS_OK) {
            sweep->points_done += point->done;
            status = sweep_write_rows(sweep, line, err);
        }
        sweep_tell(sweep, false);
        rps_lock_give(&sweep->lock);
    }
    return status;
}

typedef struct sweep_all {
    sweep_state *sweep;
    rps_counter counter;
    rps_status result; /* the first failure; behind the lock of the sweep, as its error */
    rps_error *err;
} sweep_all;

static bool must_stop(sweep_state *sweep) {
    rps_lock_take(&sweep->lock);
    const bool stop = sweep->stop;
    rps_lock_give(&sweep->lock);
    return stop;
}

static void stop_all(sweep_all *all, rps_status status, const rps_error *why) {
    rps_lock_take(&all->sweep->lock);
    all->sweep->stop = true;
    if (all->result == RPS_OK) all->result = rps_fail(all->err, status, "%s", why->text);
    rps_lock_give(&all->sweep->lock);
}

/* Does the points that no other worker has taken. */
static void run_points(void *context, int worker) {
    sweep_all *all = context;
    sweep_state *sweep = all->sweep;
    rps_text line, note;
    (void)worker;
    rps_text_init(&line, NULL, (size_t)1 << 20);
    rps_text_init(&note, NULL, (size_t)1 << 20);
    for (size_t i; (i = sweep->from + rps_counter_take(&all->counter)) < sweep->to && !must_stop(sweep);) {
        if (sweep->point[i].done) continue;
        rps_error why;
        const rps_status status = run_point(sweep, i, &line, &note, &why);
        if (status != RPS_OK) stop_all(all, status, &why);
    }
    rps_text_release(&line);
    rps_text_release(&note);
}

static rps_status sweep_run_all(sweep_state *sweep, rps_error *err) {
    const size_t points = sweep->to - sweep->from;
    const int workers = (size_t)sweep->threads < points ? sweep->threads : (int)points;
    sweep_all all = {.sweep = sweep, .result = RPS_OK, .err = err};
    rps_parallel_run((rps_workers){workers, sweep->options->scheduler}, run_points, &all);
    return all.result;
}

/* --- the sweep ----------------------------------------------------------------------------------------------------- */

/* Reports the existing table to the caller: the header before the runs; for a bisection, all rows after them. */
static rps_status tell_rows(sweep_state *sweep, bool found, rps_error *err) {
    const rps_sweep_options *options = sweep->options;
    rps_text line;
    rps_text_init(&line, NULL, (size_t)1 << 20);
    rps_status status = options->row && sweep->finds == found ? rps_sweep_header(sweep, !found, &line, err) : RPS_OK;
    if (options->row && sweep->finds == found) options->row(options->context, rps_text_string(&line));
    for (size_t i = sweep->from; options->row && sweep->finds == found && i < sweep->to && status == RPS_OK; i++) {
        sweep_found value;
        double tried;
        if (!sweep->point[i].done) break;
        if (found) {
            rps_find_next(sweep, &sweep->point[i], &tried, &value);
            status = rps_sweep_found_row(sweep, i, &value, &line, err);
        } else {
            status = rps_sweep_row(sweep, i, &sweep->point[i].record[0], &line, err);
        }
        options->row(options->context, rps_text_string(&line));
    }
    rps_text_release(&line);
    return status;
}

static rps_status judge_all(sweep_state *sweep, rps_sweep_summary *summary, rps_error *err) {
    for (size_t i = 0; i < rps_scene_sweep_checks(sweep->scene); i++) {
        rps_check_row row;
        RPS_TRY(rps_sweep_judge(sweep, i, &row, err));
        summary->checks++;
        summary->checks_failed += !row.passed && !row.known;
        summary->checks_stale += row.passed && row.known;
        if (sweep->options->check) sweep->options->check(sweep->options->context, &row);
    }
    return RPS_OK;
}

static rps_status run_sweep(sweep_state *sweep, rps_sweep_summary *summary, rps_error *err) {
    RPS_TRY(rps_threads_take("jobs", sweep->options->jobs, &sweep->options->scheduler, &sweep->threads, err));
    RPS_TRY(rps_sweep_plan(sweep, err));
    RPS_TRY(rps_sweep_range(sweep, err));
    if (sweep->options->count) return RPS_OK;
    if (sweep->options->joins) RPS_TRY(rps_sweep_join(sweep, err));
    if (sweep->options->directory) RPS_TRY(rps_sweep_table_open(sweep, err));
    if (sweep->options->joins && sweep->options->directory) RPS_TRY(rps_sweep_write_joined(sweep, err));
    RPS_TRY(tell_rows(sweep, false, err));
    sweep->started = rps_clock_seconds();
    sweep->progress_next = sweep->started + sweep->options->progress_seconds;
    rps_status status = sweep_run_all(sweep, err);
    sweep_tell(sweep, true);
    summary->wall_seconds = rps_clock_seconds() - sweep->started;
    summary->stopped = status == RPS_STOPPED;
    if (status == RPS_STOPPED) return RPS_OK;
    RPS_TRY(status);
    RPS_TRY(rps_sweep_table_close(&sweep->table, err));
    RPS_TRY(tell_rows(sweep, true, err));
    if (rps_sweep_is_part(sweep)) return RPS_OK; /* checks, summary and picture are of all points */
    RPS_TRY(judge_all(sweep, summary, err));
    return sweep->options->directory ? rps_sweep_report(sweep, &summary->picture, err) : RPS_OK;
}

rps_sweep_options rps_sweep_options_default(void) {
    return (rps_sweep_options){.size = sizeof(rps_sweep_options), .isa = -1, .progress_seconds = 0.5};
}

rps_status rps_sweep(const rps_sweep_options *options, rps_sweep_summary *summary, rps_error *err) {
    RPS_GIVEN(options);
    rps_sweep_summary unused;
    summary = summary ? summary : &unused;
    memset(summary, 0, sizeof *summary);
    if (options->size != sizeof *options) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the options of the sweep say size %u, expected %zu: make them by rps_sweep_options_default",
                        options->size, sizeof *options);
    }
    if (options->resume && !options->directory) {
        return rps_fail(err, RPS_BAD_INPUT, "to go on with a sweep its directory is needed; give it by -o DIR");
    }
    if (options->joins && (options->resume || options->points_from || options->points_to)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "joining makes no runs, so it neither goes on with a sweep nor takes points: leave out `resume` and "
            "`points`");
    }
    sweep_state sweep = {.options = options, .table.file = -1, .lock = RPS_LOCK_OPEN};
    rps_folder_init(&sweep.folder);
    rps_pool_init(&sweep.pool, NULL);
    rps_status status = run_sweep(&sweep, summary, err);
    summary->points = sweep.points;
    summary->runs = sweep.runs;
    summary->failed = sweep.failed;
    summary->resumed = sweep.resumed;
    summary->noted = sweep.noted;
    rps_sweep_table_close(&sweep.table, NULL);
    rps_memory_release(NULL, sweep.point, sweep.points * sizeof(sweep_point));
    rps_scene_free(sweep.scene);
    rps_pool_release(&sweep.pool);
    rps_folder_release(&sweep.folder);
    return status;
}
