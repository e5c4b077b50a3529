/* Shared by the tests of meshes. */
#include "mesh_common.h"

#include <stdlib.h>

uint32_t mesh_add_point(rps_raw_mesh *raw, double x, double y, double z) {
    void *p = raw->point;
    const size_t used = raw->points * sizeof *raw->point;
    MUST(rps_buffer_reserve(NULL, &p, &raw->point_bytes, used, used + sizeof *raw->point, ERR));
    raw->point = p;
    rps_vec3_put(raw->point[raw->points], rps_vec3_make(x, y, z));
    return (uint32_t)raw->points++;
}

void mesh_add_triangle(rps_raw_mesh *raw, uint32_t a, uint32_t b, uint32_t c) {
    void *p = raw->triangle;
    const size_t used = raw->triangles * sizeof *raw->triangle;
    MUST(rps_buffer_reserve(NULL, &p, &raw->triangle_bytes, used, used + sizeof *raw->triangle, ERR));
    raw->triangle = p;
    memcpy(raw->triangle[raw->triangles++], (uint32_t[3]){a, b, c}, sizeof *raw->triangle);
}

void mesh_free_raw(rps_raw_mesh *raw) {
    rps_raw_mesh_release(NULL, raw);
}

void mesh_add_tetrahedron(rps_raw_mesh *raw) {
    const uint32_t o = mesh_add_point(raw, 0, 0, 0), x = mesh_add_point(raw, 1, 0, 0);
    const uint32_t y = mesh_add_point(raw, 0, 1, 0), z = mesh_add_point(raw, 0, 0, 1);
    mesh_add_triangle(raw, x, y, z);
    mesh_add_triangle(raw, o, y, x);
    mesh_add_triangle(raw, o, z, y);
    mesh_add_triangle(raw, o, x, z);
}

void mesh_add_cube(rps_raw_mesh *raw, rps_vec3 center, double size) {
    static const uint32_t face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const uint32_t first = (uint32_t)raw->points;
    const double half = 0.5 * fabs(size);
    for (int k = 0; k < 8; k++) {
        mesh_add_point(raw, center.x + (k & 1 ? half : -half), center.y + (k & 2 ? half : -half),
                       center.z + (k & 4 ? half : -half));
    }
    for (int k = 0; k < 6; k++) {
        const uint32_t a = first + face[k][0], b = first + face[k][1], c = first + face[k][2], d = first + face[k][3];
        mesh_add_triangle(raw, a, size > 0.0 ? b : c, size > 0.0 ? c : b);
        mesh_add_triangle(raw, a, size > 0.0 ? c : d, size > 0.0 ? d : c);
    }
}

static void add_ball_triangle(rps_raw_mesh *raw, const rps_vec3 corner[3], rps_vec3 center, double radius, int levels) {
    if (levels == 0) {
        uint32_t n[3];
        for (int k = 0; k < 3; k++) {
            const rps_vec3 x = rps_vec3_add_scaled(center, radius, corner[k]);
            n[k] = mesh_add_point(raw, x.x, x.y, x.z);
        }
        mesh_add_triangle(raw, n[0], n[1], n[2]);
        return;
    }
    rps_vec3 middle[3];
    for (int k = 0; k < 3; k++) middle[k] = rps_vec3_normalize(rps_vec3_add(corner[k], corner[(k + 1) % 3]));
    add_ball_triangle(raw, middle, center, radius, levels - 1);
    for (int k = 0; k < 3; k++) {
        const rps_vec3 part[3] = {corner[k], middle[k], middle[(k + 2) % 3]};
        add_ball_triangle(raw, part, center, radius, levels - 1);
    }
}

void mesh_add_icosphere(rps_raw_mesh *raw, rps_vec3 center, double radius, int levels) {
    const double golden = 0.5 * (1.0 + sqrt(5.0));
    rps_vec3 at[12];
    for (int k = 0; k < 4; k++) {
        const double one = k & 1 ? -1.0 : 1.0, more = k & 2 ? -golden : golden;
        at[k] = rps_vec3_normalize(rps_vec3_make(0, one, more));
        at[4 + k] = rps_vec3_normalize(rps_vec3_make(one, more, 0));
        at[8 + k] = rps_vec3_normalize(rps_vec3_make(more, 0, one));
    }
    /* three corners make a face if they are neighbors of each other */
    for (int a = 0; a < 12; a++) {
        for (int b = a + 1; b < 12; b++) {
            for (int c = b + 1; c < 12; c++) {
                const double least = 0.4; /* cosine: 1/sqrt(5) of neighbors, -1/sqrt(5) of others */
                if (rps_vec3_dot(at[a], at[b]) < least || rps_vec3_dot(at[b], at[c]) < least) continue;
                if (rps_vec3_dot(at[c], at[a]) < least) continue;
                const bool out = rps_vec3_dot(at[a], rps_vec3_cross(at[b], at[c])) > 0.0;
                const rps_vec3 corner[3] = {at[a], out ? at[b] : at[c], out ? at[c] : at[b]};
                add_ball_triangle(raw, corner, center, radius, levels);
            }
        }
    }
}

void mesh_add_sheet(rps_raw_mesh *raw, uint32_t n, double rough, uint64_t stream) {
    const uint32_t first = (uint32_t)raw->points;
    const double step = 1.0 / n;
    for (uint32_t j = 0; j <= n; j++) {
        for (uint32_t i = 0; i <= n; i++) {
            const uint64_t draw = 3 * (uint64_t)(j * (n + 1) + i);
            const bool rim = i == 0 || j == 0 || i == n || j == n;
            const double dx = rim ? 0.0 : uniform(stream, draw, -0.3, 0.3);
            const double dy = rim ? 0.0 : uniform(stream, draw + 1, -0.3, 0.3);
            mesh_add_point(raw, step * (i + dx), step * (j + dy), rough * step * uniform(stream, draw + 2, -1.0, 1.0));
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            mesh_add_triangle(raw, a, b, d);
            mesh_add_triangle(raw, a, d, c);
        }
    }
}

void mesh_add_ring(rps_raw_mesh *raw, uint32_t n, int turns) {
    const uint32_t first = (uint32_t)raw->points;
    for (uint32_t k = 0; k < n; k++) {
        const double pi = 3.14159265358979323846;
        const double around = 2.0 * pi * k / n, roll = 0.4 + 0.5 * turns * around;
        for (int side = -1; side <= 1; side += 2) {
            const double out = 1.0 + 0.2 * side * cos(roll);
            mesh_add_point(raw, out * cos(around), out * sin(around), 0.2 * side * sin(roll));
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t a = first + 2 * k, b = a + 1, next = first + 2 * ((k + 1) % n);
        const bool swapped = k + 1 == n && turns % 2 != 0;
        const uint32_t c = swapped ? next + 1 : next, d = swapped ? next : next + 1;
        mesh_add_triangle(raw, a, b, d);
        mesh_add_triangle(raw, a, d, c);
    }
}

void mesh_separate(rps_raw_mesh *raw) {
    rps_raw_mesh all = {0};
    for (size_t t = 0; t < raw->triangles; t++) {
        uint32_t n[3];
        for (int k = 0; k < 3; k++) {
            const double *x = raw->point[raw->triangle[t][k]];
            n[k] = mesh_add_point(&all, x[0], x[1], x[2]);
        }
        mesh_add_triangle(&all, n[0], n[1], n[2]);
    }
    mesh_free_raw(raw);
    *raw = all;
}

static uint64_t below(uint64_t stream, uint64_t n, uint64_t count) {
    return rps_random_index(23, RPS_RANDOM_TEST, stream, n, count);
}

void mesh_shuffle(rps_raw_mesh *raw, uint64_t stream) {
    uint32_t *place = malloc(raw->points * sizeof *place);
    double(*point)[3] = malloc(raw->points * sizeof *point);
    assert_true(place != NULL && point != NULL);
    for (size_t k = 0; k < raw->points; k++) place[k] = (uint32_t)k;
    for (size_t k = raw->points; k > 1; k--) {
        const size_t other = below(stream, k, k);
        const uint32_t kept = place[k - 1];
        place[k - 1] = place[other];
        place[other] = kept;
    }
    for (size_t k = 0; k < raw->points; k++) memcpy(point[place[k]], raw->point[k], sizeof *point);
    memcpy(raw->point, point, raw->points * sizeof *point);
    for (size_t t = raw->triangles; t > 0; t--) {
        uint32_t corner[3], *other = raw->triangle[below(stream + 1, t, t)], *last = raw->triangle[t - 1];
        const uint64_t turn = below(stream + 2, t, 3);
        memcpy(corner, other, sizeof corner);
        memcpy(other, last, sizeof corner);
        for (unsigned k = 0; k < 3; k++) last[k] = place[corner[(k + turn) % 3]];
    }
    free(place);
    free(point);
}

void mesh_make(const rps_raw_mesh *raw, const rps_mesh_options *options, rps_mesh *out, rps_mesh_report *report) {
    const rps_mesh_options plain = rps_mesh_options_default();
    rps_mesh_report unread;
    MUST(rps_mesh_build(NULL, raw, options ? options : &plain, out, report ? report : &unread, ERR));
    mesh_check(out);
}

void mesh_refused(const rps_raw_mesh *raw, const rps_mesh_options *options, const char *part) {
    const rps_mesh_options plain = rps_mesh_options_default();
    const rps_mesh none = {0};
    rps_error err = {.status = RPS_OK};
    rps_mesh_report report;
    rps_mesh mesh;
    const rps_status status = rps_mesh_build(NULL, raw, options ? options : &plain, &mesh, &report, &err);
    if (status != RPS_BAD_INPUT || err.status != status || !strstr(err.text, part)) {
        fail_msg("%s without \"%s\": %s", rps_status_name(status), part, err.text);
    }
    assert_memory_equal(&mesh, &none, sizeof mesh);
}

#define SAME(array, count) assert_true(rps_same_bits(a->array, b->array, (count) * sizeof *a->array))

void mesh_compare(const rps_mesh *a, const rps_mesh *b) {
    assert_int_equal(a->points, b->points);
    assert_int_equal(a->triangles, b->triangles);
    assert_int_equal(a->edges, b->edges);
    assert_int_equal(a->patches, b->patches);
    SAME(point, a->points);
    SAME(triangle, a->triangles);
    SAME(normal, a->triangles);
    SAME(edge, a->edges);
    SAME(edge_of, a->triangles);
    SAME(fold, a->edges);
    SAME(edge_first, a->edges + 1);
    SAME(edge_triangle, 3 * a->triangles);
    SAME(point_first, a->points + 1);
    SAME(point_triangle, 3 * a->triangles);
    SAME(patch, a->triangles);
    assert_int_equal(a->ridges, b->ridges);
    assert_int_equal(a->tips, b->tips);
    SAME(ridge, a->ridges);
    SAME(tip, a->tips);
    SAME(shift, a->points);
    assert_memory_equal(a->tree.node, b->tree.node, rps_box_tree_bytes(&a->tree));
    assert_int_equal(a->closed, b->closed);
    assert_memory_equal(&a->box, &b->box, sizeof a->box);
    assert_memory_equal(&a->area, &b->area, sizeof a->area);
    assert_memory_equal(&a->volume, &b->volume, sizeof a->volume);
    assert_memory_equal(&a->center, &b->center, sizeof a->center);
    assert_memory_equal(a->inertia, b->inertia, sizeof a->inertia);
}

static int compare_rows(const uint32_t *a, const uint32_t *b, int n) {
    for (int k = 0; k < n; k++) {
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

static void check_points(const rps_mesh *m) {
    for (size_t p = 0; p < m->points; p++) {
        if (p > 0) {
            const double *x = m->point[p - 1], *y = m->point[p];
            assert_true(x[0] < y[0] || (x[0] == y[0] && (x[1] < y[1] || (x[1] == y[1] && x[2] < y[2]))));
        }
        assert_true(m->point_first[p + 1] > m->point_first[p]);
        for (uint32_t n = m->point_first[p]; n < m->point_first[p + 1]; n++) {
            const uint32_t *t = m->triangle[m->point_triangle[n]];
            assert_true(t[0] == p || t[1] == p || t[2] == p);
            assert_true(n == m->point_first[p] || m->point_triangle[n] > m->point_triangle[n - 1]);
        }
    }
    assert_int_equal(m->point_first[0], 0);
    assert_int_equal(m->point_first[m->points], 3 * m->triangles);
}

static void check_edges(const rps_mesh *m) {
    for (size_t e = 0; e < m->edges; e++) {
        assert_true(m->edge[e][0] < m->edge[e][1]);
        assert_true(e == 0 || compare_rows(m->edge[e - 1], m->edge[e], 2) < 0);
        const uint32_t count = m->edge_first[e + 1] - m->edge_first[e];
        assert_true(count > 0);
        assert_int_equal(count == 1, m->fold[e] == RPS_FOLD_BOUNDARY);
        if (count > 2) assert_int_equal(m->fold[e], RPS_FOLD_MANY);
        for (uint32_t n = m->edge_first[e]; n < m->edge_first[e + 1]; n++) {
            const uint32_t *of = m->edge_of[m->edge_triangle[n]];
            assert_true(of[0] == e || of[1] == e || of[2] == e);
            assert_true(n == m->edge_first[e] || m->edge_triangle[n] > m->edge_triangle[n - 1]);
        }
    }
    assert_int_equal(m->edge_first[0], 0);
    assert_int_equal(m->edge_first[m->edges], 3 * m->triangles);
}

static void check_triangles(const rps_mesh *m) {
    uint32_t patches = 0;
    for (size_t t = 0; t < m->triangles; t++) {
        const uint32_t *corner = m->triangle[t];
        assert_true(corner[0] < corner[1] && corner[0] < corner[2]);
        assert_true(t == 0 || compare_rows(m->triangle[t - 1], corner, 3) < 0);
        for (int k = 0; k < 3; k++) {
            const uint32_t *edge = m->edge[m->edge_of[t][k]], a = corner[k], b = corner[(k + 1) % 3];
            assert_true(edge[0] == (a < b ? a : b) && edge[1] == (a < b ? b : a));
        }
        const rps_vec3 a = rps_vec3_of(m->point[corner[0]]), n = rps_vec3_of(m->normal[t]);
        const rps_vec3 area = rps_vec3_cross(rps_vec3_sub(rps_vec3_of(m->point[corner[1]]), a),
                                             rps_vec3_sub(rps_vec3_of(m->point[corner[2]]), a));
        ASSERT_NEAR(rps_vec3_norm(n), 1.0, 1e-15 * 4);
        assert_true(rps_vec3_dot(n, area) > 0.999 * rps_vec3_norm(area));
        assert_true(m->patch[t] <= patches); /* numbers rise with the first triangle */
        if (m->patch[t] == patches) patches++;
    }
    assert_int_equal(patches, m->patches);
    assert_int_equal(m->tree.items, m->triangles);
}

void mesh_check(const rps_mesh *m) {
    check_points(m);
    check_edges(m);
    check_triangles(m);
}
