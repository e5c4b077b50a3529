/* Frames of a report: which columns and frames are written, and how their numbers are packed. */
#include "report_frames.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/vec.h"

/* More bytes than these, before they are deflated, would take a browser long to open. */
static const double report_bytes_most = 256e6;

/* Columns of the two parts, in the order of rps_results_part. */
static const char *const report_column[REPORT_PARTS][RPS_COLUMNS] = {{"position", "sphere_radius", "radius", "velocity",
                                                                      "angular_velocity", "force", "mass", "id", "kind",
                                                                      "material", "group", "shape"},
                                                                     {"id_i", "id_j", "line", "normal_load"}};

static bool report_has_column(const report_frames *frames, int part, const char *name) {
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, part, c)) != NULL; c++) {
        if (strcmp(name, column->name) == 0) return true;
    }
    return false;
}

static bool report_wants(const report_frames *frames, int part, const char *name) {
    /* where the scene keeps the force of contacts alone */
    if (part == RPS_RESULTS_CONTACTS && strcmp(name, "force") == 0) {
        return !report_has_column(frames, part, "normal_load");
    }
    for (int k = 0; k < RPS_COLUMNS && report_column[part][k]; k++) {
        if (strcmp(name, report_column[part][k]) == 0) return true;
    }
    return false;
}

static size_t report_items(const report_frames *frames, int part, size_t index) {
    const rps_frame *frame = &frames->frame[index];
    return (size_t)(part == RPS_RESULTS_BODIES ? frame->bodies : frame->contacts);
}

static void report_choose(report_frames *frames) {
    double bytes = 0.0;
    for (int part = 0; part < REPORT_PARTS; part++) {
        double row = 0.0;
        const rps_column *column;
        for (size_t c = 0; (column = rps_results_reader_column(frames->reader, part, c)) != NULL; c++) {
            frames->range[part][c] = (report_range){report_wants(frames, part, column->name), INFINITY, -INFINITY};
            if (!frames->range[part][c].chosen) continue;
            row += column->rows * column->components * (column->type == RPS_TYPE_double ? 2.0 : 4.0);
        }
        for (size_t f = 0; f < frames->count; f++) bytes += row * (double)report_items(frames, part, f);
    }
    frames->stride = bytes > report_bytes_most ? (size_t)ceil(bytes / report_bytes_most) : 1;
}

rps_status report_frames_open(report_frames *frames, const char *directory, rps_error *err) {
    memset(frames, 0, sizeof *frames);
    rps_text_init(&frames->block, NULL, (size_t)1 << 40);
    for (int k = 0; k < 3; k++) {
        frames->low[k] = INFINITY;
        frames->high[k] = -INFINITY;
    }
    RPS_TRY(rps_results_open(directory, NULL, &frames->reader, err));
    frames->frame = rps_results_reader_frames(frames->reader, &frames->count);
    report_choose(frames);
    return RPS_OK;
}

void report_frames_release(report_frames *frames) {
    rps_results_reader_close(frames->reader);
    rps_text_release(&frames->block);
    rps_buffer_release(NULL, &frames->value, &frames->value_bytes);
    rps_buffer_release(NULL, &frames->packed, &frames->packed_bytes);
}

size_t report_frames_first(const report_frames *frames) {
    return frames->count ? (frames->count - 1) % frames->stride : 0;
}

/* --- packing ------------------------------------------------------------------------------------------------------- */

/* Bytes of the page are little-endian, as those of all machines that this runs on. */
static rps_status report_add(report_frames *frames, const void *bytes, size_t n, rps_error *err) {
    return rps_text_add_bytes(&frames->block, bytes, n, err);
}

/* One component of `count` items, `width` apart. A number that is not finite becomes the least. */
static rps_status report_pack(report_frames *frames, const double *value, size_t count, size_t width, rps_error *err) {
    double end[2] = {INFINITY, -INFINITY};
    for (size_t n = 0; n < count; n++) {
        const double x = value[n * width];
        if (!isfinite(x)) continue;
        end[0] = fmin(end[0], x);
        end[1] = fmax(end[1], x);
    }
    if (end[0] > end[1]) end[0] = end[1] = 0.0;
    RPS_TRY(report_add(frames, end, sizeof end, err));
    const double scale = end[1] > end[0] ? 65535.0 / (end[1] - end[0]) : 0.0;
    for (size_t n = 0; n < count; n++) {
        const double x = value[n * width];
        const uint16_t packed = isfinite(x) ? (uint16_t)lround((x - end[0]) * scale) : 0;
        RPS_TRY(report_add(frames, &packed, sizeof packed, err));
    }
    return RPS_OK;
}

static void report_widen(report_range *range, double value) {
    if (!isfinite(value)) return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static rps_status report_whole(report_frames *frames, const rps_column *column, report_range *range, size_t count,
                               rps_error *err) {
    for (size_t n = 0; n < count; n++) {
        int32_t small;
        if (column->type == RPS_TYPE_int32) {
            memcpy(&small, (const char *)frames->value + n * sizeof small, sizeof small);
        } else {
            uint64_t large;
            memcpy(&large, (const char *)frames->value + n * sizeof large, sizeof large);
            small = large < INT32_MAX ? (int32_t)large : INT32_MAX;
        }
        report_widen(range, small);
        RPS_TRY(report_add(frames, &small, sizeof small, err));
    }
    return RPS_OK;
}

static rps_status report_columns(report_frames *frames, int part, size_t index, rps_error *err) {
    const size_t items = report_items(frames, part, index);
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, part, c)) != NULL; c++) {
        report_range *range = &frames->range[part][c];
        if (!range->chosen) continue;
        const size_t width = (size_t)column->components, count = items * (size_t)column->rows;
        size_t bytes;
        RPS_TRY(rps_size_of_items(count * width, rps_type_bytes(column->type), &bytes, err));
        RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
        RPS_TRY(rps_results_read(frames->reader, part, column->name, index, frames->value, bytes, err));
        if (column->type != RPS_TYPE_double) {
            RPS_TRY(report_whole(frames, column, range, count * width, err));
            continue;
        }
        const double *value = frames->value;
        for (size_t n = 0; n < count; n++) {
            double square = 0.0;
            for (size_t k = 0; k < width; k++) square += value[n * width + k] * value[n * width + k];
            report_widen(range, width > 1 ? sqrt(square) : value[n]);
        }
        for (size_t k = 0; k < width; k++) RPS_TRY(report_pack(frames, value + k, count, width, err));
    }
    return RPS_OK;
}

/* --- surfaces ------------------------------------------------------------------------------------------------------ */

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

static rps_status report_surface(report_frames *frames, size_t index, rps_error *err) {
    uint64_t offset, points, triangles;
    size_t bytes;
    frames->points = frames->triangles = 0;
    if (!report_has(frames, "surface")) return RPS_OK;
    RPS_TRY(report_rows(frames, "surface/frames/offset", H5T_NATIVE_UINT64, index, 1, 1, &offset, err));
    RPS_TRY(report_rows(frames, "surface/frames/points", H5T_NATIVE_UINT64, index, 1, 1, &points, err));
    RPS_TRY(report_rows(frames, "surface/frames/triangles", H5T_NATIVE_UINT64, index, 1, 1, &triangles, err));
    if (points > UINT32_MAX || triangles > UINT32_MAX) {
        return rps_fail(err, RPS_BAD_INPUT, "the surfaces of frame %zu are too large to draw", index);
    }
    RPS_TRY(rps_size_of_items((size_t)points, 3 * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    double *place = frames->value;
    RPS_TRY(report_rows(frames, "surface/points/position", H5T_NATIVE_DOUBLE, offset, points, 3, place, err));
    for (size_t n = 0; n < 3 * (size_t)points; n++) {
        if (!isfinite(place[n])) continue;
        frames->low[n % 3] = fmin(frames->low[n % 3], place[n]);
        frames->high[n % 3] = fmax(frames->high[n % 3], place[n]);
    }
    for (size_t k = 0; k < 3 && points > 0; k++) RPS_TRY(report_pack(frames, place + k, (size_t)points, 3, err));
    frames->points = (size_t)points;
    frames->triangles = (size_t)triangles;
    return RPS_OK;
}

/* Bodies of points and corners of triangles: those of a frame are the first of the last frame's. */
static rps_status report_corners(report_frames *frames, rps_error *err) {
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
    return report_add(frames, frames->value, corners * sizeof(uint32_t), err);
}

/* --- planes -------------------------------------------------------------------------------------------------------- */

/* Planes are the bodies of radius 0. A page without them is right where the scene leaves out what they need. */
static bool report_knows_planes(const report_frames *frames) {
    return report_has_column(frames, RPS_RESULTS_BODIES, "position") &&
           report_has_column(frames, RPS_RESULTS_BODIES, "radius") &&
           report_has_column(frames, RPS_RESULTS_BODIES, "orientation");
}

rps_status report_frames_planes(report_frames *frames, size_t index, rps_json *json, rps_error *err) {
    const size_t items = report_items(frames, RPS_RESULTS_BODIES, index);
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

/* --- the page ------------------------------------------------------------------------------------------------------ */

static void report_base64(const unsigned char *byte, size_t n, rps_replacement *out) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[4096];
    size_t length = 0;
    for (size_t k = 0; k < n; k += 3) {
        const uint32_t next = k + 1 < n ? byte[k + 1] : 0, last = k + 2 < n ? byte[k + 2] : 0;
        const uint32_t three = (uint32_t)byte[k] << 16 | next << 8 | last;
        line[length++] = digit[three >> 18];
        line[length++] = digit[three >> 12 & 63];
        line[length++] = k + 1 < n ? digit[three >> 6 & 63] : '=';
        line[length++] = k + 2 < n ? digit[three & 63] : '=';
        if (length < sizeof line) continue;
        rps_replacement_write(out, line, length);
        length = 0;
    }
    rps_replacement_write(out, line, length);
}

/* The box around bodies with a radius; planes have none. */
static rps_status report_box(report_frames *frames, size_t index, rps_error *err) {
    const size_t items = report_items(frames, RPS_RESULTS_BODIES, index);
    const char *name = report_has_column(frames, RPS_RESULTS_BODIES, "sphere_radius") ? "sphere_radius" : "radius";
    const bool knows = report_has_column(frames, RPS_RESULTS_BODIES, name);
    size_t bytes;
    RPS_TRY(rps_size_of_items(items, 4 * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    double *place = frames->value, *radius = place + 3 * items;
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "position", index, place, 3 * bytes / 4, err));
    if (knows) RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, name, index, radius, bytes / 4, err));
    for (size_t n = 0; n < 3 * items; n++) {
        const double r = knows ? radius[n / 3] : 0.0;
        if ((knows && !(r > 0.0)) || !isfinite(place[n])) continue;
        frames->low[n % 3] = fmin(frames->low[n % 3], place[n] - r);
        frames->high[n % 3] = fmax(frames->high[n % 3], place[n] + r);
    }
    return RPS_OK;
}

/* Deflates the block and writes it below its name. */
static rps_status report_write_block(report_frames *frames, const char *id, rps_replacement *out, rps_error *err) {
    char head[96];
    uLongf bytes = compressBound((uLong)frames->block.length);
    RPS_TRY(rps_buffer_reserve(NULL, &frames->packed, &frames->packed_bytes, 0, bytes, err));
    if (compress2(frames->packed, &bytes, (const Bytef *)rps_text_string(&frames->block), (uLong)frames->block.length,
                  6) != Z_OK) {
        return rps_fail(err, RPS_NO_MEMORY, "no memory to compress the block %s of the page", id);
    }
    snprintf(head, sizeof head, "<script type=\"text/plain\" id=\"%s\">", id);
    rps_replacement_write(out, head, strlen(head));
    report_base64(frames->packed, bytes, out);
    rps_replacement_write(out, "</script>\n", 10);
    return RPS_OK;
}

rps_status report_frames_write(report_frames *frames, size_t index, size_t number, rps_replacement *out,
                               rps_error *err) {
    char id[32];
    rps_text_clear(&frames->block);
    RPS_TRY(report_box(frames, index, err));
    for (int part = 0; part < REPORT_PARTS; part++) RPS_TRY(report_columns(frames, part, index, err));
    RPS_TRY(report_surface(frames, index, err));
    snprintf(id, sizeof id, "frame-%zu", number);
    return report_write_block(frames, id, out, err);
}

rps_status report_frames_write_corners(report_frames *frames, rps_replacement *out, rps_error *err) {
    if (frames->points == 0) return RPS_OK;
    RPS_TRY(report_corners(frames, err));
    return report_write_block(frames, "surface", out, err);
}

bool report_frames_drawable(const report_frames *frames) {
    return report_has_column(frames, RPS_RESULTS_BODIES, "position");
}

void report_frames_describe(const report_frames *frames, rps_json *json) {
    static const char *const name[REPORT_PARTS] = {"bodies", "contacts"};
    const bool empty = !(frames->low[0] <= frames->high[0]);
    for (int part = 0; part < REPORT_PARTS; part++) {
        const rps_column *column;
        rps_json_open(json, name[part], '[', false);
        for (size_t c = 0; frames->reader && (column = rps_results_reader_column(frames->reader, part, c)) != NULL;
             c++) {
            const report_range *range = &frames->range[part][c];
            if (!range->chosen) continue;
            rps_json_open(json, NULL, '{', true);
            rps_json_string(json, "name", column->name);
            rps_json_string(json, "unit", column->unit);
            rps_json_integer(json, "components", (uint64_t)(column->components * column->rows));
            rps_json_integer(json, "width", (uint64_t)column->components);
            rps_json_boolean(json, "whole", column->type != RPS_TYPE_double);
            rps_json_number(json, "low", range->low <= range->high ? range->low : 0.0);
            rps_json_number(json, "high", range->low <= range->high ? range->high : 1.0);
            rps_json_close(json, '}');
        }
        rps_json_close(json, ']');
    }
    rps_json_open(json, "low", '[', true);
    for (int k = 0; k < 3; k++) rps_json_number(json, NULL, empty ? -1.0 : frames->low[k]);
    rps_json_close(json, ']');
    rps_json_open(json, "high", '[', true);
    for (int k = 0; k < 3; k++) rps_json_number(json, NULL, empty ? 1.0 : frames->high[k]);
    rps_json_close(json, ']');
}

rps_status report_frames_text(const report_frames *frames, const char *name, void **text, size_t *capacity,
                              rps_error *err) {
    rps_status status = rps_buffer_reserve(NULL, text, capacity, 0, 1, err);
    if (status != RPS_OK) return status;
    *(char *)*text = '\0';
    rps_h5_session session;
    rps_h5_begin(&session);
    const hid_t dataset = H5Dopen2(rps_results_reader_file(frames->reader), name, H5P_DEFAULT);
    const hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        const size_t bytes = H5Tget_size(type);
        status = rps_buffer_reserve(NULL, text, capacity, 0, bytes + 1, err);
        if (status == RPS_OK && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) {
            status = rps_h5_damaged(err, "read the scene of", RPS_FRAMES_FILE);
        }
        if (status == RPS_OK) ((char *)*text)[bytes] = '\0';
    }
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
    rps_h5_end(&session);
    return status;
}
