/*
 * Guards stop a run (or warn) when its result would be meaningless, and name the cause, place, bodies and remedy.
 *
 * They cost next to nothing: the motion stage records the largest speed and rotation, the contact loop raises a flag
 * at a deep overlap, and only then is the body at fault sought. The domain, and the stability of contacts that have
 * grown, are checked every few steps. The findings do not depend on slots or threads, and nothing here is state. In a
 * share all processes find the same and stop alike.
 */
#include <math.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "detect/gap_table.h"
#include "detect/pair_sheet.h"
#include "step/guard_alarm.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/share.h"

enum {
    LOOK_STEPS = RPS_GUARD_LOOK_STEPS, /* between checks of the domain and of the estimated stability limit */
    BODY_STEPS = 200 /* between checks of the bodies with all their contacts; the first is at LOOK_STEPS */
};
static const double FAR = 1e6;       /* in sizes of the initial scene; farther away, rounding shows in the overlaps */
static const double ROUNDING = 1e-9; /* a step set to the limit itself is below it */

/* --- motion --------------------------------------------------------------------------------------------------------- */

static bool moves_by_numbers(const rps_bodies *bodies, size_t s) {
    const double *x = bodies->pose[s].position, *v = bodies->motion[s].velocity;
    const double *w = bodies->motion[s].angular_velocity;
    const double place = (x[0] + x[1]) + x[2], speed2 = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
    const double rotation2 = (w[0] * w[0] + w[1] * w[1]) + w[2] * w[2], sum = (place + speed2) + rotation2;
    return sum - sum == 0.0;
}

static rps_status not_a_number(const rps_world *world, rps_guard_state *guard, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    size_t s = SIZE_MAX;
    for (uint64_t id = 0, slot; s == SIZE_MAX && rps_bodies_next(bodies, &id, &slot); id++) {
        if (rps_share_counts_body(world->share, slot) && !moves_by_numbers(bodies, slot)) s = slot;
    }
    const rps_culprits found = rps_culprits_find(world, s != SIZE_MAX ? 1.0 : -INFINITY, s, SIZE_MAX);
    if (found.gid[0] == UINT64_MAX) {
        return rps_fail(err, RPS_INTERNAL, "a speed is not a number, but no body has one at fault");
    }
    char name[RPS_BODY_NAME], where[96];
    rps_culprits_name(guard, &found);
    guard->stopped = RPS_GUARD_NUMBER;
    if (!found.here) return rps_guard_stopped_elsewhere(world, "not-a-number", &found, err);
    return rps_fail(err, RPS_GUARD,
                    "guard `not-a-number`: the position or the speed of %s at %s is no finite number; at t = %.9g s "
                    "(step %llu)\nthe step of %g s is probably too large for the stiffness: choose a smaller "
                    "one, as `run: {step: auto}` does",
                    rps_body_name(world, s, name, sizeof name), rps_guard_position(world, s, where, sizeof where),
                    rps_world_time(world), (unsigned long long)world->steps, world->step);
}

/* The body that moves (or rotates) fastest; on a tie, the one with the lowest id. For bodies with pieces the fastest
 * point counts, as in the motion stage. */
static rps_culprits fastest_body(const rps_world *world, bool angular) {
    const rps_bodies *bodies = &world->bodies;
    size_t found = 0;
    double most = -1.0;
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        const double *v = angular ? bodies->motion[s].angular_velocity : bodies->motion[s].velocity;
        double v2 = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
        if (!angular && rps_body_has_pieces(bodies, s)) {
            const double *w = bodies->motion[s].angular_velocity;
            const double rotation2 = (w[0] * w[0] + w[1] * w[1]) + w[2] * w[2];
            const double speed = sqrt(v2) + bodies->pose[s].radius[0] * sqrt(rotation2);
            v2 = speed * speed;
        }
        const bool counts = rps_share_counts_body(world->share, s);
        if (counts && bodies->kind[s][0] != RPS_BODY_FIXED && v2 > most) {
            most = v2;
            found = s;
        }
    }
    return rps_culprits_find(world, most, found, SIZE_MAX);
}

static rps_status check_period(const rps_world *world, rps_guard_state *guard, rps_error *err) {
    const double shift = world->moved.speed * world->step;
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        if (period > 0.0 && shift > 0.5 * period) {
            char name[RPS_BODY_NAME], where[96];
            const rps_culprits found = fastest_body(world, false);
            const size_t s = found.slot;
            rps_culprits_name(guard, &found);
            guard->stopped = RPS_GUARD_MOTION;
            if (!found.here) return rps_guard_stopped_elsewhere(world, rps_guard_key[RPS_GUARD_MOTION], &found, err);
            return rps_fail(
                err, RPS_GUARD,
                "guard `motion`: %s at %s moves by %.4g m in a step, more than half the period of %g m along "
                "%c; at t = %.9g s (step %llu)\nchoose a smaller step, or find out why the body is so fast",
                rps_body_name(world, s, name, sizeof name), rps_guard_position(world, s, where, sizeof where), shift,
                period, "xyz"[k], rps_world_time(world), (unsigned long long)world -> steps);
        }
    }
    return RPS_OK;
}

rps_status rps_guard_motion(rps_world *world, rps_error *err) {
    const rps_guards *guards = &world->options.guards;
    char name[RPS_BODY_NAME], where[96];
    if (!(world->moved.speed - world->moved.speed == 0.0) || !(world->moved.rotation - world->moved.rotation == 0.0)) {
        return not_a_number(world, &world->guard, err);
    }
    RPS_TRY(check_period(world, &world->guard, err));
    if (!(world->guard.overlap > 0.0)) { /* the state of this world was read from a file */
        rps_guard_arm(world, &world->guard);
    }
    const double moved = world->moved.speed * world->step, allowed = guards->motion * world->moved.smallest_radius;
    if (moved > world->guard.motion * allowed) {
        const rps_culprits found = fastest_body(world, false);
        const size_t s = found.slot;
        rps_culprits_name(&world->guard, &found);
        if (!found.here)
            return rps_guard_alarm_elsewhere(world, &world->guard, RPS_GUARD_MOTION, moved / allowed, &found, err);
        return rps_guard_alarm(
            world, &world->guard, RPS_GUARD_MOTION, moved / allowed, err,
            "choose a smaller step, find out why the body is so fast, or allow it by `guards: {motion: ...}`",
            "%s at %s moves at %.4g m/s, in a step by %.3g of the smallest radius; %.3g is allowed",
            rps_body_name(world, s, name, sizeof name), rps_guard_position(world, s, where, sizeof where),
            world->moved.speed, moved / world->moved.smallest_radius, guards->motion);
    }
    if (world->moved.rotation > world->guard.motion * guards->rotation) {
        const rps_culprits found = fastest_body(world, true);
        const size_t s = found.slot;
        rps_culprits_name(&world->guard, &found);
        if (!found.here) {
            return rps_guard_alarm_elsewhere(world, &world->guard, RPS_GUARD_MOTION,
                                             world->moved.rotation / guards->rotation, &found, err);
        }
        return rps_guard_alarm(
            world, &world->guard, RPS_GUARD_MOTION, world->moved.rotation / guards->rotation, err,
            "choose a smaller step, find out why the body turns so fast, or allow it by "
            "`guards: {rotation: ...}`",
            "%s at %s turns by %.3g rad in a step; %.3g rad is allowed", rps_body_name(world, s, name, sizeof name),
            rps_guard_position(world, s, where, sizeof where), world->moved.rotation, guards->rotation);
    }
    return RPS_OK;
}

/* --- contacts ------------------------------------------------------------------------------------------------------- */

/* The contacts to examine: all, those with planes, or those of shapes deeper than their geometry is valid for. */
typedef enum which { ALL, PLANES, INVALID } which;

static bool is_invalid(const rps_world *world, const rps_segment *segment, size_t c, double overlap) {
    return segment->subkey &&
           rps_pair_is_deep(world, segment->slot_i[c], segment->slot_j[c], segment->subkey[c], overlap);
}

/* The deepest contact by overlap over the smaller radius, or half of the smallest width; on a tie, the one with the
 * lowest ids. Its slot is that of a sphere, the smaller of two. */
static rps_culprits find_deepest(const rps_world *world, which sought) {
    const rps_bodies *bodies = &world->bodies;
    double most = 0.0;
    size_t ball = 0, other = 0;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        const double *overlap = rps_segment_lane(segment, pair->layout[segment->record].overlap);
        for (size_t c = 0; c < segment->count && !pair->law[RPS_ROLE_NORMAL]->rigid_geometry; c++) {
            const size_t i = segment->slot_i[c], j = segment->slot_j[c];
            if (!rps_share_counts(world->share, i)) continue;
            const double r_i = rps_body_half_width(world, i), r_j = rps_body_half_width(world, j);
            const bool plane = !(r_i > 0.0) || !(r_j > 0.0);
            const bool take_i = r_i > 0.0 && (!(r_j > 0.0) || r_i <= r_j);
            const double relative = overlap[c] / (take_i ? r_i : r_j);
            const bool pieces = rps_body_has_pieces(bodies, i) || rps_body_has_pieces(bodies, j);
            if ((sought == PLANES && !plane) || (sought == INVALID && !(pieces && overlap[c] > 0.0)) ||
                (sought == INVALID && !is_invalid(world, segment, c, overlap[c]))) {
                continue;
            }
            const size_t this = take_i ? i : j, with = take_i ? j : i;
            const uint64_t a = bodies->id[this][0], b = bodies->id[ball][0];
            const uint64_t a2 = bodies->id[with][0], b2 = bodies->id[other][0];
            if (relative > most || (relative == most && (a < b || (a == b && a2 < b2)))) {
                most = relative;
                ball = this;
                other = with;
            }
        }
    }
    return rps_culprits_find(world, most, ball, other);
}

/* Spheres with coinciding centres, to rounding, have no normal, and the force would be NaN. No guard setting allows
 * this. The test uses the overlap, because the nonsmooth stepper has moved the bodies since. */
static rps_status check_centres(const rps_world *world, rps_guard_state *guard, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    size_t first = SIZE_MAX, second = SIZE_MAX;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
        const double *overlap = rps_segment_lane(segment, layout->overlap);
        for (size_t c = 0; c < segment->count; c++) {
            const size_t i = segment->slot_i[c], j = segment->slot_j[c];
            const double r_i = bodies->pose[i].radius[0], r_j = bodies->pose[j].radius[0];
            const bool pieces = rps_body_has_pieces(bodies, i) || rps_body_has_pieces(bodies, j);
            if (pieces || !(r_i > 0.0 && r_j > 0.0) || overlap[c] < r_i + r_j) continue;
            if (!rps_share_counts(world->share, i)) continue;
            const bool in_order = bodies->id[i][0] < bodies->id[j][0];
            const size_t a = in_order ? i : j, b = in_order ? j : i;
            const bool lower = first == SIZE_MAX || bodies->id[a][0] < bodies->id[first][0] ||
                               (a == first && bodies->id[b][0] < bodies->id[second][0]);
            if (!lower) continue;
            first = a;
            second = b;
        }
    }
    const rps_culprits found = rps_culprits_find(world, first != SIZE_MAX ? 1.0 : -INFINITY, first, second);
    if (found.gid[0] == UINT64_MAX) return RPS_OK;
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME], where[96];
    rps_culprits_name(guard, &found);
    guard->stopped = RPS_GUARD_NUMBER;
    if (!found.here) return rps_guard_stopped_elsewhere(world, "not-a-number", &found, err);
    return rps_fail(err, RPS_GUARD,
                    "guard `not-a-number`: %s and %s have the same centre, %s, so that their contact has no direction; "
                    "at t = %.9g s (step %llu)\nmove them apart, or keep one from acting on the other by `exclude`",
                    rps_body_name(world, first, a, sizeof a), rps_body_name(world, second, b, sizeof b),
                    rps_guard_position(world, first, where, sizeof where), rps_world_time(world),
                    (unsigned long long)world->steps);
}

/* A ball that fits a wall nearly all around has no point of contact. No guard setting allows this. The worst by
 * conformity; on a tie, the one with the lowest ids. */
static rps_status check_conformal(const rps_world *world, rps_guard_state *guard, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    double most = 0.0;
    size_t first = SIZE_MAX, second = SIZE_MAX;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const double *overlap =
            rps_segment_lane(segment, world->pair_setup[segment->pair].layout[segment->record].overlap);
        for (size_t c = 0; c < segment->count && segment->subkey; c++) {
            const size_t i = segment->slot_i[c], j = segment->slot_j[c];
            const bool wall = rps_body_has_sheets(world, i) || rps_body_has_sheets(world, j);
            rps_touch t;
            if (!wall || !(overlap[c] >= 0.0) || !rps_share_counts(world->share, i)) continue;
            if (rps_pair_touch(world, i, j, segment->subkey[c], INFINITY, NULL, &t) == RPS_TOUCH_APART) continue;
            if (t.conformity < RPS_SHEET_CONFORMAL || t.conformity < most) continue;
            const uint64_t a = bodies->id[i][0], b = bodies->id[j][0];
            const bool tie = t.conformity == most && first != SIZE_MAX;
            if (tie && (a > bodies->id[first][0] || (a == bodies->id[first][0] && b > bodies->id[second][0]))) continue;
            most = t.conformity;
            first = i;
            second = j;
        }
    }
    const rps_culprits found = rps_culprits_find(world, first != SIZE_MAX ? most : -INFINITY, first, second);
    if (found.gid[0] == UINT64_MAX) return RPS_OK;
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME], where[96];
    rps_culprits_name(guard, &found);
    guard->stopped = RPS_GUARD_OVERLAP;
    if (!found.here) return rps_guard_stopped_elsewhere(world, rps_guard_key[RPS_GUARD_OVERLAP], &found, err);
    const size_t at = bodies->kind[first][0] == RPS_BODY_FREE ? first : second;
    return rps_fail(
        err, RPS_GUARD,
        "guard `overlap`: %s and %s at %s fit each other nearly all around: where they touch, the radius of "
        "one is %.3g of that of the hollow wall, and from %g on the contact is no point; at t = %.9g s (step "
        "%llu)\nmake the wall wider or the grain smaller; a grain in a round hole, or on the axis of a cone, "
        "touches along a ring: build that wall of flat pieces",
        rps_body_name(world, first, a, sizeof a), rps_body_name(world, second, b, sizeof b),
        rps_guard_position(world, at, where, sizeof where), most, RPS_SHEET_CONFORMAL, rps_world_time(world),
        (unsigned long long)world->steps);
}

/* Remedy for two bodies that overlap too far, by the cause that presses them together; `allow`: the setting that
 * permits it. */
static const char *overlap_remedy(const rps_world *world, rps_culprits worst, const char *allow, char *out,
                                  size_t bytes) {
    const int32_t kind[2] = {world->bodies.kind[worst.slot][0], world->bodies.kind[worst.other][0]};
    const bool free = kind[0] == RPS_BODY_FREE || kind[1] == RPS_BODY_FREE;
    const bool driven = kind[0] == RPS_BODY_DRIVEN || kind[1] == RPS_BODY_DRIVEN;
    const char *why = "the contact is too soft for its load or speed: choose a stiffer material (`repose explain` says "
                      "which keeps the expected overlaps at 1 %) or a smaller step";
    if (free && driven) {
        why = "the drive may press one into the other: end it earlier or slow it down; else choose a stiffer material "
              "or a "
              "smaller step";
    }
    if (!free) {
        why = "no force moves either of them: end the drive before they meet, keep them apart by `exclude`, or let the "
              "drive seek a load";
    }
    rps_snprintf(out, bytes, "%s; %s", why, allow);
    return out;
}

static rps_status guard_check_overlap(const rps_world *world, rps_guard_state *guard, rps_error *err) {
    const rps_guards *guards = &world->options.guards;
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME], where[96], remedy[384];
    RPS_TRY(check_centres(world, guard, err));
    RPS_TRY(check_conformal(world, guard, err));
    rps_culprits worst = find_deepest(world, PLANES);
    if (worst.value > rps_guard_threshold(world, RPS_GUARD_LOST, RPS_GUARD_BEHIND)) {
        rps_culprits_name(guard, &worst);
        if (!worst.here) return rps_guard_alarm_elsewhere(world, guard, RPS_GUARD_LOST, worst.value, &worst, err);
        return rps_guard_alarm(
            world, guard, RPS_GUARD_LOST, worst.value, err,
            overlap_remedy(world, worst, "or allow it by `guards: {lost: warn}`", remedy, sizeof remedy),
            "the centre of %s at %s is behind %s by %.4g m", rps_body_name(world, worst.slot, a, sizeof a),
            rps_guard_position(world, worst.slot, where, sizeof where), rps_body_name(world, worst.other, b, sizeof b),
            (worst.value - RPS_GUARD_BEHIND) * rps_body_half_width(world, worst.slot));
    }
    worst = find_deepest(world, INVALID);
    if (worst.value > rps_guard_threshold(world, RPS_GUARD_OVERLAP, 0.0)) {
        rps_culprits_name(guard, &worst);
        if (!worst.here) return rps_guard_alarm_elsewhere(world, guard, RPS_GUARD_OVERLAP, worst.value, &worst, err);
        if (rps_body_has_sheets(world, worst.slot) || rps_body_has_sheets(world, worst.other)) {
            return rps_guard_alarm(
                world, guard, RPS_GUARD_OVERLAP, worst.value, err,
                overlap_remedy(world, worst, "`guards: {overlap: warn}` lets it pass through", remedy, sizeof remedy),
                "%s at %s and the wall %s overlap by %.3g of the radius or half the smallest width; deeper it would be "
                "on the other side",
                rps_body_name(world, worst.slot, a, sizeof a),
                rps_guard_position(world, worst.slot, where, sizeof where),
                rps_body_name(world, worst.other, b, sizeof b), worst.value);
        }
        return rps_guard_alarm(
            world, guard, RPS_GUARD_OVERLAP, worst.value, err,
            overlap_remedy(world, worst, "`guards: {overlap: warn}` goes on with a geometry that may be wrong", remedy,
                           sizeof remedy),
            "%s at %s and %s overlap by %.3g of the smallest width, more than the geometry of their "
            "contact is valid for (0.1, at sharp edges 0.037; of sharp corners on meshes 0.022 of a box, and of a mesh "
            "0.045 of the distance from its middle to its nearest face)",
            rps_body_name(world, worst.slot, a, sizeof a), rps_guard_position(world, worst.slot, where, sizeof where),
            rps_body_name(world, worst.other, b, sizeof b), 0.5 * worst.value);
    }
    worst = find_deepest(world, ALL);
    if (worst.value > rps_guard_threshold(world, RPS_GUARD_OVERLAP, guards->overlap)) {
        rps_culprits_name(guard, &worst);
        if (!worst.here) return rps_guard_alarm_elsewhere(world, guard, RPS_GUARD_OVERLAP, worst.value, &worst, err);
        return rps_guard_alarm(
            world, guard, RPS_GUARD_OVERLAP, worst.value, err,
            overlap_remedy(world, worst, "or allow it by `guards: {overlap: ...}`", remedy, sizeof remedy),
            "%s at %s and %s overlap by %.3g of the smaller radius; %.3g is allowed",
            rps_body_name(world, worst.slot, a, sizeof a), rps_guard_position(world, worst.slot, where, sizeof where),
            rps_body_name(world, worst.other, b, sizeof b), worst.value, guards->overlap);
    }
    return RPS_OK;
}

/* --- domain --------------------------------------------------------------------------------------------------------- */

void rps_guard_domain(rps_world *world, const double low[3], const double high[3]) {
    rps_guards *guards = &world->options.guards;
    const rps_bodies *bodies = &world->bodies;
    double first[3], last[3], size = 0.0;
    for (int k = 0; k < 3; k++) {
        first[k] = low ? low[k] : INFINITY;
        last[k] = high ? high[k] : -INFINITY;
    }
    for (size_t s = 0; s < bodies->count; s++) {
        const double radius = bodies->pose[s].radius[0];
        for (int k = 0; k < 3 && radius > 0.0; k++) {
            const double x = bodies->pose[s].position[k];
            first[k] = x < first[k] ? x : first[k];
            last[k] = x > last[k] ? x : last[k];
            size = 2.0 * radius > size ? 2.0 * radius : size;
        }
    }
    double most[7] = {-first[0], -first[1], -first[2], last[0], last[1], last[2], size};
    rps_share_most(world, 7, most);
    size = most[6];
    for (int k = 0; k < 3; k++) {
        first[k] = -most[k];
        last[k] = most[3 + k];
        size = last[k] - first[k] > size ? last[k] - first[k] : size;
    }
    if (!(size > 0.0)) {
        return; /* nothing to measure by */
    }
    for (int k = 0; k < 3; k++) {
        guards->low[k] = first[k] - FAR * size;
        guards->high[k] = last[k] + FAR * size;
    }
}

static bool has_domain(const rps_guards *guards) {
    return guards->low[0] < guards->high[0] || guards->low[1] < guards->high[1] || guards->low[2] < guards->high[2];
}

static rps_status check_domain(const rps_world *world, rps_guard_state *guard, rps_error *err) {
    const rps_guards *guards = &world->options.guards;
    const rps_bodies *bodies = &world->bodies;
    const bool looks =
        guards->action[RPS_GUARD_LOST] != RPS_GUARD_OFF && !(world->guard.last_warned[RPS_GUARD_LOST] > 0.0);
    size_t lost = SIZE_MAX;
    double bad = 0.0; /* 1: some position is not a number */
    int axis = 0;
    for (size_t s = 0; s < bodies->count; s++) {
        const double *x = bodies->pose[s].position, sum = (x[0] + x[1]) + x[2];
        if (!rps_share_counts_body(world->share, s)) continue;
        if (!(sum - sum == 0.0)) bad = 1.0;
        for (int k = 0; k < 3 && looks; k++) {
            if (x[k] >= guards->low[k] && x[k] <= guards->high[k]) {
                continue;
            }
            const bool lower_id = lost == SIZE_MAX || bodies->id[s][0] < bodies->id[lost][0];
            if (bodies->kind[s][0] == RPS_BODY_FREE && lower_id) {
                lost = s;
                axis = k;
            }
            break;
        }
    }
    rps_share_most(world, 1, &bad);
    if (bad > 0.0) return not_a_number(world, guard, err);
    const rps_culprits found = rps_culprits_find(world, lost != SIZE_MAX ? 1.0 : -INFINITY, lost, SIZE_MAX);
    if (found.gid[0] == UINT64_MAX) {
        return RPS_OK;
    }
    char name[RPS_BODY_NAME], where[96];
    rps_culprits_name(guard, &found);
    if (!found.here) return rps_guard_alarm_elsewhere(world, guard, RPS_GUARD_LOST, 1.0, &found, err);
    return rps_guard_alarm(
        world, guard, RPS_GUARD_LOST, 1.0, err,
        "close the walls, widen the box by `guards: {domain: [[...], [...]]}`, or let it go by `guards: "
        "{lost: warn}`",
        "%s at %s has left the domain, which goes from %.6g to %.6g m along %c",
        rps_body_name(world, lost, name, sizeof name), rps_guard_position(world, lost, where, sizeof where),
        guards->low[axis], guards->high[axis], "xyz"[axis]);
}

/* --- stability ------------------------------------------------------------------------------------------------------ */

/* Such bounds are low by up to sqrt 2 if neighbours do not move against each other, by up to 2 with dashpots; those of a
 * bond if it bends while it shears. */
static const double IN_HAND = 1.25;

static rps_status unstable(const rps_world *world, rps_guard_state *guard, const rps_step_limit *limit,
                           rps_error *err) {
    const char *const unit = limit->role == RPS_ROLE_ROLL || limit->role == RPS_ROLE_SPIN ? "N m/rad" : "N/m";
    const bool turns = limit->role == RPS_ROLE_ROLL || limit->role == RPS_ROLE_SPIN;
    const char *const damper_unit = turns ? "N m s/rad" : "N s/m";
    char bodies[320], a[RPS_BODY_NAME], b[RPS_BODY_NAME], where[96], remedy[160], company[192] = "";
    if (limit->contacts > 1) {
        snprintf(company, sizeof company, ", which is one of %d %s that add up at %s", limit->contacts,
                 limit->bond ? "bonds and contacts" : "contacts",
                 rps_body_name(world, rps_world_slot(world, limit->body), a, sizeof a));
    }
    if (limit->id[0] == UINT64_MAX) {
        rps_culprits_name(guard, &(rps_culprits){.gid = {UINT64_MAX, UINT64_MAX}});
        snprintf(bodies, sizeof bodies, "grains to be poured");
    } else {
        const size_t i = rps_world_slot(world, limit->id[0]), j = rps_world_slot(world, limit->id[1]);
        rps_culprits_name(guard, &(rps_culprits){.gid = {limit->id[0], limit->id[1]}});
        const size_t at = rps_body_is_plane(&world->bodies, i) ? j : i;
        snprintf(bodies, sizeof bodies, "%s and %s at %s", rps_body_name(world, i, a, sizeof a),
                 rps_body_name(world, j, b, sizeof b), rps_guard_position(world, at, where, sizeof where));
    }
    rps_snprintf(remedy, sizeof remedy,
                 "choose `run: {step: auto}` or a step below %.3g s, or let it run by `guards: {step: warn}`",
                 limit->step * world->options.guards.step);
    return rps_guard_alarm(
        world, guard, RPS_GUARD_STABLE, world->step / limit->step, err, remedy,
        "the step of %.4g s is %.3g of the stability limit of %.4g s, which the %s of the %s mode sets "
        "between %s (stiffness %.4g %s, damper %.4g %s, pair %s, %s)%s",
        world->step, world->step / limit->step, limit->step, limit->damping ? "damper" : "spring",
        rps_step_limit_mode(limit), bodies, limit->stiffness, unit, limit->damper, damper_unit,
        world->material[limit->material[0]].name, world->material[limit->material[1]].name, company);
}

static double most_of_limit(const rps_world *world) {
    return rps_guard_threshold(world, RPS_GUARD_STABLE, world->options.guards.step);
}

static bool above(const rps_world *world, const rps_step_limit *limit) {
    return world->step > most_of_limit(world) * limit->step * (1.0 + ROUNDING);
}

rps_status rps_guard_begin(rps_world *world, rps_error *err) {
    const rps_step_limit *later = &world->guard.later;
    rps_step_limit limit;
    rps_guard_arm(world, &world->guard);
    RPS_TRY(rps_world_step_limit(world, &limit, err));
    if (later->step > 0.0 && later->step < limit.step) {
        limit = *later;
    }
    if (limit.bond) limit.step *= IN_HAND;
    return above(world, &limit) ? unstable(world, &world->guard, &limit, err) : RPS_OK;
}

/* Surfaces other than spheres have rolling and twisting radii that are unknown before they meet. */
static bool any_framed(const rps_world *world) {
    bool any = false;
    for (size_t n = 0; n < world->contacts.segments; n++)
        any |= rps_record_has_subkeys(world->contacts.segment[n].record);
    return any;
}

/* Some contacts resist rolling or twisting by springs. */
static bool any_turning(const rps_world *world) {
    bool any = false;
    for (size_t p = 0; p < world->pairs; p++) {
        const rps_law *const *law = world->pair_setup[p].law;
        any |= law[RPS_ROLE_ROLL]->spring != NULL || law[RPS_ROLE_SPIN]->spring != NULL;
    }
    return any;
}

static const double MORE_CROWDED = 0.5; /* a body has more contacts than the estimate assumes */

static bool has_limit(const rps_world *world) {
    return world->options.guards.action[RPS_GUARD_STABLE] != RPS_GUARD_OFF && world->options.stepper != RPS_NONSMOOTH;
}

static bool bodies_due(uint64_t steps) {
    return steps <= LOOK_STEPS || steps % BODY_STEPS == 0;
}

double rps_guard_suspects(const rps_world *world, uint64_t steps, const double *overlap) {
    rps_step_limit limit;
    if (!has_limit(world)) return 0.0;
    rps_step_limit_of_contacts(world, overlap, &limit);
    bool looks = above(world, &limit);
    limit.step *= MORE_CROWDED;
    looks = looks || (bodies_due(steps) && (above(world, &limit) || (any_turning(world) && world->pieces > 0)));
    return looks ? most_of_limit(world) : 0.0;
}

/* An own body has all its contacts here; a copy has some of them, and its limit is no lower here than at its owner. */
bool rps_guard_suspects_own(const rps_world *share, double most) {
    rps_step_limit limit;
    rps_step_limit_of_bodies(share, share->step / most, &limit);
    if (limit.contacts > 1 && limit.neighbours > 0) limit.step *= IN_HAND;
    return share->step > most * limit.step * (1.0 + ROUNDING);
}

/* The estimate with the lightest bodies and the largest coordination is cheap. Only if it is exceeded are the bodies
 * checked one by one with their present contacts. Bodies with pieces are always checked, but for roll and spin alone:
 * their bound for slide is loose, with arms as long as the bounding radius. */
rps_status rps_guard_stable(const rps_world *world, rps_guard_state *guard, rps_bonds *bonds, rps_error *err) {
    rps_step_limit limit;
    if (!has_limit(world)) return RPS_OK;
    rps_step_limit_of_contacts(world, NULL, &limit);
    const bool estimated = above(world, &limit), due = bodies_due(world->steps);
    if (due && world->bonds.count > 0) {
        RPS_TRY(rps_bonds_index(world, bonds, err));
        rps_step_limit_of_bonds(world, &limit);
    }
    limit.step *= MORE_CROWDED;
    const bool near = estimated || (due && above(world, &limit));
    if (!near && !(due && any_turning(world) && any_framed(world))) {
        return RPS_OK;
    }
    rps_step_limit_of_bodies(world, world->step / most_of_limit(world), &limit);
    if (limit.bond || (limit.contacts > 1 && limit.neighbours > 0)) limit.step *= IN_HAND;
    const bool turns = limit.role == RPS_ROLE_ROLL || limit.role == RPS_ROLE_SPIN;
    return above(world, &limit) && (near || turns) ? unstable(world, guard, &limit, err) : RPS_OK;
}

bool rps_guard_looks(const rps_world *world) {
    return world->guard.beyond_guard || world->steps % LOOK_STEPS == 0;
}

rps_status rps_guard_contacts(rps_world *world, rps_error *err) {
    if (world->guard.beyond_guard) {
        RPS_TRY(guard_check_overlap(world, &world->guard, err));
    }
    if (world->steps % LOOK_STEPS != 0) {
        return RPS_OK;
    }
    if (has_domain(&world->options.guards)) {
        RPS_TRY(check_domain(world, &world->guard, err));
    } else {
        rps_guard_domain(world, NULL, NULL);
    }
    return world->steps > 0 ? rps_guard_stable(world, &world->guard, &world->bonds, err) : RPS_OK;
}
