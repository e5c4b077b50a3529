/*
 * How long the candidate list and the neighbor list live (list_life.c has the model and its formulas).
 */
#ifndef RPS_DETECT_LIST_LIFE_H
#define RPS_DETECT_LIST_LIFE_H

#include <stdbool.h>
#include <stddef.h>

#include "world/world.h"

struct rps_cells;

/* How the state of a listed pair changed since it was marked: it touches now, it no longer touches, or it never
 * touched. */
enum { RPS_CHANGED_BEGAN, RPS_CHANGED_IDLE, RPS_CHANGED_LISTED, RPS_CHANGED_STATES };

typedef struct rps_list_life {
    bool candidates_valid, neighbors_valid;
    double candidate_skin, neighbor_skin; /* m, with which the lists were built */
    /* m, bounds of the displacement of a body: since the lists were built, since slots were sorted, and in the last
     * step */
    double candidate_displacement, neighbor_displacement, order_displacement, step_displacement;
    double plane_distance; /* m, of the farthest body from a turning plane, when the candidate list was built */
    double since;          /* s, since the neighbor list was built */
    /* the neighbor list also holds pairs that would come within their displacement buffers on predicted paths */
    bool predicts;             /* rps_lists.prediction holds the paths of all bodies */
    double prediction_horizon; /* s, prediction horizon; 0: none */
    /* m, bound of the deviation of a body from its path since, scaled to a displacement buffer of half the skin;
     * INFINITY: not known */
    double accumulated_deviation;
    bool measured;         /* the deviation of the last step is known */
    double acceleration;   /* m, deviation per step^2, estimated from the last list; < 0: no estimate yet */
    double rebuild_cost;   /* extra cost per step from aging of the last list, in re-listed pairs; 0: unknown */
    size_t neighbor_count; /* pairs of the last neighbor list */
} rps_list_life;

/* The lists that should be built, and how. */
typedef struct rps_list_plan {
    bool candidates, neighbors;           /* to be rebuilt */
    double candidate_skin, neighbor_skin; /* m */
    double horizon;                       /* s */
} rps_list_plan;

void rps_life_begin(rps_list_life *life);
/* Adds the motion of the last step, which world.moved reports. */
void rps_life_add_step(const rps_world *world, const struct rps_cells *cells, rps_list_life *life);
/* Whether the neighbor list holds every pair that may have come into range. */
bool rps_life_neighbors_are_good(const rps_world *world, const struct rps_cells *cells, const rps_list_life *life);
/* Updates the estimates from the neighbor list that ends: acceleration from deviations, cost of aging from the pairs
 * that changed. */
void rps_life_estimate_acceleration(const rps_world *world, rps_list_life *life);
void rps_life_measure_rebuild_cost(const rps_world *world, const size_t changes[RPS_CHANGED_STATES],
                                   rps_list_life *life);
/* Skins and horizon for the present speed. widest: m, of the candidate list. */
void rps_life_choose_skins(const rps_world *world, const struct rps_cells *cells, const rps_list_life *life,
                           double widest, rps_list_plan *plan);
/* m, what remains of the candidate list's skin. */
double rps_life_left(const rps_list_life *life);
/* Chooses a neighbor list within the present candidate list, or sets plan->candidates. */
void rps_life_plan_neighbors(const rps_world *world, const struct rps_cells *cells, const rps_list_life *life,
                             double widest, rps_list_plan *plan);
/* Shortens the horizon of the plan to that of a candidate list with a remaining skin of `left`. */
void rps_life_limit_horizon(const rps_world *world, const rps_list_life *life, double left, rps_list_plan *plan);
/* Bound of the displacement of a body in the coming step (m) if detection precedes motion; else 0. */
double rps_life_displacement_bound(const rps_world *world, const struct rps_cells *cells, const rps_list_life *life);
/* True if a skin covers such a displacement of both bodies. */
bool rps_life_fits(double displacement, double skin);
/* Lists that were just built. */
void rps_life_candidates_built(const rps_world *world, const struct rps_cells *cells, double skin, rps_list_life *life);
void rps_life_neighbors_built(double skin, double horizon, size_t count, rps_list_life *life);

/* m, displacement buffer of a body. half: m, half the neighbor skin; pass: m/s, the largest speed at which a close
 * pair of the body passes; acceleration: m/s^2, of the body; horizon: s; widest: m, also for NaN. */
static inline double rps_life_displacement_buffer(double half, double pass, double acceleration, double horizon,
                                                  double widest) {
    const double wanted = half + (pass + 0.5 * acceleration * horizon) * horizon;
    return wanted < widest ? wanted : widest;
}

#endif
