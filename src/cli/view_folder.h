/* The results of a run, or of a sweep, as a live page asks for them: what is new since it asked last, and frames one by one. The run may be
 * writing meanwhile. It tells nobody, so files are read between its writes: a frame counts only if run.h5 was the same
 * before and after it was read. Nothing in the folder is changed, but for a run.h5 that a killed run left half-written. */
#ifndef RPS_CLI_VIEW_FOLDER_H
#define RPS_CLI_VIEW_FOLDER_H

#include <sys/types.h>

#include "report_frames.h"

typedef enum view_state {
    VIEW_WAITS, /* nothing is written yet */
    VIEW_RUNS,
    VIEW_PAUSED,
    VIEW_STEPS, /* until the next frame */
    VIEW_ENDED,
    VIEW_CUT /* no run writes, and none said that it ended */
} view_state;

/* Tells whether a file was changed. */
typedef struct view_stamp {
    bool there;
    dev_t device;
    ino_t number;
    uint64_t bytes, nanoseconds; /* size; time of the last change, 0: long ago */
} view_stamp;

typedef struct view_folder {
    const char *directory;
    uint64_t version; /* changes when the results are replaced by others: pages then begin again */
    view_stamp stamp; /* of run.h5 when it was opened */
    bool open;
    report_frames frames;
    rps_text list;             /* JSON of the frames that were read, a comma before each */
    void *ends;                /* size_t: where each ends in it */
    size_t ends_bytes, listed; /* frames in the list */
    rps_frame last;            /* of the list */
    view_stamp series;         /* series.csv, or the table of a sweep, as it was seen last */
    bool sweep;                /* it holds a sweep */
    void *text;                /* of a file that is read */
    size_t text_bytes;
    view_state state;
    bool told;         /* the run tells its state itself */
    double probed;     /* s: when the lock was tried, or a file changed */
    uint64_t seen;     /* what the files looked like */
    rps_error trouble; /* status RPS_OK: none */
} view_folder;

/* `directory` must outlive it; it need not exist. Release after any outcome. */
void view_folder_init(view_folder *folder, const char *directory);
void view_folder_release(view_folder *folder);
/* RPS_BAD_INPUT if the directory holds neither results nor a run that has begun. */
rps_status view_folder_check(view_folder *folder, rps_error *err);
/* Finds the state of the run. */
void view_folder_find_state(view_folder *folder);
/* The same, and reads new frames for at most `seconds`, the first one always. */
void view_folder_look(view_folder *folder, double seconds);
/* JSON: state, frames from `frames` on, columns and their ranges, the box, rows of series.csv from byte `series` on; of a sweep its
 * plan or its summary, and rows of its table. */
rps_status view_folder_news(view_folder *folder, size_t frames, uint64_t series, rps_json *json, rps_text *out,
                            rps_error *err);
/* A frame, or with `corners` the triangles up to it, deflated; valid until the next call. RPS_STOPPED: the run is writing, ask
 * again. */
rps_status view_folder_block(view_folder *folder, size_t index, bool corners, const void **data, size_t *bytes,
                             rps_error *err);
/* summary.json for a page; "" if it is not there. */
rps_status view_folder_summary(view_folder *folder, rps_text *out, rps_error *err);

#endif
