/*
 * A law of bonds: the loads of one bond from its six strains.
 *
 * The engine does the geometry. It measures the strains in axes that lie midway between those of both bodies, so that
 * a rigid motion of the pair has none, and it turns the loads of the law into forces and torques on both bodies whose
 * sums vanish. A law never sees a body, a quaternion or a position, and it combines all modes: stretch, shear, bend
 * and twist. So it may break by any combination of their loads.
 *
 * Strains and loads are work-conjugate: the power of a bond is force . d(stretch)/dt + torque . d(rotation)/dt. If a
 * law returns the derivatives of its stored energy, the bond conserves energy in any motion.
 *
 * Axes of a bond: 0 and 1 across it, 2 along it, from the body of the lower id to the other. Stretch 0 and 1 is
 * shear, 2 extension; rotation 0 and 1 is bending, 2 twist, of the second body relative to the first. Strains of the
 * path have axes of their own, and shear at the middle of the bond.
 */
#ifndef REPOSE_BOND_LAW_H
#define REPOSE_BOND_LAW_H

#include <repose/law.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RPS_BOND_PARAMETERS = 16, /* most parameters of a bond law */
    RPS_BOND_CONSTANTS = 24,  /* most constants that `prepare` passes on */
    RPS_BOND_MEMORY = 16,     /* most memory numbers of a bond */
    RPS_BOND_FAILURES = 4     /* most ways to break */
};

/* Input of `prepare`. Parameters that the user did not give are NAN. */
typedef struct rps_bond_setup {
    const double *value; /* the parameters, in the order of the law's list */
    double strength;     /* times the stresses at which it breaks; the energy by its square */
    double length;       /* m, of the unstrained bond: from one bond point to the other */
    double mass_eff;     /* kg, m_i m_j/(m_i + m_j); infinite masses count as such */
    double inertia_eff;  /* kg m^2, likewise, of the mean moments of inertia; INFINITY if neither body can turn */
    double radius;       /* m, of the smaller body; 0 if neither has one */
} rps_bond_setup;

typedef struct rps_bond_strain {
    double stretch[3];  /* m */
    double rotation[3]; /* rad; of the places, a rotation vector shorter than pi */
    double dt;          /* s since the last evaluation; 0: nothing has moved, and the memory stays as it is */
} rps_bond_strain;

/* Filled by the law; all 0 on entry. */
typedef struct rps_bond_loads {
    double force[3], torque[3]; /* N, N m, positive against a positive strain; with dampers */
    double stored;              /* J */
    double dissipated;          /* J, by dampers since the last evaluation */
    int broken;                 /* 0, or 1 + index in `failure`: the bond ends now, and `stored` is lost */
} rps_bond_loads;

/* How the engine measures the strains of a bond. */
typedef enum rps_bond_measure {
    RPS_BOND_OF_PLACES, /* from the present places alone: a closed motion leaves none */
    /* Summed along the path, in axes that turn with the line of the bond and with the mean spin of both bodies about
     * it; the extension is that of the places. A closed motion may leave strains. */
    RPS_BOND_OF_PATH
} rps_bond_measure;

/* Stiffness and damper of stretch along the bond, shear, bending and twist, for the step limit. */
typedef struct rps_bond_spring {
    double stretch, shear; /* N/m, or N s/m */
    double bend, twist;    /* N m/rad, or N m s/rad */
} rps_bond_spring;

typedef struct rps_bond_law {
    uint32_t size; /* sizeof(rps_bond_law) */
    const char *name;
    const char *summary;                              /* one line */
    const char *citation;                             /* where it comes from */
    rps_law_parameter parameter[RPS_BOND_PARAMETERS]; /* ends at name == NULL */
    rps_bond_measure measure;
    int memory;                             /* memory numbers, 0 at first */
    const char *failure[RPS_BOND_FAILURES]; /* ways to break, as "tension"; ends at NULL */
    /* Converts parameters to constants; refuses invalid ones with a sentence. */
    rps_status (*prepare)(const rps_bond_setup *setup, double *constant, rps_error *err);
    void (*evaluate)(const double *constant, const rps_bond_strain *strain, double *memory, rps_bond_loads *loads);
    /* The largest stiffnesses and dampers. */
    void (*spring)(const double *constant, rps_bond_spring *stiffness, rps_bond_spring *damper);
    rps_law_exception exception[RPS_LAW_EXCEPTIONS]; /* from what the audit expects of a bond */
} rps_bond_law;

/* The laws of the library: by name (NULL: none of that name), and by index (from 0; NULL: past the end). */
RPS_API const rps_bond_law *rps_bond_law_find(const char *name);
RPS_API const rps_bond_law *rps_bond_law_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
