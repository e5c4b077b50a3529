/* Common bodies, what all processes know together, and the change of a share (share.h). */
#include "world/share.h"

#include <stdlib.h>
#include <string.h>

#include "world/body_shape.h"
#include "world/world_internal.h"

/* --- questions ---------------------------------------------------------------------------------------------------- */

bool rps_body_is_common(const rps_bodies *bodies, size_t slot) {
    if (bodies->kind[slot][0] == RPS_BODY_DRIVEN || rps_body_is_plane(bodies, slot)) return true;
    if (bodies->kind[slot][0] == RPS_BODY_FIXED) return rps_body_has_pieces(bodies, slot);
    return bodies->common[slot][0] != 0;
}

void rps_share_sum(const rps_world *world, size_t n, rps_exact_sum *sum) {
    if (world->share != NULL && n > 0) world->share->sum(world->share, n, sum);
}

void rps_share_most(const rps_world *world, size_t n, double *most) {
    if (world->share != NULL && n > 0) world->share->most(world->share, n, most);
}

bool rps_share_leads(const rps_world *world, double *value, uint64_t gid[2]) {
    if (world->share == NULL) return true;
    const double mine[3] = {*value, -(double)gid[0], -(double)gid[1]};
    bool leads = mine[0] > -INFINITY;
    rps_share_most(world, 1, value);
    leads = leads && mine[0] == *value;
    for (int k = 0; k < 2; k++) {
        double lowest = leads ? mine[1 + k] : -INFINITY;
        rps_share_most(world, 1, &lowest);
        leads = leads && mine[1 + k] == lowest;
        gid[k] = lowest > -(double)UINT64_MAX ? (uint64_t)-lowest : UINT64_MAX;
    }
    return leads;
}

rps_status rps_share_follow(rps_world *world, rps_error *err) {
    if (world->share == NULL) return RPS_OK;
    RPS_TRY(world->share->follow(world, err));
    rps_motion_maxima *moved = &world->moved;
    double most[] = {moved->speed, moved->rotation, -moved->smallest_radius};
    rps_share_most(world, sizeof most / sizeof *most, most);
    moved->speed = most[0];
    moved->rotation = most[1];
    moved->smallest_radius = -most[2];
    return RPS_OK;
}

bool rps_share_pauses(const rps_world *world) {
    return world->share != NULL && world->share->pause != NULL && world->share->pause(world);
}

rps_status rps_share_refuse(const rps_world *world, const char *what, rps_error *err) {
    if (world->share == NULL) return RPS_OK;
    return rps_fail(
        err, RPS_UNSUPPORTED,
        "this world holds a share of the bodies of many processes, but %s takes a whole world: bring the bodies "
        "together in one process first",
        what);
}

/* --- drives ------------------------------------------------------------------------------------------------------- */

/* Id here of a body of the whole world; UINT64_MAX: it is not held. */
static uint64_t share_id_here(const rps_share *share, size_t count, uint64_t gid) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (share->gid[mid] < gid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && share->gid[low] == gid ? low : UINT64_MAX;
}

/* The ids in a drive; returns how many. */
enum { DRIVE_IDS = 1 + 2 * (1 + 2 * RPS_DRIVE_SPANS) };
static int ids_of_drive(rps_drive_state *driven, uint64_t *id[DRIVE_IDS]) {
    rps_drive *const drive[2] = {&driven->initial, &driven->now};
    int n = 0;
    id[n++] = &driven->body;
    for (int d = 0; d < 2; d++) {
        if (drive[d]->kind == RPS_DRIVE_MIRROR) id[n++] = &drive[d]->mirror;
        for (int k = 0; k < 2 * drive[d]->spans; k++) id[n++] = &drive[d]->span[k / 2][k % 2];
    }
    return n;
}

void rps_share_drive_out(const rps_share *share, rps_drive_state *driven) {
    uint64_t *id[DRIVE_IDS];
    const int n = share != NULL ? ids_of_drive(driven, id) : 0;
    for (int k = 0; k < n; k++) *id[k] = share->gid[*id[k]];
}

static rps_status drive_in(const rps_world *world, rps_drive_state *driven, rps_error *err) {
    uint64_t *id[DRIVE_IDS];
    const int n = world->share != NULL ? ids_of_drive(driven, id) : 0;
    for (int k = 0; k < n; k++) {
        const uint64_t here = share_id_here(world->share, world->bodies.count, *id[k]);
        if (here == UINT64_MAX) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "a share lacks body %llu, which a drive moves or refers to: such bodies are common, and "
                            "every share holds them",
                            (unsigned long long)*id[k]);
        }
        *id[k] = here;
    }
    return RPS_OK;
}

/* --- common bodies ------------------------------------------------------------------------------------------------ */

static int share_compare_ids(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Whether ranges of slots leave out the body in a slot. */
static bool is_apart(const rps_world *world, size_t slot) {
    return world->share != NULL ? rps_share_class(world->share, slot) == 1 : world->bodies.common[slot][0] != 0;
}

rps_status rps_commons_list(rps_world *world, rps_error *err) {
    rps_commons *commons = &world->commons;
    const size_t bodies = world->bodies.count;
    size_t count = 0, bytes;
    for (size_t s = 0; s < bodies; s++) count += is_apart(world, s);
    void *id = commons->id, *sum = commons->sum;
    RPS_TRY(rps_size_of_items(count, sizeof *commons->id, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &id, &commons->id_bytes, 0, bytes, err));
    commons->id = id;
    RPS_TRY(rps_size_of_items(count, RPS_COMMON_SUMS * sizeof *commons->sum, &bytes, err));
    RPS_TRY(rps_buffer_reserve(world->allocator, &sum, &commons->sum_bytes, 0, bytes, err));
    commons->sum = sum;
    commons->count = 0;
    for (size_t s = 0; s < bodies; s++) {
        if (is_apart(world, s)) commons->id[commons->count++] = world->bodies.id[s][0];
    }
    if (count > 0) qsort(commons->id, count, sizeof *commons->id, share_compare_ids);
    return RPS_OK;
}

rps_status rps_world_set_common(rps_world *world, uint64_t id, rps_error *err) {
    size_t slot;
    RPS_TRY(rps_world_find_free(world, id, "being common", &slot, err));
    if (world->started || world->options.stepper != RPS_PENALTY) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "a body can be made common before the start of a world with the penalty stepper only");
    }
    world->bodies.common[slot][0] = 1;
    return rps_commons_list(world, err);
}

void rps_commons_compact(rps_world *world) {
    rps_commons *commons = &world->commons;
    size_t left = 0;
    for (size_t k = 0; k < commons->count; k++) {
        const uint64_t id = commons->id[k];
        if (rps_world_slot(world, id) != SIZE_MAX) commons->id[left++] = id;
    }
    commons->count = left;
}

/* --- a restart in memory ------------------------------------------------------------------------------------------ */

/* The owners of both bodies would book contacts that join and part on a mesh. */
static bool has_free_mesh(const rps_world *world) {
    for (size_t s = 0; s < world->bodies.count && world->meshes > 0; s++) {
        if (!rps_body_is_common(&world->bodies, s) && rps_body_has_mesh(world, s)) return true;
    }
    return false;
}

/* A clause about the property that a share does not support; NULL: none. */
static const char *share_obstacle(const rps_world *world) {
    if (world->options.stepper != RPS_PENALTY) return "has the nonsmooth stepper";
    if (world->cell.sheared) return "is sheared";
    if (world->joints > 0) return "has joints";
    if (has_free_mesh(world)) return "has free bodies of meshes";
    if (world->surfaces) return "has a surface that runs";
    if (world->bonds.used) return "has bonds";
    if (rps_world_is_wet(world)) return "has liquid bridges";
    if (world->heat.on) return "counts the heat of bodies";
    if (world->forces.count > 0) return "has forces from outside";
    if (world->loads.bodies > 0) return "records the loads on surfaces";
    if (world->options.contacts) return "records contact events";
    if (world->users > 0) return "has user data of bodies";
    for (uint64_t id = 0; id < world->bodies.ids; id++) {
        if (rps_external_used(world, id)) return "has applied loads";
    }
    return NULL;
}

static rps_status cannot_share(const char *obstacle, rps_error *err) {
    return rps_fail(err, RPS_UNSUPPORTED, "the world %s, so it cannot be shared by many processes", obstacle);
}

rps_status rps_share_check(const rps_world *world, rps_error *err) {
    const char *obstacle = share_obstacle(world);
    return obstacle != NULL ? cannot_share(obstacle, err) : RPS_OK;
}

rps_status rps_share_begin(rps_world *world, const rps_share *share, size_t count, uint64_t ids, rps_error *err) {
    if (share != NULL) ids = count;
    if (!world->started) return cannot_share("has not started", err);
    RPS_TRY(rps_share_check(world, err));
    if (share != NULL && world->options.guards.action[RPS_GUARD_STABLE] != RPS_GUARD_OFF) {
        return cannot_share("has the guard `step`, which is not off", err);
    }
    rps_contacts_forget(&world->contacts);
    for (size_t k = 0; k < world->drives; k++) rps_share_drive_out(world->share, &world->driven[k]);
    world->share = NULL;
    world->commons.count = 0;
    world->bodies.count = 0; /* all of them are replaced */
    world->bodies.ids = 0;
    RPS_TRY(rps_bodies_reserve(world, count, err));
    RPS_TRY(rps_bodies_reserve_ids(world, ids, err));
    world->bodies.count = count;
    world->bodies.ids = ids;
    world->share = share;
    return RPS_OK;
}

static rps_status check_places(const rps_world *world, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const rps_share *share = world->share;
    for (size_t s = 0; s < bodies->count; s++) {
        const uint64_t id = bodies->id[s][0];
        if (id >= bodies->ids || (share != NULL && share->gid[id] >= share->ids) ||
            (share != NULL && id > 0 && share->gid[id - 1] >= share->gid[id])) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "the body in slot %zu of a share has the id %llu: ids must be dense, and rise with those "
                            "of the whole world",
                            s, (unsigned long long)id);
        }
        if (share != NULL && rps_body_is_common(bodies, s) != (rps_share_class(share, s) == 1)) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "the body in slot %zu of a share, number %llu of the whole world, is %scommon: own bodies "
                            "come first, then all common ones, then copies",
                            s, (unsigned long long)share->gid[id], rps_body_is_common(bodies, s) ? "" : "not ");
        }
    }
    return RPS_OK;
}

rps_status rps_share_ready(rps_world *world, rps_error *err) {
    const rps_share *share = world->share;
    if (share != NULL && !(share->own <= share->mine && share->mine <= world->bodies.count)) {
        return rps_fail(err, RPS_BAD_INPUT, "a share of %zu bodies has %zu own and common bodies, of which %zu are own",
                        world->bodies.count, share->mine, share->own);
    }
    RPS_TRY(check_places(world, err));
    for (size_t k = 0; k < world->drives; k++) RPS_TRY(drive_in(world, &world->driven[k], err));
    rps_bodies_derive(world);
    RPS_TRY(rps_commons_list(world, err));
    world->contacts_kept = world->loads_known = false;
    world->evaluated = false;
    world->lists_stale = true;
    return RPS_OK;
}
