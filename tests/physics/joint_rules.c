/*
 * Rules of joints together: redundant ones share loads in the least-norm sense, contradicting ones are refused,
 * joined bodies do not touch, planar worlds stay planar, and bits are the same across threads and a saved state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/read_results.h"
#include "io/results.h"
#include "joined.h"

/* --- redundant and contradicting ------------------------------------------------------------------------------------ */

static void test_door(void **state) {
    (void)state;
    /* a door on two hinges one above the other: they share its weight, and hold its tilt m g b/2 by forces +-m g b/(2 H) and
     * by torques; of least norm in the rows' own metric, so that both hinges bear the same weight and torque */
    const double edge[3] = {1.0, 0.05, 2.0};
    rps_world *world = world_with(1e-3, G, 1);
    const uint64_t door = add_box(world, rps_vec3_make(0.5, 0.0, 1.0), edge, 20.0, O, O);
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, door, RPS_JOINT_WORLD, rps_vec3_make(0.0, 0.0, 1.5), Z);
    const size_t upper = join(world, &def);
    to_array(def.point[0], rps_vec3_make(0.0, 0.0, 0.5));
    const size_t lower = join(world, &def);
    start(world);
    assert_int_equal(report_of(world).joint_rows, 10);
    assert_int_equal(report_of(world).redundant_rows, 5);
    advance(world, 200);
    const rps_joint_state a = joint_of(world, upper), b = joint_of(world, lower);
    SAY("door: upper hinge (%.3f, %.3f, %.3f) N, torque about y %.3f N m; lower (%.3f, %.3f, %.3f) N, %.3f N m\n",
        a.force[0], a.force[1], a.force[2], a.torque[1], b.force[0], b.force[1], b.force[2], b.torque[1]);
    ASSERT_NEAR(a.force[2], 20.0 * G / 2.0, 1e-7);
    ASSERT_NEAR(b.force[2], 20.0 * G / 2.0, 1e-7);
    ASSERT_NEAR(a.force[0], -b.force[0], 1e-7);
    ASSERT_NEAR(a.torque[1], b.torque[1], 1e-7);
    /* moments about the axis at the middle */
    ASSERT_NEAR((a.force[0] - b.force[0]) * 0.5 + a.torque[1] + b.torque[1] + 20.0 * G * 0.5, 0.0, 1e-7);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, door)), LOOSE);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
    /* pushed, it turns: two hinges leave what one leaves */
    world = world_with(1e-3, G, 1);
    const uint64_t swung = add_box(world, rps_vec3_make(0.5, 0.0, 1.0), edge, 20.0, rps_vec3_make(0.0, 0.5, 0.0),
                                   rps_vec3_make(0.0, 0.0, 1.0));
    def = joint_def(RPS_JOINT_HINGE, swung, RPS_JOINT_WORLD, rps_vec3_make(0.0, 0.0, 1.5), Z);
    join(world, &def);
    to_array(def.point[0], rps_vec3_make(0.0, 0.0, 0.5));
    const size_t hinge = join(world, &def);
    start(world);
    advance(world, 1000);
    ASSERT_NEAR(joint_of(world, hinge).position, 1.0, 1e-3);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
}

/* Four bars in a plane, on four hinges: a loop, of which three rows are implied. */
static void test_loop(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    const double upright[3] = {0.05, 0.05, 1.0}, across[3] = {1.0, 0.05, 0.05};
    const uint64_t left = add_box(world, rps_vec3_make(0.0, 0.0, -0.5), upright, 1.0, O, O);
    const uint64_t right = add_box(world, rps_vec3_make(1.0, 0.0, -0.5), upright, 1.0, O, O);
    const uint64_t low = add_box(world, rps_vec3_make(0.5, 0.0, -1.0), across, 1.0, O, O);
    const struct {
        uint64_t a, b;
        rps_vec3 at;
    } pin[4] = {{left, RPS_JOINT_WORLD, O},
                {right, RPS_JOINT_WORLD, X},
                {low, left, {0.0, 0.0, -1.0}},
                {low, right, {1.0, 0.0, -1.0}}};
    for (int k = 0; k < 4; k++) {
        const rps_joint_def def = joint_def(RPS_JOINT_HINGE, pin[k].a, pin[k].b, pin[k].at, Y);
        join(world, &def);
    }
    start(world);
    assert_int_equal(report_of(world).redundant_rows, 3);
    advance(world, 300);
    const rps_joint_state a = joint_of(world, 0), b = joint_of(world, 1);
    ASSERT_NEAR(a.force[2] + b.force[2], 3.0 * G, 1e-6);
    ASSERT_NEAR(a.force[2], b.force[2], 1e-6);
    SAY("loop of four bars: missed %llu of %llu steps, residual %.1e\n", (unsigned long long)report_of(world).missed,
        (unsigned long long)report_of(world).steps, report_of(world).worst_residual);
    rps_world_destroy(world);
}

static void expect_failure(rps_status status, rps_status expected, const rps_error *err, const char *said) {
    if (!strstr(err->text, said)) print_message("said: %s\nexpected: %s\n", err->text, said);
    assert_int_equal(status, expected);
    assert_non_null(strstr(err->text, said));
}

static void test_contradiction(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    rps_error err = {0};
    const uint64_t body = add_body(world, X, 1.0, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_FIXED, body, RPS_JOINT_WORLD, X, O);
    def.name = "clamp";
    join(world, &def);
    def = joint_def(RPS_JOINT_DISTANCE, body, RPS_JOINT_WORLD, X, O);
    def.name = "rod";
    def.length = 1.2;
    join(world, &def);
    expect_failure(rps_world_start(world, &err), RPS_BAD_INPUT, &err, "contradicts");
    assert_non_null(strstr(err.text, "`rod`"));
    assert_non_null(strstr(err.text, "`clamp`"));
    rps_world_destroy(world);
    /* the same rod with the length that it has is redundant, no more */
    world = world_with(1e-3, G, 1);
    const uint64_t other = add_body(world, X, 1.0, 0.1);
    def = joint_def(RPS_JOINT_FIXED, other, RPS_JOINT_WORLD, X, O);
    join(world, &def);
    def = joint_def(RPS_JOINT_DISTANCE, other, RPS_JOINT_WORLD, X, O);
    join(world, &def);
    start(world);
    assert_int_equal(report_of(world).redundant_rows, 1);
    advance(world, 100);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    const uint64_t body = add_body(world, X, 1.0, 0.1), ground = add_ground(world, Z);
    rps_error err = {0};
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, X, Y), bad;
#define REFUSED(change, said)                                                                    \
    do {                                                                                         \
        bad = def;                                                                               \
        change;                                                                                  \
        expect_failure(rps_world_add_joint(world, &bad, NULL, &err), RPS_BAD_INPUT, &err, said); \
    } while (0)
    REFUSED(bad.size = 1, "rps_joint_def_default");
    REFUSED(bad.body[0] = 77, "there is no body 77");
    REFUSED(bad.body[1] = body, "with itself");
    REFUSED(bad.body[0] = ground, "neither of what it joins can be moved");
    REFUSED(bad.axis[1] = 0.0, "its axis has no length");
    REFUSED(bad.axis[1] = NAN, "finite");
    REFUSED(bad.point[0][2] = INFINITY, "its point");
    REFUSED(bad.friction = -1.0, "its friction");
    REFUSED(bad.length = 1.0, "a length is of");
    REFUSED(bad.load_max = 1.0, "only a motor has a load_max");
    REFUSED((bad.kind = RPS_JOINT_MOTOR, bad.load_max = 0.0), "its load_max is 0");
    REFUSED((bad.kind = RPS_JOINT_MOTOR, bad.load_max = NAN), "its load_max is nan");
    REFUSED(bad.motion.speed = 1.0, "only a motor");
    REFUSED((bad.kind = RPS_JOINT_FIXED, bad.friction = 1.0), "friction is along");
    REFUSED((bad.kind = RPS_JOINT_DISTANCE, to_array(bad.point[1], X)), "two points are one");
    REFUSED((bad.kind = RPS_JOINT_DISTANCE, bad.length = -1.0), "its length");
    REFUSED(bad.kind = RPS_JOINT_KINDS, "no kind");
    def.name = "pin";
    join(world, &def);
    REFUSED(bad.name = "pin", "of that name");
    def.name = NULL;
    start(world);
    REFUSED((void)0, "before the first step");
    rps_world_destroy(world);
}

/* --- contacts, planar worlds, bits ---------------------------------------------------------------------------------- */

/* Joined bodies that overlap do not push each other apart unless asked to. */
static void test_collide(void **state) {
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        rps_world *world = world_with(1e-3, 0.0, 1);
        const uint64_t a = add_body(world, O, 1.0, 0.1), b = add_body(world, rps_vec3_make(0.19, 0.0, 0.0), 1.0, 0.1);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, b, a, O, X);
        def.collide = collide == 1;
        join(world, &def);
        start(world);
        advance(world, 500);
        const double apart = rps_vec3_norm(rps_vec3_sub(position_of(world, b), position_of(world, a)));
        if (collide) ASSERT_ABOVE(apart, 0.2);
        if (!collide) ASSERT_NEAR(apart, 0.19, 1e-12);
        rps_world_destroy(world);
    }
}

static void test_planar(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-3);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = TIGHT;
    options.dimension = 2;
    options.gravity[2] = -G;
    options.guards.motion = options.guards.rotation = 100.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def body = rps_body_def_default();
    uint64_t id = 0;
    body.shape = "disk";
    body.radius = 0.1;
    body.mass = 2.0;
    body.position[0] = 1.0;
    MUST(rps_world_add_body(world, &body, &id, ERR));
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, id, RPS_JOINT_WORLD, O, O);
    const size_t pin = join(world, &def);
    start(world);
    assert_int_equal(report_of(world).joint_rows, 2);
    advance(world, 500);
    assert_true(position_of(world, id).y == 0.0 && turning_of(world, id).x == 0.0 && turning_of(world, id).z == 0.0);
    ASSERT_NEAR(rps_vec3_norm(position_of(world, id)), 1.0, 1e-4);
    ASSERT_ABOVE(joint_of(world, pin).position, 0.5);
    rps_world_destroy(world);
}

/* Two boxes on a hinge fly through a periodic box as they do through open space, also where the boundary lies between them
 * at the start. */
static void test_periodic(void **state) {
    (void)state;
    const double edge[3] = {0.3, 0.1, 0.1}, shift = 0.9;
    rps_vec3 place[2][2];
    for (int k = 0; k < 2; k++) {
        rps_world_options options = joint_options(1e-3, 0.0, 1);
        options.period[0] = k ? 2.0 : 0.0;
        rps_world *world = world_by(&options);
        const rps_vec3 v = {3.0, 0.1, 0.0}, w = {0.0, 0.0, 2.0};
        const double x = k ? 1.9 : 0.0;
        const uint64_t a = add_box(world, rps_vec3_make(x, 0.0, 0.0), edge, 1.0, v, w);
        const uint64_t b =
            add_box(world, rps_vec3_make(x + (k ? 0.4 - 2.0 : 0.4), 0.0, 0.0), edge, 1.0, v, rps_vec3_neg(w));
        const rps_joint_def def =
            joint_def(RPS_JOINT_HINGE, a, b, rps_vec3_make(x + 0.2 - (k ? 2.0 : 0.0), 0.0, 0.0), Z);
        const size_t pin = join(world, &def);
        start(world);
        advance(world, (uint64_t)(shift / 1e-3));
        rps_vec3 middle[2];
        double at[3];
        MUST(rps_world_body_position(world, a, at, ERR));
        middle[0] = as_vec(at);
        MUST(rps_world_body_position(world, b, at, ERR));
        middle[1] = as_vec(at);
        place[k][0] = rps_vec3_sub(middle[0], rps_vec3_make(x, 0.0, 0.0));
        place[k][1] = rps_vec3_sub(middle[1], rps_vec3_make(x - (k ? 2.0 : 0.0), 0.0, 0.0));
        ASSERT_BELOW(joint_of(world, pin).error, 1e-4);       /* of second order: w^2 arm h^2 */
        ASSERT_BELOW(report_of(world).worst_residual, 1e-11); /* rounding of places, over h */
        rps_world_destroy(world);
    }
    for (int n = 0; n < 2; n++) ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(place[0][n], place[1][n])), 1e-10);
}

static rps_world *machine(int threads, uint64_t shuffle) {
    rps_world_options options = joint_options(1e-3, G, threads);
    options.shuffle = shuffle;
    rps_world *world = world_by(&options);
    const double edge[3] = {0.3, 0.2, 0.1};
    uint64_t last = RPS_JOINT_WORLD;
    for (size_t k = 0; k < 8; k++) {
        const uint64_t id = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, O, O);
        rps_joint_def def = joint_def(k % 3 == 0   ? RPS_JOINT_HINGE
                                      : k % 3 == 1 ? RPS_JOINT_BALL
                                                   : RPS_JOINT_SLIDER,
                                      id, last, rps_vec3_make(0.4 * (double)k - 0.2, 0.01, 0.0), Y);
        def.friction = 0.02;
        join(world, &def);
        last = id;
    }
    return world;
}

static void hash_of(const rps_world *world, uint64_t hash[2]) {
    MUST(rps_world_hash(world, hash, ERR));
}

static void test_bits(void **state) {
    (void)state;
    char path[] = "/tmp/repose-joints-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t one[2], two[2], again[2];
    rps_world *world = machine(1, 0), *other = machine(2, 7);
    start(world);
    start(other);
    advance(world, 100);
    advance(other, 100);
    MUST(rps_world_save(world, path, ERR));
    advance(world, 100);
    advance(other, 100);
    hash_of(world, one);
    hash_of(other, two);
    assert_memory_equal(one, two, sizeof one);
    rps_world *resumed = machine(1, 0);
    MUST(rps_world_restore(resumed, path, ERR));
    assert_int_equal(report_of(resumed).redundant_rows, report_of(world).redundant_rows);
    advance(resumed, 100);
    hash_of(resumed, again);
    assert_memory_equal(one, again, sizeof one);
    for (size_t k = 0; k < 8; k++) {
        const rps_joint_state a = joint_of(world, k), b = joint_of(resumed, k);
        assert_memory_equal(a.force, b.force, sizeof a.force);
        assert_memory_equal(a.torque, b.torque, sizeof a.torque);
    }
    /* another set-up is refused */
    rps_world *wrong = world_with(1e-3, G, 1);
    rps_error err = {0};
    add_body(wrong, X, 1.0, 0.1);
    expect_failure(rps_world_restore(wrong, path, &err), RPS_BAD_INPUT, &err, "set-up");
    rps_world_destroy(wrong);
    rps_world_destroy(resumed);
    rps_world_destroy(other);
    rps_world_destroy(world);
    unlink(path);
}

/* Joints are counted and found by their names, and those without a name by none. */
static void test_names(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    const uint64_t id = add_body(world, O, 1.0, 0.1);
    static const char *const name[] = {"left", NULL, "right"};
    assert_true(rps_world_joint_count(world) == 0 && rps_world_find_joint(world, "left") == -1);
    for (int k = 0; k < 3; k++) {
        rps_joint_def def = joint_def(RPS_JOINT_BALL, id, RPS_JOINT_WORLD, rps_vec3_make(k, 0.0, 0.0), Y);
        def.name = name[k];
        join(world, &def);
        assert_int_equal(rps_world_joint_count(world), k + 1);
    }
    assert_int_equal(rps_world_find_joint(world, "left"), 0);
    assert_int_equal(rps_world_find_joint(world, "right"), 2);
    assert_int_equal(rps_world_find_joint(world, ""), -1);
    assert_int_equal(rps_world_find_joint(world, "lef"), -1);
    assert_string_equal(joint_of(world, 2).name, "right");
    assert_string_equal(joint_of(world, 1).name, "");
    rps_world_destroy(world);
}

/* Joints in frames equal the joints' own reports. */
static void test_results(void **state) {
    (void)state;
    char folder[] = "/tmp/repose-joints-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    rps_world *world = machine(1, 0);
    rps_results *results = NULL;
    const rps_results_options options = {.directory = folder, .bodies = 8, .world = world};
    start(world);
    MUST(rps_results_create(&options, &results, ERR));
    for (int frame = 0; frame < 3; frame++) {
        rps_world_keep_contacts(world, true);
        advance(world, 10);
        MUST(rps_results_write(results, world, ERR));
    }
    MUST(rps_results_close(results, ERR));
    rps_results_reader *reader = NULL;
    MUST(rps_results_open(folder, NULL, &reader, ERR));
    double force[8][3];
    uint64_t second[8];
    MUST(rps_results_read(reader, RPS_RESULTS_JOINTS, "force", 2, force, sizeof force, ERR));
    MUST(rps_results_read(reader, RPS_RESULTS_JOINTS, "second", 1, second, sizeof second, ERR));
    for (size_t k = 0; k < 8; k++) {
        assert_memory_equal(force[k], joint_of(world, k).force, sizeof force[k]);
        assert_true(second[k] == joint_of(world, k).body[1]);
    }
    rps_results_reader_close(reader);
    rps_world_destroy(world);
    static const char *const file[] = {"run.h5", "run.xdmf"};
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, file[k]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_door),     cmocka_unit_test(test_loop),    cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_collide), cmocka_unit_test(test_planar),
        cmocka_unit_test(test_periodic), cmocka_unit_test(test_bits),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
