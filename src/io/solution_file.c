#include "solution_file.h"

#include <errno.h>

#include "base/text.h"
#include "io/file.h"

enum { LINE_MOST = 1024 };

static const char *const row_name[][RPS_CONE_ROWS] = {
    [2] = {"n", "t"},
    [3] = {"n", "t1", "t2"},
    [5] = {"n", "t1", "t2", "r1", "r2"},
    [6] = {"n", "t1", "t2", "spin", "r1", "r2"},
};

static rps_status solution_head(rps_text *line, int d, rps_error *err) {
    static const char letter[] = {'r', 'u'};
    RPS_TRY(rps_text_add(line, "contact", err));
    for (int of = 0; of < 2; of++) {
        for (int k = 0; k < d; k++) {
            const char *unit = of == 0 ? (k < 3 ? "N s" : "N m s") : (k < 3 ? "m/s" : "rad/s");
            RPS_TRY(rps_text_addf(line, err, ",%c_%s [%s]", letter[of], row_name[d][k], unit));
        }
    }
    return rps_text_add(line, "\n", err);
}

static rps_status solution_row(rps_text *line, size_t contact, int d, const double *r, const double *u,
                               rps_error *err) {
    const double *const of[] = {r, u};
    RPS_TRY(rps_text_addf(line, err, "%zu", contact));
    for (int which = 0; which < 2; which++) {
        for (int k = 0; k < d; k++) {
            RPS_TRY(rps_text_add(line, ",", err));
            RPS_TRY(rps_text_add_double(line, of[which][contact * (size_t)d + (size_t)k], err));
        }
    }
    return rps_text_add(line, "\n", err);
}

rps_status rps_cone_solution_write(const char *path, const rps_cone_problem *problem, const double *r, const double *u,
                                   rps_error *err) {
    rps_replacement file;
    rps_text line;
    const int d = problem->shape->rows;
    RPS_TRY(rps_replacement_begin(&file, path, err));
    rps_text_init(&line, problem->allocator, LINE_MOST);
    rps_status status = solution_head(&line, d, err);
    for (size_t k = 0; k < problem->contacts && status == RPS_OK; k++) {
        rps_replacement_write(&file, line.data, line.length);
        rps_text_clear(&line);
        status = solution_row(&line, k, d, r, u, err);
    }
    if (status == RPS_OK) rps_replacement_write(&file, line.data, line.length);
    if (status != RPS_OK) file.error = ENOMEM;
    rps_text_release(&line);
    rps_error unused;
    const rps_status written = rps_replacement_end(&file, false, status == RPS_OK ? err : &unused);
    return status == RPS_OK ? written : status;
}
