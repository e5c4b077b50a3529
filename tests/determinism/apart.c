/*
 * Pairs that are known to be apart are not evaluated (src/step/apart.h), and no bit shows it: every run here is
 * repeated with all notes dropped before each step, so that every pair is evaluated always, and the states are compared
 * by their hashes at many times. Boxes, cylinders, capsules, ellipsoids and a clump lie between periodic sides on a
 * plane that shakes, with a driven box that turns fast in one place, and a plane that leans to and fro; bodies come in and
 * are removed; runs are saved while pairs are apart, and go on with other threads, kernels and orders.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"
#include "step/apart.h"
#include "world/world.h"

enum { SIDE = 4, LAYERS = 4, BODIES = SIDE * SIDE * LAYERS, STEPS = 3000, EVERY = 100, NEW = 400, GONE = 700 };

typedef struct manner {
    int threads, isa;
    uint64_t shuffle;
    bool always; /* evaluate every pair in every step */
} manner;

static const manner plain = {1, -1, 0, false};
static char file[] = "/tmp/repose-apart-XXXXXX";

static rps_world *empty_world(const manner *m, bool periodic) {
    rps_world_options options = options_of(4e-6);
    options.threads = m->threads;
    options.isa = m->isa >= 0 && rps_isa_supported((rps_isa)m->isa) ? m->isa : -1;
    options.shuffle = m->shuffle;
    options.gravity[2] = -9.81;
    options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF; /* of the lightest body; bits are compared here */
    if (periodic) options.period[0] = options.period[1] = SIDE * 0.0095;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 2e4, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.2, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 4e3, NULL);
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.density = 2500.0;
    return world_of_material(&options, &pair, material);
}

/* --- a crowd of all shapes ------------------------------------------------------------------------------------------ */

static void shape_of(rps_body_def *def, rps_piece_def piece[2], uint64_t n) {
    const double s = uniform(1, n, 0.8, 1.0) * 1e-3;
    static const char *const name[] = {"box", "cylinder", "capsule", "box", "ellipsoid", "clump", "cylinder"};
    def->shape = name[n % 7];
    const double box[4] = {5.0 * s, 6.0 * s, 7.0 * s, n % 2 == 0 ? 0.0 : 0.5 * s}, round[2] = {2.5 * s, 5.0 * s};
    const double ellipsoid[3] = {2.0 * s, 3.0 * s, 4.5 * s};
    switch (n % 7) {
    case 0:
    case 3:
        memcpy(def->parameter, box, sizeof box);
        break;
    case 4:
        memcpy(def->parameter, ellipsoid, sizeof ellipsoid);
        break;
    case 5:
        for (int k = 0; k < 2; k++) {
            piece[k] = rps_piece_def_default();
            piece[k].shape = k == 0 ? "box" : "sphere";
            for (int side = 0; side < 3; side++) piece[k].parameter[side] = k == 0 ? 4.0 * s : 2.0 * s;
            piece[k].position[2] = k == 0 ? -1.5 * s : 2.2 * s;
        }
        def->shape = NULL;
        def->piece = piece;
        def->pieces = 2;
        break;
    default:
        memcpy(def->parameter, round, sizeof round);
    }
}

static void add_shape(rps_world *world, uint64_t n, rps_vec3 x) {
    rps_body_def def = rps_body_def_default();
    rps_piece_def piece[2];
    shape_of(&def, piece, n);
    const rps_vec3 axis = random_vec(2, n);
    const rps_quat q = rps_quat_normalize((rps_quat){uniform(3, n, -1.0, 1.0), axis.x, axis.y, axis.z});
    memcpy(def.orientation, (const double[4]){q.w, q.x, q.y, q.z}, sizeof def.orientation);
    to_array(def.position, x);
    to_array(def.velocity, rps_vec3_add(rps_vec3_scale(random_vec(4, n), 0.2), rps_vec3_make(0.0, 0.0, -2.0)));
    to_array(def.angular_velocity, rps_vec3_scale(random_vec(5, n), 40.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static rps_world *set_up_crowd(const manner *m) {
    rps_world *world = empty_world(m, true);
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "plane";
    def.normal[2] = 1.0;
    def.drive = (rps_drive){.amplitude = {0.0, 0.0, 2e-4}, .frequency = 100.0, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "box";
    for (int k = 0; k < 3; k++) def.parameter[k] = k == 0 ? 0.012 : 0.003;
    to_array(def.position, rps_vec3_make(0.019, 0.019, 0.007));
    def.drive = (rps_drive){.angular_velocity = {0.0, 0.0, 300.0}, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    for (uint64_t k = 0; k < BODIES; k++) {
        add_shape(world, k,
                  rps_vec3_make(0.0095 * (double)(k % SIDE), 0.0095 * (double)(k / SIDE % SIDE),
                                0.016 + 0.0095 * (double)(k / (uint64_t)(SIDE * SIDE))));
    }
    return world;
}

/* Bodies come in and go between two steps. */
static void change_crowd(rps_world *world) {
    const uint64_t n = rps_world_steps(world), gone[] = {5, 17, 23};
    if (n % NEW == 0) add_shape(world, BODIES + n / NEW, rps_vec3_make(0.01, 0.02, 0.06 + 0.02 * (double)(n / NEW)));
    if (n == GONE) MUST(rps_world_remove_bodies(world, gone, 3, ERR));
}

/* --- few bodies in one place ---------------------------------------------------------------------------------------- */

static void add_driven_box(rps_world *world, rps_vec3 x, rps_vec3 size, rps_drive drive) {
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "box";
    to_array(def.parameter, size);
    to_array(def.position, x);
    def.drive = drive;
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static void add_grain(rps_world *world, const char *shape, double length, rps_vec3 x) {
    rps_body_def def = rps_body_def_default();
    def.shape = shape;
    def.parameter[0] = strcmp(shape, "box") == 0 ? 0.006 : 0.003;
    def.parameter[1] = strcmp(shape, "box") == 0 ? 0.006 : length;
    def.parameter[2] = length;
    to_array(def.position, x);
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

/* A box that turns about its middle meets grains with its ends, whose center does not move until then; one that goes to
 * and fro meets and leaves a cylinder and a capsule in every cycle, by far less than the lists allow for. A plane leans
 * over a tall box. */
static rps_world *set_up_few(const manner *m) {
    rps_world *world = empty_world(m, false);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const rps_vec3 bar = rps_vec3_make(0.02, 0.002, 0.003);
    add_driven_box(world, rps_vec3_make(0.0, 0.0, 0.004), bar,
                   (rps_drive){.angular_velocity = {0.0, 0.0, 60.0}, .until = -1.0});
    add_grain(world, "box", 0.006, rps_vec3_make(0.0, 0.0125, 0.003));
    add_grain(world, "cylinder", 0.006, rps_vec3_make(0.001, -0.0122, 0.003));
    add_driven_box(world, rps_vec3_make(0.04, 0.0, 0.004), bar,
                   (rps_drive){.amplitude = {0.0, 1.5e-4, 0.0}, .frequency = 300.0, .until = -1.0});
    add_grain(world, "cylinder", 0.006, rps_vec3_make(0.036, 0.0041, 0.003));
    add_grain(world, "capsule", 0.006, rps_vec3_make(0.042, -0.0041, 0.006));
    add_grain(world, "box", 0.012, rps_vec3_make(-0.06, 0.0, 0.006));
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "plane";
    def.normal[2] = -1.0;
    to_array(def.position, rps_vec3_make(-0.05, 0.0, 0.013));
    def.drive = (rps_drive){.angular_velocity = {0.0, -10.0, 0.0}, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    return world;
}

static void leave(rps_world *world) {
    (void)world;
}

/* --- comparison ----------------------------------------------------------------------------------------------------- */

typedef struct trial {
    rps_world *(*set_up)(const manner *m);
    void (*change)(rps_world *world);
} trial;

static void step_of(rps_world *world, const trial *t, bool always) {
    t->change(world);
    if (always) world->contacts.paths = 0;
    advance(world, 1);
}

/* Share of the listed pairs that the next evaluation leaves out as things are. */
static double left_out(const rps_world *world) {
    const rps_contacts *contacts = &world->contacts;
    size_t out = 0, all = 0;
    for (size_t s = 0; s < contacts->segments && contacts->paths > 0; s++) {
        const rps_segment *segment = &contacts->segment[s];
        for (size_t c = 0; c < segment->count && segment->record == RPS_RECORD_FRAME; c++, all++) {
            const size_t entry = segment->begin + c;
            out += !contacts->was_active[entry] &&
                   rps_apart_still(contacts, entry, segment->slot_i[c], segment->slot_j[c]);
        }
    }
    return all > 0 ? (double)out / (double)all : 0.0;
}

/* Hashes of the state every EVERY steps; returns the mean share of pairs that were left out. Counts contacts that began. */
static double run_trial(const trial *t, const manner *m, uint64_t (*hash)[2], size_t *begun) {
    rps_world *world = t->set_up(m);
    double share = 0.0;
    size_t before = 0;
    for (int k = 0; k < STEPS / EVERY; k++) {
        for (int n = 0; n < EVERY; n++) {
            step_of(world, t, m->always);
            const size_t now = rps_world_contact_count(world);
            if (begun != NULL && now > before) *begun += now - before;
            before = now;
        }
        MUST(rps_world_hash(world, hash[k], ERR));
        share += left_out(world) * EVERY / STEPS;
    }
    rps_world_destroy(world);
    return share;
}

static void compare_all(const trial *t, uint64_t (*expected)[2]) {
    static const manner manners[] = {{1, -1, 0, false}, {2, RPS_ISA_SSE2, 0, false}, {1, RPS_ISA_AVX2, 7, false}};
    static uint64_t hash[STEPS / EVERY][2];
    size_t begun = 0;
    const manner always = {1, -1, 0, true};
    const double none = run_trial(t, &always, expected, &begun);
    SAY("%d contacts began\n", (int)begun);
    assert_true(begun >= 20);
    assert_true(none >= 0.0);
    for (size_t m = 0; m < sizeof manners / sizeof *manners; m++) {
        const double share = run_trial(t, &manners[m], hash, NULL);
        SAY("manner %d: %.0f %% of the pairs are left out\n", (int)m, 100.0 * share);
        ASSERT_ABOVE(share, 0.05); /* else the notes are of no use, and this test of none */
        for (int k = 0; k < STEPS / EVERY; k++) {
            if (memcmp(hash[k], expected[k], sizeof hash[k]) == 0) continue;
            fail_msg("manner %d: another state at step %d than with every pair evaluated", (int)m, (k + 1) * EVERY);
        }
    }
}

static void continue_saved(const trial *t, uint64_t (*expected)[2], uint64_t at, const manner *m) {
    uint64_t hash[2];
    rps_world *world = t->set_up(&plain);
    while (rps_world_steps(world) < at) step_of(world, t, false);
    SAY("saved at %d with %.0f %% of the pairs left out\n", (int)at, 100.0 * left_out(world));
    MUST(rps_world_save(world, file, ERR));
    rps_world_destroy(world);
    world = t->set_up(m);
    MUST(rps_world_restore(world, file, ERR));
    while (rps_world_steps(world) < STEPS) {
        step_of(world, t, false);
        if (rps_world_steps(world) % EVERY != 0) continue;
        MUST(rps_world_hash(world, hash, ERR));
        const int k = (int)(rps_world_steps(world) / EVERY) - 1;
        if (memcmp(hash, expected[k], sizeof hash) != 0) {
            fail_msg("saved at %d: another state at step %d", (int)at, (k + 1) * EVERY);
        }
    }
    rps_world_destroy(world);
}

static void try_all(const trial *t) {
    static uint64_t expected[STEPS / EVERY][2];
    static const manner manners[] = {{2, -1, 0, false}, {1, RPS_ISA_SSE2, 3, false}};
    compare_all(t, expected);
    continue_saved(t, expected, 1350, &manners[0]);
    continue_saved(t, expected, 1601, &manners[1]);
}

static void test_crowd(void **state) {
    (void)state;
    try_all(&(trial){set_up_crowd, change_crowd});
}

static void test_few(void **state) {
    (void)state;
    try_all(&(trial){set_up_few, leave});
}

int main(void) {
    int descriptor = mkstemp(file);
    if (descriptor < 0) return 1;
    close(descriptor);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_few),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
