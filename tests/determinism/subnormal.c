/*
 * Numbers next to nothing: the same bits whether the processor flushes subnormal numbers or not. Every scene runs in two
 * processes, one of which begins in the x86 mode that reads and writes them as zero; state and energy ledger must agree.
 * Scenes at rest decay into such numbers, so they run on for long.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <repose/run.h>

#include "base/cpu.h"
#include "base/flush.h"

#define SCENES "scenes/verification/"

/* Results flushed to zero, operands read as zero: in this process and in the threads that it starts from now on. */
static void flush_mode(void) {
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
}

typedef struct outcome {
    uint64_t steps, hash[2];
    double dissipated[RPS_ROLE_COUNT], residual;
    int failed;
    char text[300];
} outcome;

typedef struct subject {
    const char *path, *variant, *until, *set;
    int threads, isa;
} subject;

static void run_here(const subject *s, outcome *out) {
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    rps_error err = {0};
    const char *const set[] = {s->set};
    options.path = s->path;
    options.variant = s->variant;
    options.until = s->until;
    options.threads = s->threads;
    options.isa = s->isa;
    options.set = set;
    options.sets = s->set != NULL;
    out->failed = rps_run(&options, &summary, &err) != RPS_OK;
    snprintf(out->text, sizeof out->text, "%.290s", err.text);
    if (out->failed) return;
    out->steps = summary.steps;
    memcpy(out->hash, summary.hash, sizeof out->hash);
    for (int role = 0; role < RPS_ROLE_COUNT && summary.has_ledger; role++) {
        out->dissipated[role] = summary.ledger.dissipated[role];
    }
    out->residual = summary.has_ledger ? summary.ledger.residual : 0.0;
}

/* Runs it in a process of its own, because threads keep the mode with which they began. */
static outcome run_apart(const subject *s, bool flushes) {
    outcome out;
    int ends[2], status = 0;
    memset(&out, 0, sizeof out);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        if (flushes) flush_mode();
        run_here(s, &out);
        const bool sent = write(ends[1], &out, sizeof out) == (ssize_t)sizeof out;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    const ssize_t got = read(ends[0], &out, sizeof out);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (got != (ssize_t)sizeof out || status != 0) fail_msg("%s: its process failed", s->path);
    return out;
}

static void compare(const subject *s) {
    const outcome kept = run_apart(s, false), flushed = run_apart(s, true);
    if (kept.failed || flushed.failed) fail_msg("%s: %s", s->path, kept.failed ? kept.text : flushed.text);
    if (memcmp(&kept, &flushed, sizeof kept) != 0) {
        fail_msg("%s, variant %s, until %s: %s with and without subnormal numbers after %d steps", s->path,
                 s->variant ? s->variant : "-", s->until ? s->until : "its end",
                 memcmp(kept.hash, flushed.hash, sizeof kept.hash) != 0 ? "two states" : "two ledgers",
                 (int)kept.steps);
    }
}

/* The mode does something here, or this suite says nothing. */
static void test_mode(void **state) {
    (void)state;
#if defined(__SSE2__)
    volatile double tiny = 1e-300;
    volatile double product = tiny * 1e-15;
    assert_true(product > 0.0);
    const unsigned before = _mm_getcsr();
    flush_mode();
    product = tiny * 1e-15;
    _mm_setcsr(before);
    assert_true(product == 0.0);
#else
    skip();
#endif
}

/* Flushing changes no number from 1e-88 on, gives zero below 1e-121, and never a subnormal number. */
static void test_flush(void **state) {
    (void)state;
    static const double kept[] = {1e-88, -1e-88, 1e-30, -1.0, 1.0 / 3.0, 1e300, -1e308, INFINITY, -INFINITY, 0.0};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) assert_true(rps_flush(kept[k]) == kept[k]);
    for (double x = 1e-122; x > 0.0; x *= 0.3) {
        assert_true(rps_flush(x) == 0.0 && !signbit(rps_flush(x)));
        assert_true(rps_flush(-x) == 0.0 && !signbit(rps_flush(-x)));
    }
    for (int k = 0; k < 200000; k++) {
        const double x = (uniform(1, (uint64_t)k, -1.0, 1.0)) * pow(10.0, uniform(2, (uint64_t)k, -125.0, -80.0));
        const double y = rps_flush(x);
        assert_true(y == 0.0 || fabs(y) >= RPS_FLUSH_LEAST);
        assert_true(rps_flush(y) == y); /* once is enough */
        assert_true(fabs(x) < 1e-88 || x == y);
        assert_true(fabs(y - x) <= RPS_FLUSH_LEAST || fabs(y - x) <= 0x1p-52 * fabs(x));
    }
    assert_true(isnan(rps_flush(NAN)));
}

/* At rest for long: parted between 20,000 and 100,000 steps as long as the mode of the processor decided. */
static void test_rest(void **state) {
    (void)state;
    static const char *const variant[] = {"roll", "spin", "block", NULL};
    static const char *const until[] = {"2 s", "10 s"};
    for (size_t v = 0; v < 3; v++) {
        for (size_t u = 0; u < 2; u++) {
            compare(&(subject){SCENES "settling.yaml", variant[v], until[u], NULL, 1, -1});
        }
    }
    compare(&(subject){SCENES "settling.yaml", "roll", "2 s", "run.integrator=half-implicit", 1, -1});
    for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
        if (rps_isa_supported((rps_isa)isa)) compare(&(subject){SCENES "settling.yaml", "roll", "2 s", NULL, 1, isa});
    }
}

/* Runs the variants of a list that ends at NULL; no variants: the scene as it is. */
static void compare_variants(const char *path, const char *until, const char *const *variant) {
    const char *const none[] = {NULL};
    int count = 0;
    while (variant && variant[count]) count++;
    for (int k = 0; k < (count > 0 ? count : 1); k++) {
        compare(&(subject){path, (count > 0 ? variant : none)[k], until, NULL, 1, -1});
    }
}

/* Damped motion and friction to rest, by all laws of roll and spin. */
static void test_laws(void **state) {
    (void)state;
    static const char *const roll[] = {"tracked", "constant torque", "iwashita oda", "jiang",
                                       "ai",      "luding",          "viscous",      NULL};
    static const char *const spin[] = {"tracked geometry",
                                       "tracked hertz",
                                       "torsional lubkin",
                                       "torsional marshall",
                                       "torsional paper",
                                       "luding",
                                       NULL};
    static const char *const twist[] = {"geometry", "marshall", "marshall pressed", NULL};
    static const char *const stick[] = {"slide", "roll", "spin", NULL};
    compare_variants(SCENES "rolling_laws.yaml", "3 s", roll);
    compare_variants(SCENES "spinning_laws.yaml", "2 s", spin);
    compare_variants(SCENES "twist_decay.yaml", NULL, twist);
    compare_variants(SCENES "stick_oscillation.yaml", "0.5 s", stick);
    compare_variants(SCENES "linear_dashpot.yaml", NULL, NULL);
    compare_variants(SCENES "bouncing_ball.yaml", "4 s", NULL);
    compare_variants(SCENES "creep_on_slope.yaml", "2 s", NULL);
}

/* Bodies with pieces, drives and stacks. */
static void test_bodies(void **state) {
    (void)state;
    compare_variants(SCENES "middle_axis.yaml", NULL, NULL);
    compare_variants(SCENES "free_flight.yaml", NULL, NULL);
    compare_variants(SCENES "turntable.yaml", "2 s", NULL);
    compare_variants(SCENES "conveyor.yaml", NULL, NULL);
    compare_variants(SCENES "shaken_table.yaml", "0.2 s", NULL);
    compare_variants(SCENES "stack_of_five.yaml", NULL, NULL);
    compare_variants(SCENES "eight_in_a_box.yaml", "2 s", NULL);
}

static void test_nonsmooth(void **state) {
    (void)state;
    static const char *const incline[] = {"rests at 1 deg", "rolls at 5 deg", "slides at 60 deg", NULL};
    static const char *const step[] = {"step 1 ms", "step 10 ms", "rigid", NULL};
    static const char *const cone[] = {"coulomb", "convex", NULL};
#define NONSMOOTH "scenes/tasora-anitescu-2013/"
    compare_variants(NONSMOOTH "incline.yaml", "20 s", incline);
    compare_variants(NONSMOOTH "sticking_block.yaml", NULL, step);
    compare_variants(NONSMOOTH "ball_between_plates.yaml", NULL, cone);
    compare_variants(NONSMOOTH "spinning_sphere.yaml", "100 s", NULL);
    compare_variants(NONSMOOTH "rolling_disk.yaml", "20 s", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mode), cmocka_unit_test(test_flush),  cmocka_unit_test(test_rest),
        cmocka_unit_test(test_laws), cmocka_unit_test(test_bodies), cmocka_unit_test(test_nonsmooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
