/* Files of results: paths, errors with cause and remedy, and writing a small file so that a reader sees either the old
 * or the new one, never half of it. */
#ifndef RPS_IO_FILE_H
#define RPS_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { RPS_PATH = 4096 }; /* bytes of a path, terminating zero included */

/* directory/name, or name alone if directory is NULL or ""; RPS_BAD_INPUT if it does not fit. */
rps_status rps_path_join(char out[RPS_PATH], const char *directory, const char *name, rps_error *err);

/* RPS_IO_ERROR (RPS_NO_MEMORY for ENOMEM): "cannot <doing> <path>: <what the system says>; <remedy>". `number` is an
 * errno. */
rps_status rps_file_fail(rps_error *err, const char *doing, const char *path, int number);

/* The remedy alone, for errors that come through another library; "" if there is nothing to advise. */
const char *rps_file_remedy(int number);

/* Makes the directory and its parents; one that is there already is fine. */
rps_status rps_directory_make(const char *path, rps_error *err);

/* Copies a file, replacing one of that name. */
rps_status rps_file_copy(const char *from, const char *to, rps_error *err);

bool rps_file_exists(const char *path); /* false also where it cannot be looked at */
/* Whether there is such a file or directory. RPS_IO_ERROR if that cannot be seen, for want of rights or a circle of links. */
rps_status rps_file_find(const char *path, bool *there, rps_error *err);
bool rps_is_directory(const char *path);

/* The whole file and a zero behind it, in a buffer that the caller gives back by rps_buffer_release(NULL, text, room),
 * also after a failure; both begin as zero. */
rps_status rps_file_read(const char *path, void **text, size_t *capacity, rps_error *err);

/* Writes path.part and renames it to path. After a failure the file at `path` is as before. Links, pipes and devices: see
 * output.h. */
rps_status rps_file_replace(const char *path, const char *data, size_t bytes, rps_error *err);
/* The same, and file and name have reached the disk before it returns. */
rps_status rps_file_replace_durably(const char *path, const char *data, size_t bytes, rps_error *err);

/* The same for content that comes in parts. */
typedef struct rps_replacement {
    char path[RPS_PATH], target[RPS_PATH],
        part[RPS_PATH]; /* target: behind all links; part: "" where bytes go straight on */
    int file, error;    /* error: errno of the first failure, also set by the caller */
} rps_replacement;

rps_status rps_replacement_begin(rps_replacement *replacement, const char *path, rps_error *err);
/* After a failure it does nothing more. */
void rps_replacement_write(rps_replacement *replacement, const char *data, size_t bytes);
/* To be called after each begin that succeeded; tells of every failure since. */
rps_status rps_replacement_end(rps_replacement *replacement, bool durably, rps_error *err);

#endif
