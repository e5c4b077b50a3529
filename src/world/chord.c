/*
 * The chord that a convex piece cuts from a line. All lines of an integral are parallel, so each piece is rotated
 * once into their frame, where they run along z.
 */
#include "world/chord.h"

#include "base/elementary.h"

enum {
    ELLIPSOID = RPS_SHAPE_INDEX(ellipsoid),
    SUPERQUADRIC = RPS_SHAPE_INDEX(superquadric),
    CYLINDER = RPS_SHAPE_INDEX(cylinder),
    NEWTON_STEPS = 100,
    /* cost of an iteration, in units of a closed-form chord; of a power by logarithm in it */
    CORE_WORK = 4,
    SMOOTH_WORK = 1,
    POWER_WORK = 8
};

/* Relative to the radius: the last Newton step, since each doubles the number of correct digits. */
#define CLOSE 1e-8

static bool chord_cut(rps_interval *t, double low, double high) {
    t->low = low > t->low ? low : t->low;
    t->high = high < t->high ? high : t->high;
    return t->low < t->high;
}

/* |o + t d|^2 < r^2, with two or three components. */
static bool ball(rps_interval *t, double dd, double od, double oo, double radius) {
    const double c = oo - radius * radius, root2 = od * od - dd * c;
    if (!(dd > 0.0)) return c < 0.0;
    if (!(root2 > 0.0)) return false;
    const double root = sqrt(root2);
    return chord_cut(t, (-od - root) / dd, (-od + root) / dd);
}

static bool slab(rps_interval *t, double o, double d, double half) {
    if (d == 0.0) return fabs(o) < half;
    const double a = (-half - o) / d, b = (half - o) / d;
    return a < b ? chord_cut(t, a, b) : chord_cut(t, b, a);
}

static bool cylinder(rps_interval *t, rps_vec3 o, rps_vec3 d, double radius, double half) {
    return slab(t, o.z, d.z, half) &&
           ball(t, d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y, radius);
}

/* A cylinder and a ball at each end: the union of their intervals has no gap, because the body is convex. */
static bool capsule(rps_interval *t, rps_vec3 o, rps_vec3 d, double radius, double half) {
    rps_interval all = {INFINITY, -INFINITY};
    for (int k = -1; k <= 1; k++) {
        rps_interval part = *t;
        const rps_vec3 from = {o.x, o.y, o.z - k * half};
        const bool hit = k == 0 ? cylinder(&part, o, d, radius, half)
                                : ball(&part, 1.0, rps_vec3_dot(from, d), rps_vec3_norm2(from), radius);
        if (!hit) continue;
        all.low = part.low < all.low ? part.low : all.low;
        all.high = part.high > all.high ? part.high : all.high;
    }
    return chord_cut(t, all.low, all.high);
}

/* Along a line the value of a convex shape is convex, so Newton's steps from outside approach its zero and never pass
 * it. A slope that points away from the body shows that the line misses it. `sign` -1: from the far end. */
static bool chord_approach(const rps_lined *s, rps_vec3 o, double sign, double *t, uint64_t *work) {
    for (int k = 0; k < NEWTON_STEPS; k++) {
        *work += CORE_WORK;
        const rps_vec3 x = rps_vec3_add_scaled(o, *t, s->along);
        const double value = s->shape->value(s->piece->parameter, x);
        if (value <= 0.0) return true;
        const double slope = rps_vec3_dot(s->shape->gradient(s->piece->parameter, x), s->along);
        if (!(sign * slope < 0.0)) return false;
        const double step = -value / slope;
        *t += step;
        if (fabs(step) < CLOSE * s->piece->radius) return true;
    }
    return true;
}

/* --- convex meshes ------------------------------------------------------------------------------------------------------ */

static bool planes(const rps_mesh *mesh, rps_interval *t, rps_vec3 o, rps_vec3 d) {
    uint32_t next = 0; /* numbers of patches rise with their first triangles */
    for (size_t k = 0; k < mesh->triangles; k++) {
        if (mesh->patch[k] != next) continue;
        next++;
        const rps_vec3 n = rps_vec3_of(mesh->face[k].normal);
        const double above = rps_vec3_dot(n, rps_vec3_sub(o, rps_vec3_of(mesh->face[k].point[0])));
        const double rate = rps_vec3_dot(n, d);
        if (rate == 0.0) {
            if (above >= 0.0) return false;
        } else if (rate > 0.0 ? !chord_cut(t, -INFINITY, -above / rate) : !chord_cut(t, -above / rate, INFINITY)) {
            return false;
        }
    }
    return true;
}

double rps_lined_reach(const rps_lined *s, rps_vec3 direction) {
    if (s->mesh == NULL) return rps_vec3_dot(direction, s->shape->support(s->piece->parameter, direction));
    double most = -INFINITY;
    for (size_t k = 0; k < s->mesh->points; k++) {
        const double here = rps_vec3_dot(direction, rps_vec3_of(s->mesh->point[k]));
        most = here > most ? here : most;
    }
    return most;
}

bool rps_lined_holds(const rps_lined *s, rps_vec3 point) {
    if (s->mesh == NULL) return s->shape->value(s->piece->parameter, point) <= 0.0;
    for (size_t k = 0; k < s->mesh->triangles; k++) {
        const rps_vec3 from = rps_vec3_sub(point, rps_vec3_of(s->mesh->face[k].point[0]));
        if (rps_vec3_dot(rps_vec3_of(s->mesh->face[k].normal), from) > 0.0) return false;
    }
    return true;
}

/* --- superquadrics ---------------------------------------------------------------------------------------------------- */

/* x^n for x >= 0, n > 0. Whole exponents take products, which cost a hundredth of a power by logarithm. */
static double raised(double x, double n, uint64_t *work) {
    const int whole = (int)n;
    if ((double)whole != n) {
        *work += POWER_WORK;
        return x > 0.0 ? rps_pow(x, n) : 0.0;
    }
    double out = 1.0, square = x;
    for (int left = whole; left > 0; left >>= 1, square *= square) out = left & 1 ? out * square : out;
    return out;
}

/* h^(-1/n) for h >= 1: by square roots if n is a power of two. */
static double chord_inverse_root(double h, double n, uint64_t *work) {
    double left = n;
    while (left > 1.0) left *= 0.5;
    if (left != 1.0) {
        *work += POWER_WORK;
        return rps_pow(h, -1.0 / n);
    }
    for (left = n; left > 1.0; left *= 0.5) h = sqrt(h);
    return 1.0 / h;
}

/* |x|^n and its derivative along the line, where x changes by `rate`. */
static double term(double x, double rate, double n, double *slope, uint64_t *work) {
    const double less = raised(fabs(x), n - 1.0, work);
    *slope = n * less * (x < 0.0 ? -rate : rate);
    return less * fabs(x);
}

/* Newton's step to the end of the chord from a point outside; false: none, *inside tells whether the point was not
 * outside. H = (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 gives the step of the norm G = H^(1/n1), which is convex and
 * close to linear, without the powers of its gradient. */
static bool power_step(const rps_lined *s, rps_vec3 x, double sign, double *step, bool *inside, uint64_t *work) {
    const double *a = s->piece->parameter, n1 = a[3], n2 = a[4], e = n1 / n2;
    const rps_vec3 d = s->along;
    double slope[3], ring_slope = 0.0;
    *work += SMOOTH_WORK;
    const double px = term(x.x / a[0], d.x / a[0], n2, &slope[0], work);
    const double py = term(x.y / a[1], d.y / a[1], n2, &slope[1], work);
    const double pz = term(x.z / a[2], d.z / a[2], n1, &slope[2], work);
    double ring = px + py;
    if (e == 1.0) {
        ring_slope = slope[0] + slope[1];
    } else if (ring > 0.0) {
        const double of_ring = raised(ring, e, work);
        ring_slope = e * (of_ring / ring) * (slope[0] + slope[1]);
        ring = of_ring;
    }
    const double h = ring + pz, rate = ring_slope + slope[2];
    *inside = h <= 1.0;
    if (*inside || !(sign * rate < 0.0)) return false;
    *step = -n1 * h * (1.0 - chord_inverse_root(h, n1, work)) / rate;
    return true;
}

static bool power_approach(const rps_lined *s, rps_vec3 o, double sign, double *t, uint64_t *work) {
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double step;
        bool inside;
        if (!power_step(s, rps_vec3_add_scaled(o, *t, s->along), sign, &step, &inside, work)) return inside;
        *t += step;
        if (fabs(step) < CLOSE * s->piece->radius) return true;
    }
    return true;
}

/* Newton's method starts at the bounding box of the shape. */
static bool by_iteration(const rps_lined *s, rps_vec3 o, rps_interval *t, uint64_t *work) {
    const rps_vec3 d = s->along;
    rps_interval box = {-INFINITY, INFINITY};
    if (!(slab(&box, o.x, d.x, s->half.x) && slab(&box, o.y, d.y, s->half.y) && slab(&box, o.z, d.z, s->half.z) &&
          box.low < t->high && box.high > t->low))
        return false;
    const bool hit = s->kind == RPS_CHORD_POWER
                         ? power_approach(s, o, 1.0, &box.low, work) && power_approach(s, o, -1.0, &box.high, work)
                         : chord_approach(s, o, 1.0, &box.low, work) && chord_approach(s, o, -1.0, &box.high, work);
    return hit && chord_cut(t, box.low, box.high);
}

bool rps_chord(const rps_lined *s, double u, double v, rps_interval *t, uint64_t *work) {
    const double x = u - s->centre.x, y = v - s->centre.y, z = s->centre.z, *p = s->piece->parameter;
    const rps_mat3 *m = &s->axes;
    const rps_vec3 d = s->along, o = {m->m[0][0] * x + m->m[1][0] * y, m->m[0][1] * x + m->m[1][1] * y,
                                      m->m[0][2] * x + m->m[1][2] * y};
    rps_interval own = {t->low - z, t->high - z};
    bool hit;
    *work += 1;
    switch (s->kind) {
    case RPS_CHORD_BALL:
        hit = ball(&own, 1.0, rps_vec3_dot(o, d), rps_vec3_norm2(o), s->core.radius);
        break;
    case RPS_CHORD_ELLIPSOID: {
        const rps_vec3 a = {1.0 / p[0], 1.0 / p[1], 1.0 / p[2]}, so = rps_vec3_mul(o, a), sd = rps_vec3_mul(d, a);
        hit = ball(&own, rps_vec3_norm2(sd), rps_vec3_dot(so, sd), rps_vec3_norm2(so), 1.0);
        break;
    }
    case RPS_CHORD_CYLINDER:
        hit = cylinder(&own, o, d, p[0], 0.5 * p[1]);
        break;
    case RPS_CHORD_CAPSULE:
        hit = capsule(&own, o, d, s->core.radius, s->core.half[2]);
        break;
    case RPS_CHORD_BOX:
        hit = slab(&own, o.x, d.x, s->core.half[0]) && slab(&own, o.y, d.y, s->core.half[1]) &&
              slab(&own, o.z, d.z, s->core.half[2]);
        break;
    case RPS_CHORD_PLANES:
        *work += s->mesh->patches;
        hit = planes(s->mesh, &own, o, d);
        break;
    default:
        hit = by_iteration(s, o, &own, work);
    }
    t->low = own.low + z;
    t->high = own.high + z;
    return hit && t->low < t->high;
}

static rps_chord_kind chord_kind_of(const rps_lined *s) {
    const int index = (int)s->piece->shape;
    if (s->mesh != NULL) return RPS_CHORD_PLANES;
    if (index == ELLIPSOID) return RPS_CHORD_ELLIPSOID;
    if (index == CYLINDER) return RPS_CHORD_CYLINDER;
    if (index == SUPERQUADRIC) {
        const double *exponents = s->piece->parameter + 3;
        return exponents[0] == 2.0 && exponents[1] == 2.0 ? RPS_CHORD_ELLIPSOID : RPS_CHORD_POWER;
    }
    if (!s->shape->core) return RPS_CHORD_ANY;
    if (s->core.half[0] == 0.0 && s->core.half[1] == 0.0) {
        return s->core.half[2] > 0.0 ? RPS_CHORD_CAPSULE : RPS_CHORD_BALL;
    }
    return s->core.radius > 0.0 ? RPS_CHORD_ANY : RPS_CHORD_BOX;
}

rps_lined rps_lined_of(const rps_piece *piece, const rps_world_mesh *meshes, rps_vec3 origin, const rps_mat3 *frame) {
    const double *q = piece->orientation;
    rps_lined s = {.shape = rps_shape_at((int)piece->shape), .piece = piece, .mesh = rps_mesh_of_piece(meshes, piece)};
    const rps_mat3 own = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]}), back = rps_mat3_transpose(frame);
    s.axes = rps_mat3_mul(&back, &own);
    s.centre = rps_mat3_mul_vec(&back, rps_vec3_sub(rps_vec3_of(piece->offset), origin));
    s.along = (rps_vec3){s.axes.m[2][0], s.axes.m[2][1], s.axes.m[2][2]};
    if (s.shape->core) s.core = s.shape->core(piece->parameter);
    s.kind = chord_kind_of(&s);
    const rps_mat3 none = rps_mat3_identity();
    const rps_shape_bounds box = s.shape->bounds(piece->parameter, &none); /* symmetric, but of a mesh */
    const double low[3] = {-box.low.x, -box.low.y, -box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
    double reach[3];
    for (int k = 0; k < 3; k++) reach[k] = high[k] > low[k] ? high[k] : low[k];
    s.half = rps_vec3_of(reach);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) s.side[k][i] = s.axes.m[i][k] * reach[k];
    }
    return s;
}
