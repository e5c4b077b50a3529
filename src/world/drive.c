/*
 * Drives as data of the world: checks and defaults, changes while a world runs, and plain numbers for hash and
 * checkpoint. step/drive_motion.c moves the bodies.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/share.h"
#include "world/surface_velocity.h"
#include "world/world_internal.h"

static const double GAIN = 0.02, SPEED_MAX = 0.2, STIFFNESS_MIN = 1e9;
static const double RATE_MAX = 1.0; /* rad/s, of a torque */

static bool drive_is_zero(const double v[3]) {
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

static rps_status drive_check_number(const char *who, const char *what, double x, bool zero, rps_error *err) {
    if (rps_finite(x) && (x > 0.0 || (zero && x == 0.0))) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: %s of its drive is %g; expected a positive number", who, what, x);
}

static rps_status drive_check_finite(const char *who, const char *what, const double v[3], rps_error *err) {
    if (rps_finite3(v)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: %s of its drive is (%g, %g, %g); expected finite numbers", who, what, v[0],
                    v[1], v[2]);
}

static bool drive_is_plane(const rps_world *world, uint64_t id) {
    const size_t slot = rps_world_slot(world, id);
    return slot != SIZE_MAX && rps_body_is_plane(&world->bodies, slot);
}

/* Drive of an id, which may be invalid. */
static const char *drive_name_of(const rps_world *world, uint64_t id, char out[RPS_BODY_NAME]) {
    const size_t slot = rps_world_slot(world, id);
    if (slot != SIZE_MAX) return rps_body_name(world, slot, out, RPS_BODY_NAME);
    snprintf(out, RPS_BODY_NAME, "body %llu", (unsigned long long)id);
    return out;
}

/* Whether a table moves along a direction. 1e-9: as of directions below. */
static bool moves_along(const rps_motion_table *table, rps_vec3 unit) {
    for (size_t row = 0; row + 1 < table->rows; row++) {
        const rps_motion_piece *p = &table->piece[row];
        for (int k = 1; k < 4; k++) {
            const rps_vec3 v = rps_vec3_make(p->power[0][k], p->power[1][k], p->power[2][k]);
            if (fabs(rps_vec3_dot(v, unit)) > 1e-9 * rps_vec3_norm(v)) return true;
        }
    }
    return false;
}

static rps_status check_spans(const rps_world *world, const rps_drive *drive, const char *who, rps_error *err) {
    if (drive->spans < 0 || drive->spans > RPS_DRIVE_SPANS || (drive->spans == 0) == (drive->area == 0.0)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: a pressure needs the area on which it acts: `area`, or one or two pairs of planes in `span`", who);
    }
    for (int k = 0; k < 2 * drive->spans; k++) {
        const uint64_t id = drive->span[k / 2][k % 2];
        if (drive_is_plane(world, id) && drive->span[k / 2][0] != drive->span[k / 2][1]) continue;
        char name[RPS_BODY_NAME];
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: the area of its pressure is spanned by %s, but only the distance of two different planes is "
            "defined; name planes, or give the area",
            who, drive_name_of(world, id, name));
    }
    for (int k = 0; k < 3 && drive->spans; k++) {
        if (world->cell.period[k] > 0.0) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s: planes have no one distance in a world that is periodic along %c; give the area", who,
                            "xyz"[k]);
        }
    }
    return RPS_OK;
}

rps_status rps_drive_take(const rps_world *world, rps_drive *drive, const double normal[3], const char *who,
                          rps_error *err) {
    RPS_TRY(drive_check_finite(who, "the velocity", drive->velocity, err));
    RPS_TRY(drive_check_finite(who, "the angular velocity", drive->angular_velocity, err));
    RPS_TRY(drive_check_finite(who, "the amplitude", drive->amplitude, err));
    RPS_TRY(drive_check_finite(who, "the surface velocity", drive->surface_velocity, err));
    RPS_TRY(drive_check_finite(who, "the turning of the surface", drive->surface_turning, err));
    RPS_TRY(drive_check_finite(who, "the axis of the surface", drive->surface_about, err));
    if (!(rps_finite(drive->frequency) && drive->frequency >= 0.0 && rps_finite(drive->phase))) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: the frequency of its drive must be 0 or positive and finite, its phase finite", who);
    }
    if (!rps_finite(drive->from) || isnan(drive->until)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the times of its drive must be numbers", who);
    }
    if (drive->motion < 0 || (size_t)drive->motion > world->motions) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: it refers to table of motion %d, which does not exist", who,
                        drive->motion);
    }
    if (drive->surface_motion < 0 || (size_t)drive->surface_motion > world->motions) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its surface refers to table of motion %d, which does not exist", who,
                        drive->surface_motion);
    }
    const rps_motion_table *table = rps_drive_table(world, drive);
    if (drive->kind == RPS_DRIVE_MOTION) return RPS_OK;
    if ((int)drive->kind < RPS_DRIVE_MOTION || drive->kind > RPS_DRIVE_TORQUE) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no kind of drive number %d", who, (int)drive->kind);
    }
    RPS_TRY(drive_check_finite(who, "the direction", drive->direction, err));
    const bool turns = drive->kind == RPS_DRIVE_TORQUE, planar = world->options.dimension == 2;
    if (drive_is_zero(drive->direction) && turns && planar) drive->direction[1] = 1.0;
    if (drive_is_zero(drive->direction)) memcpy(drive->direction, normal, sizeof drive->direction);
    if (turns && planar && (drive->direction[0] != 0.0 || drive->direction[2] != 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: in a planar world a torque turns about y; leave out the direction of its drive", who);
    }
    const double *d = drive->direction;
    rps_vec3 unit = rps_vec3_normalize(rps_vec3_make(d[0], d[1], d[2]));
    if (!(rps_vec3_norm2(unit) > 0.5)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its drive needs a direction; only a plane has one by itself", who);
    }
    drive->direction[0] = unit.x, drive->direction[1] = unit.y, drive->direction[2] = unit.z;
    const rps_vec3 v = rps_vec3_make(drive->velocity[0], drive->velocity[1], drive->velocity[2]);
    const rps_vec3 a = rps_vec3_make(drive->amplitude[0], drive->amplitude[1], drive->amplitude[2]);
    if (drive->kind == RPS_DRIVE_MIRROR) {
        if (rps_vec3_norm2(v) == 0.0 && rps_vec3_norm2(a) == 0.0 && !table && drive_is_zero(drive->angular_velocity))
            return RPS_OK;
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: a mirror image moves as its original does, it has no motion of its own", who);
    }
    if (turns && (!drive_is_zero(drive->angular_velocity) || (table && table->turns))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its drive turns it and also seeks a torque; leave one of them out",
                        who);
    }
    /* 1e-9: accuracy of directions given with ten digits */
    if (!turns && (fabs(rps_vec3_dot(v, unit)) > 1e-9 * rps_vec3_norm(v) ||
                   fabs(rps_vec3_dot(a, unit)) > 1e-9 * rps_vec3_norm(a) || (table && moves_along(table, unit)))) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: its drive prescribes a motion along the direction in which it also seeks a load; leave one "
            "of them out",
            who);
    }
    if (drive->gain == 0.0) drive->gain = GAIN;
    if (drive->speed_max == 0.0) drive->speed_max = turns ? RATE_MAX : SPEED_MAX;
    if (drive->stiffness_min == 0.0 && !turns) drive->stiffness_min = STIFFNESS_MIN;
    RPS_TRY(drive_check_number(who, "the gain", drive->gain, false, err));
    if (drive->gain > 1.0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: the gain of its drive is %g, but above 1 every step goes beyond the load that it seeks",
                        who, drive->gain);
    }
    RPS_TRY(drive_check_number(who, "the largest speed", drive->speed_max, false, err));
    RPS_TRY(drive_check_number(who, "the least stiffness", drive->stiffness_min, turns, err));
    RPS_TRY(drive_check_number(who, "the target", drive->target, true, err));
    RPS_TRY(drive_check_number(who, "the area", drive->area, true, err));
    return drive->kind == RPS_DRIVE_PRESSURE ? check_spans(world, drive, who, err) : RPS_OK;
}

bool rps_drives_join(rps_world *world) {
    bool good = true;
    world->servos = world->surfaces = false;
    for (size_t k = 0; k < world->drives; k++) {
        world->driven[k].partner = -1;
        world->driven[k].table = rps_drive_table(world, &world->driven[k].now);
        world->driven[k].surface_table = rps_drive_surface_table(world, &world->driven[k].now);
    }
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state *one = &world->driven[k];
        world->servos = world->servos || one->now.kind != RPS_DRIVE_MOTION;
        world->surfaces = world->surfaces || one->runs;
        if (one->now.kind != RPS_DRIVE_MIRROR) continue;
        const size_t slot = rps_world_slot(world, one->now.mirror);
        const int32_t other = slot == SIZE_MAX ? -1 : world->bodies.drive[slot][0];
        const bool fits = other >= 0 && (size_t)other != k && world->driven[other].partner < 0 &&
                          world->driven[other].now.kind != RPS_DRIVE_MIRROR &&
                          !rps_drive_turns(world, &world->driven[other].now);
        good = good && fits;
        if (!fits) continue;
        one->partner = other;
        world->driven[other].partner = (int64_t)k;
    }
    return good;
}

double rps_plane_distance(const rps_world *world, uint64_t a, uint64_t b) {
    const size_t i = rps_world_slot(world, a), j = rps_world_slot(world, b);
    const double *n = world->bodies.normal[i], *x = world->bodies.pose[i].position, *y = world->bodies.pose[j].position;
    return (n[0] * (y[0] - x[0]) + n[1] * (y[1] - x[1])) + n[2] * (y[2] - x[2]);
}

/* --- changes while a world runs ------------------------------------------------------------------------------------- */

static rps_vec3 where(const rps_world *world, uint64_t body) {
    double x[3];
    rps_world_unwrapped(world, rps_world_slot(world, body), x);
    return rps_vec3_make(x[0], x[1], x[2]);
}

/* Displacements of the drive, or of a mirror image's original, count from the present positions. */
static void begin_here(const rps_world *world, rps_drive_state *driven) {
    driven->start = where(world, driven->body);
    driven->shift = driven->speed = 0.0;
    driven->origin = rps_vec3_zero();
    if (driven->now.kind == RPS_DRIVE_MIRROR) driven->origin = where(world, driven->now.mirror);
}

void rps_drive_state_begin(rps_world *world, size_t index) {
    begin_here(world, &world->driven[index]);
    world->driven[index].made_start = world->driven[index].start;
}

void rps_drive_state_will_servo(rps_world *world, uint64_t id) {
    world->driven[world->bodies.drive[rps_world_slot(world, id)][0]].is_servo = true;
    world->lists_stale = true;
}

void rps_drive_state_will_run(rps_world *world, uint64_t id) {
    world->driven[world->bodies.drive[rps_world_slot(world, id)][0]].runs = true;
    world->surfaces = true;
    world->lists_stale = true;
}

/* Whether contacts of the body remember by how its surface moves: as a plane's do by its turning, and a sphere's. */
static bool has_sphere(const rps_world *world, size_t slot) {
    if (rps_body_is_plane(&world->bodies, slot)) return false;
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece == NULL) return true;
    for (size_t k = 0; k < (size_t)rps_body_piece_count(&world->bodies, slot); k++) {
        if (piece[k].shape == RPS_SHAPE_INDEX(sphere)) return true;
    }
    return false;
}

static rps_status driven_of(const rps_world *world, uint64_t id, size_t *slot, rps_drive_state **driven,
                            rps_error *err) {
    *slot = rps_world_slot(world, id);
    if (*slot == SIZE_MAX || world->bodies.kind[*slot][0] != RPS_BODY_DRIVEN) {
        char name[RPS_BODY_NAME];
        return rps_fail(err, RPS_BAD_INPUT, "%s is not driven, so it cannot get another drive",
                        drive_name_of(world, id, name));
    }
    *driven = &world->driven[world->bodies.drive[*slot][0]];
    return RPS_OK;
}

rps_status rps_drive_state_check(const rps_world *world, uint64_t id, rps_drive *drive, rps_error *err) {
    size_t slot;
    rps_drive_state *driven = NULL;
    char who[RPS_BODY_NAME];
    RPS_TRY(driven_of(world, id, &slot, &driven, err));
    rps_body_name(world, slot, who, sizeof who);
    RPS_TRY(rps_drive_take(world, drive, world->bodies.normal[slot], who, err));
    rps_body_def def = {.drive = *drive, .orientation = {1.0, 0.0, 0.0, 0.0}};
    RPS_TRY(rps_planar_check_motion(world, &def, def.position, who, err));
    if (drive_is_plane(world, id) && drive->kind == RPS_DRIVE_TORQUE) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a torque on a plane has no arm; use a box or a cylinder", who);
    }
    if (drive_is_plane(world, id) && rps_drive_turns(world, drive) != rps_drive_turns(world, &driven->now)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: whether a plane turns cannot change, since its contacts remember by that; use a box or a "
                        "cylinder",
                        who);
    }
    if (drive_is_plane(world, id) &&
        rps_drive_surface_turns(world, drive) != rps_drive_surface_turns(world, &driven->now)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: whether the surface of a plane turns cannot change, since its contacts remember by that; use "
            "a rectangle or a box",
            who);
    }
    if (world->started && rps_drive_runs(drive) && !driven->runs && has_sphere(world, slot)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: the surface of a sphere cannot begin to run in a world that has started, since its contacts "
            "remember by that; give it a surface velocity from the start, or use another shape",
            who);
    }
    const size_t other = rps_world_slot(world, drive->mirror);
    if (drive->kind == RPS_DRIVE_MIRROR &&
        (other == SIZE_MAX || world->bodies.kind[other][0] != RPS_BODY_DRIVEN || other == slot)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its drive mirrors a body that is not driven", who);
    }
    return RPS_OK;
}

rps_status rps_world_set_drive(rps_world *world, uint64_t id, const rps_drive *drive, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(drive);
    RPS_TRY(rps_share_refuse(world, "a new drive", err));
    size_t slot;
    rps_drive_state *driven = NULL;
    rps_drive next = *drive;
    RPS_TRY(rps_drive_state_check(world, id, &next, err));
    RPS_TRY(driven_of(world, id, &slot, &driven, err));
    const double now = rps_world_time(world);
    const rps_drive_state before = *driven;
    if (next.from < now) {
        if (next.until >= next.from && next.until < now) next.until = now; /* over already */
        next.from = now;
    }
    driven->now = next;
    driven->is_servo = driven->is_servo || next.kind != RPS_DRIVE_MOTION;
    driven->runs = driven->runs || rps_drive_runs(&next);
    if (!rps_drives_join(world)) {
        *driven = before;
        rps_drives_join(world);
        char name[RPS_BODY_NAME];
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: its drive mirrors a body that turns, is a mirror image itself or has one already",
                        drive_name_of(world, id, name));
    }
    begin_here(world, driven);
    if (!world->started) {
        driven->initial = driven->now;
        driven->made_start = driven->start;
    }
    world->lists_stale = true;
    return RPS_OK;
}

rps_status rps_world_check_unjoined(const rps_world *world, size_t slot, const char *verb, rps_error *err) {
    const uint64_t id = world->bodies.id[slot][0];
    for (size_t k = 0; k < world->joints; k++) {
        char name[RPS_BODY_NAME];
        if (world->joint[k].body[0] != id && world->joint[k].body[1] != id) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s %s, since joint %zu holds it",
                        rps_body_name(world, slot, name, sizeof name), verb, k);
    }
    return RPS_OK;
}

rps_status rps_world_move_held(rps_world *world, size_t slot, const double position[3], rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    double old[3];
    rps_world_unwrapped(world, slot, old);
    for (int k = 0; k < 3; k++) {
        char name[RPS_BODY_NAME];
        if (world->cell.period[k] > 0.0 && position[k] != old[k]) {
            return rps_fail(err, RPS_BAD_INPUT, "%s cannot be moved along %c, on which the world is periodic",
                            rps_body_name(world, slot, name, sizeof name), "xyz"[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        if (!(world->cell.period[k] > 0.0)) bodies->pose[slot].position[k] = position[k];
    }
    world->lists_stale = true;
    if (bodies->kind[slot][0] != RPS_BODY_DRIVEN) return RPS_OK;
    rps_drive_state *driven = &world->driven[bodies->drive[slot][0]];
    const double now = rps_world_time(world);
    begin_here(world, driven);
    if (driven->now.from < now) { /* a finished motion stays finished */
        const bool ends = driven->now.until >= driven->now.from;
        driven->now.from = now;
        if (ends && driven->now.until < now) driven->now.until = now;
    }
    if (driven->partner >= 0) begin_here(world, &world->driven[driven->partner]);
    return RPS_OK;
}

/* --- as numbers ----------------------------------------------------------------------------------------------------- */

/* Replaces RPS_DRIVE_MOTION for a body that seeks a load in another stage. */
static const double KIND_SEEKS = RPS_DRIVE_TORQUE + 1;

static void drive_pack(const rps_drive *d, rps_vec3 start, rps_vec3 origin, double shift, double speed, bool runs,
                       double power, double out[RPS_DRIVEN_NUMBERS]) {
    const double all[RPS_DRIVEN_NUMBERS] = {d->velocity[0],
                                            d->velocity[1],
                                            d->velocity[2],
                                            d->angular_velocity[0],
                                            d->angular_velocity[1],
                                            d->angular_velocity[2],
                                            d->amplitude[0],
                                            d->amplitude[1],
                                            d->amplitude[2],
                                            d->frequency,
                                            d->phase,
                                            d->from,
                                            d->until,
                                            (double)d->kind,
                                            d->direction[0],
                                            d->direction[1],
                                            d->direction[2],
                                            d->target,
                                            d->area,
                                            (double)d->span[0][0],
                                            (double)d->span[0][1],
                                            (double)d->span[1][0],
                                            (double)d->span[1][1],
                                            (double)d->spans,
                                            (double)d->mirror,
                                            d->gain,
                                            d->speed_max,
                                            d->stiffness_min,
                                            start.x,
                                            start.y,
                                            start.z,
                                            shift,
                                            speed,
                                            origin.x,
                                            origin.y,
                                            origin.z,
                                            d->surface_velocity[0],
                                            d->surface_velocity[1],
                                            d->surface_velocity[2],
                                            d->surface_turning[0],
                                            d->surface_turning[1],
                                            d->surface_turning[2],
                                            d->surface_about[0],
                                            d->surface_about[1],
                                            d->surface_about[2],
                                            runs ? 1.0 : 0.0,
                                            power,
                                            (double)d->motion,
                                            (double)d->surface_motion};
    memcpy(out, all, sizeof all);
}

void rps_drive_state_pack(const rps_drive_state *driven, double out[RPS_DRIVEN_NUMBERS]) {
    drive_pack(&driven->now, driven->start, driven->origin, driven->shift, driven->speed, driven->runs,
               driven->surface_power, out);
    if (driven->is_servo && driven->now.kind == RPS_DRIVE_MOTION) out[13] = KIND_SEEKS;
}

void rps_drive_state_pack_definition(const rps_drive_state *driven, double out[RPS_DRIVEN_NUMBERS]) {
    drive_pack(&driven->initial, driven->made_start, rps_vec3_zero(), 0.0, 0.0, false, 0.0, out);
}

bool rps_drive_state_unpack(rps_drive_state *driven, const double in[RPS_DRIVEN_NUMBERS]) {
    const bool is_servo = in[13] == KIND_SEEKS;
    const double kind = is_servo ? RPS_DRIVE_MOTION : in[13];
    for (int k = 0; k < RPS_DRIVEN_NUMBERS; k++) {
        if (!rps_finite(in[k]) && !(k == 12 && in[k] == INFINITY)) return false;
    }
    for (int k = 19; k < 25; k++) { /* ids and a count */
        if (!(in[k] >= 0.0 && in[k] < 9e15)) return false;
    }
    for (int k = 47; k < 49; k++) {
        if (!(in[k] >= 0.0 && in[k] < INT32_MAX && in[k] == floor(in[k]))) return false;
    }
    if (!(kind >= RPS_DRIVE_MOTION && kind <= RPS_DRIVE_TORQUE && in[23] <= RPS_DRIVE_SPANS)) return false;
    driven->is_servo = is_servo || kind != RPS_DRIVE_MOTION;
    driven->now = (rps_drive){.velocity = {in[0], in[1], in[2]},
                              .angular_velocity = {in[3], in[4], in[5]},
                              .amplitude = {in[6], in[7], in[8]},
                              .frequency = in[9],
                              .phase = in[10],
                              .from = in[11],
                              .until = in[12],
                              .kind = (rps_drive_kind)(int)kind,
                              .direction = {in[14], in[15], in[16]},
                              .target = in[17],
                              .area = in[18],
                              .span = {{(uint64_t)in[19], (uint64_t)in[20]}, {(uint64_t)in[21], (uint64_t)in[22]}},
                              .spans = (int)in[23],
                              .mirror = (uint64_t)in[24],
                              .gain = in[25],
                              .speed_max = in[26],
                              .stiffness_min = in[27],
                              .motion = (int)in[47],
                              .surface_motion = (int)in[48],
                              .surface_velocity = {in[36], in[37], in[38]},
                              .surface_turning = {in[39], in[40], in[41]},
                              .surface_about = {in[42], in[43], in[44]}};
    driven->start = rps_vec3_make(in[28], in[29], in[30]);
    driven->shift = in[31];
    driven->speed = in[32];
    driven->origin = rps_vec3_make(in[33], in[34], in[35]);
    driven->runs = in[45] != 0.0;
    driven->surface_power = in[46];
    return true;
}
