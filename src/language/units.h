/*
 * Quantities with units: "22.5 mm", "35 deg", "1e5 N/m".
 *
 * We define our own unit system in udunits2, with the radian as a base unit. So angles and pure numbers, rad/s and
 * Hz, N m and N m/rad have different dimensions and cannot be confused. Bare numbers are SI. A per cent is the pure
 * number 0.01.
 *
 * The system is created at the first use of a unit and serves all scenes and threads of the process, behind one lock.
 * It allocates about 30 kB from the C library and keeps them until the process ends.
 */
#ifndef RPS_LANGUAGE_UNITS_H
#define RPS_LANGUAGE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* *known: `unit` is a known unit; "" and "1" are the pure number. This and the next three return RPS_NO_MEMORY if
 * udunits2 runs out of memory. */
rps_status rps_units_known(const char *unit, bool *known, rps_error *err);

/* The base units, in the order m, kg, s, rad, K. */
enum { RPS_UNIT_BASES = 5 };
/* The powers of the base units in `unit`, and what one of it is in them. *known false: it is not a unit. */
rps_status rps_units_dimension(const char *unit, int power[RPS_UNIT_BASES], double *factor, bool *known,
                               rps_error *err);

/* The value of `text` in `unit` (an SI unit, "" or "1" for a pure number): a number, bare or with a unit of the same
 * dimension. Errors are sentences without a source location that give the expected value and an example. */
rps_status rps_units_read(const char *text, const char *unit, double *value, rps_error *err);

/* The same for tolerances: for a value in % it sets `percent` and returns the fraction, regardless of `unit`. */
rps_status rps_units_read_tolerance(const char *text, const char *unit, double *value, bool *percent, rps_error *err);

/* Length of the number at the start of a text ("22.5" in "22.5 mm"); 0 if there is none. */
size_t rps_number_length(const char *text);

/* "a length, such as 22.5 mm" for "m"; "a value in N s/m" for a unit without its own name. */
const char *rps_units_expected(const char *unit, char *out, size_t bytes);

#endif
