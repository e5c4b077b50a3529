/*
 * Tallies of bodies that pass: how many, their mass and their age, by group, in total and over a window of time.
 *
 * A tally is fed in an order that depends on ids alone, so its sums have the same bits on any number of threads. The
 * window needs single events: one for each step and group in which something passed, as long as it is inside.
 */
#ifndef RPS_SCENE_TALLY_H
#define RPS_SCENE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* Numbers that passed; those against the sense of a plane count negative. */
typedef struct rps_tally_sum {
    double number, mass, age; /* 1, kg, s: the sum over the bodies */
} rps_tally_sum;

typedef struct rps_tally_event {
    uint64_t step;
    int group;
    rps_tally_sum sum;
} rps_tally_event;

typedef struct rps_tally {
    uint64_t begun;  /* the step after which it began to count: of a fork, else 0 */
    uint64_t since;  /* no earlier event is known; not before `begun` */
    uint64_t window; /* steps for which events are kept; 0: none is */
    void *total;     /* rps_tally_sum by group */
    size_t groups, total_bytes;
    void *event; /* rps_tally_event, from `first` on, by rising step */
    size_t first, events, event_bytes;
} rps_tally;

/* Takes over the counts of another, with its groups renumbered: group_of by theirs, -1 for one that is not here. *missing is
 * the first that would be needed, -1 if there is none; then nothing is taken. */
rps_status rps_tally_carry(const rps_allocator *allocator, rps_tally *tally, const rps_tally *from, const int *group_of,
                           uint64_t step, int *missing, rps_error *err);
void rps_tally_release(const rps_allocator *allocator, rps_tally *tally);
/* Adds bodies of a group, 0 or above, that passed in the step with this number, not below those before it. */
rps_status rps_tally_add(const rps_allocator *allocator, rps_tally *tally, uint64_t step, int group,
                         const rps_tally_sum *sum, rps_error *err);
/* The sum of a group, or of all (group -1), since the start. */
rps_tally_sum rps_tally_total(const rps_tally *tally, int group);
/* The same over the last `window` steps up to `step`, at most tally->window. */
rps_tally_sum rps_tally_recent(const rps_tally *tally, int group, uint64_t step, uint64_t window);

/* As rows of numbers in a checkpoint: a number of the caller's, the step of an event, group, number, mass, age. */
enum { RPS_TALLY_TOTAL_ROW = 5, RPS_TALLY_EVENT_ROW = 6 };
size_t rps_tally_totals(const rps_tally *tally); /* how many rows */
size_t rps_tally_events(const rps_tally *tally);
void rps_tally_put_totals(const rps_tally *tally, double of, double *row);
void rps_tally_put_events(const rps_tally *tally, double of, double *row);
/* Adds a row of a world with so many groups; *sound is false, and nothing is added, if it makes no sense. */
rps_status rps_tally_take_total(const rps_allocator *allocator, rps_tally *tally, size_t groups, const double *row,
                                bool *sound, rps_error *err);
rps_status rps_tally_take_event(const rps_allocator *allocator, rps_tally *tally, size_t groups, const double *row,
                                bool *sound, rps_error *err);

#endif
