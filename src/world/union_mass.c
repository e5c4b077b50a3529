/*
 * Mass, centre and inertia of the union of convex pieces: a point that several of them hold counts once, for the first.
 *
 * What a piece contributes is the whole of it, in closed form, less what pieces before it hold of it. That part is
 * integrated along rays from a point in the midst of it: on a ray every convex piece is an interval, and powers of the distance are
 * integrated exactly over the union of the intervals. Across, the directions, which are the faces of a cube in an odd
 * attitude, are divided into cells, each with Lobatto's rule of 4 x 4 points, which sees an edge
 * that cuts off no more than a corner, until dividing further changes little. Pieces
 * that planes hold apart need no rays, so that a body whose pieces only touch is exact.
 */
#include <string.h>

#include "base/elementary.h"
#include "shape/shape.h"
#include "world/internal.h"

/* 1, x, y, z, xx, yy, zz, xy, xz, yz integrated over a region. */
enum { MOMENTS = 10, FIRST_CELLS = 4, DEPTH = 11, ATTEMPTS = 8 };
/* Of the piece's volume: sum of what the last division of every cell changed. The error is mostly below a tenth of it. */
#define GOAL 1e-6
#define TOUCHING 1e-12 /* of the size: what counts as touching, not as overlap */

typedef struct moments {
    double m[MOMENTS];
} moments;

/* A piece as a ray sees it. */
typedef struct solid {
    const rps_shape *shape;
    const rps_piece *piece;
    rps_mat3 axes; /* columns: axes of the shape */
    rps_vec3 from; /* origin of the rays in the shape's axes */
    bool around;   /* which lies in it */
    rps_vec3 towards;
    double distance, angle; /* of its centre from the origin of the rays; angular radius, 4 if it is all around */
    double cell;            /* cells that see it must be as small as this */
} solid;

typedef struct interval {
    double low, high;
} interval;

/* --- a ray and a solid ------------------------------------------------------------------------------------------------ */

static bool cut(interval *t, double low, double high) {
    t->low = low > t->low ? low : t->low;
    t->high = high < t->high ? high : t->high;
    return t->low < t->high;
}

/* |o + t d|^2 < r^2, of two or three components. */
static bool ball(interval *t, double dd, double od, double oo, double radius) {
    const double c = oo - radius * radius, root2 = od * od - dd * c;
    if (!(dd > 0.0)) return c < 0.0;
    if (!(root2 > 0.0)) return false;
    const double root = sqrt(root2);
    return cut(t, (-od - root) / dd, (-od + root) / dd);
}

static bool slab(interval *t, double o, double d, double half) {
    if (d == 0.0) return fabs(o) < half;
    const double a = (-half - o) / d, b = (half - o) / d;
    return a < b ? cut(t, a, b) : cut(t, b, a);
}

static bool cylinder(interval *t, rps_vec3 o, rps_vec3 d, double radius, double half) {
    return slab(t, o.z, d.z, half) &&
           ball(t, d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y, radius);
}

/* A cylinder and a ball at each of its ends: of convex bodies the union of the intervals has no gap. */
static bool capsule(interval *t, rps_vec3 o, rps_vec3 d, double radius, double half) {
    interval all = {INFINITY, -INFINITY};
    for (int k = -1; k <= 1; k++) {
        interval part = *t;
        const rps_vec3 from = {o.x, o.y, o.z - k * half};
        const bool hit = k == 0 ? cylinder(&part, o, d, radius, half)
                                : ball(&part, rps_vec3_norm2(d), rps_vec3_dot(from, d), rps_vec3_norm2(from), radius);
        if (!hit) continue;
        all.low = part.low < all.low ? part.low : all.low;
        all.high = part.high > all.high ? part.high : all.high;
    }
    return cut(t, all.low, all.high);
}

/* Along a ray the value of a convex shape is convex, so that Newton's steps from outside stop short of its zero and never
 * pass it; a slope that points away from the body tells that the ray misses it. `sign` -1: from the far end. */
static bool approach(const solid *s, rps_vec3 d, double sign, double *t) {
    for (int k = 0; k < 100; k++) {
        const rps_vec3 x = rps_vec3_add_scaled(s->from, *t, d);
        const double value = s->shape->value(s->piece->parameter, x);
        if (value <= 0.0) return true;
        const double slope = rps_vec3_dot(s->shape->gradient(s->piece->parameter, x), d);
        if (!(sign * slope < 0.0)) return false;
        const double step = -value / slope;
        *t += step;
        if (fabs(step) < 1e-13 * s->piece->radius) return true;
    }
    return true;
}

static bool any_shape(const solid *s, interval *t, rps_vec3 d) {
    const rps_vec3 o = s->from;
    interval round = *t;
    const double radius = s->piece->radius * (1.0 + 1e-9);
    if (!ball(&round, rps_vec3_norm2(d), rps_vec3_dot(o, d), rps_vec3_norm2(o), radius)) return false;
    if (!s->around && !approach(s, d, 1.0, &round.low)) return false;
    return approach(s, d, -1.0, &round.high) && cut(t, round.low, round.high);
}

/* The part of the ray inside; false: none. *t comes in as what is asked for. */
static bool inside(const solid *s, rps_vec3 direction, interval *t) {
    const rps_vec3 d = rps_mat3_transpose_mul_vec(&s->axes, direction), o = s->from;
    const double *p = s->piece->parameter;
    const int index = (int)s->piece->shape;
    if (index == RPS_SHAPE_INDEX(ellipsoid)) {
        const rps_vec3 a = {1.0 / p[0], 1.0 / p[1], 1.0 / p[2]}, so = rps_vec3_mul(o, a), sd = rps_vec3_mul(d, a);
        return ball(t, rps_vec3_norm2(sd), rps_vec3_dot(so, sd), rps_vec3_norm2(so), 1.0);
    }
    if (index == RPS_SHAPE_INDEX(cylinder)) return cylinder(t, o, d, p[0], 0.5 * p[1]);
    if (!s->shape->core) return any_shape(s, t, d);
    const rps_shape_core core = s->shape->core(p);
    if (core.half[0] == 0.0 && core.half[1] == 0.0) {
        if (core.half[2] > 0.0) return capsule(t, o, d, core.radius, core.half[2]);
        return ball(t, rps_vec3_norm2(d), rps_vec3_dot(o, d), rps_vec3_norm2(o), core.radius);
    }
    if (core.radius > 0.0) return any_shape(s, t, d);
    return slab(t, o.x, d.x, core.half[0]) && slab(t, o.y, d.y, core.half[1]) && slab(t, o.z, d.z, core.half[2]);
}

/* --- what others hold of a piece ---------------------------------------------------------------------------------------- */

typedef struct overlap {
    solid own;
    bool
        own_is_dear; /* where the ray leaves it takes iterations: asked for only where another piece may reach beyond */
    solid *other;
    interval *hit; /* room for all others */
    size_t others;
    rps_mat3 cube; /* columns: axes of the cube of directions */
    double limit;  /* change by dividing a cell that is left as it is, relative to powers of the radius */
    double left;   /* sum of these changes */
} overlap;

static bool reaches_out(const solid *s, rps_vec3 direction, double t) {
    const rps_vec3 d = rps_mat3_transpose_mul_vec(&s->axes, direction);
    return s->shape->value(s->piece->parameter, rps_vec3_add_scaled(s->from, t, d)) > 0.0;
}

/* Adds the ray's part, with a weight, to moments in units of the piece's radius. */
static void add_ray(overlap *o, rps_vec3 d, double weight, moments *sum) {
    const double radius = o->own.piece->radius;
    interval whole = {0.0, 2.0 * radius};
    size_t hits = 0;
    bool known = !o->own_is_dear;
    if (known && !inside(&o->own, d, &whole)) return;
    for (size_t k = 0; k < o->others; k++) {
        interval t = whole;
        if (!inside(&o->other[k], d, &t)) continue;
        if (!known && reaches_out(&o->own, d, t.high)) {
            known = true;
            if (!inside(&o->own, d, &whole) || !cut(&t, whole.low, whole.high)) continue;
        }
        size_t at = hits++;
        for (; at > 0 && o->hit[at - 1].low > t.low; at--) o->hit[at] = o->hit[at - 1];
        o->hit[at] = t;
    }
    double p3 = 0.0, p4 = 0.0, p5 = 0.0, end = 0.0;
    for (size_t k = 0; k < hits; k++) {
        const double a = (o->hit[k].low > end ? o->hit[k].low : end) / radius, b = o->hit[k].high / radius;
        if (!(b > a)) continue;
        const double a2 = a * a, b2 = b * b;
        p3 += (b2 * b - a2 * a) / 3.0;
        p4 += (b2 * b2 - a2 * a2) / 4.0;
        p5 += (b2 * b2 * b - a2 * a2 * a) / 5.0;
        end = o->hit[k].high;
    }
    p3 *= weight;
    p4 *= weight;
    p5 *= weight;
    const double add[MOMENTS] = {p3,
                                 p4 * d.x,
                                 p4 * d.y,
                                 p4 * d.z,
                                 p5 * d.x * d.x,
                                 p5 * d.y * d.y,
                                 p5 * d.z * d.z,
                                 p5 * d.x * d.y,
                                 p5 * d.x * d.z,
                                 p5 * d.y * d.z};
    for (int k = 0; k < MOMENTS; k++) sum->m[k] += add[k];
}

/* A square of a face of the cube [-1, 1]^3: its middle and half its width. */
typedef struct cell {
    int face;
    double u, v, half;
} cell;

static rps_vec3 direction_of(const overlap *o, const cell *c, double u, double v) {
    const double side = c->face % 2 ? -1.0 : 1.0;
    const int axis = c->face / 2;
    double x[3];
    x[axis] = side;
    x[(axis + 1) % 3] = u;
    x[(axis + 2) % 3] = v;
    return rps_mat3_mul_vec(&o->cube, rps_vec3_of(x));
}

static moments sum_cell(overlap *o, const cell *c) {
    static const double place[4] = {-1.0, -0.447213595499957939, 0.447213595499957939, 1.0};
    static const double weight[4] = {1.0 / 6.0, 5.0 / 6.0, 5.0 / 6.0, 1.0 / 6.0};
    moments sum = {{0.0}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const rps_vec3 d = direction_of(o, c, c->u + c->half * place[i], c->v + c->half * place[j]);
            const double length2 = rps_vec3_norm2(d), length = sqrt(length2);
            add_ray(o, rps_vec3_scale(d, 1.0 / length), c->half * c->half * weight[i] * weight[j] / (length2 * length),
                    &sum);
        }
    }
    return sum;
}

/* A cell so large that the points of its rule could miss one of the others. */
static bool is_coarse(const overlap *o, const cell *c) {
    const rps_vec3 d = rps_vec3_normalize(direction_of(o, c, c->u, c->v));
    for (size_t k = 0; k < o->others; k++) {
        const solid *s = &o->other[k];
        /* 1.5: half of the diagonal, and to spare */
        if (2.0 * c->half > s->cell && rps_vec3_norm(rps_vec3_sub(d, s->towards)) < s->angle + 1.5 * c->half) {
            return true;
        }
    }
    return false;
}

static moments divide(overlap *o, const cell *c, const moments *whole, int depth) {
    cell part[4];
    moments of[4], sum = {{0.0}};
    double change = 0.0;
    for (int k = 0; k < 4; k++) {
        const double half = 0.5 * c->half;
        part[k] = (cell){c->face, c->u + (k % 2 ? half : -half), c->v + (k / 2 ? half : -half), half};
        of[k] = sum_cell(o, &part[k]);
        for (int n = 0; n < MOMENTS; n++) sum.m[n] += of[k].m[n];
    }
    for (int n = 0; n < MOMENTS; n++) {
        const double d = fabs(sum.m[n] - whole->m[n]);
        change = d > change ? d : change;
    }
    if (depth == DEPTH || (change <= o->limit && !is_coarse(o, c))) {
        o->left += change;
        return sum;
    }
    memset(&sum, 0, sizeof sum);
    for (int k = 0; k < 4; k++) {
        const moments m = divide(o, &part[k], &of[k], depth + 1);
        for (int n = 0; n < MOMENTS; n++) sum.m[n] += m.m[n];
    }
    return sum;
}

static moments all_directions(overlap *o) {
    moments sum = {{0.0}};
    o->left = 0.0;
    for (int face = 0; face < 6; face++) {
        for (int k = 0; k < FIRST_CELLS * FIRST_CELLS; k++) {
            const double half = 1.0 / FIRST_CELLS;
            const int column = k % FIRST_CELLS, row = k / FIRST_CELLS;
            const cell c = {face, (2 * column + 1) * half - 1.0, (2 * row + 1) * half - 1.0, half};
            const moments whole = sum_cell(o, &c), m = divide(o, &c, &whole, 0);
            for (int n = 0; n < MOMENTS; n++) sum.m[n] += m.m[n];
        }
    }
    return sum;
}

/* Moments about the origin of the rays of what the others hold of the piece. */
static moments held_by_others(overlap *o, double volume) {
    const double r = o->own.piece->radius, goal = GOAL * volume / (r * r * r);
    o->limit = goal / 300.0; /* some of the cells that see an edge or a rim at first */
    moments sum = all_directions(o);
    for (int k = 1; k < ATTEMPTS && o->left > goal; k++) {
        o->limit /= 4.0;
        sum = all_directions(o);
    }
    for (int n = 0; n < MOMENTS; n++) sum.m[n] *= r * r * r * (n == 0 ? 1.0 : n < 4 ? r : r * r);
    return sum;
}

/* --- pieces -------------------------------------------------------------------------------------------------------------- */

static solid solid_of(const rps_piece *piece, rps_vec3 origin) {
    const double *q = piece->orientation;
    solid s = {.shape = rps_shape_at((int)piece->shape), .piece = piece};
    s.axes = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_vec3 centre = rps_vec3_sub(rps_vec3_of(piece->offset), origin);
    s.from = rps_mat3_transpose_mul_vec(&s.axes, rps_vec3_neg(centre));
    s.around = s.shape->value(piece->parameter, s.from) < 0.0;
    s.distance = rps_vec3_norm(centre);
    s.towards = rps_vec3_normalize(centre);
    s.angle = s.distance > piece->radius ? rps_asin(piece->radius / s.distance) : 4.0;
    const double far = s.distance > piece->half_width ? s.distance : piece->half_width;
    const double fine = piece->half_width > piece->radius / 32.0 ? piece->half_width : piece->radius / 32.0;
    s.cell = fine / far;
    return s;
}

/* A plane across `axis` has them on different sides. */
static bool axis_parts(const solid *a, const solid *b, rps_vec3 axis) {
    const rps_vec3 da = rps_mat3_transpose_mul_vec(&a->axes, axis);
    const rps_vec3 db = rps_mat3_transpose_mul_vec(&b->axes, rps_vec3_neg(axis));
    const double reach_a = rps_vec3_dot(da, a->shape->support(a->piece->parameter, da));
    const double reach_b = rps_vec3_dot(db, b->shape->support(b->piece->parameter, db));
    const double between =
        rps_vec3_dot(axis, rps_vec3_sub(rps_vec3_of(b->piece->offset), rps_vec3_of(a->piece->offset)));
    return between - reach_a - reach_b >= -TOUCHING * (a->piece->radius + b->piece->radius) * rps_vec3_norm(axis);
}

static rps_vec3 column(const rps_mat3 *m, int k) {
    return (rps_vec3){m->m[0][k], m->m[1][k], m->m[2][k]};
}

/* Some plane parts them: of two boxes found whenever there is one. */
static bool are_apart(const rps_piece *pa, const rps_piece *pb) {
    const solid a = solid_of(pa, rps_vec3_zero()), b = solid_of(pb, rps_vec3_zero());
    const rps_vec3 line = rps_vec3_sub(rps_vec3_of(pb->offset), rps_vec3_of(pa->offset));
    const double size = pa->radius + pb->radius;
    if (rps_vec3_norm(line) >= size * (1.0 - TOUCHING)) return true;
    rps_vec3 axis[16];
    int count = 0;
    axis[count++] = line;
    for (int k = 0; k < 3; k++) {
        axis[count++] = column(&a.axes, k);
        axis[count++] = column(&b.axes, k);
        for (int n = 0; n < 3; n++) axis[count++] = rps_vec3_cross(column(&a.axes, k), column(&b.axes, n));
    }
    for (int k = 0; k < count; k++) {
        if (rps_vec3_norm2(axis[k]) < 1e-12 * (k == 0 ? size * size : 1.0)) continue;
        if (axis_parts(&a, &b, axis[k]) || axis_parts(&a, &b, rps_vec3_neg(axis[k]))) return true;
    }
    return false;
}

/* Of the whole piece about its centre. */
static moments of_piece(const rps_piece *piece) {
    const solid s = solid_of(piece, rps_vec3_zero());
    const rps_shape_mass mass = s.shape->mass(piece->parameter);
    const rps_vec3 i = mass.inertia_per_mass;
    const double square[3] = {0.5 * mass.volume * (i.y + i.z - i.x), 0.5 * mass.volume * (i.z + i.x - i.y),
                              0.5 * mass.volume * (i.x + i.y - i.z)};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    moments out = {{mass.volume}};
    for (int n = 0; n < 6; n++) {
        for (int k = 0; k < 3; k++) out.m[4 + n] += s.axes.m[row[n]][k] * square[k] * s.axes.m[col[n]][k];
    }
    return out;
}

/* About another point, from which the old one lies at c. */
static moments moved(const moments *about, rps_vec3 c) {
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

/* Rays start in the middle of the overlap, where they see neither of two pieces from outside; of several overlaps in the
 * mean of the middles, which lies in the piece, too. The middle is sought on the line of centres. Sees all pieces
 * from there. */
static rps_vec3 place_origin(overlap *o, const rps_piece *piece) {
    const rps_vec3 centre = rps_vec3_of(piece->offset);
    const solid own = solid_of(piece, centre);
    rps_vec3 sum = rps_vec3_zero();
    int found = 0;
    for (size_t n = 0; n < o->others; n++) {
        const solid *other = &o->other[n];
        interval t = {0.0, 2.0 * piece->radius};
        const bool same_centre = !(rps_vec3_norm2(other->towards) > 0.0);
        if (!same_centre && (!inside(&own, other->towards, &t) || !inside(other, other->towards, &t))) continue;
        found++;
        if (!same_centre) sum = rps_vec3_add_scaled(sum, 0.5 * (t.low + t.high), other->towards);
    }
    const rps_vec3 from = found > 0 ? rps_vec3_add_scaled(centre, 1.0 / found, sum) : centre;
    for (size_t n = 0; n < o->others; n++) o->other[n] = solid_of(o->other[n].piece, from);
    o->own = solid_of(piece, from);
    o->own_is_dear = !own.shape->core && (int)piece->shape != RPS_SHAPE_INDEX(ellipsoid) &&
                     (int)piece->shape != RPS_SHAPE_INDEX(cylinder);
    return from;
}

rps_status rps_union_mass_of(const rps_allocator *allocator, const rps_piece *piece, size_t count,
                             const double *density, rps_union_mass *out, rps_error *err) {
    size_t bytes;
    void *room;
    RPS_TRY(rps_size_of_items(count, sizeof(solid) + sizeof(interval), &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &room, err));
    overlap o = {.other = room, .hit = (interval *)((solid *)room + count)};
    o.cube = rps_quat_to_mat3(rps_quat_normalize((rps_quat){0.83, 0.31, -0.27, 0.38})); /* along no usual direction */
    const rps_vec3 origin = rps_vec3_of(piece[0].offset);
    moments sum = {{0.0}};
    *out = (rps_union_mass){.exact = true};
    for (size_t k = 0; k < count; k++) {
        const rps_vec3 centre = rps_vec3_of(piece[k].offset);
        moments m = of_piece(&piece[k]);
        o.others = 0;
        for (size_t n = 0; n < k; n++) {
            if (!are_apart(&piece[k], &piece[n])) o.other[o.others++] = solid_of(&piece[n], centre);
        }
        if (o.others > 0) {
            const rps_vec3 from = place_origin(&o, &piece[k]);
            const moments held_there = held_by_others(&o, m.m[0]);
            const moments held = moved(&held_there, rps_vec3_sub(from, centre));
            for (int n = 0; n < MOMENTS; n++) m.m[n] -= held.m[n];
            out->exact = false;
        }
        out->volume += m.m[0];
        m = moved(&m, rps_vec3_sub(centre, origin));
        for (int n = 0; n < MOMENTS; n++) sum.m[n] += density[k] * m.m[n];
    }
    rps_memory_release(allocator, room, bytes);
    const double mass = sum.m[0];
    const rps_vec3 mean = {sum.m[1] / mass, sum.m[2] / mass, sum.m[3] / mass};
    const moments c = moved(&sum, rps_vec3_neg(mean));
    const double *s = c.m + 4;
    out->mass = mass;
    out->centre = rps_vec3_add(origin, mean);
    out->inertia = (rps_mat3){{{s[1] + s[2], -s[3], -s[4]}, {-s[3], s[2] + s[0], -s[5]}, {-s[4], -s[5], s[0] + s[1]}}};
    return RPS_OK;
}

/* --- what a box holds of the union ------------------------------------------------------------------------------------- */

/* The chords stand on a Fibonacci lattice. Beyond its edge the chords have no length, so that its errors are those of a periodic
 * function: with the square root with which chords begin at the rim, they fall faster than 1/CHORDS. */
enum { CHORDS = 6765, CHORDS_STRIDE = 4181 };

/* All chords have one direction and cross a box about the body, in units of its half extents, so that long and flat bodies are
 * divided as finely as others. */
typedef struct chords {
    rps_vec3 middle, half;  /* m, of the box about the body, in the body's axes */
    rps_vec3 e[3];          /* orthonormal, in these units; the last one along the chords */
    double low[3], high[3]; /* how far the body reaches along them */
} chords;

/* The least and the largest value of axis . x over the pieces. */
static void reach_along(const rps_piece *piece, size_t count, rps_vec3 axis, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        const double *q = piece[k].orientation;
        const rps_mat3 axes = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
        const rps_shape *shape = rps_shape_at((int)piece[k].shape);
        const rps_vec3 d = rps_mat3_transpose_mul_vec(&axes, axis), back = rps_vec3_neg(d);
        const double at = rps_vec3_dot(axis, rps_vec3_of(piece[k].offset));
        const double top = at + rps_vec3_dot(d, shape->support(piece[k].parameter, d));
        const double bottom = at + rps_vec3_dot(d, shape->support(piece[k].parameter, back));
        *low = bottom < *low ? bottom : *low;
        *high = top > *high ? top : *high;
    }
}

static chords place_chords(const rps_piece *piece, size_t count) {
    const rps_mat3 odd = rps_quat_to_mat3(rps_quat_normalize((rps_quat){0.83, 0.31, -0.27, 0.38}));
    const rps_mat3 own = rps_mat3_identity();
    chords c;
    double middle[3], half[3];
    for (int k = 0; k < 3; k++) {
        double low, high;
        reach_along(piece, count, column(&own, k), &low, &high);
        middle[k] = 0.5 * (low + high);
        half[k] = 0.5 * (high - low);
    }
    c.middle = rps_vec3_of(middle);
    c.half = rps_vec3_of(half);
    for (int k = 0; k < 3; k++) {
        c.e[k] = column(&odd, k);
        const rps_vec3 axis = {c.e[k].x / half[0], c.e[k].y / half[1], c.e[k].z / half[2]};
        const double at = rps_vec3_dot(axis, c.middle);
        reach_along(piece, count, axis, &c.low[k], &c.high[k]);
        c.low[k] -= at;
        c.high[k] -= at;
    }
    return c;
}

/* The parts of a chord in the pieces, sorted by where they begin. */
static size_t chord_parts(const rps_piece *piece, size_t count, rps_vec3 from, rps_vec3 d, double length,
                          interval hit[]) {
    size_t hits = 0;
    for (size_t k = 0; k < count; k++) {
        const rps_vec3 o = rps_vec3_sub(from, rps_vec3_of(piece[k].offset));
        interval t = {0.0, length};
        if (!ball(&t, 1.0, rps_vec3_dot(o, d), rps_vec3_norm2(o), piece[k].radius * (1.0 + 1e-9))) continue;
        const double *q = piece[k].orientation;
        solid s = {.shape = rps_shape_at((int)piece[k].shape), .piece = &piece[k]};
        s.axes = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
        s.from = rps_mat3_transpose_mul_vec(&s.axes, o);
        if (!inside(&s, d, &t)) continue;
        size_t at = hits++;
        for (; at > 0 && hit[at - 1].low > t.low; at--) hit[at] = hit[at - 1];
        hit[at] = t;
    }
    return hits;
}

/* m, of the union of the parts within a range. */
static double length_within(const interval *hit, size_t hits, interval range) {
    double end = range.low, sum = 0.0;
    for (size_t k = 0; k < hits; k++) {
        const double a = hit[k].low > end ? hit[k].low : end;
        const double b = hit[k].high < range.high ? hit[k].high : range.high;
        if (!(b > a)) continue;
        sum += b - a;
        end = b;
    }
    return sum;
}

double rps_union_part_inside(const rps_piece *piece, size_t count, const rps_mat3 *axes, const double low[3],
                             const double high[3]) {
    interval hit[RPS_SUB_PIECES];
    const chords c = place_chords(piece, count);
    const rps_vec3 along = rps_vec3_mul(c.half, c.e[2]);
    const double length = (c.high[2] - c.low[2]) * rps_vec3_norm(along);
    const rps_vec3 d = rps_vec3_normalize(along), dw = rps_mat3_mul_vec(axes, d);
    double whole = 0.0, part = 0.0;
    for (int n = 0; n < CHORDS; n++) {
        const double u = c.low[0] + (c.high[0] - c.low[0]) * ((n + 0.5) / CHORDS);
        const double w = c.low[1] + (c.high[1] - c.low[1]) * ((n * CHORDS_STRIDE % CHORDS + 0.5) / CHORDS);
        rps_vec3 x = rps_vec3_scale(c.e[2], c.low[2]);
        x = rps_vec3_add_scaled(rps_vec3_add_scaled(x, u, c.e[0]), w, c.e[1]);
        const rps_vec3 from = rps_vec3_add(c.middle, rps_vec3_mul(c.half, x)), o = rps_mat3_mul_vec(axes, from);
        const size_t hits = chord_parts(piece, count, from, d, length, hit);
        interval t = {0.0, length};
        whole += length_within(hit, hits, t);
        if (slab(&t, o.x - 0.5 * (low[0] + high[0]), dw.x, 0.5 * (high[0] - low[0])) &&
            slab(&t, o.y - 0.5 * (low[1] + high[1]), dw.y, 0.5 * (high[1] - low[1])) &&
            slab(&t, o.z - 0.5 * (low[2] + high[2]), dw.z, 0.5 * (high[2] - low[2]))) {
            part += length_within(hit, hits, t);
        }
    }
    return whole > 0.0 ? part / whole : 0.0;
}
