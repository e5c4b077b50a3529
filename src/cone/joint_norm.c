/* Impulses of least norm. Joints in a closed loop may be redundant: many impulses of their free rows then have the
 * same effect, and sweeps converge to one that depends on the start. With A = E^1/2 (J M^-1 J' + C) E^1/2 of the free
 * rows and y = E^-1/2 g, conjugate gradients on A z = A y from z = 0 stay in the range of A, so that z is the y of
 * least norm: measured, as residuals are, by 1/eta of each row. Sums run over rows in their order: the result does
 * not depend on the number of threads. */
#include <math.h>

#include "packed.h"

enum { EXTRA = 50 /* iterations beyond three a row */ };
#define AS_GOOD 1e-2   /* of the tolerance: beyond this the impulses would have another effect */
#define ROUNDING 1e-14 /* below this only rounding is left, and the singular part would amplify it */

/* az = A z; x: [all rows] scratch, of contacts 0. */
static void apply(rps_cone_system *s, const double *z, double *x, double *az) {
    double *g = x + 6 * s->contacts;
    for (size_t k = 0; k < s->rows; k++) {
        g[k] = rps_cone_row_is_box(&s->row[k]) ? 0 : z[k] * sqrt(s->joint_eta[k]);
    }
    rps_cone_gather(s, NULL, x);
    for (size_t k = 0; k < s->rows; k++) {
        double u = rps_cone_joint_velocity(&s->row[k], s->v) + s->row[k].compliance * g[k];
        az[k] = rps_cone_row_is_box(&s->row[k]) ? 0 : u * sqrt(s->joint_eta[k]);
    }
}

static double joint_norm_dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

rps_status rps_cone_joints_least_norm(rps_cone_system *s, double tolerance, double *g, rps_error *err) {
    double *x, *z, *rest, *way, *along;
    RPS_TRY(rps_cone_take(s, 6 * s->contacts + s->rows, sizeof *x, &x, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *z, &z, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *rest, &rest, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *way, &way, err));
    RPS_TRY(rps_cone_take(s, s->rows, sizeof *along, &along, err));
    for (size_t k = 0; k < s->rows; k++) {
        way[k] = g[k] / sqrt(s->joint_eta[k]);
    }
    apply(s, way, x, rest);
    double near = AS_GOOD * tolerance > ROUNDING ? AS_GOOD * tolerance : ROUNDING;
    double size = joint_norm_dot(rest, rest, s->rows), left = size, enough = near * near * size;
    for (size_t k = 0; k < s->rows; k++) {
        z[k] = 0;
        way[k] = rest[k];
    }
    for (size_t n = 0; n < 3 * s->rows + EXTRA && left > enough; n++) {
        apply(s, way, x, along);
        double curve = joint_norm_dot(way, along, s->rows);
        if (!(curve > 0)) {
            break;
        }
        double step = left / curve;
        for (size_t k = 0; k < s->rows; k++) {
            z[k] += step * way[k];
            rest[k] -= step * along[k];
        }
        double next = joint_norm_dot(rest, rest, s->rows), turn = next / left;
        left = next;
        for (size_t k = 0; k < s->rows; k++) {
            way[k] = rest[k] + turn * way[k];
        }
    }
    if (!(left <= enough)) {
        return RPS_OK;
    }
    for (size_t k = 0; k < s->rows; k++) {
        g[k] = rps_cone_row_is_box(&s->row[k]) ? g[k] : z[k] * sqrt(s->joint_eta[k]);
    }
    return RPS_OK;
}
