/*
 * Free bodies with the surface of a mesh: a brick of triangles as the shape `box`, momentum and energy, its part in a region,
 * same bits, and refusals.
 */
#include "meshes.h"

#include <unistd.h>

#include "mesh/build_mesh.h"
#include "mesh/enclose.h"
#include "world/world.h"

#define MASS 0.02
#define G 9.81

static const double edge[3] = {0.03, 0.02, 0.024};

/* The axes of the points of the brick: turned and away from its center. */
static const rps_vec3 center = {0.011, -0.007, 0.023};
static rps_quat turn_of_points(void) {
    return rps_quat_from_rotation_vector(rps_vec3_make(0.4, -0.8, 0.5));
}

static sheet brick(void) {
    static const uint32_t face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    sheet s = sheet_new();
    for (int k = 0; k < 8; k++) {
        const rps_vec3 corner = {(k % 2 - 0.5) * edge[0], (k / 2 % 2 - 0.5) * edge[1], (k / 4 - 0.5) * edge[2]};
        const rps_vec3 at = rps_vec3_add(center, rps_quat_rotate(turn_of_points(), corner));
        sheet_point(&s, at.x, at.y, at.z);
    }
    for (int f = 0; f < 6; f++) sheet_quad(&s, face[f][0], face[f][1], face[f][2], face[f][3]);
    return s;
}

/* An angle bracket, which is not convex, of unequal arms. */
static sheet bracket(void) {
    static const double at[6][2] = {{0, 0}, {0.03, 0}, {0.03, 0.01}, {0.012, 0.01}, {0.012, 0.025}, {0, 0.025}};
    sheet s = sheet_new();
    for (int k = 0; k < 12; k++) sheet_point(&s, at[k % 6][0], at[k % 6][1], k < 6 ? 0.0 : 0.014);
    for (uint32_t k = 0; k < 6; k++) sheet_quad(&s, k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6);
    for (uint32_t top = 0; top < 2; top++) {
        const uint32_t o = 6 * top, a = top ? 0 : 1, b = 1 - a; /* the other way round below */
        sheet_triangle(&s, o, o + 1 + a, o + 1 + b);
        sheet_triangle(&s, o, o + 2 + a, o + 2 + b);
        sheet_triangle(&s, o, o + 3 + a, o + 3 + b);
        sheet_triangle(&s, o, o + 4 + a, o + 4 + b);
    }
    return s;
}

/* kg, of the one material */
static double mass_of_ball(double radius) {
    return MASS / (edge[0] * edge[1] * edge[2]) * (4.0 / 3.0 * RPS_PI * radius * radius * radius);
}

static void set_turn(rps_body_def *def, rps_quat q) {
    def->orientation[0] = q.w;
    def->orientation[1] = q.x;
    def->orientation[2] = q.y;
    def->orientation[3] = q.z;
}

/* A brick with its center at x and the edges turned by q: a box, or the mesh. */
static uint64_t add_brick(rps_world *world, int mesh, rps_vec3 x, rps_quat q, rps_vec3 v, rps_vec3 w) {
    rps_body_def def = mesh >= 0 ? rps_body_mesh(mesh) : rps_body_def_default();
    uint64_t id = 0;
    def.kind = RPS_BODY_FREE;
    if (mesh >= 0) {
        const rps_quat turn = rps_quat_mul(q, rps_quat_conjugate(turn_of_points()));
        x = rps_vec3_sub(x, rps_quat_rotate(turn, center));
        set_turn(&def, turn);
    } else {
        def.shape = "box";
        memcpy(def.parameter, edge, sizeof edge);
        set_turn(&def, q);
    }
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

typedef enum friction { NONE, SLIDE, ALL } friction;

static rps_world *world_with(rps_stepper stepper, bool hertz, friction which, double gravity, double step,
                             int threads) {
    rps_world_options options = options_of(step);
    options.threads = threads;
    options.stepper = stepper;
    options.gravity[2] = -gravity;
    options.guards.motion = options.guards.rotation = 2.0;
    options.nonsmooth.tolerance = 1e-13;
    if (hertz) options.period[0] = options.period[1] = 0.2; /* the brick lies across the border */
    rps_pair pair = tracked_pair();
    if (hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    if (which == NONE) {
        use(&pair, RPS_ROLE_DAMPING, "none", NULL);
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    }
    if (which != ALL) {
        use(&pair, RPS_ROLE_ROLL, "none", NULL);
        use(&pair, RPS_ROLE_SPIN, "none", NULL);
    }
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.density = MASS / (edge[0] * edge[1] * edge[2]);
    material.young = 1e8;
    material.poisson = 0.3;
    return world_of_material(&options, &pair, material);
}

/* --- as the box ---------------------------------------------------------------------------------------------------------- */

/* A brick tumbles on the plane while balls fall on it. Rolling friction is another at the edges of a box, which count as rounded. */
static void fill(rps_world *world, bool mesh) {
    add_ground(world, rps_vec3_make(0, 0, 1));
    sheet s = brick();
    const int number = mesh ? add_solid(world, &s) : -1;
    add_brick(world, number, rps_vec3_make(0, 0, 0.022), rps_quat_from_rotation_vector(rps_vec3_make(0.3, 0.2, -0.4)),
              rps_vec3_make(0.1, 0.05, -0.2), rps_vec3_make(2, -3, 1));
    for (int n = 0; n < 3; n++) {
        add_ball(world, rps_vec3_make(0.006 * n - 0.004, 0.004 * n, 0.06 + 0.013 * n), 0.006, mass_of_ball(0.006),
                 rps_vec3_make(0, 0, -0.8), rps_vec3_make(5, 5, 5));
    }
    sheet_free(&s);
}

static void as_the_box(rps_stepper stepper, bool hertz) {
    const double step = stepper == RPS_NONSMOOTH ? 2e-4 : 1e-5;
    rps_world *box = world_with(stepper, hertz, SLIDE, G, step, 1),
              *world = world_with(stepper, hertz, SLIDE, G, step, 1);
    fill(box, false);
    fill(world, true);
    /* mass properties first: sums over triangles, 1e-16 each */
    ASSERT_NEAR(field_of(world, "mass", 1)[0] / MASS, 1.0, 1e-13);
    double moment[2][3];
    for (int k = 0; k < 3; k++) {
        moment[0][k] = field_of(box, "inertia", 1)[k];
        moment[1][k] = field_of(world, "inertia", 1)[k];
    }
    for (int k = 0; k < 3; k++) { /* in some order */
        double nearest = INFINITY;
        for (int m = 0; m < 3; m++) nearest = fmin(nearest, fabs(moment[1][m] / moment[0][k] - 1.0));
        ASSERT_BELOW(nearest, 1e-12);
    }
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(position_of(world, 1), position_of(box, 1))), 1e-16);
    start(box);
    start(world);
    double worst = 0.0, worst_spin = 0.0;
    size_t most = 0;
    for (int n = 0; n < 20; n++) {
        advance(box, stepper == RPS_NONSMOOTH ? 75 : 500);
        advance(world, stepper == RPS_NONSMOOTH ? 75 : 500);
        for (uint64_t id = 1; id <= 4; id++) {
            worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(position_of(world, id), position_of(box, id))));
            worst_spin = fmax(worst_spin, rps_vec3_norm(rps_vec3_sub(turning_of(world, id), turning_of(box, id))));
        }
        size_t count, others;
        rps_contact a[64];
        MUST(rps_world_contacts(world, a, 64, &count, ERR));
        MUST(rps_world_contacts(box, a, 64, &others, ERR));
        assert_int_equal(count, others);
        most = count > most ? count : most;
    }
    const rps_ledger p = ledger_of(world), q = ledger_of(box);
    SAY("%s, %s: at most %d contacts, positions within %.1e m, turning %.1e rad/s\n",
        stepper == RPS_NONSMOOTH ? "nonsmooth" : "penalty", hertz ? "hertz" : "hooke", (int)most, worst, worst_spin);
    assert_true(most >= 4);
    /* rounding of points and axes, 1e-17 m, times what tumbling and bouncing makes of it: up to ten at each of a dozen bounces,
     * the last of which are soft */
    ASSERT_BELOW(worst, 1e-7);
    ASSERT_BELOW(worst_spin, 1e-3);
    ASSERT_NEAR(dissipated_of(&p), dissipated_of(&q), 1e-8);
    ASSERT_NEAR(p.residual, q.residual, 1e-8);
    rps_world_destroy(box);
    rps_world_destroy(world);
}

static void test_as_the_box(void **state) {
    (void)state;
    as_the_box(RPS_PENALTY, false);
    as_the_box(RPS_PENALTY, true);
    as_the_box(RPS_NONSMOOTH, false);
}

/* --- momentum and energy ------------------------------------------------------------------------------------------------- */

/* A bracket in free flight among balls, a capsule, and a box. */
static rps_world *flight(rps_stepper stepper, friction which, double step, int threads) {
    rps_world *world = world_with(stepper, false, which, 0.0, step, threads);
    sheet s = bracket();
    rps_body_def def = rps_body_mesh(add_solid(world, &s));
    sheet_free(&s);
    def.kind = RPS_BODY_FREE;
    to_array(def.angular_velocity, rps_vec3_make(8, -5, 12));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    for (uint64_t n = 0; n < 12; n++) {
        /* evenly spread: a golden angle from one to the next */
        const double up = ((double)n - 5.5) / 6.0, round = sqrt(1.0 - up * up), turn = 2.399963229728653 * (double)n;
        const rps_vec3 way = {round * rps_cos(turn), round * rps_sin(turn), up},
                       x = rps_vec3_add_scaled(rps_vec3_make(0.012, 0.01, 0.007), 0.06, way);
        const rps_vec3 v = rps_vec3_scale(way, -0.6), w = rps_vec3_scale(random_vec(2, n), 10.0);
        if (n == 0 || n == 7) {
            rps_body_def core = rps_body_def_default();
            core.shape = n == 0 ? "capsule" : "box";
            for (int k = 0; k < (n == 0 ? 2 : 3); k++) core.parameter[k] = n == 0 ? 0.003 + 0.004 * k : 0.009;
            if (n == 7) core.parameter[3] = 0.002;
            to_array(core.position, x);
            to_array(core.velocity, v);
            MUST(rps_world_add_body(world, &core, NULL, ERR));
        } else {
            add_ball(world, x, 0.005, mass_of_ball(0.005), v, w);
        }
    }
    start(world);
    return world;
}

static void test_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const rps_stepper stepper = k == 0 ? RPS_PENALTY : RPS_NONSMOOTH;
        rps_world *world = flight(stepper, ALL, k == 0 ? 2.5e-6 : 1e-4, 1);
        rps_vec3 linear[2], angular[2];
        momenta_of(world, &linear[0], &angular[0]);
        const rps_vec3 spin = turning_of(world, 0);
        advance(world, k == 0 ? 32000 : 800);
        momenta_of(world, &linear[1], &angular[1]);
        const double p = rps_vec3_norm(rps_vec3_sub(linear[1], linear[0])),
                     l = rps_vec3_norm(rps_vec3_sub(angular[1], angular[0]));
        SAY("momentum changes by %.1e kg m/s, angular momentum by %.1e kg m^2/s\n", p, l);
        assert_true(rps_vec3_norm(rps_vec3_sub(turning_of(world, 0), spin)) > 1.0); /* it was hit */
        /* round-off of 1e-3 kg m/s and 5e-5 kg m^2/s in some thousand steps, which add up as a random walk */
        ASSERT_BELOW(p, 1e-16);
        ASSERT_BELOW(l, 1e-15);
        rps_world_destroy(world);
    }
}

/* The largest residual of the ledger over all energy, without friction and damping: the contacts are a potential. */
static double residual_of(double step) {
    rps_world *world = flight(RPS_PENALTY, NONE, step, 1);
    const double first = ledger_of(world).residual;
    double most = 0.0;
    for (int n = 0; n < 40; n++) {
        advance(world, (uint64_t)(2e-3 / step + 0.5));
        most = fmax(most, fabs(ledger_of(world).residual - first));
    }
    rps_world_destroy(world);
    return most / (0.5 * 12 * mass_of_ball(0.005) * 0.36);
}

static void test_energy(void **state) {
    (void)state;
    const double coarse = residual_of(1e-5), fine = residual_of(2.5e-6);
    SAY("residual %.1e of the energy, at a quarter of the step %.1e\n", coarse, fine);
    ASSERT_BELOW(coarse, 1e-2);
    ASSERT_BELOW(fine, 0.25 * coarse); /* 1/16 of it, but for the edges, where the force has a kink */
}

/* --- same bits ----------------------------------------------------------------------------------------------------------- */

static void test_same_bits(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const rps_stepper stepper = k == 0 ? RPS_PENALTY : RPS_NONSMOOTH;
        const double step = k == 0 ? 2.5e-6 : 1e-4;
        const uint64_t part = k == 0 ? 16400 : 410;
        char path[] = "/tmp/repose-solid-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        rps_world *world = flight(stepper, ALL, step, 1), *threaded = flight(stepper, ALL, step, 3),
                  *again = flight(stepper, ALL, step, 2);
        advance(world, part);
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

/* --- its part in a region ------------------------------------------------------------------------------------------------ */

static void test_part_inside(void **state) {
    (void)state;
    rps_world *world = world_with(RPS_PENALTY, false, ALL, G, 1e-5, 1);
    sheet s = brick();
    const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_make(0, 0, RPS_PI / 4.0));
    const uint64_t id =
        add_brick(world, add_solid(world, &s), rps_vec3_make(1, 2, 3), q, rps_vec3_zero(), rps_vec3_zero());
    const size_t slot = rps_world_slot(world, id);
    const double whole = edge[0] * edge[1] * edge[2], tolerance = 1e-13 * whole;
    const double all[3] = {INFINITY, INFINITY, INFINITY}, none[3] = {-INFINITY, -INFINITY, -INFINITY};
    ASSERT_NEAR(rps_body_inside(world, slot, none, all), whole, tolerance);
    ASSERT_NEAR(rps_body_inside(world, slot, (double[]){0, -INFINITY, -INFINITY}, all), 0.5 * whole, tolerance);
    ASSERT_NEAR(rps_body_inside(world, slot, (double[]){-INFINITY, -INFINITY, 0.25 * edge[2]}, all), 0.25 * whole,
                tolerance);
    /* a corner of the rectangle, beyond x = (a + b)/sqrt(8) - h, is a triangle of area h^2 */
    const double h = 0.004, at = (edge[0] + edge[1]) / sqrt(8.0) - h;
    ASSERT_NEAR(rps_body_inside(world, slot, (double[]){at, -INFINITY, -INFINITY}, all), h * h * edge[2], tolerance);
    /* a grid of boxes adds up */
    double sum = 0.0;
    for (int k = 0; k < 125; k++) {
        double low[3], high[3];
        const int cell[3] = {k % 5, k / 5 % 5, k / 25};
        for (int m = 0; m < 3; m++) {
            low[m] = 0.009 * cell[m] - 0.0217;
            high[m] = 0.009 * (cell[m] + 1) - 0.0217;
        }
        sum += rps_body_inside(world, slot, low, high);
    }
    ASSERT_NEAR(sum, whole, tolerance);
    sheet_free(&s);
    rps_world_destroy(world);
}

/* --- what is refused ------------------------------------------------------------------------------------------------------ */

static void refuses(rps_world *world, rps_status status, const rps_error *err, rps_status expected, const char *part) {
    if (status != expected || strstr(err->text, part) == NULL) fail_msg("status %d: %s", (int)status, err->text);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_error err = {0};
    rps_world *world = world_with(RPS_PENALTY, false, ALL, G, 1e-5, 1);
    sheet s = brick();
    rps_mesh_def def = rps_mesh_def_default();
    def.point = (const double(*)[3])s.point;
    def.points = s.points;
    def.triangle = (const uint32_t(*)[3])s.triangle;
    def.triangles = s.triangles;
    int number;
    MUST(rps_world_add_mesh(world, &def, &number, ERR));
    rps_body_def body = rps_body_mesh(number);
    body.kind = RPS_BODY_FREE;
    refuses(world, rps_world_add_body(world, &body, NULL, &err), &err, RPS_BAD_INPUT, "add it as a solid");
    world = world_with(RPS_PENALTY, false, ALL, G, 1e-5, 1);
    def.solid = 1;
    def.side = RPS_SIDE_INNER;
    refuses(world, rps_world_add_mesh(world, &def, &number, &err), &err, RPS_BAD_INPUT, "from its outer side alone");
    world = world_with(RPS_PENALTY, false, ALL, G, 1e-5, 1);
    def.side = RPS_SIDE_AUTO;
    def.triangles--;
    refuses(world, rps_world_add_mesh(world, &def, &number, &err), &err, RPS_BAD_INPUT, "this one is open");
    /* one that is not convex, and another or a wall: no matter while they are apart */
    for (int wall = 0; wall < 2; wall++) {
        world = world_with(RPS_PENALTY, false, ALL, G, 1e-5, 1);
        sheet bent = bracket();
        const int solid = add_solid(world, &bent);
        sheet_free(&bent);
        const rps_quat q = rps_quat_identity();
        add_brick(world, solid, rps_vec3_make(0, 0, 0.12), q, rps_vec3_make(0, 0, -1), rps_vec3_zero());
        if (wall == 0) {
            sheet other = bracket();
            body = rps_body_mesh(add_solid(world, &other));
            body.kind = RPS_BODY_FREE;
            body.velocity[2] = 1.0;
            MUST(rps_world_add_body(world, &body, NULL, ERR));
            sheet_free(&other);
        } else {
            body = rps_body_def_default();
            body.shape = "disk_wall";
            body.kind = RPS_BODY_FIXED;
            body.parameter[0] = 0.1;
            MUST(rps_world_add_body(world, &body, NULL, ERR));
        }
        start(world);
        advance(world, 10);
        refuses(world, rps_world_step(world, 10000, &err), &err, RPS_UNSUPPORTED,
                "a free body with the surface of a mesh touches planes, spheres");
    }
    sheet_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_box),  cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_energy),      cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_part_inside), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
