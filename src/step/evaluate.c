/*
 * Evaluates all contacts: groups of batches in any order, each by one worker. A batch writes its own entries only, so results
 * depend neither on the number of workers nor on the order; tests shuffle it.
 *
 * A batch in which most entries touch is evaluated in place. In flows, where the list holds five pairs per contact, the
 * touching entries are found first; their state is packed into full batches and copied back.
 */
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "base/simd.h"
#include "detect/gap_table.h"
#include "detect/pair_line.h"
#include "step/step_stages.h"

static rps_batch_evaluate_fn *const evaluate_batch[RPS_ISA_COUNT] = {
#ifdef RPS_ONE_ISA
    rps_batch_evaluate_sse2, rps_batch_evaluate_sse2, rps_batch_evaluate_sse2
#else
    rps_batch_evaluate_sse2, rps_batch_evaluate_avx2, rps_batch_evaluate_avx512
#endif
};

static rps_find_active_fn *const find_active[RPS_ISA_COUNT] = {
#ifdef RPS_ONE_ISA
    rps_find_active_sse2, rps_find_active_sse2, rps_find_active_sse2
#else
    rps_find_active_sse2, rps_find_active_avx2, rps_find_active_avx512
#endif
};

enum {
    GROUP = 16,        /* batches of one worker, whose active entries are packed together */
    SHARED_GROUPS = 6, /* groups per worker that are scheduled dynamically ... */
    SHARED_EVERY = 4   /* ... but at most one in so many */
};

rps_lanes *rps_worker_lanes(rps_world *world, int worker) {
    return (rps_lanes *)world->scratch + worker;
}

static rps_status reserve_scratch(rps_world *world, rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items((size_t)world->threads, sizeof(rps_lanes), &bytes, err));
    if (world->scratch_bytes >= bytes) {
        return RPS_OK;
    }
    RPS_TRY(rps_buffer_reserve(world->allocator, &world->scratch, &world->scratch_bytes, 0, bytes, err));
    memset(world->scratch, 0, bytes);
    return RPS_OK;
}

const rps_segment *rps_entry_segment(const rps_contacts *contacts, size_t entry) {
    size_t low = 0, high = contacts->segments;
    while (low + 1 < high) {
        size_t mid = low + (high - low) / 2;
        if (contacts->segment[mid].begin <= entry) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return &contacts->segment[low];
}

/* An imposed weight needs to know which body presses. */
static rps_status check_imposed(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        if (world->pair_setup[segment->pair].law[RPS_ROLE_NORMAL]->exponent > 0.0) {
            continue;
        }
        for (size_t e = 0; e < segment->count; e++) {
            const uint32_t i = segment->slot_i[e], j = segment->slot_j[e];
            if (world->bodies.kind[i][0] == RPS_BODY_FREE && world->bodies.kind[j][0] == RPS_BODY_FREE) {
                char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
                return rps_fail(
                    err, RPS_BAD_INPUT,
                    "%s and %s are both free, but the normal law `imposed` of their materials takes the "
                    "weight of one body on another that is fixed or driven: fix one of them, or use hertz or hooke",
                    rps_body_name(world, i, a, sizeof a), rps_body_name(world, j, b, sizeof b));
            }
        }
    }
    return RPS_OK;
}

/* Projection is known of records that keep the normal in world axes. */
static rps_status check_projection(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        if (!pair->projects || segment->record != RPS_RECORD_FRAME || segment->count == 0) continue;
        char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s and %s may touch, and slide law `%s` of their materials is told to project its "
                        "force, which is there for spheres and planes that do not turn only: leave its `rotation` out, "
                        "so that the force is carried",
                        rps_body_name(world, segment->slot_i[0], a, sizeof a),
                        rps_body_name(world, segment->slot_j[0], b, sizeof b), pair->law[RPS_ROLE_SLIDE]->name);
    }
    return RPS_OK;
}

/* Laws of lines are for cylinders that lie along each other or on a plane. */
static rps_status check_lines(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        for (size_t e = 0; pair->lines && e < segment->count; e++) {
            const uint32_t i = segment->slot_i[e], j = segment->slot_j[e];
            const rps_subkey subkey = rps_segment_subkey(segment, e);
            char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
            rps_side side_i, side_j;
            rps_vec3 offset_i, offset_j;
            rps_pair_side(world, i, subkey.piece_i, &side_i, &offset_i);
            rps_pair_side(world, j, subkey.piece_j, &side_j, &offset_j);
            if (!rps_line_shapes(&side_i, &side_j)) {
                return rps_fail(err, RPS_BAD_INPUT,
                                "%s (%s) and %s (%s) may touch, but normal law `%s` of their materials is "
                                "one of parallel cylinders, and of cylinders on planes: give the pair of materials "
                                "hertz or hooke",
                                rps_body_name(world, i, a, sizeof a), side_i.shape->name,
                                rps_body_name(world, j, b, sizeof b), side_j.shape->name,
                                pair->law[RPS_ROLE_NORMAL]->name);
            }
            const double lean = rps_line_lean(&side_i, &side_j);
            if (!(lean > RPS_LINE_LEAN) || !(rps_pair_gap(world, i, j, subkey) < 0.0)) continue;
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s and %s touch at t = %g s with axes that lean by a sine of %.3g, but normal law "
                            "`%s` of their materials is one of contacts along a line, to a sine of %g: keep the "
                            "cylinders parallel (lock their turning), or give the pair of materials hertz or hooke",
                            rps_body_name(world, i, a, sizeof a), rps_body_name(world, j, b, sizeof b),
                            rps_world_time(world), lean, pair->law[RPS_ROLE_NORMAL]->name, RPS_LINE_LEAN);
        }
    }
    return RPS_OK;
}

static rps_batch_task task_of(const rps_world *world, const rps_segment *segment, size_t place, double dt,
                              bool energy_only) {
    rps_batch_task task = {.world = world,
                           .segment = segment,
                           .pair = &world->pair_setup[segment->pair],
                           .place = place,
                           .dt = dt,
                           .energy_only = energy_only};
    size_t n = segment->count - place;
    const rps_contacts *contacts = &world->contacts;
    task.n = n < RPS_BATCH ? (int)n : RPS_BATCH;
    task.padded = (task.n + 7) / 8 * 8;
    task.reference = (const uint32_t(*)[2])contacts->place + segment->begin + place;
    task.was_active = contacts->was_active + segment->begin + place;
    task.result = world->keep_contacts ? contacts->result + segment->begin + place : NULL;
    return task;
}

/* The k-th batch; false for a number past the entries of its segment. */
static bool batch_at(const rps_world *world, size_t k, double dt, bool energy_only, rps_batch_task *task) {
    const rps_segment *segment = rps_entry_segment(&world->contacts, k * RPS_BATCH);
    size_t place = k * RPS_BATCH - segment->begin;
    if (place >= segment->count) {
        return false;
    }
    *task = task_of(world, segment, place, dt, energy_only);
    return true;
}

/* --- packing -------------------------------------------------------------------------------------------------------- */

/* True if less than half of the entries were active at the last evaluation: then packing costs less than evaluating all. */
static bool is_sparse(const rps_batch_task *task) {
    if (task->segment->record != RPS_RECORD_COMPACT || task->result) return false;
    uint64_t eight[RPS_BATCH / 8], sum = 0; /* flags are 0 or 1, past the last entry 0: eight sums in a word */
    memcpy(eight, task->was_active, sizeof eight);
    for (int k = 0; k < RPS_BATCH / 8; k++) sum += eight[k];
    const int was_active = (int)(sum * UINT64_C(0x0101010101010101) >> 56);
    return 2 * was_active < task->n;
}

/* Evaluates the packed entries as a segment of their own and copies their state back. */
static void evaluate_flush(const rps_world *world, double dt, rps_lanes *lanes) {
    rps_packed *p = &lanes->packed;
    const rps_segment *from = p->from;
    const int n = p->n;
    if (n == 0) return;
    p->n = 0;
    rps_batch_task task = {.world = world,
                           .segment = &p->segment,
                           .pair = &world->pair_setup[from->pair],
                           .n = n,
                           .padded = (n + 7) / 8 * 8,
                           .reference = (const uint32_t(*)[2])p->reference,
                           .was_active = p->was_active,
                           .dt = dt};
    const int state_lanes = task.pair->layout[from->record].lanes;
    p->segment = (rps_segment){.pair = from->pair,
                               .record = from->record,
                               .count = (size_t)n,
                               .capacity = RPS_BATCH_CAPACITY,
                               .slot_i = p->slot_i,
                               .slot_j = p->slot_j,
                               .state = lanes->energy_only[0],
                               .constant = lanes->constant[0],
                               .same = from->same};
    for (int lane = 0; lane < state_lanes + (from->same ? 0 : RPS_CONSTANT_LANES); lane++) {
        const bool is_state = lane < state_lanes;
        double *packed = is_state ? lanes->energy_only[lane] : lanes->constant[lane - state_lanes];
        const double *whole = is_state ? from->state + (size_t)lane * from->capacity
                                       : from->constant + (size_t)(lane - state_lanes) * from->capacity;
        for (int c = 0; c < n; c++) packed[c] = whole[p->index[c]];
        for (int c = n; c < task.padded; c++) packed[c] = is_state ? 0.0 : 1.0;
    }
    for (int c = n; c < RPS_BATCH_CAPACITY; c++) p->slot_i[c] = p->slot_j[c] = 0;
    evaluate_batch[world->isa](&task, lanes);
    for (int lane = 0; lane < state_lanes; lane++) {
        double *whole = from->state + (size_t)lane * from->capacity;
        const double *packed = lanes->energy_only[lane];
        for (int c = 0; c < n; c++) whole[p->index[c]] = packed[c];
    }
    uint8_t *was_active = world->contacts.was_active + from->begin;
    for (int c = 0; c < n; c++) was_active[p->index[c]] = p->was_active[c];
}

/* Prefetches the state of a packed contact; its neighbors in memory are inactive. */
static inline __attribute__((always_inline)) void prefetch_entry(const rps_batch_task *task, size_t entry) {
    const rps_segment *segment = task->segment;
    const int lanes = task->pair->layout[segment->record].lanes;
    for (int k = 0; k < lanes; k++) __builtin_prefetch(segment->state + (size_t)k * segment->capacity + entry, 1, 2);
}

static void evaluate_pack(const rps_batch_task *task, rps_lanes *lanes) {
    rps_packed *p = &lanes->packed;
    uint8_t active[RPS_BATCH + 1];
    const int found = find_active[task->world->isa](task, lanes, active);
    if (p->n > 0 && p->from != task->segment) evaluate_flush(task->world, task->dt, lanes);
    p->from = task->segment;
    for (int k = 0; k < found; k++) {
        const size_t c = active[k], entry = task->place + c;
        const int at = p->n++;
        p->index[at] = (uint32_t)entry;
        p->slot_i[at] = task->segment->slot_i[entry];
        p->slot_j[at] = task->segment->slot_j[entry];
        p->reference[at][0] = task->reference[c][0];
        p->reference[at][1] = task->reference[c][1];
        p->was_active[at] = task->was_active[c];
        if (task->world->contacts.exceeds_l2) prefetch_entry(task, entry);
        if (p->n == RPS_BATCH) evaluate_flush(task->world, task->dt, lanes);
    }
}

static void evaluate_group(const rps_world *world, size_t group, size_t batches, double dt, rps_lanes *lanes) {
    const size_t end = (group + 1) * GROUP < batches ? (group + 1) * GROUP : batches;
    lanes->packed.n = 0;
    for (size_t k = group * GROUP; k < end; k++) {
        rps_batch_task task;
        if (!batch_at(world, k, dt, false, &task)) continue;
        if (is_sparse(&task)) {
            evaluate_pack(&task, lanes);
        } else {
            evaluate_batch[world->isa](&task, lanes);
        }
    }
    evaluate_flush(world, dt, lanes);
}

/* Order in which groups are evaluated. In tests it changes every step: the k-th is (k * odd + offset) modulo a power of two,
 * and numbers past the last group are skipped. */
typedef struct group_order {
    size_t batches, groups, span, factor, offset;
} group_order;

static group_order order_of_groups(const rps_world *world) {
    const size_t batches = world->contacts.entries / RPS_BATCH, groups = (batches + GROUP - 1) / GROUP;
    group_order order = {batches, groups, groups, 1, 0};
    if (world->options.shuffle && groups) {
        for (order.span = 1; order.span < groups; order.span *= 2) {}
        uint64_t random[4];
        rps_random_block(world->options.shuffle, RPS_RANDOM_SHUFFLE_ORDER, world->steps, 0, random);
        order.factor = (size_t)(random[0] % order.span) | 1;
        order.offset = (size_t)(random[1] % order.span);
    }
    return order;
}

/* The k-th group of the order; a number past the last group is skipped. */
static size_t group_at(const group_order *order, size_t k) {
    return order->span == order->groups ? k : (k * order->factor + order->offset) & (order->span - 1);
}

/* The worker that integrates the first body of a group, so that its data is in that core's cache. */
static size_t part_of_group(const rps_world *world, size_t group, size_t parts) {
    const rps_segment *segment = rps_entry_segment(&world->contacts, group * GROUP * RPS_BATCH);
    const size_t place = group * GROUP * RPS_BATCH - segment->begin;
    const size_t slot = place < segment->count ? segment->slot_i[place] : 0;
    return slot * parts / world->bodies.count;
}

/* Each worker evaluates most of the groups of the bodies that it integrates, which are in its caches; a few groups are
 * scheduled dynamically for load balance. */
static void evaluate_shared(rps_world *world, const group_order *order, double dt, int workers) {
    const size_t parts = (size_t)workers, every = order->groups / (SHARED_GROUPS * parts);
    const size_t shared = every > SHARED_EVERY ? every : SHARED_EVERY; /* one in so many is scheduled dynamically */
#pragma omp parallel num_threads(workers)
    {
        rps_lanes *lanes = rps_worker_lanes(world, omp_get_thread_num());
#pragma omp for schedule(static, 1) nowait
        for (size_t part = 0; part < parts; part++) {
            for (size_t k = 0; k < order->span; k++) {
                const size_t group = group_at(order, k);
                if (k % shared == 0 || group >= order->groups || part_of_group(world, group, parts) != part) continue;
                evaluate_group(world, group, order->batches, dt, lanes);
            }
        }
#pragma omp for schedule(dynamic) nowait
        for (size_t k = 0; k < order->span; k += shared) {
            const size_t group = group_at(order, k);
            if (group < order->groups) evaluate_group(world, group, order->batches, dt, lanes);
        }
        RPS_STREAM_END();
    }
}

rps_status rps_evaluate(rps_world *world, double dt, rps_error *err) {
    RPS_TRY(reserve_scratch(world, err));
    RPS_TRY(check_imposed(world, err));
    RPS_TRY(check_projection(world, err));
    RPS_TRY(check_lines(world, err));
    world->contacts_kept = world->keep_contacts;
    world->loads_known = true;
    const group_order order = order_of_groups(world);
    const int workers = rps_step_workers(world, world->contacts.entries);
    for (int k = 0; k < workers; k++) {
        rps_worker_lanes(world, k)->beyond_guard = 0;
    }
    if (workers > 1) {
        evaluate_shared(world, &order, dt, workers);
    } else {
        for (size_t k = 0; k < order.span; k++) {
            const size_t group = group_at(&order, k);
            if (group < order.groups) evaluate_group(world, group, order.batches, dt, rps_worker_lanes(world, 0));
        }
    }
    world->guard.beyond_guard = false;
    for (int k = 0; k < workers; k++) {
        world->guard.beyond_guard |= rps_worker_lanes(world, k)->beyond_guard;
    }
    world->evaluated = true;
    return RPS_OK;
}

rps_status rps_evaluate_reserve(rps_world *world, rps_error *err) {
    return reserve_scratch(world, err);
}

bool rps_evaluate_energy_only(rps_world *world, size_t batch, rps_batch_task *task) {
    if (!batch_at(world, batch, 0.0, true, task)) return false;
    evaluate_batch[world->isa](task, rps_worker_lanes(world, 0));
    return true;
}

rps_status rps_evaluate_energy(rps_world *world, rps_exact_sum energy[RPS_ROLE_COUNT], rps_error *err) {
    RPS_TRY(reserve_scratch(world, err));
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        rps_exact_sum_clear(&energy[role]);
    }
    rps_lanes *lanes = rps_worker_lanes(world, 0);
    for (size_t k = 0; k < world->contacts.entries / RPS_BATCH; k++) {
        rps_batch_task task;
        if (!rps_evaluate_energy_only(world, k, &task)) {
            continue;
        }
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            for (int c = 0; c < task.n; c++) {
                rps_exact_sum_add(&energy[role], lanes->energy[role][c]);
            }
        }
    }
    return RPS_OK;
}
