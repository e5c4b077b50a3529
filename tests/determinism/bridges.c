/*
 * Wet beads poured on a plane in a periodic box, which take liquid from each other: the same bits for any number of threads, instruction set and order of slots, and
 * from a checkpoint on in which bridges span gaps.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"

enum { SIDE = 5, LAYERS = 5, STEPS = 4000 };

typedef struct manner {
    int threads, isa;
    uint64_t shuffle;
} manner;

static rps_world *beads(const manner *m) {
    rps_world_options options = options_of(2e-6);
    options.threads = m->threads;
    options.isa = m->isa >= 0 && rps_isa_supported((rps_isa)m->isa) ? m->isa : -1;
    options.shuffle = m->shuffle;
    options.gravity[2] = -9.81;
    options.period[0] = options.period[1] = SIDE * 2.2e-3;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e3, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.1, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 500.0, NULL);
    use(&pair, RPS_ROLE_BRIDGE, "soulie", "largest", 3e-12, "surface_tension", 0.07, "contact_angle", 0.2, "viscosity",
        1e-3, "roughness", 1e-6, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        const double r = uniform(1, (uint64_t)k, 0.7e-3, 1e-3);
        const rps_vec3 x = {2.2e-3 * (k % SIDE + 0.5), 2.2e-3 * (k / SIDE % SIDE + 0.5),
                            1.1e-3 + 2.1e-3 * (k / (SIDE * SIDE))};
        rps_body_def def = rps_body_def_default();
        def.radius = r;
        def.mass = 1e4 * r * r * r;
        def.liquid_part = uniform(4, (uint64_t)k, 0.0, 0.02);
        to_array(def.position, x);
        to_array(def.velocity,
                 rps_vec3_add(rps_vec3_scale(random_vec(2, (uint64_t)k), 0.2), rps_vec3_make(0.0, 0.0, -0.5)));
        to_array(def.angular_velocity, rps_vec3_scale(random_vec(3, (uint64_t)k), 60.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

/* Contacts without an overlap: bridges across gaps. */
static size_t gaps_of(rps_world *world) {
    static rps_contact contact[4096];
    size_t count, gaps = 0;
    rps_world_keep_contacts(world, true);
    advance(world, 1);
    MUST(rps_world_contacts(world, contact, 4096, &count, ERR));
    for (size_t k = 0; k < count; k++) gaps += contact[k].overlap[0] < 0.0;
    rps_world_keep_contacts(world, false);
    return gaps;
}

static void test_same_bits(void **state) {
    (void)state;
    static const manner manners[] = {{1, -1, 0}, {2, -1, 0}, {3, RPS_ISA_SSE2, 0}, {1, RPS_ISA_AVX2, 0}, {2, -1, 5}};
    enum { MANNERS = sizeof manners / sizeof *manners };
    char file[] = "/tmp/repose-bridges-XXXXXX";
    const int opened = mkstemp(file);
    assert_true(opened >= 0);
    close(opened);
    uint64_t half[2] = {0, 0}, end[2] = {0, 0};
    for (int k = 0; k < MANNERS; k++) {
        uint64_t hash[2];
        rps_world *world = beads(&manners[k]);
        advance(world, STEPS - 1);
        const size_t gaps = gaps_of(world);
        assert_true(gaps > 10);
        if (k == 0) SAY("%d gaps, %d contacts\n", (int)gaps, (int)rps_world_contact_count(world));
        MUST(rps_world_hash(world, hash, ERR));
        if (k == 0) memcpy(half, hash, sizeof half);
        assert_memory_equal(hash, half, sizeof half);
        if (k == 0) MUST(rps_world_save(world, file, ERR));
        advance(world, STEPS);
        MUST(rps_world_hash(world, hash, ERR));
        if (k == 0) memcpy(end, hash, sizeof end);
        assert_memory_equal(hash, end, sizeof end);
        rps_world_destroy(world);
        world = beads(&manners[k]);
        MUST(rps_world_restore(world, file, ERR));
        MUST(rps_world_hash(world, hash, ERR));
        assert_memory_equal(hash, half, sizeof half);
        advance(world, STEPS);
        MUST(rps_world_hash(world, hash, ERR));
        assert_memory_equal(hash, end, sizeof end);
        rps_world_destroy(world);
    }
    unlink(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
