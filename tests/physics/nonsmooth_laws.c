/*
 * Laws of the penalty stepper in the nonsmooth one: both agree in the limit of small steps, damping laws rebound as their
 * dashpots do, adhesion holds up to the pull-off force and adds to the load of friction, and refusals give the reason.
 */
#include "worlds.h"

static const double G = 9.81, R = 0.01, MASS = 0.01, MODULUS = 1e6;

static rps_world_options laws_options(double step, bool nonsmooth) {
    rps_world_options options = options_of(step);
    options.stepper = nonsmooth ? RPS_NONSMOOTH : RPS_PENALTY;
    options.nonsmooth.tolerance = 1e-12;
    options.gravity[2] = -G;
    options.guards.motion = 2.0;
    options.guards.rotation = 1.0;
    return options;
}

static rps_pair base_pair(void) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", "effective_modulus", MODULUS, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.05, NULL);
    use(&pair, RPS_ROLE_SLIDE, "cundall_strack", "friction", 0.3, "stiffness", 1500.0, "damping", 0.0, NULL);
    return pair;
}

/* m, of Hertz on a plane */
static double overlap_under(double load) {
    const double root = rps_cbrt(load / (4.0 / 3.0 * MODULUS * sqrt(R)));
    return root * root;
}

/* --- agreement ------------------------------------------------------------------------------------------------------ */

typedef struct law_case {
    rps_role role;
    const char *law;
    const char *name[4];
    double value[4];
} law_case;

static const law_case agreeing[] = {
    {RPS_ROLE_SLIDE, "cundall_strack", {"friction", "stiffness", "damping"}, {0.3, 1500.0, 0.0}},
    {RPS_ROLE_SLIDE, "luding", {"static", "kinetic", "stiffness"}, {0.3, 0.3, 1500.0}},
    {RPS_ROLE_SLIDE, "viscous_coulomb", {"friction", "damper"}, {0.3, 0.5}},
    {RPS_ROLE_SLIDE, "viscous_coulomb", {"friction", "rate"}, {0.3, 50.0}},
    {RPS_ROLE_SLIDE, "mindlin", {"friction", "effective_shear"}, {0.3, 3e5}},
    {RPS_ROLE_SLIDE, "mindlin_total", {"friction", "effective_shear"}, {0.3, 3e5}},
    {RPS_ROLE_SLIDE, "walton", {"friction", "effective_shear"}, {0.3, 3e5}},
    {RPS_ROLE_SLIDE, "tsuji", {"friction", "effective_shear", "restitution"}, {0.3, 3e5, 1.0}},
    {RPS_ROLE_ROLL, "constant_torque", {"coefficient"}, {0.01}},
    {RPS_ROLE_ROLL, "iwashita_oda", {"coefficient", "stiffness", "damping"}, {0.1, 300.0, 0.0}},
    {RPS_ROLE_ROLL, "iwashita_oda", {"eta", "angular_stiffness"}, {0.5, 0.02}},
    {RPS_ROLE_ROLL, "jiang", {"coefficient", "stiffness", "damping"}, {0.1, 300.0, 0.0}},
    {RPS_ROLE_ROLL, "jiang", {"shape", "stiffness", "damping"}, {0.1, 3e4, 0.0}},
    {RPS_ROLE_ROLL, "ai", {"coefficient", "stiffness", "at_cap"}, {0.1, 300.0, 0.0}},
    {RPS_ROLE_ROLL, "luding", {"static", "kinetic", "stiffness"}, {0.1, 0.08, 300.0}},
    {RPS_ROLE_SPIN, "luding", {"static", "kinetic", "stiffness"}, {0.05, 0.04, 300.0}},
    {RPS_ROLE_SPIN, "torsional", {"coefficient", "stiffness", "damping"}, {0.1, 1500.0, 0.0}},
    /* held, while the stiffness follows the load */
    {RPS_ROLE_SLIDE, "mindlin", {"friction", "effective_shear"}, {30.0, 3e4}},
    {RPS_ROLE_SLIDE, "mindlin_total", {"friction", "effective_shear"}, {30.0, 3e4}},
    {RPS_ROLE_SLIDE, "walton", {"friction", "effective_shear"}, {30.0, 3e4}},
};

static const double PRESSED = 0.1; /* N */

/* The motion of a ball between two plates that slides, rolls, spins and sways, so that its loads change by half, and what it
 * dissipated; R w counts as a velocity. Friction has no dashpots: in slip they act in the nonsmooth stepper, and turn it to the slip sooner. Without gravity, as springs are taken at no less than the load of a weight. */
static void motion_of(const law_case *law, double step, bool nonsmooth, double out[7]) {
    rps_world_options options = laws_options(step, nonsmooth);
    rps_pair pair = base_pair();
    MUST(rps_pair_law(&pair, law->role, law->law, ERR));
    for (int k = 0; k < 4 && law->name[k]; k++) MUST(rps_pair_set(&pair, law->role, law->name[k], law->value[k], ERR));
    options.gravity[2] = 0.0;
    rps_world *world = world_of(&options, &pair);
    uint64_t lid_id = 0;
    const double half = R - overlap_under(PRESSED);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    rps_body_def lid = rps_body_plane(0.0, 0.0, -1.0);
    lid.position[2] = 2.0 * half;
    MUST(rps_world_add_body(world, &lid, &lid_id, ERR));
    const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, half), R, MASS, rps_vec3_make(0.04, 0.02, 0.02),
                                   rps_vec3_make(1.0, 2.0, 4.0));
    start(world);
    advance(world, (uint64_t)(0.005 / step + 0.5));
    rps_vec3_put(out, velocity_of(world, ball));
    rps_vec3_put(out + 3, rps_vec3_scale(turning_of(world, ball), R));
    out[6] = ledger_of(world).dissipated[law->role];
    rps_world_destroy(world);
}

/* The difference falls with the step, which is of first order in the nonsmooth stepper, and is of the size of the step
 * over the time of the springs, 1/400 s, at most. Sizes: 0.04 m/s, and 1e-5 J of kinetic energy, of which the implicit step
 * takes 3 % in 0.005 s from what sways. */
static void test_steppers_agree(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof agreeing / sizeof *agreeing; n++) {
        static const double step[2] = {4e-5, 1e-5};
        double exact[7], found[7], apart[2] = {0.0, 0.0}, lost[2];
        motion_of(&agreeing[n], 1e-6, false, exact);
        for (int k = 0; k < 2; k++) {
            motion_of(&agreeing[n], step[k], true, found);
            for (int q = 0; q < 6; q++) apart[k] = fmax(apart[k], fabs(found[q] - exact[q]));
            lost[k] = fabs(found[6] - exact[6]);
        }
        SAY("%s %s: apart %.2e and %.2e m/s, dissipated %.3e J, apart %.1e and %.1e J\n",
            rps_role_name(agreeing[n].role), agreeing[n].law, apart[0], apart[1], exact[6], lost[0], lost[1]);
        ASSERT_BELOW(apart[0], 0.04 * 400.0 * step[0]);
        ASSERT_BELOW(apart[1], 0.5 * apart[0] + 1e-6);
        ASSERT_ABOVE(fabs(exact[6]), 1e-9);
        ASSERT_BELOW(lost[1], fmax(0.4 * lost[0], 0.01 * fabs(exact[6])));
        ASSERT_BELOW(lost[0], 0.25 * fabs(exact[6]) + 3e-7);
    }
}

/* --- rebound -------------------------------------------------------------------------------------------------------- */

static double rebound(const rps_pair *pair, double step, bool nonsmooth) {
    rps_world_options options = laws_options(step, nonsmooth);
    options.gravity[2] = 0.0;
    rps_world *world = world_of(&options, pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball =
        add_ball(world, rps_vec3_make(0.0, 0.0, 1.01 * R), R, MASS, rps_vec3_make(0.0, 0.0, -1.0), rps_vec3_zero());
    start(world);
    advance(world, (uint64_t)(0.08 / step + 0.5));
    const double e = velocity_of(world, ball).z;
    rps_world_destroy(world);
    return e;
}

/* The penalty stepper follows the dashpot in 1e-6 s, of 0.01 s of contact: its error is below 1e-4. The nonsmooth one follows it
 * to second order, in 50 steps: (2 pi/100)^2/12 = 3e-4. */
static void test_dashpots_rebound(void **state) {
    (void)state;
    static const struct {
        const char *normal, *damping;
        double value;
    } dashpot[] = {{"hooke", "ratio", 0.2},         {"hooke", "ratio", 0.9},       {"hooke", "ratio", 1.0},
                   {"hooke", "ratio", 1.5},         {"hooke", "coefficient", 1.2}, {"hooke", "mass", 150.0},
                   {"hooke", "viscoelastic", 1e-3}, {"hertz", "ratio", 0.2},       {"hertz", "ratio", 0.7},
                   {"hertz", "tsuji", 0.4},         {"hertz", "restitution", 0.4}};
    for (size_t n = 0; n < 2 * sizeof dashpot / sizeof *dashpot; n++) {
        const size_t k = n / 2;
        rps_pair pair = rps_pair_default();
        pair.tension = n % 2 ? RPS_TENSION_CUT : RPS_TENSION_ALLOW;
        if (strcmp(dashpot[k].normal, "hooke") == 0) {
            use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1000.0, NULL);
        } else {
            use(&pair, RPS_ROLE_NORMAL, "hertz", "effective_modulus", MODULUS, NULL);
        }
        use(&pair, RPS_ROLE_DAMPING, dashpot[k].damping, "value", dashpot[k].value, NULL);
        const double followed = rebound(&pair, 1e-6, false), solved = rebound(&pair, 2e-4, true);
        SAY("%s %s %g %s: %.5f, followed %.5f\n", dashpot[k].normal, dashpot[k].damping, dashpot[k].value,
            n % 2 ? "cut" : "allow", solved, followed);
        /* dashpots that only push give back a hundredth at least */
        ASSERT_NEAR(solved, n % 2 ? followed : fmax(followed, 0.01), 1e-3);
    }
}

/* --- adhesion ------------------------------------------------------------------------------------------------------- */

static const double WORK = 0.5; /* J/m^2 */

static rps_pair sticky(const char *law) {
    rps_pair pair = base_pair();
    use(&pair, RPS_ROLE_NORMAL, law, "effective_modulus", MODULUS, "work_of_adhesion", WORK, NULL);
    if (strcmp(law, "dmt") == 0) MUST(rps_pair_set_word(&pair, RPS_ROLE_NORMAL, "cap", "pulloff", ERR));
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    return pair;
}

/* N, in closed form */
static double pulloff(const char *law) {
    return (strcmp(law, "dmt") == 0 ? 2.0 : 1.5) * RPS_PI * WORK * R;
}

/* A ball that touches a ceiling under this weight; metres that it is from its place after a second. */
static double hang(const char *law, bool rigid, double weight, double *overlap) {
    rps_world_options options = laws_options(1e-3, true);
    options.nonsmooth.rigid = rigid;
    options.gravity[2] = -weight / MASS;
    rps_pair pair = sticky(law);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, -1.0));
    const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, -R), R, MASS, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    advance(world, 1000);
    const double z = position_of(world, ball).z;
    *overlap = z + R;
    if (fabs(z + R) < 0.1 * R) {
        /* at rest the contact bears the weight, which pulls */
        ASSERT_NEAR(contact_of(world, 0, ball, NULL).normal_load[0], -weight, 1e-6 * weight);
        ASSERT_NEAR(velocity_of(world, ball).z, 0.0, 1e-9);
    }
    rps_world_destroy(world);
    return fabs(z + R);
}

/* Beyond the pull-off force by a millionth the ball falls with the millionth of the force at first, less by that it stays. */
static void test_ceiling(void **state) {
    (void)state;
    static const struct {
        const char *law;
        bool rigid;
    } kind[] = {{"dmt", false}, {"dmt", true}, {"jkr", true}};
    for (int k = 0; k < 3; k++) {
        const double force = pulloff(kind[k].law);
        double overlap;
        ASSERT_BELOW(hang(kind[k].law, kind[k].rigid, 0.5 * force, &overlap), 0.1 * R);
        /* in springs the load of Hertz is what the pull has beside the weight */
        ASSERT_NEAR(overlap, kind[k].rigid ? 0.0 : overlap_under(0.5 * force), 1e-6 * R);
        ASSERT_BELOW(hang(kind[k].law, kind[k].rigid, (1.0 - 1e-6) * force, &overlap), 0.1 * R);
        ASSERT_ABOVE(hang(kind[k].law, kind[k].rigid, (1.0 + 1e-6) * force, &overlap), 10.0 * R);
    }
}

/* A ball that slides on the ground: v = v0 - mu (g + F/m) t, exactly, of which w takes 5/2. The spring of Hertz holds m g + F. */
static void test_sticky_friction(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const char *law = k < 2 ? "dmt" : "jkr";
        rps_world_options options = laws_options(1e-3, true);
        options.nonsmooth.rigid = k > 0;
        rps_pair pair = sticky(law);
        const double load = MASS * G + pulloff(law), mu = 0.3, t = 0.02;
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        const uint64_t ball = add_ball(world, rps_vec3_make(0.0, 0.0, k > 0 ? R : R - overlap_under(load)), R, MASS,
                                       rps_vec3_make(1.0, 0.0, 0.0), rps_vec3_zero());
        start(world);
        advance(world, (uint64_t)(t / options.step + 0.5));
        /* the solver's tolerance over 20 steps; with springs the secant starts at the load of the weight alone */
        ASSERT_NEAR(velocity_of(world, ball).x, 1.0 - mu * load / MASS * t, k > 0 ? 1e-9 : 1e-3);
        ASSERT_NEAR(turning_of(world, ball).y * R, 2.5 * mu * load / MASS * t, k > 0 ? 1e-9 : 2.5e-3);
        const rps_contact contact = contact_of(world, 0, ball, NULL);
        ASSERT_NEAR(contact.normal_load[0], MASS * G, 1e-2 * load);
        ASSERT_NEAR(rps_vec3_norm(rps_vec3_of(contact.slide_force)), mu * load, k > 0 ? 1e-8 : 1e-2 * load);
        rps_world_destroy(world);
    }
}

/* A sticky ball that falls on the ground and stays: the ledger closes to first order, with the energy of the pull. */
static void test_sticky_ledger(void **state) {
    (void)state;
    double residual[2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-4 : 2e-4;
        rps_world_options options = laws_options(h, true);
        rps_pair pair = sticky("dmt");
        rps_world *world = world_of(&options, &pair);
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        add_ball(world, rps_vec3_make(0.0, 0.0, 1.1 * R), R, MASS, rps_vec3_make(0.1, 0.0, -0.1), rps_vec3_zero());
        start(world);
        advance(world, (uint64_t)(0.3 / h + 0.5));
        const rps_ledger ledger = ledger_of(world);
        const double load = MASS * G + pulloff("dmt"), overlap = overlap_under(load);
        ASSERT_NEAR(ledger.elastic[RPS_ROLE_NORMAL], (0.4 * load - pulloff("dmt")) * overlap, 1e-4 * load * overlap);
        ASSERT_ABOVE(ledger.dissipated[RPS_ROLE_DAMPING], 0.0);
        ASSERT_ABOVE(ledger.dissipated[RPS_ROLE_SLIDE], 0.0);
        residual[k] = ledger.residual;
        rps_world_destroy(world);
    }
    SAY("residual %.3e J, at half the step %.3e J\n", residual[0], residual[1]);
    ASSERT_NEAR(residual[0] / residual[1], 2.0, 0.3);
}

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void refused(const rps_pair *pair, bool rigid, const char *words) {
    rps_world_options options = laws_options(1e-3, true);
    rps_world *world = NULL;
    rps_material material = rps_material_default();
    options.nonsmooth.rigid = rigid;
    material.name = "stuff";
    MUST(rps_world_create(&options, &world, ERR));
    MUST(rps_world_add_material(world, &material, NULL, ERR));
    assert_pair_refused(world, pair, words);
    rps_world_destroy(world);
}

/* Every law without a form says why, and every one with a form under conditions says which. */
static void test_refusals(void **state) {
    (void)state;
    const rps_law *law;
    int without = 0;
    for (size_t k = 0; (law = rps_law_at(k)) != NULL; k++) {
        if (law->cone) continue;
        without++;
        assert_non_null(law->nonsmooth);
        if (law->lines || law->dimension == 2) continue; /* refused in three dimensions before */
        rps_pair pair = base_pair();
        MUST(rps_pair_law(&pair, law->role, law->name, ERR));
        refused(&pair, false, law->nonsmooth);
    }
    assert_true(without >= 9);
    rps_pair pair = sticky("jkr");
    refused(&pair, false, "normal law \"jkr\" acts across gaps");
    use(&pair, RPS_ROLE_NORMAL, "dmt", "effective_modulus", MODULUS, "work_of_adhesion", WORK, NULL);
    refused(&pair, true, "write `cap: pulloff`");
    pair = base_pair();
    use(&pair, RPS_ROLE_DAMPING, "mass", "value", 10.0, NULL);
    refused(&pair, false, "damping law `mass`: the nonsmooth stepper rebounds by a coefficient of restitution");
    pair = base_pair();
    use(&pair, RPS_ROLE_SLIDE, "walton", "friction", 0.3, "effective_shear", 1e6, NULL);
    MUST(rps_pair_set_word(&pair, RPS_ROLE_SLIDE, "rotation", "projection", ERR));
    refused(&pair, false, "write `rotation: carried`");
    pair = base_pair();
    use(&pair, RPS_ROLE_ROLL, "ai", "coefficient", 0.1, "stiffness", 100.0, NULL);
    refused(&pair, false, "write `at_cap: 0`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steppers_agree), cmocka_unit_test(test_dashpots_rebound),
        cmocka_unit_test(test_ceiling),        cmocka_unit_test(test_sticky_friction),
        cmocka_unit_test(test_sticky_ledger),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
