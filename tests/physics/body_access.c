/*
 * Bodies by id as a program sees them: what is set can be read, what means nothing is refused, and the ledger accounts
 * for every change. Tolerances: residuals of smooth motion are of second order in the step; where nothing touches,
 * round-off.
 */
#include "worlds.h"

#include "world/world.h"

static rps_world *falling_world(rps_stepper stepper) {
    rps_world_options options = options_of(5e-5);
    options.stepper = stepper;
    options.gravity[2] = -10.0;
    const rps_pair pair = tracked_pair();
    return world_of(&options, &pair);
}

static double residual_of(rps_world *world) {
    rps_ledger ledger;
    MUST(rps_world_ledger(world, &ledger, ERR));
    return ledger.residual;
}

#define REFUSED(call, ...)                                          \
    do {                                                            \
        rps_error refused = {0};                                    \
        const char *const word[] = {__VA_ARGS__};                   \
        assert_int_equal((call), RPS_BAD_INPUT);                    \
        for (size_t w = 0; w < sizeof word / sizeof *word; w++) {   \
            if (strstr(refused.text, word[w]) == NULL) {            \
                fail_msg("\"%s\" lacks %s", refused.text, word[w]); \
            }                                                       \
        }                                                           \
    } while (0)
#define WHY (&refused)

static void test_reading_what_was_set(void **state) {
    (void)state;
    rps_world *world = falling_world(RPS_PENALTY);
    const uint64_t ball = add_ball(world, rps_vec3_make(0, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    rps_body_def box = rps_body_box(0.01, 0.02, 0.03, 0.0);
    box.mass = 0.2;
    box.position[0] = 1.0;
    uint64_t id;
    MUST(rps_world_add_body(world, &box, &id, ERR));
    advance(world, 10);
    const double v[3] = {1, 2, 3}, w[3] = {4, 5, 6}, x[3] = {0.5, 0.25, -2.0}, q[4] = {2.0, 0.0, 0.0, 2.0};
    double back[4];
    const uint64_t both[2] = {ball, id};
    for (int n = 0; n < 2; n++) {
        MUST(rps_world_set_velocity(world, both[n], v, ERR));
        MUST(rps_world_set_angular_velocity(world, both[n], w, ERR));
        const double place[3] = {x[0] + n, x[1], x[2]};
        MUST(rps_world_set_position(world, both[n], place, ERR));
        MUST(rps_world_set_orientation(world, both[n], q, ERR));
        MUST(rps_world_body_velocity(world, both[n], back, ERR));
        assert_memory_equal(back, v, sizeof v);
        MUST(rps_world_body_angular_velocity(world, both[n], back, ERR));
        for (int k = 0; k < 3; k++) ASSERT_NEAR(back[k], w[k], 1e-14);
        MUST(rps_world_body_position(world, both[n], back, ERR));
        assert_memory_equal(back, place, sizeof place);
        MUST(rps_world_body_orientation(world, both[n], back, ERR));
        ASSERT_NEAR(back[0], sqrt(0.5), 1e-15);
        ASSERT_NEAR(back[3], sqrt(0.5), 1e-15);
    }
    /* nothing touches: sums of at most 100 J, rounded */
    ASSERT_NEAR(residual_of(world), 0.0, 1e-12);
    advance(world, 100);
    /* the box turns freely: its energy is kept to round-off of each of 100 steps; gravity by Verlet exactly */
    ASSERT_NEAR(residual_of(world), 0.0, 1e-11);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = falling_world(RPS_PENALTY);
    const uint64_t ground = add_ground(world, rps_vec3_make(0, 0, 1));
    const uint64_t ball = add_ball(world, rps_vec3_make(0, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    const uint64_t other = add_ball(world, rps_vec3_make(1, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    const double v[3] = {1, 2, 3}, bad[3] = {NAN, 0, 0}, q[4] = {1, 0, 0, 0}, zero[4] = {0};
    double x[3];
    REFUSED(rps_world_set_velocity(world, ground, v, WHY), "plane 0", "fixed", "velocity");
    REFUSED(rps_world_apply_load(world, ground, v, NULL, WHY), "plane 0", "fixed", "load");
    REFUSED(rps_world_set_velocity(world, ball, bad, WHY), "body 1", "finite");
    REFUSED(rps_world_set_position(world, ball, bad, WHY), "body 1", "finite");
    REFUSED(rps_world_hold_load(world, ball, bad, NULL, WHY), "force", "finite");
    REFUSED(rps_world_set_orientation(world, ball, zero, WHY), "quaternion");
    REFUSED(rps_world_set_orientation(world, ground, q, WHY), "plane 0", "normal");
    REFUSED(rps_world_body_position(world, 7, x, WHY), "id 7", "0 to 2");
    advance(world, 1);
    const double near[3] = {1.0, 0.0, 0.985};
    MUST(rps_world_body_position(world, ball, x, ERR));
    REFUSED(rps_world_set_position(world, ball, near, WHY), "body 1", "overlap", "body 2");
    double after[3];
    MUST(rps_world_body_position(world, ball, after, ERR));
    assert_memory_equal(x, after, sizeof x);
    assert_true(rps_world_has_body(world, other) && !rps_world_has_body(world, 3));
    assert_int_equal(rps_world_id_end(world), 3);
    rps_world_destroy(world);
}

/* A ball that rests on the ground is lifted, thrown and set down again. */
static double lift_residual(rps_stepper stepper, double step) {
    rps_world_options options = options_of(step);
    options.stepper = stepper;
    options.gravity[2] = -10.0;
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    const double overlap = 0.1 * 10.0 / 1e5;
    const uint64_t ball =
        add_ball(world, rps_vec3_make(0, 0, 0.01 - overlap), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    const uint64_t steps = (uint64_t)(0.01 / step + 0.5);
    advance(world, steps);
    const double up[3] = {0.1, 0.0, 0.02}, v[3] = {0.3, 0.0, -0.1}, push[3] = {0.2, 0.0, 0.0};
    MUST(rps_world_set_position(world, ball, up, ERR));
    ASSERT_NEAR(residual_of(world), 0.0, 1e-6); /* of the steps before alone */
    MUST(rps_world_set_velocity(world, ball, v, ERR));
    MUST(rps_world_hold_load(world, ball, push, NULL, ERR));
    advance(world, steps);
    rps_ledger ledger;
    MUST(rps_world_ledger(world, &ledger, ERR));
    ASSERT_ABOVE(fabs(ledger.external), 1e-3);
    rps_world_destroy(world);
    return ledger.residual;
}

static void test_ledger_of_a_lifted_ball(void **state) {
    (void)state;
    /* in the air nothing but constant loads act: round-off of energies of 0.1 J, and what the rest at first left */
    ASSERT_NEAR(lift_residual(RPS_PENALTY, 1e-5), 0.0, 1e-10);
    /* first order in the step: gravity acts with the speed at the end of a step */
    const double coarse = lift_residual(RPS_NONSMOOTH, 1e-4), fine = lift_residual(RPS_NONSMOOTH, 5e-5);
    SAY("nonsmooth: residual %.3g, half the step %.3g\n", coarse, fine);
    ASSERT_BELOW(fabs(fine), 0.6 * fabs(coarse) + 1e-12);
}

static void test_user_data(void **state) {
    (void)state;
    rps_world *world = falling_world(RPS_PENALTY);
    int mine[2] = {1, 2};
    const uint64_t a = add_ball(world, rps_vec3_make(0, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    void *user = mine;
    MUST(rps_world_body_user(world, a, &user, ERR));
    assert_null(user);
    MUST(rps_world_set_user(world, a, &mine[0], ERR));
    uint64_t last = a;
    for (int n = 0; n < 100; n++) {
        last = add_ball(world, rps_vec3_make(1 + n, 0, 1), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    }
    MUST(rps_world_set_user(world, last, &mine[1], ERR));
    advance(world, 5);
    MUST(rps_world_body_user(world, a, &user, ERR));
    assert_ptr_equal(user, &mine[0]);
    MUST(rps_world_body_user(world, last, &user, ERR));
    assert_ptr_equal(user, &mine[1]);
    rps_world_destroy(world);
}

/* --- many at once -------------------------------------------------------------------------------------------------- */

static void test_bulk_equals_one_by_one(void **state) {
    (void)state;
    enum { COUNT = 200 };
    struct row {
        double radius, x[3], v[3], mass;
    } row[COUNT];
    rps_world *one = falling_world(RPS_PENALTY), *all = falling_world(RPS_PENALTY);
    for (int n = 0; n < COUNT; n++) {
        row[n] = (struct row){.radius = uniform(1, (uint64_t)n, 0.01, 0.0155),
                              .x = {0.03 * (n % 10), 0.03 * (n / 10 % 10), 0.03 * (n / 100)},
                              .v = {0.01 * n, 0.0, 0.1},
                              .mass = 0.1 + 0.001 * n};
        add_ball(one, rps_vec3_of(row[n].x), row[n].radius, row[n].mass, rps_vec3_of(row[n].v), rps_vec3_zero());
    }
    rps_bodies_def def = rps_bodies_def_default();
    def.count = COUNT;
    def.position = (rps_array){row[0].x, sizeof *row};
    def.velocity = (rps_array){row[0].v, sizeof *row};
    def.radius = (rps_array){&row[0].radius, sizeof *row};
    def.mass = (rps_array){&row[0].mass, sizeof *row};
    uint64_t first = 99, hash[2][2];
    MUST(rps_world_add_bodies(all, &def, &first, ERR));
    assert_int_equal(first, 0);
    MUST(rps_world_hash(one, hash[0], ERR));
    MUST(rps_world_hash(all, hash[1], ERR));
    assert_memory_equal(hash[0], hash[1], sizeof *hash);
    row[150].mass = -1.0; /* none is added */
    REFUSED(rps_world_add_bodies(all, &def, &first, WHY), "number 150 of 200", "mass");
    MUST(rps_world_hash(all, hash[1], ERR));
    assert_memory_equal(hash[0], hash[1], sizeof *hash);
    assert_int_equal(rps_world_body_count(all), COUNT);
    advance(one, 50);
    advance(all, 50);
    MUST(rps_world_hash(one, hash[0], ERR));
    MUST(rps_world_hash(all, hash[1], ERR));
    assert_memory_equal(hash[0], hash[1], sizeof *hash);
    rps_world_destroy(one);
    rps_world_destroy(all);
}

/* A view taken once shows the present values as long as the layout stays; it changes where bodies come, go or are sorted. */
static void test_layout(void **state) {
    (void)state;
    enum { COUNT = 1000 }; /* fewer are not sorted */
    rps_world *world = falling_world(RPS_PENALTY);
    for (int n = 0; n < COUNT; n++) { /* in an order without any place */
        const int k = 387 * n % COUNT;
        add_ball(world, rps_vec3_make(0.03 * (k % 10), 0.03 * (k / 10 % 10), 0.03 * (k / 100)), 0.01, 0.1,
                 rps_vec3_zero(), rps_vec3_zero());
    }
    rps_view place, id;
    uint64_t layout = rps_world_layout(world);
    MUST(rps_world_view(world, "id", &id, ERR));
    bool in_order = true;
    for (size_t s = 0; s < COUNT; s++)
        in_order = in_order && *(const uint64_t *)((const char *)id.data + s * id.stride) == s;
    assert_true(in_order);
    advance(world, 1);
    assert_true(rps_world_layout(world) > layout); /* the first step sorts them */
    layout = rps_world_layout(world);
    MUST(rps_world_view(world, "position", &place, ERR));
    MUST(rps_world_view(world, "id", &id, ERR));
    advance(world, 20);
    assert_int_equal(rps_world_layout(world), layout); /* they fall side by side */
    for (size_t s = 0; s < COUNT; s++) {
        double x[3];
        MUST(rps_world_body_position(world, *(const uint64_t *)((const char *)id.data + s * id.stride), x, ERR));
        assert_memory_equal(x, (const char *)place.data + s * place.stride, sizeof x);
    }
    const uint64_t gone = 5;
    MUST(rps_world_remove_bodies(world, &gone, 1, ERR));
    assert_true(rps_world_layout(world) > layout);
    layout = rps_world_layout(world);
    add_ball(world, rps_vec3_make(9, 9, 9), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    assert_true(rps_world_layout(world) > layout);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_what_was_set),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ledger_of_a_lifted_ball), cmocka_unit_test(test_user_data),
        cmocka_unit_test(test_bulk_equals_one_by_one),  cmocka_unit_test(test_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
