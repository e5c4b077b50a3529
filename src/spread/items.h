/*
 * Bodies and contacts as they travel between processes.
 *
 * A body is a row: its id in the whole world, then the fields that a share takes (world/share.h), one after the other. A
 * contact is its key, its kind and the numbers of its state, with room for the longest record of the world; to be observed,
 * it also has what its last evaluation found.
 */
#ifndef RPS_SPREAD_ITEMS_H
#define RPS_SPREAD_ITEMS_H

#include "base/array.h"
#include "world/world.h"

enum { RPS_ROW_FIELDS = 64 };

typedef struct rps_row_layout {
    size_t bytes;                                                                  /* of a row, a multiple of 8 */
    size_t count, field[RPS_ROW_FIELDS], at[RPS_ROW_FIELDS], size[RPS_ROW_FIELDS]; /* number, place and size of each */
    size_t radius, position;                                                       /* places */
} rps_row_layout;

rps_row_layout rps_row_layout_make(void);

/* Where the fields of the bodies of a world lie, while no body comes or goes. */
typedef struct rps_row_columns {
    const rps_row_layout *layout;
    uint64_t (*id)[1];
    char *first[RPS_ROW_FIELDS]; /* of slot 0 */
    size_t stride[RPS_ROW_FIELDS];
} rps_row_columns;
rps_row_columns rps_row_columns_of(const rps_row_layout *layout, rps_bodies *bodies);

void rps_row_put(const rps_row_columns *columns, size_t slot, uint64_t gid, char *row);
/* id: that of the body in this world. */
void rps_row_get(const rps_row_columns *columns, size_t slot, uint64_t id, const char *row);
uint64_t rps_row_gid(const char *row);

typedef struct rps_contact_item {
    uint64_t gid[2]; /* of the bodies in the whole world, the lower first */
    rps_subkey subkey;
    int32_t kind; /* pair of materials and record */
    int32_t lanes;
    int32_t state_lanes, acts; /* room for state; whether the contact has loads */
    double state[];
} rps_contact_item;

/* Bytes of an item of this world. loads: with the loads of the contact on both bodies, and its result if the last step kept
 * results. */
size_t rps_contact_item_bytes(const rps_world *world, bool loads);
void rps_contact_item_put(const rps_world *world, const rps_segment *segment, size_t place, bool loads,
                          rps_contact_item *item);
/* id: of the bodies in this world. RPS_INTERNAL if the lists lack the contact. */
rps_status rps_contact_item_get(rps_world *world, const uint64_t id[2], const rps_contact_item *item, bool loads,
                                rps_error *err);

/* Items for other processes. */
typedef struct rps_outbox {
    size_t bytes; /* of an item */
    size_t count;
    int *dest;
    char *data;
    size_t dest_bytes, data_bytes;
} rps_outbox;
/* Room for an item to `process`; NULL: no memory. */
void *rps_outbox_add(rps_outbox *box, int process, rps_error *err);
void rps_outbox_release(rps_outbox *box);

#endif
