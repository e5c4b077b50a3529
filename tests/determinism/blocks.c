/*
 * The state hash is made from the hashes of blocks of ids: the same for any number of threads and any order of slots, and a
 * change of one body or contact shows in its block and in no other.
 */
#include "../physics/worlds.h"

#include "world/world.h"

enum { SIDE = 22, BODIES = SIDE * SIDE * SIDE, BLOCKS = 3, STEPS = 5 };
_Static_assert(BODIES > 2 * RPS_HASH_BLOCK && BODIES < BLOCKS * RPS_HASH_BLOCK, "the last block is not full");

/* A lattice whose rows touch along x: bodies 4095 and 4096 are a contact across two blocks. */
static rps_world *lattice(int threads, uint64_t shuffle) {
    rps_world_options options = options_of(5e-6);
    options.threads = threads;
    options.shuffle = shuffle;
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    for (int k = 0; k < BODIES; k++) {
        const rps_vec3 x = {0.0099 * (k % SIDE), 0.011 * (k / SIDE % SIDE), 0.011 * (k / (SIDE * SIDE))};
        add_ball(world, x, 0.005, 1e-3, rps_vec3_scale(random_vec(1, (uint64_t)k), 0.01), random_vec(2, (uint64_t)k));
    }
    advance(world, STEPS);
    return world;
}

typedef struct hashes {
    uint64_t block[BLOCKS][2], all[2];
} hashes;

static hashes hashes_of(const rps_world *world) {
    hashes h;
    assert_int_equal(rps_world_hash_blocks(world), BLOCKS);
    MUST(rps_world_block_hashes(world, NULL, h.block, ERR));
    MUST(rps_world_hash(world, h.all, ERR));
    return h;
}

/* The numbers of the blocks that differ, as bits; the hash of all must differ where one of them does. */
static unsigned differing(const hashes *a, const hashes *b) {
    unsigned bits = 0;
    for (unsigned k = 0; k < BLOCKS; k++) {
        if (memcmp(a->block[k], b->block[k], sizeof a->block[k]) != 0) bits |= 1u << k;
    }
    assert_int_equal(memcmp(a->all, b->all, sizeof a->all) != 0, bits != 0);
    return bits;
}

static void test_threads_and_slots(void **state) {
    (void)state;
    rps_world *plain = lattice(1, 0);
    const hashes first = hashes_of(plain);
    assert_true(rps_world_contact_count(plain) > BODIES / 2);
    rps_world_destroy(plain);
    static const struct {
        int threads;
        uint64_t shuffle;
    } manner[] = {{2, 0}, {3, 0}, {1, 7}, {2, 8}};
    for (size_t k = 0; k < sizeof manner / sizeof *manner; k++) {
        rps_world *world = lattice(manner[k].threads, manner[k].shuffle);
        const hashes other = hashes_of(world);
        assert_int_equal(differing(&first, &other), 0);
        rps_world_destroy(world);
    }
}

static void test_bodies(void **state) {
    (void)state;
    rps_world *world = lattice(2, 0);
    const hashes before = hashes_of(world);
    static const uint64_t id[] = {0, RPS_HASH_BLOCK - 1, RPS_HASH_BLOCK, 2 * RPS_HASH_BLOCK - 1, BODIES - 1};
    static const unsigned block[] = {1, 1, 2, 2, 4};
    for (size_t k = 0; k < sizeof id / sizeof *id; k++) {
        double *v = world->bodies.motion[rps_world_slot(world, id[k])].velocity, kept = v[1];
        v[1] = nextafter(kept, 1e9);
        const hashes after = hashes_of(world);
        assert_int_equal(differing(&before, &after), block[k]);
        v[1] = kept;
    }
    const hashes again = hashes_of(world);
    assert_int_equal(differing(&before, &again), 0);
    rps_world_destroy(world);
}

/* The contact across two blocks belongs to that of its lower body. */
static void test_contact(void **state) {
    (void)state;
    rps_world *world = lattice(2, 3);
    const hashes before = hashes_of(world);
    bool found = false;
    for (size_t k = 0; k < world->contacts.segments && !found; k++) {
        rps_segment *segment = &world->contacts.segment[k];
        const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
        for (size_t e = 0; e < segment->count && !found; e++) {
            if (world->bodies.id[segment->slot_i[e]][0] != RPS_HASH_BLOCK - 1 ||
                world->bodies.id[segment->slot_j[e]][0] != RPS_HASH_BLOCK ||
                segment->state[(size_t)layout->modes * segment->capacity + e] == 0.0) {
                continue;
            }
            found = true;
            segment->state[(size_t)layout->memory[RPS_ROLE_SLIDE][0] * segment->capacity + e] += 1e-9;
        }
    }
    assert_true(found);
    const hashes after = hashes_of(world);
    assert_int_equal(differing(&before, &after), 1);
    rps_world_destroy(world);
}

/* A number that is no body or contact shows in no block. */
static void test_rest(void **state) {
    (void)state;
    rps_world *world = lattice(2, 0);
    const hashes before = hashes_of(world);
    world->steps++;
    hashes after = hashes_of(world);
    assert_memory_equal(before.block, after.block, sizeof before.block);
    assert_memory_not_equal(before.all, after.all, sizeof before.all);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_slots),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
