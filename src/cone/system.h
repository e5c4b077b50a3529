/* The cone problem of bodies in contact: u = D' v + b + C r, v = v* + M^-1 D r. W = D' M^-1 D is never formed; the
 * solver keeps v and updates it contact by contact. Independent of bodies: a node has six velocities (linear,
 * angular) and a mobility. A body with prescribed motion is not a node; its motion is part of the bias. */
#ifndef RPS_CONE_SYSTEM_H
#define RPS_CONE_SYSTEM_H

#include "cone/solver.h"

#define RPS_CONE_NO_NODE UINT32_MAX
enum { RPS_CONE_SIDES = 4 }; /* the most of a row of joints */

/* M^-1 of a node; all 0 for one that impulses do not move. */
typedef struct rps_cone_node {
    double inverse_mass;       /* 1/kg */
    double inverse_inertia[6]; /* 1/(kg m^2), about its centre in world axes: xx yy zz yz xz xy */
} rps_cone_node;

/* Six rows: u_n, u_t (2) of the points in contact, a minus b; w_n, w_t (2) of the angular velocity of a minus that of
 * b. In the order n, t1, t2, spin, r1, r2 with t2 = n x t1, r1 along t1, r2 along t2. */
typedef struct rps_cone_contact {
    uint32_t node[2];     /* a, b */
    double n[3], t[3];    /* unit, world axes: from b into a, so that u_n is the rate of the gap; first tangent */
    double branch[2][3];  /* m, from the centre of each node to the point where forces act */
    double bias[6];       /* m/s, rad/s */
    double compliance[4]; /* C of the groups n, t, spin, roll: 1/kg or 1/(kg m^2), >= 0 */
    double c[3];          /* mu (1), sigma (m), rho (m), >= 0; INFINITY: held under any load */
} rps_cone_contact;

/* One bilateral row with impulse g: J_a v_a + J_b v_b + bias + compliance g = 0 while low < g < high; at low the left side
 * is >= 0, at high <= 0. Rows of one joint follow each other and have the same nodes. A row that couples two joints has up to two
 * more sides, of other nodes. */
typedef struct rps_cone_joint_row {
    uint32_t joint, node[RPS_CONE_SIDES];
    double jacobian[RPS_CONE_SIDES][6]; /* linear, angular */
    double bias, compliance;            /* units of the row */
    double low, high;                   /* impulse, low <= 0 <= high; -INFINITY, INFINITY: a free multiplier */
    int more;                           /* sides beyond the first two */
} rps_cone_joint_row;

static inline int rps_cone_row_sides(const rps_cone_joint_row *row) {
    return 2 + row->more;
}

typedef struct rps_cone_system rps_cone_system;

/* RPS_BAD_INPUT for non-finite values, nodes out of range, negative coefficients or a contact without a node. k: its
 * index, for the sentence. */
rps_status rps_cone_check_contact(const rps_cone_contact *contact, size_t k, size_t nodes, rps_error *err);

/* Builds the system: packs contacts, colours their graph. All arrays are copied. The order of contacts and rows
 * determines the order of the sweeps and so the bits; the workers do not. RPS_BAD_INPUT for non-finite
 * values, nodes out of range, negative coefficients or a contact without a node. `old` (NULL: none) is a system whose
 * memory is reused; the call takes ownership of it and releases it on failure. */
rps_status rps_cone_system_make(rps_cone_system **system, rps_cone_system *old, const rps_allocator *allocator,
                                const rps_cone_node *node, size_t nodes, const rps_cone_contact *contact,
                                size_t contacts, const rps_cone_joint_row *row, size_t rows, rps_workers workers,
                                rps_error *err);
void rps_cone_system_release(rps_cone_system *system);

/* v [nodes][6]: v* on entry, velocities with all impulses on return. r [contacts][6] and g [rows]: the start on entry
 * (a warm start is projected first; zeros: cold), impulses on return; NULL if there are none. slip [contacts], m/s:
 * s(u) of the last solution on entry, of this one on return. Only an allocation failure or an option out of range is
 * an error. */
rps_status rps_cone_system_solve(rps_cone_system *system, const rps_cone_options *options, double *v, double *r,
                                 double *slip, double *g, rps_cone_result *result, rps_error *err);

/* W = D' M^-1 D + C by blocks and q = D' v + b of the contacts alone, for methods that factorise, for files and for tests. With
 * joints W is what they leave: rows with impulses g [rows] (NULL: there are none) between their bounds hold, those at a bound
 * keep the impulse that is in v. Of the last rps_cone_system_solve, its least_norm. The caller releases *problem. */
rps_status rps_cone_system_assemble(const rps_cone_system *system, const double *v, const double *g,
                                    rps_cone_problem *problem, rps_error *err);

#endif
