/*
 * The roll and spin laws of the literature, and the slide law of Luding, against their closed forms: the loop of a
 * cycle, what rests on a slope and what rolls down it, the speed at which a viscous torque balances a slope, a
 * spinning ball that slows down, and the pitch of a torsional spring. Properties of all laws are in tests/contract.
 */
#include "../contract/law_bench.h"

static const double R = 0.01, M = 0.01, G = 9.81;

/* Up to five values by name. */
typedef struct variant {
    const char *law;
    struct {
        const char *name;
        double value;
    } given[5];
    double k; /* N m/rad (slide: N/m), its stiffness, in the contact of the test */
    double c; /* N m (N), its cap there */
} variant;

static void use_variant(rps_pair *pair, rps_role role, const variant *v) {
    use(pair, role, v->law, NULL);
    for (int n = 0; n < 5 && v->given[n].name; n++) {
        int k = 0;
        while (pair->law[role]->parameter[k].name && strcmp(pair->law[role]->parameter[k].name, v->given[n].name)) k++;
        assert_non_null(pair->law[role]->parameter[k].name);
        pair->value[role][k] = v->given[n].value;
    }
}

/* --- the loop of a cycle ------------------------------------------------------------------------------------------ */

/* Out to 3 times the angle of the cap, back, out again: an elastic-plastic loop. Steps of a 100th of that angle, so that
 * all corners fall on a step and the trapezoids are exact up to round-off. */
static void check_loop(rps_role role, const variant *v) {
    static bench t;
    rps_world_options options = options_of(1e-5);
    rps_pair pair = tracked_pair();
    for (int k = 0; k < RPS_LAW_PARAMETERS; k++) pair.value[RPS_ROLE_ROLL][k] = pair.value[RPS_ROLE_SPIN][k] = NAN;
    pair.law[RPS_ROLE_ROLL] = pair.law[RPS_ROLE_SPIN] = NULL;
    use_variant(&pair, role, v);
    subject s = {.law = pair.law[role], .world = world_of(&options, &pair)};
    s.setup = rps_world_pair_of(s.world, 0, 0);
    s.constant = s.setup->constant[role];
    bench_rest(&t, 8, 1e-5, 5.0);
    bench_fill(&t, LANE_new_contact, 1.0);
    evaluate(&t, &s, 0);
    bench_fill(&t, LANE_new_contact, 0.0);
    const double corner = v->c / v->k, d = corner / 100.0;
    double load0 = 0.0, work = 0.0, dissipated = 0.0, stored0 = 0.0, stored = 0.0, largest = 0.0, slope = 0.0;
    for (int n = 0; n < 300 + 1200; n++) {
        const double step = n < 300 ? d : n < 900 ? -d : d;
        /* shared between the bodies, as they may roll */
        bench_move(&t, role, 0, rps_vec3_make(role == RPS_ROLE_ROLL ? 0.25 * step : step, 0.0, 0.0),
                   rps_vec3_make(0.75 * step, 0.0, 0.0));
        evaluate(&t, &s, 0);
        rps_vec3 a, b;
        bench_load(&t, role, 0, &a, &b);
        stored = t.lane[LANE_energy + (int)role].x[0];
        if (n == 0) slope = a.x / step;
        if (n == 299) stored0 = stored;
        if (n >= 300) {
            work += 0.5 * (load0 + a.x) * step;
            dissipated += t.lane[LANE_dissipated + (int)role].x[0];
        }
        load0 = a.x;
        largest = fmax(largest, fabs(a.x));
    }
    const double area = 4.0 * v->c * 2.0 * corner;
    SAY("%s %s: stiffness %.6g, cap %.6g, loop %.6g J\n", rps_role_name(role), v->law, slope, largest, dissipated);
    ASSERT_NEAR(slope / v->k, 1.0, 1e-12);
    ASSERT_NEAR(largest / v->c, 1.0, 1e-12);
    ASSERT_NEAR(work / area, 1.0, 1e-10); /* 1500 additions */
    ASSERT_NEAR(dissipated / area, 1.0, 1e-10);
    ASSERT_NEAR(stored / stored0, 1.0, 1e-10);
    ASSERT_NEAR(stored0, 0.5 * v->c * corner, 1e-10 * stored0);
    subject_release(&s);
}

/* The bench: R_eff = 0.01 m, N = 5 N, a = 1e-3 m; K_E = 5e4 N/m and mu_s = 0.5 of the slide law; E = 1e7 Pa, nu = 0.3 of
 * both, so that G = E/2.6, G* = G/3.4, G_12 = G/2. */
static void test_loops(void **state) {
    (void)state;
    const double re = 0.01, n = 5.0, a = 1e-3, ke = 5e4, shear = 1e7 / 2.6;
    const variant roll[] = {
        {"iwashita_oda", {{"coefficient", 0.1}}, ke * re * re, 0.1 * re * n},
        {"iwashita_oda", {{"eta", 0.3}, {"stiffness", 2e4}}, 2e4 * re * re, 0.3 * 2.0 * a * n},
        {"iwashita_oda", {{"coefficient", 0.1}, {"angular_stiffness", 3.0}}, 3.0, 0.1 * re * n},
        {"jiang", {{"coefficient", 0.1}, {"damping", 0.0}}, ke * re * re, 0.1 * re * n},
        {"ai", {{"coefficient", 0.1}, {"stiffness", 2e4}}, 2e4 * re * re, 0.1 * re * n},
        /* r = 2 R_eff, width beta r = 4 mm */
        {"jiang", {{"shape", 0.2}, {"stiffness", 1e5}, {"damping", 0.0}}, 0.25 * 1e5 * 16e-6, 0.25 * 2.1 * 4e-3 * n},
        {"jiang",
         {{"shape", 0.2}, {"crushing", 1.0}, {"stiffness", 1e5}, {"damping", 0.0}},
         0.25 * 1e5 * 16e-6,
         0.25 * 4e-3 * n},
        {"jiang",
         {{"shape", 0.2}, {"bed", 1.0}, {"stiffness", 1e5}, {"damping", 0.0}},
         1e5 * 16e-6 / 12.0,
         4e-3 * n / 6.0},
    };
    const variant spin[] = {
        {"torsional", {{"damping", 0.0}}, 0.5 * ke * a * a, 3.0 * RPS_PI / 16.0 * 0.5 * n * a},
        {"torsional",
         {{"cap", 1.0}, {"slope", 1.0}, {"damping", 0.0}},
         4.0 * shear / 3.4 * a * a * a,
         2.0 / 3.0 * 0.5 * n * a},
        {"torsional",
         {{"cap", 2.0}, {"slope", 2.0}, {"coefficient", 0.2}, {"damping", 0.0}},
         8.0 / 3.0 * shear * a * a * a,
         0.5 * 0.2 * n * a},
    };
    const variant luding[] = {{"luding", {{"static", 0.1}, {"stiffness", ke}}, ke, 0.1 * n},
                              {"luding", {{"static", 0.1}, {"stiffness", ke}}, ke * re * re, 0.1 * re * n},
                              {"luding", {{"static", 0.1}, {"stiffness", ke}}, ke * re * re, 0.1 * re * n}};
    for (int k = 0; k < 3; k++) check_loop((rps_role)(RPS_ROLE_SLIDE + k), &luding[k]);
    for (size_t k = 0; k < sizeof roll / sizeof *roll; k++) check_loop(RPS_ROLE_ROLL, &roll[k]);
    for (size_t k = 0; k < sizeof spin / sizeof *spin; k++) check_loop(RPS_ROLE_SPIN, &spin[k]);
}

/* --- a ball on a slope -------------------------------------------------------------------------------------------- */

typedef struct rolled {
    double w;     /* rad/s, about y, at the end */
    double gain;  /* rad/s^2, mean over the last half */
    double angle; /* rad, rolled in all */
    double mode;
} rolled;

enum { STIFFNESS = 100000 };

/* Overlap m g/k = 1e-4 R: the arm of the contact is R within that. Slide friction holds, and is critically damped. */
static rolled roll_down(const variant *v, double angle, double w0, double time) {
    const double step = 2e-5;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", (double)STIFFNESS, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 2.0, "kinetic", 2.0, "stiffness", 5e4, NULL);
    use_variant(&pair, RPS_ROLE_ROLL, v);
    rps_world_options options = options_of(step);
    options.gravity[0] = G * sin(angle);
    options.gravity[2] = -G * cos(angle);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, R - M * G * cos(angle) / STIFFNESS), R, M,
                                   rps_vec3_make(w0 * R, 0.0, 0.0), rps_vec3_make(0.0, w0, 0.0));
    start(world);
    const uint64_t half = (uint64_t)(0.5 * time / step + 0.5);
    advance(world, half);
    const double w1 = turning_of(world, ball).y;
    advance(world, half);
    rolled out = {.w = turning_of(world, ball).y};
    out.gain = (out.w - w1) / ((double)half * step);
    out.angle = position_of(world, ball).x / R;
    bool found;
    const rps_contact c = contact_of(world, 0, ball, &found);
    out.mode = found ? c.roll_mode[0] : 2.0;
    rps_world_destroy(world);
    return out;
}

/* A slope moves the ball against k R N w: it ends at w = tan(angle)/k, after 12 times 7/5 R/(k g cos(angle)); on the
 * flat its speed falls as an exponential of that time. Within the overlap, 1e-4 of R, and exp(-12). */
static void test_viscous(void **state) {
    (void)state;
    const double k = 0.02, slope = 0.05, time = 1.4 * R / (k * G);
    const variant by_time = {.law = "viscous", .given = {{"time", k}}};
    const double damper = k * R * M * G * cos(slope);
    const variant by_damper = {.law = "viscous", .given = {{"damper", damper}}};
    const rolled a = roll_down(&by_time, slope, 0.0, 12.0 * time), b = roll_down(&by_damper, slope, 0.0, 12.0 * time);
    SAY("viscous torque on a slope: ends at %.6g and %.6g of tan(angle)/k\n", a.w * k / tan(slope),
        b.w * k / tan(slope));
    ASSERT_NEAR(a.w * k / tan(slope), 1.0, 5e-4);
    ASSERT_NEAR(b.w * k / tan(slope), 1.0, 5e-4);
    const rolled flat = roll_down(&by_time, 0.0, 5.0, 2.0 * time);
    SAY("on the flat: %.6g of exp(-2)\n", flat.w / 5.0 / exp(-2.0));
    ASSERT_NEAR(flat.w / 5.0, exp(-2.0), 5e-4);
}

/* A cap c R N holds the ball where tan(angle) < c, and lets it roll with 5/7 g (sin - c cos)/R above. At .8 of the slope
 * a critically damped start overshoots by exp(-2) at most. */
static void test_springs_hold(void **state) {
    (void)state;
    /* cap over R N in the member c; in k: 1 where it goes with a = sqrt(R delta), less on a slope by sqrt(cos) */
    const double a = sqrt(R * M * G / STIFFNESS);
    const variant laws[] = {
        {"iwashita_oda", {{"coefficient", 0.1}, {"damping", 1.0}}, 0.0, 0.1},
        {"iwashita_oda", {{"eta", 5.0}, {"damping", 1.0}}, 1.0, 5.0 * 2.0 * a / R},
        {"ai", {{"coefficient", 0.1}, {"damping", 1.0}, {"at_cap", 0.0}}, 0.0, 0.1},
        {"jiang", {{"coefficient", 0.1}}, 0.0, 0.1},
        {"jiang", {{"shape", 0.2}, {"stiffness", STIFFNESS}}, 0.0, 0.25 * 2.1 * 0.4},
        {"jiang", {{"shape", 0.2}, {"bed", 1.0}, {"stiffness", STIFFNESS}}, 0.0, 0.4 / 6.0},
    };
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const double above = atan(1.3 * laws[k].c), c = laws[k].c * (laws[k].k > 0.0 ? sqrt(cos(above)) : 1.0);
        const rolled held = roll_down(&laws[k], atan(0.8 * c), 0.0, 0.4), free = roll_down(&laws[k], above, 0.0, 0.4);
        const double expected = 5.0 / 7.0 * G * (sin(above) - c * cos(above)) / R;
        SAY("%s, cap %.4g R N: held at %.2g rad, then rolls with %.6g of the closed form\n", laws[k].law, c, held.angle,
            free.gain / expected);
        assert_true(held.mode == 0.0 && free.mode == 1.0);
        /* at rest: 0.4 s are many times of a critically damped mode */
        ASSERT_BELOW(fabs(held.w), 1e-6);
        ASSERT_BELOW(held.angle, 0.05);
        /* the overlap enters the difference of two torques: 1e-4 c/(.3 c) and its like */
        ASSERT_NEAR(free.gain / expected, 1.0, 1e-3);
    }
}

/* The part f of Ai's dashpot that acts at the cap: above the slope of the cap the ball does not go on gaining speed but ends
 * at w = M g R (sin - c cos)/(f C), C = 2 eta sqrt(I K_R), I = 2/5 M R^2, K_R = K_E R^2. 15 times the time of it,
 * 7/5 M R^2/(f C); within the overlap, 1e-4 of R, over the difference of two torques. */
static void test_dashpot_at_the_cap(void **state) {
    (void)state;
    const double c = 0.1, eta = 0.1, stiffness = 5e4, angle = atan(1.3 * c);
    const double dashpot = 2.0 * eta * sqrt(0.4 * M * R * R * stiffness * R * R);
    for (double f = 1.0; f > 0.2; f *= 0.5) {
        const variant v = {
            .law = "ai",
            .given = {{"coefficient", c}, {"damping", eta}, {"stiffness", stiffness}, {"at_cap", f}},
        };
        const rolled down = roll_down(&v, angle, 0.0, 15.0 * 1.4 * M * R * R / (f * dashpot));
        const double expected = M * G * R * (sin(angle) - c * cos(angle)) / (f * dashpot);
        SAY("ai, f = %g: ends at %.6g of the closed form\n", f, down.w / expected);
        assert_true(down.mode == 1.0);
        ASSERT_NEAR(down.w / expected, 1.0, 1e-3);
    }
}

/* Test force with mu_d < tan(angle) < mu_s: a ball at rest stays, one that rolls goes on rolling, by mu_d. */
static void test_luding_static_and_dynamic(void **state) {
    (void)state;
    const double mu_s = 0.2, mu_d = 0.06, angle = atan(0.11);
    const variant v = {"luding", {{"static", mu_s}, {"kinetic", mu_d}, {"damping", 1.0}}, 0.0, 0.0};
    const rolled rest = roll_down(&v, angle, 0.0, 0.4), moving = roll_down(&v, angle, 1.0, 0.4);
    const double expected = 5.0 / 7.0 * G * (sin(angle) - mu_d * cos(angle)) / R;
    SAY("luding: from rest held at %.2g rad; pushed it rolls with %.6g of the closed form\n", rest.angle,
        moving.gain / expected);
    assert_true(rest.mode == 0.0 && moving.mode == 1.0);
    ASSERT_BELOW(fabs(rest.w), 1e-6);
    ASSERT_BELOW(rest.angle, 0.01);
    ASSERT_NEAR(moving.gain / expected, 1.0, 1e-3); /* the overlap, as above */
}

/* The same as a loop, of all three roles: up to mu_s N, slip at mu_d N, back through both signs. One half of it is
 * c_d (2 m - D) - (c_d - c_s) D/2, D = (c_d + c_s)/k, m the reach. */
static void test_luding_loop(void **state) {
    (void)state;
    static bench t;
    const double k = 5e4, rolling_radius[] = {1.0, 0.01, 0.01}, n = 5.0, mu_s = 0.15, mu_d = 0.1;
    for (int turn = 0; turn < 3; turn++) {
        const rps_role role = (rps_role)(RPS_ROLE_SLIDE + turn);
        const variant v = {"luding", {{"static", mu_s}, {"kinetic", mu_d}, {"stiffness", k}}, 0.0, 0.0};
        rps_world_options options = options_of(1e-5);
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
        use_variant(&pair, role, &v);
        subject s = {.law = pair.law[role], .world = world_of(&options, &pair)};
        s.constant = rps_world_pair_of(s.world, 0, 0)->constant[role];
        bench_rest(&t, 8, 1e-5, n);
        const double stiffness = k * rolling_radius[turn] * rolling_radius[turn];
        const double c_s = mu_s * n * rolling_radius[turn], c_d = mu_d * n * rolling_radius[turn];
        const double d = c_d / stiffness / 1000.0, reach = 4000.0 * d;
        double load0 = 0.0, work = 0.0, dissipated = 0.0, largest = 0.0, last = 0.0;
        for (int i = 0; i < 4000 + 16000; i++) {
            const double step = i < 4000 || i >= 12000 ? d : -d;
            bench_move(&t, role, 0, rps_vec3_make(step, 0.0, 0.0), rps_vec3_zero());
            evaluate(&t, &s, 0);
            rps_vec3 a, b;
            bench_load(&t, role, 0, &a, &b);
            if (i >= 4000) {
                work += 0.5 * (load0 + a.x) * step;
                dissipated += t.lane[LANE_dissipated + turn + RPS_ROLE_SLIDE].x[0];
            }
            load0 = last = a.x;
            largest = fmax(largest, fabs(a.x));
        }
        const double both = (c_d + c_s) / stiffness;
        const double area = 2.0 * (c_d * (2.0 * reach - both) - 0.5 * (c_d - c_s) * both);
        SAY("%s luding: loop is %.6g of the closed form, largest load %.6g of the static cap\n", rps_role_name(role),
            work / area, largest / c_s);
        ASSERT_NEAR(last / c_d, 1.0, 1e-12);
        ASSERT_NEAR(largest / c_s, 1.0, 1e-3); /* a step of the spring: d/(c_s/k) */
        ASSERT_BELOW(largest / c_s, 1.0 + 1e-12);
        ASSERT_NEAR(work, area, 2.0 * c_s * d); /* each jump lies somewhere in a step */
        ASSERT_NEAR(dissipated / work, 1.0, 1e-9);
        subject_release(&s);
    }
}

/* --- a spinning ball ---------------------------------------------------------------------------------------------- */

/* Hertz, E = 1e7 Pa, nu = 0.3: the ball starts in balance. Speeds about z at two times. */
static void spin_on_ground(const variant *v, double w0, double step, const uint64_t steps[2], double w[2]) {
    const double modulus = 1e7 / (2.0 * 0.91), a = cbrt(0.75 * M * G * R / modulus);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.5, "stiffness", 2e3, NULL);
    use_variant(&pair, RPS_ROLE_SPIN, v);
    rps_world_options options = options_of(step);
    options.gravity[2] = -G;
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball =
        add_ball(world, rps_vec3_make(0.0, 0.0, R - a * a / R), R, M, rps_vec3_zero(), rps_vec3_make(0.0, 0.0, w0));
    start(world);
    for (int k = 0; k < 2; k++) {
        advance(world, steps[k]);
        w[k] = turning_of(world, ball).z;
    }
    rps_world_destroy(world);
}

/* Slipping, T = f mu N a slows it at an even rate; sticking, it swings with sqrt(K/I). */
static void test_spin(void **state) {
    (void)state;
    const double modulus = 1e7 / (2.0 * 0.91), shear = 1e7 / 2.6, inertia = 0.4 * M * R * R;
    const double a = cbrt(0.75 * M * G * R / modulus), full = 0.5 * M * G * a;
    const double share[] = {3.0 * RPS_PI / 16.0, 2.0 / 3.0, 0.5};
    const double stiffness[] = {0.5 * 2e3 * a * a, 4.0 * shear / 3.4 * a * a * a, 8.0 / 3.0 * shear * a * a * a};
    const double step = 2e-5;
    for (int k = 0; k < 3; k++) {
        const variant v = {"torsional", {{"cap", k}, {"slope", k}, {"damping", 0.0}}, 0.0, 0.0};
        double w[2];
        spin_on_ground(&v, 10.0, step, (const uint64_t[2]){2500, 5000}, w);
        const double rate = (w[0] - w[1]) / (5000 * step) * inertia / full;
        ASSERT_NEAR(rate / share[k], 1.0, 1e-9); /* constant torque: round-off of 5000 steps, and of the balance */
        const double pitch = sqrt(stiffness[k] / inertia), period = 2.0 * RPS_PI / pitch;
        const double w0 = 0.3 * share[k] * full / stiffness[k] * pitch; /* 0.3 of the angle of the cap */
        const uint64_t quarter = (uint64_t)(2.25 * period / step + 0.5), rest = (uint64_t)(0.5 * period / step + 0.5);
        spin_on_ground(&v, w0, step, (const uint64_t[2]){quarter, rest}, w);
        const double t0 = (double)quarter * step, t1 = (double)(quarter + rest) * step;
        SAY("spin: full slip at %.9g mu N a; sticking, w0 cos is off by %.2g and %.2g w0\n", rate,
            w[0] / w0 - cos(pitch * t0), w[1] / w0 - cos(pitch * t1));
        /* phase error of the integrator, (pitch step)^2/24 of the phase, 17: 1e-6; with its amplitude 1e-5 at most.
         * At these times w crosses 0, where a wrong pitch shows most. */
        ASSERT_NEAR(w[0] / w0, cos(pitch * t0), 1e-5);
        ASSERT_NEAR(w[1] / w0, cos(pitch * t1), 1e-5);
    }
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refuses(rps_role role, const variant *v, bool slide, const char *word) {
    rps_world_options options = options_of(1e-5);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    rps_world *world = world_of(&options, &pair);
    if (slide) use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.5, "stiffness", 2e3, NULL);
    use_variant(&pair, role, v);
    rps_error err = {0};
    assert_true(rps_world_set_pair(world, 0, 0, &pair, &err) == RPS_BAD_INPUT);
    if (!strstr(err.text, word)) fail_msg("\"%s\" does not speak of %s", err.text, word);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        rps_role role;
        bool slide;
        const char *word;
        variant v;
    } cases[] = {
        {RPS_ROLE_ROLL, true, "time", {.law = "viscous"}},
        {RPS_ROLE_ROLL, true, "both", {.law = "viscous", .given = {{"time", 1.0}, {"damper", 1.0}}}},
        {RPS_ROLE_ROLL, true, "eta", {.law = "iwashita_oda"}},
        {RPS_ROLE_ROLL, false, "stiffness", {.law = "iwashita_oda", .given = {{"coefficient", 0.1}}}},
        {RPS_ROLE_ROLL, true, "coefficient", {.law = "ai"}},
        {RPS_ROLE_ROLL, false, "stiffness", {.law = "ai", .given = {{"coefficient", 0.1}}}},
        {RPS_ROLE_ROLL, true, "normal stiffness", {.law = "jiang", .given = {{"shape", 0.1}}}},
        {RPS_ROLE_ROLL, true, "crushing", {.law = "jiang", .given = {{"coefficient", 0.1}, {"crushing", 2.0}}}},
        {RPS_ROLE_ROLL, true, "static", {.law = "luding"}},
        {RPS_ROLE_SPIN, true, "below", {.law = "luding", .given = {{"static", 0.1}, {"kinetic", 0.2}}}},
        {RPS_ROLE_SLIDE, false, "stiffness", {.law = "luding", .given = {{"static", 0.1}}}},
        {RPS_ROLE_SPIN, false, "coefficient", {.law = "torsional", .given = {{"stiffness", 1e3}}}},
        {RPS_ROLE_SPIN, false, "stiffness", {.law = "torsional", .given = {{"coefficient", 0.1}}}},
        {RPS_ROLE_SPIN, true, "slope", {.law = "torsional", .given = {{"slope", 2.0}, {"stiffness", 1e3}}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        refuses(cases[k].role, &cases[k].v, cases[k].slide, cases[k].word);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_viscous),
        cmocka_unit_test(test_springs_hold),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_dashpot_at_the_cap),
        cmocka_unit_test(test_luding_static_and_dynamic),
        cmocka_unit_test(test_luding_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
