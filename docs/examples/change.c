/* A world that changes while it runs: a ball rests on a tilted plane by static friction, then the friction falls and it
 * slides, it is held, the plane becomes softer, and it is released again. The energy ledger has the energy of each change.
 * Build: cc change.c $(pkg-config --cflags --libs repose) -lm */
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

static rps_pair rubber_with(double friction) {
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    must(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "static", friction, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "kinetic", friction, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "stiffness", 1e5, &err));
    return pair;
}

static rps_ledger tell(rps_world *world, const char *what) {
    rps_ledger ledger;
    double v[3];
    must(rps_world_ledger(world, &ledger, &err));
    must(rps_world_body_velocity(world, 1, v, &err));
    printf("%-10s t = %.3f s: speed %.6f m/s, changed %.3e J, residual %.1e J\n", what, rps_world_time(world), v[0],
           ledger.changed, ledger.residual);
    return ledger;
}

int main(void) {
    const double g = 9.81, tilt = 20.0 * acos(-1.0) / 180.0, friction = 0.2;
    const uint64_t ball = 1;
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    options.step = 1e-5;
    options.gravity[0] = g * sin(tilt); /* in the axes of the plane */
    options.gravity[2] = -g * cos(tilt);
    must(rps_world_create(&options, &world, &err));
    rps_material rubber = rps_material_default();
    rubber.name = "rubber";
    rubber.young = 1e7;
    rubber.poisson = 0.3;
    rubber.density = 2000.0;
    must(rps_world_add_material(world, &rubber, NULL, &err));
    rps_pair pair = rubber_with(0.5);
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_body_def ground = rps_body_plane(0, 0, 1), body = rps_body_sphere(0.01);
    body.position[2] = 0.01 - 2.3e-5; /* about the overlap at rest */
    body.locked = true;
    must(rps_world_add_body(world, &ground, NULL, &err));
    must(rps_world_add_body(world, &body, NULL, &err));
    must(rps_world_step(world, 5000, &err));
    tell(world, "rests");

    pair = rubber_with(friction);
    must(rps_world_set_pair(world, 0, 0, &pair, &err)); /* contacts keep their memory */
    must(rps_world_set_step(world, 5e-6, &err));        /* time goes on from where it is */
    must(rps_world_step(world, 10000, &err));
    tell(world, "slides");

    rps_guards guards = options.guards;
    guards.overlap = 0.1;
    must(rps_world_set_guards(world, &guards, &err));
    must(rps_world_set_kind(world, &ball, 1, RPS_BODY_FIXED, &err));
    rubber.young = 5e6;
    must(rps_world_set_material(world, 0, &rubber, &err));
    must(rps_world_step(world, 1000, &err));
    tell(world, "is held");
    must(rps_world_set_kind(world, &ball, 1, RPS_BODY_FREE, &err));
    must(rps_world_step(world, 10000, &err));
    const rps_ledger ledger = tell(world, "slides on");

    double v[3];
    must(rps_world_body_velocity(world, ball, v, &err));
    const double expected = 0.05 * g * (sin(tilt) - friction * cos(tilt));
    rps_world_destroy(world);
    /* it swings on its spring, so that its friction is that of its weight in the mean */
    return fabs(v[0] / expected - 1.0) < 0.1 && fabs(ledger.residual) < 1e-6 * ledger.start ? 0 : 1;
}
