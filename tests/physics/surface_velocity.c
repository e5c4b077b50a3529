/*
 * Surfaces that run: closed forms of a belt, and the same loads as a surface that moves, for every shape, in both steppers.
 */
#include "meshes.h"

#include <repose/motion.h>
#include <unistd.h>

#define R 0.01
#define G 9.81
#define MASS 0.01
#define SPEED 1.5

typedef enum floor_kind { PLANE, BOX, RECTANGLE, MESH, FLOORS } floor_kind;
static const char *const floor_name[FLOORS] = {"plane", "box", "rectangle", "mesh"};

typedef struct manner {
    floor_kind floor;
    bool moves; /* the body itself, not its material */
    bool nonsmooth, locked, hertz;
    double step, until; /* s, until: the surface runs */
    bool table;         /* over time: starts, runs, reverses, and stops at once */
} manner;

/* The number of the table of such a belt. It stops between two steps of 1 ms. */
static int belt_table(rps_world *world) {
    static const double time[5] = {0.01, 0.03, 0.05, 0.08, 0.1005};
    static const double velocity[5][3] = {{0}, {SPEED}, {SPEED}, {-0.5}, {-0.5, 0.2}};
    rps_motion_def def = rps_motion_def_default();
    int number = 0;
    def.time = time;
    def.velocity = velocity;
    def.rows = 5;
    MUST(rps_world_add_motion(world, &def, &number, ERR));
    return number;
}

/* A ball at rest on a horizontal floor that runs along x. The floor is body 0, the ball body 1. */
static rps_world *belt(const manner *in) {
    rps_world_options options = options_of(in->step);
    options.gravity[2] = -G;
    if (in->nonsmooth) {
        options.stepper = RPS_NONSMOOTH;
        options.nonsmooth.tolerance = 1e-13;
    }
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e4, NULL);
    if (in->hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.4, "kinetic", 0.4, "stiffness", 1e4, "damping",
        in->nonsmooth ? 1.0 : 0.2, NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    if (!in->nonsmooth) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def floor = rps_body_def_default();
    sheet s = sheet_new();
    if (in->floor == PLANE) floor = rps_body_plane(0, 0, 1);
    if (in->floor == BOX) {
        floor.shape = "box";
        floor.parameter[0] = floor.parameter[1] = 4.0;
        floor.parameter[2] = 0.1;
        floor.position[2] = -0.05;
    }
    if (in->floor == RECTANGLE) {
        floor.shape = "rectangle";
        floor.parameter[0] = floor.parameter[1] = 4.0;
    }
    if (in->floor == MESH) {
        rps_mesh_def def = rps_mesh_def_default();
        int number;
        static const double path[5][2] = {{-2.0, 0.0}, {-0.01, 0.0}, {0.004, 0.0}, {0.05, 0.0}, {2.0, 0.0}};
        sheet_extrude(&s, path, 5, 2.0);
        def.point = (const double(*)[3])s.point;
        def.points = s.points;
        def.triangle = (const uint32_t(*)[3])s.triangle;
        def.triangles = s.triangles;
        MUST(rps_world_add_mesh(world, &def, &number, ERR));
        floor = rps_body_mesh(number);
    }
    floor.kind = RPS_BODY_DRIVEN;
    floor.drive.until = in->until > 0.0 ? in->until : -1.0;
    if (in->table) {
        *(in->moves ? &floor.drive.motion : &floor.drive.surface_motion) = belt_table(world);
    } else {
        (in->moves ? floor.drive.velocity : floor.drive.surface_velocity)[0] = SPEED;
    }
    MUST(rps_world_add_body(world, &floor, NULL, ERR));
    sheet_free(&s);
    rps_body_def ball = rps_body_def_default();
    ball.radius = R;
    ball.mass = MASS;
    ball.locked = in->locked;
    ball.position[2] = R - (in->hertz ? 1e-5 : MASS * G / 1e4);
    MUST(rps_world_add_body(world, &ball, NULL, ERR));
    start(world);
    return world;
}

/* Slipping, a = mu g; a block ends at the speed of the belt after .38226 s, a ball rolls after .10922 s with v = 2/7 of it and
 * R w = 5/7. The drive gives v^2 m to the block, half of which friction takes. */
static void test_belt(void **state) {
    (void)state;
    for (int kind = 0; kind < FLOORS; kind++) {
        for (int nonsmooth = 0; nonsmooth < 2; nonsmooth++) {
            manner in = {.floor = (floor_kind)kind, .nonsmooth = nonsmooth == 1, .locked = true};
            in.step = nonsmooth ? 1e-3 : 5e-5;
            rps_world *block = belt(&in);
            in.locked = false;
            rps_world *ball = belt(&in);
            advance(block, (uint64_t)(0.2 / in.step + 0.5));
            advance(ball, (uint64_t)(0.06 / in.step + 0.5));
            /* friction has its full value after 4e-6 m of slip, in 3e-6 s of the belt */
            ASSERT_NEAR(velocity_of(block, 1).x, 0.4 * G * 0.2, 2e-3);
            ASSERT_NEAR(velocity_of(ball, 1).x, 0.4 * G * 0.06, 2e-3);
            advance(block, (uint64_t)(0.25 / in.step + 0.5));
            advance(ball, (uint64_t)(0.09 / in.step + 0.5));
            const rps_vec3 v = velocity_of(ball, 1), w = turning_of(ball, 1);
            const rps_ledger l = ledger_of(block), m = ledger_of(ball);
            SAY("%s, %s: block %.5f m/s (drive %.4f, lost %.4f J/kg, residual %.1e J); ball %.5f m/s, R w %.5f m/s\n",
                floor_name[kind], nonsmooth ? "nonsmooth" : "penalty", velocity_of(block, 1).x, l.drives / MASS,
                l.dissipated[RPS_ROLE_SLIDE] / MASS, l.residual, v.x, -R * w.y);
            ASSERT_NEAR(velocity_of(block, 1).x, SPEED, 2e-3);
            ASSERT_NEAR(v.x, 2.0 / 7.0 * SPEED, 1e-3);
            ASSERT_NEAR(-R * w.y, 5.0 / 7.0 * SPEED, 1e-3);
            /* a spring of friction at rest and a step of the nonsmooth stepper are part of the difference */
            ASSERT_NEAR(l.drives / MASS, SPEED * SPEED, 1e-2);
            ASSERT_NEAR(l.dissipated[RPS_ROLE_SLIDE] / MASS, 0.5 * SPEED * SPEED, 1e-2);
            ASSERT_NEAR(m.drives / MASS, 2.0 / 7.0 * SPEED * SPEED, 1e-2);
            ASSERT_BELOW(fabs(l.residual), 1e-5 * l.drives);
            ASSERT_BELOW(fabs(m.residual), 1e-5 * m.drives);
            assert_true(position_of(block, 0).x == 0.0);
            rps_world_destroy(block);
            rps_world_destroy(ball);
        }
    }
}

/* A floor that moves along itself gives the same loads and the same work. */
static void test_same_as_moving(void **state) {
    (void)state;
    for (int kind = 0; kind < FLOORS; kind++) {
        for (int way = 0; way < 8; way++) {
            manner in = {.floor = (floor_kind)kind, .nonsmooth = way / 2 % 2 == 1, .hertz = way % 2 == 1};
            in.table = way > 3;
            in.step = in.nonsmooth ? 1e-3 : 2e-5;
            in.until = in.table ? 0.0 : 0.1;
            rps_world *runs = belt(&in);
            in.moves = true;
            rps_world *moves = belt(&in);
            double worst = 0.0;
            for (int n = 0; n < 75; n++) {
                advance(runs, (uint64_t)(2e-3 / in.step + 0.5));
                advance(moves, (uint64_t)(2e-3 / in.step + 0.5));
                bool found[2];
                const rps_contact a = contact_of(runs, 0, 1, &found[0]), b = contact_of(moves, 0, 1, &found[1]);
                assert_true(found[0] == found[1]);
                worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(as_vec(a.slide_force), as_vec(b.slide_force))));
                worst = fmax(worst, fabs(a.normal_load[0] - b.normal_load[0]));
            }
            const double work[2] = {ledger_of(runs).drives, ledger_of(moves).drives};
            /* the ball bounces on its spring, and gravity acts along x + h v: m g h v/2 */
            const double bounces = in.nonsmooth ? 0.5 * MASS * G * in.step * fabs(velocity_of(runs, 1).z) : 0.0;
            ASSERT_BELOW(fabs(ledger_of(runs).residual), 1e-5 * work[0] + bounces);
            SAY("%s, %s%s: loads within %.1e m g, work %.6e and %.6e J\n", floor_name[kind],
                in.nonsmooth ? "nonsmooth" : "penalty", in.table ? ", by a table" : "", worst / (MASS * G), work[0],
                work[1]);
            /* rounding of a position that moves, in a stiff contact; the tolerance of the solver */
            ASSERT_BELOW(worst, (in.nonsmooth ? 1e-7 : 1e-10) * MASS * G);
            ASSERT_NEAR(work[0], work[1], (in.nonsmooth ? 1e-6 : 1e-9) * work[1]);
            rps_world_destroy(runs);
            rps_world_destroy(moves);
        }
    }
}

/* --- surfaces that turn -------------------------------------------------------------------------------------------------- */

/* A turning disk, or drum, as a body that turns or as material that does: the same path of a ball and the same work. kind: 0 a
 * plane, 1 a disk_wall, 2 a cylinder_wall about y, 3 a ball that turns under the other. */
static rps_world *turning(int kind, bool moves, bool nonsmooth, bool table) {
    rps_world_options options = options_of(nonsmooth ? 1e-3 : 2e-5);
    options.gravity[2] = -G;
    if (nonsmooth) {
        options.stepper = RPS_NONSMOOTH;
        options.nonsmooth.tolerance = 1e-13;
    }
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e4, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.4, "kinetic", 0.4, "stiffness", 1e4, NULL);
    if (!nonsmooth) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def body = rps_body_def_default();
    rps_vec3 at = {0.05, 0.02, R};
    const int axis = kind == 2 || kind == 3 ? 1 : 2;
    if (kind == 0) body = rps_body_plane(0, 0, 1);
    if (kind == 1) {
        body.shape = "disk_wall";
        body.parameter[0] = 0.5;
    }
    if (kind == 2) {
        body.shape = "cylinder_wall";
        body.parameter[0] = 0.1;
        body.parameter[1] = 0.4;
        body.orientation[0] = sqrt(0.5); /* its axis z turned to y */
        body.orientation[1] = -sqrt(0.5);
        at = rps_vec3_make(0.0, 0.0, -0.09);
    }
    if (kind == 3) {
        body.radius = 0.1;
        at = rps_vec3_make(0.002, 0.0, 0.11);
    }
    body.kind = RPS_BODY_DRIVEN;
    body.drive.until = -1.0;
    if (table) { /* slower and slower, and backward */
        const double time[3] = {0.0, 0.06, 0.2};
        double rate[3][3] = {{0}};
        rps_motion_def def = rps_motion_def_default();
        rate[0][axis] = 6.0;
        rate[1][axis] = 1.0;
        rate[2][axis] = -3.0;
        def.time = time;
        def.rows = 3;
        def.angular_velocity = (const double(*)[3])rate;
        MUST(rps_world_add_motion(world, &def, moves ? &body.drive.motion : &body.drive.surface_motion, ERR));
    } else {
        (moves ? body.drive.angular_velocity : body.drive.surface_turning)[axis] = 4.0;
    }
    MUST(rps_world_add_body(world, &body, NULL, ERR));
    add_ball(world, at, R, MASS, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    return world;
}

static void test_turning(void **state) {
    (void)state;
    static const char *const name[] = {"plane", "disk_wall", "cylinder_wall", "sphere"};
    for (int kind = 0; kind < 4; kind++) {
        for (int n = 0; n < 4; n++) {
            const bool nonsmooth = n % 2 == 1, table = n > 1;
            if (kind == 0 && nonsmooth && table)
                continue; /* a table may tilt a plane, which a step of 1 ms is too long for */
            rps_world *runs = turning(kind, false, nonsmooth, table), *moves = turning(kind, true, nonsmooth, table);
            advance(runs, nonsmooth ? 100 : 5000);
            advance(moves, nonsmooth ? 100 : 5000);
            const double path = rps_vec3_norm(rps_vec3_sub(position_of(runs, 1), position_of(moves, 1)));
            const double spin = rps_vec3_norm(rps_vec3_sub(turning_of(runs, 1), turning_of(moves, 1)));
            const rps_ledger a = ledger_of(runs), b = ledger_of(moves);
            SAY("%s, %s%s: positions within %.1e m, turning within %.1e rad/s, work %.5e and %.5e J, residual %.1e J\n",
                name[kind], nonsmooth ? "nonsmooth" : "penalty", table ? ", by a table" : "", path, spin, a.drives,
                b.drives, a.residual);
            ASSERT_ABOVE(fabs(b.drives), 1e-6);
            /* penalty: second order of the step; nonsmooth, of first order: the point of contact is that of its beginning, and a
             * body that turns carries the memory along */
            ASSERT_BELOW(path, nonsmooth ? 1e-5 : 1e-7);
            ASSERT_BELOW(spin, nonsmooth ? 1e-1 : 1e-3);
            ASSERT_NEAR(a.drives, b.drives, (nonsmooth ? 1e-2 : 1e-4) * fabs(b.drives));
            ASSERT_BELOW(fabs(a.residual), (nonsmooth ? 1e-2 : 1e-6) * fabs(a.drives));
            rps_world_destroy(runs);
            rps_world_destroy(moves);
        }
    }
}

/* --- changes and checkpoints ----------------------------------------------------------------------------------------------- */

static void changes(bool table) {
    const manner in = {.floor = MESH, .step = 5e-5, .table = table};
    rps_world *world = belt(&in);
    advance(world, 800);
    char path[] = "/tmp/repose-surface-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    MUST(rps_world_save(world, path, ERR));
    rps_world *again = belt(&in);
    MUST(rps_world_restore(again, path, ERR));
    remove(path);
    rps_drive drive = {.until = -1.0};
    drive.surface_velocity[1] = -0.5;
    rps_world *both[2] = {world, again};
    uint64_t hash[2][2];
    for (int k = 0; k < 2; k++) {
        advance(both[k], 500);
        MUST(rps_world_set_drive(both[k], 0, &drive, ERR));
        advance(both[k], 20000);
        MUST(rps_world_hash(both[k], hash[k], ERR));
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    const rps_vec3 v = velocity_of(world, 1);
    ASSERT_BELOW(v.y, -0.01);
    /* in the step after the change, half of the power is still that of the old drive */
    ASSERT_BELOW(fabs(ledger_of(world).residual), 0.5 * 0.4 * MASS * G * 2.0 * in.step);
    rps_world_destroy(world);
    rps_world_destroy(again);
}

static void test_changes(void **state) {
    (void)state;
    changes(false);
    changes(true);
    /* what contacts of spheres and planes remember cannot change */
    rps_error err;
    rps_world *turns = turning(3, true, false, false);
    rps_drive drive = {.until = -1.0};
    drive.surface_velocity[1] = 1.0;
    assert_int_equal(rps_world_set_drive(turns, 0, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "from the start"));
    drive.surface_velocity[1] = NAN;
    assert_int_equal(rps_world_set_drive(turns, 0, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "surface velocity"));
    drive = (rps_drive){.until = -1.0, .surface_motion = 1};
    assert_int_equal(rps_world_set_drive(turns, 0, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "its surface refers to table of motion 1, which does not exist"));
    rps_world_destroy(turns);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_belt), cmocka_unit_test(test_same_as_moving),
                                       cmocka_unit_test(test_turning), cmocka_unit_test(test_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
