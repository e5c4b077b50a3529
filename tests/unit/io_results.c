/* Results of an artificial world: the project's reader and plain HDF5 read the written values back bit for bit; every
 * slab of run.xdmf lies within its dataset; a failed write leaves earlier frames readable. */
#include "io_common.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/journal.h"
#include "io/read_results.h"
#include "io/results.h"

enum { FRAMES = 5, CONTACTS = 7, FRAMES_WITH_CONTACTS = 3 };
static const size_t contacts_of[FRAMES] = {0, 3, CONTACTS, 0, 1};
static const double period = 2.0;

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

static uint64_t add(rps_world *world, const char *shape, double radius, double x, double y, double z) {
    rps_body_def def = rps_body_def_default();
    rps_error err;
    uint64_t id;
    def.shape = shape;
    def.radius = radius;
    def.kind = radius > 0.0 ? RPS_BODY_FREE : RPS_BODY_FIXED;
    def.normal[2] = 1.0;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    def.velocity[0] = 0.1 * x;
    def.orientation[0] = 0.5, def.orientation[1] = 0.5, def.orientation[2] = -0.5, def.orientation[3] = 0.5;
    if (rps_world_add_body(world, &def, &id, &err) != RPS_OK) fail_msg("%s", err.text);
    return id;
}

/* Periodic in x; a plane and three spheres, the last beside the first across the boundary. */
static rps_world *make(void) {
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    rps_error err;
    int index;
    options.step = 1e-3;
    options.period[0] = period;
    options.threads = 1;
    assert_int_equal(rps_world_create(&options, &world, &err), RPS_OK);
    rps_material stone = rps_material_default();
    stone.name = "stone";
    stone.density = 2000.0;
    assert_int_equal(rps_world_add_material(world, &stone, &index, &err), RPS_OK);
    assert_int_equal(rps_world_group(world, "grains", &index, &err), RPS_OK);
    add(world, "plane", 0.0, 0.0, 0.0, 0.0);
    add(world, "sphere", 0.1, 0.05, 0.0, 0.1);
    add(world, "sphere", 0.125, 1.0, 0.5, 0.125);
    add(world, "sphere", 0.1, 1.86, 0.0, 0.1);
    return world;
}

/* All numbers of a contact are different. */
static rps_contact make_contact(size_t frame, size_t n) {
    rps_contact c;
    memset(&c, 0, sizeof c);
    double *value = (double *)&c.normal, next = 1000.0 * (double)frame + 100.0 * (double)n;
    for (size_t k = 0; k < (sizeof c - offsetof(rps_contact, normal)) / sizeof(double); k++) {
        value[k] = next += 0.25;
    }
    c.id_i = n % 2;
    c.id_j = 1 + n % 2 + (n % 2 ? 1 : 0);
    if (c.id_i == 0) { /* sphere 1 on the plane */
        c.point[0] = c.branch_i[0] = 0.05;
        c.branch_j[2] = -0.1;
    } else { /* spheres 1 and 3 across the boundary: 0.19 apart, the mid at -0.045 = 1.955 */
        c.point[0] = period - 0.045;
        c.point[2] = 0.1;
        c.branch_i[0] = -0.095;
        c.branch_j[0] = 0.095;
    }
    return c;
}

static void turn(rps_world *world, int frame) {
    for (size_t s = 0; s < world->bodies.count; s++) {
        world->bodies.pose[s].position[1] += 0.01 * frame;
        world->bodies.load[s].torque[2] = frame + 0.125 * (double)s;
    }
    world->steps = 10 * (uint64_t)frame;
}

static void write_all(rps_world *world) {
    rps_results *results;
    rps_error err;
    rps_results_options options = {.directory = directory,
                                   .title = "a <title> & \"more\"",
                                   .variant = "paper",
                                   .version = "0.test",
                                   .scene = "repose: 1\n",
                                   .scene_bytes = 10,
                                   .bodies = 4,
                                   .world = world};
    assert_int_equal(rps_results_create(&options, &results, &err), RPS_OK);
    for (int f = 0; f < FRAMES; f++) {
        rps_contact contact[CONTACTS];
        for (size_t n = 0; n < contacts_of[f]; n++) {
            contact[n] = make_contact((size_t)f, n);
        }
        if (f == 3) { /* a body that appears later */
            add(world, "sphere", 0.1, 1.5, 3.0, 1.0);
        }
        turn(world, f);
        if (rps_results_write_with(results, world, 0.1 * f, world->steps, contact, contacts_of[f], &err) != RPS_OK) {
            fail_msg("%s", err.text);
        }
    }
    assert_int_equal(rps_results_frames(results), FRAMES);
    assert_int_equal(rps_results_close(results, &err), RPS_OK);
}

static void read_values(rps_results_reader *reader, rps_results_part part, const char *name, size_t frame, void *out,
                        size_t bytes) {
    rps_error err;
    if (rps_results_read(reader, part, name, frame, out, bytes, &err) != RPS_OK) fail_msg("%s", err.text);
}

static void test_round_trip(void **state) {
    (void)state;
    rps_world *world = make();
    write_all(world);
    rps_results_reader *reader;
    rps_error err;
    size_t frames;
    if (rps_results_open(directory, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
    const rps_frame *frame = rps_results_reader_frames(reader, &frames);
    assert_int_equal(frames, FRAMES);
    assert_string_equal(rps_results_reader_text(reader, "title"), "a <title> & \"more\"");
    assert_string_equal(rps_results_reader_text(reader, "variant"), "paper");
    assert_string_equal(rps_results_reader_text(reader, "version"), "0.test");
    double y = 0.5;
    uint64_t body_rows = 0, contact_rows = 0;
    for (int f = 0; f < FRAMES; f++) {
        double time = 0.1 * f, position[5][3], torque[5][3], tensor[5][9];
        uint64_t id[5], bodies = f < 3 ? 4 : 5;
        int32_t kind[5];
        assert_memory_equal(&frame[f].time, &time, sizeof time);
        assert_int_equal(frame[f].step, 10 * f);
        assert_int_equal(frame[f].bodies, bodies);
        assert_int_equal(frame[f].contacts, contacts_of[f]);
        assert_int_equal(frame[f].body_offset, body_rows);
        assert_int_equal(frame[f].contact_offset, contact_rows);
        body_rows += bodies;
        contact_rows += contacts_of[f];
        y += 0.01 * f;
        read_values(reader, RPS_RESULTS_BODIES, "position", (size_t)f, position, sizeof position);
        read_values(reader, RPS_RESULTS_BODIES, "torque", (size_t)f, torque, sizeof torque);
        read_values(reader, RPS_RESULTS_BODIES, "orientation_tensor", (size_t)f, tensor, sizeof tensor);
        read_values(reader, RPS_RESULTS_BODIES, "id", (size_t)f, id, sizeof id);
        read_values(reader, RPS_RESULTS_BODIES, "kind", (size_t)f, kind, sizeof kind);
        assert_true(position[2][1] == y);
        for (uint64_t n = 0; n < bodies; n++) {
            assert_int_equal(id[n], n);
            assert_int_equal(kind[n], n == 0 ? RPS_BODY_FIXED : RPS_BODY_FREE);
            assert_true(torque[n][2] == f + 0.125 * (double)rps_world_slot(world, n));
            if (n == 0) {
                continue; /* a plane turns its own way */
            }
            rps_vec3 x = rps_quat_rotate((rps_quat){0.5, 0.5, -0.5, 0.5}, rps_vec3_make(1, 0, 0));
            assert_true(tensor[n][0] == x.x && tensor[n][3] == x.y && tensor[n][6] == x.z); /* the first column */
        }
        assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "id", (size_t)f, id, 8, &err), RPS_BAD_INPUT);
    }
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "id", FRAMES, NULL, 0, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_results_read(reader, RPS_RESULTS_BODIES, "colour", 0, NULL, 0, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "colour"));
    rps_results_reader_close(reader);
    rps_world_destroy(world);
}

static void test_contacts(void **state) {
    (void)state;
    rps_world *world = make();
    write_all(world);
    rps_results_reader *reader;
    rps_error err;
    assert_int_equal(rps_results_open(directory, NULL, &reader, &err), RPS_OK);
    double value[CONTACTS][3], line[CONTACTS][2][3], force[CONTACTS][3];
    uint64_t id[CONTACTS];
#define RPS_CONTACT_FIELD(name, components, unit, meaning)                                      \
    const bool there_##name = strcmp(#name, "bridge_volume") != 0; /* the world is dry */       \
    if (there_##name) read_values(reader, RPS_RESULTS_CONTACTS, #name, 2, value, sizeof value); \
    for (size_t n = 0; n < CONTACTS && there_##name; n++) {                                     \
        rps_contact c = make_contact(2, n);                                                     \
        assert_memory_equal((double *)value + (components)*n, c.name, sizeof c.name);           \
    }
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
    read_values(reader, RPS_RESULTS_CONTACTS, "id_j", 2, id, sizeof id);
    read_values(reader, RPS_RESULTS_CONTACTS, "line", 2, line, sizeof line);
    read_values(reader, RPS_RESULTS_CONTACTS, "force", 2, force, sizeof force);
    double y = 0.01 + 0.02; /* what frames 1 and 2 moved the bodies */
    for (size_t n = 0; n < CONTACTS; n++) {
        rps_contact c = make_contact(2, n);
        assert_int_equal(id[n], c.id_j);
        for (int k = 0; k < 3; k++) {
            assert_true(force[n][k] == c.normal_load[0] * c.normal[k] + c.slide_force[k] + c.curvature_force[k]);
        }
        if (c.id_i == 0) { /* a plane shows as the contact point, the sphere as its centre */
            assert_true(line[n][0][0] == 0.05 && fabs(line[n][0][2]) < 1e-15);
            assert_true(line[n][1][0] == 0.05 && line[n][1][2] == 0.1);
        } else { /* j is drawn beside i, not across the box: x = 1.86 - 2; one rounding at 2 is 4.4e-16 */
            assert_true(line[n][0][0] == 0.05 && fabs(line[n][0][1] - y) < 1e-15);
            assert_true(fabs(line[n][1][0] - -0.14) < 1e-15);
        }
    }
    rps_results_reader_close(reader);
    rps_world_destroy(world);
}

/* The number of rows and components of a dataset, by HDF5 alone. */
static int sizes(hid_t file, const char *name, hsize_t size[2]) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0) return -1;
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    H5Dclose(dataset);
    return rank;
}

static hid_t open_results(void) {
    char path[RPS_PATH];
    rps_path_join(path, directory, "run.h5", NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void test_hdf5_alone(void **state) {
    (void)state;
    rps_world *world = make();
    write_all(world);
    hid_t file = open_results();
    for (size_t i = 0; i < rps_body_field_count(); i++) {
        const rps_field *field = rps_body_field(i);
        if (!(field->flags & RPS_FIELD_OUTPUT)) continue;
        char name[128], unit[64];
        hsize_t size[2] = {0, 1};
        snprintf(name, sizeof name, "/bodies/%s", field->name);
        assert_int_equal(sizes(file, name, size), field->components > 1 ? 2 : 1);
        assert_int_equal(size[0], 3 * 4 + 2 * 5);
        assert_int_equal(size[1], field->components);
        hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
        hid_t property = H5Dget_create_plist(dataset);
        assert_int_equal(H5Pget_nfilters(property), 2); /* shuffle and gzip */
        assert_true(rps_h5_get_text(dataset, "unit", unit, sizeof unit));
        assert_string_equal(unit, field->unit);
        H5Pclose(property);
        H5Dclose(dataset);
    }
    double radius[22];
    hid_t dataset = H5Dopen2(file, "/bodies/radius", H5P_DEFAULT);
    char names[64];
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, radius) >= 0);
    H5Dclose(dataset);
    assert_true(radius[0] == 0.0 && radius[2] == 0.125 && radius[6] == 0.125 && radius[12 + 2] == 0.125);
    dataset = H5Dopen2(file, "/bodies/shape", H5P_DEFAULT);
    assert_true(rps_h5_get_text(dataset, "names", names, sizeof names));
    assert_memory_equal(names, "sphere\nplane", 12);
    H5Dclose(dataset);
    hsize_t size[2];
    assert_int_equal(sizes(file, "/contacts/line", size), 2);
    assert_int_equal(size[0], 2 * (3 + CONTACTS + 1));
    assert_int_equal(sizes(file, "/scene", size), 0);
    H5Fclose(file);
    rps_world_destroy(world);
}

/* Bodies are points and contacts lines, each in a file of its own, where every grid has what makes it drawable. */
static void check_xdmf(hid_t file, const char *name_of_file, const char *topology, const char *scale) {
    char *text = read_text(directory, name_of_file);
    assert_non_null(strstr(text, "Value=\"a &lt;title&gt; &amp; &quot;more&quot;\""));
    int times = 0, slabs = 0, shapes = 0, scales = 0, depth = 0;
    for (const char *c = text; (c = strchr(c, '<')) != NULL; c++) {
        const char *end = strchr(c, '>');
        assert_non_null(end);
        depth += c[1] == '/' ? -1 : c[1] == '?' || end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        if (strncmp(c, "<Time Value=\"", 13) == 0) {
            assert_true(strtod(c + 13, NULL) == 0.1 * times++);
        }
        if (strncmp(c, "<Topology TopologyType=\"", 24) == 0) {
            assert_memory_equal(c + 24, topology, strlen(topology));
            shapes++;
        }
        if (strncmp(c, "<Attribute Name=\"", 17) == 0) scales += strncmp(c + 17, scale, strlen(scale)) == 0;
        if (strncmp(c, "<DataItem ItemType=\"HyperSlab\" Dimensions=\"", 43) != 0) continue;
        slabs++;
        unsigned long long want[2] = {0, 1}, part[6], all[2] = {0, 1};
        char name[128];
        hsize_t size[2] = {0, 1};
        int components = sscanf(c + 43, "%llu %llu", &want[0], &want[1]);
        const char *inner = strstr(end, "Format=\"XML\">") + 13;
        int numbers =
            sscanf(inner, "%llu %llu %llu %llu %llu %llu", part, part + 1, part + 2, part + 3, part + 4, part + 5);
        assert_int_equal(numbers, 3 * components);
        const char *outer = strstr(inner, "<DataItem Dimensions=\"") + 22;
        assert_int_equal(sscanf(outer, "%llu %llu", &all[0], &all[1]), components);
        assert_int_equal(sscanf(strstr(outer, "run.h5:"), "run.h5:%127[^<]", name), 1);
        assert_int_equal(sizes(file, name, size), components);
        assert_int_equal(all[0],
                         part[0] + want[0]); /* up to the end of the frame: it stays true when the dataset grows */
        assert_int_equal(all[1], size[1]);
        const unsigned long long *count = components == 1 ? part + 2 : part + 4;
        const unsigned long long *stride = components == 1 ? part + 1 : part + 2;
        for (int k = 0; k < components; k++) {
            assert_int_equal(stride[k], 1);
            assert_int_equal(count[k], want[k]);
            assert_true(count[k] > 0 && part[k] + count[k] <= size[k]);
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(times, FRAMES);
    assert_int_equal(shapes, FRAMES);
    assert_int_equal(scales, strcmp(topology, "Polyline") == 0 ? FRAMES_WITH_CONTACTS : FRAMES);
    assert_true(slabs > FRAMES * 10);
    free(text);
}

static void test_xdmf(void **state) {
    (void)state;
    rps_world *world = make();
    write_all(world);
    hid_t file = open_results();
    check_xdmf(file, "run.xdmf", "Polyvertex", "sphere_radius\"");
    check_xdmf(file, "contacts.xdmf", "Polyline", "normal_load\"");
    H5Fclose(file);
    rps_world_destroy(world);
}

/* The file reaches a size limit in the middle of the run: the error says so, and earlier frames are intact. */
static void test_full(void **state) {
    (void)state;
    rps_world *world = make();
    rps_results *results;
    rps_error err;
    rps_results_options options = {.directory = directory, .title = "", .bodies = 4, .world = world};
    assert_int_equal(rps_results_create(&options, &results, &err), RPS_OK);
    for (int f = 0; f < 3; f++) {
        assert_int_equal(rps_results_write_with(results, world, f, (uint64_t)f, NULL, 0, &err), RPS_OK);
    }
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 65536;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    enum { MANY = 20000 };
    static rps_contact contact[MANY];
    for (size_t n = 0; n < MANY; n++) {
        contact[n] = make_contact(1, n);
        for (int k = 0; k < 3; k++) contact[n].normal[k] = sin((double)(3 * n + (size_t)k)); /* does not compress */
    }
    rps_status status = rps_results_write_with(results, world, 3.0, 3, contact, MANY, &err);
    assert_int_equal(status, RPS_IO_ERROR);
    assert_non_null(strstr(err.text, directory));
    assert_non_null(strstr(err.text, "File too large"));
    assert_non_null(strstr(err.text, "limit"));
    rps_results_close(results, NULL);
    setrlimit(RLIMIT_FSIZE, &limit);
    rps_results_reader *reader;
    size_t frames;
    if (rps_results_open(directory, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
    rps_results_reader_frames(reader, &frames);
    assert_int_equal(frames, 3);
    double radius[4];
    for (size_t f = 0; f < frames; f++) {
        read_values(reader, RPS_RESULTS_BODIES, "radius", f, radius, sizeof radius);
        assert_true(radius[2] == 0.125);
    }
    rps_results_reader_close(reader);
    rps_world_destroy(world);
}

/* A process that writes frames is killed at twenty different moments: every finished frame and the file are intact. */
static void test_kill(void **state) {
    (void)state;
    rps_world *world = make();
    int in_the_middle = 0;
    for (int round = 0; round < 20; round++) {
        int pipe_end[2];
        assert_int_equal(pipe(pipe_end), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            rps_results *results;
            rps_results_options options = {.directory = directory, .title = "", .bodies = 4, .world = world};
            if (rps_results_create(&options, &results, NULL) != RPS_OK) _exit(1);
            for (uint64_t f = 0;; f++) {
                rps_contact contact[CONTACTS];
                for (size_t n = 0; n < CONTACTS; n++) contact[n] = make_contact(f, n);
                if (write(pipe_end[1], "x", f > 0) < 0 ||
                    rps_results_write_with(results, world, (double)f, f, contact, f % CONTACTS, NULL) != RPS_OK) {
                    _exit(1);
                }
            }
        }
        close(pipe_end[1]);
        char byte[4096];
        size_t finished = 0;
        assert_int_equal(read(pipe_end[0], byte, 1), 1); /* it has begun */
        finished++;
        nanosleep(&(struct timespec){.tv_nsec = 1700000 * (round + 1)}, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        for (ssize_t n; (n = read(pipe_end[0], byte, sizeof byte)) > 0;) finished += (size_t)n;
        close(pipe_end[0]);
        char journal[RPS_PATH];
        rps_path_join(journal, directory, "run.h5.journal", NULL);
        struct stat info;
        in_the_middle += stat(journal, &info) == 0 && info.st_size > 0;

        rps_results_reader *reader;
        rps_error err;
        size_t frames;
        if (rps_results_open(directory, NULL, &reader, &err) != RPS_OK) fail_msg("%s", err.text);
        const rps_frame *frame = rps_results_reader_frames(reader, &frames);
        assert_true(frames >= finished);
        for (size_t f = 0; f < frames; f++) {
            double load[CONTACTS], radius[4];
            assert_int_equal(frame[f].step, f);
            assert_int_equal(frame[f].contacts, f % CONTACTS);
            read_values(reader, RPS_RESULTS_CONTACTS, "normal_load", f, load, sizeof load);
            read_values(reader, RPS_RESULTS_BODIES, "radius", f, radius, sizeof radius);
            for (size_t n = 0; n < f % CONTACTS; n++) assert_true(load[n] == make_contact(f, n).normal_load[0]);
            assert_true(radius[0] == 0.0 && radius[2] == 0.125);
        }
        rps_results_reader_close(reader);
    }
    print_message("# %d of 20 kills fell into a write\n", in_the_middle);
    rps_world_destroy(world);
}

/* A journal with a truncated header belongs to a file not yet modified: the file stays as it is, and the journal is
 * removed. */
static void test_journal_cut_short(void **state) {
    (void)state;
    static const uint64_t head[2] = {0x6c6e727573657072, 100}; /* magic, size: the file would be cut to it */
    char path[RPS_PATH], journal[RPS_PATH];
    rps_path_join(path, directory, "cut.h5", NULL);
    rps_path_join(journal, directory, "cut.h5.journal", NULL);
    for (size_t bytes = 0; bytes <= sizeof head; bytes++) {
        struct stat info;
        rps_error err;
        char content[200] = {0};
        assert_int_equal(rps_file_replace(path, content, sizeof content, NULL), RPS_OK);
        assert_int_equal(rps_file_replace(journal, (const char *)head, bytes, NULL), RPS_OK);
        if (rps_journal_recover(path, NULL, &err) != RPS_OK) fail_msg("%zu bytes: %s", bytes, err.text);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, bytes < sizeof head ? 200 : 100);
        assert_int_equal(stat(journal, &info), -1);
    }
}

static void test_foreign(void **state) {
    (void)state;
    rps_results_reader *reader;
    rps_error err;
    char path[RPS_PATH];
    assert_int_equal(rps_results_open("/nowhere/run.h5", NULL, &reader, &err), RPS_IO_ERROR);
    assert_non_null(strstr(err.text, "/nowhere/run.h5"));
    rps_path_join(path, directory, "text.h5", NULL);
    rps_file_replace(path, "not HDF5", 8, NULL);
    assert_int_equal(rps_results_open(path, NULL, &reader, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "not an HDF5 file"));
    rps_path_join(path, directory, "other.h5", NULL);
    H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    assert_int_equal(rps_results_open(path, NULL, &reader, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "repose results"));
    rps_world *world = make();
    rps_results_options options = {.directory = "/proc/nowhere", .title = "", .world = world};
    rps_results *results;
    assert_int_equal(rps_results_create(&options, &results, &err), RPS_IO_ERROR);
    assert_non_null(strstr(err.text, "/proc/nowhere/run.h5"));
    assert_null(results);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_hdf5_alone), cmocka_unit_test(test_xdmf),
        cmocka_unit_test(test_full),       cmocka_unit_test(test_kill),
        cmocka_unit_test(test_foreign),    cmocka_unit_test(test_journal_cut_short),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
