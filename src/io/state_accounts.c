/* Counts of a state, its time step and its energy accounts. */
#include <string.h>

#include "io/state_parts.h"

enum { SUMS = 1 + RPS_ACCOUNTS };
enum { STEPS, STARTED, BODIES, CONTACTS, COUNTS };
enum { STEP, SPEED, ENERGY_FIRST, VALUES };
static const char counts_name[] = "counts: steps, started, bodies, contacts";
static const char sums_name[] = "exact sums: energy brought, dissipated at fixed and driven bodies";
static const char values_name[] = "step, largest speed, first elastic energy";
/* A world whose step never changed has no such sections. */
static const char step_from_name[] = "number of the step since which they are so long", time_from_name[] = "time then";
static const char *const sections[] = {counts_name, values_name, sums_name, step_from_name, time_from_name, NULL};

static rps_status save_accounts(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const uint64_t count[COUNTS] = {world->steps, world->started, world->bodies.count, rps_world_contact_count(world)};
    const double value[VALUES] = {world->step, world->moved.speed, world->energy_first};
    uint64_t word[SUMS * RPS_SUM_WORDS];
    rps_sum_to_words(&world->energy_brought, word);
    for (int k = 0; k < RPS_ACCOUNTS; k++)
        rps_sum_to_words(&world->boundary_dissipated[k], word + (k + 1) * RPS_SUM_WORDS);
    RPS_TRY(rps_serializer_words(serializer, counts_name, count, COUNTS, err));
    RPS_TRY(rps_serializer_doubles(serializer, values_name, value, VALUES, err));
    if (world->step_from > 0) {
        RPS_TRY(rps_serializer_words(serializer, step_from_name, &world->step_from, 1, err));
        RPS_TRY(rps_serializer_doubles(serializer, time_from_name, &world->time_from, 1, err));
    }
    return rps_serializer_words(serializer, sums_name, word, SUMS * RPS_SUM_WORDS, err);
}

rps_status rps_state_clock(const rps_checkpoint *c, rps_step_clock *clock, rps_error *err) {
    double value[VALUES];
    RPS_TRY(rps_checkpoint_doubles(c, values_name, value, VALUES, err));
    *clock = (rps_step_clock){.step = value[STEP]};
    if (!rps_checkpoint_find(c, step_from_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(c, step_from_name, &clock->number, 1, err));
    return rps_checkpoint_doubles(c, time_from_name, &clock->time, 1, err);
}

rps_status rps_state_counts(rps_state_source *from, double *step, rps_error *err) {
    uint64_t count[COUNTS];
    double value[VALUES];
    RPS_TRY(rps_checkpoint_words(from->c, counts_name, count, COUNTS, err));
    RPS_TRY(rps_checkpoint_doubles(from->c, values_name, value, VALUES, err));
    from->steps = count[STEPS];
    from->started = count[STARTED];
    from->bodies = count[BODIES];
    from->contacts = count[CONTACTS];
    if (step) *step = value[STEP];
    return RPS_OK;
}

static rps_status check_accounts(const rps_world *world, const rps_state_source *from, rps_error *err) {
    double value[VALUES];
    rps_step_clock clock;
    const rps_section *s;
    RPS_TRY(rps_checkpoint_doubles(from->c, values_name, value, VALUES, err));
    RPS_TRY(rps_state_clock(from->c, &clock, err));
    if (clock.number > from->steps || !rps_all_finite(&clock.time, 1) || clock.time < 0.0) {
        return rps_state_contradicts(from->c, "its time makes no sense", clock.number, err);
    }
    RPS_TRY(rps_checkpoint_need(from->c, sums_name, RPS_TYPE_uint64, 1, SUMS * RPS_SUM_WORDS, &s, err));
    if (!rps_all_finite(value, VALUES) || from->started > 1 || (from->started == 0 && from->contacts > 0) ||
        value[STEP] != world->step || !(value[SPEED] >= 0.0)) {
        return rps_state_contradicts(from->c, "its accounts make no sense", 0, err);
    }
    return RPS_OK;
}

static rps_status restore_accounts(rps_world *world, const rps_state_source *from, rps_error *err) {
    uint64_t word[SUMS * RPS_SUM_WORDS];
    double value[VALUES];
    RPS_TRY(rps_checkpoint_doubles(from->c, values_name, value, VALUES, err));
    RPS_TRY(rps_checkpoint_words(from->c, sums_name, word, SUMS * RPS_SUM_WORDS, err));
    rps_step_clock clock;
    RPS_TRY(rps_state_clock(from->c, &clock, err));
    world->steps = from->steps;
    world->step_from = clock.number;
    world->time_from = clock.time;
    world->started = from->started != 0;
    world->moved.speed = value[SPEED];
    world->energy_first = value[ENERGY_FIRST];
    rps_sum_from_words(&world->energy_brought, word);
    for (int k = 0; k < RPS_ACCOUNTS; k++)
        rps_sum_from_words(&world->boundary_dissipated[k], word + (k + 1) * RPS_SUM_WORDS);
    return RPS_OK;
}

const rps_state_part rps_state_accounts = {
    .section = sections, .save = save_accounts, .check = check_accounts, .restore = restore_accounts};
