/*
 * Walls without thickness against closed forms: loads and curvatures on hollow sides, periods and paths of balls that roll
 * or slide in them, what balls on walls inherit from planes, the ledger, and what is refused.
 */
#include "worlds.h"

#include "detect/gap_table.h"
#include "world/world.h"

static const double G = 9.81, R = 0.01, MASS = 0.01, WALL = 0.1;

typedef struct laws {
    double hertz, stiffness, slide, roll, dashpot; /* effective modulus, Pa; else N/m; friction 0: none */
    bool nonsmooth;
} laws;

static rps_world *world_with(double step, laws of, rps_vec3 gravity) {
    rps_world_options options = options_of(step);
    to_array(options.gravity, gravity);
    if (of.nonsmooth) {
        options.stepper = RPS_NONSMOOTH;
        options.nonsmooth.tolerance = 1e-10;
    }
    options.guards.action[RPS_GUARD_MOTION] = RPS_GUARD_OFF;
    rps_pair pair = rps_pair_default();
    if (of.hertz > 0.0) {
        use(&pair, RPS_ROLE_NORMAL, "hertz", "effective_modulus", of.hertz, NULL);
    } else {
        use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", of.stiffness, NULL);
    }
    if (of.dashpot > 0.0) {
        use(&pair, RPS_ROLE_DAMPING, of.nonsmooth ? "restitution" : "ratio", "value", of.nonsmooth ? 0.0 : of.dashpot,
            NULL);
    }
    if (of.slide > 0.0) {
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", of.slide, "kinetic", of.slide, "stiffness", 0.5 * of.stiffness,
            "damping", 0.3, NULL);
    }
    if (of.roll > 0.0) use(&pair, RPS_ROLE_ROLL, "tracked", "eta", of.roll, "threshold", 1.0, NULL);
    return world_of(&options, &pair);
}

static rps_vec3 down(double g) {
    return rps_vec3_make(0.0, 0.0, -g);
}

/* A body at a place whose z axis is turned onto y if it lies. */
static uint64_t add(rps_world *world, rps_body_def def, rps_vec3 x, bool lies) {
    uint64_t id;
    to_array(def.position, x);
    if (lies) def.orientation[0] = def.orientation[1] = sqrt(0.5);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static rps_body_def locked_ball(void) {
    rps_body_def def = rps_body_sphere(R);
    def.mass = MASS;
    def.locked = true;
    return def;
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* Load on a ball that overlaps the wall by `overlap` at its lowest point, z = -depth. */
static double load_at(rps_body_def wall, bool lies, double depth, double overlap, double modulus) {
    rps_world *world = world_with(1e-6, (laws){.hertz = modulus}, down(0.0));
    double force[3], torque[3];
    add(world, wall, rps_vec3_zero(), lies);
    const uint64_t ball =
        add_ball(world, rps_vec3_make(0.0, 0.0, -depth + R - overlap), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    MUST(rps_world_body_load(world, ball, force, torque, ERR));
    rps_world_destroy(world);
    return force[2];
}

/* F = 4/3 E* sqrt(R_eff) delta^1.5 with R_eff = R R_w/(R_w - R) in a sphere, 1/(1/R - 1/(2 R_w)) in a cylinder, and the
 * signs turned from outside. At 1 N and E 10 MPa, nu .3, the overlaps are 74.843 and 76.204 um. */
static void test_hertz(void **state) {
    (void)state;
    const double modulus = 1e7 / (1.0 - 0.09);
    /* the overlaps are given to 5 digits */
    ASSERT_NEAR(load_at(rps_body_sphere_wall(WALL, 0.0), false, WALL, 74.843e-6, modulus), 1.0, 2e-5);
    ASSERT_NEAR(load_at(rps_body_cylinder_wall(WALL, 0.2, 0), true, WALL, 76.204e-6, modulus), 1.0, 2e-5);
    const double overlap = 1e-5, flat = 4.0 / 3.0 * modulus * sqrt(R) * pow(overlap, 1.5);
    /* on the roof of a lying cylinder: convex */
    ASSERT_NEAR(load_at(rps_body_cylinder_wall(WALL, 0.2, 0), true, -WALL, overlap, modulus) / flat,
                1.0 / sqrt(1.0 + 0.5 * R / WALL), 1e-9);
    ASSERT_NEAR(load_at(rps_body_sphere_wall(WALL, 0.0), false, -WALL, overlap, modulus) / flat,
                1.0 / sqrt(1.0 + R / WALL), 1e-9);
    ASSERT_NEAR(load_at(rps_body_disk_wall(WALL, 0.0), false, 0.0, overlap, modulus) / flat, 1.0, 1e-9);
    ASSERT_NEAR(load_at(rps_body_rectangle(WALL, WALL), false, 0.0, overlap, modulus) / flat, 1.0, 1e-9);
}

/* --- rolling and sliding ------------------------------------------------------------------------------------------ */

/* Time of two passes through the lowest point of a lying cylinder in one sense, s, after a release at `angle`. */
static double period(double angle, double friction, bool nonsmooth) {
    const laws of = {.stiffness = 1e6, .slide = friction, .nonsmooth = nonsmooth};
    rps_world *world = world_with(nonsmooth ? 2e-4 : 1e-5, of, down(G));
    const double arm = WALL - R;
    add(world, rps_body_cylinder_wall(WALL, 0.1, 2), rps_vec3_zero(), true);
    const uint64_t ball = add_ball(world, rps_vec3_make(arm * sin(angle), 0.0, -arm * cos(angle)), R, MASS,
                                   rps_vec3_zero(), rps_vec3_zero());
    double crossed[2] = {0.0, 0.0};
    int passes = 0;
    start(world);
    for (double before = arm * sin(angle); passes < 3 && rps_world_time(world) < 2.0;) {
        advance(world, 1);
        const double x = position_of(world, ball).x, t = rps_world_time(world);
        if (x * before <= 0.0) {
            const double at = t - world->step * x / (x - before);
            if (passes != 1) crossed[passes / 2] = at;
            passes++;
        }
        before = x;
    }
    rps_world_destroy(world);
    assert_int_equal(passes, 3);
    return crossed[1] - crossed[0];
}

/* 2 pi sqrt(1.4 (R_w - R)/g) rolling, without the 1.4 sliding; from 40 degrees the elliptic integral. 3e-4: from 1 degree
 * the angle adds 2e-5, the elastic slip of the spring some 1e-4, the overlap of the weight none. */
static void test_period(void **state) {
    (void)state;
    const double degree = RPS_PI / 180.0;
    ASSERT_NEAR(period(degree, 1.0, false), 0.71208, 3e-4 * 0.71208);
    ASSERT_NEAR(period(degree, 0.0, false), 0.60182, 3e-4 * 0.60182);
    ASSERT_NEAR(period(40.0 * degree, 1.0, false), 0.73440, 3e-4 * 0.73440);
    ASSERT_NEAR(period(40.0 * degree, 1.0, true), 0.73440, 2e-3 * 0.73440); /* first order in a step of .2 ms */
}

/* A locked ball slides half round in a cylinder without gravity: v falls by exp(-mu angle), here while it turns by pi. */
static void test_half_round(void **state) {
    (void)state;
    rps_world *world = world_with(2e-6, (laws){.stiffness = 1e6, .slide = 0.3, .dashpot = 0.3}, down(0.0));
    add(world, rps_body_cylinder_wall(WALL, 0.1, 0), rps_vec3_zero(), true);
    rps_body_def def = locked_ball();
    /* it begins with the overlap that carries m v^2/(R_w - R) */
    const double v = 1.0, arm = WALL - R, overlap = MASS * v * v / arm / 1e6;
    def.velocity[0] = v;
    const uint64_t ball = add(world, def, rps_vec3_make(0.0, 0.0, -arm - overlap), false);
    start(world);
    while (position_of(world, ball).z < 0.0) advance(world, 10);
    double angle = 0.0;
    for (rps_vec3 x = position_of(world, ball); angle < RPS_PI;) {
        angle = RPS_PI / 2.0 + atan2(x.z, x.x);
        if (angle < 0.0) angle += 2.0 * RPS_PI;
        if (angle >= RPS_PI) break;
        advance(world, 1);
        x = position_of(world, ball);
    }
    /* 1e-3: the spring of friction needs a short way before it slips, and overlaps change the arm by 1e-6 */
    ASSERT_NEAR(rps_vec3_norm(velocity_of(world, ball)) / v, exp(-0.3 * angle), 1e-3);
    rps_world_destroy(world);
}

/* Inside a vertical cylinder a ball that rolls around at Omega sinks and rises with the period sqrt(7/2) of its turns about
 * the axis, by 5 g/Omega^2. */
static void test_vertical_cylinder(void **state) {
    (void)state;
    const double arm = WALL - R, turn = 60.0, v = turn * arm, k = 1e7;
    rps_world *world = world_with(1e-6, (laws){.stiffness = k, .slide = 1.0}, down(G));
    add(world, rps_body_cylinder_wall(WALL, 0.2, 0), rps_vec3_zero(), false);
    rps_body_def def = rps_body_sphere(R);
    def.mass = MASS;
    def.velocity[1] = v;
    def.angular_velocity[2] = -v / R; /* rolls on the wall at +x */
    const uint64_t ball = add(world, def, rps_vec3_make(arm + MASS * v * v / arm / k, 0.0, 0.0), false);
    double lowest = 0.0, when = 0.0;
    start(world);
    while (rps_world_time(world) < 1.2 * sqrt(3.5) * 2.0 * RPS_PI / turn) {
        advance(world, 20);
        const double z = position_of(world, ball).z;
        if (z < lowest) {
            lowest = z;
            when = rps_world_time(world);
        }
    }
    /* 1 %: elastic slip of friction, overlap m v^2/(k (R_w - R)) = 3e-5 m */
    ASSERT_NEAR(lowest, -5.0 * G / (turn * turn), 0.01 * 5.0 * G / (turn * turn));
    ASSERT_NEAR(when, 0.5 * sqrt(3.5) * 2.0 * RPS_PI / turn, 0.01 * when);
    rps_world_destroy(world);
}

/* In a drum a ball stays where the moment of rolling friction holds it: tan = 2 eta mu R_w/(R_w - R); a locked one where
 * friction slips. It starts there, turning with the drum: friction that slips damps nothing. Mean angle, rad. */
static double angle_in_drum(double friction, double roll, double angle, bool nonsmooth) {
    const laws of = {.stiffness = 1e6, .slide = friction, .roll = roll, .dashpot = 0.5, .nonsmooth = nonsmooth};
    rps_world *world = world_with(nonsmooth ? 5e-4 : 2e-5, of, down(G));
    const double turn = 2.0, arm = WALL - R + MASS * G / 1e6;
    rps_body_def drum = rps_body_cylinder_wall(WALL, 0.1, 2), def = locked_ball();
    drum.kind = RPS_BODY_DRIVEN;
    drum.drive.angular_velocity[1] = -turn; /* its lowest point moves to +x */
    add(world, drum, rps_vec3_zero(), true);
    def.locked = roll == 0.0;
    def.angular_velocity[1] = def.locked ? 0.0 : -turn * WALL / R;
    const uint64_t ball = add(world, def, rps_vec3_make(arm * sin(angle), 0.0, -arm * cos(angle)), false);
    double sum = 0.0;
    start(world);
    for (int k = 0; k < 200; k++) {
        advance(world, (uint64_t)(0.01 / world->step + 0.5));
        const rps_vec3 x = position_of(world, ball);
        sum += atan2(x.x, -x.z) / 200.0;
    }
    rps_world_destroy(world);
    return sum;
}

static void test_drum(void **state) {
    (void)state;
    /* 5e-4: what still swings while both springs are loaded at the start; from zero it would swing by the whole angle */
    const double rolls = atan(0.066667), slips = 26.565 * RPS_PI / 180.0;
    ASSERT_NEAR(angle_in_drum(0.3, 0.1, rolls, false), rolls, 5e-4);
    ASSERT_NEAR(angle_in_drum(0.5, 0.0, slips, false), slips, 5e-4);
    ASSERT_NEAR(angle_in_drum(0.5, 0.0, slips, true), slips, 5e-4);
    /* elsewhere it does not stay: the mean over the swings shows the angle, not the start */
    ASSERT_ABOVE(fabs(angle_in_drum(0.5, 0.0, 0.5 * slips, false) - 0.5 * slips), 0.1);
}

/* A frictionless ball runs from a straight pipe into a tangent bend along its outer side and leaves with its speed; there
 * the load is m v^2/(A + t - R). */
static void test_bend(void **state) {
    (void)state;
    const double ring = 0.2, tube = 0.03, k = 1e6;
    rps_world *world = world_with(2e-6, (laws){.stiffness = k, .dashpot = 0.5}, down(0.0));
    rps_piece_def piece[2] = {rps_piece_of(rps_body_torus_wall(ring, tube, 0.0, 0.5 * RPS_PI)),
                              rps_piece_of(rps_body_cylinder_wall(tube, 0.1, 0))};
    piece[1].position[0] = ring; /* a straight pipe along y before the bend */
    piece[1].position[1] = -0.05;
    piece[1].orientation[0] = piece[1].orientation[1] = sqrt(0.5);
    rps_body_def def = rps_body_def_default(), ball = rps_body_sphere(R);
    def.piece = piece;
    def.pieces = 2;
    def.kind = RPS_BODY_FIXED;
    const uint64_t pipe = add(world, def, rps_vec3_zero(), false);
    ball.mass = MASS;
    ball.velocity[1] = 1.0;
    const uint64_t id = add(world, ball, rps_vec3_make(ring + tube - R, -0.04, 0.0), false);
    double most = 0.0, mean = 0.0;
    int counted = 0;
    start(world);
    while (rps_world_time(world) < 0.5 && position_of(world, id).y < ring + 0.05 && position_of(world, id).x > 0.0) {
        advance(world, 20);
        const double angle = atan2(position_of(world, id).y, position_of(world, id).x);
        double force[3], torque[3];
        MUST(rps_world_body_load(world, id, force, torque, ERR));
        most = fmax(most, rps_vec3_norm(as_vec(force)));
        if (angle < 0.3 || angle > 1.2) continue;
        mean += rps_vec3_norm(as_vec(force));
        counted++;
    }
    (void)pipe;
    /* 1e-4: what is left of the blow with which the load begins, and the change of the radius by the overlap, 5e-8 m */
    ASSERT_NEAR(mean / counted / MASS, 1.0 / (ring + tube - R), 1e-3);
    ASSERT_NEAR(rps_vec3_norm(velocity_of(world, id)), 1.0, 1e-5); /* v^2 lost where the load begins: m a/k/2 */
    rps_world_destroy(world);
}

/* --- planes, motion, ledger --------------------------------------------------------------------------------------- */

/* A ball thrown on a disk, a rectangle and a triangle moves as on a plane; inside a cylinder of 1e4 m nearly so. */
static void test_plane(void **state) {
    (void)state;
    rps_vec3 x[6], w[6];
    for (int k = 0; k < 6; k++) { /* the last two after a third of the time */
        rps_world *world =
            world_with(1e-5, (laws){.stiffness = 1e5, .slide = 0.4, .roll = 0.05, .dashpot = 0.1}, down(G));
        const rps_body_def wall[6] = {
            rps_body_plane(0, 0, 1),
            rps_body_disk_wall(1.0, 0.0),
            rps_body_rectangle(1.0, 1.0),
            rps_body_triangle((const double[]){2.0, 0.0, 0.0}, (const double[]){0.0, 2.0, 0.0}),
            rps_body_plane(0, 0, 1),
            rps_body_cylinder_wall(1e4, 200.0, 0)};
        rps_body_def turned = wall[k];
        if (k == 2) turned.orientation[1] = 1.0, turned.orientation[0] = 0.0; /* from its other side */
        add(world, turned,
            k == 3   ? rps_vec3_make(-0.5, -0.5, 0.0)
            : k == 5 ? rps_vec3_make(0.0, 0.0, 1e4)
                     : rps_vec3_zero(),
            k == 5);
        const uint64_t ball = add_ball(world, rps_vec3_make(0.01, 0.02, 0.03), R, MASS, rps_vec3_make(0.3, 0.1, -0.5),
                                       rps_vec3_make(3.0, 5.0, 7.0));
        start(world);
        advance(world, k > 3 ? 11000 : 30000);
        x[k] = position_of(world, ball);
        w[k] = turning_of(world, ball);
        rps_world_destroy(world);
        /* roundings of 30,000 steps; after one bounce the slope of the wall, 4e-6 at 4 cm, has turned the velocity */
        const double allowed = k == 5 ? 3e-6 : 1e-9;
        const int as = k > 3 ? 4 : 0;
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(x[k], x[as])), allowed);
        ASSERT_BELOW(0.1 * R * rps_vec3_norm(rps_vec3_sub(w[k], w[as])), allowed); /* that of a tenth of a second */
    }
}

/* A wall and a ball on it move as one: each turns about its own centre, so both turn about the line between them, on which
 * the contact lies. Nothing rolls, slips or spins, and the load stays. */
static void test_rigid_motion(void **state) {
    (void)state;
    const rps_body_def walls[] = {rps_body_cylinder_wall(WALL, 0.3, 0), rps_body_sphere_wall(WALL, 0.5),
                                  rps_body_disk_wall(WALL, 0.0), rps_body_rectangle(WALL, WALL)};
    for (size_t k = 0; k < sizeof walls / sizeof *walls; k++) {
        rps_world *world = world_with(1e-4, (laws){.stiffness = 1e5, .slide = 0.4, .roll = 0.1}, down(0.0));
        rps_body_def wall = walls[k], ball = rps_body_sphere(R);
        wall.kind = ball.kind = RPS_BODY_DRIVEN;
        const rps_vec3 out = k < 2 ? rps_vec3_make(1.0, 0.0, 0.0) : rps_vec3_make(0.0, 0.0, 1.0), v = {0.3, -0.2, 0.1};
        to_array(wall.drive.angular_velocity, rps_vec3_scale(out, 2.0));
        to_array(ball.drive.angular_velocity, rps_vec3_scale(out, 2.0));
        to_array(wall.drive.velocity, v);
        to_array(ball.drive.velocity, v);
        MUST(rps_world_group(world, "ball", &ball.group, ERR));
        MUST(rps_world_group(world, "wall", &wall.group, ERR));
        MUST(rps_world_include(world, ball.group, wall.group, ERR));
        const double overlap = 1e-5, far = k < 2 ? WALL - R + overlap : R - overlap;
        const uint64_t a = add(world, wall, rps_vec3_zero(), false);
        const uint64_t b = add(world, ball, rps_vec3_scale(out, far), false);
        start(world);
        advance(world, 10000);
        const rps_contact contact = contact_of(world, b, a, NULL);
        ASSERT_NEAR(contact.normal_load[0], 1e5 * overlap, 1e-9);
        double force[3], torque[3];
        MUST(rps_world_body_load(world, b, force, torque, ERR));
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_reject(as_vec(force), out)), 1e-8); /* slip of 2e-13 m in 10,000 steps */
        ASSERT_BELOW(rps_vec3_norm(as_vec(torque)), 1e-10);
        rps_world_destroy(world);
    }
}

/* Largest residual of the ledger, as a part of the energy, of a ball that rolls and slips inside a wall. */
static double residual_of(rps_body_def wall, bool lies, rps_vec3 x, rps_vec3 v, double step) {
    const laws of = {.hertz = 1e7, .stiffness = 2e4, .slide = 0.6, .roll = 0.02};
    rps_world *world = world_with(step, of, down(G));
    add(world, wall, rps_vec3_zero(), lies);
    const uint64_t ball = add_ball(world, x, R, MASS, v, rps_vec3_make(3.0, 2.0, 1.0));
    double most = 0.0;
    (void)ball;
    start(world);
    for (int k = 0; k < 200; k++) {
        advance(world, (uint64_t)(1e-3 / step + 0.5));
        most = fmax(most, fabs(ledger_of(world).residual));
    }
    rps_world_destroy(world);
    return most / (0.5 * MASS * rps_vec3_norm2(v));
}

/* The residual falls with the square of the step, also where the curvature of the wall changes. */
static void test_ledger(void **state) {
    (void)state;
    const struct {
        rps_body_def wall;
        bool lies;
        rps_vec3 x, v;
    } c[] = {
        {rps_body_cylinder_wall(WALL, 0.3, 0), true, {0.0, -0.05, -WALL + R - 3e-5}, {1.0, 0.2, 0.0}},
        {rps_body_cone_wall(0.02, 0.2, 0.18, 0), false, {0.11 - R * 1.41421356 + 4e-5, 0.0, 0.0}, {0.0, 1.0, -0.2}},
        {rps_body_sphere_wall(WALL, 0.5), false, {0.0, 0.0, -WALL + R - 3e-5}, {1.0, 0.2, 0.0}},
        {rps_body_torus_wall(0.2, 0.03, 0.0, 2.0 * RPS_PI), false, {0.2, 0.0, -0.03 + R - 3e-5}, {0.2, 1.0, 0.0}},
    };
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        const double coarse = residual_of(c[k].wall, c[k].lies, c[k].x, c[k].v, 2e-5);
        const double fine = residual_of(c[k].wall, c[k].lies, c[k].x, c[k].v, 1e-5);
        SAY("%s: residual %.3g of the energy, at half the step %.3g\n", c[k].wall.shape, coarse, fine);
        ASSERT_BELOW(coarse, 1e-4);
        ASSERT_ABOVE(coarse / fine, 2.5); /* 4, but for rebounds and slips that begin between steps */
    }
}

/* --- rims --------------------------------------------------------------------------------------------------------- */

/* Parts that meet count once: a ball on the outer rim of a closed drum, and on the common edge of two rectangles. */
static void test_joined(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double s = sqrt(0.5), stiffness = 1e5, overlap = 1e-5;
        rps_world *world = world_with(1e-6, (laws){.stiffness = stiffness}, down(0.0));
        rps_vec3 at, n = {s, 0.0, s};
        if (k == 0) {
            add(world, rps_body_cylinder_wall(WALL, 0.1, 2), rps_vec3_zero(), false);
            at = rps_vec3_make(WALL, 0.0, 0.05);
        } else {
            rps_piece_def piece[2] = {rps_piece_of(rps_body_rectangle(0.1, 0.1)),
                                      rps_piece_of(rps_body_rectangle(0.1, 0.1))};
            piece[1].position[0] = 0.1;
            if (k == 2) { /* at a right angle, below */
                piece[1].position[0] = 0.05;
                piece[1].position[2] = -0.05;
                piece[1].orientation[0] = piece[1].orientation[2] = s;
            }
            rps_body_def def = rps_body_def_default();
            def.piece = piece;
            def.pieces = 2;
            def.kind = RPS_BODY_FIXED;
            add(world, def, rps_vec3_zero(), false);
            at = rps_vec3_make(0.05, 0.0, 0.0);
            if (k == 1) n = rps_vec3_make(0.0, 0.0, 1.0);
        }
        const uint64_t ball =
            add_ball(world, rps_vec3_add_scaled(at, R - overlap, n), R, MASS, rps_vec3_zero(), rps_vec3_zero());
        double force[3], torque[3];
        start(world);
        MUST(rps_world_body_load(world, ball, force, torque, ERR));
        ASSERT_NEAR(rps_vec3_norm(as_vec(force)), stiffness * overlap, 1e-9);
        ASSERT_NEAR(rps_vec3_dot(as_vec(force), n), stiffness * overlap, 1e-9);
        rps_world_destroy(world);
    }
}

/* A ball rolls without friction over the rim of a hole of a disk, and off its edge: the potential has no jump. */
static void test_over_rim(void **state) {
    (void)state;
    double residual[2];
    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? 2e-6 : 1e-6;
        rps_world *world = world_with(step, (laws){.hertz = 1e7, .stiffness = 1e4}, down(G));
        add(world, rps_body_disk_wall(WALL, 0.0), rps_vec3_zero(), false);
        add_ball(world, rps_vec3_make(0.09, 0.0, R - 2e-4), R, MASS, rps_vec3_make(0.15, 0.02, 0.0), rps_vec3_zero());
        residual[k] = 0.0;
        start(world);
        for (int n = 0; n < 300; n++) {
            advance(world, (uint64_t)(1e-3 / step + 0.5));
            residual[k] = fmax(residual[k], fabs(ledger_of(world).residual));
        }
        rps_world_destroy(world);
    }
    SAY("over the edge of a disk: residual %.3g J, at half the step %.3g J\n", residual[0], residual[1]);
    ASSERT_BELOW(residual[0], 1e-6); /* 1e-4 of what it falls */
    ASSERT_ABOVE(residual[0] / residual[1], 2.5);
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static rps_status try_body(rps_body_def wall, bool lies, rps_body_def body, rps_vec3 x, rps_error *err) {
    rps_world *world = world_with(1e-5, (laws){.stiffness = 1e5, .slide = 0.3}, down(G));
    add(world, wall, rps_vec3_zero(), lies);
    body.mass = MASS;
    add(world, body, x, false);
    const rps_status status = rps_world_step(world, 20000, err);
    rps_world_destroy(world);
    return status;
}

static void refused(rps_status status, const rps_error *err, const char *sentence) {
    assert_int_not_equal(status, RPS_OK);
    if (!strstr(err->text, sentence)) fail_msg("not \"%s\": %s", sentence, err->text);
}

static void test_refused(void **state) {
    (void)state;
    rps_error err = {0};
    const rps_body_def drum = rps_body_cylinder_wall(WALL, 0.2, 2), open = rps_body_cylinder_wall(WALL, 0.2, 0);
    const rps_vec3 inside = {0.0, 0.0, -0.06}, outside = {0.0, 0.0, 0.13};
    /* a ball in a pipe that it nearly fills, and in a hole */
    refused(try_body(rps_body_cylinder_wall(1.03 * R, 0.2, 0), true, rps_body_sphere(R), rps_vec3_zero(), &err), &err,
            "nearly all around");
    refused(try_body(rps_body_disk_wall(WALL, 0.6 * R), false, rps_body_sphere(R), rps_vec3_make(1e-5, 0.0, R), &err),
            &err, "along a ring");
    /* boxes and capsules inside are right; from outside, near a rim, and smooth bodies on a hollow side are refused */
    assert_int_equal(try_body(drum, true, rps_body_box(0.02, 0.02, 0.03, 0.0), inside, &err), RPS_OK);
    assert_int_equal(try_body(drum, true, rps_body_capsule(0.01, 0.02), inside, &err), RPS_OK);
    assert_int_equal(
        try_body(rps_body_disk_wall(WALL, 0.0), false, rps_body_ellipsoid(0.01, 0.015, 0.02), outside, &err), RPS_OK);
    refused(try_body(drum, true, rps_body_box(0.02, 0.02, 0.03, 0.0), outside, &err), &err, "bulges");
    refused(try_body(open, false, rps_body_box(0.02, 0.02, 0.03, 0.0), rps_vec3_make(0.09, 0.0, 0.13), &err), &err,
            "a rim of the wall");
    assert_int_equal(try_body(drum, true, rps_body_ellipsoid(0.01, 0.015, 0.02), inside, &err), RPS_OK);
    assert_int_equal(try_body(drum, true, rps_body_ellipsoid(0.01, 0.015, 0.02), outside, &err), RPS_OK);
    refused(try_body(drum, true, rps_body_ellipsoid(0.04, 0.01, 0.04), inside, &err), &err, "its flattest side fits");
    refused(try_body(drum, true, rps_body_superquadric(0.01, 0.015, 0.02, 4, 4), inside, &err), &err,
            "the wall is hollow");
    refused(try_body(rps_body_torus_wall(0.2, 0.05, 0.0, 6.28), false, rps_body_box(0.02, 0.02, 0.03, 0.0),
                     rps_vec3_make(0.2, 0.0, -0.03), &err),
            &err, "a bend");
    /* nothing moves a wall but a drive */
    rps_world *world = world_with(1e-5, (laws){.stiffness = 1e5}, down(G));
    rps_body_def free = drum;
    free.kind = RPS_BODY_FREE;
    refused(rps_world_add_body(world, &free, NULL, &err), &err, "make it fixed or driven");
    rps_piece_def piece[2] = {rps_piece_of(drum), rps_piece_of(rps_body_sphere(R))};
    free.piece = piece;
    free.pieces = 2;
    for (int k = 0; k < RPS_SHAPE_NUMBERS_MOST; k++) free.parameter[k] = NAN;
    refused(rps_world_add_body(world, &free, NULL, &err), &err, "no thickness");
    rps_world_destroy(world);
}

/* --- other bodies ------------------------------------------------------------------------------------------------- */

/* A box stands on the bottom of a closed drum, whose axis is vertical, as on a plane, and slides down its side to rest. */
static void test_box(void **state) {
    (void)state;
    rps_vec3 x[2];
    for (int k = 0; k < 2; k++) {
        rps_world *world = world_with(1e-5, (laws){.stiffness = 1e5, .slide = 0.4, .dashpot = 0.2}, down(G));
        add(world, k == 0 ? rps_body_plane(0, 0, 1) : rps_body_cylinder_wall(WALL, 0.2, 1),
            rps_vec3_make(0.0, 0.0, k == 0 ? 0.0 : 0.1), false);
        rps_body_def box = rps_body_box(0.02, 0.03, 0.04, 0.0);
        box.mass = MASS;
        box.orientation[1] = 0.3;
        const uint64_t id = add(world, box, rps_vec3_make(0.01, 0.0, 0.05), false);
        start(world);
        advance(world, 20000);
        x[k] = position_of(world, id);
        rps_world_destroy(world);
    }
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(x[0], x[1])), 1e-9); /* roundings */
}

/* Rays and the nearest body see walls from both sides and pass through holes; a drum may carry solid lifters. */
static void test_queries(void **state) {
    (void)state;
    rps_world *world = world_with(1e-5, (laws){.stiffness = 1e5}, down(0.0));
    rps_piece_def piece[2] = {rps_piece_of(rps_body_cylinder_wall(WALL, 0.2, 0)),
                              rps_piece_of(rps_body_box(0.02, 0.01, 0.2, 0.0))};
    rps_body_def drum = rps_body_def_default();
    piece[1].position[0] = WALL - 0.01;
    drum.piece = piece;
    drum.pieces = 2;
    drum.kind = RPS_BODY_FIXED;
    const uint64_t id = add(world, drum, rps_vec3_zero(), false);
    add(world, rps_body_disk_wall(WALL, 0.5 * WALL), rps_vec3_make(0.0, 0.0, -0.2), false);
    const uint64_t ball =
        add_ball(world, rps_vec3_make(WALL - 0.02 - R + 1e-5, 0.0, 0.0), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    rps_hit hit;
    bool found;
    const double y[3] = {0.0, 1.0, 0.0}, low[3] = {0.0, 0.0, -1.0}, zero[3] = {0.0, 0.0, 0.0},
                 far[3] = {0.0, 0.3, 0.05};
    const double back[3] = {0.0, -1.0, 0.0}, beside[3] = {0.07, 0.0, -0.3}, up[3] = {0.0, 0.0, 1.0};
    MUST(rps_world_cast_ray(world, zero, y, 1.0, &hit, &found, ERR));
    assert_true(found && hit.id == id);
    ASSERT_NEAR(hit.distance, WALL, 1e-12); /* where the march ends, 1e-13 of the size, and roundings */
    ASSERT_NEAR(hit.normal[1], -1.0, 1e-12);
    MUST(rps_world_cast_ray(world, far, back, 1.0, &hit, &found, ERR));
    assert_true(found && hit.id == id);
    ASSERT_NEAR(hit.distance, 0.3 - WALL, 1e-12);
    ASSERT_NEAR(hit.normal[1], 1.0, 1e-12);
    MUST(rps_world_cast_ray(world, zero, low, 1.0, &hit, &found, ERR));
    assert_false(found); /* through the hole */
    MUST(rps_world_cast_ray(world, beside, up, 1.0, &hit, &found, ERR));
    assert_true(found && hit.id == id + 1);
    ASSERT_NEAR(hit.distance, 0.1, 1e-12);
    const double near[3] = {-0.08, 0.0, 0.0};
    MUST(rps_world_nearest_body(world, near, &hit, &found, ERR));
    assert_true(found && hit.id == id && hit.piece == 0);
    ASSERT_NEAR(hit.distance, 0.02, 1e-14);
    double force[3], torque[3];
    start(world);
    MUST(rps_world_body_load(world, ball, force, torque, ERR)); /* by the lifter */
    ASSERT_NEAR(force[0], -1.0, 1e-6);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hertz),      cmocka_unit_test(test_period),
        cmocka_unit_test(test_half_round), cmocka_unit_test(test_vertical_cylinder),
        cmocka_unit_test(test_drum),       cmocka_unit_test(test_bend),
        cmocka_unit_test(test_plane),      cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_ledger),     cmocka_unit_test(test_joined),
        cmocka_unit_test(test_over_rim),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_box),        cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
