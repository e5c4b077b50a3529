/* The table of writers, and the loops over it: probes and ledger, frames and other results of a run. They only read the
 * world. */
#include "run/run_state.h"

#include <string.h>

#include "base/c_locale.h"
#include "scene/resume.h"

static const struct {
    const char *name;
    const rps_writer *writer;
} table[RPS_WRITERS] = {
#define RPS_WRITER(name, share, shown, item, meaning) {#name, &rps_writer_##name},
#include "language/writer_list.inc"
#undef RPS_WRITER
};

const rps_writer *rps_writer_at(int index) {
    return index >= 0 && index < RPS_WRITERS ? table[index].writer : NULL;
}

const char *rps_writer_name(int index) {
    return index >= 0 && index < RPS_WRITERS ? table[index].name : "";
}

bool rps_is_file_or_part(const char *name, const char *file) {
    const size_t n = strlen(file);
    return strncmp(name, file, n) == 0 &&
           (name[n] == '\0' || strcmp(name + n, ".part") == 0 || strcmp(name + n, ".journal") == 0);
}

bool rps_writers_own(const char *name) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        for (const char *const *file = table[w].writer->file; *file; file++) {
            if (rps_is_file_or_part(name, *file)) return true;
        }
    }
    return false;
}

/* --- what a checkpoint counts on ---------------------------------------------------------------------------------- */

/* The error says nothing about the file: it may be intact. */
static bool is_ours(rps_status status) {
    return status == RPS_NO_MEMORY || status == RPS_INTERNAL;
}

enum { ITEMS, BYTES, LAST_FROM, NUMBERS };

static void section_of(int w, char name[64]) {
    rps_snprintf(name, 64, "%s%s", RPS_RUN_WRITER, table[w].name);
}

rps_status rps_marks_save(const rps_run_state *run, const rps_writer_mark *mark, rps_serializer *serializer,
                          rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        if (w == RPS_WRITER_frames || w == RPS_WRITER_series || !run->plan->writes[w]) continue;
        char name[64];
        const uint64_t number[NUMBERS] = {mark[w].items, mark[w].bytes, mark[w].last_from};
        section_of(w, name);
        RPS_TRY(rps_serializer_words(serializer, name, number, NUMBERS, err));
    }
    return RPS_OK;
}

/* *is_there: the writer was in use. */
static rps_status read_mark(const rps_checkpoint *c, int w, rps_writer_mark *mark, bool *is_there, rps_error *err) {
    double interval[2];
    uint64_t count[RPS_RUN_COUNTS], number[NUMBERS];
    char name[64];
    RPS_TRY(rps_checkpoint_doubles(c, rps_run_intervals, interval, 2, err));
    RPS_TRY(rps_checkpoint_words(c, rps_run_counts, count, RPS_RUN_COUNTS, err));
    section_of(w, name);
    *mark = (rps_writer_mark){0};
    if (w == RPS_WRITER_frames) {
        *mark = (rps_writer_mark){.items = count[RPS_RUN_FRAMES]};
        *is_there = interval[0] > 0.0;
    } else if (w == RPS_WRITER_series) {
        *mark = (rps_writer_mark){.items = count[RPS_RUN_ROWS], .bytes = count[RPS_RUN_BYTES]};
        *is_there = interval[1] > 0.0;
    } else if ((*is_there = rps_checkpoint_find(c, name) != NULL)) {
        RPS_TRY(rps_checkpoint_words(c, name, number, NUMBERS, err));
        *mark = (rps_writer_mark){number[ITEMS], number[BYTES], number[LAST_FROM], false};
    } else {
        mark->missing = true;
    }
    return RPS_OK;
}

rps_status rps_old_results_look(rps_run_state *run, rps_error *err) {
    const rps_checkpoint *c = run->from;
    char folder[RPS_PATH];
    RPS_TRY(rps_checkpoint_folder(rps_checkpoint_path(c), folder, err));
    if (rps_checkpoint_find(c, rps_run_no_results)) {
        for (int w = 0; w < RPS_WRITERS; w++) run->old[w] = (rps_writer_mark){.missing = true};
        return rps_fail(err, RPS_BAD_INPUT, "%s was saved by a program, and no results belong to it",
                        rps_checkpoint_path(c));
    }
    rps_status first = RPS_OK;
    for (int w = 0; w < RPS_WRITERS; w++) {
        bool is_there;
        rps_error why;
        RPS_TRY(read_mark(c, w, &run->old[w], &is_there, err));
        if (!is_there) continue;
        const rps_status status = table[w].writer->find(run, folder, rps_checkpoint_path(c), &run->old[w], &why);
        if (status == RPS_OK) continue;
        run->old[w].missing = true;
        if (first == RPS_OK || is_ours(status)) {
            first = status;
            rps_fail(err, status, "%s", why.text);
        }
        if (is_ours(status)) break;
    }
    return first;
}

static bool is_anything_left(const rps_writer_mark *mark) {
    return mark->items > 0 || mark->bytes > 0 || !mark->missing;
}

rps_status rps_writers_bring(const rps_run_state *run, const char *from, const char *to, rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        char source[RPS_PATH], target[RPS_PATH];
        const char *name = table[w].writer->file[0];
        if (!run->plan->writes[w] || !is_anything_left(&run->old[w])) continue;
        RPS_TRY(rps_path_join(source, from, name, err));
        RPS_TRY(rps_path_join(target, to, name, err));
        RPS_TRY(rps_file_copy(source, target, err));
    }
    return RPS_OK;
}

rps_status rps_writers_cut(rps_run_state *run, const char *folder, rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        rps_writer_mark *mark = &run->old[w];
        if (!run->plan->writes[w] || !run->cut[w] || mark->missing || mark->items == 0) continue;
        RPS_TRY(table[w].writer->cut(folder, mark, err));
    }
    return RPS_OK;
}

/* --- the files ---------------------------------------------------------------------------------------------------- */

rps_status rps_writers_open(rps_run_state *run, rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        if (run->plan->writes[w]) RPS_TRY(table[w].writer->open(run, &run->writing[w], err));
    }
    return RPS_OK;
}

rps_status rps_writers_resume(rps_run_state *run, rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        const rps_writer *writer = table[w].writer;
        if (!run->plan->writes[w]) continue;
        RPS_TRY(is_anything_left(&run->old[w]) ? writer->resume(run, &run->old[w], &run->writing[w], err)
                                               : writer->open(run, &run->writing[w], err));
    }
    return RPS_OK;
}

static bool writer_is_due(const rps_run_state *run, int w, uint64_t step) {
    return run->writing[w] && rps_schedule_due(run->plan->every[w], run->plan->clock, step);
}

bool rps_writers_due(const rps_run_state *run, uint64_t step) {
    bool due = false;
    for (int w = 0; w < RPS_WRITERS; w++) due = due || writer_is_due(run, w, step);
    return due;
}

void rps_writers_prepare(rps_run_state *run, uint64_t step, rps_step_request *request) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        const rps_writer *writer = table[w].writer;
        const bool contacts = run->writing[w] && writer->needs_contacts && writer->needs_contacts(run->writing[w]);
        run->due[w] = writer_is_due(run, w, step);
        request->all_probes = request->all_probes || (run->due[w] && writer->all_probes);
        request->contacts = request->contacts || (run->due[w] && contacts);
        request->contacts_at_end = request->contacts_at_end || contacts;
    }
}

rps_status rps_writers_write(rps_run_state *run, bool final, rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        if (run->writing[w] && (run->due[w] || final)) {
            RPS_TRY(table[w].writer->write(run, run->writing[w], err));
        }
    }
    /* not where a run was stopped, whose last frame is taken off when it goes on */
    if (run->due[RPS_WRITER_frames]) rps_surface_loads_restart(&run->world->loads);
    return RPS_OK;
}

rps_status rps_writers_sync(rps_run_state *run, rps_error *err) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        if (run->writing[w]) RPS_TRY(table[w].writer->sync(run->writing[w], err));
    }
    return RPS_OK;
}

void rps_writers_marks(const rps_run_state *run, rps_writer_mark *mark) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        mark[w] = run->written[w];
        if (run->writing[w]) table[w].writer->mark(run->writing[w], &mark[w]);
    }
}

rps_status rps_writers_close(rps_run_state *run, rps_error *err) {
    rps_status first = RPS_OK;
    for (int w = 0; w < RPS_WRITERS; w++) {
        if (!run->writing[w]) continue;
        table[w].writer->mark(run->writing[w], &run->written[w]);
        const rps_status status = table[w].writer->close(run, run->writing[w], first == RPS_OK ? err : NULL);
        run->writing[w] = NULL;
        if (first == RPS_OK) first = status;
    }
    return first;
}
