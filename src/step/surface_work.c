/*
 * Work of the drives of surfaces that run: the loads of their contacts times the velocity of the material, by the trapezoidal
 * rule over the step, as friction laws book it. The power at the beginning of a step goes by the mean velocity of that step.
 */
#include "base/flush.h"
#include "step/step_stages.h"
#include "world/surface_velocity.h"

/* W, that one contact takes from the material of a body. */
static double surface_power_of(const rps_world *world, const rps_drive_state *driven, const rps_surface_rates *rates,
                               size_t slot, uint32_t reference, uint32_t line) {
    const rps_contacts *contacts = &world->contacts;
    const size_t entry = rps_reference_entry(reference);
    const rps_segment *segment = rps_entry_segment(contacts, entry);
    const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
    const size_t place = entry - segment->begin;
    const bool is_j = rps_reference_is_j(reference);
    const rps_contact_load *load = &contacts->load[line];
    const rps_vec3 force = rps_vec3_of(load->force), torque = rps_vec3_of(load->torque);
    if (!(rps_segment_get(segment, layout->modes, place) > 0.5)) return 0.0;
    rps_vec3 n = rps_segment_vector(segment, layout->track, place), branch = rps_vec3_zero();
    if (segment->record == RPS_RECORD_FRAME) {
        const double *o = world->bodies.orientation[slot];
        const rps_quat q = {o[0], o[1], o[2], o[3]};
        n = rps_segment_vector(segment, layout->track + (is_j ? RPS_FRAME_NJ : RPS_FRAME_NI), place);
        branch = rps_segment_vector(segment, layout->track + (is_j ? RPS_FRAME_CJ : RPS_FRAME_CI), place);
        n = rps_quat_rotate(q, n);
        branch = rps_quat_rotate(q, branch);
    }
    const rps_vec3 v = rps_surface_velocity(driven, rates, branch, n);
    const rps_vec3 couple = rps_vec3_sub(torque, rps_vec3_cross(branch, force)); /* about the point on the surface */
    return -(rps_vec3_dot(force, v) + rps_vec3_dot(couple, rates->turning));
}

/* The same of all contacts, in the order of keys. */
static double surface_power(const rps_world *world, const rps_drive_state *driven, const rps_surface_rates *rates,
                            size_t slot) {
    const rps_contacts *contacts = &world->contacts;
    double power = 0.0;
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const uint32_t line = contacts->line[r];
        if (contacts->has_load[line])
            power += surface_power_of(world, driven, rates, slot, contacts->reference[r], line);
    }
    return power;
}

void rps_surfaces_book(const rps_world *world, rps_drive_state *driven, rps_bodies *bodies, double dt) {
    const rps_contacts *contacts = &world->contacts;
    for (size_t k = 0; world->surfaces && k < world->drives; k++) {
        rps_drive_state *one = &driven[k];
        const size_t slot = rps_world_slot(world, one->body);
        if (!one->runs || slot >= contacts->bodies) continue;
        const double now = rps_world_time(world), acts = rps_surface_time(&one->now, now, dt);
        const rps_surface_rates rates = rps_surface_mean(one, now, dt), next = rps_surface_mean(one, now + dt, dt);
        const double power = surface_power(world, one, &rates, slot);
        bodies->load[slot].work[0] = rps_flush(bodies->load[slot].work[0] + 0.5 * acts * (one->surface_power + power));
        one->surface_power = rps_flush(one->surface_table ? surface_power(world, one, &next, slot) : power);
    }
}
