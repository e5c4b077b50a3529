/* Columns of a table of text by name, in SI units. */
#ifndef RPS_SCENE_CSV_COLUMNS_H
#define RPS_SCENE_CSV_COLUMNS_H

#include "io/csv_read.h"

/* Size in SI of the unit in a heading. RPS_BAD_INPUT if there is none, or one of another dimension than `unit`. */
rps_status rps_csv_column_scale(const rps_csv_table *table, int column, const char *unit, double *scale,
                                rps_error *err);
/* Number of the column, -1: there is none. */
int rps_csv_find_column(const rps_csv_table *table, const char *name);
/* RPS_BAD_INPUT if a name stands twice or is not one of `known`, whose list ends with NULL. */
rps_status rps_csv_check_columns(const rps_csv_table *table, const char *const *known, rps_error *err);

#endif
