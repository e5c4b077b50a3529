/* How a scene is run: steps, stages, guards, what is written, and what is measured and checked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/quantity.h"
#include "writer_common.h"

void put_run(writer *w, double step) {
    put(w, "run: {until: %.17g s", w->until);
    if (w->scene->nonsmooth) {
        put(w, ", stepper: nonsmooth, step: %.17g s", step > 0.0 ? step : 1e-4);
        if (chance(w, 0.6)) put(w, ", cone: %s", word_of(w, "coulomb|convex"));
        if (chance(w, 0.6)) put(w, ", compliance: %s", word_of(w, w->servo || w->held ? "laws" : "laws|rigid"));
        put_maybe(w, 0.3, "tolerance", 1e-7, 1e-4);
        if (chance(w, 0.3)) put(w, ", max_iterations: %d", 20 + pick(w, 100));
        put_maybe(w, 0.2, "margin", 0.0, 0.3);
        if (chance(w, 0.3)) put(w, ", on_missed: %s", word_of(w, "warn|refine"));
        put_maybe(w, 0.2, "recovery_speed", 0.01, 1.0);
        put_maybe(w, 0.2, "impact_speed", 0.0, 0.1);
    } else {
        if (chance(w, 0.3)) put(w, ", stepper: penalty");
        if (chance(w, 0.6)) put(w, ", integrator: %s", word_of(w, "verlet|half-implicit"));
        const bool automatic = chance(w, 0.1);
        if (automatic) put(w, ", step: auto");
        if (step > 0.0 && !automatic) put(w, ", step: %.17g s", step);
        put_maybe(w, 0.2, "safety", 0.4, 0.8);
        if (chance(w, 0.5)) put(w, ", accuracy: %s", word_of(w, "off|5 %|0.3"));
    }
    if (chance(w, 0.4)) put(w, ", record: %s", word_of(w, "compact|frame"));
    put_maybe(w, 0.1, "rest", 1e-6, 1e-2);
    w->ledger = chance(w, 0.8);
    if (!w->ledger || chance(w, 0.1)) put(w, ", ledger: %s", w->ledger ? "true" : "false");
    if (chance(w, 0.2)) put(w, ", threads: %d", 1 + pick(w, 3));
    put(w, ", seed: %d}\n", 1 + pick(w, 1000));
}

/* --- stages ------------------------------------------------------------------------------------------------------- */

static void put_stage_drives(writer *w) {
    if (!w->lid || !chance(w, 0.6)) return;
    const double force = draw(w, 0.01, 0.1), speed = draw(w, 0.1, 0.3) * w->speed;
    switch (pick(w, 4)) {
    case 0:
        put(w, ", drives: {lid: off}");
        break;
    case 1:
        put(w, ", drives: {lid: {velocity: [0, 0, %.17g]}}", speed);
        break;
    case 2:
        put(w, ", drives: {lid: {force: %.17g, speed: %.17g, gain: 0.05, stiffness: 1000, direction: [0, 0, -1]}}",
            force, speed);
        break;
    default:
        put(w, ", drives: {lid: ");
        put_motion(w, GRAIN, false);
        put(w, "}");
    }
}

static void put_until(writer *w) {
    const double limit = 0.4 * w->until, value = draw(w, 0.0, 1.0);
    put(w, ", until: {");
    switch (pick(w, 5)) {
    case 0:
        put(w, "probe: load, %s: %.17g", value < 0.5 ? "above" : "below", 0.1 * value);
        break;
    case 1:
        put(w, "rest: %.17g", 1e3 * value + 1e-6);
        break;
    case 2:
        put(w, "speed: %.17g", w->speed * (value + 0.1));
        break;
    default:
        put(w, "time: %.17g s}", limit);
        return;
    }
    put_maybe(w, 0.4, "after", 0.1 * limit, 0.5 * limit);
    put(w, "}, limit: %.17g s, missed: %s", limit, chance(w, 0.9) ? "next" : "stop");
}

void put_stages(writer *w) {
    if (!chance(w, 0.4)) return;
    w->scene->stages = true;
    put(w, "stages:\n  - {name: first");
    put_until(w);
    put(w, "}\n  - {name: second");
    put_until(w);
    if (chance(w, 0.4)) {
        three g = draw_three(w, 2.0 * w->gravity, 2.0 * w->gravity, 0.0);
        g.z = -2.0 * w->gravity;
        put(w, ", ");
        put_three(w, "gravity", g);
    }
    put_stage_drives(w);
    put(w, "}\n  - {name: third");
    if (w->lid && chance(w, 0.3)) put(w, ", place: [lid]");
    put(w, "%s}\n", chance(w, 0.3) ? ", gravity: none" : "");
}

/* --- guards and output -------------------------------------------------------------------------------------------- */

static void put_guards(writer *w) {
    if (!chance(w, 0.4)) return;
    put(w, "guards: {lost: %s", word_of(w, "stop|warn|off"));
    if (chance(w, 0.4)) put(w, ", overlap: %s", word_of(w, "stop|warn|off|0.5"));
    if (chance(w, 0.4)) put(w, ", motion: %s", word_of(w, "stop|warn|off|1.5"));
    if (chance(w, 0.4)) put(w, ", rotation: %s", word_of(w, "0.4|1.5"));
    if (chance(w, 0.4)) put(w, ", step: %s", word_of(w, "stop|warn|off|2"));
    if (chance(w, 0.2))
        put(w, ", domain: [[-1, %d, -1], [1, %d, 1]]", w->scene->planar ? 0 : -1, w->scene->planar ? 0 : 1);
    put(w, "}\n");
}

void put_output(writer *w) {
    put_guards(w);
    const double frames = chance(w, 0.8) ? draw(w, 0.1, 0.4) * w->until : 0.0;
    const double series = chance(w, 0.9) ? draw(w, 0.02, 0.2) * w->until : 0.0;
    put(w, "output: {checkpoint: 0, frames: %.17g s, series: %.17g s", frames, series);
    if (chance(w, 0.7)) put(w, ", surface: %d", chance(w, 0.5) ? 0 : 40);
    if (chance(w, 0.5)) put(w, ", vtkhdf: %s", chance(w, 0.5) ? "true" : "false");
    if (chance(w, 0.2)) put(w, ", fields: [position, %s]", word_of(w, "id|velocity|kind"));
    if (chance(w, 0.3)) put(w, ", contacts: %s", word_of(w, "yes|no|[line, force]|[line, overlap]"));
    if (chance(w, 0.3)) put(w, ", precision: %s", word_of(w, "double|single"));
    put_maybe(w, 0.3, "xyz", 0.1 * w->until, 0.4 * w->until);
    put(w, chance(w, 0.3) ? ", particles: end.csv}\n" : "}\n");
}

/* --- probes ------------------------------------------------------------------------------------------------------- */

/* Planes for a quantity that wants so many pairs of them; false if there are not. */
static bool put_over(writer *w, int pairs) {
    const bool across = !w->periodic[0], along = !w->scene->planar && !w->periodic[1];
    const char *pair[3];
    int count = 0;
    if (across) pair[count++] = "wall00, wall01";
    if (along) pair[count++] = "wall10, wall11";
    if (w->lid) pair[count++] = "floor, lid";
    if (count < pairs) return false;
    put(w, ", over: [");
    for (int k = 0; k < pairs; k++) put(w, "%s%s", k ? ", " : "", pair[k]);
    put(w, "]");
    return true;
}

/* A region within the box, or what lies below a plane. */
static void put_region(writer *w, bool behind) {
    const char *y = w->scene->planar ? "0" : "12 mm";
    switch (pick(w, behind ? 5 : 4)) {
    case 0:
        put(w, "[[1 mm, %s, 1 mm], [20 mm, %s, 15 mm]]", w->scene->planar ? "0" : "1 mm", y);
        break;
    case 1:
        put(w, "{box: [[-5 mm, %s, 1 mm], [20 mm, %s, 15 mm]]}", w->scene->planar ? "0" : "1 mm", y);
        break;
    case 2:
        put(w, "{cylinder: {from: [12 mm, %s, -1 mm], to: [13 mm, %s, 12 mm], radius: 8 mm}}", y, y);
        break;
    case 3:
        put(w, "{sphere: {center: [20 mm, %s, 8 mm], radius: 9 mm}}", y);
        break;
    default:
        put(w, "{behind: {point: [0, 0, %.17g], normal: [0, 0, 2]}}", draw(w, 2e-3, 10e-3));
    }
}

/* Any quantity; where there are joints, flows, sinks or zones, which few scenes have, more often one of theirs. */
static size_t pick_quantity(writer *w) {
    const char *of = w->scene->joints && chance(w, 0.5) ? "joint" : NULL;
    if (w->flows && chance(w, 0.3)) of = "flow";
    if (w->sinks && chance(w, 0.3)) of = "sink";
    if (w->zones && chance(w, 0.3)) of = "zone";
    if (w->scene->insertions && chance(w, 0.2)) of = "source";
    size_t which = (size_t)pick(w, (int)rps_quantity_count());
    while (of && strcmp(rps_quantity_at(which)->of, of) != 0) which = (size_t)pick(w, (int)rps_quantity_count());
    return which;
}

/* Planes that grains cross, a zone in which they stay, and a corner of the box in which they leave. */
void put_traffic(writer *w) {
    w->flows = chance(w, 0.25);
    w->sinks = w->recycles || (!w->scene->joints && chance(w, 0.15));
    if (w->flows) {
        put(w, "flows:\n  level: {point: [0, 0, %.17g], normal: [0, 0, -2]}\n", draw(w, 2e-3, 8e-3));
        put(w, "  outline: {point: [12 mm, 0, 0], normal: [1, 0, 0], within: ");
        put_region(w, true);
        put(w, "}\n");
    }
    w->zones = chance(w, 0.2);
    if (w->zones) {
        put(w, "zones:\n  middle: {region: ");
        put_region(w, true);
        put(w, "}\n");
    }
    if (!w->sinks) return;
    put(w, "sinks:\n  drain: {region: ");
    put_region(w, true);
    put(w, chance(w, 0.7) ? ", set: grains}\n" : "}\n");
}

/* Whether the coordinates, 's' and 't', have so many of this kind. */
static bool has_coordinate(const char *coordinates, rps_joint_free motion, int nth) {
    int found = 0;
    for (const char *c = coordinates; *c; c++) found += *c == (motion == RPS_JOINT_TURNS ? 't' : 's');
    return found > nth;
}

/* One quantity of the table, of something that has it; nothing if the scene has no such thing. */
static void put_probe(writer *w, int n) {
    const size_t which = pick_quantity(w);
    const rps_quantity_info *q = rps_quantity_at(which);
    const int index = (int)which, pairs = rps_quantity_spans(index, w->scene->planar);
    const size_t back = w->bytes;
    int nth;
    const rps_joint_free motion = rps_quantity_of_motion(index, &nth);
    put(w, "  probe%d: {quantity: %s", n, q->name);
    bool has = w->ledger || !rps_quantity_needs_ledger(index);
    if (strcmp(q->of, "contact") == 0) {
        has = has && w->guests > 0;
        put(w, ", contact: [floor, guest0]");
    } else if (strcmp(q->of, "joint") == 0) {
        const int joint = has_coordinate(w->joint[2], motion, nth) ? 2 : 1;
        has = has && w->scene->joints && (motion == RPS_JOINT_HELD || has_coordinate(w->joint[joint], motion, nth));
        put(w, ", joint: joint%d", joint);
    } else if (rps_quantity_of_tally(index)) {
        const bool flow = strcmp(q->of, "flow") == 0, source = strcmp(q->of, "source") == 0;
        const bool zone = strcmp(q->of, "zone") == 0;
        has = flow ? w->flows : zone ? w->zones : source ? w->scene->insertions : w->sinks;
        put(w, ", %s: %s", q->of, flow ? word_of(w, "level|outline") : zone ? "middle" : source ? "poured" : "drain");
        if (!source && chance(w, 0.5)) put(w, ", set: grains");
        if (rps_quantity_needs_window(index) || (rps_quantity_takes_window(index) && chance(w, 0.5)))
            put(w, ", window: %.17g", draw(w, 0.01, 0.5) * w->until);
    } else if (strcmp(q->of, "body") == 0) {
        const bool plane = rps_quantity_of_plane(index), servo = rps_quantity_of_servo(index);
        has = has && (!plane || w->lid) && (!servo || w->servo);
        put(w, ", body: %s", plane ? "lid" : has && servo ? w->servo : w->guests > 0 ? "guest0" : "floor");
    } else {
        if (rps_quantity_of_grains(index) && chance(w, 0.5)) put(w, ", set: grains");
        if (rps_quantity_of_region(index)) {
            put(w, ", region: ");
            put_region(w, true);
        }
        if (rps_quantity_needs_box(index) || (rps_quantity_takes_box(index) && chance(w, 0.5))) {
            put(w, ", box: [[1 mm, %g, 1 mm], [20 mm, %g, 15 mm]]", w->scene->planar ? 0.0 : 1e-3,
                w->scene->planar ? 0.0 : 20e-3);
        }
    }
    if (has && pairs > 0) has = put_over(w, pairs);
    put(w, "}\n");
    if (has) return;
    w->bytes = back;
    w->scene->text[back] = '\0';
}

void put_probes(writer *w) {
    put(w, "probes:\n  load: {body: floor, quantity: force.z}\n  turning: {body: floor, quantity: torque.x}\n");
    if (w->ledger) put(w, "  residual: {quantity: residual}\n");
    if (w->guests > 0) put(w, "  mode: {contact: [floor, guest0], quantity: slide_mode}\n");
    for (int k = pick(w, 8); k > 0; k--) put_probe(w, k);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static void put_reduction(writer *w) {
    const double from = draw(w, 0.0, 0.4) * w->until, to = draw(w, 0.5, 1.0) * w->until;
    const bool block = chance(w, 0.3), when = chance(w, 0.3);
    switch (pick(w, 9)) {
    case 0:
        put(w, "final: true");
        break;
    case 1:
        put(w, "at: %.17g", from);
        break;
    case 2:
    case 3:
        put(w, chance(w, 0.5) ? "min: " : "max: ");
        if (chance(w, 0.5))
            put(w, "true");
        else
            put(w, "[%.17g, %.17g]", from, to);
        if (block) put(w, ", block: %.17g", 0.1 * w->until);
        if (when) put(w, ", when: true");
        break;
    case 4:
        put(w, "mean: [%.17g, %.17g]", from, to);
        break;
    case 5:
        put(w, "rms: [%.17g, %.17g]", from, to);
        break;
    case 6:
        put(w, "rate: [%.17g, %.17g]", from, to);
        break;
    case 7:
        put(w, "crosses: {value: -0.01, direction: %s}", word_of(w, "any|up|down"));
        break;
    default:
        put(w, "crosses: -0.001, after: %.17g", from);
        break;
    }
}

/* Whether they hold does not matter, but it must not depend on how a scene is run. */
void put_checks(writer *w) {
    if (!chance(w, 0.4)) return;
    put(w, "checks:\n");
    for (int k = pick(w, 4); k >= 0; k--) {
        const char *probe = word_of(w, w->ledger ? "load|turning|residual" : "load|turning");
        put(w, "  - {probe: %s, ", probe);
        switch (pick(w, 4)) {
        case 0:
            put(w, "always: {above: -1, below: 1}");
            break;
        case 1:
            put(w, "never: {%s: 0.1}", word_of(w, "above|below"));
            break;
        default:
            put_reduction(w);
            if (chance(w, 0.5))
                put(w, ", expect: -0.01, within: %s", word_of(w, "1e-3|[1e-3, 10 %]"));
            else
                put(w, ", %s: 0", word_of(w, "above|below"));
        }
        if (w->scene->stages && chance(w, 0.3)) put(w, ", stage: first");
        if (chance(w, 0.3)) put(w, ", name: Check %d, source: chance, why: none", k);
        put(w, "}\n");
    }
    if (w->guests > 0 && chance(w, 0.5)) put(w, "  - {probe: mode, becomes: slip, above: 0}\n");
}
