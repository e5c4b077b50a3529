/*
 * Scenes at random, stepped by a program: they end in the state of a run of the same scene, in parts of any length and through
 * a checkpoint in the middle; or they are refused, or stopped by a guard, in the same words.
 * Environment: RANDOM_SCENES, how many (20); RANDOM_FIRST, the number of the first (1001, beyond those of same_bits).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/run.h>

#include "scene_common.h"

enum { STEPS = 300, STEPS_NONSMOOTH = 60 };

static char checkpoint[] = "/tmp/repose-stepped-XXXXXX";
static scene_of_number scene;

static int make_file(void **state) {
    (void)state;
    const int fd = mkstemp(checkpoint);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(checkpoint);
}

typedef struct ending {
    rps_status status;
    uint64_t steps, hash[2];
    size_t checks, failed;
    char text[sizeof((rps_error *)0)->text];
} ending;

static ending run_whole(void) {
    rps_error err = {0};
    rps_run_summary s;
    rps_run_options options = rps_run_options_default();
    options.text = scene.text;
    options.text_bytes = strlen(scene.text);
    options.threads = 1;
    ending e = {.status = rps_run(&options, &s, &err)};
    if (e.status != RPS_OK) {
        memcpy(e.text, err.text, sizeof e.text);
        return e;
    }
    e.steps = s.steps;
    e.checks = s.checks;
    e.failed = s.checks_failed;
    memcpy(e.hash, s.hash, sizeof e.hash);
    return e;
}

static rps_status finish(rps_simulation *s, ending *out, rps_error *err) {
    rps_simulation_state state;
    rps_check_row row;
    rps_status status = rps_simulation_finish(s, err);
    if (status == RPS_OK) status = rps_simulation_get_state(s, &state, err);
    if (status == RPS_OK) status = rps_world_hash(rps_simulation_world(s), out->hash, err);
    if (status != RPS_OK) return status;
    out->steps = state.steps;
    out->checks = rps_simulation_check_count(s);
    for (size_t i = 0; i < out->checks; i++) {
        status = rps_simulation_check(s, i, &row, err);
        if (status != RPS_OK) return status;
        out->failed += !row.passed;
    }
    return RPS_OK;
}

/* From the start, with a checkpoint after `first` steps, or from that checkpoint. */
static rps_status step_parts(bool resumed, uint64_t first, ending *out, rps_error *err) {
    rps_scene_options options = rps_scene_options_default();
    rps_scene *opened;
    rps_simulation *s;
    options.text = resumed ? NULL : scene.text;
    options.text_bytes = resumed ? 0 : strlen(scene.text);
    options.resume = resumed ? checkpoint : NULL;
    options.threads = 1;
    rps_status status = rps_scene_open(&options, &opened, err);
    if (status != RPS_OK) return status;
    status = rps_simulation_create(opened, &s, err);
    rps_scene_close(opened);
    if (status != RPS_OK) return status;
    for (uint64_t n = 1; !resumed && n <= first && status == RPS_OK; n += 7) status = rps_simulation_step(s, 7, err);
    if (status == RPS_OK && !resumed) status = rps_simulation_save(s, checkpoint, err);
    if (status == RPS_OK) status = finish(s, out, err);
    rps_simulation_destroy(s);
    return status;
}

static ending run_parts(bool resumed, uint64_t first) {
    rps_error err = {0};
    ending e = {.steps = 0};
    e.status = step_parts(resumed, first, &e, &err);
    if (e.status != RPS_OK) memcpy(e.text, err.text, sizeof e.text);
    return e;
}

static void compare(uint64_t number, const char *what, const ending *a, const ending *b) {
    if (a->status != b->status || strcmp(a->text, b->text) != 0 || a->steps != b->steps || a->checks != b->checks ||
        a->failed != b->failed || memcmp(a->hash, b->hash, sizeof a->hash) != 0) {
        fail_msg("scene %llu %s: %s \"%s\", %llu steps, %016llx, %zu of %zu checks failed; a run: %s \"%s\", %llu, "
                 "%016llx, %zu of %zu",
                 (unsigned long long)number, what, rps_status_name(b->status), b->text, (unsigned long long)b->steps,
                 (unsigned long long)b->hash[0], b->failed, b->checks, rps_status_name(a->status), a->text,
                 (unsigned long long)a->steps, (unsigned long long)a->hash[0], a->failed, a->checks);
    }
}

static void test_stepped(void **state) {
    (void)state;
    const char *count = getenv("RANDOM_SCENES"), *from = getenv("RANDOM_FIRST");
    const uint64_t scenes = count ? strtoull(count, NULL, 10) : 20, first = from ? strtoull(from, NULL, 10) : 1001;
    uint64_t ran = 0, stages = 0, insertions = 0, nonsmooth = 0;
    for (uint64_t number = first; number < first + scenes; number++) {
        const double step = 1e-6;
        scene_write(number, step, STEPS * step, &scene);
        if (scene.nonsmooth) scene_write(number, step, STEPS_NONSMOOTH * step, &scene);
        const ending whole = run_whole(), parts = run_parts(false, 1 + whole.steps / 2);
        compare(number, "in parts", &whole, &parts);
        if (whole.status != RPS_OK) continue;
        const ending resumed = run_parts(true, 0);
        compare(number, "resumed", &whole, &resumed);
        ran++;
        stages += scene.stages;
        insertions += scene.insertions;
        nonsmooth += scene.nonsmooth;
    }
    print_message("# %llu of %llu ran to their end, %llu with stages, %llu with insertion, %llu nonsmooth\n",
                  (unsigned long long)ran, (unsigned long long)scenes, (unsigned long long)stages,
                  (unsigned long long)insertions, (unsigned long long)nonsmooth);
    if (scenes >= 20) assert_true(2 * ran > scenes && stages > 0 && insertions > 0 && nonsmooth > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stepped)};
    return cmocka_run_group_tests_name("stepped", tests, make_file, remove_file);
}
