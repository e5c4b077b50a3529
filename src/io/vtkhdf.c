/* One unstructured grid per file. VTK finds the arrays of a step by offsets into the datasets of all steps, which the
 * tables of run.h5 are already. A part is a pair of numbers, of points and of cells; a frame that has those of the one
 * before shares its part, so that the offsets of cells are written once for all frames of a world that keeps its
 * bodies. The file is made in memory and replaced as a whole. */
#include "io/vtkhdf.h"

#include <string.h>

#include "base/c_locale.h"
#include "io/file.h"
#include "io/file_names.h"

enum {
    VERTEX = 1, /* VTK's numbers of cell types */
    LINE = 3,
    TRIANGLE = 5,
    FIELDS = 2,   /* tables of fields of one kind of object */
    BLOCK = 8192, /* numbers of a chunk, and of a write */
    LEVEL = 1
};

/* Fields of points or cells: the columns of a table of run.h5 but one. */
typedef struct fields {
    const rps_table *table;
    const char *without; /* the column with the points; NULL: none */
    bool of_cells;
    const int64_t *offset; /* by frame: first row */
} fields;

typedef struct grid {
    int cell, nodes;         /* type of the cells, points of each */
    const rps_table *points; /* whose column of this name has the points */
    const char *column;
    const rps_table *connectivity; /* whose first column has the points of cells; NULL: they are 0, 1, 2 and so on */
    fields fields[FIELDS];
    size_t frames, parts;
    /* by frame: rows of points, first row of the offsets and types of cells, its part; by part: counts; by
     * frame: first rows of fields that have rows of their own, and of those that have the same in all frames, 0 */
    int64_t *point_offset, *cell_offset, *part_of, *points_of, *cells_of, *ids_of, *data_offset, *same_offset;
} grid;

enum { NUMBERS = 8 };

/* --- datasets -------------------------------------------------------------------------------------------------------- */

/* A dataset of numbers that are written one after the other. */
typedef struct stream {
    hid_t dataset;
    size_t filled;
    hsize_t written;
    bool good;
    int64_t number[BLOCK];
} stream;

static hid_t create_list(hid_t group, const char *name, hid_t type, hsize_t count, const void *fill) {
    const hsize_t chunk = count < BLOCK && count > 0 ? count : BLOCK;
    hid_t properties = rps_h5_dataset_properties(), space = H5Screate_simple(1, &count, NULL);
    bool good = H5Pset_chunk(properties, 1, &chunk) >= 0 && H5Pset_shuffle(properties) >= 0 &&
                H5Pset_deflate(properties, LEVEL) >= 0 &&
                (fill == NULL || H5Pset_fill_value(properties, type, fill) >= 0);
    hid_t dataset = good ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    H5Sclose(space);
    H5Pclose(properties);
    return dataset;
}

static void stream_flush(stream *s) {
    const hsize_t count = s->filled;
    if (count == 0 || !s->good) return;
    hid_t in_memory = H5Screate_simple(1, &count, NULL), in_file = H5Dget_space(s->dataset);
    s->good = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &s->written, NULL, &count, NULL) >= 0 &&
              H5Dwrite(s->dataset, H5T_NATIVE_INT64, in_memory, in_file, H5P_DEFAULT, s->number) >= 0;
    H5Sclose(in_file);
    H5Sclose(in_memory);
    s->written += count;
    s->filled = 0;
}

static void stream_put(stream *s, int64_t number) {
    s->number[s->filled++] = number;
    if (s->filled == BLOCK) stream_flush(s);
}

static void stream_begin(stream *s, hid_t group, const char *name, hsize_t count) {
    s->dataset = create_list(group, name, H5T_NATIVE_INT64, count, NULL);
    s->filled = 0;
    s->written = 0;
    s->good = s->dataset >= 0;
}

static bool stream_end(stream *s) {
    stream_flush(s);
    return (s->dataset < 0 || H5Dclose(s->dataset) >= 0) && s->good;
}

static bool put_list(hid_t group, const char *name, const int64_t *number, size_t count, stream *s) {
    stream_begin(s, group, name, count);
    for (size_t n = 0; n < count && s->good; n++) stream_put(s, number[n]);
    return stream_end(s);
}

/* Equal numbers, which take no space. */
static bool put_equal(hid_t group, const char *name, hid_t type, const void *number, size_t count) {
    hid_t dataset = create_list(group, name, type, count, number);
    return dataset >= 0 && H5Dclose(dataset) >= 0;
}

static bool link_column(hid_t group, const char *name, const rps_table *table, const char *column) {
    char target[256];
    const int length = rps_snprintf(target, sizeof target, "/%s/%s", table->group, column);
    return length > 0 && (size_t)length < sizeof target &&
           H5Lcreate_external(RPS_FRAMES_FILE, target, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

/* The rows of a column as one list: a view of run.h5. VTK 9.3 wants it to be as wide as the offsets of cells. */
static bool put_view(hid_t group, const char *name, const rps_table *table, hsize_t rows) {
    const rps_column *column = &table->column[0];
    char source[256];
    const hsize_t size[2] = {rows, (hsize_t)column->components}, start[2] = {0, 0}, count = size[0] * size[1];
    rps_snprintf(source, sizeof source, "/%s/%s", table->group, column->name);
    hid_t properties = rps_h5_dataset_properties(), whole = H5Screate_simple(1, &count, NULL),
          from = H5Screate_simple(2, size, NULL);
    bool good = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                H5Pset_virtual(properties, whole, RPS_FRAMES_FILE, source, from) >= 0;
    hid_t dataset = good ? H5Dcreate2(group, name, H5T_NATIVE_INT64, whole, H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    good = dataset >= 0 && H5Dclose(dataset) >= 0;
    H5Sclose(from);
    H5Sclose(whole);
    H5Pclose(properties);
    return good;
}

static bool set_numbers(hid_t group, const char *name, const int64_t *number, hsize_t count) {
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    hid_t attribute = H5Acreate2(group, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, number) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

/* VTK wants a word in ASCII. */
static bool set_word(hid_t group, const char *name, const char *word) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    const bool sized = H5Tset_size(type, strlen(word)) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0;
    hid_t attribute = sized ? H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    const bool good = attribute >= 0 && H5Awrite(attribute, type, word) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* --- a grid ---------------------------------------------------------------------------------------------------------- */

static int64_t most_of(const int64_t *number, size_t count) {
    int64_t most = 0;
    for (size_t n = 0; n < count; n++) most = number[n] > most ? number[n] : most;
    return most;
}

/* Where in the list of the points of its cells each cell begins, from 0 in every part. */
static bool put_offsets(const grid *g, hid_t group, int64_t cells, stream *s) {
    stream_begin(s, group, "Offsets", (hsize_t)cells + g->parts);
    for (size_t p = 0; p < g->parts; p++) {
        for (int64_t n = 0; n <= g->cells_of[p] && s->good; n++) stream_put(s, n * g->nodes);
    }
    return stream_end(s);
}

static bool put_connectivity(const grid *g, hid_t group, stream *s) {
    const int64_t most = most_of(g->ids_of, g->parts);
    if (g->connectivity && most > 0)
        return put_view(group, "Connectivity", g->connectivity, (hsize_t)(most / g->nodes));
    stream_begin(s, group, "Connectivity", (hsize_t)most);
    for (int64_t n = 0; n < most && s->good; n++) stream_put(s, n);
    return stream_end(s);
}

static bool put_fields(const grid *g, const fields *f, hid_t data, hid_t offsets, stream *s) {
    const char *first = NULL; /* its offsets serve all columns */
    bool good = true;
    for (int c = 0; c < f->table->columns && good; c++) {
        const rps_column *column = &f->table->column[c];
        if ((f->without && strcmp(column->name, f->without) == 0) || column->rows != 1) continue;
        good = link_column(data, column->name, f->table, column->name) &&
               (first ? H5Lcreate_hard(offsets, first, offsets, column->name, H5P_DEFAULT, H5P_DEFAULT) >= 0
                      : put_list(offsets, column->name, f->offset, g->frames, s));
        first = first ? first : column->name;
    }
    return good;
}

static bool put_steps(const grid *g, hid_t steps, stream *s) {
    const int64_t one = 1, zero = 0, count = (int64_t)g->frames;
    const rps_table times = {.group = "frames"};
    return set_numbers(steps, "NSteps", &count, 1) && link_column(steps, "Values", &times, "time") &&
           put_list(steps, "PartOffsets", g->part_of, g->frames, s) &&
           put_equal(steps, "NumberOfParts", H5T_NATIVE_INT64, &one, g->frames) &&
           put_list(steps, "PointOffsets", g->point_offset, g->frames, s) &&
           put_list(steps, "CellOffsets", g->cell_offset, g->frames, s) &&
           put_equal(steps, "ConnectivityIdOffsets", H5T_NATIVE_INT64, &zero, g->frames);
}

static bool put_cells(const grid *g, hid_t group, stream *s) {
    const uint8_t type = (uint8_t)g->cell;
    int64_t cells = 0;
    for (size_t p = 0; p < g->parts; p++) cells += g->cells_of[p];
    return put_list(group, "NumberOfPoints", g->points_of, g->parts, s) &&
           put_list(group, "NumberOfCells", g->cells_of, g->parts, s) &&
           put_list(group, "NumberOfConnectivityIds", g->ids_of, g->parts, s) && put_offsets(g, group, cells, s) &&
           put_equal(group, "Types", H5T_NATIVE_UINT8, &type, (size_t)cells) && put_connectivity(g, group, s) &&
           link_column(group, "Points", g->points, g->column);
}

enum { ROOT, STEPS, POINT_DATA, CELL_DATA, POINT_OFFSETS, CELL_OFFSETS, GROUPS };

static bool put_grid(const grid *g, hid_t file, stream *s) {
    static const char *const name[GROUPS] = {"VTKHDF",
                                             "VTKHDF/Steps",
                                             "VTKHDF/PointData",
                                             "VTKHDF/CellData",
                                             "VTKHDF/Steps/PointDataOffsets",
                                             "VTKHDF/Steps/CellDataOffsets"};
    const int64_t version[2] = {2, 0};
    hid_t group[GROUPS];
    bool good = true;
    for (int k = 0; k < GROUPS; k++) {
        group[k] = good ? rps_h5_create_group(file, name[k]) : -1;
        good = group[k] >= 0;
    }
    good = good && set_numbers(group[ROOT], "Version", version, 2) &&
           set_word(group[ROOT], "Type", "UnstructuredGrid") && put_cells(g, group[ROOT], s) &&
           put_steps(g, group[STEPS], s);
    for (int k = 0; k < FIELDS && good; k++) {
        const fields *f = &g->fields[k];
        if (!f->table) continue;
        good = put_fields(g, f, group[f->of_cells ? CELL_DATA : POINT_DATA],
                          group[f->of_cells ? CELL_OFFSETS : POINT_OFFSETS], s);
    }
    for (int k = 0; k < GROUPS; k++) {
        if (group[k] >= 0) H5Gclose(group[k]);
    }
    return good;
}

/* --- the file -------------------------------------------------------------------------------------------------------- */

/* Writes the grid to a file in memory and from there to `path`. */
static rps_status replace_by_image(const grid *g, const char *path, const rps_allocator *allocator, rps_error *err) {
    void *memory, *image = NULL;
    size_t image_bytes = 0;
    RPS_TRY(rps_memory_alloc(allocator, sizeof(stream), &memory, err));
    rps_h5_session session;
    rps_h5_begin(&session);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(creation, 0);
    H5Pset_fapl_core(access, (size_t)1 << 16, 0);
    /* Of the newer superblocks H5Fget_file_image clears a flag and keeps the checksum with it. */
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    bool good = file >= 0 && put_grid(g, file, memory) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    const ssize_t bytes = good ? H5Fget_file_image(file, NULL, 0) : -1;
    rps_status status = bytes > 0 ? RPS_OK : rps_h5_fail(err, "write", path);
    if (status == RPS_OK) status = rps_memory_alloc(allocator, image_bytes = (size_t)bytes, &image, err);
    if (status == RPS_OK && H5Fget_file_image(file, image, image_bytes) != bytes) {
        status = rps_h5_fail(err, "write", path);
    }
    if (file >= 0) H5Fclose(file);
    H5Pclose(creation);
    H5Pclose(access);
    rps_h5_end(&session);
    if (status == RPS_OK) status = rps_file_replace(path, image, image_bytes, err);
    rps_memory_release(allocator, image, image_bytes);
    rps_memory_release(allocator, memory, sizeof(stream));
    return status;
}

/* Fills in what follows from the numbers of points and cells: `points_of` and `cells_of` hold those of frames. */
static void find_parts(grid *g) {
    int64_t cells = 0;
    size_t parts = 0;
    for (size_t f = 0; f < g->frames; f++) {
        const int64_t points = g->points_of[f], count = g->cells_of[f];
        if (parts == 0 || g->points_of[parts - 1] != points || g->cells_of[parts - 1] != count) {
            if (parts > 0) cells += g->cells_of[parts - 1];
            g->points_of[parts] = points;
            g->cells_of[parts] = count;
            g->ids_of[parts++] = count * g->nodes;
        }
        g->part_of[f] = (int64_t)parts - 1;
        g->cell_offset[f] = cells;
    }
    g->parts = parts;
}

static rps_status take_numbers(grid *g, const rps_allocator *allocator, size_t *bytes, void **memory, rps_error *err) {
    RPS_TRY(rps_size_of_items(g->frames, NUMBERS * sizeof(int64_t), bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(allocator, *bytes, memory, err));
    int64_t **const list[NUMBERS] = {&g->point_offset, &g->cell_offset, &g->part_of,     &g->points_of,
                                     &g->cells_of,     &g->ids_of,      &g->data_offset, &g->same_offset};
    for (int k = 0; k < NUMBERS; k++) *list[k] = (int64_t *)*memory + (size_t)k * g->frames;
    return RPS_OK;
}

static rps_status write_grid(grid *g, const char *path, size_t bytes, void *memory, const rps_allocator *allocator,
                             rps_error *err) {
    find_parts(g);
    const rps_status status = replace_by_image(g, path, allocator, err);
    rps_memory_release(allocator, memory, bytes);
    return status;
}

rps_status rps_vtkhdf_write_bodies(const char *path, const rps_table *bodies, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err) {
    grid g = {.cell = VERTEX, .nodes = 1, .points = bodies, .column = "position", .frames = frames};
    size_t bytes;
    void *memory;
    if (frames == 0) return RPS_OK;
    RPS_TRY(take_numbers(&g, allocator, &bytes, &memory, err));
    g.fields[0] = (fields){.table = bodies, .without = g.column, .offset = g.point_offset};
    for (size_t f = 0; f < frames; f++) {
        g.point_offset[f] = (int64_t)frame[f].body_offset;
        g.points_of[f] = g.cells_of[f] = (int64_t)frame[f].bodies;
    }
    return write_grid(&g, path, bytes, memory, allocator, err);
}

rps_status rps_vtkhdf_write_contacts(const char *path, const rps_table *contacts, const rps_frame *frame, size_t frames,
                                     const rps_allocator *allocator, rps_error *err) {
    grid g = {.cell = LINE, .nodes = 2, .points = contacts, .column = "line", .frames = frames};
    size_t bytes;
    void *memory;
    if (frames == 0) return RPS_OK;
    RPS_TRY(take_numbers(&g, allocator, &bytes, &memory, err));
    g.fields[0] = (fields){.table = contacts, .without = g.column, .of_cells = true, .offset = g.data_offset};
    for (size_t f = 0; f < frames; f++) {
        g.data_offset[f] = (int64_t)frame[f].contact_offset;
        g.point_offset[f] = 2 * g.data_offset[f];
        g.cells_of[f] = (int64_t)frame[f].contacts;
        g.points_of[f] = 2 * g.cells_of[f];
    }
    return write_grid(&g, path, bytes, memory, allocator, err);
}

rps_status rps_vtkhdf_write_surfaces(const char *path, const rps_surface_tables *tables,
                                     const rps_surface_frame *surface, size_t frames, const rps_allocator *allocator,
                                     rps_error *err) {
    const rps_table *points = tables->points;
    grid g = {.cell = TRIANGLE, .nodes = 3, .points = points, .column = points->column[0].name, .frames = frames};
    size_t bytes;
    void *memory;
    if (frames == 0) return RPS_OK;
    RPS_TRY(take_numbers(&g, allocator, &bytes, &memory, err));
    g.connectivity = tables->triangles;
    g.fields[0] = (fields){.table = points, .without = g.column, .offset = g.point_offset};
    g.fields[1] = (fields){.table = tables->vertices, .offset = g.data_offset}; /* the same rows in every frame */
    for (size_t f = 0; f < frames; f++) {
        g.point_offset[f] = (int64_t)surface[f].offset;
        g.points_of[f] = (int64_t)surface[f].points;
        g.cells_of[f] = (int64_t)surface[f].triangles;
    }
    return write_grid(&g, path, bytes, memory, allocator, err);
}

rps_status rps_vtkhdf_write_loads(const char *path, const rps_load_grid *grid_of_loads, size_t frames,
                                  const rps_allocator *allocator, rps_error *err) {
    const rps_table *points = grid_of_loads->points, *triangles = grid_of_loads->triangles;
    grid g = {.cell = TRIANGLE, .nodes = 3, .points = points, .column = points->column[0].name, .frames = frames};
    size_t bytes;
    void *memory;
    if (frames == 0) return RPS_OK;
    RPS_TRY(take_numbers(&g, allocator, &bytes, &memory, err));
    g.connectivity = triangles;
    g.fields[0] = (fields){.table = grid_of_loads->values, .of_cells = true, .offset = g.data_offset};
    g.fields[1] =
        (fields){.table = triangles, .without = triangles->column[0].name, .of_cells = true, .offset = g.same_offset};
    for (size_t f = 0; f < frames; f++) {
        g.point_offset[f] = (int64_t)(f * grid_of_loads->point_count);
        g.data_offset[f] = (int64_t)(f * grid_of_loads->triangle_count);
        g.points_of[f] = (int64_t)grid_of_loads->point_count;
        g.cells_of[f] = (int64_t)grid_of_loads->triangle_count;
    }
    return write_grid(&g, path, bytes, memory, allocator, err);
}
