/* Writes the text of a scene at random. Draws are made one in a statement: C leaves the order of arguments open. */
#ifndef TESTS_RANDOM_WRITER_COMMON_H
#define TESTS_RANDOM_WRITER_COMMON_H

#include <stddef.h>

#include "scene_common.h"

/* m: radius of grains about, spacing of their lattice, width of the box */
#define GRAIN 2e-3
#define SPACING 4.3e-3
#define BOX 24e-3

typedef struct writer {
    scene_of_number *scene;
    uint64_t number, draws;
    size_t bytes;
    double until, speed, gravity; /* s; m/s, m/s^2 that move a grain by about a third of its size in that time */
    double ground, top;           /* m, height of the lowest grains and of what is above all of them */
    bool periodic[2], nothing;    /* nothing: weightless */
    int guests, obstacles;
    bool lid, base, shelf, held, ledger; /* held: fixed or driven bodies that touch; ledger: one is kept */
    bool flows, sinks, zones, recycles, face;
    const char *servo; /* a wall that seeks a load, if there is one */
    char joint[3][4];  /* coordinates of a joint that can be probed: 't' an angle, 's' a way */
} writer;

typedef struct three {
    double x, y, z;
} three;

__attribute__((format(printf, 2, 3))) void put(writer *w, const char *format, ...);
double draw(writer *w, double low, double high);
three draw_three(writer *w, double x, double y, double z); /* within +- these */
bool chance(writer *w, double p);
int pick(writer *w, int count);
/* One word of "a|b|c", valid until the next call. */
const char *word_of(writer *w, const char *choices);
/* "key: [x, y, z]"; in a planar scene the y is 0. */
void put_three(writer *w, const char *key, three v);
/* ", key: value" with probability p. */
void put_maybe(writer *w, double p, const char *key, double low, double high);

/* Parts of a scene, in the order in which they are written. */
void put_pairs(writer *w);
void put_bodies(writer *w);
void put_particles(writer *w);
void put_joints(writer *w);
void put_bonds(writer *w);
void put_run(writer *w, double step);
void put_stages(writer *w);
void put_output(writer *w);
void put_traffic(writer *w); /* before the probes, which read it */
void put_probes(writer *w);
void put_checks(writer *w);

/* shape or, where they may be, pieces, half as wide as `size`, about; whether it has pieces. */
bool put_shape(writer *w, double size, bool pieces);
/* orientation of a body, in one of its ways. */
void put_orientation(writer *w);
/* A motion of about `size` in the time of the run, as a map. */
void put_motion(writer *w, double size, bool turns);

#endif
