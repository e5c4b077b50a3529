/* Figures of sweeps, audits and series, drawn by gnuplot: curves over one parameter or a map over two, one panel per
 * measure, or lines with their own points. */
#ifndef RPS_RUN_PICTURE_H
#define RPS_RUN_PICTURE_H

#include "run/run_state.h"

typedef struct picture_line {
    const char *label;
    const double *x, *y; /* in order along the line; NAN: none */
    size_t count;
    size_t color; /* counted from 0 */
} picture_line;

typedef struct picture_panel {
    const char *title;        /* name and unit of the number, or name of the classes */
    rps_measure_kind kind;    /* numbers, or words */
    const double *value;      /* one for each point, NAN: none */
    const picture_line *line; /* instead of values: lines with their own x */
    size_t lines;
} picture_panel;

typedef struct picture_axis {
    const char *label; /* with the unit */
    size_t count;
    const double *value;
    const char *const *word; /* NULL: numbers */
} picture_axis;

typedef struct picture {
    const char *title;
    picture_axis axis[2];
    size_t axes;
    bool map; /* two axes: draw a map; else one curve per value of the second axis */
    picture_panel *panel;
    size_t panels;
    const rps_sweep_curve *curve; /* for comparison, in every panel of numbers and on every map */
    size_t curves;
} picture;

/* RPS_BAD_INPUT for an ending other than .svg, .png and .pdf; a name without an ending, and NULL, are allowed. */
rps_status rps_picture_check_name(const char *path, rps_error *err);

/* "name [unit]" as print has it, in the pool; the name alone if the unit is "" or "1". NULL: no memory. */
const char *rps_picture_label(rps_pool *pool, const char *name, const char *unit, rps_error *err);

/* Draws the figure into a file, replaced atomically; its ending says the format, SVG without one. RPS_UNSUPPORTED if gnuplot
 * is missing or fails. */
rps_status rps_picture_write(const picture *picture, const char *path, rps_error *err);

#endif
