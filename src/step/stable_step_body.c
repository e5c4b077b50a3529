/*
 * The largest stable step of every body with all its present contacts.
 *
 * With the masses divided out, the energy of the springs of a contact is sum over its modes of k (b_i.x_i +
 * b_j.x_j)^2/2, with b the direction in which a mode moves a body, divided by the roots of mass and inertia. It is at
 * most a sum of one term per body, k (b_i.x_i)^2 (|b_i|^2 + |b_j|^2)/|b_i|^2. So the stiffness of the whole packing
 * is bounded by one 6 x 6 matrix per body, for translation and rotation. The same holds for dampers. The bound is
 * exact for one contact, for a lattice in which neighbours move against each other, and for disks that all rotate
 * alike.
 *
 * Dashpots take increments as rates, half a step late, so a step dt is stable where the largest eigenvalue of
 * K dt^2 + 2 C dt is at most 4: for one mode dt < (2/w)(sqrt(1 + z^2) - z), z the damping ratio.
 */
#include <math.h>
#include <string.h>

#include "step/step_stages.h"

enum { N = 6 };

typedef struct matrix {
    double m[N][N];
} matrix;

typedef struct whole {
    matrix stiffness, damper; /* over the mass */
    int contacts, neighbours;
    double most[RPS_ROLE_COUNT]; /* largest trace of a role of one contact, and that role and contact */
    double spring[RPS_ROLE_COUNT], dashpot[RPS_ROLE_COUNT], mass[RPS_ROLE_COUNT];
    size_t partner[RPS_ROLE_COUNT];
    const rps_pair_setup *pair[RPS_ROLE_COUNT];
} whole;

static void add_mode(whole *w, const double b[N], double other2, double k, double c) {
    double own2 = 0.0;
    for (int p = 0; p < N; p++) own2 += b[p] * b[p];
    if (!(own2 > 0.0)) return;
    const double weight = (own2 + other2) / own2;
    for (int p = 0; p < N; p++) {
        for (int q = 0; q < N; q++) {
            w->stiffness.m[p][q] += weight * k * b[p] * b[q];
            w->damper.m[p][q] += weight * c * b[p] * b[q];
        }
    }
}

/* The largest eigenvalue of a positive semidefinite matrix, by squaring until one direction is left. */
static double largest(const matrix *given) {
    matrix a = *given;
    for (int power = 0; power < 7; power++) {
        double trace = 0.0;
        for (int p = 0; p < N; p++) trace += a.m[p][p];
        if (!(trace > 0.0)) return 0.0;
        matrix square = {{{0.0}}};
        for (int p = 0; p < N; p++) {
            for (int q = 0; q < N; q++) {
                for (int r = 0; r < N; r++) square.m[p][q] += (a.m[p][r] / trace) * (a.m[r][q] / trace);
            }
        }
        a = square;
    }
    int column = 0;
    for (int p = 1; p < N; p++) {
        if (a.m[p][p] > a.m[column][column]) column = p;
    }
    double above = 0.0, below = 0.0;
    for (int p = 0; p < N; p++) {
        below += a.m[p][column] * a.m[p][column];
        for (int q = 0; q < N; q++) above += a.m[p][column] * given->m[p][q] * a.m[q][column];
    }
    return below > 0.0 ? above / below : 0.0;
}

static double stable_step_body_value_at(const whole *w, double dt) {
    matrix sum;
    for (int p = 0; p < N; p++) {
        for (int q = 0; q < N; q++) sum.m[p][q] = dt * (dt * w->stiffness.m[p][q] + 2.0 * w->damper.m[p][q]);
    }
    return largest(&sum);
}

/* The step at which the largest eigenvalue is 4: at most the limit of springs or dampers alone, and at least half of
 * it. INFINITY if it is above the smallest step of other bodies, which one evaluation decides. Its margin is far
 * above the error of the bisection, so bodies with equal steps are compared in any order. */
static double stable_step_body_step_of(const whole *w, double best) {
    static const double margin = 1.0 + 1e-6;
    if (isfinite(best) && stable_step_body_value_at(w, margin * best) <= 4.0) return INFINITY;
    const double k = largest(&w->stiffness), c = largest(&w->damper);
    const double springs = k > 0.0 ? 2.0 / sqrt(k) : INFINITY, dampers = c > 0.0 ? 2.0 / c : INFINITY;
    double high = springs < dampers ? springs : dampers, low = 0.5 * high;
    if (!(low <= best)) return INFINITY;
    for (int n = 0; n < 30 && c > 0.0; n++) {
        const double middle = 0.5 * (low + high);
        if (stable_step_body_value_at(w, middle) > 4.0) high = middle;
        if (!(stable_step_body_value_at(w, middle) > 4.0)) low = middle;
    }
    return c > 0.0 ? low : high;
}

static rps_vec3 stable_step_body_normal_of(const rps_world *world, const rps_segment *segment, size_t place) {
    const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
    const bool frame = segment->record == RPS_RECORD_FRAME;
    const rps_vec3 v = rps_segment_vector(segment, layout->track + (frame ? RPS_FRAME_NI : 0), place);
    const double *q = world->bodies.orientation[segment->slot_i[place]];
    return frame ? rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, v) : v;
}

static double root(double x) {
    return x > 0.0 ? sqrt(x) : 0.0;
}

/* One contact of body `s`, with body `o`, whose normal points from j into i; is_i: s is i. `dt`: the step at which
 * roles are compared. Lever arms are the bounding radii: at least as long as those of any surface. */
static void add_springs(const rps_world *world, const rps_pair_setup *pair, size_t s, size_t o, rps_vec3 n, bool is_i,
                        const rps_law_spring spring[RPS_ROLE_COUNT], double dt, whole *w) {
    const rps_bodies *bodies = &world->bodies;
    const rps_vec3 u = rps_vec3_any_across(n), v = rps_vec3_cross(n, u);
    const double translation = root(bodies->motion[s].inverse_mass[0]),
                 turn = root(bodies->motion[s].inverse_inertia[0]);
    const double branch = bodies->pose[s].radius[0], mass_o = bodies->motion[o].inverse_mass[0];
    const double rotation_o = bodies->motion[o].inverse_inertia[0], branch_o = bodies->pose[o].radius[0];
    const double slide_o = mass_o + branch_o * branch_o * rotation_o;
    const rps_vec3 way[2] = {u, v}, about[2] = {v, rps_vec3_neg(u)};
    const double own[RPS_ROLE_COUNT] = {translation * translation + mass_o, 0.0,
                                        translation * translation + branch * branch * turn * turn + slide_o,
                                        turn * turn + rotation_o, turn * turn + rotation_o};
    const double along[N] = {translation * n.x, translation * n.y, translation * n.z};
    add_mode(w, along, mass_o, spring[RPS_ROLE_NORMAL].stiffness, spring[RPS_ROLE_NORMAL].damper);
    const double twist[N] = {0.0, 0.0, 0.0, turn * n.x, turn * n.y, turn * n.z};
    add_mode(w, twist, rotation_o, spring[RPS_ROLE_SPIN].stiffness, spring[RPS_ROLE_SPIN].damper);
    for (int k = 0; k < 2; k++) {
        const rps_vec3 t = way[k], a = about[k];
        const double arm = is_i ? -branch : branch; /* sign of n into i: the contact is at -n of it */
        const double slide[N] = {translation * t.x, translation * t.y, translation * t.z,
                                 arm * turn * a.x,  arm * turn * a.y,  arm * turn * a.z};
        const double roll[N] = {0.0, 0.0, 0.0, turn * t.x, turn * t.y, turn * t.z};
        add_mode(w, slide, slide_o, spring[RPS_ROLE_SLIDE].stiffness, spring[RPS_ROLE_SLIDE].damper);
        add_mode(w, roll, rotation_o, spring[RPS_ROLE_ROLL].stiffness, spring[RPS_ROLE_ROLL].damper);
    }
    w->contacts++;
    w->neighbours += mass_o > 0.0 || rotation_o > 0.0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const double most = own[role] * dt * (dt * spring[role].stiffness + 2.0 * spring[role].damper);
        if (!(most > w->most[role])) continue;
        w->most[role] = most;
        w->spring[role] = spring[role].stiffness;
        w->dashpot[role] = spring[role].damper;
        w->mass[role] = 1.0 / own[role];
        w->partner[role] = o;
        w->pair[role] = pair;
    }
}

static void add_contact(const rps_world *world, const rps_segment *segment, size_t place, size_t s, size_t o,
                        whole *w) {
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    rps_law_spring spring[RPS_ROLE_COUNT];
    if (!rps_entry_springs(world, segment, place, spring)) return;
    add_springs(world, pair, s, o, stable_step_body_normal_of(world, segment, place), segment->slot_i[place] == s,
                spring, world->step, w);
}

/* The contact that limits the step of body s to `step`. */
static void stable_step_body_tell(const rps_world *world, const whole *w, size_t s, double step,
                                  rps_step_limit *limit) {
    const rps_bodies *bodies = &world->bodies;
    int role = RPS_ROLE_NORMAL;
    for (int k = 0; k < RPS_ROLE_COUNT; k++) role = w->most[k] > w->most[role] ? k : role;
    if (w->pair[role] == NULL) return;
    const size_t o = w->partner[role];
    const bool ordered = bodies->id[s][0] < bodies->id[o][0];
    *limit = (rps_step_limit){.step = step,
                              .material = {w->pair[role]->material[0], w->pair[role]->material[1]},
                              .role = (rps_role)role,
                              .damping = 2.0 * w->dashpot[role] > w->spring[role] * step,
                              .id = {bodies->id[ordered ? s : o][0], bodies->id[ordered ? o : s][0]},
                              .stiffness = w->spring[role],
                              .damper = w->dashpot[role],
                              .mass = w->mass[role],
                              .contacts = w->contacts,
                              .neighbours = w->neighbours,
                              .body = bodies->id[s][0]};
}

void rps_step_limit_of_bodies(const rps_world *world, rps_step_limit *limit) {
    const rps_contacts *contacts = &world->contacts;
    const rps_bodies *bodies = &world->bodies;
    *limit = (rps_step_limit){.step = INFINITY};
    for (size_t s = 0; s < bodies->count; s++) {
        if (!(bodies->motion[s].inverse_mass[0] > 0.0) && !(bodies->motion[s].inverse_inertia[0] > 0.0)) continue;
        whole w;
        memset(&w, 0, sizeof w);
        for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
            const size_t entry = (size_t)(contacts->reference[r] / 2);
            const rps_segment *segment = rps_entry_segment(contacts, entry);
            const size_t place = entry - segment->begin;
            const bool is_j = contacts->reference[r] % 2 == 1;
            add_contact(world, segment, place, s, is_j ? segment->slot_i[place] : segment->slot_j[place], &w);
        }
        if (w.contacts == 0) continue;
        const double step = stable_step_body_step_of(&w, limit->step);
        const bool tie = step == limit->step && bodies->id[s][0] < limit->body; /* slots must not show */
        if (step < limit->step || tie) stable_step_body_tell(world, &w, s, step, limit);
    }
}

/* Directions around a body, in opposite pairs: those of a body-centred lattice; in a plane (x, z), of a triangular
 * one. */
enum { AROUND = 8, AROUND_DISK = 6 };
static const double SPHERES[AROUND][3] = {{1, 1, 1},  {-1, -1, -1}, {1, 1, -1}, {-1, -1, 1},
                                          {1, -1, 1}, {-1, 1, -1},  {-1, 1, 1}, {1, -1, -1}};
#define HEIGHT 0.86602540378443865 /* sqrt(3)/2 */
static const double DISKS[AROUND_DISK][2] = {{1, 0},          {-1, 0},        {0.5, HEIGHT},
                                             {-0.5, -HEIGHT}, {0.5, -HEIGHT}, {-0.5, HEIGHT}};

int rps_contacts_around(const rps_world *world) {
    return world->options.dimension == 2 ? AROUND_DISK : AROUND;
}

void rps_step_limit_of_neighbors(const rps_world *world, const rps_pair_setup *pair, size_t s, size_t o,
                                 const rps_law_spring spring[RPS_ROLE_COUNT], int contacts, rps_step_limit *limit) {
    const bool planar = world->options.dimension == 2;
    double dt = 1.0;
    *limit = (rps_step_limit){.step = INFINITY};
    for (int pass = 0; pass < 2; pass++) { /* first for the step, then for the role that limits it */
        whole w;
        memset(&w, 0, sizeof w);
        for (int c = 0; c < contacts; c++) {
            const double *at = SPHERES[c % AROUND], *in = DISKS[c % AROUND_DISK];
            rps_vec3 n = planar ? rps_vec3_make(in[0], 0.0, in[1]) : rps_vec3_make(at[0], at[1], at[2]);
            n = rps_vec3_scale(n, 1.0 / rps_vec3_norm(n));
            add_springs(world, pair, s, o, n, true, spring, dt, &w);
        }
        const double step = stable_step_body_step_of(&w, INFINITY);
        if (!(step < INFINITY)) return;
        stable_step_body_tell(world, &w, s, step, limit);
        dt = step;
    }
}
