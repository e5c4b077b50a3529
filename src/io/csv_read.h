/*
 * Reads tables of text with a header: columns of numbers, separated by commas, semicolons or tabs, whose headings are
 * `name [unit]` or `name (unit)`. Lines that are empty or begin with # are passed over.
 */
#ifndef RPS_IO_CSV_READ_H
#define RPS_IO_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "io/file.h"

enum { RPS_CSV_COLUMNS = 64 };

typedef struct rps_csv_table {
    char path[RPS_PATH];
    void *text; /* of the file, cut in place */
    size_t text_bytes;
    int columns;
    const char *name[RPS_CSV_COLUMNS], *unit[RPS_CSV_COLUMNS]; /* "": none is given */
    size_t header;                                             /* line of the header, from 1 */
    size_t rows;
    double *value; /* rows x columns, as they stand in the file, finite */
    size_t value_bytes;
    size_t *line; /* of each row */
    size_t line_bytes;
} rps_csv_table;

/* *table is released with rps_csv_table_release, also after a failure. RPS_BAD_INPUT names file and line: no header, a row of
 * another length, a field that is no finite number. */
rps_status rps_csv_table_read(const char *path, rps_csv_table *table, rps_error *err);
void rps_csv_table_release(rps_csv_table *table);
/* "path:line: ..."; RPS_BAD_INPUT. */
rps_status rps_csv_table_fail(const rps_csv_table *table, size_t line, rps_error *err, const char *fmt, ...)
    RPS_PRINTF(4, 5);

/* --- parts, for readers of other tables ----------------------------------------------------------------------------- */

/* Cuts the first line off a text, without its end (\n, \r\n or \r); NULL at the end of the text. */
char *rps_csv_next_line(char **at);
/* Nothing but blanks and separators, or a comment. */
bool rps_csv_is_void(const char *line);
/* Cuts a line in place into words at one separator, or at blanks if that is '\0', without the blanks around them. Returns how
 * many there are, -1: more than `most`. */
int rps_csv_split(char *line, char separator, char **word, int most);
/* Cuts `name [unit]` in place. Returns the unit, "" if there is none. */
char *rps_csv_cut_unit(char *heading);

#endif
