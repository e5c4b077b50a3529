/* Scenes for the tests of simulations, and the final state of a run or a simulation. */
#ifndef TESTS_UNIT_SIMULATION_COMMON_H
#define TESTS_UNIT_SIMULATION_COMMON_H

#include "scene_common.h"

#include <repose/run.h>
#include <repose/scene.h>

#include "io/file.h"

#define MUST(call)                                       \
    do {                                                 \
        rps_error must = {0};                            \
        if ((call) != RPS_OK) fail_msg("%s", must.text); \
    } while (0)

/* Asserts that the call was refused with this status and a message that contains `part`. */
#define REFUSED(call, expected, part)                                                                            \
    do {                                                                                                         \
        rps_error err = {0};                                                                                     \
        const rps_status answer = (call);                                                                        \
        if (answer != (expected) || !strstr(err.text, part)) {                                                   \
            fail_msg("expected %s with \"%s\", got %s: %s", #expected, part, rps_status_name(answer), err.text); \
        }                                                                                                        \
    } while (0)

#define HEAD                                                                     \
    "repose: 1\n"                                                                \
    "title: Stepped by a program\n"                                              \
    "gravity: [0, 0, -9.81]\n"                                                   \
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"           \
    "pairs:\n"                                                                   \
    "  - between: [clay, clay]\n"                                                \
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"                            \
    "    damping: {law: ratio, value: 0.5}\n"                                    \
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 300 N/m}\n" \
    "    roll: none\n"                                                           \
    "    spin: none\n"
#define GROUND "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
#define BALL                                                                                                        \
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.03], velocity: [0.1, 0, " \
    "0]}\n"

extern const char pouring[], resting[], staged[], rigid[];
enum { SCENES = 5, MOST = 8 };
struct scene_of_test {
    const char *name, *text, *variant;
};
extern const struct scene_of_test scenes[SCENES]; /* all of them */

/* A folder for the files of a program, and a path in it. */
int make_folder(void **state);
int remove_folder(void **state);
const char *path_of(const char *name, char out[RPS_PATH]);

/* The end, the state, and what probes and checks say. */
typedef struct leftover {
    rps_run_end end;
    uint64_t steps, hash[2];
    size_t probes, checks;
    double value[MOST], measured[MOST];
    char unit[MOST][16], undefined[MOST][64], check[MOST][80], note[MOST][200];
    int verdict[MOST];
} leftover;

/* A run on one thread that fills *to by `run`. */
rps_run_options run_options(const char *text, const char *variant, leftover *to);
void run(const rps_run_options *options, leftover *to);
void leave(rps_simulation *s, leftover *to);
/* Fails the test, with what differs. */
void assert_same(const char *what, const leftover *a, const leftover *b);

rps_scene *open_text(const char *text, const char *variant);
rps_simulation *create(const char *text, const char *variant);
bool has_ended(const rps_simulation *s);
/* A scene resumed from a checkpoint; to a new end if `until` is not NULL. */
rps_status resume(const char *checkpoint, const char *until, rps_scene **scene, rps_error *err);
void finish_from(const char *checkpoint, leftover *to);

#endif
