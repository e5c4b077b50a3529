/*
 * Ellipsoids and superquadrics on triangle meshes: a floor of any triangles as the plane, equal axes as the ball, a potential without jumps, and
 * rest.
 */
#include "meshes.h"

#define SIZE 0.01
#define MASS 0.01
#define G 9.81

typedef enum smooth_kind { ROUND, LONG, FLAT, UNEQUAL, PLAIN, BLUNT, TABLET, KINDS } smooth_kind;

/* Semi-axes, and exponents: 0 of ellipsoids. PLAIN is UNEQUAL as a superquadric. */
static const double NUMBERS[KINDS][5] = {{SIZE, SIZE, SIZE},
                                         {0.8 * SIZE, 0.8 * SIZE, 1.6 * SIZE},
                                         {SIZE, SIZE, 0.6 * SIZE},
                                         {0.7 * SIZE, SIZE, 1.3 * SIZE},
                                         {0.7 * SIZE, SIZE, 1.3 * SIZE, 2.0, 2.0},
                                         {0.7 * SIZE, SIZE, 1.1 * SIZE, 4.0, 3.0},
                                         {SIZE, SIZE, 0.6 * SIZE, 5.0, 2.0}};
static const char *const kind_name[KINDS] = {"round", "long", "flat", "unequal", "plain", "blunt", "tablet"};

static void set_shape(const char **shape, double *parameter, smooth_kind kind) {
    const double *numbers = NUMBERS[kind];
    *shape = numbers[3] > 0.0 ? "superquadric" : "ellipsoid";
    for (int k = 0; k < (numbers[3] > 0.0 ? 5 : 3); k++) parameter[k] = numbers[k];
}

static rps_body_def body_of(smooth_kind kind, uint64_t n) {
    rps_body_def def = rps_body_def_default();
    set_shape(&def.shape, def.parameter, kind);
    def.mass = MASS;
    const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_scale(random_vec(10, n), 2.0));
    def.orientation[0] = q.w;
    def.orientation[1] = q.x;
    def.orientation[2] = q.y;
    def.orientation[3] = q.z;
    return def;
}

static rps_material stuff(void) {
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 1e8;
    material.poisson = 0.3;
    return material;
}

static rps_world *world_with(rps_stepper stepper, bool hertz, double step) {
    rps_world_options options = options_of(stepper == RPS_NONSMOOTH ? 5e-4 : step);
    options.stepper = stepper;
    options.frames = true;
    options.gravity[0] = 1.0;
    options.gravity[2] = -G;
    options.guards.motion = options.guards.rotation = 2.0;
    options.nonsmooth.tolerance = 1e-13;
    rps_pair pair = tracked_pair();
    if (hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    /* at rest the direction of rolling, and with it the lever, is one of rounding */
    if (stepper == RPS_NONSMOOTH) use(&pair, RPS_ROLE_ROLL, "none", NULL);
    return world_of_material(&options, &pair, stuff());
}

static void add_bodies(rps_world *world, smooth_kind kind, double height) {
    for (uint64_t n = 0; n < 4; n++) {
        rps_body_def def = body_of(kind, n);
        to_array(def.position, rps_vec3_make(0.06 * (double)(n % 2) - 0.05, 0.06 * (double)(n / 2) - 0.05, height));
        to_array(def.velocity,
                 rps_vec3_make(uniform(6, n, -0.2, 0.2), uniform(7, n, -0.2, 0.2), uniform(8, n, -0.3, 0.0)));
        to_array(def.angular_velocity, rps_vec3_scale(random_vec(9, n), 5.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
}

/* Both worlds hold the same bodies, of which those with the ids 1 to `last` are compared. */
static void compare(rps_world *a, rps_world *b, uint64_t last, int rounds, int steps, const char *name,
                    const double most[4]) {
    double worst = 0.0, worst_spin = 0.0, memory = 0.0;
    size_t touch = 0;
    for (int n = 0; n < rounds; n++) {
        advance(a, (uint64_t)steps);
        advance(b, (uint64_t)steps);
        for (uint64_t id = 1; id <= last; id++) {
            worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(position_of(a, id), position_of(b, id))));
            worst_spin = fmax(worst_spin, rps_vec3_norm(rps_vec3_sub(turning_of(a, id), turning_of(b, id))));
        }
        rps_contact x[64], y[64];
        size_t count, others;
        MUST(rps_world_contacts(a, x, 64, &count, ERR));
        MUST(rps_world_contacts(b, y, 64, &others, ERR));
        assert_int_equal(count, others);
        touch = count > touch ? count : touch;
        for (size_t k = 0; k < count; k++) {
            memory = fmax(memory, fabs(x[k].energy_slide[0] - y[k].energy_slide[0]));
            assert_true(x[k].slide_mode[0] == y[k].slide_mode[0]);
        }
    }
    const rps_ledger p = ledger_of(a), q = ledger_of(b);
    SAY("%s: %d contacts, positions within %.1e m, turning %.1e rad/s, springs %.1e J, dissipated %.1e of %.1e J, "
        "residuals "
        "%.1e, %.1e J\n",
        name, (int)touch, worst, worst_spin, memory, fabs(dissipated_of(&p) - dissipated_of(&q)), dissipated_of(&p),
        p.residual, q.residual);
    assert_true(touch >= 1 && dissipated_of(&p) > 1e-3);
    ASSERT_BELOW(worst, most[0]);
    ASSERT_BELOW(worst_spin, most[1]);
    ASSERT_BELOW(memory, most[2]);
    ASSERT_NEAR(dissipated_of(&p), dissipated_of(&q), most[3]);
    ASSERT_NEAR(p.residual, q.residual, most[3]);
}

/* Two of them as one body, turned against each other. */
static void add_clump(rps_world *world, smooth_kind kind, double height) {
    rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
    rps_body_def def = rps_body_def_default();
    for (int k = 0; k < 2; k++) {
        set_shape(&piece[k].shape, piece[k].parameter, kind);
        piece[k].position[0] = k == 0 ? -0.6 * SIZE : 0.6 * SIZE;
        piece[k].orientation[0] = k == 0 ? 1.0 : 0.8;
        piece[k].orientation[1] = k == 0 ? 0.0 : 0.6;
    }
    def.piece = piece;
    def.pieces = 2;
    def.shape = NULL;
    def.mass = MASS;
    to_array(def.position, rps_vec3_make(0.12, 0.11, height));
    to_array(def.velocity, rps_vec3_make(0.1, 0.05, -0.2));
    to_array(def.angular_velocity, rps_vec3_make(2.0, -3.0, 1.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

/* The same path, contacts, memories and ledger as on the plane. */
static void on_floor(rps_stepper stepper, smooth_kind kind, bool hertz, int triangles, rps_mesh_sides side) {
    rps_world *flat = world_with(stepper, hertz, 1e-5), *world = world_with(stepper, hertz, 1e-5);
    add_ground(flat, rps_vec3_make(0, 0, 1));
    sheet s = sheet_floor(triangles);
    add_sheet(world, &s, side);
    add_bodies(flat, kind, 0.015);
    add_bodies(world, kind, 0.015);
    const smooth_kind part =
        kind == BLUNT && triangles == 0 ? BLUNT : UNEQUAL; /* the mass of superquadrics takes long */
    add_clump(flat, part, 0.017);
    add_clump(world, part, 0.017);
    start(flat);
    start(world);
    char name[80];
    snprintf(name, sizeof name, "%s, %s, %s, triangles %d", stepper == RPS_NONSMOOTH ? "nonsmooth" : "penalty",
             kind_name[kind], hertz ? "hertz" : "hooke", triangles);
    /* rounding, 1e-17 m, times what a body that tumbles makes of it: about ten at each of its bounces */
    compare(world, flat, 5, 40, stepper == RPS_NONSMOOTH ? 5 : 125, name, (const double[]){1e-12, 1e-7, 1e-15, 1e-12});
    sheet_free(&s);
    rps_world_destroy(flat);
    rps_world_destroy(world);
}

static void test_floor(void **state) {
    (void)state;
    for (int kind = LONG; kind < KINDS; kind++) {
        if (kind == PLAIN) continue;
        for (int n = 0; n < 2; n++) {
            on_floor(RPS_PENALTY, (smooth_kind)kind, (n + kind) % 2 == 1, n,
                     n % 2 == 0 ? RPS_SIDE_OUTER : RPS_SIDE_BOTH);
        }
        on_floor(RPS_NONSMOOTH, (smooth_kind)kind, false, 1, RPS_SIDE_OUTER);
    }
}

/* With exponents of 2 a superquadric is the ellipsoid, on rough ground. */
static void test_plain(void **state) {
    (void)state;
    rps_world *world[2];
    sheet s = sheet_ground(0.015);
    for (int n = 0; n < 2; n++) {
        world[n] = world_with(RPS_PENALTY, true, 1e-5);
        add_sheet(world[n], &s, RPS_SIDE_BOTH);
        add_bodies(world[n], n == 0 ? PLAIN : UNEQUAL, 0.031);
        start(world[n]);
    }
    /* the mass is another by rounding */
    compare(world[0], world[1], 4, 50, 100, "plain", (const double[]){1e-10, 1e-6, 1e-13, 1e-10});
    for (int n = 0; n < 2; n++) rps_world_destroy(world[n]);
    sheet_free(&s);
}

/* Equal axes are a ball, on rough ground, with joining and parting contacts and all memories. */
static void test_round(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        rps_world *balls = world_with(RPS_PENALTY, n == 1, 1e-5), *world = world_with(RPS_PENALTY, n == 1, 1e-5);
        sheet s = sheet_ground(n == 0 ? 0.015 : 0.005);
        add_sheet(balls, &s, RPS_SIDE_BOTH);
        add_sheet(world, &s, RPS_SIDE_BOTH);
        add_bodies(world, ROUND, 0.026);
        for (uint64_t k = 0; k < 4; k++) {
            const rps_body_def like = body_of(ROUND, k);
            rps_body_def def = rps_body_def_default();
            def.radius = SIZE;
            def.mass = MASS;
            memcpy(def.orientation, like.orientation, sizeof def.orientation);
            to_array(def.position, rps_vec3_make(0.06 * (double)(k % 2) - 0.05, 0.06 * (double)(k / 2) - 0.05, 0.026));
            to_array(def.velocity,
                     rps_vec3_make(uniform(6, k, -0.2, 0.2), uniform(7, k, -0.2, 0.2), uniform(8, k, -0.3, 0.0)));
            to_array(def.angular_velocity, rps_vec3_scale(random_vec(9, k), 5.0));
            MUST(rps_world_add_body(balls, &def, NULL, ERR));
        }
        start(balls);
        start(world);
        /* on rough ground rounding grows faster */
        compare(world, balls, 4, 20, 250, n == 0 ? "round, coarse" : "round, fine",
                (const double[]){1e-10, 1e-6, 1e-13, 1e-10});
        sheet_free(&s);
        rps_world_destroy(balls);
        rps_world_destroy(world);
    }
}

/* Without friction and damping the energy is kept: the largest residual of the ledger over the energy of the fall. */
static double residual_of(smooth_kind kind, bool hertz, double edge, double step) {
    rps_world_options options = options_of(step);
    options.gravity[2] = -G;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 2e4, NULL);
    if (hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_world *world = world_of_material(&options, &pair, stuff());
    sheet s = sheet_ground(edge);
    if (hertz) add_sheet(world, &s, RPS_SIDE_BOTH); /* once with the lower id, once with the higher one */
    rps_body_def def = body_of(kind, 3);
    to_array(def.position, rps_vec3_make(0.013, 0.007, 0.024));
    to_array(def.velocity, rps_vec3_make(0.15, 0.1, -0.2));
    to_array(def.angular_velocity, rps_vec3_make(3.0, -4.0, 2.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    if (!hertz) add_sheet(world, &s, RPS_SIDE_BOTH);
    start(world);
    const double first = ledger_of(world).residual;
    double most = 0.0;
    for (int n = 0; n < 150; n++) {
        advance(world, (uint64_t)(2e-3 / step + 0.5));
        most = fmax(most, fabs(ledger_of(world).residual - first));
    }
    rps_world_destroy(world);
    sheet_free(&s);
    return most / (0.5 * MASS * 0.07 + MASS * G * 0.01);
}

static void test_energy(void **state) {
    (void)state;
    for (int kind = LONG; kind < KINDS; kind++) {
        if (kind == FLAT || kind == PLAIN || kind == TABLET) continue;
        for (int n = kind == BLUNT ? 2 : 0; n < 4; n++) {
            const double edge = n % 2 == 0 ? 0.015 : 0.005;
            const bool hertz = n / 2 == 1;
            const double coarse = residual_of((smooth_kind)kind, hertz, edge, 2e-5),
                         fine = residual_of((smooth_kind)kind, hertz, edge, 5e-6);
            SAY("%s, %s, on triangles of %g m: residual %.1e of the energy, at a quarter of the step %.1e\n",
                kind_name[kind], hertz ? "hertz" : "hooke", edge, coarse, fine);
            ASSERT_BELOW(coarse, 2e-3);
            ASSERT_BELOW(fine, 0.25 * coarse);
        }
    }
}

/* At rest on rough ground, in folds and on tips: nothing creeps, and the ground carries the weight. */
static void test_rest(void **state) {
    (void)state;
    rps_world_options options = options_of(2e-5);
    options.gravity[2] = -G;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.1, NULL);
    rps_world *world = world_of_material(&options, &pair, stuff());
    sheet s = sheet_ground(0.015);
    const uint64_t ground = add_sheet(world, &s, RPS_SIDE_OUTER);
    add_bodies(world, UNEQUAL, 0.026);
    start(world);
    advance(world, 50000);
    double fastest = 0.0;
    for (uint64_t id = 1; id <= 4; id++) fastest = fmax(fastest, rps_vec3_norm(velocity_of(world, id)));
    rps_contact c[64];
    size_t count;
    double weight = 0.0;
    MUST(rps_world_contacts(world, c, 64, &count, ERR));
    for (size_t k = 0; k < count; k++) {
        assert_true(c[k].id_i == ground); /* the force on it */
        weight -= c[k].normal_load[0] * c[k].normal[2] + c[k].slide_force[2] + c[k].curvature_force[2];
    }
    SAY("at rest: %.1e m/s, %d contacts carry the weight but for %.1e of it\n", fastest, (int)count,
        weight / (4.0 * MASS * G) - 1.0);
    ASSERT_BELOW(fastest, 1e-9);
    /* m v over a period of the contact, 1e-3 s */
    ASSERT_NEAR(weight, 4.0 * MASS * G, 1e-6 * MASS * G);
    sheet_free(&s);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floor), cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_round), cmocka_unit_test(test_energy),
                                       cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
