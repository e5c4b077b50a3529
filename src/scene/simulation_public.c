/* The public interface to scenes and simulations (repose/scene.h): argument checks, and calls that advance several
 * steps. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "scene/quantity.h"
#include "scene/resume.h"

enum { SKIPPED_MOST = 1024 }; /* steps that are taken at once */

/* --- the scene ----------------------------------------------------------------------------------------------------- */

rps_scene_options rps_scene_options_default(void) {
    return (rps_scene_options){.size = sizeof(rps_scene_options), .isa = -1};
}

/* Loads a scene from the options, and with `resume` from the checkpoint too. */
static rps_status open_scene(const rps_scene_options *o, const rps_resume *resume, rps_scene **scene, rps_error *err) {
    rps_scene_load_options load = {.path = o->path,
                                   .text = o->path ? NULL : o->text,
                                   .text_bytes = o->text_bytes,
                                   .folder = o->folder,
                                   .variant = o->variant,
                                   .set = o->set,
                                   .sets = o->sets,
                                   .until = o->until,
                                   .law = o->law,
                                   .laws = o->laws,
                                   .threads = o->threads,
                                   .scheduler = o->scheduler,
                                   .isa = o->isa,
                                   .log = o->log,
                                   .log_context = o->log_context,
                                   .proceed = o->proceed,
                                   .proceed_context = o->proceed_context,
                                   .allocator = o->allocator};
    if (resume) {
        load.path = resume->path;
        load.text = resume->text;
        load.text_bytes = resume->text_bytes;
        load.folder = resume->folder;
        load.included = resume->included;
        load.includes = resume->includes;
        load.variant = resume->variant;
        load.set = resume->set;
        load.sets = resume->sets;
        load.until = resume->until;
        load.kept = &resume->kept;
    }
    return rps_scene_load(&load, scene, err);
}

static rps_status open_checkpoint(const rps_scene_options *o, rps_scene **scene, rps_error *err) {
    const rps_resume_given given = {.scene = o->path || o->text,
                                    .variant = o->variant,
                                    .until = o->until,
                                    .set = o->set,
                                    .sets = o->sets,
                                    .log = o->log,
                                    .log_context = o->log_context};
    rps_checkpoint *from;
    rps_resume resume;
    RPS_TRY(rps_checkpoint_open(o->resume, o->allocator, &from, err));
    rps_status status = rps_resume_read(from, &given, o->allocator, &resume, err);
    if (status == RPS_OK) status = open_scene(o, &resume, scene, err);
    if (status == RPS_OK) {
        rps_scene_resumes(*scene, from, resume.extended);
    } else {
        rps_checkpoint_close(from);
    }
    rps_resume_release(&resume);
    return status;
}

rps_status rps_scene_open(const rps_scene_options *options, rps_scene **scene, rps_error *err) {
    RPS_GIVEN(scene);
    *scene = NULL;
    RPS_GIVEN(options);
    if (options->size != sizeof *options) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the options of the scene say size %u, expected %zu: make them by rps_scene_options_default",
                        options->size, sizeof *options);
    }
    return options->resume ? open_checkpoint(options, scene, err) : open_scene(options, NULL, scene, err);
}

void rps_scene_close(rps_scene *scene) {
    rps_scene_free(scene);
}

const char *rps_scene_title(const rps_scene *scene) {
    return scene && scene->run.title ? scene->run.title : "";
}

/* --- the simulation ------------------------------------------------------------------------------------------------ */

rps_status rps_simulation_create(const rps_scene *scene, rps_simulation **simulation, rps_error *err) {
    RPS_GIVEN(simulation);
    *simulation = NULL;
    RPS_GIVEN(scene);
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(scene->allocator, sizeof(rps_simulation), &memory, err));
    rps_simulation *s = memory;
    rps_scene *own;
    s->allocator = scene->allocator;
    rps_status status = rps_scene_again(scene, &own, err);
    if (status == RPS_OK) status = rps_simulation_build(s, own, scene->allocator, err);
    if (status == RPS_OK && scene->text->from) {
        status = rps_simulation_unpack(s, scene->text->from, scene->text->extended, err);
        if (status == RPS_OK && rps_simulation_goes_on(s)) status = rps_simulation_settle(s, err);
    }
    if (status != RPS_OK) {
        rps_simulation_destroy(s);
        return status;
    }
    *simulation = s;
    return RPS_OK;
}

void rps_simulation_destroy(rps_simulation *s) {
    if (!s) return;
    const rps_allocator *allocator = s->allocator;
    rps_simulation_release(s);
    rps_memory_release(allocator, s, sizeof *s);
}

rps_world *rps_simulation_world(rps_simulation *s) {
    return s ? s->world : NULL;
}

rps_status rps_simulation_body(const rps_simulation *simulation, const char *name, uint64_t *id, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(name);
    RPS_GIVEN(id);
    const rps_scene *scene = simulation->scene;
    const rps_named *named = rps_scene_named(scene, name);
    const char *names[256];
    char hint[512];
    size_t n = 0;
    if (named && !named->is_set) {
        *id = named->id;
        return RPS_OK;
    }
    for (size_t i = 0; i < scene->names.count && n < 256; i++) {
        if (!scene->names.item[i].is_set) names[n++] = scene->names.item[i].name;
    }
    return rps_fail(err, RPS_BAD_INPUT, "%s has no body `%.60s`%s%s", simulation->plan->path, name,
                    named ? "; that is a set" : "", rps_suggest(name, names, n, hint, sizeof hint));
}

rps_status rps_simulation_get_state(const rps_simulation *simulation, rps_simulation_state *state, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(state);
    const rps_simulation *s = simulation;
    *state = (rps_simulation_state){.started = s->started,
                                    .ended = !rps_simulation_goes_on(s),
                                    .end = s->end,
                                    .steps = rps_world_steps(s->world),
                                    .last_step = s->last_step,
                                    .time = rps_world_time(s->world),
                                    .step = s->world->step,
                                    .until = s->plan->until,
                                    .bodies = rps_world_body_count(s->world),
                                    .contacts = rps_world_contact_count(s->world),
                                    .inserting = rps_scene_pending(s->scene),
                                    .stage = s->scene->stages.now};
    return RPS_OK;
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

/* Accounts for changes that the program made to the world since the last step. */
static void follow(rps_simulation *s) {
    memcpy(s->scene->gravity, s->world->options.gravity, sizeof s->scene->gravity);
    s->scene->observer.ledger_read = false;
}

static rps_status may_step(const rps_simulation *s, rps_error *err) {
    const uint64_t steps = rps_world_steps(s->world);
    if (s->end == RPS_END_FAILED) {
        return rps_fail(err, RPS_BAD_INPUT, "the simulation failed at t = %.9g s and cannot go on: %s",
                        rps_world_time(s->world), s->failure);
    }
    if (!rps_simulation_goes_on(s)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the simulation has come to its end at t = %.9g s (%s); to go on, open the scene with a later "
                        "`until`, or resume a checkpoint with it",
                        rps_world_time(s->world),
                        s->end == RPS_END_UNTIL  ? "run.until"
                        : s->end == RPS_END_REST ? "run.rest"
                                                 : "the last stage is over");
    }
    if (steps != s->steps || s->world->started != s->started) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the world of the simulation was %s by the program, at step %" PRIu64 " instead of %" PRIu64
                        ", so that insertion, stages and checks missed it; step it by rps_simulation_step alone",
                        steps != s->steps ? "stepped" : "started", steps, s->steps);
    }
    return RPS_OK;
}

/* To a step; or to the step nearest to a time (s, not NAN), whose number a stage may change. `contacts`: the last step
 * keeps them. */
static rps_status step_to(rps_simulation *s, uint64_t target, double time, bool contacts, rps_error *err) {
    if (!s->started) {
        const bool last = target == s->steps;
        const rps_step_request start = {.start = true, .contacts = contacts && last, .contacts_at_end = contacts};
        RPS_TRY(rps_simulation_advance(s, &start, err));
        RPS_TRY(rps_simulation_settle(s, err));
        RPS_TRY(rps_simulation_check_ledger(s, err));
        if (!rps_simulation_goes_on(s)) return RPS_OK;
    }
    while (rps_simulation_goes_on(s) && s->steps < target) {
        const uint64_t left = target - s->steps - 1;
        const uint64_t skipped = rps_simulation_unobserved(s, left < SKIPPED_MOST ? left : SKIPPED_MOST);
        if (skipped > 0) RPS_TRY(rps_simulation_skip(s, skipped, err));
        const bool last = target == s->steps + 1;
        const rps_step_request step = {.contacts = contacts && last, .contacts_at_end = contacts};
        RPS_TRY(rps_simulation_advance(s, &step, err));
        RPS_TRY(rps_simulation_settle(s, err));
        if (!isnan(time)) target = (uint64_t)rps_step_nearest(s->plan->clock, time);
    }
    return rps_simulation_goes_on(s) ? RPS_OK : rps_simulation_check_ledger(s, err);
}

static bool any_needs_contacts(const rps_simulation *s) {
    bool any = false;
    for (size_t i = 0; i < s->probes; i++) any = any || rps_scene_probe(s->scene, i)->needs_contacts;
    return any;
}

static rps_status take_steps(rps_simulation *s, uint64_t target, double time, rps_error *err) {
    const bool kept = s->world->keep_contacts;
    rps_error why;
    follow(s);
    const rps_status status = step_to(s, target, time, kept || any_needs_contacts(s), &why);
    rps_world_keep_contacts(s->world, kept);
    if (status == RPS_OK) return RPS_OK;
    rps_simulation_failed(s, status, why.text);
    return rps_fail(err, status, "%s", why.text);
}

rps_status rps_simulation_step(rps_simulation *simulation, uint64_t steps, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_TRY(may_step(simulation, err));
    const uint64_t from = simulation->steps;
    return take_steps(simulation, steps < UINT64_MAX - from ? from + steps : UINT64_MAX, NAN, err);
}

rps_status rps_simulation_step_until(rps_simulation *simulation, double time, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_TRY(may_step(simulation, err));
    const double now = rps_world_time(simulation->world);
    const double steps = rps_step_nearest(simulation->plan->clock, time);
    if (!isfinite(time) || !(steps < 0x1p63)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "a simulation cannot step until t = %g s; give a time, or go to the scene's end by "
                        "rps_simulation_finish",
                        time);
    }
    if (steps < (double)simulation->steps || time < now - 0.5 * simulation->plan->step) {
        return rps_fail(err, RPS_BAD_INPUT, "the simulation is at t = %.9g s already, after the %.9g s to step until",
                        now, time);
    }
    return take_steps(simulation, (uint64_t)steps, time, err);
}

rps_status rps_simulation_finish(rps_simulation *simulation, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_TRY(may_step(simulation, err));
    return take_steps(simulation, UINT64_MAX, NAN, err);
}

/* --- probes -------------------------------------------------------------------------------------------------------- */

size_t rps_simulation_probe_count(const rps_simulation *s) {
    return s ? s->probes : 0;
}

const rps_probe_info *rps_simulation_probe_info(const rps_simulation *s, size_t index) {
    return s ? rps_scene_probe(s->scene, index) : NULL;
}

static rps_status find_probe(const rps_simulation *s, const char *name, size_t *index, rps_error *err) {
    const char *names[256];
    char hint[512];
    size_t n = 0;
    for (*index = 0; *index < s->probes; ++*index) {
        const char *here = rps_scene_probe(s->scene, *index)->name;
        if (strcmp(here, name) == 0) return RPS_OK;
        if (n < 256) names[n++] = here;
    }
    return rps_fail(err, RPS_BAD_INPUT, "%s has no probe `%.60s`%s", s->plan->path, name,
                    n ? rps_suggest(name, names, n, hint, sizeof hint) : "; it has no probes at all");
}

static rps_status may_read(rps_simulation *s, rps_error *err) {
    if (s->started) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "the simulation has not started, so that its probes have not been read: call rps_simulation_step "
                    "first (0 steps evaluate the start)");
}

/* Reads a probe without changing the record of the scene's own readings. */
static rps_status read_now(rps_simulation *s, size_t index, double *value, const char **why, rps_error *err) {
    rps_absence absence;
    RPS_TRY(rps_quantity_value(s->scene, s->world, &s->scene->observer.probe[index], value, &absence, err));
    *why = isnan(*value) ? rps_absence_text(absence) : "";
    return RPS_OK;
}

rps_status rps_simulation_probe(rps_simulation *simulation, const char *name, double *value, rps_error *err) {
    RPS_GIVEN(value);
    *value = NAN;
    RPS_GIVEN(simulation);
    RPS_GIVEN(name);
    size_t index;
    const char *why;
    RPS_TRY(find_probe(simulation, name, &index, err));
    RPS_TRY(may_read(simulation, err));
    follow(simulation);
    RPS_TRY(read_now(simulation, index, value, &why, err));
    if (!isnan(*value)) return RPS_OK;
    return rps_fail(err, RPS_NO_VALUE, "the probe `%s` has no value at t = %.9g s: %s", name,
                    rps_world_time(simulation->world), why);
}

rps_status rps_simulation_probes(rps_simulation *simulation, rps_probe_row *rows, size_t capacity, size_t *count,
                                 rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(count);
    *count = simulation->probes;
    if (capacity > 0) RPS_GIVEN(rows);
    RPS_TRY(may_read(simulation, err));
    follow(simulation);
    for (size_t i = 0; i < capacity && i < simulation->probes; i++) {
        const rps_probe_info *info = rps_scene_probe(simulation->scene, i);
        rows[i] = (rps_probe_row){.name = info->name, .quantity = info->quantity, .unit = info->unit, .value = NAN};
        RPS_TRY(read_now(simulation, i, &rows[i].value, &rows[i].undefined, err));
    }
    return RPS_OK;
}

/* --- checks, stages, insertion ------------------------------------------------------------------------------------- */

/* Index among all checks of the applying check with this number; the number of all checks if there is none. */
static size_t applying_check(const rps_simulation *s, size_t number, size_t *count) {
    const size_t all = rps_scene_check_count(s->scene);
    size_t found = all;
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (!rps_scene_check_applies(s->scene, i)) continue;
        if (*count == number) found = i;
        ++*count;
    }
    return found;
}

size_t rps_simulation_check_count(const rps_simulation *s) {
    size_t count = 0;
    if (s) applying_check(s, 0, &count);
    return count;
}

rps_status rps_simulation_check(rps_simulation *simulation, size_t index, rps_check_row *row, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(row);
    size_t count;
    const size_t found = applying_check(simulation, index, &count);
    if (index >= count) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no check number %zu; %zu apply to this scene", index, count);
    }
    rps_error why;
    rps_scene_forget_notes(simulation->scene);
    rps_simulation_cut(simulation, "is");
    rps_simulation_check_row(simulation, found, row, &why);
    return row->error ? rps_fail(err, why.status, "%s", why.text) : RPS_OK;
}

size_t rps_simulation_stage_count(const rps_simulation *s) {
    return s ? rps_scene_stage_count(s->scene) : 0;
}

rps_status rps_simulation_stage(const rps_simulation *simulation, size_t index, rps_stage_info *stage, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(stage);
    if (index >= rps_scene_stage_count(simulation->scene)) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no stage number %zu; the scene has %zu", index,
                        rps_scene_stage_count(simulation->scene));
    }
    rps_scene_stage(simulation->scene, index, stage);
    return RPS_OK;
}

size_t rps_simulation_insertion_count(const rps_simulation *s) {
    return s ? rps_scene_insertions(s->scene) : 0;
}

rps_status rps_simulation_insertion(const rps_simulation *simulation, size_t index, rps_insertion_info *insertion,
                                    rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(insertion);
    if (index >= rps_scene_insertions(simulation->scene)) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no insertion number %zu; the scene has %zu", index,
                        rps_scene_insertions(simulation->scene));
    }
    rps_scene_insertion_at(simulation->scene, index, insertion);
    return RPS_OK;
}

/* --- checkpoints --------------------------------------------------------------------------------------------------- */

rps_status rps_simulation_save(const rps_simulation *simulation, const char *path, rps_error *err) {
    RPS_GIVEN(simulation);
    RPS_GIVEN(path);
    if (!simulation->started || simulation->end == RPS_END_FAILED) {
        return rps_fail(err, RPS_BAD_INPUT, "%s",
                        simulation->started ? "a simulation that failed cannot be saved: nothing could go on from it"
                                            : "a simulation is saved after its start: call rps_simulation_step first "
                                              "(0 steps evaluate the start)");
    }
    rps_serializer serializer;
    rps_serializer_init(&serializer, simulation->allocator);
    rps_status status = rps_simulation_pack(simulation, NULL, &serializer, err);
    if (status == RPS_OK) status = rps_serializer_write(&serializer, path, err);
    rps_serializer_release(&serializer);
    return status;
}
