/*
 * The exact contact of Cattaneo, Mindlin & Deresiewicz for any history of load and collinear slip, by the method of
 * dimensionality reduction (Popov & Hess 2015): independent springs at x in (0, a_max) with normal force density E*
 * (delta - x^2/R*) and tangential stiffness density 4 G*. The tangential force of each is capped at mu times its
 * normal force.
 */
#ifndef RPS_RUN_MINDLIN_EXACT_H
#define RPS_RUN_MINDLIN_EXACT_H

enum { EXACT_SPRINGS = 1000 };

typedef struct exact_contact {
    double modulus, shear, radius, mu; /* E*, G* in Pa, R* in m */
    double width;                      /* m, of the row of springs: >= largest contact radius */
    double held[EXACT_SPRINGS];        /* N/m, tangential force per length of each spring */
    double normal, tangential;         /* N */
} exact_contact;

/* Slips by ds and sets the overlap delta (m). */
static inline void exact_move(exact_contact *c, double ds, double delta) {
    const double dx = c->width / EXACT_SPRINGS;
    c->normal = c->tangential = 0.0;
    for (int k = 0; k < EXACT_SPRINGS; k++) {
        const double x = (k + 0.5) * dx, depth = delta - x * x / c->radius;
        const double press = depth > 0.0 ? c->modulus * depth : 0.0, cap = c->mu * press;
        double q = c->held[k] + 4.0 * c->shear * ds;
        q = q > cap ? cap : q < -cap ? -cap : q;
        c->held[k] = press > 0.0 ? q : 0.0;
        c->normal += 2.0 * press * dx; /* both sides of x = 0 */
        c->tangential += 2.0 * c->held[k] * dx;
    }
}

#endif
