/*
 * A scene as this layer sees it: the checked tree, and the state of building, insertion, probes and checks.
 */
#ifndef RPS_SCENE_SCENE_INTERNAL_H
#define RPS_SCENE_SCENE_INTERNAL_H

#include <stdatomic.h>

#include <repose/mesh.h>

#include "io/state.h"
#include "language/schema.h"
#include "mesh/fit_spheres.h"
#include "mesh/hull.h"
#include "mesh/mesh.h"
#include "scene/profile.h"
#include "scene/region.h"
#include "scene/scene.h"
#include "scene/traffic.h"
#include "world/world.h"

/* A named body (one id) or set (a group), such as probes of contacts refer to. */
typedef struct rps_named {
    const char *name;
    const rps_node *node;
    bool is_set;
    uint64_t id; /* of a body */
    int group;
    double radius;    /* m, of a sphere; else 0 */
    rps_body_def def; /* of a body, as placed */
    int material;
    rps_vec3 center; /* as placed; of a plane any point on it */
    rps_vec3 normal; /* of a plane */
    double mass;     /* kg; NAN if it has none */
} rps_named;

/* The classes of the first particles of a set, found one after the other. */
typedef struct rps_size_memo {
    struct rps_size_memo *next;
    void *class_of; /* uint16_t by particle */
    size_t bytes;
    uint64_t known;  /* particles whose class is found */
    uint64_t *count; /* of them, by class */
} rps_size_memo;

/* The distribution of radii, or of scale factors of a shape. Parts of a mass count by the power of the size to which it
 * is proportional: 3, in a planar scene 2. */
typedef struct rps_sizes {
    enum { RPS_SIZE_FIXED, RPS_SIZE_UNIFORM, RPS_SIZE_NORMAL, RPS_SIZE_LIST, RPS_SIZE_CLASSES } kind;
    double a, b;           /* fixed: a; uniform: from a to b; normal: mean and deviation */
    double low, high;      /* of every radius */
    size_t count;          /* of the list */
    double *radius, *upto; /* list: radius, and cumulative share including it */
    bool by_mass;          /* parts are of mass, else of number */
    int power;
    double *from, *to, *asked, *part; /* classes: sizes between; their part as asked, and of the number */
    rps_size_memo *memo;              /* of classes */
    const rps_allocator *allocator;
} rps_sizes;

/* The particles of a set (particle_template.c). */
typedef struct rps_particle_template {
    rps_body_def def; /* common to all, at size 1; radius (spheres) or all lengths (shapes) and the position vary */
    rps_piece_def *scaled; /* scratch space for the pieces of one; NULL without pieces */
    rps_sizes sizes;       /* radii of spheres, m; else a factor on all lengths */
    const double *mesh;    /* its number in the world by size, in the order of the list of sizes; NULL: another shape */
    double bound;          /* m, bounding radius at size 1 */
    bool turned;           /* each has its own orientation */
    bool by_file;          /* the radii come from a file */
} rps_particle_template;

/* The amount that a source has to give (supply.c). */
typedef struct rps_supply {
    bool by_due;       /* by the amount due; else at equal intervals */
    bool of_mass;      /* the amount is a mass, kg; else a number */
    bool instant;      /* all at `from` */
    double (*rate)[2]; /* s, kg/s or 1/s; one row: the constant rate */
    size_t rates;
    double from, until;       /* s */
    double most;              /* the total amount; INFINITY: no limit */
    const rps_node *recycles; /* the name of a sink: due is the mass that it has taken; NULL: of none */
    const rps_tally *taken;   /* of that sink */
} rps_supply;

/* One insertion: `done`, `late` and what follows from `done` are state. */
typedef struct rps_insertion {
    const rps_node *node; /* the set */
    rps_particle_template particle_template;
    rps_region region;
    double low[3], high[3]; /* of the box around it */
    double spread;          /* m/s, deviation of each component of the velocity */
    double speed;           /* m/s, out of the face that is the region */
    rps_supply supply;
    double first, interval, span; /* s: the first is due, between two, from the first to the last */
    double unit_mass;             /* kg, of a particle of size 1; NAN: not known */
    bool same_mass;               /* of all sizes */
    double limit;                 /* kg, or a number, by which it may be behind; INFINITY: no limit */
    bool limit_of_mass;
    uint64_t count, done;
    double given;    /* the amount of those done */
    double late;     /* s, the longest delay of one */
    uint32_t number; /* of the set; keys its random numbers */
    int tries;
    rps_tally tally; /* of those inserted, if a probe reads it */
} rps_insertion;

/* The things that have a tally. */
typedef enum rps_tally_of {
    RPS_TALLY_NONE,
    RPS_TALLY_FLOW,
    RPS_TALLY_SINK,
    RPS_TALLY_ZONE,
    RPS_TALLY_SOURCE
} rps_tally_of;

typedef struct rps_probe {
    rps_probe_info info;
    const rps_quantity_info *quantity;
    int index; /* of the quantity */
    const rps_node *node;
    uint64_t id[2];  /* bodies; UINT64_MAX: one that has not entered yet */
    size_t named[2]; /* 1 + number of their names; 0: none */
    size_t joint;
    size_t force; /* of the world */
    int absence;  /* state, rps_absence: why the last reading had no value */
    int group;    /* of a set; -1: all bodies */
    bool has_box;
    uint64_t span[3][2]; /* planes of `over` */
    int spans;
    double low[3], high[3];
    rps_region region;
    rps_tally_of tally_of;
    size_t tally;  /* index of the plane, sink, zone or insertion */
    double window; /* s; 0: none */
    bool watched;  /* some check needs all steps */
} rps_probe;

typedef struct rps_check rps_check;     /* checks.c */
typedef struct rps_measure rps_measure; /* measures.c */

/* For which bodies a mesh is. */
typedef struct rps_mesh_use {
    double scale;  /* a factor on all lengths of the file */
    bool solid;    /* of bodies that are free, or will be */
    bool centered; /* of particles: their position is that of the center of mass */
} rps_mesh_use;

/* A file of triangles, as the keys of `shape: {mesh: ...}` ask for it, and the number of its mesh in the world. */
typedef struct rps_scene_mesh {
    const char *path;
    double factor, weld; /* m of the unit of the file */
    rps_mesh_sides side;
    int flip, number;
    int part, parts; /* which of the file from 0, -1: all of it; how many it has */
    bool hull;       /* the convex hull stands for the triangles */
    rps_mesh_use use;
    rps_vec3 moved; /* m, at this scale, the center of mass in the file of a centered one */
    rps_hull_sizes sizes;
    struct rps_scene_mesh *next;
} rps_scene_mesh;

/* Spheres that are fitted into a closed mesh, as the keys of `shape: {mesh: ...}` ask for them. */
typedef struct rps_scene_fit {
    const char *path;
    double factor, weld, least_radius; /* m of the unit of the file, 1, m */
    size_t wanted, triangles;
    bool hull;           /* the spheres fill the convex hull */
    double volume, area; /* m^3, m^2, of the mesh */
    rps_vec3 center;     /* m */
    double inertia[6];   /* m^2, per mass, as of rps_mesh */
    rps_sphere_fit fit;
    struct rps_scene_fit *next;
} rps_scene_fit;

/* A mesh whose inside or surface is a region; in the axes of the world. */
typedef struct rps_scene_interior {
    const char *path;
    double factor, shift[3]; /* m of the unit of the file; m */
    rps_mesh mesh;
    struct rps_scene_interior *next;
} rps_scene_interior;

/* A particle file that was read, and the hash of its bytes. */
typedef struct rps_scene_file {
    struct rps_scene_file *next;
    const char *path;
    uint64_t hash[2];
} rps_scene_file;

/* The text of a scene, read and checked. It is immutable afterwards, so scenes built from it share it, also across
 * threads. */
typedef struct rps_scene_text {
    atomic_size_t users; /* scenes; the last one releases it */
    const rps_allocator *allocator;
    rps_pool pool;
    rps_source source;
    char *folder; /* of the scene file, ending in a slash; "" if none */
    rps_scene_included *included;
    size_t includes;
    rps_node *root;
    rps_law_list own;    /* laws */
    const char *variant; /* "" if none */
    const char **variant_name;
    size_t variants;
    /* for checkpoints: the settings after the variant; `until` is the last */
    const char **set;
    size_t sets;
    const char *until;     /* NULL: as in the scene and the settings */
    rps_node **stage_root; /* by stage: the tree from its beginning on; NULL: as before it */
    /* owned: the checkpoint from which worlds start; extended: to a new end */
    rps_checkpoint *from;
    bool extended;
} rps_scene_text;

/* Named bodies and sets. */
typedef struct rps_names {
    rps_named *item;
    size_t count, capacity;
} rps_names;

typedef struct rps_insertions {
    rps_insertion *item; /* one per inserted set */
    size_t count;
} rps_insertions;

typedef struct rps_stages {
    struct rps_stage *item;
    size_t count, now; /* now: state */
    uint64_t from;     /* state: first step of the current stage */
} rps_stages;

/* Bodies that come and go (events.h). */
typedef struct rps_event rps_event;
typedef struct rps_events {
    rps_event *item;
    size_t count, capacity;
    bool *meets_group; /* by group: one of its bodies comes, goes or changes its kind */
    size_t groups;
} rps_events;

/* Observes the world without changing it: probes, and checks or the measures of a sweep. */
typedef struct rps_observer {
    rps_probe *probe;
    size_t probes;
    rps_check *check;
    size_t checks;
    bool sweeping;
    rps_scene_sweep sweep;
    const char *const *wanted; /* measures, by name */
    size_t wanted_count;
    rps_measure *measure;
    size_t measures;
    /* all probes of a step share one reading of the ledger */
    bool ledger_read;
    uint64_t ledger_step, ledger_bodies;
    rps_ledger ledger;
    /* the guard that stopped the run, for checks that expect it */
    struct {
        int guard;    /* as in rps_guard_state; RPS_GUARD_NONE */
        int group[2]; /* of the bodies at fault */
        uint64_t id[2];
        double time; /* s */
        const char *text;
    } stop;
    const char *cut; /* why open checks are not judged; NULL: the run reached its end */
    char cut_text[96];
    rps_pool notes; /* of verdicts */
} rps_observer;

struct rps_scene {
    const rps_allocator *allocator;
    rps_scene_text *text;
    rps_pool pool; /* for the results of building */
    int threads, isa;
    rps_scheduler scheduler;
    rps_log_fn log;
    void *log_context;
    bool (*proceed)(void *context);
    void *proceed_context;
    rps_scene_run run;
    double kept_step; /* s; 0: none */
    bool built;
    rps_scene_file *files; /* latest first */
    rps_scene_mesh *meshes;
    rps_scene_interior *interiors;
    struct rps_scene_motion *motions; /* tables of drives */
    rps_scene_fit *fits;              /* latest first */
    double gravity[3], period[3];
    rps_shear shear;
    bool planar;
    double depth; /* m, of a planar scene */
    uint64_t seed;

    rps_names names;
    rps_insertions insertions;
    rps_size_memo *memos;
    rps_traffic traffic;
    rps_profile *profile;
    size_t profiles;
    rps_stages stages;
    struct rps_origin *origin; /* of a run that began from the state of another (fork.h); NULL: none */
    rps_events events;
    rps_observer observer;
    uint64_t bodies_total, bodies_built; /* in the end; by building */
};

/* build_bodies.c */
/* Adds the mean flow of a sheared cell to the velocity of a free body at its position. */
void rps_scene_add_flow(const rps_world *world, rps_body_def *def);
rps_status rps_build_bodies(rps_scene *scene, rps_world *world, rps_error *err);
const rps_named *rps_scene_named(const rps_scene *scene, const char *name);
rps_status rps_scene_name(rps_scene *scene, const rps_named *named, rps_error *err);
/* Resolves the name in a node; fails at the node with near matches. kind: 0 any, 1 body that is there from the start, 2
 * set, 3 any body. */
rps_status rps_scene_reference(const rps_scene *scene, const rps_node *node, int kind, const rps_named **named,
                               rps_error *err);
/* Reads the keys common to `bodies` and `particles`: material, fixed, drive, locks, velocities. */
rps_status rps_build_motion(const rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                            rps_error *err);
/* Reads `shape` (with its parameters) or `pieces` of a body or a set. `pieces` live as long as the scene. */
rps_status rps_build_shape(rps_scene *scene, rps_world *world, const rps_node *node, double scale, rps_body_def *def,
                           rps_error *err);
/* The quaternion of an orientation given in any form; `node` NULL: `out` is unchanged. */
rps_status rps_build_orientation(const rps_node *node, double out[4], rps_error *err);
/* Mass of a body; NAN if nothing says it. */
rps_status rps_mass_of_def(const rps_world *world, const rps_body_def *def, double *mass, rps_error *err);
/* Young's modulus of a material, Pa; INFINITY: rigid, NAN: not given. */
double rps_build_young(const rps_node *material);
/* Whether both are rigid, so that laws find no modulus for their contact (build_pairs.c). */
bool rps_build_both_rigid(const rps_world *world, int material_a, int material_b);
rps_status rps_build_material(const rps_world *world, const rps_node *node, int *index, rps_error *err);
/* include.c: the path of a file that a node names, from the file in which the node stands. Lives as long as the scene. */
char *rps_scene_file_path(rps_scene *scene, const rps_node *node, rps_error *err);
/* build_pairs.c: all materials must exist. */
rps_status rps_build_pairs(rps_scene *scene, rps_world *world, rps_error *err);

/* place.c: finds def->position from the key `place`. */
rps_status rps_build_place(const rps_scene *scene, const rps_world *world, const rps_node *body, rps_body_def *def,
                           double mass, rps_error *err);

/* generate.c */
rps_status rps_build_particles(rps_scene *scene, rps_world *world, rps_error *err);

/* sizes.c: the distribution of a set: that of `node`, or its `sieve` (node NULL). */
rps_status rps_sizes_read(rps_scene *scene, const rps_node *set, const rps_node *node, const char *unit,
                          rps_sizes *sizes, rps_error *err);
/* Finds the classes of the first `count` particles. Call before they are drawn. */
rps_status rps_sizes_prepare(const rps_sizes *sizes, uint64_t count, rps_error *err);
double rps_sizes_draw(const rps_sizes *sizes, uint64_t seed, uint64_t key);
/* The class of a particle that was prepared. */
size_t rps_sizes_class(const rps_sizes *sizes, uint64_t particle);
void rps_sizes_release(rps_scene *scene);

/* particle_template.c: `def` holds the motion and material of the set. */
rps_status rps_particle_template_read(rps_scene *scene, rps_world *world, const rps_node *set, const rps_body_def *def,
                                      rps_particle_template *particle_template, rps_error *err);
/* Draws the particle with that key, except its position. Returns its bounding radius about its position, m. Its
 * pieces live until the next call. */
double rps_particle_template_draw(const rps_particle_template *particle_template, uint64_t seed, uint64_t key,
                                  rps_body_def *def);
void rps_particle_template_of_size(const rps_particle_template *particle_template, double size, rps_body_def *def);
/* m, bounding radius of the largest particle. */
static inline double rps_particle_template_bound(const rps_particle_template *particle_template) {
    return particle_template->sizes.high * particle_template->bound;
}

/* particle_file.c: adds the bodies of a set given as a file. */
rps_status rps_build_particle_file(rps_scene *scene, rps_world *world, const rps_node *set,
                                   const rps_particle_template *particle_template, uint32_t number, uint64_t *count,
                                   rps_error *err);

/* insertion.c */
rps_status rps_build_insertion(rps_scene *scene, const rps_world *world, const rps_node *set,
                               const rps_particle_template *particle_template, uint32_t number, rps_error *err);

/* supply.c: does a set come at equal intervals, as many as `count` says? Read it so, or by the amount due. */
bool rps_supply_is_counted(const rps_node *set);
rps_status rps_supply_read_count(const rps_scene *scene, const rps_world *world, const rps_node *set,
                                 rps_insertion *insertion, rps_error *err);
rps_status rps_supply_read(rps_scene *scene, const rps_world *world, const rps_node *set, rps_insertion *insertion,
                           rps_error *err);
double rps_supply_due(const rps_supply *supply, double time);
/* Is the particle due that comes `ahead` places after the next one, once `given` is given? */
bool rps_insertion_due(const rps_insertion *insertion, uint64_t ahead, double given, double time, uint64_t seed);
/* s, when the next one was due; kg, mass of particle k; how many, of which mass, are due and not inserted. */
double rps_insertion_time(const rps_insertion *insertion, uint64_t seed);
double rps_insertion_mass(const rps_insertion *insertion, uint64_t k, uint64_t seed);
void rps_insertion_behind(const rps_insertion *insertion, double time, uint64_t seed, uint64_t *number, double *mass);
/* Counts the next one as done; sets the state after a restart. */
void rps_insertion_advance(rps_insertion *insertion, uint64_t seed);
rps_status rps_insertion_resume(rps_insertion *insertion, uint64_t done, uint64_t seed, rps_error *err);
/* The particles that a source gives in the end, as far as that is known before: none of one that recycles. */
static inline uint64_t rps_insertion_planned(const rps_insertion *insertion) {
    return insertion->supply.recycles ? 0 : insertion->count;
}
/* Of a source that recycles: finds the sizes of all that are due. Call once sinks have taken bodies. */
rps_status rps_supply_prepare(const rps_insertion *insertion, rps_error *err);

/* The shape of grains: a disk in a planar scene, else a sphere. */
static inline const char *rps_scene_grain(const rps_scene *scene) {
    return scene->planar ? "disk" : "sphere";
}

/* build_drives.c */
rps_status rps_read_motion(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err);
/* The key `surface_velocity`, if it is there. */
rps_status rps_read_surface(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err);
/* A key that makes a drive a servo or a mirror image; NULL if there is none. */
const rps_node *rps_drive_servo_node(const rps_node *drive);
/* Reads any drive; all bodies must exist. */
rps_status rps_read_drive(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err);
/* Pairs of planes, at most `most`. */
rps_status rps_read_planes(const rps_scene *scene, const rps_node *over, uint64_t span[][2], int most, int *spans,
                           rps_error *err);
/* Sets the drives that refer to other bodies or to a load. */
rps_status rps_build_drives(rps_scene *scene, rps_world *world, rps_error *err);

/* build_joints.c: all bodies must exist. */
rps_status rps_build_joints(rps_scene *scene, rps_world *world, rps_error *err);
/* Resolves the joint named in a node; fails at the node with near matches. */
rps_status rps_scene_joint(const rps_scene *scene, const rps_world *world, const rps_node *node, size_t *index,
                           rps_error *err);

/* build_bonds.c: all bodies of the start must exist. */
rps_status rps_build_bonds(rps_scene *scene, rps_world *world, rps_error *err);

/* output_keys.c: reads the contents of a frame into scene->run. */
rps_status rps_scene_read_output(rps_scene *scene, rps_error *err);

/* Begins the names of sections of a checkpoint: path and text of each included file. */
#define RPS_SCENE_INCLUDED "scene/included/"

/* stage_set.c: the trees of stages that set something, before the scene is checked, and their check. */
rps_status rps_stage_trees_make(rps_scene *scene, rps_error *err);
rps_status rps_stage_trees_check(rps_scene *scene, rps_error *err);

/* stages.c */
const rps_node *rps_stages_node(const rps_scene *scene);
bool rps_stages_drive(const rps_scene *scene, const char *name); /* does some stage drive the body of that name? */
/* s, the longest duration of all stages together. */
rps_status rps_stages_time(const rps_scene *scene, double *total, rps_error *err);
/* Needs probes and bodies. */
rps_status rps_build_stages(rps_scene *scene, rps_world *world, rps_error *err);
/* build_contacts.c: which bodies can touch. Call once all bodies, insertions and stages are known. */
rps_status rps_build_contacts(rps_scene *scene, rps_world *world, rps_error *err);
/* Applies the changes of the first stage. */
rps_status rps_stages_begin(rps_scene *scene, rps_world *world, rps_error *err);
rps_status rps_stage_find(const rps_scene *scene, const rps_node *node, int *stage, rps_error *err);
bool rps_stages_write(const rps_scene *scene, int writer);   /* does some stage set how often? */
double rps_stage_longest(const rps_scene *scene, int stage); /* s */
/* Does the condition of the stage read this probe at this step number? */
bool rps_stage_asks(const rps_scene *scene, size_t probe, uint64_t step);
bool rps_stage_has_ended(const rps_scene *scene); /* the next one has not begun yet */
extern const char rps_scene_stages_name[], rps_scene_stage_times_name[],
    rps_scene_added_name[]; /* of sections of a checkpoint */
rps_status rps_stages_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err);
rps_status rps_stages_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err);

/* build_step.c: finds the stability limit and sets the time step. */
struct rps_expected; /* step/step_stages.h */
/* expect.c: the loads that contacts are expected to carry. inserted: kg still to be inserted. */
rps_status rps_expect(const rps_scene *scene, const rps_world *world, double inserted, struct rps_expected *out,
                      rps_error *err);
rps_status rps_build_step(rps_scene *scene, rps_world *world, rps_error *err);
/* The step (s) from the key `run` of another tree, for the world as it is now. span: s, which it divides evenly; 0: none. */
rps_status rps_build_step_of_stage(rps_scene *scene, rps_world *world, const rps_node *root, double span, double *step,
                                   rps_error *err);
/* build_pairs.c: sets the pairs of a tree that differ from those of the world (place: where a fault is shown). build.c:
 * changes guards to those of a tree, but for a domain that it does not give. */
rps_status rps_scene_change_pairs(const rps_scene *scene, const rps_node *root, rps_place place, rps_world *world,
                                  bool *changed, rps_error *err);
/* stage_world.c: moduli of materials and pairs; *changed: some differ. */
rps_status rps_scene_change_laws(const rps_scene *scene, const rps_node *root, rps_place place, rps_world *world,
                                 bool *changed, rps_error *err);
rps_status rps_scene_read_guards(const rps_scene *scene, const rps_node *root, rps_guards *guards, rps_error *err);
/* s, of any step number until now. */
double rps_scene_time(const rps_scene *scene, uint64_t step);
/* RPS_STOPPED if the caller cancels. Called in loops that are long or have slow iterations. */
rps_status rps_scene_may_proceed(const rps_scene *scene, rps_error *err);
enum { RPS_SCENE_ASK_EVERY = 4096 }; /* bodies per poll in loops that add them quickly */
/* A world with the same materials and pairs but no bodies or guards, for trial computations; the caller destroys it. */
rps_status rps_scratch_world(const rps_world *world, rps_world **scratch, rps_error *err);

/* Key of the random numbers of item k of set `number`. */
static inline uint64_t rps_set_key(uint32_t number, uint64_t k) {
    return ((uint64_t)number << 40) | k;
}
static inline uint64_t rps_set_item(uint64_t key) {
    return key & ((UINT64_C(1) << 40) - 1);
}

/* probes.c, checks.c */
rps_status rps_scene_find_probe(const rps_scene *scene, const rps_node *node, size_t *probe, rps_error *err);
rps_status rps_build_probes(rps_scene *scene, rps_world *world, rps_error *err);
/* The tally that a probe reads; NULL if it reads none. */
rps_tally *rps_probe_tally(rps_scene *scene, const rps_probe *probe);
/* A window in steps, at least one. */
static inline uint64_t rps_window_steps(double window, double step) {
    const double steps = floor(window / step + 0.5);
    return steps > 1.0 ? (uint64_t)fmin(steps, 0x1p53) : 1;
}
/* Needs the probes; marks those that a check needs at every step. */
rps_status rps_build_checks(rps_scene *scene, rps_error *err);
/* Adds the check behind a measure. `probe`: of the measure; SIZE_MAX for a check of the scene. *verdict: its value is
 * yes or no. Call rps_checks_capacity first, with the number of all checks. */
rps_status rps_checks_capacity(rps_scene *scene, size_t count, rps_error *err);
rps_status rps_build_measure(rps_scene *scene, const rps_node *node, size_t probe, bool *verdict, rps_error *err);
/* The result, or 0 or 1 for a verdict. */
double rps_check_value(rps_scene *scene, size_t index, bool verdict, bool *decided);
/* Why the check lacks a result because its probe had no value; NULL if it has one, or is the time of an event that
 * never happened. */
const char *rps_check_missing(rps_scene *scene, size_t index);
/* The state of a check as plain numbers. */
enum { RPS_CHECK_MEMORY = 11 };
void rps_check_memory_get(const rps_scene *scene, size_t index, double out[RPS_CHECK_MEMORY]);
void rps_check_memory_set(rps_scene *scene, size_t index, const double from[RPS_CHECK_MEMORY]);

/* sweep_keys.c: reads the block `sweep` of a checked tree; selects the measures before the tree is checked. */
rps_status rps_sweep_read(rps_scene *scene, rps_error *err);
rps_status rps_sweep_want(rps_scene *scene, const rps_scene_load_options *options, rps_error *err);
/* settings.c: whether a path names something in a raw tree; load.c: the acceleration of a checked node. */
rps_status rps_scene_check_path(rps_scene *scene, const rps_node *root, const char *path, rps_place place,
                                rps_error *err);
rps_status rps_scene_read_gravity(const rps_scene *scene, const rps_node *gravity, double out[3], rps_error *err);
/* The strength of the bond of two bodies over the scale of a Weibull distribution, whatever their order (build_bonds.c). */
double rps_bond_strength(uint64_t seed, uint64_t a, uint64_t b, double modulus);
/* build_forces.c */
rps_status rps_build_forces(rps_scene *scene, rps_world *world, rps_error *err);
/* build_fluid.c: gives the world the fluid of a checked tree; warns of a step that is long for its drag. */
rps_status rps_scene_set_fluid(const rps_node *root, rps_world *world, rps_error *err);
void rps_scene_tell_drag(const rps_scene *scene, const rps_world *world);
/* build_heat.c: lets the world count heat; after its materials, before its bodies. */
rps_status rps_build_heat(const rps_scene *scene, rps_world *world, rps_error *err);
/* unused.c: warns of parameters that nothing asks for. */
void rps_scene_tell_unused(const rps_scene *scene);
/* settings.c: applies "path=value"; `from` names its origin in messages. */
rps_status rps_scene_set(rps_scene *scene, const char *from, const char *text, rps_error *err);

/* measures.c: replaces rps_build_checks in a sweep. */
rps_status rps_build_measures(rps_scene *scene, const rps_world *world, rps_error *err);
bool rps_measures_need(const rps_scene *scene, size_t probe, uint64_t step);
void rps_measures_watch(rps_scene *scene, double time, const double *value, const bool *read);

/* build_surfaces.c: replaces the triangles of this file by those of their convex hull; errors begin with the path. */
rps_status rps_scene_hull(const rps_allocator *allocator, const char *path, double weld, rps_raw_mesh *raw,
                          rps_hull_sizes *sizes, rps_error *err);
/* Reads the file of `shape: {mesh: ...}`, or finds that it was read, and sets the number of the mesh. */
rps_status rps_build_mesh(rps_scene *scene, rps_world *world, const rps_node *node, const rps_mesh_use *use,
                          double parameter[RPS_SHAPE_PARAMETERS], rps_error *err);
/* The pieces that a mesh stands for in a body of several, one, or with `parts` those of its file: convex, at that scale, while their
 * lengths and places are those at scale 1. at: pose and material of the axes of the file. In blocks of the scene. */
rps_status rps_build_mesh_pieces(rps_scene *scene, rps_world *world, const rps_node *node, double scale,
                                 const rps_piece_def *at, rps_piece_def **out, size_t *count, rps_error *err);
/* Whether the shape, or one of its pieces, is a mesh. */
bool rps_def_has_mesh(const rps_body_def *def);
/* The inside of the closed mesh that a region names; it lives as long as the scene. */
rps_status rps_build_surface(rps_scene *scene, const rps_node *node, const rps_mesh **out, rps_error *err);
rps_status rps_build_interior(rps_scene *scene, const rps_node *node, const rps_mesh **out, rps_error *err);
void rps_interiors_release(rps_scene *scene);
/* The factor from the unit of a file of triangles to m. */
rps_status rps_scene_mesh_unit(const rps_node *node, double *factor, rps_error *err);
/* Reads a file into triangles in m; to be released also after a failure. */
rps_status rps_scene_read_triangles(const rps_allocator *allocator, const char *path, double factor, rps_raw_mesh *raw,
                                    rps_error *err);

/* --- build_fit.c ----------------------------------------------------------------------------------------------------- */

/* Whether `shape` asks for spheres fitted into a mesh. */
bool rps_is_fit(const rps_node *shape);
/* Gives the definition these spheres as its pieces; its pose, given in the axes of the file, becomes that of the pieces. */
rps_status rps_build_fit(rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                         rps_error *err);
void rps_fits_release(rps_scene *scene);

/* memory.c: records that a file was read, with the hash of its content. `path` must live as long as the scene. */
rps_status rps_scene_note_file(rps_scene *scene, const char *path, rps_error *err);

/* True if a check of this variant needs the probe at this step number. */
bool rps_checks_need(const rps_scene *scene, size_t probe, uint64_t step);
/* True if a check of the next stage needs the probe as it is when that stage begins: read at the end of this one. */
bool rps_checks_need_before(const rps_scene *scene, size_t probe);

#endif
