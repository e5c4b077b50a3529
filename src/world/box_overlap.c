/*
 * The part of a box that other boxes cover: by inclusion and exclusion over the sets of others that meet in the box.
 *
 * The intersection of a set is a convex polyhedron. Its face on a plane is a large square on that plane, clipped by all
 * other planes, and its moments are the sum over the faces of those of tetrahedra from one point (the divergence theorem).
 * No list of edges and corners is needed, so that none can become inconsistent by rounding.
 */
#include "world/box_overlap.h"

#include <string.h>

enum {
    DEPTH = 8,          /* boxes that may meet in one place, with the own */
    PLANES = 6 * DEPTH, /* each cuts off a corner at most */
    CORNERS = 4 + PLANES,
    SETS = 2048,  /* of others, for a box */
    CLIP_WORK = 1 /* of a plane and a face, in chords */
};
#define FLUSH 1e-12 /* of the size of the own box: planes closer than this are one */

typedef struct half_space {
    rps_vec3 normal; /* outward */
    double offset;   /* m: n.x <= offset inside */
} half_space;

typedef struct polygon {
    rps_vec3 corner[CORNERS];
    int count;
} polygon;

typedef struct search {
    const rps_lined *placed;
    const int32_t *index;
    size_t others;
    rps_vec3 origin; /* center of the own box; positions are relative to it */
    double size;     /* m, half the diagonal of the own box */
    half_space plane[PLANES];
    int planes, sets;
    uint64_t *work;
    rps_moments sum;
} search;

/* --- a face ----------------------------------------------------------------------------------------------------------- */

static double height_over(const half_space *plane, rps_vec3 x) {
    return rps_vec3_dot(plane->normal, x) - plane->offset;
}

/* A square on the plane, counterclockwise seen from outside, that reaches beyond the own box. */
static void begin_face(const search *s, const half_space *plane, polygon *face) {
    const rps_vec3 u = rps_vec3_normalize(rps_vec3_any_across(plane->normal)), v = rps_vec3_cross(plane->normal, u);
    const rps_vec3 middle = rps_vec3_scale(plane->normal, plane->offset);
    static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    face->count = 4;
    for (int k = 0; k < 4; k++) {
        const rps_vec3 along = rps_vec3_add_scaled(middle, 2.0 * s->size * sign[k][0], u);
        face->corner[k] = rps_vec3_add_scaled(along, 2.0 * s->size * sign[k][1], v);
    }
}

/* Keeps the part below the plane. Of two planes that are one, the first has the face. */
static void clip_face(const search *s, polygon *face, const half_space *plane, bool same_way, bool before) {
    double height[CORNERS], most = 0.0;
    for (int k = 0; k < face->count; k++) {
        height[k] = height_over(plane, face->corner[k]);
        most = fabs(height[k]) > most ? fabs(height[k]) : most;
    }
    if (same_way && most <= FLUSH * s->size) {
        if (before) face->count = 0;
        return;
    }
    polygon left = {.count = 0};
    for (int k = 0; k < face->count; k++) {
        const int next = k + 1 < face->count ? k + 1 : 0;
        if (height[k] <= 0.0) left.corner[left.count++] = face->corner[k];
        if ((height[k] < 0.0 && height[next] > 0.0) || (height[k] > 0.0 && height[next] < 0.0)) {
            const double part = height[k] / (height[k] - height[next]);
            const rps_vec3 edge = rps_vec3_sub(face->corner[next], face->corner[k]);
            left.corner[left.count++] = rps_vec3_add_scaled(face->corner[k], part, edge);
        }
    }
    *face = left;
}

/* Moments of the tetrahedron from the origin to a triangle, signed by its side. */
static void add_tetrahedron(rps_moments *sum, rps_vec3 a, rps_vec3 b, rps_vec3 c) {
    const double volume = rps_vec3_dot(a, rps_vec3_cross(b, c)) / 6.0;
    const double x[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    double total[3];
    for (int k = 0; k < 3; k++) total[k] = x[0][k] + x[1][k] + x[2][k];
    sum->m[0] += volume;
    for (int k = 0; k < 3; k++) sum->m[1 + k] += volume / 4.0 * total[k];
    for (int n = 0; n < 6; n++) {
        const int i = row[n], j = col[n];
        double products = total[i] * total[j];
        for (int k = 0; k < 3; k++) products += x[k][i] * x[k][j];
        sum->m[4 + n] += volume / 20.0 * products;
    }
}

/* --- a polyhedron ------------------------------------------------------------------------------------------------------- */

/* Of the intersection of all half spaces. */
static rps_moments moments_of(search *s) {
    rps_moments sum = {{0.0}};
    polygon face;
    for (int i = 0; i < s->planes; i++) {
        begin_face(s, &s->plane[i], &face);
        for (int j = 0; j < s->planes && face.count >= 3; j++) {
            if (j == i) continue;
            const bool same_way = rps_vec3_dot(s->plane[i].normal, s->plane[j].normal) > 0.0;
            clip_face(s, &face, &s->plane[j], same_way, j < i);
            *s->work += CLIP_WORK;
        }
        for (int k = 2; k < face.count; k++) add_tetrahedron(&sum, face.corner[0], face.corner[k - 1], face.corner[k]);
    }
    return sum;
}

static void add_planes(search *s, const rps_lined *box) {
    const rps_vec3 center = rps_vec3_sub(box->centre, s->origin);
    for (int axis = 0; axis < 3; axis++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const rps_mat3 *m = &box->axes;
            const rps_vec3 n = {sign * m->m[0][axis], sign * m->m[1][axis], sign * m->m[2][axis]};
            s->plane[s->planes++] = (half_space){n, rps_vec3_dot(n, center) + box->core.half[axis]};
        }
    }
}

/* Adds, with the sign of their number, all sets that begin with those whose planes are listed and go on with others from
 * `next`; false: too many. */
static bool add_sets(search *s, size_t next, int members) {
    const int planes = s->planes;
    for (size_t k = next; k < s->others; k++) {
        if (members + 1 == DEPTH || s->sets++ == SETS) return false;
        add_planes(s, &s->placed[s->index[k]]);
        const rps_moments m = moments_of(s);
        const double smallest = FLUSH * s->size * s->size * s->size;
        if (m.m[0] > smallest) {
            const double sign = members % 2 ? 1.0 : -1.0;
            for (int n = 0; n < RPS_MOMENTS; n++) s->sum.m[n] += sign * m.m[n];
            if (!add_sets(s, k + 1, members + 1)) return false;
        }
        s->planes = planes;
    }
    return true;
}

bool rps_box_overlap_moments(const rps_lined *placed, size_t own, const int32_t *index, size_t others, uint64_t *work,
                             rps_moments *out) {
    const double *half = placed[own].core.half;
    search s = {.placed = placed, .index = index, .others = others, .origin = placed[own].centre, .work = work};
    s.size = sqrt((half[0] * half[0] + half[1] * half[1]) + half[2] * half[2]);
    add_planes(&s, &placed[own]);
    if (!add_sets(&s, 0, 1)) return false;
    *out = rps_moments_moved(&s.sum, s.origin);
    return true;
}
