/* Cone problems from files: "ncp 1" files, which are text, plain or compressed by gzip, and files of FCLIB (io/fclib.h).
 * docs/solve.md describes both. */
#ifndef RPS_IO_PROBLEM_FILE_H
#define RPS_IO_PROBLEM_FILE_H

#include "cone/problem.h"

/* Reads a file of either kind. RPS_IO_ERROR if it cannot be read; RPS_BAD_INPUT, naming file and line, if it is truncated or has
 * wrong counts or bad numbers. On failure *problem is empty; the caller always releases it. */
rps_status rps_cone_problem_read(rps_cone_problem *problem, const rps_allocator *allocator, const char *path,
                                 rps_error *err);

/* The same from text in memory; error messages use `name` as the file. */
rps_status rps_cone_problem_parse(rps_cone_problem *problem, const rps_allocator *allocator, const char *name,
                                  const char *text, size_t bytes, rps_error *err);

/* Writes a file that reads back as the same problem, to the bit; problem_write.c. remark: lines that begin with # and end with
 * a newline, or "". RPS_UNSUPPORTED for a coefficient of infinity; RPS_IO_ERROR, and no file, if it cannot be written. */
rps_status rps_cone_problem_write(const char *path, const rps_cone_problem *problem, const char *remark,
                                  rps_error *err);

#endif
