/*
 * Friction of parallel cylinders with partial slip, the accurate law of the plane-strain model (Lai, Chen & Huang 2021,
 * eqs. 24 to 27). At constant load N, slip begins at the edge and leaves a stuck strip. Its half width is that of a
 * contact under the load c < N:
 *
 *   T = mu (N - c),   ds = mu (G(N) - G(c)),   G(n) = n F(a(n))/(pi E_eff depth)          F: hertz2d_tangent.h
 *
 * This is a superposition of contacts of all loads n from 0 to N (Jaeger 1998; Ciavarella 1998), each with its own
 * displacement: T = int theta dn, s = int theta dG, |theta| <= mu. It holds for any history of slip and load. Slip
 * sets theta to +-mu from N inwards, as far as the motion requires. A growing load appends the theta that follows
 * from the motion of the step (0 without motion: new contact area is not sheared). A falling load cuts off the part
 * beyond it, and the rest slips as far as the motion requires. So reversals at constant N follow Masing's rule, a
 * closed loop erases the memory inside it, |T| <= mu N, and no history delivers energy. The stored energy is the
 * elastic energy int T dG of the superposition, with T(n) the part within n; the rest of the work is recorded as
 * dissipated.
 *
 * theta is stored in RINGS pieces. If a ninth is needed, the two neighbours whose merging changes least become one
 * with their common T: T does not jump, and s of the superposition changes by that small amount.
 *
 * Slip acts along one line, that of the first motion, carried with the contact: a planar world has no other.
 */
#include <math.h>
#include <stdbool.h>

#include "law/hertz2d_tangent.h"

enum { MU, TANGENT, CONSTANTS = TANGENT + RPS_TANGENT_CONSTANTS };
_Static_assert((int)CONSTANTS <= (int)RPS_LAW_CONSTANTS, "constants");
enum { RINGS = 8, M_LINE = 0, M_LOAD = 1, M_SLOPE = M_LOAD + RINGS, ENTRIES = M_SLOPE + RINGS };
_Static_assert((int)ENTRIES <= (int)RPS_LAW_MEMORY, "memory");

/* --- one contact under a load n ----------------------------------------------------------------------------------- */

typedef struct cylinders {
    const double *of[2]; /* constants of the two surfaces; on a plane, those of the disk twice */
    double per_root[2];  /* r = a/R at n = 1 */
    double hold, w2, k;
} cylinders;

static cylinders cylinders_of(const double *constant, double r0, double r1) {
    const double *t = constant + TANGENT;
    cylinders q;
    q.k = rps_hertz2d_choice(r0, r1, t[RPS_TANGENT_PAIR], t[RPS_TANGENT_FIRST], t[RPS_TANGENT_SECOND]);
    q.hold = t[RPS_TANGENT_HOLD];
    q.w2 = t[RPS_TANGENT_W2];
    const double sum = r0 + r1, product = r0 * r1;
    const double wide = 2.0 * sqrt((product > 0.0 ? product / sum : sum) / q.k);
    for (int b = 0; b < 2; b++) {
        const double own = b ? r1 : r0, other = b ? r0 : r1;
        const int disk = own > 0.0 ? b : 1 - b;
        q.of[b] = t + disk * RPS_TANGENT_BODY;
        q.per_root[b] = wide / (own > 0.0 ? own : other);
    }
    return q;
}

/* g = (1 + w) log(4/r) + p of one surface: its parts at the clamped r. */
typedef struct parts {
    double w, p, dw, dp, log; /* dw, dp: derivatives times r */
    bool held, inside;        /* r < hold; r < 1 */
} parts;

static parts parts_at(const cylinders *q, int b, double r) {
    const double *of = q->of[b];
    const double h = r < q->hold ? r : q->hold, least = r > 1e-100 ? r : 1e-100;
    parts g = {.held = r < q->hold, .inside = r < 1.0, .log = rps_log_positive(4.0 / (least < 1.0 ? least : 1.0))};
    g.w = of[RPS_TANGENT_W0] + h * (of[RPS_TANGENT_W1] + h * q->w2);
    g.p = of[RPS_TANGENT_P0] + h * (of[RPS_TANGENT_P1] + h * of[RPS_TANGENT_P2]);
    g.dw = g.held ? h * (of[RPS_TANGENT_W1] + 2.0 * h * q->w2) : 0.0;
    g.dp = g.held ? h * (of[RPS_TANGENT_P1] + 2.0 * h * of[RPS_TANGENT_P2]) : 0.0;
    return g;
}

/* G, and its slope dG/dn if asked. */
static double slide_hertz2d_partial_slip_moved(const cylinders *q, double n, double *slope) {
    double sum = 0.0, rate = 0.0;
    const double root = sqrt(n);
    for (int b = 0; b < 2; b++) {
        const parts g = parts_at(q, b, root * q->per_root[b]);
        sum += (1.0 + g.w) * g.log + g.p;
        rate += (1.0 + g.w) * (g.log - (g.inside ? 0.5 : 0.0)) + g.p + 0.5 * (g.dw * g.log + g.dp);
    }
    if (slope) *slope = rate / q->k;
    return n * sum / q->k;
}

/* int_0^1 of 2 x^3 g(x r) dx for r <= hold: powers of r times logarithms. */
static double within_hold(const cylinders *q, int b, double r, double log) {
    const double *of = q->of[b];
    return 0.5 * ((1.0 + of[RPS_TANGENT_W0]) * (log + 0.25) + of[RPS_TANGENT_P0]) +
           0.4 * r * (of[RPS_TANGENT_W1] * (log + 0.2) + of[RPS_TANGENT_P1]) +
           r * r * (q->w2 * (log + 1.0 / 6.0) + of[RPS_TANGENT_P2]) / 3.0;
}

/* The same for any r: w and p are constant beyond hold, the logarithm beyond 1. */
static double fourth_moment(const cylinders *q, int b, double r) {
    const parts g = parts_at(q, b, r);
    if (g.held) return within_hold(q, b, r, g.log);
    const double h = q->hold, log_h = rps_log_positive(4.0 / h), end = g.inside ? r : 1.0;
    const double ratio = (h / end) * (h / end), part = ratio * ratio;
    double sum = part * within_hold(q, b, h, log_h) +
                 0.5 * ((1.0 + g.w) * ((g.log + 0.25) - part * (log_h + 0.25)) + g.p * (1.0 - part));
    if (g.inside) return sum;
    const double inner = 1.0 / (r * r) / (r * r);
    return inner * sum + 0.5 * ((1.0 + g.w) * g.log + g.p) * (1.0 - inner);
}

/* int_0^n G dn */
static double moved_integral(const cylinders *q, double n) {
    const double root = sqrt(n);
    return n * (n / q->k) * (fourth_moment(q, 0, root * q->per_root[0]) + fourth_moment(q, 1, root * q->per_root[1]));
}

/* The load between low and high at which G is `target`: Newton, in a bracket. */
static double load_at(const cylinders *q, double target, double low, double high) {
    double n = 0.5 * (low + high);
    for (int trial = 0; trial < 100 && high - low > 1e-15 * high; trial++) {
        double slope;
        const double off = slide_hertz2d_partial_slip_moved(q, n, &slope) - target;
        if (off > 0.0) high = n;
        if (off < 0.0) low = n;
        if (off == 0.0) break;
        const double next = n - off / slope;
        const bool inside = next > low && next < high;
        if (inside && fabs(next - n) <= 1e-16 * n) break;
        n = inside ? next : 0.5 * (low + high);
    }
    return n;
}

/* --- the superposition -------------------------------------------------------------------------------------------- */

typedef struct rings {
    int count;
    double load[RINGS + 1];  /* N, outer end of each piece, rising */
    double slope[RINGS + 1]; /* theta */
} rings;

/* Frees a piece: merges the two neighbours where that changes least, keeping their T. */
static void merge(rings *r) {
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k + 1 < r->count; k++) {
        const double inner = r->load[k] - (k ? r->load[k - 1] : 0.0), outer = r->load[k + 1] - r->load[k];
        const double cost = fabs(r->slope[k + 1] - r->slope[k]) * (inner < outer ? inner : outer);
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    const double start = best ? r->load[best - 1] : 0.0, end = r->load[best + 1];
    const double inner = (r->load[best] - start) / (end - start);
    r->slope[best] = inner * r->slope[best] + (1.0 - inner) * r->slope[best + 1];
    r->load[best] = end;
    for (int k = best + 1; k + 1 < r->count; k++) {
        r->load[k] = r->load[k + 1];
        r->slope[k] = r->slope[k + 1];
    }
    r->count--;
}

static void append(rings *r, double load, double slope) {
    const double start = r->count ? r->load[r->count - 1] : 0.0;
    if (!(load > start)) return;
    if (r->count && r->slope[r->count - 1] == slope) {
        r->load[r->count - 1] = load;
        return;
    }
    if (r->count == RINGS) merge(r);
    r->load[r->count] = load;
    r->slope[r->count++] = slope;
}

/* Slips by `motion` > 0 along `sign`, from the outside inwards, up to the load n. Returns whether the whole contact
 * slides. */
static bool slide(const cylinders *q, rings *r, double mu, double sign, double motion, double n) {
    while (r->count > 0 && motion > 0.0) {
        const int k = r->count - 1;
        const double start = k ? r->load[k - 1] : 0.0, rate = mu - sign * r->slope[k];
        const double end = slide_hertz2d_partial_slip_moved(q, r->load[k], NULL),
                     capacity = rate * (end - slide_hertz2d_partial_slip_moved(q, start, NULL));
        if (capacity > motion) {
            r->load[k] = load_at(q, end - motion / rate, start, r->load[k]);
            motion = 0.0;
        } else {
            motion -= capacity;
            r->count--;
        }
    }
    append(r, n, sign * mu);
    return motion > 0.0;
}

/* Cuts off the part beyond the load n; returns its displacement. */
static double slide_hertz2d_partial_slip_cut(const cylinders *q, rings *r, double n) {
    double lost = 0.0;
    while (r->count > 0 && r->load[r->count - 1] > n) {
        const int k = r->count - 1;
        const double start = k ? r->load[k - 1] : 0.0, from = start > n ? start : n;
        lost += r->slope[k] * (slide_hertz2d_partial_slip_moved(q, r->load[k], NULL) -
                               slide_hertz2d_partial_slip_moved(q, from, NULL));
        r->load[k] = from;
        if (start >= n) r->count--;
    }
    return lost;
}

/* Advances to the load n and by the slip s; returns whether the whole contact slides. */
static bool slide_hertz2d_partial_slip_move(const cylinders *q, rings *r, double mu, double n, double s) {
    const double before = r->count ? r->load[r->count - 1] : 0.0;
    if (n > before) {
        const double grown =
            slide_hertz2d_partial_slip_moved(q, n, NULL) - slide_hertz2d_partial_slip_moved(q, before, NULL);
        if (fabs(s) <= mu * grown) {
            append(r, n, s != 0.0 ? s / grown : 0.0);
            return false;
        }
        return slide(q, r, mu, s > 0.0 ? 1.0 : -1.0, fabs(s) - mu * grown, n);
    }
    const double need = s + slide_hertz2d_partial_slip_cut(q, r, n);
    return need != 0.0 && slide(q, r, mu, need > 0.0 ? 1.0 : -1.0, fabs(need), n);
}

/* T and the stored energy. */
static double force_of(const cylinders *q, const rings *r, double *energy) {
    double t = 0.0, n = 0.0, g = 0.0, h = 0.0, u = 0.0;
    for (int k = 0; k < r->count; k++) {
        const double n1 = r->load[k], slope = r->slope[k], t1 = t + slope * (n1 - n);
        const double g1 = slide_hertz2d_partial_slip_moved(q, n1, NULL), h1 = moved_integral(q, n1);
        u += slope * ((t1 * g1 - t * g) - slope * (h1 - h));
        n = n1;
        t = t1;
        g = g1;
        h = h1;
    }
    *energy = u > 0.0 ? u : 0.0;
    return t;
}

RPS_KERNEL(slide_hertz2d_partial_slip) {
    const double mu = constant[MU];
    RPS_IN(cap_load);
    RPS_IN(elastic_load);
    RPS_IN_AS(radius0, b->radius[0]);
    RPS_IN_AS(radius1, b->radius[1]);
    RPS_IN_VECTOR(d, b->slip);
    RPS_VECTOR(line, b->memory[M_LINE]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    for (int c = 0; c < b->count; c++) { /* histories differ: one contact after the other */
        const cylinders q = cylinders_of(constant, radius0[c], radius1[c]);
        double x = line_x[c], y = line_y[c], z = line_z[c];
        double length = sqrt(x * x + y * y + z * z);
        if (!(length > 0.0)) {
            x = d_x[c];
            y = d_y[c];
            z = d_z[c];
            length = sqrt(x * x + y * y + z * z);
        }
        const double unit = length > 0.0 ? 1.0 / length : 0.0;
        x *= unit;
        y *= unit;
        z *= unit;
        rings r = {.count = 0};
        for (int k = 0; k < RINGS && b->memory[M_LOAD + k][0][c] > 0.0; k++) {
            r.load[k] = b->memory[M_LOAD + k][0][c];
            r.slope[k] = b->memory[M_SLOPE + k][0][c];
            r.count++;
        }
        const double s = x * d_x[c] + y * d_y[c] + z * d_z[c];
        const double n = cap_load[c] < elastic_load[c] ? cap_load[c] : elastic_load[c];
        double stored0, stored1;
        const double t0 = force_of(&q, &r, &stored0);
        mode[c] = slide_hertz2d_partial_slip_move(&q, &r, mu, n, s) ? 1.0 : 0.0;
        const double t1 = force_of(&q, &r, &stored1);
        for (int k = 0; k < RINGS; k++) {
            b->memory[M_LOAD + k][0][c] = k < r.count ? r.load[k] : 0.0;
            b->memory[M_SLOPE + k][0][c] = k < r.count ? r.slope[k] : 0.0;
        }
        line_x[c] = x;
        line_y[c] = y;
        line_z[c] = z;
        force_x[c] = t1 * x;
        force_y[c] = t1 * y;
        force_z[c] = t1 * z;
        elastic[c] = fabs(t1);
        energy[c] = stored1;
        dissipated[c] = 0.5 * (t0 + t1) * s - (stored1 - stored0);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_hertz2d_partial_slip_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_tangent_prepare(setup, "hertz2d_partial_slip", constant + TANGENT, err));
    constant[MU] = setup->value[RPS_TANGENT_V_FRICTION];
    return RPS_OK;
}

/* The stiffness of a contact that has not slipped yet, which is the largest. */
static rps_law_spring slide_hertz2d_partial_slip_spring(const double *constant, const rps_law_contact *contact) {
    const double r0 = contact->radius[0], r1 = contact->radius[1], sum = r0 + r1, product = r0 * r1;
    const cylinders q = cylinders_of(constant, r0, r1);
    double slope;
    slide_hertz2d_partial_slip_moved(
        &q, 0.25 * q.k * contact->contact_radius * contact->contact_radius / (product > 0.0 ? product / sum : sum),
        &slope);
    return (rps_law_spring){1.0 / slope, 0.0};
}

#define RING(n) \
    { "ring_load_" #n, "N", "where piece " #n " of the superposition ends, from inside; 0: none", RPS_MEMORY_SCALAR }
#define SLOPE(n) \
    { "ring_slope_" #n, "", "dT/dN of piece " #n, RPS_MEMORY_SCALAR }

const rps_law rps_law_slide_hertz2d_partial_slip = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "hertz2d_partial_slip",
    .summary =
        "parallel cylinders, for disks of a planar scene: partial slip from the edge inwards, with a memory of 8 "
        "pieces for reversals and changes of load (of more, the two neighbours become one that differ least); "
        "a/R is held at 0.2 (refit: 0.3) in the penalty factor, at 1 in the logarithms",
    .citation = "Lai, Chen & Huang 2021, eqs. 24 to 27; Jaeger 1998; Ciavarella 1998",
    .parameter = {RPS_TANGENT_PARAMETERS},
    .memory = {{"line", "", "direction along which slip counts", RPS_MEMORY_TANGENT},
               RING(1),
               RING(2),
               RING(3),
               RING(4),
               RING(5),
               RING(6),
               RING(7),
               RING(8),
               SLOPE(1),
               SLOPE(2),
               SLOPE(3),
               SLOPE(4),
               SLOPE(5),
               SLOPE(6),
               SLOPE(7),
               SLOPE(8)},
    .modes = 1,
    .dimension = 2,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(elastic_load) | RPS_ARRAY(slip) | RPS_ARRAY(radius),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_hertz2d_partial_slip_prepare,
    .spring = slide_hertz2d_partial_slip_spring,
    .nonsmooth = "its memory is a stack of loads, and that stepper keeps one force; take tracked or cundall_strack",
    .kernel = RPS_LAW_KERNELS(slide_hertz2d_partial_slip),
};
#endif
