/* repose solve: solves a discrete contact problem from a file. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "base/threads.h"
#include "cone/definite.h"
#include "cone/solver.h"
#include "io/file.h"
#include "io/json.h"
#include "io/problem_file.h"
#include "io/solution_file.h"

typedef struct solve_options {
    const cli_command *command;
    rps_cone_options cone;
    int threads;
    const char *json, *output;
} solve_options;

static bool positive(const solve_options *o, const char *option, const char *text, double *value) {
    rps_error err;
    if (rps_parse_double(text, value, &err) != RPS_OK || !(*value > 0)) {
        cli_usage_error(o->command, "--%s takes a number above zero, not \"%s\"", option, text);
        return false;
    }
    return true;
}

static int cmd_solve_choose(const solve_options *o, const char *option, const char *text, const char *const *names,
                            size_t n, int *value) {
    char hint[64];
    for (size_t k = 0; k < n; k++) {
        if (strcmp(text, names[k]) == 0) {
            *value = (int)k;
            return CLI_OK;
        }
    }
    return cli_usage_error(o->command, "there is no --%s %s%s", option, text,
                           cli_hint(text, names, n, hint, sizeof hint));
}

static const char *const laws[] = {[RPS_CONE_COULOMB] = "coulomb", [RPS_CONE_CONVEX] = "convex"};
static const char *const methods[] = {
    [RPS_CONE_AUTO] = "auto", [RPS_CONE_NSGS] = "nsgs", [RPS_CONE_APGD] = "apgd", [RPS_CONE_NEWTON] = "newton"};

static int cmd_solve_take(void *context, int option, const char *argument) {
    solve_options *o = context;
    const char *name = o->command->option[option].name;
    int chosen = 0, status;
    double number;
    if (strcmp(name, "cone") == 0) {
        status = cmd_solve_choose(o, name, argument, laws, 2, &chosen);
        o->cone.law = chosen ? RPS_CONE_CONVEX : RPS_CONE_COULOMB;
        return status;
    }
    if (strcmp(name, "method") == 0) {
        status = cmd_solve_choose(o, name, argument, methods, 4, &chosen);
        o->cone.method = (rps_cone_method)chosen;
        return status;
    }
    if (strcmp(name, "tolerance") == 0) {
        return positive(o, name, argument, &o->cone.tolerance) ? CLI_OK : CLI_USAGE;
    }
    if (strcmp(name, "max-iterations") == 0) {
        if (!positive(o, name, argument, &number)) {
            return CLI_USAGE;
        }
        if (number > 1e15 || number != (double)(uint64_t)number) {
            return cli_usage_error(o->command, "--%s takes a whole number up to 1e15, not \"%s\"", name, argument);
        }
        o->cone.max_iterations = (uint64_t)number;
        return CLI_OK;
    }
    if (strcmp(name, "max-seconds") == 0) {
        return positive(o, name, argument, &o->cone.max_seconds) ? CLI_OK : CLI_USAGE;
    }
    if (strcmp(name, "threads") == 0) {
        return cli_integer(o->command, name, argument, 1, RPS_THREADS_MOST, &o->threads) ? CLI_OK : CLI_USAGE;
    }
    *(strcmp(name, "json") == 0 ? &o->json : &o->output) = argument;
    return CLI_OK;
}

static const char *status_of(const rps_cone_result *result) {
    return result->solved ? "solved" : "not converged";
}

static rps_status cmd_solve_write_json(const char *path, const rps_cone_problem *p, const solve_options *o,
                                       const rps_cone_result *result, double curvature, rps_error *err) {
    rps_json json;
    rps_json_init(&json, NULL);
    rps_json_open(&json, NULL, '{', false);
    rps_json_string(&json, "status", status_of(result));
    rps_json_boolean(&json, "infeasible", result->infeasible);
    rps_json_boolean(&json, "indefinite", curvature < RPS_CONE_NEGATIVE);
    rps_json_number(&json, "least_curvature", curvature);
    rps_json_integer(&json, "iterations", result->iterations);
    rps_json_number(&json, "residual_metric", result->residual_metric);
    rps_json_number(&json, "residual_euclidean", result->residual_euclidean);
    rps_json_number(&json, "seconds", result->seconds);
    rps_json_string(&json, "cone", laws[o->cone.law]);
    rps_json_string(&json, "method", methods[o->cone.method]);
    rps_json_number(&json, "tolerance", o->cone.tolerance);
    rps_json_integer(&json, "rows_per_contact", (uint64_t)p->shape->rows);
    rps_json_integer(&json, "contacts", p->contacts);
    rps_json_number(&json, "asymmetry", p->asymmetry);
    rps_json_integer(&json, "sweeps", result->sweeps);
    rps_json_integer(&json, "gradient_steps", result->gradient_steps);
    rps_json_integer(&json, "newton_steps", result->newton_steps);
    rps_json_integer(&json, "candidate_updates", result->candidate_updates);
    rps_json_integer(&json, "switches", result->switches);
    rps_json_number(&json, "slip_change", result->slip_change);
    rps_json_number(&json, "largest_approach", result->approach);
    rps_json_close(&json, '}');
    rps_status status = rps_json_save(&json, path, err);
    rps_json_release(&json);
    return status;
}

static void cmd_solve_print(const rps_cone_problem *p, const solve_options *o, const rps_cone_result *result) {
    printf("problem             %zu contacts of %d rows, %zu blocks\n", p->contacts, p->shape->rows,
           p->start[p->contacts]);
    if (p->asymmetry > 0) {
        printf("asymmetry           %.3g of the largest entry of W, at %zu %zu\n", p->asymmetry, p->asymmetry_i,
               p->asymmetry_j);
    }
    printf("status              %s\n", status_of(result));
    if (result->infeasible) {
        printf("infeasible          no velocity satisfies all contacts: gaps or driven bodies contradict each other\n");
    }
    printf("iterations          %llu (%llu sweeps, %llu gradient steps, %llu Newton steps)\n",
           (unsigned long long)result->iterations, (unsigned long long)result->sweeps,
           (unsigned long long)result->gradient_steps, (unsigned long long)result->newton_steps);
    printf("residual_metric     %.3e (tolerance %.3g)\n", result->residual_metric, o->cone.tolerance);
    printf("residual_euclidean  %.3e\n", result->residual_euclidean);
    if (result->candidate_updates > 0) {
        printf("slip_change         %.3e m/s in the last of %llu outer updates\n", result->slip_change,
               (unsigned long long)result->candidate_updates);
    }
    printf("largest_approach    %.3e m/s\n", result->approach);
    printf("seconds             %.6f\n", result->seconds);
}

/* Before the solution is sought: it may take long, and not exist. */
static void warn_of_indefinite(const char *path, double curvature) {
    if (curvature >= RPS_CONE_NEGATIVE) return;
    char text[RPS_PATH + 512];
    snprintf(
        text, sizeof text,
        "%s: W is indefinite: r.W r = %.3g r.r for some impulses, in rows scaled to a mean diagonal of one, which no "
        "masses give; a solution may not exist, or there may be several: check the entries of W",
        path, curvature);
    cli_warn(NULL, RPS_LOG_WARNING, text);
}

static int cmd_solve_solve(const char *path, const solve_options *o) {
    rps_cone_problem problem;
    rps_cone_result result;
    rps_error err;
    void *r = NULL, *u = NULL;
    if (rps_cone_problem_read(&problem, NULL, path, &err) != RPS_OK) {
        return cli_failed(&err);
    }
    size_t bytes = problem.rows * sizeof(double);
    problem.workers.count = o->threads;
    double curvature;
    rps_status status = rps_cone_find_negative(&problem, &curvature, &err);
    if (status == RPS_OK) warn_of_indefinite(path, curvature);
    status = status == RPS_OK ? rps_memory_alloc_zeroed(NULL, bytes, &r, &err) : status;
    status = status == RPS_OK ? rps_memory_alloc_zeroed(NULL, bytes, &u, &err) : status;
    status = status == RPS_OK ? rps_cone_solve(&problem, &o->cone, r, u, &result, &err) : status;
    if (status == RPS_OK) {
        cmd_solve_print(&problem, o, &result);
        if (o->output) status = rps_cone_solution_write(o->output, &problem, r, u, &err);
        if (status == RPS_OK && o->json) {
            status = cmd_solve_write_json(o->json, &problem, o, &result, curvature, &err);
        }
    }
    rps_memory_release(NULL, r, bytes);
    rps_memory_release(NULL, u, bytes);
    rps_cone_problem_release(&problem);
    if (status != RPS_OK) {
        return cli_failed(&err);
    }
    return result.solved ? CLI_OK : CLI_FAILED;
}

static int cmd_solve_run(const cli_command *command, int argc, char **argv) {
    solve_options o = {
        .command = command,
        .cone = {RPS_CONE_COULOMB, RPS_CONE_AUTO, 1e-8, 1000000, 60, false},
        .threads = 1,
    };
    int first, status = cli_parse(command, argc, argv, &first, cmd_solve_take, &o);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (argc - first != 1) {
        return cli_usage_error(command, "name one file with a contact problem");
    }
    return cmd_solve_solve(argv[first], &o);
}

const cli_command cli_solve = {
    .name = "solve",
    .usage = "solve FILE [OPTIONS]",
    .summary = "solve a discrete contact problem with sliding, rolling and spinning friction",
    .more = "FILE is an .ncp or .ncp.gz, or an HDF5 file of FCLIB. docs/solve.md describes the formats, the residuals "
            "and the\n"
            "methods.",
    .example = "  repose solve problem.ncp --tolerance 1e-10",
    .status = "  0        the residual in the group metric reached the tolerance\n"
              "  1        it did not, or an error\n" CLI_STATUS_USAGE,
    .option = {{"cone", 0, "LAW", "coulomb (default): the true law; convex: the associated one"},
               {"method", 0, "NAME", "auto (default), nsgs, apgd or newton"},
               {"tolerance", 0, "X", "of the residual in the group metric (default 1e-8)"},
               {"max-iterations", 0, "N", "sweeps, gradient and Newton steps together (default 1000000)"},
               {"max-seconds", 0, "S", "wall time (default 60)"},
               {"threads", 0, "N", "of products in large problems (default 1); the result does not depend on it"},
               {"output", 'o', "FILE", "write impulses and velocities of all contacts there, as CSV"},
               {"json", 0, "FILE", "write the result there too"},
               {NULL, 0, NULL, NULL}},
    .run = cmd_solve_run,
};
