/* What the files of this folder share and nobody else needs. */
#ifndef RPS_WORLD_INTERNAL_H
#define RPS_WORLD_INTERNAL_H

#include "base/status.h"
#include "world/world.h"

/* Short lists. Their capacity is the power of two at or above their count, so that nobody has to remember it; hence
 * growing comes in two parts, and the count must go up with the second.
 * rps_list_grown: *grown is a copy of the list with room for one more item, or the list itself if it has room; on
 * failure nothing has changed. rps_list_keep: gives the old list back once *grown has taken its place. To drop
 * *grown instead, release it with count + 1 if it differs from the list. */
rps_status rps_list_grown(const rps_allocator *allocator, void *list, size_t count, size_t item_size, void **grown,
                          rps_error *err);
void rps_list_keep(const rps_allocator *allocator, void *list, size_t count, size_t item_size, const void *grown);
void rps_list_release(const rps_allocator *allocator, void *list, size_t count, size_t item_size);

/* A copy of a string, given back with rps_string_release. */
rps_status rps_string_copy(const rps_allocator *allocator, const char *string, char **copy, rps_error *err);
void rps_string_release(const rps_allocator *allocator, char *string);

void rps_bodies_release(rps_world *world);

/* x - x is 0 for finite numbers only. */
static inline bool rps_finite(double x) {
    return x - x == 0.0;
}

static inline bool rps_finite3(const double x[3]) {
    return rps_finite(x[0]) && rps_finite(x[1]) && rps_finite(x[2]);
}

#endif
