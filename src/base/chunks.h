/*
 * Work split into chunks, one per thread: the results of chunks are joined in the order of chunks, so that they are
 * the same for any number of threads.
 */
#ifndef RPS_BASE_CHUNKS_H
#define RPS_BASE_CHUNKS_H

#include <stddef.h>

#define RPS_PRAGMA_(x) _Pragma(#x)

/* The loop over chunks: a parallel region only if there is more than one. */
#define RPS_EACH_CHUNK(c, chunks)                                                      \
    RPS_PRAGMA_(omp parallel for schedule(static) num_threads(chunks) if (chunks > 1)) \
    for (int c = 0; c < (chunks); c++)

static inline size_t rps_chunk_begin(size_t count, int chunk, int chunks) {
    return count / (size_t)chunks * (size_t)chunk + count % (size_t)chunks * (size_t)chunk / (size_t)chunks;
}

#endif
