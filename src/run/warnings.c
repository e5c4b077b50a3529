/* Reasons to doubt a result that no guard covers. They are reported at the end of every run, with any guards. */
#include "run/run_state.h"

#include <math.h>
#include <stdarg.h>

#include <repose/step.h>

#include "base/c_locale.h"

__attribute__((format(printf, 2, 3))) static void warn(rps_run_state *run, const char *format, ...) {
    if (run->warnings == RPS_DOUBTS_MOST) return;
    char *text = run->warn[run->warnings++];
    va_list list;
    va_start(list, format);
    rps_vsnprintf(text, RPS_DOUBT_BYTES, format, list);
    va_end(list);
    if (run->options->log) run->options->log(run->options->log_context, RPS_LOG_WARNING, text);
}

/* Warns if the residual exceeds both the dissipation and 1 % of the energy in exchange (kinetic, elastic, drives,
 * gravity). A world without dissipation still has a residual of the order of its step. */
static void warn_of_ledger(rps_run_state *run, const rps_ledger *l) {
    double lost = l->drag, least = 0.0, there = l->kinetic_translation + l->kinetic_rotation + fabs(l->flow);
    int most = RPS_ROLE_DAMPING;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        lost += l->dissipated[role];
        there += l->elastic[role];
        if (l->dissipated[role] < least) {
            least = l->dissipated[role];
            most = role;
        }
    }
    there += fabs(l->drives) + fabs(l->gravity - l->start);
    if (fabs(l->residual) > lost && fabs(l->residual) > 0.01 * there) {
        warn(
            run,
            "the energy balance is off by %.3g J, more than the %.3g J that were dissipated: the result means nothing; "
            "take a smaller step (`run: {step: auto}`), and let the guards stop the run",
            l->residual, lost);
    }
    if (least < 0.0 && -least > 0.01 * fmax(there, lost)) {
        warn(run,
             "%s %s took %.3g J, less than nothing: it created energy; `repose audit` says which laws do, and a step "
             "above the stability limit does it too",
             rps_role_name((rps_role)most), most == RPS_ROLE_DAMPING ? "dashpots" : "friction", least);
    }
}

static void warn_of_insertions(rps_run_state *run) {
    for (size_t i = 0; i < rps_scene_insertions(run->scene); i++) {
        const char *behind = rps_scene_insertion_behind(run->scene, i);
        if (!behind) continue;
        warn(run,
             "%s, for want of a free place in the region or of time: probes and checks see what is there; pour more "
             "slowly, into a larger region, with a velocity out of it, or run longer",
             behind);
    }
}

/* Problems that `run.dump` asked for and that were not written. */
static void warn_of_dumps(rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    if (plan->dumps > 0 && !run->options->directory) {
        warn(run, "`run.dump` wrote nothing: the run has no folder for its results; give one by `-o`");
        return;
    }
    const double time = rps_world_time(run->world);
    for (size_t k = 0; k < plan->dumps; k++) {
        if (plan->dump[k] <= time + 0.5 * plan->clock.step) continue;
        warn(run, "`run.dump`: the run ended at %g s, before the step at %g s", time, plan->dump[k]);
    }
}

void rps_warnings_find(rps_run_state *run, const rps_run_summary *summary) {
    const rps_solver_report *solver = &summary->solver;
    if (summary->has_ledger) warn_of_ledger(run, &summary->ledger);
    if (2 * solver->missed > solver->steps) {
        warn(run,
             "%llu of %llu steps were left unsolved (worst residual %.2e, tolerance %.2e): the result means nothing; "
             "raise `max_iterations`, take a smaller step, or let `on_missed: refine` repeat such steps in halves",
             (unsigned long long)solver->missed, (unsigned long long)solver->steps, solver->worst_residual,
             run->world->options.nonsmooth.tolerance);
    }
    if (solver->gaining > 0) {
        warn(run,
             "in %llu of the %llu steps that were left above the tolerance contacts and joints created energy, %.3g J "
             "in "
             "all: raise `max_iterations`, or let `on_missed: refine` repeat such steps in halves",
             (unsigned long long)solver->gaining, (unsigned long long)solver->missed, solver->gained);
    }
    warn_of_insertions(run);
    warn_of_dumps(run);
}
