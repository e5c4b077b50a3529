/* Block Gauss-Seidel with momentum: each sweep starts from y = r + beta (r - old), Nesterov's extrapolation, and a
 * sweep that opposes it resets the momentum. The sequence of beta is that of the accelerated gradient method, with
 * the sweep in place of the gradient step; the iterations for a deep pile fall from thousands to hundreds. For the
 * true law s(u) changes too, and the method is not a descent: large momentum may cycle where a small one converges.
 * So beta has a limit, which is lowered when the residual has not fallen for a while. The form of the problem defines
 * the sweep. */
#include <math.h>
#include <string.h>

#include "iterate.h"

enum { RESIDUAL_EVERY = 50, AGAIN = 5, PATIENCE = 15 /* sweeps */ };
#define LIMIT 0.9 /* of beta, initially: of .8 to 1 nearly the best on piles with and without rolling friction */
#define LIMIT_DOWN 0.7
#define PROGRESS 0.9 /* of the smallest residual so far: a residual below this is progress */

typedef struct momentum {
    double theta, beta, limit, least; /* least: the smallest hint */
    uint64_t since;                   /* sweeps without progress */
} momentum;

static void accelerated_gs_judge(momentum *m, double uphill, double hint) {
    double square = m->theta * m->theta, next = 0.5 * (sqrt(square * square + 4 * square) - square);
    double beta = m->theta * (1 - m->theta) / (square + next);
    bool end = uphill > 0;
    m->since++;
    if (hint < PROGRESS * m->least) {
        m->least = hint;
        m->since = 0;
    } else if (m->since > PATIENCE) {
        m->limit *= LIMIT_DOWN;
        m->least = hint;
        m->since = 0;
        end = true;
    }
    m->theta = end ? 1 : next;
    m->beta = end ? 0 : beta < m->limit ? beta : m->limit;
}

bool rps_cone_nsgs(rps_cone_iterate *it, uint64_t quota) {
    const rps_cone_view *view = it->view;
    double *u = it->work[0], *old = it->work[1], uphill;
    momentum m = {.theta = 1, .limit = LIMIT, .least = INFINITY};
    bool stop = false, fresh = true;
    uint64_t look = 0; /* earlier hints are ignored: the last one was wrong */
    memcpy(old, it->r, view->rows * sizeof *old);
    for (uint64_t n = 1; n <= quota && !stop; n++) {
        if (fresh && view->begin) { /* recomputed now and then, so that rounding does not pile up */
            view->begin(view->context, it->r, old);
        }
        fresh = false;
        double hint = view->sweep(view->context, it->options->law, m.beta, it->r, old, &uphill);
        accelerated_gs_judge(&m, uphill, hint);
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
