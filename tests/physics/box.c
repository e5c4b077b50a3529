/* A box on a plane: a face contact is a patch of four corners. It rests, stands, slides, tips and stops where closed
 * forms say. */
#include "worlds.h"

static const double g = 9.81, mass = 2.0, edge[3] = {0.3, 0.2, 0.5}, stiffness = 1e6;

/* Tilted gravity: the plane stays z = 0, uphill is -x. */
static rps_world *tilted(double tilt, double mu_s, double mu_k, double damping, double step) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", stiffness, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", damping, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu_s, "kinetic", mu_k, "stiffness", 5e5, NULL);
    rps_world_options options = options_of(step);
    options.gravity[0] = g * rps_sin(tilt);
    options.gravity[2] = -g * rps_cos(tilt);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    return world;
}

/* Its lower face `overlap` below the plane. */
static uint64_t add_box(rps_world *world, double overlap, rps_vec3 v) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.shape = "box";
    for (int k = 0; k < 3; k++) def.parameter[k] = edge[k];
    def.mass = mass;
    def.position[2] = 0.5 * edge[2] - overlap;
    to_array(def.velocity, v);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* Overlap of each of four corners under the part of the weight that presses. */
static double resting(double tilt) {
    return mass * g * rps_cos(tilt) / (4.0 * stiffness);
}

/* Ten seconds at rest: no more than what rounding of 1e5 steps can move it. */
static void test_rests(void **state) {
    (void)state;
    rps_world *world = tilted(0.0, 0.5, 0.4, 0.0, 1e-4);
    uint64_t box = add_box(world, resting(0.0), rps_vec3_zero());
    start(world);
    rps_vec3 x0 = position_of(world, box);
    double most = 0.0;
    for (int k = 0; k < 100; k++) {
        advance(world, 1000);
        rps_vec3 x = rps_vec3_sub(position_of(world, box), x0);
        double moved = rps_vec3_norm(x);
        most = moved > most ? moved : most;
    }
    SAY("moved by %.3g m in 10 s\n", most);
    ASSERT_BELOW(most, 1e-9);
    assert_int_equal(rps_world_contact_count(world), 4);
    rps_world_destroy(world);
}

/* Let go a little above, with damping: after 3 s it lies still where equilibrium has it. */
static void test_comes_to_rest(void **state) {
    (void)state;
    rps_world *world = tilted(0.0, 0.5, 0.4, 0.3, 1e-4);
    uint64_t box = add_box(world, -1e-3, rps_vec3_zero());
    start(world);
    advance(world, 30000);
    ASSERT_NEAR(position_of(world, box).z, 0.5 * edge[2] - resting(0.0), 1e-10);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, box)), 1e-9);
    rps_world_destroy(world);
}

/* It stands below atan(mu_s) and below the angle at which its weight passes the lower edge, atan(a/h); slides above the
 * first, and tips above the second where friction holds. */
static void test_stands_slides_tips(void **state) {
    (void)state;
    const double tip = rps_atan(edge[0] / edge[2]), slide = rps_atan(0.3);
    struct {
        double tilt, mu;
        bool slides, tips;
    } const run[] = {
        {slide - 0.01, 0.3, false, false},
        {slide + 0.01, 0.3, true, false},
        {tip - 0.01, 1.5, false, false},
        {tip + 0.01, 1.5, false, true},
    };
    for (int k = 0; k < 4; k++) {
        rps_world *world = tilted(run[k].tilt, run[k].mu, run[k].mu, 0.3, 1e-4);
        uint64_t box = add_box(world, resting(run[k].tilt), rps_vec3_zero());
        start(world);
        advance(world, 4000);
        double before = velocity_of(world, box).x;
        advance(world, 4000);
        rps_vec3 x = position_of(world, box);
        double turned = rps_vec3_norm(turning_of(world, box));
        SAY("tilt %.4f: moved %.3g m, turns at %.3g rad/s\n", run[k].tilt, x.x, turned);
        assert_int_equal(x.x > 1e-2 && !run[k].tips, run[k].slides);
        assert_int_equal(turned > 0.05, run[k].tips);
        if (run[k].slides) {
            double a = g * (rps_sin(run[k].tilt) - run[k].mu * rps_cos(run[k].tilt));
            /* the load of the patch is still swinging by the damped rest of the start, 1e-4 of it */
            ASSERT_NEAR((velocity_of(world, box).x - before) / 0.4, a, 1e-3 * a);
        }
        rps_world_destroy(world);
    }
}

/* Thrown flat on the level plane it stops after v^2/(2 mu g). It pitches a little: the friction acts h/2 below the
 * centre, and tips it forward as long as it decelerates; the patch carries that. */
static void test_stops(void **state) {
    (void)state;
    const double v = 1.0, mu = 0.25;
    rps_world *world = tilted(0.0, mu, mu, 0.1, 2e-5);
    uint64_t box = add_box(world, resting(0.0), rps_vec3_make(v, 0.0, 0.0));
    start(world);
    advance(world, 30000);
    double x = position_of(world, box).x;
    SAY("stops after %.6f m, v^2/(2 mu g) = %.6f m\n", x, v * v / (2.0 * mu * g));
    /* the spring takes mu N/K_E = 1e-5 m, and rocking on the springs changes N by a few per mille while it sets in */
    ASSERT_NEAR(x, v * v / (2.0 * mu * g), 2e-3 * x);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, box)), 1e-3);
    rps_ledger ledger = ledger_of(world);
    SAY("residual %.3g of %.3g J\n", ledger.residual, 0.5 * mass * v * v);
    ASSERT_BELOW(fabs(ledger.residual), 1e-4 * 0.5 * mass * v * v);
    rps_world_destroy(world);
}

/* Four corners taken as one contact: load and friction are what gravity asks for, and they act where the line of the
 * weight meets the plane, (h/2) tan(tilt) downhill of the middle. */
static void test_as_one_contact(void **state) {
    (void)state;
    const double tilt = 0.2, weight = mass * g;
    rps_world *world = tilted(tilt, 1.5, 1.5, 0.5, 1e-4);
    uint64_t box = add_box(world, resting(tilt), rps_vec3_zero());
    start(world);
    advance(world, 30000);
    rps_contact corner[8], all = contact_of(world, 0, box, NULL), again;
    size_t count;
    bool found;
    MUST(rps_world_pair_contacts(world, box, 0, corner, 8, &count, ERR));
    assert_int_equal(count, 4);
    double load = 0.0, energy = 0.0, deepest = 0.0;
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(corner[k].piece_i, 0);
        assert_int_equal(corner[k].piece_j, 0);
        for (size_t l = 0; l < k; l++) assert_int_not_equal(corner[k].feature, corner[l].feature);
        load += corner[k].normal_load[0];
        energy += corner[k].energy_normal[0];
        deepest = corner[k].overlap[0] > deepest ? corner[k].overlap[0] : deepest;
    }
    assert_true(all.piece_i == 0 && all.piece_j == 0 && all.feature == -1);
    /* sums of four in the same order */
    assert_true(all.normal_load[0] == load && all.energy_normal[0] == energy && all.overlap[0] == deepest);
    /* it swings out with the half-life of its dashpots, far below 3 s; what is left is round-off and creep of a stuck
     * corner, 1e-8 */
    ASSERT_NEAR(all.normal_load[0], weight * rps_cos(tilt), 1e-6 * weight);
    ASSERT_NEAR(rps_vec3_norm(as_vec(all.slide_force)), weight * rps_sin(tilt), 1e-6 * weight);
    ASSERT_NEAR(all.normal[2], -1.0, 1e-15); /* from body 1 into body 0, the plane */
    rps_vec3 x = position_of(world, box);
    /* the plane's reaction passes through the centre of mass: exact but for the overlaps, 1e-5 m */
    ASSERT_NEAR(all.point[0] - x.x, 0.5 * edge[2] * rps_sin(tilt) / rps_cos(tilt), 2e-5);
    ASSERT_NEAR(all.point[1] - x.y, 0.0, 1e-9);
    /* of a few: as many as there is room, and the count of all; the order of the names does not matter */
    MUST(rps_world_pair_contacts(world, 0, box, &again, 1, &count, ERR));
    assert_int_equal(count, 4);
    assert_int_equal(again.feature, corner[0].feature);
    MUST(rps_world_contact(world, box, 0, &again, &found, ERR));
    assert_true(found && again.normal_load[0] == all.normal_load[0]);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests), cmocka_unit_test(test_comes_to_rest),  cmocka_unit_test(test_stands_slides_tips),
        cmocka_unit_test(test_stops), cmocka_unit_test(test_as_one_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
