/* Result files: paths, errors with cause and remedy, and atomic writes of small files: a reader sees the old or the
 * new content, never a part of it. */
#ifndef RPS_IO_FILE_H
#define RPS_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { RPS_PATH = 4096 }; /* bytes of a path, including the terminating zero */

/* directory/name, or name alone if directory is NULL or ""; RPS_BAD_INPUT if it does not fit. */
rps_status rps_path_join(char out[RPS_PATH], const char *directory, const char *name, rps_error *err);

/* RPS_IO_ERROR (RPS_NO_MEMORY for ENOMEM): "cannot <doing> <path>: <what the system says>; <remedy>". `number` is an
 * errno. */
rps_status rps_file_fail(rps_error *err, const char *doing, const char *path, int number);

/* The remedy alone, for errors reported by another library; "" if there is none. */
const char *rps_file_remedy(int number);

/* Creates the directory and its parents; an existing directory is no error. */
rps_status rps_directory_make(const char *path, rps_error *err);

/* Copies a file and replaces an existing one. */
rps_status rps_file_copy(const char *from, const char *to, rps_error *err);

bool rps_file_exists(const char *path); /* also false if it cannot be examined */
/* *there: the file or directory exists. RPS_IO_ERROR if that cannot be determined (permissions, symlink loop). */
rps_status rps_file_find(const char *path, bool *there, rps_error *err);
bool rps_is_directory(const char *path);

/* Reads the whole file and appends a zero, into a buffer that the caller releases with rps_buffer_release(NULL, text,
 * room), also after a failure; both begin as zero. */
rps_status rps_file_read(const char *path, void **text, size_t *capacity, rps_error *err);
/* The same for a file that may hold zeros: *count is its length. */
rps_status rps_file_read_bytes(const char *path, void **bytes, size_t *capacity, size_t *count, rps_error *err);

/* Writes path.part and renames it to path. After a failure the file at `path` is unchanged. Links, pipes and devices:
 * see output.h. */
rps_status rps_file_replace(const char *path, const char *data, size_t bytes, rps_error *err);
/* The same, and syncs file and directory before it returns. */
rps_status rps_file_replace_durably(const char *path, const char *data, size_t bytes, rps_error *err);

/* The same for content written in parts. */
typedef struct rps_replacement {
    char path[RPS_PATH], target[RPS_PATH], part[RPS_PATH]; /* target: links resolved; part: "" if written through */
    int file, error; /* error: errno of the first failure; the caller may set it */
} rps_replacement;

rps_status rps_replacement_begin(rps_replacement *replacement, const char *path, rps_error *err);
/* Does nothing after a failure. */
void rps_replacement_write(rps_replacement *replacement, const char *data, size_t bytes);
/* Must follow every successful begin; reports any failure since. */
rps_status rps_replacement_end(rps_replacement *replacement, bool durably, rps_error *err);

#endif
