/*
 * Loads that a program applies: motion under them against closed forms, their work in the ledger, the same bits for any
 * threads and instruction set and across a restart, in both steppers.
 */
#include "worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "world/world.h"

static rps_world *make(rps_stepper stepper, rps_integrator integrator, double step, int threads, int isa) {
    rps_world_options options = options_of(step);
    options.stepper = stepper;
    options.integrator = integrator;
    options.threads = threads;
    options.isa = isa;
    const rps_pair pair = tracked_pair();
    return world_of(&options, &pair);
}

/* A constant force and torque on a ball: v = F t/m, w = T t/I, work = (F t)^2/2m + (T t)^2/2I. */
static void test_constant_load(void **state) {
    (void)state;
    const double force[3] = {0.3, -0.1, 0.2}, torque[3] = {1e-4, 2e-4, -3e-4}, t = 0.1, mass = 0.1, radius = 0.01;
    const double inertia = 0.4 * mass * radius * radius;
    for (int n = 0; n < 3; n++) {
        rps_world *world =
            make(n == 2 ? RPS_NONSMOOTH : RPS_PENALTY, n == 1 ? RPS_HALF_IMPLICIT : RPS_VERLET, 1e-4, 1, -1);
        const uint64_t ball = add_ball(world, rps_vec3_zero(), radius, mass, rps_vec3_zero(), rps_vec3_zero());
        MUST(rps_world_hold_load(world, ball, force, torque, ERR));
        advance(world, 1000);
        const rps_vec3 v = velocity_of(world, ball), w = turning_of(world, ball);
        const double f[3] = {v.x, v.y, v.z}, g[3] = {w.x, w.y, w.z};
        double work = 0.0;
        for (int k = 0; k < 3; k++) { /* 1000 roundings of sums */
            ASSERT_NEAR(f[k], force[k] * t / mass, 1e-13);
            ASSERT_NEAR(g[k], torque[k] * t / inertia, 1e-11);
            work += 0.5 * (force[k] * t) * (force[k] * t) / mass + 0.5 * (torque[k] * t) * (torque[k] * t) / inertia;
        }
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(ledger.external, work, 1e-12 * work);
        ASSERT_NEAR(ledger.residual, 0.0, 1e-12 * work);
        MUST(rps_world_hold_load(world, ball, NULL, NULL, ERR));
        advance(world, 100);
        ASSERT_NEAR(velocity_of(world, ball).x, f[0], 0.0);
        rps_world_destroy(world);
    }
}

/* A load of one step is an impulse, whether steps are made one by one or together. */
static void test_load_of_one_step(void **state) {
    (void)state;
    const double force[3] = {5.0, 0.0, 0.0}, mass = 0.1, step = 1e-4;
    for (int n = 0; n < 2; n++) {
        rps_world *world = make(n ? RPS_NONSMOOTH : RPS_PENALTY, RPS_VERLET, step, 1, -1);
        const uint64_t ball = add_ball(world, rps_vec3_zero(), 0.01, mass, rps_vec3_zero(), rps_vec3_zero());
        const double half[3] = {2.5, 0.0, 0.0}, at[3] = {0.0, 0.01, 0.0};
        MUST(rps_world_apply_load(world, ball, half, NULL, ERR));
        MUST(rps_world_apply_force_at(world, ball, half, at, ERR)); /* loads add up */
        advance(world, 7);
        ASSERT_NEAR(velocity_of(world, ball).x, force[0] * step / mass, 1e-16);
        ASSERT_NEAR(turning_of(world, ball).z, -2.5 * 0.01 * step / (0.4 * mass * 1e-4), 1e-13);
        rps_world_destroy(world);
    }
}

/* Held against an incline's friction: a block on the ground that is pulled with less than mu N stays, with more it
 * slides, and friction takes the work. */
static void test_pull_against_friction(void **state) {
    (void)state;
    double residual[2];
    for (int n = 0; n < 2; n++) {
        rps_world_options options = options_of(n ? 1e-5 : 2e-5);
        options.gravity[2] = -10.0;
        const rps_pair pair = tracked_pair();
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0, 0, 1));
        rps_body_def def = rps_body_sphere(0.01);
        def.mass = 0.1;
        def.locked = true;
        def.position[2] = 0.01 - 0.1 * 10.0 / 1e5;
        uint64_t block;
        MUST(rps_world_add_body(world, &def, &block, ERR));
        const double weak[3] = {0.45, 0.0, 0.0}, strong[3] = {0.8, 0.0, 0.0};
        MUST(rps_world_hold_load(world, block, weak, NULL, ERR));
        advance(world, n ? 4000 : 2000);
        ASSERT_BELOW(fabs(velocity_of(world, block).x), 1e-3);
        MUST(rps_world_hold_load(world, block, strong, NULL, ERR));
        const double before = velocity_of(world, block).x;
        advance(world, n ? 10000 : 5000);
        /* kinetic 0.4 of 1 N: (0.8 - 0.4)/0.1 over 0.1 s; 1 %: when it begins to slide */
        ASSERT_NEAR(velocity_of(world, block).x - before, 0.4, 4e-3);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_ABOVE(ledger.external, 0.01);
        residual[n] = fabs(ledger.residual) / ledger.external;
        rps_world_destroy(world);
    }
    SAY("residual over work %.3g, half the step %.3g\n", residual[0], residual[1]);
    ASSERT_BELOW(residual[0], 1e-4);
    /* at least first order: the load jumps, and sliding begins between steps */
    ASSERT_BELOW(residual[1], 0.6 * residual[0] + 1e-9);
}

/* --- the same bits ------------------------------------------------------------------------------------------------- */

static rps_world *heap(rps_stepper stepper, int threads, int isa) {
    rps_world_options options = options_of(5e-5);
    options.stepper = stepper;
    options.threads = threads;
    options.isa = isa;
    options.gravity[2] = -10.0;
    options.contacts = true;
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    for (uint64_t n = 0; n < 150; n++) {
        rps_body_def def = n % 3 ? rps_body_sphere(0.01) : rps_body_box(0.015, 0.012, 0.018, 0.001);
        def.mass = 0.1;
        def.position[0] = 0.021 * (double)(n % 5) + uniform(1, n, -1e-4, 1e-4);
        def.position[1] = 0.021 * (double)(n / 5 % 5);
        def.position[2] = 0.02 + 0.022 * (double)(n / 25);
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

/* Pushes, throws, moves and removes bodies while they touch. */
static void meddle(rps_world *world, int round) {
    for (uint64_t id = 1; id < 151; id += 7) {
        const double force[3] = {0.3 * (round + 1), 0.0, -0.2}, torque[3] = {0.0, 1e-3, 0.0}, v[3] = {0.0, 0.1, 0.0};
        if (!rps_world_has_body(world, id)) continue;
        if (id % 2) MUST(rps_world_hold_load(world, id, force, torque, ERR));
        if (id % 2 == 0) MUST(rps_world_apply_load(world, id, force, NULL, ERR));
        if (id % 5 == 0) MUST(rps_world_set_velocity(world, id, v, ERR));
        if (id % 5 == 1) MUST(rps_world_set_angular_velocity(world, id, v, ERR));
    }
    const uint64_t moved = 40 + (uint64_t)round;
    const double place[3] = {0.3 + 0.05 * round, 0.0, 0.1};
    const uint64_t removed[2] = {13 + 3 * (uint64_t)round, 60 + (uint64_t)round};
    MUST(rps_world_set_position(world, moved, place, ERR));
    MUST(rps_world_remove_bodies(world, removed, 2, ERR));
    add_ball(world, rps_vec3_make(0.04, 0.04, 0.3 + 0.05 * round), 0.01, 0.1, rps_vec3_make(0, 0, -1), rps_vec3_zero());
}

static void hash_of(const rps_world *world, uint64_t hash[2]) {
    MUST(rps_world_hash(world, hash, ERR));
}

static void test_same_bits(void **state) {
    (void)state;
    for (int stepper = 0; stepper < 2; stepper++) {
        uint64_t first[2] = {0};
        for (int variant = 0; variant < 4; variant++) {
            const int isa = variant % 2 ? 0 : -1, threads = variant / 2 ? 4 : 1;
            rps_world *world = heap(stepper ? RPS_NONSMOOTH : RPS_PENALTY, threads, isa);
            char path[] = "/tmp/repose-loads-XXXXXX";
            const int file = mkstemp(path);
            assert_true(file >= 0);
            close(file);
            for (int round = 0; round < 4; round++) {
                advance(world, 100);
                meddle(world, round);
                if (variant != 3 || round != 2) continue;
                /* saved with loads that wait for their step, contacts that ended and ids that are missing */
                uint64_t before[2], after[2];
                hash_of(world, before);
                MUST(rps_world_save(world, path, ERR));
                rps_world_destroy(world);
                world = heap(stepper ? RPS_NONSMOOTH : RPS_PENALTY, 2, -1);
                MUST(rps_world_restore(world, path, ERR));
                hash_of(world, after);
                assert_memory_equal(before, after, sizeof before);
                assert_false(rps_world_has_body(world, 13));
            }
            advance(world, 100);
            uint64_t hash[2];
            hash_of(world, hash);
            if (variant == 0) memcpy(first, hash, sizeof first);
            assert_memory_equal(first, hash, sizeof first);
            const rps_ledger ledger = ledger_of(world);
            SAY("residual %.3g, external %.3g, removed %.3g J\n", ledger.residual, ledger.external, ledger.removed);
            unlink(path);
            rps_world_destroy(world);
        }
    }
}

/* Loads of many bodies give the bits of single calls, from arrays with any stride, for all bodies or for those named; a body
 * that is not free refuses them all. */
static void test_loads_of_many(void **state) {
    (void)state;
    uint64_t ids[] = {3, 1, 2}, hash[3][2];
    double rows[3][8], some[3][3] = {{0}};
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 8; c++) rows[k][c] = sin(1.0 + 8 * k + c);
    }
    for (int n = 0; n < 3; n++) {
        rps_world *world = make(RPS_PENALTY, RPS_VERLET, 1e-4, 1, -1);
        for (int k = 0; k < 4; k++)
            add_ball(world, rps_vec3_make(0.1 * k, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
        const rps_array force = {rows, sizeof rows[0]}, torque = {&rows[0][4], sizeof rows[0]}, none = {NULL, 0};
        if (n == 0) {
            MUST(rps_world_apply_loads(world, ids, 3, force, torque, ERR));
            MUST(rps_world_hold_loads(world, ids, 3, torque, none, ERR));
        } else if (n == 1) {
            for (int k = 0; k < 3; k++) {
                MUST(rps_world_apply_load(world, ids[k], rows[k], &rows[k][4], ERR));
                MUST(rps_world_hold_load(world, ids[k], &rows[k][4], NULL, ERR));
            }
        } else { /* ids 0 to 3 in their order, the first without a load */
            double all[2][4][3] = {{{0}}};
            for (int k = 0; k < 3; k++) {
                memcpy(all[0][ids[k]], rows[k], sizeof all[0][0]);
                memcpy(all[1][ids[k]], &rows[k][4], sizeof all[0][0]);
            }
            MUST(rps_world_apply_loads(world, NULL, 4, (rps_array){all[0], 0}, (rps_array){all[1], 0}, ERR));
            MUST(rps_world_hold_loads(world, NULL, 4, (rps_array){all[1], 0}, none, ERR));
        }
        const uint64_t ground = add_ground(world, rps_vec3_make(0, 0, 1));
        if (n == 0) { /* the load of ball 0 would show in the hash */
            const uint64_t bad[] = {0, ground};
            some[0][0] = 1.0;
            rps_error err = {0};
            assert_int_equal(rps_world_apply_loads(world, bad, 2, (rps_array){some, 0}, none, &err), RPS_BAD_INPUT);
            assert_non_null(strstr(err.text, "is fixed"));
            assert_int_equal(rps_world_hold_loads(world, bad, 2, (rps_array){some, 0}, none, &err), RPS_BAD_INPUT);
        }
        advance(world, 10);
        hash_of(world, hash[n]);
        rps_world_destroy(world);
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    assert_memory_equal(hash[0], hash[2], sizeof hash[0]);
}

/* Forces alone, in one call or body by body: the same bits over several steps, with bodies that are named twice, that have a load
 * already, or that get 0; a refused call leaves all bodies as they were. */
static void test_forces_of_many(void **state) {
    (void)state;
    const uint64_t ids[] = {3, 0, 1, 3, 2}, bad[] = {2, 1, 4};
    const double first[3] = {0.0, -0.0, 0.25};
    uint64_t hash[2][2];
    for (int single = 0; single < 2; single++) {
        rps_world *world = make(RPS_PENALTY, RPS_VERLET, 1e-4, 1, -1);
        for (int k = 0; k < 4; k++)
            add_ball(world, rps_vec3_make(0.1 * k, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
        add_ground(world, rps_vec3_make(0, 0, 1));
        for (int n = 0; n < 12; n++) {
            const size_t named = n % 3 == 0 ? 5 : 3; /* without and with a body that comes twice */
            double force[5][3], wrong[3][3] = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {0.0, 0.0, 0.0}};
            for (int k = 0; k < 15; k++) force[k / 3][k % 3] = k / 3 == 1 ? -0.0 : cos(1.0 + 15 * n + k);
            if (n % 4 == 1) MUST(rps_world_apply_load(world, 1, first, NULL, ERR));
            for (size_t k = 0; k < named && single; k++) MUST(rps_world_apply_load(world, ids[k], force[k], NULL, ERR));
            if (!single) {
                const rps_array none = {NULL, 0};
                rps_error err;
                assert_int_equal(rps_world_apply_loads(world, bad, 3, (rps_array){wrong, 0}, none, &err),
                                 RPS_BAD_INPUT);
                assert_non_null(strstr(err.text, "is fixed"));
                wrong[1][2] = NAN;
                assert_int_equal(rps_world_apply_loads(world, bad, 2, (rps_array){wrong, 0}, none, &err),
                                 RPS_BAD_INPUT);
                assert_non_null(strstr(err.text, "force"));
                MUST(rps_world_apply_loads(world, ids, named, (rps_array){force, 0}, none, ERR));
            }
            advance(world, 1);
        }
        advance(world, 3); /* the forces have ended */
        hash_of(world, hash[single]);
        rps_world_destroy(world);
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
}

/* Forces alone on runs of neighbors of any length, several bodies at a time, move them by the same bits as forces that come
 * with a torque, one body at a time; with every instruction set, and with the work that closed forms give. */
static void test_runs_of_forces(void **state) {
    (void)state;
    enum { BALLS = 70, STEPS = 5 };
    const double mass = 0.1, step = 5e-5;
    for (int n = 0; n < 2 * RPS_ISA_COUNT; n++) {
        const rps_integrator integrator = n % 2 ? RPS_HALF_IMPLICIT : RPS_VERLET;
        if (!rps_isa_supported((rps_isa)(n / 2))) continue;
        rps_world *world[2]; /* without and with torques */
        double force[BALLS][3], torque[BALLS][3], work = 0.0;
        for (int b = 0; b < 2; b++) {
            world[b] = make(RPS_PENALTY, integrator, step, 1, n / 2);
            for (int k = 0; k < BALLS; k++) {
                add_ball(world[b], rps_vec3_make(0.1 * k, 0, 1), 0.01, mass, rps_vec3_zero(), rps_vec3_zero());
            }
        }
        for (int k = 0, run = 1, left = 1; k < BALLS;
             k++, left--) { /* runs of 1, 2, 3 ... with one body between them */
            if (left == 0) left = ++run;
            for (int c = 0; c < 3; c++) {
                force[k][c] = left == 1 ? 0.0 : sin(1.0 + 3 * k + c);
                torque[k][c] = 1e-6 * cos(1.0 + 3 * k + c);
                work += 0.5 * (force[k][c] * STEPS * step) * (force[k][c] * STEPS * step) / mass;
            }
        }
        for (int t = 0; t < STEPS; t++) {
            const rps_array none = {NULL, 0};
            MUST(rps_world_apply_loads(world[0], NULL, BALLS, (rps_array){force, 0}, none, ERR));
            MUST(rps_world_apply_loads(world[1], NULL, BALLS, (rps_array){force, 0}, (rps_array){torque, 0}, ERR));
            for (int b = 0; b < 2; b++) advance(world[b], 1);
        }
        for (uint64_t id = 0; id < BALLS; id++) {
            const rps_vec3 v = velocity_of(world[0], id), general = velocity_of(world[1], id);
            assert_memory_equal(&v, &general, sizeof v);
        }
        ASSERT_NEAR(ledger_of(world[0]).external, work, 1e-12 * work); /* 5 roundings of each of 70 sums */
        for (int b = 0; b < 2; b++) rps_world_destroy(world[b]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_load),         cmocka_unit_test(test_load_of_one_step),
        cmocka_unit_test(test_pull_against_friction), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_loads_of_many),         cmocka_unit_test(test_forces_of_many),
        cmocka_unit_test(test_runs_of_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
