/* The writer of "ncp 1" files. Numbers read back to the same bits. */
#include "problem_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/file.h"

enum { PIECE = 1 << 16 };

typedef struct problem_writer {
    rps_replacement file;
    rps_text text; /* what is not in the file yet */
    const rps_cone_problem *problem;
} problem_writer;

static void flush_text(problem_writer *w, bool all) {
    if (!all && w->text.length < PIECE) return;
    rps_replacement_write(&w->file, w->text.data, w->text.length);
    rps_text_clear(&w->text);
}

/* Every step-th number from `at`, `count` of them, on a line. */
static rps_status write_numbers(problem_writer *w, const double *at, size_t step, size_t count, rps_error *err) {
    for (size_t k = 0; k < count; k++) {
        if (k > 0) RPS_TRY(rps_text_add(&w->text, k % 6 == 0 ? "\n" : " ", err));
        RPS_TRY(rps_text_add_double(&w->text, at[k * step], err));
        flush_text(w, false);
    }
    return rps_text_add(&w->text, "\n", err);
}

/* Coefficients in the order of the file: mu, rho, sigma. */
static rps_status write_coefficients(problem_writer *w, rps_error *err) {
    const rps_cone_problem *p = w->problem;
    const size_t cones = (size_t)p->shape->cones;
    RPS_TRY(write_numbers(w, p->c, cones, p->contacts, err));
    if (cones > 1) RPS_TRY(write_numbers(w, p->c + cones - 1, cones, p->contacts, err));
    if (cones > 2) RPS_TRY(write_numbers(w, p->c + 1, cones, p->contacts, err));
    return RPS_OK;
}

/* Counts the entries of W that are not 0, and with `writes` writes them. */
static rps_status write_entries(problem_writer *w, bool writes, size_t *count, rps_error *err) {
    const rps_cone_problem *p = w->problem;
    const size_t d = (size_t)p->shape->rows;
    *count = 0;
    for (size_t row = 0; row < p->rows; row++) {
        const size_t i = row / d;
        for (size_t b = p->start[i]; b < p->start[i + 1]; b++) {
            const double *w_row = p->block + (b * d + row % d) * d;
            for (size_t k = 0; k < d; k++) {
                if (w_row[k] == 0.0) continue;
                ++*count;
                if (!writes) continue;
                RPS_TRY(rps_text_addf(&w->text, err, "%zu %zu ", row, p->column[b] * d + k));
                RPS_TRY(rps_text_add_double(&w->text, w_row[k], err));
                RPS_TRY(rps_text_add(&w->text, "\n", err));
                flush_text(w, false);
            }
        }
    }
    return RPS_OK;
}

static rps_status write_problem(problem_writer *w, const char *remark, rps_error *err) {
    const rps_cone_problem *p = w->problem;
    size_t entries;
    RPS_TRY(write_entries(w, false, &entries, err));
    rps_replacement_write(&w->file, "ncp 1\n", 6);
    rps_replacement_write(&w->file, remark, strlen(remark));
    RPS_TRY(rps_text_addf(&w->text, err, "%d %zu %zu\n", p->shape->rows, p->contacts, entries));
    RPS_TRY(write_coefficients(w, err));
    RPS_TRY(write_numbers(w, p->q, 1, p->rows, err));
    RPS_TRY(write_entries(w, true, &entries, err));
    flush_text(w, true);
    return RPS_OK;
}

rps_status rps_cone_problem_write(const char *path, const rps_cone_problem *problem, const char *remark,
                                  rps_error *err) {
    problem_writer w = {.problem = problem};
    for (size_t k = 0; k < problem->contacts * (size_t)problem->shape->cones; k++) {
        if (isfinite(problem->c[k])) continue;
        return rps_fail(err, RPS_UNSUPPORTED,
                        "%s: contact %zu is held by a coefficient of infinity, which an .ncp file does not know", path,
                        k / (size_t)problem->shape->cones);
    }
    RPS_TRY(rps_replacement_begin(&w.file, path, err));
    rps_text_init(&w.text, problem->allocator, 2 * PIECE);
    const rps_status status = write_problem(&w, remark, err);
    if (status != RPS_OK) w.file.error = ENOMEM;
    rps_text_release(&w.text);
    rps_error unused;
    const rps_status written = rps_replacement_end(&w.file, false, status == RPS_OK ? err : &unused);
    return status == RPS_OK ? written : status;
}
