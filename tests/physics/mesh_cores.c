/*
 * Boxes and capsules on triangle meshes: a floor of any triangles as the plane, edges and tips of meshes as those of solid
 * boxes, and a potential without jumps.
 */
#include "meshes.h"

#define SIDE_LENGTH 0.02
#define MASS 0.02
#define G 9.81

typedef enum core_kind { SHARP, ROUNDED, CAPSULE, KINDS } core_kind;

static const char *const kind_name[KINDS] = {"sharp box", "rounded box", "capsule"};

static rps_body_def body_of(core_kind kind) {
    rps_body_def def = rps_body_def_default();
    if (kind == CAPSULE) {
        def.shape = "capsule";
        def.parameter[0] = 0.4 * SIDE_LENGTH;
        def.parameter[1] = SIDE_LENGTH;
    } else {
        def.shape = "box";
        for (int k = 0; k < 3; k++) def.parameter[k] = SIDE_LENGTH * (1.0 + 0.1 * k);
        def.parameter[3] = kind == ROUNDED ? 0.2 * SIDE_LENGTH : 0.0;
    }
    def.mass = MASS;
    return def;
}

static rps_world *world_with(rps_stepper stepper, bool hertz, bool friction) {
    rps_world_options options = options_of(stepper == RPS_NONSMOOTH ? 5e-4 : 1e-5);
    options.stepper = stepper;
    options.gravity[0] = 1.0;
    options.gravity[2] = -G;
    options.guards.motion = options.guards.rotation = 2.0;
    options.nonsmooth.tolerance = 1e-13;
    rps_pair pair = tracked_pair();
    if (hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    if (!friction) {
        use(&pair, RPS_ROLE_DAMPING, "none", NULL);
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
        use(&pair, RPS_ROLE_ROLL, "none", NULL);
        use(&pair, RPS_ROLE_SPIN, "none", NULL);
    }
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 1e8;
    material.poisson = 0.3;
    return world_of_material(&options, &pair, material);
}

static void add_bodies(rps_world *world, core_kind kind) {
    for (uint64_t n = 0; n < 4; n++) {
        rps_body_def def = body_of(kind);
        to_array(def.position, rps_vec3_make(0.06 * (double)(n % 2) - 0.05, 0.06 * (double)(n / 2) - 0.05,
                                             kind == CAPSULE ? 0.0185 : 0.021));
        to_array(def.velocity,
                 rps_vec3_make(uniform(6, n, -0.2, 0.2), uniform(7, n, -0.2, 0.2), uniform(8, n, -0.3, 0.0)));
        if (n > 0) {
            const rps_vec3 turn = rps_vec3_scale(random_vec(9, n), 5.0), axis = random_vec(10, n);
            to_array(def.angular_velocity, turn);
            const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_scale(axis, 0.3));
            def.orientation[0] = q.w;
            def.orientation[1] = q.x;
            def.orientation[2] = q.y;
            def.orientation[3] = q.z;
        }
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
}

/* The same path, contacts, memories and ledger as on the plane. */
static void on_floor(rps_stepper stepper, core_kind kind, bool hertz, int triangles, rps_mesh_sides side) {
    rps_world *flat = world_with(stepper, hertz, true), *world = world_with(stepper, hertz, true);
    add_ground(flat, rps_vec3_make(0, 0, 1));
    sheet s = sheet_floor(triangles);
    add_sheet(world, &s, side);
    add_bodies(flat, kind);
    add_bodies(world, kind);
    start(flat);
    start(world);
    double worst = 0.0, worst_spin = 0.0, memory = 0.0;
    size_t most = 0;
    for (int n = 0; n < 20; n++) {
        advance(flat, stepper == RPS_NONSMOOTH ? 10 : 250);
        advance(world, stepper == RPS_NONSMOOTH ? 10 : 250);
        for (uint64_t id = 1; id <= 4; id++) {
            worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(position_of(world, id), position_of(flat, id))));
            worst_spin = fmax(worst_spin, rps_vec3_norm(rps_vec3_sub(turning_of(world, id), turning_of(flat, id))));
        }
        rps_contact a[64], b[64];
        size_t count, others;
        MUST(rps_world_contacts(world, a, 64, &count, ERR));
        MUST(rps_world_contacts(flat, b, 64, &others, ERR));
        assert_int_equal(count, others);
        most = count > most ? count : most;
        for (size_t k = 0; k < count; k++) {
            memory = fmax(memory, fabs(a[k].energy_slide[0] - b[k].energy_slide[0]));
            assert_true(a[k].slide_mode[0] == b[k].slide_mode[0]);
        }
    }
    const rps_ledger p = ledger_of(world), q = ledger_of(flat);
    SAY("%s, %s, %s, triangles %d, side %d: %d contacts, positions within %.1e m, turning %.1e rad/s, springs %.1e J\n",
        stepper == RPS_NONSMOOTH ? "nonsmooth" : "penalty", kind_name[kind], hertz ? "hertz" : "hooke", triangles,
        (int)side, (int)most, worst, worst_spin, memory);
    assert_true(most >= (kind == CAPSULE ? 3 : 4));
    /* rounding, 1e-17 m, times what a box that tumbles makes of it: about ten at each of its bounces */
    ASSERT_BELOW(worst, 1e-12);
    ASSERT_BELOW(worst_spin, 1e-8);
    ASSERT_BELOW(memory, 1e-15);
    ASSERT_NEAR(dissipated_of(&p), dissipated_of(&q), 1e-12);
    ASSERT_NEAR(p.residual, q.residual, 1e-12);
    sheet_free(&s);
    rps_world_destroy(flat);
    rps_world_destroy(world);
}

static void test_floor(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int n = 0; n < 4; n++)
            on_floor(RPS_PENALTY, (core_kind)kind, n % 2 == 1, n / 2, n % 2 == 0 ? RPS_SIDE_OUTER : RPS_SIDE_BOTH);
        on_floor(RPS_NONSMOOTH, (core_kind)kind, false, 1, RPS_SIDE_OUTER);
    }
}

/* --- a potential ------------------------------------------------------------------------------------------------------- */

/* Without friction and damping the energy is kept: the largest residual of the ledger over the energy of the fall. */
static double residual_of(core_kind kind, bool hertz, double edge, double step) {
    rps_world_options options = options_of(step);
    options.gravity[2] = -G;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 2e4, NULL);
    if (hertz) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 3e8;
    material.poisson = 0.3;
    rps_world *world = world_of_material(&options, &pair, material);
    sheet s = sheet_ground(edge);
    add_sheet(world, &s, RPS_SIDE_BOTH);
    rps_body_def def = body_of(kind);
    to_array(def.position, rps_vec3_make(0.013, 0.007, 0.024));
    to_array(def.velocity, rps_vec3_make(0.15, 0.1, -0.2));
    to_array(def.angular_velocity, rps_vec3_make(3.0, -4.0, 2.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
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
    for (int kind = 0; kind < KINDS; kind++) {
        for (int n = 0; n < 2; n++) {
            const double edge = n == 0 ? 0.015 : 0.005;
            const double coarse = residual_of((core_kind)kind, n == 1, edge, 2e-5),
                         fine = residual_of((core_kind)kind, n == 1, edge, 5e-6);
            SAY("%s on triangles of %g m: residual %.1e of the energy, at a quarter of the step %.1e\n",
                kind_name[kind], edge, coarse, fine);
            ASSERT_BELOW(coarse, 2e-3);
            ASSERT_BELOW(fine, 0.25 * coarse);
        }
    }
}

/* --- tips and ridges --------------------------------------------------------------------------------------------------- */

/* Without gravity and losses. */
static rps_world *elastic_world(double gravity, double restitution) {
    rps_world_options options = options_of(5e-6);
    options.gravity[2] = -gravity;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    if (restitution < 1.0) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", restitution, NULL);
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    return world_of(&options, &pair);
}

/* A pyramid with its tip at the origin. */
static sheet spike(void) {
    sheet s = sheet_new();
    const double w = 0.02, h = 0.05;
    const uint32_t top = sheet_point(&s, 0, 0, 0), a = sheet_point(&s, w, w, -h), b = sheet_point(&s, -w, w, -h),
                   c = sheet_point(&s, -w, -w, -h), d = sheet_point(&s, w, -w, -h);
    sheet_triangle(&s, a, b, top);
    sheet_triangle(&s, b, c, top);
    sheet_triangle(&s, c, d, top);
    sheet_triangle(&s, d, a, top);
    sheet_quad(&s, d, c, b, a);
    return s;
}

/* A face meets a tip away from its middle: the blow of a free body, P = 2 v m/(1 + m a^2/I), leaves v - P/m and a P/I. */
static void test_tip(void **state) {
    (void)state;
    for (int kind = 0; kind < CAPSULE; kind++) {
        rps_world *world = elastic_world(0.0, 1.0);
        sheet s = spike();
        const double speed = 0.5, off = 0.004;
        add_sheet(world, &s, RPS_SIDE_AUTO);
        rps_body_def def = body_of((core_kind)kind);
        const double inertia = MASS * 4e-4 / 6.0;
        for (int k = 0; k < 3; k++) def.inertia[k] = inertia;
        to_array(def.position, rps_vec3_make(off, 0.0, 0.6 * SIDE_LENGTH + 0.001));
        to_array(def.velocity, rps_vec3_make(0, 0, -speed));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
        start(world);
        advance(world, 1200);
        const double blow = 2.0 * speed * MASS / (1.0 + MASS * off * off / inertia);
        SAY("%s on a tip: velocity %.6f (%.6f) m/s, turning %.4f (%.4f) rad/s\n", kind_name[kind],
            velocity_of(world, 1).z, blow / MASS - speed, turning_of(world, 1).y, off * blow / inertia);
        /* the body turns by 1e-2 while it touches, for about pi sqrt(m/k) */
        ASSERT_NEAR(velocity_of(world, 1).z, blow / MASS - speed, 0.02 * speed);
        ASSERT_NEAR(fabs(turning_of(world, 1).y), off * blow / inertia, 0.02 * off * blow / inertia);
        ASSERT_NEAR(turning_of(world, 1).x, 0.0, 1e-9);
        sheet_free(&s);
        rps_world_destroy(world);
    }
}

/* At rest across two rails, which are upright sheets: four edges carry a quarter of the weight each. The capsule lies along
 * y, on one point of each. */
static void test_rails(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        rps_world *world = elastic_world(G, 0.2);
        sheet s = sheet_new();
        for (int k = 0; k < 2; k++) {
            const double y = k == 0 ? -0.005 : 0.005;
            sheet_quad(&s, sheet_point(&s, -0.1, y, -0.05), sheet_point(&s, 0.1, y, -0.05),
                       sheet_point(&s, 0.1, y, 0.0), sheet_point(&s, -0.1, y, 0.0));
        }
        add_sheet(world, &s, RPS_SIDE_BOTH);
        rps_body_def def = body_of((core_kind)kind);
        const double rest = kind == CAPSULE ? def.parameter[0] : 0.5 * def.parameter[2];
        to_array(def.position, rps_vec3_make(0.001, 0.0, rest + 1e-4));
        if (kind == CAPSULE) {
            def.orientation[0] = def.orientation[1] = sqrt(0.5);
            def.orientation[2] = def.orientation[3] = 0.0;
        }
        MUST(rps_world_add_body(world, &def, NULL, ERR));
        start(world);
        advance(world, 40000);
        rps_contact c[16];
        size_t count;
        MUST(rps_world_contacts(world, c, 16, &count, ERR));
        assert_int_equal(count, kind == CAPSULE ? 2 : 4);
        for (size_t k = 0; k < count; k++) {
            /* off the middle by a twentieth of the width, barrels lean by 1e-3 */
            ASSERT_NEAR(c[k].normal_load[0], MASS * G / (double)count, 0.15 * MASS * G / (double)count);
            assert_true(fabs(c[k].normal[2]) > 0.999);
        }
        ASSERT_BELOW(fabs(velocity_of(world, 1).z), 1e-6);
        sheet_free(&s);
        rps_world_destroy(world);
    }
}

/* A corner that a soft floor lets through is noticed, with rounding and without. */
static void test_lost(void **state) {
    (void)state;
    for (int kind = 0; kind < CAPSULE; kind++) {
        rps_world_options options = options_of(1e-5);
        options.guards.action[RPS_GUARD_OVERLAP] = RPS_GUARD_OFF;
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 10.0, NULL);
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
        use(&pair, RPS_ROLE_ROLL, "none", NULL);
        use(&pair, RPS_ROLE_SPIN, "none", NULL);
        rps_world *world = world_of(&options, &pair);
        sheet s = sheet_floor(1);
        add_sheet(world, &s, RPS_SIDE_OUTER);
        rps_body_def def = body_of((core_kind)kind);
        to_array(def.position, rps_vec3_make(0.0, 0.0, 0.0125));
        to_array(def.velocity, rps_vec3_make(0, 0, -2.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
        start(world);
        rps_error err = {0};
        assert_int_equal(rps_world_step(world, 2000, &err), RPS_GUARD);
        assert_non_null(strstr(err.text, "has passed the surface of"));
        sheet_free(&s);
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floor), cmocka_unit_test(test_energy),
                                       cmocka_unit_test(test_tip), cmocka_unit_test(test_rails),
                                       cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
