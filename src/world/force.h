/* The forces from outside of a world (repose/force.h). */
#ifndef RPS_WORLD_FORCE_H
#define RPS_WORLD_FORCE_H

#include <repose/force.h>

#include "base/exact_sum.h"

typedef struct rps_force_field {
    char name[RPS_FORCE_NAME];
    rps_force_def def;
    rps_exact_sum work; /* J */
} rps_force_field;

typedef struct rps_forces {
    rps_force_field *field;
    size_t count;
} rps_forces;

/* A body as forces see it, at a time (s). */
rps_force_at rps_force_sees(const rps_world *world, size_t slot, double time);
static inline bool rps_force_acts_on(const rps_force_field *field, int group) {
    return field->def.group == RPS_ALL_GROUPS || field->def.group == group;
}
/* J, of a free body in all potentials. */
double rps_force_potential(const rps_world *world, size_t slot);
void rps_forces_release(rps_world *world);

#endif
