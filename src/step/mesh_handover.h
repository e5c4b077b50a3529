/*
 * Hand-over: what becomes of the memories of a ball's contacts with a mesh where contacts join, or one parts.
 *
 * It happens at the time of the last evaluation, before the contacts are tracked: the records of the contacts that were there
 * are replaced by those of the contacts that are there now, with points and frames as the motion since then has found them.
 * The step then tracks them as all others, and no force jumps but by what the rule takes:
 *
 *   join   the memories of all are turned to the normal of the contact with the largest load by the smallest rotation, and
 *          added; if that would store more than they did, the sum is scaled back to the same energy
 *   part   each part gets the share of its load, so that the force goes on
 *
 * The energy that is stored less afterwards is booked as handed over. It is never negative for friction. Normal laws whose energy is no
 * power of the overlap book their difference there too, of either sign. Tsuccessor own history stays with the largest contact.
 */
#ifndef RPS_STEP_MESH_HANDOVER_H
#define RPS_STEP_MESH_HANDOVER_H

#include "base/exact_sum.h"
#include "world/world.h"

/* A ball whose centre has passed a surface that is touched from the other side. */
typedef struct rps_mesh_passed {
    bool found;
    uint32_t ball, wall; /* slots */
    uint64_t id[2];      /* theirs */
    uint32_t triangle;
    double depth;   /* of the centre behind the surface, over the radius */
    rps_vec3 point; /* m, of the surface, in the axes of the mesh */
} rps_mesh_passed;

/* J, of one worker: what was handed over, and what dissipated at the loads that ended. */
typedef struct rps_handed {
    bool used;              /* else the sums are 0 */
    rps_mesh_passed passed; /* that with the lowest ids */
    rps_exact_sum handover, dissipated[RPS_ACCOUNTS];
} rps_handed;

/* Adds those of another worker. */
void rps_handed_merge(rps_handed *to, const rps_handed *handed);

/* One of the contacts that follow, at the last evaluation. */
typedef struct rps_mesh_successor {
    const rps_mesh_entry *entry; /* the first successor has that of the first contact that was there */
    rps_vec3 normal;             /* unit, towards the ball, in the axes of the mesh */
    rps_vec3 point;              /* m, on the mesh, in its axes */
    double overlap, gain;        /* m, 1 */
} rps_mesh_successor;

typedef struct rps_mesh_handover {
    const rps_mesh_entry *const *from; /* the contacts that were there; the one with the largest load is the first */
    size_t froms;
    const rps_mesh_successor *successor;
    size_t successors;
    bool mesh_is_i;
    rps_quat mesh_in_body; /* from the axes of the mesh to those of its body */
    rps_vec3 mesh_at;      /* m, the origin of the mesh in the axes of its body */
    rps_vec3 ball_at;      /* m, the centre of the ball in the axes of its body */
    rps_vec3 centre;       /* m, of the ball at the last evaluation, in the axes of the mesh */
    rps_vec3 moved;        /* m, since then; likewise */
    double radius;         /* m */
    bool is_smooth; /* no ball (detect/mesh_smooth.h): `centre` and `ball_at` are its own, `radius` does not count */
} rps_mesh_handover;

/* Replaces the records, and adds to *handed. */
void rps_mesh_hand_over(const rps_world *world, rps_contacts *contacts, const rps_mesh_handover *h, rps_handed *handed);

#endif
