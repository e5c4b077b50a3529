/*
 * A law is a function over a batch of contacts for one role.
 *
 * The engine has already done the geometry and tracked the contact point: a law never sees a body, a quaternion or a
 * position. It sees lanes, arrays with one double per contact of the batch, and writes its load, its mode, its stored
 * energy and what it dissipated since the last evaluation. All contacts of a batch belong to one pair of materials, so
 * that its constants are scalars and the code reads like the textbook.
 *
 * Tangent vectors have three components. In compact records (spheres and planes) they are world vectors that lie in the
 * tangent plane; in frame records they are components along u and w and the third is zero. A law may add, scale and dot
 * them and nothing else, so that it cannot tell the two apart.
 *
 * Signs: n points from body j into body i; a load is positive as it acts on body i along +n or along +slip.
 *
 * A file that defines a law includes repose/law_kernel.h, which has the macros for its author.
 */
#ifndef REPOSE_LAW_H
#define REPOSE_LAW_H

#include <stddef.h>
#include <stdint.h>

#include <repose/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RPS_BATCH = 64,          /* contacts in a full batch */
    RPS_LAW_PARAMETERS = 16, /* most parameters of one law */
    RPS_LAW_CONSTANTS = 24,  /* most constants that a law prepares for its kernel */
    RPS_LAW_MEMORY = 20,     /* most memory entries of one law (a tangent vector counts as one) */
    RPS_LAW_EXCEPTIONS = 4   /* most declared exceptions of one law */
};

/* The roles, in the order in which the engine calls them. */
typedef enum rps_role {
    RPS_ROLE_NORMAL,  /* elastic normal load, tangent stiffness, contact radius */
    RPS_ROLE_DAMPING, /* normal dashpot */
    RPS_ROLE_SLIDE,   /* tangential force */
    RPS_ROLE_ROLL,    /* rolling torque */
    RPS_ROLE_SPIN,    /* spinning torque */
    RPS_ROLE_COUNT
} rps_role;

/* "normal", "damping", "slide", "roll", "spin"; "unknown" for a number that is no role. Static text. */
RPS_API const char *rps_role_name(rps_role role);

/* How a pair of materials reads the tracked motion (physics: choices of the model of tracked friction). */
typedef enum rps_form_frame { RPS_FRAME_MID, RPS_FRAME_LOWER } rps_form_frame;
typedef enum rps_form_path { RPS_PATH_COMMON, RPS_PATH_SURFACE } rps_form_path;
typedef enum rps_form_history { RPS_HISTORY_SHARED, RPS_HISTORY_PER_BODY } rps_form_history;
typedef enum rps_form_carry { RPS_CARRY_LENGTH, RPS_CARRY_ANGLE } rps_form_carry;
typedef enum rps_form_damper { RPS_DAMPER_LIMITED, RPS_DAMPER_FREE } rps_form_damper;
typedef enum rps_form_damper_mass { RPS_DAMPER_MASS_EFFECTIVE, RPS_DAMPER_MASS_AVERAGE } rps_form_damper_mass;
typedef enum rps_form_arc { RPS_ARC_EXACT, RPS_ARC_CHORD } rps_form_arc;
typedef enum rps_tension { RPS_TENSION_CUT, RPS_TENSION_ALLOW } rps_tension;
typedef enum rps_cap_load { RPS_CAP_TOTAL, RPS_CAP_ELASTIC } rps_cap_load;

typedef struct rps_form {
    rps_form_frame frame;             /* whose axes carry the tangent frame */
    rps_form_path path;               /* slip measured where the force acts, or at the surface */
    rps_form_history history;         /* one roll history for both bodies, or one each */
    rps_form_carry carry;             /* roll and spin memories are lengths, or angles */
    rps_form_damper damper;           /* total in stick limited to the static cap, or free */
    rps_form_damper_mass damper_mass; /* mass in the default dampers */
    rps_cap_load cap_load;            /* N of the caps: elastic + dashpot, or elastic */
    rps_form_arc arc;                 /* length of a path on a curved surface that is no sphere: arc, or chord */
} rps_form;

/* The form that does not depend on the order of the bodies (the default), and that of Fang & Negrut 2020. */
RPS_API rps_form rps_form_symmetric(void);
RPS_API rps_form rps_form_paper(void);

/* One batch as a law sees it. Every pointer is a lane of RPS_BATCH doubles, aligned to 64 bytes. */
typedef struct rps_batch {
    int count;   /* contacts to work on, a multiple of 8; the padding at the end holds harmless values */
    double dt;   /* s, time since the last evaluation; 0 at the first, which has no increments */
    double rate; /* 1/s, 1/dt; 0 at the first */
    int skip_diagnostics; /* 1: `elastic` and `energy` are not asked for, nor is roll_torque_j of a shared history: a law need not
                    write them */

    /* given by geometry */
    const double *touch;             /* 1 where the contact exists now, else 0 (its loads must then be 0) */
    const double *new_contact;       /* 1 in the evaluation in which the contact begins, else 0 */
    const double *overlap;           /* m, delta */
    const double *overlap_increment; /* m, since the last evaluation; 0 at birth */
    const double *radius_eff;        /* m, R_i R_j/(R_i + R_j) */
    const double *radius[2]; /* m, of the body of the pair's first and second material (equal materials: i, j); 0: a
                                        plane. In planar worlds; else NULL */
    const double *length;    /* m, of the strip, of laws of lines in three dimensions; else NULL */
    const double *mass_eff;  /* kg, m_i m_j/(m_i + m_j); a body that cannot move counts as infinite */
    const double *weight;    /* N, gravity on the free body along the normal, positive if it presses */

    /* tracked motion since the last evaluation; all 0 at birth */
    const double *slip[3];   /* m, dS = p_i - p_j */
    const double *roll_i[3]; /* rad, of body i */
    const double *roll_j[3]; /* rad, of body j; shared history: dTheta = roll_i + roll_j, and the engine may give
                                       all of it as roll_i */
    const double *spin;      /* rad, psi */
    const double *rolling_radius[3]; /* m, Wm^-1 now: uu, uw, ww; of spheres and planes uu and ww, 2 R_eff, are one lane
                                       and uw is 0 */
    const double *rolling_radius_mean[3]; /* m, mean of Wm^-1 over the step */
    const double *twist_radius;           /* m, 1/(H_i + H_j), H = mean curvature (1/R on a plane) */
    const double *twist_radius_mean;      /* m, mean of it over the step */

    /* square roots of the masses in default dampers: K_D = 2 sqrt(m K) */
    const double *damper_mass_sqrt;    /* kg^1/2 */
    const double *damper_inertia_sqrt; /* kg^1/2 m */

    /* normal loads, written by the roles normal and damping, read by the others */
    double *elastic_load;   /* N, N_e >= 0 */
    double *stiffness;      /* N/m, tangent dN_e/ddelta */
    double *contact_radius; /* m, a */
    double *damping_load;   /* N, dashpot part, after a cut of tension; may be negative */
    double *cap_load;       /* N >= 0, the load in friction caps (made by the engine after damping) */

    /* friction loads */
    double *slide_force[3];   /* N, on body i */
    double *roll_torque_i[3]; /* N m, t: torque on i is -n x t */
    double *roll_torque_j[3]; /* N m, t: torque on j is +n x t */
    double *spin_torque;      /* N m, m: torque on i is -m n, on j +m n */

    /* per role */
    double
        *mode[RPS_ROLE_COUNT][2]; /* 0 stick, 1 slip; old on entry, new on return; [1]: body j where it has its own */
    double *elastic[RPS_ROLE_COUNT];    /* N or N m, magnitude of the elastic part of the load */
    double *energy[RPS_ROLE_COUNT];     /* J, stored now */
    double *dissipated[RPS_ROLE_COUNT]; /* J, since the last evaluation, >= 0 for a sound law */

    /* memory of the law that is being called: [entry][component]; scalars use component 0. Increments above and memories
     * are 0 or at least 4e-121 in size, so that their squares are no subnormal numbers; books are not */
    double *memory[RPS_LAW_MEMORY][3];
} rps_batch;

/* Constants come from the law's prepare. */
typedef void (*rps_law_kernel)(const rps_batch *b, const double *constant);

typedef struct rps_law_parameter {
    const char *name;
    const char *unit; /* "" for a pure number */
    const char *meaning;
    double low, high;     /* allowed range, inclusive */
    double default_value; /* default; NAN: none, the law decides or refuses */
    const char *choices;  /* for a word: "cut|allow", value = index; NULL for a number */
} rps_law_parameter;

typedef enum rps_memory_kind {
    RPS_MEMORY_SCALAR,  /* one lane */
    RPS_MEMORY_TANGENT, /* a tangent vector; the engine turns it with the contact */
    RPS_MEMORY_BOOK =
        2 /* flag: needed for booking dissipation only, and computed at every evaluation from the increments; absent when no
                           ledger is kept */
} rps_memory_kind;

/* How a tangent memory follows the contact. Projection is what classical laws are stated with; it misses a spin that both
 * bodies have in common, and shortens what lies along the turn of the normal. Spheres and planes only. */
typedef enum rps_law_turn {
    RPS_TURN_CARRIED,          /* with the bodies */
    RPS_TURN_PROJECTED,        /* v - (v.n) n, n the normal now */
    RPS_TURN_PROJECTED_LENGTH, /* the same, brought to the length that it had */
} rps_law_turn;

typedef struct rps_law_memory {
    const char *name;
    const char *unit;
    const char *meaning;
    int kind; /* RPS_MEMORY_SCALAR or RPS_MEMORY_TANGENT, possibly | RPS_MEMORY_BOOK */
} rps_law_memory;

/* Input of `prepare`. Values that the user left out are NAN. */
typedef struct rps_law_setup {
    const double *value; /* the law's parameters, in the order of its list */
    const double
        *slide_value; /* parameters static, kinetic, stiffness of the slide law of the pair, NAN where absent */
    double young[2];  /* Pa, of the two materials, NAN if not given */
    double poisson[2];
    double normal_exponent; /* N_e ~ delta^p of the pair's normal law: 1, 1.5, about 1.1 (hertz2d); 0 imposed */
    rps_tension tension;
    rps_form form;
    double
        length; /* m, of all contacts of a planar world, its depth: multiplies what is stated per length; 1 in 3D if the
                   normal law is one of lines, whose length is a lane; else NAN */
    int lines;  /* 1: three dimensions, contacts along lines */
    int nonsmooth; /* 1: for the nonsmooth stepper, else 0 */
} rps_law_setup;

/* Stiffness and damping that a law adds to one contact, for the critical step and for `repose explain`. */
typedef struct rps_law_spring {
    double stiffness; /* N/m (slide, normal), N m/rad (roll, spin) */
    double damper;    /* N s/m or N m s/rad */
} rps_law_spring;

typedef struct rps_law_contact {
    double mass_eff, damper_mass, damper_inertia;                              /* kg, kg, kg m^2 */
    double radius_eff, overlap, normal_load, normal_stiffness, contact_radius; /* m, m, N, N/m, m */
    double radius[2];                                                          /* m, as in a batch */
    double length;                                                             /* m, as in a batch; 0: none */
    double
        rolling_radius; /* m, 2/(kappa_i + kappa_j) along the path (for the limit of the step the longest); spheres 2 R_eff */
    double twist_radius; /* m, 1/(H_i + H_j); spheres R_eff */
} rps_law_contact;

/* A law in the nonsmooth stepper: a threshold in proportion to the normal load, and a spring below it. */
typedef struct rps_law_cone {
    double threshold[2]; /* static, kinetic: times the normal load; slide: pure number, roll and spin: m */
    double stiffness;   /* N/m, of a normal law the secant at the contact's load and at least its overlap; roll and spin
                          * N m/rad; INFINITY: rigid */
    double restitution; /* of damping laws, 0 to 1 */
} rps_law_cone;

typedef struct rps_law_exception {
    const char *property; /* name of the contract property that this law violates */
    const char *why;
    const char *citation;
} rps_law_exception;

typedef struct rps_law {
    uint32_t size; /* sizeof(rps_law) */
    rps_role role;
    const char *name;                                /* as a scene writes it */
    const char *summary;                             /* one line */
    const char *citation;                            /* where it comes from */
    rps_law_parameter parameter[RPS_LAW_PARAMETERS]; /* ends at name == NULL */
    rps_law_memory memory[RPS_LAW_MEMORY];           /* ends at name == NULL */
    int modes;                                       /* mode lanes: 0, 1, or 2 where each body has its own */
    double exponent;                                 /* normal laws: N_e ~ delta^exponent */
    double radius_exponent;                          /* normal laws: N_e ~ R_eff^radius_exponent */
    int rigid_geometry; /* normal laws: the arm is R, the overlap counts as 0 in loads and paths */
    int lines;          /* 1: stated for parallel cylinders, and serves those of a three-dimensional world too */
    int dimension;      /* 0: any world; 2: planar worlds, 3: three-dimensional ones, others are refused */
    double cutoff;      /* contact exists while overlap > -reach * (smaller radius) */
    rps_law_exception exception[RPS_LAW_EXCEPTIONS];
    /* Turns parameters into kernel constants; refuses with a sentence. */
    rps_status (*prepare)(const rps_law_setup *setup, double *constant, rps_error *err);
    /* Completes `value`, in the order of the list, with what the law derived; NULL: nothing. For explain and summary. */
    void (*effective)(const double *constant, double *value);
    /* Whether memory entry number `entry` is needed with these constants; NULL: all are. */
    int (*keeps)(const double *constant, int entry);
    /* How the engine turns the law's tangent memories with the contact; NULL: RPS_TURN_CARRIED. */
    rps_law_turn (*turn)(const double *constant);
    /* Largest stiffness and damper at the given contact; NULL: none. */
    rps_law_spring (*spring)(const double *constant, const rps_law_contact *contact);
    /* The law for the nonsmooth stepper; NULL: it has no such form, and pairs with it are refused there. `cone` comes with
     * thresholds 0, stiffness INFINITY and restitution 1, and the law sets what it knows of. */
    void (*cone)(const double *constant, const rps_law_contact *contact, rps_law_cone *cone);
    /* One kernel per instruction set (see RPS_LAW_KERNELS); a program's own law repeats its one kernel. */
    rps_law_kernel kernel[3];
} rps_law;

/* Laws of the library, by role and name (NULL: none of that name), and all of them (index from 0; NULL: past the end). */
RPS_API const rps_law *rps_law_find(rps_role role, const char *name);
RPS_API const rps_law *rps_law_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
