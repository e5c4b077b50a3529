/* Columns in any order, in the units of their headings; a component without a column does not move. */
#include "scene/motion_file.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/elementary.h"
#include "base/log.h"
#include "scene/csv_columns.h"

enum { TIME, PLACE = 1, SPEED = 4, ANGLE = 7, RATE = 8, SPIN = 9, QUATERNION = 12, MOTION_COLUMNS = 16 };

static const char *const motion_column[MOTION_COLUMNS + 1] = {
    "time", "x", "y", "z", "vx", "vy", "vz", "angle", "rate", "wx", "wy", "wz", "qw", "qx", "qy", "qz", NULL};
/* NULL: the numbers have no unit. */
static const char *const motion_unit[MOTION_COLUMNS] = {"s",     "m",     "m",     "m",     "m/s", "m/s", "m/s", "rad",
                                                        "rad/s", "rad/s", "rad/s", "rad/s", NULL,  NULL,  NULL,  NULL};
/* How far the length of a quaternion may be from 1: five digits of each component are written at least. */
static const double QUATERNION_ROUNDING = 1e-4;
static const double LARGEST_TURN = 3.0; /* rad, between two rows */

/* The columns of a file, and vectors of all rows made of them. */
typedef struct motion_rows {
    const rps_csv_table *table;
    int column[MOTION_COLUMNS]; /* -1: not given */
    double scale[MOTION_COLUMNS];
    double axis[3];
    double (*vector[4])[3]; /* place, velocity, turn, angular velocity; NULL: not given */
    double *time;
} motion_rows;

static bool has_any(const motion_rows *in, int first, int count) {
    for (int k = first; k < first + count; k++) {
        if (in->column[k] >= 0) return true;
    }
    return false;
}

static rps_status motion_fail(const motion_rows *in, rps_error *err, const char *sentence) {
    return rps_csv_table_fail(in->table, in->table->header, err, "%s", sentence);
}

static rps_status check_quaternion_columns(const motion_rows *in, const rps_node *node, rps_error *err) {
    if (!has_any(in, QUATERNION, 4)) return RPS_OK;
    for (int k = QUATERNION; k < QUATERNION + 4; k++) {
        if (in->column[k] >= 0) continue;
        return motion_fail(in, err, "an orientation has four columns, qw, qx, qy, qz, of which not all are there");
    }
    if (has_any(in, ANGLE, 2) || has_any(in, SPIN, 3)) {
        return motion_fail(in, err, "a turn is given by qw, qx, qy, qz or by angle, rate, wx, wy, wz, not by both");
    }
    if (rps_node_is(rps_node_get(node, "interpolation"), "linear")) return RPS_OK;
    return motion_fail(in, err,
                       "from one orientation to the next the body turns about one axis at a constant rate\nwrite "
                       "`interpolation: linear` beside the file, which holds for places too");
}

static rps_status find_columns(motion_rows *in, const rps_node *node, rps_error *err) {
    const rps_node *axis = rps_node_get(node, "axis");
    RPS_TRY(rps_csv_check_columns(in->table, motion_column, err));
    for (int k = 0; k < MOTION_COLUMNS; k++) {
        in->column[k] = rps_csv_find_column(in->table, motion_column[k]);
        in->scale[k] = 1.0;
        if (in->column[k] >= 0 && motion_unit[k]) {
            RPS_TRY(rps_csv_column_scale(in->table, in->column[k], motion_unit[k], &in->scale[k], err));
        }
    }
    if (in->column[TIME] < 0) return motion_fail(in, err, "there is no column `time`");
    if (!has_any(in, PLACE, MOTION_COLUMNS - 1)) {
        return motion_fail(in, err,
                           "the table has no column but `time`; add x, y, z, vx, vy, vz, angle, rate, wx, wy, wz "
                           "or qw, qx, qy, qz");
    }
    for (int k = 0; k < 3; k++) {
        if (!has_any(in, PLACE, 3) || !has_any(in, SPEED, 3)) break;
        if ((in->column[PLACE + k] < 0) == (in->column[SPEED + k] < 0)) continue;
        return motion_fail(in, err,
                           "places and velocities are given along different axes; give both along each axis, or leave "
                           "one kind out");
    }
    if (has_any(in, ANGLE, 2) && has_any(in, SPIN, 3)) {
        return motion_fail(in, err, "a turn is given by angle and rate about an axis, or by wx, wy, wz, not by both");
    }
    RPS_TRY(check_quaternion_columns(in, node, err));
    if (has_any(in, ANGLE, 2) != (axis != NULL)) {
        return motion_fail(in, err,
                           axis ? "the drive gives an `axis`, but there is no column `angle` or `rate`"
                                : "angle and rate need the axis of the turn: `table: {file: ..., axis: [0, 0, 1]}`");
    }
    return RPS_OK;
}

static rps_status take_axis(motion_rows *in, const rps_node *node, rps_error *err) {
    const rps_node *axis = rps_node_get(node, "axis");
    double given[3];
    if (!axis) return RPS_OK;
    rps_node_vector(node, "axis", given, 3);
    const rps_vec3 unit = rps_vec3_normalize(rps_vec3_of(given));
    rps_vec3_put(in->axis, unit);
    if (rps_vec3_norm2(unit) > 0.5) return RPS_OK;
    return rps_place_fail(err, axis->place, "the axis of the turn has no length\ngive its direction");
}

static double motion_value(const motion_rows *in, size_t row, int k) {
    const rps_csv_table *table = in->table;
    if (in->column[k] < 0) return 0.0;
    return in->scale[k] * table->value[row * (size_t)table->columns + (size_t)in->column[k]];
}

/* The rotation from each row to the next, as angle times axis in world axes, summed up. */
static rps_status take_quaternions(const motion_rows *in, double (*turn)[3], rps_error *err) {
    rps_quat last = rps_quat_identity();
    for (size_t row = 0; row < in->table->rows; row++) {
        rps_quat q = {motion_value(in, row, QUATERNION), motion_value(in, row, QUATERNION + 1),
                      motion_value(in, row, QUATERNION + 2), motion_value(in, row, QUATERNION + 3)};
        const double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        if (!(fabs(size - 1.0) <= QUATERNION_ROUNDING)) {
            return rps_csv_table_fail(in->table, in->table->line[row], err,
                                      "the quaternion qw, qx, qy, qz has the length %g; that of a rotation has 1",
                                      size);
        }
        q = rps_quat_normalize(q);
        if (row == 0) last = q;
        rps_quat by = rps_quat_mul(q, rps_quat_conjugate(last));
        if (by.w < 0.0) by = (rps_quat){-by.w, -by.x, -by.y, -by.z}; /* the shorter way */
        const rps_vec3 axis = rps_vec3_make(by.x, by.y, by.z);
        const double sine = rps_vec3_norm(axis), angle = 2.0 * rps_atan2(sine, by.w);
        if (angle > LARGEST_TURN) {
            return rps_csv_table_fail(
                in->table, in->table->line[row], err,
                "the body turns by %g degrees from the row before, which may be either way round; "
                "give more rows",
                angle * 180.0 / RPS_PI);
        }
        for (int k = 0; k < 3; k++) turn[row][k] = row > 0 ? turn[row - 1][k] : 0.0;
        if (sine > 0.0) rps_vec3_put(turn[row], rps_vec3_add_scaled(rps_vec3_of(turn[row]), angle / sine, axis));
        last = q;
    }
    return RPS_OK;
}

static rps_status take_vectors(rps_scene *scene, motion_rows *in, rps_error *err) {
    static const int about[2] = {ANGLE, RATE}, straight[2] = {PLACE, SPEED};
    const size_t rows = in->table->rows;
    in->time = rps_pool_take(&scene->pool, (rows + 1) * sizeof *in->time, err);
    if (!in->time) return RPS_NO_MEMORY;
    for (size_t row = 0; row < rows; row++) {
        in->time[row] = motion_value(in, row, TIME);
        if (row == 0 || in->time[row] > in->time[row - 1]) continue;
        return rps_csv_table_fail(in->table, in->table->line[row], err,
                                  "the time %g s does not come after %g s; times must increase from row to row",
                                  in->time[row], in->time[row - 1]);
    }
    if (rows < 2) {
        return rps_csv_table_fail(in->table, in->table->header, err, "%zu rows follow; a motion needs at least two",
                                  rows);
    }
    for (int v = 0; v < 4; v++) {
        const bool spins = v == 3 && has_any(in, SPIN, 3);
        const bool rotates = v == 2 && has_any(in, QUATERNION, 4);
        const bool given = v < 2 ? has_any(in, straight[v], 3) : in->column[about[v - 2]] >= 0 || spins || rotates;
        if (!given) continue;
        in->vector[v] = rps_pool_take(&scene->pool, rows * sizeof *in->vector[v], err);
        if (!in->vector[v]) return RPS_NO_MEMORY;
        if (rotates) RPS_TRY(take_quaternions(in, in->vector[v], err));
        for (size_t row = 0; row < rows && !rotates; row++) {
            for (int k = 0; k < 3; k++) {
                in->vector[v][row][k] = v < 2   ? motion_value(in, row, straight[v] + k)
                                        : spins ? motion_value(in, row, SPIN + k)
                                                : motion_value(in, row, about[v - 2]) * in->axis[k];
            }
        }
    }
    return RPS_OK;
}

static rps_status add_motion(rps_scene *scene, rps_world *world, const rps_node *node, const rps_csv_table *table,
                             int *number, rps_error *err) {
    motion_rows in = {.table = table};
    RPS_TRY(find_columns(&in, node, err));
    RPS_TRY(take_axis(&in, node, err));
    RPS_TRY(take_vectors(scene, &in, err));
    rps_motion_def def = rps_motion_def_default();
    def.name = table->path;
    def.time = in.time;
    def.rows = table->rows;
    def.position = (const double(*)[3])in.vector[0];
    def.velocity = (const double(*)[3])in.vector[1];
    def.turn = (const double(*)[3])in.vector[2];
    def.angular_velocity = (const double(*)[3])in.vector[3];
    const rps_node *how = rps_node_get(node, "interpolation");
    def.linear = how && rps_node_is(how, "linear");
    def.repeat = rps_node_number(node, "repeat", 0.0) != 0.0;
    return rps_world_add_motion(world, &def, number, err);
}

static rps_status read_motion_file(rps_scene *scene, rps_world *world, const rps_node *node, rps_error *err) {
    const rps_node *file = node->kind == RPS_NODE_MAP ? rps_node_get(node, "file") : node;
    const char *path = rps_scene_file_path(scene, file, err);
    rps_scene_motion *motion = rps_pool_take(&scene->pool, sizeof *motion, err);
    rps_csv_table table;
    if (!path || !motion) return RPS_NO_MEMORY;
    *motion = (rps_scene_motion){.node = node, .next = scene->motions};
    rps_status status = rps_csv_table_read(path, &table, err);
    if (status == RPS_OK) status = add_motion(scene, world, node, &table, &motion->number, err);
    rps_csv_table_release(&table);
    RPS_TRY(rps_place_wrap(err, file->place, status));
    scene->motions = motion;
    return rps_scene_note_file(scene, path, err);
}

/* The tables of a drive, or of a body, whose surface may have one. */
static rps_status read_motion_of(rps_scene *scene, rps_world *world, const rps_node *drive, rps_error *err) {
    const rps_node *table = rps_node_get(drive, "table");
    const rps_node *surface = rps_node_get(rps_node_get(drive, "surface_velocity"), "table");
    if (table) RPS_TRY(read_motion_file(scene, world, table, err));
    return surface ? read_motion_file(scene, world, surface, err) : RPS_OK;
}

rps_status rps_build_motions(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *root = scene->text->root;
    const rps_node *list[2] = {rps_node_get(root, "bodies"), rps_node_get(root, "particles")};
    for (int n = 0; n < 2; n++) {
        for (size_t i = 0; list[n] && i < list[n]->count; i++) {
            const rps_node *body = list[n]->entry[i].value;
            RPS_TRY(read_motion_of(scene, world, body, err));
            RPS_TRY(read_motion_of(scene, world, rps_node_get(body, "drive"), err));
        }
    }
    const rps_node *stages = rps_stages_node(scene);
    for (size_t i = 0; stages && i < stages->count; i++) {
        const rps_node *drives = rps_node_get(stages->entry[i].value, "drives");
        for (size_t k = 0; drives && k < drives->count; k++) {
            RPS_TRY(read_motion_of(scene, world, drives->entry[k].value, err));
        }
    }
    return RPS_OK;
}

int rps_motion_of_node(const rps_scene *scene, const rps_node *node) {
    for (const rps_scene_motion *motion = scene->motions; motion && node; motion = motion->next) {
        if (motion->node == node) return motion->number;
    }
    return 0;
}

/* Rows closer than a step are passed over; a step over a good part of the smallest body meets it with a jump. */
static const double RADIUS_PART = 0.1;

void rps_motions_tell_step(const rps_scene *scene, const rps_world *world) {
    double radius = INFINITY;
    if (!scene->log) return;
    for (size_t s = 0; world->motions && s < world->bodies.count; s++) {
        if (world->bodies.kind[s][0] == RPS_BODY_FREE) radius = fmin(radius, world->bodies.pose[s].radius[0]);
    }
    for (size_t k = 0; k < world->motions; k++) {
        const rps_motion_table *table = &world->motion_table[k];
        if (table->shortest < world->step) {
            rps_log_write(
                scene->log, scene->log_context, RPS_LOG_WARNING,
                "%s: rows are %g s apart, closer than the step of %g s, so that steps pass over them; leave rows "
                "out, or make the step shorter",
                table->name, table->shortest, world->step);
        }
        if (table->speed * world->step > RADIUS_PART * radius) {
            rps_log_write(
                scene->log, scene->log_context, RPS_LOG_WARNING,
                "%s: at %g m/s the body moves %g m in a step, more than a tenth of the radius of the smallest "
                "body, %g m; make the step shorter than %g s",
                table->name, table->speed, table->speed * world->step, radius, RADIUS_PART * radius / table->speed);
        }
    }
}
