/*
 * When bodies are dealt, with which margin, and with which weights (deal.h). Times decide, so two runs deal at different
 * steps; results do not depend on deals.
 *
 * Margin. Where the fastest body moves by u a step, a deal of D seconds comes every m/(2 u) steps. The N copies lie in a
 * layer of depth d + m, d the mean diameter, and each costs k seconds a step. Then 2 u D/m + k N m/(d + m) is least, for
 * a given density of copies N/(d + m), where
 *
 *   m = sqrt(2 D u (d + m)/(k N))
 *
 * Weights. A body weighs one and its listed contacts. Those of a process are scaled by its processor time for a weight, so
 * that regions with expensive shapes, and slow machines, get fewer bodies.
 *
 * Balance. All processes wait for the slowest. Once the mean process has so lost more since the last deal than a deal costs,
 * bodies are dealt. After a deal that did not help, a larger loss is waited for.
 */
#include <math.h>

#include "base/clock.h"
#include "spread/deal.h"

/* Of the margin, in mean radii: fewer copies would save next to nothing, more would be those of bodies deep inside a part. */
static const double MARGIN_FIRST = 0.6, MARGIN_LEAST = 0.4, MARGIN_MOST = 2.0;
static const double FACTOR_MOST = 4.0; /* of the weights of a process: times of few steps scatter */
static const double HELPED = 0.8;      /* of the loss a step, at most, remains after a deal that helped */
static const double PATIENCE_MOST = 256.0;

/* --- processor time ----------------------------------------------------------------------------------------------- */

rps_spread_timer rps_spread_pause_work(rps_spread *s) {
    const rps_spread_timer timer = {rps_clock_seconds(), rps_clock_processor_seconds(), s->balance.working};
    if (s->balance.working) s->balance.work += timer.processor - s->balance.since;
    s->balance.working = false;
    return timer;
}

void rps_spread_resume_work(rps_spread *s, rps_spread_timer timer, rps_spread_time *time) {
    const double now = rps_clock_processor_seconds();
    time->wall += rps_clock_seconds() - timer.wall;
    time->processor += now - timer.processor;
    time->times++;
    s->balance.working = timer.working;
    s->balance.since = now;
}

void rps_spread_work(rps_spread *s, bool begins) {
    const double now = rps_clock_processor_seconds();
    if (s->balance.working) s->balance.work += now - s->balance.since;
    s->balance.working = begins;
    s->balance.since = now;
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

bool rps_balance_is_worth(rps_spread *s) {
    rps_spread_balance *b = &s->balance;
    const rps_spread_timer timer = rps_spread_pause_work(s);
    double most = b->work - b->work_looked, sum[2] = {most, b->deal_seconds};
    b->work_looked = b->work;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, s->comm);
    b->lost += most - sum[0] / s->size;
    const bool worth = b->lost > b->patience * (sum[1] / s->size);
    if (worth) {
        const double rate = b->lost / (double)s->since;
        const bool helped = !(b->rate > 0.0) || rate < HELPED * b->rate;
        b->patience = helped ? 1.0 : fmin(2.0 * b->patience, PATIENCE_MOST);
        b->rate = rate;
        s->counts.balances++;
    }
    rps_spread_resume_work(s, timer, &s->counts.sums);
    return worth;
}

void rps_margin_bound(rps_spread *s) {
    if (!(s->margin > 0.0)) s->margin = MARGIN_FIRST * s->mean_radius;
    s->margin = fmin(fmax(s->margin, MARGIN_LEAST * s->mean_radius), MARGIN_MOST * s->mean_radius);
}

double rps_balance_choose(rps_spread *s, size_t held) {
    const rps_spread_balance *b = &s->balance;
    const double steps = (double)s->since, work = b->work - b->work_from;
    double sum[] = {work, (double)held, (double)s->halo.takes, b->deal_seconds, b->weight};
    MPI_Allreduce(MPI_IN_PLACE, sum, sizeof sum / sizeof *sum, MPI_DOUBLE, MPI_SUM, s->comm);
    if (steps < 1.0 || !(sum[0] > 0.0) || !(sum[4] > 0.0)) return 1.0;
    const double copies = sum[0] / (steps * sum[1]) * sum[2]; /* s, cost of all copies in a step */
    const double u = s->travel / steps, depth = 2.0 * s->mean_radius + s->margin;
    if (copies > 0.0 && u > 0.0) {
        const double best = sqrt(2.0 * sum[3] * u * depth / copies);
        s->margin = sqrt(s->margin * best); /* half the change: the density of copies changes with the margin */
    }
    rps_margin_bound(s);
    if (steps < RPS_BALANCE_STEPS || !(b->weight > 0.0)) return 1.0;
    const double factor = (work / b->weight) / (sum[0] / sum[4]);
    return fmin(fmax(factor, 1.0 / FACTOR_MOST), FACTOR_MOST);
}

void rps_balance_begin(rps_spread *s, double deal_seconds) {
    rps_spread_balance *b = &s->balance;
    b->deal_seconds = deal_seconds;
    b->work_from = b->work_looked = b->work;
    b->lost = 0.0;
    if (!(b->patience >= 1.0)) b->patience = 1.0;
}
