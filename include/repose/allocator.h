/* The source of the library's memory. NULL in place of an allocator means the default: aligned blocks of the C
 * library, and for large blocks separate mappings that request huge pages.
 *
 * If an allocator refuses, the call fails with RPS_NO_MEMORY, and nothing is lost. The allocator serves all memory
 * that the library allocates itself. The libraries below it (libfyaml, udunits2, HDF5, zstd, zlib, KLU, OpenMP) and
 * directory listings of the system allocate from the C library, and some do not survive its running out (udunits2
 * ends the process, HDF5 may crash). So bound the memory of a run by an allocator, not by a process limit. */
#ifndef REPOSE_ALLOCATOR_H
#define REPOSE_ALLOCATOR_H

#include <stddef.h>

#include <repose/status.h>

RPS_BEGIN_DECLS

typedef struct rps_allocator {
    /* Returns `size` bytes (> 0) at a multiple of `align` (a power of two), content undefined; NULL on failure. */
    void *(*alloc)(void *ctx, size_t size, size_t align);
    /* Releases p, with the size given to alloc. Never called with NULL. */
    void (*release)(void *ctx, void *p, size_t size);
    /* Passed to both; opaque to the library. Both may be called from several threads at once. */
    void *ctx;
} rps_allocator;

/* The default, for allocators that count, limit or keep blocks and take them from here: its large blocks are mapped in huge
 * pages, which a large world needs for its speed. It lives as long as the program; its ctx is NULL. */
RPS_API const rps_allocator *rps_default_allocator(void);

RPS_END_DECLS

#endif
