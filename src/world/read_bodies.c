/*
 * A field of many bodies by their ids, in rows without gaps. Programs that compute with the state in every step read it
 * so.
 */
#include <string.h>

#include "world/share.h"
#include "world/slot_block.h"
#include "world/world_internal.h"

/* A field of all slots, and the rows to fill. */
typedef struct field_rows {
    const char *from; /* the element of slot 0 */
    size_t stride, size;
    char *to;
} field_rows;

/* size: a constant where this is inlined. Returns how many rows were filled: all, or those before an id without a body. */
static inline __attribute__((always_inline)) size_t copy_rows_of(const field_rows *rows, rps_slot_block *block,
                                                                 const size_t size) {
    size_t k = 0, n;
    do {
        n = rps_block_find(block, k);
        for (size_t m = 0; m < n; m++) {
            memcpy(rows->to + (k + m) * size, rows->from + block->slot[m] * rows->stride, size);
        }
        k += n;
    } while (n == RPS_SLOTS_AT_ONCE);
    return k;
}

static size_t copy_rows(const field_rows *rows, rps_slot_block *block) {
    if (rows->size == 3 * sizeof(double)) return copy_rows_of(rows, block, 3 * sizeof(double));
    if (rows->size == sizeof(double)) return copy_rows_of(rows, block, sizeof(double));
    return copy_rows_of(rows, block, rows->size);
}

static rps_status read_rows(const rps_world *world, const uint64_t *id, size_t count, const field_rows *rows,
                            rps_error *err) {
    rps_slot_block block = {.bodies = &world->bodies, .id = id, .count = count, .read = {rows->from, rows->stride}};
    const size_t filled = copy_rows(rows, &block);
    if (filled == count) return RPS_OK;
    size_t none;
    return rps_world_find_body(world, rps_block_id(&block, filled), &none, err); /* says why not */
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
