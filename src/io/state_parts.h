/* Shared by the files that save and restore a world. */
#ifndef RPS_IO_STATE_PARTS_H
#define RPS_IO_STATE_PARTS_H

#include "base/text.h"
#include "io/state.h"

rps_status rps_state_contradicts(const rps_checkpoint *c, const char *what, uint64_t number, rps_error *err);
bool rps_all_finite(const double *value, size_t count);
/* The values of a field of bodies, in the order of ids. The section is there. */
const void *rps_state_body(const rps_checkpoint *c, const char *name);

/* Hash of the whole state and of its blocks. Checked against the state that the world was given. */
extern const char rps_state_hash_name[];
rps_status rps_state_save_hash(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_check_hash(const rps_world *world, const rps_checkpoint *c, rps_error *err);

/* Drives and gravity. Checked against bodies that were checked. */
rps_status rps_state_save_drives(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_check_drives(const rps_world *world, const rps_checkpoint *c, uint64_t bodies, rps_error *err);
rps_status rps_state_restore_drives(rps_world *world, const rps_checkpoint *c, rps_error *err);

/* Joints: a line of the set-up; what they remember. Checked against bodies that were checked. */
void rps_state_describe_joint(const rps_joint *joint, size_t number, rps_text *text);
rps_status rps_state_save_joints(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_check_joints(const rps_world *world, const rps_checkpoint *c, uint64_t bodies, rps_error *err);
rps_status rps_state_restore_joints(rps_world *world, const rps_checkpoint *c, rps_error *err);

#endif
