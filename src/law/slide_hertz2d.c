/*
 * Friction of parallel cylinders, the simplified law of the plane-strain model (Lai, Chen & Huang 2021, eqs. 31 to 33):
 * T += K ds, capped at mu N, with the secant stiffness at full slip K = pi E_eff depth/F, F of hertz2d_tangent.h.
 *
 * The cap limits the length of T, so T keeps its direction. unloading: on scales T down with K when K falls (Walton's
 * rule), so that no cycle delivers energy. The spring is that of the Mindlin laws, with K in the place of the contact
 * radius.
 *
 * Cylinders of a three-dimensional world slide along their axes too, in antiplane shear: a half cylinder held in its
 * plane of symmetry is displaced by (T/(pi l G)) (log(4 R/a) + 1/2), so that K = pi l/sum (1/G) (log(4 R/a) + 1/2),
 * where a plane adds nothing, as it is a rigid mirror. Both components share one cap. The rolling radius is longest
 * along the axis, and so gives its direction.
 */
#include <stdbool.h>

#include "law/hertz2d_tangent.h"
#include "law/mindlin.h"

enum { P_UNLOADING = 3, P_DAMPING };
enum { UNLOADING_OFF, UNLOADING_ON };
/* SOFT: 1/G of both materials, 1/Pa, of a world of strips; else 0 */
enum { TANGENT = RPS_MINDLIN_UNLIMITED + 1, SOFT = TANGENT + RPS_TANGENT_CONSTANTS, CONSTANTS = SOFT + 2 };
enum { M_FORCE, M_ACROSS, M_DAMPER, M_ALONG };
_Static_assert((int)CONSTANTS <= (int)RPS_LAW_CONSTANTS, "constants");

/* Whether the world is three-dimensional; prepare refuses it if both are 0. */
static inline bool of_strips(const double *constant) {
    return constant[SOFT] + constant[SOFT + 1] > 0.0;
}

static inline __attribute__((always_inline)) double tangent_stiffness(const double *constant, double a, double r0,
                                                                      double r1) {
    const double *t = constant + TANGENT;
    double k = rps_hertz2d_choice(r0, r1, t[RPS_TANGENT_PAIR], t[RPS_TANGENT_FIRST], t[RPS_TANGENT_SECOND]);
    return k / rps_tangent_sum(t, a, r0, r1);
}

/* Stiffness of one metre of a strip along its axis. */
static inline __attribute__((always_inline)) double axial_stiffness(const double *constant, double a, double r0,
                                                                    double r1) {
    double least0 = a > 1e-100 * r0 ? a : 1e-100 * r0, least1 = a > 1e-100 * r1 ? a : 1e-100 * r1;
    double ratio0 = r0 > least0 ? r0 / least0 : 1.0, ratio1 = r1 > least1 ? r1 / least1 : 1.0;
    /* a rigid cylinder on an elastic plane: as in the normal law, the plane's modulus stands for both */
    bool swap0 = !(r1 > 0.0) && !(constant[SOFT] > 0.0), swap1 = !(r0 > 0.0) && !(constant[SOFT + 1] > 0.0);
    double soft0 = constant[SOFT + (swap0 ? 1 : 0)] * (rps_log_positive(4.0 * ratio0) + 0.5);
    double soft1 = constant[SOFT + (swap1 ? 0 : 1)] * (rps_log_positive(4.0 * ratio1) + 0.5);
    return RPS_PI / ((r0 > 0.0 ? soft0 : 0.0) + (r1 > 0.0 ? soft1 : 0.0));
}

typedef struct pull {
    double u, w;
} pull;

/* Splits v into components across and along an axis, given by the unit tensor of the axis (uu, uw, ww); returns the
 * latter. */
static inline pull along_of(const double axis[3], pull v) {
    return (pull){axis[0] * v.u + axis[1] * v.w, axis[1] * v.u + axis[2] * v.w};
}

/* a across + b along */
static inline pull scaled(const double axis[3], double a, double b, pull v) {
    const pull along = along_of(axis, v);
    return (pull){a * (v.u - along.u) + b * along.u, a * (v.w - along.w) + b * along.w};
}

static inline double dot(pull a, pull b) {
    return a.u * b.u + a.w * b.w;
}

/* Strips: the spring of mindlin.h with one stiffness across the axis and one along it. */
static void slide_strips(const rps_batch *b, const double *constant) {
    const double mu = constant[RPS_MINDLIN_FRICTION], damping = 2.0 * constant[RPS_MINDLIN_DAMPING];
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    double *const t_u = b->memory[M_FORCE][0], *const t_w = b->memory[M_FORCE][1], *const k_x = b->memory[M_ACROSS][0];
    double *const k_y = b->memory[M_ALONG][0], *const d_u = b->memory[M_DAMPER][0], *const d_w = b->memory[M_DAMPER][1];
    for (int c = 0; c < b->count; c++) {
        const double uu = b->rolling_radius[0][c], uw = b->rolling_radius[1][c], ww = b->rolling_radius[2][c];
        const double half = 0.5 * (uu - ww), radius = sqrt(half * half + uw * uw);
        const double lean = radius > 0.0 ? half / radius : 1.0, turn = radius > 0.0 ? uw / radius : 0.0;
        const double axis[3] = {0.5 + 0.5 * lean, 0.5 * turn, 0.5 - 0.5 * lean};
        const double a = b->contact_radius[c], r0 = b->radius[0][c], r1 = b->radius[1][c], length = b->length[c];
        const bool loaded = a > 0.0 && length > 0.0;
        const double x = loaded ? length * tangent_stiffness(constant, a, r0, r1) : 0.0;
        const double y = loaded ? length * axial_stiffness(constant, a, r0, r1) : 0.0;
        const double cap = mu * b->cap_load[c];
        const bool falls = constant[RPS_MINDLIN_DECREASE] > 0.5;
        const double sx = falls && x < k_x[c] ? x / k_x[c] : 1.0, sy = falls && y < k_y[c] ? y / k_y[c] : 1.0;
        const pull before = {t_u[c], t_w[c]}, ds = {b->slip[0][c], b->slip[1][c]}, damper0 = {d_u[c], d_w[c]};
        const pull kept = scaled(axis, sx, sy, before), more = scaled(axis, x, y, ds);
        pull t = {kept.u + more.u, kept.w + more.w};
        const double raw = sqrt(dot(t, t));
        const bool slip = raw > cap;
        const double cut = slip ? cap / raw : 1.0;
        t = (pull){cut * t.u, cut * t.w};
        const double viscous = slip || !(cap > 0.0) ? 0.0 : damping * b->damper_mass_sqrt[c] * b->rate;
        const pull d = scaled(axis, viscous * sqrt(x), viscous * sqrt(y), ds);
        pull load = {t.u + d.u, t.w + d.w};
        const double top = cap + constant[RPS_MINDLIN_UNLIMITED], total = sqrt(dot(load, load));
        const double shrink = !slip && total > top ? top / total : 1.0;
        load = (pull){shrink * load.u, shrink * load.w};
        const pull soft0 = scaled(axis, k_x[c] > 0.0 ? 1.0 / k_x[c] : 0.0, k_y[c] > 0.0 ? 1.0 / k_y[c] : 0.0, before);
        const pull soft1 = scaled(axis, x > 0.0 ? 1.0 / x : 0.0, y > 0.0 ? 1.0 / y : 0.0, t);
        const double stored0 = 0.5 * dot(before, soft0), stored1 = 0.5 * dot(t, soft1);
        const pull mean = {0.5 * (before.u + damper0.u + load.u), 0.5 * (before.w + damper0.w + load.w)};
        dissipated[c] = dot(mean, ds) - (stored1 - stored0);
        t_u[c] = t.u;
        t_w[c] = t.w;
        k_x[c] = x;
        k_y[c] = y;
        d_u[c] = load.u - t.u;
        d_w[c] = load.w - t.w;
        b->mode[RPS_ROLE_SLIDE][0][c] = slip ? 1.0 : 0.0;
        force_x[c] = load.u;
        force_y[c] = load.w;
        force_z[c] = 0.0;
        elastic[c] = sqrt(dot(t, t));
        energy[c] = stored1;
    }
}

RPS_KERNEL(slide_hertz2d) {
    if (of_strips(constant)) {
        slide_strips(b, constant);
        return;
    }
    _Alignas(64) double k[RPS_BATCH];
    RPS_IN(contact_radius);
    RPS_IN_AS(radius0, b->radius[0]);
    RPS_IN_AS(radius1, b->radius[1]);
    RPS_EACH_CONTACT(c) {
        k[c] = tangent_stiffness(constant, contact_radius[c], radius0[c], radius1[c]);
    }
    rps_batch spring = *b;
    spring.contact_radius = k;
    rps_mindlin(&spring, constant, constant[RPS_MINDLIN_FRICTION]);
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_hertz2d_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_tangent_prepare(setup, "hertz2d", constant + TANGENT, err));
    constant[RPS_MINDLIN_FRICTION] = setup->value[RPS_TANGENT_V_FRICTION];
    constant[RPS_MINDLIN_SHEAR] = 0.125; /* 8 G* = 1: the spring reads K instead of a */
    constant[RPS_MINDLIN_DAMPING] = setup->value[P_DAMPING];
    constant[RPS_MINDLIN_DASHPOT] = constant[RPS_MINDLIN_INCREASE] = 0.0;
    constant[RPS_MINDLIN_DECREASE] = setup->value[P_UNLOADING] == UNLOADING_ON;
    constant[RPS_MINDLIN_UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? 1e200 : 0.0;
    for (int k = 0; k < 2; k++) {
        constant[SOFT + k] = setup->lines ? 2.0 * (1.0 + setup->poisson[k]) / setup->young[k] : 0.0;
    }
    if (setup->lines && !(constant[SOFT] + constant[SOFT + 1] > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `hertz2d` needs `young` of both materials in three "
                        "dimensions, where cylinders also slide along their axes");
    }
    return RPS_OK;
}

static int slide_hertz2d_keeps(const double *constant, int entry) {
    return entry != M_ALONG || of_strips(constant);
}

static rps_law_spring spring_of(const double *constant, const rps_law_contact *contact) {
    const double a = contact->contact_radius, r0 = contact->radius[0], r1 = contact->radius[1];
    double k = tangent_stiffness(constant, a, r0, r1);
    if (contact->length > 0.0) {
        const double along = axial_stiffness(constant, a, r0, r1);
        k = contact->length * (along > k ? along : k);
    }
    return (rps_law_spring){k, 2.0 * constant[RPS_MINDLIN_DAMPING] * sqrt(contact->damper_mass * k)};
}

const rps_law rps_law_slide_hertz2d = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "hertz2d",
    .summary = "parallel cylinders, disks of a planar scene or strips in three dimensions: T += K ds with the secant "
               "stiffness at full slip, capped at "
               "mu N",
    .citation = "Lai, Chen & Huang 2021, eqs. 31 to 33; Walton 2010",
    .parameter = {RPS_TANGENT_PARAMETERS,
                  {"unloading", "", "whether T falls with the stiffness", 0, 1, UNLOADING_OFF, "off|on",
                   RPS_PARAMETER_OTHER},
                  RPS_MINDLIN_DAMPING_PARAMETER},
    .memory = {{"T", "N", "elastic tangential force", RPS_MEMORY_TANGENT},
               {"slide_stiffness", "N/m", "K of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_STIFFNESS},
               {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK},
               {"slide_axial_stiffness", "N/m", "K along the axis of a strip, of the last evaluation",
                RPS_MEMORY_SCALAR}},
    .modes = 1,
    .dimension = 2,
    .lines = 1,
    .exception = {{"passive",
                   "slip under a large load taken back under a small one delivers (K2 - K1) s^2/2 a cycle, unless "
                   "unloading: on",
                   "Elata & Berryman 1996; Walton 2010"},
                  {"gives back what radial loading stored",
                   "with unloading: on T falls faster than the motion that is taken back; cure: unloading: off",
                   "Walton 2010"},
                  {"keeps its force while the load cycles",
                   "with unloading: on every cycle of the load takes its part of T, K_lo/K_hi; cure: unloading: off",
                   "Walton 2010"}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(contact_radius) | RPS_ARRAY(stiffness) | RPS_ARRAY(mass_eff) |
             RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip) | RPS_ARRAY(radius) | RPS_ARRAY(length) |
             RPS_ARRAY(rolling_radius),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_hertz2d_prepare,
    .keeps = slide_hertz2d_keeps,
    .spring = spring_of,
    .nonsmooth = "its stiffness depends on the length and the radii of lines of contact, which that stepper does not "
                 "tell laws; take tracked or cundall_strack",
    .kernel = RPS_LAW_KERNELS(slide_hertz2d),
};
#endif
