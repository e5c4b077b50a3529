/*
 * Friction that falls with the rate of slip from its static to its kinetic value, and rises again with a viscous part
 * (Bo & Pavelescu 1982):
 *
 *   mu(v) = mu_k + (mu_s - mu_k) exp(-(v/v_s)^p) + g v/v_s,    v = |ds|/dt of the step
 *
 * Spring and cap are those of the law `tracked`: mu_s N in stick, mu(v) N in slip. v is the whole rate of slip, not
 * that of the plastic part: with friction that falls with the rate its equation would have several roots.
 */
#include "base/elementary.h"
#include "law/rate.h"

enum { P_STATIC = RPS_RATE_P_OWN, P_KINETIC, P_SPEED, P_EXPONENT, P_VISCOUS, P_DAMPING };
enum { STATIC = RPS_RATE_OWN, KINETIC, PER_SPEED, SQUARE, VISCOUS, DAMPING, UNLIMITED };
enum { BOOK = RPS_RATE_M_OWN };

RPS_KERNEL(slide_stribeck) {
    const double given = constant[RPS_RATE_STIFFNESS], per_radius = constant[RPS_RATE_PER_RADIUS], rate = b->rate;
    const double mu_s = constant[STATIC], mu_k = constant[KINETIC], per_speed = constant[PER_SPEED];
    const double square = constant[SQUARE], viscous = constant[VISCOUS], damping = constant[DAMPING];
    const double unlimited = constant[UNLIMITED];
    RPS_IN(cap_load);
    RPS_IN(contact_radius);
    RPS_IN(damper_mass_sqrt);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(t, b->memory[RPS_RATE_FORCE]);
    RPS_AS(spring, b->memory[RPS_RATE_SPRING][0]);
    RPS_VECTOR(damper, b->memory[BOOK]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    RPS_EACH_CONTACT(c) {
        const double k0 = spring[c], k1 = given + per_radius * contact_radius[c], load = cap_load[c];
        const double dx = slip_x[c], dy = slip_y[c], dz = slip_z[c];
        const double speed = rate * sqrt((dx * dx + dy * dy) + dz * dz), part = speed * per_speed;
        const double power = square > 0.5 ? part * part : part;
        const double fall = rps_exp_bounded(power < 700.0 ? -power : -700.0);
        const double mu = mode[c] > 0.5 ? mu_k + (mu_s - mu_k) * fall + viscous * speed : mu_s, cap = mu * load;
        const double s = k1 < k0 ? k1 / k0 : 1.0;
        const double x0 = t_x[c], y0 = t_y[c], z0 = t_z[c];
        double x = s * x0 + k1 * dx, y = s * y0 + k1 * dy, z = s * z0 + k1 * dz;
        const double raw = sqrt((x * x + y * y) + z * z), slides = raw > cap ? 1.0 : 0.0;
        const double cut = slides > 0.5 ? cap / raw : 1.0;
        x *= cut;
        y *= cut;
        z *= cut;
        const double sticks = load > 0.0 ? 1.0 - slides : 0.0;
        const double d = sticks > 0.5 ? damping * damper_mass_sqrt[c] * sqrt(k1) * rate : 0.0;
        double lx = x + d * dx, ly = y + d * dy, lz = z + d * dz;
        const double top = mu_s * load + unlimited, total = sqrt((lx * lx + ly * ly) + lz * lz);
        const double over = total > top ? sticks : 0.0, shrink = over > 0.5 ? top / total : 1.0;
        lx *= shrink;
        ly *= shrink;
        lz *= shrink;
        const double square0 = (x0 * x0 + y0 * y0) + z0 * z0, square1 = (x * x + y * y) + z * z;
        const double stored0 = k0 > 0.0 ? 0.5 * square0 / k0 : 0.0, stored1 = k1 > 0.0 ? 0.5 * square1 / k1 : 0.0;
        const double work =
            0.5 * (((x0 + damper_x[c] + lx) * dx + (y0 + damper_y[c] + ly) * dy) + (z0 + damper_z[c] + lz) * dz);
        t_x[c] = x;
        t_y[c] = y;
        t_z[c] = z;
        spring[c] = k1;
        damper_x[c] = lx - x;
        damper_y[c] = ly - y;
        damper_z[c] = lz - z;
        mode[c] = slides;
        force_x[c] = lx;
        force_y[c] = ly;
        force_z[c] = lz;
        elastic[c] = sqrt(square1);
        energy[c] = stored1;
        dissipated[c] = work - (stored1 - stored0);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_stribeck_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    const char *missing = isnan(v[P_STATIC]) ? "static" : isnan(v[P_KINETIC]) ? "kinetic" : NULL;
    if (!missing && isnan(v[P_SPEED])) missing = "speed";
    if (missing) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `stribeck` has no `%s`: it needs `static`, `kinetic` and `speed`, the v_s over which "
            "friction falls from one to the other",
            missing);
    }
    if (v[P_STATIC] < v[P_KINETIC]) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `stribeck`: static (%g) is below kinetic (%g); friction that rises with the rate is "
                        "given by `viscous`: raise static or lower kinetic",
                        v[P_STATIC], v[P_KINETIC]);
    }
    RPS_TRY(rps_rate_prepare(setup, "stribeck", constant, err));
    constant[STATIC] = v[P_STATIC];
    constant[KINETIC] = v[P_KINETIC];
    constant[PER_SPEED] = 1.0 / v[P_SPEED];
    constant[SQUARE] = v[P_EXPONENT];
    constant[VISCOUS] = v[P_VISCOUS] / v[P_SPEED];
    constant[DAMPING] = 2.0 * v[P_DAMPING];
    constant[UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? 1e200 : 0.0;
    return RPS_OK;
}

/* Friction that changes with the rate acts as a damper, where it falls as a negative one, of at most N |dmu/dv|. */
static rps_law_spring slide_stribeck_spring(const double *constant, const rps_law_contact *contact) {
    const double k = rps_rate_stiffness(constant, contact->contact_radius);
    const double fall = (constant[STATIC] - constant[KINETIC]) * constant[PER_SPEED];
    const double steepest = fall > constant[VISCOUS] ? fall : constant[VISCOUS];
    return (rps_law_spring){k, constant[DAMPING] * sqrt(contact->damper_mass * k) + steepest * contact->normal_load};
}

const rps_law rps_law_slide_stribeck = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "stribeck",
    .summary =
        "a spring capped at mu(v) N, which falls from the static to the kinetic coefficient with the rate of slip",
    .citation = "Bo & Pavelescu 1982",
    .parameter = {RPS_RATE_PARAMETERS,
                  {"static", "", "friction coefficient at rest, mu_s", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
                  {"kinetic", "", "friction coefficient of fast slip without `viscous`, mu_k, at most static", 0.0, 1e6,
                   NAN, NULL, RPS_PARAMETER_KINETIC},
                  {"speed", "m/s", "v_s, over which friction falls", 1e-12, 1e6, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"exponent", "", "p of exp(-(v/v_s)^p)", 0, 1, 0, "one|two", RPS_PARAMETER_OTHER},
                  {"viscous", "", "g of the part g v/v_s", 0.0, 1e6, 0.0, NULL, RPS_PARAMETER_OTHER},
                  {"damping", "", "damper in stick as a fraction of critical, 2 sqrt(m K); m by the form's damper_mass",
                   0.0, 100.0, 0.0, NULL, RPS_PARAMETER_DAMPING}},
    .memory = {RPS_RATE_MEMORY,
               {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .exception = {RPS_RATE_EXCEPTIONS,
                  {"elastic part within its cap", "with `viscous` fast slip has more friction than rest", ""},
                  {"whole load within the static cap", "with `viscous` fast slip has more friction than rest", ""}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(contact_radius) | RPS_ARRAY(damper_mass_sqrt) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_stribeck_prepare,
    .effective = rps_rate_effective,
    .spring = slide_stribeck_spring,
    .nonsmooth = "its threshold follows the rate of slip within a step, and a cone has one from step to step; take "
                 "tracked with static and kinetic",
    .kernel = RPS_LAW_KERNELS(slide_stribeck),
};
#endif
