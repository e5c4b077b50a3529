/* A system of bodies in contact as it is stored, and its parts: contact.c has the rows of contacts, joint.c those of
 * joints, system.c puts them together and solves. */
#ifndef RPS_CONE_PACKED_H
#define RPS_CONE_PACKED_H

#include "base/array.h"
#include "cone/iterate.h"
#include "cone/system.h"

enum { RPS_CONE_JOINT_ROWS = 24 }; /* most rows between one pair of nodes */

/* All rows between one pair of nodes: their impulses are found together. In the scaled rows, row k times sqrt(eta_k),
 * the matrix A = E^1/2 (J M^-1 J' + C) E^1/2 has a diagonal of ones. */
typedef struct rps_cone_joint {
    size_t first; /* of its rows in `order` */
    int rows, boxes;
    size_t matrix; /* [rows][rows], free rows first: A, then the pseudo-inverse of its free part */
} rps_cone_joint;

struct rps_cone_system {
    const rps_allocator *allocator;
    rps_arena arena;
    int threads;
    size_t nodes, contacts, rows, joints;
    rps_cone_node *node;
    rps_cone_contact *contact;
    double *block, *inverse; /* [contacts][6][6] of W with compliance */
    double *c, *eta, *lambda;
    rps_cone_joint_row *row;
    uint32_t *order; /* [rows] rows by joint, free ones first */
    rps_cone_joint *joint;
    double *matrix;
    double *joint_eta, *low, *high;
    /* Contacts and rows of each node, in their order: item / 2 is the contact, or contacts + row; item % 2 the side. */
    size_t *start;
    uint32_t *item;
    double (*v)[6], (*free)[6]; /* [nodes] present and given velocities, while solving */
    double *q;                  /* [6 contacts + rows] while solving */
};

/* u = the six velocities of the contact's rows for node velocities v, without bias. */
void rps_cone_contact_velocity(const rps_cone_contact *contact, double (*v)[6], double u[6]);
/* Adds the force and torque that impulses r put on side 0 or 1. */
void rps_cone_contact_load(const rps_cone_contact *contact, int side, const double r[6], double load[6]);
/* v += M^-1 load */
void rps_cone_node_push(const rps_cone_node *node, const double load[6], double v[6]);
/* v_a, v_b += M^-1 D r. */
void rps_cone_contact_push(const rps_cone_node *node, const rps_cone_contact *contact, const double r[6],
                           double (*v)[6]);
/* The part of W between rows of two contacts that share a node, through side_i of i and side_j of j: added to w [6][6]. */
void rps_cone_contact_couple(const rps_cone_node *node, const rps_cone_contact *i, int side_i,
                             const rps_cone_contact *j, int side_j, double w[36]);

/* Groups rows by pairs of nodes and factorises. */
rps_status rps_cone_joints_make(rps_cone_system *system, rps_error *err);
double rps_cone_joint_velocity(const rps_cone_joint_row *row, double (*v)[6]);
/* Solves all rows of one joint, the others as they are, and moves the nodes; g are impulses of all rows. Adds what the
 * rows saw before. */
void rps_cone_joint_solve(rps_cone_system *system, size_t joint, double *g, const rps_cone_view *view,
                          rps_cone_squares *sum);

#endif
