/* The report of the nonsmooth stepper in a checkpoint. */
#include "io/state_parts.h"

enum { SOLVED = 3, DOUBTS = 2, CONTACTS = 4 };
static const char solved_name[] = "solver: steps, missed, iterations", worst_name[] = "solver: worst residual";
static const char doubts_name[] = "solver: steps refined, steps that gained", gained_name[] = "solver: energy gained";
static const char contacts_name[] = "solver: contacts followed, implicit, rebounding, restrained";
static const char *const sections[] = {solved_name, worst_name, doubts_name, gained_name, contacts_name, NULL};

/* Only where there is something to say: older checkpoints have none of these. */
static rps_status restore_doubts(const rps_state_source *from, uint64_t doubts[DOUBTS], double *gained,
                                 rps_error *err) {
    if (!rps_checkpoint_find(from->c, doubts_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(from->c, doubts_name, doubts, DOUBTS, err));
    return rps_checkpoint_doubles(from->c, gained_name, gained, 1, err);
}

static rps_status restore_counts(const rps_state_source *from, uint64_t counts[CONTACTS], rps_error *err) {
    if (!rps_checkpoint_find(from->c, contacts_name)) return RPS_OK;
    return rps_checkpoint_words(from->c, contacts_name, counts, CONTACTS, err);
}

static rps_status save_solver(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    if (world->options.stepper != RPS_NONSMOOTH) return RPS_OK;
    const rps_solver_report *s = &world->solver;
    const uint64_t solved[SOLVED] = {s->steps, s->missed, s->iterations};
    RPS_TRY(rps_serializer_words(serializer, solved_name, solved, SOLVED, err));
    RPS_TRY(rps_serializer_doubles(serializer, worst_name, &s->worst_residual, 1, err));
    const uint64_t counts[CONTACTS] = {s->followed, s->implicit, s->rebounds, s->restrained};
    RPS_TRY(rps_serializer_words(serializer, contacts_name, counts, CONTACTS, err));
    if (s->refined + s->gaining == 0) return RPS_OK;
    const uint64_t doubts[DOUBTS] = {s->refined, s->gaining};
    RPS_TRY(rps_serializer_words(serializer, doubts_name, doubts, DOUBTS, err));
    return rps_serializer_doubles(serializer, gained_name, &s->gained, 1, err);
}

static rps_status check_solver(const rps_world *world, const rps_state_source *from, rps_error *err) {
    uint64_t solved[SOLVED];
    double worst;
    if (world->options.stepper != RPS_NONSMOOTH) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(from->c, solved_name, solved, SOLVED, err));
    RPS_TRY(rps_checkpoint_doubles(from->c, worst_name, &worst, 1, err));
    uint64_t doubts[DOUBTS];
    uint64_t counts[CONTACTS];
    double gained = 0.0;
    RPS_TRY(restore_doubts(from, doubts, &gained, err));
    RPS_TRY(restore_counts(from, counts, err));
    if (!rps_all_finite(&worst, 1)) return rps_state_contradicts(from->c, "the worst residual is no number", 0, err);
    return rps_all_finite(&gained, 1)
               ? RPS_OK
               : rps_state_contradicts(from->c, "the energy that steps gained is no number", 0, err);
}

static rps_status restore_solver(rps_world *world, const rps_state_source *from, rps_error *err) {
    uint64_t solved[SOLVED] = {0};
    uint64_t doubts[DOUBTS] = {0}, counts[CONTACTS] = {0};
    double worst = 0.0, gained = 0.0;
    if (world->options.stepper == RPS_NONSMOOTH) {
        RPS_TRY(rps_checkpoint_words(from->c, solved_name, solved, SOLVED, err));
        RPS_TRY(rps_checkpoint_doubles(from->c, worst_name, &worst, 1, err));
        RPS_TRY(restore_doubts(from, doubts, &gained, err));
        RPS_TRY(restore_counts(from, counts, err));
    }
    world->solver = (rps_solver_report){.steps = solved[0],
                                        .missed = solved[1],
                                        .iterations = solved[2],
                                        .worst_residual = worst,
                                        .refined = doubts[0],
                                        .gaining = doubts[1],
                                        .gained = gained,
                                        .followed = counts[0],
                                        .implicit = counts[1],
                                        .rebounds = counts[2],
                                        .restrained = counts[3],
                                        .redundant_rows = world->solver.redundant_rows}; /* of the joints */
    return RPS_OK;
}

const rps_state_part rps_state_solver = {
    .section = sections, .save = save_solver, .check = check_solver, .restore = restore_solver};
