/* A ball comes to rest in a corner: a surface of triangles, as a CAD program gives them, is added to a world and becomes the
 * shape of a fixed body.
 *
 * The three faces of a cube's corner that stands on its tip carry a ball alike: the program checks that there are three
 * contacts, and the load of each against m g/sqrt(3). Build: cc mesh.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static const double RADIUS = 0.01, MASS = 0.01, G = 9.81; /* m, kg, m/s^2 */
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
    options.step = 1e-5;
    options.gravity[2] = -G;
    options.contacts = true;
    must(rps_world_create(&options, &world, &err));
    rps_material steel = rps_material_default();
    steel.name = "steel";
    must(rps_world_add_material(world, &steel, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e5, &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "ratio", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.5, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    return world;
}

int main(void) {
    rps_world *world = make_world();
    /* edges of .1 m along (cos, sin of 0, 120 and 240 degrees, 1/sqrt(2)), and the points between two of them */
    double point[7][3] = {{0}};
    const uint32_t triangle[6][3] = {{0, 1, 4}, {0, 4, 2}, {0, 2, 5}, {0, 5, 3}, {0, 3, 6}, {0, 6, 1}};
    for (int k = 0; k < 3; k++) {
        const double angle = 2.0 * 3.14159265358979323846 / 3.0 * k, along = 0.1 * sqrt(2.0 / 3.0);
        point[1 + k][0] = along * cos(angle);
        point[1 + k][1] = along * sin(angle);
        point[1 + k][2] = 0.1 / sqrt(3.0);
    }
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 3; m++) point[4 + k][m] = point[1 + k][m] + point[1 + (k + 1) % 3][m];
    }
    rps_mesh_def def = rps_mesh_def_default();
    int number;
    def.name = "corner";
    def.point = (const double(*)[3])point;
    def.points = 7;
    def.triangle = triangle;
    def.triangles = 6;
    must(rps_world_add_mesh(world, &def, &number, &err));
    const rps_body_def corner = rps_body_mesh(number);
    rps_body_def ball = rps_body_sphere(RADIUS);
    ball.mass = MASS;
    ball.position[2] = sqrt(3.0) * RADIUS + 1e-4;
    must(rps_world_add_body(world, &corner, NULL, &err));
    must(rps_world_add_body(world, &ball, NULL, &err));
    must(rps_world_step(world, 50000, &err));
    rps_contact contact[4];
    size_t count;
    must(rps_world_contacts(world, contact, 4, &count, &err));
    int wrong = count != 3;
    for (size_t k = 0; k < count && k < 4; k++) {
        const double load = contact[k].normal_load[0], expected = MASS * G / sqrt(3.0);
        printf("face %d: %.9g N, expected %.9g N\n", (int)k, load, expected);
        wrong += !(fabs(load - expected) < 1e-9 * expected);
    }
    rps_world_destroy(world);
    return wrong > 0;
}
