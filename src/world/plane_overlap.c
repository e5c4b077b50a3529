/*
 * The part of a body with plane faces that others cover: by inclusion and exclusion over the sets of others that meet in it.
 *
 * The intersection of a set is a convex polyhedron. Its face on a plane is a large square on that plane, clipped by all
 * other planes, and its moments are the sum over the faces of those of tetrahedra from one point (the divergence theorem).
 * No list of edges and corners is needed, so that none can become inconsistent by rounding.
 */
#include "world/plane_overlap.h"

enum {
    DEPTH = 8,    /* bodies that may meet in one place, with the own */
    SETS = 2048,  /* of others, for a body */
    CLIP_WORK = 1 /* of a plane and a face, in chords */
};
#define FLUSH 1e-12 /* of the size of the own body: planes closer than this are one */

typedef struct half_space {
    rps_vec3 normal; /* outward */
    double offset;   /* m: n.x <= offset inside */
} half_space;

/* Each plane cuts off a corner at most, so that one has at most 4 more than there are planes. */
typedef struct polygon {
    rps_vec3 *corner;
    size_t count;
} polygon;

typedef struct search {
    const rps_lined *placed;
    const int32_t *index;
    size_t others;
    rps_vec3 origin; /* of the own body; positions are relative to it */
    double size;     /* m, from there no part of it is farther */
    half_space *plane;
    polygon face, left; /* of a face, and after a cut */
    double *height;     /* of the corners over a plane */
    size_t planes;
    int sets;
    uint64_t *work;
    rps_moments sum;
} search;

/* --- a face ----------------------------------------------------------------------------------------------------------- */

static double height_over(const half_space *plane, rps_vec3 x) {
    return rps_vec3_dot(plane->normal, x) - plane->offset;
}

/* A square on the plane, counterclockwise seen from outside, that reaches beyond the own body. */
static void begin_face(search *s, const half_space *plane) {
    const rps_vec3 u = rps_vec3_normalize(rps_vec3_any_across(plane->normal)), v = rps_vec3_cross(plane->normal, u);
    const rps_vec3 middle = rps_vec3_scale(plane->normal, plane->offset);
    static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    s->face.count = 4;
    for (int k = 0; k < 4; k++) {
        const rps_vec3 along = rps_vec3_add_scaled(middle, 2.0 * s->size * sign[k][0], u);
        s->face.corner[k] = rps_vec3_add_scaled(along, 2.0 * s->size * sign[k][1], v);
    }
}

/* Keeps the part below the plane. Of two planes that are one, the first has the face. */
static void clip_face(search *s, const half_space *plane, bool same_way, bool before) {
    polygon face = s->face, left = s->left;
    double *height = s->height, most = 0.0;
    for (size_t k = 0; k < face.count; k++) {
        height[k] = height_over(plane, face.corner[k]);
        most = fabs(height[k]) > most ? fabs(height[k]) : most;
    }
    if (same_way && most <= FLUSH * s->size) {
        if (before) s->face.count = 0;
        return;
    }
    left.count = 0;
    for (size_t k = 0; k < face.count; k++) {
        const size_t next = k + 1 < face.count ? k + 1 : 0;
        if (height[k] <= 0.0) left.corner[left.count++] = face.corner[k];
        if ((height[k] < 0.0 && height[next] > 0.0) || (height[k] > 0.0 && height[next] < 0.0)) {
            const double part = height[k] / (height[k] - height[next]);
            const rps_vec3 edge = rps_vec3_sub(face.corner[next], face.corner[k]);
            left.corner[left.count++] = rps_vec3_add_scaled(face.corner[k], part, edge);
        }
    }
    s->face = left;
    s->left = face;
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
    for (size_t i = 0; i < s->planes; i++) {
        begin_face(s, &s->plane[i]);
        for (size_t j = 0; j < s->planes && s->face.count >= 3; j++) {
            if (j == i) continue;
            const bool same_way = rps_vec3_dot(s->plane[i].normal, s->plane[j].normal) > 0.0;
            clip_face(s, &s->plane[j], same_way, j < i);
            *s->work += CLIP_WORK;
        }
        const rps_vec3 *corner = s->face.corner;
        for (size_t k = 2; k < s->face.count; k++) add_tetrahedron(&sum, corner[0], corner[k - 1], corner[k]);
    }
    return sum;
}

static void add_planes_of_mesh(search *s, const rps_lined *body) {
    const rps_vec3 center = rps_vec3_sub(body->centre, s->origin);
    const rps_mesh *mesh = body->mesh;
    uint32_t next = 0; /* numbers of patches rise with their first triangles */
    for (size_t k = 0; k < mesh->triangles; k++) {
        if (mesh->patch[k] != next) continue;
        next++;
        const rps_vec3 own = rps_vec3_of(mesh->face[k].normal), n = rps_mat3_mul_vec(&body->axes, own);
        const double offset = rps_vec3_dot(own, rps_vec3_of(mesh->face[k].point[0]));
        s->plane[s->planes++] = (half_space){n, rps_vec3_dot(n, center) + offset};
    }
}

static void add_planes(search *s, const rps_lined *body) {
    if (body->mesh != NULL) {
        add_planes_of_mesh(s, body);
        return;
    }
    const rps_vec3 center = rps_vec3_sub(body->centre, s->origin);
    for (int axis = 0; axis < 3; axis++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const rps_mat3 *m = &body->axes;
            const rps_vec3 n = {sign * m->m[0][axis], sign * m->m[1][axis], sign * m->m[2][axis]};
            s->plane[s->planes++] = (half_space){n, rps_vec3_dot(n, center) + body->core.half[axis]};
        }
    }
}

/* Adds, with the sign of their number, all sets that begin with those whose planes are listed and go on with others from
 * `next`; false: too many. */
static bool add_sets(search *s, size_t next, int members) {
    const size_t planes = s->planes;
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

/* --- the interface ------------------------------------------------------------------------------------------------------- */

rps_status rps_plane_scratch_make(const rps_allocator *allocator, size_t faces, rps_plane_scratch *out,
                                  rps_error *err) {
    const size_t each = sizeof(half_space) + 2 * sizeof(rps_vec3) + sizeof(double);
    *out = (rps_plane_scratch){.allocator = allocator, .planes = faces * DEPTH};
    size_t bytes;
    RPS_TRY(rps_size_of_items(out->planes + 4, each, &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &out->block, err));
    out->bytes = bytes;
    return RPS_OK;
}

void rps_plane_scratch_release(rps_plane_scratch *scratch) {
    if (scratch->block != NULL) rps_memory_release(scratch->allocator, scratch->block, scratch->bytes);
    *scratch = (rps_plane_scratch){0};
}

size_t rps_plane_faces(const rps_lined *s) {
    return s->mesh != NULL ? s->mesh->patches : s->kind == RPS_CHORD_BOX ? 6 : 0;
}

bool rps_plane_overlap_moments(const rps_plane_scratch *scratch, const rps_lined *placed, size_t own,
                               const int32_t *index, size_t others, uint64_t *work, rps_moments *out) {
    const size_t corners = scratch->planes + 4;
    search s = {.placed = placed, .index = index, .others = others, .origin = placed[own].centre, .work = work};
    s.size = rps_vec3_norm(placed[own].half);
    s.plane = scratch->block;
    s.face.corner = (rps_vec3 *)(s.plane + corners);
    s.left.corner = s.face.corner + corners;
    s.height = (double *)(s.left.corner + corners);
    add_planes(&s, &placed[own]);
    if (!add_sets(&s, 0, 1)) return false;
    *out = rps_moments_moved(&s.sum, s.origin);
    return true;
}
