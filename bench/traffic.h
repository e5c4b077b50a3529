/*
 * The time of a step that only moves its numbers: the arrays of a world that has been stepped, in the order in which
 * a step goes through them, with next to no arithmetic. Measured for each part by itself and for all of them in a
 * row, best of REPEATS. It is the roof that memory sets to the present layout, on the machine as it is at that
 * moment.
 *
 *   state     lanes of contacts, read and written back, batch by batch
 *   poses     of both bodies of each contact, read
 *   loads     a line for each contact and body, written as a step writes them
 *   sums      those lines read by bodies, with all else that the second half of motion reads and writes
 *   start     all that the first half of motion reads and writes
 */
#ifndef RPS_BENCH_TRAFFIC_H
#define RPS_BENCH_TRAFFIC_H

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/simd.h"
#include "world/world.h"

enum { TRAFFIC_REPEATS = 7, TRAFFIC_PARTS = 5, TRAFFIC_AHEAD = 24 };
static const char *const traffic_part[TRAFFIC_PARTS] = {"state", "poses", "loads", "sums", "start"};

/* x + 0, which the compiler must not know. */
static volatile double traffic_nothing = 0.0;

static void traffic_state(const rps_segment *s, size_t place, size_t lanes, double nothing) {
    for (size_t l = 0; l < lanes; l++) {
        double *x = s->state + l * s->capacity + place;
        for (int c = 0; c < RPS_BATCH; c += 4) *(rps_simd4 *)(x + c) += nothing;
    }
}

static double traffic_poses(const rps_world *world, const rps_segment *s, size_t place, size_t n) {
    const rps_pose *pose = world->bodies.pose;
    const size_t last = s->capacity - 1;
    double sum = 0.0;
    for (size_t e = place; e < place + n; e++) {
        const size_t ahead = e + TRAFFIC_AHEAD < last ? e + TRAFFIC_AHEAD : last;
        __builtin_prefetch(&pose[s->slot_i[ahead]]);
        __builtin_prefetch(&pose[s->slot_j[ahead]]);
        sum += pose[s->slot_i[e]].position[0] + pose[s->slot_j[e]].position[0];
    }
    return sum;
}

static void traffic_loads(const rps_contacts *contacts, size_t entry, size_t n, double nothing) {
    const rps_simd4 zero = {nothing, nothing, nothing, nothing};
    for (size_t e = entry; e < entry + n; e++) {
        for (int side = 0; side < 2 && contacts->was_active[e]; side++) {
            rps_simd4 *to = (rps_simd4 *)&contacts->load[contacts->place[e][side]];
            if (contacts->streams) {
                RPS_STREAM4(to, zero);
                RPS_STREAM4(to + 1, zero);
            } else {
                to[0] = to[1] = zero;
            }
        }
    }
}

static void traffic_sums(rps_world *world, size_t s, double nothing) {
    const rps_contacts *contacts = &world->contacts;
    rps_bodies *b = &world->bodies;
    rps_simd4 force = {nothing}, torque = {nothing};
    for (size_t line = contacts->row[s][0]; line < contacts->row[s + 1][0]; line++) {
        __builtin_prefetch(&contacts->load[line] + TRAFFIC_AHEAD);
        if (!contacts->has_load[line]) continue;
        const rps_simd4 *load = (const rps_simd4 *)&contacts->load[line];
        force += load[0];
        torque += load[1];
    }
    rps_simd4 *load = (rps_simd4 *)&b->load[s], *motion = (rps_simd4 *)&b->motion[s];
    load[0] = force;
    load[1] = torque;
    for (int k = 0; k < 2; k++) motion[k] += nothing;
    for (int k = 0; k < 4; k++) b->dissipated[s][k] += nothing;
}

static void traffic_start(rps_world *world, size_t s, double nothing) {
    rps_bodies *b = &world->bodies;
    const rps_simd4 *load = (const rps_simd4 *)&b->load[s];
    rps_simd4 *motion = (rps_simd4 *)&b->motion[s], *pose = (rps_simd4 *)&b->pose[s];
    for (int k = 0; k < 2; k++) motion[k] += nothing * load[k];
    for (int k = 0; k < 2; k++) pose[k] += nothing;
    for (int k = 0; k < 4; k++) b->orientation[s][k] += nothing;
}

/* One pass; with part < 0 all of them. */
static void traffic_pass(rps_world *world, int part) {
    const double nothing = traffic_nothing;
    const rps_contacts *contacts = &world->contacts;
    const size_t bodies = world->bodies.count;
    double seen = 0.0;
    for (size_t k = 0; k < contacts->segments && (part < 0 || part < 3); k++) {
        const rps_segment *s = &contacts->segment[k];
        const size_t lanes = (size_t)world->pair_setup[s->pair].layout[s->record].lanes;
#pragma omp parallel for schedule(static) num_threads(world->threads) reduction(+ : seen)
        for (size_t place = 0; place < s->count; place += RPS_BATCH) {
            const size_t n = s->count - place < RPS_BATCH ? s->count - place : RPS_BATCH;
            uint8_t any = 0;
            for (size_t e = 0; e < n; e++) any |= contacts->was_active[s->begin + place + e];
            if (part < 0 || part == 1) seen += traffic_poses(world, s, place, n);
            if (!any) continue;
            if (part < 0 || part == 0) traffic_state(s, place, lanes, nothing);
            if (part < 0 || part == 2) traffic_loads(contacts, s->begin + place, n, nothing);
        }
    }
#pragma omp parallel num_threads(world->threads)
    {
        RPS_STREAM_END();
#pragma omp barrier
        if (part < 0 || part == 3) {
#pragma omp for schedule(static)
            for (size_t s = 0; s < bodies; s++) traffic_sums(world, s, nothing);
        }
        if (part < 0 || part == 4) {
#pragma omp for schedule(static)
            for (size_t s = 0; s < bodies; s++) traffic_start(world, s, nothing);
        }
    }
    traffic_nothing = 0.0 * (seen > 1e300);
}

/* Destroys what the world knows of its loads. */
static void traffic_print(rps_world *world, double contacts) {
    printf("# moving numbers alone, ns per contact:");
    for (int part = TRAFFIC_PARTS; part-- > -1;) {
        const int which = part < 0 ? -1 : TRAFFIC_PARTS - 1 - part;
        double best = INFINITY;
        for (int k = 0; k < TRAFFIC_REPEATS; k++) {
            struct timespec from, to;
            clock_gettime(CLOCK_MONOTONIC, &from);
            traffic_pass(world, which);
            clock_gettime(CLOCK_MONOTONIC, &to);
            const double t = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
            best = t < best ? t : best;
        }
        printf(" %s %.1f%s", which < 0 ? "all" : traffic_part[which], best / contacts, which < 0 ? "\n" : ",");
    }
}

#endif
