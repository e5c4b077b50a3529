/*
 * Sorts slots in space (Morton order of coarse cells), so that the bodies of a contact lie close together in memory.
 * Planes and very large bodies, which touch many others, come first; bodies that the motion stage cannot process in
 * blocks come last. In a share own bodies come first, then common ones, then copies (world/share.h). Results do not
 * depend on slots; tests shuffle them.
 */
#include <math.h>

#include "base/random.h"
#include "detect/lists.h"
#include "world/body_shape.h"
#include "world/share.h"

enum {
    WORTHWHILE_FROM = 500, /* bodies: fewer are close together in memory in any order */
    AXIS_BITS = 20,
    DISORDER = 20 /* sorts if more than one in so many successive slots are out of order */
};

/* Spreads the lowest 20 bits: bit k moves to bit 3 k. */
static uint64_t spread(uint64_t x) {
    x &= (UINT64_C(1) << AXIS_BITS) - 1;
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    x = (x | x << 2) & UINT64_C(0x1249249249249249);
    return x;
}

static uint64_t order_number_of(double x, double low, double inverse) {
    double t = (x - low) * inverse;
    return t < 0.0 ? 0 : t < 0x1p30 ? (uint64_t)t : UINT64_C(1) << 30;
}

/* Fills key and slot of each body; returns how many keys are below the one before. *bits: width of the largest key. */
static size_t make_keys(const rps_world *world, const rps_cells *cells, rps_keyed *keyed, int *bits) {
    size_t descents = 0;
    double inverse = 1.0 / (4.0 * cells->radius_mean);
    uint64_t all = 0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const rps_pose *p = &world->bodies.pose[s];
        uint64_t key = 0;
        if (rps_body_shape_of(&world->bodies, s) != RPS_BODY_PLANE && p->radius[0] <= 4.0 * cells->radius_mean) {
            for (int k = 0; k < 3; k++) key |= spread(order_number_of(p->position[k], cells->low[k], inverse)) << k;
            key++;
        }
        keyed[s] = (rps_keyed){key, (uint32_t)s};
        all |= key;
    }
    *bits = 1;
    while (all >> *bits != 0) ++*bits;
    const uint64_t last = UINT64_C(1) << *bits;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const bool plain = world->bodies.kind[s][0] == RPS_BODY_FREE && !rps_body_has_pieces(&world->bodies, s);
        if (keyed[s].key > 0 && !plain) keyed[s].key |= last;
        keyed[s].key |= (uint64_t)rps_share_class(world->share, s) << (*bits + 1);
        descents += s > 0 && keyed[s].key < keyed[s - 1].key;
    }
    *bits += world->share != NULL ? 3 : 1;
    return descents;
}

/* Puts the slots in the order of cells->keyed. */
static rps_status permute(const rps_world *world, rps_cells *cells, rps_bodies *bodies, rps_contacts *contacts,
                          rps_error *err) {
    const size_t count = bodies->count;
    RPS_TRY(rps_scratch_fit(world, &cells->from, count, sizeof(uint32_t), err));
    const rps_keyed *keyed = cells->keyed.p;
    uint32_t *from = cells->from.p;
    for (size_t s = 0; s < count; s++) from[s] = keyed[s].slot;
    return rps_bodies_permute(world, bodies, contacts, from, err);
}

static void order_shuffle(const rps_world *world, rps_keyed *keyed) {
    const size_t count = world->bodies.count;
    for (size_t s = 0; s < count; s++) keyed[s].slot = (uint32_t)s;
    const rps_share *share = world->share;
    for (size_t s = count; s > 1; s--) {
        const unsigned class = rps_share_class(share, s - 1);
        const size_t first = class == 0 ? 0 : class == 1 ? share->own : share->mine;
        const uint64_t pick =
            first + rps_random_index(world->options.shuffle, RPS_RANDOM_SHUFFLE_SLOTS, world->steps, s, s - first);
        rps_keyed swap = keyed[s - 1];
        keyed[s - 1] = keyed[pick];
        keyed[pick] = swap;
    }
}

rps_status rps_order_slots(const rps_world *world, rps_lists *lists, rps_bodies *bodies, rps_contacts *contacts,
                           bool *done, rps_error *err) {
    rps_cells *cells = &lists->cells;
    const size_t count = bodies->count;
    *done = false;
    if (world->options.shuffle != 0) {
        order_shuffle(world, cells->keyed.p);
    } else {
        if (count < WORTHWHILE_FROM || !(cells->radius_mean > 0.0)) return RPS_OK;
        if (lists->ordered && !world->lists_stale && lists->life.order_displacement < 4.0 * cells->radius_mean)
            return RPS_OK;
        lists->ordered = true;
        lists->life.order_displacement = 0.0;
        int bits;
        if (make_keys(world, cells, cells->keyed.p, &bits) * DISORDER < count) return RPS_OK;
        RPS_TRY(rps_sort_keyed(world, &cells->keyed, &cells->keyed_other, &cells->histogram, count, bits,
                               lists->workers, err));
    }
    RPS_TRY(permute(world, cells, bodies, contacts, err));
    *done = true;
    return RPS_OK;
}
