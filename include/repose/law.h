/*
 * A law is a function over a batch of contacts for one role.
 *
 * The engine has already done the geometry and tracked the contact point: a law never sees a body, a quaternion or a
 * position. It sees arrays with one double per contact of the batch (lanes), and writes its load, its mode, its
 * stored energy and the energy dissipated since the last evaluation. All contacts of a batch belong to one pair of
 * materials, so that its constants are scalars and the code reads like a textbook.
 *
 * Tangent vectors have three components. In compact records (spheres and planes) they are world vectors that lie in
 * the tangent plane; in frame records they are components along u and w and the third is zero. A law may only add,
 * scale and dot them, so that it works for both alike.
 *
 * Signs: n points from body j into body i; a positive load acts on body i along +n or along +slip.
 *
 * A file that defines a law includes repose/law_kernel.h, which has the macros for it.
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
    RPS_LAW_CONSTANTS = 24,  /* most constants that `prepare` passes to the kernel */
    RPS_LAW_MEMORY = 20,     /* most memory entries of one law (a tangent vector counts as one) */
    RPS_LAW_EXCEPTIONS = 6   /* most declared exceptions of one law */
};

/* Indices of the arrays of a batch; RPS_ARRAY(name) is the bit of an array in the sets .reads and .writes of a law. */
enum {
#define RPS_BATCH_INPUT(name, unit, meaning) RPS_ARRAY_##name,
#define RPS_BATCH_INPUTS(name, count, unit, meaning) RPS_ARRAY_##name,
#define RPS_BATCH_LOAD(name, role, unit, meaning) RPS_ARRAY_##name,
#define RPS_BATCH_LOADS(name, count, role, unit, meaning) RPS_ARRAY_##name,
#define RPS_BATCH_ACCOUNT(name, unit, meaning) RPS_ARRAY_##name,
#include <repose/batch_arrays.inc>
#undef RPS_BATCH_INPUT
#undef RPS_BATCH_INPUTS
#undef RPS_BATCH_LOAD
#undef RPS_BATCH_LOADS
#undef RPS_BATCH_ACCOUNT
    RPS_ARRAY_COUNT
};
#define RPS_ARRAY(name) (UINT64_C(1) << RPS_ARRAY_##name)

/* The roles, in the order in which the engine calls them (role_list.inc). */
typedef enum rps_role {
#define RPS_ROLE(symbol, name, law) RPS_ROLE_##symbol,
#include <repose/role_list.inc>
    RPS_ROLE_COUNT
} rps_role;

/* "normal", "damping", "bridge", "slide", "roll", "spin"; "unknown" for an invalid role. Static text. */
RPS_API const char *rps_role_name(rps_role role);

/* How a pair of materials reads the tracked motion: the choices of the friction model (docs/symbols.md). */
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
    rps_form_frame frame;             /* the axes that carry the tangent frame: midway, or of body i */
    rps_form_path path;               /* slip measured where the force acts, or at the surface */
    rps_form_history history;         /* one roll history for both bodies, or one each */
    rps_form_carry carry;             /* roll and spin memories are lengths, or angles */
    rps_form_damper damper;           /* total in stick limited to the static cap, or free */
    rps_form_damper_mass damper_mass; /* mass in the default dampers */
    rps_cap_load cap_load;            /* N of the caps: elastic + dashpot, or elastic */
    rps_form_arc arc;                 /* length of a path on a curved, non-spherical surface: arc, or chord */
} rps_form;

/* The form that is independent of the order of the bodies (the default), and that of Fang & Negrut 2020. */
RPS_API rps_form rps_form_symmetric(void);
RPS_API rps_form rps_form_paper(void);

/* One batch as a law sees it. Every pointer is an array of RPS_BATCH doubles, aligned to 64 bytes; batch_arrays.inc
 * documents each one. Arrays that no law of the pair declares hold NaN. */
typedef struct rps_batch {
    int count;   /* number of contacts to evaluate, a multiple of 8; the padding at the end holds harmless values */
    double dt;   /* s, time since the last evaluation; 0 at the first, which has no increments */
    double rate; /* 1/s, 1/dt; 0 at the first */
    /* 1: `elastic`, `energy` and, with a shared history, roll_torque_j are not needed, and a law may skip them */
    int skip_diagnostics;
    int round; /* 1: all contacts are between spheres and planes, so that `rolling_radius` is one number */
#define RPS_BATCH_INPUT(name, unit, meaning) const double *name;
#define RPS_BATCH_INPUTS(name, number, unit, meaning) const double *name[number];
#define RPS_BATCH_LOAD(name, role, unit, meaning) double *name;
#define RPS_BATCH_LOADS(name, number, role, unit, meaning) double *name[number];
#define RPS_BATCH_ACCOUNT(name, unit, meaning) double *name[RPS_ROLE_COUNT];
#include <repose/batch_arrays.inc>
#undef RPS_BATCH_INPUT
#undef RPS_BATCH_INPUTS
#undef RPS_BATCH_LOAD
#undef RPS_BATCH_LOADS
#undef RPS_BATCH_ACCOUNT
    /* 0 stick, 1 slip; old on entry, new on return; [1]: body j, if it has its own */
    double *mode[RPS_ROLE_COUNT][2];
    /* memory of the called law: [entry][component]; scalars use component 0. Increments and memories are 0 or at
     * least 4e-121 in magnitude, so that their squares are not subnormal; RPS_MEMORY_BOOK entries are exempt */
    double *memory[RPS_LAW_MEMORY][3];
} rps_batch;

/* `constant`: as filled in by the law's prepare. */
typedef void (*rps_law_kernel)(const rps_batch *b, const double *constant);

/* Meaning of a parameter for code that is independent of particular laws: other laws of the pair, `explain`, the
 * audit. */
typedef enum rps_parameter_kind {
    RPS_PARAMETER_OTHER,
    RPS_PARAMETER_FRICTION,    /* coefficient of friction, static and kinetic alike */
    RPS_PARAMETER_STATIC,      /* static coefficient; laws of roll and spin may use that of the slide law */
    RPS_PARAMETER_KINETIC,     /* kinetic coefficient; likewise */
    RPS_PARAMETER_STIFFNESS,   /* of the spring, N/m; likewise */
    RPS_PARAMETER_MODULUS,     /* effective modulus, Pa */
    RPS_PARAMETER_DAMPING,     /* damper as a fraction of critical */
    RPS_PARAMETER_RESTITUTION, /* determines a damper */
    RPS_PARAMETER_KIND_COUNT
} rps_parameter_kind;

typedef struct rps_law_parameter {
    const char *name;
    const char *unit; /* "" for a pure number */
    const char *meaning;
    double low, high;     /* allowed range, inclusive */
    double default_value; /* default; NAN: none, the law decides or refuses */
    const char *choices;  /* for a word: "cut|allow", value = index; NULL for a number */
    rps_parameter_kind kind;
} rps_law_parameter;

typedef enum rps_memory_kind {
    RPS_MEMORY_SCALAR,  /* one lane */
    RPS_MEMORY_TANGENT, /* a tangent vector; the engine turns it with the contact */
    RPS_MEMORY_BOOK =
        2, /* flag: serves only to record dissipation, recomputed at every evaluation; absent without a ledger */
    RPS_MEMORY_STIFFNESS = 4, /* flag: stiffness of the law's spring at the last evaluation, N/m; a scalar */
    /* flag: 0 is a valid start in an existing contact (a count, accumulated wear), so a checkpoint without this memory
     * can be read. Without the flag such a checkpoint is refused: no value stands for that of the last evaluation */
    RPS_MEMORY_FROM_ZERO = 8,
    /* flag of a scalar: the elastic load is proportional to it, as to every tangent vector. Where contacts join on a mesh these
     * are added, where one parts they are divided; other scalars of friction laws are set as in a new contact, or stay with
     * the larger contact if flagged RPS_MEMORY_FROM_ZERO */
    RPS_MEMORY_LINEAR = 16,
    /* flag of a scalar, of laws of liquid bridges: the gap up to which this contact lasts, m; `range` bounds it */
    RPS_MEMORY_RANGE = 32,
    /* flag of a scalar, of the same laws: the volume of the bridge, m^3, below 0 until it pulls. It stays as the contact ends, until
     * the engine gives it back to the films of the bodies */
    RPS_MEMORY_LIQUID = 64
} rps_memory_kind;

/* How a tangent memory follows the contact. Classical laws use projection; it misses a spin common to both bodies,
 * and shortens the component along the rotation of the normal. Spheres and planes only. */
typedef enum rps_law_turn {
    RPS_TURN_CARRIED,          /* with the bodies */
    RPS_TURN_PROJECTED,        /* v - (v.n) n, n the present normal */
    RPS_TURN_PROJECTED_LENGTH, /* the same, rescaled to its previous length */
} rps_law_turn;

typedef struct rps_law_memory {
    const char *name;
    const char *unit;
    const char *meaning;
    int kind; /* RPS_MEMORY_SCALAR or RPS_MEMORY_TANGENT, possibly with flags */
} rps_law_memory;

/* Input of `prepare`. Values that the user did not give are NAN. */
typedef struct rps_law_setup {
    const double *value; /* the law's parameters, in the order of its list */
    /* static and kinetic coefficient and stiffness of the pair's slide law, identified by parameter kind; NAN where
     * absent */
    const double *slide_value;
    double young[2]; /* Pa, of the two materials, NAN if not given */
    double poisson[2];
    double normal_exponent; /* N_e ~ delta^p of the pair's normal law: 1, 1.5, about 1.1 (hertz2d); 0 imposed */
    const char *normal_law; /* its name */
    rps_tension tension;
    rps_form form;
    /* m, multiplies quantities per unit length: the depth of a planar world; 1 in 3D if the normal law is one of line
     * contacts, whose length is an array; else NAN */
    double length;
    int lines;     /* 1: three dimensions, contacts along lines */
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
    /* m, 2/(kappa_i + kappa_j) along the path (for the step limit the largest); spheres 2 R_eff */
    double rolling_radius;
    double twist_radius; /* m, 1/(H_i + H_j); spheres R_eff */
} rps_law_contact;

/* A law in the nonsmooth stepper: a threshold proportional to the normal load, and a spring below it. */
typedef struct rps_law_cone {
    double threshold[2]; /* static, kinetic; multiplied by the normal load; slide: pure number, roll and spin: m */
    /* N/m, for a normal law the secant at the contact's load, or at its overlap if that is deeper; roll and spin N
     * m/rad; INFINITY: rigid */
    double stiffness;
    double restitution; /* of damping laws, 0 to 1 */
    double pull;        /* N, of normal laws: a constant pull while surfaces touch, beside the load of the spring */
    /* of springs whose stiffness follows the normal load: the power 0, 1/2 or 1 of the stiffness with which their load falls
     * and rises: it stays, their energy does, or their extension */
    double falls, rises;
} rps_law_cone;

/* How the bridges of a law take their volume from the films of two bodies, and give it back. */
typedef enum rps_liquid_share { RPS_LIQUID_CAP, RPS_LIQUID_FRACTION, RPS_LIQUID_FIXED } rps_liquid_share;
typedef enum rps_liquid_split { RPS_LIQUID_HALF, RPS_LIQUID_RADIUS } rps_liquid_split;
typedef struct rps_law_liquid {
    rps_liquid_share share;  /* the cap that the other sphere covers, a part of the film, or a volume from nowhere */
    rps_liquid_split split;  /* to both halves, or by the cube of the radius */
    double fraction, volume; /* of the film; m^3, of RPS_LIQUID_FIXED */
    double least, largest;   /* m^3, of a bridge */
    double reach;            /* gap of the rupture over the cube root of the volume */
} rps_law_liquid;

typedef struct rps_law_exception {
    const char *property; /* name of the contract property that the law violates */
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
    int modes;                                       /* mode arrays: 0, 1, or 2 if each body has its own */
    double exponent;                                 /* normal laws: N_e ~ delta^exponent */
    double radius_exponent;                          /* normal laws: N_e ~ R_eff^radius_exponent */
    /* normal laws of E_eff and a work of adhesion: R dU/dR = (4 U - delta N)/3 (law/adhesion.h), instead of
     * radius_exponent U; set radius_exponent to that of the law without adhesion, .5 */
    int similar;
    int spheres;        /* 1: stated for spheres and planes only, and refused where others touch */
    int rigid_geometry; /* normal laws: branch vectors have length R, and the overlap counts as 0 in loads and paths */
    int lines;          /* 1: formulated for parallel cylinders, and valid for those of a three-dimensional world too */
    int dimension;      /* 0: any world; 2: planar worlds only; 3: three-dimensional worlds only */
    int begins_apart;   /* with a range, 1: contacts begin at the range; 0: when the surfaces meet, as in adhesion */
    uint64_t reads;     /* arrays of a batch that the kernel reads: RPS_ARRAY(overlap) | ... */
    uint64_t writes;    /* arrays that it writes: loads and accounts of its role; the engine clears the rest */
    rps_law_exception exception[RPS_LAW_EXCEPTIONS];
    /* Converts parameters to kernel constants; refuses invalid ones with a sentence. */
    rps_status (*prepare)(const rps_law_setup *setup, double *constant, rps_error *err);
    /* Fills `value`, in the order of the list, with derived values; NULL: none are derived. For explain and summary. */
    void (*effective)(const double *constant, double *value);
    /* Range of interaction, m: a contact lasts until its surfaces are farther apart than this; NULL: until they
     * separate. smaller_radius: of the two bodies; on a plane that of the other body; for non-spherical bodies half
     * the smallest width. The range must be at least 0, must not decrease as the radii grow, and must not grow faster
     * than they do. */
    double (*range)(const double *constant, double smaller_radius, double radius_eff);
    /* Whether memory entry `entry` is needed with these constants; NULL: all are. */
    int (*keeps)(const double *constant, int entry);
    /* How the engine rotates the law's tangent memories with the contact; NULL: RPS_TURN_CARRIED. */
    rps_law_turn (*turn)(const double *constant);
    /* Largest stiffness and damper at the given contact; NULL: none. */
    rps_law_spring (*spring)(const double *constant, const rps_law_contact *contact);
    /* Laws of liquid bridges: where their volume comes from. */
    void (*liquid)(const double *constant, rps_law_liquid *out);
    /* The law in the form of the nonsmooth stepper; NULL: none, and that stepper refuses pairs with this law. `cone`
     * starts with thresholds 0, stiffness INFINITY, restitution 1, the rest 0; the law overwrites what it defines. */
    void (*cone)(const double *constant, const rps_law_contact *contact, rps_law_cone *cone);
    /* With `cone`: under which conditions, or with which difference; NULL: as it is. Without: why not, and the remedy. */
    const char *nonsmooth;
    /* One kernel per instruction set (see RPS_LAW_KERNELS); a user-defined law repeats its one kernel. */
    rps_law_kernel kernel[3];
} rps_law;

/* The laws of the library: by role and name (NULL: none of that name), and by index (from 0; NULL: past the end). */
RPS_API const rps_law *rps_law_find(rps_role role, const char *name);
RPS_API const rps_law *rps_law_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
