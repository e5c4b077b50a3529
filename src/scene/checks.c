/* Checks reduce the history of a probe to one number and compare it with an expectation. The whole state of a check
 * is the plain numbers of its rps_check_memory. check_read.c reads checks from the scene. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "scene/check.h"

/* --- watching ------------------------------------------------------------------------------------------------------ */

static void watch_at(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    double target = check->to, last = m->last_time, near = 1e-9 * (time - last);
    if (m->has_result) return;
    if (!m->has_last || fabs(time - target) <= near) {
        if (time < target && fabs(time - target) > near) return;
        m->has_result = !isnan(value) && (m->has_last || time == target);
        m->result = value;
    } else if (last < target && target < time) {
        /* a mode cannot be interpolated: the last step counts */
        double v = check->is_mode ? m->last : m->last + (value - m->last) * ((target - last) / (time - last));
        m->has_result = !isnan(v);
        m->result = v;
    }
}

/* Difference of the interpolated values at both ends of the window, over its length. A stage that ends between two steps is
 * last seen up to half a step earlier: that is then the end. */
static void watch_rate(rps_check *check, double time, double value, double step) {
    rps_check_memory *m = &check->memory;
    const double end[2] = {check->from, check->to}, rounding = 1e-9 * step, early[2] = {rounding, 0.5 * step};
    for (int k = 0; k < 2; k++) {
        const bool now = m->has_last ? m->last_time < end[k] - rounding && time >= end[k] - early[k]
                                     : fabs(time - end[k]) < 1.5 * step;
        if (!now) continue;
        const double part = m->has_last ? fmin((end[k] - m->last_time) / (time - m->last_time), 1.0) : 1.0;
        const double v = part < 1.0 ? m->last + (value - m->last) * part : value;
        const double at = part < 1.0 ? end[k] : time;
        if (k == 0) {
            m->integral = v;
            m->span = end[1] - at;
        } else if (m->span > end[1] - at) {
            m->result = (v - m->integral) / (m->span - (end[1] - at));
            m->has_result = !isnan(m->result);
        }
    }
}

/* Adds the part of the trapezoid between the last two samples that lies in the window. */
static void watch_mean(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    if (!m->has_last || isnan(m->last) || isnan(value)) return;
    double a = fmax(m->last_time, check->from), b = fmin(time, check->to),
           slope = (value - m->last) / (time - m->last_time);
    if (!(b > a)) return;
    double va = m->last + slope * (a - m->last_time), vb = m->last + slope * (b - m->last_time);
    const bool squares = check->reduce == RMS;
    m->integral += 0.5 * (squares ? va * va + vb * vb : va + vb) * (b - a);
    m->span += b - a;
    m->result = squares ? sqrt(m->integral / m->span) : m->integral / m->span;
    m->has_result = 1;
}

static void keep_extreme(rps_check *check, double value, double time) {
    rps_check_memory *m = &check->memory;
    if (!m->has_result || (check->reduce == MIN ? value < m->result : value > m->result)) {
        m->result = value;
        m->when = time;
    }
    m->has_result = 1;
}

/* The number to compare and report. */
static double result_of(const rps_check *check) {
    return check->when ? check->memory.when : check->memory.result;
}

/* Means over consecutive blocks of time, from the first sample in the window. */
static void watch_block(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    if (!m->has_last || isnan(m->last) || isnan(value) || m->last_time < check->from) return;
    m->integral += 0.5 * (m->last + value) * (time - m->last_time);
    m->span += time - m->last_time;
    if (m->span < check->block * (1.0 - 1e-9)) return;
    keep_extreme(check, m->integral / m->span, time - 0.5 * m->span);
    m->integral = m->span = 0.0;
}

static void watch_crossing(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    double v = check->value, last = m->last;
    if (m->has_result || !m->has_last || isnan(last) || isnan(value)) return;
    bool up = last < v && value >= v && check->direction != 2, down = last > v && value <= v && check->direction != 1;
    if (!up && !down) return;
    double crossing = m->last_time + (v - last) / (value - last) * (time - m->last_time);
    if (!(crossing > check->after)) return;
    m->result = crossing;
    m->has_result = 1;
}

/* Distance of a value from the nearer bound, positive between the bounds. */
static double neighbor_margin(const rps_check *check, double value) {
    double low = isnan(check->above) ? INFINITY : value - check->above;
    double high = isnan(check->below) ? INFINITY : check->below - value;
    return fmin(low, high);
}

/* Keeps the value nearest to a violation, or the first violation. */
static void watch_bounds(rps_check *check, double time, double value) {
    rps_check_memory *m = &check->memory;
    if (isnan(value) || !(time > check->after) || m->violated) return;
    bool holds = isnan(check->above) && isnan(check->below) ? value == check->value
                                                            : !(value <= check->above) && !(value >= check->below);
    m->violated = check->reduce == ALWAYS ? !holds : holds;
    double margin = neighbor_margin(check, value), kept = neighbor_margin(check, m->result);
    bool worse = check->reduce == ALWAYS ? margin < kept : margin > kept;
    worse = worse || !m->has_result || m->violated;
    if (worse) m->result = value;
    m->has_result = 1;
}

static void watch(rps_check *check, double time, double value, double step, int absence) {
    rps_check_memory *m = &check->memory;
    if (m->has_last && !(time > m->last_time)) return;
    if (isnan(value) && !(check->reduce == AT && m->has_last && m->last_time >= check->to)) m->absence = absence;
    m->seen = m->seen || !isnan(value);
    bool inside = time >= check->from && time <= check->to;
    switch (check->reduce) {
    case AT:
        watch_at(check, time, value);
        break;
    case FINAL:
        m->has_result = !isnan(value);
        m->result = value;
        break;
    case MIN:
    case MAX:
        if (!inside || isnan(value)) break;
        if (check->block > 0.0) {
            watch_block(check, time, value);
        } else {
            keep_extreme(check, value, time);
        }
        break;
    case MEAN:
    case RMS:
        watch_mean(check, time, value);
        break;
    case RATE:
        watch_rate(check, time, value, step);
        break;
    case BECOMES:
        if (!m->has_result && m->has_last && m->last != check->value && value == check->value && time > check->after) {
            m->result = time;
            m->has_result = 1;
        }
        break;
    case CROSSES:
        watch_crossing(check, time, value);
        break;
    default:
        watch_bounds(check, time, value);
        break;
    }
    m->last_time = time;
    m->last = value;
    m->has_last = 1;
}

rps_status rps_scene_watch(rps_scene *scene, double time, const double *value, const bool *read, rps_error *err) {
    (void)err;
    for (size_t i = 0; i < scene->observer.checks; i++) {
        rps_check *check = &scene->observer.check[i];
        if (!check->watched || !read[check->probe]) continue;
        if (check->stage < 0) {
            watch(check, time, value[check->probe], scene->run.step, scene->observer.probe[check->probe].absence);
        } else if ((size_t)check->stage == scene->stages.now) {
            watch(check, time - rps_step_time(scene->run.clock, scene->stages.from), value[check->probe],
                  scene->run.step, scene->observer.probe[check->probe].absence);
        }
    }
    rps_measures_watch(scene, time, value, read);
    return RPS_OK;
}

/* --- across a restart ---------------------------------------------------------------------------------------------- */

void rps_check_memory_get(const rps_scene *scene, size_t index, double out[RPS_CHECK_MEMORY]) {
    const rps_check_memory *m = &scene->observer.check[index].memory;
    const double all[RPS_CHECK_MEMORY] = {m->has_last, m->has_result, m->seen, m->violated, m->last_time, m->last,
                                          m->result,   m->integral,   m->span, m->when,     m->absence};
    memcpy(out, all, sizeof all);
}

void rps_check_memory_set(rps_scene *scene, size_t index, const double from[RPS_CHECK_MEMORY]) {
    scene->observer.check[index].memory = (rps_check_memory){.has_last = from[0] != 0.0,
                                                             .has_result = from[1] != 0.0,
                                                             .seen = from[2] != 0.0,
                                                             .violated = from[3] != 0.0,
                                                             .last_time = from[4],
                                                             .last = from[5],
                                                             .result = from[6],
                                                             .integral = from[7],
                                                             .span = from[8],
                                                             .when = from[9],
                                                             .absence = (int32_t)from[10]};
}

/* --- verdict ------------------------------------------------------------------------------------------------------- */

bool rps_scene_stopped(rps_scene *scene, const rps_world *world, const char *text) {
    bool expected = false;
    for (size_t i = 0; i < scene->observer.checks; i++) {
        expected = expected || (scene->observer.check[i].reduce == STOPS && scene->observer.check[i].applies);
    }
    scene->observer.stop.guard = world->guard.stopped;
    scene->observer.stop.time = rps_world_time(world);
    scene->observer.stop.text = rps_pool_printf(&scene->pool, NULL, "%.*s", (int)strcspn(text, "\n"), text);
    for (int k = 0; k < 2; k++) {
        const uint64_t id = scene->observer.stop.id[k] = world->guard.offending_body[k];
        const size_t slot = id == UINT64_MAX ? SIZE_MAX : rps_world_slot(world, id);
        scene->observer.stop.group[k] = slot == SIZE_MAX ? -1 : world->bodies.group[slot][0];
    }
    return expected && scene->observer.stop.guard != RPS_GUARD_NONE;
}

/* True if the guard blames every body that the check names. */
static bool points_at_all(const rps_scene *scene, const rps_check *check) {
    const rps_node *bodies = rps_node_get(check->node, "bodies");
    for (size_t i = 0; bodies && i < bodies->count; i++) {
        const rps_named *named = rps_scene_named(scene, bodies->entry[i].value->text);
        bool found = false;
        for (int k = 0; k < 2 && named; k++) {
            found = found || (named->is_set ? scene->observer.stop.group[k] == named->group
                                            : scene->observer.stop.id[k] == named->id);
        }
        if (!found) return false;
    }
    return true;
}

static void judge_stop(const rps_scene *scene, const rps_check *check, rps_check_result *out) {
    const bool stopped = scene->observer.stop.guard != RPS_GUARD_NONE,
               right = scene->observer.stop.guard == check->guard;
    const double time = stopped ? scene->observer.stop.time : NAN;
    const bool in_time = isnan(check->expected) ? !(time <= check->above) && !(time >= check->below)
                                                : fabs(time - check->expected) <= check->tolerance;
    out->measured = time;
    out->passed = stopped && right && in_time && points_at_all(scene, check);
    if (!stopped) {
        out->note = "no guard stopped the run";
    } else if (!out->passed) {
        out->note = scene->observer.stop.text ? scene->observer.stop.text : "another guard, time or body";
    }
}

void rps_scene_cut(rps_scene *scene, const char *how, double time) {
    if (how)
        rps_snprintf(scene->observer.cut_text, sizeof scene->observer.cut_text, "not judged: the run %s at t = %.6g s",
                     how, time);
    scene->observer.cut = how ? scene->observer.cut_text : NULL;
}

size_t rps_scene_check_count(const rps_scene *scene) {
    return scene->observer.checks;
}

bool rps_scene_check_applies(const rps_scene *scene, size_t index) {
    return index < scene->observer.checks && scene->observer.check[index].applies;
}

/* True if no later step can change the verdict. */
static bool is_decided(const rps_scene *scene, const rps_check *check) {
    const rps_check_memory *m = &check->memory;
    const bool ended = m->has_last && m->last_time > check->to, open_above = isnan(check->above),
               open_below = isnan(check->below);
    if (check->reduce == STOPS) return false;
    if (check->stage >= 0 && (size_t)check->stage < scene->stages.now) return true;
    switch (check->reduce) {
    case AT:
        return ended || m->has_result;
    case BECOMES:
    case CROSSES:
        return m->has_result;
    case ALWAYS:
    case NEVER:
        return m->violated;
    case MIN: /* it only falls */
        return ended || (m->has_result && !check->when &&
                         (m->result <= check->above || (open_above && m->result < check->below)));
    case MAX: /* it only grows */
        return ended || (m->has_result && !check->when &&
                         (m->result >= check->below || (open_below && m->result > check->above)));
    case MEAN:
    case RMS:
    case RATE:
        return ended;
    default:
        return false;
    }
}

/* Why there is no result, including the reason `why` of the probe. */
static const char *checks_missing_note(rps_scene *scene, const rps_check *check) {
    const rps_check_memory *m = &check->memory;
    const char *why = rps_absence_text(m->absence), *what;
    if (!m->has_last) return "the probe was never read";
    if (m->seen && check->reduce == BECOMES) return "it never changed into this value";
    if (m->seen && check->reduce == CROSSES) return "it never crossed this value";
    what = m->seen ? "the probe had no value then" : "the probe never had a value";
    what = *why && m->absence != RPS_NEVER_READ ? rps_pool_printf(&scene->observer.notes, NULL, "%s: %s", what, why)
                                                : what;
    return what ? what : why;
}

/* A late insertion does not fail a check, but the note of the check mentions it. Probes of one set ignore insertions
 * of other sets. */
static const char *with_insertions(rps_scene *scene, const rps_check *check, const char *note) {
    for (size_t i = 0; i < scene->insertions.count; i++) {
        const int group = scene->observer.probe[check->probe].group;
        const char *behind = group < 0 || group == scene->insertions.item[i].particle_template.def.group
                                 ? rps_scene_insertion_behind(scene, i)
                                 : NULL;
        if (!behind) continue;
        const char *both = rps_pool_printf(&scene->observer.notes, NULL, "%s%s%s", note, *note ? "; " : "", behind);
        note = both ? both : note;
    }
    return note;
}

rps_status rps_scene_check(rps_scene *scene, size_t index, rps_check_result *out, rps_error *err) {
    if (index >= scene->observer.checks) return rps_fail(err, RPS_BAD_INPUT, "there is no check number %zu", index);
    const rps_check *check = &scene->observer.check[index];
    const rps_check_memory *m = &check->memory;
    double low = check->above, high = check->below;
    *out = (rps_check_result){.name = check->name,
                              .variant = check->variant,
                              .unit = check->unit,
                              .source = check->source,
                              .note = "",
                              .applies = check->applies,
                              .expected = check->expected,
                              .tolerance = check->tolerance,
                              .measured = m->has_result ? result_of(check) : NAN};
    if (isnan(check->expected) && !(check->reduce == STOPS && isnan(low) && isnan(high))) {
        bool one = isnan(low) || isnan(high);
        out->expected = isnan(low) && isnan(high) ? check->value
                        : isnan(low)              ? high
                        : isnan(high)             ? low
                                                  : 0.5 * (low + high);
        out->tolerance = one ? NAN : 0.5 * (high - low);
    }
    if (!check->applies) return RPS_OK;
    out->judged = !scene->observer.cut || is_decided(scene, check);
    if (!out->judged) {
        out->measured = NAN;
        out->note = scene->observer.cut;
        return RPS_OK;
    }
    if (check->reduce == STOPS) {
        judge_stop(scene, check, out);
        return RPS_OK;
    }
    if (!m->has_result) {
        out->note = with_insertions(scene, check, checks_missing_note(scene, check));
        return RPS_OK;
    }
    if (check->reduce == ALWAYS || check->reduce == NEVER)
        out->passed = !m->violated;
    else if (!isnan(check->expected))
        out->passed = fabs(result_of(check) - check->expected) <= check->tolerance;
    else
        out->passed = !(result_of(check) <= low) && !(result_of(check) >= high);
    out->note = with_insertions(scene, check, "");
    return RPS_OK;
}

/* --- measures ------------------------------------------------------------------------------------------------------ */

static bool checks_lacks(const rps_check *check) {
    const bool of_time = check->reduce == BECOMES || check->reduce == CROSSES;
    return !check->memory.has_result && !(of_time && check->memory.seen);
}

const char *rps_check_missing(rps_scene *scene, size_t index) {
    const rps_check *check = &scene->observer.check[index];
    return checks_lacks(check) ? checks_missing_note(scene, check) : NULL;
}

double rps_check_value(rps_scene *scene, size_t index, bool verdict, bool *decided) {
    rps_check_result result;
    const rps_check *check = &scene->observer.check[index];
    *decided = is_decided(scene, check);
    if (!check->memory.has_result && (!verdict || checks_lacks(check))) return NAN;
    if (!verdict) return result_of(check);
    return rps_scene_check(scene, index, &result, NULL) == RPS_OK && result.passed;
}
