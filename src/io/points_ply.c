/* Points of PLY: the scalar properties of the first element, which is `vertex`, as text or binary of either order. All
 * behind it is passed over. The number of points is compared with the bytes that are there before memory is taken. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/points_parts.h"

typedef enum number_type { I8, U8, I16, U16, I32, U32, F32, F64, NUMBER_TYPES } number_type;
static const char *const number_name[NUMBER_TYPES][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                         {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                         {"float", "float32"}, {"double", "float64"}};
static const size_t number_size[NUMBER_TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef struct ply_head {
    bool text, big, has_vertex, done;
    uint64_t points;
    int properties;
    size_t row; /* bytes */
    char *name[RPS_POINT_COLUMNS];
    number_type type[RPS_POINT_COLUMNS];
} ply_head;

static rps_status take_format(rps_points_source *source, ply_head *head, rps_error *err) {
    const char *how = source->words > 1 ? source->word[1] : "";
    head->text = strcmp(how, "ascii") == 0;
    head->big = strcmp(how, "binary_big_endian") == 0;
    if (head->text || head->big || strcmp(how, "binary_little_endian") == 0) return RPS_OK;
    return rps_points_fail(source, err, "the format `%.40s` is not known", how);
}

static rps_status take_property(rps_points_source *source, ply_head *head, rps_error *err) {
    if (source->words != 3)
        return rps_points_fail(source, err, "a property of points is a type and a name, not a list");
    if (head->properties == RPS_POINT_COLUMNS) return rps_points_fail(source, err, "there are too many properties");
    for (int t = 0; t < NUMBER_TYPES; t++) {
        if (strcmp(source->word[1], number_name[t][0]) != 0 && strcmp(source->word[1], number_name[t][1]) != 0)
            continue;
        head->name[head->properties] = source->word[2];
        head->type[head->properties++] = (number_type)t;
        head->row += number_size[t];
        return RPS_OK;
    }
    return rps_points_fail(source, err, "the type `%.40s` of a property is not known", source->word[1]);
}

static rps_status read_head(rps_points_source *source, ply_head *head, rps_error *err) {
    bool in_vertex = false;
    char *line;
    RPS_TRY(rps_points_line(source, &line, err));
    if (!line || strcmp(line, "ply") != 0) return rps_points_fail(source, err, "a PLY file begins with the line `ply`");
    for (;;) {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) return rps_points_fail(source, err, "the file ends before `end_header`");
        RPS_TRY(rps_points_split(source, line, false, err));
        const char *word = source->words > 0 ? source->word[0] : "";
        if (strcmp(word, "end_header") == 0) break;
        if (strcmp(word, "format") == 0) {
            RPS_TRY(take_format(source, head, err));
        } else if (strcmp(word, "element") == 0) {
            in_vertex = source->words == 3 && strcmp(source->word[1], "vertex") == 0;
            if (in_vertex) RPS_TRY(rps_points_count(source, source->word[2], &head->points, err));
            if (!in_vertex && !head->has_vertex) {
                return rps_points_fail(source, err, "the first element must be `vertex`, the points");
            }
            head->has_vertex = true;
        } else if (strcmp(word, "property") == 0 && in_vertex) {
            RPS_TRY(take_property(source, head, err));
        }
    }
    return head->has_vertex ? RPS_OK : rps_points_fail(source, err, "there is no element `vertex`");
}

static double take_number(const unsigned char *at, number_type type, bool big) {
    unsigned char b[8] = {0};
    const size_t size = number_size[type];
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++) b[k] = big ? at[size - 1 - k] : at[k];
    for (size_t k = 0; k < 8; k++) bits |= (uint64_t)b[k] << (8 * k);
    const uint32_t low = (uint32_t)bits;
    double wide;
    float narrow;
    switch (type) {
    case I8:
        return (int8_t)bits;
    case I16:
        return (int16_t)bits;
    case I32:
        return (int32_t)low;
    case F32:
        memcpy(&narrow, &low, sizeof narrow);
        return narrow;
    case F64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    case U8:
    case U16:
    case U32:
    case NUMBER_TYPES:
        break;
    }
    return (double)bits;
}

static rps_status ply_read_binary(rps_points_source *source, const ply_head *head, rps_error *err) {
    rps_points *p = &source->points;
    const size_t left = (size_t)(source->end - source->at);
    source->line = 0;
    if (head->row == 0 || head->points > left / head->row) {
        return rps_points_fail(source, err, "the header promises %llu points of %zu bytes, but %zu bytes are there",
                               (unsigned long long)head->points, head->row, left);
    }
    RPS_TRY(rps_points_resize(p, (size_t)head->points, err));
    const unsigned char *at = (const unsigned char *)source->at;
    for (size_t n = 0; n < p->count; n++) {
        for (int c = 0; c < head->properties; c++) {
            const rps_point_column *column = &source->column[c];
            const rps_point_field *field = &p->field[column->field];
            const double value = column->factor * take_number(at, head->type[c], head->big);
            if (!isfinite(value)) {
                return rps_points_fail(source, err, "byte %zu: the `%.40s` of point %zu is not finite",
                                       (size_t)(at - (const unsigned char *)source->bytes), head->name[c], n);
            }
            ((double *)field->value)[n * (size_t)field->components + (size_t)column->component] = value;
            at += number_size[head->type[c]];
        }
    }
    return RPS_OK;
}

rps_status rps_points_read_ply(rps_points_source *source, bool *more, rps_error *err) {
    void *memory;
    char *line;
    (void)more;
    RPS_TRY(rps_memory_alloc_zeroed(source->allocator, sizeof(ply_head), &memory, err));
    ply_head *head = memory;
    rps_status status = read_head(source, head, err);
    if (status == RPS_OK) status = rps_points_name_columns(source, head->name, head->properties, err);
    if (status == RPS_OK && !head->text) status = ply_read_binary(source, head, err);
    for (uint64_t n = 0; status == RPS_OK && head->text && n < head->points; n++) {
        status = rps_points_line(source, &line, err);
        if (status != RPS_OK) break;
        if (!line) {
            status = rps_points_fail(source, err, "the file ends after %llu of %llu points", (unsigned long long)n,
                                     (unsigned long long)head->points);
            break;
        }
        status = rps_points_split(source, line, false, err);
        if (status == RPS_OK) status = rps_points_row(source, err);
    }
    rps_memory_release(source->allocator, memory, sizeof(ply_head));
    return status;
}

/* --- writing -------------------------------------------------------------------------------------------------------- */

static bool fits_int(const rps_points *points, const rps_point_field *field) {
    const double *value = field->value;
    bool fits = field->whole;
    for (size_t n = 0; n < points->count * (size_t)field->components && fits; n++) {
        fits = value[n] >= -0x1p31 && value[n] < 0x1p31;
    }
    return fits;
}

static void add_binary(rps_text *out, double value, bool as_int) {
    uint64_t bits;
    char b[8];
    memcpy(&bits, &value, sizeof bits);
    if (as_int) bits = (uint32_t)(int32_t)value;
    for (int k = 0; k < 8; k++) b[k] = (char)(unsigned char)(bits >> (8 * k));
    rps_text_add_bytes(out, b, as_int ? 4 : 8, NULL);
}

rps_status rps_points_write_ply(const rps_points *points, bool binary, rps_text *out, rps_error *err) {
    bool as_int[RPS_POINT_FIELDS];
    (void)err;
    rps_text_addf(out, NULL, "ply\nformat %s 1.0\ncomment time ", binary ? "binary_little_endian" : "ascii");
    rps_text_add_double(out, points->time, NULL);
    rps_text_addf(out, NULL, "\nelement vertex %zu\n", points->count);
    for (int f = 0; f < points->fields; f++) {
        const rps_point_field *field = &points->field[f];
        as_int[f] = fits_int(points, field);
        for (int k = 0; k < field->components && field->chosen; k++) {
            char name[RPS_POINT_NAME + 8];
            rps_points_column_name(field, k, RPS_POINT_SCENE, name);
            rps_text_addf(out, NULL, "property %s %s\n", as_int[f] ? "int" : "double", name);
        }
    }
    rps_text_add(out, "end_header\n", NULL);
    for (size_t n = 0; n < points->count; n++) {
        bool first = true;
        for (int f = 0; f < points->fields; f++) {
            const rps_point_field *field = &points->field[f];
            const double *value = (const double *)field->value + n * (size_t)field->components;
            for (int k = 0; k < field->components && field->chosen; k++) {
                if (binary) {
                    add_binary(out, value[k], as_int[f]);
                } else {
                    if (!first) rps_text_add(out, " ", NULL);
                    rps_points_add_value(out, field, n, k);
                }
                first = false;
            }
        }
        if (!binary) rps_text_add(out, "\n", NULL);
    }
    return RPS_OK;
}
