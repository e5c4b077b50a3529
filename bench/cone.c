/*
 * Times sweeps of the cone solver on a block of spheres that it makes itself, against the memory bandwidth of the same
 * machine in the same run (triad a = b + s c, 24 bytes an element, arrays far out of cache; alternating with the sweeps).
 * Prints for each number of spheres and threads: contacts, ns per contact and sweep, contacts x sweeps per second, bytes
 * moved per contact and sweep, and their share of the triad. Medians of REPEATS alternations, by the wall clock, or with
 * cpu=1 by the processor time of one thread, for a machine that is busy with other work.
 *
 * usage: cone [cpu=1] [threads=N] [SPHERES ...]          default: 10000 100000, up to 2 threads
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "cone/system.h"

enum { REPEATS = 5, SWEEPS = 40 /* with the nine before too few for a look at the residual in between */ };
/* Of a contact: what does not change 184, impulses of the last sweep and the one before 96 read, 96 written. Of a node: a
 * line of 64 read and written, once a sweep at least (three contacts a sphere), and both lines of velocities before it. */
#define BYTES_CONTACT 376.0
#define BYTES_NODE 384.0

static double seconds(bool cpu) {
    struct timespec t;
    clock_gettime(cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double chance(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(41, RPS_RANDOM_TEST, id, n) - 1;
}

typedef struct pile {
    size_t nodes, contacts;
    rps_cone_node *node;
    rps_cone_contact *contact;
    double *v, *r, *slip, *start;
} pile;

static void *need(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (!p) {
        fprintf(stderr, "cone: no memory\n");
        exit(1);
    }
    return p;
}

static void touch(pile *p, size_t a, uint32_t b, int axis) {
    rps_cone_contact *c = &p->contact[p->contacts++];
    *c = (rps_cone_contact){.node = {(uint32_t)a, b}, .c = {0.3, 1e-3, 2e-3}};
    c->n[axis] = 1;
    c->t[(axis + 1) % 3] = 1;
    c->branch[0][axis] = -0.1;
    c->branch[1][axis] = 0.1;
}

/* A cube of touching spheres on the ground, in random motion downwards. */
static void make_pile(pile *p, size_t spheres) {
    size_t side = (size_t)cbrt((double)spheres);
    p->nodes = spheres;
    p->contacts = 0;
    p->node = need(spheres, sizeof *p->node);
    p->contact = need(3 * spheres, sizeof *p->contact);
    p->v = need(6 * spheres, sizeof(double));
    p->start = need(6 * spheres, sizeof(double));
    p->r = need(18 * spheres, sizeof(double));
    p->slip = need(3 * spheres, sizeof(double));
    for (size_t k = 0; k < spheres; k++) {
        p->node[k] = (rps_cone_node){1, {250, 250, 250}};
        for (size_t a = 0; a < 6; a++) {
            p->start[6 * k + a] = (a < 3 ? 0.02 : 0.3) * chance(k, a) - (a == 2 ? 0.05 : 0);
        }
        size_t across[3] = {1, side, side * side}, at[3] = {k % side, k / side % side, k / side / side};
        for (int a = 0; a < 3; a++) {
            if (at[a] > 0) {
                touch(p, k, (uint32_t)(k - across[a]), a);
            }
        }
        if (at[2] == 0) {
            touch(p, k, RPS_CONE_NO_NODE, 2);
        }
    }
}

static void free_pile(pile *p) {
    free(p->node);
    free(p->contact);
    free(p->v);
    free(p->start);
    free(p->r);
    free(p->slip);
}

/* Seconds of one sweep: the difference of a long and a short solution, which takes out set-up and the last residual. */
static double time_sweep(rps_cone_system *system, pile *p, bool cpu) {
    double taken[2];
    for (int k = 0; k < 2; k++) {
        rps_cone_options options = {RPS_CONE_COULOMB, RPS_CONE_NSGS, 1e-300, k ? 9 + SWEEPS : 9, 0, false};
        rps_cone_result result;
        rps_error err;
        memcpy(p->v, p->start, 6 * p->nodes * sizeof(double));
        memset(p->r, 0, 6 * p->contacts * sizeof(double));
        double from = seconds(cpu);
        if (rps_cone_system_solve(system, &options, p->v, p->r, p->slip, NULL, &result, &err) != RPS_OK) {
            fprintf(stderr, "cone: %s\n", err.text);
            exit(1);
        }
        taken[k] = seconds(cpu) - from;
    }
    return (taken[1] - taken[0]) / SWEEPS;
}

/* Bytes per second. */
static double triad(double *a, const double *b, const double *c, size_t n, int threads, bool cpu) {
    double from = seconds(cpu);
#pragma omp parallel for simd schedule(static) num_threads(threads) if (threads > 1)
    for (size_t k = 0; k < n; k++) {
        a[k] = b[k] + 3.0 * c[k];
    }
    return 24.0 * (double)n / (seconds(cpu) - from);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x) {
    qsort(x, REPEATS, sizeof *x, compare);
    return x[REPEATS / 2];
}

static void measure(size_t spheres, int threads, bool cpu, double *const array[3], size_t n) {
    pile p;
    rps_cone_system *system;
    rps_error err;
    double sweep[REPEATS], stream[REPEATS];
    make_pile(&p, spheres);
    if (rps_cone_system_make(&system, NULL, NULL, p.node, p.nodes, p.contact, p.contacts, NULL, 0,
                             (rps_workers){.count = threads}, &err) != RPS_OK) {
        fprintf(stderr, "cone: %s\n", err.text);
        exit(1);
    }
    for (int k = 0; k < REPEATS; k++) {
        sweep[k] = time_sweep(system, &p, cpu);
        stream[k] = triad(array[0], array[1], array[2], n, threads, cpu);
    }
    double bytes = BYTES_CONTACT + BYTES_NODE * (double)p.nodes / (double)p.contacts, s = median(sweep);
    double per_contact = s / (double)p.contacts, bandwidth = median(stream);
    printf("%8zu %8zu %7d %10.1f %14.3e %8.0f %10.1f %7.0f %%\n", p.nodes, p.contacts, threads, 1e9 * per_contact,
           1 / per_contact, bytes, 1e-9 * bandwidth, 100 * bytes / per_contact / bandwidth);
    rps_cone_system_release(system);
    free_pile(&p);
}

int main(int argc, char **argv) {
    size_t size[16] = {10000, 100000}, sizes = 2, given = 0, n = (size_t)1 << 25;
    int most = 2;
    bool cpu = false;
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "threads=", 8) == 0) {
            most = atoi(argv[k] + 8);
        } else if (strncmp(argv[k], "cpu=", 4) == 0) {
            cpu = atoi(argv[k] + 4) == 1;
        } else if (given < 16) {
            size[given++] = strtoull(argv[k], NULL, 10);
            sizes = given;
        }
    }
    double *array[3];
    for (int k = 0; k < 3; k++) {
        array[k] = need(n, sizeof(double));
        for (size_t i = 0; i < n; i++) {
            array[k][i] = (double)i;
        }
    }
    printf("%8s %8s %7s %10s %14s %8s %10s %9s\n", "spheres", "contacts", "threads", "ns/contact", "contacts*it/s",
           "bytes", "triad GB/s", "of triad");
    for (size_t k = 0; k < sizes; k++) {
        for (int threads = 1; threads <= (cpu ? 1 : most); threads++) {
            measure(size[k], threads, cpu, array, n);
        }
    }
    return 0;
}
