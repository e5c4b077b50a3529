/*
 * A bench on which a law is tried alone: one batch whose every lane the test owns, and pairs of materials whose
 * parameters are drawn at random within what the descriptor allows. A new law is drawn because it is listed.
 *
 * Every lane has guards on both sides. The descriptor of a law says which of them it may read and write.
 */
#ifndef TESTS_CONTRACT_LAW_BENCH_H
#define TESTS_CONTRACT_LAW_BENCH_H

#include "../physics/worlds.h"

#include "world/world.h"

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* X(lanes in a row, name in rps_batch) in the order of the bench; inputs first. */
/* clang-format off */
#define BENCH_INPUTS(X) \
    X(touch) X(new_contact) X(overlap) X(overlap_increment) X(radius_eff) X(length) X(mass_eff) X(weight) X(spin) \
    X(twist_radius) X(twist_radius_mean) X(damper_mass_sqrt) X(damper_inertia_sqrt)
/* clang-format on */
#define BENCH_INPUT_VECTORS(X) X(slip) X(roll_i) X(roll_j) X(rolling_radius) X(rolling_radius_mean)
#define BENCH_LOADS(X) \
    X(elastic_load)    \
    X(stiffness) X(contact_radius) X(pull) X(cap_bonus) X(damping_load) X(cap_load) X(spin_torque) X(bridge_load)
#define BENCH_LOAD_VECTORS(X) X(slide_force) X(roll_torque_i) X(roll_torque_j) X(bridge_force)

enum {
#define BENCH_LANE(name) LANE_##name,
#define BENCH_VECTOR(name) LANE_##name, LANE_##name##_1, LANE_##name##_2,
    BENCH_INPUTS(BENCH_LANE) BENCH_INPUT_VECTORS(BENCH_VECTOR) LANE_radius,
    LANE_radius_1,
    LANE_INPUTS,
    LANE_LAST_INPUT = LANE_INPUTS - 1,
    BENCH_LOADS(BENCH_LANE) BENCH_LOAD_VECTORS(BENCH_VECTOR)
#undef BENCH_LANE
#undef BENCH_VECTOR
        LANE_mode,
    LANE_elastic = LANE_mode + 2 * RPS_ROLE_COUNT,
    LANE_energy = LANE_elastic + RPS_ROLE_COUNT,
    LANE_dissipated = LANE_energy + RPS_ROLE_COUNT,
    LANE_memory = LANE_dissipated + RPS_ROLE_COUNT,
    LANES = LANE_memory + 3 * RPS_LAW_MEMORY
};

enum { GUARDS = 8 };

typedef struct bench_lane {
    double before[GUARDS];
    double x[RPS_BATCH];
    double after[GUARDS];
} __attribute__((aligned(64))) bench_lane;

typedef struct bench {
    rps_batch b;
    bench_lane lane[LANES];
} __attribute__((aligned(64))) bench;

/* All lanes 0 and bound, with a batch of `count` contacts. */
static inline void bench_clear(bench *t, int count, double dt) {
    memset(t, 0, sizeof *t);
    rps_batch *b = &t->b;
    b->count = count;
    b->dt = dt;
    b->rate = 1.0 / dt;
#define BENCH_LANE(name) b->name = t->lane[LANE_##name].x;
#define BENCH_VECTOR(name) \
    for (int k = 0; k < 3; k++) b->name[k] = t->lane[LANE_##name + k].x;
    BENCH_INPUTS(BENCH_LANE)
    BENCH_INPUT_VECTORS(BENCH_VECTOR)
    BENCH_LOADS(BENCH_LANE)
    BENCH_LOAD_VECTORS(BENCH_VECTOR)
#undef BENCH_LANE
#undef BENCH_VECTOR
    for (int k = 0; k < 2; k++) b->radius[k] = t->lane[LANE_radius + k].x;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        b->mode[role][0] = t->lane[LANE_mode + 2 * role].x;
        b->mode[role][1] = t->lane[LANE_mode + 2 * role + 1].x;
        b->elastic[role] = t->lane[LANE_elastic + role].x;
        b->energy[role] = t->lane[LANE_energy + role].x;
        b->dissipated[role] = t->lane[LANE_dissipated + role].x;
    }
    for (int m = 0; m < RPS_LAW_MEMORY; m++) {
        for (int k = 0; k < 3; k++) b->memory[m][k] = t->lane[LANE_memory + 3 * m + k].x;
    }
}

static inline void bench_fill(bench *t, int lane, double value) {
    for (int c = 0; c < RPS_BATCH; c++) t->lane[lane].x[c] = value;
}

static inline bool law_owns_memory(const rps_law *law, int lane) {
    const int m = (lane - LANE_memory) / 3, k = (lane - LANE_memory) % 3;
    if (lane < LANE_memory) return false;
    for (int e = 0; e <= m; e++) {
        if (!law->memory[e].name) return false;
    }
    return k == 0 || (law->memory[m].kind & RPS_MEMORY_TANGENT);
}

static inline bool is_books_of(int role, int lane) {
    return lane == LANE_elastic + role || lane == LANE_energy + role || lane == LANE_dissipated + role;
}

static inline bool is_mode_of(int role, int lane) {
    return lane == LANE_mode + 2 * role || lane == LANE_mode + 2 * role + 1;
}

/* The array of a batch that a lane of the bench belongs to; -1: a mode or memory. */
static inline int array_of(int lane) {
    static const struct {
        int first, array;
    } begin[] = {
#define BENCH_LANE(name) {LANE_##name, RPS_ARRAY_##name},
        BENCH_INPUTS(BENCH_LANE) BENCH_INPUT_VECTORS(BENCH_LANE) BENCH_LANE(radius) BENCH_LOADS(BENCH_LANE)
            BENCH_LOAD_VECTORS(BENCH_LANE)
#undef BENCH_LANE
                {LANE_mode, -1},
        {LANE_elastic, RPS_ARRAY_elastic},
        {LANE_energy, RPS_ARRAY_energy},
        {LANE_dissipated, RPS_ARRAY_dissipated},
        {LANE_memory, -1}};
    int array = -1;
    for (size_t k = 0; k < sizeof begin / sizeof *begin && begin[k].first <= lane; k++) array = begin[k].array;
    return array;
}

/* Lanes that a law may write by its descriptor. */
static inline bool law_writes(const rps_law *law, int lane) {
    const int role = (int)law->role, array = array_of(lane);
    if (law_owns_memory(law, lane)) return true;
    if (lane >= LANE_mode && lane < LANE_elastic) return is_mode_of(role, lane) && (lane - LANE_mode) % 2 < law->modes;
    if (lane >= LANE_elastic && lane < LANE_memory && !is_books_of(role, lane)) return false;
    return array >= 0 && (law->writes >> array & 1);
}

/* Lanes that a law may read by its descriptor, its own modes and memory. */
static inline bool law_reads(const rps_law *law, int lane) {
    const int array = array_of(lane);
    if (law_owns_memory(law, lane) || is_mode_of((int)law->role, lane)) return true;
    return array >= 0 && (law->reads >> array & 1);
}

/* --- subjects ----------------------------------------------------------------------------------------------------- */

/* A law with parameters, in a form. */
typedef struct subject {
    const rps_law *law;
    rps_world *world;
    const rps_pair_setup *setup;
    const double *constant;
    const char *form_name;
    int form; /* number: 0 symmetric, 1 paper, then each choice of the paper alone */
    uint64_t draw;
} subject;

enum {
    FORM_SYMMETRIC,
    FORM_PAPER,
    FORM_LOWER,
    FORM_SURFACE,
    FORM_PER_BODY,
    FORM_ANGLE,
    FORM_FREE,
    FORM_AVERAGE,
    FORM_CAP_ELASTIC,
    FORMS
};

static inline rps_form form_of(int form, const char **name) {
    static const char *const names[FORMS] = {
        "symmetric",    "paper",        "frame: lower",         "path: surface",    "history: per-body",
        "carry: angle", "damper: free", "damper_mass: average", "cap_load: elastic"};
    rps_form f = form == FORM_PAPER ? rps_form_paper() : rps_form_symmetric();
    if (form == FORM_LOWER) f.frame = RPS_FRAME_LOWER;
    if (form == FORM_SURFACE) f.path = RPS_PATH_SURFACE;
    if (form == FORM_PER_BODY) f.history = RPS_HISTORY_PER_BODY;
    if (form == FORM_ANGLE) f.carry = RPS_CARRY_ANGLE;
    if (form == FORM_FREE) f.damper = RPS_DAMPER_FREE;
    if (form == FORM_AVERAGE) f.damper_mass = RPS_DAMPER_MASS_AVERAGE;
    if (form == FORM_CAP_ELASTIC) f.cap_load = RPS_CAP_ELASTIC;
    if (name) *name = names[form];
    return f;
}

/* A number for a parameter: of a size that suits a grain of 1 cm, by unit, within the parameter's range. A time is that of a
 * roll, but the delay of a dashpot is far below the time of a contact. */
static inline double draw_value(rps_role role, const rps_law_parameter *p, uint64_t stream, uint64_t n) {
    const struct {
        const char *unit;
        double low, high;
    } usual[] = {
        {"", 0.05, 2.0},        {"N/m", role == RPS_ROLE_BRIDGE ? 0.01 : 1e3, role == RPS_ROLE_BRIDGE ? 0.1 : 1e5},
        {"Pa", 1e6, 1e9},       {"N", 0.1, 100.0},
        {"N s/m", 0.01, 10.0},  {"N m s/rad", 1e-6, 1e-3},
        {"N m/rad", 0.1, 10.0}, {"rad", 1e-5, 1e-3},
        {"1/m", 30.0, 3e3},     {"1/s", 1.0, 1e3},
        {"m^3", 1e-10, 1e-8},   {"Pa s", 1e-4, 1.0},
        {"1/m/s", 1e2, 1e5},    {"s", role == RPS_ROLE_DAMPING ? 1e-6 : 1e-4, role == RPS_ROLE_DAMPING ? 1e-4 : 0.1}};
    if (p->choices) {
        int choices = 1;
        for (const char *c = p->choices; *c; c++) choices += *c == '|';
        return floor(uniform(stream, n, 0.0, choices));
    }
    double low = fmax(p->low, 1e-3), high = fmin(p->high, 1e3);
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        if (strcmp(usual[k].unit, p->unit) == 0) {
            low = fmax(p->low, usual[k].low);
            high = fmin(p->high, usual[k].high);
        }
    }
    return low * pow(high / low, uniform(stream, n, 0.0, 1.0));
}

/* SMOOTH: static = kinetic and no damper, where the law has such parameters. DAMPED: every other draw has a damper of
 * half of critical, or for tsuji a restitution of one half. */
typedef enum drawing { ANY, SMOOTH, DAMPED } drawing;

/* The draws of other roles are from before there were bridges. */
static inline uint64_t stream_of_role(rps_role role) {
    if (role == RPS_ROLE_BRIDGE) return RPS_ROLE_COUNT - 1;
    return (uint64_t)role - (role > RPS_ROLE_BRIDGE);
}

/* Draws until the law takes it: parameters that may be left out are, half of the time. Company: Hooke or Hertz, and
 * for roll and spin the tracked slide law. */
static inline subject subject_of(const rps_law *law, int form, uint64_t draw, drawing kind) {
    subject s = {.law = law, .form = form, .draw = draw};
    const bool smooth = kind == SMOOTH, damped = kind == DAMPED && draw % 2 == 1;
    rps_world_options options = options_of(1e-5);
    const char *curved = law->dimension == 2 ? "hertz2d" : "hertz";
    if (law->dimension == 2) options.dimension = 2; /* 1 m deep */
    rps_pair pair = tracked_pair();
    pair.form = form_of(form, &s.form_name);
    pair.law[RPS_ROLE_SLIDE] = pair.law[RPS_ROLE_ROLL] = pair.law[RPS_ROLE_SPIN] = NULL;
    for (int k = 0; k < RPS_LAW_PARAMETERS; k++) {
        pair.value[RPS_ROLE_SLIDE][k] = pair.value[RPS_ROLE_ROLL][k] = pair.value[RPS_ROLE_SPIN][k] = NAN;
    }
    if (law->role > RPS_ROLE_SLIDE) {
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", smooth ? 0.5 : 0.4, "stiffness", 5e4, NULL);
    }
    if (draw % 2) use(&pair, RPS_ROLE_NORMAL, curved, NULL);
    pair.tension = draw / 2 % 2 ? RPS_TENSION_ALLOW : RPS_TENSION_CUT;
    s.world = world_of(&options, &pair);
    if (!rps_world_find_law(s.world, law->role, law->name)) MUST(rps_world_register_law(s.world, law, ERR));
    pair.law[law->role] = law;
    rps_error err = {0};
    for (uint64_t attempt = 0; attempt < 4000; attempt++) {
        /* a law may be stated for Hertz alone */
        if (attempt == 2000) use(&pair, RPS_ROLE_NORMAL, curved, NULL);
        int at_static = -1, at_angle = -1;
        for (uint64_t k = 0; k < RPS_LAW_PARAMETERS; k++) {
            const rps_law_parameter *p = &law->parameter[k];
            pair.value[law->role][k] = NAN;
            if (!p->name) continue;
            const uint64_t stream = 1000 * draw + 10 * stream_of_role(law->role) + 7,
                           n = (attempt * RPS_LAW_PARAMETERS + k) * 2;
            if (uniform(stream, n, 0.0, 1.0) < 0.5) pair.value[law->role][k] = draw_value(law->role, p, stream, n + 1);
            if (damped && (strcmp(p->name, "damping") == 0 || strcmp(p->name, "restitution") == 0)) {
                pair.value[law->role][k] = 0.5;
            }
            if (damped && strcmp(p->name, "damper") == 0 && law->parameter[k + 1].name &&
                strcmp(law->parameter[k + 1].name, "damping") == 0) {
                pair.value[law->role][k] = NAN;
            }
            if (!smooth) continue;
            if (strcmp(p->name, "static") == 0) at_static = (int)k;
            if (strcmp(p->name, "angle_static") == 0) at_angle = (int)k;
            if (strcmp(p->name, "kinetic") == 0 && at_static >= 0) {
                pair.value[law->role][k] = pair.value[law->role][at_static];
            }
            if (strcmp(p->name, "angle_kinetic") == 0 && at_angle >= 0) {
                pair.value[law->role][k] = pair.value[law->role][at_angle];
            }
            if (strcmp(p->name, "damping") == 0) pair.value[law->role][k] = 0.0;
            if (strcmp(p->name, "damper") == 0) pair.value[law->role][k] = NAN;
        }
        if (rps_world_set_pair(s.world, 0, 0, &pair, &err) == RPS_OK) {
            s.setup = rps_world_pair_of(s.world, 0, 0);
            s.constant = s.setup->constant[law->role];
            return s;
        }
        assert_true(strlen(err.text) > 20); /* a refusal is a sentence */
    }
    fail_msg("%s law \"%s\" takes none of 4000 draws in form %s; the last refusal: %s", rps_role_name(law->role),
             law->name, s.form_name, err.text);
    return s;
}

static inline void subject_release(subject *s) {
    rps_world_destroy(s->world);
    s->world = NULL;
}

/* Calls the law as the engine does: entries that it does not keep are 0. */
static inline void evaluate(bench *t, const subject *s, int isa) {
    for (int m = 0; m < RPS_LAW_MEMORY && s->law->memory[m].name; m++) {
        if (s->law->keeps && !s->law->keeps(s->constant, m)) {
            for (int k = 0; k < 3; k++) bench_fill(t, LANE_memory + 3 * m + k, 0.0);
        }
    }
    s->law->kernel[isa](&t->b, s->constant);
}

/* A resting contact of grains of 1 cm under a load, in every lane. */
static inline void bench_rest(bench *t, int count, double dt, double load) {
    static const struct {
        int lane;
        double value;
    } rest[] = {{LANE_touch, 1.0},
                {LANE_overlap, 1e-4},
                {LANE_radius_eff, 0.01},
                {LANE_radius, 0.02},
                {LANE_radius_1, 0.02},
                {LANE_length, 1.0},
                {LANE_mass_eff, 0.01},
                {LANE_rolling_radius, 0.02},
                {LANE_rolling_radius_2, 0.02},
                {LANE_rolling_radius_mean, 0.02},
                {LANE_rolling_radius_mean_2, 0.02},
                {LANE_twist_radius, 0.01},
                {LANE_twist_radius_mean, 0.01},
                {LANE_damper_mass_sqrt, 0.1},
                {LANE_damper_inertia_sqrt, 6e-4},
                {LANE_stiffness, 1e4},
                {LANE_contact_radius, 1e-3}};
    bench_clear(t, count, dt);
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) bench_fill(t, rest[k].lane, rest[k].value);
    bench_fill(t, LANE_elastic_load, load);
    bench_fill(t, LANE_cap_load, load);
    bench_fill(t, LANE_weight, load);
}

/* --- friction laws alike ------------------------------------------------------------------------------------------ */

/* The motion that a friction law resists: slip; roll of both bodies; spin (x of a). */
static inline void bench_move(bench *t, rps_role role, int c, rps_vec3 a, rps_vec3 b) {
    const double va[3] = {a.x, a.y, a.z}, vb[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 3; k++) {
        t->lane[LANE_slip + k].x[c] = role == RPS_ROLE_SLIDE ? va[k] : 0.0;
        t->lane[LANE_roll_i + k].x[c] = role == RPS_ROLE_ROLL ? va[k] : 0.0;
        t->lane[LANE_roll_j + k].x[c] = role == RPS_ROLE_ROLL ? vb[k] : 0.0;
    }
    t->lane[LANE_spin].x[c] = role == RPS_ROLE_SPIN ? a.x : 0.0;
}

/* The loads that work on that motion. */
static inline void bench_load(const bench *t, rps_role role, int c, rps_vec3 *a, rps_vec3 *b) {
    const int first = role == RPS_ROLE_SLIDE ? LANE_slide_force : LANE_roll_torque_i;
    *a = *b = rps_vec3_zero();
    if (role == RPS_ROLE_SPIN) {
        a->x = t->lane[LANE_spin_torque].x[c];
        return;
    }
    *a = rps_vec3_make(t->lane[first].x[c], t->lane[first + 1].x[c], t->lane[first + 2].x[c]);
    if (role == RPS_ROLE_ROLL) {
        *b = rps_vec3_make(t->lane[LANE_roll_torque_j].x[c], t->lane[LANE_roll_torque_j_1].x[c],
                           t->lane[LANE_roll_torque_j_2].x[c]);
    }
}

/* Largest single motion from rest that still sticks at the load of `rest`, so slow that no dashpot takes part, and the
 * elastic load there: the static cap. 0 if the law has no elastic load. */
static inline double static_cap(const subject *s, const bench *rest, double *motion) {
    static bench t;
    double low = 1e-15, high = 10.0, cap = 0.0;
    for (int k = 0; k < 200; k++) {
        const double mid = sqrt(low * high);
        if (mid <= low || mid >= high) break;
        bench_clear(&t, rest->b.count, rest->b.dt);
        memcpy(t.lane, rest->lane, sizeof t.lane);
        t.b.rate = 0.0;
        bench_move(&t, s->law->role, 0, rps_vec3_make(mid, 0.0, 0.0), rps_vec3_zero());
        evaluate(&t, s, 0);
        if (t.lane[LANE_mode + 2 * (int)s->law->role].x[0] < 0.5) {
            low = mid;
            cap = t.lane[LANE_elastic + (int)s->law->role].x[0];
        } else {
            high = mid;
        }
    }
    if (motion) *motion = low;
    return cap;
}

#endif
