/* A table of numbers over time: header `name [unit]`, comma separated, one line handed to the system per row. */
#ifndef RPS_IO_CSV_H
#define RPS_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "io/file.h"

typedef struct rps_csv {
    int file; /* -1: none is open */
    char path[RPS_PATH];
    rps_text line;
    size_t columns;
    uint64_t rows; /* written so far, header not counted */
    bool notes;    /* a last column `undefined` of words; set before the file is opened */
} rps_csv;

/* Makes *csv a closed table, so that rps_csv_close may be called in any case. */
void rps_csv_init(rps_csv *csv, const rps_allocator *allocator);
/* Creates or empties the file and writes the header; a unit NULL, "" or "1" is left out. */
rps_status rps_csv_open(rps_csv *csv, const char *path, const char *const *name, const char *const *unit,
                        size_t columns, rps_error *err);
/* Goes on with a file that held `rows` rows in `bytes` bytes; what is behind them is cut off. RPS_BAD_INPUT if the file
 * is shorter or has no line end there. */
rps_status rps_csv_resume(rps_csv *csv, const char *path, size_t columns, uint64_t rows, uint64_t bytes,
                          rps_error *err);
/* Rows and bytes up to the end of the last whole line within the first `most` bytes; a file of less than a header has none.
 * RPS_IO_ERROR if it cannot be read. */
rps_status rps_csv_whole_rows(const char *path, uint64_t most, uint64_t *rows, uint64_t *bytes, rps_error *err);
/* Where the last line of a file begins, of which only the first `bytes` count. */
rps_status rps_csv_last_line(const char *path, uint64_t bytes, uint64_t *start, rps_error *err);
/* Bytes written so far, and having them reach the disk. */
uint64_t rps_csv_bytes(const rps_csv *csv);
rps_status rps_csv_sync(rps_csv *csv, rps_error *err);
/* One value per column; NAN is an empty field. `note`, without commas, for the last column of words. A row that could not
 * be written whole is cut off again. */
rps_status rps_csv_row(rps_csv *csv, const double *value, const char *note, rps_error *err);
rps_status rps_csv_close(rps_csv *csv, rps_error *err);

#endif
