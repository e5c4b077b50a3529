/*
 * Head-on impacts against closed forms: duration, depth and force of elastic Hertz contact (Chung & Ooi 2011, tests
 * 1 and 2), and the coefficient of restitution that each damping law promises, with the pull cut off and allowed.
 */
#include "worlds.h"

typedef struct blow {
    double restitution;
    double depth, force, duration; /* m, N, s; largest, and of the contact */
    double pull;                   /* N, the least normal load */
} blow;

/* Two equal spheres (or one and a wall) meet at `speed` relative to each other; times of begin and end between
 * steps. */
static blow hit(const rps_pair *pair, rps_material material, double radius, double mass, double speed, bool wall,
                double step) {
    rps_world_options options = options_of(step);
    rps_world *world = world_of_material(&options, pair, material);
    const rps_vec3 zero = {0.0, 0.0, 0.0};
    /* half a step before contact, so that its birth is known to second order */
    const double before = 0.5 * speed * step;
    if (wall) {
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        add_ball(world, rps_vec3_make(0.0, 0.0, radius + before), radius, mass, rps_vec3_make(0.0, 0.0, -speed), zero);
    } else {
        add_ball(world, zero, radius, mass, rps_vec3_make(0.0, 0.0, 0.5 * speed), zero);
        add_ball(world, rps_vec3_make(0.0, 0.0, 2.0 * radius + before), radius, mass,
                 rps_vec3_make(0.0, 0.0, -0.5 * speed), zero);
    }
    start(world);
    blow b = {0};
    double gap = before;
    bool was = false;
    for (int n = 0; n < 1000000; n++) {
        advance(world, 1);
        bool is;
        const rps_contact c = contact_of(world, 0, 1, &is);
        const double top = position_of(world, 1).z, bottom = wall ? 0.0 : position_of(world, 0).z;
        const double now = top - bottom - (wall ? 1.0 : 2.0) * radius;
        if (is) {
            b.depth = fmax(b.depth, c.overlap[0]);
            b.force = fmax(b.force, c.normal_load[0]);
            b.pull = fmin(b.pull, c.normal_load[0]);
        }
        if (was && !is) {
            b.duration = (n + 1) * step - step * now / (now - gap) - 0.5 * step;
            break;
        }
        was = is;
        gap = now;
    }
    if (!(b.duration > 0.0)) fail_msg("the bodies did not part again");
    const double apart = velocity_of(world, 1).z - (wall ? 0.0 : velocity_of(world, 0).z);
    b.restitution = apart / speed;
    rps_world_destroy(world);
    return b;
}

static rps_pair normal_pair(const char *normal, const char *damping, double value, rps_tension tension) {
    rps_pair pair = rps_pair_default();
    if (strcmp(normal, "hooke") == 0) {
        use(&pair, RPS_ROLE_NORMAL, normal, "stiffness", 1e6, NULL);
    } else {
        use(&pair, RPS_ROLE_NORMAL, normal, NULL);
    }
    if (damping) use(&pair, RPS_ROLE_DAMPING, damping, "value", value, NULL);
    pair.tension = tension;
    return pair;
}

static rps_material material_of(double young, double poisson) {
    rps_material m = rps_material_default();
    m.name = "stuff";
    m.young = young;
    m.poisson = poisson;
    return m;
}

/* --- elastic Hertz ------------------------------------------------------------------------------------------------ */

/* Published numbers are rounded to five digits: 1e-4. A wall in T2 is rigid: E_eff = E/(1 - nu^2) there, so twice the
 * modulus of the pair of two like bodies. */
static void test_elastic_hertz(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool wall;
        double radius, density, young, poisson, speed, depth, force, duration;
    } published[] = {
        {"T1 glass", false, 0.01, 2800, 4.8e10, 0.20, 20.0, 2.7411e-4, 10697, 4.0348e-5},
        {"T1 limestone", false, 0.01, 2500, 2.0e10, 0.25, 20.0, 3.6830e-4, 7108.2, 5.4213e-5},
        {"T2 aluminium", true, 0.1, 2699, 7.0e10, 0.30, 0.2, 4.9717e-5, 11370, 7.3182e-4},
        {"T2 magnesium", true, 0.1, 1800, 4.0e10, 0.35, 0.2, 5.2123e-5, 7232.7, 7.6723e-4},
    };
    for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
        const double radius = published[k].radius,
                     mass = published[k].density * 4.0 / 3.0 * RPS_PI * radius * radius * radius;
        rps_pair pair = normal_pair("hertz", NULL, 0.0, RPS_TENSION_CUT);
        if (published[k].wall) {
            const double modulus = published[k].young / (1.0 - published[k].poisson * published[k].poisson);
            use(&pair, RPS_ROLE_NORMAL, "hertz", "effective_modulus", modulus, NULL);
        }
        const rps_material material = material_of(published[k].young, published[k].poisson);
        const double step = published[k].duration / 2000.0;
        const blow b = hit(&pair, material, radius, mass, published[k].speed, published[k].wall, step);
        SAY("%s: depth %.5g m, force %.5g N, duration %.5g s, e %.7f\n", published[k].name, b.depth, b.force,
            b.duration, b.restitution);
        ASSERT_NEAR(b.depth / published[k].depth, 1.0, 1e-4);
        ASSERT_NEAR(b.force / published[k].force, 1.0, 1e-4);
        /* exact: 4 sqrt(pi)/5 Gamma(2/5)/Gamma(9/10) d/v = 2.943275 d/v; the published durations use a rounded
         * 2.9439 */
        const double exact = 0.8 * sqrt(RPS_PI) * tgamma(0.4) / tgamma(0.9) * published[k].depth / published[k].speed;
        ASSERT_NEAR(b.duration / exact, 1.0, 2e-5);
        ASSERT_NEAR(b.duration / published[k].duration, 1.0, 3e-4);
        ASSERT_NEAR(b.restitution, 1.0, 1e-5); /* second order in the step, 2000 a contact */
        /* the energy of the deepest point: m_eff v^2/2 = 2/5 F d */
        const double mass_eff = published[k].wall ? mass : 0.5 * mass;
        ASSERT_NEAR(0.4 * b.force * b.depth, 0.5 * mass_eff * published[k].speed * published[k].speed,
                    1e-4 * 0.4 * b.force * b.depth);
    }
}

/* --- restitution -------------------------------------------------------------------------------------------------- */

/* e at steps of 1/n and 1/2n of the contact's duration, extrapolated: rates are increments/dt, so the error is of first
 * order in the step. */
static double converged_at(const rps_pair *pair, double mass, double speed, bool wall, double young, double *error) {
    const rps_material material = material_of(young, 0.3);
    const double step = 2e-8;
    const double coarse = hit(pair, material, 0.0025, mass, speed, wall, 2.0 * step).restitution;
    const double fine = hit(pair, material, 0.0025, mass, speed, wall, step).restitution;
    *error = fabs(coarse - fine);
    return 2.0 * fine - coarse;
}

static double converged(const rps_pair *pair, bool wall, double young, double *error) {
    return converged_at(pair, 5e-4, 3.9, wall, young, error);
}

static void test_restitution(void **state) {
    (void)state;
    static const double wanted[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99};
    for (int k = 0; k < 4; k++) {
        const char *normal = k & 1 ? "hertz" : "hooke";
        const rps_tension tension = k & 2 ? RPS_TENSION_ALLOW : RPS_TENSION_CUT;
        double worst = 0.0;
        for (size_t n = 0; n < sizeof wanted / sizeof *wanted; n++) {
            const rps_pair pair = normal_pair(normal, "restitution", wanted[n], tension);
            double error;
            const double e = converged(&pair, n % 2 == 0, 1e9, &error);
            worst = fmax(worst, fabs(e - wanted[n]));
            ASSERT_BELOW(error, 5e-3); /* some 600 steps a contact */
            /* closed forms are exact up to what is left of the step. Hooke's pull does not fade before it ends, so
             * that it matters where within a step that is: 2 z w e dt <= 5e-4. */
            static const double tolerance[] = {1e-5, 5e-5, 5e-4, 5e-5};
            ASSERT_NEAR(e, wanted[n], tolerance[k]);
        }
        SAY("%s, tension %s: e misses by at most %.2g\n", normal, k & 2 ? "allowed" : "cut", worst);
    }
}

/* Tsuji's factor with the pull cut off rebounds more: published numbers of four digits. */
static void test_cut_of_the_pull(void **state) {
    (void)state;
    static const double e_in[] = {0.1, 0.3, 0.5, 0.7, 0.9}, e_out[] = {0.2526, 0.3971, 0.5503, 0.7182, 0.9020};
    for (int k = 0; k < 5; k++) {
        /* ratio z: c = 2 z sqrt(S m), so z = sqrt(5/6) b */
        const double l = log(e_in[k]), z = sqrt(5.0 / 6.0) * -l / sqrt(RPS_PI * RPS_PI + l * l);
        const rps_pair pair = normal_pair("hertz", "ratio", z, RPS_TENSION_CUT);
        double error;
        const double e = converged(&pair, true, 1e9, &error);
        SAY("hertz with pull cut: e %.1f becomes %.4f\n", e_in[k], e);
        ASSERT_NEAR(e, e_out[k], 2e-4);
    }
}

static void test_hooke_with_cut_by_ratio(void **state) {
    (void)state;
    static const double z[] = {0.05, 0.3, 0.6, 0.8, 1.0, 1.5}, e_out[] = {0.85876, 0.45098, 0.24884, 0.17978, 0.0, 0.0};
    for (int k = 0; k < 6; k++) {
        const rps_pair pair = normal_pair("hooke", "ratio", z[k], RPS_TENSION_CUT);
        double error, expected = e_out[k];
        if (z[k] == 1.0) expected = exp(-2.0); /* the limit from both sides */
        if (z[k] >
            1.0) { /* overdamped: v when k x + c v = 0, from x'' + 2 z w x' + w^2 x = 0 by its two exponentials */
            const double s = sqrt(z[k] * z[k] - 1.0), slow = -z[k] + s, quick = -z[k] - s;
            /* x = (e^{slow t} - e^{quick t})/(2s); load ~ x + 2 z v = 0 */
            const double t = log((1.0 + 2.0 * z[k] * quick) / (1.0 + 2.0 * z[k] * slow)) / (slow - quick);
            expected = -(slow * exp(slow * t) - quick * exp(quick * t)) / (2.0 * s);
        }
        const double e = converged(&pair, true, 1e9, &error);
        SAY("hooke with cut, ratio %g: e %.5f, closed form %.5f\n", z[k], e, expected);
        ASSERT_NEAR(e, expected, 2e-4);
        /* and the law restitution finds that ratio back */
        const rps_pair back = normal_pair("hooke", "restitution", expected, RPS_TENSION_CUT);
        ASSERT_NEAR(converged(&back, true, 1e9, &error), expected, 2e-4);
    }
}

/* A pull is there when it is allowed, and never when it is not. Linear contact lasts sqrt(pi^2 + ln^2 e) sqrt(m/k). */
static void test_pull_and_duration(void **state) {
    (void)state;
    const double mass = 5e-4, stiffness = 1e6;
    for (int k = 0; k < 2; k++) {
        rps_pair pair = normal_pair(k ? "hertz" : "hooke", "restitution", 0.3, RPS_TENSION_CUT);
        const rps_material material = material_of(1e9, 0.3);
        assert_true(hit(&pair, material, 0.0025, mass, 3.9, true, 5e-8).pull == 0.0);
        pair.tension = RPS_TENSION_ALLOW;
        const blow b = hit(&pair, material, 0.0025, mass, 3.9, true, 5e-8);
        ASSERT_BELOW(b.pull, -1.0);
        const double l = log(0.3);
        if (!k)
            ASSERT_NEAR(b.duration / (sqrt(RPS_PI * RPS_PI + l * l) * sqrt(mass / stiffness)), 1.0,
                        2e-3); /* first order */
    }
}

/* --- dampers by their coefficients ---------------------------------------------------------------------------------- */

/* With Hooke, m x'' + m gamma x' + k x = 0 until the overlap ends: e = exp(-gamma t/2), t = pi/sqrt(k/m - gamma^2/4), at any
 * speed. */
static void test_mass_and_coefficient(void **state) {
    (void)state;
    const double mass = 1e-3, stiffness = 1e6, gamma = 1e4;
    for (int k = 0; k < 4; k++) {
        const bool wall = k & 1, by_mass = k & 2;
        const double m = wall ? mass : 0.5 * mass, t = RPS_PI / sqrt(stiffness / m - 0.25 * gamma * gamma);
        const rps_pair pair =
            normal_pair("hooke", by_mass ? "mass" : "coefficient", by_mass ? gamma : gamma * m, RPS_TENSION_ALLOW);
        double error;
        const double e = converged_at(&pair, mass, 0.7, wall, 1e9, &error);
        ASSERT_NEAR(e, exp(-0.5 * gamma * t), 5e-4); /* of the instant of the end, as in test_restitution */
    }
}

/* Viscoelastic spheres lose less when they are slow: values by an independent integration of
 * m x'' + k_H (x^(3/2) + 3/2 A sqrt(x) x') = 0; and the series 1 - C y + 3/5 C^2 y^2, y = A (k_H/m)^(2/5) v^(1/5) for small
 * y, with C = 1.7301732871 (the 1.15344 of the literature belongs to another k). */
static void test_viscoelastic(void **state) {
    (void)state;
    static const double speed[] = {0.01, 1.0};
    static const double expected[2][2] = {{0.9366367, 0.8495529}, {0.9368252, 0.8511843}}; /* pull allowed, cut */
    const double full = 5e8, mass = 1e-3, time = 2e-6, c = 1.7301732871;
    for (int cut = 0; cut < 2; cut++) {
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hertz", "effective_modulus", 0.75 * full / sqrt(0.0025), NULL);
        use(&pair, RPS_ROLE_DAMPING, "viscoelastic", "value", time, NULL);
        pair.tension = cut ? RPS_TENSION_CUT : RPS_TENSION_ALLOW;
        for (int k = 0; k < 2; k++) {
            double error;
            const double e = converged_at(&pair, mass, speed[k], true, 1e9, &error);
            ASSERT_NEAR(e, expected[cut][k], 5e-5); /* what is left of the step, as in test_restitution */
            const double y = c * time * pow(full / mass, 0.4) * pow(speed[k], 0.2);
            if (!cut) ASSERT_NEAR(e, 1.0 - y + 0.6 * y * y, 0.4 * y * y * y + 5e-5); /* the next term has .315 y^3 */
        }
    }
}

/* Each damper in one step of a ball that goes into the floor: D = c (overlap now - overlap before)/dt. */
static void test_coefficients(void **state) {
    (void)state;
    const double radius = 0.0025, mass = 1e-3, modulus = 7.5e9, before = 2e-6, speed = 0.3, step = 1e-8;
    static const char *const law[] = {"coefficient", "mass", "mass_radius", "viscoelastic"};
    static const double value[] = {3.0, 3e3, 3e7, 3e-6};
    for (int k = 0; k < 4; k++) {
        rps_world_options options = options_of(step);
        rps_pair pair = rps_pair_default();
        use(&pair, RPS_ROLE_NORMAL, "hertz", "effective_modulus", modulus, NULL);
        use(&pair, RPS_ROLE_DAMPING, law[k], "value", value[k], NULL);
        rps_world *world = world_of_material(&options, &pair, material_of(1e9, 0.3));
        add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
        add_ball(world, rps_vec3_make(0.0, 0.0, radius - before), radius, mass, rps_vec3_make(0.0, 0.0, -speed),
                 rps_vec3_zero());
        start(world);
        bool is;
        const double first = contact_of(world, 0, 1, &is).overlap[0];
        advance(world, 1);
        const rps_contact contact = contact_of(world, 0, 1, &is);
        const double overlap = contact.overlap[0], a = sqrt(radius * overlap);
        const double c[] = {value[0], value[1] * mass, value[2] * mass * a, value[3] * 2.0 * modulus * a};
        const double elastic = 4.0 / 3.0 * modulus * a * overlap, damped = c[k] * (overlap - first) / step;
        assert_true(is && damped > 0.1 * elastic);
        ASSERT_NEAR(contact.normal_load[0] / (elastic + damped), 1.0, 1e-9); /* overlaps are differences of places */
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic_hertz),     cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_cut_of_the_pull),   cmocka_unit_test(test_hooke_with_cut_by_ratio),
        cmocka_unit_test(test_pull_and_duration), cmocka_unit_test(test_mass_and_coefficient),
        cmocka_unit_test(test_viscoelastic),      cmocka_unit_test(test_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
