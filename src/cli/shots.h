/* Shots: frames of a run as pictures, shared by `repose picture` and `repose movie`. The page of `repose report` is made with
 * the frames that are wanted, a few at a time, and a browser draws it. */
#ifndef RPS_CLI_SHOTS_H
#define RPS_CLI_SHOTS_H

#include "browser.h"
#include "cli.h"
#include "report_frames.h"
#include "shots_fit.h"
#include "work_folder.h"

enum { SHOTS_NAME = 64 };

typedef struct shots {
    const cli_command *command;
    /* The command line says these; shots_init sets what it need not say. */
    const char *directory, *output, *walls;
    const char *color;        /* field of bodies, with a component as in velocity.z; NULL: the usual */
    double from[3], up[3];    /* the direction of the view */
    double eye[3], target[3]; /* m: camera and what it looks at */
    bool placed;              /* by the command line; else they fit the grains */
    int size[2];              /* pixels */
    double range[2];          /* of the colours; NaN: that of the frames */
    int cut;                  /* axis 0 to 2; -1: none */
    double place;             /* m: of the cut along the axis; NaN: the middle */
    double wait;              /* s */
    bool contacts, bonds, no_bar, no_text;
    /* The functions below keep these. */
    char column[SHOTS_NAME];
    double load; /* N, of the last colour of contacts */
    report_frames frames;
    shots_fit fit;
    browser browser;
    char folder[RPS_PATH];
    size_t first, stride, end; /* frames that are wanted */
    size_t opened, closed;     /* of them those in the page: from opened to before closed */
    void *png;
    size_t png_capacity, png_bytes;
} shots;

/* Options of both commands, the last of their tables. */
#define SHOTS_OPTIONS                                                                                                \
    {"size", 0, "WxH", "of the picture in pixels (1280x720)"},                                                       \
        {"color", 0, "FIELD", "of bodies, as velocity, velocity.z or radius"},                                       \
        {"range", 0, "LOW:HIGH", "values of the first and the last color, SI (those of the frames)"},                \
        {"view", 0, "VIEW", "corner, front, back, left, right, top, bottom, or X,Y,Z (corner)"},                     \
        {"clip", 0, "AXIS[:PLACE]", "cut off what lies before a plane: y, or y:2cm (the middle)"},                   \
        {"contacts", 0, NULL, "draw contacts as lines, thicker with their load, over pale grains"},                  \
        {"bonds", 0, NULL, "draw bonds as sticks between small grains: red tension, blue compression"},              \
        {"walls", 0, "HOW", "clear, solid, hidden, or auto: clear where they hide many grains (auto)"},              \
        {"no-bar", 0, NULL, "leave out the bar of colors"}, {"no-text", 0, NULL, "leave out bar, scale and time"}, { \
        "wait", 0, "SECONDS", "give the browser up after so long without an answer (120)"                            \
    }

void shots_init(shots *s, const cli_command *command);
/* Takes one of SHOTS_OPTIONS or `output`; CLI_OK, or CLI_USAGE after printing. */
int shots_take(shots *s, const char *name, const char *argument);
/* Opens the results; RPS_BAD_INPUT if they hold no frame, or not what is to be drawn. */
rps_status shots_open(shots *s, rps_error *err);
/* Chooses frames: every stride-th from first to before end, and finds camera and colours; starts the browser. */
rps_status shots_begin(shots *s, size_t first, size_t stride, size_t end, rps_error *err);
/* Draws a chosen frame into s->png. */
rps_status shots_draw(shots *s, size_t frame, rps_error *err);
/* Ends the browser, removes the folder, releases all. Returns the exit status of the command. */
int shots_end(shots *s, rps_status status, const rps_error *err);

#endif
