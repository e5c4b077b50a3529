/*
 * A stand-alone batch, outside of a step, with every array allocated and bound. It serves to evaluate a law directly,
 * for instance its load at an overlap.
 */
#ifndef RPS_LAW_LAW_BATCH_H
#define RPS_LAW_LAW_BATCH_H

#include <repose/law.h>

enum {
    RPS_ALONE_ARRAYS = 0
#define RPS_BATCH_INPUT(name, unit, meaning) +1
#define RPS_BATCH_INPUTS(name, count, unit, meaning) +count
#define RPS_BATCH_LOAD(name, role, unit, meaning) +1
#define RPS_BATCH_LOADS(name, count, role, unit, meaning) +count
#define RPS_BATCH_ACCOUNT(name, unit, meaning) +RPS_ROLE_COUNT
#include <repose/batch_arrays.inc>
#undef RPS_BATCH_INPUT
#undef RPS_BATCH_INPUTS
#undef RPS_BATCH_LOAD
#undef RPS_BATCH_LOADS
#undef RPS_BATCH_ACCOUNT
                       + 2 * RPS_ROLE_COUNT + 3 * RPS_LAW_MEMORY
};

typedef struct rps_batch_alone {
    _Alignas(64) double array[RPS_ALONE_ARRAYS][RPS_BATCH];
    rps_batch b;
} rps_batch_alone;

/* Binds all arrays and sets them to 0. count: a multiple of 8; dt: s, may be 0. */
void rps_batch_alone_open(rps_batch_alone *alone, int count, double dt);

/* Fills an array of the batch, given as its pointer in alone->b. */
void rps_batch_alone_fill(rps_batch_alone *alone, const double *array, double value);

/* Fills radius_eff and the effective rolling and twisting radii of spheres that follow from it. */
void rps_batch_alone_fill_radius(rps_batch_alone *alone, double radius_eff);

#endif
