/* Units of headings are those of scene files. */
#include "scene/csv_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "language/units.h"

rps_status rps_csv_column_scale(const rps_csv_table *table, int column, const char *unit, double *scale,
                                rps_error *err) {
    char text[64];
    rps_error why;
    if (!*table->unit[column]) {
        return rps_csv_table_fail(table, table->header, err,
                                  "`%.40s` has no unit; write it into the header, such as `%.40s [%s]`",
                                  table->name[column], table->name[column], strcmp(unit, "1") == 0 ? "%" : unit);
    }
    rps_snprintf(text, sizeof text, "1 %.40s", table->unit[column]);
    if (rps_units_read(text, unit, scale, &why) == RPS_OK) return RPS_OK;
    return rps_csv_table_fail(table, table->header, err, "column `%.40s`: %.400s", table->name[column], why.text);
}

int rps_csv_find_column(const rps_csv_table *table, const char *name) {
    for (int k = 0; k < table->columns; k++) {
        if (strcmp(table->name[k], name) == 0) return k;
    }
    return -1;
}

static bool is_known_column(const char *name, const char *const *known) {
    for (; *known; known++) {
        if (strcmp(name, *known) == 0) return true;
    }
    return false;
}

rps_status rps_csv_check_columns(const rps_csv_table *table, const char *const *known, rps_error *err) {
    for (int k = 0; k < table->columns; k++) {
        if (rps_csv_find_column(table, table->name[k]) < k) {
            return rps_csv_table_fail(table, table->header, err, "the column `%.40s` stands twice", table->name[k]);
        }
        if (is_known_column(table->name[k], known)) continue;
        char names[256] = "";
        for (const char *const *name = known; *name; name++) {
            if (strlen(names) + strlen(*name) + 2 < sizeof names) strcat(strcat(names, " "), *name);
        }
        return rps_csv_table_fail(table, table->header, err, "there is no column `%.40s`; known are%s", table->name[k],
                                  names);
    }
    return RPS_OK;
}
