/* Numbers of threads: every function that takes one refuses values out of range before writing anything; more threads
 * than processors work too. */
#include "io_common.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include <repose/run.h>

#include "base/threads.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_take), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
