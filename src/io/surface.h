/* Surfaces of bodies that have pieces, as triangles, for pictures: group /surface of run.h5 and surfaces.xdmf.
 *
 * Bodies only ever come in, in the order of their ids. So the triangles of a frame, and what never changes of their
 * corners, are the first rows of tables that grow when bodies come; only positions and velocities are rewritten for
 * every frame. The group is made with the first frame that has such a body. */
#ifndef RPS_IO_SURFACE_H
#define RPS_IO_SURFACE_H

#include "io/frame.h"
#include "io/xdmf.h"

typedef struct rps_surface {
    const rps_allocator *allocator;
    const char *path;   /* of run.h5, for errors */
    uint64_t triangles; /* wanted for a body; 0: nothing is ever drawn */
    bool open;          /* the group is there */
    rps_table points, vertices, corners, frames;
    rps_surface_frame *frame; /* of all frames, also those without surfaces */
    size_t frame_bytes;
    uint64_t ids; /* the triangles of bodies with lower ids are written */
    /* of the frame at hand: a column of its points, triangles of the new bodies, points of every piece */
    void *row, *triangle, *points_of;
    size_t row_bytes, triangle_bytes, points_of_bytes;
    size_t now_points, new_triangles, now_pieces;
} rps_surface;

/* Groups of run.h5: of points, vertices, corners and frames (0 to 3). */
const char *rps_surface_part_name(int part);
void rps_surface_init(rps_surface *surface, const char *path, uint64_t triangles, const rps_allocator *allocator);
/* Inside an HDF5 session: takes up what the first `frames` frames of the file have, the last with `bodies` bodies. */
rps_status rps_surface_resume(rps_surface *surface, hid_t file, uint64_t frames, uint64_t bodies, rps_error *err);
/* Makes the triangles of the present state in memory; `frames` are written. `slot`: bodies in the order of ids. */
rps_status rps_surface_prepare(rps_surface *surface, const rps_world *world, const uint32_t *slot, size_t frames,
                               rps_error *err);
/* Inside an HDF5 session: appends them. Allocates nothing. */
rps_status rps_surface_append(rps_surface *surface, hid_t file, const rps_world *world, const uint32_t *slot,
                              size_t frames, rps_error *err);
/* Counts what was appended. */
void rps_surface_commit(rps_surface *surface, const rps_world *world, size_t frames);
/* Writes surfaces.xdmf, if there are surfaces. */
rps_status rps_surface_describe(const rps_surface *surface, const char *xdmf, const char *title, const rps_frame *frame,
                                size_t frames, rps_error *err);
/* Closes the tables, inside an HDF5 session; gives memory back. */
bool rps_surface_close(rps_surface *surface);
void rps_surface_release(rps_surface *surface);

#endif
