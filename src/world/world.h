/*
 * The world inside the engine. Higher floors read and write it directly; users see <repose/world.h>.
 */
#ifndef RPS_WORLD_WORLD_H
#define RPS_WORLD_WORLD_H

#include <repose/fluid.h>
#include <repose/step.h>
#include <repose/world.h>

#include "base/array.h"
#include "base/box_tree.h"
#include "base/cell.h"
#include "base/cpu.h"
#include "base/exact_sum.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "world/bodies.h"
#include "world/bond.h"
#include "world/contact_store.h"
#include "world/force.h"
#include "world/heat.h"
#include "world/joint.h"
#include "world/liquid.h"
#include "world/mesh_table.h"
#include "world/motion_table.h"
#include "world/pair_setup.h"
#include "world/surface_loads.h"

/* --- pieces ------------------------------------------------------------------------------------------------------- */

/* Position of the body in a slot, including the periods crossed on periodic axes (m). */
void rps_world_unwrapped(const rps_world *world, size_t slot, double position[3]);
/* Volume of a bounded body inside an axis-aligned box (m^3; in a planar world m^2 in x-z). The corners are relative
 * to the body's centre (m; they may be infinite). Exact to round-off for spheres and disks, to 1e-3 of the volume for
 * other bodies, with overlaps of pieces counted once. Exactly all or nothing if the box does not cut the bounding
 * sphere. */
double rps_body_inside(const rps_world *world, size_t slot, const double low[3], const double high[3]);
/* The same for a sphere and for a disk, which does not read the y of the corners. */
double rps_sphere_inside(double radius, const double low[3], const double high[3]);
double rps_disk_inside(double radius, const double low[3], const double high[3]);
/* Lower bound of the curvature of a contact of two bodies (1/m): RPS_CURVATURE_FLOOR (segment.h). */
double rps_pair_curvature_floor(const rps_world *world, size_t slot_a, size_t slot_b);
/* Adds pieces to the world's table unless the last ones are equal; *first: number of the first. */
rps_status rps_world_add_pieces(rps_world *world, const rps_piece *piece, size_t count, size_t *first, rps_error *err);

/* Bodies of at least this many pieces have a collider: a tree then finds near pieces faster than a loop over all of
 * them (bench/collider.c). */
enum { RPS_COLLIDER_FROM = 4 };

typedef struct rps_collider {
    size_t first, count; /* pieces of world.piece */
    double half_width;   /* m, half the smallest width of any piece */
    rps_box_tree tree;   /* tree of the boxes around the pieces, in the axes of the body */
} rps_collider;

/* Builds the collider of pieces first..first+count-1, unless they are few or have one. */
rps_status rps_world_add_collider(rps_world *world, size_t first, size_t count, rps_error *err);
/* Before the table of pieces is rebuilt. */
void rps_colliders_release(rps_world *world);
/* Drops the colliders of pieces from this number on. */
void rps_colliders_truncate(rps_world *world, size_t pieces);

/* --- drives ---------------------------------------------------------------------------------------------------------- */

/* A driven body. Its definition belongs to the set-up of a world; all else is state. */
typedef struct rps_drive_state {
    rps_drive initial, now;        /* with unit vectors as directions and defaults filled in */
    rps_vec3 made_start, start;    /* m, position of the body at the start of the drive, not wrapped */
    rps_vec3 origin;               /* m, mirror images: position of the original when this body was at `start` */
    uint64_t body;                 /* id */
    const rps_motion_table *table; /* of `now`; NULL: none */
    const rps_motion_table *surface_table; /* of the surface, likewise */
    bool is_servo;                         /* it seeks a load now, did so before, or will in a later stage */
    bool runs;                             /* its surface runs (surface_velocity.h), now, before or in a later stage */
    double surface_power;                  /* W, of the loads against the material at the last evaluation */
    double shift;                          /* m, displacement by a servo along its direction */
    double speed;                          /* m/s, of the servo in the last step */
    int64_t partner; /* index of the driven body that is the mirror image of this one, or the other way; -1: none */
} rps_drive_state;

/* Converts the state of a driven body to numbers, for hash and checkpoint; and back, with RPS_BAD_INPUT for invalid
 * ones. */
enum { RPS_DRIVEN_NUMBERS = 49 };
void rps_drive_state_pack(const rps_drive_state *driven, double out[RPS_DRIVEN_NUMBERS]);
bool rps_drive_state_unpack(rps_drive_state *driven, const double from[RPS_DRIVEN_NUMBERS]);
/* Its definition, as such numbers. */
void rps_drive_state_pack_definition(const rps_drive_state *driven, double out[RPS_DRIVEN_NUMBERS]);
/* Starts the drive of a body that was just added. */
void rps_drive_state_begin(rps_world *world, size_t index);
/* Checks that the body can have this drive; fills in defaults. */
rps_status rps_drive_state_check(const rps_world *world, uint64_t id, rps_drive *drive, rps_error *err);
/* Records that a driven body will seek a load, or that its surface will run, in a later stage. */
void rps_drive_state_will_servo(rps_world *world, uint64_t id);
void rps_drive_state_will_run(rps_world *world, uint64_t id);
/* Finds partners after drives have changed; false if two bodies mirror one, or a body mirrors one that is not driven. */
bool rps_drives_join(rps_world *world);
/* m, from one plane to the other along the normal of the first; positions must not be on periodic axes. */
double rps_plane_distance(const rps_world *world, uint64_t a, uint64_t b);

/* --- the world ------------------------------------------------------------------------------------------------------ */

typedef struct rps_lists rps_lists; /* candidate lists (floor detect) */

typedef struct rps_material_slot {
    char *name;
    rps_material value;
    double conductivity, heat_capacity; /* W/(m K), J/(kg K); 0: not given */
} rps_material_slot;

/* The guard that stopped a world: an rps_guard_kind, or one of these. */
enum { RPS_GUARD_NUMBER = RPS_GUARD_COUNT, RPS_GUARD_NONE };

/* Memory of the guards; none of it is state. */
typedef struct rps_guard_state {
    double last_warned[RPS_GUARD_COUNT]; /* value that was last warned of */
    double overlap;                      /* relative overlap from which the contact loop raises `deep` */
    double motion;                       /* fraction of the allowed motion at which the guard trips */
    bool beyond_guard;                   /* the last evaluation met such an overlap */
    rps_step_limit later;                /* limit of bodies that a scene will add; step 0: none */
    int stopped;                         /* by which guard */
    uint64_t offending_body[2];          /* ids of the bodies at fault; UINT64_MAX: none */
} rps_guard_state;

/* The largest motions of bodies in the last step, measured by the motion stage. */
typedef struct rps_motion_maxima {
    double speed;     /* m/s, of the bodies that move, of those with pieces of their fastest points */
    double deviation; /* m/s, relative to the predicted velocity, scaled by its weight; INFINITY: not measured since the
                             * lists were updated */
    double rotation;  /* rad */
    double smallest_radius; /* m, radius of free spheres; for others half the smallest width */
} rps_motion_maxima;

/* Sheared worlds: the data that determine the displacement of images, and the work of the images. */
typedef struct rps_shear_memory {
    double rate;         /* 1/s */
    double since;        /* the step at which it was set */
    double travel_since; /* m, the travel then */
    double image_force;  /* N, at the last evaluation: sum over all contacts between a body and an image up the gradient
                          * axis of the force along the flow axis on the former */
    double work;         /* J */
} rps_shear_memory;
enum { RPS_SHEAR_NUMBERS = sizeof(rps_shear_memory) / sizeof(double) };
/* Energies that a program changed after the start, and those that no body has an account for. */
enum {
    RPS_CHANGE_EXTERNAL, /* J, brought by changes of the program, and by loads on bodies since removed */
    RPS_CHANGE_REMOVED,  /* J, lost with removed bodies and their contacts */
    RPS_CHANGE_DISSIPATED, /* J, dissipated by removed bodies, and where contacts join or part, by account (law/roles.h) */
    RPS_CHANGE_DRIVES =
        RPS_CHANGE_DISSIPATED + RPS_ACCOUNTS, /* J, work of motors: in the penalty stepper, and on removed bodies */
    RPS_CHANGE_HANDOVER, /* J, lost where contacts with a mesh join or part (step/mesh_handover.h) */
    RPS_CHANGE_CHANGED, /* J, brought by other laws, materials and kinds of bodies; from here on not in old checkpoints */
    RPS_CHANGE_DRAG,    /* J, dissipated by the drag of the fluid */
    RPS_CHANGE_FLOW,    /* J, work of the flowing fluid */
    RPS_CHANGES
};

/* Loads that a program applies to free bodies. Forces of one step and the work are fields of the bodies, which a step reads in
 * their order; what is rarer is in columns by id. A step reads those alone that act. */
typedef struct rps_externals {
    double (*torque)[3]; /* N m, in the next step */
    double (*held)[6];   /* N and N m, until they are set again */
    void *block;         /* that holds the columns */
    size_t count, bytes;
} rps_externals;

/* The loads of one body. */
typedef struct rps_external_record {
    double held[6], once[6], work;
} rps_external_record;

/* Bodies that are integrated apart, by rising id, with scratch for their sums: all common bodies of a share (share.h), in
 * a whole world the free ones among them. */
enum {
    RPS_COMMON_SUMS = 6 + RPS_ACCOUNTS
}; /* of a body, at most: force, torque, and dissipated energies of a free one */
typedef struct rps_commons {
    uint64_t *id;
    rps_exact_sum *sum; /* RPS_COMMON_SUMS a body */
    size_t count, id_bytes, sum_bytes;
} rps_commons;

/* The time of step numbers. The length of a step may change between two of them. */
typedef struct rps_step_clock {
    uint64_t number;   /* of a step */
    double time, step; /* s, when it ends; length of the steps from there on */
} rps_step_clock;

/* The number of the step that ends nearest to a time (s); at least the number from which the clock counts, a whole number
 * that may be beyond uint64_t. */
static inline double rps_step_nearest(rps_step_clock clock, double time) {
    const double steps = floor((time - clock.time) / clock.step + 0.5);
    return steps > 0.0 ? (double)clock.number + steps : (double)clock.number;
}

/* s, of a step number. */
static inline double rps_step_time(rps_step_clock clock, uint64_t number) {
    return number >= clock.number ? clock.time + (double)(number - clock.number) * clock.step
                                  : clock.time - (double)(clock.number - number) * clock.step;
}

struct rps_world {
    rps_world_options options;
    const rps_allocator *allocator;
    rps_isa isa;
    int threads;
    uint64_t steps;
    rps_cell cell; /* periods and shear of the options, with the displacement at the last step */
    rps_shear_memory shear;
    double step;        /* s */
    uint64_t step_from; /* number of the step since which it has this length */
    double time_from;   /* s, then */
    bool started;       /* loads were evaluated at the present positions */
    bool lists_stale;   /* bodies were added, or something else changed: lists must be rebuilt */
    bool axes_locked;   /* some body has a lock_axis */
    bool evaluated;     /* contacts were evaluated with the present lists: false after a failed step */
    bool keep_contacts; /* the next evaluation stores the results of contacts */
    bool contacts_kept; /* the last one did */
    bool loads_known;   /* contacts.load holds the loads of the present state */

    rps_material_slot *material;
    size_t materials;
    rps_pair_setup *pair_setup; /* pair_of[a * materials + b] indexes it, -1: not given */
    size_t pairs;
    int *pair_of;
    char **group;
    size_t groups;
    uint8_t *rule; /* rps_contact_rule by groups x groups; NULL: none is set */
    const rps_law **own_law;
    size_t own_laws;
    rps_piece *piece;
    size_t pieces, piece_bytes, last_pieces; /* last_pieces: number of the first piece of the last body added */
    rps_collider *collider;
    uint32_t *collider_of; /* by piece: 1 + number of the collider that starts with it; 0: none */
    size_t colliders, collider_pieces, collider_bytes, collider_of_bytes;
    bool all_pieces; /* for tests: pairs of pieces are tested one by one */
    rps_world_mesh *mesh;
    size_t meshes;
    rps_motion_table *motion_table;
    size_t motions;
    uint32_t mesh_slots;     /* entries listed for a body near a mesh: how many contacts they can have now */
    struct rps_clump *clump; /* the last body of several pieces added, NULL if none */
    rps_drive_state *driven;
    size_t drives;
    bool servos;   /* some drive is a servo or a mirror */
    bool surfaces; /* some surface runs */
    rps_joint *joint;
    size_t joints;
    rps_joined *joined; /* in order */
    size_t joined_pairs;
    rps_bonds bonds;
    rps_surface_loads loads;
    rps_liquid liquid;
    rps_world_heat heat;
    rps_forces forces;
    double gravity_made[3]; /* m/s^2, part of the set-up; that of the options is state */

    rps_bodies bodies;
    const struct rps_share *share; /* NULL: the world is whole */
    rps_commons commons;
    rps_contacts contacts;
    rps_lists *lists;
    void (*lists_release)(rps_world *world); /* set by the floor that made them */

    /* m/s, of moving bodies (with pieces: of their fastest points); set by the motion stage of the last step */
    rps_motion_maxima moved;
    rps_guard_state guard;
    double speed_bound; /* m/s, of the fastest body in the coming step; 0 if lists are built after motion */
    rps_solver_report solver;
    struct rps_nonsmooth *nonsmooth;             /* data of the nonsmooth stepper (floor step) */
    void (*nonsmooth_release)(rps_world *world); /* set by it */
    struct rps_contact_log *contact_log;         /* views and events of contacts (floor step), NULL until needed */
    void (*contact_log_release)(rps_world *world);
    rps_exact_sum energy_brought; /* J, kinetic and potential energy of bodies when they were added */
    /* J, contacts of fixed and driven bodies (`dissipated` holds free ones), by account */
    rps_exact_sum boundary_dissipated[RPS_ACCOUNTS];
    double energy_first; /* J, elastic energy of contacts at the first evaluation */
    rps_exact_sum change[RPS_CHANGES];
    bool changed;           /* some change is not 0 */
    rps_externals external; /* empty until it is needed */
    bool external_acts;     /* some load is not 0 */
    bool external_holds;    /* some load may be held */
    rps_fluid fluid;
    bool in_fluid; /* it is not none */
    void **user;   /* by id, NULL until it is needed */
    size_t users;

    /* scratch of one worker each */
    void *scratch;
    size_t scratch_bytes;
};

static inline rps_step_clock rps_world_clock(const rps_world *world) {
    return (rps_step_clock){world->step_from, world->time_from, world->step};
}

/* The laws of two materials, checked and prepared (RPS_BAD_INPUT, with a sentence); and their place in the world, for a
 * world without contacts of the pair, or by step/change.h. */
rps_status rps_pair_setup_make(const rps_world *world, int material_a, int material_b, const rps_pair *pair,
                               rps_pair_setup *setup, rps_error *err);
rps_status rps_pair_setup_put(rps_world *world, const rps_pair_setup *setup, rps_error *err);
/* RPS_BAD_INPUT if some number of a material makes no sense; its name is not looked at. */
rps_status rps_material_check(const rps_material *material, rps_error *err);
/* The same for guards. */
rps_status rps_guards_check(const rps_guards *guards, rps_error *err);

/* Slot of a body by id; RPS_BAD_INPUT with a sentence if the id was never assigned or its body was removed. */
rps_status rps_world_find_body(const rps_world *world, uint64_t id, size_t *slot, rps_error *err);
/* The same, and it must be free; what: names the thing that only free bodies have. */
rps_status rps_world_find_free(const rps_world *world, uint64_t id, const char *what, size_t *slot, rps_error *err);
/* A vector for a body: finite, and in a planar world along y alone (planar_axis 1) or without a part along y (0). */
rps_status rps_check_given(const rps_world *world, size_t slot, const char *what, const double v[3], int planar_axis,
                           rps_error *err);
/* Adds to world.change, or to the start if the world has not started. */
void rps_change_add(rps_world *world, int which, double energy);
/* The same for a sum, after the start. */
void rps_change_merge(rps_world *world, int which, const rps_exact_sum *energy);
/* Applied loads of a body: whether they are part of the state, which they are, and others in their place. Those of removed
 * bodies have ended; with a torque or held loads the body has columns. */
bool rps_external_used(const rps_world *world, uint64_t id);
rps_external_record rps_external_get(const rps_world *world, uint64_t id);
void rps_external_put(rps_world *world, uint64_t id, const rps_external_record *record);
/* Columns for so many ids, at least; and none. RPS_NO_MEMORY. */
rps_status rps_external_reserve(rps_world *world, size_t ids, rps_error *err);
void rps_external_release(rps_world *world);
/* Ends the loads of a body that is removed or held; its work stays in the ledger. */
void rps_external_end(rps_world *world, uint64_t id);
/* Sets world.external_acts and external_holds. */
void rps_external_find_active(rps_world *world);
/* Brings a position into the periodic cell, and the velocity into its image; RPS_BAD_INPUT, with `who` before the
 * sentence, at 1e9 periods away or more. */
rps_status rps_world_wrap(const rps_world *world, const char *who, const double unwrapped[3], double position[3],
                          double velocity[3], int32_t image[3], rps_error *err);
/* Moves a fixed or driven body; a drive continues from there. RPS_BAD_INPUT along a periodic axis. */
rps_status rps_world_move_held(rps_world *world, size_t slot, const double position[3], rps_error *err);
/* RPS_BAD_INPUT if a joint holds the body; verb: "cannot be moved". */
rps_status rps_world_check_unjoined(const rps_world *world, size_t slot, const char *verb, rps_error *err);
/* True if forces or a drive can move or turn the body. */
bool rps_body_can_move(const rps_world *world, size_t slot);
/* True if forces move the body at any time of the run: it is free, or driven and `seeks` a load. */
bool rps_body_feels_forces(const rps_world *world, size_t slot);
/* "body 3 `ball`", "plane 0 `ground`", "body 7": name of a body in messages. Returns `out`, which should hold
 * RPS_BODY_NAME bytes. */
enum { RPS_BODY_NAME = 96 };
const char *rps_body_name(const rps_world *world, size_t slot, char *out, size_t bytes);
/* Reserves and clears memory for `count` bodies, with new ids for the bodies to come; on failure nothing has changed. */
rps_status rps_bodies_reserve(rps_world *world, size_t count, rps_error *err);
/* Reserves ids below `ids`; new ones have no body. */
rps_status rps_bodies_reserve_ids(rps_world *world, uint64_t ids, rps_error *err);
/* Drops the bodies with a set mark (by slot) from the arrays. The others keep their order; dropped ids have no slot.
 * The contacts are unchanged (rps_detect_remove). */
void rps_bodies_compact(rps_world *world, const uint8_t *mark);
/* Computes the fields that are not saved from those that are, with slot_of and axes_locked. */
void rps_bodies_derive(rps_world *world);
/* Lists world.commons from the bodies; RPS_NO_MEMORY. */
rps_status rps_commons_list(rps_world *world, rps_error *err);
/* Permutes the bodies: new slot s holds the body of slot from[s], with all fields and slot_of. Entries and references
 * of contacts are updated and histories stay, so the references, if any, must cover all bodies. Lines of loads are
 * not updated: the lists must be rebuilt. */
rps_status rps_bodies_permute(const rps_world *world, rps_bodies *bodies, rps_contacts *contacts, const uint32_t *from,
                              rps_error *err);
/* The pair of two materials, NULL if not given. */
const rps_pair_setup *rps_world_pair_of(const rps_world *world, int material_a, int material_b);
/* Sets `cutoff` of pairs with a range, from the present bodies; pair_setup: the pairs of the world. */
void rps_pairs_bound_ranges(const rps_world *world, rps_pair_setup *pair_setup);
/* Checks that the descriptor of a law is complete; RPS_BAD_INPUT names the missing part. */
rps_status rps_law_check(const rps_law *law, rps_error *err);
/* A rule of rps_world_exclude or rps_world_include for two groups. */
typedef enum rps_contact_rule { RPS_RULE_NONE, RPS_RULE_EXCLUDED, RPS_RULE_INCLUDED } rps_contact_rule;
rps_contact_rule rps_world_rule(const rps_world *world, int group_a, int group_b);
/* By groups, by a joint or by a bond. */
bool rps_world_is_excluded(const rps_world *world, size_t slot_a, size_t slot_b);
/* True if the two bodies are a contact when they meet: neither groups nor a joint exclude it, and forces move one of
 * them or their groups are included. It does not change while a drive changes. */
bool rps_world_may_touch(const rps_world *world, size_t slot_a, size_t slot_b);
/* True if a joint connects them and keeps them from touching each other. */
bool rps_world_is_joined(const rps_world *world, size_t slot_a, size_t slot_b);

/* Shear (shear.c): checks of the options, of gravity, and of a body; the travel at the present step, RPS_GUARD if it
 * is too large to count. Does nothing in worlds without shear. */
rps_status rps_shear_check_options(const rps_world_options *options, rps_error *err);
rps_status rps_shear_check_gravity(const rps_shear *shear, const double gravity[3], rps_error *err);
rps_status rps_shear_check_body(const rps_world *world, const rps_body_def *def, const char *name, rps_error *err);
rps_status rps_shear_set_travel(rps_world *world, rps_error *err);

/* Whether a plane rotates, or its material does, so that its contacts need frames. */
bool rps_world_plane_turns(const rps_world *world, size_t slot);
/* The record class in which a contact between two bodies is kept. Of bodies with pieces: RPS_RECORD_FRAME, but see
 * record_of_pieces in detect/candidate_pairs.c. */
rps_record rps_world_record_of(const rps_world *world, size_t slot_i, size_t slot_j);

/* Another order of the lanes of a kind of contact (pair of materials and class of record), as a checkpoint may have. */
typedef struct rps_lane_map {
    int lanes;
    int *lane; /* by lane of the other order: that of this world, -1: 0.0; NULL: the same order */
} rps_lane_map;

/* The state hash by blocks of RPS_HASH_BLOCK ids (state_hash.c). `block` holds rps_world_hash_blocks hashes; the
 * last function combines them into the hash of the whole state. map: by kind, whose lanes to hash; NULL: those of the
 * world. A share (share.h) has only the last function: it takes the blocks of the whole world, and all processes call
 * it. */
enum { RPS_HASH_BLOCK = 4096 };
size_t rps_world_hash_blocks(const rps_world *world);
rps_status rps_world_block_hashes(const rps_world *world, const rps_lane_map *map, uint64_t (*block)[2],
                                  rps_error *err);
void rps_world_hash_of_blocks(const rps_world *world, const uint64_t (*block)[2], uint64_t hash[2]);

/* All workers of the world. */
static inline rps_workers rps_world_workers(const rps_world *world) {
    return (rps_workers){world->threads, world->options.scheduler};
}

/* The constants of a contact of two bodies whose contacting surfaces have these radii (m; 0: a plane). */
void rps_contact_constants(const rps_world *world, const rps_pair_setup *pair, const size_t slot[2],
                           const double radius[2], double constant[RPS_CONSTANT_LANES]);
/* The constants of an entry, used when the pair is listed: those of its spheres; other shapes count as the spheres
 * around the bodies. */
void rps_entry_constants(const rps_world *world, const rps_segment *segment, size_t place,
                         double constant[RPS_CONSTANT_LANES]);

#endif
