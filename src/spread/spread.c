/* Commands of process 0 to all processes, and the run that gives them (spread.h). */
#include "spread/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "run/run_state.h"
#include "spread/deal.h"
#include "step/step_stages.h"

enum { COMMAND_DEAL, COMMAND_STEP, COMMAND_GATHER, COMMAND_END };
enum { LOG_BYTES = 1 << 16 };

static const double PROGRESS_SECONDS = 5.0;

/* One process of a run. */
typedef struct spread_run {
    rps_spread s;
    rps_run_state scene; /* the world of the share is built from it */
    rps_world *whole;    /* process 0: that of the run */
    bool here, shared;   /* process 0: the whole world has the present state; the shares have it */
    rps_status started;  /* of the share's world at its start */
    rps_error why;       /* not started */
    char log[LOG_BYTES]; /* warnings of this process since the last command, each ending in 0 */
    size_t logged;
    double *overlap; /* by pair */
    size_t overlap_bytes;
} spread_run;

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* Ends all processes: this one failed where the others cannot know. */
static void give_up(const rps_spread *s, const rps_error *err) {
    fprintf(s->errors, "repose-mpi: process %d of %d: %s\n", s->rank, s->size, err->text);
    fflush(s->errors);
    MPI_Abort(s->comm, 1); /* src/spread is linked to repose-mpi alone, and to no library */
    abort();               /* MPI_Abort may return */
}

/* All processes get the status and sentence of the lowest one that failed, its rank before the sentence unless it is 0. */
static rps_status spread_agree(const rps_spread *s, rps_status status, rps_error *err) {
    int mine = status != RPS_OK ? s->rank : s->size, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, s->comm);
    if (first == s->size) return RPS_OK;
    rps_error told = {.status = status};
    if (first == s->rank) told = *err;
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, s->comm);
    if (first == 0) return rps_fail(err, told.status, "%s", told.text);
    return rps_fail(err, told.status, "process %d of %d: %s", first, s->size, told.text);
}

/* All processes have stopped at one step; the one that has the body tells. */
static rps_status spread_tell_stop(const rps_spread *s, rps_status status, rps_error *err) {
    const bool elsewhere = strstr(err->text, "which another process holds") != NULL;
    int mine = elsewhere ? s->size : s->rank, teller;
    MPI_Allreduce(&mine, &teller, 1, MPI_INT, MPI_MIN, s->comm);
    rps_error told = *err;
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, teller < s->size ? teller : 0, s->comm);
    return rps_fail(err, status, "%s", told.text);
}

/* --- warnings ----------------------------------------------------------------------------------------------------- */

static void keep_warning(void *context, int level, const char *text) {
    spread_run *run = context;
    const size_t bytes = strlen(text) + 1;
    (void)level;
    if (run->logged + bytes > LOG_BYTES) return;
    memcpy(run->log + run->logged, text, bytes);
    run->logged += bytes;
}

static void tell_warnings(const rps_world *whole, const char *text, size_t bytes) {
    for (size_t at = 0; at < bytes; at += strlen(text + at) + 1) {
        if (whole->options.log) whole->options.log(whole->options.log_context, RPS_LOG_WARNING, text + at);
    }
}

/* Process 0 gets the warnings of all processes, in the order of processes. */
static void collect_warnings(spread_run *run) {
    char text[LOG_BYTES];
    uint64_t mine = run->logged, most;
    MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, run->s.comm);
    for (int p = 0; most > 0 && p < run->s.size; p++) {
        if (run->s.rank == 0 && p > 0) {
            MPI_Recv(&mine, 1, MPI_UINT64_T, p, 0, run->s.comm, MPI_STATUS_IGNORE);
            MPI_Recv(text, (int)mine, MPI_CHAR, p, 0, run->s.comm, MPI_STATUS_IGNORE);
            tell_warnings(run->whole, text, mine);
        } else if (run->s.rank == 0) {
            tell_warnings(run->whole, run->log, run->logged);
        } else if (run->s.rank == p) {
            MPI_Send(&mine, 1, MPI_UINT64_T, 0, 0, run->s.comm);
            MPI_Send(run->log, (int)mine, MPI_CHAR, 0, 0, run->s.comm);
        }
    }
    run->logged = 0;
}

/* --- commands, by all processes ----------------------------------------------------------------------------------- */

static double mean_radius(const rps_world *world) {
    double sum = 0.0, count = 0.0;
    for (size_t slot = 0; slot < world->bodies.count; slot++) {
        if (world->bodies.kind[slot][0] != RPS_BODY_FREE) continue;
        sum += world->bodies.pose[slot].radius[0];
        count += 1.0;
    }
    return count > 0.0 ? sum / count : 0.0;
}

static rps_status do_deal(spread_run *run, rps_error *err) {
    rps_spread *s = &run->s;
    double told[2] = {0.0, 0.0}; /* the mean radius, and whether the guard of the step is on */
    RPS_TRY(run->started != RPS_OK ? rps_fail(err, run->started, "%s", run->why.text) : RPS_OK);
    if (run->whole != NULL) {
        told[0] = mean_radius(run->whole);
        told[1] = run->whole->options.guards.action[RPS_GUARD_STABLE] != RPS_GUARD_OFF;
    }
    MPI_Bcast(told, 2, MPI_DOUBLE, 0, s->comm);
    s->mean_radius = told[0];
    rps_margin_bound(s);
    s->limit = told[1] != 0.0;
    return rps_deal_whole(s, run->whole, err);
}

/* Whether process 0 must look at the bodies for the guard of the step: all processes get the same answer. */
static bool must_look(spread_run *run) {
    rps_world *world = run->s.world;
    if (!run->s.limit || world->steps % RPS_GUARD_LOOK_STEPS != 0) return false;
    rps_deepest_overlaps(world, run->overlap);
    rps_share_most(world, world->pairs, run->overlap);
    double most = run->whole != NULL ? rps_guard_suspects(run->whole, world->steps, run->overlap) : 0.0;
    rps_share_most(world, 1, &most);
    if (!(most > 0.0)) return false;
    double looks = rps_guard_suspects_own(world, most) ? 1.0 : 0.0;
    rps_share_most(world, 1, &looks);
    return looks > 0.0;
}

static rps_status check_overrun(const rps_spread *s, rps_error *err) {
    if (!s->overrun) return RPS_OK;
    return rps_fail(
        err, RPS_GUARD,
        "bodies have moved %.3g m since they were dealt to processes, farther than their copies cover (%.3g m), "
        "because one became more than %g times as fast in a step; at t = %.9g s (step %llu)\nchoose a smaller "
        "step, or run the scene by `repose run`",
        s->travel, 0.5 * s->margin, 2.0, rps_world_time(s->world), (unsigned long long)s->world->steps);
}

/* How steps ended. */
typedef struct steps_end {
    uint64_t done;
    bool looks, passes; /* early: process 0 must look at the bodies; something passes (rps_watch_passes) */
} steps_end;

/* Takes up to n steps, with results of contacts if `keep`. */
static rps_status do_steps(spread_run *run, uint64_t n, bool keep, steps_end *end, rps_error *err) {
    rps_spread *s = &run->s;
    rps_world_keep_contacts(s->world, keep);
    const uint64_t first = s->world->steps;
    const double began = rps_clock_seconds(), processor = rps_clock_processor_seconds();
    rps_status status = RPS_OK;
    *end = (steps_end){0};
    rps_spread_work(s, true);
    const uint64_t most = rps_scene_has_traffic(s->scene) ? 1 : UINT64_MAX; /* each is looked at */
    while (status == RPS_OK && !end->looks && !end->passes && s->world->steps - first < n) {
        const uint64_t asked = n - (s->world->steps - first), left = asked < most ? asked : most;
        const uint64_t look = RPS_GUARD_LOOK_STEPS - s->world->steps % RPS_GUARD_LOOK_STEPS;
        rps_error why = {.status = RPS_OK};
        if (s->due && rps_deal_again(s, &why) != RPS_OK) give_up(s, &why);
        status = rps_world_step(s->world, look < left ? look : left, &why);
        if (status != RPS_OK && status != RPS_GUARD) give_up(s, &why);
        if (status != RPS_OK) status = spread_tell_stop(s, status, &why);
        if (status == RPS_OK) status = check_overrun(s, &why);
        if (status != RPS_OK) rps_fail(err, status, "%s", why.text);
        if (status == RPS_OK) end->looks = must_look(run);
        if (status == RPS_OK) end->passes = rps_watch_passes(s);
    }
    end->done = s->world->steps - first;
    rps_spread_work(s, false);
    s->counts.steps.wall += rps_clock_seconds() - began;
    s->counts.steps.processor += rps_clock_processor_seconds() - processor;
    s->counts.steps.times += end->done;
    collect_warnings(run);
    return status;
}

enum { COMMAND_WORDS = 3 }; /* kind, steps, and whether they keep results of contacts */

static void command(const spread_run *run, uint64_t kind, uint64_t steps, bool keep) {
    uint64_t words[COMMAND_WORDS] = {kind, steps, keep};
    MPI_Bcast(words, COMMAND_WORDS, MPI_UINT64_T, 0, run->s.comm);
}

/* Does what process 0 commands, until the end. Failures of a stop are process 0's to tell. */
static void spread_serve(spread_run *run) {
    for (;;) {
        uint64_t words[COMMAND_WORDS];
        steps_end end;
        rps_error err;
        MPI_Bcast(words, COMMAND_WORDS, MPI_UINT64_T, 0, run->s.comm);
        if (words[0] == COMMAND_END) return;
        if (words[0] == COMMAND_STEP) do_steps(run, words[1], words[2] != 0, &end, &err);
        if (words[0] == COMMAND_DEAL) {
            const rps_status status = do_deal(run, &err);
            if (status != RPS_OK && status != RPS_UNSUPPORTED) give_up(&run->s, &err);
        }
        if (words[0] == COMMAND_GATHER && rps_gather(&run->s, NULL, &err) != RPS_OK) give_up(&run->s, &err);
    }
}

/* --- process 0 ---------------------------------------------------------------------------------------------------- */

static rps_status spread_begin(void *context, const rps_scene *scene, rps_world *world, rps_error *err) {
    spread_run *run = context;
    run->whole = world;
    run->s.told = scene;
    run->here = true;
    return rps_share_check(world, err);
}

static rps_status spread_bring(void *context, rps_world *whole, bool changes, rps_error *err) {
    spread_run *run = context;
    if (changes) run->shared = false;
    if (run->here) return RPS_OK;
    command(run, COMMAND_GATHER, 0, false);
    run->here = true;
    return rps_gather(&run->s, whole, err);
}

static bool spread_has(void *context) {
    const spread_run *run = context;
    return run->shared;
}

static rps_status spread_deal(spread_run *run, rps_error *err) {
    if (run->shared) return RPS_OK;
    command(run, COMMAND_DEAL, 0, false);
    const rps_status status = do_deal(run, err);
    if (status != RPS_OK && status != RPS_UNSUPPORTED) give_up(&run->s, err);
    run->shared = status == RPS_OK;
    return status;
}

static rps_status spread_step(void *context, rps_world *whole, uint64_t steps, bool keep, bool *passes,
                              rps_error *err) {
    spread_run *run = context;
    *passes = false;
    while (steps > 0 && !*passes) {
        steps_end end;
        RPS_TRY(spread_deal(run, err));
        command(run, COMMAND_STEP, steps, keep);
        run->here = false;
        const rps_status status = do_steps(run, steps, keep, &end, err);
        whole->steps += end.done;
        steps -= end.done;
        *passes = end.passes;
        if (status != RPS_OK) return status;
        if (!end.looks) continue;
        RPS_TRY(spread_bring(run, whole, false, err));
        RPS_TRY(rps_guard_stable(whole, &whole->guard, &whole->bonds, err));
    }
    return RPS_OK;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Builds the scene and starts its world: a share takes a world that has started. */
static rps_status spread_build(spread_run *run, const rps_run_options *options, rps_error *err) {
    rps_run_options quiet = *options;
    void *memory;
    quiet.directory = NULL;
    quiet.log = NULL;
    quiet.progress = NULL;
    quiet.each = NULL;
    RPS_TRY(rps_run_begin(&run->scene, &quiet, err));
    rps_world *world = run->s.world = run->scene.world;
    run->s.scene = run->scene.scene;
    run->overlap_bytes = (world->pairs + 1) * sizeof *run->overlap;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, run->overlap_bytes, &memory, err));
    run->overlap = memory;
    world->options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF;
    return RPS_OK;
}

/* All processes must have built the same world with the same program. */
static rps_status compare_worlds(const spread_run *run, rps_error *err) {
    enum { WORDS = 4 };
    uint64_t word[WORDS], low[WORDS], high[WORDS];
    RPS_TRY(rps_world_hash(run->s.world, word, err));
    rps_hash version;
    rps_hash128_begin(&version);
    rps_hash128_add(&version, rps_version(), strlen(rps_version()));
    const rps_hash128_value value = rps_hash128_result(&version);
    word[2] = value.high;
    word[3] = value.low;
    MPI_Allreduce(word, low, WORDS, MPI_UINT64_T, MPI_MIN, run->s.comm);
    MPI_Allreduce(word, high, WORDS, MPI_UINT64_T, MPI_MAX, run->s.comm);
    if (memcmp(low + 2, high + 2, 2 * sizeof *low) != 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the processes are different versions of the program (process %d: %s); start "
                        "the same one everywhere",
                        run->s.rank, rps_version());
    }
    if (memcmp(low, high, 2 * sizeof *low) != 0) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "the processes have built different worlds: the scene, or a file that it reads, is not the same "
            "everywhere");
    }
    return RPS_OK;
}

static void most_of_two(void *in, void *inout, int *n, MPI_Datatype *type) {
    const double *x = in;
    double *most = inout;
    (void)type;
    for (int k = 0; k < *n; k++) {
        if (most[k] == most[k] && !(x[k] <= most[k])) most[k] = x[k];
    }
}

static rps_status open_spread(spread_run *run, const rps_spread_options *spread, rps_error *err) {
    rps_spread *s = &run->s;
    s->row = rps_row_layout_make();
    s->deal_every = spread->deal_every;
    rps_arena_init(&s->arena, NULL);
    if (MPI_Op_create(most_of_two, 1, &s->most) != MPI_SUCCESS)
        return rps_fail(err, RPS_INTERNAL, "MPI has no operation");
    RPS_TRY(rps_route_open(s->comm, spread->owners, s->world->options.period, &s->route, err));
    s->world->options.log = keep_warning;
    s->world->options.log_context = run;
    run->started = rps_world_start(s->world, &run->why);
    run->logged = 0; /* process 0 tells what happens at the start */
    return RPS_OK;
}

static void close_spread(spread_run *run) {
    rps_spread *s = &run->s;
    rps_halo_release(&s->halo);
    rps_watch_release(&s->watch);
    rps_outboxes_release(&s->out);
    rps_route_close(s->route);
    rps_arena_release(&s->arena);
    if (s->world != NULL) s->world->share = NULL;
    rps_run_release(&run->scene);
    for (int k = 0; k < 2; k++) {
        void *gid = s->gid[k];
        rps_buffer_release(NULL, &gid, &s->gid_bytes[k]);
    }
    rps_memory_release(NULL, run->overlap, run->overlap_bytes);
    if (s->most != MPI_OP_NULL) MPI_Op_free(&s->most);
}

static double time_each(double seconds, uint64_t times) {
    return times > 0 ? 1e3 * seconds / (double)times : 0.0;
}

/* A line of each process, of the numbers that it has counted. */
static void tell_line(FILE *out, int process, const double *number) {
    fprintf(out,
            "process %d: %.0f steps by all processes, %.3g ms each, %.3g of it work; %.5g bodies, %.5g copies, %.3g "
            "messages of %.4g "
            "bytes, exchange %.3g + %.3g ms; %.0f deals, %.0f of them for balance, %.3g ms each; %.0f gathers, %.3g ms "
            "each; "
            "margin %.3g m\n",
            process, number[0], number[1], number[2], number[3], number[4], number[5], number[6], number[7], number[8],
            number[9], number[10], number[11], number[12], number[13], number[14]);
}

static void tell_counts(const rps_spread *s) {
    enum { NUMBERS = 15 };
    const rps_spread_counts *c = &s->counts;
    const uint64_t n = c->steps.times;
    const double steps = n > 0 ? (double)n : 1.0, bytes = (double)s->halo.bytes;
    double number[NUMBERS] = {(double)n,
                              time_each(c->steps.wall, n),
                              time_each(s->balance.work, n),
                              (double)c->bodies / steps,
                              (double)c->copies / steps,
                              (double)c->messages / steps,
                              c->messages > 0 ? (double)c->sent / (double)c->messages * bytes : 0.0,
                              time_each(c->follow.wall, n),
                              time_each(c->sums.wall, n),
                              (double)c->deals.times,
                              (double)c->balances,
                              time_each(c->deals.processor, c->deals.times),
                              (double)c->gathers.times,
                              time_each(c->gathers.processor, c->gathers.times),
                              s->margin};
    for (int p = 0; p < s->size; p++) {
        if (s->rank == 0 && p > 0) MPI_Recv(number, NUMBERS, MPI_DOUBLE, p, 0, s->comm, MPI_STATUS_IGNORE);
        if (s->rank == 0) tell_line(s->errors, p, number);
        if (s->rank == p && p > 0) MPI_Send(number, NUMBERS, MPI_DOUBLE, 0, 0, s->comm);
    }
}

static rps_status run_all(spread_run *run, const rps_spread_options *spread, const rps_run_options *options,
                          rps_run_summary *summary, rps_error *err) {
    rps_spread *s = &run->s;
    RPS_TRY(spread_agree(s, spread_build(run, options, err), err));
    RPS_TRY(spread_agree(s, compare_worlds(run, err), err));
    RPS_TRY(spread_agree(s, open_spread(run, spread, err), err));
    if (s->rank != 0) {
        spread_serve(run);
        if (spread->counts) tell_counts(s);
        return RPS_OK;
    }
    const rps_remote remote = {
        .context = run, .begin = spread_begin, .step = spread_step, .bring = spread_bring, .has = spread_has};
    rps_run_options slow = *options; /* progress needs the state here */
    slow.progress_seconds = fmax(slow.progress_seconds, PROGRESS_SECONDS);
    const rps_status status = rps_run_by(&slow, &remote, summary, err);
    command(run, COMMAND_END, 0, false);
    if (spread->counts) tell_counts(s);
    return status;
}

rps_status rps_spread_run(const rps_spread_options *spread, const rps_run_options *options, rps_run_summary *summary,
                          rps_error *err) {
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, sizeof(spread_run), &memory, err));
    spread_run *run = memory;
    run->s.comm = spread->comm;
    run->s.most = MPI_OP_NULL;
    run->s.errors = spread->errors;
    MPI_Comm_rank(spread->comm, &run->s.rank);
    MPI_Comm_size(spread->comm, &run->s.size);
    memset(summary, 0, sizeof *summary);
    const bool alone = run->s.size == 1 && spread->deal_every == 0; /* nothing to share */
    const rps_status status = alone ? rps_run(options, summary, err) : run_all(run, spread, options, summary, err);
    close_spread(run);
    rps_memory_release(NULL, run, sizeof *run);
    return status;
}
