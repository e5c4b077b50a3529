#include "view_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/journal.h"
#include "report_page.h"

/* Two changes within one tick of the clock of files have one time; the slowest ticks last 10 ms. */
static const uint64_t tick = 20000000;
/* A run may be silent for long; only after so many seconds is its lock tried. */
static const double silent = 3.0;
enum {
    SERIES_AT_ONCE = 4 << 20,
    SERIES_MOST = 32 << 20, /* bytes of series.csv that a browser draws without a wait */
    TRIES = 25,             /* of 10 ms each, for a block while the run writes */
};

/* --- files while they are written ------------------------------------------------------------------------------------ */

static view_stamp stamp_of(const view_folder *folder, const char *name) {
    char path[RPS_PATH];
    struct stat info;
    if (rps_path_join(path, folder->directory, name, NULL) != RPS_OK || stat(path, &info) != 0) return (view_stamp){0};
    const uint64_t changed = (uint64_t)info.st_mtim.tv_sec * 1000000000u + (uint64_t)info.st_mtim.tv_nsec;
    return (view_stamp){true, info.st_dev, info.st_ino, (uint64_t)info.st_size, changed};
}

static bool view_same_file(const view_stamp *a, const view_stamp *b) {
    return a->there == b->there && a->device == b->device && a->number == b->number;
}

static bool unchanged(const view_stamp *a, const view_stamp *b) {
    return view_same_file(a, b) && a->bytes == b->bytes && a->nanoseconds == b->nanoseconds;
}

/* Between two writes of the run: its journal is empty (io/journal.h), and another write would have another time. */
static bool is_quiet(const view_folder *folder, const view_stamp *stamp) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t at = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    const uint64_t ago = at > stamp->nanoseconds ? at - stamp->nanoseconds : stamp->nanoseconds - at;
    return ago > tick && stamp_of(folder, RPS_FRAMES_FILE ".journal").bytes == 0;
}

/* True if run.h5 was not written since it was opened. */
static bool is_as_opened(const view_folder *folder) {
    const view_stamp now = stamp_of(folder, RPS_FRAMES_FILE);
    return unchanged(&now, &folder->stamp) && stamp_of(folder, RPS_FRAMES_FILE ".journal").bytes == 0;
}

/* --- run.h5 ------------------------------------------------------------------------------------------------------------ */

static void view_close(view_folder *folder) {
    rps_results_reader_close(folder->frames.reader);
    folder->frames.reader = NULL;
    folder->open = false;
}

/* Ranges and box as they were. */
static void keep_measures(report_frames *frames, const report_frames *before) {
    memcpy(frames->low, before->low, sizeof before->low);
    memcpy(frames->high, before->high, sizeof before->high);
    for (int part = 0; part < REPORT_PARTS; part++) {
        for (int c = 0; c < RPS_COLUMNS; c++) {
            frames->range[part][c].low = before->range[part][c].low;
            frames->range[part][c].high = before->range[part][c].high;
        }
    }
}

/* Other results than before. */
static void begin_again(view_folder *folder) {
    view_close(folder);
    report_frames_release(&folder->frames);
    report_frames_adopt(&folder->frames, NULL);
    rps_text_clear(&folder->list);
    folder->listed = 0;
    folder->version++;
}

/* A new reader, beside ranges and box of the frames before. */
static void view_adopt(view_folder *folder, rps_results_reader *reader) {
    report_frames *frames = &folder->frames, before = *frames;
    report_frames_release(frames);
    report_frames_adopt(frames, reader);
    if (folder->listed > 0) keep_measures(frames, &before);
}

static bool holds_the_list(const view_folder *folder) {
    const report_frames *frames = &folder->frames;
    if (folder->listed == 0) return true;
    if (frames->count < folder->listed) return false;
    const rps_frame *same = &frames->frame[folder->listed - 1];
    return same->time == folder->last.time && same->step == folder->last.step && same->bodies == folder->last.bodies;
}

/* Opens run.h5 as it is now. RPS_STOPPED: the run is writing. */
static rps_status view_open(view_folder *folder, rps_error *err) {
    const view_stamp stamp = stamp_of(folder, RPS_FRAMES_FILE);
    if (folder->open && is_as_opened(folder)) return RPS_OK;
    if (folder->listed > 0 && !view_same_file(&stamp, &folder->stamp)) begin_again(folder);
    if (!stamp.there) return rps_fail(err, RPS_STOPPED, "there is no " RPS_FRAMES_FILE);
    if (!is_quiet(folder, &stamp)) return rps_fail(err, RPS_STOPPED, "the run writes a frame");
    rps_results_reader *reader;
    view_close(folder);
    folder->stamp = stamp;
    const rps_status status = rps_results_look(folder->directory, NULL, &reader, err);
    if (!is_as_opened(folder)) {
        rps_results_reader_close(reader);
        return rps_fail(err, RPS_STOPPED, "the run writes a frame");
    }
    if (status != RPS_OK) return status;
    view_adopt(folder, reader);
    folder->open = true;
    if (!holds_the_list(folder)) {
        begin_again(folder);
        return rps_fail(err, RPS_STOPPED, "the results were replaced");
    }
    return RPS_OK;
}

static rps_status describe_frame(view_folder *folder, size_t index, rps_json *json, rps_error *err) {
    report_frames *frames = &folder->frames;
    const rps_frame *frame = &frames->frame[index];
    RPS_TRY(report_frames_make(frames, index, index, err));
    rps_json_open(json, NULL, '{', true);
    rps_json_number(json, "time", frame->time);
    rps_json_integer(json, "bodies", frame->bodies);
    rps_json_integer(json, "contacts", frames->contacts);
    rps_json_integer(json, "bonds", frame->bonds);
    rps_json_integer(json, "points", frames->points);
    rps_json_integer(json, "triangles", frames->triangles);
    RPS_TRY(report_frames_planes(frames, index, json, err));
    rps_json_close(json, '}');
    return json->text.status;
}

/* Reads the next frame into the list. */
static rps_status list_frame(view_folder *folder, rps_error *err) {
    rps_json json;
    report_frames *frames = &folder->frames, before = *frames;
    const size_t index = folder->listed, used = index * sizeof(size_t);
    RPS_TRY(rps_buffer_reserve(NULL, &folder->ends, &folder->ends_bytes, used, used + sizeof(size_t), err));
    rps_json_init(&json, NULL);
    rps_status status = describe_frame(folder, index, &json, err);
    if (!is_as_opened(folder)) status = rps_fail(err, RPS_STOPPED, "the run writes a frame");
    if (status == RPS_OK) status = rps_text_addf(&folder->list, err, ",\n%s", rps_text_string(&json.text));
    rps_json_release(&json);
    if (status != RPS_OK) {
        keep_measures(frames, &before);
        return status;
    }
    ((size_t *)folder->ends)[index] = folder->list.length;
    folder->last = frames->frame[index];
    folder->listed++;
    return RPS_OK;
}

/* --- sweeps ---------------------------------------------------------------------------------------------------------- */

/* A sweep writes its plan first and its summary last; runs leave other files. */
static bool holds_a_sweep(const view_folder *folder) {
    return !stamp_of(folder, RPS_FRAMES_FILE).there && !stamp_of(folder, RPS_SUMMARY_FILE).there &&
           (stamp_of(folder, RPS_SWEEP_PLAN).there || stamp_of(folder, RPS_SWEEP_FILE).there);
}

/* The table that grows: of a run its series, of a bisection that goes on its runs. */
static const char *table_of(const view_folder *folder) {
    if (!folder->sweep) return RPS_SERIES_FILE;
    const bool runs = !stamp_of(folder, RPS_SWEEP_FILE).there && stamp_of(folder, RPS_SWEEP_RUNS).there;
    return runs ? RPS_SWEEP_RUNS : RPS_SWEEP_TABLE;
}

/* The summary of the sweep as a string, or its plan while it goes on. */
static rps_status write_sweep(view_folder *folder, rps_json *json, rps_error *err) {
    char path[RPS_PATH];
    const bool ended = stamp_of(folder, RPS_SWEEP_FILE).there;
    RPS_TRY(rps_path_join(path, folder->directory, ended ? RPS_SWEEP_FILE : RPS_SWEEP_PLAN, err));
    RPS_TRY(rps_file_read(path, &folder->text, &folder->text_bytes, err));
    rps_json_string(json, "sweep", folder->text);
    return RPS_OK;
}

/* --- the state of the run ------------------------------------------------------------------------------------------- */

/* Whether a run holds the folder. A run that begins at this very moment would be refused, so it is asked seldom. */
static bool is_locked(const view_folder *folder) {
    char path[RPS_PATH];
    if (rps_path_join(path, folder->directory, "run.lock", NULL) != RPS_OK) return false;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return locked;
}

/* A run that was killed within a write left a journal, which puts the file back. */
static void view_recover(const view_folder *folder) {
    char path[RPS_PATH];
    if (stamp_of(folder, RPS_FRAMES_FILE ".journal").bytes == 0) return;
    if (rps_path_join(path, folder->directory, RPS_FRAMES_FILE, NULL) == RPS_OK) rps_journal_recover(path, NULL, NULL);
}

void view_folder_find_state(view_folder *folder) {
    const double now = rps_clock_seconds();
    folder->sweep = !folder->told && holds_a_sweep(folder);
    const view_stamp frames = stamp_of(folder, RPS_FRAMES_FILE), series = stamp_of(folder, table_of(folder));
    const uint64_t seen = frames.bytes + 3 * frames.nanoseconds + 5 * series.bytes + 7 * series.nanoseconds;
    const bool first = folder->probed == 0.0, changed = seen != folder->seen;
    if (folder->told) return;
    folder->seen = seen;
    if (changed && !first) folder->probed = now;
    if (stamp_of(folder, folder->sweep ? RPS_SWEEP_FILE : RPS_SUMMARY_FILE).there) {
        folder->state = VIEW_ENDED;
    } else if (changed && !first) {
        folder->state = VIEW_RUNS;
    } else if (first || now - folder->probed > silent) {
        const bool locked = is_locked(folder);
        folder->probed = now;
        if (!locked) view_recover(folder);
        folder->state = !locked ? VIEW_CUT : frames.there || folder->sweep ? VIEW_RUNS : VIEW_WAITS;
    }
}

/* --- the interface ----------------------------------------------------------------------------------------------------- */

void view_folder_init(view_folder *folder, const char *directory) {
    memset(folder, 0, sizeof *folder);
    folder->directory = directory;
    folder->version = 1;
    report_frames_adopt(&folder->frames, NULL);
    rps_text_init(&folder->list, NULL, (size_t)1 << 32);
}

void view_folder_release(view_folder *folder) {
    view_close(folder);
    report_frames_release(&folder->frames);
    rps_text_release(&folder->list);
    rps_buffer_release(NULL, &folder->ends, &folder->ends_bytes);
    rps_buffer_release(NULL, &folder->text, &folder->text_bytes);
}

rps_status view_folder_check(view_folder *folder, rps_error *err) {
    bool there;
    RPS_TRY(rps_file_find(folder->directory, &there, err));
    if (!there) return rps_file_fail(err, "show", folder->directory, ENOENT);
    if (!rps_is_directory(folder->directory)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is a file; name the folder of the results", folder->directory);
    }
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, folder->directory, RPS_FRAMES_FILE, err));
    RPS_TRY(rps_file_find(path, &there, err)); /* says so where the folder may not be read */
    const bool run = there || stamp_of(folder, RPS_SUMMARY_FILE).there;
    if (run || holds_a_sweep(folder) || is_locked(folder)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s holds no results, and no run writes there: none of " RPS_FRAMES_FILE ", " RPS_SUMMARY_FILE
                    " and " RPS_SWEEP_PLAN " is there; name the folder that `repose run` or `repose sweep` got by -o",
                    folder->directory);
}

void view_folder_look(view_folder *folder, double seconds) {
    const double until = rps_clock_seconds() + seconds;
    rps_status status = RPS_OK;
    rps_error why;
    view_folder_find_state(folder);
    const view_stamp frames = stamp_of(folder, RPS_FRAMES_FILE), series = stamp_of(folder, table_of(folder));
    if (folder->series.there && (!view_same_file(&series, &folder->series) || series.bytes < folder->series.bytes)) {
        begin_again(folder);
    }
    folder->series = series;
    if (frames.there || folder->listed > 0) status = view_open(folder, &why);
    while (status == RPS_OK && folder->open && report_frames_drawable(&folder->frames) &&
           folder->listed < folder->frames.count) {
        status = list_frame(folder, &why);
        if (rps_clock_seconds() >= until) break;
    }
    /* a file that its run has just created is none yet */
    const bool begins = folder->listed == 0 && folder->state != VIEW_ENDED && folder->state != VIEW_CUT;
    folder->trouble.status = RPS_OK;
    if (status != RPS_OK && status != RPS_STOPPED && !begins) folder->trouble = why;
    if (status != RPS_OK) view_close(folder);
}

/* Whole rows of the table from a byte on. */
static rps_status view_read_series(view_folder *folder, uint64_t from, rps_json *json, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, folder->directory, table_of(folder), err));
    RPS_TRY(rps_buffer_reserve(NULL, &folder->text, &folder->text_bytes, 0, SERIES_AT_ONCE + 1, err));
    char *text = folder->text;
    const int file = from < SERIES_MOST ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0 && from < SERIES_MOST && errno != ENOENT && folder->trouble.status == RPS_OK) {
        rps_file_fail(&folder->trouble, "read", path, errno);
    }
    ssize_t got = file >= 0 ? pread(file, text, SERIES_AT_ONCE, (off_t)from) : 0;
    if (file >= 0) close(file);
    while (got > 0 && text[got - 1] != '\n') got--;
    for (ssize_t k = 0; k < got; k++) text[k] = text[k] ? text[k] : '?'; /* as report_read does */
    text[got > 0 ? got : 0] = '\0';
    rps_json_string(json, "series", text);
    rps_json_integer(json, "series_end", from + (uint64_t)(got > 0 ? got : 0));
    return RPS_OK;
}

static void write_notes(const view_folder *folder, uint64_t series, rps_json *json) {
    const report_frames *frames = &folder->frames;
    rps_json_open(json, "notes", '[', false);
    if (folder->trouble.status != RPS_OK) rps_json_string(json, NULL, folder->trouble.text);
    if (folder->open && !report_frames_drawable(frames)) {
        rps_json_string(json, NULL, "The scene left out the positions of bodies, so there are no grains to draw.");
    }
    if (folder->open && rps_results_reader_indexed(frames->reader) > frames->count) {
        rps_json_string(json, NULL, RPS_FRAMES_FILE " is damaged at its end; the frames before are shown.");
    }
    if (folder->state == VIEW_CUT && folder->sweep) {
        rps_json_string(json, NULL,
                        "There is no " RPS_SWEEP_FILE ", and no sweep writes here: it was stopped, or it is a part. "
                        "`repose sweep --resume` goes on with it, --join puts parts together.");
    } else if (folder->state == VIEW_CUT) {
        rps_json_string(json, NULL,
                        "There is no " RPS_SUMMARY_FILE ", and no run writes here: it was killed. "
                        "`repose run --resume` goes on with it.");
    }
    if (series >= SERIES_MOST) {
        rps_json_string(json, NULL,
                        folder->sweep ? "The page shows the first 32 MiB of the table of the sweep."
                                      : "The curves show the first 32 MiB of " RPS_SERIES_FILE
                                        "; `repose plot` draws all.");
    }
    rps_json_close(json, ']');
}

rps_status view_folder_news(view_folder *folder, size_t frames, uint64_t series, rps_json *json, rps_text *out,
                            rps_error *err) {
    const size_t *ends = folder->ends;
    const size_t from = frames < folder->listed ? frames : folder->listed, start = from > 0 ? ends[from - 1] : 0;
    RPS_TRY(view_read_series(folder, series, json, err));
    if (folder->sweep) RPS_TRY(write_sweep(folder, json, err));
    write_notes(folder, series, json);
    rps_json_integer(json, "version", folder->version);
    rps_json_integer(json, "first", from);
    rps_json_integer(json, "count", folder->open ? folder->frames.count : folder->listed);
    if (folder->open) report_frames_describe(&folder->frames, json);
    if (folder->open && frames == 0) {
        RPS_TRY(report_frames_text(&folder->frames, "scene", &folder->text, &folder->text_bytes, err));
        rps_json_string(json, "scene", folder->text);
        rps_json_string(json, "title", rps_results_reader_text(folder->frames.reader, "title"));
    }
    rps_json_close(json, '}');
    RPS_TRY(rps_text_add(out, "{\"frames\": [", err));
    if (folder->open && start < folder->list.length) { /* never without the columns that they have */
        RPS_TRY(report_page_clean(rps_text_string(&folder->list) + start + 1, out, err)); /* after the comma */
    }
    RPS_TRY(rps_text_add(out, "],", err));
    if (json->text.status != RPS_OK) return rps_fail(err, json->text.status, "no memory for the news of the run");
    return report_page_clean(rps_text_string(&json->text) + 1, out, err); /* after the bracket */
}

static rps_status pack_block(view_folder *folder, size_t index, bool corners, size_t *bytes, rps_error *err) {
    RPS_TRY(view_open(folder, err));
    if (index >= folder->listed) return rps_fail(err, RPS_BAD_INPUT, "there is no frame %zu", index);
    report_frames *frames = &folder->frames;
    RPS_TRY(report_frames_make(frames, index, index, err));
    if (corners) RPS_TRY(report_frames_make_corners(frames, err));
    return report_frames_deflate(frames, bytes, err);
}

rps_status view_folder_block(view_folder *folder, size_t index, bool corners, const void **data, size_t *bytes,
                             rps_error *err) {
    const struct timespec pause = {.tv_nsec = 10000000};
    rps_status status = RPS_STOPPED;
    for (int k = 0; k < TRIES && status == RPS_STOPPED; k++) {
        if (k > 0) nanosleep(&pause, NULL);
        status = pack_block(folder, index, corners, bytes, err);
        if (status != RPS_STOPPED && status != RPS_BAD_INPUT) *data = folder->frames.packed;
        if (status != RPS_STOPPED && !is_as_opened(folder)) status = RPS_STOPPED;
    }
    return status;
}

rps_status view_folder_summary(view_folder *folder, rps_text *out, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, folder->directory, RPS_SUMMARY_FILE, err));
    if (!rps_file_exists(path)) return RPS_OK;
    RPS_TRY(rps_file_read(path, &folder->text, &folder->text_bytes, err));
    return report_page_clean(folder->text, out, err);
}
