/* Checksums of run.h5, in its group /checksums: one row per frame. There is a column for each group, with one number
 * per dataset of the group; its attribute `names` lists the datasets. The column `frame` covers the rows of /frames
 * and /surface/frames. HDF5 adds its own checksums to its metadata. */
#ifndef RPS_IO_SUMS_H
#define RPS_IO_SUMS_H

#include "base/text.h"
#include "io/load_tables.h"
#include "io/profile_tables.h"
#include "io/surface.h"

/* The tables covered; NULL: not in this file. */
typedef struct rps_sums_of {
    const rps_table *bodies, *contacts, *joints;
    const rps_surface *surface;
    const rps_load_tables *loads;
    const rps_table *profiles, *bonds;
} rps_sums_of;

void rps_sums_columns(const rps_sums_of *of, rps_table *sums);
/* Writes the attributes that name the dataset of each number. Call inside an HDF5 session, after the table is
 * created. Uses `text` as scratch; its status tells whether memory ran out. */
bool rps_sums_write_names(const rps_sums_of *of, const rps_table *sums, rps_text *text);
/* The value of a column for the frame that is appended but not committed; `out` holds RPS_COLUMNS numbers. */
void rps_sums_value(const rps_sums_of *of, const rps_column *column, const rps_frame *frame,
                    const rps_surface_frame *surface, int32_t *out);
/* Checksum of the rows of a frame in /frames and /surface/frames. */
int32_t rps_sums_frame(const rps_frame *frame, const rps_surface_frame *surface);

enum { RPS_SUM_TEXT = 20 };
/* Checksum of a text, as text; returns `out`. */
const char *rps_sums_text(const char *text, size_t bytes, char out[RPS_SUM_TEXT]);

/* Verifies the first `frames` frames of the run.h5 at `path` against its checksums. *whole: number of intact frames
 * before the first damaged one, which RPS_BAD_INPUT then describes. *any: the file has checksums; without them all
 * frames count as intact. */
rps_status rps_sums_check(const char *path, const rps_allocator *allocator, size_t frames, size_t *whole, bool *any,
                          rps_error *err);

#endif
