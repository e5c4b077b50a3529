/*
 * The fluid around free bodies: terminal speeds and forces against published laws of drag, exact decays, a float that bobs at
 * its own frequency, and the ledger at the order of the stepper; the same bits on any number of threads.
 */
#include "worlds.h"

static const double GRAVITY = 9.81;

static rps_fluid water(rps_drag drag) {
    rps_fluid fluid = rps_fluid_default();
    fluid.drag = drag;
    fluid.density = 1000.0;
    fluid.viscosity = 1e-3;
    return fluid;
}

static rps_world *deep_world(double step, rps_stepper stepper, double gravity, int threads) {
    rps_world_options options = options_of(step);
    options.stepper = stepper;
    options.threads = threads;
    options.gravity[2] = -gravity;
    for (int g = 0; g < RPS_GUARD_COUNT; g++) options.guards.action[g] = RPS_GUARD_OFF;
    const rps_pair pair = tracked_pair();
    return world_of(&options, &pair);
}

static double ball_mass(double diameter, double density) {
    return density * RPS_PI / 6.0 * (diameter * diameter * diameter);
}

/* --- drag ----------------------------------------------------------------------------------------------------------- */

/* Speed at which a grain of 2500 kg/m^3 sinks after so many times of drag. */
static double terminal_speed(rps_drag drag, rps_stepper stepper, double diameter, double part) {
    const double slow = ball_mass(diameter, 2500.0) / (3.0 * RPS_PI * 1e-3 * diameter); /* s, by Stokes */
    rps_world *world = deep_world(part * slow, stepper, GRAVITY, 1);
    const rps_fluid fluid = water(drag);
    MUST(rps_world_set_fluid(world, &fluid, ERR));
    const rps_vec3 none = rps_vec3_make(0.0, 0.0, 0.0);
    const uint64_t id = add_ball(world, none, 0.5 * diameter, ball_mass(diameter, 2500.0), none, none);
    advance(world, (uint64_t)(40.0 / part)); /* e^-40: far below the error of the step */
    const double speed = -velocity_of(world, id).z;
    rps_world_destroy(world);
    return speed;
}

/* The balance (rho - rho_f) V g = c(v) v by bisection, with C_D as the papers state it. */
static double exact_speed(rps_drag drag, double diameter) {
    const double weight = ball_mass(diameter, 1500.0) * GRAVITY;
    double low = 0.0, high = 10.0;
    for (int k = 0; k < 200; k++) {
        const double v = 0.5 * (low + high), re = 1000.0 * v * diameter / 1e-3;
        const double area = RPS_PI / 8.0 * 1000.0 * diameter * diameter;
        double force = 3.0 * RPS_PI * 1e-3 * diameter * v;
        if (drag == RPS_DRAG_SCHILLER_NAUMANN) force = area * 24.0 / re * (1.0 + 0.15 * pow(re, 0.687)) * v * v;
        if (drag == RPS_DRAG_DI_FELICE) force = area * pow(0.63 + 4.8 / sqrt(re), 2.0) * v * v;
        if (force > weight) {
            high = v;
        } else {
            low = v;
        }
    }
    return low;
}

static void test_terminal_speed(void **state) {
    (void)state;
    /* numbers computed apart from this test, to nine digits */
    ASSERT_NEAR(exact_speed(RPS_DRAG_STOKES, 5e-5), 2.04375e-3, 1e-12);
    ASSERT_NEAR(exact_speed(RPS_DRAG_SCHILLER_NAUMANN, 5e-5), 1.982957318e-3, 1e-12);
    ASSERT_NEAR(exact_speed(RPS_DRAG_DI_FELICE, 5e-5), 1.964023582e-3, 1e-12);
    ASSERT_NEAR(exact_speed(RPS_DRAG_SCHILLER_NAUMANN, 1e-3), 0.1459455492, 1e-9);
    ASSERT_NEAR(exact_speed(RPS_DRAG_DI_FELICE, 1e-3), 0.1341043765, 1e-9);
    static const double diameter[] = {5e-5, 1e-3};
    for (int drag = RPS_DRAG_STOKES; drag < RPS_DRAG_COUNT; drag++) {
        for (int k = 0; k < 2; k++) {
            const double exact = exact_speed((rps_drag)drag, diameter[k]);
            const double off = terminal_speed((rps_drag)drag, RPS_PENALTY, diameter[k], 0.1) / exact - 1.0;
            const double half = terminal_speed((rps_drag)drag, RPS_PENALTY, diameter[k], 0.05) / exact - 1.0;
            SAY("%s, %g m: %.8g m/s, off by %.2e at a tenth of the time of drag\n", rps_drag_name((rps_drag)drag),
                diameter[k], exact, off);
            /* the time of drag at the terminal speed; errors of a step of second order are well below a tenth of its square */
            const double own = 0.1 * exact_speed(RPS_DRAG_STOKES, diameter[k]) / exact;
            ASSERT_BELOW(fabs(off), 0.1 * own * own);
            ASSERT_ABOVE(off / half,
                         drag == RPS_DRAG_STOKES ? 7.5 : 3.5); /* of Stokes third order; up to the next one */
        }
    }
    /* the nonsmooth stepper is of first order and sees the speed after the fall of a step: off by part/2 */
    const double exact = exact_speed(RPS_DRAG_STOKES, 1e-3);
    const double off = terminal_speed(RPS_DRAG_STOKES, RPS_NONSMOOTH, 1e-3, 0.01) / exact - 1.0;
    ASSERT_BELOW(fabs(off), 0.01);
}

/* N, on a sphere of 1 mm at .1 m/s relative to the fluid. */
static double force_at(const rps_fluid *fluid) {
    rps_world *world = deep_world(1e-6, RPS_PENALTY, 0.0, 1);
    const double mass = ball_mass(1e-3, 2500.0);
    MUST(rps_world_set_fluid(world, fluid, ERR));
    const rps_fluid now = rps_world_fluid(world);
    assert_true(now.porosity == fluid->porosity && now.drag == fluid->drag);
    const rps_vec3 none = rps_vec3_make(0.0, 0.0, 0.0);
    const uint64_t id = add_ball(world, none, 5e-4, mass, rps_vec3_make(0.1, 0.0, 0.0), none);
    const double force = mass / rps_world_drag_time(world, rps_world_slot(world, id)) * 0.1;
    advance(world, 1);
    ASSERT_NEAR(mass * (0.1 - velocity_of(world, id).x) / 1e-6, force, 1e-3 * force); /* the speed falls by 4e-5 */
    rps_world_destroy(world);
    return force;
}

static void test_porosity(void **state) {
    (void)state;
    rps_fluid fluid = water(RPS_DRAG_DI_FELICE);
    ASSERT_NEAR(force_at(&fluid), 4.838445386e-6, 1e-15); /* numbers of ten digits, computed apart */
    fluid.porosity = 0.6;
    ASSERT_NEAR(force_at(&fluid), 1.061863391e-5, 1e-14);
}

/* Stokes: velocities fall as e^(-t/T), those relative to a flow too; turning as e^(-t pi eta d^3/I). */
static void test_decay(void **state) {
    (void)state;
    const double diameter = 1e-3, mass = ball_mass(diameter, 2500.0), time = mass / (3.0 * RPS_PI * 1e-3 * diameter);
    const double inertia = 0.1 * mass * diameter * diameter, turns = inertia / (RPS_PI * 1e-3 * pow(diameter, 3.0));
    for (int half = 0; half < 2; half++) {
        const double part = half ? 0.01 : 0.02;
        rps_world *world = deep_world(part * time, RPS_PENALTY, 0.0, 1);
        rps_fluid fluid = water(RPS_DRAG_STOKES);
        fluid.velocity[1] = 0.03;
        MUST(rps_world_set_fluid(world, &fluid, ERR));
        const uint64_t id = add_ball(world, rps_vec3_make(0.0, 0.0, 0.0), 0.5 * diameter, mass,
                                     rps_vec3_make(0.1, 0.0, 0.0), rps_vec3_make(0.0, 5.0, 0.0));
        advance(world, half ? 100 : 50);
        const rps_vec3 v = velocity_of(world, id);
        /* 1/(1 + x + x^2/2) is e^-x to x^3/6: over 1/x steps x^2/6, halved twice by half kicks */
        const double expected = exp(-1.0), tolerance = 1.1 * expected * part * part / 24.0;
        ASSERT_NEAR(v.x, 0.1 * expected, 0.1 * tolerance);
        ASSERT_NEAR(v.y, 0.03 * (1.0 - expected), 0.03 * tolerance);
        const double turned = exp(-time / turns), part_turn = part * time / turns;
        ASSERT_NEAR(turning_of(world, id).y, 5.0 * turned,
                    1.1 * 5.0 * turned * part_turn * part_turn / 24.0 * (time / turns));
        const rps_ledger l = ledger_of(world);
        ASSERT_BELOW(fabs(l.residual), 1e-14 * l.start); /* drag alone: round-off at any step */
        ASSERT_ABOVE(l.drag, 0.1 * l.start);
        ASSERT_ABOVE(l.flow, 0.0);
        rps_world_destroy(world);
    }
}

/* A dumbbell has three moments: drag turns it off its axes and must never add energy, at whatever step. */
static void test_dumbbell(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const double step[] = {1e-4, 1e-2, 10.0};
        rps_world *world = deep_world(step[k], RPS_PENALTY, 0.0, 1);
        rps_material heavy = rps_world_material(world, 0);
        heavy.density = 2500.0;
        MUST(rps_world_set_material(world, 0, &heavy, ERR));
        const rps_fluid fluid = water(RPS_DRAG_STOKES);
        MUST(rps_world_set_fluid(world, &fluid, ERR));
        rps_body_def def = rps_body_capsule(1e-3, 4e-3);
        def.velocity[0] = 0.2;
        def.angular_velocity[0] = 3.0;
        def.angular_velocity[1] = 2.0;
        def.angular_velocity[2] = 1.0;
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        double before = ledger_of(world).kinetic_rotation;
        for (int n = 0; n < 50; n++) {
            advance(world, 1);
            const double now = ledger_of(world).kinetic_rotation;
            assert_true(now < before);
            before = now;
        }
        const rps_ledger l = ledger_of(world);
        ASSERT_BELOW(fabs(l.residual), 1e-12 * l.start); /* the free rotation keeps its energy to 1e-13 */
        rps_world_destroy(world);
    }
}

/* --- buoyancy ------------------------------------------------------------------------------------------------------- */

/* A sphere of half the density floats half out of the water; small heaves have w^2 = rho_f g pi R^2/m. */
static void test_float(void **state) {
    (void)state;
    const double r = 0.01, mass = ball_mass(2.0 * r, 500.0), w = sqrt(1000.0 * GRAVITY * RPS_PI * r * r / mass);
    const double period = 2.0 * RPS_PI / w, level = 0.25;
    double residual[2];
    for (int half = 0; half < 2; half++) {
        const int steps = half ? 2000 : 1000;
        rps_world *world = deep_world(period / steps, RPS_PENALTY, GRAVITY, 1);
        rps_fluid fluid = water(RPS_DRAG_NONE);
        fluid.level = level;
        MUST(rps_world_set_fluid(world, &fluid, ERR));
        const rps_vec3 none = rps_vec3_make(0.0, 0.0, 0.0);
        const uint64_t id = add_ball(world, rps_vec3_make(0.1, 0.0, level + 0.01 * r), r, mass, none, none);
        advance(world, (uint64_t)steps / 4);
        const rps_ledger l = ledger_of(world);
        /* V(s) is linear but for s^3/(3 R^2): .01^2/8 of the frequency */
        ASSERT_NEAR(velocity_of(world, id).z, -w * 0.01 * r, 2e-5 * w * 0.01 * r);
        residual[half] = l.residual;
        advance(world, 3 * (uint64_t)steps / 4);
        ASSERT_NEAR(position_of(world, id).z, level + 0.01 * r, 1e-5 * 0.01 * r);
        rps_world_destroy(world);
    }
    SAY("residual %.3g and %.3g J at half the step\n", residual[0], residual[1]);
    ASSERT_NEAR(residual[0] / residual[1], 4.0, 0.1);
}

/* A cork let go deep below leaps out and falls back: the potential follows through the surface. */
static void test_through_the_surface(void **state) {
    (void)state;
    double off[2];
    for (int half = 0; half < 2; half++) {
        rps_world *world = deep_world(half ? 5e-5 : 1e-4, RPS_PENALTY, GRAVITY, 1);
        rps_fluid fluid = water(RPS_DRAG_NONE);
        fluid.level = 0.0;
        MUST(rps_world_set_fluid(world, &fluid, ERR));
        const rps_vec3 none = rps_vec3_make(0.0, 0.0, 0.0);
        const double r = 0.01, mass = ball_mass(2.0 * r, 300.0);
        const uint64_t id = add_ball(world, rps_vec3_make(0.0, 0.0, -0.1), r, mass, none, none);
        double most = 0.0, top = -1.0;
        for (int n = 0; n < (half ? 12000 : 6000); n++) {
            advance(world, 1);
            const double z = position_of(world, id).z;
            most = fmax(most, fabs(ledger_of(world).residual));
            top = fmax(top, z);
        }
        /* below the surface it gains (rho_f - rho) V g per metre, and in the surface what it is not under: from rest at -.1 m to
         * rest at h, m g (h + .1) = rho_f g V (.1 - 0), since the part of a sphere under a level through its centre and the
         * missing one cancel */
        ASSERT_NEAR(top, 0.1 * (1000.0 / 300.0 - 1.0), 1e-5);
        off[half] = most;
        rps_world_destroy(world);
    }
    ASSERT_NEAR(off[0] / off[1], 4.0, 0.5);
}

/* Changes of fluid and gravity are booked, and bodies that come and go take their potential with them. */
static void test_changes(void **state) {
    (void)state;
    rps_world *world = deep_world(1e-4, RPS_PENALTY, GRAVITY, 1);
    rps_fluid fluid = water(RPS_DRAG_SCHILLER_NAUMANN);
    fluid.level = 0.05;
    fluid.velocity[0] = 0.2;
    const rps_vec3 none = rps_vec3_make(0.0, 0.0, 0.0);
    uint64_t id[6];
    for (int k = 0; k < 4; k++) {
        id[k] = add_ball(world, rps_vec3_make(0.1 * k, 0.0, 0.03 * k), 0.01, ball_mass(0.02, 800.0), none, none);
    }
    advance(world, 10);
    MUST(rps_world_set_fluid(world, &fluid, ERR));
    double residual = ledger_of(world).residual; /* of the fall before */
    advance(world, 500);
    const double tilted[3] = {1.0, 0.0, -9.0};
    MUST(rps_world_set_gravity(world, tilted, ERR));
    advance(world, 500);
    id[4] = add_ball(world, rps_vec3_make(0.8, 0.0, -0.2), 0.02, 0.1, none, none);
    MUST(rps_world_remove_bodies(world, id + 1, 1, ERR));
    const double place[3] = {1.5, 0.0, 0.01};
    MUST(rps_world_set_position(world, id[2], place, ERR));
    MUST(rps_world_set_kind(world, id + 3, 1, RPS_BODY_FIXED, ERR));
    advance(world, 500);
    const rps_ledger l = ledger_of(world);
    SAY("residual %.3g J (before the fluid %.3g J), drag %.4g J, flow %.4g J\n", l.residual, residual, l.drag, l.flow);
    ASSERT_BELOW(fabs(l.residual),
                 1e-5 * l.drag); /* of second order in the step: each booking that lacked would be 1e-2 J */
    ASSERT_ABOVE(l.flow, 1e-4);
    fluid = rps_fluid_default();
    MUST(rps_world_set_fluid(world, &fluid, ERR));
    ASSERT_NEAR(ledger_of(world).residual, l.residual, 1e-12);
    rps_world_destroy(world);
}

/* --- bits ----------------------------------------------------------------------------------------------------------- */

/* A falling cloud of balls that collide in a flow with a level; returns its hash. */
static void cloud(rps_stepper stepper, int threads, uint64_t hash[2]) {
    enum { MANY = 1500 }; /* so many that a step takes more than one worker */
    rps_world *world = deep_world(stepper == RPS_PENALTY ? 5e-6 : 1e-4, stepper, GRAVITY, threads);
    rps_fluid fluid = water(RPS_DRAG_DI_FELICE);
    fluid.level = 0.06;
    fluid.velocity[0] = 0.1;
    fluid.porosity = 0.8;
    MUST(rps_world_set_fluid(world, &fluid, ERR));
    for (int k = 0; k < MANY; k++) {
        const rps_vec3 x = rps_vec3_make(0.0101 * (k % 12), 0.0101 * (k / 12 % 12), 0.0101 * (k / 144));
        add_ball(world, x, 0.005, 1e-3, random_vec(1, (uint64_t)k), random_vec(2, (uint64_t)k));
    }
    advance(world, stepper == RPS_PENALTY ? 400 : 5);
    if (stepper == RPS_PENALTY) {
        const rps_ledger l = ledger_of(world);
        ASSERT_BELOW(fabs(l.residual), 1e-3 * (l.drag + dissipated_of(&l))); /* collisions of 44 steps, second order */
    }
    MUST(rps_world_hash(world, hash, ERR));
    rps_world_destroy(world);
}

static void test_bits(void **state) {
    (void)state;
    for (int stepper = RPS_PENALTY; stepper <= RPS_NONSMOOTH; stepper++) {
        uint64_t one[2], other[2];
        cloud((rps_stepper)stepper, 1, one);
        for (int threads = 2; threads <= 3; threads++) {
            cloud((rps_stepper)stepper, threads, other);
            assert_memory_equal(one, other, sizeof one);
        }
    }
}

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void assert_fluid_refused(rps_world *world, const rps_fluid *fluid, const char *words) {
    rps_error err = {0};
    assert_int_not_equal(rps_world_set_fluid(world, fluid, &err), RPS_OK);
    if (!strstr(err.text, words)) fail_msg("`%s` does not say `%s`", err.text, words);
}

#define FLUID_REFUSED(change, words)             \
    do {                                         \
        rps_fluid f = water(RPS_DRAG_DI_FELICE); \
        change;                                  \
        assert_fluid_refused(world, &f, words);  \
    } while (0)

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = deep_world(1e-4, RPS_PENALTY, GRAVITY, 1);
    FLUID_REFUSED(f.size = 3, "rps_fluid_default()");
    FLUID_REFUSED(f.drag = (rps_drag)9, "drag 9");
    FLUID_REFUSED(f.density = -1.0, "density");
    FLUID_REFUSED(f.density = NAN, "density");
    FLUID_REFUSED(f.density = 0.0, "number of Reynolds");
    FLUID_REFUSED(f.viscosity = 0.0, "needs a viscosity");
    FLUID_REFUSED(f.viscosity = INFINITY, "viscosity");
    FLUID_REFUSED(f.porosity = 1.5, "porosity");
    FLUID_REFUSED((f.drag = RPS_DRAG_STOKES, f.porosity = 0.5), "di_felice");
    FLUID_REFUSED(f.velocity[1] = NAN, "velocity");
    FLUID_REFUSED(f.level = NAN, "level");
    assert_null(rps_drag_name(RPS_DRAG_COUNT));
    const double none[3] = {0.0, 0.0, 0.0};
    rps_fluid f = water(RPS_DRAG_NONE);
    f.level = 0.1;
    MUST(rps_world_set_fluid(world, &f, ERR));
    rps_error err = {0};
    assert_int_equal(rps_world_set_gravity(world, none, &err), RPS_BAD_INPUT); /* the level loses its direction */
    rps_world_destroy(world);
    world = deep_world(1e-4, RPS_PENALTY, 0.0, 1);
    assert_fluid_refused(world, &f, "no gravity");
    rps_world_destroy(world);
    rps_world_options options = options_of(1e-4);
    const rps_pair pair = tracked_pair();
    options.gravity[2] = -1.0;
    options.period[2] = 1.0;
    world = world_of(&options, &pair);
    assert_fluid_refused(world, &f, "periodic");
    rps_world_destroy(world);
    options = options_of(1e-4);
    options.dimension = 2;
    options.gravity[2] = -1.0;
    world = world_of(&options, &pair);
    assert_fluid_refused(world, &f, "planar");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal_speed), cmocka_unit_test(test_porosity),
        cmocka_unit_test(test_decay),          cmocka_unit_test(test_dumbbell),
        cmocka_unit_test(test_float),          cmocka_unit_test(test_through_the_surface),
        cmocka_unit_test(test_changes),        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
