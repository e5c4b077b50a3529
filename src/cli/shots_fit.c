/* A view is a pyramid with its tip at the camera. Of all that it must hold the outermost points along the normals of its sides are
 * kept; with the direction given, they fix where the tip is. */
#include "shots_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vec.h"

/* Of grains that lie further out than a box around nearly all of them by this times its longest side, none is held. */
static const double fit_far = 1.5;
/* Of walls those are held that are at most so much larger than the box around the grains. */
static const double fit_wall = 2.5;
/* And that lie no further aside than this part of the diagonal of that box. */
static const double fit_gap = 0.25;
/* Planes are seen that are at most this part of the diagonal of the box away from it; viewer/walls.js. */
static const double fit_near = 0.015;
static const double fit_few = 0.005; /* part of the values that the colours may leave out at either end */
enum { FIT_MANY = 200 };             /* values from which on they may */

static double fit_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void fit_cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void fit_normalise(double a[3]) {
    const double length = sqrt(fit_dot(a, a));
    for (int k = 0; k < 3; k++) a[k] /= length;
}

static double fit_diagonal(const double low[3], const double high[3]) {
    return sqrt((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]) +
                (high[2] - low[2]) * (high[2] - low[2]));
}

void shots_fit_init(shots_fit *fit, const double from[3], const double up[3]) {
    double side[3];
    memset(fit, 0, sizeof *fit);
    memcpy(fit->from, from, sizeof fit->from);
    fit_normalise(fit->from);
    fit_cross(up, fit->from, side);
    fit_cross(fit->from, side, fit->up);
    fit_normalise(fit->up);
    fit->component = -1;
    shots_fit_restart(fit);
}

void shots_fit_restart(shots_fit *fit) {
    fit->any = fit->grains = false;
    for (int k = 0; k < 3; k++) {
        fit->low[k] = INFINITY;
        fit->high[k] = -INFINITY;
    }
    for (int k = 0; k < 2; k++) {
        fit->reach[k][0] = fit->reach[k][1] = -INFINITY;
        fit->depth[k] = fit->range[k] = fit->ends[k] = k ? -INFINITY : INFINITY;
    }
}

void shots_fit_release(shots_fit *fit) {
    rps_buffer_release(NULL, &fit->memory, &fit->bytes);
}

/* --- what is held -------------------------------------------------------------------------------------------------- */

static void fit_hold(shots_fit *fit, const double place[3], double radius) {
    double side[3];
    if (fit_dot(fit->cut, place) > fit->cut[3]) return;
    fit_cross(fit->up, fit->from, side);
    const double across[2] = {fit_dot(place, side), fit_dot(place, fit->up)}, along = fit_dot(place, fit->from);
    fit->any = true;
    for (int k = 0; k < 3; k++) {
        fit->low[k] = fmin(fit->low[k], place[k] - radius);
        fit->high[k] = fmax(fit->high[k], place[k] + radius);
    }
    fit->depth[0] = fmin(fit->depth[0], along - radius);
    fit->depth[1] = fmax(fit->depth[1], along + radius);
    for (int k = 0; k < 2; k++) {
        const double slope = fit->tangent[k], out = along * slope + radius * sqrt(1.0 + slope * slope);
        fit->reach[k][0] = fmax(fit->reach[k][0], out - across[k]);
        fit->reach[k][1] = fmax(fit->reach[k][1], out + across[k]);
    }
}

void shots_fit_aim(const shots_fit *fit, double eye[3], double target[3]) {
    double side[3], tip = 0.0;
    fit_cross(fit->up, fit->from, side);
    for (int k = 0; k < 2 && fit->any; k++) {
        const double along = (fit->reach[k][0] + fit->reach[k][1]) / (2.0 * fit->tangent[k]);
        tip = k == 0 || along > tip ? along : tip;
    }
    const double across = fit->any ? 0.5 * (fit->reach[0][1] - fit->reach[0][0]) : 0.0;
    const double upward = fit->any ? 0.5 * (fit->reach[1][1] - fit->reach[1][0]) : 0.0;
    const double middle = fit->any ? 0.5 * (fit->depth[0] + fit->depth[1]) : 0.0;
    if (!(tip > middle)) tip = middle + 1.0; /* a lone body without size */
    for (int k = 0; k < 3; k++) {
        const double beside = across * side[k] + upward * fit->up[k];
        eye[k] = beside + tip * fit->from[k];
        target[k] = beside + middle * fit->from[k];
    }
}

/* --- bodies -------------------------------------------------------------------------------------------------------- */

typedef struct fit_bodies {
    size_t count;
    double *place, *radius, *value, *sorted;
    int32_t *kind; /* 0: free */
} fit_bodies;

static const rps_column *fit_column(const report_frames *frames, const char *name) {
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, RPS_RESULTS_BODIES, c)) != NULL; c++) {
        if (strcmp(column->name, name) == 0) return column;
    }
    return NULL;
}

/* The values that colour bodies, from the columns of the file as they stand in `raw`. */
static void fit_values(const shots_fit *fit, const rps_column *column, const void *raw, fit_bodies *b) {
    const size_t width = (size_t)column->components;
    for (size_t n = 0; n < b->count; n++) {
        if (column->type == RPS_TYPE_int32) {
            b->value[n] = ((const int32_t *)raw)[n * width];
        } else if (column->type == RPS_TYPE_uint64) {
            b->value[n] = (double)((const uint64_t *)raw)[n * width];
        } else {
            const double *x = (const double *)raw + n * width;
            double square = 0.0;
            for (size_t c = 0; c < width; c++) square += x[c] * x[c];
            b->value[n] = width == 1            ? x[0]
                          : fit->component >= 0 ? x[fit->component]
                          : width == 6          ? -(x[0] + x[3] + x[5]) / 3.0 /* xx xy xz yy yz zz: the pressure */
                                                : sqrt(square);
        }
    }
}

static rps_status fit_read(shots_fit *fit, report_frames *frames, size_t index, fit_bodies *b, rps_error *err) {
    const size_t n = (size_t)frames->frame[index].bodies;
    const rps_column *color = fit_column(frames, fit->column);
    const char *radius = fit_column(frames, "radius") ? "radius" : "sphere_radius";
    const size_t width = 3 + 1 + 1 + 1 + (size_t)color->components + 1;
    size_t bytes;
    RPS_TRY(rps_size_of_items(n, width * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &fit->memory, &fit->bytes, 0, bytes + 1, err));
    memset(fit->memory, 0, bytes);
    double *at = fit->memory;
    *b = (fit_bodies){.count = n, .place = at, .radius = at + 3 * n, .value = at + 4 * n, .sorted = at + 5 * n};
    double *raw = at + 6 * n;
    b->kind = (int32_t *)(raw + (size_t)color->components * n);
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "position", index, b->place, 3 * n * 8, err));
    if (fit_column(frames, radius)) {
        RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, radius, index, b->radius, n * 8, err));
    }
    if (fit_column(frames, "kind")) {
        RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "kind", index, b->kind, n * 8, err));
    }
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, fit->column, index, raw,
                             (size_t)color->components * n * 8, err));
    fit_values(fit, color, raw, b);
    for (size_t k = 0; k < n; k++) fit->grains = fit->grains || b->kind[k] == 0;
    return RPS_OK;
}

static int fit_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool fit_is_grain(const shots_fit *fit, const fit_bodies *b, size_t n) {
    return !fit->grains || b->kind[n] == 0;
}

static size_t fit_sort(const shots_fit *fit, fit_bodies *b, const double *value, size_t stride) {
    size_t count = 0;
    for (size_t n = 0; n < b->count; n++) {
        if (fit_is_grain(fit, b, n) && isfinite(value[n * stride])) b->sorted[count++] = value[n * stride];
    }
    qsort(b->sorted, count, sizeof *b->sorted, fit_order);
    return count;
}

/* The box in which grains are held. */
static void fit_find_far(const shots_fit *fit, fit_bodies *b, double low[3], double high[3]) {
    double longest = 0.0;
    for (size_t k = 0; k < 3; k++) {
        low[k] = -INFINITY;
        high[k] = INFINITY;
        const size_t count = fit_sort(fit, b, b->place + k, 3), few = count / 50;
        if (few == 0) continue;
        low[k] = b->sorted[few];
        high[k] = b->sorted[count - 1 - few];
        longest = fmax(longest, high[k] - low[k]);
    }
    for (int k = 0; k < 3; k++) {
        low[k] -= fit_far * longest;
        high[k] += fit_far * longest;
    }
}

static void fit_widen(shots_fit *fit, fit_bodies *b) {
    const size_t count = fit_sort(fit, b, b->value, 1);
    if (count == 0) return;
    const size_t few = count < FIT_MANY ? 0 : (size_t)(fit_few * (double)count);
    fit->range[0] = fmin(fit->range[0], b->sorted[few]);
    fit->range[1] = fmax(fit->range[1], b->sorted[count - 1 - few]);
    fit->ends[0] = fmin(fit->ends[0], b->sorted[0]);
    fit->ends[1] = fmax(fit->ends[1], b->sorted[count - 1]);
}

/* Holds the points of surfaces, body by body; those of one body follow each other. */
static rps_status fit_add_walls(shots_fit *fit, report_frames *frames, size_t index, rps_error *err) {
    const double *place;
    const int32_t *owner;
    double box[2][3], size;
    const bool alone = !fit->any;
    RPS_TRY(report_frames_points(frames, index, &place, &owner, err));
    memcpy(box[0], fit->low, sizeof box[0]);
    memcpy(box[1], fit->high, sizeof box[1]);
    size = alone ? INFINITY : fit_wall * fit_diagonal(fit->low, fit->high);
    const double gap = fit_gap * fit_diagonal(box[0], box[1]);
    for (size_t first = 0, end; first < frames->points; first = end) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        bool beside = false;
        for (end = first; end < frames->points && owner[end] == owner[first]; end++) {
            for (size_t k = 0; k < 3; k++) {
                low[k] = fmin(low[k], place[3 * end + k]);
                high[k] = fmax(high[k], place[3 * end + k]);
            }
        }
        for (int k = 0; k < 3; k++) beside = beside || low[k] > box[1][k] + gap || high[k] < box[0][k] - gap;
        if (!alone && (beside || fit_diagonal(low, high) > size)) continue;
        for (size_t n = first; n < end; n++) fit_hold(fit, place + 3 * n, 0.0);
    }
    return RPS_OK;
}

/* Holds the corners of the box that lie at planes which are seen from the front; the page draws these as far as the box goes. */
static rps_status fit_add_planes(shots_fit *fit, report_frames *frames, size_t index, fit_bodies *b, rps_error *err) {
    const double low[3] = {fit->low[0], fit->low[1], fit->low[2]}, high[3] = {fit->high[0], fit->high[1], fit->high[2]};
    const double near = fit_near * fit_diagonal(low, high);
    size_t bytes;
    if (!fit->any || !fit_column(frames, "orientation") || !fit_column(frames, "radius")) return RPS_OK;
    RPS_TRY(rps_size_of_items(b->count, 4 * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    double *turn = frames->value;
    RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "orientation", index, turn, bytes, err));
    for (size_t n = 0; n < b->count; n++, turn += 4) {
        if (b->radius[n] != 0.0) continue;
        const rps_vec3 up =
            rps_quat_rotate((rps_quat){turn[0], turn[1], turn[2], turn[3]}, rps_vec3_make(0.0, 0.0, 1.0));
        const double normal[3] = {up.x, up.y, up.z};
        for (int corner = 0; corner < 8 && fit_dot(normal, fit->from) > 0.0; corner++) {
            double place[3], above = 0.0;
            for (int k = 0; k < 3; k++) {
                place[k] = corner >> k & 1 ? high[k] : low[k];
                above += normal[k] * (place[k] - b->place[3 * n + (size_t)k]);
            }
            for (int k = 0; k < 3; k++) place[k] -= above * normal[k];
            if (fabs(above) <= near) fit_hold(fit, place, 0.0);
        }
    }
    return RPS_OK;
}

/* Holds the spheres that are fixed or driven, as one wall. */
static void fit_add_bed(shots_fit *fit, const fit_bodies *b) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double size = fit_wall * fit_diagonal(fit->low, fit->high);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t n = 0; n < b->count; n++) {
            const double *place = b->place + 3 * n;
            if (b->kind[n] == 0 || !(b->radius[n] > 0.0) || !isfinite(place[0] + place[1] + place[2])) continue;
            for (int k = 0; k < 3 && pass == 0; k++) {
                low[k] = fmin(low[k], place[k] - b->radius[n]);
                high[k] = fmax(high[k], place[k] + b->radius[n]);
            }
            if (pass == 1) fit_hold(fit, place, b->radius[n]);
        }
        if (!fit->any || !(fit_diagonal(low, high) <= size)) return;
    }
}

rps_status shots_fit_add(shots_fit *fit, report_frames *frames, size_t index, rps_error *err) {
    fit_bodies bodies;
    double low[3], high[3];
    RPS_TRY(fit_read(fit, frames, index, &bodies, err));
    fit_find_far(fit, &bodies, low, high);
    for (size_t n = 0; n < bodies.count; n++) {
        const double *place = bodies.place + 3 * n;
        bool beyond = !report_is_place(place) || !(bodies.radius[n] > 0.0 || !fit_column(frames, "radius"));
        for (int k = 0; k < 3; k++) beyond = beyond || !(place[k] >= low[k] && place[k] <= high[k]);
        if (!beyond && fit_is_grain(fit, &bodies, n)) fit_hold(fit, place, bodies.radius[n]);
    }
    fit_widen(fit, &bodies);
    fit_add_bed(fit, &bodies);
    RPS_TRY(fit_add_walls(fit, frames, index, err));
    return fit_add_planes(fit, frames, index, &bodies, err);
}
