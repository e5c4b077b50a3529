/* Surfaces and planes of a report. A body is rigid, so that its points are written once, in its own axes, where the scene keeps places
 * and turns of bodies; elsewhere they are written for each frame. */
#include "report_frames.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"

/* --- run.h5 -------------------------------------------------------------------------------------------------------- */

/* Rows of a dataset of the group /surface. */
static rps_status report_rows(report_frames *frames, const char *name, hid_t type, hsize_t first, hsize_t rows,
                              hsize_t width, void *out, rps_error *err) {
    if (rows == 0) return RPS_OK;
    const hsize_t start[2] = {first, 0}, count[2] = {rows, width};
    rps_h5_session session;
    rps_h5_begin(&session);
    const hid_t dataset = H5Dopen2(rps_results_reader_file(frames->reader), name, H5P_DEFAULT);
    const hid_t in_file = dataset >= 0 ? H5Dget_space(dataset) : -1;
    const hid_t in_memory = H5Screate_simple(width > 1 ? 2 : 1, count, NULL);
    const bool good = in_file >= 0 && in_memory >= 0 && H5Sget_simple_extent_ndims(in_file) == (width > 1 ? 2 : 1) &&
                      H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, out) >= 0;
    const rps_status status = good ? RPS_OK : rps_h5_damaged(err, "read surfaces of", RPS_FRAMES_FILE);
    if (in_memory >= 0) H5Sclose(in_memory);
    if (in_file >= 0) H5Sclose(in_file);
    if (dataset >= 0) H5Dclose(dataset);
    rps_h5_end(&session);
    return status;
}

static bool report_has(const report_frames *frames, const char *name) {
    rps_h5_session session;
    rps_h5_begin(&session);
    const bool has = H5Lexists(rps_results_reader_file(frames->reader), name, H5P_DEFAULT) > 0;
    rps_h5_end(&session);
    return has;
}

/* One row of the index: offset, points, triangles. */
static rps_status report_index(report_frames *frames, size_t index, uint64_t row[3], rps_error *err) {
    static const char *const name[3] = {"surface/frames/offset", "surface/frames/points", "surface/frames/triangles"};
    row[0] = row[1] = row[2] = 0;
    if (frames->surfaces_left_out || !report_has(frames, "surface")) return RPS_OK;
    for (int k = 0; k < 3; k++) RPS_TRY(report_rows(frames, name[k], H5T_NATIVE_UINT64, index, 1, 1, &row[k], err));
    if (row[1] > INT32_MAX || row[2] > INT32_MAX) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "frame %zu has %llu points of surfaces, more than any frame can: " RPS_FRAMES_FILE
                        " is damaged",
                        index, (unsigned long long)row[1]);
    }
    return RPS_OK;
}

rps_status report_count_points(report_frames *frames, double *sum, double *most, rps_error *err) {
    uint64_t row[3];
    *sum = *most = 0.0;
    for (size_t f = 0; f < frames->count; f++) {
        RPS_TRY(report_index(frames, f, row, err));
        *sum += (double)row[1];
        *most = (double)row[1];
    }
    return RPS_OK;
}

/* Places of the points of surfaces into frames->value, with room for `more` bytes for each behind them. */
static rps_status report_points(report_frames *frames, size_t index, size_t more, rps_error *err) {
    uint64_t row[3];
    size_t bytes;
    RPS_TRY(report_index(frames, index, row, err));
    frames->points = (size_t)row[1];
    frames->triangles = (size_t)row[2];
    RPS_TRY(rps_size_of_items(frames->points, 3 * sizeof(double) + more, &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    return report_rows(frames, "surface/points/position", H5T_NATIVE_DOUBLE, row[0], row[1], 3, frames->value, err);
}

rps_status report_frames_points(report_frames *frames, size_t index, const double **place, const int32_t **owner,
                                rps_error *err) {
    *place = NULL;
    *owner = NULL;
    RPS_TRY(report_points(frames, index, sizeof(int32_t), err));
    if (frames->points == 0) return RPS_OK;
    double *at = frames->value;
    int32_t *id = (int32_t *)(at + 3 * frames->points);
    *place = at;
    *owner = id;
    return report_rows(frames, "surface/vertices/id", H5T_NATIVE_INT32, 0, frames->points, 1, id, err);
}

/* --- points in the axes of their bodies ----------------------------------------------------------------------------- */

/* Columns of all bodies of a frame: room in one buffer. */
typedef struct report_bodies {
    void *memory;
    size_t bytes, count;
    double *place, *turn;
    int32_t *kind;
    uint64_t *id; /* ascending */
} report_bodies;

static rps_status report_read_all(report_frames *frames, size_t index, report_bodies *b, rps_error *err) {
    const size_t n = (size_t)frames->frame[index].bodies;
    size_t bytes;
    b->count = n;
    RPS_TRY(rps_size_of_items(n + 1, 7 * sizeof(double) + 2 * sizeof(uint64_t), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &b->memory, &b->bytes, 0, bytes, err));
    b->place = b->memory;
    b->turn = b->place + 3 * n;
    b->id = (uint64_t *)(b->turn + 4 * n);
    b->kind = (int32_t *)(b->id + n);
    RPS_TRY(report_read_bodies(frames, "position", index, 3, b->place, err));
    RPS_TRY(report_read_bodies(frames, "orientation", index, 4, b->turn, err));
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "id", index, b->id, n * sizeof *b->id, err));
    memset(b->kind, 0, n * sizeof *b->kind);
    if (report_has_column(frames, RPS_RESULTS_BODIES, "kind")) {
        RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "kind", index, b->kind, n * sizeof *b->kind, err));
    }
    return RPS_OK;
}

static rps_quat report_turn(const report_bodies *b, size_t row) {
    const double *q = b->turn + 4 * row;
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* The row of a body; the number of bodies if it is not there. */
static size_t report_row(const report_bodies *b, int32_t id) {
    size_t low = 0, high = b->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b->id[middle] < (uint64_t)id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < b->count && b->id[low] == (uint64_t)id ? low : b->count;
}

/* Sets frames->rigid if the bodies of all points are there. */
static rps_status report_turn_back(report_frames *frames, const report_bodies *b, const double *place,
                                   const int32_t *owner, rps_error *err) {
    const size_t points = frames->points;
    RPS_TRY(rps_buffer_reserve(NULL, &frames->local, &frames->local_bytes, 0, 3 * points * sizeof(float), err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->owner, &frames->owner_bytes, 0, points * sizeof(int32_t), err));
    void *held = frames->held;
    const rps_status status = rps_buffer_reserve(NULL, &held, &frames->held_bytes, 0, points * sizeof(bool), err);
    frames->held = held;
    RPS_TRY(status);
    memcpy(frames->owner, owner, points * sizeof(int32_t));
    float *local = frames->local;
    for (size_t n = 0; n < points; n++) {
        const size_t row = report_row(b, owner[n]);
        if (row == b->count) return RPS_OK;
        const rps_vec3 from = rps_vec3_sub(rps_vec3_of(place + 3 * n), rps_vec3_of(b->place + 3 * row));
        const rps_vec3 back = rps_quat_rotate_inverse(report_turn(b, row), from);
        local[3 * n] = (float)back.x;
        local[3 * n + 1] = (float)back.y;
        local[3 * n + 2] = (float)back.z;
        frames->held[n] = b->kind[row] != 0;
    }
    frames->local_points = points;
    frames->rigid = true;
    return RPS_OK;
}

rps_status report_find_local(report_frames *frames, rps_error *err) {
    static const char *const needed[] = {"position", "orientation", "id", "radius"};
    report_bodies bodies = {0};
    const double *place;
    const int32_t *owner;
    frames->rigid = false;
    if (frames->count == 0) return RPS_OK;
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        if (!report_has_column(frames, RPS_RESULTS_BODIES, needed[k])) return RPS_OK;
    }
    RPS_TRY(report_frames_points(frames, frames->count - 1, &place, &owner, err));
    if (frames->points == 0) return RPS_OK;
    rps_status status = report_read_all(frames, frames->count - 1, &bodies, err);
    if (status == RPS_OK) status = report_turn_back(frames, &bodies, place, owner, err);
    rps_buffer_release(NULL, &bodies.memory, &bodies.bytes);
    return status;
}

/* --- a frame ------------------------------------------------------------------------------------------------------- */

void report_widen_box(report_frames *frames, const double *place, double radius) {
    for (int k = 0; k < 3; k++) {
        if (!report_is_place(place)) continue;
        frames->low[k] = fmin(frames->low[k], place[k] - radius);
        frames->high[k] = fmax(frames->high[k], place[k] + radius);
    }
}

/* The box around the points of bodies that are held. */
static rps_status report_box_of_rigid(report_frames *frames, size_t index, rps_error *err) {
    report_bodies b = {0};
    const float *local = frames->local;
    const int32_t *owner = frames->owner;
    rps_status status = report_read_all(frames, index, &b, err);
    size_t row = b.count;
    for (size_t n = 0; status == RPS_OK && n < frames->points; n++) {
        if (n == 0 || owner[n] != owner[n - 1]) row = report_row(&b, owner[n]);
        if (row == b.count || !frames->held[n]) continue;
        const rps_vec3 at = rps_vec3_make(local[3 * n], local[3 * n + 1], local[3 * n + 2]);
        double place[3];
        rps_vec3_put(place, rps_vec3_add(rps_vec3_of(b.place + 3 * row), rps_quat_rotate(report_turn(&b, row), at)));
        report_widen_box(frames, place, 0.0);
    }
    rps_buffer_release(NULL, &b.memory, &b.bytes);
    return status;
}

rps_status report_surface(report_frames *frames, size_t index, rps_error *err) {
    if (frames->rigid) {
        uint64_t row[3];
        RPS_TRY(report_index(frames, index, row, err));
        frames->points = row[1] < frames->local_points ? (size_t)row[1] : frames->local_points;
        frames->triangles = (size_t)row[2];
        return frames->points ? report_box_of_rigid(frames, index, err) : RPS_OK;
    }
    RPS_TRY(report_points(frames, index, 0, err));
    const double *place = frames->value;
    for (size_t n = 0; n < frames->points; n++) report_widen_box(frames, place + 3 * n, 0.0);
    for (size_t k = 0; k < 3 && frames->points > 0; k++) {
        RPS_TRY(report_pack(frames, place + k, frames->points, 3, err));
    }
    return RPS_OK;
}

rps_status report_frames_make_corners(report_frames *frames, rps_error *err) {
    size_t bytes;
    const size_t points = frames->points, corners = 3 * frames->triangles;
    rps_text_clear(&frames->block);
    RPS_TRY(rps_size_of_items(points > corners ? points : corners, sizeof(uint32_t), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    RPS_TRY(report_rows(frames, "surface/vertices/id", H5T_NATIVE_INT32, 0, points, 1, frames->value, err));
    RPS_TRY(report_add(frames, frames->value, points * sizeof(int32_t), err));
    RPS_TRY(report_rows(frames, "surface/triangles/points", H5T_NATIVE_UINT32, 0, frames->triangles, 3, frames->value,
                        err));
    for (size_t n = 0; n < corners; n++) {
        if (((const uint32_t *)frames->value)[n] < points) continue;
        return rps_fail(err, RPS_BAD_INPUT, "a triangle has a point that is not there: " RPS_FRAMES_FILE " is damaged");
    }
    RPS_TRY(report_add(frames, frames->value, corners * sizeof(uint32_t), err));
    return frames->rigid ? report_add(frames, frames->local, 3 * points * sizeof(float), err) : RPS_OK;
}

rps_status report_frames_write_corners(report_frames *frames, rps_replacement *out, rps_error *err) {
    if (frames->points == 0) return RPS_OK;
    RPS_TRY(report_frames_make_corners(frames, err));
    return report_write_block(frames, "surface", out, err);
}

/* --- planes -------------------------------------------------------------------------------------------------------- */

/* Planes are the bodies of radius 0. A page without them is right where the scene leaves out what they need. */
static bool report_knows_planes(const report_frames *frames) {
    return report_has_column(frames, RPS_RESULTS_BODIES, "position") &&
           report_has_column(frames, RPS_RESULTS_BODIES, "radius") &&
           report_has_column(frames, RPS_RESULTS_BODIES, "orientation");
}

rps_status report_frames_planes(report_frames *frames, size_t index, rps_json *json, rps_error *err) {
    const size_t items = (size_t)frames->frame[index].bodies;
    size_t bytes;
    if (!report_knows_planes(frames)) return RPS_OK;
    RPS_TRY(rps_size_of_items(items, 8 * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    double *radius = frames->value, *place = radius + items, *turn = place + 3 * items;
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "radius", index, radius, bytes / 8, err));
    size_t planes = 0;
    for (size_t n = 0; n < items; n++) planes += radius[n] == 0.0;
    if (planes == 0) return RPS_OK;
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "position", index, place, 3 * bytes / 8, err));
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "orientation", index, turn, bytes / 2, err));
    rps_json_open(json, "planes", '[', true);
    for (size_t n = 0; n < items; n++) {
        if (radius[n] != 0.0) continue;
        const double *q = turn + 4 * n;
        const rps_vec3 normal = rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, rps_vec3_make(0.0, 0.0, 1.0));
        rps_json_open(json, NULL, '[', true);
        for (int k = 0; k < 3; k++) rps_json_number(json, NULL, place[3 * n + (size_t)k]);
        rps_json_number(json, NULL, normal.x);
        rps_json_number(json, NULL, normal.y);
        rps_json_number(json, NULL, normal.z);
        rps_json_close(json, ']');
    }
    rps_json_close(json, ']');
    return RPS_OK;
}
