/*
 * Pairs of a ball and a mesh: the entries of the lists that belong to each. A ball is a sphere, or a vertex of a body with
 * a core (capsule, box) with the radius of its rounding, or a tip of a polyhedron; each has its own slots
 * (detect/pair_mesh.h). A smooth body is one ball with its smallest radius of curvature (detect/mesh_smooth.h).
 */
#ifndef RPS_STEP_MESH_PAIRS_H
#define RPS_STEP_MESH_PAIRS_H

#include "detect/gap_table.h"
#include "detect/mesh_smooth.h"
#include "world/world.h"

/* Lists the pairs in contacts->mesh, unless the present entries are listed already. RPS_NO_MEMORY. */
rps_status rps_mesh_pairs_list(const rps_world *world, rps_contacts *contacts, rps_error *err);

/* Doubles the slots of each ball, and asks for new lists. RPS_GUARD if there cannot be more. */
rps_status rps_mesh_more_slots(rps_world *world, rps_error *err);

typedef struct rps_mesh_pair {
    const rps_mesh_entry *entry;
    size_t slots;
    const rps_layout *layout;
    double range; /* m, no law of the pair reaches farther */
    /* set by rps_mesh_pair_place */
    rps_pair_sides at;
    const rps_side *body, *wall; /* in `at`: the pair must stay where it is */
    bool mesh_is_i;
    rps_vec3 centre;      /* m, of the ball in the axes of the mesh */
    double radius, inner; /* detect/pair_mesh.h */
    double bound, size;   /* m, radius of the ball around the body, and how deep its centre lies at least */
    double reach, exponent, radius_exponent;
    bool is_smooth;
    rps_mesh_smooth smooth; /* if it is */
} rps_mesh_pair;

static inline const rps_segment *rps_mesh_segment(const rps_contacts *contacts, const rps_mesh_entry *entry) {
    return &contacts->segment[entry->segment];
}

/* NULL if no body has one. */
static inline rps_mesh_wrench *rps_mesh_wrench_of(const rps_contacts *contacts, const rps_mesh_entry *entry) {
    rps_mesh_wrench *all = contacts->mesh.wrench;
    return all == NULL ? NULL : &all[contacts->segment[entry->segment].begin + entry->place];
}

static inline rps_mesh_geometry *rps_mesh_geometry_of(const rps_contacts *contacts, const rps_mesh_entry *entry) {
    return &contacts->mesh.geometry[contacts->segment[entry->segment].begin + entry->place];
}

rps_mesh_pair rps_mesh_pair_at(const rps_world *world, const rps_contacts *contacts, size_t number);
/* Finds where the two are now. */
void rps_mesh_pair_place(const rps_world *world, const rps_contacts *contacts, rps_mesh_pair *pair);

/* m, about how far the ball has moved against the mesh in the last step, by the velocities of now; in the axes of the mesh. */
rps_vec3 rps_mesh_pair_stepped(const rps_world *world, const rps_contacts *contacts, const rps_mesh_pair *pair);

/* Sets the wrench of a smooth body; given, with the point of the contact, in the axes of the mesh. */
void rps_mesh_wrench_put(const rps_contacts *contacts, const rps_mesh_pair *pair, size_t slot,
                         const rps_mesh_wrench *wrench, rps_vec3 point);

/* The exponent of the energy in the overlap; a law whose energy is not a power of it counts as linear. */
static inline double rps_mesh_energy_exponent(const rps_law *normal) {
    return normal->exponent == 1.5 ? 2.5 : 2.0;
}

#endif
