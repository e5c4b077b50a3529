/* Surfaces of bodies with pieces, as triangles, for pictures: group /surface of run.h5 and surfaces.xdmf.
 *
 * Bodies are only added, in the order of their ids. So the triangles and the constant vertex data of a frame are the
 * first rows of tables that grow with new bodies; only positions and velocities are written again for every frame.
 * The group is created with the first frame that has such a body. */
#ifndef RPS_IO_SURFACE_H
#define RPS_IO_SURFACE_H

#include "io/frame.h"
#include "io/xdmf.h"

typedef struct rps_surface {
    const rps_allocator *allocator;
    const char *path;     /* of run.h5, for errors */
    uint64_t triangles;   /* requested per body; 0: no surfaces */
    bool held_only;       /* free bodies are not drawn, since some will be removed */
    const bool *unsteady; /* by group: bodies that are not drawn, since they come, go or change their kind */
    size_t groups;
    bool open; /* the group exists */
    rps_table points, vertices, corners, frames;
    rps_surface_frame *frame; /* of all frames, including those without surfaces */
    size_t frame_bytes;
    uint64_t ids; /* the triangles of bodies with lower ids are written */
    /* for the current frame: a column of its points, the triangles of new bodies, the points of every piece */
    void *row, *triangle, *points_of;
    size_t row_bytes, triangle_bytes, points_of_bytes;
    size_t now_points, new_triangles, now_pieces;
} rps_surface;

/* Names of the groups in run.h5: points, vertices, corners and frames (0 to 3). */
const char *rps_surface_part_name(int part);
void rps_surface_init(rps_surface *surface, const char *path, uint64_t triangles, const rps_allocator *allocator);
/* Continues after the first `frames` frames of the file, the last with `bodies` bodies. Call inside an HDF5 session. */
rps_status rps_surface_resume(rps_surface *surface, hid_t file, uint64_t frames, uint64_t bodies, rps_error *err);
/* Computes the triangles of the current state; `frames` frames are already written. `slot`: bodies in the order of
 * ids. */
rps_status rps_surface_prepare(rps_surface *surface, const rps_world *world, const uint32_t *slot, size_t frames,
                               rps_error *err);
/* Appends the prepared frame. Call inside an HDF5 session. Allocates nothing. */
rps_status rps_surface_append(rps_surface *surface, hid_t file, const rps_world *world, const uint32_t *slot,
                              size_t frames, rps_error *err);
/* Commits the appended rows. */
void rps_surface_commit(rps_surface *surface, const rps_world *world, size_t frames);
/* Writes surfaces.xdmf, if there are surfaces. */
rps_status rps_surface_describe(const rps_surface *surface, const char *xdmf, const char *title, const rps_frame *frame,
                                size_t frames, rps_error *err);
/* Writes surfaces.vtkhdf, if there are surfaces. */
rps_status rps_surface_link(const rps_surface *surface, const char *vtkhdf, size_t frames, rps_error *err);
/* Close the tables (inside an HDF5 session); free the memory. */
bool rps_surface_close(rps_surface *surface);
void rps_surface_release(rps_surface *surface);

#endif
