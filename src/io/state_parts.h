/* Shared by the files that save and restore a world. */
#ifndef RPS_IO_STATE_PARTS_H
#define RPS_IO_STATE_PARTS_H

#include "base/text.h"
#include "io/state.h"

rps_status rps_state_contradicts(const rps_checkpoint *c, const char *what, uint64_t number, rps_error *err);
bool rps_all_finite(const double *value, size_t count);
/* The values of a body field, in the order of ids. The section must exist. */
const void *rps_state_body(const rps_checkpoint *c, const char *name);

/* Row of the body with this id in a checkpoint of `bodies` bodies, whose ids ascend; `bodies` if there is none. */
size_t rps_state_row(const rps_checkpoint *c, size_t bodies, uint64_t id);

/* Changes that a program made to bodies: number of ids issued, energies, applied loads. Without changes there are no
 * sections. */
typedef struct rps_state_changes {
    uint64_t ids;
    const uint64_t *sum;   /* RPS_CHANGES exact sums; NULL: all 0 */
    const uint64_t *loads; /* ids of bodies with load records, ascending */
    const double *load;    /* loads that are held, loads for one step; work */
    size_t load_count;
} rps_state_changes;
rps_status rps_state_save_changes(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_find_changes(const rps_checkpoint *c, uint64_t bodies, rps_state_changes *out, rps_error *err);
/* After the bodies. */
rps_status rps_state_check_changes(const rps_checkpoint *c, const rps_state_changes *changes, uint64_t bodies,
                                   rps_error *err);
rps_status rps_state_restore_changes(rps_world *world, const rps_state_changes *changes, rps_error *err);

/* Which free bodies are common; after the bodies. */
rps_status rps_state_save_commons(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_restore_commons(rps_world *world, const rps_checkpoint *c, rps_error *err);

/* Hash of the whole state and of its blocks. The check compares it with the restored world. */
extern const char rps_state_hash_name[];
rps_status rps_state_save_hash(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_check_hash(const rps_world *world, const rps_checkpoint *c, rps_error *err);

/* Drives and gravity. The check needs checked bodies. */
rps_status rps_state_save_drives(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_check_drives(const rps_world *world, const rps_checkpoint *c, uint64_t bodies, rps_error *err);
rps_status rps_state_restore_drives(rps_world *world, const rps_checkpoint *c, rps_error *err);

/* Joints: a line of the set-up, and their memory. The check needs checked bodies. */
void rps_state_describe_joint(const rps_joint *joint, size_t number, rps_text *text);
rps_status rps_state_save_joints(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_check_joints(const rps_world *world, const rps_checkpoint *c, uint64_t bodies, rps_error *err);
rps_status rps_state_restore_joints(rps_world *world, const rps_checkpoint *c, rps_error *err);

#endif
