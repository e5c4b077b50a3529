/*
 * Contacts and loads on bodies, for results and probes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "detect/gap_table.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/share.h"

static bool exists(const rps_world *world, const rps_segment *segment, size_t place) {
    const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
    return rps_segment_get(segment, layout->modes, place) > 0.5;
}

bool rps_entry_touches(const rps_world *world, const rps_segment *segment, size_t place) {
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const int overlap = pair->layout[segment->record].overlap;
    return exists(world, segment, place) && (!pair->gaps || rps_segment_get(segment, overlap, place) > 0.0);
}

size_t rps_world_contact_count(const rps_world *world) {
    size_t count = 0;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        for (size_t c = 0; c < world->contacts.segment[n].count; c++) {
            const rps_segment *segment = &world->contacts.segment[n];
            count += rps_share_counts(world->share, segment->slot_i[c]) && exists(world, segment, c);
        }
    }
    return count;
}

static void contacts_fill(const rps_world *world, size_t entry, rps_contact *out) {
    const rps_segment *segment = rps_entry_segment(&world->contacts, entry);
    const size_t place = entry - segment->begin, i = segment->slot_i[place], j = segment->slot_j[place];
    const rps_entry_result *r = &world->contacts.result[entry];
    memset(out, 0, sizeof *out);
    out->id_i = world->bodies.id[i][0];
    out->id_j = world->bodies.id[j][0];
    const rps_subkey subkey = rps_segment_subkey(segment, place);
    out->piece_i = (int)subkey.piece_i;
    out->piece_j = (int)subkey.piece_j;
    out->feature = (int)subkey.feature;
    double x[3];
    rps_world_unwrapped(world, i, x);
    for (int k = 0; k < 3; k++) {
        out->branch_i[k] = r->branch_i[k];
        out->branch_j[k] = r->branch_j[k];
        out->point[k] = x[k] + r->branch_i[k];
    }
#define RPS_CONTACT_FIELD(name, components, unit, meaning) memcpy(out->name, r->name, sizeof out->name);
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
}

void rps_contact_force(const rps_contact *contact, double force[3]) {
    for (int k = 0; k < 3; k++) {
        force[k] = contact->normal_load[0] * contact->normal[k] + contact->slide_force[k] + contact->curvature_force[k];
    }
}

rps_status rps_contacts_need_kept(const rps_world *world, rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "a list of contacts", err));
    if (world->started && (!world->evaluated || world->lists_stale)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        world->lists_stale
                            ? "bodies or pairs came or went since the last step: read contacts before, or step first"
                            : "the last step failed before it had its contacts");
    }
    if (!world->started || !world->contacts_kept) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "contacts were not kept in the last step: set `contacts` in the options of the world, or call "
                        "rps_world_keep_contacts(world, true) before the step");
    }
    return RPS_OK;
}

/* The next contact by the lower body's id, then by key. The references of every body are in that order already. */
static bool next_entry(const rps_world *world, rps_contact_cursor *cursor, size_t *entry) {
    const rps_contacts *contacts = &world->contacts;
    uint64_t s;
    if (!contacts->reference_begin) return false;
    for (; rps_bodies_next(&world->bodies, &cursor->id, &s); cursor->id++, cursor->own = 0) {
        const size_t begin = contacts->reference_own[s];
        while (begin + cursor->own < contacts->reference_begin[s + 1]) {
            *entry = rps_reference_entry(contacts->reference[begin + cursor->own++]);
            const rps_segment *segment = rps_entry_segment(contacts, *entry);
            if (exists(world, segment, *entry - segment->begin)) return true;
        }
    }
    return false;
}

size_t rps_contacts_next(const rps_world *world, rps_contact_cursor *cursor, rps_contact *out, size_t space) {
    size_t n = 0, entry;
    while (n < space && next_entry(world, cursor, &entry)) contacts_fill(world, entry, &out[n++]);
    return n;
}

bool rps_contacts_next_key(const rps_world *world, rps_contact_cursor *cursor, rps_contact_key *key) {
    size_t entry;
    if (!next_entry(world, cursor, &entry)) return false;
    const rps_segment *segment = rps_entry_segment(&world->contacts, entry);
    const size_t place = entry - segment->begin;
    const rps_subkey subkey = rps_segment_subkey(segment, place);
    *key = (rps_contact_key){.id_i = world->bodies.id[segment->slot_i[place]][0],
                             .id_j = world->bodies.id[segment->slot_j[place]][0],
                             .piece_i = (int)subkey.piece_i,
                             .piece_j = (int)subkey.piece_j,
                             .feature = (int)subkey.feature};
    return true;
}

rps_status rps_world_contacts(const rps_world *world, rps_contact *out, size_t space, size_t *count, rps_error *err) {
    rps_contact_cursor cursor = {0, 0};
    size_t entry;
    RPS_GIVEN(world);
    RPS_GIVEN(count);
    if (space > 0) RPS_GIVEN(out);
    RPS_TRY(rps_contacts_need_kept(world, err));
    *count = rps_contacts_next(world, &cursor, out, space);
    while (next_entry(world, &cursor, &entry)) ++*count;
    return RPS_OK;
}

/* Iterates over the contacts of two bodies. */
typedef struct pair_walk {
    size_t next, end, other;
} pair_walk;

static rps_status walk_pair(const rps_world *world, uint64_t id_a, uint64_t id_b, pair_walk *walk, rps_error *err) {
    size_t a, b;
    RPS_TRY(rps_contacts_need_kept(world, err));
    RPS_TRY(rps_world_find_body(world, id_a, &a, err));
    RPS_TRY(rps_world_find_body(world, id_b, &b, err));
    const size_t lower = id_a < id_b ? a : b;
    const rps_contacts *contacts = &world->contacts;
    const bool any = contacts->reference_begin != NULL;
    *walk = (pair_walk){.next = any ? contacts->reference_own[lower] : 0,
                        .end = any ? contacts->reference_begin[lower + 1] : 0,
                        .other = id_a < id_b ? b : a};
    return RPS_OK;
}

static bool next_of_pair(const rps_world *world, pair_walk *walk, rps_contact *out) {
    while (walk->next < walk->end) {
        const size_t entry = world->contacts.reference[walk->next++] >> 1;
        const rps_segment *segment = rps_entry_segment(&world->contacts, entry);
        const size_t place = entry - segment->begin;
        if (segment->slot_j[place] == walk->other && exists(world, segment, place)) {
            contacts_fill(world, entry, out);
            return true;
        }
    }
    return false;
}

rps_status rps_world_pair_contacts(const rps_world *world, uint64_t id_a, uint64_t id_b, rps_contact *out, size_t space,
                                   size_t *count, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(count);
    if (space > 0) RPS_GIVEN(out);
    pair_walk walk;
    rps_contact contact;
    RPS_TRY(walk_pair(world, id_a, id_b, &walk, err));
    for (*count = 0; next_of_pair(world, &walk, &contact); ++*count) {
        if (*count < space) {
            out[*count] = contact;
        }
    }
    return RPS_OK;
}

static void contacts_add(double *sum, const double *value, size_t components) {
    for (size_t k = 0; k < components; k++) {
        sum[k] += value[k];
    }
}

static double contacts_larger(double a, double b) {
    return a > b ? a : b;
}

/* Adds a contact to the sum of those before it; the means are divided later. */
static void join(rps_contact *all, const rps_contact *one) {
    const rps_contact before = *all;
#define RPS_CONTACT_FIELD(name, components, unit, meaning) contacts_add(all->name, one->name, components);
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
    all->overlap[0] = contacts_larger(before.overlap[0], one->overlap[0]);
    all->contact_radius[0] = contacts_larger(before.contact_radius[0], one->contact_radius[0]);
#define RPS_ROLE_MODE(symbol, name, meaning) \
    all->name##_mode[0] = contacts_larger(before.name##_mode[0], one->name##_mode[0]);
#include <repose/role_list.inc>
    all->piece_i = before.piece_i == one->piece_i ? one->piece_i : -1;
    all->piece_j = before.piece_j == one->piece_j ? one->piece_j : -1;
    all->feature = before.feature == one->feature ? one->feature : -1;
}

/* Sums of what is averaged: weighted by the load, and all the same. */
typedef struct pair_mean {
    double weight, normal[3], branch_i[3], branch_j[3];
} pair_mean;

static void contacts_weigh(pair_mean *mean, const rps_contact *contact, double weight) {
    mean->weight += weight;
    for (int k = 0; k < 3; k++) {
        mean->normal[k] += weight * contact->normal[k];
        mean->branch_i[k] += weight * contact->branch_i[k];
        mean->branch_j[k] += weight * contact->branch_j[k];
    }
}

rps_status rps_world_contact(const rps_world *world, uint64_t id_a, uint64_t id_b, rps_contact *out, bool *found,
                             rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    RPS_GIVEN(found);
    pair_walk walk;
    rps_contact one;
    pair_mean loaded = {0}, plain = {0};
    size_t count = 0;
    RPS_TRY(walk_pair(world, id_a, id_b, &walk, err));
    for (; next_of_pair(world, &walk, &one); count++) {
        const double load = one.normal_load[0];
        contacts_weigh(&loaded, &one, load < 0.0 ? -load : load);
        contacts_weigh(&plain, &one, 1.0);
        if (count == 0) {
            *out = one;
        } else {
            join(out, &one);
        }
    }
    *found = count > 0;
    if (count < 2) {
        return RPS_OK;
    }
    const pair_mean *mean = loaded.weight > 0.0 ? &loaded : &plain;
    const double *n = mean->normal, size = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    double centre[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = one.point[k] - one.branch_i[k];
        out->branch_i[k] = mean->branch_i[k] / mean->weight;
        out->branch_j[k] = mean->branch_j[k] / mean->weight;
        out->point[k] = centre[k] + out->branch_i[k];
        /* normals that cancel, as in a ring around a rod, have no direction: use that of the last */
        out->normal[k] = size > 0.0 ? n[k] / size : one.normal[k];
    }
    return RPS_OK;
}

/* Adds the torque (N m) of a contact with force f on a plane. A flat record has no branch vector of the plane: it is
 * that of the sphere, which lies along the normal, from the center of the plane. */
static void add_torque_on_plane(const rps_world *world, const rps_segment *segment, size_t place, bool plane_is_j,
                                const double f[3], double t[3]) {
    const size_t ball = plane_is_j ? segment->slot_i[place] : segment->slot_j[place];
    const size_t plane = plane_is_j ? segment->slot_j[place] : segment->slot_i[place];
    const rps_subkey subkey = rps_segment_subkey(segment, place);
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const double *m = world->bodies.normal[plane];
    rps_side side;
    rps_vec3 offset;
    rps_pair_side(world, ball, plane_is_j ? subkey.piece_i : subkey.piece_j, &side, &offset);
    const double radius = side.parameter[0];
    const rps_vec3 away = rps_vec3_add(rps_pair_difference(world, ball, plane), offset);
    double branch[3] = {away.x, away.y, away.z}, height = 0.0;
    for (int k = 0; k < 3; k++) height += branch[k] * m[k];
    /* the lowest point of the sphere; from there the line has it to the mid of the surface points */
    const double overlap = pair->law[RPS_ROLE_NORMAL]->rigid_geometry ? 0.0 : radius - height;
    for (int k = 0; k < 3; k++) branch[k] -= (radius - overlap) * m[k];
    t[0] += branch[1] * f[2] - branch[2] * f[1];
    t[1] += branch[2] * f[0] - branch[0] * f[2];
    t[2] += branch[0] * f[1] - branch[1] * f[0];
}

rps_status rps_world_body_load(const rps_world *world, uint64_t id, double force[3], double torque[3], rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(force);
    RPS_GIVEN(torque);
    size_t s;
    RPS_TRY(rps_world_find_body(world, id, &s, err));
    if (world->started && !world->loads_known) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "loads of contacts are not part of a saved state: make a step before reading them");
    }
    rps_exact_sum sum[6];
    for (int k = 0; k < 6; k++) {
        rps_exact_sum_clear(&sum[k]);
    }
    const rps_bodies *bodies = &world->bodies;
    const rps_contacts *contacts = &world->contacts;
    if (contacts->reference_begin && world->evaluated && !world->lists_stale) {
        for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
            const uint32_t line = contacts->line[r];
            if (!contacts->has_load[line]) continue;
            const size_t entry = contacts->reference[r] >> 1;
            const bool is_j = rps_reference_is_j(contacts->reference[r]);
            const rps_segment *segment = rps_entry_segment(contacts, entry);
            const double *f = contacts->load[line].force;
            double t[3];
            memcpy(t, contacts->load[line].torque, sizeof t);
            if (world->options.stepper == RPS_PENALTY && rps_record_is_flat(segment->record) &&
                rps_body_is_plane(bodies, s)) {
                add_torque_on_plane(world, segment, entry - segment->begin, is_j, f, t);
            }
            for (int k = 0; k < 3; k++) {
                rps_exact_sum_add(&sum[k], f[k]);
                rps_exact_sum_add(&sum[3 + k], t[k]);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        force[k] = rps_exact_sum_value(&sum[k]);
        torque[k] = rps_exact_sum_value(&sum[3 + k]);
    }
    return RPS_OK;
}
