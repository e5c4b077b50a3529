/* repose info A B for two run.h5: frame by frame up to the first that differs; bodies by id, contacts and
 * bonds by key. */
#include "compare.h"

#include <stdio.h>
#include <string.h>

#include "io/read_results.h"

typedef struct two_runs {
    rps_results_reader *reader[2];
    const rps_frame *frame[2];
    size_t frames[2];
    void *capacity[2];
    size_t bytes[2];
} two_runs;

static const rps_column *compare_frames_find_column(const rps_results_reader *reader, rps_results_part part,
                                                    const char *name) {
    const rps_column *column;
    for (size_t k = 0; (column = rps_results_reader_column(reader, part, k)) != NULL; k++) {
        if (strcmp(column->name, name) == 0) return column;
    }
    return NULL;
}

/* Reads a column of one frame from both files, `rows` rows each. */
static rps_status read_both(two_runs *two, rps_results_part part, const rps_column *column, size_t frame, size_t rows,
                            rps_error *err) {
    for (int w = 0; w < 2; w++) {
        size_t bytes;
        RPS_TRY(rps_size_of_items(rows, compare_bytes((int)column->type) * (size_t)column->components, &bytes, err));
        RPS_TRY(rps_buffer_reserve(NULL, &two->capacity[w], &two->bytes[w], 0, bytes > 0 ? bytes : 1, err));
        RPS_TRY(rps_results_read(two->reader[w], part, column->name, frame, two->capacity[w], bytes, err));
    }
    return RPS_OK;
}

static const char *compare_part_name(int part) {
    return part == RPS_RESULTS_BODIES ? "bodies" : part == RPS_RESULTS_CONTACTS ? "contacts" : "bonds";
}

/* Of contacts or bonds. */
static size_t compare_pairs(const rps_frame *frame, rps_results_part part) {
    return (size_t)(part == RPS_RESULTS_CONTACTS ? frame->contacts : frame->bonds);
}

/* Contacts and bonds of a frame are sorted by key. Prints the first with a different value. */
static rps_status show_pair(two_runs *two, rps_results_part part, const rps_column *column, size_t frame, size_t row,
                            rps_error *err) {
    uint64_t id[2] = {0, 0};
    static const char *const name[2][2] = {{"id_i", "id_j"}, {"id_first", "id_second"}};
    const bool bonds = part == RPS_RESULTS_BONDS;
    char text[2][COMPARE_ROW];
    const size_t bytes = compare_bytes((int)column->type) * (size_t)column->components * (size_t)column->rows;
    const int numbers = column->components * column->rows;
    for (int w = 0; w < 2; w++) {
        compare_row((int)column->type, numbers, (const char *)two->capacity[w] + row * bytes, text[w]);
    }
    for (int k = 0; k < 2; k++) {
        const rps_column *ids = compare_frames_find_column(two->reader[0], part, name[bonds][k]);
        if (!ids) continue;
        RPS_TRY(read_both(two, part, ids, frame, compare_pairs(&two->frame[0][frame], part), err));
        id[k] = ((const uint64_t *)two->capacity[0])[row];
    }
    printf("  %s %llu-%llu\n    A %s\n    B %s\n", bonds ? "bond" : "contact", (unsigned long long)id[0],
           (unsigned long long)id[1], text[0], text[1]);
    return RPS_OK;
}

static rps_status compare_pair_column(two_runs *two, rps_results_part part, const rps_column *column, size_t frame,
                                      bool *same, rps_error *err) {
    const size_t count = compare_pairs(&two->frame[0][frame], part), rows = count * (size_t)column->rows;
    const size_t bytes = compare_bytes((int)column->type) * (size_t)column->components * (size_t)column->rows;
    size_t differ = 0, first = 0;
    RPS_TRY(read_both(two, part, column, frame, rows, err));
    for (size_t k = count; k-- > 0;) {
        if (memcmp((const char *)two->capacity[0] + k * bytes, (const char *)two->capacity[1] + k * bytes, bytes) == 0)
            continue;
        first = k;
        differ++;
    }
    if (differ == 0) return RPS_OK;
    *same = false;
    printf("%-9s %s differs in %zu of %zu, the first:\n", compare_part_name(part), column->name, differ, count);
    return show_pair(two, part, column, frame, first, err);
}

static rps_status compare_part(two_runs *two, rps_results_part part, size_t frame, bool *same, rps_error *err) {
    const rps_column *column;
    for (size_t k = 0; (column = rps_results_reader_column(two->reader[0], part, k)) != NULL; k++) {
        const rps_column *other = compare_frames_find_column(two->reader[1], part, column->name);
        if (!other || other->type != column->type || other->components != column->components ||
            other->rows != column->rows) {
            continue; /* already reported */
        }
        if (part != RPS_RESULTS_BODIES) {
            RPS_TRY(compare_pair_column(two, part, column, frame, same, err));
            continue;
        }
        const size_t count = (size_t)two->frame[0][frame].bodies;
        RPS_TRY(read_both(two, part, column, frame, count, err));
        *same = compare_bodies(column->name, (int)column->type, column->components, count, two->capacity[0],
                               two->capacity[1]) &&
                *same;
    }
    return RPS_OK;
}

static rps_status compare_frame(two_runs *two, size_t k, bool *same, rps_error *err) {
    const rps_frame *a = &two->frame[0][k], *b = &two->frame[1][k];
    if (a->step != b->step || a->time != b->time || a->bodies != b->bodies || a->contacts != b->contacts ||
        a->bonds != b->bonds) {
        *same = false;
        printf("frame %zu differs\n", k);
        for (int w = 0; w < 2; w++) {
            const rps_frame *f = &two->frame[w][k];
            printf("    %c step %llu, %.17g s, %llu bodies, %llu contacts, %llu bonds\n", 'A' + w,
                   (unsigned long long)f->step, f->time, (unsigned long long)f->bodies, (unsigned long long)f->contacts,
                   (unsigned long long)f->bonds);
        }
    }
    if (a->bodies == b->bodies) RPS_TRY(compare_part(two, RPS_RESULTS_BODIES, k, same, err));
    if (a->contacts == b->contacts) RPS_TRY(compare_part(two, RPS_RESULTS_CONTACTS, k, same, err));
    if (a->bonds == b->bonds) RPS_TRY(compare_part(two, RPS_RESULTS_BONDS, k, same, err));
    if (!*same)
        printf("frame     %zu, step %llu, %.9g s is the first that differs\n", k, (unsigned long long)a->step, a->time);
    return RPS_OK;
}

/* Reports columns that only one file has. */
static bool compare_columns(const two_runs *two) {
    bool same = true;
    for (int w = 0; w < 2; w++) {
        for (int part = RPS_RESULTS_BODIES; part <= RPS_RESULTS_BONDS; part++) {
            const rps_column *column;
            for (size_t k = 0; (column = rps_results_reader_column(two->reader[w], (rps_results_part)part, k)) != NULL;
                 k++) {
                if (compare_frames_find_column(two->reader[1 - w], (rps_results_part)part, column->name)) continue;
                printf("column    %s of %s is in %c only\n", column->name, compare_part_name(part), 'A' + w);
                same = false;
            }
        }
    }
    return same;
}

rps_status compare_frames(const char *path_a, const char *path_b, bool *equal, rps_error *err) {
    two_runs two = {0};
    const char *path[2] = {path_a, path_b};
    rps_status status = RPS_OK;
    for (int w = 0; w < 2 && status == RPS_OK; w++) {
        status = rps_results_open(path[w], NULL, &two.reader[w], err);
        if (status == RPS_OK) two.frame[w] = rps_results_reader_frames(two.reader[w], &two.frames[w]);
    }
    bool same = status == RPS_OK && compare_columns(&two);
    bool frames = true;
    const size_t least = two.frames[0] < two.frames[1] ? two.frames[0] : two.frames[1];
    for (size_t k = 0; k < least && frames && status == RPS_OK; k++) status = compare_frame(&two, k, &frames, err);
    if (status == RPS_OK && frames) {
        printf("frames    the first %zu are equal (%zu in A, %zu in B)\n", least, two.frames[0], two.frames[1]);
    }
    *equal = same && frames && two.frames[0] == two.frames[1];
    for (int w = 0; w < 2; w++) {
        rps_results_reader_close(two.reader[w]);
        rps_buffer_release(NULL, &two.capacity[w], &two.bytes[w]);
    }
    return status;
}
