/*
 * Stages that change the world, and bodies that come and go: closed forms, the energy ledger across a change, restarts
 * between and after changes, and refusals.
 */
#include "simulation_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/body.h>

static rps_ledger ledger_of(rps_simulation *s) {
    rps_ledger ledger;
    MUST(rps_world_ledger(rps_simulation_world(s), &ledger, &must));
    return ledger;
}

static double probe(rps_simulation *s, const char *name) {
    double value = NAN;
    MUST(rps_simulation_probe(s, name, &value, &must));
    return value;
}

#define UNTIL(s, time) MUST(rps_simulation_step_until(s, time, &must))

/* --- a block on a tilted plane ------------------------------------------------------------------------------------- */

#define TILTED(gravity, more)                                                                                      \
    "repose: 1\n"                                                                                                  \
    "gravity: " gravity "\n"                                                                                       \
    "materials: {rock: {young: 10 MPa, poisson: 0.3, density: 2000}}\n"                                            \
    "pairs:\n"                                                                                                     \
    "  - between: [rock, rock]\n"                                                                                  \
    "    normal: hertz\n"                                                                                          \
    "    damping: none\n"                                                                                          \
    "    slide: {law: tracked, static: 0.5, kinetic: 0.5, stiffness: 1e5 N/m, damping: 0.3}\n"                     \
    "    roll: none\n"                                                                                             \
    "    spin: none\n"                                                                                             \
    "bodies:\n"                                                                                                    \
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: rock, fixed: true}\n"                       \
    "  - {name: block, shape: {sphere: {radius: 1 cm}}, material: rock, locked: true, place: {rest on: ground}}\n" \
    "probes:\n"                                                                                                    \
    "  v: {body: block, quantity: velocity.x}\n"                                                                   \
    "  time: {quantity: time}\n" more

static const char slides[] =
    TILTED("{magnitude: 9.81 m/s^2, tilt: 20 deg, about: y}",
           "run: {step: 1e-5 s}\n"
           "stages:\n"
           "  - {name: held, until: {time: 50 ms}}\n"
           "  - {name: slips, set: {pairs.rock/rock.slide.static: 0.2, pairs.0.slide.kinetic: 0.2}, until: {time: 50 "
           "ms}}\n");

/* Static friction holds; with less friction it slides with g (sin - mu cos). The spring loses what lies above the lower
 * cap at once, and that is `changed`. */
static void less_friction_slides(void **state) {
    (void)state;
    const double g = 9.81, tilt = 20.0 * acos(-1.0) / 180.0, k = 1e5;
    rps_simulation *s = create(slides, NULL);
    UNTIL(s, 0.05);
    /* it rests but for what its spring of friction still swings: 0.3 of critical, period 2 ms */
    assert_true(fabs(probe(s, "v")) < 1e-12);
    const rps_ledger before = ledger_of(s);
    UNTIL(s, 0.1);
    const rps_ledger after = ledger_of(s);
    /* round-off of 5000 steps; the load and so the cap are constant */
    assert_true(fabs(probe(s, "v") / (0.05 * g * (sin(tilt) - 0.2 * cos(tilt))) - 1.0) < 1e-9);
    const double mass = 2000.0 * 4.0 / 3.0 * acos(-1.0) * 1e-6;
    const double held = mass * g * sin(tilt), cap = 0.2 * mass * g * cos(tilt);
    assert_true(fabs(after.changed - (cap * cap - held * held) / (2.0 * k)) < 1e-9 * held * held / k);
    assert_true(fabs(after.residual - before.residual) < 1e-12 * after.start);
    rps_simulation_destroy(s);
}

/* --- a ball on its spring ------------------------------------------------------------------------------------------- */

#define SPRING(run, law, stages)                                                                                       \
    "repose: 1\n"                                                                                                      \
    "gravity: [0, 0, -1000]\n"                                                                                         \
    "materials: {a: {young: 20 MPa, poisson: 0.3, density: 2000}}\n"                                                   \
    "pairs:\n"                                                                                                         \
    "  - between: [a, a]\n"                                                                                            \
    "    normal: " law "\n"                                                                                            \
    "    damping: none\n"                                                                                              \
    "    slide: {law: tracked, static: 0.6, kinetic: 0.5, stiffness: 1e4 N/m, damping: 0}\n"                           \
    "    roll: none\n"                                                                                                 \
    "    spin: none\n"                                                                                                 \
    "bodies:\n"                                                                                                        \
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: a, fixed: true}\n"                              \
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: a, position: [0, 0, 9.9 mm], velocity: [0.02, 0.01, " \
    "0]}\n"                                                                                                            \
    "run: {" run "}\n"                                                                                                 \
    "probes: {z: {body: ball, quantity: position.z}, time: {quantity: time}}\n"                                        \
    "stages:\n" stages

static const char stiffer[] = "  - {name: one, until: {time: 3.3 ms}}\n"
                              "  - {name: two, set: {pairs.0.normal.stiffness: 2e4 N/m}, until: {time: 3 ms}}\n";
static const char softer_slide[] = "  - {name: one, until: {time: 3.3 ms}}\n"
                                   "  - {name: two, set: {pairs.0.slide.stiffness: 5e3 N/m}, until: {time: 3 ms}}\n";
static const char stiffer_hertz[] = "  - {name: one, until: {time: 3.3 ms}}\n"
                                    "  - {name: two, set: {materials.a.young: 50 MPa}, until: {time: 3 ms}}\n";
static const char other_slide[] =
    "  - {name: one, until: {time: 3.3 ms}}\n"
    "  - {name: two, set: {pairs.0.slide: {law: cundall_strack, friction: 0.4, stiffness: 1e4 N/m}}, until: {time: 3 "
    "ms}}\n";
static const char no_slide[] = "  - {name: one, until: {time: 3.3 ms}}\n"
                               "  - {name: two, set: {pairs.0.slide: none}, until: {time: 3 ms}}\n";
static const char shorter_step[] = "  - {name: one, until: {time: 3.3 ms}}\n"
                                   "  - {name: two, set: {run.step: 3.7e-7 s}, until: {time: 3 ms}}\n";

/* The change of a stored energy at the beginning of the second stage, over what was stored: from the ledger after the last
 * step before and after it. *residual: how far the ledger of the rest of the run lies off, over the energy. */
static void across(const char *format, const char *stages, int role, double *ratio, double *changed, double *residual) {
    char *text = text_replace(format, "STAGES", stages);
    rps_simulation *s = create(text, NULL);
    UNTIL(s, 3.3e-3);
    /* the stage begins at the end of this step: the ledger is of its beginning */
    rps_ledger at = ledger_of(s);
    rps_world *world = rps_simulation_world(s);
    const double now = at.elastic[role];
    *changed = at.changed;
    *ratio = now / (now - at.changed);
    *residual = 0.0;
    const double first = at.residual, scale = at.elastic[0] + at.kinetic_translation;
    for (int n = 0; n < 20; n++) {
        UNTIL(s, 3.3e-3 + n * 1e-4);
        at = ledger_of(s);
        *residual = fmax(*residual, fabs(at.residual - first) / scale);
    }
    (void)world;
    rps_simulation_destroy(s);
    free(text);
}

static void energy_of_a_change(void **state) {
    static const char hooke[] = SPRING("step: 1e-6 s", "{law: hooke, stiffness: 1e4 N/m}", "STAGES");
    static const char half[] = SPRING("step: 5e-7 s", "{law: hooke, stiffness: 1e4 N/m}", "STAGES");
    static const char hertz[] = SPRING("step: 1e-6 s", "hertz", "STAGES");
    static const char nonsmooth[] =
        SPRING("stepper: nonsmooth, step: 1e-5 s", "{law: hooke, stiffness: 1e4 N/m}", "STAGES");
    static const char nonsmooth_hertz[] = SPRING("stepper: nonsmooth, step: 1e-5 s", "hertz", "STAGES");
    (void)state;
    double ratio, changed, residual, finer;
    /* a spring of twice the stiffness at the same overlap; round-off of the energies */
    across(hooke, stiffer, RPS_ROLE_NORMAL, &ratio, &changed, &residual);
    assert_true(fabs(ratio - 2.0) < 1e-12 && changed > 0.0);
    /* the ledger closes by the second order of the step: (omega dt)^2/8 with omega = sqrt(k/m) = 1500/s is 3e-7 */
    assert_true(residual < 6e-7);
    across(half, stiffer, RPS_ROLE_NORMAL, &ratio, &changed, &finer);
    assert_true(finer < 0.3 * residual);
    across(hooke, softer_slide, RPS_ROLE_SLIDE, &ratio, &changed, &residual);
    assert_true(fabs(ratio - 0.5) < 1e-12 && changed < 0.0 && residual < 6e-7);
    across(hertz, stiffer_hertz, RPS_ROLE_NORMAL, &ratio, &changed, &residual);
    assert_true(fabs(ratio - 2.5) < 1e-12 && residual < 3e-6);
    /* another law: its memory begins at 0, and what was stored is booked */
    across(hooke, other_slide, RPS_ROLE_SLIDE, &ratio, &changed, &residual);
    assert_true(ratio == 0.0 && changed < 0.0 && residual < 6e-7);
    across(hooke, shorter_step, RPS_ROLE_NORMAL, &ratio, &changed, &residual);
    assert_true(changed == 0.0 && residual < 6e-7);
    /* the nonsmooth stepper keeps the loads of springs as memory; its ledger is of first order in the step of 1e-5 s */
    across(nonsmooth, stiffer, RPS_ROLE_NORMAL, &ratio, &changed, &residual);
    assert_true(fabs(ratio - 2.0) < 1e-9 && residual < 0.1);
    across(nonsmooth_hertz, stiffer_hertz, RPS_ROLE_NORMAL, &ratio, &changed, &residual);
    assert_true(fabs(ratio - 2.5) < 1e-9 && residual < 0.1);
    across(nonsmooth, no_slide, RPS_ROLE_SLIDE, &ratio, &changed, &residual);
    assert_true(ratio == 0.0 && changed <= 0.0);
}

/* Setting what is there already is no change: an undamped ball goes on as if nothing had happened, to round-off. */
static void same_laws(void **state) {
    static const char text[] = SPRING("step: 1e-6 s, until: 8 ms", "hertz", "  - {name: all}\n");
    (void)state;
    double z[2], changed = 0.0;
    for (int k = 0; k < 2; k++) {
        rps_simulation *s = create(text, NULL);
        rps_world *world = rps_simulation_world(s);
        for (int n = 1; n < 8; n++) {
            UNTIL(s, n * 1e-3);
            rps_pair pair = rps_pair_default();
            MUST(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &must));
            MUST(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &must));
            static const char *const name[] = {"static", "kinetic", "stiffness", "damping"};
            static const double value[] = {0.6, 0.5, 1e4, 0.0};
            for (int p = 0; p < 4; p++) MUST(rps_pair_set(&pair, RPS_ROLE_SLIDE, name[p], value[p], &must));
            if (k == 1) MUST(rps_world_set_pair(world, 0, 0, &pair, &must));
        }
        UNTIL(s, 8e-3);
        z[k] = probe(s, "z");
        changed = ledger_of(s).changed;
        rps_simulation_destroy(s);
    }
    assert_true(fabs(z[1] - z[0]) < 1e-13 * z[0]);
    assert_true(changed == 0.0);
}

/* Time goes on from where it is, and stages end at their times. */
static void time_and_step(void **state) {
    static const char text[] =
        SPRING("step: 1e-6 s", "hertz",
               "  - {name: one, until: {time: 1 ms}}\n"
               "  - {name: two, set: {run.step: 3e-7 s, output.series: 0.1 ms}, until: {time: 1 ms}}\n"
               "  - {name: three, set: {run.step: auto, run.accuracy: off}, until: {time: 1 ms}}\n");
    (void)state;
    rps_simulation *s = create(text, NULL);
    rps_world *world = rps_simulation_world(s);
    MUST(rps_simulation_step(s, 1000 + 1, &must));
    /* 1 ms is 3333.3 steps of 3e-7 s, so 3334 of a little less */
    assert_true(fabs(rps_world_time(world) - (1e-3 + 1e-3 / 3334.0)) < 1e-18);
    UNTIL(s, 2e-3);
    assert_int_equal(rps_world_steps(world), 1000 + 3334);
    assert_true(fabs(probe(s, "time") - 2e-3) < 1e-17);
    MUST(rps_simulation_finish(s, &must));
    assert_true(fabs(probe(s, "time") - 3e-3) < 1e-17);
    assert_true(rps_world_steps(world) < 1000 + 3334 + 1000); /* the stable step is longer than both */
    rps_stage_info stage;
    MUST(rps_simulation_stage(s, 1, &stage, &must));
    assert_true(fabs(stage.from_time - 1e-3) < 1e-17 && fabs(stage.to_time - 2e-3) < 1e-17);
    rps_simulation_destroy(s);
}

/* --- bodies that come and go ---------------------------------------------------------------------------------------- */

#define TRAFFIC(run, bodies, more)                                                \
    "repose: 1\n"                                                                 \
    "gravity: [0, 0, -10]\n"                                                      \
    "materials: {a: {young: 10 MPa, poisson: 0.3, density: 2000}}\n"              \
    "pairs:\n"                                                                    \
    "  - between: [a, a]\n"                                                       \
    "    normal: hertz\n"                                                         \
    "    damping: none\n"                                                         \
    "    slide: {law: tracked, static: 0.3, kinetic: 0.25, stiffness: 1e4 N/m}\n" \
    "    roll: none\n"                                                            \
    "    spin: none\n"                                                            \
    "run: {" run "}\n"                                                            \
    "bodies:\n"                                                                   \
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: a, fixed: true}\n" bodies "stages:\n" more

#define COMING                                                                                                       \
    "  - name: ball\n"                                                                                               \
    "    shape: {sphere: {radius: 1 cm}}\n"                                                                          \
    "    material: a\n"                                                                                              \
    "    position: [0, 0, 4 cm]\n"                                                                                   \
    "    enters: {time: 20 ms}\n"                                                                                    \
    "  - {name: gate, shape: {sphere: {radius: 1 cm}}, material: a, place: {rest on: ground, at: [3 cm, 0, 0]}, "    \
    "fixed: true, released: {stage: three}}\n"                                                                       \
    "  - {name: other, shape: {sphere: {radius: 1 cm}}, material: a, position: [3 cm, 0, 2.98 cm], held: {time: 30 " \
    "ms}}\n"                                                                                                         \
    "  - {name: lid, shape: {box: {size: [10 cm, 10 cm, 1 cm], rounding: 1 mm}}, material: a, position: [0, 0, 10 "  \
    "cm], enters: {stage: four}, drive: {velocity: [0, 0, -0.2]}}\n"
#define COMING_STAGES                                                                                             \
    "  - {name: one, until: {time: 50 ms}}\n"                                                                     \
    "  - {name: two, until: {time: 50 ms}}\n"                                                                     \
    "  - {name: three, release: [other], until: {time: 50 ms}}\n"                                                 \
    "  - {name: four, remove: [{region: {behind: {point: [2 cm, 0, 0], normal: [-1, 0, 0]}}}], until: {time: 60 " \
    "ms}}\n"                                                                                                      \
    "probes:\n"                                                                                                   \
    "  z: {body: ball, quantity: position.z}\n"                                                                   \
    "  held: {body: other, quantity: position.z}\n"                                                               \
    "  lid: {body: lid, quantity: position.z}\n"
static const char coming[] = TRAFFIC("step: 5e-6 s", COMING, COMING_STAGES);
static const char coming_nonsmooth[] = TRAFFIC("stepper: nonsmooth, step: 1e-4 s", COMING, COMING_STAGES);

static void bodies_come_and_go(void **state) {
    static const char *const text[] = {coming, coming_nonsmooth};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-4 : 5e-6;
        double value;
        rps_simulation *s = create(text[k], NULL);
        UNTIL(s, 0.015);
        REFUSED(rps_simulation_probe(s, "z", &value, &err), RPS_NO_VALUE, "the body has not entered yet");
        assert_true(fabs(ledger_of(s).changed) == 0.0);
        UNTIL(s, 0.05);
        /* free fall since 20 ms; the nonsmooth stepper is off by g h t/2 */
        assert_true(fabs(probe(s, "z") - (0.04 - 5.0 * 0.03 * 0.03)) < (k ? 10.0 * h * 0.03 : 1e-12));
        const double held = probe(s, "held");
        const rps_ledger at = ledger_of(s);
        assert_true(at.changed < 0.0); /* potential and kinetic energy of the held one, and of its contact */
        UNTIL(s, 0.1 - h);
        assert_true(probe(s, "held") == held);
        UNTIL(s, 0.15);
        REFUSED(rps_simulation_probe(s, "held", &value, &err), RPS_NO_VALUE, "the body was removed");
        assert_true(probe(s, "lid") == 0.1);
        UNTIL(s, 0.2);
        assert_true(fabs(probe(s, "lid") - 0.09) < 1e-14); /* its drive counts from the entering */
        const rps_ledger last = ledger_of(s);
        assert_true(last.removed > 0.0);
        /* second order of the step; first order of the other stepper, relative to m g h of a ball */
        assert_true(fabs(last.residual) < (k ? 1e-2 : 1e-4) * last.start);
        rps_simulation_destroy(s);
    }
}

/* A ball that a fixed one holds against the ground, released with the overlap that it has: the energy of its contact is
 * booked, and it swings about its rest. */
static void released_with_overlap(void **state) {
    static const char text[] = TRAFFIC(
        "step: 1e-6 s",
        "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: a, position: [0, 0, 9.98 mm], fixed: true, "
        "released: {stage: two}}\n",
        "  - {name: one, until: {time: 1 ms}}\n"
        "  - {name: two, until: {time: 3 ms}}\n"
        "probes: {z: {body: ball, quantity: position.z}}\n");
    (void)state;
    rps_simulation *s = create(text, NULL);
    UNTIL(s, 1e-3);
    const rps_ledger at = ledger_of(s);
    /* E*/
    const double young = 10e6 / (2.0 * (1.0 - 0.09)), x = 2e-5, mass = 2000.0 * 4.0 / 3.0 * acos(-1.0) * 1e-6;
    const double elastic = 8.0 / 15.0 * young * sqrt(0.01) * pow(x, 2.5);
    assert_true(fabs(at.elastic[RPS_ROLE_NORMAL] / elastic - 1.0) < 1e-9);
    assert_true(fabs(at.changed - (elastic + mass * 10.0 * 9.98e-3)) < 1e-12 * at.changed);
    UNTIL(s, 4e-3);
    assert_true(probe(s, "z") < 9.98e-3 && probe(s, "z") > 9.97e-3); /* at rest it is at 9.9764 mm */
    assert_true(fabs(ledger_of(s).residual) < 1e-6 * elastic);
    rps_simulation_destroy(s);
}

/* A thrown ball flies on with velocity and spin of its drive, whose energy is booked; a held drive stands, and is released at rest. */
#define THROWN                                                                                                       \
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: a, position: [0, 0, 0.1], drive: {velocity: [0.3, " \
    "0, 1], angular_velocity: [0, 50, 0]}}\n"                                                                        \
    "  - {name: swing, shape: {sphere: {radius: 1 cm}}, material: a, position: [1, 0, 1], drive: {amplitude: [0.1, " \
    "0, 0], frequency: 10 Hz}, held: {time: 30 ms}, released: {stage: three}}\n"
#define THROWN_STAGES                                          \
    "  - {name: one, until: {time: 20 ms}}\n"                  \
    "  - {name: two, release: [ball], until: {time: 30 ms}}\n" \
    "  - {name: three, until: {time: 50 ms}}\n"                \
    "probes:\n"                                                \
    "  x: {body: ball, quantity: position.x}\n"                \
    "  z: {body: ball, quantity: position.z}\n"                \
    "  w: {body: ball, quantity: angular_velocity.y}\n"        \
    "  at: {body: swing, quantity: position.x}\n"              \
    "  deep: {body: swing, quantity: position.z}\n"
static const char thrown[] = TRAFFIC("step: 5e-6 s", THROWN, THROWN_STAGES);
static const char thrown_nonsmooth[] = TRAFFIC("stepper: nonsmooth, step: 1e-4 s", THROWN, THROWN_STAGES);

static void driven_bodies_leave_their_drives(void **state) {
    static const char *const text[] = {thrown, thrown_nonsmooth};
    const double mass = 2000.0 * 4.0 / 3.0 * acos(-1.0) * 1e-6, spinning = 0.5 * 0.4 * mass * 1e-4 * 2500.0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-4 : 5e-6;
        rps_simulation *s = create(text[k], NULL);
        UNTIL(s, 0.02);
        UNTIL(s, 0.025);
        const double energy = mass * (0.5 * 1.09 + 10.0 * 0.12) + spinning;
        assert_true(fabs(ledger_of(s).changed / energy - 1.0) < 1e-12); /* of the place and velocity at 20 ms */
        UNTIL(s, 0.04);
        const double held = probe(s, "at");
        assert_true(fabs(held - (1.0 + 0.1 * sin(2.0 * acos(-1.0) * 10.0 * 0.03))) < 1e-12);
        UNTIL(s, 0.1);
        const double fell = 10.0 * 0.08 * 0.08 / 2.0; /* the nonsmooth stepper is off by g h t/2 */
        assert_true(fabs(probe(s, "z") - (0.2 - fell)) < (k ? 10.0 * h * 0.08 : 1e-12));
        assert_true(fabs(probe(s, "x") - 0.03) < 1e-13 && fabs(probe(s, "w") - 50.0) < 1e-11);
        assert_true(probe(s, "at") == held); /* it falls straight down since 50 ms */
        assert_true(fabs(probe(s, "deep") - (1.0 - 10.0 * 0.05 * 0.05 / 2.0)) < (k ? 10.0 * h * 0.05 : 1e-12));
        /* the nonsmooth stepper falls m g^2 h t/2 too deep */
        assert_true(fabs(ledger_of(s).residual) < (k ? 100.0 * mass * h * 0.13 : 1e-12 * energy));
        rps_simulation_destroy(s);
    }
}

static void drives_that_others_need_stay(void **state) {
    static const struct {
        const char *drive, *part;
    } kept[] = {
        {"surface_velocity: [1, 0, 0]", "its surface runs"},
        {"force: 1 N, direction: [1, 0, 0]", "it and body 2 `image` move as mirror images"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        static const char bodies[] =
            "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: a, position: [0, 0, 0.1], drive: {DRIVE}}\n"
            "  - {name: image, shape: {sphere: {radius: 1 cm}}, material: a, position: [1, 0, 0.1], drive: {MIRROR}}\n";
        char *text = text_replace(TRAFFIC("step: 5e-6 s", "BODIES",
                                          "  - {name: one, until: {time: 1 ms}}\n"
                                          "  - {name: two, release: [ball], until: {time: 1 ms}}\n"),
                                  "BODIES", bodies);
        char *driven = text_replace(text, "DRIVE", kept[k].drive);
        char *whole =
            text_replace(driven, "MIRROR", k == 1 ? "mirror: ball, direction: [1, 0, 0]" : "velocity: [0, 0, 0]");
        rps_simulation *s = create(whole, NULL);
        REFUSED(rps_simulation_step_until(s, 2e-3, &err), RPS_BAD_INPUT, kept[k].part);
        rps_simulation_destroy(s);
        free(whole);
        free(driven);
        free(text);
    }
}

/* --- restarts ------------------------------------------------------------------------------------------------------- */

static void same_after_restart(const char *text, double time, double end) {
    char path[RPS_PATH];
    uint64_t a[2], b[2];
    rps_error err;
    rps_simulation *whole = create(text, NULL), *part = create(text, NULL), *rest;
    rps_scene *scene;
    UNTIL(whole, end);
    UNTIL(part, time);
    MUST(rps_simulation_save(part, path_of("part.ckpt", path), &must));
    rps_simulation_destroy(part);
    MUST(resume(path, NULL, &scene, &must));
    MUST(rps_simulation_create(scene, &rest, &must));
    rps_scene_close(scene);
    UNTIL(rest, end);
    MUST(rps_world_hash(rps_simulation_world(whole), a, &must));
    MUST(rps_world_hash(rps_simulation_world(rest), b, &must));
    if (memcmp(a, b, sizeof a) != 0) fail_msg("a restart at %g s changes the state at %g s", time, end);
    const rps_ledger x = ledger_of(whole), y = ledger_of(rest);
    assert_true(x.changed == y.changed && x.residual == y.residual);
    rps_simulation_destroy(whole);
    rps_simulation_destroy(rest);
    (void)err;
}

static void restarts(void **state) {
    static const char all[] =
        SPRING("step: 1e-6 s", "{law: hooke, stiffness: 1e4 N/m}",
               "  - {name: one, until: {time: 1 ms}}\n"
               "  - {name: two, set: {pairs.0.normal.stiffness: 2e4 N/m, guards.overlap: 0.2}, until: {time: 1 ms}}\n"
               "  - {name: three, set: {run.step: 5e-7 s, pairs.0.slide.stiffness: 2e4 N/m}, until: {time: 1 ms}}\n"
               "  - {name: four, set: {pairs.0.normal: hertz, gravity: [0, 0, -900], materials.a.young: 30 MPa, "
               "pairs.0.roll: {law: tracked, eta: 0.1}}, until: {time: 1 ms}}\n");
    static const double at[] = {0.5e-3, 1e-3, 1.5e-3, 2e-3, 2.7e-3, 3e-3, 3.3e-3};
    static const double traffic_at[] = {10e-3, 20e-3, 40e-3, 0.1, 0.12, 0.15, 0.17};
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) same_after_restart(all, at[k], 4e-3);
    for (size_t k = 0; k < sizeof traffic_at / sizeof *traffic_at; k++) {
        same_after_restart(coming_nonsmooth, traffic_at[k], 0.2);
        same_after_restart(thrown, 0.5 * traffic_at[k], 0.1);
        if (k % 2 == 0) same_after_restart(coming, traffic_at[k], 0.2);
    }
}

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void settings_refused(void **state) {
    static const struct {
        const char *set, *at, *part;
    } broken[] = {
        {"{bodies.ball.mass: 2 kg}", "bodies.ball.mass", "a body keeps its shape, material and mass"},
        {"{bodies.ball.shape: {sphere: {radius: 1 mm}}}", "bodies.ball.shape", "a body keeps its shape"},
        {"{materials.a.density: 1}", "materials.a.density", "bodies have their masses already"},
        {"{materials.b.young: 1 MPa}", "materials.b", "did you mean `a`?"},
        {"{pairs.0.slide.statik: 1}", "pairs.0.slide.statik", "did you mean `static`?"},
        {"{pairs.a/b.slide.static: 1}", "pairs.a/b", "no item called `a/b`"},
        {"{pairs.0.between: [a, a]}", "pairs.0.between", "a pair keeps its materials"},
        {"{pairs.0.slide.static: 0.1}", "{pairs.0", "static (0.1) is below kinetic (0.5)"},
        {"{run.until: 1 s}", "run.until", "a stage may set run.step, run.safety and run.accuracy"},
        {"{run.step: 1 m}", "1 m}", "wrong dimension"},
        {"{output.fields: [position]}", "output.fields", "a stage may set how often"},
        {"{dimension: 2}", "dimension", "the world keeps its dimension"},
        {"{title: x}", "title", "it belongs to the whole run"},
        {"{guards.overlap: -1}", "-1}", "above 0"},
        {"{}", "{}", "`set` is empty"},
        {"[gravity]", "[gravity]", "`set` cannot be a list"},
        {"{gravity: none}, gravity: none", "none, until", "the stage says gravity twice"},
    };
    static const char text[] = SPRING("step: 1e-6 s", "hertz",
                                      "  - {name: one, until: {time: 1 ms}}\n"
                                      "  - {name: two, set: HERE, until: {time: 1 ms}}\n");
    (void)state;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        rps_error err;
        char *whole = text_replace(text, "HERE", broken[k].set);
        scene_refused(whole, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_error_at(&err, whole, broken[k].at, broken[k].part);
        free(whole);
    }
}

static void events_refused(void **state) {
    static const struct {
        const char *find, *by, *at, *part;
    } broken[] = {
        {"enters: {time: 20 ms}", "enters: {time: 20 ms, stage: two}", "stage: two", "takes exactly one of"},
        {"enters: {time: 20 ms}", "enters: {stage: too}", "too}", "did you mean `two`?"},
        {"- name: ball\n    shape", "- shape", "{time: 20 ms}", "needs a name"},
        {"release: [other]", "release: [otter]", "otter", "did you mean `other`?"},
        {"release: [other]", "remove: [lid]", "lid]", "`lid` is driven"},
        {"release: [other]", "place: [ball]", "ball]", "`ball` enters later"},
        {"release: [other]", "remove: [{set: other}]", "{set: other}", "the key `region` is missing"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        rps_error err;
        char *whole = text_replace(coming, broken[k].find, broken[k].by);
        if (strstr(broken[k].by, "- shape")) {
            char *unnamed = text_replace(whole, "  z: {body: ball, quantity: position.z}\n", "");
            free(whole);
            whole = unnamed;
        }
        scene_refused(whole, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_error_at(&err, whole, broken[k].at, broken[k].part);
        free(whole);
    }
    /* in the way of another, and without mass to be free */
    char *text = text_replace(coming, "position: [0, 0, 4 cm]", "position: [3 cm, 1 cm, 4 cm]");
    rps_simulation *s = create(text, NULL);
    REFUSED(rps_simulation_step_until(s, 0.03, &err), RPS_BAD_INPUT, "cannot enter at t = 0.02 s: it would overlap");
    rps_simulation_destroy(s);
    free(text);
    text = text_replace(coming, "release: [other]", "release: [ground]");
    s = create(text, NULL);
    REFUSED(rps_simulation_step_until(s, 0.11, &err), RPS_BAD_INPUT, "a plane has no end");
    rps_simulation_destroy(s);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(less_friction_slides),
        cmocka_unit_test(energy_of_a_change),
        cmocka_unit_test(same_laws),
        cmocka_unit_test(time_and_step),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(released_with_overlap),
        cmocka_unit_test(driven_bodies_leave_their_drives),
        cmocka_unit_test(drives_that_others_need_stay),
        cmocka_unit_test(restarts),
        cmocka_unit_test(settings_refused),
        cmocka_unit_test(events_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
