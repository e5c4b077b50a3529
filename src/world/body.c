/*
 * Adds a body: checks its definition member by member, completes it, and writes it into the arrays.
 *
 * Spheres, disks and planes are stored in the arrays alone; every other body also has pieces. Its axes are the
 * principal axes of inertia, and its position is the centre of mass. For bodies of several pieces (clump.c) these
 * differ from the definition.
 */
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "base/text.h"
#include "shape/shape.h"
#include "world/fluid.h"
#include "world/share.h"
#include "world/surface_velocity.h"
#include "world/world_internal.h"
#include <repose/body.h>

enum { PLANE = RPS_SHAPE_INDEX(plane), DISK = RPS_SHAPE_INDEX(disk) };

/* The definition, resolved, before it enters the world. */
typedef struct new_body {
    const rps_body_def *def;
    char name[64]; /* of the body in sentences */
    int shape, material;
    double radius, mass, inertia[3];
    double film;            /* m^3 */
    const rps_piece *piece; /* NULL: a sphere, a disk or a plane */
    size_t pieces;
    const rps_clump *clump;                                   /* NULL: of one shape */
    rps_drive drive;                                          /* with its defaults */
    rps_piece own;                                            /* the piece of a body of one shape */
    double start[3];                                          /* m, centre of mass, not wrapped */
    double position[3], velocity[3], lock_axis[3], normal[3]; /* position and velocity: of the image in the cell */
    int32_t image[3];
    rps_quat orientation;
} new_body;

rps_body_def rps_body_def_default(void) {
    return (rps_body_def){
        .size = sizeof(rps_body_def),
        .shape = "sphere",
        .radius = NAN,
        .normal = {0.0, 0.0, 1.0},
        .kind = RPS_BODY_FREE,
        .mass = NAN,
        .inertia = {NAN, NAN, NAN},
        .volume = NAN,
        .parameter = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .drive = {.until = -1.0},
    };
}

static rps_status wrong(const new_body *b, rps_error *err, const char *what) {
    return rps_fail(err, RPS_BAD_INPUT, "%s: %s", b->name, what);
}

static rps_status body_check_vector(const new_body *b, const char *what, const double v[3], rps_error *err) {
    if (rps_finite3(v)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: %s is (%g, %g, %g); expected finite numbers", b->name, what, v[0], v[1],
                    v[2]);
}

static bool body_is_zero(const double v[3]) {
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

/* A body of one piece that is neither sphere nor plane. */
static rps_status body_take_piece(const rps_body_def *def, new_body *b, rps_error *err) {
    const rps_shape *shape = rps_shape_at(b->shape);
    rps_piece *piece = &b->own;
    memset(piece, 0, sizeof *piece);
    if (!isnan(def->radius)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: `radius` belongs to a sphere; the numbers of a %s are given by `parameter`, in the order of "
            "`repose list shapes`",
            b->name, shape->name);
    }
    const int numbers = rps_shape_numbers(shape);
    for (int k = 0; k < numbers; k++) piece->parameter[k] = def->parameter[k];
    RPS_TRY(rps_shape_check(shape, piece->parameter, b->name, err));
    piece->orientation[0] = 1.0;
    piece->radius = b->radius = shape->bounding_radius(piece->parameter);
    piece->half_width = 0.5 * shape->smallest_width(piece->parameter);
    const bool sheet = rps_shape_is_sheet(shape);
    const double volume = shape->mass(piece->parameter).volume;
    piece->equal_radius = sheet ? piece->radius : rps_cbrt(volume * (0.75 / RPS_PI));
    piece->shape = (double)b->shape;
    piece->material = (double)def->material;
    if (sheet && def->kind == RPS_BODY_FREE) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a %s has no thickness and no mass; make it fixed or driven", b->name,
                        shape->name);
    }
    if (sheet ? !rps_finite(b->radius) : !(rps_finite(b->radius) && volume > 0.0 && rps_finite(volume))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a %s of these measures has a volume of %g m^3, which nothing can bear",
                        b->name, shape->name, volume);
    }
    b->piece = piece;
    b->pieces = 1;
    return RPS_OK;
}

static rps_status take_clump(rps_world *world, new_body *b, rps_error *err) {
    RPS_TRY(rps_clump_take(world, b->def, b->name, err));
    const rps_clump *clump = world->clump;
    b->clump = clump;
    b->piece = clump->made;
    b->pieces = clump->count;
    b->radius = clump->radius;
    b->shape = (int)clump->made[0].shape;
    b->material = (int)clump->made[0].material;
    return RPS_OK;
}

static rps_status body_take_shape(rps_world *world, new_body *b, rps_error *err) {
    const rps_body_def *def = b->def;
    b->material = def->material;
    if (def->piece || def->pieces != 0) {
        RPS_TRY(rps_planar_check_shape(world, def, b->name, err));
        return take_clump(world, b, err);
    }
    if (!isnan(def->volume)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: a volume of %g m^3 is given, which is for bodies of several pieces; a shape has its own",
                        b->name, def->volume);
    }
    b->shape = rps_shape_find(def->shape);
    if (b->shape < 0) {
        const char *names[RPS_SHAPE_COUNT];
        for (int k = 0; k < RPS_SHAPE_COUNT; k++) names[k] = rps_shape_at(k)->name;
        const char *close = def->shape ? rps_closest_name(def->shape, names, RPS_SHAPE_COUNT) : NULL;
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: there is no shape \"%s\"%s%s%s; `repose list shapes` and repose/shape.h tell "
                        "which there are",
                        b->name, def->shape ? def->shape : "", close ? " (did you mean \"" : "", close ? close : "",
                        close ? "\"?)" : "");
    }
    RPS_TRY(rps_planar_check_shape(world, def, b->name, err));
    if (rps_shape_is_round(b->shape)) {
        if (!(rps_finite(def->radius) && def->radius > 0.0)) {
            return rps_fail(err, RPS_BAD_INPUT, "%s: the radius of a %s is %g m; expected a positive number", b->name,
                            def->shape, def->radius);
        }
        b->radius = def->radius;
        return RPS_OK;
    }
    if (b->shape == RPS_SHAPE_INDEX(mesh)) {
        RPS_TRY(rps_mesh_take(world, def, b->name, &b->own, err));
        b->radius = b->own.radius;
        b->piece = &b->own;
        b->pieces = 1;
        return RPS_OK;
    }
    if (b->shape != PLANE) return body_take_piece(def, b, err);
    if (!isnan(def->radius) && def->radius != 0.0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a plane has no radius, yet %g m is given", b->name, def->radius);
    }
    if (def->kind == RPS_BODY_FREE) return wrong(b, err, "a plane has no mass; make it fixed or driven");
    RPS_TRY(body_check_vector(b, "the normal", def->normal, err));
    rps_vec3 n = rps_vec3_normalize(rps_vec3_make(def->normal[0], def->normal[1], def->normal[2]));
    if (!(rps_vec3_norm2(n) > 0.5))
        return wrong(b, err, "the normal of a plane is zero; give the direction to its free side");
    b->normal[0] = n.x;
    b->normal[1] = n.y;
    b->normal[2] = n.z;
    for (int k = 0; k < 3; k++) {
        if (world->cell.period[k] > 0.0 && b->normal[k] != 0.0) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s: the plane's normal has a part along %c, on which the world is periodic; "
                            "no plane closes on itself there",
                            b->name, "xyz"[k]);
        }
    }
    return RPS_OK;
}

/* Liquid, of bodies that can have bridges. */
static rps_status take_film(new_body *b, rps_error *err) {
    const rps_body_def *def = b->def;
    bool spheres = b->clump != NULL || b->shape == RPS_SHAPE_INDEX(sphere);
    for (size_t k = 0; b->clump != NULL && k < b->pieces; k++) {
        spheres = spheres && (int)b->piece[k].shape == RPS_SHAPE_INDEX(sphere);
    }
    if (def->liquid == 0.0 && def->liquid_part == 0.0) return RPS_OK;
    if (!(def->liquid >= 0.0 && rps_finite(def->liquid) && def->liquid_part >= 0.0 && rps_finite(def->liquid_part))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its liquid is %g m^3 and %g of its volume; expected 0 or more",
                        b->name, def->liquid, def->liquid_part);
    }
    if (!spheres) {
        return wrong(
            b, err,
            "it has liquid, which is for spheres and bodies of spheres: no bridge of others is known; leave it out");
    }
    const double ball = 4.0 / 3.0 * RPS_PI * b->radius * b->radius * b->radius;
    const double volume = b->clump == NULL ? ball : isnan(def->volume) ? b->clump->volume : def->volume;
    b->film = def->liquid + def->liquid_part * volume;
    return RPS_OK;
}

static rps_status check_temperature(const new_body *b, rps_error *err) {
    const double kelvin = b->def->temperature;
    if (kelvin == 0.0 || (kelvin > 0.0 && rps_finite(kelvin))) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: its temperature is %g K; expected a number above 0", b->name, kelvin);
}

/* Moments of inertia of the definition; *are: true if it gives them. */
static rps_status take_given_inertia(const new_body *b, double given[3], bool *are, rps_error *err) {
    const double *inertia = b->def->inertia;
    for (int k = 0; k < 3; k++) given[k] = k > 0 && isnan(inertia[k]) ? inertia[0] : inertia[k];
    *are = !isnan(given[0]);
    if (!*are) return RPS_OK;
    for (int k = 0; k < 3; k++) {
        if (!(rps_finite(given[k]) && given[k] > 0.0)) {
            return rps_fail(err, RPS_BAD_INPUT, "%s: inertia is %g kg m^2; expected a positive number", b->name,
                            given[k]);
        }
    }
    for (int k = 0; k < 3; k++) { /* 1e-9: accuracy of numbers given with ten digits */
        if (given[k] > (given[(k + 1) % 3] + given[(k + 2) % 3]) * (1.0 + 1e-9)) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s: principal moments of inertia (%g, %g, %g) kg m^2: none can be larger than the sum of "
                            "the other two",
                            b->name, given[0], given[1], given[2]);
        }
    }
    if (rps_shape_is_round(b->shape) && !b->clump && (given[1] != given[0] || given[2] != given[0])) {
        return wrong(b, err, "a sphere or disk has one moment of inertia; give one number");
    }
    return RPS_OK;
}

/* The mass properties from densities. */
typedef struct by_density {
    double mass;        /* kg; NAN if some density is unknown */
    double per_mass[3]; /* m^2, moments of inertia by mass */
    double tolerance;   /* relative tolerance of a mass that is also given */
} by_density;

static by_density by_density_of(const rps_world *world, const new_body *b) {
    by_density out = {.mass = NAN, .tolerance = 1e-9};
    if (b->clump) {
        memcpy(out.per_mass, b->clump->inertia_per_mass, sizeof out.per_mass);
        if (b->clump->density_known) out.mass = b->clump->mass;
        if (b->clump->error > out.tolerance) out.tolerance = b->clump->error;
        return out;
    }
    const rps_shape *shape = rps_shape_at(b->shape);
    const rps_world_mesh *solid = b->piece ? rps_piece_solid(world, b->piece) : NULL;
    if (solid != NULL) {
        memcpy(out.per_mass, solid->mesh.inertia, sizeof out.per_mass); /* principal moments come first */
        out.mass = world->material[b->material].value.density * solid->mesh.volume;
        return out;
    }
    if (shape->mass == NULL) return out; /* a surface */
    const rps_shape_mass of_shape = shape->mass(b->piece ? b->piece->parameter : &b->radius);
    out.per_mass[0] = of_shape.inertia_per_mass.x;
    out.per_mass[1] = of_shape.inertia_per_mass.y;
    out.per_mass[2] = of_shape.inertia_per_mass.z;
    out.mass = world->material[b->material].value.density * of_shape.volume;
    if (b->shape == DISK) { /* 1 m long, and it rotates about y alone: that moment represents all three */
        out.mass *= world->options.depth;
        out.per_mass[0] = out.per_mass[2] = out.per_mass[1];
    }
    return out;
}

/* One material, or all materials of a body of several pieces. */
static const char *name_materials(const rps_world *world, const new_body *b, char *text, size_t size) {
    bool same = true;
    for (size_t k = 0; k < b->pieces; k++) same = same && (int)b->piece[k].material == b->material;
    if (!same) return "its materials";
    snprintf(text, size, "material \"%s\"", world->material[b->material].value.name);
    return text;
}

/* If some pieces have a density and some do not, a given mass does not determine how it is distributed. */
static bool densities_mixed(const rps_world *world, const new_body *b) {
    size_t known = 0;
    for (size_t k = 0; b->clump && k < b->pieces; k++) {
        known += !isnan(world->material[(size_t)b->piece[k].material].value.density);
    }
    return known > 0 && known < b->pieces;
}

/* Mass and inertia; a body that does not move needs neither and has 0 if they are unknown. */
static rps_status take_mass(const rps_world *world, new_body *b, rps_error *err) {
    const rps_body_def *def = b->def;
    char text[96];
    if (!isnan(def->mass) && !(rps_finite(def->mass) && def->mass > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: mass is %g kg; expected a positive number", b->name, def->mass);
    }
    double given[3];
    bool inertia_given;
    RPS_TRY(take_given_inertia(b, given, &inertia_given, err));
    b->mass = isnan(def->mass) ? 0.0 : def->mass;
    const bool sheets = b->clump ? !(b->clump->volume > 0.0) : rps_shape_is_sheet(rps_shape_at(b->shape));
    if (sheets || rps_shape_at(b->shape)->unbounded) {
        for (int k = 0; k < 3; k++) b->inertia[k] = inertia_given ? given[k] : 0.0;
        return RPS_OK;
    }
    const by_density of = by_density_of(world, b);
    if (!isnan(of.mass)) {
        if (isnan(def->mass)) {
            b->mass = of.mass;
        } else if (fabs(of.mass - def->mass) > of.tolerance * of.mass) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s: mass is %.12g kg, but the density of %s makes it %.12g kg; "
                            "give one of them, or a material of its own",
                            b->name, def->mass, name_materials(world, b, text, sizeof text), of.mass);
        }
    }
    const bool free_body = def->kind == RPS_BODY_FREE;
    if (free_body && !inertia_given && densities_mixed(world, b)) {
        return wrong(b, err,
                     "some of its pieces have a density and some have none; give all their materials one, or give mass "
                     "and inertia");
    }
    if (b->mass == 0.0 && free_body) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a free body needs a mass, and %s has no density; give one of the two",
                        b->name, name_materials(world, b, text, sizeof text));
    }
    if (!(rps_finite(b->mass) && (b->mass > 0.0 || !free_body))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its mass comes out as %g kg, which no calculation can bear", b->name,
                        b->mass);
    }
    for (int k = 0; k < 3; k++) b->inertia[k] = inertia_given ? given[k] : b->mass * of.per_mass[k];
    return RPS_OK;
}

static rps_status take_motion(const rps_world *world, new_body *b, rps_error *err) {
    const rps_body_def *def = b->def;
    RPS_TRY(body_check_vector(b, "velocity", def->velocity, err));
    RPS_TRY(body_check_vector(b, "angular velocity", def->angular_velocity, err));
    RPS_TRY(body_check_vector(b, "lock_axis", def->lock_axis, err));
    if (def->kind != RPS_BODY_FREE && !(body_is_zero(def->velocity) && body_is_zero(def->angular_velocity))) {
        return wrong(b, err, "only a free body has a velocity of its own; prescribe motion by a drive");
    }
    if (def->locked && !body_is_zero(def->angular_velocity)) {
        return wrong(b, err, "a locked body cannot turn, yet an angular velocity is given");
    }
    rps_vec3 axis = rps_vec3_make(def->lock_axis[0], def->lock_axis[1], def->lock_axis[2]);
    if (!body_is_zero(def->lock_axis)) {
        rps_vec3 v = rps_vec3_make(def->velocity[0], def->velocity[1], def->velocity[2]);
        axis = rps_vec3_normalize(axis);
        /* 1e-9: accuracy of directions given with ten digits */
        if (fabs(rps_vec3_dot(v, axis)) > 1e-9 * rps_vec3_norm(v)) {
            return wrong(b, err, "its velocity has a part along lock_axis, along which it is held at 0");
        }
    }
    b->lock_axis[0] = axis.x;
    b->lock_axis[1] = axis.y;
    b->lock_axis[2] = axis.z;
    if (def->kind != RPS_BODY_DRIVEN) return RPS_OK;
    b->drive = def->drive;
    RPS_TRY(rps_drive_take(world, &b->drive, b->normal, b->name, err));
    const rps_drive *drive = &b->drive;
    if (drive->kind == RPS_DRIVE_MIRROR) {
        const size_t other = rps_world_slot(world, drive->mirror);
        const int32_t index = other == SIZE_MAX ? -1 : world->bodies.drive[other][0];
        if (index < 0 || world->driven[index].partner >= 0 || world->driven[index].now.kind == RPS_DRIVE_MIRROR ||
            rps_drive_turns(world, &world->driven[index].now)) {
            return wrong(
                b, err,
                "its drive mirrors a body that is not driven, turns, is a mirror image itself or has one already");
        }
    }
    double now = rps_world_time(world);
    if (world->steps > 0 && drive->from < now) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: its drive counts from %g s, but the world is at %g s already, so that the "
                        "body would jump; let it count from now or later",
                        b->name, drive->from, now);
    }
    return RPS_OK;
}

/* The minimal rotation of +z onto the unit vector n: (1 + n.z, z x n), with 1 + n.z computed without cancellation.
 * Within 1e-145 of -z, squares would underflow, and n counts as -z. */
static rps_quat turn_z_onto(rps_vec3 n) {
    double across2 = n.x * n.x + n.y * n.y;
    if (n.z < 0.0 && across2 < 1e-290) return (rps_quat){0.0, 1.0, 0.0, 0.0};
    double w = n.z >= 0.0 ? 1.0 + n.z : across2 / (1.0 - n.z);
    return rps_quat_normalize((rps_quat){w, -n.y, n.x, 0.0});
}

rps_status rps_world_wrap(const rps_world *world, const char *who, const double unwrapped[3], double position[3],
                          double velocity[3], int32_t image[3], rps_error *err) {
    memcpy(position, unwrapped, 3 * sizeof *position);
    memset(image, 0, 3 * sizeof *image);
    if (rps_cell_wrap(&world->cell, position, velocity, image)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: position (%g, %g, %g) m lies 1e9 periods away or more", who, unwrapped[0],
                    unwrapped[1], unwrapped[2]);
}

static rps_status wrap_position(const rps_world *world, new_body *b, rps_error *err) {
    memcpy(b->velocity, b->def->velocity, sizeof b->velocity);
    return rps_world_wrap(world, b->name, b->start, b->position, b->velocity, b->image, err);
}

static rps_status take_pose(const rps_world *world, new_body *b, rps_error *err) {
    const double *q = b->def->orientation;
    RPS_TRY(body_check_vector(b, "position", b->def->position, err));
    memcpy(b->start, b->def->position, sizeof b->start);
    if (b->shape == PLANE) {
        b->orientation = turn_z_onto(rps_vec3_make(b->normal[0], b->normal[1], b->normal[2]));
        return wrap_position(world, b, err);
    }
    double norm2 = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
    if (!(rps_finite(norm2) && norm2 > 1e-200)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: orientation (%g, %g, %g, %g) is no quaternion w x y z of finite length "
                        "above 0",
                        b->name, q[0], q[1], q[2], q[3]);
    }
    b->orientation = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    if (b->clump) {
        const rps_vec3 centre = rps_quat_rotate(b->orientation, b->clump->centre);
        b->start[0] += centre.x;
        b->start[1] += centre.y;
        b->start[2] += centre.z;
        b->orientation = rps_quat_normalize(rps_quat_mul(b->orientation, b->clump->axes));
    }
    const rps_world_mesh *solid = b->piece && !b->clump ? rps_piece_solid(world, b->piece) : NULL;
    if (solid != NULL) {
        const rps_vec3 center = rps_quat_rotate(b->orientation, solid->center);
        rps_vec3_put(b->start, rps_vec3_add(rps_vec3_of(b->start), center));
        b->orientation = rps_quat_normalize(rps_quat_mul(b->orientation, solid->axes));
    }
    return wrap_position(world, b, err);
}

static rps_status check_def(rps_world *world, const rps_body_def *def, new_body *b, rps_error *err) {
    if (def->size != sizeof *def) {
        return rps_fail(err, RPS_BAD_INPUT, "body: size is %u, expected %zu; begin with rps_body_def_default()",
                        def->size, sizeof *def);
    }
    if (def->material < 0 || (size_t)def->material >= world->materials) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no material number %d; the world has %zu", b->name,
                        def->material, world->materials);
    }
    if (!rps_world_group_name(world, def->group)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no group number %d; rps_world_group makes one", b->name,
                        def->group);
    }
    if (def->kind != RPS_BODY_FREE && def->kind != RPS_BODY_FIXED && def->kind != RPS_BODY_DRIVEN) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no kind of body number %d; expected free, fixed or driven",
                        b->name, (int)def->kind);
    }
    RPS_TRY(rps_shear_check_body(world, def, b->name, err));
    RPS_TRY(body_take_shape(world, b, err));
    RPS_TRY(take_film(b, err));
    RPS_TRY(check_temperature(b, err));
    RPS_TRY(take_mass(world, b, err));
    RPS_TRY(take_motion(world, b, err));
    RPS_TRY(take_pose(world, b, err));
    return rps_planar_check_motion(world, def, b->normal, b->name, err);
}

static rps_status add_drive(rps_world *world, const new_body *b, rps_error *err) {
    const rps_allocator *allocator = world->allocator;
    size_t n = world->drives;
    void *driven;
    RPS_TRY(rps_list_grown(allocator, world->driven, n, sizeof *world->driven, &driven, err));
    rps_list_keep(allocator, world->driven, n, sizeof *world->driven, driven);
    world->driven = driven;
    /* as given, not wrapped: crossed periods are counted from here */
    const rps_vec3 start = rps_vec3_make(b->start[0], b->start[1], b->start[2]);
    world->driven[n] = (rps_drive_state){.initial = b->drive,
                                         .now = b->drive,
                                         .made_start = start,
                                         .start = start,
                                         .body = world->bodies.ids,
                                         .table = rps_drive_table(world, &b->drive),
                                         .surface_table = rps_drive_surface_table(world, &b->drive),
                                         .is_servo = b->drive.kind != RPS_DRIVE_MOTION,
                                         .runs = rps_drive_runs(&b->drive),
                                         .partner = -1};
    world->drives++;
    world->surfaces = world->surfaces || world->driven[n].runs;
    return RPS_OK;
}

/* Bound of the speed of the body's points in the next step, for the lists. */
static double top_speed(const rps_world *world, const new_body *b) {
    const rps_drive *drive = &b->def->drive;
    const rps_motion_table *table = b->def->kind == RPS_BODY_DRIVEN ? rps_drive_table(world, drive) : NULL;
    const double *v = b->def->kind == RPS_BODY_DRIVEN ? drive->velocity : b->velocity;
    const double *w = b->def->kind == RPS_BODY_DRIVEN ? drive->angular_velocity : b->def->angular_velocity;
    double speed = sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    if (b->piece) {
        speed += b->radius * sqrt((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]);
    }
    if (b->def->kind == RPS_BODY_DRIVEN) {
        const double *a = drive->amplitude;
        speed += 2.0 * RPS_PI * drive->frequency * sqrt((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]);
    }
    if (table) speed += table->speed + (b->piece ? b->radius * table->rate : 0.0);
    return speed;
}

/* A value that is already 0 is not written: see bodies.c. */
static void write_changed(void *to, const void *from, size_t bytes) {
    if (memcmp(to, from, bytes) != 0) memcpy(to, from, bytes);
}

static void write_number(int32_t *to, int32_t number) {
    if (*to != number) *to = number;
}

static void write_body(rps_world *world, const new_body *b, size_t first_piece) {
    rps_bodies *bodies = &world->bodies;
    const rps_body_def *def = b->def;
    size_t s = bodies->count;
    bool free_body = def->kind == RPS_BODY_FREE;
    rps_pose *pose = &bodies->pose[s];
    rps_motion *motion = &bodies->motion[s];
    memset(pose, 0, sizeof *pose);
    memset(motion, 0, sizeof *motion);
    memset(&bodies->load[s], 0, sizeof bodies->load[s]);
    pose->radius[0] = b->radius;
    pose->rodrigues_scale[0] = 2.0;
    for (int k = 0; k < 3; k++) {
        pose->position[k] = rps_flush(b->position[k]);
        motion->velocity[k] = rps_flush(b->velocity[k]);
        motion->angular_velocity[k] = rps_flush(def->angular_velocity[k]);
    }
    motion->inverse_mass[0] = free_body ? 1.0 / b->mass : 0.0;
    memcpy(bodies->inertia[s], b->inertia, sizeof b->inertia);
    motion->inverse_inertia[0] = free_body && !def->locked ? 1.0 / rps_mean_inertia(b->inertia) : 0.0;
    bodies->piece[s][0] = b->piece ? (int32_t)first_piece : -1;
    write_number(bodies->pieces[s], (int32_t)b->pieces);
    bodies->id[s][0] = bodies->ids;
    bodies->slot_of[bodies->ids++] = (uint32_t)s;
    const rps_quat q = rps_quat_flush(b->orientation);
    memcpy(bodies->orientation[s], (const double[4]){q.w, q.x, q.y, q.z}, sizeof bodies->orientation[s]);
    bodies->mass[s][0] = b->mass;
    write_changed(bodies->image[s], b->image, sizeof b->image);
    write_changed(bodies->normal[s], b->normal, sizeof b->normal);
    write_changed(bodies->lock_axis[s], b->lock_axis, sizeof b->lock_axis);
    world->axes_locked = world->axes_locked || !body_is_zero(b->lock_axis);
    memset(bodies->dissipated[s], 0, sizeof bodies->dissipated[s]);

    write_number(bodies->shape[s], b->shape);
    write_number(bodies->material[s], b->material);
    write_number(bodies->kind[s], (int32_t)def->kind);
    write_number(bodies->locked[s], def->locked);
    bodies->drive[s][0] = def->kind == RPS_BODY_DRIVEN ? (int32_t)world->drives - 1 : -1;
    write_number(bodies->group[s], def->group);
    bodies->count++;
}

/* Kinetic and potential energy of a new free body: one exact addition. */
static void account_energy(rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    if (bodies->kind[slot][0] != RPS_BODY_FREE) return;
    const double *v = bodies->motion[slot].velocity;
    const double *g = world->options.gravity;
    double mass = bodies->mass[slot][0], x[3];
    rps_world_unwrapped(world, slot, x);
    double translation = 0.5 * mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    double rotation = rps_body_rotation_energy(bodies, slot);
    double gravity = -mass * ((g[0] * x[0] + g[1] * x[1]) + g[2] * x[2]);
    rps_exact_sum_add(&world->energy_brought, translation + rotation + gravity + rps_fluid_potential(world, slot));
    rps_exact_sum_add(&world->energy_brought, rps_force_potential(world, slot));
}

/* Checks and writes one body; its memory is reserved. After a failure, leftover pieces are past the number in use. */
static rps_status add_checked(rps_world *world, const rps_body_def *def, new_body *b, rps_error *err) {
    const size_t slot = world->bodies.count;
    size_t first_piece = 0;
    RPS_TRY(check_def(world, def, b, err));
    if (b->piece) {
        RPS_TRY(rps_world_add_pieces(world, b->piece, b->pieces, &first_piece, err));
        RPS_TRY(rps_world_add_collider(world, first_piece, b->pieces, err));
    }
    if (def->kind == RPS_BODY_DRIVEN) RPS_TRY(add_drive(world, b, err));
    if (b->film > 0.0) {
        RPS_TRY(rps_liquid_reserve(world, world->bodies.ids, err));
        rps_liquid_begin(&world->liquid, world->bodies.ids, b->film);
    }
    if (world->heat.on && def->temperature > 0.0)
        RPS_TRY(rps_heat_begin(world, world->bodies.ids, def->temperature, err));
    write_body(world, b, first_piece);
    rps_body_start_rotation(&world->bodies, slot);
    account_energy(world, slot);
    const double speed = top_speed(world, b);
    if (speed > world->moved.speed) world->moved.speed = speed;
    return RPS_OK;
}

rps_status rps_world_add_body(rps_world *world, const rps_body_def *def, uint64_t *id, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(def);
    RPS_TRY(rps_share_refuse(world, "adding a body", err));
    const uint64_t next = world->bodies.ids;
    new_body b = {.def = def};
    snprintf(b.name, sizeof b.name, "body %llu", (unsigned long long)next);
    RPS_TRY(rps_bodies_reserve(world, world->bodies.count + 1, err));
    RPS_TRY(add_checked(world, def, &b, err));
    if (def->kind == RPS_BODY_DRIVEN && b.drive.kind != RPS_DRIVE_MOTION) {
        rps_drives_join(world);
        rps_drive_state_begin(world, world->drives - 1);
    }
    world->lists_stale = true;
    if (id) *id = next;
    return RPS_OK;
}

/* --- many at once --------------------------------------------------------------------------------------------------- */

rps_bodies_def rps_bodies_def_default(void) {
    return (rps_bodies_def){.size = sizeof(rps_bodies_def), .def = rps_body_def_default()};
}

/* Copies item n of an array, if the array is given. */
static void take_item(void *to, const rps_array *array, size_t n, size_t bytes) {
    if (!array->data) return;
    const size_t stride = array->stride > 0 ? array->stride : bytes;
    memcpy(to, (const char *)array->data + n * stride, bytes);
}

static void take_def(const rps_bodies_def *bodies, size_t n, rps_body_def *def) {
    take_item(def->position, &bodies->position, n, sizeof def->position);
    take_item(def->orientation, &bodies->orientation, n, sizeof def->orientation);
    take_item(def->velocity, &bodies->velocity, n, sizeof def->velocity);
    take_item(def->angular_velocity, &bodies->angular_velocity, n, sizeof def->angular_velocity);
    take_item(&def->radius, &bodies->radius, n, sizeof def->radius);
    take_item(&def->mass, &bodies->mass, n, sizeof def->mass);
    take_item(&def->material, &bodies->material, n, sizeof def->material);
    take_item(&def->group, &bodies->group, n, sizeof def->group);
}

static rps_status add_all(rps_world *world, const rps_bodies_def *bodies, rps_error *err) {
    rps_body_def def = bodies->def;
    new_body b;
    for (size_t n = 0; n < bodies->count; n++) {
        take_def(bodies, n, &def);
        memset(&b, 0, sizeof b);
        b.def = &def;
        memcpy(b.name, "body", 5);
        const rps_status status = add_checked(world, &def, &b, err);
        if (status == RPS_OK) continue;
        rps_error_prefix(err, "number %zu of %zu: ", n, bodies->count);
        return status;
    }
    return RPS_OK;
}

rps_status rps_world_add_bodies(rps_world *world, const rps_bodies_def *bodies, uint64_t *first, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(bodies);
    RPS_TRY(rps_share_refuse(world, "adding bodies", err));
    if (bodies->size != sizeof *bodies) {
        return rps_fail(err, RPS_BAD_INPUT, "bodies: size is %u, expected %zu; begin with rps_bodies_def_default()",
                        bodies->size, sizeof *bodies);
    }
    if (bodies->def.kind == RPS_BODY_DRIVEN) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "driven bodies are added one by one, since each has a drive of its own: "
                        "use rps_world_add_body");
    }
    if (bodies->count > SIZE_MAX - world->bodies.count) {
        return rps_fail(err, RPS_NO_MEMORY, "%zu bodies are more than memory can hold", bodies->count);
    }
    const size_t before = world->bodies.count, pieces = world->pieces, last_pieces = world->last_pieces;
    const uint64_t ids = world->bodies.ids;
    const rps_exact_sum energy = world->energy_brought;
    const double speed = world->moved.speed;
    const bool axes_locked = world->axes_locked;
    RPS_TRY(rps_bodies_reserve(world, before + bodies->count, err));
    const rps_status status = add_all(world, bodies, err);
    if (status != RPS_OK) {
        world->bodies.count = before;
        world->bodies.ids = ids;
        rps_colliders_truncate(world, pieces);
        world->pieces = pieces;
        world->last_pieces = last_pieces;
        world->energy_brought = energy;
        world->moved.speed = speed;
        world->axes_locked = axes_locked;
        rps_liquid_undo(&world->liquid, ids);
        rps_heat_undo(&world->heat, ids);
        return status;
    }
    if (bodies->count > 0) {
        world->lists_stale = true;
    }
    if (first) *first = ids;
    return RPS_OK;
}
