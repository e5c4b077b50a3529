/* Failed allocations, from the loading of a scene to its results, and in a whole run through the public interface
 * with results, a checkpoint and a resumed run. Each must end in an error with its message, never in a crash, and
 * release all memory. For each chain of callers the first and the last allocation fail, one in each run; under the
 * sanitizers, which make a run several times longer, only the first. The world stays readable after a failed step.
 * (Memory that libfyaml, udunits2, HDF5 and zstd take from the C library is not tested: repose/allocator.h.) */
#include "io_common.h"
#include "scene_common.h"

#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/repose.h>

#include "cone/solver.h"
#include "io/problem_file.h"
#include "io/results.h"
#include "scene/scene_internal.h"

enum { CALLERS = 32, MOST = 4096 };
#ifdef __SANITIZE_ADDRESS__
static const bool last_too = false;
#else
static const bool last_too = true;
#endif

/* Fails the allocation number `fails`, or with `onwards` that one and all later ones. One thread. */
typedef struct counted {
    size_t made, fails, blocks, bytes;
    uint64_t *site;      /* [MOST], of each allocation its chain of callers; NULL: not asked for */
    size_t results_from; /* number of the first one for results */
    bool onwards;
} counted;

static uint64_t chain_of_callers(void) {
    void *caller[CALLERS];
    uint64_t hash = 0;
    const int n = backtrace(caller, CALLERS);
    for (int k = 0; k < n; k++) hash = (hash ^ (uint64_t)(uintptr_t)caller[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static void *take(void *ctx, size_t size, size_t align) {
    counted *c = ctx;
    size_t number = c->made++;
    if (c->site) {
        assert_true(number < MOST);
        c->site[number] = chain_of_callers();
    }
    if (number == c->fails || (c->onwards && number > c->fails)) return NULL;
    void *p = aligned_alloc(align, (size + align - 1) / align * align);
    assert_non_null(p);
    memset(p, 0xa5, size); /* what is read before it is written shows */
    c->blocks++;
    c->bytes += size;
    return p;
}

static void give_back(void *ctx, void *p, size_t size) {
    counted *c = ctx;
    c->blocks--;
    c->bytes -= size;
    free(p);
}

/* The allocations of a run that should fail: from number `from` on, the first and the last of each chain of callers. */
typedef struct points {
    size_t count, number[MOST];
} points;

static void choose_points(const counted *whole, size_t from, points *out) {
    out->count = 0;
    for (size_t n = from; n < whole->made; n++) {
        bool before = false, after = false;
        for (size_t k = from; k < n; k++) before = before || whole->site[k] == whole->site[n];
        for (size_t k = n + 1; k < whole->made; k++) after = after || whole->site[k] == whole->site[n];
        if (!before || (last_too && !after)) out->number[out->count++] = n;
    }
    print_message("# %zu of %zu allocations fail\n", out->count, whole->made - from);
}

static uint64_t site[MOST];
static points chosen;

static const char text[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "periodic: {x: 20 mm}\n"
    "materials: {grain: {young: 10 MPa, poisson: 0.3, density: 2500}, wall: {young: 10 MPa, poisson: 0.3}}\n"
    "pairs:\n"
    "  - between: [grain, grain]\n"
    "    normal: hertz\n"
    "    damping: {law: restitution, value: 0.5}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e4 N/m}\n"
    "    roll: {law: tracked, eta: 0.2}\n"
    "    spin: {law: tracked, curvature: hertz}\n"
    "  - {between: [grain, wall], normal: {law: hooke, stiffness: 1e4}, damping: none, slide: none, roll: none, spin: "
    "none}\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: wall, fixed: true}\n"
    "  - name: stirrer\n"
    "    shape: {sphere: {radius: 2 mm}}\n"
    "    material: wall\n"
    "    position: [10 mm, 30 mm, 3 mm]\n"
    "    drive: {velocity: [0, -0.1, 0]}\n"
    "  - {name: stone, shape: {box: {size: [2 mm, 2 mm, 2 mm]}}, material: grain,\n"
    "     position: [5 mm, 40 mm, 3 mm]}\n"
    "particles:\n"
    "  - name: bed\n"
    "    material: grain\n"
    "    radius: {list: [[1 mm, 2], [0.9 mm, 1]]}\n"
    "    generator: {lattice: {box: [[1 mm, 0, 1 mm], [18 mm, 6 mm, 3 mm]], spacing: 2 mm}}\n"
    "  - name: rain\n"
    "    material: grain\n"
    "    radius: 1 mm\n"
    "    count: 12\n"
    "    pour: {region: [[0, 0, 6 mm], [20 mm, 20 mm, 12 mm]], rate: 1e6 1/s}\n"
    "exclude: [[floor, stirrer]]\n"
    "run: {step: 1e-6, until: 1 ms, threads: 1}\n"
    "probes: {height: {quantity: kinetic_energy}, load: {body: floor, quantity: force.z}}\n"
    "checks: [{probe: load, final: true, above: -1 N}]\n"
    "variants: {other: {set: {run.seed: 2}}}\n";

/* With the nonsmooth stepper: more than 64 contacts of balls, which are coloured, and a box among them. */
static const char nonsmooth[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {grain: {young: 10 MPa, poisson: 0.3, density: 2500}}\n"
    "pairs:\n"
    "  - between: [grain, grain]\n"
    "    normal: hertz\n"
    "    damping: {law: restitution, value: 0.5}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e4 N/m}\n"
    "    roll: {law: tracked, eta: 0.2}\n"
    "    spin: {law: tracked, curvature: hertz}\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: grain, fixed: true}\n"
    "  - {name: stone, shape: {box: {size: [2 mm, 2 mm, 2 mm]}}, material: grain,\n"
    "     position: [5 mm, 40 mm, 1 mm]}\n"
    "  - {name: fallen, shape: {box: {size: [2 mm, 2 mm, 2 mm]}}, material: grain, position: [5 mm, 40 mm, 3 mm]}\n"
    "particles:\n"
    "  - name: bed\n"
    "    material: grain\n"
    "    radius: 1 mm\n"
    "    generator: {lattice: {box: [[1 mm, 1 mm, 1 mm], [11 mm, 11 mm, 3 mm]], spacing: 2 mm}}\n"
    "  - name: rain\n"
    "    material: grain\n"
    "    radius: 1 mm\n"
    "    count: 12\n"
    "    pour: {region: [[0, 0, 6 mm], [11 mm, 11 mm, 12 mm]], rate: 1e4 1/s}\n"
    "run: {stepper: nonsmooth, step: 0.5 ms, until: 10 ms, threads: 1}\n"
    "probes: {height: {quantity: kinetic_energy}, load: {body: floor, quantity: force.z}}\n"
    "variants: {other: {set: {run.seed: 2}}}\n";

/* Calls everything that reads a world in any state; the results do not matter, but nothing must crash. */
static void read_world(rps_world *world) {
    rps_error err;
    rps_view view;
    rps_ledger ledger;
    rps_contact contact[8];
    uint64_t hash[2];
    double force[3], torque[3], x[3];
    size_t count;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        assert_int_equal(rps_world_view(world, rps_body_field(f)->name, &view, &err), RPS_OK);
        assert_true(view.count == rps_world_body_count(world));
    }
    for (uint64_t id = 0; id < rps_world_body_count(world); id++) {
        size_t slot = rps_world_slot(world, id);
        assert_true(slot < view.count);
        rps_world_body_position(world, id, x, &err);
        rps_world_body_load(world, id, force, torque, &err);
    }
    rps_world_contact_count(world);
    rps_world_contacts(world, contact, 8, &count, &err);
    rps_world_ledger(world, &ledger, &err);
    rps_world_hash(world, hash, &err);
}

static rps_status steps(rps_scene *scene, rps_world *world, int n, rps_error *err) {
    size_t added;
    double value;
    rps_world_keep_contacts(world, true);
    for (int k = 0; k < n; k++) {
        RPS_TRY(rps_scene_insert(scene, world, &added, err));
        RPS_TRY(rps_world_step(world, 1, err));
    }
    for (size_t i = 0; i < rps_scene_probe_count(scene); i++) {
        RPS_TRY(rps_scene_probe_value(scene, world, i, &value, err));
    }
    rps_ledger ledger;
    return rps_world_ledger(world, &ledger, err);
}

static rps_status write_results(rps_world *world, const char *directory, const rps_allocator *allocator,
                                rps_error *err) {
    rps_results_options options = {.directory = directory,
                                   .title = "",
                                   .variant = "",
                                   .version = "",
                                   .surface = 12,
                                   .bodies = rps_world_body_count(world),
                                   .world = world,
                                   .allocator = allocator};
    rps_results *results;
    RPS_TRY(rps_results_create(&options, &results, err));
    rps_status status = rps_results_write(results, world, err);
    rps_status closed = rps_results_close(results, status == RPS_OK ? err : NULL);
    return status != RPS_OK ? status : closed;
}

static rps_status whole_run(const char *scene_text, const rps_allocator *allocator, const char *directory,
                            rps_error *err) {
    rps_scene_load_options options = {
        .text = scene_text, .text_bytes = strlen(scene_text), .variant = "other", .isa = -1, .allocator = allocator};
    rps_scene *scene;
    rps_world *world = NULL;
    RPS_TRY(rps_scene_load(&options, &scene, err));
    rps_status status = rps_scene_build(scene, &world, err);
    if (status == RPS_OK) {
        status = steps(scene, world, 20, err);
        ((counted *)allocator->ctx)->results_from = ((counted *)allocator->ctx)->made;
        if (status == RPS_OK && directory) status = write_results(world, directory, allocator, err);
        rps_error again;
        read_world(world);
        steps(scene, world, 2, &again); /* may go on or fail again */
        read_world(world);
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
    return status;
}

/* Returns how many allocations a run without failure makes. */
static size_t each_in_turn(const char *scene_text, bool onwards, const char *directory) {
    counted whole = {.fails = SIZE_MAX, .site = site};
    rps_allocator counting = {take, give_back, &whole};
    rps_error err = {.status = RPS_OK};
    if (whole_run(scene_text, &counting, directory, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(whole.blocks == 0 && whole.bytes == 0);
    /* what comes before the results is the business of the other tests */
    choose_points(&whole, directory ? whole.results_from : 0, &chosen);
    for (size_t k = 0; k < chosen.count; k++) {
        const size_t n = chosen.number[k];
        counted c = {.fails = n, .onwards = onwards};
        rps_allocator allocator = {take, give_back, &c};
        err = (rps_error){.status = RPS_OK};
        rps_status status = whole_run(scene_text, &allocator, directory, &err);
        if (c.blocks || c.bytes) fail_msg("allocation %zu: %zu blocks of %zu bytes are lost", n, c.blocks, c.bytes);
        assert_true(c.made > n);
        if (status == RPS_OK) continue; /* it failed in what came after the run, or the library did without */
        assert_int_equal(err.status, status);
        assert_true(strlen(err.text) > 10);
        if (status != RPS_NO_MEMORY) fail_msg("allocation %zu: %s: %s", n, rps_status_name(status), err.text);
    }
    return whole.made;
}

static void one_fails(void **state) {
    (void)state;
    assert_true(each_in_turn(text, false, NULL) > 100);
    assert_true(chosen.count > 50);
}

static void all_fail_from_one_on(void **state) {
    (void)state;
    each_in_turn(text, true, NULL);
}

static void results(void **state) {
    char directory[RPS_PATH];
    (void)state;
    make_directory(directory);
    each_in_turn(text, false, directory);
    remove_directory(directory);
}

static void nonsmooth_steps(void **state) {
    (void)state;
    each_in_turn(nonsmooth, false, NULL);
    each_in_turn(nonsmooth, true, NULL);
}

/* --- contact problems from files ----------------------------------------------------------------------------------- */

/* Two spheres, one on the other: 3 rows each. */
static const char stack[] = "ncp 1\n3 2 10\n.3 .3\n-.1 .05 0 0 -.02 0\n"
                            "0 0 1  0 3 -1  3 0 -1  3 3 2\n1 1 3.5  2 2 3.5  4 4 7  5 5 7  1 4 -1  4 1 -1\n";

static rps_status solve_stack(rps_cone_method method, const rps_allocator *allocator, bool *solved, rps_error *err) {
    rps_cone_problem problem;
    rps_cone_result result = {.solved = false};
    double r[6] = {0}, u[6];
    rps_cone_options options = {RPS_CONE_COULOMB, method, 1e-10, 5000, 0, false};
    RPS_TRY(rps_cone_problem_parse(&problem, allocator, "stack", stack, sizeof stack - 1, err));
    rps_status status = rps_cone_solve(&problem, &options, r, u, &result, err);
    *solved = result.solved;
    rps_cone_problem_release(&problem);
    return status;
}

static void problems(void **state) {
    static const rps_cone_method method[] = {RPS_CONE_NSGS, RPS_CONE_APGD, RPS_CONE_NEWTON};
    (void)state;
    for (int k = 0; k < 3; k++) {
        size_t n = 0;
        for (bool more = true; more; n++) {
            counted c = {.fails = n};
            rps_allocator allocator = {take, give_back, &c};
            rps_error err = {.status = RPS_OK};
            bool solved = false;
            rps_status status = solve_stack(method[k], &allocator, &solved, &err);
            more = c.made > c.fails;
            assert_true(c.blocks == 0 && c.bytes == 0);
            assert_int_equal(status, more ? RPS_NO_MEMORY : RPS_OK);
            assert_true(more ? strlen(err.text) > 10 : solved);
        }
        assert_true(n > 10);
    }
}

/* Memory that runs out while a problem is written; one failure alone is made up for by a smaller block. */
static void problem_files(void **state) {
    (void)state;
    for (int onwards = 0; onwards < 2; onwards++) {
        size_t failed = 0;
        bool more = true;
        for (size_t n = 0; more; n++) {
            counted c = {.fails = n, .onwards = onwards};
            rps_allocator allocator = {take, give_back, &c};
            rps_cone_problem problem;
            rps_error err = {.status = RPS_OK};
            assert_int_equal(rps_cone_problem_parse(&problem, NULL, "stack", stack, sizeof stack - 1, &err), RPS_OK);
            problem.allocator = &allocator;
            const rps_status status = rps_cone_problem_write("/dev/null", &problem, "# two spheres\n", &err);
            more = c.made > c.fails;
            failed += status != RPS_OK;
            assert_true(c.blocks == 0 && c.bytes == 0);
            assert_true(status == RPS_OK || (more && status == RPS_NO_MEMORY && strlen(err.text) > 10));
            assert_true(!more || !onwards || status != RPS_OK);
            problem.allocator = NULL;
            rps_cone_problem_release(&problem);
        }
        assert_true((failed > 0) == (onwards != 0));
    }
}

/* --- the public interface ------------------------------------------------------------------------------------------ */

static bool stop_after_ten(void *context, const rps_world *world) {
    (void)context;
    return rps_world_steps(world) < 10;
}

static rps_run_options options_in(const char *directory, const rps_allocator *allocator) {
    rps_run_options options = rps_run_options_default();
    options.directory = directory;
    options.overwrite = true;
    options.threads = 1;
    options.allocator = allocator;
    return options;
}

/* A run of 20 steps, stopped after 10. */
static rps_status begin(const char *directory, const rps_allocator *allocator, rps_error *err) {
    static const char *const set[] = {"run.until=20 us", "output={frames: 5 us, series: 5 us, particles: end.csv}"};
    rps_run_options options = options_in(directory, allocator);
    options.text = text;
    options.text_bytes = sizeof text - 1;
    options.variant = "other";
    options.set = set;
    options.sets = 2;
    options.each = stop_after_ten;
    return rps_run(&options, NULL, err);
}

/* Resumes it to another end, in the folder `other`; NULL: in place. */
static rps_status go_on(const char *directory, const char *other, const rps_allocator *allocator, rps_error *err) {
    rps_run_options options = options_in(other, allocator);
    options.resume = directory;
    options.until = "21 us";
    return rps_run(&options, NULL, err);
}

static void judge(const counted *c, rps_status status, const rps_error *err) {
    if (c->blocks || c->bytes) fail_msg("allocation %zu: %zu blocks of %zu bytes lost", c->fails, c->blocks, c->bytes);
    if (status != RPS_OK && status != RPS_NO_MEMORY) {
        fail_msg("allocation %zu: %s: %s", c->fails, rps_status_name(status), err->text);
    }
    assert_true(status == RPS_OK || strlen(err->text) > 10);
}

/* A run from its beginning; resumed in another folder; resumed in place. */
typedef enum { BEGIN, ELSEWHERE, IN_PLACE, KINDS } kind;

static rps_status run_of(kind k, const char *directory, const char *other, counted *c, rps_error *err) {
    rps_allocator allocator = {take, give_back, c};
    *err = (rps_error){.status = RPS_OK};
    if (k == IN_PLACE && begin(directory, NULL, err) != RPS_OK) fail_msg("%s", err->text);
    return k == BEGIN ? begin(directory, &allocator, err)
                      : go_on(directory, k == ELSEWHERE ? other : NULL, &allocator, err);
}

static void runs(void **state) {
    char directory[RPS_PATH], other[RPS_PATH];
    rps_error err;
    (void)state;
    make_directory(directory);
    make_directory(other);
    for (kind k = BEGIN; k < KINDS; k++) {
        counted whole = {.fails = SIZE_MAX, .site = site};
        if (k == ELSEWHERE && begin(directory, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
        if (run_of(k, directory, other, &whole, &err) != RPS_OK) fail_msg("%s", err.text);
        choose_points(&whole, 0, &chosen);
        assert_true(chosen.count > 80);
        /* in place, what was there is still there to go on from: looked at now and then, for it takes three runs */
        for (size_t p = 0; p < chosen.count; p += k == IN_PLACE ? 17 : 1) {
            counted c = {.fails = chosen.number[p]};
            rps_status status = run_of(k, directory, other, &c, &err);
            judge(&c, status, &err);
            if (k == IN_PLACE && status != RPS_OK && go_on(directory, NULL, NULL, &err) != RPS_OK) {
                fail_msg("after allocation %zu failed: %s", c.fails, err.text);
            }
        }
    }
    remove_directory(directory);
    remove_directory(other);
}

/* --- a program that steps a scene ---------------------------------------------------------------------------------- */

/* Opens the text or, if it is NULL, the checkpoint; steps, reads everything, and saves. */
static rps_status use_simulation(const char *scene_text, const char *path, const rps_allocator *allocator,
                                 rps_error *err) {
    rps_scene_options options = rps_scene_options_default();
    rps_scene *scene;
    rps_simulation *s;
    rps_probe_row row[16];
    rps_check_row check;
    size_t count;
    options.text = scene_text;
    options.text_bytes = scene_text ? strlen(scene_text) : 0;
    options.variant = scene_text ? "other" : NULL;
    options.resume = scene_text ? NULL : path;
    options.threads = 1;
    options.allocator = allocator;
    RPS_TRY(rps_scene_open(&options, &scene, err));
    rps_status status = rps_simulation_create(scene, &s, err);
    rps_scene_close(scene);
    if (status != RPS_OK) return status;
    status = rps_simulation_step(s, 10, err);
    if (status == RPS_OK) status = rps_simulation_probes(s, row, 16, &count, err);
    for (size_t i = 0; status == RPS_OK && i < rps_simulation_check_count(s); i++) {
        status = rps_simulation_check(s, i, &check, err);
    }
    if (status == RPS_OK) status = rps_simulation_save(s, path, err);
    read_world(rps_simulation_world(s));
    rps_simulation_destroy(s);
    return status;
}

static void simulations(void **state) {
    char directory[RPS_PATH], path[RPS_PATH];
    rps_error err = {.status = RPS_OK};
    (void)state;
    make_directory(directory);
    assert_int_equal(rps_path_join(path, directory, "saved.ckpt", &err), RPS_OK);
    for (int resumed = 0; resumed < 2; resumed++) {
        counted whole = {.fails = SIZE_MAX, .site = site};
        const rps_allocator counting = {take, give_back, &whole};
        if (use_simulation(resumed ? NULL : text, path, &counting, &err) != RPS_OK) fail_msg("%s", err.text);
        judge(&whole, RPS_OK, &err);
        choose_points(&whole, 0, &chosen);
        assert_true(chosen.count > 50);
        for (size_t p = 0; p < chosen.count; p++) {
            counted c = {.fails = chosen.number[p]};
            const rps_allocator allocator = {take, give_back, &c};
            /* each begins where the first one did */
            if (resumed && use_simulation(text, path, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
            err = (rps_error){.status = RPS_OK};
            const rps_status status = use_simulation(resumed ? NULL : text, path, &allocator, &err);
            judge(&c, status, &err);
        }
    }
    remove_directory(directory);
}

int main(void) {
    /* more than a thousand checkpoints that must reach the disk: in memory where there is such a folder */
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fails), cmocka_unit_test(all_fail_from_one_on), cmocka_unit_test(nonsmooth_steps),
        cmocka_unit_test(problems),  cmocka_unit_test(problem_files),        cmocka_unit_test(results),
        cmocka_unit_test(runs),      cmocka_unit_test(simulations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
