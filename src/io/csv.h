/* A table of numbers over time: header `name [unit]`, comma separated, one write to the system per row. */
#ifndef RPS_IO_CSV_H
#define RPS_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "io/append.h"

typedef struct rps_csv {
    rps_append to;
    rps_text line;
    size_t columns;
    uint64_t rows; /* written so far, header not counted */
    bool notes;    /* adds a last column `undefined` of words; set before the file is opened */
} rps_csv;

/* Initializes *csv as closed, so that rps_csv_close is always safe to call. */
void rps_csv_init(rps_csv *csv, const rps_allocator *allocator);
/* Creates or empties the file and writes the header; a unit NULL, "" or "1" is left out. */
rps_status rps_csv_open(rps_csv *csv, const char *path, const char *const *name, const char *const *unit,
                        size_t columns, rps_error *err);
/* Continues a file that had `rows` rows in `bytes` bytes and truncates it there. RPS_BAD_INPUT if the file is shorter
 * or has no line end at that point. */
rps_status rps_csv_resume(rps_csv *csv, const char *path, size_t columns, uint64_t rows, uint64_t bytes,
                          rps_error *err);
/* Counts rows and bytes up to the end of the last complete line within the first `most` bytes; both are 0 without a
 * complete header. RPS_IO_ERROR if the file cannot be read. */
rps_status rps_csv_whole_rows(const char *path, uint64_t most, uint64_t *rows, uint64_t *bytes, rps_error *err);
/* Offset of the last line within the first `bytes` bytes of a file. */
rps_status rps_csv_last_line(const char *path, uint64_t bytes, uint64_t *start, rps_error *err);
/* Bytes written so far; sync them to disk. */
uint64_t rps_csv_bytes(const rps_csv *csv);
rps_status rps_csv_sync(rps_csv *csv, rps_error *err);
/* Appends a row: one value per column, NAN gives an empty field. `note`, without commas, fills the column
 * `undefined`. A partially written row is truncated again. */
rps_status rps_csv_row(rps_csv *csv, const double *value, const char *note, rps_error *err);
rps_status rps_csv_close(rps_csv *csv, rps_error *err);

#endif
