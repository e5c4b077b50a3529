/*
 * A run that writes a checkpoint after every step fails, or is killed, in each of its calls of the system in turn; what goes
 * on from there does so again at a call of its own; and when the system is sound the results are those of an undisturbed run.
 * Runs are processes of their own. Environment: FAULTS, how many of the calls are tried, about (20).
 */
#define _GNU_SOURCE /* syscall */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <repose/run.h>

#include "base/random.h"
#include "failing_system.h"
#include "io/file.h"
#include "shell.h"

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
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.0099]}\n"
    "  - {name: box, shape: {box: {size: [2 cm, 2 cm, 2 cm]}}, material: clay, position: [0.1, 0, 0.0099]}\n"
    "run: {step: 1e-4 s, until: 0.0012 s}\n"
    "output: {frames: 0.2 ms, series: 0.1 ms, checkpoint: 1e-9 s, surface: 60}\n"
    "probes: {height: {body: ball, quantity: position.z}}\n";

static char base[RPS_PATH], whole[RPS_PATH], there[RPS_PATH];

/* --- runs as processes -------------------------------------------------------------------------------------------- */

typedef struct ending {
    rps_status status;
    long calls;
    char text[sizeof((rps_error *)0)->text];
} ending;

/* From the scene, overwriting, or resumed. Killed: *killed, and nothing else is known. */
static ending run(bool resumed, const char *directory, int which, long first, failure how, bool *killed) {
    int pipes[2], status;
    ending end = {.status = RPS_OK};
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rps_error err = {.status = RPS_OK};
        rps_run_options options = rps_run_options_default();
        options.text = resumed ? NULL : scene;
        options.text_bytes = resumed ? 0 : strlen(scene);
        options.resume = resumed ? directory : NULL;
        options.directory = resumed ? NULL : directory;
        options.overwrite = !resumed;
        options.threads = 1;
        /* The OpenMP of clang makes a file as it starts, and does not survive a failure there. */
        (void)omp_get_max_threads();
        fail_from(which, first, how);
        end.status = rps_run(&options, NULL, &err);
        end.calls = fault.all;
        fail_from(CALLS, 0, ONCE);
        if (end.status != RPS_OK) memcpy(end.text, err.text, sizeof end.text);
        _exit(write(pipes[1], &end, sizeof end) == (ssize_t)sizeof end ? 0 : 1);
    }
    close(pipes[1]);
    const ssize_t got = read(pipes[0], &end, sizeof end);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    *killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!*killed && (got != (ssize_t)sizeof end || !WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        fail_msg("call %ld, failure %d: the run crashed (status %d)", first, (int)how, status);
    }
    return end;
}

static ending run_well(bool resumed, const char *directory) {
    bool killed;
    return run(resumed, directory, CALLS, 0, ONCE, &killed);
}

static int set_up(void **state) {
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/repose-faults-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(base)) return -1;
    rps_path_join(whole, base, "whole", NULL);
    rps_path_join(there, base, "there", NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    shell("rm -rf '%s'", base);
    return 0;
}

/* --- every call ----------------------------------------------------------------------------------------------------- */

typedef struct tally {
    int tried, killed, stopped, twice, anew;
} tally;

/* One leg with a fault in call n, one more with a fault in some call, then sound to the end. */
static void disturb(long n, long calls, failure how, tally *t) {
    bool killed;
    char what[96];
    snprintf(what, sizeof what, "call %ld of %ld, failure %d", n, calls, (int)how);
    shell("rm -rf '%s'", there);
    ending end = run(false, there, ANY, n, how, &killed);
    if (!killed && end.status != RPS_OK && end.status != RPS_IO_ERROR) {
        fail_msg("%s: status %d, %s", what, (int)end.status, end.text);
    }
    t->tried++;
    t->killed += killed;
    t->stopped += !killed && end.status != RPS_OK;
    const uint64_t stream = (uint64_t)(FAILURES * n) + (uint64_t)how;
    const failure then = (failure)rps_random_index(29, RPS_RANDOM_TEST, stream, 0, FAILURES);
    const long at = (long)rps_random_index(29, RPS_RANDOM_TEST, stream, 1, (uint64_t)(calls / 2));
    end = run(true, there, ANY, at, then, &killed);
    t->twice += killed || end.status != RPS_OK;
    end = run_well(true, there);
    if (end.status != RPS_OK && strstr(end.text, "no checkpoint")) {
        t->anew++;
        end = run_well(false, there);
    }
    if (end.status != RPS_OK) {
        fail_msg("%s, then call %ld, failure %d: cannot go on: %s", what, at, (int)then, end.text);
    }
    char command[4 * RPS_PATH + 256];
    snprintf(command, sizeof command,
             "tools/same_h5 '%s/run.h5' '%s/run.h5' && cd '%s' && for f in series.csv run.xdmf contacts.xdmf "
             "surfaces.xdmf run.vtkhdf contacts.vtkhdf; do cmp \"$f\" '%s'/$f || exit; done; "
             "! ls | grep -q 'part$\\|journal$'",
             there, whole, there, whole);
    if (system(command) != 0) fail_msg("%s, then call %ld, failure %d: other results", what, at, (int)then);
}

static void test_every_call(void **state) {
    (void)state;
    const char *given = getenv("FAULTS");
    const ending end = run_well(false, whole);
    if (end.status != RPS_OK) fail_msg("%s", end.text);
    const long most = given ? atol(given) : 20, stride = end.calls > most ? end.calls / most : 1;
    tally t = {0};
    for (long n = 0; n < end.calls; n += stride) {
        for (failure how = ONCE; how < FAILURES; how++) disturb(n, end.calls, how, &t);
    }
    print_message("# %ld calls; %d faults: %d kills, %d stops, %d of them twice, %d started again\n", end.calls,
                  t.tried, t.killed, t.stopped, t.twice, t.anew);
    assert_true(t.killed > 0 && t.stopped > 0 && t.twice > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
