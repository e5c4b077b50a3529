/* A hash table with linear probing. Pages are only dropped all at once, so single entries are never removed. */
#include "io/pages.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(const rps_pages *pages, uint64_t number) {
    size_t k = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (pages->slots - 1);
    while (pages->slot[k] && pages->slot[k]->number != number) k = (k + 1) & (pages->slots - 1);
    return k;
}

rps_page *rps_pages_find(const rps_pages *pages, uint64_t number) {
    return pages->slots ? pages->slot[place_of(pages, number)] : NULL;
}

static bool pages_grow(rps_pages *pages) {
    const rps_pages old = *pages;
    void *memory;
    const size_t slots = old.slots ? 2 * old.slots : 64;
    if (rps_memory_alloc_zeroed(old.allocator, slots * sizeof(rps_page *), &memory, NULL) != RPS_OK) return false;
    pages->slot = memory;
    pages->slots = slots;
    for (size_t k = 0; k < old.slots; k++) {
        if (old.slot[k]) pages->slot[place_of(pages, old.slot[k]->number)] = old.slot[k];
    }
    rps_memory_release(old.allocator, old.slot, old.slots * sizeof(rps_page *));
    return true;
}

rps_page *rps_pages_add(rps_pages *pages, uint64_t number) {
    void *memory;
    if (2 * (pages->count + 1) > pages->slots && !pages_grow(pages)) return NULL;
    if (rps_memory_alloc_zeroed(pages->allocator, sizeof(rps_page), &memory, NULL) != RPS_OK) return NULL;
    rps_page *page = memory;
    page->number = number;
    pages->slot[place_of(pages, number)] = page;
    pages->count++;
    return page;
}

void rps_pages_touch(rps_pages *pages, rps_page *page) {
    if (page->dirty) return;
    memcpy(page->before, page->data, RPS_PAGE_BYTES);
    page->dirty = true;
    pages->dirty++;
}

static int by_number(const void *a, const void *b) {
    const rps_page *const *x = a, *const *y = b;
    return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

void rps_pages_list(const rps_pages *pages, rps_page **out) {
    size_t n = 0;
    for (size_t k = 0; k < pages->slots; k++) {
        if (pages->slot[k] && pages->slot[k]->dirty) out[n++] = pages->slot[k];
    }
    qsort(out, n, sizeof *out, by_number);
}

void rps_pages_release(rps_pages *pages) {
    for (size_t k = 0; k < pages->slots; k++) {
        if (pages->slot[k]) rps_memory_release(pages->allocator, pages->slot[k], sizeof(rps_page));
    }
    rps_memory_release(pages->allocator, pages->slot, pages->slots * sizeof(rps_page *));
    *pages = (rps_pages){.allocator = pages->allocator};
}
