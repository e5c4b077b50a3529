/* Checks that a checkpoint fits the results beside it. It needs the frames of run.h5 and bytes of series.csv that the
 * run had written. After a disk failure, an incomplete copy or a deletion there may be fewer. A frame whose bytes
 * have changed counts as missing, as do all frames after it. */
#include "run/run_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/read_results.h"
#include "io/sums.h"

/* The error says nothing about the file: it may be intact. */
static bool is_ours(rps_status status) {
    return status == RPS_NO_MEMORY || status == RPS_INTERNAL;
}

static rps_status look_at_frames(const rps_checkpoint *c, const char *folder, rps_old_results *old,
                                 const rps_allocator *allocator, rps_error *err) {
    char path[RPS_PATH];
    rps_results_reader *reader;
    rps_error why;
    size_t count = 0;
    RPS_TRY(rps_path_join(path, folder, "run.h5", err));
    rps_status status = rps_file_exists(path) ? rps_journal_claim(path, allocator, &why) : RPS_OK;
    if (status == RPS_BAD_INPUT)
        return rps_fail(err, RPS_IO_ERROR, "%s", why.text); /* its running writer recovers it */
    if (status == RPS_OK) status = rps_results_open(path, allocator, &reader, &why);
    if (is_ours(status)) return rps_fail(err, status, "%s", why.text);
    if (status == RPS_OK) {
        rps_results_reader_frames(reader, &count);
        rps_results_reader_close(reader);
    }
    if (status == RPS_OK && count >= old->frames) {
        bool any;
        status = rps_sums_check(path, allocator, (size_t)old->frames, &count, &any, &why);
        if (is_ours(status)) return rps_fail(err, status, "%s", why.text);
    } else if (status == RPS_OK) {
        rps_fail(&why, RPS_BAD_INPUT, "%s has %zu frames, but %s was written after %llu", path, count,
                 rps_checkpoint_path(c), (unsigned long long)old->frames);
    }
    if (count >= old->frames && status == RPS_OK) return RPS_OK;
    old->frames = count;
    old->frames_missing = true;
    return rps_fail(err, RPS_BAD_INPUT, "%s", why.text);
}

static rps_status look_at_rows(const rps_checkpoint *c, const char *folder, rps_old_results *old, rps_error *err) {
    char path[RPS_PATH];
    rps_error why;
    uint64_t rows, bytes;
    RPS_TRY(rps_path_join(path, folder, "series.csv", err));
    rps_status status = rps_csv_whole_rows(path, old->bytes, &rows, &bytes, &why);
    if (status == RPS_OK && bytes == old->bytes) return RPS_OK;
    if (status == RPS_OK) {
        rps_fail(&why, RPS_BAD_INPUT, "%s has %llu whole rows, but %s was written after %llu", path,
                 (unsigned long long)rows, rps_checkpoint_path(c), (unsigned long long)old->rows);
    }
    old->rows = status == RPS_OK ? rows : 0;
    old->bytes = status == RPS_OK ? bytes : 0;
    old->rows_missing = true;
    return rps_fail(err, RPS_BAD_INPUT, "%s", why.text);
}

rps_status rps_old_results_look(const rps_checkpoint *c, const rps_allocator *allocator, rps_old_results *old,
                                rps_error *err) {
    char folder[RPS_PATH];
    double interval[2];
    uint64_t count[RPS_RUN_COUNTS];
    RPS_TRY(rps_checkpoint_doubles(c, rps_run_intervals, interval, 2, err));
    RPS_TRY(rps_checkpoint_words(c, rps_run_counts, count, RPS_RUN_COUNTS, err));
    RPS_TRY(rps_checkpoint_folder(rps_checkpoint_path(c), folder, err));
    *old =
        (rps_old_results){.frames = count[RPS_RUN_FRAMES], .rows = count[RPS_RUN_ROWS], .bytes = count[RPS_RUN_BYTES]};
    if (rps_checkpoint_find(c, rps_run_no_results)) {
        *old = (rps_old_results){.frames_missing = true, .rows_missing = true};
        return rps_fail(err, RPS_BAD_INPUT, "%s was saved by a program, and no results belong to it",
                        rps_checkpoint_path(c));
    }
    rps_error second;
    rps_status status = interval[0] > 0.0 ? look_at_frames(c, folder, old, allocator, err) : RPS_OK;
    if (is_ours(status)) return status;
    rps_status rows = interval[1] > 0.0 ? look_at_rows(c, folder, old, status == RPS_OK ? err : &second) : RPS_OK;
    return status == RPS_OK ? rows : status;
}
