/* Problems of FCLIB, the library of frictional contact problems (Acary, Bremond, Huber 2014), in HDF5: local ones, in impulses
 * (W, q, mu), and global ones, in velocities (M, H, f, w, mu), which are condensed to W. Rows of a contact and signs are as
 * here: u = W r + q, normal first, in 2 or 3 dimensions. */
#ifndef RPS_IO_FCLIB_H
#define RPS_IO_FCLIB_H

#include <stdbool.h>

#include "cone/problem.h"

/* True if the file begins as HDF5 files do. */
bool rps_is_hdf5(const char *path);

/* Reads a problem. RPS_IO_ERROR if the file cannot be read; RPS_BAD_INPUT, naming file and dataset, if something is missing,
 * does not fit together or is not finite, or if the problem has equality constraints, which cones do not express. On failure
 * *problem is empty; the caller always releases it. */
rps_status rps_fclib_read(rps_cone_problem *problem, const rps_allocator *allocator, const char *path, rps_error *err);

#endif
