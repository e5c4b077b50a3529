/*
 * Friction memories where contacts of a ball with a mesh join or part: closed forms of two contacts in a fold, forces that go on
 * without a jump, and the ledger.
 */
#include "meshes.h"

#define R 0.01
#define G 9.81
#define DEGREE (RPS_PI / 180.0)

enum { BALL = 1 }; /* id; the mesh is body 0 */

/* A fold along y between two faces that rise by these angles from x = 0. */
static sheet fold_of(double left, double right) {
    const double path[3][2] = {{-0.1 * cos(left), 0.1 * sin(left)}, {0.0, 0.0}, {0.1 * cos(right), 0.1 * sin(right)}};
    sheet s = sheet_new();
    sheet_extrude(&s, path, 3, 0.1);
    return s;
}

/* A ball so heavy that it goes where it is sent. */
static rps_world *sent_ball(const rps_pair *pair, sheet s, rps_vec3 at, double step) {
    rps_world_options options = options_of(step);
    rps_world *world = world_of(&options, pair);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    add_ball(world, at, R, 1e9, rps_vec3_zero(), rps_vec3_zero());
    sheet_free(&s);
    start(world);
    return world;
}

static void send(rps_world *world, rps_vec3 velocity, rps_vec3 turning, uint64_t steps) {
    double v[3], w[3];
    to_array(v, velocity);
    to_array(w, turning);
    MUST(rps_world_set_velocity(world, BALL, v, ERR));
    MUST(rps_world_set_angular_velocity(world, BALL, w, ERR));
    advance(world, steps);
}

/* Friction on the ball: the slide force, or by role the sum of the torques. */
static rps_vec3 friction_on(const rps_world *world, rps_role role, size_t *contacts) {
    rps_contact c[8];
    rps_vec3 sum = rps_vec3_zero();
    MUST(rps_world_contacts(world, c, 8, contacts, ERR));
    for (size_t k = 0; k < *contacts; k++) {
        const double sign = c[k].id_i == BALL ? 1.0 : -1.0;
        rps_vec3 load = as_vec(c[k].slide_force);
        if (role == RPS_ROLE_ROLL) load = as_vec(c[k].id_i == BALL ? c[k].roll_torque_i : c[k].roll_torque_j);
        if (role == RPS_ROLE_SPIN) load = rps_vec3_scale(as_vec(c[k].normal), -c[k].spin_torque[0]);
        sum = rps_vec3_add_scaled(sum, role == RPS_ROLE_ROLL ? 1.0 : sign, load);
    }
    return sum;
}

/* --- two contacts become one, and two again ----------------------------------------------------------------------------- */

static rps_pair stiff_pair(const char *normal, const char *slide) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, normal, NULL);
    if (strcmp(normal, "hooke") == 0) use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    if (strcmp(slide, "tracked") == 0) {
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 10.0, "kinetic", 10.0, "stiffness", 5e4, "damping", 0.0, NULL);
    } else if (strcmp(slide, "luding") == 0) {
        use(&pair, RPS_ROLE_SLIDE, "luding", "static", 10.0, "stiffness", 5e4, NULL);
    } else if (strcmp(slide, "cundall_strack") == 0) {
        use(&pair, RPS_ROLE_SLIDE, slide, "friction", 10.0, "stiffness", 5e4, "damping", 0.0, NULL);
    } else if (*slide != '\0') {
        use(&pair, RPS_ROLE_SLIDE, slide, "friction", 10.0, NULL);
    }
    return pair;
}

/* Two equal memories: the joint is in reach from a height of R on. There the sum of both stores twice what they did, so the
 * force falls to 1/sqrt(2), with no energy handed over; where they part each gets half of it, and half of the energy is left. */
static void join_and_part(const rps_pair *pair, rps_role role, bool equal_stiffness) {
    const double rise = 3.0 * DEGREE, step = 1e-6, v = 1e-3;
    rps_world *world = sent_ball(pair, fold_of(rise, rise), rps_vec3_make(0.0, 0.0, R + 2e-7), step);
    const rps_vec3 rest = rps_vec3_zero(), down = {0.0, 0.0, -v}, up = {0.0, 0.0, v};
    size_t contacts;
    if (role == RPS_ROLE_SLIDE) send(world, rps_vec3_make(0.0, v, 0.0), rest, 2000);
    if (role == RPS_ROLE_ROLL) send(world, rps_vec3_make(0.0, v, 0.0), rps_vec3_make(-v / R, 0.0, 0.0), 2000);
    if (role == RPS_ROLE_SPIN) send(world, rest, rps_vec3_make(0.0, 0.0, 0.1), 2000);
    send(world, down, rest, 150);
    const rps_vec3 two = friction_on(world, role, &contacts);
    assert_int_equal(contacts, 2);
    const rps_ledger apart = ledger_of(world);
    assert_true(apart.handover == 0.0);
    send(world, down, rest, 250);
    const rps_vec3 one = friction_on(world, role, &contacts);
    assert_int_equal(contacts, 1);
    const rps_ledger joined = ledger_of(world);
    send(world, up, rest, 150);
    const rps_vec3 before = friction_on(world, role, &contacts);
    assert_int_equal(contacts, 1);
    send(world, up, rest, 150);
    const rps_vec3 again = friction_on(world, role, &contacts);
    assert_int_equal(contacts, 2);
    const rps_ledger parted = ledger_of(world);
    const double energy = apart.elastic[role];
    SAY("%s %s: force %.4f, then %.4f of that of both; energy %.2e J, handed over %.4f and %.4f of it\n",
        rps_role_name(role), pair->law[role]->name, rps_vec3_norm(one) / rps_vec3_norm(two),
        rps_vec3_norm(again) / rps_vec3_norm(two), energy, joined.handover / energy, parted.handover / energy);
    assert_true(energy > 0.0);
    /* the motion down and up, 4e-7 m, slides by sin(3 degrees) of that on both faces: 1e-2 of the 2e-6 m along the fold */
    assert_true(joined.handover >= 0.0);
    ASSERT_NEAR(rps_vec3_norm(again), rps_vec3_norm(before), 1e-2 * rps_vec3_norm(two));
    ASSERT_BELOW(rps_vec3_norm(one), rps_vec3_norm(two));
    ASSERT_ABOVE(parted.handover, joined.handover);
    /* what is stored less was handed over; a law whose force falls with its load loses some of it beside */
    ASSERT_BELOW(parted.elastic[role] + parted.handover, (1.0 + 1e-2) * energy);
    if (equal_stiffness) {
        ASSERT_NEAR(parted.elastic[role] + parted.handover, energy, 1e-2 * energy);
        ASSERT_NEAR(rps_vec3_norm(one), rps_vec3_norm(two) / sqrt(2.0), 1e-2 * rps_vec3_norm(two));
        ASSERT_NEAR(joined.handover, 0.0, 1e-3 * energy);
        ASSERT_NEAR(parted.handover, 0.5 * energy, 1e-2 * energy);
    }
    rps_world_destroy(world);
}

static void test_join_and_part(void **state) {
    (void)state;
    static const char *const laws[][2] = {{"hooke", "tracked"}, {"hooke", "cundall_strack"}, {"hooke", "luding"},
                                          {"hertz", "tracked"}, {"hertz", "mindlin"},        {"hertz", "mindlin_total"},
                                          {"hertz", "walton"}};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const rps_pair pair = stiff_pair(laws[k][0], laws[k][1]);
        join_and_part(&pair, RPS_ROLE_SLIDE, k < 4);
    }
    rps_pair pair = stiff_pair("hooke", "");
    use(&pair, RPS_ROLE_ROLL, "tracked", "static", 10.0, "kinetic", 10.0, "stiffness", 5e4, "eta", 0.3, "damping", 0.0,
        NULL);
    join_and_part(&pair, RPS_ROLE_ROLL, true);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "static", 10.0, "kinetic", 10.0, "stiffness", 5e4, "eta", 0.2, "damping", 0.0,
        NULL);
    join_and_part(&pair, RPS_ROLE_SPIN, true);
}

/* --- forces go on --------------------------------------------------------------------------------------------------------- */

/* The largest change of the friction force in a step of a motion, N. */
static double largest_jump(rps_world *world, rps_vec3 velocity, int steps, rps_vec3 *last) {
    double largest = 0.0;
    size_t contacts;
    for (int n = 0; n < steps; n++) {
        send(world, velocity, rps_vec3_zero(), 1);
        const rps_vec3 now = friction_on(world, RPS_ROLE_SLIDE, &contacts);
        largest = fmax(largest, rps_vec3_norm(rps_vec3_sub(now, *last)));
        *last = now;
    }
    return largest;
}

/* Out of a V, with friction loaded along it, into its left face: the contact on the right ends when its load does. */
static void test_out_of_v(void **state) {
    (void)state;
    static const double limit[2] = {10.0, 0.3}; /* in stick, and sliding */
    for (int k = 0; k < 2; k++) {
        rps_pair pair = stiff_pair("hooke", "");
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", limit[k], "kinetic", limit[k], "stiffness", 5e4, "damping", 0.0,
            NULL);
        const double rise = 50.0 * DEGREE, v = 1e-2, step = 1e-6;
        rps_world *world = sent_ball(&pair, fold_of(rise, rise), rps_vec3_make(0.0, 0.0, (R - 1e-5) / cos(rise)), step);
        size_t contacts;
        send(world, rps_vec3_make(0.0, v, 0.0), rps_vec3_zero(), 300);
        rps_vec3 last = friction_on(world, RPS_ROLE_SLIDE, &contacts);
        assert_int_equal(contacts, 2);
        ASSERT_ABOVE(rps_vec3_norm(last), 0.1);
        const double jump = largest_jump(world, rps_vec3_make(-v * cos(rise), 0.0, v * sin(rise)), 1500, &last);
        (void)friction_on(world, RPS_ROLE_SLIDE, &contacts);
        assert_int_equal(contacts, 1);
        SAY("mu %g: the friction force changes by at most %.2e N a step\n", limit[k], jump);
        /* K_E v dt on each face, and mu times that of the normal load; a lost memory would be .1 N */
        ASSERT_BELOW(jump, (2.0 * 5e4 + limit[k] * 1e5) * v * step);
        assert_true(ledger_of(world).handover == 0.0);
        rps_world_destroy(world);
    }
}

/* Across folds so shallow that each is one contact throughout, R (1 - cos 1 degree) = 1.5e-6 below the overlap of 1e-5. */
static void test_across_folds(void **state) {
    (void)state;
    static const double limit[2] = {50.0, 0.3};
    enum { FACETS = 9 };
    for (int k = 0; k < 2; k++) {
        rps_pair pair = stiff_pair("hooke", "");
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", limit[k], "kinetic", limit[k], "stiffness", 5e4, "damping", 0.0,
            NULL);
        const double v = 0.5, step = 1e-6;
        sheet s = sheet_new();
        double path[FACETS + 1][2] = {{-4.5e-4, 0.0}};
        for (int n = 0; n < FACETS; n++) { /* facets of 1e-4 m, bent by one degree to and fro */
            const double slope = n % 2 == 0 ? 0.0 : 1.0 * DEGREE;
            path[n + 1][0] = path[n][0] + 1e-4 * cos(slope);
            path[n + 1][1] = path[n][1] + 1e-4 * sin(slope);
        }
        sheet_extrude(&s, (const double(*)[2])path, FACETS + 1, 0.05);
        rps_world *world = sent_ball(&pair, s, rps_vec3_make(-4e-4, 0.0, R - 1e-5), step);
        size_t contacts;
        rps_vec3 last = friction_on(world, RPS_ROLE_SLIDE, &contacts);
        const double tilt = 0.45 * DEGREE; /* mean slope */
        const double jump = largest_jump(world, rps_vec3_make(v * cos(tilt), 0.0, v * sin(tilt)), 1600, &last);
        SAY("mu %g: the friction force of %.2f N changes by at most %.2e N a step\n", limit[k], rps_vec3_norm(last),
            jump);
        /* K_E v dt, and mu times the change of the load, whose rate is at most that of a descent by a degree */
        ASSERT_BELOW(jump, (5e4 + limit[k] * 1e5 * DEGREE) * v * step);
        assert_true(ledger_of(world).handover == 0.0);
        rps_world_destroy(world);
    }
}

/* --- nothing creeps --------------------------------------------------------------------------------------------------------- */

/* A block, a ball that cannot turn, on a slope with its foot on the border of two triangles, shaken across it 400 times by a
 * fraction of its elastic slip. A memory for each triangle would let it creep m g sin/K_E = 21 um each time. */
static void test_border(void **state) {
    (void)state;
    const double mass = 0.01, tilt = 15.0 * DEGREE, stiffness = mass * G * sin(tilt) / 21e-6;
    rps_world_options options = options_of(2e-5);
    options.gravity[1] = G * sin(tilt);
    options.gravity[2] = -G * cos(tilt);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 2.0 * stiffness, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.1, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.5, "stiffness", stiffness, NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_world *world = world_of(&options, &pair);
    static const double path[3][2] = {{-0.1, 0.0}, {0.0, 0.0}, {0.1, 0.0}};
    sheet s = sheet_new();
    sheet_extrude(&s, path, 3, 0.1);
    add_sheet(world, &s, RPS_SIDE_AUTO);
    sheet_free(&s);
    rps_body_def def = rps_body_def_default();
    uint64_t block = 0;
    def.radius = R;
    def.mass = mass;
    def.locked = true;
    def.position[2] = R;
    MUST(rps_world_add_body(world, &def, &block, ERR));
    start(world);
    advance(world, 20000);
    const rps_vec3 rest = position_of(world, block);
    int crossings = 0;
    double side = 0.0;
    for (int n = 0; n < 400; n++) {
        double g[3] = {(n % 2 == 0 ? 0.2 : -0.2) * G * sin(tilt), G * sin(tilt), -G * cos(tilt)};
        MUST(rps_world_set_gravity(world, g, ERR));
        advance(world, 500);
        const double x = position_of(world, block).x;
        crossings += x * side < 0.0;
        side = x;
    }
    double g[3] = {0.0, G * sin(tilt), -G * cos(tilt)};
    MUST(rps_world_set_gravity(world, g, ERR));
    advance(world, 5000);
    const double crept = rps_vec3_norm(rps_vec3_sub(position_of(world, block), rest));
    SAY("the block crossed the border %d times and moved %.2e m\n", crossings, crept);
    assert_true(crossings > 300);
    ASSERT_BELOW(crept, 2e-6);
    assert_true(ledger_of(world).handover == 0.0);
    rps_world_destroy(world);
}

/* --- the ledger ----------------------------------------------------------------------------------------------------------- */

/* Rough ground with cells smaller than a ball; convex: a dome without folds. */
static sheet ground(bool convex) {
    enum { SIDE = 24 };
    sheet s = sheet_new();
    for (uint64_t k = 0; k < (SIDE + 1) * (SIDE + 1); k++) {
        const double x = 0.0048 * ((double)(k % (SIDE + 1)) - SIDE / 2);
        const double y = 0.0048 * ((double)(k / (SIDE + 1)) - SIDE / 2);
        sheet_point(&s, x, y, convex ? -(x * x + y * y) : 2.0 * (x * x + y * y) + 4e-4 * uniform(1, k, -1.0, 1.0));
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        const uint32_t a = k / SIDE * (SIDE + 1) + k % SIDE, b = a + 1, c = a + SIDE + 1, d = c + 1;
        sheet_triangle(&s, a, b, d);
        sheet_triangle(&s, a, d, c);
    }
    return s;
}

typedef struct rolled {
    double residual, handover, dissipated; /* J; the first the largest */
    bool gives;                            /* the handover fell at some time */
} rolled;

/* Balls, one at a time, roll, slide and spin over the ground. */
static rolled roll_over(bool convex, bool hertz, double damping, double step) {
    rolled out = {0};
    for (uint64_t n = 0; n < 3; n++) {
        rps_world_options options = options_of(step);
        options.gravity[2] = -G;
        rps_pair pair = tracked_pair();
        use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 2e4, NULL);
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 1.5e4, "damping", damping,
            NULL);
        use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.3, "damping", damping, NULL);
        use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.2, "damping", damping, NULL);
        if (damping > 0.0) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
        if (hertz) {
            use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
            use(&pair, RPS_ROLE_SLIDE, "mindlin", "friction", 0.4, NULL);
            use(&pair, RPS_ROLE_ROLL, "none", NULL);
            use(&pair, RPS_ROLE_SPIN, "torsional", "coefficient", 0.4, "slope", 1.0, NULL);
        }
        rps_world *world = world_of(&options, &pair);
        sheet s = ground(convex);
        add_sheet(world, &s, RPS_SIDE_AUTO);
        sheet_free(&s);
        add_ball(world, rps_vec3_make(0.02 * uniform(7, n, -1, 1), 0.02 * uniform(8, n, -1, 1), convex ? R : 0.0135), R,
                 0.01, rps_vec3_make(uniform(5, n, -0.3, 0.3), uniform(6, n, -0.3, 0.3), 0.0),
                 rps_vec3_make(0.0, 0.0, 10.0));
        start(world);
        double last = 0.0;
        for (int k = 0; k < 100; k++) {
            advance(world, (uint64_t)(1e-3 / step + 0.5));
            const rps_ledger l = ledger_of(world);
            out.residual = fmax(out.residual, fabs(l.residual));
            out.gives = out.gives || l.handover < last;
            last = l.handover;
            if (k == 99) out.dissipated += dissipated_of(&l);
        }
        out.handover += last;
        rps_world_destroy(world);
    }
    return out;
}

static void test_ledger(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double damping = k == 0 ? 0.0 : 0.1;
        const rolled coarse = roll_over(false, false, damping, 2e-5), fine = roll_over(false, false, damping, 5e-6);
        SAY("damping %g: residual %.2e, at a quarter of the step %.2e J; handed over %.2e, dissipated %.2e J\n",
            damping, coarse.residual, fine.residual, fine.handover, fine.dissipated);
        if (k == 0) ASSERT_ABOVE(fine.handover, 1e-7); /* contacts joined and parted */
        assert_false(coarse.gives || fine.gives);
        ASSERT_BELOW(coarse.residual, 1e-4 * coarse.dissipated);
        /* second order is 1/16; contacts that begin within a step add a part of first order */
        ASSERT_BELOW(fine.residual, 0.125 * coarse.residual);
    }
    const rolled hertz = roll_over(false, true, 0.1, 1e-5), dome = roll_over(true, false, 0.1, 2e-5);
    ASSERT_ABOVE(hertz.handover, 0.0);
    assert_false(hertz.gives);
    assert_true(dome.handover == 0.0 && dome.dissipated > 0.0); /* no concave edges */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join_and_part), cmocka_unit_test(test_out_of_v),
                                       cmocka_unit_test(test_across_folds), cmocka_unit_test(test_border),
                                       cmocka_unit_test(test_ledger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
