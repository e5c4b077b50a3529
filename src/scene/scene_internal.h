/*
 * A scene as this floor sees it: the checked tree, and what building, pouring, probes and checks remember.
 */
#ifndef RPS_SCENE_SCENE_INTERNAL_H
#define RPS_SCENE_SCENE_INTERNAL_H

#include <stdatomic.h>

#include "io/state.h"
#include "scene/scene.h"
#include "scene/schema.h"
#include "world/world.h"

/* A named thing that contacts can be asked of: a body (one id) or a set (a group). */
typedef struct rps_named {
    const char *name;
    const rps_node *node;
    bool is_set;
    uint64_t id; /* of a body */
    int group;
    double radius;    /* m, of a sphere; 0 of all else */
    rps_body_def def; /* of a body, where it was placed */
    int material;
    rps_vec3 center; /* where it was placed; of a plane a point of it */
    rps_vec3 normal; /* of a plane */
    double mass;     /* kg; NAN if it has none */
} rps_named;

/* How radii, or factors on the size of a shape, are drawn. */
typedef struct rps_sizes {
    enum { RPS_SIZE_FIXED, RPS_SIZE_UNIFORM, RPS_SIZE_NORMAL, RPS_SIZE_LIST } kind;
    double a, b;           /* fixed: a; uniform: from a to b; normal: mean and deviation */
    double low, high;      /* of every radius */
    size_t count;          /* of the list */
    double *radius, *upto; /* list: radius, and cumulative share up to and with it */
} rps_sizes;

/* The particles of a set (particle_template.c). */
typedef struct rps_particle_template {
    rps_body_def def;      /* of each, at size 1; of spheres radius and position vary, of shapes all lengths */
    rps_piece_def *scaled; /* room for the pieces of one; NULL without pieces */
    rps_sizes sizes;       /* of spheres their radii, m; else a factor on all lengths */
    double bound;          /* m, radius of the sphere that holds one of size 1 */
    bool turned;           /* each by an orientation of its own */
    bool by_file;          /* the radii come from a file */
} rps_particle_template;

/* One insertion: `done` and `late` are state. */
typedef struct rps_insertion {
    const rps_node *node; /* the set */
    rps_particle_template particle_template;
    double low[3], high[3];
    double first, interval; /* s */
    uint64_t count, done;
    double late;     /* s, the most that one came after its time */
    uint32_t number; /* of the set, keys its random numbers */
    int tries;
} rps_insertion;

typedef struct rps_probe {
    rps_probe_info info;
    const rps_quantity_info *quantity;
    int index; /* of the quantity */
    const rps_node *node;
    uint64_t id[2]; /* bodies */
    size_t joint;
    int absence; /* state: why the last value was none, as in rps_absence */
    int group;   /* of a set; -1: all bodies */
    bool has_box;
    uint64_t span[3][2]; /* planes of `over` */
    int spans;
    double low[3], high[3];
    bool watched; /* some check looks at all steps */
} rps_probe;

typedef struct rps_check rps_check;     /* checks.c */
typedef struct rps_measure rps_measure; /* measures.c */

/* A file of particles that was read, and the hash of its bytes. */
typedef struct rps_scene_file {
    struct rps_scene_file *next;
    const char *path;
    uint64_t hash[2];
} rps_scene_file;

/* The text of a scene, read and checked. Nothing changes it afterwards, so that scenes built from it share it, also in
 * several threads. */
typedef struct rps_scene_text {
    atomic_size_t users; /* scenes; the last one releases it */
    const rps_allocator *allocator;
    rps_pool pool;
    rps_source source;
    char *folder; /* of the scene file, with a slash; "" if it has none */
    rps_node *root;
    rps_law_list own;    /* laws */
    const char *variant; /* "" if none */
    const char **variant_name;
    size_t variants;
    /* the settings after the variant, of which `until` is the last; for checkpoints */
    const char **set;
    size_t sets;
    const char *until; /* NULL: as the scene and the settings say */
    /* at which worlds begin, and whether to a new end; owned */
    rps_checkpoint *from;
    bool extended;
} rps_scene_text;

/* Named bodies and sets. */
typedef struct rps_names {
    rps_named *item;
    size_t count, capacity;
} rps_names;

typedef struct rps_insertions {
    rps_insertion *item; /* one for each set that is inserted */
    size_t count;
} rps_insertions;

typedef struct rps_stages {
    struct rps_stage *item;
    size_t count, now; /* now: state */
    uint64_t from;     /* state: step at which the present one began */
} rps_stages;

/* Reads the world and changes nothing in it: probes, and checks or the measures of a sweep. */
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
    /* one reading of the ledger serves all probes of a step */
    bool ledger_read;
    uint64_t ledger_step, ledger_bodies;
    rps_ledger ledger;
    /* what stopped the run, for checks that expect it */
    struct {
        int guard;    /* as in rps_guard_state; RPS_GUARD_NONE */
        int group[2]; /* of the bodies at fault */
        uint64_t id[2];
        double time; /* s */
        const char *text;
    } stop;
    const char *cut; /* why checks that are still open are not judged; NULL: the run reached its end */
    char cut_text[96];
    rps_pool notes; /* of verdicts */
} rps_observer;

struct rps_scene {
    const rps_allocator *allocator;
    rps_scene_text *text;
    rps_pool pool; /* of what building makes */
    int threads, isa;
    rps_log_fn log;
    void *log_context;
    bool (*proceed)(void *context);
    void *proceed_context;
    rps_scene_run run;
    double kept_step; /* s; 0: none */
    bool built;
    rps_scene_file *files; /* the last first */
    double gravity[3], period[3];
    bool planar;
    double depth; /* m, of a planar scene */
    uint64_t seed;

    rps_names names;
    rps_insertions insertions;
    rps_stages stages;
    rps_observer observer;
    uint64_t bodies_total, bodies_built; /* in the end; by building */
};

/* build_bodies.c */
rps_status rps_build_bodies(rps_scene *scene, rps_world *world, rps_error *err);
const rps_named *rps_scene_named(const rps_scene *scene, const char *name);
rps_status rps_scene_name(rps_scene *scene, const rps_named *named, rps_error *err);
/* The named thing that a node names; fails at the node with near matches. kind: 0 any, 1 body, 2 set. */
rps_status rps_scene_reference(const rps_scene *scene, const rps_node *node, int kind, const rps_named **named,
                               rps_error *err);
/* The keys that `bodies` and `particles` share: material, fixed, drive, locks, velocities. */
rps_status rps_build_motion(const rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                            rps_error *err);
/* The `shape` or `pieces` of a body or a set: its shape and numbers, or its pieces. `pieces` live as long as the
 * scene. */
rps_status rps_build_shape(rps_scene *scene, const rps_world *world, const rps_node *node, rps_body_def *def,
                           rps_error *err);
/* A quaternion from any way to say an orientation; `node` may be NULL: nothing changes. */
rps_status rps_build_orientation(const rps_node *node, double out[4], rps_error *err);
rps_status rps_build_material(const rps_world *world, const rps_node *node, int *index, rps_error *err);

/* place.c: finds def->position from the key `place`. */
rps_status rps_build_place(const rps_scene *scene, const rps_world *world, const rps_node *body, rps_body_def *def,
                           double mass, rps_error *err);

/* generate.c */
rps_status rps_build_particles(rps_scene *scene, rps_world *world, rps_error *err);
rps_status rps_sizes_read(rps_scene *scene, const rps_node *node, const char *unit, rps_sizes *sizes, rps_error *err);
double rps_sizes_draw(const rps_sizes *sizes, uint64_t seed, uint64_t key);

/* particle_template.c: `def` has what a set says of motion and material. */
rps_status rps_particle_template_read(rps_scene *scene, const rps_world *world, const rps_node *set,
                                      const rps_body_def *def, rps_particle_template *particle_template,
                                      rps_error *err);
/* The particle with that key, its position left open; returns the radius of the sphere about its position that holds it,
 * m. Its pieces live until the next call. */
double rps_particle_template_draw(const rps_particle_template *particle_template, uint64_t seed, uint64_t key,
                                  rps_body_def *def);
void rps_particle_template_of_size(const rps_particle_template *particle_template, double size, rps_body_def *def);
/* m, of the largest that is drawn. */
static inline double rps_particle_template_bound(const rps_particle_template *particle_template) {
    return particle_template->sizes.high * particle_template->bound;
}

/* particle_file.c: adds the bodies of a set that comes from a file. */
rps_status rps_build_particle_file(rps_scene *scene, rps_world *world, const rps_node *set,
                                   const rps_particle_template *particle_template, uint32_t number, uint64_t *count,
                                   rps_error *err);

/* insertion.c */
rps_status rps_build_insertion(rps_scene *scene, const rps_node *set, const rps_particle_template *particle_template,
                               uint32_t number, rps_error *err);

/* The shape of grains: a disk in a planar scene, else a sphere. */
static inline const char *rps_scene_grain(const rps_scene *scene) {
    return scene->planar ? "disk" : "sphere";
}

/* build_drives.c */
void rps_read_motion(const rps_node *node, rps_drive *drive);
/* A key of a drive that seeks a load or mirrors, NULL if it has none. */
const rps_node *rps_drive_servo_node(const rps_node *drive);
/* Any drive; all bodies must be there. */
rps_status rps_read_drive(const rps_scene *scene, const rps_node *node, rps_drive *drive, rps_error *err);
/* Pairs of planes, at most `most`. */
rps_status rps_read_planes(const rps_scene *scene, const rps_node *over, uint64_t span[][2], int most, int *spans,
                           rps_error *err);
/* Gives the bodies the drives that need others. */
rps_status rps_build_drives(rps_scene *scene, rps_world *world, rps_error *err);

/* build_joints.c: all bodies must be there. */
rps_status rps_build_joints(rps_scene *scene, rps_world *world, rps_error *err);
/* The joint that a node names; fails at the node with near matches. */
rps_status rps_scene_joint(const rps_scene *scene, const rps_world *world, const rps_node *node, size_t *index,
                           rps_error *err);

/* output.c: what a frame holds, into scene->run. */
rps_status rps_scene_read_output(rps_scene *scene, rps_error *err);

/* stages.c */
const rps_node *rps_stages_node(const rps_scene *scene);
bool rps_stages_drive(const rps_scene *scene, const char *name); /* does some stage drive the body of that name? */
/* s, the longest that all stages may last. */
rps_status rps_stages_time(const rps_scene *scene, double *total, rps_error *err);
/* Needs probes and bodies. */
rps_status rps_build_stages(rps_scene *scene, rps_world *world, rps_error *err);
/* build_contacts.c: which bodies may touch. Called once all bodies, insertions and stages are known. */
rps_status rps_build_contacts(rps_scene *scene, rps_world *world, rps_error *err);
/* Makes the changes of the first one. */
rps_status rps_stages_begin(rps_scene *scene, rps_world *world, rps_error *err);
rps_status rps_stage_find(const rps_scene *scene, const rps_node *node, int *stage, rps_error *err);
double rps_stage_longest(const rps_scene *scene, int stage); /* s */
/* At the step with this number: may the stage end by its time or limit, is a probe asked? */
bool rps_stage_ends_by_time(const rps_scene *scene, uint64_t step);
bool rps_stage_asks(const rps_scene *scene, size_t probe, uint64_t step);
rps_status rps_stages_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err);
rps_status rps_stages_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err);

/* build_step.c: finds the stability limit and sets the time step. */
struct rps_expected; /* step/step_stages.h */
/* The loads that contacts of the scene are expected to carry (expect.c); inserted: kg still to come. */
rps_status rps_expect(const rps_scene *scene, const rps_world *world, double inserted, struct rps_expected *out,
                      rps_error *err);
rps_status rps_build_step(rps_scene *scene, rps_world *world, rps_error *err);
/* RPS_STOPPED if the caller wants no more; for loops whose turns may take long, or that have many. */
rps_status rps_scene_may_proceed(const rps_scene *scene, rps_error *err);
enum { RPS_SCENE_ASK_EVERY = 4096 }; /* bodies, of loops that add one quickly */
/* A world without bodies and guards with the same materials and pairs, to ask what would be; the caller destroys it. */
rps_status rps_scratch_world(const rps_world *world, rps_world **scratch, rps_error *err);

/* Key of the random numbers of item k of set `number`. */
static inline uint64_t rps_set_key(uint32_t number, uint64_t k) {
    return ((uint64_t)number << 40) | k;
}

/* probes.c, checks.c */
rps_status rps_scene_find_probe(const rps_scene *scene, const rps_node *node, size_t *probe, rps_error *err);
rps_status rps_build_probes(rps_scene *scene, const rps_world *world, rps_error *err);
/* Needs the probes; marks those that some check watches at every step. */
rps_status rps_build_checks(rps_scene *scene, rps_error *err);
/* Adds the check of a measure: `probe` of a measure, SIZE_MAX for a check of the scene. *verdict: it says yes or no. Room
 * for all is made by rps_checks_capacity first. */
rps_status rps_checks_capacity(rps_scene *scene, size_t count, rps_error *err);
rps_status rps_build_measure(rps_scene *scene, const rps_node *node, size_t probe, bool *verdict, rps_error *err);
/* The number, or 0 and 1 of a verdict. */
double rps_check_value(const rps_scene *scene, size_t index, bool verdict, bool *decided);
/* Why it has no result for want of a value of its probe; NULL if it has one, or is the time of something that never
 * happened. */
const char *rps_check_missing(rps_scene *scene, size_t index);
/* The state of a check, as numbers. */
enum { RPS_CHECK_MEMORY = 11 };
void rps_check_memory_get(const rps_scene *scene, size_t index, double out[RPS_CHECK_MEMORY]);
void rps_check_memory_set(rps_scene *scene, size_t index, const double from[RPS_CHECK_MEMORY]);

/* sweep.c: reads the block `sweep` of a checked tree; which measures are wanted, before the tree is checked. */
rps_status rps_sweep_read(rps_scene *scene, rps_error *err);
rps_status rps_sweep_want(rps_scene *scene, const rps_scene_load_options *options, rps_error *err);
/* load.c: "path=value"; `from` names it in messages. */
rps_status rps_scene_set(rps_scene *scene, const char *from, const char *text, rps_error *err);

/* measures.c: takes the place of rps_build_checks in a sweep. */
rps_status rps_build_measures(rps_scene *scene, const rps_world *world, rps_error *err);
bool rps_measures_need(const rps_scene *scene, size_t probe, uint64_t step);
void rps_measures_watch(rps_scene *scene, double time, const double *value, const bool *read);

/* memory.c: remembers that a file was read, and its content. `path` lives as long as the scene. */
rps_status rps_scene_note_file(rps_scene *scene, const char *path, rps_error *err);

/* Does some check of this variant need the probe at the step with this number? */
bool rps_checks_need(const rps_scene *scene, size_t probe, uint64_t step);

#endif
