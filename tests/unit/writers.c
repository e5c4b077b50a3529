/*
 * The table of writers: every one has its files for itself, a key of the scene and all functions. The writer of extended
 * XYZ: bodies read back to the same bits; a file that is gone or cut short is noticed when a run goes on, and what is
 * left of it is kept in another folder. A checkpoint with a writer that is unknown is refused by its name.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include <repose/run.h>

#include "io/checkpoint.h"
#include "io/file.h"
#include "run/run_state.h"

static const char scene[] =
    "repose: 1\n"
    "title: Two balls and a box above a floor\n"
    "gravity: [0, 0, -9.81]\n"
    "periodic: [3 cm, 0, 0]\n"
    "materials: {glass bead: {young: 0.3 MPa, poisson: 0.25, density: 2500}}\n"
    "pairs: [{between: [glass bead, glass bead], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: glass bead, fixed: true}\n"
    "  - {shape: {sphere: {radius: 2 mm}}, material: glass bead, position: [1 cm, 0, 5 mm], velocity: [1, 0.1, 0]}\n"
    "  - {shape: {sphere: {radius: 1 mm}}, material: glass bead, position: [2 cm, 3 mm, 7 mm], angular_velocity: [1, "
    "2, "
    "3]}\n"
    "  - {shape: {box: {size: [2 mm, 4 mm, 4 mm]}}, material: glass bead, position: [1 cm, 8 mm, 9 mm], "
    "angular_velocity: [30, 2, 3]}\n"
    "run: {step: 1e-5 s, until: 20 ms}\n"
    "output: {frames: 0, series: 0, xyz: 3 ms}\n";

enum { FRAMES = 8, BALLS = 3 }; /* at 0, 3, ..., 18 and 20 ms */

static char base[RPS_PATH];

static int make_base(void **state) {
    (void)state;
    snprintf(base, sizeof base, "/tmp/repose-writers-XXXXXX");
    return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state) {
    (void)state;
    char command[RPS_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

static const char *in(const char *folder, const char *name, char out[RPS_PATH]) {
    rps_path_join(out, folder, name, NULL);
    return out;
}

static rps_run_options run_of(const char *text, const char *directory) {
    rps_run_options options = rps_run_options_default();
    options.text = text;
    options.text_bytes = strlen(text);
    options.threads = 1;
    options.directory = directory;
    return options;
}

static rps_run_options resume_of(const char *from, const char *directory) {
    rps_run_options options = rps_run_options_default();
    options.resume = from;
    options.directory = directory;
    options.threads = 1;
    return options;
}

static void refused(const rps_run_options *options, const char *word) {
    rps_error err = {0};
    const rps_status status = rps_run(options, NULL, &err);
    if (status == RPS_OK || !strstr(err.text, word)) fail_msg("expected \"%s\" in: %d %s", word, (int)status, err.text);
}

static char *content(const char *path, size_t *bytes) {
    void *text = NULL;
    size_t capacity = 0;
    MUST(rps_file_read(path, &text, &capacity, ERR));
    *bytes = strlen(text);
    char *copy = strdup(text);
    rps_buffer_release(NULL, &text, &capacity);
    assert_non_null(copy);
    return copy;
}

static void assert_same_file(const char *a, const char *b) {
    size_t n, m;
    char *x = content(a, &n), *y = content(b, &m);
    if (n != m || memcmp(x, y, n) != 0) fail_msg("%s differs from %s", b, a);
    free(x);
    free(y);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void test_table(void **state) {
    (void)state;
    int count = 0;
    const rps_writer *one, *other;
    for (; (one = rps_writer_at(count)) != NULL; count++) {
        assert_true(rps_writer_name(count)[0] && one->what[0] && one->file[0]);
        assert_true(one->find && one->open && one->resume && one->cut && one->write && one->sync && one->mark &&
                    one->close);
        for (const char *const *file = one->file; *file; file++) {
            char part[80];
            snprintf(part, sizeof part, "%s.part", *file);
            assert_true(rps_writers_own(*file) && rps_writers_own(part));
            for (int k = 0; (other = rps_writer_at(k)) != NULL; k++) {
                for (const char *const *of = other->file; *of; of++) assert_true(of == file || strcmp(*of, *file) != 0);
            }
        }
        char text[2048]; /* the key is known to scenes, and a number below 0 refused with its name */
        snprintf(text, sizeof text, "%.*s  # \noutput: {%s: -1 s}\n", (int)(strstr(scene, "output:") - scene), scene,
                 rps_writer_name(count));
        rps_run_options options = run_of(text, NULL);
        char word[80];
        snprintf(word, sizeof word, "`%s` must not be negative", rps_writer_name(count));
        refused(&options, word);
    }
    assert_int_equal(count, RPS_WRITERS);
    assert_null(rps_writer_at(-1));
    assert_false(rps_writers_own("run.xyz2"));
    assert_false(rps_writers_own("notes.txt"));
}

/* --- extended XYZ ------------------------------------------------------------------------------------------------- */

/* The numbers of the bodies at the last step: as a line of the file has them after the material. */
static double last[BALLS][15];

static bool keep(void *context, const rps_world *world) {
    static const char *const field[] = {"position", "radius", "velocity", "orientation", "angular_velocity"};
    (void)context;
    for (uint64_t id = 1; id <= BALLS; id++) {
        double *to = last[id - 1];
        *to++ = (double)id;
        for (int f = 0; f < 5; f++) {
            rps_view view;
            MUST(rps_world_view(world, field[f], &view, ERR));
            const double *from = (const double *)((const char *)view.data + world->bodies.slot_of[id] * view.stride);
            for (int k = 0; k < view.components; k++) *to++ = from[f == 3 ? (k + 1) % 4 : k];
        }
    }
    return true;
}

static void test_content(void **state) {
    (void)state;
    char there[RPS_PATH], path[RPS_PATH];
    rps_run_options options = run_of(scene, in(base, "whole", there));
    options.each = keep;
    MUST(rps_run(&options, NULL, ERR));
    size_t bytes;
    char *text = content(in(there, "run.xyz", path), &bytes), *line = text;
    for (int frame = 0; frame < FRAMES; frame++) {
        assert_int_equal(strtol(line, &line, 10), BALLS);
        char *next = strchr(line + 1, '\n');
        *next = '\0';
        assert_non_null(strstr(line, "Lattice=\"0.03 0 0 0 "));
        assert_non_null(strstr(line, "pbc=\"T F F\""));
        assert_non_null(strstr(line, "Properties=species:S:1:id:I:1:pos:R:3:radius:R:1:velo:R:3:orientation:R:4:"
                                     "angular_velocity:R:3 "));
        const double time = strtod(strstr(line, "Time=") + 5, NULL);
        ASSERT_NEAR(time, frame + 1 < FRAMES ? 3e-3 * frame : 20e-3, 1e-12); /* rounding of step * number */
        line = next + 1;
        for (int ball = 0; ball < BALLS; ball++) {
            assert_memory_equal(line, "glass_bead ", 11);
            line += 11;
            for (int k = 0; k < 15; k++) {
                const double value = strtod(line, &line);
                if (frame == FRAMES - 1) assert_memory_equal(&value, &last[ball][k], sizeof value);
            }
            assert_int_equal(*line++, '\n');
        }
    }
    assert_int_equal(line - text, bytes);
    free(text);
    rps_run_options again = run_of(scene, there);
    refused(&again, "run.xyz");
}

/* The cell follows the shear, and along open axes spans the bodies. */
static void test_cell(void **state) {
    (void)state;
    static const char sheared[] =
        "repose: 1\n"
        "title: Two balls in a sheared box\n"
        "gravity: none\n"
        "periodic: {x: 2 cm, z: 3 cm, shear: {flow: x, gradient: z, rate: 10 1/s}}\n"
        "materials: {glass: {young: 0.3 MPa, poisson: 0.25, density: 2500}}\n"
        "pairs: [{between: [glass, glass], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
        "bodies:\n"
        "  - {shape: {sphere: {radius: 2 mm}}, material: glass, position: [1 cm, 0, 5 mm]}\n"
        "  - {shape: {sphere: {radius: 1 mm}}, material: glass, position: [1 cm, 10 mm, 20 mm]}\n"
        "run: {step: 1e-5 s, until: 10 ms}\n"
        "output: {frames: 0, series: 0, xyz: 10 ms}\n";
    char there[RPS_PATH], path[RPS_PATH];
    rps_run_options options = run_of(sheared, in(base, "sheared", there));
    MUST(rps_run(&options, NULL, ERR));
    size_t bytes;
    char *text = content(in(there, "run.xyz", path), &bytes), *at = text;
    static const double edge[2][9] = {{0.02, 0, 0, 0, 0.013, 0, 0, 0, 0.03}, {0.02, 0, 0, 0, 0.013, 0, 0.003, 0, 0.03}};
    for (int frame = 0; frame < 2; frame++) {
        at = strstr(at, "Lattice=\"") + 9;
        for (int k = 0; k < 9; k++) ASSERT_NEAR(strtod(at, &at), edge[frame][k], 1e-12); /* rounding */
        at = strstr(at, "Origin=\"") + 8;
        for (int k = 0; k < 3; k++) ASSERT_NEAR(strtod(at, &at), k == 1 ? -0.002 : 0.0, 1e-12);
    }
    free(text);
}

/* --- going on ----------------------------------------------------------------------------------------------------- */

static bool comes_before(void *context, const rps_world *world) {
    const uint64_t *steps = context;
    return rps_world_steps(world) < *steps;
}

/* Stops between two frames. */
static void stop_at(const char *there, uint64_t steps) {
    rps_run_options options = run_of(scene, there);
    options.each = comes_before;
    options.context = &steps;
    options.overwrite = true;
    MUST(rps_run(&options, NULL, ERR));
}

static void test_goes_on(void **state) {
    (void)state;
    char whole[RPS_PATH], there[RPS_PATH], other[RPS_PATH], a[RPS_PATH], b[RPS_PATH];
    in(base, "whole", whole);
    stop_at(in(base, "stopped", there), 1000);
    rps_run_options options = resume_of(there, in(base, "other", other));
    MUST(rps_run(&options, NULL, ERR));
    assert_same_file(in(whole, "run.xyz", a), in(other, "run.xyz", b));
    options = resume_of(there, NULL);
    MUST(rps_run(&options, NULL, ERR));
    assert_same_file(a, in(there, "run.xyz", b));
    options.until = "26 ms"; /* the frame at 20 ms must go */
    MUST(rps_run(&options, NULL, ERR));
    size_t bytes;
    char *text = content(b, &bytes);
    assert_null(strstr(text, "Step=2000\n"));
    assert_non_null(strstr(text, "Step=2100\n"));
    assert_non_null(strstr(text, "Step=2600\n"));
    free(text);
}

static void test_damaged_file(void **state) {
    (void)state;
    char whole[RPS_PATH], there[RPS_PATH], other[RPS_PATH], path[RPS_PATH];
    in(base, "whole", whole);
    stop_at(in(base, "damaged", there), 1000);
    in(there, "run.xyz", path);
    size_t bytes, left;
    char *text = content(path, &bytes);
    assert_int_equal(truncate(path, (off_t)bytes - 7), 0); /* within the last of 4 frames */
    rps_run_options options = resume_of(there, NULL);
    refused(&options, "3 whole frames");
    options = resume_of(there, in(base, "from-damaged", other));
    MUST(rps_run(&options, NULL, ERR));
    char *after = content(in(other, "run.xyz", path), &left);
    assert_memory_equal(after, text, 1000); /* the frames that were whole are still there */
    free(after);
    free(text);
    in(there, "run.xyz", path);
    assert_int_equal(unlink(path), 0);
    options = resume_of(there, NULL);
    refused(&options, "run.xyz");
    options = resume_of(there, in(base, "from-none", other));
    MUST(rps_run(&options, NULL, ERR));
    after = content(in(other, "run.xyz", path), &left);
    assert_non_null(strstr(after, "Step=1200\n"));
    free(after);
}

/* The newest checkpoint of the folder with one more section. */
static void add_section(const char *path, const char *name) {
    rps_checkpoint *c;
    rps_serializer to;
    const rps_section *s;
    const uint64_t number[3] = {1, 2, 3};
    MUST(rps_checkpoint_open(path, NULL, &c, ERR));
    rps_serializer_init(&to, NULL);
    for (size_t k = 0; (s = rps_checkpoint_at(c, k)) != NULL; k++) {
        void *data;
        MUST(rps_serializer_add(&to, s->name, s->type, s->components, s->count, &data, ERR));
        const size_t item = s->type == RPS_SECTION_TEXT ? 1 : s->type == RPS_TYPE_int32 ? 4 : 8;
        if (s->count > 0) memcpy(data, s->data, s->count * (size_t)s->components * item);
    }
    MUST(rps_serializer_words(&to, name, number, 3, ERR));
    MUST(rps_serializer_write(&to, path, ERR));
    rps_serializer_release(&to);
    rps_checkpoint_close(c);
}

static void test_unknown_writer(void **state) {
    (void)state;
    static const char *const name[] = {"run/writer/vtk", "run/heat", "scene/heat", "heat"};
    char there[RPS_PATH], path[RPS_PATH];
    in(base, "unknown", there);
    for (int k = 0; k < 4; k++) {
        char word[80];
        stop_at(there, 1000);
        add_section(in(there, "checkpoint-1000.ckpt", path), name[k]);
        rps_run_options options = resume_of(path, NULL);
        snprintf(word, sizeof word, "holds `%s`", name[k]);
        refused(&options, word);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_content),      cmocka_unit_test(test_cell),
        cmocka_unit_test(test_goes_on), cmocka_unit_test(test_damaged_file), cmocka_unit_test(test_unknown_writer),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
