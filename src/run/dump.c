/* Contact problems of chosen steps as files: problem-STEP.ncp, which `repose solve` reads, and problem-STEP.csv with the
 * solution that the step used, as `repose solve --output` writes it. They only read the world. */
#include "run/run_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/log.h"
#include "base/text.h"
#include "io/problem_file.h"
#include "io/solution_file.h"
#include "step/step_problem.h"

static const char front[] = "problem-";

bool rps_is_dump_file(const char *name) {
    const size_t n = sizeof front - 1;
    if (strncmp(name, front, n) != 0) return false;
    const char *end = name + n + strspn(name + n, "0123456789");
    return end > name + n && (rps_is_file_or_part(end, ".ncp") || rps_is_file_or_part(end, ".csv"));
}

bool rps_dump_due(const rps_run_state *run, uint64_t step) {
    const rps_scene_run *plan = run->plan;
    for (size_t k = 0; run->options->directory && k < plan->dumps; k++) {
        if (rps_schedule_at(plan->dump[k], plan->clock, step)) return true;
    }
    return false;
}

static rps_status dump_path(const rps_run_state *run, uint64_t step, const char *extension, char path[RPS_PATH],
                            rps_error *err) {
    char name[64];
    rps_snprintf(name, sizeof name, "%s%" PRIu64 "%s", front, step, extension);
    return rps_path_join(path, run->options->directory, name, err);
}

/* The first lines of the file: the step, and the bodies of each contact by their ids. */
static rps_status remark_of(const rps_run_state *run, const rps_step_problem *p, uint64_t step, rps_text *text,
                            rps_error *err) {
    RPS_TRY(rps_text_addf(text, err,
                          "# step %" PRIu64 " of %.15g s, which ends at t = %.15g s; solve it by --cone %s\n", step,
                          p->length, rps_world_time(run->world), p->convex ? "convex" : "coulomb"));
    for (size_t k = 0; k < p->cone.contacts; k++) {
        RPS_TRY(rps_text_addf(text, err, "# contact %zu: bodies %" PRIu64 " and %" PRIu64 "\n", k, p->bodies[k][0],
                              p->bodies[k][1]));
    }
    return RPS_OK;
}

static rps_status write_files(const rps_run_state *run, const rps_step_problem *p, uint64_t step, rps_error *err) {
    char path[RPS_PATH];
    rps_text text;
    rps_text_init(&text, run->allocator, SIZE_MAX);
    rps_status status = remark_of(run, p, step, &text, err);
    if (status == RPS_OK) status = dump_path(run, step, ".ncp", path, err);
    if (status == RPS_OK) status = rps_cone_problem_write(path, &p->cone, rps_text_string(&text), err);
    rps_text_release(&text);
    RPS_TRY(status);
    RPS_TRY(dump_path(run, step, ".csv", path, err));
    return rps_cone_solution_write(path, &p->cone, p->impulse, p->velocity, err);
}

rps_status rps_dump_write(rps_run_state *run, uint64_t step, rps_error *err) {
    rps_step_problem problem;
    if (!rps_dump_due(run, step)) return RPS_OK;
    rps_status status = rps_step_problem_make(run->world, &problem, err);
    if (status == RPS_OK && problem.cone.contacts > 0) {
        status = write_files(run, &problem, step, err);
    } else if (status == RPS_OK) {
        rps_log_write(run->options->log, run->options->log_context, RPS_LOG_WARNING,
                      "`run.dump`: step %" PRIu64 ", which ends at %g s, has no contacts, and so no problem to write",
                      step, rps_world_time(run->world));
    } else {
        rps_error_prefix(err, "`run.dump`: ");
    }
    rps_step_problem_release(run->world, &problem);
    return status;
}
