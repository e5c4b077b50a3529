/* Each row is one write that includes its line end, so that after a kill every line but the last is complete. */
#include "io/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

void rps_csv_init(rps_csv *csv, const rps_allocator *allocator) {
    memset(csv, 0, sizeof *csv);
    csv->to.file = -1;
    rps_text_init(&csv->line, allocator, (size_t)1 << 30);
}

static rps_status write_line(rps_csv *csv, rps_error *err) {
    if (csv->line.status != RPS_OK) {
        return rps_fail(err, csv->line.status, "cannot write %s: no memory for a line", csv->to.path);
    }
    return rps_append_write(&csv->to, csv->line.data, csv->line.length, err);
}

rps_status rps_csv_open(rps_csv *csv, const char *path, const char *const *name, const char *const *unit,
                        size_t columns, rps_error *err) {
    csv->columns = columns;
    csv->rows = 0;
    RPS_TRY(rps_append_open(&csv->to, path, err));
    rps_text_clear(&csv->line);
    for (size_t i = 0; i < columns; i++) {
        bool pure = !unit[i] || !unit[i][0] || strcmp(unit[i], "1") == 0;
        rps_text_addf(&csv->line, NULL, pure ? "%s%s%s" : "%s%s [%s]", i ? "," : "", name[i], pure ? "" : unit[i]);
    }
    rps_text_add(&csv->line, csv->notes ? ",undefined\n" : "\n", NULL);
    return write_line(csv, err);
}

rps_status rps_csv_resume(rps_csv *csv, const char *path, size_t columns, uint64_t rows, uint64_t bytes,
                          rps_error *err) {
    csv->columns = columns;
    csv->rows = rows;
    return rps_append_resume(&csv->to, path, bytes, err);
}

rps_status rps_csv_whole_rows(const char *path, uint64_t most, uint64_t *rows, uint64_t *bytes, rps_error *err) {
    char part[1 << 14];
    uint64_t lines = 0, at = 0;
    *rows = *bytes = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return rps_file_fail(err, "go on with", path, errno);
    ssize_t n = 1;
    while (at < most && n != 0) {
        n = read(file, part, most - at < sizeof part ? (size_t)(most - at) : sizeof part);
        if (n < 0 && errno != EINTR) break;
        for (ssize_t k = 0; k < n; k++) {
            if (part[k] == '\n') {
                lines++;
                *bytes = at + (uint64_t)k + 1;
            }
        }
        at += n > 0 ? (uint64_t)n : 0;
    }
    const int error = n < 0 ? errno : 0;
    close(file);
    *rows = lines > 0 ? lines - 1 : 0; /* the first line is the header */
    return error ? rps_file_fail(err, "read", path, error) : RPS_OK;
}

rps_status rps_csv_last_line(const char *path, uint64_t bytes, uint64_t *start, rps_error *err) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return rps_file_fail(err, "go on with", path, errno);
    }
    char part[4096];
    uint64_t at = bytes > 0 ? bytes - 1 : 0; /* skips the line end of the last line */
    bool found = false, good = true;
    while (at > 0 && !found && good) {
        size_t n = at < sizeof part ? (size_t)at : sizeof part;
        good = at <= INT64_MAX && pread(file, part, n, (off_t)(at - n)) == (ssize_t)n;
        for (; good && n > 0 && !found; n--, at--) {
            found = part[n - 1] == '\n';
        }
    }
    close(file);
    *start = found ? at + 1 : 0;
    return found
               ? RPS_OK
               : rps_fail(err, RPS_BAD_INPUT,
                          "%s is not what the run wrote: it has no row to replace; it was changed since, so start the "
                          "run again",
                          path);
}

uint64_t rps_csv_bytes(const rps_csv *csv) {
    return rps_append_bytes(&csv->to);
}

rps_status rps_csv_sync(rps_csv *csv, rps_error *err) {
    return rps_append_sync(&csv->to, err);
}

rps_status rps_csv_row(rps_csv *csv, const double *value, const char *note, rps_error *err) {
    rps_text_clear(&csv->line);
    for (size_t i = 0; i < csv->columns; i++) {
        if (i) {
            rps_text_add(&csv->line, ",", NULL);
        }
        if (!isnan(value[i])) {
            rps_text_add_double(&csv->line, value[i], NULL);
        }
    }
    if (csv->notes) {
        rps_text_addf(&csv->line, NULL, ",%s", note);
    }
    rps_text_add(&csv->line, "\n", NULL);
    RPS_TRY(write_line(csv, err));
    csv->rows++;
    return RPS_OK;
}

rps_status rps_csv_close(rps_csv *csv, rps_error *err) {
    rps_text_release(&csv->line);
    return rps_append_close(&csv->to, err);
}
