/* Rows are few, so that they are kept in double precision whatever the scene says of other fields. */
#include "io/profile_tables.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

const char rps_profile_values_group[] = "profiles/values";

/* Columns of /profiles/values, with the place of their numbers. */
#define VALUES(X)                                                                                                   \
    X(number, number, 1, "1", "of bodies whose centre lies in the bin")                                             \
    X(mass, mass, 1, "kg", "of these bodies")                                                                       \
    X(solid_fraction, fraction, 1, "1", "their volume over that of the bin; NaN where that is not known")           \
    X(velocity, velocity, 3, "m/s", "mean by mass; of a radial profile radial, about the axis and along it")        \
    X(temperature, temperature, 1, "m^2/s^2", "a third of the mean square of what velocities differ from the mean") \
    X(angular_velocity, angular_velocity, 3, "rad/s", "mean by mass, in the axes of the velocity")                  \
    X(stress, stress, 6, "Pa", "of contacts over the volume of the bin, xx xy xz yy yz zz, tension positive")

static const size_t profile_offset[] = {
#define OFFSET(name, member, components, unit, meaning) offsetof(rps_profile_bin, member),
    VALUES(OFFSET)
#undef OFFSET
};

void rps_profile_tables_columns(rps_profile_tables *t) {
    t->values = t->bins = (rps_table){0};
#define COLUMN(name, member, components, unit, meaning) \
    rps_table_add(&t->values, (rps_column){#name, unit, meaning, RPS_TYPE_double, components, 1});
    VALUES(COLUMN)
#undef COLUMN
    rps_table_add(&t->bins, (rps_column){"profile", "1", "index of its profile", RPS_TYPE_int32, 1, 1});
    rps_table_add(&t->bins, (rps_column){"from", "m", "lower end of the bin", RPS_TYPE_double, 1, 1});
    rps_table_add(&t->bins, (rps_column){"to", "m", "upper end of the bin", RPS_TYPE_double, 1, 1});
}

rps_status rps_profile_tables_init(rps_profile_tables *tables, const rps_profile_source *source,
                                   const rps_allocator *allocator, rps_error *err) {
    *tables = (rps_profile_tables){.allocator = allocator};
    rps_profile_tables_columns(tables);
    if (source->bins == NULL) return RPS_OK;
    const char *name;
    size_t bytes;
    tables->source = *source;
    for (size_t p = 0, n; (n = source->bins(source->context, p, &name)) > 0; p++) tables->rows += n;
    if (tables->rows == 0) return RPS_OK;
    RPS_TRY(rps_size_of_items(tables->rows, sizeof(rps_profile_bin), &bytes, err));
    RPS_TRY(rps_buffer_reserve(allocator, &tables->measured, &tables->measured_bytes, 0, bytes, err));
    return rps_buffer_reserve(allocator, &tables->column, &tables->column_bytes, 0, tables->rows * 6 * sizeof(double),
                              err);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

/* The index of the profile of every bin; its attribute has their names, a line each. */
static rps_status append_profile_names(rps_profile_tables *t, const char *path, rps_error *err) {
    int32_t *index = t->column;
    const char *name;
    rps_text text;
    rps_text_init(&text, t->allocator, (size_t)1 << 15); /* an attribute holds less than 64 KiB */
    for (size_t p = 0, n; (n = t->source.bins(t->source.context, p, &name)) > 0; p++) {
        rps_text_addf(&text, NULL, p ? "\n%s" : "%s", name);
        for (size_t k = 0; k < n; k++) *index++ = (int32_t)p;
    }
    const bool good = text.status == RPS_OK && rps_h5_set_text(t->bins.dataset[0], "names", rps_text_string(&text));
    rps_text_release(&text);
    if (!good) return rps_h5_fail(err, "write", path);
    return rps_table_append(&t->bins, 0, 0, t->rows, t->column, err);
}

rps_status rps_profile_tables_create(rps_profile_tables *tables, const rps_world *world, hid_t file, const char *path,
                                     rps_error *err) {
    if (tables->rows == 0) return RPS_OK;
    const hid_t group = rps_h5_create_group(file, "profiles");
    if (group < 0) return rps_h5_fail(err, "create", path);
    H5Gclose(group);
    RPS_TRY(rps_table_create(&tables->values, file, rps_profile_values_group, path, tables->rows, err));
    RPS_TRY(rps_table_create(&tables->bins, file, "profiles/bins", path, tables->rows, err));
    RPS_TRY(append_profile_names(tables, path, err));
    const rps_profile_bin *bin = tables->measured;
    double *edge = tables->column;
    tables->source.measure(tables->source.context, world, NULL, tables->measured);
    for (size_t k = 0; k < tables->rows; k++) edge[k] = bin[k].low;
    RPS_TRY(rps_table_append(&tables->bins, 1, 0, tables->rows, edge, err));
    for (size_t k = 0; k < tables->rows; k++) edge[k] = bin[k].high;
    RPS_TRY(rps_table_append(&tables->bins, 2, 0, tables->rows, edge, err));
    rps_table_commit(&tables->bins, tables->rows);
    return RPS_OK;
}

rps_status rps_profile_tables_resume(rps_profile_tables *tables, hid_t file, const char *path, uint64_t frames,
                                     rps_error *err) {
    if (tables->rows == 0) return RPS_OK;
    RPS_TRY(rps_table_resume(&tables->values, file, rps_profile_values_group, path, frames * tables->rows, err));
    return rps_table_resume(&tables->bins, file, "profiles/bins", path, tables->rows, err);
}

rps_status rps_profile_tables_append(rps_profile_tables *tables, const rps_world *world, const double (*moment)[6],
                                     rps_error *err) {
    if (tables->rows == 0) return RPS_OK;
    tables->source.measure(tables->source.context, world, moment, tables->measured);
    for (int c = 0; c < tables->values.columns; c++) {
        const size_t bytes = (size_t)tables->values.column[c].components * sizeof(double);
        for (size_t k = 0; k < tables->rows; k++) {
            memcpy((char *)tables->column + k * bytes,
                   (const char *)tables->measured + k * sizeof(rps_profile_bin) + profile_offset[c], bytes);
        }
        RPS_TRY(rps_table_append(&tables->values, c, 0, tables->rows, tables->column, err));
    }
    return RPS_OK;
}

void rps_profile_tables_commit(rps_profile_tables *tables) {
    if (tables->rows > 0) rps_table_commit(&tables->values, tables->rows);
}

bool rps_profile_tables_close(rps_profile_tables *tables) {
    const bool good = rps_table_close(&tables->values);
    return rps_table_close(&tables->bins) && good;
}

void rps_profile_tables_release(rps_profile_tables *tables) {
    rps_buffer_release(tables->allocator, &tables->measured, &tables->measured_bytes);
    rps_buffer_release(tables->allocator, &tables->column, &tables->column_bytes);
}
