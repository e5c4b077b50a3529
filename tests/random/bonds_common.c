/* Bonds: of grains that are near each other, and of two guests. */
#include "writer_common.h"

/* Soft, so that bonds strain as far as contacts overlap; some break in a run. */
static void put_law(writer *w) {
    const bool ratio = chance(w, 0.5), beam = chance(w, 0.5);
    const double young = draw(w, 1e3, 3e4), radius = draw(w, 0.3, 1.0);
    put(w, ", %s: %.17g", ratio ? "radius_ratio" : "radius", ratio ? radius : radius * GRAIN);
    if (beam && chance(w, 0.3)) put(w, ", law: beam");
    if (beam) {
        put(w, ", young: %.17g, poisson: %.17g", young, draw(w, -0.2, 0.45));
        if (chance(w, 0.5)) put(w, ", shear: %s", word_of(w, "beam|point|euler"));
    } else {
        const bool moduli = chance(w, 0.5);
        const double stiffness_ratio = draw(w, 1.0, 4.0), stiffness = young / SPACING;
        put(w, ", law: parallel, %s: %.17g", moduli ? "young" : "normal_stiffness", moduli ? young : stiffness);
        if (chance(w, 0.5)) {
            put(w, ", stiffness_ratio: %.17g", stiffness_ratio);
        } else {
            put(w, ", shear_stiffness: %.17g", stiffness / stiffness_ratio);
        }
    }
    put_maybe(w, 0.5, "damping", 0.0, 0.2);
    put_maybe(w, 0.3, "damping_time", 0.0, 1e-3 * w->until);
    const bool breaks = chance(w, 0.4), scatters = breaks && chance(w, 0.5);
    if (breaks) put(w, ", tensile_strength: %.17g", draw(w, 1e-3 * young, 0.1 * young));
    if (scatters) put(w, ", weibull: %.17g", draw(w, 2.0, 20.0));
    put_maybe(w, 0.4, "cohesion", 1e-3 * young, 0.1 * young);
    put_maybe(w, 0.3, "internal_friction", 0.0, 1.0);
    put_maybe(w, 0.3, "moment_factor", 0.0, 1.0);
    put_maybe(w, 0.2, "fracture_energy", 1e-7 * young * GRAIN, 1e-3 * young * GRAIN);
    if (chance(w, 0.4)) put(w, ", contact: %s", word_of(w, "beside|none"));
    put(w, "}\n");
}

void put_bonds(writer *w) {
    if (w->scene->nonsmooth || w->scene->imposed || !chance(w, 0.3)) return;
    put(w, "bonds:\n  - {between: [grains, grains], gap: %.17g", draw(w, 0.6, 1.2) * SPACING);
    put_law(w);
    if (w->guests < 2) return;
    put(w, "  - {name: pair, between: [guest0, guest1]");
    if (chance(w, 0.5)) {
        const double y = w->scene->planar ? 0.0 : SPACING, z = draw(w, 0.2, 0.6) * SPACING;
        put(w, ", points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", 1.6 * SPACING, y, z, 2.4 * SPACING, y, z);
    }
    put_law(w);
}
