/*
 * A simulation: a scene, its world, and the observers between steps. It decides what the next step inserts and keeps,
 * which probes are read after it, and whether the scene has reached its end. The run loop and the public interface
 * (repose/scene.h) step only through these functions, so both give the same bits.
 */
#ifndef RPS_SCENE_SIMULATION_H
#define RPS_SCENE_SIMULATION_H

#include <repose/scene.h>

#include "scene/scene.h"
#include "world/world.h"

/* Processes that take the steps before which nothing comes, goes or changes (src/spread). All others are taken here, from
 * the state that was brought here before. */
typedef struct rps_remote {
    void *context;
    /* Refuses what the processes do not support, RPS_UNSUPPORTED; before the first step. */
    rps_status (*begin)(void *context, const rps_scene *scene, rps_world *world, rps_error *err);
    /* Takes steps. The world here then has their number but an old state. keep: as for rps_world_keep_contacts. They end
     * early after a step in which something passes a flow or a zone, or after which a body lies in a sink: *passes. */
    rps_status (*step)(void *context, rps_world *world, uint64_t steps, bool keep, bool *passes, rps_error *err);
    /* Brings the state into the world here, if it is old, as if that had taken the last step. changes: the world here is then
     * changed or stepped, so that the processes must get its state before their next step. */
    rps_status (*bring)(void *context, rps_world *world, bool changes, rps_error *err);
    /* Whether the processes have the present state. */
    bool (*has)(void *context);
} rps_remote;

struct rps_simulation {
    const rps_remote *remote; /* NULL: all steps are taken here */
    const rps_allocator *allocator;
    rps_scene *scene; /* owned, like the world */
    rps_world *world;
    const rps_scene_run *plan;
    uint64_t last_step; /* UINT64_MAX: no end in time */
    rps_run_end end;    /* RPS_END_STOPPED while it can continue */
    uint64_t rest_from; /* step since which all bodies have been at rest; UINT64_MAX: not at rest */
    bool stop_expected; /* a guard stopped it, as expected by a check */
    bool stage_is_over; /* at this step; rps_simulation_settle begins the next stage */
    bool started;
    bool acts;      /* with `remote`: the scene may change the world before the next step, beside what is due by time */
    uint64_t steps; /* taken by the world, all through this simulation */
    char failure[256]; /* error message of the failed step */
    size_t probes;
    bool *read;    /* at the present step */
    double *value; /* of the last reading; NAN: none */
};

/* Takes ownership of the scene, builds its world and allocates the probes. Release it even after a failure. */
rps_status rps_simulation_build(rps_simulation *simulation, rps_scene *scene, const rps_allocator *allocator,
                                rps_error *err);
/* Finds last_step by the step of the scene. */
void rps_simulation_find_end(rps_simulation *simulation);
void rps_simulation_release(rps_simulation *simulation);

/* Requests of the caller for the next step, in addition to those of the scene. */
typedef struct rps_step_request {
    bool start;           /* evaluate the start instead of a step */
    bool all_probes;      /* read them all */
    bool contacts;        /* keep the contacts */
    bool contacts_at_end; /* keep them if this step can be the last */
} rps_step_request;
/* Inserts the bodies that are due, steps, and reads the due probes and updates the checks. At the end all probes are
 * read. Afterwards the caller can write the state, then calls rps_simulation_settle. */
rps_status rps_simulation_advance(rps_simulation *simulation, const rps_step_request *request, rps_error *err);
/* Begins the next stage if the current one is over. */
rps_status rps_simulation_settle(rps_simulation *simulation, rps_error *err);
static inline bool rps_simulation_goes_on(const rps_simulation *simulation) {
    return simulation->end == RPS_END_STOPPED;
}

/* How many of the next steps, at most `most`, can be taken in one batch, which is cheaper: the scene observes none of
 * their ends, and inserts bodies only before the first. */
uint64_t rps_simulation_unobserved(const rps_simulation *simulation, uint64_t most);
/* Takes up to so many; fewer where something passes. */
rps_status rps_simulation_skip(rps_simulation *simulation, uint64_t steps, rps_error *err);
/* Makes the state of the world here the present one; with `remote`, needed after rps_simulation_skip. changes: the caller
 * changes that state. */
rps_status rps_simulation_bring(const rps_simulation *simulation, bool changes, rps_error *err);

/* RPS_GUARD if the ledger is kept and has an infinite or NaN term. */
rps_status rps_simulation_check_ledger(const rps_simulation *simulation, rps_error *err);
/* Tells the checks that a step failed with this status and message. */
void rps_simulation_failed(rps_simulation *simulation, rps_status status, const char *text);
/* Tells the checks whether the simulation reached its end. If not, a check is not judged if the rest could change its
 * verdict; `how` describes the unfinished simulation: "the run is", or "stopped, at t". */
void rps_simulation_cut(rps_simulation *simulation, const char *how);
/* The verdict of a check; false if it does not apply to the variant. `why` holds the text of row->error. */
bool rps_simulation_check_row(rps_simulation *simulation, size_t index, rps_check_row *row, rps_error *why);

/* rest.c: is rest tested at this step number? Can it be reached there? */
bool rps_rest_looks(const rps_simulation *simulation, uint64_t step);
bool rps_rest_possible(const rps_simulation *simulation, uint64_t step);
/* True once every free body has stayed below the limit for the time of a free fall through the largest diameter. */
bool rps_rest_reached(rps_simulation *simulation);

#endif
