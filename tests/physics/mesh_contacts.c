/*
 * Balls on triangle meshes. The surface counts, not its triangles: closed forms of edges, folds and grooves, the plane as
 * reference, and invariants.
 */
#include "meshes.h"

#define R 0.01
#define MASS (2500.0 * 4.0 / 3.0 * RPS_PI * R * R * R)

/* --- the plane --------------------------------------------------------------------------------------------------------- */

/* A square of the plane z = 0 cut in many ways: 0 two triangles, 1 a fan with slivers of aspect 1e6, 2 random points. */
static sheet plane_of(int kind) {
    sheet s = sheet_new();
    const double h = 0.2;
    if (kind == 0) {
        sheet_quad(&s, sheet_point(&s, -h, -h, 0), sheet_point(&s, h, -h, 0), sheet_point(&s, h, h, 0),
                   sheet_point(&s, -h, h, 0));
    } else if (kind == 1) {
        /* strips across, every other one 2e-7 wide */
        double x = -h;
        uint32_t last[2] = {sheet_point(&s, x, -h, 0), sheet_point(&s, x, h, 0)};
        for (int k = 0; x < h; k++) {
            x += k % 2 == 0 ? 7.3e-3 : 4.1e-7;
            const uint32_t now[2] = {sheet_point(&s, x, -h, 0), sheet_point(&s, x, h, 0)};
            if (k % 3 == 0) {
                sheet_quad(&s, last[0], now[0], now[1], last[1]);
            } else {
                sheet_quad(&s, now[0], now[1], last[1], last[0]);
            }
            last[0] = now[0];
            last[1] = now[1];
        }
    } else {
        enum { SIDE = 60 };
        for (int i = 0; i <= SIDE; i++) {
            for (int j = 0; j <= SIDE; j++) {
                const double shift = 0.35 * 2.0 * h / SIDE;
                const bool in = i > 0 && i < SIDE && j > 0 && j < SIDE;
                const uint64_t n = (uint64_t)(i * 100 + j);
                sheet_point(&s, -h + 2.0 * h * i / SIDE + (in ? uniform(1, n, -shift, shift) : 0.0),
                            -h + 2.0 * h * j / SIDE + (in ? uniform(2, n, -shift, shift) : 0.0), 0.0);
            }
        }
        for (int i = 0; i < SIDE; i++) {
            for (int j = 0; j < SIDE; j++) {
                const uint32_t a = (uint32_t)(i * (SIDE + 1) + j), b = a + SIDE + 1;
                sheet_quad(&s, a, b, b + 1, a + 1);
            }
        }
    }
    return s;
}

static rps_world *world_with_gravity(double x, double z, const char *normal) {
    rps_world_options options = options_of(1e-5);
    options.gravity[0] = x;
    options.gravity[2] = z;
    rps_pair pair = tracked_pair();
    if (strcmp(normal, "hertz") == 0) use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    return world_of(&options, &pair);
}

static void add_balls(rps_world *world) {
    for (uint64_t n = 0; n < 12; n++) { /* too far from each other to meet */
        add_ball(world,
                 rps_vec3_make(0.045 * (double)(n % 4) - 0.07, 0.045 * (double)(n / 4) - 0.05,
                               R * uniform(5, n, 0.999, 1.3)),
                 R, MASS, rps_vec3_make(uniform(6, n, -0.3, 0.3), uniform(7, n, -0.3, 0.3), uniform(8, n, -0.4, 0.0)),
                 rps_vec3_scale(random_vec(9, n), 30.0));
    }
}

/* A plane of any triangles gives what the plane gives. */
static void test_plane(void **state) {
    (void)state;
    static const char *const normal[] = {"hooke", "hertz"};
    for (int law = 0; law < 2; law++) {
        rps_world *flat = world_with_gravity(2.0, -9.81, normal[law]);
        add_ground(flat, rps_vec3_make(0, 0, 1));
        add_balls(flat);
        start(flat);
        advance(flat, 3000);
        for (int kind = 0; kind < 3; kind++) {
            for (int side = 0; side < 2; side++) {
                rps_world *world = world_with_gravity(2.0, -9.81, normal[law]);
                sheet s = plane_of(kind);
                add_sheet(world, &s, side == 0 ? RPS_SIDE_OUTER : RPS_SIDE_BOTH);
                add_balls(world);
                start(world);
                advance(world, 3000);
                double worst = 0.0, worst_spin = 0.0;
                for (uint64_t id = 1; id <= 12; id++) {
                    worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(position_of(world, id), position_of(flat, id))));
                    worst_spin =
                        fmax(worst_spin, rps_vec3_norm(rps_vec3_sub(turning_of(world, id), turning_of(flat, id))));
                }
                SAY("%s, triangles %d, side %d: positions within %.1e m, turning within %.1e rad/s\n", normal[law],
                    kind, side, worst, worst_spin);
                /* rounding of positions, 1e-17 m, times a stiff contact's growth over 3000 steps */
                ASSERT_BELOW(worst, 1e-12);
                ASSERT_BELOW(worst_spin, 1e-9);
                sheet_free(&s);
                rps_world_destroy(world);
            }
        }
        rps_world_destroy(flat);
    }
}

/* --- edges ------------------------------------------------------------------------------------------------------------- */

#define G 9.81

/* One material, hard, in a world with gravity along z: stiffness N/m, friction coefficient, damping by restitution. */
static rps_world *hard_world(double stiffness, double mu, double restitution, double step) {
    rps_world_options options = options_of(step);
    options.gravity[2] = -G;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", stiffness, NULL);
    if (restitution < 1.0) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", restitution, NULL);
    if (mu > 0.0) {
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu, "kinetic", mu, "stiffness", 0.8 * stiffness, "damping", 0.1,
            NULL);
    } else {
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    }
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    return world_of(&options, &pair);
}

/* A table with a vertical side, which ends at x = 0, z = 0; each face in several strips. */
static sheet table_edge(void) {
    static const double path[][2] = {{-0.1, 0.0}, {-0.007, 0.0}, {-0.001, 0.0}, {0.0, 0.0}, {0.0, -0.002}, {0.0, -0.1}};
    sheet s = sheet_new();
    sheet_extrude(&s, path, 6, 0.1);
    return s;
}

/* A ball that starts at rest a little beyond the edge rolls about it, or slides off: it leaves at cos(angle) = part of
 * cos(start), with v^2 = part g R cos(start), where the weight's part along the normal is all that the circle needs. */
static void leave_edge(double mu, double part) {
    rps_world *world = hard_world(1e8, mu, 1.0, 2e-7);
    sheet s = table_edge();
    const double begin = 0.05, rest = MASS * G / 1e8;
    add_sheet(world, &s, RPS_SIDE_AUTO);
    const uint64_t ball = add_ball(world, rps_vec3_make((R - rest) * sin(begin), 0.0, (R - rest) * cos(begin)), R, MASS,
                                   rps_vec3_zero(), rps_vec3_zero());
    start(world);
    bool touches = true;
    double angle = 0.0, speed = 0.0;
    for (int n = 0; n < 20000 && touches; n++) {
        advance(world, 50);
        (void)contact_of(world, 0, ball, &touches);
        const rps_vec3 x = position_of(world, ball);
        if (!touches) continue;
        angle = atan2(x.x, x.z);
        speed = rps_vec3_norm(velocity_of(world, ball));
    }
    assert_false(touches);
    const double expected = acos(part * cos(begin));
    SAY("mu %g: leaves at %.3f degrees (%.3f), v^2/gR %.5f (%.5f)\n", mu, angle * 180.0 / RPS_PI,
        expected * 180.0 / RPS_PI, speed * speed / (G * R), part * cos(begin));
    /* the overlap falls to 0 over the last part of the way: a layer of angle about (omega of the contact t)^-1 = 1e-3; 50
     * steps are 6e-5 in the angle */
    ASSERT_NEAR(angle, expected, 2e-3);
    ASSERT_NEAR(speed * speed / (G * R), part * cos(begin), 3e-3);
    sheet_free(&s);
    rps_world_destroy(world);
}

static void test_edge(void **state) {
    (void)state;
    leave_edge(0.0, 2.0 / 3.0);
    leave_edge(1e4, 10.0 / 17.0);
}

/* --- folds ------------------------------------------------------------------------------------------------------------- */

/* A groove along y: faces that rise by these angles (rad) to the left and right of x = 0. */
static sheet groove(double left, double right, int strips) {
    sheet s = sheet_new();
    double path[64][2];
    int n = 0;
    for (int k = strips; k > 0; k--, n++) {
        path[n][0] = -0.1 * k / strips * cos(left);
        path[n][1] = 0.1 * k / strips * sin(left);
    }
    for (int k = 0; k <= strips; k++, n++) {
        path[n][0] = 0.1 * k / strips * cos(right);
        path[n][1] = 0.1 * k / strips * sin(right);
    }
    sheet_extrude(&s, (const double(*)[2])path, n, 0.3);
    return s;
}

static size_t contacts_between(const rps_world *world, rps_contact *out, size_t most) {
    size_t count = 0;
    MUST(rps_world_contacts(world, out, most, &count, ERR));
    return count;
}

/* Two faces carry a ball as two planes do. */
static void test_groove(void **state) {
    (void)state;
    const double angle[2] = {30.0 * RPS_PI / 180.0, 50.0 * RPS_PI / 180.0};
    rps_world *world = hard_world(1e6, 0.0, 0.3, 1e-6);
    sheet s = groove(angle[0], angle[1], 3);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    /* at the place where it touches both: up the bisector */
    const double half = 0.5 * (RPS_PI - angle[0] - angle[1]), along = R / sin(half), direction = angle[1] + half;
    add_ball(world, rps_vec3_make(along * cos(direction), 0.0, along * sin(direction)), R, MASS, rps_vec3_zero(),
             rps_vec3_zero());
    start(world);
    advance(world, 40000);
    rps_contact c[4];
    assert_int_equal(contacts_between(world, c, 4), 2);
    const double sum = sin(angle[0] + angle[1]);
    double load[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) load[fabs(c[k].normal[0]) < 0.6 ? 0 : 1] = c[k].normal_load[0];
    /* sin of the other angle over sin of the sum; at rest to rounding after 40,000 steps of a damped contact */
    ASSERT_NEAR(load[0], MASS * G * sin(angle[1]) / sum, 1e-6 * MASS * G);
    ASSERT_NEAR(load[1], MASS * G * sin(angle[0]) / sum, 1e-6 * MASS * G);
    sheet_free(&s);
    rps_world_destroy(world);
}

/* A symmetric fold of 4 degrees in all, Hertz, with a load that makes the overlap 1 % on a plane: the energy of both feet
 * less that of the joint puts the centre .991181 R from the corner; a fold of 90 degrees is two contacts. */
static void test_fold(void **state) {
    (void)state;
    static const double fold[2] = {4.0, 90.0}, expected[2] = {0.991181, 1.402990};
    for (int k = 0; k < 2; k++) {
        const double rise = 0.5 * fold[k] * RPS_PI / 180.0;
        rps_world_options options = options_of(2e-6);
        options.gravity[2] = -G;
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.2, NULL);
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
        use(&pair, RPS_ROLE_ROLL, "none", NULL);
        use(&pair, RPS_ROLE_SPIN, "none", NULL);
        rps_material material = rps_material_default();
        material.name = "stuff";
        material.poisson = 0.3;
        /* m g = (4/3) E/(2 (1 - nu^2)) R^.5 (.01 R)^1.5 */
        material.young = MASS * G / (4.0 / 3.0 * R * R * 1e-3) * 2.0 * (1.0 - 0.09);
        rps_world *world = world_of_material(&options, &pair, material);
        sheet s = groove(rise, rise, 4);
        add_sheet(world, &s, RPS_SIDE_AUTO);
        const uint64_t ball =
            add_ball(world, rps_vec3_make(0.0, 0.0, expected[k] * R), R, MASS, rps_vec3_zero(), rps_vec3_zero());
        start(world);
        advance(world, 400000);
        rps_contact c[4];
        const size_t contacts = contacts_between(world, c, 4);
        SAY("fold of %g degrees: centre %.6f R above the corner (%.6f), %d contacts\n", fold[k],
            position_of(world, ball).z / R, expected[k], (int)contacts);
        assert_int_equal(contacts, k == 0 ? 1 : 2);
        ASSERT_NEAR(position_of(world, ball).z / R, expected[k], 1.1e-6); /* digits given */
        sheet_free(&s);
        rps_world_destroy(world);
    }
}

/* --- drums that are polygons --------------------------------------------------------------------------------------------- */

/* The lower half of a drum of radius 10 R, of `sides` facets around. The bottom is an edge. */
static sheet drum(int sides) {
    sheet s = sheet_new();
    double(*path)[2] = malloc((size_t)(sides / 2 + 1) * sizeof *path);
    assert_true(path != NULL);
    for (int k = 0; k <= sides / 2; k++) {
        const double angle = 2.0 * RPS_PI * k / sides - RPS_PI;
        path[k][0] = 10.0 * R * cos(angle);
        path[k][1] = 10.0 * R * sin(angle);
    }
    sheet_extrude(&s, (const double(*)[2])path, sides / 2 + 1, 0.05);
    free(path);
    return s;
}

/* A ball to and fro over 360 facets, sliding without friction, or rolling: nothing is gained or lost. The residual of the
 * ledger at the end of three passes, as a part of the drop, at two steps. */
static double drum_error(double mu, double step, double *largest) {
    const double stiffness = MASS * G / (1e-2 * R); /* static overlap of .01 R */
    rps_world *world = hard_world(stiffness, mu, 1.0, step);
    sheet s = drum(360);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    const double angle = 40.0 * RPS_PI / 180.0, out = 9.0 * R, drop = MASS * G * out * (1.0 - cos(angle));
    add_ball(world, rps_vec3_make(out * sin(angle), 0.0, -out * cos(angle)), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    const double first = ledger_of(world).residual;
    *largest = 0.0;
    for (int n = 0; n < 60; n++) {
        advance(world, (uint64_t)(0.02 / step + 0.5));
        const double now = fabs(ledger_of(world).residual - first) / drop;
        *largest = now > *largest ? now : *largest;
    }
    const rps_ledger end = ledger_of(world);
    sheet_free(&s);
    rps_world_destroy(world);
    return dissipated_of(&end) / drop;
}

static void test_drum(void **state) {
    (void)state;
    static const double mu[2] = {0.0, 50.0};
    for (int k = 0; k < 2; k++) {
        double coarse, fine;
        const double lost = drum_error(mu[k], 2e-5, &coarse);
        drum_error(mu[k], 1e-5, &fine);
        SAY("friction %g: ledger %.2e, at half the step %.2e of the drop; dissipated %.2e\n", mu[k], coarse, fine,
            lost);
        ASSERT_BELOW(coarse, 1e-5);       /* a rule that counts every foot gains a tenth of the drop a period */
        ASSERT_BELOW(fine, 0.7 * coarse); /* at least first order: contacts begin and end, as the ball bounces */
    }
}

/* At rest in a fold of a coarse drum, with friction of all kinds. */
static void test_rest(void **state) {
    (void)state;
    static const int sides[2] = {24, 90};
    for (int k = 0; k < 2; k++) {
        rps_world_options options = options_of(1e-5);
        options.gravity[2] = -G;
        rps_pair pair = tracked_pair();
        use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", MASS * G / (1e-2 * R), NULL);
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 0.8 * MASS * G / (1e-2 * R),
            "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.3, "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.2, NULL);
        rps_world *world = world_of(&options, &pair);
        sheet s = drum(sides[k]);
        add_sheet(world, &s, RPS_SIDE_AUTO);
        const uint64_t ball =
            add_ball(world, rps_vec3_make(0.003 * R, 0.0, -9.0 * R), R, MASS, rps_vec3_zero(), rps_vec3_zero());
        start(world);
        advance(world, 300000);
        const double speed = rps_vec3_norm(velocity_of(world, ball)) / sqrt(G * R);
        SAY("%d facets: at rest to %.1e sqrt(g R)\n", sides[k], speed);
        ASSERT_BELOW(speed, 1e-10); /* a normal that jumps between the faces leaves 1e-4 or more */
        sheet_free(&s);
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane),  cmocka_unit_test(test_edge),
                                       cmocka_unit_test(test_groove), cmocka_unit_test(test_fold),
                                       cmocka_unit_test(test_drum),   cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
