/* Commands of driven bodies. A command becomes the drive of the body, so a checkpoint holds it. */
#include <math.h>
#include <string.h>

#include "world/share.h"
#include "world/surface_velocity.h"
#include "world/world_internal.h"

rps_drive_command rps_drive_command_default(void) {
    return (rps_drive_command){.size = sizeof(rps_drive_command), .control = RPS_DRIVE_SPEED};
}

static bool command_leaves_out(const double v[3]) {
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

static rps_status command_takes_no(const char *who, const char *what, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT, "%s: this command takes no %s; leave it out", who, what);
}

/* Members of other controls are left out. */
static rps_status check_left_out(const rps_drive_command *c, const char *who, rps_error *err) {
    const bool speed = c->control == RPS_DRIVE_SPEED, position = c->control == RPS_DRIVE_POSITION;
    const bool load = c->control == RPS_DRIVE_LOAD;
    if (!speed && !command_leaves_out(c->velocity)) return command_takes_no(who, "velocity", err);
    if (!speed && !command_leaves_out(c->angular_velocity)) return command_takes_no(who, "angular velocity", err);
    if (!position && !command_leaves_out(c->position)) return command_takes_no(who, "position", err);
    if (!position && c->time != 0.0) return command_takes_no(who, "time", err);
    if (speed && c->speed_max != 0.0) return command_takes_no(who, "largest speed", err);
    if (!load && !command_leaves_out(c->direction)) return command_takes_no(who, "direction", err);
    if (!load && c->load != 0.0) return command_takes_no(who, "load", err);
    if (!load && (c->gain != 0.0 || c->stiffness_min != 0.0)) return command_takes_no(who, "gain and stiffness", err);
    return RPS_OK;
}

static rps_status check_command(const rps_drive_command *c, const char *who, rps_error *err) {
    if (c->size != sizeof *c) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: size is %u, expected %zu; begin with rps_drive_command_default()", who,
                        c->size, sizeof *c);
    }
    if ((int)c->control < RPS_DRIVE_SPEED || c->control >= RPS_DRIVE_CONTROLS) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: there is no control number %d; expected RPS_DRIVE_SPEED, RPS_DRIVE_POSITION or RPS_DRIVE_LOAD", who,
            (int)c->control);
    }
    RPS_TRY(check_left_out(c, who, err));
    if (!rps_finite3(c->position)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the commanded position is (%g, %g, %g); expected finite numbers", who,
                        c->position[0], c->position[1], c->position[2]);
    }
    if (!(rps_finite(c->time) && c->time >= 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the time is %g s; expected 0 or a positive number", who, c->time);
    }
    if (!(rps_finite(c->speed_max) && c->speed_max >= 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the largest speed is %g m/s; expected a positive number, or 0", who,
                        c->speed_max);
    }
    return RPS_OK;
}

/* At constant speed, in a time of at least a step. Along a period the body goes where it is told, not to the nearest image. */
static void go_to(const rps_world *world, size_t slot, const rps_drive_command *c, rps_drive *drive) {
    double here[3];
    rps_world_unwrapped(world, slot, here);
    const rps_vec3 way = rps_vec3_sub(rps_vec3_of(c->position), rps_vec3_of(here));
    double time = c->time > world->step ? c->time : world->step;
    const double least = c->speed_max > 0.0 ? rps_vec3_norm(way) / c->speed_max : 0.0;
    if (least > time) time = least;
    rps_vec3_put(drive->velocity, rps_vec3_scale(way, 1.0 / time));
    drive->from = rps_world_time(world);
    drive->until = drive->from + time;
}

/* The drive that obeys; its surface runs on, about an axis that stays with the body. */
static void obey(const rps_world *world, size_t slot, const rps_drive_command *c, rps_drive *drive) {
    const rps_drive_state *driven = &world->driven[world->bodies.drive[slot][0]];
    const rps_drive *old = &driven->now;
    double here[3];
    *drive = (rps_drive){.until = -1.0};
    memcpy(drive->surface_velocity, old->surface_velocity, sizeof drive->surface_velocity);
    memcpy(drive->surface_turning, old->surface_turning, sizeof drive->surface_turning);
    rps_world_unwrapped(world, slot, here);
    const rps_vec3 moved = rps_vec3_sub(rps_vec3_of(here), driven->start);
    if (rps_drive_runs(old)) rps_vec3_put(drive->surface_about, rps_vec3_add(rps_vec3_of(old->surface_about), moved));
    if (c->control == RPS_DRIVE_SPEED) {
        memcpy(drive->velocity, c->velocity, sizeof drive->velocity);
        memcpy(drive->angular_velocity, c->angular_velocity, sizeof drive->angular_velocity);
    } else if (c->control == RPS_DRIVE_POSITION) {
        go_to(world, slot, c, drive);
    } else {
        drive->kind = RPS_DRIVE_FORCE;
        memcpy(drive->direction, c->direction, sizeof drive->direction);
        drive->target = c->load;
        drive->speed_max = c->speed_max;
        drive->gain = c->gain != 0.0 ? c->gain : old->gain;
        drive->stiffness_min = c->stiffness_min != 0.0 ? c->stiffness_min : old->stiffness_min;
    }
}

rps_status rps_world_command_drive(rps_world *world, uint64_t id, const rps_drive_command *command, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(command);
    char who[RPS_BODY_NAME];
    rps_drive drive;
    const size_t slot = rps_world_slot(world, id);
    if (slot == SIZE_MAX || world->bodies.kind[slot][0] != RPS_BODY_DRIVEN) {
        if (slot == SIZE_MAX) return rps_fail(err, RPS_BAD_INPUT, "there is no body %llu", (unsigned long long)id);
        return rps_fail(err, RPS_BAD_INPUT, "%s is not driven, so it takes no commands; make it driven, or apply loads",
                        rps_body_name(world, slot, who, sizeof who));
    }
    rps_body_name(world, slot, who, sizeof who);
    RPS_TRY(check_command(command, who, err));
    rps_drive_state *driven = &world->driven[world->bodies.drive[slot][0]];
    if (driven->now.kind == RPS_DRIVE_MIRROR) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is a mirror image and moves as its original; command that", who);
    }
    const bool rigid = world->options.stepper == RPS_NONSMOOTH && world->options.nonsmooth.rigid;
    if (command->control == RPS_DRIVE_LOAD && rigid) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: a drive finds its load by the stiffness of contacts, and rigid ones have none; hold the body "
            "by a motor and command its load (rps_world_command_motor)",
            who);
    }
    if (driven->now.surface_motion > 0) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: its surface runs by a table, whose time is that of its drive, so that it takes no commands; "
            "give it another drive (rps_world_set_drive)",
            who);
    }
    const rps_drive_state before = *driven;
    const rps_vec3 turning = rps_vec3_of(before.now.angular_velocity);
    const bool stale = world->lists_stale;
    obey(world, slot, command, &drive);
    RPS_TRY(rps_world_set_drive(world, id, &drive, err));
    driven->initial = before.initial; /* a command is state, not set-up, before the first step too */
    driven->made_start = before.made_start;
    /* Lists follow any motion of a driven body; how it may turn beside periodic faces is checked with them. */
    const rps_vec3 other = rps_vec3_cross(turning, rps_vec3_of(drive.angular_velocity));
    const bool turns = rps_vec3_norm2(rps_vec3_of(drive.angular_velocity)) > 0.0;
    const bool same_axis = !turns || (rps_vec3_norm2(turning) > 0.0 && rps_vec3_norm2(other) == 0.0);
    world->lists_stale = stale || before.table || !same_axis || driven->is_servo != before.is_servo;
    return RPS_OK;
}
