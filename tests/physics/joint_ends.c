/*
 * Stops and springs of hinges and sliders, against closed forms: rebounds, rest under a load, the period and decay of
 * oscillators with the order of their errors, energy, and the bits over threads and a saved state.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "joined.h"

static const double H = 1e-3;

/* --- stops ---------------------------------------------------------------------------------------------------------- */

/* A slider falls on its stop, and on the way back from above to a second one: each rebound is e times the approach, exactly,
 * and takes (1 - e^2) of the energy of its approach. */
static void test_drop(void **state) {
    (void)state;
    const double mass = 2.0, low = -0.2, restitution[4] = {0.0, 0.5, 0.9, 1.0};
    for (int k = 0; k < 4; k++) {
        const double e = restitution[k];
        rps_world *world = world_with(H, G, 1);
        const uint64_t body = add_body(world, O, mass, 0.1);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, body, RPS_JOINT_WORLD, O, Z);
        def.limits[0] = low;
        def.restitution = e;
        const size_t rail = join(world, &def);
        start(world);
        double q = 0.0, v = 0.0, spent = 0.0;
        int impacts = 0;
        for (int n = 0; n < 400; n++) { /* the same by hand */
            const bool meets = e > 0.0 && v < -2.0 * H * G && q + H * v < low;
            const double fallen = v - H * G, least = (low - q) / H, target = meets ? fmax(-e * v, least) : least;
            const double next = fmax(fallen, target), pushed = next > fallen ? mass * (next - fallen) : 0.0;
            spent -= pushed * 0.5 * (v + next);
            impacts += meets;
            v = next;
            q += H * v;
            advance(world, 1);
            ASSERT_NEAR(joint_of(world, rail).speed, v, LOOSE);
            ASSERT_NEAR(joint_of(world, rail).position, q, LOOSE);
            ASSERT_NEAR(joint_of(world, rail).force[2], pushed / H, 1e-5); /* LOOSE m/h */
        }
        SAY("e = %.1f: %d impacts, damping %.6f J\n", e, impacts, spent);
        ASSERT_NEAR(ledger_of(world).dissipated[RPS_ROLE_DAMPING], spent, LOOSE);
        assert_true(e == 0.0 ? impacts == 0 : impacts >= 1);
        /* against exact mechanics: the first rebound is that of the free fall within one step of it */
        if (e == 1.0) ASSERT_NEAR(0.5 * v * v + G * (q - low), G * -low, 2.0 * H * G * sqrt(2.0 * G * -low));
        if (e == 0.0) ASSERT_NEAR(joint_of(world, rail).force[2], mass * G, 1e-6); /* rest: the weight */
        if (e == 0.0) ASSERT_NEAR(q, low, 1e-15);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* A rod that swings about its end against a stop at the lowest point: w leaves as e w, heights as e^2, to first order in the
 * step; then it rests on a stop beside, with the torque of its weight. */
static void test_pendulum(void **state) {
    (void)state;
    const double edge[3] = {1.0, 0.05, 0.05}, mass = 3.0, e = 0.6;
    double off[2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 0.5e-3 : 1e-3;
        rps_world *world = world_with(h, G, 1);
        const uint64_t rod = add_box(world, rps_vec3_make(0.5, 0.0, 0.0), edge, mass, O, O);
        rps_joint_def def = joint_def(RPS_JOINT_HINGE, rod, RPS_JOINT_WORLD, O, Y);
        def.limits[1] = 0.5 * RPS_PI; /* hanging: about y the rod turns from x to -z */
        def.restitution = e;
        const size_t pin = join(world, &def);
        start(world);
        double before = 0.0, top = 10.0;
        bool met = false;
        for (int n = 0; n < (int)(1.2 / h); n++) {
            advance(world, 1);
            const rps_joint_state now = joint_of(world, pin);
            if (!met && now.speed < 0.0) {
                ASSERT_NEAR(now.speed, -e * before, 1e-8 * before);
                met = true;
            }
            if (met) top = fmin(top, now.position);
            before = now.speed;
            ASSERT_BELOW(now.position, 0.5 * RPS_PI + 1e-9);
        }
        assert_true(met);
        off[k] = cos(0.5 * RPS_PI - top) - (1.0 - e * e); /* height lost below the pin, of half the rod */
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
    SAY("pendulum: cos of its turning point off by %.2e and %.2e\n", off[0], off[1]);
    ASSERT_BELOW(fabs(off[0]), 0.02);
    ASSERT_BELOW(fabs(off[1]), 0.01);
    rps_world *world = world_with(H, G, 1);
    const uint64_t rod = add_box(world, rps_vec3_make(0.5, 0.0, 0.0), edge, mass, O, O);
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, rod, RPS_JOINT_WORLD, O, Y);
    def.limits[1] = 0.4;
    def.restitution = 0.3;
    const size_t pin = join(world, &def);
    start(world);
    advance(world, 3000);
    ASSERT_NEAR(joint_of(world, pin).position, 0.4, 1e-8);
    ASSERT_NEAR(joint_of(world, pin).torque[1], -mass * G * 0.5 * cos(0.4), 1e-6);
    ASSERT_NEAR(joint_of(world, pin).speed, 0.0, LOOSE);
    rps_world_destroy(world);
}

/* Two bodies that fly on one rail apart to the stop of the slider between them: momentum stays, and the speeds are those of
 * an impact of two. */
static void test_pair(void **state) {
    (void)state;
    const double m[2] = {1.0, 3.0}, e = 0.7;
    rps_world *world = world_with(H, 0.0, 1);
    const double edge[3] = {0.1, 0.1, 0.1};
    const uint64_t a = add_box(world, O, edge, m[0], rps_vec3_make(2.0, 0.0, 0.0), O);
    const uint64_t b = add_box(world, rps_vec3_make(0.5, 0.0, 0.0), edge, m[1], rps_vec3_make(-1.0, 0.0, 0.0), O);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, a, b, O, X);
    def.limits[1] = 0.3;
    def.restitution = e;
    join(world, &def);
    start(world);
    advance(world, 200);
    const double mean = (2.0 * m[0] - 1.0 * m[1]) / (m[0] + m[1]);
    ASSERT_NEAR(velocity_of(world, a).x, mean - e * 3.0 * m[1] / (m[0] + m[1]), LOOSE);
    ASSERT_NEAR(velocity_of(world, b).x, mean + e * 3.0 * m[0] / (m[0] + m[1]), LOOSE);
    const double lost = 0.5 * (1.0 - e * e) * 9.0 * m[0] * m[1] / (m[0] + m[1]);
    ASSERT_NEAR(ledger_of(world).dissipated[RPS_ROLE_DAMPING], lost, LOOSE);
    ASSERT_NEAR(ledger_of(world).residual, 0.0, LOOSE);
    rps_world_destroy(world);
}

/* A motor with a bounded load drives a hinge onto its stop and gives its load there; one without bound cannot: the step
 * misses, and says so. */
static void test_driven(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        rps_world *world = world_with(H, 0.0, 1);
        const uint64_t body = add_body(world, O, 1.0, 0.5);
        rps_joint_def def = joint_def(RPS_JOINT_MOTOR, body, RPS_JOINT_WORLD, O, Y);
        def.motion = (rps_joint_motion){.turns = true, .speed = 2.0, .until = -1.0};
        def.load_max = k ? INFINITY : 3.0;
        const size_t motor = join(world, &def);
        def = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, O, Y);
        def.limits[1] = 0.2;
        const size_t stop = join(world, &def);
        start(world);
        advance(world, k ? 110 : 1000);
        if (k) {
            ASSERT_ABOVE(report_of(world).missed, 0);
        } else {
            ASSERT_NEAR(joint_of(world, stop).position, 0.2, LOOSE);
            ASSERT_NEAR(joint_of(world, stop).torque[1], -3.0, 1e-6);
            ASSERT_NEAR(joint_of(world, motor).torque[1], 3.0, 1e-6);
            assert_int_equal(report_of(world).missed, 0);
        }
        rps_world_destroy(world);
    }
}

/* --- springs -------------------------------------------------------------------------------------------------------- */

/* Turn of an undamped oscillator in a step: tan(phi/2) = w h/2. */
static double turn_of(double w, double h) {
    return 2.0 * atan(0.5 * w * h);
}

/* A body on a spring swings with the turn of the trapezoidal rule in each step, exactly, whatever the step: also with 8 and
 * with 1/100 of a period of it. Its energy stays. */
static void test_oscillator(void **state) {
    (void)state;
    const double mass = 2.0, speed = 0.5, step[3] = {1e-3, 1e-2, 8.0};
    for (int k = 0; k < 3; k++) {
        const double h = step[k], w = 2.0 * RPS_PI, stiffness = mass * w * w, turn = turn_of(w, h);
        rps_world_options options = joint_options(h, 0.0, 1);
        options.guards.motion = 1e4;
        rps_world *world = world_by(&options);
        const double edge[3] = {0.1, 0.1, 0.1};
        const uint64_t body = add_box(world, O, edge, mass, rps_vec3_make(speed, 0.0, 0.0), O);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, body, RPS_JOINT_WORLD, O, X);
        def.stiffness = stiffness;
        const size_t rail = join(world, &def);
        start(world);
        /* q(n) of the recursion q(n+1) - 2 cos(turn) q(n) + q(n-1) = 0 with q(0) = 0 and q(0) - q(-1) = h speed */
        const double amplitude = h * speed / sin(turn),
                     energy = 0.5 * mass * speed * speed * (1.0 + 0.25 * w * w * h * h);
        for (int n = 1; n <= 2000; n++) {
            advance(world, 1);
            ASSERT_NEAR(joint_of(world, rail).position, amplitude * sin(n * turn), 1e-9 * fmax(1.0, amplitude));
        }
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(ledger.kinetic_translation + ledger.elastic[RPS_ROLE_NORMAL], energy, 1e-9 * energy);
        ASSERT_NEAR(ledger.dissipated[RPS_ROLE_DAMPING], 0.0, 1e-9 * energy);
        ASSERT_NEAR(ledger.residual, 0.0, 1e-9 * energy);
        SAY("h = %g s: period longer by %.3e, (w h)^2/12 = %.3e\n", h, w * h / turn - 1.0, w * w * h * h / 12.0);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* A wheel between a spring and damper to another wheel: the moment that counts is I1 I2/(I1 + I2). Decay and period
 * of the damped oscillator come with an error of second order: four times smaller at half the step. */
static void test_decay(void **state) {
    (void)state;
    const double moment[2] = {0.1, 0.4}, reduced = 0.08, stiffness = 20.0, damping = 1.0;
    const double rate = 0.5 * damping / reduced, w = sqrt(stiffness / reduced - rate * rate);
    double off[2][2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-3 : 2e-3;
        rps_world *world = world_with(h, 0.0, 1);
        const uint64_t a = add_body(world, O, 1.0, moment[0]), b = add_body(world, O, 1.0, moment[1]);
        rps_joint_def def = joint_def(RPS_JOINT_HINGE, a, b, O, Z);
        def.stiffness = stiffness;
        def.damping = damping;
        def.rest = 0.3;
        const size_t shaft = join(world, &def);
        start(world);
        const double stored = ledger_of(world).start;
        ASSERT_NEAR(stored, 0.5 * stiffness * 0.09, LOOSE);
        /* any three positions of a(n+1) = p a(n) - s a(n-1) give decay and turn: s = exp(-2 rate h), p = 2 sqrt(s) cos */
        double x[4];
        advance(world, 20);
        for (int n = 0; n < 4; n++) {
            advance(world, 1);
            x[n] = joint_of(world, shaft).position - 0.3;
        }
        const double det = x[1] * x[1] - x[0] * x[2];
        const double s = (x[2] * x[2] - x[1] * x[3]) / det, p = (x[1] * x[2] - x[0] * x[3]) / det;
        off[k][0] = -0.5 * log(s) / h / rate - 1.0;
        off[k][1] = acos(0.5 * p / sqrt(s)) / h / w - 1.0;
        advance(world, 4000);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(joint_of(world, shaft).position, 0.3, LOOSE);
        ASSERT_NEAR(ledger.dissipated[RPS_ROLE_DAMPING], stored, LOOSE);
        ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
        ASSERT_NEAR(moment[0] * turning_of(world, a).z + moment[1] * turning_of(world, b).z, 0.0, LOOSE);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
    SAY("decay off by %.3e and %.3e, frequency by %.3e and %.3e\n", off[0][0], off[1][0], off[0][1], off[1][1]);
    for (int q = 0; q < 2; q++) {
        ASSERT_NEAR(off[0][q] / off[1][q], 4.0, 0.1); /* terms of fourth order: (w h)^2 = 1e-3 */
        ASSERT_BELOW(fabs(off[1][q]), 1e-3);
    }
}

/* A damper alone: within 2/(d W) of the step the trapezoid, (1 - x)/(1 + x) a step with x = d h/(2 m); beyond, it stops what
 * moves freely, and turns nothing around. */
static void test_damper(void **state) {
    (void)state;
    const double mass = 2.0, x[3] = {0.1, 0.9, 50.0}, edge[3] = {0.1, 0.1, 0.1};
    for (int k = 0; k < 3; k++) {
        rps_world *world = world_with(H, 0.0, 1);
        const uint64_t body = add_box(world, O, edge, mass, rps_vec3_make(1.0, 0.0, 0.0), O);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, body, RPS_JOINT_WORLD, O, X);
        def.damping = x[k] * 2.0 * mass / H;
        const size_t rail = join(world, &def);
        start(world);
        for (int n = 1; n <= 5; n++) {
            advance(world, 1);
            ASSERT_NEAR(joint_of(world, rail).speed, x[k] > 1.0 ? 0.0 : pow((1.0 - x[k]) / (1.0 + x[k]), n), LOOSE);
        }
        ASSERT_NEAR(ledger_of(world).residual, 0.0, LOOSE);
        rps_world_destroy(world);
    }
}

typedef struct play {
    double period, books,
        off; /* s; J, booked as damping; J, most by which kinetic and elastic energy are off that of the start */
} play;

/* A body with the play `gap` on both sides between two springs swings in 2 pi/w + 4 gap/v. */
static play swing_with_play(double h) {
    const double mass = 2.0, stiffness = 80.0, gap = 0.05, v = 0.7;
    const double table[4][2] = {{-gap - 0.1, 0.1 * stiffness}, {-gap, 0.0}, {gap, 0.0}, {gap + 0.1, -0.1 * stiffness}};
    rps_world *world = world_with(h, 0.0, 1);
    const double edge[3] = {0.1, 0.1, 0.1};
    const uint64_t body = add_box(world, O, edge, mass, rps_vec3_make(v, 0.0, 0.0), O);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, body, RPS_JOINT_WORLD, O, X);
    def.table = table;
    def.table_rows = 4;
    const size_t rail = join(world, &def);
    start(world);
    const double energy = 0.5 * mass * v * v;
    double before = 0.0, crossed[3] = {0.0, 0.0, 0.0}; /* s, upwards through 0 */
    play p = {0.0, 0.0, 0.0};
    for (int n = 1, k = 0; k < 3; n++) {
        advance(world, 1);
        const rps_ledger ledger = ledger_of(world);
        const double now = joint_of(world, rail).position;
        p.off = fmax(p.off, fabs(ledger.kinetic_translation + ledger.elastic[RPS_ROLE_NORMAL] - energy));
        if (before < 0.0 && now >= 0.0) crossed[k++] = h * (n - now / (now - before));
        before = now;
        ASSERT_NEAR(ledger.residual, 0.0, 1e-11);
        p.books = ledger.dissipated[RPS_ROLE_DAMPING];
    }
    p.period = 0.5 * (crossed[2] - crossed[0]) / (2.0 * RPS_PI * sqrt(mass / stiffness) + 4.0 * gap / v) - 1.0;
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
    return p;
}

/* A table of two rows is the spring of its line; with corners, the energy holds but for what the corners leave, which falls with
 * a high order of the step and is booked. */
static void test_table(void **state) {
    (void)state;
    const double mass = 2.0, stiffness = 80.0, rest = 0.02, edge[3] = {0.1, 0.1, 0.1};
    const double line[2][2] = {{-1.0, stiffness * (1.0 + rest)}, {1.0, stiffness * (rest - 1.0)}};
    rps_world *world = world_with(H, G, 1);
    size_t rail[2];
    for (int k = 0; k < 2; k++) {
        const rps_vec3 x = rps_vec3_make(k, 0.0, 0.0);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, add_box(world, x, edge, mass, O, O), RPS_JOINT_WORLD, x, Z);
        def.stiffness = k ? 0.0 : stiffness;
        def.rest = k ? 0.0 : rest;
        def.table = k ? line : NULL;
        def.table_rows = k ? 2 : 0;
        rail[k] = join(world, &def);
    }
    start(world);
    for (int n = 0; n < 1000; n++) {
        advance(world, 1);
        ASSERT_NEAR(joint_of(world, rail[0]).position, joint_of(world, rail[1]).position, LOOSE);
        ASSERT_NEAR(joint_of(world, rail[0]).force[2], joint_of(world, rail[1]).force[2], 1e-6);
    }
    rps_world_destroy(world);
    const play a = swing_with_play(4e-3), b = swing_with_play(2e-3);
    SAY("play: period off by %.2e and %.2e, energy by %.2e and %.2e J, damping %.2e and %.2e J\n", a.period, b.period,
        a.off, b.off, a.books, b.books);
    ASSERT_BELOW(fabs(a.period), 4e-3 * 4e-3 * 40.0 / 12.0); /* (w h)^2/12 of the part on springs */
    ASSERT_BELOW(fabs(b.period), 2e-3 * 2e-3 * 40.0 / 12.0);
    /* a step over a corner has its load from the speed before: off by h^2 F/2m of way, of which the square counts */
    ASSERT_BELOW(fabs(a.books), 1e-11);
    ASSERT_BELOW(fabs(b.books), 1e-11);
    ASSERT_BELOW(a.off, 1e-11);
    ASSERT_BELOW(b.off, 1e-11);
    /* snap through: a falling line between two rests; with a damper it comes to lie in one of them */
    const double snap[4][2] = {{-0.2, 10.0}, {-0.05, -5.0}, {0.05, 5.0}, {0.2, -10.0}};
    world = world_with(H, 0.0, 1);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, add_box(world, O, edge, mass, X, O), RPS_JOINT_WORLD, O, X);
    def.table = snap;
    def.table_rows = 4;
    def.damping = 5.0;
    const size_t guide = join(world, &def);
    start(world);
    const double kinetic = ledger_of(world).start;
    advance(world, 20000);
    const double at = joint_of(world, guide).position, well = 0.5 * 0.05 * 5.0 + 0.5 * 0.05 * 5.0;
    ASSERT_NEAR(fabs(at), 0.1, LOOSE);
    ASSERT_NEAR(ledger_of(world).elastic[RPS_ROLE_NORMAL], -well, LOOSE); /* from 0 down into it: two triangles */
    ASSERT_NEAR(ledger_of(world).dissipated[RPS_ROLE_DAMPING], kinetic + well, LOOSE);
    rps_world_destroy(world);
}

/* A weight comes to hang at m g/k below the rest of its spring, or on a stop above that, which bears what the spring leaves. */
static void test_hang(void **state) {
    (void)state;
    const double mass = 2.0, stiffness = 400.0, rest = 0.03;
    for (int k = 0; k < 2; k++) {
        rps_world *world = world_with(H, G, 1);
        const uint64_t body = add_body(world, O, mass, 0.1);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, body, RPS_JOINT_WORLD, O, Z);
        def.stiffness = stiffness;
        def.damping = 40.0;
        def.rest = rest;
        if (k) def.limits[0] = -0.01;
        const size_t rail = join(world, &def);
        start(world);
        advance(world, 5000);
        const double hangs = rest - mass * G / stiffness;
        ASSERT_NEAR(joint_of(world, rail).position, k ? -0.01 : hangs, LOOSE);
        ASSERT_NEAR(joint_of(world, rail).force[2], mass * G, 1e-5);
        ASSERT_NEAR(joint_of(world, rail).speed, 0.0, LOOSE);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* --- bits and refusals ---------------------------------------------------------------------------------------------- */

static rps_world *machine(int threads) {
    rps_world *world = world_with(H, G, threads);
    const double edge[3] = {0.3, 0.2, 0.1};
    uint64_t last = RPS_JOINT_WORLD;
    for (size_t k = 0; k < 6; k++) {
        const uint64_t id = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, O, O);
        rps_joint_def def = joint_def(k % 3 == 2 ? RPS_JOINT_SLIDER : RPS_JOINT_HINGE, id, last,
                                      rps_vec3_make(0.4 * (double)k - 0.2, 0.01, 0.0), Y);
        def.friction = 0.02;
        def.limits[0] = -0.02;
        def.limits[1] = 0.03;
        def.restitution = 0.5;
        def.stiffness = 30.0;
        def.damping = 0.2;
        def.rest = 0.1;
        join(world, &def);
        last = id;
    }
    return world;
}

static void test_bits(void **state) {
    (void)state;
    char path[] = "/tmp/repose-ends-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t one[2], two[2], again[2];
    rps_world *world = machine(1), *other = machine(2), *resumed = machine(1);
    start(world);
    start(other);
    advance(other, 150);
    advance(world, 75);
    MUST(rps_world_save(world, path, ERR));
    advance(world, 75);
    MUST(rps_world_restore(resumed, path, ERR));
    advance(resumed, 75);
    MUST(rps_world_hash(world, one, ERR));
    MUST(rps_world_hash(other, two, ERR));
    MUST(rps_world_hash(resumed, again, ERR));
    assert_memory_equal(one, two, sizeof one);
    assert_memory_equal(one, again, sizeof one);
    SAY("machine: missed %llu of 150, ledger off by %.1e J of %.1e J\n", (unsigned long long)report_of(world).missed,
        ledger_of(world).residual, ledger_of(world).dissipated[RPS_ROLE_DAMPING]);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(resumed);
    rps_world_destroy(other);
    rps_world_destroy(world);
    unlink(path);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = world_with(H, G, 1);
    const uint64_t body = add_body(world, X, 1.0, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, X, Y), bad;
    rps_error err = {0};
#define REFUSED(change, said)                                                            \
    do {                                                                                 \
        bad = def;                                                                       \
        change;                                                                          \
        assert_int_equal(rps_world_add_joint(world, &bad, NULL, &err), RPS_BAD_INPUT);   \
        if (!strstr(err.text, said)) fail_msg("said: %s\nexpected: %s", err.text, said); \
    } while (0)
    REFUSED(bad.limits[0] = 0.1, "its limits are 0.1 and inf");
    REFUSED(bad.limits[1] = -0.1, "its limits are -inf and -0.1");
    REFUSED((bad.limits[0] = 0.0, bad.limits[1] = 0.0), "its limits are 0 and 0");
    REFUSED((bad.limits[0] = NAN, bad.limits[1] = 1.0), "its limits are nan and 1");
    REFUSED(bad.restitution = 0.5, "it has none");
    REFUSED((bad.limits[1] = 1.0, bad.restitution = 1.5), "its restitution is 1.5");
    REFUSED((bad.limits[1] = 1.0, bad.restitution = NAN), "its restitution is nan");
    REFUSED(bad.stiffness = -1.0, "its spring has the stiffness -1");
    REFUSED(bad.damping = INFINITY, "the damping inf");
    REFUSED((bad.stiffness = 1.0, bad.rest = NAN), "its spring rests at nan");
    REFUSED(bad.rest = 1.0, "no stiffness");
    const double table[3][2] = {{-1.0, 2.0}, {0.0, 0.0}, {0.0, -2.0}}, wild[2][2] = {{0.0, 1.0}, {1.0, NAN}};
    REFUSED((bad.table = table, bad.table_rows = 1), "has 1 rows");
    REFUSED(bad.table_rows = 2, "has 2 rows");
    REFUSED((bad.table = table, bad.table_rows = 3), "row 3 of the table of its spring is at 0, behind one at 0");
    REFUSED((bad.table = wild, bad.table_rows = 2), "row 2 of the table of its spring is (1, nan)");
    REFUSED((bad.table = table, bad.table_rows = 2, bad.stiffness = 1.0), "leave out stiffness and rest");
    REFUSED((bad.kind = RPS_JOINT_BALL, bad.table = table, bad.table_rows = 2), "join its bodies by a hinge or slider");
    REFUSED((bad.kind = RPS_JOINT_BALL, bad.stiffness = 1.0), "join its bodies by a hinge or slider");
    REFUSED((bad.kind = RPS_JOINT_MOTOR, bad.limits[1] = 1.0), "join its bodies by a hinge or slider");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),   cmocka_unit_test(test_pendulum),   cmocka_unit_test(test_pair),
        cmocka_unit_test(test_driven), cmocka_unit_test(test_oscillator), cmocka_unit_test(test_decay),
        cmocka_unit_test(test_damper), cmocka_unit_test(test_table),      cmocka_unit_test(test_hang),
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
