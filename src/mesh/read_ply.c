/*
 * PLY: a header of lines that says which elements follow, with which properties, then their values in this order, as text, one
 * element a line, or as binary of either byte order. Points are x, y, z of `vertex`, triangles the list `vertex_indices` or
 * `vertex_index` of `face`. All else is skipped. The promises of the header are compared with the bytes that are there before
 * memory is taken.
 */
#include "mesh/build_mesh.h"
#include "mesh/reader.h"

typedef enum ply_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, PLY_TYPES } ply_type;
static const char *const type_name[PLY_TYPES][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                    {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                    {"float", "float32"}, {"double", "float64"}};
static const size_t type_size[PLY_TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum ply_role { OTHER, X_OF_POINT, Y_OF_POINT, Z_OF_POINT, CORNERS_OF_FACE } ply_role;
enum { ELEMENTS = 32, PROPERTIES = 256 };

typedef struct ply_property {
    ply_type type, count_type; /* count_type: of a list */
    bool list;
    ply_role role;
} ply_property;

typedef enum ply_kind { VERTEX, FACE, OTHER_ELEMENT } ply_kind;

typedef struct ply_element {
    ply_kind kind;
    size_t count;
    int first, end; /* properties */
} ply_element;

typedef enum ply_coding { PLY_TEXT, PLY_LITTLE, PLY_BIG } ply_coding;

typedef struct ply {
    rps_mesh_reader *r;
    ply_coding coding;
    size_t points; /* that the header promises */
    ply_element element[ELEMENTS];
    ply_property property[PROPERTIES];
    int elements, properties;
} ply;

/* --- header ------------------------------------------------------------------------------------------------------- */

static rps_status take_type(rps_mesh_reader *r, ply_type *out) {
    char word[RPS_MESH_WORD];
    rps_reader_word(r, word);
    for (int k = 0; k < PLY_TYPES; k++) {
        if (strcmp(word, type_name[k][0]) != 0 && strcmp(word, type_name[k][1]) != 0) continue;
        *out = (ply_type)k;
        return RPS_OK;
    }
    return rps_reader_fail(
        r,
        "unknown property type \"%.40s\"; the types are char, uchar, short, ushort, int, uint, float, "
        "double",
        word);
}

static ply_role role_of(ply_kind kind, const char *name, bool list) {
    static const char *const axis[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        if (kind == VERTEX && !list && strcmp(name, axis[k]) == 0) return (ply_role)(X_OF_POINT + k);
    }
    const bool corners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
    return kind == FACE && list && corners ? CORNERS_OF_FACE : OTHER;
}

/* After `property`. */
static rps_status read_property(ply *file) {
    rps_mesh_reader *r = file->r;
    char word[RPS_MESH_WORD];
    if (file->elements == 0) return rps_reader_fail(r, "a property comes before the first element");
    if (file->properties == PROPERTIES) {
        return rps_reader_fail(r, "the elements have %d properties at most", (int)PROPERTIES);
    }
    ply_element *e = &file->element[file->elements - 1];
    ply_property *p = &file->property[file->properties++];
    const rps_mesh_reader before = *r;
    *p = (ply_property){.list = rps_reader_word(r, word) && strcmp(word, "list") == 0};
    if (p->list) {
        RPS_TRY(take_type(r, &p->count_type));
        if (p->count_type >= FLOAT32) return rps_reader_fail(r, "the length of a list is a whole number");
    } else {
        *r = before;
    }
    RPS_TRY(take_type(r, &p->type));
    if (!rps_reader_word(r, word)) return rps_reader_fail(r, "the property has no name");
    p->role = role_of(e->kind, word, p->list);
    for (int k = e->first; k < e->end && p->role != OTHER; k++) {
        if (file->property[k].role == p->role) return rps_reader_fail(r, "the property `%.40s` comes twice", word);
    }
    e->end = file->properties;
    return RPS_OK;
}

/* After `element`. */
static rps_status read_element(ply *file) {
    rps_mesh_reader *r = file->r;
    char name[RPS_MESH_WORD], number[RPS_MESH_WORD];
    if (!rps_reader_word(r, name) || !rps_reader_word(r, number)) {
        return rps_reader_fail(r, "an element has a name and a number");
    }
    if (file->elements == ELEMENTS) return rps_reader_fail(r, "a file has %d elements at most", (int)ELEMENTS);
    ply_element *e = &file->element[file->elements++];
    *e = (ply_element){.kind = strcmp(name, "vertex") == 0 ? VERTEX
                               : strcmp(name, "face") == 0 ? FACE
                                                           : OTHER_ELEMENT,
                       .first = file->properties,
                       .end = file->properties};
    for (const char *at = number; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || e->count > SIZE_MAX / 16) {
            return rps_reader_fail(r, "\"%.40s\" is not a number of elements", number);
        }
        e->count = 10 * e->count + (size_t)(*at - '0');
    }
    if (strcmp(name, "tristrips") == 0 && e->count > 0) {
        return rps_reader_fail(r, "strips of triangles are not read; save the file with faces");
    }
    if (e->kind == VERTEX) file->points += e->count;
    if (e->kind == FACE && file->points == 0) return rps_reader_fail(r, "faces come before their points");
    return RPS_OK;
}

static bool has_role(const ply *p, const ply_element *e, ply_role role) {
    for (int k = e->first; k < e->end; k++) {
        if (p->property[k].role == role) return true;
    }
    return false;
}

static rps_status check_elements(const ply *p) {
    for (const ply_element *e = p->element; e < p->element + p->elements; e++) {
        for (int role = X_OF_POINT; role <= Z_OF_POINT && e->kind == VERTEX; role++) {
            if (!has_role(p, e, (ply_role)role)) return rps_reader_fail(p->r, "points need x, y and z");
        }
        if (e->kind == FACE && !has_role(p, e, CORNERS_OF_FACE)) {
            return rps_reader_fail(p->r, "faces need the list `vertex_indices`");
        }
    }
    if (p->points > 3 * RPS_MESH_MOST) return rps_reader_fail(p->r, "a mesh has %zu points at most", 3 * RPS_MESH_MOST);
    return RPS_OK;
}

static rps_status read_coding(ply *p) {
    static const char *const name[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char word[RPS_MESH_WORD];
    rps_reader_word(p->r, word);
    for (int k = 0; k < 3; k++) {
        if (strcmp(word, name[k]) != 0) continue;
        p->coding = (ply_coding)k;
        return RPS_OK;
    }
    return rps_reader_fail(
        p->r, "unknown encoding \"%.40s\"; the encodings are ascii, binary_little_endian, binary_big_endian", word);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* A value of the type, in text the next word of the line. */
static rps_status take_value(ply *p, ply_type type, double *out) {
    rps_mesh_reader *r = p->r;
    char word[RPS_MESH_WORD];
    if (p->coding == PLY_TEXT) {
        if (!rps_reader_word(r, word)) {
            return rps_reader_fail(r, "the line has fewer values than the header says; the file may be cut off");
        }
        return rps_reader_parse(r, word, out);
    }
    const size_t size = type_size[type];
    if (r->count - r->at < size) return rps_reader_fail(r, "the file ends within its values; it is cut off");
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++) {
        const size_t place = p->coding == PLY_BIG ? size - 1 - k : k;
        bits |= (uint64_t)r->bytes[r->at + k] << 8 * place;
    }
    r->at += size;
    float single;
    const uint32_t low = (uint32_t)bits;
    switch (type) {
    case INT8:
        *out = (double)(int8_t)bits;
        break;
    case INT16:
        *out = (double)(int16_t)bits;
        break;
    case INT32:
        *out = (double)(int32_t)bits;
        break;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        *out = (double)single;
        break;
    case FLOAT64:
        memcpy(out, &bits, sizeof *out);
        break;
    default:
        *out = (double)bits;
        break;
    }
    return RPS_OK;
}

static rps_status skip_value(ply *p, ply_type type) {
    char word[RPS_MESH_WORD];
    double value;
    if (p->coding != PLY_TEXT) return take_value(p, type, &value);
    if (rps_reader_word(p->r, word)) return RPS_OK;
    return rps_reader_fail(p->r, "the line has fewer values than the header says; the file may be cut off");
}

static rps_status take_list(ply *p, const ply_property *property, size_t *corners) {
    double length;
    RPS_TRY(take_value(p, property->count_type, &length));
    if (!(length >= 0.0 && length <= (double)UINT32_MAX) || length != (double)(uint32_t)length) {
        return rps_reader_fail(p->r, "a list cannot have %.9g values", length);
    }
    const bool face = property->role == CORNERS_OF_FACE;
    for (size_t k = 0; k < (size_t)length; k++) {
        if (!face) {
            RPS_TRY(skip_value(p, property->type));
            continue;
        }
        double point;
        RPS_TRY(take_value(p, property->type, &point));
        if (!(point >= 0.0 && point < (double)p->points) || point != (double)(uint32_t)point) {
            return rps_reader_fail(p->r, "a face names point %.9g, and there are %zu, counted from 0", point,
                                   p->points);
        }
        RPS_TRY(rps_reader_add_corner(p->r, k, (uint32_t)point));
    }
    if (face) *corners = (size_t)length;
    return RPS_OK;
}

/* One element with its properties. */
static rps_status take_element(ply *p, const ply_element *e) {
    double at[3] = {0.0};
    size_t corners = 0;
    for (int k = e->first; k < e->end; k++) {
        const ply_property *property = &p->property[k];
        if (property->list) {
            RPS_TRY(take_list(p, property, &corners));
        } else if (property->role != OTHER) {
            double *x = &at[property->role - X_OF_POINT];
            RPS_TRY(take_value(p, property->type, x));
            if (!(*x - *x == 0.0)) return rps_reader_fail(p->r, "a point has a coordinate that is NaN or infinite");
        } else {
            RPS_TRY(skip_value(p, property->type));
        }
    }
    if (e->kind == VERTEX) return rps_reader_add_point(p->r, at);
    return e->kind == FACE ? rps_reader_add_polygon(p->r, corners) : RPS_OK;
}

/* No element takes less: of text two characters a value but for the last of the file. */
static rps_status check_promise(const ply *p, const ply_element *e) {
    size_t least = 0, bytes;
    for (int k = e->first; k < e->end; k++) {
        const ply_type first = p->property[k].list ? p->property[k].count_type : p->property[k].type;
        least += p->coding == PLY_TEXT ? 2 : type_size[first];
    }
    if (rps_size_mul(e->count, least, &bytes) && bytes <= p->r->count - p->r->at + 1) return RPS_OK;
    return rps_reader_fail(
        p->r, "the header promises %zu elements, more than the rest of the file can hold; it is cut off", e->count);
}

/* To the next line that has words, if this one has none. */
static void skip_empty_lines(rps_mesh_reader *r) {
    char word[RPS_MESH_WORD];
    for (;;) {
        const rps_mesh_reader before = *r;
        if (rps_reader_word(r, word)) {
            *r = before;
            return;
        }
        if (!rps_reader_next_line(r)) return;
    }
}

static rps_status take_elements(ply *p, const ply_element *e) {
    rps_mesh_reader *r = p->r;
    char word[RPS_MESH_WORD];
    if (e->first == e->end) return RPS_OK;
    RPS_TRY(check_promise(p, e));
    RPS_TRY(rps_reader_expect(r, e->kind == VERTEX ? e->count : 0, e->kind == FACE ? e->count : 0));
    for (size_t n = 0; n < e->count; n++) {
        if (p->coding == PLY_TEXT) skip_empty_lines(r);
        RPS_TRY(take_element(p, e));
        if (p->coding == PLY_TEXT && rps_reader_word(r, word)) {
            return rps_reader_fail(r, "\"%.40s\" is one value more than the header says", word);
        }
    }
    return RPS_OK;
}

static rps_status read_ply_header(ply *p) {
    rps_mesh_reader *r = p->r;
    char word[RPS_MESH_WORD];
    bool coded = false;
    if (!rps_reader_word(r, word) || strcmp(word, "ply") != 0) return rps_reader_fail(r, "the file is not a PLY file");
    for (;;) {
        if (!rps_reader_next_line(r)) return rps_reader_fail(r, "the file ends within its header; it is cut off");
        if (!rps_reader_word(r, word)) continue;
        if (strcmp(word, "end_header") == 0) break;
        if (strcmp(word, "format") == 0) {
            RPS_TRY(read_coding(p));
            coded = true;
        } else if (strcmp(word, "element") == 0) {
            RPS_TRY(read_element(p));
        } else if (strcmp(word, "property") == 0) {
            RPS_TRY(read_property(p));
        } else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0) {
            return rps_reader_fail(r, "\"%.40s\" does not belong in the header of a PLY file", word);
        }
    }
    if (!coded) return rps_reader_fail(r, "the header names no format");
    rps_reader_next_line(r);
    return check_elements(p);
}

rps_status rps_read_ply(rps_mesh_reader *r) {
    ply p = {.r = r};
    RPS_TRY(read_ply_header(&p));
    if (p.coding != PLY_TEXT) r->line = 0;
    for (int k = 0; k < p.elements; k++) RPS_TRY(take_elements(&p, &p.element[k]));
    return RPS_OK;
}
