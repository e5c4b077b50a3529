/*
 * No law gains energy: over closed random cycles of the motion that it resists, with the normal load and all lengths
 * constant and again with load, curvature and contact radius going through cycles of their own, what was put in
 * equals what is stored and what was dissipated; what was dissipated and what is stored are not negative. At last
 * the contact is lost, and the books must still close.
 *
 * Work is the mean of the loads at both ends of a step times the motion. With constant lengths that is exact for a
 * capped spring; with lengths that change it is of second order, so that four times the steps leave a sixteenth.
 */
#include "law_property.h"

#include <repose/law_kernel.h>

enum { STEPS = 300 };

/* A phase at random, remembered: they are asked for at every step. */
static double phase_of(uint64_t stream, uint64_t n) {
    enum { ROOM = 4096 };
    static struct {
        uint64_t stream, n;
        double phase;
        bool known;
    } memo[ROOM];
    const size_t at = (size_t)((stream * 1021 + n) % ROOM);
    if (!memo[at].known || memo[at].stream != stream || memo[at].n != n) {
        memo[at].stream = stream;
        memo[at].n = n;
        memo[at].known = true;
        memo[at].phase = uniform(stream, n, 0.0, 2.0 * RPS_PI);
    }
    return memo[at].phase;
}

/* A smooth closed curve in the tangent plane, t in [0, 1]. */
static rps_vec3 closed_course(uint64_t stream, uint64_t which, double t) {
    double x[2] = {0.0};
    for (int k = 0; k < 2; k++) {
        for (int h = 1; h <= 3; h++) {
            x[k] += sin(2.0 * RPS_PI * h * t + phase_of(stream, which * 100 + (uint64_t)(k * 10 + h))) / h;
        }
    }
    return rps_vec3_make(x[0], x[1], 0.0);
}

static double wave(uint64_t stream, double cycles, double t) {
    return sin(2.0 * RPS_PI * cycles * t + phase_of(stream, 1));
}

typedef struct account {
    double work, moved; /* J, put in; sum of the magnitudes of its parts */
    double stored, dissipated;
    double least;       /* J, the least stored on the way */
    double least_spent; /* J, the least that was dissipated up to a step */
} account;

/* Lengths at time t; cycling or constant. */
static void set_lengths(bench *t, double time, bool cycling, bool first) {
    for (int c = 0; c < LANES_USED; c++) {
        const uint64_t s = 70 + (uint64_t)c;
        const double on = cycling ? 1.0 : 0.0, rolling_radius = 0.02 * (1.0 + 0.3 * on * wave(s, 3.0, time));
        const double tensor[3] = {rolling_radius * (1.0 + 0.2 * on * wave(s + 20, 2.0, time)),
                                  0.1 * on * rolling_radius * wave(s + 40, 1.0, time),
                                  rolling_radius * (1.0 - 0.2 * on * wave(s + 20, 2.0, time))};
        for (int k = 0; k < 3; k++) {
            double *now = &t->lane[LANE_rolling_radius + k].x[c];
            t->lane[LANE_rolling_radius_mean + k].x[c] = first ? tensor[k] : 0.5 * (*now + tensor[k]);
            *now = tensor[k];
        }
        const double load = 5.0 * (1.0 + 0.6 * on * wave(s + 60, 2.0, time));
        double *twist = &t->lane[LANE_twist_radius].x[c];
        t->lane[LANE_twist_radius_mean].x[c] = first ? 0.5 * rolling_radius : 0.5 * (*twist + 0.5 * rolling_radius);
        *twist = 0.5 * rolling_radius;
        t->lane[LANE_cap_load].x[c] = t->lane[LANE_elastic_load].x[c] = load;
        t->lane[LANE_contact_radius].x[c] = 1e-3 * cbrt(load / 5.0);
    }
}

/* A friction law taken through a course of some caps (WIDE: it sticks and slips; NARROW: it sticks) in `steps` steps. */
static const double WIDE = 2.0, NARROW = 0.02;

static void run_course(const subject *s, int steps, bool cycling, double caps, account out[LANES_USED]) {
    static bench t;
    const rps_role role = s->law->role;
    const double time = 0.01; /* s, of the whole */
    bench_rest(&t, LANES_USED, time / steps, 5.0);
    double motion;
    static_cap(s, &t, &motion);
    const double size = (motion < 1.0 ? motion : 1e-4) * caps;
    rps_vec3 load0[LANES_USED][2], at[LANES_USED][2];
    memset(out, 0, LANES_USED * sizeof *out);
    for (int n = 0; n <= steps + 1; n++) {
        const bool lost = n > steps;
        const double time_now = (double)n / steps;
        rps_vec3 d[LANES_USED][2];
        set_lengths(&t, lost ? 1.0 : time_now, cycling, n == 0);
        bench_fill(&t, LANE_new_contact, n == 0);
        if (lost) {
            const int gone[] = {LANE_touch, LANE_cap_load, LANE_elastic_load, LANE_contact_radius};
            for (size_t k = 0; k < sizeof gone / sizeof *gone; k++) bench_fill(&t, gone[k], 0.0);
        }
        for (int c = 0; c < LANES_USED; c++) {
            for (int b = 0; b < 2; b++) {
                const uint64_t which = (uint64_t)(2 * c + b), stream = 81 + s->draw;
                d[c][b] = rps_vec3_zero();
                if (lost || (b && role != RPS_ROLE_ROLL)) continue;
                const rps_vec3 here = rps_vec3_scale(closed_course(stream, which, time_now), size);
                if (n > 0) d[c][b] = rps_vec3_sub(here, at[c][b]);
                at[c][b] = here;
            }
            if (role == RPS_ROLE_SPIN) d[c][0].y = 0.0;
            bench_move(&t, role, c, d[c][0], d[c][1]);
        }
        evaluate(&t, s, 0);
        for (int c = 0; c < LANES_USED; c++) {
            rps_vec3 load[2];
            bench_load(&t, role, c, &load[0], &load[1]);
            for (int b = 0; b < 2 && n > 0; b++) {
                const double w = 0.5 * rps_vec3_dot(rps_vec3_add(load0[c][b], load[b]), d[c][b]);
                out[c].work += w;
                out[c].moved += fabs(w);
            }
            memcpy(load0[c], load, sizeof load);
            out[c].stored = t.lane[LANE_energy + (int)role].x[c];
            out[c].least = fmin(out[c].least, out[c].stored);
            if (n > 0) out[c].dissipated += t.lane[LANE_dissipated + (int)role].x[c];
        }
    }
}

/* Moved by three times what slips, halted, moved back, ten times, under a load and lengths that stay. leg: s, of a move. */
static void stop_and_go(const subject *s, double leg, account out[LANES_USED]) {
    enum { LEG = 30, HALT = 5, LEGS = 20 };
    static bench t;
    const rps_role role = s->law->role;
    bench_rest(&t, LANES_USED, leg / LEG, 5.0);
    double motion;
    static_cap(s, &t, &motion);
    motion = motion < 1.0 ? motion : 1e-4;
    bench_rest(&t, LANES_USED, leg / LEG, 5.0);
    memset(out, 0, LANES_USED * sizeof *out);
    rps_vec3 load0[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int n = 0; n < LEGS * (LEG + HALT); n++) {
        const bool going = n % (LEG + HALT) < LEG;
        const double way = !going || n == 0 ? 0.0 : (n / (LEG + HALT) % 2 ? -3.0 : 3.0) * motion / LEG;
        const rps_vec3 d = {way, 0.0, 0.0}, none = {0.0, 0.0, 0.0};
        bench_fill(&t, LANE_new_contact, n == 0);
        for (int c = 0; c < LANES_USED; c++) bench_move(&t, role, c, d, none);
        evaluate(&t, s, 0);
        rps_vec3 load[2];
        bench_load(&t, role, 0, &load[0], &load[1]);
        const double w = 0.5 * (load0[0].x + load[0].x) * way;
        memcpy(load0, load, sizeof load);
        for (int c = 0; c < LANES_USED; c++) {
            out[c].work += w;
            out[c].moved += fabs(w);
            out[c].stored = t.lane[LANE_energy + (int)role].x[c];
            out[c].least = fmin(out[c].least, out[c].stored);
            if (n > 0) out[c].dissipated += t.lane[LANE_dissipated + (int)role].x[c];
            out[c].least_spent = fmin(out[c].least_spent, out[c].dissipated);
        }
    }
}

static double residual_of(const account *a) {
    return a->moved > 0.0 ? fabs(a->work - a->stored - a->dissipated) / a->moved : 0.0;
}

/* Books of a course with constant lengths close to round-off: 300 steps of an ulp of the parts. */
static double violation_books(const subject *s) {
    if (s->law->role < RPS_ROLE_SLIDE) return 0.0;
    account a[LANES_USED];
    double worst = 0.0;
    run_course(s, STEPS, false, WIDE, a);
    for (int c = 0; c < LANES_USED; c++) {
        worst = fmax(worst, residual_of(&a[c]) / 1e-12);
        worst = fmax(worst, -a[c].least / (1e-15 * a[c].moved + 1e-300));
    }
    return worst;
}

static double total_residual(const subject *s, int steps) {
    account a[LANES_USED];
    double sum = 0.0;
    run_course(s, steps, true, WIDE, a);
    for (int c = 0; c < LANES_USED; c++) sum += residual_of(&a[c]);
    return sum / LANES_USED;
}

/* With lengths that change: the residual goes away with the step. A law whose load does not jump: as its square, a
 * sixteenth (here: less than a tenth); jumps from static to kinetic and dampers that switch leave a first order, a
 * quarter (here: less than a half). Below 1e-11 it is round-off. */
static double convergence(const subject *s, double ratio) {
    if (s->law->role < RPS_ROLE_SLIDE) return 0.0;
    const double coarse = total_residual(s, STEPS), fine = total_residual(s, 4 * STEPS);
    return fine / (ratio * coarse + 1e-11);
}

static double violation_cycling_smooth(const subject *s) {
    return convergence(s, 0.1);
}

static double violation_cycling(const subject *s) {
    return convergence(s, 0.5);
}

/* The total dissipation, over cycling lengths too, is not negative beyond the residual of the step. Where nothing
 * slides, nothing hides what a law creates. In stop and go it is not negative at any time: a spring that a dashpot
 * has loaded beyond its cap lets go when the motion ends. */
static double violation_passive(const subject *s) {
    if (s->law->role < RPS_ROLE_SLIDE) return 0.0;
    account a[LANES_USED];
    double worst = 0.0;
    for (int k = 0; k < 3; k++) {
        run_course(s, STEPS, k > 0, k < 2 ? WIDE : NARROW, a);
        for (int c = 0; c < LANES_USED; c++) {
            worst = fmax(worst, -a[c].dissipated / (1e-9 * a[c].moved + 1e-300));
            worst = fmax(worst, -a[c].least / (1e-15 * a[c].moved + 1e-300));
        }
    }
    static const double legs[] = {1e-4, 1e-3, 1e-1}; /* s; springs and grains of the bench: 0.4 to 3 ms */
    for (size_t k = 0; k < sizeof legs / sizeof *legs; k++) {
        stop_and_go(s, legs[k], a);
        for (int c = 0; c < LANES_USED; c++) {
            worst = fmax(worst, -a[c].least_spent / (1e-9 * a[c].moved + 1e-300));
            worst = fmax(worst, residual_of(&a[c]) / 1e-12); /* constant lengths: as in violation_books */
        }
    }
    return worst;
}

/* The motion of one leg and the load at its end, from one evaluation to the next. */
static double lead(bench *t, const subject *s, double *load0, double motion, double n) {
    const double share = n / 5.0;
    const int loads[] = {LANE_cap_load, LANE_elastic_load};
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) bench_fill(t, loads[k], n);
    bench_fill(t, LANE_contact_radius, 1e-3 * cbrt(share));
    rps_vec3 a, b;
    for (int c = 0; c < LANES_USED; c++) {
        bench_move(t, s->law->role, c, rps_vec3_make(motion, 0.0, 0.0), rps_vec3_zero());
    }
    evaluate(t, s, 0);
    bench_load(t, s->law->role, 0, &a, &b);
    const double work = 0.5 * (*load0 + a.x) * motion;
    *load0 = a.x;
    return work;
}

/* Motion in proportion to the contact radius squared, as overlap is, from nothing to 5 N and back, far from slipping: what a
 * spring has stored comes back. An Euler step of a stiffness that changes: 1/steps. */
static double violation_radial(const subject *s) {
    enum { RADIAL_STEPS = 4000 };
    static bench t;
    if (s->law->role < RPS_ROLE_SLIDE) return 0.0;
    double motion, load = 0.0, put = 0.0, work = 0.0;
    bench_rest(&t, LANES_USED, 1e9, 5.0); /* so slow that no dashpot takes part */
    static_cap(s, &t, &motion);
    bench_rest(&t, LANES_USED, 1e9, 5.0);
    motion = 0.02 * (motion < 1.0 ? motion : 1e-4);
    double depth0 = 0.0;
    for (int k = 0; k <= 2 * RADIAL_STEPS; k++) {
        const double depth = (double)(k <= RADIAL_STEPS ? k : 2 * RADIAL_STEPS - k) / RADIAL_STEPS;
        bench_fill(&t, LANE_new_contact, k == 0);
        work += lead(&t, s, &load, motion * (depth - depth0), 5.0 * depth * sqrt(depth));
        depth0 = depth;
        if (k == RADIAL_STEPS && t.lane[LANE_energy + (int)s->law->role].x[0] > 0.0) put = work; /* a spring */
    }
    return put > 0.0 ? work / put / 0.02 : 0.0;
}

/* Far from slipping at a motion that is held, the load falls by a tenth and comes back, 20 times: a spring is as it was
 * after the first, in which the edge of a contact may let go. */
static double violation_kept(const subject *s) {
    static bench t;
    if (s->law->role < RPS_ROLE_SLIDE) return 0.0;
    double motion, load = 0.0;
    bench_rest(&t, LANES_USED, 1e9, 5.0);
    static_cap(s, &t, &motion);
    bench_rest(&t, LANES_USED, 1e9, 5.0);
    motion = 0.2 * (motion < 1.0 ? motion : 1e-4);
    bench_fill(&t, LANE_new_contact, 1.0);
    lead(&t, s, &load, 0.0, 5.0);
    bench_fill(&t, LANE_new_contact, 0.0);
    lead(&t, s, &load, motion, 5.0);
    for (int k = 0; k < 3; k++) lead(&t, s, &load, 0.0, k == 1 ? 4.5 : 5.0);
    const double before = t.lane[LANE_elastic + (int)s->law->role].x[0];
    const bool springs = t.lane[LANE_energy + (int)s->law->role].x[0] > 0.0;
    for (int k = 0; k < 40; k++) lead(&t, s, &load, 0.0, k % 2 ? 5.0 : 4.5);
    const double after = t.lane[LANE_elastic + (int)s->law->role].x[0];
    return springs ? fabs(after / before - 1.0) / 1e-9 : 0.0; /* 40 products */
}

/* An angle kept while the curvature changes gains K dK Theta^2/2 that nobody books. */
static bool angles(rps_role role, int form) {
    return (role == RPS_ROLE_ROLL || role == RPS_ROLE_SPIN) && (form == FORM_ANGLE || form == FORM_PAPER);
}

PROPERTY_TEST(books, "books close at constant lengths", violation_books, DAMPED, NULL)
PROPERTY_TEST(cycling_smooth, "books close over cycles of load and curvature", violation_cycling_smooth, SMOOTH, angles)
PROPERTY_TEST(cycling, "books close over such cycles with jumps", violation_cycling, DAMPED, angles)
PROPERTY_TEST(passive, "passive", violation_passive, DAMPED, NULL)
PROPERTY_TEST(radial, "gives back what radial loading stored", violation_radial, SMOOTH, NULL)
PROPERTY_TEST(kept, "keeps its force while the load cycles", violation_kept, SMOOTH, NULL)

/* --- normal and damping ------------------------------------------------------------------------------------------- */

/* A normal law that dissipates by a largest overlap. */
static bool is_plastic(const rps_law *law) {
    return law->role == RPS_ROLE_NORMAL && (law->memory[0].kind & RPS_MEMORY_FROM_ZERO);
}

/* A step of a plastic law: no steeper than the stiffness of its spring, and it dissipates what it does not store. */
static void check_plastic(const subject *s, const bench *t, int c, double rise, double work, double stored) {
    const double d = t->lane[LANE_overlap_increment].x[c], depth = 4e-4; /* more than the largest */
    const rps_law_contact contact = {.radius_eff = t->lane[LANE_radius_eff].x[c], .overlap = depth};
    const double most = s->law->spring(s->constant, &contact).stiffness;
    const double lost = t->lane[LANE_dissipated + RPS_ROLE_NORMAL].x[c], load = fabs(t->lane[LANE_elastic_load].x[c]);
    const double energy = fabs(t->lane[LANE_energy].x[c]); /* below 0 under a constant pull */
    /* rounding of the load, a difference of overlaps, and of the energies */
    assert_true(fabs(rise) <= most * fabs(d) * (1.0 + 1e-9) + 1e-14 * load + 1e-15 * most * depth);
    ASSERT_NEAR(lost, work - stored, 1e-13 * (fabs(work) + energy));
    /* the trapezoid errs by (d/delta)^2, 4e-4 at 300 steps, on a curve, and where the slope changes from K to -K by K d^2/4 */
    ASSERT_ABOVE(lost, -1e-3 * fabs(work) - 0.25 * most * d * d - 1e-13 * energy);
}

/* Loading and unloading with a dashpot: work of the whole load over the overlap against what is stored and dissipated;
 * the stiffness is the slope of the load, of an adhesive law at least that; the load is the slope of the energy. */
static void check_normal(const subject *s, const subject *damping, int steps, double *residual) {
    static bench t;
    bench_rest(&t, LANES_USED, 1e-3 / steps, 5.0);
    double load0[LANES_USED] = {0.0}, depth0[LANES_USED] = {0.0}, energy0[LANES_USED] = {0.0};
    account a[LANES_USED];
    memset(a, 0, sizeof a);
    *residual = 0.0;
    double elastic0[LANES_USED] = {0.0}, stiffness0[LANES_USED] = {0.0};
    for (int n = 0; n <= steps; n++) {
        for (int c = 0; c < LANES_USED; c++) {
            const double depth = 1e-4 * (1.2 + wave(90 + (uint64_t)c, 2.0, (double)n / steps));
            t.lane[LANE_overlap].x[c] = depth;
            t.lane[LANE_overlap_increment].x[c] = n ? depth - depth0[c] : 0.0;
            depth0[c] = depth;
        }
        evaluate(&t, s, 0);
        if (damping) evaluate(&t, damping, 0);
        for (int c = 0; c < LANES_USED; c++) {
            const double elastic = t.lane[LANE_elastic_load].x[c], d = t.lane[LANE_overlap_increment].x[c];
            const double load = elastic + t.lane[LANE_damping_load].x[c], energy = t.lane[LANE_energy].x[c];
            const double slope = 0.5 * (stiffness0[c] + t.lane[LANE_stiffness].x[c]);
            if (n > 0) {
                a[c].work += 0.5 * (load0[c] + load) * d;
                a[c].moved += fabs(0.5 * (load0[c] + load) * d);
                a[c].dissipated += damping ? t.lane[LANE_dissipated + RPS_ROLE_DAMPING].x[c] : 0.0;
                /* trapezoids of a smooth curve: (d/delta)^2, 4e-4 at 300 steps */
                const double pull = t.lane[LANE_pull].x[c], room = 1e-3 * fabs(slope * d);
                const double rise = elastic - elastic0[c], rounding = 1e-15 * fmax(fabs(elastic), pull);
                if (is_plastic(s->law)) {
                    a[c].dissipated += t.lane[LANE_dissipated + RPS_ROLE_NORMAL].x[c];
                    check_plastic(s, &t, c, rise, 0.5 * (elastic + elastic0[c]) * d, energy - energy0[c]);
                } else if (s->law->writes & RPS_ARRAY(pull)) {
                    assert_true(d * rise > 0.0 ? fabs(rise) <= fabs(slope * d) + room + rounding
                                               : fabs(rise) <= rounding);
                    assert_true(elastic >= -pull * (1.0 + 1e-15));
                } else {
                    ASSERT_NEAR(rise, slope * d, room + rounding);
                }
                if (s->law->exponent > 0.0 && !is_plastic(s->law)) {
                    ASSERT_NEAR(energy - energy0[c], 0.5 * (elastic + elastic0[c]) * d,
                                1e-3 * fmax(fabs(elastic), pull) * fabs(d) + 1e-15 * fabs(energy));
                }
            } else {
                a[c].stored = energy;
            }
            load0[c] = load;
            elastic0[c] = elastic;
            stiffness0[c] = t.lane[LANE_stiffness].x[c];
            energy0[c] = energy;
            if (!(s->law->writes & RPS_ARRAY(pull))) assert_true(elastic >= 0.0 && energy >= 0.0);
        }
    }
    for (int c = 0; c < LANES_USED; c++) {
        *residual = fmax(*residual, fabs(a[c].work - (energy0[c] - a[c].stored) - a[c].dissipated) / a[c].moved);
        ASSERT_ABOVE(a[c].dissipated, -1e-9 * a[c].moved);
    }
}

static void test_normal_and_damping(void **state) {
    (void)state;
    for (size_t n = 0; rps_law_at(n); n++) {
        for (uint64_t draw = 0; rps_law_at(n)->role == RPS_ROLE_NORMAL && draw < DRAWS; draw++) {
            subject s = subject_of(rps_law_at(n), FORM_SYMMETRIC, draw, ANY);
            double coarse, fine;
            check_normal(&s, NULL, STEPS, &coarse);
            check_normal(&s, NULL, 4 * STEPS, &fine);
            ASSERT_BELOW(fine, 0.1 * coarse + 1e-12);
            subject_release(&s);
        }
        for (uint64_t draw = 0; rps_law_at(n)->role == RPS_ROLE_DAMPING && draw < 2 * DRAWS; draw++) {
            subject damping = subject_of(rps_law_at(n), FORM_SYMMETRIC, draw, ANY), s = damping;
            s.law = damping.setup->law[RPS_ROLE_NORMAL];
            s.constant = damping.setup->constant[RPS_ROLE_NORMAL];
            double coarse, fine;
            check_normal(&s, &damping, STEPS, &coarse);
            check_normal(&s, &damping, 4 * STEPS, &fine);
            /* where the pull is cut the load has a kink, still of second order */
            ASSERT_BELOW(fine, 0.2 * coarse + 1e-12);
            subject_release(&damping);
        }
    }
}

/* --- the suite itself --------------------------------------------------------------------------------------------- */

/* A damper that pushes along, twice: one that says so, one that does not. */
static void pushing_kernel(const rps_batch *b, const double *constant) {
    RPS_EACH_CONTACT(c) {
        double work = 0.0;
        for (int k = 0; k < 3; k++) {
            double d = -constant[0] * b->slip[k][c] * b->rate * b->touch[c];
            work += 0.5 * (b->memory[0][k][c] + d) * b->slip[k][c];
            b->memory[0][k][c] = d;
            b->slide_force[k][c] = d;
        }
        b->dissipated[RPS_ROLE_SLIDE][c] = work;
        b->energy[RPS_ROLE_SLIDE][c] = b->elastic[RPS_ROLE_SLIDE][c] = 0.0;
    }
}

static rps_status pushing_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup;
    (void)err;
    constant[0] = 1.0;
    return RPS_OK;
}

static void test_a_wrong_law_is_found(void **state) {
    (void)state;
    static const rps_law pushing = {
        .size = sizeof(rps_law),
        .role = RPS_ROLE_SLIDE,
        .name = "pushing",
        .summary = "a damper that pushes along",
        .citation = "",
        .memory = {{"d", "N", "load", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
        .exception = {{"passive", "it pushes", ""}},
        .reads = RPS_ARRAY(touch) | RPS_ARRAY(slip),
        .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
        .prepare = pushing_prepare,
        .kernel = {pushing_kernel, pushing_kernel, pushing_kernel},
    };
    subject s = subject_of(&pushing, FORM_SYMMETRIC, 0, ANY);
    assert_true(violation_passive(&s) > 1.0);
    assert_true(violation_books(&s) <= 1.0); /* it is honest about it */
    assert_true(declares(&pushing, "passive") && !declares(&pushing, "finite"));
    subject_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_books),
        cmocka_unit_test(test_cycling_smooth),
        cmocka_unit_test(test_cycling),
        cmocka_unit_test(test_passive),
        cmocka_unit_test(test_radial),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_normal_and_damping),
        cmocka_unit_test(test_a_wrong_law_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
