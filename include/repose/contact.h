/*
 * Contacts of a world: what there is of them after a step, which began and which ended, and the loads on bodies.
 *
 * A world keeps what can be read of single contacts if its options say so (rps_world_options.contacts), for the last
 * step of each call of rps_world_step alone, so that it costs little where many steps are made at once. SI units;
 * vectors in world axes. For errors and ownership see world.h.
 */
#ifndef REPOSE_CONTACT_H
#define REPOSE_CONTACT_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contacts that exist now, in the order of their keys. Contents are made by the call. */
typedef struct rps_contact {
    uint64_t id_i, id_j;  /* the lower id is body i; the normal points from j into i */
    int piece_i, piece_j; /* which pieces of the bodies touch, from 0; 0 for bodies of one piece, spheres and planes */
    int feature;     /* which of several contacts of these two pieces (the corners of a box on a plane, ...); it stays
                          * the same as long as they touch there; 0 where there is only one. Of a fixed or driven piece that
                          * two periodic images of may touch one body, the image is added in steps of 160 */
    double point[3]; /* m, mid of C_i and C_j */
    double branch_i[3], branch_j[3]; /* m, from the centres of i and j to the point, where the loads were taken: the
                                        nonsmooth stepper takes them at the beginning of a step */
#define RPS_CONTACT_FIELD(name, components, unit, meaning) double name[components];
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
} rps_contact;

/* Force on body i, N: normal_load n + slide_force + curvature_force. It acts at `point`; on body j the opposite. */
RPS_API void rps_contact_force(const rps_contact *contact, double force[3]);

/* Switches keeping on or off from the next evaluation on, in a world without rps_world_options.contacts: for programs
 * that read contacts now and then. */
RPS_API void rps_world_keep_contacts(rps_world *world, bool keep);
/* Number of contacts that exist now. */
RPS_API size_t rps_world_contact_count(const rps_world *world);
/* Fills at most `room` contacts (`out` may be NULL if that is 0); the last step must have kept them. For a world that
 * a callback sees; else see rps_world_contact_view. *count: how many there are. */
RPS_API rps_status rps_world_contacts(const rps_world *world, rps_contact *out, size_t capacity, size_t *count,
                                      rps_error *err);
/* All contacts that exist now as an array that the world owns, in the order of their keys: valid until the next call
 * that changes the world, or the next view. The last step must have kept them. */
RPS_API rps_status rps_world_contact_view(rps_world *world, const rps_contact **contact, size_t *count, rps_error *err);

/* Which contact: as in rps_contact. */
typedef struct rps_contact_key {
    uint64_t id_i, id_j;
    int piece_i, piece_j, feature;
} rps_contact_key;

/* Contacts that exist after the last call of rps_world_step and did not before it, and the other way round, in the
 * order of their keys. One that begins and ends within the call is in neither. Contacts of a body that was removed or
 * put elsewhere end in the step after it. The arrays belong to the world, until the next step. */
typedef struct rps_contact_events {
    const rps_contact_key *began, *ended;
    size_t begins, ends;
} rps_contact_events;
/* RPS_BAD_INPUT in a world without rps_world_options.contacts. */
RPS_API rps_status rps_world_contact_events(const rps_world *world, rps_contact_events *events, rps_error *err);

/* Fills at most `room` contacts of two bodies, in the order of their keys, as above; *count: how many there are. */
RPS_API rps_status rps_world_pair_contacts(const rps_world *world, uint64_t id_a, uint64_t id_b, rps_contact *out,
                                           size_t capacity, size_t *count, rps_error *err);
/* The contact between two bodies, taken as one. RPS_OK with *found false when they do not touch. Flat bodies and
 * bodies of several pieces may touch at several points at once; then loads, forces, torques and energies are sums.
 * Torques are couples, which belong to no point; what the single forces turn about the mean point is not among them:
 * rps_world_body_load has all torques about the centre of a body; slide_elastic_force, roll_elastic_torque,
 * spin_elastic_torque and spin_torque are sums of these numbers; point, branch_i and branch_j are means, weighted by
 * the magnitude of the normal load (all the same if there is none); normal is the direction of the sum of the normals,
 * so weighted; overlap, contact_radius and the modes are the largest of all; piece_i, piece_j and feature are -1 where
 * they differ. */
RPS_API rps_status rps_world_contact(const rps_world *world, uint64_t id_a, uint64_t id_b, rps_contact *out,
                                     bool *found, rps_error *err);
/* Force and torque (about its centre) on a body from its contacts, summed exactly; also for fixed and driven bodies.
 * RPS_BAD_INPUT after a state was restored (rps_run with `resume`) until the next step: the loads of single contacts
 * are no state and are not saved. */
RPS_API rps_status rps_world_body_load(const rps_world *world, uint64_t id, double force[3], double torque[3],
                                       rps_error *err);

/* Mean stress in a body from its contacts, Pa: xx xy xz yy yz zz, tension positive, exact for a body in balance; zeros
 * for a plane. Contacts must have been kept. */
RPS_API rps_status rps_world_body_stress(const rps_world *world, uint64_t id, double stress[6], rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
