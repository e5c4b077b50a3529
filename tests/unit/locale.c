/* The library in a program with a decimal comma: scenes with units load, and files, tables, pictures and messages
 * have the same bytes as in the C locale, even while another thread writes commas. Callbacks see the program's
 * locale. */
#include "io_common.h"
#include "locale_common.h"

#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/run.h>

#include "io/problem_file.h"

/* Units, numbers of every kind, a file of particles, an ellipsoid for surfaces.xdmf, a stage that ends by a number, checks
 * whose names hold numbers, one of which fails, and a sweep. */
static const char scene[] = "repose: 1\n"
                            "title: 0.5 and 1.5\n"
                            "gravity: {magnitude: 9.81 m/s^2, tilt: 2.5 deg}\n"
                            "materials: {clay: {young: 1.5 MPa, poisson: 0.3, density: 2.1 g/cm^3}}\n"
                            "pairs:\n"
                            "  - between: [clay, clay]\n"
                            "    normal: hertz\n"
                            "    damping: {law: restitution, value: 0.35}\n"
                            "    slide: {law: mindlin, friction: 0.45}\n"
                            "    roll: none\n"
                            "    spin: none\n"
                            "bodies:\n"
                            "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
                            "  - {name: egg, shape: {ellipsoid: {semi_axes: [1 cm, 1.5 cm, 2 cm]}}, material: clay, "
                            "position: [0.5, 0, 0.0201]}\n"
                            "particles:\n"
                            "  - {name: grains, material: clay, file: {path: grains.csv}}\n"
                            "stages:\n"
                            "  - {name: fall, until: {speed: 0.35 m/s, after: 1.5 ms}, limit: 12.5 ms, missed: next}\n"
                            "  - {name: rest, until: {time: 7.5 ms}}\n"
                            "run: {step: 0.05 ms}\n"
                            "output: {frames: 2.5 ms, series: 0.5 ms, particles: end.csv, checkpoint: 0}\n"
                            "probes:\n"
                            "  height: {body: egg, quantity: position.z}\n"
                            "  speed: {body: egg, quantity: speed}\n"
                            "checks:\n"
                            "  - {probe: height, mean: [2.5 ms, 5.5 ms], expect: 0.0195 m, within: 2.5 %}\n"
                            "  - {probe: height, at: 2.5 ms, expect: 19.9 mm, within: [0.5 %, 0.5 mm]}\n"
                            "  - {probe: speed, crosses: 0.0125 m/s, after: 0.5 ms, expect: 1.5 s, within: 0.5 ms}\n"
                            "sweep:\n"
                            "  vary: [{path: gravity.tilt, from: 0.5 deg, to: 2.5 deg, count: 3}]\n"
                            "  measures: {z: {probe: height, final: true}}\n";

/* Settings that must be refused, each by a message with a number in it. */
static const char *const refused[] = {"pairs.0.damping.value=1.5",
                                      "pairs.0.slide.static=-0.25",
                                      "materials.clay.poisson=0.75",
                                      "gravity.tilt=0.5 m",
                                      "bodies.egg.position=[1.5 kg]",
                                      "output.frames=0.5 furlongs",
                                      "run.step=0.5",
                                      "run.step=1e-400 s",
                                      "bodies.egg.density=1,5 kg/m^3",
                                      "particles.grains.spin=\"x\"",
                                      "checks.0.mean=[5.5, 2.5]",
                                      "title=[1.5, 2.5]",
                                      "bodies.egg.position=[0.5, 0, 0.0005]"};

static char input[RPS_PATH], scene_path[RPS_PATH + 16];

static void write_input(const char *name, const char *text) {
    char path[RPS_PATH];
    assert_int_equal(rps_path_join(path, input, name, NULL), RPS_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* --- output of the library
 * ------------------------------------------------------------------------------------------ */

/* The work of one thread, and its findings; cmocka's assertions are for the main thread. */
typedef struct work {
    char directory[RPS_PATH]; /* of the results */
    bool pictures;            /* sweeps, plots and audits as well */
    FILE *said;               /* messages, as the library made them */
    bool comma;               /* do callbacks find a decimal comma? */
    bool other_locale;        /* one did not find what `comma` says */
    char failure[256];
} work;

static void look(work *w) {
    w->other_locale = w->other_locale || comma_is_written() != w->comma;
}

static void *take_memory(void *context, size_t size, size_t align) {
    look(context);
    void *p = NULL;
    return posix_memalign(&p, align < sizeof(void *) ? sizeof(void *) : align, size) == 0 ? p : NULL;
}

static void release_memory(void *context, void *p, size_t size) {
    look(context);
    (void)size;
    free(p);
}

static bool proceed(void *context) {
    look(context);
    return true;
}

static void note_line(void *context, const char *line) {
    work *w = context;
    look(w);
    fputs(line, w->said);
}

static void note_log(void *context, int level, const char *text) {
    (void)level;
    note_line(context, text);
}

static void note_check(void *context, const rps_check_row *row) {
    work *w = context;
    note_line(w, row->check);
    if (row->note) note_line(w, row->note);
}

static void expect(work *w, rps_status status, rps_status expected, const rps_error *err) {
    if (status != RPS_OK) fprintf(w->said, "%s\n", err->text);
    if (status == expected || w->failure[0]) return;
    snprintf(w->failure, sizeof w->failure, "%s: %.200s", rps_status_name(status), status == RPS_OK ? "" : err->text);
}

static rps_run_options options_of(work *w, const rps_allocator *allocator) {
    rps_run_options options = rps_run_options_default();
    options.path = scene_path;
    options.threads = 1;
    options.allocator = allocator;
    options.proceed = proceed;
    options.check = note_check;
    options.context = w;
    options.log = note_log;
    options.log_context = w;
    return options;
}

static void run_and_resume(work *w) {
    const rps_allocator allocator = {take_memory, release_memory, w};
    rps_run_options options = options_of(w, &allocator);
    rps_error err;
    options.directory = w->directory;
    expect(w, rps_run(&options, NULL, &err), RPS_OK, &err);
    options = options_of(w, &allocator);
    options.path = NULL;
    options.resume = options.directory = w->directory;
    options.until = "0.0215 s";
    expect(w, rps_run(&options, NULL, &err), RPS_OK, &err);
}

static void explain_and_refuse(work *w) {
    const rps_allocator allocator = {take_memory, release_memory, w};
    rps_run_options options = options_of(w, &allocator);
    rps_error err;
    expect(w, rps_explain(&options, note_line, w, &err), RPS_OK, &err);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        options.set = &refused[i];
        options.sets = 1;
        expect(w, rps_run(&options, NULL, &err), RPS_BAD_INPUT, &err);
    }
    const char fast[] = "bodies.egg.velocity=[0.5, 0, -1500.5]"; /* a guard stops it */
    options.set = &(const char *){fast};
    expect(w, rps_run(&options, NULL, &err), RPS_GUARD, &err);
    static const char problem[] = "ncp 1\n3 1 3\n0.3\n-0.1 1 0\n0 0 .5\n1 1 1.75\n2 2 1.75\n";
    rps_cone_problem cone;
    rps_status status = rps_cone_problem_parse(&cone, NULL, "ball", problem, strlen(problem), &err);
    expect(w, status, RPS_OK, &err);
    if (status == RPS_OK) rps_cone_problem_release(&cone);
}

static void sweep_and_plot(work *w) {
    char series[RPS_PATH + 8], plot[RPS_PATH + 16], audit[RPS_PATH + 16], picture[RPS_PATH + 16];
    snprintf(series, sizeof series, "run=%s", w->directory);
    snprintf(plot, sizeof plot, "%s/plot.svg", w->directory);
    snprintf(audit, sizeof audit, "%s/audit.json", w->directory);
    snprintf(picture, sizeof picture, "%s/audit.svg", w->directory);
    rps_error err;
    rps_sweep_options sweep = rps_sweep_options_default();
    sweep.path = scene_path;
    sweep.directory = w->directory;
    sweep.jobs = 1;
    sweep.row = note_line;
    sweep.context = w;
    expect(w, rps_sweep(&sweep, NULL, &err), RPS_OK, &err);
    rps_plot_options plots = rps_plot_options_default();
    const char *const run = series, *const y = "speed";
    plots.series = &run;
    plots.y = &y;
    plots.count = plots.panels = 1;
    plots.from = 0.0015;
    plots.picture = plot;
    expect(w, rps_plot(&plots, &err), RPS_OK, &err);
    rps_audit_options audits = rps_audit_options_default();
    const char *law = "normal.hooke";
    audits.law = &law;
    audits.laws = 1;
    audits.json = audit;
    audits.picture = picture;
    expect(w, rps_audit(&audits, NULL, &err), RPS_OK, &err);
}

static void *do_all(void *context) {
    work *w = context;
    char path[RPS_PATH + 16];
    snprintf(path, sizeof path, "%s/said", w->directory);
    w->said = fopen(path, "w");
    if (!w->said) return NULL;
    run_and_resume(w);
    explain_and_refuse(w);
    if (w->pictures) sweep_and_plot(w);
    fclose(w->said);
    return NULL;
}

/* --- comparison ----------------------------------------------------------------------------------------------------- */

/* Removes the lines of summary.json and sweep.json that say how long it took. */
static void drop_times(char *text) {
    char *to = text;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        char kept = line[length];
        line[length] = '\0';
        bool timed = strstr(line, "wall_seconds") || strstr(line, "steps_per_second");
        line[length] = kept;
        if (!timed) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
}

static void compare_file(const char *a, const char *b, const char *name) {
    const bool binary = strstr(name, ".h5") || strstr(name, ".ckpt"); /* they hold hashes of what they hold */
    char command[3 * RPS_PATH];
    if (binary) {
        snprintf(command, sizeof command, "cmp '%s/%s' '%s/%s'", a, name, b, name);
        if (system(command) != 0) fail_msg("%s differs", name);
        return;
    }
    char *left = read_text(a, name), *right = read_text(b, name);
    drop_times(left);
    drop_times(right);
    assert_string_equal(left, right);
    free(left);
    free(right);
}

static size_t compare_directories(const char *a, const char *b) {
    size_t files = 0;
    DIR *list = opendir(a);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        compare_file(a, b, entry->d_name);
        files++;
    }
    closedir(list);
    return files;
}

/* --- tests ---------------------------------------------------------------------------------------------------------- */

static work reference; /* in the C locale, with pictures */

static int set_up(void **state) {
    (void)state;
    make_directory(input);
    snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", input);
    write_input("scene.yaml", scene);
    write_input("grains.csv", "x,y,z,radius\n0.5,0.05,0.0055,0.0055\n-1.5e-2,0.25,0.0104,0.0105\n");
    make_directory(reference.directory);
    reference.pictures = true;
    do_all(&reference);
    if (reference.failure[0]) fail_msg("%s", reference.failure);
    comma_locale_set();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    comma_locale_drop();
    remove_directory(reference.directory);
    remove_directory(input);
    return 0;
}

static void test_same_files(void **state) {
    (void)state;
    work w = {.comma = true, .pictures = true};
    make_directory(w.directory);
    do_all(&w);
    if (w.failure[0]) fail_msg("%s", w.failure);
    assert_true(comma_is_written());
    assert_true(compare_directories(reference.directory, w.directory) >= 14);
    assert_false(w.other_locale);
    remove_directory(w.directory);
}

typedef struct other {
    work work;
    atomic_bool done;
} other;

static void *do_other(void *context) {
    other *o = context;
    do_all(&o->work);
    atomic_store(&o->done, true);
    return NULL;
}

/* The library in two threads, while the program writes commas in a third and never sees a point. */
static void test_threads(void **state) {
    (void)state;
    other o[2] = {{.work = {.comma = true}}, {.work = {.comma = true}}};
    pthread_t thread[2];
    bool comma = true;
    for (int k = 0; k < 2; k++) {
        make_directory(o[k].work.directory);
        assert_int_equal(pthread_create(&thread[k], NULL, do_other, &o[k]), 0);
    }
    while (!atomic_load(&o[0].done) || !atomic_load(&o[1].done)) comma = comma_is_written() && comma;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        if (o[k].work.failure[0]) fail_msg("%s", o[k].work.failure);
        assert_false(o[k].work.other_locale);
    }
    assert_true(comma);
    compare_directories(o[0].work.directory, o[1].work.directory);
    /* `said` is shorter than the reference's, which has lines of a sweep */
    const char *const shared[] = {"run.h5", "run.xdmf", "contacts.xdmf", "surfaces.xdmf", "series.csv", "summary.json"};
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        compare_file(reference.directory, o[0].work.directory, shared[k]);
    }
    for (int k = 0; k < 2; k++) remove_directory(o[k].work.directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_files), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("locale", tests, set_up, tear_down);
}
