/*
 * Predicted paths: at a rebuild of the neighbor list every body is assumed to keep its velocity for a while.
 */
#ifndef RPS_DETECT_PREDICTION_H
#define RPS_DETECT_PREDICTION_H

/* Path of one body. The weight scales deviations from the path to units of its displacement buffer. */
typedef struct rps_prediction {
    float v[3];   /* m/s, velocity at the last rebuild; 0 for bodies that nothing moves */
    float weight; /* half the neighbor skin over the displacement buffer of the body; at most about 1 */
} __attribute__((aligned(16))) rps_prediction;

#endif
