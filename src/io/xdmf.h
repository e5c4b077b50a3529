/* run.xdmf, contacts.xdmf and surfaces.xdmf: how a viewer finds its way through run.h5 (XDMF 2, which ParaView reads with
 * true times). Each file holds one kind of thing, so that what a viewer does with it, as drawing a sphere for each point, fits
 * all of it. */
#ifndef RPS_IO_XDMF_H
#define RPS_IO_XDMF_H

#include "io/frame.h"

/* Bodies as points, or contacts as lines; `bodies` too places the frames without contacts. Replaces the file; run.h5 is named
 * relative to it. Call outside an HDF5 session. */
rps_status rps_xdmf_write_bodies(const char *path, const char *title, const rps_table *bodies, const rps_frame *frame,
                                 size_t frames, const rps_allocator *allocator, rps_error *err);
rps_status rps_xdmf_write_contacts(const char *path, const char *title, const rps_table *contacts,
                                   const rps_table *bodies, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err);

/* The surfaces of one frame: its points lie behind each other; its triangles and what never changes of a point are the
 * first ones of their tables, since bodies only ever come in. */
typedef struct rps_surface_frame {
    uint64_t offset, points, triangles; /* first row in `points`, and how many of each */
} rps_surface_frame;

/* points: first column the positions, then what else changes; vertices: what does not; triangles: one column. */
typedef struct rps_surface_tables {
    const rps_table *points, *vertices, *triangles;
} rps_surface_tables;

/* The same for the triangles of bodies; surface and frame go side by side. */
rps_status rps_xdmf_write_surfaces(const char *path, const char *title, const rps_surface_tables *tables,
                                   const rps_surface_frame *surface, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err);

#endif
