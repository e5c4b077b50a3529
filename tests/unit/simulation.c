/* Scenes stepped by a program: state, probes and verdicts equal those of a run of the scene, for any division into
 * calls, in threads, and through checkpoints exchanged between runs and programs. */
#include "simulation_common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the same as a run --------------------------------------------------------------------------------------------- */

static void test_as_a_run(void **state) {
    (void)state;
    for (size_t k = 0; k < SCENES; k++) {
        leftover expected, whole, parts;
        const rps_run_options options = run_options(scenes[k].text, scenes[k].variant, &expected);
        run(&options, &expected);
        assert_true(expected.checks > 0 && expected.steps > 100);
        rps_simulation *s = create(scenes[k].text, scenes[k].variant);
        MUST(rps_simulation_finish(s, &must));
        leave(s, &whole);
        rps_simulation_destroy(s);
        assert_same(scenes[k].name, &expected, &whole);
        /* in parts of changing length, looked at after each */
        s = create(scenes[k].text, scenes[k].variant);
        for (uint64_t n = 0; !has_ended(s); n = (5 * n + 3) % 37) {
            MUST(rps_simulation_step(s, n, &must));
            leave(s, &parts);
        }
        leave(s, &parts);
        rps_simulation_destroy(s);
        assert_same(scenes[k].name, &expected, &parts);
    }
}

/* A program saves at some step and another resumes; a run resumes from the program's checkpoint, and the reverse. */
static bool count_down(void *context, const rps_world *world) {
    (void)context;
    return rps_world_steps(world) < 700;
}

static void test_checkpoints(void **state) {
    (void)state;
    for (size_t k = 0; k < SCENES; k++) {
        char saved[RPS_PATH], results[RPS_PATH], other[RPS_PATH], name[32];
        leftover expected, got;
        rps_run_options options = run_options(scenes[k].text, scenes[k].variant, &expected);
        run(&options, &expected);
        rps_simulation *s = create(scenes[k].text, scenes[k].variant);
        MUST(rps_simulation_step(s, expected.steps / 3, &must));
        MUST(rps_simulation_save(s, path_of("saved.ckpt", saved), &must));
        MUST(rps_simulation_finish(s, &must)); /* what is saved does not change what follows */
        leave(s, &got);
        rps_simulation_destroy(s);
        assert_same(scenes[k].name, &expected, &got);
        finish_from(saved, &got);
        assert_same(scenes[k].name, &expected, &got);
        /* a run goes on from it */
        snprintf(name, sizeof name, "from-program-%zu", k);
        options = run_options(NULL, NULL, &got);
        options.resume = saved;
        options.directory = path_of(name, other);
        run(&options, &got);
        assert_same(scenes[k].name, &expected, &got);
        /* a program goes on from what a run wrote when it was stopped */
        snprintf(name, sizeof name, "run-%zu", k);
        options = run_options(scenes[k].text, scenes[k].variant, &got);
        options.directory = path_of(name, results);
        options.each = count_down;
        run(&options, &got);
        snprintf(name, sizeof name, "checkpoint-%llu.ckpt", (unsigned long long)got.steps);
        MUST(rps_path_join(other, results, name, &must));
        if (got.end != RPS_END_STOPPED) continue; /* it was shorter */
        finish_from(other, &got);
        assert_same(scenes[k].name, &expected, &got);
    }
}

/* A later end for a run that had reached its end by time. */
static void test_later_end(void **state) {
    (void)state;
    char saved[RPS_PATH];
    leftover expected, got;
    char *longer = text_replace(pouring, "until: 0.25 s", "until: 0.3 s");
    const rps_run_options options = run_options(longer, NULL, &expected);
    run(&options, &expected);
    rps_simulation *s = create(pouring, NULL);
    MUST(rps_simulation_finish(s, &must));
    MUST(rps_simulation_save(s, path_of("ended.ckpt", saved), &must));
    rps_simulation_destroy(s);
    rps_scene *scene;
    MUST(resume(saved, "0.3 s", &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    assert_false(has_ended(s));
    MUST(rps_simulation_finish(s, &must));
    leave(s, &got);
    rps_simulation_destroy(s);
    rps_scene_close(scene);
    free(longer);
    assert_int_equal(got.steps, 3000);
    assert_memory_equal(got.hash, expected.hash, sizeof got.hash);
    /* an end that has passed */
    MUST(resume(saved, "0.2 s", &scene, &must));
    REFUSED(rps_simulation_create(scene, &s, &err), RPS_BAD_INPUT, "its new end must be later");
    assert_null(s);
    rps_scene_close(scene);
}

/* --- several ------------------------------------------------------------------------------------------------------- */

typedef struct job {
    const rps_scene *scene;
    uint64_t part;
    leftover out;
} job;

static void *work(void *context) {
    job *to = context;
    rps_simulation *s;
    MUST(rps_simulation_create(to->scene, &s, &must));
    while (!has_ended(s)) MUST(rps_simulation_step(s, to->part, &must));
    leave(s, &to->out);
    rps_simulation_destroy(s);
    return NULL;
}

/* Simulations of one scene, and of another, in threads at the same time. */
static void test_threads(void **state) {
    (void)state;
    rps_scene *scene[2] = {open_text(pouring, NULL), open_text(staged, NULL)};
    job jobs[4];
    pthread_t thread[4];
    for (int k = 0; k < 4; k++) {
        jobs[k] = (job){.scene = scene[k % 2], .part = 11 + 100 * (uint64_t)k};
        assert_int_equal(pthread_create(&thread[k], NULL, work, &jobs[k]), 0);
    }
    for (int k = 0; k < 4; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < 2; k++) assert_same("threads", &jobs[k].out, &jobs[k + 2].out);
    for (int k = 0; k < 2; k++) rps_scene_close(scene[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_a_run), cmocka_unit_test(test_checkpoints),
                                       cmocka_unit_test(test_later_end), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("simulation", tests, make_folder, remove_folder);
}
