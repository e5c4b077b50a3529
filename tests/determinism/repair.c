/*
 * Calls of the system that fail while results are written, cut and repaired: each call in turn, once or from there on. The
 * run may stop with an error or find a way round; when the system is sound again the run goes on (or starts again, where there
 * is no checkpoint yet) and leaves what an undisturbed one leaves. And results that were lost or cut afterwards: an older
 * checkpoint that fits is taken; where none fits the run says so, and goes on in another folder with what is left.
 */
#define _GNU_SOURCE /* syscall */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <repose/run.h>

#include "failing_system.h"
#include "io/file.h"
#include "io/read_results.h"
#include "shell.h"

static const char *const call_name[CALLS] = {"ftruncate", "pwrite", "write", "fsync", "unlink", "rename"};

/* --- runs ------------------------------------------------------------------------------------------------------------- */

static const char scene[] =
    "repose: 1\n"
    "title: Two balls fall\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"
    "    damping: {law: ratio, value: 0.3}\n"
    "    slide: none\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.011]}\n"
    "  - {name: box, shape: {box: {size: [2 cm, 2 cm, 2 cm]}}, material: clay, position: [0.1, 0, 0.011]}\n"
    "run: {step: 1e-4 s, until: 0.06 s}\n"
    "output: {frames: 3 ms, series: 1 ms, checkpoint: 0, surface: 60}\n" /* checkpoints where a run stops */
    "probes: {height: {body: ball, quantity: position.z}}\n";

enum { FIRST = 200, SECOND = 400 }; /* steps at which runs stop */

static char base[RPS_PATH];

static const char *in_base(const char *name, char out[RPS_PATH]) {
    assert_int_equal(rps_path_join(out, base, name, NULL), RPS_OK);
    return out;
}

static bool stop_at(void *context, const rps_world *world) {
    return rps_world_steps(world) < *(const uint64_t *)context;
}

static void keep_log(void *context, int level, const char *text) {
    char *all = context;
    (void)level;
    if (all) snprintf(all + strlen(all), 8192 - strlen(all), "%s\n", text);
}

/* From the scene (overwriting) or from a checkpoint; until a step. */
static rps_status run(const char *resume, const char *directory, uint64_t until, char *log, rps_error *err) {
    rps_run_options options = rps_run_options_default();
    options.text = resume ? NULL : scene;
    options.text_bytes = resume ? 0 : strlen(scene);
    options.resume = resume;
    options.directory = directory;
    options.overwrite = !resume;
    options.threads = 1;
    options.each = stop_at;
    options.context = &until;
    options.log = keep_log;
    options.log_context = log;
    return rps_run(&options, NULL, err);
}

static void run_well(const char *resume, const char *directory, uint64_t until, char *log) {
    rps_error err;
    if (run(resume, directory, until, log, &err) != RPS_OK) fail_msg("%s", err.text);
}

static int set_up(void **state) {
    (void)state;
    char path[RPS_PATH];
    const char *root = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/repose-repair-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(base)) return -1;
    run_well(NULL, in_base("whole", path), UINT64_MAX, NULL);
    run_well(NULL, in_base("first", path), FIRST, NULL);
    shell("cp -r '%s/first' '%s/second'", base, base);
    run_well(in_base("second", path), NULL, SECOND, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    shell("rm -rf '%s'", base);
    return 0;
}

static void compare(const char *there, const char *what) {
    char command[3 * RPS_PATH + 256];
    snprintf(command, sizeof command,
             "tools/same_h5 '%s/run.h5' '%s/whole/run.h5' && cd '%s' && for f in series.csv run.xdmf contacts.xdmf "
             "surfaces.xdmf run.vtkhdf contacts.vtkhdf; do cmp \"$f\" ../whole/$f || exit; done",
             there, base, there);
    if (system(command) != 0) fail_msg("%s: the results differ from those of the undisturbed run", what);
}

/* One leg with a fault, then sound to the end. */
static void disturb(bool anew, int which, long first, failure how, size_t *stopped) {
    char there[RPS_PATH], what[128];
    rps_error err;
    snprintf(what, sizeof what, "%s of a %s run, %s %ld%s", call_name[which], anew ? "new" : "resumed", "call", first,
             how == LASTING ? " and all later ones"
             : how == SHORT ? ", half done"
                            : "");
    in_base("disturbed", there);
    shell("rm -rf '%s'", there);
    if (!anew) shell("cp -r '%s/first' '%s'", base, there);
    fail_from(which, first, how);
    const rps_status status = run(anew ? NULL : there, anew ? there : NULL, SECOND, NULL, &err);
    fail_from(CALLS, 0, ONCE);
    *stopped += status != RPS_OK;
    if (status != RPS_OK && status != RPS_IO_ERROR) fail_msg("%s: status %d, %s", what, (int)status, err.text);
    if (run(there, NULL, UINT64_MAX, NULL, &err) != RPS_OK) {
        if (!anew || !strstr(err.text, "no checkpoint")) fail_msg("%s: cannot go on: %s", what, err.text);
        run_well(NULL, there, UINT64_MAX, NULL);
    }
    compare(there, what);
}

/* As many of the calls as there are, or about so many of them. */
enum { MOST = 16 };

static void test_failing_calls(void **state) {
    (void)state;
    char there[RPS_PATH];
    for (int anew = 0; anew < 2; anew++) {
        long count[CALLS];
        in_base("counted", there);
        shell("rm -rf '%s'; cp -r '%s/first' '%s'", there, base, there);
        fail_from(CALLS, 0, ONCE);
        run_well(anew ? NULL : there, anew ? there : NULL, SECOND, NULL);
        memcpy(count, fault.count, sizeof count);
        for (int which = 0; which < CALLS; which++) {
            size_t tried = 0, stopped = 0;
            const long stride = count[which] / MOST + 1;
            for (long n = 0; n < count[which]; n += stride) {
                for (failure how = ONCE; how <= (which == PWRITE || which == WRITE ? SHORT : LASTING); how++) {
                    disturb(anew == 1, which, n, how, &stopped);
                    tried++;
                }
            }
            print_message("# %s of a %s run: %ld calls, %zu faults, %zu stops\n", call_name[which],
                          anew ? "new" : "resumed", count[which], tried, stopped);
            assert_true(which == UNLINK || tried > 0);
        }
    }
}

/* --- results that are lost or cut ------------------------------------------------------------------------------------- */

static char log_text[8192];

/* A copy of the folder with checkpoints of both stops, in which a command of the shell does some harm. */
static const char *harmed(const char *harm, char there[RPS_PATH]) {
    in_base("harmed", there);
    shell("rm -rf '%s' '%s/new'; cp -r '%s/second' '%s' && cd '%s' && %s", there, base, base, there, there, harm);
    log_text[0] = '\0';
    return there;
}

static void test_older_checkpoint(void **state) {
    (void)state;
    static const char *const harm[] = {
        "cp ../first/run.h5 .",                                                       /* fewer frames */
        "head -n 30 series.csv >x && printf 0.03 >>x && mv x series.csv",             /* cut in a row */
        "cp ../first/series.csv . && cp ../first/run.h5 .",                           /* both */
        "printf x | dd of=checkpoint-400.ckpt bs=1 seek=300 conv=notrunc 2>/dev/null" /* damaged */
    };
    for (size_t k = 0; k < sizeof harm / sizeof *harm; k++) {
        char there[RPS_PATH];
        run_well(harmed(harm[k], there), NULL, UINT64_MAX, log_text);
        if (!strstr(log_text, "checkpoint-400.ckpt") || !strstr(log_text, "an older checkpoint is looked for")) {
            fail_msg("%s: the log says \"%s\"", harm[k], log_text);
        }
        compare(there, harm[k]);
    }
}

static void test_none_fits(void **state) {
    (void)state;
    static const char *const harm[] = {"rm run.h5", "rm series.csv", "echo nonsense >run.h5", ": >series.csv"};
    for (size_t k = 0; k < sizeof harm / sizeof *harm; k++) {
        char there[RPS_PATH];
        rps_error err;
        harmed(harm[k], there);
        shell("cp -r '%s' '%s/as_it_was'", there, base);
        const rps_status status = run(there, NULL, UINT64_MAX, NULL, &err);
        if (status != RPS_BAD_INPUT || !strstr(err.text, "checkpoint-400.ckpt into another folder")) {
            fail_msg("%s: status %d, \"%s\"", harm[k], (int)status, status == RPS_OK ? "" : err.text);
        }
        shell("diff -r '%s' '%s/as_it_was' && rm -r '%s/as_it_was'", there, base, base);
    }
}

/* Times of the frames (s), 3 ms apart, from `from` to `to` by number; in run.h5 of `new`. Returns how many were looked at. */
static size_t expect_frames(size_t at, size_t from, size_t to) {
    char there[RPS_PATH];
    rps_results_reader *reader;
    rps_error err;
    size_t count;
    if (rps_results_open(in_base("new", there), NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
    const rps_frame *frame = rps_results_reader_frames(reader, &count);
    for (size_t n = from; n <= to; n++, at++) {
        if (at >= count || frame[at].step != 30 * n) fail_msg("frame %zu of %zu: expected step %zu", at, count, 30 * n);
    }
    rps_results_reader_close(reader);
    return at;
}

/* The run goes on from its state whatever is left of its results; what is there afterwards says so by its times. */
static void test_elsewhere(void **state) {
    (void)state;
    static const struct {
        const char *harm, *resume;
        bool frames, rows; /* all are left */
        size_t left;       /* frames that are left at the beginning */
        const char *lines; /* of series.csv: a command that must hold */
    } loss[] = {
        {"rm run.h5", "", false, true, 0, ":"},
        {"rm series.csv", "", true, false, 0, "[ $(sed -n 2p series.csv | cut -d, -f1) = 0.041 ]"},
        {"rm run.h5 series.csv", "/checkpoint-400.ckpt", false, false, 0, "[ $(wc -l <series.csv) = 21 ]"},
        {"echo nonsense >run.h5", "/checkpoint-400.ckpt", false, true, 0, ":"},
        {"cp ../first/run.h5 .", "/checkpoint-400.ckpt", false, true, 7, ":"},
        {"head -c 1500 series.csv >x && mv x series.csv", "/checkpoint-400.ckpt", true, false, 0,
         "head -n 5 series.csv | cmp - ../x"},
    };
    for (size_t k = 0; k < sizeof loss / sizeof *loss; k++) {
        char there[RPS_PATH], from[2 * RPS_PATH], to[RPS_PATH];
        snprintf(from, sizeof from, "%s%s", harmed(loss[k].harm, there), loss[k].resume);
        run_well(from, in_base("new", to), UINT64_MAX, log_text);
        if (!strstr(log_text, "with the results that are left")) fail_msg("%s: \"%s\"", loss[k].harm, log_text);
        shell("cd '%s' && head -n 5 ../whole/series.csv >../x && { %s; }", to, loss[k].lines);
        if (loss[k].rows) shell("cmp '%s/series.csv' '%s/whole/series.csv'", to, base);
        if (loss[k].frames) shell("tools/same_h5 '%s/run.h5' '%s/whole/run.h5'", to, base);
        if (!loss[k].frames) {
            const size_t at = loss[k].left > 0 ? expect_frames(0, 0, loss[k].left - 1) : 0;
            expect_frames(at, 14, 20);
        }
        shell("grep state_hash '%s/summary.json' >'%s/a'; grep state_hash '%s/whole/summary.json' | cmp - '%s/a'", to,
              base, base, base);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_checkpoint),
        cmocka_unit_test(test_none_fits),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_failing_calls),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
