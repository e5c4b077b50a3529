/* Common parts of the spatial queries (query.c, ray.c). */
#ifndef RPS_DETECT_QUERY_BODY_H
#define RPS_DETECT_QUERY_BODY_H

#include <repose/query.h>

#include "base/status.h"
#include "detect/gap_table.h"
#include "detect/pair_convex.h"
#include "world/share.h"

/* RPS_BAD_INPUT for a position that is not finite. */
rps_status rps_query_check(const char *what, const double place[3], rps_error *err);

/* Smallest whole number of periods that is at least x. */
static inline double rps_query_images_up(double x, double period) {
    const double ratio = x / period;
    double whole = (double)(int64_t)ratio;
    if (whole < ratio) whole += 1.0;
    return whole;
}

/* a - b along axis k, nearest image; a and b may be in any image. */
static inline double rps_query_difference(const rps_world *world, int k, double a, double b) {
    const double period = world->cell.period[k];
    double d = a - b;
    if (period > 0.0) d -= period * (double)(int64_t)(d / period);
    return rps_cell_nearest_along(&world->cell, k, d);
}

/* Queries do not support moving images. */
static inline rps_status rps_query_check_cell(const rps_world *world, rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "a query", err));
    if (!world->cell.sheared) return RPS_OK;
    return rps_fail(err, RPS_UNSUPPORTED,
                    "queries know no sheared cell: its images move; read positions by rps_world_view and search there");
}

#endif
