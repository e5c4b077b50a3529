/*
 * A fluid around the free bodies, without a motion of its own that they could change: it drags them along and carries them.
 * A body counts as the sphere of its volume about its centre of mass, which is exact for spheres.
 *
 * Drag is -c (v - u), u the velocity of the fluid there, and a torque -pi eta d^3 w. Buoyancy is rho V against gravity,
 * of the part below the level if there is one. The ledger has the potential energy of buoyancy, what drag dissipates, and the
 * work of a fluid that flows.
 */
#ifndef REPOSE_FLUID_H
#define REPOSE_FLUID_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With Re = rho |v - u| d/eta:
 * stokes             c = 3 pi eta d; Re far below 1
 * schiller_naumann   that times 1 + .15 Re^.687 up to Re = 1000 (Schiller & Naumann 1933), then with the drag coefficient .44
 * di_felice          of a body among others (Di Felice 1994): v - u relative to the fluid between them, of which `porosity` is the
 *                    part of the volume */
typedef enum rps_drag {
    RPS_DRAG_NONE,
    RPS_DRAG_STOKES,
    RPS_DRAG_SCHILLER_NAUMANN,
    RPS_DRAG_DI_FELICE,
    RPS_DRAG_COUNT
} rps_drag;

typedef struct rps_fluid {
    uint32_t size;
    rps_drag drag;
    double density;     /* kg/m^3; 0: it carries nothing */
    double viscosity;   /* Pa s; above 0 with drag */
    double velocity[3]; /* m/s */
    double porosity;    /* pure number above 0, at most 1, for di_felice alone (1) */
    double level;       /* m, height of its surface, against gravity from the origin; INFINITY: it is everywhere */
} rps_fluid;

RPS_API rps_fluid rps_fluid_default(void); /* none: no drag, density 0, everywhere */
/* Sets the fluid from now on; the default ends it. The change of potential energy counts as brought in. RPS_BAD_INPUT for numbers
 * out of range, a level without gravity or along a periodic axis; RPS_UNSUPPORTED in planar and sheared worlds and in shares. */
RPS_API rps_status rps_world_set_fluid(rps_world *world, const rps_fluid *fluid, rps_error *err);
RPS_API rps_fluid rps_world_fluid(const rps_world *world);
RPS_API const char *rps_drag_name(rps_drag drag); /* as in scenes; NULL past the end */
/* s, in which drag takes about the part 1/e of a free body's velocity at its present speed (m c^-1); INFINITY without drag.
 * A step of the part h of it changes terminal speeds by about h^2/20. */
RPS_API double rps_world_drag_time(const rps_world *world, size_t slot);

#ifdef __cplusplus
}
#endif
#endif
