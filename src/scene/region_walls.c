/* The walls that close a region, as bodies. */
#include <string.h>

#include <repose/shape.h>

#include "base/elementary.h"
#include "scene/region.h"

static int box_walls(const rps_region *r, rps_body_def *wall) {
    int walls = 0;
    for (int k = 0; k < 3; k++) {
        for (int side = 0; side < 2 && !r->wide[k]; side++) {
            const double inward = side ? -1.0 : 1.0;
            wall[walls] = rps_body_plane(k == 0 ? inward : 0.0, k == 1 ? inward : 0.0, k == 2 ? inward : 0.0);
            wall[walls++].position[k] = side ? r->high[k] : r->low[k];
        }
    }
    return walls;
}

static int cylinder_walls(const rps_region *r, rps_body_def *wall) {
    const rps_vec3 z = rps_vec3_make(0.0, 0.0, 1.0), about = rps_vec3_cross(z, r->axis);
    const double sine = rps_vec3_norm(about), angle = rps_atan2(sine, r->axis.z);
    const rps_vec3 axis = sine > 0.0 ? rps_vec3_scale(about, 1.0 / sine) : rps_vec3_make(1.0, 0.0, 0.0);
    const rps_quat turn = rps_quat_from_axis_angle(axis, angle);
    wall[0] = rps_body_cylinder_wall(r->radius, r->length, 2);
    rps_vec3_put(wall[0].position, rps_vec3_add_scaled(r->point, 0.5 * r->length, r->axis));
    memcpy(wall[0].orientation, (double[4]){turn.w, turn.x, turn.y, turn.z}, sizeof wall[0].orientation);
    return 1;
}

static int sphere_walls(const rps_region *r, rps_body_def *wall) {
    wall[0] = rps_body_sphere_wall(r->radius, 0.0);
    rps_vec3_put(wall[0].position, r->point);
    return 1;
}

/* A mesh is a wall itself, which another world has under a number of its own: its caller adds it. */
int rps_region_walls(const rps_region *region, rps_body_def wall[RPS_REGION_WALLS]) {
    int walls = 0;
    if (region->kind == RPS_REGION_BOX) walls = box_walls(region, wall);
    if (region->kind == RPS_REGION_CYLINDER) walls = cylinder_walls(region, wall);
    if (region->kind == RPS_REGION_SPHERE) walls = sphere_walls(region, wall);
    for (int k = 0; k < walls; k++) wall[k].kind = RPS_BODY_FIXED;
    return walls;
}
