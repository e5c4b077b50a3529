/* A ball falls on the ground and bounces: the smallest program.
 * Build: cc hello.c $(pkg-config --cflags --libs repose) */
#include <stdio.h>

#include <repose/repose.h>

int main(void) {
    rps_world *world;
    rps_error err;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;        /* s */
    options.gravity[2] = -9.81; /* m/s^2 */
    rps_material clay = {.size = sizeof clay, .name = "clay", .young = 1e6, .poisson = 0.3, .density = 2000.0};
    rps_pair pair = rps_pair_default();
    rps_body_def ground = rps_body_plane(0, 0, 1), ball = rps_body_sphere(0.01);
    ball.position[2] = 0.05;
    double x[3];
    if (rps_world_create(&options, &world, &err) || rps_world_add_material(world, &clay, NULL, &err) ||
        rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err) || rps_world_set_pair(world, 0, 0, &pair, &err) ||
        rps_world_add_body(world, &ground, NULL, &err) || rps_world_add_body(world, &ball, NULL, &err) ||
        rps_world_step(world, 12000, &err) || rps_world_body_position(world, 1, x, &err)) {
        return fprintf(stderr, "%s\n", err.text), 1;
    }
    printf("after %g s the ball is %.4f m above the ground\n", rps_world_time(world), x[2]);
    rps_world_destroy(world);
    return 0;
}
