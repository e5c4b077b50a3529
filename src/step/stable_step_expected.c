/*
 * Chooses a step before contacts exist.
 *
 * A body has at most as many contacts as there are others, and hardly more than in a body-centred lattice (8; 12 in
 * the closest packing, whose step is shorter by a fifth, or a third where dampers limit it: less than `safety`
 * leaves); in a plane 6. With that many contacts at the expected overlap, the step is bounded as the guard bounds the
 * bodies of a run (stable_step_body.c). The overlap is the largest of 1 % of R_eff, the initial overlap, and the
 * overlap that carries the expected load; a single contact may also have that of an impact. For stiffening laws the
 * load is found by integrating their tangents.
 */
#include <math.h>

#include "shape/shape.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

static const double LEAST = 0.01;   /* of R_eff */
static const double DEEPEST = 0.3;  /* of the smaller radius: at this overlap the overlap guard trips */
static const double FIRST = 1e-8;   /* of it: start of the search for an overlap */
static const double GROWTH = 1.1;   /* growth of the overlap per search step: the stiffness errs by 5 % for Hertz */
static const double IN_HAND = 1.25; /* as in the guard: neighbours seldom all move against a body */

/* How many contacts a body can have with one other: with walls that meet in a corner as many as these, else one. */
static int contacts_with(const rps_world *world, size_t s, int corner) {
    const rps_piece *piece = rps_body_pieces(world, s);
    int parts = 0;
    if (piece == NULL || !rps_body_has_sheets(world, s)) return 1;
    for (int32_t k = 0; k < rps_body_piece_count(&world->bodies, s) && parts < corner; k++) {
        const rps_shape *shape = rps_shape_at((int)piece[k].shape);
        parts += rps_shape_is_sheet(shape) ? shape->parts(piece[k].parameter) : 1;
    }
    return parts < corner ? parts : corner;
}

/* How many contacts body s can have at a time: if body o is fixed, only fixed ones are counted; a free one represents
 * all. */
static int stable_step_expected_contacts_of(const rps_world *world, size_t s, size_t o) {
    const rps_bodies *bodies = &world->bodies;
    const int around = rps_contacts_around(world), beside = around / 2, corner = world->options.dimension == 2 ? 2 : 3;
    int loose = 0, fixed = 0, planes = 0;
    for (size_t b = 0; b < bodies->count; b++) {
        if (b == s) continue;
        int *count = rps_body_is_plane(bodies, b) ? &planes : bodies->motion[b].inverse_mass[0] > 0.0 ? &loose : &fixed;
        *count += *count < around ? contacts_with(world, b, corner) : 0;
    }
    fixed = fixed < beside ? fixed : beside; /* they lie on one side */
    planes = planes < corner ? planes : corner;
    if (!(bodies->motion[o].inverse_mass[0] > 0.0)) return rps_body_is_plane(bodies, o) ? planes : fixed;
    const int all = loose + fixed + planes;
    return all < around ? all : around;
}

bool rps_stands_on_faces(const rps_world *world, size_t s) {
    const int shape = rps_body_shape_index(&world->bodies, s);
    const bool curved = rps_shape_is_round(shape) || shape == RPS_SHAPE_INDEX(ellipsoid);
    if (rps_body_is_sheets(world, s)) return false; /* as a plane: bodies with faces stand on it */
    return rps_body_has_pieces(&world->bodies, s) && !(curved && rps_body_piece_count(&world->bodies, s) == 1);
}

/* True if some of its surface is flat, at least along a line. */
static bool has_face(const rps_world *world, size_t s) {
    const rps_piece *piece = rps_body_pieces(world, s);
    if (piece == NULL) return rps_body_is_plane(&world->bodies, s);
    for (int32_t k = 0; k < rps_body_piece_count(&world->bodies, s); k++) {
        const int shape = (int)piece[k].shape;
        if (!rps_shape_is_round(shape) && shape != RPS_SHAPE_INDEX(ellipsoid)) return true;
    }
    return false;
}

/* Two faces have no curvature, so the rolling radii are as long as the lower bound of the curvatures allows. */
static bool meet_in_faces(const rps_world *world, size_t s, size_t o, rps_rolling_radii *rolling_radii) {
    if (!has_face(world, s) || !has_face(world, o)) return false;
    const double longest = 1.0 / rps_pair_curvature_floor(world, s, o);
    *rolling_radii = (rps_rolling_radii){.roll = longest, .spin = longest};
    return true;
}

/* The overlap of bodies i and j at which their normal spring carries a load and stores an energy; at most DEEPEST. */
static double overlap_of(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double load,
                         double energy) {
    const double r_i = world->bodies.pose[i].radius[0], r_j = world->bodies.pose[j].radius[0];
    const double radius = r_i > 0.0 && (!(r_j > 0.0) || r_i < r_j) ? r_i : r_j;
    double before = 0.0, force = 0.0, stored = 0.0, x = FIRST * radius;
    rps_law_spring spring[RPS_ROLE_COUNT];
    while (x < DEEPEST * radius) {
        rps_contact_springs(world, pair, i, j, x, 0.0, NULL, spring);
        const double more = spring[RPS_ROLE_NORMAL].stiffness * (x - before);
        stored += (force + 0.5 * more) * (x - before);
        force += more;
        if (force >= load && stored >= energy) return x;
        before = x;
        x *= GROWTH;
    }
    return force > 0.0 ? DEEPEST * radius : 0.0; /* 0: a load that does not come from the overlap */
}

typedef struct candidate {
    double overlap, load, speed;
    int contacts;
} candidate;

static void try_one(const rps_world *world, const rps_pair_setup *pair, size_t s, size_t o, const candidate *c,
                    rps_step_limit *limit) {
    const bool ordered = world->bodies.id[s][0] < world->bodies.id[o][0];
    rps_law_spring spring[RPS_ROLE_COUNT];
    rps_step_limit found;
    rps_rolling_radii rolling_radii = {0.0, 0.0, 0.0};
    const bool faces = meet_in_faces(world, s, o, &rolling_radii);
    rps_contact_springs(world, pair, ordered ? s : o, ordered ? o : s, c->overlap, LEAST, faces ? &rolling_radii : NULL,
                        spring);
    if (c->contacts < RPS_FLAT_POINTS && (rps_stands_on_faces(world, s) || rps_stands_on_faces(world, o))) {
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            spring[role].stiffness *= RPS_FLAT_POINTS;
            spring[role].damper *= RPS_FLAT_POINTS;
        }
    }
    rps_step_limit_of_neighbors(world, pair, s, o, spring, c->contacts, &found);
    if (found.contacts > 1 && found.neighbours > 0) found.step *= IN_HAND;
    found.overlap = c->overlap;
    found.load = c->load;
    found.speed = c->speed;
    found.rolling_radius =
        faces && (found.role == RPS_ROLE_ROLL || found.role == RPS_ROLE_SPIN) ? rolling_radii.roll : 0.0;
    if (found.step < limit->step) *limit = found;
}

/* Largest load that one contact of two bodies is expected to carry (N). */
static double load_of(const rps_world *world, const rps_expected *expected, double r, double r_o) {
    const double apart = r_o > 0.0 && r_o < r ? r + r_o : 2.0 * r;
    const double wide = world->options.dimension == 2 ? apart * world->options.depth : apart * apart;
    const double spread = expected->pressure * wide;
    return expected->force < spread ? expected->force : spread;
}

static void try_bodies(const rps_world *world, const rps_pair_setup *pair, size_t s, size_t o,
                       const rps_expected *expected, rps_step_limit *limit) {
    const rps_bodies *bodies = &world->bodies;
    const double inverse = bodies->motion[s].inverse_mass[0], inverse_o = bodies->motion[o].inverse_mass[0];
    const double turn = bodies->motion[s].inverse_inertia[0];
    if (!(inverse > 0.0) && !(turn > 0.0)) return;
    const bool ordered = bodies->id[s][0] < bodies->id[o][0];
    const size_t i = ordered ? s : o, j = ordered ? o : s;
    const double r = bodies->pose[s].radius[0], r_o = bodies->pose[o].radius[0];
    const double smaller = r_o > 0.0 && r_o < r ? r_o : r, load = load_of(world, expected, r, r_o);
    double constant[RPS_CONSTANT_LANES];
    const size_t slot[2] = {i, j};
    const double radius[2] = {bodies->pose[i].radius[0], bodies->pose[j].radius[0]};
    rps_contact_constants(world, pair, slot, radius, constant);
    candidate c = {.overlap = LEAST * constant[RPS_CONSTANT_RADIUS_EFF],
                   .contacts = stable_step_expected_contacts_of(world, s, o)};
    if (expected->overlap * smaller > c.overlap) c.overlap = expected->overlap * smaller;
    const double loaded = load > 0.0 ? overlap_of(world, pair, i, j, load, 0.0) : 0.0;
    if (loaded > c.overlap) {
        c.overlap = loaded;
        c.load = load;
    }
    if (c.contacts > 0) try_one(world, pair, s, o, &c, limit);
    if (!(expected->speed > 0.0) || !(inverse + inverse_o > 0.0)) return;
    const double energy = 0.5 * expected->speed * expected->speed / (inverse + inverse_o);
    const candidate impact = {
        .overlap = overlap_of(world, pair, i, j, 0.0, energy), .speed = expected->speed, .contacts = 1};
    if (impact.overlap > c.overlap) try_one(world, pair, s, o, &impact, limit);
}

void rps_step_limit_expected(const rps_world *world, const rps_expected *expected, rps_step_limit *limit) {
    *limit = (rps_step_limit){.step = INFINITY};
    if (world->options.stepper == RPS_NONSMOOTH) return; /* stable at any step */
    for (size_t p = 0; p < world->pairs; p++) {
        const rps_pair_setup *pair = &world->pair_setup[p];
        const size_t a = rps_lightest_body(world, pair->material[0], SIZE_MAX);
        const size_t b = rps_lightest_body(world, pair->material[1], a);
        if (a == SIZE_MAX || b == SIZE_MAX) continue;
        try_bodies(world, pair, a, b, expected, limit);
        try_bodies(world, pair, b, a, expected, limit);
    }
}

static void impact_of(const rps_world *world, const rps_pair_setup *pair, size_t a, size_t b,
                      const rps_expected *expected, double accuracy, double longest, double step, rps_impact *worst) {
    const rps_bodies *bodies = &world->bodies;
    const bool free_a = bodies->motion[a].inverse_mass[0] > 0.0;
    const bool ordered = bodies->id[a][0] < bodies->id[b][0];
    const size_t i = ordered ? a : b, j = ordered ? b : a;
    rps_impact found;
    if (stable_step_expected_contacts_of(world, free_a ? a : b, free_a ? b : a) == 0) return;
    if (!rps_impact_of(world, pair, i, j, expected->speed, &found)) return;
    const double r_a = bodies->pose[a].radius[0], r_b = bodies->pose[b].radius[0];
    found.load = load_of(world, expected, r_a > 0.0 ? r_a : r_b, r_a > 0.0 ? r_b : r_a);
    found.load_depth = found.load > 0.0 ? overlap_of(world, pair, i, j, found.load, 0.0) : 0.0;
    if (step > 0.0) {
        found.step = step;
        rps_impact_errors(world, pair, i, j, step, &found);
    } else {
        rps_impact_step(world, pair, i, j, accuracy, longest, &found);
    }
    const bool worse = step > 0.0 ? rps_larger(found.restitution_error, found.balance_error) >
                                        rps_larger(worst->restitution_error, worst->balance_error)
                                  : found.step < worst->step;
    if (!(worst->speed > 0.0) || worse) *worst = found;
}

void rps_impact_expected(const rps_world *world, const rps_expected *expected, double accuracy, double longest,
                         double step, rps_impact *impact) {
    *impact = (rps_impact){.speed = 0.0};
    if (world->options.stepper == RPS_NONSMOOTH) return;
    for (size_t p = 0; p < world->pairs; p++) {
        const rps_pair_setup *pair = &world->pair_setup[p];
        const size_t a = rps_lightest_body(world, pair->material[0], SIZE_MAX);
        const size_t b = rps_lightest_body(world, pair->material[1], a);
        if (a == SIZE_MAX || b == SIZE_MAX) continue;
        impact_of(world, pair, a, b, expected, accuracy, longest, step, impact);
    }
}
