/* Shared by the parts of `repose info A B`. A difference is a difference of bits: +0 and -0 are two values. */
#ifndef RPS_CLI_COMPARE_H
#define RPS_CLI_COMPARE_H

#include "cli.h"

#include "base/array.h"
#include "io/checkpoint.h"

enum { COMPARE_SHOWN = 3 /* differences that are printed with their values, of each field */ };

/* One row of values, of a type of rps_type, for people. Returns `out`. */
enum { COMPARE_ROW = 320 };
const char *compare_row(int type, int components, const void *row, char out[COMPARE_ROW]);
size_t compare_bytes(int type); /* of a value */

/* A field of bodies that both have, row after row in the order of ids. Prints what differs; false if anything does.
 * The name of the field heads the lines. */
bool compare_bodies(const char *field, int type, int components, size_t count, const void *a, const void *b);

/* Two checkpoints. *equal: their states are; what else a checkpoint holds is told, and counts as a difference only where it
 * decides how the run goes on. */
rps_status compare_states(const char *path_a, const char *path_b, bool *equal, rps_error *err);
/* Two run.h5, frame by frame up to the first that differs. */
rps_status compare_frames(const char *path_a, const char *path_b, bool *equal, rps_error *err);
/* Two of these, or two directories. Prints; returns the exit status: CLI_OK if they are equal, CLI_CHECKS if not. */
int cli_compare(const char *path_a, const char *path_b);

#endif
