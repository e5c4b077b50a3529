/*
 * Schedulers of a host program for tests: tasks one after the other in three orders, and on threads. They count what
 * they are given. Header only, so that other folders of tests can use it.
 */
#ifndef TESTS_UNIT_SCHEDULERS_H
#define TESTS_UNIT_SCHEDULERS_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <repose/scheduler.h>

enum { HOST_OPENMP, HOST_SERIAL, HOST_REVERSED, HOST_RANDOM, HOST_THREADS, HOSTS };

static const char *const host_name[HOSTS] = {"OpenMP", "serial host", "reversed host", "random host",
                                             "host of threads"};

typedef struct host {
    int kind;
    uint64_t calls, random;
} host;

/* The tasks of one call, shared by the threads that run them. */
typedef struct host_tasks {
    rps_task_run task;
    void *argument;
    int tasks, next;
    pthread_mutex_t lock;
} host_tasks;

static inline void *host_work(void *context) {
    host_tasks *t = context;
    for (;;) {
        pthread_mutex_lock(&t->lock);
        const int k = t->next++;
        pthread_mutex_unlock(&t->lock);
        if (k >= t->tasks) return NULL;
        t->task(t->argument, t->tasks - 1 - k);
    }
}

/* The caller and two threads, or those that the system grants. */
static inline void host_run_threads(int tasks, rps_task_run task, void *argument) {
    host_tasks t = {task, argument, tasks, 0, PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[2];
    int started = 0;
    while (started < 2 && pthread_create(&thread[started], NULL, host_work, &t) == 0) started++;
    host_work(&t);
    for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
}

/* A task at a random place among those left is the next. */
static inline void host_run_random(host *h, int tasks, rps_task_run task, void *argument) {
    int order[4096];
    for (int k = 0; k < tasks; k++) order[k] = k;
    for (int left = tasks; left > 0; left--) {
        h->random = h->random * 6364136223846793005u + 1442695040888963407u;
        const int pick = (int)((h->random >> 33) % (uint64_t)left), k = order[pick];
        order[pick] = order[left - 1];
        task(argument, k);
    }
}

static inline void host_run(void *context, int tasks, rps_task_run task, void *argument) {
    host *h = context;
    h->calls++;
    if (h->kind == HOST_THREADS) {
        host_run_threads(tasks, task, argument);
    } else if (h->kind == HOST_RANDOM) {
        host_run_random(h, tasks, task, argument);
    } else {
        for (int k = 0; k < tasks; k++) task(argument, h->kind == HOST_REVERSED ? tasks - 1 - k : k);
    }
}

/* Its calls come from one thread at a time, because they are counted. */
static inline rps_scheduler host_scheduler(host *h, int kind) {
    *h = (host){.kind = kind};
    return kind == HOST_OPENMP ? (rps_scheduler){NULL, NULL} : (rps_scheduler){host_run, h};
}

#endif
