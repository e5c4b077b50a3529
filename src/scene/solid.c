/* Gaps of bodies: from the support point of the other body for planes, else from the common normal of two convex
 * bodies. */
#include "scene/solid.h"

#include <math.h>
#include <string.h>

#include "detect/image.h"
#include "detect/pair_convex.h"
#include "detect/separation.h"
#include "mesh/enclose.h"
#include "mesh/reach.h"
#include "world/body_shape.h"

/* --- from bodies --------------------------------------------------------------------------------------------------- */

static rps_quat unit_quat(const double q[4]) {
    return rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
}

int rps_solids_of_def(const rps_body_def *def) {
    return def->piece ? def->pieces : 1;
}

/* Parameters with their defaults, already checked. */
static void solid_take_shape(rps_solid *solid, const char *name, const double parameter[RPS_SHAPE_PARAMETERS]) {
    solid->shape = rps_shape_at(rps_shape_find(name));
    memcpy(solid->parameter, parameter, sizeof solid->parameter);
    rps_shape_check(solid->shape, solid->parameter, name, NULL);
}

rps_solid rps_solid_of_def(const rps_body_def *def, int piece) {
    rps_solid solid = {.center = rps_vec3_of(def->position), .orientation = unit_quat(def->orientation)};
    if (def->piece) {
        const rps_piece_def *part = &def->piece[piece];
        solid_take_shape(&solid, part->shape, part->parameter);
        solid.center = rps_vec3_add(solid.center, rps_quat_rotate(solid.orientation, rps_vec3_of(part->position)));
        solid.orientation = rps_quat_normalize(rps_quat_mul(solid.orientation, unit_quat(part->orientation)));
        return solid;
    }
    if (rps_shape_is_round(rps_shape_find(def->shape))) { /* in its plane a disk is a great circle of a ball */
        const double radius[RPS_SHAPE_PARAMETERS] = {def->radius};
        solid_take_shape(&solid, rps_shape_sphere.name, radius);
    } else {
        solid_take_shape(&solid, def->shape, def->parameter);
    }
    solid.normal = rps_vec3_normalize(rps_vec3_of(def->normal));
    return solid;
}

int rps_solids_of_body(const rps_world *world, size_t slot) {
    return rps_body_shape_count(&world->bodies, slot);
}

rps_solid rps_solid_of_body(const rps_world *world, size_t slot, int piece) {
    const rps_bodies *bodies = &world->bodies;
    const rps_pose *pose = &bodies->pose[slot];
    rps_solid solid = {.center = rps_vec3_of(pose->position), .orientation = unit_quat(bodies->orientation[slot])};
    if (!rps_body_has_pieces(bodies, slot)) { /* in its plane a disk is a great circle of a ball */
        solid.shape = rps_body_is_plane(bodies, slot) ? &rps_shape_plane : &rps_shape_sphere;
        solid.parameter[0] = pose->radius[0];
        solid.normal = rps_vec3_of(bodies->normal[slot]);
        return solid;
    }
    const rps_piece *part = rps_body_pieces(world, slot) + piece;
    solid.shape = rps_shape_at((int)part->shape);
    solid.mesh = rps_piece_mesh(world, part);
    memcpy(solid.parameter, part->parameter, sizeof solid.parameter);
    solid.center = rps_vec3_add(solid.center, rps_quat_rotate(solid.orientation, rps_vec3_of(part->offset)));
    solid.orientation = rps_quat_normalize(rps_quat_mul(solid.orientation, unit_quat(part->orientation)));
    return solid;
}

/* --- gaps ---------------------------------------------------------------------------------------------------------- */

double rps_solid_extent(const rps_solid *solid, rps_vec3 direction) {
    if (solid->shape == &rps_shape_sphere) return solid->parameter[0];
    rps_vec3 local = rps_quat_rotate_inverse(solid->orientation, direction);
    if (solid->mesh != NULL) { /* its shape knows the box around it alone */
        double most = -INFINITY;
        for (size_t k = 0; k < solid->mesh->points; k++) {
            most = fmax(most, rps_vec3_dot(rps_vec3_of(solid->mesh->point[k]), local));
        }
        return most;
    }
    return rps_vec3_dot(solid->shape->support(solid->parameter, local), local);
}

static double plane_gap(const rps_solid *plane, const rps_solid *other, rps_vec3 other_less_plane) {
    if (other->shape->unbounded) return INFINITY;
    return rps_vec3_dot(other_less_plane, plane->normal) - rps_solid_extent(other, rps_vec3_neg(plane->normal));
}

/* The least gap over all features of a body and a sheet; two sheets have none. */
static double sheet_gap(const rps_side *i, const rps_side *j, rps_vec3 d) {
    const unsigned features = rps_touch_features(i, j);
    double least = INFINITY;
    for (unsigned f = 0; f < features; f++) least = fmin(least, rps_touch_gap(i, j, d, f));
    return least;
}

static rps_side side_of_solid(const rps_solid *s) {
    return (rps_side){.shape = s->shape, .parameter = s->parameter, .orientation = s->orientation, .mesh = s->mesh};
}

/* A closed mesh that is touched from outside is solid. */
static double mesh_gap(const rps_solid *mesh, const rps_solid *other, rps_vec3 other_less_mesh, double reach) {
    if (other->shape == &rps_shape_mesh) {
        const rps_side i = side_of_solid(other), j = side_of_solid(mesh);
        if (i.mesh == NULL || j.mesh == NULL) return INFINITY;
        if (rps_is_polyhedron(&i)) return rps_polyhedron_separation(&i, &j, other_less_mesh, reach);
        return rps_is_polyhedron(&j) ? rps_polyhedron_separation(&j, &i, rps_vec3_neg(other_less_mesh), reach)
                                     : INFINITY;
    }
    if (rps_shape_is_sheet(other->shape)) {
        const rps_side i = side_of_solid(mesh), j = side_of_solid(other);
        return rps_is_polyhedron(&i) ? sheet_gap(&i, &j, rps_vec3_neg(other_less_mesh)) : INFINITY;
    }
    if (other->shape != &rps_shape_sphere && other->shape->support != NULL) {
        const rps_side i = side_of_solid(other), j = side_of_solid(mesh);
        return rps_convex_separation(&i, &j, other_less_mesh, reach);
    }
    const double radius = other->shape->bounding_radius(other->parameter);
    const rps_vec3 x = rps_quat_rotate_inverse(mesh->orientation, other_less_mesh);
    rps_reached nearest;
    if (mesh->mesh->closed && mesh->mesh->side == RPS_MESH_OUTER && rps_mesh_encloses(mesh->mesh, x)) {
        rps_mesh_nearest(mesh->mesh, x, INFINITY, &nearest);
        return -nearest.distance - radius;
    }
    const bool near = rps_mesh_nearest(mesh->mesh, x, reach + radius, &nearest);
    return near ? nearest.distance - radius : INFINITY;
}

double rps_solid_gap(const rps_solid *a, const rps_solid *b, rps_vec3 d, double reach) {
    if (a->shape->unbounded) return plane_gap(a, b, rps_vec3_neg(d));
    if (b->shape->unbounded) return plane_gap(b, a, d);
    if (a->shape == &rps_shape_mesh) return mesh_gap(a, b, rps_vec3_neg(d), reach);
    if (b->shape == &rps_shape_mesh) return mesh_gap(b, a, d, reach);
    if (a->shape == &rps_shape_sphere && b->shape == &rps_shape_sphere) {
        return rps_vec3_norm(d) - (a->parameter[0] + b->parameter[0]);
    }
    const rps_side i = side_of_solid(a), j = side_of_solid(b);
    if (rps_shape_is_sheet(a->shape) || rps_shape_is_sheet(b->shape)) return sheet_gap(&i, &j, d);
    rps_touch touch;
    rps_convex_touch(&i, &j, d, reach, NULL, &touch);
    return -touch.overlap;
}

double rps_solid_touch(const rps_solid *a, const rps_solid *b, rps_vec3 d, rps_vec3 *normal) {
    const rps_side i = side_of_solid(a), j = side_of_solid(b);
    rps_touch touch;
    rps_convex_touch(&i, &j, d, INFINITY, NULL, &touch);
    *normal = touch.normal;
    return -touch.overlap;
}

static rps_vec3 nearest(const rps_world *world, rps_vec3 d) {
    double x[3] = {d.x, d.y, d.z};
    rps_cell_nearest(&world->cell, x);
    return rps_vec3_of(x);
}

/* The gap of two pieces in their nearest image. slot: SIZE_MAX for no body; d: m, vector between both centres in the
 * nearest image of the bodies. */
static double gap_of_images(const rps_world *world, const rps_solid *a, size_t slot_a, const rps_solid *b,
                            size_t slot_b, rps_vec3 d, double reach) {
    const rps_side i = side_of_solid(a), j = side_of_solid(b);
    const rps_image_pair pair = {&i, &j, slot_a, slot_b, d};
    if (!rps_image_matters(world, &pair)) return rps_solid_gap(a, b, d, reach);
    rps_vec3 place[RPS_IMAGES_MOST];
    const int places = rps_image_near(world, &pair, 0, place);
    double least = INFINITY;
    for (int k = 0; k < places; k++) least = fmin(least, rps_solid_gap(a, b, place[k], reach));
    return least;
}

double rps_body_gap(const rps_world *world, size_t slot_a, size_t slot_b, double reach) {
    const rps_vec3 x_a = rps_vec3_of(world->bodies.pose[slot_a].position),
                   x_b = rps_vec3_of(world->bodies.pose[slot_b].position);
    const rps_vec3 apart = rps_vec3_sub(x_a, x_b);
    const bool has_plane = rps_body_is_plane(&world->bodies, slot_a) || rps_body_is_plane(&world->bodies, slot_b);
    const rps_vec3 d = has_plane ? apart : nearest(world, apart);
    double least = INFINITY;
    for (int k = 0; k < rps_solids_of_body(world, slot_a); k++) {
        const rps_solid a = rps_solid_of_body(world, slot_a, k);
        for (int m = 0; m < rps_solids_of_body(world, slot_b); m++) {
            const rps_solid b = rps_solid_of_body(world, slot_b, m);
            const rps_vec3 offset = rps_vec3_sub(rps_vec3_sub(a.center, x_a), rps_vec3_sub(b.center, x_b));
            least = fmin(least, gap_of_images(world, &a, slot_a, &b, slot_b, rps_vec3_add(d, offset), reach));
        }
    }
    return least;
}

double rps_ball_gap(const rps_world *world, size_t slot, rps_vec3 center, double radius) {
    const rps_solid ball = {
        .shape = &rps_shape_sphere, .parameter = {radius}, .orientation = rps_quat_identity(), .center = center};
    const rps_vec3 x = rps_vec3_of(world->bodies.pose[slot].position), d = nearest(world, rps_vec3_sub(center, x));
    double least = INFINITY;
    for (int k = 0; k < rps_solids_of_body(world, slot); k++) {
        const rps_solid b = rps_solid_of_body(world, slot, k);
        const rps_vec3 apart = rps_vec3_sub(d, rps_vec3_sub(b.center, x));
        least = fmin(least, gap_of_images(world, &ball, SIZE_MAX, &b, slot, apart, 0.0));
    }
    return least;
}
