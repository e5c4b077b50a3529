/* Surfaces in results: corners of boxes agree with the poses; triangles enclose the volume of each body and face
 * outwards; later bodies follow earlier ones; every slab of surfaces.xdmf lies within its dataset; there is no group
 * and no file unless bodies need them. */
#include "io_common.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/elementary.h"
#include "io/results.h"

static char directory[RPS_PATH];

static int set_up(void **state) {
    (void)state;
    make_directory(directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_directory(directory);
    return 0;
}

static rps_world *make(void) {
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    rps_error err;
    options.step = 1e-3;
    options.threads = 1;
    assert_int_equal(rps_world_create(&options, &world, &err), RPS_OK);
    for (int k = 0; k < 2; k++) {
        rps_material material = rps_material_default();
        material.name = k ? "wood" : "stone";
        material.density = 1000.0;
        assert_int_equal(rps_world_add_material(world, &material, NULL, &err), RPS_OK);
    }
    return world;
}

static void add(rps_world *world, const char *shape, double a, double b, double c, const double position[3],
                const rps_piece_def *piece, int pieces) {
    rps_body_def def = rps_body_def_default();
    rps_error err;
    def.shape = shape;
    if (strcmp(shape, "sphere") == 0 && !piece) {
        def.radius = a;
    } else if (!piece) {
        def.parameter[0] = a, def.parameter[1] = b, def.parameter[2] = c;
    }
    memcpy(def.position, position, sizeof def.position);
    def.orientation[0] = 0.5, def.orientation[1] = 0.5, def.orientation[2] = -0.5, def.orientation[3] = 0.5;
    def.velocity[1] = 3.0;
    def.piece = piece;
    def.pieces = pieces;
    if (rps_world_add_body(world, &def, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
}

/* Two balls, 1 and 0.5, far from each other; of two materials. */
static void add_dumbbell(rps_world *world) {
    rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
    piece[0].parameter[0] = 1.0;
    piece[1].parameter[0] = 0.5;
    piece[1].position[0] = 4.0;
    piece[1].material = 1;
    add(world, "sphere", 1.0, 0.0, 0.0, (double[]){30.0, 0.0, 0.0}, piece, 2);
}

enum { FRAMES = 4, MOST = 4096 };

static void write_frame(rps_results *results, const rps_world *world, int f) {
    rps_error err;
    if (rps_results_write_with(results, world, 0.5 * f, (uint64_t)f, NULL, 0, &err) != RPS_OK) fail_msg("%s", err.text);
}

/* Frame 0: a ball only; 1: a box; 2: moved; 3: an ellipsoid and two balls in one body came. */
static void write_all(rps_world *world, uint64_t surface) {
    rps_results *results;
    rps_error err;
    rps_results_options options = {
        .directory = directory, .title = "a & b", .bodies = 4, .world = world, .surface = surface};
    assert_int_equal(rps_results_create(&options, &results, &err), RPS_OK);
    add(world, "sphere", 0.5, 0.0, 0.0, (double[]){-9.0, 0.0, 0.0}, NULL, 0);
    write_frame(results, world, 0);
    add(world, "box", 2.0, 4.0, 6.0, (double[]){10.0, 0.0, 0.0}, NULL, 0);
    write_frame(results, world, 1);
    world->bodies.pose[rps_world_slot(world, 1)].position[2] = 7.0;
    write_frame(results, world, 2);
    add(world, "ellipsoid", 1.0, 2.0, 3.0, (double[]){20.0, 0.0, 0.0}, NULL, 0);
    add_dumbbell(world);
    write_frame(results, world, 3);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
}

static hid_t open_file(void) {
    char path[RPS_PATH];
    rps_path_join(path, directory, "run.h5", NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static int sizes(hid_t file, const char *name, hsize_t size[2]) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    H5Dclose(dataset);
    return rank;
}

/* A whole dataset of at most 3 * MOST numbers. */
static size_t read_all(hid_t file, const char *name, hid_t type, void *out) {
    hsize_t size[2] = {0, 1};
    sizes(file, name, size);
    assert_true(size[0] * size[1] <= 3 * MOST);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(dataset);
    return (size_t)size[0];
}

static double x[MOST][3];
static int corner[MOST][3], id[MOST], piece[MOST], material[MOST];
static uint64_t offset[FRAMES], points[FRAMES], triangles[FRAMES];

static void read_surfaces(void) {
    hid_t file = open_file();
    size_t rows = read_all(file, "/surface/points/position", H5T_NATIVE_DOUBLE, x);
    assert_int_equal(read_all(file, "/surface/frames/offset", H5T_NATIVE_UINT64, offset), FRAMES);
    assert_int_equal(read_all(file, "/surface/frames/points", H5T_NATIVE_UINT64, points), FRAMES);
    assert_int_equal(read_all(file, "/surface/frames/triangles", H5T_NATIVE_UINT64, triangles), FRAMES);
    assert_int_equal(rows, offset[3] + points[3]);
    assert_int_equal(read_all(file, "/surface/triangles/points", H5T_NATIVE_INT, corner), triangles[3]);
    assert_int_equal(read_all(file, "/surface/vertices/id", H5T_NATIVE_INT, id), points[3]);
    assert_int_equal(read_all(file, "/surface/vertices/piece", H5T_NATIVE_INT, piece), points[3]);
    assert_int_equal(read_all(file, "/surface/vertices/material", H5T_NATIVE_INT, material), points[3]);
    double velocity[MOST][3];
    assert_int_equal(read_all(file, "/surface/points/velocity", H5T_NATIVE_DOUBLE, velocity), rows);
    for (size_t n = 0; n < rows; n++) assert_true(velocity[n][0] == 0.0 && velocity[n][1] == 3.0);
    H5Fclose(file);
}

/* Volume enclosed by the triangles of a piece, by the divergence theorem about the origin; positive if they face
 * outwards. */
static double volume(int frame, int of, int of_piece) {
    double sum = 0.0;
    for (uint64_t t = 0; t < triangles[frame]; t++) {
        const int *c = corner[t];
        if (id[c[0]] != of || piece[c[0]] != of_piece) continue;
        const double *p[3];
        for (int k = 0; k < 3; k++) {
            assert_true(c[k] >= 0 && (uint64_t)c[k] < points[frame]);
            assert_true(id[c[k]] == of && piece[c[k]] == of_piece);
            p[k] = x[offset[frame] + (uint64_t)c[k]];
        }
        sum += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
               6.0;
    }
    return sum;
}

static void test_surfaces(void **state) {
    (void)state;
    rps_world *world = make();
    write_all(world, 1200);
    read_surfaces();
    assert_true(points[0] == 0 && triangles[0] == 0);
    for (int f = 1; f < 3; f++) { /* a box has 12 triangles, however many are asked for */
        assert_true(points[f] == 8 && triangles[f] == 12);
        assert_int_equal(offset[f], offset[f - 1] + points[f - 1]);
        /* the turn takes x to z, y to -x and z to -y: edges 4, 6, 2 along x, y, z */
        for (uint64_t n = offset[f]; n < offset[f] + 8; n++) {
            assert_true(fabs(x[n][0] - 10.0) == 2.0 && fabs(x[n][1]) == 3.0);
            assert_true(fabs(x[n][2] - (f == 2 ? 7.0 : 0.0)) == 1.0);
        }
        assert_true(fabs(volume(f, 1, 0) - 48.0) < 1e-12);
    }
    /* single precision of coordinates up to 34, and 1200 flat triangles within a ball lack 4 pi/(3^1/2 1200) = 0.6 % of
     * its volume if they are regular; twice that for those that are not, and as much again for half as many */
    assert_true(fabs(volume(3, 1, 0) - 48.0) < 1e-4);
    const double ball = 4.0 / 3.0 * RPS_PI;
    const struct {
        int id, piece;
        double volume, lack;
    } body[] = {{2, 0, 6.0 * ball, 0.012}, {3, 0, ball, 0.024}, {3, 1, ball / 8.0, 0.024}};
    for (int k = 0; k < 3; k++) {
        double part = volume(3, body[k].id, body[k].piece) / body[k].volume;
        print_message("# body %d, piece %d: %.4f of its volume\n", body[k].id, body[k].piece, part);
        assert_true(part < 1.0 && part > 1.0 - body[k].lack);
    }
    for (uint64_t n = 0; n < points[3]; n++) {
        assert_int_equal(material[n], id[n] == 3 && piece[n] == 1);
        if (id[n] == 2) { /* on the ellipsoid, whose axes 1, 2, 3 now lie along z, x, y */
            const double *p = x[offset[3] + n], u = (p[0] - 20.0) / 2.0, v = p[1] / 3.0, w = p[2];
            assert_true(fabs(u * u + v * v + w * w - 1.0) < 1e-5);
        }
    }
    rps_world_destroy(world);
}

/* Slabs of rank 2 and 1: within their dataset, and as large as they say. */
static void test_slabs(void **state) {
    (void)state;
    rps_world *world = make();
    write_all(world, 200);
    hid_t file = open_file();
    char *text = read_text(directory, "surfaces.xdmf");
    assert_non_null(strstr(text, "Value=\"a &amp; b\""));
    int times = 0, slabs = 0;
    for (const char *c = text; (c = strstr(c, "<Time Value=\"")) != NULL; c++) {
        assert_true(strtod(c + 13, NULL) == 0.5 * times++);
    }
    assert_int_equal(times, FRAMES);
    for (const char *c = text; (c = strstr(c, "<DataItem ItemType=\"HyperSlab\" Dimensions=\"")) != NULL;
         c++, slabs++) {
        unsigned long long want[2] = {0, 1}, part[6], all[2] = {0, 1};
        char name[128];
        hsize_t size[2] = {0, 1};
        int rank = sscanf(c + 43, "%llu %llu", &want[0], &want[1]);
        const char *inner = strstr(c, "Format=\"XML\">") + 13, *outer = strstr(inner, "<DataItem Dimensions=\"") + 22;
        assert_int_equal(
            sscanf(inner, "%llu %llu %llu %llu %llu %llu", part, part + 1, part + 2, part + 3, part + 4, part + 5),
            3 * rank);
        assert_int_equal(sscanf(outer, "%llu %llu", &all[0], &all[1]), rank);
        assert_int_equal(sscanf(strstr(outer, "run.h5:"), "run.h5:%127[^<]", name), 1);
        assert_int_equal(sizes(file, name, size), rank);
        for (int k = 0; k < rank; k++) {
            assert_int_equal(all[k], part[k] + want[k]); /* up to the end of the frame */
            assert_int_equal(part[2 * rank + k], want[k]);
            assert_true(want[k] > 0 && part[k] + want[k] <= size[k]);
        }
    }
    assert_int_equal(slabs, 3 * (1 + 2 + 6)); /* triangles, columns of points, columns of vertices */
    free(text);
    H5Fclose(file);
    rps_world_destroy(world);
}

static bool surfaces_are_there(void) {
    char path[RPS_PATH];
    rps_path_join(path, directory, "surfaces.xdmf", NULL);
    hid_t file = open_file();
    bool group = H5Lexists(file, "surface", H5P_DEFAULT) > 0, text = access(path, F_OK) == 0;
    H5Fclose(file);
    assert_int_equal(group, text);
    return group;
}

static void test_none(void **state) {
    (void)state;
    rps_world *world = make();
    char old[RPS_PATH];
    rps_path_join(old, directory, "surfaces.xdmf", NULL);
    unlink(old);
    write_all(world, 0);
    assert_false(surfaces_are_there());
    rps_world_destroy(world);
    world = make();
    rps_results *results;
    rps_error err;
    rps_results_options options = {.directory = directory, .title = "", .bodies = 1, .world = world, .surface = 200};
    assert_int_equal(rps_results_create(&options, &results, &err), RPS_OK);
    add(world, "sphere", 0.5, 0.0, 0.0, (double[]){0.0, 0.0, 0.0}, NULL, 0);
    write_frame(results, world, 0);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
    assert_false(surfaces_are_there());
    rps_world_destroy(world);
}

/* Resuming after each frame gives the same files as before. */
static void test_cut(void **state) {
    (void)state;
    static double before[MOST][3];
    static int corner_before[MOST][3];
    for (uint64_t keep = 0; keep < FRAMES; keep++) {
        rps_world *world = make();
        write_all(world, 100);
        read_surfaces();
        memcpy(before, x, sizeof before);
        memcpy(corner_before, corner, sizeof corner_before);
        char *text = read_text(directory, "surfaces.xdmf");
        rps_results *results;
        rps_error err;
        rps_results_options options = {
            .directory = directory, .title = "a & b", .bodies = 4, .world = world, .surface = 100};
        rps_world_destroy(world);

        options.world = world = make(); /* as it was after these frames */
        add(world, "sphere", 0.5, 0.0, 0.0, (double[]){-9.0, 0.0, 0.0}, NULL, 0);
        if (keep > 0) add(world, "box", 2.0, 4.0, 6.0, (double[]){10.0, 0.0, keep > 1 ? 7.0 : 0.0}, NULL, 0);
        if (rps_results_resume(&options, keep, &results, &err) != RPS_OK) fail_msg("%s", err.text);
        if (keep < 1) write_frame(results, world, 0);
        if (keep < 1) add(world, "box", 2.0, 4.0, 6.0, (double[]){10.0, 0.0, 0.0}, NULL, 0);
        if (keep < 2) {
            world->bodies.pose[rps_world_slot(world, 1)].position[2] = 0.0;
            write_frame(results, world, 1);
            world->bodies.pose[rps_world_slot(world, 1)].position[2] = 7.0;
        }
        if (keep < 3) write_frame(results, world, 2);
        add(world, "ellipsoid", 1.0, 2.0, 3.0, (double[]){20.0, 0.0, 0.0}, NULL, 0);
        add_dumbbell(world);
        write_frame(results, world, 3);
        assert_int_equal(rps_results_close(results, &err), RPS_OK);
        memset(x, 0, sizeof x);
        read_surfaces();
        assert_memory_equal(before, x, (offset[3] + points[3]) * sizeof *x);
        assert_memory_equal(corner_before, corner, triangles[3] * sizeof *corner);
        char *again = read_text(directory, "surfaces.xdmf");
        assert_string_equal(text, again);
        free(text);
        free(again);
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_surfaces), cmocka_unit_test(test_slabs),
                                       cmocka_unit_test(test_none), cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
