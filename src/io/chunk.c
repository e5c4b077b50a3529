/* Threads compress a few chunks in parallel; one thread then writes them in order, so that the file is the same for
 * any number of threads. */
#include "io/chunk.h"

#include <zlib.h>

#include "base/array.h"

enum {
    EACH = 4,     /* chunks per thread between two writes */
    AT_ONCE = 16, /* limit of chunks in flight, which bounds the memory */
};

/* A chunk on its way. */
typedef struct parcel {
    size_t length;         /* compressed bytes; 0: incompressible, stored as it is */
    unsigned char bytes[]; /* the shuffled chunk, then the compressed one */
} parcel;

static size_t parcel_bytes(size_t chunk) {
    const size_t all = sizeof(parcel) + chunk + compressBound((uLong)chunk);
    return (all + 63) / 64 * 64;
}

static parcel *parcel_at(const rps_chunk_buffer *capacity, size_t k) {
    return (parcel *)(void *)((char *)capacity->p + k * parcel_bytes(capacity->chunk));
}

static size_t parcels(rps_workers workers) {
    return workers.count < AT_ONCE / EACH ? (size_t)workers.count * EACH : AT_ONCE;
}

rps_status rps_chunk_reserve(rps_chunk_buffer *capacity, const rps_allocator *allocator, size_t bytes,
                             rps_workers workers, rps_error *err) {
    size_t all;
    RPS_TRY(rps_size_of_items(parcels(workers), parcel_bytes(bytes), &all, err));
    RPS_TRY(rps_buffer_reserve(allocator, &capacity->p, &capacity->bytes, 0, all, err));
    capacity->chunk = bytes;
    capacity->workers = workers;
    return RPS_OK;
}

void rps_chunk_release(rps_chunk_buffer *capacity, const rps_allocator *allocator) {
    rps_buffer_release(allocator, &capacity->p, &capacity->bytes);
}

/* Byte transposition: the first bytes of all items, then the second bytes, and so on. */
static void chunk_shuffle(const unsigned char *from, size_t items, size_t item, unsigned char *to) {
    for (size_t b = 0; b < item; b++) {
        for (size_t i = 0; i < items; i++) to[b * items + i] = from[i * item + b];
    }
}

static void chunk_make(parcel *to, const unsigned char *from, size_t bytes, size_t item) {
    uLongf length = compressBound((uLong)bytes);
    chunk_shuffle(from, bytes / item, item, to->bytes);
    const int result = compress2(to->bytes + bytes, &length, to->bytes, (uLong)bytes, RPS_CHUNK_LEVEL);
    to->length = result == Z_OK && length < bytes ? (size_t)length : 0;
}

typedef struct packing {
    const rps_chunk_buffer *capacity;
    const unsigned char *data;
    size_t bytes, item;
} packing;

static void pack_parcel(void *context, size_t k) {
    const packing *pack = context;
    chunk_make(parcel_at(pack->capacity, k), pack->data + k * pack->bytes, pack->bytes, pack->item);
}

bool rps_chunk_write(rps_chunk_buffer *capacity, hid_t dataset, const rps_chunks *chunks) {
    enum { NOT_DEFLATED = 2 }; /* filter mask: skip the second filter */
    const size_t at_once = parcels(capacity->workers), bytes = chunks->bytes;
    const unsigned char *data = chunks->data;
    for (size_t first = 0; first < chunks->count; first += at_once) {
        const size_t count = chunks->count - first < at_once ? chunks->count - first : at_once;
        packing pack = {capacity, data + first * bytes, bytes, chunks->item};
        rps_parallel_each(capacity->workers, count, pack_parcel, &pack);
        for (size_t k = 0; k < count; k++) {
            const parcel *from = parcel_at(capacity, k);
            const hsize_t at[2] = {chunks->row + (first + k) * chunks->rows, 0};
            const herr_t status = from->length > 0
                                      ? H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at, from->length, from->bytes + bytes)
                                      : H5Dwrite_chunk(dataset, H5P_DEFAULT, NOT_DEFLATED, at, bytes, from->bytes);
            if (status < 0) return false;
        }
    }
    return true;
}
