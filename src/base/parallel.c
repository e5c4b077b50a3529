/* Tasks by OpenMP or by the scheduler of a host program. */
#include "base/parallel.h"

#include <omp.h>

/* OpenMP grants fewer threads inside another parallel region. */
static void run_by_openmp(int tasks, rps_task_run task, void *argument) {
#pragma omp parallel num_threads(tasks)
    for (int k = omp_get_thread_num(); k < tasks; k += omp_get_num_threads()) task(argument, k);
}

void rps_parallel_run(rps_workers workers, rps_task_run task, void *context) {
    if (workers.count < 2) {
        task(context, 0);
    } else if (workers.scheduler.run != NULL) {
        workers.scheduler.run(workers.scheduler.context, workers.count, task, context);
    } else {
        run_by_openmp(workers.count, task, context);
    }
}

typedef struct shared_range {
    rps_part_fn *part;
    void *context;
    size_t count;
    int workers;
} shared_range;

static void run_part(void *argument, int worker) {
    const shared_range *range = argument;
    range->part(range->context, (rps_part){worker, rps_part_begin(range->count, worker, range->workers),
                                           rps_part_begin(range->count, worker + 1, range->workers)});
}

void rps_parallel_for(rps_workers workers, size_t count, rps_part_fn *part, void *context) {
    if (workers.count < 2) {
        part(context, (rps_part){0, 0, count});
        return;
    }
    shared_range range = {part, context, count, workers.count};
    rps_parallel_run(workers, run_part, &range);
}

typedef struct shared_items {
    rps_item_fn *item;
    void *context;
    size_t count;
    rps_counter counter;
} shared_items;

static void run_items(void *argument, int worker) {
    shared_items *items = argument;
    (void)worker;
    for (size_t k; (k = rps_counter_take(&items->counter)) < items->count;) items->item(items->context, k);
}

void rps_parallel_each(rps_workers workers, size_t count, rps_item_fn *item, void *context) {
    if (workers.count < 2 || count < 2) {
        for (size_t k = 0; k < count; k++) item(context, k);
        return;
    }
    shared_items items = {item, context, count, {0}};
    rps_parallel_run(workers, run_items, &items);
}

/* One barrier between stages costs half as much as the end of a region and the begin of another. */
static void run_stages_by_openmp(int tasks, size_t stages, rps_stage_fn *stage, void *context) {
#pragma omp parallel num_threads(tasks)
    for (size_t s = 0; s < stages; s++) {
        for (int k = omp_get_thread_num(); k < tasks; k += omp_get_num_threads()) stage(context, s, k);
        if (s + 1 == stages) continue;
#pragma omp barrier
    }
}

typedef struct one_stage {
    rps_stage_fn *stage;
    void *context;
    size_t number;
} one_stage;

static void run_stage(void *argument, int worker) {
    const one_stage *one = argument;
    one->stage(one->context, one->number, worker);
}

void rps_parallel_stages(rps_workers workers, size_t stages, rps_stage_fn *stage, void *context) {
    if (workers.count > 1 && workers.scheduler.run == NULL) {
        run_stages_by_openmp(workers.count, stages, stage, context);
        return;
    }
    for (size_t s = 0; s < stages; s++) {
        one_stage one = {stage, context, s};
        rps_parallel_run(workers, run_stage, &one);
    }
}

size_t rps_counter_take(rps_counter *counter) {
    return __atomic_fetch_add(&counter->next, 1, __ATOMIC_RELAXED);
}

void rps_lock_take(rps_lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}

void rps_lock_give(rps_lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

int rps_processors(void) {
    return omp_get_num_procs();
}
