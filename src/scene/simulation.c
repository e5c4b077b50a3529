/* One complete step of a scene: insertion, the step itself, probes and checks, the ends of stages, rest, and the end
 * of the run. This file writes no files. */
#include "scene/simulation.h"

#include "scene/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rps_simulation_find_end(rps_simulation *s) {
    const double last = rps_step_nearest(s->plan->clock, s->plan->until);
    s->last_step = s->plan->until > 0.0 ? (uint64_t)last : UINT64_MAX;
}

rps_status rps_simulation_build(rps_simulation *s, rps_scene *scene, const rps_allocator *allocator, rps_error *err) {
    memset(s, 0, sizeof *s);
    s->allocator = allocator;
    s->scene = scene;
    s->rest_from = UINT64_MAX;
    s->end = RPS_END_STOPPED;
    s->acts = true;
    RPS_TRY(rps_scene_build(scene, &s->world, err));
    s->plan = rps_scene_get_run(scene);
    rps_simulation_find_end(s);
    s->probes = rps_scene_probe_count(scene);
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, s->probes * sizeof(bool), &memory, err));
    s->read = memory;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, s->probes * sizeof(double), &memory, err));
    s->value = memory;
    for (size_t i = 0; i < s->probes; i++) s->value[i] = NAN;
    return RPS_OK;
}

void rps_simulation_release(rps_simulation *s) {
    rps_memory_release(s->allocator, s->read, s->probes * sizeof(bool));
    rps_memory_release(s->allocator, s->value, s->probes * sizeof(double));
    rps_world_destroy(s->world);
    rps_scene_free(s->scene);
    memset(s, 0, sizeof *s);
}

/* --- an observed step
 * ----------------------------------------------------------------------------------------------- */

/* Decides which probes to read after this step, and whether contacts must be kept for them. */
static bool prepare(rps_simulation *s, const rps_step_request *request, uint64_t step) {
    const bool last = step == s->last_step || rps_rest_possible(s, step);
    const bool may_end = rps_scene_stage_may_end_run(s->scene, step); /* then all is read */
    const bool looks = rps_scene_stage_looks(s->scene, step);         /* the next stage may begin */
    bool keep = request->contacts || (request->contacts_at_end && (last || may_end));
    for (size_t i = 0; i < s->probes; i++) {
        s->read[i] = request->all_probes || last || rps_scene_probe_due(s->scene, i, step);
        keep = keep || ((s->read[i] || may_end || (looks && rps_checks_need_before(s->scene, i))) &&
                        rps_scene_probe(s->scene, i)->needs_contacts);
    }
    rps_world_keep_contacts(s->world, keep);
    return keep;
}

/* Whether bodies are inserted or events happen before the step after this one. */
static bool is_changed_after(const rps_simulation *s, uint64_t step) {
    return rps_scene_insert_due(s->scene, rps_step_time(s->plan->clock, step)) || rps_event_is_due(s->scene, step);
}

/* Whether other processes can take steps: a scene with traffic must do nothing before the first of them. */
static bool may_be_away(const rps_simulation *s) {
    return s->remote != NULL && (!rps_scene_has_traffic(s->scene) || (rps_scene_can_watch(s->scene) && !s->acts));
}

/* Takes the step with this number, with what comes, goes or changes before it. */
static rps_status take_next_step(rps_simulation *s, const rps_step_request *request, uint64_t number, rps_error *err) {
    const bool away = may_be_away(s) && !request->start && s->started && s->remote->has(s->remote->context) &&
                      !is_changed_after(s, number - 1);
    if (away) {
        const bool keep = prepare(s, request, number);
        bool passes; /* what passes is seen after the step */
        RPS_TRY(s->remote->step(s->remote->context, s->world, 1, keep, &passes, err));
        return rps_simulation_bring(s, false, err);
    }
    RPS_TRY(rps_simulation_bring(s, true, err));
    RPS_TRY(rps_scene_before_step(s->scene, s->world, NULL, err));
    prepare(s, request, number);
    return request->start ? rps_world_start(s->world, err) : rps_world_step(s->world, 1, err);
}

static rps_status read_probe(rps_simulation *s, size_t index, rps_error *err) {
    s->read[index] = true;
    return rps_scene_probe_value(s->scene, s->world, index, &s->value[index], err);
}

/* Reads the probes due at the current step, or with `rest` all that are still unread, and updates the checks. */
static rps_status read_probes(rps_simulation *s, bool rest, rps_error *err) {
    bool any = false;
    for (size_t i = 0; i < s->probes; i++) {
        if (s->read[i] == rest) continue; /* keeps its last value */
        any = true;
        RPS_TRY(read_probe(s, i, err));
    }
    return any ? rps_scene_watch(s->scene, rps_world_time(s->world), s->value, s->read, err) : RPS_OK;
}

rps_status rps_simulation_advance(rps_simulation *s, const rps_step_request *request, rps_error *err) {
    const uint64_t number = rps_world_steps(s->world) + (request->start ? 0 : 1);
    RPS_TRY(take_next_step(s, request, number, err));
    RPS_TRY(rps_scene_after_step(s->scene, s->world, err));
    s->acts = s->remote != NULL && rps_scene_sinks_take(s->scene, s->world);
    s->started = true;
    s->steps = number;
    const bool rest = rps_rest_reached(s), until = number >= s->last_step;
    RPS_TRY(read_probes(s, false, err));
    RPS_TRY(rps_scene_stage_over(s->scene, s->world, s->value, &s->stage_is_over, err));
    const bool over = s->stage_is_over && rps_scene_stage_may_end_run(s->scene, number);
    if (over && !rest && !until) RPS_TRY(read_probes(s, true, err));
    for (size_t i = 0; i < s->probes && s->stage_is_over; i++) { /* the first values of the next stage */
        if (!s->read[i] && rps_checks_need_before(s->scene, i)) RPS_TRY(read_probe(s, i, err));
    }
    s->end = until ? RPS_END_UNTIL : rest ? RPS_END_REST : over ? RPS_END_STAGES : RPS_END_STOPPED;
    return RPS_OK;
}

/* Values read at the end of a stage also apply at the beginning of the next one. */
rps_status rps_simulation_settle(rps_simulation *s, rps_error *err) {
    bool more;
    if (!s->stage_is_over) return RPS_OK;
    s->stage_is_over = false;
    s->acts = true;
    RPS_TRY(rps_simulation_bring(s, true, err));
    RPS_TRY(rps_scene_stage_next(s->scene, s->world, &more, err));
    rps_simulation_find_end(s); /* the step may be another */
    return rps_scene_watch(s->scene, rps_world_time(s->world), s->value, s->read, err);
}

/* --- steps that are not --------------------------------------------------------------------------------------------- */

/* True if the scene observes the end of the step with this number. */
static bool looks(const rps_simulation *s, uint64_t step) {
    bool any = step >= s->last_step || rps_rest_looks(s, step) || rps_scene_stage_looks(s->scene, step);
    for (size_t i = 0; i < s->probes && !any; i++) any = rps_scene_probe_due(s->scene, i, step);
    return any;
}

uint64_t rps_simulation_unobserved(const rps_simulation *s, uint64_t most) {
    const uint64_t first = rps_world_steps(s->world);
    uint64_t n = 0;
    if (rps_scene_has_traffic(s->scene) && !may_be_away(s)) return 0;
    while (n < most && !looks(s, first + n + 1) && ((n == 0 && s->remote == NULL) || !is_changed_after(s, first + n))) {
        n++;
    }
    return n;
}

rps_status rps_simulation_skip(rps_simulation *s, uint64_t steps, rps_error *err) {
    const uint64_t first = rps_world_steps(s->world);
    if (s->remote != NULL) { /* nothing comes or goes: rps_simulation_unobserved */
        bool passes;
        RPS_TRY(s->remote->step(s->remote->context, s->world, steps, false, &passes, err));
        if (passes) {
            RPS_TRY(rps_simulation_bring(s, false, err));
            RPS_TRY(rps_scene_after_step(s->scene, s->world, err));
            s->acts = rps_scene_sinks_take(s->scene, s->world);
        }
    } else {
        RPS_TRY(rps_scene_before_step(s->scene, s->world, NULL, err));
        rps_world_keep_contacts(s->world, false);
        RPS_TRY(rps_world_step(s->world, steps, err));
    }
    s->steps += rps_world_steps(s->world) - first;
    return RPS_OK;
}

rps_status rps_simulation_bring(const rps_simulation *s, bool changes, rps_error *err) {
    return s->remote != NULL ? s->remote->bring(s->remote->context, s->world, changes, err) : RPS_OK;
}

/* --- failures ------------------------------------------------------------------------------------------------------- */

rps_status rps_simulation_check_ledger(const rps_simulation *s, rps_error *err) {
    rps_ledger ledger;
    return s->world->options.ledger ? rps_world_ledger(s->world, &ledger, err) : RPS_OK;
}

void rps_simulation_failed(rps_simulation *s, rps_status status, const char *text) {
    s->stop_expected = status == RPS_GUARD && rps_scene_stopped(s->scene, s->world, text);
    s->end = RPS_END_FAILED;
    snprintf(s->failure, sizeof s->failure, "%.*s", (int)strcspn(text, "\n"), text);
}

/* --- checks --------------------------------------------------------------------------------------------------------- */

void rps_simulation_cut(rps_simulation *s, const char *how) {
    const bool failed = s->end == RPS_END_FAILED;
    const bool whole = failed ? s->stop_expected : !rps_simulation_goes_on(s);
    rps_scene_cut(s->scene, whole ? NULL : failed ? "failed" : how, rps_world_time(s->world));
}

bool rps_simulation_check_row(rps_simulation *s, size_t index, rps_check_row *row, rps_error *why) {
    rps_check_result check = {.name = "check", .applies = true};
    const bool known = rps_scene_check(s->scene, index, &check, why) == RPS_OK;
    *row = (rps_check_row){.scene = s->plan->path,
                           .variant = rps_scene_variant(s->scene),
                           .check = check.name,
                           .unit = check.unit,
                           .source = check.source,
                           .expected = check.expected,
                           .measured = check.measured,
                           .tolerance = check.tolerance,
                           .judged = !known || check.judged,
                           .passed = known && check.passed,
                           .error = known ? NULL : why->text,
                           .note = check.note};
    return check.applies;
}
