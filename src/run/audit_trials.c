/*
 * The experiments. The unit of motion is the slip onset of the law, its cap over its stiffness, both measured, so
 * that one set of experiments serves slide, roll and spin. Dashpots are off where the law allows it, since the
 * question is what the spring creates or loses; the last experiments test spring and dashpot together.
 */
#include "run/audit_trials.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/random.h"
#include "run/mindlin_exact.h"

/* Relative tolerance: smaller numbers are round-off or discretization error. */
#define AUDIT_NOTHING 1e-9

static double clean(double x) {
    return fabs(x) < AUDIT_NOTHING ? 0.0 : x;
}

/* Verdict on the energy dissipated: positive, zero, negative. */
static const char *balance(double taken) {
    return clean(taken) > 0.0 ? "loses" : clean(taken) < 0.0 ? "creates" : "conserves";
}

/* --- scale -------------------------------------------------------------------------------------------------------- */

typedef struct scale {
    double stiffness, cap; /* N/m and N, or N m/rad and N m, at the load n */
    double motion;         /* cap over stiffness */
    bool springs;          /* stores energy */
} scale;

static scale scale_of(audit_contact *c, double n) {
    scale s;
    rps_audit_contact_renew(c);
    rps_audit_contact_move(c, 0.0, 0.0, n);
    rps_audit_contact_move(c, 1e-9, 0.0, n);
    s.springs = c->stored > 0.0;
    if (s.springs) rps_audit_contact_move(c, 0.0, 0.0, n); /* leaves only the elastic load */
    s.stiffness = c->load[0] / 1e-9;
    rps_audit_contact_renew(c);
    rps_audit_contact_move(c, 0.0, 0.0, n);
    for (int k = 0; k < 4; k++) rps_audit_contact_move(c, 1e-2, 0.0, n);
    s.cap = c->load[0];
    s.motion = s.cap / s.stiffness;
    rps_audit_contact_renew(c);
    return s;
}

/* --- alone -------------------------------------------------------------------------------------------------------- */

enum { CYCLES = 100, ROUNDS = 20, POINTS = 4, LEG = 40 };

/* Closed paths of motion (up to a quarter of the slip onset) and load (5 to 15 N), each traversed 20 times. Reports
 * the share of the work that is dissipated: of the worst path if any creates energy, else of all paths. */
static void closed_cycles(audit_contact *c, const audit_report *report) {
    const bool normal = c->law->role == RPS_ROLE_NORMAL;
    const double reach = normal ? 0.0 : 0.25 * scale_of(c, 10.0).motion;
    const double nothing = 5e-4; /* ten times the error of 40 trapezoids per leg under a curved load (second order) */
    double worst = 0.0, taken = 0.0, spent = 0.0;
    for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
        double point[POINTS][3];
        for (uint64_t p = 0; p < POINTS; p++) {
            for (uint64_t k = 0; k < 3; k++) {
                point[p][k] = rps_random_uniform(5, RPS_RANDOM_TEST, cycle, 3 * p + k);
            }
        }
        rps_audit_contact_renew(c);
        rps_audit_contact_move(c, 0.0, 0.0, 5.0 + 10.0 * point[0][2]);
        const double before = c->stored;
        for (int k = 0; k < ROUNDS * POINTS; k++) {
            const double *from = point[k % POINTS], *to = point[(k + 1) % POINTS];
            rps_audit_contact_ramp(c, reach * (to[0] - from[0]), reach * (to[1] - from[1]), 5.0 + 10.0 * from[2],
                                   5.0 + 10.0 * to[2], LEG);
        }
        const double lost = c->work - (c->stored - before);
        if (c->spent > 0.0 && lost / c->spent < worst) worst = lost / c->spent;
        taken += lost;
        spent += c->spent;
    }
    double share = worst < -nothing ? worst : spent > 0.0 ? taken / spent : 0.0;
    if (fabs(share) < nothing) share = 0.0;
    report->add(report->context,
                share < 0.0 ? "closed random cycles: created, worst of 100" : "closed random cycles: lost", fabs(share),
                "of the work", balance(share));
}

/* Loads, moves, unloads, moves back, between 2 and 16 N; then the same with the loads exchanged. */
static void elata_berryman(audit_contact *c, const audit_report *report) {
    const scale s = scale_of(c, 2.0);
    const double x = c->law->role == RPS_ROLE_SLIDE && c->law->dimension != 2 ? 1e-7 : 0.3 * s.motion;
    for (int reversed = 0; reversed < 2; reversed++) {
        const double first = reversed ? 2.0 : 16.0, second = reversed ? 16.0 : 2.0;
        rps_audit_contact_renew(c);
        rps_audit_contact_move(c, 0.0, 0.0, second);
        rps_audit_contact_ramp(c, 0.0, 0.0, second, first, 50);
        rps_audit_contact_ramp(c, x, 0.0, first, first, 50);
        rps_audit_contact_ramp(c, 0.0, 0.0, first, second, 50);
        rps_audit_contact_ramp(c, -x, 0.0, second, second, 50);
        const double share = c->spent > 0.0 ? clean(c->work / c->spent) : 0.0;
        /* energy left in the spring is not lost; for created energy nothing is subtracted */
        const double lost = share > 0.0 ? (c->work - c->stored) / c->spent : share;
        report->add(report->context,
                    reversed ? "Elata-Berryman cycle, out at 2 N, back at 16 N: taken"
                             : "Elata-Berryman cycle, out at 16 N, back at 2 N: taken",
                    share != 0.0 ? c->work : 0.0, "J", balance(lost));
    }
}

/* Motion proportional to the overlap, in loading and unloading, without a cap. */
static rps_status radial_unloading(audit_contact *c, const audit_subject *subject, const audit_report *report,
                                   rps_error *err) {
    enum { STEPS = 20000 };
    RPS_TRY(rps_audit_contact_open(c, subject, 1e6, 0.22, err));
    const double depth = 1e-6, x = subject->role == RPS_ROLE_SLIDE ? 0.5 * depth : 1e-4;
    double stored = 0.0;
    for (int k = 1; k <= 2 * STEPS; k++) {
        const double d = depth * (k <= STEPS ? k : 2 * STEPS - k) / STEPS;
        rps_audit_contact_move(c, (k <= STEPS ? x : -x) / STEPS, 0.0, 4.0 / 3.0 * c->modulus * sqrt(c->radius * d) * d);
        if (k == STEPS) stored = c->work;
    }
    const double lost = c->work / stored;
    rps_audit_contact_close(c);
    /* 20 times the error of an Euler step, 1/STEPS of the path */
    const bool nothing = fabs(lost) < 20.0 / STEPS;
    report->add(report->context, "radial unloading: lost", nothing ? 0.0 : lost, "of the work",
                nothing ? "conserves" : balance(lost));
    return RPS_OK;
}

/* The load falls by a tenth and recovers, 100 times, with the motion held. */
static void load_cycles(audit_contact *c, const audit_report *report) {
    const double x = 0.3 * scale_of(c, 10.0).motion;
    rps_audit_contact_move(c, 0.0, 0.0, 10.0);
    rps_audit_contact_move(c, x, 0.0, 10.0);
    rps_audit_contact_move(c, 0.0, 0.0, 10.0); /* leaves only the elastic load */
    const double before = c->load[0];
    for (int k = 0; k < 100; k++) {
        rps_audit_contact_ramp(c, 0.0, 0.0, 10.0, 9.0, 10);
        rps_audit_contact_ramp(c, 0.0, 0.0, 9.0, 10.0, 10);
    }
    const double left = c->load[0] / before;
    report->add(report->context, "100 cycles of a tenth of the load: left of T", clean(left - 1.0) == 0.0 ? 1.0 : left,
                "", balance(1.0 - left));
}

/* Creep: half of its cap is held while the load vibrates by a tenth, 1000 times. Reports the motion in the second
 * half. A law with a spring is kept in balance; a law without one has no rest state, so an overdamped body shows how
 * freely it moves. */
static void hold(audit_contact *c, const audit_report *report) {
    enum { PERIODS = 1000, TURN = 20 };
    const scale s = scale_of(c, 10.0);
    const double force = 0.5 * s.cap, loose = 0.7 * force / s.stiffness;
    double x = 0.0, half = 0.0;
    rps_audit_contact_move(c, 0.0, 0.0, 10.0);
    for (int period = 0; period < PERIODS; period++) {
        if (period == PERIODS / 2) half = x;
        for (int k = 1; k <= TURN; k++) {
            const double n = 10.0 - (k <= TURN / 2 ? k : TURN - k) * 2.0 / TURN;
            if (s.springs) {
                x += rps_audit_contact_balance(c, force, n, s.stiffness);
            } else {
                const double dx = 0.7 * (force - c->load[0]) / s.stiffness;
                rps_audit_contact_move(c, dx, 0.0, n);
                x += dx;
            }
        }
    }
    const double crept = (x - half) / (s.springs ? s.motion : loose * TURN * PERIODS / 2);
    const bool holds = fabs(crept) < 1e-6;
    report->add(report->context, "held under a vibrating load: creeps in 500 cycles", holds ? 0.0 : crept,
                s.springs ? "of mu N/K" : "of free motion", holds ? "holds" : "creeps");
}

/* Half of the cap at 10 N, then a pull of 5 N, during which the contact moves on by as much. Friction without a cap has no load;
 * what the spring held must be dissipated. */
static void under_tension(audit_contact *c, const audit_report *report) {
    enum { PULLED = 50 };
    const scale s = scale_of(c, 10.0);
    const double reach = s.springs ? 0.5 * s.motion : 1e-6;
    double left = 0.0;
    rps_audit_contact_move(c, 0.0, 0.0, 10.0);
    rps_audit_contact_ramp(c, reach, 0.0, 10.0, 10.0, PULLED);
    const double before = fabs(c->load[0]);
    rps_audit_contact_move(c, 0.0, 0.0, -5.0);
    for (int k = 0; k < PULLED; k++) {
        rps_audit_contact_move(c, reach / PULLED, 0.0, -5.0);
        left = fmax(left, hypot(c->load[0], c->load[1]));
    }
    left = before > 0.0 ? clean(left / before) : 0.0;
    const bool stored = clean(c->stored / fmax(c->spent, 1e-300)) > 0.0;
    report->add(report->context, "pressed by 10 N, then pulled by 5 N: left of T", left, "",
                left > 0.0 || stored ? "holds on" : "lets go");
}

/* Ten closed cycles of motion and load, between 2 and 16 N: out by 1/20 of the slip onset, load, back, unload; then
 * with the loads exchanged. Nothing slips on this path, and an elastic contact without slip returns to its initial
 * state, so any remaining load is an error of the law. */
static void memory_ratchet(audit_contact *c, const audit_report *report) {
    enum { TURNS = 10 };
    const scale s = scale_of(c, 2.0);
    for (int reversed = 0; reversed < 2; reversed++) {
        const double out = reversed ? 16.0 : 2.0, back = reversed ? 2.0 : 16.0, x = 0.05 * s.motion;
        double left[TURNS];
        rps_audit_contact_renew(c);
        rps_audit_contact_move(c, 0.0, 0.0, 2.0);
        for (int k = 0; k < TURNS; k++) {
            rps_audit_contact_ramp(c, 0.0, 0.0, 2.0, out, 50);
            rps_audit_contact_ramp(c, x, 0.0, out, out, 50);
            rps_audit_contact_ramp(c, 0.0, 0.0, out, back, 50);
            rps_audit_contact_ramp(c, -x, 0.0, back, back, 50);
            rps_audit_contact_ramp(c, 0.0, 0.0, back, 2.0, 50);
            rps_audit_contact_move(c, 0.0, 0.0, 2.0); /* leaves only the elastic load */
            left[k] = fabs(c->load[0]) / s.cap;
        }
        const bool nothing = clean(left[TURNS - 1]) == 0.0, bounded = left[TURNS - 1] <= 1.1 * left[1];
        report->add(report->context,
                    reversed ? "10 closed cycles, out at 16 N, back at 2 N: left of the load"
                             : "10 closed cycles, out at 2 N, back at 16 N: left of the load",
                    nothing ? 0.0 : left[TURNS - 1], "of its cap",
                    nothing   ? "returns"
                    : bounded ? "bounded"
                              : "ratchets");
    }
}

/* Moved by three times the slip onset, halted, moved back: 50 times, at a slip speed of about 5 mm/s to .5 m/s, where
 * the dashpot alone exceeds the cap. Reports the minimum over time of the dissipated share of the work done so far. */
static void stop_and_go(audit_contact *c, const audit_report *report) {
    static const int leg[] = {1, 10, 100};
    const scale s = scale_of(c, 10.0);
    double least = INFINITY;
    for (size_t k = 0; k < sizeof leg / sizeof *leg; k++) {
        rps_audit_contact_renew(c);
        rps_audit_contact_move(c, 0.0, 0.0, 10.0);
        for (int n = 0; n < 100; n++) {
            for (int step = 0; step < leg[k] + 2; step++) {
                const double dx = (n % 2 ? -3.0 : 3.0) * s.motion / leg[k];
                rps_audit_contact_move(c, step < leg[k] ? dx : 0.0, 0.0, 10.0);
                if (c->spent > 0.0) least = fmin(least, (c->work - c->stored) / c->spent);
            }
        }
    }
    const bool creates = clean(least) < 0.0;
    report->add(report->context,
                creates ? "stop and go, 50 cycles: created at most" : "stop and go, 50 cycles: created",
                creates ? -least : 0.0, "of the work", creates ? "creates" : "loses");
}

/* --- impacts ------------------------------------------------------------------------------------------------------ */

/* Impact of two equal spheres, reduced mass 1/2 m, e = 1, by velocity Verlet: psi2 as a function of psi1, for the law
 * and the exact contact. The effective tangential mass at the contact point is 2/7 of the mass. */
static void impact(audit_contact *c, exact_contact *exact, double mu, double psi1, double psi2[2]) {
    enum { STEPS = 1000 };
    const double kappa = 2.0 * (1.0 - 0.3) / (2.0 - 0.3), speed = 0.1, mass = 0.5 * c->mass, light = mass * 2.0 / 7.0;
    const double stiff = 4.0 / 3.0 * c->modulus * sqrt(c->radius);
    const double deepest = rps_pow(1.25 * mass * speed * speed / stiff, 0.4), step = 2.9432 * deepest / speed / STEPS;
    for (int which = 0; which < 2; which++) {
        double delta = 0.0, v = speed, normal = 0.0, t = 0.0, sliding = psi1 * mu * speed / kappa;
        rps_audit_contact_renew(c);
        *exact = (exact_contact){.modulus = c->modulus,
                                 .shear = c->shear,
                                 .radius = c->radius,
                                 .mu = mu,
                                 .width = 1.001 * sqrt(c->radius * deepest)};
        do {
            v -= 0.5 * step * normal / mass;
            sliding -= 0.5 * step * t / light;
            delta += step * v;
            normal = delta > 0.0 ? stiff * delta * sqrt(delta) : 0.0;
            if (which) {
                exact_move(exact, step * sliding, delta);
                t = exact->tangential;
            } else {
                rps_audit_contact_move(c, step * sliding, 0.0, normal);
                t = c->load[0];
            }
            v -= 0.5 * step * normal / mass;
            sliding -= 0.5 * step * t / light;
        } while (delta > 0.0);
        psi2[which] = kappa * sliding / (mu * speed);
    }
}

rps_status rps_audit_impacts(audit_contact *c, const audit_subject *subject, const double *psi1, size_t count,
                             double *psi2, double *exact, rps_error *err) {
    exact_contact contact;
    RPS_TRY(rps_audit_contact_open(c, subject, 1.0, 0.3, err));
    for (size_t k = 0; k < count; k++) {
        double both[2];
        impact(c, &contact, 0.5, psi1[k], both);
        psi2[k] = both[0];
        if (exact) exact[k] = both[1];
    }
    rps_audit_contact_close(c);
    return RPS_OK;
}

static rps_status oblique_impact(audit_contact *c, const audit_subject *subject, const audit_report *report,
                                 rps_error *err) {
    static const double psi1[] = {0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0};
    exact_contact exact;
    RPS_TRY(rps_audit_contact_open(c, subject, 1.0, 0.3, err));
    const bool hertz = scale_of(c, 16.0).stiffness > 1.5 * scale_of(c, 2.0).stiffness;
    double gap = 0.0, created = -1.0;
    for (size_t k = 0; k < sizeof psi1 / sizeof *psi1; k++) {
        double psi2[2];
        impact(c, &exact, 0.5, psi1[k], psi2);
        gap = fmax(gap, fabs(psi2[0] - psi2[1]));
        created = fmax(created, (psi2[0] * psi2[0]) / (psi1[k] * psi1[k]) - 1.0);
    }
    rps_audit_contact_close(c);
    /* error of Verlet in 1000 steps: 1e-3 */
    const bool creates = created > 1e-3;
    report->add(report->context, "oblique impact, 15 angles: energy created at most", creates ? created : 0.0,
                "of what slides", creates ? "creates" : "loses");
    if (hertz) report->add(report->context, "oblique impact: largest gap of psi2 to the exact contact", gap, "", "-");
    return RPS_OK;
}

/* --- two free spheres --------------------------------------------------------------------------------------------- */

typedef struct sums {
    double p[3], l[3], energy, scale_p, scale_l;
} sums;

static rps_status audit_trials_total(const rps_world *world, bool planar, const double mass[2], const double radius[2],
                                     sums *s, rps_error *err) {
    *s = (sums){.energy = 0.0};
    for (uint64_t id = 0; id < 2; id++) {
        rps_view view[2];
        RPS_TRY(rps_world_view(world, "velocity", &view[0], err));
        RPS_TRY(rps_world_view(world, "angular_velocity", &view[1], err));
        const size_t slot = rps_world_slot(world, id);
        double v[3], w[3];
        memcpy(v, (const char *)view[0].data + slot * view[0].stride, sizeof v);
        memcpy(w, (const char *)view[1].data + slot * view[1].stride, sizeof w);
        const double inertia = (planar ? 0.5 : 0.4) * mass[id] * radius[id] * radius[id];
        double x[3], size = 0.0;
        rps_world_unwrapped(world, slot, x);
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            s->p[k] += mass[id] * v[k];
            s->l[k] += mass[id] * (x[a] * v[b] - x[b] * v[a]) + inertia * w[k];
            s->energy += 0.5 * mass[id] * v[k] * v[k] + 0.5 * inertia * w[k] * w[k];
            size += v[k] * v[k];
        }
        s->scale_p += mass[id] * sqrt(size);
        s->scale_l += mass[id] * sqrt(size) * radius[id];
    }
    return RPS_OK;
}

/* Two spheres (disks) of different size collide: obliquely and rotating, or head-on for normal and damping laws. */
static rps_status audit_trials_meet(rps_world *world, bool planar, bool aslant, double *drift, double *energy,
                                    rps_error *err) {
    const double radius[2] = {AUDIT_RADIUS, 0.6 * AUDIT_RADIUS}, gap = 1e-9;
    double mass[2];
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        mass[k] = RPS_PI * radius[k] * radius[k] * (planar ? AUDIT_RADIUS : 4.0 / 3.0 * radius[k]) * AUDIT_DENSITY;
        if (planar) def.shape = "disk";
        def.radius = radius[k];
        def.mass = mass[k];
        def.position[0] = k ? radius[0] + radius[1] + gap : 0.0;
        def.velocity[0] = k ? -0.1 : 0.0;
        def.velocity[planar ? 2 : 1] = aslant && k ? 0.02 : 0.0;
        for (int e = 0; e < 3 && aslant; e++)
            def.angular_velocity[e] = planar && e != 1 ? 0.0 : (k ? 1.0 : -2.0) * (e + 1.0);
        RPS_TRY(rps_world_add_body(world, &def, NULL, err));
    }
    sums s0, s1;
    RPS_TRY(rps_world_start(world, err));
    RPS_TRY(audit_trials_total(world, planar, mass, radius, &s0, err));
    RPS_TRY(rps_world_step(world, 3000, err));
    RPS_TRY(audit_trials_total(world, planar, mass, radius, &s1, err));
    *drift = 0.0;
    for (int k = 0; k < 3; k++) {
        *drift = fmax(*drift, fabs(s1.p[k] - s0.p[k]) / s0.scale_p);
        *drift = fmax(*drift, fabs(s1.l[k] - s0.l[k]) / s0.scale_l);
    }
    /* in the frame of the centre of mass */
    double whole = 0.0;
    for (int k = 0; k < 3; k++) whole += 0.5 * s0.p[k] * s0.p[k] / (mass[0] + mass[1]);
    *energy = (s1.energy - s0.energy) / (s0.energy - whole);
    return RPS_OK;
}

static rps_status collision(const audit_subject *subject, const audit_report *report, rps_error *err) {
    const bool friction = subject->role >= RPS_ROLE_SLIDE;
    rps_world *world;
    double drift = 0.0, energy = 0.0;
    RPS_TRY(rps_audit_world(subject, 1.0, 0.22, 2.5e-8, &world, err));
    rps_status status = audit_trials_meet(world, rps_audit_is_planar(subject), friction, &drift, &energy, err);
    rps_world_destroy(world);
    RPS_TRY(status);
    /* error from the end of contact within a step: 1e-4 */
    const bool nothing = fabs(energy) < 1e-4;
    if (!friction) {
        report->add(report->context, "head-on impact: kinetic energy lost", nothing ? 0.0 : -energy, "",
                    nothing ? "conserves" : balance(-energy));
    }
    report->add(report->context, "collision: drift of linear and angular momentum", clean(drift), "",
                clean(drift) == 0.0 ? "conserves" : "drifts");
    return RPS_OK;
}

/* Two spheres with prescribed motion slide a little to build up a load T, then rotate by 90 degrees as one rigid body
 * in 100 steps, about n or about the axis that rotates n towards T. Reports the error against T rotated with them. */
static rps_status turn_together(rps_world *world, bool about_normal, double *missed, rps_error *err) {
    enum { PUSHES = 5, TURN = 100 };
    const double apart = 2.0 * AUDIT_RADIUS * (1.0 - 1e-4), angle = 0.5 * RPS_PI / TURN;
    const rps_vec3 axis = {about_normal ? 1.0 : 0.0, 0.0, about_normal ? 0.0 : 1.0}, still = rps_vec3_zero();
    rps_contact contact = {0};
    rps_vec3 x = {apart, 0.0, 0.0}, loaded = still;
    bool exists;
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        def.radius = AUDIT_RADIUS;
        def.position[0] = k ? 0.0 : apart;
        RPS_TRY(rps_world_add_body(world, &def, NULL, err));
    }
    rps_world_keep_contacts(world, true);
    RPS_TRY(rps_world_start(world, err));
    for (size_t s = 0; s < 2; s++) {
        world->bodies.motion[s].inverse_mass[0] = world->bodies.motion[s].inverse_inertia[0] = 0.0;
    }
    for (int n = 1; n <= PUSHES + TURN; n++) {
        const int turns = n - PUSHES;
        const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_scale(axis, turns > 0 ? turns * angle : 0.0));
        if (turns <= 0) x = rps_vec3_make(apart, 1e-8 * AUDIT_RADIUS * n, 0.0);
        for (uint64_t id = 0; id < 2; id++) {
            const size_t s = rps_world_slot(world, id);
            const rps_vec3 to = id ? still : rps_quat_rotate(q, x), w = rps_vec3_scale(axis, turns > 0 ? angle : 0.0);
            const double *at = world->bodies.pose[s].position, rate = 1.0 / world->step;
            rps_motion *motion = &world->bodies.motion[s];
            const double v[3] = {rate * (to.x - at[0]), rate * (to.y - at[1]), rate * (to.z - at[2])};
            const double turn[3] = {rate * w.x, rate * w.y, rate * w.z};
            memcpy(motion->velocity, v, sizeof v);
            memcpy(motion->angular_velocity, turn, sizeof turn);
        }
        RPS_TRY(rps_world_step(world, 1, err));
        RPS_TRY(rps_world_contact(world, 0, 1, &contact, &exists, err));
        const rps_vec3 t = {contact.slide_force[0], contact.slide_force[1], contact.slide_force[2]};
        if (turns == 0) loaded = t;
        const double gone = rps_vec3_norm(rps_vec3_sub(t, rps_quat_rotate(q, loaded)));
        *missed = rps_vec3_norm(loaded) > 0.0 ? gone / rps_vec3_norm(loaded) : 0.0;
    }
    return RPS_OK;
}

static rps_status rigid_turns(const audit_subject *subject, const audit_report *report, rps_error *err) {
    for (int about_normal = 1; about_normal >= 0; about_normal--) {
        rps_world *world;
        double missed = 0.0;
        RPS_TRY(rps_audit_world(subject, 1.0, 0.22, 1e-5, &world, err));
        rps_status status = turn_together(world, about_normal, &missed, err);
        rps_world_destroy(world);
        RPS_TRY(status);
        /* directions have errors of 1e-16, the sliding is 5e-8 of the radius; 100 steps */
        const bool follows = missed < 1e-5;
        report->add(report->context,
                    about_normal ? "the pair spins by 90 deg about n: missed of T"
                                 : "the pair turns by 90 deg, n towards T, in 100 steps: missed of T",
                    follows ? 0.0 : missed, "", follows ? "follows" : "stays behind");
    }
    return RPS_OK;
}

/* --- bridges ------------------------------------------------------------------------------------------------------- */

/* One evaluation at a gap. */
static void move_to_gap(audit_contact *c, double gap, bool there) {
    const rps_batch *b = &c->alone.b;
    const double before = b->overlap[0], load = c->load[0];
    rps_batch_alone_fill(&c->alone, b->touch, there ? 1.0 : 0.0);
    rps_batch_alone_fill(&c->alone, b->overlap, -gap);
    rps_batch_alone_fill(&c->alone, b->overlap_increment, b->new_contact[0] > 0.5 ? 0.0 : -gap - before);
    c->law->kernel[0](b, c->constant);
    rps_batch_alone_fill(&c->alone, b->new_contact, 0.0);
    c->load[0] = b->bridge_load[0];
    const double work = 0.5 * (load + c->load[0]) * b->overlap_increment[0];
    c->work += work;
    if (work > 0.0) c->spent += work;
    c->stored = b->energy[RPS_ROLE_BRIDGE][0];
}

/* To and fro within the reach of a bridge, at random, then drawn apart slowly until it ruptures: what the account says of the
 * rupture against the work that was put in. */
static void bridge_cycles(audit_contact *c, const audit_report *report) {
    enum { TURNS = 40, PARTS = 400 };
    const double reach = c->law->range(c->constant, AUDIT_RADIUS, c->radius);
    const double nothing = 1e-5; /* 400 trapezoids a leg err by less than 1e-6 of its work */
    double from = 0.0, booked = 0.0;
    rps_audit_contact_renew(c);
    move_to_gap(c, -1e-9 * reach, true);
    move_to_gap(c, -1e-9 * reach, true);
    const double before = c->work - c->stored;
    for (uint64_t turn = 0; turn <= TURNS; turn++) {
        const double to = turn == TURNS ? 0.0 : reach * rps_random_uniform(5, RPS_RANDOM_TEST, 901, turn);
        for (int k = 1; k <= PARTS; k++) move_to_gap(c, from + (to - from) * k / PARTS, true);
        from = to;
    }
    const double lost = (c->work - c->stored - before) / c->spent;
    report->add(report->context, "closed random cycles in the gap: lost", fabs(lost) < nothing ? 0.0 : lost,
                "of the work", fabs(lost) < nothing ? "conserves" : balance(lost));
    const double start = c->work;
    for (int k = 1; k <= PARTS + 1; k++) {
        move_to_gap(c, reach * k / PARTS, k <= PARTS);
        booked += c->alone.b.dissipated[RPS_ROLE_BRIDGE][0];
    }
    report->add(report->context, "drawn apart: lost", booked / (c->work - start), "of the work", balance(booked));
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

rps_status rps_audit_try(audit_contact *c, const audit_subject *subject, const audit_report *report, rps_error *err) {
    const bool friction = subject->role >= RPS_ROLE_SLIDE, planar = rps_audit_is_planar(subject);
    RPS_TRY(rps_audit_contact_open(c, subject, 1.0, 0.22, err));
    bool springs = false;
    if (friction) springs = scale_of(c, 10.0).springs;
    if (subject->role == RPS_ROLE_BRIDGE) {
        bridge_cycles(c, report);
    } else {
        closed_cycles(c, report);
    }
    if (friction) elata_berryman(c, report);
    if (springs) load_cycles(c, report);
    if (friction) hold(c, report);
    if (springs) memory_ratchet(c, report);
    if (friction) under_tension(c, report);
    if (friction) stop_and_go(c, report);
    rps_audit_contact_close(c);
    /* radial unloading and impacts need spheres */
    if (springs && !planar) RPS_TRY(radial_unloading(c, subject, report, err));
    if (subject->role == RPS_ROLE_SLIDE && springs && !planar) RPS_TRY(rigid_turns(subject, report, err));
    if (subject->role == RPS_ROLE_SLIDE && !planar) RPS_TRY(oblique_impact(c, subject, report, err));
    const rps_law *law = rps_audit_law(subject);
    const bool imposed = law->role == RPS_ROLE_NORMAL && !(law->exponent > 0.0); /* an imposed force */
    if (!imposed) RPS_TRY(collision(subject, report, err));
    return RPS_OK;
}

rps_status rps_audit_try_damped(audit_contact *c, const audit_subject *subject, const audit_report *report,
                                rps_error *err) {
    RPS_TRY(rps_audit_contact_open(c, subject, 1.0, 0.22, err));
    closed_cycles(c, report);
    stop_and_go(c, report);
    rps_audit_contact_close(c);
    return RPS_OK;
}
