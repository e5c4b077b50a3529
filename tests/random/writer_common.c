/* Drawing and putting down; and the scene as a whole. */
#include "writer_common.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"

void put(writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(w->scene->text + w->bytes, SCENE_BYTES - w->bytes, format, list);
    va_end(list);
    assert(n >= 0 && w->bytes + (size_t)n < SCENE_BYTES);
    w->bytes += (size_t)n;
}

double draw(writer *w, double low, double high) {
    return low + (high - low) * rps_random_uniform(w->number, RPS_RANDOM_TEST, 900, w->draws++);
}

three draw_three(writer *w, double x, double y, double z) {
    three v;
    v.x = draw(w, -x, x);
    v.y = draw(w, -y, y);
    v.z = draw(w, -z, z);
    return v;
}

bool chance(writer *w, double p) {
    return draw(w, 0.0, 1.0) < p;
}

int pick(writer *w, int count) {
    const int k = (int)draw(w, 0.0, count);
    return k < count ? k : count - 1;
}

const char *word_of(writer *w, const char *choices) {
    static char word[64];
    int count = 1;
    for (const char *c = choices; *c; c++) count += *c == '|';
    for (int k = pick(w, count); k > 0; k--) choices = strchr(choices, '|') + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(choices, "|"), choices);
    return word;
}

void put_three(writer *w, const char *key, three v) {
    put(w, "%s: [%.17g, %.17g, %.17g]", key, v.x, w->scene->planar ? 0.0 : v.y, v.z);
}

void put_maybe(writer *w, double p, const char *key, double low, double high) {
    const bool yes = chance(w, p);
    const double value = draw(w, low, high);
    if (yes) put(w, ", %s: %.17g", key, value);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void put_gravity(writer *w) {
    const double size = draw(w, 0.5, 2.0) * w->gravity;
    w->nothing = chance(w, 0.05);
    if (w->nothing) {
        put(w, "gravity: none\n");
    } else if (!w->scene->planar && chance(w, 0.2)) {
        const double tilt = draw(w, -10.0, 10.0);
        put(w, "gravity: {magnitude: %.17g, tilt: %.17g deg, about: %s}\n", size, tilt, word_of(w, "x|y"));
    } else {
        three g = draw_three(w, 0.3 * size, 0.3 * size, 0.0);
        g.z = -size;
        put_three(w, "gravity", g);
        put(w, "\n");
    }
}

static void put_periods(writer *w) {
    w->periodic[0] = w->scene->imposed || chance(w, 0.35);
    w->periodic[1] = !w->scene->planar && (w->scene->imposed || chance(w, 0.35));
    if (!w->periodic[0] && !w->periodic[1]) return;
    if (chance(w, 0.5)) {
        put(w, "periodic: [%.17g, %.17g, 0]\n", w->periodic[0] ? BOX : 0.0, w->periodic[1] ? BOX : 0.0);
        return;
    }
    put(w, "periodic: {");
    if (w->periodic[0]) put(w, "x: %.17g%s", BOX, w->periodic[1] ? ", " : "}\n");
    if (w->periodic[1]) put(w, "y: %.17g}\n", BOX);
}

static void put_exclude(writer *w) {
    if (w->base)
        put(w, "exclude: [[base, floor]]\n");
    else if (w->obstacles > 0 && chance(w, 0.2))
        put(w, "exclude: [[grains, obstacle0]]\n");
    w->held = (w->obstacles == 2 || (w->obstacles > 0 && w->shelf)) && chance(w, 0.5);
    if (w->held) put(w, "contacts: [[obstacle0, %s]]\n", w->shelf ? "shelf" : "obstacle1");
}

void scene_write(uint64_t number, double step, double until, scene_of_number *out) {
    memset(out, 0, sizeof *out);
    writer whole = {.scene = out, .number = number, .until = until}, *w = &whole;
    w->speed = 0.6 * GRAIN / until;
    w->gravity = 0.25 * GRAIN / (until * until);
    out->nonsmooth = chance(w, 0.35);
    out->planar = chance(w, 0.15);
    out->joints = chance(w, out->nonsmooth ? 0.4 : 0.15);
    out->imposed = !out->nonsmooth && !out->joints && !out->planar && chance(w, 0.05);
    out->insertions = !out->imposed && chance(w, 0.3);
    w->guests = out->imposed || !chance(w, 0.35) ? 0 : 1 + pick(w, 4);
    put(w, "repose: 1\ntitle: Scene of number %llu\n", (unsigned long long)number);
    if (out->planar) put(w, "dimension: 2\ndepth: 4 mm\n");
    if (!out->planar && chance(w, 0.1)) put(w, "dimension: 3\n");
    put_gravity(w);
    put_periods(w);
    put(w, "overlap: 0.3\nmaterials:\n  grain: {young: 0.5 MPa, poisson: 0.25, density: 2500}\n");
    put(w, "  wall: {young: 1 MPa, poisson: 0.3, density: 2000}\n");
    put(w, "  marble: {young: 0.8 MPa, poisson: 0.2}\n"); /* no density: masses are given */
    put_pairs(w);
    put_bodies(w);
    put_particles(w);
    put_exclude(w);
    if (out->joints) put_joints(w);
    put_run(w, step);
    put_stages(w);
    put_output(w);
    put_traffic(w);
    put_probes(w);
    put_checks(w);
    put_bonds(w);
}
