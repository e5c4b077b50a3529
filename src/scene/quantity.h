/*
 * Quantities that a probe can record: of the contact of two bodies, of a body, of a joint, of the world. One table, quantity.c;
 * contact quantities come from contact_fields.inc.
 */
#ifndef RPS_SCENE_QUANTITY_H
#define RPS_SCENE_QUANTITY_H

#include "scene/scene_internal.h"

/* Index in the table, -1 if there is none; `of` is "contact", "body", "joint" or "world". */
int rps_quantity_find(const char *of, const char *name);
/* Is it a mode, whose values are stick and slip? */
bool rps_quantity_is_mode(int index);
/* Does it read contacts (rps_world_keep_contacts)? */
bool rps_quantity_needs_contacts(int index);
/* Does it read the energy ledger? */
bool rps_quantity_needs_ledger(int index);
/* Does it need a box; does it look at grains, so that it may be of one set? */
bool rps_quantity_needs_box(int index);
bool rps_quantity_of_grains(int index);
/* May it have a box; how many pairs of planes does it need (`over`); is it of a servo; of a plane? */
bool rps_quantity_takes_box(int index);
int rps_quantity_spans(int index, bool planar);
bool rps_quantity_of_servo(int index);
bool rps_quantity_of_plane(int index);
/* Of a joint: which free motion it is about; RPS_JOINT_HELD: none. */
rps_joint_free rps_quantity_of_motion(int index);
/* Kinetic over elastic energy, NAN if there is none. */
rps_status rps_quantity_rest(rps_scene *scene, rps_world *world, double *value, rps_error *err);

/* Why a quantity has no value. Checkpoints hold the numbers. */
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
    RPS_ABSENCES
} rps_absence;
/* The reason as words without a comma, static text; "" of RPS_PRESENT. */
const char *rps_absence_text(int absence);
/* May the quantity have no value? */
bool rps_quantity_may_lack(int index);

/* The value now; NAN where there is none, and why. */
rps_status rps_quantity_value(rps_scene *scene, rps_world *world, const rps_probe *probe, double *value,
                              rps_absence *absence, rps_error *err);

/* --- measure.c: sums over bodies, independent of their order ---------------------------------------------------------
 * `group` -1: all free bodies; else all bounded bodies of that group, fixed and driven ones too. Planes are never counted. */

typedef struct rps_grains {
    size_t count, free;             /* free: those of them that are free; what follows is theirs alone, but for `top` */
    double kinetic;                 /* J */
    double ratio_max, ratio_mean;   /* kinetic energy over m g d (d the diameter of the sphere about it) */
    double momentum[3], angular[3]; /* kg m/s; kg m^2/s about the origin, with spin */
    double speed_max, top;          /* m/s; m, highest point along z against gravity */
} rps_grains;
void rps_measure_grains(const rps_world *world, int group, const double gravity[3], rps_grains *out);
/* Over all contacts: mean stiffness of the springs of a role (N/m), part that slides; NAN without contacts. */
double rps_measure_stiffness(const rps_world *world, rps_role role);
double rps_measure_sliding(const rps_world *world);
/* N/m, mean of elastic load over overlap; contacts must have been kept. */
rps_status rps_measure_secant(const rps_world *world, double *mean, rps_error *err);
/* Contacts per body: each contact counts for every body that it has of those that are measured. */
double rps_measure_coordination(const rps_world *world, int group);
/* Part of a box that the bodies fill; see rps_body_inside for its error. Where bodies overlap each of them counts. A body
 * counts with each of its periodic images. In a planar world the same of areas in x-z. */
double rps_measure_packing(const rps_world *world, int group, const double low[3], const double high[3]);

/* --- measure_repose.c ----------------------------------------------------------------------------------------------- */

/* Angle of repose of a heap, rad: 24 sectors about the vertical through its centre of mass; in each a line through the
 * mean height of rings one mean diameter wide (of the highest spheres of columns), between 20 % and 80 % of the
 * height; mean of the angles. `x` holds x y z radius of each sphere, `up` is a unit vector. NAN where there is no heap:
 * what is less than RPS_HEAP_DIAMETERS mean diameters high (RPS_HEAP_LOW); if fewer than half of the sectors have three such
 * rings (RPS_HEAP_NO_FLANK); if the surface slopes to one side more than it falls outwards and by more than
 * RPS_HEAP_LEVEL, as in a drum (RPS_HEAP_ONE_SIDED); if it rises outwards by more than that (RPS_HEAP_HOLLOW). */
#define RPS_HEAP_DIAMETERS 4.0
#define RPS_HEAP_LEVEL 0.0349 /* slope, of 2 degrees: rougher than a level bed of ten diameters */
rps_status rps_measure_repose(const double (*x)[4], size_t count, const double up[3], bool planar,
                              const rps_allocator *allocator, double *angle, rps_absence *absence, rps_error *err);

/* The same of the free bodies of a group that hang together by contacts with a fixed or driven body. */
rps_status rps_measure_heap(const rps_world *world, int group, const double gravity[3], double *angle,
                            rps_absence *absence, rps_error *err);

#endif
