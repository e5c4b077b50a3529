/* A writer: one format of results of a run. language/writer_list.inc lists them, run/write_NAME.c defines each as
 * rps_writer_NAME; everything else about the files of a run goes through this table. */
#ifndef RPS_RUN_WRITER_H
#define RPS_RUN_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct rps_run_state;

/* How much a writer has written: a checkpoint keeps it, and a resumed run cuts the files to it. */
typedef struct rps_writer_mark {
    uint64_t items;     /* frames, rows */
    uint64_t bytes;     /* of the file; 0 if its items are counted otherwise */
    uint64_t last_from; /* where the last item begins; used if `bytes` is */
    bool missing;       /* the files hold less than the checkpoint counts on */
} rps_writer_mark;

typedef struct rps_writer {
    /* names of its files in the directory, ends at NULL. The first holds all results, the others describe it */
    const char *const *file;
    const char *what; /* one line about the first file */
    bool all_probes;  /* reads the values of all probes */
    /* Checks that the folder holds what the mark says; else RPS_BAD_INPUT with the reason, and the mark says how much
     * there is. RPS_NO_MEMORY, RPS_INTERNAL: nothing is known about the files. checkpoint: its path, for the reason. */
    rps_status (*find)(const struct rps_run_state *run, const char *folder, const char *checkpoint,
                       rps_writer_mark *mark, rps_error *err);
    /* Creates the files, or continues those of the mark. *state, which begins as NULL, is the writer's own; close
     * releases it, after a failure too. */
    rps_status (*open)(struct rps_run_state *run, void **state, rps_error *err);
    rps_status (*resume)(struct rps_run_state *run, const rps_writer_mark *mark, void **state, rps_error *err);
    /* Takes the last item off the mark; there is one. */
    rps_status (*cut)(const char *folder, rps_writer_mark *mark, rps_error *err);
    bool (*needs_contacts)(const void *state); /* of the step before a write; NULL: never */
    rps_status (*write)(struct rps_run_state *run, void *state, rps_error *err);
    rps_status (*sync)(void *state, rps_error *err); /* to disk */
    void (*mark)(const void *state, rps_writer_mark *mark);
    rps_status (*close)(struct rps_run_state *run, void *state, rps_error *err); /* also after a failure */
} rps_writer;

#define RPS_WRITER(name, share, shown, item, meaning) extern const rps_writer rps_writer_##name;
#include "language/writer_list.inc"
#undef RPS_WRITER

/* By index, RPS_WRITER_frames and so on; NULL, "" past the end. */
const rps_writer *rps_writer_at(int index);
const char *rps_writer_name(int index);
/* True if some writer has a file of this name, or an unfinished one. */
bool rps_writers_own(const char *name);
/* The name is `file`, or that of a file that is unfinished or its journal. */
bool rps_is_file_or_part(const char *name, const char *file);

/* Opens what the scene asks for; or continues it from run->old, creating what is not there. */
rps_status rps_writers_open(struct rps_run_state *run, rps_error *err);
rps_status rps_writers_resume(struct rps_run_state *run, rps_error *err);
/* True if anything is written at the step with this number. */
bool rps_writers_due(const struct rps_run_state *run, uint64_t step);
/* Syncs all to disk. */
rps_status rps_writers_sync(struct rps_run_state *run, rps_error *err);
/* How much is written so far. `mark` has RPS_WRITERS elements. */
void rps_writers_marks(const struct rps_run_state *run, rps_writer_mark *mark);
/* Copies files that are continued in another folder. */
rps_status rps_writers_bring(const struct rps_run_state *run, const char *from, const char *to, rps_error *err);
/* Takes off run->old what was written only because the run ended there. */
rps_status rps_writers_cut(struct rps_run_state *run, const char *folder, rps_error *err);
rps_status rps_writers_close(struct rps_run_state *run, rps_error *err);

#endif
