/* Triangle meshes for tests. Points and triangles are appended; nothing checks the room. */
#ifndef TESTS_PHYSICS_MESHES_H
#define TESTS_PHYSICS_MESHES_H

#include <stdlib.h>

#include "worlds.h"

enum { SHEET_POINTS = 60000, SHEET_TRIANGLES = 120000 };

typedef struct sheet {
    double (*point)[3];
    uint32_t (*triangle)[3];
    size_t points, triangles;
} sheet;

static inline sheet sheet_new(void) {
    sheet s = {0};
    s.point = malloc(SHEET_POINTS * sizeof *s.point);
    s.triangle = malloc(SHEET_TRIANGLES * sizeof *s.triangle);
    assert_true(s.point != NULL && s.triangle != NULL);
    return s;
}

static inline void sheet_free(sheet *s) {
    free(s->point);
    free(s->triangle);
}

static inline uint32_t sheet_point(sheet *s, double x, double y, double z) {
    assert_true(s->points < SHEET_POINTS);
    s->point[s->points][0] = x;
    s->point[s->points][1] = y;
    s->point[s->points][2] = z;
    return (uint32_t)s->points++;
}

static inline void sheet_triangle(sheet *s, uint32_t a, uint32_t b, uint32_t c) {
    assert_true(s->triangles < SHEET_TRIANGLES);
    s->triangle[s->triangles][0] = a;
    s->triangle[s->triangles][1] = b;
    s->triangle[s->triangles][2] = c;
    s->triangles++;
}

/* Two triangles on corners in order. */
static inline void sheet_quad(sheet *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    sheet_triangle(s, a, b, c);
    sheet_triangle(s, a, c, d);
}

/* A strip along y of given half width over a path in x-z. */
static inline void sheet_extrude(sheet *s, const double (*xz)[2], int count, double half) {
    uint32_t last[2] = {0, 0};
    for (int k = 0; k < count; k++) {
        const uint32_t now[2] = {sheet_point(s, xz[k][0], -half, xz[k][1]), sheet_point(s, xz[k][0], half, xz[k][1])};
        if (k > 0) sheet_quad(s, last[0], now[0], now[1], last[1]);
        last[0] = now[0];
        last[1] = now[1];
    }
}

static inline uint64_t add_sheet(rps_world *world, const sheet *s, rps_mesh_sides side) {
    rps_mesh_def def = rps_mesh_def_default();
    int number = 0;
    uint64_t id = 0;
    def.point = (const double(*)[3])s->point;
    def.points = s->points;
    def.triangle = (const uint32_t(*)[3])s->triangle;
    def.triangles = s->triangles;
    def.side = side;
    MUST(rps_world_add_mesh(world, &def, &number, ERR));
    const rps_body_def body = rps_body_mesh(number);
    MUST(rps_world_add_body(world, &body, &id, ERR));
    return id;
}

/* A square of the plane z = 0: 0 strips of which every other one is a sliver, 1 random points. */
static inline sheet sheet_floor(int kind) {
    enum { COUNT = 30 };
    const double h = 0.3, shift = 0.35 * 2.0 * h / COUNT;
    sheet s = sheet_new();
    if (kind == 0) {
        double x = -h;
        uint32_t last[2] = {sheet_point(&s, x, -h, 0), sheet_point(&s, x, h, 0)};
        for (int k = 0; x < h; k++) {
            x += k % 2 == 0 ? 7.3e-3 : 8.2e-7;
            const uint32_t now[2] = {sheet_point(&s, x, -h, 0), sheet_point(&s, x, h, 0)};
            sheet_quad(&s, last[0], now[0], now[1], last[1]);
            last[0] = now[0];
            last[1] = now[1];
        }
        return s;
    }
    for (int i = 0; i <= COUNT; i++) {
        for (int j = 0; j <= COUNT; j++) {
            const bool in = i > 0 && i < COUNT && j > 0 && j < COUNT;
            const uint64_t n = (uint64_t)(i * 100 + j);
            sheet_point(&s, -h + 2.0 * h * i / COUNT + (in ? uniform(1, n, -shift, shift) : 0.0),
                        -h + 2.0 * h * j / COUNT + (in ? uniform(2, n, -shift, shift) : 0.0), 0.0);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            const uint32_t a = (uint32_t)(i * (COUNT + 1) + j), b = a + COUNT + 1;
            sheet_quad(&s, a, b, b + 1, a + 1);
        }
    }
    return s;
}

/* Rough ground in a bowl, of triangles about as large as the bodies, or a third of that. */
static inline sheet sheet_ground(double edge) {
    enum { COUNT = 40 };
    const double h = 0.5 * edge * COUNT;
    sheet s = sheet_new();
    for (int i = 0; i <= COUNT; i++) {
        for (int j = 0; j <= COUNT; j++) {
            const uint64_t n = (uint64_t)(i * 100 + j);
            const double x = -h + edge * i + uniform(1, n, -0.2, 0.2) * edge,
                         y = -h + edge * j + uniform(2, n, -0.2, 0.2) * edge;
            sheet_point(&s, x, y, 3.0 * (x * x + y * y) + uniform(3, n, -0.25, 0.25) * edge);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            const uint32_t a = (uint32_t)(i * (COUNT + 1) + j), b = a + COUNT + 1;
            sheet_quad(&s, a, b, b + 1, a + 1);
        }
    }
    return s;
}

/* The number of a mesh with mass and a center. */
static inline int add_solid(rps_world *world, const sheet *s) {
    rps_mesh_def def = rps_mesh_def_default();
    int number = 0;
    def.point = (const double(*)[3])s->point;
    def.points = s->points;
    def.triangle = (const uint32_t(*)[3])s->triangle;
    def.triangles = s->triangles;
    def.solid = 1;
    MUST(rps_world_add_mesh(world, &def, &number, ERR));
    return number;
}

/* kg m/s and kg m^2/s about the origin. */
static inline void momenta_of(const rps_world *world, rps_vec3 *linear, rps_vec3 *angular) {
    *linear = *angular = rps_vec3_zero();
    for (uint64_t id = 0; id < rps_world_body_count(world); id++) {
        const double m = field_of(world, "mass", id)[0], *i = field_of(world, "inertia", id),
                     *q = field_of(world, "orientation", id);
        const rps_quat turn = {q[0], q[1], q[2], q[3]};
        const rps_vec3 p = rps_vec3_scale(velocity_of(world, id), m);
        const rps_vec3 own = rps_quat_rotate_inverse(turn, turning_of(world, id));
        const rps_vec3 spin = rps_quat_rotate(turn, rps_vec3_make(i[0] * own.x, i[1] * own.y, i[2] * own.z));
        *linear = rps_vec3_add(*linear, p);
        *angular = rps_vec3_add(*angular, rps_vec3_add(spin, rps_vec3_cross(position_of(world, id), p)));
    }
}

/* Two worlds have the same state, to the bit. */
static inline void assert_same_state(const rps_world *a, const rps_world *b) {
    uint64_t x[2], y[2];
    MUST(rps_world_hash(a, x, ERR));
    MUST(rps_world_hash(b, y, ERR));
    assert_true(x[0] == y[0] && x[1] == y[1]);
}

#endif
