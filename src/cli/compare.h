/* Shared by the parts of `repose info A B`. Values are compared bitwise: +0 and -0 differ. */
#ifndef RPS_CLI_COMPARE_H
#define RPS_CLI_COMPARE_H

#include "cli.h"

#include "base/array.h"
#include "io/checkpoint.h"

enum { COMPARE_SHOWN = 3 /* differences printed with values, per field */ };

/* Formats one row of values, of a type of rps_type, readably. Returns `out`. */
enum { COMPARE_ROW = 320 };
const char *compare_row(int type, int components, const void *row, char out[COMPARE_ROW]);
size_t compare_bytes(int type); /* of a value */

/* Compares a body field that both have, row by row in the order of ids. Prints differences under the name of the
 * field; false if there are any. */
bool compare_bodies(const char *field, int type, int components, size_t count, const void *a, const void *b);

/* Compares two checkpoints. *equal: their states are equal. Other content is reported, and counts as a difference
 * only if it affects how the run continues. */
rps_status compare_states(const char *path_a, const char *path_b, bool *equal, rps_error *err);
/* Compares two run.h5, frame by frame up to the first that differs. */
rps_status compare_frames(const char *path_a, const char *path_b, bool *equal, rps_error *err);
/* Compares two such files, or two directories. Prints and returns the exit status: CLI_OK if equal, CLI_CHECKS if
 * not. */
int cli_compare(const char *path_a, const char *path_b);

#endif
