/*
 * The largest stable step, and the contact and role that limit it.
 *
 * A mode of stiffness K and damping c per mass m, stepped explicitly with increments as rates, is stable iff K dt^2 +
 * 2 c dt < 4 m. Slide moves a ball by translation and rotation: the mass is 1/(1/m + R^2/I). Every pair of materials
 * is tried with its lightest free bodies; a Hertz contact with the largest overlap present, at least OVERLAP of
 * R_eff. In a packing a body has several contacts, and their stiffnesses add. CROWDED accounts for that before
 * contacts exist; stable_step_body.c uses the real ones.
 */
#include <math.h>

#include "detect/gap_table.h"
#include "law/law_batch.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/share.h"

static const double OVERLAP = 0.01; /* of R_eff: deeper contacts count with their own overlap */
static const double CROWDED =
    3.0;                    /* about half of 6 contacts around a body push along any one direction, and each moves */
enum { COORDINATION = 12 }; /* a world with at least this many bodies counts as a packing */

static double largest_step(double stiffness, double damper, double mass) {
    if (!(stiffness > 0.0) && !(damper > 0.0)) {
        return INFINITY;
    }
    if (!(stiffness > 0.0)) {
        return 2.0 * mass / damper;
    }
    return (sqrt(damper * damper + 4.0 * stiffness * mass) - damper) / stiffness;
}

static double inverse(double x) {
    return x > 0.0 ? 1.0 / x : 0.0;
}

/* Radii and length of a strip between two bodies: the radii of their cylinders, the length of the shorter one. */
static void strip_of(const rps_world *world, size_t i, size_t j, double radius[2], double *length) {
    const size_t slot[2] = {i, j};
    *length = INFINITY;
    for (int k = 0; k < 2; k++) {
        rps_side side;
        rps_vec3 offset;
        rps_pair_side(world, slot[k], 0, &side, &offset);
        const bool cylinder = side.shape == &rps_shape_cylinder;
        radius[k] = cylinder ? side.parameter[0] : 0.0;
        if (cylinder && side.parameter[1] < *length) *length = side.parameter[1];
    }
    if (!(*length < INFINITY)) *length = 1.0; /* no strip: refused where they touch */
    *length *= 0.5;                           /* it stands on two points */
}

/* Half width of a contact along a line, from the normal law's own kernel. */
static double half_width(const rps_world *world, const rps_pair_setup *pair, const rps_law_contact *contact) {
    rps_batch_alone alone;
    const rps_batch *const b = &alone.b;
    rps_batch_alone_open(&alone, 8, 1.0);
    rps_batch_alone_fill(&alone, b->touch, 1.0);
    rps_batch_alone_fill(&alone, b->overlap, contact->overlap);
    rps_batch_alone_fill_radius(&alone, contact->radius_eff);
    rps_batch_alone_fill(&alone, b->mass_eff, contact->mass_eff);
    rps_batch_alone_fill(&alone, b->length, contact->length > 0.0 ? contact->length : 1.0);
    for (int k = 0; k < 2; k++) rps_batch_alone_fill(&alone, b->radius[k], contact->radius[k]);
    pair->law[RPS_ROLE_NORMAL]->kernel[world->isa](b, pair->constant[RPS_ROLE_NORMAL]);
    return b->contact_radius[0];
}

void rps_contact_measures(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j,
                          const rps_rolling_radii *rolling_radii, rps_law_contact *contact) {
    const rps_bodies *bodies = &world->bodies;
    double constant[RPS_CONSTANT_LANES];
    const size_t slot[2] = {i, j};
    double radius[2] = {bodies->pose[i].radius[0], bodies->pose[j].radius[0]};
    rps_contact_constants(world, pair, slot, radius, constant);
    double radius_eff = constant[RPS_CONSTANT_RADIUS_EFF], length = 0.0;
    if (pair->lines) {
        strip_of(world, i, j, radius, &length);
        const double product = radius[0] * radius[1], sum = radius[0] + radius[1];
        radius_eff = product > 0.0 ? product / sum : sum > 0.0 ? sum : radius_eff;
    }
    double roll = 2.0 * radius_eff;
    const bool of_i = rps_body_has_sheets(world, i);
    const double r = rps_body_half_width(world, of_i ? j : i);
    if (r > 0.0 && (of_i || rps_body_has_sheets(world, j))) {
        double hollow[2];
        rps_body_hollow(world, of_i ? i : j, r, hollow);
        const double larger = hollow[0] > hollow[1] ? hollow[0] : hollow[1];
        radius_eff = 1.0 / (1.0 / r - 0.5 * (hollow[0] + hollow[1]));
        roll = 2.0 / (1.0 / r - larger);
    }
    if (rolling_radii != NULL && rolling_radii->radius_eff > 0.0 && !pair->lines)
        radius_eff = rolling_radii->radius_eff;
    *contact = (rps_law_contact){.mass_eff = constant[RPS_CONSTANT_MASS_EFF],
                                 .radius_eff = radius_eff,
                                 .length = length,
                                 .rolling_radius = rolling_radii != NULL ? rolling_radii->roll : roll,
                                 .twist_radius = rolling_radii != NULL ? rolling_radii->spin : radius_eff};
    contact->damper_mass = constant[RPS_CONSTANT_DAMPER_MASS_SQRT] * constant[RPS_CONSTANT_DAMPER_MASS_SQRT];
    contact->damper_inertia = constant[RPS_CONSTANT_DAMPER_INERTIA_SQRT] * constant[RPS_CONSTANT_DAMPER_INERTIA_SQRT];
    const int turned = bodies->material[i][0] != pair->material[0]; /* i is of the second material */
    contact->radius[turned] = radius[0];
    contact->radius[!turned] = radius[1];
}

void rps_contact_springs(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double overlap,
                         double least_overlap, const rps_rolling_radii *rolling_radii,
                         rps_law_spring spring[RPS_ROLE_COUNT]) {
    rps_law_contact contact;
    rps_contact_measures(world, pair, i, j, rolling_radii, &contact);
    const double radius_eff = contact.radius_eff, least = least_overlap * radius_eff;
    contact.overlap = overlap > least ? overlap : least;
    const bool line = pair->law[RPS_ROLE_NORMAL]->lines && contact.radius[0] + contact.radius[1] > 0.0;
    contact.contact_radius = line ? half_width(world, pair, &contact) : sqrt(radius_eff * contact.overlap);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        spring[role] = (rps_law_spring){0.0, 0.0};
        if (law->spring) {
            spring[role] = law->spring(pair->constant[role], &contact);
        }
        if (role == RPS_ROLE_NORMAL) {
            contact.normal_stiffness = spring[role].stiffness;
        }
        if (role == RPS_ROLE_DAMPING || role == RPS_ROLE_BRIDGE) { /* they act beside the normal spring */
            spring[RPS_ROLE_NORMAL].damper += spring[role].damper;
            spring[RPS_ROLE_NORMAL].stiffness += spring[role].stiffness;
            spring[role] = (rps_law_spring){0.0, 0.0};
        }
    }
}

/* The rolling radii of a contact of the frame record, from its last evaluation. */
static rps_rolling_radii rolling_radii_of(const rps_segment *segment, const rps_layout *layout, size_t place) {
    const rps_vec3 rolling_radius =
        rps_segment_vector(segment, layout->track + RPS_FRAME_ROLLING_RADIUS, place); /* uu, uw, ww */
    const double half = 0.5 * (rolling_radius.x - rolling_radius.z);
    const double twist = rps_segment_get(segment, layout->track + RPS_FRAME_TWIST_RADIUS, place);
    return (rps_rolling_radii){.radius_eff = twist,
                               .roll = 0.5 * (rolling_radius.x + rolling_radius.z) +
                                       sqrt(half * half + rolling_radius.y * rolling_radius.y),
                               .spin = twist};
}

bool rps_entry_springs(const rps_world *world, const rps_segment *segment, size_t place,
                       rps_law_spring spring[RPS_ROLE_COUNT]) {
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const rps_layout *layout = &pair->layout[segment->record];
    if (!(rps_segment_get(segment, layout->modes, place) > 0.5)) {
        return false;
    }
    const double overlap = rps_segment_get(segment, layout->overlap, place);
    const bool frame = segment->record == RPS_RECORD_FRAME && world->options.stepper != RPS_NONSMOOTH;
    const bool offsets = rps_record_has_offsets(segment->record);
    rps_rolling_radii rolling_radii;
    if (frame) {
        rolling_radii = rolling_radii_of(segment, layout, place);
    } else if (offsets) {
        const double radius_eff = rps_segment_constant(segment, place, RPS_CONSTANT_RADIUS_EFF);
        rolling_radii = (rps_rolling_radii){radius_eff, 2.0 * radius_eff, radius_eff};
    }
    rps_contact_springs(world, pair, segment->slot_i[place], segment->slot_j[place], overlap, 0.0,
                        frame || offsets ? &rolling_radii : NULL, spring);
    return true;
}

static void try_pair(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double overlap,
                     double coordination, rps_step_limit *limit) {
    const rps_bodies *bodies = &world->bodies;
    const rps_motion *a = &bodies->motion[i], *b = &bodies->motion[j];
    const double r_i = bodies->pose[i].radius[0], r_j = bodies->pose[j].radius[0];
    /* what moves in each role */
    const double translation = a->inverse_mass[0] + b->inverse_mass[0];
    const double rotation = a->inverse_inertia[0] + b->inverse_inertia[0];
    const double mass[RPS_ROLE_COUNT] = {
        [RPS_ROLE_NORMAL] = inverse(translation),
        [RPS_ROLE_DAMPING] = inverse(translation),
        [RPS_ROLE_SLIDE] = inverse(translation + r_i * r_i * a->inverse_inertia[0] + r_j * r_j * b->inverse_inertia[0]),
        [RPS_ROLE_ROLL] = inverse(rotation),
        [RPS_ROLE_SPIN] = inverse(rotation)};
    rps_law_spring spring[RPS_ROLE_COUNT];
    rps_contact_springs(world, pair, i, j, overlap, OVERLAP, NULL, spring);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (!(mass[role] > 0.0)) {
            continue;
        }
        const double k = coordination * spring[role].stiffness, c = coordination * spring[role].damper;
        const double step = largest_step(k, c, mass[role]);
        if (step < limit->step) {
            *limit = (rps_step_limit){.step = step,
                                      .material = {pair->material[0], pair->material[1]},
                                      .role = (rps_role)role,
                                      .damping = 2.0 * c * step > k * step * step,
                                      .id = {bodies->id[i][0], bodies->id[j][0]},
                                      .stiffness = spring[role].stiffness,
                                      .damper = spring[role].damper,
                                      .mass = mass[role]};
        }
    }
}

size_t rps_lightest_body(const rps_world *world, int material, size_t skip) {
    const rps_bodies *bodies = &world->bodies;
    size_t best = SIZE_MAX;
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->material[s][0] != material || s == skip) {
            continue;
        }
        const double m = bodies->motion[s].inverse_mass[0];
        if (best == SIZE_MAX || m > bodies->motion[best].inverse_mass[0] ||
            (m == bodies->motion[best].inverse_mass[0] && bodies->id[s][0] < bodies->id[best][0])) {
            best = s;
        }
    }
    return best;
}

static double deepest(const rps_world *world, int pair) {
    double most = 0.0;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        if (segment->pair != pair) {
            continue;
        }
        const rps_layout *layout = &world->pair_setup[pair].layout[segment->record];
        const double *overlap = rps_segment_lane(segment, layout->overlap);
        for (size_t c = 0; c < segment->count; c++) {
            most = overlap[c] > most ? overlap[c] : most;
        }
    }
    return most;
}

void rps_deepest_overlaps(const rps_world *world, double *deepest_of_pair) {
    for (size_t p = 0; p < world->pairs; p++) deepest_of_pair[p] = deepest(world, (int)p);
}

void rps_step_limit_of_contacts(const rps_world *world, const double *overlap, rps_step_limit *limit) {
    *limit = (rps_step_limit){.step = INFINITY};
    const double coordination = world->bodies.count > COORDINATION ? CROWDED : 1.0;
    for (size_t p = 0; p < world->pairs; p++) {
        const rps_pair_setup *pair = &world->pair_setup[p];
        size_t a = rps_lightest_body(world, pair->material[0], SIZE_MAX);
        size_t b = rps_lightest_body(world, pair->material[1], a);
        if (a == SIZE_MAX || b == SIZE_MAX) {
            continue;
        }
        size_t i = world->bodies.id[a][0] < world->bodies.id[b][0] ? a : b, j = i == a ? b : a;
        if (world->bodies.motion[i].inverse_mass[0] + world->bodies.motion[j].inverse_mass[0] > 0.0) {
            const double depth = overlap != NULL ? overlap[p] : deepest(world, (int)p);
            try_pair(world, pair, i, j, depth, coordination, limit);
        }
    }
}

rps_status rps_world_step_limit(rps_world *world, rps_step_limit *limit, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(limit);
    RPS_TRY(rps_share_refuse(world, "the stability limit", err));
    *limit = (rps_step_limit){.step = INFINITY};
    if (world->options.stepper == RPS_NONSMOOTH) return RPS_OK; /* implicit */
    rps_step_limit_of_contacts(world, NULL, limit);
    if (world->bonds.count == 0) return RPS_OK;
    RPS_TRY(rps_bonds_index(world, &world->bonds, err));
    rps_step_limit_of_bonds(world, limit);
    return RPS_OK;
}
