/*
 * Bodies of every shape, and clumps, fall on each other and on a shaken plane in a box that is periodic along x and y:
 * the same bits for any number of threads, any instruction set, any order of slots and evaluation, any number of steps a call,
 * and when the run is saved and goes on in another manner. Free of damping and friction, the energy of those without flats is kept to second
 * order whatever they touch each other with.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"

enum { SIDE = 4, LAYERS = 6, BODIES = SIDE * SIDE * LAYERS, STEPS = 3000, LATE = 20 };

typedef struct manner {
    int threads, isa;
    uint64_t shuffle, call; /* steps at a time */
} manner;

static char file[] = "/tmp/repose-shapes-XXXXXX";

/* Body number n; about 2 mm to 8 mm. round: only those without flats that meet in patches. */
static void add_shape(rps_world *world, uint64_t n, rps_vec3 x, bool round) {
    static const char *const name[] = {"ellipsoid",    "box",    "capsule", "cylinder",
                                       "superquadric", "sphere", "clump",   "box"};
    rps_body_def def = rps_body_def_default();
    const double s = uniform(1, n, 0.8, 1.0) * 1e-3;
    static const int smooth[] = {0, 3, 4, 5, 6, 0, 4, 3};
    const char *shape = name[round ? smooth[n % 8] : (int)(n % 8)];
    rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
    def.shape = shape;
    if (strcmp(shape, "ellipsoid") == 0) {
        def.parameter[0] = 2.0 * s;
        def.parameter[1] = 3.0 * s;
        def.parameter[2] = 4.5 * s;
    } else if (strcmp(shape, "superquadric") == 0) {
        def.parameter[0] = 3.0 * s;
        def.parameter[1] = 2.5 * s;
        def.parameter[2] = 4.0 * s;
        def.parameter[3] = 4.0;
        def.parameter[4] = 3.0;
    } else if (strcmp(shape, "box") == 0) {
        def.parameter[0] = 4.0 * s;
        def.parameter[1] = 5.0 * s;
        def.parameter[2] = 6.0 * s;
        def.parameter[3] = n % 16 == 1 ? 0.0 : 0.5 * s;
    } else if (strcmp(shape, "sphere") == 0) {
        def.radius = 3.5 * s;
    } else if (strcmp(shape, "clump") == 0) {
        for (int k = 0; k < 2; k++) {
            piece[k].shape = k == 0 ? "sphere" : "ellipsoid";
            piece[k].parameter[0] = 2.0 * s;
            piece[k].parameter[1] = 1.5 * s;
            piece[k].parameter[2] = 2.2 * s;
            piece[k].position[2] = k == 0 ? -1.5 * s : 2.2 * s;
        }
        def.piece = piece;
        def.pieces = 2;
        def.shape = NULL;
    } else {
        def.parameter[0] = 2.5 * s;
        def.parameter[1] = 4.0 * s;
    }
    rps_vec3 axis = random_vec(2, n);
    rps_quat q = rps_quat_normalize((rps_quat){uniform(3, n, -1.0, 1.0), axis.x, axis.y, axis.z});
    def.orientation[0] = q.w;
    def.orientation[1] = q.x;
    def.orientation[2] = q.y;
    def.orientation[3] = q.z;
    to_array(def.position, x);
    to_array(def.velocity, rps_vec3_add(rps_vec3_scale(random_vec(4, n), 0.2), rps_vec3_make(0.0, 0.0, -2.0)));
    to_array(def.angular_velocity, rps_vec3_scale(random_vec(5, n), 40.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static rps_world *set_up(const manner *m, rps_form form, bool friction, double step) {
    rps_world_options options = options_of(step);
    options.threads = m->threads;
    options.isa = m->isa >= 0 && rps_isa_supported((rps_isa)m->isa) ? m->isa : -1;
    options.shuffle = m->shuffle;
    options.gravity[2] = -9.81;
    options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF; /* of the lightest body; bits are compared here */
    options.period[0] = options.period[1] = SIDE * 0.0095;
    rps_pair pair = friction ? tracked_pair() : rps_pair_default();
    pair.form = form;
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    if (friction) {
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e2, NULL);
    }
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 5e8;
    material.poisson = 0.3;
    material.density = 2500.0;
    rps_world *world = world_of_material(&options, &pair, material);
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "plane";
    def.drive = (rps_drive){.amplitude = {0.0, 0.0, friction ? 2e-4 : 0.0}, .frequency = 100.0, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    return world;
}

static void fill(rps_world *world, bool round) {
    for (uint64_t k = 0; k < BODIES; k++) {
        add_shape(world, k,
                  rps_vec3_make(0.0095 * (double)(k % SIDE), 0.0095 * (double)(k / SIDE % SIDE),
                                0.006 + 0.0095 * (double)(k / (SIDE * SIDE))),
                  round);
    }
}

/* Steps with bodies coming in between, one in fifty steps. */
static void go(rps_world *world, uint64_t to, uint64_t call) {
    while (rps_world_steps(world) < to) {
        const uint64_t n = rps_world_steps(world);
        if (n % 50 == 0 && n / 50 < LATE) {
            add_shape(world, BODIES + n / 50,
                      rps_vec3_make(0.01 * (double)(n / 50 % 3), 0.01 * (double)(n / 150 % 3),
                                    0.08 + 0.012 * (double)(n / 450)),
                      false);
        }
        const uint64_t next = n + call < to ? n + call : to, insert = (n / 50 + 1) * 50;
        advance(world, (next < insert ? next : insert) - n);
    }
}

static void compare(rps_form form, uint64_t count) {
    const manner plain = {1, -1, 0, 1};
    static const manner manners[] = {{2, -1, 0, 50}, {3, RPS_ISA_SSE2, 0, 7}, {1, RPS_ISA_AVX2, 0, 25}, {1, -1, 5, 3}};
    enum { MANNERS = sizeof manners / sizeof *manners };
    uint64_t end[2], hash[2];
    rps_world *world = set_up(&plain, form, true, 4e-6);
    fill(world, false);
    go(world, STEPS, plain.call);
    MUST(rps_world_hash(world, end, ERR));
    SAY("%d contacts of %d bodies\n", (int)rps_world_contact_count(world), (int)rps_world_body_count(world));
    assert_true(rps_world_contact_count(world) > 8);
    rps_world_destroy(world);
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t at = k == 0 ? STEPS : rps_random_index(18, RPS_RANDOM_TEST, 1, k, STEPS);
        world = set_up(&manners[k], form, true, 4e-6);
        fill(world, false);
        go(world, at, manners[k].call);
        if (k > 0) { /* saved, and continued in the manner of the next */
            MUST(rps_world_save(world, file, ERR));
            rps_world *other = set_up(&manners[(k + 1) % MANNERS], form, true, 4e-6);
            MUST(rps_world_restore(other, file, ERR));
            rps_world_destroy(world);
            world = other;
            go(world, STEPS, manners[(k + 1) % MANNERS].call);
        }
        MUST(rps_world_hash(world, hash, ERR));
        if (memcmp(hash, end, sizeof hash) != 0) fail_msg("manner %d, saved at %d: another state", (int)k, (int)at);
        rps_world_destroy(world);
    }
}

static void test_symmetric(void **state) {
    (void)state;
    compare(rps_form_symmetric(), 4);
}

static void test_paper(void **state) {
    (void)state;
    compare(rps_form_paper(), 2);
}

static double residual_at(double step, double *kinetic) {
    const manner plain = {1, -1, 0, 1};
    rps_world *world = set_up(&plain, rps_form_symmetric(), false, step);
    fill(world, true);
    double worst = 0.0;
    for (int k = 0; k < 10; k++) {
        advance(world, (uint64_t)(1.2e-3 / step + 0.5));
        rps_ledger ledger = ledger_of(world);
        *kinetic = ledger.kinetic_translation + ledger.kinetic_rotation;
        worst = fabs(ledger.residual) > worst ? fabs(ledger.residual) : worst;
    }
    rps_world_destroy(world);
    return worst;
}

/* Hundreds of collisions; chaos makes runs of different steps different runs, so that the ratio scatters about 4. */
static void test_energy(void **state) {
    (void)state;
    double kinetic, coarse = residual_at(4e-6, &kinetic), fine = residual_at(2e-6, &kinetic);
    SAY("residual %.3g J at 4e-6 s, %.3g J at 2e-6 s, kinetic %.3g J\n", coarse, fine, kinetic);
    ASSERT_BELOW(coarse, 1e-3 * kinetic);
    ASSERT_BELOW(fine, 0.6 * coarse); /* 1/4 if the runs were the same */
}

int main(void) {
    int descriptor = mkstemp(file);
    if (descriptor < 0) return 1;
    close(descriptor);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_energy),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
