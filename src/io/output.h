/* Where an output goes. A regular file is replaced in one piece, or rewritten; a link is followed, and stays; a pipe, FIFO,
 * terminal or other character device is written through; anything else (a directory, a disk, a socket) is refused. Nothing but
 * regular files is ever removed. All writers come by here. */
#ifndef RPS_IO_OUTPUT_H
#define RPS_IO_OUTPUT_H

#include "io/file.h"

typedef struct rps_output {
    char path[RPS_PATH]; /* behind all links */
    bool there, stream;  /* a file is there; what is there takes bytes, but cannot be replaced */
} rps_output;

/* Follows a path, also a link that leads to no file yet. RPS_IO_ERROR for what must not be written. */
rps_status rps_output_find(const char *path, rps_output *output, rps_error *err);
/* Opens it for writing, emptied if it is a file; *file is a descriptor. */
rps_status rps_output_open(const char *path, int *file, rps_error *err);
/* Removes the file, at the end of links, which stay. RPS_IO_ERROR if it is not a regular file; none is fine. */
rps_status rps_output_remove(const char *path, rps_error *err);

#endif
