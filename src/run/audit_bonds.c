/* Bonds in the audit (audit_bonds.h). A bond of length and radius 1 mm is between two spheres that touch; no load moves them. */
#include "run/audit_bonds.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "step/step_stages.h"
#include "world/world.h"

#define BOND_LENGTH 1e-3   /* m, and radius */
#define BOND_STRENGTH 50e6 /* Pa, of rock: what loads are compared with */
#define CONE_ANGLE 0.05    /* rad */

/* Those a law has are set. */
static const struct {
    const char *name;
    double value;
} bond_value[] = {{"young", 1e9}, {"poisson", 0.3}, {"stiffness_ratio", 2.6}, {"radius", BOND_LENGTH}};

static rps_status set_known(rps_bond_def *def, rps_error *err) {
    for (size_t k = 0; k < sizeof bond_value / sizeof *bond_value; k++) {
        for (int p = 0; p < RPS_BOND_PARAMETERS && def->law->parameter[p].name; p++) {
            if (strcmp(def->law->parameter[p].name, bond_value[k].name) != 0) continue;
            RPS_TRY(rps_bond_set(def, bond_value[k].name, bond_value[k].value, err));
        }
    }
    return RPS_OK;
}

static rps_status fill_bonded(rps_world *world, const rps_bond_law *law, rps_error *err) {
    rps_bond_def bond = rps_bond_def_default();
    const rps_material material = {
        .size = sizeof(rps_material), .name = "stuff", .young = 1e9, .poisson = 0.3, .density = 2500.0};
    rps_pair pair = rps_pair_default(); /* they are excluded; a pair has a law all the same */
    RPS_TRY(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", err));
    RPS_TRY(rps_world_add_material(world, &material, NULL, err));
    RPS_TRY(rps_world_set_pair(world, 0, 0, &pair, err));
    RPS_TRY(rps_world_exclude(world, 0, 0, err));
    for (int k = 0; k < 2; k++) {
        rps_body_def def = rps_body_def_default();
        def.radius = 0.5 * BOND_LENGTH;
        def.position[2] = k * BOND_LENGTH;
        RPS_TRY(rps_world_add_body(world, &def, NULL, err));
        bond.body[k] = (uint64_t)k;
    }
    bond.law = law;
    RPS_TRY(set_known(&bond, err));
    RPS_TRY(rps_world_add_bond(world, &bond, err));
    return rps_world_start(world, err);
}

/* Two bodies with a bond, started. */
static rps_status bonded_world(const rps_bond_law *law, rps_world **world, rps_error *err) {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.threads = 1;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    RPS_TRY(rps_world_create(&options, world, err));
    const rps_status status = fill_bonded(*world, law, err);
    if (status == RPS_OK) return RPS_OK;
    rps_world_destroy(*world);
    *world = NULL;
    return status;
}

static void put_bonded(rps_world *world, uint64_t id, rps_vec3 x, rps_quat q) {
    const size_t s = rps_world_slot(world, id);
    const double turned[4] = {q.w, q.x, q.y, q.z};
    rps_vec3_put(world->bodies.pose[s].position, x);
    memcpy(world->bodies.orientation[s], turned, sizeof turned);
}

/* --- closed loop ---------------------------------------------------------------------------------------------------- */

typedef struct bond_loop {
    rps_world *world;
    double peak, left; /* J, the most and the last */
} bond_loop;

/* The line of the bond at (angle, phase) of a cone, which the second body follows. */
static rps_status go_to_cone(bond_loop *loop, double angle, double phase, rps_error *err) {
    rps_bond_state bond;
    const rps_quat q =
        rps_quat_from_rotation_vector(rps_vec3_make(angle * rps_cos(phase), angle * rps_sin(phase), 0.0));
    put_bonded(loop->world, 1, rps_quat_rotate(q, rps_vec3_make(0.0, 0.0, BOND_LENGTH)), q);
    RPS_TRY(rps_bonds_evaluate(loop->world, &loop->world->bonds, loop->world->step, err));
    RPS_TRY(rps_world_bond(loop->world, 0, 1, &bond, err));
    loop->left = bond.stored;
    loop->peak = bond.stored > loop->peak ? bond.stored : loop->peak;
    return RPS_OK;
}

static rps_status round_cone(bond_loop *loop, rps_error *err) {
    enum { AROUND = 2000, ASIDE = 200 };
    for (int n = 1; n <= ASIDE; n++) RPS_TRY(go_to_cone(loop, CONE_ANGLE * n / ASIDE, 0.0, err));
    for (int n = 1; n <= AROUND; n++) RPS_TRY(go_to_cone(loop, CONE_ANGLE, 2.0 * RPS_PI * n / AROUND, err));
    for (int n = ASIDE; n-- > 0;) RPS_TRY(go_to_cone(loop, CONE_ANGLE * n / ASIDE, 0.0, err));
    return RPS_OK;
}

static rps_status bond_closed_loop(const rps_bond_law *law, const audit_report *report, rps_error *err) {
    bond_loop loop = {0};
    RPS_TRY(bonded_world(law, &loop.world, err));
    const rps_status status = round_cone(&loop, err);
    rps_world_destroy(loop.world);
    RPS_TRY(status);
    const double left = loop.left / loop.peak;
    const bool returns = left < 1e-12; /* strains of .05 with round-off of 1e-16, squared, and room */
    report->add(report->context, "closed loop: the line goes round a cone of .05 rad, one body with it: left",
                returns ? 0.0 : left, "of the most stored", returns ? "returns" : "keeps");
    return RPS_OK;
}

/* --- rigid rotation ------------------------------------------------------------------------------------------------- */

/* Both bodies as one that turns at 20 rad/s about an axis which turns too, for 10 s. */
static rps_status tumble_bonded(rps_world *world, double *most, rps_error *err) {
    enum { STEPS = 20000 };
    const double section = RPS_PI * (BOND_LENGTH * BOND_LENGTH);
    for (int n = 1; n <= STEPS; n++) {
        const double t = 10.0 * n / STEPS;
        const rps_quat about_z = rps_quat_from_rotation_vector(rps_vec3_make(0.0, 0.0, 3.0 * t));
        const rps_quat q = rps_quat_mul(about_z, rps_quat_from_rotation_vector(rps_vec3_make(19.8 * t, 0.0, 0.0)));
        rps_bond_state bond;
        for (int k = 0; k < 2; k++) {
            put_bonded(world, (uint64_t)k, rps_quat_rotate(q, rps_vec3_make(0.0, 0.0, (k - 0.5) * BOND_LENGTH)), q);
        }
        RPS_TRY(rps_bonds_evaluate(world, &world->bonds, world->step, err));
        RPS_TRY(rps_world_bond(world, 0, 1, &bond, err));
        for (int k = 0; k < 6; k++) {
            const double stress = fabs(bond.load[k]) / (k < 3 ? section : 0.25 * section * BOND_LENGTH);
            *most = stress / BOND_STRENGTH > *most ? stress / BOND_STRENGTH : *most;
        }
    }
    return RPS_OK;
}

static rps_status bond_rigid_rotation(const rps_bond_law *law, const audit_report *report, rps_error *err) {
    rps_world *world;
    double most = 0.0;
    RPS_TRY(bonded_world(law, &world, err));
    const rps_status status = tumble_bonded(world, &most, err);
    rps_world_destroy(world);
    RPS_TRY(status);
    const bool free = most < 1e-10; /* round-off of 1e-16 in strains, of which 50 MPa is .05 */
    report->add(report->context, "rigid rotation: both tumble as one body for 10 s at 20 rad/s: stress over 50 MPa",
                free ? 0.0 : most, "", free ? "follows" : "stays behind");
    return RPS_OK;
}

rps_status rps_audit_try_bond(const rps_bond_law *law, const audit_report *report, rps_error *err) {
    RPS_TRY(bond_closed_loop(law, report, err));
    return bond_rigid_rotation(law, report, err);
}
