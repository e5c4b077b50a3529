/* Tells formats apart, and the steps that their readers share. */
#include "mesh/read.h"

#include <stdarg.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "mesh/build_mesh.h"
#include "mesh/reader.h"

/* --- errors and text ---------------------------------------------------------------------------------------------- */

rps_status rps_reader_fail(rps_mesh_reader *r, const char *fmt, ...) {
    char message[512];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return rps_fail(r->err, RPS_BAD_INPUT, "%s %zu: %s", r->line > 0 ? "line" : "byte", r->line > 0 ? r->line : r->at,
                    message);
}

static bool mesh_is_line_end(unsigned char c) {
    return c == '\n' || c == '\r';
}

static bool mesh_is_blank(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool rps_reader_at_end(const rps_mesh_reader *r) {
    return r->at >= r->count;
}

bool rps_reader_word(rps_mesh_reader *r, char word[RPS_MESH_WORD]) {
    size_t length = 0;
    while (r->at < r->count && mesh_is_blank(r->bytes[r->at])) r->at++;
    for (; r->at < r->count && !mesh_is_blank(r->bytes[r->at]) && !mesh_is_line_end(r->bytes[r->at]); r->at++) {
        const unsigned char c = r->bytes[r->at];
        if (length < RPS_MESH_WORD - 1) word[length++] = c > ' ' && c < 127 ? (char)c : '?';
    }
    if (length == RPS_MESH_WORD - 1) word[length - 1] = '?'; /* so that no number loses digits unseen */
    word[length] = '\0';
    return length > 0;
}

bool rps_reader_next_line(rps_mesh_reader *r) {
    while (r->at < r->count && !mesh_is_line_end(r->bytes[r->at])) r->at++;
    if (r->at >= r->count) return false;
    const bool both = r->bytes[r->at] == '\r' && r->at + 1 < r->count && r->bytes[r->at + 1] == '\n';
    r->at += both ? 2 : 1;
    r->line++;
    return r->at < r->count;
}

bool rps_reader_any_word(rps_mesh_reader *r, char word[RPS_MESH_WORD]) {
    while (!rps_reader_word(r, word)) {
        if (!rps_reader_next_line(r)) return false;
    }
    return true;
}

rps_status rps_reader_number(rps_mesh_reader *r, double *out) {
    char word[RPS_MESH_WORD];
    if (!rps_reader_word(r, word)) return rps_reader_fail(r, "a number is missing; the file may be cut off");
    return rps_reader_parse(r, word, out);
}

rps_status rps_reader_parse(rps_mesh_reader *r, const char *word, double *out) {
    const rps_status status = rps_parse_double(word, out, r->err);
    if (status != RPS_OK) rps_error_prefix(r->err, "line %zu: ", r->line);
    return status;
}

bool rps_reader_is(const char *word, const char *other) {
    for (; *word && *other; word++, other++) {
        const char c = *word >= 'A' && *word <= 'Z' ? (char)(*word - 'A' + 'a') : *word;
        if (c != *other) return false;
    }
    return *word == *other;
}

/* --- triangles ---------------------------------------------------------------------------------------------------- */

rps_status rps_reader_expect(rps_mesh_reader *r, size_t points, size_t triangles) {
    rps_raw_mesh *raw = r->raw;
    size_t bytes;
    void *p = raw->point;
    if (points > 0) {
        RPS_TRY(rps_size_of_items(raw->points + points, sizeof *raw->point, &bytes, r->err));
        RPS_TRY(
            rps_buffer_reserve(r->allocator, &p, &raw->point_bytes, raw->points * sizeof *raw->point, bytes, r->err));
        raw->point = p;
    }
    if (triangles == 0) return RPS_OK;
    p = raw->triangle;
    RPS_TRY(rps_size_of_items(raw->triangles + triangles, sizeof *raw->triangle, &bytes, r->err));
    RPS_TRY(rps_buffer_reserve(r->allocator, &p, &raw->triangle_bytes, raw->triangles * sizeof *raw->triangle, bytes,
                               r->err));
    raw->triangle = p;
    return RPS_OK;
}

rps_status rps_reader_add_point(rps_mesh_reader *r, const double at[3]) {
    if (r->raw->points >= 3 * RPS_MESH_MOST) return rps_reader_fail(r, "a mesh has %zu points at most", r->raw->points);
    RPS_TRY(rps_reader_expect(r, 1, 0));
    memcpy(r->raw->point[r->raw->points++], at, sizeof *r->raw->point);
    return RPS_OK;
}

rps_status rps_reader_add_triangle(rps_mesh_reader *r, uint32_t a, uint32_t b, uint32_t c) {
    if (r->raw->triangles >= RPS_MESH_MOST) {
        return rps_reader_fail(r, "a mesh has %zu triangles at most", r->raw->triangles);
    }
    RPS_TRY(rps_reader_expect(r, 0, 1));
    uint32_t *t = r->raw->triangle[r->raw->triangles++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return RPS_OK;
}

rps_status rps_reader_begin_group(rps_mesh_reader *r) {
    rps_raw_mesh *raw = r->raw;
    const uint32_t first = (uint32_t)raw->triangles;
    if (raw->groups > 0 && raw->group[raw->groups - 1] == first) return RPS_OK;
    void *group = raw->group;
    const size_t used = raw->groups * sizeof *raw->group;
    const rps_status status =
        rps_buffer_reserve(r->allocator, &group, &raw->group_bytes, used, used + 2 * sizeof *raw->group, r->err);
    raw->group = group;
    RPS_TRY(status);
    if (raw->groups == 0 && first > 0) raw->group[raw->groups++] = 0; /* what came before has no name */
    raw->group[raw->groups++] = first;
    return RPS_OK;
}

rps_status rps_reader_add_corner(rps_mesh_reader *r, size_t place, uint32_t point) {
    if (place >= RPS_MESH_POLYGON) {
        return rps_reader_fail(r, "a polygon has %d corners at most; divide it in the program that wrote it",
                               (int)RPS_MESH_POLYGON);
    }
    RPS_TRY(rps_buffer_reserve(r->allocator, &r->corner, &r->corner_bytes, place * sizeof point,
                               (place + 1) * sizeof point, r->err));
    ((uint32_t *)r->corner)[place] = point;
    return RPS_OK;
}

rps_status rps_reader_add_polygon(rps_mesh_reader *r, size_t corners) {
    const uint32_t *corner = r->corner;
    if (corners < 3) return rps_reader_fail(r, "a face has %zu corners, and needs 3 or more", corners);
    if (corners == 3) return rps_reader_add_triangle(r, corner[0], corner[1], corner[2]);
    size_t triangles;
    RPS_TRY(rps_buffer_reserve(r->allocator, &r->scratch, &r->scratch_bytes, 0, rps_polygon_scratch(corners), r->err));
    RPS_TRY(rps_reader_expect(r, 0, corners - 2));
    if (r->raw->triangles + corners > RPS_MESH_MOST) {
        return rps_reader_fail(r, "a mesh has %zu triangles at most", RPS_MESH_MOST);
    }
    rps_polygon_cut(r->raw->point, r->corner, corners, r->scratch, r->raw->triangle + r->raw->triangles, &triangles);
    if (triangles == 0) {
        return rps_reader_fail(r, "a face of %zu corners crosses itself; divide it in the program that wrote it",
                               corners);
    }
    r->raw->triangles += triangles;
    return RPS_OK;
}

/* --- formats ------------------------------------------------------------------------------------------------------ */

static bool mesh_begins_with(const unsigned char *bytes, size_t count, const char *word) {
    size_t at = 0;
    while (at < count && (mesh_is_blank(bytes[at]) || mesh_is_line_end(bytes[at]))) at++;
    for (; *word && at < count; at++, word++) {
        const unsigned char c = bytes[at] >= 'A' && bytes[at] <= 'Z' ? (unsigned char)(bytes[at] + 32) : bytes[at];
        if (c != (unsigned char)*word) return false;
    }
    return *word == '\0';
}

static bool mesh_ends_with(const char *name, const char *end) {
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && rps_reader_is(name + n - m, end);
}

/* A line begins with `v `. */
static bool looks_like_obj(rps_mesh_reader r) {
    char word[RPS_MESH_WORD];
    do {
        if (rps_reader_word(&r, word) && strcmp(word, "v") == 0) return true;
    } while (rps_reader_next_line(&r));
    return false;
}

static rps_status read_format(rps_mesh_reader *r, const char *name) {
    if (r->count == 0) return rps_fail(r->err, RPS_BAD_INPUT, "the file is empty");
    if (mesh_begins_with(r->bytes, r->count, "ply") || mesh_ends_with(name, ".ply")) return rps_read_ply(r);
    if (mesh_ends_with(name, ".obj")) return rps_read_obj(r);
    if (mesh_ends_with(name, ".stl") || mesh_begins_with(r->bytes, r->count, "solid") ||
        rps_is_binary_stl(r->bytes, r->count)) {
        return rps_read_stl(r);
    }
    if (looks_like_obj(*r)) return rps_read_obj(r);
    return rps_fail(r->err, RPS_UNSUPPORTED, "the file is neither STL nor OBJ nor PLY; save it as one of these");
}

rps_status rps_mesh_read(const rps_allocator *allocator, const char *name, const void *bytes, size_t count,
                         rps_raw_mesh *raw, rps_error *err) {
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf}; /* of UTF-8 */
    const size_t skipped = count >= sizeof mark && memcmp(bytes, mark, sizeof mark) == 0 ? sizeof mark : 0;
    *raw = (rps_raw_mesh){0};
    rps_mesh_reader r = {.allocator = allocator,
                         .bytes = (const unsigned char *)bytes + skipped,
                         .count = count - skipped,
                         .line = 1,
                         .raw = raw,
                         .err = err};
    const rps_status status = read_format(&r, name);
    rps_buffer_release(allocator, &r.corner, &r.corner_bytes);
    rps_buffer_release(allocator, &r.scratch, &r.scratch_bytes);
    if (status == RPS_OK) return RPS_OK;
    rps_raw_mesh_release(allocator, raw);
    rps_error_prefix(err, "%s: ", name);
    return status;
}
