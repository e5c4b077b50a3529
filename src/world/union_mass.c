/*
 * Mass, centre and inertia of the union of convex pieces: a point in several pieces counts once, for the first.
 *
 * A piece contributes its whole volume, in closed form, less the part covered by earlier pieces, which is integrated
 * (overlap.c), or, for boxes and convex meshes, found in closed form (plane_overlap.c). Pieces separated by planes, or nested in each other,
 * need no integral, so a body of pieces that merely touch is exact. All integrals are repeated with finer cells until the sum of their last changes is below the goal
 * or the work limit of a body is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/elementary.h"
#include "shape/shape.h"
#include "world/world_internal.h"
#include "world/overlap.h"
#include "world/plane_overlap.h"

/* Errors of cells have either sign. The reported error is this many times the root of the sum of the squares of the
 * last changes, plus this fraction of the sum of their magnitudes. In 300 random unions the true error was at most
 * .34 of it. */
#define OF_SQUARES 5.0
#define OF_MAGNITUDES 0.4
#define FIRST_LIMIT 1e-4 /* of the mass, for a cell */
#define TOUCHING 1e-12   /* of the size: smaller overlaps count as touching */
/* Relative to the smaller outline: half width of the largest cells, at first and if enough work is left. */
#define ROUGH 0.5
#define FINE 0.25

/* DETAILED: number of other pieces up to which their overlap with a piece is bounded closely. This costs as much as
 * PAIR_WORK chords, and more where support functions take powers; a search for a plane between two pieces costs
 * APART_WORK. */
enum { DIRECTIONS = 7, PASSES = 12, DETAILED = 64, PAIR_WORK = 400, POWER_FACTOR = 8, APART_WORK = 100 };
enum { TREE_FROM = 64 /* pieces: with fewer, overlaps are sought one by one */ };

typedef rps_moments moments;

/* --- two pieces ------------------------------------------------------------------------------------------------------- */

static rps_vec3 union_mass_column(const rps_mat3 *m, int k) {
    return (rps_vec3){m->m[0][k], m->m[1][k], m->m[2][k]};
}

/* Extent of the shape along a direction of the frame, from its own centre. */
static double reach(const rps_lined *s, rps_vec3 direction) {
    if (!(rps_vec3_norm2(direction) > 0.0)) return 0.0;
    const rps_vec3 d = rps_mat3_transpose_mul_vec(&s->axes, direction);
    return rps_lined_reach(s, d);
}

/* Distance of two parallel planes normal to `axis` that separate the pieces, times the length of `axis`; negative: no
 * such planes. */
static double gap_along(const rps_lined *a, const rps_lined *b, rps_vec3 axis) {
    return rps_vec3_dot(axis, rps_vec3_sub(b->centre, a->centre)) - reach(a, axis) - reach(b, rps_vec3_neg(axis));
}

/* The search for a plane between two pieces. */
typedef struct separation {
    const rps_lined *a, *b;
    double size, most;
    rps_vec3 *thin;
} separation;

/* True if planes normal to the axis separate them, which is a unit vector or 0; else keeps the least overlap. */
static bool are_apart_along(separation *s, rps_vec3 axis) {
    const double norm = rps_vec3_norm(axis);
    if (norm * norm < 1e-12) return false;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const rps_vec3 d = rps_vec3_scale(axis, sign / norm);
        const double gap = gap_along(s->a, s->b, d);
        if (gap >= -TOUCHING * s->size) return true;
        if (gap <= s->most) continue;
        s->most = gap;
        *s->thin = d;
    }
    return false;
}

static bool are_apart_along_faces(separation *s, const rps_lined *of) {
    uint32_t next = 0; /* numbers of patches rise with their first triangles */
    for (size_t k = 0; of->mesh != NULL && k < of->mesh->triangles; k++) {
        if (of->mesh->patch[k] != next) continue;
        next++;
        if (are_apart_along(s, rps_mat3_mul_vec(&of->axes, rps_vec3_of(of->mesh->face[k].normal)))) return true;
    }
    return false;
}

/* True if a plane separates them; for two boxes it is found whenever it exists, for convex meshes if it lies along a face. Else
 * *thin: the unit vector of least overlap. */
static bool are_apart(const rps_lined *a, const rps_lined *b, rps_vec3 *thin) {
    const rps_vec3 line = rps_vec3_sub(b->centre, a->centre);
    const double size = a->piece->radius + b->piece->radius;
    if (rps_vec3_norm(line) >= size * (1.0 - TOUCHING)) return true;
    separation s = {a, b, size, -INFINITY, thin};
    if (are_apart_along(&s, rps_vec3_scale(line, 1.0 / size))) return true;
    for (int k = 0; k < 3; k++) {
        const rps_vec3 own = union_mass_column(&a->axes, k);
        if (are_apart_along(&s, own) || are_apart_along(&s, union_mass_column(&b->axes, k))) return true;
        for (int n = 0; n < 3; n++) {
            if (are_apart_along(&s, rps_vec3_cross(own, union_mass_column(&b->axes, n)))) return true;
        }
    }
    return are_apart_along_faces(&s, a) || are_apart_along_faces(&s, b);
}

/* True if the box about a, along its own axes, lies in b: then so does a. */
static bool lies_in(const rps_lined *a, const rps_lined *b) {
    const rps_vec3 half = a->half;
    for (int k = 0; k < 8; k++) {
        const rps_vec3 corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        const rps_vec3 x = rps_vec3_sub(rps_vec3_add(a->centre, rps_mat3_mul_vec(&a->axes, corner)), b->centre);
        if (!rps_lined_holds(b, rps_mat3_transpose_mul_vec(&b->axes, x))) return false;
    }
    return true;
}

static bool is_same(const rps_piece *a, const rps_piece *b) {
    return a->shape == b->shape && rps_same_bits(a->parameter, b->parameter, sizeof a->parameter) &&
           rps_same_bits(a->offset, b->offset, sizeof a->offset) &&
           (a->shape == RPS_SHAPE_INDEX(sphere) ||
            rps_same_bits(a->orientation, b->orientation, sizeof a->orientation));
}

/* The sum of the support functions of a along x and of b along y: an upper bound of (x + y) r over the points r of
 * both. */
static double joint_reach(const rps_lined *a, const rps_lined *b, rps_vec3 x, rps_vec3 y) {
    return rps_vec3_dot(x, a->centre) + reach(a, x) + rps_vec3_dot(y, b->centre) + reach(b, y);
}

/* True if a support function takes powers, which cost as much as POWER_FACTOR others. */
static bool takes_powers(const rps_lined *a, const rps_lined *b) {
    return a->kind == RPS_CHORD_POWER || b->kind == RPS_CHORD_POWER;
}

/* Upper bound of e r over the points r of both: the least over s of the bounds with x = p e + s n, y = e - x, which
 * are convex in s, for p = 0, 1/2, 1. It is tight if they barely overlap along n. */
static double bound_along(const rps_lined *a, const rps_lined *b, rps_vec3 e, rps_vec3 n) {
    const int steps = takes_powers(a, b) ? 8 : 20;
    double least = INFINITY;
    for (int k = 0; k <= 2; k++) {
        double low = -4.0, high = 4.0;
        for (int step = 0; step < steps; step++) {
            double value[2];
            for (int i = 0; i < 2; i++) {
                const double s = low + (high - low) * (1 + i) / 3.0;
                const rps_vec3 x = rps_vec3_add_scaled(rps_vec3_scale(e, 0.5 * k), s, n);
                value[i] = joint_reach(a, b, x, rps_vec3_sub(e, x));
                least = value[i] < least ? value[i] : least;
            }
            if (value[0] < value[1]) {
                high -= (high - low) / 3.0;
            } else {
                low += (high - low) / 3.0;
            }
        }
    }
    return least;
}

/* --- moments ---------------------------------------------------------------------------------------------------------- */

/* Moments of the whole piece about its centre. */
static moments union_mass_of_piece(const rps_piece *piece, const rps_mesh *mesh) {
    const rps_shape *shape = rps_shape_at((int)piece->shape);
    const double *q = piece->orientation;
    const rps_mat3 axes = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_shape_mass mass =
        mesh == NULL ? shape->mass(piece->parameter) : (rps_shape_mass){mesh->volume, rps_vec3_of(mesh->inertia)};
    const rps_vec3 i = mass.inertia_per_mass;
    const double square[3] = {0.5 * mass.volume * (i.y + i.z - i.x), 0.5 * mass.volume * (i.z + i.x - i.y),
                              0.5 * mass.volume * (i.x + i.y - i.z)};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    moments out = {{mass.volume}};
    for (int n = 0; n < 6; n++) {
        for (int k = 0; k < 3; k++) out.m[4 + n] += axes.m[row[n]][k] * square[k] * axes.m[col[n]][k];
    }
    return out;
}

rps_moments rps_moments_moved(const moments *about, rps_vec3 c) {
    const double *m = about->m;
    const double v = m[0], at[3] = {c.x, c.y, c.z};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    moments out = *about;
    for (int k = 0; k < 3; k++) out.m[1 + k] += v * at[k];
    for (int n = 0; n < 6; n++) {
        const int i = row[n], j = col[n];
        out.m[4 + n] += m[1 + i] * at[j] + at[i] * m[1 + j] + v * at[i] * at[j];
    }
    return out;
}

/* Rotates moments: the columns of `frame` are their old axes in the new ones. */
static moments turned(const moments *a, const rps_mat3 *frame) {
    const double *s = a->m + 4;
    const rps_mat3 second = {{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
    const rps_mat3 back = rps_mat3_transpose(frame), half = rps_mat3_mul(&second, &back),
                   t = rps_mat3_mul(frame, &half);
    const rps_vec3 first = rps_mat3_mul_vec(frame, rps_vec3_of(a->m + 1));
    return (moments){
        {a->m[0], first.x, first.y, first.z, t.m[0][0], t.m[1][1], t.m[2][2], t.m[0][1], t.m[0][2], t.m[1][2]}};
}

/* --- the pieces before a piece ------------------------------------------------------------------------------------------ */

typedef struct work {
    const rps_world_mesh *meshes;
    const rps_piece *piece;
    const double *density;
    size_t count;
    rps_vec3 origin;   /* m, mean centre of the pieces, in the axes in which they are given */
    rps_lined *placed; /* pieces in these axes, from there */
    double fine;       /* ROUGH or FINE */
    rps_overlap o;
    rps_vec3 *thin;    /* direction of least overlap for each of the others */
    int32_t *index;    /* of each of the others */
    rps_box_tree tree; /* of all pieces, if they are many */
    int32_t *earlier;  /* capacity for all pieces: earlier pieces with boxes that meet the box of a piece */
    size_t earliers, asked;
    rps_plane_scratch scratch;
} work;

/* The smallest cosine between the direction and an axis of a piece that is no ball, or the thin direction of an
 * overlap. */
static double least_cosine(const work *w, size_t k, rps_vec3 d, double enough) {
    double least = 1.0;
    for (size_t i = 0; i <= w->o.others && least > enough; i++) {
        const bool own = i == w->o.others;
        const rps_lined *s = &w->placed[own ? k : (size_t)w->index[i]];
        const double thin = own ? 1.0 : fabs(rps_vec3_dot(d, w->thin[i]));
        least = thin < least ? thin : least;
        for (int a = 0; a < 3 && s->kind != RPS_CHORD_BALL; a++) {
            const double c = fabs(rps_vec3_dot(d, union_mass_column(&s->axes, a)));
            least = c < least ? c : least;
        }
    }
    return least;
}

/* For lines along a face or a cylinder, its edge is a jump. So this picks the direction farthest from that, out of
 * those on the faces of a cube in an odd attitude. */
static rps_mat3 choose_frame(const work *w, size_t k) {
    const rps_mat3 odd = rps_quat_to_mat3(rps_quat_normalize((rps_quat){0.83, 0.31, -0.27, 0.38}));
    rps_vec3 best = union_mass_column(&odd, 2);
    double most = -1.0;
    for (int n = 0; n < 3 * DIRECTIONS * DIRECTIONS; n++) {
        double x[3];
        const int face = n % 3, column_of = n / 3 % DIRECTIONS, row = n / 3 / DIRECTIONS;
        x[face] = 1.0;
        x[(face + 1) % 3] = (2 * column_of + 1.0) / DIRECTIONS - 1.0;
        x[(face + 2) % 3] = (2 * row + 1.0) / DIRECTIONS - 1.0;
        const rps_vec3 d = rps_mat3_mul_vec(&odd, rps_vec3_normalize(rps_vec3_of(x)));
        const double least = least_cosine(w, k, d, most);
        if (least <= most) continue;
        most = least;
        best = d;
    }
    const rps_vec3 u = rps_vec3_normalize(rps_vec3_any_across(best)), v = rps_vec3_cross(best, u);
    return (rps_mat3){{{u.x, v.x, best.x}, {u.y, v.y, best.y}, {u.z, v.z, best.z}}};
}

static bool note_earlier(void *context, const rps_box_node *leaf) {
    work *w = context;
    if (leaf->item < w->asked) w->earlier[w->earliers++] = (int32_t)leaf->item;
    return true;
}

static int compare_piece_numbers(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Lists pieces before k, in order: all if there are few, else those with boxes that meet. */
static void list_earlier(work *w, size_t k) {
    w->asked = k;
    w->earliers = 0;
    if (w->tree.items == 0) {
        for (; w->earliers < k; w->earliers++) w->earlier[w->earliers] = (int32_t)w->earliers;
        return;
    }
    const rps_box box = rps_piece_box(&w->piece[k]);
    const rps_vec3 low = rps_vec3_of(box.low), high = rps_vec3_of(box.high);
    rps_box_question q = {
        .kind = RPS_BOX_TURNED, .center = rps_vec3_scale(rps_vec3_add(low, high), 0.5), .turn = rps_mat3_identity()};
    rps_vec3_put(q.half, rps_vec3_scale(rps_vec3_sub(high, low), 0.5));
    rps_box_tree_find(&w->tree, &q, note_earlier, w);
    qsort(w->earlier, w->earliers, sizeof *w->earlier, compare_piece_numbers);
}

/* Finds the pieces before k that overlap it; false if one of them covers it completely. */
static bool find_others(work *w, size_t k) {
    w->o.others = 0;
    list_earlier(w, k);
    for (size_t e = 0; e < w->earliers; e++) {
        const size_t n = (size_t)w->earlier[e];
        rps_vec3 thin = rps_vec3_zero();
        if (is_same(&w->piece[k], &w->piece[n])) return false;
        if (are_apart(&w->placed[k], &w->placed[n], &thin)) continue;
        if (lies_in(&w->placed[k], &w->placed[n])) return false;
        w->o.work += APART_WORK;
        w->thin[w->o.others] = thin;
        w->index[w->o.others++] = (int32_t)n;
    }
    return true;
}

/* Half the smallest width of the outline of the box about a piece. */
static double outline_width(const rps_lined *s) {
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double x = s->side[k][1], y = -s->side[k][0], norm = sqrt(x * x + y * y);
        double half = 0.0;
        for (int n = 0; n < 3; n++) half += fabs(x * s->side[n][0] + y * s->side[n][1]);
        if (norm > 0.0 && half < least * norm) least = half / norm;
    }
    return least;
}

static void place_other(work *w, size_t i, const rps_mat3 *frame, bool detailed) {
    rps_overlapped *other = &w->o.other[i];
    const rps_lined *own = &w->o.own;
    other->solid = rps_lined_of(&w->piece[w->index[i]], w->meshes, w->origin, frame);
    const rps_vec3 thin = rps_mat3_transpose_mul_vec(frame, w->thin[i]), none = rps_vec3_zero();
    const double a = outline_width(own), b = outline_width(&other->solid);
    other->cell = a < b ? a : b;
    for (int side = 0; side < 4; side++) {
        const int axis = side / 2;
        const double sign = side % 2 ? 1.0 : -1.0;
        const rps_vec3 e = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, 0.0};
        const double of_a = joint_reach(own, &other->solid, e, none), of_b = joint_reach(own, &other->solid, none, e);
        double most = of_a < of_b ? of_a : of_b;
        if (detailed) {
            const double close = bound_along(own, &other->solid, e, thin);
            most = close < most ? close : most;
        }
        (side % 2 ? other->high : other->low)[axis] = sign * most;
    }
    for (int axis = 0; axis < 2; axis++) {
        const double half = 0.5 * (other->high[axis] - other->low[axis]);
        other->cell = half < other->cell ? half : other->cell;
    }
    other->cell *= w->fine;
    w->o.work += detailed ? PAIR_WORK * (takes_powers(own, &other->solid) ? POWER_FACTOR : 1) : 0;
}

/* True if piece k and all others have plane faces alone, and their overlap has a closed form. */
static bool held_by_planes(work *w, size_t k, moments *held) {
    bool planes = rps_plane_faces(&w->placed[k]) > 0;
    for (size_t i = 0; i < w->o.others && planes; i++) planes = rps_plane_faces(&w->placed[w->index[i]]) > 0;
    return planes && rps_plane_overlap_moments(&w->scratch, w->placed, k, w->index, w->o.others, &w->o.work, held);
}

/* Moments of the part of piece k that the others cover, about the origin; *closed: in closed form. */
static moments held_by_others(work *w, size_t k, bool *closed) {
    moments by_planes;
    *closed = held_by_planes(w, k, &by_planes);
    if (*closed) {
        w->o.change = w->o.change2 = 0.0;
        return by_planes;
    }
    const rps_mat3 frame = choose_frame(w, k);
    const bool detailed = w->o.others <= DETAILED && w->o.work < w->o.most_work;
    w->o.own = rps_lined_of(&w->piece[k], w->meshes, w->origin, &frame);
    for (size_t i = 0; i < w->o.others; i++) place_other(w, i, &frame, detailed);
    const moments held = rps_overlap_moments(&w->o);
    return turned(&held, &frame);
}

/* --- the union -------------------------------------------------------------------------------------------------------------- */

/* The integrals over all pieces, with cells refined to a limit. */
typedef struct result {
    moments mass;  /* about the origin */
    moments plain; /* about the centre of the first piece, as if nothing overlapped */
    double volume, error;
    double forced; /* fraction of divided cells that were divided for their size */
    bool exact;    /* no pieces overlap in part */
    bool closed;   /* all overlaps have a closed form */
} result;

/* Moments of a whole piece about a point. */
static moments about(const work *w, size_t k, rps_vec3 point) {
    const moments m = union_mass_of_piece(&w->piece[k], rps_mesh_of_piece(w->meshes, &w->piece[k]));
    return rps_moments_moved(&m, rps_vec3_sub(rps_vec3_of(w->piece[k].offset), point));
}

static void add_times(moments *sum, double factor, const moments *m) {
    for (int n = 0; n < RPS_MOMENTS; n++) sum->m[n] += factor * m->m[n];
}

/* Radius of gyration about the centre of mass, squared. */
static double gyration2(const moments *m) {
    const double mass = m->m[0];
    const moments c = rps_moments_moved(m, rps_vec3_scale(rps_vec3_of(m->m + 1), -1.0 / mass));
    return (c.m[4] + c.m[5] + c.m[6]) / mass;
}

static result integrate(work *w, double mass, double limit) {
    result out = {.exact = true, .closed = true};
    double change = 0.0, change2 = 0.0;
    w->o.divided = w->o.forced = 0;
    for (size_t k = 0; k < w->count; k++) {
        if (!find_others(w, k)) continue;
        const double density = w->density[k];
        const moments plain = about(w, k, rps_vec3_of(w->piece[0].offset));
        moments m = about(w, k, w->origin);
        add_times(&out.plain, density, &plain);
        if (w->o.others > 0) {
            w->o.limit = limit * mass / density;
            bool closed;
            const moments held = held_by_others(w, k, &closed);
            add_times(&m, -1.0, &held);
            out.exact = false;
            out.closed = out.closed && closed;
            change += density * w->o.change;
            change2 += density * density * w->o.change2;
        }
        out.volume += m.m[0];
        add_times(&out.mass, density, &m);
    }
    const double rough2 = w->o.length * w->o.length, true2 = gyration2(&out.mass);
    const double unit = out.mass.m[0] * (true2 < rough2 ? true2 / rough2 : 1.0);
    out.error = (OF_SQUARES * sqrt(change2) + OF_MAGNITUDES * change) / unit;
    out.forced = w->o.divided > 0 ? (double)w->o.forced / (double)w->o.divided : 0.0;
    return out;
}

/* Factor to the next limit for which the remaining work suffices for all pieces; 1: none. The number of cells divided
 * for accuracy grows as the limit to the power of about -0.7, so the error falls with one of about 0.65. */
static double next_factor(double error, double last_work, double forced, double work_left) {
    const double ratio = RPS_UNION_GOAL / error;
    double finer = 0.5 * ratio * sqrt(ratio);
    finer = finer < 1.0 / 256.0 ? 1.0 / 256.0 : finer > 0.5 ? 0.5 : finer;
    while (finer < 0.8 && last_work * (forced + (1.0 - forced) * rps_pow(finer, -0.7)) > 0.9 * work_left) finer *= 1.25;
    return finer < 0.8 ? finer : 1.0;
}

/* Refines until the goal is reached or the allowed work is used up. */
static result refine(work *w, double mass, uint64_t most_work) {
    double limit = FIRST_LIMIT;
    w->o.most_work = most_work;
    w->fine = ROUGH;
    result best = integrate(w, mass, limit);
    double last_work = (double)w->o.work;
    const double more = ROUGH * ROUGH / (FINE * FINE);
    if (!best.closed && last_work * more < 0.3 * (double)most_work) {
        w->fine = FINE;
        limit *= 0.1;
        best = integrate(w, mass, limit);
        last_work = (double)w->o.work - last_work;
    }
    for (int pass = 2; pass < PASSES && best.error > RPS_UNION_GOAL && w->o.work < most_work; pass++) {
        const double finer = next_factor(best.error, last_work, best.forced, (double)(most_work - w->o.work));
        if (finer == 1.0) break;
        limit *= finer;
        const double before = (double)w->o.work;
        const result next = integrate(w, mass, limit);
        last_work = (double)w->o.work - before;
        if (next.error < best.error) best = next;
    }
    return best;
}

static void put_together(const work *w, const result *from, rps_union_mass *out) {
    const moments *sum = from->exact ? &from->plain : &from->mass;
    const rps_vec3 origin = from->exact ? rps_vec3_of(w->piece[0].offset) : w->origin;
    const double *m = sum->m, mass = m[0];
    const rps_vec3 mean = {m[1] / mass, m[2] / mass, m[3] / mass};
    const moments c = rps_moments_moved(sum, rps_vec3_neg(mean));
    const double *s = c.m + 4;
    *out = (rps_union_mass){.volume = from->volume,
                            .mass = mass,
                            .centre = rps_vec3_add(origin, mean),
                            .exact = from->exact,
                            .error = from->error,
                            .work = w->o.work};
    out->inertia = (rps_mat3){{{s[1] + s[2], -s[3], -s[4]}, {-s[3], s[2] + s[0], -s[5]}, {-s[4], -s[5], s[0] + s[1]}}};
}

/* Scratch for the closed form of all pieces that have plane faces. */
static rps_status make_scratch(const rps_allocator *allocator, work *w, rps_error *err) {
    size_t most = 0;
    for (size_t k = 0; k < w->count; k++) {
        const size_t faces = rps_plane_faces(&w->placed[k]);
        most = faces > most ? faces : most;
    }
    return rps_plane_scratch_make(allocator, most, &w->scratch, err);
}

rps_status rps_union_mass_of(const rps_allocator *allocator, const rps_world_mesh *meshes, const rps_piece *piece,
                             size_t count, const double *density, uint64_t most_work, rps_union_mass *out,
                             rps_error *err) {
    size_t bytes;
    void *capacity;
    const size_t each = sizeof(rps_lined) + sizeof(rps_overlapped) + sizeof(rps_interval) + sizeof(rps_vec3) +
                        (RPS_OVERLAP_DEPTH + 4) * sizeof(int32_t);
    RPS_TRY(rps_size_of_items(count, each, &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &capacity, err));
    work w = {.meshes = meshes, .piece = piece, .density = density, .count = count, .placed = capacity};
    w.o.other = (rps_overlapped *)(w.placed + count);
    w.o.hit = (rps_interval *)(w.o.other + count);
    w.thin = (rps_vec3 *)(w.o.hit + count);
    w.index = (int32_t *)(w.thin + count);
    w.earlier = w.index + count;
    w.o.near = w.earlier + count;
    w.origin = rps_vec3_of(piece[0].offset);
    moments rough = {{0.0}}; /* as if nothing overlapped */
    for (size_t k = 0; k < count; k++) {
        const moments m = about(&w, k, w.origin);
        add_times(&rough, density[k], &m);
    }
    w.o.length = sqrt(gyration2(&rough));
    w.origin = rps_vec3_add(w.origin, rps_vec3_scale(rps_vec3_of(rough.m + 1), 1.0 / rough.m[0]));
    const rps_mat3 none = rps_mat3_identity();
    for (size_t k = 0; k < count; k++) w.placed[k] = rps_lined_of(&piece[k], meshes, w.origin, &none);
    rps_status status = make_scratch(allocator, &w, err);
    if (status == RPS_OK && count >= TREE_FROM) status = rps_pieces_tree(allocator, piece, count, &w.tree, err);
    if (status == RPS_OK) {
        const result best = refine(&w, rough.m[0], most_work);
        put_together(&w, &best, out);
    }
    rps_box_tree_release(allocator, &w.tree);
    rps_plane_scratch_release(&w.scratch);
    rps_memory_release(allocator, capacity, bytes);
    return status;
}
