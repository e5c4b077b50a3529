/*
 * The sheared periodic cell, from closed forms up: a free body crosses its faces on a straight line; a pair of frictional
 * spheres that meets across a face moves as the same pair does in the open, whatever the axes; the energy ledger with the work
 * of the moving images closes as dt^2; and what a sheared world cannot hold is refused.
 */
#include "worlds.h"

#include <stdlib.h>
#include "world/world.h"

static const double L[3] = {0.11, 0.13, 0.17}; /* m */

/* Flow and gradient axes of all sheared cells. */
static const int axes[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};

static rps_world_options sheared(double step, int flow, int gradient, double rate) {
    rps_world_options options = options_of(step);
    memcpy(options.period, L, sizeof L);
    options.shear = (rps_shear){.flow = flow, .gradient = gradient, .rate = rate};
    return options;
}

/* Tracked friction without dampers, so that all the ledger's terms are smooth while the pair touches and does not slip. */
static rps_pair smooth_pair(void) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 50.0, "kinetic", 50.0, "stiffness", 2e3, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.3, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.2, NULL);
    return pair;
}

static rps_pair slipping_pair(void) {
    rps_pair pair = smooth_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.7, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.3, "kinetic", 0.2, "stiffness", 2e3, NULL);
    return pair;
}

/* Permutes a vector given along (flow, gradient, vorticity). */
static rps_vec3 along(const int axis[2], double flow, double gradient, double vorticity) {
    double v[3];
    v[axis[0]] = flow;
    v[axis[1]] = gradient;
    v[3 - axis[0] - axis[1]] = vorticity;
    return rps_vec3_of(v);
}

static double part(rps_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* --- one body ------------------------------------------------------------------------------------------------------- */

/* More than 50 crossings of the sheared faces, each of which makes the body in the cell faster. Unwrapped it is thousands of
 * meters away in the end, which rounds by 1e-12 m; 40,000 steps of up to 0.01 m round by 1e-18 m each, and velocities of up
 * to 1,000 m/s by 1e-13 m/s at each crossing, which 1 s makes 1e-11 m. */
static void test_a_free_body_moves_straight(void **state) {
    (void)state;
    for (int a = 0; a < 6; a++) {
        const int flow = axes[a][0], gradient = axes[a][1];
        const double rate = a % 2 ? -37.0 : 61.0;
        rps_world_options options = sheared(2.5e-5, flow, gradient, rate);
        options.guards.action[RPS_GUARD_MOTION] = RPS_GUARD_OFF;
        const rps_pair pair = tracked_pair();
        rps_world *world = world_of(&options, &pair);
        const rps_vec3 x0 = along(axes[a], 0.03, 0.05, 0.02), v0 = along(axes[a], 3.0, a < 3 ? 10.0 : -10.0, -2.0);
        const uint64_t id = add_ball(world, x0, 0.01, 0.5, v0, rps_vec3_zero());
        start(world);
        advance(world, 40000);
        const double t = rps_world_time(world);
        const rps_vec3 off = rps_vec3_sub(position_of(world, id), rps_vec3_add_scaled(x0, t, v0));
        ASSERT_BELOW(rps_vec3_norm(off), 1e-9);
        const int32_t *image = (const int32_t *)(const void *)field_of(world, "image", id);
        assert_true(abs(image[gradient]) > 50);
        rps_vec3 v = velocity_of(world, id);
        double in_image[3] = {v.x, v.y, v.z};
        in_image[flow] += image[gradient] * rate * L[gradient];
        for (int k = 0; k < 3; k++) ASSERT_NEAR(in_image[k], part(v0, k), 1e-9);
        /* the shear gave it all that its kinetic energy grew by */
        const rps_ledger ledger = ledger_of(world);
        assert_true(ledger.shear > 1e2);
        ASSERT_BELOW(fabs(ledger.residual), 1e-11 * ledger.kinetic_translation);
        rps_shear_state s;
        MUST(rps_world_shear_state(world, &s, ERR));
        ASSERT_NEAR(s.strain, rate * t, 1e-12 * fabs(rate) * t);
        assert_true(fabs(s.offset) <= 0.5 * L[flow] && s.rate == rate && s.work == ledger.shear);
        rps_world_destroy(world);
    }
}

/* The travel of the images grows by pieces while the rate changes; a body that rests between them is where its path says. */
static void test_the_rate_may_change(void **state) {
    (void)state;
    const rps_world_options options = sheared(1e-3, 0, 1, 5.0);
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    add_ball(world, rps_vec3_make(0.05, 0.06, 0.08), 0.01, 0.5, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    advance(world, 300);
    MUST(rps_world_set_shear_rate(world, -2.0, ERR));
    advance(world, 500);
    MUST(rps_world_set_shear_rate(world, 0.0, ERR));
    advance(world, 100);
    rps_shear_state s;
    MUST(rps_world_shear_state(world, &s, ERR));
    ASSERT_NEAR(s.strain, 5.0 * 0.3 - 2.0 * 0.5, 1e-14);
    assert_true(s.rate == 0.0);
    rps_error err;
    assert_int_equal(rps_world_set_shear_rate(world, NAN, &err), RPS_BAD_INPUT);
    rps_world_destroy(world);
}

/* --- a pair across a face ------------------------------------------------------------------------------------------- */

/* Two spheres that meet obliquely and turning, given in one frame of reference; the sheared world wraps the second. */
static void add_pair(rps_world *world, const int axis[2], double height, double speed, uint64_t id[2]) {
    const double r = 0.012;
    const rps_vec3 x = along(axis, 0.04, height - 0.9 * r, 0.08), v = along(axis, 0.5 + speed, 0.3, 0.1);
    const rps_vec3 y = along(axis, 0.04 + 0.6 * r, height + 0.8 * r, 0.08 + 0.2 * r);
    const rps_vec3 u = along(axis, speed - 0.4, -0.5, -0.2);
    id[0] = add_ball(world, x, r, 0.02, v, along(axis, 10.0, -20.0, 30.0));
    id[1] = add_ball(world, y, 0.8 * r, 0.015, u, along(axis, -5.0, 40.0, 15.0));
}

/* The same motion in an open world, in the middle of a sheared cell, and across its upper face after it was sheared for a
 * while: centre distance, relative velocity, spins and the load of the contact agree in every step, through slip and
 * separation. The three worlds round positions of other magnitude, by 1e-17 m of an overlap of 1e-4 m: 1e-12 of the load,
 * which a collision multiplies by no more than a few thousand. */
static void test_a_pair_across_a_face_moves_as_in_the_open(void **state) {
    (void)state;
    for (int a = 0; a < 6; a++) {
        const rps_pair pair = slipping_pair();
        rps_world *world[3];
        uint64_t id[3][2];
        for (int w = 0; w < 3; w++) {
            rps_world_options options = sheared(1e-6, axes[a][0], axes[a][1], w == 0 ? 0.0 : 23.0);
            if (w == 0) options.shear = (rps_shear){0};
            if (w == 0) memset(options.period, 0, sizeof options.period);
            world[w] = world_of(&options, &pair);
            if (w == 2) {
                add_ball(world[w], along(axes[a], 0.1, 0.06, 0.02), 0.004, 0.01, rps_vec3_zero(), rps_vec3_zero());
                start(world[w]);
                advance(world[w], 31234);
            }
            add_pair(world[w], axes[a], w == 2 ? L[axes[a][1]] : 0.06, 0.0, id[w]);
            start(world[w]);
        }
        const int32_t *image = (const int32_t *)(const void *)field_of(world[2], "image", id[2][1]);
        assert_int_equal(image[axes[a][1]], 1);
        double met = 0.0, slipped = 0.0, apart = 0.0, worst = 0.0;
        for (int step = 0; step < 2500; step++) {
            rps_vec3 d[3], v[3], w[3], f[3] = {{0}};
            for (int n = 0; n < 3; n++) {
                advance(world[n], 1);
                const rps_cell *cell = &world[n]->cell;
                double ends[2][3];
                for (int k = 0; k < 2; k++) {
                    rps_vec3 u = velocity_of(world[n], id[n][k]);
                    image = (const int32_t *)(const void *)field_of(world[n], "image", id[n][k]);
                    ends[k][0] = u.x, ends[k][1] = u.y, ends[k][2] = u.z;
                    if (cell->sheared) ends[k][cell->flow] += image[cell->gradient] * cell->speed;
                }
                v[n] = rps_vec3_sub(rps_vec3_of(ends[0]), rps_vec3_of(ends[1]));
                d[n] = rps_vec3_sub(position_of(world[n], id[n][0]), position_of(world[n], id[n][1]));
                w[n] = rps_vec3_sub(turning_of(world[n], id[n][0]), turning_of(world[n], id[n][1]));
                bool found;
                const rps_contact contact = contact_of(world[n], id[n][0], id[n][1], &found);
                if (found) rps_contact_force(&contact, (double *)&f[n]);
                if (found && n == 2) {
                    met++;
                    slipped += contact.slide_mode[0];
                }
            }
            apart = fmax(apart, rps_vec3_norm(f[0]) == 0.0);
            for (int n = 1; n < 3; n++) {
                worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(d[n], d[0])) / 1e-4);
                worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(v[n], v[0])));
                worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(w[n], w[0])) / 50.0);
                worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(f[n], f[0])) / 10.0);
            }
        }
        SAY("axes %d %d: %g steps in contact, %g slip, apart %g; relative difference %.2g\n", axes[a][0], axes[a][1],
            met, slipped, apart, worst);
        assert_true(met > 200.0 && slipped > 20.0 && apart > 0.0);
        ASSERT_BELOW(worst, 1e-8);
        for (int w = 0; w < 3; w++) rps_world_destroy(world[w]);
    }
}

/* --- the ledger ----------------------------------------------------------------------------------------------------- */

/* J, the residual while a pair touches across the face, until the lower one has crossed the face too. */
static double residual_of(rps_integrator integrator, double step, uint64_t steps, double *work) {
    rps_world_options options = sheared(step, 0, 1, 23.0);
    options.integrator = integrator;
    const rps_pair pair = smooth_pair();
    rps_world *world = world_of(&options, &pair);
    uint64_t id[2];
    add_pair(world, axes[0], L[1] + 0.9 * 0.012 - 4e-5, 0.5, id);
    start(world);
    advance(world, steps);
    bool found;
    contact_of(world, id[0], id[1], &found);
    assert_true(found);
    const int32_t *image = (const int32_t *)(const void *)field_of(world, "image", id[0]);
    assert_int_equal(image[1], 1);
    const rps_ledger ledger = ledger_of(world);
    *work = ledger.shear;
    rps_world_destroy(world);
    return ledger.residual;
}

/* Half the step leaves a quarter of the residual with verlet, half of it with half-implicit, while the contact is smooth. The
 * window is that of the next order at these steps. */
static void test_the_ledger_closes_at_its_order(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const rps_integrator integrator = i == 0 ? RPS_VERLET : RPS_HALF_IMPLICIT;
        double work, before = 0.0;
        for (int halved = 0; halved < 4; halved++) {
            const uint64_t more = UINT64_C(1) << halved;
            const double residual = residual_of(integrator, 4e-6 / (double)more, 80 * more, &work);
            SAY("%s: step %g s, residual %.4g J, work of the shear %.4g J\n", i ? "half-implicit" : "verlet",
                4e-6 / (double)more, residual, work);
            assert_true(fabs(work) > 1e-4);
            if (halved > 1) ASSERT_NEAR(before / residual, i == 0 ? 4.0 : 2.0, i == 0 ? 0.4 : 0.2);
            before = residual;
        }
    }
}

/* --- what is refused ------------------------------------------------------------------------------------------------ */

static void refused(const rps_world_options *options, const char *part_of_text) {
    rps_world *world = NULL;
    rps_error err = {0};
    assert_int_not_equal(rps_world_create(options, &world, &err), RPS_OK);
    assert_null(world);
    if (!strstr(err.text, part_of_text)) fail_msg("\"%s\" is not in \"%s\"", part_of_text, err.text);
}

static void test_refusals(void **state) {
    (void)state;
    const rps_world_options good = sheared(1e-4, 0, 1, 5.0);
    rps_world_options options = good;
    options.shear.gradient = 3;
    refused(&options, "gradient axis 3");
    options = good;
    options.shear.gradient = 0;
    refused(&options, "that differ");
    options = good;
    options.shear.rate = INFINITY;
    refused(&options, "finite");
    options = good;
    options.period[1] = 0.0;
    refused(&options, "not periodic along y");
    options = good;
    options.stepper = RPS_NONSMOOTH;
    refused(&options, "nonsmooth");
    options = good;
    options.gravity[0] = 1.0;
    refused(&options, "flow axis");

    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&good, &pair);
    rps_error err;
    const double gravity[3] = {0.1, 0.0, 0.0};
    assert_int_equal(rps_world_set_gravity(world, gravity, &err), RPS_BAD_INPUT);
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_FIXED;
    assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "free bodies only"));
    rps_world_destroy(world);

    rps_world_options plain = good;
    plain.shear = (rps_shear){0};
    world = world_of(&plain, &pair);
    rps_shear_state s;
    assert_int_equal(rps_world_set_shear_rate(world, 1.0, &err), RPS_UNSUPPORTED);
    assert_int_equal(rps_world_shear_state(world, &s, &err), RPS_UNSUPPORTED);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_free_body_moves_straight),
        cmocka_unit_test(test_the_rate_may_change),
        cmocka_unit_test(test_a_pair_across_a_face_moves_as_in_the_open),
        cmocka_unit_test(test_the_ledger_closes_at_its_order),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
