/* The reader takes names, types and units from the file, and checks all of its numbers against the sizes of the
 * datasets before it uses them. */
#include "io/read_results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "io/file.h"
#include "io/file_names.h"
#include "io/journal.h"
#include "io/load_tables.h"
#include "io/profile_tables.h"

enum { NAME = 64, UNIT = 32, MEANING = 160 };

typedef struct column_text {
    char name[NAME], unit[UNIT], meaning[MEANING];
} column_text;

struct rps_results_reader {
    const rps_allocator *allocator;
    char path[RPS_PATH];
    char format[NAME], version[NAME], title[256], variant[NAME];
    int number; /* of the format */
    hid_t file;
    rps_table table[RPS_RESULTS_PARTS]; /* by rps_results_part; items: the fewest of any column */
    column_text text[RPS_RESULTS_PARTS][RPS_COLUMNS];
    rps_frame *frame;
    size_t frames, indexed, frame_bytes; /* indexed: rows of /frames */
};

static rps_type read_results_type_of(hid_t dataset) {
    hid_t type = H5Dget_type(dataset);
    rps_type found = H5Tget_class(type) == H5T_FLOAT ? RPS_TYPE_double
                     : H5Tget_size(type) == 4        ? RPS_TYPE_int32
                                                     : RPS_TYPE_uint64;
    H5Tclose(type);
    return found;
}

static bool is_single(hid_t dataset) {
    hid_t type = H5Dget_type(dataset);
    const bool single = H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 4;
    H5Tclose(type);
    return single;
}

/* Rows and components of a dataset of rank 1 or 2; false for other ranks. */
static bool read_results_shape_of(hid_t dataset, hsize_t size[2]) {
    hid_t space = H5Dget_space(dataset);
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    size[1] = 1;
    bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) == rank && size[1] > 0 &&
                size[1] <= 64;
    if (space >= 0) {
        H5Sclose(space);
    }
    return good;
}

static bool open_table(rps_results_reader *reader, int part, const char *name) {
    rps_table *table = &reader->table[part];
    table->group = name;
    table->path = reader->path;
    hid_t group = H5Gopen2(reader->file, name, H5P_DEFAULT);
    H5G_info_t info;
    if (group < 0 || H5Gget_info(group, &info) < 0) {
        if (group >= 0) H5Gclose(group);
        return false;
    }
    uint64_t items = UINT64_MAX;
    for (hsize_t k = 0; k < info.nlinks && table->columns < RPS_COLUMNS; k++) {
        column_text *text = &reader->text[part][table->columns];
        hsize_t size[2];
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, text->name, NAME, H5P_DEFAULT) < 0) {
            continue;
        }
        hid_t dataset = H5Dopen2(group, text->name, H5P_DEFAULT);
        if (dataset < 0 || !read_results_shape_of(dataset, size)) {
            if (dataset >= 0) {
                H5Dclose(dataset);
            }
            H5Gclose(group);
            return false;
        }
        rps_h5_get_text(dataset, "unit", text->unit, UNIT);
        rps_h5_get_text(dataset, "meaning", text->meaning, MEANING);
        const bool lines = part == RPS_RESULTS_CONTACTS || part == RPS_RESULTS_BONDS;
        int rows = lines && strcmp(text->name, "line") == 0 ? 2 : 1;
        table->single = table->single || is_single(dataset);
        rps_table_add(table, (rps_column){text->name, text->unit, text->meaning, read_results_type_of(dataset),
                                          (int)size[1], rows});
        table->dataset[table->columns - 1] = dataset;
        uint64_t whole = size[0] / (uint64_t)rows;
        items = whole < items ? whole : items;
    }
    H5Gclose(group);
    table->items = table->columns ? items : 0;
    return table->columns > 0;
}

static bool read_index_column(hid_t group, const rps_column *column, void *out, size_t count) {
    hid_t dataset = H5Dopen2(group, column->name, H5P_DEFAULT);
    bool good = false;
    if (dataset >= 0) {
        hsize_t n = count;
        hid_t space = H5Screate_simple(1, &n, NULL);
        hid_t in_file = H5Dget_space(dataset);
        hsize_t start = 0;
        good = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &start, NULL, &n, NULL) >= 0 &&
               H5Dread(dataset, rps_h5_type(column->type), space, in_file, H5P_DEFAULT, out) >= 0;
        H5Sclose(in_file);
        H5Sclose(space);
        H5Dclose(dataset);
    }
    return good;
}

static rps_status read_results_read_index(rps_results_reader *reader, rps_error *err) {
    rps_table index = {0};
    hid_t group = H5Gopen2(reader->file, "frames", H5P_DEFAULT);
    const bool sheared = group >= 0 && H5Lexists(group, "shear_offset", H5P_DEFAULT) > 0;
    rps_frame_index_columns(&index, reader->table[RPS_RESULTS_CONTACTS].columns > 0, sheared,
                            reader->table[RPS_RESULTS_BONDS].columns > 0);
    size_t count = SIZE_MAX;
    for (int c = 0; c < index.columns && group >= 0; c++) {
        hsize_t size[2] = {0, 0};
        hid_t dataset = H5Dopen2(group, index.column[c].name, H5P_DEFAULT);
        bool good = dataset >= 0 && read_results_shape_of(dataset, size) && size[1] == 1;
        if (dataset >= 0) {
            H5Dclose(dataset);
        }
        if (!good) {
            H5Gclose(group);
            return rps_h5_damaged(err, "read", reader->path);
        }
        count = size[0] < count ? (size_t)size[0] : count;
    }
    if (group < 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s holds no frames of a run; expected a " RPS_FRAMES_FILE " of repose",
                        reader->path);
    }
    size_t bytes = 0;
    void *frame = NULL, *column = NULL;
    size_t column_bytes = 0;
    rps_status status = rps_size_of_items(count, sizeof(rps_frame), &bytes, err);
    if (status == RPS_OK) {
        status = rps_buffer_reserve(reader->allocator, &frame, &reader->frame_bytes, 0, bytes, err);
        reader->frame = frame;
        if (status == RPS_OK && bytes > 0) memset(frame, 0, bytes);
    }
    if (status == RPS_OK) {
        status = rps_buffer_reserve(reader->allocator, &column, &column_bytes, 0, count * 8, err);
    }
    for (int c = 0; c < index.columns && status == RPS_OK && count > 0; c++) {
        if (!read_index_column(group, &index.column[c], column, count)) {
            status = rps_h5_damaged(err, "read", reader->path);
            break;
        }
        for (size_t n = 0; n < count; n++) {
            rps_frame_index_set(&reader->frame[n], &index.column[c], (const char *)column + 8 * n);
        }
    }
    rps_buffer_release(reader->allocator, &column, &column_bytes);
    H5Gclose(group);
    /* The first frame with missing rows and all frames after it are ignored. */
    reader->indexed = status == RPS_OK ? count : 0;
    for (reader->frames = 0; status == RPS_OK && reader->frames < count; reader->frames++) {
        const rps_frame *f = &reader->frame[reader->frames];
        uint64_t bodies = reader->table[0].items, contacts = reader->table[1].items;
        const uint64_t bonds = reader->table[RPS_RESULTS_BONDS].items;
        if (f->body_offset > bodies || f->bodies > bodies - f->body_offset || f->contact_offset > contacts ||
            f->contacts > contacts - f->contact_offset || f->bond_offset > bonds || f->bonds > bonds - f->bond_offset) {
            break;
        }
    }
    return status;
}

/* A part that many results lack. outer: the group in which it lies, or itself. */
static rps_status open_if_there(rps_results_reader *reader, int part, const char *outer, const char *name,
                                rps_error *err) {
    reader->table[part].group = name;
    if (H5Lexists(reader->file, outer, H5P_DEFAULT) <= 0) return RPS_OK;
    return open_table(reader, part, name) ? RPS_OK : rps_h5_damaged(err, "read", reader->path);
}

/* A folder of a sweep in place of that of a run. */
static rps_status refuse_sweep(const rps_results_reader *reader, rps_error *err) {
    char folder[RPS_PATH], plan[RPS_PATH];
    const char *end = strrchr(reader->path, '/');
    rps_snprintf(folder, sizeof folder, "%.*s", end ? (int)(end - reader->path) : 0, reader->path);
    RPS_TRY(rps_path_join(plan, folder, RPS_SWEEP_PLAN, err));
    if (!end || !rps_file_exists(plan)) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "%s holds a sweep, which keeps no frames of its runs; `repose report %s` shows its table and its map", folder,
        folder);
}

static rps_status read_results_open_file(rps_results_reader *reader, bool recover, rps_error *err) {
    struct stat info;
    const int file = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
    if (file < 0 && errno == ENOENT) {
        RPS_TRY(refuse_sweep(reader, err));
        return rps_fail(err, RPS_IO_ERROR, "there is no file %s; give a " RPS_FRAMES_FILE " or the directory of a run",
                        reader->path);
    }
    if (file < 0) return rps_file_fail(err, "read", reader->path, errno);
    const bool regular = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    close(file);
    if (!regular) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s is a folder, a pipe or a device; expected a " RPS_FRAMES_FILE " of repose", reader->path);
    }
    if (recover) RPS_TRY(rps_journal_recover(reader->path, reader->allocator, err));
    if (H5Fis_hdf5(reader->path) <= 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is not an HDF5 file; expected a " RPS_FRAMES_FILE " of repose",
                        reader->path);
    }
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1); /* the run may still be writing */
#endif
    reader->file = H5Fopen(reader->path, H5F_ACC_RDONLY, access);
    /* Before the next call, which forgets the cause. */
    const rps_status opened = reader->file < 0 ? rps_h5_damaged(err, "read", reader->path) : RPS_OK;
    H5Pclose(access);
    RPS_TRY(opened);
    rps_h5_get_text(reader->file, "format", reader->format, sizeof reader->format);
    rps_h5_get_text(reader->file, "version", reader->version, sizeof reader->version);
    rps_h5_get_text(reader->file, "title", reader->title, sizeof reader->title);
    rps_h5_get_text(reader->file, "variant", reader->variant, sizeof reader->variant);
    static const char format[] = "repose results ";
    reader->number =
        strncmp(reader->format, format, sizeof format - 1) == 0 ? atoi(reader->format + sizeof format - 1) : 0;
    if (reader->number != 1 && reader->number != 2) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s is an HDF5 file of format \"%s\"; expected \"repose results 2\" (or 1, of earlier versions)",
            reader->path, reader->format);
    }
    reader->table[RPS_RESULTS_CONTACTS].group = "contacts";
    if (!open_table(reader, RPS_RESULTS_BODIES, "bodies") ||
        (H5Lexists(reader->file, "contacts", H5P_DEFAULT) != 0 && /* a scene may leave it out */
         !open_table(reader, RPS_RESULTS_CONTACTS, "contacts"))) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is not a whole result of repose: /bodies or /contacts cannot be read",
                        reader->path);
    }
    RPS_TRY(open_if_there(reader, RPS_RESULTS_BONDS, "bonds", "bonds", err));
    RPS_TRY(open_if_there(reader, RPS_RESULTS_JOINTS, "joints", "joints", err));
    RPS_TRY(open_if_there(reader, RPS_RESULTS_LOADS, "loads", rps_load_part_name(1), err));
    RPS_TRY(open_if_there(reader, RPS_RESULTS_PROFILES, "profiles", rps_profile_values_group, err));
    return read_results_read_index(reader, err);
}

static rps_status read_results_open(const char *path, const rps_allocator *allocator, bool recover,
                                    rps_results_reader **out, rps_error *err) {
    void *memory;
    *out = NULL;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, sizeof(rps_results_reader), &memory, err));
    rps_results_reader *reader = memory;
    reader->allocator = allocator;
    reader->file = -1;
    rps_status status = rps_is_directory(path) ? rps_path_join(reader->path, path, RPS_FRAMES_FILE, err)
                                               : rps_path_join(reader->path, NULL, path, err);
    if (status == RPS_OK) {
        rps_h5_session session;
        rps_h5_begin(&session);
        status = read_results_open_file(reader, recover, err);
        rps_h5_end(&session);
    }
    if (status != RPS_OK) {
        rps_results_reader_close(reader);
        return status;
    }
    *out = reader;
    return RPS_OK;
}

rps_status rps_results_open(const char *path, const rps_allocator *allocator, rps_results_reader **out,
                            rps_error *err) {
    return read_results_open(path, allocator, true, out, err);
}

rps_status rps_results_look(const char *path, const rps_allocator *allocator, rps_results_reader **out,
                            rps_error *err) {
    return read_results_open(path, allocator, false, out, err);
}

void rps_results_reader_close(rps_results_reader *reader) {
    if (!reader) {
        return;
    }
    rps_h5_session session;
    rps_h5_begin(&session);
    for (int k = 0; k < RPS_RESULTS_PARTS; k++) rps_table_close(&reader->table[k]);
    if (reader->file >= 0) {
        H5Fclose(reader->file);
    }
    rps_h5_end(&session);
    void *frame = reader->frame;
    rps_buffer_release(reader->allocator, &frame, &reader->frame_bytes);
    rps_memory_release(reader->allocator, reader, sizeof *reader);
}

const rps_frame *rps_results_reader_frames(const rps_results_reader *reader, size_t *count) {
    *count = reader->frames;
    return reader->frame;
}

const char *rps_results_reader_text(const rps_results_reader *reader, const char *name) {
    return strcmp(name, "format") == 0    ? reader->format
           : strcmp(name, "version") == 0 ? reader->version
           : strcmp(name, "title") == 0   ? reader->title
           : strcmp(name, "variant") == 0 ? reader->variant
                                          : "";
}

size_t rps_results_reader_indexed(const rps_results_reader *reader) {
    return reader->indexed;
}

int rps_results_reader_format(const rps_results_reader *reader) {
    return reader->number;
}

hid_t rps_results_reader_file(const rps_results_reader *reader) {
    return reader->file;
}

bool rps_results_reader_single(const rps_results_reader *reader, rps_results_part part) {
    return reader->table[part].single;
}

uint64_t rps_results_reader_rows(const rps_results_reader *reader, rps_results_part part) {
    return reader->indexed > 0 ? reader->table[part].items / reader->indexed : 0;
}

const rps_column *rps_results_reader_column(const rps_results_reader *reader, rps_results_part part, size_t index) {
    const rps_table *table = &reader->table[part];
    return index < (size_t)table->columns ? &table->column[index] : NULL;
}

rps_status rps_results_read(rps_results_reader *reader, rps_results_part part, const char *column, size_t frame,
                            void *out, size_t bytes, rps_error *err) {
    const rps_table *table = &reader->table[part];
    int c = rps_table_find(table, column);
    if (c < 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has no field /%s/%s", reader->path, table->group, column);
    }
    if (frame >= reader->frames) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has %zu frames; there is no frame %zu (they count from 0)",
                        reader->path, reader->frames, frame);
    }
    const rps_column *info = &table->column[c];
    const rps_frame *f = &reader->frame[frame];
    hsize_t rows = (hsize_t)info->rows, each = rps_results_reader_rows(reader, part);
    const bool bodies = part == RPS_RESULTS_BODIES, contacts = part == RPS_RESULTS_CONTACTS;
    const bool bonds = part == RPS_RESULTS_BONDS;
    const hsize_t offset = bodies     ? f->body_offset
                           : contacts ? f->contact_offset
                           : bonds    ? f->bond_offset
                                      : frame * each;
    const hsize_t items = bodies ? f->bodies : contacts ? f->contacts : bonds ? f->bonds : each;
    hsize_t start[2] = {offset * rows, 0};
    hsize_t count[2] = {items * rows, (hsize_t)info->components};
    size_t need = (size_t)(count[0] * count[1]) * rps_type_bytes(info->type);
    if (need > bytes) {
        return rps_fail(err, RPS_BAD_INPUT, "%zu bytes are too few for %s of a frame; it needs %zu", bytes, column,
                        need);
    }
    if (count[0] == 0) {
        return RPS_OK;
    }
    rps_h5_session session;
    rps_h5_begin(&session);
    hid_t in_file = H5Dget_space(table->dataset[c]);
    hid_t in_memory = H5Screate_simple(info->components > 1 ? 2 : 1, count, NULL);
    bool good = in_file >= 0 && in_memory >= 0 &&
                H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(table->dataset[c], rps_h5_type(info->type), in_memory, in_file, H5P_DEFAULT, out) >= 0;
    rps_status status = good ? RPS_OK : rps_h5_damaged(err, "read", reader->path);
    if (in_memory >= 0) {
        H5Sclose(in_memory);
    }
    if (in_file >= 0) {
        H5Sclose(in_file);
    }
    rps_h5_end(&session);
    return status;
}
