/* Tallies: sums by group, and the events of a window. */
#include "scene/tally.h"

#include <math.h>
#include <string.h>

void rps_tally_release(const rps_allocator *allocator, rps_tally *tally) {
    rps_buffer_release(allocator, &tally->total, &tally->total_bytes);
    rps_buffer_release(allocator, &tally->event, &tally->event_bytes);
    *tally = (rps_tally){.window = 0};
}

static void tally_join(rps_tally_sum *to, const rps_tally_sum *sum) {
    to->number += sum->number;
    to->mass += sum->mass;
    to->age += sum->age;
}

static rps_status add_total(const rps_allocator *allocator, rps_tally *tally, int group, const rps_tally_sum *sum,
                            rps_error *err) {
    const size_t need = (size_t)group + 1;
    if (need > tally->groups) {
        const size_t used = tally->groups * sizeof *sum;
        RPS_TRY(rps_buffer_reserve(allocator, &tally->total, &tally->total_bytes, used, need * sizeof *sum, err));
        memset((char *)tally->total + used, 0, need * sizeof *sum - used);
        tally->groups = need;
    }
    tally_join((rps_tally_sum *)tally->total + group, sum);
    return RPS_OK;
}

/* Drops the events before the window. They stay in memory until they are more than half of it. */
static void drop_old(rps_tally *tally, uint64_t step) {
    rps_tally_event *event = tally->event;
    while (tally->first < tally->events && event[tally->first].step + tally->window <= step) tally->first++;
    if (2 * tally->first <= tally->events) return;
    memmove(event, event + tally->first, (tally->events - tally->first) * sizeof *event);
    tally->events -= tally->first;
    tally->first = 0;
}

static rps_status add_event(const rps_allocator *allocator, rps_tally *tally, uint64_t step, int group,
                            const rps_tally_sum *sum, rps_error *err) {
    drop_old(tally, step);
    rps_tally_event *event = tally->event;
    for (size_t k = tally->events; k > tally->first && event[k - 1].step == step; k--) {
        if (event[k - 1].group != group) continue;
        tally_join(&event[k - 1].sum, sum);
        return RPS_OK;
    }
    const size_t used = tally->events * sizeof *event;
    RPS_TRY(rps_buffer_reserve(allocator, &tally->event, &tally->event_bytes, used, used + sizeof *event, err));
    ((rps_tally_event *)tally->event)[tally->events++] = (rps_tally_event){.step = step, .group = group, .sum = *sum};
    return RPS_OK;
}

rps_status rps_tally_add(const rps_allocator *allocator, rps_tally *tally, uint64_t step, int group,
                         const rps_tally_sum *sum, rps_error *err) {
    if (tally->window > 0) RPS_TRY(add_event(allocator, tally, step, group, sum, err));
    return add_total(allocator, tally, group, sum, err);
}

rps_tally_sum rps_tally_total(const rps_tally *tally, int group) {
    rps_tally_sum sum = {0.0, 0.0, 0.0};
    const rps_tally_sum *total = tally->total;
    for (size_t g = 0; g < tally->groups; g++) {
        if (group < 0 || g == (size_t)group) tally_join(&sum, &total[g]);
    }
    return sum;
}

rps_tally_sum rps_tally_recent(const rps_tally *tally, int group, uint64_t step, uint64_t window) {
    rps_tally_sum sum = {0.0, 0.0, 0.0};
    const rps_tally_event *event = tally->event;
    for (size_t k = tally->first; k < tally->events; k++) {
        const bool inside = event[k].step + window > step;
        if (inside && (group < 0 || event[k].group == group)) tally_join(&sum, &event[k].sum);
    }
    return sum;
}

static int first_missing(const rps_tally *tally, const int *group_of) {
    const rps_tally_sum *total = tally->total;
    for (size_t g = 0; g < tally->groups; g++) {
        if (group_of[g] < 0 && (total[g].number != 0.0 || total[g].mass != 0.0)) return (int)g;
    }
    return -1;
}

rps_status rps_tally_carry(const rps_allocator *allocator, rps_tally *tally, const rps_tally *from, const int *group_of,
                           uint64_t step, int *missing, rps_error *err) {
    const rps_tally_sum *total = from->total;
    const rps_tally_event *event = from->event;
    *missing = first_missing(from, group_of);
    if (*missing >= 0) return RPS_OK;
    for (size_t g = 0; g < from->groups; g++) {
        if (group_of[g] >= 0) RPS_TRY(add_total(allocator, tally, group_of[g], &total[g], err));
    }
    const bool known = from->window >= tally->window;
    tally->begun = from->begun;
    tally->since = known ? from->since : step;
    for (size_t k = from->first; k < from->events && known && tally->window > 0; k++) {
        if (group_of[event[k].group] < 0) continue;
        RPS_TRY(add_event(allocator, tally, event[k].step, group_of[event[k].group], &event[k].sum, err));
    }
    return RPS_OK;
}

/* --- in a checkpoint ----------------------------------------------------------------------------------------------- */

size_t rps_tally_totals(const rps_tally *tally) {
    return tally->groups;
}

size_t rps_tally_events(const rps_tally *tally) {
    return tally->events - tally->first;
}

static void put_sum(double *row, const rps_tally_sum *sum) {
    row[0] = sum->number;
    row[1] = sum->mass;
    row[2] = sum->age;
}

void rps_tally_put_totals(const rps_tally *tally, double of, double *row) {
    const rps_tally_sum *total = tally->total;
    for (size_t g = 0; g < tally->groups; g++, row += RPS_TALLY_TOTAL_ROW) {
        row[0] = of;
        row[1] = (double)g;
        put_sum(row + 2, &total[g]);
    }
}

void rps_tally_put_events(const rps_tally *tally, double of, double *row) {
    const rps_tally_event *event = tally->event;
    for (size_t k = tally->first; k < tally->events; k++, row += RPS_TALLY_EVENT_ROW) {
        row[0] = of;
        row[1] = (double)event[k].step;
        row[2] = event[k].group;
        put_sum(row + 3, &event[k].sum);
    }
}

static bool is_index(double number, size_t count) {
    return number >= 0.0 && number < (double)count && number == floor(number);
}

static bool take_sum(const double *row, rps_tally_sum *sum) {
    *sum = (rps_tally_sum){row[0], row[1], row[2]};
    return isfinite(row[0]) && isfinite(row[1]) && isfinite(row[2]);
}

rps_status rps_tally_take_total(const rps_allocator *allocator, rps_tally *tally, size_t groups, const double *row,
                                bool *sound, rps_error *err) {
    rps_tally_sum sum;
    *sound = is_index(row[1], groups) && take_sum(row + 2, &sum);
    return *sound ? add_total(allocator, tally, (int)row[1], &sum, err) : RPS_OK;
}

rps_status rps_tally_take_event(const rps_allocator *allocator, rps_tally *tally, size_t groups, const double *row,
                                bool *sound, rps_error *err) {
    rps_tally_sum sum;
    const rps_tally_event *event = tally->event;
    const double last = tally->events > 0 ? (double)event[tally->events - 1].step : 0.0;
    *sound = is_index(row[2], groups) && take_sum(row + 3, &sum) && row[1] >= last && row[1] < 0x1p53 &&
             row[1] == floor(row[1]) && tally->window > 0;
    return *sound ? add_event(allocator, tally, (uint64_t)row[1], (int)row[2], &sum, err) : RPS_OK;
}
