/* Shared by the files behind route.h. */
#ifndef RPS_SPREAD_ROUTE_INTERNAL_H
#define RPS_SPREAD_ROUTE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "spread/route.h"

struct Zoltan_Struct;

struct rps_route {
    MPI_Comm comm;
    rps_route_kind kind;
    int rank, size;
    double period[3]; /* m, 0: not periodic */
    int *seen;        /* by process: 1 + the last item that needs it */
    size_t seen_bytes;
    /* Zoltan's, with the points of a balance and the parts that a box met */
    struct Zoltan_Struct *zoltan;
    size_t points;
    double (*x)[3];
    const double *weight;
    int *hit;
    size_t hit_bytes;
    /* chance */
    uint64_t deals;
    double low[3], edge[3]; /* m, of the grid */
};

rps_status rps_zoltan_open(rps_route *route, rps_error *err);
void rps_zoltan_close(rps_route *route);
rps_status rps_zoltan_balance(rps_route *route, rps_error *err);
rps_status rps_zoltan_owner(rps_route *route, double x[3], int *process, rps_error *err);
/* The needs of an item at one of its images. */
rps_status rps_zoltan_needs(rps_route *route, int item, const double x[3], double reach, rps_needs *out,
                            rps_error *err);
/* Whether the cube lies in the part of this process and in the cell. */
bool rps_zoltan_is_inside(const rps_route *route, const double box[6], const double x[3], double reach);
rps_status rps_zoltan_box(const rps_route *route, double box[6], rps_error *err);

rps_status rps_chance_balance(rps_route *route, size_t n, double (*x)[3]);
int rps_chance_owner(const rps_route *route, const double x[3]);
rps_status rps_chance_needs(rps_route *route, int item, const double x[3], double reach, rps_needs *out,
                            rps_error *err);

/* Adds a need unless the item has it, or it is this process. */
rps_status rps_route_need(rps_route *route, int item, int process, rps_needs *out, rps_error *err);

#endif
