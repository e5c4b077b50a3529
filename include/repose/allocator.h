/* Where the library takes its memory from. NULL in place of an allocator means the default: aligned blocks of the C
 * library, and for large ones mappings of their own, advised to lie in huge pages.
 *
 * An allocator that refuses makes the call end with RPS_NO_MEMORY, and nothing is lost. It sees all memory that the
 * library takes itself. The libraries below it (libfyaml, udunits2, HDF5, zstd, zlib, KLU, OpenMP) and directory lists of
 * the system take theirs from the C library; some of these do not survive it when that has none left (udunits2 ends the
 * process, HDF5 may crash), so bound the memory of a run by an allocator, not by a limit of the process. */
#ifndef REPOSE_ALLOCATOR_H
#define REPOSE_ALLOCATOR_H

#include <stddef.h>

#include <repose/status.h>

RPS_BEGIN_DECLS

typedef struct rps_allocator {
    /* `size` bytes (> 0) at a multiple of `align` (a power of two), content undefined; NULL if there are none. */
    void *(*alloc)(void *ctx, size_t size, size_t align);
    /* Gives back p with the size it was asked for. Never called with NULL. */
    void (*release)(void *ctx, void *p, size_t size);
    /* Handed to both; the library never looks at it. Both may be called from several threads at once. */
    void *ctx;
} rps_allocator;

RPS_END_DECLS

#endif
