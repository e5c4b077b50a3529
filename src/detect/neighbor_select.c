/*
 * Selects the candidate pairs for the neighbor list: pairs whose gap is, or along the predicted paths of both bodies
 * will be, below the interaction range plus their displacement buffers; and pairs that were in contact at the last
 * evaluation.
 *
 * The displacement buffer of a body is the largest deviation from its predicted path before the neighbor list ends,
 * at least half the skin. The few fastest bodies would determine a common buffer: in a bed at rest one body in a
 * thousand deviates ten times as far as nine tenths do. So the buffer of each body adds the distance by which a
 * collision could deflect it and 1/2 a t^2 of its last acceleration. A wrong estimate costs time only: the list ends
 * as soon as some body has used up its buffer.
 */
#include <math.h>
#include <string.h>

#include "detect/lists.h"
#include "world/body_shape.h"
#include "world/contact_rebuild.h"

enum { GAPS = 64 };
#define PREDICTED_SPEED_MAX 1e30 /* m/s; faster bodies are predicted at rest */
#define ROUNDED (1.0 + 4e-7) /* keeps a buffer that is rounded to float from shrinking, and its inverse from growing */

typedef struct selector {
    const rps_world *world;
    rps_lists *lists;
    rps_rebuild *rebuild;
    double skin, widest; /* m; twice the smallest displacement buffer, and the largest */
    double horizon;      /* s */
    bool predictions;
    rps_prediction *prediction;
    /* scratch on loan from the contact store */
    double *gap;  /* m, by pair */
    float *pass2; /* m^2/s^2, by pair: squared relative speed of the bodies of a close pair */
    float *
        displacement_buffer; /* m, by body: its displacement buffer; before that its acceleration under the last list, m/s^2 */
    uint32_t *self;          /* by pair: its body i */
} selector;

static rps_status reserve_scratch_arrays(selector *k, rps_error *err) {
    rps_lists *lists = k->lists;
    const size_t bytes = lists->pairs * (sizeof *k->gap + sizeof *k->pass2 + sizeof *k->self) +
                         lists->bodies * sizeof *k->displacement_buffer;
    void *scratch;
    RPS_TRY(rps_contacts_borrow(k->world, k->rebuild->contacts, bytes, &scratch, err));
    k->gap = scratch;
    k->pass2 = (float *)(void *)(k->gap + lists->pairs);
    k->displacement_buffer = k->pass2 + lists->pairs;
    k->self = (uint32_t *)(void *)(k->displacement_buffer + lists->bodies);
    if (!k->predictions) {
        lists->life.predicts = false;
        return RPS_OK;
    }
    RPS_TRY(rps_scratch_fit(k->world, &lists->prediction, lists->bodies, sizeof *k->prediction, err));
    k->prediction = lists->prediction.p;
    return RPS_OK;
}

/* --- predicted paths ---------------------------------------------------------------------------------------------- */

/* Stores the velocities of bodies as their predicted paths, and estimates the deviation from the last
 * paths. */
static void set_predictions(void *context, rps_part part) {
    const selector *k = context;
    const rps_bodies *bodies = &k->world->bodies;
    const rps_list_life *life = &k->lists->life;
    const bool known = life->predicts && life->since > 0.5 * k->world->step;
    for (size_t s = part.begin; s < part.end; s++) {
        const double *v = bodies->motion[s].velocity;
        float *predicted = k->prediction[s].v;
        const bool moves = rps_body_can_move(k->world, s);
        double off2 = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double off = known ? v[axis] - (double)predicted[axis] : 0.0;
            off2 += off * off;
            predicted[axis] = moves && fabs(v[axis]) < PREDICTED_SPEED_MAX ? (float)v[axis] : 0.0F;
        }
        k->displacement_buffer[s] = known && moves ? (float)(sqrt(off2) / life->since) : 0.0F;
    }
}

/* Displacement buffers of bodies, from the speeds at which their close pairs pass each other. */
static void set_displacement_buffers(void *context, rps_part part) {
    const selector *k = context;
    const rps_lists *lists = k->lists;
    const uint32_t *row = lists->row.p, *column = lists->column.p, *column_pair = lists->column_pair.p;
    const double half = 0.5 * k->skin;
    for (size_t s = part.begin; s < part.end && !k->predictions; s++)
        k->displacement_buffer[s] = (float)(ROUNDED * half);
    for (size_t s = part.begin; s < part.end && k->predictions; s++) {
        float most2 = 0.0F;
        for (size_t p = row[s]; p < row[s + 1]; p++) most2 = k->pass2[p] > most2 ? k->pass2[p] : most2;
        for (size_t c = column[s]; c < column[s + 1]; c++) {
            const float pass2 = k->pass2[column_pair[c]];
            most2 = pass2 > most2 ? pass2 : most2;
        }
        const bool moves = rps_body_can_move(k->world, s);
        const double most = moves ? sqrt((double)most2) : 0.0;
        const double buffer =
            rps_life_displacement_buffer(half, most, (double)k->displacement_buffer[s], k->horizon, k->widest);
        k->displacement_buffer[s] = (float)(ROUNDED * buffer);
        k->prediction[s].weight = (float)(ROUNDED * ROUNDED * half) / k->displacement_buffer[s];
    }
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

/* Gaps of the pairs of bodies beyond the interaction range of their laws. */
static void measure(void *context, rps_part part) {
    const selector *k = context;
    const rps_world *world = k->world;
    const rps_pose *pose = world->bodies.pose;
    const uint32_t *row = k->lists->row.p, *other = k->lists->other.p, *pair_type = k->lists->pair_type.p;
    const rps_subkey *subkey = rps_lists_subkey(k->lists);
    const size_t end = row[part.end];
    for (size_t s = part.begin; s < part.end; s++) {
        for (size_t p = row[s]; p < row[s + 1]; p++) k->self[p] = (uint32_t)s;
    }
    for (size_t p = row[part.begin], count; p < end; p += count) {
        const uint32_t run = pair_type[p];
        const rps_subkey *subkeys = subkey != NULL ? subkey + p : NULL;
        for (count = 1; p + count < end && count < GAPS && pair_type[p + count] == run;) count++;
        const rps_body_shape shape_i = rps_pair_type_shape_i(run), shape_j = rps_pair_type_shape_j(run);
        const uint32_t *self = k->self + p;
        double *gap = k->gap + p;
        float *pass2 = k->pass2 + p;
        if (k->predictions) {
            rps_pair_swept_gaps(world, k->prediction, shape_i, shape_j, self, other + p, subkeys, count, k->horizon,
                                gap, pass2);
        } else {
            rps_pair_gaps(world, shape_i, shape_j, self, other + p, subkeys, count, gap);
        }
        const double cutoff = world->pair_setup[rps_pair_type_segment(run) / RPS_RECORD_COUNT].cutoff;
        for (size_t e = 0; cutoff > 0.0 && e < count; e++) {
            gap[e] -= cutoff * rps_pair_smaller_radius(pose[self[e]].radius[0], pose[other[p + e]].radius[0]);
        }
        if (!k->predictions) continue;
#pragma omp simd
        for (size_t e = 0; e < count; e++) pass2[e] *= (float)(gap[e] < k->skin);
    }
}

/* Marks the pairs of bodies that go into the neighbor list and counts them by part of a segment. Compares with the old
 * marks to measure how the last list aged. */
static void mark(void *context, rps_part part) {
    const selector *k = context;
    size_t *tally = rps_rebuild_tally(k->rebuild, part.worker);
    size_t *changed_pairs = ((rps_found *)k->lists->found.p)[part.worker].changed_pairs;
    memset(changed_pairs, 0, RPS_CHANGED_STATES * sizeof *changed_pairs);
    const uint32_t *row = k->lists->row.p, *other = k->lists->other.p;
    const uint32_t *pair_type = k->lists->pair_type.p, *entry = k->lists->entry.p;
    static const uint8_t nothing[1] = {0};
    const uint8_t *was_active = k->world->contacts.entries > 0 ? k->world->contacts.was_active : nothing;
    const float *displacement_buffer = k->displacement_buffer;
    const size_t end = row[part.end];
    uint8_t *pair_mark = k->lists->pair_mark.p, leaving[GAPS + 1] = {0};
    for (size_t p = row[part.begin], count; p < end; p += count) {
        const uint32_t kind = rps_pair_type_segment(pair_type[p]);
        size_t touching = 0, here = 0, leavings = 0;
        for (count = 0; p + count < end && count < GAPS && rps_pair_type_segment(pair_type[p + count]) == kind;
             count++) {
            /* branch-free: whether a pair is listed cannot be predicted */
            const size_t e = p + count;
            const bool known = entry[e] != RPS_NO_ENTRY, was_contact = known & was_active[known ? entry[e] : 0];
            changed_pairs[RPS_CHANGED_BEGAN] += was_contact & (pair_mark[e] == RPS_PAIR_LISTED);
            changed_pairs[RPS_CHANGED_IDLE] += !was_contact & (pair_mark[e] == RPS_PAIR_IN_CONTACT);
            changed_pairs[RPS_CHANGED_LISTED] += !was_contact & (pair_mark[e] == RPS_PAIR_LISTED);
            const uint8_t listed =
                k->gap[e] < (double)displacement_buffer[k->self[e]] + (double)displacement_buffer[other[e]];
            const uint8_t touches = k->gap[e] < 0.0;
            pair_mark[e] = (uint8_t)(listed + (listed & touches));
            here += listed;
            touching += listed & touches;
            leaving[leavings] = (uint8_t)count;
            leavings += !listed & known;
        }
        for (size_t n = 0; n < leavings;
             n++) { /* an existing contact is evaluated once more, so that it ends properly */
            const bool lives = rps_contacts_entry_lives(k->world, entry[p + leaving[n]]);
            pair_mark[p + leaving[n]] = lives ? RPS_PAIR_IN_CONTACT : RPS_PAIR_NOT_LISTED;
            touching += lives;
            here += lives;
        }
        tally[rps_rebuild_part(kind, true)] += touching;
        tally[rps_rebuild_part(kind, false)] += here - touching;
    }
}

/* Sums what the workers found. */
static void measure_rebuild_cost(selector *k) {
    const rps_found *found = k->lists->found.p;
    size_t changes[RPS_CHANGED_STATES] = {0};
    for (int c = 0; c < k->lists->workers.count; c++) {
        for (int change = 0; change < RPS_CHANGED_STATES; change++) changes[change] += found[c].changed_pairs[change];
    }
    rps_life_measure_rebuild_cost(k->world, changes, &k->lists->life);
}

/* Counts the listed pairs in which bodies are j. */
static void count_columns(void *context, rps_part part) {
    const selector *k = context;
    const rps_lists *lists = k->lists;
    const uint32_t *column = lists->column.p, *column_pair = lists->column_pair.p;
    const uint8_t *pair_mark = lists->pair_mark.p;
    for (size_t s = part.begin; s < part.end; s++) {
        uint32_t nears = 0, touching = 0;
        for (size_t c = column[s]; c < column[s + 1]; c++) {
            nears += pair_mark[column_pair[c]] != RPS_PAIR_NOT_LISTED;
            touching += pair_mark[column_pair[c]] == RPS_PAIR_IN_CONTACT;
        }
        uint32_t *d = k->rebuild->degree + RPS_DEGREES * s;
        d[RPS_AS_J] = nears;
        d[RPS_AS_J_TOUCHING] = touching;
        d[RPS_AS_I] = d[RPS_AS_I_TOUCHING] = 0; /* counted when their entries are assigned */
    }
}

static void find_not_finite(void *context, rps_part part) {
    const selector *k = context;
    const rps_bodies *bodies = &k->world->bodies;
    uint64_t lowest = UINT64_MAX;
    for (size_t s = part.begin; s < part.end; s++) {
        if (rps_vec3_is_finite(rps_vec3_of(bodies->pose[s].position))) continue;
        const uint64_t id = bodies->id[s][0];
        lowest = id < lowest ? id : lowest;
    }
    ((rps_found *)k->lists->found.p)[part.worker].missing[0] = lowest;
}

/* Fails with the lowest id whose position is not finite. */
static rps_status neighbor_select_check_finite(selector *k, rps_error *err) {
    const rps_found *found = k->lists->found.p;
    rps_parallel_for(k->lists->workers, k->world->bodies.count, find_not_finite, k);
    uint64_t bad = UINT64_MAX;
    for (int c = 0; c < k->lists->workers.count; c++) bad = found[c].missing[0] < bad ? found[c].missing[0] : bad;
    return bad != UINT64_MAX ? rps_cells_not_finite(k->world, bad, err) : RPS_OK;
}

static rps_status select_pairs(selector *k, rps_error *err) {
    rps_lists *lists = k->lists;
    const rps_workers workers = lists->workers;
    RPS_TRY(reserve_scratch_arrays(k, err));
    RPS_TRY(neighbor_select_check_finite(k, err));
    if (k->predictions) {
        rps_parallel_for(workers, lists->bodies, set_predictions, k);
        lists->life.predicts = true;
    }
    rps_parallel_for(workers, lists->bodies, measure, k);
    rps_parallel_for(workers, lists->bodies, set_displacement_buffers, k);
    rps_parallel_for(workers, lists->bodies, mark, k);
    measure_rebuild_cost(k);
    rps_parallel_for(workers, lists->bodies, count_columns, k);
    return RPS_OK;
}

rps_status rps_neighbor_select(const rps_world *world, rps_lists *lists, double skin, double widest, double horizon,
                               rps_rebuild *rebuild, rps_error *err) {
    selector k = {.world = world,
                  .lists = lists,
                  .rebuild = rebuild,
                  .skin = skin,
                  .widest = widest,
                  .horizon = horizon,
                  .predictions = horizon > 0.0};
    const rps_status status = select_pairs(&k, err);
    rps_contacts_give_back(rebuild->contacts);
    return status;
}
