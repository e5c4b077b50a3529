/* A plate follows a table of motion: velocities at four times, which a program would have measured.
 *
 * The velocity is linear between the rows and the displacement is its integral: half of .1 s at the speed, .2 s at it, half of .1 s.
 * Build: cc motion.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

int main(void) {
    static const double time[4] = {0.0, 0.1, 0.3, 0.4};                        /* s */
    static const double velocity[4][3] = {{0}, {0, 0, 0.5}, {0, 0, 0.5}, {0}}; /* m/s */
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-4;
    must(rps_world_create(&options, &world, &err));
    rps_material steel = rps_material_default();
    steel.name = "steel";
    must(rps_world_add_material(world, &steel, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e5, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_motion_def motion = rps_motion_def_default();
    motion.time = time;
    motion.rows = 4;
    motion.velocity = velocity;
    rps_body_def plate = rps_body_plane(0, 0, 1);
    plate.kind = RPS_BODY_DRIVEN;
    plate.drive.until = -1.0; /* for ever */
    must(rps_world_add_motion(world, &motion, &plate.drive.motion, &err));
    uint64_t id;
    must(rps_world_add_body(world, &plate, &id, &err));
    must(rps_world_step(world, 5000, &err));
    rps_view view;
    must(rps_world_view(world, "position", &view, &err));
    const double height = ((const double *)view.data)[2];
    printf("the plate rose by %.12g m, expected 0.15 m\n", height);
    rps_world_destroy(world);
    return !(fabs(height - 0.15) < 1e-12);
}
