/* Numbers of threads: every function that takes one refuses values out of range before writing anything; more threads
 * than processors work too. A scheduler takes the place of threads wherever they can be given. */
#include "io_common.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include <repose/run.h>

#include "base/array.h"
#include "base/threads.h"
#include "schedulers.h"

static const char scene[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs: [{between: [clay, clay], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "bodies: [{name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 1]}]\n"
    "probes: {height: {body: ball, quantity: position.z}}\n"
    "run: {step: 1e-4, until: 0.01}\n";

static const rps_scheduler openmp;
static const int wrong[] = {-1, 4097, 100000, 2147483647, -2147483647};

static void test_take(void **state) {
    (void)state;
    rps_error err;
    int threads = 0;
    assert_int_equal(rps_threads_take("threads", 0, &openmp, &threads, &err), RPS_OK);
    assert_int_equal(threads, omp_get_num_procs());
    const int right[] = {1, 2, omp_get_num_procs(), omp_get_num_procs() + 1, 200};
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        assert_int_equal(rps_threads_take("threads", right[k], &openmp, &threads, &err), RPS_OK);
        assert_int_equal(threads, right[k]);
    }
}

static void refused(rps_status status, const rps_error *err, const char *name, int count) {
    char text[64];
    snprintf(text, sizeof text, "%s is %d; expected a count up to 4096", name, count);
    assert_int_equal(status, RPS_BAD_INPUT);
    if (!strstr(err->text, text)) fail_msg("expected \"%s\" in\n%s", text, err->text);
}

static void test_refusals(void **state) {
    (void)state;
    char folder[RPS_PATH], path[RPS_PATH], results[RPS_PATH];
    make_directory(folder);
    assert_int_equal(rps_path_join(path, folder, "scene.yaml", NULL), RPS_OK);
    assert_int_equal(rps_path_join(results, folder, "results", NULL), RPS_OK);
    assert_int_equal(rps_file_replace(path, scene, strlen(scene), NULL), RPS_OK);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        rps_error err;
        int threads;
        refused(rps_threads_take("threads", wrong[k], &openmp, &threads, &err), &err, "threads", wrong[k]);
        rps_world_options world = rps_world_options_default();
        rps_world *made;
        world.threads = wrong[k];
        world.step = 1e-4;
        refused(rps_world_create(&world, &made, &err), &err, "threads", wrong[k]);
        assert_null(made);
        rps_run_options run = rps_run_options_default();
        run.path = path;
        run.threads = wrong[k];
        run.directory = results;
        refused(rps_run(&run, NULL, &err), &err, "threads", wrong[k]);
        rps_verify_options verify = rps_verify_options_default();
        const char *const scenes = path;
        verify.path = &scenes;
        verify.paths = 1;
        verify.jobs = wrong[k];
        refused(rps_verify(&verify, NULL, &err), &err, "jobs", wrong[k]);
        rps_sweep_options sweep = rps_sweep_options_default();
        const char *const vary = "run.until=0.01,0.02", *const measure = "height";
        sweep.path = path;
        sweep.directory = results;
        sweep.vary = &vary;
        sweep.measure = &measure;
        sweep.varies = sweep.measures = 1;
        sweep.jobs = wrong[k];
        refused(rps_sweep(&sweep, NULL, &err), &err, "jobs", wrong[k]);
        assert_false(rps_file_exists(results));
    }
    remove_directory(folder);
}

static void drop_last(void *context, int tasks, rps_task_run task, void *argument) {
    (void)context;
    for (int k = 0; k + 1 < tasks; k++) task(argument, k);
}

static void refused_scheduler(rps_status status, const rps_error *err) {
    assert_int_equal(status, RPS_BAD_INPUT);
    if (!strstr(err->text, "returned when task 1 had run 0 times")) fail_msg("another sentence: %s", err->text);
}

/* Each call passes its scheduler on to a trial. */
static void test_scheduler_refused(void **state) {
    (void)state;
    const rps_scheduler bad = {drop_last, NULL};
    char folder[RPS_PATH], path[RPS_PATH];
    rps_error err;
    make_directory(folder);
    assert_int_equal(rps_path_join(path, folder, "scene.yaml", NULL), RPS_OK);
    assert_int_equal(rps_file_replace(path, scene, strlen(scene), NULL), RPS_OK);
    rps_run_options run = rps_run_options_default();
    run.path = path;
    run.threads = 2;
    run.scheduler = bad;
    refused_scheduler(rps_run(&run, NULL, &err), &err);
    rps_scene_options open = rps_scene_options_default();
    rps_scene *opened;
    rps_simulation *simulation;
    open.path = path;
    open.threads = 2;
    open.scheduler = bad;
    assert_int_equal(rps_scene_open(&open, &opened, &err), RPS_OK);
    refused_scheduler(rps_simulation_create(opened, &simulation, &err), &err);
    rps_scene_close(opened);
    rps_verify_options verify = rps_verify_options_default();
    const char *const scenes = path;
    verify.path = &scenes;
    verify.paths = 1;
    verify.jobs = 2;
    verify.scheduler = bad;
    refused_scheduler(rps_verify(&verify, NULL, &err), &err);
    remove_directory(folder);
}

/* The table of a sweep does not depend on the scheduler. */
static void test_sweep_by_host(void **state) {
    (void)state;
    char folder[RPS_PATH], path[RPS_PATH], results[RPS_PATH], table[RPS_PATH];
    void *text[HOSTS] = {NULL};
    size_t bytes[HOSTS] = {0};
    make_directory(folder);
    assert_int_equal(rps_path_join(path, folder, "scene.yaml", NULL), RPS_OK);
    assert_int_equal(rps_file_replace(path, scene, strlen(scene), NULL), RPS_OK);
    for (int kind = 0; kind < HOSTS; kind++) {
        host h;
        rps_error err;
        rps_sweep_options sweep = rps_sweep_options_default();
        rps_sweep_summary summary;
        const char *const vary = "run.until=0.01,0.02,0.03,0.04,0.05", *const measure = "height";
        assert_int_equal(rps_path_join(results, folder, host_name[kind], NULL), RPS_OK);
        assert_int_equal(rps_path_join(table, results, "sweep.csv", NULL), RPS_OK);
        sweep.path = path;
        sweep.directory = results;
        sweep.vary = &vary;
        sweep.measure = &measure;
        sweep.varies = sweep.measures = 1;
        sweep.jobs = 3;
        sweep.scheduler = host_scheduler(&h, kind);
        if (rps_sweep(&sweep, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
        assert_int_equal(summary.runs, 5);
        assert_int_equal(h.calls, kind == HOST_OPENMP ? 0 : 2); /* the trial and the runs */
        assert_int_equal(rps_file_read(table, &text[kind], &bytes[kind], NULL), RPS_OK);
        assert_string_equal(text[kind], text[HOST_OPENMP]);
    }
    for (int kind = 0; kind < HOSTS; kind++) rps_buffer_release(NULL, &text[kind], &bytes[kind]);
    remove_directory(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_take), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_scheduler_refused), cmocka_unit_test(test_sweep_by_host)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
