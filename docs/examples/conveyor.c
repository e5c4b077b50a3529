/* A ball set down on a conveyor: a rectangle stays where it is while the material of its surface runs. Then the belt stops, and
 * rises by command, with the ball on it.
 *
 * The ball slides until it rolls with 2/7 of the speed of the belt, and the drive has done m v^2 2/7 of work: the program checks
 * both. Build: cc conveyor.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static const double RADIUS = 0.01, MASS = 0.01, G = 9.81, SPEED = 1.5; /* m, kg, m/s^2, m/s */
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static void compare(const char *what, double value, double expected, double within) {
    printf("%s: %.5f (expected %.5f)\n", what, value, expected);
    if (fabs(value - expected) <= within) return;
    fprintf(stderr, "%s is %g, expected %g within %g\n", what, value, expected, within);
    exit(1);
}

static rps_world *make_world(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 5e-5;
    options.gravity[2] = -G;
    options.ledger = true;
    must(rps_world_create(&options, &world, &err));
    rps_material rubber = rps_material_default();
    rubber.name = "rubber";
    must(rps_world_add_material(world, &rubber, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e4, &err));
    must(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "static", 0.4, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "kinetic", 0.4, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "stiffness", 1e4, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    return world;
}

int main(void) {
    rps_world *world = make_world();
    rps_body_def belt = rps_body_def_default(), ball = rps_body_sphere(RADIUS);
    uint64_t id[2];
    belt.shape = "rectangle";
    belt.parameter[0] = belt.parameter[1] = 2.0;
    belt.kind = RPS_BODY_DRIVEN;
    belt.drive.until = -1.0; /* no end */
    belt.drive.surface_velocity[0] = SPEED;
    ball.mass = MASS;
    ball.position[2] = RADIUS - MASS * G / 1e4;
    must(rps_world_add_body(world, &belt, &id[0], &err));
    must(rps_world_add_body(world, &ball, &id[1], &err));
    must(rps_world_step(world, 3000, &err));
    double v[3], w[3];
    rps_ledger ledger;
    must(rps_world_body_velocity(world, id[1], v, &err));
    must(rps_world_body_angular_velocity(world, id[1], w, &err));
    must(rps_world_ledger(world, &ledger, &err));
    /* the overlap, 1e-3 of the radius, shortens the arm of friction */
    compare("speed of the ball, m/s", v[0], 2.0 / 7.0 * SPEED, 1e-3);
    compare("speed of its surface, m/s", v[0] - RADIUS * w[1], SPEED, 1e-3);
    compare("work of the drive, J/kg", ledger.drives / MASS, 2.0 / 7.0 * SPEED * SPEED, 2e-3);
    const rps_drive stopped = {.until = -1.0};
    must(rps_world_set_drive(world, id[0], &stopped, &err));
    must(rps_world_step(world, 3000, &err));
    must(rps_world_body_velocity(world, id[1], v, &err));
    compare("speed after the belt has stopped, m/s", v[0], 0.0, 1e-3);
    rps_drive_command rise = rps_drive_command_default();
    rise.control = RPS_DRIVE_POSITION;
    rise.position[2] = 0.02;
    rise.time = 0.1;
    must(rps_world_command_drive(world, id[0], &rise, &err));
    must(rps_world_step(world, 2500, &err));
    double x[3];
    must(rps_world_body_position(world, id[0], x, &err));
    compare("height of the belt, m", x[2], 0.02, 1e-12);
    rps_world_destroy(world);
    return 0;
}
