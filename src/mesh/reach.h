/*
 * Where a ball touches a mesh.
 *
 * The surface counts as a set of points; its triangulation does not. Let K(r) be the part of the surface within r of the
 * ball's centre c. As r grows to R, the radius, K(r) gains pieces at feet (local minima of the distance d, in faces, on
 * edges or at points of the mesh), and pieces join (at saddles of d, on edges). A contact is one connected piece of K(R).
 * With the energy phi(overlap) of the normal law its energy is
 *
 *     E = sum over its feet of phi(R - d) - sum over the joints that connected them of phi(R - d)
 *
 * On a plane, and at a convex edge, there is one foot, however the surface is cut into triangles. In a sharp fold both
 * faces are feet and the joint is out of reach: two contacts. In a shallow fold the joint takes off what is counted twice,
 * so nothing jumps where a ball passes from one facet of a drum to the next. E is a function of the pose alone, so the
 * forces conserve energy.
 *
 * Laws see one overlap: with E ~ overlap^p, overlap^p = sum (R - d)^p over feet, less the joints; the force is that of the
 * law at this overlap times |g|, along g = gradient of the overlap. For one foot |g| = 1. A law whose energy is not a power
 * takes p = 2.
 */
#ifndef RPS_MESH_REACH_H
#define RPS_MESH_REACH_H

#include "mesh/mesh.h"

/* A triangle within reach, and its nearest point. */
typedef struct rps_reached {
    uint32_t triangle;
    double distance; /* m, from the centre */
    rps_vec3 point;  /* m, in the axes of the mesh */
} rps_reached;

/* The triangles with a point nearer than `reach` m to `centre` (m, in the axes of the mesh) whose touchable side is towards
 * it, by their numbers. Returns how many there are; the first `capacity` of them in an order of its own if there are more. */
size_t rps_mesh_reach(const rps_mesh *mesh, rps_vec3 centre, double reach, rps_reached *out, size_t capacity);

/* A triangle near a point: a lower bound of its distance, and the direction from its nearest point to the point. All of the
 * triangle is on the other side of the plane that stands on this direction, so from a point that is `moved` farther its distance
 * is at least distance + direction . moved. */
typedef struct rps_mesh_near {
    uint32_t triangle;
    float distance;     /* m */
    float direction[3]; /* unit; 0 if the point is on the triangle */
} rps_mesh_near;

/* The triangles with a point nearer than *within m to `point`, whichever side is towards it, by their distance. Returns how many
 * there are; if more than `capacity`, keeps the nearest and lowers *within to the distance of the last, so that no triangle
 * nearer than *within is missing. */
size_t rps_mesh_find_near(const rps_mesh *mesh, rps_vec3 point, double *within, rps_mesh_near *out, size_t capacity);

/* rps_mesh_reach among triangles that rps_mesh_find_near found near another point, if `within` was above reach + |moved|. moved: m,
 * from that point to the centre. */
size_t rps_mesh_reach_among(const rps_mesh *mesh, rps_vec3 centre, double reach, const rps_mesh_near *near,
                            size_t count, rps_vec3 moved, rps_reached *out, size_t capacity);

/* The nearest triangle, whichever side is towards the point, if it is nearer than `within` m (may be INFINITY); false and
 * a distance of INFINITY if none is. */
bool rps_mesh_nearest(const rps_mesh *mesh, rps_vec3 point, double within, rps_reached *out);

/* One contact: a piece of the surface within reach. */
typedef struct rps_mesh_contact {
    double overlap;  /* m; if no point of the piece is nearer than the radius, the negative gap of the nearest */
    double gain;     /* |g| */
    rps_vec3 normal; /* g/|g|, towards the centre, in the axes of the mesh */
    uint32_t foot;   /* triangle of the nearest foot */
    rps_vec3 point;  /* m, in the axes of the mesh; set for smooth bodies (detect/mesh_smooth.h) */
} rps_mesh_contact;

/* A contact of a smooth body has these besides. */
typedef struct rps_mesh_wrench {
    double curvature; /* 1/m, mean curvature of the body that stiffnesses go by */
    double couple;    /* m, torque about the normal over the load along it */
    rps_vec3 force,
        torque;   /* 1/m, 1, where the load acts, over the energy of the normal law: on the body; in a contact, on i */
    rps_vec3 arm; /* m, from the centre of the body to the point of the contact on the mesh */
} rps_mesh_wrench;

/* Scratch for a piece search among `count` triangles: bytes, aligned as for double. */
size_t rps_mesh_contacts_scratch(size_t count);

/* The contacts of a ball with the triangles that rps_mesh_reach found (all of them, within a reach of at least the
 * radius), in the order of their nearest feet. exponent: p. Returns how many there are; no more than `capacity` are written.
 * scratch: rps_mesh_contacts_scratch(count) bytes. */
size_t rps_mesh_contacts(const rps_mesh *mesh, rps_vec3 centre, double radius, double reach, double exponent,
                         const rps_reached *found, size_t count, void *scratch, rps_mesh_contact *out, size_t capacity);

/* The feet alone, for rigid contacts, which have no overlap: of feet on a piece of the surface within reach whose directions
 * differ by less than RPS_MESH_SAME_FOOT the nearest alone. By their distances; overlap: radius less distance; gain: 1. Else
 * as rps_mesh_contacts. */
#define RPS_MESH_SAME_FOOT 0.99984769515639124 /* cosine of 1 degree */
size_t rps_mesh_feet(const rps_mesh *mesh, rps_vec3 centre, double radius, double reach, const rps_reached *found,
                     size_t count, void *scratch, rps_mesh_contact *out, size_t capacity);

/* The part of a contact that a triangle in reach takes. */
typedef struct rps_mesh_share {
    rps_vec3
        direction; /* of all triangles the sum is the normal of the contact; towards the centre, in the axes of the mesh */
    double size; /* its length: positive at feet, negative where only a joint is taken off */
    double part; /* size over the sum of all sizes: adds up to 1 */
} rps_mesh_share;

/* Shares of the contact whose nearest foot is `foot`, for each of the `count` triangles; arguments as of rps_mesh_contacts. A foot
 * counts for its triangle, on an edge or at a point in equal parts for the triangles there; a joint is taken off in equal parts
 * from both triangles that it joins. False if there is no such contact. */
bool rps_mesh_shares(const rps_mesh *mesh, rps_vec3 centre, double radius, double reach, double exponent,
                     const rps_reached *found, size_t count, void *scratch, uint32_t foot, rps_mesh_share *out);

#endif
