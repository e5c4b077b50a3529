/*
 * The parts of a world that a stage of the step may write, and fingerprints of them. C lets a function write through the
 * pointers in a const struct, so the compiler alone cannot hold a stage to what it may write.
 *
 * Fields of bodies are read by id, and the state of contacts by key: stages that sort slots or rebuild lists change
 * neither.
 */
#ifndef TESTS_CONTRACT_PARTS_COMMON_H
#define TESTS_CONTRACT_PARTS_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "world/world.h"

/* Parts besides the fields of bodies. */
#define WORLD_PARTS(PART)                                           \
    PART(slots, "order of bodies")                                  \
    PART(entries, "entries of contacts")                            \
    PART(references, "references of bodies to entries")             \
    PART(constants, "constants of entries")                         \
    PART(state, "state of contacts")                                \
    PART(load, "loads of contacts")                                 \
    PART(has_load, "flags of loads")                                \
    PART(was_active, "flags of active entries")                     \
    PART(result, "results of contacts")                             \
    PART(apart, "notes of pairs that are apart")                    \
    PART(meshes, "contacts with meshes")                            \
    PART(rebuild, "memory of a rebuild")                            \
    PART(cells, "cells")                                            \
    PART(search, "results of the search")                           \
    PART(candidates, "candidate list")                              \
    PART(candidate_marks, "marks of candidates")                    \
    PART(paths, "predicted paths")                                  \
    PART(life, "life of lists")                                     \
    PART(setup, "materials, pairs, groups and laws")                \
    PART(ranges, "ranges of pairs")                                 \
    PART(pieces, "pieces and colliders")                            \
    PART(joints, "joints")                                          \
    PART(joint_memory, "memory of joints")                          \
    PART(drives, "drives")                                          \
    PART(servos, "motion of servos")                                \
    PART(bond_records, "records of bonds")                          \
    PART(bond_constants, "constants of bonds")                      \
    PART(bond_loads, "loads of bonds")                              \
    PART(bond_index, "index of bonds")                              \
    PART(bond_counts, "counts of bonds")                            \
    PART(options, "options")                                        \
    PART(domain, "domain of the guards")                            \
    PART(cell, "periodic cell")                                     \
    PART(shear, "memory of the shear")                              \
    PART(guard, "memory of the guards")                             \
    PART(deep, "flag of deep overlaps")                             \
    PART(moved, "largest motion")                                   \
    PART(deviation, "largest deviation from paths")                 \
    PART(speed_bound, "bound of the speed")                         \
    PART(solver, "report of the solver")                            \
    PART(progress, "number of the step and flags of its progress")  \
    PART(evaluated, "flags of the evaluation")                      \
    PART(accounts, "accounts of fixed and driven bodies")           \
    PART(changes, "energies that a program changed")                \
    PART(applied, "applied loads")                                  \
    PART(user, "user data")                                         \
    PART(surface_loads, "loads on surfaces")                        \
    PART(liquid, "films and sums of liquid")                        \
    PART(heat, "heat of bodies")                                    \
    PART(commons, "common bodies")                                  \
    PART(common_sums, "sums of common bodies")                      \
    PART(log, "log of contacts")                                    \
    PART(lanes, "lanes of workers")                                 \
    PART(step_velocities, "velocities of a nonsmooth step")         \
    PART(step_trial, "trial velocities of a nonsmooth step")        \
    PART(step_nodes, "nodes of a nonsmooth step")                   \
    PART(step_choice, "choice of the contacts of a nonsmooth step") \
    PART(step_contacts, "contacts of a nonsmooth step")             \
    PART(step_impulses, "impulses and solver of a nonsmooth step")  \
    PART(step_joints, "joints of a nonsmooth step")                 \
    PART(step_joint_loads, "loads of joints of a nonsmooth step")

enum {
    PART_NONE, /* ends a list of parts */
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) PART_body_##name,
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
#define PART(name, text) PART_##name,
    WORLD_PARTS(PART)
#undef PART
        PARTS
};

extern const char *const part_name[PARTS];

typedef struct fingerprints {
    rps_hash128_value of[PARTS];
} fingerprints;

/* Not in a parallel region. */
void take_fingerprints(const rps_world *world, fingerprints *out);
static inline bool same_fingerprint(const fingerprints *a, const fingerprints *b, int part) {
    return a->of[part].high == b->of[part].high && a->of[part].low == b->of[part].low;
}

/* Fails if a member of the world belongs to no part. */
void assert_parts_are_complete(void);

#endif
