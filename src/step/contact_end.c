/* Ends contacts whose geometry a program has changed: of a body that was put elsewhere or removed. */
#include "detect/detect.h"
#include "step/step_stages.h"

static double stored_energy(rps_world *world, const rps_segment *segment, size_t entry) {
    double energy = 0.0;
    if (world->options.stepper == RPS_NONSMOOTH) {
        const double *state = segment->state + (entry - segment->begin);
        for (size_t q = 0; q < 4; q++) energy += state[(RPS_IMPULSE_ENERGY + q) * segment->capacity];
        return energy;
    }
    rps_batch_task task;
    if (!rps_evaluate_energy_only(world, entry / RPS_BATCH, &task)) return 0.0;
    const rps_lanes *lanes = rps_worker_lanes(world, 0);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) energy += lanes->energy[role][entry % RPS_BATCH];
    return energy;
}

static bool has_references(const rps_world *world, size_t slot) {
    return world->contacts.reference_begin && slot < rps_detect_referenced(world);
}

void rps_contacts_energy_of(rps_world *world, size_t slot, const uint8_t *mark, rps_exact_sum *sum) {
    const rps_contacts *contacts = &world->contacts;
    if (!world->options.ledger || !has_references(world, slot)) return;
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = contacts->reference[r] >> 1;
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
        const size_t place = entry - segment->begin;
        const bool is_j = contacts->reference[r] & 1;
        if (!(segment->state[(size_t)layout->modes * segment->capacity + place] > 0.5)) continue;
        if (mark && is_j && mark[segment->slot_i[place]]) continue; /* counted with body i */
        rps_exact_sum_add(sum, stored_energy(world, segment, entry));
    }
}

void rps_contacts_end(rps_world *world, size_t slot) {
    rps_contacts *contacts = &world->contacts;
    if (!has_references(world, slot)) return;
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = contacts->reference[r] >> 1;
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t lanes = (size_t)world->pair_setup[segment->pair].layout[segment->record].lanes;
        for (size_t l = 0; l < lanes; l++) segment->state[l * segment->capacity + (entry - segment->begin)] = 0.0;
        contacts->was_active[entry] = 0;
    }
}
