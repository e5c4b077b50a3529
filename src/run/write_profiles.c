/* profiles.csv: the bins of all profiles, a row each, over time; and profiles-mean.csv, their means over all times of
 * profiles.csv, which is read back at the end: the means of a run that was continued are those of one that was not.
 *
 * An empty field is a value that there is not. In means velocities and temperatures are weighted by mass; a bin has
 * no stress while it is empty, and counts so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/append.h"
#include "io/csv.h"
#include "io/file_names.h"
#include "io/frame.h"
#include "run/run_state.h"
#include "scene/profile.h"
#include "step/step_stages.h"

enum { BLOCK = 4096 /* contacts at once */ };

static const char columns[] =
    "from [m],to [m],number,mass [kg],solid_fraction,velocity.x [m/s],velocity.y [m/s],velocity.z [m/s],"
    "temperature [m^2/s^2],angular_velocity.x [rad/s],angular_velocity.y [rad/s],angular_velocity.z [rad/s],"
    "stress.xx [Pa],stress.xy [Pa],stress.xz [Pa],stress.yy [Pa],stress.yz [Pa],stress.zz [Pa]\n";

typedef struct profiles {
    rps_append to;
    rps_text text;
    uint64_t frames, last_from;
    void *order, *moment, *contact, *bin;
    size_t order_bytes, moment_bytes, contact_bytes, bin_bytes;
} profiles;

static size_t count_rows(const rps_run_state *run) {
    size_t count, rows = 0;
    const rps_profile *profile = rps_scene_profiles(run->scene, &count);
    for (size_t k = 0; k < count; k++) rows += profile[k].bins;
    return rows;
}

/* --- a time --------------------------------------------------------------------------------------------------------- */

static rps_status find_moments(const rps_run_state *run, profiles *w, rps_error *err) {
    const rps_allocator *allocator = run->allocator;
    const size_t bodies = run->world->bodies.count;
    rps_contact_cursor cursor = {0};
    RPS_TRY(rps_buffer_reserve(allocator, &w->order, &w->order_bytes, 0, (bodies + 1) * sizeof(uint32_t), err));
    RPS_TRY(rps_buffer_reserve(allocator, &w->moment, &w->moment_bytes, 0, (bodies + 1) * 6 * sizeof(double), err));
    RPS_TRY(rps_buffer_reserve(allocator, &w->contact, &w->contact_bytes, 0, BLOCK * sizeof(rps_contact), err));
    memset(w->moment, 0, (bodies + 1) * 6 * sizeof(double));
    rps_frame_order(run->world, w->order);
    for (size_t n; (n = rps_contacts_next(run->world, &cursor, w->contact, BLOCK)) > 0;) {
        rps_frame_stress_add(run->world, w->order, w->contact, n, w->moment);
    }
    return RPS_OK;
}

static void add_values(rps_text *text, const double *value) {
    for (int k = 0; k < RPS_PROFILE_VALUES; k++) {
        rps_text_add(text, ",", NULL);
        if (!isnan(value[k])) rps_text_add_double(text, value[k], NULL);
    }
    rps_text_add(text, "\n", NULL);
}

/* A comma would begin another column. */
static void add_name(rps_text *text, const char *name) {
    for (; *name; name++) {
        const char one[2] = {*name == ',' || *name == '\n' || *name == '"' ? '_' : *name, '\0'};
        rps_text_add(text, one, NULL);
    }
}

static rps_status write_profiles(rps_run_state *run, void *state, rps_error *err) {
    profiles *w = state;
    size_t count;
    const rps_profile *profile = rps_scene_profiles(run->scene, &count);
    const rps_profile_source source = rps_scene_profile_source(run->scene);
    const uint64_t from = rps_append_bytes(&w->to);
    RPS_TRY(find_moments(run, w, err));
    RPS_TRY(
        rps_buffer_reserve(run->allocator, &w->bin, &w->bin_bytes, 0, count_rows(run) * sizeof(rps_profile_bin), err));
    rps_text_clear(&w->text);
    source.measure(source.context, run->world, w->moment, w->bin);
    const rps_profile_bin *bin = w->bin;
    for (size_t p = 0; p < count; p++) {
        for (size_t k = 0; k < profile[p].bins; k++, bin++) {
            rps_text_add_double(&w->text, rps_world_time(run->world), NULL);
            rps_text_add(&w->text, ",", NULL);
            add_name(&w->text, profile[p].name);
            rps_text_addf(&w->text, NULL, ",%zu", k);
            add_values(&w->text, &bin->low);
        }
    }
    if (w->text.status != RPS_OK) {
        return rps_fail(err, w->text.status, "cannot write %s: no memory for its rows", w->to.path);
    }
    RPS_TRY(rps_append_write(&w->to, w->text.data, w->text.length, err));
    w->last_from = from;
    w->frames++;
    return RPS_OK;
}

/* --- means ---------------------------------------------------------------------------------------------------------- */

enum { LOW, HIGH, NUMBER, MASS, FRACTION, VELOCITY, TEMPERATURE = VELOCITY + 3, SPIN, STRESS = SPIN + 3 };
_Static_assert((int)STRESS + 6 == (int)RPS_PROFILE_VALUES, "the values of rps_profile_bin, in its order");

/* Adds the values of a line to the sums of its row; those of vectors and temperatures times the mass. */
static bool sum_line(char *line, double *sum) {
    double value[RPS_PROFILE_VALUES];
    char *at = line;
    for (int skip = 0; skip < 3 && at; skip++) at = (at = strchr(at, ',')) ? at + 1 : NULL;
    for (int k = 0; k < RPS_PROFILE_VALUES; k++) {
        if (!at) return false;
        char *end = at + strcspn(at, ",\n"), *next = *end == ',' ? end + 1 : NULL;
        *end = '\0';
        value[k] = NAN;
        if (*at && rps_parse_double(at, &value[k], NULL) != RPS_OK) return false;
        at = next;
    }
    sum[LOW] = value[LOW];
    sum[HIGH] = value[HIGH];
    for (int k = NUMBER; k < RPS_PROFILE_VALUES; k++) {
        const bool by_mass = k >= VELOCITY && k < STRESS, none = isnan(value[k]) && k >= VELOCITY;
        if (none && (by_mass || value[NUMBER] == 0.0)) continue;
        sum[k] += by_mass ? value[MASS] * value[k] : value[k];
    }
    return true;
}

static rps_status sum_file(const char *path, double *sum, size_t rows, uint64_t *times, rps_error *err) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0, row = 0;
    bool sound = file != NULL;
    *times = 0;
    if (file && getline(&line, &capacity, file) < 0) sound = false;
    while (sound && getline(&line, &capacity, file) > 0) {
        sound = sum_line(line, sum + row * RPS_PROFILE_VALUES);
        row = (row + 1) % rows;
        if (row == 0) ++*times;
    }
    free(line);
    if (file) fclose(file);
    return sound ? RPS_OK : rps_fail(err, RPS_IO_ERROR, "%s cannot be read back for its means", path);
}

static rps_status write_means_of(const rps_run_state *run, double *sum, size_t rows, rps_text *text, rps_error *err) {
    char from[RPS_PATH], to[RPS_PATH];
    size_t count, row = 0;
    const rps_profile *profile = rps_scene_profiles(run->scene, &count);
    uint64_t times;
    RPS_TRY(rps_path_join(from, run->options->directory, RPS_PROFILES_FILE, err));
    RPS_TRY(rps_path_join(to, run->options->directory, RPS_PROFILES_MEAN_FILE, err));
    RPS_TRY(sum_file(from, sum, rows, &times, err));
    rps_text_addf(text, NULL, "profile,bin,times,%s", columns);
    for (size_t p = 0; p < count; p++) {
        for (size_t k = 0; k < profile[p].bins; k++, row++) {
            double *value = sum + row * RPS_PROFILE_VALUES;
            const double mass = value[MASS];
            for (int c = NUMBER; c < RPS_PROFILE_VALUES; c++) {
                const bool by_mass = c >= VELOCITY && c < STRESS;
                value[c] /= by_mass ? (mass > 0.0 ? mass : NAN) : (double)times;
            }
            add_name(text, profile[p].name);
            rps_text_addf(text, NULL, ",%zu,%llu", k, (unsigned long long)times);
            add_values(text, value);
        }
    }
    return text->status == RPS_OK ? rps_file_replace(to, text->data, text->length, err)
                                  : rps_fail(err, text->status, "no memory for the means of profiles");
}

static rps_status write_means(const rps_run_state *run, rps_error *err) {
    size_t bytes;
    const size_t rows = count_rows(run);
    void *sum;
    rps_text text;
    RPS_TRY(rps_size_of_items(rows, RPS_PROFILE_VALUES * sizeof(double), &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(run->allocator, bytes, &sum, err));
    rps_text_init(&text, run->allocator, (size_t)1 << 40);
    const rps_status status = write_means_of(run, sum, rows, &text, err);
    rps_text_release(&text);
    rps_memory_release(run->allocator, sum, bytes);
    return status;
}

/* --- the files ------------------------------------------------------------------------------------------------------ */

static rps_status make_profiles(rps_run_state *run, void **state, char path[RPS_PATH], rps_error *err) {
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(run->allocator, sizeof(profiles), &memory, err));
    profiles *w = *state = memory;
    w->to.file = -1;
    rps_text_init(&w->text, run->allocator, (size_t)1 << 40);
    return rps_path_join(path, run->options->directory, RPS_PROFILES_FILE, err);
}

static rps_status begin_profiles(profiles *w, const char *path, rps_error *err) {
    RPS_TRY(rps_append_open(&w->to, path, err));
    rps_text_addf(&w->text, NULL, "time [s],profile,bin,%s", columns);
    if (w->text.status != RPS_OK) return rps_fail(err, w->text.status, "no memory for the header of %s", path);
    return rps_append_write(&w->to, w->text.data, w->text.length, err);
}

static rps_status open_profiles(rps_run_state *run, void **state, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(make_profiles(run, state, path, err));
    return begin_profiles(*state, path, err);
}

static rps_status resume_profiles(rps_run_state *run, const rps_writer_mark *mark, void **state, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(make_profiles(run, state, path, err));
    profiles *w = *state;
    if (mark->bytes == 0) return begin_profiles(w, path, err);
    w->frames = mark->items;
    w->last_from = mark->last_from;
    return rps_append_resume(&w->to, path, mark->bytes, err);
}

static rps_status find_profiles(const rps_run_state *run, const char *folder, const char *checkpoint,
                                rps_writer_mark *mark, rps_error *err) {
    char path[RPS_PATH];
    rps_error why;
    uint64_t rows, bytes;
    (void)run;
    RPS_TRY(rps_path_join(path, folder, RPS_PROFILES_FILE, err));
    const rps_status status = rps_csv_whole_rows(path, mark->bytes, &rows, &bytes, &why);
    if (status == RPS_OK && bytes == mark->bytes) return RPS_OK;
    if (status == RPS_OK) {
        rps_fail(&why, RPS_BAD_INPUT, "%s is shorter than when %s was written", path, checkpoint);
    }
    *mark = (rps_writer_mark){0};
    return rps_fail(err, RPS_BAD_INPUT, "%s", why.text);
}

static rps_status cut_profiles(const char *folder, rps_writer_mark *mark, rps_error *err) {
    (void)folder, (void)err;
    mark->items--;
    mark->bytes = mark->last_from;
    return RPS_OK;
}

static bool profiles_need_contacts(const void *state) {
    (void)state;
    return true;
}

static rps_status sync_profiles(void *state, rps_error *err) {
    profiles *w = state;
    return rps_append_sync(&w->to, err);
}

static void mark_profiles(const void *state, rps_writer_mark *mark) {
    const profiles *w = state;
    *mark = (rps_writer_mark){.items = w->frames, .bytes = rps_append_bytes(&w->to), .last_from = w->last_from};
}

static rps_status close_profiles(rps_run_state *run, void *state, rps_error *err) {
    profiles *w = state;
    const uint64_t frames = w->frames;
    rps_status status = rps_append_close(&w->to, err);
    rps_text_release(&w->text);
    rps_buffer_release(run->allocator, &w->order, &w->order_bytes);
    rps_buffer_release(run->allocator, &w->moment, &w->moment_bytes);
    rps_buffer_release(run->allocator, &w->contact, &w->contact_bytes);
    rps_buffer_release(run->allocator, &w->bin, &w->bin_bytes);
    rps_memory_release(run->allocator, w, sizeof *w);
    if (status == RPS_OK && frames > 0) status = write_means(run, err);
    return status;
}

static const char *const file[] = {RPS_PROFILES_FILE, RPS_PROFILES_MEAN_FILE, NULL};

const rps_writer rps_writer_profiles = {.file = file,
                                        .what = "profiles over time; " RPS_PROFILES_MEAN_FILE " has their means",
                                        .find = find_profiles,
                                        .open = open_profiles,
                                        .resume = resume_profiles,
                                        .cut = cut_profiles,
                                        .needs_contacts = profiles_need_contacts,
                                        .write = write_profiles,
                                        .sync = sync_profiles,
                                        .mark = mark_profiles,
                                        .close = close_profiles};
