/* A ball behind a surface of triangles (guard_passed.h). */
#include "step/guard_passed.h"

#include <math.h>

#include "step/guard_alarm.h"
#include "step/step_stages.h"

rps_status rps_guard_passed(const rps_world *world, rps_guard_state *guard, const rps_mesh_passed *passed,
                            rps_error *err) {
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME], where[96];
    if (world->options.guards.action[RPS_GUARD_LOST] == RPS_GUARD_OFF) return RPS_OK;
    const rps_culprits found = rps_culprits_find(world, passed->depth, passed->ball, passed->wall);
    rps_culprits_name(guard, &found);
    return rps_guard_alarm(
        world, guard, RPS_GUARD_LOST, passed->depth, err,
        "the surface has no contact from behind, so it would fall on: choose a stiffer material (`repose explain` says "
        "which "
        "keeps the expected overlaps at 1 %) or a smaller step; `side: both` lets a mesh be touched from both sides; "
        "or allow "
        "it by `guards: {lost: warn}`",
        "the centre of %s at %s has passed the surface of %s at its triangle %u, at (%.6g, %.6g, %.6g) m of the mesh",
        rps_body_name(world, passed->ball, a, sizeof a), rps_guard_position(world, passed->ball, where, sizeof where),
        rps_body_name(world, passed->wall, b, sizeof b), passed->triangle, passed->point.x, passed->point.y,
        passed->point.z);
}
