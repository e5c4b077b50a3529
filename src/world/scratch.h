/*
 * Growing buffers of a world.
 */
#ifndef RPS_WORLD_SCRATCH_H
#define RPS_WORLD_SCRATCH_H

#include <repose/world.h>

/* Starts as zero; given back with rps_scratch_release. */
typedef struct rps_scratch {
    void *p;
    size_t bytes;
} rps_scratch;

/* Makes room for count items; keeps nothing. */
rps_status rps_scratch_fit(const rps_world *world, rps_scratch *buffer, size_t count, size_t item, rps_error *err);
/* Makes room for count items; keeps the first `used`. */
rps_status rps_scratch_grow(const rps_world *world, rps_scratch *buffer, size_t used, size_t count, size_t item,
                            rps_error *err);
/* Releases the buffer if it is large, for content that is needed rarely. */
void rps_scratch_shrink(const rps_world *world, rps_scratch *buffer);
void rps_scratch_release(const rps_world *world, rps_scratch *buffer);

#endif
