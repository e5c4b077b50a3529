/* A bead in an optical trap, which a steady torque turns: forces from outside as functions of the program.
 *
 * The trap has a potential, whose energy is in the ledger; the torque has none, and the ledger has its work. The program
 * compares the first period with the closed form.
 * Build: cc trap.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static const double STIFFNESS = 1.0, MASS = 1e-3, STEP = 1e-3; /* N/m, kg, s */
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static void pull(void *context, const rps_force_at *at, double force[3], double torque[3]) {
    (void)context;
    (void)torque;
    for (int k = 0; k < 3; k++) force[k] = -STIFFNESS * at->position[k];
}

static double trap_energy(void *context, const rps_force_at *at) {
    const double *x = at->position;
    (void)context;
    return 0.5 * STIFFNESS * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Turns the bead up; torque [N m] in the context. */
static void stir(void *context, const rps_force_at *at, double force[3], double torque[3]) {
    (void)at;
    (void)force;
    torque[2] = *(double *)context;
}

int main(void) {
    double torque = 1e-9;
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = STEP;
    must(rps_world_create(&options, &world, &err));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    must(rps_world_add_material(world, &glass, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1.0, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_body_def bead = rps_body_sphere(1e-3);
    bead.mass = MASS;
    bead.position[0] = 0.01;
    must(rps_world_add_body(world, &bead, NULL, &err));

    rps_force_def trap = rps_force_def_default();
    trap.name = "trap";
    trap.load = pull;
    trap.potential = trap_energy;
    must(rps_world_add_force(world, &trap, &err));
    rps_force_def stirrer = rps_force_def_default();
    stirrer.name = "stirrer";
    stirrer.load = stir;
    stirrer.context = &torque;
    must(rps_world_add_force(world, &stirrer, &err));

    const double period = 2.0 * 3.14159265358979323846 * sqrt(MASS / STIFFNESS);
    must(rps_world_step(world, (uint64_t)(period / STEP + 0.5), &err));
    double x[3];
    rps_ledger ledger;
    must(rps_world_body_position(world, 0, x, &err));
    must(rps_world_ledger(world, &ledger, &err));
    printf("after one period the bead is at x = %.4f m\n", x[0]);
    printf("in the trap: %.3g J, residual %.1g J\n", ledger.potential + ledger.kinetic_translation, ledger.residual);
    for (size_t k = 0; k < rps_world_forces(world); k++) {
        printf("work of %s: %.3g J\n", rps_world_force_name(world, k), rps_world_force_work(world, k));
    }
    rps_world_destroy(world);
    /* (w h)^2/24 of a period is 4e-5 of it */
    return fabs(x[0] - 0.01) < 1e-5 && fabs(ledger.residual) < 1e-7 ? 0 : 1;
}
