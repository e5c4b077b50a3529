/* Binds the arrays of a stand-alone batch, in the order of batch_arrays.inc. */
#include "law/law_batch.h"

#include <stddef.h>
#include <string.h>

void rps_batch_alone_open(rps_batch_alone *alone, int count, double dt) {
    memset(alone, 0, sizeof *alone);
    rps_batch *b = &alone->b;
    double(*next)[RPS_BATCH] = alone->array;
    b->count = count;
    b->dt = dt;
    b->rate = dt > 0.0 ? 1.0 / dt : 0.0;
#define ONE(name) b->name = *next++;
#define SOME(name, number) \
    for (int k = 0; k < (number); k++) b->name[k] = *next++;
#define RPS_BATCH_INPUT(name, unit, meaning) ONE(name)
#define RPS_BATCH_INPUTS(name, count, unit, meaning) SOME(name, count)
#define RPS_BATCH_LOAD(name, role, unit, meaning) ONE(name)
#define RPS_BATCH_LOADS(name, count, role, unit, meaning) SOME(name, count)
#define RPS_BATCH_ACCOUNT(name, unit, meaning) SOME(name, RPS_ROLE_COUNT)
#include <repose/batch_arrays.inc>
#undef RPS_BATCH_INPUT
#undef RPS_BATCH_INPUTS
#undef RPS_BATCH_LOAD
#undef RPS_BATCH_LOADS
#undef RPS_BATCH_ACCOUNT
    for (int role = 0; role < RPS_ROLE_COUNT; role++) SOME(mode[role], 2)
    for (int m = 0; m < RPS_LAW_MEMORY; m++) SOME(memory[m], 3)
#undef ONE
#undef SOME
}

void rps_batch_alone_fill(rps_batch_alone *alone, const double *array, double value) {
    double *x = alone->array[(array - alone->array[0]) / RPS_BATCH];
    for (int c = 0; c < RPS_BATCH; c++) x[c] = value;
}

void rps_batch_alone_fill_radius(rps_batch_alone *alone, double radius_eff) {
    const rps_batch *b = &alone->b;
    rps_batch_alone_fill(alone, b->radius_eff, radius_eff);
    rps_batch_alone_fill(alone, b->twist_radius, radius_eff);
    rps_batch_alone_fill(alone, b->twist_radius_mean, radius_eff);
    for (int k = 0; k < 3; k += 2) {
        rps_batch_alone_fill(alone, b->rolling_radius[k], 2.0 * radius_eff);
        rps_batch_alone_fill(alone, b->rolling_radius_mean[k], 2.0 * radius_eff);
    }
}
