/* Contacts with meshes; mesh_contacts.h has the rules. */
#include "step/mesh_contacts.h"

#include <math.h>
#include <string.h>

#include "detect/gap_table.h"
#include "detect/pair_mesh.h"
#include "mesh/corner.h"
#include "step/apart.h"
#include "step/mesh_match.h"
#include "step/mesh_near.h"
#include "step/mesh_pairs.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

enum {
    TRIANGLES = 64,      /* in reach of one ball at first; grows */
    CONTACTS_MOST = 160, /* of one pair: features of one image */
    PAIRS_SERIAL = 64    /* with fewer pairs, more workers cost more than they gain */
};

/* How far a ball should move, in radii, until the triangles near it are sought again. */
static const double NEAR_MARGIN = 0.1;

/* How far a sharp corner may be from where the surface was moved back from and yet touch it, in `inner`: the longest shift of a
 * point of the mesh (mesh/ridges.c), and the corner's own. */
static const double CORNER_REACH = 4.0;

/* A contact of a corner has just begun if its overlap is less than this part of the displacement of the last step. */
static const double JUST_BEGUN = 1.5;

typedef struct finding {
    const rps_world *world;
    rps_bodies_view bodies;
    rps_contacts *contacts;
    bool skips;
    size_t capacity; /* triangles that fit into the memory of a worker */
    size_t stride;   /* bytes of it */
    char *work;
} finding;

/* The memory of a worker begins with this; triangles and scratch follow. */
typedef struct finding_worker {
    size_t most; /* triangles in reach of a ball */
    size_t crowded;
    rps_handed handed;
} finding_worker;

static finding_worker *worker_of(const finding *f, int worker) {
    return (finding_worker *)(void *)(f->work + (size_t)worker * f->stride);
}

static bool slot_lives(const finding *f, const rps_mesh_pair *p, const rps_mesh_entry *entry) {
    return rps_segment_get(rps_mesh_segment(f->contacts, entry), p->layout->modes, entry->place) > 0.5;
}

/* gap: m, at least the range, so that no contact begins. */
static void put_apart(const finding *f, const rps_mesh_pair *p, double gap) {
    for (size_t k = 0; k < p->slots; k++)
        *rps_mesh_geometry_of(f->contacts, &p->entry[k]) = (rps_mesh_geometry){.is = RPS_MESH_APART, .overlap = -gap};
}

/* --- matching -------------------------------------------------------------------------------------------------------- */

/* The motion of a smooth body since the last evaluation, by a frame that both bodies have carried along: u, w, n and the
 * points of the contact. */
static void find_motion(const rps_mesh_pair *p, const rps_segment *segment, size_t place, rps_mesh_old *old) {
    const int track = p->layout->track;
    const rps_quat mesh = p->mesh_is_i ? p->at.body_i : p->at.body_j, body = p->mesh_is_i ? p->at.body_j : p->at.body_i;
    const rps_vec3 offset = p->mesh_is_i ? p->at.offset_j : p->at.offset_i;
    rps_vec3 on_mesh[3], on_body[3];
    on_mesh[0] = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_UI : RPS_FRAME_UJ), place);
    on_mesh[2] = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_NI : RPS_FRAME_NJ), place);
    on_body[0] = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_UJ : RPS_FRAME_UI), place);
    on_body[2] = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_NJ : RPS_FRAME_NI), place);
    on_mesh[1] = rps_vec3_cross(on_mesh[2], on_mesh[0]);
    on_body[1] = rps_vec3_cross(on_body[2], on_body[0]);
    const rps_vec3 point = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_CJ : RPS_FRAME_CI), place);
    const rps_vec3 arm = rps_vec3_sub(rps_quat_rotate_inverse(body, offset), point);
    rps_vec3 centre = rps_vec3_add_scaled(old->point, -old->overlap, old->normal), turned = rps_vec3_zero();
    for (int k = 0; k < 3; k++) {
        const rps_vec3 then = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(mesh, on_mesh[k]));
        const rps_vec3 now = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(body, on_body[k]));
        centre = rps_vec3_add_scaled(centre, rps_vec3_dot(arm, on_body[k]), then);
        turned = rps_vec3_add_scaled(turned, 0.5, rps_vec3_cross(then, now));
    }
    old->moved = rps_vec3_sub(p->centre, centre);
    old->turned = turned;
    const rps_vec3 n = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(body, on_body[2]));
    old->deeper = rps_mesh_oval_support(&p->smooth.shape, old->normal) - rps_mesh_oval_support(&p->smooth.shape, n);
}

/* A contact of the last evaluation. */
static rps_mesh_old old_at(const finding *f, const rps_mesh_pair *p, size_t slot) {
    const rps_mesh_entry *entry = &p->entry[slot];
    const rps_segment *segment = rps_mesh_segment(f->contacts, entry);
    const int track = p->layout->track;
    const rps_vec3 offset =
        rps_quat_rotate_inverse(p->wall->orientation, p->mesh_is_i ? p->at.offset_i : p->at.offset_j);
    rps_vec3 point = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_CI : RPS_FRAME_CJ), entry->place);
    rps_vec3 normal = rps_segment_vector(segment, track + (p->mesh_is_i ? RPS_FRAME_NI : RPS_FRAME_NJ), entry->place);
    /* from the axes of the body to those of the piece */
    const rps_quat body = p->mesh_is_i ? p->at.body_i : p->at.body_j;
    point = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(body, point));
    normal = rps_quat_rotate_inverse(p->wall->orientation, rps_quat_rotate(body, normal));
    point = rps_vec3_sub(point, offset);
    if (p->mesh_is_i) normal = rps_vec3_neg(normal);
    const double overlap = rps_segment_get(segment, p->layout->overlap, entry->place);
    const rps_vec3 centre = rps_vec3_add_scaled(point, p->radius - overlap, normal);
    rps_mesh_old old = {
        .slot = slot, .point = point, .normal = normal, .overlap = overlap, .moved = rps_vec3_sub(p->centre, centre)};
    if (p->is_smooth) {
        find_motion(p, segment, entry->place, &old);
        old.in_reach = rps_mesh_oval_point(&p->smooth.shape, point).distance < p->range;
    } else {
        old.in_reach = rps_vec3_norm(rps_vec3_sub(point, p->centre)) < p->reach + p->inner;
    }
    return old;
}

/* Gives a free slot to each new piece; false if there are too few. */
static bool place_new(const finding *f, const rps_mesh_pair *p, size_t pieces, rps_mesh_new *new_of) {
    size_t next = 0;
    for (size_t m = 0; m < pieces; m++) {
        if (new_of[m].slot != SIZE_MAX) continue;
        while (next < p->slots && slot_lives(f, p, &p->entry[next])) next++;
        if (next == p->slots) return false;
        new_of[m].slot = next++;
    }
    return true;
}

/* A smooth body at the last evaluation. */
static rps_mesh_oval shape_before(const rps_mesh_pair *p, const rps_mesh_old *old) {
    rps_mesh_oval then = p->smooth.shape;
    then.centre = rps_vec3_sub(then.centre, old->moved);
    then.turn = rps_quat_mul(rps_quat_from_rotation_vector(rps_vec3_neg(old->turned)), then.turn);
    return then;
}

/* The overlap of a piece at the last evaluation, by the motion since then. */
static double overlap_before(const rps_mesh_pair *p, const rps_mesh_old *old, const rps_mesh_contact *now,
                             const rps_mesh_wrench *wrench) {
    if (!p->is_smooth) return now->overlap + now->gain * rps_vec3_dot(now->normal, old->moved);
    /* against the normal as one foot, and beside it by the arm */
    const rps_mesh_oval then = shape_before(p, old);
    const double deeper =
        rps_mesh_oval_support(&p->smooth.shape, now->normal) - rps_mesh_oval_support(&then, now->normal);
    const rps_vec3 foot = rps_mesh_oval_foot_of(&p->smooth.shape, now->normal, now->overlap);
    const rps_vec3 beside = rps_vec3_cross(old->turned, rps_vec3_sub(now->point, foot));
    const double turned = wrench->couple * rps_vec3_dot(old->turned, now->normal);
    const double fell = rps_vec3_dot(now->normal, rps_vec3_add(old->moved, beside)) - deeper + turned;
    return now->overlap + now->gain * fell;
}

/* The point of a piece at the last evaluation, likewise. centre: of the ball then. */
static rps_vec3 point_before(const rps_mesh_pair *p, const rps_mesh_old *old, const rps_mesh_contact *now,
                             double before, rps_vec3 centre) {
    if (!p->is_smooth) return rps_vec3_add_scaled(centre, before - p->radius, now->normal);
    const rps_mesh_oval then = shape_before(p, old);
    const rps_vec3 foot = rps_mesh_oval_foot_of(&p->smooth.shape, now->normal, now->overlap);
    return rps_vec3_add(rps_mesh_oval_foot_of(&then, now->normal, before), rps_vec3_sub(now->point, foot));
}

/* Hands over the memories of the contacts that joined piece `first`, or parted from it. */
static void hand_over(const finding *f, const rps_mesh_pair *p, const rps_mesh_old *old, size_t olds,
                      const rps_mesh_contact *now, const rps_mesh_new *new_of, size_t pieces, size_t first,
                      rps_handed *handed) {
    const rps_mesh_entry *from[CONTACTS_MOST];
    rps_mesh_successor successor[CONTACTS_MOST];
    const rps_quat body = p->mesh_is_i ? p->at.body_i : p->at.body_j,
                   other = p->mesh_is_i ? p->at.body_j : p->at.body_i;
    const rps_vec3 offset = p->mesh_is_i ? p->at.offset_i : p->at.offset_j;
    const rps_vec3 to_body = p->mesh_is_i ? p->at.offset_j : p->at.offset_i;
    const rps_mesh_ball ball = rps_mesh_ball_of(p->body, p->entry->ball);
    rps_mesh_handover h = {.from = from,
                           .successor = successor,
                           .mesh_is_i = p->mesh_is_i,
                           .mesh_in_body = rps_quat_mul(rps_quat_conjugate(body), p->wall->orientation),
                           .mesh_at = rps_quat_rotate_inverse(body, offset),
                           .ball_at = rps_quat_rotate_inverse(other, rps_vec3_add(to_body, ball.arm)),
                           .moved = old[0].moved,
                           .centre = rps_vec3_sub(p->centre, old[0].moved),
                           .radius = p->radius,
                           .is_smooth = p->is_smooth};
    for (size_t pass = 0; pass < 2; pass++) { /* the one that goes on comes first */
        for (size_t k = 0; k < olds; k++) {
            if (old[k].piece == first && old[k].continues == (pass == 0)) from[h.froms++] = &p->entry[old[k].slot];
        }
        for (size_t m = 0; m < pieces; m++) {
            if (new_of[m].family != first || (m == first) != (pass == 0)) continue;
            const rps_vec3 point = point_before(p, &old[0], &now[m], new_of[m].before, h.centre);
            successor[h.successors++] =
                (rps_mesh_successor){&p->entry[new_of[m].slot], now[m].normal, point, new_of[m].before, now[m].gain};
        }
    }
    rps_mesh_hand_over(f->world, f->contacts, &h, handed);
}

/* normal: in the axes of the mesh, towards the ball. */
static void put_contact(const finding *f, const rps_mesh_pair *p, size_t slot, rps_mesh_geometry contact,
                        rps_vec3 normal) {
    const rps_vec3 n = rps_quat_rotate(p->wall->orientation, normal);
    rps_mesh_geometry *found = rps_mesh_geometry_of(f->contacts, &p->entry[slot]);
    *found = contact;
    rps_vec3_put(found->normal, p->mesh_is_i ? rps_vec3_neg(n) : n);
}

/* A contact that has ended goes on along its last normal, so that its last increments are those of the motion. */
static void put_ended(const finding *f, const rps_mesh_pair *p, const rps_mesh_old *old) {
    const double fell = rps_vec3_dot(old->moved, old->normal) - old->deeper;
    const rps_mesh_geometry contact = {
        .is = RPS_MESH_ENDED, .overlap = old->overlap - fell, .before = old->overlap, .gain = 1.0};
    put_contact(f, p, old->slot, contact, old->normal);
    if (!p->is_smooth) return;
    const rps_vec3 point = rps_mesh_oval_foot_of(&p->smooth.shape, old->normal, old->overlap - fell);
    const rps_mesh_wrench none = {.curvature = 1.0 / p->smooth.bound}; /* without an overlap it does not count */
    rps_mesh_wrench_put(f->contacts, p, old->slot, &none, point);
}

static void put_pieces(const finding *f, const rps_mesh_pair *p, const rps_mesh_contact *now,
                       const rps_mesh_wrench *wrench, size_t pieces, const rps_mesh_new *new_of) {
    for (size_t m = 0; m < pieces; m++) {
        const rps_mesh_geometry contact = {
            .is = RPS_MESH_MEETS, .foot = now[m].foot, .overlap = now[m].overlap, .gain = now[m].gain};
        put_contact(f, p, new_of[m].slot, contact, now[m].normal);
        if (p->is_smooth) rps_mesh_wrench_put(f->contacts, p, new_of[m].slot, &wrench[m], now[m].point);
    }
}

/* --- all pairs ------------------------------------------------------------------------------------------------------- */

/* Notes a ball whose centre has passed a one-sided surface: its contact has ended, and it would fall on. */
static void note_passed(const finding *f, const rps_mesh_pair *p, const rps_mesh_old *old, rps_handed *handed) {
    const rps_mesh *mesh = p->wall->mesh;
    const double size = p->size + p->inner; /* a sharp corner has no radius, and may be behind by `inner` */
    rps_reached nearest;
    if (mesh->side == RPS_MESH_BOTH || old->overlap + rps_vec3_norm(old->moved) < size) return;
    if (!rps_mesh_nearest(mesh, p->centre, 2.0 * size, &nearest)) return;
    const double height =
        rps_vec3_dot(rps_vec3_sub(p->centre, nearest.point), rps_vec3_of(mesh->normal[nearest.triangle]));
    const double depth = ((mesh->side == RPS_MESH_OUTER ? -height : height) - p->inner) / size;
    if (!(depth > 0.0)) return;
    const rps_segment *segment = rps_mesh_segment(f->contacts, p->entry);
    const uint32_t i = segment->slot_i[p->entry->place], j = segment->slot_j[p->entry->place];
    rps_handed one = {.passed = {.found = true,
                                 .ball = p->mesh_is_i ? j : i,
                                 .wall = p->mesh_is_i ? i : j,
                                 .triangle = nearest.triangle,
                                 .depth = depth,
                                 .point = nearest.point}};
    one.passed.id[0] = f->world->bodies.id[one.passed.ball][0];
    one.passed.id[1] = f->world->bodies.id[one.passed.wall][0];
    rps_handed_merge(handed, &one);
}

/* True if no contact of the pair exists and none can have begun; *gap: m, what is left of the gap that was noted. */
static bool stays_apart(const finding *f, const rps_mesh_pair *p, double *gap) {
    const rps_contacts *contacts = f->contacts;
    *gap = INFINITY;
    if (!f->skips || contacts->paths == 0) return false;
    for (size_t k = 0; k < p->slots; k++) {
        const rps_segment *segment = rps_mesh_segment(f->contacts, &p->entry[k]);
        const size_t place = p->entry[k].place, entry = segment->begin + place;
        if (contacts->was_active[entry] != 0) return false;
        const uint32_t i = segment->slot_i[place], j = segment->slot_j[place];
        if (!rps_apart_still(contacts, entry, i, j)) return false;
        const double left = contacts->apart[entry] - (contacts->path[i].length + contacts->path[j].length);
        if (p->range + left < *gap) *gap = p->range + left;
    }
    return true;
}

/* No contact of the pair exists. Behind a side that is not touched the mesh may be nearer than the reach of the laws. */
static void note_apart(const finding *f, const rps_mesh_pair *p, double gap) {
    put_apart(f, p, gap > p->range ? gap : p->range);
    for (size_t k = 0; k < p->slots && f->contacts->paths > 0; k++) {
        const rps_segment *segment = rps_mesh_segment(f->contacts, &p->entry[k]);
        const size_t place = p->entry[k].place;
        rps_apart_note_entry(f->contacts, &f->world->cell, &f->bodies, segment->begin + place, segment->slot_i[place],
                             segment->slot_j[place], gap, p->range);
    }
}

/* The deepest contact of a corner; its normal is 0 if it has none. */
static rps_mesh_old deepest_of(const finding *f, const rps_mesh_pair *p) {
    rps_mesh_old deepest = {.overlap = -INFINITY};
    for (size_t k = 0; k < p->slots; k++) {
        if (!slot_lives(f, p, &p->entry[k])) continue;
        const rps_mesh_old old = old_at(f, p, k);
        if (old.overlap > deepest.overlap) deepest = old;
    }
    return deepest;
}

/* Whether the pieces of a corner that touched nothing are deeper than the last step can have brought it, as behind a surface. */
static bool begins_deep(const finding *f, const rps_mesh_pair *p, const rps_mesh_contact *now, size_t pieces) {
    if (p->wall->mesh->side != RPS_MESH_BOTH) return false;
    const double moved = rps_vec3_norm(rps_mesh_pair_stepped(f->world, f->contacts, p));
    for (size_t m = 0; m < pieces && m < CONTACTS_MOST; m++) {
        if (now[m].overlap > JUST_BEGUN * moved) return true;
    }
    return false;
}

/* The same where the ball is a sharp corner, by the surface moved back. */
static bool find_corner_pieces(const finding *f, const rps_mesh_pair *p, finding_worker *result, rps_mesh_contact *now,
                               size_t *count, size_t *pieces, double *clear) {
    char *scratch = (char *)(result + 1);
    const rps_mesh *mesh = p->wall->mesh;
    const rps_mesh_old deepest = deepest_of(f, p);
    rps_mesh_from from = {.point = deepest.point, .normal = deepest.normal};
    from.body = rps_quat_rotate_inverse(p->wall->orientation, p->mesh_is_i ? rps_vec3_neg(p->at.d) : p->at.d);
    for (int tries = 0; tries < 2; tries++) {
        rps_mesh_moved moved;
        if (!rps_mesh_move_back(mesh, p->centre, p->reach + p->inner, p->inner, &from, f->capacity, scratch, &moved)) {
            result->most = 2 * f->capacity;
            return false;
        }
        rps_reached nearest;
        if (moved.mesh.triangles == 0 && rps_mesh_nearest(mesh, p->centre, INFINITY, &nearest)) {
            *clear = nearest.distance - CORNER_REACH * p->inner;
        }
        *count = moved.count;
        *pieces = rps_mesh_contacts(&moved.mesh, p->centre, p->radius + p->inner, p->reach + p->inner, p->exponent,
                                    moved.found, moved.count, scratch + rps_mesh_moved_scratch(f->capacity), now,
                                    CONTACTS_MOST);
        const bool touched = rps_vec3_norm2(deepest.normal) > 0.0;
        if (from.astride || touched || !begins_deep(f, p, now, *pieces)) break;
        from.astride = rps_mesh_is_astride(mesh, p->centre, p->inner, from.body, f->capacity, scratch);
        if (!from.astride) break;
    }
    return true;
}

/* The pieces of the surface in reach of a ball, among `count` triangles; *clear: m, none is nearer. False: there is not enough memory
 * for all triangles, as the worker notes. */
static bool find_mesh_pieces(const finding *f, const rps_mesh_pair *p, size_t number, finding_worker *result,
                             rps_mesh_contact *now, rps_mesh_wrench *wrench, size_t *count, size_t *pieces,
                             double *clear) {
    *clear = 0.0;
    if (p->inner > 0.0) return find_corner_pieces(f, p, result, now, count, pieces, clear);
    rps_reached *reached = (rps_reached *)(void *)(result + 1);
    /* a smooth body looks a little farther, to know for how long it is apart */
    const double beyond = p->is_smooth ? NEAR_MARGIN * p->bound : 0.0;
    *count = rps_mesh_near_reach(p->wall->mesh, p->centre, p->bound + p->range + beyond, NEAR_MARGIN * p->bound,
                                 &f->contacts->mesh.note[number], reached, f->capacity, clear);
    if (*count > result->most) result->most = *count;
    if (*count > f->capacity) return false;
    if (p->is_smooth) {
        /* before it meets a side that is now behind, its centre must pass that surface */
        double gap = p->range + beyond < *clear ? p->range + beyond : *clear;
        *count = rps_mesh_smooth_keep(&p->smooth, p->wall->mesh, p->reach, reached, *count, &gap);
        *clear = p->bound + gap;
        *pieces = rps_mesh_smooth_contacts(&p->smooth, p->wall->mesh, p->reach, p->exponent, p->radius_exponent,
                                           reached, *count, reached + f->capacity, now, wrench, CONTACTS_MOST);
        return true;
    }
    *pieces = rps_mesh_contacts(p->wall->mesh, p->centre, p->radius, p->reach, p->exponent, reached, *count,
                                reached + f->capacity, now, CONTACTS_MOST);
    return true;
}

static void find_contacts_of(const finding *f, size_t number, finding_worker *result) {
    rps_mesh_pair p = rps_mesh_pair_at(f->world, f->contacts, number);
    double gap;
    if (stays_apart(f, &p, &gap)) {
        put_apart(f, &p, gap);
        return;
    }
    rps_mesh_pair_place(f->world, f->contacts, &p);
    rps_mesh_contact now[CONTACTS_MOST];
    rps_mesh_wrench wrench[CONTACTS_MOST];
    rps_mesh_old old[CONTACTS_MOST];
    rps_mesh_new new_of[CONTACTS_MOST];
    size_t count, pieces, olds = 0;
    double clear;
    if (!find_mesh_pieces(f, &p, number, result, now, wrench, &count, &pieces, &clear)) return;
    for (size_t k = 0; k < p.slots; k++) {
        if (slot_lives(f, &p, &p.entry[k])) old[olds++] = old_at(f, &p, k);
    }
    if (count == 0 && olds == 0) {
        note_apart(f, &p, clear - p.bound);
        return;
    }
    if (pieces > CONTACTS_MOST) {
        result->crowded++;
        return;
    }
    for (size_t m = 0; m < pieces && !p.is_smooth; m++) {
        now[m].point = rps_vec3_add_scaled(p.centre, now[m].overlap - p.radius, now[m].normal);
    }
    for (size_t m = 0; m < pieces; m++) {
        new_of[m].before = olds > 0 ? overlap_before(&p, &old[0], &now[m], &wrench[m]) : now[m].overlap;
    }
    const rps_mesh_matched body = {p.centre, p.is_smooth ? p.smooth.most : p.radius + p.inner, p.range};
    rps_mesh_match(&body, old, olds, now, pieces, new_of);
    if (!place_new(f, &p, pieces, new_of)) {
        result->crowded++;
        return;
    }
    for (size_t m = 0; m < pieces; m++) {
        if (new_of[m].hands) hand_over(f, &p, old, olds, now, new_of, pieces, m, &result->handed);
    }
    /* a free slot may be needed in the next step: no gap is promised */
    put_apart(f, &p, p.range);
    put_pieces(f, &p, now, wrench, pieces, new_of);
    for (size_t k = 0; k < olds; k++) {
        if (old[k].piece != RPS_MESH_NO_PIECE) continue;
        put_ended(f, &p, &old[k]);
        note_passed(f, &p, &old[k], &result->handed);
    }
}

static void find_part(void *context, rps_part part) {
    finding *f = context;
    for (size_t k = part.begin; k < part.end; k++) find_contacts_of(f, k, worker_of(f, part.worker));
}

rps_status rps_mesh_contacts_find(const rps_world *world, rps_contacts *contacts, bool skips, bool *crowded,
                                  rps_handed *handed, rps_error *err) {
    *crowded = false;
    if (world->meshes == 0 || world->options.stepper != RPS_PENALTY) return RPS_OK;
    RPS_TRY(rps_mesh_pairs_list(world, contacts, err));
    const rps_workers all = rps_world_workers(world);
    const rps_workers workers = {contacts->mesh.pairs < PAIRS_SERIAL ? 1 : all.count, all.scheduler};
    finding f = {.world = world, .bodies = rps_bodies_read(&world->bodies), .contacts = contacts, .skips = skips};
    for (f.capacity = contacts->mesh.triangles > 0 ? contacts->mesh.triangles : TRIANGLES;;) {
        size_t most = 0;
        f.stride = sizeof(finding_worker) + f.capacity * sizeof(rps_reached) + rps_mesh_contacts_scratch(f.capacity) +
                   rps_mesh_moved_scratch(f.capacity);
        RPS_TRY(rps_scratch_fit(world, &contacts->memory.mesh_work, (size_t)workers.count, f.stride, err));
        f.work = contacts->memory.mesh_work.p;
        for (int k = 0; k < workers.count; k++) *worker_of(&f, k) = (finding_worker){0};
        rps_parallel_for(workers, contacts->mesh.pairs, find_part, &f);
        for (int k = 0; k < workers.count; k++) {
            const finding_worker *result = worker_of(&f, k);
            most = result->most > most ? result->most : most;
            *crowded = *crowded || result->crowded > 0;
            rps_handed_merge(handed, &result->handed);
        }
        if (most <= f.capacity) break;
        contacts->mesh.triangles = f.capacity = most + most / 2;
        *crowded = false;
    }
    return RPS_OK;
}
