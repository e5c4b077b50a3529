/* Hand-over of memories; mesh_handover.h has the rule. Energies come from the laws themselves, asked for a contact at rest. */
#include "step/mesh_handover.h"

#include <math.h>
#include <string.h>

#include "law/law_batch.h"
#include "step/handover_memories.h"
#include "world/body_shape.h"

static const double NO_LIMIT = 1e150; /* N, load of caps that are out of reach */

typedef struct handing {
    const rps_world *world;
    const rps_pair_setup *pair;
    const rps_layout *layout;
    rps_segment *segment;
    const rps_mesh_handover *h;
    rps_vec3 moved, turned; /* m, rad, of the ball since the last evaluation, in the axes of the mesh's body */
    rps_batch_alone alone;
} handing;

/* Axes of a contact, in those of a body. n points from j into i. */
typedef struct handed_frame {
    rps_vec3 u, w, n;
} handed_frame;

/* --- energies ------------------------------------------------------------------------------------------------------- */

enum { LANES = 8 }; /* the least count of a batch; all of them are the same contact */

/* A contact at the last evaluation. */
typedef struct handed_contact {
    size_t place;
    handed_frame frame; /* in the axes of the mesh's body */
    double overlap, gain;
    rps_vec3 arm; /* m, likewise, of a smooth body: from its centre to where the load acts */
} handed_contact;

/* By role: what it stores, and half of the work that its loads lose in the motion since then; J. */
typedef struct handed_energy {
    double stored[RPS_ROLE_COUNT], half[RPS_ROLE_COUNT];
} handed_energy;

static void handed_set(double *lane, double value) {
    for (int c = 0; c < LANES; c++) lane[c] = value;
}

/* The arrays of a batch that belong to the geometry; the batch has no const pointers of its own. */
#define PUT(array, value) handed_set((double *)(uintptr_t)(array), value)

static rps_quat handed_orientation(const rps_world *world, size_t slot) {
    const double *q = world->bodies.orientation[slot];
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

static double weight_along(const handing *g, const handed_contact *at) {
    const rps_world *world = g->world;
    const size_t i = g->segment->slot_i[at->place], j = g->segment->slot_j[at->place];
    const size_t wall = g->h->mesh_is_i ? i : j, ball = g->h->mesh_is_i ? j : i;
    const rps_vec3 n = rps_quat_rotate(handed_orientation(world, wall), at->frame.n);
    const double along = rps_vec3_dot(n, rps_vec3_of(world->options.gravity));
    return world->bodies.mass[ball][0] * (g->h->mesh_is_i ? along : -along);
}

static void open_contact(handing *g, const handed_contact *at) {
    const rps_segment *segment = g->segment;
    const int *material = g->pair->material;
    rps_batch_alone_open(&g->alone, LANES, 0.0);
    const rps_batch *b = &g->alone.b;
    const size_t ball = g->h->mesh_is_i ? segment->slot_j[at->place] : segment->slot_i[at->place];
    const bool ball_first = g->world->bodies.material[ball][0] == material[0];
    const int rolling = g->layout->track + RPS_FRAME_ROLLING_RADIUS;
    PUT(b->touch, 1.0);
    PUT(b->overlap, at->overlap);
    PUT(b->radius[ball_first ? 0 : 1], rps_body_half_width(g->world, ball));
    PUT(b->mass_eff, rps_segment_constant(segment, at->place, RPS_CONSTANT_MASS_EFF));
    PUT(b->damper_mass_sqrt, rps_segment_constant(segment, at->place, RPS_CONSTANT_DAMPER_MASS_SQRT));
    PUT(b->damper_inertia_sqrt, rps_segment_constant(segment, at->place, RPS_CONSTANT_DAMPER_INERTIA_SQRT));
    PUT(b->weight, weight_along(g, at));
    PUT(b->cap_load, NO_LIMIT);
    const double twist = rps_segment_get(segment, g->layout->track + RPS_FRAME_TWIST_RADIUS, at->place);
    PUT(b->radius_eff, twist); /* of all shapes, in the frame record */
    PUT(b->twist_radius, twist);
    PUT(b->twist_radius_mean, twist);
    for (int k = 0; k < 3; k++) {
        const double radius = rps_segment_get(segment, rolling + k, at->place);
        PUT(b->rolling_radius[k], radius);
        PUT(b->rolling_radius_mean[k], radius);
    }
}

/* The energy that the law of a role stores, J; x: the memories, left as the law leaves them. begins: as a new contact. */
static double energy_stored(handing *g, int role, double x[RPS_MEMORY_LANES], bool begins) {
    const rps_law *law = g->pair->law[role];
    rps_batch *b = &g->alone.b;
    if (!g->pair->called[role]) return 0.0;
    PUT(b->new_contact, begins ? 1.0 : 0.0);
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        for (int k = 0; k < rps_memory_components(law, m); k++) handed_set(b->memory[m][k], x[3 * m + k]);
    }
    law->kernel[g->world->isa](b, g->pair->constant[role]);
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        for (int k = 0; k < rps_memory_components(law, m); k++) x[3 * m + k] = b->memory[m][k][0];
    }
    return law->writes & RPS_ARRAY(energy) ? b->energy[role][0] : 0.0;
}

/* Half of the work that the elastic loads of a role lose in the motion since then. Dampers are in the books. */
static double half_work(const handing *g, const handed_contact *at, int role) {
    const rps_batch *b = &g->alone.b;
    const handed_frame *f = &at->frame;
    const double sign = g->h->mesh_is_i ? -1.0 : 1.0; /* of the normal, towards the ball */
    if (role == RPS_ROLE_SLIDE && (g->pair->law[role]->writes & RPS_ARRAY(slide_force))) {
        const double arm = g->h->radius - 0.5 * at->overlap;
        const rps_vec3 shift = g->h->is_smooth
                                   ? rps_vec3_add(g->moved, rps_vec3_cross(g->turned, at->arm))
                                   : rps_vec3_add_scaled(g->moved, -sign * arm, rps_vec3_cross(g->turned, f->n));
        return -0.5 * sign *
               (b->slide_force[0][0] * rps_vec3_dot(shift, f->u) + b->slide_force[1][0] * rps_vec3_dot(shift, f->w));
    }
    if (role == RPS_ROLE_ROLL && (g->pair->law[role]->writes & RPS_ARRAY(roll_torque_i))) {
        double *const *t = g->h->mesh_is_i ? b->roll_torque_j : b->roll_torque_i;
        const rps_vec3 roll = rps_vec3_scale(rps_vec3_cross(g->turned, f->n), sign);
        return 0.5 * (t[0][0] * rps_vec3_dot(roll, f->u) + t[1][0] * rps_vec3_dot(roll, f->w));
    }
    if (role == RPS_ROLE_SPIN && (g->pair->law[role]->writes & RPS_ARRAY(spin_torque))) {
        return 0.5 * sign * b->spin_torque[0] * rps_vec3_dot(g->turned, f->n);
    }
    return 0.0;
}

/* The energies of a contact, added to *sum. A successor gets the memories that the laws set as a contact begins. */
static void add_energies(handing *g, const handed_contact *at, rps_memories *x, bool successor, bool is_first,
                         handed_energy *sum) {
    open_contact(g, at);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = g->pair->law[role];
        double copy[RPS_MEMORY_LANES];
        if (role == RPS_ROLE_DAMPING) continue; /* stores nothing, and only motion makes loads */
        if (role == RPS_ROLE_SLIDE) {
            for (int c = 0; c < LANES; c++) g->alone.b.elastic_load[c] *= at->gain;
        }
        memcpy(copy, x->of[role], sizeof copy);
        sum->stored[role] += energy_stored(g, role, copy, successor && (role != RPS_ROLE_NORMAL || !is_first));
        sum->half[role] += half_work(g, at, role);
        for (int m = 0; successor && m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const bool sets = rps_memory_passes(law, m) == RPS_PASS_NEW || (role == RPS_ROLE_NORMAL && !is_first);
            if (sets) memcpy(&x->of[role][3 * m], &copy[3 * m], 3 * sizeof *copy);
        }
    }
}
#undef PUT

/* Whether the sum of the energies goes on by itself where contacts join or part. */
static bool is_power(const rps_law *normal) {
    return normal->exponent == 1.0 || normal->exponent == 1.5;
}

/* --- records -------------------------------------------------------------------------------------------------------- */

static rps_vec3 vector_at_place(const handing *g, int lane, size_t place) {
    return rps_segment_vector(g->segment, g->layout->track + lane, place);
}

/* The axes of a contact in those of body i or j. */
static handed_frame frame_at(const handing *g, size_t place, bool of_i) {
    handed_frame f = {.u = vector_at_place(g, of_i ? RPS_FRAME_UI : RPS_FRAME_UJ, place),
                      .n = vector_at_place(g, of_i ? RPS_FRAME_NI : RPS_FRAME_NJ, place)};
    f.w = rps_vec3_cross(f.n, f.u);
    return f;
}

/* u turned with n0 to n1 by the smallest rotation. */
static rps_vec3 turned_with(rps_vec3 n0, rps_vec3 n1, rps_vec3 u) {
    const rps_vec3 t = rps_vec3_sub(rps_vec3_reject(u, n1), rps_vec3_cross(n1, rps_vec3_cross(n0, u)));
    return rps_vec3_normalize(rps_vec3_reject(rps_vec3_scale(t, 1.0 / (1.0 + rps_vec3_dot(n0, n1))), n1));
}

static void set_vector(const handing *g, int lane, size_t place, rps_vec3 v) {
    const double x[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) rps_segment_set(g->segment, g->layout->track + lane + k, place, x[k]);
}

/* The normal of an successor in the axes of the body of the mesh, from j into i. */
static rps_vec3 successor_normal(const rps_mesh_handover *h, const rps_mesh_successor *successor) {
    const rps_vec3 n = rps_vec3_normalize(rps_quat_rotate(h->mesh_in_body, successor->normal));
    return h->mesh_is_i ? rps_vec3_neg(n) : n;
}

/* The frame of an successor, turned from that of the first contact. */
static handed_frame successor_frame(const rps_mesh_handover *h, const rps_mesh_successor *successor,
                                    const handed_frame *first) {
    handed_frame f = {.n = successor_normal(h, successor)};
    f.u = turned_with(first->n, f.n, first->u);
    f.w = rps_vec3_cross(f.n, f.u);
    return f;
}

/* A vector in the axes of one body, given by its components along axes that are known in both. */
static rps_vec3 carried_over(rps_vec3 v, const handed_frame *from, const handed_frame *to) {
    const rps_vec3 along = rps_vec3_scale(to->u, rps_vec3_dot(v, from->u));
    return rps_vec3_add_scaled(rps_vec3_add_scaled(along, rps_vec3_dot(v, from->w), to->w), rps_vec3_dot(v, from->n),
                               to->n);
}

/* m, in the axes of the mesh's body: from the centre of the body to where a load acts at the point of a contact on the mesh. */
static rps_vec3 arm_of_load(const rps_mesh_handover *h, rps_vec3 point, double overlap, rps_vec3 n) {
    const rps_vec3 centre = rps_vec3_add(h->mesh_at, rps_quat_rotate(h->mesh_in_body, h->centre));
    return rps_vec3_add_scaled(rps_vec3_sub(point, centre), h->mesh_is_i ? 0.5 * overlap : -0.5 * overlap, n);
}

/* The point of a successor on the other body, in its axes. */
static rps_vec3 point_on_ball(const rps_mesh_handover *h, const rps_mesh_successor *successor,
                              const handed_frame *on_mesh, const handed_frame *on_ball, rps_vec3 n) {
    if (!h->is_smooth) return rps_vec3_add_scaled(h->ball_at, h->mesh_is_i ? h->radius : -h->radius, n);
    const rps_vec3 at = rps_vec3_add_scaled(successor->point, -successor->overlap, successor->normal);
    const rps_vec3 arm = rps_quat_rotate(h->mesh_in_body, rps_vec3_sub(at, h->centre));
    return rps_vec3_add(h->ball_at, carried_over(arm, on_mesh, on_ball));
}

/* Writes point and frame of an successor. on_mesh, on_ball: the frame of the first contact in the axes of both. */
static void write_handed_frame(const handing *g, const rps_mesh_successor *successor, const handed_frame *f,
                               const handed_frame *on_mesh, const handed_frame *on_ball) {
    const rps_mesh_handover *h = g->h;
    const size_t place = successor->entry->place;
    const bool i = h->mesh_is_i;
    const rps_vec3 n = rps_vec3_normalize(carried_over(f->n, on_mesh, on_ball));
    const rps_vec3 u = rps_vec3_normalize(carried_over(f->u, on_mesh, on_ball));
    set_vector(g, i ? RPS_FRAME_NI : RPS_FRAME_NJ, place, f->n);
    set_vector(g, i ? RPS_FRAME_UI : RPS_FRAME_UJ, place, f->u);
    set_vector(g, i ? RPS_FRAME_CI : RPS_FRAME_CJ, place,
               rps_vec3_add(h->mesh_at, rps_quat_rotate(h->mesh_in_body, successor->point)));
    set_vector(g, i ? RPS_FRAME_NJ : RPS_FRAME_NI, place, n);
    set_vector(g, i ? RPS_FRAME_UJ : RPS_FRAME_UI, place, u);
    set_vector(g, i ? RPS_FRAME_CJ : RPS_FRAME_CI, place, point_on_ball(h, successor, on_mesh, on_ball, n));
}

/* The rotation of the ball since the last evaluation, in the axes of the mesh's body: from a frame that is known in both. */
static rps_vec3 turned_since(const handing *g, size_t place, const handed_frame *on_mesh, const handed_frame *on_ball) {
    const size_t i = g->segment->slot_i[place], j = g->segment->slot_j[place];
    const rps_quat mesh = handed_orientation(g->world, g->h->mesh_is_i ? i : j);
    const rps_quat ball = handed_orientation(g->world, g->h->mesh_is_i ? j : i);
    const rps_vec3 from[3] = {on_mesh->u, on_mesh->w, on_mesh->n}, to[3] = {on_ball->u, on_ball->w, on_ball->n};
    rps_vec3 sum = rps_vec3_zero();
    for (int k = 0; k < 3; k++) {
        const rps_vec3 now = rps_quat_rotate_inverse(mesh, rps_quat_rotate(ball, to[k]));
        sum = rps_vec3_add(sum, rps_vec3_cross(from[k], now));
    }
    return rps_vec3_scale(sum, 0.5);
}

/* --- hand-over ------------------------------------------------------------------------------------------------------ */

/* Dashpots of contacts that end: the second half of the work of their loads. */
static void book_dashpots(const handing *g, const handed_contact *at, const rps_memories *x, rps_handed *handed) {
    const rps_law *law = g->pair->law[RPS_ROLE_DAMPING];
    const int account = rps_role_account(RPS_ROLE_DAMPING);
    const double fell = rps_vec3_dot(at->frame.n, g->moved), increment = g->h->mesh_is_i ? fell : -fell;
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        if (rps_memory_passes(law, m) != RPS_PASS_NOT || account < 0) continue;
        rps_exact_sum_add(&handed->dissipated[account], 0.5 * x->of[RPS_ROLE_DAMPING][3 * m] * increment);
    }
}

/* All that the contacts hand over. */
typedef struct pool {
    rps_memories sum, first;
    handed_energy energy;
    double modes;
    double radii[RPS_FRAME_LANES - RPS_FRAME_ROLLING_RADIUS];
    handed_frame on_mesh, on_ball; /* of the first */
} pool;

static void collect(handing *g, pool *e, rps_handed *handed) {
    const rps_mesh_handover *h = g->h;
    const size_t first = h->from[0]->place;
    e->on_mesh = frame_at(g, first, h->mesh_is_i);
    e->on_ball = frame_at(g, first, !h->mesh_is_i);
    e->modes = rps_segment_get(g->segment, g->layout->modes, first);
    for (int k = 0; k < RPS_FRAME_LANES - RPS_FRAME_ROLLING_RADIUS; k++) {
        e->radii[k] = rps_segment_get(g->segment, g->layout->track + RPS_FRAME_ROLLING_RADIUS + k, first);
    }
    g->moved = rps_quat_rotate(h->mesh_in_body, h->moved);
    g->turned = turned_since(g, first, &e->on_mesh, &e->on_ball);
    for (size_t k = 0; k < h->froms; k++) {
        const size_t place = h->from[k]->place;
        handed_contact at = {.place = place,
                             .frame = frame_at(g, place, h->mesh_is_i),
                             .overlap = rps_segment_get(g->segment, g->layout->overlap, place),
                             .gain = 1.0};
        at.arm = arm_of_load(h, vector_at_place(g, h->mesh_is_i ? RPS_FRAME_CI : RPS_FRAME_CJ, place), at.overlap,
                             at.frame.n);
        const rps_vec3 u = turned_with(at.frame.n, e->on_mesh.n, at.frame.u);
        rps_memories x;
        rps_memories_read(g->pair, g->layout, g->segment, place, &x);
        if (k == 0) e->first = x;
        add_energies(g, &at, &x, false, k == 0, &e->energy);
        rps_memories_add(g->pair, &e->sum, &x, rps_vec3_dot(u, e->on_mesh.u), rps_vec3_dot(u, e->on_mesh.w));
        book_dashpots(g, &at, &x, handed);
    }
    for (size_t k = 0; k < h->froms; k++) {
        for (int lane = 0; lane < g->layout->lanes; lane++) rps_segment_set(g->segment, lane, h->from[k]->place, 0.0);
    }
}

/* Sum of the loads of the successors up to a common factor; *own: that of one of them. */
static double normal_loads_of(const rps_law *normal, const rps_mesh_handover *h, size_t number, double *own) {
    double sum = 0.0;
    *own = 0.0;
    for (size_t k = 0; k < h->successors; k++) {
        const double delta = h->successor[k].overlap;
        if (!(delta > 0.0)) continue;
        const double load = h->successor[k].gain * (normal->exponent == 1.5   ? delta * sqrt(delta)
                                                    : normal->exponent == 0.0 ? 1.0
                                                                              : delta);
        sum += load;
        if (k == number) *own = load;
    }
    return sum;
}

/* Begins an successor with its share of the pool, the tangent memories of each role scaled. Adds its energies. */
static void begin_successor(handing *g, const pool *e, size_t number, const double scale[RPS_ROLE_COUNT], bool writes,
                            handed_energy *sum) {
    const rps_mesh_successor *successor = &g->h->successor[number];
    const size_t place = successor->entry->place;
    handed_contact at = {.place = place,
                         .frame = successor_frame(g->h, successor, &e->on_mesh),
                         .overlap = successor->overlap,
                         .gain = successor->gain};
    const rps_vec3 point = rps_vec3_add(g->h->mesh_at, rps_quat_rotate(g->h->mesh_in_body, successor->point));
    at.arm = arm_of_load(g->h, point, at.overlap, at.frame.n);
    double own;
    const double all = normal_loads_of(g->pair->law[RPS_ROLE_NORMAL], g->h, number, &own);
    const double share = all > 0.0 ? own / all : number == 0 ? 1.0 : 0.0;
    rps_memories x;
    rps_memories_share(g->pair, &e->sum, &e->first, share, number == 0, &x);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) rps_memories_scale(g->pair, &x, role, scale[role]);
    for (int k = 0; k < RPS_FRAME_LANES - RPS_FRAME_ROLLING_RADIUS; k++) {
        rps_segment_set(g->segment, g->layout->track + RPS_FRAME_ROLLING_RADIUS + k, place, e->radii[k]);
    }
    add_energies(g, &at, &x, true, number == 0, sum);
    if (!writes) return;
    rps_memories_write(g->pair, g->layout, g->segment, place, &x);
    write_handed_frame(g, successor, &at.frame, &e->on_mesh, &e->on_ball);
    rps_segment_set(g->segment, g->layout->modes, place, e->modes);
    rps_segment_set(g->segment, g->layout->overlap, place, successor->overlap);
}

void rps_mesh_hand_over(const rps_world *world, rps_contacts *contacts, const rps_mesh_handover *h,
                        rps_handed *handed) {
    rps_segment *segment = &contacts->segment[h->from[0]->segment];
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    handing g = {.world = world, .pair = pair, .layout = &pair->layout[segment->record], .segment = segment, .h = h};
    double scale[RPS_ROLE_COUNT];
    handed_energy plain = {0}, after = {0};
    pool e = {0};
    handed->used = true;
    collect(&g, &e, handed);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) scale[role] = 1.0;
    for (size_t k = 0; k < h->successors; k++) begin_successor(&g, &e, k, scale, false, &plain);
    for (int role = RPS_ROLE_SLIDE; role < RPS_ROLE_COUNT; role++) {
        if (plain.stored[role] > e.energy.stored[role]) scale[role] = sqrt(e.energy.stored[role] / plain.stored[role]);
    }
    for (size_t k = 0; k < h->successors; k++) begin_successor(&g, &e, k, scale, true, &after);
    if (!is_power(pair->law[RPS_ROLE_NORMAL])) {
        rps_exact_sum_add(&handed->handover, e.energy.stored[RPS_ROLE_NORMAL] - after.stored[RPS_ROLE_NORMAL]);
    }
    for (int role = RPS_ROLE_SLIDE; role < RPS_ROLE_COUNT; role++) {
        const double lost = e.energy.stored[role] - after.stored[role];
        const int account = rps_role_account((rps_role)role);
        if (lost > 0.0) rps_exact_sum_add(&handed->handover, lost); /* below 0 it is rounding */
        if (account >= 0) rps_exact_sum_add(&handed->dissipated[account], e.energy.half[role] - after.half[role]);
    }
}

void rps_handed_merge(rps_handed *to, const rps_handed *handed) {
    const uint64_t *a = handed->passed.id, *b = to->passed.id;
    const bool lower = a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
    if (handed->passed.found && (!to->passed.found || lower)) to->passed = handed->passed;
    if (!handed->used) return;
    to->used = true;
    rps_exact_sum_merge(&to->handover, &handed->handover);
    for (int k = 0; k < RPS_ACCOUNTS; k++) rps_exact_sum_merge(&to->dissipated[k], &handed->dissipated[k]);
}
