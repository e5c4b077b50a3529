/* Extendable, shuffled and compressed datasets in an HDF5 file. */
#include "io/table.h"

#include <string.h>

void rps_table_add(rps_table *table, rps_column column) {
    if (table->columns < RPS_COLUMNS) {
        table->column[table->columns] = column;
        table->dataset[table->columns] = -1;
        table->columns++;
    }
}

int rps_table_find(const rps_table *table, const char *name) {
    for (int c = 0; c < table->columns; c++) {
        if (strcmp(table->column[c].name, name) == 0) {
            return c;
        }
    }
    return -1;
}

/* Small worlds get small chunks, because the last chunk is written anew with every frame; large ones are bounded by
 * what one chunk costs to decompress. */
static hsize_t chunk_rows(uint64_t guess) {
    hsize_t rows = 128;
    while (rows < guess && rows < 8192) {
        rows *= 2;
    }
    return rows;
}

static hid_t type_of(const rps_table *table, const rps_column *column) {
    return table->single && column->type == RPS_TYPE_double ? H5T_NATIVE_FLOAT : rps_h5_type(column->type);
}

static hid_t create_dataset(hid_t group, const rps_column *column, hid_t type, uint64_t guess) {
    int rank = column->components > 1 ? 2 : 1;
    hsize_t size[2] = {0, (hsize_t)column->components};
    hsize_t most[2] = {H5S_UNLIMITED, (hsize_t)column->components};
    hsize_t chunk[2] = {chunk_rows(guess) * (hsize_t)column->rows, (hsize_t)column->components};
    hid_t space = H5Screate_simple(rank, size, most);
    hid_t property = rps_h5_dataset_properties();
    hid_t dataset = -1;
    if (space >= 0 && H5Pset_chunk(property, rank, chunk) >= 0 && H5Pset_shuffle(property) >= 0 &&
        H5Pset_deflate(property, RPS_CHUNK_LEVEL) >= 0) {
        dataset = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, property, H5P_DEFAULT);
    }
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
    hid_t id = H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0;
    for (int c = 0; c < table->columns && good; c++) {
        table->dataset[c] = create_dataset(id, &table->column[c], type_of(table, &table->column[c]), guess);
        table->chunk[c] = chunk_rows(guess) * (hsize_t)table->column[c].rows;
        good = table->dataset[c] >= 0;
    }
    rps_status status = good ? RPS_OK : rps_h5_fail(err, "create", path);
    if (id >= 0) {
        H5Gclose(id);
    }
    return status;
}

/* Rows of a chunk; 0 if HDF5 does not say. */
static hsize_t chunk_of(hid_t dataset, int rank) {
    hsize_t chunk[2] = {0, 0};
    hid_t property = H5Dget_create_plist(dataset);
    if (property < 0 || H5Pget_chunk(property, rank, chunk) != rank) chunk[0] = 0;
    if (property >= 0) H5Pclose(property);
    return chunk[0];
}

/* Cuts one dataset; false if it is not what the column says. */
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
    hid_t id = H5Gopen2(file, group, H5P_DEFAULT);
    bool good = id >= 0;
    for (int c = 0; c < table->columns && good; c++) {
        table->dataset[c] = H5Dopen2(id, table->column[c].name, H5P_DEFAULT);
        good = table->dataset[c] >= 0 && cut_dataset(table->dataset[c], &table->column[c], items);
        table->chunk[c] = good ? chunk_of(table->dataset[c], table->column[c].components > 1 ? 2 : 1) : 0;
    }
    if (id >= 0) {
        H5Gclose(id);
    }
    return good ? RPS_OK
                : rps_fail(err, RPS_BAD_INPUT,
                           "%s is not what the run wrote: /%s does not hold the frames up to the checkpoint; begin the "
                           "run anew",
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

/* Rows of a column on their way into its dataset. */
typedef struct rows_of {
    hid_t dataset, type;
    int rank;
    hsize_t components;
} rows_of;

/* Some rows by HDF5 alone: written from `from`, or read into `to`. */
static bool move_rows(const rows_of *c, hsize_t row, hsize_t rows, const void *from, void *to) {
    const hsize_t start[2] = {row, 0}, count[2] = {rows, c->components};
    hid_t in_file = H5Dget_space(c->dataset);
    hid_t in_memory = H5Screate_simple(c->rank, count, NULL);
    bool good =
        in_file >= 0 && in_memory >= 0 && H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    if (good && from) good = H5Dwrite(c->dataset, c->type, in_memory, in_file, H5P_DEFAULT, from) >= 0;
    if (good && to) good = H5Dread(c->dataset, c->type, in_memory, in_file, H5P_DEFAULT, to) >= 0;
    if (in_memory >= 0) {
        H5Sclose(in_memory);
    }
    if (in_file >= 0) {
        H5Sclose(in_file);
    }
    return good;
}

/* Rows first .. end - 1 by way of chunk.c. A chunk that holds earlier rows is read and put together with the first of
 * these; the last one is filled up with zeros, as HDF5 would. */
static bool write_chunks(rps_chunk_room *room, const rows_of *c, hsize_t chunk, hsize_t first, hsize_t end,
                         const char *data) {
    const size_t item = H5Tget_size(c->type), row = item * (size_t)c->components;
    const hsize_t begin = first / chunk * chunk, full = end / chunk * chunk;
    rps_chunks chunks = {.row = begin,
                         .rows = chunk,
                         .count = (size_t)((end - begin + chunk - 1) / chunk),
                         .bytes = (size_t)chunk * row,
                         .item = item,
                         .first = begin < first,
                         .last = full < end,
                         .data = data};
    if (chunks.first) {
        char *edge = rps_chunk_edge(room, RPS_CHUNK_FIRST);
        const size_t before = (size_t)(first - begin) * row;
        if (!move_rows(c, begin, first - begin, NULL, edge)) return false;
        memcpy(edge + before, data, chunks.bytes - before);
        chunks.data = data + (chunks.bytes - before);
    }
    if (chunks.last) {
        char *edge = rps_chunk_edge(room, RPS_CHUNK_LAST);
        const size_t rest = (size_t)(end - full) * row;
        memcpy(edge, data + (size_t)(full - first) * row, rest);
        memset(edge + rest, 0, chunks.bytes - rest);
    }
    return rps_chunk_write(room, c->dataset, &chunks);
}

/* What is at least a chunk goes by way of chunk.c, for any number of threads, so that the file is the same; a first chunk
 * that holds earlier rows is filled then. What is less is left to HDF5, which keeps the chunk that fills in memory. */
rps_status rps_table_append(rps_table *table, int column, uint64_t items, const void *data, rps_error *err) {
    const rps_column *c = &table->column[column];
    const rows_of rows = {table->dataset[column], type_of(table, c), c->components > 1 ? 2 : 1, (hsize_t)c->components};
    const hsize_t first = table->items * (hsize_t)c->rows, end = first + items * (hsize_t)c->rows;
    const hsize_t size[2] = {end, rows.components}, chunk = table->room ? table->chunk[column] : 0;
    if (items == 0) {
        return RPS_OK;
    }
    bool good = H5Dset_extent(rows.dataset, size) >= 0;
    if (good && chunk > 0 && end - first >= chunk) {
        good = write_chunks(table->room, &rows, chunk, first, end, data);
    } else if (good) {
        good = move_rows(&rows, first, end - first, data, NULL);
    }
    return good ? RPS_OK : rps_h5_fail(err, "write", table->path);
}

void rps_table_commit(rps_table *table, uint64_t items) {
    table->items += items;
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
