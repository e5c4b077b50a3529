/* The content of a frame: the columns of bodies and contacts, and the values of one column at a time. */
#ifndef RPS_IO_FRAME_H
#define RPS_IO_FRAME_H

#include "io/table.h"
#include "world/world.h"

/* One frame as readers find it: time, step, and where its rows lie. */
typedef struct rps_frame {
    double time, shear_offset;
    uint64_t step, body_offset, bodies, contact_offset, contacts;
} rps_frame;

/* The columns of each table: all fields flagged OUTPUT and those made for results; all fields of a contact. */
void rps_frame_body_columns(rps_table *table);
void rps_frame_contact_columns(rps_table *table);
/* The columns of the index; with those of contacts, and of a sheared cell. */
void rps_frame_index_columns(rps_table *table, bool contacts, bool sheared);
void rps_frame_index_set(rps_frame *frame, const rps_column *column, const void *value);
/* Joints come in the order in which they were added; every frame has all of them. */
void rps_frame_joint_columns(rps_table *table);
rps_status rps_frame_joint_values(const rps_world *world, int column, void *out, rps_error *err);

/* Slots in the order of ids; slot has room for all bodies. */
void rps_frame_order(const rps_world *world, uint32_t *slot);

/* Fills `out` with one column: `count` bodies in the order of `slot`, contacts in their own. Not the column `stress`. */
rps_status rps_frame_body_values(const rps_world *world, const uint32_t *slot, size_t count, const rps_column *column,
                                 void *out, rps_error *err);
/* The column `stress` of all bodies, from zeros: contacts in their order, some at a time, then the bodies in that of `slot`. */
void rps_frame_stress_add(const rps_world *world, const uint32_t *slot, const rps_contact *contact, size_t contacts,
                          double (*sum)[6]);
void rps_frame_stress_finish(const rps_world *world, const uint32_t *slot, double (*sum)[6]);
void rps_frame_contact_values(const rps_world *world, const rps_contact *contact, size_t contacts,
                              const rps_column *column, void *out);
/* Of the index: the value of one frame. */
void rps_frame_index_value(const rps_frame *frame, const rps_column *column, void *out);

#endif
