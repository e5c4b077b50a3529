#include "parts_common.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "detect/lists.h"
#include "step/nonsmooth.h"
#include "world/world_internal.h"

const char *const part_name[PARTS] = {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) [PART_body_##name] = "bodies." #name,
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
#define PART(name, text) [PART_##name] = text,
    WORLD_PARTS(PART)
#undef PART
};

/* --- members of the world ------------------------------------------------------------------------------------------- */

/* Members whose bytes are the part, and members that are read apart: pointers, and structures of several parts. */
#define WORLD_MEMBERS(BYTES, APART)      \
    APART(options)                       \
    BYTES(allocator, setup)              \
    BYTES(isa, options)                  \
    BYTES(threads, options)              \
    BYTES(steps, progress)               \
    BYTES(cell, cell)                    \
    BYTES(shear, shear)                  \
    BYTES(step, options)                 \
    BYTES(started, progress)             \
    BYTES(lists_stale, life)             \
    BYTES(axes_locked, setup)            \
    BYTES(evaluated, evaluated)          \
    BYTES(keep_contacts, progress)       \
    BYTES(contacts_kept, evaluated)      \
    BYTES(loads_known, evaluated)        \
    APART(material)                      \
    BYTES(materials, setup)              \
    APART(pair_setup)                    \
    BYTES(pairs, setup)                  \
    APART(pair_of)                       \
    APART(group)                         \
    BYTES(groups, setup)                 \
    APART(rule)                          \
    APART(own_law)                       \
    BYTES(own_laws, setup)               \
    APART(piece)                         \
    BYTES(pieces, pieces)                \
    BYTES(piece_bytes, pieces)           \
    BYTES(last_pieces, pieces)           \
    APART(collider)                      \
    APART(collider_of)                   \
    BYTES(colliders, pieces)             \
    BYTES(collider_pieces, pieces)       \
    BYTES(collider_bytes, pieces)        \
    BYTES(collider_of_bytes, pieces)     \
    BYTES(all_pieces, options)           \
    APART(clump)                         \
    APART(driven)                        \
    BYTES(drives, drives)                \
    BYTES(servos, drives)                \
    APART(joint)                         \
    BYTES(joints, joints)                \
    APART(joined)                        \
    BYTES(joined_pairs, joints)          \
    APART(bonds)                         \
    BYTES(gravity_made, options)         \
    APART(bodies)                        \
    BYTES(share, setup)                  \
    APART(commons)                       \
    APART(contacts)                      \
    APART(lists)                         \
    BYTES(lists_release, life)           \
    APART(moved)                         \
    APART(guard)                         \
    BYTES(speed_bound, speed_bound)      \
    BYTES(solver, solver)                \
    APART(nonsmooth)                     \
    BYTES(nonsmooth_release, progress)   \
    APART(contact_log)                   \
    BYTES(contact_log_release, log)      \
    BYTES(energy_brought, changes)       \
    BYTES(boundary_dissipated, accounts) \
    BYTES(energy_first, progress)        \
    BYTES(change, changes)               \
    BYTES(changed, changes)              \
    APART(external)                      \
    BYTES(externals, applied)            \
    BYTES(external_acts, applied)        \
    APART(user)                          \
    BYTES(users, user)                   \
    APART(scratch)                       \
    BYTES(scratch_bytes, lanes)

void assert_parts_are_complete(void) {
    static const struct {
        size_t at, bytes;
        const char *name;
    } member[] = {
#define APART(name) {offsetof(rps_world, name), sizeof((rps_world *)0)->name, #name},
#define BYTES(name, part) APART(name)
        WORLD_MEMBERS(BYTES, APART)
#undef APART
#undef BYTES
            {sizeof(rps_world), 0, "the end"},
    };
    size_t end = 0;
    for (size_t k = 0; k < sizeof member / sizeof *member; k++) {
        /* a member that is not listed is wider than the padding before the next one */
        if (member[k].at < end) fail_msg("%s of rps_world is out of order", member[k].name);
        if (member[k].at - end >= _Alignof(rps_world)) {
            fail_msg("a member of rps_world before %s belongs to no part: list it in %s", member[k].name, __FILE__);
        }
        end = member[k].at + member[k].bytes;
    }
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

typedef struct hashes {
    rps_hash of[PARTS];
} hashes;

static void add(hashes *h, int part, const void *data, size_t bytes) {
    if (data && bytes > 0) rps_hash128_add(&h->of[part], data, bytes);
}

#define ADD(part, x) add(h, PART_##part, &(x), sizeof(x))

static void add_buffer(hashes *h, int part, const rps_scratch *buffer) {
    add(h, part, &buffer->bytes, sizeof buffer->bytes);
    add(h, part, buffer->p, buffer->bytes);
}

static void add_bodies(hashes *h, const rps_world *world) {
    const rps_bodies *b = &world->bodies;
    ADD(slots, b->count);
    ADD(slots, b->capacity);
    ADD(slots, b->ids);
    ADD(slots, b->id_capacity);
    add(h, PART_slots, b->slot_of, (size_t)b->ids * sizeof *b->slot_of);
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        rps_view view;
        rps_error err;
        if (rps_world_view(world, rps_body_field(f)->name, &view, &err) != RPS_OK) fail_msg("%s", err.text);
        const size_t size = rps_body_field(f)->type == RPS_TYPE_int32 ? sizeof(int32_t) : sizeof(double);
        assert_string_equal(part_name[1 + f] + strlen("bodies."), rps_body_field(f)->name);
        for (uint64_t id = 0, s; rps_bodies_next(b, &id, &s); id++) {
            add(h, 1 + (int)f, (const char *)view.data + s * view.stride, (size_t)view.components * size);
        }
    }
}

/* The state of an entry that is not all 0. */
typedef struct keyed_state {
    uint64_t id[2];
    rps_subkey subkey;
    const rps_segment *segment;
    size_t place;
    int lanes;
} keyed_state;

static int compare_states(const void *a, const void *b) {
    const keyed_state *p = a, *q = b;
    for (int k = 0; k < 2; k++) {
        if (p->id[k] != q->id[k]) return p->id[k] < q->id[k] ? -1 : 1;
    }
    return rps_subkey_compare(p->subkey, q->subkey);
}

static bool holds_state(const rps_segment *segment, size_t place, int lanes) {
    for (int lane = 0; lane < lanes; lane++) {
        const double x = rps_segment_get(segment, lane, place);
        static const char zero[sizeof x];
        if (memcmp(&x, zero, sizeof x) != 0) return true;
    }
    return false;
}

static void add_states(hashes *h, const rps_world *world) {
    const rps_contacts *c = &world->contacts;
    keyed_state *all = malloc((c->entries + 1) * sizeof *all);
    size_t count = 0;
    assert_non_null(all);
    for (size_t k = 0; k < c->segments; k++) {
        const rps_segment *segment = &c->segment[k];
        const int lanes = world->pair_setup[segment->pair].layout[segment->record].lanes;
        const size_t end = (segment->count + RPS_BATCH - 1) / RPS_BATCH * RPS_BATCH;
        for (size_t e = 0; e < end && e < segment->capacity; e++) {
            if (!holds_state(segment, e, lanes)) continue;
            if (e >= segment->count) fail_msg("an entry past the last one has state");
            all[count++] =
                (keyed_state){.id = {world->bodies.id[segment->slot_i[e]][0], world->bodies.id[segment->slot_j[e]][0]},
                              .subkey = rps_segment_subkey(segment, e),
                              .segment = segment,
                              .place = e,
                              .lanes = lanes};
        }
    }
    qsort(all, count, sizeof *all, compare_states);
    for (size_t k = 0; k < count; k++) {
        ADD(state, all[k].id);
        ADD(state, all[k].subkey);
        for (int lane = 0; lane < all[k].lanes; lane++) {
            const double x = rps_segment_get(all[k].segment, lane, all[k].place);
            ADD(state, x);
        }
    }
    free(all);
}

static void add_contacts(hashes *h, const rps_world *world) {
    const rps_contacts *c = &world->contacts;
    const rps_contact_memory *m = &c->memory;
    ADD(entries, c->segments);
    ADD(entries, c->entries);
    for (size_t k = 0; k < c->segments; k++) {
        const rps_segment *segment = &c->segment[k];
        ADD(entries, segment->pair);
        ADD(entries, segment->record);
        ADD(entries, segment->begin);
        ADD(entries, segment->count);
        ADD(entries, segment->capacity);
        add(h, PART_entries, segment->slot_i, segment->capacity * sizeof *segment->slot_i);
        add(h, PART_entries, segment->slot_j, segment->capacity * sizeof *segment->slot_j);
        if (segment->subkey) add(h, PART_entries, segment->subkey, segment->capacity * sizeof *segment->subkey);
        for (size_t e = 0; e < segment->capacity; e++) {
            for (int q = 0; q < RPS_CONSTANT_LANES; q++) {
                const double x = rps_segment_constant(segment, e, q);
                ADD(constants, x);
            }
        }
    }
    add_states(h, world);
    const rps_scratch *const reference[] = {
        &m->reference_begin, &m->reference_own, &m->reference, &m->line, &m->row, &m->place};
    for (size_t k = 0; k < sizeof reference / sizeof *reference; k++) add_buffer(h, PART_references, reference[k]);
    ADD(references, c->inactive_begin);
    ADD(references, c->exceeds_l2);
    ADD(references, c->streams);
    ADD(references, c->bodies);
    add_buffer(h, PART_load, &m->load);
    add_buffer(h, PART_has_load, &m->has_load);
    add_buffer(h, PART_was_active, &m->was_active);
    add_buffer(h, PART_result, &m->result);
    ADD(result, c->result_capacity);
    const rps_scratch *const rebuild[] = {&m->mixed, &m->kind, &m->tally, &m->degree, &m->renumbering, &m->shuffled};
    for (size_t k = 0; k < sizeof rebuild / sizeof *rebuild; k++) add_buffer(h, PART_rebuild, rebuild[k]);
    ADD(rebuild, m->present);
    ADD(rebuild, m->store_present);
    ADD(lent, m->lent);
}

static void add_lists(hashes *h, const rps_world *world) {
    const rps_lists *l = world->lists;
    if (!l) return;
    ADD(life, l->workers);
    ADD(life, l->life);
    ADD(life, l->coming_candidate_skin);
    ADD(life, l->counts);
    ADD(life, l->remake_constants);
    ADD(life, l->ordered);
    ADD(life, l->general);
    rps_cells cells = l->cells;
    rps_scratch *const buffer[] = {&cells.keyed, &cells.keyed_other, &cells.histogram,
                                   &cells.body,  &cells.plane,       &cells.from};
    for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) {
        add_buffer(h, PART_cells, buffer[k]);
        memset(buffer[k], 0, sizeof *buffer[k]);
    }
    ADD(cells, cells);
    add_buffer(h, PART_search, &l->found);
    ADD(search, l->finders);
    const rps_scratch *const list[] = {&l->row,    &l->other,       &l->pair_type,    &l->subkey,
                                       &l->column, &l->column_pair, &l->column_other, &l->row_block};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) add_buffer(h, PART_candidates, list[k]);
    ADD(candidates, l->bodies);
    ADD(candidates, l->pairs);
    add_buffer(h, PART_candidate_marks, &l->cursor);
    add_buffer(h, PART_candidate_marks, &l->entry);
    add_buffer(h, PART_candidate_marks, &l->pair_mark);
    add_buffer(h, PART_paths, &l->prediction);
}

static void add_setup(hashes *h, const rps_world *world) {
    rps_world_options options = world->options;
    ADD(domain, options.guards.low);
    ADD(domain, options.guards.high);
    memset(options.guards.low, 0, sizeof options.guards.low);
    memset(options.guards.high, 0, sizeof options.guards.high);
    ADD(options, options);
    for (size_t k = 0; k < world->materials; k++) {
        add(h, PART_setup, world->material[k].name, strlen(world->material[k].name));
    }
    add(h, PART_setup, world->material, world->materials * sizeof *world->material);
    for (size_t k = 0; k < world->pairs; k++) {
        rps_pair_setup pair = world->pair_setup[k];
        ADD(ranges, pair.cutoff);
        pair.cutoff = 0.0;
        ADD(setup, pair);
    }
    add(h, PART_setup, world->pair_of, world->materials * world->materials * sizeof *world->pair_of);
    for (size_t k = 0; k < world->groups; k++) add(h, PART_setup, world->group[k], strlen(world->group[k]));
    add(h, PART_setup, world->rule, world->groups * world->groups);
    add(h, PART_setup, world->own_law, world->own_laws * sizeof *world->own_law);
    add(h, PART_pieces, world->piece, world->pieces * sizeof *world->piece);
    add(h, PART_pieces, world->collider, world->colliders * sizeof *world->collider);
    add(h, PART_pieces, world->collider_of, world->collider_of_bytes);
    if (world->clump) ADD(pieces, *world->clump);
    add(h, PART_user, world->user, world->users * sizeof *world->user);
}

static void add_joints_and_drives(hashes *h, const rps_world *world) {
    for (size_t k = 0; k < world->joints; k++) {
        rps_joint joint = world->joint[k];
        ADD(joint_memory, joint.memory);
        memset(&joint.memory, 0, sizeof joint.memory);
        ADD(joints, joint);
    }
    add(h, PART_joints, world->joined, world->joined_pairs * sizeof *world->joined);
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state driven = world->driven[k];
        ADD(servos, driven.shift);
        ADD(servos, driven.speed);
        driven.shift = driven.speed = 0.0;
        ADD(drives, driven);
    }
    for (size_t id = 0; id < world->externals; id++) {
        const rps_external *external = &world->external[id];
        ADD(applied, external->held);
        ADD(applied, external->once);
        ADD(applied_work, external->work);
    }
    const rps_commons *commons = &world->commons;
    ADD(commons, commons->count);
    add(h, PART_commons, commons->id, commons->count * sizeof *commons->id);
    add(h, PART_common_sums, commons->sum, commons->sum_bytes);
}

static void add_bonds(hashes *h, const rps_world *world) {
    const rps_bonds *b = &world->bonds;
    for (size_t k = 0; k < b->count; k++) {
        const rps_bond *bond = &b->bond[k];
        ADD(bond_records, bond->body);
        ADD(bond_records, bond->record);
        ADD(bond_constants, bond->constant);
        ADD(bond_loads, bond->wrench);
        ADD(bond_loads, bond->breaking);
    }
    ADD(bond_loads, b->breaking);
    ADD(bond_counts, b->count);
    ADD(bond_counts, b->broken);
    ADD(bond_counts, b->without_contact);
    ADD(bond_counts, b->opening);
    ADD(bond_counts, b->breaks);
    ADD(bond_counts, b->used);
    ADD(changes, b->dissipated);
    ADD(setup, b->settings);
    ADD(setup, b->own_laws);
    add(h, PART_setup, b->setting, b->settings * sizeof *b->setting);
    add(h, PART_setup, b->own_law, b->own_laws * sizeof(*b->own_law));
    ADD(bond_index, b->stale);
    ADD(bond_index, b->bodies);
    add(h, PART_bond_index, b->end, b->end_bytes);
    add(h, PART_bond_index, b->body_begin, b->body_bytes);
}

static void add_nonsmooth(hashes *h, const rps_world *world) {
    const rps_nonsmooth *ns = world->nonsmooth;
    if (!ns) return;
    add_buffer(h, PART_step_velocities, &ns->before);
    add_buffer(h, PART_step_velocities, &ns->after);
    ADD(step_velocities, ns->slip_speed);
    add_buffer(h, PART_step_trial, &ns->trial);
    add_buffer(h, PART_step_nodes, &ns->node);
    add_buffer(h, PART_step_nodes, &ns->node_of);
    add_buffer(h, PART_step_nodes, &ns->slot_of_node);
    ADD(step_nodes, ns->nodes);
    ADD(step_nodes, ns->still);
    const rps_scratch *const choice[] = {&ns->first, &ns->flag, &ns->number, &ns->picked};
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) add_buffer(h, PART_step_choice, choice[k]);
    const rps_step_rows *const rows[] = {&ns->now, &ns->old};
    for (int k = 0; k < 2; k++) {
        add_buffer(h, PART_step_contacts, &rows[k]->contact);
        add_buffer(h, PART_step_contacts, &rows[k]->cone);
        add_buffer(h, PART_step_impulses, &rows[k]->impulse);
        add_buffer(h, PART_step_impulses, &rows[k]->slip);
    }
    ADD(step_contacts, ns->contacts);
    add_buffer(h, PART_step_impulses, &ns->velocity);
    add_buffer(h, PART_step_impulses, &ns->row_impulse);
    const rps_scratch *const joint[] = {&ns->row, &ns->joint, &ns->group, &ns->relaxation, &ns->limit};
    for (size_t k = 0; k < sizeof joint / sizeof *joint; k++) add_buffer(h, PART_step_joints, joint[k]);
    ADD(step_joints, ns->rows);
    ADD(step_joints, ns->locks);
    add_buffer(h, PART_step_joint_loads, &ns->joint_load);
}

static void add_guards(hashes *h, const rps_world *world) {
    rps_guard_state guard = world->guard;
    ADD(deep, guard.beyond_guard);
    guard.beyond_guard = false;
    ADD(guard, guard);
    rps_motion_maxima moved = world->moved;
    ADD(deviation, moved.deviation);
    moved.deviation = 0.0;
    ADD(moved, moved);
}

void take_fingerprints(const rps_world *world, fingerprints *out) {
    static hashes all;
    hashes *h = &all;
    for (int k = 0; k < PARTS; k++) rps_hash128_begin(&h->of[k]);
#define BYTES(member, part) ADD(part, world->member);
#define APART(member)
    WORLD_MEMBERS(BYTES, APART)
    add_bodies(h, world);
    add_contacts(h, world);
    add_lists(h, world);
    add_setup(h, world);
    add_joints_and_drives(h, world);
    add_bonds(h, world);
    add_nonsmooth(h, world);
    add_guards(h, world);
    add(h, PART_lanes, world->scratch, world->scratch_bytes);
    ADD(log, world->contact_log);
    for (int k = 0; k < PARTS; k++) out->of[k] = rps_hash128_result(&h->of[k]);
}
