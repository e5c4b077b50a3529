/* The guard `lost` at surfaces of triangles: a ball whose centre has passed one that is touched from the other side. */
#ifndef RPS_STEP_GUARD_PASSED_H
#define RPS_STEP_GUARD_PASSED_H

#include "step/mesh_handover.h"

/* RPS_GUARD, with body, surface, triangle and place, or a warning, as the guard is set. */
rps_status rps_guard_passed(const rps_world *world, rps_guard_state *guard, const rps_mesh_passed *passed,
                            rps_error *err);

#endif
