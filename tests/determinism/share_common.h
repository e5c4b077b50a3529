/*
 * A world spread over several worlds of one program, each stepped by a thread of its own: poses, sums and extremes go
 * from world to world by memory (world/share.h).
 */
#ifndef TESTS_DETERMINISM_SHARE_COMMON_H
#define TESTS_DETERMINISM_SHARE_COMMON_H

#include "../physics/worlds.h"

#include <pthread.h>

#include "world/share.h"

enum { PARTS_MOST = 7 };

/* How the whole world deals its bodies. */
typedef enum deal_by { BY_CHANCE, BY_PLACE } deal_by;

/* Mistakes that must show. */
typedef enum deal_mistake { NO_MISTAKE, ROUNDED_SUMS, ORDER_OF_ARRIVAL, NO_MARGIN } deal_mistake;

typedef struct saved_contact {
    uint64_t gid[2];
    rps_subkey subkey;
    int kind; /* pair of materials and record */
    int lanes;
    double *state;
} saved_contact;

/* The state of a whole world, by true ids. */
typedef struct saved_state {
    uint64_t bodies;
    char **field; /* by number of the field, NULL if it does not travel */
    saved_contact *contact;
    size_t contacts, capacity;
    rps_drive_state *driven;
    size_t drives;
    rps_exact_sum boundary[4], change[RPS_CHANGES];
    bool changed;
    uint64_t steps;
    rps_motion_maxima moved;
} saved_state;

struct spread;

typedef struct part {
    struct spread *spread;
    int number;
    rps_world *world;
    rps_share share;
    uint64_t *gid;      /* by id */
    uint64_t *id_of;    /* by true id; UINT64_MAX: not held */
    rps_exact_sum *sum; /* given by the part at a meeting */
    double *most;
    double speed;               /* m/s, of the own bodies in this step */
    uint64_t steps;             /* to be done */
    const uint64_t (*block)[2]; /* hashes of the blocks of the whole world */
    rps_status status;
    rps_error error;
    rps_ledger ledger;
    uint64_t hash[2];
    pthread_t thread;
} part;

typedef struct spread {
    int parts;
    part part[PARTS_MOST];
    rps_world *whole; /* the bodies are gathered here */
    int *owner;       /* by true id */
    uint64_t deals;
    deal_by by;
    deal_mistake mistake;
    double margin; /* m, of copies */
    double travel; /* m, bound of the displacement of a body since the last deal */
    size_t copies; /* in all deals */
    pthread_mutex_t mutex;
    pthread_cond_t all_here;
    int here;
    uint64_t meetings;
    bool failed;
    saved_state state;
} spread;

typedef rps_world *scene_fn(int threads, uint64_t shuffle);

/* Builds and starts the worlds, and deals for the first time. */
void spread_open(spread *s, scene_fn *scene, int parts, deal_by by, deal_mistake mistake, int threads, uint64_t shuffle,
                 double margin);
/* All parts go on; each then has its ledger and, from the blocks of the whole world, its hash. The first status that
 * is not RPS_OK. */
rps_status spread_advance(spread *s, uint64_t steps, const uint64_t (*block)[2], rps_error *err);
/* Gathers the bodies in s->whole. */
rps_status spread_gather(spread *s, rps_error *err);
/* Gathers them and deals them again. */
rps_status spread_deal(spread *s, rps_error *err);
void spread_close(spread *s);

#endif
