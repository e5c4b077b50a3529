/* Any bytes as a contact problem; the first byte says how it is solved. A problem that was read can be posed: its
 * solution may fail to converge, but `solved` never means NaN, infinity or a residual above the tolerance. */
#include <math.h>
#include <string.h>

#include "cone/solver.h"
#include "fuzz_memory.h"
#include "io/problem_file.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const rps_cone_method method[] = {RPS_CONE_AUTO, RPS_CONE_NSGS, RPS_CONE_APGD, RPS_CONE_NEWTON};
    if (size < 1) return 0;
    fuzz_memory memory = {.most = 64 << 20};
    rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_cone_problem problem;
    rps_error err = {.status = RPS_OK};
    rps_status status = rps_cone_problem_parse(&problem, &allocator, "problem", (const char *)data + 1, size - 1, &err);
    if (status == RPS_OK) {
        const rps_cone_options options = {
            data[0] & 4 ? RPS_CONE_CONVEX : RPS_CONE_COULOMB, method[data[0] & 3], 1e-6, 60, 0, false};
        rps_cone_result result = {.solved = false};
        double *r = calloc(2 * problem.rows, sizeof *r), *u = r + problem.rows;
        if (!r) return 0;
        status = rps_cone_solve(&problem, &options, r, u, &result, &err);
        double sum = 0;
        for (size_t k = 0; k < 2 * problem.rows; k++) sum += r[k];
        if (status == RPS_OK && result.solved && (!isfinite(sum) || !(result.residual_metric <= 1e-6)))
            __builtin_trap();
        free(r);
        rps_cone_problem_release(&problem);
    }
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
    return 0;
}
