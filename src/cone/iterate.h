/* Shared by the solvers: the problem as they see it, and the state of an iteration.
 *
 * Vectors of rows hold the contacts first, d rows each, then single rows of joints. Sums over rows are formed in
 * pieces of a fixed number of contacts, each in order, and the pieces are added in order: the result does not depend
 * on the number of threads. */
#ifndef RPS_CONE_ITERATE_H
#define RPS_CONE_ITERATE_H

#include "cone/solver.h"

/* Contacts of a piece; joint rows make up pieces of their own. */
enum { RPS_CONE_PIECE = 256 };

/* Sums of squares of the natural map, of impulses, velocities and free velocities. */
typedef struct rps_cone_squares {
    double f, r, u, q;
} rps_cone_squares;

typedef struct rps_cone_iterate rps_cone_iterate;

/* A problem as solvers see it. W is available only through its products. */
struct rps_cone_form;
typedef struct rps_cone_view {
    const rps_cone_shape *shape;
    size_t contacts, joint_rows, rows; /* rows = d contacts + joint_rows */
    const double *c;                   /* [contacts][cones] */
    const double *eta, *lambda;        /* [contacts][groups], [contacts]: as in rps_cone_problem */
    const double *joint_eta;           /* [joint_rows] 1 / the diagonal of W */
    const double *low, *high;          /* [joint_rows] bounds of the impulses of joints */
    const double *q;                   /* [rows] */
    rps_workers workers;               /* for loops over rows; one for small problems */
    void *context;
    void (*product)(void *context, const double *x, double *wx); /* wx = W x */
    /* Makes what sweeps and gradient steps need, lambda too; called before each turn of one. NULL: it is there. */
    rps_status (*prepare)(void *context, rps_error *err);
    /* Begins sweeps, from r and old, until the next product; may be NULL. */
    void (*begin)(void *context, const double *r, const double *old);
    /* One sweep of block Gauss-Seidel from y = r + beta (r - old): r becomes its result, old what r was. Returns the
     * residual seen by the rows during the sweep, which is only a hint. *uphill: (y - r).(r - old) by B^-1 then;
     * above zero the momentum points uphill. */
    double (*sweep)(void *context, rps_cone_law law, double beta, double *r, double *old, double *uphill);
    /* The equations of Newton's method, which the caller releases. NULL: not available. */
    rps_status (*form)(void *context, const struct rps_cone_view *view, struct rps_cone_form **form, rps_error *err);
    size_t form_unknowns;
    bool sweeps_first; /* a sweep costs less than a gradient step, or solves joints as blocks */
} rps_cone_view;

/* Adds contact i with its impulses, velocities and the slip speed that is added to the normal row. */
void rps_cone_add_squares(const rps_cone_view *view, size_t i, const double *eta, const double *r, const double *u,
                          double slip, rps_cone_squares *sum);
/* Adds row k of a joint, counted among the rows of joints. */
void rps_cone_add_joint_squares(const rps_cone_view *view, size_t k, double eta, double g, double u,
                                rps_cone_squares *sum);
/* Whether a finite coefficient of the contact is so large in the metric that sliding hardly occurs. */
bool rps_cone_is_steep(const rps_cone_shape *shape, const double *c, const double *eta);
/* |F| / max(|r|, |u|, |q|). */
double rps_cone_ratio(const rps_cone_squares *sum);
/* Of all rows, in the group metric or with B = 1. part: [pieces + 1], or NULL: one thread. */
double rps_cone_residual(const rps_cone_view *view, rps_cone_law law, const double *r, const double *u, bool metric,
                         double (*part)[8]);

static inline size_t rps_cone_pieces(const rps_cone_view *view) {
    return (view->contacts + RPS_CONE_PIECE - 1) / RPS_CONE_PIECE;
}

/* Calls `part` with every piece of contacts and, last, that of the rows of joints. */
static inline void rps_cone_each_piece(const rps_cone_view *view, rps_part_fn *part, void *context) {
    rps_parallel_for(view->workers, rps_cone_pieces(view) + 1, part, context);
}

struct rps_cone_iterate {
    const rps_cone_view *view;
    const rps_cone_options *options;
    double *r;         /* [rows] the current impulses */
    double *best;      /* [rows] those with the smallest residual so far */
    double *work[6];   /* [rows] each, of the method that runs */
    double (*part)[8]; /* [pieces + 1] sums of each */
    double *slip;      /* [contacts] s of APGD's fixed point */
    bool slip_given;   /* ... is a guess to start from */
    bool warm;         /* the start was not zero */
    double residual;   /* of `best` */
    double start_time; /* by rps_clock_seconds */
    rps_cone_result result;
    rps_status status; /* of memory */
    rps_error *err;
    struct rps_cone_newton *newton; /* state of Newton's method between its turns, or NULL */
};

/* Doubles that a solution needs for its vectors; false if it does not fit. */
bool rps_cone_iterate_size(const rps_cone_view *view, size_t *count);
/* Solves from it->r, with `memory` of that many doubles; slip is [contacts], of the last solution on entry if slip_given,
 * of this one on return, or NULL. On return `r` is the best and u = W r + q; all of *result is set. */
rps_status rps_cone_iterate_run(const rps_cone_view *view, const rps_cone_options *options, double *memory, double *r,
                                double *u, double *slip, rps_cone_result *result, rps_error *err);

/* Records the residual of it->r and keeps r if it is the best; true if the solver must stop: solved, or a limit
 * reached. */
bool rps_cone_note(rps_cone_iterate *it, double residual);

/* Run until solved, a limit, or `quota` further iterations; true if the solver must stop. */
bool rps_cone_nsgs(rps_cone_iterate *it, uint64_t quota);
bool rps_cone_apgd(rps_cone_iterate *it, uint64_t quota);

/* Only with view->form. A failure sets it->status. */
bool rps_cone_newton(rps_cone_iterate *it, uint64_t quota);
/* Gives back what rps_cone_newton took. */
void rps_cone_newton_release(rps_cone_iterate *it);

#endif
