/*
 * The table of gap functions by shapes. `flipped`: the function is written for the other order of the two bodies.
 */
#include "detect/gap_table.h"

#include <math.h>

#include "base/cpu.h"
#include "detect/detect.h"
#include "detect/image.h"
#include "detect/mesh_smooth.h"
#include "detect/pair_mesh.h"
#include "detect/pair_core.h"
#include "detect/pair_sheet.h"
#include "detect/smooth_pair.h"
#include "detect/swept_spheres.h"
#include "world/body_shape.h"

static rps_sweep_spheres_fn *const sweep_spheres[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_sweep_spheres);

typedef struct gap_entry {
    rps_gap_function gap; /* NULL: these shapes never touch */
    bool flipped;
} gap_entry;

/* For general bodies these are the gaps of their bounding spheres, which serve to find near bodies. */
/* clang-format off */
static const gap_entry table[RPS_BODY_SHAPES][RPS_BODY_SHAPES] = {
    [RPS_BODY_SPHERE]  = {[RPS_BODY_SPHERE]  = {rps_gap_sphere_sphere, false},
                          [RPS_BODY_PLANE]   = {rps_gap_plane_sphere,  true},
                          [RPS_BODY_PIECES] = {rps_gap_sphere_sphere, false}},
    [RPS_BODY_PLANE]   = {[RPS_BODY_SPHERE]  = {rps_gap_plane_sphere,  false},
                          [RPS_BODY_PLANE]   = {NULL,                  false},
                          [RPS_BODY_PIECES] = {rps_gap_plane_sphere,  false}},
    [RPS_BODY_PIECES] = {[RPS_BODY_SPHERE]  = {rps_gap_sphere_sphere, false},
                          [RPS_BODY_PLANE]   = {rps_gap_plane_sphere,  true},
                          [RPS_BODY_PIECES] = {rps_gap_sphere_sphere, false}},
};
/* clang-format on */

bool rps_pair_exists(rps_body_shape a, rps_body_shape b) {
    return table[a][b].gap != NULL;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

void rps_pair_side(const rps_world *world, size_t slot, uint32_t piece, rps_side *side, rps_vec3 *offset) {
    const rps_bodies *bodies = &world->bodies;
    const double *o = bodies->orientation[slot];
    const rps_quat body = {o[0], o[1], o[2], o[3]};
    if (!rps_body_has_pieces(bodies, slot)) {
        *side = (rps_side){.shape = rps_shape_at(rps_body_shape_index(bodies, slot)),
                           .parameter = bodies->pose[slot].radius,
                           .orientation = body};
        *offset = rps_vec3_zero();
        return;
    }
    const rps_piece *p = rps_body_pieces(world, slot) + piece;
    const double *q = p->orientation;
    *side = (rps_side){.shape = rps_shape_at((int)p->shape), .parameter = p->parameter, .orientation = body};
    if (side->shape == &rps_shape_mesh) {
        side->mesh = rps_piece_mesh(world, p);
        side->slots = world->mesh_slots;
    }
    *offset = rps_vec3_zero();
    if (rps_body_piece_count(bodies, slot) > 1) {
        side->orientation = rps_quat_mul(body, (rps_quat){q[0], q[1], q[2], q[3]});
        *offset = rps_quat_rotate(body, (rps_vec3){p->offset[0], p->offset[1], p->offset[2]});
    }
}

rps_vec3 rps_pair_difference(const rps_world *world, size_t slot_i, size_t slot_j) {
    const double *a = world->bodies.pose[slot_i].position, *b = world->bodies.pose[slot_j].position;
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    rps_cell_nearest(&world->cell, d);
    return (rps_vec3){d[0], d[1], d[2]};
}

static rps_quat attitude_of(const rps_world *world, size_t slot) {
    const double *q = world->bodies.orientation[slot];
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* d: in the nearest image of the bodies, not of the pieces. */
static rps_pair_sides sides_of(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey) {
    rps_pair_sides s = {.body_i = attitude_of(world, slot_i), .body_j = attitude_of(world, slot_j)};
    rps_pair_side(world, slot_i, subkey.piece_i, &s.i, &s.offset_i);
    rps_pair_side(world, slot_j, subkey.piece_j, &s.j, &s.offset_j);
    s.d = rps_vec3_add(rps_pair_difference(world, slot_i, slot_j), rps_vec3_sub(s.offset_i, s.offset_j));
    return s;
}

rps_pair_sides rps_pair_sides_of(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey) {
    rps_pair_sides s = sides_of(world, slot_i, slot_j, subkey);
    const rps_image_pair pair = {&s.i, &s.j, slot_i, slot_j, s.d};
    if (rps_image_matters(world, &pair)) {
        s.d = rps_image_choose(world, &pair, rps_subkey_image(subkey), &s.shift, &s.endless);
    } else {
        s.endless = rps_image_of_plane(world, s.i.shape->unbounded, s.j.shape->unbounded);
    }
    return s;
}

/* The components that `bits` names. */
static rps_vec3 gap_table_part_of(rps_vec3 v, unsigned bits) {
    return rps_vec3_make((bits & 1U) != 0 ? v.x : 0.0, (bits & 2U) != 0 ? v.y : 0.0, (bits & 4U) != 0 ? v.z : 0.0);
}

/* --- rims that meet ------------------------------------------------------------------------------------------------ */

/* A body may have several sheets that meet at their rims. They count as one set of points: a ball touches it where its
 * distance is least in the neighbourhood. So a foot on a rim that also lies on another part is none, unless that part has
 * the same foot; then it counts once, for the part that is first. */
static const double SAME = 1e-8; /* of the size of the body: points this near are one */

/* Numbers of a part of a sheet of a body. */
typedef struct part_number {
    uint32_t piece;
    int part;
} part_number;

/* foot, center: of the ball; m, from the centre of the body in world axes. */
static bool is_taken(const rps_world *world, size_t slot, part_number own, rps_vec3 foot, rps_vec3 center) {
    const double near = SAME * world->bodies.pose[slot].radius[0];
    for (uint32_t piece = 0; piece < (uint32_t)rps_body_piece_count(&world->bodies, slot); piece++) {
        rps_side side;
        rps_vec3 offset;
        rps_pair_side(world, slot, piece, &side, &offset);
        if (!rps_shape_is_sheet(side.shape)) continue;
        const rps_vec3 at = rps_quat_rotate_inverse(side.orientation, rps_vec3_sub(foot, offset));
        const rps_vec3 from = rps_quat_rotate_inverse(side.orientation, rps_vec3_sub(center, offset));
        if (rps_vec3_norm(at) > side.shape->bounding_radius(side.parameter) + near) continue;
        for (int part = 0; part < side.shape->parts(side.parameter); part++) {
            if (piece == own.piece && part == own.part) continue;
            if (side.shape->nearest(side.parameter, part, at).distance > near) continue;
            const rps_shape_foot other = side.shape->nearest(side.parameter, part, from);
            const bool same = rps_vec3_norm(rps_vec3_sub(other.point, at)) <= 2.0 * near;
            const bool later = piece > own.piece || (piece == own.piece && part > own.part);
            if (!same || !later) return true;
        }
    }
    return false;
}

/* True if the contact, whose foot is on a rim, belongs to another part of the body with the sheet. */
static bool belongs_elsewhere(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey,
                              const rps_pair_sides *s, const rps_touch *t) {
    const bool of_i = rps_shape_is_sheet(s->i.shape);
    const rps_side *ball = of_i ? &s->j : &s->i;
    const unsigned corners = rps_sheet_part_features(ball);
    const part_number own = {of_i ? subkey.piece_i : subkey.piece_j, (int)(rps_subkey_touch(subkey) / corners)};
    const rps_vec3 foot = rps_vec3_add(of_i ? t->branch_i : t->branch_j, of_i ? s->offset_i : s->offset_j);
    const double away = rps_mesh_ball_of(ball, 0).radius - t->overlap;
    const rps_vec3 center = rps_vec3_add_scaled(foot, of_i ? -away : away, t->normal);
    return is_taken(world, of_i ? slot_i : slot_j, own, foot, center);
}

rps_touch_result rps_pair_touch(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey, double cutoff,
                                const rps_touch_start *warm, rps_touch *out) {
    const rps_pair_sides s = rps_pair_sides_of(world, slot_i, slot_j, subkey);
    rps_touch_start of_pieces;
    if (warm) {
        of_pieces = *warm;
        of_pieces.branch_i = rps_vec3_sub(warm->branch_i, s.offset_i);
        of_pieces.branch_j = rps_vec3_sub(warm->branch_j, s.offset_j);
    }
    const rps_touch_result result =
        rps_touch_find(&s.i, &s.j, s.d, rps_subkey_touch(subkey), cutoff, warm ? &of_pieces : NULL, out);
    out->endless = s.endless;
    if (result == RPS_TOUCH_APART) return result;
    if (out->on_rim && belongs_elsewhere(world, slot_i, slot_j, subkey, &s, out)) {
        out->overlap = 0.0; /* it may touch as soon as the bodies move */
        return RPS_TOUCH_APART;
    }
    out->branch_i = rps_vec3_add(out->branch_i, s.offset_i);
    out->branch_j = rps_vec3_add(out->branch_j, s.offset_j);
    if ((s.endless & 7U) != 0) out->branch_i = rps_vec3_sub(out->branch_i, gap_table_part_of(s.shift, s.endless));
    if (s.endless >> 3 != 0) out->branch_j = rps_vec3_add(out->branch_j, gap_table_part_of(s.shift, s.endless >> 3));
    return result;
}

rps_touch_result rps_pair_put_mesh(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey,
                                   rps_vec3 normal, double overlap, const rps_mesh_wrench *wrench, rps_touch *out) {
    const rps_pair_sides s = rps_pair_sides_of(world, slot_i, slot_j, subkey);
    const bool is_i = rps_mesh_wall(&s.i, &s.j) == &s.j;
    const rps_side *body = is_i ? &s.i : &s.j;
    const unsigned ball = rps_mesh_feature_at(rps_subkey_touch(subkey), rps_mesh_balls(body)).ball;
    const rps_vec3 d = is_i ? s.d : rps_vec3_neg(s.d), n = is_i ? normal : rps_vec3_neg(normal);
    rps_touch t = {0};
    if (wrench != NULL && rps_mesh_is_smooth(body)) {
        rps_mesh_touch_put_smooth(body, d, n, overlap, wrench, &t);
    } else {
        rps_mesh_touch_put(body, d, ball, n, overlap, &t);
    }
    *out = is_i ? t : rps_touch_mirror(&t);
    out->branch_i = rps_vec3_add(out->branch_i, s.offset_i);
    out->branch_j = rps_vec3_add(out->branch_j, s.offset_j);
    return rps_mesh_is_deep(body, is_i ? &s.j : &s.i, ball, overlap) ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

bool rps_pair_is_deep(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey, double overlap) {
    if (world->meshes > 0 && rps_subkey_touch(subkey) < RPS_SUBKEY_PLACES) {
        const rps_pair_sides s = sides_of(world, slot_i, slot_j, subkey);
        const rps_side *wall = rps_mesh_wall(&s.i, &s.j), *body = wall == &s.i ? &s.j : &s.i;
        if (wall != NULL) {
            const unsigned ball = rps_mesh_feature_at(rps_subkey_touch(subkey), rps_mesh_balls(body)).ball;
            return rps_mesh_is_deep(body, wall, ball, overlap);
        }
    }
    rps_touch t;
    return rps_pair_touch(world, slot_i, slot_j, subkey, INFINITY, NULL, &t) == RPS_TOUCH_DEEP;
}

void rps_pair_curvature_gradients(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey,
                                  const rps_touch *touch, rps_vec3 *gradient_i, rps_vec3 *gradient_j) {
    const rps_pair_sides s = sides_of(world, slot_i, slot_j, subkey);
    *gradient_i =
        rps_touch_curvature_gradient(&s.i, rps_vec3_sub(touch->branch_i, s.offset_i), rps_vec3_neg(touch->normal));
    *gradient_j = rps_touch_curvature_gradient(&s.j, rps_vec3_sub(touch->branch_j, s.offset_j), touch->normal);
}

double rps_pair_gap(const rps_world *world, size_t slot_i, size_t slot_j, rps_subkey subkey) {
    const rps_pair_sides s = sides_of(world, slot_i, slot_j, subkey);
    const rps_image_pair pair = {&s.i, &s.j, slot_i, slot_j, s.d};
    if (!rps_image_matters(world, &pair)) return rps_touch_gap(&s.i, &s.j, s.d, rps_subkey_touch(subkey));
    rps_vec3 d[RPS_IMAGES_MOST];
    const int images = rps_image_near(world, &pair, rps_subkey_image(subkey), d);
    double least = INFINITY;
    for (int n = 0; n < images; n++) {
        const double gap = rps_touch_gap(&s.i, &s.j, d[n], rps_subkey_touch(subkey));
        least = gap < least ? gap : least;
    }
    return least;
}

/* Whether pair k is another slot of the pair with a mesh before it, which has the same gap. */
static bool same_mesh_pair(const rps_world *world, const uint32_t *a, const uint32_t *b, const rps_subkey *subkey,
                           size_t k) {
    const rps_subkey one = subkey[k - 1], two = subkey[k];
    if (world->meshes == 0 || a[k - 1] != a[k] || b[k - 1] != b[k]) return false;
    if (one.piece_i != two.piece_i || one.piece_j != two.piece_j) return false;
    if (rps_subkey_image(one) != rps_subkey_image(two)) return false;
    const uint32_t feature = rps_subkey_touch(two);
    if (feature % RPS_MESH_BALL_SLOTS == 0) return false; /* perhaps of the next ball */
    if (feature >= RPS_SUBKEY_PLACES) return false;
    const rps_mesh *of_a = rps_body_piece_mesh(world, a[k], two.piece_i);
    const rps_mesh *of_b = rps_body_piece_mesh(world, b[k], two.piece_j);
    /* the tips of a polyhedron have fewer slots each */
    if ((of_a != NULL && of_a->core != NULL) || (of_b != NULL && of_b->core != NULL)) return false;
    return of_a != NULL || of_b != NULL;
}

/* Pairs of smooth bodies go in groups; where the fast method is not proven, and for other shapes, one by one. */
static void general_gaps(const rps_world *world, const uint32_t *a, const uint32_t *b, const rps_subkey *subkey,
                         size_t count, double *gap) {
    size_t index[RPS_SMOOTH_GROUP];
    int n = 0;
    for (size_t k = 0; k <= count; k++) {
        rps_smooth_shape shape[2];
        if (n == RPS_SMOOTH_GROUP || (k == count && n > 0)) {
            const unsigned found = rps_smooth_gaps(world, a, b, index, n, gap);
            for (int m = 0; m < n; m++) {
                const size_t p = index[m];
                if ((found >> m & 1U) == 0) gap[p] = rps_pair_gap(world, a[p], b[p], subkey[p]);
            }
            n = 0;
        }
        if (k == count) break;
        if (rps_smooth_pair(world, a[k], b[k], shape)) {
            index[n++] = k;
        } else {
            gap[k] = k > 0 && same_mesh_pair(world, a, b, subkey, k) ? gap[k - 1]
                                                                     : rps_pair_gap(world, a[k], b[k], subkey[k]);
        }
    }
}

/* --- gaps --------------------------------------------------------------------------------------------------------- */

void rps_pair_gaps(const rps_world *world, rps_pair_class of, const uint32_t *a, const uint32_t *b,
                   const rps_subkey *subkey, size_t count, double *gap) {
    gap_entry entry = table[of.a][of.b];
    if (rps_record_has_offsets(of.record)) {
        rps_gap_sphere_pieces(world, a, b, subkey, count, gap);
    } else if (subkey != NULL && (of.a == RPS_BODY_PIECES || of.b == RPS_BODY_PIECES)) {
        general_gaps(world, a, b, subkey, count, gap);
    } else if (entry.gap == NULL) {
        for (size_t k = 0; k < count; k++) gap[k] = INFINITY;
    } else if (entry.flipped) {
        entry.gap(world, b, a, count, gap);
    } else {
        entry.gap(world, a, b, count, gap);
    }
}

/* Velocity of the image of one body that is nearest to the other, in a sheared cell (m/s); else 0. */
static double image_speed(const rps_world *world, uint32_t a, uint32_t b) {
    const rps_cell *cell = &world->cell;
    const rps_pose *pose = world->bodies.pose;
    if (!cell->sheared) return 0.0;
    const double away = pose[a].position[cell->gradient] - pose[b].position[cell->gradient];
    return fabs(cell->speed * rps_cell_images_up(cell, away));
}

/* Largest approach speed if both bodies keep their predicted velocities (m/s). */
static double gap_table_approach(const rps_world *world, const rps_prediction *prediction, rps_body_shape shape_a,
                                 rps_body_shape shape_b, uint32_t a, uint32_t b) {
    const float *u = prediction[a].v, *v = prediction[b].v;
    const rps_vec3 pass = {(double)u[0] - (double)v[0], (double)u[1] - (double)v[1], (double)u[2] - (double)v[2]};
    if (shape_a != RPS_BODY_PLANE && shape_b != RPS_BODY_PLANE) {
        return rps_vec3_norm(pass) + image_speed(world, a, b);
    }
    const double *n = world->bodies.normal[shape_a == RPS_BODY_PLANE ? a : b];
    const double along = rps_vec3_dot(pass, (rps_vec3){n[0], n[1], n[2]});
    const double nearer = shape_a == RPS_BODY_PLANE ? along : -along;
    return nearer > 0.0 ? nearer : 0.0;
}

void rps_pair_swept_gaps(const rps_world *world, const rps_prediction *prediction, rps_pair_class of, const uint32_t *a,
                         const uint32_t *b, const rps_subkey *subkey, size_t count, double time, double *gap,
                         float *pass2) {
    if (of.a == RPS_BODY_SPHERE && of.b == RPS_BODY_SPHERE) {
        const rps_swept_spheres task = {.pose = world->bodies.pose,
                                        .prediction = prediction,
                                        .i = a,
                                        .j = b,
                                        .count = count,
                                        .time = time,
                                        .cell = world->cell,
                                        .gap = gap,
                                        .pass2 = pass2};
        sweep_spheres[world->isa](&task);
        return;
    }
    rps_pair_gaps(world, of, a, b, subkey, count, gap);
    for (size_t k = 0; k < count; k++) {
        const double nearer = gap_table_approach(world, prediction, of.a, of.b, a[k], b[k]);
        gap[k] -= nearer * time;
        pass2[k] = (float)(nearer * nearer);
    }
}

double rps_detect_gap(const rps_world *world, size_t slot_i, size_t slot_j) {
    uint32_t i = (uint32_t)slot_i, j = (uint32_t)slot_j;
    double gap;
    const rps_pair_class of = {RPS_RECORD_FRAME, rps_body_shape_of(&world->bodies, slot_i),
                               rps_body_shape_of(&world->bodies, slot_j)};
    rps_pair_gaps(world, of, &i, &j, NULL, 1, &gap);
    return gap;
}
