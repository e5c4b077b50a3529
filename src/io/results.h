/* Results of a run: run.h5, run.xdmf, contacts.xdmf and, if there are bodies with pieces, surfaces.xdmf in one directory. A
 * frame is appended whole and flushed under a journal, so that a kill or a full disk leaves the frames before it. run.xdmf
 * needs the field `position`, contacts.xdmf the field `line`: without them they are not written. The world is only read. */
#ifndef RPS_IO_RESULTS_H
#define RPS_IO_RESULTS_H

#include "io/file.h"
#include "io/frame.h"

typedef struct rps_results rps_results;

typedef struct rps_results_options {
    const char *directory;                 /* exists */
    const char *title, *variant, *version; /* "" where there is none */
    const char *scene;                     /* text of the scene, may be NULL */
    size_t scene_bytes;
    uint64_t surface; /* triangles for a body that has pieces; 0: no surfaces */
    /* names of columns of /bodies and /contacts (frame.h); 0 of them: all there are */
    const char *const *fields, *const *contact_fields;
    size_t field_count, contact_field_count;
    bool no_contacts;       /* there is no /contacts */
    bool single;            /* numbers of bodies and contacts that are not whole in single precision */
    uint64_t bodies;        /* expected in a frame, sets the size of chunks */
    const rps_world *world; /* names its materials and groups; what is made later has numbers only */
    const rps_allocator *allocator;
} rps_results_options;

/* Creates the files; files of that name are replaced. */
rps_status rps_results_create(const rps_results_options *options, rps_results **results, rps_error *err);
/* Goes on with the files of an earlier run of the same scene: frames behind the first `frames` are cut off. RPS_BAD_INPUT
 * if they are not there or another process still writes them. */
rps_status rps_results_resume(const rps_results_options *options, uint64_t frames, rps_results **results,
                              rps_error *err);
/* Has the frames written so far reach the disk. */
rps_status rps_results_sync(rps_results *results, rps_error *err);
/* Appends the present state as a frame. After a failure the file keeps its earlier frames and takes no more.
 * If rps_results_need_contacts, rps_world_keep_contacts must have been on in the last step. */
rps_status rps_results_write(rps_results *results, const rps_world *world, rps_error *err);
/* The same with the contacts given. */
rps_status rps_results_write_with(rps_results *results, const rps_world *world, double time, uint64_t step,
                                  const rps_contact *contact, size_t contacts, rps_error *err);
uint64_t rps_results_frames(const rps_results *results);
/* Contacts are read for /contacts, and for the stress of bodies. */
bool rps_results_need_contacts(const rps_results *results);
/* Closes and frees in any case, also after a failure; NULL is fine. */
rps_status rps_results_close(rps_results *results, rps_error *err);

#endif
