/* The target of an output. A regular file is replaced atomically, or rewritten. A link is followed and kept. A pipe,
 * FIFO, terminal or other character device is written through. Anything else (a directory, a disk, a socket) is
 * refused. Only regular files are ever removed. All writers use this. */
#ifndef RPS_IO_OUTPUT_H
#define RPS_IO_OUTPUT_H

#include "io/file.h"

typedef struct rps_output {
    char path[RPS_PATH]; /* with all links resolved */
    bool there, stream;  /* a file exists; the target accepts bytes but cannot be replaced */
} rps_output;

/* Resolves a path, including links to files that do not exist yet. RPS_IO_ERROR if the target must not be written. */
rps_status rps_output_find(const char *path, rps_output *output, rps_error *err);
/* Opens the target for writing and truncates a regular file; *file is a descriptor. */
rps_status rps_output_open(const char *path, int *file, rps_error *err);
/* Removes the file that the path or its links lead to; links stay. RPS_IO_ERROR if it is not a regular file; a
 * missing file is no error. */
rps_status rps_output_remove(const char *path, rps_error *err);

#endif
