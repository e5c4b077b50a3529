/*
 * Principal axes by the method of Jacobi (Golub and Van Loan, Matrix Computations, section 8.5), then named so that they
 * lie nearest to the given axes.
 */
#include "base/principal.h"

/* Jacobi's rotations in a fixed order; columns of v become the axes. */
static void diagonalise(rps_mat3 *a, rps_mat3 *v) {
    static const int row[3] = {0, 0, 1}, col[3] = {1, 2, 2};
    for (int sweep = 0; sweep < 30; sweep++) {
        bool turned = false;
        for (int n = 0; n < 3; n++) {
            const int p = row[n], q = col[n];
            if (fabs(a->m[p][q]) <= 1e-17 * (fabs(a->m[p][p]) + fabs(a->m[q][q]))) continue;
            turned = true;
            const double theta = (a->m[q][q] - a->m[p][p]) / (2.0 * a->m[p][q]);
            const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
            const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
            rps_mat3 turn = rps_mat3_identity();
            turn.m[p][p] = turn.m[q][q] = c;
            turn.m[p][q] = s;
            turn.m[q][p] = -s;
            const rps_mat3 back = rps_mat3_transpose(&turn), half = rps_mat3_mul(a, &turn);
            *a = rps_mat3_mul(&back, &half);
            a->m[p][q] = a->m[q][p] = 0.0;
            *v = rps_mat3_mul(v, &turn);
        }
        if (!turned) return;
    }
}

/* Orders the columns and chooses their signs nearest to the given axes, right-handed. */
static void arrange(rps_mat3 *v, double moment[3]) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const rps_mat3 from = *v;
    const double old[3] = {moment[0], moment[1], moment[2]};
    int best = 0, weakest = 0;
    double most = 0.0;
    for (int n = 0; n < 6; n++) {
        double near = 0.0;
        for (int k = 0; k < 3; k++) near += fabs(from.m[k][order[n][k]]);
        if (near > most * (1.0 + 1e-12)) { /* of equally near ones the first */
            most = near;
            best = n;
        }
    }
    for (int k = 0; k < 3; k++) {
        const int c = order[best][k];
        const double sign = from.m[k][c] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++) v->m[i][k] = sign * from.m[i][c];
        moment[k] = old[c];
        if (v->m[k][k] < v->m[weakest][weakest]) weakest = k;
    }
    if (rps_mat3_det(v) < 0.0) {
        for (int i = 0; i < 3; i++) v->m[i][weakest] = -v->m[i][weakest];
    }
}

rps_quat rps_principal_axes(rps_mat3 inertia, double tolerance, double moment[3]) {
    rps_mat3 a = inertia;
    const double noise = tolerance * (a.m[0][0] + a.m[1][1] + a.m[2][2]);
    rps_mat3 v = rps_mat3_identity();
    bool diagonal = true;
    for (int n = 0; n < 3; n++) {
        const int p = n, q = (n + 1) % 3;
        if (fabs(a.m[p][q]) <= noise) {
            a.m[p][q] = a.m[q][p] = 0.0;
        } else {
            diagonal = false;
        }
    }
    diagonalise(&a, &v);
    for (int k = 0; k < 3; k++) moment[k] = a.m[k][k];
    int lone = 0; /* the axis that is not one of the two with the nearest moments */
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double gap = fabs(moment[(k + 1) % 3] - moment[(k + 2) % 3]);
        if (gap < least) {
            least = gap;
            lone = k;
        }
    }
    const double single = moment[lone], twin = 0.5 * (moment[(lone + 1) % 3] + moment[(lone + 2) % 3]);
    if (least > noise) {
        if (!diagonal) arrange(&v, moment);
        return rps_quat_from_mat3(&v);
    }
    if (fabs(single - twin) <= noise) { /* a ball's */
        const double mean = (single + 2.0 * twin) / 3.0;
        for (int k = 0; k < 3; k++) moment[k] = mean;
        return rps_quat_identity();
    }
    /* axisymmetric: the minimal rotation takes the nearest given axis onto the symmetry axis */
    rps_vec3 e = {v.m[0][lone], v.m[1][lone], v.m[2][lone]};
    const double part[3] = {fabs(e.x), fabs(e.y), fabs(e.z)};
    int near = 0;
    for (int k = 1; k < 3; k++) near = part[k] > part[near] * (1.0 + 1e-12) ? k : near;
    const rps_vec3 axis = {near == 0, near == 1, near == 2};
    if (rps_vec3_dot(axis, e) < 0.0) e = rps_vec3_neg(e);
    for (int k = 0; k < 3; k++) moment[k] = k == near ? single : twin;
    const rps_vec3 across = rps_vec3_cross(axis, e);
    return rps_quat_normalize((rps_quat){1.0 + rps_vec3_dot(axis, e), across.x, across.y, across.z});
}
