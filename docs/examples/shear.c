/* A cloud of inelastic grains in a periodic box that is sheared without walls: the images along z move along x.
 *
 * The grains carry the linear profile of the flow, heat up by the work of the shear and cool in collisions. The program
 * reads all bodies at once by views of fields, and works out the granular temperature and the profile. It checks that the
 * images have moved as far as the rate says, that momentum stays, and that the energy ledger closes with the shear's work.
 * Build: cc shear.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/repose.h>

enum { SIDE = 6, GRAINS = SIDE * SIDE * SIDE };

static const double RADIUS = 0.005, WIDTH = 0.08, RATE = 8.0; /* m, m, 1/s */
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
    options.step = 4e-5;
    for (int k = 0; k < 3; k++) options.period[k] = WIDTH;
    options.shear.flow = 0;
    options.shear.gradient = 2;
    options.shear.rate = RATE;
    must(rps_world_create(&options, &world, &err));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    glass.density = 2500.0;
    must(rps_world_add_material(world, &glass, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e3, &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "restitution", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.7, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    return world;
}

/* Grains on a lattice that move with the flow. */
static void add_grains(rps_world *world) {
    static double place[GRAINS][3], velocity[GRAINS][3];
    for (int n = 0; n < GRAINS; n++) {
        place[n][0] = (n % SIDE + 0.5 + 0.07 * (n * 5 % 7)) * WIDTH / SIDE;
        place[n][1] = (n / SIDE % SIDE + 0.5 + 0.02 * (n * 3 % 5)) * WIDTH / SIDE;
        place[n][2] = (n / SIDE / SIDE + 0.5 + 0.02 * (n % 4)) * WIDTH / SIDE;
        velocity[n][0] = RATE * (place[n][2] - 0.5 * WIDTH);
    }
    rps_bodies_def grains = rps_bodies_def_default();
    grains.count = GRAINS;
    grains.def = rps_body_sphere(RADIUS);
    grains.position.data = place;
    grains.velocity.data = velocity;
    must(rps_world_add_bodies(world, &grains, NULL, &err));
}

/* The element of a slot; a vector's components lie one behind the other. */
static const double *at(const rps_view *view, size_t slot) {
    return (const double *)((const char *)view->data + slot * view->stride);
}

/* The unit of a field, from the table of all fields. */
static const char *unit_of(const char *name) {
    for (size_t n = 0; n < rps_body_field_count(); n++) {
        const rps_field *field = rps_body_field(n);
        if (strcmp(field->name, name) == 0) return field->unit;
    }
    return "?";
}

/* The slope of velocity over height by least squares, and the momentum along y, where nothing but collisions acts. */
static void look(const rps_world *world, double *slope, double *momentum) {
    rps_view x, v, mass;
    double zz = 0.0, zv = 0.0, heat = 0.0;
    must(rps_world_view(world, "position", &x, &err));
    must(rps_world_view(world, "velocity", &v, &err));
    must(rps_world_view(world, "mass", &mass, &err));
    *momentum = 0.0;
    for (size_t s = 0; s < x.count; s++) { /* slots have no order, which a sum does not need */
        /* Positions go on across periods; a grain that left at the top has come back with the velocity of its image. */
        const double height = at(&x, s)[2] - WIDTH * floor(at(&x, s)[2] / WIDTH) - 0.5 * WIDTH, *u = at(&v, s);
        const double shift = u[0] - RATE * height; /* against the mean flow */
        zz += height * height;
        zv += height * u[0];
        heat += (shift * shift + u[1] * u[1] + u[2] * u[2]) / (3.0 * GRAINS);
        *momentum += at(&mass, s)[0] * u[1];
    }
    *slope = zv / zz;
    printf("profile %.3g 1/s of %.3g; fluctuations of %.3g %s\n", *slope, RATE, sqrt(heat), unit_of("velocity"));
}

int main(void) {
    rps_world *world = make_world();
    rps_shear_state shear;
    rps_ledger ledger;
    double slope, momentum;
    add_grains(world);
    for (int n = 0; n < 4; n++) {
        must(rps_world_step(world, 6250, &err));
        look(world, &slope, &momentum);
    }
    must(rps_world_shear_state(world, &shear, &err));
    must(rps_world_ledger(world, &ledger, &err));
    const double strain = RATE * rps_world_time(world), moved = remainder(strain * WIDTH, WIDTH);
    printf("strain %.6g of %.6g; the image above stands at %.6g of %.6g m\n", shear.strain, strain, shear.offset,
           moved);
    printf("the shear worked %.4g J, collisions took %.4g J; the ledger is off by %.2g J\n", shear.work,
           ledger.dissipated[RPS_ROLE_DAMPING], ledger.residual);
    int good = fabs(shear.strain - strain) < 1e-9 && fabs(remainder(shear.offset - moved, WIDTH)) < 1e-9 &&
               shear.work == ledger.shear && fabs(ledger.residual) < 1e-2 * shear.work &&
               fabs(slope - RATE) < 0.25 * RATE && fabs(momentum) < 1e-12;
    /* Without shear the grains go on by themselves and lose energy; the images stay where they are. */
    must(rps_world_set_shear_rate(world, 0.0, &err));
    const double before = shear.strain, kinetic = ledger.kinetic_translation;
    must(rps_world_step(world, 5000, &err));
    must(rps_world_shear_state(world, &shear, &err));
    must(rps_world_ledger(world, &ledger, &err));
    printf("0.2 s without shear: the kinetic energy falls from %.3g to %.3g J\n", kinetic, ledger.kinetic_translation);
    good = good && fabs(shear.strain - before) < RATE * 1e-4 && ledger.kinetic_translation < kinetic;
    rps_world_destroy(world);
    return good ? 0 : 1;
}
