/*
 * Motion of free bodies with pieces in groups, against the scalar form body by body, by bits, with every instruction
 * set. A world that says that axes are locked takes the scalar form for every body; without such an axis it computes
 * the same.
 */
#include "../physics/worlds.h"

#include "base/cpu.h"
#include "step/step_stages.h"
#include "world/world.h"

enum { BODIES = 301, SCALAR = RPS_ISA_COUNT };

static bool supported(int form) {
    if (form == SCALAR || rps_isa_supported((rps_isa)form)) return true;
    SAY("skipped: this machine has no %s\n", rps_isa_name((rps_isa)form));
    return false;
}

static void set_form(rps_world *world, int form) {
    world->axes_locked = form == SCALAR;
}

/* --- one first half from random states -------------------------------------------------------------------------------- */

/* Spheres, fixed bodies and bodies that cannot rotate lie among the others, so that groups have gaps and remainders. */
static void add_any(rps_world *world, uint64_t n) {
    rps_body_def def = rps_body_def_default();
    const int kind = (int)(n % 97 > 60 ? n % 5 : 5);
    if (kind == 0) {
        def.radius = uniform(1, n, 0.1, 0.2);
    } else {
        def.shape = n % 2 ? "box" : "ellipsoid";
        for (int k = 0; k < 3; k++) def.parameter[k] = uniform(2, 3 * n + (uint64_t)k, 0.1, 0.3);
        def.kind = kind == 1 ? RPS_BODY_FIXED : RPS_BODY_FREE;
        def.locked = kind == 2;
    }
    def.mass = 1.0;
    to_array(def.position, rps_vec3_make(uniform(3, n, 0.0, 0.1), (double)(n % 20), (double)(n / 20)));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

/* Moments: all different, two equal, all equal. Angular momenta: none, small, large, so large that a step turns beyond the range
 * of the short series. The largest angle is that of the whole turn: 2 x .5 rad and what the two other moments add. */
static void set_state(rps_world *world, size_t s) {
    rps_bodies *bodies = &world->bodies;
    const uint64_t n = bodies->id[s][0];
    double *inertia = bodies->inertia[s];
    for (int k = 0; k < 3; k++) inertia[k] = uniform(4, 3 * n + (uint64_t)k, 0.5, 1.0);
    const size_t a = n / 4 % 3, b = (a + 1) % 3;
    if (n % 4 == 1) inertia[a] = inertia[b];
    if (n % 8 == 2) inertia[0] = inertia[1] = inertia[2];
    static const double size[] = {0.0, 1e-118, 1e-60, 1e-3, 1.0, 100.0, 700.0};
    const rps_vec3 l = rps_vec3_scale(random_direction(5, n), size[n % 7] * uniform(6, n, 0.5, 1.0));
    to_array(bodies->angular_momentum[s], n % 11 == 0 ? rps_vec3_mul(l, rps_vec3_make(1.0, 0.0, 0.0)) : l);
    const rps_vec3 u = random_vec(7, n);
    const rps_quat q = rps_quat_normalize((rps_quat){uniform(8, n, -1.0, 1.0), u.x, u.y, u.z});
    const double o[4] = {q.w, q.x, q.y, q.z};
    if (n % 5 > 0) memcpy(bodies->orientation[s], o, sizeof o);
    to_array(bodies->motion[s].velocity, rps_vec3_scale(random_vec(9, n), 30.0));
    to_array(bodies->load[s].force, random_vec(10, n));
    to_array(bodies->load[s].torque, rps_vec3_scale(random_vec(11, n), size[n % 7]));
}

static rps_world *random_world(int form) {
    rps_world_options options = options_of(1e-3);
    options.isa = form < SCALAR ? form : -1;
    options.period[0] = 3.0;
    options.gravity[2] = -9.81;
    options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF; /* nothing evaluates a contact */
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    for (uint64_t n = 0; n < BODIES; n++) add_any(world, n);
    MUST(rps_world_start(world, ERR));
    for (size_t s = 0; s < BODIES; s++) {
        if (world->bodies.kind[s][0] == RPS_BODY_FREE && world->bodies.piece[s][0] >= 0) set_state(world, s);
    }
    set_form(world, form);
    return world;
}

static void assert_same_bodies(const rps_world *a, const rps_world *b, int form) {
    for (size_t s = 0; s < BODIES; s++) {
        const rps_bodies *x = &a->bodies, *y = &b->bodies;
        if (memcmp(&x->pose[s], &y->pose[s], sizeof x->pose[s]) != 0 ||
            memcmp(&x->motion[s], &y->motion[s], sizeof x->motion[s]) != 0 ||
            memcmp(&x->load[s], &y->load[s], sizeof x->load[s]) != 0 ||
            memcmp(x->orientation[s], y->orientation[s], sizeof x->orientation[s]) != 0 ||
            memcmp(x->angular_momentum[s], y->angular_momentum[s], sizeof x->angular_momentum[s]) != 0 ||
            memcmp(x->image[s], y->image[s], sizeof x->image[s]) != 0) {
            fail_msg("form %d: body %d differs from the scalar one", form, (int)x->id[s][0]);
        }
    }
    assert_memory_equal(&a->moved, &b->moved, sizeof a->moved);
}

static void test_random_states(void **state) {
    (void)state;
    rps_world *scalar = random_world(SCALAR);
    rps_motion_start(scalar, 0.0);
    for (int form = 0; form < SCALAR; form++) {
        if (!supported(form)) continue;
        rps_world *world = random_world(form);
        rps_motion_start(world, 0.0);
        assert_same_bodies(world, scalar, form);
        rps_world_destroy(world);
    }
    assert_true(scalar->moved.rotation > 0.4); /* rad: some turned beyond the range of the short series */
    rps_world_destroy(scalar);
}

/* A body without angular momentum keeps its orientation, even one that is not quite normal. */
static void test_a_body_at_rest_keeps_its_bits(void **state) {
    (void)state;
    for (int form = 0; form <= SCALAR; form++) {
        if (!supported(form)) continue;
        rps_world *world = random_world(form);
        rps_bodies *bodies = &world->bodies;
        size_t still = 0, s;
        for (s = 0; s < BODIES; s++) bodies->orientation[s][0] *= 1.0 + 0x1p-40;
        double(*before)[4] = test_malloc(sizeof(double[BODIES][4]));
        memcpy(before, bodies->orientation, sizeof(double[BODIES][4]));
        rps_motion_start(world, 0.0);
        for (s = 0; s < BODIES; s++) {
            if (bodies->piece[s][0] < 0 || !(bodies->motion[s].inverse_inertia[0] > 0.0)) continue;
            const uint64_t n = bodies->id[s][0] % 7;
            const bool same = memcmp(before[s], bodies->orientation[s], sizeof before[s]) == 0;
            if (n == 0) assert_true(same);
            if (n > 2) assert_false(same); /* 1 and 2: momenta whose turns are below rounding */
            still += n == 0;
        }
        assert_true(still > 20);
        test_free(before);
        rps_world_destroy(world);
    }
}

/* --- whole steps in contact ------------------------------------------------------------------------------------------ */

static void add_grain(rps_world *world, uint64_t n) {
    rps_body_def def = rps_body_def_default();
    rps_piece_def piece[3] = {rps_piece_def_default(), rps_piece_def_default(), rps_piece_def_default()};
    if (n % 7 == 3) {
        def.radius = 0.004;
    } else if (n % 7 == 5) {
        def.shape = "box";
        for (int k = 0; k < 3; k++) def.parameter[k] = 0.004 + 0.001 * k;
    } else {
        for (int k = 0; k < 3; k++) {
            piece[k].parameter[0] = 0.002;
            piece[k].position[0] = 0.002 * cos(2.0 * k);
            piece[k].position[1] = 0.002 * sin(2.0 * k);
        }
        def.piece = piece;
        def.pieces = 3;
    }
    def.mass = 1e-4;
    to_array(def.position,
             rps_vec3_make(0.0075 * (double)(n % 3), 0.0075 * (double)(n / 3 % 3), 0.005 + 0.0075 * (double)(n / 9)));
    to_array(def.velocity, rps_vec3_add(random_vec(21, n), rps_vec3_make(0.0, 0.0, -1.0 - 0.5 * (double)(n / 9))));
    to_array(def.angular_velocity, rps_vec3_scale(random_vec(22, n), 100.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

/* calls: steps of each call; between two of one call, the halves of motion are fused. */
static void heap_hash(int form, uint64_t calls, rps_integrator integrator, uint64_t hash[2], size_t *contacts) {
    rps_world_options options = options_of(2e-6);
    options.isa = form < SCALAR ? form : -1;
    options.period[0] = options.period[1] = 0.0225;
    options.gravity[2] = -9.81;
    options.integrator = integrator;
    options.guards.action[RPS_GUARD_OVERLAP] = RPS_GUARD_OFF; /* bits are compared, not contacts judged */
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e3, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e2, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.3, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    for (uint64_t n = 0; n < 45; n++) add_grain(world, n);
    set_form(world, form);
    for (uint64_t step = 0; step < 2000; step += calls) advance(world, calls);
    assert_true(world->axes_locked == (form == SCALAR));
    *contacts = rps_world_contact_count(world);
    MUST(rps_world_hash(world, hash, ERR));
    rps_world_destroy(world);
}

static void test_heaps(void **state) {
    (void)state;
    static const rps_integrator integrator[] = {RPS_VERLET, RPS_HALF_IMPLICIT};
    for (int k = 0; k < 2; k++) {
        uint64_t expected[2], hash[2];
        size_t contacts;
        heap_hash(SCALAR, 1, integrator[k], expected, &contacts);
        SAY("%d contacts\n", (int)contacts);
        assert_true(contacts > 20);
        for (int form = 0; form <= SCALAR; form++) {
            if (!supported(form)) continue;
            for (uint64_t calls = 1; calls <= 50; calls += 49) {
                heap_hash(form, calls, integrator[k], hash, &contacts);
                assert_memory_equal(hash, expected, sizeof hash);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_states),
        cmocka_unit_test(test_a_body_at_rest_keeps_its_bits),
        cmocka_unit_test(test_heaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
