/*
 * Evaluates all contacts: groups of batches in any order, each by one worker. A batch writes its own entries only, so
 * results depend neither on the number of workers nor on the order; tests shuffle it.
 *
 * A batch in which most entries touch is evaluated in place. In flows, where the list holds five pairs per contact, the
 * touching entries are found first; their state is packed into full batches and copied back. Of the frame record all
 * entries are packed that may touch since something moved (apart.h), because its geometry costs more than packing.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/simd.h"
#include "detect/detect.h"
#include "detect/gap_table.h"
#include "detect/pair_line.h"
#include "law/arrays.h"
#include "step/apart.h"
#include "step/guard_passed.h"
#include "step/mesh_contacts.h"
#include "step/mesh_pairs.h"
#include "step/step_stages.h"
#include "world/share.h"

static rps_batch_evaluate_fn *const evaluate_batch[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_batch_evaluate);
static rps_find_active_fn *const find_active[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_find_active);

enum {
    GROUP = 16,        /* batches of one worker, whose active entries are packed together */
    SHARED_GROUPS = 6, /* groups per worker that are scheduled dynamically ... */
    SHARED_EVERY = 4   /* ... but at most one in so many */
};

const rps_lanes *rps_evaluate_lanes(const rps_world *world) {
    return world->scratch;
}

static rps_status reserve_lanes(rps_world *world, rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items((size_t)world->threads, sizeof(rps_lanes), &bytes, err));
    if (world->scratch_bytes >= bytes) {
        return RPS_OK;
    }
    RPS_TRY(rps_buffer_reserve(world->allocator, &world->scratch, &world->scratch_bytes, 0, bytes, err));
    memset(world->scratch, 0, bytes);
    for (int worker = 0; worker < world->threads; worker++) {
        rps_lanes *lanes = (rps_lanes *)world->scratch + worker;
        for (int c = 0; c < RPS_BATCH_CAPACITY; c++) {
            lanes->one[c] = 1.0;
            lanes->unbuilt[c] = NAN;
        }
    }
    return RPS_OK;
}

/* Finds contacts with meshes, and books what they handed over. */
static rps_status find_on_meshes(rps_world *world, bool skips, bool *crowded, rps_error *err) {
    rps_handed handed = {0};
    const rps_status status = rps_mesh_contacts_find(world, &world->contacts, skips, crowded, &handed, err);
    if (status == RPS_OK && handed.passed.found) RPS_TRY(rps_guard_passed(world, &world->guard, &handed.passed, err));
    if (!world->options.ledger || !handed.used) return status;
    rps_change_merge(world, RPS_CHANGE_HANDOVER, &handed.handover);
    for (int k = 0; k < RPS_ACCOUNTS; k++) rps_change_merge(world, RPS_CHANGE_DISSIPATED + k, &handed.dissipated[k]);
    return status;
}

rps_status rps_evaluate_reserve(rps_world *world, rps_error *err) {
    bool crowded; /* no contact begins here */
    RPS_TRY(reserve_lanes(world, err));
    return find_on_meshes(world, false, &crowded, err);
}

/* Contacts with meshes at the new positions; a pair with more of them than slots has new lists made. */
static rps_status find_mesh_contacts(rps_world *world, rps_error *err) {
    for (;;) {
        bool crowded;
        RPS_TRY(rps_apart_begin(world, &world->contacts, err));
        RPS_TRY(find_on_meshes(world, true, &crowded, err));
        if (!crowded) return RPS_OK;
        RPS_TRY(rps_mesh_more_slots(world, err));
        RPS_TRY(rps_detect_update(world, err));
    }
}

/* A law refuses bodies as they touch, not as they are listed: a run that is resumed builds another list. */
static bool is_near(const rps_world *world, const rps_segment *segment, size_t e) {
    return rps_pair_gap(world, segment->slot_i[e], segment->slot_j[e], rps_segment_subkey(segment, e)) <
           world->pair_setup[segment->pair].cutoff;
}

/* A law that reads the weight of the free body must know which of the two presses. */
static rps_status check_weight(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        if (!(pair->reads & RPS_ARRAY(weight))) {
            continue;
        }
        for (size_t e = 0; e < segment->count; e++) {
            const uint32_t i = segment->slot_i[e], j = segment->slot_j[e];
            if (world->bodies.kind[i][0] == RPS_BODY_FREE && world->bodies.kind[j][0] == RPS_BODY_FREE &&
                is_near(world, segment, e)) {
                char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
                return rps_fail(
                    err, RPS_BAD_INPUT,
                    "%s and %s touch and are both free, but the normal law `%s` of their materials takes the "
                    "weight of one body on another that is fixed or driven: fix one of them, or use hertz or hooke",
                    rps_body_name(world, i, a, sizeof a), rps_body_name(world, j, b, sizeof b),
                    pair->law[RPS_ROLE_NORMAL]->name);
            }
        }
    }
    return RPS_OK;
}

/* Projection is implemented for records that store the normal in world axes. */
static rps_status check_projection(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        if (!pair->projects || segment->record != RPS_RECORD_FRAME) continue;
        for (size_t e = 0; e < segment->count; e++) {
            if (!is_near(world, segment, e)) continue;
            char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s and %s touch at t = %g s, and slide law `%s` of their materials is told to project its "
                "force, which is there for spheres and planes that do not turn only: leave its `rotation` out, "
                "so that the force is carried",
                rps_body_name(world, segment->slot_i[e], a, sizeof a),
                rps_body_name(world, segment->slot_j[e], b, sizeof b), rps_world_time(world),
                pair->law[RPS_ROLE_SLIDE]->name);
        }
    }
    return RPS_OK;
}

/* A law that is stated for spheres alone. */
static rps_status check_spheres(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        for (size_t e = 0; pair->spheres && e < segment->count; e++) {
            const uint32_t i = segment->slot_i[e], j = segment->slot_j[e];
            char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
            if (!rps_body_has_pieces(&world->bodies, i) && !rps_body_has_pieces(&world->bodies, j)) continue;
            if (!is_near(world, segment, e)) continue;
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s and %s touch at t = %g s, but the normal law `%s` of their materials is stated for spheres "
                "and planes only: take a law for all shapes, such as `hertz`",
                rps_body_name(world, i, a, sizeof a), rps_body_name(world, j, b, sizeof b), rps_world_time(world),
                pair->law[RPS_ROLE_NORMAL]->name);
        }
    }
    return RPS_OK;
}

/* Bridges stand between spheres, those of clumps too, and between these and planes. */
static rps_status check_bridges(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        if (!pair->wet || segment->record != RPS_RECORD_FRAME) continue;
        for (size_t e = 0; e < segment->count; e++) {
            const uint32_t i = segment->slot_i[e], j = segment->slot_j[e];
            char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
            if (!rps_body_has_pieces(&world->bodies, i) && !rps_body_has_pieces(&world->bodies, j)) continue;
            if (!is_near(world, segment, e)) continue;
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s and %s touch at t = %g s, but the bridge law `%s` of their materials is stated for "
                "spheres, those of clumps too, and for planes that do not turn: give this pair of materials "
                "no bridge",
                rps_body_name(world, i, a, sizeof a), rps_body_name(world, j, b, sizeof b), rps_world_time(world),
                pair->law[RPS_ROLE_BRIDGE]->name);
        }
    }
    return RPS_OK;
}

/* Line laws are for parallel cylinders, and for a cylinder that lies on a plane. */
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

static rps_evaluation evaluation_of(const rps_world *world, const rps_general_shapes *shapes, double dt,
                                    bool energy_only) {
    const rps_contacts *contacts = &world->contacts;
    rps_evaluation all = {.bodies = rps_bodies_read(&world->bodies),
                          .piece = world->piece,
                          .shapes = shapes,
                          .cell = world->cell,
                          .guard_overlap = world->guard.overlap,
                          .dt = dt,
                          .surfaces = world->surfaces ? world->driven : NULL,
                          .time = rps_world_time(world),
                          .isa = world->isa,
                          .dimension = world->options.dimension,
                          .ledger = world->options.ledger,
                          .check_laws = world->options.check_laws,
                          .exceeds_l2 = contacts->exceeds_l2,
                          .streams = contacts->streams,
                          .energy_only = energy_only};
    memcpy(all.gravity, world->options.gravity, sizeof all.gravity);
    return all;
}

/* An evaluation under way. */
typedef struct evaluator {
    /* read */
    rps_evaluation all;
    const rps_pair_setup *pair_setup;
    bool keep; /* results */
    /* written; with all.energy_only the lanes alone */
    rps_contacts *contacts;
    rps_lanes *lanes; /* one a worker */
} evaluator;

static evaluator evaluator_of(rps_world *world, const rps_general_shapes *shapes, double dt, bool energy_only) {
    return (evaluator){.all = evaluation_of(world, shapes, dt, energy_only),
                       .pair_setup = world->pair_setup,
                       .keep = world->keep_contacts,
                       .contacts = &world->contacts,
                       .lanes = world->scratch};
}

/* The k-th batch, but for its constants; false for a number past the entries of its segment. *segment: NULL, or the segment
 * of the batch before, which mostly holds this one too. */
static bool batch_at(const evaluator *e, size_t k, rps_segment **segment, size_t *place, rps_batch_task *task) {
    rps_contacts *contacts = e->contacts;
    const size_t entry = k * RPS_BATCH;
    rps_segment *from = *segment;
    if (from == NULL || entry < from->begin || entry - from->begin >= from->capacity) {
        from = rps_segment_to_write(contacts, rps_entry_segment(contacts, entry));
    }
    const size_t at = entry - from->begin;
    *segment = from;
    *place = at;
    if (at >= from->count) return false;
    const size_t n = from->count - at;
    task->all = &e->all;
    task->pair = &e->pair_setup[from->pair];
    task->record = from->record;
    task->n = n < RPS_BATCH ? (int)n : RPS_BATCH;
    task->padded = (task->n + 7) / 8 * 8;
    task->ahead = from->capacity - at;
    task->slot_i = from->slot_i + at;
    task->slot_j = from->slot_j + at;
    task->subkey = from->subkey != NULL ? from->subkey + at : NULL;
    task->reference = (const uint32_t(*)[2])contacts->place + entry;
    task->mesh = contacts->mesh.listed && from->record == RPS_RECORD_FRAME ? contacts->mesh.geometry + entry : NULL;
    task->wrench = task->mesh != NULL && contacts->mesh.wrench != NULL ? contacts->mesh.wrench + entry : NULL;
    task->mesh_index = NULL;
    task->state = rps_segment_slice(from, at);
    task->was_active = contacts->was_active + entry;
    task->load = contacts->load;
    task->has_load = contacts->has_load;
    task->result = e->keep ? contacts->result + entry : NULL;
    return true;
}

/* True for entries of which some may be known to be apart. */
static bool has_apart_notes(const evaluator *e, const rps_batch_task *task) {
    return e->contacts->paths > 0 && task->record == RPS_RECORD_FRAME && !task->pair->lines && !e->all.energy_only;
}

/* Evaluates a batch of `segment` from `place` on. */
static void evaluate_whole(const evaluator *e, const rps_segment *segment, size_t place, rps_batch_task *task,
                           rps_lanes *lanes) {
    for (int c = 0; c < RPS_CONSTANT_LANES; c++) task->constant[c] = rps_segment_constants(segment, place, c);
    evaluate_batch[e->all.isa](task, lanes);
    if (has_apart_notes(e, task)) rps_apart_note(e->contacts, task, lanes, segment->begin + place, NULL);
}

/* --- packing -------------------------------------------------------------------------------------------------------- */

/* True if less than half of the entries were active at the last evaluation: then packing costs less than evaluating
 * all. */
static bool is_sparse(const rps_batch_task *task) {
    if (task->result || (task->record != RPS_RECORD_COMPACT && task->record != RPS_RECORD_COMPACT_PIECES)) return false;
    uint64_t eight[RPS_BATCH / 8], sum = 0; /* flags are 0 or 1, and 0 past the last entry: eight sums in a word */
    memcpy(eight, task->was_active, sizeof eight);
    for (int k = 0; k < RPS_BATCH / 8; k++) sum += eight[k];
    const int was_active = (int)(sum * UINT64_C(0x0101010101010101) >> 56);
    return 2 * was_active < task->n;
}

/* Selects the entries that exist or are not known to be apart, be it by a note or as slots of a mesh that no contact took. entry:
 * number of the first. False if these are nearly all. */
static bool find_pending(const evaluator *e, const rps_batch_task *task, size_t entry, uint8_t *pending, int *found) {
    const bool notes = has_apart_notes(e, task);
    int n = 0;
    if (task->result || e->all.energy_only || !(notes || task->mesh != NULL)) return false;
    for (int c = 0; c < task->n; c++) {
        const bool free_slot = task->mesh != NULL && task->mesh[c].is == RPS_MESH_APART;
        const bool apart =
            free_slot || (notes && rps_apart_still(e->contacts, entry + (size_t)c, task->slot_i[c], task->slot_j[c]));
        pending[n] = (uint8_t)c;
        n += task->was_active[c] != 0 || !apart;
    }
    *found = n;
    return 8 * n < 7 * task->n;
}

/* Evaluates the packed entries as a batch of their own and copies their state back. */
static void evaluate_flush(const evaluator *e, rps_lanes *lanes) {
    rps_packed *p = &lanes->packed;
    rps_segment *from = p->from;
    const int n = p->n;
    if (n == 0) return;
    p->n = 0;
    rps_batch_task task = {
        .all = &e->all,
        .pair = &e->pair_setup[from->pair],
        .record = from->record,
        .n = n,
        .padded = (n + 7) / 8 * 8,
        .ahead = RPS_BATCH_CAPACITY,
        .slot_i = p->slot_i,
        .slot_j = p->slot_j,
        .subkey = from->subkey != NULL ? p->subkey : NULL,
        .reference = (const uint32_t(*)[2])p->reference,
        .mesh = e->contacts->mesh.listed && from->record == RPS_RECORD_FRAME ? e->contacts->mesh.geometry + from->begin
                                                                             : NULL,
        .wrench = e->contacts->mesh.listed && from->record == RPS_RECORD_FRAME && e->contacts->mesh.wrench != NULL
                      ? e->contacts->mesh.wrench + from->begin
                      : NULL,
        .mesh_index = p->index,
        .state = {.first = lanes->energy_only[0], .stride = RPS_BATCH_CAPACITY},
        .was_active = p->was_active,
        .load = e->contacts->load,
        .has_load = e->contacts->has_load};
    const int state_lanes = rps_batch_layout(&task)->lanes;
    for (int lane = 0; lane < state_lanes; lane++) {
        double *packed = lanes->energy_only[lane];
        const double *whole = rps_segment_lane(from, lane);
        for (int c = 0; c < n; c++) packed[c] = whole[p->index[c]];
        for (int c = n; c < task.padded; c++) packed[c] = 0.0;
    }
    for (int k = 0; k < RPS_CONSTANT_LANES; k++) {
        const double *whole = rps_segment_constants(from, 0, k);
        task.constant[k] = from->same != NULL ? whole : lanes->constant[k];
        for (int c = 0; c < n && from->same == NULL; c++) lanes->constant[k][c] = whole[p->index[c]];
        for (int c = n; c < task.padded && from->same == NULL; c++) lanes->constant[k][c] = 1.0;
    }
    for (int c = n; c < RPS_BATCH_CAPACITY; c++) p->slot_i[c] = p->slot_j[c] = 0;
    for (int c = n; c < RPS_BATCH_CAPACITY && from->subkey != NULL; c++) p->subkey[c] = (rps_subkey){0};
    evaluate_batch[e->all.isa](&task, lanes);
    for (int lane = 0; lane < state_lanes; lane++) {
        double *whole = rps_segment_lane_to_write(from, lane);
        const double *packed = lanes->energy_only[lane];
        for (int c = 0; c < n; c++) whole[p->index[c]] = packed[c];
    }
    uint8_t *was_active = e->contacts->was_active + from->begin;
    for (int c = 0; c < n; c++) was_active[p->index[c]] = p->was_active[c];
    if (has_apart_notes(e, &task)) rps_apart_note(e->contacts, &task, lanes, from->begin, p->index);
}

/* Prefetches the state of a packed contact; its neighbors in memory are inactive. */
static inline __attribute__((always_inline)) void prefetch_entry(const rps_batch_task *task, size_t c) {
    const int lanes = rps_batch_layout(task)->lanes;
    for (int k = 0; k < lanes; k++) __builtin_prefetch(rps_batch_lane(task, k) + c, 1, 2);
}

static void evaluate_pack(const evaluator *e, rps_segment *segment, size_t place, const rps_batch_task *task,
                          const uint8_t *active, int found, rps_lanes *lanes) {
    rps_packed *p = &lanes->packed;
    if (p->n > 0 && p->from != segment) evaluate_flush(e, lanes);
    p->from = segment;
    for (int k = 0; k < found; k++) {
        const size_t c = active[k];
        const int at = p->n++;
        p->index[at] = (uint32_t)(place + c);
        p->slot_i[at] = task->slot_i[c];
        p->slot_j[at] = task->slot_j[c];
        if (task->subkey != NULL) p->subkey[at] = task->subkey[c];
        p->reference[at][0] = task->reference[c][0];
        p->reference[at][1] = task->reference[c][1];
        p->was_active[at] = task->was_active[c];
        if (e->all.exceeds_l2) prefetch_entry(task, c);
        if (p->n == RPS_BATCH) evaluate_flush(e, lanes);
    }
}

static void evaluate_group(const evaluator *e, size_t group, size_t batches, rps_lanes *lanes) {
    const size_t end = (group + 1) * GROUP < batches ? (group + 1) * GROUP : batches;
    lanes->packed.n = 0;
    rps_segment *segment = NULL;
    for (size_t k = group * GROUP; k < end; k++) {
        size_t place;
        rps_batch_task task;
        if (!batch_at(e, k, &segment, &place, &task)) continue;
        uint8_t active[RPS_BATCH + 1];
        int found = 0;
        if (is_sparse(&task)) {
            found = find_active[e->all.isa](&task, lanes, active);
            evaluate_pack(e, segment, place, &task, active, found, lanes);
        } else if (find_pending(e, &task, k * RPS_BATCH, active, &found)) {
            evaluate_pack(e, segment, place, &task, active, found, lanes);
        } else {
            evaluate_whole(e, segment, place, &task, lanes);
        }
    }
    evaluate_flush(e, lanes);
}

/* Order in which groups are evaluated. In tests it changes every step: the k-th is (k * odd + offset) modulo a power
 * of two, and numbers past the last group are skipped. */
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
static size_t part_of_group(const evaluator *e, size_t group, size_t parts) {
    const rps_segment *segment = rps_entry_segment(e->contacts, group * GROUP * RPS_BATCH);
    const size_t place = group * GROUP * RPS_BATCH - segment->begin;
    const size_t slot = place < segment->count ? segment->slot_i[place] : 0;
    return slot * parts / e->all.bodies.count;
}

typedef struct shared_groups {
    const evaluator *e;
    const group_order *order;
    size_t parts, shared; /* one group in `shared` is scheduled dynamically */
    rps_counter counter;  /* of those */
} shared_groups;

static void evaluate_part(void *context, int worker) {
    shared_groups *s = context;
    const group_order *order = s->order;
    rps_lanes *lanes = s->e->lanes + worker;
    for (size_t k = 0; k < order->span; k++) {
        const size_t group = group_at(order, k);
        if (k % s->shared == 0 || group >= order->groups) continue;
        if (part_of_group(s->e, group, s->parts) != (size_t)worker) continue;
        evaluate_group(s->e, group, order->batches, lanes);
    }
    for (size_t k; (k = s->shared * rps_counter_take(&s->counter)) < order->span;) {
        const size_t group = group_at(order, k);
        if (group < order->groups) evaluate_group(s->e, group, order->batches, lanes);
    }
    RPS_STREAM_END();
}

/* Each worker evaluates most of the groups of the bodies that it integrates, which are in its caches; a few groups are
 * scheduled dynamically for load balance. */
static void evaluate_shared(const evaluator *e, const group_order *order, rps_workers workers) {
    const size_t parts = (size_t)workers.count, every = order->groups / (SHARED_GROUPS * parts);
    shared_groups s = {e, order, parts, every > SHARED_EVERY ? every : SHARED_EVERY, {0}};
    rps_parallel_run(workers, evaluate_part, &s);
}

/* With the option check_laws: reports a law that violated its descriptor. */
static rps_status check_declared(const rps_lanes *lanes, int workers, rps_error *err) {
    for (int k = 0; k < workers; k++) {
        const rps_law_fault *fault = &lanes[k].fault;
        if (fault->law == NULL) continue;
        static const char *const does[] = {"reads", "writes", "does not write"};
        static const char *const remedy[] = {"which is not in .reads of its descriptor: declare it, or leave it alone",
                                             "which is not in .writes of its descriptor: declare it, or leave it alone",
                                             "which is in .writes of its descriptor: write it, or take it out there"};
        const bool known = fault->array < RPS_ARRAY_COUNT;
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\" %s %s of a batch, %s", rps_role_name(fault->law->role),
                        fault->law->name, does[fault->kind],
                        known                           ? rps_array_table[fault->array].name
                        : fault->kind == RPS_LAW_WRITES ? "a mode"
                                                        : "an array",
                        remedy[fault->kind]);
    }
    return RPS_OK;
}

rps_status rps_evaluate(rps_world *world, double dt, rps_error *err) {
    RPS_TRY(reserve_lanes(world, err));
    RPS_TRY(find_mesh_contacts(world, err));
    RPS_TRY(check_weight(world, err));
    RPS_TRY(check_projection(world, err));
    RPS_TRY(check_spheres(world, err));
    RPS_TRY(check_bridges(world, err));
    RPS_TRY(check_lines(world, err));
    world->contacts_kept = world->keep_contacts;
    world->loads_known = true;
    const group_order order = order_of_groups(world);
    const rps_workers workers = rps_step_workers(world, world->contacts.entries);
    const rps_general_shapes shapes = {world};
    const evaluator e = evaluator_of(world, &shapes, dt, false);
    for (int k = 0; k < workers.count; k++) {
        e.lanes[k].beyond_guard = 0;
        e.lanes[k].fault.law = NULL;
    }
    if (workers.count > 1) {
        evaluate_shared(&e, &order, workers);
    } else {
        for (size_t k = 0; k < order.span; k++) {
            const size_t group = group_at(&order, k);
            if (group < order.groups) evaluate_group(&e, group, order.batches, e.lanes);
        }
    }
    RPS_TRY(check_declared(e.lanes, workers.count, err));
    double beyond = 0.0;
    for (int k = 0; k < workers.count; k++) {
        if (e.lanes[k].beyond_guard) beyond = 1.0;
    }
    rps_share_most(world, 1, &beyond);
    world->guard.beyond_guard = beyond > 0.0;
    world->evaluated = true;
    return RPS_OK;
}

int rps_evaluate_energy_only(rps_world *world, size_t batch) {
    const rps_general_shapes shapes = {world};
    const evaluator e = evaluator_of(world, &shapes, 0.0, true);
    rps_segment *segment = NULL;
    size_t place;
    rps_batch_task task;
    if (!batch_at(&e, batch, &segment, &place, &task)) return 0;
    evaluate_whole(&e, segment, place, &task, e.lanes);
    return task.n;
}

rps_status rps_evaluate_energy(rps_world *world, rps_exact_sum energy[RPS_ROLE_COUNT], rps_error *err) {
    RPS_TRY(rps_evaluate_reserve(world, err));
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        rps_exact_sum_clear(&energy[role]);
    }
    const rps_lanes *lanes = rps_evaluate_lanes(world);
    for (size_t k = 0; k < world->contacts.entries / RPS_BATCH; k++) {
        const int n = rps_evaluate_energy_only(world, k);
        const rps_segment *segment = rps_entry_segment(&world->contacts, k * RPS_BATCH);
        for (int c = 0; c < n; c++) {
            if (!rps_share_counts(world->share, segment->slot_i[k * RPS_BATCH - segment->begin + (size_t)c])) continue;
            for (int role = 0; role < RPS_ROLE_COUNT; role++) {
                rps_exact_sum_add(&energy[role], lanes->energy[role][c]);
            }
        }
    }
    rps_share_sum(world, RPS_ROLE_COUNT, energy);
    return RPS_OK;
}
