/*
 * Contacts whose duration the step resolves: springs and dashpots are followed to second order, and springs alone keep their energy
 * to rounding.
 *
 * Positions move by h v with v at the end of the step, so that velocities stand half a step before positions. The overlap half
 * a step back is d0 = -(gap - h u_old/2), that half a step on d1 = -(gap + h u/2), and with the mean load over the displacement between them,
 *
 *   N = (V(d1) - V(d0))/(d1 - d0),                   V the energy of the spring,
 *
 * the work of the step is V(d1) - V(d0), for any spring and also where contacts begin or end within the step (a discrete
 * gradient; Gonzalez 2000, Laursen & Chawla 1997). The dashpot acts along the part of the displacement in touch, with the mean
 * velocity. N is no linear function of u: its tangent at a guess enters the row, as a compliance and a bias, and the step is
 * solved again if the guess was too far off. Friction springs follow the trapezoidal rule, which is the same for a linear spring.
 */
#include <math.h>

#include "step/nonsmooth.h"

static const double TURNS = 1.1;    /* of the fastest spring in a step, rad: an impact then takes three steps or more */
static const double DECAY = 5.0;    /* of a dashpot in a step, over which its load is taken as one */
static const double GUESSED = 0.01; /* of the load: a larger error of the tangent is solved again */
static const double LEAST = 1e-6;   /* of R_eff: overlap at which the tangent of a gap is taken */

static const double DULL = 0.01; /* restitution of the strongest dashpot that is followed */
static const double SHORT =
    1e-3; /* of a step: the least for which friction acts, so that its row has a finite compliance */

typedef struct spring_load {
    double load, slope; /* N; N/m, derivative by d1 */
    double part;        /* of the displacement, along which bodies overlap */
} spring_load;

static double follow_force(const rps_step_contact *c, double depth) {
    return c->exponent > 1.0 ? c->modulus * depth * sqrt(depth) : c->modulus * depth;
}

double rps_nonsmooth_spring_energy(const rps_step_contact *c, double depth) {
    return follow_force(c, depth) * depth / (c->exponent + 1.0);
}

static double depth_of(double gap) {
    return gap < 0.0 ? -gap : 0.0;
}

/* Both ends overlap: quotients of powers without their cancellation. */
static spring_load within(const rps_step_contact *c, double d0, double d1) {
    if (!(c->exponent > 1.0)) return (spring_load){0.5 * c->modulus * (d0 + d1), 0.5 * c->modulus, 1.0};
    const double a = sqrt(d0), b = sqrt(d1), sum = a + b;
    const double powers = d1 * d1 + (b * d1 * a + (d1 * d0 + (b * a * d0 + d0 * d0)));
    const double slope = 4.0 * b * d1 + (3.0 * d1 * a + (2.0 * b * d0 + a * d0));
    const double load = 0.4 * c->modulus * powers / sum;
    return (spring_load){load, (0.4 * c->modulus * slope - load) / (sum * 2.0 * b), 1.0};
}

static spring_load between(const rps_step_contact *c, double gap0, double gap1) {
    const double d0 = depth_of(gap0), d1 = depth_of(gap1);
    if (d0 > 0.0 && d1 > 0.0) return within(c, d0, d1);
    const double moved = fabs(gap1 - gap0), over = d0 + d1; /* one of them is 0 */
    if (!(moved > 0.0) || !(over > 0.0)) return (spring_load){0.0, 0.0, 0.0};
    const double load = rps_nonsmooth_spring_energy(c, over) / moved;
    return (spring_load){load, (d1 > 0.0 ? follow_force(c, d1) - load : load) / moved, over / moved};
}

bool rps_nonsmooth_resolves(double step, double stiffness, double inverse_mass) {
    return step * step * stiffness * inverse_mass <= TURNS * TURNS;
}

bool rps_nonsmooth_resolves_impact(const rps_step_contact *c, double step, double depth) {
    const double speed = c->was[0] < 0.0 ? -c->was[0] : 0.0, mass = c->law.mass_eff;
    /* the damping ratio of a dull dashpot is about (1 - e)/(2 sqrt(e)) */
    const double e = c->restitution > DULL ? c->restitution : DULL, most = DECAY * sqrt(e);
    const double turns = most < TURNS * (1.0 - e) ? most / (1.0 - e) : TURNS;
    if (!(c->exponent > 1.0)) return step * step * c->modulus <= turns * turns * mass;
    /* the depth of an impact is (depth^5/2 + 5/4 m u^2/K)^2/5, and the tangent there 3/2 K times its root */
    const double root = turns * turns * mass / (1.5 * c->modulus * step * step);
    return depth * depth * sqrt(depth) + 1.25 * mass * speed * speed / c->modulus <= root * root * root * root * root;
}

double rps_nonsmooth_mean_depth(const rps_step_contact *c, double step, double speed) {
    const double depth = 0.5 * (depth_of(c->gap - 0.5 * step * c->was[0]) + depth_of(c->gap + 0.5 * step * speed));
    const double least = LEAST * c->law.radius_eff;
    return depth > least ? depth : least;
}

double rps_nonsmooth_touching(const rps_step_contact *c, double step, double speed) {
    const double part = between(c, c->gap - 0.5 * step * c->was[0], c->gap + 0.5 * step * speed).part;
    return part > SHORT ? part : SHORT;
}

double rps_nonsmooth_depth(const rps_step_contact *c, double step, double speed) {
    return depth_of(c->gap + 0.5 * step * speed);
}

double rps_nonsmooth_spring_load(const rps_step_contact *c, double depth) {
    return follow_force(c, depth);
}

double rps_nonsmooth_damper_end(double rate) {
    return 0.5 + 0.5 * rate / (6.0 + rate);
}

/* N, of spring and dashpot over the displacement to a speed, and how the latter's share depends on it. */
typedef struct follow_load {
    spring_load spring;
    double damper, end; /* N s/m, along the whole displacement; weight of the speed at the end of the step */
} follow_load;

static follow_load follow_load_at(const rps_step_contact *c, double step, double gap1) {
    follow_load at = {.spring = between(c, c->gap - 0.5 * step * c->was[0], gap1)};
    at.damper = at.spring.part * c->damper[0];
    at.end = rps_nonsmooth_damper_end(step * at.damper / c->law.mass_eff);
    return at;
}

void rps_nonsmooth_follow_normal(const rps_step_contact *c, double step, double speed, rps_cone_contact *cone) {
    double gap1 = c->gap + 0.5 * step * speed;
    const double least = LEAST * c->law.radius_eff;
    if (c->gap - 0.5 * step * c->was[0] >= 0.0 && gap1 > -least) gap1 = -least;
    const follow_load at = follow_load_at(c, step, gap1);
    const double slope = at.spring.slope, damper = at.damper;
    cone->compliance[0] = 1.0 / (step * (0.5 * step * slope + at.end * damper));
    const double load = at.spring.load + slope * (gap1 - c->gap) - (1.0 - at.end) * damper * c->was[0];
    cone->bias[0] = -cone->compliance[0] * step * load;
}

double rps_nonsmooth_follow_load(const rps_step_contact *c, double step, double speed) {
    const follow_load at = follow_load_at(c, step, c->gap + 0.5 * step * speed);
    const double load = at.spring.load - at.damper * (at.end * speed + (1.0 - at.end) * c->was[0]);
    return load > 0.0 ? load : 0.0;
}

void rps_nonsmooth_end_loads(const rps_step_contact *c, double step, double speed, double load[2]) {
    const double v[2] = {c->was[0], speed}, gap[2] = {c->gap - 0.5 * step * c->was[0], c->gap + 0.5 * step * speed};
    for (int k = 0; k < 2; k++) {
        const double depth = depth_of(gap[k]), sum = follow_force(c, depth) - c->damper[0] * v[k];
        load[k] = depth > 0.0 && sum > 0.0 ? sum : 0.0;
    }
}

bool rps_nonsmooth_guessed(const rps_step_contact *c, double step, double speed, double impulse, double slow) {
    const double should = step * rps_nonsmooth_follow_load(c, step, speed), off = fabs(impulse - should);
    return off <= GUESSED * (impulse + should) || off <= slow * c->law.mass_eff;
}
