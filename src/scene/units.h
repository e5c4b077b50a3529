/*
 * Quantities with units: "22.5 mm", "35 deg", "1e5 N/m".
 *
 * The units are a system of our own inside udunits2 in which the radian is a base unit, so that an angle and a pure
 * number, rad/s and Hz, N m and N m/rad are different things and one is never taken for the other. Bare numbers are SI.
 * A per cent is the pure number 0.01.
 *
 * The system is made when a unit is first asked for and serves all scenes and threads of the process, behind one lock. It
 * takes its memory from the C library, about 30 kB, and keeps it until the process ends.
 */
#ifndef RPS_SCENE_UNITS_H
#define RPS_SCENE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Is this text a unit that we know? "" and "1" are the pure number. RPS_NO_MEMORY, as of the next two, if udunits2 has
 * none. */
rps_status rps_units_known(const char *unit, bool *known, rps_error *err);

/* The value of `text` in `unit` (an SI unit, "" or "1" for a pure number): a number, bare or with a unit of the same
 * dimension. Errors are sentences without a place that say what was expected, with an example. */
rps_status rps_units_read(const char *text, const char *unit, double *value, rps_error *err);

/* The same, but `percent` is set for a value in %: the number is then the fraction, whatever `unit` is. For tolerances. */
rps_status rps_units_read_tolerance(const char *text, const char *unit, double *value, bool *percent, rps_error *err);

/* Length of the number at the start of a text ("22.5" of "22.5 mm"), 0 if there is none. */
size_t rps_number_length(const char *text);

/* "a length, such as 22.5 mm" for "m"; for a unit without a name of its own "a value in N s/m". */
const char *rps_units_expected(const char *unit, char *out, size_t bytes);

#endif
