/*
 * Contacts of a world after a step: their state, which of them began or ended, and the loads on bodies.
 *
 * A world keeps readable contacts if rps_world_options.contacts is set, and only for the last step of each call of
 * rps_world_step, so that the cost is small when a call takes many steps. SI units; vectors in world axes. For errors
 * and ownership see world.h.
 */
#ifndef REPOSE_CONTACT_H
#define REPOSE_CONTACT_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One contact that exists now. Contacts are listed in the order of their keys. */
typedef struct rps_contact {
    uint64_t id_i, id_j;  /* the lower id is body i; the normal points from j into i */
    int piece_i, piece_j; /* index of the touching piece of each body, from 0 */
    /* distinguishes several contacts of the two pieces (the corners of a box on a plane, ...); constant while the
     * contact lasts; 0 if there is only one. If two periodic images of a fixed or driven piece may touch one body,
     * the number of the image is added in steps of 160 */
    int feature;
    double point[3]; /* m, midpoint of C_i and C_j */
    /* m, branch vectors: from the centres of i and j to the point, at the time of the loads (for the nonsmooth
     * stepper the beginning of a step) */
    double branch_i[3], branch_j[3];
#define RPS_CONTACT_FIELD(name, components, unit, meaning) double name[components];
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
} rps_contact;

/* Force on body i, N: normal_load n + slide_force + curvature_force. It acts at `point`; the force on body j is
 * opposite. */
RPS_API void rps_contact_force(const rps_contact *contact, double force[3]);

/* Turns the keeping of contacts on or off from the next evaluation on, in a world without rps_world_options.contacts:
 * for programs that read contacts only now and then. */
RPS_API void rps_world_keep_contacts(rps_world *world, bool keep);
/* Number of contacts that exist now. */
RPS_API size_t rps_world_contact_count(const rps_world *world);
/* Fills at most `capacity` contacts (`out` may be NULL if that is 0). *count: the number of contacts. For the const
 * world of a callback; otherwise see rps_world_contact_view. This and the other functions that read contacts are
 * RPS_BAD_INPUT unless the last step kept them, and after bodies or pairs came or went since. */
RPS_API rps_status rps_world_contacts(const rps_world *world, rps_contact *out, size_t capacity, size_t *count,
                                      rps_error *err);
/* All contacts that exist now, in the order of their keys, as an array owned by the world: valid until the next view
 * or the next call that changes the world. */
RPS_API rps_status rps_world_contact_view(rps_world *world, const rps_contact **contact, size_t *count, rps_error *err);

/* Identifies a contact, as in rps_contact. */
typedef struct rps_contact_key {
    uint64_t id_i, id_j;
    int piece_i, piece_j, feature;
} rps_contact_key;

/* The contacts that began and ended over the last call of rps_world_step, in the order of their keys. A contact that
 * begins and ends within the call is in neither list. Contacts of a body that was removed or moved by the program end
 * in the step after it. The world owns the arrays; they are valid until the next step. */
typedef struct rps_contact_events {
    const rps_contact_key *began, *ended;
    size_t begins, ends;
} rps_contact_events;
/* RPS_BAD_INPUT in a world without rps_world_options.contacts. */
RPS_API rps_status rps_world_contact_events(const rps_world *world, rps_contact_events *events, rps_error *err);

/* Fills at most `capacity` contacts of two bodies, in the order of their keys, as above; *count: the number of
 * contacts. */
RPS_API rps_status rps_world_pair_contacts(const rps_world *world, uint64_t id_a, uint64_t id_b, rps_contact *out,
                                           size_t capacity, size_t *count, rps_error *err);
/* All contacts between two bodies, merged into one. RPS_OK with *found false if they do not touch. Flat bodies and
 * bodies of several pieces may touch at several points at once; loads, forces, torques and energies are then sums.
 * Torques are couples, independent of the point; they exclude the moments of the single forces about the mean point
 * (rps_world_body_load gives the total torque about the centre of a body). slide_elastic_force, roll_elastic_torque,
 * spin_elastic_torque and spin_torque are sums of magnitudes; point, branch_i and branch_j are means, weighted by the
 * magnitude of the normal load (equally if there is none); normal is the direction of the sum of the normals with the
 * same weights; overlap, contact_radius and the modes are the largest values; piece_i, piece_j and feature are -1
 * where they differ. */
RPS_API rps_status rps_world_contact(const rps_world *world, uint64_t id_a, uint64_t id_b, rps_contact *out,
                                     bool *found, rps_error *err);
/* Force and torque (about its centre) on a body from its contacts, summed exactly; also for fixed and driven bodies.
 * RPS_BAD_INPUT after a state was restored (rps_run with `resume`) until the next step, because the loads of single
 * contacts are not part of the saved state. */
RPS_API rps_status rps_world_body_load(const rps_world *world, uint64_t id, double force[3], double torque[3],
                                       rps_error *err);

/* Mean stress in a body from its contacts, Pa: xx xy xz yy yz zz, tension positive, exact for a body in balance; zeros
 * for a plane. */
RPS_API rps_status rps_world_body_stress(const rps_world *world, uint64_t id, double stress[6], rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
