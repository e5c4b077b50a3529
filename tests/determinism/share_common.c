/* Deals bodies to worlds of one program and lets them step together (share_common.h). */
#include "share_common.h"

#include <stdlib.h>

#include "base/status.h"
#include "detect/detect.h"

/* --- meetings ----------------------------------------------------------------------------------------------------- */

/* Waits until all parts are here; false once a part has failed. */
static bool meet(spread *s) {
    pthread_mutex_lock(&s->mutex);
    const uint64_t meeting = s->meetings;
    if (++s->here == s->parts) {
        s->here = 0;
        s->meetings++;
        pthread_cond_broadcast(&s->all_here);
    }
    while (!s->failed && s->meetings == meeting) pthread_cond_wait(&s->all_here, &s->mutex);
    const bool good = s->meetings != meeting;
    pthread_mutex_unlock(&s->mutex);
    return good;
}

static void give_up(spread *s) {
    pthread_mutex_lock(&s->mutex);
    s->failed = true;
    pthread_cond_broadcast(&s->all_here);
    pthread_mutex_unlock(&s->mutex);
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void share_sum(const rps_share *share, size_t n, rps_exact_sum *sum) {
    part *p = share->context;
    spread *s = p->spread;
    p->sum = sum;
    if (!meet(s)) return;
    rps_exact_sum *all = malloc(n * sizeof *all);
    for (size_t k = 0; k < n; k++) {
        rps_exact_sum_clear(&all[k]);
        for (int q = 0; q < s->parts; q++) {
            if (s->mistake == ROUNDED_SUMS) {
                rps_exact_sum_add(&all[k], rps_exact_sum_value(&s->part[q].sum[k]));
            } else {
                rps_exact_sum_merge(&all[k], &s->part[q].sum[k]);
            }
        }
    }
    if (meet(s)) memcpy(sum, all, n * sizeof *all);
    free(all);
}

static void share_most(const rps_share *share, size_t n, double *most) {
    part *p = share->context;
    spread *s = p->spread;
    p->most = most;
    if (!meet(s)) return;
    double *all = malloc(n * sizeof *all);
    for (size_t k = 0; k < n; k++) {
        all[k] = -INFINITY;
        for (int q = 0; q < s->parts; q++) {
            const double x = s->part[q].most[k];
            all[k] = all[k] == all[k] && !(x <= all[k]) ? x : all[k];
        }
    }
    if (meet(s)) memcpy(most, all, n * sizeof *all);
    free(all);
}

/* Copies take the poses and velocities of their owners, which wait meanwhile. */
static rps_status share_follow(rps_world *world, rps_error *err) {
    part *p = world->share->context;
    spread *s = p->spread;
    p->speed = world->moved.speed;
    if (!meet(s)) return rps_fail(err, RPS_INTERNAL, "another part has failed");
    double fastest = 0.0;
    for (int q = 0; q < s->parts; q++) fastest = s->part[q].speed > fastest ? s->part[q].speed : fastest;
    if (p->number == 0) s->travel += fastest * world->step;
    for (size_t slot = p->share.mine; slot < world->bodies.count; slot++) {
        const uint64_t gid = p->gid[world->bodies.id[slot][0]];
        const part *owner = &s->part[s->owner[gid]];
        const size_t from = rps_world_slot(owner->world, owner->id_of[gid]);
        world->bodies.pose[slot] = owner->world->bodies.pose[from];
        memcpy(world->bodies.motion[slot].velocity, owner->world->bodies.motion[from].velocity,
               sizeof world->bodies.motion[slot].velocity);
        memcpy(world->bodies.orientation[slot], owner->world->bodies.orientation[from],
               sizeof world->bodies.orientation[slot]);
    }
    return meet(s) ? RPS_OK : rps_fail(err, RPS_INTERNAL, "another part has failed");
}

/* --- state of the whole world ------------------------------------------------------------------------------------- */

static size_t field_bytes(size_t f) {
    const rps_field *field = rps_body_field(f);
    return (size_t)field->components * (field->type == RPS_TYPE_int32 ? 4 : 8);
}

static void state_open(saved_state *state, const rps_world *world) {
    *state = (saved_state){.bodies = world->bodies.count, .drives = world->drives};
    state->field = calloc(rps_body_field_count(), sizeof *state->field);
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        const bool travels = field->flags & RPS_FIELD_SAVED || strcmp(field->name, "common") == 0;
        if (travels) state->field[f] = malloc(state->bodies * field_bytes(f));
    }
    state->driven = malloc((world->drives + 1) * sizeof *state->driven);
}

static void state_clear(saved_state *state) {
    for (size_t c = 0; c < state->contacts; c++) free(state->contact[c].state);
    state->contacts = 0;
    for (int k = 0; k < 4; k++) rps_exact_sum_clear(&state->boundary[k]);
    for (int k = 0; k < RPS_CHANGES; k++) rps_exact_sum_clear(&state->change[k]);
    state->changed = false;
}

static void state_close(saved_state *state) {
    state_clear(state);
    for (size_t f = 0; f < rps_body_field_count(); f++) free(state->field[f]);
    free(state->field);
    free(state->contact);
    free(state->driven);
}

static uint64_t gid_of(const rps_world *world, size_t slot) {
    const uint64_t id = world->bodies.id[slot][0];
    return world->share != NULL ? world->share->gid[id] : id;
}

static void take_contact(saved_state *state, const rps_world *world, const rps_segment *segment, size_t e) {
    if (state->contacts == state->capacity) {
        state->capacity = 2 * state->capacity + 64;
        state->contact = realloc(state->contact, state->capacity * sizeof *state->contact);
    }
    saved_contact *c = &state->contact[state->contacts++];
    const int lanes = world->pair_setup[segment->pair].layout[segment->record].lanes;
    *c = (saved_contact){.gid = {gid_of(world, segment->slot_i[e]), gid_of(world, segment->slot_j[e])},
                         .subkey = rps_segment_subkey(segment, e),
                         .kind = segment->pair * RPS_RECORD_COUNT + (int)segment->record,
                         .lanes = lanes,
                         .state = malloc((size_t)lanes * sizeof(double))};
    rps_segment_get_all(segment, e, lanes, c->state);
}

/* Adds what a world counts. */
static void take_from(saved_state *state, rps_world *world) {
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        size_t stride;
        const char *from = rps_bodies_field(&world->bodies, f, &stride);
        for (size_t slot = 0; slot < world->bodies.count && state->field[f] != NULL; slot++) {
            if (!rps_share_counts_body(world->share, slot)) continue;
            const uint64_t gid = gid_of(world, slot);
            char *to = state->field[f] + gid * field_bytes(f);
            memcpy(to, from + slot * stride, field_bytes(f));
            if (strcmp(rps_body_field(f)->name, "id") == 0) memcpy(to, &gid, sizeof gid);
        }
    }
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        const double *modes = rps_segment_lane(segment, world->pair_setup[segment->pair].layout[segment->record].modes);
        for (size_t e = 0; e < segment->count; e++) {
            if (modes[e] != 0.0 && rps_share_counts(world->share, segment->slot_i[e])) {
                take_contact(state, world, segment, e);
            }
        }
    }
    for (int k = 0; k < 4; k++) rps_exact_sum_merge(&state->boundary[k], &world->boundary_dissipated[k]);
    for (int k = 0; k < RPS_CHANGES; k++) rps_exact_sum_merge(&state->change[k], &world->change[k]);
    state->changed = state->changed || world->changed;
    if (world->share != NULL && !world->share->first) return;
    for (size_t k = 0; k < world->drives; k++) {
        state->driven[k] = world->driven[k];
        rps_share_drive_out(world->share, &state->driven[k]);
    }
    state->steps = world->steps;
    state->moved = world->moved;
}

static void *saved_field(const saved_state *state, const char *name) {
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        if (strcmp(rps_body_field(f)->name, name) == 0) return state->field[f];
    }
    return NULL;
}

/* --- giving -------------------------------------------------------------------------------------------------------- */

static rps_status give_contacts(const saved_state *state, rps_world *world, const uint64_t *id_of, rps_error *err) {
    for (size_t c = 0; c < state->contacts; c++) {
        const saved_contact *saved = &state->contact[c];
        const uint64_t id[2] = {id_of != NULL ? id_of[saved->gid[0]] : saved->gid[0],
                                id_of != NULL ? id_of[saved->gid[1]] : saved->gid[1]};
        const size_t i = id[0] != UINT64_MAX ? rps_world_slot(world, id[0]) : SIZE_MAX;
        const size_t j = id[1] != UINT64_MAX ? rps_world_slot(world, id[1]) : SIZE_MAX;
        const rps_share *share = world->share;
        const bool ours = share == NULL || (i != SIZE_MAX && i < share->own) || (j != SIZE_MAX && j < share->own);
        if (!ours && !(i != SIZE_MAX && j != SIZE_MAX && rps_share_holds(share, i, j))) continue;
        const size_t entry = i != SIZE_MAX && j != SIZE_MAX ? rps_contacts_find(world, id, saved->subkey) : SIZE_MAX;
        if (entry == SIZE_MAX) return rps_fail(err, RPS_INTERNAL, "a contact is not listed");
        rps_contacts_restore_entry(&world->contacts, entry, saved->lanes, saved->state);
    }
    return RPS_OK;
}

/* gid: by id here; slots: ids here in the order of slots. */
static rps_status give_to(const saved_state *state, rps_world *world, const rps_share *share, size_t count,
                          const uint64_t *gid, const uint64_t *slots, const uint64_t *id_of, rps_error *err) {
    RPS_TRY(rps_share_begin(world, share, count, count, err));
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        size_t stride;
        char *to = rps_bodies_field(&world->bodies, f, &stride);
        for (size_t slot = 0; slot < count && state->field[f] != NULL; slot++) {
            const uint64_t id = slots != NULL ? slots[slot] : slot, from = gid != NULL ? gid[id] : id;
            memcpy(to + slot * stride, state->field[f] + from * field_bytes(f), field_bytes(f));
            if (strcmp(rps_body_field(f)->name, "id") == 0) memcpy(to + slot * stride, &id, sizeof id);
        }
    }
    if (state->drives > 0) memcpy(world->driven, state->driven, state->drives * sizeof *state->driven);
    for (int k = 0; k < 4; k++) rps_exact_sum_clear(&world->boundary_dissipated[k]);
    for (int k = 0; k < RPS_CHANGES; k++) rps_exact_sum_clear(&world->change[k]);
    if (share == NULL || share->first) {
        memcpy(world->boundary_dissipated, state->boundary, sizeof state->boundary);
        memcpy(world->change, state->change, sizeof state->change);
    }
    world->changed = state->changed;
    world->steps = state->steps;
    world->moved = state->moved;
    RPS_TRY(rps_share_ready(world, err));
    RPS_TRY(rps_detect_update(world, err));
    return give_contacts(state, world, id_of, err);
}

/* --- deals -------------------------------------------------------------------------------------------------------- */

/* Owners by chance, or by layers across an axis that changes; -1: common. */
static void choose_owners(spread *s) {
    const saved_state *state = &s->state;
    const double(*x)[3] = (const double(*)[3])saved_field(state, "position");
    const int axis = (int)(s->deals % 3);
    double low = INFINITY, high = -INFINITY;
    for (uint64_t g = 0; g < state->bodies; g++) {
        if (s->owner[g] < 0) continue;
        low = x[g][axis] < low ? x[g][axis] : low;
        high = x[g][axis] > high ? x[g][axis] : high;
    }
    for (uint64_t g = 0; g < state->bodies; g++) {
        if (s->owner[g] < 0) continue;
        const double at = (x[g][axis] - low) / (high - low) * s->parts;
        s->owner[g] = s->by == BY_CHANCE ? (int)rps_random_index(19, RPS_RANDOM_TEST, s->deals, g, (uint64_t)s->parts)
                                         : (at < s->parts - 1 ? (int)at : s->parts - 1);
    }
}

/* Whether a body may come near an own body of the part before the next deal. */
static bool is_near(const spread *s, int number, uint64_t g) {
    const double(*x)[3] = (const double(*)[3])saved_field(&s->state, "position");
    const double *radius = saved_field(&s->state, "radius");
    for (uint64_t o = 0; o < s->state.bodies; o++) {
        if (s->owner[o] != number) continue;
        double d[3] = {x[g][0] - x[o][0], x[g][1] - x[o][1], x[g][2] - x[o][2]};
        if (s->whole->cell.periodic) rps_cell_nearest(&s->whole->cell, d);
        const double reach = radius[g] + radius[o] + s->margin;
        if ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < reach * reach) return true;
    }
    return false;
}

/* Lists the bodies of a part: true ids by id, and ids by slot. */
static size_t choose_bodies(const spread *s, part *p, uint64_t *slots) {
    size_t count = 0, at[3] = {0};
    uint8_t *class = malloc(s->state.bodies);
    for (uint64_t g = 0; g < s->state.bodies; g++) {
        class[g] = s->owner[g] == p->number ? 0 : s->owner[g] < 0 ? 1 : is_near(s, p->number, g) ? 2 : 3;
        p->id_of[g] = class[g] < 3 ? count : UINT64_MAX;
        if (class[g] == 3) continue;
        at[class[g]]++;
        p->gid[count++] = g;
    }
    p->share.own = at[0];
    p->share.mine = at[0] + at[1];
    size_t next[3] = {0, at[0], at[0] + at[1]};
    for (size_t id = 0; id < count; id++) slots[next[class[p->gid[id]]]++] = id;
    if (s->mistake == ORDER_OF_ARRIVAL) { /* own bodies first */
        for (size_t slot = 0; slot < count; slot++) {
            const uint64_t g = slots[slot];
            slots[slot] = p->gid[g];
        }
        for (size_t slot = 0; slot < count; slot++) {
            p->gid[slot] = slots[slot];
            p->id_of[slots[slot]] = slot;
            slots[slot] = slot;
        }
    }
    free(class);
    return count;
}

static rps_status deal(spread *s, rps_error *err) {
    uint64_t *slots = malloc(s->state.bodies * sizeof *slots);
    rps_status status = RPS_OK;
    s->deals++;
    choose_owners(s);
    for (int k = 0; k < s->parts && status == RPS_OK; k++) {
        part *p = &s->part[k];
        const rps_share was = p->share; /* valid until the world has the next one */
        if (p->world->share != NULL) p->world->share = &was;
        uint64_t *old = p->gid;
        p->share.gid = p->gid = malloc(s->state.bodies * sizeof *p->gid);
        const size_t count = choose_bodies(s, p, slots);
        s->copies += count - p->share.mine;
        status = give_to(&s->state, p->world, &p->share, count, p->gid, slots, p->id_of, err);
        free(old);
    }
    free(slots);
    return status;
}

rps_status spread_gather(spread *s, rps_error *err) {
    state_clear(&s->state);
    for (int k = 0; k < s->parts; k++) take_from(&s->state, s->part[k].world);
    return give_to(&s->state, s->whole, NULL, s->state.bodies, NULL, NULL, NULL, err);
}

rps_status spread_deal(spread *s, rps_error *err) {
    RPS_TRY(spread_gather(s, err));
    return deal(s, err);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

void spread_open(spread *s, scene_fn *scene, int parts, deal_by by, deal_mistake mistake, int threads, uint64_t shuffle,
                 double margin) {
    memset(s, 0, sizeof *s);
    s->parts = parts;
    s->by = by;
    s->mistake = mistake;
    s->margin = margin;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->all_here, NULL);
    s->whole = scene(threads, shuffle);
    MUST(rps_world_start(s->whole, ERR));
    state_open(&s->state, s->whole);
    state_clear(&s->state);
    take_from(&s->state, s->whole);
    s->owner = calloc(s->state.bodies, sizeof *s->owner);
    for (size_t slot = 0; slot < s->state.bodies; slot++) {
        if (rps_body_is_common(&s->whole->bodies, slot)) s->owner[s->whole->bodies.id[slot][0]] = -1;
    }
    for (int k = 0; k < parts; k++) {
        part *p = &s->part[k];
        p->spread = s;
        p->number = k;
        p->world = scene(threads, shuffle + (uint64_t)(shuffle != 0 ? k : 0));
        MUST(rps_world_start(p->world, ERR));
        p->id_of = malloc(s->state.bodies * sizeof *p->id_of);
        p->share = (rps_share){.first = k == parts - 1,
                               .bodies = s->state.bodies,
                               .ids = s->state.bodies,
                               .context = p,
                               .follow = share_follow,
                               .sum = share_sum,
                               .most = share_most};
    }
}

static void *step_part(void *context) {
    part *p = context;
    p->status = RPS_OK;
    for (uint64_t k = 0; k < 2 && p->status == RPS_OK; k++) { /* calls of different lengths */
        p->status = rps_world_step(p->world, k == 0 ? p->steps - 1 : 1, &p->error);
    }
    if (p->status == RPS_OK) p->status = rps_world_ledger(p->world, &p->ledger, &p->error);
    if (p->status == RPS_OK && p->block != NULL) rps_world_hash_of_blocks(p->world, p->block, p->hash);
    if (p->status != RPS_OK) give_up(p->spread);
    return NULL;
}

rps_status spread_advance(spread *s, uint64_t steps, const uint64_t (*block)[2], rps_error *err) {
    if (s->deals == 0) RPS_TRY(deal(s, err));
    s->travel = 0.0;
    for (int k = 0; k < s->parts; k++) {
        s->part[k].steps = steps;
        s->part[k].block = block;
        if (pthread_create(&s->part[k].thread, NULL, step_part, &s->part[k]) != 0) fail_msg("no thread");
    }
    for (int k = 0; k < s->parts; k++) pthread_join(s->part[k].thread, NULL);
    for (int k = 0; k < s->parts; k++) {
        const part *p = &s->part[k];
        if (p->status != RPS_OK && p->status != RPS_INTERNAL) return rps_fail(err, p->status, "%s", p->error.text);
    }
    for (int k = 0; k < s->parts; k++) RPS_TRY(s->part[k].status);
    return RPS_OK;
}

void spread_close(spread *s) {
    for (int k = 0; k < s->parts; k++) {
        rps_world_destroy(s->part[k].world);
        free(s->part[k].gid);
        free(s->part[k].id_of);
    }
    rps_world_destroy(s->whole);
    state_close(&s->state);
    free(s->owner);
    pthread_mutex_destroy(&s->mutex);
    pthread_cond_destroy(&s->all_here);
}
