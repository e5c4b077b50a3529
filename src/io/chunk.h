/* Chunks of a dataset, shuffled and compressed in parallel and passed to HDF5 as raw chunks. HDF5's own filters
 * (shuffle, deflate) produce the same format, but serially; readers see no difference. */
#ifndef RPS_IO_CHUNK_H
#define RPS_IO_CHUNK_H

#include "base/parallel.h"
#include "io/h5.h"

enum { RPS_CHUNK_LEVEL = 1 /* deflate level, here and in HDF5's own filter */ };

/* Compression buffer, shared by all tables of a file. */
typedef struct rps_chunk_buffer {
    void *p;
    size_t bytes, chunk; /* in all; of the largest chunk */
    rps_workers workers;
} rps_chunk_buffer;

/* Reserves space for chunks of up to `bytes` bytes, compressed by the workers. */
rps_status rps_chunk_reserve(rps_chunk_buffer *capacity, const rps_allocator *allocator, size_t bytes,
                             rps_workers workers, rps_error *err);
void rps_chunk_release(rps_chunk_buffer *capacity, const rps_allocator *allocator);

/* A range of full chunks. */
typedef struct rps_chunks {
    hsize_t row, rows;  /* first row; rows per chunk, which is as wide as the dataset */
    size_t count;       /* of chunks */
    size_t bytes, item; /* of a chunk; of a number in the chunk */
    const void *data;   /* the chunks, one after the other */
} rps_chunks;

/* Writes the chunks. False if HDF5 refuses. */
bool rps_chunk_write(rps_chunk_buffer *capacity, hid_t dataset, const rps_chunks *chunks);

#endif
