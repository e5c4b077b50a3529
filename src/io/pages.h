/* A page cache of a file: the content written since the last commit, and the content at the commit. A writer that
 * changes a few bytes in many places thus writes each range of the file once. */
#ifndef RPS_IO_PAGES_H
#define RPS_IO_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

enum { RPS_PAGE_BYTES = 4096 };

typedef struct rps_page {
    uint64_t number; /* it begins at number * RPS_PAGE_BYTES */
    bool dirty;
    unsigned char data[RPS_PAGE_BYTES], before[RPS_PAGE_BYTES]; /* before: content in the file, while dirty */
} rps_page;

typedef struct rps_pages {
    const rps_allocator *allocator;
    rps_page **slot; /* a hash table, at most half full; NULL: free */
    size_t slots, count, dirty;
} rps_pages;

/* The page with this number, or NULL. */
rps_page *rps_pages_find(const rps_pages *pages, uint64_t number);
/* Adds a missing page, zeroed and clean; NULL if there is no memory. */
rps_page *rps_pages_add(rps_pages *pages, uint64_t number);
/* Marks a page dirty and saves its content; call before changing it. */
void rps_pages_touch(rps_pages *pages, rps_page *page);
/* All dirty pages, sorted by number; `out` holds pages->dirty pointers. */
void rps_pages_list(const rps_pages *pages, rps_page **out);
/* Drops all pages and their memory. */
void rps_pages_release(rps_pages *pages);

#endif
