/*
 * Heat of a step, after its evaluation: from the accounts of the energy that each contact dissipated, and through the contacts by
 * their radius and the temperatures at the begin of the stage. Each body adds what its contacts give it in the order of their
 * keys; both bodies of a contact compute the same numbers, so what one gets the other does not, to the last digit.
 */
#include <math.h>

#include "law/roles.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

typedef struct heat_stage {
    const rps_world *world;
    rps_world_heat *heat;
} heat_stage;

static void find_temperatures(void *context, rps_part part) {
    const heat_stage *s = context;
    for (size_t slot = part.begin; slot < part.end; slot++) {
        s->heat->body[s->world->bodies.id[slot][0]].kelvin = rps_heat_kelvin(s->world, slot);
    }
}

static const rps_material_slot *thermal_of(const rps_world *world, size_t slot, uint32_t piece) {
    const rps_piece *all = rps_body_pieces(world, slot);
    return &world->material[all != NULL ? (int)all[piece].material : world->bodies.material[slot][0]];
}

static double effusivity(const rps_material_slot *m) {
    return sqrt(m->conductivity * m->value.density * m->heat_capacity);
}

/* J, what the contact dissipated in the step and warms with. */
static double dissipated_heat(const heat_stage *s, size_t entry) {
    const rps_contacts *contacts = &s->world->contacts;
    double sum = 0.0;
    for (int account = 0; account < RPS_ACCOUNTS; account++) {
        if (rps_account_role(account) == RPS_ROLE_DAMPING && !s->heat->options.from_damping) continue;
        const rps_contact_load *load = &contacts->load[contacts->place[entry][account / RPS_LOAD_ACCOUNTS]];
        sum += load->number[rps_load_account(account % RPS_LOAD_ACCOUNTS)];
    }
    return sum;
}

static void add_heat_of_contact(const heat_stage *s, uint32_t reference, uint32_t line, rps_body_heat *to) {
    const rps_world *world = s->world;
    const rps_contacts *contacts = &world->contacts;
    if (!contacts->has_load[line]) return;
    const size_t entry = rps_reference_entry(reference);
    const bool is_j = rps_reference_is_j(reference);
    const rps_segment *segment = rps_entry_segment(contacts, entry);
    const size_t place = entry - segment->begin;
    const size_t slot_i = segment->slot_i[place], slot_j = segment->slot_j[place];
    const rps_subkey subkey = rps_segment_subkey(segment, place);
    const rps_material_slot *m_i = thermal_of(world, slot_i, subkey.piece_i);
    const rps_material_slot *m_j = thermal_of(world, slot_j, subkey.piece_j);
    const double heat = dissipated_heat(s, entry);
    if (heat != 0.0) {
        const double e_i = effusivity(m_i), e_j = effusivity(m_j), on_i = heat * (e_i / (e_i + e_j));
        if (is_j) rps_twofold_add(&to->energy, heat);
        rps_twofold_add(&to->energy, is_j ? -on_i : on_i);
    }
    if (!s->heat->options.conduction) return;
    const double a = contacts->result[entry].contact_radius[0];
    const double conductance =
        4.0 * a * (m_i->conductivity * m_j->conductivity / (m_i->conductivity + m_j->conductivity));
    const double t_i = s->heat->body[world->bodies.id[slot_i][0]].kelvin;
    const double t_j = s->heat->body[world->bodies.id[slot_j][0]].kelvin;
    const double flow = conductance * (t_j - t_i) * world->step;
    to->conductance += conductance;
    if (flow != 0.0) rps_twofold_add(&to->energy, is_j ? -flow : flow);
}

static void add_bodies(void *context, rps_part part) {
    const heat_stage *s = context;
    const rps_contacts *contacts = &s->world->contacts;
    for (size_t slot = part.begin; slot < part.end; slot++) {
        rps_body_heat *to = &s->heat->body[s->world->bodies.id[slot][0]];
        to->conductance = 0.0;
        for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
            add_heat_of_contact(s, contacts->reference[r], contacts->line[r], to);
        }
    }
}

/* Above m c/(2 H) two like bodies would trade more than their difference. */
static rps_status check_conduction(const rps_world *world, const rps_world_heat *heat, rps_error *err) {
    for (uint64_t id = 0, slot; rps_bodies_next(&world->bodies, &id, &slot); id++) {
        const double most = rps_heat_capacity(world, slot) / (2.0 * heat->body[id].conductance);
        char name[RPS_BODY_NAME];
        if (!(world->step > most)) continue;
        return rps_fail(err, RPS_GUARD,
                        "the step of %.4g s is too long for the conduction through the contacts of %s, which %.4g s "
                        "resolve (m c/(2 H), H = %.4g W/K): take a shorter step, or a larger heat capacity",
                        world->step, rps_body_name(world, slot, name, sizeof name), most, heat->body[id].conductance);
    }
    return RPS_OK;
}

rps_status rps_heat_flow(const rps_world *world, rps_world_heat *heat, rps_error *err) {
    heat_stage s = {world, heat};
    const size_t count = world->bodies.count;
    RPS_TRY(rps_heat_reserve(world, heat, err));
    if (world->contacts.reference_begin == NULL) return RPS_OK;
    rps_parallel_for(rps_step_workers(world, count), count, find_temperatures, &s);
    rps_parallel_for(rps_step_workers(world, count), count, add_bodies, &s);
    return heat->options.conduction ? check_conduction(world, heat, err) : RPS_OK;
}
