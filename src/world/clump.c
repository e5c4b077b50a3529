/*
 * Bodies of several pieces: checks the definition, which is in axes of the user's choice, and transforms it to the
 * centre of mass and the principal axes of inertia of the union. The last result is kept, because equal bodies are
 * usually added in sequence.
 */
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/log.h"
#include "base/principal.h"
#include "base/text.h"
#include "shape/shape.h"
#include "world/world_internal.h"

#define USELESS 1e-2 /* relative error of mass properties above which they are refused */

/* --- pieces as given ------------------------------------------------------------------------------------------------------ */

static rps_status clump_take_shape(const rps_world *world, const rps_piece_def *def, const char *who, rps_piece *piece,
                                   rps_error *err) {
    const int index = rps_shape_find(def->shape);
    if (index < 0) {
        const char *names[RPS_SHAPE_COUNT];
        for (int k = 0; k < RPS_SHAPE_COUNT; k++) names[k] = rps_shape_at(k)->name;
        const char *close = def->shape ? rps_closest_name(def->shape, names, RPS_SHAPE_COUNT) : NULL;
        return rps_fail(
            err, RPS_BAD_INPUT, "%s: there is no shape \"%s\"%s%s%s; `repose list shapes` tells which there are", who,
            def->shape ? def->shape : "", close ? " (did you mean \"" : "", close ? close : "", close ? "\"?)" : "");
    }
    const rps_shape *shape = rps_shape_at(index);
    if (shape == &rps_shape_disk) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a disk belongs to a planar world; give the piece as a cylinder", who);
    }
    if (shape->unbounded) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a %s has no end and no mass, and cannot be a piece of a body", who,
                        shape->name);
    }
    piece->shape = (double)index;
    if (shape == &rps_shape_mesh) return RPS_OK; /* it asks for the pose of the piece */
    const int numbers = rps_shape_numbers(shape);
    for (int k = 0; k < numbers; k++) piece->parameter[k] = def->parameter[k];
    RPS_TRY(rps_shape_check(shape, piece->parameter, who, err));
    piece->radius = shape->bounding_radius(piece->parameter);
    piece->half_width = 0.5 * shape->smallest_width(piece->parameter);
    const double volume = rps_piece_volume(world, piece);
    const bool sheet = rps_shape_is_sheet(shape);
    if (sheet ? !rps_finite(piece->radius) : !(rps_finite(piece->radius) && volume > 0.0 && rps_finite(volume))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a %s of these measures has a volume of %g m^3, which nothing can bear",
                        who, shape->name, volume);
    }
    return RPS_OK;
}

static rps_status clump_take_piece(const rps_world *world, const rps_body_def *body, const rps_piece_def *def,
                                   const char *who, rps_piece *piece, rps_error *err) {
    RPS_TRY(clump_take_shape(world, def, who, piece, err));
    if (def->material < 0 || (size_t)def->material >= world->materials) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no material number %d; the world has %zu", who, def->material,
                        world->materials);
    }
    piece->material = (double)def->material;
    const double *x = def->position, *q = def->orientation;
    if (!rps_finite3(x)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: position is (%g, %g, %g); expected finite numbers", who, x[0], x[1],
                        x[2]);
    }
    const double norm2 = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
    if (!(rps_finite(norm2) && norm2 > 1e-200)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: orientation (%g, %g, %g, %g) is no quaternion w x y z of finite length above 0", who, q[0],
                        q[1], q[2], q[3]);
    }
    const rps_quat unit = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    memcpy(piece->offset, x, sizeof piece->offset);
    memcpy(piece->orientation, (const double[]){unit.w, unit.x, unit.y, unit.z}, sizeof piece->orientation);
    if ((int)piece->shape != RPS_SHAPE_INDEX(mesh)) return RPS_OK;
    return rps_mesh_take_piece(world, body, def, who, piece, err);
}

/* Densities of all pieces; 1 for all where some material has none. */
static bool take_densities(const rps_world *world, rps_clump *c) {
    bool known = true;
    for (size_t k = 0; k < c->count; k++) {
        c->density[k] = world->material[(size_t)c->given[k].material].value.density;
        known = known && !isnan(c->density[k]);
    }
    for (size_t k = 0; k < c->count && !known; k++) c->density[k] = 1.0;
    return known;
}

/* --- the body --------------------------------------------------------------------------------------------------------------- */

static void clump_finish(rps_clump *c, const rps_union_mass *of_union) {
    c->volume = of_union->volume;
    c->mass = of_union->mass;
    c->error = of_union->exact ? 0.0 : of_union->error > RPS_UNION_GOAL ? of_union->error : RPS_UNION_GOAL;
    c->axes = rps_quat_identity();
    c->centre = rps_vec3_zero();
    if (!c->given_axes) {
        double moment[3];
        c->axes = rps_principal_axes(of_union->inertia, c->error > 0.0 ? c->error : RPS_PRINCIPAL_EXACT, moment);
        c->centre = of_union->centre;
        for (int k = 0; k < 3; k++) c->inertia_per_mass[k] = moment[k] / of_union->mass;
    }
    c->radius = 0.0;
    const rps_quat back = rps_quat_conjugate(c->axes);
    const double equal_radius = rps_cbrt(c->volume * (0.75 / RPS_PI));
    for (size_t k = 0; k < c->count; k++) {
        rps_piece *piece = &c->made[k];
        *piece = c->given[k];
        const rps_vec3 at = {piece->offset[0], piece->offset[1], piece->offset[2]};
        const rps_vec3 offset = rps_quat_rotate(back, rps_vec3_sub(at, c->centre));
        const double *q = piece->orientation;
        const rps_quat turned = rps_quat_normalize(rps_quat_mul(back, (rps_quat){q[0], q[1], q[2], q[3]}));
        memcpy(piece->offset, (const double[]){offset.x, offset.y, offset.z}, sizeof piece->offset);
        memcpy(piece->orientation, (const double[]){turned.w, turned.x, turned.y, turned.z}, sizeof piece->orientation);
        const double reach = rps_vec3_norm(offset) + piece->radius;
        c->radius = reach > c->radius ? reach : c->radius;
    }
    for (size_t k = 0; k < c->count; k++) c->made[k].equal_radius = c->volume > 0.0 ? equal_radius : c->radius;
}

/* Number of pieces that are sheets. */
static size_t sheets_of(const rps_clump *c) {
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++) count += rps_shape_is_sheet(rps_shape_at((int)c->given[k].shape));
    return count;
}

/* The union of the pieces that have a volume; they go to the front of `made`, with their densities in front of those of
 * all. */
static rps_status unite_solids(const rps_world *world, rps_clump *c, rps_union_mass *of_union, rps_error *err) {
    size_t solids = 0;
    double *density = c->density + c->count;
    *of_union = (rps_union_mass){.exact = true};
    for (size_t k = 0; k < c->count; k++) {
        if (rps_shape_is_sheet(rps_shape_at((int)c->given[k].shape))) continue;
        c->made[solids] = c->given[k];
        density[solids++] = c->density[k];
    }
    if (solids == 0) return RPS_OK;
    return rps_union_mass_of(world->allocator, world->mesh, c->made, solids, density, c->most_work, of_union, err);
}

/* Reports mass properties that are less accurate than they should be, and refuses useless ones. For a fixed body, or
 * if inertia is given and mass is given or not needed, only the volume counts, and a rough value is enough. */
static rps_status check_error(const rps_world *world, const rps_body_def *def, const char *body, const rps_clump *c,
                              rps_union_mass *of_union, rps_error *err) {
    const bool moves = def->kind == RPS_BODY_FREE;
    if (def->kind == RPS_BODY_FIXED || (c->given_axes && !(moves && isnan(def->mass)))) {
        double largest = 0.0;
        for (size_t k = 0; k < c->count; k++) {
            const double volume = rps_piece_volume(world, &c->given[k]);
            largest = volume > largest ? volume : largest;
        }
        if (!(of_union->volume > largest)) of_union->volume = largest;
        return RPS_OK;
    }
    static const char remedy[] = "give mass and inertia, or pieces that overlap less";
    if (!(of_union->error < USELESS) && !of_union->exact) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: its %zu pieces overlap so much that mass, center of mass and inertia of their union are "
                        "known to %.1g of their value only, after %llu chords; %s",
                        body, c->count, of_union->error, (unsigned long long)of_union->work, remedy);
    }
    if (moves && of_union->error > RPS_UNION_GOAL) {
        rps_log_write(world->options.log, world->options.log_context, RPS_LOG_WARNING,
                      "%s: mass, center of mass and inertia of its %zu overlapping pieces have a relative error of up "
                      "to %.1e, not %.0e, after %llu chords; %s",
                      body, c->count, of_union->error, RPS_UNION_GOAL, (unsigned long long)of_union->work, remedy);
    }
    return RPS_OK;
}

static rps_status check_volume(const rps_body_def *def, const char *body, const rps_clump *c, rps_error *err) {
    if (isnan(def->volume)) return RPS_OK;
    if (!(rps_finite(def->volume) && def->volume > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: volume is %g m^3; expected a positive number", body, def->volume);
    }
    if (c->given_axes) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s: a volume is given without inertia; a solid for which pieces stand has both of its own", body);
}

static rps_status clump_make(const rps_world *world, const rps_body_def *def, const char *body, rps_clump *c,
                             rps_error *err) {
    for (size_t k = 0; k < c->count; k++) {
        char who[96];
        snprintf(who, sizeof who, "%s, piece %zu", body, k);
        RPS_TRY(clump_take_piece(world, def, &def->piece[k], who, &c->given[k], err));
    }
    c->density_known = take_densities(world, c);
    const size_t sheets = sheets_of(c);
    if (sheets > 0 && def->kind == RPS_BODY_FREE) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: %zu of its %zu pieces have no thickness and no mass; make the body fixed or driven", body,
                        sheets, c->count);
    }
    c->given_axes = sheets > 0 || !isnan(def->inertia[0]); /* the axis of a wall is that which a drive names */
    c->given_volume = def->volume;
    RPS_TRY(check_volume(def, body, c, err));
    const bool little = def->kind != RPS_BODY_FREE || (c->given_axes && !isnan(def->mass));
    c->most_work = little ? RPS_UNION_LITTLE_WORK : RPS_UNION_WORK;
    const rps_clump *last = world->clump;
    if (last && last->count == c->count && last->given_axes == c->given_axes && last->most_work == c->most_work &&
        (last->given_volume == c->given_volume || (isnan(last->given_volume) && isnan(c->given_volume))) &&
        last->density_known == c->density_known && memcmp(last->given, c->given, c->count * sizeof *c->given) == 0 &&
        memcmp(last->density, c->density, c->count * sizeof *c->density) == 0) {
        const rps_clump own = *c;
        memcpy(c->made, last->made, c->count * sizeof *c->made);
        *c = *last;
        c->given = own.given;
        c->made = own.made;
        c->density = own.density;
        return RPS_OK;
    }
    rps_union_mass of_union = {.volume = def->volume, .mass = c->density[0] * def->volume, .exact = true};
    if (!isnan(def->volume)) {
        clump_finish(c, &of_union);
        return RPS_OK;
    }
    RPS_TRY(unite_solids(world, c, &of_union, err));
    if (!c->given_axes && of_union.error > USELESS && c->most_work < RPS_UNION_WORK) {
        RPS_TRY(rps_union_mass_of(world->allocator, world->mesh, c->given, c->count, c->density, RPS_UNION_WORK,
                                  &of_union, err));
    }
    RPS_TRY(check_error(world, def, body, c, &of_union, err));
    clump_finish(c, &of_union);
    return RPS_OK;
}

static size_t bytes_of(size_t count) { /* count is small */
    return sizeof(rps_clump) + count * (2 * sizeof(rps_piece) + 2 * sizeof(double));
}

rps_status rps_clump_take(rps_world *world, const rps_body_def *def, const char *body, rps_error *err) {
    if (!def->piece || def->pieces <= 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: it has %d pieces%s; expected at least one", body, def->pieces,
                        def->piece ? "" : " that are NULL");
    }
    for (int k = 0; k < RPS_SHAPE_NUMBERS_MOST; k++) {
        if (!isnan(def->radius) || !isnan(def->parameter[k])) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s: it has pieces, each with numbers of its own, yet numbers of one shape are given too",
                            body);
        }
    }
    const size_t count = (size_t)def->pieces, bytes = bytes_of(count);
    void *capacity;
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, bytes, &capacity, err));
    rps_clump *c = capacity;
    c->count = count;
    c->given = (rps_piece *)(c + 1);
    c->made = c->given + count;
    c->density = (double *)(c->made + count);
    const rps_status status = clump_make(world, def, body, c, err);
    if (status != RPS_OK) {
        rps_memory_release(world->allocator, capacity, bytes);
        return status;
    }
    rps_clump_release(world);
    world->clump = c;
    return RPS_OK;
}

void rps_clump_release(rps_world *world) {
    if (world->clump) rps_memory_release(world->allocator, world->clump, bytes_of(world->clump->count));
    world->clump = NULL;
}
