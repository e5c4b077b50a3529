/* Shared by the readers of formats: a place in the bytes, words of text, errors with the place, and the triangles so far. */
#ifndef RPS_MESH_READER_H
#define RPS_MESH_READER_H

#include "mesh/read.h"

enum { RPS_MESH_WORD = 128, RPS_MESH_POLYGON = 10000 /* corners */ };

typedef struct rps_mesh_reader {
    const rps_allocator *allocator;
    const unsigned char *bytes;
    size_t count, at;
    size_t line; /* of text, from 1; 0: binary */
    rps_raw_mesh *raw;
    /* scratch of polygons */
    void *corner, *scratch;
    size_t corner_bytes, scratch_bytes;
    rps_error *err;
} rps_mesh_reader;

rps_status rps_read_stl(rps_mesh_reader *r);
rps_status rps_read_obj(rps_mesh_reader *r);
rps_status rps_read_ply(rps_mesh_reader *r);

/* "line 12: ..." or "byte 84: ..."; RPS_BAD_INPUT. */
rps_status rps_reader_fail(rps_mesh_reader *r, const char *fmt, ...) RPS_PRINTF(2, 3);

/* Whether a file of STL is binary: its length is that of the number of triangles that it gives, whatever it begins with. */
bool rps_is_binary_stl(const unsigned char *bytes, size_t count);

/* --- text --- */

/* The next word of the line, without characters that are not printed; false at the end of the line. Long ones are cut and end with `?`. */
bool rps_reader_word(rps_mesh_reader *r, char word[RPS_MESH_WORD]);
/* The next word of the file; false at its end. */
bool rps_reader_any_word(rps_mesh_reader *r, char word[RPS_MESH_WORD]);
/* Goes to the beginning of the next line; false at the end of the file. */
bool rps_reader_next_line(rps_mesh_reader *r);
bool rps_reader_at_end(const rps_mesh_reader *r);
/* The number that a word is, and the next one of the line. */
rps_status rps_reader_parse(rps_mesh_reader *r, const char *word, double *out);
rps_status rps_reader_number(rps_mesh_reader *r, double *out);
/* Words are equal but for the case of their letters. */
bool rps_reader_is(const char *word, const char *other);

/* --- triangles --- */

rps_status rps_reader_add_point(rps_mesh_reader *r, const double at[3]);
rps_status rps_reader_add_triangle(rps_mesh_reader *r, uint32_t a, uint32_t b, uint32_t c);
/* The next triangle begins a group. One without triangles is none. */
rps_status rps_reader_begin_group(rps_mesh_reader *r);
/* Makes place for more of both, so that what a file promises is taken at once. */
rps_status rps_reader_expect(rps_mesh_reader *r, size_t points, size_t triangles);
/* The corners of a polygon are collected one by one, then cut into triangles. */
rps_status rps_reader_add_corner(rps_mesh_reader *r, size_t place, uint32_t point);
rps_status rps_reader_add_polygon(rps_mesh_reader *r, size_t corners);

/* polygon.c: cuts a polygon of at least 3 corners into triangles, `corners` - 2 of them at most; *triangles is 0 if it has no
 * ear, as some that cross themselves. corner is rearranged. scratch: 2 numbers and a byte by corner. */
size_t rps_polygon_scratch(size_t corners);
void rps_polygon_cut(double (*point)[3], uint32_t *corner, size_t corners, void *scratch, uint32_t (*out)[3],
                     size_t *triangles);

#endif
