/* run.h5, the XDMF and VTKHDF files that describe it, and view.py: frames of bodies, contacts, bonds, joints and surfaces
 * (io/results.h).
 *
 * A frame whose bytes have changed since counts as missing when a run is resumed, as do all frames after it. */
#include <errno.h>
#include <string.h>

#include "io/file_names.h"
#include "io/journal.h"
#include "io/read_results.h"
#include "io/results.h"
#include "io/sums.h"
#include "io/view_script.h"
#include "run/run_state.h"
#include "scene/profile.h"

static rps_results_options results_options(const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    size_t groups;
    const bool *unsteady = rps_scene_unsteady_groups(run->scene, &groups);
    return (rps_results_options){.directory = run->options->directory,
                                 .title = plan->title ? plan->title : "",
                                 .surface = plan->surface,
                                 .surface_held = rps_scene_removes(run->scene),
                                 .surface_unsteady = unsteady,
                                 .surface_groups = groups,
                                 .profiles = rps_scene_profile_source(run->scene),
                                 .fields = plan->fields,
                                 .field_count = plan->field_count,
                                 .contact_fields = plan->contact_fields,
                                 .contact_field_count = plan->contact_field_count,
                                 .no_contacts = plan->no_contacts,
                                 .single = plan->single,
                                 .vtkhdf = plan->vtkhdf,
                                 .variant = run->options->variant,
                                 .version = rps_version(),
                                 .scene = plan->source,
                                 .scene_bytes = plan->source_bytes,
                                 .included = plan->included_text,
                                 .included_bytes = plan->included_bytes,
                                 .bodies = rps_scene_body_total(run->scene),
                                 .world = run->world,
                                 .allocator = run->world->allocator};
}

static bool record_lacks(const char *const *names, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++) {
        if (strcmp(names[k], name) == 0) return false;
    }
    return count > 0;
}

/* Warns of pictures that the scene's choice of fields rules out. */
static void tell_lacking(const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    const rps_run_options *options = run->options;
    if (!options->log) return;
    if (record_lacks(plan->fields, plan->field_count, "position")) {
        options->log(options->log_context, RPS_LOG_WARNING,
                     "`output.fields` lacks `position`: no " RPS_BODIES_XDMF
                     " is written, since ParaView would not know where the "
                     "bodies are");
    } else if (record_lacks(plan->fields, plan->field_count, "sphere_radius")) {
        options->log(options->log_context, RPS_LOG_WARNING,
                     "`output.fields` lacks `sphere_radius`: ParaView shows points in " RPS_BODIES_XDMF
                     " and cannot draw them as "
                     "spheres");
    }
    if (!plan->no_contacts && record_lacks(plan->contact_fields, plan->contact_field_count, "line")) {
        options->log(options->log_context, RPS_LOG_WARNING,
                     "`output.contacts` lacks `line`: no " RPS_CONTACTS_XDMF
                     " is written, since ParaView would not know where "
                     "the contacts are");
    }
}

/* A script that is there already may have been changed by its reader. */
static rps_status write_view_script(const char *directory, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, directory, RPS_VIEW_SCRIPT, err));
    return rps_file_exists(path) ? RPS_OK : rps_view_script_write(directory, err);
}

static rps_status create_frames(rps_run_state *run, void **state, rps_error *err) {
    const rps_results_options options = results_options(run);
    RPS_TRY(write_view_script(options.directory, err));
    rps_results *results = NULL;
    const rps_status status = rps_results_create(&options, &results, err);
    *state = results;
    return status;
}

static rps_status open_frames(rps_run_state *run, void **state, rps_error *err) {
    tell_lacking(run);
    return create_frames(run, state, err);
}

static rps_status resume_frames(rps_run_state *run, const rps_writer_mark *mark, void **state, rps_error *err) {
    const rps_results_options options = results_options(run);
    rps_results *results = NULL;
    rps_error why;
    RPS_TRY(write_view_script(options.directory, err));
    const rps_status status = rps_results_resume(&options, mark->items, &results, &why);
    *state = results;
    if (status == RPS_BAD_INPUT && mark->missing) { /* an unusable file */
        if (run->options->log) run->options->log(run->options->log_context, RPS_LOG_WARNING, why.text);
        return create_frames(run, state, err);
    }
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s", why.text);
}

/* The error says nothing about the file: it may be intact. */
static bool is_no_finding(rps_status status) {
    return status == RPS_NO_MEMORY || status == RPS_INTERNAL;
}

static rps_status find_frames(const rps_run_state *run, const char *folder, const char *checkpoint,
                              rps_writer_mark *mark, rps_error *err) {
    const rps_allocator *allocator = run->allocator;
    char path[RPS_PATH];
    rps_results_reader *reader;
    rps_error why;
    size_t count = 0;
    RPS_TRY(rps_path_join(path, folder, RPS_FRAMES_FILE, err));
    rps_status status = rps_file_exists(path) ? rps_journal_claim(path, allocator, &why) : RPS_OK;
    if (status == RPS_BAD_INPUT)
        return rps_fail(err, RPS_IO_ERROR, "%s", why.text); /* its running writer recovers it */
    if (status == RPS_OK) status = rps_results_open(path, allocator, &reader, &why);
    if (is_no_finding(status)) return rps_fail(err, status, "%s", why.text);
    if (status == RPS_OK) {
        rps_results_reader_frames(reader, &count);
        rps_results_reader_close(reader);
    }
    if (status == RPS_OK && count >= mark->items) {
        bool any;
        status = rps_sums_check(path, allocator, (size_t)mark->items, &count, &any, &why);
        if (is_no_finding(status)) return rps_fail(err, status, "%s", why.text);
    } else if (status == RPS_OK) {
        rps_fail(&why, RPS_BAD_INPUT, "%s has %zu frames, but %s was written after %llu", path, count, checkpoint,
                 (unsigned long long)mark->items);
    }
    if (count >= mark->items && status == RPS_OK) return RPS_OK;
    mark->items = count;
    return rps_fail(err, RPS_BAD_INPUT, "%s", why.text);
}

static rps_status cut_frames(const char *folder, rps_writer_mark *mark, rps_error *err) {
    (void)folder, (void)err;
    mark->items--;
    return RPS_OK;
}

static bool frames_need_contacts(const void *state) {
    return rps_results_need_contacts(state);
}

static rps_status append_frame(rps_run_state *run, void *state, rps_error *err) {
    return rps_results_write(state, run->world, err);
}

static rps_status sync_frames(void *state, rps_error *err) {
    return rps_results_sync(state, err);
}

static void mark_frames(const void *state, rps_writer_mark *mark) {
    *mark = (rps_writer_mark){.items = rps_results_frames(state)};
}

static rps_status close_frames(rps_run_state *run, void *state, rps_error *err) {
    (void)run;
    return rps_results_close(state, err);
}

static const char *const file[] = {RPS_FRAMES_FILE,
                                   RPS_BODIES_XDMF,
                                   RPS_CONTACTS_XDMF,
                                   RPS_SURFACES_XDMF,
                                   RPS_BODIES_VTKHDF,
                                   RPS_CONTACTS_VTKHDF,
                                   RPS_SURFACES_VTKHDF,
                                   RPS_VIEW_SCRIPT,
                                   RPS_LOADS_XDMF,
                                   RPS_LOADS_VTKHDF,
                                   NULL};

const rps_writer rps_writer_frames = {.file = file,
                                      .what = "frames of bodies and contacts; its XDMF files open in ParaView",
                                      .find = find_frames,
                                      .open = open_frames,
                                      .resume = resume_frames,
                                      .cut = cut_frames,
                                      .needs_contacts = frames_need_contacts,
                                      .write = append_frame,
                                      .sync = sync_frames,
                                      .mark = mark_frames,
                                      .close = close_frames};
