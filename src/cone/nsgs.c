/* Block Gauss-Seidel: sweeps, and when to look at the residual. What a sweep is belongs to the form of the problem. */
#include "iterate.h"

enum { RESIDUAL_EVERY = 50, AGAIN = 5 };

bool rps_cone_nsgs(rps_cone_iterate *it, uint64_t quota) {
    const rps_cone_view *view = it->view;
    double *u = it->work[0];
    bool stop = false, fresh = true;
    uint64_t look = 0; /* hints before it do not count: the last one was wrong */
    for (uint64_t n = 1; n <= quota && !stop; n++) {
        if (fresh && view->begin) { /* now and then anew, so that rounding does not pile up */
            view->begin(view->context, it->r);
        }
        fresh = false;
        double hint = view->sweep(view->context, it->options->law, it->r);
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
