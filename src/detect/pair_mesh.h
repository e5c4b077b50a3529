/*
 * Balls of a body and a mesh: the geometry of pairs. A sphere is one ball. A core (capsule, box) has one at each of its
 * vertices, with the radius of its rounding. The contacts of a step are found for each ball and the mesh at once
 * (step/mesh_contacts.c); lists and queries ask here. i is the body, j the mesh, d the origin of i less that of j (m).
 */
#ifndef RPS_DETECT_PAIR_MESH_H
#define RPS_DETECT_PAIR_MESH_H

#include "detect/touch.h"
#include "mesh/reach.h"

/* How many balls a body has, 1 to 8. */
unsigned rps_mesh_balls(const rps_side *body);

typedef struct rps_mesh_ball {
    rps_vec3 arm;         /* m, from the origin of the body to the centre, world axes */
    double radius, inner; /* m; the ball may sink in deeper than its radius, by less than `inner` */
} rps_mesh_ball;
rps_mesh_ball rps_mesh_ball_of(const rps_side *body, unsigned ball);

enum { RPS_MESH_BALL_SLOTS = RPS_SUBKEY_POINTS / 8 }; /* where balls begin: at multiples of this */
/* Features of the pair: each ball has its slots, whose number may grow up to RPS_SUBKEY_POINTS / balls. */
typedef struct rps_mesh_feature {
    uint32_t ball, slot;
} rps_mesh_feature;
static inline rps_mesh_feature rps_mesh_feature_at(uint32_t feature, unsigned balls) {
    return (rps_mesh_feature){feature / (RPS_SUBKEY_POINTS / balls), feature % (RPS_SUBKEY_POINTS / balls)};
}
static inline uint32_t rps_mesh_feature_of(rps_mesh_feature feature, unsigned balls) {
    return feature.ball * (RPS_SUBKEY_POINTS / balls) + feature.slot;
}

/* Number of features, at most RPS_SUBKEY_POINTS; some of them are of no slot. */
unsigned rps_mesh_features(const rps_side *i, const rps_side *j);

/* The nearest point of a ball alone. */
rps_touch_result rps_mesh_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned ball, double cutoff,
                                rps_touch *out);
/* A lower bound of the gap of a ball, m: behind a side that is not touched it is less, and shapes without a core count as
 * the balls around them. */
double rps_mesh_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned ball);
/* As rps_touch_gaps. */
bool rps_mesh_gaps(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, double *gap);
/* Places of a mesh (mesh/ridges.c): each tip against the body, each ridge against each of its edges; features from
 * RPS_SUBKEY_PLACES. They carry where the body is flat and the mesh is not. A place counts as rounded as the edges of the body, but
 * where it is. Results as rps_touch_find and rps_touch_gap. */
rps_touch_result rps_mesh_place_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                      rps_touch *out);
double rps_mesh_place_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place);
/* A tip of a mesh i and a plane j: a mesh stands on a plane with its tips, as a box with its corners. d as there. */
rps_touch_result rps_mesh_plane_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                      rps_touch *out);
double rps_mesh_plane_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place);
/* Visits the places whose gap is below `capacity`, m. */
typedef void (*rps_mesh_place_visit)(void *context, unsigned place);
void rps_mesh_places(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, rps_mesh_place_visit visit,
                     void *context);

/* NULL, or why contacts of i with the mesh are not known, where it may come within `margin` m (rps_touch_refuses). */
const char *rps_mesh_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin);
/* The same for a mesh i and a plane, another mesh or a sheet j, of which one is free. */
const char *rps_mesh_refuses_surface(const rps_side *i, const rps_side *j, rps_vec3 d, double margin);
/* Sets the geometry of a contact of a ball: normal and overlap are known, in the axes of the world. */
void rps_mesh_touch_put(const rps_side *i, rps_vec3 d, unsigned ball, rps_vec3 normal, double overlap, rps_touch *out);
/* The same of a smooth body (detect/mesh_smooth.h), whose wrench is known; in the axes of the world. */
void rps_mesh_touch_put_smooth(const rps_side *i, rps_vec3 d, rps_vec3 normal, double overlap,
                               const rps_mesh_wrench *wrench, rps_touch *out);

#endif
