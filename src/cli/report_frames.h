/* Frames of run.h5 for the page of a report. Blocks of the page are deflated and stand in base64; viewer/frames.js reads them.
 *
 * The block of a frame holds the chosen columns of bodies, then those of contacts and of bonds. A column begins with 32 bits, the number of the
 * frame whose block holds its values: this one, or an earlier one that had the same. Then follow, for each component, the least
 * and the greatest value as doubles and 16 bits for each item between them, 65535 for what is not finite: all lower bytes, then all
 * upper ones, which deflate better so. Whole numbers have 32 bits, byte by byte. Last stand the points of surfaces, where they are not given by the
 * bodies' places and turns.
 *
 * The block "surface" holds the ids of the bodies of all points and the corners of all triangles, each of 32 bits, and the points in
 * the axes of their bodies as floats. Points and triangles of a frame are the first of those of the last one. */
#ifndef RPS_CLI_REPORT_FRAMES_H
#define RPS_CLI_REPORT_FRAMES_H

#include "io/file.h"
#include "io/file_names.h"
#include "io/json.h"
#include "io/read_results.h"

enum { REPORT_PARTS = 3 }; /* bodies, contacts and bonds, the first of rps_results_part */

typedef struct report_range {
    bool chosen, odd; /* odd: some numbers are not finite */
    double low,
        high; /* of all frames that are written; of the length of vectors, of tensors the negative mean of the diagonal */
    uint32_t where; /* the frame of the page whose block holds the values */
    void *last;     /* these values as they are packed */
    size_t last_capacity, last_bytes;
} report_range;

typedef struct report_frames {
    rps_results_reader *reader;
    const char *prefix;     /* of the ids of blocks */
    const rps_frame *frame; /* all of the file */
    size_t count, stride;   /* every stride-th frame is written, counted from the last */
    report_range range[REPORT_PARTS][RPS_COLUMNS];
    double low[3], high[3]; /* m: the box around bodies with a radius and around surfaces */
    rps_text block;         /* the frame, before it is deflated */
    void *value, *packed;
    size_t value_bytes, packed_bytes;
    size_t points, triangles;    /* of the frame */
    uint64_t contacts_most;      /* the strongest of a frame that are written */
    void *kept;                  /* their rows, uint32_t each */
    size_t kept_bytes, contacts; /* of the frame */
    bool fields_left_out, contacts_left_out, surfaces_left_out;
    bool rigid;          /* points of surfaces are given by the bodies' places and turns */
    void *local, *owner; /* points in the axes of their bodies, 3 floats each, and ids of these bodies */
    size_t local_bytes, owner_bytes, local_points;
    bool *held; /* of each point: its body is fixed or driven */
    size_t held_bytes;
    bool *lost;                       /* of each body of the frame: it is not shown */
    size_t lost_bytes, lost_most;     /* the most of a frame */
    double near_low[3], near_high[3]; /* m: of the frame, beyond which free bodies are lost */
    bool alone;                       /* blocks hold all of their frame, and refer to none before */
    double written;                   /* bytes of blocks in the page */
} report_frames;

/* Chooses columns and frames, so that the blocks have about `bytes` before they are deflated; release after any outcome. */
rps_status report_frames_open(report_frames *frames, const char *directory, double bytes, rps_error *err);
/* All columns and frames of a reader, which it takes over, in blocks that stand alone; NULL: of nothing yet. */
void report_frames_adopt(report_frames *frames, rps_results_reader *reader);
void report_frames_release(report_frames *frames);
/* Restricts the columns to those that a picture needs: places, radii, `color` of bodies, and those of contacts and
 * bonds where these are drawn. */
void report_frames_choose(report_frames *frames, const char *color, bool contacts, bool bonds);
/* The first frame that is written; the others follow by frames->stride. */
size_t report_frames_first(const report_frames *frames);
/* False if the scene left out the positions of bodies. */
bool report_frames_drawable(const report_frames *frames);
/* Makes frames->block of a frame, which has this number in the page; sets points, triangles and contacts. */
rps_status report_frames_make(report_frames *frames, size_t index, size_t number, rps_error *err);
/* Makes frames->block of the surfaces up to the frame that was made last, which has some. */
rps_status report_frames_make_corners(report_frames *frames, rps_error *err);
/* Deflates frames->block into frames->packed, *bytes long. */
rps_status report_frames_deflate(report_frames *frames, size_t *bytes, rps_error *err);
/* Writes one frame as a block of the page, `number`, counted from 0; sets points, triangles and contacts. */
rps_status report_frames_write(report_frames *frames, size_t index, size_t number, rps_replacement *out,
                               rps_error *err);
/* Writes the block of the surfaces, after the last frame. */
rps_status report_frames_write_corners(report_frames *frames, rps_replacement *out, rps_error *err);
/* Columns with units and ranges, the box and the surfaces; after all frames are written. */
void report_frames_describe(report_frames *frames, rps_json *json);
/* Text of a dataset, as /scene; "" if there is none. The caller releases *text with rps_buffer_release. */
rps_status report_frames_text(const report_frames *frames, const char *name, void **text, size_t *capacity,
                              rps_error *err);

/* --- report_pack.c ------------------------------------------------------------------------------------------------- */

bool report_has_column(const report_frames *frames, int part, const char *name);
/* Values of a column of bodies into `out`, which holds items x components. */
rps_status report_read_bodies(report_frames *frames, const char *name, size_t index, size_t components, double *out,
                              rps_error *err);
rps_status report_add(report_frames *frames, const void *bytes, size_t n, rps_error *err);
/* Adds one component of `count` items, `width` apart. */
rps_status report_pack(report_frames *frames, const double *value, size_t count, size_t width, rps_error *err);
/* Adds the columns of a part of a frame. */
rps_status report_columns(report_frames *frames, int part, size_t index, size_t number, rps_error *err);
/* Chooses the strongest contacts of a frame. */
rps_status report_keep_contacts(report_frames *frames, size_t index, rps_error *err);
/* Deflates frames->block and writes it as a block with the id "PREFIX ID". */
rps_status report_write_block(report_frames *frames, const char *id, rps_replacement *out, rps_error *err);

/* --- report_lost.c ------------------------------------------------------------------------------------------------- */

/* Finds the bodies of a frame that are not shown, of `items` places and kinds (NULL: not known). */
rps_status report_find_lost(report_frames *frames, const double *place, const int32_t *kind, size_t items,
                            rps_error *err);
/* Finite, and such that single precision holds it. */
bool report_is_place(const double place[3]);
/* Where free bodies of the frame are shown. */
bool report_is_near(const report_frames *frames, const double place[3]);
/* Sets the places of lost bodies, and lines that are wholly far off, to NaN; of other columns nothing. */
void report_drop_lost(const report_frames *frames, const rps_column *column, int part, size_t items, double *value);

/* --- report_surface.c ---------------------------------------------------------------------------------------------- */

/* Points of surfaces of all frames; *most: of the last. 0 if there are none. */
rps_status report_count_points(report_frames *frames, double *sum, double *most, rps_error *err);
/* Finds the points in the axes of their bodies, from the last frame. */
rps_status report_find_local(report_frames *frames, rps_error *err);
/* Widens the box by a sphere. */
void report_widen_box(report_frames *frames, const double *place, double radius);
/* Sets points and triangles of a frame, widens the box by them, and adds the points where they are not given by the bodies. */
rps_status report_surface(report_frames *frames, size_t index, rps_error *err);
/* Places of the points of surfaces in a frame and the id of the body of each: frames->points of them, until the next call.
 * Those of a body follow each other. */
rps_status report_frames_points(report_frames *frames, size_t index, const double **place, const int32_t **owner,
                                rps_error *err);
/* The member `planes` of a frame, a point and the normal of each; none if there are none. */
rps_status report_frames_planes(report_frames *frames, size_t index, rps_json *json, rps_error *err);

#endif
