/*
 * Damage to run.h5: any byte of it is changed, one at a time. A change is either found by the checksums, in words that say
 * what is damaged, or it changes nothing: all that HDF5 reads of the file is the same, and a run that goes on from it ends with
 * the results of an undisturbed one. A run that finds damage takes an older checkpoint before it, or stops and says what to do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <repose/run.h>

#include "base/hash.h"
#include "io/file.h"
#include "io/read_results.h"
#include "io/sums.h"
#include "shell.h"

/* Spheres, boxes with surfaces, contacts and a joint: every group that run.h5 may have. */
static const char scene[] =
    "repose: 1\n"
    "title: A ball, a box and a rod\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"
    "    damping: none\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 300 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.01], velocity: [0.2, 0, 0]}\n"
    "  - {name: box, shape: {box: {size: [2 cm, 2 cm, 2 cm]}}, material: clay, position: [0.1, 0, 0.01]}\n"
    "  - {name: bob, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0.3, 0, 0.1]}\n"
    "joints:\n"
    "  - {name: rod, type: ball, between: [box, bob], point: [0.2, 0, 0.05]}\n"
    "run: {stepper: nonsmooth, step: 1e-3 s, until: 0.06 s}\n"
    "output: {frames: 3 ms, series: 10 ms, checkpoint: 0, surface: 24}\n"; /* checkpoints where a run stops */

enum { FIRST = 20, SECOND = 40 }; /* steps at which runs stop: 7 and 14 frames */

static char base[RPS_PATH];

static const char *in_base(const char *name, char out[RPS_PATH]) {
    assert_int_equal(rps_path_join(out, base, name, NULL), RPS_OK);
    return out;
}

static bool stop_at(void *context, const rps_world *world) {
    return rps_world_steps(world) < *(const uint64_t *)context;
}

static char log_text[8192];

static void keep_log(void *context, int level, const char *text) {
    (void)context, (void)level;
    const size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", text);
}

static rps_status run(const char *resume, const char *directory, uint64_t until, rps_error *err) {
    rps_run_options options = rps_run_options_default();
    options.text = resume ? NULL : scene;
    options.text_bytes = resume ? 0 : strlen(scene);
    options.resume = resume;
    options.directory = directory;
    options.threads = 1;
    options.each = stop_at;
    options.context = &until;
    options.log = keep_log;
    log_text[0] = '\0';
    return rps_run(&options, NULL, err);
}

static void run_well(const char *resume, const char *directory, uint64_t until) {
    rps_error err;
    if (run(resume, directory, until, &err) != RPS_OK) fail_msg("%s", err.text);
}

static int set_up(void **state) {
    (void)state;
    char path[RPS_PATH];
    const char *root = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/repose-damage-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(base)) return -1;
    run_well(NULL, in_base("whole", path), UINT64_MAX);
    run_well(NULL, in_base("first", path), FIRST);
    shell("cp -r '%s/first' '%s/second'", base, base);
    run_well(in_base("second", path), NULL, SECOND);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    shell("rm -rf '%s'", base);
    return 0;
}

/* --- all that HDF5 reads of a file ------------------------------------------------------------------------------------ */

static void add_text(rps_hash *hash, const char *text) {
    rps_hash64_add(hash, text, strlen(text) + 1);
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context) {
    (void)info;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    if (type < 0) return -1;
    char value[65536] = "";
    add_text(context, name);
    const bool good = H5Tget_size(type) < sizeof value && H5Aread(attribute, type, value) >= 0;
    rps_hash64_add(context, value, H5Tget_size(type));
    H5Tclose(type);
    H5Aclose(attribute);
    return good ? 0 : -1;
}

static herr_t add_object(hid_t root, const char *name, const H5O_info_t *info, void *context) {
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (object < 0) return -1;
    add_text(context, name);
    bool good = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, context) >= 0;
    if (info->type == H5O_TYPE_DATASET) {
        hid_t space = H5Dget_space(object), type = H5Dget_type(object);
        const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
        const size_t bytes = type >= 0 && count >= 0 ? (size_t)count * H5Tget_size(type) : 0;
        void *data = malloc(bytes + 1);
        good = good && data && count >= 0 && bytes < (size_t)1 << 28 &&
               H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
        if (good) rps_hash64_add(context, data, bytes);
        free(data);
        if (type >= 0) H5Tclose(type);
        if (space >= 0) H5Sclose(space);
    }
    H5Oclose(object);
    return good ? 0 : -1;
}

/* False if something cannot be read. */
static bool read_everything(const char *path, uint64_t *value) {
    rps_hash hash;
    rps_h5_session session;
    rps_hash64_begin(&hash);
    rps_h5_begin(&session);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool good = file >= 0 && H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_object, &hash) >= 0;
    if (file >= 0) H5Fclose(file);
    rps_h5_end(&session);
    *value = rps_hash64_value(&hash);
    return good;
}

/* HDF5 loses memory when it meets damage. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5\n";
}

/* --- bytes ------------------------------------------------------------------------------------------------------------ */

static void flip(const char *path, long at, unsigned char bits) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_true(byte != EOF);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc(byte ^ bits, file);
    assert_int_equal(fclose(file), 0);
}

static long size_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (long)info.st_size;
}

static void compare(const char *there, const char *what) {
    char command[2 * RPS_PATH + 256];
    snprintf(command, sizeof command, "cd '%s' && cmp series.csv ../whole/series.csv && h5diff run.h5 ../whole/run.h5",
             there);
    if (system(command) != 0) fail_msg("%s: the results differ from those of the undisturbed run", what);
}

static const char *copy_of(const char *name, char there[RPS_PATH]) {
    in_base("harmed", there);
    shell("rm -rf '%s' '%s/new'; cp -r '%s/%s' '%s'", there, base, base, name, there);
    return there;
}

/* About so many bytes all over the file, and one of each of the first ones. */
enum { BYTES = 1500, HEAD = 64, GO_ON = 12 };

static void test_every_region(void **state) {
    (void)state;
    char there[RPS_PATH], file[RPS_PATH];
    rps_error err;
    size_t whole, tried = 0, harmless = 0, gone_on = 0;
    bool any;
    uint64_t content, now;
    rps_path_join(file, copy_of("second", there), "run.h5", NULL);
    const long size = size_of(file), stride = size / BYTES + 1;
    assert_true(read_everything(file, &content));
    if (rps_sums_check(file, NULL, SIZE_MAX, &whole, &any, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(any && whole == SECOND / 3 + 1);
    for (long at = 0; at < size; at += at < HEAD ? 1 : stride, tried++) {
        const unsigned char bits = (unsigned char)(1u << (at % 8));
        flip(file, at, bits);
        const rps_status status = rps_sums_check(file, NULL, SIZE_MAX, &whole, &any, &err);
        if (status == RPS_OK) {
            harmless++;
            if (!read_everything(file, &now)) fail_msg("byte %ld: HDF5 cannot read what has passed the check", at);
            if (!any || now != content) fail_msg("byte %ld: a change of the content has passed the check", at);
            if (harmless % 40 == 1 && gone_on < GO_ON) {
                run_well(there, NULL, UINT64_MAX);
                compare(there, "with a harmless change");
                copy_of("second", there);
                gone_on++;
                continue;
            }
        } else if (status != RPS_BAD_INPUT || !strstr(err.text, "run.h5")) {
            fail_msg("byte %ld: status %d, \"%s\"", at, (int)status, err.text);
        }
        flip(file, at, bits);
    }
    print_message("# %zu bytes of %ld: %zu changes found, %zu in unused space, %zu of these resumed\n", tried, size,
                  tried - harmless, harmless, gone_on);
    assert_true(tried - harmless > tried / 4 && gone_on > 0);
}

/* Where a row of a dataset whose chunks are not full lies in the file. */
static long place_of(const char *file, const char *name, hsize_t row) {
    rps_h5_session session;
    rps_h5_begin(&session);
    hid_t h5 = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(h5, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    const hsize_t zero[2] = {0, 0};
    hsize_t bytes, size[2] = {0, 1};
    unsigned left_out;
    haddr_t address;
    hid_t space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, size, NULL);
    const bool good = H5Dget_chunk_info_by_coord(dataset, zero, &left_out, &address, &bytes) >= 0 &&
                      bytes % ((hsize_t)size[1] * H5Tget_size(type)) == 0; /* whole rows: not compressed */
    const long at = (long)address + (long)(row * size[1]) * (long)H5Tget_size(type);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(h5);
    rps_h5_end(&session);
    assert_true(good);
    return at;
}

/* The run says which frame and which dataset; an older checkpoint before the damage serves, and the frames are made again. */
static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t rows, frame; /* of a frame; the one that is damaged */
    } harm[] = {{"/bodies/velocity", 4, 3},       {"/bodies/velocity", 4, 9}, {"/joints/force", 1, 10},
                {"/bodies/group", 4, 13},         {"/frames/step", 1, 12},    {"/surface/points/position", 8, 11},
                {"/surface/frames/offset", 1, 8}, {"/checksums/bodies", 1, 9}};
    for (size_t k = 0; k < sizeof harm / sizeof *harm; k++) {
        char there[RPS_PATH], file[RPS_PATH], to[RPS_PATH], frame[32], time[32];
        rps_error err;
        rps_path_join(file, copy_of("second", there), "run.h5", NULL);
        flip(file, place_of(file, harm[k].name, harm[k].rows * harm[k].frame), 4);
        snprintf(frame, sizeof frame, "in frame %zu ", harm[k].frame);
        snprintf(time, sizeof time, "t = 0.0%02zu s", 3 * harm[k].frame);
        const bool older = harm[k].frame >= FIRST / 3 + 1; /* the first checkpoint counts on the frames before it */
        const rps_status status = run(there, NULL, UINT64_MAX, &err);
        const char *text = older ? log_text : err.text;
        if (older != (status == RPS_OK)) fail_msg("%s, frame %zu: %s", harm[k].name, harm[k].frame, err.text);
        if (!strstr(text, frame) || !strstr(text, "restore the file from a copy")) fail_msg("%s", text);
        /* /checksums does not name itself, but the field that it is for */
        const bool index = strstr(harm[k].name, "/frames"), sums = strstr(harm[k].name, "/checksums");
        if (!strstr(text, index ? "/frames" : sums ? "/bodies/" : harm[k].name)) fail_msg("%s", text);
        if (older) {
            assert_non_null(strstr(text, "an older checkpoint is looked for"));
            compare(there, harm[k].name);
        } else {
            assert_non_null(strstr(text, "into another folder"));
            /* which keeps the frames before the damage */
            run_well(there, in_base("new", to), UINT64_MAX);
            assert_non_null(strstr(log_text, "with the results that are left"));
            rps_results_reader *reader;
            size_t count;
            if (rps_results_open(to, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
            const rps_frame *f = rps_results_reader_frames(reader, &count);
            assert_true(count > harm[k].frame && f[harm[k].frame - 1].step == 3 * (harm[k].frame - 1));
            assert_true(f[harm[k].frame].step > SECOND);
            rps_results_reader_close(reader);
        }
    }
}

int main(void) {
    H5dont_atexit(); /* it complains of what it cannot close of damaged files */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_every_region),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
