/*
 * The list of bonds of a world: search, settings and laws, the bonds of each body, removal.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "world/bond.h"
#include "world/world_internal.h"

size_t rps_bonds_find(const rps_bonds *bonds, uint64_t low, uint64_t high) {
    size_t from = 0, to = bonds->count;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        const uint64_t *pair = bonds->bond[mid].body;
        if (pair[0] < low || (pair[0] == low && pair[1] < high)) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    return from;
}

const rps_bond *rps_bond_of(const rps_bonds *bonds, uint64_t a, uint64_t b) {
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    const size_t at = rps_bonds_find(bonds, low, high);
    if (at == bonds->count || bonds->bond[at].body[0] != low || bonds->bond[at].body[1] != high) return NULL;
    return &bonds->bond[at];
}

size_t rps_world_bond_count(const rps_world *world) {
    return world->bonds.count;
}

size_t rps_world_intact_bond_count(const rps_world *world) {
    return world->bonds.count - world->bonds.broken;
}

uint64_t rps_world_bonds_broken(const rps_world *world) {
    return world->bonds.breaks;
}

bool rps_world_bond_replaces_contact(const rps_world *world, size_t slot_a, size_t slot_b) {
    const rps_bond *bond = rps_bond_of(&world->bonds, world->bodies.id[slot_a][0], world->bodies.id[slot_b][0]);
    return bond && rps_bond_intact(bond) && bond->record.contact == RPS_BOND_CONTACT_NONE;
}

rps_status rps_world_check_unbonded(const rps_world *world, size_t slot, const char *verb, rps_error *err) {
    const uint64_t id = world->bodies.id[slot][0];
    char name[RPS_BODY_NAME];
    for (size_t k = 0; k < world->bonds.count; k++) {
        const rps_bond *bond = &world->bonds.bond[k];
        if (!rps_bond_intact(bond) || (bond->body[0] != id && bond->body[1] != id)) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s %s: the bond of bodies %llu and %llu holds it; remove the bond first",
                        rps_body_name(world, slot, name, sizeof name), verb, (unsigned long long)bond->body[0],
                        (unsigned long long)bond->body[1]);
    }
    return RPS_OK;
}

/* --- laws and settings ---------------------------------------------------------------------------------------------- */

const rps_bond_law *rps_world_find_bond_law(const rps_world *world, const char *name) {
    const rps_bond_law *law = rps_bond_law_find(name);
    for (size_t k = 0; !law && name && k < world->bonds.own_laws; k++) {
        if (strcmp(world->bonds.own_law[k]->name, name) == 0) law = world->bonds.own_law[k];
    }
    return law;
}

static rps_status check_bond_law(const rps_bond_law *law, rps_error *err) {
    if (law->size != sizeof *law) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bond law: size is %u, expected %zu; set it to sizeof(rps_bond_law) and compile the program "
                        "against this library's headers",
                        law->size, sizeof *law);
    }
    if (!law->name || !*law->name) return rps_fail(err, RPS_BAD_INPUT, "bond law: a name is expected");
    if (!law->prepare || !law->evaluate || !law->spring || law->memory < 0 || law->memory > RPS_BOND_MEMORY) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bond law `%s`: prepare, evaluate and spring are expected, and 0 to %d memory numbers",
                        law->name, RPS_BOND_MEMORY);
    }
    if (law->measure != RPS_BOND_OF_PLACES && law->measure != RPS_BOND_OF_PATH) {
        return rps_fail(err, RPS_BAD_INPUT, "bond law `%s`: its measure is %d, none of rps_bond_measure", law->name,
                        (int)law->measure);
    }
    for (int k = 0; k < RPS_BOND_PARAMETERS && law->parameter[k].name; k++) {
        const rps_law_parameter *p = &law->parameter[k];
        if (p->unit && p->meaning && p->low <= p->high) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "bond law `%s`, parameter `%s`: unit (\"\" for a pure number), meaning and a range from low to "
                        "high are expected",
                        law->name, p->name);
    }
    return RPS_OK;
}

rps_status rps_world_register_bond_law(rps_world *world, const rps_bond_law *law, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(law);
    RPS_TRY(check_bond_law(law, err));
    if (rps_world_find_bond_law(world, law->name)) {
        return rps_fail(err, RPS_BAD_INPUT, "bond law `%s` exists already; give it another name", law->name);
    }
    rps_bonds *bonds = &world->bonds;
    void *grown;
    RPS_TRY(rps_list_grown(world->allocator, bonds->own_law, bonds->own_laws, sizeof *bonds->own_law, &grown, err));
    rps_list_keep(world->allocator, bonds->own_law, bonds->own_laws, sizeof *bonds->own_law, grown);
    bonds->own_law = grown;
    bonds->own_law[bonds->own_laws++] = law;
    return RPS_OK;
}

rps_status rps_bonds_add_setting(rps_world *world, const rps_bond_law *law, const double *value, size_t *index,
                                 rps_error *err) {
    rps_bonds *bonds = &world->bonds;
    void *grown;
    for (size_t k = bonds->settings; k-- > 0;) { /* NAN equals itself here; the last one is the likeliest */
        const rps_bond_setting *setting = &bonds->setting[k];
        if (setting->law != law || !rps_same_bits(setting->value, value, sizeof setting->value)) continue;
        *index = k;
        return RPS_OK;
    }
    RPS_TRY(rps_list_grown(world->allocator, bonds->setting, bonds->settings, sizeof *bonds->setting, &grown, err));
    rps_list_keep(world->allocator, bonds->setting, bonds->settings, sizeof *bonds->setting, grown);
    bonds->setting = grown;
    *index = bonds->settings++;
    bonds->setting[*index].law = law;
    memcpy(bonds->setting[*index].value, value, sizeof bonds->setting[*index].value);
    return RPS_OK;
}

/* --- memory --------------------------------------------------------------------------------------------------------- */

rps_status rps_bonds_reserve(rps_world *world, size_t count, rps_error *err) {
    rps_bonds *bonds = &world->bonds;
    void *bond = bonds->bond;
    size_t bytes;
    RPS_TRY(rps_size_of_items(count, sizeof *bonds->bond, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &bond, &bonds->bytes, bonds->count * sizeof *bonds->bond, bytes, err));
    bonds->bond = bond;
    return RPS_OK;
}

/* Subtracts a bond from the counts of the list and keeps its account. */
static void forget_bond(rps_world *world, const rps_bond *bond) {
    rps_bonds *bonds = &world->bonds;
    rps_exact_sum_add(&bonds->dissipated, bond->record.dissipated);
    if (!rps_bond_intact(bond)) {
        bonds->broken--;
        bonds->opening -= bond->record.contact == RPS_BOND_CONTACT_NONE;
        world->lists_stale = world->lists_stale || bond->record.contact == RPS_BOND_CONTACT_NONE;
    } else if (bond->record.contact == RPS_BOND_CONTACT_NONE) {
        bonds->without_contact--;
        world->lists_stale = true;
    }
}

void rps_bonds_drop(rps_world *world, size_t k) {
    rps_bonds *bonds = &world->bonds;
    forget_bond(world, &bonds->bond[k]);
    bonds->count--;
    memmove(bonds->bond + k, bonds->bond + k + 1, (bonds->count - k) * sizeof *bonds->bond);
    bonds->stale = true;
}

void rps_bonds_drop_marked(rps_world *world, const uint8_t *mark) {
    rps_bonds *bonds = &world->bonds;
    size_t kept = 0;
    for (size_t k = 0; k < bonds->count; k++) {
        const rps_bond *bond = &bonds->bond[k];
        if (mark[rps_world_slot(world, bond->body[0])] || mark[rps_world_slot(world, bond->body[1])]) {
            forget_bond(world, bond);
        } else {
            if (kept != k) bonds->bond[kept] = *bond;
            kept++;
        }
    }
    bonds->stale = bonds->stale || kept != bonds->count;
    bonds->count = kept;
}

void rps_bonds_clear(rps_world *world) {
    rps_bonds *bonds = &world->bonds;
    rps_list_release(world->allocator, bonds->setting, bonds->settings, sizeof *bonds->setting);
    bonds->setting = NULL;
    bonds->settings = bonds->count = bonds->broken = bonds->without_contact = bonds->opening = bonds->bodies = 0;
    bonds->breaks = 0;
    rps_exact_sum_clear(&bonds->dissipated);
    bonds->used = false;
    bonds->stale = true;
}

void rps_bonds_release(rps_world *world) {
    rps_bonds *bonds = &world->bonds;
    void *bond = bonds->bond, *end = bonds->end, *begin = bonds->body_begin;
    rps_buffer_release(world->allocator, &bond, &bonds->bytes);
    rps_buffer_release(world->allocator, &end, &bonds->end_bytes);
    rps_buffer_release(world->allocator, &begin, &bonds->body_bytes);
    rps_list_release(world->allocator, bonds->setting, bonds->settings, sizeof *bonds->setting);
    rps_list_release(world->allocator, bonds->own_law, bonds->own_laws, sizeof *bonds->own_law);
}

/* --- bonds of each body --------------------------------------------------------------------------------------------- */

static int compare_ends(const void *a, const void *b) {
    const rps_bond_end *p = a, *q = b;
    if (p->body != q->body) return p->body < q->body ? -1 : 1;
    return p->end < q->end ? -1 : p->end > q->end;
}

rps_status rps_bonds_index(const rps_world *world, rps_bonds *bonds, rps_error *err) {
    if (!bonds->stale) return RPS_OK;
    const size_t ends = 2 * (bonds->count - bonds->broken);
    void *end = bonds->end, *begin = bonds->body_begin;
    size_t end_bytes, body_bytes, n = 0;
    RPS_TRY(rps_size_of_items(ends + 1, sizeof *bonds->end, &end_bytes, err));
    RPS_TRY(rps_size_of_items(ends + 1, sizeof *bonds->body_begin, &body_bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &end, &bonds->end_bytes, 0, end_bytes, err));
    bonds->end = end;
    RPS_TRY(rps_buffer_reserve(world->allocator, &begin, &bonds->body_bytes, 0, body_bytes, err));
    bonds->body_begin = begin;
    for (size_t k = 0; k < bonds->count; k++) {
        for (size_t side = 0; side < 2 && rps_bond_intact(&bonds->bond[k]); side++) {
            bonds->end[n++] = (rps_bond_end){bonds->bond[k].body[side], 2 * k + side};
        }
    }
    qsort(bonds->end, n, sizeof *bonds->end, compare_ends);
    bonds->bodies = 0;
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || bonds->end[k].body != bonds->end[k - 1].body) bonds->body_begin[bonds->bodies++] = k;
    }
    bonds->body_begin[bonds->bodies] = n;
    bonds->stale = false;
    return RPS_OK;
}

size_t rps_bonds_of_body(const rps_bonds *bonds, uint64_t id) {
    size_t from = 0, to = bonds->bodies;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        if (bonds->end[bonds->body_begin[mid]].body < id) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    return from < bonds->bodies && bonds->end[bonds->body_begin[from]].body == id ? from : SIZE_MAX;
}
