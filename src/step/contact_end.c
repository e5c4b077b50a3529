/* Ends the contacts of a body that the program has moved or removed, because their geometry has changed. */
#include "detect/detect.h"
#include "step/step_stages.h"

static double stored_energy(rps_world *world, const rps_segment *segment, size_t entry) {
    double energy = 0.0;
    if (world->options.stepper == RPS_NONSMOOTH) {
        const size_t place = entry - segment->begin;
        for (int q = 0; q < RPS_STORED; q++) energy += rps_segment_get(segment, RPS_IMPULSE_ENERGY + q, place);
        return energy;
    }
    if (rps_evaluate_energy_only(world, entry / RPS_BATCH) == 0) return 0.0;
    const rps_lanes *lanes = rps_evaluate_lanes(world);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) energy += lanes->energy[role][entry % RPS_BATCH];
    return energy;
}

static bool has_references(const rps_world *world, size_t slot) {
    return world->contacts.reference_begin && slot < world->contacts.bodies;
}

void rps_contacts_energy_of(rps_world *world, size_t slot, const uint8_t *mark, rps_exact_sum *sum) {
    const rps_contacts *contacts = &world->contacts;
    if (!world->options.ledger || !has_references(world, slot)) return;
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const int modes = world->pair_setup[segment->pair].layout[segment->record].modes;
        const size_t place = entry - segment->begin;
        const bool is_j = rps_reference_is_j(contacts->reference[r]);
        if (!(rps_segment_get(segment, modes, place) > 0.5)) continue;
        if (mark && is_j && mark[segment->slot_i[place]]) continue; /* counted with body i */
        rps_exact_sum_add(sum, stored_energy(world, segment, entry));
    }
}

void rps_contacts_energy_between(rps_world *world, size_t slot_i, size_t slot_j, rps_exact_sum *sum) {
    const rps_contacts *contacts = &world->contacts;
    if (!world->options.ledger || !has_references(world, slot_i)) return;
    for (size_t r = contacts->reference_own[slot_i]; r < contacts->reference_begin[slot_i + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        if (segment->slot_j[entry - segment->begin] != slot_j) continue;
        rps_exact_sum_add(sum, stored_energy(world, segment, entry));
    }
}

void rps_contacts_end(rps_world *world, size_t slot) {
    const rps_contacts *contacts = &world->contacts;
    if (!has_references(world, slot)) return;
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        rps_liquid_leave_entry(world, &world->liquid, &world->contacts, entry);
        rps_contacts_end_entry(world, &world->contacts, entry);
    }
}
