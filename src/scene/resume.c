/* A simulation in a checkpoint, written and read alike by `repose run` and by programs: the settings of its scene,
 * its progress towards rest and its end, the last values of its probes, and the sections of its scene and world. */
#include "scene/resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/state.h"
#include "scene/events.h"
#include "scene/fork.h"
#include "scene/scene_internal.h"

const char rps_run_intervals[] = "run/intervals: frames, series";
const char rps_run_counts[] = "run/counts: at rest from, end, frames, rows, bytes of rows";
static const char rps_run_first_step[] = "run/first step";
const char rps_run_no_results[] = "run/no results";

/* --- saving -------------------------------------------------------------------------------------------------------- */

static rps_status save_settings(const rps_simulation *s, rps_serializer *serializer, rps_error *err) {
    const rps_scene_text *text = s->scene->text;
    const char *title = s->plan->title ? s->plan->title : "";
    RPS_TRY(rps_serializer_text(serializer, "run/version", rps_version(), strlen(rps_version()), err));
    RPS_TRY(rps_serializer_text(serializer, "run/title", title, strlen(title), err));
    RPS_TRY(rps_serializer_text(serializer, "run/variant", text->variant, strlen(text->variant), err));
    if (text->until) {
        RPS_TRY(rps_serializer_text(serializer, "run/until", text->until, strlen(text->until), err));
    }
    const double interval[2] = {s->plan->every[RPS_WRITER_frames], s->plan->every[RPS_WRITER_series]};
    RPS_TRY(rps_serializer_doubles(serializer, rps_run_intervals, interval, 2, err));
    if (s->plan->first_step != s->plan->step) {
        RPS_TRY(rps_serializer_doubles(serializer, rps_run_first_step, &s->plan->first_step, 1, err));
    }
    for (size_t i = 0; i < text->sets; i++) {
        char name[32];
        snprintf(name, sizeof name, "run/set/%zu", i);
        RPS_TRY(rps_serializer_text(serializer, name, text->set[i], strlen(text->set[i]), err));
    }
    return RPS_OK;
}

rps_status rps_simulation_pack(const rps_simulation *s, const rps_result_counts *results, rps_serializer *serializer,
                               rps_error *err) {
    const uint64_t count[RPS_RUN_COUNTS] = {[RPS_RUN_REST] = s->rest_from,
                                            [RPS_RUN_END] = (uint64_t)s->end,
                                            [RPS_RUN_FRAMES] = results ? results->frames : 0,
                                            [RPS_RUN_ROWS] = results ? results->rows : 0,
                                            [RPS_RUN_BYTES] = results ? results->bytes : 0};
    RPS_TRY(save_settings(s, serializer, err));
    RPS_TRY(rps_serializer_words(serializer, rps_run_counts, count, RPS_RUN_COUNTS, err));
    if (!results) RPS_TRY(rps_serializer_words(serializer, rps_run_no_results, NULL, 0, err));
    RPS_TRY(rps_serializer_doubles(serializer, "run/probes", s->value, s->probes, err));
    RPS_TRY(rps_scene_save(s->scene, s->world, serializer, err));
    return rps_state_save(s->world, serializer, err);
}

/* --- going on ------------------------------------------------------------------------------------------------------ */

/* The new end, given as `until` or as a setting; nothing else can change. */
static rps_status new_end(const rps_resume_given *given, const char **until, rps_error *err) {
    static const char end[] = "run.until=";
    *until = given->until;
    if (given->scene || given->variant) {
        return rps_fail(err, RPS_BAD_INPUT, "a run that is resumed takes its scene%s from the checkpoint; leave it out",
                        given->variant ? " and variant" : "");
    }
    for (size_t i = 0; i < given->sets; i++) {
        if (strncmp(given->set[i], end, sizeof end - 1) != 0) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "a run that is resumed takes its settings from the checkpoint, only its end (run.until) may "
                "be changed; leave `%.80s` out",
                given->set[i]);
        }
        *until = given->until ? given->until : given->set[i] + sizeof end - 1;
    }
    return RPS_OK;
}

static rps_status compare_versions(const rps_checkpoint *c, const rps_resume_given *given, rps_error *err) {
    const char *version;
    char text[512];
    RPS_TRY(rps_checkpoint_text(c, "run/version", &version, NULL, err));
    if (!given->log || strcmp(version, rps_version()) == 0) return RPS_OK;
    snprintf(text, sizeof text,
             "the run of %s was begun with version %.64s and goes on with %.64s: the last bits of its results may "
             "differ",
             rps_checkpoint_path(c), version, rps_version());
    given->log(given->log_context, RPS_LOG_WARNING, text);
    return RPS_OK;
}

static rps_status read_sets(const rps_checkpoint *c, rps_resume *out, rps_error *err) {
    size_t sets = 0;
    for (size_t i = 0; rps_checkpoint_at(c, i); i++) {
        sets += strncmp(rps_checkpoint_at(c, i)->name, "run/set/", 8) == 0;
    }
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(out->allocator, sets * sizeof(char *), &memory, err));
    out->set = memory;
    out->sets = sets;
    for (size_t i = 0; i < sets; i++) {
        char name[32];
        snprintf(name, sizeof name, "run/set/%zu", i);
        RPS_TRY(rps_checkpoint_text(c, name, &out->set[i], NULL, err));
    }
    return RPS_OK;
}

/* The texts of included files, so that a run goes on with them even if the files have changed. */
static rps_status read_included(const rps_checkpoint *c, rps_resume *out, rps_error *err) {
    char name[64];
    size_t count = 0;
    for (;; count++) {
        snprintf(name, sizeof name, RPS_SCENE_INCLUDED "%zu/path", count);
        if (!rps_checkpoint_find(c, name)) break;
    }
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(out->allocator, (count + 1) * sizeof *out->included, &memory, err));
    out->included = memory;
    out->includes = count;
    for (size_t i = 0; i < count; i++) {
        rps_scene_included *one = &out->included[i];
        snprintf(name, sizeof name, RPS_SCENE_INCLUDED "%zu/path", i);
        RPS_TRY(rps_checkpoint_text(c, name, &one->path, NULL, err));
        snprintf(name, sizeof name, RPS_SCENE_INCLUDED "%zu/text", i);
        RPS_TRY(rps_checkpoint_text(c, name, &one->text, &one->bytes, err));
    }
    return RPS_OK;
}

static bool section_is_known(const char *name) {
    static const char *const known[] = {
        "run/version",
        "run/title",
        "run/variant",
        "run/until",
        rps_run_intervals,
        rps_run_counts,
        rps_run_first_step,
        "run/probes",
        rps_run_no_results,
        "scene/files",
        "scene/folder",
        "scene/text",
        "scene/path",
        "scene/poured",
        "scene/late",
        "scene/checks",
        "scene/absent",
        rps_scene_added_name,
        rps_scene_stages_name,
        rps_scene_stage_times_name,
        rps_scene_events_name,
        rps_scene_origin_name,
        rps_scene_origin_time_name,
        rps_scene_origin_words_name,
        rps_scene_event_times_name,
        rps_traffic_begun_name,
        rps_traffic_totals_name,
        rps_traffic_events_name,
        rps_traffic_came_name,
        rps_zone_stays_name,
        rps_zone_masses_name,
    };
    static const char *const writer[] = {
#define RPS_WRITER(name, share, shown, item, meaning) RPS_RUN_WRITER #name,
#include "language/writer_list.inc"
#undef RPS_WRITER
    };
    if (strncmp(name, "run/set/", 8) == 0) return true;
    if (strncmp(name, RPS_SCENE_INCLUDED, sizeof RPS_SCENE_INCLUDED - 1) == 0) return true;
    for (size_t k = 0; k < RPS_WRITERS; k++) {
        if (strcmp(name, writer[k]) == 0) return true;
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(name, known[k]) == 0) return true;
    }
    return false;
}

/* Sections of runs and scenes: those of the world are checked when it is restored. */
static rps_status check_names(const rps_checkpoint *c, rps_error *err) {
    const rps_section *s;
    for (size_t k = 0; (s = rps_checkpoint_at(c, k)) != NULL; k++) {
        const bool ours = strncmp(s->name, "run/", 4) == 0 || strncmp(s->name, "scene/", 6) == 0;
        if (ours && !section_is_known(s->name)) return rps_checkpoint_unknown(c, s->name, err);
    }
    return RPS_OK;
}

rps_status rps_resume_read(const rps_checkpoint *c, const rps_resume_given *given, const rps_allocator *allocator,
                           rps_resume *out, rps_error *err) {
    const char *until;
    double interval[2];
    rps_state_info state;
    *out = (rps_resume){.allocator = allocator};
    RPS_TRY(new_end(given, &until, err));
    RPS_TRY(check_names(c, err));
    RPS_TRY(rps_checkpoint_doubles(c, rps_run_intervals, interval, 2, err));
    RPS_TRY(rps_state_look(c, &state, err));
    out->kept = (rps_scene_kept){.step = state.step};
    if (rps_checkpoint_find(c, rps_run_first_step)) {
        RPS_TRY(rps_checkpoint_doubles(c, rps_run_first_step, &out->kept.step, 1, err));
    }
    for (int w = 0; w < RPS_WRITERS; w++) out->kept.every[w] = -1.0;
    out->kept.every[RPS_WRITER_frames] = interval[0];
    out->kept.every[RPS_WRITER_series] = interval[1];
    out->until = until;
    out->extended = until != NULL;
    RPS_TRY(compare_versions(c, given, err));
    RPS_TRY(rps_checkpoint_text(c, "scene/path", &out->path, NULL, err));
    RPS_TRY(rps_checkpoint_text(c, "scene/text", &out->text, &out->text_bytes, err));
    RPS_TRY(rps_checkpoint_text(c, "scene/folder", &out->folder, NULL, err));
    RPS_TRY(rps_checkpoint_text(c, "run/variant", &out->variant, NULL, err));
    if (!out->variant[0]) out->variant = NULL;
    if (!until && rps_checkpoint_find(c, "run/until")) {
        RPS_TRY(rps_checkpoint_text(c, "run/until", &out->until, NULL, err));
    }
    RPS_TRY(read_included(c, out, err));
    return read_sets(c, out, err);
}

void rps_resume_release(rps_resume *resume) {
    const size_t included = resume->included ? resume->includes + 1 : 0;
    rps_memory_release(resume->allocator, resume->included, included * sizeof *resume->included);
    rps_memory_release(resume->allocator, resume->set, resume->sets * sizeof(char *));
    *resume = (rps_resume){.sets = 0};
}

/* A simulation that has reached its end continues to the new one. */
static rps_status extend(rps_simulation *s, const rps_checkpoint *c, rps_error *err) {
    const uint64_t step = rps_world_steps(s->world);
    if (s->last_step <= step) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the run of %s is at t = %.9g s (step %" PRIu64
                        ") already; its new end must be later, not %.60s",
                        rps_checkpoint_path(c), rps_world_time(s->world), step, s->scene->text->until);
    }
    if (s->end == RPS_END_UNTIL) { /* at rest even a longer run ends here */
        s->end = rps_rest_possible(s, step) ? RPS_END_REST : RPS_END_STOPPED;
    }
    if (s->end == RPS_END_REST && s->scene->log) {
        s->scene->log(s->scene->log_context, RPS_LOG_WARNING,
                      "the run had come to rest before its end, so that a later end changes nothing");
    }
    return RPS_OK;
}

rps_status rps_simulation_unpack(rps_simulation *s, const rps_checkpoint *c, bool extended, rps_error *err) {
    uint64_t count[RPS_RUN_COUNTS];
    RPS_TRY(rps_checkpoint_words(c, rps_run_counts, count, RPS_RUN_COUNTS, err));
    RPS_TRY(rps_checkpoint_doubles(c, "run/probes", s->value, s->probes, err));
    if (count[RPS_RUN_END] >= RPS_END_FAILED) {
        return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: its run has no such end",
                        rps_checkpoint_path(c));
    }
    s->rest_from = count[RPS_RUN_REST];
    s->end = (rps_run_end)count[RPS_RUN_END];
    RPS_TRY(rps_scene_restore(s->scene, s->world, c, err));
    rps_simulation_find_end(s);
    s->started = true;
    s->steps = rps_world_steps(s->world);
    s->stage_is_over = rps_stage_has_ended(s->scene); /* the checkpoint was written before the next stage began */
    for (size_t i = 0; i < s->probes; i++) {
        s->read[i] =
            rps_scene_probe_due(s->scene, i, s->steps) || (s->stage_is_over && rps_checks_need_before(s->scene, i));
    }
    return extended ? extend(s, c, err) : RPS_OK;
}
