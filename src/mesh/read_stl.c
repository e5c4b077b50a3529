/* STL. Binary: 80 bytes of anything, the number of triangles, 50 bytes each, all little-endian: normal and corners in single
 * precision, two bytes more. Text: words, in which the normals are skipped, for programs write anything there. */
#include "mesh/build_mesh.h"
#include "mesh/reader.h"

enum { HEAD = 84, FACET = 50, CORNERS_AT = 12 };

static uint32_t little_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool rps_is_binary_stl(const unsigned char *bytes, size_t count) {
    return count >= HEAD && (count - HEAD) % FACET == 0 && (count - HEAD) / FACET == little_u32(bytes + 80);
}

static rps_status read_binary(rps_mesh_reader *r) {
    const size_t triangles = (r->count - HEAD) / FACET;
    if (triangles > RPS_MESH_MOST) return rps_reader_fail(r, "a mesh has %zu triangles at most", RPS_MESH_MOST);
    RPS_TRY(rps_reader_expect(r, 3 * triangles, triangles));
    for (size_t t = 0; t < triangles; t++) {
        const unsigned char *corner = r->bytes + HEAD + t * FACET + CORNERS_AT;
        for (size_t k = 0; k < 9; k++) {
            const uint32_t bits = little_u32(corner + 4 * k);
            float x;
            memcpy(&x, &bits, sizeof x);
            if (!(x - x == 0.0f)) {
                r->at = HEAD + t * FACET + CORNERS_AT + 4 * k;
                return rps_reader_fail(r, "triangle %zu has a coordinate that is NaN or infinite; repair the file",
                                       t + 1);
            }
            r->raw->point[3 * t + k / 3][k % 3] = (double)x;
        }
        for (uint32_t k = 0; k < 3; k++) r->raw->triangle[t][k] = (uint32_t)(3 * t) + k;
    }
    r->raw->points = 3 * triangles;
    r->raw->triangles = triangles;
    return RPS_OK;
}

/* Takes the words that must come next. */
static rps_status take_words(rps_mesh_reader *r, const char *first, const char *second) {
    const char *const wanted[] = {first, second};
    char word[RPS_MESH_WORD];
    for (int k = 0; k < 2 && wanted[k] != NULL; k++) {
        if (!rps_reader_any_word(r, word)) return rps_reader_fail(r, "the file ends within a facet; it is cut off");
        if (!rps_reader_is(word, wanted[k])) {
            return rps_reader_fail(r, "\"%.40s\" where `%s` belongs; the file is damaged or no STL", word, wanted[k]);
        }
    }
    return RPS_OK;
}

/* After `facet`. */
static rps_status read_facet(rps_mesh_reader *r) {
    char word[RPS_MESH_WORD];
    const uint32_t first = (uint32_t)r->raw->points;
    do { /* the normal */
        if (!rps_reader_any_word(r, word)) return rps_reader_fail(r, "the file ends within a facet; it is cut off");
    } while (!rps_reader_is(word, "outer"));
    RPS_TRY(take_words(r, "loop", NULL));
    for (int k = 0; k < 3; k++) {
        double at[3];
        RPS_TRY(take_words(r, "vertex", NULL));
        for (int c = 0; c < 3; c++) RPS_TRY(rps_reader_number(r, &at[c]));
        RPS_TRY(rps_reader_add_point(r, at));
    }
    RPS_TRY(take_words(r, "endloop", "endfacet"));
    return rps_reader_add_triangle(r, first, first + 1, first + 2);
}

static rps_status read_text_stl(rps_mesh_reader *r) {
    char word[RPS_MESH_WORD];
    bool inside = false;
    while (rps_reader_any_word(r, word)) {
        if (rps_reader_is(word, inside ? "endsolid" : "solid")) { /* a name follows */
            inside = !inside;
            if (inside) RPS_TRY(rps_reader_begin_group(r));
            rps_reader_next_line(r);
        } else if (inside && rps_reader_is(word, "facet")) {
            RPS_TRY(read_facet(r));
        } else {
            return rps_reader_fail(r, "\"%.40s\" where %s belongs; the file is damaged or no STL", word,
                                   inside ? "`facet` or `endsolid`" : "`solid`");
        }
    }
    return inside ? rps_reader_fail(r, "the file ends without `endsolid`; it is cut off") : RPS_OK;
}

/* Text has no zeros. */
static bool has_zeros(const rps_mesh_reader *r) {
    return memchr(r->bytes, 0, r->count < 1024 ? r->count : 1024) != NULL;
}

rps_status rps_read_stl(rps_mesh_reader *r) {
    char word[RPS_MESH_WORD];
    rps_mesh_reader ahead = *r;
    const bool binary = rps_is_binary_stl(r->bytes, r->count);
    const bool solid = rps_reader_any_word(&ahead, word) && rps_reader_is(word, "solid");
    if (!binary && solid && !has_zeros(r)) return read_text_stl(r);
    r->line = 0;
    if (binary) return read_binary(r);
    if (r->count < HEAD) {
        return rps_reader_fail(r, "the file has %zu bytes, and a binary STL has %d or more; it is cut off or no STL",
                               r->count, (int)HEAD);
    }
    r->at = 80;
    const uint32_t triangles = little_u32(r->bytes + 80);
    return rps_reader_fail(
        r, "a binary STL of %zu triangles has %zu bytes, and this file has %zu; it is cut off or no STL",
        (size_t)triangles, HEAD + (size_t)triangles * FACET, r->count);
}
