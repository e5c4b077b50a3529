/* Drives that refer to other bodies or seek a load. They are read once all bodies exist. */
#include <string.h>

#include "scene/motion_file.h"
#include "scene/scene_internal.h"

/* The turning of a surface about an axis. */
static rps_status read_surface_turning(const rps_node *surface, rps_drive *drive, rps_error *err) {
    const rps_node *given = rps_node_get(surface, "axis"), *rate = rps_node_get(surface, "rate");
    double axis[3] = {0.0, 0.0, 0.0};
    if (!given || !rate) {
        return rps_place_fail(err, surface->place, "a surface that turns has `axis` and `rate`%s",
                              given || rate ? "\nadd the one that is missing" : ", or a `table`");
    }
    rps_node_vector(surface, "axis", axis, 3);
    const rps_vec3 unit = rps_vec3_normalize(rps_vec3_of(axis));
    if (!(rps_vec3_norm2(unit) > 0.5)) {
        return rps_place_fail(err, surface->place,
                              "the axis of the surface velocity has no length\ngive its direction");
    }
    rps_vec3_put(drive->surface_turning, rps_vec3_scale(unit, rps_node_number(surface, "rate", 0.0)));
    return RPS_OK;
}

rps_status rps_read_surface(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err) {
    const rps_node *surface = rps_node_get(node, "surface_velocity");
    if (surface == NULL) return RPS_OK;
    if (surface->kind != RPS_NODE_MAP) {
        rps_node_vector(node, "surface_velocity", drive->surface_velocity, 3);
        return RPS_OK;
    }
    const rps_node *table = rps_node_get(surface, "table"), *axis = rps_node_get(surface, "axis");
    const rps_node *rate = rps_node_get(surface, "rate");
    rps_node_vector(surface, "about", drive->surface_about, 3);
    if (table == NULL) return read_surface_turning(surface, drive, err);
    if (axis || rate) {
        return rps_place_fail(err, axis ? axis->place : rate->place,
                              "a surface velocity is a table or a constant turning, not both\nthe axis of a table's "
                              "column `rate` stands in the table: `table: {file: ..., axis: [0, 1, 0]}`");
    }
    drive->surface_motion = rps_motion_of_node(scene, table);
    return RPS_OK;
}

rps_status rps_read_motion(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err) {
    rps_node_vector(node, "velocity", drive->velocity, 3);
    rps_node_vector(node, "angular_velocity", drive->angular_velocity, 3);
    rps_node_vector(node, "amplitude", drive->amplitude, 3);
    drive->frequency = rps_node_number(node, "frequency", 0.0);
    drive->phase = rps_node_number(node, "phase", 0.0);
    drive->from = rps_node_number(node, "from", 0.0);
    drive->until = rps_node_number(node, "until", -1.0);
    drive->motion = rps_motion_of_node(scene, rps_node_get(node, "table"));
    return rps_read_surface(scene, node, drive, err);
}

/* Keys of a drive that seeks a load or mirrors another one. */
static const char *const own_keys[] = {"force",  "pressure", "torque", "mirror", "direction", "over",
                                       "length", "area",     "gain",   "speed",  "rate",      "stiffness"};
enum { OWN_KEYS = sizeof own_keys / sizeof *own_keys, KINDS = 4 };

const rps_node *rps_drive_servo_node(const rps_node *drive) {
    for (int k = 0; k < OWN_KEYS; k++) {
        const rps_node *node = rps_node_get(drive, own_keys[k]);
        if (node) return node;
    }
    return NULL;
}

rps_status rps_read_planes(const rps_scene *scene, const rps_node *over, uint64_t span[][2], int most, int *spans,
                           rps_error *err) {
    if (over->count % 2 != 0 || over->count == 0 || over->count > 2 * (size_t)most) {
        return rps_place_fail(err, over->place,
                              "`over` names %zu planes, but a distance has two ends\nwrite [left, right]%s",
                              over->count, most == 1 ? "" : ", or more such pairs one after the other");
    }
    for (size_t k = 0; k < over->count; k++) {
        const rps_named *named;
        const rps_node *item = over->entry[k].value;
        RPS_TRY(rps_scene_reference(scene, item, 1, &named, err));
        const char *shape = named->def.shape;
        if (named->def.piece || !shape || strcmp(shape, "plane") != 0) {
            return rps_place_fail(err, item->place, "`%s` is no plane, so that it has no distance from another",
                                  item->text);
        }
        span[k / 2][k % 2] = named->id;
        if (k % 2 == 1 && span[k / 2][0] == named->id) {
            return rps_place_fail(err, item->place, "the distance of `%s` from itself is 0\nname two planes",
                                  item->text);
        }
    }
    *spans = (int)(over->count / 2);
    return RPS_OK;
}

static rps_status read_area(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err) {
    const rps_node *over = rps_node_get(node, "over"), *length = rps_node_get(node, "length");
    const rps_node *area = rps_node_get(node, "area"), *any = over ? over : length ? length : area;
    if (drive->kind != RPS_DRIVE_PRESSURE) {
        if (!any) return RPS_OK;
        return rps_place_fail(err, any->place, "only a `pressure` acts on an area\nleave it out");
    }
    if (!any || (over != NULL) + (length != NULL) + (area != NULL) != 1) {
        return rps_place_fail(err, (any ? any : node)->place,
                              "a pressure needs the area on which it acts: one of `over: [a, b]`, the distance of two "
                              "planes%s, `%s`",
                              scene->planar ? " times the depth" : "", scene->planar ? "length" : "area");
    }
    if (length && !scene->planar)
        return rps_place_fail(err, length->place, "`length` is of planar scenes; give `area`");
    if (area && scene->planar) {
        return rps_place_fail(err, area->place,
                              "a planar scene has lengths; give `length`, which is taken times depth");
    }
    if (!over) {
        drive->area = length ? length->number[0] * scene->depth : area->number[0];
        return RPS_OK;
    }
    RPS_TRY(rps_read_planes(scene, over, drive->span, scene->planar ? 1 : RPS_DRIVE_SPANS, &drive->spans, err));
    if (!scene->planar && drive->spans != 2) {
        return rps_place_fail(err, over->place, "an area has two sides\nname two pairs of planes, or give `area`");
    }
    return RPS_OK;
}

rps_status rps_read_drive(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err) {
    static const rps_drive_kind kind[KINDS] = {RPS_DRIVE_FORCE, RPS_DRIVE_PRESSURE, RPS_DRIVE_TORQUE, RPS_DRIVE_MIRROR};
    const rps_node *seeks = NULL;
    *drive = (rps_drive){.until = -1.0};
    if (node->kind == RPS_NODE_SCALAR) return RPS_OK; /* off */
    RPS_TRY(rps_read_motion(scene, node, drive, err));
    const rps_node *until = rps_node_get(node, "until");
    if (until && until->number[0] < drive->from) {
        return rps_place_fail(err, until->place, "the drive ends before it begins at %g s", drive->from);
    }
    for (int k = 0; k < KINDS; k++) {
        const rps_node *one = rps_node_get(node, own_keys[k]);
        if (one && seeks) {
            return rps_place_fail(err, one->place,
                                  "a drive seeks one of `force`, `pressure`, `torque` and `mirror`, not several");
        }
        if (!one) continue;
        seeks = one;
        drive->kind = kind[k];
        drive->target = one->number[0];
    }
    const rps_node *misplaced = rps_drive_servo_node(node);
    if (!seeks && misplaced) {
        return rps_place_fail(err, misplaced->place,
                              "this belongs to a drive that seeks a load, but none is given\nadd `force: 100 N`, "
                              "`pressure: 1 kPa` or `torque: 1 N m`");
    }
    if (!seeks) return RPS_OK;
    if (drive->kind == RPS_DRIVE_MIRROR) {
        const rps_named *named;
        for (int k = KINDS + 1; k < OWN_KEYS; k++) {
            const rps_node *other = rps_node_get(node, own_keys[k]);
            if (other)
                return rps_place_fail(err, other->place, "a mirror image does as `%s` does; say `%s` there",
                                      seeks->text, own_keys[k]);
        }
        RPS_TRY(rps_scene_reference(scene, seeks, 1, &named, err));
        drive->mirror = named->id;
        drive->target = 0.0;
    }
    rps_node_vector(node, "direction", drive->direction, 3);
    drive->gain = rps_node_number(node, "gain", 0.0);
    const bool turns = drive->kind == RPS_DRIVE_TORQUE;
    const rps_node *speed = rps_node_get(node, "speed"), *rate = rps_node_get(node, "rate");
    const rps_node *stiffness = rps_node_get(node, "stiffness");
    if (turns && (speed || stiffness)) {
        return rps_place_fail(err, speed ? speed->place : stiffness->place, "a torque turns the body\n%s",
                              speed ? "say `rate: 1 rad/s`" : "leave out `stiffness`");
    }
    if (!turns && rate) return rps_place_fail(err, rate->place, "`rate` belongs to a torque\nsay `speed: 0.2 m/s`");
    drive->speed_max = rps_node_number(node, turns ? "rate" : "speed", 0.0);
    drive->stiffness_min = rps_node_number(node, "stiffness", 0.0);
    return read_area(scene, node, drive, err);
}

/* Mirror images last: they need their originals. */
rps_status rps_build_drives(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *bodies = rps_node_get(scene->text->root, "bodies");
    for (int images = 0; images < 2; images++) {
        uint64_t next = 0; /* bodies are added first and in order, without those that enter later */
        for (size_t i = 0; i < bodies->count; i++) {
            const rps_node *drive = rps_node_get(bodies->entry[i].value, "drive");
            rps_drive read;
            if (rps_node_get(bodies->entry[i].value, "enters")) continue;
            const uint64_t id = next++;
            if (!drive || !rps_drive_servo_node(drive) || (rps_node_get(drive, "mirror") != NULL) != (images == 1))
                continue;
            RPS_TRY(rps_read_drive(scene, drive, &read, err));
            RPS_TRY(rps_place_wrap(err, drive->place, rps_world_set_drive(world, id, &read, err)));
        }
    }
    return RPS_OK;
}
