/*
 * A world: bodies, shapes, materials, pairs of materials, contacts, and everything that a restart needs.
 *
 * SI units throughout; vectors are x, y, z in world axes, quaternions w, x, y, z. A world is used by one thread at a
 * time; two worlds in two threads are independent. Every function that can fail returns a status and, in `err` (which
 * may be NULL), a sentence: RPS_BAD_INPUT for invalid arguments, RPS_NO_MEMORY if an allocation failed; other
 * statuses are documented at the functions that return them. After a failure the world is as it was before the call,
 * unless stated otherwise. NULL for a pointer that is not documented as optional is RPS_BAD_INPUT, and the sentence
 * names the argument. Functions that return no status require valid arguments; a look-up by the name NULL finds
 * nothing.
 *
 * Ownership: strings and structures passed in are copied, laws are not; returned pointers belong to the world or the
 * library, and the caller never frees them. Structures with a member `size` come from their default function, which
 * sets it and the defaults, which stand in parentheses beside the members; any other size is refused, so that a
 * version mismatch between program and library is detected.
 */
#ifndef REPOSE_WORLD_H
#define REPOSE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <repose/allocator.h>
#include <repose/law.h>
#include <repose/log.h>
#include <repose/scheduler.h>
#include <repose/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rps_world rps_world;

typedef enum rps_integrator { RPS_VERLET, RPS_HALF_IMPLICIT } rps_integrator;
/* Penalty: springs and dampers, small steps. Nonsmooth: impulses from a cone complementarity problem, large steps. */
typedef enum rps_stepper { RPS_PENALTY, RPS_NONSMOOTH } rps_stepper;
/* The friction law of the nonsmooth stepper: Coulomb's, or its convex relaxation, which opens a gap of h (mu |u_t| +
 * rho |w_t| + sigma |w_n|) at contacts that slide, roll or spin. */
typedef enum rps_friction_cone { RPS_FRICTION_COULOMB, RPS_FRICTION_CONVEX } rps_friction_cone;
typedef enum rps_body_kind { RPS_BODY_FREE, RPS_BODY_FIXED, RPS_BODY_DRIVEN } rps_body_kind;

/* Guards watch a run for conditions that make its result meaningless. A guard set to stop fails the step with
 * RPS_GUARD; the error names cause, place, bodies and remedy. A guard set to warn writes to the log, and again
 * whenever the value has doubled. Three guards are always on: against NaN and infinity in positions and velocities,
 * against contacts of concentric spheres (their forces have no direction), and against motion by half a period in a
 * step. */
typedef enum rps_guard_action { RPS_GUARD_STOP, RPS_GUARD_WARN, RPS_GUARD_OFF } rps_guard_action;
typedef enum rps_guard_kind {
    RPS_GUARD_OVERLAP, /* two bodies overlap too far */
    RPS_GUARD_MOTION,  /* a body moves or turns too far in a step */
    RPS_GUARD_LOST,    /* a free body is outside the domain, or its centre behind a plane */
    RPS_GUARD_STABLE,  /* the step is above the stability limit, damping included */
    RPS_GUARD_COUNT
} rps_guard_kind;

typedef struct rps_guards {
    rps_guard_action action[RPS_GUARD_COUNT]; /* all stop */
    double overlap;                           /* of the smaller radius (0.3) */
    double motion;                            /* largest motion in a step, of the smallest radius (0.5) */
    double rotation;                          /* rad in a step (0.5) */
    double step;                              /* of the stability limit (1) */
    double low[3], high[3]; /* m, the domain of free bodies; low = high: a million times the initial extent */
} rps_guards;

/* For a step of the nonsmooth stepper that ends above the tolerance. WARN: it is used and counted. STOP: the step fails with
 * RPS_GUARD, the state as before it. REFINE: it is repeated as two steps of half the length, and so on up to 64 parts; a
 * part that still misses is used and counted. */
typedef enum rps_on_missed { RPS_MISSED_WARN, RPS_MISSED_STOP, RPS_MISSED_REFINE } rps_on_missed;

/* Options of the nonsmooth stepper. */
typedef struct rps_nonsmooth_options {
    rps_friction_cone cone;  /* RPS_FRICTION_COULOMB */
    bool rigid;              /* contacts are rigid; else as compliant as the laws of their pair (false) */
    double tolerance;        /* residual of a step's problem in the group metric, > 0 (1e-6) */
    uint64_t max_iterations; /* of a step, > 0 (1000) */
    rps_on_missed on_missed; /* RPS_MISSED_WARN */
    double margin;           /* of the smaller radius: smaller gaps get a row at any velocity (0.1) */
    double recovery_speed;   /* m/s, largest speed at which overlaps beyond the elastic ones are corrected (0.1) */
    double impact_speed;     /* m/s, slower impacts do not rebound; NAN: twice the speed that gravity adds in a step */
} rps_nonsmooth_options;

/* Homogeneous shear of a periodic world (Lees & Edwards 1972): the adjacent images along the gradient axis move along
 * the flow axis at the shear rate times the period of the gradient axis. A body that leaves through one of these
 * faces re-enters through the other, with the position and velocity of its image. Penalty stepper only, with free
 * bodies only. */
typedef struct rps_shear {
    int flow, gradient; /* axes 0 to 2, both periodic; equal: no shear (0, 0) */
    double rate;        /* 1/s, gradient of the mean velocity: along `flow`, per length along `gradient`; finite (0) */
} rps_shear;

typedef struct rps_world_options {
    uint32_t size;       /* set by rps_world_options_default */
    rps_stepper stepper; /* RPS_PENALTY */
    rps_nonsmooth_options nonsmooth;
    rps_integrator integrator; /* RPS_VERLET; penalty stepper only */
    double step;               /* s, > 0 */
    double gravity[3];         /* m/s^2 */
    double period[3];          /* m; 0: not periodic on that axis */
    rps_shear shear;           /* none */
    int dimension;             /* 3; 2: a planar world of disks and planes that move in x-z and turn about y */
    double depth;              /* m, of a planar world along y: length of its disks (1) */
    int threads;               /* 0: one for each processor of the machine; at most 4096 */
    rps_scheduler scheduler;   /* runs the tasks of each stage, as many as `threads`; zeros: OpenMP */
    int isa;                   /* -1: the best that the machine supports; 0 sse2, 1 avx2, 2 avx512 */
    bool ledger;               /* keep the energy ledger (true) */
    bool contacts;             /* contacts can be read after each call of rps_world_step (contact.h; false) */
    uint64_t seed;             /* of all random numbers of this world */
    double skin;               /* m, candidate list; 0: automatic */
    double neighbor_skin;      /* m, neighbor list; 0: automatic */
    bool frames;               /* keep the general frame record for every contact (reference, slower; false) */
    uint64_t shuffle;          /* tests: not 0 shuffles slots and evaluation order at random steps with this seed */
    /* check that laws use only the arrays in their .reads and .writes; a few times slower. A violation fails the
     * step; the error names the law and the array. For authors of laws and for tests (false) */
    bool check_laws;
    rps_guards guards;
    rps_allocator allocator; /* zeros: the system's */
    rps_log_fn log;          /* NULL: silent */
    void *log_context;
} rps_world_options;

RPS_API rps_world_options rps_world_options_default(void);
/* Creates an empty world, owned by the caller and released by rps_world_destroy (NULL is allowed). RPS_UNSUPPORTED
 * for an instruction set that the machine lacks. */
RPS_API rps_status rps_world_create(const rps_world_options *options, rps_world **world, rps_error *err);
RPS_API void rps_world_destroy(rps_world *world);

/* --- materials and pairs ------------------------------------------------------------------------------------------ */

/* NAN: not given; laws that need the value then refuse the pair. */
typedef struct rps_material {
    uint32_t size;
    const char *name; /* copied */
    double young;     /* Pa; INFINITY: rigid, so that the other body of a contact alone gives way */
    double poisson;   /* pure number */
    double density;   /* kg/m^3 */
} rps_material;

RPS_API rps_material rps_material_default(void);
/* Materials have distinct names and are numbered from 0; `index` may be NULL. RPS_BAD_INPUT for a name that is taken or
 * empty, and a value out of range. */
RPS_API rps_status rps_world_add_material(rps_world *world, const rps_material *material, int *index, rps_error *err);
RPS_API int rps_world_find_material(const rps_world *world, const char *name); /* -1: none */
RPS_API int rps_world_material_count(const rps_world *world);                  /* their indices run from 0 */
/* A copy; its name lives as long as the world. For an invalid index the default, without a name. */
RPS_API rps_material rps_world_material(const rps_world *world, int index);

/* Sets the moduli of a material from now on; its name and density stay, whatever the name in `material` (another density
 * is RPS_BAD_INPUT once there are bodies). The pairs of the material get the new values; contacts go on as after
 * rps_world_set_pair. */
RPS_API rps_status rps_world_set_material(rps_world *world, int index, const rps_material *material, rps_error *err);

/* The laws of a pair of materials. A role whose law is NULL is "none". */
typedef struct rps_pair {
    uint32_t size;
    const rps_law *law[RPS_ROLE_COUNT];
    double value[RPS_ROLE_COUNT][RPS_LAW_PARAMETERS]; /* in the order of the law's list; NAN: not given */
    rps_form form;
    rps_tension tension;
    double wear; /* 1/Pa, k of Archard's law: the volume k N |slip| wears off; 0: none is counted */
} rps_pair;

RPS_API rps_pair rps_pair_default(void); /* no laws, symmetric form, every value NAN */
/* Selects the library's law of that name for a role and resets the role's values. On RPS_BAD_INPUT the sentence lists
 * the laws of the role. */
RPS_API rps_status rps_pair_law(rps_pair *pair, rps_role role, const char *law, rps_error *err);
/* The same with a user-defined law, for its role. It must be registered with the world (rps_world_register_law). */
RPS_API rps_status rps_pair_own_law(rps_pair *pair, const rps_law *law, rps_error *err);
/* Sets a parameter of the chosen law by its name, in the unit that `repose list laws` gives. The range is checked by
 * rps_world_set_pair. RPS_BAD_INPUT for a role without a law, a name that the law does not have, or a parameter that
 * takes a word. */
RPS_API rps_status rps_pair_set(rps_pair *pair, rps_role role, const char *parameter, double value, rps_error *err);
/* The same for a parameter that takes one of several words. */
RPS_API rps_status rps_pair_set_word(rps_pair *pair, rps_role role, const char *parameter, const char *word,
                                     rps_error *err);
/* Sets the laws that act between two materials, given in either order. Checks ranges, fills in defaults and calls the
 * laws' prepare; refuses invalid combinations, naming the materials, the law and the parameter. Once the world has
 * started, the new laws act from the present step on: contacts keep the memories of laws that stay, those of other laws
 * begin at 0, and so does friction if the form changes. The energy that this brings is the ledger's `changed`; it includes
 * what a spring of friction loses whose cap is lower now. A call costs about as much as a few steps. */
RPS_API rps_status rps_world_set_pair(rps_world *world, int material_a, int material_b, const rps_pair *pair,
                                      rps_error *err);

/* The effective values of a pair after set-up, for explain and summary. Text is "role.parameter". */
typedef struct rps_pair_value {
    rps_role role;
    const char *law;       /* "none" if the role is off */
    const char *parameter; /* NULL: the role has no parameters */
    const char *unit;
    double value;
    bool given; /* false: default or derived */
} rps_pair_value;
/* Returns the number of values and fills at most `capacity` of them. 0 if the pair is not set. */
RPS_API size_t rps_world_pair_values(const rps_world *world, int a, int b, rps_pair_value *out, size_t capacity);
/* Whether rps_world_set_pair was called for them. The step fails if bodies of a pair that is not set come near each
 * other. */
RPS_API bool rps_world_has_pair(const rps_world *world, int a, int b);

/* A user-defined law must be registered with the world that uses it; it is not copied and must outlive the world.
 * RPS_BAD_INPUT for an incomplete descriptor, or a name that is already taken in its role. */
RPS_API rps_status rps_world_register_law(rps_world *world, const rps_law *law, rps_error *err);
/* Looks up a law among those registered and those of the library; NULL: none of that name. */
RPS_API const rps_law *rps_world_find_law(const rps_world *world, rps_role role, const char *name);

/* --- bodies ------------------------------------------------------------------------------------------------------- */

/* The action of a drive in addition to its prescribed motion. */
typedef enum rps_drive_kind {
    RPS_DRIVE_MOTION,   /* nothing */
    RPS_DRIVE_FORCE,    /* a servo moves the body along `direction` so that it pushes that way with `target` N */
    RPS_DRIVE_PRESSURE, /* the same with `target` Pa times an area */
    /* the body moves as the mirror image of another driven body; a servo there uses the mean load of both */
    RPS_DRIVE_MIRROR,
    RPS_DRIVE_TORQUE /* a servo turns the body about `direction` so that it pushes that way round with `target` N m */
} rps_drive_kind;

enum { RPS_DRIVE_SPANS = 2 };

/* Prescribed motion: position(t) = start + velocity t + amplitude sin(2 pi frequency t + phase) - the same at t = 0,
 * rotating at angular_velocity; a table may add to both; t counts from `from` and is frozen after `until`. A servo adds a motion along its
 * direction, at
 *
 *   v = gain (target - load) / (K dt), at most speed_max either way,
 *
 * found once a step from the load with which the body pushed at the end of the last step and from the tangent
 * stiffness K of all its contacts, at least stiffness_min (and K dt at least 2 gain C, C their dashpots, so that it
 * cannot oscillate). Its prescribed motion must have no component along `direction`.
 *
 * A servo of a torque turns the body, which no other part of its drive may turn, about an axis through its position (through its center
 * of mass, where it has one) at
 *
 *   w = gain (target - torque) / (K dt), at most speed_max rad/s either way,
 *
 * with K the sum over its contacts of the stiffnesses across and along the surface, times the squared distance of the other body from the
 * axis; of a plane, whose distance is none, times the squared radius of the sphere around the body. */
typedef struct rps_drive {
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s, constant, in world axes */
    double amplitude[3];        /* m */
    double frequency;           /* Hz */
    double phase;               /* rad */
    double from, until;         /* s; until < from: no end */
    /* The material of a conveyor: it moves along the surface, which does not. m/s and rad/s in world axes, the latter about an
     * axis through a point (m) that moves with the body. At a contact their sum is projected on the tangent plane and scaled
     * back to its magnitude. 0: the material moves with the body. surface_motion: number of a table, as `motion`, whose velocity and
     * turning are added to theirs. */
    double surface_velocity[3], surface_turning[3], surface_about[3];
    int surface_motion;
    rps_drive_kind kind;
    /* of a servo, or normal to the plane of symmetry; any length. Zeros: the normal of a plane; of a torque in a planar world y */
    double direction[3];
    double target; /* N, Pa or N m */
    /* m^2, for a pressure; 0: the product of `spans` distances, each between two planes; in a planar world times its
     * depth */
    double area;
    uint64_t span[RPS_DRIVE_SPANS][2]; /* ids of these planes */
    int spans;
    uint64_t mirror;      /* id of the other body of RPS_DRIVE_MIRROR */
    double gain;          /* 0: 0.02 */
    double speed_max;     /* m/s; 0: 0.2. Of a torque rad/s; 0: 1 */
    double stiffness_min; /* N/m; 0: 1e9. Of a torque N m/rad; 0: none */
    int motion;           /* number of a table of the world, from 1, whose motion is added (repose/motion.h); 0: none */
} rps_drive;

enum { RPS_SHAPE_NUMBERS_MOST = 8 };

/* One of several shapes that make up a body. */
typedef struct rps_piece_def {
    const char *shape;                        /* any but "plane" */
    double parameter[RPS_SHAPE_NUMBERS_MOST]; /* numbers of the shape in the order of `repose list shapes` */
    double position[3];                       /* m, in the axes in which the body is described */
    double orientation[4];                    /* w x y z, from the shape's axes to those */
    int material;                             /* index */
} rps_piece_def;

typedef struct rps_body_def {
    uint32_t size;
    /* "sphere", "plane", or any other of `repose list shapes`; in a planar world "disk" or "plane" */
    const char *shape;
    double radius;    /* m, sphere or disk */
    double normal[3]; /* plane: outward normal (towards the side of the bodies) */
    /* of other shapes: their numbers in the order of `repose list shapes`; NAN: the default */
    double parameter[RPS_SHAPE_NUMBERS_MOST];
    /* NULL: the body is a single `shape`; else its pieces (copied), which may overlap and need not touch. Position
     * and orientation are then those of the axes in which the pieces are given. The position of the resulting body is
     * the centre of mass of the union, to which velocity, lock and drive refer; its orientation is that of the
     * principal axes of inertia: the given axes if they are principal already, else rotated by the smallest angle.
     * Shape and material are those of the first piece. */
    const rps_piece_def *piece;
    int pieces;
    int material; /* index */
    rps_body_kind kind;
    /* kg; NAN: from the density of the material. A plane needs none. Volume shared by pieces counts once, for the
     * first of them. It is exact if no pieces overlap, else good to 1e-6; integration stops after about a second's
     * work, with a warning that states the error, and an error above 1e-2 is refused. For a body that no force moves
     * an eighth of that work is done, without a warning. */
    double mass;
    /* kg m^2, principal moments; NAN: of the homogeneous shape; y and z NAN: the same as x. For a body of several
     * pieces, about the axes in which they are given; the centre of mass is then their origin. */
    double inertia[3];
    /* m^3, of a body of several pieces: that of the solid for which they stand, if mass and inertia are not those of their
     * union. `inertia` is then given, and a mass that is not given comes from the density of the first piece. NAN: of the
     * union. */
    double volume;
    /* Liquid on the surface of a sphere, or of a body of spheres, as a volume (m^3) and as a part of the volume of the body, which add
     * up; 0 by default. Bridges of its pairs take from it. */
    double liquid, liquid_part;
    double temperature;         /* K, for a world that counts heat (repose/heat.h); 0 (default): that at its start */
    bool locked;                /* cannot rotate */
    double lock_axis[3];        /* velocity along this direction is held at 0; zeros: free */
    double position[3];         /* m */
    double orientation[4];      /* w x y z, from shape axes to world axes; a plane uses `normal` */
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s */
    rps_drive drive;            /* for RPS_BODY_DRIVEN */
    int group;                  /* index of a named group, see rps_world_group; 0 by default */
} rps_body_def;

/* A free body at rest at the origin; the caller fills in shape, material and dimensions. */
RPS_API rps_body_def rps_body_def_default(void);
RPS_API rps_piece_def rps_piece_def_default(void); /* at the origin, not rotated, every number NAN */
/* Adds a body; its id (`id` may be NULL) is the number of bodies added before it, and is never reused. RPS_BAD_INPUT
 * for a shape, material or group that does not exist, and for numbers out of range. */
RPS_API rps_status rps_world_add_body(rps_world *world, const rps_body_def *def, uint64_t *id, rps_error *err);
/* Sets the guards from now on. RPS_BAD_INPUT for limits that are not positive. */
RPS_API rps_status rps_world_set_guards(rps_world *world, const rps_guards *guards, rps_error *err);
/* Gives a driven body a new drive from now on. Its time counts from `from` or now, whichever is later, and its motion
 * starts from the present position. Before the first step it replaces the drive that the body was added with. A plane
 * cannot change between rotating and not rotating. RPS_BAD_INPUT for a body that is not driven, and for a drive whose
 * numbers or bodies are invalid. */
RPS_API rps_status rps_world_set_drive(rps_world *world, uint64_t id, const rps_drive *drive, rps_error *err);

/* Control of a driven body by a command. */
typedef enum rps_drive_control {
    RPS_DRIVE_SPEED,    /* `velocity` and `angular_velocity` from now on */
    RPS_DRIVE_POSITION, /* a straight path to `position` at constant speed, then it stands; it does not turn */
    RPS_DRIVE_LOAD, /* a servo along `direction` that pushes with `load`; it does not turn. Not for rigid contacts */
    RPS_DRIVE_CONTROLS
} rps_drive_control;

typedef struct rps_drive_command {
    uint32_t size;
    rps_drive_control control;
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s, in world axes */
    double position[3];         /* m, of the centre, unwrapped */
    double time;                /* s, in which it gets there; 0: a step, which is the least */
    double speed_max;           /* m/s, of POSITION, which then takes longer, and of LOAD; 0: none, and 0.2 */
    double direction[3];        /* of any length. Zeros: the normal of a plane */
    double load;                /* N, at least 0 */
    double gain, stiffness_min; /* of LOAD, as rps_drive; 0: those of the drive before */
} rps_drive_command;

/* Speed 0: the body stands. */
RPS_API rps_drive_command rps_drive_command_default(void);
/* Commands a driven body from now on, at any time between steps, in place of its motion, servo or last command; a checkpoint
 * keeps it. Running surfaces go on. The first command of a load to a body, and another axis of turning, rebuild the neighbor
 * lists; others cost nothing. The load on the body is that of rps_world_body_load; the work is part of the ledger's `drives`.
 * RPS_BAD_INPUT for a body that is not driven or is a mirror image, and for numbers out of range; members of other controls
 * must be 0. */
RPS_API rps_status rps_world_command_drive(rps_world *world, uint64_t id, const rps_drive_command *command,
                                           rps_error *err);
/* Sets the acceleration of gravity (m/s^2) from now on; the change of potential energy counts as external, and
 * imposed loads follow at once. RPS_BAD_INPUT for numbers that are not finite, a part along y in a
 * planar world, and one along the flow axis of a sheared world. */
RPS_API rps_status rps_world_set_gravity(rps_world *world, const double gravity[3], rps_error *err);

/* Sets the shear rate (1/s, finite) from now on; the axes stay. RPS_UNSUPPORTED if the options have no shear. */
RPS_API rps_status rps_world_set_shear_rate(rps_world *world, double rate, rps_error *err);
typedef struct rps_shear_state {
    double rate;   /* 1/s */
    double strain; /* integral of the rate over time since the world was created */
    double offset; /* m, along the flow axis, of the adjacent image up the gradient axis; at most half a period */
    double work;   /* J, done by the shear on bodies and contacts; 0 without a ledger */
} rps_shear_state;
/* The state of shear at the end of the last step. RPS_UNSUPPORTED if its options have no shear. */
RPS_API rps_status rps_world_shear_state(const rps_world *world, rps_shear_state *out, rps_error *err);
RPS_API uint64_t rps_world_body_count(const rps_world *world); /* present now */
/* Index of the group of that name, which is created if new. Group 0 is "". */
RPS_API rps_status rps_world_group(rps_world *world, const char *name, int *index, rps_error *err);
RPS_API const char *rps_world_group_name(const rps_world *world, int index); /* NULL past the end */
/* Disables contacts between bodies of these two groups, which may be one and the same. For one pair of groups the last
 * call of rps_world_exclude or rps_world_include applies. Both: RPS_BAD_INPUT for a group that does not exist. */
RPS_API rps_status rps_world_exclude(rps_world *world, int group_a, int group_b, rps_error *err);
/* Enables contacts between fixed and driven bodies of these two groups. By default two bodies that no force moves
 * pass through each other: a contact needs a free body, or a driven one that is or was load-controlled
 * (RPS_DRIVE_FORCE, RPS_DRIVE_PRESSURE, RPS_DRIVE_MIRROR). The nonsmooth stepper then needs compliant contacts. */
RPS_API rps_status rps_world_include(rps_world *world, int group_a, int group_b, rps_error *err);

/* --- fields ------------------------------------------------------------------------------------------------------- */

typedef enum rps_type { RPS_TYPE_double, RPS_TYPE_int32, RPS_TYPE_uint64 } rps_type;

enum { RPS_FIELD_SAVED = 1, RPS_FIELD_OUTPUT = 2 };

/* One field of the bodies; its strings are static. */
typedef struct rps_field {
    const char *name, *unit; /* "1": a pure number */
    const char *writer;      /* the stage that writes it: create, motion, sum, drive, detect */
    const char *meaning;
    rps_type type;
    int components; /* 1; 3 for a vector, 4 for a quaternion */
    int flags;      /* RPS_FIELD_SAVED: part of the state; RPS_FIELD_OUTPUT: in results */
} rps_field;

/* A read-only view of a field: the element of slot s starts at (const char *)data + s * stride. Valid until the next
 * call that changes the world; a step leaves it valid, with the new values, if rps_world_layout is as before. The order of
 * slots has no meaning; the field `id` holds the body of each slot. */
typedef struct rps_view {
    const void *data;
    size_t stride; /* bytes */
    size_t count;  /* bodies */
    rps_type type;
    int components;
} rps_view;

RPS_API size_t rps_body_field_count(void);             /* `repose list fields` prints the fields */
RPS_API const rps_field *rps_body_field(size_t index); /* NULL past the end */
/* RPS_BAD_INPUT, with the nearest name, for a field that does not exist. */
RPS_API rps_status rps_world_view(const rps_world *world, const char *field, rps_view *view, rps_error *err);
/* Copies a field of `count` bodies into `out`, in the order of their ids and without gaps: row k holds the components of
 * body id[k] (id NULL: of body k), in the type and unit of the field. RPS_BAD_INPUT for an id without a body, after which
 * `out` holds nothing of use. */
RPS_API rps_status rps_world_read(const rps_world *world, const char *field, const uint64_t *id, size_t count,
                                  void *out, rps_error *err);
/* A number that increases when bodies change their slots, come or go, or their arrays move: while it stays, views taken
 * before show the present values of the same bodies. */
RPS_API uint64_t rps_world_layout(const rps_world *world);
/* Slot of a body; SIZE_MAX if no body has that id, or it was removed. */
RPS_API size_t rps_world_slot(const rps_world *world, uint64_t id);
#ifdef __cplusplus
}
#endif
#endif
