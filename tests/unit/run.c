/* Running a scene through the public interface: output occurs at the nearest steps and changes no state, callbacks
 * observe and stop the run, rest is detected only when bodies are at rest, failures are reported and leave results. */
#include "io_common.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <repose/run.h>

#include "base/clock.h"
#include "io/read_results.h"
#include "run/run_state.h"

static char directory[RPS_PATH];

static int set_up(void **state) {
    (void)state;
    make_directory(directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_directory(directory);
    return 0;
}

/* A ball of 1 cm falls 4 cm onto the ground and comes to rest in a dashpot. */
static const char scene[] =
    "repose: 1\n"
    "title: drop\n"
    "gravity: [0, 0, -10]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"
    "    damping: {law: ratio, value: 0.9}\n"
    "    slide: none\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.05]}\n"
    "run: {step: 1e-4 s, until: 2 s}\n"
    "output: {frames: 0, series: 0}\n"
    "probes: {height: {body: ball, quantity: position.z}}\n"
    "checks:\n"
    "  - {probe: height, final: true, expect: 0.01, within: 0.0005}\n"
    "  - {probe: height, min: true, expect: 1, within: 0.1}\n";

static rps_run_options options_of(const char *const *set, size_t sets) {
    rps_run_options options = rps_run_options_default();
    options.text = scene;
    options.text_bytes = strlen(scene);
    options.threads = 1;
    options.set = set;
    options.sets = sets;
    return options;
}

static void run_well(const rps_run_options *options, rps_run_summary *summary) {
    rps_error err;
    if (rps_run(options, summary, &err) != RPS_OK) fail_msg("%s", err.text);
}

/* Every step number that lies nearest to a multiple, and no other; also where an interval is no multiple of the step
 * and where several multiples share a step. */
static void test_schedule(void **state) {
    (void)state;
    const double interval[] = {0.01, 0.0333, 1e-3, 2.5e-3, 4e-4, 1e-4, 0.9e-3}, step = 1e-3;
    for (size_t k = 0; k < sizeof interval / sizeof *interval; k++) {
        bool due[2001] = {false};
        for (int m = 0; m * interval[k] / step + 0.5 < 2001; m++) {
            due[(int)floor(m * interval[k] / step + 0.5)] = true;
        }
        for (uint64_t n = 0; n < 2000; n++) {
            if (rps_schedule_due(interval[k], (rps_step_clock){.step = step}, n) != due[n]) {
                fail_msg("interval %g, step %d: expected %d", interval[k], (int)n, due[n]);
            }
        }
    }
    assert_false(rps_schedule_due(0.0, (rps_step_clock){.step = step}, 0));
    /* far below the step, where the number of multiples is beyond all numbers; and far above it */
    const double tiny[] = {1e-20, 1e-300, DBL_MIN, 1e-320, 4.9e-324};
    for (size_t k = 0; k < sizeof tiny / sizeof *tiny; k++) {
        for (uint64_t n = 0; n < 1000000000000000; n = 7 * n + 1)
            assert_true(rps_schedule_due(tiny[k], (rps_step_clock){.step = step}, n));
    }
    assert_true(rps_schedule_due(DBL_MAX, (rps_step_clock){.step = 1e-300}, 0));
    assert_false(rps_schedule_due(DBL_MAX, (rps_step_clock){.step = 1e-300}, 1));
}

typedef struct heard {
    int count;
    char last[256];
} heard;

static void hear(void *context, int level, const char *text) {
    heard *to = context;
    if (level != RPS_LOG_WARNING || !strstr(text, "`output:")) return; /* of others the accuracy of the step */
    to->count++;
    snprintf(to->last, sizeof to->last, "%s", text);
}

/* Any interval below the step means every step, and is reported. */
static void test_interval_below_step(void **state) {
    (void)state;
    static const char *const set[][2] = {{"output.series=1e-320", "run.until=0.01"},
                                         {"output.series=1e-9", "run.until=0.01"},
                                         {"output.series=1e-4", "run.until=0.01"},
                                         {"output.frames=0.9e-4", "run.until=0.01"}};
    char own[RPS_PATH];
    make_directory(own);
    for (size_t k = 0; k < 4; k++) {
        heard warnings = {0};
        rps_run_summary summary;
        rps_run_options options = options_of(set[k], 2);
        options.directory = own;
        options.overwrite = true;
        options.log = hear;
        options.log_context = &warnings;
        run_well(&options, &summary);
        assert_int_equal(summary.steps, 100);
        assert_int_equal(warnings.count, k == 2 ? 0 : 1);
        if (k != 2) assert_non_null(strstr(warnings.last, "less than the step of 0.0001 s"));
        if (k == 3) {
            assert_int_equal(summary.frames, 101);
            continue;
        }
        char *rows = read_text(own, "series.csv");
        int lines = 0;
        for (const char *c = rows; *c; c++) lines += *c == '\n';
        assert_int_equal(lines, 1 + 101);
        free(rows);
    }
    remove_directory(own);
}

static void test_output_changes_nothing(void **state) {
    (void)state;
    const char *much[] = {"output.frames=1e-3", "output.series=1e-4", "run.until=0.2"}, *little[] = {"run.until=0.2"};
    rps_run_summary with, without;
    rps_run_options options = options_of(much, 3);
    options.directory = directory;
    run_well(&options, &with);
    options = options_of(little, 1);
    run_well(&options, &without);
    assert_int_equal(with.steps, 2000);
    assert_int_equal(with.frames, 201);
    assert_int_equal(without.frames, 0);
    assert_true(with.hash[0] == without.hash[0] && with.hash[1] == without.hash[1]);
    assert_memory_equal(&with.ledger, &without.ledger, sizeof with.ledger);

    /* Frames carry the true time n x dt; contacts appear in them once the ball is down. */
    rps_results_reader *reader;
    rps_error err;
    size_t frames;
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    const rps_frame *frame = rps_results_reader_frames(reader, &frames);
    assert_int_equal(frames, 201);
    for (size_t f = 0; f < frames; f++) {
        assert_int_equal(frame[f].step, 10 * f);
        assert_true(frame[f].time == (double)frame[f].step * with.step);
    }
    assert_int_equal(frame[0].contacts, 0);
    assert_int_equal(frame[200].contacts, 1);
    double weight = 10.0 * 2000.0 * 4.0 / 3.0 * 3.14159265358979 * 1e-6, load, force[2][3];
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "normal_load", 200, &load, sizeof load, &err),
                     RPS_OK);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "force", 200, force, sizeof force, &err), RPS_OK);
    assert_true(fabs(load - weight) < 0.01 * weight); /* nearly at rest: the rest decays with the dashpot */
    assert_true(fabs(force[1][2] - load) < 1e-12 * weight);
    rps_results_reader_close(reader);
}

/* A box settles on the ground: probes of "the" contact see its weight, though it stands on four corners; results show
 * them one by one; its surface is twelve triangles. */
static void test_box(void **state) {
    (void)state;
    const char *set[] = {"bodies.1.shape={box: {size: [2 cm, 3 cm, 1 cm]}}", "run.until=1 s", "output.frames=0.5 s",
                         "probes={height: {body: ball, quantity: position.z},"
                         " load: {contact: [ground, ball], quantity: normal_load},"
                         " up: {contact: [ground, ball], quantity: normal.z},"
                         " touching: {contact: [ball, ground], quantity: touching}}",
                         /* the dashpot leaves exp(-0.9 * 200/s * 1 s) of the swing; 4 springs carry 0.12 N */
                         "checks=[{probe: load, final: true, expect: 0.12 N, within: 1e-9 N},"
                         " {probe: up, final: true, expect: -1, within: 1e-12},"
                         " {probe: touching, final: true, expect: 1, within: 0},"
                         " {probe: height, final: true, expect: 4.97e-3 m, within: 1e-9 m}]"};
    rps_run_summary summary;
    rps_run_options options = options_of(set, 5);
    options.directory = directory;
    options.overwrite = true;
    run_well(&options, &summary);
    assert_int_equal(summary.checks, 4);
    assert_int_equal(summary.checks_failed, 0);
    rps_results_reader *reader;
    rps_error err;
    int32_t feature[4], piece[4];
    double load[4];
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "feature", 2, feature, sizeof feature, &err),
                     RPS_OK);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "piece_j", 2, piece, sizeof piece, &err), RPS_OK);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "normal_load", 2, load, sizeof load, &err), RPS_OK);
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(load[k] - 0.03) < 1e-9 && piece[k] == 0);
        for (int l = 0; l < k; l++) assert_int_not_equal(feature[k], feature[l]);
    }
    rps_results_reader_close(reader);
    char *text = read_text(directory, "surfaces.xdmf");
    assert_non_null(strstr(text, "\"Triangle\" NumberOfElements=\"12\""));
    free(text);
    text = read_text(directory, "summary.json");
    assert_non_null(strstr(text, "{\"shape\": \"box\", \"count\": 1, "));
    assert_non_null(strstr(text, "{\"shape\": \"plane\", \"count\": 1}"));
    char version[128]; /* results name the library that made them */
    assert_true(strlen(rps_version()) > 0);
    snprintf(version, sizeof version, "\"version\": \"%s\"", rps_version());
    assert_non_null(strstr(text, version));
    free(text);
}

static bool count_and_stop(void *context, const rps_world *world) {
    int *calls = context;
    assert_int_equal(rps_world_steps(world), 10 * (uint64_t)*calls);
    return ++*calls < 6;
}

static void test_each(void **state) {
    (void)state;
    int calls = 0;
    rps_run_summary summary;
    rps_run_options options = options_of(NULL, 0);
    options.each = count_and_stop;
    options.each_steps = 10;
    options.context = &calls;
    run_well(&options, &summary);
    assert_int_equal(calls, 6);
    assert_int_equal(summary.end, RPS_END_STOPPED);
    assert_int_equal(summary.steps, 50);
}

static bool never(void *context) {
    (void)context;
    return false;
}

static void test_proceed(void **state) {
    (void)state;
    rps_run_summary summary;
    rps_run_options options = options_of(NULL, 0);
    options.proceed = never;
    run_well(&options, &summary);
    assert_int_equal(summary.end, RPS_END_STOPPED);
    assert_int_equal(summary.steps, 0);
}

typedef struct waiting {
    int calls;
    uint64_t frames, told;
} waiting;

/* Waits once, as one who pauses the run. */
static bool wait_once(void *context) {
    const struct timespec pause = {.tv_nsec = 300000000};
    waiting *w = context;
    if (w->calls++ == 0) nanosleep(&pause, NULL);
    return true;
}

static void count_frame(void *context, uint64_t frames) {
    waiting *w = context;
    w->told++;
    assert_int_equal(frames, w->told); /* one after the other, the first at the start */
    w->frames = frames;
}

static void ignore_progress(void *context, const rps_run_progress *progress) {
    (void)context;
    assert_true(progress->wall_seconds >= 0.0);
}

/* A pause in proceed changes no result and is no time of the run; each frame that the scene asks for is told. */
static void test_pause_and_frames(void **state) {
    (void)state;
    const char *set[] = {"output.frames=0.01 s", "run.until=0.1 s"};
    rps_run_summary summary, paused;
    rps_run_options options = options_of(set, 2);
    waiting w = {0};
    run_well(&options, &summary);
    options.directory = directory;
    options.overwrite = true;
    options.proceed = wait_once;
    options.frame = count_frame;
    options.progress = ignore_progress;
    options.progress_seconds = 0.0;
    options.context = &w;
    const double began = rps_clock_seconds();
    run_well(&options, &paused);
    const double passed = rps_clock_seconds() - began;
    assert_true(w.calls > 1);
    assert_int_equal(w.told, 11); /* 0 to 0.1 s */
    assert_int_equal(w.frames, paused.frames);
    assert_int_equal(paused.hash[0], summary.hash[0]);
    assert_int_equal(paused.hash[1], summary.hash[1]);
    assert_true(paused.wall_seconds <= passed - 0.3); /* all of it but the pause, however slow the machine is */
}

typedef struct limited {
    int calls, most;
} limited;

static bool count_calls(void *context) {
    limited *l = context;
    return ++l->calls <= l->most;
}

/* The set-up asks before every body and every few thousand particles, and can be stopped at each call; then nothing is left
 * that refuses the same run. */
static void test_stop_of_the_set_up(void **state) {
    (void)state;
    static const char grains[] = "particles=[{name: cloud, material: clay, radius: 1 mm, generator: {lattice: "
                                 "{box: [[0.1, 0, 1], [0.13, 0.13, 1.13]], spacing: 3 mm}}}]";
    const char *set[] = {grains, "run.until=0.2 ms", "run.step=1e-5"};
    limited l = {0, 1 << 30};
    rps_run_options options = options_of(set, 3);
    rps_run_summary summary;
    options.proceed_set_up = count_calls;
    options.context = &l;
    run_well(&options, &summary);
    const int calls = l.calls;
    assert_true(summary.bodies > 2 * 4096);
    assert_true(calls >= 2 + 3); /* two bodies; 20,000 particles in thousands */
    for (int most = 0; most < calls; most++) {
        char new_contact[RPS_PATH];
        rps_error err = {0};
        snprintf(new_contact, sizeof new_contact, "%.900s-stopped", directory);
        options.directory = new_contact;
        l = (limited){0, most};
        assert_int_equal(rps_run(&options, &summary, &err), RPS_STOPPED);
        assert_int_equal(l.calls, most + 1); /* the first false is the last call */
        assert_non_null(strstr(err.text, "stopped while its scene was being set up"));
        assert_int_equal(summary.end, RPS_END_STOPPED);
        assert_int_equal(summary.steps, 0);
        if (most + 1 < calls) continue;
        l = (limited){0, 1 << 30};
        run_well(&options, &summary);
        assert_int_equal(summary.end, RPS_END_UNTIL);
        remove_directory(new_contact);
    }
}

/* The ball starts at rest and is at rest for a moment at each turn: neither counts. It falls 4 cm in 0.089 s; a dashpot
 * of 0.9 of critical with m = 8.4 g and k = 1000 N/m decays within 10 ms; the limit must hold for 63 ms. */
static void test_rest(void **state) {
    (void)state;
    const char *set[] = {"run.rest=1e-6"};
    rps_run_summary summary;
    rps_run_options options = options_of(set, 1);
    options.directory = directory;
    options.overwrite = true;
    const char *frames[] = {"run.rest=1e-6", "output.frames=0.05"};
    options.set = frames;
    options.sets = 2;
    run_well(&options, &summary);
    assert_int_equal(summary.end, RPS_END_REST);
    assert_true(summary.time > 0.089 + 0.063 && summary.time < 0.25);
    assert_true(summary.ledger.kinetic_translation < 1e-6 * 8.4e-3 * 10 * 0.02);
    /* the state at rest is the last frame, whatever the interval */
    rps_results_reader *reader;
    rps_error err;
    size_t count;
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    const rps_frame *frame = rps_results_reader_frames(reader, &count);
    assert_true(count > 2 && frame[count - 1].step == summary.steps && frame[count - 1].contacts == 1);
    rps_results_reader_close(reader);
}

static void count_checks(void *context, const rps_check_row *row) {
    int *count = context;
    count[row->passed]++;
    assert_null(row->error);
    assert_true(strstr(row->check, "height") != NULL);
}

static void test_checks(void **state) {
    (void)state;
    int count[2] = {0, 0};
    rps_run_summary summary;
    rps_run_options options = options_of(NULL, 0);
    options.check = count_checks;
    options.context = count;
    options.until = "0.3 s";
    run_well(&options, &summary);
    assert_true(summary.time == 0.3);
    assert_int_equal(summary.checks, 2);
    assert_int_equal(summary.checks_failed, 1);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[1], 1);
}

/* A contact that comes late: each row of the series without its value says why, and so do summary.json, the rows that
 * callbacks get, and a check that finds nothing. The same after a restart between. */
typedef struct lacks {
    size_t undefined;
    char note[160];
    uint64_t stop;
} lacks;

static void take_probe(void *context, const rps_probe_row *row) {
    lacks *l = context;
    assert_true(isnan(row->value) == (*row->undefined != 0));
    l->undefined += *row->undefined != 0;
}

static void take_note(void *context, const rps_check_row *row) {
    lacks *l = context;
    assert_false(row->passed);
    snprintf(l->note, sizeof l->note, "%s", row->note);
}

static bool stop_at(void *context, const rps_world *world) {
    const lacks *l = context;
    return l->stop == 0 || rps_world_steps(world) < l->stop;
}

static void test_undefined(void **state) {
    (void)state;
    const char *set[] = {
        "run.until=0.06 s", "output.series=1 ms",
        "probes={load: {contact: [ball, ground], quantity: normal_load}, z: {body: ball, quantity: position.z}}",
        "checks=[{probe: load, at: 0.02 s, above: 0}]"};
    char *whole = NULL, *summary_of_whole = NULL;
    for (uint64_t stop = 0; stop <= 300; stop += 300) {
        lacks l = {.stop = stop};
        rps_run_options options = options_of(set, 4);
        options.directory = directory;
        options.overwrite = true;
        options.each = stop_at;
        options.context = &l;
        if (stop == 0) {
            options.probe = take_probe;
            options.check = take_note;
        }
        run_well(&options, NULL);
        if (stop > 0) {
            l.stop = 0;
            options = options_of(NULL, 0);
            options.text = NULL;
            options.resume = directory;
            options.probe = take_probe;
            options.check = take_note;
            options.context = &l;
            run_well(&options, NULL);
        }
        assert_int_equal(l.undefined, 1);
        assert_string_equal(l.note, "the probe never had a value: the two bodies do not touch");
        char *series = read_text(directory, "series.csv"), *summary = read_text(directory, "summary.json");
        assert_non_null(strstr(summary, "\"undefined\": \"the two bodies do not touch\""));
        summary[strstr(summary, "\"machine\"") - summary] = '\0';
        if (stop == 0) {
            const char *at = strstr(series, ",undefined\n");
            size_t rows = 0;
            assert_non_null(at);
            for (; (at = strstr(at, ",load: the two bodies do not touch\n")) != NULL; at++) rows++;
            assert_int_equal(rows, 61);
            whole = series;
            summary_of_whole = summary;
            continue;
        }
        assert_string_equal(series, whole);
        assert_string_equal(summary, summary_of_whole);
        free(series);
        free(summary);
    }
    free(whole);
    free(summary_of_whole);
    /* no column where nothing can lack a value */
    rps_run_options options = options_of(set, 2);
    options.directory = directory;
    options.overwrite = true;
    run_well(&options, NULL);
    char *series = read_text(directory, "series.csv");
    assert_null(strstr(series, "undefined"));
    free(series);
}

/* Checks of every kind on the fall, which is stopped after 0.05 s at a height of 3.75 cm: first those whose verdict is
 * certain by then, failures among them, then those that the rest of the run can change. */
enum { CERTAIN = 13, OPEN = 14, CHECKS = CERTAIN + OPEN };
static const char all_checks[] =
    "checks=[{probe: h, at: 0.02 s, expect: 0.048, within: 1e-6}, {probe: h, at: 0.02 s, expect: 1, within: 0.1},"
    " {probe: h, min: [0, 0.03], above: 0.04}, {probe: h, max: [0, 0.03], below: 0.04},"
    " {probe: h, min: true, below: 0.04}, {probe: h, min: true, above: 0.04},"
    " {probe: h, max: true, above: 0.04}, {probe: h, max: true, below: 0.04},"
    " {probe: h, mean: [0.01, 0.03], above: 0}, {probe: h, rate: [0.01, 0.03], below: 0},"
    " {probe: h, crosses: 0.045, expect: 0.03162, within: 1e-4},"
    " {probe: h, always: {above: 0.04}}, {probe: h, never: {below: 0.04}},"
    " {probe: h, at: 0.06 s, above: 0}, {probe: h, final: true, above: 0}, {probe: h, final: true, below: 0},"
    " {probe: h, min: true, above: 0.001}, {probe: h, max: true, below: 1}, {probe: h, min: [0, 0.06], above: 0},"
    " {probe: h, min: true, when: true, below: 0.2}, {probe: h, mean: [0.01, 0.06], above: 0},"
    " {probe: h, rms: [0.01, 0.06], above: 0}, {probe: h, rate: [0.01, 0.06], below: 0},"
    " {probe: h, crosses: 0.02, below: 0.1}, {probe: h, always: {above: 0.001}}, {probe: h, never: {above: 1}},"
    " {stops: overlap}]";

typedef struct verdicts {
    uint64_t stop; /* steps; 0: the run is not stopped */
    size_t rows;
    bool judged[CHECKS], passed[CHECKS];
} verdicts;

static bool stop_there(void *context, const rps_world *world) {
    const verdicts *v = context;
    return v->stop == 0 || rps_world_steps(world) < v->stop;
}

static void take_verdict(void *context, const rps_check_row *row) {
    verdicts *v = context;
    v->judged[v->rows] = row->judged;
    v->passed[v->rows++] = row->passed;
    if (!row->judged)
        assert_true(strstr(row->note, "not judged: the run stopped at t = 0.05 s") && isnan(row->measured));
}

/* A verdict of a stopped run equals that of the whole run: uncertain verdicts are not given. */
static void test_checks_of_a_stopped_run(void **state) {
    (void)state;
    const char *set[] = {"probes={h: {body: ball, quantity: position.z}}", all_checks, "run.until=0.3 s"};
    verdicts whole = {0}, stopped = {.stop = 500};
    rps_run_summary summary;
    rps_run_options options = options_of(set, 3);
    options.check = take_verdict;
    options.each = stop_there;
    options.context = &whole;
    run_well(&options, &summary);
    assert_int_equal(summary.checks_open, 0);
    options.context = &stopped;
    options.directory = directory;
    options.overwrite = true;
    run_well(&options, &summary);
    assert_true(summary.end == RPS_END_STOPPED && whole.rows == CHECKS && stopped.rows == CHECKS);
    size_t failed = 0;
    for (size_t k = 0; k < CHECKS; k++) {
        assert_true(whole.judged[k]);
        if (stopped.judged[k] != (k < CERTAIN))
            fail_msg("check %zu of the stopped run: judged %d", k, stopped.judged[k]);
        if (stopped.judged[k] && stopped.passed[k] != whole.passed[k]) fail_msg("check %zu is judged otherwise", k);
        assert_true(stopped.judged[k] || !stopped.passed[k]);
        failed += stopped.judged[k] && !stopped.passed[k];
    }
    assert_int_equal(summary.checks_open, OPEN);
    assert_int_equal(summary.checks_failed, failed);
    char *text = read_text(directory, "summary.json");
    size_t open = 0, pass = 0;
    for (const char *at = text; (at = strstr(at, "\"verdict\": \"not judged\"")) != NULL; at++) open++;
    for (const char *at = text; (at = strstr(at, "\"verdict\": \"pass\"")) != NULL; at++) pass++;
    assert_int_equal(open, OPEN);
    assert_int_equal(pass, CERTAIN - failed);
    assert_non_null(strstr(text, "\"last\": "));
    assert_null(strstr(text, "\"final\": "));
    free(text);

    /* gone on with, it says what the whole run says */
    options = options_of(NULL, 0);
    options.text = NULL;
    options.resume = directory;
    verdicts resumed = {0};
    options.check = take_verdict;
    options.context = &resumed;
    run_well(&options, &summary);
    assert_memory_equal(resumed.passed, whole.passed, sizeof whole.passed);
    assert_memory_equal(resumed.judged, whole.judged, sizeof whole.judged);
}

/* The same for a failed run: summary.json has no verdict that the rest could have changed. */
static void test_checks_of_a_failed_run(void **state) {
    (void)state;
    const char *set[] = {"guards.overlap=1e-3", "run.until=0.3 s",
                         "checks=[{probe: height, final: true, above: 0}, {probe: height, max: true, below: 0.01}]"};
    rps_run_options options = options_of(set, 3);
    options.directory = directory;
    options.overwrite = true;
    rps_run_summary summary;
    rps_error err;
    assert_int_equal(rps_run(&options, &summary, &err), RPS_GUARD);
    assert_true(summary.checks == 2 && summary.checks_failed == 1 && summary.checks_open == 1);
    char *text = read_text(directory, "summary.json");
    assert_non_null(strstr(text, "not judged: the run failed at t = 0.0"));
    assert_null(strstr(text, "\"verdict\": \"pass\""));
    free(text);
}

static void test_refusals(void **state) {
    (void)state;
    rps_error err;
    rps_run_options options = options_of(NULL, 0);
    options.until = "3 m";
    assert_int_equal(rps_run(&options, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "until"));
    options.until = "0.001 s";
    options.directory = directory;
    options.overwrite = true;
    run_well(&options, NULL);
    options.overwrite = false;
    assert_int_equal(rps_run(&options, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, directory));
    assert_non_null(strstr(err.text, "overwrite"));
    options.directory = "/proc/nowhere/at/all";
    assert_int_equal(rps_run(&options, NULL, &err), RPS_IO_ERROR);
    assert_non_null(strstr(err.text, "/proc/nowhere"));
    options.size = 8;
    assert_int_equal(rps_run(&options, NULL, &err), RPS_BAD_INPUT);
}

static void gather(void *context, const char *text) {
    char *all = context;
    strncat(all, text, 8191 - strlen(all));
}

static void test_explain(void **state) {
    (void)state;
    static char text[8192];
    rps_error err;
    rps_run_options options = options_of(NULL, 0);
    assert_int_equal(rps_explain(&options, gather, text, &err), RPS_OK);
    assert_non_null(strstr(text, "1 free, 1 fixed"));
    assert_non_null(strstr(text, "slide    OFF"));
    assert_non_null(strstr(text, "stiffness              1000 N/m   given"));
    assert_non_null(strstr(text, "of the normal mode, clay on clay, plane 0 `ground` and body 1 `ball`"));
    assert_non_null(strstr(text, "20000 steps"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_interval_below_step),
        cmocka_unit_test(test_output_changes_nothing),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_proceed),
        cmocka_unit_test(test_pause_and_frames),
        cmocka_unit_test(test_stop_of_the_set_up),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_checks_of_a_stopped_run),
        cmocka_unit_test(test_checks_of_a_failed_run),
        cmocka_unit_test(test_undefined),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
