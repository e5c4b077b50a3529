/*
 * Work on several threads: no other part of the library opens a parallel region.
 *
 * A call runs its tasks and returns when all have ended. OpenMP runs task k on thread k, so that task k of every call
 * finds the data of task k of the last call in its core's caches. The scheduler of a host program may run tasks on any
 * threads, in any order, even one after the other. So no task may wait for another: where all must have finished
 * before any goes on, there are two calls. Results must not depend on which task did something first: tasks write to
 * places of their own, or combine exactly (a maximum, an exact sum) behind a lock.
 */
#ifndef RPS_BASE_PARALLEL_H
#define RPS_BASE_PARALLEL_H

#include <pthread.h>
#include <stddef.h>

#include <repose/scheduler.h>

/* The most tasks of a call. A count that changes from call to call is slow, because OpenMP then ends threads and
 * starts others: use all workers of a world, or one. */
typedef struct rps_workers {
    int count; /* below 2: the caller alone, in a plain call */
    rps_scheduler scheduler;
} rps_workers;

/* A range of indices, one for each worker, which differ in length by one at most and may be empty. */
typedef struct rps_part {
    int worker;
    size_t begin, end;
} rps_part;

typedef void rps_part_fn(void *context, rps_part part);
typedef void rps_item_fn(void *context, size_t item);

/* The first index of a part. */
static inline size_t rps_part_begin(size_t count, int worker, int workers) {
    return count / (size_t)workers * (size_t)worker + count % (size_t)workers * (size_t)worker / (size_t)workers;
}

/* Calls task(context, worker) for each worker. */
void rps_parallel_run(rps_workers workers, rps_task_run task, void *context);
/* Calls `part` for each worker, with its part of 0 ... count - 1, even if that is empty. */
void rps_parallel_for(rps_workers workers, size_t count, rps_part_fn *part, void *context);
/* Calls `item` for each of 0 ... count - 1; workers that are free take the next. For items of unequal cost. */
void rps_parallel_each(rps_workers workers, size_t count, rps_item_fn *item, void *context);

/* Calls stage(context, s, worker) for each worker, for s = 0 ... stages - 1, and no stage begins before the last has
 * ended. The same as `stages` calls of rps_parallel_run, but OpenMP opens one region for all. */
typedef void rps_stage_fn(void *context, size_t stage, int worker);
void rps_parallel_stages(rps_workers workers, size_t stages, rps_stage_fn *stage, void *context);

/* Hands out 0, 1, 2 ... to tasks. Starts as {0}. */
typedef struct rps_counter {
    size_t next;
} rps_counter;
size_t rps_counter_take(rps_counter *counter);

/* Guards what tasks combine. Starts as RPS_LOCK_OPEN. */
typedef struct rps_lock {
    pthread_mutex_t mutex;
} rps_lock;
#define RPS_LOCK_OPEN \
    { PTHREAD_MUTEX_INITIALIZER }
void rps_lock_take(rps_lock *lock);
void rps_lock_give(rps_lock *lock);

/* Processors that the process may use. */
int rps_processors(void);

#endif
