/* Readers of the files of others under broken input: small files of every format, with bytes changed, cut out, doubled
 * and cut off, and with numbers in the place of numbers. Each is read or refused with a sentence that names the file;
 * none takes more memory than a small multiple of its size, and none leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/points.h"
#include "io_common.h"

enum { MOST = 1 << 16, TRIALS = 200, LIMIT = 1 << 20 /* bytes: the files have a few hundred */ };

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

/* Counts what is taken and refuses more than LIMIT at once. */
typedef struct meter {
    size_t used;
    bool passed;
} meter;

static void *take(void *context, size_t bytes, size_t alignment) {
    meter *m = context;
    if (bytes > LIMIT) {
        m->passed = true;
        return NULL;
    }
    m->used += bytes;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give_back(void *context, void *p, size_t bytes) {
    meter *m = context;
    m->used -= bytes;
    free(p);
}

static void fill(rps_points *points) {
    rps_point_field *x, *radius, *mass, *id, *v, *stress;
    rps_error err;
    double steel;
    rps_points_init(points, NULL);
    assert_int_equal(rps_points_add_field(points, "position", 3, false, &x, &err), RPS_OK);
    assert_int_equal(rps_points_add_field(points, "radius", 1, false, &radius, &err), RPS_OK);
    assert_int_equal(rps_points_add_field(points, "mass", 1, false, &mass, &err), RPS_OK);
    assert_int_equal(rps_points_add_field(points, "id", 1, true, &id, &err), RPS_OK);
    assert_int_equal(rps_points_add_field(points, "velocity", 3, false, &v, &err), RPS_OK);
    assert_int_equal(rps_points_add_field(points, "stress", 6, false, &stress, &err), RPS_OK);
    assert_int_equal(rps_points_type(points, "steel", &steel, &err), RPS_OK);
    assert_int_equal(rps_points_resize(points, 3, &err), RPS_OK);
    for (int n = 0; n < 3; n++) {
        for (int k = 0; k < 3; k++) ((double *)x->value)[3 * n + k] = 0.1 * n + 1.0 / (3.0 + k);
        for (int k = 0; k < 3; k++) ((double *)v->value)[3 * n + k] = n - 0.3 * k;
        for (int k = 0; k < 6; k++) ((double *)stress->value)[6 * n + k] = 1e5 / (n + k + 1.0);
        ((double *)radius->value)[n] = 0.01 * (n + 1);
        ((double *)mass->value)[n] = 0.3 * (n + 1);
        ((double *)id->value)[n] = 4 * n;
    }
}

static rps_status read_file(const char *path, rps_points_format format, const rps_allocator *allocator,
                            rps_points *(*look)(rps_points *), rps_error *err) {
    rps_points_source *source;
    rps_points *points;
    rps_status status = rps_points_open(path, format, allocator, &source, err);
    int frames = 0;
    while (status == RPS_OK && (status = rps_points_next(source, true, &points, err)) == RPS_OK && points) {
        if (look) look(points);
        assert_true(++frames < 100);
    }
    rps_points_close(source);
    return status;
}

static void put(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* Changes a copy of the file by the numbers of a trial; returns its new length. */
static size_t damage(const char *whole, size_t count, char *out, uint64_t seed, uint64_t trial) {
    static const char *const word[] = {"nan",   "1e999", "-1", "99999999999999999999", "4294967295", "",
                                       "1e308", "x",     "0",  "18446744073709551615", "<",          "\""};
    uint64_t r[4];
    size_t length = count;
    memcpy(out, whole, count);
    for (uint64_t change = 0; change < 1 + trial % 3; change++) {
        rps_random_block(seed, 77, trial, change, r);
        const size_t at = length > 0 ? r[0] % length : 0;
        const size_t part = r[1] % 40 < length - at ? r[1] % 40 : length - at;
        const char *with = word[r[2] % (sizeof word / sizeof *word)];
        if (r[3] % 6 == 0) {
            out[at] = (char)r[1];
        } else if (r[3] % 6 == 1) { /* cut out */
            memmove(out + at, out + at + part, length - at - part);
            length -= part;
        } else if (r[3] % 6 == 2) { /* doubled */
            memmove(out + at + part, out + at, length - at);
            length += part;
        } else if (r[3] % 6 == 3) {
            length = at; /* cut off */
        } else {         /* another word in the place of one */
            size_t from = at, to = at;
            while (from > 0 && !strchr(" \n,\"", out[from - 1])) from--;
            while (to < length && !strchr(" \n,\"", out[to])) to++;
            const size_t n = strlen(with);
            memmove(out + from + n, out + to, length - to);
            memcpy(out + from, with, n);
            length = length - (to - from) + n;
        }
    }
    return length;
}

static void break_format(rps_points_format format, bool binary) {
    static char out[MOST];
    rps_points points;
    rps_text text;
    rps_error err;
    char path[RPS_PATH], name[32];
    int read = 0, refused = 0;
    fill(&points);
    rps_text_init(&text, NULL, MOST / 4);
    assert_int_equal(rps_points_choose(&points, format, NULL, 0, &err), RPS_OK);
    assert_int_equal(rps_points_write(&points, format, binary, &text, &err), RPS_OK);
    if (rps_points_many(format)) rps_points_write(&points, format, binary, &text, &err);
    snprintf(name, sizeof name, "broken.%s", rps_points_format_name((int)format));
    rps_path_join(path, directory, name, NULL);
    put(path, text.data, text.length);
    assert_int_equal(read_file(path, format, NULL, NULL, &err), RPS_OK);
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        meter m = {0, false};
        const rps_allocator allocator = {take, give_back, &m};
        put(path, out, damage(text.data, text.length, out, (uint64_t)format + 100 * binary, trial));
        err = (rps_error){.status = RPS_OK};
        const rps_status status = read_file(path, format, &allocator, NULL, &err);
        if (m.used != 0 || m.passed) fail_msg("%s, trial %d: memory", name, (int)trial);
        if (status != RPS_OK && (status != RPS_BAD_INPUT || !strstr(err.text, "broken.") || strlen(err.text) < 30)) {
            fail_msg("%s, trial %d: %s", name, (int)trial, err.text);
        }
        read += status == RPS_OK;
        refused += status != RPS_OK;
    }
    assert_true(read > TRIALS / 50 && refused > TRIALS / 10); /* both kinds were tried */
    rps_text_release(&text);
    rps_points_release(&points);
}

static void test_broken(void **state) {
    (void)state;
    for (int f = RPS_POINTS_DUMP; f < RPS_POINTS_FORMATS; f++) {
        break_format((rps_points_format)f, false);
        if (f == RPS_POINTS_VTU || f == RPS_POINTS_PLY) break_format((rps_points_format)f, true);
    }
}

/* VTU as ParaView writes it: appended bytes, compressed by zlib, and float32; made once by hand. */
static rps_points *look_at_appended(rps_points *points) {
    assert_int_equal(points->count, 2);
    const double *x = rps_points_values(points, "position"), *r = rps_points_values(points, "radius");
    const double wanted[6] = {1.0, 2.0, 3.0, -1.0, 0.5, 0.25};
    for (int k = 0; k < 6; k++) assert_true(x[k] == wanted[k]);
    assert_true(r[0] == 0.5 && r[1] == 0.125);
    return points;
}

static void test_appended(void **state) {
    (void)state;
    static const float x[6] = {1.0F, 2.0F, 3.0F, -1.0F, 0.5F, 0.25F};
    static const double r[2] = {0.5, 0.125};
    static const char head[] =
        "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\" header_type=\"UInt32\">\n"
        "<UnstructuredGrid><Piece NumberOfPoints=\"2\" NumberOfCells=\"0\">\n"
        "<PointData Scalars=\"radius\"><DataArray type=\"Float64\" Name=\"radius\" format=\"appended\" "
        "offset=\"28\"/>\n"
        "</PointData><Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
        "offset=\"0\"/></Points></Piece></UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
    char bytes[2048], path[RPS_PATH];
    size_t n = sizeof head - 1;
    const uint32_t sizes[2] = {sizeof x, sizeof r};
    rps_error err;
    memcpy(bytes, head, n);
    memcpy(bytes + n, &sizes[0], 4), n += 4;
    memcpy(bytes + n, x, sizeof x), n += sizeof x;
    memcpy(bytes + n, &sizes[1], 4), n += 4;
    memcpy(bytes + n, r, sizeof r), n += sizeof r;
    memcpy(bytes + n, "</AppendedData></VTKFile>\n", 26), n += 26;
    rps_path_join(path, directory, "appended.vtu", NULL);
    put(path, bytes, n);
    if (read_file(path, RPS_POINTS_VTU, NULL, look_at_appended, &err) != RPS_OK) fail_msg("%s", err.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken), cmocka_unit_test(test_appended)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
