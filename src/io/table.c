/* Extendable, shuffled and compressed datasets in an HDF5 file. */
#include "io/table.h"

#include <string.h>

#include "base/hash.h"

void rps_table_add(rps_table *table, rps_column column) {
    if (table->columns < RPS_COLUMNS) {
        table->column[table->columns] = column;
        table->dataset[table->columns] = -1;
        table->columns++;
    }
}

void rps_table_select(rps_table *table, const char *const *name, size_t names) {
    int kept = 0;
    for (int c = 0; c < table->columns; c++) {
        bool wanted = false;
        for (size_t k = 0; k < names && !wanted; k++) wanted = strcmp(table->column[c].name, name[k]) == 0;
        if (wanted) table->column[kept++] = table->column[c];
    }
    table->columns = kept;
}

void rps_table_drop(rps_table *table, const char *name) {
    int kept = 0;
    for (int c = 0; c < table->columns; c++) {
        if (strcmp(table->column[c].name, name) != 0) table->column[kept++] = table->column[c];
    }
    table->columns = kept;
}

int rps_table_find(const rps_table *table, const char *name) {
    for (int c = 0; c < table->columns; c++) {
        if (strcmp(table->column[c].name, name) == 0) {
            return c;
        }
    }
    return -1;
}

/* Small worlds get small chunks, because the last chunk is stored uncompressed. The cost to decompress one chunk sets
 * the upper bound. */
static hsize_t chunk_rows(uint64_t guess) {
    hsize_t rows = 128;
    while (rows < guess && rows < 8192) {
        rows *= 2;
    }
    return rows;
}

static hid_t table_type_of(const rps_table *table, const rps_column *column) {
    return table->single && column->type == RPS_TYPE_double ? H5T_NATIVE_FLOAT : rps_h5_type(column->type);
}

/* Disables the chunk cache. Partial chunks are not compressed, so that HDF5 writes only their new rows. */
static hid_t access_properties(void) {
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 1, 0, 1.0);
    return access;
}

static hid_t create_dataset(hid_t group, const rps_column *column, hid_t type, uint64_t guess) {
    int rank = column->components > 1 ? 2 : 1;
    hsize_t size[2] = {0, (hsize_t)column->components};
    hsize_t most[2] = {H5S_UNLIMITED, (hsize_t)column->components};
    hsize_t chunk[2] = {chunk_rows(guess) * (hsize_t)column->rows, (hsize_t)column->components};
    hid_t space = H5Screate_simple(rank, size, most);
    hid_t property = rps_h5_dataset_properties();
    hid_t dataset = -1;
    hid_t access = access_properties();
    if (space >= 0 && H5Pset_chunk(property, rank, chunk) >= 0 &&
        H5Pset_chunk_opts(property, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0 && H5Pset_shuffle(property) >= 0 &&
        H5Pset_deflate(property, RPS_CHUNK_LEVEL) >= 0) {
        dataset = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, property, access);
    }
    H5Pclose(access);
    H5Pclose(property);
    H5Sclose(space);
    if (dataset >= 0 &&
        (!rps_h5_set_text(dataset, "unit", column->unit) || !rps_h5_set_text(dataset, "meaning", column->meaning))) {
        H5Dclose(dataset);
        return -1;
    }
    return dataset;
}

rps_status rps_table_create(rps_table *table, hid_t file, const char *group, const char *path, uint64_t guess,
                            rps_error *err) {
    table->group = group;
    table->path = path;
    table->items = 0;
    hid_t id = rps_h5_create_group(file, group);
    bool good = id >= 0;
    for (int c = 0; c < table->columns && good; c++) {
        table->dataset[c] = create_dataset(id, &table->column[c], table_type_of(table, &table->column[c]), guess);
        table->chunk[c] = chunk_rows(guess) * (hsize_t)table->column[c].rows;
        good = table->dataset[c] >= 0;
    }
    rps_status status = good ? RPS_OK : rps_h5_fail(err, "create", path);
    if (id >= 0) {
        H5Gclose(id);
    }
    return status;
}

/* Rows per chunk; 0 if HDF5 cannot tell. */
static hsize_t chunk_of(hid_t dataset, int rank) {
    hsize_t chunk[2] = {0, 0};
    hid_t property = H5Dget_create_plist(dataset);
    if (property < 0 || H5Pget_chunk(property, rank, chunk) != rank) chunk[0] = 0;
    if (property >= 0) H5Pclose(property);
    return chunk[0];
}

/* Truncates one dataset; false if it does not match the column. */
static bool cut_dataset(hid_t dataset, const rps_column *column, uint64_t items) {
    hid_t space = H5Dget_space(dataset);
    hsize_t size[2] = {0, 1};
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool good = rank == (column->components > 1 ? 2 : 1) && H5Sget_simple_extent_dims(space, size, NULL) == rank &&
                size[1] == (hsize_t)column->components && size[0] / (hsize_t)column->rows >= items;
    if (space >= 0) {
        H5Sclose(space);
    }
    bool longer = good && size[0] > items * (hsize_t)column->rows;
    size[0] = items * (hsize_t)column->rows;
    return good && (!longer || H5Dset_extent(dataset, size) >= 0);
}

rps_status rps_table_resume(rps_table *table, hid_t file, const char *group, const char *path, uint64_t items,
                            rps_error *err) {
    table->group = group;
    table->path = path;
    table->items = items;
    hid_t id = H5Gopen2(file, group, H5P_DEFAULT), access = access_properties();
    bool good = id >= 0;
    for (int c = 0; c < table->columns && good; c++) {
        table->dataset[c] = H5Dopen2(id, table->column[c].name, access);
        good = table->dataset[c] >= 0 && cut_dataset(table->dataset[c], &table->column[c], items);
        table->chunk[c] = good ? chunk_of(table->dataset[c], table->column[c].components > 1 ? 2 : 1) : 0;
    }
    H5Pclose(access);
    if (id >= 0) {
        H5Gclose(id);
    }
    return good ? RPS_OK
                : rps_fail(err, RPS_BAD_INPUT,
                           "%s is not what the run wrote: /%s does not hold the frames up to the checkpoint; start the "
                           "run again",
                           path, group);
}

size_t rps_table_chunk_bytes(const rps_table *table, uint64_t items) {
    size_t most = 0;
    for (int c = 0; c < table->columns; c++) {
        const rps_column *column = &table->column[c];
        const hsize_t rows = table->chunk[c];
        const size_t bytes = (size_t)rows * (size_t)column->components * rps_type_bytes(column->type);
        if (rows > 0 && items * (hsize_t)column->rows >= rows && bytes > most) most = bytes;
    }
    return most;
}

/* Rows of a column to be written to its dataset. */
typedef struct rows_of {
    hid_t dataset, type;
    int rank;
    hsize_t components;
} rows_of;

/* Writes rows through HDF5 alone. */
static bool table_write_rows(const rows_of *c, hsize_t row, hsize_t rows, const void *data) {
    const hsize_t start[2] = {row, 0}, count[2] = {rows, c->components};
    if (rows == 0) return true;
    hid_t in_file = H5Dget_space(c->dataset);
    hid_t in_memory = H5Screate_simple(c->rank, count, NULL);
    bool good = in_file >= 0 && in_memory >= 0 &&
                H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(c->dataset, c->type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    if (in_memory >= 0) {
        H5Sclose(in_memory);
    }
    if (in_file >= 0) {
        H5Sclose(in_file);
    }
    return good;
}

/* Writes rows first .. end - 1: full chunks through chunk.c, partial chunks at both ends through HDF5. One thread
 * does the same, so that the file does not depend on the number of threads. */
static bool write_chunks(rps_chunk_buffer *capacity, const rows_of *c, hsize_t chunk, hsize_t first, hsize_t end,
                         const char *data) {
    const size_t item = H5Tget_size(c->type), row = item * (size_t)c->components;
    const hsize_t begin = (first + chunk - 1) / chunk * chunk, full = end / chunk * chunk;
    const rps_chunks chunks = {.row = begin,
                               .rows = chunk,
                               .count = (size_t)((full - begin) / chunk),
                               .bytes = (size_t)chunk * row,
                               .item = item,
                               .data = data + (size_t)(begin - first) * row};
    return table_write_rows(c, first, begin - first, data) && rps_chunk_write(capacity, c->dataset, &chunks) &&
           table_write_rows(c, full, end - full, data + (size_t)(full - first) * row);
}

static rps_status append_block(rps_table *table, int column, uint64_t before, uint64_t items, const void *data,
                               rps_error *err) {
    const rps_column *c = &table->column[column];
    const rows_of rows = {table->dataset[column], table_type_of(table, c), c->components > 1 ? 2 : 1,
                          (hsize_t)c->components};
    const hsize_t first = (table->items + before) * (hsize_t)c->rows, end = first + items * (hsize_t)c->rows;
    const hsize_t size[2] = {end, rows.components}, chunk = table->capacity ? table->chunk[column] : 0;
    if (items == 0) return RPS_OK;
    table->sum[column] = rps_hash64_chain(before > 0 ? table->sum[column] : 0, data,
                                          (size_t)((end - first) * rows.components) * H5Tget_size(rows.type));
    bool good = H5Dset_extent(rows.dataset, size) >= 0;
    if (good && chunk > 0 && end / chunk > (first + chunk - 1) / chunk) {
        good = write_chunks(table->capacity, &rows, chunk, first, end, data);
    } else if (good) {
        good = table_write_rows(&rows, first, end - first, data);
    }
    return good ? RPS_OK : rps_h5_fail(err, "write", table->path);
}

rps_status rps_table_append(rps_table *table, int column, uint64_t before, uint64_t items, const void *data,
                            rps_error *err) {
    const rps_column *c = &table->column[column];
    const size_t bytes = H5Tget_size(table_type_of(table, c)) * (size_t)(c->components * c->rows);
    uint64_t done = 0;
    do {
        const uint64_t block = items - done < RPS_TABLE_BLOCK ? items - done : RPS_TABLE_BLOCK;
        RPS_TRY(append_block(table, column, before + done, block, (const char *)data + (size_t)done * bytes, err));
        done += block;
    } while (done < items);
    return RPS_OK;
}

void rps_table_commit(rps_table *table, uint64_t items) {
    table->items += items;
    memset(table->sum, 0, sizeof table->sum);
}

bool rps_table_close(rps_table *table) {
    bool good = true;
    for (int c = 0; c < table->columns; c++) {
        if (table->dataset[c] >= 0 && H5Dclose(table->dataset[c]) < 0) {
            good = false;
        }
        table->dataset[c] = -1;
    }
    return good;
}
