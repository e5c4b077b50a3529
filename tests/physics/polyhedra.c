/*
 * Convex meshes on each other: bricks of triangles as boxes, a slope, momentum and energy of rocks that meet, same bits.
 */
#include "polyhedra.h"

#include <unistd.h>

/* --- bricks ------------------------------------------------------------------------------------------------------------ */

static const double BRICK[3][3] = {{0.05, 0.04, 0.012}, {0.03, 0.02, 0.01}, {0.044, 0.05, 0.014}};

/* Three bricks, each turned against the one below, fall onto each other and the ground: the small one stands on the first with its
 * corners, and the last lies on the edges of the small one, which is turned against it. */
static rps_world *stack(rps_stepper stepper, bool mesh) {
    rps_world *world = world_with(stepper, ALL, G, stepper == RPS_PENALTY ? 1e-5 : 2e-4, 1, 0.0);
    add_ground(world, rps_vec3_make(0, 0, 1));
    double z = 0.0;
    for (int k = 0; k < 3; k++) {
        const rps_quat turn = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.4 * k);
        z += 0.5 * BRICK[k][2] + 0.5e-3;
        add_brick_of(world, mesh, BRICK[k], false, rps_vec3_make(0, 0, z), turn);
        z += 0.5 * BRICK[k][2];
    }
    start(world);
    return world;
}

static void bricks_as_boxes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const rps_stepper stepper = k == 0 ? RPS_PENALTY : RPS_NONSMOOTH;
        rps_world *box = stack(stepper, false), *mesh = stack(stepper, true);
        double worst = 0.0, lean = 0.0;
        for (int n = 0; n < 50; n++) {
            advance(box, k == 0 ? 1000 : 50);
            advance(mesh, k == 0 ? 1000 : 50);
            for (uint64_t id = 1; id <= 3; id++) {
                const double *q = field_of(mesh, "orientation", id);
                worst = fmax(worst, fabs(position_of(mesh, id).z - position_of(box, id).z));
                lean = fmax(lean, fmax(fabs(q[1]), fabs(q[2])));
            }
        }
        const rps_ledger p = ledger_of(mesh), q = ledger_of(box);
        SAY("%s: heights within %.1e m of those of boxes, leaning by %.1e rad\n", k == 0 ? "penalty" : "nonsmooth",
            worst, 2.0 * lean);
        assert_true(position_of(mesh, 3).z < 0.033 && position_of(mesh, 3).z > 0.0285); /* they lie on each other */
        ASSERT_BELOW(rps_vec3_norm(velocity_of(mesh, 3)), 1e-4);
        /* round-off, 1e-17 m and rad, that rocking amplifies: the corners of boxes are rounded, those of meshes sharp */
        ASSERT_BELOW(worst, 1e-9);
        ASSERT_BELOW(lean, 1e-7);
        ASSERT_NEAR(dissipated_of(&p) / dissipated_of(&q), 1.0, 1e-6);
        rps_world_destroy(box);
        rps_world_destroy(mesh);
    }
}

/* A brick slides down another one, which is fixed, under 40 degrees: from rest by (sin - mu cos) g t^2/2. */
static void slope(void **state) {
    (void)state;
    const double size[2][3] = {{0.4, 0.1, 0.02}, {0.03, 0.02, 0.012}}, angle = 40.0 * RPS_PI / 180.0, t = 0.1;
    const double s = rps_sin(angle), c = rps_cos(angle), mu = 0.4;
    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? 5e-6 : 2e-4;
        rps_world *world = world_with(k == 0 ? RPS_PENALTY : RPS_NONSMOOTH, ALL, G, step, 1, 0.0);
        const rps_quat turn = rps_quat_from_axis_angle(rps_vec3_make(0, 1, 0), angle);
        const rps_vec3 down = {c, 0.0, -s}, up = {s, 0.0, c};
        add_brick_of(world, true, size[0], true, rps_vec3_zero(), turn);
        const double height = 0.5 * (size[0][2] + size[1][2]) - 1e-7;
        const rps_vec3 from = rps_vec3_add_scaled(rps_vec3_scale(up, height), -0.1, down);
        const uint64_t id = add_brick_of(world, true, size[1], false, from, turn);
        start(world);
        advance(world, (uint64_t)(t / step + 0.5));
        const double moved = rps_vec3_dot(rps_vec3_sub(position_of(world, id), from), down);
        const double exact = 0.5 * (s - mu * c) * G * t * t;
        SAY("%s: slides %.5f m, exact %.5f m\n", k == 0 ? "penalty" : "nonsmooth", moved, exact);
        /* the springs take m g cos/4 k = 4e-8 m to load, with some bounces, and static friction is 5/4 of kinetic; a step of g h
         * per time in the other stepper: parts of 1e-3 */
        ASSERT_NEAR(moved / exact, 1.0, 4e-3);
        rps_world_destroy(world);
    }
}

/* --- rocks that meet ----------------------------------------------------------------------------------------------------- */

enum { ROCKS = 10 };

/* Rocks fly to one place from all sides; in a periodic box that place lies on its border. */
static rps_world *meeting(rps_stepper stepper, friction which, double step, int threads, double period) {
    rps_world *world = world_with(stepper, which, 0.0, step, threads, period);
    int mesh[3];
    for (uint64_t k = 0; k < 3; k++) {
        sheet s = rock(k);
        mesh[k] = add_solid(world, &s);
        sheet_free(&s);
    }
    for (uint64_t n = 0; n < ROCKS; n++) {
        /* evenly spread: a golden angle from one to the next */
        const double up = ((double)n - 4.5) / 5.0, round = sqrt(1.0 - up * up), turn = 2.399963229728653 * (double)n;
        const rps_vec3 way = {round * rps_cos(turn), round * rps_sin(turn), up};
        rps_body_def def = rps_body_mesh(mesh[n % 3]);
        def.kind = RPS_BODY_FREE;
        add_body(world, def, rps_vec3_scale(way, 0.045), rps_quat_from_rotation_vector(random_vec(7, n)),
                 rps_vec3_scale(way, -0.5), rps_vec3_scale(random_vec(8, n), 10.0));
    }
    start(world);
    return world;
}

static void momentum_is_kept(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        rps_world *world = meeting(k == 0 ? RPS_PENALTY : RPS_NONSMOOTH, ALL, k == 0 ? 4e-6 : 1e-4, 1, 0.0);
        rps_vec3 linear[2], angular[2];
        size_t touched = 0;
        momenta_of(world, &linear[0], &angular[0]);
        for (int n = 0; n < 1200; n++) {
            advance(world, k == 0 ? 25 : 1);
            touched += contacts_in(world);
        }
        momenta_of(world, &linear[1], &angular[1]);
        const double p = rps_vec3_norm(rps_vec3_sub(linear[1], linear[0])),
                     l = rps_vec3_norm(rps_vec3_sub(angular[1], angular[0]));
        SAY("%d contacts seen; momentum changes by %.1e kg m/s, angular momentum by %.1e kg m^2/s\n", (int)touched, p,
            l);
        assert_true(touched >= 30);
        /* round-off of 2e-3 kg m/s and 1e-4 kg m^2/s in some thousand steps, which add up as a random walk */
        ASSERT_BELOW(p, 1e-15);
        ASSERT_BELOW(l, 1e-15);
        rps_world_destroy(world);
    }
}

/* The largest residual over all energy, without friction and damping: the contacts are a potential. */
static double leak(double step) {
    rps_world *world = meeting(RPS_PENALTY, NONE, step, 1, 0.0);
    const double first = ledger_of(world).residual;
    double most = 0.0, all = 0.0;
    for (uint64_t id = 0; id < ROCKS; id++)
        all += 0.5 * field_of(world, "mass", id)[0] * 0.25; /* of motion at .5 m/s */
    for (int n = 0; n < 40; n++) {
        advance(world, (uint64_t)(3e-3 / step + 0.5));
        most = fmax(most, fabs(ledger_of(world).residual - first));
    }
    rps_world_destroy(world);
    return most / all;
}

static void energy_is_kept(void **state) {
    (void)state;
    const double coarse = leak(1.2e-5), fine = leak(3e-6);
    SAY("residual %.1e of the energy, at a quarter of the step %.1e\n", coarse, fine);
    ASSERT_BELOW(coarse, 1e-2);
    ASSERT_BELOW(fine, 0.25 * coarse); /* 1/16 of it, but for the edges, where the force has a kink */
}

static void same_bits(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const rps_stepper stepper = k == 0 ? RPS_PENALTY : RPS_NONSMOOTH;
        const double step = k == 0 ? 4e-6 : 1e-4, period = 0.12;
        uint64_t part = k == 0 ? 12000 : 400;
        char path[] = "/tmp/repose-polyhedra-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        rps_world *world = meeting(stepper, ALL, step, 1, period), *threaded = meeting(stepper, ALL, step, 3, period),
                  *again = meeting(stepper, ALL, step, 2, period);
        advance(world, part);
        for (; contacts_in(world) == 0; part++) { /* with memories to save */
            assert_true(part < 40000);
            advance(world, 1);
        }
        MUST(rps_world_save(world, path, ERR));
        MUST(rps_world_restore(again, path, ERR));
        advance(world, part);
        advance(again, part);
        advance(threaded, 2 * part);
        assert_same_state(again, world);
        assert_same_state(threaded, world);
        remove(path);
        rps_world_destroy(world);
        rps_world_destroy(threaded);
        rps_world_destroy(again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks_as_boxes), cmocka_unit_test(slope),     cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(energy_is_kept),  cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
