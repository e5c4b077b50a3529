/* Tables in an HDF5 file: data appended in frames of any length is read back, with full or partial chunks,
 * compressible or not, and the file is the same for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "io/table.h"
#include "io_common.h"

/* 1: HDF5 uses chunks of 128 items. Frames end before, at and after the ends of chunks. */
enum { GUESS = 1, CHUNK = 128, FRAMES = 7 };
static const uint64_t frame[FRAMES] = {100, 28, 640, 3, 1000, 0, 129};

typedef struct sample {
    double line[2][3];
    uint64_t noise; /* random: compressing makes it longer */
    int32_t number;
} sample;

static uint64_t items_before(int frames) {
    uint64_t items = 0;
    for (int f = 0; f < frames; f++) items += frame[f];
    return items;
}

static sample sample_at(uint64_t i) {
    uint64_t out[4];
    rps_random_block(5, RPS_RANDOM_TEST, i, 0, out);
    sample s = {.noise = out[0], .number = (int32_t)(i / 7)};
    for (int k = 0; k < 6; k++) s.line[k / 3][k % 3] = (double)i + 0.125 * k;
    return s;
}

static void add_columns(rps_table *table) {
    rps_table_add(table, (rps_column){"line", "m", "two rows", RPS_TYPE_double, 3, 2});
    rps_table_add(table, (rps_column){"noise", "1", "cannot be compressed", RPS_TYPE_uint64, 1, 1});
    rps_table_add(table, (rps_column){"number", "1", "can be compressed", RPS_TYPE_int32, 1, 1});
}

static void append_frame(rps_table *table, uint64_t items) {
    double(*line)[2][3] = malloc((items + 1) * sizeof *line);
    uint64_t *noise = malloc((items + 1) * sizeof *noise);
    int32_t *number = malloc((items + 1) * sizeof *number);
    assert_true(line && noise && number);
    if (!line || !noise || !number) return; /* not reached */
    for (uint64_t n = 0; n < items; n++) {
        const sample s = sample_at(table->items + n);
        memcpy(line[n], s.line, sizeof s.line);
        noise[n] = s.noise;
        number[n] = s.number;
    }
    rps_error err;
    assert_int_equal(rps_table_append(table, 0, 0, items, line, &err), RPS_OK);
    assert_int_equal(rps_table_append(table, 1, 0, items, noise, &err), RPS_OK);
    assert_int_equal(rps_table_append(table, 2, 0, items, number, &err), RPS_OK);
    rps_table_commit(table, items);
    free(line);
    free(noise);
    free(number);
}

/* Half of the frames, then the table is opened again and gets the rest. */
static void write_file(const char *path, int threads) {
    rps_chunk_buffer capacity = {0};
    rps_error err;
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(creation, 0);
    for (int half = 0; half < 2; half++) {
        hid_t file = half == 0 ? H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT)
                               : H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        rps_table table = {.capacity = NULL};
        add_columns(&table);
        assert_int_equal(half == 0 ? rps_table_create(&table, file, "rows", path, GUESS, &err)
                                   : rps_table_resume(&table, file, "rows", path, items_before(FRAMES / 2), &err),
                         RPS_OK);
        for (int f = half == 0 ? 0 : FRAMES / 2; f < (half == 0 ? FRAMES / 2 : FRAMES); f++) {
            const size_t bytes = rps_table_chunk_bytes(&table, frame[f]);
            /* the widest column, a line, fills a chunk with CHUNK items */
            assert_int_equal(bytes, frame[f] < CHUNK ? 0 : 2 * CHUNK * 3 * sizeof(double));
            if (bytes > 0)
                assert_int_equal(rps_chunk_reserve(&capacity, NULL, bytes, (rps_workers){.count = threads}, &err),
                                 RPS_OK);
            table.capacity = bytes > 0 ? &capacity : NULL;
            append_frame(&table, frame[f]);
        }
        assert_true(rps_table_close(&table));
        H5Fclose(file);
    }
    H5Pclose(creation);
    rps_chunk_release(&capacity, NULL);
}

static void *read_column(hid_t file, const char *name, hid_t type, size_t bytes) {
    void *data = malloc(bytes);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(data != NULL && dataset >= 0);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    return data;
}

static void check_file(const char *path) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const uint64_t items = items_before(FRAMES);
    double(*line)[2][3] = read_column(file, "rows/line", H5T_NATIVE_DOUBLE, items * sizeof *line);
    uint64_t *noise = read_column(file, "rows/noise", H5T_NATIVE_UINT64, items * sizeof *noise);
    int32_t *number = read_column(file, "rows/number", H5T_NATIVE_INT32, items * sizeof *number);
    for (uint64_t n = 0; n < items; n++) {
        const sample s = sample_at(n);
        assert_memory_equal(line[n], s.line, sizeof s.line);
        assert_true(noise[n] == s.noise);
        assert_int_equal(number[n], s.number);
    }
    free(line);
    free(noise);
    free(number);
    H5Fclose(file);
}

/* Bytes of a column in the file, and the filters left out of the chunk that the third frame filled first. */
static hsize_t stored(const char *path, const char *name, uint32_t *left_out) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hsize_t at[2] = {CHUNK, 0};
    haddr_t where;
    hsize_t bytes;
    assert_true(H5Dget_chunk_info_by_coord(dataset, at, left_out, &where, &bytes) >= 0);
    bytes = H5Dget_storage_size(dataset);
    H5Dclose(dataset);
    H5Fclose(file);
    return bytes;
}

static void test_comes_back(void **state) {
    (void)state;
    char directory[RPS_PATH], path[2][RPS_PATH + 16];
    make_directory(directory);
    rps_h5_session session;
    rps_h5_begin(&session);
    for (int k = 0; k < 2; k++) {
        const time_t now = time(NULL);
        while (k == 1 && time(NULL) == now) {} /* no time may show in a file */
        snprintf(path[k], sizeof path[k], "%s/%d.h5", directory, k);
        write_file(path[k], k == 0 ? 1 : 3);
        check_file(path[k]);
    }
    uint32_t left_out;
    const hsize_t noise = stored(path[0], "rows/noise", &left_out);
    assert_int_equal(left_out, 2);
    assert_true(noise >= items_before(FRAMES) * sizeof(uint64_t)); /* of all frames, as they are */
    assert_true(stored(path[0], "rows/number", &left_out) < items_before(FRAMES) * sizeof(int32_t) / 4);
    assert_int_equal(left_out, 0);
    rps_h5_end(&session);
    /* byte by byte */
    FILE *file[2] = {fopen(path[0], "rb"), fopen(path[1], "rb")};
    assert_true(file[0] && file[1]);
    int c;
    do {
        c = fgetc(file[0]);
        assert_int_equal(c, fgetc(file[1]));
    } while (c != EOF);
    fclose(file[0]);
    fclose(file[1]);
    remove_directory(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
