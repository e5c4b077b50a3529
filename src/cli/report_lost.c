/* Bodies that no picture can show: those whose places are not finite, and free ones that flew far off. Numbers of a frame have 16
 * bits between the least and the greatest, and the view holds all that is drawn, so that one of them would shrink the rest to a
 * point. */
#include "report_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double report_place_most = 1e30; /* m: beyond, single precision fails */
static const double report_far = 3.0; /* longest sides of the box around nearly all, from there on a body is far */
enum { REPORT_SAMPLE = 1 << 12, REPORT_FEW = 50 };

static int report_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool report_is_place(const double place[3]) {
    return fabs(place[0]) < report_place_most && fabs(place[1]) < report_place_most &&
           fabs(place[2]) < report_place_most; /* false of NaN */
}

bool report_is_near(const report_frames *frames, const double place[3]) {
    for (int k = 0; k < 3; k++) {
        if (!(place[k] >= frames->near_low[k] && place[k] <= frames->near_high[k])) return false;
    }
    return true;
}

/* Along an axis the range of nearly all free bodies, of which every stride-th is looked at. False if they are too few to say. */
static bool report_range_of_most(const double *place, const int32_t *kind, size_t items, size_t axis, double range[2]) {
    double sample[REPORT_SAMPLE];
    const size_t stride = items / REPORT_SAMPLE + 1;
    size_t count = 0;
    for (size_t n = 0; n < items; n += stride) {
        if (kind[n] == 0 && report_is_place(place + 3 * n)) sample[count++] = place[3 * n + axis];
    }
    qsort(sample, count, sizeof *sample, report_order);
    const size_t few = count / REPORT_FEW;
    if (few == 0) return false;
    range[0] = sample[few];
    range[1] = sample[count - 1 - few];
    return true;
}

static void report_find_near(report_frames *frames, const double *place, const int32_t *kind, size_t items) {
    double range[3][2], longest = 0.0;
    bool known = kind != NULL;
    for (size_t k = 0; k < 3; k++) {
        known = known && report_range_of_most(place, kind, items, k, range[k]);
        if (known) longest = fmax(longest, range[k][1] - range[k][0]);
    }
    known = known && longest > 0.0;
    for (int k = 0; k < 3; k++) {
        frames->near_low[k] = known ? range[k][0] - report_far * longest : -report_place_most;
        frames->near_high[k] = known ? range[k][1] + report_far * longest : report_place_most;
    }
}

rps_status report_find_lost(report_frames *frames, const double *place, const int32_t *kind, size_t items,
                            rps_error *err) {
    size_t count = 0;
    void *memory = frames->lost;
    RPS_TRY(rps_buffer_reserve(NULL, &memory, &frames->lost_bytes, 0, items + 1, err));
    bool *lost = frames->lost = memory;
    report_find_near(frames, place, kind, items);
    for (size_t n = 0; n < items; n++) {
        const bool free = kind && kind[n] == 0;
        lost[n] = !report_is_place(place + 3 * n) || (free && !report_is_near(frames, place + 3 * n));
        count += lost[n];
    }
    if (count > frames->lost_most) frames->lost_most = count;
    return RPS_OK;
}

void report_drop_lost(const report_frames *frames, const rps_column *column, int part, size_t items, double *value) {
    const size_t width = 3 * (size_t)column->rows;
    const bool places = part == RPS_RESULTS_BODIES && strcmp(column->name, "position") == 0;
    const bool lines = part != RPS_RESULTS_BODIES && strcmp(column->name, "line") == 0;
    for (size_t n = 0; n < items && (places || lines); n++) {
        double *row = value + n * width;
        /* One end of a line may be the middle of a large wall. */
        const bool drop =
            places ? frames->lost[n] : !report_is_near(frames, row) && !report_is_near(frames, row + width - 3);
        for (size_t k = 0; k < width && drop; k++) row[k] = NAN;
    }
}
