/* Newton's method: newton.c has the method, newton_blocks.c and newton_nodes.c its equations in impulses for W by blocks
 * and in velocities for bodies, sparse.c their factorisation. */
#ifndef RPS_CONE_NEWTON_H
#define RPS_CONE_NEWTON_H

#include "cone/iterate.h"

/* --- sparse matrices (sparse.c) ----------------------------------------------------------------------------------- */

/* n x n blocks of d x d: block row i has blocks start[i] ... start[i + 1] - 1 at `column`. Factorised by KLU, which takes
 * its memory from the C library. */
typedef struct rps_cone_sparse rps_cone_sparse;

/* The pattern, `scale` and the order are not copied and must outlive it. scale [n d]: the sizes of the unknowns, divided
 * out of rows and columns first, so that units do not affect the pivots. *order: that of an earlier matrix, or NULL; the
 * caller releases it. */
struct rps_cone_order;
rps_status rps_cone_sparse_make(rps_cone_sparse **sparse, struct rps_cone_order **order, const rps_allocator *allocator,
                                size_t n, size_t d, const size_t *start, const uint32_t *column, const double *scale,
                                rps_error *err);
void rps_cone_sparse_release(rps_cone_sparse *sparse);
/* The numbers of block b, by columns: number (i, j) at [j * *stride + i]. */
double *rps_cone_sparse_block(rps_cone_sparse *sparse, size_t b, size_t *stride);
/* False if the matrix is singular or there is no memory. diagonal: pivots on the diagonal where they are large enough, which
 * is faster and somewhat less accurate. */
bool rps_cone_sparse_factor(rps_cone_sparse *sparse, bool diagonal);
/* x: right side on entry, solution on return. */
bool rps_cone_sparse_solve(rps_cone_sparse *sparse, double *x);

/* --- proximal steps (newton.c) ------------------------------------------------------------------------------------ */

/* One proximal step for all rows: r = P'(eta' (r0 / (beta eta) - u - s e_n)), where 1 / eta' = 1 / (beta eta) + C, u
 * are velocities without the rows' own compliance C and P' projects in the metric of eta'. */
typedef struct rps_cone_proximal {
    rps_cone_iterate *it;
    const double *origin;           /* [rows] r0 */
    const double *compliance;       /* [contacts][groups], or NULL: none */
    const double *joint_compliance; /* [joint_rows] */
    double beta;
    double *u;    /* [rows] in */
    double *r;    /* [rows] out */
    double *left; /* [contacts][d][d], then [joint_rows]: -dr/du, if asked for */
} rps_cone_proximal;

void rps_cone_proximal_rows(const rps_cone_proximal *proximal, bool derive);

/* The equations of a step in unknowns of one kind. */
typedef struct rps_cone_form {
    void *context;
    const rps_allocator *allocator;
    size_t unknowns;
    const double *compliance, *joint_compliance;
    rps_cone_sparse *matrix;
    /* y = the unknowns that belong to impulses r. */
    void (*start)(void *context, const double *r, double *y);
    /* g = residual of the equations at y; also sets proximal->u, r (and left); returns its squared norm. */
    double (*map)(void *context, rps_cone_proximal *proximal, const double *y, double *g, bool derive);
    /* Puts dg/dy into the matrix. */
    void (*derivative)(void *context, const rps_cone_proximal *proximal);
    void (*release)(struct rps_cone_form *form);
} rps_cone_form;

/* For W by blocks. */
rps_status rps_cone_form_of_blocks(const rps_cone_view *view, const rps_cone_problem *problem, rps_cone_form **form,
                                   rps_error *err);

#endif
