/* Moves or rotates a body on request of the program: its contacts end, so that no law sees the jump as motion. */
#include <repose/body.h>

#include <math.h>
#include <string.h>

#include "shape/shape.h"
#include "detect/detect.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/fluid.h"

/* The state of a body that is restored if the new place is refused. */
typedef struct placement {
    double position[3], orientation[4];
    int32_t image[3];
} placement;

static placement placement_of(const rps_bodies *bodies, size_t slot) {
    placement now;
    memcpy(now.position, bodies->pose[slot].position, sizeof now.position);
    memcpy(now.orientation, bodies->orientation[slot], sizeof now.orientation);
    memcpy(now.image, bodies->image[slot], sizeof now.image);
    return now;
}

static void put_placement(rps_bodies *bodies, size_t slot, const placement *at) {
    memcpy(bodies->pose[slot].position, at->position, sizeof at->position);
    memcpy(bodies->orientation[slot], at->orientation, sizeof at->orientation);
    memcpy(bodies->image[slot], at->image, sizeof at->image);
}

/* Slot of a body that overlaps the one in `slot`; SIZE_MAX: none. */
static size_t overlapping(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    const uint64_t id = bodies->id[slot][0];
    for (size_t s = 0; s < bodies->count; s++) {
        if (s == slot || !rps_world_may_touch(world, s, slot)) continue;
        const double gap = bodies->id[s][0] < id ? rps_detect_gap(world, s, slot) : rps_detect_gap(world, slot, s);
        if (gap < 0.0) return s;
    }
    return SIZE_MAX;
}

static double potential_energy(const rps_world *world, size_t slot) {
    double x[3], sum = 0.0;
    if (world->bodies.kind[slot][0] != RPS_BODY_FREE) return 0.0;
    rps_world_unwrapped(world, slot, x);
    for (int k = 0; k < 3; k++) sum += world->options.gravity[k] * x[k];
    return rps_force_potential(world, slot) + rps_fluid_potential(world, slot) - world->bodies.mass[slot][0] * sum;
}

/* Energy of the change: minus the old potential and rotational energy and the energy of contacts that end. */
static void add_energy(rps_world *world, size_t slot, double sign) {
    rps_change_add(world, RPS_CHANGE_EXTERNAL, sign * potential_energy(world, slot));
    if (world->bodies.kind[slot][0] != RPS_BODY_FREE) return;
    rps_change_add(world, RPS_CHANGE_EXTERNAL, sign * rps_body_rotation_energy(&world->bodies, slot));
}

/* The body is at its new place; `old` is its previous state. */
static rps_status finish_placement(rps_world *world, size_t slot, const placement *old, rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    const placement at = placement_of(bodies, slot);
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
    const size_t other = world->started && bodies->kind[slot][0] == RPS_BODY_FREE ? overlapping(world, slot) : SIZE_MAX;
    put_placement(bodies, slot, old);
    if (other != SIZE_MAX) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s would overlap %s there, and nothing would have brought the energy of their contact: leave "
                        "it a free place, or move the other one first",
                        rps_body_name(world, slot, a, sizeof a), rps_body_name(world, other, b, sizeof b));
    }
    RPS_TRY(rps_evaluate_reserve(world, err));
    rps_exact_sum stored;
    rps_exact_sum_clear(&stored);
    rps_contacts_energy_of(world, slot, NULL, &stored);
    add_energy(world, slot, -1.0);
    rps_change_add(world, RPS_CHANGE_EXTERNAL, -rps_exact_sum_value(&stored));
    rps_contacts_end(world, slot);
    put_placement(bodies, slot, &at);
    if (bodies->kind[slot][0] == RPS_BODY_FREE) rps_body_start_rotation(bodies, slot);
    add_energy(world, slot, 1.0);
    if (bodies->kind[slot][0] == RPS_BODY_FREE) {
        memset(bodies->load[slot].force, 0, sizeof bodies->load[slot].force);
        memset(bodies->load[slot].torque, 0, sizeof bodies->load[slot].torque);
    }
    world->lists_stale = true;
    return RPS_OK;
}

rps_status rps_world_set_position(rps_world *world, uint64_t id, const double position[3], rps_error *err) {
    size_t slot;
    char name[RPS_BODY_NAME];
    RPS_GIVEN(world);
    RPS_GIVEN(position);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    RPS_TRY(rps_check_given(world, slot, "position", position, 0, err));
    RPS_TRY(rps_world_check_unjoined(world, slot, "cannot be moved", err));
    RPS_TRY(rps_world_check_unbonded(world, slot, "cannot be moved", err));
    rps_body_name(world, slot, name, sizeof name);
    if (world->cell.sheared) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "%s cannot be moved in a sheared cell: its velocity would depend on the image", name);
    }
    rps_bodies *bodies = &world->bodies;
    const placement old = placement_of(bodies, slot);
    if (bodies->kind[slot][0] == RPS_BODY_FREE) {
        placement at = old;
        double velocity[3] = {0.0, 0.0, 0.0}; /* changes in sheared cells alone */
        RPS_TRY(rps_world_wrap(world, name, position, at.position, velocity, at.image, err));
        put_placement(bodies, slot, &at);
        return finish_placement(world, slot, &old, err);
    }
    RPS_TRY(rps_evaluate_reserve(world, err)); /* so that nothing fails once a drive has moved */
    rps_exact_sum stored;
    rps_exact_sum_clear(&stored);
    rps_contacts_energy_of(world, slot, NULL, &stored);
    RPS_TRY(rps_world_move_held(world, slot, position, err));
    rps_change_add(world, RPS_CHANGE_EXTERNAL, -rps_exact_sum_value(&stored));
    rps_contacts_end(world, slot);
    return RPS_OK;
}

rps_status rps_world_set_orientation(rps_world *world, uint64_t id, const double orientation[4], rps_error *err) {
    size_t slot;
    char name[RPS_BODY_NAME];
    RPS_GIVEN(world);
    RPS_GIVEN(orientation);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    RPS_TRY(rps_world_check_unjoined(world, slot, "cannot be turned", err));
    RPS_TRY(rps_world_check_unbonded(world, slot, "cannot be turned", err));
    rps_bodies *bodies = &world->bodies;
    const double *q = orientation;
    const double norm2 = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
    rps_body_name(world, slot, name, sizeof name);
    if (!isfinite(norm2) || !(norm2 > 1e-200)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: orientation (%g, %g, %g, %g) is no quaternion w x y z of finite length above 0", name,
                        q[0], q[1], q[2], q[3]);
    }
    if (rps_body_is_plane(bodies, slot) || bodies->kind[slot][0] == RPS_BODY_DRIVEN) {
        return rps_fail(err, RPS_BAD_INPUT, "%s cannot be turned: %s", name,
                        bodies->kind[slot][0] == RPS_BODY_DRIVEN ? "a drive says how it turns"
                                                                 : "a plane keeps the normal that it was made with");
    }
    if (world->options.dimension == 2 && (q[1] != 0.0 || q[3] != 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s cannot be turned so: in a planar world bodies turn about y", name);
    }
    const placement old = placement_of(bodies, slot);
    const rps_quat unit = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    placement at = old;
    at.orientation[0] = unit.w;
    at.orientation[1] = unit.x;
    at.orientation[2] = unit.y;
    at.orientation[3] = unit.z;
    put_placement(bodies, slot, &at);
    return finish_placement(world, slot, &old, err);
}
