/* The reader of "ncp 1" files. It loads the whole text first, so that counts are checked against the text length
 * before anything is allocated for them: every number takes at least two bytes. */
#include "problem_file.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "io/fclib.h"

enum { TOKEN = 64, CHUNK = 1 << 20 };
#define TEXT_MAX ((size_t)1 << 32)

typedef struct reader {
    const char *name, *at, *end;
    size_t line;
} reader;

static rps_status problem_file_next(reader *r, char word[TOKEN], const char *what, rps_error *err) {
    for (; r->at < r->end; r->at++) {
        if (*r->at == '#') {
            while (r->at + 1 < r->end && r->at[1] != '\n') {
                r->at++;
            }
        } else if (*r->at == '\n') {
            r->line++;
        } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
            break;
        }
    }
    size_t n = 0;
    for (; r->at < r->end && !strchr(" \t\r\n#", *r->at) && n < TOKEN; r->at++) {
        word[n++] = *r->at;
    }
    if (n == 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: %s expected, and the file ends%s", r->name, r->line, what,
                        r->at < r->end ? " in a zero byte" : "; it is cut or its counts are wrong");
    }
    if (n == TOKEN) {
        return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: %s expected, not a word of %d characters and more", r->name,
                        r->line, what, (int)TOKEN);
    }
    word[n] = 0;
    return RPS_OK;
}

static rps_status problem_file_count(reader *r, const char *what, size_t high, size_t *value, rps_error *err) {
    char word[TOKEN];
    RPS_TRY(problem_file_next(r, word, what, err));
    *value = 0;
    for (const char *c = word; *c; c++) {
        if (*c < '0' || *c > '9' || (*value = *value * 10 + (size_t)(*c - '0')) > high) {
            return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: %s is \"%s\"; expected a whole number from 0 to %zu", r->name,
                            r->line, what, word, high);
        }
    }
    return RPS_OK;
}

static rps_status numbers(reader *r, const char *what, double *out, size_t n, rps_error *err) {
    char word[TOKEN];
    for (size_t k = 0; k < n; k++) {
        RPS_TRY(problem_file_next(r, word, what, err));
        rps_error why;
        if (rps_parse_double(word, &out[k], &why) != RPS_OK) {
            return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: %s: %s", r->name, r->line, what, why.text);
        }
    }
    return RPS_OK;
}

typedef struct rps_draft {
    double *number;
    rps_cone_entry *entry;
} rps_draft;

static rps_status parse_body(reader *r, rps_draft *draft, rps_cone_problem *p, const rps_allocator *allocator, size_t d,
                             size_t n, size_t entries, rps_error *err) {
    double *mu = draft->number, *rho = mu + n, *sigma = rho + n, *q = sigma + n;
    RPS_TRY(numbers(r, "mu", mu, n, err));
    if (d >= 5) {
        RPS_TRY(numbers(r, "rho", rho, n, err));
    }
    if (d == 6) {
        RPS_TRY(numbers(r, "sigma", sigma, n, err));
    }
    RPS_TRY(numbers(r, "q", q, d * n, err));
    for (size_t k = 0; k < entries; k++) {
        size_t i, j;
        RPS_TRY(problem_file_count(r, "the row of an entry of W", d * n - 1, &i, err));
        RPS_TRY(problem_file_count(r, "the column of an entry of W", d * n - 1, &j, err));
        RPS_TRY(numbers(r, "an entry of W", &draft->entry[k].value, 1, err));
        draft->entry[k].i = (uint32_t)i;
        draft->entry[k].j = (uint32_t)j;
    }
    char word[TOKEN];
    if (problem_file_next(r, word, "", NULL) == RPS_OK) {
        return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: \"%s\" after the last of %zu entries; the counts are wrong",
                        r->name, r->line, word, entries);
    }
    rps_status status = rps_cone_problem_make(p, allocator, (int)d, n, mu, rho, sigma, q, draft->entry, entries, err);
    if (status != RPS_OK) {
        rps_error_prefix(err, "%s: ", r->name);
    }
    return status;
}

rps_status rps_cone_problem_parse(rps_cone_problem *p, const rps_allocator *allocator, const char *name,
                                  const char *text, size_t bytes, rps_error *err) {
    *p = (rps_cone_problem){0};
    reader r = {name, text, text + bytes, 1};
    char word[TOKEN];
    size_t version, d, n, entries;
    RPS_TRY(problem_file_next(&r, word, "\"ncp 1\"", err));
    if (strcmp(word, "ncp") != 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: a contact problem starts with \"ncp 1\", not with \"%s\"", name,
                        r.line, word);
    }
    RPS_TRY(problem_file_count(&r, "the version", 1000, &version, err));
    RPS_TRY(problem_file_count(&r, "the number of rows a contact", 6, &d, err));
    RPS_TRY(problem_file_count(&r, "the number of contacts", INT32_MAX / RPS_CONE_ROWS, &n, err));
    RPS_TRY(problem_file_count(&r, "the number of entries of W", (size_t)1 << 40, &entries, err));
    if (version != 1 || !rps_cone_shape_of((int)d) || n == 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: version %zu, %zu rows a contact, %zu contacts; expected version 1, 2 or 3 or 5 or 6 rows, "
                        "and a contact at least",
                        name, version, d, n);
    }
    if (d * n + n + 3 * entries > bytes / 2 + 1) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: %zu contacts with %zu entries of W cannot be in %zu bytes; it is cut or its counts are "
                        "wrong",
                        name, n, entries, bytes);
    }
    rps_draft draft = {NULL, NULL};
    void *block;
    size_t count_bytes = (d + 3) * n * sizeof(double), entry_bytes = entries * sizeof(rps_cone_entry);
    RPS_TRY(rps_memory_alloc(allocator, count_bytes, &block, err));
    draft.number = block;
    rps_status status = rps_memory_alloc(allocator, entry_bytes, &block, err);
    if (status == RPS_OK) {
        draft.entry = block;
        status = parse_body(&r, &draft, p, allocator, d, n, entries, err);
        rps_memory_release(allocator, draft.entry, entry_bytes);
    }
    rps_memory_release(allocator, draft.number, count_bytes);
    return status;
}

static rps_status problem_file_load(gzFile file, const char *path, const rps_allocator *allocator, void **text,
                                    size_t *capacity, size_t *length, rps_error *err) {
    for (;;) {
        if (*length >= TEXT_MAX) {
            return rps_fail(err, RPS_BAD_INPUT, "%s is longer than %zu bytes", path, TEXT_MAX);
        }
        RPS_TRY(rps_buffer_reserve(allocator, text, capacity, *length, *length + CHUNK, err));
        int got = gzread(file, (char *)*text + *length, CHUNK), code = Z_OK;
        const char *why = gzerror(file, &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
            char cause[RPS_SYSTEM_ERROR];
            return rps_fail(err, code == Z_ERRNO ? RPS_IO_ERROR : RPS_BAD_INPUT, "cannot read %s: %s", path,
                            code == Z_ERRNO ? rps_system_error(errno, cause) : why);
        }
        if (got == 0) {
            return RPS_OK;
        }
        *length += (size_t)got;
    }
}

rps_status rps_cone_problem_read(rps_cone_problem *p, const rps_allocator *allocator, const char *path,
                                 rps_error *err) {
    *p = (rps_cone_problem){0};
    if (rps_is_hdf5(path)) return rps_fclib_read(p, allocator, path, err);
    errno = 0;
    gzFile file = gzopen(path, "rb");
    if (!file) {
        char cause[RPS_SYSTEM_ERROR];
        return errno ? rps_fail(err, RPS_IO_ERROR, "cannot read %s: %s", path, rps_system_error(errno, cause))
                     : rps_fail(err, RPS_NO_MEMORY, "no memory to read %s", path);
    }
    void *text = NULL;
    size_t capacity = 0, length = 0;
    rps_status status = problem_file_load(file, path, allocator, &text, &capacity, &length, err);
    gzclose(file);
    if (status == RPS_OK) {
        status = rps_cone_problem_parse(p, allocator, path, text, length, err);
    }
    rps_buffer_release(allocator, &text, &capacity);
    return status;
}
