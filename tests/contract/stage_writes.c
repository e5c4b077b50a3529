/*
 * Every stage of a step writes what it is declared to write, and nothing else.
 *
 * Worlds are stepped by calls of the stages, as penalty.c does. The fingerprints of all parts of the world are compared
 * before and after each stage. A part that changes without being declared fails; so does, at the end, a part that is
 * declared and never changes in any world: the table is not wider than the truth.
 */
#include "../physics/bonded.h"

#include "detect/lists.h"
#include "parts_common.h"
#include "step/step_stages.h"
#include "world/share.h"

/* --- the table ------------------------------------------------------------------------------------------------------ */

typedef enum stage {
    GUARD_BEGIN,
    APPLIED_BEGIN,
    MOTION_START,
    SHEAR_ADVANCE,
    GUARD_MOTION,
    DETECT_FRESH, /* the lists stay */
    DETECT_NEIGHBORS,
    DETECT_CANDIDATES,
    EVALUATE,
    BOOK_CONTACTS,
    SHEAR_ACCOUNT,
    BONDS_EVALUATE,
    BONDS_KICK,
    MOTION_FINISH,
    BONDS_FINISH,
    KICK_DRIFT,
    APPLIED_END,
    GUARD_CONTACTS,
    ENERGY,
    QUESTIONS, /* functions that take a const world */
    STAGES
} stage;

#define BODY(field) PART_body_##field
#define LINEAR BODY(position), BODY(velocity), BODY(image)
#define ANGULAR \
    BODY(rodrigues), BODY(rodrigues_scale), BODY(angular_velocity), BODY(angular_momentum), BODY(orientation)
#define KICK BODY(velocity), BODY(angular_velocity), BODY(angular_momentum)
#define SUMS BODY(force), BODY(torque), BODY(work), BODY(dissipated), PART_accounts, PART_common_sums
/* The entries and what belongs to them. The loads are on loan to the neighbor list while it is built. */
#define ENTRIES                                                                                             \
    PART_entries, PART_references, PART_constants, PART_load, PART_has_load, PART_was_active, PART_rebuild, \
        PART_candidate_marks, PART_search, PART_paths, PART_life, PART_deviation

static const struct {
    const char *name;
    uint8_t writes[32]; /* up to PART_NONE */
} table[STAGES] = {
    [GUARD_BEGIN] = {"rps_guard_begin", {PART_guard, PART_bond_index}},
    [APPLIED_BEGIN] = {"rps_external_begin", {KICK, PART_applied_work}},
    [MOTION_START] = {"rps_motion_start", {LINEAR, ANGULAR, BODY(normal), PART_servos, PART_moved, PART_deviation}},
    [SHEAR_ADVANCE] = {"rps_shear_advance", {LINEAR, PART_cell, PART_shear, PART_paths}},
    [GUARD_MOTION] = {"rps_guard_motion", {PART_guard}},
    [DETECT_FRESH] = {"rps_detect_update (lists stay)", {PART_life, PART_deviation}},
    [DETECT_NEIGHBORS] = {"rps_detect_update (neighbor list)", {ENTRIES}},
    [DETECT_CANDIDATES] = {"rps_detect_update (both lists)",
                           {ENTRIES, PART_slots, PART_cells, PART_candidates, PART_result}},
    [EVALUATE] = {"rps_evaluate",
                  {PART_state, PART_load, PART_has_load, PART_was_active, PART_result, PART_lanes, PART_deep,
                   PART_evaluated}},
    [BOOK_CONTACTS] = {"rps_bonds_book_contacts", {PART_bond_records, PART_bond_counts, PART_changes, PART_lanes}},
    [SHEAR_ACCOUNT] = {"rps_shear_account", {PART_shear}},
    [BONDS_EVALUATE] = {"rps_bonds_evaluate", {PART_bond_records, PART_bond_loads, PART_bond_index}},
    [BONDS_KICK] = {"rps_bonds_kick", {KICK, BODY(work)}},
    [MOTION_FINISH] = {"rps_motion_finish", {KICK, SUMS}},
    [BONDS_FINISH] = {"rps_bonds_finish",
                      {BODY(force), BODY(torque), PART_bond_records, PART_bond_loads, PART_bond_index,
                       PART_bond_counts}},
    [KICK_DRIFT] = {"rps_motion_kick_drift", {LINEAR, ANGULAR, BODY(normal), SUMS, PART_moved, PART_deviation}},
    [APPLIED_END] = {"rps_external_end", {KICK, PART_applied, PART_applied_work}},
    [GUARD_CONTACTS] = {"rps_guard_contacts", {PART_guard, PART_domain, PART_bond_index}},
    [ENERGY] = {"rps_evaluate_energy", {PART_lanes}},
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
        rps_step_limit_of_contacts(world, &limit);
        rps_step_limit_of_bodies(world, &limit);
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
    STAGE(world, SHEAR_ACCOUNT, rps_shear_account(world, true));
    if (world->bonds.count > 0) STAGE(world, BONDS_EVALUATE, MUST(rps_bonds_evaluate(world, 0.0, ERR)));
    STAGE(world, MOTION_FINISH, rps_motion_finish(world, rps_world_time(world), true));
    if (world->bonds.count > 0) STAGE(world, BONDS_FINISH, rps_bonds_finish(world));
    STAGE(world, ENERGY, MUST(rps_evaluate_energy(world, energy, ERR)));
    rps_exact_sum_clear(&all);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) rps_exact_sum_merge(&all, &energy[role]);
    world->energy_first = rps_exact_sum_value(&all);
    world->started = true;
    STAGE(world, GUARD_CONTACTS, MUST(rps_guard_contacts(world, ERR)));
}

/* As penalty_steps. */
static void steps_by_stages(rps_world *world, uint64_t steps) {
    const bool verlet = world->options.integrator == RPS_VERLET;
    const bool bonded = world->bonds.count > world->bonds.broken;
    bool moved = false;
    for (uint64_t n = 0; n < steps; n++) {
        if (!moved) {
            STAGE(world, APPLIED_BEGIN, rps_external_begin(world, verlet ? 0.5 * world->step : world->step));
            STAGE(world, MOTION_START, rps_motion_start(world, rps_world_time(world)));
        }
        world->steps++;
        STAGE(world, SHEAR_ADVANCE, MUST(rps_shear_advance(world, ERR)));
        STAGE(world, GUARD_MOTION, MUST(rps_guard_motion(world, ERR)));
        world->evaluated = false;
        const bool opening = world->bonds.opening > 0;
        world->lists_stale = world->lists_stale || opening;
        detect_stage(world);
        STAGE(world, EVALUATE, MUST(rps_evaluate(world, world->step, ERR)));
        if (opening) STAGE(world, BOOK_CONTACTS, rps_bonds_book_contacts(world));
        STAGE(world, SHEAR_ACCOUNT, rps_shear_account(world, false));
        if (bonded) STAGE(world, BONDS_EVALUATE, MUST(rps_bonds_evaluate(world, world->step, ERR)));
        moved = n + 1 < steps && !bonded && !world->servos && !world->external_acts && !rps_guard_looks(world);
        if (moved) {
            STAGE(world, KICK_DRIFT, rps_motion_kick_drift(world, rps_world_time(world)));
        } else {
            if (bonded) STAGE(world, BONDS_KICK, rps_bonds_kick(world));
            STAGE(world, MOTION_FINISH, rps_motion_finish(world, rps_world_time(world), false));
            if (bonded) STAGE(world, BONDS_FINISH, rps_bonds_finish(world));
            STAGE(world, APPLIED_END, rps_external_end(world, verlet ? 0.5 * world->step : 0.0));
            STAGE(world, GUARD_CONTACTS, MUST(rps_guard_contacts(world, ERR)));
            questions(world);
        }
    }
}

typedef struct manner {
    int threads;
    rps_integrator integrator;
    uint64_t shuffle; /* of slots and lists */
} manner;

static const manner manners[] = {
    {1, RPS_VERLET, 0}, {3, RPS_VERLET, 0}, {1, RPS_HALF_IMPLICIT, 0}, {3, RPS_HALF_IMPLICIT, 0}, {3, RPS_VERLET, 7}};

/* Two worlds of one kind: one by its stages, one as a program steps it. The order of the stages above is that of the
 * engine if both have the same state. */
static void run(rps_world *make(const manner *in), uint64_t steps, uint64_t at_once) {
    for (size_t m = 0; m < sizeof manners / sizeof *manners; m++) {
        rps_world *staged = make(&manners[m]), *stepped = make(&manners[m]);
        uint64_t a[2], b[2];
        start_by_stages(staged);
        advance(stepped, 0);
        for (uint64_t n = 0; n < steps; n += at_once) {
            steps_by_stages(staged, at_once);
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

static rps_world_options options_for(const manner *in, double step) {
    rps_world_options options = options_of(step);
    options.threads = in->threads;
    options.integrator = in->integrator;
    options.shuffle = in->shuffle;
    return options;
}

static rps_pair rough_pair(void) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    return pair;
}

/* So many spheres that all workers have some, on a disturbed lattice, with ids in no order of space. */
enum { SIDE = 13, GRAINS = SIDE * SIDE * SIDE };

static void add_grains(rps_world *world, double spacing, double speed) {
    for (uint64_t n = 0; n < GRAINS; n++) {
        const uint64_t k = n * 400 % GRAINS; /* 400 and 2197 have no common factor */
        const rps_vec3 x = {spacing * (double)(k % SIDE), spacing * (double)(k / SIDE % SIDE),
                            spacing * (double)(k / SIDE / SIDE)}; /* some cross the faces of the cell */
        add_ball(world, rps_vec3_add_scaled(x, 0.02 * spacing, random_vec(8, n)), spacing * uniform(11, n, 0.42, 0.505),
                 1e-2, rps_vec3_scale(random_vec(9, n), speed), rps_vec3_scale(random_vec(10, n), 50.0));
    }
}

static rps_world *gas(const manner *in) {
    const double spacing = 0.01;
    rps_world_options options = options_for(in, 2e-5);
    for (int k = 0; k < 3; k++) options.period[k] = SIDE * spacing;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_grains(world, spacing, 1.0);
    MUST(rps_world_set_common(world, GRAINS / 2, ERR));
    rps_world_keep_contacts(world, true);
    return world;
}

static void test_a_gas_of_spheres(void **state) {
    (void)state;
    run(gas, 40, 20);
}

/* Spheres on a floor under a plane that seeks a load, beside a shaken wall; some held back, some under loads. */
static rps_world *press(const manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    options.gravity[2] = -9.81;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    rps_body_def lid = rps_body_plane(0, 0, -1), wall = rps_body_plane(1, 0, 0);
    lid.kind = wall.kind = RPS_BODY_DRIVEN;
    lid.position[2] = 0.0825;
    lid.drive.kind = RPS_DRIVE_FORCE;
    lid.drive.target = 20.0;
    lid.drive.until = wall.drive.until = -1.0;
    wall.drive.amplitude[0] = 1e-3;
    wall.drive.frequency = 50.0;
    MUST(rps_world_add_body(world, &lid, NULL, ERR));
    MUST(rps_world_add_body(world, &wall, NULL, ERR));
    for (uint64_t n = 0; n < 64; n++) {
        rps_body_def def = rps_body_def_default();
        def.radius = 0.01;
        def.mass = 0.02;
        to_array(def.position, rps_vec3_make(0.0099 + 0.02 * (double)(n % 4), 0.02 * (double)(n / 4 % 4),
                                             0.0099 + 0.0203 * (double)(n / 16)));
        if (n % 7 == 3) def.lock_axis[1] = 1.0;
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        const double force[3] = {0.2, 0.1, 0.0}, torque[3] = {0.0, 1e-4, 0.0};
        if (n % 5 == 1) MUST(rps_world_hold_load(world, id, force, torque, ERR));
        if (n % 5 == 2) MUST(rps_world_apply_load(world, id, force, torque, ERR));
    }
    rps_world_keep_contacts(world, true);
    return world;
}

static void test_a_press(void **state) {
    (void)state;
    run(press, 60, 20);
}

/* Boxes and pairs of spheres fall on a floor that shakes and turns. */
static rps_world *shapes(const manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    options.gravity[2] = -9.81;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    rps_body_def floor = rps_body_plane(0, 0, 1);
    floor.kind = RPS_BODY_DRIVEN;
    floor.drive.until = -1.0;
    floor.drive.angular_velocity[0] = 0.2;
    MUST(rps_world_add_body(world, &floor, NULL, ERR));
    for (uint64_t n = 0; n < 48; n++) {
        rps_body_def def = rps_body_def_default();
        rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
        if (n % 3 == 0) {
            def.shape = "box";
            for (int k = 0; k < 3; k++) def.parameter[k] = 0.012 + 0.002 * k;
        } else {
            for (int k = 0; k < 2; k++) {
                piece[k].shape = "sphere";
                piece[k].parameter[0] = 0.006;
                piece[k].position[0] = 0.006 * (k ? 1 : -1);
            }
            def.shape = NULL;
            def.piece = piece;
            def.pieces = 2;
        }
        def.mass = 0.03;
        to_array(def.position, rps_vec3_make(0.025 * (double)(n % 4), 0.025 * (double)(n / 4 % 4),
                                             0.0115 + 0.022 * (double)(n / 16)));
        to_array(def.velocity, rps_vec3_make(0, 0, -1));
        to_array(def.angular_velocity, rps_vec3_scale(random_vec(10, n), 20.0));
        const double force[3] = {0.2, 0.1, 0.0}, torque[3] = {0.0, 1e-4, 0.0};
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        if (in->threads > 1 && n % 5 == 1) MUST(rps_world_hold_load(world, id, force, torque, ERR));
    }
    return world;
}

static void test_bodies_with_pieces(void **state) {
    (void)state;
    run(shapes, 300, 30);
}

/* Chains of four spheres or boxes that are pulled apart, sheared and break, some of overlapping bodies; some bodies are
 * driven. */
enum { BONDED = 1200 };

static void add_bonded(rps_world *world, uint64_t n) {
    rps_body_def def = rps_body_def_default();
    if (n % 20 < 4) {
        def.shape = "box";
        for (int k = 0; k < 3; k++) def.parameter[k] = 1.95e-3;
    } else {
        def.radius = 1e-3;
    }
    def.mass = 1e-5;
    to_array(def.position, rps_vec3_make(3e-3 * (double)(n / 4), 0, 1.97e-3 * (double)(n % 4)));
    to_array(def.velocity, rps_vec3_scale(random_vec(9, n), 0.1));
    def.velocity[2] = 0.2 * (double)(n % 4) * uniform(9, n, 0.5, 1.5);
    if (n % 40 == 12) {
        def.kind = RPS_BODY_DRIVEN;
        def.drive.until = -1.0;
        to_array(def.velocity, rps_vec3_zero());
        def.drive.velocity[2] = -0.2;
    }
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static rps_world *bonds(const manner *in) {
    rps_world_options options = options_for(in, 4e-7);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    for (uint64_t n = 0; n < BONDED; n++) add_bonded(world, n);
    for (uint64_t n = 0; n < BONDED; n++) {
        if (n % 4 == 3) continue;
        rps_bond_def def = beam(n, n + 1);
        MUST(rps_bond_set(&def, "damping", 0.1, ERR));
        if (n % 16 < 12) MUST(rps_bond_set(&def, "tensile_strength", uniform(12, n, 0.0, 2e7), ERR));
        if (n % 2 == 0) def.contact = RPS_BOND_CONTACT_NONE;
        MUST(rps_world_add_bond(world, &def, ERR));
    }
    return world;
}

static void test_bonds(void **state) {
    (void)state;
    run(bonds, 40, 20);
}

static rps_world *sheared(const manner *in) {
    const double spacing = 0.01;
    rps_world_options options = options_for(in, 2e-5);
    for (int k = 0; k < 3; k++) options.period[k] = SIDE * spacing;
    options.shear = (rps_shear){.flow = 0, .gradient = 2, .rate = 40.0};
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_grains(world, spacing, 1.0);
    return world;
}

static void test_a_sheared_cell(void **state) {
    (void)state;
    run(sheared, 40, 20);
}

/* Guards that warn: a fast sphere, a deep overlap, one behind a plane, and a step beyond the stability limit. */
static rps_world *warned(const manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_WARN;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    add_ball(world, rps_vec3_make(0, 0, 0.004), 0.01, 1e-3, rps_vec3_make(0, 0, -2), rps_vec3_zero());
    add_ball(world, rps_vec3_make(1, 0, 1), 0.01, 1e-3, rps_vec3_make(300, 0, 0), rps_vec3_make(0, 3e4, 0));
    return world;
}

static void test_guards_that_warn(void **state) {
    (void)state;
    run(warned, 40, 20);
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
        cmocka_unit_test(test_bonds),
        cmocka_unit_test(test_a_sheared_cell),
        cmocka_unit_test(test_guards_that_warn),
        cmocka_unit_test(test_all_that_is_declared_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
