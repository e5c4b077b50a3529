/*
 * The memory of a world whose arrays Python looks at. A block that a view points into is not given back before the view is
 * gone, even if the world has moved its arrays or is destroyed: a view that outlives them can be wrong, but never points
 * into memory that is used for something else.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* python: */
typedef struct repose_memory repose_memory;
/* NULL without memory. Destroy it after all worlds that use it and all pins. */
repose_memory *repose_memory_create(void);
void repose_memory_destroy(repose_memory *memory);
/* For the options of a world or scene. */
void repose_memory_allocator(repose_memory *memory, rps_allocator *allocator);
/* The block that holds the address is kept until as many calls unpin it. 0: no memory. */
int repose_memory_pin(repose_memory *memory, const void *address);
void repose_memory_unpin(repose_memory *memory, const void *address);
/* Blocks that only pins hold. */
size_t repose_memory_kept(repose_memory *memory);
/* end */

typedef struct repose_pin {
    const char *address;
    size_t count;
} repose_pin;

typedef struct repose_block {
    char *begin;
    size_t bytes;
} repose_block;

struct repose_memory {
    pthread_mutex_t lock;
    repose_pin *pin;
    size_t pins;
    repose_block *kept;
    size_t keeps;
};

static void *repose_alloc(void *ctx, size_t size, size_t align) {
    const rps_allocator *source = rps_default_allocator();
    (void)ctx;
    return source->alloc(source->ctx, size, align);
}

static void repose_give_back(repose_block block) {
    const rps_allocator *source = rps_default_allocator();
    source->release(source->ctx, block.begin, block.bytes);
}

static int repose_is_pinned(const repose_memory *memory, const char *begin, size_t bytes) {
    for (size_t k = 0; k < memory->pins; k++) {
        if (memory->pin[k].address >= begin && memory->pin[k].address < begin + bytes) return 1;
    }
    return 0;
}

/* Without memory for the list the block is lost, which is better than a view into a free one. */
static void repose_keep(repose_memory *memory, char *begin, size_t bytes) {
    repose_block *kept = realloc(memory->kept, (memory->keeps + 1) * sizeof *kept);
    if (kept == NULL) return;
    memory->kept = kept;
    kept[memory->keeps++] = (repose_block){begin, bytes};
}

static void repose_release(void *ctx, void *p, size_t size) {
    repose_memory *memory = ctx;
    pthread_mutex_lock(&memory->lock);
    const int pinned = repose_is_pinned(memory, p, size);
    if (pinned) repose_keep(memory, p, size);
    pthread_mutex_unlock(&memory->lock);
    if (!pinned) repose_give_back((repose_block){p, size});
}

repose_memory *repose_memory_create(void) {
    repose_memory *memory = calloc(1, sizeof *memory);
    if (memory != NULL) pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

void repose_memory_destroy(repose_memory *memory) {
    if (memory == NULL) return;
    for (size_t k = 0; k < memory->keeps; k++) repose_give_back(memory->kept[k]);
    free(memory->kept);
    free(memory->pin);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

void repose_memory_allocator(repose_memory *memory, rps_allocator *allocator) {
    *allocator = (rps_allocator){repose_alloc, repose_release, memory};
}

static repose_pin *repose_find_pin(repose_memory *memory, const void *address) {
    for (size_t k = 0; k < memory->pins; k++) {
        if (memory->pin[k].address == (const char *)address) return &memory->pin[k];
    }
    return NULL;
}

int repose_memory_pin(repose_memory *memory, const void *address) {
    pthread_mutex_lock(&memory->lock);
    repose_pin *pin = repose_find_pin(memory, address);
    if (pin == NULL) {
        repose_pin *more = realloc(memory->pin, (memory->pins + 1) * sizeof *more);
        if (more != NULL) {
            memory->pin = more;
            pin = &more[memory->pins++];
            *pin = (repose_pin){address, 0};
        }
    }
    if (pin != NULL) pin->count++;
    pthread_mutex_unlock(&memory->lock);
    return pin != NULL;
}

void repose_memory_unpin(repose_memory *memory, const void *address) {
    pthread_mutex_lock(&memory->lock);
    repose_pin *pin = repose_find_pin(memory, address);
    if (pin != NULL && --pin->count == 0) *pin = memory->pin[--memory->pins];
    size_t left = 0;
    for (size_t k = 0; k < memory->keeps; k++) {
        const repose_block block = memory->kept[k];
        if (repose_is_pinned(memory, block.begin, block.bytes)) {
            memory->kept[left++] = block;
        } else {
            repose_give_back(block);
        }
    }
    memory->keeps = left;
    pthread_mutex_unlock(&memory->lock);
}

size_t repose_memory_kept(repose_memory *memory) {
    pthread_mutex_lock(&memory->lock);
    const size_t kept = memory->keeps;
    pthread_mutex_unlock(&memory->lock);
    return kept;
}
