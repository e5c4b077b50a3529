/*
 * A saved state goes on bit for bit: spheres poured on a large turning sphere and a shaken plane, in a box that is
 * periodic along x and y, with all four laws, saved at random steps and continued with other numbers of threads, other
 * instruction sets and shuffled slots, in the compact and in the frame record.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"

enum { SIDE = 7, LAYERS = 5, STEPS = 3200, POURED = 40, SAVES = 8 };

typedef struct manner {
    int threads, isa;
    uint64_t shuffle;
} manner;

static char file[] = "/tmp/repose-restart-XXXXXX";

static rps_world *set_up(const manner *m, bool frames, bool paper, double gravity) {
    rps_world_options options = options_of(1e-5);
    options.threads = m->threads;
    options.isa = m->isa >= 0 && rps_isa_supported((rps_isa)m->isa) ? m->isa : -1;
    options.shuffle = m->shuffle;
    options.frames = frames;
    options.gravity[2] = gravity;
    options.period[0] = options.period[1] = SIDE * 0.01;
    rps_pair pair = tracked_pair();
    pair.form = paper ? rps_form_paper() : rps_form_symmetric();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e3, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "plane";
    def.normal[2] = 1.0;
    def.drive = (rps_drive){.amplitude = {0.0, 0.0, 1e-3}, .frequency = 200.0, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.radius = 0.015;
    def.position[0] = def.position[1] = 0.03;
    def.position[2] = 0.02;
    def.drive = (rps_drive){.angular_velocity = {3.0, 20.0, 1.0}, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    return world;
}

static void fill(rps_world *world) {
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        const double r = uniform(1, (uint64_t)k, 0.004, 0.0049);
        rps_vec3 x = {0.01 * (k % SIDE), 0.01 * (k / SIDE % SIDE + 0.3), 0.042 + 0.0097 * (k / (SIDE * SIDE))};
        add_ball(world, x, r, 1e4 * r * r * r,
                 rps_vec3_add(rps_vec3_scale(random_vec(2, (uint64_t)k), 0.3), rps_vec3_make(0.0, 0.0, -1.5)),
                 rps_vec3_scale(random_vec(3, (uint64_t)k), 60.0));
    }
}

/* Steps with bodies coming in between, one in ten steps. */
static void go(rps_world *world, uint64_t to) {
    while (rps_world_steps(world) < to) {
        const uint64_t n = rps_world_steps(world);
        if (n % 10 == 0 && n / 10 < POURED) {
            rps_vec3 x = {0.02 * (double)(n / 10 % 4), 0.02 * (double)(n / 40 % 3), 0.1 + 0.01 * (double)(n / 120)};
            add_ball(world, x, 0.004, 6e-4, rps_vec3_make(0.0, 0.3, -2.0), rps_vec3_make(50.0, 0.0, 9.0));
        }
        advance(world, 1);
    }
}

static void compare(bool frames, bool paper) {
    const manner plain = {1, -1, 0};
    static const manner manners[] = {{1, -1, 0}, {2, -1, 0}, {3, RPS_ISA_SSE2, 0}, {1, RPS_ISA_AVX2, 0}, {2, -1, 5}};
    enum { MANNERS = sizeof manners / sizeof *manners };
    uint64_t end[2], saved[2], hash[2];
    rps_world *world = set_up(&plain, frames, paper, -9.81);
    fill(world);
    go(world, STEPS);
    MUST(rps_world_hash(world, end, ERR));
    const rps_ledger ledger = ledger_of(world);
    SAY("%d contacts of %d bodies at the end\n", (int)rps_world_contact_count(world), (int)rps_world_body_count(world));
    assert_true(rps_world_contact_count(world) > 100);
    rps_world_destroy(world);
    for (uint64_t k = 0; k < SAVES; k++) {
        const uint64_t at = k == 0 ? 0 : rps_random_index(18, RPS_RANDOM_TEST, frames, k, STEPS);
        world = set_up(&manners[(k + 2) % MANNERS], frames, paper, -9.81);
        fill(world);
        if (k == 1) { /* a body that came in after the last step */
            go(world, 7);
            add_ball(world, rps_vec3_make(0.0, 0.0, 0.3), 0.004, 6e-4, rps_vec3_zero(), rps_vec3_zero());
        } else {
            go(world, at);
        }
        MUST(rps_world_save(world, file, ERR));
        MUST(rps_world_hash(world, saved, ERR));
        const size_t contacts = rps_world_contact_count(world);
        rps_world *other = set_up(&manners[k % MANNERS], frames, paper, -9.81);
        MUST(rps_world_restore(other, file, ERR));
        MUST(rps_world_hash(other, hash, ERR));
        assert_memory_equal(hash, saved, sizeof hash);
        assert_int_equal(rps_world_contact_count(other), contacts);
        if (k == 1) {
            go(world, STEPS);
            MUST(rps_world_hash(world, saved, ERR));
        } else {
            memcpy(saved, end, sizeof saved);
        }
        rps_world_destroy(world);
        go(other, STEPS);
        MUST(rps_world_hash(other, hash, ERR));
        if (memcmp(hash, saved, sizeof hash) != 0) {
            fail_msg("saved at step %d and continued: another state at step %d", (int)at, STEPS);
        }
        if (k != 1) { /* the books too */
            const rps_ledger now = ledger_of(other);
            assert_memory_equal(&now, &ledger, sizeof now);
        }
        rps_world_destroy(other);
    }
}

static void test_compact(void **state) {
    (void)state;
    compare(false, false);
}

static void test_frames_of_the_paper(void **state) {
    (void)state;
    compare(true, true);
}

/* A state comes back into a world that has gone on; into one of another set-up it does not, and says why. */
static void test_set_up(void **state) {
    (void)state;
    const manner plain = {1, -1, 0};
    uint64_t before[2], after[2], kept[2];
    rps_error err;
    rps_world *world = set_up(&plain, false, false, -9.81);
    fill(world);
    go(world, 60);
    MUST(rps_world_save(world, file, ERR));
    MUST(rps_world_hash(world, before, ERR));
    go(world, 200);
    MUST(rps_world_restore(world, file, ERR));
    MUST(rps_world_hash(world, after, ERR));
    assert_memory_equal(before, after, sizeof after);
    double force[3], torque[3];
    assert_int_equal(rps_world_body_load(world, 0, force, torque, &err), RPS_BAD_INPUT);
    advance(world, 1);
    MUST(rps_world_body_load(world, 0, force, torque, ERR));
    rps_world_destroy(world);

    world = set_up(&plain, false, false, -9.80);
    fill(world);
    MUST(rps_world_hash(world, before, ERR));
    assert_int_equal(rps_world_restore(world, file, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "gravity"));
    MUST(rps_world_hash(world, kept, ERR));
    assert_memory_equal(before, kept, sizeof kept);
    rps_world_destroy(world);

    world = set_up(&plain, false, true, -9.81);
    assert_int_equal(rps_world_restore(world, file, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "form"));
    rps_world_destroy(world);
}

static int make_file(void **state) {
    (void)state;
    int made = mkstemp(file);
    if (made < 0) return -1;
    close(made);
    return 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_frames_of_the_paper),
        cmocka_unit_test(test_set_up),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
