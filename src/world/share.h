/*
 * A share: the part of a world that one process holds, so that many processes step one world (share.c).
 *
 * A process has an ordinary world with its own bodies, the bodies that are common to all processes (planes, driven
 * bodies, fixed bodies of pieces, free bodies made common), and copies of the bodies of other processes near its own:
 *
 *   slots   [ own | common | copies ]
 *
 * The results are those of one process to the bit, for three reasons. Ids here are dense and rise with the ids of the
 * whole world, so that all sums keep their order. A contact between bodies of two processes is evaluated by both, from
 * the same bits. Sums to which several processes contribute are exact (base/exact_sum.h).
 *
 * Bodies change their process by a restart between two steps (rps_share_begin). The program that holds the processes
 * together fills in rps_share; this header is its only seam. A world without a share is whole: all questions below
 * then answer as if it owned all bodies, and no stage does any more work.
 */
#ifndef RPS_WORLD_SHARE_H
#define RPS_WORLD_SHARE_H

#include "world/world.h"

/* All members are set by the program and stay valid while the world has the share. Every process has the same
 * `bodies`. */
typedef struct rps_share {
    size_t own, mine;    /* slots below `own` are own bodies, slots below `mine` own or common, all others copies */
    bool first;          /* true for exactly one process: it counts what all processes hold */
    uint64_t bodies;     /* number of bodies of the whole world */
    uint64_t ids;        /* its ids are below, of removed bodies too */
    const uint64_t *gid; /* by id here: the id in the whole world, rising */
    void *context;       /* of the program */
    /* Gives the copies the poses, orientations and velocities of their owners, bit by bit; contacts need no velocities,
     * but predicted paths do. Called once a step by all processes, after motion and before lists are updated, outside of
     * parallel regions. An error ends the step. */
    rps_status (*follow)(rps_world *world, rps_error *err);
    /* Called after `follow`, once world.moved holds the largest motion of all bodies. True, the same in all processes,
     * ends the call of rps_world_step after this step, so that bodies can change their process. NULL: never. */
    bool (*pause)(const rps_world *world);
    /* Replaces each of n sums by its sum over all processes; each of n numbers by the largest of all processes, where
     * NaN wins. All processes call them in the same order with the same n, outside of parallel regions. If a process
     * has failed, they may return with any values, and `follow` must return an error. */
    void (*sum)(const struct rps_share *share, size_t n, rps_exact_sum *sum);
    void (*most)(const struct rps_share *share, size_t n, double *most);
} rps_share;

/* Whether a body is common: a plane, a driven body, a fixed body of pieces, or a free body that was made common. It
 * depends on the body alone, so it is the same for any number of processes. */
bool rps_body_is_common(const rps_bodies *bodies, size_t slot);
/* Makes a free body common, in a whole world before its start. Meant for bodies much larger than the rest: all bodies
 * near them would be copies in many processes. The loads of its contacts are then summed exactly, so its bits are
 * others than before. RPS_BAD_INPUT for a body that is not free; RPS_UNSUPPORTED after the start, and with the
 * nonsmooth stepper. */
rps_status rps_world_set_common(rps_world *world, uint64_t id, rps_error *err);

/* --- questions; share: NULL for a whole world --------------------------------------------------------------------- */

/* Whether a pair is listed here: one body is own, or both are common and this process is the first. */
static inline bool rps_share_holds(const rps_share *share, size_t slot_a, size_t slot_b) {
    if (share == NULL || slot_a < share->own || slot_b < share->own) return true;
    return share->first && slot_a < share->mine && slot_b < share->mine;
}

/* Whether this process counts a body in sums over all bodies. */
static inline bool rps_share_counts_body(const rps_share *share, size_t slot) {
    return share == NULL || slot < share->own || (slot < share->mine && share->first);
}

/* Whether this process counts a listed contact in sums over all contacts. Of two owners, that of body i does. */
static inline bool rps_share_counts(const rps_share *share, size_t slot_i) {
    return share == NULL || slot_i < share->mine;
}

/* Class of a slot, 0: own, 1: common, 2: a copy. */
static inline unsigned rps_share_class(const rps_share *share, size_t slot) {
    return share == NULL || slot < share->own ? 0u : slot < share->mine ? 1u : 2u;
}

/* Id in the whole world of the body with an id here. */
static inline uint64_t rps_share_gid(const rps_world *world, uint64_t id) {
    return world->share != NULL ? world->share->gid[id] : id;
}

/* Number of bodies that are integrated in ranges of slots from 0 on: common bodies are integrated apart. */
static inline size_t rps_share_own(const rps_world *world) {
    return world->share != NULL ? world->share->own : world->bodies.count;
}

/* Replaces the ids of bodies in a drive by those of the whole world. */
void rps_share_drive_out(const rps_share *share, rps_drive_state *driven);

/* --- all processes; nothing for a whole world --------------------------------------------------------------------- */

void rps_share_sum(const rps_world *world, size_t n, rps_exact_sum *sum);
void rps_share_most(const rps_world *world, size_t n, double *most);
/* Finds the process with the largest value, on a tie with the lowest ids; all processes call it, with -INFINITY where they
 * have none. Sets value and ids (of the whole world; UINT64_MAX: none) to those found, and returns whether this process
 * has them: it then tells about these bodies. */
bool rps_share_leads(const rps_world *world, double *value, uint64_t gid[2]);
/* After motion: poses of copies, and the extremes of the motion of all bodies. */
rps_status rps_share_follow(rps_world *world, rps_error *err);

/* Whether the call of rps_world_step ends after this step; asked once a step. */
bool rps_share_pauses(const rps_world *world);

/* RPS_UNSUPPORTED if the world has a share; what: as "adding bodies". */
rps_status rps_share_refuse(const rps_world *world, const char *what, rps_error *err);

/* RPS_UNSUPPORTED, with the reason, if no share can hold a part of the world: for nonsmooth and sheared worlds, and
 * for worlds with joints, free bodies of meshes, running surfaces, bonds, loads on surfaces, applied loads, user data
 * or contact events. */
rps_status rps_share_check(const rps_world *world, rps_error *err);

/* --- a restart in memory ------------------------------------------------------------------------------------------ */

/* Gives the world a share of `count` bodies with ids from 0 on, or makes it whole (NULL) with `count` bodies and ids below
 * `ids`, and drops its bodies, contacts and lists; set-up, pieces, drives and accounts stay. The share before must still be valid. The program then writes
 * all saved fields of the bodies by rps_bodies_field and `common`, with these ids, in any order within own, common and copies, and
 * calls rps_share_ready. After that it updates the lists (rps_detect_update) and restores the contacts that the lists
 * hold (rps_contacts_restore_entry).
 *
 * Between both calls world.driven has ids of the whole world. Of the accounts, boundary_dissipated is what this
 * process contributes; all others, and the drives, are the same in all processes.
 *
 * RPS_UNSUPPORTED as rps_share_check says, before the start of the world, and with the guard `step` unless it is off or the
 * world becomes whole. */
rps_status rps_share_begin(rps_world *world, const rps_share *share, size_t count, uint64_t ids, rps_error *err);
/* RPS_BAD_INPUT for bodies in the wrong place, for ids that do not rise, and if a driven body is missing. */
rps_status rps_share_ready(rps_world *world, rps_error *err);

#endif
