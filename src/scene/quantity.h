/*
 * Quantities that a probe can record, of a contact of two bodies, a body, a joint or the world. quantity_table.inc has the
 * table; contact quantities come from contact_fields.inc.
 */
#ifndef RPS_SCENE_QUANTITY_H
#define RPS_SCENE_QUANTITY_H

#include "scene/scene_internal.h"

/* Index in the table, -1 if there is none; `of` is "contact", "body", "joint", "flow", "sink", "zone", "source", "force" or "world". */
int rps_quantity_find(const char *of, const char *name);
/* True for a mode, with the values stick and slip. */
bool rps_quantity_is_mode(int index);
/* Does it read contacts (rps_world_keep_contacts)? */
bool rps_quantity_needs_contacts(int index);
/* Does it read the energy ledger? */
bool rps_quantity_needs_ledger(int index);
/* Is it a sum over steps that the world must be asked for (rps_world_want_loads)? */
bool rps_quantity_of_loads(int index);
/* Is it about the heat of bodies, which the world must count? */
bool rps_quantity_of_heat(int index);
/* Does it need a box? Is it about grains, so that it can be limited to one set? */
bool rps_quantity_needs_box(int index);
bool rps_quantity_of_grains(int index);
/* Is it of a tally? Can it have a window, and does it need one? */
bool rps_quantity_of_tally(int index);
bool rps_quantity_takes_window(int index);
bool rps_quantity_needs_window(int index);
/* Does it need a region? */
bool rps_quantity_of_region(int index);
/* Can it have a box? How many pairs of planes (`over`) does it need? Is it about a servo, or a plane? */
bool rps_quantity_takes_box(int index);
int rps_quantity_spans(int index, bool planar);
bool rps_quantity_of_servo(int index);
bool rps_quantity_of_plane(int index);
/* The kind of coordinates of a joint that it measures, and which of them (from 0); RPS_JOINT_HELD: none. */
rps_joint_free rps_quantity_of_motion(int index, int *nth);
/* Kinetic over elastic energy; NAN without elastic energy. */
rps_status rps_quantity_rest(rps_scene *scene, rps_world *world, double *value, rps_error *err);

/* Why a quantity has no value. Checkpoints store these numbers. */
typedef enum rps_absence {
    RPS_PRESENT,
    RPS_NO_CONTACT, /* of the two bodies */
    RPS_NO_FIELD,
    RPS_NO_SERVO,
    RPS_NO_TARGET,
    RPS_NO_CONTACTS,
    RPS_NO_ELASTIC,
    RPS_NO_DISSIPATION,
    RPS_NO_GRAINS,
    RPS_NO_GRAVITY,
    RPS_HEAP_LOW,
    RPS_HEAP_NO_FLANK,
    RPS_HEAP_ONE_SIDED,
    RPS_HEAP_HOLLOW,
    RPS_HEAP_IN_THE_AIR,
    RPS_NO_NUMBER,
    RPS_NEVER_READ,
    RPS_BODY_LEFT,
    RPS_NONE_PASSED,
    RPS_NO_SURFACE,
    RPS_BODY_TO_COME,
    RPS_BODY_REMOVED,
    RPS_ZONE_EMPTY,
    RPS_SERVO_TURNS,
    RPS_SERVO_PUSHES,
    RPS_ABSENCES
} rps_absence;
/* The reason in words without a comma, static text; "" for RPS_PRESENT. */
const char *rps_absence_text(int absence);
/* Can the quantity lack a value? */
bool rps_quantity_may_lack(int index);

/* The current value; NAN if there is none, with the reason in *absence. */
rps_status rps_quantity_value(rps_scene *scene, rps_world *world, const rps_probe *probe, double *value,
                              rps_absence *absence, rps_error *err);

/* --- measure.c: sums over bodies, independent of their order
 * --------------------------------------------------------- `group` -1: all free bodies; else all bounded bodies of
 * that group, including fixed and driven ones. Planes never count. */

typedef struct rps_grains {
    size_t count, free;             /* free: the free bodies; all members below but `top` are theirs alone */
    double kinetic;                 /* J */
    double ratio_max, ratio_mean;   /* kinetic energy over m g d (d: diameter of the bounding sphere) */
    double momentum[3], angular[3]; /* kg m/s; kg m^2/s about the origin, including spin */
    double speed_max, top;          /* m/s; m, highest point along z against gravity */
    double center[3];               /* m, centre of mass; NAN without free bodies */
} rps_grains;
void rps_measure_grains(const rps_world *world, int group, const double gravity[3], rps_grains *out);
/* Mean spring stiffness of a role (N/m) and sliding fraction, over all contacts; NAN without contacts. */
double rps_measure_stiffness(const rps_world *world, rps_role role);
double rps_measure_sliding(const rps_world *world);
/* Mean of elastic load over overlap, N/m; contacts must have been kept. */
rps_status rps_measure_secant(const rps_world *world, double *mean, rps_error *err);
/* Contacts per measured body: a contact counts once for each measured body in it. */
double rps_measure_coordination(const rps_world *world, int group);
/* Packing fraction of a box; see rps_body_inside for its error. Overlapping bodies both count, and so do all periodic
 * images. In a planar world a fraction of areas in x-z. */
double rps_measure_packing(const rps_world *world, int group, const double low[3], const double high[3]);
/* The bodies in a region. depth: m, of a planar scene. A mass that a fixed body lacks
 * counts as 0. */
typedef struct rps_inside {
    double number, mass, volume; /* 1, kg, m^3 */
} rps_inside;
void rps_measure_inside(const rps_world *world, int group, const rps_region *region, double depth, rps_inside *out);

/* --- measure_repose.c ----------------------------------------------------------------------------------------------- */

/* Angle of repose of a heap, rad. The heap is divided into 24 sectors about the vertical through its centre of mass.
 * In each a line is fitted to the mean heights of rings one mean diameter wide (of the highest spheres of columns),
 * between 20 % and 80 % of the height; the result is the mean angle. `x`: x y z radius of each sphere; `up`: unit
 * vector. NAN if there is no heap: it is lower than RPS_HEAP_DIAMETERS mean diameters (RPS_HEAP_LOW); fewer than half
 * of the sectors have three such rings (RPS_HEAP_NO_FLANK); the surface slopes to one side by more than it falls
 * outwards and by more than RPS_HEAP_LEVEL, as in a drum (RPS_HEAP_ONE_SIDED); or it rises outwards by more than that
 * (RPS_HEAP_HOLLOW). */
#define RPS_HEAP_DIAMETERS 4.0
#define RPS_HEAP_LEVEL 0.0349 /* slope of 2 degrees: steeper than the roughness of a level bed of ten diameters */
rps_status rps_measure_repose(const double (*x)[4], size_t count, const double up[3], bool planar,
                              const rps_allocator *allocator, double *angle, rps_absence *absence, rps_error *err);

/* The same for the free bodies of a group that contacts connect to a fixed or driven body. */
rps_status rps_measure_heap(const rps_world *world, int group, const double gravity[3], double *angle,
                            rps_absence *absence, rps_error *err);

/* A union-find forest of slots with one tree for each set of bodies that contacts connect; fixed and driven bodies have
 * the root `count`, the number of bodies. parent: count + 1 of them. */
void rps_join_touching(const rps_world *world, uint32_t *parent, uint32_t count);
uint32_t rps_root_of(uint32_t *parent, uint32_t slot);

/* --- measure_surface.c ---------------------------------------------------------------------------------------------- */

/* Angle between the horizontal and the surface of the free bodies of a group in a region that contacts connect to a
 * fixed or driven body, rad: a plane is fitted to the highest spheres of columns one mean diameter wide. NAN if there
 * are fewer than 12 columns, or all in a row (RPS_NO_SURFACE). */
rps_status rps_measure_surface(const rps_world *world, int group, const rps_region *region, const double gravity[3],
                               double *angle, rps_absence *absence, rps_error *err);

#endif
