/*
 * An imposed load follows gravity at once. A body that rests on a plane under its imposed weight keeps a normal speed of
 * rounding size, however often gravity changes in size and direction between steps, with both integrators and in both
 * contact records; the loads right after a change are those of a world that begins there, across a restart too.
 */
#include "worlds.h"

#include <float.h>
#include <stdlib.h>
#include <unistd.h>

#include "world/world.h"

static const double MASS = 0.05, RADIUS = 0.01, DT = 1e-4;

typedef struct set_up {
    const char *name;
    bool frames, planar, rough, conveyor;
} set_up;

static const set_up set_ups[] = {{.name = "compact record"},
                                 {.name = "frame record", .frames = true},
                                 {.name = "planar", .planar = true},
                                 {.name = "rough", .rough = true},
                                 {.name = "rough, on a conveyor", .rough = true, .conveyor = true},
                                 {.name = "rough, frame record", .rough = true, .frames = true}};

static rps_pair imposed_pair(bool rough) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "imposed", "load", 0.0, NULL);
    if (rough) return pair;
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    return pair;
}

static rps_world *ball_on_plane(const set_up *s, rps_integrator integrator, rps_vec3 n, uint64_t *ball) {
    rps_world_options options = options_of(DT);
    options.integrator = integrator;
    options.frames = s->frames;
    options.dimension = s->planar ? 2 : 3;
    to_array(options.gravity, rps_vec3_scale(n, -9.8));
    const rps_pair pair = imposed_pair(s->rough);
    rps_world *world = world_of(&options, &pair);
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = s->conveyor ? RPS_BODY_DRIVEN : RPS_BODY_FIXED;
    if (s->conveyor) to_array(def.drive.velocity, rps_vec3_scale(rps_vec3_any_across(n), 0.01));
    to_array(def.normal, n);
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    rps_body_def ball_def = rps_body_def_default();
    ball_def.shape = s->planar ? "disk" : "sphere";
    ball_def.radius = RADIUS;
    ball_def.mass = MASS;
    to_array(ball_def.position, rps_vec3_scale(n, RADIUS));
    MUST(rps_world_add_body(world, &ball_def, ball, ERR));
    return world;
}

/* Gravity number k: presses on the plane, with a size and a direction of its own. */
static rps_vec3 gravity_number(uint64_t k, rps_vec3 n, bool planar) {
    const rps_vec3 across = planar ? rps_vec3_make(n.z, 0.0, -n.x) : rps_vec3_any_across(n);
    const rps_vec3 other = planar ? rps_vec3_zero() : rps_vec3_cross(n, across);
    rps_vec3 g = rps_vec3_scale(n, -uniform(1, k, 0.5, 30.0));
    g = rps_vec3_add_scaled(g, uniform(2, k, -3.0, 3.0), across);
    return rps_vec3_add_scaled(g, uniform(3, k, -3.0, 3.0), other);
}

static void set_gravity(rps_world *world, rps_vec3 g) {
    double gravity[3];
    to_array(gravity, g);
    MUST(rps_world_set_gravity(world, gravity, ERR));
}

/* In each of `changes` stages of `steps` steps: the normal speed, and where nothing rubs the closed form v = sum g T. */
static void hold(const set_up *s, rps_integrator integrator, uint64_t changes, uint64_t steps) {
    const rps_vec3 n = s->planar ? rps_vec3_normalize(rps_vec3_make(0.3, 0.0, 1.0))
                                 : rps_vec3_normalize(rps_vec3_make(0.3, -0.2, 1.0));
    uint64_t ball;
    rps_world *world = ball_on_plane(s, integrator, n, &ball);
    rps_vec3 v = rps_vec3_zero();
    advance(world, steps);
    for (uint64_t k = 0; k < changes; k++) {
        const rps_vec3 g = gravity_number(k, n, s->planar);
        set_gravity(world, g);
        advance(world, steps);
        const double time = (double)steps * DT;
        v = rps_vec3_add_scaled(v, time, rps_vec3_reject(g, n));
        /* every step rounds g + N/m by at most some 4 eps of 36 m/s^2, and each component of v by eps/2 of it */
        const double far = rps_vec3_norm(velocity_of(world, ball)) + 5.0 * time;
        const double most = (double)((k + 2) * steps) * DBL_EPSILON * (36.0 * 4.0 * DT + far);
        const double leaves = rps_vec3_dot(velocity_of(world, ball), n);
        if (!(fabs(leaves) <= most))
            fail_msg("%s, integrator %d, change %d: the ball leaves the plane at %.3g m/s, above %.3g", s->name,
                     (int)integrator, (int)k, leaves, most);
        if (!s->rough) {
            ASSERT_NEAR(rps_vec3_norm(rps_vec3_sub(velocity_of(world, ball), v)), 0.0, most);
        }
    }
    /* a normal speed at the bound from the beginning to the end, and as many roundings of the position */
    const double way = rps_vec3_norm(position_of(world, ball)), all = (double)((changes + 1) * steps);
    ASSERT_NEAR(rps_vec3_dot(position_of(world, ball), n), RADIUS,
                all * DBL_EPSILON * (way + all * DT * (36.0 * 4.0 * DT + rps_vec3_norm(velocity_of(world, ball)))));
    rps_world_destroy(world);
}

static void test_stays_on_its_plane(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof set_ups / sizeof *set_ups; k++) {
        hold(&set_ups[k], RPS_VERLET, 8, 12000);
        hold(&set_ups[k], RPS_HALF_IMPLICIT, 8, 12000);
    }
}

/* A change after every step: a ramp. */
static void test_a_change_every_step(void **state) {
    (void)state;
    hold(&set_ups[0], RPS_VERLET, 10000, 1);
    hold(&set_ups[1], RPS_HALF_IMPLICIT, 10000, 1);
}

/* Free fall along the plane: the residual is rounding, of the largest term. */
static void test_ledger_closes(void **state) {
    (void)state;
    const rps_vec3 n = {0.0, 0.0, 1.0};
    for (int integrator = 0; integrator < 2; integrator++) {
        uint64_t ball;
        rps_world *world = ball_on_plane(&set_ups[0], (rps_integrator)integrator, n, &ball);
        double largest = 0.0;
        for (uint64_t k = 0; k < 20; k++) {
            set_gravity(world, gravity_number(k, n, false));
            advance(world, 500);
            const rps_ledger ledger = ledger_of(world);
            largest = fmax(largest, fmax(fabs(ledger.gravity), ledger.kinetic_translation));
            /* verlet is exact in a constant field; half-implicit loses m g^2 dt t/2, an error of its order */
            const double order =
                integrator == RPS_VERLET ? 1e-12 * largest : MASS * 18.0 * 0.5 * DT * 500.0 * DT * (double)(k + 1);
            ASSERT_BELOW(fabs(ledger.residual), order);
        }
        rps_world_destroy(world);
    }
}

/* Two planes at a right angle bear one ball: each by its part, and their sum bears all of gravity across the groove. */
static void test_a_groove(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 2; integrator++) {
        rps_world_options options = options_of(DT);
        options.integrator = (rps_integrator)integrator;
        options.gravity[2] = -9.8;
        const rps_pair pair = imposed_pair(false);
        rps_world *world = world_of(&options, &pair);
        const double h = sqrt(0.5);
        add_ground(world, rps_vec3_make(h, 0.0, h));
        add_ground(world, rps_vec3_make(-h, 0.0, h));
        const uint64_t ball =
            add_ball(world, rps_vec3_make(0.0, 0.0, RADIUS / h), RADIUS, MASS, rps_vec3_zero(), rps_vec3_zero());
        for (uint64_t k = 0; k < 50; k++) {
            set_gravity(world, rps_vec3_make(uniform(4, k, -1.0, 1.0), 0.3, -uniform(5, k, 1.5, 20.0)));
            advance(world, 200);
            const rps_vec3 v = velocity_of(world, ball);
            ASSERT_BELOW(hypot(v.x, v.z), (double)(k + 1) * 200.0 * DT * 20.0 * 8.0 * DBL_EPSILON);
        }
        rps_world_destroy(world);
    }
}

/* A tilted ellipsoid that cannot turn: forces and torques after a change are those of a world that begins so. */
static void test_loads_of_the_new_gravity(void **state) {
    (void)state;
    const double old[3] = {0.0, 0.0, -9.8}, new[3] = {1.0, -2.0, -3.7};
    double force[2][2][3], torque[2][2][3];
    for (int late = 0; late < 2; late++) {
        rps_world_options options = options_of(DT);
        memcpy(options.gravity, late ? old : new, sizeof old);
        const rps_pair pair = imposed_pair(false);
        rps_world *world = world_of(&options, &pair);
        const uint64_t plane = add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        rps_body_def def = rps_body_def_default();
        def.shape = "ellipsoid";
        def.parameter[0] = 0.02;
        def.parameter[1] = 0.012;
        def.parameter[2] = 0.008;
        def.mass = MASS;
        def.locked = true;
        def.orientation[0] = cos(0.2);
        def.orientation[2] = sin(0.2);
        const double tilt = 0.4; /* about y; the lowest point of an ellipse */
        def.position[2] = sqrt(pow(0.02 * sin(tilt), 2.0) + pow(0.008 * cos(tilt), 2.0));
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        start(world);
        if (late) MUST(rps_world_set_gravity(world, new, ERR));
        const uint64_t who[2] = {plane, id};
        for (int k = 0; k < 2; k++) MUST(rps_world_body_load(world, who[k], force[late][k], torque[late][k], ERR));
        const double *load = field_of(world, "force", id);
        for (int k = 0; k < 3; k++) ASSERT_NEAR(load[k], force[late][1][k], 1e-15 * MASS * 9.8);
        rps_world_destroy(world);
    }
    ASSERT_NEAR(force[1][1][2], MASS * 3.7, 1e-15 * MASS * 9.8);
    ASSERT_ABOVE(fabs(torque[1][1][1]), 1e-3 * MASS * 3.7 * 0.02); /* else nothing is tested of it */
    for (int k = 0; k < 2; k++) {
        for (int x = 0; x < 3; x++) { /* two roundings of a load more */
            ASSERT_NEAR(force[1][k][x], force[0][k][x], 1e-15 * MASS * 9.8);
            ASSERT_NEAR(torque[1][k][x], torque[0][k][x], 1e-15 * MASS * 9.8 * 0.02);
        }
    }
}

/* Saved before a change, or right after one: the same bits as without a restart. */
static void test_restart_across_a_change(void **state) {
    (void)state;
    const rps_vec3 n = rps_vec3_normalize(rps_vec3_make(0.3, -0.2, 1.0));
    const rps_vec3 g = gravity_number(7, n, false);
    for (size_t k = 0; k < sizeof set_ups / sizeof *set_ups; k++) {
        if (set_ups[k].planar) continue;
        for (int integrator = 0; integrator < 2; integrator++) {
            char file[] = "/tmp/imposed_load_XXXXXX";
            uint64_t ball, hash[3][2];
            const int descriptor = mkstemp(file);
            assert_true(descriptor >= 0);
            close(descriptor);
            for (int way = 0; way < 3; way++) {
                rps_world *world = ball_on_plane(&set_ups[k], (rps_integrator)integrator, n, &ball);
                advance(world, 1000);
                if (way == 2) set_gravity(world, g);
                if (way > 0) {
                    MUST(rps_world_save(world, file, ERR));
                    rps_world_destroy(world);
                    world = ball_on_plane(&set_ups[k], (rps_integrator)integrator, n, &ball);
                    MUST(rps_world_restore(world, file, ERR));
                }
                if (way < 2) set_gravity(world, g);
                advance(world, 1000);
                MUST(rps_world_hash(world, hash[way], ERR));
                rps_world_destroy(world);
            }
            unlink(file);
            assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
            assert_memory_equal(hash[0], hash[2], sizeof hash[0]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stays_on_its_plane),
        cmocka_unit_test(test_a_change_every_step),
        cmocka_unit_test(test_ledger_closes),
        cmocka_unit_test(test_a_groove),
        cmocka_unit_test(test_loads_of_the_new_gravity),
        cmocka_unit_test(test_restart_across_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
