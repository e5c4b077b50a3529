/* Loads on surfaces in results: group /loads of run.h5, loads.xdmf and loads.vtkhdf, for worlds that ask for loads by triangle.
 *
 * The triangles are written once; every frame has all of their points, which move with the bodies, and all of their values. */
#ifndef RPS_IO_LOAD_TABLES_H
#define RPS_IO_LOAD_TABLES_H

#include "io/frame.h"

/* Names of the groups: points, values, intervals (0 to 2), which grow with every frame, and triangles. */
enum { RPS_LOAD_PARTS = 3 };
const char *rps_load_part_name(int part);

typedef struct rps_load_tables {
    const rps_allocator *allocator;
    rps_table points, values, intervals, triangles;
    size_t point_count, triangle_count; /* of every frame; 0: no group */
    double *area;                       /* m^2, by triangle */
    void *row;                          /* a column of a frame */
    size_t row_bytes;
} rps_load_tables;

/* Sets the columns of all tables; the rest by rps_load_tables_init. */
void rps_load_tables_columns(rps_load_tables *tables, bool single);
/* Counts the triangles of the world and reserves memory. single: values in single precision. RPS_NO_MEMORY, and RPS_UNSUPPORTED if a
 * frame would have 2^31 points. */
rps_status rps_load_tables_init(rps_load_tables *tables, const rps_world *world, bool single,
                                const rps_allocator *allocator, rps_error *err);
/* The next four are called inside an HDF5 session, and do nothing without triangles. path: of run.h5, for errors. */
rps_status rps_load_tables_create(rps_load_tables *tables, const rps_world *world, hid_t file, const char *path,
                                  rps_error *err);
rps_status rps_load_tables_resume(rps_load_tables *tables, hid_t file, const char *path, uint64_t frames,
                                  rps_error *err);
/* Appends the present state as a frame. Allocates nothing. */
rps_status rps_load_tables_append(rps_load_tables *tables, const rps_world *world, rps_error *err);
bool rps_load_tables_close(rps_load_tables *tables);
void rps_load_tables_commit(rps_load_tables *tables);
/* Writes loads.xdmf, if there are triangles. */
rps_status rps_load_tables_describe(const rps_load_tables *tables, const char *xdmf, const char *title,
                                    const rps_frame *frame, size_t frames, rps_error *err);
/* Writes loads.vtkhdf, if there are triangles. */
rps_status rps_load_tables_link(const rps_load_tables *tables, const char *vtkhdf, size_t frames, rps_error *err);
void rps_load_tables_release(rps_load_tables *tables);

#endif
