/* Reads rows into cubics. All are found when the table is added, so that a step evaluates polynomials alone. */
#include "world/motion_table.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "world/world_internal.h"

/* --- in a step ------------------------------------------------------------------------------------------------------ */

/* The row at or before a time, not the last. */
static size_t row_before(const rps_motion_table *table, double time) {
    size_t low = 0, high = table->rows - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (table->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void rps_motion_table_at(const rps_motion_table *table, double time, double value[RPS_MOTION_PARTS],
                         double slope[RPS_MOTION_PARTS]) {
    const double begin = table->time[0], end = table->time[table->rows - 1];
    const bool over = time >= end && !table->repeat;
    double done = 0.0;
    for (int k = 0; k < RPS_MOTION_PARTS; k++) {
        value[k] = over ? table->total[k] : 0.0;
        slope[k] = 0.0;
    }
    if (time < begin || over) return;
    if (time >= end) { /* a later repetition */
        done = floor((time - begin) / (end - begin));
        time -= done * (end - begin);
        time = time < begin ? begin : time > end ? end : time;
    }
    const size_t row = row_before(table, time);
    const double u = time - table->time[row];
    for (int k = 0; k < RPS_MOTION_PARTS; k++) {
        const double *p = table->piece[row].power[k];
        value[k] = done * table->total[k] + (p[0] + u * (p[1] + u * (p[2] + u * p[3])));
        slope[k] = p[1] + u * (2.0 * p[2] + u * (3.0 * p[3]));
    }
}

static const rps_motion_table *table_of_number(const rps_world *world, int number) {
    return number > 0 && (size_t)number <= world->motions ? &world->motion_table[number - 1] : NULL;
}

const rps_motion_table *rps_drive_table(const rps_world *world, const rps_drive *drive) {
    return table_of_number(world, drive->motion);
}

const rps_motion_table *rps_drive_surface_table(const rps_world *world, const rps_drive *drive) {
    return table_of_number(world, drive->surface_motion);
}

bool rps_drive_turns(const rps_world *world, const rps_drive *drive) {
    const rps_motion_table *table = rps_drive_table(world, drive);
    const double *w = drive->angular_velocity;
    return drive->kind == RPS_DRIVE_TORQUE || w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0 || (table && table->turns);
}

/* --- cubics --------------------------------------------------------------------------------------------------------- */

/* One component of the rows: values, slopes, or both. */
typedef struct rows_of {
    const rps_motion_def *def;
    const double (*value)[3], (*slope)[3];
    int component;
} rows_of;

static double chord_slope(const rows_of *in, size_t row) {
    const double *t = in->def->time;
    return (in->value[row + 1][in->component] - in->value[row][in->component]) / (t[row + 1] - t[row]);
}

/* Slope at the end between two intervals of the parabola through three rows; 0 beside an interval at rest. */
static double middle_slope(double width_a, double slope_a, double width_b, double slope_b) {
    if (slope_a == 0.0 || slope_b == 0.0) return 0.0;
    return (width_b * slope_a + width_a * slope_b) / (width_a + width_b);
}

/* The same at the outer end of the first of two intervals. */
static double outer_slope(double width, double slope, double next_width, double next_slope) {
    if (slope == 0.0) return 0.0;
    return ((2.0 * width + next_width) * slope - width * next_slope) / (width + next_width);
}

static double motion_slope_at(const rows_of *in, size_t row) {
    const double *t = in->def->time;
    const size_t last = in->def->rows - 1;
    if (in->slope) return in->slope[row][in->component];
    if (last == 1) return chord_slope(in, 0);
    if (row > 0 && row < last) {
        return middle_slope(t[row] - t[row - 1], chord_slope(in, row - 1), t[row + 1] - t[row], chord_slope(in, row));
    }
    const double first_width = t[1] - t[0], last_width = t[last] - t[last - 1];
    if (in->def->repeat) return middle_slope(last_width, chord_slope(in, last - 1), first_width, chord_slope(in, 0));
    if (row == 0) return outer_slope(first_width, chord_slope(in, 0), t[2] - t[1], chord_slope(in, 1));
    return outer_slope(last_width, chord_slope(in, last - 1), t[last - 1] - t[last - 2], chord_slope(in, last - 2));
}

static void take_component(const rows_of *in, int part, rps_motion_table *table) {
    const double *t = in->def->time;
    double done = 0.0;
    for (size_t row = 0; row + 1 < table->rows; row++) {
        const double width = t[row + 1] - t[row];
        double a, b, chord;
        if (in->value) {
            chord = chord_slope(in, row);
            a = in->def->linear ? chord : motion_slope_at(in, row);
            b = in->def->linear ? chord : motion_slope_at(in, row + 1);
            done = in->value[row][in->component] - in->value[0][in->component];
        } else {
            a = in->slope[row][in->component];
            b = in->slope[row + 1][in->component];
            chord = 0.5 * (a + b);
        }
        double *power = table->piece[row].power[part];
        power[0] = done;
        power[1] = a;
        power[2] = (3.0 * chord - 2.0 * a - b) / width;
        power[3] = (a + b - 2.0 * chord) / (width * width);
        table->along[part] = table->along[part] || a != 0.0 || b != 0.0 || chord != 0.0;
        done += chord * width;
    }
    const size_t last = table->rows - 1;
    table->total[part] = in->value ? in->value[last][in->component] - in->value[0][in->component] : done;
}

static double motion_larger(double a, double b) {
    return a > b ? a : b;
}

/* Largest magnitude of a quadratic a + b u + c u^2 for u from 0 to width. */
static double quadratic_most(double a, double b, double c, double width) {
    const double u = c != 0.0 ? -b / (2.0 * c) : 0.0;
    double most = motion_larger(fabs(a), fabs(a + width * (b + width * c)));
    if (u > 0.0 && u < width) most = motion_larger(most, fabs(a + u * (b + u * c)));
    return most;
}

static void find_bounds(rps_motion_table *table) {
    table->shortest = INFINITY;
    for (size_t row = 0; row + 1 < table->rows; row++) {
        const double width = table->time[row + 1] - table->time[row];
        double v[RPS_MOTION_PARTS];
        for (int k = 0; k < RPS_MOTION_PARTS; k++) {
            const double *p = table->piece[row].power[k];
            v[k] = quadratic_most(p[1], 2.0 * p[2], 3.0 * p[3], width);
        }
        table->speed = motion_larger(table->speed, sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
        table->rate = motion_larger(table->rate, sqrt((v[3] * v[3] + v[4] * v[4]) + v[5] * v[5]));
        if (width < table->shortest) table->shortest = width;
    }
    for (int k = 0; k < 3; k++) {
        table->moves = table->moves || table->along[k];
        table->turns = table->turns || table->along[3 + k];
    }
}

/* --- tables --------------------------------------------------------------------------------------------------------- */

rps_motion_def rps_motion_def_default(void) {
    return (rps_motion_def){.size = sizeof(rps_motion_def)};
}

static const char *motion_name(const rps_motion_def *def) {
    return def->name ? def->name : "the table of motion";
}

static rps_status check_finite_rows(const rps_motion_def *def, const double (*rows)[3], const char *what,
                                    rps_error *err) {
    for (size_t k = 0; rows && k < def->rows; k++) {
        if (rps_finite3(rows[k])) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s in row %zu is not finite", motion_name(def), what, k + 1);
    }
    return RPS_OK;
}

static rps_status check_motion_def(const rps_motion_def *def, rps_error *err) {
    const char *name = motion_name(def);
    if (def->size != sizeof *def) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: size is %u; begin with rps_motion_def_default()", name, def->size);
    }
    if (def->rows < 2 || !def->time) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has %zu rows; a motion needs at least two", name, def->rows);
    }
    if (!def->position && !def->velocity && !def->turn && !def->angular_velocity) {
        return rps_fail(err, RPS_BAD_INPUT, "%s moves nothing: it has no column but the time", name);
    }
    if (def->linear && (def->velocity || def->angular_velocity)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s gives velocities, but linear places have their own; leave one of them out", name);
    }
    for (size_t k = 0; k < def->rows; k++) {
        if (rps_finite(def->time[k]) && (k == 0 || def->time[k] > def->time[k - 1])) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s: the time of row %zu is %g s; times must be finite and increase", name,
                        k + 1, def->time[k]);
    }
    RPS_TRY(check_finite_rows(def, def->position, "the position", err));
    RPS_TRY(check_finite_rows(def, def->velocity, "the velocity", err));
    RPS_TRY(check_finite_rows(def, def->turn, "the turn", err));
    return check_finite_rows(def, def->angular_velocity, "the angular velocity", err);
}

static void motion_release(const rps_allocator *allocator, rps_motion_table *table) {
    if (table->name) rps_string_release(allocator, table->name);
    if (table->time) rps_memory_release(allocator, table->time, table->rows * sizeof *table->time);
    if (table->piece) rps_memory_release(allocator, table->piece, (table->rows - 1) * sizeof *table->piece);
}

static rps_status fill_motion(const rps_allocator *allocator, const rps_motion_def *def, rps_motion_table *table,
                              rps_error *err) {
    void *time, *piece;
    size_t bytes;
    table->rows = def->rows;
    table->repeat = def->repeat != 0;
    RPS_TRY(rps_string_copy(allocator, motion_name(def), &table->name, err));
    RPS_TRY(rps_size_of_items(def->rows, sizeof *table->piece, &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, def->rows * sizeof *table->time, &time, err));
    table->time = time;
    memcpy(time, def->time, def->rows * sizeof *table->time);
    RPS_TRY(rps_memory_alloc(allocator, (def->rows - 1) * sizeof *table->piece, &piece, err));
    table->piece = piece;
    memset(piece, 0, (def->rows - 1) * sizeof *table->piece);
    for (int k = 0; k < 3; k++) {
        const rows_of place = {def, def->position, def->velocity, k}, turn = {def, def->turn, def->angular_velocity, k};
        if (place.value || place.slope) take_component(&place, k, table);
        if (turn.value || turn.slope) take_component(&turn, 3 + k, table);
    }
    find_bounds(table);
    if (rps_finite(table->speed) && rps_finite(table->rate)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: its rows are too close together for their differences", motion_name(def));
}

rps_status rps_world_add_motion(rps_world *world, const rps_motion_def *def, int *number, rps_error *err) {
    void *grown;
    rps_motion_table table = {0};
    RPS_GIVEN(world);
    RPS_GIVEN(def);
    if (world->started) return rps_fail(err, RPS_BAD_INPUT, "tables of motion are added before the first step");
    RPS_TRY(check_motion_def(def, err));
    rps_status status = fill_motion(world->allocator, def, &table, err);
    if (status == RPS_OK) {
        status = rps_list_grown(world->allocator, world->motion_table, world->motions, sizeof table, &grown, err);
    }
    if (status != RPS_OK) {
        motion_release(world->allocator, &table);
        return status;
    }
    rps_list_keep(world->allocator, world->motion_table, world->motions, sizeof table, grown);
    world->motion_table = grown;
    world->motion_table[world->motions++] = table;
    if (number) *number = (int)world->motions;
    return RPS_OK;
}

void rps_motion_tables_release(rps_world *world) {
    for (size_t k = 0; k < world->motions; k++) motion_release(world->allocator, &world->motion_table[k]);
    rps_list_release(world->allocator, world->motion_table, world->motions, sizeof *world->motion_table);
    world->motion_table = NULL;
    world->motions = 0;
}
