/*
 * The elastoplastic normal laws against closed forms: paths of load, restitution and losses of impacts, and that their books close.
 */
#include "worlds.h"

#include "law/law_batch.h"
#include "world/world.h"

/* One contact under a given motion. */
typedef struct path {
    rps_world *world;
    const rps_pair_setup *pair;
    rps_batch_alone alone;
    double lost; /* J */
} path;

static rps_world *world_with(const rps_pair *pair, double young, double poisson, double dt) {
    rps_world_options options = options_of(dt);
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = young;
    material.poisson = poisson;
    return world_of_material(&options, pair, material);
}

static void path_open(path *p, const rps_pair *pair, double young, double radius_eff) {
    p->world = world_with(pair, young, 0.3, 1e-5);
    p->pair = &p->world->pair_setup[0];
    p->lost = 0.0;
    rps_batch_alone_open(&p->alone, 8, 1.0);
    rps_batch_alone_fill_radius(&p->alone, radius_eff);
}

static double path_to(path *p, double overlap) {
    rps_batch *b = &p->alone.b;
    rps_batch_alone_fill(&p->alone, b->overlap_increment, overlap - b->overlap[0]);
    rps_batch_alone_fill(&p->alone, b->overlap, overlap);
    rps_batch_alone_fill(&p->alone, b->touch, overlap > 0.0 ? 1.0 : 0.0);
    p->pair->law[RPS_ROLE_NORMAL]->kernel[0](b, p->pair->constant[RPS_ROLE_NORMAL]);
    p->lost += b->dissipated[RPS_ROLE_NORMAL][0];
    return b->elastic_load[0];
}

/* In many steps. */
static double path_along(path *p, double overlap) {
    const double from = p->alone.b.overlap[0];
    double load = 0.0;
    for (int k = 1; k <= 1000; k++) load = path_to(p, from + (overlap - from) * k / 1000.0);
    return load;
}

static rps_pair luding(double k1, double kp, double kc, double plasticity) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "luding", "stiffness", k1, "unloading", kp, "cohesion", kc, NULL);
    if (plasticity > 0.0)
        use(&pair, RPS_ROLE_NORMAL, "luding", "stiffness", k1, "unloading", kp, "cohesion", kc, "plasticity",
            plasticity, NULL);
    return pair;
}

/* Loaded to d_m, unloaded over the branch of adhesion to the end. */
static void test_luding(void **state) {
    (void)state;
    path p;
    rps_pair pair = luding(1e5, 5e5, 2e4, 0.0);
    path_open(&p, &pair, 1e7, 1e-3);
    ASSERT_NEAR(path_along(&p, 1e-5), 1.0, 1e-12);
    ASSERT_NEAR(path_to(&p, 9e-6), 0.5, 1e-9); /* 5e5 (9e-6 - 8e-6): a difference of overlaps of 1e-16 relative */
    ASSERT_NEAR(path_to(&p, 8e-6), 0.0, 1e-9); /* d_0 */
    const double least = (5e5 - 1e5) / (5e5 + 2e4) * 1e-5;
    ASSERT_NEAR(path_to(&p, least), -2e4 * least, 1e-9);
    ASSERT_NEAR(-2e4 * least, -0.1538461538, 1e-10);
    /* reloaded from the branch along k_2, whose zero has moved with it */
    ASSERT_NEAR(path_along(&p, 0.5 * least), -2e4 * 0.5 * least, 1e-9);
    ASSERT_NEAR(path_to(&p, 0.5 * least + 1e-7), -2e4 * 0.5 * least + 5e5 * 1e-7, 1e-9);
    path_along(&p, 0.0);
    path_to(&p, -1e-7);
    rps_world_destroy(p.world);
    /* the loss of the whole loop, its area: triangles of the loading, the unloading and the branch */
    path_open(&p, &pair, 1e7, 1e-3);
    path_to(&p, 1e-5), path_to(&p, 8e-6), path_to(&p, least), path_along(&p, 0.0), path_to(&p, -1e-9);
    SAY("lost %.10g J\n", p.lost);
    ASSERT_NEAR(p.lost, 4.615384615e-6, 1e-15); /* the printed digits */
    rps_world_destroy(p.world);
    /* k_2 that grows to d* = 2.5e-5 m */
    pair = luding(1e5, 5e5, 2e4, 0.01);
    path_open(&p, &pair, 1e7, 1e-3);
    ASSERT_NEAR(path_along(&p, 5e-6), 0.5, 1e-12);
    ASSERT_NEAR(path_to(&p, 2.0 / 9.0 * 1e-5), 0.0, 1e-9); /* d_0 */
    ASSERT_NEAR(path_to(&p, 2e-6), -0.04, 1e-9);
    path_along(&p, 0.0), path_to(&p, -1e-9);
    ASSERT_NEAR(p.lost, 6.0e-7, 6.0e-7 * 2e-3); /* k_2 falls along the branch: 1000 chords of its energy */
    rps_world_destroy(p.world);
    path_open(&p, &pair, 1e7, 1e-3); /* elastic beyond d* */
    const double beyond = path_along(&p, 4e-5);
    ASSERT_NEAR(beyond, 1e5 * 2.5e-5 + 5e5 * 1.5e-5, 1e-9);
    ASSERT_NEAR(path_along(&p, 3e-5), beyond - 5e5 * 1e-5, 1e-9);
    rps_world_destroy(p.world);
}

static rps_pair eepa(double plasticity, double work, double exponent) {
    rps_pair pair = rps_pair_default();
    if (work > 0.0)
        use(&pair, RPS_ROLE_NORMAL, "eepa", "plasticity", plasticity, "work_of_adhesion", work, "adhesion_exponent",
            exponent, NULL);
    else
        use(&pair, RPS_ROLE_NORMAL, "eepa", "plasticity", plasticity, NULL);
    return pair;
}

/* The stated forms and printed numbers, and the branch of adhesion of several exponents. */
static void test_eepa(void **state) {
    (void)state;
    const double young = 1e7, r = 1e-3, deep = 1e-5, most = 7.326007326e-3, left = 8.254818122e-6;
    const double k1 = 231668.6931, k2 = 4.0 * k1, pull = 6.054940559e-4; /* lambda = .75, W = 1 */
    const double exponent[] = {1.0, 1.5, 3.0};
    path p;
    rps_pair pair = eepa(0.75, 0.0, 1.5);
    path_open(&p, &pair, young, r);
    ASSERT_NEAR(path_along(&p, deep), most, 1e-9 * most);
    ASSERT_NEAR(path_to(&p, left), 0.0,
                1e-8 * most); /* d_p printed to 1e-10, of which the slope is 5 times that of loading */
    ASSERT_NEAR(path_to(&p, 0.5 * left), 0.0, 0.0); /* without adhesion nothing pulls */
    rps_world_destroy(p.world);
    for (size_t k = 0; k < sizeof exponent / sizeof *exponent; k++) {
        pair = eepa(0.75, 1.0, exponent[k]);
        path_open(&p, &pair, young, r);
        path_along(&p, deep);
        ASSERT_NEAR(path_to(&p, 9e-6), k2 * (9e-6 * sqrt(9e-6) - left * sqrt(left)), 1e-8 * most);
        const double begin = cbrt(pow(left * sqrt(left) - pull / k2, 2.0));
        ASSERT_NEAR(path_along(&p, begin), -pull, 1e-8 * most);
        const double half = 0.5 * begin, load = path_along(&p, half);
        ASSERT_NEAR(load, -pull * pow(0.5, exponent[k]), 1e-9 * pull);
        /* reloaded along the stiff line from there, and the overlap that stays has moved with it */
        const double stays = half * sqrt(half) - load / k2, back = 1.1 * half;
        ASSERT_NEAR(path_to(&p, back), k2 * (back * sqrt(back) - stays), 1e-8 * pull);
        /* back on the branch, which is still that of the first loading */
        ASSERT_NEAR(path_along(&p, 0.25 * begin), -pull * pow(0.25, exponent[k]), 1e-9 * pull);
        path_along(&p, 0.0), path_to(&p, -1e-9);
        rps_world_destroy(p.world);
        /* the loss of the whole loop is the area between loading, unloading and the branch */
        path_open(&p, &pair, young, r);
        path_along(&p, deep), path_along(&p, begin), path_along(&p, 0.0), path_to(&p, -1e-9);
        const double fall = 0.4 * (pow(deep, 2.5) - pow(begin, 2.5)) - pow(left, 1.5) * (deep - begin);
        const double area = 0.4 * k1 * pow(deep, 2.5) - k2 * fall + pull * begin / (exponent[k] + 1.0);
        SAY("chi %g: lost %.10g J of %.10g\n", exponent[k], p.lost, area);
        ASSERT_NEAR(p.lost, area, 1e-6 * area); /* three curves of 1000 chords */
        rps_world_destroy(p.world);
    }
    /* shallow: half of the load of the line at touch */
    pair = eepa(0.75, 1.0, 1.5);
    path_open(&p, &pair, young, r);
    const double shallow = 1e-7;
    path_along(&p, shallow);
    const double branch = cbrt(pow(0.5 * 0.75 * pow(shallow, 1.5), 2.0));
    ASSERT_NEAR(path_along(&p, branch), -0.5 * 0.75 * k2 * pow(shallow, 1.5), 1e-9 * k2 * pow(shallow, 1.5));
    rps_world_destroy(p.world);
    /* the other radius, and a constant pull at any overlap */
    pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "eepa", "plasticity", 0.75, "work_of_adhesion", 1.0, "constant_pull", 1e-4,
        "contact_radius", 1.0, NULL);
    path_open(&p, &pair, young, r);
    ASSERT_NEAR(path_along(&p, deep), most - 1e-4, 1e-9 * most);
    const double other = pull / sqrt(2.0);
    ASSERT_NEAR(path_along(&p, cbrt(pow(left * sqrt(left) - other / k2, 2.0))), -other - 1e-4, 1e-8 * most);
    ASSERT_NEAR(p.alone.b.pull[0], other + 1e-4, 1e-8 * most);
    ASSERT_NEAR(p.alone.b.cap_bonus[0], 0.0, 0.0);
    rps_world_destroy(p.world);
}

/* A contact that ends forgets; one that stays goes on from its largest overlap. */
static void test_contacts_forget(void **state) {
    (void)state;
    rps_pair pair[4];
    for (int k = 0; k < 4; k++) pair[k] = rps_pair_default();
    use(&pair[0], RPS_ROLE_NORMAL, "walton_braun", "stiffness", 1e5, "unloading", 4e5, NULL);
    pair[1] = luding(1e5, 5e5, 2e4, 0.0);
    use(&pair[2], RPS_ROLE_NORMAL, "thornton_ning", "yield_pressure", 1e5, NULL);
    pair[3] = eepa(0.5, 1.0, 1.5);
    for (int k = 0; k < 4; k++) {
        path p;
        path_open(&p, &pair[k], 1e7, 1e-3);
        const double half = path_along(&p, 5e-6), first = path_along(&p, 1e-5);
        const double back = path_along(&p, 5e-6);
        ASSERT_BELOW(back, 0.9 * half);
        ASSERT_NEAR(path_along(&p, 1e-5), first, 1e-12 * first);
        path_to(&p, -1e-9);
        ASSERT_NEAR(path_along(&p, 5e-6), half, 1e-12 * half);
        rps_world_destroy(p.world);
    }
}

/* Relative speed after over before a head-on impact of two balls, and what is lost and left over in the books. */
typedef struct outcome {
    double restitution, lost, residual;
} outcome;

static outcome impact(const rps_pair *pair, double young, double poisson, double radius, double mass_eff, double v,
                      double dt) {
    rps_world *world = world_with(pair, young, poisson, dt);
    add_ball(world, rps_vec3_zero(), radius, 2.0 * mass_eff, rps_vec3_make(0.5 * v, 0.0, 0.0), rps_vec3_zero());
    add_ball(world, rps_vec3_make(2.0 * radius + 0.3 * v * dt, 0.0, 0.0), radius, 2.0 * mass_eff,
             rps_vec3_make(-0.5 * v, 0.0, 0.0), rps_vec3_zero());
    start(world);
    bool touched = false, over = false;
    for (int n = 0; n < 1000000 && !over; n++) {
        advance(world, 1);
        const bool is = rps_world_contact_count(world) > 0;
        over = touched && !is;
        touched = touched || is;
    }
    assert_true(over);
    const rps_ledger ledger = ledger_of(world);
    const outcome out = {(velocity_of(world, 1).x - velocity_of(world, 0).x) / v, dissipated_of(&ledger),
                         ledger.residual};
    rps_world_destroy(world);
    return out;
}

/* (1 - 5/2 lambda + 3/2 lambda^(5/3))/(1 - lambda) of the energy comes back, at any speed. */
static void test_eepa_restitution(void **state) {
    (void)state;
    const double lambda = 0.5, young = 1e9;
    const double expected = sqrt((1.0 - 2.5 * lambda + 1.5 * pow(lambda, 5.0 / 3.0)) / (1.0 - lambda));
    rps_pair pair = eepa(lambda, 0.0, 1.5);
    for (int k = 0; k < 2; k++) {
        const double v = k ? 0.05 : 0.5;
        const outcome out = impact(&pair, young, 0.3, 1e-2, 1e-3, v, 2e-8);
        SAY("v %g m/s: e %.8f of %.8f, residual %.2g\n", v, out.restitution, expected, out.residual);
        ASSERT_NEAR(out.restitution, expected, 2e-5); /* second order in the step, 1e-3 of the impact and less */
        ASSERT_BELOW(fabs(out.residual), 1e-4 * 1e-3 * v * v);
    }
    /* adhesion that takes more than what would come back: the balls stay together, and the books close */
    pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "eepa", "plasticity", 0.9, "work_of_adhesion", 50.0, NULL);
    rps_world *world = world_with(&pair, young, 0.3, 2e-7);
    add_ball(world, rps_vec3_zero(), 1e-2, 2e-3, rps_vec3_make(0.01, 0.0, 0.0), rps_vec3_zero());
    add_ball(world, rps_vec3_make(2e-2 + 1e-9, 0.0, 0.0), 1e-2, 2e-3, rps_vec3_make(-0.01, 0.0, 0.0), rps_vec3_zero());
    start(world);
    advance(world, 50000);
    assert_int_equal(rps_world_contact_count(world), 1);
    const rps_ledger ledger = ledger_of(world);
    SAY("stuck: lost %.6g J of %.6g, residual %.2g\n", dissipated_of(&ledger), 0.5e-3 * 4e-4, ledger.residual);
    ASSERT_BELOW(fabs(ledger.residual),
                 1e-6 * 2e-7); /* powers of the overlap, second order in a step of 1e-4 of the impact */
    rps_world_destroy(world);
}

/* sqrt(k_1/k_2) at any speed, and with `slope` less the faster. */
static void test_walton_braun(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "walton_braun", "stiffness", 1e5, "unloading", 4e5, NULL);
    for (int k = 0; k < 2; k++) {
        const double v = k ? 0.05 : 0.5;
        const outcome out = impact(&pair, 1e7, 0.3, 1e-2, 1e-3, v, 2e-7);
        SAY("v %g m/s: e %.8f, lost %.8g J, residual %.2g\n", v, out.restitution, out.lost, out.residual);
        ASSERT_NEAR(out.restitution, 0.5,
                    2e-4); /* the step is 1e-3 of the period of unloading; first order at the ends */
        ASSERT_NEAR(out.lost, 0.375 * 1e-3 * v * v, 2e-4 * 1e-3 * v * v);
        ASSERT_BELOW(fabs(out.residual), 1e-4 * 1e-3 * v * v);
    }
    /* k_1 d_m^2/2 = m v^2/2 sets d_m; e = sqrt(k_1/k_2) = (1 + S d_m)^(-1/2) */
    pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "walton_braun", "stiffness", 1e5, "slope", 5e4, NULL);
    for (int k = 0; k < 2; k++) {
        const double v = k ? 0.05 : 0.5, deepest = v * sqrt(1e-3 / 1e5);
        const outcome out = impact(&pair, 1e7, 0.3, 1e-2, 1e-3, v, 2e-7);
        ASSERT_NEAR(out.restitution, 1.0 / sqrt(1.0 + 5e4 * deepest), 4e-4);
    }
}

/* The path of the stated forms, continuous where it turns, and the restitution of the paper at two speeds. */
static void test_thornton_ning(void **state) {
    (void)state;
    const double modulus = 4e10, r = 5e-3, yield = 3e9, mass = 2e-3, poisson = 0.3;
    const double young = 2.0 * modulus * (1.0 - poisson * poisson);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "thornton_ning", "yield_pressure", yield, NULL);
    path p;
    path_open(&p, &pair, young, r);
    const double at_yield = 6.939565595e-5, force = 2180.128829;
    ASSERT_NEAR(path_along(&p, at_yield), force,
                1e-6 * force); /* printed to 10 digits; 1.5 times their error, and round-off */
    const double deep = 5.295035961e-4, most = path_along(&p, deep);
    ASSERT_NEAR(most, force + RPS_PI * yield * r * (deep - at_yield), 1e-6 * most);
    ASSERT_NEAR(p.alone.b.contact_radius[0], sqrt(r * deep), 1e-12);
    ASSERT_NEAR(path_along(&p, 2.545291221e-4), 0.0, 1e-6 * most); /* d_p */
    ASSERT_NEAR(path_along(&p, deep), most, 1e-12 * most);         /* reloaded as it was unloaded */
    rps_world_destroy(p.world);
    const double v_y = 7.779240841, e[] = {0.9306258773, 0.6585583367}, ratio[] = {0.5, 0.1};
    for (int k = 0; k < 2; k++) {
        const outcome out = impact(&pair, young, poisson, 2.0 * r, mass, v_y / ratio[k], 2e-8);
        SAY("v_y/v %g: e %.8f of %.8f, residual %.2g of the energy\n", ratio[k], out.restitution, e[k],
            out.residual / (0.5 * mass * v_y * v_y / (ratio[k] * ratio[k])));
        ASSERT_NEAR(out.restitution, e[k], 2e-5); /* second order in the step, 1/400 to 1/1000 of the impact */
        ASSERT_BELOW(fabs(out.residual), 1e-4 * 0.5 * mass * v_y * v_y / (ratio[k] * ratio[k]));
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double value[4]; /* NAN: not given */
        const char *words;
    } wrong[] = {{"walton_braun", {1e5, NAN, NAN}, "either `unloading` (N/m)"},
                 {"walton_braun", {1e5, 2e5, 1.0}, "either `unloading` (N/m)"},
                 {"walton_braun", {1e5, 1e4, NAN}, "would make energy"},
                 {"luding", {1e5, NAN, 0.0, NAN}, "needs `stiffness`, of loading, and `unloading`"},
                 {"luding", {1e5, 1e5, 0.0, NAN}, "must be above `stiffness`"},
                 {"luding", {1e5, 2e5, 3e5, NAN}, "`cohesion`, 300000 N/m, is above"},
                 {"eepa", {NAN, 0.0, 0.0, NAN}, "needs `plasticity`"},
                 {"eepa", {0.5, 0.0, 0.0, 2.0}, "which contacts without `work_of_adhesion` do not have"},
                 {"thornton_ning", {NAN, NAN}, "needs `yield_pressure` (Pa)"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        rps_pair pair = rps_pair_default();
        MUST(rps_pair_law(&pair, RPS_ROLE_NORMAL, wrong[k].law, ERR));
        for (int n = 0; n < 4 && pair.law[RPS_ROLE_NORMAL]->parameter[n].name; n++)
            pair.value[RPS_ROLE_NORMAL][n] = wrong[k].value[n];
        rps_material material = rps_material_default();
        material.name = "stuff";
        material.young = 1e9;
        material.poisson = 0.3;
        const rps_world_options options = options_of(1e-5);
        rps_world *world;
        rps_error err = {0};
        MUST(rps_world_create(&options, &world, ERR));
        MUST(rps_world_add_material(world, &material, NULL, ERR));
        assert_int_equal(rps_world_set_pair(world, 0, 0, &pair, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, wrong[k].words)) fail_msg("expected \"%s\" in: %s", wrong[k].words, err.text);
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_luding),       cmocka_unit_test(test_contacts_forget),
        cmocka_unit_test(test_eepa),         cmocka_unit_test(test_eepa_restitution),
        cmocka_unit_test(test_walton_braun), cmocka_unit_test(test_thornton_ning),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
