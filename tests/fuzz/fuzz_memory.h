/* Memory for fuzzing: no more than a limit at a time, so that a scene that asks for a billion spheres ends in an error
 * quickly; what is not given back is found by the sanitizer. */
#ifndef RPS_TESTS_FUZZ_FUZZ_MEMORY_H
#define RPS_TESTS_FUZZ_FUZZ_MEMORY_H

#include <stdlib.h>

#include <repose/allocator.h>

typedef struct fuzz_memory {
    size_t used, most;
} fuzz_memory;

static inline void *fuzz_take(void *ctx, size_t size, size_t align) {
    fuzz_memory *m = ctx;
    if (size > m->most - m->used) return NULL;
    m->used += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void fuzz_give_back(void *ctx, void *p, size_t size) {
    fuzz_memory *m = ctx;
    m->used -= size;
    free(p);
}

#endif
