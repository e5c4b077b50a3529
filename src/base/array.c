/* The default allocator, growing buffers and the arena. */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21 };

bool rps_size_add(size_t a, size_t b, size_t *sum) {
    return !__builtin_add_overflow(a, b, sum);
}

bool rps_size_mul(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

rps_status rps_size_of_items(size_t count, size_t item_size, size_t *bytes, rps_error *err) {
    if (!rps_size_mul(count, item_size, bytes)) {
        return rps_fail(err, RPS_NO_MEMORY, "%zu items of %zu bytes exceed the address space; use fewer", count,
                        item_size);
    }
    return RPS_OK;
}

/* A large block is a separate mapping, made of huge pages if available: large beds are otherwise limited by address
 * translation. When released it is returned to the system at once, without fragmentation. Its end uses ordinary
 * pages. */
static size_t whole_pages(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

/* A mapping starts at any page: request one huge page more, and unmap the parts before and after. */
static void *map_large(size_t size, size_t align) {
    const size_t whole = whole_pages(size), step = align > HUGE_PAGE ? align : HUGE_PAGE;
    char *all = mmap(NULL, whole + step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    const size_t before = (step - (uintptr_t)all % step) % step;
    if (before > 0) munmap(all, before);
    munmap(all + before + whole, step - before);
    /* advice only: a system without huge pages is slower, but correct */
    (void)madvise(all + before, whole, MADV_HUGEPAGE);
    return all + before;
}

static void *default_alloc(void *ctx, size_t size, size_t align) {
    (void)ctx;
    if (size >= RPS_LARGE) return size < PTRDIFF_MAX - 2 * (size_t)HUGE_PAGE ? map_large(size, align) : NULL;
    if (align < sizeof(void *)) {
        align = sizeof(void *); /* the least that posix_memalign takes */
    }
    void *p = NULL;
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

static void default_release(void *ctx, void *p, size_t size) {
    (void)ctx;
    if (size >= RPS_LARGE) {
        munmap(p, whole_pages(size));
    } else {
        free(p);
    }
}

const rps_allocator *rps_default_allocator(void) {
    static const rps_allocator system = {default_alloc, default_release, NULL};
    return &system;
}

static const rps_allocator *resolve(const rps_allocator *allocator) {
    return allocator ? allocator : rps_default_allocator();
}

rps_status rps_memory_alloc(const rps_allocator *allocator, size_t bytes, void **p, rps_error *err) {
    *p = NULL;
    if (bytes == 0) {
        return RPS_OK;
    }
    const rps_allocator *a = resolve(allocator);
    /* Sizes beyond PTRDIFF_MAX are refused here, independent of the allocator. */
    if (bytes <= PTRDIFF_MAX) {
        *p = a->alloc(a->ctx, bytes, RPS_ALIGNMENT);
    }
    if (!*p) {
        return rps_fail(err, RPS_NO_MEMORY,
                        "no memory for a block of %zu bytes; use fewer bodies, or a machine with more memory", bytes);
    }
    return RPS_OK;
}

rps_status rps_memory_alloc_zeroed(const rps_allocator *allocator, size_t bytes, void **p, rps_error *err) {
    RPS_TRY(rps_memory_alloc(allocator, bytes, p, err));
    if (*p) {
        memset(*p, 0, bytes);
    }
    return RPS_OK;
}

void rps_memory_release(const rps_allocator *allocator, void *p, size_t bytes) {
    if (p) {
        const rps_allocator *a = resolve(allocator);
        a->release(a->ctx, p, bytes);
    }
}

static bool round_up(size_t bytes, size_t *rounded) {
    if (!rps_size_add(bytes, RPS_ALIGNMENT - 1, rounded)) {
        return false;
    }
    *rounded &= ~(size_t)(RPS_ALIGNMENT - 1);
    return true;
}

rps_status rps_buffer_reserve(const rps_allocator *allocator, void **p, size_t *capacity_bytes, size_t used_bytes,
                              size_t wanted_bytes, rps_error *err) {
    if (wanted_bytes <= *capacity_bytes) {
        return RPS_OK;
    }
    if (used_bytes > *capacity_bytes) {
        return rps_fail(err, RPS_INTERNAL, "a buffer of %zu bytes is said to hold %zu", *capacity_bytes, used_bytes);
    }
    size_t grown, rounded;
    if (!rps_size_add(*capacity_bytes, *capacity_bytes / 2, &grown) || grown < wanted_bytes) {
        grown = wanted_bytes;
    }
    if (!round_up(grown, &rounded)) {
        return rps_fail(err, RPS_NO_MEMORY, "a buffer of %zu bytes exceeds the address space", wanted_bytes);
    }
    void *fresh;
    if (rps_memory_alloc(allocator, rounded, &fresh, NULL) != RPS_OK) {
        /* The extra half is optional: retry without it before failing. */
        if (!round_up(wanted_bytes, &rounded)) {
            return rps_fail(err, RPS_NO_MEMORY, "a buffer of %zu bytes exceeds the address space", wanted_bytes);
        }
        RPS_TRY(rps_memory_alloc(allocator, rounded, &fresh, err));
    }
    if (used_bytes) {
        /* NOLINTNEXTLINE(*NonNullParamChecker): NULL only for 0 bytes, and more are wanted here */
        memcpy(fresh, *p, used_bytes);
    }
    rps_memory_release(allocator, *p, *capacity_bytes);
    *p = fresh;
    *capacity_bytes = rounded;
    return RPS_OK;
}

void rps_buffer_release(const rps_allocator *allocator, void **p, size_t *capacity_bytes) {
    rps_memory_release(allocator, *p, *capacity_bytes);
    *p = NULL;
    *capacity_bytes = 0;
}

/* Blocks form a chain; those after the current one are empty. The header takes the first RPS_ALIGNMENT bytes. */
struct rps_arena_block {
    rps_arena_block *next;
    size_t size, used; /* of the bytes behind the header */
};

static const size_t smallest_block = (size_t)1 << 16;

_Static_assert(sizeof(rps_arena_block) <= RPS_ALIGNMENT, "the header of a block must keep its bytes aligned");

void rps_arena_init(rps_arena *arena, const rps_allocator *allocator) {
    *arena = (rps_arena){.allocator = allocator};
}

void rps_arena_release(rps_arena *arena) {
    rps_arena_block *block = arena->first;
    while (block) {
        rps_arena_block *next = block->next;
        rps_memory_release(arena->allocator, block, block->size + RPS_ALIGNMENT);
        block = next;
    }
    rps_arena_init(arena, arena->allocator);
}

/* Makes a block with capacity for `bytes`, a multiple of RPS_ALIGNMENT, the current one. */
static rps_status array_reserve(rps_arena *arena, size_t bytes, rps_error *err) {
    rps_arena_block *current = arena->current;
    if (current && current->size - current->used >= bytes) {
        return RPS_OK;
    }
    rps_arena_block **link = current ? &current->next : &arena->first;
    /* Empty blocks that are too small are released and replaced by a sufficiently large one. */
    while (*link && (*link)->size < bytes) {
        rps_arena_block *small = *link;
        *link = small->next;
        rps_memory_release(arena->allocator, small, small->size + RPS_ALIGNMENT);
    }
    if (!*link) {
        /* At least half of what was ever in use, so that there are few blocks. */
        size_t size = arena->high_water / 2 & ~(size_t)(RPS_ALIGNMENT - 1);
        size = size > smallest_block ? size : smallest_block;
        size = size > bytes ? size : bytes;
        size_t whole;
        void *p;
        if (!rps_size_add(size, RPS_ALIGNMENT, &whole)) {
            return rps_fail(err, RPS_NO_MEMORY, "scratch of %zu bytes exceeds the address space", bytes);
        }
        RPS_TRY(rps_memory_alloc(arena->allocator, whole, &p, err));
        *link = p;
        /* NOLINTNEXTLINE(*NullDereference): `whole` is at least RPS_ALIGNMENT */
        **link = (rps_arena_block){.next = NULL, .size = size, .used = 0};
    }
    arena->current = *link;
    return RPS_OK;
}

rps_status rps_arena_reserve(rps_arena *arena, size_t bytes, rps_error *err) {
    size_t rounded;
    if (!round_up(bytes, &rounded)) {
        return rps_fail(err, RPS_NO_MEMORY, "scratch of %zu bytes exceeds the address space", bytes);
    }
    return array_reserve(arena, rounded, err);
}

rps_status rps_arena_take(rps_arena *arena, size_t bytes, void **p, rps_error *err) {
    *p = NULL;
    size_t rounded;
    if (!round_up(bytes ? bytes : 1, &rounded)) {
        return rps_fail(err, RPS_NO_MEMORY, "scratch of %zu bytes exceeds the address space", bytes);
    }
    RPS_TRY(array_reserve(arena, rounded, err));
    rps_arena_block *block = arena->current;
    *p = (char *)block + RPS_ALIGNMENT + block->used;
    block->used += rounded;
    arena->used += rounded;
    if (arena->used > arena->high_water) {
        arena->high_water = arena->used;
    }
    return RPS_OK;
}

rps_status rps_arena_take_items(rps_arena *arena, size_t count, size_t item_size, void **p, rps_error *err) {
    size_t bytes;
    *p = NULL;
    RPS_TRY(rps_size_of_items(count, item_size, &bytes, err));
    return rps_arena_take(arena, bytes, p, err);
}

rps_arena_mark rps_arena_get_mark(const rps_arena *arena) {
    return (rps_arena_mark){arena->current, arena->current ? arena->current->used : 0, arena->used};
}

void rps_arena_rewind(rps_arena *arena, rps_arena_mark mark) {
    rps_arena_block *block = mark.block ? mark.block->next : arena->first;
    for (; block; block = block->next) {
        block->used = 0;
    }
    if (mark.block) {
        mark.block->used = mark.block_used;
    }
    arena->current = mark.block;
    arena->used = mark.used;
}
