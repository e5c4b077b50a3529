/*
 * Bonds: explicit pairs of bodies that a law holds together at any gap, until the bond breaks or is removed. A contact
 * comes from geometry, a bond from history. Bonds belong to the penalty stepper. SI units; vectors in world axes. For
 * errors and ownership see world.h.
 *
 * A pair of bodies has at most one bond, which the two ids identify in either order; the body of the lower id is the
 * first. A bond is made without strain at the present places of its bodies. A broken bond has no loads; it stays in
 * the list with the way it broke until it is removed, replaced, or its body is removed.
 */
#ifndef REPOSE_BOND_H
#define REPOSE_BOND_H

#include <repose/bond_law.h>
#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ordinary contact of a bonded pair. */
typedef enum rps_bond_contact {
    RPS_BOND_CONTACT_BESIDE, /* acts beside the bond, so that nothing jumps when the bond breaks */
    /* begins in the step after the bond breaks, and the energy of its overlap counts as external in the ledger; such
     * bonds are made before the first step */
    RPS_BOND_CONTACT_NONE
} rps_bond_contact;

typedef struct rps_bond_def {
    uint32_t size;
    const rps_bond_law *law;           /* of the library, or registered; "beam" */
    uint64_t body[2];                  /* ids; forces can move at least one */
    double point[2][3];                /* m, bond points on body[0] and body[1]; NAN: their centres */
    double value[RPS_BOND_PARAMETERS]; /* in the order of the law's list; NAN: not given */
    rps_bond_contact contact;          /* RPS_BOND_CONTACT_BESIDE */
    double strength; /* the stresses at which it breaks over those of the parameters, the energy by its square; 1 */
} rps_bond_def;

RPS_API rps_bond_def rps_bond_def_default(void);
/* Sets a parameter of the law by its name; for a word give its index. RPS_BAD_INPUT for an unknown name; the sentence
 * lists those of the law. */
RPS_API rps_status rps_bond_set(rps_bond_def *def, const char *name, double value, rps_error *err);
/* Makes a law available under its name; it is not copied. RPS_BAD_INPUT for an incomplete law or a name in use. */
RPS_API rps_status rps_world_register_bond_law(rps_world *world, const rps_bond_law *law, rps_error *err);

/* Adds a bond, at any time; it replaces a broken bond of the pair. Adding in ascending order of pairs is cheapest.
 * RPS_UNSUPPORTED with the nonsmooth stepper and in sheared cells. RPS_BAD_INPUT for bodies that do not exist, are the
 * same, are both immovable or are bonded already, for bond points that coincide, and for invalid values. */
RPS_API rps_status rps_world_add_bond(rps_world *world, const rps_bond_def *def, rps_error *err);
/* Removes the bond of a pair; the ledger books its stored energy as removed. RPS_BAD_INPUT if there is none, or if it
 * has replaced the contact of bodies that overlap. */
RPS_API rps_status rps_world_remove_bond(rps_world *world, uint64_t a, uint64_t b, rps_error *err);

RPS_API size_t rps_world_bond_count(const rps_world *world);        /* in the list, broken ones included */
RPS_API size_t rps_world_intact_bond_count(const rps_world *world); /* of these, the unbroken ones */
RPS_API uint64_t rps_world_bonds_broken(const rps_world *world);    /* so far, in the whole run */

typedef struct rps_bond_state {
    const char *law;
    uint64_t body[2];    /* ids, the lower first */
    double length;       /* m, unstrained */
    double stretch[3];   /* m, in the axes of the bond: shear, shear, extension */
    double rotation[3];  /* rad: bending, bending, twist */
    double load[6];      /* N, N m: the loads conjugate to them */
    double point[3];     /* m, where the force acts: midway between the bond points, unwrapped as the first body */
    double force[3];     /* N, on the first body; the second feels the opposite */
    double torque[2][3]; /* N m, on each body about its centre */
    double stored;       /* J */
    double dissipated;   /* J so far, by dampers and, once broken, by the break */
    bool broken;
    const char *failure; /* way it broke, "" while intact; static text */
    double broken_at;    /* s; NAN while intact */
} rps_bond_state;
/* A bond by its place in the list, which is in ascending order of ids; and of a pair. RPS_BAD_INPUT if there is none;
 * RPS_GUARD if the bodies are turned by half a turn against each other, where a bond has no defined loads. */
RPS_API rps_status rps_world_bond_at(const rps_world *world, size_t index, rps_bond_state *out, rps_error *err);
RPS_API rps_status rps_world_bond(const rps_world *world, uint64_t a, uint64_t b, rps_bond_state *out, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
