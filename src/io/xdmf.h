/* run.xdmf, contacts.xdmf and surfaces.xdmf describe run.h5 to viewers (XDMF 2, which ParaView reads with true
 * times). Each file has one kind of object, so that a viewer's filter, such as a sphere for each point, suits all of
 * it. */
#ifndef RPS_IO_XDMF_H
#define RPS_IO_XDMF_H

#include "io/frame.h"

/* Bodies as points, or contacts as lines; frames without contacts take a point from `bodies`. Replaces the file,
 * which names run.h5 relative to itself. Call outside an HDF5 session. */
rps_status rps_xdmf_write_bodies(const char *path, const char *title, const rps_table *bodies, const rps_frame *frame,
                                 size_t frames, const rps_allocator *allocator, rps_error *err);
rps_status rps_xdmf_write_contacts(const char *path, const char *title, const rps_table *contacts,
                                   const rps_table *bodies, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err);

/* The surfaces of one frame. Its points are contiguous rows; its triangles and constant vertex data are the first
 * rows of their tables, since bodies are only added. */
typedef struct rps_surface_frame {
    uint64_t offset, points, triangles; /* first row in `points`; counts */
} rps_surface_frame;

/* points: positions in the first column, then other data that changes; vertices: constant data; triangles: one
 * column. */
typedef struct rps_surface_tables {
    const rps_table *points, *vertices, *triangles;
} rps_surface_tables;

/* The same for the triangles of bodies; surface[k] belongs to frame[k]. */
rps_status rps_xdmf_write_surfaces(const char *path, const char *title, const rps_surface_tables *tables,
                                   const rps_surface_frame *surface, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err);

/* Triangles with values of their own: `points` and `values` have that many rows in every frame, `triangles` has constant data,
 * their corners in its first column. */
typedef struct rps_load_grid {
    const rps_table *points, *values, *triangles;
    uint64_t point_count, triangle_count;
} rps_load_grid;
rps_status rps_xdmf_write_loads(const char *path, const char *title, const rps_load_grid *grid, const rps_frame *frame,
                                size_t frames, const rps_allocator *allocator, rps_error *err);

#endif
