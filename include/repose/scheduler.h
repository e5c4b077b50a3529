/*
 * The threads of a host program in place of the library's own. Without a scheduler the library runs its tasks by OpenMP.
 *
 * A stage of a step is cut into as many tasks as the world has threads. The scheduler runs them; results are the same
 * bits whatever it does with them. dispatch_apply_f, tbb::parallel_for and a pool of threads that takes numbers from
 * a counter fit directly.
 */
#ifndef REPOSE_SCHEDULER_H
#define REPOSE_SCHEDULER_H

#include <repose/status.h>

RPS_BEGIN_DECLS

/* One task of a stage. `argument` is opaque to the scheduler. */
typedef void (*rps_task_run)(void *argument, int task);

/* All zero: OpenMP. */
typedef struct rps_scheduler {
    /* Calls task(argument, k) exactly once for each k = 0 ... tasks - 1 and returns after the last call has ended.
     * The calls may run on any threads, at the same time or one after the other, and in any order: no task waits for
     * another. All that the caller has written must be visible to the tasks, and all that they have written to the
     * caller afterwards, as mutexes, thread creation and join make it. The world's data stays in the caches if task k
     * runs on the same core in every call. May be called from several threads at once if several worlds share it. */
    void (*run)(void *context, int tasks, rps_task_run task, void *argument);
    void *context; /* passed to run; must outlive what uses the scheduler */
} rps_scheduler;

RPS_END_DECLS

#endif
