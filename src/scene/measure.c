/* Sums over grains. Exact sums and maxima only, so that the order of bodies in memory never shows. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/quantity.h"
#include "step/step_stages.h"

static bool is_grain(const rps_world *world, size_t s, int group) {
    const rps_bodies *bodies = &world->bodies;
    return bodies->kind[s][0] == RPS_BODY_FREE && bodies->pose[s].radius[0] > 0.0 &&
           (group < 0 || bodies->group[s][0] == group);
}

void rps_measure_grains(const rps_world *world, int group, const double gravity[3], rps_grains *out) {
    enum { KINETIC, RATIO, MOMENTUM, ANGULAR = MOMENTUM + 3, SUMS = ANGULAR + 3 };
    const rps_bodies *bodies = &world->bodies;
    const double g = sqrt((gravity[0] * gravity[0] + gravity[1] * gravity[1]) + gravity[2] * gravity[2]);
    rps_exact_sum sum[SUMS];
    for (int k = 0; k < SUMS; k++) rps_exact_sum_clear(&sum[k]);
    *out = (rps_grains){.top = NAN, .ratio_max = g > 0.0 ? 0.0 : NAN};
    for (size_t s = 0; s < bodies->count; s++) {
        if (!is_grain(world, s, group)) continue;
        double x[3], m = bodies->mass[s][0], radius = bodies->pose[s].radius[0];
        const double *v = bodies->motion[s].velocity;
        const rps_vec3 l = rps_body_spin_momentum(bodies, s);
        const double spin[3] = {l.x, l.y, l.z};
        rps_world_unwrapped(world, s, x);
        double v2 = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
        double energy = 0.5 * m * v2 + rps_body_rotation_energy(bodies, s);
        out->count++;
        rps_exact_sum_add(&sum[KINETIC], energy);
        out->speed_max = fmax(out->speed_max, sqrt(v2));
        double up = g > 0.0 ? -((x[0] * gravity[0] + x[1] * gravity[1]) + x[2] * gravity[2]) / g : x[2];
        out->top = fmax(out->top, up + radius); /* fmax passes over NAN */
        if (g > 0.0) {
            double ratio = energy / (m * g * 2.0 * radius);
            rps_exact_sum_add(&sum[RATIO], ratio);
            out->ratio_max = fmax(out->ratio_max, ratio);
        }
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            rps_exact_sum_add(&sum[MOMENTUM + k], m * v[k]);
            rps_exact_sum_add(&sum[ANGULAR + k], m * (x[a] * v[b] - x[b] * v[a]) + spin[k]);
        }
    }
    out->kinetic = rps_exact_sum_value(&sum[KINETIC]);
    out->ratio_mean = out->count && g > 0.0 ? rps_exact_sum_value(&sum[RATIO]) / (double)out->count : NAN;
    for (int k = 0; k < 3; k++) {
        out->momentum[k] = rps_exact_sum_value(&sum[MOMENTUM + k]);
        out->angular[k] = rps_exact_sum_value(&sum[ANGULAR + k]);
    }
}

/* Lane in which the law of a role remembers the stiffness of its spring; -1: none. */
static int stiffness_lane(const rps_pair_setup *pair, rps_record record, rps_role role) {
    const rps_law *law = pair->law[role];
    for (int k = 0; k < RPS_LAW_MEMORY && law->memory[k].name; k++) {
        if (strcmp(law->memory[k].name, "slide_stiffness") == 0) return pair->layout[record].memory[role][k];
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
            rps_exact_sum_add(&sum,
                              lane < 0 ? spring[role].stiffness : segment->state[(size_t)lane * segment->capacity + c]);
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
        const double *modes = segment->state + (size_t)lane * segment->capacity;
        for (size_t c = 0; c < segment->count; c++) {
            count += modes[c] > 0.5;
            sliding += modes[c] > 0.5 && ((int)modes[c] & 2);
        }
    }
    return count ? (double)sliding / (double)count : NAN;
}

double rps_measure_coordination(const rps_world *world, int group) {
    size_t grains = 0, sides = 0;
    for (size_t s = 0; s < world->bodies.count; s++) grains += is_grain(world, s, group);
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
        const double *mode = segment->state + (size_t)layout->modes * segment->capacity;
        for (size_t c = 0; c < segment->count; c++) {
            if (!(mode[c] > 0.5)) continue; /* listed, not touching */
            sides += is_grain(world, segment->slot_i[c], group);
            sides += is_grain(world, segment->slot_j[c], group);
        }
    }
    return grains ? (double)sides / (double)grains : NAN;
}

/* Part of a sphere or disk on the inner side of a face at distance h from its centre (positive: the centre is inside). */
static double part_inside(double h, double radius, bool disk) {
    double t = h / radius;
    if (t >= 1.0) return 1.0;
    if (t <= -1.0) return 0.0;
    if (disk) return 1.0 - (rps_atan2(sqrt(1.0 - t * t), t) - t * sqrt(1.0 - t * t)) / RPS_PI;
    return 0.25 * (2.0 - t) * (1.0 + t) * (1.0 + t);
}

double rps_measure_packing(const rps_world *world, int group, const double low[3], const double high[3]) {
    const rps_bodies *bodies = &world->bodies;
    const bool planar = world->options.dimension == 2; /* then it is a matter of areas in x-z */
    double box = (high[0] - low[0]) * (high[2] - low[2]) * (planar ? 1.0 : high[1] - low[1]);
    rps_exact_sum sum;
    rps_exact_sum_clear(&sum);
    for (size_t s = 0; s < bodies->count; s++) {
        const rps_pose *pose = &bodies->pose[s];
        /* of other bodies the sphere of the same volume: exact but for those that a face of the box cuts */
        double radius = pose->radius[0] > 0.0 ? rps_body_equal_radius(world, s) : 0.0, part = 1.0;
        if (!(radius > 0.0) || (group >= 0 && bodies->group[s][0] != group)) continue;
        for (int k = 0; k < 3; k++) {
            if (planar && k == 1) continue;
            /* along one axis all images together: what the box holds of a sphere and of its copies */
            double period = world->options.period[k], inside = 0.0;
            for (int image = -(period > 0.0); image <= (period > 0.0); image++) {
                double x = pose->position[k] + image * period;
                double of_image =
                    part_inside(x - low[k], radius, planar) + part_inside(high[k] - x, radius, planar) - 1.0;
                inside += fmax(of_image, 0.0);
            }
            part *= inside;
        }
        double whole = planar ? RPS_PI * (radius * radius) : 4.0 / 3.0 * RPS_PI * ((radius * radius) * radius);
        rps_exact_sum_add(&sum, part * whole);
    }
    return box > 0.0 ? rps_exact_sum_value(&sum) / box : NAN;
}
