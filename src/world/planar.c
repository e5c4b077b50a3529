/*
 * Planar worlds: disks and planes that move in x-z and turn about y, through the engine of three dimensions. One
 * check at set-up is enough: contacts of disks and of planes without a y component give no force along y and no
 * torque about x or z, to the last bit.
 */
#include <string.h>

#include "shape/shape.h"
#include "world/world_internal.h"

rps_status rps_planar_check_options(const rps_world_options *o, rps_error *err) {
    if (o->dimension == 3) return RPS_OK;
    if (o->dimension != 2) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: dimension is %d; expected 2 (planar) or 3", o->dimension);
    }
    if (!(rps_finite(o->depth) && o->depth > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: depth is %g m; expected a positive length", o->depth);
    }
    if (o->gravity[1] != 0.0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "world options: gravity is (%g, %g, %g) m/s^2, but a planar world lies in x-z; its y must be 0",
                        o->gravity[0], o->gravity[1], o->gravity[2]);
    }
    if (o->period[1] != 0.0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "world options: the period along y is %g m, but a planar world has no extent along y; "
                        "expected 0",
                        o->period[1]);
    }
    return RPS_OK;
}

static bool is_disk(const char *shape) {
    return shape && strcmp(shape, rps_shape_disk.name) == 0;
}

rps_status rps_planar_check_shape(const rps_world *world, const rps_body_def *def, const char *who, rps_error *err) {
    const bool several = def->piece || def->pieces != 0;
    if (world->options.dimension == 2) {
        const bool fits = is_disk(def->shape) || (def->shape && strcmp(def->shape, rps_shape_plane.name) == 0);
        if (fits && !several) return RPS_OK;
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: a %s has three dimensions, but the world is planar (dimension 2), where bodies are disks "
                        "and planes; make it a disk, or the world three-dimensional",
                        who,
                        several      ? "body of pieces"
                        : def->shape ? def->shape
                                     : "body without a shape");
    }
    if (several || !is_disk(def->shape)) return RPS_OK; /* pieces are checked one by one */
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s: a disk belongs to a planar world (dimension 2); in three dimensions use a cylinder", who);
}

rps_status rps_planar_check_motion(const rps_world *world, const rps_body_def *def, const double normal[3],
                                   const char *who, rps_error *err) {
    const double *o = def->orientation;
    const struct {
        const char *what;
        const double *v;
        bool turns;
    } vector[] = {{"position", def->position, false},
                  {"velocity", def->velocity, false},
                  {"angular velocity", def->angular_velocity, true},
                  {"lock_axis", def->lock_axis, false},
                  {"the normal", normal, false},
                  {"the velocity of its drive", def->drive.velocity, false},
                  {"the angular velocity of its drive", def->drive.angular_velocity, true},
                  {"the surface velocity of its drive", def->drive.surface_velocity, false},
                  {"the turning of its surface", def->drive.surface_turning, true},
                  {"the amplitude of its drive", def->drive.amplitude, false}};
    if (world->options.dimension != 2) return RPS_OK;
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        const double *v = vector[k].v;
        if (vector[k].turns ? v[0] == 0.0 && v[2] == 0.0 : v[1] == 0.0) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: %s is (%g, %g, %g), but the world is planar: bodies move in x-z and turn about y; "
                        "expected %s",
                        who, vector[k].what, v[0], v[1], v[2], vector[k].turns ? "x = z = 0" : "y = 0");
    }
    const rps_motion_table *motion[2] = {rps_drive_table(world, &def->drive),
                                         rps_drive_surface_table(world, &def->drive)};
    for (int k = 0; k < 2; k++) {
        const rps_motion_table *table = motion[k];
        if (!table || !(table->along[1] || table->along[3] || table->along[5])) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: %.200s moves it along y or turns it about x or z, but the world is planar: bodies move in "
                        "x-z and turn about y",
                        who, table->name);
    }
    if (is_disk(def->shape) && (o[1] != 0.0 || o[3] != 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: orientation (%g, %g, %g, %g) is turned about another axis than y, about which all turns "
                        "in a planar world; expected (w, 0, y, 0)",
                        who, o[0], o[1], o[2], o[3]);
    }
    return RPS_OK;
}
