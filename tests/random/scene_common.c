/* How a number becomes a scene. */
#include "scene_common.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <repose/world.h>

#include "base/random.h"

/* m: radius of grains about, spacing of their lattice, width of the box */
static const double GRAIN = 2e-3, SPACING = 4.3e-3, BOX = 24e-3;

typedef struct writer {
    scene_of_number *scene;
    uint64_t number, draws;
    size_t bytes;
    double until;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(w->scene->text + w->bytes, SCENE_BYTES - w->bytes, format, list);
    va_end(list);
    assert(n >= 0 && w->bytes + (size_t)n < SCENE_BYTES);
    w->bytes += (size_t)n;
}

static double draw(writer *w, double low, double high) {
    return low + (high - low) * rps_random_uniform(w->number, RPS_RANDOM_TEST, 900, w->draws++);
}

static bool chance(writer *w, double p) {
    return draw(w, 0.0, 1.0) < p;
}

static int pick(writer *w, int count) {
    const int k = (int)draw(w, 0.0, count);
    return k < count ? k : count - 1;
}

static void put_vector(writer *w, const char *key, double x, double y, double z) {
    put(w, "%s: [%.17g, %.17g, %.17g]", key, x, w->scene->planar ? 0.0 : y, z);
}

static double speed(const writer *w) {
    return 0.6 * GRAIN / w->until;
}

/* --- laws --------------------------------------------------------------------------------------------------------- */

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
    return low < high ? low * pow(high / low, draw(w, 0.0, 1.0)) : low;
}

static void put_parameter(writer *w, const rps_law_parameter *p) {
    if (strcmp(p->name, "static") == 0 || strcmp(p->name, "kinetic") == 0) { /* friction at rest is the larger */
        put(w, ", %s: %.17g", p->name, p->name[0] == 's' ? draw(w, 0.4, 0.8) : draw(w, 0.1, 0.4));
        return;
    }
    if (!p->choices) {
        put(w, ", %s: %.17g", p->name, value_of(w, p));
        return;
    }
    int choices = 1;
    for (const char *c = p->choices; *c; c++) choices += *c == '|';
    const char *word = p->choices;
    for (int k = pick(w, choices); k > 0; k--) word = strchr(word, '|') + 1;
    put(w, ", %s: %.*s", p->name, (int)strcspn(word, "|"), word);
}

/* Most laws ask for some of these. */
static bool is_asked(const char *name) {
    static const char *const asked[] = {"static",    "friction", "coefficient", "value",      "eta",
                                        "stiffness", "time",     "kinetic",     "restitution"};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        if (strcmp(asked[k], name) == 0) return true;
    }
    return false;
}

/* A law of the list with some of its parameters; it may refuse them. */
static void put_any_law(writer *w, rps_role role) {
    const rps_law *law[64];
    int laws = 0;
    for (size_t n = 0; rps_law_at(n); n++) {
        const rps_law *l = rps_law_at(n);
        bool fits = l->dimension == 0 || l->dimension == (w->scene->planar ? 2 : 3);
        if (w->scene->planar && role == RPS_ROLE_SLIDE && l->dimension == 0) {
            fits = strcmp(l->name, "tracked") == 0 || strcmp(l->name, "cundall_strack") == 0;
        }
        if (l->role == role && fits && strcmp(l->name, "imposed") != 0 && (!w->scene->nonsmooth || l->cone))
            law[laws++] = l;
    }
    const rps_law *l = law[pick(w, laws)];
    put(w, "    %s: {law: %s", rps_role_name(role), l->name);
    for (int k = 0; k < RPS_LAW_PARAMETERS && l->parameter[k].name; k++) {
        const rps_law_parameter *p = &l->parameter[k];
        const bool twice = k > 0 && strcmp(p->name, "eta") == 0 && strcmp(l->parameter[0].name, "coefficient") == 0;
        const bool torsional = strcmp(l->name, "torsional") == 0 && strcmp(p->name, "stiffness") == 0;
        if (twice || torsional) continue; /* belongs to one choice of three */
        if (chance(w, is_asked(p->name) ? 0.995 : p->choices ? 0.4 : strcmp(p->name, "damping") == 0 ? 0.3 : 0.01)) {
            put_parameter(w, p);
        }
    }
    put(w, "}\n");
}

static void put_form(writer *w) {
    static const char *const choice[][3] = {{"frame", "mid", "lower"},
                                            {"path", "common", "surface"},
                                            {"history", "shared", "per-body"},
                                            {"carry", "length", "angle"},
                                            {"damper", "limited", "free"},
                                            {"arc", "exact", "chord"},
                                            {"damper_mass", "effective", "average"},
                                            {"cap_load", "total", "elastic"}};
    if (w->scene->nonsmooth || chance(w, 0.5)) return;
    if (chance(w, 0.3)) put(w, "    form: paper\n");
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
        if (chance(w, 0.2)) put(w, "    %s: %s\n", choice[k][0], choice[k][1 + pick(w, 2)]);
    }
}

/* The laws that most scenes use, or any. */
static void put_pair(writer *w, const char *a, const char *b) {
    const bool planar = w->scene->planar, nonsmooth = w->scene->nonsmooth;
    const double mu = draw(w, 0.1, 0.8);
    put(w, "  - between: [%s, %s]\n", a, b);
    if (chance(w, 0.5) || (planar && nonsmooth)) {
        put(w, "    normal: {law: hooke, stiffness: %g N/m}\n", planar ? 1e6 : 1e3);
    } else {
        put(w, "    normal: %s\n", planar ? "hertz2d" : "hertz");
    }
    put_form(w);
    if (chance(w, 0.2)) {
        put_any_law(w, RPS_ROLE_DAMPING);
    } else if (nonsmooth) {
        put(w, "    damping: %s\n", chance(w, 0.5) ? "none" : "{law: restitution, value: 0.4}");
    } else {
        put(w, "    damping: {law: ratio, value: %.17g}\n", draw(w, 0.05, 0.6));
    }
    if (chance(w, 0.4)) {
        put_any_law(w, RPS_ROLE_SLIDE);
    } else {
        put(w, "    slide: {law: tracked, static: %.17g, kinetic: %.17g, stiffness: %g N/m}\n", mu, 0.8 * mu,
            planar ? 3e5 : 300.0);
    }
    if (chance(w, 0.4)) {
        put_any_law(w, RPS_ROLE_ROLL);
    } else {
        put(w, "    roll: %s\n",
            chance(w, 0.5) ? "none" : "{law: tracked, eta: 0.2, static: 0.5, kinetic: 0.4, stiffness: 300}");
    }
    if (!planar && chance(w, 0.4)) {
        put_any_law(w, RPS_ROLE_SPIN);
    } else {
        put(w, "    spin: %s\n",
            planar || chance(w, 0.5) ? "none" : "{law: tracked, eta: 0.2, static: 0.5, kinetic: 0.4, stiffness: 300}");
    }
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

/* `size`: half of the width, about. */
static const char *put_shape(writer *w, double size, bool clumps) {
    static const char *const name[] = {"sphere",   "sphere",  "ellipsoid", "superquadric",
                                       "cylinder", "capsule", "box",       "clump"};
    const char *shape = w->scene->planar ? "disk" : name[pick(w, clumps ? 8 : 7)];
    const double a = size * draw(w, 0.6, 1.0), b = size * draw(w, 0.6, 1.0), c = size * draw(w, 0.6, 1.0);
    if (strcmp(shape, "sphere") == 0 || strcmp(shape, "disk") == 0) {
        put(w, "shape: {%s: {radius: %.17g}}", shape, a);
    } else if (strcmp(shape, "ellipsoid") == 0) {
        put(w, "shape: {ellipsoid: {semi_axes: [%.17g, %.17g, %.17g]}}", a, b, c);
    } else if (strcmp(shape, "superquadric") == 0) {
        put(w, "shape: {superquadric: {semi_axes: [%.17g, %.17g, %.17g], exponents: [%.17g, %.17g]}}", a, b, c,
            draw(w, 2.0, 4.0), draw(w, 2.0, 4.0));
    } else if (strcmp(shape, "cylinder") == 0) {
        put(w, "shape: {cylinder: {radius: %.17g, length: %.17g}}", 0.7 * a, 1.4 * b);
    } else if (strcmp(shape, "capsule") == 0) {
        put(w, "shape: {capsule: {radius: %.17g, length: %.17g}}", 0.5 * a, b);
    } else if (strcmp(shape, "box") == 0) {
        put(w, "shape: {box: {size: [%.17g, %.17g, %.17g], rounding: %.17g}}", a, b, c,
            chance(w, 0.5) ? 0.0 : 0.1 * size);
    } else {
        put(w, "pieces: [{shape: {sphere: {radius: %.17g}}, position: [%.17g, 0, 0]}, ", 0.6 * a, -0.4 * size);
        put(w, "{shape: {%s}, position: [%.17g, 0, 0]}]",
            chance(w, 0.5) ? "sphere: {radius: 1 mm}" : "box: {size: [1.2 mm, 1 mm, 1.4 mm]}", 0.4 * size);
    }
    return shape;
}

static void put_drive(writer *w, double size) {
    const double v = speed(w);
    if (chance(w, 0.4)) {
        put(w, "{");
        put_vector(w, "amplitude", size * draw(w, -0.2, 0.2), size * draw(w, -0.2, 0.2), size * draw(w, -0.1, 0.1));
        put(w, ", frequency: %.17g", draw(w, 0.2, 1.0) / w->until);
    } else {
        put(w, "{");
        put_vector(w, "velocity", v * draw(w, -0.4, 0.4), v * draw(w, -0.4, 0.4), v * draw(w, -0.1, 0.1));
    }
    if (chance(w, 0.3)) put(w, ", from: %.17g", w->until * draw(w, 0.1, 0.5));
    if (chance(w, 0.3)) put(w, ", until: %.17g", w->until * draw(w, 0.5, 1.0));
    put(w, "}");
}

/* A floor, walls where no period is, a lid that may push, and obstacles. */
static void put_walls(writer *w, const bool periodic[2], double top, bool *lid) {
    put(w, "bodies:\n");
    put(w, "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: wall, ");
    if (chance(w, 0.3)) {
        put(w, "drive: ");
        put_drive(w, GRAIN);
        put(w, "}\n");
    } else {
        put(w, "fixed: true}\n");
    }
    for (int axis = 0; axis < (w->scene->planar ? 1 : 2); axis++) {
        for (int side = 0; side < 2 && !periodic[axis]; side++) {
            const double sign = side ? -1.0 : 1.0, at = side ? BOX : 0.0;
            put(w,
                "  - {name: wall%d%d, shape: {plane: {normal: [%g, %g, 0], point: [%.17g, %.17g, 0]}}, material: wall, "
                "fixed: true}\n",
                axis, side, axis ? 0.0 : sign, axis ? sign : 0.0, axis ? 0.0 : at, axis ? at : 0.0);
        }
    }
    *lid = chance(w, 0.3);
    if (!*lid) return;
    put(w, "  - {name: lid, shape: {plane: {normal: [0, 0, -1], point: [0, 0, %.17g]}}, material: wall, drive: ", top);
    if (chance(w, 0.5)) {
        put(w, "{force: %.17g, speed: %.17g}}\n", draw(w, 0.01, 0.1), 0.3 * speed(w));
    } else {
        put(w, "{velocity: [0, 0, %.17g]}}\n", -0.3 * speed(w));
    }
}

static void put_obstacles(writer *w) {
    for (int k = 0; k < 2; k++) {
        if (w->scene->planar || !chance(w, 0.4)) continue; /* in the middle of four grains */
        put(w, "  - {name: obstacle%d, ", k);
        put_shape(w, GRAIN, false);
        put(w, ", material: wall, position: [%.17g, %.17g, %.17g], ", (k ? 3.0 : 1.0) * SPACING, 2.0 * SPACING,
            0.5 * SPACING);
        if (chance(w, 0.5)) {
            put(w, "fixed: true}\n");
        } else {
            put(w, "drive: ");
            put_drive(w, GRAIN);
            put(w, "}\n");
        }
    }
}

/* A chain of three above the lattice, held by joints. */
static void put_chain(writer *w, double height) {
    const double y = w->scene->planar ? 0.0 : 0.5 * BOX;
    for (int k = 0; k < 3; k++) {
        put(w, "  - {name: link%d, ", k);
        put_shape(w, GRAIN, false);
        put(w, ", material: grain, position: [%.17g, %.17g, %.17g], ", 0.3 * BOX + 1.1 * SPACING * k, y, height);
        put_vector(w, "velocity", speed(w) * draw(w, -0.2, 0.2), speed(w) * draw(w, -0.2, 0.2), 0.0);
        put(w, "}\n");
    }
}

static void put_joints(writer *w, double height) {
    static const char *const type[] = {"ball", "hinge", "fixed", "distance", "slider"};
    const double y = w->scene->planar ? 0.0 : 0.5 * BOX;
    put(w, "joints:\n");
    for (int k = 0; k < 3; k++) {
        const char *t = type[pick(w, 5)];
        const double x = 0.3 * BOX + 1.1 * SPACING * (k - 0.5);
        if (k == 0 && chance(w, 0.5)) continue;
        put(w, "  - {name: joint%d, type: %s, between: [%s%d, link%d]", k, t, k ? "link" : "world", k ? k - 1 : 0, k);
        if (k == 0) {
            w->bytes -= strlen("between: [world0, link0]");
            put(w, "between: [link0, world]");
        }
        if (strcmp(t, "distance") == 0) {
            put(w, ", points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", x, y, height, x + 0.5 * SPACING, y,
                height);
        } else {
            put(w, ", point: [%.17g, %.17g, %.17g]", x, y, height);
        }
        if (strcmp(t, "hinge") == 0) put(w, ", axis: [0, 1, 0]");
        if (strcmp(t, "slider") == 0) put(w, ", axis: [1, 0, 0]");
        if (strcmp(t, "fixed") != 0 && strcmp(t, "distance") != 0 && chance(w, 0.3)) put(w, ", friction: 1e-5");
        put(w, "}\n");
    }
}

/* --- grains ------------------------------------------------------------------------------------------------------- */

static void put_grains(writer *w, double *top) {
    const bool planar = w->scene->planar;
    const int layers = 1 + pick(w, 3), row = (int)(BOX / SPACING), in_layer = planar ? row : row * row;
    const int count = in_layer * layers < 70 ? in_layer * layers : 70;
    *top = SPACING * (layers + 0.9);
    put(w, "particles:\n  - {name: grains, material: grain, count: %d, ", count);
    w->scene->grain = put_shape(w, GRAIN, true);
    put(w, ", ");
    put_vector(w, "velocity", speed(w) * draw(w, -0.5, 0.5), speed(w) * draw(w, -0.5, 0.5), -0.3 * speed(w));
    if (planar) {
        put(w, ", angular_velocity: [0, %.17g, 0]", 0.5 * draw(w, -1.0, 1.0) / w->until);
    } else {
        put(w, ", angular_velocity: [%.17g, %.17g, %.17g]", 0.5 * draw(w, -1.0, 1.0) / w->until,
            0.5 * draw(w, -1.0, 1.0) / w->until, 0.5 * draw(w, -1.0, 1.0) / w->until);
    }
    const double from = 0.5 * SPACING, to = from + (row - 1) * SPACING + 1e-9;
    put(w, ", generator: {lattice: {spacing: %.17g, jitter: 0.2 mm, ", SPACING);
    put(w, "box: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}}}\n", from, planar ? 0.0 : from, from, to,
        planar ? 0.0 : to, from + (layers - 1) * SPACING + 1e-9);
    w->scene->pours = chance(w, 0.25);
    if (!w->scene->pours) return;
    put(w, "  - {name: poured, material: grain, count: %d, ", 3 + pick(w, 8));
    put_shape(w, GRAIN, true);
    put(w, ", pour: {region: [[0, 0, %.17g], [%.17g, %.17g, %.17g]], until: %.17g, velocity: [0, 0, %.17g]}}\n",
        *top + 3.0 * SPACING, BOX, planar ? 0.0 : BOX, *top + 5.0 * SPACING, 0.6 * w->until, -0.5 * speed(w));
}

/* --- run ---------------------------------------------------------------------------------------------------------- */

static void put_run(writer *w, double step) {
    put(w, "run: {until: %.17g s", w->until);
    if (w->scene->nonsmooth) {
        put(w, ", stepper: nonsmooth, step: %.17g s, cone: %s, compliance: %s", step,
            chance(w, 0.5) ? "coulomb" : "convex", chance(w, 0.5) ? "laws" : "rigid");
        if (chance(w, 0.3)) put(w, ", tolerance: 1e-4, max_iterations: 50");
    } else {
        put(w, ", integrator: %s, record: %s", chance(w, 0.7) ? "verlet" : "half-implicit",
            chance(w, 0.7) ? "compact" : "frame");
        if (step > 0.0) put(w, ", step: %.17g s", step);
    }
    w->scene->ledger = chance(w, 0.75);
    put(w, ", ledger: %s, seed: %d}\n", w->scene->ledger ? "true" : "false", 1 + pick(w, 1000));
    put(w, "output: {checkpoint: 0, frames: %.17g s, series: %.17g s, surface: %d",
        w->until * (chance(w, 0.8) ? 0.24 : 0.0), w->until * draw(w, 0.02, 0.2), chance(w, 0.5) ? 0 : 40);
    put(w, chance(w, 0.3) ? ", particles: end.csv}\n" : "}\n");
}

static void put_stages(writer *w, bool lid) {
    if (!chance(w, 0.35)) return;
    w->scene->stages = true;
    put(w, "stages:\n  - {name: first, until: {time: %.17g s}}\n", 0.4 * w->until);
    put(w, "  - {name: second, until: {time: %.17g s}", 0.3 * w->until);
    if (chance(w, 0.5)) {
        const double g = GRAIN / (w->until * w->until);
        put(w, ", ");
        put_vector(w, "gravity", g * draw(w, -1.0, 1.0), g * draw(w, -1.0, 1.0), -g);
    }
    if (lid && chance(w, 0.6)) {
        const double up = chance(w, 0.5) ? 0.2 * speed(w) : 0.0;
        if (up > 0.0) put(w, ", drives: {lid: {velocity: [0, 0, %.17g]}}", up);
        if (!(up > 0.0)) put(w, ", drives: {lid: off}");
    }
    put(w, "}\n  - {name: third%s}\n", chance(w, 0.3) ? ", gravity: none" : "");
}

static void put_probes(writer *w) {
    static const char *const of_world[] = {"contacts", "kinetic_energy", "coordination"};

    put(w, "probes:\n  load: {body: floor, quantity: force.z}\n  turning: {body: floor, quantity: torque.x}\n");
    for (int k = 0; k < 3; k++) {
        if (chance(w, 0.4)) put(w, "  world%d: {quantity: %s}\n", k, of_world[k]);
    }
    if (w->scene->ledger) put(w, "  residual: {quantity: residual}\n");
    if (w->scene->joints)
        put(w,
            "  link: {body: link1, quantity: position.z}\n  touch: {contact: [floor, link1], quantity: roll_torque}\n");
}

void scene_write(uint64_t number, double step, double until, scene_of_number *out) {
    memset(out, 0, sizeof *out);
    writer w = {.scene = out, .number = number, .until = until};
    out->nonsmooth = chance(&w, 0.35);
    out->planar = chance(&w, 0.12);
    out->joints = out->nonsmooth && chance(&w, 0.4);
    const bool periodic[2] = {chance(&w, 0.35), !out->planar && chance(&w, 0.35)};
    double top;
    bool lid;
    put(&w, "repose: 1\ntitle: Scene of number %llu\n", (unsigned long long)number);
    if (out->planar) put(&w, "dimension: 2\ndepth: 4 mm\n");
    const double g = 0.5 * GRAIN / (until * until);
    put_vector(&w, "gravity", g * draw(&w, -0.3, 0.3), g * draw(&w, -0.3, 0.3), -g * draw(&w, 0.5, 2.0));
    put(&w, "\n");
    if (periodic[0] || periodic[1])
        put(&w, "periodic: [%.17g, %.17g, 0]\n", periodic[0] ? BOX : 0.0, periodic[1] ? BOX : 0.0);
    put(&w, "overlap: 0.3\nmaterials:\n  grain: {young: 0.5 MPa, poisson: 0.25, density: 2500}\n");
    put(&w, "  wall: {young: 1 MPa, poisson: 0.3, density: 2000}\npairs:\n");
    put_pair(&w, "grain", "grain");
    put_pair(&w, "grain", "wall");
    put_pair(&w, "wall", "wall");
    /* grains are written after bodies, but say how high the lid must be */
    const size_t bodies_at = w.bytes;
    put_grains(&w, &top);
    char grains[4096];
    assert(w.bytes - bodies_at < sizeof grains);
    memcpy(grains, out->text + bodies_at, w.bytes - bodies_at);
    grains[w.bytes - bodies_at] = '\0';
    w.bytes = bodies_at;
    put_walls(&w, periodic, top + (out->joints ? 3.0 : 1.5) * SPACING + (out->pours ? 6.0 * SPACING : 0.0), &lid);
    put_obstacles(&w);
    if (out->joints) put_chain(&w, top + 0.9 * SPACING);
    put(&w, "%s", grains);
    if (out->joints) put_joints(&w, top + 0.9 * SPACING);
    put_run(&w, step);
    put_stages(&w, lid);
    put_probes(&w);
}
