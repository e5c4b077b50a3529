/*
 * Storage of bodies. All code here works on tables made from body_fields.inc, so a new field needs only a new line
 * there. A slot is the present index of a body in memory; an id is permanent. Ids are assigned in order and never
 * reused, so slot_of has an entry for every body that ever existed.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "world/body_shape.h"
#include "world/share.h"
#include "world/world_internal.h"

/* --- tables --------------------------------------------------------------------------------------------------------- */

enum { SAVED = RPS_FIELD_SAVED, OUTPUT = RPS_FIELD_OUTPUT };

static const rps_field field_table[] = {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    {#name, unit, writer, meaning, RPS_TYPE_##type, n, flags},
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
};

enum { FIELDS = sizeof field_table / sizeof *field_table };

/* Location of a field: its array (by the offset of its pointer in rps_bodies), and its offset in an item. */
typedef struct place {
    size_t array, stride, offset;
} place;

#define ARRAY_pose(name) offsetof(rps_bodies, pose)
#define ARRAY_motion(name) offsetof(rps_bodies, motion)
#define ARRAY_load(name) offsetof(rps_bodies, load)
#define ARRAY_applied(name) offsetof(rps_bodies, applied)
#define ARRAY_own(name) offsetof(rps_bodies, name)
#define STRIDE_pose(type, n) sizeof(rps_pose)
#define STRIDE_motion(type, n) sizeof(rps_motion)
#define STRIDE_load(type, n) sizeof(rps_load)
#define STRIDE_applied(type, n) sizeof(rps_applied)
#define STRIDE_own(type, n) sizeof(rps_ctype_##type[n])
#define OFFSET_pose(name) offsetof(rps_pose, name)
#define OFFSET_motion(name) offsetof(rps_motion, name)
#define OFFSET_load(name) offsetof(rps_load, name)
#define OFFSET_applied(name) offsetof(rps_applied, name)
#define OFFSET_own(name) 0

static const place place_table[] = {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    {ARRAY_##record(name), STRIDE_##record(type, n), OFFSET_##record(name)},
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
};

/* All arrays with one item per body, in the order of slots. */
#define OWN_ARRAY_pose(name, type, n)
#define OWN_ARRAY_motion(name, type, n)
#define OWN_ARRAY_load(name, type, n)
#define OWN_ARRAY_applied(name, type, n)
#define OWN_ARRAY_own(name, type, n) {offsetof(rps_bodies, name), sizeof(rps_ctype_##type[n])},

static const struct {
    size_t member, item_size;
} array_table[] = {
    {offsetof(rps_bodies, pose), sizeof(rps_pose)},
    {offsetof(rps_bodies, motion), sizeof(rps_motion)},
    {offsetof(rps_bodies, load), sizeof(rps_load)},
    {offsetof(rps_bodies, applied), sizeof(rps_applied)},
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) OWN_ARRAY_##record(name, type, n)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
};

enum { ARRAYS = sizeof array_table / sizeof *array_table };

/* Pointers of different types are read and written as bytes, as C requires. */
static char *get_array(const rps_bodies *bodies, size_t member) {
    char *p;
    memcpy(&p, (const char *)bodies + member, sizeof p);
    return p;
}

static void set_array(rps_bodies *bodies, size_t member, void *p) {
    memcpy((char *)bodies + member, &p, sizeof p);
}

/* --- pages -------------------------------------------------------------------------------------------------------- */

/* Fields that few bodies need (planes, locks, pieces, groups) are 0 for all others. An unchanged value is not
 * written: a large block is a mapping, and a page of it that was only read takes no memory. */
enum { PAGE = 4096 };

static void copy_changed(char *to, const char *from, size_t bytes) {
    for (size_t k = 0; k < bytes; k += PAGE) {
        const size_t n = bytes - k < PAGE ? bytes - k : PAGE;
        if (memcmp(to + k, from + k, n) != 0) memcpy(to + k, from + k, n);
    }
}

static void clear_changed(char *to, size_t bytes) {
    static const char nothing[PAGE] = {0};
    for (size_t k = 0; k < bytes; k += PAGE) {
        const size_t n = bytes - k < PAGE ? bytes - k : PAGE;
        if (memcmp(to + k, nothing, n) != 0) memset(to + k, 0, n);
    }
}

/* --- growth --------------------------------------------------------------------------------------------------------- */

static void release_arrays(const rps_allocator *allocator, rps_bodies *bodies) {
    for (int a = 0; a < ARRAYS; a++) {
        rps_memory_release(allocator, get_array(bodies, array_table[a].member),
                           bodies->capacity * array_table[a].item_size);
        set_array(bodies, array_table[a].member, NULL);
    }
    bodies->count = bodies->capacity = 0;
}

void rps_bodies_release(rps_world *world) {
    rps_bodies *bodies = &world->bodies;
    release_arrays(world->allocator, bodies);
    rps_memory_release(world->allocator, bodies->slot_of, bodies->id_capacity * sizeof *bodies->slot_of);
    bodies->slot_of = NULL;
    bodies->ids = bodies->id_capacity = 0;
}

rps_status rps_bodies_reserve_ids(rps_world *world, uint64_t ids, rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    if (ids > bodies->id_capacity) {
        size_t capacity = bodies->id_capacity + bodies->id_capacity / 2, bytes;
        if (capacity < ids) capacity = (size_t)ids;
        if (capacity < 8) capacity = 8;
        void *p;
        RPS_TRY(rps_size_of_items(capacity, sizeof *bodies->slot_of, &bytes, err));
        RPS_TRY(rps_memory_alloc(world->allocator, bytes, &p, err));
        if (bodies->ids > 0) memcpy(p, bodies->slot_of, (size_t)bodies->ids * sizeof *bodies->slot_of);
        rps_memory_release(world->allocator, bodies->slot_of, bodies->id_capacity * sizeof *bodies->slot_of);
        bodies->slot_of = p;
        bodies->id_capacity = capacity;
    }
    for (uint64_t id = bodies->ids; id < ids; id++) bodies->slot_of[id] = RPS_NO_SLOT;
    return RPS_OK;
}

/* Unused memory is not touched, so it costs nothing. (A small block may be uninitialised.) */
static void clear_from(const rps_bodies *bodies, size_t first, size_t end) {
    for (int a = 0; a < ARRAYS && first < end; a++) {
        const size_t size = array_table[a].item_size;
        char *begin = get_array(bodies, array_table[a].member) + first * size;
        if (bodies->capacity * size >= RPS_LARGE) {
            clear_changed(begin, (end - first) * size);
        } else {
            memset(begin, 0, (end - first) * size);
        }
    }
}

rps_status rps_bodies_reserve(rps_world *world, size_t count, rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    bodies->layout++;
    if (count > bodies->count) RPS_TRY(rps_bodies_reserve_ids(world, bodies->ids + (count - bodies->count), err));
    if (count <= bodies->capacity) {
        clear_from(bodies, bodies->count, count);
        return RPS_OK;
    }
    if (count >= RPS_NO_SLOT) {
        return rps_fail(err, RPS_BAD_INPUT, "a world holds at most %u bodies; %zu were asked for", RPS_NO_SLOT - 1,
                        count);
    }
    size_t capacity = bodies->capacity + bodies->capacity / 2;
    if (capacity < count) capacity = count;
    if (capacity < 8) capacity = 8;
    rps_bodies fresh = {.capacity = capacity};
    for (int a = 0; a < ARRAYS; a++) {
        size_t bytes;
        void *p = NULL;
        rps_status status = rps_size_of_items(capacity, array_table[a].item_size, &bytes, err);
        if (status == RPS_OK) status = rps_memory_alloc(world->allocator, bytes, &p, err);
        if (status != RPS_OK) {
            release_arrays(world->allocator, &fresh);
            return status;
        }
        set_array(&fresh, array_table[a].member, p);
        const char *from = get_array(bodies, array_table[a].member);
        const size_t used = bodies->count * array_table[a].item_size;
        if (used > 0 && bytes >= RPS_LARGE) {
            copy_changed(p, from, used);
        } else if (used > 0) {
            memcpy(p, from, used);
        }
    }
    fresh.count = bodies->count;
    fresh.ids = bodies->ids;
    fresh.layout = bodies->layout;
    fresh.slot_of = bodies->slot_of;
    fresh.id_capacity = bodies->id_capacity;
    release_arrays(world->allocator, bodies);
    *bodies = fresh;
    clear_from(bodies, bodies->count, count);
    return RPS_OK;
}

/* --- re-ordering ---------------------------------------------------------------------------------------------------- */

static void permute_references(rps_contacts *contacts, size_t count, const uint32_t *from, char *scratch) {
    size_t total = contacts->reference_begin[count];
    uint32_t *begin = (uint32_t *)(void *)scratch, *own = begin + count + 1, *reference = own + count, next = 0;
    for (size_t s = 0; s < count; s++) {
        const uint32_t old = contacts->reference_begin[from[s]], entries = contacts->reference_begin[from[s] + 1] - old;
        begin[s] = next;
        own[s] = next + (contacts->reference_own[from[s]] - old);
        if (entries > 0) memcpy(reference + next, contacts->reference + old, entries * sizeof *reference);
        next += entries;
    }
    begin[count] = next;
    if (total > 0) memcpy(contacts->reference, reference, total * sizeof *reference);
    memcpy(contacts->reference_begin, begin, (count + 1) * sizeof *begin);
    if (count > 0) memcpy(contacts->reference_own, own, count * sizeof *own);
}

/* Entries stay in place; only their slot numbers change. Padding keeps slot 0. */
static void permute_slots(rps_contacts *contacts, const uint32_t *to) {
    for (size_t k = 0; k < contacts->segments; k++) {
        rps_segment *segment = &contacts->segment[k];
        for (size_t e = 0; e < segment->count; e++) {
            segment->slot_i[e] = to[segment->slot_i[e]];
            segment->slot_j[e] = to[segment->slot_j[e]];
        }
    }
    contacts->paths = 0;
    contacts->mesh.listed = false;
}

void rps_bodies_derive(rps_world *world) {
    rps_bodies *bodies = &world->bodies;
    world->axes_locked = false;
    for (size_t s = 0; s < bodies->count; s++) {
        const bool is_free = bodies->kind[s][0] == RPS_BODY_FREE;
        bodies->slot_of[bodies->id[s][0]] = (uint32_t)s;
        memset(bodies->pose[s].rodrigues, 0, sizeof bodies->pose[s].rodrigues);
        bodies->pose[s].rodrigues_scale[0] = 2.0;
        bodies->motion[s].inverse_mass[0] = is_free ? 1.0 / bodies->mass[s][0] : 0.0;
        bodies->motion[s].inverse_inertia[0] =
            is_free && !bodies->locked[s][0] ? 1.0 / rps_mean_inertia(bodies->inertia[s]) : 0.0;
        const double *axis = bodies->lock_axis[s];
        world->axes_locked = world->axes_locked || axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0;
    }
}

rps_status rps_bodies_permute(const rps_world *world, rps_bodies *bodies, rps_contacts *contacts, const uint32_t *from,
                              rps_error *err) {
    size_t count = bodies->count, item_max = sizeof(uint32_t), bytes, more;
    if (count == 0) return RPS_OK;
    bodies->layout++;
    for (int a = 0; a < ARRAYS; a++) {
        if (array_table[a].item_size > item_max) item_max = array_table[a].item_size;
    }
    RPS_TRY(rps_size_of_items(count, item_max, &bytes, err));
    if (contacts->reference_begin) {
        const size_t numbers = contacts->reference_begin[count] + 2 * count + 1; /* both at most 2^33 */
        RPS_TRY(rps_size_of_items(numbers, sizeof(uint32_t), &more, err));
        if (more > bytes) bytes = more;
    }
    void *scratch;
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &scratch, err));
    for (int a = 0; a < ARRAYS; a++) {
        char *array = get_array(bodies, array_table[a].member);
        size_t size = array_table[a].item_size;
        for (size_t s = 0; s < count; s++) memcpy((char *)scratch + s * size, array + from[s] * size, size);
        copy_changed(array, scratch, count * size);
    }
    for (size_t s = 0; s < count; s++) bodies->slot_of[bodies->id[s][0]] = (uint32_t)s;
    uint32_t *to = scratch;
    for (size_t s = 0; s < count; s++) to[from[s]] = (uint32_t)s;
    permute_slots(contacts, to);
    if (contacts->reference_begin) permute_references(contacts, count, from, scratch);
    rps_memory_release(world->allocator, scratch, bytes);
    return RPS_OK;
}

void rps_bodies_compact(rps_world *world, const uint8_t *mark) {
    rps_bodies *bodies = &world->bodies;
    const size_t count = bodies->count;
    size_t left = 0;
    bodies->layout++;
    for (size_t s = 0; s < count; s++) bodies->slot_of[bodies->id[s][0]] = mark[s] ? RPS_NO_SLOT : (uint32_t)left++;
    for (int a = 0; a < ARRAYS; a++) {
        char *array = get_array(bodies, array_table[a].member);
        const size_t size = array_table[a].item_size;
        size_t to = 0;
        for (size_t s = 0; s < count; s++) {
            if (mark[s]) continue;
            if (to != s && memcmp(array + to * size, array + s * size, size) != 0) {
                memcpy(array + to * size, array + s * size, size);
            }
            to++;
        }
    }
    bodies->count = left;
    rps_commons_compact(world);
}

/* --- what users see ------------------------------------------------------------------------------------------------- */

size_t rps_body_field_count(void) {
    return FIELDS;
}

const rps_field *rps_body_field(size_t index) {
    return index < FIELDS ? &field_table[index] : NULL;
}

void *rps_bodies_field(rps_bodies *bodies, size_t index, size_t *stride) {
    char *array = get_array(bodies, place_table[index].array);
    *stride = place_table[index].stride;
    return array != NULL ? array + place_table[index].offset : NULL;
}

uint64_t rps_world_layout(const rps_world *world) {
    return world->bodies.layout;
}

rps_status rps_world_view(const rps_world *world, const char *field, rps_view *view, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(field);
    RPS_GIVEN(view);
    for (int f = 0; f < FIELDS; f++) {
        if (strcmp(field_table[f].name, field) != 0) continue;
        const char *array = get_array(&world->bodies, place_table[f].array);
        *view = (rps_view){
            .data = array ? array + place_table[f].offset : NULL,
            .stride = place_table[f].stride,
            .count = world->bodies.count,
            .type = field_table[f].type,
            .components = field_table[f].components,
        };
        return RPS_OK;
    }
    const char *names[FIELDS];
    for (int f = 0; f < FIELDS; f++) names[f] = field_table[f].name;
    const char *close = rps_closest_name(field, names, FIELDS);
    return rps_fail(err, RPS_BAD_INPUT, "bodies have no field \"%s\"%s%s%s; rps_body_field lists them", field,
                    close ? " (did you mean \"" : "", close ? close : "", close ? "\"?)" : "");
}

uint64_t rps_world_body_count(const rps_world *world) {
    return world->bodies.count;
}

size_t rps_world_slot(const rps_world *world, uint64_t id) {
    return id < world->bodies.ids && world->bodies.slot_of[id] != RPS_NO_SLOT ? world->bodies.slot_of[id] : SIZE_MAX;
}

void rps_world_unwrapped(const rps_world *world, size_t slot, double position[3]) {
    const rps_bodies *bodies = &world->bodies;
    rps_cell_unwrap(&world->cell, bodies->pose[slot].position, bodies->image[slot], position);
}

bool rps_body_feels_forces(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    if (bodies->kind[slot][0] != RPS_BODY_DRIVEN) return bodies->kind[slot][0] == RPS_BODY_FREE;
    const int32_t drive = bodies->drive[slot][0];
    return drive >= 0 && world->driven[drive].is_servo;
}

const char *rps_body_name(const rps_world *world, size_t slot, char *out, size_t bytes) {
    const char *name = rps_world_group_name(world, world->bodies.group[slot][0]);
    const bool plane = rps_body_is_plane(&world->bodies, slot);
    const bool named = name && *name;
    snprintf(out, bytes, "%s %llu%s%.60s%s", plane ? "plane" : "body",
             (unsigned long long)rps_share_gid(world, world->bodies.id[slot][0]), named ? " `" : "", named ? name : "",
             named ? "`" : "");
    return out;
}

bool rps_body_can_move(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    if (bodies->kind[slot][0] == RPS_BODY_FREE) return true;
    if (bodies->kind[slot][0] == RPS_BODY_FIXED) return false;
    const rps_drive *drive = &world->driven[bodies->drive[slot][0]].now;
    if (drive->kind != RPS_DRIVE_MOTION || drive->motion > 0) return true;
    for (int k = 0; k < 3; k++) {
        if (drive->velocity[k] != 0.0 || drive->angular_velocity[k] != 0.0 || drive->amplitude[k] != 0.0) return true;
    }
    return false;
}
