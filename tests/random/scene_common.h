/*
 * Scenes at random: a number makes a scene, the same one everywhere, of any shapes, laws, stepper, drives, joints, stages and
 * switches of run and output. Bodies begin close to each other and move about a third of their size in a run, whatever the step.
 */
#ifndef TESTS_RANDOM_SCENE_COMMON_H
#define TESTS_RANDOM_SCENE_COMMON_H

#include <stdbool.h>
#include <stdint.h>

enum { SCENE_BYTES = 32768 };

typedef struct scene_of_number {
    char text[SCENE_BYTES];
    bool nonsmooth, planar, joints, stages, insertions;
    bool imposed; /* one layer of spheres whose normal loads are given */
    int layers;   /* of grains */
} scene_of_number;

/* The scene of a number, with a run that lasts `until` s; NAN: a step that the scene chooses by itself, and 1 ms. */
void scene_write(uint64_t number, double step, double until, scene_of_number *out);

#endif
