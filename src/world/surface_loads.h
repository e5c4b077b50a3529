/*
 * Loads on surfaces, over many steps: of the bodies that a user asks about the work of sliding and the wear, and of meshes, triangle
 * by triangle, also the mean forces of an interval. Worlds that ask for none pay nothing.
 *
 * Archard (1953): the volume that slides off is k N |slip|, k in 1/Pa the constant of the pair of materials. The slip is what
 * the cap of the slide law cut off, so nothing wears in stick; it is the energy that this cap took over the friction force.
 *
 * Contacts are added in the order of their keys, by one worker, so that the sums have the same bits for any number of threads.
 */
#ifndef RPS_WORLD_SURFACE_LOADS_H
#define RPS_WORLD_SURFACE_LOADS_H

#include <repose/world.h>

#include "base/twofold.h"
#include "world/scratch.h"

/* Numbers alone, for checkpoints. Impulses are those since the interval began; work and wear since the start. */
typedef struct rps_triangle_load {
    rps_twofold normal[3], tangential[3]; /* N s, of the forces on the body, in world axes */
    rps_twofold pressed;                  /* N s, of the sizes of the normal loads */
    rps_twofold work;                     /* J, that sliding friction dissipated */
    rps_twofold wear;                     /* m^3 */
    double largest;                       /* N, of the loads of earlier steps */
    double now, step;                     /* N, in the step with this number */
} rps_triangle_load;
enum { RPS_TRIANGLE_LOAD_NUMBERS = sizeof(rps_triangle_load) / sizeof(double) };

/* In place of an id: sums over all contacts of the world, each once. */
#define RPS_LOADED_WORLD UINT64_MAX

typedef struct rps_loaded_body {
    uint64_t id;             /* or RPS_LOADED_WORLD */
    size_t first, triangles; /* of the table; 0: sums of the body alone */
    rps_twofold work, wear;  /* J, m^3 */
} rps_loaded_body;

typedef struct rps_surface_loads {
    rps_loaded_body *body;
    size_t bodies;
    rps_triangle_load *triangle; /* of the bodies in their order; of a body its pieces, of a piece as in its mesh */
    size_t triangles;
    rps_twofold time; /* s, length of the interval so far */
    rps_scratch work; /* of the stage */
} rps_surface_loads;

/* Asks for the sums of a body or of the world, and for those of its triangles; once for each is enough. Before the first step.
 * RPS_BAD_INPUT for an unknown body, one without triangles if they are asked for, and a world without a ledger; RPS_NO_MEMORY. */
rps_status rps_world_want_loads(rps_world *world, uint64_t id, bool by_triangle, rps_error *err);
/* NULL: not asked for. */
const rps_loaded_body *rps_world_loaded_body(const rps_world *world, uint64_t id);
/* Begins an interval. */
void rps_surface_loads_restart(rps_surface_loads *loads);

/* The values of one triangle. */
typedef struct rps_triangle_values {
    double normal_force[3], tangential_force[3]; /* N, means over the interval, on the body, world axes */
    double pressure, shear;                      /* Pa, means: normal loads over the area, |tangential_force| over it */
    double largest_pressure;                     /* Pa, of any step of the interval */
    double sliding_work;                         /* J, since the start */
    double wear_depth;                           /* m, volume over area, since the start */
} rps_triangle_values;
void rps_triangle_values_of(const rps_surface_loads *loads, size_t triangle, double area, rps_triangle_values *out);

void rps_surface_loads_release(rps_world *world);

#endif
