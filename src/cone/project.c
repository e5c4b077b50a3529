/* Projection on the intersection of cones with one axis. Each y_i is parallel to x_i and |y_i| = min(|x_i|, c_i y_n),
 * so that y_n alone is unknown: it minimises a convex, piecewise quadratic function with a break at b_i = |x_i| / c_i
 * for each cone. Visiting the cones by falling b_i finds the piece that holds the minimum. */
#include "project.h"

#include <math.h>
#include <stddef.h>

static const rps_cone_shape shapes[] = {
    {2, 1, {1}, {1}, {0, 1}},
    {3, 1, {1}, {2}, {0, 1, 1}},
    {5, 2, {1, 3}, {2, 2}, {0, 1, 1, 2, 2}},
    {6, 3, {1, 3, 4}, {2, 1, 2}, {0, 1, 1, 2, 3, 3}},
};

const rps_cone_shape *rps_cone_shape_of(int d) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        if (shapes[k].rows == d) {
            return &shapes[k];
        }
    }
    return NULL;
}

static double length(const rps_cone_shape *shape, int cone, const double *x) {
    const double *l = x + shape->first[cone];
    return shape->size[cone] == 1 ? fabs(l[0]) : sqrt(l[0] * l[0] + l[1] * l[1]);
}

double rps_cone_slip(const rps_cone_shape *shape, const double *c, const double *u) {
    double s = 0;
    for (int i = 0; i < shape->cones; i++) {
        s += c[i] < INFINITY ? c[i] * length(shape, i, u) : 0;
    }
    return s;
}

void rps_cone_project(const rps_cone_shape *shape, const double *c, const double *eta, const double *x, double *y) {
    int m = shape->cones, order[RPS_CONE_CONES], open = 0;
    double n[RPS_CONE_CONES], b[RPS_CONE_CONES];
    for (int i = 0; i < m; i++) {
        n[i] = length(shape, i, x);
        if (n[i] == 0 || c[i] == 0 || c[i] == INFINITY) {
            continue; /* bounds nothing, or takes its rows to zero and adds nothing to the sums */
        }
        b[i] = n[i] / c[i];
        int at = open++;
        for (; at > 0 && b[order[at - 1]] < b[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    double top = x[0], below = 1, normal = x[0];
    for (int j = 0; j < open; j++) {
        int i = order[j];
        if (normal >= b[i]) {
            break;
        }
        double kc = eta[0] / eta[1 + i] * c[i];
        top += kc * n[i];
        below += kc * c[i];
        normal = top / below;
    }
    normal = normal > 0 ? normal : 0;
    y[0] = normal;
    for (int i = 0; i < m; i++) {
        double bound = c[i] * normal, scale = c[i] == INFINITY || n[i] <= bound ? 1 : bound / n[i];
        for (int k = shape->first[i]; k < shape->first[i] + shape->size[i]; k++) {
            y[k] = scale * x[k];
        }
    }
}

void rps_cone_project_derivative(const rps_cone_shape *shape, const double *c, const double *eta, const double *x,
                                 double *derivative) {
    int d = shape->rows;
    double y[RPS_CONE_ROWS] = {0}, along[RPS_CONE_ROWS] = {0}, below = 1;
    bool bound[RPS_CONE_CONES] = {false};
    rps_cone_project(shape, c, eta, x, y);
    for (int k = 0; k < d * d; k++) {
        derivative[k] = 0;
    }
    along[0] = 1; /* the derivative of the normal part, times `below` */
    for (int i = 0; i < shape->cones; i++) {
        double n = length(shape, i, x), kc = eta[0] / eta[1 + i] * c[i];
        bound[i] = c[i] < INFINITY && n > c[i] * y[0];
        for (int k = shape->first[i]; k < shape->first[i] + shape->size[i]; k++) {
            along[k] = bound[i] && y[0] > 0 ? kc * x[k] / n : 0;
            if (!bound[i] && (y[0] > 0 || c[i] == INFINITY)) {
                derivative[k * d + k] = 1;
            }
        }
        below += bound[i] ? kc * c[i] : 0;
    }
    if (!(y[0] > 0)) {
        return;
    }
    for (int k = 0; k < d; k++) {
        derivative[k] = along[k] / below;
    }
    for (int i = 0; i < shape->cones; i++) {
        double n = length(shape, i, x), share = c[i] * y[0] / n;
        for (int k = shape->first[i]; bound[i] && k < shape->first[i] + shape->size[i]; k++) {
            for (int m = 0; m < d; m++) {
                derivative[k * d + m] = c[i] * x[k] / n * derivative[m];
            }
            derivative[k * d + k] += share;
            for (int m = shape->first[i]; m < shape->first[i] + shape->size[i]; m++) {
                derivative[k * d + m] -= share * (x[k] / n) * (x[m] / n);
            }
        }
    }
}
