/*
 * The readers: the same tetrahedron in every form that a file may have, errors with line or byte, polygons, and that no cut or damaged
 * file does more than fail.
 */
#include "mesh_common.h"

#include "mesh/read.h"

static const char stl[] =
    "solid a name\nfacet normal nan 0 -nan(ind)\nouter loop\nvertex 1 0 0\nvertex 0 1e0 0\nvertex 0 0 "
    "1.0\nendloop\nendfacet\n"
    "FACET NORMAL 0 0 -1 OUTER LOOP VERTEX 0 0 0\r\nVERTEX 0 1 0 VERTEX 1 0 0 ENDLOOP ENDFACET\n"
    "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet\n"
    "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet\n"
    "endsolid a name\n";
static const char obj[] =
    "# comment\nmtllib x\nv 0 0 0\nv 1 0 0 1.0\nvn 0 0 1\nv 0 1 0\nv 0 0 1\ng part\nf 2 3/1 4//2\n"
    "f 1/1/1 3 \\\n 2\nf -4 -1 -2 # more\nf 1 2 4";
static const char ply[] =
    "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty uchar red\nproperty double x\n"
    "property float y\nproperty float32 z\nelement face 4\nproperty list uchar int vertex_indices\n"
    "property list uint8 float more\nelement other 1\nproperty int n\nend_header\n"
    "7 0 0 0\n7 1 0 0\n\n7 0 1 0\n7 0 0 1\n3 1 2 3 0\n3 0 2 1 1 nan\n3 0 3 2 0\n3 0 1 3 2 1 2\n5\n";

typedef struct file {
    unsigned char byte[4096];
    size_t count;
} file;

static void put(file *f, uint64_t bits, size_t size, bool big) {
    for (size_t k = 0; k < size; k++) f->byte[f->count++] = (unsigned char)(bits >> 8 * (big ? size - 1 - k : k));
}

static void put_float(file *f, double x, bool big) {
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put(f, bits, sizeof bits, big);
}

static void put_double(file *f, double x, bool big) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(f, bits, sizeof bits, big);
}

static void put_text(file *f, const char *text) {
    memcpy(f->byte + f->count, text, strlen(text));
    f->count += strlen(text);
}

/* Its head says `solid`, as some programs write. */
static file binary_stl(void) {
    rps_raw_mesh raw = {0};
    file f = {.count = 80};
    memcpy(f.byte, "solid\n", 6);
    mesh_add_tetrahedron(&raw);
    put(&f, raw.triangles, 4, false);
    for (size_t t = 0; t < raw.triangles; t++) {
        for (int k = 0; k < 3; k++) put_float(&f, NAN, false);
        for (int k = 0; k < 9; k++) put_float(&f, raw.point[raw.triangle[t][k / 3]][k % 3], false);
        put(&f, 0xffff, 2, false);
    }
    mesh_free_raw(&raw);
    return f;
}

static file binary_ply(bool big) {
    rps_raw_mesh raw = {0};
    file f = {.count = 0};
    mesh_add_tetrahedron(&raw);
    put_text(&f, "ply\nformat ");
    put_text(&f, big ? "binary_big_endian" : "binary_little_endian");
    put_text(&f,
             " 1.0\nelement vertex 4\nproperty double x\nproperty float y\nproperty short nx\nproperty double z\n"
             "element face 4\nproperty list ushort char tags\nproperty list uint ushort vertex_index\nend_header\n");
    for (size_t p = 0; p < raw.points; p++) {
        put_double(&f, raw.point[p][0], big);
        put_float(&f, raw.point[p][1], big);
        put(&f, 0x8001, 2, big);
        put_double(&f, raw.point[p][2], big);
    }
    for (size_t t = 0; t < raw.triangles; t++) {
        put(&f, 2, 2, big);
        put(&f, 0, 2, big);
        put(&f, 3, 4, big);
        for (int k = 0; k < 3; k++) put(&f, raw.triangle[t][k], 2, big);
    }
    mesh_free_raw(&raw);
    return f;
}

static file text_file(const char *text) {
    file f = {.count = 0};
    put_text(&f, text);
    return f;
}

/* The files and their names. */
static int all_files(file f[6], const char *name[6]) {
    static const char *const names[] = {"a.stl", "a.STL", "a.obj", "a.ply", "a.ply", "a"};
    for (int k = 0; k < 6; k++) name[k] = names[k];
    f[0] = text_file(stl);
    f[1] = binary_stl();
    f[2] = text_file(obj);
    f[3] = text_file(ply);
    f[4] = binary_ply(false);
    f[5] = binary_ply(true);
    return 6;
}

static void test_formats(void **state) {
    (void)state;
    static file f[6];
    const char *name[6];
    rps_raw_mesh own = {0};
    rps_mesh sound;
    mesh_add_tetrahedron(&own);
    mesh_make(&own, NULL, &sound, NULL);
    for (int k = all_files(f, name) - 1; k >= 0; k--) {
        rps_raw_mesh raw;
        rps_mesh m;
        MUST(rps_mesh_read(NULL, name[k], f[k].byte, f[k].count, &raw, ERR));
        mesh_make(&raw, NULL, &m, NULL);
        mesh_compare(&sound, &m);
        rps_mesh_release(&m);
        mesh_free_raw(&raw);
    }
    rps_mesh_release(&sound);
    mesh_free_raw(&own);
}

/* Every beginning of a file, and files with a byte changed: an error with the name, or triangles. */
static void test_damaged(void **state) {
    (void)state;
    static file f[6];
    const char *name[6];
    for (int k = all_files(f, name) - 1; k >= 0; k--) {
        const file whole = f[k];
        for (size_t n = 0; n < 3 * whole.count; n++) {
            file damaged = whole;
            if (n < whole.count)
                damaged.count = n;
            else
                damaged.byte[n % whole.count] = (unsigned char)rps_random_index(1, RPS_RANDOM_TEST, 1, n, 256);
            rps_raw_mesh raw;
            rps_error err = {.status = RPS_OK};
            const rps_status status = rps_mesh_read(NULL, name[k], damaged.byte, damaged.count, &raw, &err);
            if (status == RPS_OK) {
                rps_mesh m;
                rps_mesh_report report;
                rps_mesh_options options = rps_mesh_options_default();
                options.side = RPS_MESH_BOTH;
                if (rps_mesh_build(NULL, &raw, &options, &m, &report, &err) == RPS_OK) {
                    mesh_check(&m);
                    rps_mesh_release(&m);
                }
                mesh_free_raw(&raw);
            } else {
                assert_true(raw.point == NULL && raw.triangle == NULL);
                if (strncmp(err.text, name[k], strlen(name[k])) != 0) fail_msg("no name: %s", err.text);
            }
        }
    }
}

static void refuse(const char *name, const char *text, const char *part) {
    rps_raw_mesh raw;
    rps_error err = {.status = RPS_OK};
    const rps_status status = rps_mesh_read(NULL, name, text, strlen(text), &raw, &err);
    if (status == RPS_OK || err.status != status || !strstr(err.text, part)) {
        fail_msg("%s without \"%s\": %s", rps_status_name(status), part, err.text);
    }
}

#define PLY_HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n"

static void test_refused(void **state) {
    (void)state;
    refuse("a", "", "a: the file is empty");
    refuse("a.txt", "hello", "neither STL nor OBJ nor PLY");
    refuse("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n",
           "a.stl: line 4: \"x\" is not a decimal number");
    refuse("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "line 4: a number is missing");
    refuse("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "line 4");
    refuse("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nfacet", "line 4: \"facet\" where `vertex` belongs");
    refuse("a.stl", "solid\n", "ends without `endsolid`");
    refuse("a.stl", "solid\nx", "line 2: \"x\" where `facet` or `endsolid` belongs");
    refuse("a.stl", "junk", "has 4 bytes, and a binary STL has 84 or more");
    refuse("a.obj", "v 1 2\n", "line 1: a point has 2 coordinates");
    refuse("a.obj", "v 1 2 3\nf 1 1 2\n", "line 2: \"2\" names a point that is not there; 1 come before");
    refuse("a.obj", "v 1 2 3\nf 1 1 -2\n", "\"-2\" names a point that is not there");
    refuse("a.obj", "v 1 2 3\nf 0 1 1\n", "\"0\" names a point that is not there");
    refuse("a.obj", "v 1 2 3\nf 1 x 1\n", "\"x\" names no point");
    refuse("a.obj", "v 1 2 3\nf 1 99999999999999999999999 1\n", "names a point that is not there");
    refuse("a.obj", "v 1 2 3\nf 1 1\n", "a face has 2 corners");
    refuse("a.obj", "surf 0 1\n", "curved surface");
    refuse("a.ply", "plx\n", "not a PLY file");
    refuse("a.ply", "ply\nformat octal 1.0\n", "line 2: unknown encoding \"octal\"");
    refuse("a.ply", "ply\nelement vertex x\n", "\"x\" is not a number of elements");
    refuse("a.ply", "ply\nelement vertex 99999999999999999999999\n", "is not a number of elements");
    refuse("a.ply", "ply\nproperty int x\n", "before the first element");
    refuse("a.ply", "ply\nelement vertex 1\nproperty half x\n", "unknown property type \"half\"");
    refuse("a.ply", "ply\nelement vertex 1\nproperty int x\nproperty int x\n", "comes twice");
    refuse("a.ply", "ply\nelement vertex 1\nproperty int x\nend_header\n", "names no format");
    refuse("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n", "points need x, y and z");
    refuse("a.ply", "ply\nwhat\n", "does not belong in the header");
    refuse("a.ply", PLY_HEAD, "ends within its header");
    refuse("a.ply",
           PLY_HEAD "element face 9999999\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3",
           "promises 9999999 elements");
    refuse("a.ply", PLY_HEAD PLY_FACE "3 0 1 3\n", "line 13: a face names point 3, and there are 3");
    refuse("a.ply", PLY_HEAD PLY_FACE "3 0 1 0.5\n", "a face names point 0.5");
    refuse("a.ply", PLY_HEAD PLY_FACE "3 0 1 -1\n", "a face names point -1");
    refuse("a.ply", PLY_HEAD PLY_FACE "-3 0 1 1\n", "a list cannot have -3 values");
    refuse("a.ply", PLY_HEAD PLY_FACE "3 0 1\n", "line 13: the line has fewer values");
    refuse("a.ply", PLY_HEAD PLY_FACE "3 0 1 2 9\n", "line 13: \"9\" is one value more");
    file f = binary_stl();
    rps_raw_mesh raw;
    rps_error err;
    const uint32_t infinite = 0x7f800000;
    memcpy(f.byte + 84 + 50 + 12 + 8, &infinite, 4);
    assert_int_equal(rps_mesh_read(NULL, "b.stl", f.byte, f.count, &raw, &err), RPS_BAD_INPUT);
    assert_string_equal(err.text,
                        "b.stl: byte 154: triangle 2 has a coordinate that is NaN or infinite; repair the file");
    assert_int_equal(rps_mesh_read(NULL, "b.stl", f.byte, f.count - 1, &raw, &err), RPS_BAD_INPUT);
    assert_string_equal(err.text,
                        "b.stl: byte 80: a binary STL of 4 triangles has 284 bytes, and this file has 283; it is cut "
                        "off or no STL");
}

/* Polygons in any plane and sense: their triangles have the area of the polygon, with its turn. */
static void test_polygons(void **state) {
    (void)state;
    /* a square, an L, a comb, a ring with a bridge, a star; corners on straight edges; area */
    static const double corner[][24][2] = {
        {{0, 0}, {1, 0}, {1, 1}, {0, 1}},
        {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
        {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},
        {{0, 0}, {3, 0}, {3, 3}, {0, 3}, {0, 0}, {1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}},
        {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {2, 2}, {1, 2}, {1, 1}, {0, 1}},
    };
    static const size_t corners[] = {4, 6, 12, 10, 10};
    static const double area[] = {1, 3, 11, 8, 5};
    for (size_t n = 0; n < sizeof corners / sizeof *corners; n++) {
        for (int view = 0; view < 6; view++) {
            char text[2048] = "";
            size_t at = 0;
            for (size_t k = 0; k < corners[n]; k++) {
                double x[3] = {0};
                x[view % 3] = corner[n][k][view / 3];
                x[(view + 1) % 3] = corner[n][k][1 - view / 3];
                at += (size_t)snprintf(text + at, sizeof text - at, "v %.0f %.0f %.0f\n", x[0], x[1], x[2]);
            }
            at += (size_t)snprintf(text + at, sizeof text - at, "f");
            for (size_t k = 1; k <= corners[n]; k++) at += (size_t)snprintf(text + at, sizeof text - at, " %zu", k);
            rps_raw_mesh raw;
            MUST(rps_mesh_read(NULL, "a.obj", text, at, &raw, ERR));
            assert_int_equal(raw.triangles, corners[n] - 2);
            double sum = 0.0, size = 0.0;
            for (size_t t = 0; t < raw.triangles; t++) {
                const rps_vec3 a = rps_vec3_of(raw.point[raw.triangle[t][0]]);
                const rps_vec3 u = rps_vec3_sub(rps_vec3_of(raw.point[raw.triangle[t][1]]), a);
                const rps_vec3 cross = rps_vec3_cross(u, rps_vec3_sub(rps_vec3_of(raw.point[raw.triangle[t][2]]), a));
                sum += 0.5 * (cross.x + cross.y + cross.z) * (view < 3 ? 1.0 : -1.0);
                size += 0.5 * rps_vec3_norm(cross);
            }
            assert_true(sum == area[n]); /* whole numbers */
            assert_true(size == area[n]);
            mesh_free_raw(&raw);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_polygons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
