/* Counts of a state, its time step and its energy accounts. */
#include <string.h>

#include "io/state_parts.h"

enum { SUMS = 1 + RPS_ACCOUNTS };
enum { STEPS, STARTED, BODIES, CONTACTS, COUNTS };
enum { STEP, SPEED, ENERGY_FIRST, VALUES };
static const char counts_name[] = "counts: steps, started, bodies, contacts";
static const char sums_name[] = "exact sums: energy brought, dissipated at fixed and driven bodies";
static const char values_name[] = "step, largest speed, first elastic energy";
static const char *const sections[] = {counts_name, values_name, sums_name, NULL};

static rps_status save_accounts(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const uint64_t count[COUNTS] = {world->steps, world->started, world->bodies.count, rps_world_contact_count(world)};
    const double value[VALUES] = {world->step, world->moved.speed, world->energy_first};
    uint64_t word[SUMS * RPS_SUM_WORDS];
    rps_sum_to_words(&world->energy_brought, word);
    for (int k = 0; k < RPS_ACCOUNTS; k++)
        rps_sum_to_words(&world->boundary_dissipated[k], word + (k + 1) * RPS_SUM_WORDS);
    RPS_TRY(rps_serializer_words(serializer, counts_name, count, COUNTS, err));
    RPS_TRY(rps_serializer_doubles(serializer, values_name, value, VALUES, err));
    return rps_serializer_words(serializer, sums_name, word, SUMS * RPS_SUM_WORDS, err);
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
    const rps_section *s;
    RPS_TRY(rps_checkpoint_doubles(from->c, values_name, value, VALUES, err));
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
    world->steps = from->steps;
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
