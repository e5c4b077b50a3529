/* A law in a shared library of its own, which a scene names by `laws: {file: film.so}`. Friction by a film of lubricant
 * between the flattened surfaces of a contact, sheared at the velocity v of slip (Couette):
 *
 *   T = viscosity pi a^2 / thickness v,    a: radius of the contact
 */
#include <math.h>

#include <repose/law_file.h>

enum { VISCOSITY, THICKNESS }; /* parameters */
enum { DAMPER };               /* constants: D/a^2 of T = D v, N s/m^3 */
enum { FORCE };                /* memory, for the ledger alone */

RPS_KERNEL(film) {
    const double per_area = constant[DAMPER], rate = b->rate;
    RPS_IN(contact_radius);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(last, b->memory[FORCE]);
    RPS_VECTOR(force, b->slide_force);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_SLIDE]);
    RPS_EACH_CONTACT(c) {
        const double d = per_area * (contact_radius[c] * contact_radius[c]) * rate;
        const double fx = d * slip_x[c], fy = d * slip_y[c], fz = d * slip_z[c];
        /* work of the step: mean of the forces at its ends times the slip */
        dissipated[c] =
            0.5 * (((last_x[c] + fx) * slip_x[c] + (last_y[c] + fy) * slip_y[c]) + (last_z[c] + fz) * slip_z[c]);
        last_x[c] = force_x[c] = fx;
        last_y[c] = force_y[c] = fy;
        last_z[c] = force_z[c] = fz;
    }
}

static rps_status film_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (isnan(setup->value[VISCOSITY]) || isnan(setup->value[THICKNESS])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `film` needs `viscosity`, such as 0.1 Pa s, and `thickness`, such as 1 um");
    }
    constant[DAMPER] = 3.141592653589793 * setup->value[VISCOSITY] / setup->value[THICKNESS];
    return RPS_OK;
}

static rps_law_spring film_spring(const double *constant, const rps_law_contact *contact) {
    return (rps_law_spring){0.0, constant[DAMPER] * contact->contact_radius * contact->contact_radius};
}

static const rps_law film_law = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "film",
    .summary = "shear of a film of lubricant between the flattened surfaces",
    .citation = "Couette flow",
    .parameter = {{"viscosity", "Pa s", "dynamic viscosity of the lubricant", 0.0, 1e9, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"thickness", "m", "thickness of the film", 1e-300, 1.0, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = {{"film_force", "N", "force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .exception = {{"whole load within the static cap", "a film has no static cap", ""}},
    .reads = RPS_ARRAY(contact_radius) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(dissipated),
    .prepare = film_prepare,
    .spring = film_spring,
    .nonsmooth = "a film has no threshold; use the penalty stepper",
    .kernel = RPS_LAW_KERNELS(film),
};

RPS_LAW_FILE(&film_law)
