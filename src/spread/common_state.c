/* The common state of all shares, on its way from process 0 to all (deal.h). */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "spread/deal.h"
#include "world/body_shape.h"
#include "world/fluid.h"

/* A stage sets laws in the world of process 0 alone. */
static void hash_setup(const rps_world *world, uint64_t hash[2]) {
    rps_hash state;
    rps_hash128_begin(&state);
    rps_hash128_add(&state, &world->pairs, sizeof world->pairs);
    for (size_t p = 0; p < world->pairs; p++) {
        const rps_pair_setup *pair = &world->pair_setup[p];
        rps_hash128_add(&state, pair->constant, sizeof pair->constant);
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            rps_hash128_add(&state, pair->law[role]->name, strlen(pair->law[role]->name) + 1);
        }
    }
    const rps_hash128_value value = rps_hash128_result(&state);
    hash[0] = value.high;
    hash[1] = value.low;
}

static rps_status reserve_tables(rps_common_state *state, rps_error *err) {
    void *memory = state->driven;
    rps_status status = rps_buffer_reserve(NULL, &memory, &state->driven_bytes, 0,
                                           (state->drives + 1) * RPS_DRIVEN_NUMBERS * sizeof(double), err);
    state->driven = memory;
    if (status != RPS_OK) return status;
    memory = state->piece;
    status = rps_buffer_reserve(NULL, &memory, &state->piece_bytes, 0, (state->pieces + 1) * sizeof *state->piece, err);
    state->piece = memory;
    return status;
}

static rps_status read_common(const rps_spread *s, const rps_world *whole, rps_common_state *state, rps_error *err) {
    *state = (rps_common_state){.steps = whole->steps,
                                .step_from = whole->step_from,
                                .pieces = whole->pieces,
                                .drives = whole->drives,
                                .ids = whole->bodies.ids,
                                .stage = rps_scene_stage_now(s->told),
                                .step = whole->step,
                                .time_from = whole->time_from,
                                .moved = whole->moved,
                                .guards = whole->options.guards,
                                .guard = whole->guard,
                                .fluid = whole->fluid,
                                .changed = whole->changed};
    memcpy(state->gravity, whole->options.gravity, sizeof state->gravity);
    memcpy(state->boundary, whole->boundary_dissipated, sizeof state->boundary);
    memcpy(state->change, whole->change, sizeof state->change);
    state->guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF; /* process 0 has that guard */
    for (size_t p = 0; p < whole->pairs; p++) {
        const double cutoff = whole->pair_setup[p].cutoff;
        state->cutoff = cutoff > state->cutoff ? cutoff : state->cutoff;
    }
    hash_setup(whole, state->setup);
    RPS_TRY(reserve_tables(state, err));
    for (size_t k = 0; k < whole->drives; k++) {
        rps_drive_state_pack(&whole->driven[k], state->driven + k * RPS_DRIVEN_NUMBERS);
    }
    if (whole->pieces > 0) memcpy(state->piece, whole->piece, whole->pieces * sizeof *whole->piece);
    return RPS_OK;
}

/* The laws of the stage of process 0. The contacts have gone, so that nothing goes on under the new laws. */
static rps_status take_laws(const rps_spread *s, uint64_t stage, rps_error *err) {
    rps_world *world = s->world;
    world->started = false;
    const rps_status status = rps_scene_set_laws(s->scene, world, stage, err);
    world->started = true;
    if (world->lists_release) world->lists_release(world);
    world->lists_release = NULL;
    rps_contacts_release(world, &world->contacts);
    world->lists_stale = true;
    return status;
}

/* Whether this process can take the state: all learn what all say. */
static rps_status check_taker(const rps_spread *s, const rps_common_state *state, rps_error *err) {
    uint64_t setup[2];
    hash_setup(s->world, setup);
    if (memcmp(setup, state->setup, sizeof setup) != 0) {
        RPS_TRY(take_laws(s, state->stage, err));
        hash_setup(s->world, setup);
    }
    int other[2] = {memcmp(setup, state->setup, sizeof setup) != 0, s->world->drives != state->drives};
    MPI_Allreduce(MPI_IN_PLACE, other, 2, MPI_INT, MPI_MAX, s->comm);
    if (other[0]) {
        return rps_fail(
            err, RPS_UNSUPPORTED,
            "the laws of the processes differ, and are not those of a stage; run the scene by `repose run`");
    }
    if (other[1]) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "a body has got a drive since the start, which many processes do not support; run the scene by "
                        "`repose run`");
    }
    return RPS_OK;
}

rps_status rps_common_send(rps_spread *s, const rps_world *whole, rps_common_state *state, rps_error *err) {
    int can = 1;
    if (whole != NULL) can = rps_share_check(whole, err) == RPS_OK;
    MPI_Bcast(&can, 1, MPI_INT, 0, s->comm);
    if (!can) return whole != NULL ? err->status : rps_fail(err, RPS_UNSUPPORTED, "process 0 cannot share the world");
    if (whole != NULL) RPS_TRY(read_common(s, whole, state, err));
    double *const driven = state->driven;
    rps_piece *const piece = state->piece;
    const size_t driven_bytes = state->driven_bytes, piece_bytes = state->piece_bytes;
    MPI_Bcast(state, (int)sizeof *state, MPI_BYTE, 0, s->comm);
    state->driven = driven;
    state->piece = piece;
    state->driven_bytes = driven_bytes;
    state->piece_bytes = piece_bytes;
    RPS_TRY(check_taker(s, state, err));
    RPS_TRY(reserve_tables(state, err));
    MPI_Bcast(state->driven, (int)(state->drives * RPS_DRIVEN_NUMBERS), MPI_DOUBLE, 0, s->comm);
    MPI_Bcast(state->piece, (int)(state->pieces * sizeof *state->piece), MPI_BYTE, 0, s->comm);
    s->reach = state->cutoff;
    s->ids = state->ids;
    return RPS_OK;
}

/* The table of pieces grows while bodies are poured. Its colliders are made again too. */
static rps_status take_pieces(rps_world *world, const rps_common_state *state, rps_error *err) {
    size_t first;
    if (world->pieces == state->pieces) return RPS_OK;
    rps_colliders_release(world);
    world->pieces = world->last_pieces = 0;
    RPS_TRY(rps_world_add_pieces(world, state->piece, state->pieces, &first, err));
    for (size_t slot = 0; slot < world->bodies.count; slot++) {
        if (!rps_body_has_pieces(&world->bodies, slot)) continue;
        world->last_pieces = (size_t)(rps_body_pieces(world, slot) - world->piece);
        RPS_TRY(
            rps_world_add_collider(world, world->last_pieces, (size_t)rps_body_piece_count(&world->bodies, slot), err));
    }
    return RPS_OK;
}

rps_status rps_common_take(rps_spread *s, const rps_common_state *state, rps_error *err) {
    rps_world *world = s->world;
    world->steps = state->steps;
    world->step = state->step;
    world->step_from = state->step_from;
    world->time_from = state->time_from;
    world->moved = state->moved;
    world->options.guards = state->guards;
    world->guard = state->guard;
    memcpy(world->options.gravity, state->gravity, sizeof state->gravity);
    world->fluid = state->fluid;
    world->in_fluid = !rps_fluid_is_none(&world->fluid);
    for (int k = 0; k < RPS_ACCOUNTS; k++) {
        rps_exact_sum_clear(&world->boundary_dissipated[k]);
        if (s->rank == 0) world->boundary_dissipated[k] = state->boundary[k];
    }
    for (int k = 0; k < RPS_CHANGES; k++) {
        rps_exact_sum_clear(&world->change[k]);
        if (s->rank == 0) world->change[k] = state->change[k];
    }
    world->changed = state->changed;
    for (size_t k = 0; k < world->drives; k++) {
        if (!rps_drive_state_unpack(&world->driven[k], state->driven + k * RPS_DRIVEN_NUMBERS)) {
            return rps_fail(err, RPS_INTERNAL, "drive %zu of process 0 makes no sense", k);
        }
    }
    return take_pieces(world, state, err);
}

void rps_common_release(rps_common_state *state) {
    void *driven = state->driven, *piece = state->piece;
    rps_buffer_release(NULL, &driven, &state->driven_bytes);
    rps_buffer_release(NULL, &piece, &state->piece_bytes);
    state->driven = NULL;
    state->piece = NULL;
}
