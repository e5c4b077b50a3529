/* Sums over grains. Only exact sums and maxima are used, so the order of bodies in memory does not affect the
 * result. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/quantity.h"
#include "shape/shape.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* Walls are recognised as fixed or driven bodies, not by their radius, since boxes and cylinders have one too. They
 * are measured only as members of a set given by name. */
static bool is_member(const rps_world *world, size_t s, int group) {
    const rps_bodies *bodies = &world->bodies;
    if (rps_body_is_plane(bodies, s)) return false;
    return group < 0 ? bodies->kind[s][0] == RPS_BODY_FREE : bodies->group[s][0] == group;
}

/* Extent of the body from its centre along a unit vector, m. */
static double reach_along(const rps_world *world, size_t s, const double up[3]) {
    const rps_bodies *bodies = &world->bodies;
    if (!rps_body_has_pieces(bodies, s)) return bodies->pose[s].radius[0];
    const double *q = bodies->orientation[s];
    const rps_quat body = {q[0], q[1], q[2], q[3]};
    const rps_vec3 d = rps_quat_rotate(rps_quat_conjugate(body), rps_vec3_of(up));
    double reach = -INFINITY;
    const rps_piece *pieces = rps_body_pieces(world, s);
    for (int32_t k = 0; pieces != NULL && k < rps_body_piece_count(bodies, s); k++) {
        const rps_piece *piece = &pieces[k];
        const double *o = piece->orientation;
        const rps_vec3 own = rps_quat_rotate(rps_quat_conjugate((rps_quat){o[0], o[1], o[2], o[3]}), d);
        const rps_vec3 point = rps_shape_at((int)piece->shape)->support(piece->parameter, own);
        reach = fmax(reach, rps_vec3_dot(d, rps_vec3_of(piece->offset)) + rps_vec3_dot(own, point));
    }
    return reach;
}

void rps_measure_grains(const rps_world *world, int group, const double gravity[3], rps_grains *out) {
    enum { KINETIC, RATIO, MOMENTUM, ANGULAR = MOMENTUM + 3, MASS = ANGULAR + 3, CENTER, SUMS = CENTER + 3 };
    const rps_bodies *bodies = &world->bodies;
    const double g = sqrt((gravity[0] * gravity[0] + gravity[1] * gravity[1]) + gravity[2] * gravity[2]);
    double up[3] = {0.0, 0.0, 1.0};
    rps_exact_sum sum[SUMS];
    for (int k = 0; k < SUMS; k++) rps_exact_sum_clear(&sum[k]);
    for (int k = 0; k < 3 && g > 0.0; k++) up[k] = -gravity[k] / g;
    *out = (rps_grains){.top = NAN, .ratio_max = g > 0.0 ? 0.0 : NAN};
    for (size_t s = 0; s < bodies->count; s++) {
        if (!is_member(world, s, group)) continue;
        double x[3], m = bodies->mass[s][0];
        rps_world_unwrapped(world, s, x);
        out->count++;
        const double height = (x[0] * up[0] + x[1] * up[1]) + x[2] * up[2];
        out->top = fmax(out->top, height + reach_along(world, s, up)); /* fmax passes over NAN */
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        const double *v = bodies->motion[s].velocity;
        const rps_vec3 l = rps_body_spin_momentum(bodies, s);
        const double spin[3] = {l.x, l.y, l.z};
        double v2 = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
        double energy = 0.5 * m * v2 + rps_body_rotation_energy(bodies, s);
        out->free++;
        rps_exact_sum_add(&sum[KINETIC], energy);
        out->speed_max = fmax(out->speed_max, sqrt(v2));
        if (g > 0.0) {
            double ratio = energy / (m * g * 2.0 * bodies->pose[s].radius[0]);
            rps_exact_sum_add(&sum[RATIO], ratio);
            out->ratio_max = fmax(out->ratio_max, ratio);
        }
        rps_exact_sum_add(&sum[MASS], m);
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            rps_exact_sum_add(&sum[CENTER + k], m * x[k]);
            rps_exact_sum_add(&sum[MOMENTUM + k], m * v[k]);
            rps_exact_sum_add(&sum[ANGULAR + k], m * (x[a] * v[b] - x[b] * v[a]) + spin[k]);
        }
    }
    out->kinetic = rps_exact_sum_value(&sum[KINETIC]);
    out->ratio_mean = out->free && g > 0.0 ? rps_exact_sum_value(&sum[RATIO]) / (double)out->free : NAN;
    for (int k = 0; k < 3; k++) {
        out->momentum[k] = rps_exact_sum_value(&sum[MOMENTUM + k]);
        out->angular[k] = rps_exact_sum_value(&sum[ANGULAR + k]);
        out->center[k] = rps_exact_sum_value(&sum[CENTER + k]) / rps_exact_sum_value(&sum[MASS]); /* 0/0: NAN */
    }
}

/* Lane in which the law of a role stores its spring stiffness; -1: none. */
static int stiffness_lane(const rps_pair_setup *pair, rps_record record, rps_role role) {
    const rps_law *law = pair->law[role];
    for (int k = 0; k < RPS_LAW_MEMORY && law->memory[k].name; k++) {
        if (law->memory[k].kind & RPS_MEMORY_STIFFNESS) return pair->layout[record].memory[role][k];
    }
    return -1;
}

double rps_measure_stiffness(const rps_world *world, rps_role role) {
    rps_exact_sum sum;
    size_t count = 0;
    rps_exact_sum_clear(&sum);
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const int lane = stiffness_lane(&world->pair_setup[segment->pair], segment->record, role);
        for (size_t c = 0; c < segment->count; c++) {
            rps_law_spring spring[RPS_ROLE_COUNT];
            if (!rps_entry_springs(world, segment, c, spring)) continue;
            rps_exact_sum_add(&sum, lane < 0 ? spring[role].stiffness : rps_segment_get(segment, lane, c));
            count++;
        }
    }
    return count ? rps_exact_sum_value(&sum) / (double)count : NAN;
}

rps_status rps_measure_secant(const rps_world *world, double *mean, rps_error *err) {
    void *memory;
    size_t count = rps_world_contact_count(world), bytes, found = 0;
    rps_exact_sum sum;
    rps_exact_sum_clear(&sum);
    RPS_TRY(rps_size_of_items(count, sizeof(rps_contact), &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    rps_contact *contact = memory;
    rps_status status = rps_world_contacts(world, contact, count, &count, err);
    for (size_t n = 0; n < count && status == RPS_OK; n++) {
        if (!(contact[n].overlap[0] > 0.0)) continue;
        rps_exact_sum_add(&sum, contact[n].elastic_load[0] / contact[n].overlap[0]);
        found++;
    }
    rps_memory_release(world->allocator, memory, bytes);
    *mean = found ? rps_exact_sum_value(&sum) / (double)found : NAN;
    return status;
}

double rps_measure_sliding(const rps_world *world) {
    size_t count = 0, sliding = 0;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const int lane = world->pair_setup[segment->pair].layout[segment->record].modes;
        const double *modes = rps_segment_lane(segment, lane);
        for (size_t c = 0; c < segment->count; c++) {
            const bool touches = rps_entry_touches(world, segment, c);
            count += touches;
            sliding += touches && ((int)modes[c] & 2);
        }
    }
    return count ? (double)sliding / (double)count : NAN;
}

double rps_measure_coordination(const rps_world *world, int group) {
    size_t grains = 0, sides = 0;
    for (size_t s = 0; s < world->bodies.count; s++) grains += is_member(world, s, group);
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        for (size_t c = 0; c < segment->count; c++) {
            if (!rps_entry_touches(world, segment, c)) continue; /* listed only */
            sides += is_member(world, segment->slot_i[c], group);
            sides += is_member(world, segment->slot_j[c], group);
        }
    }
    return grains ? (double)sides / (double)grains : NAN;
}

/* One body in a box, and the sum of its volume inside. */
typedef struct measured {
    const rps_world *world;
    size_t slot;
    const double *low, *high; /* m, the box */
    double bottom[3], top[3]; /* corners of the box relative to an image of the body */
    double up;                /* number of images along the gradient axis of a sheared cell */
    double volume;
} measured;

/* Axes in the order in which images are added. The gradient axis of a sheared cell is first, since its image
 * determines the offset along the flow axis. */
static int axis_at(const rps_cell *cell, int place) {
    const int first = cell->sheared ? cell->gradient : 0;
    return place == 0 ? first : place <= first ? place - 1 : place;
}

/* The number of whole periods that the box is long along an axis; 0: not a whole number, to rounding. The parts that such
 * a box cuts from the images of a body make up that many whole bodies. */
static double whole_periods(const measured *m, int axis, double period) {
    const double length = m->high[axis] - m->low[axis], n = floor(length / period + 0.5);
    return fabs(length - n * period) <= 1e-12 * period ? n : 0.0;
}

/* Adds the images of the body along the axes from number `place` on. `weight`: number of equivalent images along the
 * earlier axes. All images along one axis that no face cuts are added at once. */
static void add_images(measured *m, int place, double weight) {
    if (place == 3) {
        m->volume += weight * rps_body_inside(m->world, m->slot, m->bottom, m->top);
        return;
    }
    const rps_cell *cell = &m->world->cell;
    const rps_pose *pose = &m->world->bodies.pose[m->slot];
    const int axis = axis_at(cell, place);
    const bool gradient = cell->sheared && axis == cell->gradient, flow = cell->sheared && axis == cell->flow;
    const double period = cell->period[axis], radius = pose->radius[0];
    const double x = pose->position[axis] + (flow ? m->up * cell->offset : 0.0);
    const double low = m->low[axis] - x, high = m->high[axis] - x;
    if (!(period > 0.0)) {
        m->bottom[axis] = low;
        m->top[axis] = high;
        add_images(m, place + 1, weight);
        return;
    }
    const double periods = gradient ? 0.0 : whole_periods(m, axis, period);
    if (periods > 0.0) {
        m->bottom[axis] = -INFINITY;
        m->top[axis] = INFINITY;
        add_images(m, place + 1, weight * periods);
        return;
    }
    double first, last, uncut, uncut_last;
    rps_cell_images_along(cell, axis, 0.0, low - radius, high + radius, &first, &last);
    rps_cell_images_along(cell, axis, 0.0, low + radius, high - radius, &uncut, &uncut_last);
    for (double image = first; image <= last; image++) {
        const bool whole = image >= uncut && image <= uncut_last && !gradient;
        if (gradient) m->up = image;
        m->bottom[axis] = whole ? -INFINITY : low - image * period;
        m->top[axis] = whole ? INFINITY : high - image * period;
        add_images(m, place + 1, whole ? weight * (uncut_last - image + 1.0) : weight);
        if (whole) image = uncut_last;
    }
}

double rps_measure_packing(const rps_world *world, int group, const double low[3], const double high[3]) {
    const bool planar = world->options.dimension == 2; /* a planar world has areas in x-z */
    const double box = (high[0] - low[0]) * (high[2] - low[2]) * (planar ? 1.0 : high[1] - low[1]);
    rps_exact_sum sum;
    rps_exact_sum_clear(&sum);
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (!is_member(world, s, group)) continue;
        measured m = {.world = world, .slot = s, .low = low, .high = high};
        add_images(&m, 0, 1.0);
        rps_exact_sum_add(&sum, m.volume);
    }
    return box > 0.0 ? rps_exact_sum_value(&sum) / box : NAN;
}

void rps_measure_inside(const rps_world *world, int group, const rps_region *region, double depth, rps_inside *out) {
    static const double low[3] = {-INFINITY, -INFINITY, -INFINITY}, high[3] = {INFINITY, INFINITY, INFINITY};
    const rps_bodies *bodies = &world->bodies;
    const double thick = world->options.dimension == 2 ? depth : 1.0;
    rps_exact_sum mass, volume;
    rps_exact_sum_clear(&mass);
    rps_exact_sum_clear(&volume);
    *out = (rps_inside){0};
    for (size_t s = 0; s < bodies->count; s++) {
        if (!is_member(world, s, group)) continue;
        if (!rps_region_holds(region, &world->cell, bodies->pose[s].position)) continue;
        out->number += 1.0;
        if (isfinite(bodies->mass[s][0])) rps_exact_sum_add(&mass, bodies->mass[s][0]);
        rps_exact_sum_add(&volume, thick * rps_body_inside(world, s, low, high));
    }
    out->mass = rps_exact_sum_value(&mass);
    out->volume = rps_exact_sum_value(&volume);
}
