/* Verifies a whole run.h5 against its checksums, dataset by dataset, in windows of many rows. */
#include "io/sums.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "io/read_results.h"

enum { NAMES = 4096, WHAT = 160, WINDOW = RPS_TABLE_BLOCK /* rows */ };

typedef struct checker {
    const char *path;
    const rps_allocator *allocator;
    hid_t file;
    const rps_frame *frame;
    const rps_surface_frame *surface; /* of each frame */
    size_t frames, whole;             /* to verify; found intact */
    uint64_t rows, all;               /* rows per frame of the dataset, if it is the same in all; frames in the file */
    void *window, *sums;
    size_t window_bytes, sums_bytes;
    char what[WHAT]; /* the damaged part; "": none */
    const char *why;
    bool in_frame;  /* the damage is in the first damaged frame; false: in all frames */
    bool no_memory; /* ran out of memory */
} checker;

static void found(checker *k, size_t frame, const char *what, const char *why) {
    if (frame >= k->whole) return;
    k->whole = frame;
    k->in_frame = true;
    k->why = why;
    snprintf(k->what, sizeof k->what, "%s", what);
}

static void found_everywhere(checker *k, const char *what, const char *why) {
    found(k, 0, what, why);
    if (k->what[0] == '\0') snprintf(k->what, sizeof k->what, "%s", what);
    k->why = why;
    k->in_frame = false;
    k->whole = 0;
}

static const char differs[] = "is not what its checksum says", unreadable[] = "cannot be read";

/* --- one dataset ----------------------------------------------------------------------------------------------------- */

typedef struct source {
    hid_t dataset, type;
    int rank;
    hsize_t size[2], first, rows; /* size of the dataset; rows in the window */
    size_t row;                   /* bytes */
} source;

static void close_source(source *s) {
    if (s->type >= 0) H5Tclose(s->type);
    if (s->dataset >= 0) H5Dclose(s->dataset);
}

static bool open_source(hid_t file, const char *name, source *s) {
    *s = (source){.dataset = H5Dopen2(file, name, H5P_DEFAULT), .type = -1, .size = {0, 1}};
    hid_t space = s->dataset >= 0 ? H5Dget_space(s->dataset) : -1,
          stored = s->dataset >= 0 ? H5Dget_type(s->dataset) : -1;
    s->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool good = (s->rank == 1 || s->rank == 2) && H5Sget_simple_extent_dims(space, s->size, NULL) == s->rank;
    if (stored >= 0) s->type = H5Tget_native_type(stored, H5T_DIR_DEFAULT);
    good = good && s->type >= 0 && s->size[1] <= RPS_COLUMNS;
    s->row = good ? (size_t)s->size[1] * H5Tget_size(s->type) : 0;
    if (stored >= 0) H5Tclose(stored);
    if (space >= 0) H5Sclose(space);
    if (!good) close_source(s);
    return good;
}

static bool check_sums_read_rows(const source *s, hsize_t first, hsize_t rows, void *out) {
    const hsize_t start[2] = {first, 0}, count[2] = {rows, s->size[1]};
    hid_t in_file = H5Dget_space(s->dataset), in_memory = H5Screate_simple(s->rank, count, NULL);
    const bool good = in_file >= 0 && in_memory >= 0 &&
                      H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(s->dataset, s->type, in_memory, in_file, H5P_DEFAULT, out) >= 0;
    if (in_memory >= 0) H5Sclose(in_memory);
    if (in_file >= 0) H5Sclose(in_file);
    return good;
}

/* A range of rows, at most one window; NULL if they cannot be read. Reads a whole window ahead if possible. */
static const char *rows_at(checker *k, source *s, hsize_t first, hsize_t rows) {
    char *window = k->window;
    if (first >= s->first && first + rows <= s->first + s->rows) return window + (size_t)(first - s->first) * s->row;
    if (first + rows > s->size[0]) return NULL;
    const hsize_t left = s->size[0] - first, ahead = k->window_bytes / s->row;
    s->first = first;
    s->rows = left < ahead ? left : ahead;
    if (check_sums_read_rows(s, first, s->rows, window)) return window;
    s->rows = rows; /* the damage may lie past the requested rows */
    if (check_sums_read_rows(s, first, rows, window)) return window;
    s->rows = 0;
    return NULL;
}

/* Same definition as in rps_table_append. False if the rows cannot be read. */
static bool sum_of(checker *k, source *s, hsize_t first, hsize_t items, hsize_t rows, int32_t *sum) {
    uint64_t chain = 0;
    for (hsize_t done = 0, n; done < items; done += n) {
        n = items - done < RPS_TABLE_BLOCK ? items - done : RPS_TABLE_BLOCK;
        const char *data = rows_at(k, s, (first + done) * rows, n * rows);
        if (!data) return false;
        chain = rps_hash64_chain(chain, data, (size_t)(n * rows) * s->row);
    }
    *sum = (int32_t)(uint32_t)chain;
    return true;
}

/* --- a column of checksums ------------------------------------------------------------------------------------------- */

/* The items of a dataset that belong to a frame: first item and count. */
static void items_of(const checker *k, const char *group, const char *name, size_t f, hsize_t out[2]) {
    const rps_surface_frame none = {0, 0, 0}, *now = &k->surface[f], *before = f > 0 ? now - 1 : &none;
    if (strcmp(group, "bodies") == 0) {
        out[0] = k->frame[f].body_offset, out[1] = k->frame[f].bodies;
    } else if (strcmp(group, "contacts") == 0) {
        out[0] = k->frame[f].contact_offset, out[1] = k->frame[f].contacts;
    } else if (strcmp(group, "bonds") == 0) {
        out[0] = k->frame[f].bond_offset, out[1] = k->frame[f].bonds;
    } else if (strcmp(group, "joints") == 0 || strcmp(group, "loads") == 0 || strcmp(group, "profiles") == 0) {
        out[0] = f * k->rows, out[1] = k->rows;
    } else if (strncmp(name, "points/", 7) == 0) {
        out[0] = now->offset, out[1] = now->points;
    } else {
        const bool corners = strncmp(name, "triangles/", 10) == 0;
        out[0] = corners ? before->triangles : before->points;
        out[1] = (corners ? now->triangles : now->points) - out[0];
    }
}

static void check_dataset(checker *k, const char *group, const char *name, int number, int numbers) {
    char path[WHAT];
    source s;
    const int32_t *sum = k->sums;
    const bool surface = strcmp(group, "surface") == 0;
    const bool lines = strcmp(group, "contacts") == 0 || strcmp(group, "bonds") == 0;
    const hsize_t rows = lines && strcmp(name, "line") == 0 ? 2 : 1;
    if (surface && (k->frames == 0 || k->surface[k->frames - 1].points == 0)) return; /* the group does not exist yet */
    snprintf(path, sizeof path, "/%s/%.100s", group, name);
    if (!open_source(k->file, path, &s)) {
        found_everywhere(k, path, unreadable);
        return;
    }
    if (k->all > 0) k->rows = s.size[0] / k->all;
    for (size_t f = 0; f < k->whole; f++) {
        hsize_t item[2];
        int32_t now = 0;
        items_of(k, group, name, f, item);
        if (!sum_of(k, &s, item[0], item[1], rows, &now)) {
            found(k, f, path, unreadable);
        } else if (now != sum[f * (size_t)numbers + (size_t)number]) {
            found(k, f, path, differs);
        }
    }
    close_source(&s);
}

/* Reads a column of /checksums. Returns its numbers per frame, 0 if the column does not exist. */
static int read_sums(checker *k, const char *name, bool *there, char names[NAMES]) {
    char path[64];
    source s;
    snprintf(path, sizeof path, "/checksums/%s", name);
    *there = H5Lexists(k->file, path, H5P_DEFAULT) > 0;
    if (!*there || !open_source(k->file, path, &s)) return 0;
    const size_t bytes = (k->frames + 1) * s.row;
    k->no_memory = k->no_memory || rps_buffer_reserve(k->allocator, &k->sums, &k->sums_bytes, 0, bytes, NULL) != RPS_OK;
    const bool good = !k->no_memory && s.size[0] >= k->frames && H5Tget_size(s.type) == sizeof(int32_t) &&
                      (k->frames == 0 || check_sums_read_rows(&s, 0, k->frames, k->sums));
    k->all = s.size[0];
    rps_h5_get_text(s.dataset, "names", names, NAMES);
    close_source(&s);
    return good ? (int)s.size[1] : 0;
}

static void check_group(checker *k, const char *group) {
    char names[NAMES], what[64];
    bool there;
    const int numbers = read_sums(k, group, &there, names);
    snprintf(what, sizeof what, "/checksums/%s", group);
    if (there && numbers == 0) found_everywhere(k, what, unreadable);
    char *next = names;
    for (int n = 0; n < numbers && next; n++) {
        char *name = next;
        next = strchr(name, '\n');
        if (next) *next++ = '\0';
        check_dataset(k, group, name, n, numbers);
    }
}

static void check_index(checker *k) {
    char names[NAMES];
    bool there;
    const int numbers = read_sums(k, "frame", &there, names);
    const int32_t *sum = k->sums;
    if (numbers != 1) found_everywhere(k, "/checksums/frame", unreadable);
    for (size_t f = 0; numbers == 1 && f < k->whole; f++) {
        if (sum[f] != rps_sums_frame(&k->frame[f], &k->surface[f])) found(k, f, "/frames or /surface/frames", differs);
    }
}

/* --- the file -------------------------------------------------------------------------------------------------------- */

/* A text of the scene. */
static void check_scene_text(checker *k, const char *name) {
    char stored[RPS_SUM_TEXT] = "", now[RPS_SUM_TEXT];
    if (H5Lexists(k->file, name, H5P_DEFAULT) == 0) return;
    hid_t dataset = H5Dopen2(k->file, name, H5P_DEFAULT), type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    const size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
    void *text = NULL;
    k->no_memory = k->no_memory || rps_memory_alloc(k->allocator, bytes, &text, NULL) != RPS_OK;
    const bool good = text && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0 &&
                      rps_h5_get_text(dataset, "checksum", stored, sizeof stored) &&
                      strcmp(stored, rps_sums_text(text, bytes, now)) == 0;
    if (!good) found_everywhere(k, name, differs);
    rps_memory_release(k->allocator, text, bytes);
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
}

/* The rows of /surface/frames that exist. */
static bool read_surface(const checker *k, rps_surface_frame *out) {
    static const char *const name[3] = {"/surface/frames/offset", "/surface/frames/points",
                                        "/surface/frames/triangles"};
    if (H5Lexists(k->file, "surface", H5P_DEFAULT) <= 0) return true;
    for (int c = 0; c < 3; c++) {
        source s;
        if (!open_source(k->file, name[c], &s)) return false;
        uint64_t *value = k->window;
        const bool fits =
            s.row == sizeof *value && s.size[0] >= k->frames && k->window_bytes >= k->frames * sizeof *value;
        const bool good = fits && (k->frames == 0 || check_sums_read_rows(&s, 0, k->frames, value));
        for (size_t f = 0; good && f < k->frames; f++) {
            *(c == 0 ? &out[f].offset : c == 1 ? &out[f].points : &out[f].triangles) = value[f];
        }
        close_source(&s);
        if (!good) return false;
    }
    return true;
}

static rps_status check_file(checker *k, rps_error *err) {
    static const char *const group[] = {"bodies", "contacts", "joints", "surface", "loads", "profiles", "bonds"};
    void *memory;
    const size_t bytes = (k->frames + 1) * sizeof(rps_surface_frame), window = (size_t)WINDOW * 2 * 9 * sizeof(double);
    RPS_TRY(rps_memory_alloc_zeroed(k->allocator, bytes, &memory, err));
    k->surface = memory;
    rps_status status = rps_buffer_reserve(k->allocator, &k->window, &k->window_bytes, 0,
                                           window > k->frames * 8 ? window : k->frames * 8, err);
    if (status == RPS_OK) {
        check_scene_text(k, "/scene");
        check_scene_text(k, "/included");
        if (!read_surface(k, memory)) found_everywhere(k, "/surface/frames", unreadable);
        check_index(k);
        for (int n = 0; n < 7; n++) check_group(k, group[n]);
    }
    rps_buffer_release(k->allocator, &k->window, &k->window_bytes);
    rps_buffer_release(k->allocator, &k->sums, &k->sums_bytes);
    rps_memory_release(k->allocator, memory, bytes);
    return k->no_memory ? rps_fail(err, RPS_NO_MEMORY, "no memory to check %s", k->path) : status;
}

rps_status rps_sums_check(const char *path, const rps_allocator *allocator, size_t frames, size_t *whole, bool *any,
                          rps_error *err) {
    rps_results_reader *reader;
    checker k = {.path = path, .allocator = allocator};
    *whole = 0;
    RPS_TRY(rps_results_open(path, allocator, &reader, err));
    k.frame = rps_results_reader_frames(reader, &k.frames);
    const size_t there = k.frames, indexed = rps_results_reader_indexed(reader);
    k.frames = k.whole = frames < there ? frames : there;
    rps_h5_session session;
    rps_h5_begin(&session);
    k.file = rps_results_reader_file(reader);
    *any = rps_results_reader_format(reader) > 1;
    rps_status status = *any ? check_file(&k, err) : RPS_OK;
    rps_h5_end(&session);
    if (status == RPS_OK && !k.what[0] && frames > there && indexed > there) {
        k.whole++;
        found(&k, there, "/frames", "names rows that are not there");
    }
    if (status == RPS_OK && k.what[0] && k.in_frame) {
        status =
            rps_fail(err, RPS_BAD_INPUT,
                     "%s is damaged: in frame %zu (t = %.9g s, step %llu; frames count from 0) %s %s; restore the file "
                     "from a copy",
                     path, k.whole, k.frame[k.whole].time, (unsigned long long)k.frame[k.whole].step, k.what, k.why);
    } else if (status == RPS_OK && k.what[0]) {
        status =
            rps_fail(err, RPS_BAD_INPUT, "%s is damaged: %s %s; restore the file from a copy", path, k.what, k.why);
    }
    *whole = k.whole;
    rps_results_reader_close(reader);
    return status;
}
