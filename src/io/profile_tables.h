/* Profiles in results: group /profiles of run.h5, for scenes that have some. Every frame has the profiles of its time: a row for
 * each bin, of all profiles one after the other; /profiles/bins says once where the bins lie. */
#ifndef RPS_IO_PROFILE_TABLES_H
#define RPS_IO_PROFILE_TABLES_H

#include "io/frame.h"

/* One row: NAN where a bin has nothing to tell. Vectors are x y z; of a radial profile radial, about the axis and along
 * it, which are orthogonal at the centre of each body. */
typedef struct rps_profile_bin {
    double low, high;           /* m */
    double number, mass;        /* 1, kg */
    double fraction;            /* volume of the bodies over that of the bin */
    double velocity[3];         /* m/s, mean by mass */
    double temperature;         /* m^2/s^2, a third of the mean square of what velocities differ from their mean */
    double angular_velocity[3]; /* rad/s, mean by mass */
    double stress[6];           /* Pa, of contacts, over the volume of the bin, xx xy xz yy yz zz, tension positive */
} rps_profile_bin;

enum { RPS_PROFILE_VALUES = sizeof(rps_profile_bin) / sizeof(double) };

/* The scene that measures. */
typedef struct rps_profile_source {
    const void *context;
    /* Bins and name of a profile by index; 0 past the end. */
    size_t (*bins)(const void *context, size_t profile, const char **name);
    /* Fills the bins of all profiles. moment: by body in the order of ids, its stress times its volume, N m; NULL: the
     * stress is not asked for. */
    void (*measure)(const void *context, const rps_world *world, const double (*moment)[6], rps_profile_bin *bin);
} rps_profile_source;

/* The group in which the rows of frames lie. */
extern const char rps_profile_values_group[];

typedef struct rps_profile_tables {
    const rps_allocator *allocator;
    rps_profile_source source;
    rps_table values, bins;
    size_t rows;             /* of every frame; 0: no group */
    void *measured, *column; /* the bins of a frame; one of their columns */
    size_t measured_bytes, column_bytes;
} rps_profile_tables;

/* Sets the columns; the rest by rps_profile_tables_init. */
void rps_profile_tables_columns(rps_profile_tables *tables);
/* Counts the bins and reserves memory. source: zeros if there are no profiles. RPS_NO_MEMORY. */
rps_status rps_profile_tables_init(rps_profile_tables *tables, const rps_profile_source *source,
                                   const rps_allocator *allocator, rps_error *err);
/* The next three are called inside an HDF5 session, and do nothing without profiles. path: of run.h5, for errors. */
rps_status rps_profile_tables_create(rps_profile_tables *tables, const rps_world *world, hid_t file, const char *path,
                                     rps_error *err);
rps_status rps_profile_tables_resume(rps_profile_tables *tables, hid_t file, const char *path, uint64_t frames,
                                     rps_error *err);
/* Appends the present state as a frame. Allocates nothing. */
rps_status rps_profile_tables_append(rps_profile_tables *tables, const rps_world *world, const double (*moment)[6],
                                     rps_error *err);
void rps_profile_tables_commit(rps_profile_tables *tables);
bool rps_profile_tables_close(rps_profile_tables *tables); /* inside an HDF5 session */
void rps_profile_tables_release(rps_profile_tables *tables);

#endif
