/*
 * Adds the loads of a step to those on surfaces (world/surface_loads.h), from what the evaluation left in the contact store.
 *
 * The load of a ball or a smooth body on a mesh goes to the triangles of the feet of its contact (rps_mesh_shares). Of other bodies, and where the feet are not known, it goes to the triangle nearest to the point of
 * contact.
 */
#include <math.h>
#include <string.h>

#include "law/roles.h"
#include "detect/mesh_smooth.h"
#include "detect/pair_mesh.h"
#include "step/mesh_pairs.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/surface_loads.h"

enum { TRIANGLES_FIRST = 64 /* in reach of one ball at first; grows */ };

typedef struct surface_stage {
    const rps_world *world;
    rps_surface_loads *loads;
    rps_error *err;
    double dt, step;
} surface_stage;

/* A contact of a body whose loads are summed; vectors are on this body, in world axes. */
typedef struct surface_contact {
    const rps_segment *segment;
    size_t entry, place;
    bool is_j;
    double load;               /* N, along the normal */
    rps_vec3 normal, friction; /* unit, towards the other body; N */
    double work, wear;         /* J, m^3, of the step */
} surface_contact;

/* --- one contact ---------------------------------------------------------------------------------------------------- */

static rps_vec3 normal_of_entry(const rps_world *world, const rps_segment *segment, const rps_layout *layout,
                                size_t place) {
    if (layout->impulses) return rps_segment_vector(segment, RPS_IMPULSE_NORMAL, place);
    if (segment->record != RPS_RECORD_FRAME) return rps_segment_vector(segment, layout->track, place);
    const double *q = world->bodies.orientation[segment->slot_i[place]];
    return rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]},
                           rps_segment_vector(segment, layout->track + RPS_FRAME_NI, place));
}

static double sliding_work_of(const rps_contacts *contacts, size_t entry) {
    const int account = rps_role_account(RPS_ROLE_SLIDE);
    const rps_contact_load *load = &contacts->load[contacts->place[entry][account / RPS_LOAD_ACCOUNTS]];
    return load->number[rps_load_account(account % RPS_LOAD_ACCOUNTS)];
}

/* False if the contact does nothing. */
static bool read_contact(const rps_world *world, uint32_t reference, uint32_t line, surface_contact *c) {
    const rps_contacts *contacts = &world->contacts;
    if (!contacts->has_load[line]) return false;
    *c = (surface_contact){.entry = rps_reference_entry(reference), .is_j = rps_reference_is_j(reference)};
    c->segment = rps_entry_segment(contacts, c->entry);
    c->place = c->entry - c->segment->begin;
    const rps_pair_setup *pair = &world->pair_setup[c->segment->pair];
    const rps_layout *layout = &pair->layout[c->segment->record];
    const int modes = (int)rps_segment_get(c->segment, layout->modes, c->place);
    c->work = sliding_work_of(contacts, c->entry);
    if (modes == 0) return c->work != 0.0; /* it has ended */
    const rps_vec3 n = normal_of_entry(world, c->segment, layout, c->place);
    const rps_vec3 force = rps_vec3_of(contacts->load[line].force);
    c->normal = c->is_j ? n : rps_vec3_neg(n);
    c->load = -rps_vec3_dot(force, c->normal);
    c->friction = rps_vec3_add_scaled(force, c->load, c->normal);
    const double size = rps_vec3_norm(c->friction);
    if ((modes & 1 << RPS_MODE_SLIDE) != 0 && size > 0.0 && c->load > 0.0 && c->work > 0.0) {
        c->wear = pair->effective.wear * c->load * (c->work / size);
    }
    return true;
}

/* --- its triangles --------------------------------------------------------------------------------------------------- */

static void add_to_triangle(const surface_stage *s, size_t triangle, const surface_contact *c, rps_vec3 normal,
                            double load, double part) {
    rps_triangle_load *t = &s->loads->triangle[triangle];
    const double f[3] = {normal.x, normal.y, normal.z}, g[3] = {c->friction.x, c->friction.y, c->friction.z};
    for (int k = 0; k < 3; k++) {
        rps_twofold_add(&t->normal[k], f[k] * s->dt);
        rps_twofold_add(&t->tangential[k], part * g[k] * s->dt);
    }
    rps_twofold_add(&t->pressed, load * s->dt);
    rps_twofold_add(&t->work, part * c->work);
    rps_twofold_add(&t->wear, part * c->wear);
    if (t->step != s->step) {
        t->largest = t->now > t->largest ? t->now : t->largest;
        t->now = 0.0;
        t->step = s->step;
    }
    t->now += load;
}

static void add_all_to(const surface_stage *s, size_t triangle, const surface_contact *c) {
    add_to_triangle(s, triangle, c, rps_vec3_scale(c->normal, -c->load), c->load, 1.0);
}

/* A ball at a mesh, or another piece, seen from the mesh. */
typedef struct surface_ball {
    const rps_side *mesh;
    rps_vec3 centre; /* m, in the axes of the mesh */
    rps_vec3 normal; /* towards it, in these axes */
    double radius, reach, exponent, radius_exponent;
    bool is_smooth;
    rps_mesh_smooth smooth; /* if it is */
} surface_ball;

/* The triangles in reach, in the scratch of the stage, with space behind them for rps_mesh_contacts and for shares. */
static rps_status reach_triangles(const surface_stage *s, const surface_ball *b, size_t *count, rps_reached **found,
                                  void **scratch, rps_mesh_share **share) {
    size_t capacity = TRIANGLES_FIRST;
    for (;;) {
        const size_t bytes =
            capacity * (sizeof(rps_reached) + sizeof(rps_mesh_share)) + rps_mesh_contacts_scratch(capacity);
        RPS_TRY(rps_scratch_fit(s->world, &s->loads->work, bytes, 1, s->err));
        *found = s->loads->work.p;
        const double around = b->is_smooth ? b->reach - b->radius + b->smooth.bound : b->reach;
        *count = rps_mesh_reach(b->mesh->mesh, b->centre, around, *found, capacity);
        if (*count <= capacity) break;
        capacity = *count;
    }
    if (b->is_smooth) *count = rps_mesh_smooth_keep(&b->smooth, b->mesh->mesh, b->reach, *found, *count, NULL);
    *share = (rps_mesh_share *)(void *)(*found + capacity);
    *scratch = *share + capacity;
    return RPS_OK;
}

/* To the triangle nearest to a point, m, in the axes of the mesh. */
static void add_nearest(const surface_stage *s, const surface_contact *c, const surface_ball *b, size_t first,
                        rps_vec3 at) {
    rps_reached nearest;
    if (rps_mesh_nearest(b->mesh->mesh, at, INFINITY, &nearest)) add_all_to(s, first + nearest.triangle, c);
}

/* True if both are the same nearest point, as on an edge of both triangles. */
static bool is_one_foot(const rps_reached *a, const rps_reached *b) {
    return a->distance == b->distance && a->point.x == b->point.x && a->point.y == b->point.y &&
           a->point.z == b->point.z;
}

/* To the foot that lies most along the normal, in equal parts to the triangles there. */
static void add_along(const surface_stage *s, const surface_contact *c, const surface_ball *b, size_t first,
                      const rps_reached *found, size_t count) {
    size_t best = 0, beside = 0;
    double most = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        const double along = rps_vec3_dot(rps_vec3_sub(b->centre, found[k].point), b->normal) / found[k].distance;
        if (!(along > most)) continue;
        most = along;
        best = k;
    }
    for (size_t k = 0; k < count; k++) beside += is_one_foot(&found[k], &found[best]);
    const double part = 1.0 / (double)beside;
    for (size_t k = 0; k < count; k++) {
        if (!is_one_foot(&found[k], &found[best])) continue;
        add_to_triangle(s, first + found[k].triangle, c, rps_vec3_scale(c->normal, -part * c->load), part * c->load,
                        part);
    }
}

static bool find_shares(const surface_ball *b, const rps_reached *found, size_t count, void *scratch, uint32_t foot,
                        rps_mesh_share *share) {
    if (b->is_smooth) {
        return rps_mesh_smooth_shares(&b->smooth, b->mesh->mesh, b->reach, b->exponent, b->radius_exponent, found,
                                      count, scratch, foot, share);
    }
    return rps_mesh_shares(b->mesh->mesh, b->centre, b->radius, b->reach, b->exponent, found, count, scratch, foot,
                           share);
}

static rps_status add_ball(const surface_stage *s, const surface_contact *c, const surface_ball *b, uint32_t foot,
                           bool rigid, size_t first) {
    size_t count;
    rps_reached *found;
    void *scratch;
    rps_mesh_share *share;
    RPS_TRY(reach_triangles(s, b, &count, &found, &scratch, &share));
    const bool shared = !rigid && find_shares(b, found, count, scratch, foot, share);
    if (!shared && b->is_smooth) {
        add_all_to(s, first + foot, c);
    } else if (!shared && count == 0) {
        add_nearest(s, c, b, first, b->centre);
    } else if (!shared) {
        add_along(s, c, b, first, found, count);
    }
    for (size_t k = 0; k < count && shared; k++) {
        if (share[k].size == 0.0) continue;
        const rps_vec3 u = rps_quat_rotate(b->mesh->orientation, share[k].direction);
        add_to_triangle(s, first + found[k].triangle, c, rps_vec3_scale(u, -c->load), share[k].size * c->load,
                        share[k].part);
    }
    return RPS_OK;
}

/* The place of a contact that is none of a ball: where the surface points were at the last evaluation, or else the other piece. */
static rps_vec3 place_of_contact(const surface_contact *c, const rps_layout *layout, const surface_ball *b,
                                 rps_vec3 offset, rps_quat body) {
    if (layout->impulses || c->segment->record != RPS_RECORD_FRAME) return b->centre;
    const int lane = layout->track + (c->is_j ? RPS_FRAME_CJ : RPS_FRAME_CI);
    const rps_vec3 arm = rps_quat_rotate(body, rps_segment_vector(c->segment, lane, c->place));
    return rps_quat_rotate_inverse(b->mesh->orientation, rps_vec3_sub(arm, offset));
}

/* Number of the first triangle of a piece of a body. */
static size_t first_triangle(const rps_world *world, const rps_loaded_body *body, size_t slot, uint32_t piece) {
    const rps_piece *all = rps_body_pieces(world, slot);
    size_t first = body->first;
    for (uint32_t k = 0; k < piece; k++) {
        const rps_mesh *mesh = rps_piece_mesh(world, &all[k]);
        if (mesh != NULL) first += mesh->triangles;
    }
    return first;
}

static rps_status add_to_triangles(const surface_stage *s, const rps_loaded_body *body, size_t slot,
                                   const surface_contact *c) {
    const rps_world *world = s->world;
    const rps_mesh_pairs *pairs = &world->contacts.mesh;
    const size_t slot_i = c->segment->slot_i[c->place], slot_j = c->segment->slot_j[c->place];
    const rps_subkey subkey = rps_segment_subkey(c->segment, c->place);
    const rps_pair_setup *pair = &world->pair_setup[c->segment->pair];
    const rps_layout *layout = &pair->layout[c->segment->record];
    const rps_pose *pose = world->bodies.pose;
    const rps_pair_sides at = rps_pair_sides_of(world, slot_i, slot_j, subkey);
    const rps_side *other = c->is_j ? &at.i : &at.j;
    surface_ball b = {.mesh = c->is_j ? &at.j : &at.i};
    if (b.mesh->mesh == NULL) return RPS_OK; /* a piece of another shape */
    const size_t first = first_triangle(world, body, slot, c->is_j ? subkey.piece_j : subkey.piece_i);
    const rps_mesh_geometry *geometry = pairs->listed ? &pairs->geometry[c->entry] : NULL;
    const bool is_ball =
        c->load != 0.0 && geometry != NULL && geometry->is == RPS_MESH_MEETS && rps_mesh_wall(&at.i, &at.j) == b.mesh;
    rps_vec3 d = c->is_j ? at.d : rps_vec3_neg(at.d);
    if (is_ball) {
        const uint32_t feature = rps_subkey_touch(subkey);
        const rps_mesh_ball ball = rps_mesh_ball_of(other, rps_mesh_feature_at(feature, rps_mesh_balls(other)).ball);
        b.is_smooth = rps_mesh_is_smooth(other);
        if (b.is_smooth) b.smooth = rps_mesh_smooth_of(other, b.mesh, d);
        b.smooth.shape.flat = rps_pair_curvature_floor(world, slot_i, slot_j);
        d = rps_vec3_add(d, ball.arm);
        b.radius = ball.radius;
    }
    b.centre = rps_quat_rotate_inverse(b.mesh->orientation, d);
    b.normal = rps_quat_rotate_inverse(b.mesh->orientation, c->normal);
    if (!is_ball) {
        const rps_vec3 offset = c->is_j ? at.offset_j : at.offset_i;
        add_nearest(s, c, &b, first, place_of_contact(c, layout, &b, offset, c->is_j ? at.body_j : at.body_i));
        return RPS_OK;
    }
    b.reach = b.radius + pair->cutoff * rps_pair_smaller_radius(pose[slot_i].radius[0], pose[slot_j].radius[0]);
    b.exponent = rps_mesh_energy_exponent(pair->law[RPS_ROLE_NORMAL]);
    b.radius_exponent = pair->law[RPS_ROLE_NORMAL]->radius_exponent;
    return add_ball(s, c, &b, geometry->foot, layout->impulses, first);
}

/* --- all ------------------------------------------------------------------------------------------------------------- */

/* The contacts of the world, each once, in the order of ids. */
static void add_world_loads(const surface_stage *s, rps_loaded_body *all) {
    const rps_contacts *contacts = &s->world->contacts;
    for (uint64_t id = 0, slot; rps_bodies_next(&s->world->bodies, &id, &slot); id++) {
        for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
            surface_contact c;
            if (rps_reference_is_j(contacts->reference[r])) continue;
            if (!read_contact(s->world, contacts->reference[r], contacts->line[r], &c)) continue;
            rps_twofold_add(&all->work, c.work);
            rps_twofold_add(&all->wear, c.wear);
        }
    }
}

static rps_status add_body_loads(const surface_stage *s, rps_loaded_body *body) {
    const rps_contacts *contacts = &s->world->contacts;
    size_t slot;
    if (body->id == RPS_LOADED_WORLD) {
        add_world_loads(s, body);
        return RPS_OK;
    }
    if (rps_world_find_body(s->world, body->id, &slot, NULL) != RPS_OK) return RPS_OK; /* removed */
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        surface_contact c;
        if (!read_contact(s->world, contacts->reference[r], contacts->line[r], &c)) continue;
        rps_twofold_add(&body->work, c.work);
        rps_twofold_add(&body->wear, c.wear);
        if (body->triangles > 0) RPS_TRY(add_to_triangles(s, body, slot, &c));
    }
    return RPS_OK;
}

rps_status rps_surface_loads_add(const rps_world *world, rps_surface_loads *loads, rps_error *err) {
    const surface_stage s = {world, loads, err, world->step, (double)world->steps};
    rps_twofold_add(&loads->time, world->step);
    for (size_t k = 0; k < loads->bodies && world->contacts.reference_begin != NULL; k++) {
        RPS_TRY(add_body_loads(&s, &loads->body[k]));
    }
    return RPS_OK;
}
