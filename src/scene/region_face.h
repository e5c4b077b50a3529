/*
 * Faces that particles come from: a disk, a rectangle, or a surface of triangles. A particle appears on the first two with
 * its centre, inside of the outline, and before a triangle so that it touches it.
 */
#ifndef RPS_SCENE_REGION_FACE_H
#define RPS_SCENE_REGION_FACE_H

#include "scene/region.h"

bool rps_region_is_face(const rps_region *region);
/* Unit vector out of the face at the point that is drawn with these numbers; 0 of a region that is not a face. */
rps_vec3 rps_region_front(const rps_region *region, const double u[4]);

/* For the table of regions. */
rps_status rps_region_read_rectangle(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err);
rps_status rps_region_read_surface(rps_scene *scene, const rps_node *node, rps_region *r, rps_error *err);
rps_status rps_region_check_rectangle(const rps_region *r, rps_place place, double radius, rps_error *err);
void rps_region_draw_rectangle(const rps_region *r, double margin, const double u[4], double x[3]);
void rps_region_draw_surface(const rps_region *r, double margin, const double u[4], double x[3]);

#endif
