/*
 * Every stage of a step writes what it is declared to write, and nothing else.
 *
 * Worlds are stepped by calls of the stages, as penalty.c does. The fingerprints of all parts of the world are compared
 * before and after each stage. A part that changes without being declared fails; so does, at the end, a part that is
 * declared and never changes in any world: the table is not wider than the truth.
 */
#include "../physics/worlds.h"

#include "detect/lists.h"
#include "parts_common.h"
#include "stage_worlds_common.h"
#include "step/force_kick.h"
#include "step/penalty_joints.h"

/* --- the table ------------------------------------------------------------------------------------------------------ */

typedef enum stage {
    GUARD_BEGIN,
    FORCES_ACT,
    APPLIED_BEGIN,
    MOTION_START,
    SHEAR_ADVANCE,
    GUARD_MOTION,
    DETECT_FRESH, /* the lists stay */
    DETECT_NEIGHBORS,
    DETECT_CANDIDATES,
    EVALUATE,
    LIQUID,
    BOOK_CONTACTS,
    SURFACE_LOADS,
    SHEAR_ACCOUNT,
    SURFACES_BOOK,
    BONDS_EVALUATE,
    BONDS_KICK,
    MOTION_FINISH,
    BONDS_FINISH,
    KICK_DRIFT,
    APPLIED_END,
    GUARD_CONTACTS,
    ENERGY,
    STEP_PREDICT,
    STEP_NODES,
    STEP_JOINTS,
    STEP_RANK,
    STEP_MESHES,
    STEP_CONTACTS,
    STEP_PRESS,
    STEP_SOLVE,
    STEP_LOADS,
    STEP_JOINT_LOADS,
    STEP_FIRST_LOADS,
    STEP_KICK,
    STEP_ACCOUNTS,
    STEP_BOOK,
    STEP_SURFACES,
    STEP_JOINT_ACCOUNTS,
    SERVOS_AIM,
    MOTION_DRIFT,
    MOTION_DRIVES,
    STEP_RESULTS,
    STEP_JOINT_RESULTS,
    JOINTS_START,
    JOINTS_LEAD,
    JOINTS_UNLOAD,
    JOINTS_KEEP,
    JOINTS_FOLLOW,
    QUESTIONS, /* functions that take a const world */
    STAGES
} stage;

#define BODY(field) PART_body_##field
#define LINEAR BODY(position), BODY(velocity), BODY(image)
#define ANGULAR \
    BODY(rodrigues), BODY(rodrigues_scale), BODY(angular_velocity), BODY(angular_momentum), BODY(orientation)
#define KICK BODY(velocity), BODY(angular_velocity), BODY(angular_momentum)
#define APPLIED BODY(applied_force), BODY(applied_work), BODY(applies), PART_applied
#define SUMS BODY(force), BODY(torque), BODY(work), BODY(dissipated), PART_accounts, PART_common_sums
/* The entries and what belongs to them. The loads are on loan to the neighbor list while it is built. */
#define ENTRIES                                                                                             \
    PART_entries, PART_references, PART_constants, PART_load, PART_has_load, PART_was_active, PART_rebuild, \
        PART_result, PART_apart, PART_meshes, PART_candidate_marks, PART_search, PART_paths, PART_life, PART_deviation

static const struct {
    const char *name;
    uint8_t writes[32]; /* up to PART_NONE */
} table[STAGES] = {
    [GUARD_BEGIN] = {"rps_guard_begin", {PART_guard, PART_bond_index}},
    [FORCES_ACT] = {"rps_forces_act", {KICK, PART_changes}},
    [APPLIED_BEGIN] = {"rps_external_all (begin)", {BODY(applied_work)}},
    [MOTION_START] = {"rps_motion_start",
                      {LINEAR, ANGULAR, BODY(normal), PART_servos, PART_moved, PART_deviation, BODY(applied_work)}},
    [SHEAR_ADVANCE] = {"rps_shear_advance", {LINEAR, PART_cell, PART_shear, PART_paths}},
    [GUARD_MOTION] = {"rps_guard_motion", {PART_guard}},
    [DETECT_FRESH] = {"rps_detect_update (lists stay)", {PART_life, PART_deviation}},
    [DETECT_NEIGHBORS] = {"rps_detect_update (neighbor list)", {ENTRIES}},
    [DETECT_CANDIDATES] = {"rps_detect_update (both lists)",
                           {ENTRIES, PART_slots, PART_cells, PART_candidates, PART_ranges}},
    [EVALUATE] = {"rps_evaluate",
                  {PART_state, PART_load, PART_has_load, PART_was_active, PART_result, PART_apart, PART_meshes,
                   PART_lanes, PART_deep, PART_evaluated, PART_changes}},
    [LIQUID] = {"rps_liquid_move", {PART_state, PART_liquid}},
    [BOOK_CONTACTS] = {"rps_bonds_book_contacts", {PART_bond_records, PART_bond_counts, PART_changes, PART_lanes}},
    [SURFACE_LOADS] = {"rps_surface_loads_add", {PART_surface_loads}},
    [SHEAR_ACCOUNT] = {"rps_shear_account", {PART_shear}},
    [SURFACES_BOOK] = {"rps_surfaces_book", {BODY(work), PART_servos}},
    [BONDS_EVALUATE] = {"rps_bonds_evaluate", {PART_bond_records, PART_bond_loads, PART_bond_index}},
    [BONDS_KICK] = {"rps_bonds_kick", {KICK, BODY(work)}},
    [MOTION_FINISH] = {"rps_motion_finish", {KICK, SUMS, APPLIED}},
    [BONDS_FINISH] = {"rps_bonds_finish",
                      {BODY(force), BODY(torque), PART_bond_records, PART_bond_loads, PART_bond_index,
                       PART_bond_counts}},
    [KICK_DRIFT] = {"rps_motion_kick_drift", {LINEAR, ANGULAR, BODY(normal), SUMS, PART_moved, PART_deviation}},
    [APPLIED_END] = {"rps_external_all (end)", {APPLIED}},
    [GUARD_CONTACTS] = {"rps_guard_contacts", {PART_guard, PART_domain, PART_bond_index}},
    [ENERGY] = {"rps_evaluate_energy", {PART_lanes}},
    [STEP_PREDICT] = {"rps_nonsmooth_predict", {PART_step_velocities, PART_step_trial}},
    [STEP_NODES] = {"rps_nonsmooth_nodes", {PART_step_nodes, PART_step_impulses, PART_step_joints}},
    [STEP_JOINTS] = {"rps_nonsmooth_joints", {PART_step_joints, PART_step_impulses, PART_step_joint_loads}},
    [STEP_RANK] = {"rps_nonsmooth_rank", {PART_solver}},
    [STEP_MESHES] = {"rps_nonsmooth_meshes", {PART_meshes}},
    [STEP_CONTACTS] = {"rps_nonsmooth_contacts", {PART_step_choice, PART_step_contacts, PART_step_impulses}},
    [STEP_PRESS] = {"rps_nonsmooth_press", {PART_step_impulses}},
    [STEP_SOLVE] = {"rps_nonsmooth_solve", {PART_solver, PART_step_trial, PART_step_impulses, PART_step_contacts}},
    [STEP_LOADS] = {"rps_nonsmooth_loads", {PART_load, PART_has_load}},
    [STEP_JOINT_LOADS] = {"rps_nonsmooth_joint_loads", {PART_joint_memory, PART_step_joint_loads}},
    [STEP_FIRST_LOADS] = {"rps_nonsmooth_first_loads", {BODY(force), BODY(torque)}},
    [STEP_KICK] = {"rps_nonsmooth_kick", {KICK, BODY(force), BODY(torque), PART_step_velocities}},
    [STEP_ACCOUNTS] = {"rps_nonsmooth_accounts", {PART_state, PART_load}},
    [STEP_BOOK] = {"rps_nonsmooth_book", {BODY(work), BODY(dissipated), PART_accounts}},
    [STEP_SURFACES] = {"rps_nonsmooth_book_surfaces", {BODY(work)}},
    [STEP_JOINT_ACCOUNTS] = {"rps_nonsmooth_joint_accounts", {BODY(work), BODY(dissipated), PART_joint_memory}},
    [SERVOS_AIM] = {"rps_servos_aim", {PART_servos}},
    [MOTION_DRIFT] = {"rps_motion_drift",
                      {LINEAR, BODY(rodrigues), BODY(rodrigues_scale), BODY(angular_velocity), BODY(orientation),
                       BODY(normal), PART_servos, PART_moved, PART_deviation}},
    [MOTION_DRIVES] = {"rps_motion_drives", {BODY(velocity), BODY(angular_velocity)}},
    [STEP_RESULTS] = {"rps_nonsmooth_results", {PART_result}},
    [STEP_JOINT_RESULTS] = {"rps_nonsmooth_joint_results", {PART_joint_memory}},
    [JOINTS_START] = {"rps_penalty_joints_start",
                      {PART_step_velocities, PART_step_nodes, PART_step_impulses, PART_step_joints,
                       PART_step_joint_loads, PART_solver, PART_joint_memory}},
    [JOINTS_LEAD] = {"rps_penalty_joints_lead",
                     {PART_step_velocities, PART_step_nodes, PART_step_impulses, PART_step_joints,
                      PART_step_joint_loads, PART_joint_memory, BODY(force), BODY(torque), BODY(work), BODY(dissipated),
                      PART_changes}},
    [JOINTS_UNLOAD] = {"rps_penalty_joints_unload", {BODY(force), BODY(torque)}},
    [JOINTS_KEEP] = {"rps_penalty_joints_keep", {PART_step_velocities, PART_step_nodes}},
    [JOINTS_FOLLOW] = {"rps_penalty_joints_follow",
                       {PART_step_velocities, PART_step_nodes, PART_step_impulses, PART_step_joints,
                        PART_step_joint_loads, PART_joint_memory, KICK, BODY(work), BODY(dissipated), PART_changes}},
    [QUESTIONS] = {"a function of a const world", {PART_NONE}},
};

static bool written[STAGES][PARTS];

static bool is_declared(stage s, int part) {
    for (const uint8_t *p = table[s].writes; *p; p++) {
        if (*p == part) return true;
    }
    return false;
}

/* --- observation ---------------------------------------------------------------------------------------------------- */

static fingerprints before;

/* Before a stage, whatever the program between two stages wrote. */
static void look(const rps_world *world) {
    take_fingerprints(world, &before);
}

static void judge(const rps_world *world, stage s) {
    static fingerprints after;
    take_fingerprints(world, &after);
    for (int part = 1; part < PARTS; part++) {
        if (same_fingerprint(&before, &after, part)) continue;
        written[s][part] = true;
        if (is_declared(s, part)) continue;
        fail_msg("%s writes %s in step %d: not in its declaration", table[s].name, part_name[part], (int)world->steps);
    }
    assert_false(world->contacts.memory.lent);
}

#define STAGE(world, s, call) \
    do {                      \
        look(world);          \
        call;                 \
        judge(world, s);      \
    } while (0)

/* --- the step ------------------------------------------------------------------------------------------------------- */

static void detect_stage(rps_world *world) {
    rps_detect_count old, now;
    look(world);
    rps_detect_counts(world, &old);
    MUST(rps_detect_update(world, ERR));
    rps_detect_counts(world, &now);
    const bool candidates = now.candidate_builds > old.candidate_builds;
    judge(world, candidates                                  ? DETECT_CANDIDATES
                 : now.neighbor_builds > old.neighbor_builds ? DETECT_NEIGHBORS
                                                             : DETECT_FRESH);
}

static void questions(rps_world *world) {
    rps_extremes extremes;
    rps_step_limit limit;
    rps_exact_sum stored, dissipated;
    uint64_t hash[2];
    double stress[6];
    look(world);
    MUST(rps_world_extremes(world, &extremes, ERR));
    if (world->contacts_kept) MUST(rps_world_mean_stress(world, -1, NULL, stress, ERR));
    MUST(rps_world_hash(world, hash, ERR));
    if (world->options.stepper == RPS_PENALTY) {
        rps_step_limit_of_contacts(world, NULL, &limit);
        rps_step_limit_of_bodies(world, INFINITY, &limit);
    }
    rps_exact_sum_clear(&stored);
    rps_exact_sum_clear(&dissipated);
    rps_bonds_energy(world, &stored, &dissipated);
    judge(world, QUESTIONS);
}

/* As rps_world_start. */
static void start_by_stages(rps_world *world) {
    rps_exact_sum energy[RPS_ROLE_COUNT], all;
    STAGE(world, GUARD_BEGIN, MUST(rps_guard_begin(world, ERR)));
    world->moved.speed = 0.0;
    world->evaluated = false;
    detect_stage(world);
    STAGE(world, EVALUATE, MUST(rps_evaluate(world, 0.0, ERR)));
    if (rps_world_is_wet(world)) {
        STAGE(world, LIQUID, MUST(rps_liquid_move(world, &world->liquid, &world->contacts, ERR)));
    }
    STAGE(world, SURFACES_BOOK, rps_surfaces_book(world, world->driven, &world->bodies, 0.0));
    STAGE(world, SHEAR_ACCOUNT, rps_shear_account(world, true));
    if (world->bonds.count > 0) STAGE(world, BONDS_EVALUATE, MUST(rps_bonds_evaluate(world, &world->bonds, 0.0, ERR)));
    STAGE(world, MOTION_FINISH, rps_motion_finish(world, rps_world_time(world), true));
    if (world->bonds.count > 0) STAGE(world, BONDS_FINISH, rps_bonds_finish(world, &world->bonds, &world->bodies));
    if (world->joints > 0) {
        MUST(rps_nonsmooth_create(world, ERR));
        world->changed = true;
        STAGE(
            world, JOINTS_START,
            MUST(rps_penalty_joints_start(world, world->nonsmooth, world->joint, &world->solver.redundant_rows, ERR)));
    }
    STAGE(world, ENERGY, MUST(rps_evaluate_energy(world, energy, ERR)));
    STAGE(world, QUESTIONS, rps_joints_energy(world, &energy[RPS_ROLE_NORMAL]));
    rps_exact_sum_clear(&all);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) rps_exact_sum_merge(&all, &energy[role]);
    world->energy_first = rps_exact_sum_value(&all);
    world->started = true;
    STAGE(world, GUARD_CONTACTS, MUST(rps_guard_contacts(world, ERR)));
}

/* As start_joined. */
static void joined_start_by_stages(rps_world *world) {
    rps_nonsmooth *ns = world->nonsmooth;
    const double time = rps_world_time(world);
    if (world->servos) STAGE(world, SERVOS_AIM, rps_servos_aim(world, world->driven, time));
    STAGE(
        world, JOINTS_LEAD,
        MUST(rps_penalty_joints_lead(world, ns, &world->bodies, world->joint, &world->change[RPS_CHANGE_DRIVES], ERR)));
    STAGE(world, MOTION_START, rps_motion_start(world, time));
    STAGE(world, JOINTS_UNLOAD, rps_penalty_joints_unload(world, ns, &world->bodies));
}

static void forces_by_stages(rps_world *world, bool first) {
    const bool verlet = world->options.integrator == RPS_VERLET;
    const double kick = verlet ? 0.5 * world->step : first ? world->step : 0.0;
    if (world->forces.count == 0) return;
    STAGE(world, FORCES_ACT, MUST(rps_forces_act(world, &world->forces, &world->bodies, kick, first, ERR)));
}

/* As penalty_steps. */
static void steps_by_stages(rps_world *world, uint64_t steps) {
    const bool bonded = world->bonds.count > world->bonds.broken, joined = world->joints > 0;
    bool moved = false;
    for (uint64_t n = 0; n < steps; n++) {
        forces_by_stages(world, true);
        if (joined) joined_start_by_stages(world);
        if (!moved && !joined) STAGE(world, MOTION_START, rps_motion_start(world, rps_world_time(world)));
        world->steps++;
        STAGE(world, SHEAR_ADVANCE, MUST(rps_shear_advance(world, ERR)));
        STAGE(world, GUARD_MOTION, MUST(rps_guard_motion(world, ERR)));
        world->evaluated = false;
        const bool opening = world->bonds.opening > 0;
        world->lists_stale = world->lists_stale || opening;
        detect_stage(world);
        STAGE(world, EVALUATE, MUST(rps_evaluate(world, world->step, ERR)));
        if (rps_world_is_wet(world)) {
            STAGE(world, LIQUID, MUST(rps_liquid_move(world, &world->liquid, &world->contacts, ERR)));
        }
        STAGE(world, SURFACES_BOOK, rps_surfaces_book(world, world->driven, &world->bodies, world->step));
        if (opening) STAGE(world, BOOK_CONTACTS, rps_bonds_book_contacts(world));
        if (world->loads.bodies > 0) {
            STAGE(world, SURFACE_LOADS, MUST(rps_surface_loads_add(world, &world->loads, ERR)));
        }
        STAGE(world, SHEAR_ACCOUNT, rps_shear_account(world, false));
        if (bonded) STAGE(world, BONDS_EVALUATE, MUST(rps_bonds_evaluate(world, &world->bonds, world->step, ERR)));
        moved = n + 1 < steps && !bonded && !joined && !world->servos && !world->external_acts &&
                world->forces.count == 0 && !rps_guard_looks(world);
        if (moved) {
            STAGE(world, KICK_DRIFT, rps_motion_kick_drift(world, rps_world_time(world)));
        } else {
            if (joined) STAGE(world, JOINTS_KEEP, rps_penalty_joints_keep(world, world->nonsmooth));
            if (bonded) STAGE(world, BONDS_KICK, rps_bonds_kick(world, &world->bodies));
            STAGE(world, MOTION_FINISH, rps_motion_finish(world, rps_world_time(world), false));
            forces_by_stages(world, false);
            if (bonded) STAGE(world, BONDS_FINISH, rps_bonds_finish(world, &world->bonds, &world->bodies));
            if (joined) {
                STAGE(world, JOINTS_FOLLOW,
                      MUST(rps_penalty_joints_follow(world, world->nonsmooth, &world->bodies, world->joint,
                                                     &world->change[RPS_CHANGE_DRIVES], ERR)));
            }
            STAGE(world, GUARD_CONTACTS, MUST(rps_guard_contacts(world, ERR)));
            questions(world);
        }
    }
}

/* As rps_nonsmooth_start. */
static void start_nonsmooth_by_stages(rps_world *world) {
    rps_exact_sum energy[RPS_ROLE_COUNT];
    bool crowded;
    STAGE(world, GUARD_BEGIN, MUST(rps_guard_begin(world, ERR)));
    world->moved.speed = 0.0;
    world->evaluated = false;
    MUST(rps_nonsmooth_create(world, ERR));
    rps_nonsmooth *ns = world->nonsmooth;
    STAGE(world, QUESTIONS, rps_nonsmooth_look_ahead(world));
    world->speed_bound = rps_nonsmooth_look_ahead(world);
    detect_stage(world);
    STAGE(world, STEP_PREDICT, MUST(rps_nonsmooth_predict(world, ns, ERR)));
    STAGE(world, STEP_MESHES, MUST(rps_nonsmooth_meshes(world, ns, &world->contacts, &crowded, ERR)));
    assert_false(crowded);
    STAGE(world, STEP_NODES, MUST(rps_nonsmooth_nodes(world, ns, ERR)));
    ns->kick = world->step;
    STAGE(world, STEP_JOINTS, MUST(rps_nonsmooth_joints(world, ns, ERR)));
    world->solver.joint_rows = ns->rows - ns->locks;
    STAGE(world, STEP_RANK, MUST(rps_nonsmooth_rank(world, ns, &world->solver.redundant_rows, ERR)));
    STAGE(world, STEP_CONTACTS, MUST(rps_nonsmooth_contacts(world, ns, ERR)));
    STAGE(world, STEP_PRESS, rps_nonsmooth_press(world, ns));
    STAGE(world, STEP_LOADS, rps_nonsmooth_loads(world, ns, &world->contacts));
    STAGE(world, STEP_ACCOUNTS, rps_nonsmooth_accounts(world, ns, &world->contacts, true));
    STAGE(world, STEP_FIRST_LOADS, rps_nonsmooth_first_loads(world, &world->bodies));
    world->started = world->evaluated = world->loads_known = true;
    world->contacts_kept = world->keep_contacts;
    STAGE(world, STEP_RESULTS, rps_nonsmooth_results(world, ns, 0.0, &world->contacts));
    STAGE(world, STEP_JOINT_RESULTS, rps_nonsmooth_joint_results(world, ns, world->joint));
    STAGE(world, QUESTIONS, rps_nonsmooth_energy(world, energy));
    world->energy_first = rps_exact_sum_value(&energy[RPS_ROLE_NORMAL]);
    STAGE(world, GUARD_CONTACTS, MUST(rps_guard_contacts(world, ERR)));
}

/* As rps_nonsmooth_step. */
static void nonsmooth_step_by_stages(rps_world *world) {
    rps_nonsmooth *ns = world->nonsmooth;
    const double time = rps_world_time(world);
    bool crowded;
    world->evaluated = false;
    if (world->servos) STAGE(world, SERVOS_AIM, rps_servos_aim(world, world->driven, time));
    world->speed_bound = rps_nonsmooth_look_ahead(world);
    detect_stage(world);
    STAGE(world, STEP_PREDICT, MUST(rps_nonsmooth_predict(world, ns, ERR)));
    STAGE(world, STEP_MESHES, MUST(rps_nonsmooth_meshes(world, ns, &world->contacts, &crowded, ERR)));
    assert_false(crowded);
    STAGE(world, STEP_NODES, MUST(rps_nonsmooth_nodes(world, ns, ERR)));
    ns->kick = world->step;
    STAGE(world, STEP_JOINTS, MUST(rps_nonsmooth_joints(world, ns, ERR)));
    STAGE(world, STEP_CONTACTS, MUST(rps_nonsmooth_contacts(world, ns, ERR)));
    STAGE(world, STEP_SOLVE, MUST(rps_nonsmooth_solve(world, ns, &world->solver, ERR)));
    STAGE(world, STEP_LOADS, rps_nonsmooth_loads(world, ns, &world->contacts));
    STAGE(world, STEP_JOINT_LOADS, rps_nonsmooth_joint_loads(world, ns, world->joint));
    STAGE(world, APPLIED_BEGIN, rps_external_all(world, true));
    STAGE(world, STEP_KICK, rps_nonsmooth_kick(world, ns, &world->bodies));
    STAGE(world, APPLIED_END, (rps_external_all(world, false), rps_external_ended(world)));
    STAGE(world, STEP_ACCOUNTS, rps_nonsmooth_accounts(world, ns, &world->contacts, false));
    STAGE(world, STEP_BOOK, rps_nonsmooth_book(world, ns, &world->bodies, world->boundary_dissipated));
    STAGE(world, STEP_SURFACES, rps_nonsmooth_book_surfaces(world, ns, &world->bodies));
    STAGE(world, STEP_JOINT_ACCOUNTS, rps_nonsmooth_joint_accounts(world, ns, &world->bodies, world->joint, NULL));
    STAGE(world, MOTION_DRIFT, rps_motion_drift(world, time));
    world->steps++;
    STAGE(world, MOTION_DRIVES, rps_motion_drives(world, &world->bodies, rps_world_time(world)));
    world->evaluated = world->loads_known = true;
    world->contacts_kept = world->keep_contacts;
    STAGE(world, STEP_RESULTS, rps_nonsmooth_results(world, ns, world->step, &world->contacts));
    STAGE(world, STEP_JOINT_RESULTS, rps_nonsmooth_joint_results(world, ns, world->joint));
    STAGE(world, GUARD_MOTION, MUST(rps_guard_motion(world, ERR)));
    STAGE(world, GUARD_CONTACTS, MUST(rps_guard_contacts(world, ERR)));
    if (world->loads.bodies > 0) {
        STAGE(world, SURFACE_LOADS, MUST(rps_surface_loads_add(world, &world->loads, ERR)));
    }
    questions(world);
}

static const stage_manner manners[] = {
    {1, RPS_VERLET, 0}, {3, RPS_VERLET, 0}, {1, RPS_HALF_IMPLICIT, 0}, {3, RPS_HALF_IMPLICIT, 0}, {3, RPS_VERLET, 7}};

/* Two worlds of one kind: one by its stages, one as a program steps it. The order of the stages above is that of the
 * engine if both have the same state. */
static void run(rps_world *make(const stage_manner *in), uint64_t steps, uint64_t at_once) {
    for (size_t m = 0; m < sizeof manners / sizeof *manners; m++) {
        rps_world *staged = make(&manners[m]), *stepped = make(&manners[m]);
        uint64_t a[2], b[2];
        const bool nonsmooth = staged->options.stepper == RPS_NONSMOOTH;
        if (nonsmooth) {
            start_nonsmooth_by_stages(staged);
        } else {
            start_by_stages(staged);
        }
        advance(stepped, 0);
        for (uint64_t n = 0; n < steps; n += at_once) {
            if (!nonsmooth) steps_by_stages(staged, at_once);
            for (uint64_t k = 0; nonsmooth && k < at_once; k++) nonsmooth_step_by_stages(staged);
            advance(stepped, at_once);
        }
        MUST(rps_world_hash(staged, a, ERR));
        MUST(rps_world_hash(stepped, b, ERR));
        assert_memory_equal(a, b, sizeof a);
        rps_world_destroy(staged);
        rps_world_destroy(stepped);
    }
}

/* --- worlds --------------------------------------------------------------------------------------------------------- */

static void test_a_gas_of_spheres(void **state) {
    (void)state;
    run(stage_gas, 20, 10);
}

static void test_a_press(void **state) {
    (void)state;
    run(stage_press, 60, 20);
}

static void test_bodies_with_pieces(void **state) {
    (void)state;
    run(stage_shapes, 200, 25);
}

static void test_forces(void **state) {
    (void)state;
    run(stage_forces, 20, 10);
}

static void test_bonds(void **state) {
    (void)state;
    run(stage_bonds, 20, 10);
}

static void test_a_sheared_cell(void **state) {
    (void)state;
    run(stage_sheared, 20, 10);
}

static void test_the_nonsmooth_stepper(void **state) {
    (void)state;
    run(stage_plates, 30, 10);
}

static void test_joints(void **state) {
    (void)state;
    run(stage_linkage, 60, 20);
}

static void test_guards_that_warn(void **state) {
    (void)state;
    run(stage_warned, 40, 20);
}

static void test_wet_spheres(void **state) {
    (void)state;
    run(stage_wet, 60, 10);
}

static void test_imposed_loads(void **state) {
    (void)state;
    run(stage_imposed, 20, 10);
}

/* --- the verdict ---------------------------------------------------------------------------------------------------- */

static void test_parts_are_complete(void **state) {
    (void)state;
    assert_parts_are_complete();
}

/* After all worlds. */
static void test_all_that_is_declared_is_written(void **state) {
    (void)state;
    for (int s = 0; s < STAGES; s++) {
        for (int part = 1; part < PARTS; part++) {
            if (is_declared((stage)s, part) && !written[s][part]) {
                fail_msg("%s never writes %s, which it is declared to write", table[s].name, part_name[part]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_complete),
        cmocka_unit_test(test_a_gas_of_spheres),
        cmocka_unit_test(test_a_press),
        cmocka_unit_test(test_bodies_with_pieces),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_bonds),
        cmocka_unit_test(test_imposed_loads),
        cmocka_unit_test(test_wet_spheres),
        cmocka_unit_test(test_a_sheared_cell),
        cmocka_unit_test(test_the_nonsmooth_stepper),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_guards_that_warn),
        cmocka_unit_test(test_all_that_is_declared_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
