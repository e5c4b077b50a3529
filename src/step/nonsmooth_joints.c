/*
 * Rows of joints, in a step of either stepper. Loads, energies and results are in nonsmooth_joint_books.c. The rules below are those
 * of the nonsmooth stepper; penalty_joints.c tells how the penalty stepper takes the same rows in two passes.
 *
 * Both bodies are held at one point, that of the first body, so that angular momentum is kept; a distance acts along
 * the line of its two points. A row of a held direction has the bias error/h, which corrects an error within the
 * step, but no faster than the recovery speed plus the error that the rotation of the step itself opens. Rows coupled
 * through joints and free bodies are slowed down together, so that consistent rows stay consistent. A driven row has
 * the mean speed of the prescribed motion in the step, or the commanded speed, then perhaps with bounds; friction is a
 * row with bounds. A commanded load has no row: it is added to the velocities from which the solver begins.
 *
 * A stop is a row that only pushes. Like a contact, it lets its bodies come exactly to the stop within the step, or, if they
 * would meet it faster than the impact speed, turns them back in this step (Newton's rule).
 *
 * A spring has its load at the middle of the two half steps around the present position, q + h (u_new - u_old)/4, so that its
 * energy there, k (q + h u/2 - rest)^2/2, changes by exactly the work of its impulse. With a table it has the mean of the load
 * between these two positions, linear in the new speed; a corner of the table leaves a rest, which is booked as damping. A
 * damper has the mean of both speeds, or where it would turn the motion around within a step, one nearer to the new. The load
 * at u_new = u_old is added as a commanded one is, and a compliant row has the rest. So the row is small, and the tolerance
 * does not see the energy in springs. The penalty stepper takes the load of a spring where the bodies are; a step that is too long for that
 * is refused.
 *
 * A coupling of two joints is one row: the rate of the first one's coordinate less ratio times that of the second. It has the sides of
 * both joints, and a body that takes part in both is one side.
 */
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/elementary.h"
#include "step/joint_pose.h"
#include "step/joint_sides.h"
#include "step/joint_spring.h"
#include "step/nonsmooth.h"

static const double NO_ROW = 1e-18; /* change of a velocity by the row of a spring, relative: less is rounding */
static const double STIFF = 1.0;    /* (step times circular frequency)^2 of a spring; 4 is the limit of stability */
static const double STILL = 1e-6;   /* rad in a step: slower rotation of a ball joint has no reliable direction */

static bool is_over_at(const rps_joint_motion *m, double time) {
    return m->until >= m->from && time >= m->until;
}

/* m or rad, after `time` s. */
static double nonsmooth_joints_prescribed(const rps_joint_motion *m, double time) {
    const bool over = is_over_at(m, time);
    const double t = time < m->from ? 0.0 : (over ? m->until : time) - m->from;
    double sine, sine0, cosine;
    rps_sincos(2.0 * RPS_PI * m->frequency * t + m->phase, &sine, &cosine);
    rps_sincos(m->phase, &sine0, &cosine);
    return m->speed * t + m->amplitude * (sine - sine0);
}

/* m/s or rad/s */
static double prescribed_speed(const rps_joint_motion *m, double time) {
    double sine, cosine;
    if (time < m->from || is_over_at(m, time)) return 0.0;
    const double rate = 2.0 * RPS_PI * m->frequency;
    rps_sincos(rate * (time - m->from) + m->phase, &sine, &cosine);
    return m->speed + m->amplitude * rate * cosine;
}

typedef struct row_maker {
    const rps_world *world;
    const rps_nonsmooth *ns;
    const rps_joint *joint;
    rps_step_joint *step;
    double limit[2]; /* m/s and rad/s, the largest speeds at which held directions are corrected */
    double size;     /* m, from the axis to the farthest point, about */
    double stiff;    /* largest product of a spring's stiffness, its mobility and the square of the step */
} row_maker;

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
                              .placed = part == RPS_ROW_HELD,
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
        bound_row(nonsmooth_joints_add_row(m, RPS_ROW_FRICTION, turns, along, 0.0, memory), m->ns->kick * friction);
    }
}

static void add_point(row_maker *m, const rps_joint_pose *pose) {
    for (int k = 0; k < 3; k++) {
        const rps_vec3 unit = {k == 0, k == 1, k == 2};
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, unit, rps_vec3_dot(pose->separation, unit), k);
    }
}

/* Friction of a ball joint: one axis along the angular velocity or, while it sticks, along the last load. */
static void add_ball_friction(row_maker *m, const rps_joint_pose *pose) {
    const rps_twist *before = m->ns->before.p;
    const rps_twist a = rps_joint_twist_of(before, m->step->slot[0]), b = rps_joint_twist_of(before, m->step->slot[1]);
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

/* m/s or rad/s, before the step. */
static double speed_before(const row_maker *m, const rps_step_joint_row *row) {
    rps_twist twist[4];
    rps_joint_twists_of(m->ns->before.p, m->step, twist);
    return rps_joint_row_velocity(row, m->step, twist);
}

/* m/s or rad/s, towards a commanded position. */
static double approach_speed(const rps_joint_memory *memory, double h) {
    const double time = memory->time > h ? memory->time : h, away = memory->value - memory->position[0];
    const double loses = memory->deceleration * h; /* in a step */
    double speed = fabs(away) / time;
    if (memory->speed_max > 0.0 && speed > memory->speed_max) speed = memory->speed_max;
    if (loses > 0.0) { /* after a step at this speed v, v - a h has the same relation to the way that is left */
        const double brakes = sqrt(2.0 * memory->deceleration * fabs(away) + 0.25 * loses * loses) - 0.5 * loses;
        if (speed > brakes) speed = brakes;
    }
    return away < 0.0 ? -speed : speed;
}

/* N or N m, that the drive of a motor may give. */
static double largest_load(const rps_joint *joint) {
    const double commanded = joint->memory.load_max;
    return commanded > 0.0 && commanded < joint->load_max ? commanded : joint->load_max;
}

/* The error of a stalled motor has no end, and would slow down all corrections of its island. */
static bool is_placed(const rps_joint *joint) {
    return (rps_motor_control)(int)joint->memory.control == RPS_MOTOR_MOTION && joint->load_max == INFINITY;
}

static void add_drive_row(row_maker *m, const rps_joint_pose *pose) {
    const rps_joint *joint = m->joint;
    const rps_joint_memory *memory = &joint->memory;
    const double h = m->world->step, now = rps_world_time(m->world);
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
        const double start = nonsmooth_joints_prescribed(&joint->motion, now);
        m->step->speed = (nonsmooth_joints_prescribed(&joint->motion, now + h) - start) / h;
        if (m->ns->pass == RPS_PASS_SPEEDS) m->step->speed = prescribed_speed(&joint->motion, now);
        if (is_placed(joint)) error = memory->position[0] - start;
    }
    }
    m->step->bound = m->ns->kick * largest_load(joint);
    rps_step_joint_row *row = nonsmooth_joints_add_row(m, RPS_ROW_DRIVEN, joint->motion.turns, pose->axis[2], error, 5);
    bound_row(row, m->step->bound);
    if (row) row->placed = is_placed(joint);
    /* between the two motions, so that either kick does half of the change */
    const bool approaches = (rps_motor_control)(int)memory->control == RPS_MOTOR_POSITION;
    if (row && approaches && m->ns->pass == RPS_PASS_SPEEDS)
        m->step->speed = 0.5 * (m->step->speed + speed_before(m, row));
}

/* Whether a coordinate is at a stop after motion, or the stop has pushed in this step: then it must not be on its way beyond. */
static bool is_at_stop(const rps_joint *joint, int coordinate, int end) {
    const double inward = end == 0 ? 1.0 : -1.0, limit = joint->ends[coordinate].limits[end];
    return inward * (joint->memory.position[coordinate] - limit) <= 0.0 ||
           inward * joint->memory.impulse[7 + 3 * coordinate] > 0.0;
}

static void add_stops(row_maker *m, bool turns, rps_vec3 along, int coordinate) {
    const rps_joint_ends *ends = &m->joint->ends[coordinate];
    const double position = m->joint->memory.position[coordinate];
    const double h = m->world->step, impact = rps_nonsmooth_impact_speed(m->world) / (turns ? m->size : 1.0);
    const bool speeds = m->ns->pass == RPS_PASS_SPEEDS;
    for (int end = 0; end < 2; end++) {
        if (!(fabs(ends->limits[end]) < INFINITY)) continue;
        if (speeds && !is_at_stop(m->joint, coordinate, end)) continue;
        rps_step_joint_row *row = nonsmooth_joints_add_row(m, RPS_ROW_STOP, turns, along, 0.0, 7 + 3 * coordinate);
        if (!row) return;
        const double inward = end == 0 ? 1.0 : -1.0, u = inward * speed_before(m, row);
        const double gap = inward * (position - ends->limits[end]);
        double least = -gap / h;
        least = least > m->limit[turns] ? m->limit[turns] : least;
        const double rebound = -ends->restitution * u;
        const bool meets = ends->restitution > 0.0 && u < -impact && gap + h * u < 0.0;
        row->bias = speeds ? 0.0 : -inward * (meets && rebound > least ? rebound : least);
        *(end == 0 ? &row->low : &row->high) = 0.0;
    }
}

static void add_spring(row_maker *m, bool turns, rps_vec3 along, int coordinate) {
    const rps_joint_ends *ends = &m->joint->ends[coordinate];
    const bool whole = m->ns->pass == RPS_PASS_STEP;
    const double h = m->ns->kick, d = ends->damping, now = m->joint->memory.position[coordinate];
    if (!rps_joint_is_sprung(ends)) return;
    rps_step_joint_row *row = nonsmooth_joints_add_row(m, RPS_ROW_SPRING, turns, along, 0.0, 8 + 3 * coordinate);
    if (!row) return;
    const double u = speed_before(m, row), moves = mobility(m, row), damped = h * d * moves;
    const double share = damped > 2.0 ? 1.0 - 1.0 / damped : 0.5; /* of the new speed */
    /* from the middle of the last step to that of this one, as far as the present speed leads. A falling line pushes on as it is */
    const double ahead = whole ? 0.5 * h * u : 0.0, from = now - ahead, to = now + ahead;
    const double k = rps_joint_spring_stiffness(ends, from, to), stiff = k * m->world->step * m->world->step * moves;
    if (!whole && stiff > m->stiff) m->stiff = stiff;
    const double resists = h * (whole && k > 0.0 ? 0.25 * h * k + share * d : share * d);
    const double load = rps_joint_spring_mean(ends, from, to) - d * u;
    m->step->load[turns] = rps_vec3_add_scaled(m->step->load[turns], load, along);
    row->bias = -u;
    row->compliance = 1.0 / resists;
    if (!(resists * moves > NO_ROW)) m->step->rows--;
}

/* Rows of the turning across the axis, so that both axes stay along each other. */
static void add_tilt(row_maker *m, const rps_joint_pose *pose) {
    const rps_vec3 tilt = rps_vec3_cross(pose->axis[2], pose->first[2]);
    for (int k = 0; k < 2; k++) {
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, true, pose->axis[k], rps_vec3_dot(tilt, pose->axis[k]), 3 + k);
    }
}

static void add_turning(row_maker *m, const rps_joint_pose *pose, int memory) {
    const rps_quat q = rps_quat_mul(rps_quat_conjugate(pose->q[1]), pose->q[0]);
    const double twice = q.w < 0.0 ? -2.0 : 2.0, part[3] = {twice * q.x, twice * q.y, twice * q.z};
    for (int k = 0; k < 3; k++) nonsmooth_joints_add_row(m, RPS_ROW_HELD, true, pose->axis[k], part[k], memory + k);
}

static void add_across(row_maker *m, const rps_joint_pose *pose, int from, int to) {
    for (int k = from; k < to; k++) {
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, pose->axis[k], rps_vec3_dot(pose->separation, pose->axis[k]),
                                 k);
    }
}

static void add_lead(row_maker *m, const rps_joint_pose *pose) {
    rps_step_joint_row *row =
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, pose->axis[2], rps_joint_screw_error(m->joint, pose), 2);
    if (row) row->twist = -rps_joint_lead(m->joint);
}

static void add_held(row_maker *m, const rps_joint_pose *pose) {
    const rps_joint *joint = m->joint;
    const bool turns = rps_joint_freedom(joint, 0) == RPS_JOINT_TURNS;
    switch (joint->kind) {
    case RPS_JOINT_DISTANCE:
        nonsmooth_joints_add_row(m, RPS_ROW_HELD, false, rps_joint_line(pose),
                                 rps_vec3_norm(pose->separation) - joint->length, 0);
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

static void add_rows(row_maker *m, const rps_joint_pose *pose) {
    const rps_joint *joint = m->joint;
    add_held(m, pose);
    if (joint->kind == RPS_JOINT_BALL && joint->ends[0].friction > 0.0) add_ball_friction(m, pose);
    if (joint->kind == RPS_JOINT_MOTOR) add_drive_row(m, pose);
    for (int k = 0; k < rps_joint_free_coordinates(joint); k++) {
        const bool turns = rps_joint_freedom(joint, k) == RPS_JOINT_TURNS;
        const rps_vec3 along = rps_joint_coordinate_axis(joint, pose, k);
        add_friction(m, turns, along, k, 6 + 3 * k);
        add_stops(m, turns, along, k);
        add_spring(m, turns, along, k);
    }
}

/* The rows are tangents, so the motion of a step can open a joint by this much; twice as much may be corrected. */
static void set_limits(row_maker *m, const rps_joint_pose *pose) {
    const double h = m->world->step, recovery = m->world->options.nonsmooth.recovery_speed;
    const rps_step_joint *step = m->step;
    double angular = 0.0, swing = 0.0, size = 0.0;
    rps_vec3 v[2];
    for (int k = 0; k < 2; k++) {
        const rps_twist twist = rps_joint_twist_of(m->ns->before.p, step->slot[k]);
        const double w = rps_vec3_norm(rps_vec3_of(twist.w)), rolling_radius = rps_vec3_norm(step->branch[k]);
        v[k] = rps_joint_speed_at(&twist, step->branch[k]);
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

static void place_sides(const rps_world *world, size_t k, rps_step_joint *step, rps_joint_pose *at) {
    const rps_joint *joint = &world->joint[k];
    *step = (rps_step_joint){.joint = k, .bound = INFINITY, .slot = {0, 0, UINT32_MAX, UINT32_MAX}};
    rps_joint_look(world, joint, at);
    const rps_joint_pose pose = *at;
    for (int side = 0; side < 2; side++) {
        const bool is_world = joint->body[side] == RPS_JOINT_WORLD;
        step->slot[side] = is_world ? UINT32_MAX : (uint32_t)world->bodies.slot_of[joint->body[side]];
        step->branch[side] = pose.branch[side];
    }
    /* one point for both: that of the first body */
    if (joint->kind != RPS_JOINT_DISTANCE) step->branch[1] = rps_vec3_add(pose.branch[1], pose.separation);
    step->axes = pose.q[1];
    for (int c = 0; c < RPS_JOINT_COORDINATES; c++) step->along[c] = rps_joint_coordinate_axis(joint, &pose, c);
}

/* Returns how stiff its springs are (row_maker). */
static double make_joint(const rps_world *world, const rps_nonsmooth *ns, size_t k, rps_step_joint *step,
                         double limit[2]) {
    rps_joint_pose pose;
    place_sides(world, k, step, &pose);
    row_maker m = {.world = world, .ns = ns, .joint = &world->joint[k], .step = step};
    set_limits(&m, &pose);
    add_rows(&m, &pose);
    limit[0] = m.limit[0];
    limit[1] = m.limit[1];
    return m.stiff;
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
    const bool speeds = ns->pass == RPS_PASS_SPEEDS;
    const rps_joint *joint = &world->joint[step->joint];
    const double relaxation = ((const double *)ns->relaxation.p)[((const uint32_t *)ns->group.p)[any_node(ns, step)]];
    rps_twist wall[4];
    step->first = first;
    for (int k = 0; k < 4; k++) {
        const bool moves = side_node(ns, step, k) != RPS_CONE_NO_NODE;
        wall[k] = moves ? (rps_twist){{0.0}, {0.0}} : rps_joint_twist_of(ns->after.p, step->slot[k]);
    }
    for (int r = 0; r < step->rows; r++) {
        const rps_step_joint_row *row = &step->row[r];
        rps_cone_joint_row *out = (rps_cone_joint_row *)ns->row.p + first + r;
        *out = (rps_cone_joint_row){.joint = (uint32_t)(ns->locks + step->joint),
                                    .compliance = row->compliance,
                                    .low = row->low,
                                    .high = row->high};
        put_row_sides(ns, step, row, out);
        const double error = speeds ? 0.0 : row->error;
        out->bias = rps_joint_row_velocity(row, step, wall) + relaxation * error / world->step + row->bias;
        if (ns->pass == RPS_PASS_PLACES)
            ((double *)ns->goal.p)[first + r] = row->placed ? (1.0 - relaxation) * error : 0.0;
        if (row->part == RPS_ROW_DRIVEN) out->bias -= step->speed;
        const double *memory = joint->memory.impulse;
        double start = memory[row->memory];
        if (row->part == RPS_ROW_FRICTION && joint->kind == RPS_JOINT_BALL) {
            start = rps_vec3_dot(rps_quat_rotate(step->axes, rps_vec3_of(memory + 3)), row->along);
        }
        ((double *)ns->row_impulse.p)[first + r] = start;
    }
}

/* Of all bodies, or in the penalty stepper of those that joints hold. */
void rps_nonsmooth_clear_joint_loads(const rps_world *world, rps_nonsmooth *ns) {
    rps_twist *load = ns->joint_load.p;
    const uint32_t *member = ns->member.p;
    if (ns->pass == RPS_PASS_STEP) memset(load, 0, world->bodies.count * sizeof *load);
    for (size_t k = 0; k < ns->members; k++) load[member[k]] = (rps_twist){{0.0}, {0.0}};
}

static rps_status refuse_stiff(const rps_world *world, size_t k, double stiff, rps_error *err) {
    const rps_joint *joint = &world->joint[k];
    char who[80];
    rps_snprintf(who, sizeof who, joint->name ? "`%.60s`" : "number %.0s%zu", joint->name ? joint->name : "", k);
    return rps_fail(
        err, RPS_GUARD,
        "the spring of joint %s is too stiff for the step of %g s: its own oscillation needs one of at most "
        "%.3g s\ntake a smaller step or a softer spring, or `stepper: nonsmooth`, which takes any",
        who, world->step, world->step * sqrt(STIFF / stiff));
}

/* Its joints have been looked at. */
static double coupling_error(const rps_world *world, const rps_joint *joint) {
    double at[2];
    for (int k = 0; k < 2; k++) {
        const rps_joint *of = &world->joint[joint->coupled[k]];
        rps_joint_pose pose;
        rps_joint_look(world, of, &pose);
        at[k] = rps_joint_coordinate_now(of, &pose, 0);
    }
    return at[0] - joint->ratio * at[1];
}

/* Errors of the placed rows of a joint at the present poses, as add_held and add_drive_row put them; returns its size (m). */
static double look_at_joint(const rps_world *world, const rps_nonsmooth *ns, size_t k, double error[RPS_JOINT_ROWS]) {
    const rps_joint *joint = &world->joint[k];
    rps_step_joint now;
    rps_joint_pose pose;
    if (joint->kind == RPS_JOINT_COUPLING) {
        error[0] = coupling_error(world, joint);
        return 1.0;
    }
    place_sides(world, k, &now, &pose);
    row_maker m = {.world = world, .ns = ns, .joint = joint, .step = &now};
    set_limits(&m, &pose);
    add_held(&m, &pose);
    for (int r = 0; r < now.rows; r++) error[r] = now.row[r].error;
    if (joint->kind == RPS_JOINT_MOTOR && is_placed(joint)) {
        const double then = rps_world_time(world) + world->step;
        error[now.rows] = rps_joint_coordinate_now(joint, &pose, 0) - nonsmooth_joints_prescribed(&joint->motion, then);
    }
    return m.size + rps_vec3_norm(pose.x[0]) + rps_vec3_norm(pose.x[1]);
}

double rps_nonsmooth_joint_errors(const rps_world *world, const rps_nonsmooth *ns, double *error, size_t *worst) {
    double most = 0.0;
    for (size_t k = 0; k < world->joints; k++) {
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        const double *goal = (const double *)ns->goal.p + step->first;
        double found[RPS_JOINT_ROWS] = {0.0};
        const double size = look_at_joint(world, ns, k, found);
        for (int r = 0, at = 0; r < step->rows; r++) {
            const rps_step_joint_row *row = &step->row[r];
            double *out = &error[step->first + (size_t)r];
            *out = row->placed ? found[at++] - goal[r] : 0.0;
            const double part = fabs(*out) / (row->turns ? 1.0 : size);
            if (part > most || part != part) *worst = k;
            most = rps_nonsmooth_larger(most, part);
        }
    }
    return most;
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
    rps_nonsmooth_clear_joint_loads(world, ns);
    for (size_t k = 0; k < joints; k++) {
        if (world->joint[k].kind == RPS_JOINT_COUPLING) {
            make_coupling(world, k, step, limit);
        } else {
            const double stiff = make_joint(world, ns, k, &step[k], limit[k]);
            if (stiff > STIFF) return refuse_stiff(world, k, stiff, err);
        }
        rps_joint_push(&step[k], 0, step[k].load[0], step[k].load[1], ns->joint_load.p);
    }
    group_nodes(ns, joints);
    slow_down(world, ns);
    for (size_t k = 0; k < joints; k++) {
        nonsmooth_joints_write_rows(world, ns, &step[k], ns->rows);
        ns->rows += (size_t)step[k].rows;
    }
    return RPS_OK;
}
