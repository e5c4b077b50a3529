/*
 * Forces from outside against closed forms: a trap, a steady torque, drag, a magnetic field, a force that changes in time; the
 * ledger, threads, restart, and what is refused.
 */
#include "worlds.h"

#include <unistd.h>

#include <repose/force.h>

#define MASS 2e-3   /* kg */
#define STIFF 5.0   /* N/m */
#define STEP 1e-3   /* s */
#define RADIUS 0.01 /* m */

static const double INERTIA = 0.4 * MASS * RADIUS * RADIUS;

typedef struct field_numbers {
    double spring, drag, charge, push, turn, pulse; /* N/m, N s/m, N s/m, N, N m, rad/s */
    double bad_beyond;                              /* m, along x; 0: nowhere */
} field_numbers;

static void field_load(void *context, const rps_force_at *at, double force[3], double torque[3]) {
    const field_numbers *f = context;
    const double *x = at->position, *v = at->velocity;
    for (int k = 0; k < 3; k++) force[k] = -f->spring * x[k] - f->drag * v[k];
    force[0] += f->push * (f->pulse > 0.0 ? rps_sin(f->pulse * at->time) : 1.0) + f->charge * v[1];
    force[1] -= f->charge * v[0];
    torque[2] = f->turn;
    if (f->bad_beyond > 0.0 && x[0] > f->bad_beyond) force[1] = NAN;
}

static double field_potential(void *context, const rps_force_at *at) {
    const field_numbers *f = context;
    const rps_vec3 x = rps_vec3_of(at->position);
    return 0.5 * f->spring * rps_vec3_norm2(x) - f->push * x.x;
}

static void add_field(rps_world *world, const char *name, field_numbers *f, bool of_velocity) {
    rps_force_def def = rps_force_def_default();
    def.name = name;
    def.load = field_load;
    def.of_velocity = of_velocity;
    def.context = f;
    MUST(rps_world_add_force(world, &def, ERR));
}

static rps_world *empty_world(const rps_world_options *options) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 10.0, NULL);
    rps_world *world = world_of(options, &pair);
    MUST(rps_world_exclude(world, 0, 0, ERR));
    return world;
}

static rps_world *one_ball(double step, rps_vec3 x, rps_vec3 v) {
    const rps_world_options options = options_of(step);
    rps_world *world = empty_world(&options);
    add_ball(world, x, RADIUS, MASS, v, rps_vec3_zero());
    return world;
}

/* Verlet's own orbit: sin(W dt/2) = w dt/2. */
static void test_trap(void **state) {
    (void)state;
    field_numbers trap = {.spring = STIFF};
    rps_world *world = one_ball(STEP, rps_vec3_make(0.1, 0, 0), rps_vec3_zero());
    add_field(world, "trap", &trap, false);
    const double frequency = sqrt(STIFF / MASS), seen = 2.0 / STEP * asin(0.5 * frequency * STEP);
    advance(world, 1234);
    ASSERT_NEAR(position_of(world, 0).x, 0.1 * cos(seen * STEP * 1234), 1e-13); /* round-off of 1234 steps */
    const rps_ledger ledger = ledger_of(world);
    /* the work is what the kicks changed: the ledger closes to round-off */
    ASSERT_BELOW(fabs(ledger.residual), 1e-16);
    ASSERT_NEAR(rps_world_force_work(world, 0), ledger.forces, 0.0);
    ASSERT_NEAR(ledger.forces, ledger.kinetic_translation, 1e-16);
    rps_world_destroy(world);
}

static double potential_residual(double step) {
    field_numbers trap = {.spring = STIFF, .push = 0.01};
    rps_force_def def = rps_force_def_default();
    rps_world *world = one_ball(step, rps_vec3_make(0.08, 0.02, 0), rps_vec3_make(0, 0.3, 0.1));
    def.name = "trap";
    def.load = field_load;
    def.potential = field_potential;
    def.context = &trap;
    MUST(rps_world_add_force(world, &def, ERR));
    /* a body that comes after the force brings its potential energy */
    add_ball(world, rps_vec3_make(-0.02, 0.05, 0.01), RADIUS, MASS, rps_vec3_zero(), rps_vec3_zero());
    double worst = 0.0;
    for (int k = 0; k < 40; k++) {
        advance(world, (uint64_t)(0.004 / step + 0.5));
        const rps_ledger ledger = ledger_of(world);
        worst = fmax(worst, fabs(ledger.residual));
        assert_true(ledger.forces == 0.0 && ledger.potential != 0.0);
    }
    const uint64_t id = 1;
    const double before = ledger_of(world).residual;
    MUST(rps_world_remove_bodies(world, &id, 1, ERR));
    ASSERT_NEAR(ledger_of(world).residual, before, 1e-15);
    rps_world_destroy(world);
    return worst;
}

static void test_potential(void **state) {
    (void)state;
    const double a = potential_residual(1e-3), b = potential_residual(5e-4);
    SAY("trap with a potential: residual %.3g J, %.3g J\n", a, b);
    ASSERT_NEAR(a / b, 4.0, 0.1); /* second order; fourth order terms are (w dt)^2 = .0025 of it */
    ASSERT_BELOW(a, 0.5 * STIFF * 0.02 * 0.0025 / 4.0); /* (w dt)^2/4 of k x^2/2, x^2 of both together */
}

static void test_constant(void **state) {
    (void)state;
    field_numbers push = {.push = 0.03, .turn = 1e-5};
    rps_world *world = one_ball(STEP, rps_vec3_zero(), rps_vec3_make(0, 0, 1));
    add_field(world, "push", &push, false);
    advance(world, 100);
    const double v = 0.03 * 0.1 / MASS, w = 1e-5 * 0.1 / INERTIA;
    ASSERT_NEAR(velocity_of(world, 0).x, v, 1e-12);
    ASSERT_NEAR(turning_of(world, 0).z, w, 1e-12 * w);
    ASSERT_NEAR(rps_world_force_work(world, 0), 0.5 * MASS * v * v + 0.5 * INERTIA * w * w, 1e-14);
    ASSERT_BELOW(fabs(ledger_of(world).residual), 1e-15);
    rps_world_destroy(world);
}

/* Error of the velocity after .1 s: of drag exp(-c t/m), of a charge in a magnetic field a turn by q B t/m, of a pulse its
 * integral. */
static double field_error(int which, double step) {
    field_numbers f = {.drag = which == 0 ? 0.05 : 0.0,
                       .charge = which == 1 ? 0.1 : 0.0,
                       .push = which == 2 ? 0.03 : 0.0,
                       .pulse = which == 2 ? 40.0 : 0.0};
    rps_world *world = one_ball(step, rps_vec3_zero(), rps_vec3_make(1, 0, 0));
    add_field(world, "field", &f, which != 2);
    advance(world, (uint64_t)(0.1 / step + 0.5));
    const rps_vec3 v = velocity_of(world, 0);
    const rps_vec3 exact = which == 0   ? rps_vec3_make(exp(-0.05 * 0.1 / MASS), 0, 0)
                           : which == 1 ? rps_vec3_make(cos(5.0), -sin(5.0), 0)
                                        : rps_vec3_make(1.0 + 0.03 / (MASS * 40.0) * (1.0 - cos(4.0)), 0, 0);
    ASSERT_BELOW(fabs(ledger_of(world).residual), 1e-15);
    rps_world_destroy(world);
    return rps_vec3_norm(rps_vec3_sub(v, exact));
}

static void test_second_order(void **state) {
    (void)state;
    static const char *const name[3] = {"drag", "magnetic field", "pulse"};
    for (int which = 0; which < 3; which++) {
        const double a = field_error(which, 1e-3), b = field_error(which, 5e-4);
        SAY("%s: off by %.3g m/s, %.3g m/s\n", name[which], a, b);
        ASSERT_NEAR(a / b, 4.0, 0.2); /* third order terms are 1/40 of it */
        ASSERT_BELOW(a, 1e-2);
    }
}

static void test_groups(void **state) {
    (void)state;
    field_numbers push = {.push = 0.1};
    const rps_world_options options = options_of(STEP);
    rps_world *world = empty_world(&options);
    rps_force_def def = rps_force_def_default();
    int group;
    MUST(rps_world_group(world, "chosen", &group, ERR));
    for (int k = 0; k < 3; k++) {
        rps_body_def body = rps_body_def_default();
        body.radius = RADIUS;
        if (k < 2) body.mass = MASS;
        body.kind = k == 2 ? RPS_BODY_FIXED : RPS_BODY_FREE;
        body.group = k ? group : 0;
        body.position[0] = 0.1 * k;
        MUST(rps_world_add_body(world, &body, NULL, ERR));
    }
    def.name = "push";
    def.group = group;
    def.load = field_load;
    def.context = &push;
    MUST(rps_world_add_force(world, &def, ERR));
    advance(world, 10);
    assert_true(velocity_of(world, 0).x == 0.0 && velocity_of(world, 2).x == 0.0);
    ASSERT_NEAR(velocity_of(world, 1).x, 0.1 * 10 * STEP / MASS, 1e-14);
    rps_world_destroy(world);
}

/* The nonsmooth stepper and planar worlds; a locked axis stays at rest. */
static void test_other_worlds(void **state) {
    (void)state;
    for (int n = 0; n < 3; n++) {
        field_numbers push = {.push = 0.1, .charge = n == 1 ? 0.2 : 0.0};
        rps_world_options options = options_of(STEP);
        if (n == 0) options.stepper = RPS_NONSMOOTH;
        if (n == 1) options.dimension = 2;
        if (n == 2) options.integrator = RPS_HALF_IMPLICIT;
        rps_world *world = empty_world(&options);
        rps_body_def def = n == 1 ? rps_body_disk(RADIUS) : rps_body_def_default();
        def.radius = RADIUS;
        def.mass = MASS;
        MUST(rps_world_add_body(world, &def, NULL, ERR));
        add_field(world, "push", &push, n == 1);
        advance(world, 20);
        const rps_vec3 v = velocity_of(world, 0);
        ASSERT_NEAR(v.x, 0.1 * 20 * STEP / MASS, 1e-13);
        assert_true(v.y == 0.0 && v.z == 0.0);
        ASSERT_BELOW(fabs(ledger_of(world).residual), 1e-15);
        rps_world_destroy(world);
    }
}

/* --- same bits ------------------------------------------------------------------------------------------------------ */

static field_numbers swarm_trap = {.spring = STIFF, .drag = 0.01},
                     swarm_field = {.charge = 0.1, .pulse = 30.0, .push = 0.1};

static rps_world *swarm_of(int threads) {
    rps_world_options options = options_of(STEP);
    options.threads = threads;
    rps_world *world = empty_world(&options);
    for (uint64_t n = 0; n < 3000; n++) {
        add_ball(world, rps_vec3_scale(random_vec(3, n), 0.01), RADIUS, MASS, rps_vec3_scale(random_vec(4, n), 0.1),
                 rps_vec3_zero());
    }
    add_field(world, "trap", &swarm_trap, true);
    add_field(world, "field", &swarm_field, true);
    return world;
}

static void test_same_bits(void **state) {
    (void)state;
    rps_world *world[4];
    uint64_t hash[4][2];
    char path[64];
    rps_error err = {0};
    for (int n = 0; n < 3; n++) {
        world[n] = swarm_of(1 + n);
        advance(world[n], 30);
    }
    snprintf(path, sizeof path, "/tmp/repose_forces_%ld.checkpoint", (long)getpid());
    MUST(rps_world_save(world[0], path, ERR));
    world[3] = swarm_of(2);
    MUST(rps_world_restore(world[3], path, ERR));
    for (int n = 0; n < 4; n++) {
        advance(world[n], 30);
        MUST(rps_world_hash(world[n], hash[n], ERR));
        assert_memory_equal(hash[n], hash[0], sizeof hash[0]);
        assert_true(rps_world_force_work(world[n], 1) == rps_world_force_work(world[0], 1));
        if (n > 0) rps_world_destroy(world[n]);
    }
    ASSERT_BELOW(fabs(ledger_of(world[0]).residual), 1e-12 * ledger_of(world[0]).kinetic_translation);
    rps_world_destroy(world[0]);
    /* a world without these forces is another one */
    rps_world *other = one_ball(STEP, rps_vec3_zero(), rps_vec3_zero());
    assert_int_equal(rps_world_restore(other, path, &err), RPS_BAD_INPUT);
    rps_world_destroy(other);
    unlink(path);
}

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void test_no_number(void **state) {
    (void)state;
    rps_error err = {0};
    field_numbers push = {.push = 0.1, .bad_beyond = 0.05};
    rps_world *world = one_ball(STEP, rps_vec3_zero(), rps_vec3_make(1, 0, 0));
    add_field(world, "wind", &push, false);
    assert_int_equal(rps_world_step(world, 1000, &err), RPS_GUARD);
    static const char *const says[] = {"force `wind` on body 0", "t = 0.029 s", "nan", "it is at (0.05"};
    for (size_t k = 0; k < sizeof says / sizeof *says; k++) {
        if (!strstr(err.text, says[k])) fail_msg("\"%s\" does not say \"%s\"", err.text, says[k]);
    }
    rps_world_destroy(world);
}

static int released;

static void count_release(void *context) {
    (void)context;
    released++;
}

static void refuse_force(rps_world *world, const rps_force_def *def, const char *says) {
    rps_error err = {0};
    assert_int_not_equal(rps_world_add_force(world, def, &err), RPS_OK);
    if (!strstr(err.text, says)) fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void test_refusals(void **state) {
    (void)state;
    field_numbers push = {.push = 0.1};
    rps_world *world = one_ball(STEP, rps_vec3_zero(), rps_vec3_zero());
    rps_force_def def = rps_force_def_default();
    released = 0;
    def.release = count_release;
    def.context = &push;
    refuse_force(world, &def, "a name");
    def.name = "a name that is far too long for the book of the work of forces from outside";
    refuse_force(world, &def, "at most 63 bytes");
    def.name = "push";
    refuse_force(world, &def, "no function `load`");
    def.load = field_load;
    def.group = 7;
    refuse_force(world, &def, "no group number 7");
    def.group = RPS_ALL_GROUPS;
    assert_int_equal(released, 4); /* the world has taken over each of them */
    MUST(rps_world_add_force(world, &def, ERR));
    refuse_force(world, &def, "of this name already");
    assert_int_equal(rps_world_forces(world), 1);
    assert_string_equal(rps_world_force_name(world, 0), "push");
    assert_null(rps_world_force_name(world, 1));
    assert_true(isnan(rps_world_force_work(world, 1)));
    advance(world, 1);
    def.name = "late";
    refuse_force(world, &def, "before the first step");
    rps_world_destroy(world);
    assert_int_equal(released, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap),         cmocka_unit_test(test_potential), cmocka_unit_test(test_constant),
        cmocka_unit_test(test_second_order), cmocka_unit_test(test_groups),    cmocka_unit_test(test_other_worlds),
        cmocka_unit_test(test_same_bits),    cmocka_unit_test(test_no_number), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
