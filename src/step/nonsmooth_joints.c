/*
 * Joints in a nonsmooth step: their rows, loads and energies.
 *
 * Both bodies are held at one point, that of the first body, so that angular momentum is kept; a distance acts along
 * the line of its two points. A row of a held direction has the bias error/h, which corrects an error within the
 * step, but no faster than the recovery speed plus the error that the rotation of the step itself opens. Rows coupled
 * through joints and free bodies are slowed down together, so that consistent rows stay consistent. A driven row has
 * the mean speed of the prescribed motion in the step, or the commanded speed, then perhaps with bounds; friction is a
 * row with bounds. A commanded load is no row: it is added to the velocities from which the solver begins.
 *
 * A stop is a row that only pushes. Like a contact, it lets its bodies come exactly to the stop within the step, or, if they
 * would meet it faster than the impact speed, turns them back in this step (Newton's rule). A spring has its load at the
 * middle of the two half steps around the present position, q + h (u_new - u_old)/4, so that its energy there,
 * k (q + h u/2 - rest)^2/2, changes by exactly the work of its impulse (with a table its mean load between these
 * middles, linear in the new speed; what a corner of the table leaves of that is booked as damping). A damper has the mean of both speeds, or where it
 * would turn the motion around within a step, one nearer to the new. The load at u_new = u_old is added as a commanded
 * one is; the rest is a compliant row. So the row is small, and the tolerance does not see the energy in springs.
 *
 * A coupling of two joints is one row: the rate of the first one's coordinate less ratio times that of the second. It has the sides of
 * both joints, and a body that takes part in both is one side.
 *
 * Energy: a row with impulse g does the work g (u_old + u_new)/2 on the bodies. For friction this is dissipation
 * (slide). The work of a drive is g times the prescribed speed; at a bound, and for a commanded load, it is the work on
 * the bodies. The rest, of first order, is lost to the implicit step (damping).
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "step/joint_spring.h"
#include "step/nonsmooth.h"

static const double NO_ROW = 1e-18; /* change of a velocity by the row of a spring, relative: less is rounding */
static const double STILL = 1e-6;   /* rad in a step: slower rotation of a ball joint has no reliable direction */

/* --- geometry ------------------------------------------------------------------------------------------------------- */

typedef struct joint_pose {
    rps_vec3 x[2], branch[2]; /* m, unwrapped centres; from these to the anchors */
    rps_quat q[2];            /* from the joint's axes to the world's */
    rps_vec3 separation;      /* m, from the anchor of the second to that of the first */
    rps_vec3 axis[3];         /* of the second body */
    rps_vec3 first[3];        /* of the first body */
} joint_pose;

static void nonsmooth_joints_look(const rps_world *world, const rps_joint *joint, joint_pose *pose) {
    for (int k = 0; k < 2; k++) {
        pose->x[k] = rps_vec3_zero();
        pose->branch[k] = joint->anchor[k];
        pose->q[k] = joint->frame[k];
        if (joint->body[k] == RPS_JOINT_WORLD) continue;
        const size_t s = world->bodies.slot_of[joint->body[k]];
        const double *o = world->bodies.orientation[s];
        const rps_quat q = {o[0], o[1], o[2], o[3]};
        double x[3];
        rps_world_unwrapped(world, s, x);
        pose->x[k] = rps_vec3_of(x);
        pose->branch[k] = rps_quat_rotate(q, joint->anchor[k]);
        pose->q[k] = rps_quat_mul(q, joint->frame[k]);
    }
    const rps_vec3 centres = rps_vec3_sub(rps_vec3_sub(pose->x[0], pose->x[1]), joint->image);
    pose->separation = rps_vec3_add(centres, rps_vec3_sub(pose->branch[0], pose->branch[1]));
    for (int k = 0; k < 3; k++) {
        const rps_vec3 unit = {k == 0, k == 1, k == 2};
        pose->axis[k] = rps_quat_rotate(pose->q[1], unit);
        pose->first[k] = rps_quat_rotate(pose->q[0], unit);
    }
}

/* rad, without whole turns. Those of a universal joint are the turns of its cross, about the axis of the second body, and of the
 * first body about its own axis in the cross. */
static double joint_angle(const rps_joint *joint, const joint_pose *pose, int k) {
    const rps_vec3 *a = pose->axis, *b = pose->first;
    if (joint->kind == RPS_JOINT_UNIVERSAL) {
        return k == 0 ? rps_atan2(rps_vec3_dot(b[0], a[1]), rps_vec3_dot(b[0], a[0]))
                      : rps_atan2(rps_vec3_dot(a[2], b[1]), rps_vec3_dot(a[2], b[2]));
    }
    const rps_quat q = rps_quat_mul(rps_quat_conjugate(pose->q[1]), pose->q[0]);
    return 2.0 * rps_atan2(q.z, q.w);
}

/* Direction of coordinate k: of the velocity of the point, or of turning. */
static rps_vec3 coordinate_axis(const rps_joint *joint, const joint_pose *pose, int k) {
    if (joint->kind == RPS_JOINT_PLANAR && k > 0) return pose->axis[k - 1];
    return joint->kind == RPS_JOINT_UNIVERSAL && k == 1 ? pose->first[0] : pose->axis[2];
}

/* Whole turns are counted from the last position. */
static double coordinate_now(const rps_joint *joint, const joint_pose *pose, int k) {
    if (joint->kind == RPS_JOINT_DISTANCE) return rps_vec3_norm(pose->separation);
    switch (rps_joint_freedom(joint, k)) {
    case RPS_JOINT_SLIDES:
        return rps_vec3_dot(pose->separation, coordinate_axis(joint, pose, k));
    case RPS_JOINT_TURNS: {
        const double angle = joint_angle(joint, pose, k);
        const double turns = (angle - joint->memory.position[k]) / (2.0 * RPS_PI);
        if (!(fabs(turns) < 1e15)) return angle;
        return angle - 2.0 * RPS_PI * (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    }
    default:
        return 0.0;
    }
}

/* m a radian, of a screw. */
static double lead_of(const rps_joint *joint) {
    return joint->pitch / (2.0 * RPS_PI);
}

/* m, by which a screw is behind its angle. */
static double screw_error(const rps_joint *joint, const joint_pose *pose) {
    return coordinate_now(joint, pose, 1) - lead_of(joint) * coordinate_now(joint, pose, 0);
}

static double point_error(const rps_joint *joint, const joint_pose *pose) {
    const rps_vec3 apart = pose->separation, across = rps_vec3_reject(apart, pose->axis[2]);
    switch (joint->kind) {
    case RPS_JOINT_DISTANCE:
        return fabs(rps_vec3_norm(apart) - joint->length);
    case RPS_JOINT_PLANAR:
        return fabs(rps_vec3_dot(apart, pose->axis[2]));
    case RPS_JOINT_SCREW: {
        const double behind = screw_error(joint, pose);
        return sqrt(rps_vec3_norm2(across) + behind * behind);
    }
    default:
        return rps_vec3_norm(rps_joint_freedom(joint, 0) == RPS_JOINT_SLIDES ? across : apart);
    }
}

static rps_vec3 line_of(const joint_pose *pose) {
    const rps_vec3 d = rps_vec3_normalize(pose->separation);
    return rps_vec3_norm2(d) > 0.5 ? d : pose->axis[2]; /* points that coincide are parted anywhere */
}

/* m or rad, after `time` s. */
static double nonsmooth_joints_prescribed(const rps_joint_motion *m, double time) {
    const bool over = m->until >= m->from && time >= m->until;
    const double t = time < m->from ? 0.0 : (over ? m->until : time) - m->from;
    double sine, sine0, cosine;
    rps_sincos(2.0 * RPS_PI * m->frequency * t + m->phase, &sine, &cosine);
    rps_sincos(m->phase, &sine0, &cosine);
    return m->speed * t + m->amplitude * (sine - sine0);
}

static rps_twist twist_of(const rps_twist *twist, uint32_t slot) {
    return slot == UINT32_MAX ? (rps_twist){{0.0}, {0.0}} : twist[slot];
}

/* Of the sides of a joint. */
static void twists_of(const rps_twist *twist, const rps_step_joint *step, rps_twist out[4]) {
    for (int k = 0; k < 4; k++) out[k] = twist_of(twist, step->slot[k]);
}

static rps_vec3 speed_at(const rps_twist *twist, rps_vec3 branch) {
    return rps_vec3_add(rps_vec3_of(twist->v), rps_vec3_cross(rps_vec3_of(twist->w), branch));
}

/* --- rows ----------------------------------------------------------------------------------------------------------- */

typedef struct row_maker {
    const rps_world *world;
    const rps_nonsmooth *ns;
    const rps_joint *joint;
    rps_step_joint *step;
    double limit[2]; /* m/s and rad/s, the largest speeds at which held directions are corrected */
    double size;     /* m, from the axis to the farthest point, about */
} row_maker;

/* The part of the second joint of a coupling; 0 of others. */
static double other_velocity(const rps_step_joint *step, const rps_twist twist[4]) {
    rps_vec3 v[2];
    for (int k = 0; k < 2; k++) {
        v[k] = step->other_turns ? rps_vec3_of(twist[2 + k].w) : speed_at(&twist[2 + k], step->branch[2 + k]);
    }
    return rps_vec3_dot(step->other, rps_vec3_sub(v[0], v[1]));
}

/* The part of the first two sides. */
static double pair_velocity(const rps_step_joint_row *row, const rps_step_joint *step, const rps_twist twist[4]) {
    double u = 0.0;
    for (int k = 0; k < 2; k++) {
        const rps_vec3 w = rps_vec3_of(twist[k].w), v = row->turns ? w : speed_at(&twist[k], step->branch[k]);
        const double part = rps_vec3_dot(row->along, v) + row->twist * rps_vec3_dot(row->along, w);
        u = k == 0 ? part : u - part;
    }
    return u;
}

static double row_velocity(const rps_step_joint_row *row, const rps_step_joint *step, const rps_twist twist[4]) {
    return pair_velocity(row, step, twist) + other_velocity(step, twist);
}

/* 1/kg or 1/(kg m^2): change of the row's velocity by its unit impulse. */
static double mobility(const row_maker *m, const rps_step_joint_row *row) {
    const uint32_t *node_of = m->ns->node_of.p;
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const uint32_t slot = m->step->slot[k], at = slot == UINT32_MAX ? RPS_CONE_NO_NODE : node_of[slot];
        if (at == RPS_CONE_NO_NODE) continue;
        const rps_cone_node *node = (const rps_cone_node *)m->ns->node.p + at;
        const double *j = node->inverse_inertia;
        const rps_vec3 a = rps_vec3_add_scaled(row->turns ? row->along : rps_vec3_cross(m->step->branch[k], row->along),
                                               row->twist, row->along);
        sum += row->turns ? 0.0 : node->inverse_mass * rps_vec3_norm2(row->along);
        sum += (j[0] * a.x * a.x + j[1] * a.y * a.y) + j[2] * a.z * a.z +
               2.0 * ((j[3] * a.y * a.z + j[4] * a.x * a.z) + j[5] * a.x * a.y);
    }
    return sum;
}

/* In a planar world only directions within it; none that no impulse moves (such as a locked rotation). NULL: no row. */
static rps_step_joint_row *nonsmooth_joints_add_row(row_maker *m, rps_step_part part, bool turns, rps_vec3 along,
                                                    double error, int memory) {
    rps_step_joint *step = m->step;
    rps_step_joint_row row = {.part = part,
                              .turns = turns,
                              .along = along,
                              .error = error,
                              .low = -INFINITY,
                              .high = INFINITY,
                              .memory = memory};
    if (m->world->options.dimension == 2) {
        const bool up = fabs(along.y) > 0.5;
        if (up != turns) return NULL;
        row.along = turns ? rps_vec3_make(0.0, along.y > 0.0 ? 1.0 : -1.0, 0.0) : rps_vec3_make(along.x, 0.0, along.z);
    }
    if (!(mobility(m, &row) > 0.0)) return NULL;
    step->row[step->rows] = row;
    return &step->row[step->rows++];
}

/* N s or N m s; nothing without a row. */
static void bound_row(rps_step_joint_row *row, double most) {
    if (!row) return;
    row->low = -most;
    row->high = most;
}

static void add_friction(row_maker *m, bool turns, rps_vec3 along, int coordinate, int memory) {
    const double friction = m->joint->ends[coordinate].friction;
    if (friction > 0.0) {
        bound_row(nonsmooth_joints_add_row(m, RPS_ROW_FRICTION, turns, along, 0.0, memory), m->world->step * friction);
    }
}

static void add_point(row_maker *m, const joint_pose *pose) {
    for (int k = 0; k < 3; k++) {
        const rps_vec3 unit = {k == 0, k == 1, k == 2};
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, unit, rps_vec3_dot(pose->separation, unit), k);
    }
}

/* Friction of a ball joint: one axis along the angular velocity or, while it sticks, along the last load. */
static void add_ball_friction(row_maker *m, const joint_pose *pose) {
    const rps_twist *before = m->ns->before.p;
    const rps_twist a = twist_of(before, m->step->slot[0]), b = twist_of(before, m->step->slot[1]);
    const double *memory = m->joint->memory.impulse + 3;
    const rps_vec3 angular = rps_vec3_sub(rps_vec3_of(a.w), rps_vec3_of(b.w));
    const rps_vec3 load = rps_quat_rotate(pose->q[1], rps_vec3_of(memory));
    const bool turns = rps_vec3_norm(angular) * m->world->step > STILL;
    rps_vec3 first = rps_vec3_normalize(turns ? angular : load);
    if (!(rps_vec3_norm2(first) > 0.5)) first = pose->axis[2];
    const rps_vec3 second = rps_vec3_normalize(rps_vec3_reject(rps_vec3_any_across(first), first));
    if (m->world->options.dimension == 2) {
        add_friction(m, true, rps_vec3_make(0.0, 1.0, 0.0), 0, 3);
        return;
    }
    add_friction(m, true, first, 0, 3);
    add_friction(m, true, second, 0, 4);
    add_friction(m, true, rps_vec3_cross(first, second), 0, 5);
}

/* m/s or rad/s, towards a commanded position. */
static double approach_speed(const rps_joint_memory *memory, double h) {
    const double time = memory->time > h ? memory->time : h, speed = (memory->value - memory->position[0]) / time;
    if (memory->speed_max == 0.0 || fabs(speed) <= memory->speed_max) return speed;
    return speed < 0.0 ? -memory->speed_max : memory->speed_max;
}

/* N or N m, that the drive of a motor may give. */
static double largest_load(const rps_joint *joint) {
    const double commanded = joint->memory.load_max;
    return commanded > 0.0 && commanded < joint->load_max ? commanded : joint->load_max;
}

static void add_drive_row(row_maker *m, const joint_pose *pose) {
    const rps_joint *joint = m->joint;
    const rps_joint_memory *memory = &joint->memory;
    const double h = m->world->step;
    double error = 0.0;
    switch ((rps_motor_control)(int)memory->control) {
    case RPS_MOTOR_LOAD:
        m->step->load[joint->motion.turns] = rps_vec3_scale(pose->axis[2], memory->value);
        return;
    case RPS_MOTOR_SPEED:
        m->step->speed = memory->value;
        break;
    case RPS_MOTOR_POSITION:
        m->step->speed = approach_speed(memory, h);
        break;
    default: {
        const double now = rps_world_time(m->world), start = nonsmooth_joints_prescribed(&joint->motion, now);
        m->step->speed = (nonsmooth_joints_prescribed(&joint->motion, now + h) - start) / h;
        /* what a stalled motor missed has no end, and would slow down all corrections of its island */
        if (joint->load_max == INFINITY) error = memory->position[0] - start;
    }
    }
    m->step->bound = h * largest_load(joint);
    bound_row(nonsmooth_joints_add_row(m, RPS_ROW_DRIVEN, joint->motion.turns, pose->axis[2], error, 5),
              m->step->bound);
}

/* m/s or rad/s, before the step. */
static double speed_before(const row_maker *m, const rps_step_joint_row *row) {
    rps_twist twist[4];
    twists_of(m->ns->before.p, m->step, twist);
    return row_velocity(row, m->step, twist);
}

static void add_stops(row_maker *m, bool turns, rps_vec3 along, int coordinate) {
    const rps_joint_ends *ends = &m->joint->ends[coordinate];
    const double position = m->joint->memory.position[coordinate];
    const double h = m->world->step, impact = rps_nonsmooth_impact_speed(m->world) / (turns ? m->size : 1.0);
    for (int end = 0; end < 2; end++) {
        if (!(fabs(ends->limits[end]) < INFINITY)) continue;
        rps_step_joint_row *row = nonsmooth_joints_add_row(m, RPS_ROW_STOP, turns, along, 0.0, 7 + 3 * coordinate);
        if (!row) return;
        const double inward = end == 0 ? 1.0 : -1.0, u = inward * speed_before(m, row);
        const double gap = inward * (position - ends->limits[end]);
        double least = -gap / h;
        least = least > m->limit[turns] ? m->limit[turns] : least;
        const double rebound = -ends->restitution * u;
        const bool meets = ends->restitution > 0.0 && u < -impact && gap + h * u < 0.0;
        row->bias = -inward * (meets && rebound > least ? rebound : least);
        *(end == 0 ? &row->low : &row->high) = 0.0;
    }
}

static void add_spring(row_maker *m, bool turns, rps_vec3 along, int coordinate) {
    const rps_joint_ends *ends = &m->joint->ends[coordinate];
    const double h = m->world->step, d = ends->damping, now = m->joint->memory.position[coordinate];
    if (!rps_joint_is_sprung(ends)) return;
    rps_step_joint_row *row = nonsmooth_joints_add_row(m, RPS_ROW_SPRING, turns, along, 0.0, 8 + 3 * coordinate);
    if (!row) return;
    const double u = speed_before(m, row), moves = mobility(m, row), damped = h * d * moves;
    const double share = damped > 2.0 ? 1.0 - 1.0 / damped : 0.5; /* of the new speed */
    /* from the middle of the last step to that of this one, as far as the present speed leads. A falling line pushes on as it is */
    const double from = now - 0.5 * h * u, to = now + 0.5 * h * u, k = rps_joint_spring_stiffness(ends, from, to);
    const double resists = h * (0.25 * h * (k > 0.0 ? k : 0.0) + share * d);
    const double load = rps_joint_spring_mean(ends, from, to) - d * u;
    m->step->load[turns] = rps_vec3_add_scaled(m->step->load[turns], load, along);
    row->bias = -u;
    row->compliance = 1.0 / resists;
    if (!(resists * moves > NO_ROW)) m->step->rows--;
}

/* Rows of the turning across the axis, so that both axes stay along each other. */
static void add_tilt(row_maker *m, const joint_pose *pose) {
    const rps_vec3 tilt = rps_vec3_cross(pose->axis[2], pose->first[2]);
    for (int k = 0; k < 2; k++) {
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, true, pose->axis[k], rps_vec3_dot(tilt, pose->axis[k]), 3 + k);
    }
}

static void add_turning(row_maker *m, const joint_pose *pose, int memory) {
    const rps_quat q = rps_quat_mul(rps_quat_conjugate(pose->q[1]), pose->q[0]);
    const double twice = q.w < 0.0 ? -2.0 : 2.0, part[3] = {twice * q.x, twice * q.y, twice * q.z};
    for (int k = 0; k < 3; k++) nonsmooth_joints_add_row(m, RPS_ROW_HELD, true, pose->axis[k], part[k], memory + k);
}

static void add_across(row_maker *m, const joint_pose *pose, int from, int to) {
    for (int k = from; k < to; k++) {
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, pose->axis[k], rps_vec3_dot(pose->separation, pose->axis[k]),
                                 k);
    }
}

static void add_lead(row_maker *m, const joint_pose *pose) {
    rps_step_joint_row *row =
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, pose->axis[2], screw_error(m->joint, pose), 2);
    if (row) row->twist = -lead_of(m->joint);
}

static void add_held(row_maker *m, const joint_pose *pose) {
    const rps_joint *joint = m->joint;
    const bool turns = rps_joint_freedom(joint, 0) == RPS_JOINT_TURNS;
    switch (joint->kind) {
    case RPS_JOINT_DISTANCE:
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, line_of(pose), rps_vec3_norm(pose->separation) - joint->length,
                                 0);
        return;
    case RPS_JOINT_FIXED:
        add_point(m, pose);
        add_turning(m, pose, 3);
        return;
    case RPS_JOINT_BALL:
        add_point(m, pose);
        return;
    case RPS_JOINT_UNIVERSAL:
        add_point(m, pose);
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, true, rps_vec3_cross(pose->first[0], pose->axis[2]),
                                 rps_vec3_dot(pose->first[0], pose->axis[2]), 3);
        return;
    case RPS_JOINT_CYLINDRICAL:
    case RPS_JOINT_SCREW:
        add_across(m, pose, 0, 2);
        add_tilt(m, pose);
        if (joint->kind == RPS_JOINT_SCREW) add_lead(m, pose);
        return;
    case RPS_JOINT_PLANAR:
        add_across(m, pose, 2, 3);
        add_tilt(m, pose);
        return;
    default: /* hinge, slider and motor */
        if (turns) {
            add_point(m, pose);
            add_tilt(m, pose);
        } else {
            add_across(m, pose, 0, 2);
            add_turning(m, pose, 2);
        }
    }
}

static void add_rows(row_maker *m, const joint_pose *pose) {
    const rps_joint *joint = m->joint;
    add_held(m, pose);
    if (joint->kind == RPS_JOINT_BALL && joint->ends[0].friction > 0.0) add_ball_friction(m, pose);
    if (joint->kind == RPS_JOINT_MOTOR) add_drive_row(m, pose);
    for (int k = 0; k < rps_joint_free_coordinates(joint); k++) {
        const bool turns = rps_joint_freedom(joint, k) == RPS_JOINT_TURNS;
        const rps_vec3 along = coordinate_axis(joint, pose, k);
        add_friction(m, turns, along, k, 6 + 3 * k);
        add_stops(m, turns, along, k);
        add_spring(m, turns, along, k);
    }
}

/* The rows are tangents, so the motion of a step can open a joint by this much; twice as much may be corrected. */
static void set_limits(row_maker *m, const joint_pose *pose) {
    const double h = m->world->step, recovery = m->world->options.nonsmooth.recovery_speed;
    const rps_step_joint *step = m->step;
    double angular = 0.0, swing = 0.0, size = 0.0;
    rps_vec3 v[2];
    for (int k = 0; k < 2; k++) {
        const rps_twist twist = twist_of(m->ns->before.p, step->slot[k]);
        const double w = rps_vec3_norm(rps_vec3_of(twist.w)), rolling_radius = rps_vec3_norm(step->branch[k]);
        v[k] = speed_at(&twist, step->branch[k]);
        angular += w;
        swing += w * w * rolling_radius;
        size = rolling_radius > size ? rolling_radius : size;
        if (step->slot[k] == UINT32_MAX) continue;
        const double radius = m->world->bodies.pose[step->slot[k]].radius[0];
        size = radius > size ? radius : size;
    }
    const double length = m->joint->kind == RPS_JOINT_DISTANCE ? rps_vec3_norm(pose->separation) : 0.0;
    rps_vec3 slip = rps_vec3_sub(v[0], v[1]);
    if (length > 0.0) slip = rps_vec3_reject(slip, rps_vec3_scale(pose->separation, 1.0 / length));
    const double between = rps_vec3_norm(slip);
    swing += between * angular + (length > 0.0 ? between * between / length : 0.0);
    m->limit[0] = recovery + h * swing;
    m->limit[1] = recovery / size + h * angular * angular;
    m->size = size;
}

/* Its joints come before it. */
static void make_coupling(const rps_world *world, size_t k, rps_step_joint *all, double (*limit)[2]) {
    const rps_joint *joint = &world->joint[k];
    const size_t first = joint->coupled[0], second = joint->coupled[1];
    const rps_joint *a = &world->joint[first], *b = &world->joint[second];
    rps_step_joint *step = &all[k];
    const bool turns = rps_joint_freedom(a, 0) == RPS_JOINT_TURNS;
    *step = (rps_step_joint){.joint = k, .bound = INFINITY, .axes = all[first].axes};
    for (int side = 0; side < 2; side++) {
        step->slot[side] = all[first].slot[side];
        step->branch[side] = all[first].branch[side];
        step->slot[2 + side] = all[second].slot[side];
        step->branch[2 + side] = all[second].branch[side];
    }
    step->other_turns = rps_joint_freedom(b, 0) == RPS_JOINT_TURNS;
    step->other = rps_vec3_scale(all[second].along[0], -joint->ratio);
    step->row[step->rows++] =
        (rps_step_joint_row){.part = RPS_ROW_HELD,
                             .turns = turns,
                             .along = all[first].along[0],
                             .error = a->memory.position[0] - joint->ratio * b->memory.position[0],
                             .low = -INFINITY,
                             .high = INFINITY};
    limit[k][turns] = limit[first][turns] + fabs(joint->ratio) * limit[second][step->other_turns];
    limit[k][!turns] = limit[first][!turns];
}

static void make_joint(const rps_world *world, const rps_nonsmooth *ns, size_t k, rps_step_joint *step,
                       double limit[2]) {
    const rps_joint *joint = &world->joint[k];
    joint_pose pose;
    *step = (rps_step_joint){.joint = k, .bound = INFINITY, .slot = {0, 0, UINT32_MAX, UINT32_MAX}};
    nonsmooth_joints_look(world, joint, &pose);
    for (int side = 0; side < 2; side++) {
        const bool is_world = joint->body[side] == RPS_JOINT_WORLD;
        step->slot[side] = is_world ? UINT32_MAX : (uint32_t)world->bodies.slot_of[joint->body[side]];
        step->branch[side] = pose.branch[side];
    }
    /* one point for both: that of the first body */
    if (joint->kind != RPS_JOINT_DISTANCE) step->branch[1] = rps_vec3_add(pose.branch[1], pose.separation);
    step->axes = pose.q[1];
    for (int c = 0; c < RPS_JOINT_COORDINATES; c++) step->along[c] = coordinate_axis(joint, &pose, c);
    row_maker m = {world, ns, joint, step, {0.0, 0.0}, 0.0};
    set_limits(&m, &pose);
    add_rows(&m, &pose);
    limit[0] = m.limit[0];
    limit[1] = m.limit[1];
}

static uint32_t nonsmooth_joints_root_of(uint32_t *parent, uint32_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static uint32_t side_node(const rps_nonsmooth *ns, const rps_step_joint *step, int side) {
    const uint32_t slot = step->slot[side];
    return slot == UINT32_MAX ? RPS_CONE_NO_NODE : ((const uint32_t *)ns->node_of.p)[slot];
}

/* A node of the joint: the first body, or the next that is one. */
static uint32_t any_node(const rps_nonsmooth *ns, const rps_step_joint *step) {
    const uint32_t a = side_node(ns, step, 0);
    return a != RPS_CONE_NO_NODE ? a : side_node(ns, step, 1);
}

/* Finds the islands (connected sets of nodes): the lowest node represents its island. */
static void group_nodes(rps_nonsmooth *ns, size_t joints) {
    const rps_step_joint *step = ns->joint.p;
    uint32_t *group = ns->group.p;
    for (uint32_t k = 0; k < ns->nodes; k++) group[k] = k;
    for (size_t k = 0; k < joints; k++) {
        const uint32_t mine = any_node(ns, &step[k]);
        for (int side = 1; side < 4; side++) {
            const uint32_t node = side_node(ns, &step[k], side);
            if (node == RPS_CONE_NO_NODE) continue;
            const uint32_t a = nonsmooth_joints_root_of(group, mine), b = nonsmooth_joints_root_of(group, node);
            if (a < b) group[b] = a;
            if (b < a) group[a] = b;
        }
    }
    for (uint32_t k = 0; k < ns->nodes; k++) group[k] = nonsmooth_joints_root_of(group, k);
}

/* Fraction of its error that each island corrects in this step. */
static void slow_down(const rps_world *world, rps_nonsmooth *ns) {
    const uint32_t *group = ns->group.p;
    double *part = ns->relaxation.p;
    const double(*limit)[2] = ns->limit.p;
    for (size_t k = 0; k < ns->nodes; k++) part[k] = 1.0;
    for (size_t k = 0; k < world->joints; k++) {
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        double *mine = &part[group[any_node(ns, step)]];
        for (int r = 0; r < step->rows; r++) {
            const double speed = fabs(step->row[r].error) / world->step, most = limit[k][step->row[r].turns];
            if (speed * *mine > most) *mine = most / speed;
        }
    }
}

/* Puts the derivative of the row in the velocities of each node into the row of the solver. A node that is on several sides gets
 * one. */
static void put_row_sides(const rps_nonsmooth *ns, const rps_step_joint *step, const rps_step_joint_row *row,
                          rps_cone_joint_row *out) {
    int sides = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t node = side_node(ns, step, k);
        const bool pair = k >= 2, turns = pair ? step->other_turns : row->turns;
        if (node == RPS_CONE_NO_NODE) continue;
        int at = 0;
        while (at < sides && out->node[at] != node) at++;
        if (at == sides) out->node[sides++] = node;
        const rps_vec3 d = rps_vec3_scale(pair ? step->other : row->along, k % 2 == 0 ? 1.0 : -1.0);
        const rps_vec3 turn = turns ? d : rps_vec3_cross(step->branch[k], d);
        const rps_vec3 about = pair ? turn : rps_vec3_add_scaled(turn, row->twist, d);
        double *j = out->jacobian[at];
        if (!turns) rps_vec3_put(j, rps_vec3_add(rps_vec3_of(j), d));
        rps_vec3_put(j + 3, rps_vec3_add(rps_vec3_of(j + 3), about));
    }
    for (int k = sides; k < 2; k++) out->node[k] = RPS_CONE_NO_NODE;
    out->more = sides > 2 ? sides - 2 : 0;
}

static void nonsmooth_joints_write_rows(const rps_world *world, rps_nonsmooth *ns, rps_step_joint *step, size_t first) {
    const rps_joint *joint = &world->joint[step->joint];
    const double relaxation = ((const double *)ns->relaxation.p)[((const uint32_t *)ns->group.p)[any_node(ns, step)]];
    rps_twist wall[4];
    step->first = first;
    for (int k = 0; k < 4; k++) {
        const bool moves = side_node(ns, step, k) != RPS_CONE_NO_NODE;
        wall[k] = moves ? (rps_twist){{0.0}, {0.0}} : twist_of(ns->after.p, step->slot[k]);
    }
    for (int r = 0; r < step->rows; r++) {
        const rps_step_joint_row *row = &step->row[r];
        rps_cone_joint_row *out = (rps_cone_joint_row *)ns->row.p + first + r;
        *out = (rps_cone_joint_row){.joint = (uint32_t)(ns->locks + step->joint),
                                    .compliance = row->compliance,
                                    .low = row->low,
                                    .high = row->high};
        put_row_sides(ns, step, row, out);
        out->bias = row_velocity(row, step, wall) + relaxation * row->error / world->step + row->bias;
        if (row->part == RPS_ROW_DRIVEN) out->bias -= step->speed;
        const double *memory = joint->memory.impulse;
        double start = memory[row->memory];
        if (row->part == RPS_ROW_FRICTION && joint->kind == RPS_JOINT_BALL) {
            start = rps_vec3_dot(rps_quat_rotate(step->axes, rps_vec3_of(memory + 3)), row->along);
        }
        ((double *)ns->row_impulse.p)[first + r] = start;
    }
}

/* Adds a load of a joint to its two bodies; `from`: those of side 0, or of a coupling's second joint, 2. */
static void joint_push(const rps_step_joint *step, int from, rps_vec3 force, rps_vec3 couple, rps_twist *load) {
    for (int side = from; side < from + 2; side++) {
        if (step->slot[side] == UINT32_MAX) continue;
        rps_twist *to = &load[step->slot[side]];
        const rps_vec3 torque = rps_vec3_add(rps_vec3_cross(step->branch[side], force), couple);
        const double sign = side == from ? 1.0 : -1.0;
        rps_vec3_put(to->v, rps_vec3_add_scaled(rps_vec3_of(to->v), sign, force));
        rps_vec3_put(to->w, rps_vec3_add_scaled(rps_vec3_of(to->w), sign, torque));
    }
}

rps_status rps_nonsmooth_joints(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const size_t joints = world->joints;
    ns->locks = ns->rows;
    if (joints == 0) return RPS_OK;
    RPS_TRY(rps_scratch_fit(world, &ns->joint, joints, sizeof(rps_step_joint), err));
    RPS_TRY(rps_scratch_fit(world, &ns->joint_load, world->bodies.count, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->group, ns->nodes, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->relaxation, ns->nodes, sizeof(double), err));
    RPS_TRY(rps_scratch_fit(world, &ns->limit, joints, 2 * sizeof(double), err));
    rps_step_joint *step = ns->joint.p;
    double(*limit)[2] = ns->limit.p;
    memset(ns->joint_load.p, 0, world->bodies.count * sizeof(rps_twist));
    for (size_t k = 0; k < joints; k++) {
        if (world->joint[k].kind == RPS_JOINT_COUPLING) {
            make_coupling(world, k, step, limit);
        } else {
            make_joint(world, ns, k, &step[k], limit[k]);
        }
        joint_push(&step[k], 0, step[k].load[0], step[k].load[1], ns->joint_load.p);
    }
    group_nodes(ns, joints);
    slow_down(world, ns);
    for (size_t k = 0; k < joints; k++) {
        nonsmooth_joints_write_rows(world, ns, &step[k], ns->rows);
        ns->rows += (size_t)step[k].rows;
    }
    return RPS_OK;
}

/* --- loads and energies --------------------------------------------------------------------------------------------- */

void rps_nonsmooth_joint_loads(const rps_world *world, rps_nonsmooth *ns, rps_joint *joint) {
    if (world->joints == 0) return;
    rps_twist *load = ns->joint_load.p;
    memset(load, 0, world->bodies.count * sizeof *load);
    const double rate = 1.0 / world->step;
    for (size_t k = 0; k < world->joints; k++) {
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        const double *g = (const double *)ns->row_impulse.p + step->first;
        rps_vec3 force = step->load[0], couple = step->load[1];
        for (int r = 0; r < step->rows; r++) {
            const rps_step_joint_row *row = &step->row[r];
            rps_vec3 *to = row->turns ? &couple : &force;
            *to = rps_vec3_add_scaled(*to, rate * g[r], row->along);
            if (row->twist != 0.0) couple = rps_vec3_add_scaled(couple, rate * g[r] * row->twist, row->along);
        }
        rps_joint_memory *memory = &joint[k].memory;
        rps_vec3_put(memory->force, rps_vec3_flush(force));
        rps_vec3_put(memory->torque, rps_vec3_flush(couple));
        joint_push(step, 0, force, couple, load);
        if (world->joint[k].kind != RPS_JOINT_COUPLING) continue;
        const rps_vec3 other = rps_vec3_scale(step->other, rate * g[0]), none = rps_vec3_zero();
        joint_push(step, 2, step->other_turns ? none : other, step->other_turns ? other : none, load);
    }
}

static void nonsmooth_joints_remember(rps_joint *joint, const rps_step_joint *step, const double *g) {
    double *memory = joint->memory.impulse;
    rps_vec3 rub = rps_vec3_zero();
    for (int r = 0; r < RPS_JOINT_IMPULSES; r++) memory[r] = 0.0;
    for (int r = 0; r < step->rows; r++) {
        const rps_step_joint_row *row = &step->row[r];
        if (row->part == RPS_ROW_FRICTION && joint->kind == RPS_JOINT_BALL) {
            rub = rps_vec3_add_scaled(rub, g[r], row->along);
        } else {
            memory[row->memory] += g[r];
        }
    }
    if (joint->kind == RPS_JOINT_BALL)
        rps_vec3_put(memory + 3, rps_vec3_flush(rps_quat_rotate_inverse(step->axes, rub)));
}

/* J, by which the energy of the springs grows in the step. */
static double spring_gain(const rps_joint *joint, const rps_step_joint *step, const rps_twist old[4],
                          const rps_twist now[4], double half) {
    double gain = 0.0;
    for (int k = 0; k < rps_joint_free_coordinates(joint); k++) {
        if (!rps_joint_is_sprung(&joint->ends[k])) continue;
        const rps_step_joint_row row = {.turns = rps_joint_freedom(joint, k) == RPS_JOINT_TURNS,
                                        .along = step->along[k]};
        const double q = joint->memory.position[k];
        gain += rps_joint_spring_energy(&joint->ends[k], q + half * pair_velocity(&row, step, now)) -
                rps_joint_spring_energy(&joint->ends[k], q - half * pair_velocity(&row, step, old));
    }
    return gain;
}

static bool is_sprung(const rps_joint *joint) {
    bool sprung = false;
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) sprung = sprung || rps_joint_is_sprung(&joint->ends[k]);
    return sprung;
}

/* J, of the loads that are no rows. */
static double load_work(const rps_step_joint *step, const rps_twist old[4], const rps_twist now[4], double h) {
    double work = 0.0;
    for (int turns = 0; turns < 2; turns++) {
        const rps_step_joint_row load = {.turns = turns == 1, .along = step->load[turns]};
        work += 0.5 * h * (pair_velocity(&load, step, old) + pair_velocity(&load, step, now));
    }
    return work;
}

void rps_nonsmooth_joint_accounts(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies,
                                  rps_joint *joint) {
    for (size_t k = 0; k < world->joints; k++) {
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        const double *g = (const double *)ns->row_impulse.p + step->first;
        rps_twist old[4], now[4];
        double lost = 0.0, rubbed = 0.0, driven = 0.0;
        const bool sprung = is_sprung(&joint[k]);
        twists_of(ns->before.p, step, old);
        twists_of(ns->after.p, step, now);
        for (int r = 0; r < step->rows; r++) {
            const rps_step_joint_row *row = &step->row[r];
            const double work = g[r] * (0.5 * (row_velocity(row, step, old) + row_velocity(row, step, now)));
            const bool slips = fabs(g[r]) >= step->bound; /* the speed is not reached */
            const double given = row->part != RPS_ROW_DRIVEN ? 0.0 : slips ? work : g[r] * step->speed;
            if (row->part == RPS_ROW_FRICTION) {
                rubbed -= work;
            } else {
                lost += given - work;
            }
            driven += given;
        }
        const double given = load_work(step, old, now, world->step);
        if (sprung) lost -= given + spring_gain(&joint[k], step, old, now, 0.5 * world->step);
        if (!sprung) driven += given;
        const size_t on = step->slot[step->slot[0] == UINT32_MAX];
        if (world->options.ledger) {
            double *dissipated = bodies->dissipated[on];
            dissipated[RPS_ACCOUNT_DAMPING] = rps_flush(dissipated[RPS_ACCOUNT_DAMPING] + lost);
            dissipated[RPS_ACCOUNT_SLIDE] = rps_flush(dissipated[RPS_ACCOUNT_SLIDE] + rubbed);
        }
        double *work = bodies->load[on].work;
        *work = rps_flush(*work + driven);
        joint[k].memory.dissipated = rps_flush(joint[k].memory.dissipated + rubbed);
        nonsmooth_joints_remember(&joint[k], step, g);
    }
}

/* Its joints come before it. */
static void coupling_results(const rps_joint *joints, rps_joint *joint) {
    const rps_joint_memory *a = &joints[joint->coupled[0]].memory, *b = &joints[joint->coupled[1]].memory;
    joint->memory.error = rps_flush(fabs(a->position[0] - joint->ratio * b->position[0]));
    memcpy(joint->memory.point, a->point, sizeof a->point);
}

/* --- results -------------------------------------------------------------------------------------------------------- */

void rps_nonsmooth_joint_results(const rps_world *world, const rps_nonsmooth *ns, rps_joint *joints) {
    for (size_t k = 0; k < world->joints; k++) {
        rps_joint *joint = &joints[k];
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        joint_pose pose;
        if (joint->kind == RPS_JOINT_COUPLING) {
            coupling_results(joints, joint);
            continue;
        }
        nonsmooth_joints_look(world, joint, &pose);
        joint->memory.error = rps_flush(point_error(joint, &pose));
        rps_vec3_put(joint->memory.point, rps_vec3_flush(rps_vec3_add(pose.x[0], pose.branch[0])));
        const rps_twist a = twist_of(ns->after.p, step->slot[0]), b = twist_of(ns->after.p, step->slot[1]);
        const bool line = joint->kind == RPS_JOINT_DISTANCE;
        const rps_vec3 branch = line ? pose.branch[1] : rps_vec3_add(pose.branch[1], pose.separation);
        const rps_vec3 v = rps_vec3_sub(speed_at(&a, pose.branch[0]), speed_at(&b, branch));
        const rps_vec3 w = rps_vec3_sub(rps_vec3_of(a.w), rps_vec3_of(b.w));
        double stored = 0.0;
        for (int c = 0; c < RPS_JOINT_COORDINATES; c++) {
            const rps_joint_free motion = rps_joint_freedom(joint, c);
            if (motion == RPS_JOINT_HELD) break;
            const rps_vec3 along = line ? line_of(&pose) : coordinate_axis(joint, &pose, c);
            const double position = coordinate_now(joint, &pose, c);
            const double speed = rps_vec3_dot(motion == RPS_JOINT_SLIDES ? v : w, along);
            stored += rps_joint_spring_energy(&joint->ends[c], position - 0.5 * world->step * speed);
            joint->memory.position[c] = rps_flush(position);
            joint->memory.speed[c] = rps_flush(speed);
        }
        joint->memory.stored = rps_flush(stored);
    }
}
