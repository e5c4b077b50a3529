/* Commands of motors. A command is state of the world: the memory of the joint holds it. */
#include <math.h>
#include <stdio.h>

#include "base/flush.h"
#include "world/share.h"
#include "world/world_internal.h"

rps_motor_command rps_motor_command_default(void) {
    return (rps_motor_command){.size = sizeof(rps_motor_command),
                               .control = RPS_MOTOR_SPEED,
                               .load_max = INFINITY,
                               .speed_max = INFINITY,
                               .deceleration = INFINITY};
}

bool rps_joint_command_sound(const rps_joint *joint, const rps_joint_memory *m) {
    const int control = m->control >= 0.0 && m->control < RPS_MOTOR_CONTROLS ? (int)m->control : RPS_MOTOR_CONTROLS;
    return control < RPS_MOTOR_CONTROLS && m->control == control &&
           (control != RPS_MOTOR_LOAD || fabs(m->value) <= joint->load_max) &&
           (control == RPS_MOTOR_MOTION || joint->kind == RPS_JOINT_MOTOR) && m->load_max >= 0.0 &&
           m->speed_max >= 0.0 && m->time >= 0.0 && m->deceleration >= 0.0;
}

/* A number above 0, or INFINITY. */
static rps_status motor_check_limit(const char *who, const char *what, double x, bool given, rps_error *err) {
    if (!(x > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s is %g; expected a positive number, or INFINITY for none", who, what,
                        x);
    }
    if (x == INFINITY || given) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: this control takes no %s; leave it out", who, what);
}

rps_status rps_world_command_motor(rps_world *world, size_t joint, const rps_motor_command *command, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(command);
    RPS_TRY(rps_share_refuse(world, "a command to a motor", err));
    char who[100];
    if (joint >= world->joints) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no joint number %zu; the world has %zu", joint, world->joints);
    }
    const rps_joint *motor = &world->joint[joint];
    snprintf(who, sizeof who, motor->name ? "joint `%.60s`" : "joint %.0s%zu", motor->name ? motor->name : "", joint);
    if (motor->kind != RPS_JOINT_MOTOR) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: only a motor takes commands; make it one (`type: motor`)", who);
    }
    if (command->size != sizeof *command) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: size is %u, expected %zu; begin with rps_motor_command_default()", who,
                        command->size, sizeof *command);
    }
    const rps_motor_control control = command->control;
    if ((int)control <= RPS_MOTOR_MOTION || control >= RPS_MOTOR_CONTROLS) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: control number %d cannot be commanded; expected RPS_MOTOR_SPEED, RPS_MOTOR_POSITION or "
                        "RPS_MOTOR_LOAD",
                        who, (int)control);
    }
    const bool position = control == RPS_MOTOR_POSITION;
    if (!rps_finite(command->value)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the commanded value is %g; expected a finite number", who,
                        command->value);
    }
    if (!(rps_finite(command->time) && command->time >= 0.0 && (position || command->time == 0.0))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the time is %g s; expected 0%s", who, command->time,
                        position ? " or a positive number" : ", since only a position is approached in a time");
    }
    RPS_TRY(motor_check_limit(who, "load_max", command->load_max, control != RPS_MOTOR_LOAD, err));
    RPS_TRY(motor_check_limit(who, "speed_max", command->speed_max, position, err));
    RPS_TRY(motor_check_limit(who, "deceleration", command->deceleration, position, err));
    if (control == RPS_MOTOR_LOAD && !(fabs(command->value) <= motor->load_max)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the commanded load %g is above the load_max of the motor, %g", who,
                        command->value, motor->load_max);
    }
    rps_joint_memory *memory = &world->joint[joint].memory;
    memory->control = (double)control;
    memory->value = rps_flush(command->value);
    memory->load_max = command->load_max == INFINITY ? 0.0 : command->load_max;
    memory->speed_max = command->speed_max == INFINITY ? 0.0 : command->speed_max;
    memory->deceleration = command->deceleration == INFINITY ? 0.0 : command->deceleration;
    memory->time = command->time;
    return RPS_OK;
}
