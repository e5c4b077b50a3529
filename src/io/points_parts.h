/* Shared by the readers and writers of points: text by lines and words, columns, and the source of a file. */
#ifndef RPS_IO_POINTS_PARTS_H
#define RPS_IO_POINTS_PARTS_H

#include "io/file.h"
#include "io/points.h"
#include "io/read_results.h"

/* A column of a table of text: a component of a field, or the words of materials. */
typedef struct rps_point_column {
    int field, component;
    double factor, shift; /* value = factor text + shift */
} rps_point_column;

struct rps_points_source {
    const rps_allocator *allocator;
    rps_points_format format;
    char path[RPS_PATH];
    void *bytes; /* of the file, a zero behind it; lines and words are cut in place */
    size_t capacity, count;
    char *at, *end;
    size_t line; /* number of the last line; 0: none */
    size_t frame;
    rps_results_reader *results;
    rps_points points;
    char *word[RPS_POINT_COLUMNS];
    rps_point_column column[RPS_POINT_COLUMNS];
    int words, columns;
};

/* "file:line: ..." or, of a binary file, "file: byte N: ..."; RPS_BAD_INPUT. */
rps_status rps_points_fail(const rps_points_source *source, rps_error *err, const char *fmt, ...) RPS_PRINTF(3, 4);
/* The next line, without its end; NULL behind the last. */
rps_status rps_points_line(rps_points_source *source, char **line, rps_error *err);
/* Cuts a line into source->word, at blanks, or at commas. */
rps_status rps_points_split(rps_points_source *source, char *line, bool commas, rps_error *err);
rps_status rps_points_number(const rps_points_source *source, const char *text, double *value, rps_error *err);
/* A whole number from 0 to 2^53. */
rps_status rps_points_count(const rps_points_source *source, const char *text, uint64_t *value, rps_error *err);

/* Makes fields of the names of columns, which are those of any format. */
rps_status rps_points_name_columns(rps_points_source *source, char *const *name, int count, rps_error *err);
/* Adds a point from the words of a line. */
rps_status rps_points_row(rps_points_source *source, rps_error *err);

typedef enum rps_point_style { RPS_POINT_SCENE, RPS_POINT_LAMMPS } rps_point_style;
/* The name of a column: "vx", "omegax", "stress.xy". */
void rps_points_column_name(const rps_point_field *field, int component, rps_point_style style,
                            char out[RPS_POINT_NAME + 8]);
void rps_points_add_value(rps_text *out, const rps_point_field *field, size_t point, int component);
/* The box around all points and their radii. */
void rps_points_bounds(const rps_points *points, double low[3], double high[3]);
/* The number of a point's type from 1 on: `type`, else `material`, else 1. */
double rps_points_type_of(const rps_points *points, size_t point);

rps_status rps_points_read_results(rps_points_source *source, bool wanted, bool *more, rps_error *err);
rps_status rps_points_read_dump(rps_points_source *source, bool *more, rps_error *err);
rps_status rps_points_read_data(rps_points_source *source, bool *more, rps_error *err);
rps_status rps_points_read_vtu(rps_points_source *source, bool *more, rps_error *err);
rps_status rps_points_read_ply(rps_points_source *source, bool *more, rps_error *err);
rps_status rps_points_read_csv(rps_points_source *source, bool *more, rps_error *err);
rps_status rps_points_read_xyz(rps_points_source *source, bool *more, rps_error *err);

rps_status rps_points_write_dump(const rps_points *points, bool binary, rps_text *out, rps_error *err);
rps_status rps_points_write_data(const rps_points *points, bool binary, rps_text *out, rps_error *err);
rps_status rps_points_write_vtu(const rps_points *points, bool binary, rps_text *out, rps_error *err);
rps_status rps_points_write_ply(const rps_points *points, bool binary, rps_text *out, rps_error *err);
rps_status rps_points_write_csv(const rps_points *points, bool binary, rps_text *out, rps_error *err);
rps_status rps_points_write_xyz(const rps_points *points, bool binary, rps_text *out, rps_error *err);

#endif
