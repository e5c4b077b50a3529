/* Walls without thickness: a ball in each of them comes to rest where it must.
 *
 * Balls are put down in a closed drum, on a ring that caps a funnel, in a bowl, in a pipe bend and on two flat walls, one
 * of them a triangle; damping brings them to rest at the height of the wall less the overlap. A wall is touched from both
 * sides, and its hollow side makes the contact stiffer than a plane does. Build: cc walls.c $(pkg-config --cflags --libs
 * repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static const double PI = 3.14159265358979323846, G = 9.81, RADIUS = 0.01, MASS = 0.01, STIFFNESS = 1e4;
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
    options.step = 2e-5;
    options.gravity[2] = -G;
    must(rps_world_create(&options, &world, &err));
    rps_material steel = rps_material_default();
    steel.name = "steel";
    must(rps_world_add_material(world, &steel, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", STIFFNESS, &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "ratio", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.5, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    return world;
}

/* A wall at a place on the line y = 0, turned from its z axis to the world's by a quarter turn about x if `lies`. */
static void add_wall(rps_world *world, rps_body_def wall, double x, int lies) {
    wall.position[0] = x;
    if (lies) wall.orientation[0] = wall.orientation[1] = sqrt(0.5);
    must(rps_world_add_body(world, &wall, NULL, &err));
}

static uint64_t add_ball(rps_world *world, double x, double z) {
    rps_body_def ball = rps_body_sphere(RADIUS);
    uint64_t id;
    ball.mass = MASS;
    ball.position[0] = x;
    ball.position[2] = z;
    must(rps_world_add_body(world, &ball, &id, &err));
    return id;
}

int main(void) {
    enum { BALLS = 6 };
    const double sunk = MASS * G / STIFFNESS;
    const char *const where[BALLS] = {"in the drum", "in the bowl",     "in the bend",
                                      "on the tray", "on the triangle", "in the funnel, on its cap"};
    /* the lowest point of a wall, one radius up, less the overlap */
    const double height[BALLS] = {-0.1 + RADIUS - sunk, -0.1 + RADIUS - sunk, -0.13 + RADIUS - sunk,
                                  RADIUS - sunk,        RADIUS - sunk,        RADIUS - sunk};
    uint64_t id[BALLS];
    rps_world *world = make_world();
    add_wall(world, rps_body_cylinder_wall(0.1, 0.05, 2), 0.0, 1); /* closed by disks at both ends */
    add_wall(world, rps_body_sphere_wall(0.1, 0.5 * PI), 1.0, 0);
    add_wall(world, rps_body_torus_wall(0.1, 0.03, PI, 2.0 * PI), 2.0, 1);
    add_wall(world, rps_body_rectangle(0.1, 0.1), 3.0, 0);
    add_wall(world, rps_body_triangle((const double[]){0.1, 0.0, 0.0}, (const double[]){0.0, 0.1, 0.0}), 3.97, 0);
    add_wall(world, rps_body_cone_wall(0.05, 0.15, 0.1, 0), 5.0, 0);
    add_wall(world, rps_body_disk_wall(0.1, 0.0), 5.0, 0); /* the cap, at half the height of the funnel */
    for (int k = 0; k < BALLS; k++) id[k] = add_ball(world, k, k < 3 ? height[k] + 1e-3 : RADIUS + 1e-3);
    must(rps_world_step(world, 50000, &err));
    int wrong = 0;
    for (int k = 0; k < BALLS; k++) {
        double x[3];
        must(rps_world_body_position(world, id[k], x, &err));
        const int good = fabs(x[2] - height[k]) < 1e-7;
        printf("%-26s z = %10.6f m, expected %10.6f m%s\n", where[k], x[2], height[k], good ? "" : "  WRONG");
        wrong += !good;
    }
    rps_world_destroy(world);
    return wrong > 0;
}
