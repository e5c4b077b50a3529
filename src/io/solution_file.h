/* The solution of a cone problem as a table. */
#ifndef RPS_IO_SOLUTION_FILE_H
#define RPS_IO_SOLUTION_FILE_H

#include "cone/problem.h"

/* Writes a CSV file: a line for each contact with its number (from 0), its impulses r [N s, and N m s of spin and rolling]
 * and its velocities u [m/s, rad/s]; numbers read back to the same bits. r, u: [rows]. Errors as those of
 * rps_replacement_end; the file at `path` is then unchanged. */
rps_status rps_cone_solution_write(const char *path, const rps_cone_problem *problem, const double *r, const double *u,
                                   rps_error *err);

#endif
