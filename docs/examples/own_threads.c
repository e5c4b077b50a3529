/* The threads of a program step a world: a small pool serves as the scheduler, and the state is the one that OpenMP
 * gives. Build: cc own_threads.c $(pkg-config --cflags --libs repose) -pthread */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

enum { THREADS = 4, SIDE = 12, BALLS = SIDE * SIDE * SIDE };

static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

/* --- the pool ----------------------------------------------------------------------------------------------------- */

/* Threads that take the tasks of one call after the other. */
typedef struct pool {
    pthread_t thread[THREADS - 1]; /* the caller works too */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    rps_task_run task;
    void *argument;
    int tasks, next, left; /* of the present call: in all, not yet taken, not yet ended */
    unsigned long calls;
    bool quit;
} pool;

/* Runs one task. The lock is held before and after, not during the task. */
static void run_next(pool *p) {
    const int k = p->next++;
    pthread_mutex_unlock(&p->lock);
    p->task(p->argument, k);
    pthread_mutex_lock(&p->lock);
    if (--p->left == 0) pthread_cond_signal(&p->done);
}

static void *serve(void *context) {
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (p->next < p->tasks) {
            run_next(p);
        } else {
            pthread_cond_wait(&p->work, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The function that the library calls: all tasks, once each, and back when they have ended. */
static void run(void *context, int tasks, rps_task_run task, void *argument) {
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->argument = argument;
    p->next = 0;
    p->tasks = p->left = tasks;
    p->calls++;
    pthread_cond_broadcast(&p->work);
    while (p->next < p->tasks) run_next(p);
    while (p->left > 0) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pool_start(pool *p) {
    for (int k = 0; k < THREADS - 1; k++) {
        if (pthread_create(&p->thread[k], NULL, serve, p) == 0) continue;
        fprintf(stderr, "the system grants only %d threads\n", k);
        exit(1);
    }
}

static void pool_stop(pool *p) {
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < THREADS - 1; k++) pthread_join(p->thread[k], NULL);
}

/* --- the world ---------------------------------------------------------------------------------------------------- */

/* Balls fall on the ground. With fewer than a thousand bodies a step would not be shared. */
static void step_world(rps_scheduler scheduler, uint64_t hash[2]) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.gravity[2] = -9.81;
    options.threads = THREADS; /* tasks of each stage */
    options.scheduler = scheduler;
    must(rps_world_create(&options, &world, &err));
    rps_material clay = {.size = sizeof clay, .name = "clay", .young = 1e6, .poisson = 0.3, .density = 2000.0};
    must(rps_world_add_material(world, &clay, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_body_def body = rps_body_plane(0, 0, 1);
    must(rps_world_add_body(world, &body, NULL, &err));
    body = rps_body_sphere(0.01);
    for (int n = 0; n < BALLS; n++) {
        body.position[0] = 0.0201 * (n % SIDE);
        body.position[1] = 0.0201 * (n / SIDE % SIDE);
        body.position[2] = 0.0101 + 0.0201 * (n / SIDE / SIDE);
        must(rps_world_add_body(world, &body, NULL, &err));
    }
    must(rps_world_step(world, 1000, &err));
    must(rps_world_hash(world, hash, &err));
    rps_world_destroy(world);
}

int main(void) {
    pool p = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    uint64_t mine[2], openmp[2];
    pool_start(&p);
    step_world((rps_scheduler){run, &p}, mine);
    pool_stop(&p);
    step_world((rps_scheduler){NULL, NULL}, openmp);
    const bool same = mine[0] == openmp[0] && mine[1] == openmp[1];
    printf("the pool ran %lu stages; the state is %s\n", p.calls,
           same ? "that of OpenMP" : "another than that of OpenMP");
    return same ? 0 : 1;
}
