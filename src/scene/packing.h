/*
 * Random dense packings: grains of a set at random places of a region, as many as it is to hold, no two of which overlap.
 *
 * The grains start small and grow to their size while soft contacts without friction push them apart (after Lubachevsky &
 * Stillinger, J. Stat. Phys. 60 (1990) 561, with springs instead of events). The engine itself moves them, in a
 * world of its own, so that any shape that it knows can be packed, against any wall that it knows.
 */
#ifndef RPS_SCENE_PACKING_H
#define RPS_SCENE_PACKING_H

#include "scene/region.h"
#include "scene/scene_internal.h"

/* A set to be packed, and where. */
typedef struct rps_packing_task {
    rps_scene *scene;
    const rps_world *world; /* its bodies are held as they are */
    const rps_particle_template *particle_template;
    const rps_node *set;
    rps_region region;
    uint32_t number; /* of the set */
    double pressure; /* Pa, that the packing is to bear, by the normal laws of the scene; 0: it bears none */
} rps_packing_task;

/* A grain of size 1. */
typedef struct rps_unit_grain {
    double volume; /* m^3; of a disk its area, m^2 */
    double round;  /* half of its smallest width over the radius of the sphere around it */
} rps_unit_grain;

/* Poses of grains, and the factor on their sizes, 1 without a pressure; blocks of the world's allocator. */
typedef struct rps_packing {
    const rps_allocator *allocator;
    size_t count;
    double (*position)[3];    /* m */
    double (*orientation)[4]; /* w x y z */
    double factor;
} rps_packing;

/* --- meshes of grains (packing_mesh.c) ------------------------------------------------------------------------------------ */

typedef struct rps_scaled_mesh {
    int number; /* of the mesh that it is made of */
    double factor;
    int made; /* its own number */
} rps_scaled_mesh;

/* Meshes of a world times factors, in another world or the same; each is made once. Begin with both worlds and zeros. */
typedef struct rps_scaled_meshes {
    const rps_world *from;
    rps_world *to;
    rps_scaled_mesh *item;
    size_t count, bytes;
} rps_scaled_meshes;

/* Lets a definition of size `factor`, as rps_particle_template_of_size gives it but for the sizes of its meshes, name meshes of this size
 * in the world `to`, with the pose that it has there. RPS_NO_MEMORY. */
rps_status rps_scaled_meshes_use(rps_scaled_meshes *all, const rps_particle_template *of, double factor,
                                 rps_body_def *def, rps_error *err);
/* Turns the pose of such a body of one shape, in `to`, into that of the axes of the file. def: as it was before. */
void rps_scaled_meshes_pose(const rps_scaled_meshes *all, const rps_body_def *def, double factor, double position[3],
                            double orientation[4]);
void rps_scaled_meshes_release(rps_scaled_meshes *all);

/* The world in which the task's grains grow: walls, held bodies, one soft law; the caller destroys it. */
rps_status rps_packing_world(const rps_packing_task *task, rps_world **out, rps_error *err);
/* How many grains of the set fill this part of the region: the number whose volume is nearest. */
rps_status rps_packing_count(const rps_packing_task *task, double fraction, size_t *count, rps_error *err);
/* By which the volume of a grain of this size exceeds that of one of size 1. */
double rps_packing_power(const rps_packing_task *task, double size);
/* Lets scattered grains grow from `scale` times their size, in the world of the packing. */
rps_status rps_packing_grow(const rps_packing_task *task, rps_world *ground, const rps_unit_grain *unit, double scale,
                            rps_packing *packed, rps_error *err);
/* Packs the first `count` grains of the set. To be released also after a failure. RPS_BAD_INPUT if they jam before they
 * have their size; RPS_NO_MEMORY, RPS_STOPPED. */
rps_status rps_packing_make(const rps_packing_task *task, size_t count, rps_packing *out, rps_error *err);
void rps_packing_release(rps_packing *packed);

#endif
