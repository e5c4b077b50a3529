/* Checksums of what run.h5 holds: in the group /checksums, one row for each frame. A column for each group has as
 * many numbers as the group has datasets, whose names are in its attribute `names`; the column `frame` is for the
 * rows of /frames and /surface/frames. HDF5's own metadata has its own checksums. */
#ifndef RPS_IO_SUMS_H
#define RPS_IO_SUMS_H

#include "base/text.h"
#include "io/surface.h"

/* The datasets; NULL: not in this file. */
typedef struct rps_sums_of {
    const rps_table *bodies, *contacts, *joints;
    const rps_surface *surface;
} rps_sums_of;

void rps_sums_columns(const rps_sums_of *of, rps_table *sums);
/* Inside an HDF5 session, once the table is created: what the numbers of a column belong to. Uses `text`, whose status tells
 * whether it failed for want of memory. */
bool rps_sums_write_names(const rps_sums_of *of, const rps_table *sums, rps_text *text);
/* The value of a column for the frame that the tables have taken and not committed; `out` has room for RPS_COLUMNS. */
void rps_sums_value(const rps_sums_of *of, const rps_column *column, const rps_frame *frame,
                    const rps_surface_frame *surface, int32_t *out);
/* Of the rows of a frame in /frames and /surface/frames. */
int32_t rps_sums_frame(const rps_frame *frame, const rps_surface_frame *surface);

enum { RPS_SUM_TEXT = 20 };
/* Of a text, as a text; returns `out`. */
const char *rps_sums_text(const char *text, size_t bytes, char out[RPS_SUM_TEXT]);

/* Compares the first `frames` frames of a run.h5 that lies at `path` with its checksums. *whole: how many are as they were
 * written, up to the first that is not; RPS_BAD_INPUT then says which, and what of it. *any: the file has checksums; without,
 * all frames count as whole. */
rps_status rps_sums_check(const char *path, const rps_allocator *allocator, size_t frames, size_t *whole, bool *any,
                          rps_error *err);

#endif
