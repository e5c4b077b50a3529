#include "world/scratch.h"

#include "base/array.h"
#include "world/world.h"

rps_status rps_scratch_fit(const rps_world *world, rps_scratch *buffer, size_t count, size_t item, rps_error *err) {
    return rps_scratch_grow(world, buffer, 0, count, item, err);
}

rps_status rps_scratch_grow(const rps_world *world, rps_scratch *buffer, size_t used, size_t count, size_t item,
                            rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items(count, item, &bytes, err));
    return rps_buffer_reserve(world->allocator, &buffer->p, &buffer->bytes, used * item, bytes, err);
}

void rps_scratch_shrink(const rps_world *world, rps_scratch *buffer) {
    const bool always = world->options.shuffle != 0; /* so that tests of small worlds cover it */
    if (always || buffer->bytes >= RPS_LARGE) rps_buffer_release(world->allocator, &buffer->p, &buffer->bytes);
}

void rps_scratch_release(const rps_world *world, rps_scratch *buffer) {
    rps_buffer_release(world->allocator, &buffer->p, &buffer->bytes);
}
