/*
 * One contact that tests a law in isolation: a batch whose lanes are set by hand, between spheres of 5 mm with E = 70
 * GPa. The motion (m of slip; rad of roll or spin) is prescribed, the overlap follows from the load by Hertz, and the
 * work is recorded.
 */
#ifndef RPS_RUN_AUDIT_CONTACT_H
#define RPS_RUN_AUDIT_CONTACT_H

#include "law/law_batch.h"
#include "world/world.h"

enum { AUDIT_VALUES = 6 };

/* The law under test, with its parameters. */
typedef struct audit_subject {
    rps_role role;
    const char *law, *variant; /* variant "": the default */
    struct {
        const char *name; /* a parameter, or "carry", the choice of the form */
        double value;
    } value[AUDIT_VALUES]; /* ends at name == NULL */
    const rps_law *own;    /* a law that the library does not have; NULL: `law` names one of the library */
} audit_subject;

/* One of the library: role, name, variant, values. */
#define AUDIT_SUBJECT(...) \
    { __VA_ARGS__, NULL }

typedef struct audit_contact {
    rps_batch_alone alone;
    const rps_law *law;
    const double *constant;
    rps_world *world;                    /* the world that prepared the law; NULL: none */
    double modulus, shear, radius, mass; /* E*, G* in Pa; R* in m; kg, of one sphere */
    int first_state;                     /* from here on arrays are accounts, modes and memory */
    double load[2], work, spent, stored; /* N or N m along x and y; J: work done, its positive part, stored energy */
} __attribute__((aligned(64))) audit_contact;

/* The descriptor of its law; NULL if the library has none of that name. */
const rps_law *rps_audit_law(const audit_subject *subject);
/* The pair of laws that tests the subject, with all friction coefficients multiplied by `friction`. */
rps_status rps_audit_pair(const audit_subject *subject, double friction, rps_pair *pair, rps_error *err);
/* True if its memory is an angle, by the choice `carry` of the form. */
bool rps_audit_is_angle(const audit_subject *subject);
/* True if its law is for disks, in planar worlds only. */
bool rps_audit_is_planar(const audit_subject *subject);
/* Creates a world of that pair with one material; for a law of disks it is planar, with the radius as depth. */
rps_status rps_audit_world(const audit_subject *subject, double friction, double poisson, double step,
                           rps_world **world, rps_error *err);
/* Opens a contact; call rps_audit_contact_close even after a failure. */
rps_status rps_audit_contact_open(audit_contact *c, const audit_subject *subject, double friction, double poisson,
                                  rps_error *err);
void rps_audit_contact_close(audit_contact *c);
/* Clears its memory and the recorded work. */
void rps_audit_contact_renew(audit_contact *c);
/* One evaluation with dt = 10 us: moves by (dx, dy) and sets the normal load n (N). Below 0 it is tension, as of an adhesive
 * contact: radius and overlap are those of a pressure of that size, but friction has no cap. */
void rps_audit_contact_move(audit_contact *c, double dx, double dy, double n);
/* The same in `steps` equal parts, from load n0 to n1. */
void rps_audit_contact_ramp(audit_contact *c, double dx, double dy, double n0, double n1, int steps);
/* One evaluation at normal load n with the motion along x for which the law's load equals `force`, found by at most
 * eight corrections error/`stiffness`. Returns the motion. For friction laws. */
double rps_audit_contact_balance(audit_contact *c, double force, double n, double stiffness);

#define AUDIT_RADIUS 5e-3
#define AUDIT_DENSITY 2500.0

#endif
