/* The solvers of cone problems: closed forms for one sphere and for a stack, independence of units, infeasible
 * problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "cone/solver.h"

static const rps_cone_method methods[] = {RPS_CONE_AUTO, RPS_CONE_NSGS, RPS_CONE_APGD, RPS_CONE_NEWTON};

static rps_cone_result solve(const rps_cone_problem *p, rps_cone_law law, rps_cone_method method, double *r,
                             double *u) {
    rps_cone_options options = {law, method, 1e-12, 200000, 0, false};
    rps_cone_result result;
    memset(r, 0, p->rows * sizeof *r);
    assert_int_equal(rps_cone_solve(p, &options, r, u, &result, NULL), RPS_OK);
    return result;
}

/* One sphere of mass m on a plane: solid, so that the tangential rows have (1 + 1/0.4)/m. */
static void one_sphere(rps_cone_problem *p, double m, double mu, double normal, double slide) {
    const double q[3] = {normal, slide, 0};
    const rps_cone_entry w[3] = {{0, 0, 1 / m}, {1, 1, 3.5 / m}, {2, 2, 3.5 / m}};
    assert_int_equal(rps_cone_problem_make(p, NULL, 3, 1, &mu, NULL, NULL, q, w, 3, NULL), RPS_OK);
}

/* Tolerances: the residual of 1e-12 with numbers of order 1 and a metric of order 1. */
#define NEAR 1e-11

static void test_sphere_on_plane(void **state) {
    (void)state;
    const double m = 2, mu = 0.3, gh = 0.1;
    for (int k = 0; k < 4; k++) {
        rps_cone_problem p;
        double r[3], u[3];
        one_sphere(&p, m, mu, -gh, 0.08); /* held: 3.5 mu g h = 0.105 */
        assert_true(solve(&p, RPS_CONE_COULOMB, methods[k], r, u).solved);
        assert_true(fabs(r[0] - m * gh) < NEAR && fabs(r[1] + 0.08 * m / 3.5) < NEAR && fabs(u[1]) < NEAR);
        rps_cone_problem_release(&p);

        one_sphere(&p, m, mu, -gh, 1); /* slides, and stays on the plane */
        assert_true(solve(&p, RPS_CONE_COULOMB, methods[k], r, u).solved);
        assert_true(fabs(r[0] - m * gh) < NEAR && fabs(r[1] + mu * m * gh) < NEAR && fabs(u[0]) < NEAR);
        assert_true(fabs(u[1] - (1 - 3.5 * mu * gh)) < NEAR);
        /* the convex law opens the contact by u_n = mu |u_t|: r_n / m = g h + mu (v - 3.5 mu r_n / m) */
        assert_true(solve(&p, RPS_CONE_CONVEX, methods[k], r, u).solved);
        assert_true(fabs(r[0] - m * (gh + mu) / (1 + 3.5 * mu * mu)) < NEAR && fabs(u[0] - mu * u[1]) < NEAR);
        rps_cone_problem_release(&p);

        one_sphere(&p, m, mu, gh, 1); /* parts */
        assert_true(solve(&p, RPS_CONE_COULOMB, methods[k], r, u).solved);
        assert_true(r[0] == 0 && r[1] == 0 && u[0] == gh && u[1] == 1);
        rps_cone_problem_release(&p);
    }
}

/* So much friction that everything sticks: the natural map alone would accept zero impulses. Gradient steps on the
 * fixed point of s(u) then fail to converge and must report it; `auto` does not start with them. */
static void test_steep_cones(void **state) {
    (void)state;
    const double m = 2, gh = 0.1, steep[] = {30, 1e3, 1e6}, slide[] = {0.08, 1e-3};
    for (int k = 0; k < 24; k++) {
        rps_cone_method method = methods[k % 4];
        rps_cone_options options = {
            RPS_CONE_COULOMB, method, 1e-9, 5000, 0, false}; /* rounding leaves 1e6 times 1e-17 in s(u) */
        rps_cone_result result;
        rps_cone_problem p;
        double r[3] = {0}, u[3], v = slide[k / 12];
        one_sphere(&p, m, steep[k / 4 % 3], -gh, v);
        assert_int_equal(rps_cone_solve(&p, &options, r, u, &result, NULL), RPS_OK);
        assert_true((result.solved && result.iterations < 10) || method > RPS_CONE_NSGS);
        if (result.solved) {
            assert_true(fabs(r[0] - m * gh) < 1e-8 && fabs(r[1] + v * m / 3.5) < 1e-8);
            assert_true(fabs(u[0]) < 1e-8 && fabs(u[1]) < 1e-8);
        }
        rps_cone_problem_release(&p);
    }
}

/* A sphere that rolls and spins: rolling friction slows it by rho m g R / (m R^2 + I), spinning by sigma m g / I. Row t2
 * of the slide and row r2 of the roll are coupled by the lever R. */
static void test_rolling_and_spinning(void **state) {
    (void)state;
    const double m = 0.7, R = 0.05, I = 0.4 * m * R * R, mu = 0.5, rho = 1e-3, sigma = 4e-4, gh = 0.05, w0 = 20,
                 spin = 9;
    const double q[6] = {-gh, 0, 0, spin, 0, w0};
    const rps_cone_entry w[] = {{0, 0, 1 / m},
                                {1, 1, 1 / m + R * R / I},
                                {2, 2, 1 / m + R * R / I},
                                {3, 3, 1 / I},
                                {4, 4, 1 / I},
                                {5, 5, 1 / I},
                                {2, 5, -R / I},
                                {5, 2, -R / I},
                                {1, 4, R / I},
                                {4, 1, R / I}};
    rps_cone_problem p;
    assert_int_equal(rps_cone_problem_make(&p, NULL, 6, 1, &mu, &rho, &sigma, q, w, sizeof w / sizeof *w, NULL),
                     RPS_OK);
    for (int k = 0; k < 4; k++) {
        double r[6], u[6];
        assert_true(solve(&p, RPS_CONE_COULOMB, methods[k], r, u).solved);
        assert_true(fabs(u[5] - (w0 - rho * m * gh / (m * R * R + I))) < 1e-9 * w0);
        assert_true(fabs(u[3] - (spin - sigma * m * gh / I)) < 1e-9 * spin);
        assert_true(fabs(r[0] - m * gh) < NEAR && fabs(u[2]) < NEAR * w0);
    }
    rps_cone_problem_release(&p);
}

/* Sphere k of a stack of n carries n - k of them. */
static void test_stack(void **state) {
    (void)state;
    enum { N = 12 };
    const double m = 3, gh = 0.05;
    double mu[N], q[2 * N] = {-gh}, r[2 * N], u[2 * N];
    rps_cone_entry w[4 * N];
    size_t n = 0;
    for (uint32_t k = 0; k < N; k++) {
        mu[k] = 0.4;
        w[n++] = (rps_cone_entry){2 * k, 2 * k, (k ? 2 : 1) / m};
        w[n++] = (rps_cone_entry){2 * k + 1, 2 * k + 1, (k ? 7 : 3.5) / m};
        if (k) {
            w[n++] = (rps_cone_entry){2 * k, 2 * k - 2, -1 / m};
            w[n++] = (rps_cone_entry){2 * k - 2, 2 * k, -1 / m};
        }
    }
    rps_cone_problem p;
    assert_int_equal(rps_cone_problem_make(&p, NULL, 2, N, mu, NULL, NULL, q, w, n, NULL), RPS_OK);
    for (int method = 0; method < 4; method++) {
        assert_true(solve(&p, RPS_CONE_COULOMB, methods[method], r, u).solved);
        for (int k = 0; k < N; k++) { /* W has its smallest eigenvalue near (pi / 2N)^2 / m: 60 times the tolerance */
            assert_true(fabs(r[2 * k] - (N - k) * m * gh) < 100 * NEAR * N * m * gh);
        }
    }
    rps_cone_problem_release(&p);
}

/* A random pile of 40 contacts between 25 bodies, in units of `length` m, `mass` kg, `time` s. The free velocities
 * are those of some motion of the bodies plus a separation of all contacts, so the problem is feasible. */
enum { CONTACTS = 40, BODIES = 25, PILE_ROWS = 6 * CONTACTS };
static double chance(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(11, RPS_RANDOM_TEST, id, n) - 1;
}

static void pile(rps_cone_problem *p, double length, double mass, double time) {
    static double d[PILE_ROWS][6 * BODIES], w[PILE_ROWS][PILE_ROWS];
    static rps_cone_entry entry[PILE_ROWS * PILE_ROWS];
    double mu[CONTACTS], rho[CONTACTS], sigma[CONTACTS], q[PILE_ROWS];
    size_t n = 0;
    memset(d, 0, sizeof d);
    for (uint64_t c = 0; c < CONTACTS; c++) {
        mu[c] = 0.3 + 0.2 * chance(c, 1);
        rho[c] = 0.02 * (1 + chance(c, 2)) / length;
        sigma[c] = 0.01 * (1 + chance(c, 3)) / length;
        size_t body[2] = {c % BODIES, rps_random_index(12, RPS_RANDOM_TEST, c, 0, BODIES)};
        for (size_t row = 0; row < 6; row++) {
            for (size_t k = 0; k < 12; k++) { /* rows of torque: inertia 1/100 of the mass */
                d[6 * c + row][6 * body[k / 6] + k % 6] += chance(c, 10 + 12 * row + k) * (row >= 3 ? 10 : 1);
            }
        }
    }
    for (size_t i = 0; i < PILE_ROWS; i++) {
        double v = i % 6 == 0 ? 0.3 : 0;
        for (size_t k = 0; k < 6 * BODIES; k++) {
            v += d[i][k] * chance(1000, k);
        }
        q[i] = v * time / (i % 6 < 3 ? length : 1);
        for (size_t j = 0; j < PILE_ROWS; j++) {
            w[i][j] = 0;
            for (size_t k = 0; k < 6 * BODIES; k++) {
                w[i][j] += d[i][k] * d[j][k];
            }
            if (w[i][j] != 0) {
                const double lengths = (i % 6 >= 3 ? length : 1) * (j % 6 >= 3 ? length : 1);
                entry[n++] = (rps_cone_entry){(uint32_t)i, (uint32_t)j, w[i][j] * mass * lengths};
            }
        }
    }
    assert_int_equal(rps_cone_problem_make(p, NULL, 6, CONTACTS, mu, rho, sigma, q, entry, n, NULL), RPS_OK);
}

/* The methods see the same bits in any units: powers of two cancel, and other rounding errors are rounded away. */
static void test_units_change_nothing(void **state) {
    (void)state;
    static const double unit[][3] = {{1024, 1, 1},    {1, 128, 1},          {1, 1, 0.03125},  {1.0 / 512, 8, 16},
                                     {1e3, 1e3, 1e3}, {39.37, 2.2046, 1.0}, {7.3, 0.019, 113}};
    static double r[PILE_ROWS], u[PILE_ROWS];
    rps_cone_problem p;
    for (int law = 0; law < 2; law++) {
        for (int k = 0; k < 4; k++) {
            rps_cone_options options = {law ? RPS_CONE_CONVEX : RPS_CONE_COULOMB, methods[k], 1e-8, 3000, 0, false};
            rps_cone_result first, other;
            pile(&p, 1, 1, 1);
            memset(r, 0, sizeof r);
            assert_int_equal(rps_cone_solve(&p, &options, r, u, &first, NULL), RPS_OK);
            assert_true(first.solved);
            rps_cone_problem_release(&p);
            for (size_t c = 0; c < sizeof unit / sizeof *unit; c++) {
                pile(&p, unit[c][0], unit[c][1], unit[c][2]);
                memset(r, 0, sizeof r);
                assert_int_equal(rps_cone_solve(&p, &options, r, u, &other, NULL), RPS_OK);
                assert_int_equal(other.iterations, first.iterations);
                /* of the problem as it stands: its roundings, over a residual of 1e-8 */
                assert_true(fabs(other.residual_metric / first.residual_metric - 1) < 1e-5);
                rps_cone_problem_release(&p);
            }
        }
    }
}

/* The residual of the rounded problem is below the tolerance of the problem itself, however small it is. */
static void test_small_tolerances(void **state) {
    (void)state;
    static double r[PILE_ROWS], u[PILE_ROWS];
    rps_cone_problem p;
    pile(&p, 1, 1, 1);
    for (double tolerance = 1e-2; tolerance > 1e-13; tolerance *= 0.1) {
        rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_AUTO, tolerance, 30000, 0, false};
        rps_cone_result result;
        memset(r, 0, sizeof r);
        assert_int_equal(rps_cone_solve(&p, &options, r, u, &result, NULL), RPS_OK);
        assert_true(result.solved && rps_cone_residual_metric(&p, RPS_CONE_COULOMB, r, u) <= tolerance);
    }
    rps_cone_problem_release(&p);
}

/* A ball between two plates that approach each other: no velocity satisfies both contacts. */
static void test_infeasible(void **state) {
    (void)state;
    const double mu[2] = {0.3, 0.3}, q[4] = {-1, 0, -1, 0};
    const rps_cone_entry w[] = {{0, 0, 1}, {2, 2, 1}, {0, 2, -1}, {2, 0, -1}, {1, 1, 3.5}, {3, 3, 3.5}};
    rps_cone_problem p;
    double r[4], u[4];
    assert_int_equal(rps_cone_problem_make(&p, NULL, 2, 2, mu, NULL, NULL, q, w, 6, NULL), RPS_OK);
    for (int law = 0; law < 2; law++) {
        for (int k = 0; k < 4; k++) {
            rps_cone_result result = solve(&p, law ? RPS_CONE_CONVEX : RPS_CONE_COULOMB, methods[k], r, u);
            assert_true(!result.solved && result.infeasible);
        }
    }
    rps_cone_problem_release(&p);
}

/* A wrong answer has a residual: for r = 0 under a pressing load it is the fraction of the load that is not carried. */
static void test_residual_sees_errors(void **state) {
    (void)state;
    rps_cone_problem p;
    one_sphere(&p, 2, 0.3, -0.1, 0);
    const double none[3] = {0}, half[3] = {0.1, 0, 0}, u[3] = {-0.05, 0, 0};
    assert_true(fabs(rps_cone_residual_metric(&p, RPS_CONE_COULOMB, none, p.q) - 1) < 1e-15);
    assert_true(fabs(rps_cone_residual_metric(&p, RPS_CONE_COULOMB, half, u) - 0.5) < 1e-15);
    /* B = 1: F = 0.05 over max(|q|, |r|, |u|) = 0.1 */
    assert_true(fabs(rps_cone_residual_euclidean(&p, RPS_CONE_COULOMB, half, u) - 0.5) < 1e-15);
    rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_AUTO, 0, 1, 0, false};
    rps_cone_result result;
    double r[3] = {0}, v[3];
    assert_int_equal(rps_cone_solve(&p, &options, r, v, &result, NULL), RPS_BAD_INPUT);
    rps_cone_problem_release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_on_plane),      cmocka_unit_test(test_steep_cones),
        cmocka_unit_test(test_rolling_and_spinning), cmocka_unit_test(test_stack),
        cmocka_unit_test(test_units_change_nothing), cmocka_unit_test(test_small_tolerances),
        cmocka_unit_test(test_infeasible),           cmocka_unit_test(test_residual_sees_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
