/*
 * Friction of a Hertz contact with partial slip, for any history of load and of slip in the plane (Jaeger 1998 and
 * Ciavarella 1998 on a line; Popov & Hess 2015; the vectors are of this project).
 *
 * The contact is a row of independent springs at x in (0, a), with the share (3 N/4a) (1 - x^2/a^2) dx of the load on
 * each side, the tangential stiffness 4 G* dx, and friction of their own. Their load per length theta(x) is kept:
 *
 *   T = 2 int theta dx,   stored = int |theta|^2 dx/(4 G*),   |theta| <= mu (3 N/4a) (1 - x^2/a^2)
 *
 * All springs move by the slip of the step. Those that come into contact in the step move by the share that was left,
 * those that part are lost with their energy, and then each is cut back to its bound. theta is linear in x^2 between
 * nodes, as the bound is, so that a profile within the bound at its nodes is within it everywhere. Where a profile
 * crosses the bound a node is added, and of too many the one that matters least is removed.
 *
 * On a line this is the solution of Cattaneo, Mindlin and Deresiewicz. Where the slip turns, each spring turns alone: the
 * load errs by up to .03 mu N against a half-space, where one-force rules err by .1 to .3.
 *
 * Memory holds T in place of theta(0), which follows from T and the other nodes. So T is carried exactly, and a contact
 * that a mesh hands over with T alone goes on from theta ~ 1 - x^2/a^2.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "law/mindlin.h"

enum { P_NODES = RPS_MINDLIN_P_NEXT };
enum { STATIC, KINETIC, SHEAR, DAMPING, NODES, UNLIMITED };
enum { NODES_MOST = 8, OUTER = NODES_MOST - 1 }; /* kept nodes: with that at x = 0, and without */
enum { M_FORCE, M_LOAD, M_POSITION = M_LOAD + OUTER, M_RADIUS = M_POSITION + OUTER, M_BOOK, ENTRIES };
_Static_assert((int)ENTRIES <= (int)RPS_LAW_MEMORY, "memory");

/* Kept nodes and the edges before and after the step make 9 segments; each becomes at most 9 nodes. */
enum { WORKING = 96 };

typedef struct node {
    double x;   /* m */
    rps_vec3 t; /* theta, N/m */
} node;

/* Nodes from x = 0 to the edge, x rising; one node: no contact yet. */
typedef struct profile {
    int count;
    node at[WORKING];
} profile;

static rps_vec3 blend(rps_vec3 a, rps_vec3 b, double share) {
    return rps_vec3_make(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z));
}

/* Where x^2 lies between those of two nodes, 0 to 1. */
static double share_at(double x, double x0, double x1) {
    return (x - x0) * (x + x0) / ((x1 - x0) * (x1 + x0));
}

static void push_ring(profile *p, double x, rps_vec3 t) {
    if (p->count == 0 || x > p->at[p->count - 1].x) p->at[p->count++] = (node){x, t};
}

/* The mean over x of the outer node's share of a segment. */
static double outer_weight(double x0, double x1) {
    return (x1 + 2.0 * x0) / (3.0 * (x1 + x0));
}

static rps_vec3 force_of_profile(const profile *p) {
    rps_vec3 sum = rps_vec3_zero();
    for (int k = 0; k + 1 < p->count; k++) {
        const double x0 = p->at[k].x, x1 = p->at[k + 1].x;
        const rps_vec3 mean = blend(p->at[k].t, p->at[k + 1].t, outer_weight(x0, x1));
        sum = rps_vec3_add(sum, rps_vec3_scale(mean, 2.0 * (x1 - x0)));
    }
    return sum;
}

/* int |theta|^2 dx */
static double squares_of(const profile *p) {
    double sum = 0.0;
    for (int k = 0; k + 1 < p->count; k++) {
        const double x0 = p->at[k].x, x1 = p->at[k + 1].x, h = x1 - x0, total = x1 + x0;
        const rps_vec3 t = p->at[k].t, d = rps_vec3_sub(p->at[k + 1].t, t);
        const double second = (4.0 / 3.0 * x0 * x0 + x0 * h + 0.2 * h * h) / (total * total);
        sum += h * (rps_vec3_dot(t, t) + 2.0 * outer_weight(x0, x1) * rps_vec3_dot(t, d) + second * rps_vec3_dot(d, d));
    }
    return sum > 0.0 ? sum : 0.0;
}

/* Ends the profile at x = a. */
static void end_rings(profile *p, double a) {
    while (p->count > 1 && p->at[p->count - 2].x >= a) p->count--;
    node *last = &p->at[p->count - 1];
    if (p->count == 1 || !(last->x > a)) return;
    last->t = blend(last[-1].t, last->t, share_at(a, last[-1].x, last->x));
    last->x = a;
}

/* The slip of a step adds `sigma` to all springs; the contact radius is then a. */
static void slide_springs(profile *p, rps_vec3 sigma, double a) {
    for (int k = 0; k < p->count; k++) p->at[k].t = rps_vec3_add(p->at[k].t, sigma);
    if (a > p->at[p->count - 1].x) {
        push_ring(p, a, rps_vec3_zero());
    } else {
        end_rings(p, a);
    }
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

typedef struct bound {
    double slope, a; /* slope (a^2 - x^2) */
} bound;

static double bound_at(const bound *b, double x) {
    return b->slope * ((b->a - x) * (b->a + x));
}

static bool exceeds(rps_vec3 t, double most) {
    return rps_vec3_dot(t, t) > most * most;
}

/* Shares of a segment, from its outer end, at which |theta| crosses the bound, the outermost last. The outer bound may be 0, so
 * that this end keeps the digits. Along the bound the leading coefficient is round-off: neither root is found by dividing by
 * it alone. */
static int crossings(rps_vec3 t0, rps_vec3 t1, double b0, double b1, double root[2]) {
    const rps_vec3 d = rps_vec3_sub(t0, t1);
    const double a = rps_vec3_dot(d, d) - (b0 - b1) * (b0 - b1), b = rps_vec3_dot(t1, d) - b1 * (b0 - b1);
    const double c = rps_vec3_dot(t1, t1) - b1 * b1, inside = b * b - a * c;
    if (!(inside > 0.0)) return 0;
    const double q = -(b + copysign(sqrt(inside), b)), first = q / a, second = c / q;
    const double low = first < second ? first : second, high = first < second ? second : first;
    int count = 0;
    if (high > 0.0 && high < 1.0) root[count++] = high;
    if (low > 0.0 && low < 1.0) root[count++] = low;
    return count;
}

/* Whether two vectors differ in direction, by more than .03: below that an arc is .0001 of its radius from its chord, and nodes
 * on it would come and go with the round-off of a slip that hardly turns. */
static bool node_turns(rps_vec3 a, rps_vec3 b) {
    const double aa = rps_vec3_dot(a, a), bb = rps_vec3_dot(b, b), ab = rps_vec3_dot(a, b);
    return aa * bb - ab * ab > 1e-3 * (aa * bb);
}

/* Adds a node within a segment, at a share of its x^2 from the outer end. */
static void push_within(profile *out, const node *n0, const node *n1, double share) {
    const double x = sqrt(n1->x * n1->x - share * ((n1->x - n0->x) * (n1->x + n0->x)));
    if (x < n1->x) push_ring(out, x, blend(n1->t, n0->t, share));
}

/* A segment with nodes where it crosses the bound, and within a part beyond the bound that turns: once cut back, that is
 * curved. */
static void refine_segment(profile *out, const node *n0, const node *n1, const bound *b) {
    static const double inner[3] = {0.5, 0.75, 0.9};
    const double b0 = bound_at(b, n0->x), b1 = bound_at(b, n1->x);
    double mark[4] = {1.0};
    const int count = crossings(n0->t, n1->t, b0, b1, mark + 1);
    mark[count + 1] = 0.0;
    push_ring(out, n0->x, n0->t);
    for (int k = 0; k <= count; k++) {
        const double from = mark[k], length = from - mark[k + 1], middle = from - 0.5 * length;
        const rps_vec3 start = blend(n1->t, n0->t, from), end = blend(n1->t, n0->t, mark[k + 1]);
        const bool beyond = exceeds(blend(n1->t, n0->t, middle), (b1 + middle * (b0 - b1)) * (1.0 + 1e-12));
        const bool curved = beyond && node_turns(start, end);
        for (int i = 0; i < 3 && curved; i++) push_within(out, n0, n1, from - inner[i] * length);
        if (k < count) push_within(out, n0, n1, mark[k + 1]);
    }
}

/* Cuts every spring back to the bound; true if that at x = 0 was beyond it, so that all slide. */
static bool cut_back(profile *p, const bound *b) {
    const bool slides = exceeds(p->at[0].t, bound_at(b, p->at[0].x));
    for (int k = 0; k < p->count; k++) {
        const double most = bound_at(b, p->at[k].x), size = sqrt(rps_vec3_dot(p->at[k].t, p->at[k].t));
        if (size > most) p->at[k].t = rps_vec3_scale(p->at[k].t, most / size);
    }
    return slides;
}

/* The change of T by the removal of a node, about. That of the node at the former edge, `fresh`, is a step away from the edge: a
 * steady growth of the contact would remove one after the other, each for next to nothing, and so straighten a curve. It
 * counts as if the shorter side were as long as the other. */
static double cost_of(const node *n, double fresh) {
    const rps_vec3 off = rps_vec3_sub(n->t, blend(n[-1].t, n[1].t, share_at(n->x, n[-1].x, n[1].x)));
    const double own = sqrt(rps_vec3_dot(off, off)) * (n[1].x - n[-1].x);
    if (n->x != fresh) return own;
    const double inside = (n->x - n[-1].x) * (n->x + n[-1].x), outside = (n[1].x - n->x) * (n[1].x + n->x);
    return own * (inside > outside ? inside / outside : outside / inside);
}

/* Removes the nodes that matter least: beyond `most` (the edge not counted), and those that cost less than `tiny`. */
static void remove_nodes(profile *p, int most, double tiny, double fresh) {
    while (p->count > 2) {
        int least = 0;
        double cost = INFINITY;
        for (int k = 1; k + 1 < p->count; k++) {
            const double own = cost_of(&p->at[k], fresh);
            if (own < cost) {
                cost = own;
                least = k;
            }
        }
        if (least == 0 || (p->count - 1 <= most && cost > tiny)) return;
        for (int k = least; k + 1 < p->count; k++) p->at[k] = p->at[k + 1];
        p->count--;
    }
}

/* The same without a gain of energy: where the straight line stores more than the nodes did, the profile shrinks. */
static void thin(profile *p, int most, double fresh) {
    const rps_vec3 force = force_of_profile(p);
    const double before = squares_of(p);
    remove_nodes(p, most, 1e-7 * sqrt(rps_vec3_dot(force, force)), fresh);
    const double after = squares_of(p);
    if (!(after > before)) return;
    const double part = sqrt(before / after);
    for (int k = 0; k < p->count; k++) p->at[k].t = rps_vec3_scale(p->at[k].t, part);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static rps_vec3 vector_of(double *const lane[3], int c) {
    return rps_vec3_make(lane[0][c], lane[1][c], lane[2][c]);
}

static void put_vector(double *const lane[3], int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

static void read_rings(const rps_batch *b, int c, profile *p) {
    const double a = b->memory[M_RADIUS][0][c];
    p->count = 0;
    push_ring(p, 0.0, rps_vec3_zero());
    if (!(a > 0.0)) return;
    for (int k = 0; k < OUTER; k++) {
        const double x = b->memory[M_POSITION + k][0][c];
        if (!(x > 0.0 && x < a)) break;
        push_ring(p, x, vector_of(b->memory[M_LOAD + k], c));
    }
    push_ring(p, a, rps_vec3_zero());
    const rps_vec3 rest = rps_vec3_sub(vector_of(b->memory[M_FORCE], c), force_of_profile(p));
    p->at[0].t = rps_vec3_scale(rest, 0.75 / p->at[1].x);
}

static void write_rings(const rps_batch *b, int c, const profile *p, rps_vec3 force) {
    put_vector(b->memory[M_FORCE], c, force);
    for (int k = 0; k < OUTER; k++) {
        const bool used = k + 2 < p->count;
        b->memory[M_POSITION + k][0][c] = used ? p->at[k + 1].x : 0.0;
        put_vector(b->memory[M_LOAD + k], c, used ? p->at[k + 1].t : rps_vec3_zero());
    }
    b->memory[M_RADIUS][0][c] = p->at[p->count - 1].x;
}

RPS_KERNEL(slide_mindlin_deresiewicz) {
    const double shear = 4.0 * constant[SHEAR], rate = b->rate, unlimited = constant[UNLIMITED];
    const int nodes = (int)constant[NODES];
    RPS_IN(cap_load);
    RPS_IN(contact_radius);
    RPS_IN(damper_mass_sqrt);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_IN_AS(radius, b->memory[M_RADIUS][0]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    for (int c = 0; c < b->count; c++) { /* histories differ: one contact after the other */
        const double a = contact_radius[c], load = cap_load[c];
        const double mu = constant[mode[c] > 0.5 ? KINETIC : STATIC];
        const rps_vec3 ds = rps_vec3_make(slip_x[c], slip_y[c], slip_z[c]), force0 = vector_of(b->memory[M_FORCE], c);
        const bound most = {a > 0.0 ? mu * (0.75 * load / a) / (a * a) : 0.0, a};
        profile before, p;
        read_rings(b, c, &before);
        const double stored0 = squares_of(&before) / shear;
        slide_springs(&before, rps_vec3_scale(ds, shear), a);
        p.count = 0;
        for (int k = 0; k + 1 < before.count; k++) refine_segment(&p, &before.at[k], &before.at[k + 1], &most);
        push_ring(&p, before.at[before.count - 1].x, before.at[before.count - 1].t);
        const bool slides = cut_back(&p, &most);
        thin(&p, nodes, radius[c]);
        const rps_vec3 force = force_of_profile(&p);
        const double stored = squares_of(&p) / shear;

        const bool damped = !slides && load > 0.0;
        const double viscous = damped ? constant[DAMPING] * damper_mass_sqrt[c] * sqrt(2.0 * shear * a) * rate : 0.0;
        rps_vec3 total = rps_vec3_add(force, rps_vec3_scale(ds, viscous));
        const double top = constant[STATIC] * load + unlimited, size = sqrt(rps_vec3_dot(total, total));
        if (damped && viscous > 0.0 && size > top) total = rps_vec3_scale(total, top / size);
        const rps_vec3 ends = rps_vec3_add(rps_vec3_add(force0, vector_of(b->memory[M_BOOK], c)), total);

        write_rings(b, c, &p, force);
        put_vector(b->memory[M_BOOK], c, rps_vec3_sub(total, force));
        mode[c] = slides ? 1.0 : 0.0;
        put_vector(b->slide_force, c, total);
        elastic[c] = sqrt(rps_vec3_dot(force, force));
        energy[c] = stored;
        dissipated[c] = 0.5 * rps_vec3_dot(ends, ds) - (stored - stored0);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_mindlin_deresiewicz_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    double common[RPS_MINDLIN_CONSTANTS] = {0.0};
    RPS_TRY(rps_mindlin_prepare(setup, "mindlin_deresiewicz", common, err));
    if (strcmp(setup->normal_law, "hertz") != 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `mindlin_deresiewicz` follows the pressure of Hertz, and partial slip under normal "
                        "law `%s` has no accepted form: use normal law hertz, or slide law walton",
                        setup->normal_law);
    }
    constant[STATIC] = common[RPS_MINDLIN_FRICTION];
    constant[KINETIC] = common[RPS_MINDLIN_KINETIC];
    constant[SHEAR] = common[RPS_MINDLIN_SHEAR];
    constant[DAMPING] = 2.0 * setup->value[RPS_MINDLIN_P_OWN];
    constant[NODES] = floor(setup->value[P_NODES]);
    constant[UNLIMITED] = common[RPS_MINDLIN_UNLIMITED];
    return RPS_OK;
}

static void slide_mindlin_deresiewicz_effective(const double *constant, double *value) {
    value[RPS_MINDLIN_P_SHEAR] = constant[SHEAR];
    value[RPS_MINDLIN_P_KINETIC] = constant[KINETIC];
    value[P_NODES] = constant[NODES];
}

static int slide_mindlin_deresiewicz_keeps(const double *constant, int entry) {
    const int load = entry - M_LOAD, position = entry - M_POSITION, outer = (int)constant[NODES] - 1;
    if (load >= 0 && load < OUTER) return load < outer;
    if (position >= 0 && position < OUTER) return position < outer;
    return 1;
}

/* The stiffness of a contact that has not slipped, which is the largest. */
static rps_law_spring slide_mindlin_deresiewicz_spring(const double *constant, const rps_law_contact *contact) {
    const double k = 8.0 * constant[SHEAR] * contact->contact_radius;
    return (rps_law_spring){k, constant[DAMPING] * sqrt(contact->damper_mass * k)};
}

#define LOAD(n) \
    { "ring_load_" #n, "N/m", "tangential load per length at node " #n ", from inside", RPS_MEMORY_TANGENT }
#define POSITION(n) \
    { "ring_radius_" #n, "m", "where node " #n " lies; 0: none", RPS_MEMORY_SCALAR }

const rps_law rps_law_slide_mindlin_deresiewicz = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "mindlin_deresiewicz",
    .summary = "partial slip of a Hertz contact from the edge inwards, with memory for any history of load and slip",
    .citation = "Mindlin & Deresiewicz 1953; Jaeger 1998; Ciavarella 1998; Popov & Hess 2015",
    .parameter = {RPS_MINDLIN_PARAMETERS,
                  RPS_MINDLIN_DAMPING_PARAMETER,
                  RPS_MINDLIN_KINETIC_PARAMETER,
                  {"nodes", "", "nodes of the profile that is kept; fewer are faster and less exact", 4, NODES_MOST,
                   NODES_MOST, NULL, RPS_PARAMETER_OTHER}},
    .memory = {{"T", "N", "elastic tangential force", RPS_MEMORY_TANGENT},
               LOAD(1),
               LOAD(2),
               LOAD(3),
               LOAD(4),
               LOAD(5),
               LOAD(6),
               LOAD(7),
               POSITION(1),
               POSITION(2),
               POSITION(3),
               POSITION(4),
               POSITION(5),
               POSITION(6),
               POSITION(7),
               {"slide_radius", "m", "contact radius of the last evaluation", RPS_MEMORY_SCALAR},
               {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception =
        {{"same encounter in a rotated and in a mirrored world",
          "of nodes that matter alike, round-off decides which is removed: impacts whose slip turns, with a damper, "
          "differ by some 1e-6 of the velocity; cure: damping 0, or the law `walton`",
          ""}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(contact_radius) | RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_mindlin_deresiewicz_prepare,
    .effective = slide_mindlin_deresiewicz_effective,
    .keeps = slide_mindlin_deresiewicz_keeps,
    .spring = slide_mindlin_deresiewicz_spring,
    .nonsmooth =
        "its memory is a path of slips under many loads, and that stepper keeps one force; take mindlin or walton",
    .kernel = RPS_LAW_KERNELS(slide_mindlin_deresiewicz),
};
#endif
