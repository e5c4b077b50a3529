/* Storage of a system of bodies in contact, and its parts: contact.c has the rows of contacts, joint.c those of
 * joints, system.c puts them together and solves. */
#ifndef RPS_CONE_PACKED_H
#define RPS_CONE_PACKED_H

#include <math.h>

#include "base/array.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "cone/iterate.h"
#include "cone/system.h"

enum { RPS_CONE_JOINT_ROWS = 24 }; /* most rows between one pair of nodes */

/* All rows between one pair of nodes, solved together. In the scaled rows, row k times sqrt(eta_k), the matrix A =
 * E^1/2 (J M^-1 J' + C) E^1/2 has a diagonal of ones. */
typedef struct rps_cone_joint {
    size_t first; /* of its rows in `order` */
    int rows, boxes;
    size_t matrix; /* [rows][rows], free rows first: A, then the pseudo-inverse of its free part */
} rps_cone_joint;

/* Chunks of contacts that share no node, so that their order does not matter; or one chunk, swept in its order. */
typedef struct rps_cone_colour {
    size_t chunk, chunk_end;
    bool in_order;
} rps_cone_colour;

enum {
    RPS_CONE_LANES = 8, /* colours are padded to multiples of it with contacts without nodes */
    RPS_CONE_CHUNK = 256,
    RPS_CONE_SMALL = 64,      /* contacts: fewer are swept in their order, without colouring */
    RPS_CONE_PARALLEL = 1000, /* contacts: fewer run on one thread */
    RPS_CONE_MANY = 64, /* contacts of a node: those of a node with more come last, in their order, on one thread */
    RPS_CONE_COLOURS = 2 * RPS_CONE_MANY
};

typedef struct rps_cone_chunk {
    uint32_t first, end;
} rps_cone_chunk;

/* The factorised free rows of joints that share bodies (joint_block.c). */
typedef struct rps_cone_joint_block rps_cone_joint_block;

/* Sums of a sweep over one chunk. */
typedef struct rps_cone_swept {
    rps_cone_squares squares;
    double uphill;
} rps_cone_swept;

/* Velocities of a node and its mobility, one cache line: linear, 1/m, angular, 1/I if it is isotropic. */
typedef double rps_cone_motion[8];
enum { RPS_CONE_ANGULAR = 4 };

struct rps_cone_system {
    const rps_allocator *allocator;
    rps_arena arena;
    rps_workers workers;
    size_t nodes, given, contacts, rows, joints; /* `given` contacts plus padding of colours */
    rps_cone_node *node;
    rps_cone_contact *contact; /* by colour */
    uint32_t *place;           /* [contacts] number among those given, or RPS_CONE_NO_NODE */
    rps_cone_colour *colour;
    rps_cone_chunk *chunk;
    size_t colours, chunks;
    bool packed; /* all contacts are in simple packs */
    bool ready;  /* while solving: `block` to `matrix` and the joint block are made, which only sweeps need */
    double *block, *inverse; /* [contacts][6][6] of W with compliance; of packs that are simple 0. NULL if all are */
    double *c, *eta, *lambda;
    rps_cone_joint_row *row;
    uint32_t *order; /* [rows] rows by joint, free ones first */
    rps_cone_joint *joint;
    size_t matrix_size;
    double *matrix;
    bool redundant;                    /* while solving: some rows follow from others */
    rps_cone_joint_block *joint_block; /* while solving; NULL: pairs of nodes are solved one after the other */
    double *joint_eta, *low, *high;
    /* Contacts and rows of each node, in their order: item / RPS_CONE_SIDES is the contact, or contacts + row; the rest its side. */
    size_t *start;
    uint32_t *item;
    rps_cone_motion *v, *free;  /* [nodes + 1] present and given velocities, while solving */
    rps_cone_motion *last;      /* [nodes + 1] those of the impulses before the last sweep */
    double *q;                  /* [6 contacts + rows] while solving */
    struct rps_cone_pack *pack; /* [contacts / 8], or NULL: without colours */
    rps_isa isa;
    rps_cone_swept *part; /* [chunks] */
    double *row_from;     /* [rows] where a sweep started */
    /* Of Newton's matrix and of the joint block, kept from one system to the next in the same memory; or NULL. */
    struct rps_cone_order *nodes_order, *joint_order;
};

/* Gives each contact its place by colour: contact, place, colours and chunks. s->contacts is set. */
rps_status rps_cone_colour_contacts(rps_cone_system *system, const rps_cone_contact *contact, rps_error *err);
/* Zeroed memory of the system. */
rps_status rps_cone_take(rps_cone_system *system, size_t count, size_t size, void *out, rps_error *err);
/* Makes what sweeps and gradient steps need, once in a solution; Newton's method does without. */
rps_status rps_cone_system_prepare(rps_cone_system *system, rps_error *err);
/* Packs of contacts for the kernel, and the metric of those that are simple; *simple: all are. */
rps_status rps_cone_make_packs(rps_cone_system *system, bool *simple, rps_error *err);
/* Whether contact i is in a simple pack. */
bool rps_cone_is_packed(const rps_cone_system *system, size_t i);
/* Newton's equations in the velocities of the nodes. */
struct rps_cone_form;
rps_status rps_cone_form_of_nodes(rps_cone_system *system, struct rps_cone_form **form, rps_error *err);
rps_cone_view rps_cone_system_view(rps_cone_system *system);
/* s->v = base (NULL: 0) + M^-1 D r, each node in the order of its contacts and rows. */
void rps_cone_gather(rps_cone_system *system, rps_cone_motion *base, const double *r);
/* Takes v* [nodes][6]; q = D' v* + b. */
void rps_cone_set_free(rps_cone_system *system, const double *v);

/* u = the six velocities of the contact's rows for node velocities v, without bias. */
void rps_cone_contact_velocity(const rps_cone_contact *contact, rps_cone_motion *v, double u[6]);
/* Adds the force and torque that impulses r put on side 0 or 1. */
void rps_cone_contact_load(const rps_cone_contact *contact, int side, const double r[6], double load[6]);
/* Row k: the load on side 0 or 1 by a unit impulse of row k of the contact; six numbers and two zeros. */
void rps_cone_contact_rows(const rps_cone_contact *contact, int side, double rows[6][8]);
/* Adds the diagonal of the contact's block of W that is due to one of its nodes. */
void rps_cone_contact_diagonal(const rps_cone_node *node, const rps_cone_contact *contact, int side, double w[6]);
/* v += M^-1 load */
void rps_cone_node_push(const rps_cone_node *node, const double load[6], rps_cone_motion v);
/* v_a, v_b += M^-1 D r. */
void rps_cone_contact_push(const rps_cone_node *node, const rps_cone_contact *contact, const double r[6],
                           rps_cone_motion *v);
/* The part of W between rows of two contacts that share a node, through side_i of i and side_j of j: added to w [6][6]. */
void rps_cone_contact_couple(const rps_cone_node *node, const rps_cone_contact *i, int side_i,
                             const rps_cone_contact *j, int side_j, double w[36]);

/* Whether the row has bounds, as dry friction does; other rows are free. */
static inline bool rps_cone_row_is_box(const rps_cone_joint_row *row) {
    return row->low > -INFINITY || row->high < INFINITY;
}
/* Groups rows by pairs of nodes: joint, order, joint_eta, low, high. */
rps_status rps_cone_joints_make(rps_cone_system *system, rps_error *err);
/* The matrices of the pairs, and their pseudo-inverses. */
rps_status rps_cone_joints_invert(rps_cone_system *system, rps_error *err);
double rps_cone_joint_velocity(const rps_cone_joint_row *row, rps_cone_motion *v);
/* Change of the velocity of row a by an impulse of row b, with the compliance of a row itself. */
double rps_cone_joint_product(const rps_cone_system *s, const rps_cone_joint_row *a, const rps_cone_joint_row *b);
/* Of all impulses g [rows] whose free rows have the same effect, the ones of least norm in the metric; g is unchanged
 * if they are not found to well below the tolerance. */
rps_status rps_cone_joints_least_norm(rps_cone_system *system, double tolerance, double *g, rps_error *err);
/* Factorises the free rows of all joints into s->joint_block, where joints share bodies. The factors are not in the arena: the
 * second function releases them. */
rps_status rps_cone_joint_block_make(rps_cone_system *system, rps_error *err);
void rps_cone_joint_block_release(rps_cone_joint_block *block);
/* A share taken from the diagonal of scaled rows, which is 1, so that redundant ones can be solved: well above rounding in a
 * factor, and more where rows are known to follow from others. */
double rps_cone_joint_shift(const rps_cone_system *system);
/* L of M^-1 = L L' of a node, rows of J times it: out = j L [6]. A node that does not turn about some axis has a row of zeros. */
void rps_cone_times_inertia_root(const rps_cone_node *node, const double *j, double *out);
/* The entries of W, by rows numbered as contacts are given, of a system with joints whose impulses are g [rows]. Buffer and
 * capacity as of rps_cone_condense. */
struct rps_cone_entries;
rps_status rps_cone_couple_jointed(const rps_cone_system *system, const double *g, struct rps_cone_entries *w,
                                   size_t *capacity, rps_error *err);
/* Whether a row holds its nodes: free, or with an impulse between its bounds. */
static inline bool rps_cone_row_holds(const rps_cone_joint_row *row, double g) {
    return g > row->low && g < row->high;
}
/* Solves all free rows, rows with bounds as they are, and moves the nodes; g are impulses of all rows. */
void rps_cone_joint_block_solve(rps_cone_system *system, double *g);
/* Whether the block solves the rows with bounds as well; they are then not solved pair by pair. */
bool rps_cone_joint_block_has_boxes(const rps_cone_joint_block *block);
/* Solves all rows of one joint, the others as they are, and moves the nodes; g are impulses of all rows. Adds what the
 * rows saw before. */
void rps_cone_joint_solve(rps_cone_system *system, size_t joint, double *g, const rps_cone_view *view,
                          rps_cone_squares *sum);

#endif
