/*
 * Balls of a body and a mesh: the geometry of pairs. A sphere is one ball. A core (capsule, box) has one at each of its
 * vertices, with the radius of its rounding; a convex mesh, a polyhedron, has one without a radius at each of its tips. The
 * contacts of a step are found for each ball and the mesh at once
 * (step/mesh_contacts.c); lists and queries ask here. i is the body, j the mesh, d the origin of i less that of j (m).
 */
#ifndef RPS_DETECT_PAIR_MESH_H
#define RPS_DETECT_PAIR_MESH_H

#include "detect/touch.h"
#include "mesh/reach.h"

/* Tips of a polyhedron that touches meshes and sheets: each has two slots at least. */
enum { RPS_MESH_TIPS_MOST = RPS_SUBKEY_POINTS / 2 };

/* Whether it is a convex mesh with a core (mesh/mesh_core.h). */
static inline bool rps_is_polyhedron(const rps_side *side) {
    return side->mesh != NULL && side->mesh->core != NULL;
}
/* The one of the two whose surface the balls of the other touch; NULL: the pair has no balls. */
const rps_side *rps_mesh_wall(const rps_side *i, const rps_side *j);

/* m, the smallest full width of a body that touches meshes; of a polyhedron twice its half width (mesh/mesh_core.h). */
double rps_mesh_body_width(const rps_side *body);
/* How many balls a body has, 1 to RPS_MESH_TIPS_MOST. */
unsigned rps_mesh_balls(const rps_side *body);

typedef struct rps_mesh_ball {
    rps_vec3 arm;         /* m, from the origin of the body to the centre, world axes */
    double radius, inner; /* m; the ball may sink in deeper than its radius, by less than `inner` */
} rps_mesh_ball;
rps_mesh_ball rps_mesh_ball_of(const rps_side *body, unsigned ball);

enum { RPS_MESH_BALL_SLOTS = RPS_SUBKEY_POINTS / 8 }; /* where balls of cores begin: at multiples of this */
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
/* Whether i touches places of the mesh j: it is a plane, or balls of it touch the mesh. */
bool rps_mesh_has_places(const rps_side *i, const rps_side *j);
/* Visits the places whose gap is below `capacity`, m. */
typedef void (*rps_mesh_place_visit)(void *context, unsigned place);
void rps_mesh_places(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, rps_mesh_place_visit visit,
                     void *context);

/* NULL, or why contacts of i with the mesh are not known, where it may come within `margin` m (rps_touch_refuses). */
const char *rps_mesh_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin);
/* The same for a mesh i and a plane, another mesh or a sheet j, of which one is free. */
const char *rps_mesh_refuses_surface(const rps_side *i, const rps_side *j, rps_vec3 d, double margin);
/* Whether a contact of a ball of i and the mesh j is deeper than it is known for: the ball may pass the surface in the next step, or a
 * smooth body overlaps by a tenth of its width. A ball that has passed a surface with one side is noticed (step/mesh_contacts.h). */
bool rps_mesh_is_deep(const rps_side *i, const rps_side *j, unsigned ball, double overlap);
/* Sets the geometry of a contact of a ball: normal and overlap are known, in the axes of the world. */
void rps_mesh_touch_put(const rps_side *i, rps_vec3 d, unsigned ball, rps_vec3 normal, double overlap, rps_touch *out);
/* The same of a smooth body (detect/mesh_smooth.h), whose wrench is known; in the axes of the world. */
void rps_mesh_touch_put_smooth(const rps_side *i, rps_vec3 d, rps_vec3 normal, double overlap,
                               const rps_mesh_wrench *wrench, rps_touch *out);

#endif
