/*
 * Where bodies live, and how items travel between processes. This header is all that the rest of src/spread knows of the
 * libraries behind it: Zoltan (https://sandialabs.github.io/Zoltan/) parts space and plans exchanges.
 *
 * All processes of a communicator call a function together, with the exception of rps_route_owner and rps_route_needs.
 */
#ifndef RPS_SPREAD_ROUTE_H
#define RPS_SPREAD_ROUTE_H

#include <mpi.h>
#include <stddef.h>

#include "base/status.h"

typedef struct rps_route rps_route;
typedef struct rps_plan rps_plan;

typedef enum rps_route_kind {
    RPS_ROUTE_ZOLTAN, /* boxes of equal weight, by recursive bisection along coordinates */
    RPS_ROUTE_CHANCE, /* cells of a coarse grid dealt at random, another deal at each balance: for tests */
    RPS_ROUTES
} rps_route_kind;
extern const char *const rps_route_names[RPS_ROUTES];

/* period: m, 0 along axes that are not periodic. */
rps_status rps_route_open(MPI_Comm comm, rps_route_kind kind, const double period[3], rps_route **route,
                          rps_error *err);
void rps_route_close(rps_route *route); /* NULL: nothing */

/* Parts space so that the weights of the points of all processes are balanced. */
rps_status rps_route_balance(rps_route *route, size_t n, double (*x)[3], const double *weight, rps_error *err);
/* The processes in whose parts the points lie: the same answer in every process. */
rps_status rps_route_owner(rps_route *route, size_t n, double (*x)[3], int *process, rps_error *err);

/* Pairs of an item and another process. */
typedef struct rps_need {
    int item, process;
} rps_need;
typedef struct rps_needs {
    rps_need *need;
    size_t count, bytes;
} rps_needs;
/* For each point the processes, but this one, whose part meets the cube of half width `reach` (m) around it or around one
 * of its images. Release by rps_buffer_release. */
rps_status rps_route_needs(rps_route *route, size_t n, double (*x)[3], const double *reach, rps_needs *out,
                           rps_error *err);

/* Item k, of `bytes`, goes to process dest[k]. RPS_UNSUPPORTED, in all processes, if one sends or receives 2 GiB or more. */
rps_status rps_plan_new(MPI_Comm comm, size_t n, int *dest, size_t bytes, rps_plan **plan, size_t *arrivals,
                        rps_error *err);
/* Sends n items; `receive` has room for the arrivals, whose order is the same at each call. */
rps_status rps_plan_send(rps_plan *plan, void *send, void *receive, rps_error *err);
void rps_plan_free(rps_plan *plan); /* NULL: nothing */

#endif
