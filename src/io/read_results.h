/* Reads run.h5: for `repose info`, for tests, and for a run that continues. */
#ifndef RPS_IO_READ_RESULTS_H
#define RPS_IO_READ_RESULTS_H

#include "io/frame.h"

typedef struct rps_results_reader rps_results_reader;

typedef enum rps_results_part { RPS_RESULTS_BODIES, RPS_RESULTS_CONTACTS, RPS_RESULTS_JOINTS } rps_results_part;

/* `path` is a run.h5 or a directory that holds one. Only frames that are whole are seen. */
rps_status rps_results_open(const char *path, const rps_allocator *allocator, rps_results_reader **reader,
                            rps_error *err);
void rps_results_reader_close(rps_results_reader *reader); /* NULL is fine */

/* Valid until the reader is closed. */
const rps_frame *rps_results_reader_frames(const rps_results_reader *reader, size_t *count);
/* "format", "version", "title" or "variant"; "" if the file does not say. */
const char *rps_results_reader_text(const rps_results_reader *reader, const char *name);
/* How many frames the index names: more than there are if it is damaged; they lie behind those of rps_results_reader_frames. */
size_t rps_results_reader_indexed(const rps_results_reader *reader);
/* The number in its format; 1 is of earlier versions, without checksums. */
int rps_results_reader_format(const rps_results_reader *reader);
/* For use inside an HDF5 session. */
hid_t rps_results_reader_file(const rps_results_reader *reader);
/* Are the doubles of a part floats in the file? */
bool rps_results_reader_single(const rps_results_reader *reader, rps_results_part part);
/* Columns of a part by index; NULL past the end. */
const rps_column *rps_results_reader_column(const rps_results_reader *reader, rps_results_part part, size_t index);
/* Values of one column in one frame, in the column's type: rows x components. `bytes` is the room in `out`, which must
 * be enough: (frame.bodies or frame.contacts, or the number of joints) * column.rows * column.components * size of the type. */
rps_status rps_results_read(rps_results_reader *reader, rps_results_part part, const char *column, size_t frame,
                            void *out, size_t bytes, rps_error *err);

#endif
