/*
 * Forces from outside: functions of place, velocity and time that act on free bodies, such as a trap, a magnetic or an
 * electric field, or wind.
 *
 * They change velocities at both ends of a step, with the place and time there, so that a force of places and time is of
 * second order with the stepper `verlet`, and one of velocities too if it says so. The ledger has the work of each, or,
 * where it derives from a potential, its energy.
 */
#ifndef REPOSE_FORCE_H
#define REPOSE_FORCE_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A free body as a force sees it. */
typedef struct rps_force_at {
    uint64_t id;
    double position[3]; /* m, of its centre of mass; in a periodic world within the cell */
    double velocity[3]; /* m/s */
    double time;        /* s */
    double mass;        /* kg */
    double radius;      /* m, of the sphere of its volume; planar: its half width */
} rps_force_at;

enum { RPS_ALL_GROUPS = -1, RPS_FORCE_NAME = 64 };

typedef struct rps_force_def {
    uint32_t size;
    const char *name; /* of its work; copied; shorter than RPS_FORCE_NAME */
    int group;        /* it acts on this one (RPS_ALL_GROUPS) */
    /* N and N m, both 0 on entry. Threads call it at the same time; it must give the same for the same body. */
    void (*load)(void *context, const rps_force_at *at, double force[3], double torque[3]);
    /* J, whose negative gradient `load` is; of place, mass, radius and id alone. NULL: it has none, and does work. */
    double (*potential)(void *context, const rps_force_at *at);
    bool of_velocity; /* it depends on the velocity: evaluated twice */
    void *context;
    void (*release)(void *context); /* called when the world ends, or if it is refused; may be NULL */
} rps_force_def;

RPS_API rps_force_def rps_force_def_default(void);
/* Adds a force before the first step. RPS_BAD_INPUT for a name that is missing, too long or taken, for a group that does
 * not exist, and without `load`; RPS_UNSUPPORTED in sheared worlds and in shares. In a planar world the
 * parts of the load act that its plane has. */
RPS_API rps_status rps_world_add_force(rps_world *world, const rps_force_def *def, rps_error *err);
RPS_API size_t rps_world_forces(const rps_world *world);
/* NULL past the end. */
RPS_API const char *rps_world_force_name(const rps_world *world, size_t index);
/* J so far, of a force without a potential; NAN past the end. */
RPS_API double rps_world_force_work(const rps_world *world, size_t index);

#ifdef __cplusplus
}
#endif
#endif
