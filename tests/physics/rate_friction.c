/*
 * Friction that depends on the rate of slip: `stribeck` and `rate_state`, on springs of given stiffness and of Hertz contacts.
 * Curves and velocity steps against closed forms; a block that slides to rest; a block on a belt and a spring-slider: the
 * rate at which a ripple grows or decays against the linear theory, on both sides of the onset of stick-slip.
 */
#include "../contract/law_bench.h"

typedef struct single {
    bench t;
    rps_world *world;
    const rps_pair_setup *pair;
    double force, work, lost, energy; /* N, J, J, J */
    bool slides;
} single;

static single one;
static const double LOAD = 10.0; /* N */

static rps_pair pair_of_none(void) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    return pair;
}

static single *contact_with(const rps_pair *pair, double dt, double load) {
    if (one.world) rps_world_destroy(one.world);
    memset(&one, 0, sizeof one);
    rps_world_options options = options_of(1e-5);
    rps_material m = rps_material_default();
    m.name = "stuff";
    m.young = 1e9;
    m.poisson = 0.25;
    one.world = world_of_material(&options, pair, m);
    one.pair = rps_world_pair_of(one.world, 0, 0);
    bench_rest(&one.t, 8, dt, load);
    return &one;
}

static void move(single *p, double ds) {
    const double before = p->force;
    bench_move(&p->t, RPS_ROLE_SLIDE, 0, rps_vec3_make(ds, 0.0, 0.0), rps_vec3_zero());
    p->pair->law[RPS_ROLE_SLIDE]->kernel[0](&p->t.b, p->pair->constant[RPS_ROLE_SLIDE]);
    p->force = p->t.lane[LANE_slide_force].x[0];
    p->energy = p->t.lane[LANE_energy + RPS_ROLE_SLIDE].x[0];
    p->lost += p->t.lane[LANE_dissipated + RPS_ROLE_SLIDE].x[0];
    p->slides = p->t.lane[LANE_mode + 2 * RPS_ROLE_SLIDE].x[0] > 0.5;
    p->work += 0.5 * (before + p->force) * ds;
}

/* A mass on a spring and a dashpot, on a surface that moves at `belt`: one step of Verlet. */
typedef struct block {
    double mass, spring, dashpot, belt;
    double x, v;
} block;

static double pushed(const block *b, const single *p) {
    return (-b->spring * b->x - b->dashpot * b->v - p->force) / b->mass;
}

static void step(block *b, single *p, double dt) {
    b->v += 0.5 * dt * pushed(b, p);
    b->x += dt * b->v;
    move(p, dt * (b->v - b->belt));
    b->v = (b->v + 0.5 * dt * (-b->spring * b->x - p->force) / b->mass) / (1.0 + 0.5 * dt * b->dashpot / b->mass);
}

/* --- stribeck ----------------------------------------------------------------------------------------------------- */

static rps_pair stribeck_of(double stiffness, double speed, double viscous) {
    rps_pair pair = pair_of_none();
    use(&pair, RPS_ROLE_SLIDE, "stribeck", "static", 0.5, "kinetic", 0.3, "speed", speed, "viscous", viscous,
        "stiffness", stiffness, NULL);
    return pair;
}

static void test_stribeck_curve(void **state) {
    (void)state;
    static const double v[] = {0.01, 0.05}, mu[] = {0.3735758882, 0.3013475894};
    const double dt = 1e-5;
    for (int k = 0; k < 2; k++) {
        for (int viscous = 0; viscous < 2; viscous++) {
            const rps_pair pair = stribeck_of(1e6, 0.01, viscous ? 0.02 : 0.0);
            single *p = contact_with(&pair, dt, LOAD);
            double peak = 0.0;
            for (int n = 0; n < 1000; n++) {
                move(p, dt * v[k]);
                peak = fmax(peak, p->force);
            }
            ASSERT_NEAR(peak / LOAD, 0.5, 1e-14);
            ASSERT_NEAR(p->force / LOAD, mu[k] + viscous * 0.02 * v[k] / 0.01, 1e-10); /* the digits given */
            ASSERT_NEAR(p->work, p->lost + p->energy, 1e-12 * p->work);
        }
    }
    /* p = 2, and both directions */
    rps_pair pair = stribeck_of(1e6, 0.01, 0.0);
    use(&pair, RPS_ROLE_SLIDE, "stribeck", "static", 0.5, "kinetic", 0.3, "speed", 0.01, "exponent", 1.0, "stiffness",
        1e6, NULL);
    single *p = contact_with(&pair, dt, LOAD);
    for (int n = 0; n < 2000; n++) move(p, dt * (n < 1000 ? 0.02 : -0.02));
    ASSERT_NEAR(p->force / LOAD, -(0.3 + 0.2 * exp(-4.0)), 1e-14);
}

/* A free block of 1 kg at .1 m/s under g: it stops where int v dv/(mu(v) g) says. */
static void test_stribeck_block(void **state) {
    (void)state;
    const double dt = 1e-6, load = 9.81;
    const rps_pair pair = stribeck_of(1e7, 0.01, 0.0);
    single *p = contact_with(&pair, dt, load);
    block b = {.mass = 1.0, .v = 0.1};
    /* as if it had slid before: the spring at its cap */
    move(p, 0.5 * load / 1e7);
    move(p, 1e-12);
    double farthest = 0.0;
    for (int n = 0; n < 100000 && b.v > 0.0; n++) {
        step(&b, p, dt);
        farthest = fmax(farthest, b.x);
    }
    SAY("a block slides %.7g m\n", farthest);
    ASSERT_NEAR(farthest, 1.679258530e-3, 1e-6); /* it ends on a spring of mu N/K = 3e-7 m */
}

/* Steady sliding on a belt: a ripple grows as exp((N |mu'| - c) t/2m), below V = .046052 m/s, and decays above. */
static void test_stribeck_onset(void **state) {
    (void)state;
    const double dt = 1e-5, onset = 0.04605170186, time = 3.0;
    for (int k = 0; k < 2; k++) {
        const double belt = (k ? 1.1 : 0.9) * onset, mu = 0.3 + 0.2 * exp(-belt / 0.01),
                     slope = 20.0 * exp(-belt / 0.01);
        const rps_pair pair = stribeck_of(1e6, 0.01, 0.0);
        single *p = contact_with(&pair, dt, LOAD);
        block b = {.mass = 1.0, .spring = 100.0, .dashpot = 2.0, .belt = belt, .x = mu * LOAD / 100.0 + 1e-6};
        for (int n = 0; n < 100; n++) move(p, -dt * belt); /* onto the sliding branch */
        const double rest = mu * LOAD / 100.0, first = hypot(b.v, 10.0 * (b.x - rest));
        for (int n = 0; n < (int)(time / dt + 0.5); n++) step(&b, p, dt);
        const double rate = log(hypot(b.v, 10.0 * (b.x - rest)) / first) / time, expected = 0.5 * (LOAD * slope - 2.0);
        SAY("belt at %.1f of the onset: ripple grows by %.4f/s, linear theory %.4f\n", belt / onset, rate, expected);
        /* the amplitude from one phase: damping of .05 of critical moves it by that over 3 s */
        ASSERT_NEAR(rate, expected, 0.03);
        assert_true((rate > 0.0) == (k == 0));
    }
}

/* Static and kinetic friction alone, at a slow belt: slips of 2 (mu_s - mu_k) N/k in pi sqrt(m/k). */
static void test_stick_slip(void **state) {
    (void)state;
    const double dt = 1e-5, belt = 1e-4, contact = 1e6;
    const rps_pair pair = stribeck_of(contact, 1e-4, 0.0);
    single *p = contact_with(&pair, dt, LOAD);
    block b = {.mass = 1.0, .spring = 100.0, .belt = belt, .x = 0.0499, .v = belt};
    move(p, -b.spring * b.x / contact);
    double top = 0.0, began = 0.0, ended = 0.0;
    for (int n = 0; n < 400000 && ended == 0.0; n++) {
        step(&b, p, dt);
        if (began == 0.0 && b.v < -10.0 * belt) began = n * dt;
        if (began == 0.0) top = b.x;
        if (began > 0.0 && b.v > 0.0) ended = n * dt;
    }
    SAY("stick-slip: slips %.5f m in %.5f s\n", top - b.x, ended - began);
    ASSERT_NEAR(top - b.x, 0.04, 4e-4); /* the belt and v_s, 1e-4 of .2 m/s */
    /* the fall of friction over v_s delays the onset: some v_s m/((mu_s - mu_k) N) ln 10 */
    ASSERT_NEAR(ended - began, 0.314159, 0.01);
}

/* --- rate and state ----------------------------------------------------------------------------------------------- */

static rps_pair rate_state_of(double stiffness, int slip_form) {
    rps_pair pair = pair_of_none();
    use(&pair, RPS_ROLE_SLIDE, "rate_state", "friction", 0.6, "direct", 0.01, "evolution", 0.015, "distance", 1e-5,
        "speed", 1e-6, "stiffness", stiffness, "state", (double)slip_form, NULL);
    return pair;
}

/* Slip at v_0, then at 10 v_0: a ln 10 at once, then the state evolves over D_c. */
static void test_velocity_step(void **state) {
    (void)state;
    static const double after[2][2] = {{0.6104043271, 0.5893701836}, {0.6011931803, 0.5887197950}};
    for (int slip_form = 0; slip_form < 2; slip_form++) {
        const double dt = 1e-3; /* s: 1e-4 of D_c a step at 1e-6 m/s, 1e-3 at 1e-5 */
        const rps_pair pair = rate_state_of(1e10, slip_form);
        single *p = contact_with(&pair, dt, LOAD);
        for (int n = 0; n < 300000; n++) move(p, dt * 1e-6); /* 30 D_c */
        ASSERT_NEAR(p->force / LOAD, 0.6, 1e-9);
        double peak = 0.0;
        for (int n = 1; n <= 30000; n++) {
            move(p, dt * 1e-5);
            peak = fmax(peak, p->force / LOAD);
            /* b times a step of D_c/1000 (the state lags by one), and of N/K */
            if (n == 1000) ASSERT_NEAR(p->force / LOAD, after[slip_form][0], 2e-5);
            if (n == 5000) ASSERT_NEAR(p->force / LOAD, after[slip_form][1], 2e-5);
        }
        ASSERT_NEAR(peak, 0.6 + 0.01 * log(10.0), 5e-5);
        ASSERT_NEAR(p->force / LOAD, 0.6 - 0.005 * log(10.0), 1e-9);
        ASSERT_NEAR(p->work, p->lost + p->energy, 1e-12 * p->work);
    }
}

/* At rest without a force the state of the aging form grows by the time, and the strength by b ln t; that of the slip form
 * does not. */
static void test_healing(void **state) {
    (void)state;
    for (int slip_form = 0; slip_form < 2; slip_form++) {
        const double dt = 1e-3;
        const rps_pair pair = rate_state_of(1e10, slip_form);
        single *p = contact_with(&pair, dt, LOAD);
        for (int n = 0; n < 1000; n++) move(p, 0.0);
        const double theta = p->t.lane[LANE_memory + 6].x[0];
        ASSERT_NEAR(theta, slip_form ? 10.0 : 11.0, 1e-9);
    }
}

/* The root of the linear theory of a slider on a spring k, at a steady speed V, near the critical stiffness:
 * m s^2 + N a s/V + k - N b/D_c s/(s + V/D_c) = 0. By Newton in the complex plane, from i sqrt((b - a)/a) V/D_c. */
static void slider_root(double k, double mass, double speed, double *growth, double *turn) {
    const double a = 0.01, b = 0.015, distance = 1e-5, r = speed / distance;
    double x = 0.0, y = r * sqrt((b - a) / a);
    for (int n = 0; n < 100; n++) {
        const double ax = x + r, size = ax * ax + y * y;
        const double qx = (x * ax + y * y) / size, qy = (y * ax - x * y) / size; /* s/(s + r) */
        const double fx = mass * (x * x - y * y) + LOAD * a / speed * x + k - LOAD * b / distance * qx;
        const double fy = 2.0 * mass * x * y + LOAD * a / speed * y - LOAD * b / distance * qy;
        const double ix = (ax * ax - y * y) / (size * size), iy = -2.0 * ax * y / (size * size); /* 1/(s + r)^2 */
        const double dx = 2.0 * mass * x + LOAD * a / speed - LOAD * b / distance * r * ix;
        const double dy = 2.0 * mass * y - LOAD * b / distance * r * iy;
        const double d2 = dx * dx + dy * dy;
        x -= (fx * dx + fy * dy) / d2;
        y -= (fy * dx - fx * dy) / d2;
    }
    *growth = x;
    *turn = y;
}

/* A slider of 1 g pulled at 1 mm/s through a spring: a ripple grows at .9 of the critical stiffness and decays at 1.1 of it, at
 * the rate of the linear theory; the contact's own spring is in series. The ledger closes. */
static void test_spring_slider(void **state) {
    (void)state;
    const double dt = 5e-6, speed = 1e-3, mass = 1e-3, contact = 1e6;
    const double critical = LOAD * 0.005 / 1e-5 * (1.0 + mass * speed * speed / (0.01 * LOAD * 1e-5));
    for (int k = 0; k < 4; k++) {
        const double whole = (k % 2 ? 1.1 : 0.9) * critical, load_spring = 1.0 / (1.0 / whole - 1.0 / contact);
        const rps_pair pair = rate_state_of(contact, k / 2);
        single *p = contact_with(&pair, dt, LOAD);
        for (int n = 0; n < 100000; n++) move(p, -dt * speed); /* to steady slip */
        block b = {.mass = mass, .spring = load_spring, .belt = speed, .x = -p->force / load_spring};
        b.x *= 1.0 + 1e-6;
        const double rest = -p->force / load_spring;
        enum { CRESTS = 9 };
        double growth, turn, crest[CRESTS], when[CRESTS], last = 0.0, before = 0.0;
        int crests = 0;
        slider_root(whole, mass, speed, &growth, &turn);
        for (int n = 0; n < 400000 && crests < CRESTS; n++) {
            step(&b, p, dt);
            const double off = b.x - rest;
            if (n > 3 && last > before && last >= off) {
                crest[crests] = last;
                when[crests++] = n * dt;
            }
            before = last;
            last = off;
        }
        assert_int_equal(crests, CRESTS);
        const double measured = log(crest[CRESTS - 1] / crest[1]) / (when[CRESTS - 1] - when[1]);
        SAY("%s, %.1f of the critical stiffness: ripple grows by %.4f/s, linear theory %.4f\n",
            k / 2 ? "slip" : "aging", whole / critical, measured, growth);
        assert_true((growth > 0.0) == (k % 2 == 0));
        /* the state lags by a step, V dt/D_c = 5e-4, of a rate that is the difference of terms as large as `turn`; and the
         * first crests hold a rest of the root that decays */
        ASSERT_NEAR(measured, growth, 3e-4 * turn);
        ASSERT_NEAR(p->work, p->lost + p->energy, 1e-11 * fabs(p->work));
    }
}

/* --- springs, refusals -------------------------------------------------------------------------------------------- */

static rps_pair hertz_with(const char *law) {
    rps_pair pair = pair_of_none();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    if (strcmp(law, "stribeck") == 0) {
        use(&pair, RPS_ROLE_SLIDE, law, "static", 0.5, "kinetic", 0.3, "speed", 0.01, NULL);
    } else {
        use(&pair, RPS_ROLE_SLIDE, law, "friction", 0.6, "direct", 0.01, "evolution", 0.015, "distance", 1e-5, "speed",
            1e-6, NULL);
    }
    return pair;
}

/* Without a stiffness the spring is 8 G* a, and the force falls with it. */
static void test_hertz_springs(void **state) {
    (void)state;
    static const char *const law[] = {"stribeck", "rate_state"};
    for (int k = 0; k < 2; k++) {
        const rps_pair pair = hertz_with(law[k]);
        single *p = contact_with(&pair, 1e-9, LOAD);
        const double a = 1e-3, shear = 1e9 / 2.5 / 2.0 / 1.75, stiffness = 8.0 * shear * a; /* G/(2 (2 - nu)) */
        move(p, 0.0);
        move(p, 1e-9);
        ASSERT_NEAR(p->force, stiffness * 1e-9, 1e-12 * p->force);
        const double force = p->force;
        bench_fill(&p->t, LANE_contact_radius, 2.0 * a);
        move(p, 0.0);
        ASSERT_NEAR(p->force, force, 1e-12 * force);
        bench_fill(&p->t, LANE_contact_radius, 0.5 * a);
        move(p, 0.0);
        ASSERT_NEAR(p->force, 0.25 * force, 1e-12 * force);
        ASSERT_ABOVE(p->lost, 0.0);
    }
}

static void test_refusals(void **state) {
    (void)state;
    rps_pair pair = stribeck_of(1e6, 0.01, 0.0);
    contact_with(&pair, 1e-5, LOAD);
    use(&pair, RPS_ROLE_SLIDE, "stribeck", "static", 0.3, "kinetic", 0.5, "speed", 0.01, "stiffness", 1e6, NULL);
    assert_pair_refused(one.world, &pair, "raise static or lower kinetic");
    use(&pair, RPS_ROLE_SLIDE, "stribeck", "static", 0.3, "kinetic", 0.2, "stiffness", 1e6, NULL);
    assert_pair_refused(one.world, &pair, "no `speed`");
    use(&pair, RPS_ROLE_SLIDE, "stribeck", "static", 0.3, "kinetic", 0.2, "speed", 0.0, "stiffness", 1e6, NULL);
    assert_pair_refused(one.world, &pair, "speed");
    use(&pair, RPS_ROLE_SLIDE, "stribeck", "static", 0.3, "kinetic", 0.2, "speed", 0.1, "stiffness", 1e6,
        "effective_shear", 1e6, NULL);
    assert_pair_refused(one.world, &pair, "leave one out");
    pair = rate_state_of(1e6, 0);
    use(&pair, RPS_ROLE_SLIDE, "rate_state", "friction", 0.6, "direct", 0.0, "evolution", 0.015, "distance", 1e-5,
        "speed", 1e-6, "stiffness", 1e6, NULL);
    assert_pair_refused(one.world, &pair, "direct");
    use(&pair, RPS_ROLE_SLIDE, "rate_state", "friction", 0.6, "direct", 0.01, "evolution", 0.015, "speed", 1e-6,
        "stiffness", 1e6, NULL);
    assert_pair_refused(one.world, &pair, "no `distance`");
    use(&pair, RPS_ROLE_NORMAL, "imposed", NULL);
    use(&pair, RPS_ROLE_SLIDE, "rate_state", "friction", 0.6, "direct", 0.01, "evolution", 0.015, "distance", 1e-5,
        "speed", 1e-6, NULL);
    assert_pair_refused(one.world, &pair, "no `stiffness`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stribeck_curve), cmocka_unit_test(test_stribeck_block),
        cmocka_unit_test(test_stribeck_onset), cmocka_unit_test(test_stick_slip),
        cmocka_unit_test(test_velocity_step),  cmocka_unit_test(test_healing),
        cmocka_unit_test(test_spring_slider),  cmocka_unit_test(test_hertz_springs),
        cmocka_unit_test(test_refusals),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (one.world) rps_world_destroy(one.world);
    return failed;
}
