/*
 * The nonsmooth stepper against closed forms: rolling, sliding, spinning and sticking under constant loads, where implicit
 * velocities are exact at any step; what the true law leaves at contact and the convex one lifts; impact, momentum, ledger.
 *
 * Tolerances: the problems are solved to TIGHT, velocities are then good to about TIGHT times their size a step, and a few
 * thousand steps add up to no more than LOOSE.
 */
#include "worlds.h"

static const double TIGHT = 1e-13, LOOSE = 1e-8;
static const double G = 9.8;

static rps_world_options nonsmooth_options(double step) {
    rps_world_options options = options_of(step);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = TIGHT;
    options.nonsmooth.rigid = true;
    options.gravity[2] = -G;
    options.guards.motion = 2.0;
    options.guards.rotation = 1.0;
    return options;
}

static rps_pair length_pair(double mu, double rho, double sigma) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu, "kinetic", mu, "stiffness", 1e6, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "length", rho, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "length", sigma, NULL);
    return pair;
}

static rps_solver_report solver_of(const rps_world *world) {
    rps_solver_report report;
    rps_world_solver(world, &report);
    return report;
}

/* The disk of Tasora & Anitescu 2013, section 6.1, as a sphere: R = 1 m, M = 10 kg, J = 4 kg m^2. */
static uint64_t add_disk(rps_world *world, double v, double w) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.radius = 1.0;
    def.mass = 10.0;
    def.inertia[0] = 4.0;
    def.position[2] = 1.0;
    def.velocity[0] = v;
    def.angular_velocity[1] = w;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static void test_rolling_disk(void **state) {
    (void)state;
    static const double steps[] = {1e-3, 5e-3, 2e-2};
    for (size_t k = 0; k < 3; k++) {
        const double h = steps[k];
        rps_world_options options = nonsmooth_options(h);
        rps_pair pair = length_pair(0.9, 0.02, 0.0);
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        const uint64_t disk = add_disk(world, 1.0, 1.0);
        start(world);
        double stop = 0.0, worst = 0.0, jitter = 0.0, gap = 0.0;
        const uint64_t until = (uint64_t)(9.0 / h + 0.5);
        for (uint64_t n = 1; n <= until; n++) {
            advance(world, 1);
            const double t = rps_world_time(world), v = velocity_of(world, disk).x, exact = 1.0 - 0.14 * t;
            if (exact > 0.0) worst = fmax(worst, fabs(v - exact));
            if (exact > 0.0) assert_true(contact_of(world, 0, disk, NULL).roll_mode[0] > 0.5);
            if (exact < -0.14 * h) jitter = fmax(jitter, fabs(v));
            if (v > LOOSE) stop = t;
            gap = fmax(gap, fabs(position_of(world, disk).z - 1.0));
        }
        const double x = position_of(world, disk).x;
        SAY("step %g s: velocity within %.1e m/s of 1 - 0.14 t, at rest from %.6f s, x %.9f m, later speed below %.1e, "
            "gap %.1e m\n",
            h, worst, stop + h, x, jitter, gap);
        ASSERT_BELOW(worst, LOOSE);
        ASSERT_NEAR(stop + h, 1.0 / 0.14, h); /* the step in which it stops */
        /* x = h sum v_k; the last step, in which it stops, adds less than 0.14 h^2 */
        ASSERT_NEAR(x, 1.0 / 0.28 - 0.5 * h, 0.14 * h * h + LOOSE);
        ASSERT_BELOW(jitter, 1e-11);
        ASSERT_BELOW(gap, 1e-9);
        assert_true(contact_of(world, 0, disk, NULL).roll_mode[0] < 0.5);
        assert_int_equal(solver_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

static void test_slipping_start(void **state) {
    (void)state;
    const double mu = 0.3, rho = 0.02, h = 1e-4;
    const double t1 = 1.0 / (G * (mu + (mu - rho) * 10.0 / 4.0)), v1 = 1.0 - mu * G * t1;
    ASSERT_NEAR(t1, 0.102041, 1e-6);
    rps_world_options options = nonsmooth_options(h);
    rps_pair pair = length_pair(mu, rho, 0.0);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t disk = add_disk(world, 1.0, 0.0);
    start(world);
    advance(world, 1000); /* 0.1 s: slides */
    ASSERT_NEAR(velocity_of(world, disk).x, 1.0 - mu * G * 0.1, LOOSE);
    assert_true(contact_of(world, 0, disk, NULL).slide_mode[0] > 0.5);
    double rolls = 0.0;
    while (rolls == 0.0) {
        advance(world, 1);
        if (contact_of(world, 0, disk, NULL).slide_mode[0] < 0.5) rolls = rps_world_time(world);
    }
    ASSERT_NEAR(rolls, t1, 1.001 * h);
    ASSERT_NEAR(velocity_of(world, disk).x, v1, mu * G * h);
    advance(world, 10000);
    ASSERT_NEAR(velocity_of(world, disk).x, v1 - 0.14 * (rps_world_time(world) - t1), 2.0 * mu * G * h);
    rps_world_destroy(world);
}

/* A sphere, k = 0.4, on a plane of this slope, as gravity turned: acceleration along it. */
static double incline(double degrees, double mu, double rho, double *rolling) {
    const double slope = degrees * RPS_PI / 180.0, h = 5e-3;
    rps_world_options options = nonsmooth_options(h);
    options.gravity[0] = G * rps_sin(slope);
    options.gravity[2] = -G * rps_cos(slope);
    rps_pair pair = length_pair(mu, rho, 0.0);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, 1.0), 1.0, 3.0, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    advance(world, 100);
    const double a = velocity_of(world, ball).x / rps_world_time(world);
    *rolling = turning_of(world, ball).y / rps_world_time(world);
    rps_world_destroy(world);
    return a;
}

static void test_incline(void **state) {
    (void)state;
    /* closed forms of physics: rest iff tan th <= min(rho/R, mu); rolls; slips */
    static const double angle[] = {1.0, 1.2, 5.0, 20.0, 44.0, 47.0, 60.0};
    static const double expected[] = {0.0, 0.006628, 0.470623, 2.262584, 4.761901, 5.162191, 7.017049};
    const double mu = 0.3, rho = 0.02, k = 0.4;
    for (size_t n = 0; n < 7; n++) {
        const double slope = angle[n] * RPS_PI / 180.0, s = rps_sin(slope), c = rps_cos(slope);
        const bool slips = (k * s / c + rho) / (1.0 + k) > mu, rests = s / c <= rho;
        const double exact = rests ? 0.0 : slips ? G * (s - mu * c) : G * (s - rho * c) / (1.0 + k);
        const double turns = rests ? 0.0 : slips ? (mu - rho) * G * c / k : exact;
        double rolling;
        const double a = incline(angle[n], mu, rho, &rolling);
        SAY("%4.1f deg: %.9f m/s^2, closed form %.9f\n", angle[n], a, exact);
        ASSERT_NEAR(exact, expected[n], 6e-7);
        ASSERT_NEAR(a, exact, LOOSE);
        ASSERT_NEAR(rolling, turns, LOOSE);
    }
}

static void test_spinning_sphere(void **state) {
    (void)state;
    const double sigma = 0.003, h = 5e-3, m = 2.0, r = 0.1, inertia = 0.4 * m * r * r;
    rps_world_options options = nonsmooth_options(h);
    rps_pair pair = length_pair(0.5, 0.0, sigma);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball =
        add_ball(world, rps_vec3_make(0.0, 0.0, r), r, m, rps_vec3_zero(), rps_vec3_make(0.0, 0.0, 20.0));
    start(world);
    advance(world, 100);
    ASSERT_NEAR(turning_of(world, ball).z, 20.0 - sigma * m * G / inertia * 0.5, LOOSE);
    ASSERT_NEAR(contact_of(world, 0, ball, NULL).spin_torque[0], sigma * m * G, LOOSE);
    advance(world, 1000);
    ASSERT_BELOW(rps_vec3_norm(turning_of(world, ball)), 1e-10);
    rps_world_destroy(world);
}

/* A block held by friction below its threshold does not creep, at any step, stiff or not, however loosely solved. */
static void test_sticking_block(void **state) {
    (void)state;
    static const double steps[] = {1e-4, 1e-3, 1e-2};
    for (size_t k = 0; k < 12; k++) {
        const double h = steps[k % 3], slope = 0.25;
        rps_world_options options = nonsmooth_options(h);
        options.nonsmooth.rigid = k % 2 == 0;
        options.nonsmooth.tolerance = k < 6 ? TIGHT : 1e-4;
        options.gravity[0] = G * rps_sin(slope);
        options.gravity[2] = -G * rps_cos(slope);
        rps_pair pair = length_pair(0.6, 0.0, 0.0); /* holds the overshoot of the spring, twice the weight's part */
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        rps_body_def def = rps_body_def_default();
        uint64_t block;
        def.radius = 0.1;
        def.mass = 5.0;
        def.locked = true;
        def.position[2] = 0.1 - (options.nonsmooth.rigid ? 0.0 : 5.0 * G * rps_cos(slope) / 1e6);
        MUST(rps_world_add_body(world, &def, &block, ERR));
        start(world);
        const uint64_t second = (uint64_t)(1.0 / h + 0.5);
        advance(world, second);
        const double x1 = position_of(world, block).x;
        advance(world, second);
        const double x2 = position_of(world, block).x;
        SAY("step %g s, %s, tolerance %.0e: moved %.2e m in the first second, %.2e m in the next\n", h,
            options.nonsmooth.rigid ? "rigid" : "springs", options.nonsmooth.tolerance, x1, x2 - x1);
        /* springs: it hangs in its friction spring, m g sin/K_E; what the solver leaves is of the order of its tolerance
         * times h g in velocity */
        const double hangs = options.nonsmooth.rigid ? 0.0 : 5.0 * G * rps_sin(slope) / 1e6;
        ASSERT_NEAR(x1, hangs, LOOSE + 2.0 * options.nonsmooth.tolerance * h * G);
        /* the swing of the spring decays as exp(-K_E h t/(2 m)): by exp(-10) at the smallest step */
        ASSERT_BELOW(fabs(x2 - x1),
                     1e-10 + exp(-1e6 * h / 10.0) * hangs + (options.nonsmooth.tolerance > TIGHT ? 0.01 * hangs : 0.0));
        rps_world_destroy(world);
    }
}

/* A ball rolls between a fixed plate and a driven one that press it with N: the driven one feels (rho/R) N. */
static void test_ball_between_plates(void **state) {
    (void)state;
    const double k = 1e6, r = 0.05, overlap = 1e-4, rho = 4e-4, speed = 0.3, h = 1e-3;
    for (int cone = 0; cone < 2; cone++) {
        rps_world_options options = nonsmooth_options(h);
        options.nonsmooth.rigid = false;
        options.nonsmooth.cone = cone ? RPS_FRICTION_CONVEX : RPS_FRICTION_COULOMB;
        options.gravity[2] = 0.0;
        rps_pair pair = length_pair(0.5, rho, 0.0);
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        rps_body_def def = rps_body_def_default();
        uint64_t plate;
        def.shape = "plane";
        def.kind = RPS_BODY_DRIVEN;
        def.drive.velocity[0] = speed;
        def.drive.until = -1.0;
        to_array(def.normal, rps_vec3_make(0.0, 0.0, -1.0));
        def.position[2] = 2.0 * (r - overlap);
        MUST(rps_world_add_body(world, &def, &plate, ERR));
        const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, r - overlap), r, 0.5,
                                       rps_vec3_make(0.5 * speed, 0.0, 0.0), rps_vec3_make(0.0, 0.5 * speed / r, 0.0));
        start(world);
        advance(world, 2000);
        double force[3], torque[3];
        MUST(rps_world_body_load(world, plate, force, torque, ERR));
        const double n = k * overlap, arm = r - 0.5 * overlap, w = turning_of(world, ball).y;
        SAY("%s: drag %.6f N, (rho/R) N %.6f N; normal %.6f N\n", cone ? "convex" : "coulomb", -force[0], rho / arm * n,
            force[2]);
        if (cone) { /* each contact is lifted by h rho w, against the springs: the false force of the relaxation */
            ASSERT_NEAR(force[2], n + k * h * rho * w, 1e-4 * k * h * rho * w);
        } else {
            ASSERT_NEAR(force[2], n, 1e-6 * n);
            ASSERT_NEAR(-force[0], rho / arm * n, 1e-6 * n);
        }
        rps_world_destroy(world);
    }
}

/* At steady motion the convex law floats a contact at h (mu |u_t| + rho |w_t|), Coulomb's not. */
static void test_gap(void **state) {
    (void)state;
    const double h = 5e-3, mu = 0.3, rho = 0.02;
    for (int cone = 0; cone < 2; cone++) {
        for (int slides = 0; slides < 2; slides++) {
            rps_world_options options = nonsmooth_options(h);
            options.nonsmooth.cone = cone ? RPS_FRICTION_CONVEX : RPS_FRICTION_COULOMB;
            rps_pair pair = length_pair(mu, rho, 0.0);
            rps_world *world = world_of(&options, &pair);
            add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
            rps_body_def def = rps_body_def_default();
            uint64_t body;
            def.radius = 1.0;
            def.mass = 10.0;
            def.locked = slides;
            def.position[2] = 1.0;
            def.velocity[0] = 1.0;
            def.angular_velocity[1] = slides ? 0.0 : 1.0;
            MUST(rps_world_add_body(world, &def, &body, ERR));
            start(world);
            advance(world, 40);
            const double v = velocity_of(world, body).x, w = turning_of(world, body).y;
            const double gap = position_of(world, body).z - 1.0;
            const double formula = cone ? h * (mu * fabs(v - w) + rho * fabs(w)) : 0.0;
            SAY("%s, %s: gap %.9e m, formula %.9e m\n", cone ? "convex" : "coulomb", slides ? "slides" : "rolls", gap,
                formula);
            /* the convex gap sinks as the body slows: the velocity is that of this step, to the order of h a */
            ASSERT_NEAR(gap, formula, cone ? 1e-9 + h * h * h * G : 1e-9);
            rps_world_destroy(world);
        }
    }
}

/* --- impact, momentum, ledger --------------------------------------------------------------------------------------- */

static void test_restitution(void **state) {
    (void)state;
    static const double e[] = {0.5, 0.9, 0.0, 0.5, 0.9}; /* the last two with springs, which always rebound */
    for (size_t k = 0; k < 5; k++) {
        rps_world_options options = nonsmooth_options(1e-3);
        options.gravity[2] = 0.0;
        options.nonsmooth.rigid = k < 3;
        rps_pair pair = length_pair(0.3, 0.0, 0.0);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", e[k], NULL);
        rps_world *world = world_of(&options, &pair);
        const uint64_t a =
            add_ball(world, rps_vec3_make(-0.3, 0.0, 0.0), 0.1, 1.0, rps_vec3_make(1.0, 0.0, 0.0), rps_vec3_zero());
        const uint64_t b =
            add_ball(world, rps_vec3_make(0.3, 0.0, 0.0), 0.1, 3.0, rps_vec3_make(-1.0, 0.0, 0.0), rps_vec3_zero());
        start(world);
        advance(world, 400);
        const double apart = velocity_of(world, b).x - velocity_of(world, a).x;
        ASSERT_NEAR(apart, 2.0 * e[k], 1e-10);
        ASSERT_NEAR(velocity_of(world, a).x + 3.0 * velocity_of(world, b).x, -2.0, 1e-12);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(ledger.dissipated[RPS_ROLE_DAMPING], 0.5 * 0.75 * 4.0 * (1.0 - e[k] * e[k]), 1e-10);
        ASSERT_BELOW(fabs(ledger.residual), 1e-12);
        rps_world_destroy(world);
    }
}

/* An oblique impact of a rigid body that slides: rebound e, friction mu (1 + e) of the normal velocity, wherever the gap lies
 * between two steps; also where the step before the impact ends with a touch. */
static void test_oblique_impact(void **state) {
    (void)state;
    const double h = 1e-3, e = 0.8, mu = 0.2, down = 1.0, along = 2.0;
    for (int k = 0; k < 20; k++) {
        const double gap = h * (0.1 * k) * down;
        rps_world_options options = nonsmooth_options(h);
        rps_pair pair = length_pair(mu, 0.0, 0.0);
        use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", e, NULL);
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, 0.1 + gap), 0.1, 1.0,
                                       rps_vec3_make(along, 0.0, -down), rps_vec3_zero());
        start(world);
        advance(world, 10);
        const rps_vec3 v = velocity_of(world, ball);
        /* gravity adds at most 10 g h to the flight, and a few g h to the impulse */
        ASSERT_NEAR(v.z, e * down, 11.0 * G * h);
        ASSERT_NEAR(v.x, along - mu * (1.0 + e) * down, mu * 5.0 * G * h);
        rps_world_destroy(world);
    }
}

/* A body that cannot turn meets the ground with so much friction that nothing slides: it stops along it in one step, and the
 * normal impulse is all there at once. The cone is so steep that the natural map alone would be content with none. */
static void test_steep_friction(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        rps_world_options options = nonsmooth_options(1e-3);
        options.nonsmooth.tolerance = 1e-8;
        rps_pair pair = length_pair(1e6, 0.0, 0.0);
        if (k == 1) use(&pair, RPS_ROLE_ROLL, "tracked", "length", 1e3, NULL);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        rps_body_def def = rps_body_def_default();
        uint64_t body;
        def.position[2] = 0.1;
        def.velocity[0] = 1.0;
        def.velocity[2] = -1.0;
        def.radius = 0.1;
        def.mass = 2.0;
        def.locked = true;
        MUST(rps_world_add_body(world, &def, &body, ERR));
        start(world);
        advance(world, 1);
        const rps_vec3 v = velocity_of(world, body);
        assert_int_equal(solver_of(world).missed, 0);
        ASSERT_NEAR(v.x, 0.0, 1e-7);
        ASSERT_NEAR(v.z, 0.5, 1e-7);
        rps_world_destroy(world);
    }
}

static rps_world *crowd(const rps_world_options *options, rps_pair *pair) {
    rps_world *world = world_of(options, pair);
    for (uint64_t n = 0; n < 40; n++) { /* a loose cluster flying into itself */
        const rps_vec3 x = rps_vec3_scale(random_direction(3, n), 0.1 + 0.02 * (double)n);
        const rps_vec3 v = rps_vec3_add_scaled(rps_vec3_scale(random_vec(4, n), 0.3), -2.0, x);
        add_ball(world, x, 0.04 + 0.02 * uniform(6, n, 0.0, 1.0), 1.0 + uniform(5, n, 0.0, 1.0), v,
                 rps_vec3_scale(random_vec(7, n), 5.0));
    }
    return world;
}

static void momenta(const rps_world *world, rps_vec3 *linear, rps_vec3 *angular) {
    *linear = *angular = rps_vec3_zero();
    for (uint64_t n = 0; n < rps_world_body_count(world); n++) {
        const double m = *field_of(world, "mass", n), inertia = *field_of(world, "inertia", n);
        const rps_vec3 p = rps_vec3_scale(velocity_of(world, n), m);
        *linear = rps_vec3_add(*linear, p);
        *angular = rps_vec3_add(*angular, rps_vec3_cross(position_of(world, n), p));
        *angular = rps_vec3_add_scaled(*angular, inertia, turning_of(world, n));
    }
}

static void test_momentum(void **state) {
    (void)state;
    rps_world_options options = nonsmooth_options(2e-3);
    options.gravity[2] = 0.0;
    options.nonsmooth.tolerance = 1e-4; /* loosely solved: it must hold all the same */
    options.guards.action[RPS_GUARD_OVERLAP] = RPS_GUARD_OFF;
    rps_pair pair = length_pair(0.5, 0.005, 0.002);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.1, NULL);
    rps_world *world = crowd(&options, &pair);
    rps_vec3 p0, l0, p1, l1;
    start(world);
    momenta(world, &p0, &l0);
    uint64_t most = 0;
    double work = 0.0;
    for (int n = 0; n < 300; n++) {
        advance(world, 1);
        const rps_solver_report report = solver_of(world);
        most = report.rows > most ? report.rows : most;
        work = fmax(work, report.momentum);
    }
    momenta(world, &p1, &l1);
    const rps_ledger ledger = ledger_of(world);
    SAY("up to %d contacts: momentum changed by %.1e, angular momentum by %.1e kg m^2/s; the solver's own velocities "
        "were "
        "%.1e off; ledger residual %.1e of %.3g J\n",
        (int)most, rps_vec3_norm(rps_vec3_sub(p1, p0)), rps_vec3_norm(rps_vec3_sub(l1, l0)), work, ledger.residual,
        ledger.start);
    assert_true(most > 20);
    /* rounding of some thousand contacts' impulses below 10 kg m/s; positions move between steps: x x p to h v x p = 0 */
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(p1, p0)), 1e-12);
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(l1, l0)), 1e-12);
    ASSERT_BELOW(work, 1e-10);
    ASSERT_BELOW(fabs(ledger.residual), 1e-11); /* without gravity nothing is of first order */
    assert_true(dissipated_of(&ledger) > 0.0);
    rps_world_destroy(world);
}

/* The ledger lacks gravity's m g (x_1 - x_0 - h v_mean) alone: of first order in the step. */
static void test_ledger_order(void **state) {
    (void)state;
    double residual[2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-3 : 2e-3;
        rps_world_options options = nonsmooth_options(h);
        options.nonsmooth.rigid = false;
        rps_pair pair = length_pair(0.4, 0.004, 0.002);
        use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.1, NULL);
        use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.1, NULL);
        use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.1, NULL);
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.3, 0.0, 1.0));
        add_ball(world, rps_vec3_scale(rps_vec3_normalize(rps_vec3_make(0.3, 0.0, 1.0)), 0.1), 0.1, 1.0,
                 rps_vec3_make(0.5, 0.2, 0.0), rps_vec3_make(1.0, 2.0, 9.0));
        start(world);
        advance(world, (uint64_t)(0.5 / h + 0.5));
        const rps_ledger ledger = ledger_of(world);
        residual[k] = ledger.residual;
        for (int role = RPS_ROLE_DAMPING; role < RPS_ROLE_COUNT; role++) ASSERT_ABOVE(ledger.dissipated[role], 0.0);
        rps_world_destroy(world);
    }
    SAY("residual %.3e J, at half the step %.3e J\n", residual[0], residual[1]);
    ASSERT_NEAR(residual[0] / residual[1], 2.0, 0.1);
}

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void refused(rps_pair *pair, bool nonsmooth, const char *words) {
    rps_world_options options = nonsmooth_options(1e-3);
    if (!nonsmooth) options.stepper = RPS_PENALTY;
    rps_world *world = NULL;
    rps_material material = rps_material_default();
    material.name = "stuff";
    MUST(rps_world_create(&options, &world, ERR));
    MUST(rps_world_add_material(world, &material, NULL, ERR));
    assert_pair_refused(world, pair, words);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_pair pair = length_pair(0.3, 0.02, 0.0);
    refused(&pair, false, "`length` is taken by the nonsmooth stepper only");
    pair = length_pair(0.3, -0.02, 0.0);
    refused(&pair, true, "length is -0.02 m");
    pair = length_pair(-0.3, 0.02, 0.0);
    refused(&pair, true, "static is -0.3");
    pair = length_pair(0.3, 0.02, 0.0);
    use(&pair, RPS_ROLE_ROLL, "tracked", "length", 0.02, "eta", 0.1, NULL);
    refused(&pair, true, "both `eta` and `length`");
    use(&pair, RPS_ROLE_ROLL, "tracked", "length", 0.02, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "length", 0.02, "eta", 0.1, NULL);
    refused(&pair, true, "both `eta` and `length`");
    use(&pair, RPS_ROLE_SPIN, "tracked", "angle_static", 0.2, "angle_kinetic", 0.1, "eta", 0.1, NULL);
    refused(&pair, true, "given directly");
    use(&pair, RPS_ROLE_SPIN, "tracked", "length", 0.02, NULL);
    use(&pair, RPS_ROLE_ROLL, "viscous", "damper", 0.1, NULL);
    refused(&pair, true, "roll law \"viscous\" has no form for the nonsmooth stepper: its torque has no cap");
    rps_world_options options = nonsmooth_options(1e-3);
    rps_world *world = NULL;
    rps_error err = {0};
    options.nonsmooth.tolerance = 0.0;
    assert_int_equal(rps_world_create(&options, &world, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "nonsmooth.tolerance"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolling_disk),
        cmocka_unit_test(test_slipping_start),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_spinning_sphere),
        cmocka_unit_test(test_sticking_block),
        cmocka_unit_test(test_ball_between_plates),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_oblique_impact),
        cmocka_unit_test(test_steep_friction),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_ledger_order),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
