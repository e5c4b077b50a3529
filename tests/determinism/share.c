/*
 * One world and the same world spread over several, whose bodies are dealt again every few steps, by chance or by place:
 * one state hash and one ledger. Mistakes that a program could make show or are refused.
 */
#include "share_common.h"

#include <stdlib.h>
#include <unistd.h>

#include "step/step_stages.h"

enum { DEALS = 8, STEPS = 10 };
#define DIAMETER 0.01
#define PITCH 0.0099
#define MARGIN (0.6 * DIAMETER) /* twice the way of a body at 4 m/s in STEPS steps of 4e-5 s, and half as much again */

/* --- scenes ------------------------------------------------------------------------------------------------------- */

/* Guards of the scenes, and how many warnings they gave. */
static rps_guard_action guard_action = RPS_GUARD_OFF;
static rps_guard_kind guard_kind = RPS_GUARD_OVERLAP;
static _Atomic int warnings;

static void count_warning(void *context, int level, const char *text) {
    (void)context;
    (void)text;
    warnings += level == RPS_LOG_WARNING;
}

static rps_world_options shared_options(int threads, uint64_t shuffle, double step) {
    rps_world_options options = options_of(step);
    options.threads = threads;
    options.shuffle = shuffle;
    options.ledger = true;
    options.gravity[2] = -98.1; /* so that bodies settle soon */
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    options.guards.action[guard_kind] = guard_action;
    options.log = count_warning;
    return options;
}

static rps_pair rough_pair(void) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e4, NULL);
    return pair;
}

static void add_balls(rps_world *world, int nx, int ny, int nz, double z, double speed) {
    for (int k = 0; k < nx * ny * nz; k++) {
        const double r = uniform(1, (uint64_t)k, 0.0047, 0.005);
        const rps_vec3 x = {PITCH * (0.5 + k % nx), PITCH * (0.5 + k / nx % ny), z + PITCH * (k / (nx * ny))};
        add_ball(world, x, r, 1e4 * r * r * r, rps_vec3_scale(random_vec(2, (uint64_t)k), speed),
                 rps_vec3_scale(random_vec(3, (uint64_t)k), 20.0));
    }
}

/* Between fixed planes, whose ids lie among those of spheres. */
static rps_world *bed(int threads, uint64_t shuffle) {
    const rps_world_options options = shared_options(threads, shuffle, 4e-5);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_balls(world, 7, 7, 2, 0.0047, 0.1);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_ground(world, rps_vec3_make(1.0, 0.0, 0.0));
    add_balls(world, 7, 7, 3, 0.0047 + 2 * PITCH, 0.1);
    advance(world, 600);
    return world;
}

/* Down an inclined base of fixed spheres, periodic along x and y; half-implicit. */
static rps_world *flow(int threads, uint64_t shuffle) {
    rps_world_options options = shared_options(threads, shuffle, 4e-5);
    const rps_pair pair = rough_pair();
    options.integrator = RPS_HALF_IMPLICIT;
    options.gravity[0] = 40.0;
    options.period[0] = options.period[1] = 7 * PITCH;
    rps_world *world = world_of(&options, &pair);
    for (int k = 0; k < 49; k++) {
        const rps_vec3 x = {PITCH * (k % 7), PITCH * (k / 7), 0.0};
        add_ball(world, x, 0.005, 0.0, rps_vec3_zero(), rps_vec3_zero());
    }
    add_balls(world, 7, 7, 3, PITCH, 0.3);
    advance(world, 400);
    return world;
}

/* On a shaken floor, under a plane that seeks a pressure over the area between four others, and its image. */
static rps_world *pressed(int threads, uint64_t shuffle) {
    const rps_world_options options = shared_options(threads, shuffle, 2e-5);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_balls(world, 5, 5, 2, 0.0047, 0.1);
    rps_body_def floor = rps_body_plane(0.0, 0.0, 1.0);
    floor.kind = RPS_BODY_DRIVEN;
    floor.drive =
        (rps_drive){.velocity = {0.3, 0.0, 0.0}, .amplitude = {0.0, 0.0, 1e-4}, .frequency = 100.0, .until = -1.0};
    MUST(rps_world_add_body(world, &floor, NULL, ERR));
    uint64_t side[4];
    for (int k = 0; k < 4; k++) {
        const double sign = k % 2 == 0 ? 1.0 : -1.0;
        rps_body_def wall = rps_body_plane(k < 2 ? sign : 0.0, k < 2 ? 0.0 : sign, 0.0);
        wall.position[k / 2] = k % 2 == 0 ? 0.0 : 5 * PITCH;
        if (k >= 2) {
            wall.kind = RPS_BODY_DRIVEN;
            wall.drive = (rps_drive){.kind = k == 2 ? RPS_DRIVE_FORCE : RPS_DRIVE_MIRROR,
                                     .target = 20.0,
                                     .stiffness_min = 1.0,
                                     .gain = 0.1,
                                     .until = -1.0};
            if (k == 3) wall.drive.mirror = side[2];
        }
        MUST(rps_world_add_body(world, &wall, &side[k], ERR));
    }
    add_balls(world, 5, 5, 2, 0.0047 + 2 * PITCH, 0.1);
    rps_body_def lid = rps_body_plane(0.0, 0.0, -1.0);
    lid.position[2] = 4 * PITCH;
    lid.kind = RPS_BODY_DRIVEN;
    lid.drive = (rps_drive){.kind = RPS_DRIVE_PRESSURE,
                            .target = 2e4,
                            .gain = 0.1,
                            .stiffness_min = 1.0,
                            .span = {{side[0], side[1]}, {side[2], side[3]}},
                            .spans = 2,
                            .until = -1.0};
    MUST(rps_world_add_body(world, &lid, NULL, ERR));
    advance(world, 600);
    return world;
}

/* Fast spheres rise from a bed at rest to a plane and come back. */
static rps_world *bounce(int threads, uint64_t shuffle) {
    const rps_world_options options = shared_options(threads, shuffle, 4e-5);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_balls(world, 8, 8, 2, 0.0047, 0.0);
    rps_body_def lid = rps_body_plane(0.0, 0.0, -1.0);
    lid.position[2] = 0.06;
    MUST(rps_world_add_body(world, &lid, NULL, ERR));
    for (int k = 0; k < 9; k++) {
        const rps_vec3 x = {2.5 * PITCH * (0.5 + k % 3), 2.5 * PITCH * (0.5 + k / 3), 0.035};
        add_ball(world, x, 0.005, 1e-3, rps_vec3_make(0.0, 0.0, 6.0 + 0.5 * k), rps_vec3_zero());
    }
    advance(world, 1);
    return world;
}

/* A free sphere of five diameters among small ones. */
static rps_world *ratio(int threads, uint64_t shuffle) {
    const rps_world_options options = shared_options(threads, shuffle, 4e-5);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_balls(world, 8, 8, 1, 0.0047, 0.1);
    add_ball(world, rps_vec3_make(4 * PITCH, 4 * PITCH, 0.0346), 0.025, 0.1, rps_vec3_zero(), rps_vec3_zero());
    advance(world, 800);
    return world;
}

/* The same in a fluid up to a level, with a large sphere and a large box that are common. */
static rps_world *ratio_common(int threads, uint64_t shuffle) {
    const rps_world_options options = shared_options(threads, shuffle, 2e-5);
    rps_pair pair = rough_pair();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_balls(world, 8, 8, 1, 0.0047, 0.1);
    uint64_t id =
        add_ball(world, rps_vec3_make(4 * PITCH, 4 * PITCH, 0.0346), 0.025, 0.1, rps_vec3_zero(), rps_vec3_zero());
    MUST(rps_world_set_common(world, id, ERR));
    rps_body_def def = rps_body_def_default();
    def.shape = "box";
    def.parameter[0] = def.parameter[1] = def.parameter[2] = 0.03;
    def.mass = 0.1;
    to_array(def.position, rps_vec3_make(9.5 * PITCH, 4 * PITCH, 0.03));
    MUST(rps_world_add_body(world, &def, &id, ERR));
    MUST(rps_world_set_common(world, id, ERR));
    add_balls(world, 8, 8, 1, 0.07, 0.1);
    rps_fluid fluid = rps_fluid_default();
    fluid.drag = RPS_DRAG_SCHILLER_NAUMANN;
    fluid.density = 1000.0;
    fluid.viscosity = 0.1;
    fluid.velocity[0] = 0.2;
    fluid.level = 0.04;
    MUST(rps_world_set_fluid(world, &fluid, ERR));
    advance(world, 1300);
    return world;
}

/* Boxes, ellipsoids, superquadrics and clumps on a fixed box, periodic along x and y. */
static rps_world *shapes(int threads, uint64_t shuffle) {
    rps_world_options options = shared_options(threads, shuffle, 1e-5);
    rps_pair pair = rough_pair();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 2e3, NULL);
    options.period[0] = options.period[1] = 4 * DIAMETER;
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 5e8;
    material.poisson = 0.3;
    material.density = 2500.0;
    rps_world *world = world_of_material(&options, &pair, material);
    static const char *const name[] = {"box", "ellipsoid", NULL, "superquadric", "box"};
    for (int k = 0; k < 48; k++) {
        rps_body_def def = rps_body_def_default();
        rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
        for (int p = 0; p < 2; p++) {
            piece[p].shape = p == 0 ? "sphere" : "box";
            for (int n = 0; n < 3; n++) piece[p].parameter[n] = p == 0 && n > 0 ? 0.0 : 0.0025 + 0.002 * p;
            piece[p].position[2] = p == 0 ? 0.002 : -0.002;
        }
        def.shape = name[k % 5];
        def.piece = def.shape == NULL ? piece : NULL;
        def.pieces = def.shape == NULL ? 2 : 0;
        static const double size[2][5] = {{0.007, 0.008, 0.006, 0.0, 0.0}, {0.0035, 0.003, 0.004, 4.0, 3.0}};
        for (int n = 0; def.shape != NULL && n < (k % 5 == 3 ? 5 : 3); n++) {
            def.parameter[n] = size[strcmp(def.shape, "box") != 0][n];
        }
        to_array(def.position, rps_vec3_make(DIAMETER * (k % 4), DIAMETER * (k / 4 % 4), 0.0095 * (1 + k / 16)));
        to_array(def.velocity, rps_vec3_make(0.3 * (k % 3), 0.0, -2.0));
        to_array(def.angular_velocity, rps_vec3_scale(random_vec(5, (uint64_t)k), 40.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
        if (k != 20) continue;
        rps_body_def base = rps_body_def_default();
        base.kind = RPS_BODY_FIXED;
        base.shape = "box";
        base.parameter[0] = base.parameter[1] = 2.0 * DIAMETER;
        base.parameter[2] = 0.006;
        to_array(base.position, rps_vec3_make(1.5 * DIAMETER, 1.5 * DIAMETER, 0.0));
        MUST(rps_world_add_body(world, &base, NULL, ERR));
    }
    advance(world, 700);
    return world;
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

static bool same_ledger(const rps_ledger *a, const rps_ledger *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Returns at which deal the spread world first differs from the whole one, `deals` if it never does. Of a world without
 * a mistake all parts must have the hash and the ledger of the whole. */
static int first_difference(spread *s, scene_fn *scene, int deals, uint64_t steps) {
    rps_world *one = scene(1, 0);
    int n = 0;
    for (bool same = true; same && n < deals; n += same) {
        uint64_t block[2][2], hash[2], gathered[2];
        rps_error err = {0};
        advance(one, steps);
        const rps_ledger ledger = ledger_of(one);
        MUST(rps_world_hash(one, hash, ERR));
        assert_true(rps_world_hash_blocks(one) <= 2);
        MUST(rps_world_block_hashes(one, NULL, block, ERR));
        rps_status status = spread_advance(s, steps, (const uint64_t(*)[2])block, &err);
        if (status == RPS_OK) status = spread_deal(s, &err);
        if (s->mistake == NO_MISTAKE && status != RPS_OK) fail_msg("%s", err.text);
        same = status == RPS_OK;
        if (same) MUST(rps_world_hash(s->whole, gathered, ERR));
        same = same && memcmp(hash, gathered, sizeof hash) == 0;
        for (int k = 0; k < s->parts && s->mistake == NO_MISTAKE; k++) {
            assert_memory_equal(s->part[k].hash, hash, sizeof hash);
            assert_true(same_ledger(&s->part[k].ledger, &ledger));
        }
        if (s->mistake != NO_MARGIN) ASSERT_BELOW(2.0 * s->travel, s->margin);
    }
    SAY("%d bodies, %d contacts, %d parts, %d copies in a deal\n", (int)rps_world_body_count(one),
        (int)rps_world_contact_count(one), s->parts, (int)(s->copies / s->deals));
    rps_world_destroy(one);
    return n;
}

static void compare(scene_fn *scene, int parts, deal_by by, int threads, uint64_t shuffle) {
    spread s;
    spread_open(&s, scene, parts, by, NO_MISTAKE, threads, shuffle, MARGIN);
    const int n = first_difference(&s, scene, DEALS, STEPS);
    if (n < DEALS) fail_msg("%d parts: another state after deal %d", parts, n);
    spread_close(&s);
}

static void compare_all(scene_fn *scene) {
    compare(scene, 1, BY_CHANCE, 1, 0);
    compare(scene, 2, BY_CHANCE, 1, 0);
    compare(scene, 3, BY_PLACE, 1, 0);
    compare(scene, 4, BY_CHANCE, 2, 0);
    compare(scene, 7, BY_PLACE, 1, 5);
}

static void test_bed(void **state) {
    (void)state;
    compare_all(bed);
}

static void test_flow(void **state) {
    (void)state;
    compare_all(flow);
}

static void test_pressed(void **state) {
    (void)state;
    compare_all(pressed);
}

static void test_ratio(void **state) {
    (void)state;
    compare_all(ratio);
}

/* Bits of a whole world with common bodies: threads, order of slots, steps a call, and a restart do not show. */
static void test_common(void **state) {
    (void)state;
    char file[] = "/tmp/repose-share-XXXXXX";
    uint64_t hash[2], other[2];
    const int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    rps_world *one = ratio_common(1, 0), *two = ratio_common(2, 3);
    MUST(rps_world_save(two, file, ERR));
    advance(one, 100);
    MUST(rps_world_hash(one, hash, ERR));
    for (int k = 0; k < 100; k++) advance(two, 1);
    MUST(rps_world_hash(two, other, ERR));
    assert_memory_equal(hash, other, sizeof hash);
    MUST(rps_world_restore(two, file, ERR));
    advance(two, 100);
    MUST(rps_world_hash(two, other, ERR));
    assert_memory_equal(hash, other, sizeof hash);
    const rps_ledger ledger = ledger_of(one);
    SAY("residual %.3g J of %.3g J dissipated\n", ledger.residual, ledger.dissipated[RPS_ROLE_DAMPING]);
    ASSERT_BELOW(fabs(ledger.residual), 1e-2 * ledger.dissipated[RPS_ROLE_DAMPING]); /* second order in the step */
    unlink(file);
    rps_world_destroy(one);
    rps_world_destroy(two);
    compare_all(ratio_common);
}

static void test_shapes(void **state) {
    (void)state;
    compare_all(shapes);
}

/* More than one block of ids; slots are sorted in space and lists built by several threads. */
static rps_world *large_bed(int threads, uint64_t shuffle) {
    const rps_world_options options = shared_options(threads, shuffle, 4e-5);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_balls(world, 24, 24, 8, 0.0047, 0.3);
    advance(world, 20);
    return world;
}

static void test_large(void **state) {
    (void)state;
    spread s;
    spread_open(&s, large_bed, 2, BY_PLACE, NO_MISTAKE, 2, 0, MARGIN);
    assert_int_equal(first_difference(&s, large_bed, 3, STEPS), 3);
    spread_close(&s);
}

/* Between deals bodies cross many skins, and copies leave the paths that they had at the deal: lists must know the speed
 * of all bodies and must not predict copies. */
static void test_bounce(void **state) {
    (void)state;
    for (int parts = 2; parts <= 4; parts++) {
        spread s;
        spread_open(&s, bounce, parts, BY_PLACE, NO_MISTAKE, 1, 0, 0.2);
        assert_int_equal(first_difference(&s, bounce, 6, 150), 6);
        spread_close(&s);
    }
}

/* Every part rounds its part of a common sum: two doubles have one sum, so several parts are needed. */
static void test_rounded_sums(void **state) {
    (void)state;
    int shown = 0;
    for (int parts = 3; parts <= PARTS_MOST; parts += 2) {
        spread s;
        spread_open(&s, pressed, parts, BY_CHANCE, ROUNDED_SUMS, 1, 0, MARGIN);
        shown += first_difference(&s, pressed, DEALS, STEPS) < DEALS;
        spread_close(&s);
    }
    assert_true(shown > 0);
}

/* Ids by order of arrival would change the order of sums. */
static void test_order_of_arrival(void **state) {
    (void)state;
    spread s;
    rps_error err = {0};
    spread_open(&s, bed, 2, BY_CHANCE, ORDER_OF_ARRIVAL, 1, 0, MARGIN);
    assert_int_equal(spread_advance(&s, 1, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "ids must be dense, and rise with those of the whole world"));
    spread_close(&s);
}

/* Copies of touching bodies alone: contacts that begin are missed. */
static void test_no_margin(void **state) {
    (void)state;
    spread s;
    spread_open(&s, flow, 3, BY_PLACE, NO_MARGIN, 1, 0, 0.0);
    assert_true(first_difference(&s, flow, DEALS, STEPS) < DEALS);
    assert_true(2.0 * s.travel > s.margin); /* a program sees it before the bits do */
    spread_close(&s);
}

/* --- guards ------------------------------------------------------------------------------------------------------- */

/* A fast sphere above a bed: it moves too far in a step, leaves the domain, or sinks too deep into the bed. */
static rps_world *fast(int threads, uint64_t shuffle) {
    rps_world_options options = shared_options(threads, shuffle, 4e-5);
    const rps_pair pair = rough_pair();
    options.guards.motion = 0.05;
    options.guards.overlap = 0.1;
    for (int k = 0; k < 3; k++) {
        options.guards.low[k] = -0.1;
        options.guards.high[k] = 0.1;
    }
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_balls(world, 6, 6, 2, 0.005, 0.0);
    const double speed = guard_kind == RPS_GUARD_MOTION ? -5.5 : guard_kind == RPS_GUARD_LOST ? 20.0 : -10.0;
    const rps_vec3 x = {3 * PITCH, 3 * PITCH, guard_kind == RPS_GUARD_MOTION ? 0.2 : 0.03};
    add_ball(world, x, 0.005, 0.1, rps_vec3_make(0.0, 0.0, speed), rps_vec3_make(100.0, 0.0, 0.0));
    advance(world, 1);
    return world;
}

/* All parts stop at the step of the whole world and name the same bodies; one of them gives the same sentence. */
static void check_stop(rps_guard_kind kind, int parts, deal_by by) {
    rps_error err = {0}, spread_err = {0};
    spread s;
    guard_kind = kind;
    guard_action = RPS_GUARD_STOP;
    rps_world *one = fast(1, 0);
    spread_open(&s, fast, parts, by, NO_MISTAKE, 1, 0, 0.5);
    assert_int_equal(rps_world_step(one, 400, &err), RPS_GUARD);
    SAY("%s\n", err.text);
    assert_int_equal(spread_advance(&s, 400, NULL, &spread_err), RPS_GUARD);
    int tell = 0;
    for (int k = 0; k < parts; k++) {
        const rps_world *world = s.part[k].world;
        assert_int_equal(s.part[k].status, RPS_GUARD);
        assert_true(rps_world_steps(world) == rps_world_steps(one));
        assert_int_equal(world->guard.stopped, one->guard.stopped);
        assert_memory_equal(world->guard.offending_body, one->guard.offending_body, sizeof one->guard.offending_body);
        tell += strcmp(s.part[k].error.text, err.text) == 0;
        assert_true(strcmp(s.part[k].error.text, err.text) == 0 ||
                    strstr(s.part[k].error.text, "which another process holds") != NULL);
    }
    assert_int_equal(tell, 1);
    spread_close(&s);
    rps_world_destroy(one);
}

/* As many warnings as in the whole world, and no bit more or less. */
static void check_warning(rps_guard_kind kind) {
    guard_kind = kind;
    guard_action = RPS_GUARD_WARN;
    rps_world *one = fast(1, 0);
    spread s;
    spread_open(&s, fast, 3, BY_CHANCE, NO_MISTAKE, 1, 0, 0.5);
    warnings = 0;
    advance(one, 400);
    const int expected = warnings;
    warnings = 0;
    MUST(spread_advance(&s, 400, NULL, ERR));
    assert_true(expected > 0);
    assert_int_equal(warnings, expected);
    MUST(spread_gather(&s, ERR));
    uint64_t hash[2], gathered[2];
    MUST(rps_world_hash(one, hash, ERR));
    MUST(rps_world_hash(s.whole, gathered, ERR));
    assert_memory_equal(hash, gathered, sizeof hash);
    spread_close(&s);
    rps_world_destroy(one);
}

static void test_guards(void **state) {
    (void)state;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) {
        if (k == RPS_GUARD_STABLE) continue;
        check_stop((rps_guard_kind)k, 2, BY_PLACE);
        check_stop((rps_guard_kind)k, 4, BY_CHANCE);
        check_warning((rps_guard_kind)k);
    }
    guard_action = RPS_GUARD_OFF;
}

/* A position that is not a number stops all parts. */
static void test_not_a_number(void **state) {
    (void)state;
    spread s;
    rps_error err = {0};
    spread_open(&s, bed, 3, BY_CHANCE, NO_MISTAKE, 1, 0, MARGIN);
    MUST(spread_advance(&s, 2, NULL, ERR));
    s.part[1].world->bodies.motion[0].velocity[0] = NAN;
    const uint64_t gid = s.part[1].gid[s.part[1].world->bodies.id[0][0]];
    assert_int_equal(spread_advance(&s, 2, NULL, &err), RPS_GUARD);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(s.part[k].status, RPS_GUARD);
        assert_non_null(strstr(s.part[k].error.text, "guard `not-a-number`"));
        assert_true(s.part[k].world->guard.offending_body[0] == gid);
    }
    spread_close(&s);
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void expect_refusal(rps_status status, const rps_error *err, const char *text) {
    if (status != RPS_UNSUPPORTED || strstr(err->text, text) == NULL) fail_msg("%d: %s", (int)status, err->text);
}

#define REFUSES(call, text) expect_refusal((call), &err, text)

/* Calls that need a whole world. */
static void test_refused_calls(void **state) {
    (void)state;
    spread s;
    rps_error err = {0};
    spread_open(&s, bed, 2, BY_PLACE, NO_MISTAKE, 1, 0, MARGIN);
    MUST(spread_advance(&s, 1, NULL, ERR));
    rps_world *here = s.part[0].world;
    uint64_t hash[2], id = 0;
    double three[3] = {0.0, 0.0, 0.0}, six[6], box[2][3] = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    const rps_body_def def = rps_body_plane(0.0, 0.0, 1.0);
    rps_extremes extremes;
    rps_step_limit limit;
    size_t count;
    bool found;
    rps_hit hit;
    REFUSES(rps_world_hash(here, hash, &err), "a hash of blocks takes a whole world");
    REFUSES(rps_world_add_body(here, &def, NULL, &err), "adding a body");
    REFUSES(rps_world_remove_bodies(here, &id, 1, &err), "finding a body by its id");
    REFUSES(rps_world_set_velocity(here, 0, three, &err), "finding a body by its id");
    REFUSES(rps_world_apply_load(here, 0, three, three, &err), "finding a body by its id");
    REFUSES(rps_world_body_position(here, 0, three, &err), "finding a body by its id");
    REFUSES(rps_world_set_drive(here, 0, &(rps_drive){0}, &err), "a new drive");
    REFUSES(rps_world_set_gravity(here, three, &err), "a new gravity");
    REFUSES(rps_world_extremes(here, &extremes, &err), "looking for extremes");
    REFUSES(rps_world_mean_stress(here, -1, NULL, six, &err), "a stress");
    REFUSES(rps_world_contacts(here, NULL, 0, &count, &err), "a list of contacts");
    REFUSES(rps_world_step_limit(here, &limit, &err), "the stability limit");
    REFUSES(rps_world_bodies_in_box(here, box[0], box[1], NULL, 0, &count, &err), "a query");
    REFUSES(rps_world_cast_ray(here, box[0], box[1], 1.0, &hit, &found, &err), "a query");
    REFUSES(rps_world_save(here, "/dev/null", &err), "saving the state");
    spread_close(&s);
}

/* Worlds that cannot be shared. */
static void test_refused_worlds(void **state) {
    (void)state;
    rps_share share = {.own = 1, .mine = 1};
    rps_error err = {0};
    for (int k = 0; k < 4; k++) {
        rps_world_options options = shared_options(1, 0, 1e-5);
        if (k == 1) options.stepper = RPS_NONSMOOTH;
        if (k == 2) options.contacts = true;
        if (k == 3) options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_WARN;
        const rps_pair pair = rough_pair();
        rps_world *world = world_of(&options, &pair);
        add_ball(world, rps_vec3_zero(), 0.005, 1e-3, rps_vec3_zero(), rps_vec3_zero());
        if (k > 0) advance(world, 1);
        static const char *const why[] = {"has not started", "has the nonsmooth stepper", "records contact events",
                                          "has the guard `step`, which is not off"};
        REFUSES(rps_share_begin(world, &share, 1, 1, &err), why[k]);
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bed),
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_rounded_sums),
        cmocka_unit_test(test_order_of_arrival),
        cmocka_unit_test(test_no_margin),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_refused_calls),
        cmocka_unit_test(test_refused_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
