/*
 * The bonds of a world: a list in ascending order of pairs, laws with their parameters, and which bonds each body has.
 * All of it is state, because programs add and remove bonds at any time.
 */
#ifndef RPS_WORLD_BOND_H
#define RPS_WORLD_BOND_H

#include <repose/bond.h>

#include "base/exact_sum.h"
#include "base/vec.h"

/* A law with parameters, shared by bonds. */
typedef struct rps_bond_setting {
    const rps_bond_law *law;
    double value[RPS_BOND_PARAMETERS]; /* effective ones: defaults filled in */
} rps_bond_setting;

/* Strains summed along the path, for laws that ask for them (step/bond_motion.h); otherwise all 0. */
typedef struct rps_bond_path {
    rps_quat axes;    /* of the strains, seen from the axes midway between both bodies */
    rps_quat half;    /* half the rotation of the second body against the first, at the last evaluation */
    rps_vec3 line;    /* m, from one bond point to the other, likewise, in the axes midway */
    double strain[6]; /* m, rad: shear, shear, extension; bending, bending, twist */
} rps_bond_path;

/* The state of a bond besides its bodies: numbers alone, for checkpoints and hashes. */
typedef struct rps_bond_record {
    double length;     /* m */
    rps_vec3 point[2]; /* m, in the axes of each body, from its centre */
    rps_quat frame[2]; /* from the axes of the bond at its making to those of each body */
    double image[3];   /* periods between the images of the bodies */
    double dissipated; /* J, by dampers, and by the break */
    double broken_at;  /* s; -1: intact */
    double failure;    /* 0, or 1 + index in the law's list */
    double contact;    /* rps_bond_contact; RPS_BOND_CONTACT_NONE until the contact begins after a break */
    double setting;    /* index */
    double strength;   /* over that of the setting */
    double memory[RPS_BOND_MEMORY];
    rps_bond_path path;
} rps_bond_record;
enum { RPS_BOND_NUMBERS = sizeof(rps_bond_record) / sizeof(double) };

/* Loads on the bodies of a bond at the last evaluation. */
typedef struct rps_bond_wrench {
    rps_vec3 force;     /* N, on the first body; the second feels the opposite */
    rps_vec3 torque[2]; /* N m */
    double stored;      /* J */
} rps_bond_wrench;

typedef struct rps_bond {
    uint64_t body[2]; /* ids, the lower first */
    rps_bond_record record;
    /* not state: from the setting and the bodies, and of the last evaluation */
    double constant[RPS_BOND_CONSTANTS];
    rps_bond_wrench wrench;
    int breaking; /* failure that the last evaluation found; the bond ends with this step */
} rps_bond;

/* A bond of a body: number * 2 + (1 if it is the second body). */
typedef struct rps_bond_end {
    uint64_t body; /* id */
    size_t end;
} rps_bond_end;

typedef struct rps_bonds {
    rps_bond *bond; /* in ascending order of pairs */
    size_t count, bytes;
    size_t broken;          /* of them */
    size_t without_contact; /* intact ones whose bodies do not touch */
    size_t opening;         /* broken ones of this kind, whose contacts begin in the next step */
    rps_bond_setting *setting;
    size_t settings;
    const rps_bond_law **own_law;
    size_t own_laws;
    rps_exact_sum dissipated; /* J, by bonds that were removed or replaced */
    uint64_t breaks;          /* so far */
    bool breaking;            /* the last evaluation found bonds that break */
    bool used;                /* there is or was a bond: bonds are part of the state */
    /* ends of intact bonds in the order of bodies and, for each, of pairs; bodies: where each body begins, + 1 */
    rps_bond_end *end;
    size_t *body_begin, bodies, end_bytes, body_bytes;
    bool stale; /* the two arrays above must be made again */
} rps_bonds;

/* Number of the first bond with a pair at or after this one. */
size_t rps_bonds_find(const rps_bonds *bonds, uint64_t low, uint64_t high);
/* NULL: the pair has none. The ids in either order. */
const rps_bond *rps_bond_of(const rps_bonds *bonds, uint64_t a, uint64_t b);
static inline bool rps_bond_intact(const rps_bond *bond) {
    return bond->record.failure == 0.0;
}
/* True if an intact bond keeps the bodies of these slots from touching each other. */
bool rps_world_bond_replaces_contact(const rps_world *world, size_t slot_a, size_t slot_b);
/* RPS_BAD_INPUT if a bond holds the body; verb: "cannot be moved". */
rps_status rps_world_check_unbonded(const rps_world *world, size_t slot, const char *verb, rps_error *err);
/* Computes what is not state of all bonds; and which bonds each body has. */
rps_status rps_bonds_prepare(rps_world *world, rps_bond *bond, rps_error *err);
rps_status rps_bonds_index(const rps_world *world, rps_bonds *bonds, rps_error *err);
/* Number of a body in the index, SIZE_MAX if it has no bond. */
size_t rps_bonds_of_body(const rps_bonds *bonds, uint64_t id);
/* Space for `count` bonds; keeps those there are. */
rps_status rps_bonds_reserve(rps_world *world, size_t count, rps_error *err);
/* Drops bonds of bodies with a set mark (by slot); their accounts must have been taken. */
void rps_bonds_drop_marked(rps_world *world, const uint8_t *mark);
/* Drops bond number k, which must have a taken account. */
void rps_bonds_drop(rps_world *world, size_t k);
/* A law known to the world by its name; NULL: none. */
const rps_bond_law *rps_world_find_bond_law(const rps_world *world, const char *name);
/* The index of a setting, added if it is new. */
rps_status rps_bonds_add_setting(rps_world *world, const rps_bond_law *law, const double *value, size_t *index,
                                 rps_error *err);
/* Checks parameters against their ranges and fills in defaults. */
rps_status rps_bond_values(const rps_bond_law *law, const double *given, double *value, rps_error *err);
/* Forgets all bonds but the registered laws. */
void rps_bonds_clear(rps_world *world);
void rps_bonds_release(rps_world *world);

#endif
