/* Impulses that W would reward with energy. */
#ifndef RPS_CONE_DEFINITE_H
#define RPS_CONE_DEFINITE_H

#include "cone/problem.h"

/* Below this, relative to the mean diagonal, curvature is negative: rounding of the entries leaves 1e-15 of it. */
#define RPS_CONE_NEGATIVE (-1e-9)

/* Looks for impulses r with r.W r < 0 by conjugate gradients, which meet them within some products where W has them by more
 * than a little. *curvature: the least r.W r / r.r found, in rows scaled to a mean diagonal of one. A value below
 * RPS_CONE_NEGATIVE proves that W is indefinite; another one proves nothing. RPS_NO_MEMORY without memory. */
rps_status rps_cone_find_negative(const rps_cone_problem *problem, double *curvature, rps_error *err);

#endif
