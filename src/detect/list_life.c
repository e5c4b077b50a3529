/*
 * Life of the lists: the cost model behind skins and prediction horizons.
 *
 * A pair missing from a list was farther apart than its interaction range plus the list's skin, and both bodies
 * approach by at most twice the displacement of the faster one. So the neighbor list is valid while twice the
 * displacement is below its skin. It may be built from the candidate list while that list's skin, less twice its
 * displacement, is not below the new neighbor skin.
 *
 * In a flow the fastest body says little about the relative motion of neighbors. So the neighbor list also holds the
 * pairs that would come near within the prediction horizon if every body kept its velocity. Within the horizon it is
 * also valid while no body has deviated from its predicted path by more than its displacement buffer
 * (neighbor_select.c).
 *
 * The motion stage measures and reports (world.moved); this file estimates and decides. None of this affects results.
 *
 *   d     typical diameter, m                        u   largest displacement in a step, m: step_displacement
 *   s, S  neighbor and candidate skin, m             n   life of a neighbor list, steps
 *   b     deviation per step^2, m: acceleration      p   pairs in the list: neighbor_count
 *   w     cost of aging per step, pairs: rebuild_cost
 *
 *   s = sqrt(u d)                 by speed: the listed pairs of a dense bed grow by about 15 s/d per body, against the cost of
 *                                 a rebuild every s/(2u) steps
 *   S = s + 2 sqrt(s d)           the same trade-off between the two lists
 *   b = 2 D/(n (n + 1))           D: accumulated deviation of the last list; deviations grow as the square of time
 *   n = min(cbrt(d/(8 b)), sqrt(2 p/w)), s = b n^2
 *                                 by deviation: wider lists against more of them; aging, which adds w to every later step,
 *                                 against re-listing p pairs
 */
#include "detect/list_life.h"

#include <math.h>

#include "base/elementary.h"
#include "detect/lists.h"

/* Bounds of skins, in typical diameters. */
#define PREDICTED_SKIN_MIN 0.0005 /* of a list with predicted paths */
#define NEIGHBOR_SKIN_MIN 0.002
#define NEIGHBOR_SKIN_MAX 0.1
#define CANDIDATE_SKIN_MAX 0.5
#define AHEAD \
    2.2 /* skin for pairs that close in the coming step: both bodies move, and their speed may grow a little */
#define SAFETY (1.0 - 1e-9) /* the sum of displacements rounds */
#define HORIZON_USED 0.2    /* of the horizon: a candidate list costs as much as about five neighbor lists */
#define STEPS_FIRST 8.0     /* life of a list without an estimate */
#define STEPS_MAX 1000.0
#define HORIZON_MORE 1.25 /* horizon over expected life: pairs that approach on their predicted paths cost little */
#define ROUNDED 1.000001  /* predicted velocities are floats */

/* Cost of a change in a step, relative to re-listing a pair: packing and scattered loads, an inactive lane in a
 * batch, a distance check. Measured in beds and a chute (bench/results/NOTES.md). */
static const double change_cost[RPS_CHANGED_STATES] = {2.0, 0.2, 0.04};

void rps_life_begin(rps_list_life *life) {
    *life = (rps_list_life){.acceleration = -1.0};
}

/* --- displacements ------------------------------------------------------------------------------------------------ */

/* m, bound of the displacement of turning planes relative to the bodies: half of it counts for each partner. */
static double rotation_displacement(const rps_world *world, const rps_cells *cells, const rps_list_life *life) {
    const uint32_t *plane = cells->plane.p;
    double most = 0.0;
    for (size_t k = 0; k < cells->planes; k++) {
        const size_t s = plane[k];
        if (world->bodies.kind[s][0] != RPS_BODY_DRIVEN) continue;
        const double *w = world->driven[world->bodies.drive[s][0]].now.angular_velocity;
        const double *n = world->bodies.normal[s];
        const double tilt = rps_vec3_norm(rps_vec3_cross((rps_vec3){w[0], w[1], w[2]}, (rps_vec3){n[0], n[1], n[2]}));
        const rps_motion_table *table = world->driven[world->bodies.drive[s][0]].table;
        const double all = tilt + (table ? table->rate : 0.0);
        most = all > most ? all : most;
    }
    return most > 0.0 ? 0.5 * most * world->step * (life->plane_distance + 2.0 * life->candidate_displacement) : 0.0;
}

/* m, bound of the displacement of the images of a sheared cell: half of it counts for each partner. */
static double image_displacement(const rps_world *world) {
    return 0.5 * fabs(world->cell.speed) * world->step;
}

double rps_life_displacement_bound(const rps_world *world, const rps_cells *cells, const rps_list_life *life) {
    if (!(world->speed_bound > 0.0)) return 0.0;
    return world->speed_bound * world->step + rotation_displacement(world, cells, life) + image_displacement(world);
}

void rps_life_add_step(const rps_world *world, const rps_cells *cells, rps_list_life *life) {
    const rps_motion_maxima *moved = &world->moved;
    const double angular = rotation_displacement(world, cells, life);
    life->step_displacement = moved->speed * world->step + angular + image_displacement(world);
    life->candidate_displacement += life->step_displacement;
    life->neighbor_displacement += life->step_displacement;
    life->order_displacement += life->step_displacement;
    life->since += world->step;
    life->accumulated_deviation += moved->deviation * world->step + angular;
    /* bodies that change their process have not moved since */
    if (!world->lists_stale || moved->deviation < INFINITY) life->measured = moved->deviation < INFINITY;
    if (world->lists_stale) life->predicts = false; /* bodies may have come in */
}

/* Distance of the farthest corner of the box of all bodies from any plane's center. */
static double farthest_from_planes(const rps_world *world, const rps_cells *cells) {
    const uint32_t *plane = cells->plane.p;
    double most = 0.0;
    for (size_t k = 0; k < cells->planes && cells->count > 0; k++) {
        double sum = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double x = world->bodies.pose[plane[k]].position[axis], period = world->cell.period[axis];
            const double low = fabs(cells->low[axis] - x), high = fabs(cells->high[axis] - x);
            double far = low > high ? low : high;
            if (period > 0.0 && far < period) far = period;
            sum += far * far;
        }
        most = sqrt(sum) > most ? sqrt(sum) : most;
    }
    return most;
}

void rps_life_candidates_built(const rps_world *world, const rps_cells *cells, double skin, rps_list_life *life) {
    life->candidate_skin = skin;
    life->candidate_displacement = 0.0;
    life->plane_distance = farthest_from_planes(world, cells);
    life->candidates_valid = true;
}

void rps_life_neighbors_built(double skin, double horizon, size_t count, rps_list_life *life) {
    life->neighbor_skin = skin;
    life->prediction_horizon = horizon;
    life->neighbor_displacement = life->accumulated_deviation = life->since = 0.0;
    life->neighbor_count = count;
    life->neighbors_valid = true;
}

double rps_life_left(const rps_list_life *life) {
    return life->candidate_skin * SAFETY - 2.0 * life->candidate_displacement;
}

bool rps_life_fits(double displacement, double skin) {
    return 2.0 * displacement <= skin * SAFETY;
}

/* Only for pairs of the candidate list is it known whether predicted paths meet. */
bool rps_life_neighbors_are_good(const rps_world *world, const rps_cells *cells, const rps_list_life *life) {
    const double most = life->neighbor_skin * SAFETY;
    return 2.0 * (life->neighbor_displacement + rps_life_displacement_bound(world, cells, life)) < most ||
           (life->since <= life->prediction_horizon && 2.0 * life->accumulated_deviation < most &&
            2.0 * life->candidate_displacement < life->candidate_skin * SAFETY);
}

/* --- estimates ---------------------------------------------------------------------------------------------------- */

void rps_life_estimate_acceleration(const rps_world *world, rps_list_life *life) {
    const double steps = life->since / world->step;
    if (!life->predicts || !life->neighbors_valid || !(life->accumulated_deviation < INFINITY) || !(steps > 0.5))
        return;
    life->acceleration = 2.0 * life->accumulated_deviation / (steps * (steps + 1.0));
}

void rps_life_measure_rebuild_cost(const rps_world *world, const size_t changes[RPS_CHANGED_STATES],
                                   rps_list_life *life) {
    const double steps = life->since / world->step;
    double cost = 0.0;
    for (int k = 0; k < RPS_CHANGED_STATES; k++) cost += change_cost[k] * (double)changes[k];
    if (cost > 0.0 && steps > 0.5) life->rebuild_cost = cost / steps;
}

/* --- decisions ---------------------------------------------------------------------------------------------------- */

/* Clamps to `least` .. NEIGHBOR_SKIN_MAX, NaN included. */
static double bounded(double skin, double least, double typical) {
    skin = skin > least * typical ? skin : least * typical;
    return skin < NEIGHBOR_SKIN_MAX * typical ? skin : NEIGHBOR_SKIN_MAX * typical;
}

/* n: target life of a list with predicted paths, in steps. */
static double steps_by_cost(const rps_list_life *life, double typical) {
    double steps = STEPS_MAX;
    if (8.0 * life->acceleration * steps * steps * steps > typical) {
        steps = rps_cbrt(typical / (8.0 * life->acceleration));
    }
    const double pairs = (double)life->neighbor_count;
    if (life->rebuild_cost * steps * steps > 2.0 * pairs) steps = sqrt(2.0 * pairs / life->rebuild_cost);
    return steps;
}

void rps_life_choose_skins(const rps_world *world, const rps_cells *cells, const rps_list_life *life, double widest,
                           rps_list_plan *plan) {
    const double typical = 2.0 * cells->radius_mean, displacement = life->step_displacement;
    const double by_speed = bounded(sqrt(displacement * typical), NEIGHBOR_SKIN_MIN, typical);
    double neighbor = by_speed;
    plan->horizon = 0.0;
    if (life->measured && world->options.stepper == RPS_PENALTY) {
        double steps = STEPS_FIRST;
        if (life->acceleration >= 0.0) {
            steps = steps_by_cost(life, typical);
            neighbor = bounded(life->acceleration * steps * steps, PREDICTED_SKIN_MIN, typical);
            if (life->acceleration * steps * steps > neighbor) steps = sqrt(neighbor / life->acceleration);
            if (2.0 * displacement * steps < by_speed) neighbor = by_speed; /* speed alone lets it last longer */
        }
        plan->horizon = HORIZON_MORE * steps * world->step;
    }
    const double given = world->options.neighbor_skin;
    const double ahead = AHEAD * rps_life_displacement_bound(world, cells, life);
    neighbor = (given > 0.0 ? given : neighbor) + ahead;
    const double base = (given > 0.0 ? given : by_speed) + ahead, large = base + 2.0 * sqrt(base * typical);
    double candidate = large < CANDIDATE_SKIN_MAX * typical ? large : CANDIDATE_SKIN_MAX * typical;
    candidate = candidate > 2.0 * neighbor ? candidate : 2.0 * neighbor;
    if (world->options.skin > 0.0) candidate = world->options.skin;
    /* a contact that existed before this step is evaluated once more, unless its bodies have separated by a whole
     * diameter */
    const double parted = 2.5 * displacement < typical ? 2.5 * displacement : typical;
    if (candidate < parted) candidate = parted;
    if (candidate > widest) candidate = widest;
    if (neighbor > 0.5 * candidate) neighbor = 0.5 * candidate;
    plan->candidate_skin = candidate;
    plan->neighbor_skin = neighbor;
}

/* Time (s) for which bodies may keep their predicted velocities until one comes within `skin` of another that is
 * missing from the candidate list, with a remaining skin of `left`. No body is faster than in the last step, since
 * none has moved since. */
static double predicted_within(const rps_world *world, const rps_list_life *life, double left, double skin) {
    const double nearer = 2.0 * ROUNDED * life->step_displacement; /* m, per step */
    const double margin = left - skin;
    return nearer > 0.0 ? margin / nearer * world->step : margin >= 0.0 ? INFINITY : 0.0;
}

void rps_life_plan_neighbors(const rps_world *world, const rps_cells *cells, const rps_list_life *life, double widest,
                             rps_list_plan *plan) {
    const double left = rps_life_left(life);
    rps_life_choose_skins(world, cells, life, widest, plan);
    const double least = world->options.neighbor_skin > 0.0 ? plan->neighbor_skin : 0.5 * plan->neighbor_skin;
    const double ahead = AHEAD * rps_life_displacement_bound(world, cells, life);
    plan->candidates = !(left >= (least > ahead ? least : ahead)) ||
                       predicted_within(world, life, left, plan->neighbor_skin) < HORIZON_USED * plan->horizon;
    if (!(plan->neighbor_skin < left)) plan->neighbor_skin = left;
}

void rps_life_limit_horizon(const rps_world *world, const rps_list_life *life, double left, rps_list_plan *plan) {
    const double within = predicted_within(world, life, left, plan->neighbor_skin);
    if (within < plan->horizon) plan->horizon = within;
}
