/* Lists contacts in arrays that the world owns, and finds those that began and ended by merging two sorted lists of
 * keys. */
#include <string.h>

#include "base/array.h"
#include "step/step_stages.h"

typedef struct key_list {
    void *p; /* rps_contact_key */
    size_t bytes, count;
} key_list;

typedef struct rps_contact_log {
    key_list now, next, began, ended;
    void *view; /* rps_contact */
    size_t view_bytes;
} rps_contact_log;

static void release(rps_world *world) {
    rps_contact_log *log = world->contact_log;
    if (!log) return;
    key_list *list[] = {&log->now, &log->next, &log->began, &log->ended};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        rps_buffer_release(world->allocator, &list[k]->p, &list[k]->bytes);
    }
    rps_buffer_release(world->allocator, &log->view, &log->view_bytes);
    rps_memory_release(world->allocator, log, sizeof *log);
    world->contact_log = NULL;
}

static rps_status create(rps_world *world, rps_error *err) {
    void *p;
    if (world->contact_log) return RPS_OK;
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, sizeof(rps_contact_log), &p, err));
    world->contact_log = p;
    world->contact_log_release = release;
    return RPS_OK;
}

static rps_status reserve_keys(const rps_world *world, key_list *list, size_t count, rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items(count, sizeof(rps_contact_key), &bytes, err));
    return rps_buffer_reserve(world->allocator, &list->p, &list->bytes, 0, bytes, err);
}

static rps_status list_contact_keys(const rps_world *world, key_list *list, rps_error *err) {
    RPS_TRY(reserve_keys(world, list, rps_world_contact_count(world), err));
    rps_contact_cursor cursor = {0, 0};
    rps_contact_key key;
    list->count = 0;
    while (rps_contacts_next_key(world, &cursor, &key)) ((rps_contact_key *)list->p)[list->count++] = key;
    return RPS_OK;
}

static int compare_contact_keys(const rps_contact_key *a, const rps_contact_key *b) {
    if (a->id_i != b->id_i) return a->id_i < b->id_i ? -1 : 1;
    if (a->id_j != b->id_j) return a->id_j < b->id_j ? -1 : 1;
    if (a->piece_i != b->piece_i) return a->piece_i < b->piece_i ? -1 : 1;
    if (a->piece_j != b->piece_j) return a->piece_j < b->piece_j ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

rps_status rps_contact_events_begin(rps_world *world, rps_error *err) {
    if (world->contact_log) return RPS_OK;
    RPS_TRY(create(world, err));
    return world->steps > 0 ? list_contact_keys(world, &world->contact_log->now, err) : RPS_OK;
}

rps_status rps_contact_events_update(rps_world *world, rps_error *err) {
    rps_contact_log *log = world->contact_log;
    RPS_TRY(list_contact_keys(world, &log->next, err));
    RPS_TRY(reserve_keys(world, &log->began, log->next.count, err));
    RPS_TRY(reserve_keys(world, &log->ended, log->now.count, err));
    const rps_contact_key *old = log->now.p, *next = log->next.p;
    rps_contact_key *began = log->began.p, *ended = log->ended.p;
    log->began.count = log->ended.count = 0;
    size_t a = 0, b = 0;
    while (a < log->now.count || b < log->next.count) {
        const int order = a == log->now.count ? 1 : b == log->next.count ? -1 : compare_contact_keys(&old[a], &next[b]);
        if (order < 0) ended[log->ended.count++] = old[a];
        if (order > 0) began[log->began.count++] = next[b];
        a += order <= 0;
        b += order >= 0;
    }
    const key_list last = log->now;
    log->now = log->next;
    log->next = last;
    return RPS_OK;
}

rps_status rps_world_contact_events(const rps_world *world, rps_contact_events *events, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(events);
    if (!world->options.contacts) {
        return rps_fail(err, RPS_BAD_INPUT, "this world keeps no contacts: set `contacts` in its options");
    }
    *events = (rps_contact_events){0};
    const rps_contact_log *log = world->contact_log;
    if (!log) return RPS_OK;
    *events = (rps_contact_events){
        .began = log->began.p, .ended = log->ended.p, .begins = log->began.count, .ends = log->ended.count};
    return RPS_OK;
}

rps_status rps_world_contact_view(rps_world *world, const rps_contact **contact, size_t *count, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(contact);
    RPS_GIVEN(count);
    RPS_TRY(rps_contacts_need_kept(world, err));
    RPS_TRY(rps_contact_events_begin(world, err));
    rps_contact_log *log = world->contact_log;
    const size_t contacts = rps_world_contact_count(world);
    size_t bytes;
    RPS_TRY(rps_size_of_items(contacts, sizeof **contact, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &log->view, &log->view_bytes, 0, bytes, err));
    rps_contact_cursor cursor = {0, 0};
    *count = rps_contacts_next(world, &cursor, log->view, contacts);
    *contact = log->view;
    return RPS_OK;
}
