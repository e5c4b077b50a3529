/*
 * The state of a share, and how bodies come to their processes and back (deal.c).
 */
#ifndef RPS_SPREAD_DEAL_H
#define RPS_SPREAD_DEAL_H

#include <stdio.h>

#include "scene/scene.h"
#include "spread/items.h"
#include "spread/route.h"
#include "world/share.h"

/* Copies, by the order in which their poses are sent and arrive. */
typedef struct rps_halo {
    rps_plan *plan; /* NULL before the first deal */
    size_t sends, takes;
    size_t partners;       /* processes that take some of the sends */
    uint64_t *send, *take; /* ids here */
    size_t bytes;          /* of the message about one copy */
    double *out, *in;
    size_t send_bytes, take_bytes, out_bytes, in_bytes;
} rps_halo;

/* Items that a deal sends; their memory is kept for the next one. */
typedef struct rps_outboxes {
    rps_outbox rows, contacts, copies;
} rps_outboxes;
void rps_outboxes_release(rps_outboxes *out);

/* Wall and processor time (s) of one kind of work, and how often it was done. */
typedef struct rps_spread_time {
    double wall, processor;
    uint64_t times;
} rps_spread_time;

/* Counts and times since the beginning; `steps` contains follow, sums, and deals of shares. */
typedef struct rps_spread_counts {
    rps_spread_time steps, follow, sums, deals, gathers;
    uint64_t bodies, copies, sent,
        messages;      /* own bodies, poses taken and sent, messages about poses, over all steps */
    uint64_t balances; /* deals for balance alone */
} rps_spread_counts;

/* Times and losses since the last deal, by which the next one is chosen (balance.c). None of it affects results. */
typedef struct rps_spread_balance {
    bool working;        /* processor time now goes into steps ... */
    double since;        /* ... since this time (s) */
    double work;         /* s of processor time for steps, without exchange and deals, since the beginning */
    double work_from;    /* at the last deal */
    double work_looked;  /* at the last look */
    double weight;       /* sum of the weights of own bodies at the last deal */
    double deal_seconds; /* of processor time, of the last deal */
    double lost;         /* s, in which the mean process waited for the slowest since the last deal */
    double rate;         /* lost a step before the last deal for balance; 0: none yet */
    double patience;     /* by what the loss must exceed the cost of a deal */
} rps_spread_balance;

/* State that all processes know alike, beside the bodies. It goes from process 0 with the bodies of a whole world. */
typedef struct rps_common_state {
    uint64_t steps, step_from, pieces, drives, ids, stage;
    double step, time_from, gravity[3], cutoff; /* cutoff: the largest of all pairs, over the smaller radius */
    uint64_t setup[2];                          /* hash of the constants of all pairs */
    rps_motion_maxima moved;
    rps_guards guards;
    rps_guard_state guard;
    rps_fluid fluid;
    double *driven;   /* RPS_DRIVEN_NUMBERS a drive */
    rps_piece *piece; /* all of them */
    size_t driven_bytes, piece_bytes;
    /* sums of which process 0 alone keeps what was there; the others begin at 0 */
    rps_exact_sum boundary[RPS_ACCOUNTS], change[RPS_CHANGES];
    bool changed;
} rps_common_state;

/* Last answers of own and common bodies (rps_scene_watch_body), by id here. */
typedef struct rps_watch {
    double *number;
    size_t bytes;
} rps_watch;

typedef struct rps_spread {
    MPI_Comm comm;
    int rank, size;
    FILE *errors;
    rps_route *route;
    MPI_Op most; /* the larger number, NaN the largest */
    rps_row_layout row;
    rps_arena arena;
    rps_outboxes out;
    rps_world *world; /* the share */
    rps_share share[2];
    uint64_t *gid[2]; /* by id here, of the share with this number */
    size_t gid_bytes[2];
    int now;               /* the share that the world has */
    uint64_t ids;          /* of the whole world */
    rps_scene *scene;      /* from which the world is built */
    const rps_scene *told; /* process 0: that of the whole world; others NULL */
    rps_halo halo;
    rps_watch watch;
    double margin, reach; /* m, of copies; how far laws act beyond touch, over the largest radius */
    double mean_radius;   /* m, of free bodies */
    double travel;        /* m, bound of the displacement of a body since the last deal */
    uint64_t deal_every, since;
    bool due;     /* the bodies must be dealt before the next step */
    bool overrun; /* some body moved farther than the margin covers */
    bool limit;   /* the guard `step` is on */
    rps_spread_counts counts;
    rps_spread_balance balance;
} rps_spread;

/* Deals the bodies of all shares. All processes call these. Lists and contacts of the share are made. */
rps_status rps_deal_again(rps_spread *spread, rps_error *err);
/* Deals those of the whole world of process 0 (NULL in others). RPS_UNSUPPORTED, in all processes and before anything has
 * changed, if the world cannot be shared. */
rps_status rps_deal_whole(rps_spread *spread, const rps_world *whole, rps_error *err);
/* Brings all bodies and contacts, with their loads, into a whole world of process 0 (NULL in others): as if it had taken the
 * last step. */
rps_status rps_gather(rps_spread *spread, rps_world *whole, rps_error *err);
void rps_halo_release(rps_halo *halo);

/* common_state.c: reads the whole world of process 0 and sends it to all; the share takes it while it is made. The caller
 * releases it. */
rps_status rps_common_send(rps_spread *spread, const rps_world *whole, rps_common_state *state, rps_error *err);
rps_status rps_common_take(rps_spread *spread, const rps_common_state *state, rps_error *err);
void rps_common_release(rps_common_state *state);

/* watch.c: begins after a deal; asks the bodies after a step, and says in all processes alike whether something passes. */
rps_status rps_watch_begin(rps_spread *spread, rps_error *err);
bool rps_watch_passes(rps_spread *spread);
void rps_watch_release(rps_watch *watch);

/* share_calls.c: the functions of a share; the travel of bodies then counts from 0. */
rps_share rps_spread_share(rps_spread *spread, size_t own, size_t mine, uint64_t bodies, const uint64_t *gid);
/* balance.c: when and how bodies are dealt. All processes call these but the timers together. */
typedef struct rps_spread_timer {
    double wall, processor;
    bool working;
} rps_spread_timer;
/* Time between these is not that of steps, but adds to `time`. */
rps_spread_timer rps_spread_pause_work(rps_spread *spread);
void rps_spread_resume_work(rps_spread *spread, rps_spread_timer timer, rps_spread_time *time);
/* Steps begin and end. */
void rps_spread_work(rps_spread *spread, bool begins);

enum { RPS_BALANCE_STEPS = 32 };
/* After each RPS_BALANCE_STEPS steps: whether a deal for balance is worth its cost. */
bool rps_balance_is_worth(rps_spread *spread);
/* Before a deal of shares: chooses the margin. Returns by what the weights of own bodies are to be multiplied. */
double rps_balance_choose(rps_spread *spread, size_t held);
/* After any deal. */
void rps_balance_begin(rps_spread *spread, double deal_seconds);
/* Bounds the margin by the radii of bodies, and chooses the first. */
void rps_margin_bound(rps_spread *spread);

/* Bytes of the message about one copy in this world. */
size_t rps_halo_item_bytes(const rps_world *world);

#endif
