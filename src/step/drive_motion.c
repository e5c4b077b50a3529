/*
 * Drives prescribe the motion of bodies, in closed form from the time, never accumulated. Servos move a body along a
 * direction until it pushes with a given load. Mirror images are moved here too.
 *
 * At the beginning of each step a servo reads the load with which its body pushed at the end of the last step. K is
 * the tangent stiffness of all contacts of the body. A step at v = gain (target - load) / (K dt) removes the fraction
 * `gain` of the error if the rest of the packing stands still. The load includes that of the dashpots, C v of the
 * last step. With K dt below gain C the servo would oscillate from step to step, so its divisor is at least 2 gain C.
 * The load, K and C are sums that do not depend on the order. A servo of a torque turns the body likewise, K and C times
 * squared arms.
 */
#include <math.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "detect/gap_table.h"
#include "step/step_stages.h"
#include "world/share.h"

/* True if the drive is active. t: its time at work, up to now or to its end. */
static bool at_work(const rps_drive *drive, double time, double *t) {
    const bool ends = drive->until >= drive->from;
    const bool waiting = time < drive->from;
    const bool over = ends && time >= drive->until;
    *t = waiting ? 0.0 : (over ? drive->until : time) - drive->from;
    return !waiting && !over;
}

static void drive_motion_add_table(const rps_motion_table *table, double t, double moving, rps_pose_at *at) {
    double value[RPS_MOTION_PARTS], slope[RPS_MOTION_PARTS];
    rps_motion_table_at(table, t, value, slope);
    at->position = rps_vec3_add(at->position, rps_vec3_of(value));
    at->velocity = rps_vec3_add_scaled(at->velocity, moving, rps_vec3_of(slope));
    at->turn = rps_vec3_of(value + 3);
    at->turning = rps_vec3_scale(rps_vec3_of(slope + 3), moving);
    at->angular_velocity = rps_vec3_add(at->angular_velocity, at->turning);
}

/* The prescribed motion. */
static void drive_motion_prescribed(const rps_drive_state *driven, double time, rps_pose_at *at) {
    const rps_drive *drive = &driven->now;
    const rps_vec3 start = driven->start;
    double t;
    const double moving = at_work(drive, time, &t) ? 1.0 : 0.0;
    const double turn = 2.0 * RPS_PI * drive->frequency;
    double sine, cosine, sine0, cosine0;
    rps_sincos(turn * t + drive->phase, &sine, &cosine);
    rps_sincos(drive->phase, &sine0, &cosine0);
    double x[3] = {start.x, start.y, start.z}, v[3], w[3];
    for (int k = 0; k < 3; k++) {
        x[k] += drive->velocity[k] * t + drive->amplitude[k] * (sine - sine0);
        v[k] = moving * (drive->velocity[k] + drive->amplitude[k] * turn * cosine);
        w[k] = moving * drive->angular_velocity[k];
    }
    at->position = rps_vec3_of(x);
    at->velocity = rps_vec3_of(v);
    at->angular_velocity = rps_vec3_of(w);
    at->turn = at->turning = rps_vec3_zero();
    if (driven->table) drive_motion_add_table(driven->table, t, moving, at);
}

rps_vec3 rps_drive_mean_turning(const rps_pose_at *now, const rps_pose_at *then, double dt) {
    if (rps_vec3_norm2(now->turning) == 0.0 && rps_vec3_norm2(rps_vec3_sub(then->turn, now->turn)) == 0.0) {
        return now->angular_velocity;
    }
    const rps_vec3 mean = rps_vec3_scale(rps_vec3_sub(then->turn, now->turn), 1.0 / dt);
    return rps_vec3_flush(rps_vec3_add(rps_vec3_sub(now->angular_velocity, now->turning), mean));
}

static void with_servo(const rps_drive_state *driven, double time, double shift, rps_pose_at *at) {
    drive_motion_prescribed(driven, time, at);
    if (driven->now.kind == RPS_DRIVE_MOTION) {
        return;
    }
    const rps_vec3 d = rps_vec3_of(driven->now.direction);
    if (driven->now.kind == RPS_DRIVE_TORQUE) {
        at->angular_velocity = rps_vec3_add_scaled(at->angular_velocity, driven->speed, d);
        return;
    }
    at->position = rps_vec3_add_scaled(at->position, shift, d);
    at->velocity = rps_vec3_add_scaled(at->velocity, driven->speed, d);
}

static rps_vec3 reflect(rps_vec3 v, rps_vec3 d) {
    return rps_vec3_add_scaled(v, -2.0 * rps_vec3_dot(v, d), d);
}

static void drive_pose(const rps_drive_state *all, int which, double time, double ahead, rps_pose_at *at) {
    const rps_drive_state *driven = &all[which];
    if (driven->now.kind != RPS_DRIVE_MIRROR) {
        with_servo(driven, time, driven->shift + ahead * driven->speed, at);
        return;
    }
    const rps_drive_state *original = &all[driven->partner];
    const rps_vec3 d = rps_vec3_of(driven->now.direction);
    with_servo(original, time, original->shift + ahead * original->speed, at);
    at->position = rps_vec3_add(driven->start, reflect(rps_vec3_sub(at->position, driven->origin), d));
    at->velocity = reflect(at->velocity, d);
    at->angular_velocity = rps_vec3_zero(); /* what turns has no image */
}

void rps_drive_at(const rps_drive_state *all, int which, double time, double ahead, rps_pose_at *at) {
    drive_pose(all, which, time, ahead, at);
    at->position = rps_vec3_flush(at->position);
    at->velocity = rps_vec3_flush(at->velocity);
    at->angular_velocity = rps_vec3_flush(at->angular_velocity);
}

/* --- servos --------------------------------------------------------------------------------------------------------- */

/* m^2: the squared arm of a contact about an axis through the position of a body, by the place of the other one; of a plane by the size
 * of the body itself. */
static double squared_arm(const rps_world *world, size_t slot, size_t other, rps_vec3 axis) {
    if (rps_body_is_plane(&world->bodies, other)) {
        const double radius = world->bodies.pose[slot].radius[0];
        return radius * radius;
    }
    return rps_vec3_norm2(rps_vec3_cross(axis, rps_pair_difference(world, other, slot)));
}

/* The springs and dashpots of all contacts of a body: N/m and N s/m along a direction; of a torque N m/rad and N m s about an axis. Bodies
 * added since the references were built have none. */
static rps_law_spring springs_around(const rps_world *world, uint64_t id, const rps_drive *drive) {
    const rps_contacts *contacts = &world->contacts;
    const size_t s = rps_world_slot(world, id);
    const rps_vec3 axis = rps_vec3_of(drive->direction);
    rps_exact_sum around[2]; /* stiffness, damper */
    rps_exact_sum_clear(&around[0]);
    rps_exact_sum_clear(&around[1]);
    for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t place = entry - segment->begin;
        rps_law_spring spring[RPS_ROLE_COUNT];
        if (!rps_entry_springs(world, segment, place, spring)) continue;
        rps_law_spring one = spring[RPS_ROLE_NORMAL];
        if (drive->kind == RPS_DRIVE_TORQUE) {
            const size_t other = segment->slot_i[place] == s ? segment->slot_j[place] : segment->slot_i[place];
            const double arm2 = squared_arm(world, s, other, axis);
            one.stiffness = arm2 * (one.stiffness + spring[RPS_ROLE_SLIDE].stiffness);
            one.damper = arm2 * (one.damper + spring[RPS_ROLE_SLIDE].damper);
        }
        rps_exact_sum_add(&around[0], one.stiffness);
        rps_exact_sum_add(&around[1], one.damper);
    }
    rps_share_sum(world, 2, around);
    return (rps_law_spring){rps_exact_sum_value(&around[0]), rps_exact_sum_value(&around[1])};
}

/* Force with which the body pushes along a direction (N). */
static double load_along(const rps_world *world, uint64_t id, rps_vec3 direction) {
    return -rps_vec3_dot(rps_vec3_of(world->bodies.load[rps_world_slot(world, id)].force), direction);
}

void rps_servo_look(const rps_world *world, int which, rps_servo_state *out) {
    const rps_drive_state *driven = &world->driven[which];
    const rps_drive *drive = &driven->now;
    const rps_vec3 d = rps_vec3_of(drive->direction);
    *out = (rps_servo_state){.target = drive->target, .area = drive->area};
    if (drive->kind == RPS_DRIVE_PRESSURE) {
        if (drive->spans > 0) {
            out->area = world->options.dimension == 2 ? world->options.depth : 1.0;
        }
        for (int k = 0; k < drive->spans; k++) {
            out->area *= fabs(rps_plane_distance(world, drive->span[k][0], drive->span[k][1]));
        }
        out->target *= out->area;
    }
    if (drive->kind == RPS_DRIVE_TORQUE) {
        const rps_vec3 torque = rps_vec3_of(world->bodies.load[rps_world_slot(world, driven->body)].torque);
        out->load = -rps_vec3_dot(torque, d);
        return;
    }
    out->load = load_along(world, driven->body, d);
    if (driven->partner >= 0) {
        const rps_drive_state *image = &world->driven[driven->partner];
        out->load = 0.5 * (out->load + load_along(world, image->body, reflect(d, rps_vec3_of(image->now.direction))));
    }
}

static double servo_speed(const rps_world *world, int which) {
    const rps_drive_state *driven = &world->driven[which];
    const rps_drive *drive = &driven->now;
    rps_servo_state state;
    rps_servo_look(world, which, &state);
    rps_law_spring around = springs_around(world, driven->body, drive);
    if (driven->partner >= 0) {
        const rps_law_spring other = springs_around(world, world->driven[driven->partner].body, drive);
        around.stiffness = 0.5 * (around.stiffness + other.stiffness);
        around.damper = 0.5 * (around.damper + other.damper);
    }
    const double stiffness = around.stiffness > drive->stiffness_min ? around.stiffness : drive->stiffness_min;
    const double by_spring = stiffness * world->step, by_damper = 2.0 * drive->gain * around.damper;
    const double by = by_spring > by_damper ? by_spring : by_damper, missing = state.target - state.load;
    if (!(by > 0.0)) return missing > 0.0 ? drive->speed_max : missing < 0.0 ? -drive->speed_max : 0.0;
    const double v = drive->gain * missing / by;
    return v > drive->speed_max ? drive->speed_max : v < -drive->speed_max ? -drive->speed_max : v;
}

void rps_servos_aim(const rps_world *world, rps_drive_state *all, double time) {
    double t;
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state *driven = &all[k];
        if (driven->now.kind != RPS_DRIVE_MOTION && driven->now.kind != RPS_DRIVE_MIRROR) {
            driven->speed = at_work(&driven->now, time, &t) ? rps_flush(servo_speed(world, (int)k)) : 0.0;
        }
    }
}

void rps_servos_moved(const rps_world *world, rps_drive_state *driven) {
    for (size_t k = 0; k < world->drives; k++) {
        driven[k].shift = rps_flush(driven[k].shift + driven[k].speed * world->step);
    }
}
