/* Zoltan behind route.h: recursive bisection along coordinates with kept cuts, and plans of exchange. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <zoltan.h>
#include <zoltan_comm.h>

#include "base/array.h"
#include "spread/route_internal.h"

static rps_status zoltan_failed(const char *what, rps_error *err) {
    return rps_fail(err, RPS_INTERNAL, "Zoltan cannot %s", what);
}

/* --- parts of space ----------------------------------------------------------------------------------------------- */

static int zoltan_count(void *context, int *status) {
    const rps_route *route = context;
    *status = ZOLTAN_OK;
    return (int)route->points;
}

static void zoltan_objects(void *context, int global_words, int local_words, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local,
                           int weights, float *weight, int *status) {
    const rps_route *route = context;
    (void)weights;
    for (size_t k = 0; k < route->points; k++) {
        global[k * (size_t)global_words] = (ZOLTAN_ID_TYPE)route->rank;
        global[k * (size_t)global_words + 1] = (ZOLTAN_ID_TYPE)k;
        local[k * (size_t)local_words] = (ZOLTAN_ID_TYPE)k;
        weight[k] = (float)route->weight[k];
    }
    *status = ZOLTAN_OK;
}

static int zoltan_dimensions(void *context, int *status) {
    (void)context;
    *status = ZOLTAN_OK;
    return 3;
}

static void zoltan_points(void *context, int global_words, int local_words, int n, ZOLTAN_ID_PTR global,
                          ZOLTAN_ID_PTR local, int dimensions, double *x, int *status) {
    const rps_route *route = context;
    (void)global_words, (void)global, (void)dimensions;
    for (int k = 0; k < n; k++) memcpy(x + 3 * k, route->x[local[k * local_words]], sizeof *route->x);
    *status = ZOLTAN_OK;
}

rps_status rps_zoltan_open(rps_route *route, rps_error *err) {
    static const char *const setting[][2] = {
        {"DEBUG_LEVEL", "0"},     {"LB_METHOD", "RCB"},      {"NUM_GID_ENTRIES", "2"},
        {"NUM_LID_ENTRIES", "1"}, {"OBJ_WEIGHT_DIM", "1"},   {"RETURN_LISTS", "NONE"},
        {"KEEP_CUTS", "1"},       {"RCB_OUTPUT_LEVEL", "0"}, {"IMBALANCE_TOL", "1.02"}};
    float version;
    void *memory;
    route->hit_bytes = (size_t)route->size * sizeof *route->hit;
    RPS_TRY(rps_memory_alloc(NULL, route->hit_bytes, &memory, err));
    route->hit = memory;
    if (Zoltan_Initialize(0, NULL, &version) != ZOLTAN_OK) return zoltan_failed("begin", err);
    route->zoltan = Zoltan_Create(route->comm);
    if (route->zoltan == NULL) return zoltan_failed("begin", err);
    for (size_t k = 0; k < sizeof setting / sizeof *setting; k++) {
        if (Zoltan_Set_Param(route->zoltan, setting[k][0], setting[k][1]) != ZOLTAN_OK) {
            return zoltan_failed("take its settings", err);
        }
    }
    Zoltan_Set_Num_Obj_Fn(route->zoltan, zoltan_count, route);
    Zoltan_Set_Obj_List_Fn(route->zoltan, zoltan_objects, route);
    Zoltan_Set_Num_Geom_Fn(route->zoltan, zoltan_dimensions, route);
    Zoltan_Set_Geom_Multi_Fn(route->zoltan, zoltan_points, route);
    return RPS_OK;
}

void rps_zoltan_close(rps_route *route) {
    if (route->zoltan != NULL) Zoltan_Destroy(&route->zoltan);
    rps_memory_release(NULL, route->hit, route->hit_bytes);
}

rps_status rps_zoltan_balance(rps_route *route, rps_error *err) {
    int changes, global_words, local_words, imports, exports, *from = NULL, *from_part = NULL, *to = NULL,
                                                              *to_part = NULL;
    ZOLTAN_ID_PTR import_global = NULL, import_local = NULL, export_global = NULL, export_local = NULL;
    const int status =
        Zoltan_LB_Partition(route->zoltan, &changes, &global_words, &local_words, &imports, &import_global,
                            &import_local, &from, &from_part, &exports, &export_global, &export_local, &to, &to_part);
    Zoltan_LB_Free_Part(&import_global, &import_local, &from, &from_part);
    Zoltan_LB_Free_Part(&export_global, &export_local, &to, &to_part);
    return status == ZOLTAN_OK || status == ZOLTAN_WARN ? RPS_OK : zoltan_failed("part the bodies", err);
}

rps_status rps_zoltan_owner(rps_route *route, double x[3], int *process, rps_error *err) {
    if (Zoltan_LB_Point_Assign(route->zoltan, x, process) != ZOLTAN_OK) return zoltan_failed("find a point", err);
    return RPS_OK;
}

rps_status rps_zoltan_box(const rps_route *route, double box[6], rps_error *err) {
    int dimensions;
    const int status =
        Zoltan_RCB_Box(route->zoltan, route->rank, &dimensions, &box[0], &box[1], &box[2], &box[3], &box[4], &box[5]);
    return status == ZOLTAN_OK ? RPS_OK : zoltan_failed("tell the box of a part", err);
}

bool rps_zoltan_is_inside(const rps_route *route, const double box[6], const double x[3], double reach) {
    for (int k = 0; k < 3; k++) {
        const double side = route->period[k];
        const double low = side > 0.0 ? fmax(box[k], 0.0) : box[k];
        const double high = side > 0.0 ? fmin(box[3 + k], side) : box[3 + k];
        if (!(x[k] - reach > low && x[k] + reach < high)) return false;
    }
    return true;
}

rps_status rps_zoltan_needs(rps_route *route, int item, const double x[3], double reach, rps_needs *out,
                            rps_error *err) {
    int hits = 0;
    const int status = Zoltan_LB_Box_Assign(route->zoltan, x[0] - reach, x[1] - reach, x[2] - reach, x[0] + reach,
                                            x[1] + reach, x[2] + reach, route->hit, &hits);
    if (status != ZOLTAN_OK) return zoltan_failed("find the parts that a box meets", err);
    for (int k = 0; k < hits; k++) RPS_TRY(rps_route_need(route, item, route->hit[k], out, err));
    return RPS_OK;
}

/* --- exchange ----------------------------------------------------------------------------------------------------- */

struct rps_plan {
    ZOLTAN_COMM_OBJ *plan;
    int bytes; /* of an item */
};

enum { PLAN_TAG = 7001, DATA_TAG = 7002 };

rps_status rps_plan_new(MPI_Comm comm, size_t n, int *dest, size_t bytes, rps_plan **out, size_t *arrivals,
                        rps_error *err) {
    void *memory;
    int arriving = 0;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, sizeof(rps_plan), &memory, err));
    rps_plan *plan = memory;
    *out = plan;
    if (Zoltan_Comm_Create(&plan->plan, (int)n, dest, comm, PLAN_TAG, &arriving) != ZOLTAN_OK) {
        return zoltan_failed("plan an exchange", err);
    }
    plan->bytes = (int)bytes;
    *arrivals = (size_t)arriving;
    double most = (double)(n > *arrivals ? n : *arrivals); /* lengths of messages are ints */
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (!(most * (double)bytes < INT_MAX)) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "one process would send or receive %.0f times %zu bytes, and 2 GiB at once are the limit: give "
                        "each process fewer bodies",
                        most, bytes);
    }
    return RPS_OK;
}

rps_status rps_plan_send(rps_plan *plan, void *send, void *receive, rps_error *err) {
    const int status = Zoltan_Comm_Do(plan->plan, DATA_TAG, send, plan->bytes, receive);
    return status == ZOLTAN_OK ? RPS_OK : zoltan_failed("exchange items", err);
}

void rps_plan_free(rps_plan *plan) {
    if (plan == NULL) return;
    if (plan->plan != NULL) Zoltan_Comm_Destroy(&plan->plan);
    rps_memory_release(NULL, plan, sizeof *plan);
}
