/* The VTKHDF files of a run, read as their format says: the grid of every frame is that of run.h5, whose values they
 * link to, while bodies come and contacts come and go. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/run.h>

#include "io/read_results.h"
#include "io_common.h"

enum { MOST = 4096, FRAMES = 9 };

static char directory[RPS_PATH], copy[RPS_PATH];

static const char scene_text[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {m: {young: 10 MPa, poisson: 0.3, density: 2500}}\n"
    "pairs: [{between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 10 mm}}, material: m, position: [0, 0, 10.001 mm]}\n"
    "  - {name: brick, shape: {box: {size: [10 mm, 10 mm, 10 mm]}}, material: m, position: [50 mm, 0, 0.1],\n"
    "     angular_velocity: [3, 1, 0]}\n"
    "particles:\n"
    "  - {name: feed, material: m, shape: {box: {size: [4 mm, 4 mm, 4 mm]}}, count: 6,\n"
    "     pour: {region: {box: [[-60 mm, -20 mm, 0.2], [-20 mm, 20 mm, 0.25]]}, rate: 200 1/s}}\n"
    "run: {step: 1e-4 s, until: 0.04 s}\n"
    "output: {frames: 5 ms, series: 0}\n";

static int set_up(void **state) {
    (void)state;
    make_directory(directory);
    rps_run_options options = rps_run_options_default();
    options.text = scene_text;
    options.text_bytes = strlen(scene_text);
    options.directory = directory;
    options.overwrite = true;
    rps_error err;
    if (rps_run(&options, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
    /* HDF5 refuses to follow a link to a file that this program has open otherwise */
    char from[RPS_PATH];
    rps_path_join(from, directory, "run.h5", NULL);
    rps_path_join(copy, directory, "copy.h5", NULL);
    if (rps_file_copy(from, copy, &err) != RPS_OK) fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_directory(directory);
    return 0;
}

/* Numbers of a dataset from `start` on: `count` rows of `width`. */
static void read_rows(hid_t file, const char *name, hid_t type, hsize_t start, hsize_t count, hsize_t width,
                      void *out) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0) fail_msg("there is no %s", name);
    hid_t space = H5Dget_space(dataset);
    const hsize_t first[2] = {start, 0}, size[2] = {count, width};
    hid_t memory = H5Screate_simple(width > 1 ? 2 : 1, size, NULL);
    assert_int_equal(H5Sget_simple_extent_ndims(space), width > 1 ? 2 : 1);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, size, NULL) >= 0);
    assert_true(H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
}

static int64_t number(hid_t file, const char *name, hsize_t at) {
    int64_t value;
    read_rows(file, name, H5T_NATIVE_INT64, at, 1, 1, &value);
    return value;
}

static hid_t open_file(const char *name) {
    char path[RPS_PATH], type[32] = "";
    int64_t version[2], steps;
    rps_path_join(path, directory, name, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t attribute = H5Aopen_by_name(file, "VTKHDF", "Version", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT64, version) >= 0 && version[0] == 2);
    H5Aclose(attribute);
    attribute = H5Aopen_by_name(file, "VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
    hid_t text = H5Aget_type(attribute);
    assert_true(H5Tget_cset(text) == H5T_CSET_ASCII && H5Tget_size(text) < sizeof type);
    assert_true(H5Aread(attribute, text, type) >= 0);
    assert_string_equal(type, "UnstructuredGrid");
    H5Tclose(text);
    H5Aclose(attribute);
    attribute = H5Aopen_by_name(file, "VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT64, &steps) >= 0 && steps == FRAMES);
    H5Aclose(attribute);
    return file;
}

/* A step of a file: where VTK looks for it. */
typedef struct step {
    int64_t points, cells, first_point, ids;
    int64_t offset[MOST], connectivity[MOST];
    uint8_t type[MOST];
} step;

static void read_step(hid_t file, hsize_t at, step *s) {
    const int64_t part = number(file, "VTKHDF/Steps/PartOffsets", at);
    const hsize_t cell = (hsize_t)number(file, "VTKHDF/Steps/CellOffsets", at);
    const hsize_t id = (hsize_t)number(file, "VTKHDF/Steps/ConnectivityIdOffsets", at);
    assert_int_equal(number(file, "VTKHDF/Steps/NumberOfParts", at), 1);
    s->points = number(file, "VTKHDF/NumberOfPoints", (hsize_t)part);
    s->cells = number(file, "VTKHDF/NumberOfCells", (hsize_t)part);
    s->ids = number(file, "VTKHDF/NumberOfConnectivityIds", (hsize_t)part);
    s->first_point = number(file, "VTKHDF/Steps/PointOffsets", at);
    assert_true(s->cells < MOST && s->ids < MOST && s->points < MOST);
    /* each part before has one offset more than cells */
    read_rows(file, "VTKHDF/Offsets", H5T_NATIVE_INT64, cell + (hsize_t)part, (hsize_t)s->cells + 1, 1, s->offset);
    read_rows(file, "VTKHDF/Types", H5T_NATIVE_UINT8, cell, (hsize_t)s->cells, 1, s->type);
    read_rows(file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, id, (hsize_t)s->ids, 1, s->connectivity);
}

static void check_cells(const step *s, int type, int nodes, bool in_order) {
    for (int64_t n = 0; n <= s->cells; n++) assert_int_equal(s->offset[n], n * nodes);
    for (int64_t n = 0; n < s->cells; n++) assert_int_equal(s->type[n], type);
    for (int64_t n = 0; n < s->ids; n++) {
        assert_true(s->connectivity[n] >= 0 && s->connectivity[n] < s->points);
        assert_true(!in_order || s->connectivity[n] == n);
    }
}

static rps_results_reader *open_results(const rps_frame **frame) {
    rps_results_reader *reader;
    size_t count;
    rps_error err;
    if (rps_results_open(copy, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
    *frame = rps_results_reader_frames(reader, &count);
    assert_int_equal(count, FRAMES);
    return reader;
}

/* Every column of the table is there, with the rows of the frame. */
static void check_fields(hid_t file, hsize_t at, rps_results_reader *reader, rps_results_part part, const char *points,
                         const char *data, int64_t items) {
    static double wanted[4 * MOST], found[4 * MOST];
    rps_error err;
    for (size_t c = 0; rps_results_reader_column(reader, part, c); c++) {
        const rps_column *column = rps_results_reader_column(reader, part, c);
        char name[128], offset[160];
        if (strcmp(column->name, points) == 0) continue;
        snprintf(name, sizeof name, "VTKHDF/%s/%s", data, column->name);
        snprintf(offset, sizeof offset, "VTKHDF/Steps/%sOffsets/%s", data, column->name);
        const size_t bytes = (size_t)items * (size_t)column->components * rps_type_bytes(column->type);
        assert_true(bytes <= sizeof wanted);
        assert_int_equal(rps_results_read(reader, part, column->name, at, wanted, sizeof wanted, &err), RPS_OK);
        read_rows(file, name, rps_h5_type(column->type), (hsize_t)number(file, offset, at), (hsize_t)items,
                  (hsize_t)column->components, found);
        assert_memory_equal(wanted, found, bytes);
    }
}

static void test_bodies_and_contacts(void **state) {
    (void)state;
    static step s;
    static double wanted[MOST][3], found[MOST][3];
    const rps_frame *frame;
    uint64_t least = UINT64_MAX, most = 0, with = 0;
    rps_error err;
    rps_results_reader *reader = open_results(&frame);
    hid_t bodies = open_file("run.vtkhdf"), contacts = open_file("contacts.vtkhdf");
    for (hsize_t f = 0; f < FRAMES; f++) {
        double time;
        read_rows(bodies, "VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, f, 1, 1, &time);
        assert_true(time == frame[f].time);
        read_step(bodies, f, &s);
        assert_int_equal(s.points, frame[f].bodies);
        assert_int_equal(s.cells, frame[f].bodies);
        check_cells(&s, 1, 1, true);
        assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "position", f, wanted, sizeof wanted, &err),
                         RPS_OK);
        read_rows(bodies, "VTKHDF/Points", H5T_NATIVE_DOUBLE, (hsize_t)s.first_point, (hsize_t)s.points, 3, found);
        assert_memory_equal(wanted, found, (size_t)s.points * sizeof *wanted);
        check_fields(bodies, f, reader, RPS_RESULTS_BODIES, "position", "PointData", s.points);
        read_step(contacts, f, &s);
        assert_int_equal(s.cells, frame[f].contacts);
        assert_int_equal(s.points, 2 * frame[f].contacts);
        check_cells(&s, 3, 2, true);
        assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "line", f, wanted, sizeof wanted, &err),
                         RPS_OK);
        read_rows(contacts, "VTKHDF/Points", H5T_NATIVE_DOUBLE, (hsize_t)s.first_point, (hsize_t)s.points, 3, found);
        assert_memory_equal(wanted, found, (size_t)s.points * sizeof *wanted);
        check_fields(contacts, f, reader, RPS_RESULTS_CONTACTS, "line", "CellData", s.cells);
        least = frame[f].bodies < least ? frame[f].bodies : least;
        most = frame[f].bodies > most ? frame[f].bodies : most;
        with += frame[f].contacts > 0;
    }
    assert_true(least == 3 || least == 4);
    assert_true(most == 9 && with > 0 && with < FRAMES); /* frames of all kinds were seen */
    H5Fclose(bodies);
    H5Fclose(contacts);
    rps_results_reader_close(reader);
}

/* The triangles of a frame enclose the boxes there are. */
static void test_surfaces(void **state) {
    (void)state;
    static step s;
    static float x[MOST][3];
    static uint64_t id[MOST];
    const rps_frame *frame;
    rps_results_reader *reader = open_results(&frame);
    hid_t file = open_file("surfaces.vtkhdf");
    for (hsize_t f = 0; f < FRAMES; f++) {
        read_step(file, f, &s);
        const uint64_t small = frame[f].bodies - 3;
        assert_int_equal(s.cells, 12 * (1 + small));
        check_cells(&s, 5, 3, false);
        read_rows(file, "VTKHDF/Points", H5T_NATIVE_FLOAT, (hsize_t)s.first_point, (hsize_t)s.points, 3, x);
        read_rows(file, "VTKHDF/PointData/id", H5T_NATIVE_UINT64,
                  (hsize_t)number(file, "VTKHDF/Steps/PointDataOffsets/id", f), (hsize_t)s.points, 1, id);
        double volume = 0.0;
        for (int64_t n = 0; n < s.cells; n++) {
            const int64_t *c = &s.connectivity[3 * n];
            const float *a = x[c[0]], *b = x[c[1]], *d = x[c[2]];
            assert_true(id[c[0]] == id[c[1]] && id[c[0]] == id[c[2]]);
            volume += ((double)a[0] * ((double)b[1] * d[2] - (double)b[2] * d[1]) +
                       (double)a[1] * ((double)b[2] * d[0] - (double)b[0] * d[2]) +
                       (double)a[2] * ((double)b[0] * d[1] - (double)b[1] * d[0])) /
                      6.0;
        }
        const double wanted = 1e-6 + (double)small * 64e-9;
        /* corners in single precision, 0.25 m from the origin: 2e-8 m of 4 mm, and as much of the distance */
        assert_true(volume > wanted * (1.0 - 1e-3) && volume < wanted * (1.0 + 1e-3));
    }
    H5Fclose(file);
    rps_results_reader_close(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies_and_contacts), cmocka_unit_test(test_surfaces)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
