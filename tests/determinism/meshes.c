/*
 * Same bits of worlds with meshes: for any number of threads, instruction set, order of evaluation and of the triangles in the
 * file, and after a restart, at any step.
 */
#include "../physics/meshes.h"

#include <unistd.h>

#include "world/world.h"

enum { SIDE = 24, BALLS = 60, STEPS = 1500 };
#define RADIUS 0.01

/* A rough bowl, with cells about as large as a ball, or fine: smaller, so that contacts join and part. order: a stream of random numbers that shuffles points and
 * triangles; 0: as they are made. */
static sheet bowl(uint64_t order, bool fine) {
    sheet made = sheet_new(), s = sheet_new();
    for (uint64_t k = 0; k < (SIDE + 1) * (SIDE + 1); k++) {
        const double cell = fine ? 0.006 : 0.016, rough = fine ? 6e-4 : 2e-3;
        const double x = cell * ((double)(k % (SIDE + 1)) - SIDE / 2), y = cell * ((double)(k / (SIDE + 1)) - SIDE / 2);
        sheet_point(&made, x, y, 2.0 * (x * x + y * y) + uniform(1, k, -rough, rough));
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        const uint32_t a = k / SIDE * (SIDE + 1) + k % SIDE, b = a + 1, c = a + SIDE + 1, d = c + 1;
        sheet_triangle(&made, a, b, d);
        sheet_triangle(&made, a, d, c);
    }
    uint32_t *to = malloc(made.points * sizeof *to), *from = malloc(made.triangles * sizeof *from);
    assert_true(to != NULL && from != NULL);
    for (uint32_t k = 0; k < made.points; k++) to[k] = k;
    for (uint32_t k = 0; k < made.triangles; k++) from[k] = k;
    for (size_t k = made.points - 1; k > 0 && order != 0; k--) {
        const size_t m = (size_t)uniform(order, k, 0.0, (double)(k + 1));
        const uint32_t t = to[k];
        to[k] = to[m];
        to[m] = t;
    }
    for (size_t k = made.triangles - 1; k > 0 && order != 0; k--) {
        const size_t m = (size_t)uniform(order + 1, k, 0.0, (double)(k + 1));
        const uint32_t t = from[k];
        from[k] = from[m];
        from[m] = t;
    }
    s.points = made.points;
    for (size_t k = 0; k < made.points; k++) memcpy(s.point[to[k]], made.point[k], sizeof *s.point);
    for (size_t k = 0; k < made.triangles; k++) {
        const uint32_t *t = made.triangle[from[k]];
        const uint32_t first = order == 0 ? 0 : (uint32_t)uniform(order + 2, k, 0.0, 3.0);
        sheet_triangle(&s, to[t[first % 3]], to[t[(first + 1) % 3]], to[t[(first + 2) % 3]]);
    }
    free(to);
    free(from);
    sheet_free(&made);
    return s;
}

typedef struct manner {
    uint64_t order, shuffle;
    double step; /* s; 0: 20 us */
    int threads;
    rps_integrator integrator;
    bool hertz, fine;
    bool nonsmooth; /* with 50 times the step */
} manner;

/* Balls, pairs of balls, ellipsoids, superquadrics, boxes and capsules fall into the bowl, which shakes and turns. */
static rps_world *set_up(const manner *in) {
    rps_world_options options = options_of(in->step > 0.0 ? in->step : 2e-5);
    options.threads = in->threads;
    options.shuffle = in->shuffle;
    options.integrator = in->integrator;
    if (in->nonsmooth) {
        options.stepper = RPS_NONSMOOTH;
        options.step *= 50.0;
        options.nonsmooth.max_iterations = 100;
        options.guards.motion = options.guards.rotation = 2.0;
    }
    options.gravity[2] = -9.81;
    options.guards.action[RPS_GUARD_OVERLAP] = RPS_GUARD_OFF; /* soft for sharp edges */
    rps_pair pair = tracked_pair();
    if (in->hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    rps_world *world = world_of(&options, &pair);
    sheet s = bowl(in->order, in->fine);
    rps_mesh_def def = rps_mesh_def_default();
    int number;
    def.point = (const double(*)[3])s.point;
    def.points = s.points;
    def.triangle = (const uint32_t(*)[3])s.triangle;
    def.triangles = s.triangles;
    MUST(rps_world_add_mesh(world, &def, &number, ERR));
    rps_body_def body = rps_body_mesh(number);
    body.kind = RPS_BODY_DRIVEN;
    body.drive.until = -1.0;
    body.drive.angular_velocity[2] = 2.0;
    body.drive.amplitude[2] = 2e-4;
    body.drive.frequency = 30.0;
    for (uint64_t n = 0; n < BALLS; n++) {
        if (n == BALLS / 2) { /* some have lower ids, some higher ones */
            uint64_t id;
            MUST(rps_world_add_body(world, &body, &id, ERR));
            MUST(rps_world_want_loads(world, id, true, ERR)); /* they are in the hash */
        }
        const rps_vec3 x = {0.022 * (double)(n % 5) - 0.044 + 0.001 * uniform(2, n, -1, 1),
                            0.022 * (double)(n / 5 % 4) - 0.033, 0.025 + 0.025 * (double)(n / 20)};
        const rps_vec3 v = rps_vec3_add(rps_vec3_scale(random_vec(3, n), 0.1), rps_vec3_make(0, 0, -0.6));
        if (n % 4 == 3) {
            rps_body_def core = rps_body_def_default();
            core.shape = n % 8 == 3 ? "box" : "capsule";
            for (int k = 0; k < 3; k++) core.parameter[k] = n % 8 == 3 ? 0.014 + 0.001 * k : k == 0 ? 0.005 : 0.01;
            if (n % 8 != 3) core.parameter[2] = NAN;
            core.parameter[3] = n % 16 == 3 ? 0.002 : n % 8 == 3 ? 0.0 : NAN;
            core.mass = 0.08; /* many contacts of one body are stiff */
            to_array(core.position, x);
            to_array(core.velocity, v);
            MUST(rps_world_add_body(world, &core, NULL, ERR));
            continue;
        }
        if (n % 4 != 1) {
            add_ball(world, x, RADIUS, 0.01, v, rps_vec3_scale(random_vec(4, n), 20.0));
            continue;
        }
        if (n % 8 == 1) {
            rps_body_def smooth = rps_body_def_default();
            smooth.shape = n % 16 == 1 ? "ellipsoid" : "superquadric";
            for (int k = 0; k < 3; k++) smooth.parameter[k] = 0.006 + 0.002 * k;
            for (int k = 3; k < 5 && n % 16 != 1; k++) smooth.parameter[k] = k;
            smooth.mass = 0.02;
            to_array(smooth.position, x);
            to_array(smooth.velocity, v);
            to_array(smooth.angular_velocity, rps_vec3_scale(random_vec(4, n), 20.0));
            MUST(rps_world_add_body(world, &smooth, NULL, ERR));
            continue;
        }
        rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
        rps_body_def two = rps_body_def_default();
        for (int k = 0; k < 2; k++) {
            piece[k].parameter[0] = 0.006;
            piece[k].position[0] = k == 0 ? -0.004 : 0.004;
        }
        two.piece = piece;
        two.pieces = 2;
        two.shape = NULL;
        two.mass = 0.01;
        to_array(two.position, x);
        to_array(two.velocity, v);
        MUST(rps_world_add_body(world, &two, NULL, ERR));
    }
    sheet_free(&s);
    return world;
}

typedef struct hash128 {
    uint64_t word[2];
} hash128;

static hash128 hash_of(const rps_world *world) {
    hash128 h;
    MUST(rps_world_hash(world, h.word, ERR));
    return h;
}

static void assert_same(hash128 a, hash128 b) {
    assert_true(a.word[0] == b.word[0] && a.word[1] == b.word[1]);
}

static size_t living(const rps_world *world) {
    size_t contacts = 0;
    for (size_t k = 0; k < world->contacts.mesh.entries; k++) {
        const rps_mesh_entry *e = &world->contacts.mesh.entry[k];
        contacts += rps_contacts_entry_lives(world, world->contacts.segment[e->segment].begin + e->place);
    }
    return contacts;
}

/* contacts: with the mesh, summed over some steps. */
static hash128 run(const manner *in, size_t *contacts) {
    rps_world *world = set_up(in);
    *contacts = 0;
    for (int n = 0; n < STEPS / (in->nonsmooth ? 50 : 10); n++) {
        advance(world, in->nonsmooth ? 5 : 10);
        *contacts += living(world);
    }
    const hash128 h = hash_of(world);
    rps_world_destroy(world);
    return h;
}

static void test_any_way(void **state) {
    (void)state;
    for (int law = 0; law < 3; law++) {
        const manner plain = {.threads = 1,
                              .fine = law == 0,
                              .integrator = law == 1 ? RPS_HALF_IMPLICIT : RPS_VERLET,
                              .hertz = law == 1,
                              .nonsmooth = law == 2};
        size_t contacts, others;
        const hash128 first = run(&plain, &contacts);
        SAY("%d contacts with the mesh in the steps that were looked at\n", (int)contacts);
        assert_true(contacts > 100);
        manner in = plain;
        in.threads = 3;
        assert_same(run(&in, &others), first);
        in.order = 100;
        assert_same(run(&in, &others), first);
        in.order = 0;
        in.shuffle = 5;
        assert_same(run(&in, &others), first);
        assert_int_equal(others, contacts);
        in.hertz = !in.hertz; /* the comparison can fail */
        const hash128 other = run(&in, &others);
        assert_false(other.word[0] == first.word[0]);
    }
}

static void restart(bool nonsmooth) {
    const manner plain = {.threads = 2, .nonsmooth = nonsmooth, .fine = true};
    const uint64_t part = nonsmooth ? 17 : STEPS / 6 + 7, more = nonsmooth ? 10 : 150;
    char path[] = "/tmp/repose-mesh-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    rps_world *world = set_up(&plain);
    for (int n = 0; n < 6; n++) {
        advance(world, part);
        MUST(rps_world_save(world, path, ERR));
        rps_world *again = set_up(&plain);
        MUST(rps_world_restore(again, path, ERR));
        assert_same(hash_of(again), hash_of(world));
        const rps_ledger a = ledger_of(world), b = ledger_of(again);
        assert_true(a.residual == b.residual && a.handover == b.handover);
        advance(again, more);
        rps_world *control = set_up(&plain);
        advance(control, (uint64_t)(n + 1) * part + more);
        assert_same(hash_of(again), hash_of(control));
        rps_world_destroy(again);
        rps_world_destroy(control);
    }
    assert_true(nonsmooth || ledger_of(world).handover > 0.0);
    /* the state of a world with another surface is refused */
    manner other = plain;
    other.threads = 1;
    rps_world *bare = set_up(&other);
    bare->mesh[0].mesh.point[0][2] += 1e-9;
    rps_error err;
    assert_int_equal(rps_world_restore(bare, path, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "mesh 0"));
    rps_world_destroy(bare);
    rps_world_destroy(world);
    remove(path);
}

static void test_restart(void **state) {
    (void)state;
    restart(false);
    restart(true);
}

/* The ledger closes as the step falls, with friction of all kinds, dashpots, and contacts that join and part. */
static void test_ledger(void **state) {
    (void)state;
    double worst[2] = {0.0, 0.0}, lost = 0.0;
    for (int k = 0; k < 2; k++) {
        const manner in = {.threads = 1, .step = k == 0 ? 2e-5 : 5e-6};
        rps_world *world = set_up(&in);
        start(world);
        for (int n = 0; n < 60; n++) {
            advance(world, k == 0 ? 50 : 200);
            const rps_ledger ledger = ledger_of(world);
            worst[k] = fmax(worst[k], fabs(ledger.residual));
            lost = dissipated_of(&ledger);
        }
        rps_world_destroy(world);
    }
    SAY("residual %.2e J of %.2e J dissipated, at a quarter of the step %.2e J\n", worst[0], lost, worst[1]);
    ASSERT_BELOW(worst[0], 1e-2 * lost);
    /* second order gives 1/16; where two contacts join, the normal turns by a, and false slip of R a^3/24 has no order in the
     * step */
    ASSERT_BELOW(worst[1], 0.125 * worst[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_way), cmocka_unit_test(test_restart),
                                       cmocka_unit_test(test_ledger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
