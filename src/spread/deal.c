/* Deals: bodies and contacts go to the processes that own them, copies to those near them (deal.h). */
#include "spread/deal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "detect/detect.h"

/* --- what is sent ------------------------------------------------------------------------------------------------- */

enum { COMMON = -1 };
#define COMMON_BIT (UINT64_C(1) << 63) /* of the id in a row: a common body */

/* The bodies of the source, and who owns each by slot. */
typedef struct source_bodies {
    const rps_world *world; /* NULL: none */
    size_t count;
    double (*x)[3];
    int *owner;
} source_bodies;

static bool counts_body(const source_bodies *from, size_t slot) {
    return rps_share_counts_body(from->world->share, slot);
}

/* Wants the next partition balanced by the listed contacts of bodies, which are most of the work. */
static double body_weight(const rps_contacts *contacts, size_t slot, bool listed) {
    return 1.0 + (listed ? (double)(contacts->reference_begin[slot + 1] - contacts->reference_begin[slot]) : 0.0);
}

static rps_status balance_parts(rps_spread *s, const source_bodies *from, rps_error *err) {
    double(*x)[3], *weight, factor = 1.0;
    void *memory;
    size_t own = 0;
    if (s->world->share != NULL && from->world == s->world) factor = rps_balance_choose(s, from->count);
    RPS_TRY(rps_arena_take_items(&s->arena, from->count, sizeof *x, &memory, err));
    x = memory;
    RPS_TRY(rps_arena_take_items(&s->arena, from->count, sizeof *weight, &memory, err));
    weight = memory;
    for (size_t slot = 0; slot < from->count; slot++) {
        if (from->owner[slot] == COMMON || !counts_body(from, slot)) continue;
        memcpy(x[own], from->x[slot], sizeof *x);
        weight[own++] = factor * body_weight(&from->world->contacts, slot, !from->world->lists_stale);
    }
    return rps_route_balance(s->route, own, x, weight, err);
}

static rps_status find_owners(rps_spread *s, const rps_world *world, source_bodies *from, rps_error *err) {
    void *memory;
    *from = (source_bodies){.world = world, .count = world != NULL ? world->bodies.count : 0};
    RPS_TRY(rps_arena_take_items(&s->arena, from->count, sizeof *from->x, &memory, err));
    from->x = memory;
    RPS_TRY(rps_arena_take_items(&s->arena, from->count, sizeof *from->owner, &memory, err));
    from->owner = memory;
    for (size_t slot = 0; slot < from->count; slot++) {
        memcpy(from->x[slot], world->bodies.pose[slot].position, sizeof *from->x);
        from->owner[slot] = rps_body_is_common(&world->bodies, slot) ? COMMON : 0;
    }
    RPS_TRY(balance_parts(s, from, err));
    for (size_t slot = 0; slot < from->count; slot++) { /* copies lie where their owners have them */
        if (from->owner[slot] == COMMON) continue;
        RPS_TRY(rps_route_owner(s->route, 1, &from->x[slot], &from->owner[slot], err));
    }
    return RPS_OK;
}

static rps_status send_row(const source_bodies *from, const rps_row_columns *columns, size_t slot, int process,
                           uint64_t bit, rps_outbox *box, rps_error *err) {
    char *row = rps_outbox_add(box, process, err);
    if (row == NULL) return RPS_NO_MEMORY;
    rps_row_put(columns, slot, bit | rps_share_gid(from->world, from->world->bodies.id[slot][0]), row);
    return RPS_OK;
}

static rps_status send_rows(const rps_spread *s, const source_bodies *from, rps_outbox *box, rps_error *err) {
    if (from->world == NULL) return RPS_OK;
    rps_bodies bodies = from->world->bodies; /* its arrays are only read */
    const rps_row_columns columns = rps_row_columns_of(&s->row, &bodies);
    for (size_t slot = 0; slot < from->count; slot++) {
        const bool common = from->owner[slot] == COMMON;
        if (!counts_body(from, slot)) continue;
        for (int p = common ? 0 : from->owner[slot]; p < (common ? s->size : from->owner[slot] + 1); p++) {
            RPS_TRY(send_row(from, &columns, slot, p, common ? COMMON_BIT : 0, box, err));
        }
    }
    return RPS_OK;
}

/* A contact goes to the owners of both bodies; of two common ones to process 0. */
static rps_status send_contact(const source_bodies *from, const rps_segment *segment, size_t e, bool loads,
                               rps_outbox *box, rps_error *err) {
    const int a = from->owner[segment->slot_i[e]], b = from->owner[segment->slot_j[e]];
    const int to[2] = {a != COMMON ? a : b != COMMON ? b : 0, a != COMMON && b != COMMON && a != b ? b : COMMON};
    for (int k = 0; k < 2 && to[k] != COMMON; k++) {
        rps_contact_item *item = rps_outbox_add(box, to[k], err);
        if (item == NULL) return RPS_NO_MEMORY;
        rps_contact_item_put(from->world, segment, e, loads, item);
    }
    return RPS_OK;
}

static rps_status send_contacts(const source_bodies *from, bool loads, rps_outbox *box, rps_error *err) {
    const rps_world *world = from->world;
    for (size_t k = 0; world != NULL && k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        const double *modes = rps_segment_lane(segment, world->pair_setup[segment->pair].layout[segment->record].modes);
        for (size_t e = 0; e < segment->count; e++) {
            if (modes[e] == 0.0 || !rps_share_counts(world->share, segment->slot_i[e])) continue;
            RPS_TRY(send_contact(from, segment, e, loads, box, err));
        }
    }
    return RPS_OK;
}

/* --- what arrives ------------------------------------------------------------------------------------------------- */

typedef struct inbox {
    char *data; /* in the arena */
    size_t count, bytes;
} inbox;

static rps_status exchange(rps_spread *s, const rps_outbox *box, inbox *in, rps_error *err) {
    rps_plan *plan = NULL;
    void *memory = NULL;
    char nothing[8] = {0};
    int none = 0;
    in->bytes = box->bytes;
    rps_status status =
        rps_plan_new(s->comm, box->count, box->count > 0 ? box->dest : &none, box->bytes, &plan, &in->count, err);
    if (status == RPS_OK) status = rps_arena_take_items(&s->arena, in->count + 1, in->bytes, &memory, err);
    in->data = memory;
    if (status == RPS_OK) status = rps_plan_send(plan, box->count > 0 ? box->data : nothing, in->data, err);
    rps_plan_free(plan);
    return status;
}

static const char *inbox_at(const inbox *in, size_t k) {
    return in->data + k * in->bytes;
}

/* A body that the share will hold. */
typedef struct held_body {
    uint64_t gid;
    const char *row;
    size_t arrival; /* number among the rows, then the copies, that came */
    int class;
} held_body;

static int deal_compare(const void *a, const void *b) {
    const held_body *p = a, *q = b;
    return (p->gid > q->gid) - (p->gid < q->gid);
}

typedef struct held_bodies {
    held_body *body; /* by id here */
    size_t *id;      /* by arrival */
    size_t count, of_class[3];
} held_bodies;

static size_t id_of_gid(const held_bodies *held, uint64_t gid) {
    const held_body key = {.gid = gid};
    const held_body *found =
        held->count > 0 ? bsearch(&key, held->body, held->count, sizeof *held->body, deal_compare) : NULL;
    return found != NULL ? (size_t)(found - held->body) : SIZE_MAX;
}

/* m, the largest radius of a body that can be a copy, over all processes. */
static double largest_of(const rps_spread *s, const inbox *rows) {
    double largest = 0.0, radius;
    for (size_t k = 0; k < rows->count; k++) {
        if (rps_row_gid(inbox_at(rows, k)) & COMMON_BIT) continue;
        memcpy(&radius, inbox_at(rows, k) + s->row.radius, sizeof radius);
        largest = fmax(largest, radius);
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    return largest;
}

/* The copies that other processes need of the rows that came, as an outbox of rows. */
static rps_status find_copies(rps_spread *s, const inbox *rows, rps_outbox *box, rps_error *err) {
    const double largest = largest_of(s, rows);
    double(*x)[3], *reach;
    void *memory;
    RPS_TRY(rps_arena_take_items(&s->arena, rows->count, sizeof *x, &memory, err));
    x = memory;
    RPS_TRY(rps_arena_take_items(&s->arena, rows->count, sizeof *reach, &memory, err));
    reach = memory;
    size_t *which, own = 0;
    RPS_TRY(rps_arena_take_items(&s->arena, rows->count, sizeof *which, &memory, err));
    which = memory;
    for (size_t k = 0; k < rows->count; k++) {
        const char *row = inbox_at(rows, k);
        double radius;
        if (rps_row_gid(row) & COMMON_BIT) continue;
        memcpy(x[own], row + s->row.position, sizeof *x);
        memcpy(&radius, row + s->row.radius, sizeof radius);
        reach[own] = radius + largest + s->reach * fmin(radius, largest) + s->margin;
        which[own++] = k;
    }
    rps_needs needs = {0};
    rps_status status = rps_route_needs(s->route, own, x, reach, &needs, err);
    for (size_t k = 0; k < needs.count && status == RPS_OK; k++) {
        char *to = rps_outbox_add(box, needs.need[k].process, err);
        if (to == NULL)
            status = RPS_NO_MEMORY;
        else
            memcpy(to, inbox_at(rows, which[needs.need[k].item]), s->row.bytes);
    }
    void *need = needs.need;
    rps_buffer_release(NULL, &need, &needs.bytes);
    return status;
}

static rps_status hold_arrivals(rps_spread *s, const inbox *rows, const inbox *copies, held_bodies *held,
                                rps_error *err) {
    void *memory;
    *held = (held_bodies){0};
    RPS_TRY(rps_arena_take_items(&s->arena, rows->count + copies->count, sizeof *held->body, &memory, err));
    held->body = memory;
    for (size_t k = 0; k < rows->count + copies->count; k++) {
        const char *row = k < rows->count ? inbox_at(rows, k) : inbox_at(copies, k - rows->count);
        const uint64_t gid = rps_row_gid(row);
        const int class = gid & COMMON_BIT ? 1 : k < rows->count ? 0 : 2;
        held->body[held->count++] = (held_body){gid & ~COMMON_BIT, row, k, class};
        held->of_class[class]++;
    }
    if (held->count > 1) qsort(held->body, held->count, sizeof *held->body, deal_compare);
    RPS_TRY(rps_arena_take_items(&s->arena, held->count, sizeof *held->id, &memory, err));
    held->id = memory;
    for (size_t id = 0; id < held->count; id++) held->id[held->body[id].arrival] = id;
    return RPS_OK;
}

/* --- the share ---------------------------------------------------------------------------------------------------- */

static rps_status deal_reserve(void **p, size_t *capacity, size_t count, size_t size, rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items(count + 1, size, &bytes, err));
    return rps_buffer_reserve(NULL, p, capacity, 0, bytes, err);
}

/* state: of a whole world that was dealt; NULL: the shares had it. */
static rps_status put_bodies(rps_spread *s, const held_bodies *held, uint64_t bodies, const rps_common_state *state,
                             rps_error *err) {
    const int next = 1 - s->now;
    void *gid = s->gid[next];
    rps_status status = deal_reserve(&gid, &s->gid_bytes[next], held->count, sizeof *s->gid[next], err);
    s->gid[next] = gid;
    if (status != RPS_OK) return status;
    for (size_t id = 0; id < held->count; id++) s->gid[next][id] = held->body[id].gid;
    const size_t own = held->of_class[0], mine = own + held->of_class[1];
    s->share[next] = rps_spread_share(s, own, mine, bodies, s->gid[next]);
    RPS_TRY(rps_share_begin(s->world, &s->share[next], held->count, held->count, err));
    s->now = next;
    size_t slot[3] = {0, own, mine}; /* in the order of arrival, which is nearly that of space */
    const rps_row_columns columns = rps_row_columns_of(&s->row, &s->world->bodies);
    for (size_t k = 0; k < held->count; k++) {
        const held_body *body = &held->body[held->id[k]];
        rps_row_get(&columns, slot[body->class]++, held->id[k], body->row);
    }
    if (state != NULL) RPS_TRY(rps_common_take(s, state, err));
    RPS_TRY(rps_share_ready(s->world, err));
    return rps_drives_join(s->world) ? RPS_OK : rps_fail(err, RPS_INTERNAL, "a drive of a share mirrors none");
}

static rps_status put_contacts(rps_spread *s, const held_bodies *held, const inbox *items, rps_error *err) {
    RPS_TRY(rps_detect_update(s->world, err));
    for (size_t k = 0; k < items->count; k++) {
        const rps_contact_item *item = (const void *)inbox_at(items, k);
        const uint64_t id[2] = {id_of_gid(held, item->gid[0]), id_of_gid(held, item->gid[1])};
        if (id[0] == SIZE_MAX || id[1] == SIZE_MAX) {
            return rps_fail(err, RPS_INTERNAL,
                            "a process got the contact of bodies %llu and %llu, and holds one of them",
                            (unsigned long long)item->gid[0], (unsigned long long)item->gid[1]);
        }
        RPS_TRY(rps_contact_item_get(s->world, id, item, false, err));
    }
    return RPS_OK;
}

static rps_status count_partners(rps_spread *s, const rps_outbox *copies, rps_error *err) {
    void *memory;
    RPS_TRY(rps_arena_take_items(&s->arena, (size_t)s->size, sizeof(bool), &memory, err));
    bool *takes = memory;
    memset(takes, 0, (size_t)s->size * sizeof *takes);
    s->halo.partners = 0;
    for (size_t k = 0; k < copies->count; k++) {
        s->halo.partners += !takes[copies->dest[k]];
        takes[copies->dest[k]] = true;
    }
    return RPS_OK;
}

/* The plan by which poses go, and which ids it takes: their true ids go by it once. */
static rps_status plan_halo(rps_spread *s, const held_bodies *held, const rps_outbox *copies, rps_error *err) {
    rps_halo *halo = &s->halo;
    void *send = halo->send, *take = halo->take, *out = halo->out, *in = halo->in;
    int none = 0;
    rps_plan_free(halo->plan);
    halo->plan = NULL;
    halo->sends = copies->count;
    halo->bytes = rps_halo_item_bytes(s->world);
    RPS_TRY(count_partners(s, copies, err));
    RPS_TRY(rps_plan_new(s->comm, copies->count, copies->count > 0 ? copies->dest : &none, halo->bytes, &halo->plan,
                         &halo->takes, err));
    rps_status status = deal_reserve(&send, &halo->send_bytes, halo->sends, sizeof *halo->send, err);
    halo->send = send;
    if (status == RPS_OK) status = deal_reserve(&take, &halo->take_bytes, halo->takes, sizeof *halo->take, err);
    halo->take = take;
    if (status == RPS_OK) status = deal_reserve(&out, &halo->out_bytes, halo->sends, halo->bytes, err);
    halo->out = out;
    if (status == RPS_OK) status = deal_reserve(&in, &halo->in_bytes, halo->takes, halo->bytes, err);
    halo->in = in;
    if (status != RPS_OK) return status;
    for (size_t k = 0; k < halo->sends; k++) {
        const uint64_t gid = rps_row_gid(copies->data + k * copies->bytes);
        halo->send[k] = id_of_gid(held, gid);
        memcpy(halo->out + k * (halo->bytes / sizeof *halo->out), &gid, sizeof gid);
    }
    RPS_TRY(rps_plan_send(halo->plan, halo->out, halo->in, err));
    for (size_t k = 0; k < halo->takes; k++) {
        uint64_t gid;
        memcpy(&gid, halo->in + k * (halo->bytes / sizeof *halo->in), sizeof gid);
        halo->take[k] = id_of_gid(held, gid);
    }
    return RPS_OK;
}

void rps_halo_release(rps_halo *halo) {
    void *part[4] = {halo->send, halo->take, halo->out, halo->in};
    size_t *bytes[4] = {&halo->send_bytes, &halo->take_bytes, &halo->out_bytes, &halo->in_bytes};
    rps_plan_free(halo->plan);
    for (int k = 0; k < 4; k++) rps_buffer_release(NULL, &part[k], bytes[k]);
    *halo = (rps_halo){0};
}

/* --- deals and gathers -------------------------------------------------------------------------------------------- */

/* Empty outboxes for items of these worlds; loads: contacts have theirs. */
static rps_outboxes *empty_outboxes(rps_spread *s, bool loads) {
    s->out.rows.bytes = s->out.copies.bytes = s->row.bytes;
    s->out.contacts.bytes = rps_contact_item_bytes(s->world, loads);
    s->out.rows.count = s->out.contacts.count = s->out.copies.count = 0;
    return &s->out;
}

void rps_outboxes_release(rps_outboxes *out) {
    rps_outbox_release(&out->rows);
    rps_outbox_release(&out->contacts);
    rps_outbox_release(&out->copies);
}

static rps_status deal_by(rps_spread *s, const rps_world *source, const rps_common_state *state, rps_outboxes *out,
                          rps_error *err) {
    source_bodies from;
    inbox rows, contacts, copies;
    held_bodies held;
    RPS_TRY(find_owners(s, source, &from, err));
    RPS_TRY(send_rows(s, &from, &out->rows, err));
    RPS_TRY(send_contacts(&from, false, &out->contacts, err));
    RPS_TRY(exchange(s, &out->rows, &rows, err));
    RPS_TRY(exchange(s, &out->contacts, &contacts, err));
    RPS_TRY(find_copies(s, &rows, &out->copies, err));
    RPS_TRY(exchange(s, &out->copies, &copies, err));
    RPS_TRY(hold_arrivals(s, &rows, &copies, &held, err));
    uint64_t bodies = (uint64_t)held.of_class[0];
    MPI_Allreduce(MPI_IN_PLACE, &bodies, 1, MPI_UINT64_T, MPI_SUM, s->comm);
    RPS_TRY(put_bodies(s, &held, bodies + held.of_class[1], state, err));
    RPS_TRY(put_contacts(s, &held, &contacts, err));
    s->balance.weight = 0.0;
    for (size_t slot = 0; slot < s->world->share->own; slot++) {
        s->balance.weight += body_weight(&s->world->contacts, slot, true);
    }
    RPS_TRY(rps_watch_begin(s, err));
    return plan_halo(s, &held, &out->copies, err);
}

static rps_status deal(rps_spread *s, const rps_world *source, const rps_common_state *state, rps_error *err) {
    const rps_spread_timer timer = rps_spread_pause_work(s);
    const rps_arena_mark mark = rps_arena_get_mark(&s->arena);
    const double before = s->counts.deals.processor;
    const rps_status status = deal_by(s, source, state, empty_outboxes(s, false), err);
    rps_arena_rewind(&s->arena, mark);
    rps_spread_resume_work(s, timer, &s->counts.deals);
    rps_balance_begin(s, s->counts.deals.processor - before);
    return status;
}

rps_status rps_deal_again(rps_spread *s, rps_error *err) {
    return deal(s, s->world, NULL, err);
}

rps_status rps_deal_whole(rps_spread *s, const rps_world *whole, rps_error *err) {
    rps_common_state state = {0};
    rps_status status = rps_common_send(s, whole, &state, err);
    if (status == RPS_OK) status = deal(s, whole, &state, err);
    rps_common_release(&state);
    return status;
}

static rps_status fill_whole(rps_spread *s, rps_world *whole, const inbox *rows, const inbox *items, rps_error *err) {
    RPS_TRY(rps_share_begin(whole, NULL, rows->count, whole->bodies.ids, err));
    const rps_row_columns columns = rps_row_columns_of(&s->row, &whole->bodies);
    for (size_t k = 0; k < rows->count; k++) {
        const char *row = inbox_at(rows, k);
        rps_row_get(&columns, k, rps_row_gid(row), row);
    }
    for (size_t k = 0; k < whole->drives; k++) {
        whole->driven[k] = s->world->driven[k];
        rps_share_drive_out(s->world->share, &whole->driven[k]);
    }
    RPS_TRY(rps_share_ready(whole, err));
    if (!rps_drives_join(whole)) return rps_fail(err, RPS_INTERNAL, "a drive of the whole world mirrors none");
    RPS_TRY(rps_detect_update(whole, err));
    whole->loads_known = s->world->loads_known;
    whole->contacts_kept = s->world->contacts_kept;
    whole->evaluated = s->world->evaluated;
    for (size_t k = 0; k < items->count; k++) {
        const rps_contact_item *item = (const void *)inbox_at(items, k);
        RPS_TRY(rps_contact_item_get(whole, item->gid, item, whole->loads_known, err));
    }
    return RPS_OK;
}

/* The domain and the memory of the guards, but for that of the step, which shares do not have. */
static void take_guards(rps_world *whole, const rps_world *world) {
    const rps_guard_state mine = whole->guard;
    const rps_guard_action action = whole->options.guards.action[RPS_GUARD_STABLE];
    whole->guard = world->guard;
    whole->guard.last_warned[RPS_GUARD_STABLE] = mine.last_warned[RPS_GUARD_STABLE];
    whole->options.guards = world->options.guards;
    whole->options.guards.action[RPS_GUARD_STABLE] = action;
}

static rps_status gather_by(rps_spread *s, rps_world *whole, rps_outboxes *out, rps_error *err) {
    rps_world *world = s->world;
    inbox rows, contacts;
    source_bodies from = {.world = world, .count = world->bodies.count};
    void *memory;
    RPS_TRY(rps_arena_take_items(&s->arena, from.count, sizeof *from.owner, &memory, err));
    from.owner = memory;
    memset(memory, 0, from.count * sizeof *from.owner); /* all go to process 0 */
    const rps_row_columns columns = rps_row_columns_of(&s->row, &world->bodies);
    for (size_t slot = 0; slot < from.count; slot++) {
        if (counts_body(&from, slot)) RPS_TRY(send_row(&from, &columns, slot, 0, 0, &out->rows, err));
    }
    RPS_TRY(send_contacts(&from, s->world->loads_known, &out->contacts, err));
    RPS_TRY(exchange(s, &out->rows, &rows, err));
    RPS_TRY(exchange(s, &out->contacts, &contacts, err));
    rps_exact_sum boundary[RPS_ACCOUNTS], change[RPS_CHANGES];
    double changed = world->changed ? 1.0 : 0.0;
    memcpy(boundary, world->boundary_dissipated, sizeof boundary);
    memcpy(change, world->change, sizeof change);
    rps_share_sum(world, RPS_ACCOUNTS, boundary);
    rps_share_sum(world, RPS_CHANGES, change);
    rps_share_most(world, 1, &changed);
    if (whole == NULL) return RPS_OK;
    memcpy(whole->boundary_dissipated, boundary, sizeof boundary);
    memcpy(whole->change, change, sizeof change);
    whole->changed = changed > 0.0;
    whole->steps = world->steps;
    whole->moved = world->moved;
    take_guards(whole, world);
    return fill_whole(s, whole, &rows, &contacts, err);
}

rps_status rps_gather(rps_spread *s, rps_world *whole, rps_error *err) {
    const rps_spread_timer timer = rps_spread_pause_work(s);
    const rps_arena_mark mark = rps_arena_get_mark(&s->arena);
    const rps_status status = gather_by(s, whole, empty_outboxes(s, s->world->loads_known), err);
    rps_arena_rewind(&s->arena, mark);
    rps_spread_resume_work(s, timer, &s->counts.gathers);
    return status;
}
