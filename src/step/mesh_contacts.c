/* Contacts with meshes; mesh_contacts.h has the rules. */
#include "step/mesh_contacts.h"

#include <math.h>
#include <string.h>

#include "detect/gap_table.h"
#include "detect/pair_mesh.h"
#include "step/apart.h"
#include "step/mesh_near.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

enum {
    TRIANGLES = 64,      /* in reach of one ball at first; grows */
    CONTACTS_MOST = 160, /* of one pair: features of one image */
    PAIRS_SERIAL = 64    /* with fewer pairs, more workers cost more than they gain */
};

/* How far a ball should move, in radii, until the triangles near it are sought again. */
static const double NEAR_MARGIN = 0.1;

/* --- pairs ----------------------------------------------------------------------------------------------------------- */

/* A pair that an entry belongs to. */
typedef struct pair_key {
    uint32_t slot_i, slot_j, piece_i, piece_j, image;
} pair_key;

static bool same_pair(const pair_key *a, const pair_key *b) {
    return a->slot_i == b->slot_i && a->slot_j == b->slot_j && a->piece_i == b->piece_i && a->piece_j == b->piece_j &&
           a->image == b->image;
}

/* Adds the entries of the mesh in a slot, in the order of their keys: those of one pair follow each other. */
static rps_status list_pairs_of(const rps_world *world, rps_contacts *contacts, uint32_t slot, rps_error *err) {
    rps_mesh_pairs *pairs = &contacts->mesh;
    pair_key last = {.slot_i = UINT32_MAX};
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const bool is_j = rps_reference_is_j(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t place = entry - segment->begin;
        const rps_subkey subkey = rps_segment_subkey(segment, place);
        if (rps_body_piece_mesh(world, slot, is_j ? subkey.piece_j : subkey.piece_i) == NULL) continue;
        const pair_key key = {segment->slot_i[place], segment->slot_j[place], subkey.piece_i, subkey.piece_j,
                              rps_subkey_image(subkey)};
        const bool begins = !same_pair(&key, &last);
        last = key;
        RPS_TRY(rps_scratch_grow(world, &contacts->memory.mesh_entry, pairs->entries, pairs->entries + 1,
                                 sizeof *pairs->entry, err));
        RPS_TRY(rps_scratch_grow(world, &contacts->memory.mesh_pair, pairs->pairs, pairs->pairs + 2,
                                 sizeof *pairs->pair, err));
        pairs->entry = contacts->memory.mesh_entry.p;
        pairs->pair = contacts->memory.mesh_pair.p;
        if (begins) pairs->pair[pairs->pairs++] = (uint32_t)pairs->entries;
        pairs->pair[pairs->pairs] = (uint32_t)pairs->entries + 1;
        pairs->entry[pairs->entries++] =
            (rps_mesh_entry){(uint32_t)(segment - contacts->segment), (uint32_t)place, rps_subkey_touch(subkey), is_j};
    }
    return RPS_OK;
}

static rps_status list_pairs(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    rps_mesh_pairs *pairs = &contacts->mesh;
    pairs->listed = false;
    pairs->pairs = pairs->entries = 0;
    RPS_TRY(rps_scratch_fit(world, &contacts->memory.mesh_geometry, contacts->entries, sizeof *pairs->geometry, err));
    pairs->geometry = contacts->memory.mesh_geometry.p;
    if (contacts->entries > 0) memset(pairs->geometry, 0, contacts->entries * sizeof *pairs->geometry);
    for (uint64_t id = 0, slot; rps_bodies_next(&world->bodies, &id, &slot); id++) {
        if (rps_body_has_mesh(world, slot)) RPS_TRY(list_pairs_of(world, contacts, (uint32_t)slot, err));
    }
    RPS_TRY(rps_mesh_near_match(world, contacts, err));
    pairs->listed = true;
    return RPS_OK;
}

/* --- one pair -------------------------------------------------------------------------------------------------------- */

/* A ball and a mesh. */
typedef struct mesh_pair {
    const rps_mesh_entry *entry;
    size_t slots;
    const rps_layout *layout;
    rps_pair_sides at;
    const rps_side *ball, *wall;
    bool mesh_is_i;
    rps_vec3 centre; /* m, of the ball in the axes of the mesh */
    double range;    /* m, no law of the pair reaches farther */
    double radius, reach, exponent;
} mesh_pair;

typedef struct finding {
    const rps_world *world;
    rps_contacts *contacts;
    bool skips;
    size_t capacity; /* triangles that fit into the memory of a worker */
    size_t stride;   /* bytes of it */
    char *work;
} finding;

/* The memory of a worker begins with this; triangles and scratch follow. */
typedef struct finding_worker {
    size_t most; /* triangles in reach of a ball */
    size_t crowded;
} finding_worker;

static finding_worker *worker_of(const finding *f, int worker) {
    return (finding_worker *)(void *)(f->work + (size_t)worker * f->stride);
}

static rps_mesh_geometry *found_of(const finding *f, const rps_mesh_entry *entry) {
    return &f->contacts->mesh.geometry[f->contacts->segment[entry->segment].begin + entry->place];
}

static const rps_segment *segment_of_entry(const finding *f, const rps_mesh_entry *entry) {
    return &f->contacts->segment[entry->segment];
}

static bool slot_lives(const finding *f, const mesh_pair *p, const rps_mesh_entry *entry) {
    return rps_segment_get(segment_of_entry(f, entry), p->layout->modes, entry->place) > 0.5;
}

/* gap: m, at least the range, so that no contact begins. */
static void put_apart(const finding *f, const mesh_pair *p, double gap) {
    for (size_t k = 0; k < p->slots; k++)
        *found_of(f, &p->entry[k]) = (rps_mesh_geometry){.is = RPS_MESH_APART, .overlap = -gap};
}

/* The exponent of the energy in the overlap; a law whose energy is not a power of it counts as linear. */
static double energy_exponent(const rps_law *normal) {
    return normal->exponent == 1.5 ? 2.5 : 2.0;
}

static mesh_pair pair_at(const finding *f, size_t number) {
    const rps_world *world = f->world;
    const rps_mesh_pairs *pairs = &f->contacts->mesh;
    mesh_pair p = {.entry = pairs->entry + pairs->pair[number], .slots = pairs->pair[number + 1] - pairs->pair[number]};
    const rps_segment *segment = segment_of_entry(f, p.entry);
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const rps_pose *pose = world->bodies.pose;
    const size_t i = segment->slot_i[p.entry->place], j = segment->slot_j[p.entry->place];
    p.layout = &pair->layout[segment->record];
    p.range = pair->cutoff * rps_pair_smaller_radius(pose[i].radius[0], pose[j].radius[0]);
    return p;
}

static void place_pair(const finding *f, mesh_pair *p) {
    const rps_world *world = f->world;
    const rps_segment *segment = segment_of_entry(f, p->entry);
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const size_t place = p->entry->place;
    p->at = rps_pair_sides_of(world, segment->slot_i[place], segment->slot_j[place], segment->subkey[place]);
    p->mesh_is_i = p->at.i.mesh != NULL;
    p->ball = p->mesh_is_i ? &p->at.j : &p->at.i;
    p->wall = p->mesh_is_i ? &p->at.i : &p->at.j;
    const rps_vec3 d = p->mesh_is_i ? rps_vec3_neg(p->at.d) : p->at.d;
    p->centre = rps_quat_rotate_inverse(p->wall->orientation, d);
    p->radius = p->ball->parameter[0];
    p->reach = p->radius + p->range;
    p->exponent = energy_exponent(pair->law[RPS_ROLE_NORMAL]);
}

/* --- matching -------------------------------------------------------------------------------------------------------- */

/* A contact of the last evaluation. */
typedef struct mesh_old {
    size_t slot;
    rps_vec3 point, normal; /* m, 1, in the axes of the mesh; towards the ball */
    double overlap;
    rps_vec3 moved; /* m, displacement of the centre of the ball since then */
    bool goes_on;
} mesh_old;

static mesh_old old_at(const finding *f, const mesh_pair *p, size_t slot) {
    const rps_mesh_entry *entry = &p->entry[slot];
    const rps_segment *segment = segment_of_entry(f, entry);
    const int track = p->layout->track;
    const rps_vec3 offset =
        rps_quat_rotate_inverse(p->wall->orientation, p->mesh_is_i ? p->at.offset_i : p->at.offset_j);
    rps_vec3 point = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_CI : RPS_FRAME_CJ), entry->place);
    rps_vec3 normal = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_NI : RPS_FRAME_NJ), entry->place);
    /* from the axes of the body to those of the piece */
    const rps_quat body = p->mesh_is_i ? p->at.body_i : p->at.body_j;
    point = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(body, point));
    normal = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(body, normal));
    point = rps_vec3_sub(point, offset);
    if (p->mesh_is_i) normal = rps_vec3_neg(normal);
    const double overlap = rps_segment_get(segment, p->layout->overlap, entry->place);
    const rps_vec3 centre = rps_vec3_add_scaled(point, p->radius - overlap, normal);
    return (mesh_old){
        .slot = slot, .point = point, .normal = normal, .overlap = overlap, .moved = rps_vec3_sub(p->centre, centre)};
}

static double contact_radius(double radius, double overlap) {
    return overlap > 0.0 ? sqrt(2.0 * radius * overlap) : 0.0;
}

/* Distance of the points of contact if the piece can be the continuation of the old contact, else INFINITY. */
static double apart_by(const mesh_pair *p, const mesh_old *old, const rps_mesh_contact *now) {
    const rps_vec3 point = rps_vec3_add_scaled(p->centre, now->overlap - p->radius, now->normal);
    const double by = rps_vec3_norm(rps_vec3_sub(point, old->point));
    const double most = 2.0 * rps_vec3_norm(old->moved) +
                        (contact_radius(p->radius, old->overlap) + contact_radius(p->radius, now->overlap));
    /* without overlap and motion only rounding is left */
    return by <= most + 1e-9 * p->radius ? by : INFINITY;
}

/* slot_of[m]: the slot of the old contact that piece m continues, SIZE_MAX: none. */
static void match_pieces(const mesh_pair *p, mesh_old *old, size_t olds, const rps_mesh_contact *now, size_t pieces,
                         size_t *slot_of) {
    for (size_t m = 0; m < pieces; m++) slot_of[m] = SIZE_MAX;
    for (;;) {
        double least = INFINITY;
        size_t best_old = 0, best_piece = 0;
        for (size_t k = 0; k < olds; k++) {
            for (size_t m = 0; m < pieces && !old[k].goes_on; m++) {
                if (slot_of[m] != SIZE_MAX) continue;
                const double by = apart_by(p, &old[k], &now[m]);
                if (!(by < least)) continue;
                least = by;
                best_old = k;
                best_piece = m;
            }
        }
        if (least == INFINITY) return;
        old[best_old].goes_on = true;
        slot_of[best_piece] = old[best_old].slot;
    }
}

/* Whether contacts may have joined or parted: one ended beside others, or one began beside others with an overlap. */
static bool has_jumped(const mesh_old *old, size_t olds, const rps_mesh_contact *now, size_t pieces,
                       const size_t *slot_of) {
    bool jumped = false;
    for (size_t k = 0; k < olds; k++) jumped = jumped || !old[k].goes_on;
    for (size_t m = 0; m < pieces && olds > 0; m++) jumped = jumped || (slot_of[m] == SIZE_MAX && now[m].overlap > 0.0);
    return jumped;
}

/* Gives a free slot to each new piece; false if there are too few. */
static bool place_new(const finding *f, const mesh_pair *p, size_t pieces, size_t *slot_of) {
    size_t next = 0;
    for (size_t m = 0; m < pieces; m++) {
        if (slot_of[m] != SIZE_MAX) continue;
        while (next < p->slots && slot_lives(f, p, &p->entry[next])) next++;
        if (next == p->slots) return false;
        slot_of[m] = next++;
    }
    return true;
}

/* normal: in the axes of the mesh, towards the ball. */
static void put_contact(const finding *f, const mesh_pair *p, size_t slot, rps_mesh_geometry contact, rps_vec3 normal) {
    const rps_vec3 n = rps_quat_rotate(p->wall->orientation, normal);
    rps_mesh_geometry *found = found_of(f, &p->entry[slot]);
    *found = contact;
    rps_vec3_put(found->normal, p->mesh_is_i ? rps_vec3_neg(n) : n);
}

/* A contact that has ended goes on along its last normal, so that its last increments are those of the motion. */
static void put_ended(const finding *f, const mesh_pair *p, const mesh_old *old) {
    const double overlap = old->overlap - rps_vec3_dot(old->moved, old->normal);
    const rps_mesh_geometry contact = {.is = RPS_MESH_ENDED, .overlap = overlap, .before = old->overlap, .gain = 1.0};
    put_contact(f, p, old->slot, contact, old->normal);
}

/* Where contacts join or part, overlaps jump, and the sum of their energies does not. Dashpots shall see the motion alone.
 * moved: of the ball in the axes of the mesh, m. */
static void put_pieces(const finding *f, const mesh_pair *p, const rps_mesh_contact *now, size_t pieces,
                       const size_t *slot_of, bool jumped, rps_vec3 moved) {
    for (size_t m = 0; m < pieces; m++) {
        const double fell = now[m].gain * rps_vec3_dot(now[m].normal, moved);
        const rps_mesh_geometry contact = {.is = RPS_MESH_MEETS,
                                           .jumped = jumped,
                                           .overlap = now[m].overlap,
                                           .before = now[m].overlap + fell,
                                           .gain = now[m].gain};
        put_contact(f, p, slot_of[m], contact, now[m].normal);
    }
}

/* --- all pairs ------------------------------------------------------------------------------------------------------- */

/* True if no contact of the pair exists and none can have begun. */
static bool stays_apart(const finding *f, const mesh_pair *p) {
    const rps_contacts *contacts = f->contacts;
    if (!f->skips || contacts->paths == 0) return false;
    for (size_t k = 0; k < p->slots; k++) {
        const rps_segment *segment = segment_of_entry(f, &p->entry[k]);
        const size_t place = p->entry[k].place, entry = segment->begin + place;
        if (contacts->was_active[entry] != 0) return false;
        if (!rps_apart_still(contacts, entry, segment->slot_i[place], segment->slot_j[place])) return false;
    }
    return true;
}

static void find_contacts_of(const finding *f, size_t number, finding_worker *result) {
    mesh_pair p = pair_at(f, number);

    if (stays_apart(f, &p)) {
        put_apart(f, &p, p.range);
        return;
    }
    place_pair(f, &p);
    rps_reached *reached = (rps_reached *)(void *)(result + 1);
    double clear;
    const size_t count = rps_mesh_near_reach(p.wall->mesh, p.centre, p.reach, NEAR_MARGIN * p.radius,
                                             &f->contacts->mesh.note[number], reached, f->capacity, &clear);

    if (count > result->most) result->most = count;
    if (count > f->capacity) return;
    rps_mesh_contact now[CONTACTS_MOST];
    mesh_old old[CONTACTS_MOST];
    size_t slot_of[CONTACTS_MOST], olds = 0;
    for (size_t k = 0; k < p.slots; k++) {
        if (slot_lives(f, &p, &p.entry[k])) old[olds++] = old_at(f, &p, k);
    }
    if (count == 0 && olds == 0) {
        const double gap = clear - p.radius; /* a side that is not touched may be nearer */
        put_apart(f, &p, gap > p.range ? gap : p.range);
        return;
    }
    const size_t pieces = rps_mesh_contacts(p.wall->mesh, p.centre, p.radius, p.reach, p.exponent, reached, count,
                                            reached + f->capacity, now, CONTACTS_MOST);
    if (pieces > CONTACTS_MOST) {
        result->crowded++;
        return;
    }
    match_pieces(&p, old, olds, now, pieces, slot_of);
    const bool jumped = has_jumped(old, olds, now, pieces, slot_of);
    if (!place_new(f, &p, pieces, slot_of)) {
        result->crowded++;
        return;
    }
    /* a free slot may be needed in the next step: no gap is promised */
    put_apart(f, &p, p.range);
    put_pieces(f, &p, now, pieces, slot_of, jumped, olds > 0 ? old[0].moved : rps_vec3_zero());
    for (size_t k = 0; k < olds; k++) {
        if (!old[k].goes_on) put_ended(f, &p, &old[k]);
    }
}

static void find_part(void *context, rps_part part) {
    finding *f = context;
    for (size_t k = part.begin; k < part.end; k++) find_contacts_of(f, k, worker_of(f, part.worker));
}

rps_status rps_mesh_contacts_find(const rps_world *world, rps_contacts *contacts, bool skips, bool *crowded,
                                  rps_error *err) {
    *crowded = false;
    if (world->meshes == 0 || world->options.stepper != RPS_PENALTY) return RPS_OK;

    if (!contacts->mesh.listed) RPS_TRY(list_pairs(world, contacts, err));
    const rps_workers all = rps_world_workers(world);
    const rps_workers workers = {contacts->mesh.pairs < PAIRS_SERIAL ? 1 : all.count, all.scheduler};
    finding f = {.world = world, .contacts = contacts, .skips = skips};
    for (f.capacity = contacts->mesh.triangles > 0 ? contacts->mesh.triangles : TRIANGLES;;) {
        size_t most = 0;
        f.stride = sizeof(finding_worker) + f.capacity * sizeof(rps_reached) + rps_mesh_contacts_scratch(f.capacity);
        RPS_TRY(rps_scratch_fit(world, &contacts->memory.mesh_work, (size_t)workers.count, f.stride, err));
        f.work = contacts->memory.mesh_work.p;
        for (int k = 0; k < workers.count; k++) *worker_of(&f, k) = (finding_worker){0};
        rps_parallel_for(workers, contacts->mesh.pairs, find_part, &f);
        for (int k = 0; k < workers.count; k++) {
            const finding_worker *result = worker_of(&f, k);
            most = result->most > most ? result->most : most;
            *crowded = *crowded || result->crowded > 0;
        }
        if (most <= f.capacity) break;
        contacts->mesh.triangles = f.capacity = most + most / 2;
        *crowded = false;
    }
    return RPS_OK;
}
