/* Distributions of sizes by number and by mass, in classes that come out to within one particle, and sieve tables. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene/scene_internal.h"

#define SET                                                                                                           \
    "repose: 1\ngravity: none\nmaterials: {a: {density: 2500}}\n"                                                     \
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, roll: none, spin: "  \
    "none}]\nrun: {step: 1e-5, until: 1}\nparticles:\n  - {name: s, material: a, generator: {lattice: {box: [[0, 0, " \
    "0], [0.3, 0.3, 0.3]], spacing: 10 mm}}, "

static rps_scene *sized(const char *how, rps_world **world) {
    char text[2048];
    snprintf(text, sizeof text, SET "%s}\n", how);
    return scene_make(text, world);
}

static double radius_of(const rps_world *world, uint64_t id) {
    return world->bodies.pose[rps_world_slot(world, id)].radius[0];
}

/* Row 25 of the statement: mass parts .2 .5 .3 of 2, 3, 4 mm are number parts .51861 .38415 .09724. */
static void parts_of_mass(void **state) {
    static const double part[3] = {0.51861, 0.38415, 0.09724};
    rps_world *world;
    uint64_t count[3] = {0, 0, 0};
    (void)state;
    rps_scene *scene =
        sized("count: 20000, by: mass, radius: {list: [[1 mm, 0.2], [1.5 mm, 50 %], [2 mm, 0.3]]}", &world);
    for (uint64_t id = 0; id < 20000; id++) {
        const double r = radius_of(world, id);
        count[r == 1e-3 ? 0 : r == 1.5e-3 ? 1 : 2]++;
        /* one particle, and the fifth digit of the parts */
        for (int c = 0; c < 3; c++) {
            const double due = part[c] * (double)(id + 1);
            assert_true(fabs((double)count[c] - due) < 1.0 + 5e-6 * (double)(id + 1));
        }
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Any parts, of up to 40 classes: after any number of particles every class is less than one off. */
static void within_one(void **state) {
    uint64_t number = 1;
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        double part[40], sum = 0.0;
        uint64_t count[40] = {0};
        rps_size_memo memo = {.count = (uint64_t[40]){0}};
        const size_t classes = 2 + (size_t)(2 * trial) % 39;
        for (size_t c = 0; c < classes; c++) {
            number = number * 6364136223846793005u + 1442695040888963407u;
            part[c] = pow((double)(number >> 11) * 0x1p-53, 3.0); /* some are far smaller than others */
            sum += part[c];
        }
        for (size_t c = 0; c < classes; c++) part[c] /= sum;
        const rps_sizes sizes = {.kind = RPS_SIZE_CLASSES, .count = classes, .part = part, .memo = &memo};
        assert_int_equal(rps_sizes_prepare(&sizes, 3000, NULL), RPS_OK);
        for (uint64_t k = 0; k < 3000; k++) {
            count[rps_sizes_class(&sizes, k)]++;
            for (size_t c = 0; c < classes; c++) assert_true(fabs((double)count[c] - part[c] * (double)(k + 1)) < 1.0);
        }
        rps_buffer_release(NULL, &memo.class_of, &memo.bytes);
    }
}

/* Part of the mass of spheres of up to this diameter. */
static double passes(const rps_world *world, double diameter) {
    double all = 0.0, fine = 0.0;
    for (uint64_t id = 0; id < rps_world_body_count(world); id++) {
        const double r = radius_of(world, id), m = r * r * r;
        all += m;
        fine += 2.0 * r <= diameter ? m : 0.0;
    }
    return fine / all;
}

/* A sieve analysis, in the scene and in a file, gives the same grains, and they pass the sieves as asked; between two
 * sieves the mass rises evenly. Errors: those of random sizes within classes of about 5000 grains; 1 %. */
static void sieved(void **state) {
    char path[] = "/tmp/repose-sieve-XXXXXX", how[256];
    rps_world *world, *again;
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_file(path, "# of a quarry\r\ndiameter [mm],passing [%]\r\n2,0\r\n3, 40\r\n4,100\r\n");
    rps_scene *scene = sized("count: 20000, sieve: {table: [[2 mm, 0], [3 mm, 40 %], [4 mm, 1]]}", &world);
    snprintf(how, sizeof how, "count: 20000, sieve: {file: %s}", path);
    rps_scene *other = sized(how, &again);
    for (uint64_t id = 0; id < 20000; id++) assert_true(radius_of(world, id) == radius_of(again, id));
    assert_true(fabs(passes(world, 3e-3) - 0.4) < 0.01);
    assert_true(fabs(passes(world, 2.5e-3) - 0.2) < 0.01);
    assert_true(fabs(passes(world, 3.5e-3) - 0.7) < 0.01);
    rps_world_destroy(world);
    rps_world_destroy(again);
    rps_scene_free(scene);
    rps_scene_free(other);
    remove(path);
    scene = sized("count: 20000, by: number, sieve: {table: [[2 mm, 0], [4 mm, 100 %]]}", &world);
    double mean = 0.0;
    for (uint64_t id = 0; id < 20000; id++) mean += radius_of(world, id) / 20000.0;
    assert_true(fabs(mean - 1.5e-3) < 4.0 * 0.5e-3 / sqrt(3.0 * 20000.0) * 2.0); /* four deviations, twice for safety */
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Uniform and normal distributions of mass: the mean of the mass over sizes is that of the distribution. */
static void of_mass(void **state) {
    static const char *const how[2] = {"count: 20000, by: volume, radius: {uniform: [1 mm, 2 mm]}",
                                       "count: 20000, by: mass, radius: {normal: {mean: 1.5 mm, sd: 0.2 mm, min: 1 mm, "
                                       "max: 2 mm}}"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        rps_world *world;
        rps_scene *scene = sized(how[k], &world);
        double mass = 0.0, first = 0.0;
        for (uint64_t id = 0; id < 20000; id++) {
            const double r = radius_of(world, id), m = r * r * r;
            mass += m;
            first += m * r;
        }
        /* both are symmetric about 1.5 mm; the deviation of the mean is about 3 um */
        assert_true(fabs(first / mass - 1.5e-3) < 1.2e-5);
        rps_world_destroy(world);
        rps_scene_free(scene);
    }
}

static void sizes_refused(const char *how, const char *part) {
    char text[2048];
    rps_error err;
    snprintf(text, sizeof text, SET "%s}\n", how);
    scene_refused(text, &err);
    if (!strstr(err.text, part)) fail_msg("%s: %s", how, err.text);
}

static void bad_sieves(void **state) {
    static const char path[] = "/tmp/repose-bad-sieve.csv";
    static const struct {
        const char *text, *part;
    } file[] = {{"2,0\n3,100\n", "repose-bad-sieve.csv:1: `2` is a number, but the first line is a header"},
                {"diameter [kg],passing [%]\n", ".csv:1: "},
                {"diameter [mm],passing\n", ".csv:1: `passing` has no unit"},
                {"diameter [mm],passing [%]\n2,0\n3\n", ".csv:3: the line has 1 fields"},
                {"diameter [mm],passing [%]\n2,0\n3,1,2\n", ".csv:3: the line has 3 fields"},
                {"diameter [mm],passing [%],x [m]\n2,0,0\n", ".csv:1: 3 columns; two are expected"},
                {"diameter [mm],passing [%]\n2,zero\n", ".csv:2: `zero` of column `passing` is not a finite number"},
                {"diameter [mm],passing [%]\n2,nan\n", ".csv:2: `nan` of column `passing` is not a finite number"},
                {"", "bad-sieve.csv is empty"},
                {"diameter [mm],passing [%]\n", "0 %, to one that all pass"}};
    (void)state;
    sizes_refused("sieve: {table: [[2 mm, 10 %], [3 mm, 100 %]]}", "0 %, to one that all pass");
    sizes_refused("sieve: {table: [[2 mm, 0 %], [3 mm, 99 %]]}", "0 %, to one that all pass");
    sizes_refused("sieve: {table: [[3 mm, 0 %], [2 mm, 100 %]]}", "must be above 0 and rise");
    sizes_refused("sieve: {table: [[2 mm, 0 %], [3 mm, 60 %], [4 mm, 50 %], [5 mm, 100 %]]}", "more passes the sieve");
    sizes_refused("sieve: {table: [[2 mm, 0 %], [3 mm, 100 %]]}, radius: 1 mm", "not both");
    sizes_refused("sieve: {table: [[2 mm, 0 %], [3 mm, 100 %]]}, mass: 1 g", "the same `mass`");
    sizes_refused("sieve: {file: /tmp/repose-no-such-file.csv}", "repose-no-such-file.csv");
    sizes_refused("by: mass, radius: {normal: {mean: 11 mm, sd: 1 mm, min: 1 mm, max: 12 mm}}", "smallest size");
    sizes_refused("by: mass, radius: {list: [[1 mm, 0], [2 mm, 0]]}", "above 0");
    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        write_file(path, file[k].text);
        sizes_refused("sieve: {file: /tmp/repose-bad-sieve.csv}", file[k].part);
    }
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_mass), cmocka_unit_test(within_one),
                                       cmocka_unit_test(sieved), cmocka_unit_test(of_mass),
                                       cmocka_unit_test(bad_sieves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
