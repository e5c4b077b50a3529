/*
 * Bonds: a row of spheres, bonded to a beam, is pulled apart. One bond is weaker than the others and breaks. A rope, a
 * law of this program, ties the two ends.
 *
 * cc bonds.c $(pkg-config --cflags --libs repose-core)
 */
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

enum { BODIES = 6 };
static const double RADIUS = 1e-3, YOUNG = 1e8, SPEED = 0.05; /* m, Pa, m/s */

static rps_error err;

static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

/* --- a law: a rope pulls, and never pushes --------------------------------------------------------------------------- */

static rps_status rope_prepare(const rps_bond_setup *setup, double *constant, rps_error *error) {
    constant[0] = setup->value[0];
    if (constant[0] > 0.0) return RPS_OK;
    return rps_fail(error, RPS_BAD_INPUT, "bond law `rope` needs a stiffness above 0");
}

static void rope_evaluate(const double *constant, const rps_bond_strain *strain, double *memory,
                          rps_bond_loads *loads) {
    const double x = strain->stretch[2];
    (void)memory;
    if (!(x > 0.0)) return;
    loads->force[2] = constant[0] * x; /* the derivative of the energy, so that the ledger closes */
    loads->stored = 0.5 * constant[0] * x * x;
}

static void rope_spring(const double *constant, rps_bond_spring *stiffness, rps_bond_spring *damper) {
    stiffness->stretch = constant[0];
    damper->stretch = 0.0;
}

static const rps_bond_law rope = {
    .size = sizeof(rps_bond_law),
    .name = "rope",
    .summary = "a spring that pulls and never pushes",
    .citation = "this example",
    .parameter = {{"stiffness", "N/m", "k", 0.0, 1e9, 0.0, NULL, RPS_PARAMETER_STIFFNESS}},
    .prepare = rope_prepare,
    .evaluate = rope_evaluate,
    .spring = rope_spring,
};

/* --- the beam -------------------------------------------------------------------------------------------------------- */

static rps_world *make_world(void) {
    rps_world_options options = rps_world_options_default();
    rps_material material = rps_material_default();
    rps_pair pair = rps_pair_default();
    rps_world *world;
    int stone;
    options.step = 2e-6;
    must(rps_world_create(&options, &world, &err));
    material.name = "stone";
    material.density = 2500.0;
    must(rps_world_add_material(world, &material, &stone, &err));
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e4, &err));
    must(rps_world_set_pair(world, stone, stone, &pair, &err));
    for (int k = 0; k < BODIES; k++) {
        rps_body_def ball = rps_body_sphere(RADIUS);
        ball.position[0] = 2.0 * RADIUS * k;
        ball.velocity[0] = k < BODIES / 2 ? -SPEED : SPEED;
        must(rps_world_add_body(world, &ball, NULL, &err));
    }
    return world;
}

static void add_bonds(rps_world *world) {
    for (uint64_t k = 0; k + 1 < BODIES; k++) {
        rps_bond_def def = rps_bond_def_default();
        def.law = rps_bond_law_find("beam");
        def.body[0] = k;
        def.body[1] = k + 1;
        must(rps_bond_set(&def, "young", YOUNG, &err));
        must(rps_bond_set(&def, "poisson", 0.3, &err));
        must(rps_bond_set(&def, "radius_ratio", 1.0, &err));
        must(rps_bond_set(&def, "damping", 0.05, &err));
        must(rps_bond_set(&def, "tensile_strength", k == BODIES / 2 - 1 ? 1e4 : 1e7, &err));
        must(rps_world_add_bond(world, &def, &err));
    }
    rps_bond_def tie = rps_bond_def_default();
    tie.law = &rope;
    tie.body[1] = BODIES - 1;
    tie.body[0] = 0;
    must(rps_bond_set(&tie, "stiffness", 100.0, &err));
    must(rps_world_register_bond_law(world, &rope, &err));
    must(rps_world_add_bond(world, &tie, &err));
}

int main(void) {
    rps_bond_state bond;
    rps_ledger ledger;
    rps_world *world = make_world();
    for (size_t k = 0; rps_bond_law_at(k); k++)
        printf("law %s: %s\n", rps_bond_law_at(k)->name, rps_bond_law_at(k)->summary);
    add_bonds(world);
    must(rps_world_step(world, 200, &err));
    for (size_t k = 0; k < rps_world_bond_count(world); k++) {
        must(rps_world_bond_at(world, k, &bond, &err));
        printf("%s of bodies %d and %d: %s, extension %.3g m, force %.3g N\n", bond.law, (int)bond.body[0],
               (int)bond.body[1], bond.broken ? bond.failure : "intact", bond.stretch[2], bond.force[0]);
    }
    must(rps_world_bond(world, BODIES / 2 - 1, BODIES / 2, &bond, &err));
    printf("the weak bond broke at %.3g s and dissipated %.3g J\n", bond.broken_at, bond.dissipated);
    must(rps_world_remove_bond(world, 0, BODIES - 1, &err)); /* cuts the rope */
    must(rps_world_step(world, 200, &err));
    must(rps_world_ledger(world, &ledger, &err));
    printf("%zu bonds hold, %llu broke; residual %.2g J\n", rps_world_intact_bond_count(world),
           (unsigned long long)rps_world_bonds_broken(world), ledger.residual);
    const int broke_one = rps_world_bonds_broken(world) == 1;
    rps_world_destroy(world);
    return broke_one ? 0 : 1;
}
