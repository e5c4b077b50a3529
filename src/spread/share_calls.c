/* The functions that a share calls in each step: poses of copies, exact sums, largest numbers (world/share.h). */
#include <string.h>

#include "base/clock.h"
#include "spread/deal.h"

static const double AHEAD = 2.0; /* the fastest body may be this much faster in the next step */

static rps_status spread_follow(rps_world *world, rps_error *err) {
    rps_spread *s = world->share->context;
    rps_halo *halo = &s->halo;
    rps_bodies *bodies = &world->bodies;
    const double began = rps_clock_seconds();
    for (size_t k = 0; k < halo->sends; k++) {
        const size_t slot = rps_world_slot(world, halo->send[k]);
        char *to = halo->out + k * RPS_HALO_BYTES;
        memcpy(to, &bodies->pose[slot], sizeof *bodies->pose);
        memcpy(to + sizeof *bodies->pose, bodies->orientation[slot], 4 * sizeof(double));
    }
    RPS_TRY(rps_plan_send(halo->plan, halo->out, halo->in, err));
    for (size_t k = 0; k < halo->takes; k++) {
        const size_t slot = rps_world_slot(world, halo->take[k]);
        const char *from = halo->in + k * RPS_HALO_BYTES;
        memcpy(&bodies->pose[slot], from, sizeof *bodies->pose);
        memcpy(bodies->orientation[slot], from + sizeof *bodies->pose, 4 * sizeof(double));
    }
    s->counts.copies += halo->takes;
    s->counts.follow_seconds += rps_clock_seconds() - began;
    return RPS_OK;
}

/* Copies suffice while no body that is none here can touch an own one: both may have come nearer. */
static bool spread_pause(const rps_world *world) {
    rps_spread *s = world->share->context;
    const double step = world->moved.speed * world->step;
    s->travel += step;
    s->since++;
    s->counts.steps++;
    s->overrun = s->overrun || 2.0 * s->travel > s->margin;
    s->due =
        s->overrun || 2.0 * (s->travel + AHEAD * step) >= s->margin || (s->deal_every > 0 && s->since >= s->deal_every);
    return s->due;
}

enum { SUM_WORDS = RPS_EXACT_SUM_LIMBS + 3, SUMS_AT_ONCE = 64 };

/* Normalized limbs are below 2^32 but for the last, so that those of 2^31 processes add up without overflow. */
static void sums_at_once(const rps_spread *s, size_t n, rps_exact_sum *sum) {
    int64_t word[SUMS_AT_ONCE * SUM_WORDS];
    for (size_t k = 0; k < n; k++) {
        int64_t *to = word + k * SUM_WORDS;
        rps_exact_sum_normalize(&sum[k]);
        memcpy(to, sum[k].limb, sizeof sum[k].limb);
        for (int bit = 0; bit < 3; bit++) to[RPS_EXACT_SUM_LIMBS + bit] = sum[k].special >> bit & 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, word, (int)(n * SUM_WORDS), MPI_INT64_T, MPI_SUM, s->comm);
    for (size_t k = 0; k < n; k++) {
        const int64_t *from = word + k * SUM_WORDS;
        memcpy(sum[k].limb, from, sizeof sum[k].limb);
        sum[k].special = 0;
        for (int bit = 0; bit < 3; bit++) {
            if (from[RPS_EXACT_SUM_LIMBS + bit] != 0) sum[k].special |= 1u << bit;
        }
        rps_exact_sum_normalize(&sum[k]);
    }
}

static void spread_sum(const rps_share *share, size_t n, rps_exact_sum *sum) {
    rps_spread *s = share->context;
    const double began = rps_clock_seconds();
    for (size_t k = 0; k < n; k += SUMS_AT_ONCE) sums_at_once(s, n - k < SUMS_AT_ONCE ? n - k : SUMS_AT_ONCE, sum + k);
    s->counts.sum_seconds += rps_clock_seconds() - began;
}

static void spread_most(const rps_share *share, size_t n, double *most) {
    rps_spread *s = share->context;
    const double began = rps_clock_seconds();
    MPI_Allreduce(MPI_IN_PLACE, most, (int)n, MPI_DOUBLE, s->most, s->comm);
    s->counts.sum_seconds += rps_clock_seconds() - began;
}

rps_share rps_spread_share(rps_spread *s, size_t own, size_t mine, uint64_t bodies, const uint64_t *gid) {
    s->travel = 0.0;
    s->since = 0;
    s->due = false;
    return (rps_share){.own = own,
                       .mine = mine,
                       .first = s->rank == 0,
                       .bodies = bodies,
                       .gid = gid,
                       .context = s,
                       .follow = spread_follow,
                       .pause = spread_pause,
                       .sum = spread_sum,
                       .most = spread_most};
}
