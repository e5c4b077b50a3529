#include "step/mesh_pairs.h"

#include <string.h>

#include "detect/pair_mesh.h"
#include "step/mesh_near.h"
#include "step/step_stages.h"

/* --- lists ----------------------------------------------------------------------------------------------------------- */

/* A ball and a mesh that an entry belongs to. */
typedef struct pair_key {
    uint32_t slot_i, slot_j, piece_i, piece_j, image, ball;
} pair_key;

static bool same_pair(const pair_key *a, const pair_key *b) {
    return a->slot_i == b->slot_i && a->slot_j == b->slot_j && a->piece_i == b->piece_i && a->piece_j == b->piece_j &&
           a->image == b->image && a->ball == b->ball;
}

/* Balls of a body at the mesh `wall`; 0: they have none with each other. smooth: set if it is such a body. */
static unsigned balls_of_piece(const rps_world *world, const rps_side *wall, uint32_t slot, uint32_t piece,
                               bool *smooth) {
    rps_side side;
    rps_vec3 offset;
    rps_pair_side(world, slot, piece, &side, &offset);
    if (rps_mesh_wall(wall, &side) != wall) return 0;
    *smooth = *smooth || rps_mesh_is_smooth(&side);
    return rps_mesh_balls(&side);
}

/* Adds the entries of the mesh in a slot, in the order of their keys: those of one pair follow each other. */
static rps_status list_pairs_of(const rps_world *world, rps_contacts *contacts, uint32_t slot, bool *smooth,
                                rps_error *err) {
    rps_mesh_pairs *pairs = &contacts->mesh;
    pair_key last = {.slot_i = UINT32_MAX};
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const bool is_j = rps_reference_is_j(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t place = entry - segment->begin;
        const rps_subkey subkey = rps_segment_subkey(segment, place);
        if (rps_body_piece_mesh(world, slot, is_j ? subkey.piece_j : subkey.piece_i) == NULL) continue;
        if (rps_subkey_touch(subkey) >= RPS_SUBKEY_PLACES) continue;
        rps_side wall;
        rps_vec3 offset;
        rps_pair_side(world, slot, is_j ? subkey.piece_j : subkey.piece_i, &wall, &offset);
        const unsigned balls = is_j ? balls_of_piece(world, &wall, segment->slot_i[place], subkey.piece_i, smooth)
                                    : balls_of_piece(world, &wall, segment->slot_j[place], subkey.piece_j, smooth);
        if (balls == 0) continue;
        const rps_mesh_feature feature = rps_mesh_feature_at(rps_subkey_touch(subkey), balls);
        const pair_key key = {segment->slot_i[place], segment->slot_j[place],   subkey.piece_i,
                              subkey.piece_j,         rps_subkey_image(subkey), feature.ball};
        const bool begins = !same_pair(&key, &last);
        last = key;
        RPS_TRY(rps_scratch_grow(world, &contacts->memory.mesh_entry, pairs->entries, pairs->entries + 1,
                                 sizeof *pairs->entry, err));
        RPS_TRY(rps_scratch_grow(world, &contacts->memory.mesh_pair, pairs->pairs, pairs->pairs + 2,
                                 sizeof *pairs->pair, err));
        pairs->entry = contacts->memory.mesh_entry.p;
        pairs->pair = contacts->memory.mesh_pair.p;
        if (begins) pairs->pair[pairs->pairs++] = (uint32_t)pairs->entries;
        pairs->pair[pairs->pairs] = (uint32_t)pairs->entries + 1;
        pairs->entry[pairs->entries++] = (rps_mesh_entry){(uint32_t)(segment - contacts->segment), (uint32_t)place,
                                                          feature.ball, feature.slot, is_j};
    }
    return RPS_OK;
}

rps_status rps_mesh_pairs_list(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    rps_mesh_pairs *pairs = &contacts->mesh;
    if (pairs->listed) return RPS_OK;
    pairs->pairs = pairs->entries = 0;
    RPS_TRY(rps_scratch_fit(world, &contacts->memory.mesh_geometry, contacts->entries, sizeof *pairs->geometry, err));
    pairs->geometry = contacts->memory.mesh_geometry.p;
    if (contacts->entries > 0) memset(pairs->geometry, 0, contacts->entries * sizeof *pairs->geometry);
    bool smooth = false;
    for (uint64_t id = 0, slot; rps_bodies_next(&world->bodies, &id, &slot); id++) {
        if (rps_body_has_mesh(world, slot)) RPS_TRY(list_pairs_of(world, contacts, (uint32_t)slot, &smooth, err));
    }
    pairs->wrench = NULL;
    if (smooth) {
        RPS_TRY(rps_scratch_fit(world, &contacts->memory.mesh_wrench, contacts->entries, sizeof *pairs->wrench, err));
        pairs->wrench = contacts->memory.mesh_wrench.p;
        memset(pairs->wrench, 0, contacts->entries * sizeof *pairs->wrench);
    }
    RPS_TRY(rps_mesh_near_match(world, contacts, err));
    pairs->listed = true;
    return RPS_OK;
}

rps_status rps_mesh_more_slots(rps_world *world, rps_error *err) {
    if (world->mesh_slots >= RPS_SUBKEY_POINTS) {
        return rps_fail(err, RPS_GUARD,
                        "a body touches a mesh in more than %d places at t = %g s: its triangles are far smaller than "
                        "the body and rough; smooth the mesh, or make it coarser",
                        RPS_SUBKEY_POINTS, rps_world_time(world));
    }
    const uint32_t more = 2 * world->mesh_slots;
    world->mesh_slots = more < RPS_SUBKEY_POINTS ? more : RPS_SUBKEY_POINTS;
    world->lists_stale = true;
    return RPS_OK;
}

/* --- one pair -------------------------------------------------------------------------------------------------------- */

rps_mesh_pair rps_mesh_pair_at(const rps_world *world, const rps_contacts *contacts, size_t number) {
    const rps_mesh_pairs *pairs = &contacts->mesh;
    rps_mesh_pair p = {.entry = pairs->entry + pairs->pair[number],
                       .slots = pairs->pair[number + 1] - pairs->pair[number]};
    const rps_segment *segment = rps_mesh_segment(contacts, p.entry);
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const rps_pose *pose = world->bodies.pose;
    const size_t i = segment->slot_i[p.entry->place], j = segment->slot_j[p.entry->place];
    p.layout = &pair->layout[segment->record];
    p.range = pair->cutoff * rps_pair_smaller_radius(pose[i].radius[0], pose[j].radius[0]);
    return p;
}

void rps_mesh_pair_place(const rps_world *world, const rps_contacts *contacts, rps_mesh_pair *p) {
    const rps_segment *segment = rps_mesh_segment(contacts, p->entry);
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const size_t place = p->entry->place;
    p->at = rps_pair_sides_of(world, segment->slot_i[place], segment->slot_j[place], segment->subkey[place]);
    p->mesh_is_i = rps_mesh_wall(&p->at.i, &p->at.j) == &p->at.i;
    p->body = p->mesh_is_i ? &p->at.j : &p->at.i;
    p->wall = p->mesh_is_i ? &p->at.i : &p->at.j;
    const rps_vec3 d = p->mesh_is_i ? rps_vec3_neg(p->at.d) : p->at.d;
    const rps_mesh_ball ball = rps_mesh_ball_of(p->body, p->entry->ball);
    p->centre = rps_quat_rotate_inverse(p->wall->orientation, rps_vec3_add(d, ball.arm));
    p->radius = p->bound = p->size = ball.radius;
    p->inner = ball.inner;
    p->is_smooth = rps_mesh_is_smooth(p->body);
    if (p->is_smooth) {
        p->smooth = rps_mesh_smooth_of(p->body, p->wall, d);
        p->smooth.shape.flat = rps_pair_curvature_floor(world, segment->slot_i[place], segment->slot_j[place]);
        p->bound = p->smooth.bound;
        p->size = 0.5 * p->body->shape->smallest_width(p->body->parameter);
    }
    p->reach = p->radius + p->range;
    p->exponent = rps_mesh_energy_exponent(pair->law[RPS_ROLE_NORMAL]);
    p->radius_exponent = pair->law[RPS_ROLE_NORMAL]->radius_exponent;
}

/* m/s, of a point of a body at `arm` from its centre of mass. */
static rps_vec3 velocity_at(const rps_world *world, size_t slot, rps_vec3 arm) {
    const rps_motion *motion = &world->bodies.motion[slot];
    return rps_vec3_add(rps_vec3_of(motion->velocity), rps_vec3_cross(rps_vec3_of(motion->angular_velocity), arm));
}

rps_vec3 rps_mesh_pair_stepped(const rps_world *world, const rps_contacts *contacts, const rps_mesh_pair *p) {
    const rps_quat turn = p->wall->orientation;
    const rps_segment *segment = rps_mesh_segment(contacts, p->entry);
    const size_t i = segment->slot_i[p->entry->place], j = segment->slot_j[p->entry->place];
    const rps_vec3 of_body = p->mesh_is_i ? p->at.offset_j : p->at.offset_i;
    const rps_vec3 of_wall = p->mesh_is_i ? p->at.offset_i : p->at.offset_j;
    const rps_vec3 arm = rps_vec3_add(of_body, rps_mesh_ball_of(p->body, p->entry->ball).arm);
    const rps_vec3 body = velocity_at(world, p->mesh_is_i ? j : i, arm);
    const rps_vec3 wall =
        velocity_at(world, p->mesh_is_i ? i : j, rps_vec3_add(of_wall, rps_quat_rotate(turn, p->centre)));
    return rps_vec3_scale(rps_quat_rotate_inverse(turn, rps_vec3_sub(body, wall)), world->step);
}

void rps_mesh_wrench_put(const rps_contacts *contacts, const rps_mesh_pair *p, size_t slot,
                         const rps_mesh_wrench *wrench, rps_vec3 point) {
    const rps_quat turn = p->wall->orientation;
    const double sign = p->mesh_is_i ? -1.0 : 1.0;
    *rps_mesh_wrench_of(contacts, &p->entry[slot]) =
        (rps_mesh_wrench){.curvature = wrench->curvature,
                          .couple = wrench->couple,
                          .force = rps_vec3_scale(rps_quat_rotate(turn, wrench->force), sign),
                          .torque = rps_vec3_scale(rps_quat_rotate(turn, wrench->torque), sign),
                          .arm = rps_quat_rotate(turn, rps_vec3_sub(point, p->centre))};
}
