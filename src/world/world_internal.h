/* Declarations shared by the files of this folder only. */
#ifndef RPS_WORLD_WORLD_INTERNAL_H
#define RPS_WORLD_WORLD_INTERNAL_H

#include "base/status.h"
#include "world/world.h"

/* Short lists. Their capacity is the power of two at or above their count, so it need not be stored. So growing has
 * two parts, and the count must go up with the second. rps_list_grown: *grown is a copy of the list with space for
 * one more item, or the list itself if it has space; on failure nothing has changed. rps_list_keep: releases the old
 * list once *grown has replaced it. To drop *grown instead, release it with count + 1 if it differs from the list. */
rps_status rps_list_grown(const rps_allocator *allocator, void *list, size_t count, size_t item_size, void **grown,
                          rps_error *err);
void rps_list_keep(const rps_allocator *allocator, void *list, size_t count, size_t item_size, const void *grown);
void rps_list_release(const rps_allocator *allocator, void *list, size_t count, size_t item_size);

/* A copy of a string, released with rps_string_release. */
rps_status rps_string_copy(const rps_allocator *allocator, const char *string, char **copy, rps_error *err);
void rps_string_release(const rps_allocator *allocator, char *string);

void rps_bodies_release(rps_world *world);
/* Drops removed bodies from world.commons. */
void rps_commons_compact(rps_world *world);
/* Grows a zeroed table by id to the capacity of ids; *count: its items. */
rps_status rps_table_by_id(const rps_world *world, void **table, size_t *count, size_t item, rps_error *err);

/* --- planar.c: what keeps a planar world in its plane; RPS_BAD_INPUT with `who` before the sentence ------------------- */

rps_status rps_planar_check_options(const rps_world_options *options, rps_error *err);
/* A planar world holds disks and planes; other worlds hold anything but disks. */
rps_status rps_planar_check_shape(const rps_world *world, const rps_body_def *def, const char *who, rps_error *err);
/* Positions, velocities and normals have no y component, and rotations are about y; `normal` of a plane, else 0. */
rps_status rps_planar_check_motion(const rps_world *world, const rps_body_def *def, const double normal[3],
                                   const char *who, rps_error *err);

/* --- mesh_table.c ----------------------------------------------------------------------------------------------------- */

/* The piece of a body whose shape is a mesh of the world. RPS_BAD_INPUT, RPS_UNSUPPORTED, with `who` before the sentence. */
rps_status rps_mesh_take(const rps_world *world, const rps_body_def *def, const char *who, rps_piece *piece,
                         rps_error *err);
/* A piece of a body of several, whose pose in the axes of the definition is filled in as that of the axes of the mesh, and becomes
 * that of its principal axes. RPS_BAD_INPUT, RPS_UNSUPPORTED, with `who` before the sentence. */
rps_status rps_mesh_take_piece(const rps_world *world, const rps_body_def *body, const rps_piece_def *def,
                               const char *who, rps_piece *piece, rps_error *err);
void rps_world_meshes_release(rps_world *world);

/* --- drive.c --------------------------------------------------------------------------------------------------------- */

/* Checks a drive and fills in its defaults; `normal` of a plane, else zeros. */
rps_status rps_drive_take(const rps_world *world, rps_drive *drive, const double normal[3], const char *who,
                          rps_error *err);

/* --- bodies of several pieces --------------------------------------------------------------------------------------- */

/* The box about a piece in the axes of its body, and a tree of the boxes of many, which the caller releases.
 * RPS_NO_MEMORY. */
rps_box rps_piece_box(const rps_piece *piece);
rps_status rps_pieces_tree(const rps_allocator *allocator, const rps_piece *piece, size_t count, rps_box_tree *out,
                           rps_error *err);

/* Mass properties of the union of pieces, in the axes of their definition. */
typedef struct rps_union_mass {
    double volume, mass; /* m^3, kg */
    rps_vec3 centre;     /* m, of mass */
    rps_mat3 inertia;    /* kg m^2, about the centre */
    bool exact;          /* no two pieces overlap, or one lies in the other: to round-off */
    double
        error; /* else: error of volume, mass; of the centre by the radius of gyration; of the inertia by its trace */
    uint64_t work; /* chords computed */
} rps_union_mass;

#define RPS_UNION_GOAL 1e-6 /* for `error` */
/* RPS_UNION_WORK: chords for a body, about a second; RPS_UNION_LITTLE_WORK: for a body that no force moves, or with
 * given mass and inertia. */
enum { RPS_UNION_WORK = 1 << 25, RPS_UNION_LITTLE_WORK = 1 << 22 };

/* A point in several pieces counts once, with the density (kg/m^3) of the first of them. Reads all of a piece but
 * equal_radius. Ends at the goal, or after about `most_work` chords; pairs of overlapping pieces may each cost a few
 * hundred more. out->error is the accuracy reached. meshes: the table of the world; NULL if no piece is one. RPS_NO_MEMORY. */
rps_status rps_union_mass_of(const rps_allocator *allocator, const struct rps_world_mesh *meshes,
                             const rps_piece *piece, size_t count, const double *density, uint64_t most_work,
                             rps_union_mass *out, rps_error *err);

/* Fraction of the union of pieces, 0 to 1, in an axis-aligned box (part_inside.c), with an error below 1e-3. low,
 * high: its corners relative to the body's centre, finite; axes: from the body's axes to the world's. Reads all of a
 * piece but equal_radius. */
double rps_union_part_inside(const struct rps_world_mesh *meshes, const rps_piece *piece, size_t count,
                             const rps_mat3 *axes, const double low[3], const double high[3]);

/* The last body of several pieces, ready to be added. */
typedef struct rps_clump {
    size_t count;
    rps_piece *given, *made;     /* in the axes of the definition; in the body's */
    double *density;             /* kg/m^3, of each piece */
    bool density_known;          /* false: some material has none, and all count as 1 */
    bool given_axes;             /* inertia is given, so the axes of the definition are the body's */
    double error;                /* relative error of volume and mass properties; 0: round-off */
    uint64_t most_work;          /* that the union was allowed */
    double given_volume;         /* m^3; NAN: of the union */
    double volume, mass, radius; /* m^3; kg; m, radius of a sphere about the centre that contains it */
    double inertia_per_mass[3];  /* m^2, about its axes; 0 with given_axes */
    rps_vec3 centre;             /* m, of mass, in the axes of the definition */
    rps_quat axes;               /* rotation from the body's axes to those of the definition */
} rps_clump;

/* Checks the pieces of a definition and leaves the body in world.clump; `body` names it in sentences. */
rps_status rps_clump_take(rps_world *world, const rps_body_def *def, const char *body, rps_error *err);
void rps_clump_release(rps_world *world);

/* x - x is 0 for finite numbers only. */
static inline bool rps_finite(double x) {
    return x - x == 0.0;
}

static inline bool rps_finite3(const double x[3]) {
    return rps_finite(x[0]) && rps_finite(x[1]) && rps_finite(x[2]);
}

#endif
