/* A file that grows by whole records: a failed write leaves none of its record behind, and a run that continues cuts it
 * to a length and appends. */
#ifndef RPS_IO_APPEND_H
#define RPS_IO_APPEND_H

#include <stdint.h>

#include "io/file.h"

typedef struct rps_append {
    int file; /* -1: none is open */
    char path[RPS_PATH];
} rps_append;

/* Creates or empties the file. */
rps_status rps_append_open(rps_append *to, const char *path, rps_error *err);
/* Continues a file and truncates it to `bytes` bytes. RPS_BAD_INPUT if it has no line end at that point. */
rps_status rps_append_resume(rps_append *to, const char *path, uint64_t bytes, rps_error *err);
/* Appends a record. */
rps_status rps_append_write(rps_append *to, const char *data, size_t bytes, rps_error *err);
/* Bytes written so far; 0 if the target is no regular file or none is open. */
uint64_t rps_append_bytes(const rps_append *to);
rps_status rps_append_sync(rps_append *to, rps_error *err);
/* Closes the file, if one is open. */
rps_status rps_append_close(rps_append *to, rps_error *err);

#endif
