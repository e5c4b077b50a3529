/* Sets of particles. */
#include <string.h>

#include "writer_common.h"

static void put_distribution(writer *w, const char *key, double size) {
    const double a = size * draw(w, 0.6, 0.8), b = size * draw(w, 0.85, 1.0);
    switch (pick(w, 4)) {
    case 0:
        put(w, "%s: %.17g", key, b);
        break;
    case 1:
        put(w, "%s: {uniform: [%.17g, %.17g]}", key, a, b);
        break;
    case 2:
        put(w, "%s: {normal: {mean: %.17g, sd: %.17g, min: %.17g, max: %.17g}}", key, 0.5 * (a + b), 0.2 * (b - a), a,
            b);
        break;
    default:
        put(w, "%s: {list: [[%.17g, 1], [%.17g, 2]]}", key, a, b);
        break;
    }
}

/* Spheres of many sizes, or one shape in many sizes and poses. */
static void put_grain(writer *w, bool heavy) {
    const bool planar = w->scene->planar, imposed = w->scene->imposed;
    if (imposed) {
        put(w, "radius: %.17g", GRAIN);
    } else if (chance(w, 0.35)) {
        if (chance(w, 0.2)) {
            put(w, "sieve: {table: [[%.17g, 0], [%.17g, %.17g], [%.17g, 100 %%]]}", 1.2 * GRAIN, 1.6 * GRAIN,
                draw(w, 0.0, 1.0), 2.0 * GRAIN);
        } else {
            put_distribution(w, "radius", GRAIN);
        }
        if (!heavy && chance(w, 0.4)) put(w, ", by: %s", word_of(w, "number|mass|volume"));
    } else {
        const bool pieces = put_shape(w, GRAIN, true);
        if (!pieces && chance(w, 0.3)) {
            put(w, ", ");
            put_distribution(w, "scale", 1.0);
            if (!heavy && chance(w, 0.2)) put(w, ", by: %s", word_of(w, "number|mass|volume"));
        }
        if (!planar && chance(w, 0.3)) {
            if (chance(w, 0.5))
                put(w, ", orientation: %s", word_of(w, "random|aligned"));
            else
                put_orientation(w);
        }
    }
}

static void put_lattice(writer *w, int layers) {
    const bool planar = w->scene->planar, imposed = w->scene->imposed;
    const int row = (int)(BOX / SPACING);
    const double from = 0.5 * SPACING, to = from + (row - 1) * SPACING + 1e-9, low = imposed ? GRAIN : w->ground + from;
    put(w, "generator: {lattice: {spacing: %.17g", SPACING);
    if (!imposed) put_maybe(w, 0.8, "jitter", 0.0, 2e-4);
    if (!imposed && chance(w, 0.2)) put(w, ", kind: %s", word_of(w, "cubic|hexagonal"));
    put(w, ", box: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}}", from, planar ? 0.0 : from, low, to,
        planar ? 0.0 : to, low + (layers - 1) * SPACING + 1e-9);
}

static void put_source_region(writer *w) {
    const double bottom = w->top + (w->scene->joints ? 1.5 : 0.5) * SPACING, depth = w->scene->planar ? 0.0 : BOX;
    const double top = bottom + 3.0 * SPACING, middle = 0.5 * BOX;
    w->face = false;
    put(w, ", pour: {region: ");
    switch (pick(w, w->scene->planar ? 6 : 7)) {
    case 6:
        put(w, "{rectangle: {corner: [0, 0, %.17g], sides: [[0, %.17g, 0], [%.17g, 0, 0]]}}", bottom, BOX, BOX);
        w->face = true;
        break;
    case 0:
        put(w, "{cylinder: {from: [%.17g, %.17g, %.17g], to: [%.17g, %.17g, %.17g], radius: %.17g}}", middle,
            0.5 * depth, bottom, middle, 0.5 * depth, top, middle);
        break;
    case 1:
        put(w, "{disk: {center: [%.17g, %.17g, %.17g], normal: [0, 0, 1], radius: %.17g}}", middle, 0.5 * depth,
            0.5 * (bottom + top), middle);
        w->face = true;
        break;
    case 2:
        put(w, "{sphere: {center: [%.17g, %.17g, %.17g], radius: %.17g}}", middle, 0.5 * depth, bottom + 1.5 * SPACING,
            1.5 * SPACING);
        break;
    case 3:
        put(w, "{box: [[0, 0, %.17g], [%.17g, %.17g, %.17g]]}", bottom, BOX, depth, top);
        break;
    default:
        put(w, "[[0, 0, %.17g], [%.17g, %.17g, %.17g]]", bottom, BOX, depth, top);
    }
}

/* A source that gives what is due; grains are of about 0.1 g. */
static void put_due(writer *w, int count) {
    const double mass = 1e-4 * count, end = 0.6 * w->until;
    switch (pick(w, 4)) {
    case 0:
        put(w, ", rate: %.17g kg/s, until: %.17g", mass / end, end);
        break;
    case 1:
        put(w, ", rate: [[0, 0 kg/s], [%.17g, %.17g kg/s], [%.17g, 0 kg/s]]", 0.4 * end, 2.0 * mass / end, end);
        break;
    case 2:
        put(w, ", total: %.17g, until: %.17g", mass, end);
        break;
    default:
        put(w, ", rate: [[%.17g, %.17g], [%.17g, %.17g]]", 0.1 * end, count / end, end, count / end);
    }
}

static void put_pour(writer *w) {
    const int count = 3 + pick(w, 8);
    const bool heavy = chance(w, 0.3), by_due = chance(w, 0.5);
    w->recycles = !w->scene->joints && chance(w, 0.15);
    put(w, "  - {name: poured, material: %s, ", heavy ? "marble" : "grain");
    if (!w->recycles && (!by_due || chance(w, 0.2))) put(w, "count: %d, ", count);
    put_grain(w, heavy);
    if (heavy) put(w, ", mass: %.17g", draw(w, 5e-5, 1e-4));
    put_source_region(w);
    if (w->recycles) {
        put(w, ", recycles: drain");
    } else if (by_due) {
        put_due(w, count);
    } else {
        const double from = chance(w, 0.3) ? 0.1 * w->until : 0.0;
        if (from > 0.0) put(w, ", from: %.17g", from);
        if (chance(w, 0.5))
            put(w, ", until: %.17g", 0.6 * w->until);
        else
            put(w, ", rate: %.17g", 2.0 * count / w->until);
    }
    if (chance(w, 0.2)) put(w, ", shortage: %s", word_of(w, "0|3|1 g"));
    put_maybe(w, 0.3, "spread", 0.0, 0.3 * w->speed);
    if (chance(w, 0.7)) put(w, ", velocity: [0, 0, %.17g]", -0.5 * w->speed);
    if (w->face) put_maybe(w, 0.5, "speed", 0.0, 0.3 * w->speed);
    if (chance(w, 0.3)) put(w, ", tries: %d", 1 + pick(w, 50));
    put(w, "}}\n");
}

void put_particles(writer *w) {
    const bool planar = w->scene->planar, imposed = w->scene->imposed;
    const int layers = w->scene->layers, row = (int)(BOX / SPACING), in_layer = planar ? row : row * row;
    const int all = in_layer * layers, count = all < 70 ? all : 70;
    put(w, "particles:\n  - {name: grains, material: grain, ");
    if (all <= 70 && chance(w, 0.8))
        put(w, "count: %d, ", count);
    else if (all > 70)
        put(w, "count: 70, ");
    put_grain(w, false);
    put(w, ", ");
    if (imposed) put(w, "lock_axis: [0, 0, 1], ");
    three v = draw_three(w, 0.5 * w->speed, 0.5 * w->speed, 0.0);
    v.z = imposed ? 0.0 : -0.3 * w->speed;
    put_three(w, "velocity", v);
    const bool locked = chance(w, 0.05);
    const double size = locked ? 0.0 : 0.5;
    const three turn = draw_three(w, planar ? 0.0 : size, size, planar ? 0.0 : size);
    if (locked) put(w, ", locked: true");
    put(w, ", angular_velocity: [%.17g, %.17g, %.17g], ", turn.x / w->until, turn.y / w->until, turn.z / w->until);
    put_lattice(w, layers);
    put(w, "}\n");
    w->base = !planar && !imposed && w->guests == 0 && chance(w, 0.15);
    if (w->base) { /* a rough base, or one that is shaken */
        put(w, "  - {name: base, material: wall, radius: 1 mm, generator: {lattice: {spacing: 8.6 mm, box: [[4.3 mm, "
               "4.3 mm, 0], [20 mm, 20 mm, 0]]}}, ");
        if (chance(w, 0.5)) {
            put(w, "fixed: true}\n");
        } else {
            put(w, "drive: ");
            put_motion(w, GRAIN, true);
            put(w, "}\n");
        }
    }
    if (w->scene->insertions) put_pour(w);
}
