/* The content of a frame: the columns of bodies, contacts, bonds and joints, and their values, one column at a time. */
#ifndef RPS_IO_FRAME_H
#define RPS_IO_FRAME_H

#include "io/table.h"
#include "world/world.h"

/* One frame as stored in the index: time, step, and the ranges of its rows. */
typedef struct rps_frame {
    double time, shear_offset;
    uint64_t step, body_offset, bodies, contact_offset, contacts, bond_offset, bonds;
} rps_frame;

/* The columns of each table: all body fields flagged OUTPUT and the derived ones; all fields of a contact. */
void rps_frame_body_columns(rps_table *table);
void rps_frame_contact_columns(rps_table *table);
/* The columns of the index, optionally with those of contacts, of a sheared cell and of bonds. */
void rps_frame_index_columns(rps_table *table, bool contacts, bool sheared, bool bonds);
void rps_frame_index_set(rps_frame *frame, const rps_column *column, const void *value);
/* Joints are in the order in which they were added; every frame has all of them. */
void rps_frame_joint_columns(rps_table *table);
rps_status rps_frame_joint_values(const rps_world *world, int column, void *out, rps_error *err);

/* A row of /bonds. */
typedef struct rps_bond_row {
    uint64_t id[2]; /* the lower first */
    int32_t broken;
    double line[2][3]; /* m, bond points, unwrapped as the first body */
    double force[3];   /* N, on the first body */
    double tension, shear, bending, twist, stored;
} rps_bond_row;

/* Bonds are in ascending order of ids; broken ones stay until they are removed. */
void rps_frame_bond_columns(rps_table *table);
/* Fills `count` rows from bond number `first` on. RPS_GUARD of rps_world_bond_at. */
rps_status rps_frame_bond_rows(const rps_world *world, size_t first, size_t count, rps_bond_row *row, rps_error *err);
void rps_frame_bond_values(const rps_bond_row *row, size_t count, int column, void *out);

/* Slots sorted by id; `slot` must hold all bodies. */
void rps_frame_order(const rps_world *world, uint32_t *slot);

/* Fills `out` with one column: `count` bodies in the order of `slot`, or contacts in their order. Not for `stress`. */
rps_status rps_frame_body_values(const rps_world *world, const uint32_t *slot, size_t count, const rps_column *column,
                                 void *out, rps_error *err);
/* The column `stress` of all bodies: start from zeros, add the contacts in order and in parts, then the bodies in the
 * order of `slot`. */
void rps_frame_stress_add(const rps_world *world, const uint32_t *slot, const rps_contact *contact, size_t contacts,
                          double (*sum)[6]);
void rps_frame_stress_finish(const rps_world *world, const uint32_t *slot, double (*sum)[6]);
void rps_frame_contact_values(const rps_world *world, const rps_contact *contact, size_t contacts,
                              const rps_column *column, void *out);
/* Value of one frame in a column of the index. */
void rps_frame_index_value(const rps_frame *frame, const rps_column *column, void *out);

#endif
