/* Parts of space: what both kinds of routes share (route.h). */
#include "spread/route_internal.h"

#include <string.h>

#include "base/array.h"

const char *const rps_route_names[RPS_ROUTES] = {"zoltan", "chance"};

rps_status rps_route_open(MPI_Comm comm, rps_route_kind kind, const double period[3], rps_route **out, rps_error *err) {
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, sizeof(rps_route), &memory, err));
    rps_route *route = memory;
    *out = route;
    route->comm = comm;
    route->kind = kind;
    MPI_Comm_rank(comm, &route->rank);
    MPI_Comm_size(comm, &route->size);
    memcpy(route->period, period, sizeof route->period);
    route->seen_bytes = (size_t)route->size * sizeof *route->seen;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, route->seen_bytes, &memory, err));
    route->seen = memory;
    return kind == RPS_ROUTE_ZOLTAN ? rps_zoltan_open(route, err) : RPS_OK;
}

void rps_route_close(rps_route *route) {
    if (route == NULL) return;
    if (route->kind == RPS_ROUTE_ZOLTAN) rps_zoltan_close(route);
    rps_memory_release(NULL, route->seen, route->seen_bytes);
    rps_memory_release(NULL, route, sizeof *route);
}

rps_status rps_route_balance(rps_route *route, size_t n, double (*x)[3], const double *weight, rps_error *err) {
    if (route->kind == RPS_ROUTE_CHANCE) return rps_chance_balance(route, n, x);
    route->points = n;
    route->x = x;
    route->weight = weight;
    return rps_zoltan_balance(route, err);
}

rps_status rps_route_owner(rps_route *route, size_t n, double (*x)[3], int *process, rps_error *err) {
    for (size_t k = 0; k < n; k++) {
        if (route->kind == RPS_ROUTE_CHANCE) {
            process[k] = rps_chance_owner(route, x[k]);
        } else {
            RPS_TRY(rps_zoltan_owner(route, x[k], &process[k], err));
        }
    }
    return RPS_OK;
}

rps_status rps_route_need(rps_route *route, int item, int process, rps_needs *out, rps_error *err) {
    if (process == route->rank || route->seen[process] == item + 1) return RPS_OK;
    route->seen[process] = item + 1;
    void *need = out->need;
    const size_t used = out->count * sizeof *out->need;
    RPS_TRY(rps_buffer_reserve(NULL, &need, &out->bytes, used, used + sizeof *out->need, err));
    out->need = need;
    out->need[out->count++] = (rps_need){item, process};
    return RPS_OK;
}

/* Of the images of a point those whose cube meets the cell. */
static rps_status needs_of_images(rps_route *route, int item, const double x[3], double reach, rps_needs *out,
                                  rps_error *err) {
    for (int image = 0; image < 27; image++) {
        const int step[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
        double at[3];
        bool meets = true;
        for (int k = 0; k < 3; k++) {
            const double side = route->period[k];
            at[k] = x[k] + step[k] * side;
            if (step[k] != 0) meets = meets && side > 0.0;
            if (side > 0.0) meets = meets && at[k] + reach >= 0.0 && at[k] - reach <= side;
        }
        if (meets) RPS_TRY(rps_zoltan_needs(route, item, at, reach, out, err));
    }
    return RPS_OK;
}

rps_status rps_route_needs(rps_route *route, size_t n, double (*x)[3], const double *reach, rps_needs *out,
                           rps_error *err) {
    const bool boxes = route->kind == RPS_ROUTE_ZOLTAN;
    double box[6];
    memset(route->seen, 0, route->seen_bytes);
    if (boxes) RPS_TRY(rps_zoltan_box(route, box, err));
    for (size_t k = 0; k < n; k++) {
        if (boxes && rps_zoltan_is_inside(route, box, x[k], reach[k])) continue;
        RPS_TRY(boxes ? needs_of_images(route, (int)k, x[k], reach[k], out, err)
                      : rps_chance_needs(route, (int)k, x[k], reach[k], out, err));
    }
    return RPS_OK;
}
