/*
 * Shared declarations of the nonsmooth stepper. One step, from positions x and velocities v:
 *
 *   bodies      v* = v + h M^-1 forces; what drives move has its mean velocity of the step      (nonsmooth_bodies.c)
 *   detect      pairs that may close within the step                                            (floor detect)
 *   meshes      feet of balls on meshes                                                         (nonsmooth_mesh.c)
 *   contacts    geometry at x; thresholds and springs of the laws; six rows each                (nonsmooth_contacts.c)
 *   joints      their rows; loads, energies and results                (nonsmooth_joints.c, nonsmooth_joint_books.c)
 *   solve       impulses r of all rows, u = D' v + b + C r                                      (floor cone)
 *   loads       r/h as forces and torques; v = v* + M^-1 D r, summed by every body in key order (nonsmooth_bodies.c)
 *   accounts    what each mechanism dissipated and stores, modes, the contact's memory          (nonsmooth_energy.c)
 *   motion      x + h v, the turn of the step                                                   (motion.c)
 *
 * Arrays over bodies are by slot. Nodes are the free bodies in the order of ids, and contacts are in the order of
 * keys. So the solver visits them in the order of the scene, and results depend on neither slots nor lists.
 */
#ifndef RPS_STEP_NONSMOOTH_H
#define RPS_STEP_NONSMOOTH_H

#include "cone/system.h"
#include "step/step_stages.h"

enum { RPS_SLIDE_GROUP = 1, RPS_SPIN_GROUP, RPS_ROLL_GROUP, RPS_GROUPS }; /* 0: the normal row */

/* m/s and rad/s, of the centre. */
typedef struct rps_twist {
    double v[3], w[3];
} rps_twist;

/* A contact of the step beside its rows. */
typedef struct rps_step_contact {
    const rps_segment *segment;
    size_t place;
    uint32_t slot[2];
    rps_vec3 n, t1, t2, branch[2];                    /* m, to the point where forces act */
    double run[6];                                    /* m/s, rad/s: of the rows, by surfaces that run */
    double was[6];                                    /* m/s, rad/s: of the rows at the beginning of the step */
    double gap;                                       /* m */
    double conformity;                                /* rps_touch.conformity */
    double memory[6];                                 /* elastic impulses of the last step in this frame */
    double stiffness[RPS_GROUPS], damper[RPS_GROUPS]; /* N/m, N s/m; N m/rad, N m s/rad; INFINITY, 0: rigid */
    rps_law_contact law;                              /* what the laws are asked with */
    double pull;                                      /* N, of adhesion: normal loads are impulses less this */
    double restitution;
    double gap_held; /* m, at which the spring of the normal row begins: the gap, or what recovery leaves of it */
    double exponent; /* of the normal law */
    double modulus;  /* N/m^exponent, of a normal spring that is followed */
    double acts;     /* s, of the step, for which friction acts: of an impact its duration at most */
    double kept;     /* part of the step for which it acts with the load of its springs */
    double past[RPS_GROUPS];  /* weight of `was` beside the velocity at the end, in rows of friction */
    bool follows[RPS_GROUPS]; /* springs and dashpots of which the step resolves the motion (nonsmooth_follow.c) */
    bool impact;              /* rebounds in this step */
    double gives_back;        /* part of its restitution that an impact has */
} rps_step_contact;

typedef enum rps_step_part {
    RPS_ROW_HELD,
    RPS_ROW_DRIVEN,
    RPS_ROW_FRICTION,
    RPS_ROW_STOP,
    RPS_ROW_SPRING
} rps_step_part;

/* A row of a joint: velocity of the first body less that of the second along a direction, of the point or of turning. */
typedef struct rps_step_joint_row {
    rps_step_part part;
    bool turns, placed; /* placed: its coordinate is held, or prescribed without a bound */
    rps_vec3 along;
    double twist;      /* m, of a screw: this times the velocity of turning along it is added to that of the point */
    double error;      /* m or rad, of what is held */
    double bias;       /* m/s or rad/s, beside that of the error */
    double compliance; /* 1/kg or 1/(kg m^2) */
    double low, high;  /* N s or N m s, bounds of the impulse */
    int memory;        /* which of the joint's impulses; the stops of a coordinate share one */
} rps_step_joint_row;

/* A joint of the step. */
typedef struct rps_step_joint {
    size_t joint, first; /* index in the world; number of its first row */
    uint32_t slot[4];    /* UINT32_MAX: the world, or none; of a coupling those of both joints */
    rps_vec3 branch[4];  /* m, to the point where its force acts */
    rps_vec3 other;      /* of a coupling: direction of its row in the second joint, times -ratio */
    bool other_turns;
    rps_quat axes;                         /* of the joint in the second body, to those of the world */
    rps_vec3 along[RPS_JOINT_COORDINATES]; /* directions of the coordinates */
    double speed, bound; /* m/s or rad/s, that a drive prescribes; N s or N m s, that it gives for that at most */
    rps_vec3 load[2];    /* N, N m: force and couple that are commanded, or of springs without their rows */
    int rows;
    rps_step_joint_row row[RPS_JOINT_ROWS];
} rps_step_joint;

/* By contact. */
typedef struct rps_step_rows {
    rps_scratch contact, cone; /* rps_step_contact, rps_cone_contact */
    rps_scratch impulse, slip; /* double [6], double */
} rps_step_rows;

/* Which rows joints have. */
typedef enum rps_joint_pass {
    RPS_PASS_STEP, /* of a nonsmooth step: velocities of the whole step, which take places along */
    RPS_PASS_PLACES, /* of the penalty stepper, before motion: velocities that lead to places at its end (penalty_joints.c) */
    RPS_PASS_SPEEDS /* of the penalty stepper, after motion: velocities alone */
} rps_joint_pass;

typedef struct rps_nonsmooth {
    rps_cone_system *system;
    rps_joint_pass pass;
    double kick; /* s, for which loads of joints act */
    size_t nodes, contacts, rows;
    /* Number of a node without mobility, after those of the free bodies. It represents one side of a contact between
     * two bodies that no impulse moves; only the compliance determines the load of such a contact. */
    uint32_t still;
    double slip_speed; /* m/s: slower sliding counts as sticking */
    bool pulls;        /* some normal law is adhesive */
    bool missed;       /* the last solution ended above the tolerance */
    rps_scratch before,
        after;         /* rps_twist by slot: velocities at the beginning (of what drives move: the mean), and now */
    rps_scratch trial; /* the same, of the solver */
    rps_scratch node, node_of;       /* rps_cone_node; uint32_t by slot */
    rps_scratch slot_of_node;        /* uint32_t */
    rps_scratch velocity;            /* rps_twist by node, of the solver */
    rps_scratch first;               /* size_t by id: number of the first pair that is listed with the body as i */
    rps_scratch flag, number;        /* uint8_t, uint32_t by listed pair: has rows; number among those that have */
    rps_scratch picked;              /* uint32_t by entry: contact + 1, 0: none */
    rps_step_rows now, old;          /* contacts of the step, and capacity */
    size_t locks;                    /* number of rows of locked axes, which come first */
    rps_scratch row;                 /* rps_cone_joint_row */
    rps_scratch row_impulse;         /* double */
    rps_scratch joint;               /* rps_step_joint */
    rps_scratch joint_load;          /* rps_twist by slot: force and torque of all joints of a body, or commanded */
    rps_scratch group, relaxation;   /* by node: lowest node of its island; by that: fraction of its error corrected */
    rps_scratch limit;               /* double [2] by joint: m/s and rad/s */
    rps_scratch island, island_work; /* by node: lowest of bodies in contact with it; J, double [2] by that */
    /* of the penalty stepper alone */
    size_t members;
    rps_scratch member, kept; /* uint32_t: slots of the bodies that joints hold; what a trial of their motion changes */
    rps_scratch goal,
        miss; /* double by row: error that the step is to leave, m or rad; what a trial leaves beside it */
} rps_nonsmooth;

/* Makes world.nonsmooth, unless it is there. */
rps_status rps_nonsmooth_create(rps_world *world, rps_error *err);

/* The parts of a step read the world and the data of the step; each other argument that is not const is written. */

/* Bodies (nonsmooth_bodies.c). The speed that lists must allow for (m/s). */
double rps_nonsmooth_look_ahead(const rps_world *world);
/* Velocities at the beginning, and free of contacts at the end, once slots stay where they are. */
rps_status rps_nonsmooth_predict(const rps_world *world, rps_nonsmooth *ns, rps_error *err);
/* Free bodies in the order of ids. A locked axis is a bilateral row: no velocity along it. */
rps_status rps_nonsmooth_nodes(const rps_world *world, rps_nonsmooth *ns, rps_error *err);
/* Loads and velocities at the end of the step. Returns the largest distance of the solver's velocities from these over
 * the largest change by the impulses. */
double rps_nonsmooth_kick(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies);
/* Records the dissipated energies of bodies, and the work of drives against the loads. account: of fixed and driven
 * bodies. */
void rps_nonsmooth_book(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies,
                        rps_exact_sum account[RPS_ACCOUNTS]);
/* Loads of the bodies at the start. */
void rps_nonsmooth_first_loads(const rps_world *world, rps_bodies *bodies);
/* NaN wins, so that it is noticed. */
static inline double rps_nonsmooth_larger(double most, double x) {
    return most == most && !(x <= most) ? x : most;
}

/* m/s, above which bodies rebound. */
double rps_nonsmooth_impact_speed(const rps_world *world);

/* rad/s, change of the angular velocity by an angular impulse. */
rps_vec3 rps_nonsmooth_turned_by(const rps_bodies *bodies, size_t slot, rps_vec3 impulse);
/* M^-1 of a body. */
void rps_nonsmooth_make_node(const rps_world *world, size_t slot, rps_cone_node *node);
/* The row of a locked axis. */
bool rps_nonsmooth_lock_row(const rps_world *world, size_t slot, uint32_t node, uint32_t joint,
                            rps_cone_joint_row *row);
/* Velocities of the nodes without impulses: `after`, and what the commanded loads of joints add. */
void rps_nonsmooth_free_velocities(const rps_world *world, rps_nonsmooth *ns);
/* m/s and rad/s, mean of the coming step, of what a drive moves; 0 of others. */
rps_twist rps_nonsmooth_mean_drive(const rps_world *world, size_t slot);

/* Impulses of all rows; adds to the report. */
rps_status rps_nonsmooth_solve(const rps_world *world, rps_nonsmooth *ns, rps_solver_report *report, rps_error *err);

/* Finds the feet of balls on meshes (nonsmooth_mesh.c), for the parts below. *crowded: a ball has more than slots. */
rps_status rps_nonsmooth_meshes(const rps_world *world, const rps_nonsmooth *ns, rps_contacts *contacts, bool *crowded,
                                rps_error *err);
/* Chooses the contacts of the step and makes their rows and start values. */
rps_status rps_nonsmooth_contacts(const rps_world *world, rps_nonsmooth *ns, rps_error *err);
/* Adds contacts without rows that close at the solver's velocities (ns->trial). */
rps_status rps_nonsmooth_add(const rps_world *world, rps_nonsmooth *ns, bool *added, rps_error *err);
/* Sets what surfaces that run add to that velocity; frame and branches are set. */
void rps_nonsmooth_run(const rps_world *world, rps_step_contact *contact);
/* Books the work of their drives in the step. */
void rps_nonsmooth_book_surfaces(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies);
/* Velocities of the rows: of the points of i less those of j; w of i less w of j; of the material, where surfaces run. */
void rps_contact_velocity(const rps_step_contact *contact, const rps_twist *twist, double u[6]);

/* Overlap of a contact at the present positions of its bodies, m, which have moved for `time` (s) since its rows were made. */
double rps_nonsmooth_overlap(const rps_world *world, const rps_nonsmooth *ns, const rps_step_contact *contact,
                             double time);

/* Contacts that the step resolves (nonsmooth_follow.c). speed: m/s, u_n at the end of the step, guessed or found.
 * True if a spring turns the motion of such a mass slowly enough; the normal one an impact at the present speed. depth: m, now. */
bool rps_nonsmooth_resolves(double step, double stiffness, double inverse_mass);
bool rps_nonsmooth_resolves_impact(const rps_step_contact *contact, double step, double depth);
/* m, mean of the overlaps at the ends of the displacement of a step, at least a millionth of R_eff; that at its end; N, of the spring at an overlap;
 * J, its energy there. */
double rps_nonsmooth_mean_depth(const rps_step_contact *contact, double step, double speed);
double rps_nonsmooth_depth(const rps_step_contact *contact, double step, double speed);
double rps_nonsmooth_spring_load(const rps_step_contact *contact, double depth);
double rps_nonsmooth_spring_energy(const rps_step_contact *contact, double depth);
/* Part of the displacement of the step along which bodies overlap, at least a thousandth. */
double rps_nonsmooth_touching(const rps_step_contact *contact, double step, double speed);
/* Weight of the velocity at the end of a step in the load of a damper, beside that at its beginning: 1/2 of a slow one, so that
 * the step is of second order, and 1 of a fast one. rate: of its decay, times the step. */
double rps_nonsmooth_damper_end(double rate);
/* N, of spring and dashpot together, at least 0. */
double rps_nonsmooth_follow_load(const rps_step_contact *contact, double step, double speed);
/* The same at both ends of the displacement. */
void rps_nonsmooth_end_loads(const rps_step_contact *contact, double step, double speed, double load[2]);
/* Compliance and bias of the normal row, about a guess. */
void rps_nonsmooth_follow_normal(const rps_step_contact *contact, double step, double speed, rps_cone_contact *cone);
/* True if the impulse fits the speed with which it was found. slow: m/s, a change of velocity that does not matter. */
bool rps_nonsmooth_guessed(const rps_step_contact *contact, double step, double speed, double impulse, double slow);

/* Springs with a solved load far above the load of their secant get the secant of the solved load. Returns how many;
 * if there are any, the problem must be solved again. */
size_t rps_nonsmooth_stiffen(const rps_world *world, rps_nonsmooth *ns);
/* Lowers the restitution of impacts that together create energy at the solver's velocities (ns->trial; nonsmooth_impacts.c).
 * *restrained: how many; if there are any, the problem must be solved again. */
rps_status rps_nonsmooth_restrain(const rps_world *world, rps_nonsmooth *ns, size_t *restrained, rps_error *err);
/* Sets the bias of a contact again. */
void rps_nonsmooth_set_bias(const rps_world *world, rps_nonsmooth *ns, size_t k);
/* The spring forces of compressed contacts before the first step, as impulses of a preceding step. */
void rps_nonsmooth_press(const rps_world *world, rps_nonsmooth *ns);

/* Rows of the joints, behind those of locked axes. Velocities and nodes are known. */
rps_status rps_nonsmooth_joints(const rps_world *world, rps_nonsmooth *ns, rps_error *err);
/* Errors at the present poses of the rows that RPS_PASS_PLACES leads to places, in the order of all rows (m or rad; 0 of the
 * others), less `goal`; the largest over the size of its joint. *worst: that joint. */
double rps_nonsmooth_joint_errors(const rps_world *world, const rps_nonsmooth *ns, double *error, size_t *worst);
/* At the start: counts rows that others imply; RPS_BAD_INPUT for joints that contradict each other (joint_rank.c). */
rps_status rps_nonsmooth_rank(const rps_world *world, const rps_nonsmooth *ns, uint64_t *redundant, rps_error *err);
/* Sets their loads on bodies to 0. */
void rps_nonsmooth_clear_joint_loads(const rps_world *world, rps_nonsmooth *ns);
/* Loads from the impulses; then, with the velocities, energies and memory; after motion the results. joint: those of
 * the world, of which the memory is written. */
void rps_nonsmooth_joint_loads(const rps_world *world, rps_nonsmooth *ns, rps_joint *joint);
/* drives: their work, in the penalty stepper, whose sums of loads write over that of bodies; NULL: into that of bodies. */
void rps_nonsmooth_joint_accounts(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                                  rps_exact_sum *drives);
void rps_nonsmooth_joint_results(const rps_world *world, const rps_nonsmooth *ns, rps_joint *joint);

/* Loads of all entries from the impulses. */
void rps_nonsmooth_loads(const rps_world *world, const rps_nonsmooth *ns, rps_contacts *contacts);
/* After the velocities are known: dissipation into the loads, memory and modes into the records. `first`: the loads
 * before the first step, which no motion has led to. True if some overlap is for the guard. */
bool rps_nonsmooth_accounts(const rps_world *world, const rps_nonsmooth *ns, rps_contacts *contacts, bool first);

/* Fills the results, after motion: overlaps are those at the end of the step. */
void rps_nonsmooth_results(const rps_world *world, const rps_nonsmooth *ns, double time, rps_contacts *contacts);

/* nonsmooth_change.c: the state of a contact of two bodies (by slot) under other laws: `state` holds that under the laws
 * `then`, with the memories that go on, and becomes that under `now`. And the impulses of all contacts in steps that
 * are longer by a ratio. */
void rps_nonsmooth_change(const rps_world *world, const rps_pair_setup *then, const rps_pair_setup *now,
                          const size_t slot[2], double *state);
void rps_nonsmooth_change_step(rps_contacts *contacts, double ratio);

#endif
