/* Reads run.h5: for `repose info`, for tests, and for a run that continues. */
#ifndef RPS_IO_READ_RESULTS_H
#define RPS_IO_READ_RESULTS_H

#include "io/frame.h"

typedef struct rps_results_reader rps_results_reader;

typedef enum rps_results_part {
    RPS_RESULTS_BODIES,
    RPS_RESULTS_CONTACTS,
    RPS_RESULTS_BONDS,
    RPS_RESULTS_JOINTS,
    RPS_RESULTS_LOADS, /* values on the triangles of meshes */
    RPS_RESULTS_PROFILES,
    RPS_RESULTS_PARTS
} rps_results_part;

/* `path` is a run.h5 or a directory that holds one. Only complete frames are visible. */
rps_status rps_results_open(const char *path, const rps_allocator *allocator, rps_results_reader **reader,
                            rps_error *err);
/* The same of a file that its run may be writing: it changes nothing. A read while the run writes may fail, or find old and new
 * values together; the caller knows when it wrote. */
rps_status rps_results_look(const char *path, const rps_allocator *allocator, rps_results_reader **reader,
                            rps_error *err);
void rps_results_reader_close(rps_results_reader *reader); /* NULL is fine */

/* Valid until the reader is closed. */
const rps_frame *rps_results_reader_frames(const rps_results_reader *reader, size_t *count);
/* The attribute "format", "version", "title" or "variant"; "" if the file has none. */
const char *rps_results_reader_text(const rps_results_reader *reader, const char *name);
/* Frames in the index; more than the complete ones if the file is damaged. The others follow those of
 * rps_results_reader_frames in memory. */
size_t rps_results_reader_indexed(const rps_results_reader *reader);
/* The format number; files of format 1, from earlier versions, have no checksums. */
int rps_results_reader_format(const rps_results_reader *reader);
/* For use inside an HDF5 session. */
hid_t rps_results_reader_file(const rps_results_reader *reader);
/* True if the file stores the doubles of this part as floats. */
bool rps_results_reader_single(const rps_results_reader *reader, rps_results_part part);
/* How many rows of a part every frame has, of joints, loads and profiles. */
uint64_t rps_results_reader_rows(const rps_results_reader *reader, rps_results_part part);
/* Columns of a part by index; NULL past the end. */
const rps_column *rps_results_reader_column(const rps_results_reader *reader, rps_results_part part, size_t index);
/* Values of one column in one frame, in the column's type: rows x components. `bytes` is the size of `out`, at least
 * (frame.bodies, frame.contacts or frame.bonds, or the number of joints or triangles) * column.rows * column.components * size of the type. */
rps_status rps_results_read(rps_results_reader *reader, rps_results_part part, const char *column, size_t frame,
                            void *out, size_t bytes, rps_error *err);

#endif
