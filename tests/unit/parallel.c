/* Tasks of src/base/parallel.c, by OpenMP and by the schedulers of a host program: each once, with the right numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <repose/world.h>

#include "base/parallel.h"
#include "base/threads.h"
#include "schedulers.h"

enum { MOST = 1000, WORKERS = 7 };

static const int some_workers[] = {0, 1, 2, 3, WORKERS};
static const size_t some_counts[] = {0, 1, 2, 5, MOST};

/* Counts by item and worker. Nothing here is shared between two tasks that follow the rules. */
typedef struct seen {
    int item[MOST], worker[WORKERS];
    rps_part part[WORKERS];
    rps_workers inner; /* of a call inside each task */
    rps_counter nested;
} seen;

static void see_part(void *context, rps_part part) {
    seen *s = context;
    if (part.worker < 0 || part.worker >= WORKERS) abort(); /* cmocka fails in the main thread alone */
    s->worker[part.worker]++;
    s->part[part.worker] = part;
    for (size_t k = part.begin; k < part.end; k++) s->item[k]++;
}

static void see_item(void *context, size_t item) {
    ((seen *)context)->item[item]++;
}

static void see_worker(void *context, int worker) {
    if (worker < 0 || worker >= WORKERS) abort();
    ((seen *)context)->worker[worker]++;
}

static void count_nested(void *context, int worker) {
    (void)worker;
    rps_counter_take(&((seen *)context)->nested);
}

static void see_worker_nested(void *context, int worker) {
    seen *s = context;
    see_worker(s, worker);
    rps_parallel_run(s->inner, count_nested, s);
}

/* Calls `check` for all schedulers and numbers of workers. */
static void for_all(void (*check)(rps_workers workers, int count)) {
    for (int kind = 0; kind < HOSTS; kind++) {
        for (size_t w = 0; w < sizeof some_workers / sizeof *some_workers; w++) {
            host h;
            const int count = some_workers[w] > 1 ? some_workers[w] : 1;
            check((rps_workers){some_workers[w], host_scheduler(&h, kind)}, count);
            /* one worker needs no scheduler, and others are in its hands */
            if (kind != HOST_OPENMP && (h.calls > 0) != (count > 1)) {
                fail_msg("%s with %d workers was called %d times", host_name[kind], count, (int)h.calls);
            }
        }
    }
}

static void check_parts(rps_workers workers, int count) {
    for (size_t c = 0; c < sizeof some_counts / sizeof *some_counts; c++) {
        seen s = {.inner = {3, {NULL, NULL}}};
        const size_t items = some_counts[c];
        rps_parallel_for(workers, items, see_part, &s);
        for (size_t k = 0; k < MOST; k++) assert_int_equal(s.item[k], k < items);
        for (int w = 0; w < WORKERS; w++) assert_int_equal(s.worker[w], w < count);
        for (int w = 0; w < count; w++) { /* in order, without gaps, none longer than another by more than one */
            const size_t length = s.part[w].end - s.part[w].begin;
            assert_int_equal(s.part[w].worker, w);
            assert_int_equal(s.part[w].begin, w > 0 ? s.part[w - 1].end : 0);
            assert_true(length == items / (size_t)count || length == items / (size_t)count + 1);
        }
        assert_int_equal(s.part[count - 1].end, items);
    }
}

static void check_each(rps_workers workers, int count) {
    (void)count;
    for (size_t c = 0; c < sizeof some_counts / sizeof *some_counts; c++) {
        seen s = {.inner = {3, {NULL, NULL}}};
        rps_parallel_each(workers, some_counts[c], see_item, &s);
        for (size_t k = 0; k < MOST; k++) assert_int_equal(s.item[k], k < some_counts[c]);
    }
}

/* Inside a task all workers are given their tasks too, whether there are threads left or not. */
static void check_run(rps_workers workers, int count) {
    seen s = {.inner = {3, {NULL, NULL}}};
    rps_parallel_run(workers, see_worker_nested, &s);
    for (int w = 0; w < WORKERS; w++) assert_int_equal(s.worker[w], w < count);
    assert_int_equal(rps_counter_take(&s.nested), 3 * count);
}

/* Every worker of a stage sees what all have done in the last one. */
typedef struct relay {
    int count, done[MOST][WORKERS];
} relay;

static void pass_on(void *context, size_t stage, int worker) {
    relay *r = context;
    int sum = 1;
    for (int w = 0; w < r->count && stage > 0; w++) sum += r->done[stage - 1][w];
    r->done[stage][worker] += sum % 1000;
}

static void check_stages(rps_workers workers, int count) {
    static relay r;
    for (size_t stages = 0; stages < 40; stages += 13) {
        int expected = 0;
        memset(&r, 0, sizeof r);
        r.count = count;
        rps_parallel_stages(workers, stages, pass_on, &r);
        for (size_t s = 0; s < stages; s++) {
            expected = (1 + count * expected) % 1000;
            for (int w = 0; w < WORKERS; w++) assert_int_equal(r.done[s][w], w < count ? expected : 0);
        }
    }
}

static void test_stages(void **state) {
    (void)state;
    for_all(check_stages);
}

static void test_parts(void **state) {
    (void)state;
    for_all(check_parts);
}

static void test_each(void **state) {
    (void)state;
    for_all(check_each);
}

static void test_run(void **state) {
    (void)state;
    for_all(check_run);
}

/* By OpenMP, task k of every call runs on one thread, whose caches hold its part. */
typedef struct homes {
    pthread_t thread[2][WORKERS];
    int call;
} homes;

static void note_home(void *context, int worker) {
    homes *h = context;
    h->thread[h->call][worker] = pthread_self();
}

static void test_same_thread(void **state) {
    (void)state;
    homes h;
    for (h.call = 0; h.call < 2; h.call++) rps_parallel_run((rps_workers){.count = WORKERS}, note_home, &h);
    for (int w = 0; w < WORKERS; w++) {
        assert_true(pthread_equal(h.thread[0][w], h.thread[1][w]));
        for (int other = 0; other < w; other++) assert_false(pthread_equal(h.thread[0][w], h.thread[0][other]));
    }
}

typedef struct sum {
    rps_lock lock;
    long value;
} sum;

static void add_behind_lock(void *context, size_t item) {
    sum *s = context;
    rps_lock_take(&s->lock);
    s->value += (long)item;
    rps_lock_give(&s->lock);
}

static void check_lock(rps_workers workers, int count) {
    (void)count;
    sum s = {.lock = RPS_LOCK_OPEN};
    rps_parallel_each(workers, MOST, add_behind_lock, &s);
    assert_int_equal(s.value, MOST * (MOST - 1) / 2);
}

static void test_lock(void **state) {
    (void)state;
    for_all(check_lock);
}

/* --- schedulers that break the rules ------------------------------------------------------------------------------ */

static void drop_last(void *context, int tasks, rps_task_run task, void *argument) {
    (void)context;
    for (int k = 0; k + 1 < tasks; k++) task(argument, k);
}

static void repeat_first(void *context, int tasks, rps_task_run task, void *argument) {
    (void)context;
    task(argument, 0);
    for (int k = 0; k < tasks; k++) task(argument, k);
}

static void count_from_one(void *context, int tasks, rps_task_run task, void *argument) {
    (void)context;
    for (int k = 1; k <= tasks; k++) task(argument, k);
}

static void refuse(rps_scheduler scheduler, const char *words) {
    rps_error err;
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-4;
    options.threads = 4;
    options.scheduler = scheduler;
    assert_int_equal(rps_world_create(&options, &world, &err), RPS_BAD_INPUT);
    assert_null(world);
    if (!strstr(err.text, words)) fail_msg("expected \"%s\" in\n%s", words, err.text);
}

static void test_refusals(void **state) {
    (void)state;
    int context;
    refuse((rps_scheduler){NULL, &context}, "the scheduler has a context but no function `run`");
    refuse((rps_scheduler){drop_last, NULL}, "has 4 tasks to run and returned when task 3 had run 0 times");
    refuse((rps_scheduler){repeat_first, NULL}, "has 4 tasks to run and returned when task 0 had run 2 times");
    refuse((rps_scheduler){count_from_one, NULL}, "has 4 tasks to run and ran one of another number");
}

/* The threads are the host's, so the system is not asked for them. */
static void test_count(void **state) {
    (void)state;
    host h;
    int threads;
    rps_error err;
    const rps_scheduler serial = host_scheduler(&h, HOST_SERIAL);
    assert_int_equal(rps_threads_take("threads", RPS_THREADS_MOST, &serial, &threads, &err), RPS_OK);
    assert_int_equal(threads, RPS_THREADS_MOST);
    assert_int_equal(h.calls, 1); /* the trial */
    assert_int_equal(rps_threads_take("threads", RPS_THREADS_MOST + 1, &serial, &threads, &err), RPS_BAD_INPUT);
    assert_int_equal(rps_threads_take("threads", 0, &serial, &threads, &err), RPS_OK);
    assert_int_equal(threads, rps_processors());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_each),
                                       cmocka_unit_test(test_run),   cmocka_unit_test(test_stages),
                                       cmocka_unit_test(test_lock),  cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_count), cmocka_unit_test(test_same_thread)};
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
