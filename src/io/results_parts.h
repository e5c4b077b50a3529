/* Shared by the two files of the run.h5 writer: results.c creates, resumes and closes it, results_frame.c appends a
 * frame. */
#ifndef RPS_IO_RESULTS_PARTS_H
#define RPS_IO_RESULTS_PARTS_H

#include "io/journal.h"
#include "io/load_tables.h"
#include "io/results.h"
#include "io/surface.h"
#include "step/step_stages.h"

enum { RPS_OF_BODIES, RPS_OF_CONTACTS, RPS_OF_SURFACES, RPS_OF_LOADS, RPS_DESCRIBED };
enum { RPS_AS_XDMF, RPS_AS_VTKHDF, RPS_DESCRIPTIONS };

struct rps_results {
    const rps_allocator *allocator;
    char path[RPS_PATH];
    /* descriptions of bodies, contacts, surfaces and loads, by kind and format; "": not written */
    char described_in[RPS_DESCRIBED][RPS_DESCRIPTIONS][RPS_PATH];
    char title[256];
    hid_t file, driver;
    rps_journal *journal;
    rps_table bodies, contacts, frames, joints, sums, bonds; /* a table without columns does not exist */
    size_t joint_count;                                      /* 0: no table of joints */
    rps_surface surface;
    rps_load_tables loads;
    rps_profile_tables profiles;
    rps_frame *frame;
    size_t frame_bytes, frame_count, described; /* described: frames that the descriptions list */
    double describe_next;                       /* wall time of the next rewrite of the descriptions */
    /* for the current frame: a column of a block, the slots of all bodies, the contacts and the bonds of a block, the
     * stress of all bodies, at first times their volumes */
    void *scratch, *order, *contact, *bond, *stress;
    size_t scratch_bytes, order_bytes, contact_bytes, bond_bytes, stress_bytes;
    rps_chunk_buffer capacity;
};

/* Iterates over the contacts in order, block by block: those of the world, or a given array. */
typedef struct rps_contact_source {
    const rps_contact *given; /* NULL: those of the world */
    rps_contact_cursor cursor;
    size_t left;
} rps_contact_source;

/* Does all allocations for a frame, before its first byte is written. Large frames are processed in blocks of
 * RPS_TABLE_BLOCK rows, so they need little more memory than small ones. */
rps_status rps_results_reserve(rps_results *results, const rps_world *world, size_t contacts, size_t bonds,
                               rps_error *err);
/* Appends the frame to all tables but does not commit them. Call inside an HDF5 session. */
rps_status rps_results_append(rps_results *results, const rps_world *world, const rps_frame *frame,
                              const rps_contact_source *source, rps_error *err);
/* RPS_IO_ERROR if a write has failed. */
rps_status rps_results_written(const rps_results *results, rps_error *err);

#endif
