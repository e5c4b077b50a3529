/* The fit of pictures: the range of their colours, and the box and the camera that hold the grains. Walls that are not much larger
 * than the grains are held too; the planes, the fixed spheres under a heap, and the few grains that fly far off are not. */
#ifndef RPS_CLI_SHOTS_FIT_H
#define RPS_CLI_SHOTS_FIT_H

#include "report_frames.h"

typedef struct shots_fit {
    /* The caller sets these before the first frame. */
    double from[3], up[3]; /* unit vectors, at right angles: from the middle to the camera, and what is up */
    double cut[4];         /* nothing is held where cut[0..2] . place > cut[3], m; all 0: all is */
    double tangent[2];     /* of half the angle of view, across and upward */
    const char *column;    /* of bodies, which colours them */
    int component;         /* of it; -1: the length of a vector */
    /* Frames add to these: */
    bool any;               /* something is held */
    bool grains;            /* some body is free */
    double low[3], high[3]; /* m: box */
    double depth[2];        /* m, along `from` */
    double reach[2][2];     /* m: how far the four sides of the view must be out; across and upward, low and high */
    double range[2];        /* least and greatest value; of many values without the few at either end */
    double ends[2];         /* least and greatest of all */
    void *memory;
    size_t bytes;
} shots_fit;

/* `from` and `up` of any lengths, not along each other. */
void shots_fit_init(shots_fit *fit, const double from[3], const double up[3]);
/* Forgets what frames added. */
void shots_fit_restart(shots_fit *fit);
rps_status shots_fit_add(shots_fit *fit, report_frames *frames, size_t index, rps_error *err);
/* Where the camera stands and looks to, m. */
void shots_fit_aim(const shots_fit *fit, double eye[3], double target[3]);
void shots_fit_release(shots_fit *fit);

#endif
