/*
 * A run that is stopped and resumed, several times over, with other threads and instruction sets, leaves what an
 * undisturbed one leaves: series.csv and run.xdmf byte by byte, run.h5 by content, summary.json but for its block
 * `machine`; with pouring, a drive, probes of contacts and checks of every kind going on. Where bodies are no spheres,
 * surfaces.xdmf too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/run.h>

#include "base/cpu.h"
#include "base/random.h"
#include "io/file.h"

static const char scene[] =
    "repose: 1\n"
    "title: A small pour onto a shaken floor\n"
    "gravity: [0, 0, -9.81]\n"
    "periodic: [3 cm, 3 cm, 0]\n"
    "materials: {glass: {young: 0.3 MPa, poisson: 0.25, density: 2500}}\n"
    "pairs:\n"
    "  - between: [glass, glass]\n"
    "    normal: {law: hertz}\n"
    "    damping: {law: restitution, value: 0.2}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 300 N/m}\n"
    "    roll: {law: tracked, eta: 0.2}\n"
    "    spin: {law: tracked, eta: 0.2}\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: glass,\n"
    "     drive: {amplitude: [0, 0, 0.5 mm], frequency: 40 Hz, until: 0.09 s}}\n"
    "  - {name: ball, shape: {sphere: {radius: 4 mm}}, material: glass, position: [1 cm, 1 cm, 4.5 mm],\n"
    "     angular_velocity: [0, 60, 20]}\n"
    "particles:\n"
    "  - name: grains\n"
    "    count: 40\n"
    "    radius: {uniform: [1.5 mm, 2.5 mm]}\n"
    "    material: glass\n"
    "    pour: {region: [[0, 0, 1.2 cm], [3 cm, 3 cm, 3 cm]], until: 0.06 s, velocity: [0, 0, -0.5]}\n"
    "run: {step: 2e-5 s, until: 0.12 s}\n"
    "output: {frames: 2.5 ms, series: 0.7 ms, xyz: 3.3 ms, particles: end.csv, checkpoint: 0}\n" /* where a run stops, and nowhere by the clock */
    "probes:\n"
    "  load: {body: floor, quantity: force.z}\n"
    "  touching: {quantity: contacts}\n"
    "  slide: {contact: [floor, ball], quantity: slide_force}\n"
    "  mode: {contact: [floor, ball], quantity: slide_mode}\n"
    "  meet: {quantity: coordination}\n"
    "checks:\n"
    "  - {probe: load, max: true, above: -1 N}\n"
    "  - {probe: load, mean: [0.02 s, 0.1 s], below: 0 N}\n"
    "  - {probe: load, rate: [0.02 s, 0.1 s], below: 10}\n"
    "  - {probe: touching, at: 0.05 s, above: 1}\n"
    "  - {probe: touching, crosses: 5.5, above: 0.01 s}\n"
    "  - {probe: mode, becomes: slip, after: 0.01 s, above: 0.01 s}\n"
    "  - {probe: touching, final: true, above: 10}\n"
    "variants: {rough: {set: {pairs.0.slide.static: 0.7}}}\n";

enum { STEPS = 6000 };

static char base[RPS_PATH];
static const char *const set[] = {"pairs.0.spin.eta=0.25", "particles.0.count=44"};

static int make_base(void **state) {
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/repose-resume-XXXXXX", root ? root : "/tmp");
    return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state) {
    (void)state;
    char command[RPS_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

static const char *in_base(const char *name, char out[RPS_PATH]) {
    rps_path_join(out, base, name, NULL);
    return out;
}

static bool count_down(void *context) {
    long *left = context;
    return (*left)-- > 0;
}

/* The same after the start and after every step, so that none goes by unseen. */
static bool count_steps(void *context, const rps_world *world) {
    (void)world;
    return count_down(context);
}

static rps_run_options options_of(void) {
    rps_run_options options = rps_run_options_default();
    options.text = scene;
    options.text_bytes = strlen(scene);
    options.variant = "rough";
    options.set = set;
    options.sets = sizeof set / sizeof *set;
    options.threads = 1;
    return options;
}

static rps_run_options resume_of(const char *from) {
    rps_run_options options = rps_run_options_default();
    options.resume = from;
    options.threads = 1;
    return options;
}

static void run(const rps_run_options *options, rps_run_summary *summary) {
    rps_error err;
    if (rps_run(options, summary, &err) != RPS_OK) fail_msg("%s", err.text);
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

static char *content(const char *directory, const char *name, size_t *bytes) {
    char path[RPS_PATH];
    rps_path_join(path, directory, name, NULL);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("there is no file %s", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*bytes + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    text[*bytes] = '\0';
    fclose(file);
    return text;
}

static void compare_file(const char *a, const char *b, const char *name, const char *cut) {
    size_t n, m;
    char *x = content(a, name, &n), *y = content(b, name, &m);
    if (cut) { /* up to this text */
        assert_non_null(strstr(x, cut));
        assert_non_null(strstr(y, cut));
        *strstr(x, cut) = *strstr(y, cut) = '\0';
        if (strcmp(x, y) != 0) fail_msg("%s/%s differs:\n%s\n%s", b, name, x, y);
    } else if (n != m || memcmp(x, y, n) != 0) {
        fail_msg("%s/%s differs from that of the undisturbed run", b, name);
    }
    free(x);
    free(y);
}

static void compare_results(const char *a, const char *b) {
    char command[3 * RPS_PATH];
    compare_file(a, b, "series.csv", NULL);
    compare_file(a, b, "run.xyz", NULL);
    compare_file(a, b, "run.xdmf", NULL);
    compare_file(a, b, "contacts.xdmf", NULL);
    compare_file(a, b, "run.vtkhdf", NULL);
    compare_file(a, b, "contacts.vtkhdf", NULL);
    compare_file(a, b, "summary.json", "\"machine\"");
    snprintf(command, sizeof command, "tools/same_h5 '%s/run.h5' '%s/run.h5'", a, b);
    if (system(command) != 0) fail_msg("%s/run.h5 differs from that of the undisturbed run", b);
}

static void compare(const char *a, const char *b) {
    compare_results(a, b);
    compare_file(a, b, "end.csv", NULL);
}

static int checkpoints(const char *directory) {
    int count = 0;
    DIR *list = opendir(directory);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += strncmp(entry->d_name, "checkpoint-", 11) == 0;
    closedir(list);
    return count;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static int undisturbed(void **state) {
    make_base(state);
    char whole[RPS_PATH];
    rps_run_summary summary;
    rps_run_options options = options_of();
    options.directory = in_base("whole", whole);
    run(&options, &summary);
    assert_int_equal(summary.steps, STEPS);
    assert_int_equal(summary.end, RPS_END_UNTIL);
    print_message("# %d contacts, %d bodies, %d frames\n", (int)summary.contacts, (int)summary.bodies,
                  (int)summary.frames);
    assert_true(summary.contacts > 10 && summary.bodies == 46);
    return 0;
}

static void test_stop_and_resume(void **state) {
    (void)state;
    char whole[RPS_PATH], there[RPS_PATH], name[32];
    in_base("whole", whole);
    for (uint64_t k = 0; k < 8; k++) {
        rps_run_summary summary;
        long left = k < 2 ? (long)k : (long)rps_random_index(4, RPS_RANDOM_TEST, k, 0, STEPS);
        snprintf(name, sizeof name, "part-%d", (int)k);
        rps_run_options options = options_of();
        options.directory = in_base(name, there);
        options.proceed = count_down;
        options.context = &left;
        run(&options, &summary);
        assert_int_equal(summary.end, RPS_END_STOPPED);
        uint64_t reached = summary.steps;
        for (int more = 0; more < 3; more++) { /* again and again: short legs, other machines */
            left = more == 2 ? STEPS : (long)rps_random_index(4, RPS_RANDOM_TEST, k, 1 + (uint64_t)more, 700);
            rps_run_options again = resume_of(there);
            again.threads = 1 + (int)(k + (uint64_t)more) % 3;
            again.isa = k % 2 ? RPS_ISA_SSE2 : -1;
            again.proceed = count_down;
            again.context = &left;
            run(&again, &summary);
            assert_true(summary.steps >= reached);
            reached = summary.steps;
        }
        assert_int_equal(reached, STEPS);
        assert_true(checkpoints(there) == 2);
        compare(whole, there);
    }
}

static const char shapes[] =
    "repose: 1\n"
    "title: Ellipsoids and a box fall on a plane\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {wood: {young: 1 MPa, poisson: 0.25, density: 700}}\n"
    "pairs:\n"
    "  - between: [wood, wood]\n"
    "    normal: {law: hooke, stiffness: 1e3}\n"
    "    damping: {law: ratio, value: 0.2}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 30 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: wood, fixed: true}\n"
    "  - {name: a, shape: {ellipsoid: {semi_axes: [4 mm, 6 mm, 8 mm]}}, material: wood, position: [0, 0, 9 mm],\n"
    "     orientation: {axis: [1, 2, 0], angle: 50 deg}}\n"
    "  - {name: b, shape: {ellipsoid: {semi_axes: [5 mm, 4 mm, 4 mm]}}, material: wood, position: [2 mm, 0, 24 mm],\n"
    "     angular_velocity: [0, 30, 5]}\n"
    "  - {name: c, shape: {box: {size: [8 mm, 6 mm, 4 mm]}}, material: wood, position: [25 mm, 0, 8 mm],\n"
    "     orientation: {axis: [1, 1, 0], angle: 20 deg}}\n"
    "particles:\n"
    "  - {name: seeds, material: wood, count: 5, shape: {ellipsoid: {semi_axes: [3 mm, 2 mm, 1.5 mm]}},\n"
    "     scale: {uniform: [0.8, 1.2]},\n"
    "     pour: {region: [[-3 cm, -1 cm, 3 cm], [-1 cm, 1 cm, 5 cm]], until: 0.06 s}}\n"
    "run: {step: 2.5e-5 s, until: 0.1 s}\n"
    "output: {frames: 3 ms, series: 1 ms, xyz: 7 ms, surface: 60, checkpoint: 0}\n"
    "probes: {load: {contact: [floor, c], quantity: normal_load}, touching: {quantity: contacts}}\n";

/* Bodies that are no spheres: contacts with pieces and features, and surfaces. */
static void test_shapes(void **state) {
    (void)state;
    char whole[RPS_PATH], there[RPS_PATH], name[32];
    rps_run_summary summary;
    rps_run_options options = rps_run_options_default();
    options.text = shapes;
    options.text_bytes = strlen(shapes);
    options.threads = 1;
    options.directory = in_base("shapes", whole);
    run(&options, &summary);
    assert_int_equal(summary.steps, 4000);
    print_message("# %d contacts, %d bodies\n", (int)summary.contacts, (int)summary.bodies);
    assert_true(summary.contacts >= 4 && summary.bodies == 9);
    for (uint64_t k = 0; k < 4; k++) {
        long left = k == 0 ? 0 : (long)rps_random_index(4, RPS_RANDOM_TEST, 100 + k, 0, 4000);
        snprintf(name, sizeof name, "shapes-%d", (int)k);
        rps_run_options part = options;
        part.directory = in_base(name, there);
        part.each = count_steps;
        part.context = &left;
        run(&part, &summary);
        assert_int_equal(summary.end, RPS_END_STOPPED);
        rps_run_options rest = resume_of(there);
        rest.threads = 2;
        run(&rest, &summary);
        compare_file(whole, there, "surfaces.xdmf", NULL);
        compare_results(whole, there);
    }
}

/* From an earlier checkpoint into another directory, and in place, where the later checkpoint then must go; from the end,
 * where nothing is left to do. */
static void test_older_and_other_directory(void **state) {
    (void)state;
    char whole[RPS_PATH], there[RPS_PATH], other[RPS_PATH], file[RPS_PATH];
    rps_run_summary summary;
    rps_error err;
    long left = 2000;
    in_base("whole", whole);
    rps_run_options options = options_of();
    options.directory = in_base("older", there);
    options.proceed = count_down;
    options.context = &left;
    run(&options, &summary);
    rps_run_options again = resume_of(there);
    left = 1500;
    again.proceed = count_down;
    again.context = &left;
    run(&again, &summary);
    assert_int_equal(summary.steps, 3500);

    rps_path_join(file, there, "checkpoint-2000.ckpt", NULL);
    rps_run_options elsewhere = resume_of(file);
    elsewhere.directory = in_base("other", other);
    run(&elsewhere, &summary);
    compare(whole, other);
    assert_int_equal(rps_run(&elsewhere, &summary, &err), RPS_BAD_INPUT); /* results lie there now */
    assert_non_null(strstr(err.text, "overwrite"));

    rps_run_options back = resume_of(file);
    left = 10;
    back.proceed = count_down;
    back.context = &left;
    run(&back, &summary);
    assert_int_equal(summary.steps, 2010);
    run(&(rps_run_options){.size = sizeof(rps_run_options), .resume = there, .threads = 2, .isa = -1}, &summary);
    compare(whole, there);

    rps_run_options done = resume_of(there);
    run(&done, &summary);
    assert_int_equal(summary.end, RPS_END_UNTIL);
    compare(whole, there);
}

/* A damaged newest checkpoint is passed over for the one before it. */
static void test_damaged_newest(void **state) {
    (void)state;
    char whole[RPS_PATH], there[RPS_PATH], file[RPS_PATH];
    rps_run_summary summary;
    long left = 1000;
    in_base("whole", whole);
    rps_run_options options = options_of();
    options.directory = in_base("damaged", there);
    options.proceed = count_down;
    options.context = &left;
    run(&options, &summary);
    rps_run_options again = resume_of(there);
    left = 900;
    again.proceed = count_down;
    again.context = &left;
    run(&again, &summary);
    rps_path_join(file, there, "checkpoint-1900.ckpt", NULL);
    assert_int_equal(truncate(file, 3000), 0);
    rps_run_options rest = resume_of(there);
    run(&rest, &summary);
    compare(whole, there);
}

/* A run that was over goes on to a later end: it leaves what a run leaves that had this end from the start, whether its
 * first end fell on an output or between two (what it wrote there because it ended must go), in place and elsewhere. The
 * scene has checks that lie after the first end. Killed before its next checkpoint, it still has its new end. */
static void test_later_end(void **state) {
    (void)state;
    /* a frame and no row, a row and no frame, neither, both */
    static const char *const first_end[] = {"60 ms", "70.7 ms", "0.0702", "0.105 s"};
    char whole[RPS_PATH], there[RPS_PATH], other[RPS_PATH], name[32];
    in_base("whole", whole);
    for (int k = 0; k < 4; k++) {
        rps_run_summary summary;
        rps_run_options options = options_of();
        snprintf(name, sizeof name, "first-%d", k);
        options.directory = in_base(name, there);
        options.until = first_end[k];
        run(&options, &summary);
        assert_int_equal(summary.end, RPS_END_UNTIL);

        static const char *const until[] = {"run.until=0.12 s"};
        rps_run_options later = resume_of(there);
        snprintf(name, sizeof name, "later-%d", k);
        later.directory = in_base(name, other);
        later.set = until;
        later.sets = 1;
        run(&later, &summary);
        assert_int_equal(summary.steps, STEPS);
        compare(whole, other);

        long left = k == 0 ? 0 : 20; /* stops, its first checkpoint being removed as if it had been killed before it */
        rps_run_options in_place = resume_of(there);
        in_place.until = "0.12 s";
        in_place.proceed = count_down;
        in_place.context = &left;
        run(&in_place, &summary);
        assert_int_equal(summary.end, RPS_END_STOPPED);
        if (k > 0) {
            char file[RPS_PATH];
            snprintf(name, sizeof name, "checkpoint-%d.ckpt", (int)summary.steps);
            rps_path_join(file, there, name, NULL);
            assert_int_equal(unlink(file), 0);
        }
        rps_run_options rest = resume_of(there);
        rest.threads = 2;
        run(&rest, &summary);
        assert_int_equal(summary.end, RPS_END_UNTIL);
        compare(whole, there);
    }
}

static char said[1024];

static void hear(void *context, int level, const char *text) {
    (void)context;
    (void)level;
    snprintf(said, sizeof said, "%s", text);
}

/* An end that is no whole number of steps away falls on the nearest step, and the run says so; its intervals stay. */
static void test_later_end_between_steps(void **state) {
    (void)state;
    static const char *const sets[] = {"output={}"}; /* 100 frames and 1000 rows of the first end */
    char there[RPS_PATH];
    rps_run_summary summary;
    rps_run_options options = options_of();
    options.set = sets;
    options.sets = 1;
    options.until = "0.06 s";
    options.directory = in_base("between", there);
    run(&options, &summary);
    assert_int_equal(summary.steps, 3000);
    uint64_t frames = summary.frames;
    rps_run_options later = resume_of(there);
    later.until = "0.120009 s"; /* 6000.45 steps */
    later.log = hear;
    said[0] = 0;
    run(&later, &summary);
    assert_int_equal(summary.steps, 6000);
    assert_true(summary.step == 2e-5);
    assert_non_null(strstr(said, "keeps its step of 2e-05 s and ends at the step nearest to it, at 0.12 s"));
    assert_int_equal(summary.frames, 2 * frames - 1); /* the start counted once */
    said[0] = 0;
    later.until = "0.1502 s"; /* whole */
    run(&later, &summary);
    assert_int_equal(summary.steps, 7510);
    assert_string_equal(said, "");
}

static void refused(const rps_run_options *options, const char *word) {
    rps_error err;
    rps_run_summary summary;
    if (rps_run(options, &summary, &err) != RPS_BAD_INPUT) fail_msg("resumed, though it lacks sense (%s)", word);
    if (!strstr(err.text, word)) fail_msg("expected \"%s\" in: %s", word, err.text);
}

/* A run that cannot be resumed says why, and its files stay. */
static void test_refusals(void **state) {
    (void)state;
    char there[RPS_PATH], path[RPS_PATH];
    rps_run_summary summary;
    long left = 1000;
    refused(&(rps_run_options){.size = sizeof(rps_run_options), .resume = base}, "no checkpoint");
    rps_path_join(path, base, "grains.csv", NULL);
    FILE *grains = fopen(path, "w");
    assert_non_null(grains);
    fputs("x,y,z,radius\n0.02,0.02,0.05,0.002\n0.01,0.02,0.06,0.001\n", grains);
    fclose(grains);
    char file_set[RPS_PATH + 64];
    snprintf(file_set, sizeof file_set, "particles=[{name: grains, material: glass, file: '%s'}]", path);
    const char *const sets[] = {file_set};
    rps_run_options options = options_of();
    options.variant = NULL;
    options.set = sets;
    options.sets = 1;
    options.directory = in_base("refused", there);
    options.proceed = count_down;
    options.context = &left;
    run(&options, &summary);

    rps_run_options both = resume_of(there);
    both.variant = "rough";
    refused(&both, "from the checkpoint");
    static const char *const other[] = {"run.until=1 s", "run.step=1e-6"};
    both = resume_of(there);
    both.set = other;
    both.sets = 2;
    refused(&both, "leave `run.step=1e-6` out");
    both = resume_of(there);
    both.until = "0.01999 s";
    refused(&both, "is at t = 0.02 s (step 1000) already; its new end must be later, not 0.01999 s");
    both.until = "0.02 s";
    refused(&both, "must be later");
    both.until = "1 m";
    refused(&both, "wrong dimension");
    rps_run_options again = resume_of(there);
    grains = fopen(path, "a");
    assert_non_null(grains);
    fputs("0.015,0.015,0.07,0.001\n", grains);
    fclose(grains);
    refused(&again, "has changed");
    grains = fopen(path, "w");
    assert_non_null(grains);
    fputs("x,y,z,radius\n0.02,0.02,0.05,0.002\n0.01,0.02,0.06,0.001\n", grains);
    fclose(grains);
    rps_path_join(path, there, "series.csv", NULL);
    assert_int_equal(truncate(path, 100), 0);
    refused(&again, "series.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_and_resume),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_older_and_other_directory),
        cmocka_unit_test(test_damaged_newest),
        cmocka_unit_test(test_later_end),
        cmocka_unit_test(test_later_end_between_steps),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, undisturbed, remove_base);
}
