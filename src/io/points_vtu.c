/* VTU: the points of an unstructured grid in one piece, and their data. Arrays are read as text, as base64 in place, or
 * appended as base64 or bytes, each also compressed by zlib; cells are passed over. Written are text, or base64 in
 * place, with a vertex as the cell of each point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/c_locale.h"
#include "io/points_parts.h"

enum { ATTRIBUTE = 128 };
#define MOST_RATIO 1100 /* of what zlib unpacks: its blocks of equal bytes take 1/1032 */

typedef struct vtu {
    rps_points_source *source;
    bool zlib, wide; /* compressed; heads of 8 bytes */
    bool raw;        /* appended data are bytes */
    const char *appended, *appended_end;
    void *data; /* decoded */
    size_t bytes, used;
    void *plain; /* uncompressed */
    size_t plain_bytes, plain_used;
    size_t points;
} vtu;

/* --- XML ------------------------------------------------------------------------------------------------------------ */

static const char *find(const char *from, const char *end, const char *what) {
    const size_t n = strlen(what);
    while (from && end - from >= (ptrdiff_t)n) {
        from = memchr(from, what[0], (size_t)(end - from) - n + 1);
        if (!from || memcmp(from, what, n) == 0) return from;
        from++;
    }
    return NULL;
}

/* The attribute of the tag from `tag` to the next `>`; "" if it has none. */
static void attribute(const char *tag, const char *end, const char *name, char out[ATTRIBUTE]) {
    char key[64];
    out[0] = '\0';
    const char *close = memchr(tag, '>', (size_t)(end - tag));
    const int n = rps_snprintf(key, sizeof key, " %s=\"", name);
    for (const char *at = tag; close && at < close; at++) {
        const bool blank = *at == ' ' || *at == '\n' || *at == '\t' || *at == '\r';
        if (!blank || close - at < n || strncmp(at + 1, key + 1, (size_t)n - 1) != 0) continue;
        const char *value = at + n, *quote = memchr(value, '"', (size_t)(close - value));
        const size_t length = quote ? (size_t)(quote - value) : 0;
        if (!quote || length >= ATTRIBUTE) return;
        memcpy(out, value, length);
        out[length] = '\0';
        return;
    }
}

/* --- numbers -------------------------------------------------------------------------------------------------------- */

typedef struct vtk_type {
    const char *name;
    size_t size;
    char kind; /* i, u, f */
} vtk_type;

static const vtk_type vtk_types[] = {{"Float64", 8, 'f'}, {"Float32", 4, 'f'}, {"Int64", 8, 'i'}, {"UInt64", 8, 'u'},
                                     {"Int32", 4, 'i'},   {"UInt32", 4, 'u'},  {"Int16", 2, 'i'}, {"UInt16", 2, 'u'},
                                     {"Int8", 1, 'i'},    {"UInt8", 1, 'u'}};

static uint64_t little(const unsigned char *at, size_t size) {
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++) bits |= (uint64_t)at[k] << (8 * k);
    return bits;
}

static double number_at(const unsigned char *at, const vtk_type *type) {
    const uint64_t bits = little(at, type->size);
    double wide;
    float narrow;
    if (type->kind == 'f' && type->size == 8) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (type->kind == 'f') {
        const uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof narrow);
        return narrow;
    }
    if (type->kind == 'u' || type->size == 8) return type->kind == 'u' ? (double)bits : (double)(int64_t)bits;
    const uint64_t sign = (uint64_t)1 << (8 * type->size - 1);
    return (double)(int64_t)((bits ^ sign) - sign);
}

/* --- bytes ---------------------------------------------------------------------------------------------------------- */

static int base64_digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* Decodes base64 up to `end` or a sign that is none; padding may stand between parts. */
static rps_status decode(vtu *v, const char *from, const char *end, rps_error *err) {
    v->used = 0;
    RPS_TRY(rps_buffer_reserve(v->source->allocator, &v->data, &v->bytes, 0, (size_t)(end - from) / 4 * 3 + 3, err));
    unsigned char *out = v->data;
    int filled = 0, pads = 0;
    uint32_t group = 0;
    for (const char *at = from; at < end; at++) {
        if (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') continue;
        const int digit = *at == '=' ? 0 : base64_digit(*at);
        if (digit < 0) break;
        pads += *at == '=';
        group = group << 6 | (uint32_t)digit;
        if (++filled < 4) continue;
        for (int k = 0; k < 3 - pads; k++) out[v->used++] = (unsigned char)(group >> (16 - 8 * k));
        filled = pads = 0;
        group = 0;
    }
    return RPS_OK;
}

static rps_status vtu_damaged(const vtu *v, const char *name, rps_error *err) {
    return rps_points_fail(v->source, err, "the data of `%.60s` are cut off or vtu_damaged", name);
}

/* Unpacks the blocks behind their head: number, size, size of the last, compressed sizes. */
static rps_status vtu_unpack(vtu *v, const unsigned char *data, size_t bytes, const char *name, rps_error *err) {
    const size_t head = v->wide ? 8 : 4;
    v->plain_used = 0;
    if (bytes < head) return vtu_damaged(v, name, err);
    const uint64_t blocks = little(data, head);
    if (blocks == 0) return RPS_OK;
    if (blocks > bytes / head || (blocks + 3) * head > bytes) return vtu_damaged(v, name, err);
    const uint64_t size = little(data + head, head), last = little(data + 2 * head, head);
    const unsigned char *at = data + (blocks + 3) * head, *end = data + bytes;
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t packed = little(data + (3 + b) * head, head), plain = b + 1 == blocks && last > 0 ? last : size;
        if (packed > (uint64_t)(end - at) || plain / MOST_RATIO > packed) return vtu_damaged(v, name, err);
        RPS_TRY(rps_buffer_reserve(v->source->allocator, &v->plain, &v->plain_bytes, v->plain_used,
                                   v->plain_used + (size_t)plain, err));
        uLongf got = (uLongf)plain;
        if (uncompress((Bytef *)v->plain + v->plain_used, &got, at, (uLong)packed) != Z_OK || got != plain) {
            return vtu_damaged(v, name, err);
        }
        v->plain_used += (size_t)plain;
        at += packed;
    }
    return RPS_OK;
}

/* The end of the appended array that begins here: where the next one begins. */
static const char *appended_end(const vtu *v, uint64_t offset) {
    uint64_t next = (uint64_t)(v->appended_end - v->appended);
    for (const char *at = v->source->bytes; (at = find(at, v->appended, " offset=\"")) != NULL;) {
        at += 9;
        const uint64_t other = strtoull(at, NULL, 10);
        if (other > offset && other < next) next = other;
    }
    return v->appended + next;
}

/* The bytes of an array, without its head. */
static rps_status array_bytes(vtu *v, const char *tag, const char *body, const char *end, const char *name,
                              const unsigned char **out, size_t *bytes, rps_error *err) {
    char how[ATTRIBUTE], offset[ATTRIBUTE];
    attribute(tag, end, "format", how);
    attribute(tag, end, "offset", offset);
    const size_t head = v->wide ? 8 : 4;
    const bool appended = strcmp(how, "appended") == 0;
    if (appended) {
        const uint64_t at = strtoull(offset, NULL, 10);
        if (!v->appended || at > (uint64_t)(v->appended_end - v->appended)) return vtu_damaged(v, name, err);
        body = v->appended + at;
        end = appended_end(v, at);
    }
    const unsigned char *data = (const unsigned char *)body;
    size_t count = (size_t)(end - body);
    if (!appended || !v->raw) {
        RPS_TRY(decode(v, body, end, err));
        data = v->data;
        count = v->used;
    }
    if (v->zlib) {
        RPS_TRY(vtu_unpack(v, data, count, name, err));
        *out = v->plain;
        *bytes = v->plain_used;
        return RPS_OK;
    }
    if (count < head || little(data, head) > count - head) return vtu_damaged(v, name, err);
    *out = data + head;
    *bytes = (size_t)little(data, head);
    return RPS_OK;
}

/* --- arrays --------------------------------------------------------------------------------------------------------- */

static rps_status vtu_put_text(vtu *v, const char *body, const char *end, const char *name, double *out, size_t numbers,
                               rps_error *err) {
    size_t n = 0;
    for (const char *at = body; at < end && *at != '<';) {
        char word[64];
        const char *start = at;
        while (at < end && !strchr(" \t\r\n<", *at)) at++;
        const size_t length = (size_t)(at - start);
        if (length > 0) {
            if (n == numbers || length >= sizeof word) return vtu_damaged(v, name, err);
            memcpy(word, start, length);
            word[length] = '\0';
            RPS_TRY(rps_points_number(v->source, word, &out[n++], err));
        }
        while (at < end && strchr(" \t\r\n", *at) && *at) at++;
        if (at < end && *at == '\0') return vtu_damaged(v, name, err);
    }
    return n == numbers
               ? RPS_OK
               : rps_points_fail(v->source, err, "`%.60s` has %zu numbers, but %zu are needed", name, n, numbers);
}

static rps_status read_array(vtu *v, const char *tag, const char *end, bool points, rps_error *err) {
    char name[ATTRIBUTE], type_text[ATTRIBUTE], how[ATTRIBUTE], components_text[ATTRIBUTE];
    const vtk_type *type = NULL;
    attribute(tag, end, "Name", name);
    attribute(tag, end, "type", type_text);
    attribute(tag, end, "format", how);
    attribute(tag, end, "NumberOfComponents", components_text);
    for (size_t k = 0; k < sizeof vtk_types / sizeof *vtk_types; k++) {
        if (strcmp(vtk_types[k].name, type_text) == 0) type = &vtk_types[k];
    }
    if (points) strcpy(name, "position");
    const char *body = memchr(tag, '>', (size_t)(end - tag));
    const long components = components_text[0] ? strtol(components_text, NULL, 10) : 1;
    if (!body || !type || components < 1 || components > RPS_POINT_COMPONENTS || !name[0] ||
        (points && components != 3)) {
        return rps_points_fail(v->source, err, "the array `%.60s` of type `%.20s` with %ld components is not read",
                               name, type_text, components);
    }
    if (rps_points_find(&v->source->points, name)) {
        return rps_points_fail(v->source, err, "the array `%.60s` stands twice", name);
    }
    const size_t numbers = v->points * (size_t)components;
    rps_point_field *field;
    body++;
    if (strcmp(how, "ascii") == 0) {
        const char *close = memchr(body, '<', (size_t)(end - body));
        close = close ? close : end;
        if (numbers / 2 > (size_t)(close - body)) return vtu_damaged(v, name, err); /* a digit and a blank each */
        RPS_TRY(rps_points_resize(&v->source->points, v->points, err));
        RPS_TRY(rps_points_add_field(&v->source->points, name, (int)components, type->kind != 'f', &field, err));
        return vtu_put_text(v, body, close, name, field->value, numbers, err);
    }
    const unsigned char *data = NULL;
    size_t bytes = 0;
    RPS_TRY(array_bytes(v, tag, body, end, name, &data, &bytes, err));
    if (bytes / type->size != numbers) {
        return rps_points_fail(v->source, err, "`%.60s` has %zu numbers, but %zu are needed", name, bytes / type->size,
                               numbers);
    }
    RPS_TRY(rps_points_resize(&v->source->points, v->points, err));
    RPS_TRY(rps_points_add_field(&v->source->points, name, (int)components, type->kind != 'f', &field, err));
    for (size_t n = 0; n < numbers; n++) {
        const double value = number_at(data + n * type->size, type);
        if (!isfinite(value)) {
            return rps_points_fail(v->source, err, "`%.60s` of point %zu is not finite", name, n / (size_t)components);
        }
        ((double *)field->value)[n] = value;
    }
    return RPS_OK;
}

/* All arrays of the element from `from` to `end`. */
static rps_status read_arrays(vtu *v, const char *from, const char *end, bool points, rps_error *err) {
    for (const char *tag = from; (tag = find(tag, end, "<DataArray")) != NULL; tag++) {
        RPS_TRY(read_array(v, tag, end, points, err));
        if (points) return RPS_OK;
    }
    return points ? rps_points_fail(v->source, err, "the element Points has no array") : RPS_OK;
}

static rps_status vtu_read_head(vtu *v, const char *start, const char *end, const char **piece, rps_error *err) {
    char text[ATTRIBUTE];
    const char *file = find(start, end, "<VTKFile");
    if (!file) return rps_points_fail(v->source, err, "there is no element VTKFile; is it a VTU file?");
    attribute(file, end, "type", text);
    if (strcmp(text, "UnstructuredGrid") != 0) {
        return rps_points_fail(v->source, err, "it holds `%.40s`; points are read from an UnstructuredGrid", text);
    }
    attribute(file, end, "byte_order", text);
    if (strcmp(text, "BigEndian") == 0) return rps_points_fail(v->source, err, "big-endian data are not read");
    attribute(file, end, "header_type", text);
    v->wide = strcmp(text, "UInt64") == 0;
    attribute(file, end, "compressor", text);
    v->zlib = strcmp(text, "vtkZLibDataCompressor") == 0;
    if (text[0] && !v->zlib) {
        return rps_points_fail(v->source, err, "data compressed by `%.40s` are not read; write them plain or by zlib",
                               text);
    }
    *piece = find(file, end, "<Piece");
    if (!*piece) return rps_points_fail(v->source, err, "there is no element Piece");
    if (find(*piece + 1, end, "<Piece")) {
        return rps_points_fail(v->source, err, "the grid has several pieces; write it as one");
    }
    attribute(*piece, end, "NumberOfPoints", text);
    uint64_t count;
    RPS_TRY(rps_points_count(v->source, text, &count, err));
    /* even compressed, a point takes a part of a byte */
    if (count / MOST_RATIO > v->source->count) {
        return rps_points_fail(v->source, err, "%llu points cannot be in a file of %zu bytes",
                               (unsigned long long)count, v->source->count);
    }
    v->points = (size_t)count;
    return RPS_OK;
}

static rps_status vtu_read(vtu *v, rps_error *err) {
    const char *start = v->source->bytes, *end = start + v->source->count, *piece = start;
    char text[ATTRIBUTE];
    const char *appended = find(start, end, "<AppendedData"), *body_end = appended ? appended : end;
    RPS_TRY(vtu_read_head(v, start, body_end, &piece, err));
    if (appended) {
        attribute(appended, end, "encoding", text);
        v->raw = strcmp(text, "raw") == 0;
        const char *close = memchr(appended, '>', (size_t)(end - appended));
        v->appended = close ? memchr(close, '_', (size_t)(end - close)) : NULL;
        v->appended = v->appended ? v->appended + 1 : NULL;
        v->appended_end = end;
    }
    const char *points = find(piece, body_end, "<Points"), *data = find(piece, body_end, "<PointData");
    const char *points_end = find(points, body_end, "</Points"), *data_end = find(data, body_end, "</PointData");
    if (!points || !points_end)
        return rps_points_fail(v->source, err, "there is no element Points, or it does not end");
    RPS_TRY(read_arrays(v, points, points_end, true, err));
    return data && data_end ? read_arrays(v, data, data_end, false, err) : RPS_OK;
}

rps_status rps_points_read_vtu(rps_points_source *source, bool *more, rps_error *err) {
    vtu v = {.source = source};
    (void)more;
    const rps_status status = vtu_read(&v, err);
    rps_buffer_release(source->allocator, &v.data, &v.bytes);
    rps_buffer_release(source->allocator, &v.plain, &v.plain_bytes);
    return status;
}

/* --- writing -------------------------------------------------------------------------------------------------------- */

/* Base64 as it is added, three bytes at once. */
typedef struct encoder {
    rps_text *out;
    unsigned char part[3];
    int filled;
} encoder;

static void encode_part(encoder *e, int bytes) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t group = (uint32_t)e->part[0] << 16 | (uint32_t)e->part[1] << 8 | e->part[2];
    char four[4];
    for (int k = 0; k < 4; k++) four[k] = k <= bytes ? digit[group >> (18 - 6 * k) & 63] : '=';
    rps_text_add_bytes(e->out, four, 4, NULL);
    memset(e->part, 0, sizeof e->part);
    e->filled = 0;
}

static void encode_word(encoder *e, uint64_t bits, int bytes) {
    for (int k = 0; k < bytes; k++) {
        e->part[e->filled++] = (unsigned char)(bits >> (8 * k));
        if (e->filled == 3) encode_part(e, 3);
    }
}

static void encode_end(encoder *e) {
    if (e->filled > 0) encode_part(e, e->filled);
}

static void add_array(rps_text *out, const rps_points *points, const rps_point_field *field, bool binary) {
    const size_t numbers = points->count * (size_t)field->components;
    const double *value = field->value;
    const char *name = field->name;
    char c[RPS_XML_CHARACTER];
    rps_text_addf(out, NULL, "<DataArray type=\"%s\" Name=\"", field->whole ? "Int64" : "Float64");
    while (*name) {
        rps_next_xml_character(&name, c);
        rps_text_add(out, *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : c, NULL);
    }
    rps_text_addf(out, NULL, "\" NumberOfComponents=\"%d\" format=\"%s\">\n", field->components,
                  binary ? "binary" : "ascii");
    encoder e = {.out = out};
    if (binary) encode_word(&e, numbers * 8, 8);
    for (size_t n = 0; n < numbers; n++) {
        uint64_t bits;
        if (binary && field->whole) {
            encode_word(&e, (uint64_t)(int64_t)fmax(-0x1p62, fmin(0x1p62, value[n])), 8);
        } else if (binary) {
            memcpy(&bits, &value[n], sizeof bits);
            encode_word(&e, bits, 8);
        } else {
            const size_t width = (size_t)field->components;
            rps_points_add_value(out, field, n / width, (int)(n % width));
            rps_text_add(out, (n + 1) % width == 0 ? "\n" : " ", NULL);
        }
    }
    if (binary) encode_end(&e);
    rps_text_add(out, binary ? "\n</DataArray>\n" : "</DataArray>\n", NULL);
}

/* Numbers that count: first, first + step and so on, or `step` 0: all the same. */
static void add_counted(rps_text *out, const char *type, const char *name, size_t count, size_t first, size_t step) {
    rps_text_addf(out, NULL, "<DataArray type=\"%s\" Name=\"%s\" format=\"ascii\">\n", type, name);
    for (size_t n = 0; n < count; n++) {
        rps_text_addf(out, NULL, "%zu%s", first + n * step, n % 16 == 15 ? "\n" : " ");
    }
    rps_text_add(out, "\n</DataArray>\n", NULL);
}

rps_status rps_points_write_vtu(const rps_points *points, bool binary, rps_text *out, rps_error *err) {
    (void)err;
    rps_text_addf(out, NULL,
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
                  "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">");
    rps_text_add_double(out, points->time, NULL);
    rps_text_addf(out, NULL,
                  "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<PointData>\n",
                  points->count, points->count);
    const rps_point_field *position = rps_points_find(points, "position");
    for (int f = 0; f < points->fields; f++) {
        if (points->field[f].chosen && &points->field[f] != position) {
            add_array(out, points, &points->field[f], binary);
        }
    }
    rps_text_add(out, "</PointData>\n<Points>\n", NULL);
    add_array(out, points, position, binary);
    rps_text_add(out, "</Points>\n<Cells>\n", NULL);
    add_counted(out, "Int64", "connectivity", points->count, 0, 1);
    add_counted(out, "Int64", "offsets", points->count, 1, 1);
    add_counted(out, "UInt8", "types", points->count, 1, 0); /* VTK_VERTEX */
    rps_text_add(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", NULL);
    return RPS_OK;
}
