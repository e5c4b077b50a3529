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

#endif
