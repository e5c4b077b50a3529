/* A friction law of the program's own, in a world that the program builds itself, and in a scene: with a scene file as
 * argument, that scene is run and may name the law.
 *
 * A law is a function over a batch of contacts that belong to one pair of materials (repose/law.h lists what it sees, and
 * repose/law_kernel.h has the macros of its author).
 * This one is Coulomb friction without memory: mu N along the slip of the step, fading below a slip of `width`. (Slip is
 * the path of the contact point on body i minus that on body j; the force on body i is along it.) A block that slides
 * on the ground with it loses mu g of its speed in each second.
 * Build: cc own_law.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>

#include <repose/law_kernel.h>
#include <repose/repose.h>

enum { MU, WIDTH };

RPS_KERNEL(viscous_coulomb) {
    const double mu = constant[MU], width = constant[WIDTH];
    RPS_IN(cap_load);
    RPS_IN_AS(dx, b->slip[0]);
    RPS_IN_AS(dy, b->slip[1]);
    RPS_IN_AS(dz, b->slip[2]);
    RPS_AS(fx, b->slide_force[0]);
    RPS_AS(fy, b->slide_force[1]);
    RPS_AS(fz, b->slide_force[2]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_SLIDE]);
    RPS_EACH_CONTACT(c) {
        double slip = sqrt(dx[c] * dx[c] + dy[c] * dy[c] + dz[c] * dz[c]);
        double f = mu * cap_load[c] / (slip + width);
        fx[c] = f * dx[c];
        fy[c] = f * dy[c];
        fz[c] = f * dz[c];
        dissipated[c] = f * slip * slip;
    }
}

static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    constant[MU] = setup->value[MU];
    constant[WIDTH] = isnan(setup->value[WIDTH]) ? 1e-12 : setup->value[WIDTH];
    if (isnan(constant[MU])) {
        return rps_fail(err, RPS_BAD_INPUT, "slide law `viscous-coulomb` needs `kinetic`, a pure number");
    }
    return RPS_OK;
}

static const rps_law viscous_coulomb_law = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "viscous-coulomb",
    .summary = "mu N along the slip, regularised",
    .citation = "textbook",
    .parameter = {{"kinetic", "", "friction coefficient", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_KINETIC},
                  {"width", "m", "slip of a step below which friction fades", 1e-300, 1.0, NAN, NULL,
                   RPS_PARAMETER_OTHER}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(dissipated),
    .prepare = prepare,
    .kernel = RPS_LAW_KERNELS(viscous_coulomb),
};

/* Leaves main with the sentence of the first call that fails. */
#define TRY(call)                                                               \
    do {                                                                        \
        if ((call) != RPS_OK) {                                                 \
            fprintf(stderr, "%s: %s\n", rps_status_name(err.status), err.text); \
            rps_world_destroy(world);                                           \
            return 1;                                                           \
        }                                                                       \
    } while (0)

static int run_scene(const char *path) {
    static const rps_law *const own[] = {&viscous_coulomb_law};
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    rps_error err;
    options.path = path;
    options.law = own; /* the scene writes slide: {law: viscous-coulomb, kinetic: 0.3} */
    options.laws = 1;
    if (rps_run(&options, &summary, &err) != RPS_OK) {
        fprintf(stderr, "%s: %s\n", rps_status_name(err.status), err.text);
        return 1;
    }
    printf("%s ran to %g s: %zu of %zu checks failed\n", path, summary.time, summary.checks_failed, summary.checks);
    return summary.checks_failed > 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return run_scene(argv[1]);
    rps_world *world = NULL;
    rps_error err;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.gravity[2] = -10.0;
    TRY(rps_world_create(&options, &world, &err));
    TRY(rps_world_register_law(world, &viscous_coulomb_law, &err));

    rps_material wood = rps_material_default();
    int material;
    wood.name = "wood";
    TRY(rps_world_add_material(world, &wood, &material, &err));

    rps_pair pair = rps_pair_default();
    TRY(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    TRY(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e5, &err)); /* N/m */
    TRY(rps_pair_own_law(&pair, &viscous_coulomb_law, &err));
    /* The law refuses a pair that does not give its coefficient. */
    rps_error refusal;
    if (rps_world_set_pair(world, material, material, &pair, &refusal) == RPS_OK) return 1;
    printf("refused as it should be: %s\n", refusal.text);
    TRY(rps_pair_set(&pair, RPS_ROLE_SLIDE, "kinetic", 0.3, &err));
    TRY(rps_world_set_pair(world, material, material, &pair, &err));

    const double radius = 0.1, mass = 1.0, speed = 2.0, seconds = 0.5;
    rps_body_def ground = rps_body_plane(0, 0, 1), block = rps_body_sphere(radius);
    ground.material = material;
    TRY(rps_world_add_body(world, &ground, NULL, &err));
    block.mass = mass;
    block.material = material;
    block.locked = true; /* it cannot turn, and so is a block */
    block.position[2] = radius - mass * 10.0 / 1e5;
    block.velocity[0] = speed;
    uint64_t id;
    TRY(rps_world_add_body(world, &block, &id, &err));

    TRY(rps_world_step(world, (uint64_t)(seconds / options.step + 0.5), &err));
    double v[3];
    TRY(rps_world_body_velocity(world, id, v, &err));
    double expected = speed - 0.3 * 10.0 * seconds;
    printf("after %g s the block slides at %.6f m/s; mu g t says %.6f m/s\n", rps_world_time(world), v[0], expected);
    /* Loads change once a step, and friction acts from the second step on. */
    int good = fabs(v[0] - expected) < 2.0 * 0.3 * 10.0 * options.step;
    rps_world_destroy(world);
    return good ? 0 : 1;
}
