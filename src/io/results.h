/* Results of a run: run.h5, run.xdmf, contacts.xdmf and, if there are bodies with pieces, surfaces.xdmf in one
 * directory, and on wish the same descriptions as VTKHDF. Each frame is one transaction under a journal, so that a kill or a full disk leaves all earlier frames
 * intact. run.xdmf and run.vtkhdf need the field `position`, contacts.xdmf and contacts.vtkhdf the field
 * `line`: without them they are not written. The world is only read. */
#ifndef RPS_IO_RESULTS_H
#define RPS_IO_RESULTS_H

#include "io/file.h"
#include "io/profile_tables.h"

typedef struct rps_results rps_results;

typedef struct rps_results_options {
    const char *directory;                 /* exists */
    const char *title, *variant, *version; /* "" if none */
    const char *scene;                     /* text of the scene, may be NULL */
    size_t scene_bytes;
    const char *included; /* texts of the files that it includes, may be NULL */
    size_t included_bytes;
    uint64_t surface;             /* triangles per body with pieces; 0: no surfaces */
    bool surface_held;            /* surfaces of fixed and driven bodies alone: free ones may be removed */
    const bool *surface_unsteady; /* by group: its bodies may come, go or change their kind: they have no surfaces */
    size_t surface_groups;
    rps_profile_source profiles; /* zeros: none */
    /* names of columns of /bodies and /contacts (frame.h); count 0: all columns */
    const char *const *fields, *const *contact_fields;
    size_t field_count, contact_field_count;
    bool no_contacts;       /* leave out /contacts */
    bool vtkhdf;            /* run.vtkhdf and the like as well */
    bool single;            /* store floating-point columns of bodies and contacts in single precision */
    uint64_t bodies;        /* expected per frame; sets the chunk size */
    const rps_world *world; /* source of material and group names; later additions have numbers only */
    const rps_allocator *allocator;
} rps_results_options;

/* Creates the files and replaces existing ones. */
rps_status rps_results_create(const rps_results_options *options, rps_results **results, rps_error *err);
/* Continues the files of an earlier run of the same scene and removes all but the first `frames` frames.
 * RPS_BAD_INPUT if the files do not exist or another process is still writing them. */
rps_status rps_results_resume(const rps_results_options *options, uint64_t frames, rps_results **results,
                              rps_error *err);
/* Syncs the frames written so far to disk. */
rps_status rps_results_sync(rps_results *results, rps_error *err);
/* Appends the current state as a frame. After a failure the file keeps its earlier frames and accepts no more. If
 * rps_results_need_contacts, rps_world_keep_contacts must have been on in the last step. */
rps_status rps_results_write(rps_results *results, const rps_world *world, rps_error *err);
/* The same with the contacts given. */
rps_status rps_results_write_with(rps_results *results, const rps_world *world, double time, uint64_t step,
                                  const rps_contact *contact, size_t contacts, rps_error *err);
uint64_t rps_results_frames(const rps_results *results);
/* True if contacts are needed: for /contacts, or for the stress of bodies or profiles. */
bool rps_results_need_contacts(const rps_results *results);
/* Always closes and frees, even after a failure; NULL is allowed. */
rps_status rps_results_close(rps_results *results, rps_error *err);

#endif
