/* Short lists and names that a world owns. */
#include <string.h>

#include "world/world_internal.h"

/* 0, 1, 2, 4, 8 ... */
static size_t list_capacity(size_t count) {
    size_t capacity = count > 0;
    while (capacity < count) capacity *= 2;
    return capacity;
}

rps_status rps_list_grown(const rps_allocator *allocator, void *list, size_t count, size_t item_size, void **grown,
                          rps_error *err) {
    size_t bytes;
    *grown = list;
    if (list_capacity(count + 1) == list_capacity(count)) return RPS_OK;
    RPS_TRY(rps_size_of_items(list_capacity(count + 1), item_size, &bytes, err));
    void *fresh;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, bytes, &fresh, err));
    if (count > 0) memcpy(fresh, list, count * item_size);
    *grown = fresh;
    return RPS_OK;
}

void rps_list_keep(const rps_allocator *allocator, void *list, size_t count, size_t item_size, const void *grown) {
    if (grown != list) rps_list_release(allocator, list, count, item_size);
}

void rps_list_release(const rps_allocator *allocator, void *list, size_t count, size_t item_size) {
    rps_memory_release(allocator, list, list_capacity(count) * item_size);
}

rps_status rps_string_copy(const rps_allocator *allocator, const char *string, char **copy, rps_error *err) {
    size_t bytes = strlen(string) + 1;
    void *fresh;
    RPS_TRY(rps_memory_alloc(allocator, bytes, &fresh, err));
    *copy = memcpy(fresh, string, bytes);
    return RPS_OK;
}

void rps_string_release(const rps_allocator *allocator, char *string) {
    if (string) rps_memory_release(allocator, string, strlen(string) + 1);
}
