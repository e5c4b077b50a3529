/*
 * The stable step of a loaded packing: disks of a triangular lattice at the overlap that carries 0.1 GPa, with viscous damping
 * 0.7 of normal and tangential springs, the packing of the biaxial test. All contacts of a disk act on its turning, and
 * their dashpots are half a step late: dt = 1e-5 s is beyond the limit, 5e-6 s is not, and the runs say the same.
 */
#include "worlds.h"

#include "step/step_stages.h"

static const double RADIUS = 0.035, STRESS = 1e8, DAMPING = 0.7;
enum { ACROSS = 8, UP = 8 };

/* N of a contact is sigma 2 R/sqrt 3 in this lattice; the overlap by the relation of the law. */
static double overlap_of(double *load) {
    const double modulus = 0.5 * 1e10 / (1.0 - 0.0625), n = STRESS * 2.0 * RADIUS / sqrt(3.0);
    const double x = n / (RPS_PI * modulus);
    *load = n;
    return x * (log(8.0 * RADIUS / x) - 1.0);
}

static rps_world *packing(double step, rps_guard_action action) {
    rps_world_options options = options_of(step);
    rps_pair pair = rps_pair_default();
    rps_material m = rps_material_default();
    double load;
    const double apart = 2.0 * RADIUS - overlap_of(&load), rise = apart * sqrt(0.75);
    options.dimension = 2;
    options.period[0] = ACROSS * apart;
    options.period[2] = UP * rise;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    options.guards.action[RPS_GUARD_STABLE] = action;
    m.name = "rock";
    m.young = 1e10;
    m.poisson = 0.25;
    m.density = 2700.0;
    use(&pair, RPS_ROLE_NORMAL, "hertz2d", NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", DAMPING, NULL);
    use(&pair, RPS_ROLE_SLIDE, "hertz2d", "friction", 0.3, "damping", DAMPING, NULL);
    rps_world *world = world_of_material(&options, &pair, m);
    for (int row = 0; row < UP; row++) {
        for (int n = 0; n < ACROSS; n++) {
            rps_body_def def = rps_body_def_default();
            const uint64_t at = (uint64_t)(row * ACROSS + n);
            def.shape = "disk";
            def.radius = RADIUS;
            def.position[0] = apart * (n + 0.5 * (row % 2)) + 0.25 * apart;
            def.position[2] = rise * (row + 0.5);
            def.velocity[0] = uniform(1, at, -1e-3, 1e-3);
            def.velocity[2] = uniform(2, at, -1e-3, 1e-3);
            def.angular_velocity[1] = uniform(3, at, -1e-3, 1e-3) / RADIUS;
            MUST(rps_world_add_body(world, &def, NULL, ERR));
        }
    }
    return world;
}

static double fastest(const rps_world *world) {
    double most = 0.0;
    for (uint64_t id = 0; id < ACROSS * UP; id++) {
        most = fmax(most, rps_vec3_norm(velocity_of(world, id)) + RADIUS * fabs(turning_of(world, id).y));
    }
    return most;
}

static void test_the_papers_step(void **state) {
    (void)state;
    /* what happens: at 5e-6 the kick dies away, at 1e-5 it grows */
    for (int k = 0; k < 2; k++) {
        rps_world *world = packing(k ? 1e-5 : 5e-6, RPS_GUARD_OFF);
        start(world);
        const double before = fastest(world);
        advance(world, 400);
        const double after = fastest(world);
        SAY("dt = %s: speed %.3g m/s after 400 steps, %.3g at first\n", k ? "1e-5" : "5e-6", after, before);
        if (k) ASSERT_ABOVE(after, before);
        if (!k) ASSERT_BELOW(after, 0.05 * before); /* the drift of the whole stays, 1/sqrt(3 64) */
        rps_step_limit limit;
        rps_step_limit_of_bodies(world, INFINITY, &limit);
        SAY("the limit of the bodies: %.4g s\n", limit.step);
        ASSERT_ABOVE(limit.step, 5e-6);
        ASSERT_BELOW(limit.step, 1e-5);
        rps_world_destroy(world);
    }
    /* what the guard says of it */
    for (int k = 0; k < 2; k++) {
        rps_world *world = packing(k ? 1e-5 : 5e-6, RPS_GUARD_STOP);
        rps_error err = {0};
        rps_status status = rps_world_start(world, &err);
        if (status == RPS_OK) status = rps_world_step(world, 100, &err);
        if (!k && status != RPS_OK) fail_msg("%s", err.text);
        if (k) {
            assert_int_equal(status, RPS_GUARD);
            SAY("%s\n", err.text);
            if (!strstr(err.text, "the damper of the slide mode")) fail_msg("%s", err.text);
        }
        rps_world_destroy(world);
    }
}

/* The bound is the mode itself: the lattice without friction and damping, in which neighbours move against each other, has
 * w^2 = 6 k/m; and all disks turning alike w^2 = 24 k_t/m. */
static void test_modes_of_the_lattice(void **state) {
    (void)state;
    double load;
    const double delta = overlap_of(&load), mass = 2700.0 * RPS_PI * RADIUS * RADIUS;
    for (int friction = 0; friction < 2; friction++) {
        rps_world *world = packing(1e-6, RPS_GUARD_OFF);
        rps_pair pair = rps_world_pair_of(world, 0, 0)->given;
        use(&pair, RPS_ROLE_DAMPING, "none", NULL);
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
        if (friction)
            use(&pair, RPS_ROLE_SLIDE, "cundall_strack", "friction", 0.3, "stiffness", 3e9, "damping", 0.0, NULL);
        MUST(rps_world_set_pair(world, 0, 0, &pair, ERR));
        start(world);
        advance(world, 1);
        const rps_law_contact contact = {.overlap = delta, .radius = {RADIUS, RADIUS}};
        const rps_pair_setup *setup = rps_world_pair_of(world, 0, 0);
        const double k = setup->law[RPS_ROLE_NORMAL]->spring(setup->constant[RPS_ROLE_NORMAL], &contact).stiffness;
        rps_step_limit limit;
        rps_step_limit_of_bodies(world, INFINITY, &limit);
        const double expected = 2.0 / sqrt((friction ? 24.0 * 3e9 : 6.0 * k) / mass);
        SAY("lattice %s: %.6g s, by its mode %.6g\n", friction ? "turning" : "moving", limit.step, expected);
        ASSERT_NEAR(limit.step, expected, 1e-3 * expected); /* the kick moves it by 1e-9 m of 1e-3 */
        assert_int_equal(limit.contacts, 6);
        rps_world_destroy(world);
    }
}

/* Spheres in a closest packing at an overlap of 2 % of the radius. */
static rps_world *closest(void) {
    enum { CELLS = 3 };
    static const double at[4][3] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    rps_world_options options = options_of(1e-7);
    rps_pair pair = rps_pair_default();
    rps_material m = rps_material_default();
    const double half = 0.98 * sqrt(2.0) * RADIUS;
    for (int k = 0; k < 3; k++) options.period[k] = 2.0 * CELLS * half;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    m.name = "rock";
    m.young = 1e9;
    m.poisson = 0.25;
    m.density = 2700.0;
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.2, NULL);
    use(&pair, RPS_ROLE_SLIDE, "mindlin", "friction", 0.3, "damping", 0.2, NULL);
    use(&pair, RPS_ROLE_ROLL, "iwashita_oda", "coefficient", 0.1, "stiffness", 2e6, "damping", 0.3, NULL);
    rps_world *world = world_of_material(&options, &pair, m);
    for (int n = 0; n < 4 * CELLS * CELLS * CELLS; n++) {
        const int cell = n / 4, index[3] = {cell % CELLS, cell / CELLS % CELLS, cell / CELLS / CELLS};
        rps_body_def def = rps_body_def_default();
        def.radius = RADIUS;
        for (int k = 0; k < 3; k++) def.position[k] = half * (at[n % 4][k] + 2.0 * index[k] + 0.5);
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

/* The step chosen before there are contacts: half of the limit that is then expected. It must be stable by the bound
 * of the bodies with their contacts, and not waste more than a factor of two, in lattices that have as many as fit. */
static void test_the_step_chosen(void **state) {
    (void)state;
    double load;
    const double delta = overlap_of(&load);
    const struct {
        const char *name;
        bool spheres;
        rps_expected expected;
    } row[] = {{"disks by their overlap", false, {.force = 1e300, .overlap = delta / RADIUS}},
               {"disks by the pressure", false, {.force = 1e300, .pressure = STRESS}},
               {"spheres by their overlap", true, {.force = 1e300, .overlap = 0.04}}};
    for (int k = 0; k < 3; k++) {
        rps_world *world = row[k].spheres ? closest() : packing(1e-7, RPS_GUARD_OFF);
        rps_step_limit expected, limit;
        rps_step_limit_expected(world, &row[k].expected, &expected);
        start(world);
        advance(world, 1);
        rps_step_limit_of_bodies(world, INFINITY, &limit);
        const double chosen = 0.5 * expected.step;
        SAY("%s: chosen %.4g s, bound %.4g s (%d contacts; %d expected, at %.3g of the overlap)\n", row[k].name, chosen,
            limit.step, limit.contacts, expected.contacts, expected.overlap / (row[k].spheres ? 0.04 * RADIUS : delta));
        ASSERT_BELOW(chosen, limit.step);
        ASSERT_ABOVE(chosen, 0.5 * limit.step);
        assert_int_equal(limit.contacts, row[k].spheres ? 12 : 6);
        rps_world_destroy(world);
    }
}

/* An impact: the deepest overlap of Hertz's is (15 m v^2/(16 E* sqrt R))^(2/5), and its tangent stiffness limits the step. */
static void test_the_step_of_an_impact(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-7);
    rps_pair pair = rps_pair_default();
    rps_material m = rps_material_default();
    m.name = "rock";
    m.young = 1e9;
    m.poisson = 0.25;
    m.density = 2700.0;
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    rps_world *world = world_of_material(&options, &pair, m);
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        def.radius = RADIUS;
        def.position[0] = 3.0 * RADIUS * k;
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    const double mass = 0.5 * 2700.0 * 4.0 / 3.0 * RPS_PI * RADIUS * RADIUS * RADIUS, speed = 20.0;
    const double modulus = 0.5 * 1e9 / (1.0 - 0.0625), radius = 0.5 * RADIUS;
    const double deepest = pow(15.0 * mass * speed * speed / (16.0 * modulus * sqrt(radius)), 0.4);
    const double stiffness = 2.0 * modulus * sqrt(radius * deepest), expected = 2.0 * sqrt(mass / stiffness);
    const rps_expected impact = {.speed = speed};
    rps_step_limit limit;
    rps_step_limit_expected(world, &impact, &limit);
    SAY("impact: %.5g s, closed form %.5g; overlap %.4g m, %.4g\n", limit.step, expected, limit.overlap, deepest);
    ASSERT_NEAR(limit.overlap, deepest, 0.1 * deepest); /* it is sought in steps of a tenth */
    ASSERT_NEAR(limit.step, expected, 0.03 * expected); /* with the power 1/4 of it */
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_papers_step), cmocka_unit_test(test_modes_of_the_lattice),
        cmocka_unit_test(test_the_step_chosen), cmocka_unit_test(test_the_step_of_an_impact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
