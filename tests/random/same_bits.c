/*
 * Scenes at random end with the same bits for any number of threads and any instruction set, after a stop and after a kill; or
 * they are refused, or stopped by a guard, in the same words. None is an error of the library, and every ledger has numbers.
 * Environment: RANDOM_SCENES, how many (20), and then no look at the features of all; RANDOM_FIRST, the number of the first
 * (1). A scene that fails is left in the folder build/random, with its number; the last line of output is a digest, which other
 * builds must repeat.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <repose/run.h>

#include "base/cpu.h"
#include "base/random.h"
#include "coverage_common.h"
#include "io/file.h"
#include "scene_common.h"

enum { STEPS = 300, STEPS_NONSMOOTH = 60 };

/* So many scenes have every feature; of so many that ran nearly every feature is asked. */
enum { DRAWN = 4500, ENOUGH = 2500 };

static char base[RPS_PATH];
static scene_of_number scene;
static uint64_t number;

static int make_base(void **state) {
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/repose-random-XXXXXX", root ? root : "/tmp");
    return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state) {
    (void)state;
    char command[RPS_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

static void keep_scene(void) {
    char path[64];
    mkdir("build", 0777);
    mkdir("build/random", 0777);
    snprintf(path, sizeof path, "build/random/%llu.yaml", (unsigned long long)number);
    FILE *file = fopen(path, "w");
    if (!file) return;
    fputs(scene.text, file);
    fclose(file);
    print_message("# the scene is in %s; again: RANDOM_FIRST=%llu RANDOM_SCENES=1\n", path, (unsigned long long)number);
}

#define FAIL(...)              \
    do {                       \
        keep_scene();          \
        fail_msg(__VA_ARGS__); \
    } while (0)

/* --- a run -------------------------------------------------------------------------------------------------------- */

typedef struct ending {
    rps_status status;
    rps_run_end end;
    uint64_t steps, hash[2];
    size_t contacts;
    char text[sizeof((rps_error *)0)->text];
} ending;

static bool count_down(void *context, const rps_world *world) {
    (void)world;
    long *left = context;
    return (*left)-- > 0;
}

static bool die(void *context, const rps_world *world) {
    if (!count_down(context, world)) kill(getpid(), SIGKILL);
    return true;
}

static ending run(const rps_run_options *options) {
    rps_error err = {0};
    rps_run_summary s;
    ending e = {.status = rps_run(options, &s, &err)};
    e.end = s.end;
    e.steps = s.steps;
    e.contacts = s.contacts;
    memcpy(e.hash, s.hash, sizeof e.hash);
    if (e.status != RPS_OK) memcpy(e.text, err.text, sizeof e.text);
    if (e.status == RPS_INTERNAL) FAIL("scene %llu: the library blames itself: %s", (unsigned long long)number, e.text);
    if (e.status != RPS_OK && strlen(err.text) < 20)
        FAIL("scene %llu: \"%s\" is no sentence", (unsigned long long)number, e.text);
    const double *term = (const double *)&s.ledger;
    for (size_t k = 0; e.status == RPS_OK && s.has_ledger && k < sizeof s.ledger / sizeof *term; k++) {
        if (!isfinite(term[k]))
            FAIL("scene %llu: term %d of the ledger is %g", (unsigned long long)number, (int)k, term[k]);
    }
    return e;
}

static rps_run_options options_of(const char *directory, int threads, int isa) {
    rps_run_options options = rps_run_options_default();
    options.text = scene.text;
    options.text_bytes = strlen(scene.text);
    options.directory = directory;
    options.overwrite = true;
    options.threads = threads;
    options.isa = isa < 0 || rps_isa_supported((rps_isa)isa) ? isa : -1;
    return options;
}

static const char *in_base(const char *name, char out[RPS_PATH]) {
    rps_path_join(out, base, name, NULL);
    return out;
}

/* --- the same ----------------------------------------------------------------------------------------------------- */

static char *content(const char *directory, const char *name, size_t *bytes) {
    char path[RPS_PATH], *text = NULL;
    *bytes = 0;
    rps_path_join(path, directory, name, NULL);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    text = malloc(*bytes + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    text[*bytes] = '\0';
    fclose(file);
    return text;
}

static void same_file(const char *a, const char *b, const char *name, const char *what) {
    size_t n, m;
    char *x = content(a, name, &n), *y = content(b, name, &m);
    if (!x != !y || n != m || (x && memcmp(x, y, n) != 0)) {
        FAIL("scene %llu, %s: %s differs", (unsigned long long)number, what, name);
    }
    free(x);
    free(y);
}

/* From behind the settings to the machine: a run that is killed has a setting of its own. */
static char *summary_part(const char *directory, char **text) {
    size_t bytes;
    *text = content(directory, "summary.json", &bytes);
    char *settings = *text ? strstr(*text, "\"set\"") : NULL, *part = settings ? strchr(settings, ']') : NULL;
    char *end = part ? strstr(part, "\"machine\"") : NULL;
    if (end) *end = '\0';
    return end ? part : NULL;
}

static void same_summary(const char *a, const char *b, const char *what) {
    char *text[2], *x = summary_part(a, &text[0]), *y = summary_part(b, &text[1]);
    if (!x || !y || strcmp(x, y) != 0) {
        FAIL("scene %llu, %s: summary.json differs", (unsigned long long)number, what);
    }
    free(text[0]);
    free(text[1]);
}

/* A scene without frames has no run.h5. */
static void same_frames(const char *a, const char *b, const char *what) {
    char command[3 * RPS_PATH], path[RPS_PATH];
    rps_path_join(path, a, "run.h5", NULL);
    const bool has = access(path, F_OK) == 0;
    rps_path_join(path, b, "run.h5", NULL);
    if (has != (access(path, F_OK) == 0)) FAIL("scene %llu, %s: one has no run.h5", (unsigned long long)number, what);
    if (!has) return;
    snprintf(command, sizeof command, "tools/same_h5 '%s/run.h5' '%s/run.h5'", a, b);
    if (system(command) != 0) FAIL("scene %llu, %s: run.h5 differs", (unsigned long long)number, what);
}

static void same(const ending *e, const ending *of, const char *whole, const char *there, const char *what) {
    if (e->status != of->status || strcmp(e->text, of->text) != 0) {
        FAIL("scene %llu, %s: \"%s\" (%d) instead of \"%s\" (%d)", (unsigned long long)number, what, e->text, e->status,
             of->text, of->status);
    }
    if (e->steps != of->steps || e->hash[0] != of->hash[0] || e->hash[1] != of->hash[1]) {
        FAIL("scene %llu, %s: the state differs after %llu and %llu steps", (unsigned long long)number, what,
             (unsigned long long)e->steps, (unsigned long long)of->steps);
    }
    if (of->status != RPS_OK && of->status != RPS_GUARD) return;
    same_file(whole, there, "series.csv", what);
    same_file(whole, there, "run.xyz", what);
    if (of->status == RPS_OK) same_file(whole, there, "run.xdmf", what);
    if (of->status == RPS_OK) same_file(whole, there, "end.csv", what);
    if (of->status == RPS_OK) same_frames(whole, there, what);
    if (of->status == RPS_OK) same_summary(whole, there, what);
}

/* --- one scene ---------------------------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t digest;
    coverage ran_with;
    int ran, refused, guarded, touching, nonsmooth, planar, joints, stages, killed;
} tally;

/* Stopped after a random number of steps, gone on with by other threads and instructions. */
static void stop_and_resume(const ending *whole, const char *at) {
    char there[RPS_PATH];
    long left = (long)rps_random_index(3, RPS_RANDOM_TEST, number, 0, whole->steps ? whole->steps : 1);
    rps_run_options part = options_of(in_base("stopped", there), 2, 1);
    part.each = count_down;
    part.context = &left;
    ending e = run(&part);
    if (e.status == RPS_OK && e.end == RPS_END_STOPPED) {
        rps_run_options rest = rps_run_options_default();
        rest.resume = there;
        rest.threads = 3;
        e = run(&rest);
    }
    same(&e, whole, at, there, "stopped and resumed");
}

/* Killed in a process of its own, one thread, so that no threads of this one are missed there. */
static bool kill_and_resume(const ending *whole, const char *at) {
    char there[RPS_PATH];
    in_base("killed", there);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        long left = (long)rps_random_index(3, RPS_RANDOM_TEST, number, 1, whole->steps ? whole->steps : 1);
        const char *const often[] = {"output.checkpoint=1e-9 s"};
        rps_run_options part = options_of(there, 1, -1);
        part.each = die;
        part.context = &left;
        part.set = often;
        part.sets = 1;
        _exit(rps_run(&part, NULL, NULL) == RPS_OK ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        FAIL("scene %llu: a run that is to be killed ended by itself (%d)", (unsigned long long)number, status);
    }
    rps_run_options rest = rps_run_options_default();
    rps_error err = {0};
    rest.resume = there;
    rest.threads = 2;
    rps_run_summary s;
    if (rps_run(&rest, &s, &err) != RPS_OK) {
        if (strstr(err.text, "checkpoint") && !strstr(err.text, "guard")) return false; /* killed before the first */
        FAIL("scene %llu, killed and resumed: %s", (unsigned long long)number, err.text);
    }
    if (s.steps != whole->steps || s.hash[0] != whole->hash[0] || s.hash[1] != whole->hash[1]) {
        FAIL("scene %llu, killed and resumed: the state differs", (unsigned long long)number);
    }
    same_file(at, there, "series.csv", "killed and resumed");
    same_file(at, there, "run.xyz", "killed and resumed");
    same_frames(at, there, "killed and resumed");
    same_summary(at, there, "killed and resumed");
    return true;
}

/* The step that the scene chooses, or one of the nonsmooth stepper; NAN if it is refused at once. */
static double step_of(void) {
    long one = 1;
    rps_run_summary s;
    rps_error err = {0};
    scene_write(number, NAN, 1e-3, &scene);
    if (scene.nonsmooth) return 4e-4;
    rps_run_options options = options_of(NULL, 1, -1);
    options.each = count_down;
    options.context = &one;
    const rps_status status = rps_run(&options, &s, &err);
    if (status == RPS_INTERNAL) FAIL("scene %llu: %s", (unsigned long long)number, err.text);
    return status == RPS_OK ? s.step : NAN;
}

static void try_scene(tally *t) {
    char whole[RPS_PATH], there[RPS_PATH];
    const double step = step_of();
    if (isnan(step)) {
        t->refused++;
        return;
    }
    const int steps = scene.nonsmooth ? STEPS_NONSMOOTH : STEPS;
    scene_write(number, 0.6 * step, 0.6 * step * steps, &scene);
    rps_run_options options = options_of(in_base("whole", whole), 1, -1);
    const ending e = run(&options);
    options = options_of(in_base("sse2", there), 3, RPS_ISA_SSE2);
    const ending other = run(&options);
    same(&other, &e, whole, there, "3 threads, sse2");
    t->digest = (t->digest ^ e.hash[0] ^ (uint64_t)e.status) * 0x100000001b3u;
    if (e.status != RPS_OK) {
        t->refused += e.status != RPS_GUARD;
        t->guarded += e.status == RPS_GUARD;
        return;
    }
    stop_and_resume(&e, whole);
    if (number % 3 == 0) t->killed += kill_and_resume(&e, whole);
    t->ran++;
    coverage_add(&t->ran_with, scene.text);
    t->touching += e.contacts > 0;
    t->nonsmooth += scene.nonsmooth;
    t->planar += scene.planar;
    t->joints += scene.joints;
    t->stages += scene.stages;
}

/* Says which features no scene had, if they are few. */
static size_t say_missing(const coverage *c, const char *which) {
    enum { FEW = 60 };
    char names[FEW * COVERAGE_NAME];
    const size_t missing = coverage_missing(c, names, sizeof names);
    print_message("# %zu of %zu features in %s%s%s\n", c->count - missing, c->count, which,
                  missing > 0 && missing <= FEW ? ", without " : "", missing <= FEW ? names : "");
    return missing;
}

static void test_every_feature(void **state) {
    (void)state;
    static coverage c;
    if (getenv("RANDOM_SCENES")) skip();
    coverage_begin(&c);
    for (uint64_t n = 1; n <= DRAWN; n++) {
        scene_write(n, 1e-6, 3e-4, &scene);
        coverage_add(&c, scene.text);
    }
    assert_true(c.count > 400); /* the tables were read */
    assert_int_equal(say_missing(&c, "scenes"), 0);
}

static void test_same_bits(void **state) {
    (void)state;
    const char *given = getenv("RANDOM_SCENES"), *first = getenv("RANDOM_FIRST");
    const int scenes = given ? atoi(given) : 20;
    static tally t = {.digest = 0xcbf29ce484222325u};
    coverage_begin(&t.ran_with);
    number = first ? strtoull(first, NULL, 10) : 1;
    for (int k = 0; k < scenes; k++, number++) try_scene(&t);
    print_message("# %d scenes: %d ran (%d touch, %d nonsmooth, %d planar, %d with joints, %d with stages, "
                  "%d killed), %d stopped by a guard, %d refused\n",
                  scenes, t.ran, t.touching, t.nonsmooth, t.planar, t.joints, t.stages, t.killed, t.guarded, t.refused);
    print_message("# digest %016llx\n", (unsigned long long)t.digest);
    const size_t missing = say_missing(&t.ran_with, "scenes that ran");
    /* a feature of one scene in a thousand is missing now and then, but not one in a hundred of all features */
    if (scenes >= ENOUGH) assert_true(100 * missing <= t.ran_with.count);
    /* a third at least must run, and of those a third touch: else little is tried */
    if (scenes >= 30) assert_true(3 * t.ran > scenes && 3 * t.touching > t.ran && t.nonsmooth > 0 && t.killed > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_feature),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
