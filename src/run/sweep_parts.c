/* A sweep in parts, for several machines, and the parts joined. A part does a range of the points and writes the plan with this
 * range, and a table with these rows. Joined, the rows are records as those of one sweep are; everything else is made of them. */
#include "run/sweep_state.h"

#include <stdlib.h>
#include <string.h>

#include "io/file_names.h"
#include "io/output.h"

typedef struct part {
    const char *directory;
    size_t from, to; /* points */
} part;

bool rps_sweep_is_part(const sweep_state *sweep) {
    return sweep->from > 0 || sweep->to < sweep->points;
}

rps_status rps_sweep_range(sweep_state *sweep, rps_error *err) {
    const rps_sweep_options *options = sweep->options;
    sweep->from = options->points_from;
    sweep->to = options->points_to ? options->points_to : sweep->points;
    if (sweep->from >= sweep->points || (options->points_to && sweep->to <= sweep->from)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "points %zu:%zu: the sweep has %zu points, numbered from 0; give a first one below this and a "
                        "higher end",
                        sweep->from, sweep->to, sweep->points);
    }
    if (sweep->to > sweep->points) sweep->to = sweep->points;
    sweep->next = sweep->from;
    return RPS_OK;
}

/* --- joining ------------------------------------------------------------------------------------------------------- */

/* The range of points that a plan names: all, if it names none. A plan ends with it. */
static void range_of(const sweep_state *sweep, const char *plan, part *p) {
    static const char key[] = "\"points\": [";
    const char *found = NULL;
    for (const char *at = plan; (at = strstr(at, key)); at++) found = at;
    p->from = 0;
    p->to = sweep->points;
    if (!found) return;
    char *rest;
    const unsigned long long from = strtoull(found + strlen(key), &rest, 10);
    const unsigned long long to = *rest == ',' ? strtoull(rest + 1, NULL, 10) : 0;
    p->from = from < sweep->points ? (size_t)from : sweep->points;
    p->to = to < sweep->points ? (size_t)to : sweep->points;
}

/* Reads which points the part has; its plan must be that of this sweep with these points, to the byte. */
static rps_status part_open(sweep_state *sweep, part *p, rps_error *err) {
    char path[RPS_PATH];
    void *plan = NULL;
    size_t capacity = 0;
    rps_text own;
    RPS_TRY(rps_path_join(path, p->directory, RPS_SWEEP_PLAN, err));
    RPS_TRY(rps_file_read(path, &plan, &capacity, err));
    range_of(sweep, plan, p);
    sweep->from = p->from;
    sweep->to = p->to;
    rps_text_init(&own, NULL, (size_t)1 << 28);
    rps_status status = rps_sweep_identity(sweep, &own, err);
    if (status == RPS_OK && strcmp(plan, rps_text_string(&own)) != 0) {
        status = rps_fail(err, RPS_BAD_INPUT,
                          "%s is no part of this sweep: the scene, the settings, what varies, what is measured or the "
                          "program differs; do the part again, or join with the options of the part",
                          p->directory);
    }
    rps_text_release(&own);
    rps_buffer_release(NULL, &plan, &capacity);
    return status;
}

static int by_range(const void *left, const void *right) {
    const part *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* The parts, in order, must have each point once. */
static rps_status check_cover(const sweep_state *sweep, const part *list, size_t count, rps_error *err) {
    size_t next = 0;
    for (size_t i = 0; i < count && list[i].from <= next; i++) {
        if (list[i].from < next) {
            return rps_fail(err, RPS_BAD_INPUT, "%s and %s both have point %zu; leave one of them out",
                            list[i - 1].directory, list[i].directory, list[i].from);
        }
        next = list[i].to;
    }
    if (next == sweep->points) return RPS_OK;
    size_t until = sweep->points;
    for (size_t i = count; i-- > 0 && list[i].from > next;) until = list[i].from;
    return rps_fail(err, RPS_BAD_INPUT, "no part has the points %zu:%zu; do them by --points %zu:%zu", next, until,
                    next, until);
}

static rps_status part_read(sweep_state *sweep, const part *p, rps_error *err) {
    sweep->from = p->from;
    sweep->to = p->to;
    RPS_TRY(rps_path_join(sweep->table.path, p->directory, sweep->finds ? RPS_SWEEP_RUNS : RPS_SWEEP_TABLE, err));
    RPS_TRY(rps_sweep_table_read(sweep, err));
    if (sweep->next == p->to) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s is not whole: point %zu is the first without a result; finish it by --points %zu:%zu --resume",
                    p->directory, sweep->next, p->from, p->to);
}

rps_status rps_sweep_join(sweep_state *sweep, rps_error *err) {
    const rps_sweep_options *options = sweep->options;
    part *list = rps_pool_take(&sweep->pool, options->joins * sizeof *list, err);
    if (!list) return RPS_NO_MEMORY;
    for (size_t i = 0; i < options->joins; i++) {
        list[i].directory = options->join[i];
        RPS_TRY(part_open(sweep, &list[i], err));
    }
    qsort(list, options->joins, sizeof *list, by_range);
    RPS_TRY(check_cover(sweep, list, options->joins, err));
    for (size_t i = 0; i < options->joins; i++) RPS_TRY(part_read(sweep, &list[i], err));
    sweep->from = 0;
    sweep->to = sweep->points;
    return RPS_OK;
}

rps_status rps_sweep_write_joined(sweep_state *sweep, rps_error *err) {
    rps_text line;
    rps_status status = RPS_OK;
    rps_text_init(&line, NULL, (size_t)1 << 20);
    for (size_t i = 0; i < sweep->points && status == RPS_OK; i++) {
        const sweep_point *point = &sweep->point[i];
        for (size_t k = 0; k < point->records && status == RPS_OK; k++) {
            status = rps_sweep_row(sweep, i, &point->record[k], &line, err);
            if (status == RPS_OK) status = rps_sweep_table_add(&sweep->table, &line, err);
        }
    }
    rps_text_release(&line);
    return status;
}
