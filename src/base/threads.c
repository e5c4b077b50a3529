/* Tests whether the system grants more threads than processors: starts that many, waits until all run, and ends them.
 * The threads of a scheduler are its own; it is given tasks that count their calls. */
#include "base/threads.h"

#include <pthread.h>

#include "base/array.h"
#include "base/c_locale.h"

static void *wait_for_all(void *context) {
    pthread_mutex_t *all_are_there = context;
    pthread_mutex_lock(all_are_there);
    pthread_mutex_unlock(all_are_there);
    return NULL;
}

/* 0, or the errno with which the system refused the thread after *started. */
static int try_threads(pthread_t *thread, int wanted, int *started) {
    pthread_mutex_t all_are_there = PTHREAD_MUTEX_INITIALIZER;
    int error = 0;
    pthread_mutex_lock(&all_are_there);
    for (*started = 0; *started < wanted && error == 0; *started += error == 0) {
        error = pthread_create(&thread[*started], NULL, wait_for_all, &all_are_there);
    }
    pthread_mutex_unlock(&all_are_there);
    for (int k = 0; k < *started; k++) pthread_join(thread[k], NULL);
    pthread_mutex_destroy(&all_are_there);
    return error;
}

static rps_status check_system(const char *name, int processors, int threads, rps_error *err) {
    void *memory;
    const size_t bytes = (size_t)(threads - 1) * sizeof(pthread_t); /* the caller is one of them */
    int started;
    RPS_TRY(rps_memory_alloc(NULL, bytes, &memory, err));
    const int error = try_threads(memory, threads - 1, &started);
    rps_memory_release(NULL, memory, bytes);
    if (error == 0) return RPS_OK;
    char cause[RPS_SYSTEM_ERROR];
    return rps_fail(err, RPS_UNSUPPORTED,
                    "the system grants %d threads, not %d (%s); choose %s up to %d, the processors of this machine, or "
                    "raise the limit (ulimit -u, ulimit -v)",
                    started + 1, threads, rps_system_error(error, cause), name, processors);
}

typedef struct trial {
    int tasks;
    rps_counter calls[RPS_THREADS_MOST], others;
} trial;

static void count_call(void *argument, int task) {
    trial *t = argument;
    rps_counter_take(task >= 0 && task < t->tasks ? &t->calls[task] : &t->others);
}

static rps_status check_scheduler(const rps_scheduler *scheduler, int tasks, rps_error *err) {
    trial t = {.tasks = tasks};
    rps_parallel_run((rps_workers){tasks, *scheduler}, count_call, &t);
    if (rps_counter_take(&t.others) > 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the scheduler has %d tasks to run and ran one of another number; it must run tasks 0 to %d",
                        tasks, tasks - 1);
    }
    for (int k = 0; k < tasks; k++) {
        const size_t calls = rps_counter_take(&t.calls[k]);
        if (calls == 1) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "the scheduler has %d tasks to run and returned when task %d had run %zu times; it must run each "
            "once and wait for all",
            tasks, k, calls);
    }
    return RPS_OK;
}

rps_status rps_threads_take(const char *name, int asked, const rps_scheduler *scheduler, int *threads, rps_error *err) {
    if (asked < 0 || asked > RPS_THREADS_MOST) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s is %d; expected a count up to %d, or 0 for as many as the machine has processors", name,
                        asked, RPS_THREADS_MOST);
    }
    if (scheduler->run == NULL && scheduler->context != NULL) {
        return rps_fail(err, RPS_BAD_INPUT, "the scheduler has a context but no function `run`; give both or neither");
    }
    const int processors = rps_processors();
    *threads = asked > 0 ? asked : processors;
    if (scheduler->run != NULL) return check_scheduler(scheduler, *threads, err);
    return *threads <= processors ? RPS_OK : check_system(name, processors, *threads, err);
}
