/*
 * A simulation: a scene, its world, and what observes the world between steps. It decides what the coming step inserts and
 * keeps, which probes are read after it, and whether the scene's end has come. The run loop and the public interface
 * (repose/scene.h) step through these functions alone, so that both give the same bits.
 */
#ifndef RPS_SCENE_SIMULATION_H
#define RPS_SCENE_SIMULATION_H

#include <repose/scene.h>

#include "scene/scene.h"
#include "world/world.h"

struct rps_simulation {
    const rps_allocator *allocator;
    rps_scene *scene; /* owned, as the world is */
    rps_world *world;
    const rps_scene_run *plan;
    uint64_t last_step; /* UINT64_MAX: no end in time */
    rps_run_end end;    /* RPS_END_STOPPED while it may go on */
    uint64_t rest_from; /* step since which all bodies are at rest; UINT64_MAX: they are not */
    bool stop_expected; /* a guard stopped it, as a check of the scene expects */
    bool stage_is_over; /* at the present step; rps_simulation_settle begins the next one */
    bool started;
    uint64_t steps;    /* that the world has taken, each of them here */
    char failure[256]; /* the sentence of the step that failed */
    size_t probes;
    bool *read;    /* at the present step */
    double *value; /* of the last reading; NAN: none */
};

/* Takes the scene, builds its world and makes room for the probes. Release in any case. */
rps_status rps_simulation_build(rps_simulation *simulation, rps_scene *scene, const rps_allocator *allocator,
                                rps_error *err);
void rps_simulation_release(rps_simulation *simulation);

/* Wishes of the caller for the coming step, beside the needs of the scene. */
typedef struct rps_step_request {
    bool start;           /* evaluate the start instead of a step */
    bool all_probes;      /* read them all */
    bool contacts;        /* keep the contacts */
    bool contacts_at_end; /* keep them if the end may come at this step */
} rps_step_request;
/* Inserts what is due, steps, reads and watches the probes that are due, and finds out whether the end has come: then all
 * probes are read. The caller may write the state; then rps_simulation_settle. */
rps_status rps_simulation_advance(rps_simulation *simulation, const rps_step_request *request, rps_error *err);
/* Begins the next stage if the present one is over. */
rps_status rps_simulation_settle(rps_simulation *simulation, rps_error *err);
static inline bool rps_simulation_goes_on(const rps_simulation *simulation) {
    return simulation->end == RPS_END_STOPPED;
}

/* How many of the coming steps, at most `most`, can be skipped: nothing in the scene looks at their ends, and nothing is
 * inserted before any of them but the first. Together they cost less. */
uint64_t rps_simulation_unobserved(const rps_simulation *simulation, uint64_t most);
rps_status rps_simulation_skip(rps_simulation *simulation, uint64_t steps, rps_error *err);

/* RPS_GUARD if the ledger, where one is kept, has a term that is infinite or NaN. */
rps_status rps_simulation_check_ledger(const rps_simulation *simulation, rps_error *err);
/* Tells the checks that a step failed with this status and sentence. */
void rps_simulation_failed(rps_simulation *simulation, rps_status status, const char *text);
/* Tells the checks whether the end has come. If not, those whose verdict the rest could change are not judged; `how` says
 * what became of a simulation that could go on: "the run is", or "stopped, at t". */
void rps_simulation_cut(rps_simulation *simulation, const char *how);
/* The verdict of a check; false if it does not apply to the variant. `why` holds the text of row->error. */
bool rps_simulation_check_row(rps_simulation *simulation, size_t index, rps_check_row *row, rps_error *why);

/* rest.c: does it look for rest at the step with this number, and might this be the one at which rest is found? */
bool rps_rest_looks(const rps_simulation *simulation, uint64_t step);
bool rps_rest_possible(const rps_simulation *simulation, uint64_t step);
/* True once every free body has stayed below the limit for the time of a fall through the largest diameter. */
bool rps_rest_reached(rps_simulation *simulation);

#endif
