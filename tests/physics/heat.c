/*
 * Heat of bodies: two that touch relax by the closed form, friction warms by the shares of the effusivities, sums close, and the bits
 * are the same for any number of threads and across a restart.
 */
#include "worlds.h"

enum { BALLS = 40 };
static const double RADIUS = 1e-3, OVERLAP = 1e-5;

static rps_material stuff(const char *name, double density) {
    rps_material m = rps_material_default();
    m.name = name;
    m.young = 1e8;
    m.poisson = 0.3;
    m.density = density;
    return m;
}

/* Two materials with everything that heat needs. */
static rps_world *warm_world(double step, int threads, const rps_pair *pair, double k_0, double k_1, double capacity) {
    rps_world_options options = options_of(step);
    options.threads = threads;
    rps_world *world;
    const rps_material first = stuff("first", 2500.0), second = stuff("second", 7800.0);
    MUST(rps_world_create(&options, &world, ERR));
    MUST(rps_world_add_material(world, &first, NULL, ERR));
    MUST(rps_world_add_material(world, &second, NULL, ERR));
    MUST(rps_world_set_thermal(world, 0, k_0, capacity, ERR));
    MUST(rps_world_set_thermal(world, 1, k_1, capacity, ERR));
    for (int a = 0; a < 2; a++) {
        for (int b = a; b < 2; b++) MUST(rps_world_set_pair(world, a, b, pair, ERR));
    }
    return world;
}

static uint64_t add_of(rps_world *world, int material, rps_body_kind kind, rps_vec3 at, rps_vec3 v) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.radius = RADIUS;
    def.material = material;
    def.kind = kind;
    def.position[0] = at.x, def.position[1] = at.y, def.position[2] = at.z;
    def.velocity[0] = v.x, def.velocity[1] = v.y, def.velocity[2] = v.z;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static double kelvin_of(const rps_world *world, uint64_t id, double *heat) {
    double kelvin, joule;
    MUST(rps_world_temperature(world, id, &kelvin, &joule, ERR));
    if (heat != NULL) *heat = joule;
    return kelvin;
}

static double heat_sum_of(const rps_world *world) {
    double sum;
    MUST(rps_world_heat_sum(world, &sum, ERR));
    return sum;
}

/* A bath at 10 K above a ball: 4 a k_i k_j/(k_i + k_j) dT, then an exponential. */
static void test_conduction(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e-13, NULL); /* so soft that nothing moves */
    const double step = 1e-3, capacity = 10.0, a = sqrt(0.5 * RADIUS * OVERLAP), conductance = 4.0 * a * 0.75;
    rps_world *world = warm_world(step, 1, &pair, 1.0, 3.0, capacity);
    rps_heat heat = rps_heat_default();
    MUST(rps_world_set_heat(world, &heat, ERR));
    const rps_vec3 none = rps_vec3_zero();
    const uint64_t bath = add_of(world, 0, RPS_BODY_FIXED, none, none);
    const uint64_t ball = add_of(world, 1, RPS_BODY_FREE, rps_vec3_make(2.0 * RADIUS - OVERLAP, 0, 0), none);
    const double mass = 7800.0 * 4.0 / 3.0 * RPS_PI * RADIUS * RADIUS * RADIUS, rate = conductance / (mass * capacity);
    MUST(rps_world_set_temperature(world, bath, heat.start + 10.0, ERR));
    advance(world, 1);
    double got, given;
    kelvin_of(world, ball, &got);
    kelvin_of(world, bath, &given);
    SAY("after one step %.9g J, of %.9g\n", got, conductance * 10.0 * step);
    ASSERT_NEAR(got, conductance * 10.0 * step, 1e-9 * got); /* the overlap is a difference of positions */
    ASSERT_NEAR(got + given, 0.0, 0.0);
    /* the numbers of the statement: k 1 and 3, a 1e-5, 10 K */
    ASSERT_NEAR(got / step * (1e-5 / a), 3.0e-4, 1e-9 * 3.0e-4);
    advance(world, 499);
    const double left = heat.start + 10.0 - kelvin_of(world, ball, &got);
    SAY("left %.6g K of 10, closed form %.6g\n", left, 10.0 * exp(-rate * 500.0 * step));
    /* an explicit step: (1 - r h)^n */
    SAY("off by %.3g K\n", left - 10.0 * pow(1.0 - rate * step, 500.0));
    ASSERT_NEAR(left, 10.0 * pow(1.0 - rate * step, 500.0), 1e-9); /* 500 roundings of numbers near 300 K */
    ASSERT_NEAR(left, 10.0 * exp(-rate * 500.0 * step), 10.0 * rate * step);
    ASSERT_NEAR(heat_sum_of(world), 0.0, 0.0);
    ASSERT_NEAR(kelvin_of(world, bath, NULL), heat.start + 10.0, 0.0);
    rps_world_destroy(world);
}

/* A gas of rough balls in a box of periods. */
static rps_world *gas(int threads, bool conduction, bool from_damping) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.8, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 1e4, "damping", 0.1, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.3, "damping", 0.0, NULL);
    rps_world *world = warm_world(2e-6, threads, &pair, 1.0, 50.0, 500.0);
    rps_heat heat = rps_heat_default();
    heat.conduction = conduction;
    heat.from_damping = from_damping;
    MUST(rps_world_set_heat(world, &heat, ERR));
    for (int k = 0; k < BALLS; k++) {
        const rps_vec3 at = rps_vec3_make(2.05e-3 * (k % 4), 2.05e-3 * (k / 4 % 4), 2.05e-3 * (k / 16));
        add_of(world, k % 2, RPS_BODY_FREE, at, rps_vec3_scale(random_vec(1, (uint64_t)k), 0.5));
    }
    for (uint64_t k = 0; k < BALLS; k += 3) MUST(rps_world_set_temperature(world, k, 400.0, ERR));
    return world;
}

static void test_friction(void **state) {
    (void)state;
    for (int damping = 0; damping < 2; damping++) {
        rps_world *world = gas(1, true, damping != 0);
        advance(world, 3000);
        const rps_ledger ledger = ledger_of(world);
        double expected = 0.0;
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            if (role != RPS_ROLE_DAMPING || damping) expected += ledger.dissipated[role];
        }
        SAY("heat %.12g J, dissipated %.12g J\n", heat_sum_of(world), expected);
        ASSERT_ABOVE(expected, 1e-9);
        ASSERT_NEAR(heat_sum_of(world), expected, 1e-12 * expected); /* rounding of the sums of bodies in the ledger */
        rps_world_destroy(world);
    }
}

/* One contact shares by the effusivities 1414.2136 and 13247.6413. */
static void test_shares(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 1e4, "damping", 0.1, NULL);
    rps_world *world = warm_world(1e-6, 1, &pair, 1.0, 50.0, 500.0);
    MUST(rps_world_set_thermal(world, 0, 1.0, 800.0, ERR));
    MUST(rps_world_set_thermal(world, 1, 50.0, 450.0, ERR));
    rps_heat heat = rps_heat_default();
    heat.conduction = false;
    MUST(rps_world_set_heat(world, &heat, ERR));
    add_of(world, 0, RPS_BODY_FREE, rps_vec3_zero(), rps_vec3_make(0.1, 0.3, 0));
    add_of(world, 1, RPS_BODY_FREE, rps_vec3_make(2e-3 + 1e-7, 0, 0), rps_vec3_make(-0.1, -0.3, 0));
    advance(world, 300);
    double heats[2];
    for (uint64_t k = 0; k < 2; k++) kelvin_of(world, k, &heats[k]);
    ASSERT_ABOVE(heats[0], 1e-12);
    SAY("shares %.9g, of %.9g\n", heats[1] / heats[0], 13247.6413 / 1414.2136);
    ASSERT_NEAR(heats[1] / heats[0], 13247.6413 / 1414.2136, 1e-7 * 10.0); /* printed to 1e-8 */
    rps_world_destroy(world);
}

static void hash_into(rps_world *world, uint64_t hash[2]) {
    MUST(rps_world_hash(world, hash, ERR));
}

static void test_bits(void **state) {
    (void)state;
    uint64_t one[2], other[2];
    const char *path = "heat.state";
    rps_world *world = gas(1, true, true), *many = gas(3, true, true), *again = gas(2, true, true);
    advance(world, 1000);
    MUST(rps_world_save(world, path, ERR));
    advance(world, 1000);
    advance(many, 2000);
    hash_into(world, one);
    hash_into(many, other);
    assert_memory_equal(one, other, sizeof one);
    MUST(rps_world_restore(again, path, ERR));
    advance(again, 1000);
    hash_into(again, other);
    assert_memory_equal(one, other, sizeof one);
    remove(path);
    rps_world_destroy(world);
    rps_world_destroy(many);
    rps_world_destroy(again);
}

static void test_refusals(void **state) {
    (void)state;
    rps_error err = {0};
    rps_heat heat = rps_heat_default();
    double kelvin, joule;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e-9, NULL);
    rps_world *world = warm_world(1e-2, 1, &pair, 1.0, 1e6, 1.0);
    assert_int_equal(rps_world_temperature(world, 0, &kelvin, &joule, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "counts no heat"));
    assert_int_equal(rps_world_set_thermal(world, 0, 0.0, 1.0, &err), RPS_BAD_INPUT);
    heat.start = 0.0;
    assert_int_equal(rps_world_set_heat(world, &heat, &err), RPS_BAD_INPUT);
    heat = rps_heat_default();
    const rps_material bare = stuff("bare", 1000.0);
    MUST(rps_world_set_heat(world, &heat, ERR));
    assert_int_equal(rps_world_add_material(world, &bare, NULL, &err), RPS_BAD_INPUT);
    add_of(world, 1, RPS_BODY_FREE, rps_vec3_zero(), rps_vec3_zero());
    assert_int_equal(rps_world_set_temperature(world, 0, -1.0, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_world_set_heat(world, &heat, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "before bodies are added"));
    add_of(world, 1, RPS_BODY_FREE, rps_vec3_make(2.0 * RADIUS - OVERLAP, 0, 0), rps_vec3_zero());
    assert_int_equal(rps_world_step(world, 1, &err), RPS_GUARD);
    assert_non_null(strstr(err.text, "too long for the conduction"));
    rps_world_destroy(world);
    rps_world_options options = options_of(1e-5);
    MUST(rps_world_create(&options, &world, ERR));
    MUST(rps_world_add_material(world, &bare, NULL, ERR));
    assert_int_equal(rps_world_set_heat(world, &heat, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "needs its conductivity"));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conduction), cmocka_unit_test(test_friction), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_bits),       cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
