/* Reports the progress of a run at intervals of wall time. Reading the clock and the ledger changes no state. */
#include "run/run_state.h"

#include <math.h>

#include "base/clock.h"

double rps_ledger_relative(const rps_ledger *ledger) {
    double lost = 0.0, there = ledger->kinetic_translation + ledger->kinetic_rotation + fabs(ledger->drives) +
                               fabs(ledger->shear) + fabs(ledger->flow);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        lost += ledger->dissipated[role];
        there += ledger->elastic[role];
    }
    lost += ledger->bonds_dissipated + ledger->drag;
    there += ledger->bonds_stored;
    double scale = lost > 0.0 ? lost : there;
    return scale > 0.0 ? ledger->residual / scale : ledger->residual == 0.0 ? 0.0 : INFINITY;
}

void rps_progress_begin(rps_run_state *run) {
    run->started = rps_clock_seconds();
    run->progress_last = run->started;
    run->progress_next = run->started + run->options->progress_seconds;
    run->progress_steps = rps_world_steps(run->world);
    run->progress.steps_per_second = NAN;
}

bool rps_progress_due(const rps_run_state *run, double now) {
    return run->options->progress && now >= run->progress_next;
}

void rps_progress_step(rps_run_state *run, bool last) {
    double now = rps_clock_seconds();
    if (!rps_progress_due(run, now) && !(last && run->options->progress)) {
        return;
    }
    rps_run_progress *p = &run->progress;
    p->steps = rps_world_steps(run->world);
    p->time = rps_world_time(run->world);
    p->until = run->plan->until;
    p->wall_seconds = now - run->started;
    double passed = now - run->progress_last;
    if (passed > 0.0 && p->steps > run->progress_steps) {
        double rate = (double)(p->steps - run->progress_steps) / passed;
        /* exponential average, so that the estimate follows smoothly */
        p->steps_per_second = isnan(p->steps_per_second) ? rate : 0.5 * (p->steps_per_second + rate);
    }
    if (last && p->wall_seconds > 0.0) {
        p->steps_per_second = (double)(p->steps - run->first_step) / p->wall_seconds;
    }
    p->remaining =
        run->sim.last_step == UINT64_MAX ? NAN : (double)(run->sim.last_step - p->steps) / p->steps_per_second;
    p->bodies = rps_world_body_count(run->world);
    p->contacts = rps_world_contact_count(run->world);
    rps_ledger ledger;
    bool known = run->world->options.ledger && rps_world_ledger(run->world, &ledger, NULL) == RPS_OK;
    p->residual = known ? rps_ledger_relative(&ledger) : NAN;
    p->last = last;
    run->options->progress(run->options->context, p);
    run->progress_last = rps_clock_seconds();
    run->progress_next = run->progress_last + run->options->progress_seconds;
    run->progress_steps = p->steps;
}
