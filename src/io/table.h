/* A table in an HDF5 file: one extendable dataset per column, rows appended frame by frame. All columns of a table
 * grow together; a column may hold several rows per item (the two ends of a line). Full chunks are shuffled and
 * compressed. Call inside an HDF5 session. */
#ifndef RPS_IO_TABLE_H
#define RPS_IO_TABLE_H

#include "io/chunk.h"

typedef struct rps_column {
    const char *name, *unit, *meaning;
    rps_type type;
    int components;
    int rows; /* per item */
} rps_column;

enum {
    RPS_COLUMNS = 48,
    RPS_TABLE_BLOCK = 1 << 16 /* items written and hashed at once */
};

typedef struct rps_table {
    const char *group; /* "bodies" */
    const char *path;  /* of the file, for errors */
    bool single;       /* floats instead of doubles, in memory and file */
    int columns;
    rps_column column[RPS_COLUMNS];
    hid_t dataset[RPS_COLUMNS]; /* -1: closed */
    hsize_t chunk[RPS_COLUMNS]; /* rows of its chunks */
    uint64_t sum[RPS_COLUMNS];  /* checksum of the items appended since the last commit */
    uint64_t items;             /* written so far */
    rps_chunk_buffer *capacity; /* for compression; NULL: HDF5 compresses */
} rps_table;

/* Adds a column before the table is created. */
void rps_table_add(rps_table *table, rps_column column);
int rps_table_find(const rps_table *table, const char *name); /* -1: none */
/* Keeps the columns with these names, in the order of the table. Call before the table is created or resumed. */
void rps_table_select(rps_table *table, const char *const *name, size_t names);
/* Without the column of this name. */
void rps_table_drop(rps_table *table, const char *name);

/* Creates the group and its datasets. `guess`, the expected number of items per frame, sets the chunk size. */
rps_status rps_table_create(rps_table *table, hid_t file, const char *group, const char *path, uint64_t guess,
                            rps_error *err);
/* Opens the datasets of an existing table and truncates them to `items` items. RPS_BAD_INPUT if a column is missing,
 * has another shape or fewer items. */
rps_status rps_table_resume(rps_table *table, hid_t file, const char *group, const char *path, uint64_t items,
                            rps_error *err);
/* Appends `items` items (contiguous) to one column, after `before` items appended since the last commit; `before` is
 * a multiple of RPS_TABLE_BLOCK. All columns must get the same items before rps_table_commit. sum[column] is the
 * rps_hash64_chain over blocks of RPS_TABLE_BLOCK items. */
rps_status rps_table_append(rps_table *table, int column, uint64_t before, uint64_t items, const void *data,
                            rps_error *err);
/* Bytes of the largest chunk that appending `items` items completes; 0: none. */
size_t rps_table_chunk_bytes(const rps_table *table, uint64_t items);
/* Commits `items` items, which every column has received. */
void rps_table_commit(rps_table *table, uint64_t items);
bool rps_table_close(rps_table *table);

#endif
