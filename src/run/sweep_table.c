/* Rows of a sweep's table, and the file they are appended to: CSV, one write per row. On resume, a partial line left
 * by a kill is truncated. */
#include "run/sweep_state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file_names.h"
#include "io/output.h"

/* --- rows ---------------------------------------------------------------------------------------------------------- */

/* Quotes a field if necessary; a line end becomes a blank. */
static void add_field(rps_text *line, const char *text) {
    bool quote = strpbrk(text, ",\"\n\r") != NULL || text[0] == ' ';
    if (quote) rps_text_add(line, "\"", NULL);
    while (*text) {
        char c[RPS_CHARACTER];
        rps_next_character(&text, c);
        rps_text_add(line, *c == '\n' || *c == '\r' ? " " : *c == '"' ? "\"\"" : c, NULL);
    }
    if (quote) rps_text_add(line, "\"", NULL);
}

static void add_title(rps_text *line, const char *name, const char *unit) {
    char title[RPS_SWEEP_SET];
    bool plain = !unit || !*unit || strcmp(unit, "1") == 0;
    snprintf(title, sizeof title, plain ? "%s" : "%s [%s]", name, unit);
    add_field(line, title);
    rps_text_add(line, ",", NULL);
}

static rps_status end_line(rps_text *line, rps_error *err) {
    return rps_text_add(line, "\n", NULL) == RPS_OK ? RPS_OK
                                                    : rps_fail(err, RPS_NO_MEMORY, "no memory for a row of the table");
}

rps_status rps_sweep_header(const sweep_state *sweep, bool runs, rps_text *line, rps_error *err) {
    rps_text_clear(line);
    for (size_t i = 0; i < sweep->axes; i++) add_title(line, sweep->axis[i].path, sweep->axis[i].unit);
    if (sweep->finds) add_title(line, sweep->find.path, sweep->find.unit);
    if (sweep->finds && !runs) {
        add_title(line, "low", sweep->find.unit);
        add_title(line, "high", sweep->find.unit);
        add_title(line, "runs", NULL);
    }
    for (size_t i = 0; runs && i < sweep->measures; i++)
        add_title(line, sweep->measure[i].name, sweep->measure[i].unit);
    if (runs) rps_text_add(line, "note,", NULL);
    rps_text_add(line, "failure", NULL);
    return end_line(line, err);
}

static void add_number(rps_text *line, double value) {
    if (!isnan(value)) rps_text_add_double(line, value, NULL);
    rps_text_add(line, ",", NULL);
}

static void add_varied(const sweep_state *sweep, size_t point, rps_text *line) {
    rps_text_clear(line);
    for (size_t i = 0; i < sweep->axes; i++) {
        add_field(line, sweep->axis[i].text[rps_sweep_index(sweep, point, i)]);
        rps_text_add(line, ",", NULL);
    }
}

rps_status rps_sweep_row(const sweep_state *sweep, size_t point, const sweep_record *record, rps_text *line,
                         rps_error *err) {
    add_varied(sweep, point, line);
    if (sweep->finds) add_number(line, record->tried);
    for (size_t i = 0; i < sweep->measures; i++) {
        rps_measure_kind kind = sweep->measure[i].kind;
        double value = record->value[i];
        if (kind == RPS_MEASURE_NUMBER || isnan(value)) {
            add_number(line, value);
        } else {
            rps_text_add(line, rps_measure_word(kind, (int)value), NULL);
            rps_text_add(line, ",", NULL);
        }
    }
    if (record->note) add_field(line, record->note);
    rps_text_add(line, ",", NULL);
    if (record->failure) add_field(line, record->failure);
    return end_line(line, err);
}

rps_status rps_sweep_found_row(const sweep_state *sweep, size_t point, const sweep_found *found, rps_text *line,
                               rps_error *err) {
    add_varied(sweep, point, line);
    add_number(line, found->value);
    add_number(line, found->low);
    add_number(line, found->high);
    add_number(line, (double)sweep->point[point].records);
    if (found->failure) add_field(line, found->failure);
    return end_line(line, err);
}

rps_status rps_sweep_add_record(sweep_state *sweep, sweep_point *point, const sweep_record *record, rps_error *err) {
    if (point->records == point->capacity) {
        size_t capacity = point->capacity ? 2 * point->capacity : 1;
        sweep_record *more = rps_pool_take(&sweep->pool, capacity * sizeof *more, err);
        if (!more) return RPS_NO_MEMORY;
        if (point->records) memcpy(more, point->record, point->records * sizeof *more);
        point->record = more;
        point->capacity = capacity;
    }
    sweep_record *to = &point->record[point->records];
    *to = *record;
    to->value = rps_pool_take(&sweep->pool, (sweep->measures + 1) * sizeof *to->value, err);
    if (!to->value) return RPS_NO_MEMORY;
    memcpy(to->value, record->value, sweep->measures * sizeof *to->value);
    const char **text[] = {&to->failure, &to->note};
    for (int k = 0; k < 2; k++) {
        if (!*text[k]) continue;
        char *copy = rps_pool_printf(&sweep->pool, err, "%s", *text[k]);
        if (!copy) return RPS_NO_MEMORY;
        for (char *c = copy; *c; c++) *c = *c == '\n' || *c == '\r' ? ' ' : *c;
        *text[k] = copy;
    }
    point->records++;
    sweep->runs++;
    sweep->failed += record->failure && !sweep->finds;
    sweep->noted += record->note != NULL;
    return RPS_OK;
}

/* --- reading an existing table ------------------------------------------------------------------------------------- */

/* The next field of a line, unquoted in place; NULL at the end. */
static char *next_field(char **rest) {
    char *field = *rest, *to = field, *from = field;
    if (!field) return NULL;
    bool quoted = *from == '"';
    if (quoted) from++;
    while (*from && (quoted || *from != ',')) {
        if (quoted && *from == '"') {
            from++;
            if (*from != '"') {
                quoted = false;
                continue;
            }
        }
        *to++ = *from++;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = 0;
    return field;
}

static double sweep_table_read_value(rps_measure_kind kind, const char *field) {
    double value = NAN;
    if (kind == RPS_MEASURE_NUMBER) {
        if (rps_parse_double(field, &value, NULL) != RPS_OK && strcmp(field, "inf") == 0) value = INFINITY;
        return value;
    }
    for (int k = 0; rps_measure_word(kind, k); k++) {
        if (strcmp(rps_measure_word(kind, k), field) == 0) value = k;
    }
    return value;
}

/* Converts a line to a record of the next point; the record must format to exactly the same line. */
static rps_status read_line(sweep_state *sweep, char *line, rps_text *again, rps_error *err) {
    sweep_point *point = &sweep->point[sweep->next];
    sweep_record record = {.tried = NAN};
    double value[RPS_SWEEP_MEASURES];
    rps_text copy;
    rps_text_init(&copy, NULL, (size_t)1 << 20);
    rps_text_addf(&copy, NULL, "%s\n", line);
    char *rest = line, *field = NULL;
    for (size_t i = 0; i < sweep->axes; i++) next_field(&rest);
    if (sweep->finds) {
        field = next_field(&rest);
        record.tried = field ? sweep_table_read_value(RPS_MEASURE_NUMBER, field) : NAN;
    }
    for (size_t i = 0; i < sweep->measures; i++) {
        field = next_field(&rest);
        value[i] = field ? sweep_table_read_value(sweep->measure[i].kind, field) : NAN;
    }
    field = next_field(&rest);
    record.note = field && *field ? field : NULL;
    field = next_field(&rest);
    record.value = value;
    record.failure = field && *field ? field : NULL;
    rps_status status = rps_sweep_row(sweep, sweep->next, &record, again, err);
    bool same = status == RPS_OK && strcmp(rps_text_string(&copy), rps_text_string(again)) == 0;
    rps_text_release(&copy);
    double expected;
    sweep_found found;
    if (same && sweep->finds) same = rps_find_next(sweep, point, &expected, &found) && expected == record.tried;
    if (status == RPS_OK && !same) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: row %zu is not of this sweep; start it again with --overwrite or in another directory",
                        sweep->table.path, sweep->table.rows + 1);
    }
    RPS_TRY(status);
    RPS_TRY(rps_sweep_add_record(sweep, point, &record, err));
    point->written = point->records;
    sweep->resumed++;
    sweep->table.rows++;
    point->done = sweep->finds ? !rps_find_next(sweep, point, &expected, &found) : true;
    sweep->next += point->done;
    sweep->points_done += point->done;
    sweep->failed += sweep->finds && point->done && found.failure;
    return RPS_OK;
}

/* Converts the complete lines of the file to records; *bytes is their length. */
static rps_status read_table(sweep_state *sweep, const char *header, char *text, size_t *bytes, rps_error *err) {
    rps_text again;
    rps_text_init(&again, NULL, (size_t)1 << 20);
    rps_status status = RPS_OK;
    size_t length = strlen(header);
    *bytes = 0;
    sweep->table.rows = 0;
    if (strncmp(text, header, length) != 0) {
        if (strncmp(text, header, strlen(text)) == 0) return RPS_OK; /* partial header: start again */
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s has other columns than this sweep; start it again with --overwrite or in another directory",
                        sweep->table.path);
    }
    *bytes = length;
    for (char *line = text + length, *end; status == RPS_OK && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (sweep->next == sweep->to) {
            status = rps_fail(err, RPS_BAD_INPUT, "%s has more rows than this sweep has runs", sweep->table.path);
            break;
        }
        status = read_line(sweep, line, &again, err);
        *bytes = (size_t)(end + 1 - text);
    }
    rps_text_release(&again);
    return status;
}

rps_status rps_sweep_table_read(sweep_state *sweep, rps_error *err) {
    void *text = NULL;
    size_t capacity = 0, bytes;
    rps_text header;
    RPS_TRY(rps_file_read(sweep->table.path, &text, &capacity, err));
    rps_text_init(&header, NULL, (size_t)1 << 20);
    rps_status status = rps_sweep_header(sweep, true, &header, err);
    if (status == RPS_OK) status = read_table(sweep, rps_text_string(&header), text, &bytes, err);
    rps_text_release(&header);
    rps_buffer_release(NULL, &text, &capacity);
    return status;
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

static rps_status sweep_table_write_whole(sweep_table *table, const char *text, size_t bytes, rps_error *err) {
    off_t start = lseek(table->file, 0, SEEK_END);
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(table->file, text + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            int number = n < 0 ? errno : ENOSPC;
            if (start >= 0 && ftruncate(table->file, start) != 0) number = errno;
            return rps_file_fail(err, "write", table->path, number);
        }
        done += (size_t)n;
    }
    return RPS_OK;
}

static const char *const result_name[] = {RPS_SWEEP_TABLE, RPS_SWEEP_RUNS, RPS_SWEEP_FILE, RPS_SWEEP_PICTURE,
                                          RPS_SWEEP_PLAN};

/* Another sweep in this directory is an error; with `overwrite` it is removed. */
static rps_status sweep_table_reserve(const sweep_state *sweep, rps_error *err) {
    char path[RPS_PATH];
    for (size_t i = 0; i < sizeof result_name / sizeof *result_name; i++) {
        RPS_TRY(rps_path_join(path, sweep->options->directory, result_name[i], err));
        if (!rps_file_exists(path)) continue;
        if (!sweep->options->overwrite) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s is there already; go on with that sweep by --resume, replace it by --overwrite, or choose "
                "another directory",
                path);
        }
        RPS_TRY(rps_output_remove(path, err));
    }
    return RPS_OK;
}

/* sweep.plan identifies the sweep in the directory. *there: it is this one. */
static rps_status claim(sweep_state *sweep, bool *there, rps_error *err) {
    char path[RPS_PATH];
    void *old = NULL;
    size_t capacity = 0;
    rps_text plan;
    rps_text_init(&plan, NULL, (size_t)1 << 28);
    RPS_TRY(rps_path_join(path, sweep->options->directory, RPS_SWEEP_PLAN, err));
    rps_status status = rps_sweep_identity(sweep, &plan, err);
    *there = false;
    if (status == RPS_OK && sweep->options->resume && rps_file_exists(path)) {
        status = rps_file_read(path, &old, &capacity, err);
    }
    if (status == RPS_OK && old) {
        *there = strcmp(old, rps_text_string(&plan)) == 0;
        if (!*there) {
            status = rps_fail(
                err, RPS_BAD_INPUT,
                "%s is of another sweep: the scene, the settings, what varies, what is measured or the program "
                "has changed; start again with --overwrite or in another directory",
                path);
        }
    } else if (status == RPS_OK) {
        status = sweep_table_reserve(sweep, err);
        if (status == RPS_OK) status = rps_file_replace(path, rps_text_string(&plan), plan.length, err);
    }
    rps_buffer_release(NULL, &old, &capacity);
    rps_text_release(&plan);
    return status;
}

rps_status rps_sweep_table_open(sweep_state *sweep, rps_error *err) {
    sweep_table *table = &sweep->table;
    const char *directory = sweep->options->directory;
    bool there;
    void *old = NULL;
    size_t capacity = 0, bytes = 0;
    RPS_TRY(rps_directory_make(directory, err));
    RPS_TRY(rps_folder_take(&sweep->folder, directory, RPS_FOLDER_WRITE, sweep->options->log,
                            sweep->options->log_context, err));
    RPS_TRY(rps_path_join(table->path, directory, sweep->finds ? RPS_SWEEP_RUNS : RPS_SWEEP_TABLE, err));
    RPS_TRY(claim(sweep, &there, err));
    rps_text header;
    rps_text_init(&header, NULL, (size_t)1 << 20);
    rps_status status = rps_sweep_header(sweep, true, &header, err);
    if (status == RPS_OK && there && rps_file_exists(table->path)) {
        status = rps_file_read(table->path, &old, &capacity, err);
    }
    if (status == RPS_OK && old) status = read_table(sweep, rps_text_string(&header), old, &bytes, err);
    rps_buffer_release(NULL, &old, &capacity);
    if (status == RPS_OK) {
        table->file = open(table->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (table->file < 0 || ftruncate(table->file, (off_t)bytes) != 0) {
            status = rps_file_fail(err, "open", table->path, errno);
        }
    }
    if (status == RPS_OK && bytes == 0) status = rps_sweep_table_add(table, &header, err);
    rps_text_release(&header);
    return status;
}

rps_status rps_sweep_table_add(sweep_table *table, const rps_text *line, rps_error *err) {
    return table->file < 0 ? RPS_OK : sweep_table_write_whole(table, rps_text_string(line), line->length, err);
}

rps_status rps_sweep_table_close(sweep_table *table, rps_error *err) {
    int file = table->file;
    table->file = -1;
    return file < 0 || close(file) == 0 ? RPS_OK : rps_file_fail(err, "close", table->path, errno);
}
