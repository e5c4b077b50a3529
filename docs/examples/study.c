/* A study of one scene by the commands of `repose` as functions: a ball drops on a floor and bounces.
 *
 * The program writes the scene into a directory, lets the library explain it, runs it, draws its series, verifies the
 * checks of the scene, varies the coefficient of restitution, and audits the damping law. It checks that the height of
 * the first bounce is e^2 of the drop. Figures need gnuplot, and the program goes on without it.
 * Build: cc study.c $(pkg-config --cflags --libs repose) -lm
 * Usage: study DIRECTORY, which exists */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/repose.h>

static const char text[] =
    "repose: 1\n"
    "title: A ball bounces\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {steel: {young: 50 MPa, poisson: 0.3, density: 7800 kg/m^3}}\n"
    "pairs:\n"
    "  - between: [steel, steel]\n"
    "    normal: hertz\n"
    "    damping: {law: restitution, value: 0.8}\n"
    "    slide: none\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 0.11]}\n"
    "run: {step: 2e-6 s, until: 0.3 s}\n"
    "output: {frames: 0, series: 1 ms}\n"
    "probes:\n"
    "  height: {body: ball, quantity: position.z}\n"
    "  energy: {body: ball, quantity: kinetic_energy}\n"
    "checks:\n"
    "  - {probe: height, max: [0.2 s, 0.3 s], expect: 74 mm, within: 0.5 mm, source: e^2 of the drop}\n";

enum { PATH = 1024 };

static char scene[PATH], results[PATH], sweep[PATH], figure[PATH];
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static void name_file(char *path, const char *directory, const char *name) {
    if (snprintf(path, PATH, "%s/%s", directory, name) >= PATH) exit(1);
}

static void write_scene(void) {
    FILE *file = fopen(scene, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) exit(1);
}

/* Explanations come in pieces; this one keeps the lines on the step. */
static void keep_step(void *context, const char *piece) {
    *(size_t *)context += strlen(piece);
    if (strstr(piece, "step")) printf("%s%s", piece, strchr(piece, '\n') ? "" : "\n");
}

/* Explains the scene and runs it; the height of the bounce over that of the drop is e^2. */
static void keep_bounce(void *context, const rps_check_row *row) {
    printf("%s: %.6g %s\n", row->check, row->measured, row->unit);
    *(double *)context = (row->measured - 0.01) / 0.1;
}

static double run(void) {
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    size_t length = 0;
    double ratio = NAN;
    options.path = scene;
    options.directory = results;
    options.overwrite = true;
    options.threads = 1;
    must(rps_explain(&options, keep_step, &length, &err));
    options.check = keep_bounce;
    options.context = &ratio;
    must(rps_run(&options, &summary, &err));
    printf("%zu characters explain it; it ran %llu steps, the ledger is off by %.2g J\n", length,
           (unsigned long long)summary.steps, summary.ledger.residual);
    return ratio;
}

/* Draws height and energy over time; without gnuplot that is an error of its own. */
static void plot(void) {
    const char *const series[] = {results}, *const panel[] = {"height", "energy"};
    rps_plot_options options = rps_plot_options_default();
    options.series = series;
    options.count = 1;
    options.y = panel;
    options.panels = 2;
    options.title = "A ball bounces";
    options.picture = figure;
    const rps_status status = rps_plot(&options, &err);
    if (status == RPS_UNSUPPORTED) {
        printf("no figure: %s\n", err.text);
    } else {
        must(status);
        printf("drawn: %s\n", figure);
    }
}

/* All checks of all scenes in the list, several at a time; how many fail. */
static size_t verify(void) {
    const char *const path[] = {scene};
    rps_verify_options options = rps_verify_options_default();
    rps_verify_summary summary;
    options.path = path;
    options.paths = 1;
    options.jobs = 1;
    must(rps_verify(&options, &summary, &err));
    printf("verified: %zu checks of %zu runs hold, %zu do not\n", summary.passed, summary.runs, summary.failed);
    return summary.failed;
}

struct bounces {
    int points;
    double worst; /* difference of the height over the drop from e^2 */
};

/* One line of the sweep's table: the varied value, then the measure; the header has no numbers. */
static void look_at_line(void *context, const char *line) {
    struct bounces *seen = context;
    double e, height;
    printf("  %s", line);
    if (sscanf(line, "%lf,%lf", &e, &height) != 2) return;
    seen->points++;
    seen->worst = fmax(seen->worst, fabs((height - 0.01) / 0.1 - e * e));
}

/* The bounce for several coefficients: how far the worst is from e^2. */
static double vary(void) {
    const char *const values[] = {"pairs.steel/steel.damping.value=0.5,0.7,0.9"};
    const char *const measure[] = {"bounce={probe: height, max: [0.15 s, 0.3 s]}"};
    rps_sweep_options options = rps_sweep_options_default();
    rps_sweep_summary summary;
    struct bounces seen = {0, 0.0};
    options.path = scene;
    options.directory = sweep;
    options.overwrite = true;
    options.vary = values;
    options.varies = 1;
    options.measure = measure;
    options.measures = 1;
    options.row = look_at_line;
    options.context = &seen;
    options.jobs = 1;
    must(rps_sweep(&options, &summary, &err));
    printf("%zu points of the sweep, %zu failed; farthest from e^2: %.2g\n", summary.points, summary.failed,
           seen.worst);
    return seen.points == 3 ? seen.worst : INFINITY;
}

static void show_audit(void *context, const rps_audit_row *row) {
    (void)context;
    printf("  %s.%s (%s): %s: %.3g %s, %s\n", row->role, row->law, row->variant, row->experiment, row->measured,
           row->unit, row->verdict);
}

/* Experiments with one law: results that its descriptor does not declare. */
static size_t audit(void) {
    const char *const law[] = {"damping.restitution"};
    rps_audit_options options = rps_audit_options_default();
    rps_audit_summary summary;
    options.law = law;
    options.laws = 1;
    options.row = show_audit;
    must(rps_audit(&options, &summary, &err));
    return summary.undeclared;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    name_file(scene, argv[1], "bounce.yaml");
    name_file(results, argv[1], "bounce");
    name_file(sweep, argv[1], "sweep");
    name_file(figure, argv[1], "bounce.svg");
    printf("repose %s\n", rps_version());
    write_scene();
    const double ratio = run();
    plot();
    const size_t failed = verify() + audit();
    const double worst = vary();
    /* The ball is caught some 0.2 mm lower than its radius, of a drop of 100 mm: e^2 to a few parts in a thousand. */
    return failed == 0 && fabs(ratio - 0.64) < 5e-3 && worst < 5e-3 ? 0 : 1;
}
