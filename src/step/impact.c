/*
 * Accuracy of a step size: simulates a head-on impact of two bodies, stepped as the engine steps it.
 *
 * The stability limit says nothing about errors. A dashpot takes its rate from the last increment of the overlap,
 * which lags by half a step, and has no rate in the evaluation in which the contact begins. So the error of
 * restitution is of first order in the step. It depends only on where in the step the contact begins and on the laws
 * and their parameters. So it is measured by trial, with the laws' own kernels and the integrator of the world, for
 * PHASES start times at once, one per lane.
 *
 * Limits: one contact alone, no rotation, no gravity during the impact. A body with flat faces touches at
 * RPS_FLAT_POINTS points at once.
 */
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "detect/gap_table.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

static const double SHORTEST = 1e-5; /* per undamped impact: no step below it is sought or tried */
enum {
    PHASES = 16,     /* beginnings of the contact, spread evenly over a step */
    FINE = 1500,     /* steps per undamped impact; with twice as many, they are extrapolated to a step of zero */
    COARSE = 4,      /* steps of one at which the search for a step begins at most */
    LONGEST = 60,    /* undamped durations after which bodies that still touch are assumed to stay together */
    LINE_POINTS = 2, /* in which a strip does */
    REFINEMENTS = 5  /* bisections of the step */
};

/* The lanes of a batch that the normal and damping laws read and write; all others are zeros. */
typedef struct trial {
    _Alignas(64) rps_lane zero, unit, touch, new_contact, overlap, increment, radius_eff, radius[2], length, mass;
    rps_lane elastic, stiffness, contact_radius, pull, damping, other;
    rps_lane energy[RPS_ROLE_COUNT], dissipated[RPS_ROLE_COUNT];
    rps_lane memory[2][RPS_LAW_MEMORY][3];
    rps_batch batch;
    double inverse_mass, reach, end; /* end: gap at which a contact ends */
} trial;

/* The outcome, by phase. */
typedef struct outcome {
    double restitution[PHASES]; /* 0: they stay together */
    double balance[PHASES];     /* J, energy that is missing */
    double depth, duration;     /* m, the largest; s, the mean */
} outcome;

static void impact_fill(double *lane, double value) {
    for (int c = 0; c < RPS_BATCH; c++) lane[c] = value;
}

static void impact_bind(trial *t) {
    rps_batch *b = &t->batch;
    *b = (rps_batch){.count = PHASES,
                     .touch = t->touch,
                     .new_contact = t->new_contact,
                     .overlap = t->overlap,
                     .overlap_increment = t->increment,
                     .radius_eff = t->radius_eff,
                     .mass_eff = t->mass,
                     .weight = t->zero,
                     .spin = t->zero,
                     .twist_radius = t->radius_eff,
                     .twist_radius_mean = t->radius_eff,
                     .damper_mass_sqrt = t->unit,
                     .damper_inertia_sqrt = t->unit,
                     .elastic_load = t->elastic,
                     .stiffness = t->stiffness,
                     .contact_radius = t->contact_radius,
                     .pull = t->pull,
                     .cap_bonus = t->other,
                     .damping_load = t->damping,
                     .cap_load = t->other,
                     .spin_torque = t->other};
    for (int k = 0; k < 3; k++) {
        b->slip[k] = b->roll_i[k] = b->roll_j[k] = t->zero;
        b->rolling_radius[k] = b->rolling_radius_mean[k] = k == 1 ? t->zero : t->radius_eff;
        b->slide_force[k] = b->roll_torque_i[k] = b->roll_torque_j[k] = t->other;
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        b->mode[role][0] = b->mode[role][1] = b->elastic[role] = t->other;
        b->energy[role] = t->energy[role];
        b->dissipated[role] = t->dissipated[role];
    }
    b->radius[0] = t->radius[0];
    b->radius[1] = t->radius[1];
    b->length = t->length;
}

static void impact_call(const rps_world *world, const rps_pair_setup *pair, rps_role role, trial *t) {
    const rps_law *law = pair->law[role];
    for (int m = 0; m < RPS_LAW_MEMORY; m++) {
        for (int k = 0; k < 3; k++) t->batch.memory[m][k] = t->memory[role == RPS_ROLE_DAMPING][m][k];
    }
    law->kernel[world->isa](&t->batch, pair->constant[role]);
}

/* Positions of all phases to the end of the step, their loads, and the second part of the kick. */
typedef struct motion {
    double overlap[PHASES], speed[PHASES], load[PHASES];
    bool touches[PHASES], over[PHASES];
} motion;

static void impact_advance(const rps_world *world, const rps_pair_setup *pair, trial *t, motion *m) {
    const bool verlet = world->options.integrator == RPS_VERLET;
    const double dt = t->batch.dt, kick = (verlet ? 0.5 * dt : dt) * t->inverse_mass;
    for (int c = 0; c < PHASES; c++) {
        const double before = m->overlap[c];
        m->speed[c] -= kick * m->load[c];
        m->overlap[c] += m->over[c] ? 0.0 : dt * m->speed[c];
        const bool was = m->touches[c], is = !m->over[c] && m->overlap[c] > -(was ? t->end : t->reach);
        t->touch[c] = is ? 1.0 : 0.0;
        t->new_contact[c] = is && !was ? 1.0 : 0.0;
        t->overlap[c] = m->overlap[c];
        t->increment[c] = was ? m->overlap[c] - before : 0.0;
    }
    impact_call(world, pair, RPS_ROLE_NORMAL, t);
    impact_call(world, pair, RPS_ROLE_DAMPING, t);
    for (int c = 0; c < PHASES; c++) {
        m->load[c] = t->touch[c] > 0.5 ? t->elastic[c] + t->damping[c] : 0.0;
        if (verlet) m->speed[c] -= kick * m->load[c];
    }
}

/* The impact at a step, for at most `longest` s. */
static void collide(const rps_world *world, const rps_pair_setup *pair, trial *t, double speed, double step,
                    double longest, outcome *out) {
    motion m = {.over = {false}};
    double lost[PHASES] = {0.0}, lasted = 0.0;
    int left = PHASES;
    *out = (outcome){.depth = 0.0};
    memset(t->memory, 0, sizeof t->memory);
    t->batch.dt = step;
    t->batch.rate = 1.0 / step;
    for (int c = 0; c < PHASES; c++) {
        m.overlap[c] = -t->reach - ((double)c + 0.5) / PHASES * speed * step;
        m.speed[c] = speed;
    }
    const double energy = 0.5 * speed * speed / t->inverse_mass;
    for (double time = 0.0; left > 0 && time < longest; time += step) {
        impact_advance(world, pair, t, &m);
        for (int c = 0; c < PHASES; c++) {
            const bool is = t->touch[c] > 0.5;
            if (is || m.touches[c]) lost[c] += t->dissipated[RPS_ROLE_NORMAL][c] + t->dissipated[RPS_ROLE_DAMPING][c];
            if (is) lasted += step;
            if (m.overlap[c] > out->depth) out->depth = m.overlap[c];
            if (m.touches[c] && !is) {
                m.over[c] = true;
                left--;
            }
            m.touches[c] = is;
        }
    }
    for (int c = 0; c < PHASES; c++) {
        const double stored = m.over[c] ? 0.0 : t->energy[RPS_ROLE_NORMAL][c];
        out->restitution[c] = m.over[c] && m.speed[c] < 0.0 ? -m.speed[c] / speed : 0.0;
        out->balance[c] = energy - 0.5 * m.speed[c] * m.speed[c] / t->inverse_mass - stored - lost[c];
    }
    out->duration = lasted / PHASES;
}

static void impact_begin(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, trial *t) {
    rps_law_contact contact;
    rps_contact_measures(world, pair, i, j, NULL, &contact);
    const int points = pair->lines                                                      ? LINE_POINTS
                       : rps_stands_on_faces(world, i) || rps_stands_on_faces(world, j) ? RPS_FLAT_POINTS
                                                                                        : 1;
    memset(t, 0, sizeof *t);
    impact_fill(t->unit, 1.0);
    impact_fill(t->overlap, -1.0);
    impact_fill(t->radius_eff, contact.radius_eff);
    impact_fill(t->radius[0], contact.radius[0]);
    impact_fill(t->radius[1], contact.radius[1]);
    impact_fill(t->length, contact.length > 0.0 ? contact.length : 1.0);
    impact_fill(t->mass, contact.mass_eff);
    t->inverse_mass = (double)points / contact.mass_eff;
    const double smaller = rps_pair_smaller_radius(rps_body_half_width(world, i), rps_body_half_width(world, j));
    t->reach = rps_pair_range(pair, true, smaller, contact.radius_eff);
    t->end = rps_pair_range(pair, false, smaller, contact.radius_eff);
    impact_bind(t);
}

/* Energy stored by the normal law at an overlap (J). */
static double stored_at(const rps_world *world, const rps_pair_setup *pair, trial *t, double overlap) {
    impact_fill(t->overlap, overlap);
    impact_call(world, pair, RPS_ROLE_NORMAL, t);
    return t->energy[RPS_ROLE_NORMAL][0];
}

/* s, about the duration of an impact without a dashpot, from the overlap d that stores its energy: pi d/v for Hooke,
 * 2.94 d/v for Hertz. An overlap above R_eff counts as R_eff: the overlap guard would stop it. */
static double undamped(const rps_world *world, const rps_pair_setup *pair, trial *t, double speed) {
    const double energy = 0.5 * speed * speed / t->inverse_mass;
    double high = t->radius_eff[0], low = 1e-12 * high;
    t->batch.dt = 1.0;
    t->batch.rate = 0.0;
    impact_fill(t->touch, 1.0);
    if (stored_at(world, pair, t, high) < energy) low = high;
    while (high > 1.01 * low) {
        const double middle = sqrt(low * high);
        if (stored_at(world, pair, t, middle) < energy) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 3.0 * high / speed;
}

static double mean(const double value[PHASES]) {
    double sum = 0.0;
    for (int c = 0; c < PHASES; c++) sum += value[c];
    return sum / PHASES;
}

bool rps_impact_of(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double speed,
                   rps_impact *impact) {
    const rps_bodies *bodies = &world->bodies;
    *impact =
        (rps_impact){.material = {pair->material[0], pair->material[1]}, .id = {bodies->id[i][0], bodies->id[j][0]}};
    if (!(pair->law[RPS_ROLE_NORMAL]->exponent > 0.0) || !(speed > 0.0)) return false;
    if (!(bodies->motion[i].inverse_mass[0] + bodies->motion[j].inverse_mass[0] > 0.0)) return false;
    trial t;
    outcome one, two;
    impact_begin(world, pair, i, j, &t);
    const double time = undamped(world, pair, &t, speed);
    collide(world, pair, &t, speed, time / FINE, LONGEST * time, &one);
    collide(world, pair, &t, speed, time / (2 * FINE), LONGEST * time, &two);
    if (!isfinite(mean(two.restitution)) || !isfinite(mean(one.restitution))) return false;
    /* the error is of first order: subtract the difference to twice as many steps once more */
    const double e = 2.0 * mean(two.restitution) - mean(one.restitution);
    impact->speed = speed;
    impact->mass = 1.0 / t.inverse_mass;
    impact->radius = rps_pair_smaller_radius(rps_body_half_width(world, i), rps_body_half_width(world, j));
    impact->undamped = time;
    impact->duration = two.duration;
    impact->depth = two.depth;
    impact->restitution = e < 0.0 ? 0.0 : e;
    return true;
}

static bool dissipates(const rps_impact *impact) {
    return 1.0 - impact->restitution * impact->restitution >= RPS_IMPACT_DISSIPATION;
}

void rps_impact_errors(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double step,
                       rps_impact *impact) {
    trial t;
    outcome out;
    impact_begin(world, pair, i, j, &t);
    step = rps_larger(step, SHORTEST * impact->undamped); /* bounds the work; a shorter step errs less */
    collide(world, pair, &t, impact->speed, step, rps_larger(LONGEST * impact->undamped, LONGEST * step), &out);
    const double e = impact->restitution, energy = 0.5 * impact->mass * impact->speed * impact->speed;
    const double least = rps_larger(e, RPS_IMPACT_RESTITUTION);
    const double spent = dissipates(impact) ? energy * (1.0 - e * e) : energy;
    impact->restitution_error = impact->balance_error = 0.0;
    for (int c = 0; c < PHASES; c++) {
        const double off = fabs(out.restitution[c] - e) / least, missing = fabs(out.balance[c]) / spent;
        impact->restitution_error = isfinite(off) ? rps_larger(impact->restitution_error, off) : INFINITY;
        impact->balance_error = isfinite(missing) ? rps_larger(impact->balance_error, missing) : INFINITY;
    }
}

void rps_impact_words(const rps_impact *impact, char *text, size_t bytes) {
    rps_snprintf(text, bytes,
                 "its restitution of %.3g errs by up to %.2g %%, its energy balance by up to %.2g %% of %s",
                 impact->restitution, 100.0 * impact->restitution_error, 100.0 * impact->balance_error,
                 dissipates(impact) ? "what it dissipates" : "its energy");
}

static bool impact_holds(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double accuracy,
                         double step, rps_impact *impact) {
    rps_impact_errors(world, pair, i, j, step, impact);
    return impact->restitution_error <= accuracy && impact->balance_error <= accuracy;
}

void rps_impact_step(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double accuracy,
                     double longest, rps_impact *impact) {
    double good = rps_smaller(longest, impact->undamped / COARSE), bad = 0.0;
    while (!impact_holds(world, pair, i, j, accuracy, good, impact) && good > SHORTEST * impact->undamped) {
        const double by_first = accuracy / rps_larger(impact->restitution_error, accuracy);
        const double by_second = sqrt(accuracy / rps_larger(impact->balance_error, accuracy));
        bad = good;
        good *= rps_smaller(0.9, rps_larger(0.9 * rps_smaller(by_first, by_second), 0.2));
    }
    for (int k = 0; k < REFINEMENTS && bad > 0.0 && bad > 1.02 * good; k++) {
        const double middle = sqrt(good * bad);
        if (impact_holds(world, pair, i, j, accuracy, middle, impact)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    impact_holds(world, pair, i, j, accuracy, good, impact);
    impact->step = good;
}
