/*
 * Growing buffers of a world.
 */
#ifndef RPS_WORLD_SCRATCH_H
#define RPS_WORLD_SCRATCH_H

#include <repose/world.h>

/* Must start zeroed; released with rps_scratch_release. */
typedef struct rps_scratch {
    void *p;
    size_t bytes;
} rps_scratch;

/* Reserves space for count items; the old content is lost. */
rps_status rps_scratch_fit(const rps_world *world, rps_scratch *buffer, size_t count, size_t item, rps_error *err);
/* Reserves space for count items; keeps the first `used`. */
rps_status rps_scratch_grow(const rps_world *world, rps_scratch *buffer, size_t used, size_t count, size_t item,
                            rps_error *err);
/* Releases the buffer if it is large, for content that is rarely needed. */
void rps_scratch_shrink(const rps_world *world, rps_scratch *buffer);
void rps_scratch_release(const rps_world *world, rps_scratch *buffer);

#endif
