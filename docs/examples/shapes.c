/* One body of each shape, and two of several shapes, are put down on a floor: definitions by shape, pieces, groups whose
 * bodies pass through each other, and the loads and stresses of bodies.
 *
 * The program checks the masses against the volumes of the shapes, the load of the floor against the weights, and the
 * stress in a ball against rho g r. A ball that a drive presses onto the floor feels k times its overlap, though no
 * force moves either of them. Build: cc shapes.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

enum { FLOOR, SHAPES = 8 };

static const double PI = 3.14159265358979323846, G = 9.81, DENSITY = 2500.0, STIFFNESS = 2e4; /* m/s^2, kg/m^3, N/m */
static rps_error err;
static int wrong;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static void compare(const char *subject, double value, double expected, double tolerance) {
    const int good = fabs(value - expected) <= tolerance * fabs(expected);
    printf("%-24s %12.6g, expected %12.6g%s\n", subject, value, expected, good ? "" : "  WRONG");
    wrong += !good;
}

static rps_world *make_world(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 2e-5;
    options.gravity[2] = -G;
    options.contacts = true;
    must(rps_world_create(&options, &world, &err));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    glass.density = DENSITY;
    must(rps_world_add_material(world, &glass, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", STIFFNESS, &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "ratio", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.5, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    const rps_body_def floor = rps_body_plane(0, 0, 1);
    must(rps_world_add_body(world, &floor, NULL, &err));
    return world;
}

/* A hammer: a box at the end of a cylinder. The first piece is made from a definition, the second by hand. */
static rps_body_def hammer(rps_piece_def piece[2]) {
    piece[0] = rps_piece_of(rps_body_cylinder(0.004, 0.04)); /* along z, from -0.02 to 0.02 */
    piece[1] = rps_piece_def_default();
    piece[1].shape = "box"; /* its numbers: three edges, rounding */
    piece[1].parameter[0] = piece[1].parameter[1] = 0.03;
    piece[1].parameter[2] = 0.01;
    piece[1].position[2] = -0.025;
    rps_body_def body = rps_body_def_default();
    body.piece = piece;
    body.pieces = 2;
    return body;
}

/* Puts a row of shapes half a millimetre above the floor; returns their weight. */
static double add_shapes(rps_world *world) {
    rps_piece_def dumbbell[2] = {rps_piece_of(rps_body_sphere(0.01)), rps_piece_of(rps_body_sphere(0.01))}, parts[2];
    dumbbell[0].position[0] = -0.01; /* the balls touch: a piece may also overlap others, its volume counts once */
    dumbbell[1].position[0] = 0.01;
    rps_body_def pair = rps_body_def_default();
    pair.piece = dumbbell;
    pair.pieces = 2;
    const struct {
        const char *name;
        rps_body_def body;
        double volume, height; /* m^3; m, from the bottom to the body's position */
    } row[SHAPES] = {
        {"sphere", rps_body_sphere(0.01), 4.0 / 3.0 * PI * 1e-6, 0.01},
        {"ellipsoid", rps_body_ellipsoid(0.015, 0.01, 0.008), 4.0 / 3.0 * PI * 1.2e-6, 0.008},
        {"superquadric", rps_body_superquadric(0.01, 0.01, 0.01, 2, 2), 4.0 / 3.0 * PI * 1e-6, 0.01},
        {"cylinder", rps_body_cylinder(0.01, 0.02), PI * 2e-6, 0.01},
        {"capsule", rps_body_capsule(0.01, 0.02), PI * (2e-6 + 4e-6 / 3.0), 0.02},
        {"box", rps_body_box(0.03, 0.02, 0.02, 0), 12e-6, 0.01},
        {"two balls", pair, 8.0 / 3.0 * PI * 1e-6, 0.01},
        {"hammer", hammer(parts), PI * 0.64e-6 + 9e-6, 0.03},
    };
    double weight = 0.0;
    double mass;
    for (int n = 0; n < SHAPES; n++) {
        rps_body_def body = row[n].body;
        uint64_t id;
        body.position[0] = 0.06 * n;
        body.position[2] = row[n].height + 5e-4;
        must(rps_world_add_body(world, &body, &id, &err));
        must(rps_world_read(world, "mass", &id, 1, &mass, &err)); /* of any number of bodies, by their ids */
        compare(row[n].name, mass, DENSITY * row[n].volume, 1e-6);
        weight += mass * G;
    }
    return weight;
}

/* Two balls in one place, in groups without contacts between them; returns their weight. */
static double add_ghosts(rps_world *world, uint64_t id[2]) {
    const char *const name[2] = {"red", "blue"};
    int group[2];
    rps_body_def ball = rps_body_sphere(0.01);
    for (int n = 0; n < 2; n++) {
        must(rps_world_group(world, name[n], &group[n], &err));
        ball.group = group[n];
        ball.position[1] = 0.1;
        ball.position[2] = 0.0105;
        must(rps_world_add_body(world, &ball, &id[n], &err));
    }
    must(rps_world_exclude(world, group[0], group[1], &err));
    printf("balls of the groups %s and %s pass through each other\n", rps_world_group_name(world, group[0]),
           rps_world_group_name(world, group[1]));
    return 2 * DENSITY * 4.0 / 3.0 * PI * 1e-6 * G;
}

/* A ball that a drive moves down by 0.4 mm. A driven body and a fixed one touch only because their groups are included. */
static uint64_t add_press(rps_world *world) {
    rps_body_def press = rps_body_sphere(0.01);
    uint64_t id;
    press.kind = RPS_BODY_DRIVEN;
    press.position[1] = 0.2;
    press.position[2] = 0.01;
    press.drive.velocity[2] = -1e-3;
    press.drive.until = 0.4; /* s; then it stays */
    must(rps_world_group(world, "press", &press.group, &err));
    must(rps_world_add_body(world, &press, &id, &err));
    must(rps_world_include(world, press.group, 0, &err));
    return id;
}

int main(void) {
    rps_world *world = make_world();
    uint64_t ghost[2], ball = FLOOR + 1;
    double weight = add_shapes(world), force[3], torque[3], stress[6], x[2][3];
    weight += add_ghosts(world, ghost);
    const uint64_t press = add_press(world);
    must(rps_world_step(world, 25000, &err));
    must(rps_world_body_load(world, press, force, torque, &err));
    const double pressed = STIFFNESS * 4e-4;
    compare("load of the press, N", force[2], pressed, 1e-9);
    must(rps_world_body_load(world, FLOOR, force, torque, &err));
    compare("load of the floor, N", -force[2], weight + pressed, 1e-5); /* what still swings */
    must(rps_world_body_stress(world, ball, stress, &err));
    compare("stress in the ball, Pa", stress[5], -DENSITY * G * 0.01, 1e-3); /* less the overlap, 5e-4 of r */
    for (int n = 0; n < 2; n++) must(rps_world_body_position(world, ghost[n], x[n], &err));
    compare("distance of the ghosts, m", x[0][2] - x[1][2], 0.0, 0.0);
    rps_extremes extremes;
    must(rps_world_extremes(world, &extremes, &err));
    printf("%llu bodies; the fastest moves at %.2g m/s, the deepest overlap is %.2g of the radius of body %llu\n",
           (unsigned long long)rps_world_body_count(world), extremes.speed, extremes.overlap,
           (unsigned long long)extremes.overlap_id[1]);
    rps_world_destroy(world);
    return wrong > 0;
}
