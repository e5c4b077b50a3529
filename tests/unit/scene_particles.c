/* Sets of particles: lattices, sizes, files and insertion. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "scene/overlap_grid.h"

static const char head[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {grain: {young: 5 MPa, poisson: 0.3, density: 2500}, heavy: {density: 5000}}\n"
    "pairs:\n"
    "  - {between: [grain, grain], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
    "  - {between: [grain, heavy], normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, "
    "roll: none, spin: none}\n"
    "  - {between: [heavy, heavy], normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, "
    "roll: none, spin: none}\n";

static char *join(const char *a, const char *b) {
    size_t bytes = strlen(a) + strlen(b) + 1;
    char *text = malloc(bytes);
    assert_non_null(text);
    snprintf(text, bytes, "%s%s", a, b);
    return text;
}

static rps_scene *make(const char *rest, rps_world **world) {
    char *text = join(head, rest);
    rps_scene *scene = scene_make(text, world);
    free(text);
    return scene;
}

static void done(rps_scene *scene, rps_world *world) {
    rps_world_destroy(world);
    rps_scene_free(scene);
}

static void cubic_lattice(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = make("particles:\n"
                            "  - name: a\n"
                            "    material: grain\n"
                            "    radius: 1 mm\n"
                            "    generator: {lattice: {box: [[0, 0, 0], [10 mm, 5 mm, 2 mm]], spacing: 2.5 mm}}\n"
                            "run: {step: 1e-6, until: 1}\n",
                            &world);
    /* 5 x 3 x 1 places: both corners count, 2 mm is less than a spacing */
    assert_int_equal(rps_world_body_count(world), 15);
    assert_int_equal(rps_scene_body_total(scene), 15);
    const double *x = world->bodies.pose[rps_world_slot(world, 14)].position;
    assert_true(fabs(x[0] - 0.01) < 1e-15 && fabs(x[1] - 0.005) < 1e-15 && x[2] == 0.0);
    done(scene, world);
    /* a full period does not count its last place, which is the first again */
    scene = make("periodic: {x: 10 mm}\n"
                 "particles:\n"
                 "  - name: a\n"
                 "    material: grain\n"
                 "    radius: 1 mm\n"
                 "    count: 7\n"
                 "    generator: {lattice: {box: [[0, 0, 0], [10 mm, 5 mm, 2 mm]], spacing: 2.5 mm}}\n"
                 "run: {step: 1e-6, until: 1}\n",
                 &world);
    assert_int_equal(rps_world_body_count(world), 7);
    x = world->bodies.pose[rps_world_slot(world, 4)].position;
    assert_true(x[0] == 0.0 && fabs(x[1] - 0.0025) < 1e-15); /* the fifth starts the second row */
    done(scene, world);
}

/* In close packing every inner sphere has 12 neighbours at one spacing. */
static void hexagonal_lattice(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene =
        make("particles:\n"
             "  - name: a\n"
             "    material: grain\n"
             "    radius: 1 mm\n"
             "    generator: {lattice: {kind: hexagonal, box: [[0, 0, 0], [12 mm, 12 mm, 12 mm]], spacing: 2 mm}}\n"
             "run: {step: 1e-6, until: 1}\n",
             &world);
    size_t n = (size_t)rps_world_body_count(world);
    int most = 0;
    for (size_t i = 0; i < n; i++) {
        int neighbours = 0;
        for (size_t j = 0; j < n; j++) {
            const double *a = world->bodies.pose[i].position, *b = world->bodies.pose[j].position;
            double d =
                sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
            if (i != j) assert_true(d > 2e-3 * (1 - 1e-9));
            neighbours += i != j && d < 2e-3 * (1 + 1e-9);
        }
        most = neighbours > most ? neighbours : most;
    }
    assert_int_equal(most, 12);
    done(scene, world);
}

static void sizes_and_jitter(void **state) {
    static const char rest[] =
        "particles:\n"
        "  - name: a\n"
        "    material: grain\n"
        "    radius: {uniform: [1 mm, 2 mm]}\n"
        "    count: 4000\n"
        "    generator: {lattice: {box: [[0, 0, 0], [100 mm, 100 mm, 100 mm]], spacing: 5 mm, jitter: 0.4 mm}}\n"
        "  - name: b\n"
        "    material: heavy\n"
        "    radius: {list: [[1 mm, 1], [3 mm, 3]]}\n"
        "    count: 4000\n"
        "    generator: {lattice: {box: [[200 mm, 0, 0], [350 mm, 150 mm, 150 mm]], spacing: 8 mm}}\n"
        "  - name: c\n"
        "    material: heavy\n"
        "    radius: {normal: {mean: 2 mm, sd: 0.5 mm, min: 1 mm, max: 3 mm}}\n"
        "    count: 4000\n"
        "    generator: {lattice: {box: [[400 mm, 0, 0], [550 mm, 150 mm, 150 mm]], spacing: 8 mm}}\n"
        "run: {step: 1e-6, until: 1}\n";
    rps_world *world, *again;
    (void)state;
    rps_scene *scene = make(rest, &world), *other = make(rest, &again);
    double mean[3] = {0}, square = 0.0, off = 0.0;
    size_t large = 0;
    for (uint64_t id = 0; id < 12000; id++) {
        size_t s = rps_world_slot(world, id);
        double r = world->bodies.pose[s].radius[0];
        const double *x = world->bodies.pose[s].position;
        assert_memory_equal(&world->bodies.pose[s], &again->bodies.pose[s], sizeof world->bodies.pose[s]);
        assert_true(r >= 1e-3 && r <= 3e-3);
        mean[id / 4000] += r / 4000;
        large += id / 4000 == 1 && r == 3e-3;
        if (id / 4000 == 2) square += (r - 2e-3) * (r - 2e-3) / 4000;
        if (id < 4000) {
            double dx = x[0] - 5e-3 * floor(x[0] / 5e-3 + 0.5);
            assert_true(fabs(dx) <= 0.4e-3 * (1 + 1e-9));
            off += dx * dx / 4000;
        }
    }
    /* five standard errors of 4000 draws each */
    assert_true(fabs(mean[0] - 1.5e-3) < 5 * 1e-3 / sqrt(12.0 * 4000));
    assert_true(fabs((double)large / 4000 - 0.75) < 5 * sqrt(0.75 * 0.25 / 4000));
    assert_true(fabs(mean[2] - 2e-3) < 5 * 0.5e-3 / sqrt(4000.0));
    assert_true(fabs(off - 0.4e-3 * 0.4e-3 / 3) < 5 * 0.4e-3 * 0.4e-3 * sqrt(4.0 / 45 / 4000));
    /* a normal distribution cut at two deviations has the variance .774 sd^2; spread of a sample variance ~ sqrt(2/n) */
    assert_true(fabs(square / (0.25e-6 * 0.7737) - 1) < 5 * sqrt(2.0 / 4000));
    done(scene, world);
    done(other, again);
}

/* --- files --------------------------------------------------------------------------------------------------------- */

static const char file_scene[] = "particles:\n"
                                 "  - name: a\n"
                                 "    material: grain\n"
                                 "    file: %s\n"
                                 "%s"
                                 "run: {step: 1e-6, until: 1}\n";

static char *scene_of_file(const char *value, const char *more) {
    char rest[1024];
    snprintf(rest, sizeof rest, file_scene, value, more);
    return join(head, rest);
}

static char folder[] = "/tmp/repose-test-XXXXXX";

static void path_in(const char *name, char out[64]) {
    snprintf(out, 64, "%s/%s", folder, name);
}

static void csv_file(void **state) {
    char path[64], value[256];
    rps_world *world;
    (void)state;
    path_in("a.csv", path);
    /* byte order mark, CRLF, comment, blanks, an empty last line */
    write_file(path, "\357\273\277# made by hand\r\nx, y, z, radius, material, vx, wz, mass\r\n"
                     "0,0,0,0.001,grain,1,2,1.0471975511965976e-05\r\n5e-3 , 0, 1e-3, .002, "
                     "heavy,-1,0,1.6755160819145562e-4\r\n\r\n");
    char *text = scene_of_file(path, "");
    rps_scene *scene = scene_make(text, &world);
    free(text);
    assert_int_equal(rps_world_body_count(world), 2);
    size_t s = rps_world_slot(world, 1);
    assert_true(world->bodies.pose[s].position[0] == 5e-3 && world->bodies.pose[s].position[2] == 1e-3);
    assert_true(world->bodies.pose[s].radius[0] == 2e-3 && world->bodies.motion[s].velocity[0] == -1.0);
    assert_int_equal(world->bodies.material[s][0], 1);
    assert_true(world->bodies.motion[rps_world_slot(world, 0)].angular_velocity[2] == 2.0);
    done(scene, world);
    snprintf(value, sizeof value,
             "{path: %s, scale: 0.1, shift: [1, 0, 0], columns: [x, y, z, '-', '-', '-', '-', mass]}", path);
    write_file(path, "10,0,0,7,q,1,2,1e-3\n20,0,0,7,q,1,2,2e-3\n");
    text = scene_of_file(value, "    radius: 10 mm\n    velocity: [0, 0, 1]\n");
    char *heavy = text_replace(text, "material: grain", "material: soft"),
         *both = text_replace(heavy, "heavy: {", "soft: {young: 1e6, poisson: 0.3}, heavy: {");
    char *pairs = text_replace(
        both, "pairs:\n",
        "pairs:\n  - {between: [soft, soft], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n");
    scene = scene_make(pairs, &world);
    s = rps_world_slot(world, 1);
    assert_true(world->bodies.pose[s].position[0] == 3.0 && world->bodies.mass[s][0] == 2e-3);
    assert_true(world->bodies.pose[s].radius[0] == 10e-3 && world->bodies.motion[s].velocity[2] == 1.0);
    done(scene, world);
    free(text);
    free(heavy);
    free(both);
    free(pairs);
}

/* Orientations from a file: of a shape, and of pieces, whose axes are the ones given. */
static void oriented_file(void **state) {
    static const char *const grain[2] = {
        "    shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}\n",
        "    pieces: [{shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}, position: [1 mm, 0, 0]}]\n"};
    char path[64];
    rps_world *world;
    rps_error err;
    (void)state;
    path_in("q.csv", path);
    /* 180 degrees about z, and 90 degrees about x by a quaternion of twice the length */
    write_file(path, "x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,1\n5e-2,0,0,1.4142135623730951,1.4142135623730951,0,0\n");
    for (int k = 0; k < 2; k++) {
        char *text = scene_of_file(path, grain[k]);
        rps_scene *scene = scene_make(text, &world);
        const double *first = world->bodies.orientation[rps_world_slot(world, 0)];
        const double *second = world->bodies.orientation[rps_world_slot(world, 1)];
        assert_true(first[0] == 0.0 && first[3] == 1.0);
        assert_true(fabs(second[0] - sqrt(0.5)) < 1e-15 && fabs(second[1] - sqrt(0.5)) < 1e-15); /* rounding */
        const double at = world->bodies.pose[rps_world_slot(world, 0)].position[0]; /* the first mirrors the offset */
        assert_true(fabs(at + (k == 1 ? 1e-3 : 0.0)) < 1e-17);
        done(scene, world);
        free(text);
    }
    char *text = scene_of_file(path, "    shape: {capsule: {radius: 1 mm, length: 1 mm}}\n    orientation: aligned\n");
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "leave `orientation` out"));
    free(text);
    unlink(path);
}

static void xyz_file(void **state) {
    char path[64];
    rps_world *world;
    (void)state;
    path_in("a.xyz", path);
    write_file(path, "3\nanything at all\nH 0 0 0 0.1\nH 1 0 0 0.1\nH 2 0 0 0.1\n");
    char *text = scene_of_file(path, "");
    rps_scene *scene = scene_make(text, &world);
    assert_int_equal(rps_world_body_count(world), 3);
    done(scene, world);
    free(text);
    path_in("b.xyz.gz", path);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    gzputs(file, "# bed n=2\n0 0 0\n1 0 0\n");
    gzclose(file);
    text = scene_of_file(path, "    radius: 0.1\n");
    scene = scene_make(text, &world);
    assert_int_equal(rps_world_body_count(world), 2);
    assert_true(world->bodies.pose[0].radius[0] == 0.1);
    done(scene, world);
    free(text);
}

static void broken_files(void **state) {
    static const struct {
        const char *name, *content, *more, *part;
    } cases[] = {
        {"r.csv", "x,y,z,radius\n0,0,0,1\n1,2,3\n", "", "r.csv:3: the line has 3 fields, but there are 4 columns"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n5,0,0,nan\n", "", "r.csv:3: `nan` in column `radius` is no finite number"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n5,inf,0,1\n", "", "r.csv:3: `inf` in column `y`"},
        {"r.csv", "x,y,z,radius\n0,abc,0,1\n", "", "r.csv:2: `abc` in column `y`"},
        {"r.csv", "x,y,z,radius\n0,,0,1\n", "", "r.csv:2: `` in column `y` is empty"},
        {"r.csv", "x,y,z,radius\n0,0,0,-1\n", "", "r.csv:2: `-1` in column `radius` must be above 0"},
        {"r.csv", "x,y,radius\n0,0,1\n", "", "r.csv:1: there is no column `z`"},
        {"r.csv", "x,y,z\n0,0,1\n", "", "r.csv:1: there is no column `radius`"},
        {"r.csv", "x,y,z,radus\n0,0,1,1\n", "", "did you mean `radius`?"},
        {"r.csv", "x,y,z,x\n0,0,1,1\n", "", "the column `x` stands twice"},
        {"r.csv", "0,0,1,1\n", "", "a header with the names"},
        {"r.csv", "x,y,z,radius\n", "", "holds no particles"},
        {"r.csv", "", "", "holds no particles"},
        {"r.csv", "x,y,z,radius,qw,qx,qz\n0,0,0,1,1,0,0\n", "", "the four columns qw, qx, qy, qz, but there are 3"},
        {"r.csv", "x,y,z,radius,qw,qx,qy,qz\n0,0,0,1,0,0,0,0\n", "", "r.csv:2: body 0: orientation (0, 0, 0, 0)"},
        {"r.csv", "x,y,z,radius,material\n0,0,0,1,stone\n", "", "r.csv:2: there is no material `stone`"},
        {"r.csv", "x,y,z,radius,mass\n0,0,0,1,3\n", "", "r.csv:2: "},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n", "    radius: 1 mm\n", "leave `radius` out"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n", "    count: 1\n", "leave `count` out"},
        {"r.csv", "x,y,z,radius\n\001\002,0,0,1\n", "", "r.csv:2: the line holds bytes that are no text"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n0.5,0,0,1\n", "", "overlap by 1.5"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n5,5,5,1\n5,5,5,2\n", "", "body 1 `a` at (5, 5, 5) m"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n5,5,5,1\n5,5,5,2\n", "", "two bodies have the same centre"},
        {"r.csv", "x,y,z,radius\n1,1,1,1\n5,5,5,1\n5,5,5,2\n5,5,6,9\n", "overlap: 20\n", "have the same centre"},
        {"r.csv", "x,y,z,radius\r\n0,0,0,1\r\n1,2,3\r\n", "", "r.csv:3: the line has 3 fields, but there are 4"},
        {"r.csv", "x,y,z,radius\n0,0,0,1\n1,2,3,1,4\n", "", "r.csv:3: the line has 5 fields, but there are 4"},
        {"r.csv", "x,y,z,radius\n0 0 0 1\n", "", "r.csv:2: the line has 1 fields, but there are 4"},
        {"r.csv", "x;y;z;radius\n0;0;0;1\n", "", "r.csv:1: `x;y;z;radius` is no column"},
        {"r.csv", "x,y,z,radius\n0,0,0,1 mm\n", "", "r.csv:2: `1 mm` in column `radius` is no finite number"},
        {"r.csv", "x,y,z,radius\n0,0,0,1e999\n", "", "r.csv:2: `1e999` in column `radius`"},
        {"r.csv", "x,y,z,radius\n0,0,0,0\n", "", "r.csv:2: `0` in column `radius` must be above 0"},
        {"r.csv.gz", "\037\213\010\001\001\001\001\001\001\003cut", "", "r.csv.gz:1: "},
        {"r.xyz", "3\nc\n0 0 0 1\n5 0 0 1\n", "",
         "r.xyz:5: the file ends after 2 particles, but its first line says 3"},
        {"r.xyz", "1\nc\n0 0 0 1\n5 0 0 1\n", "", "r.xyz:4: there are more particles"},
        {"r.xyz", "1\nc\n0 0\n", "", "r.xyz:3: 2 numbers in a line"},
        {"r.xyz", "0 0 0 1\n5 0 0\n", "", "r.xyz:2: the line has 3 fields"},
        {"r.dat", "0 0 0 1\n", "", "say what it is by"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64];
        rps_error err;
        path_in(cases[i].name, path);
        write_file(path, cases[i].content);
        char *text = scene_of_file(path, cases[i].more);
        scene_refused(text, &err);
        if (!strstr(err.text, cases[i].part)) fail_msg("expected \"%s\" in\n%s", cases[i].part, err.text);
        free(text);
        unlink(path);
    }
    rps_error err;
    char *text = scene_of_file("nowhere.csv", "");
    scene_refused(text, &err);
    assert_error_at(&err, text, "nowhere.csv", "cannot be opened: No such file");
    free(text);
}

/* A million rows with one bad: the line is named, and the file is read no further. */
static void one_bad_row_of_a_million(void **state) {
    enum { ROWS = 1000000, BAD = 654321 };
    char path[64], part[64];
    rps_error err;
    (void)state;
    path_in("m.csv", path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("x,y,z,radius\r\n", file);
    for (int k = 0; k < ROWS; k++) {
        if (k == BAD)
            fputs("1,2,three,0.1\r\n", file);
        else
            fprintf(file, "%d,%d,%d,0.1\r\n", k % 100, k / 100 % 100, k / 10000);
    }
    assert_int_equal(fclose(file), 0);
    char *text = scene_of_file(path, "");
    scene_refused(text, &err);
    free(text);
    unlink(path);
    snprintf(part, sizeof part, "m.csv:%d: `three` in column `z` is no finite number", BAD + 2);
    if (!strstr(err.text, part)) fail_msg("expected \"%s\" in\n%s", part, err.text);
}

/* --- pouring ------------------------------------------------------------------------------------------------------- */

static const char insertion[] =
    "bodies: [{name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: grain, fixed: true}]\n"
    "particles:\n"
    "  - name: base\n"
    "    material: grain\n"
    "    fixed: true\n"
    "    radius: 2 mm\n"
    "    generator: {lattice: {box: [[0, 0, 2 mm], [20 mm, 20 mm, 2 mm]], spacing: 4 mm}}\n"
    "  - name: heap\n"
    "    material: grain\n"
    "    radius: {uniform: [1 mm, 2 mm]}\n"
    "    count: 300\n"
    "    pour: {region: [[0, 0, 1 mm], [20 mm, 20 mm, 24 mm]], rate: 1e5 1/s, velocity: [0, 0, -0.1]}\n"
    "run: {step: 1e-5, until: 10 ms, threads: 1}\n";

static void pour_all(rps_scene *scene, rps_world *world, uint64_t steps) {
    rps_error err;
    for (uint64_t k = 0; k < steps; k++) {
        size_t added;
        uint64_t before = rps_world_body_count(world);
        if (rps_scene_insert(scene, world, &added, &err) != RPS_OK) fail_msg("%s", err.text);
        assert_int_equal(rps_world_body_count(world), before + added);
        /* what was there may overlap by motion; a new one may not overlap with anything */
        for (uint64_t id = before; id < before + added; id++) {
            const rps_pose *new_pose = &world->bodies.pose[rps_world_slot(world, id)];
            assert_true(new_pose->position[2] >= new_pose->radius[0]);
            for (uint64_t other = 1; other < id; other++) {
                const rps_pose *pose = &world->bodies.pose[rps_world_slot(world, other)];
                double d2 = 0.0, reach = pose->radius[0] + new_pose->radius[0];
                for (int c = 0; c < 3; c++) {
                    double d = pose->position[c] - new_pose->position[c], period = world->options.period[c];
                    if (period > 0.0) d -= period * floor(d / period + 0.5);
                    d2 += d * d;
                }
                assert_true(d2 >= reach * reach * (1 - 1e-14));
            }
        }
        if (rps_world_step(world, 1, &err) != RPS_OK) fail_msg("%s", err.text);
    }
}

static void inserted(void **state) {
    rps_world *world[3];
    rps_scene *scene[3];
    uint64_t hash[3][2];
    (void)state;
    for (int k = 0; k < 3; k++) { /* one thread, three threads, and periodic along x */
        char *text = text_replace(insertion, "threads: 1", k == 1 ? "threads: 3" : "threads: 1");
        char *wide = k == 2 ? join("periodic: {x: 24 mm}\n", text) : join("", text);
        scene[k] = make(wide, &world[k]);
        assert_true(rps_scene_pending(scene[k]));
        assert_int_equal(rps_scene_body_total(scene[k]), 1 + 36 + 300);
        pour_all(scene[k], world[k], 100);
        assert_int_equal(rps_world_hash(world[k], hash[k], NULL), RPS_OK);
        free(text);
        free(wide);
    }
    /* 100 steps of 1e-5 s at 1e5 1/s: one a step while there is room */
    assert_true(rps_world_body_count(world[0]) > 37 + 50 && rps_world_body_count(world[0]) <= 37 + 100);
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    assert_memory_not_equal(hash[0], hash[2], sizeof hash[0]);
    for (int k = 0; k < 3; k++) done(scene[k], world[k]);
}

/* Planes that cut the region: of a thousand spheres that come in one step none reaches beyond a plane. */
static void pour_between_planes(void **state) {
    rps_world *world;
    rps_error err;
    size_t added = 0;
    (void)state;
    rps_scene *scene = make(
        "bodies:\n"
        "  - {name: ramp, shape: {plane: {normal: [1, 0, 1], point: [10 mm, 0, 0]}}, material: grain, fixed: true}\n"
        "  - {name: roof, shape: {plane: {normal: [0, 1, -1], point: [0, 0, 70 mm]}}, material: grain, fixed: true}\n"
        "particles:\n"
        "  - name: heap\n"
        "    material: grain\n"
        "    radius: {uniform: [1 mm, 2 mm]}\n"
        "    count: 1000\n"
        "    pour: {region: [[-40 mm, -40 mm, 0], [60 mm, 60 mm, 90 mm]], rate: 1e12 1/s}\n"
        "run: {step: 1e-5, until: 10 ms, threads: 1}\n",
        &world);
    if (rps_world_step(world, 1, &err) != RPS_OK) fail_msg("%s", err.text);
    if (rps_scene_insert(scene, world, &added, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(added, 1000);
    for (uint64_t id = 2; id < 2 + added; id++) {
        const rps_pose *pose = &world->bodies.pose[rps_world_slot(world, id)];
        const double *x = pose->position,
                     reach = pose->radius[0] * sqrt(2.0) * (1.0 - 1e-14); /* rounding of the sums */
        assert_true(x[0] - 10e-3 + x[2] >= reach);
        assert_true(x[1] - (x[2] - 70e-3) >= reach);
    }
    done(scene, world);
}

/* A full region: spheres wait, nothing overlaps, and the run continues. */
static void pour_without_room(void **state) {
    rps_world *world;
    (void)state;
    char *text = text_replace(insertion, "[20 mm, 20 mm, 24 mm]", "[4 mm, 4 mm, 9 mm]");
    rps_scene *scene = make(text, &world);
    pour_all(scene, world, 50);
    assert_true(rps_scene_pending(scene));
    assert_true(rps_world_body_count(world) < 37 + 50);
    done(scene, world);
    free(text);
}

typedef struct told {
    int count;
    char text[512];
} told;

static void take_warning(void *context, int level, const char *text) {
    told *to = context;
    if (level != RPS_LOG_WARNING || !strstr(text, "particles `rain`")) return;
    to->count++;
    snprintf(to->text, sizeof to->text, "%s", text);
}

/* Grains rain out of a region in free fall at `rate` for 0.3 s, with the radius 2 mm, or as capsules that the same sphere holds;
 * returned: how they fell behind, or NULL. A contact lasts 20 steps or more and takes half of the speed, so that a collision adds no
 * energy; the guards stay on, which stop a run that does not resolve its contacts. */
static char *rain(const char *frame, double rate, const char *grain, told *to) {
    static const char material[] =
        "repose: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "materials: {grain: {density: 2500}}\n"
        "pairs:\n"
        "  - {between: [grain, grain], normal: {law: hooke, stiffness: 400}, damping: {law: restitution, value: 0.5},\n"
        "     slide: none, roll: none, spin: none}\n";
    const double span = 0.3;
    const int steps = 8000;
    char text[2048];
    snprintf(text, sizeof text,
             "%sparticles: [{name: rain, material: grain, count: %d, %s,\n"
             "  pour: {region: [[0, 0, 0], [20 mm, 20 mm, 20 mm]], rate: %.17g 1/s}}]\n"
             "run: {step: %.17g, until: %.17g}\n",
             frame, (int)(rate * span), grain, rate, span / steps, span);
    char *whole = join(material, text), *kept = NULL;
    rps_error err;
    *to = (told){0};
    rps_scene *scene;
    rps_world *world;
    rps_scene_load_options options = {
        .text = whole, .text_bytes = strlen(whole), .isa = -1, .threads = 1, .log = take_warning, .log_context = to};
    if (rps_scene_load(&options, &scene, &err) != RPS_OK) fail_msg("%s", err.text);
    if (rps_scene_build(scene, &world, &err) != RPS_OK) fail_msg("%s", err.text);
    for (int k = 0; k <= steps; k++) {
        if (rps_scene_insert(scene, world, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
        if (k < steps && rps_world_step(world, 1, &err) != RPS_OK) fail_msg("%s", err.text);
    }
    rps_insertion_info info;
    assert_int_equal(rps_scene_insertions(scene), 1);
    rps_scene_insertion_at(scene, 0, &info);
    assert_int_equal(info.done, rps_world_body_count(world) - (*frame != '\0'));
    const char *behind = rps_scene_insertion_behind(scene, 0);
    assert_true((info.done < info.count) ? behind != NULL : true);
    if (behind) {
        kept = join(behind, "");
        assert_null(strpbrk(kept, ","));
    }
    done(scene, world);
    free(whole);
    return kept;
}

/* A region of 8 cm^3 that is filled to 0.38 by spheres of 2 mm holds 91 of them, and they leave it in the 64 ms of a fall
 * through its 20 mm: 1420 a second. A sphere keeps a ball of 4 mm, 268 mm^3, from the center of the next; a capsule of 1 mm
 * and 2 mm keeps what lies within 3 mm of its axis, 170 mm^3, which makes 2245 a second; two spheres of 1 mm, 2 mm apart,
 * keep two balls of 3 mm, together 168 mm^3: 2271 a second. The estimate is to be good to a factor of 1.6: below that
 * all come in time and nothing is said, above it a warning comes before the run, and they fall behind. */
static void foreseen(void **state) {
    static const struct {
        const char *grain;
        double rate;
        const char *warning, *behind;
    } cases[] = {
        {"radius: 2 mm", 1420, ": 681 are to be poured within 0.2993 s, but only about 51",
         " of 681 particles `rain` were poured"},
        {"shape: {capsule: {radius: 1 mm, length: 2 mm}}", 2245,
         ": 1077 are to be poured within 0.2996 s, but only about 8", " of 1077 particles `rain` were poured"},
        {"pieces: [{shape: {sphere: {radius: 1 mm}}, position: [0, 0, -1 mm]},\n"
         "    {shape: {sphere: {radius: 1 mm}}, position: [0, 0, 1 mm]}]",
         2271, ": 1090 are to be poured within 0.2997 s, but only about 8", " of 1090 particles `rain` were poured"},
    };
    told to;
    (void)state;
    for (int k = 0; k < 3; k++) {
        char *behind = rain("", cases[k].rate / 1.6, cases[k].grain, &to);
        if (behind || to.count) fail_msg("%s: %s %s", cases[k].grain, behind ? behind : "", to.text);
        behind = rain("", cases[k].rate * 1.6, cases[k].grain, &to);
        assert_int_equal(to.count, 1);
        if (!strstr(to.text, cases[k].warning)) fail_msg("%s", to.text);
        assert_non_null(behind);
        assert_non_null(strstr(behind, cases[k].behind));
        free(behind);
    }
    /* a floor is not foreseen, and reported afterwards: 266 spheres are more than the region has volume for */
    char *behind = rain("periodic: {x: 20 mm, y: 20 mm}\n"
                        "bodies: [{name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: grain, fixed: true}]\n",
                        1420 / 1.6, cases[0].grain, &to);
    assert_int_equal(to.count, 0);
    assert_non_null(behind);
    free(behind);
}

static void broken_pours(void **state) {
    static const struct {
        const char *find, *by, *at, *part;
    } cases[] = {
        {"rate: 1e5 1/s", "rate: 1e5 1/s, until: 1 ms", "{region", "exactly one of: rate, until"},
        {"rate: 1e5 1/s, ", "", "{region", "exactly one of: rate, until"},
        {"rate: 1e5 1/s", "rate: 1e3 1/s", "{region", "takes until 0.299 s, but the run ends at 0.01 s"},
        {"[20 mm, 20 mm, 24 mm]", "[20 mm, 2 mm, 24 mm]", "[[0, 0, 1 mm]",
         "0.002 m wide along y; a particle needs 0.004 m"},
        {"    count: 300\n", "    count: 300\n    fixed: true\n", "name: heap", "must be free to move"},
        {"    count: 300\n", "    count: 300\n    generator: {lattice: {box: [[0, 0, 0], [1, 1, 1]], spacing: 1}}\n",
         "name: heap", "exactly one of: generator, file, pour"},
        {"    radius: {uniform: [1 mm, 2 mm]}\n", "", "name: heap", "the key `radius` is missing"},
        {"{uniform: [1 mm, 2 mm]}", "{uniform: [2 mm, 1 mm]}", "[2 mm, 1 mm]", "must not be above the second"},
        {"{uniform: [1 mm, 2 mm]}", "{list: [[1 mm, 0]]}", "[[1 mm, 0]]", "at least one weight"},
        {"{uniform: [1 mm, 2 mm]}", "{list: [[1 s, 1]]}", "1 s, 1", "a length"},
        {"{uniform: [1 mm, 2 mm]}", "{normal: {mean: 5 mm, sd: 1 mm, min: 1 mm, max: 2 mm}}", "{mean",
         "between min and max"},
    };
    (void)state;
    char *whole = join(head, insertion);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rps_error err;
        char *text = text_replace(whole, cases[i].find, cases[i].by);
        scene_refused(text, &err);
        assert_error_at(&err, text, cases[i].at, cases[i].part);
        free(text);
    }
    free(whole);
}

/* The grid against all pairs, with sizes from 1 to 50 and periods. */
static void near_against_all(void **state) {
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, period[3] = {periodic, 0, periodic};
        double x[600][4];
        const rps_cell cell = rps_cell_make(period);
        rps_overlap_grid near;
        uint64_t seed = 12345;
        assert_int_equal(rps_near_init(&near, low, high, 0.02, &cell, 600, NULL, NULL), RPS_OK);
        for (int i = 0; i < 600; i++) {
            for (int k = 0; k < 4; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                x[i][k] = (double)(seed >> 11) * 0x1p-53;
            }
            x[i][3] = i % 100 == 0 ? 0.2 : 0.004 + 0.03 * x[i][3] * x[i][3];
            assert_int_equal(rps_near_add(&near, x[i], x[i][3], (uint64_t)i, NULL), RPS_OK);
        }
        for (int i = 0; i < 600; i++) {
            size_t expected = 0;
            for (int j = 0; j < 600; j++) {
                for (int a = -periodic; a <= periodic; a++) {
                    for (int c = -periodic; c <= periodic; c++) {
                        double d[3] = {x[i][0] + a - x[j][0], x[i][1] - x[j][1], x[i][2] + c - x[j][2]};
                        double reach = x[i][3] + x[j][3];
                        expected += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach;
                    }
                }
            }
            assert_int_equal(rps_near_count(&near, x[i], x[i][3]), expected);
        }
        rps_near_release(&near);
    }
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    static const char *const names[] = {"a.csv", "a.xyz", "b.xyz.gz"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        path_in(names[i], path);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubic_lattice),     cmocka_unit_test(hexagonal_lattice),
        cmocka_unit_test(sizes_and_jitter),  cmocka_unit_test(csv_file),
        cmocka_unit_test(oriented_file),     cmocka_unit_test(xyz_file),
        cmocka_unit_test(broken_files),      cmocka_unit_test(one_bad_row_of_a_million),
        cmocka_unit_test(inserted),          cmocka_unit_test(pour_between_planes),
        cmocka_unit_test(pour_without_room), cmocka_unit_test(foreseen),
        cmocka_unit_test(broken_pours),      cmocka_unit_test(near_against_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
