/*
 * Loads and accounts of fixed and driven bodies are exact sums: adding up the contacts in another order, in parts that are
 * merged later, gives the same bits. Sums of doubles in that order do not, so that the difference shows here.
 */
#include "../physics/worlds.h"

#include "base/flush.h"
#include "world/world.h"

enum { SIDE = 9, LAYERS = 3, STEPS = 150, PARTS = 3 };

static rps_world *heap_on_plates(rps_stepper stepper, int threads, uint64_t shuffle) {
    rps_world_options options = options_of(stepper == RPS_NONSMOOTH ? 5e-4 : 2e-5);
    options.stepper = stepper;
    options.threads = threads;
    options.shuffle = shuffle;
    options.gravity[2] = -9.81;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e3, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_DRIVEN;
    def.shape = "plane";
    def.normal[2] = 1.0;
    def.drive =
        (rps_drive){.velocity = {0.2, 0.0, 0.0}, .amplitude = {0.0, 0.0, 1e-4}, .frequency = 50.0, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    add_ball(world, rps_vec3_make(0.04, 0.04, 0.005), 0.02, 0.0, rps_vec3_zero(), rps_vec3_zero());
    add_ground(world, rps_vec3_make(1.0, 0.0, 0.0));
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        const double r = uniform(1, (uint64_t)k, 0.0045, 0.005);
        const rps_vec3 x = {0.0045 + 0.01 * (k % SIDE), 0.01 * (k / SIDE % SIDE), 0.004 + 0.0099 * (k / (SIDE * SIDE))};
        if (rps_vec3_norm(rps_vec3_sub(x, rps_vec3_make(0.04, 0.04, 0.005))) < 0.0245) continue;
        add_ball(world, x, r, 1e4 * r * r * r, rps_vec3_scale(random_vec(2, (uint64_t)k), 0.1), rps_vec3_zero());
    }
    return world;
}

/* Sums of one body: force, torque, and in parts its account. */
typedef struct body_sums {
    rps_exact_sum load[6][PARTS], account[4][PARTS];
    double plain[6]; /* the loads in that order, as doubles */
} body_sums;

/* The contacts of a slot from the last to the first, dealt to the parts in turn. */
static void add_backwards(const rps_world *world, size_t slot, body_sums *sums) {
    const rps_contacts *contacts = &world->contacts;
    memset(sums, 0, sizeof *sums);
    for (size_t r = contacts->reference_begin[slot + 1]; r-- > contacts->reference_begin[slot];) {
        const rps_contact_load *load = &contacts->load[contacts->line[r]];
        const int first = r < contacts->reference_own[slot] ? 2 : 0, part = (int)(r % PARTS);
        if (!contacts->has_load[contacts->line[r]]) continue;
        for (int k = 0; k < 3; k++) {
            rps_exact_sum_add(&sums->load[k][part], load->force[k]);
            rps_exact_sum_add(&sums->load[3 + k][part], load->torque[k]);
            sums->plain[k] += load->force[k];
            sums->plain[3 + k] += load->torque[k];
        }
        rps_exact_sum_add(&sums->account[first][part], rps_flush(load->first));
        rps_exact_sum_add(&sums->account[first + 1][part], rps_flush(load->second));
    }
}

static double merged(const rps_exact_sum part[PARTS]) {
    rps_exact_sum sum = part[0];
    for (int k = 1; k < PARTS; k++) rps_exact_sum_merge(&sum, &part[k]);
    return rps_exact_sum_value(&sum);
}

static void same_sum(const rps_exact_sum *a, const rps_exact_sum *b) {
    rps_exact_sum p = *a, q = *b;
    rps_exact_sum_normalize(&p);
    rps_exact_sum_normalize(&q);
    assert_memory_equal(&p, &q, sizeof p);
}

/* Returns in how many components of loads the sum of doubles was another. */
static int check_step(const rps_world *world, rps_exact_sum account[4]) {
    int rounded = 0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        body_sums sums;
        if (world->bodies.kind[s][0] == RPS_BODY_FREE) {
            continue;
        }
        add_backwards(world, s, &sums);
        for (int k = 0; k < 4; k++) {
            for (int p = 0; p < PARTS; p++) rps_exact_sum_merge(&account[k], &sums.account[k][p]);
        }
        for (int k = 0; k < 4; k++) assert_true(world->bodies.dissipated[s][k] == 0.0);
        for (int k = 0; k < 6 && world->bodies.kind[s][0] == RPS_BODY_DRIVEN; k++) {
            const rps_load *load = &world->bodies.load[s];
            const double stored = k < 3 ? load->force[k] : load->torque[k - 3];
            const double value = rps_flush(merged(sums.load[k]));
            assert_memory_equal(&value, &stored, sizeof value);
            rounded += sums.plain[k] != value;
        }
    }
    return rounded;
}

static void check(rps_stepper stepper) {
    static const struct {
        int threads;
        uint64_t shuffle;
    } manner[] = {{1, 0}, {2, 0}, {2, 9}};
    rps_exact_sum first[4];
    uint64_t hash[2] = {0, 0};
    for (size_t m = 0; m < sizeof manner / sizeof *manner; m++) {
        rps_world *world = heap_on_plates(stepper, manner[m].threads, manner[m].shuffle);
        rps_exact_sum account[4];
        int rounded = 0;
        memset(account, 0, sizeof account);
        MUST(rps_world_start(world, ERR));
        for (int k = 0; k < STEPS; k++) {
            advance(world, 1);
            rounded += check_step(world, account);
        }
        assert_true(rounded > 0);
        for (int k = 0; k < 4; k++) same_sum(&account[k], &world->boundary_dissipated[k]);
        assert_true(rps_exact_sum_value(&account[0]) > 0.0 && rps_exact_sum_value(&account[1]) > 0.0);
        uint64_t now[2];
        MUST(rps_world_hash(world, now, ERR));
        if (m == 0) {
            memcpy(hash, now, sizeof hash);
            memcpy(first, account, sizeof first);
        }
        assert_memory_equal(hash, now, sizeof hash);
        for (int k = 0; k < 4; k++) same_sum(&account[k], &first[k]);
        rps_world_destroy(world);
    }
}

static void test_penalty(void **state) {
    (void)state;
    check(RPS_PENALTY);
}

static void test_nonsmooth(void **state) {
    (void)state;
    check(RPS_NONSMOOTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_nonsmooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
