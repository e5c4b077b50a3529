/* Frames of run.h5 for the page of a report: 16 bits for each number between the least and the greatest of its column, deflated, in
 * base64. Whole numbers keep 32 bits. viewer/frames.js reads them. */
#ifndef RPS_CLI_REPORT_FRAMES_H
#define RPS_CLI_REPORT_FRAMES_H

#include "io/file.h"
#include "io/file_names.h"
#include "io/json.h"
#include "io/read_results.h"

enum { REPORT_PARTS = 2 };

typedef struct report_range {
    bool chosen;
    double low, high; /* of all frames that are written; of the length of vectors */
} report_range;

typedef struct report_frames {
    rps_results_reader *reader;
    const rps_frame *frame; /* all of the file */
    size_t count, stride;   /* every stride-th frame is written, counted from the last */
    report_range range[REPORT_PARTS][RPS_COLUMNS];
    double low[3], high[3]; /* m: the box around bodies with a radius and around surfaces */
    rps_text block;         /* the frame, before it is deflated */
    void *value, *packed;
    size_t value_bytes, packed_bytes;
    size_t points, triangles; /* of the frame */
} report_frames;

/* Chooses columns and frames; release after any outcome. */
rps_status report_frames_open(report_frames *frames, const char *directory, rps_error *err);
void report_frames_release(report_frames *frames);
/* The first frame that is written; the others follow by frames->stride. */
size_t report_frames_first(const report_frames *frames);
/* False if the scene left out the positions of bodies. */
bool report_frames_drawable(const report_frames *frames);
/* Writes one frame as a block of the page, `number`. */
rps_status report_frames_write(report_frames *frames, size_t index, size_t number, rps_replacement *out,
                               rps_error *err);
/* Writes the triangles of all frames; follows the last of them. */
rps_status report_frames_write_corners(report_frames *frames, rps_replacement *out, rps_error *err);
/* The member `planes` of a frame, a point and the normal of each; none if there are none. */
rps_status report_frames_planes(report_frames *frames, size_t index, rps_json *json, rps_error *err);
/* Columns with units and ranges, and the box; after all frames are written. */
void report_frames_describe(const report_frames *frames, rps_json *json);
/* Text of a dataset, as /scene; "" if there is none. The caller releases *text with rps_buffer_release. */
rps_status report_frames_text(const report_frames *frames, const char *name, void **text, size_t *capacity,
                              rps_error *err);

#endif
