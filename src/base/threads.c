/* Tests whether the system grants more threads than processors: starts that many, waits until all run, and ends them. */
#include "base/threads.h"

#include <omp.h>
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

rps_status rps_threads_take(const char *name, int asked, int *threads, rps_error *err) {
    if (asked < 0 || asked > RPS_THREADS_MOST) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s is %d; expected a count up to %d, or 0 for as many as the machine has processors", name,
                        asked, RPS_THREADS_MOST);
    }
    const int processors = omp_get_num_procs();
    *threads = asked > 0 ? asked : processors;
    if (*threads <= processors) return RPS_OK;
    void *memory;
    const size_t bytes = (size_t)(*threads - 1) * sizeof(pthread_t); /* the caller is one of them */
    int started;
    RPS_TRY(rps_memory_alloc(NULL, bytes, &memory, err));
    const int error = try_threads(memory, *threads - 1, &started);
    rps_memory_release(NULL, memory, bytes);
    if (error == 0) return RPS_OK;
    char cause[RPS_SYSTEM_ERROR];
    return rps_fail(err, RPS_UNSUPPORTED,
                    "the system grants %d threads, not %d (%s); choose %s up to %d, the processors of this machine, or "
                    "raise the limit (ulimit -u, ulimit -v)",
                    started + 1, *threads, rps_system_error(error, cause), name, processors);
}
