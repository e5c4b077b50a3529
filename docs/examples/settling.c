/* Grains of two sizes settle in water with a level, and a cork rises and floats.
 *
 * The program sets the fluid of a world, reads how long drag takes to slow a grain down, and compares terminal speeds with the
 * law of drag and the draught of the cork with Archimedes. It checks that the energy ledger closes with the work of the fluid.
 * Build: cc settling.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static const double PI = 3.14159265358979323846, G = 9.81;
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static rps_world *make_world(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 5e-5;
    options.gravity[2] = -G;
    must(rps_world_create(&options, &world, &err));
    rps_material stuff = rps_material_default();
    stuff.name = "stuff";
    must(rps_world_add_material(world, &stuff, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1.0, &err)); /* they never meet */
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_fluid water = rps_fluid_default();
    water.drag = RPS_DRAG_SCHILLER_NAUMANN;
    water.density = 1000.0;
    water.viscosity = 1e-3;
    water.level = 0.0; /* m, against gravity from the origin */
    must(rps_world_set_fluid(world, &water, &err));
    return world;
}

static uint64_t add_ball(rps_world *world, double x, double z, double diameter, double density) {
    rps_body_def ball = rps_body_sphere(diameter / 2.0);
    uint64_t id;
    ball.position[0] = x;
    ball.position[2] = z;
    ball.mass = density * PI / 6.0 * diameter * diameter * diameter;
    must(rps_world_add_body(world, &ball, &id, &err));
    return id;
}

/* Weight over drag at the speed of a grain that sinks: 1 when it has its terminal speed. */
static double balance(const rps_world *world, uint64_t id, double diameter) {
    double velocity[3];
    const rps_fluid water = rps_world_fluid(world);
    must(rps_world_body_velocity(world, id, velocity, &err));
    const double speed = -velocity[2], reynolds = water.density * speed * diameter / water.viscosity;
    const double drag = 3.0 * PI * water.viscosity * diameter * speed * (1.0 + 0.15 * pow(reynolds, 0.687));
    printf("a grain of %.3g mm sinks at %.5g mm/s, Re = %.3g, by %s\n", 1e3 * diameter, 1e3 * speed, reynolds,
           rps_drag_name(water.drag));
    return (2500.0 - water.density) * PI / 6.0 * diameter * diameter * diameter * G / drag;
}

int main(void) {
    const double fine = 2e-4, coarse = 1e-3, wide = 0.02;
    rps_world *world = make_world();
    const uint64_t grain[2] = {add_ball(world, 0.0, -0.1, fine, 2500.0), add_ball(world, 0.1, -0.1, coarse, 2500.0)};
    const uint64_t cork = add_ball(world, 0.2, -0.05, wide, 500.0);
    const double slow = rps_world_drag_time(world, rps_world_slot(world, grain[0]));
    printf("drag slows the fine grain down in %.3g s\n", slow);
    must(rps_world_step(world, 200000, &err)); /* 10 s */
    double place[3];
    rps_ledger ledger;
    must(rps_world_body_position(world, cork, place, &err));
    must(rps_world_ledger(world, &ledger, &err));
    printf("the cork floats with its centre at %.2g mm; drag took %.4g J, the ledger is off by %.1g J\n",
           1e3 * place[2], ledger.drag, ledger.residual);
    int wrong = fabs(balance(world, grain[0], fine) - 1.0) > 1e-3; /* (step over time of drag)^2/20, some 1e-4 */
    wrong += fabs(balance(world, grain[1], coarse) - 1.0) > 1e-3;
    wrong += fabs(place[2]) > 0.05 * wide; /* half the density of water: half out, but for the last of its bobbing */
    wrong += fabs(ledger.residual) > 1e-3 * ledger.drag;
    rps_world_destroy(world);
    return wrong;
}
