/* Joints of a scene. This file checks the keys of each type of joint; adding a joint checks it against its bodies. */
#include <math.h>
#include <string.h>

#include "scene/scene_internal.h"
#include "world/joint.h"

enum {
    POINT = 1,
    POINTS = 2,
    AXIS = 4,
    LENGTH = 8,
    FRICTION = 16,
    DRIVE = 32,
    LIMITS = 64,
    RESTITUTION = 128,
    SPRING = 256,
    SECOND_AXIS = 512,
    PITCH = 1024,
    SECOND = 2048,
    THIRD = 4096,
    BETWEEN = 8192,
    JOINTS = 16384,
    RATIO = 32768,
    KEYS = 16
};
static const char *const key[KEYS] = {"point",  "points",      "axis",   "length",      "friction", "drive",
                                      "limits", "restitution", "spring", "second_axis", "pitch",    "second",
                                      "third",  "between",     "joints", "ratio"};
enum { ENDS = FRICTION | LIMITS | RESTITUTION | SPRING };

/* As listed in the schema. */
static const struct {
    rps_joint_kind kind;
    int needs, takes;
    const char *example;
} types[] = {
    {RPS_JOINT_FIXED, POINT, 0, "point: [0, 0, 1 m]"},
    {RPS_JOINT_BALL, POINT, FRICTION, "point: [0, 0, 1 m]"},
    {RPS_JOINT_HINGE, POINT | AXIS, ENDS, "point: [0, 0, 1 m], axis: [0, 1, 0]"},
    {RPS_JOINT_SLIDER, AXIS, POINT | ENDS, "axis: [1, 0, 0]"},
    {RPS_JOINT_DISTANCE, POINTS, LENGTH, "points: [[0, 0, 0], [0, 0, 1 m]]"},
    {RPS_JOINT_MOTOR, AXIS | DRIVE, POINT | FRICTION, "axis: [1, 0, 0], drive: {velocity: 0.1 m/s}"},
    {RPS_JOINT_UNIVERSAL, POINT | AXIS | SECOND_AXIS, ENDS | SECOND,
     "point: [0, 0, 1 m], axis: [1, 0, 0], second_axis: [0, 1, 0]"},
    {RPS_JOINT_CYLINDRICAL, AXIS, POINT | ENDS | SECOND, "axis: [1, 0, 0]"},
    {RPS_JOINT_SCREW, POINT | AXIS | PITCH, ENDS, "point: [0, 0, 1 m], axis: [1, 0, 0], pitch: 2 mm"},
    {RPS_JOINT_PLANAR, AXIS | SECOND_AXIS, POINT | ENDS | SECOND | THIRD, "axis: [0, 0, 1], second_axis: [1, 0, 0]"},
    {RPS_JOINT_COUPLING, JOINTS | RATIO, 0, "joints: [wheel, pinion], ratio: -0.5"}};

static rps_status build_joints_check_keys(const rps_scene *scene, const rps_node *node, int type, rps_error *err) {
    const rps_node *name = rps_node_get(node, "type");
    const int between = types[type].kind == RPS_JOINT_COUPLING ? 0 : BETWEEN;
    int needs = types[type].needs | between;
    const rps_node *drive = rps_node_get(node, "drive");
    const bool turns = types[type].kind == RPS_JOINT_HINGE || rps_node_get(drive, "angular_velocity") ||
                       rps_node_get(drive, "angular_amplitude");
    if (types[type].kind == RPS_JOINT_MOTOR && turns) needs |= POINT;
    if (scene->planar && turns) needs &= ~AXIS; /* about y */
    for (int k = 0; k < KEYS; k++) {
        const rps_node *given = rps_node_get(node, key[k]);
        if (given && !((types[type].needs | types[type].takes | between) & (1 << k))) {
            return rps_place_fail(err, given->place, "a joint of type `%s` takes no `%s`%s", name->text, key[k],
                                  1 << k == POINTS && (needs & POINT)   ? "; it has one `point`"
                                  : 1 << k == POINT && (needs & POINTS) ? "; it has two `points`, one on each body"
                                  : 1 << k == DRIVE                     ? "; a driven joint is of type `motor`"
                                  : 1 << k == BETWEEN                   ? "; it couples two `joints`"
                                  : 1 << k == JOINTS                    ? "; it joins two bodies, `between`"
                                  : 1 << k == PITCH ? "; what moves along its axis as it turns is of type `screw`"
                                                    : "");
        }
        if (!given && 1 << k == BETWEEN && (needs & BETWEEN)) {
            return rps_place_fail(err, node->place,
                                  "a joint of type `%s` needs `between`\nsuch as between: [arm, world], of two bodies",
                                  name->text);
        }
        if (!given && (needs & (1 << k))) {
            return rps_place_fail(err, node->place, "a joint of type `%s` needs `%s`\nsuch as {type: %s, %s}",
                                  name->text, key[k], name->text, types[type].example);
        }
    }
    return RPS_OK;
}

static rps_status read_bodies(const rps_scene *scene, const rps_node *between, rps_joint_def *def, rps_error *err) {
    for (size_t k = 0; k < 2; k++) {
        const rps_node *item = between->entry[k].value;
        const rps_named *named = rps_scene_named(scene, item->text);
        if (rps_node_is(item, "world")) {
            if (named) {
                return rps_place_fail(
                    err, item->place,
                    "`world` stands for what never moves, but a body has that name too\ngive the body "
                    "another name");
            }
            continue;
        }
        RPS_TRY(rps_scene_reference(scene, item, 1, &named, err));
        def->body[k] = named->id;
    }
    return RPS_OK;
}

static rps_status read_value(rps_node *node, const char *unit, double *value, rps_error *err) {
    if (!node) return RPS_OK;
    RPS_TRY(rps_schema_quantity(node, unit, value, err));
    node->number[0] = *value;
    return RPS_OK;
}

/* The joints of a coupling, which are there by now, and its ratio. */
static rps_status read_coupling(const rps_scene *scene, const rps_world *world, const rps_node *node,
                                rps_joint_def *def, rps_error *err) {
    static const char *const unit[2][2] = {{"1", "m/rad"}, {"rad/m", "1"}}; /* by whether each turns */
    const rps_node *joints = rps_node_get(node, "joints"), *all = rps_node_get(scene->text->root, "joints");
    bool turns[2];
    for (size_t k = 0; k < 2; k++) {
        const rps_node *item = joints->entry[k].value;
        for (size_t i = 0; i < all->count && rps_world_find_joint(world, item->text) < 0; i++) {
            const char *name = rps_node_text(all->entry[i].value, "name");
            if (name && strcmp(name, item->text) == 0) {
                return rps_place_fail(err, item->place,
                                      "the joint `%.60s` comes later, and a coupling is of joints above it\nmove the "
                                      "coupling to the end of `joints`",
                                      item->text);
            }
        }
        RPS_TRY(rps_scene_joint(scene, world, item, &def->joint[k], err));
        turns[k] = rps_joint_freedom(&world->joint[def->joint[k]], 0) == RPS_JOINT_TURNS;
    }
    return read_value(rps_node_get(node, "ratio"), unit[turns[0]][turns[1]], &def->ratio, err);
}

/* A force, or a torque of what turns, in SI units. */
static rps_status read_load(const rps_node *parent, const char *load_key, bool turns, double *value, rps_error *err) {
    return read_value(rps_node_get(parent, load_key), turns ? "N m" : "N", value, err);
}

/* Rows of position and load. The caller releases them. */
static rps_status read_spring_table(const rps_scene *scene, const rps_node *rows, bool turns, rps_joint_ends *def,
                                    rps_error *err) {
    size_t bytes;
    void *block;
    if (!rows) return RPS_OK;
    if (rows->count < 2) {
        return rps_place_fail(err, rows->place,
                              "a table has two rows or more\nsuch as [[-10 mm, 20 N], [10 mm, -20 N]]");
    }
    RPS_TRY(rps_size_of_items(rows->count, sizeof *def->table, &bytes, err));
    RPS_TRY(rps_memory_alloc(scene->allocator, bytes, &block, err));
    double(*table)[2] = block;
    def->table = (const double(*)[2])block;
    def->table_rows = rows->count;
    for (size_t k = 0; k < rows->count; k++) {
        const rps_node *row = rows->entry[k].value;
        RPS_TRY(read_value(row->entry[0].value, turns ? "rad" : "m", &table[k][0], err));
        RPS_TRY(read_value(row->entry[1].value, turns ? "N m" : "N", &table[k][1], err));
        if (k > 0 && !(table[k][0] > table[k - 1][0])) {
            return rps_place_fail(err, row->entry[0].value->place,
                                  "positions of a table must ascend, and this one is not above that before it");
        }
    }
    return RPS_OK;
}

static rps_status read_ends(const rps_scene *scene, const rps_node *node, bool turns, rps_joint_ends *def,
                            rps_error *err) {
    const rps_node *limits = rps_node_get(node, "limits"), *spring = rps_node_get(node, "spring");
    for (size_t k = 0; limits && k < 2; k++) {
        rps_node *end = limits->entry[k].value;
        if (!rps_node_is(end, "none")) RPS_TRY(read_value(end, turns ? "rad" : "m", &def->limits[k], err));
    }
    RPS_TRY(read_load(node, "friction", turns, &def->friction, err));
    def->restitution = rps_node_number(node, "restitution", 0.0);
    rps_node *stiffness = rps_node_get(spring, "stiffness"), *damping = rps_node_get(spring, "damping");
    RPS_TRY(read_spring_table(scene, rps_node_get(spring, "table"), turns, def, err));
    RPS_TRY(read_value(stiffness, turns ? "N m/rad" : "N/m", &def->stiffness, err));
    RPS_TRY(read_value(damping, turns ? "N m s/rad" : "N s/m", &def->damping, err));
    return read_value(rps_node_get(spring, "rest"), turns ? "rad" : "m", &def->rest, err);
}

/* Friction, stops and springs of all coordinates. */
static rps_status read_all_ends(const rps_scene *scene, const rps_node *node, rps_joint_def *def, rps_error *err) {
    const rps_joint joint = {.kind = def->kind, .motion = def->motion};
    rps_joint_ends first = def->more[0];
    const rps_node *more[2] = {rps_node_get(node, "second"), rps_node_get(node, "third")};
    const bool turns = def->kind == RPS_JOINT_BALL || rps_joint_freedom(&joint, 0) == RPS_JOINT_TURNS;
    const rps_status status = read_ends(scene, node, turns, &first, err);
    def->table = first.table;
    def->table_rows = first.table_rows;
    RPS_TRY(status);
    def->friction = first.friction;
    memcpy(def->limits, first.limits, sizeof def->limits);
    def->restitution = first.restitution;
    def->stiffness = first.stiffness;
    def->damping = first.damping;
    def->rest = first.rest;
    for (int k = 0; k < 2; k++) {
        if (!more[k]) continue;
        RPS_TRY(read_ends(scene, more[k], rps_joint_freedom(&joint, k + 1) == RPS_JOINT_TURNS, &def->more[k], err));
    }
    return RPS_OK;
}

static rps_status read_drive(const rps_node *node, rps_joint_motion *motion, rps_error *err) {
    static const char *const speed[2] = {"velocity", "angular_velocity"};
    static const char *const amplitude[2] = {"amplitude", "angular_amplitude"};
    const rps_node *given[2] = {NULL, NULL};
    if (!node) return RPS_OK;
    for (int turns = 0; turns < 2; turns++) {
        given[turns] = rps_node_get(node, speed[turns]);
        if (!given[turns]) given[turns] = rps_node_get(node, amplitude[turns]);
    }
    if (!given[0] == !given[1]) {
        return rps_place_fail(err, node->place,
                              given[0] ? "a motor moves along its axis or turns about it, not both"
                                       : "this says no motion\ngive `velocity` or `amplitude` along the axis, or "
                                         "`angular_velocity` or `angular_amplitude` about it");
    }
    motion->turns = given[1] != NULL;
    motion->speed = rps_node_number(node, speed[motion->turns], 0.0);
    motion->amplitude = rps_node_number(node, amplitude[motion->turns], 0.0);
    motion->frequency = rps_node_number(node, "frequency", 0.0);
    motion->phase = rps_node_number(node, "phase", 0.0);
    motion->from = rps_node_number(node, "from", 0.0);
    const rps_node *until = rps_node_get(node, "until");
    motion->until = until ? until->number[0] : -1.0;
    if (until && until->number[0] < motion->from) {
        return rps_place_fail(err, until->place, "the drive ends before it begins at %g s", motion->from);
    }
    return RPS_OK;
}

static rps_status read_joint_def(const rps_scene *scene, const rps_world *world, const rps_node *node,
                                 rps_joint_def *def, rps_error *err) {
    const rps_node *type = rps_node_get(node, "type"), *points = rps_node_get(node, "points");
    const int index = (int)type->number[0];
    RPS_TRY(build_joints_check_keys(scene, node, index, err));
    def->kind = types[index].kind;
    if (def->kind == RPS_JOINT_COUPLING) RPS_TRY(read_coupling(scene, world, node, def, err));
    if (def->kind != RPS_JOINT_COUPLING) RPS_TRY(read_bodies(scene, rps_node_get(node, "between"), def, err));
    def->name = rps_node_text(node, "name");
    rps_node_vector(node, "point", def->point[0], 3);
    for (size_t k = 0; points && k < 2; k++) {
        memcpy(def->point[k], points->entry[k].value->number, sizeof def->point[k]);
    }
    rps_node_vector(node, "axis", def->axis, 3);
    rps_node_vector(node, "second_axis", def->second_axis, 3);
    def->pitch = rps_node_number(node, "pitch", 0.0);
    def->length = rps_node_number(node, "length", NAN);
    def->collide = rps_node_number(node, "collide", 0.0) != 0.0;
    RPS_TRY(read_drive(rps_node_get(node, "drive"), &def->motion, err));
    RPS_TRY(read_all_ends(scene, node, def, err));
    RPS_TRY(read_load(rps_node_get(node, "drive"), "max_load", def->motion.turns, &def->load_max, err));
    const bool needs_none = !(types[index].needs & (POINT | POINTS | JOINTS)) && !def->motion.turns;
    if (needs_none &&
        !rps_node_get(node, "point")) { /* at the first body, or at the second if the first is the world */
        const uint64_t id = def->body[def->body[0] == RPS_JOINT_WORLD];
        const size_t slot = rps_world_slot(world, id);
        if (slot != SIZE_MAX) rps_world_unwrapped(world, slot, def->point[0]);
    }
    return RPS_OK;
}

static void release_spring_table(const rps_scene *scene, const double (*table)[2], size_t rows) {
    if (table) rps_memory_release(scene->allocator, (void *)(uintptr_t)table, rows * sizeof *table);
}

static rps_status build_joint(const rps_scene *scene, rps_world *world, const rps_node *node, rps_error *err) {
    rps_joint_def def = rps_joint_def_default();
    rps_status status = read_joint_def(scene, world, node, &def, err);
    if (status == RPS_OK) status = rps_place_wrap(err, node->place, rps_world_add_joint(world, &def, NULL, err));
    release_spring_table(scene, def.table, def.table_rows);
    for (int k = 0; k < 2; k++) release_spring_table(scene, def.more[k].table, def.more[k].table_rows);
    return status;
}

rps_status rps_build_joints(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *joints = rps_node_get(scene->text->root, "joints");
    for (size_t i = 0; i < joints->count; i++) RPS_TRY(build_joint(scene, world, joints->entry[i].value, err));
    return RPS_OK;
}

rps_status rps_scene_joint(const rps_scene *scene, const rps_world *world, const rps_node *node, size_t *index,
                           rps_error *err) {
    const rps_node *joints = rps_node_get(scene->text->root, "joints");
    const char *names[64];
    char hint[512];
    size_t n = 0;
    const int64_t found = rps_world_find_joint(world, node->text);
    if (found >= 0) {
        *index = (size_t)found;
        return RPS_OK;
    }
    for (size_t i = 0; i < joints->count && n < 64; i++) {
        const char *name = rps_node_text(joints->entry[i].value, "name");
        if (name) names[n++] = name;
    }
    return rps_place_fail(err, node->place, "there is no joint `%.60s`%s", node->text,
                          rps_suggest(node->text, names, n, hint, sizeof hint));
}
