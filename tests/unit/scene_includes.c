/* Included files: the state is that of the scene in one text; places of errors lie in the file; a run goes on with the
 * texts that it began with. */
#include "simulation_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <repose/step.h>

#include "world/world.h"

static const char materials[] = "include: ../pairs.yaml\n"
                                "parameters: {R: 5 mm, height: 3 cm}\n"
                                "materials:\n"
                                "  grain: {young: 5 MPa, poisson: 0.3, density: 2500}\n"
                                "  steel: {young: 50 MPa, poisson: 0.3}\n";
static const char pairs[] =
    "gravity: {magnitude: 9.81 m/s^2}\n"
    "pairs:\n"
    "  - {between: all, normal: hertz, damping: {law: restitution, value: 0.5},\n"
    "     slide: {law: mindlin, friction: 0.5}, roll: none, spin: none}\n"
    "  - {between: [grain, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
    "run: {step: 1e-5 s, until: 0.1 s}\n";
static const char bed[] = "include: parts/materials.yaml\n"
                          "particles: [{name: bed, material: grain, file: bed.csv}]\n"
                          "exclude: [[bed, floor]]\n";
static const char scene_file[] =
    "repose: 1\n"
    "include: [bed/bed.yaml, bed/parts/../parts/materials.yaml]\n"
    "parameters: {height: 2 cm}\n"
    "materials: {grain: {density: 1000}}\n"
    "pairs: [{between: [steel, grain], slide: {law: mindlin, friction: 0.1}}]\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, material: grain, shape: {sphere: {radius: = R}},\n"
    "     position: [0.2, 0, = height]}\n"
    "exclude: []\n"
    "run: {until: 0.2 s}\n";

/* The same without includes. */
static const char whole[] =
    "repose: 1\n"
    "gravity: {magnitude: 9.81 m/s^2}\n"
    "materials:\n"
    "  grain: {young: 5 MPa, poisson: 0.3, density: 1000}\n"
    "  steel: {young: 50 MPa, poisson: 0.3}\n"
    "pairs:\n"
    "  - {between: all, normal: hertz, damping: {law: restitution, value: 0.5},\n"
    "     slide: {law: mindlin, friction: 0.5}, roll: none, spin: none}\n"
    "  - {between: [grain, steel], normal: hertz, damping: none, slide: {law: mindlin, friction: 0.1}, roll: none,\n"
    "     spin: none}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, material: grain, shape: {sphere: {radius: 5 mm}}, position: [0.2, 0, 2 cm]}\n"
    "particles: [{name: bed, material: grain, file: bed/bed.csv}]\n"
    "exclude: [[bed, floor]]\n"
    "run: {step: 1e-5 s, until: 0.2 s}\n";

static void put(const char *name, const char *text) {
    char path[RPS_PATH];
    write_file(path_of(name, path), text);
}

static void put_files(void) {
    char path[RPS_PATH];
    mkdir(path_of("bed", path), 0777);
    mkdir(path_of("bed/parts", path), 0777);
    put("bed/parts/materials.yaml", materials);
    put("bed/pairs.yaml", pairs);
    put("bed/bed.yaml", bed);
    put("bed/bed.csv", "x,y,z,radius\n0,0,0.01,0.005\n0.001,0,0.02,0.004\n");
    put("scene.yaml", scene_file);
    put("whole.yaml", whole);
}

static rps_status open_file(const char *name, rps_scene **scene, rps_error *err) {
    char path[RPS_PATH];
    rps_scene_options options = rps_scene_options_default();
    options.path = path_of(name, path);
    options.threads = 1;
    return rps_scene_open(&options, scene, err);
}

static rps_simulation *simulation_of(const char *name) {
    rps_scene *scene;
    rps_simulation *s;
    MUST(open_file(name, &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    rps_scene_close(scene);
    return s;
}

static void hash_of(rps_simulation *s, uint64_t hash[2]) {
    MUST(rps_world_hash(rps_simulation_world(s), hash, &must));
}

static void test_included_as_one_text(void **state) {
    (void)state;
    uint64_t hash[2][2];
    put_files();
    for (int k = 0; k < 2; k++) {
        rps_simulation *s = simulation_of(k ? "whole.yaml" : "scene.yaml");
        MUST(rps_simulation_step(s, 3000, &must));
        hash_of(s, hash[k]);
        rps_simulation_destroy(s);
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
}

/* A run goes on, and to the same bits, even if the included files have changed or gone. */
static void test_files_that_change(void **state) {
    (void)state;
    char saved[RPS_PATH], path[RPS_PATH];
    uint64_t hash[2][2];
    put_files();
    rps_simulation *s = simulation_of("scene.yaml");
    MUST(rps_simulation_step(s, 1000, &must));
    MUST(rps_simulation_save(s, path_of("saved.ckpt", saved), &must));
    MUST(rps_simulation_step(s, 2000, &must));
    hash_of(s, hash[0]);
    rps_simulation_destroy(s);
    put("bed/pairs.yaml", "gravity: none\n");
    assert_int_equal(remove(path_of("bed/bed.yaml", path)), 0);
    rps_scene_options options = rps_scene_options_default();
    options.resume = saved;
    options.threads = 1;
    rps_scene *scene;
    MUST(rps_scene_open(&options, &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    rps_scene_close(scene);
    MUST(rps_simulation_step(s, 2000, &must));
    hash_of(s, hash[1]);
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    rps_simulation_destroy(s);
}

static void refused(const char *at, const char *part) {
    rps_scene *scene = NULL;
    rps_error err = {.text = ""};
    rps_status status = open_file("scene.yaml", &scene, &err);
    rps_simulation *s = NULL;
    if (status == RPS_OK) status = rps_simulation_create(scene, &s, &err);
    rps_simulation_destroy(s);
    rps_scene_close(scene);
    if (status != RPS_BAD_INPUT || !strstr(err.text, at) || !strstr(err.text, part)) {
        fail_msg("expected %s and \"%s\" in: %s", at, part, err.text);
    }
}

static void test_errors_in_files(void **state) {
    (void)state;
    static const struct {
        const char *file, *text, *at, *part;
    } cases[] = {
        {"bed/pairs.yaml", "gravity: 5 mm\n", "bed/pairs.yaml:1:10: ", "gravity"},
        {"bed/pairs.yaml", "gravity: [\n", "bed/pairs.yaml:1:", "not valid YAML"},
        {"bed/pairs.yaml", "- a\n", "bed/pairs.yaml:1:1: ", "a map of keys"},
        {"bed/pairs.yaml", "include: bed.yaml\n", "bed/pairs.yaml:1:10: ", "by way of others"},
        {"bed/pairs.yaml", "include: pairs.yaml\n", "bed/pairs.yaml:1:10: ", "includes itself"},
        {"bed/pairs.yaml", "include: ../scene.yaml\n", "bed/pairs.yaml:1:10: ", "includes itself"},
        {"bed/pairs.yaml", "include: none.yaml\n", "bed/pairs.yaml:1:10: ", "cannot read the included file"},
        {"bed/pairs.yaml", "include: .\n", "bed/pairs.yaml:1:10: ", "not a file that can be included"},
        {"bed/pairs.yaml", "include: [[a]]\n", "bed/pairs.yaml:1:11: ", "the name of a file"},
        {"bed/pairs.yaml", "include:\n", "bed/pairs.yaml:1:", "the name of a file"},
        {"bed/pairs.yaml", "graviti: none\n", "bed/pairs.yaml:1:1: ", "unknown key"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        put_files();
        put(cases[k].file, cases[k].text);
        refused(cases[k].at, cases[k].part);
    }
}

static void test_no_setting_includes(void **state) {
    (void)state;
    static const char *const set[] = {"include=bed/pairs.yaml"};
    char path[RPS_PATH];
    rps_scene *scene = NULL;
    put_files();
    rps_scene_options options = rps_scene_options_default();
    options.path = path_of("whole.yaml", path);
    options.set = set;
    options.sets = 1;
    REFUSED(rps_scene_open(&options, &scene, &err), RPS_BAD_INPUT, "before settings are applied");
}

/* Files may not include each other without end, and not too many of them. */
static void test_limits(void **state) {
    (void)state;
    char name[32], text[4096];
    put_files();
    for (int k = 0; k < 20; k++) {
        snprintf(name, sizeof name, "deep%d.yaml", k);
        snprintf(text, sizeof text, "include: deep%d.yaml\n", k + 1);
        put(name, text);
    }
    put("scene.yaml", "include: deep0.yaml\n");
    refused("deep15.yaml:1:10: ", "deeper than 16 levels");
    size_t used = (size_t)snprintf(text, sizeof text, "include: [");
    for (int k = 0; k < 101; k++) {
        snprintf(name, sizeof name, "f%d.yaml", k);
        put(name, "title: none\n");
        used += (size_t)snprintf(text + used, sizeof text - used, "%s, ", name);
    }
    snprintf(text + used, sizeof text - used, "]\n");
    put("scene.yaml", text);
    refused("scene.yaml:1:", "at most 100 files");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_included_as_one_text),
        cmocka_unit_test(test_files_that_change),
        cmocka_unit_test(test_errors_in_files),
        cmocka_unit_test(test_no_setting_includes),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
