#include "fclib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/c_locale.h"
#include "cone/condense.h"
#include "io/h5.h"

typedef struct fclib_block {
    void *data;
    size_t bytes;
} fclib_block;

typedef struct fclib_matrix {
    size_t rows, columns;
    rps_cone_entries entries;
    size_t bytes;
} fclib_matrix;

typedef struct fclib_file {
    const char *path;
    const rps_allocator *allocator;
    hid_t group; /* the problem */
} fclib_file;

/* --- datasets ----------------------------------------------------------------------------------------------------------- */

static bool fclib_has(const fclib_file *f, const char *name) {
    char part[64];
    const char *slash = strchr(name, '/');
    if (slash) {
        rps_snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        if (H5Lexists(f->group, part, H5P_DEFAULT) <= 0) return false;
    }
    return H5Lexists(f->group, name, H5P_DEFAULT) > 0;
}

/* All numbers of a dataset, as `type` of `size` bytes. */
static rps_status fclib_numbers(const fclib_file *f, const char *name, hid_t type, size_t size, fclib_block *out,
                                size_t *count, rps_error *err) {
    *out = (fclib_block){0};
    if (!fclib_has(f, name)) return rps_fail(err, RPS_BAD_INPUT, "%s: the problem has no dataset %s", f->path, name);
    const hid_t dataset = H5Dopen2(f->group, name, H5P_DEFAULT);
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    const hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    rps_status status = points >= 0 ? RPS_OK : rps_h5_damaged(err, "read", f->path);
    if (status == RPS_OK) status = rps_size_of_items((size_t)points, size, &out->bytes, err);
    if (status == RPS_OK) status = rps_memory_alloc(f->allocator, out->bytes, &out->data, err);
    if (status == RPS_OK && points > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->data) < 0) {
        status = rps_h5_damaged(err, "read", f->path);
    }
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    *count = points >= 0 ? (size_t)points : 0;
    return status;
}

static void block_release(const fclib_file *f, fclib_block *block) {
    rps_memory_release(f->allocator, block->data, block->bytes);
    *block = (fclib_block){0};
}

static rps_status fclib_integer(const fclib_file *f, const char *name, int *value, rps_error *err) {
    fclib_block block;
    size_t count;
    rps_status status = fclib_numbers(f, name, H5T_NATIVE_INT, sizeof(int), &block, &count, err);
    if (status == RPS_OK && count != 1) {
        status = rps_fail(err, RPS_BAD_INPUT, "%s: %s has %zu numbers; expected one", f->path, name, count);
    }
    if (status == RPS_OK) *value = *(const int *)block.data;
    block_release(f, &block);
    return status;
}

/* A vector of so many numbers, all finite. */
static rps_status fclib_vector(const fclib_file *f, const char *name, size_t expected, fclib_block *out,
                               rps_error *err) {
    size_t count;
    RPS_TRY(fclib_numbers(f, name, H5T_NATIVE_DOUBLE, sizeof(double), out, &count, err));
    if (count != expected) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s has %zu numbers; expected %zu", f->path, name, count, expected);
    }
    const double *number = out->data;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(number[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "%s: number %zu of %s is not finite", f->path, k, name);
        }
    }
    return RPS_OK;
}

/* --- matrices ----------------------------------------------------------------------------------------------------------- */

typedef struct fclib_stored {
    const char *name;
    int nz; /* entries of triplets; -1: compressed columns, -2: compressed rows */
    const int *p, *i;
    size_t ps, is, xs;
    const double *x;
} fclib_stored;

static rps_status put_entry(const fclib_file *f, const fclib_stored *s, fclib_matrix *out, long long i, long long j,
                            double value, rps_error *err) {
    if (i < 0 || j < 0 || (size_t)i >= out->rows || (size_t)j >= out->columns) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s is %zu x %zu, and an entry is at row %lld, column %lld", f->path,
                        s->name, out->rows, out->columns, i, j);
    }
    if (!isfinite(value)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s is not finite at row %lld, column %lld", f->path, s->name, i, j);
    }
    out->entries.entry[out->entries.count++] = (rps_cone_entry){(uint32_t)i, (uint32_t)j, value};
    return RPS_OK;
}

static rps_status put_triplets(const fclib_file *f, const fclib_stored *s, fclib_matrix *out, rps_error *err) {
    const size_t count = (size_t)s->nz;
    if (s->ps < count || s->is < count || s->xs < count) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s says %zu entries, and holds %zu rows, %zu columns and %zu numbers",
                        f->path, s->name, count, s->ps, s->is, s->xs);
    }
    for (size_t k = 0; k < count; k++) RPS_TRY(put_entry(f, s, out, s->p[k], s->i[k], s->x[k], err));
    return RPS_OK;
}

static rps_status put_compressed(const fclib_file *f, const fclib_stored *s, fclib_matrix *out, rps_error *err) {
    const bool by_rows = s->nz == -2;
    const size_t lines = by_rows ? out->rows : out->columns;
    if (s->ps != lines + 1) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s/p has %zu numbers; expected %zu, one more than %s", f->path,
                        s->name, s->ps, lines + 1, by_rows ? "rows" : "columns");
    }
    for (size_t line = 0; line < lines; line++) {
        const long long from = s->p[line], to = s->p[line + 1];
        if (from < 0 || to < from || (size_t)to > s->is || (size_t)to > s->xs) {
            return rps_fail(err, RPS_BAD_INPUT, "%s: %s/p runs from %lld to %lld at line %zu of %zu entries", f->path,
                            s->name, from, to, line, s->xs);
        }
        for (long long k = from; k < to; k++) {
            const long long other = s->i[k], own = (long long)line;
            RPS_TRY(put_entry(f, s, out, by_rows ? own : other, by_rows ? other : own, s->x[k], err));
        }
    }
    return RPS_OK;
}

static rps_status fclib_measure(const fclib_file *f, const char *name, fclib_matrix *out, int *nz, rps_error *err) {
    char path[64];
    int rows = 0, columns = 0;
    rps_snprintf(path, sizeof path, "%s/m", name);
    RPS_TRY(fclib_integer(f, path, &rows, err));
    rps_snprintf(path, sizeof path, "%s/n", name);
    RPS_TRY(fclib_integer(f, path, &columns, err));
    rps_snprintf(path, sizeof path, "%s/nz", name);
    RPS_TRY(fclib_integer(f, path, nz, err));
    if (rows < 1 || columns < 1 || *nz < -2) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: %s is %d x %d with nz = %d; expected sizes from 1 on and nz from -2 on", f->path, name,
                        rows, columns, *nz);
    }
    out->rows = (size_t)rows;
    out->columns = (size_t)columns;
    return RPS_OK;
}

static rps_status fclib_matrix_read(const fclib_file *f, const char *name, fclib_matrix *out, rps_error *err) {
    static const char *const part[] = {"p", "i"};
    fclib_stored s = {.name = name};
    fclib_block index[2] = {{0}, {0}}, x = {0};
    size_t count[2] = {0, 0};
    char path[64];
    RPS_TRY(fclib_measure(f, name, out, &s.nz, err));
    rps_status status = RPS_OK;
    for (int k = 0; k < 2 && status == RPS_OK; k++) {
        rps_snprintf(path, sizeof path, "%s/%s", name, part[k]);
        status = fclib_numbers(f, path, H5T_NATIVE_INT, sizeof(int), &index[k], &count[k], err);
    }
    rps_snprintf(path, sizeof path, "%s/x", name);
    if (status == RPS_OK) status = fclib_numbers(f, path, H5T_NATIVE_DOUBLE, sizeof(double), &x, &s.xs, err);
    if (status == RPS_OK) status = rps_size_of_items(s.xs, sizeof(rps_cone_entry), &out->bytes, err);
    void *entries = NULL;
    if (status == RPS_OK) status = rps_memory_alloc(f->allocator, out->bytes, &entries, err);
    out->entries.entry = entries;
    s.p = index[0].data;
    s.i = index[1].data;
    s.ps = count[0];
    s.is = count[1];
    s.x = x.data;
    if (status == RPS_OK) status = s.nz >= 0 ? put_triplets(f, &s, out, err) : put_compressed(f, &s, out, err);
    for (int k = 0; k < 2; k++) block_release(f, &index[k]);
    block_release(f, &x);
    return status;
}

static void fclib_matrix_release(const fclib_file *f, fclib_matrix *matrix) {
    rps_memory_release(f->allocator, matrix->entries.entry, matrix->bytes);
}

/* --- problems ----------------------------------------------------------------------------------------------------------- */

typedef struct fclib_draft {
    int d;
    size_t contacts;
    fclib_block mu;
} fclib_draft;

/* Coefficients, and from them the number of contacts. */
static rps_status fclib_contacts(const fclib_file *f, size_t rows, fclib_draft *draft, rps_error *err) {
    RPS_TRY(fclib_integer(f, "spacedim", &draft->d, err));
    if (draft->d != 2 && draft->d != 3) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the contacts have %d rows; FCLIB's problems with 2 or 3 are read",
                        f->path, draft->d);
    }
    draft->contacts = rows / (size_t)draft->d;
    if (rows % (size_t)draft->d != 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %zu rows are not a multiple of %d", f->path, rows, draft->d);
    }
    return fclib_vector(f, "vectors/mu", draft->contacts, &draft->mu, err);
}

static rps_status fclib_make(const fclib_file *f, const fclib_draft *draft, const double *q, const rps_cone_entries *w,
                             rps_cone_problem *p, rps_error *err) {
    const rps_status status = rps_cone_problem_make(p, f->allocator, draft->d, draft->contacts, draft->mu.data, NULL,
                                                    NULL, q, w->entry, w->count, err);
    if (status != RPS_OK) rps_error_prefix(err, "%s: ", f->path);
    return status;
}

static rps_status no_equalities(const fclib_file *f, const char *matrix, rps_error *err) {
    if (!fclib_has(f, matrix)) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "%s: the problem has equality constraints (%s), which cones do not express; eliminate them before, or "
        "pose the machine as a scene with joints",
        f->path, matrix);
}

static rps_status read_local(const fclib_file *f, rps_cone_problem *p, rps_error *err) {
    fclib_matrix w = {0};
    fclib_draft draft = {0};
    fclib_block q = {0};
    RPS_TRY(no_equalities(f, "V", err));
    rps_status status = fclib_matrix_read(f, "W", &w, err);
    if (status == RPS_OK && w.rows != w.columns) {
        status = rps_fail(err, RPS_BAD_INPUT, "%s: W is %zu x %zu; expected a square", f->path, w.rows, w.columns);
    }
    if (status == RPS_OK) status = fclib_contacts(f, w.rows, &draft, err);
    if (status == RPS_OK) status = fclib_vector(f, "vectors/q", w.rows, &q, err);
    if (status == RPS_OK) {
        rps_cone_entries_by_row(&w.entries);
        status = fclib_make(f, &draft, q.data, &w.entries, p, err);
    }
    block_release(f, &q);
    block_release(f, &draft.mu);
    fclib_matrix_release(f, &w);
    return status;
}

static rps_status fclib_condense(const fclib_file *f, fclib_matrix *M, fclib_matrix *H, const fclib_draft *draft,
                                 rps_cone_problem *p, rps_error *err) {
    fclib_block force = {0}, q = {0};
    rps_cone_entries w = {0};
    size_t capacity = 0;
    rps_status status = fclib_vector(f, "vectors/f", M->rows, &force, err);
    if (status == RPS_OK) status = fclib_vector(f, "vectors/w", H->columns, &q, err);
    if (status == RPS_OK) {
        rps_cone_entries_by_row(&M->entries);
        rps_cone_entries_by_column(&H->entries);
        status = rps_cone_condense(f->allocator, M->rows, &M->entries, H->columns, &H->entries, force.data, q.data, &w,
                                   &capacity, err);
        if (status != RPS_OK) rps_error_prefix(err, "%s: ", f->path);
    }
    if (status == RPS_OK) status = fclib_make(f, draft, q.data, &w, p, err);
    void *entries = w.entry;
    rps_buffer_release(f->allocator, &entries, &capacity);
    block_release(f, &force);
    block_release(f, &q);
    return status;
}

static rps_status read_global(const fclib_file *f, rps_cone_problem *p, rps_error *err) {
    fclib_matrix M = {0}, H = {0};
    fclib_draft draft = {0};
    RPS_TRY(no_equalities(f, "G", err));
    rps_status status = fclib_matrix_read(f, "M", &M, err);
    if (status == RPS_OK) status = fclib_matrix_read(f, "H", &H, err);
    if (status == RPS_OK && (M.rows != M.columns || H.rows != M.rows)) {
        status = rps_fail(err, RPS_BAD_INPUT, "%s: M is %zu x %zu and H is %zu x %zu; expected n x n and n x m",
                          f->path, M.rows, M.columns, H.rows, H.columns);
    }
    if (status == RPS_OK) status = fclib_contacts(f, H.columns, &draft, err);
    if (status == RPS_OK) status = fclib_condense(f, &M, &H, &draft, p, err);
    block_release(f, &draft.mu);
    fclib_matrix_release(f, &H);
    fclib_matrix_release(f, &M);
    return status;
}

/* --- files -------------------------------------------------------------------------------------------------------------- */

bool rps_is_hdf5(const char *path) {
    static const unsigned char sign[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char begin[sizeof sign];
    FILE *file = fopen(path, "rb");
    const bool is =
        file && fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, sign, sizeof sign) == 0;
    if (file) fclose(file);
    return is;
}

static rps_status fclib_read_open(fclib_file *f, hid_t file, rps_cone_problem *p, rps_error *err) {
    static const char *const name[] = {"fclib_local", "fclib_global"};
    for (int global = 0; global < 2; global++) {
        if (H5Lexists(file, name[global], H5P_DEFAULT) <= 0) continue;
        f->group = H5Gopen2(file, name[global], H5P_DEFAULT);
        if (f->group < 0) return rps_h5_damaged(err, "read", f->path);
        const rps_status status = global ? read_global(f, p, err) : read_local(f, p, err);
        H5Gclose(f->group);
        return status;
    }
    return rps_fail(err, RPS_BAD_INPUT, "%s has no contact problem: neither fclib_local nor fclib_global is there",
                    f->path);
}

rps_status rps_fclib_read(rps_cone_problem *p, const rps_allocator *allocator, const char *path, rps_error *err) {
    fclib_file f = {.path = path, .allocator = allocator};
    rps_h5_session session;
    *p = (rps_cone_problem){0};
    rps_h5_begin(&session);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    rps_status status = file < 0 ? rps_h5_damaged(err, "read", path) : fclib_read_open(&f, file, p, err);
    if (file >= 0) H5Fclose(file);
    rps_h5_end(&session);
    return status;
}
