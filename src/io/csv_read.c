/* The file is read whole, cut in place, and its numbers are kept row by row. */
#include "io/csv_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/c_locale.h"
#include "base/text.h"

/* --- parts ---------------------------------------------------------------------------------------------------------- */

char *rps_csv_next_line(char **at) {
    char *line = *at;
    if (!line || !*line) return NULL;
    char *end = line + strcspn(line, "\r\n");
    *at = *end == 0 ? end : end[0] == '\r' && end[1] == '\n' ? end + 2 : end + 1;
    *end = 0;
    return line;
}

bool rps_csv_is_void(const char *line) {
    return line[strspn(line, " ,;\t")] == 0 || line[0] == '#';
}

int rps_csv_split(char *line, char separator, char **word, int most) {
    const char ends[2] = {separator, 0};
    int words = 0;
    for (char *at = line;;) {
        at += strspn(at, separator == '\t' ? " " : " \t");
        if (*at == 0 && !(separator && words > 0)) return words;
        if (words == most) return -1;
        word[words++] = at;
        char *end = at + strcspn(at, separator ? ends : " \t");
        const bool last = *end == 0;
        at = end + 1;
        *end = 0;
        while (separator && end > word[words - 1] && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
        if (last) return words;
    }
}

char *rps_csv_cut_unit(char *heading) {
    char *open = strpbrk(heading, "[("), *end = heading + strlen(heading);
    if (!open || open == heading) return end;
    char *unit = open + 1, *close = strpbrk(unit, "])");
    if (!close) return end;
    *close = 0;
    while (open > heading && (open[-1] == ' ' || open[-1] == '\t')) open--;
    *open = 0;
    return unit;
}

/* --- tables --------------------------------------------------------------------------------------------------------- */

rps_status rps_csv_table_fail(const rps_csv_table *table, size_t line, rps_error *err, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: %s", table->path, line, message);
}

/* The separator of a header; a comma if there is but one column. */
static char separator_of(const char *header) {
    const char *first = strpbrk(header, ",;\t");
    return first ? *first : ',';
}

static rps_status take_headings(rps_csv_table *table, char *line, char separator, rps_error *err) {
    char *word[RPS_CSV_COLUMNS];
    double number;
    const int words = rps_csv_split(line, separator, word, RPS_CSV_COLUMNS);
    if (words < 0) {
        return rps_csv_table_fail(table, table->header, err, "the header has more than %d columns",
                                  (int)RPS_CSV_COLUMNS);
    }
    for (int k = 0; k < words; k++) {
        if (rps_parse_double(word[k], &number, NULL) == RPS_OK) {
            return rps_csv_table_fail(table, table->header, err,
                                      "`%.40s` is a number, but the first line is a header: `name [unit]` of each "
                                      "column, such as `x [mm]`",
                                      word[k]);
        }
        table->unit[k] = rps_csv_cut_unit(word[k]);
        table->name[k] = word[k];
    }
    table->columns = words;
    return RPS_OK;
}

static rps_status take_row(rps_csv_table *table, char *line, size_t number, char separator, rps_error *err) {
    char *word[RPS_CSV_COLUMNS];
    const int words = rps_csv_split(line, separator, word, RPS_CSV_COLUMNS);
    if (words != table->columns) {
        return rps_csv_table_fail(table, number, err, "the line has %s%d fields, but the header names %d columns",
                                  words < 0 ? "more than " : "", words < 0 ? (int)RPS_CSV_COLUMNS : words,
                                  table->columns);
    }
    double *row = table->value + table->rows * (size_t)table->columns;
    for (int k = 0; k < words; k++) {
        if (rps_parse_double(word[k], &row[k], NULL) == RPS_OK && isfinite(row[k])) continue;
        return rps_csv_table_fail(table, number, err, "`%.40s` of column `%.40s` is %s", word[k], table->name[k],
                                  *word[k] ? "not a finite number" : "empty");
    }
    table->line[table->rows++] = number;
    return RPS_OK;
}

static rps_status reserve_rows(rps_csv_table *table, const char *text, rps_error *err) {
    size_t lines = 1, bytes;
    for (const char *c = text; *c; c++) lines += *c == '\n' || *c == '\r';
    RPS_TRY(rps_size_of_items(lines, (size_t)table->columns * sizeof *table->value, &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, (void **)&table->value, &table->value_bytes, 0, bytes, err));
    RPS_TRY(rps_size_of_items(lines, sizeof *table->line, &bytes, err));
    return rps_buffer_reserve(NULL, (void **)&table->line, &table->line_bytes, 0, bytes, err);
}

rps_status rps_csv_table_read(const char *path, rps_csv_table *table, rps_error *err) {
    size_t count = 0, number = 0;
    char separator = ',';
    memset(table, 0, sizeof *table);
    RPS_TRY(rps_path_join(table->path, NULL, path, err));
    RPS_TRY(rps_file_read_bytes(path, &table->text, &table->text_bytes, &count, err));
    char *at = table->text;
    if (strlen(at) != count) {
        for (const char *c = at; *c; c++) number += *c == '\n';
        return rps_csv_table_fail(table, number + 1, err, "a zero byte is no text");
    }
    if (strncmp(at, "\357\273\277", 3) == 0) at += 3; /* a byte order mark */
    for (char *line; (line = rps_csv_next_line(&at)) != NULL;) {
        number++;
        if (rps_csv_is_void(line)) continue;
        if (table->header == 0) {
            table->header = number;
            separator = separator_of(line);
            RPS_TRY(take_headings(table, line, separator, err));
            RPS_TRY(reserve_rows(table, at, err));
        } else {
            RPS_TRY(take_row(table, line, number, separator, err));
        }
    }
    if (table->header > 0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s is empty; a header and rows of numbers are expected", path);
}

void rps_csv_table_release(rps_csv_table *table) {
    rps_buffer_release(NULL, &table->text, &table->text_bytes);
    rps_buffer_release(NULL, (void **)&table->value, &table->value_bytes);
    rps_buffer_release(NULL, (void **)&table->line, &table->line_bytes);
}
