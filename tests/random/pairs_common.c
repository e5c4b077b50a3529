/* How materials act on each other. */
#include <math.h>
#include <string.h>

#include <repose/world.h>

#include "writer_common.h"

/* A value that suits a grain, by unit. */
static double value_of(writer *w, const rps_law_parameter *p) {
    static const struct {
        const char *unit;
        double low, high;
    } usual[] = {{"", 0.1, 0.9},       {"N/m", 100.0, 1e3},       {"Pa", 1e5, 1e6},        {"N", 0.01, 0.1},
                 {"N s/m", 0.01, 0.1}, {"N m s/rad", 1e-8, 1e-7}, {"N m/rad", 1e-4, 1e-3}, {"rad", 1e-3, 1e-2},
                 {"1/m", 30.0, 300.0}, {"s", 1e-3, 0.1},          {"m", 1e-5, 1e-4}};
    double low = fmax(p->low, 1e-3), high = fmin(p->high, 1.0);
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        if (strcmp(usual[k].unit, p->unit) != 0) continue;
        low = fmax(p->low, usual[k].low);
        high = fmin(p->high, usual[k].high);
    }
    const double part = draw(w, 0.0, 1.0);
    return low < high ? low * pow(high / low, part) : low;
}

static void put_parameter(writer *w, const rps_law_parameter *p) {
    static const char *const larger[] = {"static", "angle_static", "friction"}; /* than `kinetic` */
    if (strcmp(p->name, larger[0]) == 0 || strcmp(p->name, larger[1]) == 0 || strcmp(p->name, larger[2]) == 0) {
        put(w, ", %s: %.17g", p->name, draw(w, 0.4, 0.8));
    } else if (strcmp(p->name, "kinetic") == 0 || strcmp(p->name, "angle_kinetic") == 0) {
        put(w, ", %s: %.17g", p->name, draw(w, 0.1, 0.4));
    } else if (p->choices) {
        put(w, ", %s: %s", p->name, word_of(w, p->choices));
    } else {
        put(w, ", %s: %.17g", p->name, value_of(w, p));
    }
}

/* Most laws ask for these. */
static bool is_asked(const char *name) {
    static const char *const asked[] = {"static",    "friction", "coefficient", "value",       "eta",
                                        "stiffness", "time",     "kinetic",     "restitution", "direct",
                                        "evolution", "distance", "speed"};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        if (strcmp(asked[k], name) == 0) return true;
    }
    return false;
}

/* Chance of a parameter that a law does not ask for. */
static double odds_of(const rps_law_parameter *p) {
    if (is_asked(p->name)) return 0.998;
    return p->choices ? 0.4 : strcmp(p->name, "damping") == 0 ? 0.3 : 0.03;
}

/* The tracked law of roll or spin has parameters that stand in for each other. */
static void put_tracked(writer *w, rps_role role, bool angle) {
    put(w, "{law: tracked");
    if (w->scene->nonsmooth && chance(w, 0.2)) {
        put(w, ", static: 0.5, kinetic: 0.4, length: %.17g}", draw(w, 1e-5, 1e-4));
        return;
    }
    if (!w->scene->nonsmooth && angle && chance(w, 0.3)) {
        put(w, ", static: 0.5, kinetic: 0.4, stiffness: 300, angular_stiffness: %.17g", draw(w, 1e-4, 1e-3));
        if (chance(w, 0.5)) {
            const double most = draw(w, 1e-3, 1e-2);
            put(w, ", angle_static: %.17g, angle_kinetic: %.17g", most, 0.8 * most);
        }
    } else {
        put(w, ", static: 0.5, kinetic: 0.4, stiffness: 300, eta: %.17g", draw(w, 0.1, 0.5));
        if (role == RPS_ROLE_ROLL) put_maybe(w, 0.2, "threshold", 0.5, 2.0);
    }
    if (role == RPS_ROLE_SPIN && chance(w, 0.3)) {
        if (chance(w, 0.5)) {
            put(w, ", curvature: %s", word_of(w, "geometry|hertz"));
        } else {
            put(w, ", K: %.17g", draw(w, 100.0, 1000.0));
        }
    }
    if (chance(w, 0.4))
        put_maybe(w, 0.5, "damping", 0.0, 1.0);
    else
        put_maybe(w, 0.2, "damper", 1e-9, 1e-8);
    put(w, "}");
}

/* A parameter that some laws take in place of one that is asked for. */
static const struct {
    const char *law, *given, *instead_of;
} alternatives[] = {{"viscous", "damper", "time"},
                    {"iwashita_oda", "eta", "coefficient"},
                    {"iwashita_oda", "angular_stiffness", "stiffness"},
                    {"jiang", "shape", "coefficient"},
                    {"viscous_coulomb", "rate", "damper"},
                    {"stribeck", "effective_shear", "stiffness"},
                    {"rate_state", "effective_shear", "stiffness"}};

/* Which of the alternatives a law takes, as bits. */
static unsigned draw_alternatives(writer *w, const rps_law *law) {
    unsigned taken = 0;
    for (unsigned k = 0; k < sizeof alternatives / sizeof *alternatives; k++) {
        if (strcmp(alternatives[k].law, law->name) == 0 && chance(w, 0.3)) taken |= 1u << k;
    }
    return taken;
}

static double odds_with(const rps_law *law, const rps_law_parameter *p, unsigned taken) {
    for (unsigned k = 0; k < sizeof alternatives / sizeof *alternatives; k++) {
        const bool mine = strcmp(alternatives[k].law, law->name) == 0, is = taken >> k & 1u;
        if (mine && strcmp(alternatives[k].given, p->name) == 0) return is ? 1.0 : 0.002;
        if (mine && is && strcmp(alternatives[k].instead_of, p->name) == 0) return 0.002;
        if (mine && strcmp(law->name, "jiang") == 0 && strcmp(p->name, "crushing") == 0) return is ? 0.5 : 0.002;
    }
    /* beside a coefficient of rest and motion alike */
    if (strcmp(p->name, "kinetic") == 0 && strcmp(law->parameter[0].name, "friction") == 0) return 0.3;
    if (strcmp(law->name, "viscous_coulomb") == 0) return 0.998; /* its damper is asked for */
    return odds_of(p);
}

/* Choices that the nonsmooth stepper refuses: mostly left out. True if the parameter is done with. */
static bool put_for_nonsmooth(writer *w, const rps_law *law, const rps_law_parameter *p) {
    const bool ai = strcmp(law->name, "ai") == 0 && strcmp(p->name, "at_cap") == 0;
    const bool turned = strcmp(p->name, "rotation") == 0;
    if (!w->scene->nonsmooth || !(ai || turned) || chance(w, 0.02)) return false;
    if (ai) put(w, ", at_cap: 0");
    return true;
}

/* A law of the list with some of its parameters; it may refuse them. hertz: the normal law is that of Hertz. */
static void put_any_law(writer *w, rps_role role, bool angle, bool hertz) {
    const rps_law *law[64];
    int laws = 0;
    for (size_t n = 0; rps_law_at(n); n++) {
        const rps_law *l = rps_law_at(n);
        bool fits = l->dimension == 0 || l->dimension == (w->scene->planar ? 2 : 3);
        if (w->scene->planar && role == RPS_ROLE_SLIDE && l->dimension == 0) {
            fits = strcmp(l->name, "tracked") == 0 || strcmp(l->name, "cundall_strack") == 0;
        }
        if (strcmp(l->name, "mindlin_deresiewicz") == 0 && !hertz) continue;
        if (l->role == role && fits && (!w->scene->nonsmooth || l->cone)) law[laws++] = l;
    }
    const rps_law *l = law[pick(w, laws)];
    put(w, "    %s: ", rps_role_name(role));
    if (role >= RPS_ROLE_ROLL && strcmp(l->name, "tracked") == 0) {
        put_tracked(w, role, angle);
        put(w, "\n");
        return;
    }
    put(w, "{law: %s", l->name);
    const bool slope = strcmp(l->name, "torsional") == 0 && chance(w, 0.6); /* instead of a stiffness */
    if (slope)
        put(w, ", slope: %s", word_of(w, "mindlin|exact"));
    else if (strcmp(l->name, "torsional") == 0 && chance(w, 0.3))
        put(w, ", slope: stiffness");
    const unsigned taken = draw_alternatives(w, l);
    bool damper = false;
    for (int k = 0; k < RPS_LAW_PARAMETERS && l->parameter[k].name; k++) {
        const rps_law_parameter *p = &l->parameter[k];
        if (strcmp(p->name, "slope") == 0 || (slope && strcmp(p->name, "stiffness") == 0)) continue;
        if (put_for_nonsmooth(w, l, p)) continue;
        if (!chance(w, odds_with(l, p, taken)) || (damper && strcmp(p->name, "damping") == 0)) continue;
        damper = damper || strcmp(p->name, "damper") == 0;
        put_parameter(w, p);
    }
    put(w, "}\n");
}

/* Whether memories are angles. In a map, or beside the laws. */
static bool put_form(writer *w) {
    static const char *const choice[][2] = {{"frame", "mid|lower"},         {"path", "common|surface"},
                                            {"history", "shared|per-body"}, {"carry", "length|angle"},
                                            {"damper", "limited|free"},     {"arc", "exact|chord"},
                                            {"cap_load", "total|elastic"},  {"damper_mass", "effective|average"}};
    if (w->scene->nonsmooth || chance(w, 0.4)) return false;
    const bool map = chance(w, 0.3);
    bool angle = !map && chance(w, 0.4), any = false;
    if (angle) put(w, "    form: paper\n");
    if (!map && !angle && chance(w, 0.2)) put(w, "    form: symmetric\n");
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
        if (!chance(w, 0.25)) continue;
        const char *word = word_of(w, choice[k][1]);
        put(w, map ? any ? ", %s: %s" : "    form: {%s: %s" : "    %s: %s\n", choice[k][0], word);
        if (strcmp(choice[k][0], "carry") == 0) angle = strcmp(word, "angle") == 0;
        any = true;
    }
    if (map && any) put(w, "}\n");
    return angle;
}

/* other: the normal law is neither Hooke's nor that of Hertz, whose restitution has a closed form. */
static void put_damping(writer *w, bool hertz, bool other) {
    const bool planar = w->scene->planar, nonsmooth = w->scene->nonsmooth;
    if (nonsmooth) {
        const double value = draw(w, 0.1, 0.9);
        if (chance(w, 0.5))
            put(w, "    damping: none\n");
        else
            put(w, "    damping: {law: restitution, value: %.17g}\n", value);
        return;
    }
    static const struct {
        const char *law;
        double scale; /* of its parameter, for impacts that are damped about as much */
    } all[] = {{"ratio", 1.0},  {"restitution", 1.0}, {"tsuji", 1.0},        {"coefficient", 0.1},
               {"mass", 100.0}, {"mass_radius", 1e5}, {"viscoelastic", 1e-4}};
    enum { RATIO = 1, RESTITUTION, TSUJI }; /* the last of Hertz in space alone; 0: none */
    int which = pick(w, 8);
    if (which == TSUJI && (!hertz || planar)) which = RESTITUTION;
    if ((which == RESTITUTION || which == TSUJI) && (other || (hertz && planar))) which = RATIO;
    const double value = draw(w, 0.1, 0.6);
    const char *tension = chance(w, 0.2) ? word_of(w, ", tension: cut|, tension: allow") : "";
    if (which == 0)
        put(w, "    damping: none\n");
    else
        put(w, "    damping: {law: %s, value: %.17g%s}\n", all[which - 1].law, all[which - 1].scale * value, tension);
}

/* Pulls of some weights of a grain. `sjkr` is refused where shapes other than spheres touch. */
static void put_adhesion(writer *w) {
    const int which = pick(w, 5);
    const char *given = chance(w, 0.3) ? ", effective_modulus: 0.4 MPa" : "";
    if (which == 0) {
        const char *area = chance(w, 0.5) ? word_of(w, ", area: lens|, area: simple") : "";
        put(w, "    normal: {law: sjkr, cohesion_energy_density: %.17g%s%s}\n", draw(w, 10.0, 1e3), area, given);
    } else if (which < 3) {
        const char *cap = chance(w, 0.5) ? word_of(w, ", cap: two_pulloff|, cap: pulloff") : "";
        put(w, "    normal: {law: dmt, work_of_adhesion: %.17g%s%s}\n", draw(w, 0.01, 1.0), cap, given);
    } else {
        put(w, "    normal: {law: jkr, work_of_adhesion: %.17g%s}\n", draw(w, 0.01, 1.0), given);
    }
}

/* Of stiffnesses as those of the elastic laws. */
static void put_plastic(writer *w) {
    const double stiffness = draw(w, 300.0, 1e3), more = stiffness * draw(w, 1.1, 4.0);
    const int which = pick(w, 5);
    if (which == 0) {
        put(w, "    normal: {law: walton_braun, stiffness: %.17g, unloading: %.17g}\n", stiffness, more);
    } else if (which == 1) {
        put(w, "    normal: {law: walton_braun, stiffness: %.17g, slope: %.17g}\n", stiffness, draw(w, 100.0, 1e3));
    } else if (which == 2) {
        put(w, "    normal: {law: thornton_ning, yield_pressure: %.17g%s}\n", draw(w, 1e3, 1e5),
            chance(w, 0.3) ? ", effective_modulus: 0.4 MPa" : "");
    } else if (which == 3) {
        put(w, "    normal: {law: eepa, plasticity: %.17g", draw(w, 0.05, 0.95));
        if (chance(w, 0.7)) {
            put(w, ", work_of_adhesion: %.17g", draw(w, 0.01, 1.0));
            if (chance(w, 0.5)) put(w, ", adhesion_exponent: %.17g", draw(w, 1.0, 5.0));
            if (chance(w, 0.3)) put(w, ", contact_radius: %s", word_of(w, "2Rd|Rd"));
        }
        if (chance(w, 0.3)) put(w, ", constant_pull: %.17g", draw(w, 1e-5, 1e-3));
        if (chance(w, 0.3)) put(w, ", cap: %s", word_of(w, "compression|with_pulloff"));
        put(w, "%s}\n", chance(w, 0.3) ? ", effective_modulus: 0.4 MPa" : "");
    } else {
        put(w, "    normal: {law: luding, stiffness: %.17g, unloading: %.17g", stiffness, more);
        if (chance(w, 0.7)) put(w, ", cohesion: %.17g", draw(w, 10.0, 300.0));
        if (chance(w, 0.5)) put(w, ", plasticity: %.17g", draw(w, 0.001, 0.1));
        put(w, "}\n");
    }
}

/* The laws that most scenes use, or any. */
static void put_pair(writer *w, const char *a, const char *b) {
    const bool planar = w->scene->planar;
    const bool imposed = w->scene->imposed && strcmp(a, b) != 0;
    const bool hertz = !imposed && !chance(w, 0.5) && !(planar && w->scene->nonsmooth);
    bool other = false;
    put(w, "  - between: [%s, %s]\n", a, b);
    if (chance(w, 0.2)) put(w, "    name: %s on %s\n", a, b);
    if (imposed) {
        const double load = draw(w, 0.01, 0.1);
        if (chance(w, 0.5))
            put(w, "    normal: {law: imposed, load: value, value: %.17g}\n", load);
        else
            put(w, "    normal: {law: imposed, load: weight, effective_modulus: 0.4 MPa}\n");
    } else if (hertz && !planar && !w->scene->nonsmooth && chance(w, 0.3)) {
        other = true;
        if (chance(w, 0.5))
            put_adhesion(w);
        else
            put_plastic(w);
    } else if (hertz) {
        const bool given = chance(w, 0.15);
        put(w, "    normal: {law: %s%s}\n", planar ? "hertz2d" : "hertz", given ? ", effective_modulus: 0.4 MPa" : "");
    } else {
        put(w, "    normal: {law: hooke, stiffness: %g N/m}\n", planar ? 1e6 : 1e3);
    }
    const bool angle = put_form(w);
    if (imposed)
        put(w, "    damping: none\n");
    else
        put_damping(w, hertz, other);
    const double mu = draw(w, 0.1, 0.8);
    if (chance(w, 0.5))
        put_any_law(w, RPS_ROLE_SLIDE, angle, hertz && !other);
    else
        put(w, "    slide: {law: tracked, static: %.17g, kinetic: %.17g, stiffness: %g N/m}\n", mu, 0.8 * mu,
            planar ? 3e5 : 300.0);
    if (chance(w, 0.6))
        put_any_law(w, RPS_ROLE_ROLL, angle, hertz);
    else
        put(w, "    roll: none\n");
    if (!planar && chance(w, 0.6))
        put_any_law(w, RPS_ROLE_SPIN, angle, hertz);
    else
        put(w, "    spin: none\n");
}

void put_pairs(writer *w) {
    put(w, "pairs:\n");
    put_pair(w, "grain", "grain");
    put_pair(w, "grain", "wall");
    put_pair(w, "wall", "wall");
    if (w->guests == 0 && !w->scene->insertions) return;
    put_pair(w, "marble", "marble");
    put_pair(w, "marble", "grain");
    put_pair(w, "marble", "wall");
}
