/* Block Gauss-Seidel with momentum: each sweep starts from y = r + beta (r - old), Nesterov's extrapolation, and a sweep
 * that turns back on it ends the momentum. The sequence of beta is that of the accelerated gradient; the sweep takes the
 * place of its step. Here too the momentum is what takes the count of a deep pile from thousands to hundreds. What a sweep
 * is belongs to the form of the problem; here is when to look at the residual. */
#include <math.h>
#include <string.h>

#include "iterate.h"

enum { RESIDUAL_EVERY = 50, AGAIN = 5 };

bool rps_cone_nsgs(rps_cone_iterate *it, uint64_t quota) {
    const rps_cone_view *view = it->view;
    double *u = it->work[0], *old = it->work[1], theta = 1, beta = 0, uphill;
    bool stop = false, fresh = true;
    uint64_t look = 0; /* hints before it do not count: the last one was wrong */
    memcpy(old, it->r, view->rows * sizeof *old);
    for (uint64_t n = 1; n <= quota && !stop; n++) {
        if (fresh && view->begin) { /* now and then anew, so that rounding does not pile up */
            view->begin(view->context, it->r, old);
        }
        fresh = false;
        double hint = view->sweep(view->context, it->options->law, beta, it->r, old, &uphill);
        double square = theta * theta, next = 0.5 * (sqrt(square * square + 4 * square) - square);
        beta = uphill > 0 ? 0 : theta * (1 - theta) / (square + next);
        theta = uphill > 0 ? 1 : next;
        it->result.sweeps++;
        it->result.iterations++;
        if ((hint <= 2 * it->options->tolerance && n >= look) || n % RESIDUAL_EVERY == 0 || n == quota ||
            it->result.iterations >= it->options->max_iterations) {
            fresh = true;
            look = n + AGAIN;
            view->product(view->context, it->r, u);
            for (size_t k = 0; k < view->rows; k++) {
                u[k] += view->q[k];
            }
            stop = rps_cone_note(it, rps_cone_residual(view, it->options->law, it->r, u, true, it->part));
        }
    }
    return stop;
}
