/* Liquid bridges: two wet beads meet, share their films, and are torn apart; no liquid is lost.
 * Build: cc wet.c $(pkg-config --cflags --libs repose) -lm */
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

static rps_liquid_sums tell(const rps_world *world, const char *what) {
    rps_liquid_sums sums;
    double film[2];
    for (uint64_t id = 0; id < 2; id++) must(rps_world_liquid(world, id, &film[id], &err));
    must(rps_world_liquid_sums(world, &sums, &err));
    printf("%-8s films %.3e and %.3e m^3, %llu bridges with %.3e m^3\n", what, film[0], film[1],
           (unsigned long long)sums.bridges, sums.in_bridges);
    return sums;
}

int main(void) {
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    options.step = 1e-6;
    must(rps_world_create(&options, &world, &err));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    glass.young = 1e7;
    glass.poisson = 0.2;
    glass.density = 2500.0;
    must(rps_world_add_material(world, &glass, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    must(rps_pair_law(&pair, RPS_ROLE_BRIDGE, "willett", &err));
    must(rps_pair_set(&pair, RPS_ROLE_BRIDGE, "surface_tension", 0.072, &err));
    must(rps_pair_set(&pair, RPS_ROLE_BRIDGE, "largest", 1e-10, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    for (int k = 0; k < 2; k++) {
        rps_body_def bead = rps_body_sphere(0.001);
        bead.position[0] = k * 0.00201;
        bead.velocity[0] = k ? -0.2 : 0.2;
        bead.liquid_part = 0.01; /* of the volume of the bead */
        must(rps_world_add_body(world, &bead, NULL, &err));
    }
    must(rps_world_add_liquid(world, 0, 1e-11, &err)); /* one is wetter */
    tell(world, "before");
    must(rps_world_step(world, 100, &err));
    const rps_liquid_sums bridge = tell(world, "bridge");
    must(rps_world_step(world, 5000, &err));
    const rps_liquid_sums after = tell(world, "after");
    const double lost = after.added - after.removed - after.films - after.in_bridges;
    printf("%llu ruptured; %.1e m^3 lost\n", (unsigned long long)after.ruptured, lost);
    rps_world_destroy(world);
    return !(bridge.bridges == 1 && after.ruptured == 1 && fabs(lost) <= 1e-15 * after.added);
}
