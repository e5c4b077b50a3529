/*
 * A smooth body and a mesh, by the rule of connected pieces (mesh/reach.h).
 *
 * Its distance from the mesh is a convex function on each triangle, as that from a point is. With the smallest radius of
 * curvature R it counts as a ball of radius R whose centre lies, for each foot, R below its surface: everything in reach.h
 * holds with the distance d + R. But the lines of force do not meet in one point, so each contact has a point of its own, and
 * where several feet are one contact a torque about its normal is left.
 *
 * The stiffness of a law may depend on where the body is touched: with an energy ~ R_eff^q overlap^p each foot counts with its
 * own R_eff, and that of the contact is such that its energy is the sum of theirs. As R_eff changes with the pose, so does the
 * energy, and each foot adds the force and the torque that do this work.
 */
#ifndef RPS_DETECT_MESH_SMOOTH_H
#define RPS_DETECT_MESH_SMOOTH_H

#include "detect/mesh_oval.h"
#include "detect/touch.h"
#include "mesh/reach.h"

typedef struct rps_mesh_smooth {
    rps_mesh_oval shape;       /* its `flat` is 0: steps set it */
    double bound, least, most; /* m, radius of the ball around it, smallest and largest radius of curvature */
} rps_mesh_smooth;

/* True if the body is one of those: an ellipsoid, or a superquadric with exponents from 2 on. */
bool rps_mesh_is_smooth(const rps_side *body);
/* i at a mesh j; d: origin of i less that of j, m. */
rps_mesh_smooth rps_mesh_smooth_of(const rps_side *i, const rps_side *j, rps_vec3 d);

/* Of triangles that the ball around the body reaches (rps_mesh_reach), keeps those with a distance below `reach` (m, from R
 * below the surface), with their feet on the body. Returns how many. gap: NULL, or lowered to the least bound of the distances of
 * all of them, m. */
size_t rps_mesh_smooth_keep(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, rps_reached *found,
                            size_t count, double *gap);

/* As rps_mesh_contacts, of a ball of radius body->least. radius_exponent: q. All vectors in the axes of the mesh. */
size_t rps_mesh_smooth_contacts(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, double exponent,
                                double radius_exponent, const rps_reached *found, size_t count, void *scratch,
                                rps_mesh_contact *out, rps_mesh_wrench *wrench, size_t capacity);
/* As rps_mesh_feet. */
size_t rps_mesh_smooth_feet(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, const rps_reached *found,
                            size_t count, void *scratch, rps_mesh_contact *out, rps_mesh_wrench *wrench,
                            size_t capacity);

/* As rps_mesh_shares; the rest as of rps_mesh_smooth_contacts. */
bool rps_mesh_smooth_shares(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, double exponent,
                            double radius_exponent, const rps_reached *found, size_t count, void *scratch,
                            uint32_t foot, rps_mesh_share *out);

/* The foot nearest to the body, whichever side is towards it, if it is nearer than `within` m to its surface; else false. */
bool rps_mesh_smooth_nearest(const rps_mesh_smooth *body, const rps_mesh *mesh, double within, rps_oval_foot *foot);

#endif
