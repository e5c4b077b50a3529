/*
 * Fixed and driven bodies that reach across a period: a box across the slice acts as a plane does; free bodies cross the
 * period on it as on one that has no period; a lid of many pieces that moves through the period, and a slot between two
 * images of one body, act as the same scene does that is laid out twice in twice the period. In both steppers, and for any
 * order of slots. And bodies that cannot be taken so are refused.
 */
#include "worlds.h"

#include "world/world.h"

static const double P = 0.041, R = 0.004, MASS = 6.7e-4;

typedef enum law { PENALTY, NONSMOOTH, LAWS } law;

static rps_world *periodic(law stepper, double period, uint64_t shuffle, double gx, double gy) {
    rps_world_options options = options_of(stepper == PENALTY ? 1e-5 : 1e-4);
    options.stepper = stepper == PENALTY ? RPS_PENALTY : RPS_NONSMOOTH;
    options.nonsmooth.tolerance = 1e-10; /* so that what the solver leaves does not hide an error */
    options.period[1] = period;
    options.shuffle = shuffle;
    options.gravity[0] = gx;
    options.gravity[1] = gy;
    options.gravity[2] = -9.8;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e4, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.4, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.4, "kinetic", 0.3, "stiffness", 5e3, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.05, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.05, NULL);
    return world_of(&options, &pair);
}

static uint64_t add(rps_world *world, const rps_body_def *def) {
    uint64_t id;
    MUST(rps_world_add_body(world, def, &id, ERR));
    return id;
}

/* A box, fixed without a drive; mass > 0: free. */
static uint64_t add_box(rps_world *world, rps_vec3 x, rps_vec3 size, const rps_drive *drive, double mass) {
    rps_body_def def = rps_body_def_default();
    def.shape = "box";
    to_array(def.parameter, size);
    def.parameter[3] = 0.0;
    def.kind = mass > 0.0 ? RPS_BODY_FREE : drive ? RPS_BODY_DRIVEN : RPS_BODY_FIXED;
    def.mass = mass > 0.0 ? mass : 1.0;
    if (drive) def.drive = *drive;
    to_array(def.position, x);
    return add(world, &def);
}

static rps_vec3 at(double x, double y, double z) {
    return rps_vec3_make(x, y, z);
}

static uint64_t steps_for(const rps_world *world, double time) {
    return (uint64_t)(time / world->step + 0.5);
}

static uint64_t hash_of(const rps_world *world) {
    uint64_t hash[2];
    MUST(rps_world_hash(world, hash, ERR));
    return hash[0];
}

/* N, on a body, of whatever kind. */
static rps_vec3 force_on(rps_world *world, uint64_t id) {
    double force[3], torque[3];
    MUST(rps_world_body_load(world, id, force, torque, ERR));
    return as_vec(force);
}

/* Largest difference of position, velocity times a millisecond and turning times R and a millisecond, m, of bodies of two
 * worlds, of which the second is moved by `offset` along y. */
static double difference(const rps_world *a, uint64_t id_a, const rps_world *b, uint64_t id_b, double offset) {
    const rps_vec3 x = rps_vec3_sub(position_of(b, id_b), position_of(a, id_a));
    const rps_vec3 v = rps_vec3_sub(velocity_of(b, id_b), velocity_of(a, id_a));
    const rps_vec3 w = rps_vec3_sub(turning_of(b, id_b), turning_of(a, id_a));
    const double far = rps_vec3_norm(rps_vec3_sub(x, at(0.0, offset, 0.0)));
    return fmax(far, 1e-3 * fmax(rps_vec3_norm(v), R * rps_vec3_norm(w)));
}

/* --- a wall across the slice ----------------------------------------------------------------------------------------- */

/* The first is a plane, the last a box in a world without a period. */
enum { FLOORS = 5, BALLS = 3 };

static void add_floor(rps_world *world, int which) {
    const double width[FLOORS] = {0.0, 0.9, P, 1.2 * P, 4.0};
    if (which == 0) {
        add_ground(world, at(0.0, 0.0, 1.0));
    } else { /* the center of the box lies anywhere in the period */
        add_box(world, at(0.3, 0.3 * P * which, -0.05), at(4.0, width[which], 0.1), NULL, 0.0);
    }
}

/* Balls that slide, roll and bounce through several periods do on a box what they do on a plane: forces and paths. */
static void test_box_across_the_slice_is_a_plane(void **state) {
    (void)state;
    for (law stepper = 0; stepper < LAWS; stepper++) {
        rps_world *world[FLOORS];
        for (int k = 0; k < FLOORS; k++) {
            world[k] = periodic(stepper, k + 1 < FLOORS ? P : 0.0, 0, 0.0, 1.0);
            add_floor(world[k], k);
            for (int b = 0; b < BALLS; b++) {
                add_ball(world[k], at(0.05 * b, 0.011 * b, R + 0.002 * b), R, MASS, at(0.1, 0.5 + 0.2 * b, 0.0),
                         at(0.0, 0.0, 20.0 * b));
            }
            start(world[k]);
        }
        double worst = 0.0, force = 0.0, same = 0.0;
        for (int n = 0; n < 60; n++) {
            for (int k = 0; k < FLOORS; k++) advance(world[k], steps_for(world[k], 5e-3));
            const rps_vec3 first = force_on(world[0], 0);
            for (int k = 1; k < FLOORS; k++) {
                force = fmax(force, rps_vec3_norm(rps_vec3_sub(force_on(world[k], 0), first)));
                for (uint64_t b = 1; b <= BALLS; b++) worst = fmax(worst, difference(world[0], b, world[k], b, 0.0));
                for (uint64_t b = 1; b <= BALLS; b++) {
                    same = fmax(same, difference(world[FLOORS - 1], b, world[k], b, 0.0));
                }
            }
        }
        ASSERT_ABOVE(position_of(world[0], 1).y, 3.0 * P); /* they did cross */
        SAY("stepper %d: %g m and %g N from a plane, %g m from a box without a period\n", (int)stepper, worst, force,
            same);
        ASSERT_ABOVE(rps_vec3_norm(force_on(world[0], 0)), 0.5 * MASS * 9.8);
        /* rounding leaves 1e-15 m, of a spring of 1e4 N/m 1e-11 N. A nonsmooth step takes the impact of a plane and of a box
         * a little differently, without a period too: 1e-5 m of a path of 0.15 m. */
        ASSERT_BELOW(same, 1e-12);
        ASSERT_BELOW(worst, stepper == PENALTY ? 1e-12 : 1e-5);
        ASSERT_BELOW(force, stepper == PENALTY ? 1e-8 : 1e-4 * MASS * 9.8);
        for (int k = 0; k < FLOORS; k++) rps_world_destroy(world[k]);
    }
}

/* A box, a ball of two pieces and an ellipsoid cross the period on a floor as they do without a period. */
static void cross_the_period(law stepper, bool plane) {
    enum { SHAPES = 3 };
    rps_world *world[2];
    for (int k = 0; k < 2; k++) {
        world[k] = periodic(stepper, k ? P : 0.0, 0, 0.0, 3.0);
        if (plane) {
            add_ground(world[k], at(0.0, 0.0, 1.0));
        } else {
            add_box(world[k], at(0.0, 0.01, -0.05), at(4.0, k ? P : 4.0, 0.1), NULL, 0.0);
        }
        const uint64_t box = add_box(world[k], at(0.0, 0.0, 0.003), at(0.006, 0.006, 0.006), NULL, MASS);
        const rps_piece_def two[2] = {{"sphere", {0.004}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0},
                                      {"sphere", {0.003}, {0.0, 0.004, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0}};
        rps_body_def def = rps_body_def_default();
        def.piece = two;
        def.pieces = 2;
        def.mass = MASS;
        def.position[0] = 0.1;
        def.position[2] = 0.005;
        def.velocity[1] = 0.4;
        add(world[k], &def);
        def = rps_body_def_default();
        def.shape = "ellipsoid";
        to_array(def.parameter, at(0.005, 0.004, 0.003));
        def.mass = MASS;
        to_array(def.position, at(0.2, 0.0, 0.0035));
        def.velocity[1] = 0.4;
        add(world[k], &def);
        rps_vec3_put(world[k]->bodies.motion[rps_world_slot(world[k], box)].velocity, at(0.0, 0.6, 0.0));
        start(world[k]);
    }
    double worst = 0.0;
    for (int n = 0; n < 40; n++) {
        for (int k = 0; k < 2; k++) advance(world[k], steps_for(world[k], 5e-3));
        for (uint64_t b = 1; b <= SHAPES; b++) worst = fmax(worst, difference(world[0], b, world[1], b, 0.0));
    }
    for (uint64_t b = 1; b <= SHAPES; b++) ASSERT_ABOVE(position_of(world[0], b).y, P);
    SAY("stepper %d: %g m from a %s without a period\n", (int)stepper, worst, plane ? "plane" : "floor");
    /* a box falls on four corners at once, and impacts enlarge what rounding leaves */
    ASSERT_BELOW(worst, 1e-9);
    for (int k = 0; k < 2; k++) rps_world_destroy(world[k]);
}

static void test_shapes_cross_the_period(void **state) {
    (void)state;
    for (law stepper = 0; stepper < LAWS; stepper++) {
        for (int plane = 0; plane < 2; plane++) cross_the_period(stepper, plane != 0);
    }
}

/* --- the same scene twice in twice the period -------------------------------------------------------------------------- */

enum { PIECES = 10, LID_BALLS = 3 };

/* A lid of spheres across the whole period, as one body for each of `copies` periods or as one body for all of them, drawn over
 * balls. The first ball of a copy has id 2 + LID_BALLS copy. */
static rps_world *lid_world(law stepper, int copies, uint64_t shuffle) {
    rps_world *world = periodic(stepper, copies * P, shuffle, 0.0, 0.0);
    rps_piece_def piece[2 * PIECES];
    for (int k = 0; k < copies * PIECES; k++) {
        piece[k] = (rps_piece_def){
            "sphere", {0.75 * P / PIECES}, {0.0, P * k / PIECES, 0.0005 * (k % PIECES % 3)}, {1.0, 0.0, 0.0, 0.0}, 0};
    }
    rps_body_def def = rps_body_def_default();
    add_box(world, at(0.0, 0.0, -0.05), at(1.0, 4.0 * P, 0.1), NULL, 0.0);
    def.piece = piece;
    def.pieces = copies * PIECES;
    def.kind = RPS_BODY_DRIVEN;
    def.mass = 1.0;
    def.position[2] = 2.0 * R + 0.0029;
    def.position[1] = 0.3 * P;
    def.drive = (rps_drive){.velocity = {0.0, 0.7, 0.0}, .until = -1.0};
    add(world, &def);
    for (int c = 0; c < copies; c++) {
        for (int b = 0; b < LID_BALLS; b++) {
            add_ball(world, at(0.0002 * b, c * P + 0.3 * P * b, R), R, MASS, at(0.0, 0.0, 0.0), at(0.0, 0.0, 0.0));
        }
    }
    start(world);
    return world;
}

static void test_lid_of_pieces_passes_the_period(void **state) {
    (void)state;
    for (law stepper = 0; stepper < LAWS; stepper++) {
        rps_world *one = lid_world(stepper, 1, 0), *two = lid_world(stepper, 2, 0), *mixed = lid_world(stepper, 1, 5);
        double worst = 0.0, most = 0.0;
        for (int n = 0; n < 60; n++) {
            const uint64_t steps = steps_for(one, 2.5e-3);
            advance(one, steps);
            advance(two, steps);
            advance(mixed, steps);
            assert_true(hash_of(one) == hash_of(mixed));
            most = fmax(most, fabs(force_on(one, 1).z));
            for (uint64_t b = 0; b < LID_BALLS; b++) {
                worst = fmax(worst, difference(one, 2 + b, two, 2 + b, 0.0));
                worst = fmax(worst, difference(one, 2 + b, two, 2 + LID_BALLS + b, P));
            }
        }
        ASSERT_ABOVE(position_of(one, 1).y, 2.5 * P);
        ASSERT_ABOVE(most, 10.0 * MASS * 9.8); /* the lid does press */
        SAY("stepper %d: %g m from the same scene twice\n", (int)stepper, worst);
        ASSERT_BELOW(worst, 1e-9); /* rounding, which impacts enlarge */
        rps_world_destroy(one);
        rps_world_destroy(two);
        rps_world_destroy(mixed);
    }
}

/* A body narrower than the period by less than a ball: the ball lies between two images of it and touches both. The body
 * is far longer along x than the period; where it moves, the slot passes the period. */
static rps_world *slot_world(law stepper, int copies, bool moves, uint64_t shuffle) {
    const rps_drive drive = {.velocity = {0.0, 0.5, 0.0}, .until = -1.0};
    rps_world *world = periodic(stepper, copies * P, shuffle, 0.0, 0.0);
    for (int c = 0; c < copies; c++) {
        add_box(world, at(0.0, c * P + 0.25 * P, 0.0), at(0.9, P - 1.2 * R, 0.02), moves ? &drive : NULL, 0.0);
    }
    for (int c = 0; c < copies; c++) {
        add_ball(world, at(0.1, c * P + 0.75 * P, 0.01 + 0.85 * R), R, MASS, at(0.05, moves ? 0.5 : 0.0, 0.0),
                 at(0.0, 0.0, 5.0));
    }
    start(world);
    return world;
}

static void test_ball_between_two_images(void **state) {
    (void)state;
    for (law stepper = 0; stepper < LAWS; stepper++) {
        for (int moves = 0; moves < 2; moves++) {
            rps_world *one = slot_world(stepper, 1, moves, 0), *two = slot_world(stepper, 2, moves, 0);
            rps_world *mixed = slot_world(stepper, 1, moves, 9);
            double worst = 0.0;
            for (int n = 0; n < 40; n++) {
                const uint64_t steps = steps_for(one, 5e-3);
                advance(one, steps);
                advance(two, steps);
                advance(mixed, steps);
                assert_true(hash_of(one) == hash_of(mixed));
                worst = fmax(worst, difference(one, 1, two, 2, 0.0));
                worst = fmax(worst, difference(one, 1, two, 3, P));
            }
            assert_int_equal(rps_world_contact_count(one), 2);
            /* both edges carry half of the weight each, also after the slot has passed the period */
            ASSERT_NEAR(force_on(one, 1).z, MASS * 9.8, 2e-2 * MASS * 9.8);
            if (moves) ASSERT_ABOVE(position_of(one, 1).y, 2.5 * P);
            SAY("stepper %d: %g m from the same scene twice\n", (int)stepper, worst);
            ASSERT_BELOW(worst, stepper == PENALTY ? 1e-9 : 1e-6); /* rounding; the solver's 1e-10 of a speed */
            rps_world_destroy(one);
            rps_world_destroy(two);
            rps_world_destroy(mixed);
        }
    }
}

/* --- what is refused --------------------------------------------------------------------------------------------------- */

static void refused(rps_world *world, const char *part, const char *name) {
    rps_error err = {0};
    assert_int_equal(rps_world_start(world, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, part) || !strstr(err.text, name)) fail_msg("%s", err.text);
    rps_world_destroy(world);
}

static void test_refused(void **state) {
    (void)state;
    const rps_vec3 zero = at(0.0, 0.0, 0.0);
    rps_body_def def = rps_body_def_default();
    rps_world *world = periodic(PENALTY, P, 0, 0.0, 0.0); /* tilted: images overlap, and are no prism */
    def.shape = "box";
    to_array(def.parameter, at(0.9, 0.9, 0.01));
    def.kind = RPS_BODY_FIXED;
    def.mass = 1.0;
    def.orientation[0] = cos(0.1);
    def.orientation[1] = sin(0.1);
    add(world, &def);
    add_ball(world, at(0.0, 0.0, 0.5), R, MASS, zero, zero);
    refused(world, "so that its images overlap each other", "body 0");

    world = periodic(PENALTY, P, 0, 0.0, 0.0); /* endless, but turning out of the period */
    add_box(world, zero, at(0.9, 0.9, 0.01), &(rps_drive){.angular_velocity = {1.0, 0.0, 0.0}, .until = -1.0}, 0.0);
    add_ball(world, at(0.0, 0.0, 0.5), R, MASS, zero, zero);
    refused(world, "turns about another axis", "along y");

    world = periodic(PENALTY, P, 0, 0.0, 0.0); /* a free body too large beside it */
    add_box(world, zero, at(0.9, 0.9, 0.01), NULL, 0.0);
    add_ball(world, at(0.0, 0.0, 0.5), 0.26 * P, MASS, zero, zero);
    refused(world, "at least four times the largest radius", "body 0");

    world = periodic(PENALTY, P, 0, 0.0, 0.0); /* a sphere without pieces */
    add_ball(world, zero, 0.45 * P, 0.0, zero, zero);
    add_ball(world, at(0.0, 0.0, 0.5), R, MASS, zero, zero);
    refused(world, "beside a fixed or driven sphere", "ellipsoid");

    world = periodic(PENALTY, P, 0, 0.0, 0.0); /* and free ones */
    add_ball(world, zero, 0.3 * P, MASS, zero, zero);
    add_ball(world, at(0.0, 0.0, 0.5), 0.3 * P, MASS, zero, zero);
    refused(world, "the two largest radii of free bodies", "period along y");
}

/* A drum of boxes turns about the period, so that it stays endless: it is allowed, and the ball stays in it. */
static void test_endless_body_turns_about_the_period(void **state) {
    (void)state;
    rps_world *world = periodic(PENALTY, P, 0, 0.0, 0.0);
    rps_piece_def piece[4];
    const double side[4][3] = {{0.0, 0.0, -0.03}, {0.0, 0.0, 0.03}, {-0.03, 0.0, 0.0}, {0.03, 0.0, 0.0}};
    for (int k = 0; k < 4; k++) {
        piece[k] =
            (rps_piece_def){"box", {k < 2 ? 0.08 : 0.02, P, k < 2 ? 0.02 : 0.08, 0.0}, {0}, {1.0, 0.0, 0.0, 0.0}, 0};
        memcpy(piece[k].position, side[k], sizeof side[k]);
    }
    rps_body_def def = rps_body_def_default();
    def.piece = piece;
    def.pieces = 4;
    def.kind = RPS_BODY_DRIVEN;
    def.mass = 1.0;
    def.drive = (rps_drive){.angular_velocity = {0.0, 8.0, 0.0}, .until = -1.0};
    add(world, &def);
    add_ball(world, at(0.0, 0.01, -0.02 + R), R, MASS, at(0.0, 0.3, 0.0), at(0.0, 0.0, 0.0));
    start(world);
    for (int n = 0; n < 100; n++) {
        advance(world, steps_for(world, 5e-3));
        const rps_vec3 x = position_of(world, 1);
        ASSERT_BELOW(hypot(x.x, x.z), 0.02 * sqrt(2.0)); /* inside of the corners */
    }
    ASSERT_ABOVE(fabs(position_of(world, 1).y), P);
    const rps_ledger ledger = ledger_of(world);
    /* the ledger closes at the order of the integrator: every jump of a contact point would show in it */
    ASSERT_BELOW(fabs(ledger.residual), 1e-3 * dissipated_of(&ledger));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_across_the_slice_is_a_plane),
        cmocka_unit_test(test_shapes_cross_the_period),
        cmocka_unit_test(test_lid_of_pieces_passes_the_period),
        cmocka_unit_test(test_ball_between_two_images),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_endless_body_turns_about_the_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
