/* The state of a sweep, shared by planning, running, bisection, table and figure.
 *
 * A point is a combination of the varied values; the first parameter varies slowest. A record is one run: a point has
 * one, or all of its bisection. A record is written once all records before it, in the order of points, are written.
 * So the file is the same for any number of jobs, and an incomplete file is enough to resume. */
#ifndef RPS_RUN_SWEEP_STATE_H
#define RPS_RUN_SWEEP_STATE_H

#include "base/parallel.h"
#include "language/tree.h"
#include "run/run_state.h"

enum { RPS_SWEEP_AXES = 8, RPS_SWEEP_SETS = 24, RPS_SWEEP_SET = 512, RPS_SWEEP_MEASURES = 64 };

typedef struct sweep_axis {
    const char *path, *label;
    const char *const *also; /* paths that take the same value */
    size_t alsos;
    const char *unit; /* as written, "" if bare */
    size_t count;
    const double *number; /* in that unit; index if words */
    const char **text;    /* as --set accepts it, without the unit */
    bool words;           /* values are words, not numbers */
} sweep_axis;

typedef struct sweep_record {
    double tried;        /* of a bisection */
    double *value;       /* of the measures; NAN: none */
    const char *failure; /* one line; NULL: the run succeeded */
    const char *note;    /* measures without a value and why, late sources; NULL: none */
} sweep_record;

typedef struct sweep_point {
    sweep_record *record;
    size_t records, capacity, written;
    bool done;
} sweep_point;

typedef struct sweep_find {
    const char *path, *label, *unit;
    double low, high, within;
} sweep_find;

typedef struct sweep_found {
    double value, low, high; /* NAN if there is none */
    const char *failure;     /* NULL: found */
} sweep_found;

/* An append-only file of rows. */
typedef struct sweep_table {
    int file; /* -1: none */
    char path[RPS_PATH];
    size_t rows; /* that were read from it */
} sweep_table;

typedef struct sweep_state {
    const rps_sweep_options *options;
    rps_pool pool;    /* owns all small data below; during runs only under the lock */
    rps_scene *scene; /* unchanged, for its block and its text */
    const rps_scene_sweep *block;
    sweep_axis axis[RPS_SWEEP_AXES];
    size_t axes;
    bool finds;
    sweep_find find;
    const rps_measure_info *measure;
    size_t measures;
    sweep_point *point;
    size_t points, next; /* next: the first point with unwritten records */
    size_t from, to;     /* the points that are done here: all, or those of a part */
    size_t runs, failed, resumed, points_done;
    size_t noted; /* runs with a note */
    rps_folder_lock folder;
    sweep_table table; /* sweep.csv, or sweep-runs.csv of a bisection */
    int threads;       /* threads that run points in parallel */
    rps_lock lock;     /* of results and callbacks */
    bool stop;
    double started, progress_next;
} sweep_state;

/* sweep_plan.c: reads the scene, determines the axes, builds the first and the last point as a test. */
rps_status rps_sweep_plan(sweep_state *sweep, rps_error *err);
/* Index of the value of an axis at a point. */
size_t rps_sweep_index(const sweep_state *sweep, size_t point, size_t axis);
/* One run with the values of the point as settings; *value receives the measures, *note what is missing and why.
 * RPS_STOPPED if the caller stopped it. */
rps_status rps_sweep_run(const sweep_state *sweep, size_t point, double tried, double *value, rps_text *note,
                         rps_error *err);
/* "%.12g", with a decimal point in every locale. */
const char *rps_sweep_number(rps_pool *pool, double value, rps_error *err);

/* find.c: the value to try next; false if the bisection has ended, with its result in *found. */
bool rps_find_next(const sweep_state *sweep, const sweep_point *point, double *tried, sweep_found *found);

/* sweep_table.c */
rps_status rps_sweep_header(const sweep_state *sweep, bool runs, rps_text *line, rps_error *err);
rps_status rps_sweep_row(const sweep_state *sweep, size_t point, const sweep_record *record, rps_text *line,
                         rps_error *err);
rps_status rps_sweep_found_row(const sweep_state *sweep, size_t point, const sweep_found *found, rps_text *line,
                               rps_error *err);
/* Opens the table in the directory: a new one, or one to continue, whose rows become records. */
rps_status rps_sweep_table_open(sweep_state *sweep, rps_error *err);
rps_status rps_sweep_table_add(sweep_table *table, const rps_text *line, rps_error *err);
rps_status rps_sweep_table_close(sweep_table *table, rps_error *err);
rps_status rps_sweep_add_record(sweep_state *sweep, sweep_point *point, const sweep_record *record, rps_error *err);

/* Reads the rows of the table at `table.path` into records, from the point `next` on, below `to`. */
rps_status rps_sweep_table_read(sweep_state *sweep, rps_error *err);

/* sweep_parts.c: the range of points as the options say it, and whether it is less than all */
rps_status rps_sweep_range(sweep_state *sweep, rps_error *err);
bool rps_sweep_is_part(const sweep_state *sweep);
/* Reads all parts that the options name into records. */
rps_status rps_sweep_join(sweep_state *sweep, rps_error *err);
/* Writes their rows into the table. */
rps_status rps_sweep_write_joined(sweep_state *sweep, rps_error *err);

/* sweep_check.c: the verdict of a check over all runs; its text lives as long as the sweep */
rps_status rps_sweep_judge(sweep_state *sweep, size_t index, rps_check_row *row, rps_error *err);

/* sweep_report.c: sweep.json, the values found, and the figure */
rps_status rps_sweep_report(sweep_state *sweep, bool *drawn, rps_error *err);
/* The identity of the sweep, as JSON; sweeps with equal texts have equal tables. */
rps_status rps_sweep_identity(const sweep_state *sweep, rps_text *text, rps_error *err);

#endif
