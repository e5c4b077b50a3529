/*
 * Removed bodies: their energy goes into the ledger's own term, the rest goes on as if they had never been near, their
 * ids stay unknown, and everything that goes by id copes with the gap.
 */
#include "worlds.h"

#include "world/world.h"

static rps_world *pile(rps_stepper stepper, double step, uint64_t shuffle) {
    rps_world_options options = options_of(step);
    options.stepper = stepper;
    options.gravity[2] = -10.0;
    options.contacts = true;
    options.shuffle = shuffle;
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    return world;
}

static double energy_of(const rps_ledger *l) {
    double sum = l->kinetic_translation + l->kinetic_rotation + l->gravity;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) sum += l->elastic[role];
    return sum;
}

/* A column of three balls at rest under its weight. */
static void test_energy_leaves(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        rps_world *world = pile(n ? RPS_NONSMOOTH : RPS_PENALTY, 5e-5, 0);
        const double mass = 0.1, k = 1e5, g = 10.0;
        double z = 0.0;
        uint64_t id[3];
        for (int b = 0; b < 3; b++) { /* overlaps of equilibrium, below each ball; the last contact is between balls */
            z += (b ? 0.02 : 0.01) - (3 - b) * mass * g / k;
            id[b] = add_ball(world, rps_vec3_make(0, 0, z), 0.01, mass, rps_vec3_zero(), rps_vec3_zero());
        }
        advance(world, 100);
        const rps_ledger before = ledger_of(world);
        MUST(rps_world_remove_bodies(world, &id[2], 1, ERR));
        const rps_ledger after = ledger_of(world);
        /* the energy that is missing is the removed one: round-off of sums of 0.1 J */
        ASSERT_NEAR(energy_of(&before) - energy_of(&after), after.removed, 1e-14);
        ASSERT_NEAR(after.residual, before.residual, 1e-14);
        const double elastic = 0.5 * (mass * g) * (mass * g) / k;
        ASSERT_NEAR(after.removed, mass * g * z + elastic, n ? 1e-4 : 1e-6);
        advance(world, 4000);
        const rps_ledger end = ledger_of(world);
        SAY("%s: residual %.3g J, removed %.6g J\n", n ? "nonsmooth" : "penalty", end.residual, end.removed);
        /* the ball below feels the last load for half a step: m g v dt/2 with v = g dt/2 is 1e-9 J */
        ASSERT_NEAR(end.residual, before.residual, n ? 1e-4 : 2e-8);
        rps_world_destroy(world);
    }
}

static void fill(rps_world *world) {
    for (uint64_t n = 0; n < 120; n++) {
        rps_body_def def = n % 4 ? rps_body_sphere(0.01) : rps_body_ellipsoid(0.012, 0.009, 0.01);
        def.mass = 0.1;
        def.position[0] = 0.021 * (double)(n % 5) + uniform(1, n, -1e-4, 1e-4);
        def.position[1] = 0.021 * (double)(n / 5 % 5);
        def.position[2] = 0.012 + 0.024 * (double)(n / 25);
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
}

/* Slots are shuffled in one of two worlds, so that removal may not depend on them. */
static void test_gap_in_ids(void **state) {
    (void)state;
    uint64_t hash[2][2];
    for (int n = 0; n < 2; n++) {
        rps_world *world = pile(RPS_PENALTY, 5e-5, n ? 7 : 0);
        fill(world);
        advance(world, 2000);
        uint64_t gone[40];
        for (uint64_t k = 0; k < 40; k++) gone[k] = 3 * k + 1;
        const rps_ledger before = ledger_of(world);
        MUST(rps_world_remove_bodies(world, gone, 40, ERR));
        const rps_ledger after = ledger_of(world);
        ASSERT_NEAR(energy_of(&before) - energy_of(&after), after.removed, 1e-12);
        assert_int_equal(rps_world_body_count(world), 81);
        assert_int_equal(rps_world_id_end(world), 121);
        double x[3], f[3], t[3];
        rps_error err = {0};
        assert_int_equal(rps_world_body_position(world, 4, x, &err), RPS_BAD_INPUT);
        assert_non_null(strstr(err.text, "body 4 was removed"));
        assert_int_equal(rps_world_body_load(world, 4, f, t, &err), RPS_BAD_INPUT);
        assert_int_equal(rps_world_remove_bodies(world, gone, 1, &err), RPS_BAD_INPUT);
        assert_true(rps_world_slot(world, 4) == SIZE_MAX && rps_world_slot(world, 5) != SIZE_MAX);
        const uint64_t id =
            add_ball(world, rps_vec3_make(0.05, 0.05, 0.4), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
        assert_int_equal(id, 121);
        advance(world, 2000);
        const rps_contact *contact;
        size_t count;
        MUST(rps_world_contact_view(world, &contact, &count, ERR));
        assert_true(count > 0);
        for (size_t c = 0; c < count; c++) {
            assert_true(rps_world_has_body(world, contact[c].id_i) && rps_world_has_body(world, contact[c].id_j));
        }
        MUST(rps_world_hash(world, hash[n], ERR));
        rps_world_destroy(world);
    }
    assert_memory_equal(hash[0], hash[1], sizeof *hash);
}

/* Bodies far from the removed ones keep their bits: contacts, histories and motion. */
static void test_others_keep_their_bits(void **state) {
    (void)state;
    rps_vec3 end[2][25];
    for (int n = 0; n < 2; n++) {
        rps_world *world = pile(RPS_PENALTY, 5e-5, 0);
        for (int b = 0; b < 50; b++) { /* two heaps, apart; the second comes later by id */
            const double x = 0.0199 * (b % 5) + (b < 25 ? 0.0 : 1.0), y = 0.0199 * (b / 5 % 5);
            add_ball(world, rps_vec3_make(x, y, 0.0099), 0.01, 0.1, rps_vec3_make(0.05, 0, 0), rps_vec3_zero());
        }
        advance(world, 300);
        uint64_t gone[25];
        for (uint64_t k = 0; k < 25; k++) gone[k] = 1 + k;
        if (n) MUST(rps_world_remove_bodies(world, gone, 25, ERR));
        advance(world, 300);
        for (uint64_t k = 0; k < 25; k++) end[n][k] = position_of(world, 26 + k);
        rps_world_destroy(world);
    }
    assert_memory_equal(end[0], end[1], sizeof *end);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = pile(RPS_PENALTY, 5e-5, 0);
    rps_body_def wall = rps_body_plane(0, 0, -1);
    wall.kind = RPS_BODY_DRIVEN;
    wall.position[2] = 1.0;
    wall.drive.kind = RPS_DRIVE_PRESSURE;
    wall.drive.target = 1e3;
    wall.drive.spans = 2;
    for (int k = 0; k < 4; k++) { /* four side walls, which the drive measures */
        const double sign = k % 2 ? -1.0 : 1.0;
        rps_body_def side = k < 2 ? rps_body_plane(sign, 0, 0) : rps_body_plane(0, sign, 0);
        side.position[k / 2] = -sign;
        uint64_t id;
        MUST(rps_world_add_body(world, &side, &id, ERR));
        wall.drive.span[k / 2][k % 2] = id;
    }
    uint64_t top, twice[2];
    MUST(rps_world_add_body(world, &wall, &top, ERR));
    rps_error err;
    assert_int_equal(rps_world_remove_bodies(world, &top, 1, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "driven"));
    twice[0] = 1;
    assert_int_equal(rps_world_remove_bodies(world, twice, 1, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "the drive of plane 5 names it"));
    const uint64_t ball = add_ball(world, rps_vec3_make(0, 0, 0.5), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    twice[0] = twice[1] = ball;
    assert_int_equal(rps_world_remove_bodies(world, twice, 2, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "twice"));
    assert_true(rps_world_has_body(world, ball));
    MUST(rps_world_remove_bodies(world, &ball, 1, ERR));
    MUST(rps_world_remove_bodies(world, NULL, 0, ERR));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_leaves),
        cmocka_unit_test(test_gap_in_ids),
        cmocka_unit_test(test_others_keep_their_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
