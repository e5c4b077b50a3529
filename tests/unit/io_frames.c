/* Cost and content of a frame: few system calls in a small world, little extra memory in a large one, and the
 * selected fields. */
#include "io_common.h"

#include <repose/body.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/read_results.h"
#include "io/results.h"
#include "io/results_parts.h"
#include "io/sums.h"
#include "scene/scene.h"

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

#define MATERIAL                                                                 \
    "repose: 1\n"                                                                \
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"           \
    "pairs:\n"                                                                   \
    "  - between: [clay, clay]\n"                                                \
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"                            \
    "    damping: {law: ratio, value: 0.3}\n"                                    \
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 300 N/m}\n" \
    "    roll: none\n"                                                           \
    "    spin: none\n"                                                           \
    "run: {step: 1e-5 s, until: 1 s, threads: 2}\n"

/* A ball in contact with the ground. */
static const char small[] =
    MATERIAL "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
             "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.0099], velocity: "
             "[0.1, 0, 0]}\n";

/* 125000 spheres, each of which touches six others: 375000 contacts. */
enum { LARGE_BODIES = 50 * 50 * 50 };
static const char large[] =
    MATERIAL "gravity: [0, 0, 0]\n"
             "periodic: [0.5, 0.5, 0.5]\n"
             "particles:\n"
             "  - {name: grains, radius: 5.01 mm, material: clay,\n"
             "     generator: {lattice: {box: [[0, 0, 0], [0.495, 0.495, 0.495]], spacing: 1 cm}}}\n";

/* The world of a scene at its beginning, with its contacts. */
static rps_world *start(const char *text, rps_scene **scene) {
    rps_scene_load_options options = {.path = "scene.yaml", .text = text, .text_bytes = strlen(text)};
    rps_world *world;
    rps_error err;
    if (rps_scene_load(&options, scene, &err) != RPS_OK) fail_msg("%s", err.text);
    if (rps_scene_build(*scene, &world, &err) != RPS_OK) fail_msg("%s", err.text);
    rps_world_keep_contacts(world, true);
    if (rps_world_start(world, &err) != RPS_OK) fail_msg("%s", err.text);
    return world;
}

static rps_results *create(rps_results_options *options, const rps_world *world) {
    rps_results *results;
    rps_error err;
    options->directory = directory;
    options->title = "";
    options->world = world;
    options->bodies = rps_world_body_count(world);
    if (rps_results_create(options, &results, &err) != RPS_OK) fail_msg("%s", err.text);
    return results;
}

static void write_frame(rps_results *results, rps_world *world) {
    rps_error err;
    if (rps_world_step(world, 1, &err) != RPS_OK) fail_msg("%s", err.text);
    if (rps_results_write(results, world, &err) != RPS_OK) fail_msg("%s", err.text);
}

/* Number of write calls of this process so far, from any source; -1 if the system does not report it. */
static long writing_calls(void) {
    char line[128];
    long calls = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "syscw: %ld", &calls);
    if (file) fclose(file);
    return calls;
}

/* HDF5 changes each of 54 datasets and the headers of all of them. These changes reach the file together: one write for the
 * journal, one that empties it, and one for each run of neighboring pages, of which there are about five. 12 is twice that;
 * written one by one they were 234. XDMF files are written now and then: they may add another 8. */
static void test_few_calls(void **state) {
    (void)state;
    enum { FIRST = 5, FRAMES = 200, OF_FILE = 12, OF_ALL = 20 };
    rps_scene *scene;
    rps_world *world = start(small, &scene);
    rps_results_options options = {0};
    rps_results *results = create(&options, world);
    for (int f = 0; f < FIRST; f++) write_frame(results, world);
    const uint64_t before = rps_journal_writes(results->journal);
    const long calls_before = writing_calls();
    for (int f = 0; f < FRAMES; f++) write_frame(results, world);
    const uint64_t writes = rps_journal_writes(results->journal) - before;
    const long calls = writing_calls() - calls_before;
    assert_int_equal(rps_world_contact_count(world), 1);
    print_message("# %.1f writes of run.h5 a frame, %.1f of all files\n", (double)writes / FRAMES,
                  (double)calls / FRAMES);
    assert_in_range(writes, FRAMES, OF_FILE * FRAMES); /* less than one a frame: frames are not safe from a kill */
    if (calls_before >= 0) assert_in_range(calls, FRAMES, OF_ALL * FRAMES);
    assert_int_equal(rps_results_close(results, NULL), RPS_OK);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

static long status_of(const char *name) { /* kB; of /proc/self/status */
    char line[128], format[32];
    long value = -1;
    FILE *file = fopen("/proc/self/status", "r");
    snprintf(format, sizeof format, "%s: %%ld", name);
    while (file && fgets(line, sizeof line, file)) sscanf(line, format, &value);
    if (file) fclose(file);
    return value;
}

static bool forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    return file && fputs("5", file) >= 0 && fclose(file) == 0;
}

/* Two frames of a large world in a process of its own, since its memory is measured: contacts of a block (23 MB), a column
 * of a block, chunks that are compressed (19 MB), pages (12 MB) and the stress of all bodies (6 MB) make 65 MB, whatever the
 * number of bodies. All contacts at once would take 130 MB, and a column of all of them 27 MB more. */
static void test_little_memory(void **state) {
    (void)state;
    enum { MOST = 90000 /* kB */ };
#ifdef __SANITIZE_ADDRESS__
    print_message("# the memory of the sanitizer hides that of the frames\n");
    return;
#endif
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const char *const fields[] = {"position", "stress"}, *const of_contacts[] = {"line", "force"};
        rps_scene *scene;
        rps_world *world = start(large, &scene);
        rps_results_options options = {
            .fields = fields, .field_count = 2, .contact_fields = of_contacts, .contact_field_count = 2};
        rps_results *results = create(&options, world);
        if (rps_world_contact_count(world) != 3 * LARGE_BODIES) _exit(2);
        if (!forget_peak()) _exit(3);
        const long before = status_of("VmRSS");
        rps_error err;
        for (int f = 0; f < 2; f++) {
            if (rps_results_write(results, world, &err) != RPS_OK) _exit(4);
        }
        const long peak = status_of("VmHWM") - before;
        printf("# two frames of %d bodies and their contacts: %ld kB more at the peak\n", LARGE_BODIES, peak);
        fflush(stdout);
        _exit(peak < MOST ? 0 : 5);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 3) {
        print_message("# the peak of the memory cannot be measured here\n");
        return;
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A world of several blocks comes back whole, and its checksums hold: the values of the body and contact at the end of each
 * block are those of the world. */
static void test_blocks(void **state) {
    (void)state;
    static const char *const fields[] = {"position", "stress", "id"}, *const of_contacts[] = {"id_i", "id_j", "force"};
    rps_scene *scene;
    rps_world *world = start(large, &scene);
    rps_results_options options = {
        .fields = fields, .field_count = 3, .contact_fields = of_contacts, .contact_field_count = 3};
    rps_results *results = create(&options, world);
    rps_error err;
    const size_t contacts = rps_world_contact_count(world);
    size_t count, whole;
    bool any;
    assert_int_equal(rps_results_write(results, world, &err), RPS_OK);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
    char path[RPS_PATH];
    rps_path_join(path, directory, "run.h5", NULL);
    if (rps_sums_check(path, NULL, 1, &whole, &any, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(any && whole == 1);

    rps_contact *all = malloc(contacts * sizeof *all);
    uint64_t *id = malloc(contacts * sizeof *id);
    double(*value)[6] = malloc(contacts * sizeof *value);
    assert_true(all && id && value);
    assert_int_equal(rps_world_contacts(world, all, contacts, &count, &err), RPS_OK);
    rps_results_reader *reader;
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "id_j", 0, id, contacts * 8, &err), RPS_OK);
    for (size_t n = 0; n < contacts; n++) assert_int_equal(id[n], all[n].id_j);
    double(*force)[3] = (double(*)[3])value;
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "force", 0, force, contacts * 24, &err), RPS_OK);
    for (size_t n = 0; n < contacts; n++) {
        double f[3];
        rps_contact_force(&all[n], f);
        assert_memory_equal(f, force[n], sizeof f);
    }
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "stress", 0, value, LARGE_BODIES * 48, &err), RPS_OK);
    /* N = k delta on all sides of a sphere: sigma = -N (2 R - delta) / V, six contacts, of which a pair for each axis; the
     * positions of the lattice are sums, which are off by 1e-16 m of an overlap of 2e-5 m */
    const double r = 5.01e-3, delta = 2 * r - 0.01, load = 1000 * delta;
    const double sigma = -load * 2 * (r - 0.5 * delta) / (4.0 / 3.0 * 3.14159265358979323846 * r * r * r);
    for (size_t n = 0; n < LARGE_BODIES; n++) {
        const double off = fabs(value[n][0] - sigma) + fabs(value[n][3] - sigma) + fabs(value[n][5] - sigma);
        if (!(off < 1e-9 * fabs(sigma))) fail_msg("stress of body %zu: %g Pa, not %g", n, value[n][0], sigma);
    }
    rps_results_reader_close(reader);
    free(all);
    free(id);
    free(value);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

static bool there(const char *name) {
    char path[RPS_PATH];
    rps_path_join(path, directory, name, NULL);
    return rps_file_exists(path);
}

static void clear(void) {
    remove_directory(directory);
    make_directory(directory);
}

static size_t columns(rps_results_reader *reader, rps_results_part part) {
    size_t n = 0;
    while (rps_results_reader_column(reader, part, n)) n++;
    return n;
}

/* Single precision holds the nearest float of every number, and whole numbers as they are. */
static void test_single(void **state) {
    (void)state;
    clear();
    rps_scene *scene;
    rps_world *world = start(small, &scene);
    rps_results_options options = {.single = true};
    rps_results *results = create(&options, world);
    rps_error err;
    double position[3], read[2][3], load, time;
    uint64_t id[2];
    write_frame(results, world);
    const size_t ball = rps_world_slot(world, 1);
    rps_contact contact;
    size_t count;
    assert_int_equal(rps_world_body_position(world, 1, position, &err), RPS_OK);
    assert_int_equal(rps_world_contacts(world, &contact, 1, &count, &err), RPS_OK);
    time = rps_world_time(world);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
    rps_results_reader *reader;
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    assert_true(rps_results_reader_single(reader, RPS_RESULTS_BODIES));
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "position", 0, read, sizeof read, &err), RPS_OK);
    for (int k = 0; k < 3; k++) assert_true(read[1][k] == (double)(float)position[k]);
    assert_true(read[1][2] != position[2]); /* it is no float by chance */
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "id", 0, id, sizeof id, &err), RPS_OK);
    assert_int_equal(id[1], 1);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_CONTACTS, "normal_load", 0, &load, sizeof load, &err),
                     RPS_OK);
    assert_true(load == (double)(float)contact.normal_load[0]);
    assert_true(rps_results_reader_frames(reader, &count)->time == time);
    rps_results_reader_close(reader);
    char *text = read_text(directory, "run.xdmf");
    assert_non_null(strstr(text, "Precision=\"4\""));
    assert_null(strstr(text, "Float\" Precision=\"8\""));
    free(text);

    /* what it cannot hold is refused by name, and the frames before are there */
    clear();
    results = create(&options, world);
    write_frame(results, world);
    world->bodies.load[ball].torque[1] = 1e39;
    assert_int_equal(rps_results_write(results, world, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "/bodies/torque is 1e+39"));
    assert_non_null(strstr(err.text, "precision: double"));
    rps_results_close(results, NULL);
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    rps_results_reader_frames(reader, &count);
    assert_int_equal(count, 1);
    rps_results_reader_close(reader);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Frames with selected fields, resumed once; without contacts in frames a world need not keep them. */
static void test_fields(void **state) {
    (void)state;
    static const char *const fields[] = {"velocity", "id"}, *const of_contacts[] = {"normal_load"};
    static const struct {
        size_t fields, contact_fields;
        bool no_contacts, run, lines;
    } choice[] = {{0, 0, false, true, true},
                  {0, 0, true, true, false},
                  {2, 0, false, false, true},
                  {2, 1, false, false, false},
                  {2, 0, true, false, false}};
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
        clear();
        rps_scene *scene;
        rps_world *world = start(small, &scene);
        rps_results_options options = {.fields = fields,
                                       .field_count = choice[k].fields,
                                       .contact_fields = of_contacts,
                                       .contact_field_count = choice[k].contact_fields,
                                       .no_contacts = choice[k].no_contacts};
        rps_results *results = create(&options, world);
        rps_error err;
        const bool needs = !choice[k].no_contacts || choice[k].fields == 0; /* for the stress */
        assert_int_equal(rps_results_need_contacts(results), needs);
        for (int f = 0; f < 3; f++) write_frame(results, world);
        assert_int_equal(rps_results_close(results, &err), RPS_OK);
        assert_int_equal(there("run.xdmf"), choice[k].run);
        assert_int_equal(there("contacts.xdmf"), choice[k].lines);
        if (rps_results_resume(&options, 2, &results, &err) != RPS_OK) fail_msg("%s", err.text);
        rps_world_keep_contacts(world, needs);
        write_frame(results, world);
        assert_int_equal(rps_results_close(results, &err), RPS_OK);

        rps_results_reader *reader;
        size_t count, whole;
        bool any;
        double velocity[2][3];
        if (rps_results_open(directory, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
        rps_results_reader_frames(reader, &count);
        assert_int_equal(count, 3);
        if (choice[k].fields) assert_int_equal(columns(reader, RPS_RESULTS_BODIES), choice[k].fields);
        if (choice[k].contact_fields) assert_int_equal(columns(reader, RPS_RESULTS_CONTACTS), choice[k].contact_fields);
        assert_int_equal(columns(reader, RPS_RESULTS_CONTACTS) == 0, choice[k].no_contacts);
        assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "velocity", 2, velocity, sizeof velocity, &err),
                         RPS_OK);
        assert_memory_equal(velocity[1], world->bodies.motion[rps_world_slot(world, 1)].velocity, sizeof velocity[1]);
        rps_results_reader_close(reader);
        char path[RPS_PATH];
        rps_path_join(path, directory, "run.h5", NULL);
        if (rps_sums_check(path, NULL, SIZE_MAX, &whole, &any, &err) != RPS_OK) fail_msg("%s", err.text);
        assert_true(any && whole == 3);
        rps_world_destroy(world);
        rps_scene_free(scene);
    }
}

/* Makes the file one of format 1, which had no checksums. */
static void make_old(const char *path) {
    rps_h5_session session;
    rps_h5_begin(&session);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const bool good = file >= 0 && H5Ldelete(file, "checksums", H5P_DEFAULT) >= 0 && H5Adelete(file, "format") >= 0 &&
                      rps_h5_set_text(file, "format", "repose results 1");
    if (file >= 0) H5Fclose(file);
    rps_h5_end(&session);
    assert_true(good);
}

/* A file of an earlier version can be read and continued; it stays without checksums, and a message says so. */
static void test_earlier_format(void **state) {
    (void)state;
    clear();
    rps_scene *scene;
    rps_world *world = start(small, &scene);
    rps_results_options options = {0};
    rps_results *results = create(&options, world);
    rps_error err;
    char path[RPS_PATH];
    for (int f = 0; f < 3; f++) write_frame(results, world);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
    rps_path_join(path, directory, "run.h5", NULL);
    make_old(path);
    if (rps_results_resume(&options, 2, &results, &err) != RPS_OK) fail_msg("%s", err.text);
    write_frame(results, world);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
    rps_results_reader *reader;
    size_t count, whole;
    bool any = true;
    if (rps_results_open(directory, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(rps_results_reader_format(reader), 1);
    assert_int_equal(rps_results_reader_frames(reader, &count)[2].step, 4);
    assert_int_equal(count, 3);
    rps_results_reader_close(reader);
    assert_int_equal(rps_sums_check(path, NULL, SIZE_MAX, &whole, &any, &err), RPS_OK);
    assert_true(!any && whole == 3);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_memory), cmocka_unit_test(test_few_calls), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_single),        cmocka_unit_test(test_fields),    cmocka_unit_test(test_earlier_format),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
