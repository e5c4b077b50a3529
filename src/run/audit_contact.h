/*
 * One contact on which a law is tried alone: a batch whose lanes are given by hand, between spheres of 5 mm with
 * E = 70 GPa. The motion (m of slip; rad of roll or spin) is led, the overlap follows from the load by Hertz, and work is counted.
 */
#ifndef RPS_RUN_AUDIT_CONTACT_H
#define RPS_RUN_AUDIT_CONTACT_H

#include "law/law_batch.h"
#include "world/world.h"

enum { AUDIT_VALUES = 6 };

/* A law with parameters, as it is tried. */
typedef struct audit_subject {
    rps_role role;
    const char *law, *variant; /* variant "": as it is by default */
    struct {
        const char *name; /* a parameter, or "carry", the choice of the form */
        double value;
    } value[AUDIT_VALUES]; /* ends at name == NULL */
} audit_subject;

typedef struct audit_contact {
    rps_batch_alone alone;
    const rps_law *law;
    const double *constant;
    rps_world *world;                    /* that prepared the law; NULL: none */
    double modulus, shear, radius, mass; /* E*, G* in Pa; R* in m; kg, of one sphere */
    int first_state;                     /* arrays from here on are accounts, modes and memory */
    double load[2], work, spent, stored; /* N or N m along x and y; J: put in, its positive part, energy of the law */
} __attribute__((aligned(64))) audit_contact;

/* The pair of laws in which the subject is tried, all coefficients of friction times `friction`. */
rps_status rps_audit_pair(const audit_subject *subject, double friction, rps_pair *pair, rps_error *err);
/* Whether its memory is an angle, by the choice `carry` of the form. */
bool rps_audit_is_angle(const audit_subject *subject);
/* Whether its law is one of disks, in planar worlds alone. */
bool rps_audit_is_planar(const audit_subject *subject);
/* A world of that pair with one material; planar, as deep as the radius, for a law of disks. */
rps_status rps_audit_world(const audit_subject *subject, double friction, double poisson, double step,
                           rps_world **world, rps_error *err);
/* A new contact; give it back by rps_audit_contact_close, after a failure too. */
rps_status rps_audit_contact_open(audit_contact *c, const audit_subject *subject, double friction, double poisson,
                                  rps_error *err);
void rps_audit_contact_close(audit_contact *c);
/* Forgets what it remembers and what was counted. */
void rps_audit_contact_renew(audit_contact *c);
/* One evaluation, dt = 10 us: moves by (dx, dy) to the normal load n >= 0. */
void rps_audit_contact_move(audit_contact *c, double dx, double dy, double n);
/* The same in `steps` equal parts from the load n0. */
void rps_audit_contact_ramp(audit_contact *c, double dx, double dy, double n0, double n1, int steps);
/* One evaluation to the load n by that motion along x which brings the load of the law to `force`, or as near as eight
 * corrections of its error over `stiffness` bring it; returns the motion. For laws of friction. */
double rps_audit_contact_balance(audit_contact *c, double force, double n, double stiffness);

#define AUDIT_RADIUS 5e-3
#define AUDIT_DENSITY 2500.0

#endif
