/* The functions that a share calls in each step: poses of copies, exact sums, largest numbers (world/share.h). */
#include <string.h>

#include "spread/deal.h"

static const double AHEAD = 2.0; /* the fastest body may be this much faster in the next step */

/* A copy of a sphere takes its position, the rotation of the step and, for its predicted path, its velocity; its radius stays.
 * One of a body with pieces takes its orientation too. */
enum { PATH_NUMBERS = 3 + 4 + 3, TURNED_NUMBERS = PATH_NUMBERS + 4 };

size_t rps_halo_item_bytes(const rps_world *world) {
    return (world->pieces > 0 ? TURNED_NUMBERS : PATH_NUMBERS) * sizeof(double);
}

static void halo_put(const rps_bodies *bodies, size_t slot, bool turned, double *to) {
    const rps_pose *pose = &bodies->pose[slot];
    memcpy(to, pose->position, sizeof pose->position);
    memcpy(to + 3, pose->rodrigues, sizeof pose->rodrigues);
    to[6] = pose->rodrigues_scale[0];
    memcpy(to + 7, bodies->motion[slot].velocity, sizeof bodies->motion->velocity);
    if (turned) memcpy(to + PATH_NUMBERS, bodies->orientation[slot], sizeof *bodies->orientation);
}

static void halo_get(rps_bodies *bodies, size_t slot, bool turned, const double *from) {
    rps_pose *pose = &bodies->pose[slot];
    memcpy(pose->position, from, sizeof pose->position);
    memcpy(pose->rodrigues, from + 3, sizeof pose->rodrigues);
    pose->rodrigues_scale[0] = from[6];
    memcpy(bodies->motion[slot].velocity, from + 7, sizeof bodies->motion->velocity);
    if (turned) memcpy(bodies->orientation[slot], from + PATH_NUMBERS, sizeof *bodies->orientation);
}

static rps_status spread_follow(rps_world *world, rps_error *err) {
    rps_spread *s = world->share->context;
    rps_halo *halo = &s->halo;
    const size_t numbers = halo->bytes / sizeof(double);
    const bool turned = numbers == TURNED_NUMBERS;
    const rps_spread_timer timer = rps_spread_pause_work(s);
    for (size_t k = 0; k < halo->sends; k++) {
        halo_put(&world->bodies, rps_world_slot(world, halo->send[k]), turned, halo->out + k * numbers);
    }
    RPS_TRY(rps_plan_send(halo->plan, halo->out, halo->in, err));
    for (size_t k = 0; k < halo->takes; k++) {
        halo_get(&world->bodies, rps_world_slot(world, halo->take[k]), turned, halo->in + k * numbers);
    }
    s->counts.copies += halo->takes;
    s->counts.sent += halo->sends;
    s->counts.messages += halo->partners;
    s->counts.bodies += world->share->own;
    rps_spread_resume_work(s, timer, &s->counts.follow);
    return RPS_OK;
}

/* Copies suffice while no body that is none here can touch an own one: both may have come nearer. */
static bool spread_pause(const rps_world *world) {
    rps_spread *s = world->share->context;
    const double step = world->moved.speed * world->step;
    s->travel += step;
    s->since++;
    const bool no_copies = s->size == 1 || !(s->mean_radius > 0.0); /* no body is free: grains are to come */
    if (no_copies) return s->due = s->deal_every > 0 && s->since >= s->deal_every;
    s->overrun = s->overrun || 2.0 * s->travel > s->margin;
    s->due =
        s->overrun || 2.0 * (s->travel + AHEAD * step) >= s->margin || (s->deal_every > 0 && s->since >= s->deal_every);
    if (!s->due && s->since % RPS_BALANCE_STEPS == 0) s->due = rps_balance_is_worth(s);
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
    const rps_spread_timer timer = rps_spread_pause_work(s);
    for (size_t k = 0; k < n; k += SUMS_AT_ONCE) sums_at_once(s, n - k < SUMS_AT_ONCE ? n - k : SUMS_AT_ONCE, sum + k);
    rps_spread_resume_work(s, timer, &s->counts.sums);
}

static void spread_most(const rps_share *share, size_t n, double *most) {
    rps_spread *s = share->context;
    const rps_spread_timer timer = rps_spread_pause_work(s);
    MPI_Allreduce(MPI_IN_PLACE, most, (int)n, MPI_DOUBLE, s->most, s->comm);
    rps_spread_resume_work(s, timer, &s->counts.sums);
}

rps_share rps_spread_share(rps_spread *s, size_t own, size_t mine, uint64_t bodies, const uint64_t *gid) {
    s->travel = 0.0;
    s->since = 0;
    s->due = false;
    return (rps_share){.own = own,
                       .mine = mine,
                       .first = s->rank == 0,
                       .bodies = bodies,
                       .ids = s->ids,
                       .gid = gid,
                       .context = s,
                       .follow = spread_follow,
                       .pause = spread_pause,
                       .sum = spread_sum,
                       .most = spread_most};
}
