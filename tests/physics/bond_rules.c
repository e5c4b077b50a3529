/*
 * Rules of bonds: refusals, breaking and the ledger, removal, contacts of bonded bodies, periodic cells, drives, planar
 * worlds, laws of a program, restart, and the same bits with any number of threads.
 */
#include "bonded.h"

#include <unistd.h>

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void refuse(rps_world *world, const rps_bond_def *def, rps_status status, const char *says) {
    rps_error err = {0};
    const size_t before = rps_world_bond_count(world);
    assert_int_equal(rps_world_add_bond(world, def, &err), status);
    if (!strstr(err.text, says)) fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    assert_int_equal(rps_world_bond_count(world), before);
}

static void test_refusals(void **state) {
    (void)state;
    rps_error err = {0};
    rps_world *world = chain_of(2, NULL, 1e-6);
    const uint64_t far = add_ball(world, rps_vec3_make(0, 0, 1), 1e-3, 1e-5, rps_vec3_zero(), rps_vec3_zero());
    const uint64_t fixed = add_ball(world, rps_vec3_make(0, 1, 0), 1e-3, 0, rps_vec3_zero(), rps_vec3_zero());
    const uint64_t plane = add_ground(world, rps_vec3_make(0, 0, 1));
    rps_bond_def def = beam(0, 0);
    refuse(world, &def, RPS_BAD_INPUT, "with itself");
    def = beam(0, 99);
    refuse(world, &def, RPS_BAD_INPUT, "no body 99");
    def = beam(1, 0);
    refuse(world, &def, RPS_BAD_INPUT, "bonded already");
    def = beam(fixed, plane);
    refuse(world, &def, RPS_BAD_INPUT, "no force moves");
    def = beam(0, plane);
    refuse(world, &def, RPS_BAD_INPUT, "has no centre");
    def = beam(0, far);
    def.size = 7;
    refuse(world, &def, RPS_BAD_INPUT, "size is 7");
    def = beam(0, far);
    def.law = NULL;
    refuse(world, &def, RPS_BAD_INPUT, "no law");
    def = beam(0, far);
    def.contact = (rps_bond_contact)5;
    refuse(world, &def, RPS_BAD_INPUT, "contact number 5");
    for (int k = 0; k < 3; k++) {
        def.contact = RPS_BOND_CONTACT_BESIDE;
        def.point[0][k] = def.point[1][k] = 0.5;
    }
    refuse(world, &def, RPS_BAD_INPUT, "coincide");
    def = beam(0, far);
    def.point[1][1] = INFINITY;
    refuse(world, &def, RPS_BAD_INPUT, "expected finite");
    static const struct {
        const char *name;
        double value;
        const char *says;
    } bad[] = {{"young", -1e9, "young is -1e+09"},   {"young", NAN, "needs `young`"},
               {"poisson", 0.7, "poisson is 0.7"},   {"radius", NAN, "no cross-section"},
               {"radius_ratio", 0.5, "both"},        {"shear", 1.5, "one of beam|point|euler"},
               {"damping", -0.1, "damping is -0.1"}, {"moment_factor", 2.0, "moment_factor is 2"},
               {"young", 1e300, "beyond the range"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        def = beam(0, far);
        MUST(rps_bond_set(&def, bad[k].name, bad[k].value, ERR));
        if (k == 8) MUST(rps_bond_set(&def, "radius", 1e10, ERR));
        refuse(world, &def, RPS_BAD_INPUT, bad[k].says);
    }
    def.value[RPS_BOND_PARAMETERS - 1] = 1.0;
    MUST(rps_bond_set(&def, "young", 1e9, ERR));
    refuse(world, &def, RPS_BAD_INPUT, "no parameter number 15");
    assert_int_equal(rps_bond_set(&def, "yong", 1.0, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "young, poisson"));
    rps_bond_state bond;
    assert_int_equal(rps_world_bond(world, 0, far, &bond, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_bond_at(world, 1, &bond, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_remove_bond(world, 0, far, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_set_position(world, 0, (double[3]){0, 0, 0.5}, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "bond of bodies 0 and 1"));
    assert_int_equal(rps_world_set_orientation(world, 1, (double[4]){1, 0, 0, 0}, &err), RPS_BAD_INPUT);
    advance(world, 1);
    def = beam(0, far);
    def.contact = RPS_BOND_CONTACT_NONE;
    refuse(world, &def, RPS_BAD_INPUT, "before the first step");
    rps_world_destroy(world);
    rps_world_options options = options_of(1e-4);
    options.stepper = RPS_NONSMOOTH;
    world = untouching(&options);
    for (int k = 0; k < 2; k++) {
        add_ball(world, rps_vec3_make(0, 0, k), 1e-3, 1e-5, rps_vec3_zero(), rps_vec3_zero());
    }
    def = beam(0, 1);
    refuse(world, &def, RPS_UNSUPPORTED, "nonsmooth stepper");
    rps_world_destroy(world);
}

/* --- breaking ------------------------------------------------------------------------------------------------------- */

/* Two free balls that fly apart; `contact` for overlapping ones. */
static rps_world *pair_that_breaks(const rps_world_options *options, double speed, double gap,
                                   rps_bond_contact contact) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    rps_world *world = world_of(options, &pair);
    for (int k = 0; k < 2; k++) {
        add_ball(world, rps_vec3_make(0, 0, k * (2e-3 + gap)), 1e-3, 1e-5, rps_vec3_make(0, 0, k ? speed : -speed),
                 rps_vec3_zero());
    }
    rps_bond_def def = beam(0, 1);
    def.contact = contact;
    MUST(rps_bond_set(&def, "tensile_strength", 1e5, ERR));
    MUST(rps_bond_set(&def, "damping", 0.1, ERR));
    MUST(rps_world_add_bond(world, &def, ERR));
    return world;
}

static double residual_after_break(double dt) {
    const rps_world_options options = options_of(dt);
    rps_world *world = pair_that_breaks(&options, 0.1, 1e-4, RPS_BOND_CONTACT_BESIDE);
    advance(world, (uint64_t)(1e-4 / dt + 0.5));
    const rps_bond_state s = bond_of(world, 0, 1);
    assert_true(s.broken);
    assert_string_equal(s.failure, "tension");
    assert_int_equal(rps_world_bond_count(world), 1);
    assert_int_equal(rps_world_intact_bond_count(world), 0);
    assert_int_equal(rps_world_bonds_broken(world), 1);
    assert_true(s.broken_at > 0.0 && s.broken_at < 1e-4 && s.force[2] == 0.0 && s.stored == 0.0);
    const rps_ledger ledger = ledger_of(world);
    assert_true(ledger.bonds_dissipated == s.dissipated && ledger.bonds_stored == 0.0);
    /* a strength of 0.1 MPa over the area stores F^2/(2 k); the step overshoots it by v dt k */
    const double force = 1e5 * RPS_PI * 1e-6, k = 1e9 * RPS_PI * 1e-6 / 2.1e-3, most = force + 0.2 * dt * k;
    ASSERT_ABOVE(s.dissipated, force * force / (2.0 * k));
    ASSERT_BELOW(s.dissipated, 3.0 * most * most / (2.0 * k));
    rps_world_destroy(world);
    return ledger.residual;
}

static void test_break_books_energy(void **state) {
    (void)state;
    const double a = residual_after_break(1e-7), b = residual_after_break(5e-8);
    SAY("residual after a break: %.3g J, %.3g J\n", a, b);
    /* of 1e-7 J: second order in w dt = .055; a break that lost or kept half a step of its load is F v dt/2 = 6e-8 J */
    ASSERT_BELOW(fabs(a), 2e-10);
    ASSERT_BELOW(fabs(b), 0.3 * fabs(a));
}

static void test_shear_and_energy(void **state) {
    (void)state;
    static const char *const name[3] = {"cohesion", "fracture_energy", "tensile_strength"};
    static const char *const failure[3] = {"shear", "energy", "tension"};
    for (int n = 0; n < 3; n++) {
        /* of the stresses: F_n 50 N, F_s 20 N, M_b .01 N m, M_t .005 N m; just above or below what they give, also for a bond of
         * a third of the strength */
        for (int trial = 0; trial < 4; trial++) {
            const bool strong = trial % 2;
            const double strength = trial / 2 ? 1.0 / 3.0 : 1.0;
            const double tension = 2.864788976e7, shear = 20.0 / (RPS_PI * 1e-6) + 0.005 * 1e-3 / (RPS_PI * 1e-12 / 2);
            const double k[6] = {368155.3891, 368155.3891, 1.570796327e6, 0.3926990817, 0.3926990817, 0.3020762167};
            const double load[6] = {12, 16, 50, 0.008, 0.006, 0.005};
            double u = 0.0, value[RPS_BOND_PARAMETERS], constant[RPS_BOND_CONSTANTS], memory[RPS_BOND_MEMORY] = {0};
            rps_bond_strain strain = {.dt = 0.0};
            rps_bond_loads loads = {.broken = 0};
            for (int m = 0; m < 6; m++) {
                u += 0.5 * load[m] * load[m] / k[m];
                (m < 3 ? strain.stretch : strain.rotation)[m % 3] = load[m] / k[m];
            }
            const double limit[3] = {shear, u / (RPS_PI * 1e-6), tension};
            rps_bond_def def = beam(0, 1);
            const double given = limit[n] / (n == 1 ? strength * strength : strength);
            MUST(rps_bond_set(&def, name[n], given * (strong ? 1.0 + 1e-6 : 1.0 - 1e-6), ERR));
            for (int m = 0; m < RPS_BOND_PARAMETERS; m++) {
                value[m] = isnan(def.value[m]) && def.law->parameter[m].name ? def.law->parameter[m].default_value
                                                                             : def.value[m];
            }
            const rps_bond_setup setup = {value, strength, LENGTH, 1e-5, 1e-12, 1e-3};
            MUST(def.law->prepare(&setup, constant, ERR));
            def.law->evaluate(constant, &strain, memory, &loads);
            ASSERT_NEAR(loads.stored, u, 1e-8 * u);
            assert_int_equal(loads.broken != 0, !strong);
            if (!strong) assert_string_equal(def.law->failure[loads.broken - 1], failure[n]);
        }
    }
}

/* A bond in place of an overlapping contact: the contact begins after the break, and the ledger says so. */
static void test_contact_after_break(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        const rps_world_options options = options_of(1e-7);
        const double overlap = 2e-5;
        rps_world *world =
            pair_that_breaks(&options, 0.1, -overlap, n ? RPS_BOND_CONTACT_NONE : RPS_BOND_CONTACT_BESIDE);
        bool touches;
        advance(world, 3);
        rps_world_keep_contacts(world, true);
        advance(world, 1);
        (void)contact_of(world, 0, 1, &touches);
        assert_int_equal(touches, !n);
        const rps_ledger before = ledger_of(world);
        ASSERT_NEAR(before.start, (n ? 0.0 : 0.5 * 1e5 * overlap * overlap) + 1e-5 * 0.01, 1e-15);
        for (int k = 0; k < 10000 && rps_world_bonds_broken(world) == 0; k++) advance(world, 1);
        const rps_bond_state s = bond_of(world, 0, 1);
        const double left = overlap - s.stretch[2];
        advance(world, 1);
        (void)contact_of(world, 0, 1, &touches);
        assert_true(touches);
        const rps_ledger after = ledger_of(world);
        /* the energy of the overlap that is left; a step moves by 2e-8 m of it */
        ASSERT_NEAR(after.external, n ? 0.5 * 1e5 * left * left : 0.0, n ? 1e-7 : 0.0);
        /* the contact has no load in the half step before it begins: F v dt/2 = 2 N x .1 m/s x 1e-7 s */
        ASSERT_NEAR(after.residual, before.residual, n ? 4e-8 : 2e-9);
        rps_world_destroy(world);
    }
}

/* --- removal -------------------------------------------------------------------------------------------------------- */

static void test_removal(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        rps_world *world = free_chain_of(4, "damping", 0.1, 1e-7);
        MUST(rps_world_set_velocity(world, 3, (double[3]){0.01, 0.02, 0.05}, ERR));
        advance(world, 333);
        const rps_ledger before = ledger_of(world);
        const double stored = bond_of(world, 2, 3).stored, own = bond_of(world, 2, 3).dissipated;
        assert_true(own > 0.0 && stored > 0.0);
        if (n == 0) {
            MUST(rps_world_remove_bond(world, 3, 2, ERR));
        } else {
            const uint64_t id = 3;
            MUST(rps_world_remove_bodies(world, &id, 1, ERR));
        }
        assert_int_equal(rps_world_bond_count(world), 2);
        const rps_ledger after = ledger_of(world);
        ASSERT_NEAR(after.residual, before.residual, 1e-20); /* round-off of energies of 1e-8 J */
        ASSERT_NEAR(after.bonds_dissipated, before.bonds_dissipated, 1e-22);
        if (n == 0) ASSERT_NEAR(after.removed, stored, 1e-20);
        advance(world, 1000);
        /* second order of an energy of 2e-8 J; half a step of the lost load would be .5 N x .05 m/s x 5e-8 s */
        ASSERT_NEAR(ledger_of(world).residual, before.residual, 5e-11);
        /* bonded again, without strain, where they are now */
        if (n == 0) {
            const rps_bond_def def = beam(2, 3);
            MUST(rps_world_add_bond(world, &def, ERR));
            ASSERT_NEAR(bond_of(world, 2, 3).stored, 0.0, 1e-25);
            advance(world, 10);
        }
        rps_world_destroy(world);
    }
}

/* --- where bonds act ------------------------------------------------------------------------------------------------ */

/* The same chain across the faces of a periodic cell, and drifting through it, has the same loads. */
static void test_periodic(void **state) {
    (void)state;
    rps_bond_state s[2];
    for (int n = 0; n < 2; n++) {
        rps_world_options options = options_of(1e-6);
        if (n) options.period[2] = 6e-3;
        rps_world *world = untouching(&options);
        for (int k = 0; k < 3; k++) {
            add_ball(world, rps_vec3_make(0, 0, k * LENGTH + (n ? 4.5e-3 : 0.0)), 1e-3, 1e-5,
                     rps_vec3_make(0, 0, k == 2 ? 30.5 : 30.0), rps_vec3_zero());
        }
        for (uint64_t k = 1; k < 3; k++) {
            const rps_bond_def def = beam(k - 1, k);
            MUST(rps_world_add_bond(world, &def, ERR));
        }
        advance(world, 1000); /* five periods */
        s[n] = bond_of(world, 1, 2);
        rps_world_destroy(world);
    }
    ASSERT_ABOVE(fabs(s[0].force[2]), 1e-3);
    /* positions of 30 mm are rounded to 4e-18 m, times the stiffness 6e-12 N a step, in a thousand steps */
    ASSERT_NEAR(s[1].force[2], s[0].force[2], 1e-7);
    ASSERT_NEAR(s[1].length, LENGTH, 1e-17);
}

/* A driven body pulls: the work of its drive is what the bond gets; a fixed plane holds the other end. */
static void test_drive_and_plane(void **state) {
    (void)state;
    const rps_world_options options = options_of(2e-7);
    rps_world *world = untouching(&options);
    const uint64_t plane = add_ground(world, rps_vec3_make(0, 0, 1));
    const uint64_t ball = add_ball(world, rps_vec3_make(0, 0, LENGTH), 1e-3, 1e-5, rps_vec3_zero(), rps_vec3_zero());
    rps_body_def driven = rps_body_sphere(1e-3);
    uint64_t puller;
    driven.kind = RPS_BODY_DRIVEN;
    driven.drive.velocity[2] = 0.01;
    driven.position[2] = 2.0 * LENGTH;
    MUST(rps_world_add_body(world, &driven, &puller, ERR));
    rps_bond_def def = beam(plane, ball);
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; axis < 3; axis++) def.point[k][axis] = axis == 2 ? k * LENGTH : 0.0;
    }
    MUST(rps_world_add_bond(world, &def, ERR));
    def = beam(ball, puller);
    MUST(rps_bond_set(&def, "damping", 0.2, ERR));
    MUST(rps_world_add_bond(world, &def, ERR));
    advance(world, 5000);
    const rps_ledger ledger = ledger_of(world);
    const double k = 1.570796327e6, stretch = 0.01 * 1e-3;
    SAY("drive: work %.9g J, stored %.9g J, residual %.2g J\n", ledger.drives, ledger.bonds_stored, ledger.residual);
    ASSERT_NEAR(ledger.bonds_stored, 0.25 * k * stretch * stretch, 1e-2 * ledger.bonds_stored); /* two in a row */
    ASSERT_BELOW(fabs(ledger.residual), 1e-8); /* of the 5e-10 J of the shock at the start, and second order */
    ASSERT_NEAR(vec_of(world, "force", puller).z, -0.5 * k * stretch, 0.01 * k * stretch);
    rps_world_destroy(world);
}

/* A planar world stays planar, to the bit. */
static void test_planar(void **state) {
    (void)state;
    rps_world_options options = options_of(2e-7);
    options.dimension = 2;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    rps_world *world = world_of(&options, &pair);
    MUST(rps_world_exclude(world, 0, 0, ERR));
    for (int k = 0; k < 4; k++) {
        rps_body_def def = rps_body_disk(1e-3);
        def.mass = 1e-5;
        def.position[0] = 1.2e-3 * k;
        def.position[2] = 1.6e-3 * k;
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    for (uint64_t k = 1; k < 4; k++) {
        const rps_bond_def def = beam(k, k - 1);
        MUST(rps_world_add_bond(world, &def, ERR));
    }
    MUST(rps_world_set_velocity(world, 3, (double[3]){0.3, 0, -0.2}, ERR));
    advance(world, 5000);
    for (uint64_t k = 0; k < 4; k++) {
        assert_true(position_of(world, k).y == 0.0 && turning_of(world, k).x == 0.0 && turning_of(world, k).z == 0.0);
    }
    assert_true(fabs(turning_of(world, 2).y) > 1.0);
    ASSERT_BELOW(fabs(ledger_of(world).residual), 1e-9); /* of 6.5e-7 J, with (w dt)^2/8 of about 1e-3 */
    rps_world_destroy(world);
}

/* --- a law of a program --------------------------------------------------------------------------------------------- */

static rps_status rope_prepare(const rps_bond_setup *setup, double *constant, rps_error *err) {
    (void)err;
    constant[0] = setup->value[0];
    return RPS_OK;
}

/* Pulls, never pushes; memory: the longest stretch. */
static void rope_evaluate(const double *constant, const rps_bond_strain *strain, double *memory,
                          rps_bond_loads *loads) {
    const double x = strain->stretch[2];
    if (strain->dt > 0.0 && x > memory[0]) memory[0] = x;
    if (!(x > 0.0)) return;
    loads->force[2] = constant[0] * x;
    loads->stored = 0.5 * constant[0] * x * x;
}

static void rope_spring(const double *constant, rps_bond_spring *stiffness, rps_bond_spring *damper) {
    (void)damper;
    stiffness->stretch = constant[0];
}

static const rps_bond_law rope = {.size = sizeof(rps_bond_law),
                                  .name = "rope",
                                  .summary = "a spring that pulls",
                                  .citation = "none",
                                  .parameter = {{"stiffness", "N/m", "k", 0.0, 1e9, NAN, NULL, RPS_PARAMETER_OTHER}},
                                  .memory = 1,
                                  .prepare = rope_prepare,
                                  .evaluate = rope_evaluate,
                                  .spring = rope_spring};

static void test_own_law(void **state) {
    (void)state;
    rps_error err = {0};
    const double dt = 1e-6, k = 1e3, mass = 1e-5;
    const rps_world_options options = options_of(dt);
    rps_world *world = untouching(&options);
    for (int n = 0; n < 2; n++) {
        add_ball(world, rps_vec3_make(0, 0, n * LENGTH), 1e-3, mass, rps_vec3_make(0, 0, n ? 0.01 : -0.01),
                 rps_vec3_zero());
    }
    rps_bond_def def = rps_bond_def_default();
    def.law = &rope;
    def.body[1] = 0;
    def.body[0] = 1;
    MUST(rps_bond_set(&def, "stiffness", k, ERR));
    refuse(world, &def, RPS_BAD_INPUT, "register it first");
    rps_bond_law incomplete = rope;
    incomplete.spring = NULL;
    assert_int_equal(rps_world_register_bond_law(world, &incomplete, &err), RPS_BAD_INPUT);
    MUST(rps_world_register_bond_law(world, &rope, ERR));
    assert_int_equal(rps_world_register_bond_law(world, &rope, &err), RPS_BAD_INPUT);
    MUST(rps_world_add_bond(world, &def, ERR));
    const double half = RPS_PI / sqrt(2.0 * k / mass); /* it pulls for half a period, then they fly past each other */
    advance(world, (uint64_t)(1.5 * half / dt));
    ASSERT_NEAR(velocity_of(world, 1).z, -0.01, 2.5e-7); /* (w dt)^2/8 of the speed */
    const rps_bond_state s = bond_of(world, 0, 1);
    assert_true(s.force[2] == 0.0 && s.stretch[2] < 0.0);
    ASSERT_NEAR(world->bonds.bond[0].record.memory[0], 0.02 / sqrt(2.0 * k / mass), 1e-8);
    rps_world_destroy(world);
}

/* --- same bits ------------------------------------------------------------------------------------------------------ */

/* A block of bonded balls that tumbles and breaks; beyond the number of bodies from which a step has several threads. */
static rps_world *block_of(int threads, uint64_t shuffle) {
    enum { SIDE = 11 };
    rps_world_options options = options_of(5e-7);
    options.threads = threads;
    options.shuffle = shuffle;
    rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        const rps_vec3 x = rps_vec3_scale(rps_vec3_make(n % SIDE, n / SIDE % SIDE, n / (SIDE * SIDE)), LENGTH);
        add_ball(world, x, 1.01e-3, 1e-5, rps_vec3_scale(random_vec(9, (uint64_t)n), 0.2),
                 rps_vec3_scale(random_vec(10, (uint64_t)n), 50.0));
    }
    for (uint64_t n = 0; n < SIDE * SIDE * SIDE; n++) {
        static const uint64_t next[3] = {1, SIDE, SIDE * SIDE};
        for (int axis = 0; axis < 3; axis++) {
            if (n / next[axis] % SIDE == SIDE - 1) continue;
            rps_bond_def def = n % 2 ? parallel(n, n + next[axis]) : beam(n, n + next[axis]);
            if (n % 3 == 0) def.contact = RPS_BOND_CONTACT_NONE;
            MUST(rps_bond_set(&def, "tensile_strength", 6e5 + 1e4 * (double)(n % 7), ERR));
            MUST(rps_bond_set(&def, "damping", 0.02, ERR));
            MUST(rps_world_add_bond(world, &def, ERR));
        }
    }
    return world;
}

static void assert_same(const rps_world *a, const rps_world *b) {
    uint64_t x[2], y[2];
    MUST(rps_world_hash(a, x, ERR));
    MUST(rps_world_hash(b, y, ERR));
    assert_memory_equal(x, y, sizeof x);
}

static void test_same_bits(void **state) {
    (void)state;
    static const int threads[3] = {1, 2, 3};
    rps_world *world[4];
    for (int n = 0; n < 3; n++) {
        world[n] = block_of(threads[n], n == 2 ? 5 : 0);
        advance(world[n], 60);
        advance(world[n], 60);
    }
    SAY("block: %d of %d bonds broken\n", (int)rps_world_bonds_broken(world[0]), (int)rps_world_bond_count(world[0]));
    assert_true(rps_world_bonds_broken(world[0]) > 100);
    assert_true(rps_world_intact_bond_count(world[0]) > 100);
    assert_same(world[0], world[1]);
    assert_same(world[0], world[2]);
    /* a restart at a step in which contacts of broken bonds have yet to begin */
    for (int k = 0; k < 200 && world[0]->bonds.opening == 0; k++) advance(world[0], 1);
    assert_true(world[0]->bonds.opening > 0);
    char path[64];
    snprintf(path, sizeof path, "/tmp/repose_bonds_%ld.checkpoint", (long)getpid());
    MUST(rps_world_save(world[0], path, ERR));
    world[3] = block_of(2, 0);
    MUST(rps_world_restore(world[3], path, ERR));
    assert_same(world[0], world[3]);
    assert_int_equal(world[3]->bonds.opening, world[0]->bonds.opening);
    for (int n = 0; n < 4; n += 3) {
        advance(world[n], 20);
        const uint64_t id = 700;
        MUST(rps_world_remove_bodies(world[n], &id, 1, ERR));
        advance(world[n], 20);
    }
    assert_same(world[0], world[3]);
    const rps_ledger a = ledger_of(world[0]), b = ledger_of(world[3]);
    assert_true(a.residual == b.residual && a.bonds_dissipated == b.bonds_dissipated);
    for (int n = 0; n < 4; n++) rps_world_destroy(world[n]);
    unlink(path);
}

/* The hash sees a bond, its memory and its parameters. */
static void test_hash(void **state) {
    (void)state;
    uint64_t hash[4][2];
    for (int n = 0; n < 4; n++) {
        rps_world *world = free_chain_of(2, n == 1 ? "damping" : NULL, 0.1, 1e-6);
        if (n == 2) world->bonds.bond[0].record.memory[5] = 1e-9;
        if (n == 3) MUST(rps_world_remove_bond(world, 0, 1, ERR));
        MUST(rps_world_hash(world, hash[n], ERR));
        rps_world_destroy(world);
        for (int m = 0; m < n; m++) assert_memory_not_equal(hash[n], hash[m], sizeof hash[n]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_break_books_energy),
        cmocka_unit_test(test_shear_and_energy),
        cmocka_unit_test(test_contact_after_break),
        cmocka_unit_test(test_removal),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_drive_and_plane),
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_own_law),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
