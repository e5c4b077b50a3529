/* Common parts of the questions about places (query.c, ray.c). */
#ifndef RPS_DETECT_QUERY_BODY_H
#define RPS_DETECT_QUERY_BODY_H

#include <repose/query.h>

#include "base/status.h"
#include "detect/gap_table.h"
#include "detect/pair_convex.h"

/* RPS_BAD_INPUT for a place that is not finite. */
rps_status rps_query_check(const char *what, const double place[3], rps_error *err);

/* Smallest whole number of periods that is at least x. */
static inline double rps_query_images_up(double x, double period) {
    const double ratio = x / period;
    double whole = (double)(int64_t)ratio;
    if (whole < ratio) whole += 1.0;
    return whole;
}

/* a - b along axis k, nearest image; a and b may lie in any. */
static inline double rps_query_difference(const rps_world *world, int k, double a, double b) {
    const double period = world->options.period[k];
    double d = a - b;
    if (period > 0.0) d -= period * (double)(int64_t)(d / period);
    return period > 0.0 ? rps_nearest(d, period, 0.5 * period) : d;
}

#endif
