/* Bodies in a checkpoint: their saved fields (world/body_fields.inc), by name and in the order of ids, and the pieces
 * that they refer to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/state_parts.h"
#include "shape/shape.h"
#include "world/body_shape.h"

/* A piece consists of doubles only. */
enum { NAME = 80, PIECE_NUMBERS = sizeof(rps_piece) / sizeof(double) };
static const char pieces_name[] = "pieces";

static size_t state_item_bytes(const rps_field *field) {
    return (size_t)field->components * (field->type == RPS_TYPE_int32 ? 4 : 8);
}

/* --- saving ------------------------------------------------------------------------------------------------------- */

static rps_status save_fields(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    size_t count = world->bodies.count;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        char name[NAME];
        void *to;
        rps_view view;
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        snprintf(name, sizeof name, "body/%s", field->name);
        RPS_TRY(rps_serializer_add(serializer, name, field->type, field->components, count, &to, err));
        RPS_TRY(rps_world_view(world, field->name, &view, err));
        size_t bytes = state_item_bytes(field);
        char *row = to;
        for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++, row += bytes) {
            memcpy(row, (const char *)view.data + s * view.stride, bytes);
        }
    }
    return RPS_OK;
}

static rps_status save_pieces(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    if (world->pieces == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, pieces_name, RPS_TYPE_double, PIECE_NUMBERS, world->pieces, &to, err));
    memcpy(to, world->piece, world->pieces * sizeof *world->piece);
    return RPS_OK;
}

static rps_status save_bodies(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    RPS_TRY(save_fields(world, serializer, err));
    return save_pieces(world, serializer, err);
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

/* Reads and checks the pieces of a checkpoint; count 0 if it has none. */
static rps_status find_pieces(const rps_world *world, const rps_checkpoint *c, const rps_piece **piece, size_t *count,
                              rps_error *err) {
    const rps_section *s;
    *piece = NULL;
    *count = 0;
    if (!rps_checkpoint_find(c, pieces_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, pieces_name, RPS_TYPE_double, PIECE_NUMBERS, SIZE_MAX, &s, err));
    *piece = s->data;
    *count = s->count;
    for (size_t k = 0; k < s->count; k++) {
        const rps_piece *p = &(*piece)[k];
        double parameter[RPS_SHAPE_NUMBERS_MOST];
        memcpy(parameter, p->parameter, sizeof parameter);
        const double *q = p->orientation, length2 = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
        rps_piece finite = *p;
        const bool surface = p->shape == (double)RPS_SHAPE_INDEX(mesh);
        const bool solid = surface && p->equal_radius < INFINITY;
        if (surface && !solid && p->half_width == INFINITY) finite.half_width = finite.equal_radius = 1.0;
        bool sound = rps_all_finite((const double *)&finite, PIECE_NUMBERS) && p->shape >= 0.0 &&
                     p->shape < RPS_SHAPE_COUNT && p->material >= 0.0 && p->material < (double)world->materials &&
                     p->shape == (double)(int)p->shape && p->material == (double)(int)p->material &&
                     fabs(length2 - 1.0) < 1e-12;
        const rps_shape *shape = sound ? rps_shape_at((int)p->shape) : NULL;
        sound = shape && !shape->unbounded && rps_shape_check(shape, parameter, "a piece", NULL) == RPS_OK &&
                p->radius == shape->bounding_radius(parameter) &&
                p->half_width == (solid ? rps_mesh_half_width(parameter) : 0.5 * shape->smallest_width(parameter)) &&
                p->equal_radius > 0.0;
        sound = sound &&
                (!surface || (p->parameter[0] < (double)world->meshes && (rps_piece_solid(world, p) != NULL) == solid));
        if (!sound) return rps_state_contradicts(c, "a piece makes no sense", k, err);
    }
    return RPS_OK;
}

static rps_status check_bodies(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    const size_t count = (size_t)from->bodies;
    const uint64_t ids = from->ids;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        char name[NAME];
        const rps_section *s;
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        snprintf(name, sizeof name, "body/%s", field->name);
        RPS_TRY(rps_checkpoint_need(c, name, field->type, field->components, count, &s, err));
        if (field->type == RPS_TYPE_double && !rps_all_finite(s->data, count * (size_t)field->components)) {
            return rps_state_contradicts(c, "a body has a value that is no finite number", f, err);
        }
    }
    const rps_piece *pieces;
    size_t piece_count;
    RPS_TRY(find_pieces(world, c, &pieces, &piece_count, err));
    const int32_t *piece = rps_state_body(c, "piece"), *pieces_of = rps_state_body(c, "pieces");
    const uint64_t *id = rps_state_body(c, "id");
    const int32_t *kind = rps_state_body(c, "kind"), *drive = rps_state_body(c, "drive"),
                  *shape = rps_state_body(c, "shape");
    const int32_t *material = rps_state_body(c, "material"), *group = rps_state_body(c, "group");
    const double *mass = rps_state_body(c, "mass"), *inertia = rps_state_body(c, "inertia"),
                 *radius = rps_state_body(c, "radius");
    for (size_t k = 0; k < count; k++) {
        bool plane = shape[k] == RPS_SHAPE_INDEX(plane), is_free = kind[k] == RPS_BODY_FREE;
        bool sound = (k == 0 || id[k - 1] < id[k]) && id[k] < ids && kind[k] >= RPS_BODY_FREE &&
                     kind[k] <= RPS_BODY_DRIVEN && shape[k] >= 0 && rps_shape_at(shape[k]) && material[k] >= 0 &&
                     (size_t)material[k] < world->materials && group[k] >= 0 && (size_t)group[k] < world->groups;
        sound = sound && (plane ? radius[k] == 0.0 && !is_free : radius[k] > 0.0);
        const double *moment = inertia + 3 * k;
        sound = sound && (!is_free || (mass[k] > 0.0 && moment[0] > 0.0 && moment[1] > 0.0 && moment[2] > 0.0));
        const bool disk = shape[k] == RPS_SHAPE_INDEX(disk), planar = world->options.dimension == 2;
        sound = sound && (plane || disk == planar);
        if (plane || disk || (shape[k] == RPS_SHAPE_INDEX(sphere) && pieces_of[k] == 0)) {
            sound = sound && piece[k] == -1 && pieces_of[k] == 0;
        } else {
            sound = sound && pieces != NULL && piece[k] >= 0 && pieces_of[k] > 0 &&
                    (size_t)piece[k] + (size_t)pieces_of[k] <= piece_count &&
                    pieces[piece[k]].shape == (double)shape[k];
        }
        sound =
            sound && (kind[k] == RPS_BODY_DRIVEN ? drive[k] >= 0 && (size_t)drive[k] < world->drives : drive[k] == -1);
        if (!sound) return rps_state_contradicts(c, "a body makes no sense", k, err);
    }
    return RPS_OK;
}

/* --- restoring ---------------------------------------------------------------------------------------------------- */

static rps_status restore_bodies(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    const size_t count = (size_t)from->bodies;
    const uint64_t ids = from->ids;
    rps_bodies *bodies = &world->bodies;
    const rps_piece *piece;
    size_t pieces, first;
    bodies->count = 0; /* all of them are replaced */
    bodies->ids = 0;
    RPS_TRY(rps_bodies_reserve(world, count, err));
    RPS_TRY(rps_bodies_reserve_ids(world, ids, err));
    RPS_TRY(find_pieces(world, c, &piece, &pieces, err));
    rps_colliders_release(world);
    world->pieces = world->last_pieces = 0;
    if (pieces > 0) RPS_TRY(rps_world_add_pieces(world, piece, pieces, &first, err));
    bodies->count = count;
    bodies->ids = ids;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        const char *value = rps_state_body(c, field->name);
        size_t stride;
        char *to = rps_bodies_field(bodies, f, &stride);
        size_t bytes = state_item_bytes(field);
        for (size_t s = 0; s < count; s++) { /* do not write values that are already 0: see bodies.c */
            if (memcmp(to + s * stride, value + s * bytes, bytes) != 0) {
                memcpy(to + s * stride, value + s * bytes, bytes);
            }
        }
    }
    for (size_t s = 0; s < count; s++) { /* the last body with pieces has the last pieces */
        if (!rps_body_has_pieces(bodies, s)) continue;
        world->last_pieces = (size_t)(rps_body_pieces(world, s) - world->piece);
        RPS_TRY(rps_world_add_collider(world, world->last_pieces, (size_t)rps_body_piece_count(bodies, s), err));
    }
    rps_bodies_derive(world);
    return RPS_OK;
}

static bool knows_field(const rps_world *world, const char *name) {
    (void)world;
    for (size_t f = 0; strncmp(name, "body/", 5) == 0 && f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        if ((field->flags & RPS_FIELD_SAVED) && strcmp(name + 5, field->name) == 0) return true;
    }
    return false;
}

static const char *const sections[] = {pieces_name, NULL};

const rps_state_part rps_state_bodies = {
    .section = sections, .knows = knows_field, .save = save_bodies, .check = check_bodies, .restore = restore_bodies};
