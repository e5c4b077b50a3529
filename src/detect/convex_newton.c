/*
 * Newton's method on the common normal of two convex bodies.
 *
 * Unknowns are the change dn of the normal and the tangential steps u_i, u_j of both points, each with two components
 * normal to n. Each body relates the change of its normal to that of its point: P u + Q (change of its normal) = -c.
 * A smooth surface has P = its shape operator, Q = 1; a corner P = 1, Q = 0; an edge one row of each; the rim of a
 * cylinder P = 1 and Q = minus its radii of curvature. So all terms stay finite on flat and sharp places. After a
 * step, a place that is flat on the scale of the body is followed as a point of value() = 0, a strongly curved one
 * through its normal as a support point: each map is smooth there, and the other is not.
 */
#include "detect/convex.h"

/* One body in the iteration: its point, its outward normal, and the linear relation between their changes. */
typedef struct contact_side {
    const rps_convex_body *body;
    double sign;     /* sign of the outward normal relative to n: -1 for i, +1 for j */
    rps_vec3 x;      /* m, from its origin */
    rps_vec3 normal; /* outward, there */
    double off;      /* m, distance of x from the surface, about */
    bool fixed[3];   /* shapes with edges: local coordinates that are at their end (cylinder: 0 the radius, 2 z) */
    double p[2][2], q[2][2], c[2]; /* lengths in units of the pair's size */
    bool supported;                /* x is the support point of the normal */
    bool by_normal;                /* follow through the support point */
} contact_side;

/* Above this sine of the angle between axis and normal the point of a rim follows the normal; below, the normal
 * follows the point. */
static const double rim_sine = 1e-3;

static double square(double x) {
    return x * x;
}

static double limit(double x, double bound) {
    return x > bound ? bound : x < -bound ? -bound : x;
}

/* Finds the ends at which the point is, and moves it onto the body. A point between points of a cylinder's rim lies
 * slightly inside it. The normal shows that it belongs on the rim, unless the normal leans so little that this must
 * be tried: `on_rim`. */
static void settle(contact_side *s, rps_vec3 n, bool on_rim) {
    const rps_convex_body *b = s->body;
    rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, s->x);
    if (b->kind == RPS_CONVEX_CORE) {
        double a[3] = {local.x, local.y, local.z};
        for (int k = 0; k < 3; k++) {
            s->fixed[k] = fabs(a[k]) >= b->half[k] * (1.0 - 1e-9);
            a[k] = s->fixed[k] ? (a[k] < 0.0 ? -b->half[k] : b->half[k]) : a[k];
        }
        local = rps_vec3_make(a[0], a[1], a[2]);
    } else {
        double rho = sqrt(local.x * local.x + local.y * local.y);
        rps_vec3 out = rps_mat3_transpose_mul_vec(&b->turn, rps_vec3_scale(n, s->sign));
        double lean = (local.x * out.x + local.y * out.y) / rps_convex_max(rho, 1e-300);
        s->fixed[0] =
            (on_rim && rho > 0.0) || rho >= b->half[0] * (1.0 - rps_convex_max(1e-9, rps_convex_min(lean, 0.2)));
        s->fixed[2] = fabs(local.z) >= b->half[2] * (1.0 - 1e-9);
        if (s->fixed[0]) {
            /* On the rim the azimuth is the normal's (cylinder_side). */
            double flat = sqrt(out.x * out.x + out.y * out.y);
            bool rim = s->fixed[2] && flat > rim_sine;
            local.x = b->half[0] * (rim ? out.x / flat : local.x / rho);
            local.y = b->half[0] * (rim ? out.y / flat : local.y / rho);
        }
        if (s->fixed[2]) local.z = local.z < 0.0 ? -b->half[2] : b->half[2];
    }
    s->x = rps_mat3_mul_vec(&b->turn, local);
}

/* Releases ends that the normal no longer points to; true if there were any. */
static bool let_go(contact_side *s, rps_vec3 n) {
    const rps_convex_body *b = s->body;
    rps_vec3 out = rps_mat3_transpose_mul_vec(&b->turn, rps_vec3_scale(n, s->sign));
    rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, s->x);
    bool freed = false;
    if (b->kind == RPS_CONVEX_CORE) {
        double a[3] = {local.x, local.y, local.z}, m[3] = {out.x, out.y, out.z};
        for (int k = 0; k < 3; k++) {
            if (s->fixed[k] && b->half[k] > 0.0 && (a[k] < 0.0 ? -m[k] : m[k]) < -1e-14) {
                s->fixed[k] = false;
                freed = true;
            }
        }
    } else if (s->fixed[0] && s->fixed[2]) {
        if ((local.z < 0.0 ? -out.z : out.z) < -1e-14) {
            s->fixed[2] = false;
            freed = true;
        } else if (local.x * out.x + local.y * out.y < -1e-14 * b->half[0]) {
            s->fixed[0] = false;
            freed = true;
        }
    }
    return freed;
}

/* Rows of a smooth point with outward normal s->normal and shape operator w (1/m). */
static void smooth_rows(contact_side *s, rps_vec3 n, rps_vec3 t1, rps_vec3 t2, const double w[3], double size) {
    rps_vec3 miss = rps_vec3_add_scaled(s->normal, -s->sign, n);
    double a[2][2] = {{w[0] * size, w[1] * size}, {w[1] * size, w[2] * size}};
    double c[2] = {rps_vec3_dot(miss, t1), rps_vec3_dot(miss, t2)};
    for (int k = 0; k < 2; k++) {
        double scale = 1.0 / (1.0 + fabs(a[k][0]) + fabs(a[k][1]));
        s->p[k][0] = a[k][0] * scale;
        s->p[k][1] = a[k][1] * scale;
        s->q[k][k] = -scale;
        s->q[k][1 - k] = 0.0;
        s->c[k] = c[k] * scale;
    }
}

/* Rows of a sharp feature that may move along some directions (edge): along it the normal is held, across it the
 * point. */
static void edge_rows(contact_side *s, rps_vec3 n, rps_vec3 edge, rps_vec3 t1, rps_vec3 t2) {
    double a = rps_vec3_dot(edge, t1), b = rps_vec3_dot(edge, t2), length = sqrt(a * a + b * b);
    if (!(length > 0.0)) a = length = 1.0;
    a /= length;
    b /= length;
    s->p[0][0] = s->p[0][1] = 0.0;
    s->q[0][0] = a;
    s->q[0][1] = b;
    s->c[0] = s->sign * rps_vec3_dot(n, edge);
    s->p[1][0] = -b;
    s->p[1][1] = a;
    s->q[1][0] = s->q[1][1] = 0.0;
    s->c[1] = 0.0;
}

/* The point stays (a corner) or follows the normal with radii of curvature r (m). */
static void corner_rows(contact_side *s, const double r[3], double size) {
    s->p[0][0] = s->p[1][1] = 1.0;
    s->p[0][1] = s->p[1][0] = 0.0;
    s->q[0][0] = -r[0] / size;
    s->q[0][1] = s->q[1][0] = -r[1] / size;
    s->q[1][1] = -r[2] / size;
    s->c[0] = s->c[1] = 0.0;
}

static void core_side(contact_side *s, rps_vec3 n, rps_vec3 t1, rps_vec3 t2, double size) {
    const rps_convex_body *b = s->body;
    const double none[3] = {0.0, 0.0, 0.0};
    int free_axes = 0, last_free = 0, last_fixed = 0;
    for (int k = 0; k < 3; k++) {
        if (s->fixed[k]) {
            last_fixed = k;
        } else {
            free_axes++;
            last_free = k;
        }
    }
    int axis = free_axes == 2 ? last_fixed : last_free;
    rps_vec3 along = rps_vec3_make(b->turn.m[0][axis], b->turn.m[1][axis], b->turn.m[2][axis]);
    s->normal = rps_vec3_scale(n, s->sign);
    if (free_axes == 0) {
        corner_rows(s, none, size);
    } else if (free_axes == 1) {
        edge_rows(s, n, along, t1, t2);
        s->normal = rps_vec3_normalize(rps_vec3_reject(s->normal, along));
    } else {
        s->normal = rps_vec3_dot(along, s->normal) < 0.0 ? rps_vec3_neg(along) : along;
        smooth_rows(s, n, t1, t2, none, size);
    }
}

static void cylinder_side(contact_side *s, rps_vec3 n, rps_vec3 t1, rps_vec3 t2, double size) {
    const rps_convex_body *b = s->body;
    rps_vec3 axis = rps_vec3_make(b->turn.m[0][2], b->turn.m[1][2], b->turn.m[2][2]);
    rps_vec3 out = rps_vec3_scale(n, s->sign);
    double w[3] = {0.0, 0.0, 0.0};
    s->by_normal = false;
    if (s->fixed[0] && s->fixed[2]) { /* the rim: the azimuth of its point is that of the normal */
        rps_vec3 flat = rps_vec3_reject(out, axis);
        double sine = rps_vec3_norm(flat);
        rps_vec3 around = rps_vec3_normalize(rps_vec3_cross(axis, out));
        double a = rps_vec3_dot(around, t1), c = rps_vec3_dot(around, t2),
               r = b->half[0] / rps_convex_max(sine, 1e-300);
        if (sine > rim_sine) {
            double radii[3] = {r * a * a, r * a * c, r * c * c};
            s->normal = out;
            s->by_normal = true;
            corner_rows(s, radii, size);
            return;
        }
        /* Nearly along the axis the azimuth follows the point instead, as for a curved edge. */
        rps_vec3 radial = rps_vec3_normalize(rps_vec3_reject(s->x, axis));
        around = rps_vec3_cross(axis, radial);
        edge_rows(s, n, around, t1, t2);
        double along = rps_vec3_dot(out, radial) / b->half[0] * size;
        s->p[0][0] = along * rps_vec3_dot(around, t1);
        s->p[0][1] = along * rps_vec3_dot(around, t2);
        s->q[0][0] *= -1.0;
        s->q[0][1] *= -1.0;
        s->c[0] *= -1.0;
        s->normal = rps_vec3_normalize(rps_vec3_reject(out, around));
        return;
    }
    if (s->fixed[2]) {
        s->normal = rps_vec3_dot(axis, s->x) < 0.0 ? rps_vec3_neg(axis) : axis;
    } else {
        s->normal = rps_vec3_normalize(rps_vec3_reject(s->x, axis));
        rps_vec3 around = rps_vec3_cross(axis, s->normal);
        double a = rps_vec3_dot(around, t1), c = rps_vec3_dot(around, t2);
        w[0] = a * a / b->half[0];
        w[1] = a * c / b->half[0];
        w[2] = c * c / b->half[0];
    }
    smooth_rows(s, n, t1, t2, w, size);
}

/* If both radii of curvature are small, the normal determines the point more accurately than the reverse: the error
 * of the normal at a rounded point is rounding times the curvature. */
static bool sharp(const double w[3], double size) {
    return w[0] * w[2] - w[1] * w[1] > 0.3 * (w[0] + w[2]) / size;
}

static void smooth_side(contact_side *s, rps_vec3 n, rps_vec3 t1, rps_vec3 t2, double size) {
    const rps_convex_body *b = s->body;
    const rps_shape *shape = b->side->shape;
    const double *parameter = b->side->parameter;
    double w[3];
    for (;;) {
        rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, s->x);
        shape->shape_operator(parameter, local, rps_mat3_transpose_mul_vec(&b->turn, t1),
                              rps_mat3_transpose_mul_vec(&b->turn, t2), w);
        s->by_normal = s->supported || sharp(w, b->size);
        if (!s->by_normal) {
            rps_vec3 slope = shape->gradient(parameter, local);
            double steep = rps_vec3_norm(slope);
            s->off = shape->value(parameter, local) / steep;
            s->normal = rps_mat3_mul_vec(&b->turn, rps_vec3_scale(slope, 1.0 / steep));
            break;
        }
        s->normal = rps_vec3_scale(n, s->sign);
        if (s->supported) break;
        s->x = rps_convex_support(b, s->normal);
        s->supported = true;
    }
    smooth_rows(s, n, t1, t2, w, size);
    /* Sets up the next step; this one uses the support point if x is one. */
    s->by_normal = sharp(w, b->size);
}

static void convex_newton_look(contact_side *s, rps_vec3 n, rps_vec3 t1, rps_vec3 t2, double size) {
    s->off = 0.0;
    if (s->body->kind == RPS_CONVEX_CORE) {
        core_side(s, n, t1, t2, size);
    } else if (s->body->kind == RPS_CONVEX_CYLINDER) {
        cylinder_side(s, n, t1, t2, size);
    } else {
        smooth_side(s, n, t1, t2, size);
    }
}

/* Squared residual of the condition that x is on the surface with normal n (or -n). At high curvature the error of
 * the normal counts as the error of the point. */
static double side_miss(const contact_side *s, rps_vec3 n, double size) {
    double against = rps_vec3_dot(s->normal, n) * s->sign;
    return square(s->c[0]) + square(s->c[1]) + square(s->off / size) + (against > 0.0 ? 0.0 : 1.0);
}

static double miss(const rps_convex_pair *p, const contact_side *i, const contact_side *j, rps_vec3 n) {
    rps_vec3 across = rps_vec3_reject(rps_convex_between(p, i->x, j->x), n);
    return side_miss(i, n, p->size) + side_miss(j, n, p->size) + rps_vec3_norm2(across) / square(p->size);
}

/* Solves four linear equations; an undetermined unknown becomes 0. */
static void solve4(double a[4][5], double x[4]) {
    int column_of[4] = {-1, -1, -1, -1}, row = 0;
    for (int c = 0; c < 4; c++) {
        int best = row;
        for (int r = row + 1; r < 4; r++) {
            if (fabs(a[r][c]) > fabs(a[best][c])) best = r;
        }
        if (row == 4 || !(fabs(a[best][c]) > 1e-13)) continue;
        for (int k = 0; k < 5; k++) {
            double t = a[row][k];
            a[row][k] = a[best][k];
            a[best][k] = t;
        }
        for (int r = row + 1; r < 4; r++) {
            double f = a[r][c] / a[row][c];
            for (int k = c; k < 5; k++) a[r][k] -= f * a[row][k];
        }
        column_of[row++] = c;
    }
    x[0] = x[1] = x[2] = x[3] = 0.0;
    while (row > 0) {
        row--;
        double sum = a[row][4];
        for (int k = column_of[row] + 1; k < 4; k++) sum -= a[row][k] * x[k];
        x[column_of[row]] = sum / a[row][column_of[row]];
    }
}

/* The side after a step u (m, normal to n) to the new normal. True if it reached another feature of its surface. */
static bool convex_newton_follow(contact_side *s, rps_vec3 u, rps_vec3 n_new) {
    const rps_convex_body *b = s->body;
    if (b->kind == RPS_CONVEX_SMOOTH) {
        if (s->by_normal) {
            s->x = rps_convex_support(b, rps_vec3_scale(n_new, s->sign));
            s->supported = true;
            return false;
        }
        s->supported = false;
        const rps_shape *shape = b->side->shape;
        const double *parameter = b->side->parameter;
        rps_vec3 moved = rps_vec3_add(s->x, rps_vec3_add_scaled(u, -s->off, s->normal));
        rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, moved);
        double last = INFINITY, near = 1e-3 * rps_vec3_norm(u);
        for (;;) { /* back to the surface, near enough; each pass must come closer */
            rps_vec3 slope = shape->gradient(parameter, local);
            double off = shape->value(parameter, local) / rps_vec3_norm2(slope);
            double away = fabs(off) * rps_vec3_norm(slope);
            if (!(away < 0.5 * last)) break;
            last = away;
            local = rps_vec3_add_scaled(local, -off, slope);
            if (away <= near) break;
        }
        s->x = rps_mat3_mul_vec(&b->turn, local);
        return false;
    }
    bool before[3] = {s->fixed[0], s->fixed[1], s->fixed[2]};
    if (b->kind == RPS_CONVEX_CYLINDER && s->by_normal) {
        rps_vec3 axis = rps_vec3_make(b->turn.m[0][2], b->turn.m[1][2], b->turn.m[2][2]);
        rps_vec3 radial = rps_vec3_normalize(rps_vec3_reject(rps_vec3_scale(n_new, s->sign), axis));
        double z = rps_vec3_dot(s->x, axis) < 0.0 ? -b->half[2] : b->half[2];
        s->x = rps_vec3_add_scaled(rps_vec3_scale(axis, z), b->half[0], radial);
        return let_go(s, n_new);
    }
    if (b->kind == RPS_CONVEX_CYLINDER && s->fixed[0]) { /* round: keep the distance from the axis */
        rps_vec3 axis = rps_vec3_make(b->turn.m[0][2], b->turn.m[1][2], b->turn.m[2][2]);
        rps_vec3 moved = rps_vec3_add(s->x, u);
        double z = s->fixed[2] ? rps_vec3_dot(s->x, axis) : rps_vec3_dot(moved, axis);
        s->x = rps_vec3_add_scaled(rps_vec3_scale(axis, limit(z, b->half[2])), b->half[0],
                                   rps_vec3_normalize(rps_vec3_reject(moved, axis)));
        s->fixed[2] = s->fixed[2] || fabs(z) >= b->half[2];
    } else {
        rps_vec3 from = rps_mat3_transpose_mul_vec(&b->turn, s->x), by = rps_mat3_transpose_mul_vec(&b->turn, u);
        double a[3] = {from.x, from.y, from.z}, step[3] = {by.x, by.y, by.z};
        if (b->kind == RPS_CONVEX_CORE) {
            for (int k = 0; k < 3; k++) {
                if (s->fixed[k]) continue;
                s->fixed[k] = !(fabs(a[k] + step[k]) < b->half[k]);
                a[k] = limit(a[k] + step[k], b->half[k]);
            }
        } else { /* the flat end of a cylinder */
            a[0] += step[0];
            a[1] += step[1];
            double rho = sqrt(a[0] * a[0] + a[1] * a[1]);
            if (!(rho < b->half[0])) {
                a[0] *= b->half[0] / rho;
                a[1] *= b->half[0] / rho;
                s->fixed[0] = true;
            }
        }
        s->x = rps_mat3_mul_vec(&b->turn, rps_vec3_make(a[0], a[1], a[2]));
    }
    bool freed = let_go(s, n_new);
    return freed || before[0] != s->fixed[0] || before[1] != s->fixed[1] || before[2] != s->fixed[2];
}

static void newton_step(const rps_convex_pair *p, const contact_side *i, const contact_side *j, rps_vec3 n, rps_vec3 t1,
                        rps_vec3 t2, double dn[2], double u_i[2], double u_j[2]) {
    rps_vec3 between = rps_convex_between(p, i->x, j->x);
    double scale = 1.0 / p->size, sigma = rps_vec3_dot(between, n) * scale, a[4][5], x[4];
    double e[2] = {rps_vec3_dot(between, t1) * scale, rps_vec3_dot(between, t2) * scale};
    /* Unknown: dn, u_j; u_i = u_j + sigma dn - e. The change of the outward normal is sign * dn. */
    for (int k = 0; k < 2; k++) {
        a[k][0] = sigma * i->p[k][0] - i->q[k][0];
        a[k][1] = sigma * i->p[k][1] - i->q[k][1];
        a[k][2] = i->p[k][0];
        a[k][3] = i->p[k][1];
        a[k][4] = -i->c[k] + (i->p[k][0] * e[0] + i->p[k][1] * e[1]);
        a[k + 2][0] = j->q[k][0];
        a[k + 2][1] = j->q[k][1];
        a[k + 2][2] = j->p[k][0];
        a[k + 2][3] = j->p[k][1];
        a[k + 2][4] = -j->c[k];
    }
    solve4(a, x);
    for (int k = 0; k < 2; k++) {
        dn[k] = x[k];
        u_j[k] = x[2 + k];
        u_i[k] = u_j[k] + sigma * dn[k] - e[k];
    }
}

static bool keep(rps_convex_guess *guess, rps_vec3 n, const contact_side *i, const contact_side *j) {
    *guess = (rps_convex_guess){n, i->x, j->x};
    return true;
}

static bool newton(const rps_convex_pair *p, rps_convex_guess *guess, bool on_rim, int *steps) {
    /* Rounding leaves a few units of 1e-16; a residual of `good` is accepted if no step reduces it. */
    const double perfect = square(8e-16), good = square(3e-14), close = square(1e-8);
    contact_side i = {.body = &p->i, .sign = -1.0, .x = guess->x_i}, j = {.body = &p->j, .sign = 1.0, .x = guess->x_j};
    rps_vec3 n = guess->n;
    if (p->i.kind != RPS_CONVEX_SMOOTH) settle(&i, n, on_rim);
    if (p->j.kind != RPS_CONVEX_SMOOTH) settle(&j, n, on_rim);
    rps_vec3 t1 = rps_vec3_any_across(n), t2 = rps_vec3_cross(n, t1);
    convex_newton_look(&i, n, t1, t2, p->size);
    convex_newton_look(&j, n, t1, t2, p->size);
    double now = miss(p, &i, &j, n);
    int changes = 0, slow = 0;
    while (!(now <= perfect)) {
        double dn[2], u_i[2], u_j[2], shorter = 1.0;
        newton_step(p, &i, &j, n, t1, t2, dn, u_i, u_j);
        (*steps)++;
        double turn = sqrt(dn[0] * dn[0] + dn[1] * dn[1]);
        if (turn > 0.5) shorter = 0.5 / turn;
        contact_side try_i, try_j;
        rps_vec3 try_n, a1, a2;
        double next;
        bool moved = false;
        for (;;) {
            double f = shorter * p->size;
            try_i = i;
            try_j = j;
            try_n = rps_vec3_normalize(rps_vec3_add(
                n, rps_vec3_add(rps_vec3_scale(t1, shorter * dn[0]), rps_vec3_scale(t2, shorter * dn[1]))));
            moved = convex_newton_follow(
                &try_i, rps_vec3_add(rps_vec3_scale(t1, f * u_i[0]), rps_vec3_scale(t2, f * u_i[1])), try_n);
            moved |= convex_newton_follow(
                &try_j, rps_vec3_add(rps_vec3_scale(t1, f * u_j[0]), rps_vec3_scale(t2, f * u_j[1])), try_n);
            a1 = rps_vec3_any_across(try_n);
            a2 = rps_vec3_cross(try_n, a1);
            convex_newton_look(&try_i, try_n, a1, a2, p->size);
            convex_newton_look(&try_j, try_n, a1, a2, p->size);
            next = miss(p, &try_i, &try_j, try_n);
            if (next < now || moved || now <= good || shorter < 0.1) break;
            shorter *= 0.5;
        }
        if (!(next < now) && !moved) break;
        /* Gives up if steps gain little or keep changing features: the guess was not close. */
        slow = next > 0.8 * now ? slow + 1 : 0;
        changes += moved;
        if (slow > 8 || changes > 12 || !(next < INFINITY)) return now <= good && keep(guess, n, &i, &j);
        i = try_i;
        j = try_j;
        n = try_n;
        t1 = a1;
        t2 = a2;
        const bool ends = now <= close && next <= good; /* steps square the residual: the next one finds rounding */
        now = next;
        if (ends) break;
    }
    return now <= good && keep(guess, n, &i, &j);
}

bool rps_convex_newton(const rps_convex_pair *p, rps_convex_guess *guess, int *steps) {
    bool rims = p->i.kind == RPS_CONVEX_CYLINDER || p->j.kind == RPS_CONVEX_CYLINDER;
    return newton(p, guess, false, steps) || (rims && newton(p, guess, true, steps));
}
