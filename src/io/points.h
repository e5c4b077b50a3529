/* Frames of particles in the files of others: points with named fields, read from and written to results, LAMMPS and
 * LIGGGHTS dumps, LAMMPS data, VTU, PLY, CSV and XYZ. Everything is SI; numbers are written so that they read back to
 * the same bits. Readers take memory for what is there, not for what a header promises. */
#ifndef RPS_IO_POINTS_H
#define RPS_IO_POINTS_H

#include <stdint.h>

#include "base/array.h"
#include "base/text.h"

enum {
    RPS_POINT_FIELDS = 96,
    RPS_POINT_COLUMNS = 256,
    RPS_POINT_NAME = 64, /* bytes, with the zero */
    RPS_POINT_TYPES = 128,
    RPS_POINT_COMPONENTS = 9
};

typedef struct rps_point_field {
    char name[RPS_POINT_NAME]; /* "velocity"; those of /bodies in run.h5 where there is one */
    int components;
    bool whole;  /* integers, exact below 2^53 */
    bool chosen; /* is written */
    void *value; /* double: components by point */
    size_t bytes;
} rps_point_field;

typedef struct rps_points {
    const rps_allocator *allocator;
    size_t count;
    double time; /* s */
    uint64_t step;
    bool has_box, periodic[3];
    double low[3], high[3]; /* m */
    int fields;
    rps_point_field field[RPS_POINT_FIELDS];
    int types; /* names of the field `material`, which holds their indices */
    char type_name[RPS_POINT_TYPES][RPS_POINT_NAME];
} rps_points;

typedef enum rps_points_format {
    RPS_POINTS_RESULTS, /* run.h5, or the directory with it */
    RPS_POINTS_DUMP,    /* LAMMPS and LIGGGHTS, text: frames one behind the other */
    RPS_POINTS_DATA,    /* LAMMPS, atom_style sphere or atomic */
    RPS_POINTS_VTU,
    RPS_POINTS_PLY,
    RPS_POINTS_CSV, /* as `particles: {file: ...}` reads it */
    RPS_POINTS_XYZ, /* extended: frames one behind the other */
    RPS_POINTS_FORMATS
} rps_points_format;

const char *rps_points_format_name(int format); /* "" past the end */
/* By the end of the name, or its beginning (dump.*, data.*); RPS_POINTS_FORMATS if it says nothing. */
rps_points_format rps_points_format_of(const char *path);

void rps_points_init(rps_points *points, const rps_allocator *allocator);
/* Forgets points and fields, keeps the memory of fields that come again. */
void rps_points_clear(rps_points *points);
void rps_points_release(rps_points *points);
/* NULL: none. */
const rps_point_field *rps_points_find(const rps_points *points, const char *name);
const double *rps_points_values(const rps_points *points, const char *name); /* NULL: none */
/* Adds a field, with zeros for the points that are there. RPS_BAD_INPUT if there are too many. */
rps_status rps_points_add_field(rps_points *points, const char *name, int components, bool whole,
                                rps_point_field **field, rps_error *err);
/* Makes the number of points `count`; new ones have zeros. */
rps_status rps_points_resize(rps_points *points, size_t count, rps_error *err);
/* Keeps the points for which keep[n] is not 0. */
void rps_points_select(rps_points *points, const unsigned char *keep);
/* Index of a material by name, added if it is new. */
rps_status rps_points_type(rps_points *points, const char *name, double *index, rps_error *err);

/* --- files ---------------------------------------------------------------------------------------------------------- */

typedef struct rps_points_source rps_points_source;
rps_status rps_points_open(const char *path, rps_points_format format, const rps_allocator *allocator,
                           rps_points_source **source, rps_error *err);
/* The next frame, valid until the next call; *points is NULL behind the last. Of results, frames that are not wanted
 * have their time and step alone. Errors name the file and the line or byte. */
rps_status rps_points_next(rps_points_source *source, bool wanted, rps_points **points, rps_error *err);
void rps_points_close(rps_points_source *source); /* NULL is fine */

/* Orders the fields and chooses those that are written: those named, or those that the format is made for. Unknown names are
 * RPS_BAD_INPUT. */
rps_status rps_points_choose(rps_points *points, rps_points_format format, const char *const *name, size_t names,
                             rps_error *err);
/* Appends a frame in a format that is not RPS_POINTS_RESULTS. binary: of VTU and PLY. RPS_BAD_INPUT if a field that
 * the format needs is not there. */
rps_status rps_points_write(const rps_points *points, rps_points_format format, bool binary, rps_text *out,
                            rps_error *err);
/* May the format hold several frames in a file? */
bool rps_points_many(rps_points_format format);

#endif
