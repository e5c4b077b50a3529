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
    BYTES(step_from, options)            \
    BYTES(time_from, options)            \
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
    APART(mesh)                          \
    BYTES(meshes, pieces)                \
    APART(motion_table)                  \
    BYTES(motions, drives)               \
    BYTES(mesh_slots, pieces)            \
    APART(clump)                         \
    APART(driven)                        \
    BYTES(drives, drives)                \
    BYTES(servos, drives)                \
    BYTES(surfaces, drives)              \
    APART(joint)                         \
    BYTES(joints, joints)                \
    APART(joined)                        \
    BYTES(joined_pairs, joints)          \
    APART(bonds)                         \
    APART(loads)                         \
    APART(liquid)                        \
    APART(heat)                          \
    APART(forces)                        \
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
    BYTES(external_acts, applied)        \
    BYTES(external_holds, applied)       \
    BYTES(fluid, options)                \
    BYTES(in_fluid, options)             \
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

/* Structures of several parts are read from a copy, from which each part is taken: what stays, a new member too, belongs
 * to the last part. */
#define TAKE(part, x)               \
    do {                            \
        ADD(part, x);               \
        memset(&(x), 0, sizeof(x)); \
    } while (0)

static void take_buffers(hashes *h, int part, rps_scratch *const *buffer, size_t count) {
    for (size_t k = 0; k < count; k++) {
        add_buffer(h, part, buffer[k]);
        memset(buffer[k], 0, sizeof *buffer[k]);
    }
}

#define TAKE_BUFFERS(part, ...)                                               \
    do {                                                                      \
        rps_scratch *const buffer[] = {__VA_ARGS__};                          \
        take_buffers(h, PART_##part, buffer, sizeof buffer / sizeof *buffer); \
    } while (0)

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
    add_buffer(h, PART_load, &m->load);
    add_buffer(h, PART_has_load, &m->has_load);
    add_buffer(h, PART_was_active, &m->was_active);
    add_buffer(h, PART_result, &m->result);
    const rps_scratch *const rebuild[] = {&m->mixed, &m->kind, &m->tally, &m->degree, &m->renumbering, &m->shuffled};
    for (size_t k = 0; k < sizeof rebuild / sizeof *rebuild; k++) add_buffer(h, PART_rebuild, rebuild[k]);
    const rps_scratch *const apart[] = {&m->path, &m->apart};
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        add_buffer(h, PART_apart, apart[k]);
        ADD(apart, *apart[k]);
    }
    ADD(apart, c->paths);
    const rps_scratch *const mesh[] = {&m->mesh_geometry, &m->mesh_entry,   &m->mesh_pair,
                                       &m->mesh_note[0],  &m->mesh_note[1], &m->mesh_work};
    for (size_t k = 0; k < sizeof mesh / sizeof *mesh; k++) {
        add_buffer(h, PART_meshes, mesh[k]);
        ADD(meshes, *mesh[k]);
    }
    ADD(meshes, c->mesh);
    ADD(meshes, m->note_present);
    rps_contacts rest;
    memcpy(&rest, c, sizeof rest);
    memset(&rest.mesh, 0, sizeof rest.mesh);
    memset(&rest.memory.mesh_geometry, 0, sizeof rest.memory.mesh_geometry);
    memset(&rest.memory.mesh_entry, 0, sizeof rest.memory.mesh_entry);
    memset(&rest.memory.mesh_pair, 0, sizeof rest.memory.mesh_pair);
    memset(&rest.memory.mesh_note, 0, sizeof rest.memory.mesh_note);
    rest.memory.note_present = 0;
    memset(&rest.memory.mesh_work, 0, sizeof rest.memory.mesh_work);
    rest.paths = 0;
    rest.path = NULL;
    rest.apart = NULL;
    memset(&rest.memory.path, 0, sizeof rest.memory.path);
    memset(&rest.memory.apart, 0, sizeof rest.memory.apart);
    ADD(references, rest); /* where all arrays lie, and a new member */
}

static void add_lists(hashes *h, const rps_world *world) {
    if (!world->lists) return;
    rps_lists l = *world->lists;
    rps_cells *cells = &l.cells;
    TAKE_BUFFERS(cells, &cells->keyed, &cells->keyed_other, &cells->histogram, &cells->body, &cells->plane,
                 &cells->from);
    TAKE(cells, l.cells);
    TAKE_BUFFERS(search, &l.found);
    TAKE(search, l.finders);
    TAKE_BUFFERS(candidates, &l.row, &l.other, &l.pair_type, &l.subkey, &l.column, &l.column_pair, &l.column_other,
                 &l.row_block);
    TAKE(candidates, l.bodies);
    TAKE(candidates, l.pairs);
    TAKE_BUFFERS(candidate_marks, &l.cursor, &l.entry, &l.pair_mark);
    TAKE_BUFFERS(paths, &l.prediction);
    ADD(life, l);
}

static void add_setup(hashes *h, const rps_world *world) {
    rps_world_options options = world->options;
    TAKE(domain, options.guards.low);
    TAKE(domain, options.guards.high);
    ADD(options, options);
    for (size_t k = 0; k < world->materials; k++) {
        add(h, PART_setup, world->material[k].name, strlen(world->material[k].name));
    }
    add(h, PART_setup, world->material, world->materials * sizeof *world->material);
    for (size_t k = 0; k < world->pairs; k++) {
        rps_pair_setup pair = world->pair_setup[k];
        TAKE(ranges, pair.cutoff);
        ADD(setup, pair);
    }
    add(h, PART_setup, world->pair_of, world->materials * world->materials * sizeof *world->pair_of);
    for (size_t k = 0; k < world->groups; k++) add(h, PART_setup, world->group[k], strlen(world->group[k]));
    add(h, PART_setup, world->rule, world->groups * world->groups);
    add(h, PART_setup, world->own_law, world->own_laws * sizeof *world->own_law);
    add(h, PART_pieces, world->piece, world->pieces * sizeof *world->piece);
    add(h, PART_drives, world->motion_table, world->motions * sizeof *world->motion_table);
    add(h, PART_pieces, world->mesh, world->meshes * sizeof *world->mesh);
    add(h, PART_pieces, world->collider, world->colliders * sizeof *world->collider);
    add(h, PART_pieces, world->collider_of, world->collider_of_bytes);
    if (world->clump) ADD(pieces, *world->clump);
    add(h, PART_user, world->user, world->users * sizeof *world->user);
}

static void add_joints_and_drives(hashes *h, const rps_world *world) {
    for (size_t k = 0; k < world->joints; k++) {
        rps_joint joint = world->joint[k];
        TAKE(joint_memory, joint.memory);
        ADD(joints, joint);
    }
    add(h, PART_joints, world->joined, world->joined_pairs * sizeof *world->joined);
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state driven = world->driven[k];
        TAKE(servos, driven.shift);
        TAKE(servos, driven.speed);
        TAKE(servos, driven.surface_power);
        ADD(drives, driven);
    }
    const rps_externals *external = &world->external;
    add(h, PART_applied, external->torque, external->count * sizeof *external->torque);
    add(h, PART_applied, external->held, external->count * sizeof *external->held);
    const rps_surface_loads *loads = &world->loads;
    ADD(surface_loads, *loads);
    add(h, PART_surface_loads, loads->body, loads->bodies * sizeof *loads->body);
    add(h, PART_surface_loads, loads->triangle, loads->triangles * sizeof *loads->triangle);
    add_buffer(h, PART_surface_loads, &loads->work);
    const rps_liquid *liquid = &world->liquid;
    ADD(liquid, *liquid);
    add(h, PART_liquid, liquid->film, liquid->films * sizeof *liquid->film);
    add_buffer(h, PART_liquid, &liquid->work);
    ADD(heat, world->heat);
    ADD(setup, world->forces);
    for (size_t k = 0; k < world->forces.count; k++) {
        rps_force_field field = world->forces.field[k];
        TAKE(changes, field.work);
        ADD(setup, field);
    }
    add(h, PART_heat, world->heat.body, world->heat.bodies * sizeof *world->heat.body);
    const rps_commons *commons = &world->commons;
    ADD(commons, commons->count);
    add(h, PART_commons, commons->id, commons->count * sizeof *commons->id);
    add(h, PART_common_sums, commons->sum, commons->sum_bytes);
}

static void add_bonds(hashes *h, const rps_world *world) {
    rps_bonds b = world->bonds;
    for (size_t k = 0; k < b.count; k++) {
        rps_bond bond = b.bond[k];
        TAKE(bond_constants, bond.constant);
        TAKE(bond_loads, bond.wrench);
        TAKE(bond_loads, bond.breaking);
        ADD(bond_records, bond);
    }
    add(h, PART_setup, b.setting, b.settings * sizeof *b.setting);
    add(h, PART_setup, b.own_law, b.own_laws * sizeof(*b.own_law));
    add(h, PART_bond_index, b.end, b.end_bytes);
    add(h, PART_bond_index, b.body_begin, b.body_bytes);
    TAKE(bond_index, b.end);
    TAKE(bond_index, b.end_bytes);
    TAKE(bond_index, b.body_begin);
    TAKE(bond_index, b.body_bytes);
    TAKE(bond_index, b.stale);
    TAKE(bond_index, b.bodies);
    TAKE(bond_loads, b.breaking);
    TAKE(changes, b.dissipated);
    ADD(bond_counts, b);
}

static void add_nonsmooth(hashes *h, const rps_world *world) {
    if (!world->nonsmooth) return;
    rps_nonsmooth ns = *world->nonsmooth;
    TAKE_BUFFERS(step_velocities, &ns.before, &ns.after);
    TAKE(step_velocities, ns.slip_speed);
    TAKE_BUFFERS(step_trial, &ns.trial, &ns.island, &ns.island_work);
    TAKE_BUFFERS(step_nodes, &ns.node, &ns.node_of, &ns.slot_of_node, &ns.member);
    TAKE(step_nodes, ns.members);
    TAKE(step_nodes, ns.nodes);
    TAKE(step_nodes, ns.still);
    TAKE_BUFFERS(step_contacts, &ns.now.contact, &ns.now.cone, &ns.old.contact, &ns.old.cone);
    TAKE(step_contacts, ns.contacts);
    TAKE_BUFFERS(step_impulses, &ns.now.impulse, &ns.now.slip, &ns.old.impulse, &ns.old.slip, &ns.velocity,
                 &ns.row_impulse);
    TAKE(step_impulses, ns.system);
    TAKE_BUFFERS(step_joints, &ns.row, &ns.joint, &ns.group, &ns.relaxation, &ns.limit, &ns.goal, &ns.miss, &ns.kept);
    TAKE(step_joints, ns.pass);
    TAKE(step_joints, ns.kick);
    TAKE(step_joints, ns.rows);
    TAKE(step_joints, ns.locks);
    TAKE_BUFFERS(step_joint_loads, &ns.joint_load);
    TAKE_BUFFERS(step_choice, &ns.first, &ns.flag, &ns.number, &ns.picked);
    ADD(step_choice, ns);
}

static void add_guards(hashes *h, const rps_world *world) {
    rps_guard_state guard = world->guard;
    TAKE(deep, guard.beyond_guard);
    ADD(guard, guard);
    rps_motion_maxima moved = world->moved;
    TAKE(deviation, moved.deviation);
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
