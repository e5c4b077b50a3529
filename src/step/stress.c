/*
 * Mean stress of a body in equilibrium, from its contact forces: the symmetric part of sigma = 1/V sum of x (x) f,
 * with x from the centre of mass to the contact and f the force there; tension is positive. Uniform volume forces
 * have their resultant at the centre of mass and contribute nothing.
 */
#include <math.h>

#include "base/elementary.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/share.h"

static rps_status need_contacts(const rps_world *world, rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "a stress", err));
    if (world->started && world->contacts_kept && world->evaluated && !world->lists_stale) {
        return RPS_OK;
    }
    return rps_fail(err, RPS_BAD_INPUT,
                    "stresses come from contacts, which were not kept in the last step: call "
                    "rps_world_keep_contacts(world, true) before rps_world_step or rps_world_start");
}

double rps_body_volume(const rps_world *world, size_t slot) {
    const double r = rps_body_equal_radius(world, slot);
    if (world->options.dimension == 2) {
        const double disk = world->bodies.pose[slot].radius[0];
        return disk > 0.0 ? RPS_PI * disk * disk * world->options.depth : 0.0;
    }
    return r - r == 0.0 && !rps_body_is_sheets(world, slot) ? 4.0 / 3.0 * RPS_PI * (r * r * r) : 0.0;
}

/* Volume times stress (J): xx xy xz yy yz zz. Summed in the order of keys, so that the result does not depend on
 * slots. */
static void moment_of(const rps_world *world, size_t s, double moment[6]) {
    const rps_contacts *contacts = &world->contacts;
    for (int k = 0; k < 6; k++) {
        moment[k] = 0.0;
    }
    for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const bool is_j = rps_reference_is_j(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t place = entry - segment->begin;
        const int modes = world->pair_setup[segment->pair].layout[segment->record].modes;
        if (!(rps_segment_get(segment, modes, place) > 0.5)) {
            continue;
        }
        const rps_entry_result *result = &contacts->result[entry];
        const double *x = is_j ? result->branch_j : result->branch_i;
        double f[3];
        for (int k = 0; k < 3; k++) {
            const double load =
                result->normal_load[0] * result->normal[k] + result->slide_force[k] + result->curvature_force[k];
            f[k] = is_j ? -load : load;
        }
        moment[0] += x[0] * f[0];
        moment[1] += 0.5 * (x[0] * f[1] + x[1] * f[0]);
        moment[2] += 0.5 * (x[0] * f[2] + x[2] * f[0]);
        moment[3] += x[1] * f[1];
        moment[4] += 0.5 * (x[1] * f[2] + x[2] * f[1]);
        moment[5] += x[2] * f[2];
    }
}

rps_status rps_world_body_stress(const rps_world *world, uint64_t id, double stress[6], rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(stress);
    const size_t s = rps_world_slot(world, id);
    if (s == SIZE_MAX) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no body with id %llu", (unsigned long long)id);
    }
    RPS_TRY(need_contacts(world, err));
    const double volume = rps_body_volume(world, s);
    moment_of(world, s, stress);
    for (int k = 0; k < 6; k++) {
        stress[k] = volume > 0.0 ? stress[k] / volume : 0.0;
    }
    return RPS_OK;
}

/* The same along the gradient and the flow axis of a sheared cell: each image above has its own offset. */
static double sheared_images_inside(const rps_cell *cell, const double x[3], const double box[2][3]) {
    const int f = cell->flow, g = cell->gradient;
    double count = 0.0;
    const double first = ceil((box[0][g] - x[g]) / cell->period[g]), past = ceil((box[1][g] - x[g]) / cell->period[g]);
    double up = first;
    while (up < past) {
        count += rps_cell_count_along(cell, f, x[f] + up * cell->offset, box[0][f], box[1][f]);
        up++;
    }
    return count;
}

/* Number of images of a point in a box: several along a periodic axis if the box is long, else 1 or 0. */
static double images_inside(const rps_world *world, const double x[3], const double box[2][3]) {
    const rps_cell *cell = &world->cell;
    double count = 1.0;
    for (int k = 0; k < 3; k++) {
        if (world->options.dimension == 2 && k == 1) {
            continue;
        }
        if (cell->sheared && k == cell->flow) continue;
        if (cell->sheared && k == cell->gradient) {
            count *= sheared_images_inside(cell, x, box);
        } else if (cell->period[k] > 0.0) {
            count *= rps_cell_count_along(cell, k, x[k], box[0][k], box[1][k]);
        } else if (!(x[k] >= box[0][k] && x[k] < box[1][k])) {
            return 0.0;
        }
    }
    return count;
}

rps_status rps_world_mean_stress(const rps_world *world, int group, const double box[2][3], double stress[6],
                                 rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    rps_exact_sum sum[6], volume;
    RPS_TRY(need_contacts(world, err));
    rps_exact_sum_clear(&volume);
    for (int k = 0; k < 6; k++) {
        rps_exact_sum_clear(&sum[k]);
    }
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE || (group >= 0 && bodies->group[s][0] != group)) {
            continue;
        }
        const double images = box ? images_inside(world, bodies->pose[s].position, box) : 1.0;
        if (!(images > 0.0)) {
            continue;
        }
        double moment[6];
        moment_of(world, s, moment);
        rps_exact_sum_add(&volume, rps_body_volume(world, s));
        for (int k = 0; k < 6; k++) {
            rps_exact_sum_add(&sum[k], images * moment[k]);
        }
    }
    double v = rps_exact_sum_value(&volume);
    if (box) {
        const double y = world->options.dimension == 2 ? world->options.depth : box[1][1] - box[0][1];
        v = (box[1][0] - box[0][0]) * y * (box[1][2] - box[0][2]);
    }
    for (int k = 0; k < 6; k++) {
        stress[k] = v > 0.0 ? rps_exact_sum_value(&sum[k]) / v : 0.0;
    }
    return RPS_OK;
}
