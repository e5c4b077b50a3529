/* The frame of a figure: ranges of the axes, margins that fit the texts, labels with units. */
#ifndef RPS_RUN_PICTURE_FRAME_H
#define RPS_RUN_PICTURE_FRAME_H

#include "run/picture.h"

typedef struct panel_frame {
    double low[2], high[2]; /* of the axes */
    double least, most;     /* of the values; least > most: no values */
    double bottom, top;     /* on the page, whose height is 1 */
} panel_frame;

typedef struct picture_margins {
    double left, right; /* borders of the panels on the page, whose width is 1 */
} picture_margins;

/* Ranges are finite and not empty, whatever the values. */
void rps_picture_frame(const picture *p, size_t number, panel_frame *f);
picture_margins rps_picture_margins(const picture *p);

/* Widens a range that is empty or too narrow for an axis to resolve, and keeps it finite. */
void rps_picture_open_range(double *low, double *high);
/* Edge of cell k of an axis, from 0 to the count. */
double rps_picture_edge(const picture_axis *axis, size_t k);
/* Significant digits of the numbers along an axis. */
int rps_picture_digits(double low, double high);

#endif
