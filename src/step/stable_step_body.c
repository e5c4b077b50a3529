/*
 * The largest stable step of every body with all its present contacts and bonds, from a bound on their modes
 * (step_modes.h).
 */
#include <math.h>
#include <string.h>

#include "step/step_modes.h"
#include "step/step_stages.h"

enum { N = RPS_STEP_COORDINATES };
/* A trace up to which no eigenvalue is 4, the limit: below it by more than both round. */
static const double FAR_BELOW = 3.99;

typedef struct whole {
    rps_step_modes modes;
    int contacts, neighbours;
    double most[RPS_ROLE_COUNT]; /* largest trace of a role of one contact, and that role and contact */
    double spring[RPS_ROLE_COUNT], dashpot[RPS_ROLE_COUNT], mass[RPS_ROLE_COUNT];
    size_t partner[RPS_ROLE_COUNT];
    const rps_pair_setup *pair[RPS_ROLE_COUNT];
    const rps_bond *bond[RPS_ROLE_COUNT]; /* in place of a contact; modes as roles: stretch, shear, bending, twist */
} whole;

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

/* Squared lengths of the directions in which each role moves bodies s and o at a contact, of both together. */
static void own_of(const rps_bodies *bodies, size_t s, size_t o, double own[RPS_ROLE_COUNT]) {
    const double mass = bodies->motion[s].inverse_mass[0] + bodies->motion[o].inverse_mass[0];
    const double rotation_s = bodies->motion[s].inverse_inertia[0], rotation_o = bodies->motion[o].inverse_inertia[0];
    const double branch = bodies->pose[s].radius[0], branch_o = bodies->pose[o].radius[0];
    const double slide = mass + branch * branch * rotation_s + branch_o * branch_o * rotation_o;
    own[RPS_ROLE_NORMAL] = mass;
    own[RPS_ROLE_DAMPING] = 0.0;
    own[RPS_ROLE_SLIDE] = slide;
    own[RPS_ROLE_ROLL] = own[RPS_ROLE_SPIN] = rotation_s + rotation_o;
}

/* The part of a role in the matrix of the body at the step dt, along one direction. */
static double share_of_role(double own, const rps_law_spring *spring, double dt) {
    return own * dt * (dt * spring->stiffness + 2.0 * spring->damper);
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
    double own[RPS_ROLE_COUNT];
    own_of(bodies, s, o, own);
    const double along[N] = {translation * n.x, translation * n.y, translation * n.z};
    rps_step_modes_add(&w->modes, along, mass_o, spring[RPS_ROLE_NORMAL].stiffness, spring[RPS_ROLE_NORMAL].damper);
    const double twist[N] = {0.0, 0.0, 0.0, turn * n.x, turn * n.y, turn * n.z};
    rps_step_modes_add(&w->modes, twist, rotation_o, spring[RPS_ROLE_SPIN].stiffness, spring[RPS_ROLE_SPIN].damper);
    for (int k = 0; k < 2; k++) {
        const rps_vec3 t = way[k], a = about[k];
        const double arm = is_i ? -branch : branch; /* sign of n into i: the contact is at -n of it */
        const double slide[N] = {translation * t.x, translation * t.y, translation * t.z,
                                 arm * turn * a.x,  arm * turn * a.y,  arm * turn * a.z};
        const double roll[N] = {0.0, 0.0, 0.0, turn * t.x, turn * t.y, turn * t.z};
        rps_step_modes_add(&w->modes, slide, slide_o, spring[RPS_ROLE_SLIDE].stiffness, spring[RPS_ROLE_SLIDE].damper);
        rps_step_modes_add(&w->modes, roll, rotation_o, spring[RPS_ROLE_ROLL].stiffness, spring[RPS_ROLE_ROLL].damper);
    }
    w->contacts++;
    w->neighbours += mass_o > 0.0 || rotation_o > 0.0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const double most = share_of_role(own[role], &spring[role], dt);
        if (!(most > w->most[role])) continue;
        w->most[role] = most;
        w->spring[role] = spring[role].stiffness;
        w->dashpot[role] = spring[role].damper;
        w->mass[role] = 1.0 / own[role];
        w->partner[role] = o;
        w->pair[role] = pair;
        w->bond[role] = NULL;
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

static void add_bond(const rps_world *world, const rps_bond *bond, int side, double dt, whole *w) {
    rps_bond_mode mode[6];
    const size_t o = world->bodies.slot_of[bond->body[1 - side]];
    rps_bond_modes_of(world, bond, side, mode);
    w->contacts++;
    w->neighbours += world->bodies.motion[o].inverse_mass[0] > 0.0;
    for (int n = 0; n < 6; n++) {
        const rps_bond_mode *m = &mode[n];
        double own = m->other2;
        for (int p = 0; p < N; p++) own += m->direction[p] * m->direction[p];
        rps_step_modes_add(&w->modes, m->direction, m->other2, m->stiffness, m->damper);
        const double most = own * dt * (dt * m->stiffness + 2.0 * m->damper);
        if (!(most > w->most[m->role])) continue;
        w->most[m->role] = most;
        w->spring[m->role] = m->stiffness;
        w->dashpot[m->role] = m->damper;
        w->mass[m->role] = 1.0 / own;
        w->partner[m->role] = o;
        w->bond[m->role] = bond;
    }
}

/* Bonds of the body number b of their index. */
static void add_bonds(const rps_world *world, size_t b, whole *w) {
    const rps_bonds *bonds = &world->bonds;
    for (size_t k = bonds->body_begin[b]; k < bonds->body_begin[b + 1]; k++) {
        const rps_bond *bond = &bonds->bond[bonds->end[k].end / 2];
        if (rps_bond_intact(bond)) add_bond(world, bond, (int)(bonds->end[k].end % 2), world->step, w);
    }
}

/* The contact or bond that limits the step of body s to `step`. */
static void stable_step_body_tell(const rps_world *world, const whole *w, size_t s, double step,
                                  rps_step_limit *limit) {
    const rps_bodies *bodies = &world->bodies;
    int role = RPS_ROLE_NORMAL;
    for (int k = 0; k < RPS_ROLE_COUNT; k++) role = w->most[k] > w->most[role] ? k : role;
    if (w->pair[role] == NULL && w->bond[role] == NULL) return;
    const size_t o = w->partner[role];
    const bool ordered = bodies->id[s][0] < bodies->id[o][0], bond = w->bond[role] != NULL;
    *limit = (rps_step_limit){.step = step,
                              .bond = bond,
                              .material = {bond ? bodies->material[s][0] : w->pair[role]->material[0],
                                           bond ? bodies->material[o][0] : w->pair[role]->material[1]},
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

/* Contact r of the references of body s. */
typedef struct own_contact {
    const rps_segment *segment;
    size_t place, other; /* in the segment; slot of the other body */
} own_contact;

static own_contact contact_at(const rps_contacts *contacts, size_t r) {
    const size_t entry = (size_t)(contacts->reference[r] / 2);
    const rps_segment *segment = rps_entry_segment(contacts, entry);
    const size_t place = entry - segment->begin;
    const bool is_j = contacts->reference[r] % 2 == 1;
    return (own_contact){segment, place, is_j ? segment->slot_i[place] : segment->slot_j[place]};
}

/* The trace of the matrix of body s at the step dt, which no eigenvalue exceeds: slide and roll have two directions. */
static double trace_of_contacts(const rps_world *world, size_t s, double dt) {
    static const double directions[RPS_ROLE_COUNT] = {
        [RPS_ROLE_NORMAL] = 1.0, [RPS_ROLE_SLIDE] = 2.0, [RPS_ROLE_ROLL] = 2.0, [RPS_ROLE_SPIN] = 1.0};
    const rps_contacts *contacts = &world->contacts;
    double trace = 0.0;
    for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
        const own_contact c = contact_at(contacts, r);
        rps_law_spring spring[RPS_ROLE_COUNT];
        double own[RPS_ROLE_COUNT];
        if (!rps_entry_springs(world, c.segment, c.place, spring)) continue;
        own_of(&world->bodies, s, c.other, own);
        for (int role = 0; role < RPS_ROLE_COUNT; role++)
            trace += directions[role] * share_of_role(own[role], &spring[role], dt);
    }
    return trace;
}

void rps_step_limit_of_bodies(const rps_world *world, double below, rps_step_limit *limit) {
    const rps_contacts *contacts = &world->contacts;
    const rps_bodies *bodies = &world->bodies;
    *limit = (rps_step_limit){.step = below};
    for (size_t s = 0; s < bodies->count; s++) {
        if (!(bodies->motion[s].inverse_mass[0] > 0.0) && !(bodies->motion[s].inverse_inertia[0] > 0.0)) continue;
        const size_t b = world->bonds.bodies > 0 ? rps_bonds_of_body(&world->bonds, bodies->id[s][0]) : SIZE_MAX;
        if (b == SIZE_MAX && trace_of_contacts(world, s, limit->step) <= FAR_BELOW) continue;
        whole w;
        memset(&w, 0, sizeof w);
        for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
            const own_contact c = contact_at(contacts, r);
            add_contact(world, c.segment, c.place, s, c.other, &w);
        }
        if (b != SIZE_MAX) add_bonds(world, b, &w);
        if (w.contacts == 0) continue;
        const double step = rps_step_modes_limit(&w.modes, limit->step);
        const bool tie = step == limit->step && bodies->id[s][0] < limit->body; /* slots must not show */
        if (step < limit->step || tie) stable_step_body_tell(world, &w, s, step, limit);
    }
}

void rps_step_limit_of_bonds(const rps_world *world, rps_step_limit *limit) {
    const rps_bonds *bonds = &world->bonds;
    for (size_t b = 0; b < bonds->bodies; b++) {
        const size_t s = world->bodies.slot_of[bonds->end[bonds->body_begin[b]].body];
        whole w;
        memset(&w, 0, sizeof w);
        add_bonds(world, b, &w);
        const double step = rps_step_modes_limit(&w.modes, limit->step);
        if (step < limit->step) stable_step_body_tell(world, &w, s, step, limit);
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
        const double step = rps_step_modes_limit(&w.modes, INFINITY);
        if (!(step < INFINITY)) return;
        stable_step_body_tell(world, &w, s, step, limit);
        dt = step;
    }
}
