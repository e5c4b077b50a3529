/* run.vtkhdf, contacts.vtkhdf, surfaces.vtkhdf and loads.vtkhdf: the frames of run.h5 for VTK 9.3, ParaView 5.12, PyVista and later
 * (VTKHDF 2.0: unstructured grids over time). They hold no values. Points and fields are links to the datasets of
 * run.h5; their own are the rows at which each frame begins and the points of cells, which are counted through. */
#ifndef RPS_IO_VTKHDF_H
#define RPS_IO_VTKHDF_H

#include "io/xdmf.h"

/* Bodies as points, contacts as lines, the triangles of bodies: as in xdmf.h, with the same arguments. Replaces the
 * file, which names run.h5 relative to itself. Without frames it does nothing. Call outside an HDF5 session. */
rps_status rps_vtkhdf_write_bodies(const char *path, const rps_table *bodies, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err);
rps_status rps_vtkhdf_write_contacts(const char *path, const rps_table *contacts, const rps_frame *frame, size_t frames,
                                     const rps_allocator *allocator, rps_error *err);
rps_status rps_vtkhdf_write_surfaces(const char *path, const rps_surface_tables *tables,
                                     const rps_surface_frame *surface, size_t frames, const rps_allocator *allocator,
                                     rps_error *err);

/* Triangles with values, as rps_xdmf_write_loads. */
rps_status rps_vtkhdf_write_loads(const char *path, const rps_load_grid *grid, size_t frames,
                                  const rps_allocator *allocator, rps_error *err);

#endif
