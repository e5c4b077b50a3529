/*
 * A field of many bodies by their ids, in rows without gaps. Programs that compute with the state in every step read it
 * so: ids are in any order and their bodies all over memory, so the places of a block of bodies are found first, and
 * their lines come from memory at the same time.
 */
#include <string.h>

#include "world/share.h"
#include "world/world_internal.h"

enum { ROWS_AT_ONCE = 32 };

/* A field of all slots, and the rows to fill. */
typedef struct field_rows {
    const char *from; /* the element of slot 0 */
    size_t stride, size;
    char *to;
} field_rows;

/* size: a constant where this is inlined. */
static inline __attribute__((always_inline)) void copy_rows_of(const field_rows *rows, const uint32_t *slot,
                                                               size_t first, size_t count, const size_t size) {
    for (size_t k = 0; k < count; k++) memcpy(rows->to + (first + k) * size, rows->from + slot[k] * rows->stride, size);
}

static void copy_rows(const field_rows *rows, const uint32_t *slot, size_t first, size_t count) {
    if (rows->size == 3 * sizeof(double)) {
        copy_rows_of(rows, slot, first, count, 3 * sizeof(double));
    } else if (rows->size == sizeof(double)) {
        copy_rows_of(rows, slot, first, count, sizeof(double));
    } else {
        copy_rows_of(rows, slot, first, count, rows->size);
    }
}

static rps_status read_rows(const rps_world *world, const uint64_t *id, size_t count, const field_rows *rows,
                            rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    uint32_t slot[ROWS_AT_ONCE];
    for (size_t first = 0; first < count; first += ROWS_AT_ONCE) {
        const size_t left = count - first, n = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        uint32_t expected = RPS_NO_SLOT;
        for (size_t k = 0; k < n; k++) {
            const uint64_t body = id ? id[first + k] : first + k;
            if (body >= bodies->ids || bodies->slot_of[body] == RPS_NO_SLOT) {
                size_t none;
                return rps_world_find_body(world, body, &none, err); /* says why not */
            }
            slot[k] = bodies->slot_of[body];
            if (slot[k] != expected) __builtin_prefetch(rows->from + slot[k] * rows->stride);
            expected = slot[k] + 1; /* neighbors in memory come by themselves */
        }
        copy_rows(rows, slot, first, n);
    }
    return RPS_OK;
}

rps_status rps_world_read(const rps_world *world, const char *field, const uint64_t *id, size_t count, void *out,
                          rps_error *err) {
    static const size_t size[] = {
        [RPS_TYPE_double] = sizeof(double), [RPS_TYPE_int32] = sizeof(int32_t), [RPS_TYPE_uint64] = sizeof(uint64_t)};
    rps_view view;
    RPS_GIVEN(world);
    RPS_GIVEN(field);
    RPS_TRY(rps_share_refuse(world, "reading bodies by their ids", err));
    RPS_TRY(rps_world_view(world, field, &view, err));
    if (count == 0) return RPS_OK;
    RPS_GIVEN(out);
    const field_rows rows = {view.data, view.stride, (size_t)view.components * size[view.type], out};
    return read_rows(world, id, count, &rows, err);
}
