/* How numbers of a frame are packed: columns, the strongest contacts, and blocks of the page. */
#include "report_frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { REPORT_LEVEL = 5, REPORT_BINS = 1 << 16, REPORT_NO_NUMBER = 65535 };

bool report_has_column(const report_frames *frames, int part, const char *name) {
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, part, c)) != NULL; c++) {
        if (strcmp(name, column->name) == 0) return true;
    }
    return false;
}

rps_status report_read_bodies(report_frames *frames, const char *name, size_t index, size_t components, double *out,
                              rps_error *err) {
    const size_t bytes = (size_t)frames->frame[index].bodies * components * sizeof *out;
    return rps_results_read(frames->reader, RPS_RESULTS_BODIES, name, index, out, bytes, err);
}

/* Bytes of the page are little-endian, as those of all machines that this runs on. */
rps_status report_add(report_frames *frames, const void *bytes, size_t n, rps_error *err) {
    return rps_text_add_bytes(&frames->block, bytes, n, err);
}

/* --- columns ------------------------------------------------------------------------------------------------------- */

/* Space for `n` bytes in frames->packed. */
static rps_status report_space(report_frames *frames, size_t n, unsigned char **out, rps_error *err) {
    RPS_TRY(rps_buffer_reserve(NULL, &frames->packed, &frames->packed_bytes, 0, n + 1, err));
    *out = frames->packed;
    return RPS_OK;
}

rps_status report_pack(report_frames *frames, const double *value, size_t count, size_t width, rps_error *err) {
    double end[2] = {INFINITY, -INFINITY};
    unsigned char *plane;
    RPS_TRY(report_space(frames, 2 * count, &plane, err));
    for (size_t n = 0; n < count; n++) {
        const double x = value[n * width];
        if (!isfinite(x)) continue;
        end[0] = fmin(end[0], x);
        end[1] = fmax(end[1], x);
    }
    if (end[0] > end[1]) end[0] = end[1] = 0.0;
    const double scale = end[1] > end[0] ? (REPORT_NO_NUMBER - 1) / (end[1] - end[0]) : 0.0;
    for (size_t n = 0; n < count; n++) {
        const double x = value[n * width];
        const uint16_t packed = isfinite(x) ? (uint16_t)((x - end[0]) * scale + 0.5) : REPORT_NO_NUMBER;
        plane[n] = (unsigned char)(packed & 255);
        plane[count + n] = (unsigned char)(packed >> 8);
    }
    RPS_TRY(report_add(frames, end, sizeof end, err));
    return report_add(frames, plane, 2 * count, err);
}

static void report_widen(report_range *range, double value) {
    range->odd = range->odd || !isfinite(value);
    if (!isfinite(value)) return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static rps_status report_whole(report_frames *frames, const rps_column *column, report_range *range, size_t count,
                               rps_error *err) {
    unsigned char *plane;
    RPS_TRY(report_space(frames, 4 * count, &plane, err));
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
        for (size_t k = 0; k < 4; k++) plane[k * count + n] = (unsigned char)((uint32_t)small >> (8 * k) & 255);
    }
    return report_add(frames, plane, 4 * count, err);
}

/* The number that the page colors by: a value, the length of a vector, the pressure of a tensor. */
static double report_scalar(const double *value, size_t width) {
    double square = 0.0;
    if (width == 1) return value[0];
    if (width == 6) return -(value[0] + value[3] + value[5]) / 3.0; /* xx xy xz yy yz zz */
    for (size_t k = 0; k < width; k++) square += value[k] * value[k];
    return sqrt(square);
}

static rps_status report_doubles(report_frames *frames, report_range *range, size_t count, size_t width,
                                 rps_error *err) {
    const double *value = frames->value;
    for (size_t n = 0; n < count; n++) report_widen(range, report_scalar(value + n * width, width));
    for (size_t k = 0; k < width; k++) RPS_TRY(report_pack(frames, value + k, count, width, err));
    return RPS_OK;
}

/* Moves the rows of the contacts that are kept to the front. */
static void report_gather(report_frames *frames, size_t row_bytes) {
    const uint32_t *kept = frames->kept;
    char *value = frames->value;
    for (size_t n = 0; n < frames->contacts; n++) {
        memmove(value + n * row_bytes, value + kept[n] * row_bytes, row_bytes);
    }
}

/* A column with the number of its frame; that of an earlier one, without values, where they are the same. */
static rps_status report_column(report_frames *frames, int part, size_t c, size_t index, size_t number,
                                rps_error *err) {
    const rps_column *column = rps_results_reader_column(frames->reader, part, c);
    report_range *range = &frames->range[part][c];
    const rps_frame *frame = &frames->frame[index];
    const uint64_t count[REPORT_PARTS] = {frame->bodies, frame->contacts, frame->bonds};
    const size_t all = (size_t)count[part], items = part == RPS_RESULTS_CONTACTS ? frames->contacts : all;
    const size_t width = (size_t)column->components, rows = (size_t)column->rows;
    const uint32_t own = (uint32_t)number;
    size_t bytes;
    RPS_TRY(rps_size_of_items(all * rows * width, rps_type_bytes(column->type), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    RPS_TRY(rps_results_read(frames->reader, part, column->name, index, frames->value, bytes, err));
    if (items < all) report_gather(frames, rows * width * rps_type_bytes(column->type));
    RPS_TRY(report_add(frames, &own, sizeof own, err));
    const size_t begin = frames->block.length;
    if (column->type == RPS_TYPE_double) {
        report_drop_lost(frames, column, part, items, frames->value);
        RPS_TRY(report_doubles(frames, range, items * rows, width, err));
    } else {
        RPS_TRY(report_whole(frames, column, range, items * rows * width, err));
    }
    if (frames->alone) return RPS_OK;
    char *values = frames->block.data + begin;
    const size_t length = frames->block.length - begin;
    if (number > 0 && length == range->last_bytes && length > 0 && memcmp(values, range->last, length) == 0) {
        memcpy(values - sizeof own, &range->where, sizeof own);
        frames->block.length = begin;
        return RPS_OK;
    }
    RPS_TRY(rps_buffer_reserve(NULL, &range->last, &range->last_capacity, 0, length + 1, err));
    if (length > 0) memcpy(range->last, values, length);
    range->last_bytes = length;
    range->where = own;
    return RPS_OK;
}

rps_status report_columns(report_frames *frames, int part, size_t index, size_t number, rps_error *err) {
    for (size_t c = 0; rps_results_reader_column(frames->reader, part, c) != NULL; c++) {
        if (frames->range[part][c].chosen) RPS_TRY(report_column(frames, part, c, index, number, err));
    }
    return RPS_OK;
}

/* --- the strongest contacts ---------------------------------------------------------------------------------------- */

/* Loads of contacts into frames->value: of the normal, or the length of the force. */
static rps_status report_loads(report_frames *frames, size_t index, size_t count, rps_error *err) {
    const bool normal = report_has_column(frames, RPS_RESULTS_CONTACTS, "normal_load");
    const bool known = normal || report_has_column(frames, RPS_RESULTS_CONTACTS, "force");
    const size_t width = normal ? 1 : 3, bytes = count * width * sizeof(double);
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    double *load = frames->value;
    if (!known) {
        for (size_t n = 0; n < count; n++) load[n] = 1.0;
        return RPS_OK;
    }
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_CONTACTS, normal ? "normal_load" : "force", index, load, bytes,
                             err));
    for (size_t n = 0; n < count; n++) load[n] = report_scalar(load + n * width, width);
    return RPS_OK;
}

static size_t report_bin(double load, double most) {
    return load > 0.0 && most > 0.0 ? (size_t)(load / most * (REPORT_BINS - 1)) : 0;
}

/* The least load of the kept ones is found by counting loads in bins; of the bin that is too many the first are kept. */
rps_status report_keep_contacts(report_frames *frames, size_t index, rps_error *err) {
    const size_t count = (size_t)frames->frame[index].contacts, most = (size_t)frames->contacts_most;
    frames->contacts = rps_results_reader_column(frames->reader, RPS_RESULTS_CONTACTS, 0) ? count : 0;
    if (frames->contacts <= most) return RPS_OK;
    frames->contacts_left_out = true;
    RPS_TRY(report_loads(frames, index, count, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->kept, &frames->kept_bytes, 0,
                               count * sizeof(uint32_t) + REPORT_BINS * sizeof(uint32_t), err));
    const double *load = frames->value;
    uint32_t *kept = frames->kept, *bin = kept + count;
    double greatest = 0.0;
    memset(bin, 0, REPORT_BINS * sizeof *bin);
    for (size_t n = 0; n < count; n++) greatest = isfinite(load[n]) ? fmax(greatest, load[n]) : greatest;
    for (size_t n = 0; n < count; n++) bin[report_bin(load[n], greatest)]++;
    size_t least = REPORT_BINS - 1, above = 0;
    while (least > 0 && above + bin[least] <= most) above += bin[least--];
    size_t of_least = most - above;
    frames->contacts = 0;
    for (size_t n = 0; n < count; n++) {
        const size_t at = report_bin(load[n], greatest);
        if (at < least || (at == least && of_least == 0)) continue;
        of_least -= at == least;
        kept[frames->contacts++] = (uint32_t)n;
    }
    return RPS_OK;
}

/* --- blocks -------------------------------------------------------------------------------------------------------- */

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

rps_status report_frames_deflate(report_frames *frames, size_t *bytes, rps_error *err) {
    uLongf length = compressBound((uLong)frames->block.length);
    RPS_TRY(rps_buffer_reserve(NULL, &frames->packed, &frames->packed_bytes, 0, length, err));
    if (compress2(frames->packed, &length, (const Bytef *)rps_text_string(&frames->block), (uLong)frames->block.length,
                  REPORT_LEVEL) != Z_OK) {
        return rps_fail(err, RPS_NO_MEMORY, "no memory to compress a block of the page");
    }
    *bytes = length;
    return RPS_OK;
}

rps_status report_write_block(report_frames *frames, const char *id, rps_replacement *out, rps_error *err) {
    char head[96];
    size_t bytes;
    RPS_TRY(report_frames_deflate(frames, &bytes, err));
    snprintf(head, sizeof head, "<script type=\"text/plain\" id=\"%s%s\">", frames->prefix ? frames->prefix : "", id);
    rps_replacement_write(out, head, strlen(head));
    report_base64(frames->packed, bytes, out);
    rps_replacement_write(out, "</script>\n", 10);
    frames->written += 4.0 / 3.0 * (double)bytes;
    return RPS_OK;
}
