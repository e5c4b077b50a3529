/* series.csv: time, counts, probes and energy ledger, one row each time. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/csv.h"
#include "io/file_names.h"
#include "run/run_state.h"
#include "step/ledger_terms.h"

enum { FIXED = 3 };

typedef struct series {
    rps_csv csv;
    double *row;
    size_t row_bytes;
} series;

static size_t series_columns(const rps_run_state *run) {
    const rps_ledger none = {0};
    rps_ledger_term term[RPS_LEDGER_TERMS];
    return FIXED + run->sim.probes + rps_ledger_columns(run->world, rps_run_ledger_scene(run->scene), &none, term);
}

static rps_status open_csv(rps_run_state *run, series *s, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, run->options->directory, RPS_SERIES_FILE, err));
    size_t columns = series_columns(run), n = 0;
    void *memory;
    RPS_TRY(rps_memory_alloc(run->world->allocator, 2 * columns * sizeof(char *), &memory, err));
    const char **name = memory, **unit = name + columns;
    name[n] = "time", unit[n++] = "s";
    name[n] = "bodies", unit[n++] = "";
    name[n] = "contacts", unit[n++] = "";
    for (size_t i = 0; i < run->sim.probes; i++, n++) {
        const rps_probe_info *probe = rps_scene_probe(run->scene, i);
        name[n] = probe->name;
        unit[n] = probe->unit;
    }
    const rps_ledger none = {0};
    rps_ledger_term term[RPS_LEDGER_TERMS];
    rps_ledger_columns(run->world, rps_run_ledger_scene(run->scene), &none, term);
    for (size_t i = 0; n < columns; i++, n++) {
        name[n] = term[i].column;
        unit[n] = "J";
    }
    rps_status status = rps_csv_open(&s->csv, path, name, unit, columns, err);
    rps_memory_release(run->world->allocator, memory, 2 * columns * sizeof(char *));
    return status;
}

static rps_status write_series(rps_run_state *run, void *state, rps_error *err) {
    series *s = state;
    double *row = s->row;
    row[0] = rps_world_time(run->world);
    row[1] = (double)rps_world_body_count(run->world);
    row[2] = (double)rps_world_contact_count(run->world);
    for (size_t i = 0; i < run->sim.probes; i++) {
        row[FIXED + i] = run->sim.value[i];
    }
    if (run->world->options.ledger) {
        rps_ledger ledger;
        RPS_TRY(rps_world_ledger(run->world, &ledger, err));
        rps_ledger_term term[RPS_LEDGER_TERMS];
        const size_t terms = rps_ledger_columns(run->world, rps_run_ledger_scene(run->scene), &ledger, term);
        for (size_t i = 0; i < terms; i++) row[FIXED + run->sim.probes + i] = term[i].value;
    }
    if (!s->csv.notes) {
        return rps_csv_row(&s->csv, row, "", err);
    }
    rps_text note;
    rps_text_init(&note, run->world->allocator, (size_t)1 << 20);
    for (size_t i = 0; i < run->sim.probes; i++) {
        if (isnan(run->sim.value[i])) {
            rps_text_addf(&note, NULL, "%s%s: %s", note.length ? "; " : "", rps_scene_probe(run->scene, i)->name,
                          rps_scene_probe_absence(run->scene, i));
        }
    }
    rps_status status = note.status == RPS_OK ? rps_csv_row(&s->csv, row, rps_text_string(&note), err)
                                              : rps_fail(err, RPS_NO_MEMORY, "no memory for a row of " RPS_SERIES_FILE);
    rps_text_release(&note);
    return status;
}

/* --- the files ---------------------------------------------------------------------------------------------------- */

static rps_status make_series(rps_run_state *run, void **state, rps_error *err) {
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(run->allocator, sizeof(series), &memory, err));
    series *s = *state = memory;
    rps_csv_init(&s->csv, run->allocator);
    for (size_t i = 0; i < run->sim.probes; i++) {
        s->csv.notes = s->csv.notes || rps_scene_probe(run->scene, i)->may_lack;
    }
    s->row_bytes = series_columns(run) * sizeof(double);
    RPS_TRY(rps_memory_alloc_zeroed(run->allocator, s->row_bytes, &memory, err));
    s->row = memory;
    return RPS_OK;
}

static rps_status open_series(rps_run_state *run, void **state, rps_error *err) {
    RPS_TRY(make_series(run, state, err));
    return open_csv(run, *state, err);
}

static rps_status resume_series(rps_run_state *run, const rps_writer_mark *mark, void **state, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(make_series(run, state, err));
    series *s = *state;
    RPS_TRY(rps_path_join(path, run->options->directory, RPS_SERIES_FILE, err));
    return rps_csv_resume(&s->csv, path, series_columns(run), mark->items, mark->bytes, err);
}

static rps_status find_series(const rps_run_state *run, const char *folder, const char *checkpoint,
                              rps_writer_mark *mark, rps_error *err) {
    char path[RPS_PATH];
    rps_error why;
    uint64_t rows, bytes;
    (void)run;
    RPS_TRY(rps_path_join(path, folder, RPS_SERIES_FILE, err));
    rps_status status = rps_csv_whole_rows(path, mark->bytes, &rows, &bytes, &why);
    if (status == RPS_OK && bytes == mark->bytes) return RPS_OK;
    if (status == RPS_OK) {
        rps_fail(&why, RPS_BAD_INPUT, "%s has %llu whole rows, but %s was written after %llu", path,
                 (unsigned long long)rows, checkpoint, (unsigned long long)mark->items);
    }
    mark->items = status == RPS_OK ? rows : 0;
    mark->bytes = status == RPS_OK ? bytes : 0;
    return rps_fail(err, RPS_BAD_INPUT, "%s", why.text);
}

static rps_status cut_series(const char *folder, rps_writer_mark *mark, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, folder, RPS_SERIES_FILE, err));
    RPS_TRY(rps_csv_last_line(path, mark->bytes, &mark->bytes, err));
    mark->items--;
    return RPS_OK;
}

static rps_status sync_series(void *state, rps_error *err) {
    series *s = state;
    return rps_csv_sync(&s->csv, err);
}

static void mark_series(const void *state, rps_writer_mark *mark) {
    const series *s = state;
    *mark = (rps_writer_mark){.items = s->csv.rows, .bytes = rps_csv_bytes(&s->csv)};
}

static rps_status close_series(rps_run_state *run, void *state, rps_error *err) {
    series *s = state;
    const rps_status status = rps_csv_close(&s->csv, err);
    rps_memory_release(run->allocator, s->row, s->row_bytes);
    rps_memory_release(run->allocator, s, sizeof *s);
    return status;
}

static const char *const file[] = {RPS_SERIES_FILE, NULL};

const rps_writer rps_writer_series = {.file = file,
                                      .what = "probes and energy ledger over time",
                                      .all_probes = true,
                                      .find = find_series,
                                      .open = open_series,
                                      .resume = resume_series,
                                      .cut = cut_series,
                                      .write = write_series,
                                      .sync = sync_series,
                                      .mark = mark_series,
                                      .close = close_series};
