/* OBJ: lines `v x y z` and `f i j k ...`, an index as i, i/t, i//n or i/t/n, counted from 1, or backward from the last point. A
 * backslash at the end continues a line. A line `o` begins a group, in files without them `g`. Curved surfaces are refused; all else, as
 * normals and materials, is skipped. */
#include "mesh/build_mesh.h"
#include "mesh/reader.h"

/* The next word of a line, which may go on after a backslash. */
static bool obj_word(rps_mesh_reader *r, char word[RPS_MESH_WORD]) {
    while (rps_reader_word(r, word)) {
        if (strcmp(word, "\\") != 0) return word[0] != '#';
        if (!rps_reader_next_line(r)) return false;
    }
    return false;
}

static rps_status read_obj_point(rps_mesh_reader *r) {
    double at[3];
    char word[RPS_MESH_WORD];
    for (int k = 0; k < 3; k++) {
        if (!obj_word(r, word)) return rps_reader_fail(r, "a point has %d coordinates, and needs 3", k);
        RPS_TRY(rps_reader_parse(r, word, &at[k]));
    }
    return rps_reader_add_point(r, at);
}

/* The point that a corner names: the digits before the first slash. */
static rps_status find_corner(rps_mesh_reader *r, const char *word, uint32_t *out) {
    const bool backward = word[0] == '-';
    const size_t points = r->raw->points;
    size_t number = 0;
    const char *at = word + (backward ? 1 : 0), *digits = at;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = 10 * number + (size_t)(*at - '0');
        if (number > 3 * RPS_MESH_MOST) number = 3 * RPS_MESH_MOST + 1; /* no more than there can be, and no overflow */
    }
    if (at == digits || (*at != '\0' && *at != '/')) {
        return rps_reader_fail(r, "\"%.40s\" names no point; a corner is written like 12, 12/3, 12//7 or -1", word);
    }
    if (number == 0 || number > points) {
        return rps_reader_fail(r, "\"%.40s\" names a point that is not there; %zu come before this line", word, points);
    }
    *out = (uint32_t)(backward ? points - number : number - 1);
    return RPS_OK;
}

static rps_status read_obj_face(rps_mesh_reader *r) {
    char word[RPS_MESH_WORD];
    size_t corners = 0;
    for (; obj_word(r, word); corners++) {
        uint32_t point = 0;
        RPS_TRY(find_corner(r, word, &point));
        RPS_TRY(rps_reader_add_corner(r, corners, point));
    }
    return rps_reader_add_polygon(r, corners);
}

rps_status rps_read_obj(rps_mesh_reader *r) {
    static const char *const curved[] = {"curv", "curv2", "surf"};
    char word[RPS_MESH_WORD];
    bool objects = false;
    do {
        if (!obj_word(r, word)) continue;
        objects = objects || strcmp(word, "o") == 0;
        if (strcmp(word, objects ? "o" : "g") == 0) RPS_TRY(rps_reader_begin_group(r));
        for (size_t k = 0; k < sizeof curved / sizeof *curved; k++) {
            if (strcmp(word, curved[k]) != 0) continue;
            return rps_reader_fail(r, "`%s` is a curved surface; save the file as triangles", word);
        }
        if (strcmp(word, "v") == 0) RPS_TRY(read_obj_point(r));
        if (strcmp(word, "f") == 0) RPS_TRY(read_obj_face(r));
        while (obj_word(r, word)) {} /* a continued line is one */
    } while (rps_reader_next_line(r));
    return RPS_OK;
}
