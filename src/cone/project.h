/* The exact projection of one contact's impulses on the intersection of its friction cones.
 *
 * Rows of a contact by their number d: 2 (n, t), 3 (n, t1, t2), 5 (n, t1, t2, r1, r2), 6 (n, t1, t2, spin, r1, r2). The
 * rows that share a cone form a group; group 0 is the normal row. K = {y : c_i y_n >= |y_i| for each cone i}. */
#ifndef RPS_CONE_PROJECT_H
#define RPS_CONE_PROJECT_H

#include <stdbool.h>

enum { RPS_CONE_ROWS = 6, RPS_CONE_CONES = 3, RPS_CONE_GROUPS = RPS_CONE_CONES + 1 };

typedef struct rps_cone_shape {
    int rows, cones;
    int first[RPS_CONE_CONES], size[RPS_CONE_CONES]; /* rows of each cone */
    int group[RPS_CONE_ROWS];                        /* 0 for the normal row, 1 + i for cone i */
} rps_cone_shape;

/* The shape for d rows a contact, or NULL for other d than 2, 3, 5, 6. Static. */
const rps_cone_shape *rps_cone_shape_of(int d);

/* y = the point of K nearest to x in the norm sum_g |.|^2 / eta_g, where eta holds one positive number a group: the
 * metric whose inverse is diag(eta). c: one coefficient >= 0 a cone. y may be x. Independent of units: if x_n is in N
 * s, x_i in N m s, then c_i is in m and eta_n / eta_i in m^-2. c_i = INFINITY: rows that are held under any load, y_i
 * = x_i. */
void rps_cone_project(const rps_cone_shape *shape, const double *c, const double *eta, const double *x, double *y);

/* The derivative of y by x: [d][d], by rows; at a kink, an element of the generalised derivative. */
void rps_cone_project_derivative(const rps_cone_shape *shape, const double *c, const double *eta, const double *x,
                                 double *derivative);

/* s(u) = sum_i c_i |u_i|: what the true law adds to the normal velocity u_n. Held rows add nothing. */
double rps_cone_slip(const rps_cone_shape *shape, const double *c, const double *u);

#endif
