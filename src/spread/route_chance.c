/* A partition that no engine would choose: the cells of a coarse grid belong to processes at random, so that each process
 * owns a sponge and nearly all bodies are copies somewhere. The owner of a body must not show in the bits. */
#include <math.h>

#include "base/random.h"
#include "spread/route_internal.h"

enum { CELLS = 6 }; /* along each axis of the box of all points */

rps_status rps_chance_balance(rps_route *route, size_t n, double (*x)[3]) {
    double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}; /* high, minus low */
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            most[k] = fmax(most[k], x[i][k]);
            most[3 + k] = fmax(most[3 + k], -x[i][k]);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, route->comm);
    for (int k = 0; k < 3; k++) {
        const double side = route->period[k], span = most[k] + most[3 + k];
        route->low[k] = side > 0.0 || !(span > 0.0) ? 0.0 : -most[3 + k];
        route->edge[k] = side > 0.0 ? side / CELLS : span > 0.0 ? span / CELLS : 1.0;
    }
    route->deals++;
    return RPS_OK;
}

static int chance_cell(const rps_route *route, int axis, double x) {
    const double cell = floor((x - route->low[axis]) / route->edge[axis]);
    return (int)fmin(fmax(cell, -1e6), 1e6);
}

static int owner_of_cell(const rps_route *route, const int cell[3]) {
    uint64_t number = 0;
    for (int k = 0; k < 3; k++) {
        const int at = route->period[k] > 0.0 ? ((cell[k] % CELLS) + CELLS) % CELLS : cell[k];
        number = number * 4000037u + (uint64_t)(at + 2000000);
    }
    return (int)rps_random_index(RPS_RANDOM_TEST, RPS_RANDOM_TEST, route->deals, number, (uint64_t)route->size);
}

int rps_chance_owner(const rps_route *route, const double x[3]) {
    const int cell[3] = {chance_cell(route, 0, x[0]), chance_cell(route, 1, x[1]), chance_cell(route, 2, x[2])};
    return owner_of_cell(route, cell);
}

rps_status rps_chance_needs(rps_route *route, int item, const double x[3], double reach, rps_needs *out,
                            rps_error *err) {
    int low[3], high[3], cell[3];
    for (int k = 0; k < 3; k++) {
        low[k] = chance_cell(route, k, x[k] - reach);
        high[k] = chance_cell(route, k, x[k] + reach);
    }
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++) {
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++) {
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++) {
                RPS_TRY(rps_route_need(route, item, owner_of_cell(route, cell), out, err));
            }
        }
    }
    return RPS_OK;
}
