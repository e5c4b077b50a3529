/* Heat: a hot and a cold ball pressed together exchange heat until both have the mean temperature.
 * Build: cc heat.c $(pkg-config --cflags --libs repose) -lm */
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
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    options.step = 1e-5;
    must(rps_world_create(&options, &world, &err));
    rps_material steel = rps_material_default();
    steel.name = "steel";
    steel.young = 1e8;
    steel.poisson = 0.3;
    steel.density = 7800.0;
    must(rps_world_add_material(world, &steel, NULL, &err));
    must(rps_world_set_thermal(world, 0, 50.0, 0.1, &err)); /* W/(m K); J/(kg K), little, so that it is soon over */
    rps_heat heat = rps_heat_default();
    must(rps_world_set_heat(world, &heat, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    for (int k = 0; k < 2; k++) {
        rps_body_def ball = rps_body_sphere(0.001);
        ball.position[0] = k * 0.00199;
        must(rps_world_add_body(world, &ball, NULL, &err));
        const double push[3] = {k ? -0.66 : 0.66, 0.0, 0.0}; /* N, about the load at this overlap */
        must(rps_world_apply_load(world, (uint64_t)k, push, NULL, &err));
    }
    must(rps_world_set_temperature(world, 0, 393.15, &err));
    double kelvin[2], joule[2], sum;
    for (int n = 0; n < 5; n++) {
        must(rps_world_step(world, 100, &err));
        for (uint64_t id = 0; id < 2; id++) must(rps_world_temperature(world, id, &kelvin[id], &joule[id], &err));
        printf("%.1e s: %.2f K and %.2f K\n", rps_world_time(world), kelvin[0], kelvin[1]);
    }
    must(rps_world_heat_sum(world, &sum, &err));
    printf("%.3e J passed over; %.1e J in all\n", joule[1], sum);
    rps_world_destroy(world);
    return !(kelvin[0] - kelvin[1] < 60.0 && fabs(sum) <= 1e-15 * joule[1]);
}
